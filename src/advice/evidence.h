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
	uint64_t stops;		 /* synchronous, every arrival known */
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
	double lost_share; /* of the words written */
};

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
