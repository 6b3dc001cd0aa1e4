/*
 * sink.h - the contents of a recording, independent of the form of its file.
 *
 * A *track* is a row of nested slices.  There is one for each domain, RECORD_TRACK_TARGET for the process,
 * one for the runs of fibers and one for the waits of threads of each domain, those of fibers
 * (fiber_tracks.c) and those of sampled threads (code_tracks.c).  A *label* is a name by number, so that a
 * form with a string table writes its text once; record_label_text returns the text, which is untrusted.
 * Stamps are CLOCK_MONOTONIC; sinks receive times since boot (tracks_private.h).
 */
#pragma once

#include "core/std.h"
#include "model/model.h"
#include "files/disk.h"
#include "trail/trail.h"

/* X(name, text): our own names of events, arguments and categories. */
#define RECORD_WORD_LIST(X)                                                                                  \
	X(RECORD_GC, "gc")                                                                                   \
	X(RECORD_USER, "user")                                                                               \
	X(RECORD_LIFECYCLE, "lifecycle")                                                                     \
	X(RECORD_TRACING, "tracing")                                                                         \
	X(RECORD_COUNTERS, "counters")                                                                       \
	X(RECORD_LOST, "lost")                                                                               \
	X(RECORD_CORRUPT, "corrupt")                                                                         \
	X(RECORD_RESTART, "restart")                                                                         \
	X(RECORD_PAUSED, "tracing paused")                                                                   \
	X(RECORD_ALLOC, "alloc")                                                                             \
	X(RECORD_OPEN, "open")                                                                               \
	X(RECORD_AT_MOST, "at_most")                                                                         \
	X(RECORD_WORDS, "words")                                                                             \
	X(RECORD_DATA, "data")                                                                               \
	X(RECORD_TEXT, "text")                                                                               \
	X(RECORD_HEX, "hex")                                                                                 \
	X(RECORD_LENGTH, "length")                                                                           \
	X(RECORD_VALUE, "value")                                                                             \
	X(RECORD_OCCURRENCES, "occurrences")                                                                 \
	X(RECORD_BYTES, "bytes")                                                                             \
	X(RECORD_BLOCKS, "blocks")                                                                           \
	X(RECORD_WORK, "work")                                                                               \
	X(RECORD_FIBER, "fiber")                                                                             \
	X(RECORD_OBJECT, "object")                                                                           \
	X(RECORD_GC_NS, "gc_ns")                                                                             \
	X(RECORD_FORK, "fork")                                                                               \
	X(RECORD_PUT, "put")                                                                                 \
	X(RECORD_CODE, "code")                                                                               \
	X(RECORD_SAMPLES, "samples")                                                                         \
	X(RECORD_FILE, "file")                                                                               \
	X(RECORD_OFF_CPU, "off_cpu")                                                                         \
	X(RECORD_INCOMPLETE, "incomplete")

enum record_word { RECORD_WORD_LIST(LIST_NAME) RECORD_WORD_COUNT };

enum record_label_kind {
	RECORD_LABEL_WORD,	/* enum record_word */
	RECORD_LABEL_PHASE,	/* rtev_phase */
	RECORD_LABEL_COUNTER,	/* rtev_counter */
	RECORD_LABEL_LIFECYCLE, /* rtev_lifecycle */
	RECORD_LABEL_USER,	/* slot of the model */
	RECORD_LABEL_BUCKET,	/* of an alloc event */
	RECORD_LABEL_FIBER,	/* number of a fiber's name; RECORD_FIBER_NAMES and more: not kept */
	RECORD_LABEL_CODE,	/* function of a profile of the code, below RECORD_CODE_NAMES */
	RECORD_LABEL_KINDS
};

#define RECORD_FIBER_NAMES 2048u
#define RECORD_CODE_NAMES 16384u

struct record_label {
	enum record_label_kind kind;
	uint32_t number;
	const char *text; /* of RECORD_LABEL_FIBER and RECORD_LABEL_CODE, with its length */
	size_t len;
};

/* Text of a label, not NUL-terminated, in `buf` unless it is stored elsewhere.  Valid until the model changes. */
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
	RECORD_SLICE,	/* on its track, properly nested */
	RECORD_ASYNC,	/* a slice beside the track */
	RECORD_INSTANT, /* at `begin` */
	RECORD_COUNTER, /* at `begin`: one series for each argument; all are integers */
	RECORD_FLOW	/* from `begin`, in a slice written before, to `end` in one of `to_track` */
};

