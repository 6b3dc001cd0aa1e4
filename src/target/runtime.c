/*
 * runtime.c - find the OCaml runtime of a process, and read its counters.
 *
 * This is one file, since a sample checks again, and may forget, what was found before.
 */
#include "target/runtime.h"

enum {
	SLOTS_MAX = 512, /* elements of the table of domains that are read, at most */
	TURNS_MAX = 16,	 /* calls for one sample, at most: programs may begin domains all the time */
	PROOFS_MAX = 8, /* implausible samples until guesses are dropped: the program may be about to begin */
	PLACES_FIXED = 16,  /* places that one call reads, besides those of slots */
	PLACES_OF_SLOT = 3, /* the state, the heap, and the pointer to the heap again */
};

/* The largest number that is believed: a process would take centuries to count further. */
#define COUNT_MAX (UINT64_C(1) << 56)

#define DOMAINS_LIMIT 4096 /* the runtime's own limit */

/* Variables of one word, as read in one call. */
enum { TABLE, PARAMS, DOMAINS, RUNNING, MINORS, MAJORS, COMPACTIONS, TABLE_AGAIN, WORDS };

/* The statistics of allocation and of a heap, in the order of the runtime's structures. */
enum { MINOR_WORDS, PROMOTED_WORDS, MAJOR_WORDS, ALLOC_WORDS_MAX = 5 };
enum { POOL, POOL_MAX, POOL_LIVE, POOL_BLOCKS, POOL_FRAG, LARGE, LARGE_MAX, LARGE_BLOCKS, HEAP_WORDS };

/* One element of the table of domains. */
struct slot {
	uint64_t state, heap; /* their addresses, as far as known; 0: there is none */
	uint64_t heap_again;  /* the pointer, read after everything else */
	uint64_t stats[HEAP_WORDS];
	uint8_t bytes[RUNTIME_STATE_BYTES + sizeof(uint64_t)]; /* bytes of the state */
};

struct runtime {
	struct variables variables; /* unused if the memory is made up */
	struct memory_reader memory;
	struct runtime_symbols symbols;
	struct runtime_layout layout;
	size_t state_size;
	unsigned
	    unproven; /* samples that may still prove variables that were found by code; 0: all are proven */

	/* Addresses that have been read; 0: not yet. */
	uint64_t table, params;
	unsigned slots, slots_max; /* elements to read, and elements of the table */

	/* The destination of one call. */
	uint64_t words[WORDS];
	uint64_t orphans[ALLOC_WORDS_MAX], orphans_again[ALLOC_WORDS_MAX], orphan_heap[HEAP_WORDS];
	uint8_t *elements, *elements_again; /* SLOTS_MAX of them */
	struct slot *slot;		    /* SLOTS_MAX */
	struct variables_place places[PLACES_FIXED + SLOTS_MAX * PLACES_OF_SLOT];
	size_t place_count;
};

/* ---- finding it ---- */

/* Whether the symbols of fields are used: a file has those of all fields of its release, or none. */
static bool has_fields(const struct runtime_symbols *symbols)
{
	return symbols->field[RUNTIME_YOUNG_PTR] != RUNTIME_NO_FIELD;
}

static const char unproven[] = "how this build of its OCaml release uses memory is not known";

/* Choose the layout by release and correct it by symbols.  Returns false if it is not known or the symbols
 * contradict it. */
