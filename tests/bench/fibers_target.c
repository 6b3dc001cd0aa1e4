/*
 * fibers_target.c - a program that writes what Eio writes of many fibers, to be observed; no OCaml.
 *
 *     fibers_target DIR FIBERS SWITCHES_PER_S SECONDS
 *
 * Prints "PID PATH".  Its server has clients of a hundred fibers each, which wait for promises, for a lock that one of
 * them holds, for a stream, or sleep.  Each turn of the loop wakes some of them; one of them runs 80 ms every 5 s, and every
 * second a client fails.  It ends with its standard input, or after SECONDS.
 */
#include <poll.h>
#include <unistd.h>

#include "bench.h"
#include "rtev/producer.h"

#define CLIENT 100
#define TURN_NS 2000000u
#define LONG_NS 80000000u
#define LONG_EVERY_NS UINT64_C(5000000000)
#define FAIL_EVERY_NS UINT64_C(1000000000)
#define ROOT 1
#define SERVER 2
#define LOCK 3
#define FIRST 16 /* id of the first fiber, or client */

enum { MADE, CONTEXT, OBJECT, NAMED, RUNS, SUSPENDS, WANTS, GETS, FAILS, SPAN, SPAN_ENDS, IDLE, EVENTS };

/* A payload: up to two ids, a byte of a kind if it is not 0, and text. */
struct payload {
	uint64_t ids[2];
	unsigned count;
	unsigned char kind;
	const char *text;
};

static size_t serialise(void *ctx, const void *value, unsigned char out[RTEV_CUSTOM_BYTES_MAX])
{
	const struct payload *p = value;
	size_t len = 0;

	for (; len < (size_t)8 * p->count; len++)
		out[len] = (unsigned char)(p->ids[len / 8] >> len % 8 * 8);
	if (p->kind != 0)
		out[len++] = p->kind;
	for (const char *c = p->text; c != NULL && *c != '\0'; c++)
		out[len++] = (unsigned char)*c;
	return len;
}

static const struct {
	const char *name;
	enum rtev_user_type type;
} events[EVENTS] = {[MADE] = {"eio.create_fiber", RTEV_USER_CUSTOM},
    [CONTEXT] = {"eio.create_cc", RTEV_USER_CUSTOM},
    [OBJECT] = {"eio.create_obj", RTEV_USER_CUSTOM},
    [NAMED] = {"eio.name", RTEV_USER_CUSTOM},
    [RUNS] = {"eio.fiber", RTEV_USER_INT},
    [SUSPENDS] = {"eio.suspend_fiber", RTEV_USER_CUSTOM},
    [WANTS] = {"eio.try_get", RTEV_USER_INT},
    [GETS] = {"eio.get", RTEV_USER_INT},
    [FAILS] = {"eio.error", RTEV_USER_CUSTOM},
    [SPAN] = {"eio.enter_span", RTEV_USER_CUSTOM},
    [SPAN_ENDS] = {"eio.exit_span", RTEV_USER_UNIT},
    [IDLE] = {"eio.suspend_domain", RTEV_USER_SPAN}};

static const struct rtev_user *users[EVENTS];
static struct rtev_domain *d;

static void custom(unsigned event, struct payload payload)
{
	rtev_domain_user_custom(d, users[event], &payload);
}

static void runs(uint64_t fiber)
{
	rtev_domain_user_int(d, users[RUNS], (int64_t)fiber);
}

/* The running fiber waits, in one of several ways. */
static void waits(uint64_t fiber)
{
	static const char *const operations[] = {"Promise.await", "Mutex.lock", "Stream.take", "sleep"};
	const unsigned way = fiber % 16 == 0 ? 1 : fiber % 5 == 0 ? 3 : fiber % 7 == 0 ? 2 : 0;

	if (way == 1 && fiber != FIRST)
		rtev_domain_user_int(d, users[WANTS], LOCK);
	custom(SUSPENDS, (struct payload){.text = operations[fiber == FIRST ? 3 : way]});
}

static void idle(bool begin)
{
	if (begin)
		rtev_domain_user_begin(d, users[IDLE]);
	else
		rtev_domain_user_end(d, users[IDLE]);
}

