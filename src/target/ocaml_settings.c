/* ocaml_settings.c - settings of an OCaml runtime. */
#include "target/ocaml_settings.h"

#include "target/system_parse.h"
#include "target/status.h"
#include "target/variables.h"

/* ---- runparam ---- */

#define PAGE_WORDS UINT64_C(512)
#define MINOR_LEAST UINT64_C(257) /* the largest small block and its header */

const struct runparam_name runparam_names[OCAML_SETTING_COUNT] = {
#define X(id, name, least, most, text) [id] = {name, least, most},
    OCAML_SETTINGS(X)
#undef X
};

/* A value as the runtime adjusts it: a minor heap to whole pages, a percentage to at least 1. */
static uint64_t normal(enum ocaml_setting_id id, uint64_t value)
{
	switch (id) {
	case OCAML_S:
		value = value < MINOR_LEAST ? MINOR_LEAST : value;
		return value > UINT64_MAX - PAGE_WORDS ? value
						       : (value + PAGE_WORDS - 1) / PAGE_WORDS * PAGE_WORDS;
	case OCAML_O:
	case OCAML_CUSTOM_MAJOR:
	case OCAML_CUSTOM_MINOR:
		return value < 1 ? 1 : value;
	default:
		return value;
	}
}

/* Parse the value after a letter.  Returns false if it is out of range or has a sign. */
static bool take_value(struct piece text, uint64_t *out)
{
	*out = 1;
	if (!piece_skip(&text, "="))
		return true;
	if (piece_skip(&text, "0x")) {
		if (!take_digits(&text.at, text.end, 16, out))
			return false;
	} else {
		skip_blanks(&text.at, text.end);
		if (text.at == text.end)
			return true;
		if (*text.at == '-' || *text.at == '+')
			return false;
		if (*text.at < '0' || *text.at > '9')
			return true; /* the runtime takes 1 if there is no number */
		if (!take_number(&text.at, text.end, out))
			return false;
	}
	if (*out > UINT32_MAX)
		return false;
	if (piece_skip(&text, "k"))
		*out <<= 10;
	else if (piece_skip(&text, "M"))
		*out <<= 20;
	else if (piece_skip(&text, "G"))
		*out <<= 30;
	return true;
}

void runparam_parse(const char *text, size_t len, enum ocaml_origin from, struct ocaml_settings *out)
{
	struct piece all = {text, text + len}, one;

	while (take_until(&all, ',', &one)) {
		for (unsigned i = 0; i < OCAML_SETTING_COUNT; i++) {
			const struct runparam_name *known = &runparam_names[i];
			struct piece rest = one;
			uint64_t value;

			if (!piece_skip(&rest, known->name) ||
			    (known->name[1] != '\0' && rest.at != rest.end && *rest.at != '='))
				continue;
			out->of[i] = (struct ocaml_setting){0, OCAML_UNKNOWN};
			if (!take_value(rest, &value))
				continue;
			value = normal(i, value);
			if (value >= known->least && value <= known->most)
				out->of[i] = (struct ocaml_setting){value, from};
		}
	}
}

/* ---- ocaml settings ---- */

/* The symbols.  PARAMS is a pointer to the start parameters; EMBEDDED is a text that was linked in
 * (OxCaml). */
enum {
	PERCENT_FREE,
	CUSTOM_MAJOR,
	CUSTOM_MINOR,
	CUSTOM_SIZE,
	STACK,
	SMALL_HEAP,
	PRUNE,
	STACKS_KEPT,
	PARAMS,
	EMBEDDED,
	SYMBOLS
};
enum { WORDS = PARAMS }; /* each symbol before PARAMS is one setting */

static const char *const names[SYMBOLS] = {"caml_percent_free", "caml_custom_major_ratio",
    "caml_custom_minor_ratio", "caml_custom_minor_max_bsz", "caml_max_stack_wsize", "caml_small_heap_limit",
    "caml_mark_stack_prune_factor", "caml_cache_stacks_per_class", "caml_params", "caml_ocamlrunparam"};
static const enum ocaml_setting_id ids[WORDS] = {OCAML_O, OCAML_CUSTOM_MAJOR, OCAML_CUSTOM_MINOR,
    OCAML_CUSTOM_SIZE, OCAML_STACK, OCAML_SMALL_HEAP, OCAML_PRUNE, OCAML_STACKS_KEPT};

/* Word indices in struct caml_params (startup_aux.h), relative to the members that newer releases put in
 * front. */
