/*
 * evidence.h - what the rules judge by: sums over a window of time.
 *
 * A *tally* holds what adds up, so that the tally of a window is the sum of those of its parts.  Times are nanoseconds.
 * Work done inside an explicit GC call counts as that call's and nowhere else.  The first WARM_UP_NS of a process whose start
 * was seen are left out.
 *
 * A domain is *active* when it allocated, or led a stop, within the window: others only take part in what these begin.  The
 * *busy* time is the time in which the program could have got on: the observed time of the active domains, or the processor
 * time of the process when that is known.
 */
#ifndef ADVICE_EVIDENCE_H
#define ADVICE_EVIDENCE_H

#include "advice/advice.h"

#define WARM_UP_NS 2000000000u
#define ENOUGH_STOPS 100
#define ENOUGH_NS 10000000000u
#define LATE_KEPT 256
#define CYCLES_KEPT 256
#define USERS_KEPT 64 /* user slots whose spans are looked at, the first */
#define USER_BINS 192 /* of their durations: four an octave from USER_BIN_FIRST_NS on */
#define LATE_LEAST_NS 1000000u

/* What adds up over all domains.  uint64_t only: it is summed as an array. */
struct tally {
	uint64_t phase_count[RTEV_PHASE_COUNT];
	uint64_t phase_self[RTEV_PHASE_COUNT];
	uint64_t phase_total[RTEV_PHASE_COUNT]; /* each span in full */
	uint64_t counter_count[RTEV_COUNTER_COUNT];
	uint64_t counter_sum[RTEV_COUNTER_COUNT]; /* modulo 2^64 */
	uint64_t words;				  /* of the rings, as far as they were read */
	uint64_t lost_words;
	uint64_t leads;		 /* minor collections, explicit ones left out */
	uint64_t full_leads;	 /* of them those whose leader had filled its minor heap */
	uint64_t spawns;	 /* of domains */
	uint64_t explicits;	 /* explicit GC calls */
	uint64_t explicit_ns;	 /* likewise */
	uint64_t long_explicits; /* of 10 ms and more */
	uint64_t slices;	 /* major slices of which the kinds of work are known (5.3 and later) */
	uint64_t extra_slices;	 /* of them those that custom blocks drove, not what was allocated */
	uint64_t alloc_work,
	    most_work;	       /* of these slices: by what was allocated, and by the greatest of all kinds */
	uint64_t stop_wait_ns; /* in stops, by all domains */
	uint64_t stops;	       /* synchronous, every arrival known */
	uint64_t
	    idle_wait_ns; /* of busy domains, from the last of their arrivals to their release, where an idle one came last */
	uint64_t idle_last; /* stops in which an idle domain came last */
};

/* The same of one domain. */
struct domain_tally {
	uint64_t class_self[RTEV_CLASS_COUNT];
	uint64_t allocated;	/* bytes */
	uint64_t handlers;	/* stops of others that it took part in */
	uint64_t idle_handlers; /* of them those in which it was idle (section "stop" of collector.c) */
	uint64_t leads;
	uint64_t last; /* synchronous stops in which it came last */
};

struct evidence_domain {
	struct domain_tally sum;
	uint64_t observed_ns; /* in the window */
	uint64_t full_bytes; /* largest minor_allocated that it led with: the size of its minor heap, about */
	bool active;
	bool idle; /* it takes part in stops, and is idle in IDLE_SHARE of them */
};

/* A stop for which a domain came late. */
struct evidence_late {
	uint64_t begin, lateness, wait; /* wait: of all others together */
	unsigned domain, count;
};

/* The heap at the end of a major cycle: sums over the domains, words. */
struct evidence_cycle {
	uint64_t ts, pool, live, large, fragments;
};

/* User spans of one duration, about. */
struct user_bin {
	uint64_t count, ns, gc_ns;
};

/* What the samples of the system tell of the window. */
struct evidence_system {
	bool there;
	uint64_t ns;			    /* that they cover */
	uint64_t known;			    /* a bit for each value: of all samples */
	uint64_t grown[SYSTEM_VALUE_COUNT]; /* counters */
	const struct system_sample *latest;
	const struct system_past *past;
	const struct ocaml_settings *settings; /* NULL: not known */
};

struct evidence {
	const struct model *model;
	const struct stw *stw;
	enum rtev_release release;
	uint64_t ring_words; /* 0: not known */
	uint64_t from, to;   /* of the window, stamps */
	double window_s;     /* what of it was observed and not left out */
	struct tally sum;
	const struct evidence_domain *domains; /* by number; NULL for none */
	unsigned domain_count;
	unsigned active, idle; /* of them */
	double busy_ns;
	double lost_share;		   /* of the words written */
	double paused_share;		   /* of the window: the target had paused its events */
	uint64_t heap_words;		   /* of the major heap, latest; 0: not known */
	const struct evidence_late *lates; /* in no order, of any time; */
	size_t late_count;
	const struct evidence_cycle *cycles; /* by time, since the begin */
	size_t cycle_count;
	struct user_bin *const *users; /* since the begin: USERS_KEPT of USER_BINS each, NULL for none */
	struct evidence_system system;
};

/* Fill in what the samples tell; past may be NULL.  It settles the busy time. */
void evidence_add_system(struct evidence *e, const struct system_past *past);

/* A gauge of the latest sample, or what a counter grew by in the window.  False when that is not known. */
bool evidence_gauge(const struct evidence *e, enum system_value_id id, uint64_t *value);
bool evidence_grown(const struct evidence *e, enum system_value_id id, uint64_t *value);

/* A setting, else what the runtime begins with.  True when it is known. */
bool evidence_setting(const struct evidence *e, enum ocaml_setting_id id, uint64_t unknown, uint64_t *value);

/* The memory that the process may use: its limit, else that of the machine.  False when neither is known. */
bool evidence_memory(const struct evidence *e, uint64_t *bytes);

/* Whether there is evidence for a share of time: ENOUGH_STOPS, or ENOUGH_NS of time. */
bool evidence_enough(const struct evidence *e);

/* Self time of a class of phases on the active domains. */
double evidence_class(const struct evidence *e, enum rtev_phase_class class);

/* Of these: minor collections with the barriers of stops, and the major collector. */
double evidence_minor(const struct evidence *e);
double evidence_major(const struct evidence *e);

/* Time as a share of the busy time, 1 at most; 0 when nothing was busy. */
double evidence_share(const struct evidence *e, double ns);

#endif
