/* private.h - within the room: the state that fibers.c and runs.c keep and the reports read. */
#pragma once

#include "core/id_map.h"
#include "core/utf8.h"
#include "fibers/fibers.h"

/* Indexes into the arrays of struct fibers; 0 is none: the first member of each is not used. */
typedef uint32_t fiber_index;

struct tally {
	uint64_t created, finished, runs, run_ns, run_max_ns, run_max_gc_ns, blocked_ns;
	uint32_t run_max_span; /* its longest run's span, and the collector's time in that run */
};

/* The members that each switch needs come first, so that most fit one cache line. */
struct fiber {
	uint64_t id;
	uint64_t since;		/* FIBER_BLOCKED: stamp of its suspension */
	uint64_t want;		/* what it waits for */
	fiber_index context;	/* context that it is in; 0: not known */
	fiber_index made_in;	/* the context that it was made in; 0: not known */
	uint32_t losses;	/* losses of its domain when it was last seen; with others since, the members
			      * above are not known */
	uint16_t op;		/* FIBER_BLOCKED: operation, as a text */
	uint16_t domain, depth; /* its domain; number of open spans */
	uint8_t state;
	bool wants; /* `want` is set */
	bool seen;  /* it was alive, or ended, since the last reset */
	bool made;  /* its making was read */
	bool own;   /* the scheduler's own: in no list and no figure */
	uint16_t spans[FIBERS_SPANS];
};
_Static_assert(FIBERS_TEXTS <= UINT16_MAX && sizeof(struct fiber) == 64, "");

/* Links of the list of blocked fibers, the longest wait first; or `after` alone in the list of free ones.
 * They are apart from the fibers, because a fiber that leaves the list touches two others. */
struct fiber_link {
	fiber_index before, after;
};

struct context {
	uint64_t id;
	fiber_index parent;	   /* 0: a root, or not known */
	uint32_t refs;		   /* fibers, contexts and reports that name it */
	uint32_t name;		   /* text; 0: none */
	uint32_t node, node_names; /* node of its path, valid while `node_names` is the number of names
				    * given */
	uint16_t depth;
	uint8_t kind;
	uint32_t losses;    /* losses of all domains when it was cancelled */
	uint64_t cancel_ts; /* when it was cancelled first */
	bool holds;	    /* other contexts have been made in it */
	bool known;	    /* the chain up to its root is known */
	bool ended, cancelled;
	bool own;	    /* its name is the scheduler's own, and in no path */
	uint32_t error;	    /* a hash of the reason why it was cancelled; 0: it was not */
	struct tally tally; /* of its fibers */
};

struct object {
	uint64_t id;
	uint64_t holder; /* the fiber that last got the object and has not put it since */
	uint32_t name;
	uint32_t losses; /* losses of all domains when it got it; with others since, the holder is not
			  * known */
	uint8_t kind;
	bool held;
};

#define FIBERS_TEXTS_LATEST 64u

/* A path: a name below another path.  Node 0 is the empty path. */
struct path_node {
	uint32_t parent, name;
	uint32_t alike;	    /* the first node whose path reads the same */
	struct tally tally; /* of contexts that have ended */
};
#define PATH_UNKNOWN                                                                                         \
	1u /* the node of contexts with an unknown parent: a path that begins with it is known in part */

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
#define UNMADE_MAX 256u /* the latest of these */

/* The path that took most of some time.  `ns` is at least what it took, exact where it took all. */
struct most {
	uint32_t node;
	uint64_t ns, lead;
};

/* A stretch of a loop's time, and the longest run that ended in it. */
struct piece {
	uint64_t from, to;
	uint64_t busy_ns, run_ns; /* of that time, in turns and in runs */
	struct most most;	  /* path of most of the runs' time */
	uint32_t node, span;
	uint64_t fiber, ts, duration, gc_ns;
};

/* How much of a run a span covered. */
struct covered {
	uint32_t span;
	unsigned depth; /* number of spans around it */
	uint64_t ns;
};

/* LOOP_UNKNOWN: after missed events, until an event tells. */
enum loop_state { LOOP_NONE, LOOP_UNKNOWN, LOOP_IDLE, LOOP_BUSY };

