/*
 * walk.c - walk the stack of a thread; see code.h.
 *
 * The records of the runtime are those of caml/fiber.h, the same in OCaml 5.0 to 5.5.  A stack is a struct stack_info S
 * at its low end, then room for frames, then a struct stack_handler H at its high end.  A link L to OCaml code is on a
 * stack of C, where C was entered.
 *
 * It is one file: frames of C lead into those of OCaml and back, and from one stack to the one below; each way of beginning a
 * walk takes the steps of all.
 */
#include "code/private.h"

enum {
	STACK_SP = 0,
	STACK_HANDLER = 16,
	STACK_ID = 48,
	STACK_FRAMES = 56, /* its first word for frames */
	HANDLER_PARENT = 24,
	LINK_STACK = 0,
	LINK_SP = 8,
	LINK_PREVIOUS = 16,
	/* Above a link, what caml_start_program has saved of its caller. */
	LINK_R14 = 32,
	LINK_BP = 56,
	LINK_BX = 64,
	LINK_RETURN = 72,
	/* The base of a chunk: exception handler, sp of C, saved registers of the collector. */
	BASE_C_SP = 16,
	BASE_SIZE = 32,
	CONTINUATION_TAG = 245,
	SEARCH_WORDS = 2048, /* words that are tried for a frame */
	SEARCH_WALKS = 64,   /* of which so many are walked from */
	ARGUMENT_WORDS = 64, /* of a call of C with arguments on the stack */
	C_FRAMES_MAX = 256,
	LINKS_MAX = 64,
	PARENTS_MAX = 64, /* fibers in fibers, until the one that was running */
	ROOTS_MAX = 4096,
	STEPS_MAX = 1 << 16,   /* frames, stacks and links of one walk */
	STEPS_STILL = 1 << 13, /* of one while the thread's processor is held */
	ROOT_TABLES = 5
};
#define STACK_SIZE_MAX (UINT64_C(1) << 40)

/* Where in the local roots the search for the next continuation goes on. */
struct roots {
	uint64_t block;
	unsigned left; /* blocks that may still be looked at */
};

struct walk {
	struct code *code;
	struct pages *pages;
	struct code_stack *out;
	struct context context;	   /* whose code it is; state 0: not known */
	struct thread_words words; /* of it, as the walk began */
	bool told;		   /* the link says where OCaml was left: at `left` */
	uint64_t left;
	uint64_t stack, handler;
	bool called_back; /* a callback was met in this stack */
	bool suspended;	  /* it is the stack of a fiber that waits */
	bool late;   /* the thread has gone on since the sample: of memory only what proves itself holds */
	bool missed; /* and none of that is taken */
	uint64_t pc, sp; /* of OCaml: a return address, and the end of the frame below */
	uint64_t link;	 /* the innermost one that is not used up */
	struct roots roots;
	unsigned *steps; /* that are left; no search gets them back */
};

/* A point that a search comes back to. */
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

/* Take a step.  False if there were too many: what is walked leads in a circle. */
static bool step(struct walk *w)
{
	return *w->steps > 0 && --*w->steps > 0;
}

static bool word(struct walk *w, uint64_t address, uint64_t *out)
{
	return pages_word(w->pages, address, out);
}

/* Read a return address of OCaml, which has to be there still when the walk ends. */
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

/* Whether an address is of a frame in the stack of this moment. */
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

/* Whether the return address in w->pc, which lies at `at`, is of the sample's instant: the code at `below` was called there
 * (0: that is not known), or it is where the first call of the stack returns to. */
static bool is_of_sample(const struct walk *w, uint64_t at, uint64_t below)
{
	return !w->late || pages_in_copy(w->pages, at, sizeof(at)) || at + 8 + BASE_SIZE == w->handler ||
	       (below != 0 && call_leads(w->code, w->pc, below));
}

/* Go on at the return address that lies at `at` in the stack, to which the code at `below` returns. */
static enum code_end enter_frames(struct walk *w, uint64_t at, uint64_t below)
{
	if (!in_stack(w, at))
		return CODE_MOVED;
	w->sp = at + 8;
	if (!return_word(w, at))
		return CODE_UNREADABLE;
	return is_of_sample(w, at, below) ? CODE_WHOLE : CODE_MOVED;
}

/* Enter the frames of a stack that was left for C, or for another stack, where a frame pointer may stand first. */
static enum code_end enter_frames_left(struct walk *w, uint64_t at, uint64_t below)
{
	return enter_frames(w, at + w->code->saved_bp, below);
}

/* Enter a stack that is not running, where it was left. */
static enum code_end enter_left(struct walk *w, uint64_t stack)
{
	enum code_end end = enter_stack(w, stack);
	uint64_t sp;

	if (end != CODE_WHOLE)
		return end;
	return word(w, stack + STACK_SP, &sp) ? enter_frames_left(w, sp, 0) : CODE_UNREADABLE;
}

