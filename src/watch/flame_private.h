/*
 * flame_private.h - how a flame graph is kept; shared by its two files: flame.c takes events in, flame_read.c
 * reads a window.
 *
 * Each domain has a tree of paths and, for each node, a row of own time (self) by slice: three rings of
 * slices behind one another, of 20, 100 and 500 ms.  Since boundaries of the coarser slices are boundaries of
 * the finer ones, a span inside one fine slice lies inside one slice of each ring, which is the common case.
 *
 * A frame is an open span.  What its closed children took must be left out of its own time slice by slice
 * when it closes: `kids` is their time in the fine slice `kids_slice`; what they took in earlier ones is in
 * the frame's spill row.  Slices are counted from stamp 0.
 */
#ifndef WATCH_FLAME_PRIVATE_H
#define WATCH_FLAME_PRIVATE_H

#include "watch/flame.h"

#define FLAME_RINGS 3
#define FLAME_RING_NARROW 52 /* 51 slices cover the window wherever it begins in a slice, one is spare */
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
	uint16_t node; /* FLAME_NONE: its time, and that of all inside it, stays with the frame around it */
	rtev_phase phase;
	bool spilled;
};

/* A stretch in which events were lost. */
struct flame_gap {
	uint64_t from;
	uint64_t to;
};

struct flame_domain {
	struct flame_tree tree;
	uint32_t *rows; /* tree.size of them, FLAME_ROW long */
	unsigned row_count;
	uint64_t first; /* stamp, also of a gap's begin */
	uint64_t last;
	uint64_t slice_end;	   /* of the current fine slice; 0 before the first stamp */
	uint64_t cur[FLAME_RINGS]; /* the current slice of each ring */
	unsigned depth;		   /* frames in use */
	struct flame_frame frames[FLAME_DEPTH_MAX];
	uint32_t *spill[FLAME_DEPTH_MAX];  /* a row for each frame that ever needed one */
	struct flame_gap gaps[FLAME_GAPS]; /* the latest, a ring */
	unsigned gap_count;		   /* ever */
	bool gap_open;
	uint64_t pruned_at;
	struct budget *budget; /* of the flame */
	size_t bytes;	       /* taken of it */
	bool refused;	       /* it has had no more */
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

/* Take all slices forward to those of ts, which is not before the current ones. */
void flame_domain_turn(struct flame_domain *d, uint64_t ts);

#endif
