/*
 * metrics.c - rtevtop metrics: write a file for Prometheus' textfile collector, about named OCaml processes
 * or all of them.
 */
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "app/metrics/families.h"
#include "app/fleet_loop.h"
#include "core/files.h"
#include "files/output.h"

#define DELAY_DEFAULT_NS 10000000000u
#define KEPT_NS                                                                                              \
	30000000000u /* how long a process is reported after its end: longer than most scrapers wait between
		      * two scrapes */
#define TARGETS_MAX 4096

/* The file that a scraper reads.  Each version replaces it as a whole (files/output.h), and it is removed at
 * the end.  The name of a version that is being written does not end in .prom, so that a collector ignores
 * it.  An existing file is replaced only if it begins with METRICS_FIRST_LINE.  With "-" the versions go to
 * standard output, one after another. */
struct prom_file {
	const char *path;
	bool standard;	      /* standard output */
	struct output output; /* the version being written */
	bool written;
	struct stat last; /* the last version written */
};

struct metrics {
	struct metrics_options printing;
	struct metrics_label labels[OPTIONS_LABELS_MAX];
	struct prom_file file;
	bool failing; /* the last version could not be written */
	bool missing; /* it was reported that domains or user events are missing */
};

/* ---- the file ---- */

/* Create a version beside the file.  A stream is refused, because it can't be replaced as a whole. */
static enum output_status version_open(struct prom_file *file)
{
	static const struct output_begin ours[] = {
	    {METRICS_FIRST_LINE, sizeof(METRICS_FIRST_LINE) - 1}, {NULL, 0}};
	enum output_status status = output_open(&file->output, file->path, ours);

	if (status != OUTPUT_OK || !file->output.stream)
		return status;
	output_close(&file->output);
	return OUTPUT_NOT_REGULAR;
}

/* Check the path, and prepare to write it.  Returns an exit status; a failure has been reported. */
static int prom_file_open(struct prom_file *file, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	size_t len = strlen(name);

	*file = (struct prom_file){.path = path, .standard = strcmp(path, "-") == 0};
	if (file->standard)
		return EXIT_DONE;
	if (len <= 5 || strcmp(name + len - 5, ".prom") != 0)
		return fail_usage("-o %s: the collector reads only files whose names end in .prom", path);
	enum output_status status = version_open(file);
	if (status == OUTPUT_FAILED)
		return fail_file(path, errno);
	if (status == OUTPUT_OK) {
		output_close(&file->output);
		return EXIT_DONE;
	}
	return say("Give another name, or remove it.",
	    "%s: rtevtop metrics did not write this file, and leaves it alone", path);
}

/* Begin a version, to be written to `out`.  False when that fails, with errno set. */
static bool prom_file_begin(struct prom_file *file, struct out *out)
{
	static unsigned stops; /* no request to stop so far: the first one ends the wait for a reader */

	if (file->standard) {
		fail_output_begin(out, STDOUT_FILENO, &stops);
		return true;
	}
	enum output_status status = version_open(file);
	int error = status == OUTPUT_OK ? 0 : status == OUTPUT_FAILED ? errno : EEXIST;
	/* The collector may run as another user. */
	if (error == 0 && fchmod(file->output.fd, 0644) != 0) {
		error = errno;
		output_close(&file->output);
	}
	fail_output_begin(out, file->output.fd, NULL);
	errno = error;
	return error == 0;
}

/* Complete a version and replace the file; `error` is that of `out`.  Returns 0, or an errno value when the
 * old version is kept. */
static int prom_file_end(struct prom_file *file, int error)
{
	struct output *output = &file->output;

	if (file->standard)
		return error;
	/* Some file systems report a lack of space only here. */
	if (close(output->fd) != 0 && error == 0)
		error = errno;
	output->fd = -1;
	if (error == 0)
		error = output_publish(output);
	if (error == 0)
		file->last = output->made;
	file->written |= error == 0;
	output_close(output);
	return error;
}

/* Remove the file unless it is to be kept. */
static void prom_file_close(struct prom_file *file, bool keep)
{
	struct folder folder;

	if (!file->written || keep || folder_of(&folder, file->path) != 0)
		return;
	same_file_remove(folder.fd, folder.name, &file->last, 0);
	close(folder.fd);
}

/* ---- reports ---- */

/* Parse the labels of the command line.  Returns EXIT_DONE, or EXIT_USAGE after reporting the error. */
static int labels_take(struct metrics *m, const struct options *o)
{
	for (int i = 0; i < o->label_count; i++) {
		const char *equals = strchr(o->labels[i], '=');
		size_t len = equals != NULL ? (size_t)(equals - o->labels[i]) : 0;
		if (equals == NULL || !metrics_label_valid(o->labels[i], len))
			return fail_usage("--label %s: not NAME=VALUE with a name of letters, digits and _ "
					  "other than those of rtevtop",
			    o->labels[i]);
		for (int k = 0; k < i; k++)
			if (m->labels[k].name_len == len && memcmp(m->labels[k].name, o->labels[i], len) == 0)
				return fail_usage("--label %s: this label is there twice", o->labels[i]);
		m->labels[i] = (struct metrics_label){o->labels[i], len, equals + 1};
	}
	m->printing = (struct metrics_options){.by_domain = o->by_domain,
	    .user_events = o->user_events,
	    .labels = m->labels,
	    .label_count = (size_t)o->label_count};
	return EXIT_DONE;
}

