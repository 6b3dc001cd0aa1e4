/*
 * flame.c - what a flame graph takes in; see flame.h, and flame_private.h for how it is kept.
 */
#include "watch/flame_private.h"

#include "model/copy.h"
#include "model/span_time.h"

#define MS 1000000u

/* Defined here, where each event uses it, so that the compiler knows its numbers. */
const struct flame_ring flame_rings[FLAME_RINGS] = {
    {20 * MS, FLAME_RING_NARROW, 0},
    {100 * MS, FLAME_RING_NARROW, FLAME_RING_NARROW},
    {500 * MS, FLAME_RING_WIDE, 2 * FLAME_RING_NARROW},
};

struct flame *flame_create(void)
{
	return calloc(1, sizeof(struct flame));
}

void flame_set_budget(struct flame *f, struct budget *budget)
{
	f->budget = budget;
}

bool flame_left_out(const struct flame *f, unsigned domain)
{
	return domain < MODEL_DOMAINS_MAX && f->left_out[domain];
}

/* Take memory for a domain.  False when there is none left. */
static bool domain_take(struct flame_domain *d, size_t bytes)
{
	if (!budget_take(d->budget, bytes)) {
		d->refused = true;
		return false;
	}
	d->bytes += bytes;
	return true;
}

/* Free a domain; NULL is allowed. */
static void domain_destroy(struct flame_domain *d)
{
	if (d == NULL)
		return;
	budget_give(d->budget, d->bytes);
	flame_tree_fini(&d->tree);
	free(d->rows);
	for (unsigned i = 0; i < FLAME_DEPTH_MAX; i++)
		free(d->spill[i]);
	free(d);
}

void flame_destroy(struct flame *f)
{
	if (f == NULL)
		return;
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++)
		domain_destroy(f->domains[i]);
	free(f);
}

/* Copy a domain; NULL of NULL. */
static struct flame_domain *domain_copy(const struct flame_domain *from, bool *ok)
{
	struct flame_domain *d = copy_bytes(from, sizeof(*from), ok);

	if (d == NULL)
		return NULL;
	d->budget = NULL;
	d->tree.nodes = copy_bytes(from->tree.nodes, from->tree.size * sizeof(*from->tree.nodes), ok);
	d->rows = copy_bytes(from->rows, (size_t)from->row_count * FLAME_ROW * sizeof(*from->rows), ok);
	for (unsigned i = 0; i < FLAME_DEPTH_MAX; i++)
		d->spill[i] = copy_bytes(from->spill[i], FLAME_ROW * sizeof(*from->spill[i]), ok);
	return d;
}

struct flame *flame_copy(const struct flame *from)
{
	struct flame *f = flame_create();
	bool ok = f != NULL;

	for (unsigned i = 0; i < MODEL_DOMAINS_MAX && ok; i++) {
		f->left_out[i] = from->left_out[i];
		f->domains[i] = domain_copy(from->domains[i], &ok);
	}
	if (ok)
		return f;
	flame_destroy(f);
	return NULL;
}

/* Make the rows keep up with the tree's nodes; new ones are zero. */
static bool domain_grow_rows(struct flame_domain *d)
{
	uint32_t *rows;

	if (d->row_count >= d->tree.size)
		return true;
	if (!domain_take(d, (size_t)(d->tree.size - d->row_count) * FLAME_ROW * sizeof(*rows)))
		return false;
	rows = realloc(d->rows, (size_t)d->tree.size * FLAME_ROW * sizeof(*rows));
	if (rows == NULL)
		return false;
	memset(rows + (size_t)d->row_count * FLAME_ROW, 0,
	    (size_t)(d->tree.size - d->row_count) * FLAME_ROW * sizeof(*rows));
	d->rows = rows;
	d->row_count = d->tree.size;
	return true;
}

/* The domain, made when it is not there yet; NULL when there is no place for it. */
static struct flame_domain *domain_get(struct flame *f, unsigned domain)
{
	struct flame_domain *d;

