/*
 * test_walk.c - walks over made-up memory: a right one, and ones whose memory changes or contradicts itself.
 */
#include "support/made_stacks.h"
#include "support/test.h"

static struct made_stacks made;
static struct code_stack stack;

/* The walk as a text: names, innermost first, with what lies between. */
static const char *walk(void)
{
	static char text[4096];

	code_walk(made.code, &made.sample, &stack);
	text[0] = '\0';
	for (unsigned i = 0; i < stack.count; i++) {
		static const char *const after[] = {"", " [fiber]", " [callback]"};
		strlcat(text, i > 0 ? " " : "", sizeof(text));
		strlcat(text, code_lines(made.code, &stack.frames[i])->line[0].name, sizeof(text));
		strlcat(text, after[stack.frames[i].boundary], sizeof(text));
	}
	return text;
}

#define WHOLE "c_work Made.inner Made.outer [fiber] Made.inner [callback] c_work c_work c_work Made.outer"

TEST(walks_to_the_root)
{
	made_stacks_init(&made, NULL, NULL);
	CHECK_STR(walk(), WHOLE);
	CHECK_INT(stack.end, CODE_WHOLE);
	CHECK_INT(stack.domain, 3);
	CHECK_INT(stack.stack_id, MADE_FIBER);
	CHECK(!stack.searched);
	/* Of a thread that sleeps only two registers are known, and nothing was copied. */
	made.sample = (struct code_sample){.tid = 7, .ip = made.sample.ip, .sp = made.sample.sp};
	CHECK_STR(walk(), WHOLE);
	CHECK_INT(stack.end, CODE_WHOLE);
	made_stacks_fini(&made);
}

TEST(a_fiber_that_waits)
{
	made_stacks_init(&made, NULL, NULL);
	*made_at(&made, 0x2768 + 24) = 0;
	code_walk_suspended(made.code, MADE_BASE + MADE_FIBER, &stack);
	CHECK_INT(stack.end, CODE_WHOLE);
	CHECK_INT(stack.count, 2);
	/* Of one that runs no parent is a contradiction. */
	(void)walk();
	CHECK_INT(stack.end, CODE_MOVED);
	made_stacks_fini(&made);
}

TEST(contradictions_end_a_walk)
{
	static const struct {
		unsigned at;
		uint64_t value;
		enum code_end end;
	} cases[] = {
	    {MADE_INNER_LINK + 8, MADE_BASE + 0x2708, CODE_MOVED}, /* C was entered elsewhere */
	    {MADE_INNER_LINK, MADE_BASE + MADE_FIRST, CODE_MOVED},
	    {MADE_FIBER + 16, MADE_BASE + MADE_FIBER, CODE_MOVED},  /* a stack without room */
	    {MADE_FIBER + 16, MADE_BASE + 0x2788, CODE_MOVED},	    /* a base that is not at its end */
	    {0x2700, 0x500300, CODE_NO_FRAME},			    /* no descriptor */
	    {0x2768 + 24, MADE_BASE + MADE_FIBER + 1, CODE_MOVED},  /* no stack as a parent */
	    {0x2768 + 24, 0x7000000, CODE_UNREADABLE},		    /* nor memory */
	    {0x2768 + 24, MADE_BASE + MADE_FIBER, CODE_DEEP},	    /* its own parent */
	    {MADE_INNER_LINK + 16, MADE_BASE + MADE_C, CODE_MOVED}, /* links that go down */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		made_stacks_init(&made, NULL, NULL);
		*made_at(&made, cases[i].at) = cases[i].value;
		(void)walk();
		if (stack.end != cases[i].end)
			TEST_FAIL("case %zu: %s", i, code_end_text(stack.end));
		CHECK(stack.count >= 1 && stack.frames[0].pc == made.sample.ip);
		made_stacks_fini(&made);
	}
}

static void called_by_itself(void)
{
	*made_at(&made, 0x2708 + MADE_FRAME - 8) = MADE_INNER + 16;
}

static void called_indirectly(void)
{
	made.code_bytes[MADE_OUTER + 16 - 5 - MADE_CODE] = 0x90;
}

