/*
 * stacks_report.h - what `stacks` tells: threads by their stacks, and the locks that they wait for.
 */
#pragma once

#include "code/threads.h"
#include "core/id_map.h"
#include "print/json.h"
#include "target/locks.h"

/* A thread, and the next one that is told together with it. */
struct member {
	struct code_thread thread;
	bool in_fiber;
	uint64_t fiber;
	bool rests;	  /* it belongs to the runtime, which has its own locks */
	uint64_t address; /* of what it waited for before its stack was read; 0: nothing */
	uint32_t group, next;
};

/* Threads that have one stack and wait for one lock. */
struct group {
	uint32_t first, last, count;
	bool printed;
	bool owns;		  /* one of them has what another thread waits for */
	bool stuck;		  /* they are of a circle */
	struct code_stack *stack; /* as much of it as it has frames */
};

/* A report on its way out. */
struct report {
	struct out *out;
	struct json *json; /* NULL: for people */
	struct runtime *runtime;
	struct code *code;
	struct stacks_fibers *fibers;	 /* NULL: not known */
	struct locks *locks;		 /* NULL: they can't be looked at */
	const char *locks_why;		 /* why it is not known which they wait for; NULL: it is */
	struct locks_look before, after; /* as the first stack is read, and after the last */
	uint64_t began;			 /* when stacks were first read */
	const char *first, *indent; /* what stands before the first function of a stack, and before others */
	unsigned unseen;	    /* threads that run, without a sample */
	struct member *members;	    /* by tid */
	struct group *groups;
	size_t member_count, member_room, group_count, group_room;
	struct id_map by_stack; /* 1 more than the index of a group, by hash; of equal hashes counted on */
	bool lacking;		/* memory ran out */
	pid_t pid;
	const char *name; /* of its first thread */
};

/* Look at the locks; note why that failed. */
void stacks_look_at_locks(struct report *r, struct locks_look *look);

/* What a member waited for at both looks; NULL: nothing that is known. */
const struct lock_thread *stacks_wait(const struct report *r, const struct member *member);

/* The member with a tid; NULL: none. */
struct member *stacks_member(const struct report *r, int32_t tid);

/* Print a function with its place in the source. */
void stacks_say_line(struct out *out, const struct code_line *line);

/* Print what a thread waits for and who has that, after "waits". */
void stacks_say_wait(struct report *r, const struct member *member, const struct lock_thread *wait);

/* Print which threads wait for each other, and why it is not known which do. */
void stacks_say_deadlocks(struct report *r);
void stacks_put_wait(struct report *r, const struct lock_thread *wait);
void stacks_put_deadlocks(struct report *r);
