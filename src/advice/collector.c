/*
 * collector.c - collect evidence in slots of time; see evidence.h.
 *
 * A *slot* holds the tallies of one SLOT_NS.  There are SLOTS of them, selected by the stamps of the events:
 * rings are read one after the other, so stamps are not in order.  A slot that is too old is added to the sum
 * of all older ones if the window is all time since the beginning; otherwise it is discarded.
 *
 * Idle domains: when a domain is blocked, its backup thread takes part in stops on its behalf.  The handler
 * then is not inside an interrupt_remote, and the domain has allocated nothing.  Both conditions are needed:
 * a domain that tried to lead a stop and was too late has no interrupt_remote either (runtime/domain.c).  A
 * domain that is idle in nearly all stops takes part in a few itself; the time that others wait for it in
 * these is not counted as idle.
 *
 * A busy domain can be blocked now and then.  A stop inside a domain_condition_wait takes time of its backup
 * thread only, which delays no OCaml code, and so is not a cost of a collection.
 *
 * Spans are not added one by one: what the model has counted of each phase is added when a domain's slot or
 * what its spans count for changes, and before it is read (collector_settle).
 *
 * Only the first event of a domain allocates memory.
 */
#include "advice/collector_private.h"

#include "core/event.h"
#include "core/sum.h"

/* ---- events ---- */

/* Phases whose depths are tracked, as bits. */
#define TOLD_BEGINS                                                                                          \
	(UINT64_C(1) << RTEV_PHASE_STW_LEADER | UINT64_C(1) << RTEV_PHASE_STW_HANDLER |                      \
	    UINT64_C(1) << RTEV_PHASE_INTERRUPT_REMOTE | UINT64_C(1) << RTEV_PHASE_DOMAIN_CONDITION_WAIT |   \
	    UINT64_C(1) << RTEV_PHASE_EXPLICIT_GC_MAJOR_SLICE |                                              \
	    ((UINT64_C(2) << RTEV_PHASE_EXPLICIT_GC_COMPACT) - 1))

/* A phase whose depth is tracked began. */
static __attribute__((noinline)) void opened_told(
    struct collector *c, unsigned domain, rtev_phase phase, unsigned depth)
{
	struct domain *d = domain_of(c, domain);

	if (d == NULL)
		return;
	switch (phase) {
	case RTEV_PHASE_STW_LEADER:
		d->leader = (int)depth;
		break;
	case RTEV_PHASE_STW_HANDLER:
		if (d->wait != NOWHERE || d->handler != NOWHERE)
			collector_settle(c, d);
		d->handler = (int)depth;
		d->handler_alone = d->interrupt == NOWHERE;
		d->handler_blocked = d->handler_alone && d->wait != NOWHERE;
		break;
	case RTEV_PHASE_INTERRUPT_REMOTE:
		d->interrupt = (int)depth;
		break;
	case RTEV_PHASE_DOMAIN_CONDITION_WAIT:
		d->wait = (int)depth;
		break;
	default:
		if (d->explicit != NOWHERE)
			break;
		collector_settle(c, d);
		d->explicit = (int)depth;
		break;
	}
}

/* A phase began. */
static void on_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	if (phase < 64 && (TOLD_BEGINS >> phase & 1) != 0)
		opened_told(ctx, domain, phase, depth);
}

_Static_assert(RTEV_PHASE_EXPLICIT_GC_SET == 0 && RTEV_PHASE_EXPLICIT_GC_COMPACT == 5,
    "the explicit GC calls come first");

/* The slot of the first part of a span from `at` to `end`, and where that part ends. */
static struct tally *first_part(struct collector *c, uint64_t at, uint64_t end, uint64_t *part_end)
{
	struct tally *t = &c->slots[slot_of(c, at)];
	uint64_t kept = c->newest >= SLOTS ? (c->newest - SLOTS + 1) * SLOT_NS : 0;
	uint64_t slot_end = at >= c->collect_from && at < kept ? kept : c->at_to;

