/*
 * test_findings_fibers.c - what findings tell of fibers: a sick program and its healthy sibling each.
 */
#include "support/test.h"

#include "core/utf8.h"

#include "world.h"

enum { MADE, CONTEXT, OBJECT, NAMED, RUNS, SUSPENDS, WANTS, GETS, PUTS, ENDS, FAILS, IDLE, EVENTS };

static struct rtev_user_event events[EVENTS];
static struct world *w;

static void start(void)
{
	static const char *const names[EVENTS] = {[MADE] = "eio.create_fiber",
	    [CONTEXT] = "eio.create_cc",
	    [OBJECT] = "eio.create_obj",
	    [NAMED] = "eio.name",
	    [RUNS] = "eio.fiber",
	    [SUSPENDS] = "eio.suspend_fiber",
	    [WANTS] = "eio.try_get",
	    [GETS] = "eio.get",
	    [PUTS] = "eio.put",
	    [ENDS] = "eio.exit_fiber",
	    [FAILS] = "eio.error",
	    [IDLE] = "eio.suspend_domain"};

	for (unsigned i = 0; i < EVENTS; i++)
		events[i] = user_event(i + 1, names[i]);
	w = world_begin(1, 0, false);
}

static void number(unsigned event, uint64_t id)
{
	CHECK_INT(w->feed.cb.user_int(w->feed.m, 0, w->now, &events[event], (int64_t)id), RTEV_CONTINUE);
}

/* A custom event of up to two ids, a byte of a kind if it is not 0, and text. */
static void custom(unsigned event, const uint64_t *ids, unsigned count, unsigned kind, const char *text)
{
	unsigned char data[128];
	size_t len = 0;

	for (unsigned i = 0; i < 8 * count; i++)
		data[len++] = (unsigned char)(ids[i / 8] >> i % 8 * 8);
	if (kind != 0)
		data[len++] = (unsigned char)kind;
	memcpy(data + len, text, strlen(text));
	len += strlen(text);
	CHECK_INT(w->feed.cb.user_custom(w->feed.m, 0, w->now, &events[event], data, len), RTEV_CONTINUE);
}

/* The context 1, named server, with the fibers 2 and 3. */
static void server(void)
{
	custom(CONTEXT, (uint64_t[]){1}, 1, 6, "");
	custom(NAMED, (uint64_t[]){1}, 1, 0, "server");
	custom(MADE, (uint64_t[]){2, 1}, 2, 0, "");
	custom(MADE, (uint64_t[]){3, 1}, 2, 0, "");
}

static void suspend(const char *operation)
{
	custom(SUSPENDS, NULL, 0, 0, operation);
}

/* The domain waits for events. */
static void idle(uint64_t ns)
{
	user_span(&w->feed, 0, w->now, &events[IDLE], true);
	world_pass(w, ns);
	user_span(&w->feed, 0, w->now, &events[IDLE], false);
}

/* Fiber 3 makes a fiber, which waits. */
static void waits(uint64_t id, const char *operation, uint64_t object)
{
	number(RUNS, 3);
	custom(MADE, (uint64_t[]){id, 1}, 2, 0, "");
	number(RUNS, id);
	if (object != 0)
		number(WANTS, object);
	suspend(operation);
	number(RUNS, 3);
}

/* What marks the shorter lengths of a sentence hides none of it when a program has it in its names. */
TEST(test_marks_in_names)
{
	start();
	custom(CONTEXT, (uint64_t[]){1}, 1, 6, "");
	custom(NAMED, (uint64_t[]){1}, 1, 0, SAY_MORE("ser") "v" SAY_MOST("er") "\x1c");
	custom(MADE, (uint64_t[]){2, 1}, 2, 0, "");
	for (int i = 0; i < 12; i++) {
		idle(WORLD_SECOND);
		number(RUNS, 2);
		world_pass(w, 80 * WORLD_MS);
		suspend("sleep");
	}
	const struct advice_finding *f = finding(w, "fiber_no_switch");
	CHECK(f != NULL);
	CHECK_STR(f->said.shorter[0], "Late loops: fibers of ?ser?v?er?? block their loop for up to 80.0ms");
	CHECK_STR(f->said.shorter[1], "Late loops: fibers block their loop for up to 80.0ms");
}

