/*
 * fxt.h - write traces in the Fuchsia trace format (FXT), which Perfetto opens.  (fxt_reader.h reads them.)
 *
 * A trace is a sequence of records of 64-bit little-endian words.  A writer packs records into buffers that a
 * destination hands out; a record never straddles two buffers, and what a destination is given to take is
 * always whole records.
 *
 * An event is written by rtev_fxt_instant() or one of its likes, then rtev_fxt_arg_*() for each argument
 * declared.  Arguments that do not fit the declaration are refused with a status, and an event that lacks some
 * is dropped.  A program that writes millions of events a second may include fxt_fast.h besides.
 *
 * Threads: a writer and its destination belong to one caller at a time.  Writing an event allocates
 * nothing.  Statuses are those of rtev.h; a function that returns one changes nothing but what its text says.
 *
 * Source of the facts: the Fuchsia document "Fuchsia trace format" (fuchsia.dev, reference/tracing), whose
 * sections are named below as "Trace format, Event record".  The writer makes the same bytes as Jane Street's
 * `tracing` library does of the same calls.  What Perfetto makes of a record was tried with its
 * trace_processor.
 */
#ifndef RTEV_FXT_H
#define RTEV_FXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtev/rtev.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of the format (Trace format, Record header; String references; Thread references) and of the writer. */
#define RTEV_FXT_STRING_ID_MAX 32767	/* ids are 1 to this; 0 is the empty string */
#define RTEV_FXT_STRING_BYTES_MAX 31999 /* longest string that the writer takes */
#define RTEV_FXT_THREAD_SLOTS 255	/* slots are 0 to 254, indices 1 to 255 */
#define RTEV_FXT_EVENT_ARGS_MAX 15
#define RTEV_FXT_RECORD_WORDS_MAX 4095
#define RTEV_FXT_PROVIDER_BYTES_MAX 255

/* A string's id in the trace's string table.  The format fixes the first, the writer defines the second. */
typedef uint16_t rtev_fxt_string;
#define RTEV_FXT_STRING_EMPTY 0
#define RTEV_FXT_STRING_PROCESS 1 /* "process", which thread names need */

/* A thread's index in the trace's thread table, 1 to 255. */
typedef uint8_t rtev_fxt_thread;

/* The kinds of events; the values are those of the format (Trace format, Event record). */
enum rtev_fxt_event_type {
	RTEV_FXT_INSTANT = 0,
	RTEV_FXT_COUNTER = 1, /* has a counter id */
	RTEV_FXT_DURATION_BEGIN = 2,
	RTEV_FXT_DURATION_END = 3,
	RTEV_FXT_DURATION_COMPLETE = 4, /* has its end in ticks */
	RTEV_FXT_ASYNC_BEGIN = 5,	/* these three have an async id */
	RTEV_FXT_ASYNC_INSTANT = 6,
	RTEV_FXT_ASYNC_END = 7,
	RTEV_FXT_FLOW_BEGIN = 8, /* these three have a flow id */
	RTEV_FXT_FLOW_STEP = 9,
	RTEV_FXT_FLOW_END = 10
};

/* Say whether events of a kind end with a word of their own. */
static inline bool rtev_fxt_event_has_word(enum rtev_fxt_event_type type)
{
	return type == RTEV_FXT_COUNTER || type >= RTEV_FXT_DURATION_COMPLETE;
}

/*
 * The signature of an event's arguments: how many there are and how many words they take, in one small
 * integer.  It is the sum of one of these for each argument, in any order:
 * `RTEV_FXT_INT32 + 2 * RTEV_FXT_STRING`.  Types of the same size are interchangeable.
 */
typedef uint32_t rtev_fxt_args;
#define RTEV_FXT_ARGS_OF(words) ((rtev_fxt_args)(words) << 4 | (rtev_fxt_args)1 << 20)
#define RTEV_FXT_NO_ARGS ((rtev_fxt_args)0)
#define RTEV_FXT_INT32 RTEV_FXT_ARGS_OF(1)
#define RTEV_FXT_BOOL RTEV_FXT_ARGS_OF(1)
#define RTEV_FXT_STRING RTEV_FXT_ARGS_OF(1)
#define RTEV_FXT_INT64 RTEV_FXT_ARGS_OF(2)
#define RTEV_FXT_DOUBLE RTEV_FXT_ARGS_OF(2)
#define RTEV_FXT_POINTER RTEV_FXT_ARGS_OF(2)

