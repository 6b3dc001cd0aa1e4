/*
 * flame_private.h - data structures of a flame graph; flame.c handles events, flame_read.c reads a window.
 *
 * Each domain has a tree of paths and, for each node, a row of self time by slice: three consecutive rings,
 * with slices of 20, 100 and 500 ms.  Boundaries of coarser slices are boundaries of finer ones, so a span
 * inside one fine slice lies inside one slice of each ring.  That is the common case.
 *
 * A frame is an open span.  When it closes, the time of its closed children must be subtracted slice by
 * slice: `kids` is their time in the fine slice `kids_slice`, and the frame's spill row has their time in
 * earlier slices.  Slices are numbered from timestamp 0.
 *
 * The self time of the current fine slice waits in `now`, and is added to the rows when the slice ends or is
 * read.
 *
 * Programs repeat themselves, so the node of a span is guessed before it is looked up: it is the one that
 * came last after the same node before it under the same parent, or as the parent's first.  A guess is
 * checked against the tree.
 */
#pragma once

#include "watch/flame.h"

#define FLAME_RINGS 3
#define FLAME_RING_NARROW 52 /* 51 slices cover any window, one is spare */
#define FLAME_RING_WIDE 122
#define FLAME_ROW (2 * FLAME_RING_NARROW + FLAME_RING_WIDE)
#define FLAME_GAPS 32

struct flame_ring {
	uint64_t length; /* of a slice */
	unsigned count;	 /* of slices */
	unsigned offset; /* in a row */
};

/* The finest first. */
extern const struct flame_ring flame_rings[FLAME_RINGS];

struct flame_frame {
	uint64_t begin;
	uint64_t kids_slice;
	uint64_t kids;
	uint16_t node; /* FLAME_NONE: its time and that of its children counts for the frame around it */
	rtev_phase phase;
	bool spilled;
};

/* What a guess goes by: the node that was open before at the same depth, or that number plus FLAME_FIRST of
 * the parent if there was none. */
#define FLAME_FIRST FLAME_NODES_MAX

/* A stretch in which events were lost. */
struct flame_gap {
	uint64_t from;
	uint64_t to;
};

struct flame_domain {
	struct flame_tree tree;
	uint32_t *rows; /* tree.size of them, FLAME_ROW long */
	unsigned row_count;
	uint64_t first; /* timestamp of the first event or gap */
	uint64_t last;
	uint64_t slice_begin, slice_end; /* of the current fine slice; 0 before the first stamp */
	uint64_t plain_end;		 /* a stamp from `last` up to here needs no work: slice_end, or 0 */
	uint64_t cur[FLAME_RINGS];	 /* the current slice of each ring */
	unsigned depth;			 /* frames in use */
	uint16_t before[FLAME_DEPTH_MAX + 1]; /* by depth: what the next guess goes by */
	struct flame_frame frames[FLAME_DEPTH_MAX];
	/* self time of each node in the current fine slice, not yet in its row */
	uint32_t now[FLAME_NODES_MAX];
	uint16_t guesses[2 * FLAME_NODES_MAX]; /* nodes; FLAME_ROOT for none */
	uint32_t *spill[FLAME_DEPTH_MAX];      /* a row for each frame that ever needed one */
	struct flame_gap gaps[FLAME_GAPS];     /* the latest, a ring */
	unsigned gap_count;		       /* ever */
	bool gap_open;
	uint64_t pruned_at;
	struct budget *budget; /* of the flame */
	size_t bytes;	       /* taken from it */
	bool refused;	       /* a request was refused */
};

struct flame {
	struct flame_domain *domains[MODEL_DOMAINS_MAX];
	bool left_out[MODEL_DOMAINS_MAX];
	struct budget *budget; /* NULL: none */
	uint64_t self[FLAME_NODES_MAX];
	uint64_t sum[FLAME_NODES_MAX];
	struct flame_bar bars[FLAME_NODES_MAX];
};

/* The position in a row of a slice of a ring. */
static inline unsigned flame_ring_position(const struct flame_ring *r, uint64_t slice)
{
	return r->offset + (unsigned)(slice % r->count);
}

/* Advance all rings to the slices of ts, which must not be before the current ones. */
void flame_domain_turn(struct flame_domain *d, uint64_t ts);

/* Add the time that waits to the rows. */
void flame_domain_flush(struct flame_domain *d);

/* ---- events, for an observer that has them all ---- */

/* Take in an event of any kind and any stamp. */
void flame_opened(void *flame, unsigned domain, rtev_phase phase, uint64_t ts, unsigned depth);
void flame_closed(void *flame, unsigned domain, const struct model_span *span);
void flame_touch(struct flame *f, unsigned domain, uint64_t ts);

/* Return whether a stamp needs nothing but to be remembered. */
static inline bool flame_plain(const struct flame_domain *d, uint64_t ts)
{
	return d != NULL && ts >= d->last && ts < d->plain_end;
}

/* A span begins and ends, inside another one.  False, and nothing changed, if it needs more than its time
 * added: flame_take_both. */
static inline bool flame_try_both(struct flame *f, unsigned domain, const struct model_span *span)
{
	struct flame_domain *d = f->domains[domain];
	unsigned depth = span->depth;

	/* A reading may have moved the current slice beyond the latest event. */
	if (d == NULL || span->begin < d->last || span->begin < d->slice_begin || span->end >= d->plain_end ||
	    depth != d->depth || depth - 1 >= FLAME_DEPTH_MAX - 1)
		return false;
	unsigned n = d->guesses[d->before[depth]];
	struct flame_frame *around = &d->frames[depth - 1];
	const struct flame_node *node = &d->tree.nodes[n];
	if (node->phase != span->phase || node->parent != around->node || around->kids_slice != d->cur[0])
		return false;
	uint64_t duration = span->end - span->begin;
	d->last = span->end;
	d->before[depth] = (uint16_t)n;
	d->now[n] += (uint32_t)duration;
	around->kids += duration;
	return true;
}

/* The same of any span. */
static inline void flame_take_both(struct flame *f, unsigned domain, const struct model_span *span)
{
	if (flame_try_both(f, domain, span))
		return;
	flame_opened(f, domain, span->phase, span->begin, span->depth);
	flame_closed(f, domain, span);
}

/* An event that is no span of the runtime: it only shows that time has come so far. */
static inline void flame_take_other(struct flame *f, unsigned domain, uint64_t ts)
{
	struct flame_domain *d = f->domains[domain];

	if (flame_plain(d, ts))
		d->last = ts;
	else
		flame_touch(f, domain, ts);
}
