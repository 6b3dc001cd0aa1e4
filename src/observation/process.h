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

/*
 * memory.c: read the parts of a target's memory in a thread of its own, since a ring may not wait for so long.
 */

/* NULL when memory ran out. */
struct memory_reading *memory_reading_create(void);

/* Destroy it; a reading that is under way ends without a result. */
void memory_reading_destroy(struct memory_reading *m);

/* Begin to read the memory of a session's process unless one has begun in the last MEMORY_EVERY_NS.  With `wait`, read
 * it now.  True if there is a new result. */
bool memory_reading_turn(
    struct memory_reading *m, const struct session *s, uint64_t now, bool wait, struct system_memory *out);

/*
 * lock_names.c: the functions of the program that wait for a lock and that hold it: a lock has no other name.
 *
 * A thread of its own reads them from the stacks of sleeping threads, for at most a hundredth of the time, while the looks at
 * locks ask for names.  A sample slows the program, so running threads are seen only while its code is sampled anyway.
 */

struct lock_names *lock_names_create(void); /* NULL when memory ran out */
void lock_names_destroy(struct lock_names *n);

/* Pass the functions that were found to `past`, and begin to read again if it asks for names and the last reading is long
 * enough ago.  `wait`: return when that is done.  `samples`: running threads may be sampled. */
void lock_names_turn(struct lock_names *n, const struct session *s, uint64_t now, bool wait, bool samples,
    struct lock_past *past);

/*
 * growth.c: add the counters in the memory of a target to its model while the target records no events.
 *
 * When events begin or end, the sums of the model go on from where the other source stopped.  Memory also counts words
 * that are still in minor heaps; events count them at the next collection, so these are counted early.
 */

/* NULL when memory ran out. */
struct growth *growth_create(void);
void growth_destroy(struct growth *g);

/* Forget all samples: the process now runs another program. */
void growth_forget(struct growth *g);

/* Whether samples are of use: the target records no events now, or growth_begin was called. */
bool growth_waits(const struct growth *g, const struct model *m);

/* Call this once for each sample.  Returns whether the target recorded no events at this sample and the one before, so
 * that all of its events have been read. */
bool growth_goes_on(struct growth *g, const struct model *m);

/* Take a first sample to count from; later calls have no effect.  `each`: the runtime counts a minor collection once for
 * each running domain, as OCaml 5.0 does. */
void growth_begin(struct growth *g, const struct runtime_sample *sample, bool each, struct model *m);

/* Add to the model what a sample counts beyond it.  `silent`: growth_goes_on returned true; if not, all events up to the
 * sample must have been read. */
void growth_take(
    struct growth *g, const struct runtime_sample *sample, bool each, bool silent, struct model *m);
