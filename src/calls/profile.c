/*
 * profile.c - the tree of calls, the functions in it, and the counts of samples.
 *
 * Node 0 of the tree is the root; its children are the domains, whose function is DOMAIN plus one more than
 * the domain; below them are calls.  A node is known by its parent, its function and the line in it.
 */
#include "calls/profile.h"

#include "calls/profile_private.h"
#include "core/order.h"

#define DOMAIN 0x80000000u
#define DOMAINS_MAX 4096

/* Where the search for a hash begins in a table with `slots` slots, a power of two. */
static size_t first_slot(uint64_t hash, size_t slots)
{
	return (size_t)(hash * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (slots - 1);
}

struct profile *profile_create(void)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	memset(p->function_slots, 0xFF, sizeof(p->function_slots));
	memset(p->node_slots, 0xFF, sizeof(p->node_slots));
	p->nodes[CALLS_ROOT] = (struct calls_node){.parent = CALLS_NONE, .function = CALLS_NONE};
	p->node_count = 1;
	p->other = profile_function(p, "(other code)", NULL, 0, true);
	p->unknown = profile_function(p, "[caller not known]", NULL, 0, true);
	if (p->other != CALLS_NONE && p->unknown != p->other)
		return p;
	profile_destroy(p);
	return NULL;
}

void profile_destroy(struct profile *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->function_count; i++)
		free(p->names[i]);
	free(p);
}

/* Copy the names of a function, in place of its former names.  False when memory ran out. */
static bool name_function(struct profile *p, size_t function, const char *name, const char *file)
{
	size_t name_size = strlen(name) + 1, file_size = file != NULL ? strlen(file) + 1 : 0;
	char *names = malloc(name_size + file_size);

	if (names == NULL)
		return false;
	memcpy(names, name, name_size);
	if (file != NULL)
		memcpy(names + name_size, file, file_size);
	free(p->names[function]);
	p->names[function] = names;
	p->functions[function].name = names;
	p->functions[function].file = file != NULL ? names + name_size : NULL;
	return true;
}

/* Add a function.  False when memory ran out. */
static bool function_put(struct profile *p, const char *name, const char *file)
{
	p->names[p->function_count] = NULL;
	if (!name_function(p, p->function_count, name, file))
		return false;
	p->function_count++;
	return true;
}

struct profile *profile_copy(const struct profile *from)
{
	struct profile *p = malloc(sizeof(*p));

	if (p == NULL)
		return NULL;
	memcpy(p, from, sizeof(*p));
	p->function_count = 0;
	for (size_t i = 0; i < from->function_count; i++) {
		const struct profile_function *f = &from->functions[i];
		if (!function_put(p, f->name, f->file)) {
			profile_destroy(p);
			return NULL;
		}
	}
	return p;
}

void profile_reset(struct profile *p)
{
	memset(p->counts, 0, sizeof(p->counts));
	p->recent_first = p->recent_settled = p->recent_end;
	p->generation++;
}

/* ---- functions ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
	return hash * 31 + 1;
}

/* Whether a C function, by its name in OCaml 5.0 to 5.5, shows that the collector is at work or waits for
 * other domains. */
