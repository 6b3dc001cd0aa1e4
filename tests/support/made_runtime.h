/*
 * made_runtime.h - the memory of an OCaml runtime, made up by what is known of each release, independently of the table that
 * reads it: three domains, of which the second has ended.
 */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "target/runtime.h"

enum { MADE_BASE = 0x10000, MADE_WORDS = 1 << 14 }; /* address and size of all there is */

/* Places in it, as byte offsets. */
enum {
	MADE_GLOBALS = 0,      /* a word for each variable of RUNTIME_VARIABLES */
	MADE_ORPHANS = 0x200,  /* orphaned_alloc_stats */
	MADE_FREELIST = 0x300, /* pool_freelist */
	MADE_PARAMS = 0x700,   /* struct caml_params */
	MADE_STATES = 0x1000,  /* 0x800 for each domain: state, then heap */
	MADE_HEAPS = 0x4000,
	MADE_TABLE = 0x8000, /* of domains, 128 of them */
	MADE_EACH = 0x800
};

/* What differs between releases, from the facts. */
struct made_release {
	const char *version;
	unsigned element, state, running, unique, lock, area;
	bool pointer; /* all_domains */
	unsigned wsz, heap, id, stats, forced, allocated;
	bool counts;	 /* minor collections by domain */
	unsigned params; /* what is before the known members of caml_params */
};
static const struct made_release made_releases[] = {
    {"5.0.0", 280, 8, 120, 128, 168, 264, false, 264, 272, 280, 376, 408, 120, true, 0},
    {"5.1.0", 280, 8, 120, 128, 168, 264, false, 264, 272, 280, 376, 400, 128, false, 0},
    {"5.2.0", 280, 8, 120, 128, 168, 264, false, 264, 272, 280, 376, 400, 128, false, 0},
    {"5.3.0", 264, 8, 112, 120, 160, 248, true, 272, 280, 288, 384, 408, 128, false, 0},
    {"5.4.1", 272, 16, 120, 128, 160, 256, true, 304, 312, 320, 416, 440, 128, false, 0},
    {"5.5.2", 264, 16, 120, 128, 152, 248, true, 304, 312, 320, 424, 448, 128, false, 8},
};
enum { MADE_RELEASES = sizeof made_releases / sizeof made_releases[0], MADE_DOMAINS = 3, MADE_ENDED = 1 };

struct made_runtime {
	const struct made_release *release;
	struct runtime_symbols symbols;
	uint64_t memory[MADE_WORDS];
	unsigned calls;					     /* to the reader */
	int error;					     /* that it answers */
	void (*before)(struct made_runtime *, size_t place); /* of each place that is read; NULL: nothing */
};

/* A word, or an int, at a byte offset. */
static inline uint64_t *made_word(struct made_runtime *m, unsigned offset)
{
	return &m->memory[offset / sizeof(uint64_t)];
}

static inline void made_int(struct made_runtime *m, unsigned offset, int32_t value)
{
	memcpy((char *)m->memory + offset, &value, sizeof value);
}

static inline unsigned made_element(const struct made_runtime *m, unsigned domain)
{
	return MADE_TABLE + domain * m->release->element;
}

/* Of a domain's state and heap; a domain may get others. */
static inline unsigned made_state(unsigned domain)
{
	return MADE_STATES + domain * MADE_EACH;
}

static inline unsigned made_heap(unsigned domain)
{
	return MADE_HEAPS + domain * MADE_EACH;
}

/* Begin or end a domain, whose numbers are of `seed`. */
static inline void made_domain(struct made_runtime *m, unsigned domain, uint64_t seed, bool runs)
{
	const struct made_release *r = m->release;
	unsigned at = made_element(m, domain), state = made_state(domain), heap = made_heap(domain) + 1056;
	uint64_t area = 0x100000 + domain * 0x10000u;

	made_int(m, at, (int32_t)domain);
	*made_word(m, at + r->state) = MADE_BASE + state;
	made_int(m, at + r->running, runs);
	*made_word(m, at + r->unique) = seed;
	*made_word(m, at + r->area) = area;
	*made_word(m, at + r->area + 8) = area + 0x10000;
	made_int(m, at + r->lock, runs);
	made_int(m, at + r->lock + 8, runs ? 4000 + (int32_t)domain : 0);
	*made_word(m, state + 8) = area + 0x8000 - 8 * seed; /* young_ptr */
	*made_word(m, state + 16) = area;
	*made_word(m, state + 24) = area + 0x8000;
	*made_word(m, state + r->wsz) = 0x1000;
	*made_word(m, state + r->heap) = runs ? MADE_BASE + made_heap(domain) : 0;
	*made_word(m, state + r->id) = domain;
	for (unsigned i = 0; i < 3;
	     i++) /* minor, promoted and major words; those of an ended domain were moved */
		*made_word(m, state + r->stats + 8 * i) = runs ? seed * 1000 + i : 0;
	if (r->counts)
		*made_word(m, state + 400) = runs ? seed : 0;
	*made_word(m, state + r->forced) = runs ? seed : 0;
	*made_word(m, state + r->allocated) = seed * 3;
	const uint64_t stats[8] = {
	    seed * 100, seed * 200, seed * 50, 7, seed * 10, seed * 1000, seed * 3000, 2};
	memcpy(made_word(m, heap), stats, sizeof stats);
}

