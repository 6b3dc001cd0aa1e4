/*
 * stacks_fibers.h - which fiber of the program's scheduler a thread executes, by the events of its ring.
 */
#pragma once

#include "app/options.h"
#include "code/threads.h"

/* Read the ring of the process.  NULL: it has none, or it can't be read. */
struct stacks_fibers *stacks_fibers_create(const struct options *options);
void stacks_fibers_destroy(struct stacks_fibers *f);

/* The fiber that a thread has executed since `since`, without a switch until now.  False: none, or it is not known. */
bool stacks_fibers_of(struct stacks_fibers *f, const struct code_thread *thread,
    const struct code_stack *stack, uint64_t since, uint64_t *id);
