/*
 * bench_fibers.c - what following 100,000 fibers costs: ns an event more than the same words as user events of no
 * scheduler, bytes a fiber, and what a report, a list and a judgement of all of them take.
 *
 *     bench_fibers [DIR NAMES SWITCHES]
 *
 * With arguments it is a program to be observed instead: it prints its pid, and until its standard input ends its fibers
 * switch so often a second, under the names "eio" or any other ones.
 */
#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include "bench.h"
#include "fibers/schedulers.h"
#include "rtev/producer.h"

#define FIBERS 100000u
#define ROUNDS 9
#define STEP 200u /* ns between events */

enum { MADE, CONTEXT, NAMED, RUNS, SUSPENDS, ENDS, IDLE, EVENTS };

static const struct {
	const char *name;
	enum rtev_user_type type;
} events[EVENTS] = {
    [MADE] = {"create_fiber", RTEV_USER_CUSTOM},
    [CONTEXT] = {"create_cc", RTEV_USER_CUSTOM},
    [NAMED] = {"name", RTEV_USER_CUSTOM},
    [RUNS] = {"fiber", RTEV_USER_INT},
    [SUSPENDS] = {"suspend_fiber", RTEV_USER_CUSTOM},
    [ENDS] = {"exit_fiber", RTEV_USER_INT},
    [IDLE] = {"suspend_domain", RTEV_USER_SPAN},
};

/* Where events go: to a model, or to a ring. */
struct world {
	struct model *model;
	struct schedulers *schedulers;
	struct rtev_callbacks calls;
	struct rtev_user_event ids[EVENTS];
	struct rtev_domain *domain;
	const struct rtev_user *users[EVENTS];
	uint64_t ts, written, next, oldest;
};

struct payload {
	uint8_t bytes[24];
	size_t len;
};

static size_t serialise(void *ctx, const void *value, unsigned char buffer[RTEV_CUSTOM_BYTES_MAX])
{
	const struct payload *payload = value;

	memcpy(buffer, payload->bytes, payload->len);
	return payload->len;
}

static void put(struct world *w, unsigned event, uint64_t value, const struct payload *payload, bool begin)
{
	w->ts += STEP;
	w->written++;
	if (w->domain != NULL && events[event].type == RTEV_USER_INT)
		rtev_domain_user_int(w->domain, w->users[event], (int64_t)value);
	else if (w->domain != NULL && events[event].type == RTEV_USER_CUSTOM)
		rtev_domain_user_custom(w->domain, w->users[event], payload);
	else if (w->domain != NULL && begin)
		rtev_domain_user_begin(w->domain, w->users[event]);
	else if (w->domain != NULL)
		rtev_domain_user_end(w->domain, w->users[event]);
	else if (events[event].type == RTEV_USER_INT)
		w->calls.user_int(w->model, 0, w->ts, &w->ids[event], (int64_t)value);
	else if (events[event].type == RTEV_USER_CUSTOM)
		w->calls.user_custom(w->model, 0, w->ts, &w->ids[event], payload->bytes, payload->len);
	else
		w->calls.user_span(w->model, 0, w->ts, &w->ids[event], begin);
}

static struct payload pair(uint64_t id, uint64_t other, size_t len)
{
	struct payload p = {.len = len};

	for (unsigned i = 0; i < 8; i++) {
		p.bytes[i] = (uint8_t)(id >> 8 * i);
		p.bytes[8 + i] = (uint8_t)(other >> 8 * i);
	}
	return p;
}

static void suspend(struct world *w)
{
	static const struct payload sleep = {"sleep", 5};

	put(w, SUSPENDS, 0, &sleep, false);
	if (w->written % 16 == 0) {
		put(w, IDLE, 0, NULL, true);
		put(w, IDLE, 0, NULL, false);
	}
}

/* A fiber is made, runs and waits. */
static void make(struct world *w)
{
	const struct payload p = pair(w->next, 1, 16);

	put(w, MADE, 0, &p, false);
	put(w, RUNS, w->next++, NULL, false);
	suspend(w);
}

/* The one that has waited longest ends, and another one is made. */
static void replace(struct world *w)
{
	put(w, RUNS, w->oldest, NULL, false);
	put(w, ENDS, w->oldest++, NULL, false);
	make(w);
}

/* Any of them runs and waits again. */
static void change(struct world *w)
{
	put(w, RUNS, w->oldest + (w->written * 7919) % (w->next - w->oldest), NULL, false);
	suspend(w);
}

/* The root context, with a name. */
static void begin(struct world *w)
{
	struct payload context = pair(1, 6, 9), name = pair(1, 0, 14);

	memcpy(name.bytes + 8, "server", 6);
	w->next = w->oldest = 2;
	put(w, CONTEXT, 0, &context, false);
	put(w, NAMED, 0, &name, false);
}

static struct world *world_make(const char *scheduler)
{
	struct world *w = calloc(1, sizeof(*w));