static bool choose_layout(struct runtime *r, const struct version *version, const char **why)
{
	static const enum runtime_field needed[] = {RUNTIME_YOUNG_PTR, RUNTIME_YOUNG_START, RUNTIME_YOUNG_END,
	    RUNTIME_MINOR_HEAP_WSZ, RUNTIME_SHARED_HEAP, RUNTIME_ID, RUNTIME_STAT_MINOR_WORDS,
	    RUNTIME_STAT_PROMOTED_WORDS, RUNTIME_STAT_MAJOR_WORDS, RUNTIME_STAT_FORCED_MAJOR,
	    RUNTIME_ALLOCATED_WORDS};
	const struct runtime_layout *layout = &r->layout;
	uint64_t size = r->symbols.table_size;

	*why = version->text[0] == '\0' ? "its OCaml release is not known"
					: "how its OCaml release uses memory is not known";
	if (version->text[0] == '\0' || !runtime_layout_of(version, &r->layout))
		return false;
	*why = unproven;
	if (layout->guessed && has_fields(&r->symbols) &&
	    memcmp(r->symbols.field, layout->field, sizeof layout->field) != 0)
		return false;
	*why = "the symbols in its program are not those of its OCaml release";
	if (has_fields(&r->symbols))
		memcpy(r->layout.field, r->symbols.field, sizeof r->layout.field);
	for (unsigned i = 0; i < sizeof needed / sizeof needed[0]; i++)
		if (layout->field[needed[i]] == RUNTIME_NO_FIELD)
			return false;
	if (r->symbols.variable[RUNTIME_ALL_DOMAINS] != 0 && size != 0 &&
	    size != (layout->tables_are_pointers ? sizeof(uint64_t)
						 : (uint64_t)layout->element * RUNTIME_STATIC_DOMAINS))
		return false;
	for (unsigned i = 0; i < RUNTIME_FIELD_COUNT; i++)
		if (layout->field[i] != RUNTIME_NO_FIELD &&
		    layout->field[i] + sizeof(uint64_t) > r->state_size)
			r->state_size = layout->field[i] + sizeof(uint64_t);
	*why = "";
	return true;
}

static struct runtime *allocate(const char **why)
{
	struct runtime *r = calloc(1, sizeof *r);

	*why = "there is no memory left";
	if (r == NULL)
		return NULL;
	r->variables = (struct variables){.proc.dir = -1, .mem = -1, .pages = -1};
	r->slot = calloc(SLOTS_MAX, sizeof *r->slot);
	for (unsigned i = 0; i < RUNTIME_FIELD_COUNT; i++)
		r->symbols.field[i] = RUNTIME_NO_FIELD;
	if (r->slot != NULL)
		return r;
	runtime_destroy(r);
	return NULL;
}

/* Prepare to read.  Returns false, with a reason, if that is not possible. */
static bool prepare(struct runtime *r, const struct version *version, const char **why)
{
	if (!choose_layout(r, version, why))
		return false;
	if (!r->layout.tables_are_pointers) {
		r->table = r->symbols.variable[RUNTIME_ALL_DOMAINS];
		r->slots = r->slots_max = RUNTIME_STATIC_DOMAINS;
	}
	r->elements = calloc(SLOTS_MAX, r->layout.element);
	r->elements_again = calloc(SLOTS_MAX, r->layout.element);
	*why = r->elements != NULL && r->elements_again != NULL ? "" : "there is no memory left";
	return (*why)[0] == '\0';
}

/* Return a word of a structure that was read. */
static uint64_t word_at(const uint8_t *bytes, size_t offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof word);
	return word;
}

static int32_t int_at(const uint8_t *bytes, size_t offset)
{
	int32_t n;

	memcpy(&n, bytes + offset, sizeof n);
	return n;
}

static const uint8_t *element(const struct runtime *r, unsigned i)
{
	return r->elements_again + (size_t)i * r->layout.element;
}

/* Whether a process confirms a guessed layout or guessed variables: take_domain has accepted all running
 * domains, each element of their table contains its own number, and the domains together have promoted no
 * more than they allocated (a single one may, since it also promotes values of others). */
static bool is_proven(const struct runtime *r, const struct runtime_sample *sample)
{
	bool good = sample->domain_count > 0;
	uint64_t promoted = 0, allocated = 0;

	for (unsigned i = 0; good && i < r->slots_max; i++)
		good = int_at(element(r, i), 0) == (int32_t)i;
	for (unsigned i = 0; good && i < sample->domain_count; i++) {
		promoted += sample->domains[i].promoted_words;
		allocated += sample->domains[i].minor_heap_words;
	}
	return good &&
	       (sample->minor_words == RUNTIME_UNKNOWN || promoted <= sample->minor_words + allocated);
}