/* A name too long for a sentence loses its middle, not its end, and no part of a character. */
TEST(test_long_names)
{
	start();
	custom(CONTEXT, (uint64_t[]){1}, 1, 6, "");
	custom(NAMED, (uint64_t[]){1}, 1, 0, "сервер_соединения_и_задания/тяжёлая_работа_é");
	custom(MADE, (uint64_t[]){2, 1}, 2, 0, "");
	for (int i = 0; i < 12; i++) {
		idle(WORLD_SECOND);
		number(RUNS, 2);
		world_pass(w, 80 * WORLD_MS);
		suspend("sleep");
	}
	const struct advice_finding *f = finding(w, "fiber_no_switch");
	CHECK(f != NULL);
	CHECK_STR(f->said.shorter[0],
	    "Late loops: fibers of сервер_соединен.../тяжёлая_работа_é block their loop for up to 80.0ms");
}

/* Turns of 80 ms: of one fiber, of many short runs, of the collector, or of a process that was stopped.  Without a processor for
 * most of the time, one that is late whenever it runs is named; one that is late at times is not. */
TEST(test_no_switch)
{
	enum { ONE, MANY, COLLECTOR, WAITS_FOR_CPU, AT_TIMES, SAMPLED, STOPPED, CASES };

	for (int kind = 0; kind < CASES; kind++) {
		start();
		server();
		be_sampled(w);
		w->sampled = kind >= WAITS_FOR_CPU;
		const bool waits = kind == WAITS_FOR_CPU || kind == AT_TIMES;
		w->values[SYSTEM_WAIT] = waits ? WORLD_SECOND / 2 : 0;
		w->sample->thread_count = 1;
		w->sample->threads[0] =
		    (struct system_thread){.tid = 1, .state = kind == STOPPED ? 'T' : 'S'};
		w->sample->threads[0].run = w->sample->threads[0].wait =
		    (struct system_value){0, SYSTEM_KNOWN};
		for (int i = 0; i < 12; i++) {
			idle(WORLD_SECOND);
			w->sample->threads[0].wait = (struct system_value){
			    (uint64_t)(waits * (i + 1)) * WORLD_SECOND / 2, SYSTEM_KNOWN};
			for (int part = 0; part < 3 && kind == AT_TIMES; part++) {
				number(RUNS, 2);
				world_pass(w, WORLD_MS);
				suspend("sleep");
			}
			if (kind == COLLECTOR)
				begin(&w->feed, 0, w->now, RTEV_PHASE_MAJOR_SLICE);
			for (int part = 0; part < (kind == MANY ? 8 : 1); part++) {
				number(RUNS, 2);
				world_pass(w, (kind == MANY ? 10 : 80) * WORLD_MS);
				if (kind == COLLECTOR)
					end(&w->feed, 0, w->now, RTEV_PHASE_MAJOR_SLICE);
				suspend("sleep");
			}
		}
		idle(WORLD_SECOND);
		const struct advice_finding *f = finding(w, "fiber_no_switch");
		CHECK((f != NULL) == (kind == ONE || kind == SAMPLED || kind == WAITS_FOR_CPU));
		if (f == NULL)
			continue;
		CHECK_INT(f->domain, 0);
		if (kind == WAITS_FOR_CPU)
			CHECK(isnan(f->seconds) &&
			      strstr(f->text, "at most 80.0ms of it without a processor") != NULL);
		else
			CHECK_NEAR(f->seconds, 12 * 0.08, 0.001);
		CHECK(strstr(f->text, "fibers of server") != NULL && strstr(f->text, "80.0ms") != NULL);
	}
}

/* Looks at the thread of the loop tell that its long runs wait for a lock of threads, whoever has the processors; those that find
 * it at work do not. */
TEST(test_no_switch_for_a_lock)
{
	for (int locked = 0; locked < 2; locked++) {
		struct lock_past *past = lock_past_create();
		struct lock_thread threads[] = {{.tid = 1}, {.tid = 2, .doing = LOCK_IN_CALL}};
		static struct system_sample domains = {.thread_count = 1, .threads = {{.tid = 1, .runs = 1}}};

		start();
		server();
		advice_locks(w->advice, past, NULL);
		be_sampled(w);
		w->values[SYSTEM_WAIT] = WORLD_SECOND / 2;
		for (int i = 0; i < 12; i++) {
			idle(WORLD_SECOND);
			number(RUNS, 2);
			for (int n = 0; n < 5; n++) {
				threads[0].doing = locked ? LOCK_WAITS : LOCK_RUNS;
				threads[0].lock.kind = locked ? LOCK_MUTEX : LOCK_NONE;
				threads[0].next = locked ? 1 : -1;
				world_pass(w, 50 * WORLD_MS);
				(void)lock_past_add(past,
				    &(struct locks_look){.ts = w->now, .threads = threads, .count = 2},
				    &domains);
				world_pass(w, 50 * WORLD_MS);
			}
			suspend("sleep");
		}
		idle(WORLD_SECOND);
		const struct advice_finding *f = finding(w, "fiber_no_switch");
		CHECK(f != NULL &&
		      (strstr(f->text, "wait for a lock of threads for up to 500ms") != NULL) == locked);
		CHECK((strstr(f->remedy, "Mutex.lock") != NULL) == locked);
		CHECK(f->severity == (locked ? ADVICE_SERIOUS : ADVICE_HINT));
		advice_locks(w->advice, NULL, NULL);
		lock_past_destroy(past);
	}
}

