/*
 * member.c - attach a member when it has a ring, read it when its rings fill or its alarm goes off, and
 * compute the figures of its window from marks.
 */
#include "fleet/member.h"

#include <unistd.h>

#include "core/clock.h"

#define MEMBER_PACE_MIN_NS 1000000u
#define MEMBER_PACE_RUNS_NS 100000000u	 /* longest pace without an alarm */
#define MEMBER_PACE_ASLEEP_NS 500000000u /* longest pace with an alarm set */
#define MEMBER_PACE_SHARE 8		 /* a ring may fill to 1/8 before the next turn */
#define MEMBER_PACE_EARLY 4		 /* a turn may come early by 1/4 of the pace, to save a wake-up */
#define ALARM_NS 4000000u		 /* longest run of a target before its alarm goes off */
#define STAT_NS 100000000u		 /* maximum age of a stat before it is read again */
#define COMMAND_KEPT 512		 /* bytes of a command line */

struct member *member_create(const struct fleet_options *options, int proc, struct roster_entry *entry)
{
	struct member *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->options = options;
	m->proc = proc;
	m->entry = entry;
	m->shown.name = m->shown.user = m->shown.command = "";
	m->shown.pid = entry != NULL ? entry->process.pid : 0;
	return m;
}

/* Destroy the observation and all that belongs to it. */
static void observation_end(struct member *m)
{
	if (m->shown.face != NULL)
		m->options->face_end(&m->shown);
	observation_destroy(m->shown.observation);
	m->shown.observation = NULL;
}

int member_close(struct member *m, int status)
{
	if (m->session == NULL || m->closed)
		return status;
	m->closed = true;
	return session_close(m->session, status);
}

void member_destroy(struct member *m)
{
	if (m == NULL)
		return;
	observation_end(m);
	member_close(m, EXIT_DONE);
	free(m->session);
	for (unsigned i = 0; i < FLEET_WINDOW_MAX; i++)
		window_mark_fini(&m->marks[i]);
	window_figures_fini(&m->shown.figures);
	free(m->command);
	free(m);
}

/* A span has ended. */
static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct member *m = ctx;

	if (span->pause && !span->stale &&
	    !window_lengths_add(
		&m->marks[m->newest].pauses, domain, span->end - span->begin, m->options->by_domain))
		m->short_of = true;
}

/* An event loop has turned. */
static void on_turned(void *ctx, unsigned domain, uint64_t ns)
{
	struct member *m = ctx;

	if (!window_lengths_add(&m->marks[m->newest].turns, domain, ns, m->options->by_domain))
		m->short_of = true;
}

/* Read the stat of an attached process unless it is recent. */
static void stat_read(struct member *m, uint64_t now)
{
	if (m->shown.ended_ts != 0 || (m->stat.pid != 0 && now - m->stat_ts < STAT_NS))
		return;
	if (m->session->pid == 0 || !status_read_pid(m->proc, (pid_t)m->session->pid, &m->stat))
		m->stat = (struct status_stat){0};
	m->stat_ts = now;
	m->shown.parent = (int64_t)m->stat.parent;
	if (m->stat.pid != 0)
		m->shown.start_ticks = m->stat.start_ticks;
}

/* Return the processor time that the process had used when its stat was read, in whole clock ticks. */
static struct window_cpu cpu_of(const struct member *m)
{
	return (struct window_cpu){
	    .known = m->stat.pid != 0,
	    .ts = m->stat_ts,
	    .ns = (uint64_t)((double)m->stat.cpu_ticks * 1e9 / (double)status_ticks_per_second()),
	};
}

/* Observe an opened session.  False when memory ran out. */
static bool observation_begin(struct member *m)
{
	const struct fleet_options *options = m->options;
	const struct model_observer observer = {.ctx = m, .closed = on_closed};
	struct observation *o = observation_create(&(struct observation_options){.session = m->session,
	    .parts = options->parts,
	    .newest = true,
	    .many = true,
	    .model_bytes = options->model_bytes});

	m->shown.observation = o;
	if (o == NULL || !model_observe(o->model, &observer) ||
	    (options->face_begin != NULL && !options->face_begin(&m->shown)))
		return false;
	if (o->schedulers != NULL)
		schedulers_watch(o->schedulers, &(struct fibers_observer){.ctx = m, .turned = on_turned});
	stat_read(m, m->session->attach_ts);
	m->mark_count = 1;
	return window_mark_take(&m->marks[m->newest], o->model, m->session->attach_ts, cpu_of(m));
}

