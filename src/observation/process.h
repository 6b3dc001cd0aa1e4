/*
 * process.h - within the room: what is read of the process of a session besides its events.  It is all kept in the
 * observation, and what observation.h declares of it stands here, too.
 */
#pragma once

#include "observation/observation.h"

/* Take up which program the process of a session runs now; pid 0: it has ended, or was a file.  Returns whether that is
 * another than before: what was made for that one is then begun anew. */
bool program_follow(struct program *program, const struct session *s);

/* Ask the target whether it has paused its events, if it is time to or with `last`. */
void process_ask(struct observation *o, uint64_t now, bool last);

/* Ask it no more, and give back what that needs. */
void process_ask_no_more(struct observation *o);

/* Sample the process if it is time to or with `last`, and read the settings of its runtime.  Returns whether there is a new
 * sample. */
bool process_sample(struct observation *o, uint64_t now, bool last);

/* Ask and sample, and note what is new. */
void process_inquire(struct observation *o, uint64_t now, bool last);

/* Look at which threads wait for which locks, if it is time to, for the findings. */
void process_look_at_locks(struct observation *o, uint64_t now);

/* Learn in which functions threads wait for locks, where that is worth it. */
void process_name_locks(struct observation *o, uint64_t now, bool wait);

/* Take in what was sampled of its code, if it is; at the end all that is left. */
void process_code_turn(struct observation *o, uint64_t now);
void process_code_finish(struct observation *o);

/* End the samples and the looks at its counters; in the end, all. */
void process_close(struct observation *o);
void process_fini(struct observation *o);
