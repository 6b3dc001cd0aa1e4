/*
 * same_model.c - see same_model.h.
 */
#include "support/same_model.h"

#include <string.h>

#include "support/model_feed.h"

void expect_open(const struct model *a, const struct model *b, unsigned domain)
{
	const struct model_domain *x = model_domain(a, domain), *y = model_domain(b, domain);
	struct model_open_user users[2][256];

	if (x == NULL || x->open == 0) {
		CHECK(y == NULL || y->open == 0);
		return;
	}
	CHECK(y != NULL);
	CHECK_INT(y->depth, x->depth);
	for (unsigned i = 0; i < x->depth; i++) {
		CHECK_INT(y->stack[i].phase, x->stack[i].phase);
		CHECK_INT(y->stack[i].begin, x->stack[i].begin);
	}
	size_t count = model_users_open(a, domain, users[0], 256);
	CHECK_INT(model_users_open(b, domain, users[1], 256), count);
	for (size_t i = 0; i < count; i++)
		CHECK_INT(users[1][i].begin, users[0][i].begin);
}

/* Two distributions are the same. */
static void expect_hist(const struct hist *a, const struct hist *b)
{
	CHECK_INT(b->count, a->count);
	CHECK_INT(b->sum, a->sum);
	CHECK_INT(b->max, a->max);
	for (unsigned p = 1; p < 100; p++)
		CHECK_INT(hist_percentile(b, p, 100), hist_percentile(a, p, 100));
}

/* The phases and counters of a domain, those seen and those not, are the same in both. */
static void expect_numbers(const struct model_domain *a, const struct model_domain *b)
{
	CHECK_INT(b->phase_count, a->phase_count);
	for (size_t i = 0; i < a->phase_count; i++) {
		const struct model_phase *x = &a->phases[i], *y = &b->phases[i];
		CHECK_INT(y->phase, x->phase);
		CHECK_INT(y->count, x->count);
		CHECK_INT(y->total, x->total);
		CHECK_INT(y->self, x->self);
		CHECK_INT(y->max, x->max);
		CHECK_INT(y->open, x->open);
	}
	CHECK_INT(b->counter_count, a->counter_count);
	for (size_t i = 0; i < a->counter_count; i++) {
		const struct model_counter *x = &a->counters[i], *y = &b->counters[i];
		CHECK_INT(y->counter, x->counter);
		CHECK_INT(y->count, x->count);
		CHECK_INT(y->sum, x->sum);
		CHECK_INT(y->last, x->last);
		CHECK_INT(y->last_ts, x->last_ts);
	}
}

/* All figures of a domain are the same in both. */
static void expect_domain(const struct model_domain *a, const struct model_domain *b)
{
	CHECK_INT(b->state, a->state);
	CHECK_INT(b->seen, a->seen);
	CHECK_INT(b->stopped, a->stopped);
	CHECK_INT(b->events, a->events);
	CHECK_INT(b->first_ts, a->first_ts);
	CHECK_INT(b->last_ts, a->last_ts);
	CHECK_INT(b->latest_ts, a->latest_ts);
	CHECK_INT(b->known_from, a->known_from);
	CHECK_INT(b->born, a->born);
	CHECK_INT(b->spawns, a->spawns);
	CHECK_INT(b->terminations, a->terminations);
	CHECK_INT(b->restarts, a->restarts);
	CHECK_INT(b->pid, a->pid);
	CHECK_INT(b->lost_words, a->lost_words);
	CHECK_INT(b->history_lost_words, a->history_lost_words);
	CHECK_INT(b->lost_most, a->lost_most);
	CHECK_INT(b->corrupt_words, a->corrupt_words);
	CHECK_INT(b->falls, a->falls);
	CHECK_INT(b->gaps, a->gaps);
	CHECK_INT(b->last_gap_ts, a->last_gap_ts);
	CHECK_INT(b->dropped, a->dropped);
	CHECK_INT(b->open, a->open);
	CHECK_INT(b->gc_ns, a->gc_ns);
	CHECK_INT(b->observed_ns, a->observed_ns);
	CHECK_INT(b->target_paused_ns, a->target_paused_ns);
	CHECK_INT(b->alloc_events, a->alloc_events);
	for (unsigned i = 0; i < RTEV_ALLOC_BUCKETS; i++)
		CHECK_INT(b->alloc[i], a->alloc[i]);
	expect_hist(&a->pauses, &b->pauses);
	expect_numbers(a, b);
}