/* Read the command line of a process that runs. */
static void command_read(struct member *m)
{
	struct process_detail detail;

	process_detail_read(&detail, NULL, (pid_t)m->shown.pid);
	if (detail.command[0] == '\0')
		return;
	free(m->command);
	m->command = strndup(detail.command, COMMAND_KEPT);
	m->shown.command = m->command != NULL ? m->command : "";
}

/* Copy the session's state to the public members. */
static void session_show(struct member *m)
{
	const struct session *s = m->session;

	if (s->pid != 0 && s->pid == m->shown.pid && (m->command == NULL || m->execs != s->execs)) {
		m->execs = s->execs;
		command_read(m);
	}
	m->shown.attach_ts = s->attach_ts;
	m->shown.pid = s->pid;
	m->shown.name = s->name;
	m->shown.ocaml = session_version(s);
	m->shown.ocaml_from = m->shown.ocaml != NULL ? observation_ocaml_from(m->shown.observation, s) : NULL;
}

/* Look up the owner of a target that was named. */
static void user_read(struct member *m)
{
	struct status_ids ids;
	struct proc proc;

	if (m->entry != NULL || m->session->pid == 0 || proc_open(&proc, NULL, (pid_t)m->session->pid) != 0)
		return;
	if (status_read_ids(&proc, &ids) == 0 && ids.has_uid) {
		proc_user(ids.uid, m->user);
		m->shown.user = m->user;
	}
	proc_close(&proc);
}

int member_attach(struct member *m, const struct session_options *options)
{
	m->session = calloc(1, sizeof(*m->session));
	int status = m->session != NULL ? session_open(m->session, options) : EXIT_FAILED;
	if (m->session == NULL)
		report_message(options->report, NULL, "could not observe one more target: out of memory");
	if (status == EXIT_DONE && !observation_begin(m)) {
		report_message(
		    options->report, NULL, "could not observe %s: out of memory", m->session->name);
		observation_end(m);
		member_close(m, EXIT_FAILED);
		m->closed = false;
		status = EXIT_FAILED;
	}
	if (status != EXIT_DONE) {
		free(m->session);
		m->session = NULL;
		return status;
	}
	m->pace_ns = 0;
	m->turn_ts = m->due_ts = m->session->attach_ts;
	session_show(m);
	user_read(m);
	return EXIT_DONE;
}

/* Return the state of a process that is not attached. */
static enum fleet_state entry_state(const struct process_entry *p)
{
	switch (p->state) {
	case PROCESS_NO_EVENTS:
		return FLEET_NO_EVENTS;
	case PROCESS_NOT_STARTED:
		return FLEET_NOT_STARTED;
	case PROCESS_INACCESSIBLE:
		return FLEET_INACCESSIBLE;
	default:
		return FLEET_UNREADABLE;
	}
}

/* Copy the entry's state to the public members, for a member that is not attached. */
static void entry_show(struct member *m)
{
	const struct process_entry *p = &m->entry->process;

	m->shown.name = p->name;
	if (m->command == NULL)
		command_read(m);
	m->shown.ocaml = p->version.text[0] != '\0' ? p->version.text : NULL;
	m->shown.ocaml_from = m->shown.ocaml != NULL ? version_origin_name(p->version.origin) : NULL;
	m->shown.state = entry_state(p);
	m->shown.remedy = process_remedy(p->state);
}