/* The signature of an inline string of len bytes; a length that no record can hold makes a signature that is
 * refused with RTEV_E_FXT_RECORD_SIZE. */
static inline rtev_fxt_args rtev_fxt_inline(size_t len)
{
	return RTEV_FXT_ARGS_OF(
	    1 + (len > RTEV_FXT_STRING_BYTES_MAX ? RTEV_FXT_RECORD_WORDS_MAX : (len + 7) / 8));
}

/* RTEV_OK, or RTEV_E_FXT_ARG_COUNT for more than 15 arguments (sums of up to 255 of them are told), or
 * RTEV_E_FXT_RECORD_SIZE for more words than the largest event has room for.  Event writers check it too. */
RTEV_API int rtev_fxt_args_check(rtev_fxt_args args);

/* The types of arguments; the values are those of the format (Trace format, Arguments). */
enum rtev_fxt_arg_type {
	RTEV_FXT_TYPE_NULL = 0,
	RTEV_FXT_TYPE_INT32 = 1,
	RTEV_FXT_TYPE_UINT32 = 2,
	RTEV_FXT_TYPE_INT64 = 3,
	RTEV_FXT_TYPE_UINT64 = 4,
	RTEV_FXT_TYPE_DOUBLE = 5,
	RTEV_FXT_TYPE_STRING = 6,
	RTEV_FXT_TYPE_POINTER = 7,
	RTEV_FXT_TYPE_KOID = 8,
	RTEV_FXT_TYPE_BOOL = 9,
	RTEV_FXT_TYPE_BLOB = 10
};

/* ---- destinations ---- */

/*
 * Where a writer's bytes go.  Whoever makes one embeds this struct in a larger one and fills it in; the
 * writer calls it.  Of the members only flush may be NULL.  A status other than RTEV_OK from next, take or
 * flush ends the writing.
 */
struct rtev_fxt_destination {
	size_t size; /* sizeof(struct rtev_fxt_destination) */
	/*
	 * Hand out a buffer, if possible of at least `need` bytes; it stays the writer's until the next call
	 * of next or close.  A smaller one makes the record fail with RTEV_E_FXT_BUFFER and is kept for
	 * smaller records.
	 */
	int (*next)(struct rtev_fxt_destination *self, size_t need, void **data, size_t *size);
	/* Take the first `used` bytes (perhaps 0) of the buffer handed out last: whole records.  Called once
	 * for each buffer, before the next is asked for. */
	int (*take)(struct rtev_fxt_destination *self, size_t used);
	/* Do not return before what was taken has left the process. */
	int (*flush)(struct rtev_fxt_destination *self);
	/* End the output and free self.  Called once, last. */
	int (*close)(struct rtev_fxt_destination *self);
};

#define RTEV_FXT_BUFFER_BYTES 65536 /* the buffer that a destination has when asked for 0 bytes */

/*
 * A file, made or emptied (mode 0666 less the umask), written whenever the buffer of buffer_bytes is full.
 * RTEV_E_NOENT, RTEV_E_ACCESS, RTEV_E_PATH, RTEV_E_NOT_REGULAR (a directory), RTEV_E_FXT_NO_SPACE, RTEV_E_IO,
 * RTEV_E_NOMEM.  A write that fails later gives RTEV_E_FXT_NO_SPACE, RTEV_E_FXT_PIPE or RTEV_E_IO, and a
 * regular file is then cut back to the last whole record that it got.
 */
RTEV_API int rtev_fxt_file_create(struct rtev_fxt_destination **out, const char *path, size_t buffer_bytes);

/* An open descriptor, which stays the caller's; written and cut back like a file.  Waits when a non-blocking
 * one is full.  The program has to ignore SIGPIPE (and SIGXFSZ, where file sizes
 * are limited) to see the status instead.  RTEV_E_INVALID, RTEV_E_NOMEM. */
RTEV_API int rtev_fxt_fd_create(struct rtev_fxt_destination **out, int fd, size_t buffer_bytes);

/*
 * Memory of the caller's, filled from its start.  *used (may not be NULL) is the number of bytes that hold
 * whole records, brought up to date whenever a buffer is taken.  A record that no longer fits gives
 * RTEV_E_FXT_NO_SPACE.  Both must outlive the destination.  RTEV_E_NOMEM.
 */
RTEV_API int rtev_fxt_memory_create(
    struct rtev_fxt_destination **out, void *memory, size_t size, size_t *used);

