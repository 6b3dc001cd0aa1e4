/*
 * ring_traffic.c - add the traffic of the rings up.
 */
#include "ui/ring_traffic.h"

#include <stdio.h>
#include <string.h>

#include "model/span_time.h"
#include "ui/widgets/format.h"
#include "ui/widgets/line.h"
#include "ui/widgets/user_text.h"

/* Slots counted in one look at all domains. */
#define SLOTS_AT_ONCE 4096

/* Words of the records: header, stamp, payload. */
enum { WORDS_PLAIN = 2, WORDS_VALUE = 3, WORDS_ALLOC = 2 + RTEV_ALLOC_BUCKETS };

/* Count what one source wrote. */
static void add(struct traffic *t, const char *name, uint64_t words)
{
	t->all += words;
	if (words <= t->words)
		return;
	t->words = words;
	snprintf(t->name, sizeof(t->name), "%s", name);
}

/* Count the phases and counters, domain by domain where their numbers are listed. */
static void add_runtime(const struct model *m, const struct model_totals *totals, struct traffic *t)
{
	char name[RTEV_NAME_SIZE];
	struct model_phase phase;
	struct model_counter counter;

	for (unsigned p = 0; p < RTEV_PHASE_COUNT; p++) {
		model_phase_total(m, (rtev_phase)p, &phase);
		add(t, rtev_phase_name((rtev_phase)p, name), (2 * phase.count + phase.open) * WORDS_PLAIN);
	}
	for (unsigned c = 0; c < RTEV_COUNTER_COUNT; c++) {
		model_counter_total(m, (rtev_counter)c, &counter);
		add(t, rtev_counter_name((rtev_counter)c, name), counter.count * WORDS_VALUE);
	}
	add(t, "alloc", totals->alloc_events * WORDS_ALLOC);
}

/* The words that a domain's user events of one slot took. */
static uint64_t user_words(const struct model_user_slot *what, const struct model_user *u)
{
	switch (what->kind) {
	case MODEL_USER_SPAN:
		return (2 * u->count + u->open) * WORDS_PLAIN;
	case MODEL_USER_INT:
		return u->count * WORDS_VALUE;
	case MODEL_USER_CUSTOM:
		/* All are taken to be as long as the latest. */
		return u->count * (WORDS_PLAIN + (u->len + 8) / 8);
	default:
		return u->count * WORDS_PLAIN;
	}
}

/* Count the user events of the slots [first, end), domain by domain: most domains know few of many slots. */
static void add_users(const struct model *m, size_t first, size_t end, struct traffic *t)
{
	uint64_t words[SLOTS_AT_ONCE] = {0};
	char name[RTEV_USER_NAME_SIZE];

	for (unsigned d = 0; d < model_domains(m); d++)
		for (size_t i = model_user_next(m, d, first); i < end; i = model_user_next(m, d, i + 1))
			words[i - first] += user_words(model_user_slot(m, i), model_user(m, d, i));
	for (size_t i = first; i < end; i++) {
		user_text_name(model_user_slot(m, i), name, sizeof(name));
		add(t, name, words[i - first]);
	}
}

void traffic_read(const struct subject *subject, struct traffic *out)
{
	const struct model *m = watch_model(subject->watch);
	struct model_totals totals;

	*out = (struct traffic){0};
	model_totals(m, &totals);
	add_runtime(m, &totals, out);
	size_t slots = model_user_slots(m);
	for (size_t first = 0; first < slots; first += SLOTS_AT_ONCE)
		add_users(m, first, slots - first < SLOTS_AT_ONCE ? slots : first + SLOTS_AT_ONCE, out);
	for (unsigned i = 0; i < totals.domains; i++) {
		const struct model_domain *d = model_domain(m, i);
		if (d != NULL && d->lost_most > out->lost_most)
			out->lost_most = d->lost_most;
	}
	if (out->lost_most == 0 || subject->ring_words == 0)
		return;
	uint64_t room = span_time_after(subject->ring_words, out->lost_most);
	while (out->exponent < 63 && UINT64_C(1) << out->exponent < room)
		out->exponent++;
}

bool traffic_draw(const struct subject *subject, struct canvas *canvas, struct rect line)
{
	struct model_totals totals;
	struct traffic t;
	char lost[64], ring[80] = "";

	model_totals(watch_model(subject->watch), &totals);
	if (totals.lost_words == 0)
		return false;
	traffic_read(subject, &t);
	snprintf(lost, sizeof(lost), "lost %s words", format_count(totals.lost_words).s);
	if (t.exponent > TRAFFIC_EXPONENT_MAX)
		snprintf(ring, sizeof(ring), "no ring that OCaml makes would have held them");
	else if (t.exponent > 0)
		snprintf(ring, sizeof(ring), "OCAMLRUNPARAM=e=%u would have held them", t.exponent);
	const struct formatted share = format_share(t.words, t.all);
	const struct line_item items[] = {{.value = lost, .value_style = STYLE_LOST},
	    {.value = ring, .value_style = STYLE_VALUE, .rank = 1},
	    {.label = "most is",
		.value = t.name[0] != '\0' ? t.name : "not known",
		.label_style = STYLE_LABEL,
		.value_style = STYLE_VALUE,
		.rank = 2},
	    {.value = share.s, .value_style = STYLE_VALUE, .rank = 3}};
	line_draw(canvas, line.row, line.col, line.cols, 2, items, 4);
	return true;
}
