/*
 * fxt.h - write traces in the Fuchsia trace format (FXT), which Perfetto opens.
 *
 * A trace is a sequence of records of 64-bit little-endian words; fxt_reader.h reads them back.  A writer
 * packs records into buffers that its destination provides.  A record never spans two buffers, and a
 * destination always gets whole records.
 *
 * To write an event, call rtev_fxt_instant() or a similar function, then rtev_fxt_arg_*() for each declared
 * argument.  The writer refuses arguments that do not fit the declaration, and drops an event that lacks
 * some.
 *
 *     struct rtev_fxt_destination *file;
 *     struct rtev_fxt_writer *writer;
 *     rtev_fxt_string app, work, items;
 *     rtev_fxt_thread thread;
 *     if (rtev_fxt_file_create(&file, "app.fxt", 0) != RTEV_OK ||
 *         rtev_fxt_writer_create(&writer, file, NULL) != RTEV_OK)
 *         return 1;
 *     rtev_fxt_set_thread_slot(writer, 0, 42, 42, &thread);
 *     rtev_fxt_intern(writer, "app", 3, &app);
 *     rtev_fxt_intern(writer, "work", 4, &work);
 *     rtev_fxt_intern(writer, "items", 5, &items);
 *     rtev_fxt_duration_complete(writer, RTEV_FXT_INT64, thread, app, work, 1000, 5000);
 *     rtev_fxt_arg_int64(writer, items, 7);
 *     int status = rtev_fxt_writer_close(writer);
 *     rtev_fxt_writer_destroy(writer);
 *     return status == RTEV_OK ? 0 : 1;
 *
 * Threads: only one thread at a time may use a writer and its destination.  Writing an event allocates no
 * memory.  Statuses are those of rtev.h.  A function that fails changes nothing unless its
 * comment says so; one that makes objects stores NULL.
 *
 * Source of the facts: the Fuchsia document "Fuchsia trace format" (fuchsia.dev, reference/tracing), whose
 * sections are cited below as "Trace format, Event record".  For the same calls, the writer produces the same
 * bytes as Jane Street's `tracing` library.  Statements about Perfetto were tested with its trace_processor.
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

/* Limits of the format (Trace format, Record header; String references; Thread references) and of the
 * writer. */
#define RTEV_FXT_STRING_ID_MAX 32767	/* ids are 1 to this; 0 is the empty string */
#define RTEV_FXT_STRING_BYTES_MAX 31999 /* longest string that the writer accepts */
#define RTEV_FXT_THREAD_SLOTS 255	/* slots are 0 to 254, indices 1 to 255 */
#define RTEV_FXT_EVENT_ARGS_MAX 15
#define RTEV_FXT_RECORD_WORDS_MAX 4095
#define RTEV_FXT_PROVIDER_BYTES_MAX 255

/* A string's id in the trace's string table.  The format defines id 0, and the writer defines id 1. */
typedef uint16_t rtev_fxt_string;
#define RTEV_FXT_STRING_EMPTY 0
#define RTEV_FXT_STRING_PROCESS 1 /* "process", needed to name threads */

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

/* Whether events of a kind end with an extra word. */
static inline bool rtev_fxt_event_has_word(enum rtev_fxt_event_type type)
{
	return type == RTEV_FXT_COUNTER || type >= RTEV_FXT_DURATION_COMPLETE;
}

/*
 * The signature of an event's arguments: an integer that encodes their number and their size in words.  It is
 * the sum of one constant below for each argument, in any order: `RTEV_FXT_INT32 + 2 * RTEV_FXT_STRING`.
 * Types of the same size are interchangeable.
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

/* The signature of an inline string of len bytes.  If no record can hold the string, functions refuse the
 * signature with RTEV_E_FXT_RECORD_SIZE. */
static inline rtev_fxt_args rtev_fxt_inline(size_t len)
{
	return RTEV_FXT_ARGS_OF(
	    1 + (len > RTEV_FXT_STRING_BYTES_MAX ? RTEV_FXT_RECORD_WORDS_MAX : (len + 7) / 8));
}

