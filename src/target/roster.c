/* roster.c - two sorted lists, of all processes and of the listed ones, which are updated together. */
#include "target/roster.h"

#include "core/array.h"
#include "core/order.h"

#define STARTING_NS 10000000000u /* how long a new process without a ring is examined at each refresh */
#define EXAMINE_NS 5000000000u	 /* between two later examinations */
#define OTHERS_NS 900000000u /* minimum between two examinations of a process that is not an OCaml process */

/* A process of the machine. */
struct known {
	pid_t pid;
	struct status_stat stat;
	uint64_t first_ts, examined_ts;
	bool missed;		    /* the last examination lacked a resource and had no result */
	struct roster_entry *entry; /* NULL: not listed */
};

struct roster {
	struct processes_options options;
	struct process_finder *finder;
	struct known *known, *next; /* sorted by pid; `next` is built by a refresh */
	size_t known_count, known_room, next_count, next_room;
	struct roster_entry **entries; /* sorted by pid */
	size_t count, room;
};

int roster_create(struct roster **out, const struct processes_options *options)
{
	struct roster *r = calloc(1, sizeof(*r));

	*out = NULL;
	if (r == NULL)
		return ENOMEM;
	r->options = *options;
	int error = process_finder_create(&r->finder, options);
	if (error != 0) {
		free(r);
		return error;
	}
	*out = r;
	return 0;
}

void roster_destroy(struct roster *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->count; i++)
		free(r->entries[i]);
	process_finder_destroy(r->finder);
	free(r->entries);
	free(r->known);
	free(r->next);
	free(r);
}

/* Whether two stats are of the same process running the same program. */
static bool same_program(const struct status_stat *before, const struct status_stat *now)
{
	return before->start_ticks == now->start_ticks && before->stack == now->stack &&
	       strcmp(before->name, now->name) == 0;
}

/* Whether the result of the last examination may be outdated. */
static bool wants_examination(const struct known *k, uint64_t now)
{
	if (k->missed)
		return true;
	/* Any program may create a ring, and a new process first runs its parent's program: the time between
	 * looks doubles. */
	if (k->entry == NULL)
		return now - k->examined_ts >= k->examined_ts - k->first_ts + OTHERS_NS;
	if (k->entry->process.has_ring)
		return false;
	return now - k->first_ts < STARTING_NS || now - k->examined_ts >= EXAMINE_NS;
}

/* Insert a process into the list. */
static struct roster_entry *list(struct roster *r, const struct process_entry *process)
{
	struct roster_entry *entry = calloc(1, sizeof(*entry));
	size_t at = r->count;

	if (entry == NULL ||
	    !array_room(&r->entries, &r->room, r->count + 1, sizeof(struct roster_entry *))) {
		free(entry);
		return NULL;
	}
	for (; at > 0 && r->entries[at - 1]->process.pid > process->pid; at--)
		r->entries[at] = r->entries[at - 1];
	r->entries[at] = entry;
	r->count++;
	entry->process = *process;
	return entry;
}

/* Record the end of a process or of its program. */
static void end(struct known *k, uint64_t now)
{
	if (k->entry != NULL && k->entry->ended_ts == 0)
		k->entry->ended_ts = now;
	k->entry = NULL;
}

/* Whether a running process on the list is the owner of a ring that this one maps. */
static bool is_guest(const struct roster *r, const struct process_entry *process)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->entries[i]->ended_ts == 0 && process_is_guest(process, &r->entries[i]->process))
			return true;
	return false;
}

/* Take an entry off the list. */
static void unlist(struct roster *r, size_t i)
{
	free(r->entries[i]);
	r->count--;
	memmove(&r->entries[i], &r->entries[i + 1], (r->count - i) * sizeof(*r->entries));
}

/* Remove entries that this refresh found before the owner of the ring that they map. */
static void drop_guests(struct roster *r, uint64_t now)
{
	for (size_t i = 0; i < r->known_count; i++) {
		struct known *k = &r->known[i];
		size_t at = 0;
		if (k->entry == NULL || k->first_ts != now || !is_guest(r, &k->entry->process))
			continue;
		while (r->entries[at] != k->entry)
			at++;
		k->entry = NULL;
		unlist(r, at);
	}
}

