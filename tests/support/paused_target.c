/*
 * paused_target.c - a target that has paused its events, as far as its memory tells: it carries the two
 * variables of an OCaml runtime.
 *
 *     paused_target DIR      prints its pid; at a line on standard input it resumes, at the next it ends
 *     paused_target DIR MS   records a collection of so many ms, pauses, says so, and ends at a line
 */
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "rtev/producer.h"
#include "support/runtime_variables.h"
#include "support/test.h"

int main(int argc, char **argv)
{
	CHECK(argc == 2 || argc == 3);
	const struct rtev_producer_options options = {
	    .size = sizeof(options), .dir = argv[1], .exponent = 10, .domains = 1};
	struct rtev_producer *producer;

	runtime_events_enabled = 1;
	runtime_events_paused = 1;
	/* Whoever is started beside us may look, also where only parents may. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	CHECK_INT(rtev_producer_create(&producer, &options), RTEV_OK);
	CHECK_INT(rtev_producer_start(producer, rtev_producer_main(producer)), RTEV_OK);
	struct rtev_domain *domain = rtev_producer_main(producer);
	if (argc == 3) {
		runtime_events_paused = 0;
		rtev_domain_begin(domain, RTEV_PHASE_MINOR);
		usleep((useconds_t)atoi(argv[2]) * 1000);
		rtev_domain_end(domain, RTEV_PHASE_MINOR);
		runtime_events_paused = 1;
	}
	printf("%ld\n", (long)getpid());
	fflush(stdout);
	getchar();
	if (argc == 3) {
		rtev_producer_destroy(producer);
		return 0;
	}
	runtime_events_paused = 0;
	printf("resumed\n");
	fflush(stdout);
	getchar();
	rtev_producer_destroy(producer);
	return 0;
}