struct loop {
	fiber_index running;
	uint64_t run_ts;		      /* begin of the run */
	bool run_whole;			      /* its begin was seen, and nothing was missed since */
	struct covered covered[FIBERS_SPANS]; /* the spans that covered most of the run, by spans that ended
					       * inside it */
	unsigned covered_count;
	uint64_t span_ts[FIBERS_SPANS]; /* since when each of the fiber's spans covers the run */
	fiber_index run_context;	/* context at the begin of the run, with a reference */
	uint64_t gc_ns, gc_after;	/* collector's time inside the run; and after `end_ts` */
	uint64_t end_ts;		/* stamp of a suspension or end that may close the run; 0: none */
	bool suspended;			/* `end_ts` is that of a suspension */
	unsigned own_spans;		/* spans of the scheduler that have begun since then */
	uint32_t op;
	uint32_t losses;
	enum loop_state state;
	bool missing;	  /* events are missing since the last one, for an unknown time */
	uint64_t last_ts; /* stamp of its latest event */
	uint64_t mark;	  /* until when busy_ns and seen_ns are counted */
	uint64_t busy_ns, seen_ns;
	uint64_t laps;
	int64_t paused, jobs;
	uint64_t turn_ts; /* begin of the turn; 0: not seen, or events were missed since */
	uint64_t
	    runs_ts; /* begin of the first run since the loop last asked, or since events were missed; 0: none
		      * since */
	uint64_t runs_ns; /* of runs since then */
	uint64_t late_ns; /* of the late runs in the turn */
	/* How the loop turns: it asks the system in each (`asks`), or it is on io_uring by its events
	 * (`uring`), or as it goes on and on (`no_turns`).  Neither is known of a loop until it does what
	 * only one kind does. */
	bool asks, no_turns;
	bool uring;
	uint32_t error; /* a hash of the error that the running fiber is about to pass on; 0: none */
	struct hist turns;
	struct run
	    worst; /* the longest run since `runs_ts`, with a reference to its context; duration 0: no run */
	struct piece *pieces;	 /* a ring of the latest FIBERS_PIECES */
	uint64_t piece_count;	 /* pieces ever made */
	uint64_t piece_ts;	 /* until when this turn is in the pieces, if later than its begin */
	uint32_t alive, blocked; /* numbers of fibers when last counted */
};

/* A run or turn that was late. */
struct late {
	uint64_t end, duration;
	uint64_t ns; /* of that duration, the part outside the turn's late runs */
	unsigned domain;
	struct run run; /* its longest run, which holds a reference to its path */
};

/* How many fibers waited for one thing, at the end of each of the last steps of FIBERS_GROWTH_STEP; the
 * latest last. */
struct growth {
	uint32_t node, op, name;
	enum fiber_kind kind;
	uint32_t counts[FIBERS_GROWTH_STEPS + 1];
};

/* A blocked fiber, with the numbers by which it is grouped. */
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
	fiber_index fiber_count, context_count, object_count; /* lengths of the arrays, index 0 included */
	fiber_index fiber_free, context_free;		      /* heads of the free lists, linked by `after`
							       * and `parent` */
	fiber_index object_next;			      /* object to replace next, once all are used */
	fiber_index blocked_first, blocked_last;
	struct text *texts;
	uint32_t texts_latest[FIBERS_TEXTS_LATEST]; /* a cache of texts by last byte and length */
	struct id_map text_map;
	size_t text_room;
	uint32_t text_count;
	struct path_node *nodes;
	struct id_map node_map, path_map; /* nodes by parent and name; nodes by the text of their paths */
	size_t node_room;
	uint32_t node_count;
	struct run longest[FIBERS_LATEST];
	struct failure failures[FIBERS_LATEST];
	size_t longest_count, failure_count;
	struct late late[FIBERS_LATE_COUNT]; /* a ring of the latest */
	uint64_t late_count, late_ns;	     /* of all late runs and turns */
	struct growth growth[FIBERS_GROWTH_GROUPS];
	size_t growth_count;
	uint64_t growth_ts;		  /* end of the last step; 0: none yet */
	struct unmade unmade[UNMADE_MAX]; /* a ring */
	uint64_t unmade_count;		  /* ever seen */
	struct fibers_observer observer;
	unsigned tells;
	uint32_t own_op; /* a text: what only the scheduler's own fiber waits for; 0: none */
	uint64_t reset_ts;
	uint64_t events, created, finished, errors, cancelled, timeouts, alive, forgotten, blocked;
	uint64_t counted; /* number of events when the fibers of each domain were last counted */
	uint32_t losses;  /* of all domains */
	uint32_t names;	  /* 1 + how often a context was named after others were in it */
	bool lost, failed;
	bool
	    more; /* fibers may be alive that are not known, of before the first event or of what was lost before the reset */
};

/* Return the number of a text, added on first use; 0: there are too many. */
uint32_t fibers_text(struct fibers *f, const void *bytes, size_t len);

/* fibers_context_make makes a context below another one, or returns 0 if there is no room.  Keep takes a
 * reference, drop gives it back: a context that has ended goes with its last reference.  End gives back the
 * reference that a context holds to itself. */
fiber_index fibers_context_make(struct fibers *f, uint64_t id, enum fiber_kind kind, fiber_index parent);
fiber_index fibers_context_take(struct fibers *f, fiber_index at);
void fibers_context_drop(struct fibers *f, fiber_index at);
void fibers_context_end(struct fibers *f, fiber_index at);

