/*
 * test_replay.c - the clock of a replay: playing, stepping, jumping, and what it says of itself; on made-up recordings, hostile
 * ones among them, and with a file on what a real ring was recorded to.
 *
 *   test_replay                 the tests
 *   test_replay stats FILE.fxt  wander about in a recording, and print its figures at its end as `rtevtop stats --json` does
 */
#include <fcntl.h>
#include <unistd.h>

#include "app/top/replay.h"
#include "app/commands/stats_report.h"
#include "support/offers.h"
#include "core/clock.h"
#include "support/test.h"
#include "ui/ui.h"
#include "support/tape.h"
#include "trail/bytes.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define BEGIN (1000 * SECOND)

/* A recording that is played, and what shows it. */
struct player {
	struct replay replay;
	struct subject subject;
	struct ui *ui;
	struct canvas *canvas;
};

/* Show it. */
static void draw(struct player *p)
{
	replay_gather(&p->replay, &p->subject);
	if (p->replay.renewed)
		ui_renew(p->ui);
	p->replay.renewed = false;
	ui_draw(p->ui, &p->subject, p->canvas);
}

/* Go on until it has come to where it is to be; drawn now and then, as the live view does. */
static void settle(struct player *p)
{
	for (unsigned turns = 0; !p->replay.indexed || p->replay.seeking; turns++) {
		if (turns > 100000)
			TEST_FAIL("it never comes to its target");
		replay_turn(&p->replay);
		if (turns % 8 == 0)
			draw(p);
	}
	draw(p);
}

/* Open a file, and stop it once it has been read. */
static void player_init(struct player *p, const char *path)
{
	memset(p, 0, sizeof(*p));
	CHECK_INT(replay_open(&p->replay, path, open(path, O_RDONLY | O_CLOEXEC)), 0);
	p->ui = ui_create(&(struct ui_options){.view = VIEW_PANES, .offers = story_offers(STORY_APP_ALL)});
	p->canvas = canvas_create(40, 120);
	CHECK(p->ui != NULL && p->canvas != NULL);
	settle(p);
	CHECK(p->replay.playing);
	replay_play(&p->replay);
	CHECK(!p->replay.playing);
}

/* Close it; returns the exit status. */
static int player_fini(struct player *p)
{
	ui_destroy(p->ui);
	canvas_destroy(p->canvas);
	return replay_close(&p->replay, 0);
}

/* The figures now. */
static struct model_totals totals(const struct player *p)
{
	struct model_totals t;

	model_totals(watch_model(p->replay.watch), &t);
	return t;
}

/* Whether the screen shows a text. */
static bool shows(struct player *p, const char *text)
{
	draw(p);
	char *screen = canvas_dump(p->canvas);
	bool found = screen != NULL && strstr(screen, text) != NULL;
	free(screen);
	return found;
}

/* A recording of `count` minor collections on each of two domains, one a millisecond, at 10:00:00 UTC. */
static void tape_plain(struct tape *tape, unsigned count, size_t room)
{
	const struct trail_about about = {.live = true,
	    .attach_ts = BEGIN,
	    .base_ts = BEGIN,
	    .base_wall = INT64_C(1795255200) * 1000000000, /* a 21 November */
	    .pid = 4242,
	    .name = "made-up",
	    .ocaml = "5.3.0",
	    .ocaml_from = "exe"};

	tape_init(tape, room, &about);
	for (unsigned i = 0; i < count; i++)
		for (unsigned d = 0; d < 2; d++) {
			uint64_t ts = BEGIN + (i + 1) * MS + d;
			tape_add(tape, TRAIL_BEGIN, d, ts, RTEV_PHASE_MINOR, 0);
			tape_add(tape, TRAIL_COUNTER, d, ts + 1000, RTEV_COUNTER_MINOR_ALLOCATED, 100);
			tape_add(tape, TRAIL_END, d, ts + 100000, RTEV_PHASE_MINOR, 0);
		}
	tape_finish(tape, BEGIN + (count + 500) * MS);
}

/* Open a made-up recording and remove its file. */
static void player_of(struct player *p, const struct tape *tape, size_t size)
{
	char path[64];

	tape_save(tape, size, path);
	player_init(p, path);
	unlink(path);
}

