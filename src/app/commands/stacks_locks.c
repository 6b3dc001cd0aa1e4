/*
 * stacks_locks.c - stacks: the locks that threads wait for, their owners, and threads that wait for each
 * other.
 */
#include "app/commands/stacks_report.h"
#include "core/clock.h"
#include "core/order.h"
#include "advice/lock_rows.h"

void stacks_look_at_locks(struct report *r, struct locks_look *look)
{
	const int error = locks_look(r->locks, monotonic_now(), look);

	if (error != 0)
		r->locks_why = error == ENOSYS ? LOCKS_MUSL : variables_why(error);
}

/* A member begins with its tid, so the array is ordered for bsearch. */
struct member *stacks_member(const struct report *r, int32_t tid)
{
	return r->member_count > 0
		   ? bsearch(&tid, r->members, r->member_count, sizeof(*r->members), order_by_int)
		   : NULL;
}

const struct lock_thread *stacks_wait(const struct report *r, const struct member *member)
{
	return member->rests ? NULL : locks_wait(&r->before, &r->after, member->thread.tid);
}

/* Print the program's own function in which a thread is, after a text.  False: none is known. */
static bool say_function(struct report *r, const struct member *member, const char *before)
{
	const struct code_line *line = code_own_line(r->code, r->groups[member->group].stack);

	if (line == NULL)
		return false;
	out_text(r->out, before);
	stacks_say_line(r->out, line);
	return true;
}

/* Print the lock of a wait: by the function that waits, because a lock has no name of its own, and by its
 * address if that is asked for or all that is known. */
static void say_lock(
    struct report *r, const struct member *member, const struct lock_thread *wait, bool address)
{
	const struct lock_id bare = {.kind = wait->lock.kind, .domain = wait->lock.domain, .fd = -1};
	char words[LOCK_WORDS];

	out_format(r->out, " for %s (", lock_words(&bare, words));
	if (wait->lock.kind == LOCK_CHANNEL)
		out_format(r->out, "fd %d, ", wait->lock.fd);
	const bool known = say_function(r, member, "");
	if (!known || address)
		out_format(r->out, "%s0x%" PRIx64, known ? ", " : "", wait->lock.address);
	out_char(r->out, ')');
}

/* Print what the owner of a wait's lock does. */
static void say_owner(struct report *r, const struct lock_thread *wait)
{
	const struct member *owner = stacks_member(r, wait->owner);
	const struct lock_thread *does = lock_thread_of(r->after.threads, r->after.count, wait->owner);

	if (owner == NULL || does == NULL)
		return;
	out_text(r->out, " (");
	if (does->doing == LOCK_WAITS) {
		out_text(r->out, "waits");
		say_lock(r, owner, does, false);
	} else {
		out_text(r->out, does->doing == LOCK_IN_CALL ? lock_call_words(does->call) : "runs");
		(void)say_function(r, owner, " in ");
	}
	out_text(r->out, wait->cycle != 0 ? ": DEADLOCK)" : ")");
}

void stacks_say_wait(struct report *r, const struct member *member, const struct lock_thread *wait)
{
	say_lock(r, member, wait, false);
	if (wait->owner != 0) {
		out_format(r->out,
		    wait->lock.kind == LOCK_JOIN ? ", which is thread %d" : ", which thread %d holds",
		    wait->owner);
		say_owner(r, wait);
	} else if (wait->dead && wait->since < r->after.ts) {
		out_text(r->out, " whose holder is gone");
	} else if (wait->lock.kind == LOCK_MASTER) {
		out_text(r->out, ", which no thread holds");
	}
}

/* Return the first thread of a circle; NULL: there is no such circle. */
static const struct lock_thread *first_of(const struct locks_look *look, unsigned cycle)
{
	for (size_t i = 0; i < look->count; i++)
		if (look->threads[i].cycle == cycle)
			return &look->threads[i];
	return NULL;
}

/* Return the owner of what a thread of a circle waits for; NULL when that is the first thread again. */
static const struct lock_thread *next_of(
    const struct locks_look *look, const struct lock_thread *at, const struct lock_thread *first)
{
	return &look->threads[at->next] != first ? &look->threads[at->next] : NULL;
}

void stacks_say_deadlocks(struct report *r)
{
	const struct locks_look *look = &r->after;
	const struct lock_thread *first;

	if (r->locks_why != NULL)
		out_format(r->out, "Which locks they wait for is not known: %s\n", r->locks_why);
	for (unsigned cycle = 1; (first = first_of(look, cycle)) != NULL; cycle++) {
		out_text(r->out, "\nDEADLOCK: each waits for the next one, for ever\n");
		for (const struct lock_thread *at = first; at != NULL; at = next_of(look, at, first)) {
			const struct member *member = stacks_member(r, at->tid);

			out_format(r->out, "    thread %d waits", at->tid);
			if (member != NULL)
				say_lock(r, member, at, true);
			out_char(r->out, '\n');
		}
	}
}

void stacks_put_wait(struct report *r, const struct lock_thread *wait)
{
	struct json *j = r->json;

	if (!json_known(j, "waits_for", wait != NULL))
		return;
	json_begin_object(j, "waits_for");
	json_put_text(j, "kind", lock_kind_name(wait->lock.kind));
	json_put_unsigned(j, "address", wait->lock.address);
	json_put_if(j, "owner_tid", wait->owner != 0, (uint64_t)wait->owner);
	json_put_if(j, "fd", wait->lock.kind == LOCK_CHANNEL, (uint64_t)wait->lock.fd);
	json_put_seconds(j, "since_s", r->after.ts - wait->since);
	json_end(j);
}

void stacks_put_deadlocks(struct report *r)
{
	const struct locks_look *look = &r->after;
	const struct lock_thread *first;

	if (!json_known(r->json, "deadlocks", look->count > 0))
		return;
	json_begin_array(r->json, "deadlocks");
	for (unsigned cycle = 1; (first = first_of(look, cycle)) != NULL; cycle++) {
		json_begin_array(r->json, NULL);
		for (const struct lock_thread *at = first; at != NULL; at = next_of(look, at, first))
			json_put_signed(r->json, NULL, at->tid);
		json_end(r->json);
	}
	json_end(r->json);
}