/* Check a signature.  Returns RTEV_E_FXT_ARG_COUNT for more than 15 arguments (detected for sums of up to 255
 * arguments), RTEV_E_FXT_RECORD_SIZE for more words than the largest event can hold, or RTEV_OK.  The
 * functions that write events make the same check. */
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
 * The output of a writer.  An implementation embeds this struct in a larger one and fills it in; the writer
 * calls its functions.  Only flush may be NULL.  After a status other than RTEV_OK from next, take or flush,
 * the writer stops writing.
 */
struct rtev_fxt_destination {
	size_t size; /* sizeof(struct rtev_fxt_destination) */
	/*
	 * Provide a buffer, if possible of at least `need` bytes.  The writer owns it until the next call of
	 * next or close.  If it is smaller, the record fails with RTEV_E_FXT_BUFFER, and the writer keeps the
	 * buffer for smaller records.
	 */
	int (*next)(struct rtev_fxt_destination *self, size_t need, void **data, size_t *size);
	/* Take the first `used` bytes (may be 0) of the last buffer; they are whole records.  The writer
	 * calls this once for each buffer, before it asks for the next one. */
	int (*take)(struct rtev_fxt_destination *self, size_t used);
	/* Wait until all bytes taken have left the process. */
	int (*flush)(struct rtev_fxt_destination *self);
	/* End the output and free self.  The writer calls this once, as the last function. */
	int (*close)(struct rtev_fxt_destination *self);
};

#define RTEV_FXT_BUFFER_BYTES 65536 /* size of a destination's buffer when buffer_bytes is 0 */

/*
 * Write to a file, which is created (mode 0666 minus the umask) or truncated.  The destination writes to it
 * whenever the buffer of buffer_bytes is full.  Errors: RTEV_E_NOENT, RTEV_E_ACCESS, RTEV_E_PATH,
 * RTEV_E_LOOP, RTEV_E_FILES, RTEV_E_NOT_REGULAR (a directory), RTEV_E_FXT_NO_SPACE, RTEV_E_IO, RTEV_E_NOMEM.
 * A write that fails later returns RTEV_E_FXT_NO_SPACE, RTEV_E_FXT_PIPE or RTEV_E_IO, and the destination
 * truncates a regular file after its last whole record.
 */
RTEV_API int rtev_fxt_file_create(struct rtev_fxt_destination **out, const char *path, size_t buffer_bytes);

/* Write to an open descriptor, which the caller still owns; it is written and truncated like a file.  The
 * destination waits when a non-blocking descriptor is full.  To get a status instead of a signal, the program
 * must ignore SIGPIPE (and SIGXFSZ, where file sizes are limited).  Errors: RTEV_E_INVALID, RTEV_E_NOMEM. */
RTEV_API int rtev_fxt_fd_create(struct rtev_fxt_destination **out, int fd, size_t buffer_bytes);

/*
 * Write to the caller's memory, from its start.  *used is the number of bytes that hold whole records,
 * updated whenever the destination takes a buffer; `used` must not be NULL.  A record that does not fit fails
 * with RTEV_E_FXT_NO_SPACE.  `memory` and `used` must outlive the destination.  Errors: RTEV_E_INVALID,
 * RTEV_E_NOMEM.
 */
RTEV_API int rtev_fxt_memory_create(
    struct rtev_fxt_destination **out, void *memory, size_t size, size_t *used);

/* Call a function with whole records whenever the buffer is full.  If it returns a status other than RTEV_OK,
 * the writer stops writing.  The data is valid during the call.  Errors: RTEV_E_INVALID, RTEV_E_NOMEM. */
RTEV_API int rtev_fxt_callback_create(struct rtev_fxt_destination **out, size_t buffer_bytes,
    int (*write)(void *ctx, const void *data, size_t size), void *ctx);

/* Discard the output; the buffer is reused.  Errors: RTEV_E_NOMEM. */
RTEV_API int rtev_fxt_discard_create(struct rtev_fxt_destination **out, size_t buffer_bytes);

