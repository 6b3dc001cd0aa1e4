/*
 * fibers.h - the fibers of one scheduler: what its events say of fibers, contexts, objects and event loops.
 *
 * A scheduler's adapter (schedulers.c) turns user events into struct fiber_event; this is what follows from them,
 * whatever the scheduler is.  Terms:
 *   run       From the event that a fiber runs to its suspension or end, or to where another fiber takes its place.
 *   turn      Of a domain's event loop: from where it is back from asking the system for events to where it asks again.
 *   blocked   Suspended, and neither ended nor run since.
 *   context   What fibers are cancelled by: a tree, whose names make the path of a fiber.
 *   lap       Of a loop that tells only that it comes round: how long it waited in between is not known.
 *   late      A run of FIBERS_LATE_NS or more; or a turn of which no single run was the half, where a loop asks the system in
 *             each turn.  One on io_uring looks for events between runs, and asks when nothing can run: its turns say nothing.
 *             Which one it is may not be known of a loop that was met late: then runs alone are told.
 * Nothing is concluded across a loss: a run or a turn with one inside is in no figure, and what a fiber of that domain did
 * meanwhile (its context, its spans, whether it is suspended) is not known until events tell it.
 */
#pragma once

#include "model/model.h"

#define FIBERS_MAX 131072u	 /* alive at once; of more, those that are blocked longest are forgotten */
#define FIBERS_CONTEXTS 131072u	 /* more are not known */
#define FIBERS_OBJECTS 65536u	 /* the latest, whose kind and name are known */
#define FIBERS_TEXTS 16384u	 /* different texts; those that come later are not known */
#define FIBERS_TEXT 248u	 /* bytes kept of a text */
#define FIBERS_ERROR 1016u	 /* and of an error */
#define FIBERS_DEPTH 256u	 /* of a chain of contexts; deeper ones are not known */
#define FIBERS_SPANS 8u		 /* spans of a fiber that are told apart; deeper ones are counted */
#define FIBERS_LATEST 10u	 /* longest runs, latest errors */
#define FIBERS_LATE_NS 50000000u /* a run or turn of this length or more is late */
#define FIBERS_LATE_KEPT 10000000000u /* how long a late one is told, the longest first */
#define FIBERS_LATE_COUNT 64u	      /* the latest of them, which findings are judged on */
#define FIBERS_UNASKED_NS                                                                                    \
	100000000u /* of runs, besides the longest: a loop that asks in each turn has asked meanwhile */
#define FIBERS_PIECES 8192u /* of the time of a domain's loop; shorter runs than FIBERS_PIECE_NS share one */
#define FIBERS_PIECE_NS 2000000u
#define FIBERS_COLUMNS 1024u
#define FIBERS_GROWTH_STEPS 6u /* what grows has grown with each of so many steps */
#define FIBERS_GROWTH_STEP UINT64_C(10000000000)
#define FIBERS_GROWTH_GROUPS 64u