/* Forget the addresses that were read. */
static void forget(struct runtime *r)
{
	r->params = 0;
	if (r->layout.tables_are_pointers) {
		r->table = 0;
		r->slots_max = 0;
	}
	r->slots = r->slots_max;
	for (unsigned i = 0; i < SLOTS_MAX; i++)
		r->slot[i].state = r->slot[i].heap = 0;
}

/* Drop the variables that were found by code. */
static void forget_guesses(struct runtime *r)
{
	for (unsigned i = 0; i < RUNTIME_VARIABLE_COUNT; i++)
		if ((r->symbols.by_code & UINT32_C(1) << i) != 0)
			r->symbols.variable[i] = 0;
	forget(r);
	if (!r->layout.tables_are_pointers)
		r->table = r->symbols.variable[RUNTIME_ALL_DOMAINS];
}

/* Prepare to read what was found.  If that is not possible, destroys the runtime and returns NULL with a
 * reason. */
static struct runtime *begin(struct runtime *r, bool found, const struct version *version, const char **why)
{
	struct runtime_sample *sample = malloc(sizeof *sample);

	if (sample != NULL && found && prepare(r, version, why)) {
		r->unproven = !r->layout.guessed && r->symbols.by_code != 0 ? PROOFS_MAX : 0;
		if (!r->layout.guessed && r->unproven == 0)
			goto done;
		const int error = runtime_sample(r, 1, sample);
		if (!r->layout.guessed || (error == 0 && is_proven(r, sample)))
			goto done;
		*why = unproven;
	}
	runtime_destroy(r);
	r = NULL;
done:
	free(sample);
	return r;
}

struct runtime *runtime_create(
    const char *proc_root, pid_t pid, const struct version *version, const char **why)
{
	struct runtime *r = allocate(why);

	if (r == NULL)
		return NULL;
	(void)variables_open(&r->variables, proc_root, pid);
	r->memory = variables_memory(&r->variables);
	return begin(r, runtime_symbols_find(&r->variables, &r->symbols, why), version, why);
}

struct runtime *runtime_create_over(const struct memory_reader *memory, const struct runtime_symbols *symbols,
    const struct version *version, const char **why)
{
	struct runtime *r = allocate(why);

	if (r == NULL)
		return NULL;
	r->memory = *memory;
	r->symbols = *symbols;
	return begin(r, true, version, why);
}

void runtime_destroy(struct runtime *r)
{
	if (r == NULL)
		return;
	variables_close(&r->variables);
	free(r->slot);
	free(r->elements);
	free(r->elements_again);
	free(r);
}

const struct runtime_layout *runtime_layout(const struct runtime *r)
{
	return &r->layout;
}

const char *runtime_ocaml_from(const struct runtime *runtime, const struct version *version)
{
	return runtime != NULL && runtime->layout.told != NULL ? runtime->layout.told
							       : version_origin_name(version->origin);
}

const char *runtime_ocaml_from_now(pid_t pid, const struct version *version)
{
	struct runtime_layout layout;
	struct runtime *runtime = NULL;
	const char *why;

	if (runtime_layout_of(version, &layout) && layout.told != NULL)
		runtime = runtime_create(NULL, pid, version, &why);
	const char *from = runtime_ocaml_from(runtime, version);
	runtime_destroy(runtime);
	return from;
}

uint64_t runtime_variable(const struct runtime *r, enum runtime_variable variable)
{
	return r->unproven != 0 && (r->symbols.by_code & UINT32_C(1) << variable) != 0
		   ? 0
		   : r->symbols.variable[variable];
}

struct memory_reader runtime_memory(struct runtime *r)
{
	return r->memory;
}

struct memory_reader runtime_memory_unchecked(struct runtime *r)
{
	return r->memory.ctx == &r->variables ? variables_memory_unchecked(&r->variables) : r->memory;
}

/* ---- one call ---- */

