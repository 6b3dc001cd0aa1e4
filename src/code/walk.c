/*
 * walk.c - walk the stack of a thread; see code.h.
 *
 * The runtime's records are defined in caml/fiber.h and equal in OCaml 5.0 to 5.5.  A stack has a struct
 * stack_info S at its low end, then room for frames, then a struct stack_handler H at its high end.  A link L
 * to OCaml code is on a C stack, where C was entered.
 *
 * This is one file, since frames of C lead to those of OCaml and back, and from one stack to another: every
 * way to begin a walk uses all steps.
 */
#include "code/private.h"

enum {
	STACK_SP = 0,
	STACK_HANDLER = 16,
	STACK_ID = 48,
	STACK_FRAMES = 56, /* offset of the first word for frames */
	HANDLER_PARENT = 24,
	LINK_STACK = 0,
	LINK_SP = 8,
	LINK_PREVIOUS = 16,
	/* Above a link: registers of the caller that caml_start_program has saved. */
	LINK_R14 = 32,
	LINK_BP = 56,
	LINK_BX = 64,
	LINK_RETURN = 72,
	/* The base of a chunk: exception handler, sp of C, registers saved for the collector. */
	BASE_C_SP = 16,
	BASE_SIZE = 32,
	CONTINUATION_TAG = 245,
	SEARCH_WORDS = 2048, /* words that are tried as a frame */
	SEARCH_WALKS = 64,   /* words from which a walk is tried */
	ARGUMENT_WORDS = 64, /* words of arguments on the stack in a call of C */
	C_FRAMES_MAX = 256,
	LINKS_MAX = 64,
	PARENTS_MAX = 64, /* nested fibers, up to the one that was running */
	ROOTS_MAX = 4096,
	STEPS_MAX = 1 << 16,   /* frames, stacks and links in one walk */
	STEPS_STILL = 1 << 13, /* limit while the sampled thread is kept from running */
	ROOT_TABLES = 5
};
#define STACK_SIZE_MAX (UINT64_C(1) << 40)

/* Where the search of the local roots for the next continuation resumes. */
struct roots {
	uint64_t block;
	unsigned left; /* blocks that may still be examined */
};

struct walk {
	struct code *code;
	struct pages *pages;
	struct code_stack *out;
	struct context context;	   /* the domain or thread; state 0: not known */
	struct thread_words words; /* its words at the start of the walk */
	bool told;		   /* the link says that OCaml was left at `left` */
	uint64_t left;
	uint64_t stack, handler;
	bool called_back; /* a callback was found in this stack */
	bool suspended;	  /* the stack belongs to a suspended fiber */
	bool late;	  /* the thread has run since the sample: other memory must be proved */
	bool missed;	  /* and unproved memory is not used at all */
	uint64_t pc, sp;  /* of the OCaml frame: its return address, and the end of the frame below */
	uint64_t link;	  /* the innermost link that the walk has not crossed yet */
	struct roots roots;
	unsigned *steps; /* steps left; a search does not restore them */
};

/* A state to which a search returns. */
struct mark {
	struct walk walk;
	unsigned count;
	uint8_t boundary; /* of the last frame */
};

static struct mark mark_of(const struct walk *w)
{
	unsigned count = w->out->count;

	return (struct mark){*w, count, count > 0 ? w->out->frames[count - 1].boundary : 0};
}

static void back_to(struct walk *w, const struct mark *mark)
{
	*w = mark->walk;
	w->out->count = mark->count;
	if (mark->count > 0)
		w->out->frames[mark->count - 1].boundary = mark->boundary;
}

/* Count a step.  Returns false if there were too many, as in a cycle. */
static bool step(struct walk *w)
{
	return *w->steps > 0 && --*w->steps > 0;
}

static bool word(struct walk *w, uint64_t address, uint64_t *out)
{
	return pages_word(w->pages, address, out);
}