/* A function called with whole records whenever the buffer is full; its status, if not RTEV_OK, ends the
 * writing.  The data is valid during the call.  RTEV_E_INVALID, RTEV_E_NOMEM. */
RTEV_API int rtev_fxt_callback_create(struct rtev_fxt_destination **out, size_t buffer_bytes,
    int (*write)(void *ctx, const void *data, size_t size), void *ctx);

/* Nowhere: the buffer is used over and over.  RTEV_E_NOMEM. */
RTEV_API int rtev_fxt_discard_create(struct rtev_fxt_destination **out, size_t buffer_bytes);

/* End the output and free the destination; for one that no writer holds.  NULL is allowed. */
RTEV_API int rtev_fxt_destination_close(struct rtev_fxt_destination *destination);

/* ---- the writer ---- */

struct rtev_fxt_writer;

struct rtev_fxt_writer_options {
	size_t size;		/* sizeof(struct rtev_fxt_writer_options) */
	const char *provider;	/* name in the header, at most 255 bytes; NULL: no header at all, for a trace
				 that goes on from another one */
	uint32_t dynamic_slots; /* string ids 2, 3, .. */
	uint32_t temp_slots;	/* string ids after those */
	bool keep_strings;	/* remember each id's text for rtev_fxt_string_text() */
	uint64_t (*clock)(
	    void *ctx); /* ticks for rtev_fxt_put_now() of fxt_fast.h; NULL: rtev_fxt_ticks_now() */
	void *clock_ctx;
	uint64_t switch_age; /* ticks after which rtev_fxt_put_now() switches buffers; 0: one second, by the
				rate last written to the trace (before that by 1 tick = 1 ns) */
};

/* The defaults, to start from: `struct rtev_fxt_writer_options o = RTEV_FXT_WRITER_OPTIONS;`  The members in
 * their order, as C++17 wants them too. */
#define RTEV_FXT_WRITER_OPTIONS                                                                              \
	{                                                                                                    \
		sizeof(struct rtev_fxt_writer_options), "rtevtop", 17, 100, false, NULL, NULL, 0             \
	}

/*
 * Make a writer and write the header: the magic word, the provider's name, its section, the string "process"
 * (Trace format, Metadata records; String record).  The destination becomes the writer's if, and only if, RTEV_OK
 * is returned.  `options` may be NULL.  RTEV_E_FXT_SLOT_COUNT when the slots leave no id (2 + dynamic_slots +
 * temp_slots may be 32768 at most: then none is left for rtev_fxt_intern()), RTEV_E_INVALID, RTEV_E_NOMEM, and
 * what the destination returns.
 */
RTEV_API int rtev_fxt_writer_create(struct rtev_fxt_writer **out, struct rtev_fxt_destination *destination,
    const struct rtev_fxt_writer_options *options);

/*
 * Finish: give the destination what is written and close it.  Later calls are refused with
 * RTEV_E_FXT_STOPPED.  Returns the first fault that no call has reported yet: RTEV_E_FXT_ARGS_MISSING when
 * the last event lacks arguments (it is dropped, the rest is written), or the destination's failure.  Closing
 * again does nothing.
 */
RTEV_API int rtev_fxt_writer_close(struct rtev_fxt_writer *writer);

/* Close if need be and free.  NULL is allowed. */
RTEV_API void rtev_fxt_writer_destroy(struct rtev_fxt_writer *writer);

/* RTEV_OK, or the status with which the destination failed, however often asked.  The call that met the
 * failure returned the same; the calls after it return RTEV_E_FXT_STOPPED and write nothing. */
RTEV_API int rtev_fxt_writer_failure(const struct rtev_fxt_writer *writer);

/*
 * Every function from here on that writes or switches may also return: RTEV_E_FXT_ARGS_MISSING when the event
 * before it lacks arguments (that event is dropped, and this call does nothing else); RTEV_E_FXT_BUFFER when
 * the record is larger than any buffer of the destination; the destination's failure; RTEV_E_FXT_STOPPED
 * after that failure or after closing.
 */

/* Give the destination what is written and go on in a new buffer, although the old one is not full. */
RTEV_API int rtev_fxt_writer_switch_buffer(struct rtev_fxt_writer *writer);

/* As rtev_fxt_writer_switch_buffer(), and wait until the destination has passed everything on. */
RTEV_API int rtev_fxt_writer_flush(struct rtev_fxt_writer *writer);

