/*
 * test_replay.c - the clock of a replay: playing, stepping, jumping, and what it says of itself; on made-up
 * recordings, and with a file on what a real ring was recorded to.
 *
 *   test_replay                 the tests
 *   test_replay stats FILE.fxt  wander about in a recording, and print its figures at its end, as
 *                               `rtevtop stats --json` does
 *   test_replay trend FILE.fxt  print what its trend has at its end, as JSON
 */
#include <unistd.h>

#include "app/commands/stats_report.h"
#include "core/clock.h"
#include "support/player.h"
#include "support/test.h"

/* Steps, jumps and their ends. */
TEST(test_moving)
{
	struct tape tape;
	struct player p;

	player_tape(&tape, 30000, 4u << 20);
	player_of(&p, &tape, tape.used);
	struct replay *r = &p.replay;
	CHECK_INT(r->info.start, BEGIN);
	CHECK_INT(r->info.end, BEGIN + 30500 * MS);
	CHECK(player_shows(&p, "REPLAY 0:00.0 of 0:30.5 1x stopped"));
	CHECK(player_shows(&p, "made-up 4242"));
	CHECK(player_shows(&p, "10:00:00"));
	/* All of it was judged before its first second is played. */
	CHECK(player_shows(&p, "whole file: ") && !player_shows(&p, "LOOKING"));
	/* So say its shorter forms, for narrow screens. */
	CHECK(strncmp(p.subject.headline.said.shorter[0], "whole file: ", 12) == 0);
	replay_step(r, 1, 500 * MS);
	player_settle(&p);
	CHECK_INT(r->position, BEGIN + 500 * MS);
	/* The 500th collection of D0 begins just then, that of D1 a nanosecond later. */
	CHECK_INT(player_totals(&p).events, 2 * 3 * 499 + 1);
	CHECK_INT(player_totals(&p).open, 1);
	replay_step(r, -1, 200 * MS);
	player_settle(&p);
	CHECK_INT(r->position, BEGIN + 300 * MS);
	CHECK_INT(player_totals(&p).events, 2 * 3 * 299 + 1);
	replay_skip(r, 10 * (int64_t)SECOND);
	/* Another key before it is there. */
	replay_skip(r, 10 * (int64_t)SECOND);
	player_settle(&p);
	CHECK_INT(r->position, BEGIN + 20300 * MS);
	CHECK(player_shows(&p, "10:00:20"));
	replay_end(r);
	player_settle(&p);
	CHECK(r->finished);
	CHECK_INT(player_totals(&p).events, 2 * 3 * 30000);
	CHECK_INT(player_totals(&p).open, 0);
	CHECK(player_shows(&p, "REPLAY 0:30.5 of 0:30.5 1x at end"));
	/* On from the end is nowhere. */
	replay_step(r, 1, 500 * MS);
	replay_skip(r, 10 * (int64_t)SECOND);
	player_settle(&p);
	CHECK_INT(r->position, r->info.end);
	/* A step back into the silence at the end, and one to before the last event. */
	replay_step(r, -1, 100 * MS);
	player_settle(&p);
	CHECK(!r->finished);
	CHECK_INT(r->position, BEGIN + 30000 * MS + 100001 - 1);
	CHECK_INT(player_totals(&p).events, 2 * 3 * 30000 - 1);
	replay_skip(r, INT64_MIN);
	player_settle(&p);
	CHECK_INT(r->position, BEGIN);
	CHECK_INT(player_totals(&p).events, 0);
	replay_skip(r, INT64_MAX);
	player_settle(&p);
	CHECK_INT(r->position, r->info.end);
	/* Playing at the end begins anew. */
	replay_play(r);
	player_settle(&p);
	CHECK(r->playing && r->position < r->info.end);
	CHECK_INT(player_fini(&p), 0);
	tape_fini(&tape);
}

