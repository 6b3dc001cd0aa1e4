/*
 * strip.c - what the event loop of each domain did in the last seconds, in pieces of time.
 *
 * A run of FIBERS_PIECE_NS or more is a piece of its own.  Shorter runs that follow each other share one, so
 * that a loop of any pace has at most two pieces in FIBERS_PIECE_NS.  The path that had most of a piece or
 * column is found by a majority vote of time: time of the leading path adds to its lead, time of others takes
 * from it until another path leads.
 */
#include "fibers/private.h"

/* Add time to a vote: `ns` of a path, `others` of other paths. */
static void most_add(struct most *most, uint32_t node, uint64_t ns, uint64_t others)
{
	if (most->lead == 0 && most->node != node)
		*most = (struct most){.node = node};
	if (most->node == node) {
		most->ns += ns;
		most->lead += ns;
	} else if (most->lead >= ns) {
		most->lead -= ns;
	} else {
		*most = (struct most){.node = node, .ns = ns, .lead = ns - most->lead};
	}
	most->lead -= most->lead < others ? most->lead : others;
}

/* Return the piece for a stretch of a loop's time; NULL if the stretch is empty. */
static struct piece *piece_for(struct loop *l, uint64_t from, uint64_t to)
{
	struct piece *p = &l->pieces[(l->piece_count - 1) % FIBERS_PIECES];

	if (to <= from)
		return NULL;
	if (l->piece_count == 0 || from < p->to || to - p->from > FIBERS_PIECE_NS) {
		p = &l->pieces[l->piece_count++ % FIBERS_PIECES];
		*p = (struct piece){.from = from};
	}
	p->to = to;
	p->busy_ns += to - from;
	return p;
}

/* Return the begin of the part of a loop's turn that is in no piece yet. */
static uint64_t rest_of_turn(const struct loop *l)
{
	return l->piece_ts > l->turn_ts ? l->piece_ts : l->turn_ts;
}

static void add_run(struct fibers *f, struct piece *p, const struct run *run)
{
	const uint32_t node = fibers_node(f, run->context);

	p->run_ns += run->duration;
	most_add(&p->most, node, run->duration, 0);
	if (run->duration <= p->duration)
		return;
	p->node = node;
	p->span = run->span;
	p->fiber = run->fiber;
	p->ts = run->ts;
	p->duration = run->duration;
	p->gc_ns = run->gc_ns;
}

void fibers_strip_run(struct fibers *f, const struct run *run)
{
	struct loop *l = f->loops[run->domain];

	if (l->turn_ts != 0)
		piece_for(l, rest_of_turn(l), run->ts);
	struct piece *p = piece_for(l, run->ts, run->ts + run->duration);
	if (p != NULL)
		add_run(f, p, run);
	l->piece_ts = run->ts + run->duration;
}

void fibers_strip_turn(struct fibers *f, unsigned domain, uint64_t ts)
{
	struct loop *l = f->loops[domain];

	if (l->turn_ts != 0)
		piece_for(l, rest_of_turn(l), ts);
}

/* Get the piece `back` pieces before the latest, which is the open one.  False if there are no more. */
static bool piece_at(struct fibers *f, unsigned domain, uint64_t end, size_t back, struct piece *out)
{
	struct loop *l = f->loops[domain];
	struct run open;

	if (back > l->piece_count || back > FIBERS_PIECES)
		return false;
	if (back > 0) {
		*out = l->pieces[(l->piece_count - back) % FIBERS_PIECES];
		return true;
	}
	bool runs = fibers_run_open(f, domain, end, &open);
	uint64_t from = runs ? open.ts : l->turn_ts != 0 && !l->missing ? rest_of_turn(l) : end;
	*out = (struct piece){.from = from, .to = end > from ? end : from};
	out->busy_ns = out->to - from;
	if (runs)
		add_run(f, out, &open);
	return true;
}

void fibers_columns(struct fibers *f, unsigned domain, uint64_t end, uint64_t t0, uint64_t width,
    unsigned count, struct fiber_column *out)
{
	struct most most[FIBERS_COLUMNS] = {{0}};
	struct piece p;

	memset(out, 0, count * sizeof(*out));
	count = count < FIBERS_COLUMNS ? count : FIBERS_COLUMNS;
	if (domain >= MODEL_DOMAINS_MAX || f->loops[domain] == NULL)
		return;
	for (size_t back = 0; piece_at(f, domain, end, back, &p); back++) {
		if (back > 0 && p.to <= t0)
			break;
		uint64_t c = p.from > t0 ? (p.from - t0) / width : 0;
		for (; c < count && c <= (UINT64_MAX - t0) / width && p.to > p.from; c++) {
			const uint64_t begin = t0 + c * width;
			if (begin >= p.to)
				break;
			const uint64_t from = p.from > begin ? p.from : begin,
				       to = p.to - begin < width ? p.to : begin + width;
			const double part = (double)(to - from) / (double)(p.to - p.from);
			const double own = part * (double)p.most.ns, runs = part * (double)p.run_ns;
			out[c].busy_ns += part * (double)p.busy_ns;
			out[c].run_ns += runs;
			if (p.run_ns > 0)
				most_add(&most[c], p.most.node, (uint64_t)own, (uint64_t)(runs - own));
		}
	}
	for (unsigned c = 0; c < count; c++) {
		out[c].path = (struct fiber_path){f, most[c].node};
		out[c].one = out[c].run_ns > 0 && 2 * (double)most[c].ns >= out[c].run_ns - 1;
	}
}

size_t fibers_longest(struct fibers *f, unsigned domain, uint64_t from, uint64_t to, uint64_t end,
    struct fiber_run *out, size_t count, size_t max)
{
	struct piece p;

	for (size_t back = 0; f->loops[domain] != NULL && piece_at(f, domain, end, back, &p); back++) {
		if (back > 0 && p.to <= from)
			break;
		if (p.duration == 0 || p.ts >= to || p.ts + p.duration <= from ||
		    (count == max && p.duration <= out[max - 1].duration))
			continue;
		size_t at = count < max ? count++ : max - 1;
		for (; at > 0 && out[at - 1].duration < p.duration; at--)
			out[at] = out[at - 1];
		out[at] = (struct fiber_run){.fiber = p.fiber,
		    .ts = p.ts,
		    .duration = p.duration,
		    .gc_ns = p.gc_ns,
		    .domain = domain,
		    .path = {f, p.node},
		    .span = fibers_text_of(f, p.span)};
	}
	return count;
}
