/*
 * player.h - a recording that is played for tests, and the ui that shows it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "app/top/replay.h"
#include "canvas/canvas.h"
#include "support/tape.h"
#include "ui/ui.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define BEGIN (1000 * SECOND) /* the first stamp of player_tape */

struct player {
	struct replay replay;
	struct subject subject;
	struct ui *ui;
	struct canvas *canvas;
};

/* Show it. */
void player_draw(struct player *p);

/* Go on until it has come to where it is to be; drawn now and then, as the live view does. */
void player_settle(struct player *p);

/* Open a file, and stop it once it has been read. */
void player_init(struct player *p, const char *path);

/* Close it; returns the exit status. */
int player_fini(struct player *p);

/* The figures now. */
struct model_totals player_totals(const struct player *p);

/* Whether the screen shows a text. */
bool player_shows(struct player *p, const char *text);

/* A recording of `count` minor collections on each of two domains, one a millisecond, at 10:00:00 UTC. */
void player_tape(struct tape *tape, unsigned count, size_t room);

/* Open a made-up recording and remove its file. */
void player_of(struct player *p, const struct tape *tape, size_t size);
