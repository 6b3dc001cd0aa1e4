/*
 * reader.c - the thread scans and polls the lent cursor into the spool, and waits between turns by the loan's
 * pace.
 */
#include "session/reader.h"

#include <pthread.h>
#include <time.h>

#include "core/clock.h"
#include "core/thread.h"

/* Events of one poll; the next poll begins at another ring. */
#define POLL_EVENTS 65536u

/* Time between two checks for room in the spool. */
#define FULL_NS 1000000u

struct reader {
	pthread_t thread;
	struct spool *spool;
	struct rtev_callbacks into_spool;

	/* The holder of `turn` may use the cursor.  The thread releases it when it waits. */
	pthread_mutex_t turn;
	pthread_cond_t wake;
	bool quit;
	bool lent;
	unsigned loans; /* counts the loans: another may come before the thread wakes up */
	struct reader_loan loan;

	pthread_mutex_t lock; /* of the wish only, which is read while a turn holds `turn` */
	bool wishes;
};

static void set_wish(struct reader *r, bool wishes)
{
	pthread_mutex_lock(&r->lock);
	r->wishes = wishes;
	pthread_mutex_unlock(&r->lock);
}

bool reader_wishes(struct reader *r)
{
	pthread_mutex_lock(&r->lock);
	bool wishes = r->wishes;
	pthread_mutex_unlock(&r->lock);
	return wishes;
}

/* ---- the thread ---- */

static void on_resume(void *ctx, unsigned domain, uint64_t ts)
{
	spool_resume(ctx, ts);
}

/* Whether a scan has found evidence that the session has not seen. */
static bool is_news(const struct rtev_scan *known, const struct rtev_scan *found)
{
	return known->release != found->release || known->version != found->version ||
	       known->from_layout != found->from_layout;
}

/* How a part of a turn ended. */
enum part {
	PART_DONE,
	PART_FULL, /* the spool has no room */
	PART_BACK, /* the session must deal with it */
};

/* Scan the rings for evidence and resumes. */
static enum part scan_rings(struct reader *r)
{
	struct reader_loan *l = &r->loan;
	struct rtev_scan scan = {.size = sizeof(scan)};
	bool anew = l->began == 0;

	if (anew)
		l->began = monotonic_now();
	do {
		if (!spool_begin(r->spool))
			return PART_FULL;
		int status = rtev_cursor_scan(l->cursor, on_resume, r->spool, &scan);
		spool_publish(r->spool, 0);
		if (status != RTEV_OK || is_news(&l->known, &scan))
			return PART_BACK;
	} while (rtev_cursor_more(l->cursor));
	if (anew)
		pace_learn(&l->pace, monotonic_now(), l->ring_words, scan.fullest_words);
	return PART_DONE;
}

static enum part poll_rings(struct reader *r)
{
	struct rtev_cursor *cursor = r->loan.cursor;
	uint64_t events;

	do {
		if (!spool_begin(r->spool))
			return PART_FULL;
		int status =
		    rtev_cursor_poll(cursor, &r->into_spool, spool_writer(r->spool), POLL_EVENTS, &events);
		spool_publish(r->spool, 0);
		if (status != RTEV_OK)
			return PART_BACK;
	} while (rtev_cursor_more(cursor) || events == POLL_EVENTS || spool_stopped(r->spool));
	spool_publish(r->spool, r->loan.began);
	r->loan.began = 0;
	return PART_DONE;
}

/* Release `turn` until a time, or until the cursor is taken back. */
static void sleep_until(struct reader *r, uint64_t ts)
{
	const struct timespec until = {
	    .tv_sec = (time_t)(ts / 1000000000u), .tv_nsec = (long)(ts % 1000000000u)};

	while (r->lent && !r->quit && pthread_cond_timedwait(&r->wake, &r->turn, &until) == 0)
		;
}

/* How long to wait before the next turn.  For a burst, turns take the place of looks. */
static uint64_t turn_wait(const struct pace *p)
{
	return p->ns < p->look_ns ? p->ns : p->look_ns;
}

/* Take a turn of reading, and wait. */
static void take_turn(struct reader *r)
{
	unsigned loan = r->loans;
	enum part part = scan_rings(r);

	if (part == PART_DONE)
		part = poll_rings(r);
	switch (part) {
	case PART_DONE:
		if (r->loan.pace.ns >= READER_BACK_NS)
			set_wish(r, true);
		sleep_until(r, monotonic_now() + turn_wait(&r->loan.pace));
		break;
	case PART_FULL:
		sleep_until(r, monotonic_now() + FULL_NS);
		break;
	case PART_BACK:
		set_wish(r, true);
		while (r->lent && r->loans == loan && !r->quit)
			pthread_cond_wait(&r->wake, &r->turn);
		break;
	}
}

static void *read_lent(void *arg)
{
	struct reader *r = arg;

	pthread_mutex_lock(&r->turn);
	while (!r->quit) {
		if (r->lent)
			take_turn(r);
		else
			pthread_cond_wait(&r->wake, &r->turn);
	}
	pthread_mutex_unlock(&r->turn);
	return NULL;
}

/* ---- the session ---- */

static void reader_free(struct reader *r)
{
	spool_destroy(r->spool);
	pthread_cond_destroy(&r->wake);
	pthread_mutex_destroy(&r->lock);
	pthread_mutex_destroy(&r->turn);
	free(r);
}

struct reader *reader_create(void)
{
	struct reader *r = calloc(1, sizeof(*r));
	pthread_condattr_t monotonic;

	if (r == NULL)
		return NULL;
	pthread_mutex_init(&r->turn, NULL);
	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&r->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	batch_callbacks(&r->into_spool);
	r->spool = spool_create();
	if (r->spool != NULL && thread_start(&r->thread, read_lent, r) == 0)
		return r;
	reader_free(r);
	return NULL;
}

void reader_destroy(struct reader *r)
{
	if (r == NULL)
		return;
	pthread_mutex_lock(&r->turn);
	r->quit = true;
	pthread_cond_signal(&r->wake);
	pthread_mutex_unlock(&r->turn);
	pthread_join(r->thread, NULL);
	reader_free(r);
}

struct spool *reader_spool(struct reader *r)
{
	return r->spool;
}

void reader_lend(struct reader *r, const struct reader_loan *loan)
{
	set_wish(r, false);
	pthread_mutex_lock(&r->turn);
	r->loan = *loan;
	/* The timer on the target's clock stays the session's. */
	r->loan.pace.timed = false;
	r->loan.pace.target = PACE_UNKNOWN;
	r->lent = true;
	r->loans++;
	pthread_cond_signal(&r->wake);
	pthread_mutex_unlock(&r->turn);
}

void reader_take_back(struct reader *r, struct pace *pace, uint64_t *began)
{
	pthread_mutex_lock(&r->turn);
	r->lent = false;
	pthread_cond_signal(&r->wake);
	pace->ns = r->loan.pace.ns;
	pace->turn_ts = r->loan.pace.turn_ts;
	*began = r->loan.began;
	pthread_mutex_unlock(&r->turn);
}

void reader_unread(struct reader *r, uint64_t *unread, unsigned count)
{
	pthread_mutex_lock(&r->turn);
	for (unsigned d = 0; d < count; d++)
		rtev_cursor_lag(r->loan.cursor, d, &unread[d], NULL, NULL);
	pthread_mutex_unlock(&r->turn);
}
