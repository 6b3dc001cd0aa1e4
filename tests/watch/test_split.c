/*
 * test_split.c - what a stretch of time went into: what events prove, what the counters of the thread leave no other room
 * for, what samples of code prove, and what is said of it.
 */
#include "support/test.h"

#include "watch/split.h"

#define MS UINT64_C(1000000)
#define AT (UINT64_C(1000) * 1000 * MS)

/* A target of two domains of which D0 is looked at: a second of it, from AT on. */
struct scene {
	struct watch *watch;
	struct flame *flame;
	struct profile *profile;
	struct rtev_callbacks to;
	struct split_query query;
	struct split split;
	char likely[BLAME_TEXT];
};

static void span(struct scene *s, unsigned domain, rtev_phase phase, uint64_t from, uint64_t to)
{
	s->to.begin(watch_model(s->watch), domain, AT + from * MS, phase);
	s->to.end(watch_model(s->watch), domain, AT + to * MS, phase);
}

static void user(struct scene *s, const char *name, uint64_t ms, bool opens)
{
	struct rtev_user_event event = {
	    .id = (uint8_t)name[0], .generation = 1, .name_len = (uint16_t)strlen(name)};

	memcpy(event.name, name, strlen(name));
	s->to.user_span(watch_model(s->watch), 0, AT + ms * MS, &event, opens);
}

/* Add a sample of the process: what its threads, of which number i runs domain i, did so far. */
static void sampled_beside(
    struct scene *s, uint64_t ms, uint64_t ran, uint64_t waited, bool threads, char state, uint64_t beside)
{
	struct system_sample *sample = calloc(1, sizeof(*sample));

	CHECK(sample != NULL);
	sample->ts = AT + ms * MS;
	sample->values[SYSTEM_RUN] =
	    (struct system_value){.known = SYSTEM_KNOWN, .value = (ran + beside) * MS};
	sample->values[SYSTEM_WAIT] = (struct system_value){.known = SYSTEM_KNOWN, .value = waited * MS};
	sample->thread_count = 1;
	sample->threads_known = SYSTEM_KNOWN;
	sample->threads[0] = (struct system_thread){.tid = 7,
	    .ts = sample->ts,
	    .runs = threads ? 1 : 0,
	    .state = state,
	    .run = {.known = SYSTEM_KNOWN, .value = ran * MS},
	    .wait = {.known = SYSTEM_KNOWN, .value = waited * MS}};
	system_past_add(watch_system(s->watch), sample);
	free(sample);
}

static void sampled(struct scene *s, uint64_t ms, uint64_t ran, uint64_t waited, bool threads, char state)
{
	sampled_beside(s, ms, ran, waited, threads, state, 0);
}

static void scene_of(struct scene *s, unsigned domains)
{
	*s = (struct scene){.watch = watch_create(&(struct watch_options){0}),
	    .flame = flame_create(),
	    .profile = profile_create()};
	CHECK(s->watch != NULL && s->flame != NULL && s->profile != NULL);
	model_callbacks(&s->to);
	for (unsigned d = 0; d < domains; d++)
		s->to.lifecycle(watch_model(s->watch), d, AT - MS, RTEV_LIFECYCLE_DOMAIN_SPAWN, 1);
	s->query = (struct split_query){.watch = s->watch,
	    .flame = s->flame,
	    .from = AT,
	    .to = AT + 1000 * MS,
	    .now = AT + 1000 * MS,
	    .hit = MODEL_NO_USER};
}

static void scene_init(struct scene *s)
{
	scene_of(s, 2);
}

/* Split the second; returns what is likely, "?" before what is not known. */
static const char *likely(struct scene *s)
{
	uint64_t sum = 0;

	s->to.counter(watch_model(s->watch), 0, AT + 1000 * MS, RTEV_COUNTER_REQUEST_MAJOR_ALLOC_SHR, 0);
	watch_advance(s->watch, AT + 1000 * MS, AT + 1000 * MS);
	CHECK(split_read(&s->query, &s->split));
	for (int i = 0; i < SPLIT_PARTS; i++)
		sum += s->split.ns[i];
	CHECK_INT(sum, 1000 * MS);
	s->likely[0] = '?';
	size_t skip = split_likely(&s->query, &s->split, s->likely + 1, sizeof(s->likely) - 1);
	return s->likely + skip;
}

static void scene_fini(struct scene *s)
{
	watch_destroy(s->watch);
	flame_destroy(s->flame);
	profile_destroy(s->profile);
}

#define PART(s, part) ((s).split.ns[SPLIT_##part] / MS)