/* Where a text leads, and what is wrong with others. */
TEST(test_jumps)
{
	static const struct {
		const char *text;
		uint64_t to; /* ms from the start */
	} good[] = {{"12.5", 12500}, {"+1", 13500}, {"-0.25", 13250}, {"10:00:07", 7000},
	    {"10:00:08.125", 8125}, {"10:00", 0}, {"0", 0}, {"-3", 0}, {"+99999", 30500},
	    {"999999999999", 30500}, {".5", 500}, {"+250ms", 750}, {"99999999999999999999", 30500},
	    {"9:59:59", 0}, {"10:01", 30500}, {"3.", 3000}};
	static const char *const bad[] = {"", "+", "-", "x", "1x", "1 ", "++1", "1e3", "0x10", "1.2.3",
	    "10:", ":", "10: 5", "10:-5", "10:00:", "10:00:1m", "10:00:00:00", "24:00", "10:60", "10:00:61",
	    "10.5:00", "-10:00", "10:x", "nan", "inf"};
	struct tape tape;
	struct player p;

	player_tape(&tape, 30000, 4u << 20);
	player_of(&p, &tape, tape.used);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const char *problem = replay_jump(&p.replay, good[i].text);
		if (problem != NULL)
			TEST_FAIL("%s: %s", good[i].text, problem);
		player_settle(&p);
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
TEST(test_playing)
{
	struct tape tape;
	struct player p;

	player_tape(&tape, 3000, 1u << 20);
	player_of(&p, &tape, tape.used);
	struct replay *r = &p.replay;
	for (int i = 0; i < 20; i++)
		replay_speed(r, -1);
	CHECK_INT(r->speed, -REPLAY_SPEED_MAX);
	CHECK(player_shows(&p, "1/64x"));
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
	CHECK_INT(player_totals(&p).events, 2 * 3 * 3000);
	CHECK_INT(player_fini(&p), 0);
	tape_fini(&tape);
}

/* Going back in a long recording tells a part of it again, and says from where on it counts. */
TEST(test_counts_from)
{
	enum { COUNT = 600000 };
	struct tape tape;
	struct player p;

	player_tape(&tape, COUNT, 40u << 20);
	player_of(&p, &tape, tape.used);
	struct replay *r = &p.replay;
	replay_end(r);
	player_settle(&p);
	CHECK_INT(player_totals(&p).events, 2 * 3 * COUNT);
	CHECK(!player_shows(&p, "counts from"));
	replay_skip(r, -(int64_t)SECOND);
	player_settle(&p);
	uint64_t from = r->shown.counts_from;
	CHECK(from > r->info.start && from < r->position);
	CHECK(player_shows(&p, "counts from "));
	/* What is counted is what happened since, neither more nor less, but for what was open then. */
	uint64_t since = (from - BEGIN) / MS, until = (r->position - BEGIN) / MS;
	CHECK_NEAR(player_totals(&p).events, 6 * (until - since), 8);
	CHECK(player_totals(&p).events > 1500000 && player_totals(&p).events < 2500000);
	struct model_phase minor;
	model_phase_total(r->observation->model, RTEV_PHASE_MINOR, &minor);
	CHECK_NEAR(minor.count, 2 * (until - since), 4);
	CHECK_INT(minor.max, 100000);
	/* At the start nothing is left out. */
	replay_start(r);
	player_settle(&p);
	CHECK_INT(player_totals(&p).events, 0);
	CHECK_INT(r->shown.counts_from, 0);
	CHECK_INT(player_fini(&p), 0);
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
	player_settle(&p);
	for (int i = 0; i < 5; i++) {
		replay_skip(r, -3 * (int64_t)tenth);
		player_settle(&p);
		replay_step(r, i % 2 == 0 ? 1 : -1, 50 * MS);
		player_settle(&p);
		replay_skip(r, 2 * (int64_t)tenth);
		player_settle(&p);
	}
	replay_end(r);
	player_settle(&p);
	t = player_totals(&p);
	const struct stats_subject subject = {.pid = r->info.about.live ? r->info.about.pid : 0,
	    .name = r->info.about.name,
	    .ocaml = r->info.about.ocaml[0] != '\0' ? r->info.about.ocaml : NULL,
	    .ocaml_from = r->info.about.ocaml_from,
	    .system = r->observation->past,
	    .advice = r->observation->advice,
	    .duration_ns = r->info.about.live ? t.now - r->info.about.attach_ts : t.last_ts - t.first_ts};
	out_init(&out, STDOUT_FILENO);
	CHECK(stats_print_json(&out, r->observation->model, &subject));
	out_flush(&out);
	return player_fini(&p);
}

/* Print figures of the trend at the end of a recording. */
static int print_trend(const char *path)
{
	struct trend_span span;
	struct player p;

	player_init(&p, path);
	replay_end(&p.replay);
	player_settle(&p);
	CHECK(trend_read_tier(watch_trend(p.replay.observation->watch), 0, 0, UINT64_MAX, &span));
	printf("{\"seen_s\":%.3f,\"sampled_s\":%.3f,\"gc_share\":%.6f,\"cpu\":%.6f}\n",
	    (double)span.seen_ns / 1e9, (double)span.sampled_ns / 1e9, span.figures[TREND_GC].value,
	    span.figures[TREND_CPU].value);
	return player_fini(&p);
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "trend") == 0)
		return print_trend(argv[2]);
	if (argc == 3 && strcmp(argv[1], "stats") == 0)
		return print_stats(argv[2]);
	test_run();
	return 0;
}
