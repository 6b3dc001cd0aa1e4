/*
 * system_past.c - see system_past.h.
 */
#include "samples/system_past.h"

#include "core/order.h"
#include "core/array.h"

_Static_assert(SYSTEM_VALUE_COUNT <= 64, "a bit for each value");

static const enum system_unit units[] = {SYSTEM_VALUES(LIST_UNIT)};

struct system_past {
	struct system_sample latest;
	bool any; /* there is a latest sample */
	/* each of the latest sample as it was when read before; tid 0: never */
	struct system_thread before[SYSTEM_THREADS];
	struct ocaml_settings settings;
	bool has_settings;
	struct system_memory memory; /* ts 0: never read */
	bool broken;		     /* the next sample is not compared with the latest */
	size_t first, count, room;
	uint64_t time;	/* time covered by the totals */
	uint64_t known; /* of the totals: a bit for each value */
	uint64_t totals[SYSTEM_VALUE_COUNT];
	struct system_row rows[SYSTEM_PAST_ROWS];
};

struct system_past *system_past_create(void)
{
	struct system_past *past = calloc(1, sizeof(*past));

	if (past != NULL)
		past->room = SYSTEM_PAST_ROWS;
	return past;
}

void system_past_limit(struct system_past *past, size_t rows)
{
	past->room = rows < SYSTEM_PAST_ROWS ? rows : SYSTEM_PAST_ROWS;
}

void system_past_destroy(struct system_past *past)
{
	free(past);
}

struct system_past *system_past_copy(const struct system_past *from)
{
	bool ok = true;

	return copy_bytes(from, sizeof(*from), &ok);
}

struct system_past *system_past_close(struct system_past *past)
{
	past->first = past->count = past->room = 0;
	struct system_past *less = realloc(past, offsetof(struct system_past, rows));

	return less != NULL ? less : past;
}

static bool is_counter(enum system_value_id id)
{
	return units[id] == SYSTEM_COUNTER || units[id] == SYSTEM_COUNTER_NS;
}

/* Get the growth of a thread's value.  False when it is not known. */
static bool thread_grown(const struct system_value *older, const struct system_value *newer, uint64_t *grown)
{
	*grown = newer->value > older->value ? newer->value - older->value : 0;
	return older->known == SYSTEM_KNOWN && newer->known == SYSTEM_KNOWN;
}

/* Keep what the thread of a domain did.  It has to have run the same domain all the time. */
static void keep_domain(const struct system_thread *older, const struct system_thread *newer,
    const struct system_busy *busy, struct system_row *row)
{
	unsigned domain = newer->runs - 1;

	if (newer->runs == 0 || older->runs != newer->runs || domain >= SYSTEM_ROW_DOMAINS ||
	    busy->run / 1000 > UINT32_MAX || busy->wait / 1000 > UINT32_MAX)
		return;
	row->domains |= (uint16_t)(1u << domain);
	row->of_domain[domain].run_us = (uint32_t)(busy->run / 1000);
	row->of_domain[domain].wait_us = (uint32_t)(busy->wait / 1000);
}

/* Find the thread that ran longest and the one that waited longest, and those of domains.  Both lists are in ascending order of
 * tid. */
static void find_busy(
    const struct system_sample *older, const struct system_sample *newer, struct system_row *row)
{
	unsigned a = 0;

	for (unsigned b = 0; b < newer->thread_count; b++) {
		const struct system_thread *now = &newer->threads[b];
		struct system_busy busy = {.tid = now->tid};

		while (a < older->thread_count && older->threads[a].tid < now->tid)
			a++;
		/* A thread that is not read in both samples has no values for this row. */
		if (a == older->thread_count || older->threads[a].tid != now->tid ||
		    older->threads[a].ts != older->ts || now->ts != newer->ts ||
		    !thread_grown(&older->threads[a].run, &now->run, &busy.run) ||
		    !thread_grown(&older->threads[a].wait, &now->wait, &busy.wait))
			continue;
		keep_domain(&older->threads[a], now, &busy, row);
		if (busy.run > row->ran_most.run)
			row->ran_most = busy;
		if (busy.wait > row->waited_most.wait)
			row->waited_most = busy;
	}
}