/* The collector's part is what events say; without anything else the rest may be anything. */
TEST(test_events_alone)
{
	struct scene s;

	scene_init(&s);
	span(&s, 0, RTEV_PHASE_MINOR, 100, 300);
	CHECK_STR(likely(&s), "?sample with C");
	CHECK_INT(PART(s, GC), 200);
	CHECK_INT(PART(s, OPEN), 800);
	CHECK_STR(split_name(&s.split, SPLIT_OPEN), "not known");
	/* Of a recording no code can be sampled. */
	s.query.over = true;
	CHECK_STR(likely(&s), "?the code was not sampled then");
	scene_fini(&s);

	scene_init(&s);
	span(&s, 0, RTEV_PHASE_MAJOR_MARK, 100, 700);
	CHECK_STR(likely(&s), "the collector: major_mark 600ms");
	scene_fini(&s);

	scene_init(&s);
	span(&s, 0, RTEV_PHASE_EXPLICIT_GC_FULL_MAJOR, 100, 900);
	CHECK_STR(likely(&s), "the collector, asked for by the program: explicit_gc_full_major 800ms");
	scene_fini(&s);
}

/* A barrier is no wait for others where there are none: its thread may have had no processor in it. */
TEST(test_barrier_of_one_domain)
{
	struct scene s;

	for (unsigned domains = 1; domains <= 2; domains++) {
		scene_of(&s, domains);
		span(&s, 0, RTEV_PHASE_STW_API_BARRIER, 100, 700);
		CHECK_STR(likely(&s), domains == 1 ? "the collector: stw_api_barrier 600ms"
						   : "waits for other domains, cause unknown");
		CHECK_INT(PART(s, GC), domains == 1 ? 600 : 0);
		scene_fini(&s);
	}
}

