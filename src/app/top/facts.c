/* facts.c - gather what the live view shows of a target besides its events. */
#include "app/top/facts.h"

#include <time.h>
#include <unistd.h>

#include "core/array.h"
#include "core/clock.h"

#define NOTICE_NS 4000000000u

void facts_init(struct facts *f)
{
	memset(f, 0, sizeof(*f));
	f->subject.exit_status = -1;
}

void facts_reset(struct facts *f)
{
	struct subject_process *processes = f->processes;
	size_t room = f->process_room, count = f->subject.process_count;

	free(f->unread);
	facts_init(f);
	/* The processes stay: the overview covers all targets. */
	f->processes = processes;
	f->process_room = room;
	f->subject.processes = processes;
	f->subject.process_count = count;
}

void facts_fini(struct facts *f)
{
	facts_reset(f);
	free(f->processes);
	f->processes = NULL;
}

void facts_notice(struct facts *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(f->notice, sizeof(f->notice), format, args);
	va_end(args);
	f->notice_until = monotonic_now() + NOTICE_NS;
}

bool facts_has_notice(const struct facts *f, uint64_t now)
{
	return now < f->notice_until;
}

void facts_take_output(struct facts *f, struct child *child)
{
	char part[4096];
	size_t got;

	for (size_t taken = 0; taken < FACTS_OUTPUT; taken += got) {
		got = child_take_output(child, part, sizeof(part));
		if (got == 0)
			break;
		if (f->output_len + got > sizeof(f->output)) {
			size_t gone = f->output_len + got - sizeof(f->output);
			memmove(f->output, f->output + gone, f->output_len - gone);
			f->output_len -= gone;
		}
		memcpy(f->output + f->output_len, part, got);
		f->output_len += got;
	}
}

/* Set the wall clock, and its offset from the clock of the events. */
static void gather_clock(struct facts *f)
{
	struct timespec real;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &real);
	uint64_t now = monotonic_now();
	f->subject.zone_s = 0;
	f->clock[0] = '\0';
	if (localtime_r(&real.tv_sec, &tm) != NULL) {
		f->subject.zone_s = (int32_t)tm.tm_gmtoff;
		strftime(f->clock, sizeof(f->clock), "%H:%M:%S", &tm);
	}
	f->subject.now = now;
	f->subject.clock = f->clock;
	f->subject.wall_offset = (int64_t)real.tv_sec * 1000000000 + real.tv_nsec - (int64_t)now;
	f->subject.notice = facts_has_notice(f, now) ? f->notice : NULL;
}

/* Set how much of each ring is unread. */
static void gather_unread(struct facts *f, struct session *s)
{
	f->subject.unread_count = 0;
	if (s->cursor == NULL)
		return;
	if (s->info.domains > 0 &&
	    !array_reach(&f->unread, &f->unread_count, s->info.domains - 1, sizeof(f->unread[0])))
		return;
	session_unread(s, f->unread, s->info.domains);
	f->subject.ring_words = s->ring_words;
	f->subject.unread = f->unread;
	f->subject.unread_count = s->info.domains;
}

/* Set whether the target records. */
static void gather_tracing(struct facts *f, const struct observation *o)
{
	f->subject.tracing = o->tracing == TRACING_RUNNING  ? SUBJECT_TRACING_ON
			     : o->tracing == TRACING_PAUSED ? SUBJECT_TRACING_PAUSED
							    : SUBJECT_TRACING_UNKNOWN;
	f->subject.off = o->off;
	f->subject.off_why = observation_untold(o, &f->subject.off_cure);
	f->subject.tracing_why = observation_tracing_why(o);
}

/* Set the processor time that the target has used since its last event, and whether it is stopped. */
static void gather_activity(struct facts *f, const struct session *s, struct watch *watch)
{
	struct alive_activity now;
	const struct model_totals t = model_totals(watch_model(watch));

	f->subject.has_cpu = f->subject.stopped = false;
	if (s->alive == NULL || s->state != SESSION_LIVE || !alive_activity(s->alive, &now))
		return;
	if (t.events != f->events || !f->has_cpu) {
		f->events = t.events;
		f->cpu_ns = now.cpu_ns;
		f->has_cpu = true;
	}
	f->subject.has_cpu = true;
	f->subject.stopped = now.stopped;
	f->subject.quiet_cpu_ns = now.cpu_ns - f->cpu_ns;
}