/* Read a return address of OCaml, which must be unchanged at the end of the walk. */
static bool return_word(struct walk *w, uint64_t address)
{
	return pages_frame_word(w->pages, address, &w->pc);
}

static bool add_frame(struct walk *w, uint64_t pc, enum code_kind kind, bool leaf)
{
	struct code_stack *out = w->out;

	if (out->count == CODE_FRAMES_MAX)
		return false;
	out->frames[out->count++] =
	    (struct code_frame){.pc = pc, .kind = (uint8_t)kind, .boundary = CODE_CALLED, .leaf = leaf};
	return true;
}

static void set_boundary(struct walk *w, enum code_boundary boundary)
{
	if (w->out->count > 0)
		w->out->frames[w->out->count - 1].boundary = (uint8_t)boundary;
}

/* Whether an address belongs to a frame of the present stack. */
static bool in_stack(const struct walk *w, uint64_t sp)
{
	return sp % 8 == 0 && sp >= w->stack + STACK_FRAMES && sp < w->handler;
}

/* ---- stacks ---- */

static enum code_end enter_stack(struct walk *w, uint64_t stack)
{
	w->stack = stack;
	w->called_back = false;
	if (stack == 0 || stack % 8 != 0)
		return CODE_MOVED;
	if (!word(w, stack + STACK_HANDLER, &w->handler))
		return CODE_UNREADABLE;
	return w->handler % 8 == 0 && w->handler > stack + STACK_FRAMES && w->handler - stack < STACK_SIZE_MAX
		   ? CODE_WHOLE
		   : CODE_MOVED;
}

/* Whether the return address w->pc, stored at `at`, is of the sample's instant: its call led to the code at
 * `below` (0: not known), or it is the return address of the stack's first call. */
static bool is_of_sample(const struct walk *w, uint64_t at, uint64_t below)
{
	return !w->late || pages_in_copy(w->pages, at, sizeof(at)) || at + 8 + BASE_SIZE == w->handler ||
	       (below != 0 && call_leads(w->code, w->pc, below));
}

/* Continue with the return address stored at `at`, to which the code at `below` returns. */
static enum code_end enter_frames(struct walk *w, uint64_t at, uint64_t below)
{
	if (!in_stack(w, at))
		return CODE_MOVED;
	w->sp = at + 8;
	if (!return_word(w, at))
		return CODE_UNREADABLE;
	return is_of_sample(w, at, below) ? CODE_WHOLE : CODE_MOVED;
}

/* Enter the frames of a stack that was left for C or for another stack; a frame pointer may come first. */
static enum code_end enter_frames_left(struct walk *w, uint64_t at, uint64_t below)
{
	return enter_frames(w, at + w->code->saved_bp, below);
}

/* Enter a stack that is not running, at the point where it was left. */
static enum code_end enter_left(struct walk *w, uint64_t stack)
{
	enum code_end end = enter_stack(w, stack);
	uint64_t sp;

	if (end != CODE_WHOLE)
		return end;
	return word(w, stack + STACK_SP, &sp) ? enter_frames_left(w, sp, 0) : CODE_UNREADABLE;
}

/* Return the stack of a continuation; 0: the value is not a continuation, or was resumed. */
static uint64_t stack_of_continuation(struct walk *w, uint64_t value)
{
	uint64_t header, field;

	if (value == 0 || value % 8 != 0 || !word(w, value - 8, &header) ||
	    (header & 0xff) != CONTINUATION_TAG || !word(w, value, &field))
		return 0;
	return (field & 1) != 0 ? field - 1 : 0;
}

/* During a callback, the parent of the stack is only in a continuation that is a local root of the calling C
 * function.  Return the next parent, innermost first; 0: none. */
