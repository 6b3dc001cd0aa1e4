/*
 * ui_story.c - make a story up and show it.
 */
#include "support/ui_story.h"

#include "support/advice_story.h"

#include "ui/view.h"
#include "watch/watch.h"
#include "support/test.h"

#define US UINT64_C(1000)
#define PERIODS (STORY_SECONDS * 10) /* of 100 ms */

const char *const story_names[STORY_NAMES] = {
    "http.request", "queue.depth", "cache.evict", "log.line", "raw.blob"};

const uint64_t story_alloc[RTEV_ALLOC_BUCKETS] = {
    0, 120, 900, 5000, 700, 80, 12, 0, 3, 0, 40, 9, 0, 1, 0, 0, 0, 0, 0, 25};

/* The spans that a domain has open while it is made up. */
struct author {
	struct story *story;
	unsigned domain, depth;
	struct story_span open[16];
};

/* Append an event. */
static struct story_event *put(
    struct story *s, enum story_kind kind, unsigned domain, uint64_t ts, unsigned id)
{
	if (s->count == s->size) {
		s->size = s->size == 0 ? 1024 : s->size * 2;
		s->events = realloc(s->events, s->size * sizeof(s->events[0]));
		CHECK(s->events != NULL);
	}
	struct story_event *e = &s->events[s->count];
	*e = (struct story_event){.kind = kind, .domain = domain, .ts = ts, .id = id, .order = s->count};
	s->count++;
	return e;
}

/* List a span that counts. */
static void count_span(struct story *s, const struct story_span *span)
{
	if (s->span_count == s->span_size) {
		s->span_size = s->span_size == 0 ? 1024 : s->span_size * 2;
		s->spans = realloc(s->spans, s->span_size * sizeof(s->spans[0]));
		CHECK(s->spans != NULL);
	}
	s->spans[s->span_count++] = *span;
}

/* Begin a phase. */
static void open_phase(struct author *a, unsigned phase, uint64_t ts)
{
	put(a->story, STORY_OPEN, a->domain, ts, phase);
	a->open[a->depth] =
	    (struct story_span){.domain = a->domain, .id = phase, .depth = a->depth, .begin = ts};
	a->depth++;
}

/* End the innermost phase. */
static void close_phase(struct author *a, uint64_t ts)
{
	struct story_span *span = &a->open[--a->depth];

	put(a->story, STORY_CLOSE, a->domain, ts, span->id);
	span->end = ts;
	if (a->depth > 0)
		a->open[a->depth - 1].inside += ts - span->begin;
	count_span(a->story, span);
}

/* A whole phase without any inside. */
static void phase(struct author *a, unsigned number, uint64_t begin, uint64_t end)
{
	open_phase(a, number, begin);
	close_phase(a, end);
}

/* A counter. */
static void counter(struct author *a, unsigned number, uint64_t ts, int64_t value)
{
	put(a->story, STORY_COUNTER, a->domain, ts, number)->value = value;
}

/* A request of the program. */
static void request(struct author *a, uint64_t begin, uint64_t end)
{
	put(a->story, STORY_USER_OPEN, a->domain, begin, STORY_REQUEST);
	put(a->story, STORY_USER_CLOSE, a->domain, end, STORY_REQUEST);
	count_span(a->story,
	    &(struct story_span){
		.domain = a->domain, .id = STORY_REQUEST, .begin = begin, .end = end, .user = true});
}

/* A minor collection, from `ts` on; returns its end. */
static uint64_t minor(struct author *a, uint64_t ts)
{
	uint64_t length = 1000 * US + a->domain % 8 * 200 * US;

	open_phase(a, RTEV_PHASE_MINOR, ts);
	phase(a, RTEV_PHASE_MINOR_REMEMBERED_SET, ts + 10 * US, ts + length * 4 / 10);
	phase(a, RTEV_PHASE_MINOR_LOCAL_ROOTS, ts + length / 2, ts + length * 7 / 10);
	counter(a, RTEV_COUNTER_MINOR_PROMOTED, ts + length - 2 * US, 20000 + a->domain % 8 * 1000);
	counter(a, RTEV_COUNTER_MINOR_ALLOCATED, ts + length - US, 2000000);
	close_phase(a, ts + length);
	return ts + length;
}