/* A lock whose holder sleeps, and one whose holder works; one that nobody queues for. */
TEST(test_lock_held)
{
	enum { SLEEPS, WORKS, ALONE, CASES };

	for (int kind = 0; kind < CASES; kind++) {
		start();
		server();
		number(RUNS, 2);
		custom(OBJECT, (uint64_t[]){50}, 1, 19, "");
		number(GETS, 50);
		suspend("sleep");
		for (uint64_t id = 10; id < (kind == ALONE ? 11 : 14); id++)
			waits(id, "Mutex.lock", 50);
		if (kind == WORKS)
			number(RUNS, 2);
		for (int i = 0; i < 20; i++)
			world_pass(w, WORLD_SECOND / 10);
		const struct advice_finding *f = finding(w, "fiber_lock_held");
		CHECK((f != NULL) == (kind == SLEEPS));
		if (f == NULL)
			continue;
		CHECK_STR(f->text, "4 fibers queue for mutex 50; fiber 2 (server) holds it and "
				   "waits in sleep");
		/* It is given back: the finding goes. */
		number(RUNS, 2);
		number(PUTS, 50);
		for (uint64_t id = 10; id < 14; id++)
			number(RUNS, id);
		for (int i = 0; i < 5; i++)
			world_pass(w, WORLD_SECOND);
		CHECK(finding(w, "fiber_lock_held") == NULL);
	}
}

/* No name is cut inside a character, wherever the limit falls. */
TEST(test_names_cut)
{
	for (int shift = 0; shift < 2; shift++) {
		char name[64];
		size_t whole;
		uint32_t code;
		snprintf(name, sizeof(name), "%séééééééééééééééééééééééééé", shift ? "x" : "");
		start();
		server();
		number(RUNS, 2);
		custom(OBJECT, (uint64_t[]){50}, 1, 19, "");
		custom(NAMED, (uint64_t[]){50}, 1, 0, name);
		number(GETS, 50);
		suspend(name);
		for (uint64_t id = 10; id < 14; id++)
			waits(id, "Mutex.lock", 50);
		for (int i = 0; i < 20; i++)
			world_pass(w, WORLD_SECOND / 10);
		const struct advice_finding *f = finding(w, "fiber_lock_held");
		CHECK(f != NULL && strstr(f->text, "éééé") != NULL);
		for (const char *at = f->text; *at != '\0'; at += whole)
			CHECK(utf8_decode(at, strlen(at), &whole, &code));
	}
}

/* A stream without room; one that waits for elements is idle.  Nor are those who take from it to blame that have no
 * processor, or were stopped. */
TEST(test_stream_full)
{
	enum { FULL, EMPTY, STARVED, STOPPED, CASES };

	for (int kind = 0; kind < CASES; kind++) {
		start();
		server();
		be_sampled(w);
		w->values[SYSTEM_WAIT] = kind == STARVED ? WORLD_SECOND : WORLD_MS;
		w->values[SYSTEM_MACHINE_RUN] = 4 * WORLD_SECOND;
		w->sample->thread_count = 1;
		w->sample->threads[0] =
		    (struct system_thread){.tid = 1, .state = kind == STOPPED ? 'T' : 'S'};
		for (uint64_t id = 10; id < 13; id++)
			waits(id, kind != EMPTY ? "Stream.add" : "Stream.take", 0);
		for (int i = 0; i < 15; i++)
			world_pass(w, WORLD_SECOND);
		const struct advice_finding *f = finding(w, "fiber_stream_full");
		CHECK_INT(f != NULL, kind == FULL);
		if (f != NULL)
			CHECK(strstr(f->text, "3 fibers of server wait to add") != NULL);
	}
}

/* Consumers whose producer has ended.  They may get something yet if it is not known that all others wait as well: one
 * waits for the system, or works; the first part of the program, or one of its threads or domains, is not known; words
 * were lost; or it has not lasted. */