/*
 * Give the old destination what is written and go on with another; strings, threads and everything else stay
 * as they are, and no header is written.  *old (may not be NULL) gets the old destination, which is the
 * caller's again and still open.  On failure nothing has changed hands.  Also allowed after the old
 * destination failed.
 */
RTEV_API int rtev_fxt_writer_set_destination(struct rtev_fxt_writer *writer,
    struct rtev_fxt_destination *destination, struct rtev_fxt_destination **old);

/* Write bytes as they are.  Where they are whole records, as they should be, each goes to one buffer; where
 * they are not, they are cut into pieces of at most 4096 bytes.  What precedes a failure is written. */
RTEV_API int rtev_fxt_write_raw(struct rtev_fxt_writer *writer, const void *data, size_t size);

/* ---- strings, threads, ticks ---- */

/*
 * Strings: `len` bytes, at most RTEV_FXT_STRING_BYTES_MAX (else RTEV_E_FXT_STRING_LENGTH); they should be
 * UTF-8, which is not checked.  The same text may be written to several ids.  *out (may be NULL) gets the id.
 * With keep_strings also RTEV_E_NOMEM.
 */

/* Write a string to the next id that no slot has.  RTEV_E_FXT_STRING_IDS when ids have run out,
 * RTEV_E_FXT_ARGS_PENDING while an event waits for arguments (which it still may get). */
RTEV_API int rtev_fxt_intern(
    struct rtev_fxt_writer *writer, const char *text, size_t len, rtev_fxt_string *out);

/* Write a string to a slot, where it replaces the one before: temporary slots 0 to temp_slots - 1, dynamic
 * slots 0 to dynamic_slots - 1.  RTEV_E_FXT_STRING_SLOT outside of these. */
RTEV_API int rtev_fxt_set_temp_slot(
    struct rtev_fxt_writer *writer, int64_t slot, const char *text, size_t len, rtev_fxt_string *out);
RTEV_API int rtev_fxt_set_dynamic_slot(
    struct rtev_fxt_writer *writer, int64_t slot, const char *text, size_t len, rtev_fxt_string *out);

/* Write a string to any id, whoever it belongs to.  RTEV_E_FXT_STRING_SLOT outside of 1 to 32767.  Id 1 is
 * refused with RTEV_E_FXT_PROCESS_SLOT, or, when the text is "process", nothing is written. */
RTEV_API int rtev_fxt_set_string(
    struct rtev_fxt_writer *writer, int64_t id, const char *text, size_t len, rtev_fxt_string *out);

/* Begin or stop to remember the texts of the strings that are written from now on. */
RTEV_API void rtev_fxt_keep_strings(struct rtev_fxt_writer *writer, bool keep);

/* The text last remembered for an id, NUL added; the writer's, valid until the id is written again.
 * RTEV_E_FXT_UNDEFINED when there is none. */
RTEV_API int rtev_fxt_string_text(
    const struct rtev_fxt_writer *writer, rtev_fxt_string id, const char **text, size_t *len);

/* Assign a process and thread id to a thread slot, 0 to 254 (else RTEV_E_FXT_THREAD_SLOT).  *out (may be
 * NULL) gets the index, slot + 1.  Perfetto takes 32 bits of each, and a thread whose ids are equal for the
 * process's main thread. */
RTEV_API int rtev_fxt_set_thread_slot(
    struct rtev_fxt_writer *writer, int64_t slot, uint64_t pid, uint64_t tid, rtev_fxt_thread *out);

/* Name a process, or a thread of a process.  RTEV_E_INVALID for no string id. */
RTEV_API int rtev_fxt_name_process(struct rtev_fxt_writer *writer, uint64_t pid, rtev_fxt_string name);
RTEV_API int rtev_fxt_name_thread(
    struct rtev_fxt_writer *writer, uint64_t pid, uint64_t tid, rtev_fxt_string name);

/* What a tick is: the rate, and one moment on both clocks. */
struct rtev_fxt_ticks {
	size_t size; /* sizeof(struct rtev_fxt_ticks) */
	uint64_t per_second;
	uint64_t base_ticks;
	int64_t base_time; /* nanoseconds since 1970 UTC, at base_ticks */
};

/* Write the rate (Trace format, Initialization record; a trace without it has 1 tick = 1 ns), or the rate and
 * the moment: four words instead of two, an extension of Jane Street's `tracing`, of which Perfetto reads the
 * rate.  RTEV_E_INVALID for a rate of 0. */
