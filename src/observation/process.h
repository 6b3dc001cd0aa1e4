/*
 * process.h - within the room: what is read of a session's process besides its events.  The results are kept in the
 * struct observation; process.c also defines the functions of observation.h that are about them.
 */
#pragma once

#include "observation/observation.h"

/* Set *program to what the process of a session runs now; its pid is 0 if the process has ended, or the session is of a
 * file.  Returns whether that is another program than before, so that what was made for the old one must be made anew. */
bool program_follow(struct program *program, const struct session *s);

/* Ask the target whether it has paused its events, if that is due or `last` is set. */
void process_ask(struct observation *o, uint64_t now, bool last);

/* Stop asking whether events are paused, and give back what that needs. */
void process_ask_no_more(struct observation *o);

/* Sample the process if that is due or `last` is set, and read the settings of its runtime.  Returns whether there is a new
 * sample. */
bool process_sample(struct observation *o, uint64_t now, bool last);

/* Do process_ask and process_sample, and note what is new in the recording. */
void process_inquire(struct observation *o, uint64_t now, bool last);

/* Look at which threads wait for which locks, if that is due, for the findings. */
void process_look_at_locks(struct observation *o, uint64_t now);

/* Learn in which functions threads wait for locks, where that is worth it. */
void process_name_locks(struct observation *o, uint64_t now, bool wait);

/* Take the samples of the code, if it is sampled; process_code_finish takes all that are left, at the end. */
void process_code_turn(struct observation *o, uint64_t now);
void process_code_finish(struct observation *o);

/* Close what reads the process: samples and counters.  process_fini frees all that this file keeps, too. */
void process_close(struct observation *o);
void process_fini(struct observation *o);