/* A stop in the period k: the domain after the leader comes last. */
static void stop(struct author *a, unsigned k, uint64_t ts, unsigned domains)
{
	unsigned leader = k / 5 % domains, last = (leader + 1) % domains;
	uint64_t late = 2000 * US + k % 7 * 100 * US, released = ts + late + 5 * US;
	uint64_t mine = a->domain == leader ? 0 : a->domain == last ? late - 10 * US : 200 * US;

	if (a->domain == leader)
		counter(a, RTEV_COUNTER_FORCE_MINOR_ALLOC_SMALL, ts - US, 1);
	open_phase(a, a->domain == leader ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER, ts + mine);
	phase(a, RTEV_PHASE_STW_API_BARRIER, ts + mine + 10 * US, released);
	uint64_t end = minor(a, released + US);
	if (k % 25 == 0 && a->domain == leader) {
		phase(a, RTEV_PHASE_MAJOR_GC_CYCLE_DOMAINS, end + US, end + 101 * US);
		end += 101 * US;
	}
	close_phase(a, end + 2 * US);
}

/* A slice of the major collection. */
static void slice(struct author *a, uint64_t ts)
{
	uint64_t length = 2000 * US + a->domain % 8 * 500 * US;

	open_phase(a, RTEV_PHASE_MAJOR_SLICE, ts);
	phase(a, RTEV_PHASE_MAJOR_MARK, ts + 5 * US, ts + length * 6 / 10);
	phase(a, RTEV_PHASE_MAJOR_SWEEP, ts + length * 6 / 10 + 5 * US, ts + length * 9 / 10);
	counter(a, RTEV_COUNTER_MAJOR_HEAP_WORDS, ts + length - 2 * US, 1000000 + a->domain * 1000);
	counter(a, RTEV_COUNTER_MAJOR_ALLOCATED_WORDS, ts + length - US, 3000);
	close_phase(a, ts + length);
}

/* Gauges of the pools, as at the end of a cycle. */
static void pools(struct author *a, uint64_t ts)
{
	counter(a, RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS, ts, 900000);
	counter(a, RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_WORDS, ts + 1, 600000);
	counter(a, RTEV_COUNTER_MAJOR_HEAP_POOL_FRAG_WORDS, ts + 2, 100000);
	counter(a, RTEV_COUNTER_MAJOR_HEAP_LARGE_WORDS, ts + 3, 100000);
}

/* What happens once only. */
static void happenings(struct author *a, unsigned k, uint64_t b)
{
	if (a->domain == 0 && k == 30) {
		open_phase(a, RTEV_PHASE_EXPLICIT_GC_FULL_MAJOR, b + 45 * STORY_MS);
		phase(a, RTEV_PHASE_MAJOR_FINISH_CYCLE, b + 46 * STORY_MS, b + 58 * STORY_MS);
		close_phase(a, b + 60 * STORY_MS);
	}
	if (a->domain == 2 && k == 70) {
		open_phase(a, RTEV_PHASE_MAJOR, b + 45 * STORY_MS);
		phase(a, RTEV_PHASE_MAJOR_FINISH_MARKING, b + 50 * STORY_MS, b + 80 * STORY_MS);
		close_phase(a, b + 95 * STORY_MS);
	}
	if (a->domain == 1 && k % 10 == 3)
		phase(a, RTEV_PHASE_DOMAIN_CONDITION_WAIT, b + 69 * STORY_MS, b + 89 * STORY_MS);
	if (a->domain == 0 && k == 90)
		put(a->story, STORY_LIFE, 0, b + 70 * STORY_MS, RTEV_LIFECYCLE_FORK_PARENT)->value =
		    STORY_CHILD;
	if (k % 25 == 20)
		pools(a, b + 85 * STORY_MS);
	if (a->domain == 0 && k % 10 == 9)
		put(a->story, STORY_ALLOC, 0, b + 86 * STORY_MS, 0);
}

