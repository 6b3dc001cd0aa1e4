/*
 * faces_target.c - a made-up program of two domains that does what it is told, for the test that holds all faces
 * against each other.
 *
 *     faces_target DIR       prints its pid; does what each line on standard input says, and prints the line
 *
 *     busy      forty minor collections of both domains, of a millisecond, each fifth with the end of a major cycle; around
 *               each a turn of Eio's loop on the first domain, with a fiber that ends or, each fifth, waits
 *     pause     pause the events, as OCaml does: its variables tell, no event does
 *     resume    go on with the events
 *     lose      more events at once than a ring holds
 *     end       end the second domain
 *     mark      a user event "mark"
 *     EOF       end
 */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "rtev/producer.h"
#include "support/runtime_variables.h"
#include "support/test.h"

#define OK(call) CHECK_INT(call, RTEV_OK)

static struct rtev_producer *producer;
static struct rtev_domain *domains[2];

/* The levels of a domain's heap at the end of a cycle. */
static void heap(struct rtev_domain *d, int64_t pools)
{
	OK(rtev_domain_counter(d, RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS, pools));
	OK(rtev_domain_counter(d, RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_WORDS, pools / 2));
	OK(rtev_domain_counter(d, RTEV_COUNTER_MAJOR_HEAP_LARGE_WORDS, pools / 4));
	OK(rtev_domain_counter(d, RTEV_COUNTER_MAJOR_HEAP_POOL_FRAG_WORDS, pools / 8));
	OK(rtev_domain_counter(d, RTEV_COUNTER_MAJOR_HEAP_WORDS, pools + pools / 4));
}

/* A collection of all domains, with the end of a major cycle. */
static void collect(bool cycle)
{
	for (unsigned i = 0; i < 2; i++)
		OK(rtev_domain_begin(domains[i], i == 0 ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER));
	for (unsigned i = 0; i < 2; i++)
		OK(rtev_domain_begin(domains[i], RTEV_PHASE_MINOR));
	usleep(1000);
	for (unsigned i = 0; i < 2; i++) {
		OK(rtev_domain_counter(domains[i], RTEV_COUNTER_MINOR_PROMOTED, 10000 + i));
		OK(rtev_domain_counter(domains[i], RTEV_COUNTER_MINOR_ALLOCATED, 200000 + i));
		OK(rtev_domain_end(domains[i], RTEV_PHASE_MINOR));
	}
	for (unsigned i = 0; i < 2 && cycle; i++) {
		OK(rtev_domain_begin(domains[i], RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS));
		heap(domains[i], 100000 + 1000 * i);
		OK(rtev_domain_end(domains[i], RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS));
	}
	for (unsigned i = 0; i < 2; i++)
		OK(rtev_domain_end(domains[i], i == 0 ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER));
	usleep(10000);
}

/* Eio's events. */
static const struct rtev_user *mark, *create_fiber, *create_cc, *fiber, *suspend_fiber, *exit_fiber,
    *suspend_domain;

/* The value of a custom event is its payload, as bytes after their number. */
static size_t payload(void *ctx, const void *value, unsigned char out[RTEV_CUSTOM_BYTES_MAX])
{
	const uint8_t *bytes = value;

	memcpy(out, bytes + 1, bytes[0]);
	return bytes[0];
}

static void register_all(void)
{
	static const struct {
		const char *name;
		enum rtev_user_type type;
		const struct rtev_user **out;
	} events[] = {{"mark", RTEV_USER_UNIT, &mark}, {"eio.create_fiber", RTEV_USER_CUSTOM, &create_fiber},
	    {"eio.create_cc", RTEV_USER_CUSTOM, &create_cc}, {"eio.fiber", RTEV_USER_INT, &fiber},
	    {"eio.suspend_fiber", RTEV_USER_CUSTOM, &suspend_fiber},
	    {"eio.exit_fiber", RTEV_USER_INT, &exit_fiber},
	    {"eio.suspend_domain", RTEV_USER_SPAN, &suspend_domain}};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		OK(rtev_user_register(producer, events[i].name, strlen(events[i].name), events[i].type,
		    events[i].type == RTEV_USER_CUSTOM ? payload : NULL, NULL, events[i].out));
}

/* A turn of the loop with a collection in it: fiber `id` is made in context 1 and runs, and ends or waits. */
static void turn(uint8_t id, bool last)
{
	const uint8_t cc[] = {9, 1, 0, 0, 0, 0, 0, 0, 0, 6};
	const uint8_t made[] = {16, id, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
	const uint8_t waits[] = {5, 's', 'l', 'e', 'e', 'p'};

	if (id == 2) /* of the first turn: a root */
		OK(rtev_domain_user_custom(domains[0], create_cc, cc));
	OK(rtev_domain_user_end(domains[0], suspend_domain));
	OK(rtev_domain_user_custom(domains[0], create_fiber, made));
	OK(rtev_domain_user_int(domains[0], fiber, id));
	collect(last);
	OK(last ? rtev_domain_user_custom(domains[0], suspend_fiber, waits)
		: rtev_domain_user_int(domains[0], exit_fiber, id));
	OK(rtev_domain_user_begin(domains[0], suspend_domain));
}

/* Do what a line says. */
static void act(const char *line)
{
	if (strcmp(line, "busy") == 0) {
		for (unsigned i = 0; i < 40; i++)
			turn((uint8_t)(i + 2), i % 5 == 4);
	} else if (strcmp(line, "lose") == 0) {
		for (unsigned i = 0; i < 20000; i++)
			OK(rtev_domain_counter(domains[0], RTEV_COUNTER_REQUEST_MAJOR_ALLOC_SHR, 1));
	} else if (strcmp(line, "pause") == 0) {
		runtime_events_paused = 1;
	} else if (strcmp(line, "resume") == 0) {
		runtime_events_paused = 0;
		OK(rtev_domain_lifecycle(domains[0], RTEV_LIFECYCLE_RING_RESUME, 0));
	} else if (strcmp(line, "end") == 0) {
		rtev_domain_detach(domains[1]);
	} else {
		CHECK(strcmp(line, "mark") == 0);
		OK(rtev_domain_user_unit(domains[0], mark));
	}
	printf("%s\n", line);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const struct rtev_producer_options options = {
	    .size = sizeof(options), .dir = argv[1], .exponent = 12, .domains = 4};
	char line[16];

	CHECK_INT(argc, 2);
	runtime_events_enabled = 1;
	/* Whoever is started beside us may look, also where only parents may. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	OK(rtev_producer_create(&producer, &options));
	domains[0] = rtev_producer_main(producer);
	OK(rtev_producer_start(producer, domains[0]));
	OK(rtev_producer_attach(producer, &domains[1]));
	register_all();
	for (unsigned i = 0; i < 2; i++)
		heap(domains[i], 300000 + i * 1000);
	printf("%ld\n", (long)getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		act(line);
	}
	rtev_producer_destroy(producer);
	return 0;
}
