/*
 * code.h - what code a process executes: functions by address, and the stacks of its threads, walked from outside.
 *
 * The frames of OCaml 5 lie on stacks of their own, one for each fiber.  They are walked by the runtime's frame tables,
 * which say how large the frame of each call is, and from stack to stack by the runtime's own records; frames of C
 * between them by .eh_frame.  The process runs on meanwhile, so all that is read is checked, and a walk that meets a
 * contradiction ends with a mark: what it found until then stands, and it is not whole.
 */
#pragma once

#include <sys/types.h>

#include "core/std.h"
#include "core/lists.h"

struct code;
struct runtime;

/*
 * Learn the mappings, symbols and frame tables of a process.  The runtime (target/runtime.h) stays the caller's and
 * must outlive this.  NULL with a reason, a clause in static storage.  `proc_root` NULL: /proc.
 */
struct code *code_create(struct runtime *runtime, const char *proc_root, pid_t pid, const char **why);
void code_destroy(struct code *code);

/* What of its symbols and tables was not read, as there is too much of it; NULL: nothing.  Static storage. */
const char *code_left_out(const struct code *code);

/*
 * Begin a turn (see code_turn), and read again which domains and threads there are; mappings and frame tables, if new
 * ones were met.  It takes some 10 to 50 us.  0, or an errno value (ESRCH: the process has ended).
 */
int code_refresh(struct code *code);

/* Begin a turn of walks: what was read in the one before is forgotten.  Walks of one thread in a turn share what they
 * have read.  False: the process has ended. */
bool code_turn(struct code *code);

/* ---- walking ---- */

/* A thread at an instant: its registers, and a copy of the memory from sp on that was made with them. */
struct code_sample {
	int32_t tid; /* in our pid namespace */
	uint64_t ip, sp;
	bool whole; /* the registers that follow are known, too */
	uint64_t bp, bx, r13, r14;
	const unsigned char *stack; /* NULL: none */
	size_t stack_size;
	bool still; /* the thread has not gone on since: all of its memory is of that instant */
	/* The thread has gone on, while others of its samples have callers: this one's are left out, as the callers of long calls
	 * would be found more often. */
	bool missed;
};

enum code_kind { CODE_OCAML, CODE_C };

/* How a frame was entered, if not by a call from the next one. */
enum code_boundary {
	CODE_CALLED,
	CODE_FIBER,   /* it is the first of a fiber: the next one belongs to the fiber's parent */
	CODE_CALLBACK /* it was called from C: by the runtime for the C function that is next */
};

struct code_frame {
	uint64_t pc;
	uint8_t kind, boundary;
	bool leaf; /* pc is being executed; else it is where a call returns to */
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
	X(CODE_ENDLESS, "it leads on and on without an end")
enum code_end { CODE_ENDS(LIST_NAME) };

/* The text of it.  Static storage. */
const char *code_end_text(enum code_end end);

#define CODE_FRAMES_MAX 2048

struct code_stack {
	enum code_end end; /* CODE_WHOLE: it was walked to its root */
	bool searched;	   /* the innermost frame of OCaml was found by trying words, not by .eh_frame */
	int domain;	   /* slot of the domain whose code this is; -1: none, or not known */
	uint64_t waits_on; /* code_look: the word of the futex on which the thread sleeps; 0: on none */
	uint64_t stack_id; /* the runtime's number of the innermost OCaml stack; 0: not known */
	unsigned count;
	struct code_frame frames[CODE_FRAMES_MAX]; /* innermost first */
};

/* A number that stacks of the same frames have, and whether frames are those of a stack. */
uint64_t code_stack_hash(const struct code_stack *stack);
bool code_stack_has(const struct code_stack *stack, const struct code_frame *frames, unsigned count);

/* Walk the stack of a thread.  Never fails: `end` says how far it came.  Of a thread that has gone on since its sample, only
 * what is in the copy or proves to belong to that is taken, and the walk ends (CODE_MOVED) where nothing proves it. */
void code_walk(struct code *code, const struct code_sample *sample, struct code_stack *out);

/* ---- names ---- */

/* A function in a frame, as people write it: "Foo.bar", "Foo.bar.(fun)", "caml_garbage_collection". */
struct code_line {
	const char *name; /* never NULL; equal names have equal pointers */
	const char *file; /* NULL: not known; equal files have equal pointers */
	unsigned line;	  /* 0: not known */
	bool library;	  /* of OCaml's standard library, or of its threads: not the program's own */
};

/* The functions that are executed in a frame: one, or several that were inlined into each other, innermost first.
 * Never less than one; valid as long as the code. */
struct code_lines {
	unsigned count;
	struct code_line line[];
};
const struct code_lines *code_lines(struct code *code, const struct code_frame *frame);

/* The program's own function at the inner end of a stack, outside of OCaml's standard library and C: what people know a lock by
 * that it waits for.  One that was left by a tail call is not there: then it is the innermost one of OCaml.  NULL: there is none. */
const struct code_line *code_own_line(struct code *code, const struct code_stack *stack);
