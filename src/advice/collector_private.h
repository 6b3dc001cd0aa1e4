/*
 * collector_private.h - the inside of a collector: collector.c feeds it, collector_slots.c has its slots,
 * collector_read.c takes in stops and sums it up.
 */
#pragma once

#include "advice/collector.h"

#define SPAN_WORDS 4u	 /* of a begin and an end in a ring */
#define COUNTER_WORDS 3u /* of a counter */
#define SLOT_NS UINT64_C(1000000000)
#define SLOTS (ADVICE_WINDOW_NS / SLOT_NS)
enum { SLOT_OLDER = SLOTS, SLOT_NOWHERE, SLOT_COUNT };

#define ENDING_NS 1000000u /* a domain ends so soon after the stop that it leads for its end */
#define LONG_EXPLICIT_NS 10000000u
#define SIZED_MOST (1u << 20) /* KiB */
#define AWAKE_KEPT 64
#define IDLE_PART 9 / 10 /* share of its stops in which an idle domain must have been idle */
#define IDLE_STOPS 20	 /* and the least number of stops it must have taken part in */
#define SIZED_PART 1 / 4 /* share of the largest minor heap from which on a collection counts by its size */
#define FULL_PART 9 / 10 /* share of the largest minor heap: at least so much means full */
#define NOWHERE (-1)

#define CYCLE_NS 20000000u /* all domains report one cycle within this time */
#define USER_BIN_FIRST 10  /* the first bin begins at 2^10 ns */
#define USER_PART_NS UINT64_C(10000000000)

/* Parts of the window that user spans are kept by; then what is older, and the sum of all. */
enum { USER_PARTS = ADVICE_WINDOW_NS / USER_PART_NS, USER_OLDER = USER_PARTS, USER_SUM, USER_ALL };

/* What the model had counted of a phase of a domain when that was last added to a slot. */
struct phase_seen {
	uint64_t count, total, self;
};

/* A domain.  Stamps in [from, to) belong to slot `at`; `to` is 0 when that is not known: collector_forget_slots.  What
 * the model has counted beyond `seen` ended in that slot, in calls and stops as they are now. */
struct domain {
	unsigned number;
	uint64_t from, to;
	unsigned at;
	struct phase_seen seen[RTEV_PHASE_COUNT];
	uint64_t awake[AWAKE_KEPT]; /* stamps of its latest minor collections that it took part in itself */
	unsigned awake_at;
	struct domain_tally slots[SLOT_COUNT];
	uint64_t full_bytes;
	uint64_t most_words;  /* read, in one of the slots that are summed in SLOT_OLDER */
	uint64_t lost_unread; /* words whose loss was noticed after the latest collector_read */
	/* depths of the open spans; NOWHERE: not open */
	int leader, handler, interrupt, explicit, wait;
	uint64_t lead_end, lead_ns;	    /* the last stop that it led: when it ended, how long it took */
	uint64_t promoted;		    /* bytes, of the collection that is about to end */
	uint64_t reported;		    /* number of the cycle whose end it reported last */
	int64_t alloc_work, dependent_work; /* of the slice that is about to begin */
	bool handler_alone;		    /* the handler is not inside an interrupt_remote */
	bool handler_blocked;		    /* it is alone, and inside a domain_condition_wait */
	bool idle;
};

