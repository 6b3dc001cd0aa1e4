/*
 * fibers.h - the suspended fibers of a program, of any scheduler, grouped by their stacks.
 *
 * A continuation, a small block of the heap, refers to a suspended fiber.  The heap is searched for these
 * blocks in short slices, up to a limit.  The program keeps running, and fibers that it has dropped are
 * counted until its collector finds out.  So the number is an upper bound, and imprecise for a busy program.
 */
#pragma once

#include "code/code.h"

/* Fibers with the same stack. */
struct code_fiber_group {
	uint64_t count, hash;
	unsigned frame_count;
	struct code_frame *frames; /* innermost first */
	bool deep;		   /* there are further frames */
};

struct code_fibers {
	uint64_t count; /* fibers of all groups */
	uint64_t read_bytes;
	uint64_t deep;			 /* how many of `count` have more than CODE_FRAMES_MAX frames */
	bool searched;			 /* the whole heap was searched */
	struct code_fiber_group *groups; /* the largest first */
	size_t group_count, group_room;
};

/* Search the heap.  Returns 0 or an errno value; ENOTSUP: the program lacks the symbols by which its heap is
 * found; EAGAIN: none of its domains is as expected.  Call code_fibers_fini in any case. */
int code_fibers_find(struct code *code, struct code_fibers *out);
void code_fibers_fini(struct code_fibers *fibers);