	if (domain >= MODEL_DOMAINS_MAX)
		return NULL;
	if (f->domains[domain] != NULL || f->left_out[domain])
		return f->domains[domain];
	d = calloc(1, sizeof(*d));
	if (d == NULL)
		return NULL;
	d->budget = f->budget;
	if (!domain_take(d, sizeof(*d)) || !flame_tree_init(&d->tree) || !domain_grow_rows(d)) {
		f->left_out[domain] = d->refused;
		domain_destroy(d);
		return NULL;
	}
	f->domains[domain] = d;
	return d;
}

/* Leave a domain out from now on that has had no more memory: part of its time would be a wrong number. */
static void domain_leave_out(struct flame *f, unsigned domain)
{
	f->left_out[domain] = true;
	domain_destroy(f->domains[domain]);
	f->domains[domain] = NULL;
}

/* Zero some positions of every row: of the nodes, and of the frames that have spilled. */
static void domain_clear(struct flame_domain *d, unsigned position, unsigned count)
{
	for (unsigned n = 0; n < d->tree.count; n++)
		memset(d->rows + (size_t)n * FLAME_ROW + position, 0, count * sizeof(*d->rows));
	for (unsigned i = 0; i < d->depth; i++)
		if (d->frames[i].spilled)
			memset(d->spill[i] + position, 0, count * sizeof(*d->spill[i]));
}

/* Add to one place of a row, which stays at its largest. */
static void row_add(uint32_t *place, uint64_t time)
{
	*place = time > UINT32_MAX - *place ? UINT32_MAX : *place + (uint32_t)time;
}

void flame_domain_flush(struct flame_domain *d)
{
	unsigned places[FLAME_RINGS];

	for (unsigned r = 0; r < FLAME_RINGS; r++)
		places[r] = flame_ring_position(&flame_rings[r], d->cur[r]);
	for (unsigned n = 0; n < d->tree.count; n++) {
		if (d->now[n] == 0)
			continue;
		for (unsigned r = 0; r < FLAME_RINGS; r++)
			row_add(&d->rows[(size_t)n * FLAME_ROW + places[r]], d->now[n]);
		d->now[n] = 0;
	}
}

/* Have the next event looked at closely if it is not of the current slice, or ends a gap. */
static void domain_set_plain(struct flame_domain *d)
{
	d->plain_end = d->gap_open ? 0 : d->slice_end;
}

void flame_domain_turn(struct flame_domain *d, uint64_t ts)
{
	bool fresh = d->slice_end == 0;

	flame_domain_flush(d);
	for (unsigned r = 0; r < FLAME_RINGS; r++) {
		uint64_t slice = ts / flame_rings[r].length;

		if (fresh || slice - d->cur[r] >= flame_rings[r].count)
			domain_clear(d, flame_rings[r].offset, flame_rings[r].count);
		else
			for (uint64_t s = d->cur[r] + 1; s <= slice; s++)
				domain_clear(d, flame_ring_position(&flame_rings[r], s), 1);
		d->cur[r] = slice;
	}
	d->slice_end = d->cur[0] >= UINT64_MAX / flame_rings[0].length
			   ? UINT64_MAX
			   : (d->cur[0] + 1) * flame_rings[0].length;
	d->slice_begin = d->cur[0] * flame_rings[0].length;
	domain_set_plain(d);
}

/* Forget all of a domain but its paths. */
static void domain_restart(struct flame_domain *d)
{
	d->slice_end = d->plain_end = 0;
	d->depth = 0;
	d->gap_count = 0;
	d->gap_open = false;
	d->pruned_at = 0;
}

/* Close the gap that is open: events come again at ts. */
static void domain_gap_end(struct flame_domain *d, uint64_t ts)
{
	struct flame_gap *g = &d->gaps[d->gap_count++ % FLAME_GAPS];

	d->gap_open = false;
	domain_set_plain(d);
	*g = (struct flame_gap){d->last, ts};
}

