/*
 * test_replay_damage.c - recordings that are cut short, damaged, empty or that lie: every call ends, what is
 * sound is played, and the rest is told of.
 */
#include <fcntl.h>
#include <unistd.h>

#include "support/trail_bytes.h"
#include "support/player.h"
#include "support/test.h"
#include "core/cut.h"

/* A recording that is damaged before its first event: its time is that of the attach, not that of stamp 0. */
TEST(test_nothing_left)
{
	struct tape tape;
	struct player p;
	size_t size = 0;

	player_tape(&tape, 10, 1u << 20);
	/* The longest beginning without an event that is a recording. */
	for (size_t cut = 8; cut < tape.used; cut += 8) {
		struct trail_info info = {0};
		struct trail *t;
		if (trail_open_bytes(&t, tape.data, cut) != TRAIL_OK)
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
	CHECK(player_shows(&p, "10:00:00"));
	replay_end(&p.replay);
	player_settle(&p);
	CHECK(player_shows(&p, "10:00:00"));
	CHECK_INT(player_fini(&p), 1);
	tape_fini(&tape);
}

/* Stamps far apart and stamps that go back: every call ends, and nothing is lost. */
TEST(test_odd_stamps)
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
		tape_add(&tape, TRAIL_SPAN_BEGIN, 0, stamps[i], 3, 0);
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
		player_settle(&p);
	}
	/* Each step over a silence led to the next event. */
	CHECK(r->finished);
	CHECK_INT(player_totals(&p).events, 8 * 8);
	for (int i = 0; i < 40; i++) {
		replay_step(r, -1, 500 * MS);
		player_settle(&p);
	}
	CHECK_INT(r->position, r->info.start);
	CHECK(replay_jump(r, "+1000000000") == NULL);
	player_settle(&p);
	replay_end(r);
	player_settle(&p);
	CHECK_INT(player_totals(&p).events, 8 * 8);
	CHECK(replay_jump(r, "10:00") != NULL); /* there is no wall clock */
	static const char keys[] = "12345678 ?";
	for (const char *key = keys; *key != '\0'; key++) {
		ui_press(p.ui, &p.subject, (ui_key)*key);
		player_draw(&p);
	}
	CHECK_INT(player_fini(&p), 0);
	tape_fini(&tape);
}

/* Cut anywhere, or with any byte damaged, it plays what is sound, and says so. */
TEST(test_damage)
{
	struct tape tape;
	struct player p;
	char path[64];

	player_tape(&tape, 300, 1u << 20);
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
		CHECK_INT(replay_open(&p.replay, path, open(path, O_RDONLY | O_CLOEXEC), 0), 0);
		replay_close(&p.replay, 0);
		player_init(&p, path);
		replay_end(&p.replay);
		player_settle(&p);
		CHECK(p.replay.finished || p.replay.info.end == 0);
		CHECK(player_totals(&p).events <= 2 * 3 * 300);
		if (p.replay.info.fault != NULL)
			CHECK(player_shows(&p, p.replay.info.truncated ? "file cut short" : "file damaged"));
		told += player_fini(&p) != 0;
		tape.data[at] = old;
		unlink(path);
	}
	CHECK(told > 90);
	/* Cut to the last byte or into what says whose it is. */
	memset(&p, 0, sizeof(p));
	tape_save(&tape, 100, path);
	CHECK_INT(replay_open(&p.replay, path, open(path, O_RDONLY | O_CLOEXEC), 0), 1);
	unlink(path);
	tape_fini(&tape);
}

/* Write a chunk of domain 0 that says to hold one event, with as many open spans as there are begins; then
 * that event, the end of a minor collection at `at`. */
static void put_chunk(struct tape *tape, const uint64_t *begins, unsigned opens, uint64_t to, uint64_t at)
{
	uint8_t bytes[TRAIL_CHUNK], *p = cut_put_fixed(bytes, 0, 4);

	p = cut_put_fixed(p, 1, 4);
	p = cut_put_fixed(p, BEGIN, 8);
	p = cut_put_fixed(p, to, 8);
	p = cut_put_fixed(p, BEGIN, 8);
	p = varint_put(p, opens);
	for (unsigned i = 0; i < opens; i++)
		p = varint_put(varint_put(p, 0), begins[i]);
	p = varint_put(p, (at - BEGIN) << TRAIL_CODE_BITS | (TRAIL_CODES_OWN + 1));
	tape_blob(tape, TRAIL_BLOB_EVENTS, bytes, (size_t)(p - bytes));
}

/* What came of such a chunk. */
struct outcome {
	uint64_t damaged, minors, open;
};

/* Play a recording of such a chunk. */
static struct outcome play_chunk(const uint64_t *begins, unsigned opens, uint64_t to, uint64_t at)
{
	const uint8_t about[6 * 8 + 3] = {TRAIL_VERSION};
	static const uint8_t minor[] = {0, 0, 0, 0, TRAIL_LABEL_PHASE, 'm', 'i', 'n', 'o', 'r'};
	struct model_phase phase;
	struct tape tape;
	struct player p;

	tape_init(&tape, 1u << 20, NULL);
	tape_blob(&tape, TRAIL_BLOB_ABOUT, about, sizeof(about));
	tape_blob(&tape, TRAIL_BLOB_LABEL, minor, sizeof(minor));
	put_chunk(&tape, begins, opens, to, at);
	tape_finish(&tape, BEGIN + SECOND);
	player_of(&p, &tape, tape.used);
	replay_end(&p.replay);
	player_settle(&p);
	model_phase_total(p.replay.observation->model, RTEV_PHASE_MINOR, &phase);
	struct outcome out = {.minors = phase.count, .open = player_totals(&p).open};
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
	const struct outcome got = play_chunk(begins, opens, to, at);

	CHECK_INT(got.damaged, expected.damaged);
	CHECK_INT(got.minors, expected.minors);
	CHECK_INT(got.open, expected.open);
}

/* Chunks whose header promises what their events do not keep. */
TEST(test_lies)
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
TEST(test_payload)
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
	player_settle(&p);
	CHECK_INT(player_fini(&p), 1);
	CHECK_INT(p.replay.info.damaged, 1);
	tape_fini(&tape);
}

/* A recording without events, and one of another version. */
TEST(test_empty)
{
	const struct trail_about about = {.name = "empty"};
	struct tape tape;
	struct player p;
	char path[64];

	tape_init(&tape, 4096, &about);
	tape_finish(&tape, 5);
	player_of(&p, &tape, tape.used);
	CHECK(player_shows(&p, "REPLAY 0:00.0 of 0:00.0"));
	replay_end(&p.replay);
	replay_play(&p.replay);
	player_settle(&p);
	replay_step(&p.replay, -1, SECOND);
	replay_step(&p.replay, 1, SECOND);
	player_settle(&p);
	CHECK_INT(player_fini(&p), 0);
	tape_fini(&tape);

	static const uint8_t other[64] = {TRAIL_VERSION + 1};
	tape_init(&tape, 4096, NULL);
	tape_blob(&tape, TRAIL_BLOB_ABOUT, other, sizeof(other));
	tape_finish(&tape, 5);
	tape_save(&tape, tape.used, path);
	CHECK_INT(replay_open(&p.replay, path, open(path, O_RDONLY | O_CLOEXEC), 0), 1);
	unlink(path);
	tape_fini(&tape);
}