enum fiber_op {
	FIBER_MADE,	    /* `id` is made in context `other` */
	FIBER_RUNS,	    /* `id` runs from now on, on this domain */
	FIBER_SUSPENDS,	    /* the running fiber will be suspended in operation `text` */
	FIBER_ENDS,	    /* `id` */
	FIBER_CONTEXT_MADE, /* the running fiber makes context `id` of `kind`, and is in it */
	FIBER_CONTEXT_ENDS, /* that of the running fiber */
	FIBER_OBJECT_MADE,  /* `id` of `kind` */
	FIBER_NAMED,	    /* context or object `id` has the name `text` */
	FIBER_WANTS,	    /* the running fiber, or that just suspended, waits for object or context `id` */
	FIBER_GETS,	    /* it has `id` */
	FIBER_PUTS,	    /* it gives `id` back */
	FIBER_FAILS,	    /* context `id` is cancelled because of `text` */
	FIBER_SPAN_BEGINS,  /* of the running fiber, named `text` */
	FIBER_SPAN_ENDS,
	FIBER_IDLE_BEGINS, /* the domain asks the system for events */
	FIBER_IDLE_ENDS,
	FIBER_SPAWNS, /* fiber `id` of another domain, where it may have ended since, started this one */
	FIBER_LOGS,
	FIBER_FORKED, /* `id` is made by fiber `other`, which runs on */
	FIBER_FORKED_AWAY, /* `id` is made by fiber `other` for another domain, whose ring may have been read further */
	FIBER_RUN_ENDS,	 /* that of `id`; it waits if it was suspended, and else can run */
	FIBER_WAITS,	 /* `id`, which does not run, waits from now on */
	FIBER_READIES,	 /* `id`, of any domain, can run; that it waits in the queue counts as waiting, too */
	FIBER_CONTINUES, /* the running fiber is not suspended after all: what it waited for is there */
	FIBER_YIELDS,	 /* `id` */
	FIBER_CANCELS,	 /* `id` will be cancelled */
	FIBER_CANCELLED, /* `id` was */
	FIBER_PLACED,	 /* `id` was made at line `other` of file `text` */
	FIBER_OWNS,	 /* fiber `other` has resource `id` */
	FIBER_DISOWNS,
	FIBER_LAP,	   /* the loop of the domain comes round */
	FIBER_PAUSED,	   /* `id` promises are paused */
	FIBER_JOBS,	   /* `id` jobs wait for the system */
	FIBER_CALL_BEGINS, /* of the scheduler */
	FIBER_CALL_ENDS,
	/* what was before, as fibers_tell tells it */
	FIBER_CONTEXT_KNOWN, /* context `id` of `kind` below `other`; 0: its parent is not known */
	FIBER_IN,	     /* the running fiber is in context `other`; 0: not known */
};

enum fiber_kind {
	FIBER_KIND_NONE,
	FIBER_CONTEXT_SWITCH,
	FIBER_CONTEXT_PROTECT,
	FIBER_CONTEXT_SUB,
	FIBER_CONTEXT_ROOT, /* has no parent */
	FIBER_CONTEXT_ANY,
	FIBER_PROMISE,
	FIBER_SEMAPHORE,
	FIBER_STREAM,
	FIBER_MUTEX,
	FIBER_AWAITED, /* what a fiber returns: its name is that of the context that it is in */
};

/* What an event means besides, to those who know its scheduler. */
enum fiber_sense {
	FIBER_PLAIN,
	FIBER_OWN,	 /* a name or operation of the scheduler's own */
	FIBER_OWN_URING, /* a name that only a scheduler on io_uring gives */
	FIBER_NO_NEED,	 /* FIBER_FAILS: what runs in the context is not needed any more */
	FIBER_TIMED_OUT, /* FIBER_FAILS: the time allowed for it is over */
	FIBER_AT_END,	 /* FIBER_FAILS: the program, or what it served, has ended */
};

struct fiber_event {
	enum fiber_op op;
	enum fiber_kind kind;
	enum fiber_sense sense;
	uint64_t id, other;
	const void *text;
	size_t len;
};

/* What a scheduler tells; the figures of what it does not tell are not known. */
enum {
	FIBERS_TELL_FIBERS = 1,	  /* what is made, runs, waits and ends */
	FIBERS_TELL_CONTEXTS = 2, /* and with them errors */
	FIBERS_TELL_LAPS = 4,
	FIBERS_TELL_TURNS = 8,
	FIBERS_TELL_ALL = FIBERS_TELL_FIBERS | FIBERS_TELL_CONTEXTS | FIBERS_TELL_TURNS,
};

/* What is said where laps are all that is told, as Lwt does. */
#define FIBERS_LAPS_ONLY "Lwt does not tell its promises: laps, paused, jobs"

struct fibers;

