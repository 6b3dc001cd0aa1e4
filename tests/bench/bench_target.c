/*
 * bench_target.c - a program that records at a given rate, to be observed; no OCaml, no demo's workload,
 * little of its own.
 *
 *     bench_target DIR DOMAINS EVENTS_PER_S SECONDS [NAMES [BURST_MS IDLE_MS [spin]]]
 *
 * Prints "PID PATH", records until SECONDS are over or its standard input ends, and prints "events N ns X":
 * how many it recorded, and the time that one took, by the median of its batches.  The rate is that of all
 * domains together, 0: as fast as can be.  Each domain records minor collections as OCaml 5.3 does; with
 * NAMES, spans of so many user events, in turn.  With BURST_MS it records for that long, sleeps for IDLE_MS,
 * or spins, and so on.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "rtev/producer.h"

#define DOMAINS_MAX 64
#define NAMES_MAX 8192
#define BATCH 64 /* events between two looks at the clock */
#define TOOK_MAX 8192
#define IDLE_SLICE_NS 1000000000u

struct load {
	struct rtev_producer *producer;
	unsigned domains, names;
	double rate; /* of one domain, events a nanosecond */
	uint64_t seconds_ns, burst_ns, idle_ns;
	bool spin; /* between two bursts */
	const struct rtev_user *users[NAMES_MAX];
	atomic_bool stop;
};

struct worker {
	struct load *load;
	struct rtev_domain *domain;
	pthread_t thread;
	uint64_t events;
	unsigned next;
	uint32_t took[TOOK_MAX]; /* batches, by their ns */
};

static void sleep_ns(uint64_t ns)
{
	nanosleep(
	    &(struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)},
	    NULL);
}

/* Record a minor collection: 16 events. */
static void minor(struct rtev_domain *d)
{
	static const rtev_phase inside[] = {RTEV_PHASE_MINOR_REMEMBERED_SET, RTEV_PHASE_MINOR_FINALIZED,
	    RTEV_PHASE_MINOR_FINALIZERS_ADMIN, RTEV_PHASE_MINOR_LOCAL_ROOTS, RTEV_PHASE_MINOR_MEMPROF_CLEAN};

	rtev_domain_begin(d, RTEV_PHASE_STW_LEADER);
	rtev_domain_begin(d, RTEV_PHASE_MINOR);
	for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++) {
		rtev_domain_begin(d, inside[i]);
		rtev_domain_end(d, inside[i]);
	}
	rtev_domain_counter(d, RTEV_COUNTER_MINOR_PROMOTED, 1000);
	rtev_domain_counter(d, RTEV_COUNTER_MINOR_ALLOCATED, 200000);
	rtev_domain_end(d, RTEV_PHASE_MINOR);
	rtev_domain_end(d, RTEV_PHASE_STW_LEADER);
}

/* Record a batch, at `now`. */
static void batch(struct worker *w, uint64_t now)
{
	const struct load *l = w->load;

	for (unsigned i = 0; l->names == 0 && i < BATCH / 16; i++)
		minor(w->domain);
	for (unsigned i = 0; l->names != 0 && i < BATCH / 2; i++) {
		const struct rtev_user *user = l->users[w->next];
		rtev_domain_user_begin(w->domain, user);
		rtev_domain_user_end(w->domain, user);
		w->next = w->next + 1 < l->names ? w->next + 1 : 0;
	}
	w->events += BATCH;
	uint64_t took = bench_now() - now;
	w->took[took < TOOK_MAX ? took : TOOK_MAX - 1]++;
}

/* The time that an event took, by the median of all batches. */
static double event_ns(const struct worker *workers, unsigned count)
{
	uint64_t all = 0, seen = 0;

	for (unsigned i = 0; i < count; i++)
		all += workers[i].events / BATCH;
	for (unsigned ns = 0; ns < TOOK_MAX; ns++) {
		for (unsigned i = 0; i < count; i++)
			seen += workers[i].took[ns];
		if (seen * 2 >= all)
			return (double)ns / BATCH;
	}
	return 0;
}