/* The program's own events of a period. */
static void users(struct author *a, unsigned k, uint64_t b)
{
	struct story_event *e;

	if (a->domain > 1)
		return;
	request(a, b + 5 * STORY_MS, b + (20 + k % 10 * 4) * STORY_MS);
	e = put(a->story, STORY_USER_INT, a->domain, b + 65 * STORY_MS, STORY_DEPTH);
	e->value = (int64_t)(k * 7 % 64) - 3;
	if (a->domain == 0)
		put(a->story, STORY_USER_UNIT, 0, b + 66 * STORY_MS, STORY_EVICT);
	if (k % 4 == 0) {
		e = put(a->story, STORY_USER_CUSTOM, a->domain, b + 67 * STORY_MS, STORY_LINE);
		e->len = (size_t)snprintf(e->text, sizeof(e->text), "d%u line %u", a->domain, k);
	}
	if (a->domain == 1 && k % 20 == 0) {
		e = put(a->story, STORY_USER_CUSTOM, 1, b + 68 * STORY_MS, STORY_BLOB);
		e->len = 4;
		memcpy(e->text, "\xde\xad\x01\xff", 4);
	}
}

/* Whether nothing is recorded in a period. */
static bool silent(unsigned k)
{
	return (k >= 62 && k < 65) || k == 80 || k == 81;
}

/* What ends or begins silence. */
static void silence(struct author *a, unsigned k)
{
	struct story *s = a->story;

	if (a->domain != 0)
		return;
	if (k == 61) /* its end is never written */
		put(s, STORY_OPEN, 0, STORY_BEGIN + 6195 * STORY_MS, RTEV_PHASE_MAJOR_SLICE);
	if (k == 65)
		put(s, STORY_LIFE, 0, STORY_RESUMED, RTEV_LIFECYCLE_RING_RESUME);
	if (k == 80)
		put(s, STORY_LIFE, 0, STORY_PAUSED, RTEV_LIFECYCLE_RING_PAUSE);
	if (k == 82)
		put(s, STORY_LIFE, 0, STORY_RESUMED_AGAIN, RTEV_LIFECYCLE_RING_RESUME);
}

/* Write all that one domain does. */
static void write_domain(struct story *s, unsigned domain)
{
	struct author a = {.story = s, .domain = domain};

	if (domain == 2)
		put(s, STORY_LOST_EARLY, 2, STORY_BEGIN, 0)->value = 1000;
	put(s, STORY_LIFE, domain, STORY_BEGIN + domain * STORY_MS / 100,
	    domain == 0 ? RTEV_LIFECYCLE_RING_START : RTEV_LIFECYCLE_DOMAIN_SPAWN)
	    ->value = 4242;
	for (unsigned k = 0; k < PERIODS; k++) {
		uint64_t b = STORY_BEGIN + k * 100 * STORY_MS;
		silence(&a, k);
		if (domain == 1 && k == 40)
			put(s, STORY_LOST, 1, b, 0)->value = STORY_LOST_WORDS;
		if (silent(k) || (domain == 1 && k == 40))
			continue;
		if (k % 5 == 0)
			stop(&a, k, b + 10 * STORY_MS, k < 95 || s->domains < 3 ? s->domains : 2);
		slice(&a, b + 40 * STORY_MS);
		happenings(&a, k, b);
		users(&a, k, b);
		if (domain == 1 && k == 39) /* the loss takes its end away */
			put(s, STORY_USER_OPEN, 1, b + 90 * STORY_MS, STORY_REQUEST);
		if (domain == 2 && k == 94) {
			put(s, STORY_LIFE, 2, b + 90 * STORY_MS, RTEV_LIFECYCLE_DOMAIN_TERMINATE)->value =
			    4242;
			return;
		}
	}
	if (domain == 0)
		put(s, STORY_USER_OPEN, 0, STORY_END - 50 * STORY_MS, STORY_REQUEST);
	if (domain == 1 || s->domains == 1)
		put(s, STORY_OPEN, domain, STORY_END - 10 * STORY_MS, RTEV_PHASE_MAJOR_SLICE);
}