/* domain_stamp of an event that is not plain. */
static __attribute__((noinline)) uint64_t domain_stamp_rare(struct flame_domain *d, uint64_t ts)
{
	if (ts < d->last && d->slice_end != 0) {
		if (d->last - ts <= FLAME_WINDOW_MAX)
			return d->last;
		domain_restart(d);
	}
	if (d->slice_end == 0) {
		flame_domain_turn(d, ts);
		d->first = d->last = ts;
	}
	if (d->gap_open)
		domain_gap_end(d, ts);
	if (ts >= d->slice_end)
		flame_domain_turn(d, ts);
	d->last = ts;
	return ts;
}

/* Take in the stamp of an event and return it, moved up to the domain's latest when it goes back. */
static inline uint64_t domain_stamp(struct flame_domain *d, uint64_t ts)
{
	if (ts < d->last || ts >= d->plain_end)
		return domain_stamp_rare(d, ts);
	d->last = ts;
	return ts;
}

/* Bring what the children of a frame took in its current fine slice to its spill row. */
static bool frame_spill(struct flame_domain *d, unsigned depth)
{
	struct flame_frame *f = &d->frames[depth];

	if (!f->spilled) {
		if (d->spill[depth] == NULL && domain_take(d, FLAME_ROW * sizeof(*d->spill[depth])))
			d->spill[depth] = malloc(FLAME_ROW * sizeof(*d->spill[depth]));
		if (d->spill[depth] == NULL)
			return false;
		memset(d->spill[depth], 0, FLAME_ROW * sizeof(*d->spill[depth]));
		f->spilled = true;
	}
	for (unsigned r = 0; r < FLAME_RINGS; r++) {
		uint64_t slice = f->kids_slice / (flame_rings[r].length / flame_rings[0].length);

		if (d->cur[r] - slice < flame_rings[r].count)
			row_add(&d->spill[depth][flame_ring_position(&flame_rings[r], slice)], f->kids);
	}
	f->kids = 0;
	return true;
}

/* Add a stretch of time, split at the slices, to a row, less what `except` (may be NULL) has there. */
static void domain_add_split(
    const struct flame_domain *d, uint32_t *row, uint64_t begin, uint64_t end, const uint32_t *except)
{
	for (unsigned r = 0; r < FLAME_RINGS; r++) {
		const struct flame_ring *ring = &flame_rings[r];
		uint64_t oldest = d->cur[r] < ring->count ? 0 : d->cur[r] - ring->count + 1;
		uint64_t slice = begin / ring->length;

		for (slice = slice < oldest ? oldest : slice; slice <= d->cur[r]; slice++) {
			uint64_t from = slice * ring->length;
			unsigned p = flame_ring_position(ring, slice);

			if (from >= end)
				break;
			uint64_t time = span_time(begin, end, from, span_time_after(from, ring->length));
			if (except != NULL)
				time = time > except[p] ? time - except[p] : 0;
			row_add(&row[p], time);
		}
	}
}

/* Commit a span that lies in several slices, or not in the current one. */
static void domain_commit_split(struct flame_domain *d, unsigned depth, uint64_t end)
{
	struct flame_frame *f = &d->frames[depth];
	uint32_t *row = d->rows + (size_t)f->node * FLAME_ROW;

	if ((f->kids > 0 || f->spilled) && !frame_spill(d, depth))
		return;
	domain_add_split(d, row, f->begin, end, f->spilled ? d->spill[depth] : NULL);
	if (depth > 0 && frame_spill(d, depth - 1))
		domain_add_split(d, d->spill[depth - 1], f->begin, end, NULL);
}

/* Commit the span of a frame, which ends at `end`. */
static inline void domain_commit(struct flame_domain *d, unsigned depth, uint64_t end)
{
	struct flame_frame *f = &d->frames[depth];
	uint64_t slice = d->cur[0], duration = end - f->begin;

	if (f->node == FLAME_NONE)
		return;
	if (f->spilled || f->begin < d->slice_begin) {
		domain_commit_split(d, depth, end);
		return;
	}
	d->now[f->node] += duration > f->kids ? (uint32_t)(duration - f->kids) : 0;
	if (depth == 0)
		return;
	f = &d->frames[depth - 1];
	if (f->kids_slice != slice) {
		if (f->kids > 0 && !frame_spill(d, depth - 1))
			return;
		f->kids_slice = slice;
	}
	f->kids += duration;
}