static uint64_t hidden_parent(struct walk *w)
{
	while (w->roots.block != 0 && w->roots.left-- > 0 && step(w)) {
		uint64_t block = w->roots.block, tables, items, at, value, stack;

		if (!word(w, block, &w->roots.block) || !word(w, block + 8, &tables) ||
		    !word(w, block + 16, &items))
			return 0;
		/* A continuation is registered in a block of its own. */
		for (uint64_t i = 0; items == 1 && i < tables && i < ROOT_TABLES; i++)
			if (word(w, block + 24 + 8 * i, &at) && word(w, at, &value) &&
			    (stack = stack_of_continuation(w, value)) != 0)
				return stack;
	}
	return 0;
}

/* ---- C ---- */

/* Whether an address is in a function of the runtime, given by its name or the start of it. */
static bool is_function(struct walk *w, uint64_t address, const char *name)
{
	const struct object *o = symbols_object(&w->code->symbols, address);
	const struct symbol *symbol = o != NULL ? object_symbol(o, address) : NULL;

	return symbol != NULL && strncmp(symbol_name(o, symbol), name, strlen(name)) == 0;
}

/* Whether an address is in OCaml code or in the runtime's functions between OCaml and C. */
static bool is_between(struct walk *w, uint64_t address)
{
	return symbols_is_system(&w->code->symbols, address) || symbols_is_ocaml(&w->code->symbols, address);
}

/* Add the frames of C up to the call from OCaml, whose link is w->link.  Returns true if they lead there,
 * with *regs as in the caller; *last: they end with the first frame of the thread. */
static bool c_frames(struct walk *w, struct registers *regs, bool *last)
{
	/* The innermost frame is certain in any case. */
	const unsigned first = w->out->count + regs->leaf;

	*last = false;
	for (unsigned i = 0; i < C_FRAMES_MAX && step(w); i++) {
		if (!regs->leaf && is_between(w, regs->ip - 1))
			return w->link == 0 || w->link - regs->sp <= 8 * ARGUMENT_WORDS;
		/* An address outside of any code shows that the frames have changed. */
		if (!regs->leaf && symbols_object(&w->code->symbols, regs->ip - 1) == NULL) {
			w->out->count = first;
			return false;
		}
		if (!add_frame(w, regs->ip, CODE_C, regs->leaf) ||
		    !unwind(w->code, regs, w->link != 0 ? w->link : UINT64_MAX, last) || *last)
			return false;
		if (w->late && !pages_in_copy(w->pages, regs->sp - 8, 8))
			return false;
	}
	return false;
}

/* Whether the link of a callback is the innermost one that was not crossed yet; or, if the copy of the stack
 * contains a callback that has ended since, is connected to a valid one. */
static bool is_linked(struct walk *w, uint64_t link, uint64_t previous)
{
	uint64_t held = w->words.c_stack;

	if (previous <= link || link == w->link)
		return previous > link;
	for (unsigned i = 0;
	     i < LINKS_MAX && step(w) && w->pages->copy != NULL && held != 0 && held != previous; i++)
		if (!word(w, held + LINK_PREVIOUS, &held))
			return false;
	return held == previous;
}

/* Take the local roots from a domain's state if the stack is that domain's. */
static void learn_roots(struct walk *w, uint64_t state)
{
	struct context context = {.state = state};
	struct thread_words words;

	if (!context_words(w->code, &context, &words) || words.c_stack != w->words.c_stack)
		return;
	w->out->domain = context_learn(w->code, &context);
	w->context = context;
	w->roots.block = words.local_roots;
}

/* Add the frames of C from a callback to the next link. */
static void callback_frames(struct walk *w, uint64_t link)
{
	struct registers regs = {.sp = link + LINK_RETURN + 8};
	bool last;

	regs.known[EH_R14] = word(w, link + LINK_R14, &regs.value[EH_R14]);
	regs.known[EH_BP] = word(w, link + LINK_BP, &regs.value[EH_BP]);
	regs.known[EH_BX] = word(w, link + LINK_BX, &regs.value[EH_BX]);
	/* If the C frames can't be followed to their end, those of OCaml still can. */
	if (word(w, link + LINK_RETURN, &regs.ip) && c_frames(w, &regs, &last) && w->context.state == 0 &&
	    regs.known[EH_R14])
		learn_roots(w, regs.value[EH_R14]);
}

