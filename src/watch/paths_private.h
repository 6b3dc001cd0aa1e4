/*
 * paths_private.h - a tree of stack paths, and for each domain where in it the domain stands.
 *
 * Programs repeat themselves, so the node of a span is guessed before it is looked up: it is the one that
 * came last after the same node before it under the same parent, or as the parent's first.  A guess is
 * checked against the tree.
 */
#pragma once

#include "watch/paths.h"

#define PATHS_NONE 0xffffu

struct path_node {
	rtev_phase phase;
	uint16_t parent;      /* PATHS_NONE: it is the root */
	uint16_t child, next; /* the first child, the next sibling: PATHS_NONE without one */
	bool times_missing;   /* there was no block for some of its spans */
	uint64_t count, total, self;
	uint64_t least;			/* longest.least */
	uint16_t octaves[HIST_OCTAVES]; /* of its durations: numbers of blocks, from 1; 0: none */
};

/* The phase of the root: no span's. */
#define PATHS_ROOT ((rtev_phase)0xffff)

/* The nodes of a domain's open spans, by depth, and what the guess of the next one goes by: the one before it
 * at its depth, or that number plus PATHS_MAX of the parent if there was none. */
struct path_standing {
	uint16_t nodes[PATHS_DEPTH];
	uint16_t before[PATHS_DEPTH + 1];
};

struct paths {
	struct path_node nodes[PATHS_MAX]; /* 0 is the root */
	unsigned count;
	bool short_of_memory;
	struct path_standing *domains[MODEL_DOMAINS_MAX];
	uint16_t
	    guesses[2 * PATHS_MAX]; /* what came last after it; 0, which is no span's node, for nothing */
	struct path list[PATHS_MAX];
	struct longest_list longest[PATHS_MAX];
	unsigned block_count;
	struct hist_octave blocks[PATHS_BLOCKS]; /* last: only those in use are touched */
};

/* Return whether a span may be among the longest of its path.  The list is looked at only for one that is
 * long. */
static inline bool paths_long(const struct paths *p, unsigned at, uint64_t begin, uint64_t duration)
{
	return duration >= p->nodes[at].least && longest_enters(&p->longest[at], begin, duration);
}

/* A span ends whose duration has this hist_place; as paths_closed. */
static inline struct longest_span *paths_take_closed(
    struct paths *p, unsigned domain, const struct model_span *span, unsigned place)
{
	const struct path_standing *s = p->domains[domain];
	uint64_t duration = span->end - span->begin;

	if (s == NULL || span->depth >= PATHS_DEPTH || s->nodes[span->depth] == PATHS_NONE)
		return paths_closed(p, domain, span);
	unsigned at = s->nodes[span->depth];
	struct path_node *node = &p->nodes[at];
	unsigned block = node->octaves[place / HIST_OCTAVE_BUCKETS];
	if (node->phase != span->phase || block == 0 || paths_long(p, at, span->begin, duration))
		return paths_closed(p, domain, span);
	node->count++;
	node->total += duration;
	node->self += span->self;
	p->blocks[block - 1].counts[place % HIST_OCTAVE_BUCKETS]++;
	return NULL;
}

/* A span begins and ends, inside another one.  False, and nothing changed, if it needs more than its time
 * added: paths_take_both. */
static inline bool paths_try_both(struct paths *p, unsigned domain, const struct model_span *span)
{
	struct path_standing *s = p->domains[domain];
	unsigned depth = span->depth;
	uint64_t duration = span->end - span->begin;

	if (s == NULL || depth >= PATHS_DEPTH)
		return false;
	unsigned at = p->guesses[s->before[depth]], parent = s->nodes[depth - 1],
		 place = hist_place(duration);
	struct path_node *node = &p->nodes[at];
	unsigned block = node->octaves[place / HIST_OCTAVE_BUCKETS];
	if (node->phase != span->phase || node->parent != parent || block == 0 ||
	    paths_long(p, at, span->begin, duration))
		return false;
	s->before[depth] = (uint16_t)at;
	node->count++;
	node->total += duration;
	node->self += duration;
	p->blocks[block - 1].counts[place % HIST_OCTAVE_BUCKETS]++;
	return true;
}

/* The same of any span; as paths_closed. */
static inline struct longest_span *paths_take_both(
    struct paths *p, unsigned domain, const struct model_span *span)
{
	if (paths_try_both(p, domain, span))
		return NULL;
	paths_opened(p, domain, span->phase, span->depth);
	return paths_closed(p, domain, span);
}