	if (w == NULL || (w->model = model_create(NULL)) == NULL ||
	    (w->schedulers = schedulers_create(w->model)) == NULL)
		bench_fail("a model");
	model_callbacks(&w->calls);
	for (unsigned i = 0; i < EVENTS; i++) {
		w->ids[i] = (struct rtev_user_event){.id = (uint16_t)i, .generation = 1};
		w->ids[i].name_len = (uint16_t)snprintf(
		    w->ids[i].name, sizeof(w->ids[i].name), "%s.%s", scheduler, events[i].name);
	}
	w->ts = 1000000000;
	begin(w);
	return w;
}

/* Nanoseconds an event of 100,000 steps. */
static double time_of(struct world *w, void (*step)(struct world *w))
{
	uint64_t before = w->written;
	double cpu = bench_cpu();

	for (unsigned i = 0; i < FIBERS; i++)
		step(w);
	return (bench_cpu() - cpu) / (double)(w->written - before);
}

static size_t allocated(void)
{
	const struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* The same steps as events of a scheduler and as others, in turns. */
static void compare(
    struct world *fibers, struct world *plain, const char *name, void (*step)(struct world *w))
{
	double with[ROUNDS], without[ROUNDS];

	for (unsigned i = 0; i < ROUNDS; i++) {
		without[i] = time_of(plain, step);
		with[i] = time_of(fibers, step);
	}
	double base = bench_median(without, ROUNDS), ns = bench_median(with, ROUNDS);
	bench_line(name, "plain", base, base);
	bench_line(name, "fibers", ns, base);
	printf("%-20s %-16s %9.2f ns/op\n", name, "more", ns - base);
}

static void measure(void)
{
	static const char *scheduler;
	struct world *plain = world_make("app");
	size_t before = allocated();
	struct world *w = world_make("eio");
	double base = time_of(plain, make), ns = time_of(w, make);

	bench_line("made", "plain", base, base);
	bench_line("made", "fibers", ns, base);
	printf("%-20s %-16s %9.2f ns/op\n", "made", "more", ns - base);
	printf("%-20s %-16s %9.2f bytes\n", "memory", "a fiber", (double)(allocated() - before) / FIBERS);
	compare(w, plain, "switched", change);
	compare(w, plain, "ended and made", replace);
	struct fibers *f = schedulers_first(w->schedulers, &scheduler);
	double report_ns[ROUNDS], list_ns[ROUNDS], trouble_ns[ROUNDS];
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct fiber_report report;
		struct fiber_trouble trouble;
		size_t count;
		double t0 = bench_cpu();
		if (!fibers_report(f, w->ts, &report))
			bench_fail("a report");
		double t1 = bench_cpu();
		free(fibers_list(f, w->ts, &count));
		double t2 = bench_cpu();
		if (!fibers_trouble(f, w->ts / 2, w->ts, &trouble) || count != FIBERS)
			bench_fail("a judgement");
		trouble_ns[i] = bench_cpu() - t2;
		report_ns[i] = t1 - t0;
		list_ns[i] = t2 - t1;
		fiber_report_fini(&report);
	}
	printf("%-20s %-16s %9.2f ms\n", "all fibers", "report", bench_median(report_ns, ROUNDS) / 1e6);
	printf("%-20s %-16s %9.2f ms\n", "all fibers", "list", bench_median(list_ns, ROUNDS) / 1e6);
	printf("%-20s %-16s %9.2f ms\n", "all fibers", "judgement", bench_median(trouble_ns, ROUNDS) / 1e6);
	for (struct world *each = w; each != NULL; each = each == w ? plain : NULL) {
		schedulers_destroy(each->schedulers);
		model_destroy(each->model);
	}
	free(w);
	free(plain);
}

/* Be a program of 1,000 fibers that switch so often a second. */
static void be_observed(const char *directory, const char *names, double rate)
{
	struct rtev_producer_options options = {.size = sizeof(options), .dir = directory};
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	struct rtev_producer *producer;
	struct world w = {0};
	uint64_t switched = 0;

	bench_must(rtev_producer_create(&producer, &options));
	w.domain = rtev_producer_main(producer);
	for (unsigned i = 0; i < EVENTS; i++) {
		char name[64];
		int len = snprintf(name, sizeof(name), "%s.%s", names, events[i].name);
		bench_must(rtev_user_register(producer, name, (size_t)len, events[i].type,
		    events[i].type == RTEV_USER_CUSTOM ? serialise : NULL, NULL, &w.users[i]));
	}
	bench_must(rtev_producer_start(producer, w.domain));
	printf("%d\n", (int)getpid());
	fflush(stdout);
	begin(&w);
	for (unsigned i = 0; i < 1000; i++)
		make(&w);
	uint64_t start = bench_now();
	while (poll(&input, 1, 0) == 0) {
		while ((double)switched < rate * (double)(bench_now() - start) / 1e9) {
			change(&w);
			switched++;
		}
		usleep(500);
	}
	rtev_producer_destroy(producer);
}

int main(int argc, char **argv)
{
	if (argc == 4)
		be_observed(argv[1], argv[2], strtod(argv[3], NULL));
	else
		measure();
	return 0;
}
