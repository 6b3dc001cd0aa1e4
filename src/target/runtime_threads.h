/*
 * runtime_threads.h - which thread of a process runs which domain of its runtime.
 *
 * Two rules have to agree.  The first: the lock of a domain names its owner.  It names none while all the
 * domain's threads block, and the backup thread while that serves a collection.  The second: the stack that
 * the domain last left for OCaml code belongs to a thread, which the control block at the top of the stack
 * names (glibc's, on x86-64).
 */
#pragma once

#include "target/variables.h"
#include "samples/runtime_sample.h"

struct runtime_threads;

/* Returns NULL if memory ran out.  `proc_root` NULL: /proc. */
struct runtime_threads *runtime_threads_create(const char *proc_root, pid_t pid);
void runtime_threads_destroy(struct runtime_threads *threads);

/* Replace the owners of locks in a new sample by the threads that both rules name; by 0 if the rules differ
 * twice in a row or only one has a result.  Only memory that is new is read. */
void runtime_threads_check(
    struct runtime_threads *threads, const struct memory_reader *memory, struct runtime_sample *sample);

/* Set in each thread of a sample of the process which domain it runs, according to the last check. */
void runtime_threads_name(struct runtime_threads *threads, struct system_sample *sample);

/* Return the thread whose stack contains an address, numbered as in its own namespace, and the top of the
 * stack; 0: not known. */
int32_t runtime_threads_of_stack(
    const struct runtime_threads *threads, const struct memory_reader *memory, uint64_t at, uint64_t *top);

/* Find the control block of the thread whose stack contains `from`: the first one above, before `end`, since
 * glibc puts it at the top.  Returns false if there is none; *tcb is then the end of the readable memory, or
 * `end`. */
bool thread_control_block(const struct memory_reader *memory, uint64_t from, uint64_t end, uint64_t *tcb);

/* Call `visit` for the stacks of threads that glibc has allocated: not for the first thread's, nor for one
 * that the program allocated.  Nothing is shown with other libraries, or while no thread sleeps.  Ends when a
 * visit returns false. */
typedef bool thread_stack_visit(void *ctx, uint64_t start, uint64_t end);
void thread_stacks(
    const struct proc *proc, const struct memory_reader *memory, thread_stack_visit *visit, void *ctx);