	*part_end = slot_end < end ? slot_end : end;
	return t;
}

/* The outermost explicit GC call of a domain has ended.  Its time is divided among the slots that it spans,
 * so that a window contains only the part within it. */
static __attribute__((noinline)) void explicit_ended(struct collector *c, const struct model_span *span)
{
	struct tally *t = &c->slots[slot_of(c, span->end)];
	uint64_t next;

	t->explicits++;
	t->long_explicits += span->end - span->begin >= LONG_EXPLICIT_NS;
	t->phase_count[span->phase]++;
	t->phase_self[span->phase] += span->self;
	for (uint64_t at = span->begin; at < span->end; at = next) {
		t = first_part(c, at, span->end, &next);
		t->explicit_ns += next - at;
		t->phase_total[span->phase] += next - at;
	}
}

/* Have the model's sums without a span that has just ended (`taken`), or with it again. */
static void span_take(struct domain *d, const struct model_span *span, bool taken)
{
	struct phase_seen *seen = &d->seen[span->phase];
	const uint64_t time = span->end - span->begin;

	seen->count += taken ? 1 : UINT64_MAX;
	seen->total += taken ? time : -time;
	seen->self += taken ? span->self : -span->self;
}

/* Move the domain to the slot of a span that has just ended.  What the model counted before belongs to the
 * last slot. */
static void span_reach(struct collector *c, struct domain *d, const struct model_span *span)
{
	if (span->end >= d->from && span->end < d->to)
		return;
	span_take(d, span, true);
	collector_domain_turn(c, d, span->end);
	span_take(d, span, false);
}

/* A span that has just ended began.  What the model counted before does not include it. */
static void whole_begins(struct collector *c, struct domain *d, const struct model_span *span)
{
	span_take(d, span, true);
	on_opened(c, d->number, span->phase, span->begin, span->depth);
	span_take(d, span, false);
}

/* Add a span of a phase that the tables lack: its words and, unless it is part of an explicit GC call, its
 * time. */
static void opaque_add(struct collector *c, struct domain *d, const struct model_span *span)
{
	unsigned slot = slot_of(c, span->end);

	c->slots[slot].words += SPAN_WORDS;
	d->slots[slot].words += SPAN_WORDS;
	if (d->explicit == NOWHERE)
		d->slots[slot].class_self[RTEV_CLASS_UNKNOWN] += span->self;
}

/* Forget the depth of a span that is gone.  A span that is dropped leaves its depth to the spans within it. */
static void depth_gone(struct domain *d, int gone, bool dropped)
{
	int *const depths[] = {&d->leader, &d->handler, &d->interrupt, &d->explicit, &d->wait};

	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		if (*depths[i] == gone)
			*depths[i] = NOWHERE;
		else if (dropped && *depths[i] > gone)
			--*depths[i];
	}
}

/* Count a pause: its time is divided among the slots that it spans. */
static void pause_add(struct collector *c, uint64_t begin, uint64_t end)
{
	unsigned slot = slot_of(c, end);
	uint64_t next;

	if (end - begin > c->longest[slot])
		c->longest[slot] = end - begin;
	for (uint64_t at = begin; at < end; at = next) {
		struct tally *t = first_part(c, at, end, &next);
		t->pause_ns += next - at;
	}
}

/* Handle a closed span that may affect more than the sums. */
static __attribute__((noinline)) void closed_rare(
    struct collector *c, unsigned domain, const struct model_span *span)
{
	struct domain *d = domain_of(c, domain);
	int depth = (int)span->depth;