static void context(uint64_t id, unsigned char kind, const char *name)
{
	custom(CONTEXT, (struct payload){.ids = {id}, .count = 1, .kind = kind});
	custom(NAMED, (struct payload){.ids = {id}, .count = 1, .text = name});
}

/* The id of a fiber; that of its client comes before those of its fibers. */
static uint64_t fiber_id(uint64_t n)
{
	return FIRST + n / CLIENT * (CLIENT + 1) + 1 + n % CLIENT;
}

static void begin(uint64_t fibers)
{
	idle(false);
	context(ROOT, 6, "main");
	custom(OBJECT, (struct payload){.ids = {LOCK}, .count = 1, .kind = 19});
	custom(NAMED, (struct payload){.ids = {LOCK}, .count = 1, .text = "accounts"});
	for (uint64_t n = 0; n < fibers; n++) {
		const uint64_t id = fiber_id(n), client = id - 1 - n % CLIENT;
		custom(MADE, (struct payload){.ids = {id, n == 0	    ? ROOT
							  : n % CLIENT == 0 ? SERVER
									    : client},
				 .count = 2});
		runs(id);
		if (n == 0)
			context(SERVER, 3, "server");
		if (n % CLIENT == 0)
			context(client, 3, n / CLIENT % 3 == 0 ? "report" : "client");
		if (n == 0)
			rtev_domain_user_int(d, users[GETS], LOCK);
		waits(id);
		/* Who reads must keep up. */
		if (n % 1000 == 999) {
			idle(true);
			usleep(5000);
			idle(false);
		}
	}
	idle(true);
}

static void spin(uint64_t until)
{
	while (bench_now() < until)
		;
}

int main(int argc, char **argv)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	struct rtev_producer *producer;
	char path[4096];
	uint64_t seed = 1;

	if (argc < 5)
		bench_fail("usage: fibers_target DIR FIBERS SWITCHES_PER_S SECONDS:");
	const struct rtev_producer_options options = {
	    .size = sizeof(options), .dir = argv[1], .exponent = 20, .domains = 4};
	const uint64_t fibers = (uint64_t)atoll(argv[2]);
	const double rate = atof(argv[3]) / 1e9;
	if (fibers == 0 || rtev_producer_create(&producer, &options) != RTEV_OK)
		bench_fail("create");
	for (unsigned i = 0; i < EVENTS; i++)
		if (rtev_user_register(producer, events[i].name, strlen(events[i].name), events[i].type,
			events[i].type == RTEV_USER_CUSTOM ? serialise : NULL, NULL, &users[i]) != RTEV_OK)
			bench_fail("registering");
	d = rtev_producer_main(producer);
	if (rtev_producer_start(producer, d) != RTEV_OK)
		bench_fail("start");
	rtev_producer_path(producer, path, sizeof(path));
	printf("%ld %s\n", (long)getpid(), path);
	fflush(stdout);
	/* Time to attach. */
	idle(true);
	poll(&in, 1, 2000);
	begin(fibers);
	const uint64_t start = bench_now(), end = start + (uint64_t)(atof(argv[4]) * 1e9);
	uint64_t next_long = start + LONG_EVERY_NS, next_fail = start + FAIL_EVERY_NS, switches = 0;
	for (uint64_t now = start; now < end; now = bench_now()) {
		idle(false);
		while ((double)switches < rate * (double)(now - start)) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			const uint64_t n = (seed >> 33) % fibers, id = fiber_id(n);
			const bool slow = now >= next_long;
			switches++;
			runs(id);
			if (slow) {
				custom(SPAN, (struct payload){.text = "report"});
				waits(id);
				runs(id);
				spin(now + LONG_NS);
				rtev_domain_user_unit(d, users[SPAN_ENDS]);
				next_long += LONG_EVERY_NS;
			}
			if (now >= next_fail) {
				custom(FAILS, (struct payload){.ids = {id - 1 - n % CLIENT},
						  .count = 1,
						  .text = "Failure(\"connection reset\")"});
				next_fail += FAIL_EVERY_NS;
			}
			waits(id);
		}
		idle(true);
		if (poll(&in, 1, (int)(TURN_NS / 1000000u)) > 0)
			break;
	}
	rtev_producer_stop(producer, d);
	rtev_producer_destroy(producer);
	return 0;
}