/* Steps, jumps and their ends. */
static void test_moving(void)
{
	struct tape tape;
	struct player p;

	tape_plain(&tape, 30000, 4u << 20);
	player_of(&p, &tape, tape.used);
	struct replay *r = &p.replay;
	CHECK_INT(r->info.start, BEGIN);
	CHECK_INT(r->info.end, BEGIN + 30500 * MS);
	CHECK(shows(&p, "REPLAY 0:00.0 of 0:30.5 1x stopped"));
	CHECK(shows(&p, "4242  made-up  OCaml 5.3.0 (exe)"));
	CHECK(shows(&p, "10:00:00"));
	replay_step(r, 1, 500 * MS);
	settle(&p);
	CHECK_INT(r->position, BEGIN + 500 * MS);
	/* The 500th collection of D0 begins just then, that of D1 a nanosecond later. */
	CHECK_INT(totals(&p).events, 2 * 3 * 499 + 1);
	CHECK_INT(totals(&p).open, 1);
	replay_step(r, -1, 200 * MS);
	settle(&p);
	CHECK_INT(r->position, BEGIN + 300 * MS);
	CHECK_INT(totals(&p).events, 2 * 3 * 299 + 1);
	replay_skip(r, 10 * (int64_t)SECOND);
	/* Another key before it is there. */
	replay_skip(r, 10 * (int64_t)SECOND);
	settle(&p);
	CHECK_INT(r->position, BEGIN + 20300 * MS);
	CHECK(shows(&p, "10:00:20"));
	replay_end(r);
	settle(&p);
	CHECK(r->finished);
	CHECK_INT(totals(&p).events, 2 * 3 * 30000);
	CHECK_INT(totals(&p).open, 0);
	CHECK(shows(&p, "REPLAY 0:30.5 of 0:30.5 1x at end"));
	/* On from the end is nowhere. */
	replay_step(r, 1, 500 * MS);
	replay_skip(r, 10 * (int64_t)SECOND);
	settle(&p);
	CHECK_INT(r->position, r->info.end);
	/* A step back into the silence at the end, and one to before the last event. */
	replay_step(r, -1, 100 * MS);
	settle(&p);
	CHECK(!r->finished);
	CHECK_INT(r->position, BEGIN + 30000 * MS + 100001 - 1);
	CHECK_INT(totals(&p).events, 2 * 3 * 30000 - 1);
	replay_skip(r, INT64_MIN);
	settle(&p);
	CHECK_INT(r->position, BEGIN);
	CHECK_INT(totals(&p).events, 0);
	replay_skip(r, INT64_MAX);
	settle(&p);
	CHECK_INT(r->position, r->info.end);
	/* Playing at the end begins anew. */
	replay_play(r);
	settle(&p);
	CHECK(r->playing && r->position < r->info.end);
	CHECK_INT(player_fini(&p), 0);
	tape_fini(&tape);
}

/* Where a text leads, and what is wrong with others. */
static void test_jumps(void)
{
	static const struct {
		const char *text;
		uint64_t to; /* ms from the start */
	} good[] = {{"12.5", 12500}, {"+1", 13500}, {"-0.25", 13250}, {"10:00:07", 7000},
	    {"10:00:08.125", 8125}, {"10:00", 0}, {"0", 0}, {"-3", 0}, {"+99999", 30500},
	    {"999999999999", 30500}, {".5", 500}, {"9:59:59", 0}, {"10:01", 30500}, {"3.", 3000}};
	static const char *const bad[] = {"", "+", "-", "x", "1x", "1 ", "++1", "1e3", "0x10", "1.2.3",
	    "99999999999999999999", "10:", ":", "10:00:00:00", "24:00", "10:60", "10:00:61", "10.5:00",
	    "-10:00", "10:x", "nan", "inf"};
	struct tape tape;
	struct player p;

	tape_plain(&tape, 30000, 4u << 20);
	player_of(&p, &tape, tape.used);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const char *problem = replay_jump(&p.replay, good[i].text);
		if (problem != NULL)
			TEST_FAIL("%s: %s", good[i].text, problem);
		settle(&p);
		if (p.replay.position != BEGIN + good[i].to * MS)
			TEST_FAIL(
			    "%s: leads to %.3f s", good[i].text, (double)(p.replay.position - BEGIN) / 1e9);
	}
	uint64_t place = p.replay.position;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (replay_jump(&p.replay, bad[i]) == NULL)
			TEST_FAIL("\"%s\" is taken", bad[i]);
		CHECK_INT(p.replay.position, place);
		CHECK(!p.replay.seeking);
	}
	CHECK_INT(player_fini(&p), 0);
	tape_fini(&tape);
}