/* Add a place to the next call, unless its address is 0. */
static void place(struct runtime *r, uint64_t address, size_t size, void *to)
{
	if (address != 0)
		r->places[r->place_count++] = (struct variables_place){address, size, to};
}

static void place_variable(struct runtime *r, enum runtime_variable variable, size_t size, void *to)
{
	place(r, r->symbols.variable[variable], size, to);
}

/* Read everything whose address is known: each pointer before and after what it points to. */
static int read_all(struct runtime *r)
{
	const struct runtime_layout *layout = &r->layout;
	const size_t word = sizeof(uint64_t), alloc = layout->alloc_words * word;
	const uint64_t freelist = r->symbols.variable[RUNTIME_POOL_FREELIST];
	const size_t table = (size_t)r->slots * layout->element;

	r->place_count = 0;
	memset(r->words, 0, sizeof r->words);
	if (layout->tables_are_pointers) {
		place_variable(r, RUNTIME_ALL_DOMAINS, word, &r->words[TABLE]);
		place_variable(r, RUNTIME_PARAMS, word, &r->words[PARAMS]);
		place(r, r->params == 0 ? 0 : r->params + layout->params_at + RUNTIME_PARAMS_MAX_DOMAINS_AT,
		    word, &r->words[DOMAINS]);
	}
	place_variable(r, RUNTIME_ORPHANED_ALLOC_STATS, alloc, r->orphans);
	place(r, r->table, table, r->elements);
	for (unsigned i = 0; i < r->slots; i++) {
		struct slot *slot = &r->slot[i];

		place(r, slot->state, r->state_size, slot->bytes);
		place(r, slot->heap == 0 ? 0 : slot->heap + RUNTIME_HEAP_STATS_AT, sizeof slot->stats,
		    slot->stats);
	}
	place(
	    r, freelist == 0 ? 0 : freelist + RUNTIME_ORPHAN_STATS_AT, sizeof r->orphan_heap, r->orphan_heap);
	place_variable(r, RUNTIME_MINOR_COLLECTIONS, word, &r->words[MINORS]);
	place_variable(r, RUNTIME_MAJOR_CYCLES, word, &r->words[MAJORS]);
	place_variable(r, RUNTIME_COMPACTIONS, word, &r->words[COMPACTIONS]);
	place_variable(r, RUNTIME_DOMAINS_RUNNING, word, &r->words[RUNNING]);
	for (unsigned i = 0; i < r->slots; i++)
		place(r, r->slot[i].state == 0 ? 0 : r->slot[i].state + layout->field[RUNTIME_SHARED_HEAP],
		    word, &r->slot[i].heap_again);
	place(r, r->table, table, r->elements_again);
	place_variable(r, RUNTIME_ORPHANED_ALLOC_STATS, alloc, r->orphans_again);
	if (layout->tables_are_pointers)
		place_variable(r, RUNTIME_ALL_DOMAINS, word, &r->words[TABLE_AGAIN]);
	return r->memory.read(r->memory.ctx, r->places, r->place_count);
}

static uint64_t field(const struct runtime *r, const struct slot *slot, enum runtime_field which)
{
	return word_at(slot->bytes, r->layout.field[which]);
}

/* Store a pointer, or 0 if it is not plausible.  Returns whether it is new. */
static bool learn(uint64_t *known, uint64_t pointer)
{
	uint64_t before = *known;

	*known = pointer % sizeof(uint64_t) == 0 ? pointer : 0;
	return *known != before;
}

/* Compare the pointers to the table, and its size.  Returns whether one of them is new. */
static bool learn_table(struct runtime *r)
{
	uint64_t most = r->words[DOMAINS];

	if (!r->layout.tables_are_pointers)
		return false;
	bool news = learn(&r->params, r->words[PARAMS]);
	if (r->params == 0 || r->words[TABLE] != r->words[TABLE_AGAIN])
		return true;
	if (!news && r->slots_max == 0 && most > 0 && most <= DOMAINS_LIMIT) {
		r->slots = r->slots_max = most < SLOTS_MAX ? (unsigned)most : SLOTS_MAX;
		news = true;
	}
	/* The table can be read only once its size is known. */
	return learn(&r->table, r->slots_max == 0 ? 0 : r->words[TABLE]) || news;
}