	if (d == NULL)
		return;
	if (span->whole && span->phase < RTEV_PHASE_COUNT)
		whole_begins(c, d, span);
	if (span->stale) {
		collector_settle(c, d);
		depth_gone(d, depth, false);
		return;
	}
	bool outermost = d->explicit == depth;
	if (span->phase < RTEV_PHASE_COUNT)
		span_reach(c, d, span);
	else
		opaque_add(c, d, span);
	if (span->phase == RTEV_PHASE_MAJOR_SLICE && d->explicit == NOWHERE && span->end > c->sliced_ts)
		c->sliced_ts = span->end;
	if (span->pause)
		pause_add(c, span->begin, span->end);
	if (outermost || (d->handler == depth && d->handler_blocked))
		collector_settle(c, d);
	if (d->leader == depth) {
		d->lead_end = span->end;
		d->lead_ns = span->end - span->begin;
	}
	depth_gone(d, depth, false);
	if (outermost) {
		explicit_ended(c, span);
	} else if (d->explicit == NOWHERE && span->phase == RTEV_PHASE_STW_HANDLER) {
		d->slots[slot_of(c, span->end)].handlers++;
	}
}

/* Phases whose ends affect more than the model's sums, as bits. */
#define TOLD_ENDS (TOLD_BEGINS | UINT64_C(1) << RTEV_PHASE_MAJOR_SLICE)

/* A phase ended.  For most phases the model's counts are enough: see collector_settle. */
static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct collector *c = ctx;
	struct domain *d = domain < MODEL_DOMAINS_MAX ? c->domains[domain] : NULL;

	if (d == NULL || span->end < d->from || span->end >= d->to || span->phase >= RTEV_PHASE_COUNT ||
	    (TOLD_ENDS >> span->phase & 1) != 0 || span->stale || span->pause)
		closed_rare(c, domain, span);
}

/* A phase was dropped. */
static void on_dropped(void *ctx, unsigned domain, rtev_phase phase, uint64_t begin, unsigned depth)
{
	struct collector *c = ctx;
	struct domain *d = domain_of(c, domain);

	if (d == NULL)
		return;
	collector_settle(c, d);
	depth_gone(d, (int)depth, true);
}

/* Add a minor collection to the sums over sizes.  The units keep the sums of squares small. */
static void sized_add(struct tally *t, uint64_t allocated, uint64_t promoted)
{
	uint64_t a = allocated >> 10, p = promoted >> 6;

	if (a > SIZED_MOST || p > SIZED_MOST * 16)
		return;
	t->sized++;
	t->sized_lean += promoted < allocated / 2;
	t->sized_a += a;
	t->sized_p += p;
	t->sized_aa += a * a;
	t->sized_ap += a * p;
	t->sized_pp += p * p;
}

/* Add what a domain allocated up to a minor collection. */
static void minor_ended(struct collector *c, struct domain *d, uint64_t ts, uint64_t allocated)
{
	struct tally *t = &c->slots[d->at];
	struct domain_tally *own = &d->slots[d->at];

	own->allocated += allocated;
	if (d->handler != NOWHERE && d->handler_alone && allocated == 0)
		own->idle_handlers++;
	if (d->handler == NOWHERE || !d->handler_alone)
		d->awake[d->awake_at++ % AWAKE_KEPT] = ts;
	if (d->explicit == NOWHERE && d->full_bytes > 0 && allocated >= d->full_bytes * SIZED_PART)
		sized_add(t, allocated, d->promoted);
	if (d->leader == NOWHERE || d->explicit != NOWHERE)
		return;
	if (allocated > d->full_bytes && d->minor_heap == 0)
		d->full_bytes = allocated;
	t->leads++;
	t->full_leads += allocated >= d->full_bytes * FULL_PART;
	own->leads++;
}

/* Record the heap at the end of a cycle.  Each domain reports its part once: a second report of a domain
 * belongs to the next cycle, however soon it comes.  If there is no room for all cycles, one of two is
 * dropped: the one with the smaller heap. */
