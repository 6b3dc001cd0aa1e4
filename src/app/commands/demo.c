/*
 * demo.c - rtevtop demo: run the made-up service.
 *
 * Prints "PID PATH" once the ring can be read.  The ring goes to OCAML_RUNTIME_EVENTS_DIR, else to a private
 * directory that is removed at the end.  If DEMO_OF_VARIABLE names the parent process, the demo ends with its
 * parent and cleans up after it.
 */
#include "demo/demo.h"

#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "app/observe.h"
#include "launch/private_dir.h"
#include "core/clock.h"
#include "rtev/producer.h"
#include "target/status.h"

/* How long a killed live view may take to disappear, and the time between two checks. */
#define LEFT_WAIT_NS UINT64_C(10000000000)
#define LEFT_LOOK_NS 10000000

/* Whether the parent of the demo, if any, has ended.  The kernel sends the signal when the parent's main
 * thread ends; while another of its threads still lives, it remains our parent. */
static bool is_orphan(pid_t of)
{
	struct status_stat stat;
	struct proc proc;

	if (of == 0 || getppid() != of)
		return of != 0;
	int error = proc_open(&proc, NULL, of);
	if (error == 0) {
		error = status_read_stat(&proc, &stat);
		proc_close(&proc);
	}
	return error == ESRCH || (error == 0 && status_ended(&stat));
}

/* End with the parent.  Returns its pid, 0 if the demo has none. */
static pid_t end_with_parent(void)
{
	const char *text = getenv(DEMO_OF_VARIABLE), *problem = NULL;
	long long pid = text != NULL ? strtonum(text, 1, INT32_MAX, &problem) : 0;

	if (pid != 0)
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	return (pid_t)pid;
}

/* Remove the directory of a killed live view once the kernel has released its lock. */
static void remove_left(const char *dir)
{
	uint64_t until = monotonic_now() + LEFT_WAIT_NS;

	const char *above = observe_temporary();

	for (private_dir_sweep(above); dir != NULL && private_dir_marked(dir); private_dir_sweep(above)) {
		if (monotonic_now() > until)
			return;
		nanosleep(&(struct timespec){.tv_nsec = LEFT_LOOK_NS}, NULL);
	}
}

/* Print pid and path of the ring.  Returns false after reporting a failed write. */
static bool print_started(void *ctx, const char *path)
{
	printf("%ld %s\n", (long)getpid(), path);
	return fail_output(fflush(stdout) == 0 ? 0 : errno, "to standard output") == EXIT_DONE;
}

/* Record to a directory until a signal asks us to stop; messages name it `shown`.  Returns an exit status. */
static int record_in(const struct options *options, const char *dir, const char *shown)
{
	const struct demo_options demo = {
	    .domains = (unsigned)options->domains,
	    .rate = options->rate,
	    .seed = options->seed,
	    .seconds_ns = options->seconds_ns,
	    .pause = options->pause,
	    .dir = dir,
	    .started = print_started,
	};
	const struct demo_result result = demo_run(&demo);
	bool denied = result.status == RTEV_E_NOENT || result.status == RTEV_E_ACCESS;
	const char *remedy =
	    denied ? "OCAML_RUNTIME_EVENTS_DIR must name a directory that can be written to"
	    : result.status == RTEV_E_SPACE
		? "set OCAML_RUNTIME_EVENTS_DIR to a directory with room, or raise `ulimit -f`"
		: NULL;

	if (result.status == RTEV_E_NOMEM)
		say(NULL, "demo: %s", rtev_strerror(result.status));
	else if (result.status != RTEV_OK)
		say(remedy, "demo: %s: %s", shown, rtev_strerror(result.status));
	return result.status == RTEV_OK && result.wanted ? EXIT_DONE : EXIT_FAILED;
}

static int run(const struct options *options)
{
	const char *given = getenv(RTEV_ENV_DIR);
	struct private_dir own = {.fd = -1, .above = -1};
	bool keep = getenv(RTEV_ENV_PRESERVE) != NULL;
	int result = EXIT_DONE;
	sigset_t signals;

	demo_block_signals(&signals);
	pid_t of = end_with_parent();
	int error = given == NULL ? private_dir_make(&own, observe_temporary(), keep) : 0;
	if (error != 0)
		return say("set TMPDIR or OCAML_RUNTIME_EVENTS_DIR to a directory that can be written to",
		    "demo: %s: %s", own.path, strerror(error));
	/* A parent that ended before the prctl sends no signal. */
	if (!is_orphan(of))
		result = record_in(options, own.path, given != NULL ? given : own.path);
	private_dir_remove(&own, keep);
	if (is_orphan(of))
		remove_left(given);
	return result;
}

const struct command command_demo = {
    .name = "demo",
    .synopsis = "[--domains N] [--rate N] [--seconds S] [--seed N] [--pause]",
    .purpose = "a program that records events like a busy service, without OCaml",
    .about = "It prints its PID and the path of its ring, and records until SIGTERM, SIGINT or SIGHUP.  "
	     "`rtevtop --demo` starts one and shows it.",
    .example = "rtevtop demo --domains 8 --seconds 60",
    .effect = "records eight domains for a minute; `rtevtop PID` shows them meanwhile",
    .options = OPT(domains) | OPT(rate) | OPT(seconds) | OPT(seed) | OPT(pause),
    .own_signals = true,
    .run = run,
};
