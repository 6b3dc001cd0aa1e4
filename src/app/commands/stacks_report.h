/*
 * stacks_report.h - the report of `stacks`: threads grouped by their stacks, and the locks that they wait
 * for.
 */
#pragma once

#include "code/threads.h"
#include "core/id_map.h"
#include "print/json.h"
#include "target/locks.h"

/* A thread, and the next one in its group. */
struct member {
	struct code_thread thread;
	bool in_fiber;
	uint64_t fiber;
	bool rests;	     /* a thread of the runtime, which has locks of its own */
	struct lock_id lock; /* what it waited for before its stack was read; of a condition, rarely which */
	uint32_t group, next;
};

/* Threads that have one stack and wait for one lock, or each for a condition. */
struct group {
	uint32_t first, last, count;
	bool printed;
	bool owns;		  /* a member has what another thread waits for */
	bool stuck;		  /* the members are in a circle of waits */
	struct code_stack *stack; /* cut to the frames that it has */
};

/* A report in the making. */
struct report {
	struct out *out;
	struct json *json; /* NULL: text for people */
	struct runtime *runtime;
	struct code *code;
	struct stacks_fibers *fibers;	 /* NULL: not known */
	struct locks *locks;		 /* NULL: they can't be examined */
	const char *locks_why;		 /* why the waits are not known; NULL: they are */
	struct locks_look before, after; /* looks at locks as the first stack is read, and after the last */
	uint64_t began;			 /* when the first stack was read */
	const char *first, *indent; /* text before the first function of a stack, and before the others */
	unsigned unseen;	    /* threads that run, without a sample */
	struct member *members;	    /* ordered by tid */
	struct group *groups;
	size_t member_count, member_room, group_count, group_room;
	struct id_map by_stack; /* 1 more than the index of a group, by hash; after a collision the search
				 * goes on with the next hash */
	bool lacking;		/* memory ran out */
	pid_t pid;
	const char *name; /* name of the first thread */
};

/* Look at the locks; note why that failed. */
void stacks_look_at_locks(struct report *r, struct locks_look *look);

/* Return the wait of a member that both looks agree on; NULL: not known. */
const struct lock_thread *stacks_wait(const struct report *r, const struct member *member);

/* Return the member with a tid; NULL: none. */
struct member *stacks_member(const struct report *r, int32_t tid);

/* Print a function with its place in the source. */
void stacks_say_line(struct out *out, const struct code_line *line);

/* Print after "waits" what a thread waits for and who owns it. */
void stacks_say_wait(struct report *r, const struct member *member, const struct lock_thread *wait);

/* Print which threads wait for each other for ever, or why that is not known. */
void stacks_say_deadlocks(struct report *r);
void stacks_put_wait(struct report *r, const struct lock_thread *wait);
void stacks_put_deadlocks(struct report *r);

struct options;

/* Read the ring of a process, for its fibers.  NULL if there is none, or it can't be read. */
struct stacks_fibers *stacks_fibers_create(const struct options *options);
void stacks_fibers_destroy(struct stacks_fibers *f);

/* Get the fiber that a thread has executed since `since` without a switch.  False: there is none, or it is
 * not known. */
bool stacks_fibers_of(struct stacks_fibers *f, const struct code_thread *thread,
    const struct code_stack *stack, uint64_t since, uint64_t *id);