/* Lay out a release: domains 0 and 2 with the seeds 5 and 11 run, 1 has ended. */
static inline void made_runtime(struct made_runtime *m, unsigned release)
{
	const struct made_release *r = &made_releases[release];

	memset(m, 0, sizeof *m);
	m->release = r;
	for (unsigned i = 0; i < RUNTIME_VARIABLE_COUNT; i++)
		m->symbols.variable[i] = MADE_BASE + MADE_GLOBALS + 8 * i;
	for (unsigned i = 0; i < RUNTIME_FIELD_COUNT; i++)
		m->symbols.field[i] = RUNTIME_NO_FIELD;
	m->symbols.variable[RUNTIME_ORPHANED_ALLOC_STATS] = MADE_BASE + MADE_ORPHANS;
	m->symbols.variable[RUNTIME_POOL_FREELIST] = MADE_BASE + MADE_FREELIST;
	m->symbols.table_size = r->pointer ? 8 : r->element * 128;
	if (r->pointer) {
		*made_word(m, 8 * RUNTIME_ALL_DOMAINS) = MADE_BASE + MADE_TABLE;
		*made_word(m, 8 * RUNTIME_PARAMS) = MADE_BASE + MADE_PARAMS;
		*made_word(m, MADE_PARAMS + r->params + 160) = 100;
	} else {
		m->symbols.variable[RUNTIME_ALL_DOMAINS] = MADE_BASE + MADE_TABLE;
	}
	*made_word(m, 8 * RUNTIME_DOMAINS_RUNNING) = 2;
	*made_word(m, 8 * RUNTIME_MINOR_COLLECTIONS) = 77;
	*made_word(m, 8 * RUNTIME_MAJOR_CYCLES) = 9;
	*made_word(m, 8 * RUNTIME_COMPACTIONS) = 4;
	const uint64_t orphans[5] = {100000, 200000, 300000, r->counts ? 50 : 60, 60};
	memcpy(made_word(m, MADE_ORPHANS), orphans, sizeof orphans);
	const uint64_t heap[8] = {1000000, 2000000, 400000, 3, 100000, 5000000, 6000000, 1};
	memcpy(made_word(m, MADE_FREELIST + 48), heap, sizeof heap);
	for (unsigned i = 0; i < 128; i++) /* one that was never used has its number as well */
		made_int(m, made_element(m, i), (int32_t)i);
	made_domain(m, 0, 5, true);
	made_domain(m, MADE_ENDED, 7, false);
	made_domain(m, 2, 11, true);
}

static int made_read(void *ctx, const struct variables_place *places, size_t count)
{
	struct made_runtime *m = ctx;

	m->calls++;
	for (size_t i = 0; i < count; i++) {
		uint64_t at = places[i].address - MADE_BASE;

		if (m->before != NULL)
			m->before(m, i);
		if (m->error != 0)
			return m->error;
		if (places[i].address < MADE_BASE || at >= sizeof m->memory ||
		    places[i].size > sizeof m->memory - at)
			return EFAULT;
		memcpy(places[i].to, (const char *)m->memory + at, places[i].size);
	}
	return 0;
}

/* The runtime that reads it; NULL with a reason. */
static inline struct runtime *made_open(struct made_runtime *m, const char *version, const char **why)
{
	struct version of = {.text = ""};

	(void)version_from_text(version, VERSION_FROM_OPTION, &of);
	return runtime_create_over(&(struct memory_reader){made_read, m}, &m->symbols, &of, why);
}