/* Order events by time, then as they were written. */
static int by_time(const void *a, const void *b)
{
	const struct story_event *x = a, *y = b;

	return x->ts != y->ts ? (x->ts > y->ts) - (x->ts < y->ts)
			      : (x->order > y->order) - (x->order < y->order);
}

/* Make a target up. */
void story_init(struct story *story, unsigned domains)
{
	*story = (struct story){.domains = domains};
	for (unsigned d = 0; d < domains; d++)
		write_domain(story, d);
	qsort(story->events, story->count, sizeof(story->events[0]), by_time);
}

/* Forget it. */
void story_fini(struct story *story)
{
	free(story->events);
	free(story->spans);
	*story = (struct story){0};
}

/* Hand one event to a model. */
static void feed(const struct rtev_callbacks *to, struct model *m, const struct story_event *e)
{
	struct rtev_user_event user = {.id = (uint16_t)e->id, .generation = 1};

	if (e->id < STORY_NAMES) {
		user.name_len = (uint16_t)strlen(story_names[e->id]);
		memcpy(user.name, story_names[e->id], user.name_len);
	}
	switch (e->kind) {
	case STORY_OPEN:
		to->begin(m, e->domain, e->ts, (rtev_phase)e->id);
		break;
	case STORY_CLOSE:
		to->end(m, e->domain, e->ts, (rtev_phase)e->id);
		break;
	case STORY_COUNTER:
		to->counter(m, e->domain, e->ts, (rtev_counter)e->id, e->value);
		break;
	case STORY_ALLOC:
		to->alloc(m, e->domain, e->ts, story_alloc);
		break;
	case STORY_LIFE:
		to->lifecycle(m, e->domain, e->ts, (rtev_lifecycle)e->id, e->value);
		break;
	case STORY_USER_OPEN:
	case STORY_USER_CLOSE:
		to->user_span(m, e->domain, e->ts, &user, e->kind == STORY_USER_OPEN);
		break;
	case STORY_USER_UNIT:
		to->user_unit(m, e->domain, e->ts, &user);
		break;
	case STORY_USER_INT:
		to->user_int(m, e->domain, e->ts, &user, e->value);
		break;
	case STORY_USER_CUSTOM:
		to->user_custom(m, e->domain, e->ts, &user, e->text, e->len);
		break;
	case STORY_LOST:
		to->lost(m, e->domain, (uint64_t)e->value, 0);
		break;
	case STORY_LOST_EARLY:
		to->lost(m, e->domain, (uint64_t)e->value, (uint64_t)e->value);
		break;
	}
}

/* Let a watch see all of it. */
struct watch *story_watch(const struct story *story)
{
	return story_watch_until(story, STORY_END);
}

/* Set a value of a sample. */
static void know(struct system_sample *sample, enum system_value_id id, uint64_t value)
{
	sample->values[id] = (struct system_value){value, SYSTEM_KNOWN};
}

/* The sample of a second since the attach: two of four cores are used; in the ninth second threads wait for a
 * processor, in the eighth the group is throttled. */