/* Cross the callback at the base of a chunk. */
static enum code_end cross_callback(struct walk *w, uint64_t base)
{
	const unsigned before = w->out->count;
	uint64_t link, previous;

	if (!word(w, base + BASE_C_SP, &link))
		return CODE_UNREADABLE;
	if (w->late && !pages_in_copy(w->pages, base, BASE_SIZE))
		return CODE_MOVED;
	if (w->late && !pages_in_copy(w->pages, link, LINK_RETURN + 8)) {
		/* The C frames in between are unknown; the frames of OCaml continue in the copy. */
	} else if (word(w, link + LINK_PREVIOUS, &previous) && is_linked(w, link, previous)) {
		w->link = previous;
		callback_frames(w, link);
	} else if (!pages_in_copy(w->pages, base, BASE_SIZE)) {
		return CODE_MOVED;
	}
	w->called_back = true;
	/* A frame without a function stands for unknown frames of C. */
	if (w->out->count == before)
		(void)add_frame(w, 0, CODE_C, false);
	return enter_frames_left(w, base + BASE_SIZE, 0);
}

/* ---- OCaml ---- */

/* At the base of a fiber: continue with its parent. */
static enum code_end leave_fiber(struct walk *w, bool *root)
{
	uint64_t parent;

	if (!word(w, w->sp + BASE_SIZE + HANDLER_PARENT, &parent))
		return CODE_UNREADABLE;
	if (parent == 0 && w->called_back && w->context.state != 0)
		parent = hidden_parent(w);
	/* A callback that has ended since has restored the parent; the copy was made without it. */
	if (parent == 0 && w->called_back && w->pages->copy != NULL) {
		if (memory_bytes(
			&w->pages->memory, w->sp + BASE_SIZE + HANDLER_PARENT, &parent, sizeof(parent)) != 0)
			parent = 0;
	}
	/* A fiber that waits to be resumed has no parent. */
	*root = parent == 0 && w->suspended;
	if (parent == 0)
		return *root ? CODE_WHOLE : CODE_MOVED;
	set_boundary(w, CODE_FIBER);
	return enter_left(w, parent);
}

/* Whether the base of a chunk was entered from the first C frames of the thread. */
static bool is_first(struct walk *w)
{
	uint64_t link, previous;

	return word(w, w->sp + BASE_C_SP, &link) && word(w, link + LINK_PREVIOUS, &previous) && previous == 0;
}

/* At the base of a chunk: continue with what is below.  CODE_WHOLE with *root unset: there is more. */
static enum code_end leave_chunk(struct walk *w, bool *root)
{
	const uint64_t end = w->sp + BASE_SIZE;
	const bool fiber = is_function(w, w->pc - 1, "caml_runstack");

	/* An unknown stack ends where a fiber ends, or at the first link of the thread. */
	if (w->stack == 0 && (fiber || is_first(w)))
		w->handler = end;
	if (end > w->handler || (fiber && end != w->handler))
		return CODE_MOVED;
	if (fiber)
		return leave_fiber(w, root);
	/* This is the first stack of a domain or thread. */
	*root = end == w->handler;
	if (*root)
		return CODE_WHOLE;
	set_boundary(w, CODE_CALLBACK);
	return cross_callback(w, w->sp);
}

/* Whether the frame that ends at w->sp contains the frame pointer that the one below, if any, has saved;
 * *saved becomes the frame pointer that this frame has saved. */
static bool is_chained(struct walk *w, uint64_t *saved)
{
	const uint64_t at = w->sp - 8 - w->code->saved_bp;

	if (w->code->saved_bp == 0)
		return true;
	return (*saved == 0 || *saved == at) && word(w, at, saved);
}

/* Walk to the root from a return address and the end of its callee's frame. */
static enum code_end ocaml_frames(struct walk *w)
{
	enum code_end end = CODE_WHOLE;
	uint64_t saved = 0;
	bool root = false;

