/*
 * test_new_file.c - new files and the settings file when memory or the disk is full: told, nothing left
 * behind, no descriptor lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/folder.h"
#include "files/output.h"
#include "app/settings.h"
#include "support/test.h"

#define PATH "./new_file.test"
#define LIMIT 1000 /* bytes that a file may have in some tests */

static bool no_memory;

/* In place of the C library's, so that it can fail; the name of a descriptor does as well as the
 * descriptor. */
FILE *fdopen(int fd, const char *mode)
{
	char path[32];

	if (no_memory) {
		errno = ENOMEM;
		return NULL;
	}
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	FILE *file = fopen(path, mode);
	close(fd);
	return file;
}

static int failing_fstat; /* the call of fstat that fails; 0: none */

/* Stand in for the C library's fstat, which fails at that call. */
int fstat(int fd, struct stat *st)
{
	static int calls;

	calls = failing_fstat > 0 ? calls + 1 : 0;
	if (calls > 0 && calls == failing_fstat) {
		calls = 0;
		errno = EIO;
		return -1;
	}
	return fstatat(fd, "", st, AT_EMPTY_PATH);
}

/* How many descriptors are open. */
static int descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* Limit the size of files, or lift that again. */
static void limit_size(bool limited)
{
	struct rlimit limit;

	CHECK_INT(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = limited ? LIMIT : limit.rlim_max;
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A text of a length that fits or not, written to a new file; whether it was said to be. */
static bool written(size_t length)
{
	FILE *file = new_file_open(AT_FDCWD, PATH);

	CHECK(file != NULL);
	for (size_t i = 0; i < length; i++)
		fputc('x', file);
	return new_file_close(file, AT_FDCWD, PATH);
}

/* It is made once, and an old one stays as it is. */
TEST(made)
{
	char text[16] = "";

	CHECK(written(5));
	errno = 0;
	CHECK(new_file_open(AT_FDCWD, PATH) == NULL && errno == EEXIST);
	int fd = open(PATH, O_RDONLY);
	struct stat st;
	CHECK(fstat(fd, &st) == 0 && (st.st_mode & 0777) == 0600);
	CHECK_INT(read(fd, text, sizeof(text)), 5);
	CHECK(strcmp(text, "xxxxx") == 0);
	close(fd);
	unlink(PATH);
}

/* What does not fit, found out early or late, is told and removed. */
TEST(full)
{
	const size_t lengths[] = {LIMIT + 1, 100000};
	int before = descriptors();

	limit_size(true);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		errno = 0;
		CHECK(!written(lengths[i]));
		CHECK_INT(errno, EFBIG);
		CHECK(access(PATH, F_OK) != 0);
	}
	limit_size(false);
	CHECK_INT(descriptors(), before);
}

/* Without memory there is no file, and no descriptor is lost. */
TEST(memory)
{
	int before = descriptors();

	no_memory = true;
	errno = 0;
	CHECK(new_file_open(AT_FDCWD, PATH) == NULL && errno == ENOMEM);
	no_memory = false;
	CHECK(access(PATH, F_OK) != 0);
	CHECK_INT(descriptors(), before);
}

/* A recording's file of which nothing can be learned does not stay. */
TEST(unknown)
{
	char dir[] = "/tmp/rtev-output.XXXXXX", path[64];
	struct output output;
	int before = descriptors();

	CHECK(mkdtemp(dir) != NULL);
	snprintf(path, sizeof(path), "%s/a.fxt", dir);
	CHECK_INT(output_open(&output, path, output_recordings), OUTPUT_OK);
	output_close(&output);
	failing_fstat = 1;
	errno = 0;
	while (output_open(&output, path, output_recordings) == OUTPUT_FAILED) {
		CHECK_INT(errno, EIO);
		CHECK_INT(descriptors(), before);
		failing_fstat++;
	}
	failing_fstat = 0;
	CHECK_INT(output_publish(&output), 0);
	output_close(&output);
	CHECK_INT(unlink(path), 0);
	CHECK_INT(rmdir(dir), 0);
}

/* Settings that can't be written leave the old ones, and nothing else. */
TEST(settings)
{
	static struct settings now, read;
	char dir[] = "/tmp/rtev-settings.XXXXXX", path[4096], beside[5000];
	int before = descriptors();

	CHECK(mkdtemp(dir) != NULL);
	CHECK_INT(setenv("XDG_CONFIG_HOME", dir, 1), 0);
	now.delay_ns = 100000000;
	CHECK(settings_write(&now, path, sizeof(path)));
	now.delay_ns = 200000000;
	memset(now.filter, 'x', SETTINGS_TEXT - 1);
	no_memory = true;
	CHECK(!settings_write(&now, path, sizeof(path)) && errno == ENOMEM);
	no_memory = false;
	const struct rlimit none = {0, RLIM_INFINITY};
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &none), 0);
	CHECK(!settings_write(&now, path, sizeof(path)) && errno == EFBIG);
	limit_size(false);
	settings_read(&read);
	CHECK_INT(read.delay_ns, 100000000);
	snprintf(beside, sizeof(beside), "%s.new", path);
	CHECK(access(beside, F_OK) != 0);
	CHECK_INT(descriptors(), before);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	rmdir(dir);
}