/* The model is that whose events come, and outlives it.  NULL when memory ran out. */
struct fibers *fibers_create(const struct model *m, unsigned tells);
void fibers_destroy(struct fibers *f);

/* A copy (core/copy.h) for a copy of its model. */
struct fibers *fibers_copy(const struct fibers *f, const struct model *m);

struct fiber_run;
struct fiber_row;

/* Who is told what fibers do, of each domain in ring order.  Members are NULL where nobody wants to know. */
struct fibers_observer {
	void *ctx;
	/* a turn of a loop has finished with no loss inside */
	void (*turned)(void *ctx, unsigned domain, uint64_t ns);
	/* a run of a fiber has finished with no loss inside; NULL: nothing is known of the one before */
	void (*ran)(void *ctx, unsigned domain, const struct fiber_run *run);
	/* a fiber runs at `ts` that had waited, as it was listed until then */
	void (*waited)(void *ctx, uint64_t ts, const struct fiber_row *row);
	/* after all of these, an event; `inside`: it belongs to a run */
	void (*took)(void *ctx, unsigned domain, uint64_t ts, const struct fiber_event *event, bool inside);
	/* what fibers of a domain do now is not known, as after fibers_missed and fibers_restart */
	void (*missed)(void *ctx, unsigned domain);
};

/* Have an observer told, instead of the one before. */
void fibers_watch(struct fibers *f, const struct fibers_observer *observer);

/* An event of a domain.  What comes of a domain is in ring order. */
void fibers_take(struct fibers *f, unsigned domain, uint64_t ts, const struct fiber_event *event);

/* A pause of the collector has ended on a domain. */
void fibers_paused(struct fibers *f, unsigned domain, uint64_t begin, uint64_t end);

/* Events of a domain are missing from here on, after the stamp of its latest event (0: not known): it lost them (`lost`), or
 * the target had paused its events. */
void fibers_missed(struct fibers *f, unsigned domain, uint64_t after, bool lost);

/* A domain has ended; another one may take its place. */
void fibers_domain_ended(struct fibers *f, unsigned domain, uint64_t ts);

/* What is missing is that of [from, to). */
void fibers_skip(struct fibers *f, unsigned domain, uint64_t from, uint64_t to);

/* The stamp of the latest event of a domain, 0: there was none. */
uint64_t fibers_last(const struct fibers *f, unsigned domain);

/* Forget all counts and times up to `ts`, and keep what fibers, contexts and objects there are. */
void fibers_reset(struct fibers *f, uint64_t ts);

/* The process runs another program: there are no fibers, contexts and objects any more.  Counts and times stay. */
void fibers_restart(struct fibers *f);

/* Tell which contexts there are and, with `all`, which objects and fibers, as events at stamps up to `ts`: taken by another, which
 * is then reset, they make them known there.  Contexts are what they are for all of their time.  `told` stops it by returning false. */
typedef bool fibers_told(void *ctx, unsigned domain, uint64_t ts, const struct fiber_event *event);
void fibers_tell(const struct fibers *f, bool all, uint64_t ts, fibers_told *told, void *ctx);

/* Whether memory ran out: figures are then incomplete. */
bool fibers_failed(const struct fibers *f);

/* ---- figures ---- */

/* Texts are as the program wrote them, unsanitised, and valid until the next event; NULL: not known. */
struct fiber_text {
	const char *text;
	size_t len;
};

/* Names of contexts from the root on.  Its members are private. */
struct fiber_path {
	const struct fibers *of;
	uint32_t node;
};

/* An order of paths, for a search: less than 0, 0 for the same one, more than 0. */
static inline int fiber_path_order(struct fiber_path a, struct fiber_path b)
{
	return (a.node > b.node) - (a.node < b.node);
}

/* The word for the kind of an object or context: "mutex"; NULL: it is not known. */
const char *fiber_kind_name(enum fiber_kind kind);