	while (end == CODE_WHOLE && !root) {
		const struct frame_row *row = frametable_find(&w->code->table, w->pc);
		bool deep = w->out->count == CODE_FRAMES_MAX;

		if (row == NULL) {
			end = CODE_NO_FRAME;
		} else if (!step(w)) {
			end = CODE_ENDLESS;
		} else if (row->size == 0) {
			end = leave_chunk(w, &root);
			saved = 0;
		} else if (deep || !add_frame(w, w->pc, CODE_OCAML, false)) {
			end = CODE_DEEP;
		} else if (row->size > w->handler - w->sp) {
			end = CODE_MOVED;
		} else {
			const uint64_t below = w->pc - 1;

			w->sp += row->size;
			if (!return_word(w, w->sp - 8))
				end = CODE_UNREADABLE;
			else if (!is_of_sample(w, w->sp - 8, below) || !is_chained(w, &saved))
				end = CODE_MOVED;
		}
	}
	return end;
}

/* Try the words from `sp` on as a return address from which the stack can be walked to its root. */
static enum code_end search_frames(struct walk *w, uint64_t sp)
{
	const struct mark mark = mark_of(w);
	unsigned walks = 0;

	w->out->searched = true;
	for (unsigned i = 0; i < SEARCH_WORDS && walks < SEARCH_WALKS && step(w); i++) {
		uint64_t at = sp + 8 * (uint64_t)i, value;

		if (!in_stack(w, at) || !word(w, at, &value))
			break;
		if (frametable_find(&w->code->table, value) == NULL)
			continue;
		walks++;
		if (enter_frames(w, at, 0) == CODE_WHOLE && ocaml_frames(w) == CODE_WHOLE)
			return CODE_WHOLE;
		back_to(w, &mark);
	}
	return CODE_NO_FRAME;
}

/* Walk from a place in OCaml code without a descriptor: .eh_frame contains the size of its frame. */
static enum code_end from_instruction(struct walk *w, struct registers regs)
{
	const uint64_t below = regs.leaf ? regs.ip : regs.ip - 1;
	bool last;

	if (!unwind(w->code, &regs, w->handler, &last) || last || !in_stack(w, regs.sp - 8))
		return CODE_NO_FRAME;
	w->pc = regs.ip;
	w->sp = regs.sp;
	return is_of_sample(w, regs.sp - 8, below) ? ocaml_frames(w) : CODE_MOVED;
}

static struct registers registers_of(const struct code_sample *sample)
{
	return (struct registers){.ip = sample->ip,
	    .sp = sample->sp,
	    .value =
		{[EH_BX] = sample->bx, [EH_BP] = sample->bp, [EH_R13] = sample->r13, [EH_R14] = sample->r14},
	    .known = {sample->whole, sample->whole, sample->whole, sample->whole},
	    .leaf = true};
}

/* Find the stack that was running: the current one, or one of its callers. */
static bool find_stack(struct walk *w, const struct code_sample *sample)
{
	uint64_t stack = w->words.current_stack;

	for (unsigned i = 0; i < PARENTS_MAX && stack != 0; i++) {
		if (enter_stack(w, stack) != CODE_WHOLE || !word(w, w->handler + HANDLER_PARENT, &stack))
			return false;
		if (in_stack(w, sample->sp))
			return true;
	}
	return false;
}

/* Walk a thread that executes OCaml code, or runtime code between OCaml and C, on an OCaml stack. */
static enum code_end walk_ocaml(struct walk *w, const struct code_sample *sample)
{
	const bool system = symbols_is_system(&w->code->symbols, sample->ip);
	const struct registers regs = registers_of(sample);

