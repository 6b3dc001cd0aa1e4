/*
 * sink.h - what a recording is made of, whatever the form of its file.
 *
 * A *track* is a line of nested slices: one a domain, and RECORD_TRACK_TARGET for what concerns the whole
 * process.  A *label* is a name by its number, so that a form with a table of strings writes its text once;
 * record_label_text gives the text, which may be any bytes.  Stamps are nanoseconds of CLOCK_MONOTONIC; a sink gets
 * times in nanoseconds since boot (clock.h).
 */
#ifndef RECORD_SINK_H
#define RECORD_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/disk.h"
#include "model/model.h"
#include "trail/trail.h"

/* X(name, text): the names that are our own, of events, arguments and categories. */
#define RECORD_WORD_LIST(X)                                                                                  \
	X(GC, "gc")                                                                                          \
	X(USER, "user")                                                                                      \
	X(LIFECYCLE, "lifecycle")                                                                            \
	X(TRACING, "tracing")                                                                                \
	X(COUNTERS, "counters")                                                                              \
	X(LOST, "lost")                                                                                      \
	X(CORRUPT, "corrupt")                                                                                \
	X(RESTART, "restart")                                                                                \
	X(PAUSED, "tracing paused")                                                                          \
	X(ALLOC, "alloc")                                                                                    \
	X(OPEN, "open")                                                                                      \
	X(AT_MOST, "at_most")                                                                                \
	X(WORDS, "words")                                                                                    \
	X(DATA, "data")                                                                                      \
	X(TEXT, "text")                                                                                      \
	X(HEX, "hex")                                                                                        \
	X(LENGTH, "length")                                                                                  \
	X(VALUE, "value")                                                                                    \
	X(OCCURRENCES, "occurrences")                                                                        \
	X(BYTES, "bytes")                                                                                    \
	X(BLOCKS, "blocks")                                                                                  \
	X(WORK, "work")

enum record_word {
#define RECORD_WORD_ENUM(name, text) RECORD_##name,
	RECORD_WORD_LIST(RECORD_WORD_ENUM)
#undef RECORD_WORD_ENUM
	    RECORD_WORD_COUNT
};

enum record_label_kind {
	RECORD_LABEL_WORD,	/* number: enum record_word */
	RECORD_LABEL_PHASE,	/* rtev_phase */
	RECORD_LABEL_COUNTER,	/* rtev_counter */
	RECORD_LABEL_LIFECYCLE, /* rtev_lifecycle */
	RECORD_LABEL_USER,	/* the model's user slot */
	RECORD_LABEL_BUCKET,	/* of an alloc event */
	RECORD_LABEL_KINDS
};

struct record_label {
	enum record_label_kind kind;
	uint32_t number;
};

/* The text of a label, not NUL-terminated; in `buf` where it is not kept elsewhere.  Valid until the model
 * changes. */
const char *record_label_text(
    const struct model *m, struct record_label label, char buf[RTEV_NAME_SIZE], size_t *len);

struct record_arg {
	struct record_label name;
	enum { RECORD_ARG_INT, RECORD_ARG_BOOL, RECORD_ARG_TEXT } type;
	int64_t value;
	const char *text; /* valid UTF-8 */
	size_t len;
};

enum record_kind {
	RECORD_SLICE,	/* on its track, properly nested in the others there */
	RECORD_ASYNC,	/* a slice beside the tracks */
	RECORD_INSTANT, /* at `begin` */
	RECORD_COUNTER	/* at `begin`: a track of values for each argument, all of them integers */
};

struct record_event {
	enum record_kind kind;
	unsigned track;
	enum record_word category;
	struct record_label name;
	uint64_t begin, end;
	uint64_t id; /* of an async slice: none that it overlaps has it */
	unsigned arg_count;
	const struct record_arg *args;
};

#define RECORD_TRACK_TARGET MODEL_DOMAINS_MAX /* tracks below are domains */

/* Whose recording it is. */
struct record_subject {
	int64_t pid;
	const char *name;   /* of the process or file, untrusted bytes */
	uint64_t base_ts;   /* one moment on three clocks: a stamp, */
	uint64_t base_boot; /* time since boot, */
	int64_t base_wall;  /* and nanoseconds since 1970 UTC; all 0 when it is not known */

	/* What a replay shows besides; NULL and 0 where it is not known. */
	const char *program;		/* as `name`, nothing else in it */
	const char *ocaml, *ocaml_from; /* version, and how it is known */
	bool live;
	uint64_t attach_ts; /* as the model's */
};

/* Clocks that differ by less tell of no sleep: they were read one after the other. */
#define RECORD_SLEEP_MIN_NS 1000000u

/* For how long the machine had slept at that moment. */
static inline uint64_t record_subject_slept(const struct record_subject *subject)
{
	bool slept = subject->base_boot > subject->base_ts &&
		     subject->base_boot - subject->base_ts >= RECORD_SLEEP_MIN_NS;

	return slept ? subject->base_boot - subject->base_ts : 0;
}

/* A form of file.  Faults are kept and told at the end: the disk's own by the disk. */
struct record_sink {
	/* Write what comes first.  Called once, before all else. */
	void (*start)(struct record_sink *self, const struct record_subject *subject);
	/* Give a track its name, before the first event on it. */
	void (*track)(struct record_sink *self, unsigned track, const char *name);
	void (*event)(struct record_sink *self, const struct record_event *event);
	/* Give what is written to the disk. */
	void (*pass_on)(struct record_sink *self);
	/* As pass_on, at the end.  RTEV_OK, or what went wrong besides a failed write.  Frees the sink. */
	int (*finish)(struct record_sink *self);
	/* Write a blob of the trail; NULL for a form of file that has no place for it. */
	void (*blob)(struct record_sink *self, enum trail_blob blob, const void *data, size_t len);
};

/* Make a sink that writes to a disk of buffers of RECORD_BUFFER bytes and with the tail of its form, both of which outlive it.  NULL
 * when memory ran out. */
#define RECORD_BUFFER 65536u
#define RECORD_FXT_TAIL ""
#define RECORD_JSON_TAIL "\n]}\n"
struct record_sink *record_fxt_create(struct disk *disk, const struct model *m);
struct record_sink *record_json_create(struct disk *disk, const struct model *m);

#endif