/* Fill in the row between two samples. */
static void compare(
    const struct system_sample *older, const struct system_sample *newer, struct system_row *row)
{
	*row = (struct system_row){
	    .from = older->ts, .to = newer->ts, .in_turns = older->in_turns || newer->in_turns};
	for (unsigned i = 0; i < SYSTEM_VALUE_COUNT; i++) {
		bool known = is_counter(i) ? system_grown(older, newer, i, &row->values[i])
					   : system_gauge(newer, i, &row->values[i]);

		if (known)
			row->known |= UINT64_C(1) << i;
	}
	for (unsigned i = 0; i < newer->thread_count; i++)
		row->stopped |= newer->threads[i].ts == newer->ts &&
				(newer->threads[i].state == 'T' || newer->threads[i].state == 't');
	find_busy(older, newer, row);
}

/* Add a row to the totals. */
static void sum_up(struct system_past *past, const struct system_row *row)
{
	past->time += row->to - row->from;
	for (unsigned i = 0; i < SYSTEM_VALUE_COUNT; i++) {
		uint64_t value, bit = UINT64_C(1) << i;

		if (!is_counter(i) || !system_row_get(row, i, &value))
			continue;
		past->known |= bit;
		past->totals[i] +=
		    value > UINT64_MAX - past->totals[i] ? UINT64_MAX - past->totals[i] : value;
	}
}

/* Keep the previous reading of each thread in a new sample.  Both lists are in ascending order of tid. */
static void note_threads(struct system_past *past, const struct system_sample *sample)
{
	struct system_thread before[SYSTEM_THREADS];
	unsigned a = 0;

	for (unsigned b = 0; b < sample->thread_count; b++) {
		const struct system_thread *now = &sample->threads[b], *old = &past->latest.threads[a];

		before[b] = (struct system_thread){.tid = 0};
		while (past->any && a < past->latest.thread_count && old->tid < now->tid)
			old = &past->latest.threads[++a];
		if (!past->any || past->broken || a == past->latest.thread_count || old->tid != now->tid)
			continue;
		/* If the thread was not read again, keep its previous reading. */
		before[b] = old->ts == now->ts ? past->before[a] : *old;
	}
	memcpy(past->before, before, sample->thread_count * sizeof(before[0]));
}

void system_past_add(struct system_past *past, const struct system_sample *sample)
{
	if (past->room == 0 || (past->any && sample->ts <= past->latest.ts))
		return;
	if (past->any && !past->broken) {
		struct system_row *row = &past->rows[(past->first + past->count) % past->room];

		if (past->count == past->room)
			past->first = (past->first + 1) % past->room;
		else
			past->count++;
		compare(&past->latest, sample, row);
		sum_up(past, row);
	}
	note_threads(past, sample);
	/* Only the threads that there are: most of the room for them is never touched. */
	memcpy(&past->latest, sample,
	    offsetof(struct system_sample, threads) + sample->thread_count * sizeof(sample->threads[0]));
	past->any = true;
	past->broken = false;
}

void system_past_set_settings(struct system_past *past, const struct ocaml_settings *settings)
{
	past->settings = *settings;
	past->has_settings = true;
}

const struct ocaml_settings *system_past_settings(const struct system_past *past)
{
	return past->has_settings ? &past->settings : NULL;
}

void system_past_set_memory(struct system_past *past, const struct system_memory *memory)
{
	past->memory = *memory;
}

const struct system_memory *system_past_memory(const struct system_past *past)
{
	return past->memory.ts != 0 ? &past->memory : NULL;
}

uint64_t system_past_ring_words(const struct system_past *past)
{
	const struct ocaml_setting *e = &past->settings.of[OCAML_E];

	/* Of a recording, the value may be anything. */
	return past->has_settings && e->from != OCAML_UNKNOWN && e->value < 64 ? UINT64_C(1) << e->value : 0;
}