/* Compare what was known of a domain with what was read.  Returns whether they differ, or the domain is
 * ending or beginning. */
static bool learn_slot(struct runtime *r, unsigned i)
{
	const uint8_t *before = r->elements + (size_t)i * r->layout.element, *after = element(r, i);
	struct slot *slot = &r->slot[i];

	if (learn(&slot->state, word_at(after, r->layout.state_at))) {
		slot->heap = 0;
		return true;
	}
	if (slot->state == 0)
		return false;
	if (learn(&slot->heap, slot->heap_again) || field(r, slot, RUNTIME_SHARED_HEAP) != slot->heap_again)
		return true;
	return word_at(before, r->layout.unique_at) != word_at(after, r->layout.unique_at) ||
	       int_at(before, r->layout.running_at) != int_at(after, r->layout.running_at) ||
	       (slot->heap != 0) != (int_at(after, r->layout.running_at) != 0);
}

/* Compare everything that was read with what was known.  Returns whether it must be read again. */
static bool learn_all(struct runtime *r)
{
	unsigned used = 0, running = 0;
	bool news = learn_table(r);

	if (r->table == 0 || news)
		return news;
	news = memcmp(r->orphans, r->orphans_again, sizeof r->orphans) != 0;
	for (unsigned i = 0; i < r->slots; i++) {
		news = learn_slot(r, i) || news;
		if (r->slot[i].state == 0)
			continue;
		used = i + 1;
		running += int_at(element(r, i), r->layout.running_at) != 0;
	}
	/* Read the slots that have not been used so far only if more domains run than the known slots
	 * have. */
	if (!news && r->words[RUNNING] != running && (r->slots < r->slots_max || r->slots_max == SLOTS_MAX)) {
		r->slots = r->slots_max;
		return true;
	}
	if (!news && used > 0)
		r->slots = used;
	return news;
}

/* ---- a sample ---- */

/* Add to a sum.  Returns false if the result is absurd. */
static bool add(uint64_t *sum, uint64_t n)
{
	if (n >= COUNT_MAX)
		return false;
	*sum += n;
	return *sum < COUNT_MAX;
}

/* Add the counters of allocation and the statistics of a heap. */
static bool add_alloc(struct runtime_sample *out, uint64_t minor, uint64_t promoted, uint64_t major)
{
	return add(&out->minor_words, minor) && add(&out->promoted_words, promoted) &&
	       add(&out->major_words, major);
}

static bool add_heap(struct runtime_sample *out, const uint64_t stats[HEAP_WORDS])
{
	uint64_t used = 0;

	/* Each is below the limit, so their sum does not overflow. */
	return add(&used, stats[POOL_LIVE]) && add(&used, stats[POOL_FRAG]) && used <= stats[POOL] &&
	       add(&out->heap_words, stats[POOL]) && add(&out->heap_words, stats[LARGE]) &&
	       add(&out->large_words, stats[LARGE]) && add(&out->live_words, stats[POOL_LIVE]) &&
	       add(&out->live_words, stats[LARGE]) && add(&out->free_words, stats[POOL] - used) &&
	       add(&out->fragment_words, stats[POOL_FRAG]) && add(&out->top_heap_words, stats[POOL_MAX]) &&
	       add(&out->top_heap_words, stats[LARGE_MAX]);
}

