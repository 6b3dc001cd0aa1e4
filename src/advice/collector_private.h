/* collector_private.h - the parts of a collector: collector.c processes events, collector_slots.c manages the
 * slots, collector_read.c adds stops and sums up. */
#pragma once

#include "advice/evidence.h"

#define SPAN_WORDS 4u	 /* words of a begin and an end in a ring */
#define COUNTER_WORDS 3u /* words of a counter */
#define SLOT_NS UINT64_C(1000000000)
#define SLOTS (ADVICE_WINDOW_NS / SLOT_NS)
enum { SLOT_OLDER = SLOTS, SLOT_NOWHERE, SLOT_COUNT };

#define ENDING_NS 1000000u /* a stop that a domain leads is for its own end if it ends this soon afterwards */
#define LONG_EXPLICIT_NS 10000000u
#define SIZED_MOST (1u << 20) /* KiB */
#define AWAKE_KEPT 64
#define IDLE_PART 9 / 10    /* share of its stops in which a domain must have been idle to count as idle */
#define WAITING_PART 3 / 4  /* share of its time in which a domain that is not busy waits */
#define IDLE_STOPS 20	    /* least number of stops for that */
#define SIZED_PART 1 / 4    /* of the minor heap: smaller collections are not in the sums over sizes */
#define FULL_PART 9 / 10    /* share of the minor heap from which on it counts as full */
#define COPYING_PART 1 / 20 /* share of a second's time, for each domain that takes part in collections */
#define NOWHERE (-1)

#define CYCLE_NS 20000000u /* all domains report one cycle within this time */
#define USER_BIN_FIRST 10  /* the first bin begins at 2^10 ns */
#define USER_PART_NS UINT64_C(10000000000)

/* Parts of the window for user spans; then the sum of older parts, and the total. */
enum { USER_PARTS = ADVICE_WINDOW_NS / USER_PART_NS, USER_OLDER = USER_PARTS, USER_SUM, USER_ALL };

/* The model's counts of a domain's phase when they were last added to a slot. */
struct phase_seen {
	uint64_t count, total, self;
};

/* A domain.  Stamps in [from, to) belong to slot `at`; `to` is 0 when that is not known
 * (collector_forget_slots).  What the model has counted beyond `seen` ended in that slot, in the present
 * state of calls and stops. */
struct domain {
	unsigned number;
	uint64_t from, to;
	unsigned at;
	struct phase_seen seen[RTEV_PHASE_COUNT];
	uint64_t awake[AWAKE_KEPT]; /* stamps of the latest minor collections that it took part in itself */
	unsigned awake_at;
	struct domain_tally slots[SLOT_COUNT];
	uint64_t full_bytes;
	double minor_heap;    /* words, as memory last told; 0: not told */
	uint64_t resized_ts;  /* when memory told another size; 0: it did not */
	uint64_t most_words;  /* words read in one of the slots in SLOT_OLDER, at most */
	uint64_t lost_unread; /* words whose loss was noticed after the latest collector_read */
	/* depths of the open spans; NOWHERE: not open */
	int leader, handler, interrupt, explicit, wait;
	uint64_t lead_end, lead_ns;	    /* when the last stop that it led ended, and how long that took */
	uint64_t promoted;		    /* bytes promoted by the collection that is about to end */
	uint64_t reported;		    /* number of the cycle whose end it reported last */
	int64_t alloc_work, dependent_work; /* work of the slice that is about to begin */
	bool handler_alone;		    /* the handler is not inside an interrupt_remote */
	bool handler_blocked;		    /* the handler is alone, and inside a domain_condition_wait */
	bool idle;
};