/* Playing goes on with the clock times the speed, no faster, and ends at the end. */
static void test_playing(void)
{
	struct tape tape;
	struct player p;

	tape_plain(&tape, 3000, 1u << 20);
	player_of(&p, &tape, tape.used);
	struct replay *r = &p.replay;
	for (int i = 0; i < 20; i++)
		replay_speed(r, -1);
	CHECK_INT(r->speed, -REPLAY_SPEED_MAX);
	CHECK(shows(&p, "1/64x"));
	for (int i = 0; i < 20; i++)
		replay_speed(r, 1);
	CHECK_INT(r->speed, REPLAY_SPEED_MAX);
	uint64_t place = r->position, began = monotonic_now();
	replay_turn(r);
	CHECK_INT(r->position, place); /* stopped */
	replay_play(r);
	while (r->position == place)
		replay_turn(r);
	CHECK(r->position - place <= 64 * (monotonic_now() - began));
	while (r->playing)
		replay_turn(r);
	CHECK(r->finished);
	CHECK_INT(totals(&p).events, 2 * 3 * 3000);
	CHECK_INT(player_fini(&p), 0);
	tape_fini(&tape);
}

/* Going back in a long recording tells a part of it again, and says from where on it counts. */
static void test_counts_from(void)
{
	enum { COUNT = 600000 };
	struct tape tape;
	struct player p;

	tape_plain(&tape, COUNT, 40u << 20);
	player_of(&p, &tape, tape.used);
	struct replay *r = &p.replay;
	replay_end(r);
	settle(&p);
	CHECK_INT(totals(&p).events, 2 * 3 * COUNT);
	CHECK(!shows(&p, "counts from"));
	replay_skip(r, -(int64_t)SECOND);
	settle(&p);
	uint64_t from = r->shown.counts_from;
	CHECK(from > r->info.start && from < r->position);
	CHECK(shows(&p, "counts from "));
	/* What is counted is what happened since, neither more nor less, but for what was open then. */
	uint64_t since = (from - BEGIN) / MS, until = (r->position - BEGIN) / MS;
	CHECK_NEAR(totals(&p).events, 6 * (until - since), 8);
	CHECK(totals(&p).events > 1500000 && totals(&p).events < 2500000);
	struct model_phase minor;
	model_phase_total(watch_model(r->watch), RTEV_PHASE_MINOR, &minor);
	CHECK_NEAR(minor.count, 2 * (until - since), 4);
	CHECK_INT(minor.max, 100000);
	/* At the start nothing is left out. */
	replay_start(r);
	settle(&p);
	CHECK_INT(totals(&p).events, 0);
	CHECK_INT(r->shown.counts_from, 0);
	CHECK_INT(player_fini(&p), 0);
	tape_fini(&tape);
}

/* A recording that is damaged before its first event: its time is that of the attach, not that of stamp 0. */
static void test_nothing_left(void)
{
	struct tape tape;
	struct player p;
	size_t size = 0;

	tape_plain(&tape, 10, 1u << 20);
	/* The longest beginning without an event that is a recording. */
	for (size_t cut = 8; cut < tape.used; cut += 8) {
		struct trail_info info = {0};
		struct trail *t;
		if (trail_open_memory(&t, tape.data, cut) != TRAIL_OK)
			continue;
		while (trail_index(t, 100))
			continue;
		trail_info(t, &info);
		trail_close(t);
		if (info.events != 0)
			break;
		size = cut;
	}
	CHECK(size != 0);
	player_of(&p, &tape, size);
	while (replay_turn(&p.replay))
		continue;
	CHECK_INT(p.replay.info.start, BEGIN);
	CHECK_INT(p.replay.info.end, BEGIN);
	CHECK(shows(&p, "10:00:00"));
	replay_end(&p.replay);
	settle(&p);
	CHECK(shows(&p, "10:00:00"));
	CHECK_INT(player_fini(&p), 1);
	tape_fini(&tape);
}