enum { PARAMS_E = 48 / 8, PARAMS_O = 80 / 8, PARAMS_S = 88 / 8, PARAMS_WORDS = PARAMS_S + 1 };

/* Maximum distance between the pointer and the struct, which both are static data of the program. */
#define PARAMS_APART (UINT64_C(1) << 31)

#define EMBEDDED_MAX 256

struct ocaml_reader {
	struct variables variables;
	bool found;
	const char *reason;
	struct elf_lookup symbols[SYMBOLS];
	struct ocaml_settings begun; /* from the linked-in parameters and the environment */
};

const char *ocaml_origin_name(enum ocaml_origin origin)
{
	static const char *const origins[] = {[OCAML_FROM_ENV] = "env",
	    [OCAML_FROM_EMBEDDED] = "embedded",
	    [OCAML_FROM_MEMORY] = "memory",
	    [OCAML_FROM_EVENTS] = "events",
	    [OCAML_FROM_PROGRAM] = "program"};

	return (unsigned)origin < sizeof origins / sizeof origins[0] ? origins[origin] : NULL;
}

/* Take the parameters linked into the program. */
static void read_embedded(struct ocaml_reader *reader)
{
	char text[EMBEDDED_MAX];
	size_t size = sizeof text;

	if (!reader->found || reader->symbols[EMBEDDED].count == 0)
		return;
	if (reader->symbols[EMBEDDED].size > 0 && reader->symbols[EMBEDDED].size < size)
		size = (size_t)reader->symbols[EMBEDDED].size;
	const struct variables_place place = {reader->symbols[EMBEDDED].address, size, text};
	if (variables_read(&reader->variables, &place, 1) == 0)
		runparam_parse(text, strnlen(text, size), OCAML_FROM_EMBEDDED, &reader->begun);
}

/* Take the parameters of the environment.  The runtime of a setuid process ignores them. */
static void read_environment(struct ocaml_reader *reader)
{
	const struct proc *proc = &reader->variables.proc;
	struct status_ids status;
	char *text;
	size_t len;
	int error = proc->dir < 0 ? ESRCH : proc_slurp(proc, "environ", PROC_ENVIRON_MAX, &text, &len);

	if (error == ESRCH && proc_hidden(proc))
		error = EACCES;
	reader->begun.environment = error == 0 ? SYSTEM_KNOWN : kept_reason(error);
	if (error != 0)
		return;
	if (status_read_ids(proc, &status) != 0 || !status.has_uid || status.uid == status.real_uid) {
		struct word word = words_value(text, len, "OCAMLRUNPARAM");

		if (word.text == NULL)
			word = words_value(text, len, "CAMLRUNPARAM");
		if (word.text != NULL)
			runparam_parse(word.text, word.len, OCAML_FROM_ENV, &reader->begun);
	}
	free(text);
}

struct ocaml_reader *ocaml_reader_create(const char *proc_root, pid_t pid)
{
	struct ocaml_reader *reader = calloc(1, sizeof *reader);

	if (reader == NULL)
		return NULL;
	for (unsigned i = 0; i < SYMBOLS; i++)
		reader->symbols[i].name = names[i];
	(void)variables_open(&reader->variables, proc_root, pid);
	reader->found =
	    variables_find(&reader->variables, reader->symbols, SYMBOLS, EMBEDDED, false, &reader->reason);
	read_embedded(reader);
	read_environment(reader);
	return reader;
}

void ocaml_reader_destroy(struct ocaml_reader *reader)
{
	if (reader == NULL)
		return;
	variables_close(&reader->variables);
	free(reader);
}

/* Whether a value is plausible for a setting. */
static bool believed(enum ocaml_setting_id id, uint64_t value)
{
	return value >= runparam_names[id].least && value <= runparam_names[id].most;
}

/* Set a value found in memory or in events.  If it equals the initial one, the origin stays; if memory has another, the
 * program has set it. */
static void found_value(
    struct ocaml_settings *out, enum ocaml_setting_id id, uint64_t value, enum ocaml_origin from)
{
	if (out->of[id].from == OCAML_UNKNOWN || out->of[id].value != value)
		out->of[id] = (struct ocaml_setting){value, from};
}