static void other_function_of_c(void)
{
	made_instruction(&made, MADE_INNER + 11, "\x48\x8d\x05", 3, MADE_START);
}

static void link_is_not_copied(void)
{
	made.sample.stack_size = MADE_FRAME;
}

/* A thread that has gone on: what is in memory by now belongs to the sample only where the code tells so. */
TEST(a_walk_that_is_late)
{
	static const struct {
		void (*change)(void);
		const char *expected;
	} cases[] = {{NULL, "c_work Made.inner Made.outer [fiber]"}, {called_by_itself, "c_work Made.inner"},
	    {called_indirectly, "c_work Made.inner"}, {other_function_of_c, "c_work"},
	    {link_is_not_copied, "c_work"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		made_stacks_init(&made, NULL, NULL);
		made.sample.still = false;
		if (cases[i].change != NULL)
			cases[i].change();
		CHECK_STR(walk(), cases[i].expected);
		CHECK_INT(stack.end, CODE_MOVED);
		CHECK_INT(stack.domain, 3);
		made_stacks_fini(&made);
	}
}

TEST(no_ocaml_code_in_a_thread)
{
	made_stacks_init(&made, NULL, NULL);
	*made_at(&made, MADE_STATE + made.code->layout->field[RUNTIME_C_STACK]) = 0;
	*made_at(&made, MADE_INNER_LINK - 8) = 0;
	(void)walk();
	CHECK_INT(stack.end, CODE_NO_OCAML);
	CHECK_INT(stack.domain, -1);
	made_stacks_fini(&made);
}

/* Newer kernels and libraries map the stacks of threads as one: what is above a thread's control block is another's. */
TEST(stacks_of_two_threads_in_one_mapping)
{
	const unsigned sp = MADE_C + 0x100, block = MADE_C + 0x200;

	made_stacks_init(&made, NULL, NULL);
	for (unsigned i = 0; i < 2; i++)
		*made_at(&made, block + 16 * i) = MADE_BASE + block;
	const struct code_sample other = made.sample;
	made.sample = (struct code_sample){.tid = 8, .ip = other.ip, .sp = MADE_BASE + sp};
	(void)walk();
	CHECK_INT(stack.end, CODE_NO_OCAML);
	CHECK_INT(stack.domain, -1);
	CHECK(context_stack_end(made.code, 8, MADE_BASE + sp) == MADE_BASE + block);
	/* The one above has its own. */
	made.sample = other;
	CHECK_STR(walk(), WHOLE);
	CHECK_INT(stack.domain, 3);
	made_stacks_fini(&made);
}

/* A function without a symbol is known by where .eh_frame says that it begins. */
TEST(functions_without_symbols)
{
	static const struct code_frame at = {.pc = MADE_C_WORK + 32, .kind = CODE_C, .leaf = true},
				       other = {.pc = MADE_C_WORK + 40, .kind = CODE_C, .leaf = true},
				       none = {.pc = MADE_C_WORK + 0x1000, .kind = CODE_C, .leaf = true};

	made_stacks_init(&made, NULL, NULL);
	struct object *o = made.code->symbols.objects[0];
	o->bias = MADE_CODE;
	o->symbol_count--; /* c_work */
	CHECK_STR(code_lines(made.code, &at)->line[0].name, "[made] +0x4000");
	CHECK(code_lines(made.code, &other)->line[0].name == code_lines(made.code, &at)->line[0].name);
	CHECK_STR(code_lines(made.code, &none)->line[0].name, "[made]");
	made_stacks_fini(&made);
	/* The symbol before it tells its own size, or else is not of it. */
	made_stacks_init(&made, NULL, NULL);
	o = made.code->symbols.objects[0];
	o->bias = MADE_CODE;
	o->symbol_count--;
	o->symbols[o->symbol_count - 1].size = 0;
	CHECK_STR(code_lines(made.code, &at)->line[0].name, "[made] +0x4000");
	CHECK_STR(code_lines(made.code, &none)->line[0].name, "caml_runstack");
	made_stacks_fini(&made);
}

TEST(names_as_people_write_them)
{
	static const char *const names[][2] = {{"camlStdlib__List.map_289", "List.map"},
	    {"camlStdlib__List__map_289", "List.map"}, {"camlFoo__Bar.baz_12", "Foo.Bar.baz"},
	    {"camlFoo.fun_77", "Foo.(fun)"}, {"camlFoo.$5e$5e_3", "Foo.(^^)"}, {"camlFoo.entry", "Foo"},
	    {"camlFoo.effc$27_515", "Foo.effc'"}, {"camlDune__exe__Main.run_1", "Main.run"},
	    {"camlFoo.x_y_9", "Foo.x_y"}, {"camlFoo$bar_12", "Foo.bar"}, {"camlFoo$fun_7", "Foo.(fun)"},
	    {"camlStdlib__List$map_289", "List.map"}, {"camlStdlib__$5e_12", "Stdlib.(^)"},
	    {"camlStdlib$$5e_12", "Stdlib.(^)"}, {"camlFoo__bar$27_3", "Foo.bar'"},
	    {"camlDune__exe__Main$f$27_1", "Main.f'"}, {"camlDune__exe__Main__f$27_1", "Main.f'"},
	    {"camlFoo$entry", "Foo"}, {"camlFoo.let$2a_274", "Foo.let*"},
	    {"camlPattern_c.$3e$26$26$3e_270", "Pattern_c.(>&&>)"}, {"camlFoo.$c3$a9_278", "Foo.(\u00e9)"},
	    {"camlFoo._x_1", "Foo._x"}, {"caml_garbage_collection", "caml_garbage_collection"},
	    {"main", "main"}};
	char name[CODE_NAME_SIZE];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CHECK_INT(name_of_symbol(names[i][0], name), i < 22);
		CHECK_STR(name, names[i][1]);
	}
	CHECK(name_of_entry("camlFoo__Bar.entry", name));
	CHECK_STR(name, "Foo.Bar");
	CHECK(name_of_entry("camlFoo__entry", name) && name_of_entry("camlFoo$entry", name));
	CHECK(!name_of_entry("camlFoo.entry_12", name) && !name_of_entry("camlFoo.reentry", name) &&
	      !name_of_entry("entry", name));
	name_of_unit("Stdlib__Domain.spawn.body", name);
	CHECK_STR(name, "Domain.spawn.body");
	name_of_unit("Foo__.x__y", name);
	CHECK_STR(name, "Foo__.x__y");
}

