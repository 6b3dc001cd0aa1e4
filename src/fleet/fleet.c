/*
 * fleet.c - the list of the members of a fleet (member.h), and the operations on all.
 */
#include <fcntl.h>
#include <unistd.h>

#include "core/array.h"
#include "core/clock.h"
#include "fleet/member.h"
#include "launch/limits.h"
#include "session/guard.h"

#define MEMBERS_MAX 4096   /* further processes are only counted, as left out */
#define FRESH_NS 10000000u /* a step does not read again a member that was read so recently */

struct fleet {
	struct fleet_options options;
	struct roster *roster; /* NULL: only named targets */
	int proc;	       /* descriptor of /proc */
	struct member **members;
	size_t count, room;
	unsigned left_out;
};

const char *fleet_state_name(enum fleet_state state)
{
	static const char *const names[] = {FLEET_STATES(LIST_TEXT)};

	return names[state];
}

int fleet_create(struct fleet **out, const struct fleet_options *options)
{
	struct fleet *f = calloc(1, sizeof(*f));
	const struct processes_options processes = {.dir = options->session.dir, .guard = guard_cursor};

	*out = NULL;
	if (f == NULL)
		return ENOMEM;
	descriptors_raise();
	f->options = *options;
	f->proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
	if (!array_room(&f->members, &f->room, f->count + 1, sizeof(struct member *)))
		return false;
	memmove(&f->members[at + 1], &f->members[at], (f->count - at) * sizeof(struct member *));
	f->members[at] = m;
	f->count++;
	return true;
}

static void drop(struct fleet *f, size_t at)
{
	member_destroy(f->members[at]);
	f->count--;
	memmove(&f->members[at], &f->members[at + 1], (f->count - at) * sizeof(struct member *));
}

int fleet_add(struct fleet *f, const struct session_options *options)
{
	struct member *m = member_create(&f->options, f->proc, NULL);

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
		struct member *m = f->count < MEMBERS_MAX ? member_create(&f->options, f->proc, entry) : NULL;
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

size_t fleet_turn(struct fleet *f, uint64_t now, bool *more)
{
	size_t left = 0;

	*more = false;
	for (size_t i = 0; i < f->count; i++) {
		struct member *m = f->members[i];
		if (!member_reads(m))
			continue;
		if (member_due(m, now))
			*more |= member_turn(m, now);
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
		uint64_t wait = member_wait(m, now);
		if (wait < least)
			least = wait;
	}
	return least;
}

/* Read all members that were not just read, so that a step's figures cover all of it.  Returns the time at
 * the end. */
static uint64_t read_all(struct fleet *f, uint64_t now)
{
	for (size_t i = 0; i < f->count; i++) {
		struct member *m = f->members[i];
		if (member_reads(m) && now - m->turn_ts >= FRESH_NS)
			member_turn(m, now);
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
		/* The status of a process that nobody named is ignored. */
		status = f->members[i]->entry == NULL ? closed : status;
	}
	return status;
}
