/*
 * bench_producer.c - what recording costs: each kind of event beside a bare loop of clock_gettime, which
 * every event with a stamp of its own contains.  "beyond the clock" is the difference of the two medians.
 *
 * The loops alternate, round by round, so that a change of the machine's speed hits all of them alike, and
 * what is measured is the thread's own processor time, so that other programs matter less.
 */
#include <unistd.h>

#include "bench.h"
#include "rtev/producer.h"

#define ROUNDS 31
#define EVENTS 1000000u

static struct rtev_producer *producer;
static struct rtev_domain *domain;
static const struct rtev_user *user_span, *user_int, *user_custom;
static volatile uint64_t sink;

/* Nanoseconds of processor time that this thread has used. */
static uint64_t cpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* A payload of 32 bytes. */
static size_t serialise(void *ctx, const void *value, unsigned char out[RTEV_CUSTOM_BYTES_MAX])
{
	(void)ctx;
	memcpy(out, value, 32);
	return 32;
}

/* The baseline: read the clock. */
static void run_clock(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < EVENTS; i++)
		sum += bench_now();
	sink = sum;
}

/* Begins and ends in turn. */
static void run_phases(void)
{
	for (unsigned i = 0; i < EVENTS / 2; i++) {
		rtev_domain_begin(domain, RTEV_PHASE_MINOR);
		rtev_domain_end(domain, RTEV_PHASE_MINOR);
	}
}

static void run_counter(void)
{
	for (unsigned i = 0; i < EVENTS; i++)
		rtev_domain_counter(domain, RTEV_COUNTER_MINOR_PROMOTED, i);
}

static void run_span(void)
{
	for (unsigned i = 0; i < EVENTS / 2; i++) {
		rtev_domain_user_begin(domain, user_span);
		rtev_domain_user_end(domain, user_span);
	}
}

static void run_int(void)
{
	for (unsigned i = 0; i < EVENTS; i++)
		rtev_domain_user_int(domain, user_int, i);
}

static void run_custom(void)
{
	static const char text[32] = "GET /index.html 200 in 312 us";

	for (unsigned i = 0; i < EVENTS; i++)
		rtev_domain_user_custom(domain, user_custom, text);
}

/* Sizes as a program's: small ones in any order. */
static void run_alloc(void)
{
	for (unsigned i = 0; i < EVENTS; i++)
		rtev_domain_alloc(domain, (i * 2654435761u) >> 27, 1);
}

static const struct {
	const char *name;
	void (*run)(void);
	bool stamped; /* contains a reading of the clock */
} loops[] = {
    {"clock_gettime", run_clock, false},
    {"begin/end", run_phases, true},
    {"counter", run_counter, true},
    {"user span", run_span, true},
    {"user int", run_int, true},
    {"user custom 32 B", run_custom, true},
    {"alloc bucket", run_alloc, false},
};
enum { LOOPS = sizeof(loops) / sizeof(loops[0]) };

/* Time every loop, and print a line for each. */
static void measure(const char *state, bool clock_too)
{
	static double ns[LOOPS][ROUNDS];
	double median[LOOPS];

	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < LOOPS; i++) {
			uint64_t start = cpu_now();
			loops[i].run();
			ns[i][round] = (double)(cpu_now() - start) / EVENTS;
		}
	for (int i = 0; i < LOOPS; i++) {
		median[i] = bench_median(ns[i], ROUNDS);
		bench_line(loops[i].name, state, median[i], median[0]);
		if (loops[i].stamped && clock_too)
			printf("%-20s %-16s %9.2f ns/op\n", loops[i].name, "beyond the clock",
			    median[i] - median[0]);
	}
}

/* Record, then record nothing. */
int main(void)
{
	char dir[] = "/tmp/rtev-bench-XXXXXX";
	const struct rtev_producer_options options = {.size = sizeof(options), .dir = dir};

	if (mkdtemp(dir) == NULL || rtev_producer_create(&producer, &options) != RTEV_OK)
		bench_fail("create");
	domain = rtev_producer_main(producer);
	if (rtev_user_register(producer, "bench.span", 10, RTEV_USER_SPAN, NULL, NULL, &user_span) !=
		RTEV_OK ||
	    rtev_user_register(producer, "bench.int", 9, RTEV_USER_INT, NULL, NULL, &user_int) != RTEV_OK ||
	    rtev_user_register(
		producer, "bench.custom", 12, RTEV_USER_CUSTOM, serialise, NULL, &user_custom) != RTEV_OK)
		bench_fail("register");
	if (rtev_producer_start(producer, domain) != RTEV_OK)
		bench_fail("start");
	measure("recording", true);
	rtev_producer_pause(producer, domain);
	measure("paused", false);
	rtev_producer_destroy(producer);
	return rmdir(dir) != 0;
}