struct collector {
	struct model *model;
	const struct stw *stw;
	bool whole;
	uint64_t newest;	 /* number of the latest slot: stamp / SLOT_NS */
	uint64_t collect_from;	 /* events stamped earlier are ignored; 0: none are */
	unsigned programs;	 /* number of programs that ran in the process before this one */
	uint64_t program_from;	 /* stamp since which it runs; 0: not known */
	uint64_t at_from, at_to; /* stamps in [at_from, at_to) belong to slot `at` */
	unsigned at;
	uint64_t stops; /* number of stops of the stw that have been added */
	struct domain *domains[MODEL_DOMAINS_MAX];
	unsigned domain_limit;
	struct tally slots[SLOT_COUNT];
	uint64_t longest[SLOT_COUNT]; /* pause that ended in a slot */
	struct hist lateness;	      /* of the synchronous stops of this program */
	struct evidence_late lates[LATE_KEPT];
	uint64_t late_count; /* since the beginning */
	struct evidence_cycle cycles[CYCLES_KEPT];
	size_t cycle_count;
	uint64_t sliced_ts;		      /* end of the latest major slice */
	uint64_t counted_ts;		      /* of the latest look at memory */
	uint64_t cycle_number;		      /* of the latest one */
	uint64_t major_words, promoted_words; /* allocated in the major heap: in all (5.3), and promoted */
	struct user_bin (*users[USERS_KEPT])[USER_BINS]; /* USER_ALL of each */
	struct user_bin *user_sums[USERS_KEPT];
	uint64_t user_newest;	      /* number of the latest part: stamp / USER_PART_NS */
	struct evidence_domain *read; /* of the latest collector_read; has room for `read_room` */
	unsigned read_room;
};

/* Add each of `count` numbers to its sum. */
static inline void sum_add(uint64_t *to, const uint64_t *from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] += from[i];
}

static inline void tally_add(struct tally *to, const struct tally *from)
{
	sum_add((uint64_t *)to, (const uint64_t *)from, sizeof(*to) / sizeof(uint64_t));
}

static inline void domain_tally_add(struct domain_tally *to, const struct domain_tally *from)
{
	sum_add((uint64_t *)to, (const uint64_t *)from, sizeof(*to) / sizeof(uint64_t));
}

_Static_assert(sizeof(struct tally) % sizeof(uint64_t) == 0, "a tally is an array of numbers");
_Static_assert(
    sizeof(struct domain_tally) % sizeof(uint64_t) == 0, "a domain's tally is an array of numbers");

/* Add what the model has counted of a domain's spans since the last time to the domain's slot; of all domains. */
void collector_settle(struct collector *c, struct domain *d);
void collector_settle_all(struct collector *c);

/* Make the slots reach up to this one: those that are too old for the window are emptied. */
void collector_slots_reach(struct collector *c, uint64_t number);

/* Forget which slots stamps belong to: there are others now. */
void collector_forget_slots(struct collector *c);

/* Make the slot of a stamp the one of a domain. */
void collector_domain_turn(struct collector *c, struct domain *d, uint64_t ts);

/* Make the slot of a stamp the one of a domain, if it is not that already. */
static inline void domain_reach(struct collector *c, struct domain *d, uint64_t ts)
{
	if (ts < d->from || ts >= d->to)
		collector_domain_turn(c, d, ts);
}

/* Count a user span by its duration. */
void collector_user_add(struct collector *c, unsigned slot, uint64_t begin, uint64_t end, uint64_t gc_ns);
void collector_users_clear(struct collector *c);

/* Sum up the user spans of the window, which for these begins at `out->users_from`. */
void collector_users_read(struct collector *c, struct evidence *out);

/* Find the slot of a stamp that is not in the one used last. */
unsigned collector_slot_find(struct collector *c, uint64_t ts);

/* Make what is kept of a domain; NULL when there is no place for it. */
struct domain *collector_domain_make(struct collector *c, unsigned domain);

/* Return the slot of a stamp. */
static inline unsigned slot_of(struct collector *c, uint64_t ts)
{
	return ts >= c->at_from && ts < c->at_to ? c->at : collector_slot_find(c, ts);
}

/* Return the record of a domain. */
static inline struct domain *domain_of(struct collector *c, unsigned domain)
{
	if (domain < MODEL_DOMAINS_MAX && c->domains[domain] != NULL)
		return c->domains[domain];
	return collector_domain_make(c, domain);
}

/* Return the words of a gauge of the heap, of its parts as events told them at a cycle's end; 0: not known. */
static inline uint64_t collector_heap(const struct collector *c, enum heap_gauge gauge)
{
	double words = gauge == HEAP_SIZE || model_silent(c->model) ? model_level(c->model, gauge).words
								    : model_heap(c->model, gauge);

	return words > 0 ? (uint64_t)fmin(words, 0x1p63) : 0;
}