/* Pass the time between two bursts, which ends early when told to stop. */
static void pass(struct load *l, uint64_t now)
{
	uint64_t end = now + l->idle_ns;

	for (; now < end && !atomic_load_explicit(&l->stop, memory_order_relaxed); now = bench_now())
		if (!l->spin)
			sleep_ns(end - now < IDLE_SLICE_NS ? end - now : IDLE_SLICE_NS);
}

/* Record until told to stop. */
static void work(struct worker *w)
{
	struct load *l = w->load;
	uint64_t begin = bench_now(), base = 0, burst_end = begin + l->burst_ns;

	while (!atomic_load_explicit(&l->stop, memory_order_relaxed)) {
		uint64_t now = bench_now();
		if (l->burst_ns != 0 && now >= burst_end) {
			pass(l, now);
			begin = bench_now();
			base = w->events;
			burst_end = begin + l->burst_ns;
		} else if (l->rate == 0) {
			batch(w, now);
		} else if ((double)(w->events - base) < l->rate * (double)(now - begin)) {
			/* After it was kept from running it does not catch up with more than it would be
			 * asked for. */
			if ((double)(w->events - base) + 4096 < l->rate * (double)(now - begin)) {
				begin = now;
				base = w->events;
			}
			batch(w, now);
		} else if (l->rate < 0.0005) {
			sleep_ns(BATCH * 500000 / (uint64_t)(l->rate * 1e6));
		}
	}
}

static void *run(void *arg)
{
	struct worker *w = arg;

	if (rtev_producer_attach(w->load->producer, &w->domain) != RTEV_OK)
		bench_fail("attach");
	work(w);
	rtev_domain_detach(w->domain);
	return NULL;
}

/* Register the user events. */
static void register_names(struct load *l)
{
	char name[32];

	for (unsigned i = 0; i < l->names; i++) {
		int length = snprintf(name, sizeof(name), "app.request.%u", i);
		if (rtev_user_register(l->producer, name, (size_t)length, RTEV_USER_SPAN, NULL, NULL,
			&l->users[i]) != RTEV_OK)
			bench_fail("registering");
	}
}

int main(int argc, char **argv)
{
	static struct load l;
	static struct worker workers[DOMAINS_MAX];
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	char path[4096];
	uint64_t events = 0;

	if (argc < 5)
		bench_fail("usage: bench_target DIR DOMAINS EVENTS_PER_S SECONDS [NAMES [BURST_MS IDLE_MS "
			   "[spin]]]:");
	const struct rtev_producer_options options = {.size = sizeof(options), .dir = argv[1]};
	l.domains = (unsigned)atoi(argv[2]);
	if (l.domains == 0 || l.domains > DOMAINS_MAX)
		bench_fail("domains");
	l.rate = atof(argv[3]) / l.domains / 1e9;
	l.seconds_ns = (uint64_t)(atof(argv[4]) * 1e9);
	l.names = argc > 5 ? (unsigned)atoi(argv[5]) : 0;
	l.burst_ns = argc > 7 ? (uint64_t)atoi(argv[6]) * 1000000u : 0;
	l.idle_ns = argc > 7 ? (uint64_t)atoi(argv[7]) * 1000000u : 0;
	l.spin = argc > 8 && strcmp(argv[8], "spin") == 0;
	if (l.names > NAMES_MAX || rtev_producer_create(&l.producer, &options) != RTEV_OK)
		bench_fail("create");
	register_names(&l);
	struct rtev_domain *first = rtev_producer_main(l.producer);
	if (rtev_producer_start(l.producer, first) != RTEV_OK)
		bench_fail("start");
	rtev_producer_path(l.producer, path, sizeof(path));
	printf("%ld %s\n", (long)getpid(), path);
	fflush(stdout);
	for (unsigned i = 0; i < l.domains; i++) {
		workers[i].load = &l;
		if (pthread_create(&workers[i].thread, NULL, run, &workers[i]) != 0)
			bench_fail("thread");
	}
	poll(&in, 1, (int)(l.seconds_ns / 1000000u));
	atomic_store(&l.stop, true);
	for (unsigned i = 0; i < l.domains; i++) {
		pthread_join(workers[i].thread, NULL);
		events += workers[i].events;
	}
	rtev_producer_stop(l.producer, first);
	rtev_producer_destroy(l.producer);
	printf("events %llu ns %.3f\n", (unsigned long long)events, event_ns(workers, l.domains));
	return 0;
}
