/*
 * test_target_settings.c - settings of a runtime: as text, in an environment, in memory.
 *
 * The real target is this test itself: it carries the runtime's variables, made in assembly so that no
 * sanitizer changes their size.
 */
#include "support/test_target_tree.h"
#include "target/ocaml_settings.h"

__asm__(".pushsection .data\n"
	".balign 8\n"
	".type caml_percent_free, %object\n"
	".size caml_percent_free, 8\n"
	"caml_percent_free: .quad 120\n"
	".type caml_max_stack_wsize, %object\n"
	".size caml_max_stack_wsize, 8\n"
	"caml_max_stack_wsize: .quad 0\n"
	".type caml_params, %object\n"
	".size caml_params, 8\n"
	"caml_params: .quad 0\n"
	".type test_params, %object\n"
	".size test_params, 168\n"
	"test_params: .zero 168\n"
	".popsection\n");
extern volatile uint64_t caml_percent_free __attribute__((visibility("hidden")));
extern volatile uint64_t caml_params __attribute__((visibility("hidden")));
extern volatile uint64_t test_params[21] __attribute__((visibility("hidden")));

enum { PARAM_E = 6, PARAM_O = 10, PARAM_S = 11 };

static struct ocaml_settings parsed;

/* Parse a text; the value of a setting, or -1 when it is not known. */
static int64_t value(const char *text, enum ocaml_setting_id id)
{
	parsed = (struct ocaml_settings){0};
	runparam_parse(text, strlen(text), OCAML_FROM_ENV, &parsed);
	return parsed.of[id].from == OCAML_FROM_ENV ? (int64_t)parsed.of[id].value : -1;
}

/* What the runtimes of 5.1 and 5.3 were seen to make of these. */
TEST(test_texts)
{
	CHECK_INT(value("s=300k", OCAML_S), 307200);
	CHECK_INT(value("s=1000", OCAML_S), 1024);
	CHECK_INT(value("s=100", OCAML_S), 512);
	CHECK_INT(value("s", OCAML_S), 512);
	CHECK_INT(value("s=", OCAML_S), 512);
	CHECK_INT(value("s=0x10000", OCAML_S), 65536);
	CHECK_INT(value("s=1M,o=200,M=50,m=90,n=1000,l=1M,s=2M", OCAML_S), 2 << 20);
	CHECK_INT(parsed.of[OCAML_O].value, 200);
	CHECK_INT(parsed.of[OCAML_CUSTOM_MAJOR].value, 50);
	CHECK_INT(parsed.of[OCAML_CUSTOM_MINOR].value, 90);
	CHECK_INT(parsed.of[OCAML_CUSTOM_SIZE].value, 1000);
	CHECK_INT(parsed.of[OCAML_STACK].value, 1 << 20);
	CHECK_INT(parsed.of[OCAML_E].from, OCAML_UNKNOWN);
	CHECK_INT(value("o=0", OCAML_O), 1);
	CHECK_INT(value("o=  33", OCAML_O), 33);
	CHECK_INT(value("foo=3,o=44", OCAML_O), 44);
	CHECK_INT(value(",,v=0x400,,o=44,", OCAML_O), 44);
	CHECK_INT(value("oo=5", OCAML_O), 1); /* the value is what follows the letter at once */
	CHECK_INT(value("b,o=1k", OCAML_O), 1024);
	CHECK_INT(value("xo=3", OCAML_O), -1);
	CHECK_INT(value("o=0X20", OCAML_O), 1); /* 0, and something behind it */
	CHECK_INT(value("o= 0x20", OCAML_O), 1);
	/* Tweaks of 5.5 have names. */
	CHECK_INT(value("Xsmall_heap_limit=1M,o=90", OCAML_SMALL_HEAP), 1 << 20);
	CHECK_INT(parsed.of[OCAML_O].value, 90);
	CHECK_INT(value("Xcache_stacks_per_class=0", OCAML_STACKS_KEPT), 0);
	CHECK_INT(value("Xsmall_heap=3", OCAML_SMALL_HEAP), -1);
	CHECK_INT(value("Xsmall_heap_limits=3", OCAML_SMALL_HEAP), -1);
}

