/*
 * private.h - what fibers.c keeps and the reports read.
 */
#pragma once

#include "core/id_map.h"
#include "core/utf8.h"
#include "fibers/fibers.h"

/* Indexes into the arrays below; 0 is none, as the first member of each is not used. */
typedef uint32_t fiber_index;

struct tally {
	uint64_t created, finished, runs, run_ns, run_max_ns, run_max_gc_ns, blocked_ns;
	uint32_t run_max_span; /* of the longest run, like its time in the collector */
};

/* What each switch needs stands first, in a line of the cache for most. */
struct fiber {
	uint64_t id;
	uint64_t since;	     /* FIBER_BLOCKED: its suspension */
	uint64_t want;	     /* what it waits for */
	fiber_index context; /* that it is in; 0: not known */
	fiber_index made_in; /* the context that it was made in; 0: not known */
	uint32_t losses;     /* of its domain when it was last seen; others since: the above is not known */
	uint16_t op;	     /* FIBER_BLOCKED: text */
	uint16_t domain, depth; /* spans that are open */
	uint8_t state;
	bool wants; /* `want` is set */
	bool seen;  /* it is alive, or ended, since the last reset */
	bool made;  /* its making was read */
	bool own;   /* the scheduler's: in no list and no figure */
	uint16_t spans[FIBERS_SPANS];
};
_Static_assert(FIBERS_TEXTS <= UINT16_MAX && sizeof(struct fiber) == 64, "");

/* In the list of the fibers that are blocked, the longest first, or `after` alone of those that are free.  Apart from the
 * fibers: that one leaves the list touches two others. */
struct fiber_link {
	fiber_index before, after;
};

struct context {
	uint64_t id;
	fiber_index parent;	   /* 0: none, or not known */
	uint32_t refs;		   /* fibers, contexts and reports that name it */
	uint32_t name;		   /* text; 0: none */
	uint32_t node, node_names; /* of its path, as of so many names of contexts */
	uint16_t depth;
	uint8_t kind;
	uint32_t losses;    /* of all domains when it was cancelled */
	uint64_t cancel_ts; /* of that, the first time */
	bool holds;	    /* others have been made in it */
	bool known;	    /* its chain is, up to a root */
	bool ended, cancelled;
	bool own;	    /* its name is the scheduler's, and in no path */
	uint32_t error;	    /* a hash of why it was cancelled; 0: it was not */
	struct tally tally; /* of fibers in it */
};

struct object {
	uint64_t id;
	uint64_t holder; /* the fiber that last got it, and has not put it since */
	uint32_t name;
	uint32_t losses; /* of all domains when it got it; others since: who has it is not known */
	uint8_t kind;
	bool held;
};

#define FIBERS_TEXTS_LATEST 64u

/* A name below another: a path.  Node 0 is the empty path. */
struct path_node {
	uint32_t parent, name;
	uint32_t alike;	    /* the node that stands for all that read the same */
	struct tally tally; /* of contexts that are gone */
};
#define PATH_UNKNOWN                                                                                         \
	1u /* the node of contexts whose parent is not known: a path that begins with it is known in part */

struct text {
	uint16_t len;
	char bytes[FIBERS_TEXT];
};

struct run {
	uint64_t fiber, ts, duration, gc_ns;
	unsigned domain;
	fiber_index context;
	uint32_t span;
};

struct failure {
	uint64_t ts, id;
	fiber_index context;
	char text[FIBERS_ERROR];
	size_t len;
};

/* A fiber whose end was read and not its making. */
struct unmade {
	uint64_t id, ts;
};
#define UNMADE_MAX 256u /* the latest */

/* What the same of several had most of: `ns` is the least that it had, exact where it had all. */
struct most {
	uint32_t node;
	uint64_t ns, lead;
};

/* A stretch of a loop's time, and the longest run that ended in it. */
struct piece {
	uint64_t from, to;
	uint64_t busy_ns, run_ns; /* of that, in turns and in runs */
	struct most most;	  /* of the paths that the runs were of */
	uint32_t node, span;
	uint64_t fiber, ts, duration, gc_ns;
};

/* What a span covered of a run. */
struct covered {
	uint32_t span;
	unsigned depth; /* of spans around it */
	uint64_t ns;
};

/* LOOP_UNKNOWN: after what was missed, until an event tells. */
enum loop_state { LOOP_NONE, LOOP_UNKNOWN, LOOP_IDLE, LOOP_BUSY };

