/*
 * stats.c - rtevtop stats: totals, percentiles, worst pauses, findings.
 *
 * A live target is observed from now on, a file is read as it is, and a COMMAND is observed from its first
 * event.  A recording goes through the same parts as a live target, so its report is that of the recorded
 * observation.  The recording of a process is judged in steps, as the process was; a ring file is judged
 * once, at its end.  With more than STEPS_MAX steps, steps get longer, so that the size of the file bounds
 * the work, whatever its stamps.
 */
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/commands/stats_report.h"
#include "app/fail.h"
#include "app/observe.h"
#include "core/clock.h"
#include "core/sum.h"
#include "record/trail.h"
#include "session/live.h"
#include "launch/signals.h"

#define INDEX_RECORDS 20000u /* records indexed between two checks for signals */
#define FEED_EVENTS 100000u  /* events delivered between two checks for signals */
#define STEP_NS 50000000u
#define STEPS_MAX 262144u
#define JUDGED_MAX 4096u

struct reading {
	const struct options *options;
	struct trail *trail;
	struct trail_info info;
	struct observation *observation;
	uint64_t step_ns; /* length of a step in the recording of a process */
	int fd;		  /* where the report is printed */
};

/* Index the file.  Returns false if a signal asked us to stop. */
static bool index_all(struct reading *r)
{
	while (trail_index(r->trail, INDEX_RECORDS))
		if (signals_stops_now() != 0)
			return false;
	trail_info(r->trail, &r->info);
	return true;
}

/* Set the time of a recorded process: all its events up to `ts` have been delivered. */
static void advance(struct reading *r, uint64_t ts)
{
	model_drained(r->observation->model);
	observation_advance(r->observation, ts);
}

/* Deliver the events up to `until`.  Returns false if a signal asked us to stop. */
static bool deliver(struct reading *r, uint64_t until)
{
	uint64_t key;

	while (trail_next(r->trail, &key) && key <= until && model_status(r->observation->model) == RTEV_OK) {
		trail_feed(r->trail, &r->observation->trail, until, FEED_EVENTS);
		if (signals_stops_now() != 0)
			return false;
	}
	return true;
}

/* Return the interval that divides the recording into at most `most` parts, but no less than `least`. */
static uint64_t interval(const struct reading *r, uint64_t least, unsigned most)
{
	uint64_t part = (r->info.end - r->info.start) / most;

	return part > least ? part : least;
}

/* Deliver all events, and judge in between.  Returns false if a signal asked us to stop. */
static bool deliver_all(struct reading *r)
{
	uint64_t key, start = r->info.start;

	trail_rewind(r->trail, 0);
	if (!r->observation->live)
		return deliver(r, UINT64_MAX);
	r->step_ns = interval(r, STEP_NS, STEPS_MAX);
	advance(r, start);
	while (trail_next(r->trail, &key) && model_status(r->observation->model) == RTEV_OK) {
		/* Continue at the step of the next event, however far ahead. */
		uint64_t past = key > start ? (key - start) % r->step_ns : 0;
		uint64_t step = sum_saturating(key, r->step_ns - past);
		if (!deliver(r, step))
			return false;
		advance(r, step < r->info.end ? step : r->info.end);
	}
	return true;
}

/* Create the observation. */
static bool begin(struct reading *r)
{
	const struct observation_options options = {.about = &r->info.about,
	    .parts = OBSERVE_ADVICE | OBSERVE_PATHS | OBSERVE_FIBERS,
	    .whole = true,
	    .judge_ns = interval(r, ADVICE_EVERY_NS, JUDGED_MAX)};

	r->observation = observation_create(&options);
	if (r->observation == NULL)
		return false;
	record_trail_users(r->trail, r->observation->model);
	return true;
}

/* Print the report.  Returns an exit status. */
static int print(struct reading *r)
{
	const struct trail_about *about = &r->info.about;
	struct stats_subject subject = {
	    .pid = r->observation->live ? about->pid : 0,
	    .name = recorded_name(about, r->options->file.path),
	    .ocaml = recorded_version(about),
	    .ocaml_from = about->ocaml_from,
	    .wall_offset = recorded_wall_offset(about),
	};

	int status = stats_print(r->observation, &subject, about->attach_ts, r->options, r->fd);
	trail_info(r->trail, &r->info);
	const struct model_totals t = model_totals(r->observation->model);
	/* Invalid chunks are also counted as corrupt words: one message is enough. */
	if (r->info.damaged == 0 &&
	    fail_corrupt(r->options->file.path, t.corrupt_words, t.falls,
		"The report counts what could be read when it was recorded.") != EXIT_DONE)
		status = EXIT_FAILED;
	return recorded_report(r->trail, r->options->file.path, status);
}

