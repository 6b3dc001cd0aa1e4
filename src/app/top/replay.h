/*
 * replay.h - play a recording in the live view: its clock, its speed, its jumps.
 *
 * Terms
 *   position   A stamp: the model has been told of every event up to it.
 *   target     Where the position is to come to.  Playing moves it on with the wall clock times the speed; a jump sets it.
 *
 * Going on delivers what lies between, in turns that end after TURN_NS.  Going back makes a new watch and tells it of the
 * events from the beginning on, or, where these are more than REBUILD_EVENTS, from so many events before the target on.  The
 * totals then count from there, as after a reset, and struct subject_replay says so.
 */
#ifndef APP_TOP_REPLAY_H
#define APP_TOP_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "advice/advice.h"
#include "trail/reader.h"
#include "ui/subject.h"

#define REPLAY_SPEED_MAX 6 /* powers of two, up and down */

struct replay {
	char path[4096];
	int fd; /* -1: none is open */
	uint64_t file_bytes;
	size_t history_budget;
	struct trail *trail;
	struct trail_info info;
	struct watch *watch;
	struct advice *advice; /* of the watch */
	struct trail_sink sink;
	bool renewed; /* the watch is another one: for the caller to notice and reset */

	bool indexed, playing, seeking, finished;
	int speed;
	uint64_t position, target;
	uint64_t since; /* the totals are to begin here; 0: they have begun */
	uint64_t last_turn;

	struct subject_replay shown;
	char clock[16], date[16];
};

/* Begin to play a recording that is open as `fd`, which is taken, with a history of so many bytes (0: the default).  0, or an exit status after the reason was reported. */
int replay_open(struct replay *r, const char *path, int fd, size_t history_budget);

/* Close it.  The exit status: `status`, or EXIT_FAILED after it was reported that the file is cut short or damaged. */
int replay_close(struct replay *r, int status);

/* Bring watch and advice to a stamp up to which everything has been delivered. */
void replay_advance(struct replay *r, uint64_t ts);

/* One turn; true when there is more to do at once. */
bool replay_turn(struct replay *r);

/* Whether time goes on by itself. */
bool replay_moves(const struct replay *r);

/* Go to a stamp, or as near to it as the recording allows. */
void replay_go(struct replay *r, uint64_t ts);

/* Keys.  `delay_ns` is the time of a step. */
void replay_play(struct replay *r);
void replay_speed(struct replay *r, int direction);
void replay_step(struct replay *r, int direction, uint64_t delay_ns);
void replay_skip(struct replay *r, int64_t nanoseconds);
void replay_start(struct replay *r);
void replay_end(struct replay *r);

/* Go where a text says: "+S" or "-S" seconds from here, "S" from the start, "H:M[:S]" by the wall clock.  NULL, or why not. */
const char *replay_jump(struct replay *r, const char *text);

/* Fill in what the live view shows, and bring the watch up to date. */
void replay_gather(struct replay *r, struct subject *to);

#endif