/* The stack that a continuation holds; 0: the value is none, or it was resumed. */
static uint64_t stack_of_continuation(struct walk *w, uint64_t value)
{
	uint64_t header, field;

	if (value == 0 || value % 8 != 0 || !word(w, value - 8, &header) ||
	    (header & 0xff) != CONTINUATION_TAG || !word(w, value, &field))
		return 0;
	return (field & 1) != 0 ? field - 1 : 0;
}

/* A callback hides the parent of its stack in a continuation, a local root of the C function that calls back.  Find the
 * next one, innermost first; 0: none. */
static uint64_t hidden_parent(struct walk *w)
{
	while (w->roots.block != 0 && w->roots.left-- > 0 && step(w)) {
		uint64_t block = w->roots.block, tables, items, at, value, stack;

		if (!word(w, block, &w->roots.block) || !word(w, block + 8, &tables) ||
		    !word(w, block + 16, &items))
			return 0;
		/* A continuation is registered by itself. */
		for (uint64_t i = 0; items == 1 && i < tables && i < ROOT_TABLES; i++)
			if (word(w, block + 24 + 8 * i, &at) && word(w, at, &value) &&
			    (stack = stack_of_continuation(w, value)) != 0)
				return stack;
	}
	return 0;
}

/* ---- C ---- */

/* Whether an address is in one of the runtime's own functions, by its name or how that begins. */
static bool is_function(struct walk *w, uint64_t address, const char *name)
{
	const struct object *o = symbols_object(&w->code->symbols, address);
	const struct symbol *symbol = o != NULL ? object_symbol(o, address) : NULL;

	return symbol != NULL && strncmp(symbol_name(o, symbol), name, strlen(name)) == 0;
}

/* Whether an address is of OCaml code or of the runtime's functions that go between OCaml and C. */
static bool is_between(struct walk *w, uint64_t address)
{
	return symbols_is_system(&w->code->symbols, address) || symbols_is_ocaml(&w->code->symbols, address);
}

/* Add the frames of C up to the call from OCaml, which has its link at w->link.  True if they lead there; *regs are
 * those of the caller then.  *last: they end with the thread's first. */
