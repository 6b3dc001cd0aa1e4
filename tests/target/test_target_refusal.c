/*
 * test_target_refusal.c - what is said where the memory of a process may not be read.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/test.h"
#include "target/variables.h"

/* Make a /proc that says what Yama allows. */
static void tell(const char *root, char scope)
{
	static const char *const parts[] = {"", "/sys", "/sys/kernel", "/sys/kernel/yama"};
	char path[256];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", root, parts[i]);
		mkdir(path, 0755);
	}
	snprintf(path, sizeof(path), "%s/sys/kernel/yama/ptrace_scope", root);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	CHECK(fd >= 0 && write(fd, &scope, 1) == 1);
	close(fd);
}

static void forget(const char *root)
{
	static const char *const parts[] = {
	    "/sys/kernel/yama/ptrace_scope", "/sys/kernel/yama", "/sys/kernel", "/sys", ""};
	char path[256];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", root, parts[i]);
		CHECK_INT(remove(path), 0);
	}
}

/* Root that lacks a capability is told which one: /proc/PID/mem of another user needs both. */
TEST(the_capability_that_root_lacks_is_named)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct before[_LINUX_CAPABILITY_U32S_3], own[_LINUX_CAPABILITY_U32S_3] = {0};
	const char *remedy;

	CHECK_INT(syscall(SYS_capget, &header, before), 0);
	if (geteuid() != 0 || (before[0].effective & 1U << CAP_SYS_PTRACE) == 0)
		SKIP("not root, or root without SYS_PTRACE");
	memcpy(own, before, sizeof(own));
	own[0].effective = 1U << CAP_SYS_PTRACE;
	CHECK_INT(syscall(SYS_capset, &header, own), 0);
	(void)variables_refusal(NULL, &remedy);
	CHECK_STR(remedy, "rtevtop needs the capability DAC_READ_SEARCH");
	own[0].effective = 0;
	CHECK_INT(syscall(SYS_capset, &header, own), 0);
	(void)variables_refusal(NULL, &remedy);
	CHECK_STR(remedy, "rtevtop needs the capability SYS_PTRACE");
	CHECK_INT(syscall(SYS_capset, &header, before), 0);
}

TEST(yama_is_named)
{
	char root[] = "/tmp/rtevtest.XXXXXX";
	const char *remedy, *none = "/tmp/no such directory";
	const uid_t user = geteuid();

	CHECK(mkdtemp(root) != NULL && chmod(root, 0755) == 0);
	tell(root, '1');
	if (user == 0) {
		CHECK_STR(variables_refusal(root, &remedy), "reading its memory is not permitted");
		CHECK(strstr(remedy, "rtevtop needs the capability ") != NULL);
		CHECK_INT(seteuid(65534), 0);
	}
	const char *why = variables_refusal(root, &remedy);
	CHECK_STR(why, "kernel.yama.ptrace_scope is 1, which lets only root read its memory");
	CHECK(strstr(remedy, "sudo") != NULL && strstr(remedy, "-- COMMAND") != NULL);
	CHECK_STR(variables_refusal(none, &remedy), "reading its memory is not permitted");
	CHECK_STR(remedy, "run rtevtop as root");
	CHECK_INT(seteuid(user), 0);
	tell(root, '0');
	CHECK_STR(variables_refusal(root, &remedy), "reading its memory is not permitted");
	forget(root);
}