/* Remove a fiber from the list of the blocked; append it. */
void fibers_unlist(struct fibers *f, fiber_index at);
void fibers_enlist(struct fibers *f, fiber_index at);

/* Return the tally of a context; for 0, that of unknown contexts. */
struct tally *fibers_tally_of(struct fibers *f, fiber_index context);

/* Find the fiber that an event of a domain names, created on first use.  0: there is no room. */
fiber_index fibers_one(struct fibers *f, uint64_t id, unsigned domain);

/* End the wait of a fiber. */
void fibers_unblock(struct fibers *f, fiber_index at, uint64_t ts);

/* Return the loop of a domain, created on first use; NULL when memory ran out.  Count the time since its last
 * mark. */
struct loop *fibers_loop_of(struct fibers *f, unsigned domain);
void fibers_loop_count(struct loop *l, uint64_t ts);

/* Begin the run of a fiber; end the run of a domain by an event that says so. */
void fibers_run_begin(struct fibers *f, unsigned domain, uint64_t ts, uint64_t id);
void fibers_run_ends(struct fibers *f, unsigned domain, uint64_t ts);

/* Continue a run after a suspension that came back at once. */
void fibers_run_on(struct loop *l);

/* Begin a span of the running fiber at its present depth; end one. */
void fibers_span_begins(struct fibers *f, struct loop *l, uint64_t ts, uint32_t span);
void fibers_span_ends(struct fibers *f, struct loop *l, uint64_t ts);

/* Return the run of a domain's running fiber, up to `end`. */
struct run fibers_run_until(const struct fibers *f, unsigned domain, const struct fiber *fiber, uint64_t end);

/* A loop is on io_uring. */
void fibers_on_uring(struct loop *l);

/* Whether the turns of a loop tell anything. */
static inline bool fibers_has_turns(const struct loop *l)
{
	return l->asks && !l->no_turns;
}

/* End the run of a domain without counting it. */
void fibers_run_cut(struct fibers *f, struct loop *l);

/* Note that the loop of a domain asks the system for events; that it is back. */
void fibers_idle_begins(struct fibers *f, unsigned domain, uint64_t ts);
void fibers_idle_ends(struct fibers *f, unsigned domain, uint64_t ts);

/* Forget a fiber. */
void fibers_free_one(struct fibers *f, fiber_index at);

/* List what blocked fibers wait for, equal waits together.  The caller frees the list; NULL when memory ran
 * out. */
struct waiting *fibers_waiting(struct fibers *f, size_t *count);

/* Return what a blocked fiber waits for. */
struct waiting fibers_waiting_of(struct fibers *f, const struct fiber *fiber);

/* Compare two struct fiber_row, for listing; how long they have waited does not matter. */
int fiber_rows_order(const void *a, const void *b);

/* Compare two struct waiting by what they wait for. */
int fibers_waiting_order(const void *a, const void *b);

/* Get the open run of a domain, up to `end`.  False if none is known to run. */
bool fibers_run_open(const struct fibers *f, unsigned domain, uint64_t end, struct run *out);

/* Note for the columns that a run has ended; that a turn has. */
void fibers_strip_run(struct fibers *f, const struct run *run);
void fibers_strip_turn(struct fibers *f, unsigned domain, uint64_t ts);

/* Forget the late runs and turns; forget the steps of growth. */
void fibers_late_clear(struct fibers *f);

/* Convert a fiber, a run or a text to the form that callers get. */
struct fiber_row fibers_row_of(struct fibers *f, const struct fiber *fiber, uint64_t end);
struct fiber_run fibers_run_of(struct fibers *f, const struct run *run);
struct fiber_text fibers_text_of(const struct fibers *f, uint32_t at);

/* Return the node of a context's path, made on first use. */
uint32_t fibers_node(struct fibers *f, fiber_index context);

/* Whether what is kept of a fiber still holds: its domain lost nothing since it was seen. */
bool fibers_holds(const struct fibers *f, const struct fiber *fiber);

/* Whether a fiber counts as alive. */
static inline bool fibers_alive(const struct fiber *fiber)
{
	return fiber->seen && fiber->state != FIBER_ENDED && !fiber->own;
}

/* Whether a fiber is listed: it is alive, and what is known of it holds. */
static inline bool fibers_listed(const struct fibers *f, const struct fiber *fiber)
{
	return fibers_alive(fiber) && fibers_holds(f, fiber);
}

/* How long a blocked fiber has waited, at most since the last reset. */
uint64_t fibers_waited(const struct fibers *f, const struct fiber *fiber, uint64_t end);

void tally_add(struct tally *to, const struct tally *from);
