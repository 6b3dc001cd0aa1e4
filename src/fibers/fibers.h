/*
 * fibers.h - the fibers of one scheduler: what its events say of fibers, contexts, objects and event loops.
 *
 * A scheduler's adapter (schedulers.c) turns user events into struct fiber_event.  This room draws the
 * conclusions, which do not depend on the scheduler.  Terms:
 *   run       From the event that a fiber runs to its suspension or end, or to where another fiber takes its place.
 *   turn      Of a domain's event loop: from its return from asking the system for events to where it asks again.
 *   blocked   Suspended, and neither ended nor run since.
 *   context   What fibers are cancelled by.  Contexts are a tree, whose names make the path of a fiber.
 *   lap       One round of a loop that tells only its rounds: how long it waited inside is not known.
 *   late      A run of FIBERS_LATE_NS or more; or a turn as long in which no single run took half, where a loop asks
 *             the system in each turn.  A loop on io_uring looks for events between runs, and asks when nothing can
 *             run, so its turns tell nothing.  While the kind of a loop is not known, only runs count.
 * Nothing is concluded across a loss: a run or a turn with a loss inside is in no figure, and the state of that
 * domain's fibers (context, spans, whether suspended) is not known until events tell it.
 */
#pragma once

#include "model/model.h"

#define FIBERS_MAX 131072u	      /* alive at once; beyond that, those blocked longest are forgotten */
#define FIBERS_CONTEXTS 131072u	      /* further contexts are not known */
#define FIBERS_OBJECTS 65536u	      /* the latest objects whose kind and name are known */
#define FIBERS_TEXTS 16384u	      /* different texts; further ones are not known */
#define FIBERS_TEXT 248u	      /* bytes kept of a text */
#define FIBERS_ERROR 1016u	      /* bytes kept of an error */
#define FIBERS_DEPTH 256u	      /* longest chain of contexts that is known */
#define FIBERS_SPANS 8u		      /* spans of a fiber that are told apart; deeper ones are only counted */
#define FIBERS_LATEST 10u	      /* longest runs, latest errors */
#define FIBERS_LATE_NS 50000000u      /* a run or turn of this length or more is late */
#define FIBERS_LATE_KEPT 10000000000u /* how long a late run or turn is shown, the longest first */
#define FIBERS_LATE_COUNT 64u	      /* the latest late runs and turns, which findings use */
#define FIBERS_UNASKED_NS                                                                                    \
	100000000u	    /* runs back to back for so long, without a question to the system: the loop is on
		    * io_uring */
#define FIBERS_PIECES 8192u /* pieces of a domain's time; runs shorter than FIBERS_PIECE_NS share one */
#define FIBERS_PIECE_NS 2000000u
#define FIBERS_COLUMNS 1024u
#define FIBERS_GROWTH_STEPS 6u /* something grows if it has grown with each of so many steps */
#define FIBERS_GROWTH_STEP UINT64_C(10000000000)
#define FIBERS_GROWTH_GROUPS 64u

enum fiber_op {
	FIBER_MADE,	    /* `id` is made in context `other` */
	FIBER_RUNS,	    /* `id` runs from now on, on this domain */
	FIBER_SUSPENDS,	    /* the running fiber will be suspended in operation `text` */
	FIBER_ENDS,	    /* `id` ends */
	FIBER_CONTEXT_MADE, /* the running fiber makes context `id` of `kind`, and is in it */
	FIBER_CONTEXT_ENDS, /* the context of the running fiber ends */
	FIBER_OBJECT_MADE,  /* object `id` of `kind` is made */
	FIBER_NAMED,	    /* context or object `id` has the name `text` */
	FIBER_WANTS,	    /* the running fiber, or the one just suspended, waits for object or context
			     * `id` */
	FIBER_GETS,	    /* the running fiber gets `id` */
	FIBER_PUTS,	    /* the running fiber gives `id` back */
	FIBER_FAILS,	    /* context `id` is cancelled because of `text` */
	FIBER_SPAN_BEGINS,  /* a span of the running fiber, named `text` */
	FIBER_SPAN_ENDS,
	FIBER_IDLE_BEGINS, /* the domain asks the system for events */
	FIBER_IDLE_ENDS,
	FIBER_SPAWNS, /* fiber `id` of another domain, which may have ended since, started this one */
	FIBER_LOGS,
	FIBER_FORKED, /* `id` is made by fiber `other`, which runs on */
	FIBER_FORKED_AWAY, /* `id` is made by fiber `other` for another domain, whose ring may have been read further */
	FIBER_RUN_ENDS,	 /* the run of `id` ends; it waits if it was suspended, and else can run */
	FIBER_WAITS,	 /* `id`, which does not run, waits from now on */
	FIBER_READIES,	 /* `id`, of any domain, can run; time in the queue counts as waiting */
	FIBER_CONTINUES, /* the running fiber is not suspended after all, because what it waited for is
			  * there */
	FIBER_YIELDS,	 /* `id` yields */
	FIBER_CANCELS,	 /* `id` will be cancelled */
	FIBER_CANCELLED, /* `id` was cancelled */
	FIBER_PLACED,	 /* `id` was made at line `other` of file `text` */
	FIBER_OWNS,	 /* fiber `other` has resource `id` */
	FIBER_DISOWNS,
	FIBER_LAP,	   /* the loop of the domain comes round once */
	FIBER_PAUSED,	   /* `id` promises are paused */
	FIBER_JOBS,	   /* `id` jobs wait for the system */
	FIBER_CALL_BEGINS, /* a system call of the scheduler */
	FIBER_CALL_ENDS,
	/* the state from before, as fibers_tell tells it */
	FIBER_CONTEXT_KNOWN, /* context `id` of `kind` below `other`; 0: its parent is not known */
	FIBER_IN,	     /* the running fiber is in context `other`; 0: not known */
	FIBER_MORE,	     /* there may be fibers that are not told */
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
	FIBER_AWAITED, /* the result of a fiber, which has the name of the fiber's context */
};