/* End the output and free a destination that no writer owns.  NULL is allowed. */
RTEV_API int rtev_fxt_destination_close(struct rtev_fxt_destination *destination);

/* ---- the writer ---- */

struct rtev_fxt_writer;

struct rtev_fxt_writer_options {
	size_t size;		/* sizeof(struct rtev_fxt_writer_options) */
	const char *provider;	/* name in the header, at most 255 bytes; NULL: no header, for a trace
				 that continues another one */
	uint32_t dynamic_slots; /* string ids 2, 3, .. */
	uint32_t temp_slots;	/* the string ids after those of the dynamic slots */
	bool keep_strings;	/* store each id's text for rtev_fxt_string_text() */
};

/* The default options: `struct rtev_fxt_writer_options o = RTEV_FXT_WRITER_OPTIONS;`  The initializer is
 * positional, because C++17 has no designated ones. */
#define RTEV_FXT_WRITER_OPTIONS                                                                              \
	{                                                                                                    \
		sizeof(struct rtev_fxt_writer_options), "rtevtop", 17, 100, false                            \
	}

/*
 * Create a writer and write the header: the magic word, the provider's name, its section and the string
 * "process" (Trace format, Metadata records; String record).  The writer takes ownership of the destination
 * only if the function returns RTEV_OK.  `options` may be NULL.  Errors: RTEV_E_FXT_SLOT_COUNT when there are
 * too many slots (2 + dynamic_slots + temp_slots may be at most 32768, which leaves no id for
 * rtev_fxt_intern()), RTEV_E_INVALID, RTEV_E_NOMEM, and those of the destination.
 */
RTEV_API int rtev_fxt_writer_create(struct rtev_fxt_writer **out, struct rtev_fxt_destination *destination,
    const struct rtev_fxt_writer_options *options);

/*
 * Pass the remaining records to the destination and close it.  Later calls return RTEV_E_FXT_STOPPED.
 * Returns the first fault that no call has reported yet: RTEV_E_FXT_ARGS_MISSING when the last event lacks
 * arguments (the writer drops it and writes the rest), or the destination's failure.  Closing again does
 * nothing.
 */
RTEV_API int rtev_fxt_writer_close(struct rtev_fxt_writer *writer);

/* Close the writer if it is open, and free it.  NULL is allowed. */
RTEV_API void rtev_fxt_writer_destroy(struct rtev_fxt_writer *writer);

/* Return the status with which the destination failed, or RTEV_OK; asking does not clear it.  The call during
 * which the destination failed returned the same status.  Later calls return RTEV_E_FXT_STOPPED and write
 * nothing. */
RTEV_API int rtev_fxt_writer_failure(const struct rtev_fxt_writer *writer);

/*
 * Every function below that writes or switches buffers may also return: RTEV_E_FXT_ARGS_MISSING when the
 * previous event lacks arguments (the call drops that event and does nothing else); RTEV_E_FXT_BUFFER when
 * the record is larger than any buffer of the destination; the destination's failure; RTEV_E_FXT_STOPPED
 * after that failure or after closing.
 */

/* Pass the current buffer to the destination although it is not full, and continue in a new one. */
RTEV_API int rtev_fxt_writer_switch_buffer(struct rtev_fxt_writer *writer);

/* As rtev_fxt_writer_switch_buffer(); then wait until the destination has passed everything on. */
RTEV_API int rtev_fxt_writer_flush(struct rtev_fxt_writer *writer);

/*
 * Pass the current buffer to the old destination and continue with another one.  Strings, threads and all
 * other state stay as they are, and no header is written.  *old is set to the old destination, which is still
 * open and which the caller owns again; `old` must not be NULL.  On failure, ownership does not change.  The
 * call is also allowed after the old destination failed.
 */
RTEV_API int rtev_fxt_writer_set_destination(struct rtev_fxt_writer *writer,
    struct rtev_fxt_destination *destination, struct rtev_fxt_destination **old);

/* Write bytes unchanged.  They should be whole records, each of which goes into one buffer.  Other bytes are
 * split into pieces of at most 4096 bytes.  Everything before a failure is written. */