TEST(test_stream_empty)
{
	enum { SICK, SERVER, WORKS, LATE, THREADS, DOMAINS, LOST, SOON, CASES };

	for (int kind = 0; kind < CASES; kind++) {
		start();
		be_sampled(w);
		w->values[SYSTEM_THREAD_COUNT] = kind == THREADS ? 3 : 2;
		if (kind != LATE)
			server();
		number(RUNS, 2);
		suspend("Switch.await_idle");
		for (uint64_t id = 10; id < 13; id++)
			waits(id, id == 10 && kind == SERVER ? "accept" : "Stream.take", 0);
		if (kind != WORKS)
			number(ENDS, 3);
		if (kind == DOMAINS)
			life(&w->feed, 1, w->now, RTEV_LIFECYCLE_DOMAIN_SPAWN, 42);
		if (kind == LOST)
			lost(&w->feed, 0, 10, 0);
		user_span(&w->feed, 0, w->now, &events[IDLE], true);
		for (int i = 0; i < (kind == SOON ? 9 : 15); i++)
			world_pass(w, WORLD_SECOND);
		const struct advice_finding *f = finding(w, "fiber_stream_empty");
		CHECK_INT(f != NULL, kind == SICK);
		if (f == NULL)
			continue;
		CHECK_STR(f->text,
		    "3 fibers of server wait to take from a stream, and no fiber is left to add to "
		    "it: all 4 wait for each other");
		/* One that goes on may have been woken by anybody. */
		user_span(&w->feed, 0, w->now, &events[IDLE], false);
		number(RUNS, 10);
		for (int i = 0; i < 5; i++)
			world_pass(w, WORLD_SECOND);
		CHECK(finding(w, "fiber_stream_empty") == NULL);
	}
}

/* Ten more fibers wait each ten seconds: for ever, or for twenty seconds each; or they do no more after a while. */
TEST(test_growth)
{
	enum { FOR_EVER, LOAD, STOPS, CASES };

	for (int kind = 0; kind < CASES; kind++) {
		start();
		server();
		uint64_t next = 100, first = 100;
		for (int second = 0; second < 100; second++) {
			unsigned fresh = kind == LOAD ? 1 + (unsigned)second / 5 : 1;
			for (unsigned i = 0; i < fresh && !(kind == STOPS && second >= 55); i++)
				waits(next++, "Promise.await", 0);
			/* A growing load: as many more at a time, but each is done within twenty seconds. */
			for (unsigned gone = (unsigned)(second - 20) / 5 + 1;
			     kind == LOAD && second >= 20 && gone > 0; gone--) {
				number(RUNS, first);
				number(ENDS, first++);
			}
			world_pass(w, WORLD_SECOND);
		}
		const struct advice_finding *f = finding(w, "fiber_growth");
		CHECK((f != NULL) == (kind == FOR_EVER));
		if (f != NULL)
			CHECK(strstr(f->text, "wait in Promise.await: ") != NULL);
	}
}

/* A context that is cancelled while its fiber sleeps on, and one whose fiber ends. */
TEST(test_cancelled)
{
	for (int sick = 0; sick < 2; sick++) {
		start();
		server();
		waits(10, "sleep", 0);
		custom(FAILS, (uint64_t[]){1}, 1, 0, "Failure");
		if (!sick) {
			for (uint64_t id = 2; id < 11; id += id == 3 ? 7 : 1) {
				number(RUNS, id);
				number(ENDS, id);
			}
		}
		for (int i = 0; i < 12; i++)
			world_pass(w, WORLD_SECOND);
		const struct advice_finding *f = finding(w, "fiber_cancelled");
		CHECK((f != NULL) == (sick != 0));
		if (f != NULL)
			CHECK(strstr(f->text, "waits in sleep") != NULL);
	}
}

/* After a loss nothing is told of what was before. */
TEST(test_lost)
{
	start();
	server();
	number(RUNS, 2);
	custom(OBJECT, (uint64_t[]){50}, 1, 19, "");
	number(GETS, 50);
	suspend("sleep");
	for (uint64_t id = 10; id < 14; id++)
		waits(id, "Mutex.lock", 50);
	waits(20, "Stream.add", 0);
	custom(FAILS, (uint64_t[]){1}, 1, 0, "Failure");
	lost(&w->feed, 0, 10, 0);
	for (int i = 0; i < 1500; i++)
		idle(10 * WORLD_MS);
	CHECK(finding(w, "fiber_lock_held") == NULL && finding(w, "fiber_stream_full") == NULL &&
	      finding(w, "fiber_cancelled") == NULL && finding(w, "fiber_growth") == NULL);
	world_end(w);
	w->advice = NULL;
}
