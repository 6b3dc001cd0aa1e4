/*
 * traffic.c - sum up the words written to the rings.
 */
#include "figures/traffic.h"

#include "core/shown.h"

/* Slots counted in one pass over all domains. */
#define SLOTS_AT_ONCE 4096

/* Words of a record: header, stamp, payload. */
enum { WORDS_PLAIN = 2, WORDS_VALUE = 3, WORDS_ALLOC = 2 + RTEV_ALLOC_BUCKETS };

/* Add the words of one source, whose name has at most `size` bytes. */
static void add(struct traffic *t, const char *name, size_t size, uint64_t words)
{
	t->all += words;
	if (words <= t->words)
		return;
	t->words = words;
	size = strnlen(name, size);
	const char *quote = shown_quote(name, size);
	snprintf(t->name, sizeof(t->name), "%s%.*s%s", quote, (int)size, name, quote);
}

/* Add the phases, counters and allocation records of all domains. */
static void add_runtime(const struct model *m, const struct model_totals *totals, struct traffic *t)
{
	char name[RTEV_NAME_SIZE];
	struct model_phase phase;
	struct model_counter counter;

	for (unsigned p = 0; p < RTEV_PHASE_COUNT; p++) {
		model_phase_total(m, (rtev_phase)p, &phase);
		add(t, rtev_phase_name((rtev_phase)p, name), sizeof(name),
		    (2 * phase.count + phase.open) * WORDS_PLAIN);
	}
	for (unsigned c = 0; c < RTEV_COUNTER_COUNT; c++) {
		model_counter_total(m, (rtev_counter)c, &counter);
		add(t, rtev_counter_name((rtev_counter)c, name), sizeof(name), counter.count * WORDS_VALUE);
	}
	add(t, "alloc", sizeof(name), totals->alloc_events * WORDS_ALLOC);
}

/* Return the words that the user events of a domain in one slot took. */
static uint64_t user_words(enum model_user_kind kind, const struct model_user_volume *u)
{
	switch (kind) {
	case MODEL_USER_SPAN:
		return (2 * u->count + u->open) * WORDS_PLAIN;
	case MODEL_USER_INT:
		return u->count * WORDS_VALUE;
	case MODEL_USER_CUSTOM:
		/* All strings are assumed to be as long as the latest. */
		return u->count * (WORDS_PLAIN + (u->len + 8) / 8);
	default:
		return u->count * WORDS_PLAIN;
	}
}

/* Add the user events of the slots [first, end).  The outer loop is over domains, because most of them use
 * few slots. */
static void add_users(const struct model *m, size_t first, size_t end, struct traffic *t)
{
	uint64_t words[SLOTS_AT_ONCE] = {0};
	struct model_user_volume u;

	for (unsigned d = 0; d < model_domains(m); d++)
		for (size_t i = model_user_next(m, d, first); i < end; i = model_user_next(m, d, i + 1))
			if (model_user_volume(m, d, i, &u))
				words[i - first] += user_words(model_user_slot(m, i)->kind, &u);
	for (size_t i = first; i < end; i++) {
		const struct model_user_slot *slot = model_user_slot(m, i);
		add(t, slot->name, slot->name_len, words[i - first]);
	}
}

struct traffic traffic_read(const struct model *m, uint64_t ring_words)
{
	struct traffic out = {0};
	const struct model_totals totals = model_totals(m);
	add_runtime(m, &totals, &out);
	size_t slots = model_user_slots(m);
	for (size_t first = 0; first < slots; first += SLOTS_AT_ONCE)
		add_users(m, first, slots - first < SLOTS_AT_ONCE ? slots : first + SLOTS_AT_ONCE, &out);
	MODEL_FOREACH (d, m)
		if (d->lost_most > out.lost_most)
			out.lost_most = d->lost_most;
	if (out.lost_most == 0 || ring_words == 0)
		return out;
	uint64_t room = sum_saturating(ring_words, out.lost_most);
	while (out.exponent < 63 && UINT64_C(1) << out.exponent < room)
		out.exponent++;
	return out;
}

void traffic_remedy(const struct traffic *t, char *buf, size_t size)
{
	buf[0] = '\0';
	if (t->exponent > TRAFFIC_EXPONENT_MAX)
		snprintf(buf, size, "no ring that OCaml makes would have held them");
	else if (t->exponent > 0)
		snprintf(buf, size, "OCAMLRUNPARAM=e=%u would have held them", t->exponent);
}