/* A phase that is open while the thread waits for a processor is not the collector's work alone. */
TEST(test_collector_without_a_processor)
{
	static const struct {
		uint64_t ran, waited;
		const char *says;
	} cases[] = {
	    {900, 100, "the collector: major_mark 700ms"},
	    {400, 600, "GC or no processor: major_mark 700ms, at most 600ms of it without one"},
	    {50, 950, "GC or no processor: major_mark 700ms, at most 700ms of it without one"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scene s;
		scene_init(&s);
		span(&s, 0, RTEV_PHASE_MAJOR_MARK, 100, 800);
		sampled(&s, 0, 0, 0, true, 'S');
		sampled(&s, 1000, cases[i].ran, cases[i].waited, true, 'S');
		CHECK_STR(likely(&s), cases[i].says);
		scene_fini(&s);
	}
	/* No samples cover it: the one that covers its end is still to come, or it began before the first one.  Those beside it
	 * found the thread waiting, or hardly. */
	static const uint64_t beside[][2] = {{0, 900}, {200, 2000}, {1100, 2100}};
	for (size_t i = 0; i < 2 * sizeof(beside) / sizeof(beside[0]); i++) {
		struct scene s;
		const uint64_t *of = beside[i / 2], took = of[1] - of[0];
		const uint64_t waited = i % 2 == 0 ? took / 100 : took * 9 / 10;
		scene_init(&s);
		span(&s, 0, RTEV_PHASE_MAJOR_MARK, 100, 800);
		sampled(&s, of[0], 0, 0, true, 'S');
		sampled(&s, of[1], took - waited, waited, true, 'S');
		CHECK_STR(likely(&s),
		    i % 2 == 0 ? "the collector: major_mark 700ms" : "GC or no processor: major_mark 700ms");
		scene_fini(&s);
	}
}

/* Where a loop tells that it waits for events, that is known; pauses inside are the collector's, and of a domain that has ended
 * in that slot before nothing is left. */
TEST(test_loop)
{
	struct scene s;

	scene_init(&s);
	user(&s, "eio.suspend_domain", 0, true);
	s.to.lifecycle(watch_model(s.watch), 0, AT, RTEV_LIFECYCLE_DOMAIN_TERMINATE, 0);
	s.to.lifecycle(watch_model(s.watch), 0, AT, RTEV_LIFECYCLE_DOMAIN_SPAWN, 1);
	user(&s, "eio.suspend_domain", 200, true);
	span(&s, 0, RTEV_PHASE_MINOR, 300, 400);
	user(&s, "eio.suspend_domain", 900, false);
	CHECK_STR(likely(&s), "the event loop had nothing to do for 600ms");
	CHECK_INT(PART(s, LOOP), 600);
	CHECK_INT(PART(s, GC), 100);
	CHECK_INT(PART(s, OPEN), 300);
	scene_fini(&s);
}

/* The thread's counters, read before and after: what must have been in the second is proved. */
TEST(test_thread)
{
	static const struct {
		uint64_t from, to, ran, waited; /* ms: of the two samples, and what the thread did between */
		bool own;			/* which thread runs the domain is known */
		uint64_t code, starved, blocked, open;
		const char *name, *says;
	} cases[] = {
	    {0, 1000, 100, 800, true, 100, 800, 100, 0, NULL,
		"no processor: its thread could have run and had none for 800ms or more"},
	    {0, 1000, 900, 0, true, 900, 0, 100, 0, NULL, "code 900ms"},
	    {0, 1000, 50, 50, true, 50, 50, 900, 0, NULL, "blocked 900ms"},
	    /* The samples cover twice the time: half of it may have been outside. */
	    {0, 2000, 200, 1700, true, 0, 700, 0, 300, "not known",
		"no processor: its thread could have run and had none for 700ms or more"},
	    {0, 2000, 1000, 1000, true, 0, 0, 0, 1000, "code or no processor", "?sample with C"},
	    {0, 2000, 1200, 0, true, 200, 0, 0, 800, "code or blocked", "?sample with C"},
	    /* What is done nearly all the time around is likely done in it; but who is blocked may run all through it. */
	    {0, 4000, 900, 3100, true, 0, 100, 0, 900, "code or no processor",
		"no processor: its thread waited 3.10s of 4.00s around it for one"},
	    {0, 4000, 3200, 0, true, 200, 0, 0, 800, "code or blocked",
		"its own code: its thread ran 3.20s of 4.00s around it"},
	    {0, 4000, 500, 0, true, 0, 0, 500, 500, "code or blocked", "blocked 500ms"},
	    {0, 4000, 1000, 0, true, 0, 0, 0, 1000, "code or blocked", "?sample with C"},
	    /* Of all threads the sums are bounds. */
	    {0, 1000, 100, 100, false, 0, 0, 800, 200, "not known", "blocked 800ms"},
	    {0, 1000, 2000, 0, false, 0, 0, 0, 1000, "code or blocked", "?sample with C"},
	    /* Not covered. */
	    {10, 1000, 100, 800, true, 0, 0, 0, 1000, "not known", "?sample with C"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scene s;
		scene_init(&s);
		span(&s, 0, RTEV_PHASE_MINOR, 1001, 1002);
		sampled(&s, cases[i].from, 0, 0, cases[i].own, 'S');
		sampled(&s, cases[i].to, cases[i].ran, cases[i].waited, cases[i].own, 'S');
		const char *says = likely(&s);
		if (PART(s, CODE) != cases[i].code || PART(s, STARVED) != cases[i].starved ||
		    PART(s, BLOCKED) != cases[i].blocked || PART(s, OPEN) != cases[i].open ||
		    strcmp(says, cases[i].says) != 0 ||
		    (cases[i].name != NULL && strcmp(split_name(&s.split, SPLIT_OPEN), cases[i].name) != 0))
			TEST_FAIL("case %zu: code %d starved %d blocked %d open %d %s, %s", i,
			    (int)PART(s, CODE), (int)PART(s, STARVED), (int)PART(s, BLOCKED),
			    (int)PART(s, OPEN), split_name(&s.split, SPLIT_OPEN), says);
		scene_fini(&s);
	}
	struct scene s;
	/* Another thread of no domain ran: it may have been one of this. */
	scene_init(&s);
	sampled_beside(&s, 0, 0, 0, true, 'S', 0);
	sampled_beside(&s, 1000, 50, 50, true, 'S', 800);
	CHECK_STR(likely(&s), "?sample with C");
	CHECK_INT(PART(s, BLOCKED), 100);
	CHECK_STR(split_name(&s.split, SPLIT_OPEN), "not known");
	scene_fini(&s);
	scene_init(&s);
	sampled(&s, 0, 0, 0, true, 'S');
	sampled(&s, 1000, 900, 0, true, 'T');
	CHECK_STR(likely(&s), "a signal or a debugger had stopped the process");
	scene_fini(&s);
}

static void code(struct scene *s, uint64_t ms, unsigned marks)
{
	const struct profile_frame frame = {profile_function(s->profile, "Foo.bar", "foo.ml", 3, false), 3};
	const struct profile_sample sample = {.ts = AT + ms * MS,
	    .tid = 7,
	    .domain = 0,
	    .stack = profile_stack(s->profile, 0, &frame, 1, marks),
	    .marks = (uint8_t)marks};

	profile_add(s->profile, &sample);
	s->query.profile = s->profile;
	s->query.hz = 10;
}

/* Samples prove that code ran. */
TEST(test_samples)
{
	struct scene s;

	scene_init(&s);
	for (uint64_t i = 0; i < 9; i++)
		code(&s, 50 + 100 * i, PROFILE_GC_KNOWN);
	CHECK_STR(likely(&s), "code 700ms: on CPU in Foo.bar foo.ml:3 (9 of 9 samples)");
	CHECK_INT(PART(s, CODE), 700);
	scene_fini(&s);
}

/* Where events are missing or lost, nothing is made of them. */
TEST(test_not_seen)
{
	struct scene s;

	scene_init(&s);
	s.query.from -= 100 * MS;
	s.query.to -= 100 * MS;
	s.query.domain = 5;
	CHECK(!split_read(&s.query, &s.split));
	CHECK(!split_likely(&s.query, &s.split, s.likely, sizeof(s.likely)));
	s.query.domain = 0;
	s.query.flame = NULL;
	CHECK(!split_read(&s.query, &s.split));
	scene_fini(&s);
}