/* Make room for new paths by removing those that have no time in any slice. */
static void domain_prune(struct flame_domain *d)
{
	bool keep[FLAME_NODES_MAX] = {false};
	uint16_t map[FLAME_NODES_MAX];
	unsigned count = d->tree.count;

	d->pruned_at = d->last;
	flame_domain_flush(d);
	memset(d->guesses, 0, sizeof(d->guesses));
	for (unsigned n = 0; n < count; n++)
		for (unsigned i = 0; i < FLAME_ROW && !keep[n]; i++)
			keep[n] = d->rows[(size_t)n * FLAME_ROW + i] != 0;
	for (unsigned i = 0; i < d->depth; i++)
		if (d->frames[i].node != FLAME_NONE)
			keep[d->frames[i].node] = true;
	flame_tree_prune(&d->tree, keep, map);
	for (unsigned n = 0; n < count; n++)
		if (map[n] != FLAME_NONE && map[n] != n)
			memcpy(d->rows + (size_t)map[n] * FLAME_ROW, d->rows + (size_t)n * FLAME_ROW,
			    FLAME_ROW * sizeof(*d->rows));
	memset(d->rows + (size_t)d->tree.count * FLAME_ROW, 0,
	    (size_t)(d->row_count - d->tree.count) * FLAME_ROW * sizeof(*d->rows));
	for (unsigned i = 0; i < d->depth; i++)
		if (d->frames[i].node != FLAME_NONE)
			d->frames[i].node = map[d->frames[i].node];
}

/* The node of a span of this phase whose parent frame is at depth - 1. */
static uint16_t domain_node(struct flame_domain *d, unsigned depth, rtev_phase phase)
{
	if (flame_tree_full(&d->tree) && d->last - d->pruned_at >= FLAME_WINDOW_MIN)
		domain_prune(d);
	unsigned n = flame_tree_child(&d->tree, depth == 0 ? FLAME_ROOT : d->frames[depth - 1].node, phase);
	if (n != FLAME_NONE && !domain_grow_rows(d))
		return FLAME_NONE;
	return (uint16_t)n;
}

/* Likewise, by what came after the same span before. */
static inline uint16_t domain_node_guess(struct flame_domain *d, unsigned depth, rtev_phase phase)
{
	uint16_t *guess = &d->guesses[d->before[depth]], n = *guess;
	unsigned parent = depth == 0 ? FLAME_ROOT : d->frames[depth - 1].node;

	if (flame_tree_full(&d->tree) || d->tree.nodes[n].phase != phase ||
	    d->tree.nodes[n].parent != parent) {
		n = domain_node(d, depth, phase);
		if (n == FLAME_NONE)
			return n;
		*guess = n;
	}
	d->before[depth] = n;
	d->before[depth + 1] = (uint16_t)(FLAME_FIRST + n);
	return n;
}

/* A span begins. */
void flame_opened(void *ctx, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth)
{
	struct flame *f = ctx;
	struct flame_domain *d = domain < MODEL_DOMAINS_MAX ? f->domains[domain] : NULL;

	if (d == NULL && (d = domain_get(f, domain)) == NULL)
		return;
	ts = domain_stamp(d, ts);
	if (depth != d->depth || depth >= FLAME_DEPTH_MAX)
		return;
	d->frames[depth] = (struct flame_frame){
	    .begin = ts,
	    .kids_slice = d->cur[0],
	    .node = domain_node_guess(d, depth, phase),
	    .phase = phase,
	};
	d->depth = depth + 1;
	if (d->refused)
		domain_leave_out(f, domain);
}

/*
 * Drop the span of a frame.  What has closed inside it is time that the span around it doesn't have for itself
 * either.  Frames inside it that are left move down, to the paths that they now have.
 */
