/*
 * code.h - what code a process executes: functions by address, and the stacks of its threads, walked from
 * outside.
 *
 * The frames of OCaml 5 are on separate stacks, one for each fiber.  The runtime's frame tables contain the
 * frame size of each call, and the runtime's records lead from one stack to the next; frames of C between
 * them are walked by .eh_frame.  The process keeps running, so everything read is checked.  A walk that meets
 * a contradiction ends with a mark: the frames found so far are valid, but incomplete.
 */
#pragma once

#include <sys/types.h>

#include "core/std.h"

struct code;
struct runtime;

/*
 * Learn the mappings, symbols and frame tables of a process.  The caller keeps the runtime
 * (target/runtime.h), which must outlive the code.  `proc_root` NULL: /proc.  Returns NULL with a reason, a
 * clause in static storage.
 */
struct code *code_create(struct runtime *runtime, const char *proc_root, pid_t pid, const char **why);
void code_destroy(struct code *code);

/* Return which symbols and tables were left out because they are too large; NULL: none.  Static storage. */
const char *code_left_out(const struct code *code);

/*
 * Begin a turn (see code_turn), and read the domains and threads again; also mappings and frame tables if new
 * ones were met.  This takes 10 to 50 us.  Returns 0 or an errno value (ESRCH: the process has ended).
 */
int code_refresh(struct code *code);

/* Begin a turn of walks: forget what the last turn read.  Walks of one thread in a turn share what they have
 * read.  Returns false if the process has ended. */
bool code_turn(struct code *code);

/* ---- walking ---- */

/* A thread at an instant: its registers, and a copy of the memory from sp on that was made with them. */
struct code_sample {
	int32_t tid; /* in our pid namespace */
	uint64_t ip, sp;
	bool whole; /* the following registers are known, too */
	uint64_t bp, bx, r13, r14;
	const unsigned char *stack; /* NULL: none */
	size_t stack_size;
	bool still; /* the thread has not run since: all of its memory is of that instant */
	/* The thread has run since, while its other samples have callers.  This one is left without, or
	 * callers of long calls would be overrepresented. */
	bool missed;
};

enum code_kind { CODE_OCAML, CODE_C };

/* How a frame was entered, if not by a call from the next one. */
enum code_boundary {
	CODE_CALLED,
	CODE_FIBER,   /* the first frame of a fiber: the next one belongs to the fiber's parent */
	CODE_CALLBACK /* called from C by the runtime: the next frame is the C function */
};

struct code_frame {
	uint64_t pc;
	uint8_t kind, boundary;
	bool leaf; /* pc is being executed; else pc is a return address */
};

/* How a walk ended. */
#define CODE_ENDS(X)                                                                                         \
	X(CODE_WHOLE, "whole")                                                                               \
	X(CODE_NO_OCAML, "no OCaml code is active in this thread")                                           \
	X(CODE_MOVED, "the stack changed while it was read")                                                 \
	X(CODE_UNREADABLE, "its memory could not be read")                                                   \
	X(CODE_NO_FRAME, "a frame is not in the program's tables")                                           \
	X(CODE_SWITCHING, "it was changing stacks")                                                          \
	X(CODE_DEEP, "it is too deep")                                                                       \
	X(CODE_UNSEEN, "its registers are not known")                                                        \
	X(CODE_ENDLESS, "it leads on and on without an end")                                                 \
	X(CODE_STARVED, "it had no processor while it was to be sampled")                                    \
	X(CODE_UNSAMPLED, "no sample of it was taken")
enum code_end { CODE_ENDS(LIST_NAME) };

/* Return the text of an end.  Static storage. */
const char *code_end_text(enum code_end end);

#define CODE_FRAMES_MAX 2048

struct code_stack {
	enum code_end end; /* CODE_WHOLE: the root was reached */
	bool searched;	   /* the innermost OCaml frame was found by trying words, not by .eh_frame */
	int domain;	   /* slot of the domain that executes the code; -1: none, or not known */
	uint64_t waits_on; /* set by code_look: address of the futex on which the thread sleeps; 0: none */
	uint64_t stack_id; /* number of the innermost OCaml stack in the runtime; 0: not known */
	unsigned count;
	struct code_frame frames[CODE_FRAMES_MAX]; /* innermost first */
};

/* Return a hash of the frames, or whether the frames of a stack are those given. */
uint64_t code_stack_hash(const struct code_stack *stack);
bool code_stack_has(const struct code_stack *stack, const struct code_frame *frames, unsigned count);

/* Walk the stack of a thread.  This never fails: `end` says how far it got.  If the thread has run since its
 * sample, only the copy is used, and memory that provably belongs to it; the walk ends with CODE_MOVED where
 * there is no proof. */
void code_walk(struct code *code, const struct code_sample *sample, struct code_stack *out);

/* ---- names ---- */

/* A function in a frame, in the usual notation: "Foo.bar", "Foo.bar.(fun)", "caml_garbage_collection". */
struct code_line {
	const char *name; /* never NULL; equal names have equal pointers */
	const char *file; /* NULL: not known; equal files have equal pointers */
	unsigned line;	  /* 0: not known */
	bool library;	  /* of OCaml's standard library or its threads, not of the program */
};

/* The functions executed in a frame: one, or several that were inlined into each other, innermost first.
 * There is at least one.  Valid as long as the code. */
struct code_lines {
	unsigned count;
	struct code_line line[];
};
const struct code_lines *code_lines(struct code *code, const struct code_frame *frame);

/* Return the innermost function of a stack that belongs to the program itself, not to OCaml's standard
 * library or to C: it names the place where a thread waits for a lock.  If tail calls have left no such
 * function, return the innermost one of OCaml.  NULL: there is none. */
const struct code_line *code_own_line(struct code *code, const struct code_stack *stack);
