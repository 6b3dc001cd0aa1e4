/*
 * open_spans.h - the spans open on one domain, runtime and user together, in the order in which they began.
 *
 * An entry is *aside* once it is known not to nest: then it stands in nobody's way and becomes an
 * asynchronous slice.  At most RECORD_USERS_MAX user spans are kept of a domain; what is opened beyond is
 * unknown here and is aside from the start.
 *
 * Where stamps go back, a new *stretch* of them begins.  What lies in an earlier stretch, too, could cross the slices there, so
 * it is put aside.
 *
 * Slices aside lie in *lanes*: viewers have a row for each number that one is given, so a lane is used again once
 * what lies in it has ended.
 */
#ifndef RECORD_OPEN_SPANS_H
#define RECORD_OPEN_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_USERS_MAX 64
#define RECORD_LANES 64
#define RECORD_STRETCHES 8

struct record_span {
	uint64_t stamp; /* of its begin, as the model knows it */
	uint64_t begin; /* as it is shown */
	uint32_t id;	/* phase or user slot */
	bool user;
	bool aside;
};

/* A zeroed struct is empty. */
struct record_spans {
	struct record_span *list; /* outermost first */
	size_t count, room;
	unsigned users;
	bool shown;	/* there are */
	uint64_t first; /* the earliest stamp shown of this stretch, and */
	uint64_t last;	/* the latest */
	struct {
		uint64_t first, last;
	} stretches[RECORD_STRETCHES]; /* the earlier ones; beyond so many the last two become one */
	unsigned stretch_count;
	uint64_t lane_ends[RECORD_LANES];
	uint64_t lanes; /* ever used */
};

/* Free what it holds; it is then empty. */
void record_spans_fini(struct record_spans *spans);

/* The stamp as which `ts` is shown. */
uint64_t record_spans_show(struct record_spans *spans, uint64_t ts);

/* Events come again from `ts` on: when that goes back, a new stretch begins. */
void record_spans_resume(struct record_spans *spans, uint64_t ts);

/* Whether a time has something in common with an earlier stretch. */
bool record_spans_crosses(const struct record_spans *spans, uint64_t begin, uint64_t end);

/* A span begins.  False when memory ran out. */
bool record_spans_open(struct record_spans *spans, uint32_t id, bool user, uint64_t ts);

/* The innermost runtime span ends; the user spans opened inside it, which are still open, don't nest.  False
 * when there is none. */
bool record_spans_close(struct record_spans *spans, struct record_span *out);

/* A user span that began at `stamp` ends.  False when it is not known.  out->aside tells whether it nested. */
bool record_spans_close_user(
    struct record_spans *spans, uint32_t id, uint64_t stamp, struct record_span *out);

/* A lane for the slice aside that ends now, the latest so far: from 0 on, as few as there can be while they are no more than
 * RECORD_LANES. */
uint64_t record_spans_lane(struct record_spans *spans, uint64_t begin, uint64_t end);

/* The runtime span that has `depth` others around it is dropped. */
void record_spans_drop(struct record_spans *spans, unsigned depth);

/* Keep of the user spans of each slot the innermost ones, as many as open(ctx, slot) tells. */
void record_spans_keep(struct record_spans *spans, uint64_t (*open)(void *ctx, uint32_t slot), void *ctx);

/* Forget all that is open. */
void record_spans_clear(struct record_spans *spans);

#endif
