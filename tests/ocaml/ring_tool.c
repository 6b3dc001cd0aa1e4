/*
 * ring_tool.c - make rings for OCaml's consumer to read, and say what is in them.
 *
 *     ring_tool write DIR RELEASE EVENTS SEED          a finished ring; then what was written
 *     ring_tool live DIR RELEASE EVENTS SEED READY     the same, at a calm rate, once the file READY is there
 *     ring_tool dump PATH RELEASE                      what our cursor reads in a ring
 *
 * The first two print "PID PATH" first.  A line is "DOMAIN STAMP what ..."; lines are in ring order on each
 * domain.  The stamp of a spawn is the clock's, so it is printed as "-".
 */
#include <time.h>
#include <unistd.h>

#include "rtev/producer.h"
#include "support/event_name.h"
#include "support/test.h"

#define OK(call) CHECK_INT(call, RTEV_OK)
#define DOMAINS 4
#define CUSTOM_EVENT "test.custom"

static struct rtev_producer *producer;
static struct rtev_domain *domains[DOMAINS];
static const struct rtev_user *user_unit, *user_int, *user_span, *user_custom;
static uint64_t random_state, now;

/* A payload. */
struct bytes {
	size_t len;
	unsigned char data[RTEV_CUSTOM_BYTES_MAX];
};