	(void)add_frame(w, sample->ip, system ? CODE_C : CODE_OCAML, true);
	if (!sample->whole)
		return CODE_UNSEEN;
	w->context = (struct context){.state = sample->r14};
	if (!context_words(w->code, &w->context, &w->words))
		return system ? CODE_SWITCHING : CODE_UNREADABLE;
	if (!find_stack(w, sample)) {
		if (system || sample->stack == NULL)
			return system ? CODE_SWITCHING : CODE_MOVED;
		/* The program has left this stack since; its frames in the copy are all there is. */
		w->stack = 0;
		w->handler = UINT64_MAX;
	}
	w->out->domain = context_learn(w->code, &w->context);
	if (w->missed)
		return CODE_MOVED;
	w->link = w->words.c_stack;
	w->roots.block = w->words.local_roots;
	if (w->stack != 0)
		(void)word(w, w->stack + STACK_ID, &w->out->stack_id);
	struct mark mark = mark_of(w);
	enum code_end end = from_instruction(w, regs);
	if (end != CODE_NO_FRAME)
		return end;
	back_to(w, &mark);
	return search_frames(w, sample->sp);
}

/* ---- from C ---- */

/* Find the call by which OCaml entered C, below its link: the address is in the runtime's functions between,
 * or in OCaml code if the call bypasses the runtime.  0: none. */
static uint64_t call_under_link(struct walk *w, uint64_t sp)
{
	uint64_t value;

	for (unsigned i = 1; i <= ARGUMENT_WORDS && w->link - 8 * (uint64_t)i >= sp; i++) {
		if (!word(w, w->link - 8 * (uint64_t)i, &value))
			return 0;
		if (i == 1 ? is_between(w, value - 1) : symbols_is_system(&w->code->symbols, value - 1))
			return value;
	}
	return 0;
}

/* Whether a word of the C stack begins a valid link: it and the runtime agree on where OCaml was left. */
static bool is_link(struct walk *w, uint64_t at)
{
	uint64_t stack, sp, left;

	return word(w, at + LINK_STACK, &stack) && word(w, at + LINK_SP, &sp) &&
	       enter_stack(w, stack) == CODE_WHOLE && word(w, stack + STACK_SP, &left) && sp == left &&
	       in_stack(w, sp);
}

/* Find the link without a context: the frames of C lead to it, or to the word below it. */
static bool find_link(struct walk *w, uint64_t sp)
{
	for (unsigned i = 0; i <= ARGUMENT_WORDS; i++) {
		w->link = sp + 8 * (uint64_t)i;
		if (is_link(w, w->link)) {
			w->words = (struct thread_words){.current_stack = w->stack, .c_stack = w->link};
			return true;
		}
	}
	return false;
}

/* OCaml code keeps its domain's state in a register, which C preserves.  A thread that gave up its domain has
 * its link elsewhere. */
static bool learn_context(struct walk *w, const struct registers *regs)
{
	struct context context = {.state = regs->value[EH_R14]};

	if (!regs->known[EH_R14] || !context_words(w->code, &context, &w->words) ||
	    w->words.c_stack - regs->sp > 8 * ARGUMENT_WORDS)
		return false;
	w->out->domain = context_learn(w->code, &context);
	w->context = context;
	w->link = w->words.c_stack;
	return true;
}

/* OCaml called C without the runtime.  Its sp is in a register, which is known if all frames of C could be
 * followed; otherwise it is among the words that they saved. */
static enum code_end from_quiet_call(
    struct walk *w, const struct registers *regs, bool exact, uint64_t call, uint64_t sp)
{
	struct registers up = {.ip = call};
	const struct mark mark = mark_of(w);
	enum code_end end = CODE_NO_FRAME;
	unsigned walks = 0;

