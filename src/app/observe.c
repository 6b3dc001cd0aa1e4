/* observe.c - find and open what the command line asks to observe, and report faults of a recording. */
#include "app/observe.h"

#include <sys/stat.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "demo/demo.h"
#include "rtev/producer.h"
#include "target/locate.h"
#include "target/shortage.h"

const char *observe_temporary(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp";
}

/* Report that a TARGET is the name of several processes.  Returns EXIT_FAILED. */
static int name_ambiguous(const struct options *o, const char *name, const pid_t *pids, size_t count)
{
	char list[256] = "", remedy[128];
	size_t shown = 0;

	for (; shown < count && strlen(list) + 32 < sizeof(list); shown++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%ld", shown > 0 ? ", " : "",
		    (long)pids[shown]);
	if (shown < count)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), " and %zu more", count - shown);
	snprintf(remedy, sizeof(remedy), "Give one of them: rtevtop %s %ld.",
	    o->command->name != NULL ? o->command->name : "-b", (long)pids[0]);
	return say(remedy, "%s is the name of %zu OCaml processes: %s", name, count, list);
}

int observe_names(struct options *o)
{
	static char texts[TARGET_PIDS_MAX][16], *targets[TARGET_PIDS_MAX];
	static pid_t pids[TARGET_PIDS_MAX];
	struct target_name name;
	int used = 0;

	for (int i = 0; o->command->target && i < o->target_count; i++) {
		size_t count = 0;
		int error = 0;
		if (target_name_parse(&name, o->targets[i]) && name.kind == TARGET_FILE)
			error = target_name_find(o->targets[i], o->dir, o->wait_ns, pids, &count);
		if (error != 0)
			return say(shortage_remedy(error, NULL), "could not look for process %s: %s",
			    o->targets[i], shortage_why(error));
		if (count > 1 && (o->command->name != NULL || o->batch))
			return name_ambiguous(o, o->targets[i], pids, count);
		/* A word that names no process stays: it is a pid or a file, or will be reported. */
		if (count == 0 && used < TARGET_PIDS_MAX)
			targets[used++] = o->targets[i];
		for (size_t k = 0; k < count && used < TARGET_PIDS_MAX; k++, used++) {
			snprintf(texts[used], sizeof(texts[used]), "%ld", (long)pids[k]);
			targets[used] = texts[used];
		}
	}
	if (used > 0) {
		o->targets = targets;
		o->target_count = used;
		o->target = targets[0];
	}
	return EXIT_DONE;
}

int observe_target(struct options *options)
{
	options->file = (struct target_file){.fd = -1};
	if (options->target == NULL || !options->command->target)
		return EXIT_DONE;
	if (!target_name_parse(&options->name, options->target))
		return fail_usage("%s: neither a PID, a NAME nor a file", options->target);
	if (options->name.kind != TARGET_FILE)
		return EXIT_DONE;
	target_file_open(&options->file, options->name.path);
	return target_file_refuse(&options->file, options->wait_ns != 0, &fail_report) ? EXIT_FAILED
										       : EXIT_DONE;
}

struct session_options observe_options(const struct options *options)
{
	return (struct session_options){
	    .target = &options->name,
	    .file = &options->file,
	    .command =
		{
		    .argv = options->run,
		    .output = CHILD_OUTPUT_STDERR,
		    .rings = getenv(RTEV_ENV_DIR),
		    .temporary = observe_temporary(),
		    .keep = getenv(RTEV_ENV_PRESERVE) != NULL,
		    .passes_term = true,
		    .ours_variable = options->demo ? DEMO_OF_VARIABLE : NULL,
		    .report = &fail_report,
		},
	    .start = RTEV_START_OLDEST,
	    .max_events = options->max_events,
	    .wait_ns = options->wait_ns,
	    .takes_off = options->command->takes_off,
	    .dir = options->dir,
	    .ocaml = options->ocaml,
	    .suggest = options->suggest,
	    .report = &fail_report,
	};
}

/* Tell that the file PID.events, which is read as it is, has a writer, which can be observed. */
static void tell_writer(const char *path)
{
	static struct located located;
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	struct stat own, written;
	char remedy[80], *end;
	const long pid = strtol(name, &end, 10);
	const struct locate_options where = {.pid = (pid_t)pid, .skip_program = true};

	if (pid <= 0 || pid > INT_MAX || strcmp(end, ".events") != 0 || locate(&where, &located) != LOCATE_OK)
		return;
	snprintf(remedy, sizeof(remedy), "Give the PID, %ld, to observe it from now on.", pid);
	if (located.mapped == LOCATE_MAPPED && stat(path, &own) == 0 && fstat(located.fd, &written) == 0 &&
	    own.st_dev == written.st_dev && own.st_ino == written.st_ino)
		say(remedy, "%s is read as it is now: process %ld goes on writing to it", path, pid);
	close(located.fd);
}

int observe(struct session *s, const struct options *options, enum rtev_start start)
{
	struct session_options asked = observe_options(options);

	asked.start = start;
	asked.reads_ahead = true;
	const int status = session_open(s, &asked);
	if (status == EXIT_DONE && options->run == NULL && options->name.kind == TARGET_FILE)
		tell_writer(s->path);
	return status;
}

/* ---- recordings ---- */

#define REMEDY_PERFETTO                                                                                      \
	"Open it in Perfetto (https://ui.perfetto.dev); rtevtop reads what `rtevtop record` wrote."

int recorded_open(struct trail **out, const char *path, int fd)
{
	switch (trail_open(out, fd)) {
	case TRAIL_OK:
		return EXIT_DONE;
	case TRAIL_FOREIGN:
		return say(REMEDY_PERFETTO, "could not read %s: rtevtop did not record it", path);
	case TRAIL_NEWER:
		return say("Read it with the rtevtop that recorded it, or open it in Perfetto.",
		    "could not read %s: another version of rtevtop recorded it", path);
	case TRAIL_MEMORY:
		return say(NULL, "could not read %s: out of memory", path);
	default:
		return say(REMEDY_PERFETTO, "could not read %s: it is damaged before the first event", path);
	}
}

int recorded_report(const struct trail *t, const char *path, int status)
{
	struct trail_info info;

	trail_info(t, &info);
	const double held = (double)(info.end - info.start) / 1e9;
	bool unended = info.indexed && !info.ended;
	if (info.fault != NULL)
		say("Everything before it was read.", "%s %s byte %llu: %s; it holds the first %.3f s", path,
		    info.truncated ? "ends early, at" : "is damaged at",
		    (unsigned long long)info.fault_offset, info.fault, held);
	else if (unended)
		say("Its recorder was killed or could not go on, or still writes.",
		    "%s has no end: it holds the first %.3f s", path, held);
	if (info.damaged != 0)
		say("They count as corrupt words.", "%s has %llu invalid pieces", path,
		    (unsigned long long)info.damaged);
	return status == EXIT_DONE && (info.fault != NULL || unended || info.damaged != 0) ? EXIT_FAILED
											   : status;
}

const char *recorded_version(const struct trail_about *about)
{
	return about->ocaml[0] != '\0' ? about->ocaml : NULL;
}

const char *recorded_name(const struct trail_about *about, const char *path)
{
	const char *base = strrchr(path, '/');

	if (about->name[0] != '\0')
		return about->name;
	return base != NULL ? base + 1 : path;
}

int64_t recorded_wall_offset(const struct trail_about *about)
{
	if (about->base_ts == 0 || about->base_ts > INT64_MAX / 2 || about->base_wall <= 0 ||
	    about->base_wall > INT64_MAX / 2)
		return 0;
	return about->base_wall - (int64_t)about->base_ts;
}
