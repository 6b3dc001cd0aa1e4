/*
 * runtime_threads.h - which thread of a process runs which domain of its runtime.
 *
 * Two rules have to agree.  The lock of a domain names its owner, but nobody while all its threads block, and
 * the backup thread while that one serves a collection for them.  The stack that the domain last left for OCaml
 * code is some thread's, which its control block at the stack's top names: glibc's on x86-64.
 */
#pragma once

#include "target/variables.h"
#include "samples/runtime_sample.h"

struct runtime_threads;

/* NULL if memory ran out.  `proc_root` NULL: /proc. */
struct runtime_threads *runtime_threads_create(const char *proc_root, pid_t pid);
void runtime_threads_destroy(struct runtime_threads *threads);

/* Replace the owners of locks in a new sample by the threads that both rules name; 0 where they differ twice in
 * a row, or only one tells.  Reads memory for what is new alone. */
void runtime_threads_check(
    struct runtime_threads *threads, const struct memory_reader *memory, struct runtime_sample *sample);

/* Say of each thread of a sample of the process which domain it runs, as of the last check. */
void runtime_threads_name(struct runtime_threads *threads, struct system_sample *sample);

/* Find the control block of the thread whose stack has `from`: glibc puts it at the top, the first one above; before
 * `end`.  False: there is none, and *tcb is where the memory ends that can be read, or `end`. */
bool thread_control_block(const struct memory_reader *memory, uint64_t from, uint64_t end, uint64_t *tcb);

/* Show where the stacks of threads are, but for the first one's and those that a program has made room for itself: by the
 * records of glibc.  Nothing is shown of other libraries, or when no thread sleeps.  Ends when a visit returns false. */
typedef bool thread_stack_visit(void *ctx, uint64_t start, uint64_t end);
void thread_stacks(
    const struct proc *proc, const struct memory_reader *memory, thread_stack_visit *visit, void *ctx);