/* Stamps far apart and stamps that go back: every call ends, and nothing is lost. */
static void test_odd_stamps(void)
{
	static const uint64_t stamps[] = {
	    5, 1, 1000000000000000000u, 3, UINT64_MAX / 2, UINT64_MAX - 1, 7, UINT64_MAX};
	const struct trail_about about = {
	    .base_ts = UINT64_MAX, .base_wall = INT64_MIN, .attach_ts = 77, .name = "\x1b[31m"};
	struct tape tape;
	struct player p;

	tape_init(&tape, 1u << 20, &about);
	for (unsigned i = 0; i < sizeof(stamps) / sizeof(stamps[0]); i++) {
		tape_add(&tape, TRAIL_BEGIN, 0, stamps[i], RTEV_PHASE_MINOR, 0);
		tape_add(&tape, TRAIL_USER_BEGIN, 0, stamps[i], 3, 0);
		tape_add(&tape, TRAIL_INT, 1, stamps[i], 4, INT64_MIN);
		tape_add(&tape, TRAIL_COUNTER, 2, stamps[i], RTEV_OPAQUE + 99, INT64_MAX);
		tape_add(&tape, TRAIL_LOST, 1, 0, 0, 12);
		tape_add(&tape, TRAIL_RESUME, TRAIL_TARGET, stamps[i], 0, 0);
		tape_add(&tape, TRAIL_LIFECYCLE, 4095, stamps[i], RTEV_LIFECYCLE_RING_PAUSE, -1);
		tape_add(&tape, TRAIL_ALLOC, 1, stamps[i], 0, 0);
		tape_add(&tape, TRAIL_CUSTOM, 2, stamps[i], 5, 0);
		tape_add(&tape, TRAIL_END, 0, stamps[i], RTEV_PHASE_MINOR, 0);
	}
	tape_finish(&tape, 1);
	player_of(&p, &tape, tape.used);
	struct replay *r = &p.replay;
	CHECK_INT(r->info.end == UINT64_MAX, 1);
	for (int i = 0; i < 40; i++) {
		replay_step(r, 1, 500 * MS);
		settle(&p);
	}
	/* Each step over a silence led to the next event. */
	CHECK(r->finished);
	CHECK_INT(totals(&p).events, 8 * 8);
	for (int i = 0; i < 40; i++) {
		replay_step(r, -1, 500 * MS);
		settle(&p);
	}
	CHECK_INT(r->position, r->info.start);
	CHECK(replay_jump(r, "+1000000000") == NULL);
	settle(&p);
	replay_end(r);
	settle(&p);
	CHECK_INT(totals(&p).events, 8 * 8);
	CHECK(replay_jump(r, "10:00") != NULL); /* there is no wall clock */
	static const char keys[] = "12345678 ?";
	for (const char *key = keys; *key != '\0'; key++) {
		ui_press(p.ui, &p.subject, (ui_key)*key);
		draw(&p);
	}
	CHECK_INT(player_fini(&p), 0);
	tape_fini(&tape);
}

/* Cut anywhere, or with any byte damaged, it plays what is sound, and says so. */
static void test_damage(void)
{
	struct tape tape;
	struct player p;
	char path[64];

	tape_plain(&tape, 300, 1u << 20);
	uint64_t seed = 1;
	unsigned told = 0;
	for (int round = 0; round < 200; round++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		/* Behind the header and what says whose it is. */
		size_t at = 400 + (size_t)(seed >> 33) % (tape.used - 400);
		unsigned char old = tape.data[at];
		tape.data[at] ^= (unsigned char)(1u << (seed >> 20 & 7));
		tape_save(&tape, round % 2 == 0 ? at : tape.used, path);
		memset(&p, 0, sizeof(p));
		CHECK_INT(replay_open(&p.replay, path, open(path, O_RDONLY | O_CLOEXEC)), 0);
		replay_close(&p.replay, 0);
		player_init(&p, path);
		replay_end(&p.replay);
		settle(&p);
		CHECK(p.replay.finished || p.replay.info.end == 0);
		CHECK(totals(&p).events <= 2 * 3 * 300);
		if (p.replay.info.fault != NULL)
			CHECK(shows(&p, p.replay.info.truncated ? "file cut short" : "file damaged"));
		told += player_fini(&p) != 0;
		tape.data[at] = old;
		unlink(path);
	}
	CHECK(told > 90);
	/* Cut to the last byte or into what says whose it is. */
	memset(&p, 0, sizeof(p));
	tape_save(&tape, 100, path);
	CHECK_INT(replay_open(&p.replay, path, open(path, O_RDONLY | O_CLOEXEC)), 1);
	unlink(path);
	tape_fini(&tape);
}

