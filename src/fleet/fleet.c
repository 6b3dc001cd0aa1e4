/*
 * fleet.c - the list of members, and the operations on all of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "fleet/fleet_private.h"
#include "session/limits.h"
#include "session/guard.h"

#define MEMBERS_DEFAULT 4096
#define MEMBER_PACE_MIN_NS 1000000u
#define MEMBER_PACE_RUNS_NS 100000000u	 /* at most, unless the session has an alarm set */
#define MEMBER_PACE_ASLEEP_NS 500000000u /* at most, if the session has an alarm set */
#define MEMBER_PACE_SHARE 8		 /* a ring may fill to 1/8 until the next turn */
#define MEMBER_PACE_EARLY 4		 /* a turn may come early by 1/4 of the pace, to save a wake-up */
#define ALARM_NS 4000000u		 /* how long a target has been running when its alarm wakes us */
#define FRESH_NS 10000000u		 /* what is read more lately is not read again for a step */

const char *fleet_state_name(enum fleet_state state)
{
	static const char *const names[] = {
#define X(name, text) [FLEET_##name] = text,
	    FLEET_STATES(X)
#undef X
	};

	return names[state];
}

int fleet_create(struct fleet **out, const struct fleet_options *options)
{
	struct fleet *f = calloc(1, sizeof(*f));
	const struct processes_options processes = {
	    .proc_root = options->proc_root, .dir = options->session.dir, .guard = guard_cursor};
	const char *root = options->proc_root != NULL ? options->proc_root : "/proc";

	*out = NULL;
	if (f == NULL)
		return ENOMEM;
	descriptors_raise();
	f->options = *options;
	if (f->options.max_members == 0)
		f->options.max_members = MEMBERS_DEFAULT;
	f->proc = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error = f->proc < 0 ? errno : 0;
	if (error == 0 && options->machine)
		error = roster_create(&f->roster, &processes);
	if (error != 0) {
		fleet_destroy(f);
		return error;
	}
	*out = f;
	return 0;
}

void fleet_destroy(struct fleet *f)
{
	if (f == NULL)
		return;
	for (size_t i = 0; i < f->count; i++)
		member_destroy(f->members[i]);
	roster_destroy(f->roster);
	if (f->proc >= 0)
		close(f->proc);
	free(f->members);
	free(f);
}

/* Insert a member at an index.  False when memory ran out. */
static bool insert(struct fleet *f, struct member *m, size_t at)
{
	if (f->count == f->room) {
		size_t room = f->room != 0 ? 2 * f->room : 16;
		struct member **more = reallocarray(f->members, room, sizeof(struct member *));
		if (more == NULL)
			return false;
		f->members = more;
		f->room = room;
	}
	memmove(&f->members[at + 1], &f->members[at], (f->count - at) * sizeof(struct member *));
	f->members[at] = m;
	f->count++;
	return true;
}

/* Remove a member and free it. */
static void drop(struct fleet *f, size_t at)
{
	member_destroy(f->members[at]);
	f->count--;
	memmove(&f->members[at], &f->members[at + 1], (f->count - at) * sizeof(struct member *));
}

int fleet_add(struct fleet *f, const struct session_options *options)
{
	struct member *m = member_create(f, NULL);

	if (m == NULL || !insert(f, m, f->count)) {
		member_destroy(m);
		report_message(options->report, NULL, "could not observe one more target: out of memory");
		return EXIT_FAILED;
	}
	int status = member_attach(m, options);
	if (status != EXIT_DONE)
		drop(f, f->count - 1);
	return status;
}

/* Update the member of a process; create it first if there is none. */
static void look_at(struct fleet *f, struct roster_entry *entry, uint64_t now)
{
	size_t at = f->count;

	if (entry->user == NULL) {
		struct member *m = f->count < f->options.max_members ? member_create(f, entry) : NULL;
		while (at > 0 && f->members[at - 1]->shown.pid > entry->process.pid)
			at--;
		if (m == NULL || !insert(f, m, at)) {
			member_destroy(m);
			f->left_out++;
			return;
		}
		entry->user = m;
	}
	member_look(entry->user, now);
}