static void domain_drop(struct flame_domain *d, unsigned depth)
{
	struct flame_frame *f = &d->frames[depth];

	if (depth > 0 && (f->kids > 0 || f->spilled)) {
		struct flame_frame *around = f - 1;

		if (f->spilled && frame_spill(d, depth - 1))
			for (unsigned i = 0; i < FLAME_ROW; i++)
				row_add(&d->spill[depth - 1][i], d->spill[depth][i]);
		if (around->kids > 0 && around->kids_slice != f->kids_slice)
			frame_spill(d, depth - 1);
		around->kids_slice = f->kids_slice;
		around->kids += f->kids;
	}
	d->depth--;
	for (unsigned i = depth; i < d->depth; i++) {
		uint32_t *spill = d->spill[i];

		d->frames[i] = d->frames[i + 1];
		d->spill[i] = d->spill[i + 1];
		d->spill[i + 1] = spill;
		d->frames[i].node = domain_node(d, i, d->frames[i].phase);
	}
}

/* A span ends. */
void flame_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct flame *f = ctx;
	struct flame_domain *d = domain < MODEL_DOMAINS_MAX ? f->domains[domain] : NULL;

	if (d == NULL)
		return;
	uint64_t end = domain_stamp(d, span->end);
	if (span->depth >= d->depth)
		return;
	while (d->depth > span->depth + 1)
		domain_drop(d, d->depth - 1);
	domain_commit(d, span->depth, end);
	d->depth = span->depth;
	if (d->refused)
		domain_leave_out(f, domain);
}

/* A span is dropped. */
static void flame_dropped(void *ctx, unsigned domain, rtev_phase phase, uint64_t begin, unsigned depth)
{
	struct flame *f = ctx;
	struct flame_domain *d = domain < MODEL_DOMAINS_MAX ? f->domains[domain] : NULL;

	if (d == NULL || depth >= d->depth)
		return;
	domain_drop(d, depth);
	if (d->refused)
		domain_leave_out(f, domain);
}

/* Words were lost, so nothing is known of the time until the next event. */
static void flame_gap(void *ctx, unsigned domain, enum model_note_kind kind, uint64_t after_ts,
    uint64_t words, uint64_t history)
{
	struct flame *f = ctx;
	struct flame_domain *d = domain < MODEL_DOMAINS_MAX ? f->domains[domain] : NULL;

	if (d == NULL || d->slice_end == 0)
		return;
	domain_stamp(d, after_ts > d->last ? after_ts : d->last);
	d->gap_open = true;
	domain_set_plain(d);
}

/* The loss began later than the last event. */
static void flame_lost_from(void *ctx, unsigned domain, uint64_t ts)
{
	struct flame *f = ctx;
	struct flame_domain *d = domain < MODEL_DOMAINS_MAX ? f->domains[domain] : NULL;

	if (d == NULL || !d->gap_open || ts <= d->last)
		return;
	d->gap_open = false;
	domain_stamp(d, ts);
	d->gap_open = true;
	domain_set_plain(d);
}

void flame_touch(struct flame *f, unsigned domain, uint64_t ts)
{
	struct flame_domain *d = domain_get(f, domain);

	if (d != NULL)
		domain_stamp(d, ts);
}

static void flame_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	flame_touch(ctx, domain, ts);
}

static void flame_lifecycle(void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	flame_touch(ctx, domain, ts);
}

static void flame_user(void *ctx, unsigned domain, uint64_t ts, unsigned slot, int64_t value)
{
	flame_touch(ctx, domain, ts);
}

static void flame_user_opened(void *ctx, unsigned domain, uint64_t ts, unsigned slot)
{
	flame_touch(ctx, domain, ts);
}

void flame_observer(struct flame *f, struct model_observer *out)
{
	*out = (struct model_observer){
	    .ctx = f,
	    .opened = flame_opened,
	    .closed = flame_closed,
	    .dropped = flame_dropped,
	    .counter = flame_counter,
	    .lifecycle = flame_lifecycle,
	    .user = flame_user,
	    .user_opened = flame_user_opened,
	    .gap = flame_gap,
	    .lost_from = flame_lost_from,
	};
}