/* What stands in a file; "" when there is none. */
static void content(const char *path, char text[16])
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd >= 0 ? read(fd, text, 15) : 0;

	text[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

/* A link in place of the settings folder or file, or to root from another user on the way there, is left
 * alone with what it leads to. */
TEST(settings_linked)
{
	static const struct settings now = {.delay_ns = 100000000};
	char dir[] = "/tmp/rtev-settings.XXXXXX", path[4096], victim[64], folder[64], aim[64], file[64],
	     text[16];
	int before = descriptors();

	CHECK(mkdtemp(dir) != NULL);
	snprintf(folder, sizeof(folder), "%s/rtevtop", dir);
	snprintf(aim, sizeof(aim), "%s/aim", dir);
	snprintf(victim, sizeof(victim), "%s/aim/settings", dir);
	snprintf(file, sizeof(file), "%s/rtevtop/settings", dir);
	CHECK_INT(mkdir(aim, 0700), 0);
	int fd = open(victim, O_WRONLY | O_CREAT | O_EXCL, 0600);
	CHECK_INT(write(fd, "precious", 8), 8);
	close(fd);
	CHECK_INT(setenv("XDG_CONFIG_HOME", dir, 1), 0);
	CHECK_INT(symlink("aim", folder), 0);
	CHECK(!settings_write(&now, path, sizeof(path)) && errno == ELOOP);
	CHECK_STR(path, file);
	content(victim, text);
	CHECK_STR(text, "precious");
	CHECK_INT(unlink(folder), 0);
	CHECK_INT(mkdir(folder, 0700), 0);
	CHECK_INT(symlink("../aim/settings", file), 0);
	CHECK(!settings_write(&now, path, sizeof(path)) && errno == ELOOP);
	content(victim, text);
	CHECK_STR(text, "precious");
	content(file, text);
	CHECK_STR(text, "precious");
	CHECK_INT(unlink(file), 0);
	CHECK(settings_write(&now, path, sizeof(path)));
	CHECK_INT(unlink(file), 0);
	CHECK_INT(rmdir(folder), 0);
	/* $XDG_CONFIG_HOME itself. */
	snprintf(path, sizeof(path), "%s/home", dir);
	CHECK_INT(symlink("aim", path), 0);
	CHECK_INT(setenv("XDG_CONFIG_HOME", path, 1), 0);
	if (geteuid() == 0) {
		CHECK_INT(lchown(path, 65534, 65534), 0);
		CHECK(!settings_write(&now, file, sizeof(file)) && errno == ELOOP);
		CHECK_INT(lchown(path, 0, 0), 0);
	}
	CHECK(settings_write(&now, file, sizeof(file)));
	CHECK_INT(descriptors(), before);
	CHECK_INT(unlink(file), 0);
	*strrchr(file, '/') = '\0';
	CHECK(rmdir(file) == 0 && unlink(path) == 0 && unlink(victim) == 0 && rmdir(aim) == 0 &&
	      rmdir(dir) == 0);
}

int main(void)
{
	signal(SIGXFSZ, SIG_IGN);
	test_run();
	return 0;
}