/* What does not fit is not believed, and hides what stood before. */
TEST(test_texts_out_of_range)
{
	CHECK_INT(value("s=4294967297", OCAML_S), -1);
	CHECK_INT(value("s=99999999999999999999999", OCAML_S), -1);
	CHECK_INT(value("s=0xfffffffffffffffffff", OCAML_S), -1);
	CHECK_INT(value("s=-1", OCAML_S), -1);
	CHECK_INT(value("o=50,o=-1", OCAML_O), -1);
	CHECK_INT(value("e=30", OCAML_E), -1);
	CHECK_INT(value("e=7", OCAML_E), -1);
	CHECK_INT(value("e=18", OCAML_E), 18);
	CHECK_INT(value("d=0", OCAML_D), -1);
	CHECK_INT(value("d=4097", OCAML_D), -1);
	CHECK_INT(value("s=4294967295G", OCAML_S), -1);
}

/* The settings of a process of a tree. */
static struct ocaml_settings settings_of(const struct tree *tree, const struct ocaml_evidence *evidence)
{
	static const struct ocaml_evidence none;
	struct ocaml_reader *reader =
	    ocaml_reader_create(tree != NULL ? tree->root : NULL, tree != NULL ? 5 : getpid());
	struct ocaml_settings settings;

	CHECK(reader != NULL);
	ocaml_settings_read(reader, evidence != NULL ? evidence : &none, &settings);
	ocaml_reader_destroy(reader);
	return settings;
}

/* Set the environment of the process. */
static void environ_is(const struct tree *tree, const char *text, size_t size)
{
	char dir[400];

	tree_write(tree_dir(tree, 5, dir), "environ", text, size);
}

#define CHECK_SETTING(settings, id, expected, origin)                                                        \
	do {                                                                                                 \
		CHECK_INT((settings).of[id].from, origin);                                                   \
		CHECK_INT((settings).of[id].value, expected);                                                \
	} while (0)

TEST(test_environment)
{
	struct tree tree;
	struct ocaml_settings s;

	tree_create(&tree);
	tree_process(&tree, 5, "/nowhere");
	s = settings_of(&tree, NULL);
	CHECK_SETTING(s, OCAML_O, 0, OCAML_UNKNOWN);
	CHECK_INT(s.environment, SYSTEM_KNOWN);
	CHECK_STR(s.memory_why, "its program can't be read");
	static const char both[] = "A=1\0CAMLRUNPARAM=o=50\0OCAMLRUNPARAM=s=64k";
	environ_is(&tree, both, sizeof both);
	s = settings_of(&tree, NULL);
	CHECK_SETTING(s, OCAML_S, 65536, OCAML_FROM_ENV);
	CHECK_SETTING(s, OCAML_O, 0, OCAML_UNKNOWN);
	static const char old[] = "CAMLRUNPARAM=o=50";
	environ_is(&tree, old, sizeof old);
	CHECK_SETTING(settings_of(&tree, NULL), OCAML_O, 50, OCAML_FROM_ENV);
	/* Set to nothing is set. */
	static const char empty[] = "CAMLRUNPARAM=o=50\0OCAMLRUNPARAM=";
	environ_is(&tree, empty, sizeof empty);
	CHECK_SETTING(settings_of(&tree, NULL), OCAML_O, 0, OCAML_UNKNOWN);
	/* A program with the rights of its file's owner does not look at the environment. */
	environ_is(&tree, old, sizeof old);
	tree_text(&tree, 5, "status", "Uid:\t1000\t0\t0\t0\n");
	CHECK_SETTING(settings_of(&tree, NULL), OCAML_O, 0, OCAML_UNKNOWN);
}

