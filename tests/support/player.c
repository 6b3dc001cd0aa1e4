/*
 * player.c - a recording that is played for tests, and the ui that shows it.
 */
#include "support/player.h"

#include <fcntl.h>
#include <unistd.h>

#include "support/offers.h"
#include "support/test.h"

void player_draw(struct player *p)
{
	replay_gather(&p->replay, &p->subject);
	if (p->replay.renewed)
		ui_renew(p->ui);
	p->replay.renewed = false;
	ui_draw(p->ui, &p->subject, p->canvas);
}

void player_settle(struct player *p)
{
	for (unsigned turns = 0; !p->replay.indexed || p->replay.seeking; turns++) {
		if (turns > 100000)
			TEST_FAIL("it never comes to its target");
		replay_turn(&p->replay);
		if (turns % 8 == 0)
			player_draw(p);
	}
	player_draw(p);
}

void player_init(struct player *p, const char *path)
{
	memset(p, 0, sizeof(*p));
	CHECK_INT(replay_open(&p->replay, path, open(path, O_RDONLY | O_CLOEXEC), 0), 0);
	p->ui = ui_create(&(struct ui_options){.view = VIEW_PANES, .offers = story_offers(STORY_APP_ALL)});
	p->canvas = canvas_create(40, 120);
	CHECK(p->ui != NULL && p->canvas != NULL);
	player_settle(p);
	CHECK(p->replay.playing);
	replay_play(&p->replay);
	CHECK(!p->replay.playing);
}

int player_fini(struct player *p)
{
	ui_destroy(p->ui);
	canvas_destroy(p->canvas);
	return replay_close(&p->replay, 0);
}

struct model_totals player_totals(const struct player *p)
{
	const struct model_totals t = model_totals(p->replay.observation->model);

	return t;
}

bool player_shows(struct player *p, const char *text)
{
	player_draw(p);
	char *screen = canvas_dump(p->canvas);
	bool found = screen != NULL && strstr(screen, text) != NULL;
	free(screen);
	return found;
}

void player_tape(struct tape *tape, unsigned count, size_t room)
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

void player_of(struct player *p, const struct tape *tape, size_t size)
{
	char path[64];

	tape_save(tape, size, path);
	player_init(p, path);
	unlink(path);
}