struct collector {
	struct model *model;
	const struct stw *stw;
	bool whole;
	uint64_t newest;	 /* number of the latest slot: stamp / SLOT_NS */
	uint64_t collect_from;	 /* events stamped earlier are ignored; 0: none are */
	unsigned programs;	 /* number of programs that ran in the process before this one */
	uint64_t program_from;	 /* stamp since which the program runs; 0: not known */
	uint64_t at_from, at_to; /* stamps in [at_from, at_to) belong to slot `at` */
	unsigned at;
	uint64_t stops; /* number of stops of the stw that have been added */
	struct domain *domains[MODEL_DOMAINS_MAX];
	unsigned domain_limit;
	struct tally slots[SLOT_COUNT];
	uint64_t longest[SLOT_COUNT]; /* longest pause that ended in a slot */
	struct hist lateness;	      /* lateness in the synchronous stops of this program */
	struct evidence_late lates[LATE_KEPT];
	uint64_t late_count; /* late stops since the beginning */
	struct evidence_cycle cycles[CYCLES_KEPT];
	size_t cycle_count;
	uint64_t sliced_ts;				 /* end of the latest major slice */
	uint64_t counted_ts;				 /* stamp of the latest look at memory */
	uint64_t cycle_number;				 /* number of the latest cycle */
	uint64_t major_words, promoted_words;		 /* in the major heap: allocated (5.3), promoted */
	struct user_bin (*users[USERS_KEPT])[USER_BINS]; /* USER_ALL for each slot */
	struct user_bin *user_sums[USERS_KEPT];
	uint64_t user_newest;	      /* number of the latest part: stamp / USER_PART_NS */
	struct evidence_domain *read; /* domains of the latest collector_read, with room for `read_room` */
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

/* Add the tally of a slot. */
static inline void slot_add(struct tally *to, const struct tally *slot)
{
	const uint64_t each = slot->leads > 0 ? slot->phase_count[RTEV_PHASE_MINOR] / slot->leads : 1;

	tally_add(to, slot);
	to->copying_s += tally_copying(slot) >= (each > 0 ? each : 1) * SLOT_NS * COPYING_PART;
}

static inline void domain_tally_add(struct domain_tally *to, const struct domain_tally *from)
{
	sum_add((uint64_t *)to, (const uint64_t *)from, sizeof(*to) / sizeof(uint64_t));
}

_Static_assert(sizeof(struct tally) % sizeof(uint64_t) == 0, "a tally is an array of numbers");
_Static_assert(
    sizeof(struct domain_tally) % sizeof(uint64_t) == 0, "a domain's tally is an array of numbers");

/* Add what the model has counted since the last call to the slot of a domain, or of each domain. */
void collector_settle(struct collector *c, struct domain *d);
void collector_settle_all(struct collector *c);

/* Extend the slots up to a number, and empty those that are too old for the window. */
void collector_slots_reach(struct collector *c, uint64_t number);

/* Forget which stamps belong to which slot, after slots have changed. */
void collector_forget_slots(struct collector *c);

/* Move a domain to the slot of a stamp. */
void collector_domain_turn(struct collector *c, struct domain *d, uint64_t ts);

/* Move a domain to the slot of a stamp unless it is there. */
static inline void domain_reach(struct collector *c, struct domain *d, uint64_t ts)
{
	if (ts < d->from || ts >= d->to)
		collector_domain_turn(c, d, ts);
}

/* Count a user span by its duration. */
void collector_user_add(struct collector *c, unsigned slot, uint64_t begin, uint64_t end, uint64_t gc_ns);
void collector_users_clear(struct collector *c);

/* Sum up the user spans of the window, which begins for them at `out->users_from`. */
void collector_users_read(struct collector *c, struct evidence *out);

/* Return the slot of a stamp that is not in the slot used last. */
unsigned collector_slot_find(struct collector *c, uint64_t ts);

/* Create the record of a domain; NULL: there is no room. */
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

/* Return the words of a heap gauge that domains reported at the end of a cycle; 0: not known. */
static inline uint64_t collector_heap(const struct collector *c, enum heap_gauge gauge)
{
	double words = gauge == HEAP_SIZE || model_silent(c->model) ? model_level(c->model, gauge).words
								    : model_heap(c->model, gauge);

	return words > 0 ? (uint64_t)fmin(words, 0x1p63) : 0;
}