/* Print a path into `out`, of FIBER_PATH_SIZE; returns its length, or -1: it is not known, or too long. */
#define FIBER_PATH_SIZE 16384
int fiber_path_print(struct fiber_path path, char *out, size_t size);

/* Print a path for people, and return it: "?" if it is not known, "-" if none of its contexts has a name. */
const char *fiber_path_text(struct fiber_path path, char *out, size_t size);

/* Print what a fiber waits for: "mutex 17 accounts"; the id only with `one`. */
void fiber_object_text(
    enum fiber_kind kind, bool one, uint64_t id, struct fiber_text name, char *out, size_t size);

struct fiber_totals {
	unsigned tells; /* FIBERS_TELL_ */
	uint64_t events, created, finished;
	uint64_t errors, cancelled,
	    timeouts;		/* contexts that failed; that were cancelled else, these by a time limit */
	uint64_t late, late_ns; /* runs and turns; no time counts twice */
	uint64_t alive;
	bool alive_known; /* it is told, and no words were lost while the target was observed */
	uint64_t blocked;
	uint64_t forgotten; /* blocked longest, over FIBERS_MAX */
};
/* What came of all fibers. */
struct fiber_totals fibers_totals(const struct fibers *f);

/* Which of two schedulers has told more since the last reset; 0: it told nothing, and none of its fibers lives. */
uint64_t fibers_weight(const struct fibers *f);

struct fiber_loop {
	uint64_t turns, turn_p50, turn_p99, turn_max; /* turns: or laps */
	bool counted;				      /* turns or laps are told */
	uint64_t busy_ns, seen_ns;  /* of the time since the loop's first event, without what was missed */
	const struct hist *lengths; /* of the turns, none if only laps are told; valid until the next event */
	uint64_t lap_ns;	    /* since the first lap; the time above is then 0, as it is not told */
	int64_t paused, jobs;	    /* with laps: promises, and calls of the system, at the latest */
};

/* The loop of a domain up to `end`; false: it has none. */
bool fibers_loop(const struct fibers *f, unsigned domain, uint64_t end, struct fiber_loop *out);

/* A run or turn that was late, or is. */
struct fiber_late {
	uint64_t duration, end;
	bool open; /* it has not ended by then */
};

/* What was late on a domain: the run or turn that is open, if a fiber runs in it, else the longest that ended in the last
 * FIBERS_LATE_KEPT; and its longest run, whose duration is 0 if none is known.  False: there was none. */
bool fibers_late(
    struct fibers *f, unsigned domain, uint64_t end, struct fiber_late *out, struct fiber_run *run);

struct fiber_run {
	uint64_t fiber, ts, duration, gc_ns;
	unsigned domain;
	struct fiber_path path;
	struct fiber_text
	    span; /* the innermost that covered half of it or more, else the one that covered most */
};

struct fiber_blocked {
	struct fiber_path path;
	struct fiber_text op, name; /* of the object */
	enum fiber_kind kind;	    /* of the object; FIBER_KIND_NONE: not known */
	uint64_t count, longest_ns;
	uint64_t object;
	bool one_object; /* all of them wait for `object` */
	uint64_t fiber;	 /* one of them */
};

struct fiber_group {
	struct fiber_path path;
	uint64_t created, finished, runs, run_ns, run_max_ns, run_max_gc_ns, blocked_ns;
	struct fiber_text run_max_span; /* of the longest run */
};

struct fiber_failure {
	uint64_t ts, context;
	struct fiber_path path;
	char text[FIBERS_ERROR];
	size_t len;
};

enum fiber_state { FIBER_READY, FIBER_RUNNING, FIBER_BLOCKED, FIBER_ENDED };

/* A fiber that is alive, and what it waits for while it is blocked. */
struct fiber_row {
	uint64_t id;
	enum fiber_state state;
	unsigned domain;
	struct fiber_path path; /* of the context that it is in */
	uint64_t since_ns;	/* how long it is blocked, or runs; 0: not known */
	struct fiber_text op, name, span;
	enum fiber_kind kind; /* of the object; FIBER_KIND_NONE: not known */
	uint64_t object;
	bool wants; /* `object` is known */
	bool held;  /* `holder`, the fiber that has the object or is awaited, is known */
	uint64_t holder;
	struct fiber_path holder_path; /* not known either if it has ended */
};