static void cycle_add(struct collector *c, struct domain *d, uint64_t ts)
{
	struct evidence_cycle *last = c->cycle_count > 0 ? &c->cycles[c->cycle_count - 1] : NULL;
	const struct evidence_cycle now = {.ts = ts,
	    .pool = collector_heap(c, HEAP_POOL),
	    .live = collector_heap(c, HEAP_LIVE),
	    .large = collector_heap(c, HEAP_LARGE),
	    .fragments = collector_heap(c, HEAP_FRAGMENTS),
	    .allocated = c->major_words > c->promoted_words ? c->major_words : c->promoted_words};

	if (last != NULL && ts < last->ts)
		return;
	if (last != NULL && ts - last->ts < CYCLE_NS && d->reported != c->cycle_number) {
		uint64_t begin = last->ts;
		*last = now;
		last->ts = begin;
		d->reported = c->cycle_number;
		return;
	}
	d->reported = ++c->cycle_number;
	if (c->cycle_count == CYCLES_KEPT) {
		for (size_t i = 0; i < CYCLES_KEPT / 2; i++) {
			const struct evidence_cycle *a = &c->cycles[2 * i], *b = &c->cycles[2 * i + 1];
			c->cycles[i] = a->live + a->large <= b->live + b->large ? *a : *b;
		}
		c->cycle_count = CYCLES_KEPT / 2;
	}
	c->cycles[c->cycle_count++] = now;
}

/* The last counter of a slice's kinds of work has arrived: count the slice. */
static void slice_began(struct tally *t, const struct domain *d, int64_t extra)
{
	int64_t alloc = d->alloc_work > 0 ? d->alloc_work : 0, most = alloc;

	if (d->dependent_work > most)
		most = d->dependent_work;
	if (extra > most)
		most = extra;
	t->slices++;
	t->extra_work += most > alloc ? (uint64_t)most : 0;
	t->alloc_work += (uint64_t)alloc;
	t->most_work += (uint64_t)most;
}

/* Handle the counters of the major collector. */
static void major_counter(
    struct collector *c, struct domain *d, uint64_t ts, rtev_counter counter, int64_t value)
{
	switch (counter) {
	case RTEV_COUNTER_MAJOR_HEAP_LARGE_BLOCKS: /* the last counter at the end of a cycle */
		cycle_add(c, d, ts);
		break;
	case RTEV_COUNTER_MAJOR_ALLOCATED_WORDS:
		c->major_words = sum_saturating(c->major_words, value > 0 ? (uint64_t)value : 0);
		break;
	case RTEV_COUNTER_MAJOR_ALLOCATED_WORK:
		d->alloc_work = value;
		break;
	case RTEV_COUNTER_MAJOR_DEPENDENT_WORK:
		d->dependent_work = value;
		break;
	case RTEV_COUNTER_MAJOR_EXTRA_WORK:
		slice_began(&c->slots[d->at], d, value);
		break;
	default:
		break;
	}
}

static void on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	struct collector *c = ctx;
	struct domain *d = domain_of(c, domain);

	if (d == NULL)
		return;
	domain_reach(c, d, ts);
	struct tally *t = &c->slots[d->at];
	t->words += COUNTER_WORDS;
	d->slots[d->at].words += COUNTER_WORDS;
	if (counter >= RTEV_COUNTER_COUNT)
		return;
	if (d->explicit == NOWHERE) {
		t->counter_count[counter]++;
		t->counter_sum[counter] += (uint64_t)value;
	}
	if (counter == RTEV_COUNTER_MINOR_PROMOTED) {
		d->promoted = value > 0 ? (uint64_t)value : 0;
		c->promoted_words = sum_saturating(c->promoted_words, d->promoted / 8);
	}
	if (counter == RTEV_COUNTER_MINOR_ALLOCATED)
		minor_ended(c, d, ts, value > 0 ? (uint64_t)value : 0);
	else if (counter >= RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS)
		major_counter(c, d, ts, counter, value);
}