RTEV_API int rtev_fxt_write_raw(struct rtev_fxt_writer *writer, const void *data, size_t size);

/* ---- strings, threads, ticks ---- */

/*
 * Strings: `len` bytes, at most RTEV_FXT_STRING_BYTES_MAX (else RTEV_E_FXT_STRING_LENGTH); they should be
 * UTF-8, which is not checked.  The same text may be written to several ids.  *out is set to the id; `out`
 * may be NULL.  With keep_strings, these functions may also return RTEV_E_NOMEM.
 */

/* Write a string to the next id that belongs to no slot.  RTEV_E_FXT_STRING_IDS when no id is left;
 * RTEV_E_FXT_ARGS_PENDING while an event waits for arguments (which can still be written). */
RTEV_API int rtev_fxt_intern(
    struct rtev_fxt_writer *writer, const char *text, size_t len, rtev_fxt_string *out);

/* Write a string to a slot, and replace the slot's previous string.  Temporary slots are 0 to temp_slots - 1,
 * dynamic slots 0 to dynamic_slots - 1.  RTEV_E_FXT_STRING_SLOT for other numbers. */
RTEV_API int rtev_fxt_set_temp_slot(
    struct rtev_fxt_writer *writer, int64_t slot, const char *text, size_t len, rtev_fxt_string *out);
RTEV_API int rtev_fxt_set_dynamic_slot(
    struct rtev_fxt_writer *writer, int64_t slot, const char *text, size_t len, rtev_fxt_string *out);

/* Write a string to any id, even one that belongs to a slot.  RTEV_E_FXT_STRING_SLOT for ids outside 1 to
 * 32767.  RTEV_E_FXT_PROCESS_SLOT for id 1, unless the text is "process": then nothing is written. */
RTEV_API int rtev_fxt_set_string(
    struct rtev_fxt_writer *writer, int64_t id, const char *text, size_t len, rtev_fxt_string *out);

/* Start or stop storing the texts of strings written from now on. */
RTEV_API void rtev_fxt_keep_strings(struct rtev_fxt_writer *writer, bool keep);

/* Get the text last stored for an id, NUL-terminated.  The writer owns it; it is valid until the id is
 * written again.  RTEV_E_FXT_UNDEFINED when there is none. */
RTEV_API int rtev_fxt_string_text(
    const struct rtev_fxt_writer *writer, rtev_fxt_string id, const char **text, size_t *len);

/* Assign a process and thread id to a thread slot, 0 to 254 (else RTEV_E_FXT_THREAD_SLOT).  *out is set to
 * the index, slot + 1; `out` may be NULL.  Perfetto uses 32 bits of each id, and treats a thread whose two
 * ids are equal as the main thread of the process. */
RTEV_API int rtev_fxt_set_thread_slot(
    struct rtev_fxt_writer *writer, int64_t slot, uint64_t pid, uint64_t tid, rtev_fxt_thread *out);

/* Name a process, or a thread of a process.  RTEV_E_INVALID when `name` is not a string id. */
RTEV_API int rtev_fxt_name_process(struct rtev_fxt_writer *writer, uint64_t pid, rtev_fxt_string name);
RTEV_API int rtev_fxt_name_thread(
    struct rtev_fxt_writer *writer, uint64_t pid, uint64_t tid, rtev_fxt_string name);

/* The tick rate, and one moment on both the tick counter and the wall clock. */
struct rtev_fxt_ticks {
	size_t size; /* sizeof(struct rtev_fxt_ticks) */
	uint64_t per_second;
	uint64_t base_ticks;
	int64_t base_time; /* nanoseconds since 1970 UTC, at base_ticks */
};

/* Write the rate (Trace format, Initialization record; without it, 1 tick = 1 ns), or the rate and the
 * moment.  The latter takes four words instead of two, an extension of Jane Street's `tracing`; Perfetto
 * reads only the rate from it.  RTEV_E_INVALID for a rate of 0. */
