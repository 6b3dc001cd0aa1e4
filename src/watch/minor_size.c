/* minor_size.c - see minor_size.h. */
#include "watch/minor_size.h"

#include "core/event.h"

#define PAGE UINT64_C(4096)
#define BLOCK_MAX                                                                                            \
	(UINT64_C(257) * 8) /* the largest block that is allocated in the minor heap, with its header */
#define NO_BLOCKS_NS                                                                                         \
	500 /* maximum self time of minor_finalized without a custom block; 30 to 50 ns are usual */

/* Return the slot of a domain; NULL: its collections are not examined. */
static struct minor_size_domain *slot_of(struct minor_size *m, unsigned domain)
{
	return domain < MINOR_SIZE_DOMAINS ? &m->domains[domain] : NULL;
}

/* Return whether the domain leads a stop that neither the program nor a slice requested. */
static bool leads(const struct model_domain *domain)
{
	bool leader = false;

	for (size_t i = 0; i < domain->depth; i++) {
		rtev_phase phase = domain->stack[i].phase;

		if (phase_class(phase) == RTEV_CLASS_EXPLICIT || phase == RTEV_PHASE_MAJOR)
			return false;
		leader = leader || phase == RTEV_PHASE_STW_LEADER;
	}
	return leader;
}

/* Add the contents of a heap that may have been full. */
static void add(struct minor_size *m, uint64_t size, bool full)
{
	if (size > m->largest && full) {
		if (size - m->largest > size / 100)
			m->near = m->against = 0;
		m->largest = size;
	}
	if (size > m->largest || m->largest - size > m->largest / 100)
		return;
	m->near += full;
	m->against += !full;
}

void minor_size_count(
    struct minor_size *m, const struct model_domain *domain, rtev_counter counter, int64_t value)
{
	struct minor_size_domain *d = domain != NULL ? slot_of(m, domain->domain) : NULL;

	if (d == NULL)
		return;
	if (counter != RTEV_COUNTER_MINOR_ALLOCATED) {
		d->requested = true;
		return;
	}
	const bool whole = d->gaps == domain->gaps + 1;
	d->filled = value > 0 && whole && !d->requested && leads(domain) ? (uint64_t)value : 0;
	d->requested = false;
	d->gaps = domain->gaps + 1;
}

void minor_size_pause(struct minor_size *m, const struct model_domain *domain)
{
	struct minor_size_domain *d = domain != NULL ? slot_of(m, domain->domain) : NULL;

	if (d == NULL || domain->phase_count <= RTEV_PHASE_MINOR_FINALIZED)
		return;
	const struct model_phase *phase = &domain->phases[RTEV_PHASE_MINOR_FINALIZED];
	/* OCaml up to 5.2 lacks this phase; after a reset its total is smaller. */
	if (d->filled != 0 && phase->count > 0 && phase->total >= d->finalized)
		add(m, d->filled, phase->total - d->finalized <= NO_BLOCKS_NS);
	d->filled = 0;
	d->finalized = phase->total;
}

uint64_t minor_size_words(const struct minor_size *m)
{
	uint64_t rest = m->largest % PAGE, missing = rest == 0 ? 0 : PAGE - rest;

	/* Long phases without anything to free may be due to the machine, which kept the program from
	 * running. */
	if (m->near < MINOR_SIZE_AGREE || m->near / 2 < m->against || missing > BLOCK_MAX ||
	    m->largest > UINT64_MAX - PAGE)
		return 0;
	return (m->largest + missing) / 8;
}

static void on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	struct minor_size *m = ctx;

	if (minor_size_heeds(counter))
		minor_size_count(m, model_domain(m->model, domain), counter, value);
}

static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct minor_size *m = ctx;

	if (span->pause)
		minor_size_pause(m, model_domain(m->model, domain));
}

static void on_turned(void *ctx, enum model_turn turn, uint64_t ts)
{
	struct minor_size *m = ctx;

	if (turn == MODEL_REATTACHED)
		*m = (struct minor_size){.model = m->model};
}

static void on_gap(void *ctx, unsigned domain, const struct model_gap *gap)
{
	if (gap->kind == MODEL_NOTE_RESTART)
		on_turned(ctx, MODEL_REATTACHED, gap->from);
}

bool minor_size_observe(struct minor_size *m, struct model *model)
{
	m->model = model;
	return model_observe(model,
	    &(struct model_observer){
		.ctx = m, .closed = on_closed, .counter = on_counter, .gap = on_gap, .turned = on_turned});
}