static void sample_of(uint64_t second, struct system_sample *sample)
{
	static const char *const names[] = {"myserver", "worker", "Tick"};

	*sample = (struct system_sample){.ts = STORY_BEGIN + second * 1000 * STORY_MS, .thread_count = 3};
	know(sample, SYSTEM_CPU_USER, second * 1700 * STORY_MS);
	know(sample, SYSTEM_CPU_SYSTEM, second * 150 * STORY_MS);
	know(sample, SYSTEM_WAIT, second * 2 * STORY_MS + (second >= 9 ? 430 * STORY_MS : 0));
	know(sample, SYSTEM_THROTTLED, second >= 8 ? 90 * STORY_MS : 0);
	know(sample, SYSTEM_RESIDENT, 92000000);
	know(sample, SYSTEM_SWAP, 0);
	know(sample, SYSTEM_CORES, 4000);
	know(sample, SYSTEM_MEMORY_LIMIT, 512000000);
	know(sample, SYSTEM_MEMORY_CURRENT, 101000000);
	know(sample, SYSTEM_THREAD_COUNT, 3);
	for (unsigned i = 0; i < sample->thread_count; i++) {
		struct system_thread *thread = &sample->threads[i];

		*thread = (struct system_thread){.tid = 4242 + (int)i * 3,
		    .state = i == 1 ? 'R' : 'S',
		    .runs = i < 2 ? i + 1 : 0,
		    .ts = sample->ts};
		strlcpy(thread->comm, names[i], sizeof(thread->comm));
		thread->run =
		    (struct system_value){second * (i == 2 ? 1 : 900 - i * 30) * STORY_MS, SYSTEM_KNOWN};
		thread->wait = (struct system_value){second * i * STORY_MS, SYSTEM_KNOWN};
	}
}

/* What the memory of the process is: all parts together are what the samples say is resident. */
static const struct system_memory memory = {.ts = STORY_BEGIN,
    .mappings = 311,
    .mappings_limit = 65530,
    .reserved = {[MEMORY_MINOR] = 4194304,
	[MEMORY_MINOR_RESERVE] = 264241152,
	[MEMORY_POOLS] = 14400000,
	[MEMORY_POOLS_FREE] = 34000000,
	[MEMORY_LARGE] = 1600000,
	[MEMORY_STACKS] = 25165824,
	[MEMORY_RING] = 67108864,
	[MEMORY_PROGRAM] = 9000000,
	[MEMORY_LIBRARIES] = 3110000,
	[MEMORY_OTHER] = 203000000},
    .resident = {[MEMORY_MINOR] = 4194304,
	[MEMORY_POOLS] = 14400000,
	[MEMORY_POOLS_FREE] = 33900000,
	[MEMORY_LARGE] = 1600000,
	[MEMORY_STACKS] = 98304,
	[MEMORY_RING] = 2000000,
	[MEMORY_PROGRAM] = 7300000,
	[MEMORY_LIBRARIES] = 2060000,
	[MEMORY_OTHER] = 26447392},
    .why = ""};

/* Take the samples, and read the settings, that there were up to a time. */
static void samples(struct watch *w, uint64_t ts)
{
	static const struct ocaml_settings settings = {.of = {[OCAML_S] = {262144, OCAML_FROM_ENV},
							   [OCAML_O] = {200, OCAML_FROM_MEMORY},
							   [OCAML_D] = {128, OCAML_FROM_EVENTS},
							   [OCAML_E] = {16, OCAML_FROM_EVENTS}},
	    .environment = SYSTEM_KNOWN,
	    .memory_why = ""};
	static struct system_sample sample;

	for (uint64_t second = 0; STORY_BEGIN + second * 1000 * STORY_MS <= ts; second++) {
		sample_of(second, &sample);
		system_past_add(watch_system(w), &sample);
	}
	system_past_set_settings(watch_system(w), &settings);
	system_past_set_memory(watch_system(w), &memory);
}

/* Let a watch see what came before a time, a tenth of a second at a time. */
struct watch *story_watch_until(const struct story *story, uint64_t ts)
{
	struct watch *w = watch_create(&(struct watch_options){.attach_ts = STORY_BEGIN});
	struct rtev_callbacks calls;
	uint64_t next = STORY_BEGIN;