RTEV_API int rtev_fxt_write_tick_rate(struct rtev_fxt_writer *writer, uint64_t per_second);
RTEV_API int rtev_fxt_write_ticks(struct rtev_fxt_writer *writer, const struct rtev_fxt_ticks *ticks);

/* Longest blob that fits a record. */
#define RTEV_FXT_BLOB_BYTES_MAX 32752

/* The types of blobs (Trace format, Blob record).  Viewers ignore a data blob whose name they don't know. */
enum rtev_fxt_blob_type {
	RTEV_FXT_BLOB_DATA = 1,
	RTEV_FXT_BLOB_LAST_BRANCH = 2,
	RTEV_FXT_BLOB_PERFETTO = 3 /* packets in Perfetto's own format, which Perfetto imports */
};

/* Write a blob of `len` bytes.  RTEV_E_INVALID for an unknown type or a name that is not a string id,
 * RTEV_E_FXT_RECORD_SIZE for more than RTEV_FXT_BLOB_BYTES_MAX bytes. */
RTEV_API int rtev_fxt_write_blob(struct rtev_fxt_writer *writer, enum rtev_fxt_blob_type type,
    rtev_fxt_string name, const void *data, size_t len);

/* Read the processor's tick counter, or the monotonic clock in nanoseconds where there is none. */
RTEV_API uint64_t rtev_fxt_ticks_now(void);

/*
 * Measure a tick counter against the monotonic clock for at least span_ns (0: 20 ms; at most 10 s), and read
 * the wall clock at the end.  Sleeps meanwhile.  Fills in *out, whose size the caller has set.  If `clock` is
 * NULL, rtev_fxt_ticks_now() is measured.  The relative error of the rate is about 100 ns divided by the
 * span.  RTEV_E_INVALID for a longer span, a counter that does not advance, or an invalid size of *out.
 */
RTEV_API int rtev_fxt_calibrate(
    struct rtev_fxt_ticks *out, uint64_t (*clock)(void *ctx), void *clock_ctx, uint64_t span_ns);

/* ---- checked events ---- */

/*
 * Write an event.  If `args` declares arguments, the caller must write each with rtev_fxt_arg_*() before
 * anything else.  `ticks` is the time.  `word` is the counter id, async id or flow id, or the end of a
 * complete duration in ticks; other kinds ignore it.  Errors: RTEV_E_FXT_END_BEFORE_START for a duration that
 * ends before its start; RTEV_E_FXT_ARG_COUNT and RTEV_E_FXT_RECORD_SIZE as rtev_fxt_args_check();
 * RTEV_E_INVALID for thread 0, an invalid string id or an unknown kind of event.  The writer does not check
 * that an id was written to the trace.
 *
 * Perfetto shows instants, complete durations, and pairs of begin and end as slices on the thread's track.
 * An end closes the innermost slice, whatever its name.  Counters have one track for each process, name,
 * argument and id.  Async events are matched by id and name, whatever their process.  Flows are shown only
 * inside a slice of their thread; Perfetto ignores their category, name and arguments.
 */
RTEV_API int rtev_fxt_event(struct rtev_fxt_writer *writer, enum rtev_fxt_event_type type, rtev_fxt_args args,
    rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name, uint64_t ticks, uint64_t word);

/* Mark a moment on a thread. */
static inline int rtev_fxt_instant(struct rtev_fxt_writer *writer, rtev_fxt_args args, rtev_fxt_thread thread,
    rtev_fxt_string category, rtev_fxt_string name, uint64_t ticks)
{
	return rtev_fxt_event(writer, RTEV_FXT_INSTANT, args, thread, category, name, ticks, 0);
}

/* Sample a counter.  Each argument has its own track, and must be an integer or a double. */
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

/* Write a whole slice as one event. */
static inline int rtev_fxt_duration_complete(struct rtev_fxt_writer *writer, rtev_fxt_args args,
    rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name, uint64_t ticks,
    uint64_t end_ticks)
{
	return rtev_fxt_event(
	    writer, RTEV_FXT_DURATION_COMPLETE, args, thread, category, name, ticks, end_ticks);
}