/* Read the whole recording, and report.  Returns an exit status. */
static int read_and_print(struct reading *r)
{
	struct observation *o = r->observation;
	int status = EXIT_DONE;

	if (!deliver_all(r))
		status = say("What had been read before is kept.", "stopped before the end of %s",
		    r->options->file.path);
	if (o->live && status == EXIT_DONE)
		model_set_now(o->model, r->info.end);
	observation_finish(o);
	if (model_status(o->model) != RTEV_OK)
		status = say("Record for a shorter time.", "the totals are incomplete: out of memory");
	int printed = print(r);
	return status != EXIT_DONE ? status : printed;
}

/* Report on the recording open in `options->file`.  Returns an exit status. */
static int stats_recording(const struct options *options, int fd)
{
	struct reading r = {.options = options, .fd = fd};
	const char *path = options->file.path;

	if (options->ocaml != NULL)
		return fail_usage("--ocaml: a recording knows its events by their names");
	int status = recorded_open(&r.trail, path, options->file.fd);
	if (status == EXIT_DONE && !index_all(&r)) {
		status = say(NULL, "stopped before the first event of %s", path);
	} else if (status == EXIT_DONE) {
		if (begin(&r)) {
			status = read_and_print(&r);
		} else {
			status = say(NULL, "could not read %s: out of memory", path);
		}
		observation_destroy(r.observation);
	}
	trail_close(r.trail);
	close(options->file.fd);
	return status;
}

/* ---- stats ---- */

int stats_print(struct observation *o, struct stats_subject *subject, uint64_t attach_ts,
    const struct options *options, int fd)
{
	static struct out out;

	/* The signal that ended the observation must not end the printing. */
	unsigned stops = signals_stops();
	const struct model_totals t = model_totals(o->model);

	subject->begin_wall = subject->wall_offset != 0 ? subject->wall_offset + (int64_t)attach_ts : 0;
	subject->duration_ns = o->live ? t.now - attach_ts : t.last_ts - t.first_ts;
	subject->system = o->past;
	subject->advice = o->advice;
	subject->headline = observation_headline(o, t.now);
	subject->stw = o->stw;
	subject->schedulers = o->schedulers;
	subject->runtime = o->counters.sample.ts != 0 ? &o->counters.sample : NULL;
	subject->runtime_why = o->counters.why;
	subject->paths = o->paths;
	subject->eventless = observation_eventless(o);
	subject->full = options->full;
	subject->code = observation_profile(o);
	if (o->code.watch != NULL)
		code_watch_state(o->code.watch, &subject->code_state);
	subject->code_refusal = &o->code.refusal;
	subject->looks = o->locks;
	observation_locks(o, &subject->locks);
	lock_table_code(&subject->locks, subject->code, subject->code_state.hz);
	if (options->code_hz != 0 && subject->code == NULL)
		return say("`rtevtop record --code` records samples of the code",
		    "%s has no samples of its program's code", subject->name);
	if (options->pprof)
		return stats_code_pprof(options->output, subject);
	fail_output_begin(&out, fd, &stops);
	if (options->folded || options->speedscope) {
		int made = options->folded ? stats_code_folded(&out, subject->code)
					   : stats_code_speedscope(&out, subject);
		int printed = fail_output(out_flush(&out), "the call paths");
		return made != EXIT_DONE ? made : printed;
	}
	bool whole = options->json ? stats_print_json(&out, o->model, subject)
				   : stats_print_text(&out, o->model, subject);
	int status = fail_output(out_flush(&out), "the report");
	if (whole)
		return status;
	return say(NULL, "the report is incomplete: out of memory");
}

bool stats_cpu(const struct stats_subject *subject, uint64_t *user, uint64_t *system, uint64_t *time)
{
	const struct system_past *past = subject->system;

	*time = past != NULL ? system_past_time(past) : 0;
	if (*time > 0 && system_past_total(past, SYSTEM_CPU_USER, user) &&
	    system_past_total(past, SYSTEM_CPU_SYSTEM, system))
		return true;
	if (subject->command == NULL)
		return false;
	*user = subject->command->user_ns;
	*system = subject->command->system_ns;
	*time = subject->duration_ns;
	return *time > 0;
}