void member_look(struct member *m, uint64_t now)
{
	const struct roster_entry *e = m->entry;
	struct target_name name = {.kind = TARGET_PID, .pid = e->process.pid};

	m->stat = e->stat;
	m->stat_ts = now;
	m->shown.user = e->process.user;
	m->shown.parent = (int64_t)e->stat.parent;
	if (e->ended_ts != 0 && m->shown.ended_ts == 0)
		m->shown.ended_ts = e->ended_ts;
	if (m->session != NULL)
		return;
	entry_show(m);
	if (e->ended_ts != 0)
		m->shown.state = FLEET_ENDED;
	const bool off = e->process.state == PROCESS_NO_EVENTS && m->options->session.takes_off;
	if (e->ended_ts != 0 || (!e->process.has_ring && !off) || m->examined_ts == e->examined_ts)
		return;
	m->examined_ts = e->examined_ts;
	struct session_options options = m->options->session;
	options.target = &name;
	options.watched = true;
	if (member_attach(m, &options) != EXIT_DONE)
		return;
	m->shown.remedy = off ? m->shown.remedy : NULL;
	m->shown.state = off ? FLEET_NO_EVENTS : FLEET_LIVE;
}

bool member_reads(const struct member *m)
{
	return m->session != NULL && !m->finished;
}

/* No more events will come from the target. */
static void finish(struct member *m)
{
	const struct session *s = m->session;

	m->finished = true;
	observation_finish(m->shown.observation);
	if (s->pid != 0 && m->shown.ended_ts == 0)
		m->shown.ended_ts = s->ended_ts != 0 ? s->ended_ts : monotonic_now();
}

/* Read the rings.  Returns whether there is more to read at once. */
static bool rings_read(struct member *m, uint64_t now)
{
	const struct session *s = m->session;

	session_check(m->session);
	bool last = s->state != SESSION_LIVE || m->shown.ended_ts != 0;
	bool more = observation_turn(m->shown.observation, now, NULL);
	if (last && !more)
		finish(m);
	return more;
}

/* Schedule the next turn by how full the rings were, at most twice the previous time ahead.  `woken`: the
 * alarm made the member due, so it may have written everything since then. */
static void pace_set(struct member *m, uint64_t now, bool woken, bool more)
{
	double elapsed = (double)(now - m->turn_ts), pace = 2 * (double)m->pace_ns;
	double allowed = (double)(m->session->ring_words / MEMBER_PACE_SHARE);
	double filled = (double)m->session->fullest_words;
	uint64_t most = m->session->off || m->session->pace.target == PACE_ASLEEP ? MEMBER_PACE_ASLEEP_NS
										  : MEMBER_PACE_RUNS_NS;

	if (woken && elapsed > ALARM_NS)
		elapsed = ALARM_NS;
	if (filled > 0 && elapsed * allowed / filled < pace)
		pace = elapsed * allowed / filled;
	m->pace_ns = pace < MEMBER_PACE_MIN_NS ? MEMBER_PACE_MIN_NS
		     : pace > (double)most     ? most
					       : (uint64_t)pace;
	m->turn_ts = now;
	m->due_ts = more ? now : now + m->pace_ns;
}

/* Return whether the member's alarm has gone off: it slept, and runs again. */
static bool woken(const struct member *m)
{
	return session_pace(m->session) == 0;
}

bool member_due(const struct member *m, uint64_t now)
{
	return now + m->pace_ns / MEMBER_PACE_EARLY >= m->due_ts || woken(m);
}

uint64_t member_wait(const struct member *m, uint64_t now)
{
	return m->due_ts <= now || woken(m) ? 0 : m->due_ts - now;
}

bool member_turn(struct member *m, uint64_t now)
{
	bool alarm = woken(m), more = rings_read(m, now);

	pace_set(m, now, alarm, more);
	return more;
}

/* Return the state of an attached target. */
static enum fleet_state state_of(const struct member *m)
{
	const struct session *s = m->session;

	if (s->state == SESSION_TRUNCATED)
		return FLEET_UNREADABLE;
	if (s->pid == 0)
		return FLEET_FILE;
	if (s->state != SESSION_LIVE || m->shown.ended_ts != 0)
		return FLEET_ENDED;
	if (s->cursor == NULL && !s->off)
		return FLEET_WAITING;
	if (s->off && !(m->stat.pid != 0 && status_stopped(&m->stat)))
		return FLEET_NO_EVENTS;
	return m->stat.pid != 0 && status_stopped(&m->stat) ? FLEET_STOPPED : FLEET_LIVE;
}