/* Describe a running domain.  Returns false if its state is inconsistent. */
static bool take_domain(const struct runtime *r, unsigned i, struct runtime_domain *out)
{
	const struct slot *slot = &r->slot[i];
	const uint8_t *at = element(r, i);
	const uint64_t *stats = slot->stats;
	uint64_t ptr = field(r, slot, RUNTIME_YOUNG_PTR);
	int32_t owner = int_at(at, r->layout.lock_at + 8u);
	const uint16_t *fields = r->layout.field;
	uint64_t c_stack = fields[RUNTIME_C_STACK] != RUNTIME_NO_FIELD ? field(r, slot, RUNTIME_C_STACK) : 0;

	if (c_stack == 0 && fields[RUNTIME_EXTERNAL_RAISE] != RUNTIME_NO_FIELD)
		c_stack = field(r, slot, RUNTIME_EXTERNAL_RAISE);
	*out = (struct runtime_domain){.slot = i,
	    .unique = word_at(at, r->layout.unique_at),
	    .element = r->table + (uint64_t)i * r->layout.element,
	    .state = slot->state,
	    .tid = int_at(at, r->layout.lock_at) != 0 && owner > 0 ? owner : 0,
	    .c_stack = c_stack,
	    .minor_heap_words = field(r, slot, RUNTIME_MINOR_HEAP_WSZ),
	    .minor_words = field(r, slot, RUNTIME_STAT_MINOR_WORDS),
	    .promoted_words = field(r, slot, RUNTIME_STAT_PROMOTED_WORDS),
	    .major_words = field(r, slot, RUNTIME_STAT_MAJOR_WORDS),
	    .allocated_words = field(r, slot, RUNTIME_ALLOCATED_WORDS),
	    .heap_words = stats[POOL] + stats[LARGE],
	    .live_words = stats[POOL_LIVE] + stats[LARGE],
	    .area_start = word_at(at, r->layout.area_at),
	    .area_end = word_at(at, r->layout.area_at + 8u),
	    .young_start = field(r, slot, RUNTIME_YOUNG_START),
	    .young_end = field(r, slot, RUNTIME_YOUNG_END)};
	/* In OCaml 5.5 a domain has no minor heap while that is being resized. */
	bool none = out->young_start == 0 && ptr == 0 && out->young_end == 0;
	if (int_at(at, 0) != (int32_t)i || (uint32_t)field(r, slot, RUNTIME_ID) != i ||
	    (!none && (out->area_start > out->young_start || out->young_start > ptr || ptr > out->young_end ||
			  out->young_end > out->area_end)) ||
	    out->allocated_words >= COUNT_MAX ||
	    out->young_end - out->young_start != out->minor_heap_words * sizeof(uint64_t))
		return false;
	out->young_used_words = (out->young_end - ptr) / sizeof(uint64_t);
	return true;
}

/* Add one slot, of a running or ended domain, to the sums.  Returns false if it is inconsistent. */
static bool take_slot(const struct runtime *r, unsigned i, struct runtime_sample *out, uint64_t *minors)
{
	const struct slot *slot = &r->slot[i];
	const uint8_t *at = element(r, i);
	struct runtime_domain domain;

	if (slot->state == 0)
		return true;
	if (r->layout.field[RUNTIME_STAT_MINOR_COLLECTIONS] != RUNTIME_NO_FIELD &&
	    !add(minors, field(r, slot, RUNTIME_STAT_MINOR_COLLECTIONS)))
		return false;
	if (!add_alloc(out, field(r, slot, RUNTIME_STAT_MINOR_WORDS),
		field(r, slot, RUNTIME_STAT_PROMOTED_WORDS), field(r, slot, RUNTIME_STAT_MAJOR_WORDS)) ||
	    !add(&out->forced_major_collections, field(r, slot, RUNTIME_STAT_FORCED_MAJOR)) ||
	    (slot->heap != 0 && !add_heap(out, slot->stats)))
		return false;
	if (int_at(at, r->layout.running_at) == 0 || int_at(at, r->layout.terminating_at) != 0)
		return true;
	if (!take_domain(r, i, &domain))
		return false;
	out->running++;
	if (out->domain_count < RUNTIME_DOMAINS_MAX)
		out->domains[out->domain_count++] = domain;
	return true;
}

