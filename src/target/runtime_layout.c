/*
 * runtime_layout.c - the structures of OCaml's runtime by release, on x86-64.
 *
 * Only what a build of the release was seen to have is here: a release, or a machine, without a row has no
 * figures.
 */
#include "target/runtime.h"

#define NONE RUNTIME_NO_FIELD

/* caml_domain_state, as caml/domain_state.tbl of 5.0.0, 5.1.0, 5.2.0, 5.3.0 and 5.4-dev has it, each compared with the
 * symbols domain_field_caml_* of a program. */
enum { RELEASES = 5 };
static const uint16_t fields[RUNTIME_FIELD_COUNT][RELEASES] = {
    [RUNTIME_YOUNG_PTR] = {8, 8, 8, 8, 8},
    [RUNTIME_YOUNG_START] = {16, 16, 16, 16, 16},
    [RUNTIME_YOUNG_END] = {24, 24, 24, 24, 24},
    [RUNTIME_CURRENT_STACK] = {32, 40, 40, 40, 40},
    [RUNTIME_C_STACK] = {56, 64, 64, 64, 64},
    [RUNTIME_ALLOCATED_WORDS] = {120, 128, 128, 128, 128},
    [RUNTIME_LOCAL_ROOTS] = {160, 152, 152, 160, 160},
    [RUNTIME_MINOR_HEAP_WSZ] = {264, 264, 264, 272, 272},
    [RUNTIME_SHARED_HEAP] = {272, 272, 272, 280, 280},
    [RUNTIME_ID] = {280, 280, 280, 288, 288},
    [RUNTIME_STAT_MINOR_WORDS] = {376, 376, 376, 384, 384},
    [RUNTIME_STAT_PROMOTED_WORDS] = {384, 384, 384, 392, 392},
    [RUNTIME_STAT_MAJOR_WORDS] = {392, 392, 392, 400, 400},
    [RUNTIME_STAT_MINOR_COLLECTIONS] = {400, NONE, NONE, NONE, NONE},
    [RUNTIME_STAT_FORCED_MAJOR] = {408, 400, 400, 408, 408},
    [RUNTIME_EXTRA_PARAMS] = {464, 456, 472, 480, 480},
};

/* struct dom_internal and what else has no symbols: until 5.2, each row proved by DWARF of its release, with a mutex
 * of 40 and a condition of 56 bytes; in 5.3 the condition has 48. */
#define UNTIL_5_2                                                                                            \
	.element = 280, .state_at = 8, .running_at = 120, .terminating_at = 124, .unique_at = 128,           \
	.lock_at = 168, .area_at = 264, .thread_element = 136
#define OF_5_3                                                                                               \
	.element = 264, .state_at = 8, .running_at = 112, .terminating_at = 116, .unique_at = 120,           \
	.lock_at = 160, .area_at = 248, .thread_element = 144, .tables_are_pointers = true

/* The same with the id of its thread before the state. */
#define OF_5_4_DEV                                                                                           \
	.element = 280, .state_at = 16, .running_at = 120, .terminating_at = 124, .unique_at = 128,          \
	.lock_at = 168, .area_at = 264, .thread_element = 144, .tables_are_pointers = true

static const struct runtime_layout rows[RELEASES] = {
    {0, UNTIL_5_2, .continuation_words = 1, .alloc_words = 5}, /* 5.0.0 */
    {1, UNTIL_5_2, .continuation_words = 1, .alloc_words = 4}, /* 5.1.0 */
    {2, UNTIL_5_2, .continuation_words = 2, .alloc_words = 4}, /* 5.2.0 */
    {3, OF_5_3, .continuation_words = 2, .alloc_words = 4},    /* 5.3.0 */
    {4, OF_5_4_DEV, .continuation_words = 2, .alloc_words = 4, .development = "5.4.0+dev0-2024-08-25"},
};

/* Whether a row is of a release.  What comes behind a plus was made from other sources. */
static bool is_of(const struct runtime_layout *row, const struct version *version)
{
	return row->development != NULL
		   ? strcmp(version->text, row->development) == 0
		   : version->low == row->minor && version->high == row->minor &&
			 version->release != RTEV_RELEASE_OXCAML && strchr(version->text, '+') == NULL;
}

bool runtime_layout_of(const struct version *version, struct runtime_layout *out)
{
#ifdef __x86_64__
	for (unsigned i = 0; i < RELEASES; i++) {
		if (!is_of(&rows[i], version))
			continue;
		*out = rows[i];
		for (unsigned k = 0; k < RUNTIME_FIELD_COUNT; k++)
			out->field[k] = fields[k][i];
		return true;
	}
#endif
	return false;
}
