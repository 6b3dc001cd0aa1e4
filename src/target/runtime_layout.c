/*
 * runtime_layout.c - the structures of OCaml's runtime by release, on x86-64.
 *
 * A row describes an examined build of its release.  A release without a row is read by the nearest one if
 * the memory of its process confirms it (target/runtime.c).  Other machines are not supported.
 */
#include "target/runtime.h"

#define NONE RUNTIME_NO_FIELD

/* caml_domain_state, according to caml/domain_state.tbl of 5.0.0, 5.1.0, 5.2.0, 5.3.0, 5.4.1 and 5.5.2,
 * compared with the symbols domain_field_caml_* of a program of each. */
enum { RELEASES = 6 };
#define TOLD_AS_NEWEST "as 5.5, checked"
static const uint16_t fields[RUNTIME_FIELD_COUNT][RELEASES] = {
    [RUNTIME_YOUNG_PTR] = {8, 8, 8, 8, 8, 8},
    [RUNTIME_YOUNG_START] = {16, 16, 16, 16, 16, 16},
    [RUNTIME_YOUNG_END] = {24, 24, 24, 24, 24, 24},
    [RUNTIME_CURRENT_STACK] = {32, 40, 40, 40, 40, 40},
    [RUNTIME_C_STACK] = {56, 64, 64, 64, 64, 64},
    [RUNTIME_ALLOCATED_WORDS] = {120, 128, 128, 128, 128, 128},
    [RUNTIME_LOCAL_ROOTS] = {160, 152, 152, 160, 192, 192},
    [RUNTIME_MINOR_HEAP_WSZ] = {264, 264, 264, 272, 304, 304},
    [RUNTIME_SHARED_HEAP] = {272, 272, 272, 280, 312, 312},
    [RUNTIME_ID] = {280, 280, 280, 288, 320, 320},
    [RUNTIME_STAT_MINOR_WORDS] = {376, 376, 376, 384, 416, 424},
    [RUNTIME_STAT_PROMOTED_WORDS] = {384, 384, 384, 392, 424, 432},
    [RUNTIME_STAT_MAJOR_WORDS] = {392, 392, 392, 400, 432, 440},
    [RUNTIME_STAT_MINOR_COLLECTIONS] = {400, NONE, NONE, NONE, NONE, NONE},
    [RUNTIME_STAT_FORCED_MAJOR] = {408, 400, 400, 408, 440, 448},
    [RUNTIME_EXTERNAL_RAISE] = {NONE, 448, 448, 456, 488, 496},
    [RUNTIME_EXTRA_PARAMS] = {464, 456, 472, 480, 512, 520},
};

/* struct dom_internal and other structures without symbols, compared with the DWARF of each release, with a
 * mutex of 40 bytes and a condition of 56 (until 5.2) or 48. */
#define UNTIL_5_2                                                                                            \
	.element = 280, .state_at = 8, .running_at = 120, .terminating_at = 124, .unique_at = 128,           \
	.backup_at = 152, .lock_at = 168, .area_at = 264, .thread_element = 136
#define OF_5_3                                                                                               \
	.element = 264, .state_at = 8, .running_at = 112, .terminating_at = 116, .unique_at = 120,           \
	.backup_at = 144, .lock_at = 160, .area_at = 248, .thread_element = 144, .tables_are_pointers = true

/* Since 5.4 the backup thread comes before the state. */
#define OF_5_4                                                                                               \
	.element = 272, .state_at = 16, .running_at = 120, .terminating_at = 124, .unique_at = 128,          \
	.backup_at = 144, .lock_at = 160, .area_at = 256, .thread_element = 144, .tables_are_pointers = true
#define OF_5_5                                                                                               \
	.element = 264, .state_at = 16, .running_at = 120, .terminating_at = 124, .unique_at = 128,          \
	.lock_at = 152, .area_at = 248, .thread_element = 144, .tables_are_pointers = true, .params_at = 8,  \
	.free_runs = true

#define SINCE_5_2                                                                                            \
	.continuation_words = 2, .alloc_words = 4, .counts_compactions = true, .raise_keeps_sp = true

static const struct runtime_layout rows[RELEASES] = {
    {UNTIL_5_2, .continuation_words = 1, .alloc_words = 5, .short_lines = true}, /* 5.0.0 */
    {UNTIL_5_2, .continuation_words = 1, .alloc_words = 4, .short_lines = true}, /* 5.1.0 */
    {UNTIL_5_2, SINCE_5_2},							 /* 5.2.0 */
    {OF_5_3, SINCE_5_2, .frame_pointers_known = true},				 /* 5.3.0 */
    {OF_5_4, SINCE_5_2, .seen = "5.4.1"},
    {OF_5_5, SINCE_5_2, .seen = "5.5.2"},
};

bool runtime_layout_of(const struct version *version, struct runtime_layout *out)
{
#ifdef __x86_64__
	const unsigned row = version->low < RELEASES ? version->low : RELEASES - 1;

	if (version->low != version->high || version->release == RTEV_RELEASE_OXCAML ||
	    version->release == RTEV_RELEASE_UNKNOWN)
		return false;
	*out = rows[row];
	for (unsigned k = 0; k < RUNTIME_FIELD_COUNT; k++)
		out->field[k] = fields[k][row];
	out->told = version->low > row ? TOLD_AS_NEWEST : NULL;
	/* A plus in the version means a build from modified sources. */
	out->guessed = version->low != row || strchr(version->text, '+') != NULL ||
		       (out->seen != NULL && strcmp(out->seen, version->text) != 0);
	return true;
#else
	return false;
#endif
}

uint64_t runtime_free_behind(const struct runtime_layout *layout, uint64_t header)
{
	enum { COLOUR_AND_TAG = 0x3ff, FREE_BLOCK = 0x3fb };

	return layout->free_runs && (header & COLOUR_AND_TAG) == FREE_BLOCK ? header >> 10 : 0;
}
