/*
 * metrics.c - rtevtop metrics: write a file for Prometheus' textfile collector, of all OCaml processes or of
 * named ones.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "app/metrics/families.h"
#include "app/metrics/prom_file.h"
#include "app/observe.h"
#include "core/clock.h"
#include "session/signals.h"
#include "target/shortage.h"

#define DELAY_DEFAULT_NS 10000000000u
#define LOOK_NS 1000000000u /* time between two scans for processes */
#define KEPT_NS                                                                                              \
	30000000000u /* that a process is told of after its end: longer than most scrapers leave between two scrapes */
#define TARGETS_MAX 4096

struct metrics {
	const struct options *options;
	struct metrics_options printing;
	struct metrics_label labels[OPTIONS_LABELS_MAX];
	struct prom_file file;
	struct fleet *fleet;
	uint64_t delay_ns, next_write, next_look, writes;
	bool failing;	   /* the last version could not be written */
	bool missing;	   /* it was told that domains or user events are missing */
	unsigned left_out; /* processes, as last reported */
	int status;
};

/* Parse the labels of the command line.  Returns EXIT_DONE, or EXIT_USAGE after reporting the error. */
static int labels_take(struct metrics *m)
{
	const struct options *o = m->options;

	for (int i = 0; i < o->label_count; i++) {
		const char *equals = strchr(o->labels[i], '=');
		size_t len = equals != NULL ? (size_t)(equals - o->labels[i]) : 0;
		if (equals == NULL || !metrics_label_valid(o->labels[i], len))
			return fail_usage("--label %s: not NAME=VALUE with a name of letters, digits and _ "
					  "that is none of ours",
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

/* Report once that something is missing in what was written for want of memory. */
static void missing_tell(struct metrics *m, bool missing)
{
	for (size_t i = 0; i < fleet_count(m->fleet); i++) {
		const struct fleet_member *member = fleet_member(m->fleet, i);
		const struct metered *counted = member->face;
		missing |= counted != NULL &&
			   (counted->short_of || model_status(member->observation->model) != RTEV_OK);
	}
	if (!missing || m->missing)
		return;
	m->missing = true;
	fail_message(NULL, "the metrics are incomplete: out of memory");
	m->status = EXIT_FAILED;
}

/* Write a version of the file.  A failure is reported once, as the next version may succeed. */
static void write_version(struct metrics *m, uint64_t now)
{
	static struct out out;

	bool missing = fleet_step(m->fleet, now) != 0;
	for (size_t i = 0; i < fleet_count(m->fleet); i++)
		if (fleet_member(m->fleet, i)->face != NULL)
			metered_update(fleet_member(m->fleet, i)->face);
	int error = prom_file_begin(&m->file, &out) ? 0 : errno;
	if (error == 0) {
		metrics_print(&out, m->fleet, &m->printing);
		missing_tell(m, missing);
		error = prom_file_end(&m->file, out_flush(&out));
	}
	m->writes++;
	if (error != 0 && !m->failing)
		m->status =
		    m->file.standard ? fail_output(error, "the metrics") : fail_file(m->file.path, error);
	m->failing = error != 0;
	fleet_forget(m->fleet, now - KEPT_NS);
}

/* Scan for processes that were started or ended. */
static void look(struct metrics *m, uint64_t now)
{
	m->next_look = now + LOOK_NS;
	int error = fleet_look(m->fleet, now);
	unsigned left_out = fleet_left_out(m->fleet);
	if (left_out > m->left_out) {
		fail_message("Give the pids of those that matter.",
		    "%u more OCaml processes run than can be observed", left_out);
		m->status = EXIT_FAILED;
	}
	m->left_out = left_out;
	if (error == 0)
		return;
	fail_message(shortage_remedy(error, "rtevtop needs /proc."), "could not look at the processes: %s",
	    shortage_why(error));
	m->status = EXIT_FAILED;
}

/* Read and write until the end. */
static void loop(struct metrics *m)
{
	bool named = m->options->target_count != 0;

	while (signals_stops_now() == 0) {
		bool more;
		uint64_t now = monotonic_now();
		if (!named && now >= m->next_look)
			look(m, now);
		size_t left = fleet_turn(m->fleet, now, &more);
		bool over = named && left == 0;
		if (over || now >= m->next_write) {
			write_version(m, now);
			m->next_write += m->delay_ns * ((now - m->next_write) / m->delay_ns + 1);
			if (over || m->writes == m->options->iterations || (m->failing && m->file.standard))
				return;
		}
		uint64_t until = !named && m->next_look < m->next_write ? m->next_look : m->next_write;
		uint64_t pace = fleet_pace(m->fleet, now);
		if (!more)
			signals_wait(NULL, 0, until - now < pace ? until - now : pace);
	}
}

/* Open the named targets.  If there are several, those that exist are written. */
static int targets_open(struct metrics *m)
{
	static struct options one;

	for (int i = 0; i < m->options->target_count; i++) {
		one = *m->options;
		one.target = one.targets[i];
		int status = i > 0 ? observe_target(&one) : EXIT_DONE;
		if (status == EXIT_DONE && one.name.kind == TARGET_FILE) {
			target_file_close(&one.file);
			fail_message("`rtevtop stats FILE` reports on it.",
			    "could not observe %s: metrics are of processes, not of files", one.targets[i]);
			status = EXIT_FAILED;
		}
		if (status == EXIT_DONE) {
			struct session_options asked = observe_options(&one);
			status = fleet_add(m->fleet, &asked);
		}
		m->status = status != EXIT_DONE ? status : m->status;
	}
	return m->options->target_count == 0 || fleet_count(m->fleet) != 0 ? EXIT_DONE : m->status;
}

static int run(const struct options *options)
{
	static struct metrics m;
	struct fleet_options fleet = {
	    .window = 1,
	    .machine = options->target_count == 0,
	    .session = observe_options(options),
	    .parts = OBSERVE_ADVICE,
	    .face_begin = metered_begin,
	    .face_end = metered_end,
	};

	m = (struct metrics){
	    .options = options, .delay_ns = options->delay_ns != 0 ? options->delay_ns : DELAY_DEFAULT_NS};
	if (options->output == NULL)
		return fail_usage("metrics: no file given to write: -o FILE.prom, or - for standard output");
	int status = labels_take(&m);
	if (status == EXIT_DONE)
		status = prom_file_open(&m.file, options->output);
	if (status != EXIT_DONE)
		return status;
	fleet.session.file = NULL;
	fleet.session.report = &fail_silent;
	int error = fleet_create(&m.fleet, &fleet);
	if (error != 0) {
		fail_message(NULL, "could not begin: %s", strerror(error));
		return EXIT_FAILED;
	}
	status = targets_open(&m);
	if (status == EXIT_DONE) {
		/* Without a number of iterations the first version is written at once, so that a scraper
		 * need not wait for it. */
		m.next_write = monotonic_now() + (options->iterations != 0 ? m.delay_ns : 0);
		loop(&m);
		prom_file_close(&m.file, options->iterations != 0);
		status = m.status;
	}
	status = fleet_close(m.fleet, status);
	fleet_destroy(m.fleet);
	return status;
}

const struct command command_metrics = {
    .name = "metrics",
    .synopsis = "-o FILE.prom|- [-d SEC] [-n N] [--by-domain] [--user-events] [--label K=V]... [TARGET]...",
    .purpose = "a file for Prometheus' textfile collector",
    .about =
	"Without TARGET every OCaml process is told of, as they come and go.  The file is replaced every ten "
	"seconds (-d), always as a whole, and removed at the end, unless -n says when that is; -o - writes "
	"to standard output.  It holds "
	"counters, gauges and histograms of pauses; names of the program's own events only with "
	"--user-events, at most 100 a process.",
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
    .own_output = true,
    .no_command = true,
    .run = run,
};