/* The further meaning of an event for those who know its scheduler. */
enum fiber_sense {
	FIBER_PLAIN,
	FIBER_OWN,	 /* a name or operation of the scheduler's own */
	FIBER_OWN_URING, /* a name that only a scheduler on io_uring gives */
	FIBER_NO_NEED,	 /* FIBER_FAILS: the fibers of the context are not needed any more */
	FIBER_TIMED_OUT, /* FIBER_FAILS: a time limit is over */
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

/* What a scheduler tells.  Figures of what it does not tell are not known. */
enum {
	FIBERS_TELL_FIBERS = 1,	  /* fibers: made, runs, waits, ends */
	FIBERS_TELL_CONTEXTS = 2, /* contexts, and with them errors */
	FIBERS_TELL_LAPS = 4,
	FIBERS_TELL_TURNS = 8,
	FIBERS_TELL_ALL = FIBERS_TELL_FIBERS | FIBERS_TELL_CONTEXTS | FIBERS_TELL_TURNS,
};

/* What is shown of a scheduler that tells laps only, as Lwt does. */
#define FIBERS_LAPS_ONLY "Lwt does not tell its promises: laps, paused, jobs"

struct fibers;

/* The events are those of the model, which must outlive the result.  NULL when memory ran out. */
struct fibers *fibers_create(const struct model *m, unsigned tells);
void fibers_destroy(struct fibers *f);

/* A copy (core/copy.h) for a copy of its model. */
struct fibers *fibers_copy(const struct fibers *f, const struct model *m);

struct fiber_run;
struct fiber_row;

/* An observer of what fibers do, called for each domain in the order of its ring.  NULL members are skipped. */
struct fibers_observer {
	void *ctx;
	/* a turn of a loop has finished with no loss inside */
	void (*turned)(void *ctx, unsigned domain, uint64_t ns);
	/* a run of a fiber has finished with no loss inside; NULL: a loss cut the last run */
	void (*ran)(void *ctx, unsigned domain, const struct fiber_run *run);
	/* a fiber that waited runs at `ts`; `row` describes it as it was until then */
	void (*waited)(void *ctx, uint64_t ts, const struct fiber_row *row);
	/* an event was taken, after all other calls for it; `inside`: it belongs to a run */
	void (*took)(void *ctx, unsigned domain, uint64_t ts, const struct fiber_event *event, bool inside);
	/* what the fibers of a domain do is no longer known, as after fibers_missed and fibers_restart */
	void (*missed)(void *ctx, unsigned domain);
};

/* Set the observer, in place of the one before. */
void fibers_watch(struct fibers *f, const struct fibers_observer *observer);

/* Take an event of a domain.  The events of each domain must come in the order of its ring. */
void fibers_take(struct fibers *f, unsigned domain, uint64_t ts, const struct fiber_event *event);

/* Note that a pause of the collector has ended on a domain. */
void fibers_paused(struct fibers *f, unsigned domain, uint64_t begin, uint64_t end);

/* Note that events of a domain are missing after the stamp of its latest event (0: not known): it lost them
 * (`lost`), or the target had paused its events. */
void fibers_missed(struct fibers *f, unsigned domain, uint64_t after, bool lost);

/* Note that a domain has ended; another one may take its slot. */
void fibers_domain_ended(struct fibers *f, unsigned domain, uint64_t ts);

/* Note that the missing events are those of [from, to). */
void fibers_skip(struct fibers *f, unsigned domain, uint64_t from, uint64_t to);

/* Return the stamp of the latest event of a domain; 0: there was none. */
uint64_t fibers_last(const struct fibers *f, unsigned domain);

/* Forget all counts and times up to `ts`, but keep the fibers, contexts and objects. */
void fibers_reset(struct fibers *f, uint64_t ts);

/* Forget all fibers, contexts and objects, because the process runs another program.  Counts and times stay. */
void fibers_restart(struct fibers *f);

/* Tell the existing contexts and, with `all`, objects and fibers, as events with stamps up to `ts`.  Another
 * struct fibers that takes them and is then reset knows them all.  Contexts are told as they have been since
 * they were made.  The last event is FIBER_MORE if that may not be all.  `told` stops by returning false: only
 * FIBER_MORE then follows. */
typedef bool fibers_told(void *ctx, unsigned domain, uint64_t ts, const struct fiber_event *event);
void fibers_tell(const struct fibers *f, bool all, uint64_t ts, fibers_told *told, void *ctx);

/* Whether memory ran out: figures are then incomplete. */
bool fibers_failed(const struct fibers *f);

/* ---- figures ---- */

/* A text as the program wrote it, unsanitised, valid until the next event; NULL: not known. */
struct fiber_text {
	const char *text;
	size_t len;
};

/* The names of contexts from the root to one of them.  The members are private. */
struct fiber_path {
	const struct fibers *of;
	uint32_t node;
};

/* Compare two paths for a search: less than 0, 0 for equal paths, more than 0. */
static inline int fiber_path_order(struct fiber_path a, struct fiber_path b)
{
	return (a.node > b.node) - (a.node < b.node);
}

/* The word for the kind of an object or context: "mutex"; NULL for an unknown kind. */
const char *fiber_kind_name(enum fiber_kind kind);

/* The word for a kind; of contexts that for this kind of them: "switch".  "?" for an unknown kind. */
const char *fiber_kind_word(enum fiber_kind kind);

/* Print a path into `out`, of FIBER_PATH_SIZE bytes.  Returns its length, or -1 if the path is not known, or
 * too long. */
#define FIBER_PATH_SIZE 16384
int fiber_path_print(struct fiber_path path, char *out, size_t size);

/* Print a path for people, and return it: "?" for an unknown path, "-" if none of its contexts has a name. */
const char *fiber_path_text(struct fiber_path path, char *out, size_t size);

/* Print what a fiber waits for: "mutex 17 accounts"; the id only with `one`. */
void fiber_object_text(
    enum fiber_kind kind, bool one, uint64_t id, struct fiber_text name, char *out, size_t size);

struct fiber_totals {
	unsigned tells; /* a set of FIBERS_TELL_ bits */
	uint64_t events, created, finished;
	uint64_t errors, cancelled,
	    timeouts;		/* contexts that failed; that were cancelled without failure, and those of
				 * them by a time limit */
	uint64_t late, late_ns; /* late runs and turns; no time counts twice */
	uint64_t alive;
	bool alive_known; /* fibers are told, and no words were lost that may have been of fibers alive now */
	uint64_t blocked;
	uint64_t forgotten; /* forgotten, because more than FIBERS_MAX were alive */
};
/* Return the totals of all fibers. */
struct fiber_totals fibers_totals(const struct fibers *f);

/* Return how much a scheduler has told since the last reset, to compare two of them; 0: nothing, and none of
 * its fibers lives. */
uint64_t fibers_weight(const struct fibers *f);

struct fiber_loop {
	uint64_t turns;		    /* turns, or else laps */
	bool counted;		    /* turns or laps are told */
	uint64_t busy_ns, seen_ns;  /* since the loop's first event, without missed time */
	const struct hist *lengths; /* lengths of turns, empty if only laps are told; valid until the next
				     * event */
	uint64_t lap_ns;	    /* time since the first lap; busy_ns and seen_ns are then 0, as they are
				     * not told */
	int64_t paused, jobs;	    /* with laps: paused promises, and jobs that wait for the system, as last
				     * told */
};

/* Get the loop of a domain up to `end`.  False if the domain has none. */
bool fibers_loop(const struct fibers *f, unsigned domain, uint64_t end, struct fiber_loop *out);

/* A run or turn that was late, or still runs and is late already. */
struct fiber_late {
	uint64_t duration, end;
	bool open; /* it had not ended by `end` */
};

/* Get the late run or turn of a domain: the open one if a fiber runs in it, else the longest that ended in
 * the last FIBERS_LATE_KEPT; and its longest run, with duration 0 if not known.  False if there was none. */
bool fibers_late(
    struct fibers *f, unsigned domain, uint64_t end, struct fiber_late *out, struct fiber_run *run);

struct fiber_run {
	uint64_t fiber, ts, duration, gc_ns;
	unsigned domain;
	struct fiber_path path;
	struct fiber_text
	    span; /* the innermost span that covered at least half, else the one that covered most */
};

struct fiber_blocked {
	struct fiber_path path;
	struct fiber_text op, name; /* operation, and name of the object */
	enum fiber_kind kind;	    /* kind of the object; FIBER_KIND_NONE: not known */
	uint64_t count, longest_ns;
	uint64_t object;
	bool one_object; /* all of them wait for `object` */
	uint64_t fiber;	 /* one of these fibers */
};

struct fiber_group {
	struct fiber_path path;
	uint64_t created, finished, runs, run_ns, run_max_ns, run_max_gc_ns, blocked_ns;
	struct fiber_text run_max_span; /* span of the longest run */
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
	struct fiber_path path; /* path of its context */
	uint64_t since_ns;	/* how long it has been blocked, or runs; 0: not known */
	struct fiber_text op, name, span;
	enum fiber_kind kind; /* of the object; FIBER_KIND_NONE: not known */
	uint64_t object;
	bool wants; /* `object` is known */
	bool held;  /* `holder`, the fiber that has the object or is awaited for it, is known */
	uint64_t holder;
	struct fiber_path holder_path; /* not known either if the holder has ended */
};

/* List the living fibers by path, operation and object, and among equals by the longest wait.  The caller
 * frees the list.  NULL when memory ran out. */
struct fiber_row *fibers_list(struct fibers *f, uint64_t end, size_t *count);

/* Fibers of one path and state that wait in one operation for objects of one kind and name. */
struct fiber_crowd {
	struct fiber_row first; /* the one that has waited longest */
	uint64_t count;
	bool one_object; /* all of them wait for the same */
};

/* List the crowds by path, operation and object.  The caller frees the list.  NULL when memory ran out. */
struct fiber_crowd *fibers_crowds(struct fibers *f, uint64_t end, size_t *count);

/* List at most FIBERS_CROWD_ROWS fibers of a crowd, the longest waits first; or one fiber with its chain,
 * those that wait for the same object, and those that wait for what it has. */
#define FIBERS_CROWD_ROWS 4096u
struct fiber_row *fibers_crowd(
    struct fibers *f, uint64_t end, const struct fiber_crowd *crowd, size_t *count);
struct fiber_row *fibers_about(struct fibers *f, uint64_t end, uint64_t fiber, size_t *count);

/* Follow a fiber's chain: the fiber that holds it up, the one that holds up that one, and so on.  Returns how
 * many, at most `max`. */
#define FIBERS_CHAIN 8u
size_t fibers_chain(struct fibers *f, uint64_t end, uint64_t fiber, struct fiber_row *out, size_t max);

/* Get the contexts of a fiber, the innermost first.  Returns how many, at most `max`. */
struct fiber_context {
	uint64_t id;
	enum fiber_kind kind;
	struct fiber_text name;
	bool cancelled;
};
size_t fibers_contexts(const struct fibers *f, uint64_t fiber, struct fiber_context *out, size_t max);

/* Count the living and the blocked fibers of a domain. */
void fibers_count(struct fibers *f, unsigned domain, uint64_t *alive, uint64_t *blocked);

/* Get the fiber that runs on a domain, and its run so far.  False if none is known to run. */
bool fibers_running(struct fibers *f, unsigned domain, uint64_t end, struct fiber_run *out);

/* A line of the tree of contexts: a context, a fiber in it, or how many more there are of both. */
struct fiber_branch {
	enum { FIBER_BRANCH_CONTEXT, FIBER_BRANCH_FIBER, FIBER_BRANCH_MORE } what;
	unsigned depth;
	bool open;		      /* the lines in it follow */
	uint64_t alike;		      /* number of contexts of one name that the line stands for; 0: one
				       * context */
	struct fiber_context context; /* kind FIBER_KIND_NONE: the fibers whose context is not known */
	struct fiber_text error;      /* why the context was cancelled, if still known */
	uint64_t fibers, blocked, cancelled, longest_ns; /* of all fibers inside; the last one is the longest
							  * wait */
	struct fiber_row fiber;
};

/* List the tree.  In each context come cancelled contexts, then contexts with the most fibers (those of one
 * name together), then fibers, running ones and the longest waits first; at most FIBERS_BRANCHES of both.
 * Roots are open, and so is a context that stands alone in another; for those in `turned` the opposite holds.
 * The caller frees the list; NULL when memory ran out. */
#define FIBERS_BRANCHES 100u
#define FIBERS_TREE_LINES 8192u
struct fiber_branch *fibers_tree(
    struct fibers *f, uint64_t end, const uint64_t *turned, size_t turned_count, size_t *count);

/* What a loop did in a column of time.  `path` is that of the runs that took most of run_ns; `one`: more than
 * all others together. */
struct fiber_column {
	double busy_ns, run_ns;
	struct fiber_path path;
	bool one;
};

/* Fill in `count` columns of `width` ns from t0 on, with a resolution of about FIBERS_PIECE_NS; an open run
 * or turn counts up to `end`. */
void fibers_columns(struct fibers *f, unsigned domain, uint64_t end, uint64_t t0, uint64_t width,
    unsigned count, struct fiber_column *out);

/* Add the runs of a domain that overlap [from, to) to a list of the `max` longest runs, longest first, and
 * return its new length.  Of runs that follow each other within FIBERS_PIECE_NS only the longest is known. */
size_t fibers_longest(struct fibers *f, unsigned domain, uint64_t from, uint64_t to, uint64_t end,
    struct fiber_run *out, size_t count, size_t max);

/* ---- for findings ---- */

/* The path and span to which most late runs belong. */
struct fiber_place {
	uint64_t runs, ns, gc_ns; /* runs 0: there were no late runs */
	uint64_t all;		  /* runs of that path since the last reset */
	struct fiber_run longest;
};

/* A lock whose holder waits for something else while others wait for it; queue 0: there is none. */
struct fiber_lock {
	uint64_t object, holder, held_ns, queue, longest_ns; /* held_ns: how long the holder has waited */
	struct fiber_path path;				     /* path of the holder */
	struct fiber_text name, op;			     /* name of the lock, and operation that the
							      * holder waits in */
};

/* Fibers of a path that wait for room in a stream; count 0: none. */
struct fiber_full {
	struct fiber_path path;
	uint64_t count, longest_ns;
};

/* Fibers that wait to take from streams while all others wait for what only a fiber can give; takers 0: not so,
 * or not known.  For as long as that, no loop of `loops` domains, which are all that run, had anything to do. */
struct fiber_empty {
	struct fiber_path path; /* of one of the takers */
	uint64_t takers, fibers, since_ns;
	unsigned loops;
};

/* Fibers that wait for one thing and only become more; now 0: none. */
struct fiber_growth {
	struct fiber_path path;
	struct fiber_text op, name; /* of the object */
	enum fiber_kind kind;
	uint32_t before, now; /* FIBERS_GROWTH_STEPS steps ago, and at the last one */
};

/* A context that was cancelled and has not ended; fibers 0: none. */
struct fiber_stuck {
	uint64_t context, since_ns, fibers;
	struct fiber_path path;
	uint64_t fiber; /* the fiber in it that has waited longest */
	struct fiber_text op;
	bool shielded; /* that fiber is in a context that protects it from cancellation */
};

struct fiber_trouble {
	uint64_t late_ns; /* of the last FIBERS_LATE_COUNT, since the given stamp */
	struct fiber_place place;
	struct fiber_lock lock;
	struct fiber_full full;
	struct fiber_empty empty;
	struct fiber_growth growth;
	struct fiber_stuck stuck;
};

/* Look for what findings tell, from `from` to `end`.  Growth is found only if this is called at least every
 * FIBERS_GROWTH_STEP.  False when memory ran out. */
bool fibers_trouble(struct fibers *f, uint64_t from, uint64_t end, struct fiber_trouble *out);

/* A report: lists, each in its order.  The caller frees it with fiber_report_fini. */
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

/* Report what is known up to `end`, except for blocked fibers, which cost most. */
bool fibers_report_runs(struct fibers *f, uint64_t end, struct fiber_report *out);
void fiber_report_fini(struct fiber_report *report);