/* List those fibers by path, operation and object, those of each with the longest wait first.  The caller frees the list;
 * NULL when memory ran out. */
struct fiber_row *fibers_list(struct fibers *f, uint64_t end, size_t *count);

/* Fibers of the same path and state that wait in the same operation for the same kind and name of an object. */
struct fiber_crowd {
	struct fiber_row first; /* the one that has waited longest */
	uint64_t count;
	bool one_object; /* all of them wait for the same */
};

/* List them by path, operation and object.  The caller frees the list; NULL when memory ran out. */
struct fiber_crowd *fibers_crowds(struct fibers *f, uint64_t end, size_t *count);

/* List the fibers of a crowd, those that have waited longest first, FIBERS_CROWD_ROWS at most; or one fiber with its
 * chain, those that wait for what it waits for, and those that wait for what it has. */
#define FIBERS_CROWD_ROWS 4096u
struct fiber_row *fibers_crowd(
    struct fibers *f, uint64_t end, const struct fiber_crowd *crowd, size_t *count);
struct fiber_row *fibers_about(struct fibers *f, uint64_t end, uint64_t fiber, size_t *count);

/* Tell who holds up a fiber, who that one, and so on.  Returns how many, at most `max`. */
#define FIBERS_CHAIN 8u
size_t fibers_chain(struct fibers *f, uint64_t end, uint64_t fiber, struct fiber_row *out, size_t max);

/* The contexts of a fiber, the innermost first: kind, name and id.  Returns how many, at most `max`. */
struct fiber_context {
	uint64_t id;
	enum fiber_kind kind;
	struct fiber_text name;
	bool cancelled;
};
size_t fibers_contexts(const struct fibers *f, uint64_t fiber, struct fiber_context *out, size_t max);

/* Count the fibers of a domain that are alive, and those of them that are blocked. */
void fibers_count(struct fibers *f, unsigned domain, uint64_t *alive, uint64_t *blocked);

/* The fiber that runs on a domain, and its run so far; false: none is known to run. */
bool fibers_running(struct fibers *f, unsigned domain, uint64_t end, struct fiber_run *out);

/* A line of the tree of contexts: one of them, a fiber that is in it, or how many more there are of both. */
struct fiber_branch {
	enum { FIBER_BRANCH_CONTEXT, FIBER_BRANCH_FIBER, FIBER_BRANCH_MORE } what;
	unsigned depth;
	bool open;		      /* the lines in it follow */
	uint64_t alike;		      /* the line stands for so many contexts of one name; 0: for one */
	struct fiber_context context; /* without a kind: of the fibers whose context is not known */
	struct fiber_text error;      /* why it was cancelled, if that is known still */
	uint64_t fibers, blocked, cancelled, longest_ns; /* of all in it: the last one is the longest wait */
	struct fiber_row fiber;
};

/* List the tree: in each context those in it with the most fibers, cancelled ones before them, those of one name together,
 * then its fibers, those that run and have waited longest first; of both FIBERS_BRANCHES at most.  Roots are open, and what stands alone in a context that is; for those in `turned` it
 * is the other way round.  The caller frees the list; NULL when memory ran out. */
#define FIBERS_BRANCHES 100u
#define FIBERS_TREE_LINES 8192u
struct fiber_branch *fibers_tree(
    struct fibers *f, uint64_t end, const uint64_t *turned, size_t turned_count, size_t *count);

/* What a loop did in a column of time: `path` is that of the runs which took most of run_ns; `one`: more than all others. */
struct fiber_column {
	double busy_ns, run_ns;
	struct fiber_path path;
	bool one;
};