struct record_event {
	enum record_kind kind;
	unsigned track, to_track;
	enum record_word category;
	struct record_label name;
	uint64_t begin, end;
	uint64_t id; /* of an async slice: unique among overlapping ones; or of a flow */
	unsigned arg_count;
	const struct record_arg *args;
};

#define RECORD_TRACK_TARGET MODEL_DOMAINS_MAX /* smaller numbers are domains */
#define RECORD_TRACK_RUNS                                                                                    \
	(RECORD_TRACK_TARGET + 1)			/* runs of fibers on the first domain; the other
							 * domains follow */
#define RECORD_TRACK_FIBERS (2 * MODEL_DOMAINS_MAX + 1) /* the first track of a fiber */
#define RECORD_FIBERS_MAX 512u
#define RECORD_TRACK_CODE (RECORD_TRACK_FIBERS + RECORD_FIBERS_MAX) /* the first track of a sampled thread */
#define RECORD_TRACK_WAITS                                                                                   \
	(4 * MODEL_DOMAINS_MAX) /* waits of the first domain's threads; the other domains
						    * follow */

/* What is recorded. */
struct record_subject {
	int64_t pid;
	const char *name;   /* of the process or file, untrusted */
	uint64_t base_ts;   /* the base moment as a stamp; 0 if unknown */
	uint64_t base_boot; /* the base moment as time since boot; 0 if unknown */
	int64_t base_wall;  /* the base moment in ns since 1970 UTC; 0 if unknown */

	/* For a replay; NULL or 0 if unknown. */
	const char *program;		/* the program's name alone */
	const char *ocaml, *ocaml_from; /* version, and its source */
	bool live;
	uint64_t attach_ts; /* as in the model */
};

/* A smaller difference between the clocks may come from the time between two readings. */
#define RECORD_SLEEP_MIN_NS 1000000u

/* How long the machine had slept at the base. */
static inline uint64_t record_subject_slept(const struct record_subject *subject)
{
	bool slept = subject->base_boot > subject->base_ts &&
		     subject->base_boot - subject->base_ts >= RECORD_SLEEP_MIN_NS;

	return slept ? subject->base_boot - subject->base_ts : 0;
}

/* A form of file.  Errors are kept and returned by finish; the disk keeps those of writing. */
struct record_sink {
	/* Write the start of the file.  Called once, first. */
	void (*start)(struct record_sink *self, const struct record_subject *subject);
	/* Name a track, before its first event. */
	void (*track)(struct record_sink *self, unsigned track, const char *name);
	void (*event)(struct record_sink *self, const struct record_event *event);
	/* Pass what has been written to the disk. */
	void (*pass_on)(struct record_sink *self);
	/* Pass on the rest, and free the sink.  Returns RTEV_OK, or an error other than a failed write. */
	int (*finish)(struct record_sink *self);
	/* Write a blob of the trail.  NULL if the form has no place for it. */
	void (*blob)(struct record_sink *self, enum trail_blob blob, const void *data, size_t len);
};

/* Create a sink.  The disk must have buffers of RECORD_BUFFER bytes and the tail of the form, and outlive the
 * sink.  NULL if out of memory. */
#define RECORD_BUFFER 65536u
#define RECORD_FXT_TAIL ""
#define RECORD_JSON_TAIL "\n]}\n"
struct record_sink *record_fxt_create(struct disk *disk, const struct model *m);
struct record_sink *record_json_create(struct disk *disk, const struct model *m);

/* ---- text ---- */

/* Room for the result of record_text_clean. */
#define RECORD_TEXT_ROOM(len) (3 * (len))

/* Copy a text, with U+FFFD in place of each invalid byte.  Returns the length; no NUL is added. */
size_t record_text_clean(char *to, const char *text, size_t len);

/* Whether a payload can be shown as text: valid UTF-8 without control characters except tabs and newlines. */
bool record_text_printable(const void *data, size_t len);

/* Write 2 * len lower-case hexadecimal digits. */
void record_text_hex(char *to, const void *data, size_t len);