	CHECK(w != NULL);
	model_callbacks(&calls);
	for (size_t i = 0; i < story->count && story->events[i].ts < ts; i++) {
		for (; story->events[i].ts >= next; next += 100 * STORY_MS)
			watch_advance(w, next, next);
		feed(&calls, watch_model(w), &story->events[i]);
	}
	watch_advance(w, ts, ts);
	samples(w, ts);
	return w;
}

/* Make up the facts. */
struct subject story_subject(struct watch *watch)
{
	static const uint64_t unread[3] = {120, 0, 31000};

	return (struct subject){.watch = watch,
	    .now = STORY_END,
	    .clock = "18:31:04",
	    .wall_offset = INT64_C(1732127464000000000) - (int64_t)STORY_END, /* 18:31:04 UTC at the end */
	    .state = SUBJECT_LIVE,
	    .pid = 4242,
	    .name = "myserver",
	    .ocaml = "5.3.0",
	    .ocaml_from = "exe",
	    .path = "/run/4242.events",
	    .has_uptime = true,
	    .uptime_s = 11520,
	    .exit_status = -1,
	    .tracing = SUBJECT_TRACING_ON,
	    .has_cpu = true,
	    .ring_words = STORY_RING_WORDS,
	    .unread = unread,
	    .unread_count = 3};
}

struct subject *story_told(struct subject *s)
{
	if (s->watch != NULL)
		headline_read(&(struct headline_target){.advice = s->advice,
				  .model = watch_model(s->watch),
				  .past = watch_system(s->watch),
				  .fibers = s->fibers,
				  .locks = s->locks,
				  .code = s->code != NULL ? s->code->profile : NULL,
				  .pid = s->pid,
				  .now = s->now,
				  .live = s->state == SUBJECT_LIVE,
				  .stopped = s->stopped,
				  .not_paused = s->tracing == SUBJECT_TRACING_ON,
				  .off = s->off,
				  .off_why = s->off_why,
				  .off_cure = s->off_cure,
				  .over = subject_over(s) ? "ended"
					  : s->replay != NULL && s->replay->at_end &&
						  model_stopped(watch_model(s->watch))
					      ? "ended"
					  : s->state == SUBJECT_REPLAY && s->replay == NULL ? "file"
											    : NULL,
				  .waits_for = s->state == SUBJECT_WAITING ? "waiting for its ring" : NULL,
				  .broken = s->state == SUBJECT_TRUNCATED ? HEADLINE_TRUNCATED : NULL},
		    &s->headline);
	return s;
}

/* Return the last stamp before another. */
uint64_t story_last_before(const struct story *story, uint64_t ts)
{
	uint64_t last = 0;

	for (size_t i = 0; i < story->count && story->events[i].ts < ts; i++)
		last = story->events[i].ts;
	return last;
}

/* Set the stage. */
void stage_init(struct stage *stage, unsigned domains, int rows, int cols)
{
	story_init(&stage->story, domains);
	stage->watch = story_watch(&stage->story);
	stage->subject = story_subject(stage->watch);
	stage->subject.advice = stage->advice = advice_story(STORY_END, false);
	stage->ui = NULL;
	stage->screen = NULL;
	model_callbacks(&stage->calls);
	stage_offer(stage, STORY_APP_LIVE);
	stage->canvas = canvas_create(rows, cols);
	CHECK(stage->ui != NULL && stage->canvas != NULL);
	ui_draw(stage->ui, story_told(&stage->subject), stage->canvas);
}

/* Begin with another ui. */
void stage_offer(struct stage *stage, enum story_app app)
{
	ui_destroy(stage->ui);
	stage->ui = ui_create(&(struct ui_options){.view = VIEW_PANES, .offers = story_offers(app)});
}