static bool c_frames(struct walk *w, struct registers *regs, bool *last)
{
	/* The innermost is where the thread is in any case. */
	const unsigned first = w->out->count + regs->leaf;

	*last = false;
	for (unsigned i = 0; i < C_FRAMES_MAX && step(w); i++) {
		if (!regs->leaf && is_between(w, regs->ip - 1))
			return w->link == 0 || w->link - regs->sp <= 8 * ARGUMENT_WORDS;
		/* What is in no code shows that the frames are not what they were. */
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

/* Whether the link of a callback is the innermost one that is not used up, or, where a copy of the stack has a callback
 * that has ended since, hangs on one that holds now. */
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

/* Take what a domain's state says of local roots, if it is the one whose stack this is. */
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
	/* Where these can't be followed to their end, the frames of OCaml still can. */
	if (word(w, link + LINK_RETURN, &regs.ip) && c_frames(w, &regs, &last) && w->context.state == 0 &&
	    regs.known[EH_R14])
		learn_roots(w, regs.value[EH_R14]);
}

/* Cross the callback that ends at the base of a chunk. */
static enum code_end cross_callback(struct walk *w, uint64_t base)
{
	const unsigned before = w->out->count;
	uint64_t link, previous;

	if (!word(w, base + BASE_C_SP, &link))
		return CODE_UNREADABLE;
	if (w->late && !pages_in_copy(w->pages, base, BASE_SIZE))
		return CODE_MOVED;
	if (w->late && !pages_in_copy(w->pages, link, LINK_RETURN + 8)) {
		/* What C was in between is not known; the frames of OCaml go on in the copy. */
	} else if (word(w, link + LINK_PREVIOUS, &previous) && is_linked(w, link, previous)) {
		w->link = previous;
		callback_frames(w, link);
	} else if (!pages_in_copy(w->pages, base, BASE_SIZE)) {
		return CODE_MOVED;
	}
	w->called_back = true;
	/* That C is in between is known in any case: a frame of no function stands for it. */
	if (w->out->count == before)
		(void)add_frame(w, 0, CODE_C, false);
	return enter_frames_left(w, base + BASE_SIZE, 0);
}

/* ---- OCaml ---- */

/* At the base of a fiber: go to its parent. */
static enum code_end leave_fiber(struct walk *w, bool *root)
{
	uint64_t parent;

	if (!word(w, w->sp + BASE_SIZE + HANDLER_PARENT, &parent))
		return CODE_UNREADABLE;
	if (parent == 0 && w->called_back && w->context.state != 0)
		parent = hidden_parent(w);
	/* A callback that has ended since has put it back; the copy has the place without it. */
	if (parent == 0 && w->called_back && w->pages->copy != NULL) {
		if (memory_bytes(
			&w->pages->memory, w->sp + BASE_SIZE + HANDLER_PARENT, &parent, sizeof(parent)) != 0)
			parent = 0;
	}
	/* One that waits for its continuation has none. */
	*root = parent == 0 && w->suspended;
	if (parent == 0)
		return *root ? CODE_WHOLE : CODE_MOVED;
	set_boundary(w, CODE_FIBER);
	return enter_left(w, parent);
}

/* Whether the base of a chunk was entered from the first C of the thread. */
static bool is_first(struct walk *w)
{
	uint64_t link, previous;

	return word(w, w->sp + BASE_C_SP, &link) && word(w, link + LINK_PREVIOUS, &previous) && previous == 0;
}

/* At the base of a chunk.  CODE_WHOLE with *root unset: there is more. */
static enum code_end leave_chunk(struct walk *w, bool *root)
{
	const uint64_t end = w->sp + BASE_SIZE;
	const bool fiber = is_function(w, w->pc - 1, "caml_runstack");

	/* The end of a stack that is not known is that of a fiber, or has the first link of the thread. */
	if (w->stack == 0 && (fiber || is_first(w)))
		w->handler = end;
	if (end > w->handler || (fiber && end != w->handler))
		return CODE_MOVED;
	if (fiber)
		return leave_fiber(w, root);
	/* The first stack of a domain or thread. */
	*root = end == w->handler;
	if (*root)
		return CODE_WHOLE;
	set_boundary(w, CODE_CALLBACK);
	return cross_callback(w, w->sp);
}

/* Whether the frame that ends at w->sp is the one whose frame pointer the one below it, if there is one, has saved; *saved
 * becomes what it has saved itself. */
static bool is_chained(struct walk *w, uint64_t *saved)
{
	const uint64_t at = w->sp - 8 - w->code->saved_bp;

	if (w->code->saved_bp == 0)
		return true;
	return (*saved == 0 || *saved == at) && word(w, at, saved);
}

/* Walk from a return address and the end of its callee's frame to the root. */
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

/* Try the words from `sp` on for one from which the stack can be walked to its root. */
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

/* Walk from a place in OCaml code that no descriptor has: .eh_frame knows the size of its frame. */
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

/* Find the stack that was running: the current one, or one of those that it was called from. */
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

/* The thread executes OCaml code, or the runtime's code between, on a stack of OCaml. */
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
		/* The program has left it since.  It is in the copy, and ends there. */
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

/* Find the call by which OCaml entered C, under its link: the address in the runtime's functions between, or, of a call
 * that does not tell the runtime, in OCaml code.  0: none. */
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

/* Whether a word of the stack of C begins a link that holds now: the runtime and it agree on where OCaml was left. */
static bool is_link(struct walk *w, uint64_t at)
{
	uint64_t stack, sp, left;

	return word(w, at + LINK_STACK, &stack) && word(w, at + LINK_SP, &sp) &&
	       enter_stack(w, stack) == CODE_WHOLE && word(w, stack + STACK_SP, &left) && sp == left &&
	       in_stack(w, sp);
}

/* Without a context, the frames of C lead to the link, or just below it. */
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

/* OCaml code has its domain's state in a register, which C preserves.  A thread that has given its domain up has its link
 * elsewhere. */
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

/* OCaml called C without telling the runtime.  Its sp is in a register, which is known if all frames of C could be
 * followed, else among the words that these have saved. */
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
	/* From another sp than a known one only what is left of former calls could be walked. */
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

/* An exception is raised, and C notes where it passes.  OCaml's sp is in a register, of which the words on the stack of C
 * that are equal to it tell nothing: C goes up the frames itself. */
static enum code_end from_raise(struct walk *w, const struct registers *regs)
{
	/* Before 5.2 it was one that C does not preserve. */
	if (!w->code->layout->raise_keeps_sp || !regs->known[EH_R13])
		return CODE_SWITCHING;
	enum code_end end = enter_frames_left(w, regs->value[EH_R13], 0);
	return end == CODE_WHOLE ? ocaml_frames(w) : end;
}

/* OCaml called C, or the collector, by the runtime's functions between.  The registers are those of the call, if all
 * frames of C could be followed. */
static enum code_end from_call(struct walk *w, const struct registers *regs, bool exact, uint64_t call)
{
	if (is_function(w, call - 1, "caml_raise") || is_function(w, call - 1, "caml_reraise"))
		return exact ? from_raise(w, regs) : CODE_SWITCHING;
	/* caml_runstack frees the stack of a fiber that has ended; its parent's is the current one by then. */
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

/* The thread has gone on since it was in C: the link that the frames of C lead to is in the copy, and tells where OCaml was
 * left then.  `below` is the place in C that OCaml called. */
static enum code_end from_copy(struct walk *w, const struct registers *regs, uint64_t below)
{
	uint64_t stack, sp;

	if (!symbols_is_system(&w->code->symbols, regs->ip - 1)) {
		/* A call that leaves no link: OCaml's sp is in a register. */
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

/* The thread executes C. */
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

/* Whether what was read still holds: the frames, and where the context and C's stack say that OCaml was left. */
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
	/* Of a sample, all that was read is of its instant, or proves itself. */
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