	if (exact) {
		memcpy(up.value, regs->value, sizeof(up.value));
		memcpy(up.known, regs->known, sizeof(up.known));
	}
	(void)add_frame(w, call, CODE_OCAML, false);
	end = from_instruction(w, up);
	/* From another sp than a known one, the walk would only find leftovers of former calls. */
	if (end == CODE_WHOLE || (up.known[EH_BX] && up.known[EH_BP]) || w->late)
		return end;
	w->out->searched = true;
	up.known[EH_BX] = up.known[EH_BP] = true;
	for (uint64_t at = sp; at < w->link && at - sp < 8 * SEARCH_WORDS && walks < SEARCH_WALKS && step(w);
	     at += 8) {
		uint64_t value;

		back_to(w, &mark);
		if (!word(w, at, &value) || !in_stack(w, value))
			continue;
		walks++;
		up.value[EH_BX] = up.value[EH_BP] = value;
		(void)add_frame(w, call, CODE_OCAML, false);
		if ((end = from_instruction(w, up)) == CODE_WHOLE)
			break;
	}
	return end;
}

/* C is raising an exception and records its path.  OCaml's sp is in a register; equal words on the C stack
 * prove nothing, since C itself goes up the frames. */
static enum code_end from_raise(struct walk *w, const struct registers *regs)
{
	/* Before 5.2 that register was one that C does not preserve. */
	if (!w->code->layout->raise_keeps_sp || !regs->known[EH_R13])
		return CODE_SWITCHING;
	enum code_end end = enter_frames_left(w, regs->value[EH_R13], 0);
	return end == CODE_WHOLE ? ocaml_frames(w) : end;
}

/* OCaml called C, or the collector, through the runtime's functions between.  The registers are those of the
 * call if all frames of C could be followed. */
static enum code_end from_call(struct walk *w, const struct registers *regs, bool exact, uint64_t call)
{
	if (is_function(w, call - 1, "caml_raise") || is_function(w, call - 1, "caml_reraise"))
		return exact ? from_raise(w, regs) : CODE_SWITCHING;
	/* caml_runstack frees the stack of a fiber that has ended; by then its parent's stack is the current
	 * one. */
	if (!is_function(w, call - 1, "caml_runstack")) {
		uint64_t current = w->stack;

		if (!is_link(w, w->link) || w->stack != current)
			return CODE_MOVED;
		w->told = true;
	}
	if (!word(w, w->stack + STACK_SP, &w->left))
		return CODE_UNREADABLE;
	enum code_end end = enter_frames_left(w, w->left, 0);
	return end == CODE_WHOLE ? ocaml_frames(w) : end;
}

/* The thread has run since it was in C: the link to which the frames of C lead is in the copy, and shows
 * where OCaml was left then.  `below` is the place in C that OCaml called. */
static enum code_end from_copy(struct walk *w, const struct registers *regs, uint64_t below)
{
	uint64_t stack, sp;

	if (!symbols_is_system(&w->code->symbols, regs->ip - 1)) {
		/* A call without a link: OCaml's sp is in a register. */
		w->handler = UINT64_MAX;
		return from_quiet_call(w, regs, true, regs->ip, regs->sp);
	}
	for (unsigned i = 0; i <= ARGUMENT_WORDS; i++) {
		const uint64_t link = regs->sp + 8 * (uint64_t)i;

		if (!pages_in_copy(w->pages, link, LINK_SP + 8) || !word(w, link + LINK_STACK, &stack) ||
		    !word(w, link + LINK_SP, &sp))
			return CODE_MOVED;
		if (enter_stack(w, stack) == CODE_WHOLE && in_stack(w, sp)) {
			enum code_end end = enter_frames_left(w, sp, below);
			w->link = link;
			return end == CODE_WHOLE ? ocaml_frames(w) : end;
		}
	}
	return CODE_MOVED;
}

/* Walk a thread that executes C. */
static enum code_end walk_c(struct walk *w, const struct code_sample *sample)
{
	bool known;
	const struct context *context = context_of_stack(w->code, sample->tid, sample->sp, &w->words, &known);
	struct registers regs = registers_of(sample);
	bool exact, last;