void story_serve(struct stage *s)
{
	static const struct fiber_event makings[] = {
	    {.op = FIBER_CONTEXT_MADE, .kind = FIBER_CONTEXT_ROOT, .id = 1},
	    {.op = FIBER_NAMED, .id = 1, .text = "server", .len = 6},
	    {.op = FIBER_OBJECT_MADE, .kind = FIBER_MUTEX, .id = 2},
	    {.op = FIBER_NAMED, .id = 2, .text = "accounts\033[2J", .len = 12}, {.op = FIBER_IDLE_BEGINS}};
	uint64_t ts = STORY_END - 400 * STORY_MS;

	s->subject.scheduler = "eio";
	s->subject.fibers = fibers_create(watch_model(s->watch), FIBERS_TELL_ALL);
	CHECK(s->subject.fibers != NULL);
	for (size_t i = 0; i < sizeof(makings) / sizeof(makings[0]); i++)
		fibers_take(s->subject.fibers, 0, ts - 600 * STORY_MS, &makings[i]);
	for (uint64_t id = 10; id < 16; id++, ts += 20 * STORY_MS) {
		const bool slow = id == 12, first = id == 10;
		const struct fiber_event events[] = {{.op = FIBER_IDLE_ENDS},
		    {.op = FIBER_MADE, .id = id, .other = 1}, {.op = FIBER_RUNS, .id = id},
		    {.op = FIBER_SPAN_BEGINS, .text = "report", .len = 6},
		    {.op = first ? FIBER_GETS : FIBER_WANTS, .id = 2},
		    {.op = FIBER_SUSPENDS, .text = first ? "sleep" : "Mutex.lock", .len = first ? 5 : 10},
		    {.op = FIBER_IDLE_BEGINS}};
		for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
			ts += i == 5 ? (slow ? 80 * STORY_MS : STORY_MS) : 1000;
			fibers_take(s->subject.fibers, 0, ts, &events[i]);
		}
	}
}

void story_laps(struct stage *s)
{
	s->subject.scheduler = "lwt";
	s->subject.fibers = fibers_create(watch_model(s->watch), FIBERS_TELL_LAPS);
	CHECK(s->subject.fibers != NULL);
	for (uint64_t ts = STORY_END - 1000 * STORY_MS; ts < STORY_END; ts += 10 * STORY_MS) {
		fibers_take(s->subject.fibers, 0, ts, &(struct fiber_event){.op = FIBER_LAP});
		fibers_take(s->subject.fibers, 0, ts, &(struct fiber_event){.op = FIBER_PAUSED, .id = 3});
		fibers_take(s->subject.fibers, 0, ts, &(struct fiber_event){.op = FIBER_JOBS, .id = 2});
	}
}

void story_cancel(struct stage *s)
{
	static const char *const names[] = {"listener", "client", "cleaner\033[2J", "reports", "metrics"};
	uint64_t ts = STORY_END - 390 * STORY_MS;

	story_serve(s);
	for (uint64_t id = 100; id < 400; id++, ts += STORY_MS) {
		const uint64_t context = 1000 + id % 5, busy = (id % 7) * STORY_MS / 10;
		const char *name = names[id % 5];
		const struct fiber_event events[] = {{.op = FIBER_IDLE_ENDS},
		    {.op = FIBER_MADE, .id = id, .other = id < 105 ? 1 : context},
		    {.op = FIBER_RUNS, .id = id},
		    {.op = id < 105 ? FIBER_CONTEXT_MADE : FIBER_LOGS,
			.kind = FIBER_CONTEXT_SWITCH,
			.id = context,
			.text = "",
			.len = 0},
		    {.op = id < 105 ? FIBER_NAMED : FIBER_LOGS,
			.id = context,
			.text = name,
			.len = strlen(name)},
		    {.op = id == 102 ? FIBER_FAILS : FIBER_LOGS,
			.id = context,
			.text = "Failure(\"disk full\033[2J\")",
			.len = 24},
		    {.op = FIBER_SUSPENDS, .text = "Promise.await", .len = 13}, {.op = FIBER_IDLE_BEGINS}};
		for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
			fibers_take(
			    s->subject.fibers, 1, ts + (i < 6 ? i * 100 : busy + i * 100), &events[i]);
	}
}