/* Take the size of a domain's minor heap from memory: the program may change it. */
static void take_size(struct collector *c, struct domain *d, unsigned domain, uint64_t ts)
{
	const struct model_domain *m = model_domain(c->model, domain);

	if (m == NULL || !(m->minor_heap > 0) || m->minor_heap == d->minor_heap)
		return;
	if (d->minor_heap > 0)
		d->resized_ts = ts;
	d->minor_heap = m->minor_heap;
	d->full_bytes = (uint64_t)fmin(m->minor_heap * 8, 0x1p62);
}

/* Add what a domain counted according to memory, as if events had reported it, except for times. */
static void on_memory(void *ctx, unsigned domain, const struct model_memory *told)
{
	struct collector *c = ctx;
	struct domain *d = domain_of(c, domain);
	const struct model_counts *grown = told->grown;
	const uint64_t to = told->to;

	if (d != NULL && grown == NULL)
		take_size(c, d, domain, to);
	if (d == NULL || grown == NULL || to <= told->from || grown->allocated < 0)
		return;
	domain_reach(c, d, to);
	struct tally *t = &c->slots[d->at];
	t->counter_sum[RTEV_COUNTER_MINOR_ALLOCATED] += (uint64_t)grown->allocated;
	t->counter_sum[RTEV_COUNTER_MINOR_PROMOTED] += (uint64_t)grown->promoted;
	d->slots[d->at].allocated += (uint64_t)grown->allocated;
	c->promoted_words = sum_saturating(c->promoted_words, (uint64_t)grown->promoted / 8);
	c->major_words = sum_saturating(c->major_words, (uint64_t)grown->major_words);
	if (to == c->counted_ts)
		return;
	/* These are counted once for all domains. */
	c->counted_ts = to;
	t->leads += grown->minors;
	if (grown->majors > 0)
		cycle_add(c, d, to);
}

/* ---- starting over ---- */

static void domain_clear(struct collector *c, struct domain *d)
{
	collector_settle(c, d);
	memset(d->slots, 0, sizeof(d->slots));
	d->most_words = d->lost_unread = 0;
}

/* Forget all that was collected. */
static void collector_clear(struct collector *c, uint64_t from)
{
	for (unsigned i = 0; i < c->domain_limit; i++)
		if (c->domains[i] != NULL)
			domain_clear(c, c->domains[i]);
	memset(c->slots, 0, sizeof(c->slots));
	memset(c->longest, 0, sizeof(c->longest));
	collector_users_clear(c);
	hist_clear(&c->lateness);
	c->cycle_count = 0;
	c->sliced_ts = 0;
	c->late_count = 0;
	c->collect_from = from;
	collector_forget_slots(c);
}

/* Return a stamp that is later than that of any event seen. */
static uint64_t latest_stamp(const struct collector *c)
{
	const struct model_totals t = model_totals(c->model);

	return t.seen ? sum_saturating(t.last_ts, 1) : 0;
}

/* Another program has been running in the process since a stamp.  Discard what was collected before. */
static void program_began(struct collector *c, uint64_t from)
{
	c->programs++;
	c->program_from = from;
	collector_clear(c, from);
	for (unsigned i = 0; i < c->domain_limit; i++)
		if (c->domains[i] != NULL) {
			c->domains[i]->full_bytes = c->domains[i]->resized_ts = 0;
			c->domains[i]->minor_heap = 0;
			c->domains[i]->idle = false;
		}
}

/* Return whether there were events before a stamp. */
static bool seen_before(const struct collector *c, uint64_t ts)
{
	const struct model_totals t = model_totals(c->model);

	return t.seen && t.first_ts < ts;
}