/* Return the next random number. */
static uint64_t next(void)
{
	uint64_t x = random_state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static size_t serialise(void *ctx, const void *value, unsigned char out[RTEV_CUSTOM_BYTES_MAX])
{
	const struct bytes *bytes = value;

	memcpy(out, bytes->data, bytes->len);
	return bytes->len;
}

/* Register the user events that rings with names have. */
static void register_users(bool late)
{
	if (!late) {
		OK(rtev_user_register(producer, "test.unit", 9, RTEV_USER_UNIT, NULL, NULL, &user_unit));
		OK(rtev_user_register(producer, "test.int", 8, RTEV_USER_INT, NULL, NULL, &user_int));
	} else {
		OK(rtev_user_register(producer, "test.span", 9, RTEV_USER_SPAN, NULL, NULL, &user_span));
		OK(rtev_user_register(producer, CUSTOM_EVENT, strlen(CUSTOM_EVENT), RTEV_USER_CUSTOM,
		    serialise, NULL, &user_custom));
	}
}

/* Stamp the next event of a domain, and begin its line. */
static struct rtev_domain *stamped(unsigned slot)
{
	now += next() % 1000;
	rtev_domain_set_stamp(domains[slot], now);
	printf("%u %" PRIu64 " ", slot, now);
	return domains[slot];
}

/* An integer of up to 63 bits, small ones as likely as large ones, either sign. */
static int64_t random_int(void)
{
	return (int64_t)(next() << 1) >> (1 + next() % 63);
}

static void write_phase(unsigned slot, enum rtev_release release)
{
	char name[RTEV_NAME_SIZE];
	rtev_phase phase;

	do
		phase = (rtev_phase)(next() % RTEV_PHASE_COUNT);
	while (rtev_phase_to_id(release, phase) < 0);
	bool begin = next() & 1;
	struct rtev_domain *d = stamped(slot);
	OK(begin ? rtev_domain_begin(d, phase) : rtev_domain_end(d, phase));
	printf("%s %s\n", begin ? "begin" : "end", rtev_phase_name(phase, name));
}

static void write_counter(unsigned slot, enum rtev_release release)
{
	char name[RTEV_NAME_SIZE];
	rtev_counter counter;

	do
		counter = (rtev_counter)(next() % RTEV_COUNTER_COUNT);
	while (rtev_counter_to_id(release, counter) < 0);
	int64_t value = random_int();
	OK(rtev_domain_counter(stamped(slot), counter, value));
	printf("counter %s %" PRId64 "\n", rtev_counter_name(counter, name), value);
}

static void write_alloc(unsigned slot)
{
	uint64_t buckets[RTEV_ALLOC_BUCKETS] = {0};

	for (int i = 0; i < 30; i++) {
		uint64_t words = next() % 130, count = next() % 1000;
		rtev_domain_alloc(domains[slot], words, count);
		buckets[rtev_alloc_bucket(words)] += count;
	}
	OK(rtev_domain_alloc_flush(stamped(slot)));
	for (int i = 0; i < RTEV_ALLOC_BUCKETS; i++)
		printf("%s%" PRIu64, i == 0 ? "alloc " : ",", buckets[i]);
	putchar('\n');
}

static void write_user(unsigned slot)
{
	struct rtev_domain *d = stamped(slot);
	static struct bytes bytes;
	uint64_t kind = next() % 5;

	if (kind == 0) {
		OK(rtev_domain_user_unit(d, user_unit));
		printf("unit test.unit\n");
	} else if (kind == 1) {
		int64_t value = random_int();
		OK(rtev_domain_user_int(d, user_int, value));
		printf("int test.int %" PRId64 "\n", value);
	} else if (kind == 2) {
		OK(rtev_domain_user_begin(d, user_span));
		printf("span_begin test.span\n");
	} else if (kind == 3) {
		OK(rtev_domain_user_end(d, user_span));
		printf("span_end test.span\n");
	} else {
		bytes.len = next() % 16 == 0 ? RTEV_CUSTOM_BYTES_MAX - next() % 9 : next() % 40;
		for (size_t i = 0; i < bytes.len; i++)
			bytes.data[i] = (unsigned char)next();
		OK(rtev_domain_user_custom(d, user_custom, &bytes));
		printf("custom %s ", CUSTOM_EVENT);
		for (size_t i = 0; i < bytes.len; i++)
			printf("%02x", bytes.data[i]);
		putchar('\n');
	}
}

/* Threads come and go; the main domain stays. */
static void change_slot(unsigned slot)
{
	if (slot == 0) {
		OK(rtev_producer_pause(producer, stamped(0)));
		printf("lifecycle ring_pause 0\n");
		OK(rtev_domain_begin(domains[0], RTEV_PHASE_MINOR));
		OK(rtev_producer_resume(producer, stamped(0)));
		printf("lifecycle ring_resume 0\n");
	} else if (domains[slot] != NULL) {
		stamped(slot);
		rtev_domain_detach(domains[slot]);
		domains[slot] = NULL;
		printf("lifecycle domain_terminate %ld\n", (long)getpid());
	} else {
		struct rtev_domain *d;
		OK(rtev_producer_attach(producer, &d));
		domains[rtev_domain_slot(d)] = d;
		printf("%u - lifecycle domain_spawn %ld\n", rtev_domain_slot(d), (long)getpid());
		/* The spawn had the clock's stamp: ours must not be below it. */
		struct timespec ts;
		clock_gettime(CLOCK_MONOTONIC, &ts);
		uint64_t clock = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
		now = now > clock ? now : clock;
	}
}

/* Write one event of any kind. */
static void write_event(enum rtev_release release)
{
	unsigned slot = (unsigned)(next() % DOMAINS);
	uint64_t kind = next() % 100;

	if (domains[slot] == NULL || kind == 0)
		change_slot(slot);
	else if (kind < 50)
		write_phase(slot, release);
	else if (kind < 65)
		write_counter(slot, release);
	else if (kind < 67)
		write_alloc(slot);
	else if (kind < 68) {
		int64_t data = random_int();
		OK(rtev_domain_lifecycle(stamped(slot), RTEV_LIFECYCLE_FORK_PARENT, data));
		printf("lifecycle fork_parent %" PRId64 "\n", data);
	} else if (user_unit != NULL)
		write_user(slot);
}

/* Sleep. */
static void nap(long us)
{
	struct timespec ts = {.tv_nsec = us * 1000};
	nanosleep(&ts, NULL);
}

/* Make a ring and write to it. */
static int write_ring(const char *dir, enum rtev_release release, uint64_t events, const char *ready)
{
	struct rtev_producer_options options = {.size = sizeof(options),
	    .dir = dir,
	    .exponent = 16,
	    .domains = DOMAINS,
	    .release = release,
	    .preserve = ready == NULL};
	char path[4096];
	struct timespec ts;

	OK(rtev_producer_create(&producer, &options));
	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	domains[0] = rtev_producer_main(producer);
	if (release != RTEV_RELEASE_5_0)
		register_users(false);
	rtev_domain_set_stamp(domains[0], now);
	OK(rtev_producer_start(producer, domains[0]));
	if (release != RTEV_RELEASE_5_0)
		register_users(true);
	OK(rtev_producer_path(producer, path, sizeof(path)));
	printf("%ld %s\n", (long)getpid(), path);
	fflush(stdout);
	for (int i = 0; ready != NULL && access(ready, F_OK) != 0; i++) {
		CHECK(i < 60000);
		nap(1000);
	}
	printf("0 %" PRIu64 " lifecycle ring_start %ld\n", now, (long)getpid());
	for (uint64_t i = 0; i < events; i++) {
		write_event(release);
		if (ready != NULL && i % 20 == 19)
			nap(500);
	}
	for (unsigned slot = 1; slot < DOMAINS; slot++)
		if (domains[slot] != NULL)
			change_slot(slot);
	stamped(0);
	OK(rtev_producer_stop(producer, domains[0]));
	printf("lifecycle ring_stop\n");
	rtev_producer_destroy(producer);
	return fflush(stdout) == 0 ? 0 : 1;
}

/* Print an event. */
static enum rtev_next on_event(void *ctx, const struct rtev_event *e)
{
	const unsigned char *bytes = e->data;
	const uint64_t *buckets = e->data;
	char buf[RTEV_NAME_SIZE];
	bool spawn = e->kind == EVENT_LIFECYCLE && e->id == RTEV_LIFECYCLE_DOMAIN_SPAWN;
	bool stop = e->kind == EVENT_LIFECYCLE && e->id == RTEV_LIFECYCLE_RING_STOP;

	if (e->kind == EVENT_CORRUPT || e->kind == EVENT_RESTART)
		return RTEV_CONTINUE;
	if (event_stamped(e->kind) && !spawn)
		printf("%u %" PRIu64 " %s", e->domain, e->ts, event_word(e->kind));
	else
		printf("%u - %s", e->domain, event_word(e->kind));
	if (e->kind != EVENT_ALLOC && e->kind != EVENT_LOST)
		printf(" %s", event_name(e, buf));
	if (e->kind == EVENT_COUNTER || e->kind == EVENT_INT || e->kind == EVENT_LOST ||
	    (e->kind == EVENT_LIFECYCLE && !stop))
		printf(" %" PRId64, e->value);
	for (int i = 0; i < RTEV_ALLOC_BUCKETS && e->kind == EVENT_ALLOC; i++)
		printf("%s%" PRIu64, i == 0 ? " " : ",", buckets[i]);
	if (e->kind == EVENT_CUSTOM)
		putchar(' ');
	for (size_t i = 0; i < e->len && e->kind == EVENT_CUSTOM; i++)
		printf("%02x", bytes[i]);
	putchar('\n');
	return RTEV_CONTINUE;
}

/* Print what our cursor reads. */
static int dump(const char *path, enum rtev_release release)
{
	struct event_sink sink = {.take = on_event};
	const struct rtev_cursor_options options = {
	    .size = sizeof(options), .release = release, .finished = true};
	struct rtev_cursor *cursor;

	OK(rtev_cursor_open_path(&cursor, path, &options));
	OK(rtev_cursor_poll(cursor, &event_sink_calls, &sink, 0, NULL));
	OK(rtev_cursor_close(cursor));
	return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "dump") == 0)
		return dump(argv[2], rtev_release_from_version(argv[3]));
	bool live = argc == 7 && strcmp(argv[1], "live") == 0;
	if (!live && !(argc == 6 && strcmp(argv[1], "write") == 0))
		TEST_FAIL("usage: ring_tool write|live|dump ...");
	random_state = strtoull(argv[5], NULL, 10);
	return write_ring(
	    argv[2], rtev_release_from_version(argv[3]), strtoull(argv[4], NULL, 10), live ? argv[6] : NULL);
}