bool stats_unserved(const struct model *m, const struct stats_subject *subject, uint64_t *most)
{
	const uint64_t gc_ns = model_totals(m).gc_ns;

	if (subject->eventless || subject->system == NULL ||
	    !system_past_total(subject->system, SYSTEM_WAIT, most))
		return false;
	*most = *most < gc_ns ? *most : gc_ns;
	return true;
}

/* The state of one run. */
struct watching {
	const struct options *options;
	struct session session;
	struct observation *observation;
};

/* Return the option that prints the code in a form of its own; NULL: none is given. */
static const char *code_form(const struct options *o)
{
	return o->folded ? "folded" : o->speedscope ? "speedscope" : o->pprof ? "pprof" : NULL;
}

/* Whether the code can't be printed as asked: call paths and profiles need threads that ran. */
static bool code_lacks(const struct watching *w)
{
	const struct code_refusal *refusal = &w->observation->code.refusal;

	return refusal->error != 0 ||
	       (refusal->why[0] != '\0' && !refusal->some && code_form(w->options) != NULL);
}

/* Return whether the observation is to continue. */
static bool going_on(void *ctx)
{
	const struct watching *w = ctx;

	return model_status(w->observation->model) == RTEV_OK && !code_lacks(w);
}

static bool turn(void *ctx, uint64_t now, bool *more)
{
	struct watching *w = ctx;

	*more = observation_turn(w->observation, now, NULL);
	return false;
}

/* Print the report.  Returns an exit status. */
static int print_report(struct watching *w, const struct options *options, int fd)
{
	const struct session *s = &w->session;
	struct stats_subject subject = {
	    .pid = w->observation->live ? s->pid : 0,
	    .name = s->name,
	    .ocaml = session_version(s),
	    .ocaml_from = observation_ocaml_from(w->observation, s),
	    .wall_offset = (int64_t)(clock_ns(CLOCK_REALTIME) - monotonic_now()),
	};

	if (s->has_child && s->child.ended && s->child.pid == s->pid)
		subject.command = &s->child;
	int status = stats_print(w->observation, &subject, s->attach_ts, options, fd);
	const struct model_totals t = model_totals(w->observation->model);
	if (fail_corrupt(s->path, t.corrupt_words, t.falls, "The report counts what could be read.") !=
	    EXIT_DONE)
		status = EXIT_FAILED;
	return status;
}

/* Return whether the target is stopped, by a signal or a tracer. */
static bool is_stopped(const struct session *s)
{
	struct alive_activity activity;

	return s->state == SESSION_LIVE && s->alive != NULL && alive_activity(s->alive, &activity) &&
	       activity.stopped;
}

/* Observe the open session, and report.  Returns an exit status. */
static int watch(struct watching *w, const struct options *options, int fd)
{
	struct session *s = &w->session;
	struct observation *o = w->observation;
	const struct live_calls calls = {
	    .ctx = w, .duration_ns = options->duration_ns, .going_on = going_on, .turn = turn};
	int status = EXIT_DONE;

	if (o->live)
		live_read(s, &calls);
	else if (!live_read_present(s, &calls))
		status = live_stopped(s);
	observation_count(o, monotonic_now());
	observation_finish(o);
	if (model_status(o->model) != RTEV_OK)
		status = say("Observe for a shorter time.", "the totals are incomplete: out of memory");
	/* The program of a COMMAND has only just begun, so the code may be refused later than at the start. */
	fail_code(&o->code.refusal, s->name);
	if (observation_names_left_out(o) != NULL)
		say(NULL, "%s: %s", s->name, observation_names_left_out(o));
	if (code_lacks(w))
		return EXIT_FAILED;
	int printed = print_report(w, options, fd);
	/* Without this message zeros would look like a measurement. */
	if (o->off && s->state == SESSION_LIVE) {
		const char *remedy, *why = observation_untold(o, &remedy);
		say(why != NULL ? remedy : "start it with OCAML_RUNTIME_EVENTS_START=1 to see its pauses",
		    "the target records no events: %s%s",
		    why != NULL ? "no counters either, " : "the figures come from the counters in its memory",
		    why != NULL ? why : "");
	} else if (observation_paused(o) && s->state == SESSION_LIVE)
		say(NULL, "the target has paused its events: nothing is counted until it resumes them");
	else if (is_stopped(s))
		say(NULL, "the target is stopped: nothing is counted until it goes on");
	return status != EXIT_DONE ? status : printed;
}