void system_past_break(struct system_past *past)
{
	past->broken = true;
}

const struct system_sample *system_past_latest(const struct system_past *past)
{
	return past->any ? &past->latest : NULL;
}

bool system_past_total(const struct system_past *past, enum system_value_id id, uint64_t *value)
{
	*value = 0;
	if (!past->any)
		return false;
	if (!is_counter(id))
		return system_gauge(&past->latest, id, value);
	*value = past->totals[id];
	return (past->known >> id & 1) != 0;
}

void system_past_reset(struct system_past *past)
{
	past->time = past->known = 0;
	memset(past->totals, 0, sizeof(past->totals));
}

bool system_past_waited(const struct system_past *past, uint64_t from, uint64_t to, uint64_t *most)
{
	uint64_t sum = 0, covered = to, wait;

	for (size_t i = system_past_count(past); i-- > 0 && covered > from;) {
		const struct system_row *row = system_past_row(past, i);
		if (row->from >= to)
			continue;
		if (row->in_turns || row->to < covered || !system_row_get(row, SYSTEM_WAIT, &wait))
			return false;
		sum += wait;
		covered = row->from;
	}
	*most = sum < to - from ? sum : to - from;
	return covered <= from;
}

/* How long the threads of the process ran between two samples: what ended in between has no RUN. */
static bool row_ran(const struct system_row *row, uint64_t *ns)
{
	uint64_t run, user, system;
	bool read = !row->in_turns && system_row_get(row, SYSTEM_RUN, &run);
	bool whole =
	    system_row_get(row, SYSTEM_CPU_USER, &user) && system_row_get(row, SYSTEM_CPU_SYSTEM, &system);

	*ns = read ? run : 0;
	if (whole && user + system > *ns)
		*ns = user + system;
	return read || whole;
}

/* Add what the thread of a domain did between two samples, and those of no domain; or all together. */
static bool row_did(const struct system_row *row, unsigned domain, bool all, struct system_around *out)
{
	uint64_t ran, waited, run, wait;

	if (row->in_turns)
		return false;
	if (all && row_ran(row, &ran) && system_row_get(row, SYSTEM_WAIT, &waited)) {
		out->ran += ran;
		out->waited += waited;
		return true;
	}
	if (all || !system_row_domain(row, domain, &ran, &waited))
		return false;
	out->ran += ran;
	out->waited += waited;
	if (!row_ran(row, &ran) || !system_row_get(row, SYSTEM_WAIT, &waited))
		return false;
	for (unsigned d = 0; d < SYSTEM_ROW_DOMAINS; d++)
		if (system_row_domain(row, d, &run, &wait)) {
			ran -= run < ran ? run : ran;
			waited -= wait < waited ? wait : waited;
		}
	out->others_ran += ran;
	out->others_waited += waited;
	return true;
}

bool system_past_around(
    const struct system_past *past, unsigned domain, uint64_t from, uint64_t to, struct system_around *out)
{
	for (int all = 0; all < 2; all++) {
		uint64_t covered = to;
		bool told = from < to;
		*out = (struct system_around){.all = all};
		for (size_t i = system_past_count(past); told && i-- > 0 && covered > from;) {
			const struct system_row *row = system_past_row(past, i);
			if (row->from >= to)
				continue;
			told = row->to >= covered && row_did(row, domain, all, out);
			if (!told)
				break;
			out->time += row->to - row->from;
			covered = row->from;
		}
		if (told && covered <= from)
			return true;
	}
	return false;
}

