/*
 * fibers.h - the suspended fibers of a program, whatever its scheduler is, grouped by their stacks.
 *
 * A suspended fiber is held by a continuation, a small block of the heap, so the heap is searched for these: in short
 * slices, and no further than a limit.  The program runs on meanwhile: what it has dropped is counted until its
 * collector has found that out, so the number is an upper bound, and of a busy program a blur.
 */
#pragma once

#include "code/code.h"

/* Fibers with the same stack. */
struct code_fiber_group {
	uint64_t count, hash;
	unsigned frame_count;
	struct code_frame *frames; /* innermost first */
	bool deep;		   /* these are not all */
};

struct code_fibers {
	uint64_t count; /* of all groups */
	uint64_t read_bytes;
	uint64_t deep;			 /* of `count`: they have more than CODE_FRAMES_MAX frames */
	bool searched;			 /* all of the heap was */
	struct code_fiber_group *groups; /* the largest first */
	size_t group_count, group_room;
};

/* Search.  0, or an errno value; ENOTSUP: the program has no symbols by which its heap is found.  To be freed by
 * code_fibers_fini in any case. */
int code_fibers_find(struct code *code, struct code_fibers *out);
void code_fibers_fini(struct code_fibers *fibers);