/* Write a chunk of domain 0 that says to hold one event, with as many open spans as there are begins; then that event, the end
 * of a minor collection at `at`. */
static void put_chunk(
    struct tape *tape, unsigned version, const uint64_t *begins, unsigned opens, uint64_t to, uint64_t at)
{
	uint8_t bytes[TRAIL_CHUNK], *p = trail_put_fixed(bytes, 0, 4);

	p = trail_put_fixed(p, 1, 4);
	p = trail_put_fixed(p, BEGIN, 8);
	p = trail_put_fixed(p, to, 8);
	p = trail_put_fixed(p, BEGIN, 8);
	p = varint_put(p, opens);
	for (unsigned i = 0; i < opens; i++)
		p = varint_put(varint_put(p, 0), begins[i]);
	if (version == 1) {
		*p++ = TRAIL_END;
		p = varint_put(p, fold((int64_t)(at - BEGIN)));
	} else {
		p = varint_put(p, (at - BEGIN) << TRAIL_CODE_BITS | (TRAIL_CODES_OWN + 1));
	}
	tape_blob(tape, TRAIL_BLOB_EVENTS, bytes, (size_t)(p - bytes));
}

/* What came of such a chunk. */
struct outcome {
	uint64_t damaged, minors, open;
};

/* Play a recording of such a chunk. */
static struct outcome play_chunk(
    unsigned version, const uint64_t *begins, unsigned opens, uint64_t to, uint64_t at)
{
	const uint8_t about[6 * 8 + 3] = {(uint8_t)version};
	static const uint8_t minor[] = {0, 0, 0, 0, TRAIL_LABEL_PHASE, 'm', 'i', 'n', 'o', 'r'};
	struct model_phase phase;
	struct tape tape;
	struct player p;

	tape_init(&tape, 1u << 20, NULL);
	tape_blob(&tape, TRAIL_BLOB_ABOUT, about, sizeof(about));
	tape_blob(&tape, TRAIL_BLOB_LABEL, minor, sizeof(minor));
	put_chunk(&tape, version, begins, opens, to, at);
	tape_finish(&tape, BEGIN + SECOND);
	player_of(&p, &tape, tape.used);
	replay_end(&p.replay);
	settle(&p);
	model_phase_total(watch_model(p.replay.watch), RTEV_PHASE_MINOR, &phase);
	struct outcome out = {.minors = phase.count, .open = totals(&p).open};
	int status = player_fini(&p);
	out.damaged = p.replay.info.damaged;
	CHECK_INT(status, out.damaged != 0);
	tape_fini(&tape);
	return out;
}

/* Play it, and compare. */
static void check_chunk(
    const uint64_t *begins, unsigned opens, uint64_t to, uint64_t at, struct outcome expected)
{
	for (unsigned version = 1; version <= TRAIL_VERSION; version++) {
		const struct outcome got = play_chunk(version, begins, opens, to, at);

		CHECK_INT(got.damaged, expected.damaged);
		CHECK_INT(got.minors, expected.minors);
		CHECK_INT(got.open, expected.open);
	}
}

/* Chunks whose header promises what their events do not keep. */
static void test_lies(void)
{
	uint64_t begins[TRAIL_OPEN_MAX + 1] = {BEGIN + MS, BEGIN - 5};

	/* A span that begins behind the events is none; the other one is what ends. */
	check_chunk(begins, 2, BEGIN, BEGIN, (struct outcome){.minors = 1});
	/* A stamp behind the last one. */
	check_chunk(begins + 1, 1, BEGIN, BEGIN + 1, (struct outcome){.damaged = 1});
	check_chunk(begins + 1, 1, BEGIN + 1, BEGIN + 1, (struct outcome){.minors = 1});
	/* As many open spans as a chunk can tell of, and one more. */
	for (unsigned i = 0; i <= TRAIL_OPEN_MAX; i++)
		begins[i] = BEGIN - MS + i;
	check_chunk(
	    begins, TRAIL_OPEN_MAX, BEGIN, BEGIN, (struct outcome){.minors = 1, .open = TRAIL_OPEN_MAX - 1});
	check_chunk(begins, TRAIL_OPEN_MAX + 1, BEGIN, BEGIN, (struct outcome){.damaged = 1});
}