enum system_excuse system_past_excuse(
    const struct system_past *past, uint64_t from, uint64_t to, uint64_t *most)
{
	uint64_t ran = 0, waited = 0, covered = to, value, part;
	bool waits = from < to, runs = waits;

	for (size_t i = system_past_count(past); i-- > 0 && covered > from;) {
		const struct system_row *row = system_past_row(past, i);
		if (row->from >= to)
			continue;
		if (row->stopped && row->to >= from && row->to <= to)
			return SYSTEM_STOPPED;
		if (row->to < covered)
			return SYSTEM_NO_EXCUSE;
		waits = waits && !row->in_turns && system_row_get(row, SYSTEM_WAIT, &value);
		waited += row->waited_most.wait;
		runs = runs && row_ran(row, &part);
		ran += runs ? part : 0;
		covered = row->from;
	}
	if (covered > from)
		return SYSTEM_NO_EXCUSE;
	*most = waited < to - from ? waited : to - from;
	if (waits && 2 * *most >= to - from)
		return SYSTEM_WAITED;
	*most = ran;
	return runs && 2 * ran < to - from ? SYSTEM_DID_NOT_RUN : SYSTEM_NO_EXCUSE;
}

bool system_past_sum(const struct system_past *past, enum system_value_id id, uint64_t from, uint64_t to,
    uint64_t *grown, uint64_t *time)
{
	*grown = *time = 0;
	for (size_t i = past->count; i-- > 0;) {
		const struct system_row *row = system_past_row(past, i);
		uint64_t value;

		if (row->to <= from)
			break;
		if (row->to > to || !system_row_get(row, id, &value))
			continue;
		*grown += value > UINT64_MAX - *grown ? UINT64_MAX - *grown : value;
		*time += row->to - row->from;
	}
	return *time > 0;
}

/* Return the growth of a thread's time as a share of a time: all of it at most, though the kernel counts in steps. */
static double share_of(const struct system_value *older, const struct system_value *newer, uint64_t time)
{
	uint64_t grown;

	return thread_grown(older, newer, &grown) && time > 0 ? fmin((double)grown / (double)time, 1)
							      : (double)NAN;
}

/* Order threads by descending time on a processor.  Threads without a known time are ordered by number. */
static int compare_use(const void *a, const void *b)
{
	const struct system_use *x = a, *y = b;
	double mine = isnan(x->cpu) ? -1 : x->cpu, other = isnan(y->cpu) ? -1 : y->cpu;

	if (mine != other)
		return mine < other ? 1 : -1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* Get what a thread of the latest sample did. */
static struct system_use use_of(const struct system_past *past, size_t i)
{
	const struct system_thread *now = &past->latest.threads[i], *old = &past->before[i];
	uint64_t time = old->tid == now->tid && now->ts > old->ts ? now->ts - old->ts : 0;
	struct system_use use = {.tid = now->tid,
	    .runs = now->runs,
	    .state = now->state,
	    .cpu = share_of(&old->run, &now->run, time),
	    .wait = share_of(&old->wait, &now->wait, time)};

	memcpy(use.comm, now->comm, sizeof(use.comm));
	return use;
}

size_t system_past_threads(const struct system_past *past, struct system_use *out, size_t most)
{
	struct system_use all[SYSTEM_THREADS];
	size_t count = past->any ? past->latest.thread_count : 0;

	for (size_t i = 0; i < count; i++)
		all[i] = use_of(past, i);
	qsort(all, count, sizeof(all[0]), compare_use);
	count = count < most ? count : most;
	memcpy(out, all, count * sizeof(out[0]));
	return count;
}

bool system_past_domain(const struct system_past *past, unsigned domain, struct system_use *out)
{
	for (size_t i = 0; past->any && i < past->latest.thread_count; i++) {
		if (past->latest.threads[i].runs != domain + 1)
			continue;
		*out = use_of(past, i);
		return true;
	}
	return false;
}

uint64_t system_past_time(const struct system_past *past)
{
	return past->time;
}

size_t system_past_count(const struct system_past *past)
{
	return past->count;
}

const struct system_row *system_past_row(const struct system_past *past, size_t i)
{
	return i < past->count ? &past->rows[(past->first + i) % past->room] : NULL;
}

const struct system_row *system_past_at(const struct system_past *past, uint64_t ts)
{
	struct order_search at = {.high = past->count};

	/* Find the first row that ends at ts or later. */
	while (order_middle(&at))
		order_turn(&at, system_past_row(past, at.middle)->to < ts);
	const struct system_row *row = system_past_row(past, at.low);
	return row != NULL && row->from < ts ? row : NULL;
}
