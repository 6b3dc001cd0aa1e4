/*
 * bench_watch.c - what an event costs in the live view, its pictures aside: scan and poll of the rings, the
 * model, and what observes the model.  The ratio is against the model alone, scan and poll included.
 *
 *     bench_watch [VARIANT STEPS]
 *
 * Four domains record minor collections as OCaml 5.3 does, 600 thousand events a second together; a turn
 * reads 20 ms of them, and twice a second the time is advanced as before a redraw.  Writing the rings is not
 * timed.  With a VARIANT only that one runs, for so many half seconds: count the instructions of read_turn by
 * callgrind's --toggle-collect.
 */
#include "advice/advice.h"
#include "bench/bench.h"
#include "support/ring_image.h"
#include "watch/watch.h"

#define DOMAINS 4
#define RING_WORDS 65536u
#define RATE 600000u
#define MINOR_EVENTS 16
#define TURN_NS UINT64_C(20000000)
#define BURST 4 /* minor collections after each other */
#define BURSTS (RATE / DOMAINS / MINOR_EVENTS / BURST / (1000000000u / TURN_NS))
#define STEP_TURNS 25 /* half a second */
#define STEPS 40

/* The numbers of OCaml 5.3. */
enum { LEADER = 35, MINOR = 11, PROMOTED = 4, ALLOCATED = 5 };

struct stage {
	struct ring_image *image;
	struct rtev_cursor *cursor;
	struct rtev_callbacks calls;
	void *ctx;
	struct model *model;
	struct watch *watch;
	struct advice *advice;
	uint64_t now;
	uint64_t count; /* of the callbacks that only count */
};

static enum rtev_next count_span(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	*(uint64_t *)ctx += ts ^ domain ^ phase;
	return RTEV_CONTINUE;
}

static enum rtev_next count_counter(
    void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	*(uint64_t *)ctx += ts ^ domain ^ counter ^ (uint64_t)value;
	return RTEV_CONTINUE;
}

/* Write a minor collection that begins at ts; returns when it ended. */
static uint64_t write_minor(struct ring_image *image, unsigned domain, uint64_t ts)
{
	static const unsigned inside[] = {39, 15, 38, 12, 14};

	image_record(image, domain, ts, RECORD_BEGIN, LEADER, NULL, 0);
	image_record(image, domain, ts += 60, RECORD_BEGIN, MINOR, NULL, 0);
	for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++) {
		image_record(image, domain, ts += 50, RECORD_BEGIN, inside[i], NULL, 0);
		image_record(image, domain, ts += 40 + ts % 31, RECORD_END, inside[i], NULL, 0);
	}
	image_record(image, domain, ts += 50, RECORD_COUNTER, PROMOTED, &(uint64_t){1000}, 1);
	image_record(image, domain, ts += 50, RECORD_COUNTER, ALLOCATED, &(uint64_t){200000}, 1);
	image_record(image, domain, ts += 50, RECORD_END, MINOR, NULL, 0);
	image_record(image, domain, ts += 50, RECORD_END, LEADER, NULL, 0);
	return ts;
}

/* Write what a turn reads. */
static void write_turn(struct stage *s)
{
	for (unsigned d = 0; d < DOMAINS; d++) {
		for (unsigned b = 0; b < BURSTS; b++) {
			uint64_t ts = s->now + TURN_NS / BURSTS * b + d * 20000;
			for (unsigned i = 0; i < BURST; i++)
				ts = write_minor(s->image, d, ts + 70);
		}
	}
	s->now += TURN_NS;
}

/* Read a turn, and before a redraw bring all up to date. */
__attribute__((noinline)) static uint64_t read_turn(struct stage *s, bool redraws)
{
	struct rtev_scan found = {.size = sizeof(found)};
	uint64_t consumed = 0;

	rtev_cursor_scan(s->cursor, NULL, NULL, &found);
	rtev_cursor_poll(s->cursor, &s->calls, s->ctx, 0, &consumed);
	if (s->model != NULL)
		model_drained(s->model);
	if (redraws && s->watch != NULL)
		watch_advance(s->watch, s->now, s->now);
	if (redraws && s->advice != NULL)
		advice_advance(s->advice, s->now);
	return consumed;
}

/* The variants. */
enum variant { COUNT, MODEL, WATCH, LIVE, VARIANTS };
static const char *const variants[] = {"count", "model", "watch", "live view"};

/* Make what observes the rings. */
static void stage_init(struct stage *s, enum variant variant)
{
	const struct rtev_cursor_options options = {
	    .size = sizeof(options), .release = RTEV_RELEASE_5_3, .start = RTEV_START_NEWEST};

	*s = (struct stage){.now = 1000000000};
	s->image = image_make(LAYOUT_5_1, DOMAINS, RING_WORDS);
	if (rtev_cursor_open_memory(&s->cursor, s->image->base, s->image->size, &options) != RTEV_OK)
		bench_fail("open");
	model_callbacks(&s->calls);
	if (variant == COUNT) {
		s->calls = (struct rtev_callbacks){.size = sizeof(s->calls),
		    .begin = count_span,
		    .end = count_span,
		    .counter = count_counter};
		s->ctx = &s->count;
	} else if (variant == MODEL) {
		s->ctx = s->model = model_create(&(struct model_options){.attach_ts = s->now});
	} else {
		s->watch = watch_create(&(struct watch_options){.attach_ts = s->now});
		s->ctx = s->model = s->watch != NULL ? watch_model(s->watch) : NULL;
	}
	if (s->ctx == NULL)
		bench_fail("create");
	if (variant == LIVE)
		s->advice = advice_create(&(struct advice_options){.whole = false}, s->model,
		    watch_stw(s->watch), watch_system(s->watch), NULL);
}

static void stage_fini(struct stage *s)
{
	advice_destroy(s->advice);
	if (s->watch != NULL)
		watch_destroy(s->watch);
	else
		model_destroy(s->model);
	rtev_cursor_close(s->cursor);
}

/* The median cost of an event. */
static double measure(enum variant variant, unsigned count)
{
	static struct stage s;
	static double steps[STEPS];
	uint64_t consumed = 0, all = 0;

	stage_init(&s, variant);
	for (unsigned i = 0; i < count; i++) {
		uint64_t took = 0;
		consumed = 0;
		for (unsigned t = 0; t < STEP_TURNS; t++) {
			write_turn(&s);
			uint64_t begin = bench_now();
			consumed += read_turn(&s, t + 1 == STEP_TURNS);
			took += bench_now() - begin;
		}
		steps[i] = (double)took / (double)consumed;
		all += consumed;
	}
	if (all != (uint64_t)count * STEP_TURNS * BURSTS * BURST * MINOR_EVENTS * DOMAINS)
		bench_fail("events");
	stage_fini(&s);
	return bench_median(steps, count);
}

int main(int argc, char **argv)
{
	double ns[VARIANTS] = {0};

	unsigned count = argc > 2 ? (unsigned)atoi(argv[2]) : STEPS;

	if (count == 0 || count > STEPS)
		bench_fail("steps");
	for (unsigned v = 0; v < VARIANTS; v++)
		if (argc > 1 && strcmp(argv[1], variants[v]) == 0)
			printf("%.2f ns/event\n", measure((enum variant)v, count));
	if (argc > 1)
		return 0;
	for (unsigned v = 0; v < VARIANTS; v++)
		ns[v] = measure((enum variant)v, count);
	for (unsigned v = 0; v < VARIANTS; v++)
		bench_line("event", variants[v], ns[v], ns[MODEL]);
	return 0;
}