struct loop {
	fiber_index running;
	uint64_t run_ts;		      /* begin of the run */
	bool run_whole;			      /* its begin was seen, and nothing was missed since */
	struct covered covered[FIBERS_SPANS]; /* by spans that ended inside it, those that covered most */
	unsigned covered_count;
	uint64_t span_ts[FIBERS_SPANS]; /* since when it is in each of the fiber's spans */
	fiber_index run_context;	/* at its begin, with a reference */
	uint64_t gc_ns, gc_after;	/* collector inside the run; after `end_ts` */
	uint64_t end_ts;		/* of the suspension or end that may close the run; 0: none */
	bool suspended;			/* it was a suspension */
	unsigned own_spans;		/* of the scheduler, open since then */
	uint32_t op;
	uint32_t losses;
	enum loop_state state;
	bool missing;	  /* something since the last event, for an unknown time */
	uint64_t last_ts; /* of its latest event */
	uint64_t mark;	  /* until when busy_ns and seen_ns are counted */
	uint64_t busy_ns, seen_ns;
	uint64_t laps;
	int64_t paused, jobs;
	uint64_t turn_ts; /* begin of the turn; 0: not seen, or something was missed since */
	uint64_t
	    runs_ts; /* begin of the first run since the loop last asked, or something was missed; 0: none since */
	uint64_t runs_ns; /* of runs since then */
	uint64_t late_ns; /* of late runs in the turn */
	/* What its turns are: it asks the system in each; it is on io_uring, as its events say (`uring`) or it goes on and
	 * on.  Neither is known of a loop that was met late and has told nothing that only one of both does. */
	bool asks, no_turns;
	bool uring;
	uint32_t error; /* a hash of the error that the running fiber is about to pass on; 0: none */
	struct hist turns;
	struct run
	    worst; /* the longest run since `runs_ts`, with a reference to its context; duration 0: none */
	struct piece *pieces;	 /* the latest FIBERS_PIECES, a ring */
	uint64_t piece_count;	 /* of all */
	uint64_t piece_ts;	 /* until when this turn is in them, if it is later than its begin */
	uint32_t alive, blocked; /* fibers, as last counted */
};

/* A run or turn that was late. */
struct late {
	uint64_t end, duration;
	uint64_t ns; /* of that, what is not late runs of the turn */
	unsigned domain;
	struct run run; /* its longest, which holds a reference to its path */
};

/* How many fibers waited for the same, at the end of each of the last steps of FIBERS_GROWTH_STEP; the latest last. */
struct growth {
	uint32_t node, op, name;
	enum fiber_kind kind;
	uint32_t counts[FIBERS_GROWTH_STEPS + 1];
};

/* A blocked fiber, with what it is grouped by as numbers. */
struct waiting {
	uint32_t node, op, name;
	enum fiber_kind kind;
	fiber_index fiber;
	uint64_t since, object;
	bool wants;
};

struct fibers {
	const struct model *model;
	struct loop *loops[MODEL_DOMAINS_MAX];
	struct id_map fiber_map, context_map, object_map;
	struct fiber *fibers;
	struct fiber_link *links; /* of `fibers`, by the same indexes */
	struct context *contexts;
	struct object *objects;
	size_t fiber_room, link_room, context_room, object_room;
	fiber_index fiber_count, context_count, object_count; /* used of the arrays, index 0 included */
	fiber_index fiber_free, context_free;		      /* first of a list by `after` and `parent` */
	fiber_index object_next;			      /* that is replaced next, once all are used */
	fiber_index blocked_first, blocked_last;
	struct text *texts;
	uint32_t texts_latest[FIBERS_TEXTS_LATEST]; /* by their last bytes and lengths */
	struct id_map text_map;
	size_t text_room;
	uint32_t text_count;
	struct path_node *nodes;
	struct id_map node_map, path_map; /* by parent and name; by what their paths read */
	size_t node_room;
	uint32_t node_count;
	struct run longest[FIBERS_LATEST];
	struct failure failures[FIBERS_LATEST];
	size_t longest_count, failure_count;
	struct late late[FIBERS_LATE_COUNT]; /* the latest; a ring */
	uint64_t late_count, late_ns;	     /* of all */
	struct growth growth[FIBERS_GROWTH_GROUPS];
	size_t growth_count;
	uint64_t growth_ts;		  /* of the last step; 0: none yet */
	struct unmade unmade[UNMADE_MAX]; /* a ring */
	uint64_t unmade_count;		  /* of all */
	struct fibers_observer observer;
	unsigned tells;
	uint64_t reset_ts;
	uint64_t events, created, finished, errors, cancelled, timeouts, alive, forgotten, blocked;
	uint64_t counted; /* events, when the fibers of each domain were last counted */
	uint32_t losses;  /* of all domains */
	uint32_t names;	  /* 1, and how often a context was named that others were in */
	bool lost, failed;
};

/* The number of a text, made if need be; 0: there are too many. */
uint32_t fibers_text(struct fibers *f, const void *bytes, size_t len);

/* Make a context below another one; 0: there is no room.  Take a reference to one, and drop it: one that has ended and
 * that nobody names any more goes.  End one: the reference that it holds to itself while it lasts goes. */