/* Read the variables that are one setting each.  Returns an errno value. */
static int read_words(struct ocaml_reader *reader, struct ocaml_settings *out)
{
	struct variables_place places[WORDS];
	uint64_t values[WORDS];
	enum ocaml_setting_id found[WORDS];
	size_t count = 0;

	for (unsigned i = 0; i < WORDS; i++)
		if (reader->symbols[i].count == 1) {
			places[count] = (struct variables_place){
			    reader->symbols[i].address, sizeof values[0], &values[count]};
			found[count++] = ids[i];
		}
	int error = count > 0 ? variables_read(&reader->variables, places, count) : 0;
	for (size_t i = 0; error == 0 && i < count; i++)
		if (believed(found[i], values[i]))
			found_value(out, found[i], values[i],
			    out->of[found[i]].from != OCAML_UNKNOWN ? OCAML_FROM_PROGRAM : OCAML_FROM_MEMORY);
	return error;
}

/* Read the start parameters.  In an unknown release the indices may differ: both values must be plausible. */
static int read_params(
    struct ocaml_reader *reader, const struct ocaml_evidence *evidence, struct ocaml_settings *out)
{
	uint64_t at, words[PARAMS_WORDS], own = reader->symbols[PARAMS].address;
	struct variables_place place = {own, sizeof at, &at};

	if (reader->symbols[PARAMS].count == 0 || reader->symbols[EMBEDDED].count != 0)
		return 0;
	int error = variables_read(&reader->variables, &place, 1);
	if (error != 0)
		return error;
	if (at % sizeof at != 0 || (at > own ? at - own : own - at) > PARAMS_APART)
		return 0;
	place = (struct variables_place){at + evidence->params_at, sizeof words, words};
	if (variables_read(&reader->variables, &place, 1) != 0)
		return 0;
	if (!believed(OCAML_E, words[PARAMS_E]) || !believed(OCAML_S, normal(OCAML_S, words[PARAMS_S])) ||
	    !believed(OCAML_O, normal(OCAML_O, words[PARAMS_O])))
		return 0;
	found_value(out, OCAML_E, words[PARAMS_E], OCAML_FROM_MEMORY);
	found_value(out, OCAML_S, normal(OCAML_S, words[PARAMS_S]), OCAML_FROM_MEMORY);
	if (out->of[OCAML_O].from == OCAML_FROM_MEMORY &&
	    out->of[OCAML_O].value != normal(OCAML_O, words[PARAMS_O]))
		out->of[OCAML_O].from = OCAML_FROM_PROGRAM;
	return 0;
}

/* Take evidence of the ring and of collections.  A domain may have enlarged its own minor heap; a smaller one
 * does not override a known initial size. */
static void weigh_evidence(const struct ocaml_evidence *evidence, struct ocaml_settings *out)
{
	const struct ocaml_setting *s = &out->of[OCAML_S];
	uint64_t log = 0;

	while (log < 63 && UINT64_C(1) << log < evidence->ring_words)
		log++;
	if (evidence->ring_words == UINT64_C(1) << log && believed(OCAML_E, log))
		found_value(out, OCAML_E, log, OCAML_FROM_EVENTS);
	/* The letter d has a meaning since 5.3 only: the ring or the runtime's memory shows the value in
	 * force. */
	if (believed(OCAML_D, evidence->max_domains))
		found_value(out, OCAML_D, evidence->max_domains,
		    evidence->ring_words != 0 ? OCAML_FROM_EVENTS : OCAML_FROM_MEMORY);
	else
		out->of[OCAML_D] = (struct ocaml_setting){0, OCAML_UNKNOWN};
	if (believed(OCAML_S, evidence->minor_heap))
		found_value(out, OCAML_S, evidence->minor_heap,
		    s->from != OCAML_UNKNOWN ? OCAML_FROM_PROGRAM : OCAML_FROM_MEMORY);
	else if (believed(OCAML_S, evidence->minor_words) &&
		 (s->from == OCAML_UNKNOWN || evidence->minor_words > s->value))
		found_value(out, OCAML_S, evidence->minor_words, OCAML_FROM_EVENTS);
}

void ocaml_settings_read(
    struct ocaml_reader *reader, const struct ocaml_evidence *evidence, struct ocaml_settings *out)
{
	const char *why = "there is no process";
	int error;

	if (reader == NULL) {
		*out = (struct ocaml_settings){.environment = SYSTEM_NO_FILE};
	} else {
		*out = reader->begun;
		why = reader->reason;
	}
	if (reader != NULL && reader->found) {
		error = read_words(reader, out);
		if (error == 0)
			error = read_params(reader, evidence, out);
		why = variables_why(error);
	}
	strlcpy(out->memory_why, why, sizeof(out->memory_why));
	weigh_evidence(evidence, out);
}