static bool is_collector(const char *name)
{
	static const char *const begins[] = {"caml_poll_gc_work", "caml_handle_gc_interrupt",
	    "caml_handle_incoming_interrupts", "caml_minor_collection", "caml_empty_minor_heap",
	    "caml_try_empty_minor_heap", "caml_stw_empty_minor_heap", "caml_major_collection_slice",
	    "caml_opportunistic_major_collection_slice", "major_collection_slice", "caml_finish_major_cycle",
	    "caml_finish_marking", "caml_finish_sweeping", "caml_compact_heap", "caml_sweep", "pool_sweep",
	    "caml_darken", "oldify_", "caml_try_run_on_all_domains", "stw_handler", "do_some_marking",
	    "mark_stack", "mark_slice", "caml_scan_", "caml_do_roots", "try_update_object_header"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (strncmp(name, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

uint32_t profile_function(struct profile *p, const char *name, const char *file, unsigned line, bool c)
{
	size_t slots = sizeof(p->function_slots) / sizeof(p->function_slots[0]);
	size_t at = first_slot(hash_text(c, name), slots);

	for (; p->function_slots[at] != CALLS_NONE; at = (at + 1) & (slots - 1)) {
		struct profile_function *f = &p->functions[p->function_slots[at]];
		/* A function may be added without its file first, where only its name is known. */
		if (f->c != c || strcmp(f->name, name) != 0 ||
		    (f->file != NULL && file != NULL && strcmp(f->file, file) != 0))
			continue;
		if (f->file == NULL && file != NULL)
			name_function(p, p->function_slots[at], name, file);
		if (f->line == 0)
			f->line = line;
		return p->function_slots[at];
	}
	if (p->function_count == PROFILE_FUNCTIONS_MAX || !function_put(p, name, file))
		return p->function_count != 0 ? p->other : CALLS_NONE;
	uint32_t function = (uint32_t)p->function_count - 1;
	p->functions[function].line = line;
	p->functions[function].c = c;
	p->functions[function].collector = c && is_collector(name);
	p->function_slots[at] = function;
	return function;
}

void profile_line(struct profile *p, uint32_t function, unsigned line)
{
	if (function < p->function_count && p->functions[function].line == 0)
		p->functions[function].line = line;
}

void profile_library(struct profile *p, uint32_t function)
{
	if (function < p->function_count)
		p->functions[function].library = true;
}

const struct profile_function *profile_function_of(const struct profile *p, uint32_t function)
{
	return &p->functions[function < p->function_count ? function : p->other];
}

size_t profile_function_count(const struct profile *p)
{
	return p->function_count;
}

/* ---- stacks ---- */

/* Find or add a child; CALLS_NONE when there is no room.  `least` nodes are kept free for others. */
static uint32_t child_of(struct profile *p, uint32_t parent, struct profile_frame frame, size_t least)
{
	size_t slots = sizeof(p->node_slots) / sizeof(p->node_slots[0]);
	uint64_t hash = ((uint64_t)parent << 32 | frame.function) ^ (uint64_t)frame.line << 17;

	hash = (hash ^ hash >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
	for (size_t at = first_slot(hash, slots);; at = (at + 1) & (slots - 1)) {
		uint32_t node = p->node_slots[at];
		if (node == CALLS_NONE && p->node_count + least >= PROFILE_NODES_MAX)
			return CALLS_NONE;
		if (node == CALLS_NONE) {
			node = p->node_slots[at] = (uint32_t)p->node_count++;
			p->nodes[node] = (struct calls_node){.parent = parent, .function = frame.function};
			p->lines[node] = frame.line;
			p->nested[node] = false;
			for (uint32_t up = parent; up != CALLS_ROOT && !p->nested[node];
			     up = p->nodes[up].parent)
				p->nested[node] = p->nodes[up].function == frame.function;
			return node;
		}
		if (p->nodes[node].parent == parent && p->nodes[node].function == frame.function &&
		    p->lines[node] == frame.line)
			return node;
	}
}

uint32_t profile_stack(
    struct profile *p, int domain, const struct profile_frame *frames, size_t count, unsigned marks)
{
	uint32_t of = domain >= 0 && domain < DOMAINS_MAX ? (uint32_t)domain + 1 : 0;
	uint32_t group = child_of(p, CALLS_ROOT, (struct profile_frame){.function = DOMAIN + of}, 0);
	uint32_t node = group;

	/* A recording may already contain the frame for unknown callers. */
	if (node != CALLS_NONE && count > 0 && (marks & PROFILE_INCOMPLETE) != 0 &&
	    frames[count - 1].function != p->unknown)
		node =
		    child_of(p, node, (struct profile_frame){.function = p->unknown}, 2 * (DOMAINS_MAX + 1));
	while (node != CALLS_NONE && count > 0)
		node = child_of(p, node, frames[--count], 2 * (DOMAINS_MAX + 1));
	if (node == CALLS_NONE && group != CALLS_NONE)
		node = child_of(p, group, (struct profile_frame){.function = p->other}, 0);
	return node != CALLS_NONE ? node : CALLS_ROOT;
}

size_t profile_frames(const struct profile *p, uint32_t stack, struct profile_frame *frames, size_t size)
{
	size_t count = 0;

	for (uint32_t at = stack; at < p->node_count && at != CALLS_ROOT && p->nodes[at].parent != CALLS_ROOT;
	     at = p->nodes[at].parent, count++)
		if (count < size)
			frames[count] =
			    (struct profile_frame){.function = p->nodes[at].function, .line = p->lines[at]};
	return count;
}

/* ---- samples ---- */

static void count(struct profile *p, const struct profile_sample *s)
{
	struct profile_counts *c = &p->counts[s->stack];

	p->generation++;
	if ((s->marks & (PROFILE_OFF | PROFILE_UNSEEN)) != 0) {
		c->off += (s->marks & PROFILE_OFF) != 0;
		c->unseen += (s->marks & PROFILE_UNSEEN) != 0;
		return;
	}
	c->on++;
	c->incomplete += (s->marks & PROFILE_INCOMPLETE) != 0;
	c->known += (s->marks & PROFILE_GC_KNOWN) != 0;
	c->gc += (s->marks & PROFILE_GC) != 0;
}

static struct profile_sample *recent(struct profile *p, uint64_t index)
{
	return &p->recent[index % PROFILE_RECENT];
}

void profile_add(struct profile *p, const struct profile_sample *sample)
{
	if (sample->stack >= p->node_count)
		return;
	if (p->recent_end - p->recent_first == PROFILE_RECENT) {
		if (p->recent_settled == p->recent_first)
			count(p, recent(p, p->recent_settled++));
		p->recent_first++;
	}
	*recent(p, p->recent_end++) = *sample;
}

/* Whether the collector was at work, by the C functions called from OCaml in a stack; -1: the stack does not
 * tell. */
static int collects(const struct profile *p, uint32_t stack)
{
	for (; stack != CALLS_ROOT && p->nodes[stack].parent != CALLS_ROOT; stack = p->nodes[stack].parent) {
		const struct profile_function *f = profile_function_of(p, p->nodes[stack].function);

		if (!f->c || f->collector)
			return f->collector;
	}
	return -1;
}

void profile_settle(
    struct profile *p, uint64_t until, int (*inside)(void *ctx, int domain, uint64_t ts), void *ctx)
{
	while (p->recent_settled < p->recent_end) {
		struct profile_sample *s = recent(p, p->recent_settled);
		if (s->ts >= until)
			break;
		int gc = collects(p, s->stack);
		if (gc < 0 && inside != NULL && s->domain >= 0)
			gc = inside(ctx, s->domain, s->ts);
		if (gc >= 0)
			s->marks |= (uint8_t)(PROFILE_GC_KNOWN | (gc != 0 ? PROFILE_GC : 0));
		count(p, s);
		p->recent_settled++;
	}
}

size_t profile_settled(const struct profile *p, uint64_t *next, struct profile_sample **list)
{
	uint64_t from = *next > p->recent_first ? *next : p->recent_first;
	size_t count = from < p->recent_settled ? (size_t)(p->recent_settled - from) : 0;

	*next = p->recent_settled;
	*list = count != 0 ? calloc(count, sizeof(**list)) : NULL;
	for (size_t i = 0; *list != NULL && i < count; i++)
		(*list)[i] = p->recent[(from + i) % PROFILE_RECENT];
	return *list != NULL ? count : 0;
}

uint64_t profile_generation(const struct profile *p)
{
	return p->generation;
}

/* ---- counts ---- */

static void add_counts(struct profile_counts *to, const struct profile_counts *from)
{
	to->on += from->on;
	to->incomplete += from->incomplete;
	to->known += from->known;
	to->gc += from->gc;
	to->off += from->off;
	to->unseen += from->unseen;
}

/* Whether a child of the root belongs to a domain. */
static bool is_of(const struct profile *p, uint32_t group, int domain)
{
	uint32_t of = p->nodes[group].function - DOMAIN;

	return domain == PROFILE_ALL || of == (uint32_t)(domain >= 0 ? domain + 1 : 0);
}

/* Return for each node whether it counts for a domain.  The caller frees the array.  NULL when memory ran out. */
static bool *chosen_nodes(const struct profile *p, int domain)
{
	bool *chosen = calloc(p->node_count, sizeof(*chosen));

	for (uint32_t i = 1; chosen != NULL && i < p->node_count; i++)
		chosen[i] =
		    p->nodes[i].parent == CALLS_ROOT ? is_of(p, i, domain) : chosen[p->nodes[i].parent];
	return chosen;
}

void profile_totals(const struct profile *p, int domain, struct profile_totals *out)
{
	bool *chosen = chosen_nodes(p, domain);

	*out = (struct profile_totals){0};
	for (size_t i = 1; chosen != NULL && i < p->node_count; i++) {
		struct profile_counts c = p->counts[i];
		if (!chosen[i])
			continue;
		add_counts(&out->counts, &c);
		if (p->nodes[i].function == p->other)
			out->other += c.on + c.off;
	}
	free(chosen);
}

/* Least samples that tell of how many the callers are not known, and the least part of them that matters. */
enum { ON_LEAST = 50, UNKNOWN_MANY = 10 };

const char *profile_more(const struct profile_counts *c, bool slow)
{
	/* A sample that is read when its thread has gone on may lack its callers. */
	return c->on < ON_LEAST || c->incomplete * UNKNOWN_MANY < c->on ? NULL
	       : slow ? "More callers are known where fewer processes are busy, and if rtevtop may raise its "
			"priority "
			"(CAP_SYS_NICE)."
		      : "More callers are known where fewer processes are busy.";
}

bool profile_has(const struct profile *p, int domain)
{
	struct profile_totals t;

	profile_totals(p, domain, &t);
	return t.counts.on + t.counts.off > 0;
}

/* Order by the rows' names. */
static int compare_rows(const void *a_, const void *b_, void *p)
{
	const struct profile_row *a = a_, *b = b_;

	const int order = ORDER_BY(
	    ORDER_FALLING(a, b, self.on), ORDER_FALLING(a, b, total.on), ORDER_FALLING(a, b, total.off));
	if (order != 0)
		return order;
	return ORDER_BY(
	    strcmp(profile_function_of(p, a->function)->name, profile_function_of(p, b->function)->name),
	    ORDER_RISING(a, b, function));
}

enum { STRETCHES = 16, STRETCH_LEAST = 4, SPREAD_MOST = 4096 /* samples that are looked at: the latest */ };

/* How much the shares of stretches of `length` samples differ, as a part of what those of independent samples would; with Student's
 * factor for so few. */
static double spread_of(const uint32_t in[STRETCHES], double length)
{
	double sum = 0, square = 0;

	for (unsigned i = 0; i < STRETCHES; i++) {
		sum += in[i];
		square += (double)in[i] * in[i];
	}
	const double share = sum / (STRETCHES * length), random = length * share * (1 - share);
	const double spread = 1.087 * sqrt((square - sum * sum / STRETCHES) / (STRETCHES - 1) / random);
	return random > 0 && spread > 1 ? spread : 1;
}

/* Samples that are nearly in step with what a program does in turns see one thing too often for a while, which shows in how the
 * shares of stretches of time differ. */
static void spread_rows(const struct profile *p, const bool *chosen, struct profile_row *rows)
{
	uint32_t(*in)[STRETCHES] = calloc(p->function_count, sizeof(*in));
	const uint64_t held = p->recent_settled - p->recent_first,
		       most = held < SPREAD_MOST ? held : SPREAD_MOST;
	uint32_t *stacks = calloc(SPREAD_MOST, sizeof(*stacks));
	size_t count = 0;

	for (uint64_t i = p->recent_settled - most; stacks != NULL && i < p->recent_settled; i++) {
		const struct profile_sample *s = &p->recent[i % PROFILE_RECENT];

		if (chosen[s->stack] && (s->marks & (PROFILE_OFF | PROFILE_UNSEEN | PROFILE_INCOMPLETE)) == 0)
			stacks[count++] = s->stack;
	}
	const size_t length = count / STRETCHES;
	for (size_t i = 0; in != NULL && i < length * STRETCHES; i++)
		for (uint32_t n = stacks[i]; p->nodes[n].parent != CALLS_ROOT; n = p->nodes[n].parent)
			in[p->nodes[n].function][i / length] += !p->nested[n];
	for (size_t i = 0; i < p->function_count; i++)
		rows[i].spread = in != NULL && length >= STRETCH_LEAST ? spread_of(in[i], (double)length) : 1;
	free(in);
	free(stacks);
}

bool profile_rows(const struct profile *p, int domain, struct profile_row **rows, size_t *count)
{
	struct profile_counts *whole = calloc(p->node_count, sizeof(*whole));
	bool *chosen = chosen_nodes(p, domain);
	struct profile *names = (struct profile *)(uintptr_t)p; /* compare_rows gets it through qsort_r */

	*count = 0;
	*rows = calloc(p->function_count, sizeof(**rows));
	bool done = whole != NULL && chosen != NULL && *rows != NULL;
	for (size_t i = p->node_count; done && i-- > 1;) {
		const struct calls_node *node = &p->nodes[i];
		if (!chosen[i] || node->parent == CALLS_ROOT)
			continue;
		struct profile_counts own = p->counts[i];
		struct profile_row *row = &(*rows)[node->function];
		add_counts(&whole[i], &own);
		add_counts(&whole[node->parent], &whole[i]);
		add_counts(&row->self, &own);
		if (!p->nested[i])
			add_counts(&row->total, &whole[i]);
	}
	if (done)
		spread_rows(p, chosen, *rows);
	for (size_t i = 0; done && i < p->function_count; i++)
		if (i != p->unknown && (*rows)[i].total.on + (*rows)[i].total.off > 0) {
			(*rows)[*count] = (*rows)[i];
			(*rows)[(*count)++].function = (uint32_t)i;
		}
	if (done && *count > 1)
		qsort_r(*rows, *count, sizeof(**rows), compare_rows, names);
	free(whole);
	free(chosen);
	return done;
}

struct profile_share profile_total(const struct profile_row *row, const struct profile_counts *all)
{
	const struct profile_share self = {row->self.on, all->on},
				   known = {row->total.on - row->total.incomplete, all->on - all->incomplete};

	return (double)known.part * (double)self.all < (double)self.part * (double)known.all ? self : known;
}

double profile_error(uint64_t part, uint64_t all)
{
	double n = (double)all, share = (double)part / n, z = 1.96;

	if (all == 0)
		return NAN;
	return z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n);
}

uint64_t profile_weigh(const struct profile_counts *counts, enum profile_weight weight)
{
	switch (weight) {
	case PROFILE_W_OFF:
		return counts->off;
	case PROFILE_W_GC:
		return counts->gc;
	case PROFILE_W_OUTSIDE:
		return counts->known - counts->gc;
	case PROFILE_W_ON:
		break;
	}
	return counts->on;
}

bool profile_bars(const struct profile *p, int domain, enum profile_weight weight,
    const struct calls_bars_options *shape, struct calls_bars *out)
{
	uint64_t *own = calloc(p->node_count, sizeof(*own));
	bool *chosen = chosen_nodes(p, domain);
	bool done = own != NULL && chosen != NULL;

	*out = (struct calls_bars){0};
	for (size_t i = 1; done && i < p->node_count; i++) {
		struct profile_counts c = p->counts[i];
		own[i] = chosen[i] ? profile_weigh(&c, weight) : 0;
	}
	done = done && calls_bars(p->nodes, p->node_count, own, shape, out);
	free(own);
	free(chosen);
	return done;
}

void profile_stacks(const struct profile *p, profile_stack_visit *visit, void *ctx)
{
	for (uint32_t i = 1; i < p->node_count; i++) {
		struct profile_counts c = p->counts[i];
		uint32_t group = i;
		if (c.on + c.off == 0)
			continue;
		while (p->nodes[group].parent != CALLS_ROOT)
			group = p->nodes[group].parent;
		if (!visit(ctx, i, (int)(p->nodes[group].function - DOMAIN) - 1, &c))
			return;
	}
}
