/*
 * flame_private.h - data structures of a flame graph.
 *
 * Each domain has, for each path of its spans, a row of self time by slice: three consecutive rings, with slices of
 * 20, 100 and 500 ms.  Boundaries of coarser slices are boundaries of finer ones, so a span inside one fine slice
 * lies inside one slice of each ring.  That is the common case.
 *
 * A span is added when it ends, and the spans inside it have ended before.  So a *frame*, one for each depth, has what
 * must be subtracted from the span that is open there, slice by slice: `kids` is their time in the fine slice
 * `kids_slice`, and the frame's spill row has their time in earlier slices.  Slices are numbered from timestamp 0.
 *
 * The self time of the current fine slice waits in `now`, and is added to the rows when the slice ends or is
 * read.
 */
#pragma once

#include "watch/flame.h"

#define FLAME_RINGS 3
#define FLAME_RING_NARROW 52 /* 51 slices cover any window, one is spare */
#define FLAME_RING_WIDE 122
#define FLAME_ROW (2 * FLAME_RING_NARROW + FLAME_RING_WIDE)
#define FLAME_GAPS 32

struct flame_frame {
	uint64_t kids_slice;
	uint64_t kids;
	bool spilled;
};

/* A stretch in which events were lost. */
struct flame_gap {
	uint64_t from;
	uint64_t to;
};

struct flame_domain {
	uint32_t *rows; /* row_size of them, FLAME_ROW long; those in use are 1 to row_count */
	unsigned row_count, row_size;
	uint16_t row_of[PATHS_MAX + 1]; /* by path; 0: none, as of PATH_NONE */
	uint64_t first;			/* timestamp of the first event or gap */
	uint64_t last;
	uint64_t slice_begin, slice_end; /* of the current fine slice; 0 before the first stamp */
	uint64_t plain_end;		 /* a stamp from `last` up to here needs no work: slice_end, or 0 */
	uint64_t cur[FLAME_RINGS];	 /* the current slice of each ring */
	struct flame_frame frames[PATH_DEPTH_MAX];
	uint32_t now[PATHS_MAX + 1];	   /* what each row still lacks, in the current fine slice */
	uint32_t *spill[PATH_DEPTH_MAX];   /* a row for each frame that ever needed one */
	struct flame_gap gaps[FLAME_GAPS]; /* the latest, a ring */
	unsigned gap_count;		   /* ever */
	bool gap_open;
	struct budget *budget; /* of the flame */
	size_t bytes;	       /* taken from it */
	bool refused;	       /* a request was refused */
};

struct flame {
	const struct path_tree *paths;
	struct flame_domain *domains[MODEL_DOMAINS_MAX];
	bool left_out[MODEL_DOMAINS_MAX];
	struct budget *budget; /* NULL: none */
	uint64_t self[PATHS_MAX];
	uint64_t sum[PATHS_MAX];
	struct flame_bar bars[PATHS_MAX];
};

/* ---- events, for an observer that has them all ---- */

/* Take in the end of any span, or an event of any other kind, with any stamp. */
void flame_closed(struct flame *f, unsigned domain, const struct model_span *span);
void flame_touch(struct flame *f, unsigned domain, uint64_t ts);

/* Return whether a stamp needs nothing but to be remembered. */
static inline bool flame_plain(const struct flame_domain *d, uint64_t ts)
{
	return d != NULL && ts >= d->last && ts < d->plain_end;
}

/* flame_closed of a span inside another one that only has to be added to the current slice.  False, and nothing changed,
 * if it is another one. */
static inline bool flame_try_closed(struct flame *f, unsigned domain, const struct model_span *span)
{
	struct flame_domain *d = f->domains[domain];
	unsigned depth = span->depth;

	/* A reading may have moved the current slice beyond the latest event. */
	if (!flame_plain(d, span->end) || span->begin < d->slice_begin || depth - 1 >= PATH_DEPTH_MAX - 1)
		return false;
	unsigned row = d->row_of[span->path];
	struct flame_frame *own = &d->frames[depth], *around = own - 1;
	uint64_t duration = span->end - span->begin;
	if (row == 0 || own->spilled || own->kids > duration || around->kids_slice != d->cur[0])
		return false;
	d->last = span->end;
	d->now[row] += (uint32_t)(duration - own->kids);
	own->kids = 0;
	around->kids += duration;
	return true;
}

/* An event that is no end of a span: it only shows that time has come so far. */
static inline void flame_take_other(struct flame *f, unsigned domain, uint64_t ts)
{
	struct flame_domain *d = f->domains[domain];

	if (flame_plain(d, ts))
		d->last = ts;
	else
		flame_touch(f, domain, ts);
}