/* Tell that of `count` columns of `width` ns from t0 on, to about FIBERS_PIECE_NS; what is open counts up to `end`. */
void fibers_columns(struct fibers *f, unsigned domain, uint64_t end, uint64_t t0, uint64_t width,
    unsigned count, struct fiber_column *out);

/* Add the runs of a domain that overlap [from, to) to a list of the `max` longest, the longest first, and return its new
 * length.  Of those that follow each other within FIBERS_PIECE_NS only the longest is known. */
size_t fibers_longest(struct fibers *f, unsigned domain, uint64_t from, uint64_t to, uint64_t end,
    struct fiber_run *out, size_t count, size_t max);

/* ---- for findings ---- */

/* The path and span that most late runs are of. */
struct fiber_place {
	uint64_t runs, ns, gc_ns; /* runs 0: there is none */
	uint64_t all;		  /* runs of that path since the last reset */
	struct fiber_run longest;
};

/* A lock whose holder waits for something else while others wait for it; queue 0: there is none. */
struct fiber_lock {
	uint64_t object, holder, held_ns, queue, longest_ns; /* held_ns: how long the holder has waited */
	struct fiber_path path;				     /* of the holder */
	struct fiber_text name, op;			     /* of the lock; that the holder waits in */
};

/* Fibers of a path that wait for room in a stream; count 0: there are none. */
struct fiber_full {
	struct fiber_path path;
	uint64_t count, longest_ns;
};

/* Fibers that wait to take from streams while all others wait for what only a fiber can give; takers 0: it is not so,
 * or it can't be told.  It is for as long as no loop of `loops` domains, all that run, had anything to do. */
struct fiber_empty {
	struct fiber_path path; /* of one of the takers */
	uint64_t takers, fibers, since_ns;
	unsigned loops;
};

/* Fibers that wait for the same and only become more; now 0: there are none. */
struct fiber_growth {
	struct fiber_path path;
	struct fiber_text op, name; /* of the object */
	enum fiber_kind kind;
	uint32_t before, now; /* FIBERS_GROWTH_STEPS steps ago, and at the last one */
};

/* A context that was cancelled and has not ended; fibers 0: there is none. */
struct fiber_stuck {
	uint64_t context, since_ns, fibers;
	struct fiber_path path;
	uint64_t fiber; /* the one that waits longest */
	struct fiber_text op;
	bool shielded; /* that fiber is in a context that protects it from being cancelled */
};

struct fiber_trouble {
	uint64_t late_ns; /* since the stamp asked for, of the last FIBERS_LATE_COUNT */
	struct fiber_place place;
	struct fiber_lock lock;
	struct fiber_full full;
	struct fiber_empty empty;
	struct fiber_growth growth;
	struct fiber_stuck stuck;
};

/* Look for what findings tell, since `from`, as it is at `end`.  What grows is found if this is called at least every
 * FIBERS_GROWTH_STEP.  False when memory ran out. */
bool fibers_trouble(struct fibers *f, uint64_t from, uint64_t end, struct fiber_trouble *out);

/* A report: lists in their order.  The caller frees it with fiber_report_fini. */
struct fiber_report {
	struct fibers *of;
	uint64_t end;
	struct fiber_run longest[FIBERS_LATEST];
	struct fiber_failure failures[FIBERS_LATEST]; /* the latest first */
	size_t longest_count, failure_count;
	struct fiber_blocked *blocked; /* by count, the largest first */
	struct fiber_group *groups;    /* by time in runs, the largest first */
	size_t blocked_count, group_count;
};

/* Report what is known up to `end`.  False when memory ran out. */
bool fibers_report(struct fibers *f, uint64_t end, struct fiber_report *out);

/* Report what is known up to `end` but for what is blocked, which costs most. */
bool fibers_report_runs(struct fibers *f, uint64_t end, struct fiber_report *out);
void fiber_report_fini(struct fiber_report *report);
