/*
 * paused_target.c - a target that has paused its events, as far as its memory tells: it carries the two variables of an OCaml
 * runtime, made in assembly so that no sanitizer changes their size.
 *
 *     paused_target DIR      prints its pid; at a line on standard input it resumes, at the next it ends
 */
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "rtev/producer.h"
#include "test.h"

__asm__(".pushsection .data\n"
	".balign 8\n"
	".type runtime_events_enabled, %object\n"
	".size runtime_events_enabled, 8\n"
	"runtime_events_enabled: .quad 1\n"
	".type runtime_events_paused, %object\n"
	".size runtime_events_paused, 8\n"
	"runtime_events_paused: .quad 1\n"
	".popsection\n");
extern volatile uint64_t runtime_events_paused __attribute__((visibility("hidden")));

int main(int argc, char **argv)
{
	CHECK_INT(argc, 2);
	const struct rtev_producer_options options = {
	    .size = sizeof(options), .dir = argv[1], .exponent = 10, .domains = 1};
	struct rtev_producer *producer;

	/* Whoever is started beside us may look, also where only parents may. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	CHECK_INT(rtev_producer_create(&producer, &options), RTEV_OK);
	CHECK_INT(rtev_producer_start(producer, rtev_producer_main(producer)), RTEV_OK);
	printf("%ld\n", (long)getpid());
	fflush(stdout);
	getchar();
	runtime_events_paused = 0;
	printf("resumed\n");
	fflush(stdout);
	getchar();
	rtev_producer_destroy(producer);
	return 0;
}