/* Check the options of the code.  Returns an exit status. */
static int code_check(const struct options *o)
{
	const char *form = o->output != NULL && code_form(o) == NULL ? "output" : code_form(o);

	if (o->code_hz == 0 && form != NULL)
		return fail_usage("--%s: it reports on samples of code: add --code", form);
	if (o->pprof != (o->output != NULL))
		return fail_usage(o->pprof ? "--pprof: give a file to write to: -o FILE"
					   : "-o: only --pprof writes to a file");
#ifndef RTEV_ZLIB
	size_t len = o->output != NULL ? strlen(o->output) : 0;
	if (len > 3 && strcmp(o->output + len - 3, ".gz") == 0)
		return fail_usage("-o %s: this rtevtop was built without zlib", o->output);
#endif
	if (o->code_hz != 0 && o->file.kind == TARGET_FILE_FXT)
		return o->code_hz == CODE_HZ
			   ? EXIT_DONE
			   : fail_usage(
				 "--code=%u: a recording has the samples that it has", (unsigned)o->code_hz);
	if (o->code_hz != 0 && o->name.kind == TARGET_FILE && o->run == NULL)
		return fail_usage(
		    "--code: no code runs in a ring file; give a process, a COMMAND or a recording");
	return EXIT_DONE;
}

/* Start to sample the code if asked to.  Returns an exit status. */
static int code_begin(struct watching *w, const struct options *options)
{
	struct observation *o = w->observation;

	if (options->code_hz == 0 || observation_sample_code(o, (unsigned)options->code_hz, true))
		return EXIT_DONE;
	return fail_code(&o->code.refusal, w->session.name);
}

int stats_report(const struct options *options, int fd)
{
	static struct watching w;

	w.options = options;
	int usage = code_check(options);
	if (usage != EXIT_DONE)
		return usage;
	if (options->file.kind == TARGET_FILE_FXT)
		return stats_recording(options, fd);
	int status = observe(&w.session, options, RTEV_START_OLDEST);
	if (status != EXIT_DONE)
		return status;
	w.observation = observation_create(&(struct observation_options){.session = &w.session,
	    .parts = OBSERVE_ADVICE | OBSERVE_PATHS | OBSERVE_FIBERS | OBSERVE_MEMORY,
	    .whole = true,
	    .newest = true});
	if (w.observation != NULL) {
		status = code_begin(&w, options);
		if (status == EXIT_DONE)
			status = watch(&w, options, fd);
	} else {
		status = say(NULL, "could not observe %s: out of memory", w.session.name);
	}
	status = session_close(&w.session, status);
	observation_destroy(w.observation);
	return status;
}

static int run(const struct options *options)
{
	return stats_report(options, STDOUT_FILENO);
}

const struct command command_stats = {
    .name = "stats",
    .synopsis =
	"[--json | --full] [--code[=HZ] [--folded | --speedscope | --pprof -o FILE]] [--duration SEC] TARGET",
    .purpose = "a report: totals, percentiles, worst pauses, findings",
    .about =
	"A process is observed from now until it ends, a COMMAND from its first event; a ring file or a "
	"recording is read as it is.  SIGINT ends the observation; SIGTERM is passed on to COMMAND.  With "
	"--code the report lists the functions that took the program's processor time; of a recording, if "
	"it has samples.  FILE may end in .gz.",
    .example = "rtevtop stats --duration 10 4711",
    .effect = "observes process 4711 for ten seconds, then prints its pauses, domains, phases and counters",
    .options = OPTS_TARGET | OPT(json) | OPT(full) | OPT(duration) | OPT(code) | OPT(folded) |
	       OPT(speedscope) | OPT(pprof) | OPT(output),
    .one_of = OPT(json) | OPT(full) | OPT(folded) | OPT(speedscope) | OPT(pprof),
    .help = {[OPTION_output] = "file of --pprof; - is standard output"},
    .own_output = true,
    .word = "TARGET",
    .target = true,
    .takes_off = true,
    .run = run,
};