int fleet_look(struct fleet *f, uint64_t now)
{
	if (f->roster == NULL)
		return 0;
	int error = roster_refresh(f->roster, now);
	f->left_out = 0;
	for (size_t i = 0; i < roster_count(f->roster); i++)
		look_at(f, roster_entry(f->roster, i), now);
	return error;
}

/* Set when a member is due next, by how full its rings were: at most twice the previous time.  `woken`: its
 * alarm has made it due, so it may have written all of it since. */
static void pace_set(struct member *m, uint64_t now, bool woken, bool more)
{
	double elapsed = (double)(now - m->turn_ts), pace = 2 * (double)m->pace_ns;
	double allowed = (double)(m->session->ring_words / MEMBER_PACE_SHARE);
	double filled = (double)m->session->fullest_words;
	uint64_t most = m->session->pace.target == PACE_ASLEEP ? MEMBER_PACE_ASLEEP_NS : MEMBER_PACE_RUNS_NS;

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

/* Return whether the member's alarm has gone off: it was asleep and runs again. */
static bool woken(const struct member *m)
{
	return session_pace(m->session) == 0;
}

/* Read a member.  Returns whether there is more to read at once. */
static bool turn(struct member *m, uint64_t now)
{
	bool alarm = woken(m), more = member_turn(m, now);

	pace_set(m, now, alarm, more);
	return more;
}

size_t fleet_turn(struct fleet *f, uint64_t now, bool *more)
{
	size_t left = 0;

	*more = false;
	for (size_t i = 0; i < f->count; i++) {
		struct member *m = f->members[i];
		if (!member_reads(m))
			continue;
		if (now + m->pace_ns / MEMBER_PACE_EARLY >= m->due_ts || woken(m))
			*more |= turn(m, now);
		left += member_reads(m);
	}
	return left;
}

uint64_t fleet_pace(const struct fleet *f, uint64_t now)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < f->count; i++) {
		const struct member *m = f->members[i];
		if (!member_reads(m))
			continue;
		uint64_t wait = m->due_ts <= now || woken(m) ? 0 : m->due_ts - now;
		if (wait < least)
			least = wait;
	}
	return least;
}

/* Read all members that have not just been read, so that the figures of a step are of all of it.  Returns the
 * time when that was done. */
static uint64_t read_all(struct fleet *f, uint64_t now)
{
	for (size_t i = 0; i < f->count; i++) {
		struct member *m = f->members[i];
		if (member_reads(m) && now - m->turn_ts >= FRESH_NS)
			turn(m, now);
	}
	uint64_t done = monotonic_now();
	return done > now ? done : now;
}

int fleet_step(struct fleet *f, uint64_t now)
{
	bool made = true;

	now = read_all(f, now);
	for (size_t i = 0; i < f->count; i++)
		made = member_step(f->members[i], now) && made;
	return made ? 0 : ENOMEM;
}

size_t fleet_count(const struct fleet *f)
{
	return f->count;
}

const struct fleet_member *fleet_member(const struct fleet *f, size_t i)
{
	return &f->members[i]->shown;
}

void fleet_forget(struct fleet *f, uint64_t ts)
{
	for (size_t i = 0; f->roster != NULL && i < roster_count(f->roster);) {
		struct roster_entry *entry = roster_entry(f->roster, i);
		if (entry->ended_ts == 0 || entry->ended_ts >= ts) {
			i++;
			continue;
		}
		for (size_t k = 0; k < f->count; k++)
			if (f->members[k] == entry->user) {
				drop(f, k);
				break;
			}
		roster_drop(f->roster, i);
	}
}

unsigned fleet_left_out(const struct fleet *f)
{
	return f->left_out;
}

int fleet_close(struct fleet *f, int status)
{
	for (size_t i = 0; i < f->count; i++) {
		int closed = member_close(f->members[i], status);
		/* What nobody named may end as it likes. */
		status = f->members[i]->entry == NULL ? closed : status;
	}
	return status;
}
