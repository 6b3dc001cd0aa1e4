/*
 * open_spans.h - the open spans of one domain, runtime and user spans together, in the order in which they
 * began.
 *
 * A user span is set *aside* once it is known not to nest; it then becomes an asynchronous slice.  At most
 * RECORD_USERS_MAX user spans of a domain are tracked; further ones are aside from the start.
 *
 * Where stamps go back, a new *stretch* begins.  A slice that overlaps an earlier stretch could cross slices
 * there, so it is set aside too.
 *
 * Slices aside are assigned to *lanes*.  Viewers draw a row for each lane, so a lane is used again once its
 * slice has ended.
 */
#pragma once

#include "core/std.h"

#define RECORD_USERS_MAX 64
#define RECORD_LANES 64
#define RECORD_STRETCHES 8

struct record_span {
	uint64_t stamp; /* begin in the model */
	uint64_t begin; /* begin as written */
	uint32_t id;	/* phase or user slot */
	bool user;
	bool aside;
};

/* A zeroed struct is empty. */
struct record_spans {
	struct record_span *list; /* outermost first */
	size_t count, room;
	unsigned users;
	bool shown;	/* something was written in this stretch: `first` and `last` are valid */
	uint64_t first; /* first stamp written in this stretch */
	uint64_t last;	/* last stamp written in this stretch */
	struct {
		uint64_t first, last;
	} stretches[RECORD_STRETCHES]; /* earlier stretches; the last two are merged if there is no room */
	unsigned stretch_count;
	uint64_t lane_ends[RECORD_LANES];
	uint64_t lanes; /* number of lanes used so far */
};

/* Free the contents and leave it empty. */
void record_spans_fini(struct record_spans *spans);

/* Convert a stamp to the one that is written. */
uint64_t record_spans_show(struct record_spans *spans, uint64_t ts);

/* The next event has the stamp `ts`, possibly an earlier one: then a new stretch begins. */
void record_spans_resume(struct record_spans *spans, uint64_t ts);

/* Whether a time span overlaps an earlier stretch. */
bool record_spans_crosses(const struct record_spans *spans, uint64_t begin, uint64_t end);

/* Add a span.  Returns false if out of memory. */
bool record_spans_open(struct record_spans *spans, uint32_t id, bool user, uint64_t ts);

/* Remove the innermost runtime span.  User spans that began inside it and are still open are set aside.
 * Returns false if there is none. */
bool record_spans_close(struct record_spans *spans, struct record_span *out);

/* Remove a user span that began at `stamp`.  out->aside tells whether it nested.  Returns false if it is
 * unknown. */
bool record_spans_close_user(
    struct record_spans *spans, uint32_t id, uint64_t stamp, struct record_span *out);

/* Choose a lane for a slice aside that ends now, later than all before it.  Lanes count from 0; the fewest
 * possible are used, up to RECORD_LANES. */
uint64_t record_spans_lane(struct record_spans *spans, uint64_t begin, uint64_t end);

/* Drop the runtime span with `depth` runtime spans around it. */
void record_spans_drop(struct record_spans *spans, unsigned depth);

/* Drop all spans. */
void record_spans_clear(struct record_spans *spans);