RTEV_API int rtev_fxt_write_tick_rate(struct rtev_fxt_writer *writer, uint64_t per_second);
RTEV_API int rtev_fxt_write_ticks(struct rtev_fxt_writer *writer, const struct rtev_fxt_ticks *ticks);

/* Longest blob that fits a record. */
#define RTEV_FXT_BLOB_BYTES_MAX 32752

/* What a blob is (Trace format, Blob record).  Viewers pass over data whose name they don't know. */
enum rtev_fxt_blob_type {
	RTEV_FXT_BLOB_DATA = 1,
	RTEV_FXT_BLOB_LAST_BRANCH = 2,
	RTEV_FXT_BLOB_PERFETTO = 3 /* packets of Perfetto's own format, which Perfetto takes in */
};

/* Write a blob of `len` bytes.  RTEV_E_INVALID for a type that is none or a string
 * reference that is no id, RTEV_E_FXT_RECORD_SIZE for more than RTEV_FXT_BLOB_BYTES_MAX bytes. */
RTEV_API int rtev_fxt_write_blob(struct rtev_fxt_writer *writer, enum rtev_fxt_blob_type type,
    rtev_fxt_string name, const void *data, size_t len);

/* The processor's own tick counter, or the monotonic clock in nanoseconds where there is none. */
RTEV_API uint64_t rtev_fxt_ticks_now(void);

/*
 * Measure a tick counter against the monotonic clock for at least span_ns (0: 20 ms; at most 10 s), and note
 * the wall clock at the end.  `clock` NULL: rtev_fxt_ticks_now().  The rate's relative error is some 100 ns
 * over the span.  RTEV_E_INVALID for a longer span or a counter that stands still.
 */
RTEV_API int rtev_fxt_calibrate(
    struct rtev_fxt_ticks *out, uint64_t (*clock)(void *ctx), void *clock_ctx, uint64_t span_ns);

/* ---- checked events ---- */

/*
 * Write an event; where `args` declares arguments they follow, one rtev_fxt_arg_*() each, before anything
 * else is written.  `ticks` is the time.  `word` is the counter id, async id, flow id, or the end of a
 * complete duration in ticks; unused for the other kinds.  RTEV_E_FXT_END_BEFORE_START for a duration that
 * ends before its start; RTEV_E_FXT_ARG_COUNT, RTEV_E_FXT_RECORD_SIZE as rtev_fxt_args_check();
 * RTEV_E_INVALID for thread 0, no string id or no kind of event.  Whether an id was ever written to the trace
 * is not checked.
 *
 * What Perfetto shows: instants and complete durations as slices on the thread's track; begins and ends too, an
 * end closing the innermost one whatever its name.  Of counters one track for each process, name, argument and
 * id.  Async events by id and name, whatever their process.  Flows only inside a slice of their thread; their
 * category, name and arguments it ignores.
 */
RTEV_API int rtev_fxt_event(struct rtev_fxt_writer *writer, enum rtev_fxt_event_type type, rtev_fxt_args args,
    rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name, uint64_t ticks, uint64_t word);

/* Mark a moment on a thread. */
static inline int rtev_fxt_instant(struct rtev_fxt_writer *writer, rtev_fxt_args args, rtev_fxt_thread thread,
    rtev_fxt_string category, rtev_fxt_string name, uint64_t ticks)
{
	return rtev_fxt_event(writer, RTEV_FXT_INSTANT, args, thread, category, name, ticks, 0);
}

/* Sample a counter: one track for each argument, which must be an integer or a double. */
static inline int rtev_fxt_counter(struct rtev_fxt_writer *writer, rtev_fxt_args args, rtev_fxt_thread thread,
    rtev_fxt_string category, rtev_fxt_string name, uint64_t ticks, uint64_t counter_id)
{
	return rtev_fxt_event(writer, RTEV_FXT_COUNTER, args, thread, category, name, ticks, counter_id);
}

/* Open a slice on a thread. */
static inline int rtev_fxt_duration_begin(struct rtev_fxt_writer *writer, rtev_fxt_args args,
    rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name, uint64_t ticks)
{
	return rtev_fxt_event(writer, RTEV_FXT_DURATION_BEGIN, args, thread, category, name, ticks, 0);
}

/* Close a thread's innermost slice. */
static inline int rtev_fxt_duration_end(struct rtev_fxt_writer *writer, rtev_fxt_args args,
    rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name, uint64_t ticks)
{
	return rtev_fxt_event(writer, RTEV_FXT_DURATION_END, args, thread, category, name, ticks, 0);
}