TEST(test_ring_and_collections)
{
	struct tree tree;
	struct ocaml_settings s;
	static const char begun[] = "OCAMLRUNPARAM=e=17,d=4,s=64k";

	tree_create(&tree);
	tree_process(&tree, 5, "/nowhere");
	environ_is(&tree, begun, sizeof begun);
	s = settings_of(&tree, &(struct ocaml_evidence){131072, 4, 0, 0, 0});
	CHECK_SETTING(s, OCAML_E, 17, OCAML_FROM_ENV);
	CHECK_SETTING(s, OCAML_D, 4, OCAML_FROM_ENV);
	/* Before 5.3 the letter d means nothing: the ring tells. */
	s = settings_of(&tree, &(struct ocaml_evidence){65536, 128, 65536, 0, 0});
	CHECK_SETTING(s, OCAML_E, 16, OCAML_FROM_EVENTS);
	CHECK_SETTING(s, OCAML_D, 128, OCAML_FROM_EVENTS);
	CHECK_SETTING(s, OCAML_S, 65536, OCAML_FROM_ENV);
	/* A domain has set a larger one; a smaller one may be another domain's. */
	s = settings_of(&tree, &(struct ocaml_evidence){65535, 5000, 131072, 0, 0});
	CHECK_SETTING(s, OCAML_E, 17, OCAML_FROM_ENV);
	CHECK_SETTING(s, OCAML_D, 0, OCAML_UNKNOWN);
	CHECK_SETTING(s, OCAML_S, 131072, OCAML_FROM_EVENTS);
	/* Without a ring the runtime's memory tells how many there may be. */
	s = settings_of(&tree, &(struct ocaml_evidence){0, 16, 0, 0, 0});
	CHECK_SETTING(s, OCAML_D, 16, OCAML_FROM_MEMORY);
	s = settings_of(&tree, &(struct ocaml_evidence){0, 0, 32768, 0, 0});
	CHECK_SETTING(s, OCAML_S, 65536, OCAML_FROM_ENV);
	/* Memory has the size in force, whatever collections show; the program has set it. */
	s = settings_of(&tree, &(struct ocaml_evidence){0, 0, 131072, 32768, 0});
	CHECK_SETTING(s, OCAML_S, 32768, OCAML_FROM_PROGRAM);
	s = settings_of(&tree, &(struct ocaml_evidence){0, 0, 131072, 65536, 0});
	CHECK_SETTING(s, OCAML_S, 65536, OCAML_FROM_ENV);
}

/* A process that may not be looked at. */
TEST(test_denied)
{
	struct tree tree;
	char path[512];

	tree_create(&tree);
	tree_process(&tree, 5, "/nowhere");
	snprintf(path, sizeof path, "%s/5/environ", tree.root);
	CHECK_INT(chmod(path, 0), 0);
	struct ocaml_settings s = settings_of(&tree, NULL);
	CHECK_INT(s.environment, geteuid() == 0 ? SYSTEM_KNOWN : SYSTEM_DENIED);
	CHECK_INT(unlink(path), 0);
	s = settings_of(&tree, NULL);
	CHECK(s.environment != SYSTEM_KNOWN);
	CHECK_SETTING(s, OCAML_S, 0, OCAML_UNKNOWN);
}

TEST(test_memory)
{
	struct ocaml_settings s;

	caml_params = (uint64_t)(uintptr_t)test_params;
	test_params[PARAM_E] = 17;
	test_params[PARAM_O] = 90;
	test_params[PARAM_S] = 1000;
	caml_percent_free = 77;
	s = settings_of(NULL, NULL);
	if (s.memory_why[0] != '\0')
		SKIP("%s", s.memory_why);
	CHECK_SETTING(s, OCAML_O, 77, OCAML_FROM_PROGRAM);
	CHECK_SETTING(s, OCAML_E, 17, OCAML_FROM_MEMORY);
	CHECK_SETTING(s, OCAML_S, 1024, OCAML_FROM_MEMORY);
	CHECK_SETTING(s, OCAML_STACK, 0, OCAML_UNKNOWN); /* zero is out of range */
	CHECK_SETTING(s, OCAML_CUSTOM_MAJOR, 0, OCAML_UNKNOWN);
	/* Values that make no sense are not believed, and spoil those that stand with them. */
	caml_percent_free = 0;
	test_params[PARAM_E] = 99;
	s = settings_of(NULL, NULL);
	CHECK_SETTING(s, OCAML_O, 0, OCAML_UNKNOWN);
	CHECK_SETTING(s, OCAML_S, 0, OCAML_UNKNOWN);
	/* A pointer that leads elsewhere is not followed. */
	test_params[PARAM_E] = 17;
	static const uint64_t wild[] = {0, 1, 8, UINT64_MAX, UINT64_MAX - 7};
	for (unsigned i = 0; i < sizeof wild / sizeof wild[0]; i++) {
		caml_params = wild[i];
		s = settings_of(NULL, NULL);
		CHECK_SETTING(s, OCAML_S, 0, OCAML_UNKNOWN);
		CHECK_STR(s.memory_why, "");
	}
}