/* Examine a process.  Returns 0 or ENOMEM. */
static int examine(struct roster *r, struct known *k, uint64_t now)
{
	struct process_entry process;

	k->examined_ts = now;
	bool wanted = process_finder_look(r->finder, k->pid, &process);
	/* Without descriptors or memory for the examination, the entry stays as it was. */
	k->missed = !wanted && process.short_of != 0;
	if (!wanted && !k->missed)
		end(k, now);
	if (!wanted)
		return 0;
	if (is_guest(r, &process)) {
		end(k, now);
		return 0;
	}
	if (k->entry == NULL)
		k->entry = list(r, &process);
	k->missed = k->entry == NULL;
	if (k->missed)
		return ENOMEM;
	k->entry->process = process;
	k->entry->examined_ts = now;
	return 0;
}

/* Read the stats of all processes.  Returns 0 or an errno value. */
static int read_all(struct roster *r)
{
	DIR *dir = opendir(r->options.proc_root != NULL ? r->options.proc_root : "/proc");
	struct status_stat stat = {.parent = 0};
	bool sorted = true;
	int none = ENOENT; /* also for a directory without processes: /proc is not mounted there */
	pid_t pid;

	if (dir == NULL)
		return errno;
	r->next_count = 0;
	while ((pid = process_next(dir)) > 0) {
		none = 0;
		if (!r->options.once && !status_read_pid(dirfd(dir), pid, &stat))
			continue;
		if (!array_room(&r->next, &r->next_room, r->next_count + 1, sizeof(*r->next))) {
			closedir(dir);
			return ENOMEM;
		}
		sorted &= r->next_count == 0 || r->next[r->next_count - 1].pid < pid;
		r->next[r->next_count++] = (struct known){.pid = pid, .stat = stat};
	}
	closedir(dir);
	if (!sorted)
		qsort(r->next, r->next_count, sizeof(*r->next), order_by_int);
	return none;
}

/* Update a process; `before` is NULL for a new one.  Returns 0 or ENOMEM. */
static int update(struct roster *r, struct known *k, struct known *before, uint64_t now)
{
	bool same = before != NULL && same_program(&before->stat, &k->stat);
	int error = 0;

	k->first_ts = now;
	if (same) {
		k->first_ts = before->first_ts;
		k->examined_ts = before->examined_ts;
		k->missed = before->missed;
		k->entry = before->entry;
	} else if (before != NULL) {
		end(before, now);
	}
	if (before != NULL)
		before->entry = NULL;
	if (!same || wants_examination(k, now))
		error = examine(r, k, now);
	if (k->entry != NULL)
		k->entry->stat = k->stat;
	return error;
}

int roster_refresh(struct roster *r, uint64_t now)
{
	int error = read_all(r);
	size_t old = 0;

	if (error != 0)
		return error;
	for (size_t i = 0; i < r->next_count; i++) {
		for (; old < r->known_count && r->known[old].pid < r->next[i].pid; old++)
			end(&r->known[old], now);
		bool known = old < r->known_count && r->known[old].pid == r->next[i].pid;
		int failed = update(r, &r->next[i], known ? &r->known[old] : NULL, now);
		error = failed != 0 ? failed : error;
		old += known;
	}
	for (; old < r->known_count; old++)
		end(&r->known[old], now);
	struct known *spare = r->known;
	size_t room = r->known_room;
	r->known = r->next;
	r->known_count = r->next_count;
	r->known_room = r->next_room;
	r->next = spare;
	r->next_room = room;
	drop_guests(r, now);
	return error;
}

size_t roster_count(const struct roster *r)
{
	return r->count;
}

struct roster_entry *roster_entry(const struct roster *r, size_t i)
{
	return r->entries[i];
}

void roster_drop(struct roster *r, size_t i)
{
	if (r->entries[i]->ended_ts != 0)
		unlist(r, i);
}

int roster_short_of(const struct roster *r)
{
	return process_finder_short_of(r->finder);
}
