/*
 * minor_size.c - see minor_size.h.
 */
#include "watch/minor_size.h"

#include "core/event.h"

#define PAGE UINT64_C(4096)
#define BLOCK_MAX                                                                                            \
	(UINT64_C(257) * 8) /* the largest block that is allocated in the minor heap, with its header */

/* Return whether the domain leads a stop that the program did not request. */
static bool leads(const struct model_domain *domain)
{
	bool leader = false;

	for (size_t i = 0; i < domain->depth; i++) {
		rtev_phase phase = domain->stack[i].phase;

		if (phase_class(phase) == RTEV_CLASS_EXPLICIT)
			return false;
		leader = leader || phase == RTEV_PHASE_STW_LEADER;
	}
	return leader;
}

void minor_size_see(struct minor_size *m, const struct model_domain *domain, int64_t bytes)
{
	uint64_t size = (uint64_t)bytes;

	if (!minor_size_news(m, bytes) || domain == NULL || !leads(domain))
		return;
	if (size > m->largest) {
		if (size - m->largest > size / 100)
			m->near = 0;
		m->largest = size;
	}
	if (m->largest - size <= m->largest / 100)
		m->near++;
}

uint64_t minor_size_words(const struct minor_size *m)
{
	uint64_t rest = m->largest % PAGE, missing = rest == 0 ? 0 : PAGE - rest;

	if (m->near < MINOR_SIZE_AGREE || missing > BLOCK_MAX || m->largest > UINT64_MAX - PAGE)
		return 0;
	return (m->largest + missing) / 8;
}

static void on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	struct minor_size *m = ctx;

	if (counter == RTEV_COUNTER_MINOR_ALLOCATED)
		minor_size_see(m, model_domain(m->model, domain), value);
}

static void on_reattached(void *ctx)
{
	struct minor_size *m = ctx;

	*m = (struct minor_size){.model = m->model};
}

static void on_gap(void *ctx, unsigned domain, enum model_note_kind kind, uint64_t after_ts, uint64_t words,
    uint64_t history)
{
	if (kind == MODEL_NOTE_RESTART)
		on_reattached(ctx);
}

bool minor_size_observe(struct minor_size *m, struct model *model)
{
	m->model = model;
	return model_observe(
	    model, &(struct model_observer){
		       .ctx = m, .counter = on_counter, .gap = on_gap, .reattached = on_reattached});
}