/* Leave out what depends on the table of domains, or what ended domains left. */
static void leave_out(const struct runtime *r, bool table, struct runtime_sample *out)
{
	const uint64_t *variable = r->symbols.variable;

	if (!table || variable[RUNTIME_ORPHANED_ALLOC_STATS] == 0)
		out->minor_words = out->promoted_words = out->major_words = out->forced_major_collections =
		    RUNTIME_UNKNOWN;
	if (!table || variable[RUNTIME_POOL_FREELIST] == 0)
		out->heap_words = out->live_words = out->free_words = out->fragment_words =
		    out->top_heap_words = out->large_words = RUNTIME_UNKNOWN;
	if (r->layout.counts_compactions && variable[RUNTIME_COMPACTIONS] == 0)
		out->compactions = RUNTIME_UNKNOWN;
}

/* Evaluate what the last call read.  Returns false if it is inconsistent. */
static bool take_all(const struct runtime *r, struct runtime_sample *out)
{
	const struct runtime_layout *layout = &r->layout;
	bool counts_by_domain = layout->field[RUNTIME_STAT_MINOR_COLLECTIONS] != RUNTIME_NO_FIELD;
	const uint64_t *orphans = r->orphans_again;
	uint64_t minors = counts_by_domain ? orphans[MAJOR_WORDS + 1] : 0;

	for (unsigned i = 0; i < r->slots && r->table != 0; i++)
		if (!take_slot(r, i, out, &minors))
			return false;
	if (!add_alloc(out, orphans[MINOR_WORDS], orphans[PROMOTED_WORDS], orphans[MAJOR_WORDS]) ||
	    !add(&out->forced_major_collections, orphans[layout->alloc_words - 1]) ||
	    !add_heap(out, r->orphan_heap))
		return false;
	if (counts_by_domain)
		out->minor_collections =
		    r->table != 0 && r->symbols.variable[RUNTIME_ORPHANED_ALLOC_STATS] != 0 ? minors
											    : RUNTIME_UNKNOWN;
	else
		out->minor_collections =
		    r->symbols.variable[RUNTIME_MINOR_COLLECTIONS] != 0 ? r->words[MINORS] : RUNTIME_UNKNOWN;
	out->major_cycles = r->words[MAJORS];
	out->compactions = r->words[COMPACTIONS];
	leave_out(r, r->table != 0, out);
	return r->words[MINORS] < COUNT_MAX && r->words[MAJORS] < COUNT_MAX &&
	       r->words[COMPACTIONS] < COUNT_MAX;
}

/* Sample once, trusting guesses. */
static int sample_all(struct runtime *r, uint64_t now, struct runtime_sample *out)
{
	bool forgotten = false;

	for (unsigned turn = 0; turn < TURNS_MAX; turn++) {
		int error = read_all(r);

		memset(out, 0, sizeof *out);
		out->ts = now;
		/* The target of a pointer may be gone: find everything again, once. */
		if (error == EFAULT && !forgotten) {
			forget(r);
			forgotten = true;
			continue;
		}
		if (error != 0) {
			*out = (struct runtime_sample){0};
			return error;
		}
		if (!learn_all(r) && take_all(r, out)) {
			out->max_domains = !r->layout.tables_are_pointers	? RUNTIME_STATIC_DOMAINS
					   : r->words[DOMAINS] <= DOMAINS_LIMIT ? (unsigned)r->words[DOMAINS]
										: 0;
			return 0;
		}
	}
	*out = (struct runtime_sample){0};
	return EAGAIN;
}

int runtime_sample(struct runtime *r, uint64_t now, struct runtime_sample *out)
{
	const int error = sample_all(r, now, out);

	if (r->unproven == 0 || (error != 0 && error != EAGAIN && error != EFAULT))
		return error;
	/* A program has no domain directly after an exec. */
	if (error != 0 && --r->unproven > 0)
		return error;
	if (error == 0 && out->domain_count == 0) {
		leave_out(r, false, out);
		return 0;
	}
	r->unproven = 0;
	if (error == 0 && is_proven(r, out))
		return 0;
	forget_guesses(r);
	return sample_all(r, now, out);
}
