/*
 * main.c - rtevtop: top for the OCaml 5 runtime.
 */
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "app/observe.h"
#include "session/guard.h"
#include "launch/private_dir.h"
#include "launch/signals.h"
#include "tty/characters.h"

#define MAPPED_FROM (32 * 1024)

/* Always map large blocks separately.  Many are tables of which little is ever touched, and memory from the
 * heap would have to be cleared.  By default glibc raises the limit when such a block is freed. */
static void large_blocks_map(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
	/* Keep the heap's spare room too small for such a block. */
	mallopt(M_TOP_PAD, MAPPED_FROM / 2);
#endif
}

/* Open /dev/null in place of closed standard descriptors, so that no ring or recording gets their numbers.
 * The mode makes any use fail. */
static void descriptors_occupy(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return;
}

/* The name of the locale for characters in the environment; NULL: none. */
static const char *locale_name(void)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *name = getenv(variables[i]);
		if (name != NULL && name[0] != '\0')
			return name;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct options options;
	int status;

	descriptors_occupy();
	large_blocks_map();
	/* Writing must fail with EPIPE without a reader, and with EFBIG beyond a limit on file sizes. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	characters_set(locale_name());
	if (!options_parse(&options, argc, argv, &status)) {
		int failed = fail_output(fflush(stdout) == 0 ? 0 : errno, "to standard output");
		return failed != EXIT_DONE ? failed : status;
	}
	if (!options.command->own_signals) {
		guard_install();
		signals_install();
	}
	status = observe_names(&options);
	if (status == EXIT_DONE)
		status = observe_target(&options);
	if (status != EXIT_DONE)
		return status;
	private_dir_sweep(observe_temporary());
	return options.command->run(&options);
}