/* Return the state as the views name it. */
static enum subject_state subject_state(const struct session *s)
{
	switch (s->state) {
	case SESSION_TRUNCATED:
		return SUBJECT_TRUNCATED;
	case SESSION_ENDED:
		return s->pid == 0 ? SUBJECT_REPLAY : SUBJECT_EXITED;
	case SESSION_LIVE:
		break;
	}
	return s->cursor == NULL && !s->off ? SUBJECT_WAITING : SUBJECT_LIVE;
}

/* Set the state of the code's samples, and say once why it can't be sampled. */
static void gather_code(struct facts *f, const struct observation *o)
{
	const struct code_refusal *refusal = &o->code.refusal;
	struct code_watch_state state;

	f->subject.code = NULL;
	if (refusal->error != 0 && !f->code_refused)
		facts_notice(f, "could not sample the code: %s. %s", refusal->why,
		    refusal->error == EAGAIN ? "C tries again" : refusal->remedy);
	f->code_refused = refusal->error != 0;
	f->subject.code_refused = f->code_refused && refusal->error != EAGAIN ? refusal->why : NULL;
	if (o->code.watch == NULL)
		return;
	code_watch_state(o->code.watch, &state);
	if (state.on && f->code_asked)
		facts_notice(f, "%s: view c shows it",
		    refusal->why[0] != '\0' ? "only threads that wait are seen"
					    : "the program's code is sampled");
	f->code_asked = f->code_asked && !state.on;
	const struct profile *profile = observation_profile(o);
	if (!state.on && profile_generation(profile) == 0)
		return;
	f->code = (struct subject_code){.profile = profile,
	    .on = state.on,
	    .hz = state.hz,
	    .own = state.own,
	    .target = state.target,
	    .lost = state.lost,
	    .late = state.late,
	    .real_time = state.real_time,
	    .slow = state.slow,
	    .left_out = state.left_out};
	observation_locks(o, &f->code.locks);
	f->code.waits_only = refusal->why[0] != '\0' && !refusal->some;
	if (refusal->why[0] != '\0')
		snprintf(f->code.blind, sizeof(f->code.blind), "%s are seen: %s.  %s",
		    refusal->some ? "Not all threads" : "Only threads that wait", refusal->why,
		    refusal->remedy);
	else if (state.names != NULL)
		snprintf(
		    f->code.blind, sizeof(f->code.blind), "Functions may lack their names: %s.", state.names);
	f->subject.code = &f->code;
}

void facts_gather(struct facts *f, struct session *s, const struct observation *o)
{
	struct subject *to = &f->subject;
	struct watch *watch = o != NULL ? o->watch : NULL;

	gather_clock(f);
	to->watch = watch;
	to->advice = o != NULL ? o->advice : NULL;
	to->fibers = o != NULL ? schedulers_first(o->schedulers, &to->scheduler) : NULL;
	to->locks = o != NULL ? o->locks : NULL;
	to->code = NULL;
	if (o != NULL)
		gather_code(f, o);
	if (s == NULL)
		return;
	to->state = subject_state(s);
	to->pid = s->pid;
	to->name = s->name;
	to->ocaml = session_version(s);
	to->ocaml_from = observation_ocaml_from(o, s);
	to->path = s->path;
	to->has_uptime = s->alive != NULL;
	if (s->alive != NULL)
		to->uptime_s = alive_uptime(s->alive);
	to->execs = s->execs;
	if (s->has_child && s->child.ended)
		to->exit_status = child_exit_status(&s->child);
	/* A shell's exit status may be that of another process. */
	if (s->has_child && s->child.ended && s->child.pid == s->pid)
		to->signal = child_signal(&s->child);
	to->output = f->output;
	to->output_len = f->output_len;
	gather_unread(f, s);
	gather_tracing(f, o);
	gather_activity(f, s, watch);
	if (to->state == SUBJECT_REPLAY) {
		const struct model_totals t = model_totals(watch_model(watch));
		to->now = t.last_ts;
		to->wall_offset = 0;
	}
}
