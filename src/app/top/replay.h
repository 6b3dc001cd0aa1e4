/*
 * replay.h - play a recording in the live view: clock, speed, jumps.
 *
 * Terms
 *
 * position: a timestamp; the model has received every event up to it.
 *
 * target: the timestamp that the position moves to.  Playing advances the target by the wall clock times the
 * speed; a jump sets it.
 *
 * Going forward delivers the events in between, in turns of at most TURN_NS.  Going back creates a new observation
 * and delivers the events from the beginning, or, if these are more than REBUILD_EVENTS, from that many
 * events before the target.  The totals then count from there, as after a reset, and struct subject_replay
 * says so.
 */
#pragma once

#include "observation/observation.h"
#include "trail/reader.h"
#include "ui/subject.h"

#define REPLAY_SPEED_MAX 6 /* powers of two, faster and slower */

struct replay {
	char path[4096];
	int fd; /* -1: none */
	uint64_t file_bytes;
	size_t history_budget;
	struct trail *trail;
	struct trail_info info;
	struct observation *observation;
	struct observation *whole; /* of the whole file, while it is judged; NULL: done, or too long */
	struct headline said;	   /* the sentence about the whole file; its text is "": not judged */
	bool renewed;		   /* the observation was replaced; the caller clears it */

	bool read, indexed, playing, seeking, finished;
	int speed;
	uint64_t position, target;
	uint64_t since; /* stamp from which the totals will count; 0: they do already */
	uint64_t last_turn;

	struct subject_replay shown;
	char clock[16], date[16];
};

/* Start to play the recording open as `fd`, with a history of `history_budget` bytes (0: the default).  Takes
 * ownership of `fd`.  Returns 0, or an exit status after reporting the reason. */
int replay_open(struct replay *r, const char *path, int fd, size_t history_budget);

/* Close the recording.  Returns `status`, or EXIT_FAILED after reporting that the file is truncated or
 * damaged. */
int replay_close(struct replay *r, int status);

/* Take one turn.  Returns true if there is more to do at once. */
bool replay_turn(struct replay *r);

/* Whether the replay is playing or jumping. */
bool replay_moves(const struct replay *r);

/* Carry out keys.  `delay_ns` is the length of a step. */
void replay_play(struct replay *r);
void replay_speed(struct replay *r, int direction);
void replay_step(struct replay *r, int direction, uint64_t delay_ns);
void replay_skip(struct replay *r, int64_t nanoseconds);
void replay_start(struct replay *r);
void replay_end(struct replay *r);

/* Jump to a time given as text: "+S" or "-S" seconds from here, "S" from the start, "H:M[:S]" by the wall
 * clock.  Returns NULL, or an error message. */
const char *replay_jump(struct replay *r, const char *text);

/* Fill in the subject and update the watch. */
void replay_gather(struct replay *r, struct subject *to);