/* The totals, which are sums over the domains, and what only they have are the same in both. */
static void expect_totals(const struct model *a, const struct model *b)
{
	struct model_totals x, y;

	x = model_totals(a);
	y = model_totals(b);
	CHECK_INT(y.events, x.events);
	CHECK_INT(y.lost_words, x.lost_words);
	CHECK_INT(y.history_lost_words, x.history_lost_words);
	CHECK_INT(y.corrupt_words, x.corrupt_words);
	CHECK_INT(y.falls, x.falls);
	CHECK_INT(y.restarts, x.restarts);
	CHECK_INT(y.dropped, x.dropped);
	CHECK_INT(y.open, x.open);
	CHECK_INT(y.ignored, x.ignored);
	CHECK_INT(y.first_ts, x.first_ts);
	CHECK_INT(y.last_ts, x.last_ts);
	CHECK_INT(y.gc_ns, x.gc_ns);
	CHECK_INT(y.alloc_events, x.alloc_events);
	CHECK_INT(y.domains, x.domains);
	CHECK_INT(y.running, x.running);
	CHECK_INT(y.pid, x.pid);
	CHECK_INT(y.stopped, x.stopped);
	expect_hist(model_pauses(a), model_pauses(b));
}

/* The longest pauses, the log and the pauses of the target are the same in both. */
static void expect_lists(const struct model *a, const struct model *b)
{
	size_t count[2];
	const struct model_worst *worst[2] = {model_worst(a, &count[0]), model_worst(b, &count[1])};

	CHECK_INT(count[1], count[0]);
	for (size_t i = 0; i < count[0]; i++) {
		CHECK_INT(worst[1][i].ts, worst[0][i].ts);
		CHECK_INT(worst[1][i].duration, worst[0][i].duration);
		CHECK_INT(worst[1][i].domain, worst[0][i].domain);
		CHECK_INT(worst[1][i].phase, worst[0][i].phase);
		CHECK_INT(worst[1][i].inside_count, worst[0][i].inside_count);
		for (size_t k = 0; k < worst[0][i].inside_count; k++)
			CHECK_INT(worst[1][i].inside[k].total, worst[0][i].inside[k].total);
	}
	CHECK_INT(model_notes(b), model_notes(a));
	for (size_t i = 0; i < model_notes(a); i++) {
		const struct model_note *x = model_note(a, i), *y = model_note(b, i);
		CHECK_INT(y->kind, x->kind);
		CHECK_INT(y->domain, x->domain);
		CHECK_INT(y->ts, x->ts);
		CHECK_INT(y->data, x->data);
		CHECK_INT(y->words, x->words);
		CHECK_INT(y->history, x->history);
	}
	const struct model_target_pause *pauses[2] = {
	    model_target_pauses(a, &count[0]), model_target_pauses(b, &count[1])};
	CHECK_INT(count[1], count[0]);
	for (size_t i = 0; i < count[0]; i++) {
		CHECK_INT(pauses[1][i].from, pauses[0][i].from);
		CHECK_INT(pauses[1][i].to, pauses[0][i].to);
		CHECK_INT(pauses[1][i].rule, pauses[0][i].rule);
	}
}

/* What is known of user events is the same in both. */
static void expect_users(const struct model *a, struct model *b, unsigned domains)
{
	const struct feed g = {.m = b};

	CHECK_INT(model_user_slots(b), model_user_slots(a));
	for (size_t s = 0; s < model_user_slots(a); s++) {
		const struct model_user_slot *slot = model_user_slot(a, s);
		for (unsigned d = 0; d < domains; d++) {
			const struct model_user *u = model_user(a, d, s);
			if (u == NULL || (u->count == 0 && u->open == 0))
				continue;
			const struct model_user *v = user(&g, d, slot->name, slot->kind);
			CHECK_INT(v->count, u->count);
			CHECK_INT(v->last_ts, u->last_ts);
			CHECK_INT(v->last, u->last);
			CHECK_INT(v->min, u->min);
			CHECK_INT(v->max, u->max);
			CHECK_INT(v->open, u->open);
			CHECK_INT(v->gc_ns, u->gc_ns);
			expect_hist(&u->spans, &v->spans);
			CHECK_INT(v->len, u->len);
			CHECK_INT(v->kept, u->kept);
			CHECK(u->kept == 0 || memcmp(u->data, v->data, u->kept) == 0);
		}
	}
}

void expect_same(struct model *a, struct model *b)
{
	const struct model_totals totals = model_totals(a);

	expect_totals(a, b);
	for (unsigned d = 0; d < totals.domains; d++) {
		const struct model_domain *x = model_domain(a, d), *y = model_domain(b, d);
		CHECK((x == NULL) == (y == NULL));
		if (x != NULL)
			expect_domain(x, y);
		expect_open(a, b, d);
	}
	expect_lists(a, b);
	expect_users(a, b, totals.domains);
}