static void on_lifecycle(void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	struct collector *c = ctx;

	if (event == RTEV_LIFECYCLE_RING_START) {
		if (seen_before(c, ts))
			program_began(c, ts);
		uint64_t warm = sum_saturating(ts, WARM_UP_NS);
		if (warm > c->collect_from)
			c->collect_from = warm;
		collector_forget_slots(c);
	}
	struct tally *t = &c->slots[slot_of(c, ts)];
	t->words += 3;
	t->spawns += event == RTEV_LIFECYCLE_DOMAIN_SPAWN;
	struct domain *d = domain_of(c, domain);
	if (d != NULL && event == RTEV_LIFECYCLE_DOMAIN_TERMINATE && ts >= d->lead_end &&
	    ts - d->lead_end < ENDING_NS) {
		t->endings++;
		t->ending_ns += d->lead_ns;
	}
}

/* Count words read from the ring of a domain. */
static void words_add(struct collector *c, unsigned domain, uint64_t ts, uint64_t words)
{
	struct domain *d = domain_of(c, domain);
	unsigned slot = slot_of(c, ts);

	c->slots[slot].words += words;
	if (d != NULL)
		d->slots[slot].words += words;
}

static void on_user(void *ctx, unsigned domain, const struct model_user_event *event)
{
	struct collector *c = ctx;

	if (event->what == MODEL_USER_CAME)
		words_add(c, domain, event->ts, 3);
	if (event->what != MODEL_USER_CLOSED)
		return;
	words_add(c, domain, event->ts, 4);
	if (event->slot < USERS_KEPT && event->ts >= event->begin)
		collector_user_add(c, event->slot, event->begin, event->ts, model_user_gc(c->model));
}

/* Words were lost or unreadable, or the ring was restarted. */
static void on_gap(void *ctx, unsigned domain, const struct model_gap *gap)
{
	struct collector *c = ctx;

	/* The process has executed another program.  This is noticed ring by ring; a ring without an event
	 * since the first notice reports nothing new. */
	if (gap->kind == MODEL_NOTE_RESTART && gap->from != 0 && gap->from >= c->program_from)
		program_began(c, latest_stamp(c));
	if (gap->kind != MODEL_NOTE_LOST || gap->words <= gap->history)
		return;
	/* A loss lies between two events and may be long: it counts when it is noticed. */
	struct domain *d = domain_of(c, domain);
	if (d != NULL)
		d->lost_unread = sum_saturating(d->lost_unread, gap->words - gap->history);
}

/* The totals of the model and of the stops have been reset, or the session has reopened the rings of the target, since the
 * file was laid out again. */
static void on_turned(void *ctx, enum model_turn turn, uint64_t ts)
{
	struct collector *c = ctx;

	if (turn == MODEL_REATTACHED)
		program_began(c, latest_stamp(c));
	if (turn != MODEL_RESET)
		return;
	collector_clear(c, ts);
	c->stops = 0;
}

struct collector *collector_create(bool whole, struct model *model, const struct stw *stw)
{
	struct collector *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->model = model;
	c->stw = stw;
	c->whole = whole;
	const struct model_totals t = model_totals(model);
	/* Events older than the attach are ignored: rings reach back differently far, so these events give no
	 * rates. */
	c->collect_from = t.since_ts;
	const struct model_observer observer = {.ctx = c,
	    .opened = on_opened,
	    .closed = on_closed,
	    .dropped = on_dropped,
	    .counter = on_counter,
	    .memory = on_memory,
	    .lifecycle = on_lifecycle,
	    .user = on_user,
	    .gap = on_gap,
	    .turned = on_turned};
	/* Counts before the attach belong to no slot. */
	MODEL_FOREACH (d, model)
		(void)domain_of(c, d->domain);
	collector_clear(c, c->collect_from);
	if (model_observe(model, &observer))
		return c;
	free(c);
	return NULL;
}

void collector_destroy(struct collector *c)
{
	if (c == NULL)
		return;
	for (unsigned i = 0; i < c->domain_limit; i++)
		free(c->domains[i]);
	for (size_t i = 0; i < USERS_KEPT; i++)
		free(c->users[i]);
	hist_fini(&c->lateness);
	free(c->read);
	free(c);
}