/* Return the end of the step: now, or for a file its last stamp. */
static uint64_t step_end(const struct member *m, uint64_t now)
{
	if (m->session->pid != 0)
		return m->shown.ended_ts != 0 && m->shown.ended_ts < now ? m->shown.ended_ts : now;
	const struct model_totals t = model_totals(m->shown.observation->model);
	return t.last_ts;
}

/* Append the GC share of a step to the history. */
static void history_add(struct member *m, float share)
{
	struct fleet_member *shown = &m->shown;

	if (shown->gc_count == FLEET_HISTORY)
		memmove(shown->gc_history, shown->gc_history + 1, (FLEET_HISTORY - 1) * sizeof(float));
	else
		shown->gc_count++;
	shown->gc_history[shown->gc_count - 1] = share;
}

/* Compute the figures of the window; its oldest mark comes first. */
static bool figures_make(struct member *m, uint64_t end)
{
	struct window_mark *marks[FLEET_WINDOW_MAX];

	for (unsigned i = 0; i < m->mark_count; i++)
		marks[i] =
		    &m->marks[(m->newest + FLEET_WINDOW_MAX - (m->mark_count - 1 - i)) % FLEET_WINDOW_MAX];
	const struct observation *o = m->shown.observation;
	const char *name;
	bool made = window_figures_make(&m->shown.figures, marks, m->mark_count, o->model,
	    schedulers_first(o->schedulers, &name), end, cpu_of(m));
	if (made && m->shown.figures.known)
		history_add(m, (float)m->shown.figures.step_gc_share);
	/* Only a process that is ending has no memory. */
	m->shown.figures.resident_bytes =
	    m->stat.resident_pages > 0 ? (double)m->stat.resident_pages * (double)sysconf(_SC_PAGESIZE) : NAN;
	return made;
}

/* Begin the next step with a mark, which replaces the oldest. */
static bool mark_next(struct member *m, uint64_t end)
{
	m->newest = (m->newest + 1) % FLEET_WINDOW_MAX;
	m->mark_count += m->mark_count < m->options->window;
	return window_mark_take(&m->marks[m->newest], m->shown.observation->model, end, cpu_of(m));
}

/* Free what only further steps need: the figures of a target that has ended stay as they are, and how it did until the next
 * step. */
static void give_back(struct member *m)
{
	for (unsigned i = 0; i < FLEET_WINDOW_MAX; i++)
		window_mark_fini(&m->marks[i]);
	observation_give_back(m->shown.observation);
	/* A named target (maybe a COMMAND) is closed at the end, which returns its status. */
	if (m->entry != NULL)
		member_close(m, EXIT_DONE);
}

bool member_step(struct member *m, uint64_t now)
{
	struct observation *o = m->shown.observation;

	m->shown.over = m->told || (m->session == NULL && m->shown.state == FLEET_ENDED);
	if (m->told && m->shown.face == NULL)
		observation_end(m);
	if (m->session == NULL || m->told || m->short_of)
		return !m->short_of;
	stat_read(m, now);
	session_show(m);
	m->shown.state = state_of(m);
	/* The target may have begun to record events after the attach. */
	if (m->shown.state != FLEET_NO_EVENTS)
		m->shown.remedy = NULL;
	if (m->session->pid == 0 && m->finished && m->mark_count == 1) {
		/* The figures of a file cover all of it. */
		const struct model_totals t = model_totals(o->model);
		m->marks[m->newest].ts = t.first_ts;
	}
	uint64_t end = step_end(m, now);
	if (!m->finished)
		observation_step(o, end);
	if (m->shown.state == FLEET_LIVE && observation_paused(o))
		m->shown.state = FLEET_PAUSED;
	m->short_of = !figures_make(m, end) || !mark_next(m, end);
	if (m->short_of)
		m->shown.figures.known = false;
	m->told = m->finished;
	if (m->told)
		give_back(m);
	return !m->short_of;
}