/* Open an async slice, which is matched by id and name; any thread may close it. */
static inline int rtev_fxt_async_begin(struct rtev_fxt_writer *writer, rtev_fxt_args args,
    rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name, uint64_t ticks, uint64_t async_id)
{
	return rtev_fxt_event(writer, RTEV_FXT_ASYNC_BEGIN, args, thread, category, name, ticks, async_id);
}

/* Mark a moment in an async slice. */
static inline int rtev_fxt_async_instant(struct rtev_fxt_writer *writer, rtev_fxt_args args,
    rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name, uint64_t ticks, uint64_t async_id)
{
	return rtev_fxt_event(writer, RTEV_FXT_ASYNC_INSTANT, args, thread, category, name, ticks, async_id);
}

/* Close an async slice. */
static inline int rtev_fxt_async_end(struct rtev_fxt_writer *writer, rtev_fxt_args args,
    rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name, uint64_t ticks, uint64_t async_id)
{
	return rtev_fxt_event(writer, RTEV_FXT_ASYNC_END, args, thread, category, name, ticks, async_id);
}

/* Begin a flow arrow at the enclosing slice of the thread. */
static inline int rtev_fxt_flow_begin(
    struct rtev_fxt_writer *writer, rtev_fxt_thread thread, uint64_t ticks, uint64_t flow_id)
{
	return rtev_fxt_event(writer, RTEV_FXT_FLOW_BEGIN, RTEV_FXT_NO_ARGS, thread, RTEV_FXT_STRING_EMPTY,
	    RTEV_FXT_STRING_EMPTY, ticks, flow_id);
}

/* Continue the arrow through the enclosing slice. */
static inline int rtev_fxt_flow_step(
    struct rtev_fxt_writer *writer, rtev_fxt_thread thread, uint64_t ticks, uint64_t flow_id)
{
	return rtev_fxt_event(writer, RTEV_FXT_FLOW_STEP, RTEV_FXT_NO_ARGS, thread, RTEV_FXT_STRING_EMPTY,
	    RTEV_FXT_STRING_EMPTY, ticks, flow_id);
}

/* End the arrow at the enclosing slice.  The id may then be reused. */
static inline int rtev_fxt_flow_end(
    struct rtev_fxt_writer *writer, rtev_fxt_thread thread, uint64_t ticks, uint64_t flow_id)
{
	return rtev_fxt_event(writer, RTEV_FXT_FLOW_END, RTEV_FXT_NO_ARGS, thread, RTEV_FXT_STRING_EMPTY,
	    RTEV_FXT_STRING_EMPTY, ticks, flow_id);
}

/*
 * Write the next argument of the current event.  RTEV_E_FXT_ARGS_EXTRA for an argument that does not fit the
 * rest of the signature or exceeds the declared number; the event is then unchanged.  RTEV_E_INVALID for a
 * name or value that is not a string id.
 */
RTEV_API int rtev_fxt_arg_int32(struct rtev_fxt_writer *writer, rtev_fxt_string name, int32_t value);
RTEV_API int rtev_fxt_arg_int64(struct rtev_fxt_writer *writer, rtev_fxt_string name, int64_t value);
RTEV_API int rtev_fxt_arg_double(struct rtev_fxt_writer *writer, rtev_fxt_string name, double value);
RTEV_API int rtev_fxt_arg_string(struct rtev_fxt_writer *writer, rtev_fxt_string name, rtev_fxt_string value);
RTEV_API int rtev_fxt_arg_pointer(struct rtev_fxt_writer *writer, rtev_fxt_string name, uint64_t value);
RTEV_API int rtev_fxt_arg_bool(struct rtev_fxt_writer *writer, rtev_fxt_string name, bool value);
/* Write a text into the event itself; rtev_fxt_inline(len) declares it.  RTEV_E_FXT_STRING_LENGTH. */
RTEV_API int rtev_fxt_arg_inline(
    struct rtev_fxt_writer *writer, rtev_fxt_string name, const char *text, size_t len);

#ifdef __cplusplus
}
#endif

#endif