/* A stack is known by the program's own function, not by what it calls of the standard library. */
TEST(the_programs_own_function)
{
	static const char *const library[] = {"Stdlib__Mutex.protect", "Stdlib.output_string",
	    "Stdlib__Fun$protect_12", "Thread.join", "Mutex.lock", "Event.basic_sync", "Event$basic_sync_12",
	    "CamlinternalFormat.make_printf"},
				 *const own[] = {"Stdlib_ext.f", "Dune__exe__Thread.f", "Threads.run",
				     "Base__Mutex.lock", "Event.handle", "Event", "Foo"};

	for (size_t i = 0; i < sizeof(library) / sizeof(library[0]); i++)
		CHECK(name_is_library(library[i]));
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		CHECK(!name_is_library(own[i]));
	made_stacks_init(&made, NULL, NULL);
	(void)walk();
	const struct code_line *line = code_own_line(made.code, &stack);
	CHECK(line != NULL);
	CHECK_STR(line->name, "Made.inner");
	/* The names change and the lines are forgotten, so that these frames are of the library now. */
	struct object *o = made.code->symbols.objects[0];
	strcpy(o->names + o->symbols[1].name, "camlStdlib.i");
	lines_cache_forget(made.code->lines);
	CHECK_STR(code_own_line(made.code, &stack)->name, "Made.outer");
	stack.count = 2;
	CHECK_STR(code_own_line(made.code, &stack)->name, "Stdlib.i");
	stack.count = 1;
	CHECK(code_own_line(made.code, &stack) == NULL);
	made_stacks_fini(&made);
}