/* Clear the stage. */
void stage_fini(struct stage *stage)
{
	free(stage->screen);
	canvas_destroy(stage->canvas);
	ui_destroy(stage->ui);
	advice_destroy(stage->advice);
	fibers_destroy(stage->subject.fibers);
	watch_destroy(stage->watch);
	story_fini(&stage->story);
}

/* Press a key and draw. */
unsigned stage_key(struct stage *stage, ui_key key)
{
	unsigned reactions = ui_press(stage->ui, &stage->subject, key);

	ui_draw(stage->ui, story_told(&stage->subject), stage->canvas);
	return reactions;
}

/* Type a text. */
unsigned stage_type(struct stage *stage, const char *text)
{
	static const struct {
		const char *text;
		ui_key key;
	} keys[] = {{"\n", UI_KEY_ENTER}, {"\b", UI_KEY_BACKSPACE}, {"\t", UI_KEY_TAB}, {"⎋", UI_KEY_ESCAPE},
	    {"↑", UI_KEY_UP}, {"↓", UI_KEY_DOWN}, {"←", UI_KEY_LEFT}, {"→", UI_KEY_RIGHT},
	    {"⇞", UI_KEY_PAGE_UP}, {"⇟", UI_KEY_PAGE_DOWN}, {"⇱", UI_KEY_HOME}, {"⇲", UI_KEY_END}};
	unsigned reactions = UI_NOTHING;

	while (*text != '\0') {
		ui_key key = (unsigned char)*text;
		size_t len = 1;
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (strncmp(text, keys[i].text, strlen(keys[i].text)) == 0) {
				key = keys[i].key;
				len = strlen(keys[i].text);
			}
		reactions |= stage_key(stage, key);
		text += len;
	}
	return reactions;
}

bool stage_refuses(struct stage *stage, ui_key key)
{
	stage_key(stage, key);
	return stage->ui->why != NULL;
}

/* Give the screen as text. */
char *stage_text(struct stage *stage)
{
	ui_draw(stage->ui, story_told(&stage->subject), stage->canvas);
	char *text = canvas_dump(stage->canvas);
	CHECK(text != NULL);
	return text;
}

char *stage_screen(struct stage *stage)
{
	free(stage->screen);
	return stage->screen = stage_text(stage);
}

/* Let time pass. */
void stage_pass(struct stage *stage, uint64_t ms)
{
	stage->subject.now += ms * STORY_MS;
	watch_advance(stage->watch, stage->subject.now, stage->subject.now);
}

/* Pause the events of the target. */
void stage_pause(struct stage *stage, uint64_t ms)
{
	stage->subject.tracing = SUBJECT_TRACING_PAUSED;
	model_set_silent(watch_model(stage->watch), true);
	stage_pass(stage, ms);
}

/* Let the target go on for a while. */
void stage_go_on(struct stage *s, uint64_t ms)
{
	for (uint64_t t = 0; t < ms; t++) {
		uint64_t ts = s->subject.now + t * STORY_MS;
		s->calls.begin(watch_model(s->watch), 0, ts, RTEV_PHASE_COMPACT);
		s->calls.end(watch_model(s->watch), 0, ts + STORY_MS / 2, RTEV_PHASE_COMPACT);
	}
	stage_pass(s, ms);
}

/* Tell whether the screen has a text. */
bool stage_shows(struct stage *stage, const char *text)
{
	char *screen = stage_text(stage);
	bool shows = strstr(screen, text) != NULL;

	free(screen);
	return shows;
}