	w->link = context != NULL && !w->late ? w->words.c_stack : 0;
	w->out->domain = context != NULL ? context->slot : -1;
	exact = c_frames(w, &regs, &last);
	if (w->late) {
		const struct code_frame *c = w->out->count > 0 ? &w->out->frames[w->out->count - 1] : NULL;

		if (last)
			return CODE_WHOLE;
		if (!exact || c == NULL || w->missed)
			return CODE_MOVED;
		return from_copy(w, &regs, c->leaf ? c->pc : c->pc - 1);
	}
	if (context != NULL) {
		w->context = *context;
	} else if (!exact || (!learn_context(w, &regs) && !find_link(w, regs.sp))) {
		return last ? CODE_WHOLE : known ? CODE_MOVED : CODE_NO_OCAML;
	}
	w->roots.block = w->words.local_roots;
	uint64_t call = exact ? regs.ip : call_under_link(w, sample->sp);
	enum code_end end = enter_stack(w, w->words.current_stack);
	if (end != CODE_WHOLE || call == 0)
		return end != CODE_WHOLE ? end : CODE_NO_FRAME;
	(void)word(w, w->stack + STACK_ID, &w->out->stack_id);
	if (symbols_is_system(&w->code->symbols, call - 1))
		return from_call(w, &regs, exact, call);
	return from_quiet_call(w, &regs, exact, call, sample->sp);
}

/* ---- the whole ---- */

/* Whether memory is unchanged: the frames, and where the context and C's stack say that OCaml was left. */
static bool unchanged(struct walk *w)
{
	struct variables_place places[PAGES_ALSO];
	struct thread_words now = w->words;
	uint64_t stack, sp, left;

	if (!w->told)
		return pages_same(w->pages, NULL, 0);
	size_t count = w->context.state != 0 ? context_places(w->code, &w->context, &now, places) : 0;
	places[count++] = (struct variables_place){w->words.c_stack + LINK_STACK, sizeof(stack), &stack};
	places[count++] = (struct variables_place){w->words.c_stack + LINK_SP, sizeof(sp), &sp};
	places[count++] = (struct variables_place){w->words.current_stack + STACK_SP, sizeof(left), &left};
	return pages_same(w->pages, places, count) && now.current_stack == w->words.current_stack &&
	       now.c_stack == w->words.c_stack && stack == now.current_stack && sp == left && sp == w->left;
}

void code_walk(struct code *code, const struct code_sample *sample, struct code_stack *out)
{
	unsigned steps = sample->still ? STEPS_STILL : STEPS_MAX;
	struct walk w = {.code = code,
	    .pages = &code->pages,
	    .out = out,
	    .late = sample->stack != NULL && !sample->still,
	    .missed = sample->missed,
	    .roots.left = ROOTS_MAX,
	    .steps = &steps};
	struct hint *hint = hint_of(code, sample->tid);

	if (symbols_object(&code->symbols, sample->ip) == NULL)
		code->unknown_code = true;
	out->searched = false;
	out->domain = -1;
	out->stack_id = 0;
	out->count = 0;
	pages_begin(&code->pages, &hint->ahead, sample->tid);
	code->pages.copy = sample->stack;
	code->pages.copy_at = sample->sp;
	code->pages.copy_size = sample->stack_size;
	out->end = is_between(&w, sample->ip) ? walk_ocaml(&w, sample) : walk_c(&w, sample);
	if (out->end != CODE_WHOLE && steps == 0)
		out->end = CODE_ENDLESS;
	/* What was read for a sample is of its instant, or was proved. */
	if (out->end == CODE_WHOLE && sample->stack == NULL && !unchanged(&w))
		out->end = CODE_MOVED;
	pages_end(&code->pages, &hint->ahead, out->end == CODE_WHOLE);
}

void code_walk_suspended(struct code *code, uint64_t stack, struct code_stack *out)
{
	unsigned steps = STEPS_MAX;
	struct walk w = {.code = code, .pages = &code->pages, .out = out, .suspended = true, .steps = &steps};

	out->searched = false;
	out->domain = -1;
	out->count = 0;
	pages_begin(&code->pages, NULL, 0);
	out->end = enter_left(&w, stack);
	if (out->end == CODE_WHOLE)
		out->end = ocaml_frames(&w);
}