/* A payload of which more is kept than there was. */
static void test_payload(void)
{
	/* Its length and how much is kept, as the writer has them. */
	static const char before[] = "\x38\x38payload";
	struct tape tape;
	struct player p;

	tape_init(&tape, 1u << 20, &(struct trail_about){.name = "made-up"});
	tape_add(&tape, TRAIL_CUSTOM, 0, BEGIN, 5, 0);
	tape_finish(&tape, BEGIN + SECOND);
	unsigned char *at = memmem(tape.data, tape.used, before, sizeof(before) - 1);
	CHECK(at != NULL);
	at[0] = 1 << 3;
	player_of(&p, &tape, tape.used);
	replay_end(&p.replay);
	settle(&p);
	CHECK_INT(player_fini(&p), 1);
	CHECK_INT(p.replay.info.damaged, 1);
	tape_fini(&tape);
}

/* A recording without events, and one of another version. */
static void test_empty(void)
{
	const struct trail_about about = {.name = "empty"};
	struct tape tape;
	struct player p;
	char path[64];

	tape_init(&tape, 4096, &about);
	tape_finish(&tape, 5);
	player_of(&p, &tape, tape.used);
	CHECK(shows(&p, "REPLAY 0:00.0 of 0:00.0"));
	replay_end(&p.replay);
	replay_play(&p.replay);
	settle(&p);
	replay_step(&p.replay, -1, SECOND);
	replay_step(&p.replay, 1, SECOND);
	settle(&p);
	CHECK_INT(player_fini(&p), 0);
	tape_fini(&tape);

	static const uint8_t other[64] = {TRAIL_VERSION + 1};
	tape_init(&tape, 4096, NULL);
	tape_blob(&tape, TRAIL_BLOB_ABOUT, other, sizeof(other));
	tape_finish(&tape, 5);
	tape_save(&tape, tape.used, path);
	CHECK_INT(replay_open(&p.replay, path, open(path, O_RDONLY | O_CLOEXEC)), 1);
	unlink(path);
	tape_fini(&tape);
}

/* Wander about in a recording, then print the figures at its end. */
static int print_stats(const char *path)
{
	static struct out out;
	struct model_totals t;
	struct player p;

	player_init(&p, path);
	struct replay *r = &p.replay;
	uint64_t tenth = (r->info.end - r->info.start) / 10;
	replay_end(r);
	settle(&p);
	for (int i = 0; i < 5; i++) {
		replay_skip(r, -3 * (int64_t)tenth);
		settle(&p);
		replay_step(r, i % 2 == 0 ? 1 : -1, 50 * MS);
		settle(&p);
		replay_skip(r, 2 * (int64_t)tenth);
		settle(&p);
	}
	replay_end(r);
	settle(&p);
	t = totals(&p);
	const struct stats_subject subject = {.pid = r->info.about.live ? r->info.about.pid : 0,
	    .name = r->info.about.name,
	    .ocaml = r->info.about.ocaml[0] != '\0' ? r->info.about.ocaml : NULL,
	    .ocaml_from = r->info.about.ocaml_from,
	    .duration_ns = r->info.about.live ? t.now - r->info.about.attach_ts : t.last_ts - t.first_ts};
	out_init(&out, STDOUT_FILENO);
	CHECK(stats_print_json(&out, watch_model(r->watch), &subject));
	out_flush(&out);
	return player_fini(&p);
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "stats") == 0)
		return print_stats(argv[2]);
	RUN(test_moving);
	RUN(test_jumps);
	RUN(test_playing);
	RUN(test_counts_from);
	RUN(test_nothing_left);
	RUN(test_odd_stamps);
	RUN(test_damage);
	RUN(test_lies);
	RUN(test_payload);
	RUN(test_empty);
	return 0;
}