/* A whole slice at once. */
static inline int rtev_fxt_duration_complete(struct rtev_fxt_writer *writer, rtev_fxt_args args,
    rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name, uint64_t ticks,
    uint64_t end_ticks)
{
	return rtev_fxt_event(
	    writer, RTEV_FXT_DURATION_COMPLETE, args, thread, category, name, ticks, end_ticks);
}

/* Open a slice that is matched by id and name, whatever thread closes it. */
static inline int rtev_fxt_async_begin(struct rtev_fxt_writer *writer, rtev_fxt_args args,
    rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name, uint64_t ticks, uint64_t async_id)
{
	return rtev_fxt_event(writer, RTEV_FXT_ASYNC_BEGIN, args, thread, category, name, ticks, async_id);
}

/* Mark a moment in such a slice. */
static inline int rtev_fxt_async_instant(struct rtev_fxt_writer *writer, rtev_fxt_args args,
    rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name, uint64_t ticks, uint64_t async_id)
{
	return rtev_fxt_event(writer, RTEV_FXT_ASYNC_INSTANT, args, thread, category, name, ticks, async_id);
}

/* Close such a slice. */
static inline int rtev_fxt_async_end(struct rtev_fxt_writer *writer, rtev_fxt_args args,
    rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name, uint64_t ticks, uint64_t async_id)
{
	return rtev_fxt_event(writer, RTEV_FXT_ASYNC_END, args, thread, category, name, ticks, async_id);
}

/* Begin an arrow between slices, from the one that encloses it on its thread. */
static inline int rtev_fxt_flow_begin(
    struct rtev_fxt_writer *writer, rtev_fxt_thread thread, uint64_t ticks, uint64_t flow_id)
{
	return rtev_fxt_event(writer, RTEV_FXT_FLOW_BEGIN, RTEV_FXT_NO_ARGS, thread, RTEV_FXT_STRING_EMPTY,
	    RTEV_FXT_STRING_EMPTY, ticks, flow_id);
}

/* Lead the arrow through a slice. */
static inline int rtev_fxt_flow_step(
    struct rtev_fxt_writer *writer, rtev_fxt_thread thread, uint64_t ticks, uint64_t flow_id)
{
	return rtev_fxt_event(writer, RTEV_FXT_FLOW_STEP, RTEV_FXT_NO_ARGS, thread, RTEV_FXT_STRING_EMPTY,
	    RTEV_FXT_STRING_EMPTY, ticks, flow_id);
}

/* End the arrow in a slice; the id may then be used again. */
static inline int rtev_fxt_flow_end(
    struct rtev_fxt_writer *writer, rtev_fxt_thread thread, uint64_t ticks, uint64_t flow_id)
{
	return rtev_fxt_event(writer, RTEV_FXT_FLOW_END, RTEV_FXT_NO_ARGS, thread, RTEV_FXT_STRING_EMPTY,
	    RTEV_FXT_STRING_EMPTY, ticks, flow_id);
}

/*
 * Write the next argument of the event just begun.  An argument that the rest of the signature has no room
 * for is refused with RTEV_E_FXT_ARGS_EXTRA, and so is one more than were declared: the event then stays as
 * it is.  RTEV_E_INVALID for a name or value that is no string id.
 */
RTEV_API int rtev_fxt_arg_int32(struct rtev_fxt_writer *writer, rtev_fxt_string name, int32_t value);
RTEV_API int rtev_fxt_arg_int64(struct rtev_fxt_writer *writer, rtev_fxt_string name, int64_t value);
RTEV_API int rtev_fxt_arg_double(struct rtev_fxt_writer *writer, rtev_fxt_string name, double value);
RTEV_API int rtev_fxt_arg_string(struct rtev_fxt_writer *writer, rtev_fxt_string name, rtev_fxt_string value);
RTEV_API int rtev_fxt_arg_pointer(struct rtev_fxt_writer *writer, rtev_fxt_string name, uint64_t value);
RTEV_API int rtev_fxt_arg_bool(struct rtev_fxt_writer *writer, rtev_fxt_string name, bool value);
/* A text inside the event itself, declared by rtev_fxt_inline(len).  RTEV_E_FXT_STRING_LENGTH. */
RTEV_API int rtev_fxt_arg_inline(
    struct rtev_fxt_writer *writer, rtev_fxt_string name, const char *text, size_t len);

#ifdef __cplusplus
}
#endif

#endif