/* Report once that something is missing in the file because memory ran out. */
static void missing_tell(struct fleet_loop *r, bool missing)
{
	struct metrics *m = r->ctx;

	for (size_t i = 0; i < fleet_count(r->fleet); i++) {
		const struct fleet_member *member = fleet_member(r->fleet, i);
		const struct metrics_member *counted = member->face;
		missing |= counted != NULL &&
			   (counted->short_of || model_status(member->observation->model) != RTEV_OK);
	}
	if (!missing || m->missing)
		return;
	m->missing = true;
	r->status = say(NULL, "the metrics are incomplete: out of memory");
}

/* Write a version of the file.  A failure is reported once only, because the next version may succeed. */
static bool report(struct fleet_loop *r, bool whole)
{
	static struct out out;
	struct metrics *m = r->ctx;

	for (size_t i = 0; i < fleet_count(r->fleet); i++)
		if (fleet_member(r->fleet, i)->face != NULL)
			metrics_member_update(fleet_member(r->fleet, i)->face);
	int error = prom_file_begin(&m->file, &out) ? 0 : errno;
	if (error == 0) {
		metrics_print(&out, r->fleet, &m->printing);
		missing_tell(r, !whole);
		error = prom_file_end(&m->file, out_flush(&out));
	}
	if (error != 0 && !m->failing)
		r->status =
		    m->file.standard ? fail_output(error, "the metrics") : fail_file(m->file.path, error);
	m->failing = error != 0;
	return !(m->failing && m->file.standard);
}

/* Refuse a file. */
static bool refuses(const struct options *one)
{
	if (one->name.kind != TARGET_FILE)
		return false;
	say("`rtevtop stats FILE` reports on it.",
	    "could not observe %s: metrics are of processes, not of files", one->target);
	return true;
}

static int run(const struct options *options)
{
	static struct metrics m;
	struct fleet_loop r = {.options = options,
	    .observed = {.window = 1,
		.parts = OBSERVE_ADVICE | OBSERVE_FIBERS,
		.face_begin = metrics_member_begin,
		.face_end = metrics_member_end},
	    .failure = "could not begin",
	    .delay_ns = options->delay_ns != 0 ? options->delay_ns : DELAY_DEFAULT_NS,
	    .kept_ns = KEPT_NS,
	    .refuses = refuses,
	    .report = report,
	    .ctx = &m};

	if (options->output == NULL)
		return fail_usage("metrics: give a file to write: -o FILE.prom, or -o - for standard output");
	int status = labels_take(&m, options);
	if (status == EXIT_DONE)
		status = prom_file_open(&m.file, options->output);
	if (status != EXIT_DONE)
		return status;
	status = fleet_loop_open(&r);
	if (status == EXIT_DONE) {
		/* Without a number of iterations the first version is written at once, so that a scraper need
		 * not wait. */
		r.first_ns = options->iterations != 0 ? r.delay_ns : 0;
		fleet_loop_run(&r);
		prom_file_close(&m.file, options->iterations != 0);
	}
	return fleet_loop_close(&r, status);
}

const struct command command_metrics = {
    .name = "metrics",
    .synopsis = "-o FILE.prom|- [-d SEC] [-n N] [--by-domain] [--user-events] [--label K=V]... [TARGET]...",
    .purpose = "a file for Prometheus' textfile collector",
    .about =
	"Without TARGET it covers all OCaml processes, as they come and go.  It replaces the file every ten "
	"seconds (-d), always as a whole, and removes it at the end unless -n is given.  -o - writes to "
	"standard output.  The file holds counters, gauges and histograms of pauses; with --user-events also "
	"the program's own events, at most 100 names a process.",
    .example = "rtevtop metrics -o ocaml.prom -n 2 -d 1 4711",
    .effect = "writes ocaml.prom after one second and after two, and leaves it there",
    .options = OPTS_TARGET | OPT(delay) | OPT(iterations) | OPT(by_domain) | OPT(output) | OPT(user_events) |
	       OPT(label),
    .help = {[OPTION_delay] = "seconds between files (10); 250ms is accepted",
	[OPTION_by_domain] = "a label for each domain",
	[OPTION_iterations] = "stop after N files",
	[OPTION_output] = "file to write, in place of an older one of rtevtop; - is standard output"},
    .word = "TARGET",
    .word_optional = true,
    .words = TARGETS_MAX,
    .target = true,
    .takes_off = true,
    .own_output = true,
    .no_command = true,
    .run = run,
};