fiber_index fibers_context_make(struct fibers *f, uint64_t id, enum fiber_kind kind, fiber_index parent);
fiber_index fibers_context_take(struct fibers *f, fiber_index at);
void fibers_context_drop(struct fibers *f, fiber_index at);
void fibers_context_end(struct fibers *f, fiber_index at);

/* Take a fiber out of the list of the blocked; add it at its end. */
void fibers_unlist(struct fibers *f, fiber_index at);
void fibers_enlist(struct fibers *f, fiber_index at);

/* The tally of a context; 0: of those that are not known. */
struct tally *fibers_tally_of(struct fibers *f, fiber_index context);

/* Find a fiber that an event of a domain names, made if need be.  0: there is no room. */
fiber_index fibers_one(struct fibers *f, uint64_t id, unsigned domain);

/* A fiber waits no more. */
void fibers_unblock(struct fibers *f, fiber_index at, uint64_t ts);

/* The loop of a domain, made if need be; NULL when memory ran out.  Count the time since its last mark. */
struct loop *fibers_loop_of(struct fibers *f, unsigned domain);
void fibers_loop_count(struct loop *l, uint64_t ts);

/* A fiber runs; the run of a domain ends as another begins, or by an event that says so. */
void fibers_run_begin(struct fibers *f, unsigned domain, uint64_t ts, uint64_t id);
void fibers_run_end(struct fibers *f, unsigned domain, uint64_t ts);
void fibers_run_ends(struct fibers *f, unsigned domain, uint64_t ts);

/* A suspension turned out to have come back at once. */
void fibers_run_on(struct loop *l);

/* A span of the running fiber begins at its present depth; ends. */
void fibers_span_begins(struct fibers *f, struct loop *l, uint64_t ts, uint32_t span);
void fibers_span_ends(struct fibers *f, struct loop *l, uint64_t ts);

/* The run of the fiber that a domain runs, up to `end`. */
struct run fibers_run_until(const struct fibers *f, unsigned domain, const struct fiber *fiber, uint64_t end);

/* A loop is on io_uring. */
void fibers_on_uring(struct loop *l);

/* Whether the turns of a loop tell anything. */
static inline bool fibers_has_turns(const struct loop *l)
{
	return l->asks && !l->no_turns;
}

/* Take its running fiber from a domain, and count nothing. */
void fibers_run_cut(struct fibers *f, struct loop *l);

/* The loop of a domain asks the system for events; it is back. */
void fibers_idle_begins(struct fibers *f, unsigned domain, uint64_t ts);
void fibers_idle_ends(struct fibers *f, unsigned domain, uint64_t ts);

/* Forget a fiber. */
void fibers_free_one(struct fibers *f, fiber_index at);

/* The part of a domain's open pause in [from, to). */
uint64_t fibers_open_pause(const struct fibers *f, unsigned domain, uint64_t from, uint64_t to);

/* List what blocked fibers wait for, those that wait for the same together.  The caller frees the list; NULL when memory
 * ran out. */
struct waiting *fibers_waiting(struct fibers *f, size_t *count);

/* What a blocked fiber waits for. */
struct waiting fibers_waiting_of(struct fibers *f, const struct fiber *fiber);

/* The order in which fibers are listed, apart from how long they have waited; they are struct fiber_row. */
int fiber_rows_order(const void *a, const void *b);

/* Whether two fibers wait for the same: 0. */
int fibers_waiting_order(const struct waiting *a, const struct waiting *b);

/* The run of a domain that has not ended, up to now; false: none is known to run. */
bool fibers_run_open(const struct fibers *f, unsigned domain, uint64_t end, struct run *out);

/* A run of a domain's loop has ended; its turn has. */
void fibers_strip_run(struct fibers *f, const struct run *run);
void fibers_strip_turn(struct fibers *f, unsigned domain, uint64_t ts);

/* Forget the late turns; the steps of growth. */
void fibers_late_clear(struct fibers *f);

/* A fiber, a run or a text as callers get it. */
struct fiber_row fibers_row_of(struct fibers *f, const struct fiber *fiber, uint64_t end);
struct fiber_run fibers_run_of(struct fibers *f, const struct run *run);
struct fiber_text fibers_text_of(const struct fibers *f, uint32_t at);

/* The node of a context's path, made if need be. */
uint32_t fibers_node(struct fibers *f, fiber_index context);

/* Whether what is kept of a fiber still holds: its domain lost nothing since it was seen. */
bool fibers_holds(const struct fibers *f, const struct fiber *fiber);

/* Whether a fiber is listed: it is alive, and what is known of it holds. */
static inline bool fibers_listed(const struct fibers *f, const struct fiber *fiber)
{
	return fiber->seen && fiber->state != FIBER_ENDED && !fiber->own && fibers_holds(f, fiber);
}

/* How long a blocked fiber has waited, since a reset at the longest. */
uint64_t fibers_waited(const struct fibers *f, const struct fiber *fiber, uint64_t end);

void tally_add(struct tally *to, const struct tally *from);
