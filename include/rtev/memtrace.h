/*
 * memtrace.h - read and write memtrace files: statistical memory profiles of OCaml programs.
 *
 * The tracer samples each allocated word with a fixed probability, the sample rate.  For a block with at
 * least one sampled word, it writes an alloc event with the number of samples and the backtrace.  Later it
 * may write a promote event (the block left the minor heap) and a collect event (the block died).  `samples`
 * of a block stand for samples / rate words of allocation.
 *
 * A trace is a sequence of packets.  The first packet describes the traced process.  Each other packet
 * belongs to one domain and holds either events or locations (the meaning of the codes in backtraces).  The
 * events of one domain are in order of time; events of different domains are not.
 *
 * Words allocated, of all samples:
 *
 *     struct rtev_memtrace_reader *reader;
 *     const struct rtev_memtrace_event *event;
 *     double samples = 0;
 *     if (rtev_memtrace_open_path(&reader, "app.ctf", NULL) != RTEV_OK)
 *         return 1;
 *     int status;
 *     while ((status = rtev_memtrace_next(reader, &event)) == RTEV_OK)
 *         if (event->kind == RTEV_MEMTRACE_ALLOC)
 *             samples += (double)event->samples;
 *     printf("%.0f words\n", samples / rtev_memtrace_info(reader)->sample_rate);
 *     rtev_memtrace_close(reader);
 *     return status == RTEV_E_MEMTRACE_END ? 0 : 1;
 *
 * Threads: only one thread at a time may use a reader, or a writer.  Different threads may use writers that
 * share a destination.
 *
 * Integers follow OCaml: object ids, lengths and location codes are 63-bit signed numbers.
 *
 * The reader accepts versions 1, 2 and 3 of the format; the writer writes version 3.
 *
 * Source of the facts: src/trace.ml, src/backtrace_codec.ml and src/location_codec.ml of the memtrace library
 * (github.com/janestreet/memtrace, commit a88470c).
 */
#ifndef RTEV_MEMTRACE_H
#define RTEV_MEMTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtev/rtev.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RTEV_MEMTRACE_VERSION 3

struct rtev_memtrace_reader;
struct rtev_memtrace_writer;
struct rtev_memtrace_mux;

/* The source location of a frame of a backtrace.  The strings are NUL-terminated; those from a reader are
 * untrusted bytes.  This struct never grows, because the API passes arrays of it. */
struct rtev_memtrace_location {
	const char *filename;
	const char *defname; /* the function, "??" when unknown */
	int32_t line;
	int32_t start_char; /* columns in that line */
	int32_t end_char;
};

/* The description of a trace, from its first packet. */
struct rtev_memtrace_info {
	size_t size;	    /* sizeof(struct rtev_memtrace_info) */
	double sample_rate; /* probability that a word is sampled */
	unsigned word_size; /* bits per word, 64 */
	unsigned version;   /* version of the first packet; ignored when writing */
	uint16_t initial_domain;
	int64_t pid;
	int64_t start_time; /* microseconds since the Unix epoch */
	const char *executable_name;
	const char *host_name;
	const char *ocaml_runtime_params;
	const char *context; /* NULL: none */
};

enum rtev_memtrace_kind { RTEV_MEMTRACE_ALLOC, RTEV_MEMTRACE_PROMOTE, RTEV_MEMTRACE_COLLECT };

enum rtev_memtrace_source { RTEV_MEMTRACE_MINOR, RTEV_MEMTRACE_MAJOR, RTEV_MEMTRACE_EXTERNAL };

/*
 * An event.  The members marked alloc are valid for alloc events only.  The backtrace goes from the outermost
 * caller to the allocation; rtev_memtrace_lookup gives the locations of its codes.  Its first `unchanged`
 * codes are the same as in the domain's previous alloc event.  `unchanged` is common_prefix, or the whole
 * depth of the previous backtrace if the tracer had truncated that one.
 */
struct rtev_memtrace_event {
	size_t size;	/* sizeof(struct rtev_memtrace_event) */
	int64_t time;	/* microseconds since the start of the trace */
	int64_t object; /* id, unique across all domains */
	enum rtev_memtrace_kind kind;
	uint16_t domain;		  /* where the event happened; an object may die on another domain */
	enum rtev_memtrace_source source; /* alloc: how the block was allocated */
	int64_t length;			  /* alloc: words, without the header */
	int64_t samples;		  /* alloc: at least 1 in a tracer's output */
	const int64_t *backtrace;	  /* alloc: NULL when backtraces are skipped */
	size_t depth;			  /* alloc: codes in `backtrace`, 0 when skipped */
	size_t unchanged;		  /* alloc */
	int64_t common_prefix;		  /* alloc: the value stored in the trace */
};

/* Conditions that a reader reports but that are not failures. */
enum rtev_memtrace_notice_kind {
	RTEV_MEMTRACE_WRONG_PID, /* the reader skipped a packet of another process */
	RTEV_MEMTRACE_TRUNCATED, /* the reader skipped a packet that is incomplete or larger than 32 KiB */
	RTEV_MEMTRACE_UNKNOWN,	 /* a packet has an unknown version; reading fails after this */
	RTEV_MEMTRACE_CLOCK_BACK /* the clock stepped back: times stand still in this packet, then go on */
};

struct rtev_memtrace_notice {
	enum rtev_memtrace_notice_kind kind;
	uint64_t offset;  /* of the packet, bytes from the start of the trace */
	int64_t pid;	  /* of the packet */
	unsigned version; /* of the packet */
	uint64_t missing; /* TRUNCATED: number of missing bytes */
};

/* A packet of events or locations, as described by its header. */
struct rtev_memtrace_packet {
	uint64_t offset;	      /* bytes from the start of the trace */
	uint64_t size;		      /* bytes, header included */
	int64_t time_begin, time_end; /* microseconds since the Unix epoch */
	int64_t alloc_id_begin, alloc_id_end;
	uint16_t domain;
	unsigned version;
	uint32_t locations; /* number of location events; 0 until the packet has been read */
	bool events;	    /* it has other events; false until the packet has been read */
};

/* Where and why reading a trace failed. */
struct rtev_memtrace_fault {
	size_t size; /* sizeof(struct rtev_memtrace_fault) */
	int status;
	uint64_t offset; /* bytes from the start of the trace */
	char what[96];	 /* description: one line without a full stop */
};

/* Options of a reader.  A callback may be NULL.  Callbacks get `ctx`, and must not call the reader. */
struct rtev_memtrace_options {
	size_t size;	      /* sizeof(struct rtev_memtrace_options) */
	bool skip_backtraces; /* do not decode backtraces or check the backtrace cache; faster */
	bool follow; /* the trace is still being written: wait for the rest of a torn packet at its end */
	void *ctx;
	void (*notice)(void *ctx, const struct rtev_memtrace_notice *notice);
	/* Called with begin == true before the reader returns the first event of a packet, and with false
	 * after the last. */
	void (*packet)(void *ctx, const struct rtev_memtrace_packet *packet, bool begin);
	struct rtev_memtrace_fault *fault; /* filled in when opening fails; set its size; or NULL */
};

/*
 * Open a trace and read its first packet.  `options` may be NULL.  Errors: RTEV_E_NOENT, RTEV_E_ACCESS,
 * RTEV_E_NOT_REGULAR (a directory), RTEV_E_IO, RTEV_E_NOMEM, RTEV_E_INVALID (a bad size in the options or in
 * their `fault`, which is then not filled in), and those of rtev_memtrace_next for the first packet.  With
 * `follow`, RTEV_E_MEMTRACE_END means that the first packet is not complete yet: open again later.
 */
RTEV_API int rtev_memtrace_open_path(
    struct rtev_memtrace_reader **out, const char *path, const struct rtev_memtrace_options *options);

/* Open a trace on a descriptor, which the caller still owns.  The trace begins at the descriptor's current
 * position; a seekable descriptor keeps that position.  Errors as rtev_memtrace_open_path. */
RTEV_API int rtev_memtrace_open_fd(
    struct rtev_memtrace_reader **out, int fd, const struct rtev_memtrace_options *options);

/* Open a trace in memory.  The caller owns the memory, which must stay valid until the reader is closed.
 * Errors: RTEV_E_INVALID, RTEV_E_NOMEM, and those of rtev_memtrace_next for the first packet. */
RTEV_API int rtev_memtrace_open_memory(struct rtev_memtrace_reader **out, const void *data, size_t size,
    const struct rtev_memtrace_options *options);

/* Tell a reader on memory that the trace has grown to `size` bytes and is now at `data`; the old bytes must
 * be unchanged.  RTEV_E_INVALID for another kind of reader or when `size` is less than before. */
RTEV_API int rtev_memtrace_grow(struct rtev_memtrace_reader *reader, const void *data, size_t size);

/* Close and free a reader.  NULL is allowed. */
RTEV_API void rtev_memtrace_close(struct rtev_memtrace_reader *reader);

/* Get the description of the trace.  Its strings are valid until the reader is closed. */
RTEV_API const struct rtev_memtrace_info *rtev_memtrace_info(const struct rtev_memtrace_reader *reader);

/*
 * Get the next event.  *out and its backtrace are valid until the next call.
 *
 * RTEV_E_MEMTRACE_END means that there is no event now.  When the trace has grown, call again: reading
 * continues where it stopped, and nothing is read twice.  With `follow`, the reader returns
 * RTEV_E_MEMTRACE_END until a torn packet is complete.  Without it, the reader reports a torn packet as
 * truncated (and still reads it if the rest arrives), and returns RTEV_E_MEMTRACE_UNDERFLOW for a torn packet
 * header.
 *
 * Any other status is final: reading failed at the place that rtev_memtrace_fault gives.  Locations and
 * everything else read before stay valid.
 */
RTEV_API int rtev_memtrace_next(struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event **out);

/* Switch waiting for torn packets on or off. */
RTEV_API void rtev_memtrace_set_follow(struct rtev_memtrace_reader *reader, bool follow);

/* Get the reason why the last call failed.  The caller sets the size in *out.  `what` is empty when the call
 * did not fail.  RTEV_E_INVALID for a bad size. */
RTEV_API int rtev_memtrace_fault(const struct rtev_memtrace_reader *reader, struct rtev_memtrace_fault *out);

/*
 * Look up the locations of a code.  There are several, outermost first, when calls were inlined, and none
 * (*count is 0) when the program has no debug information.  The locations are valid until the reader is
 * closed.  Equal names have equal addresses.  RTEV_E_MEMTRACE_NO_LOCATION for a code that the trace has not
 * defined so far.
 */
RTEV_API int rtev_memtrace_lookup(const struct rtev_memtrace_reader *reader, int64_t code,
    const struct rtev_memtrace_location **out, size_t *count);

/* Get the current size of the trace, in bytes from the beginning of the file.  RTEV_E_INVALID for a source
 * that has no size, such as a pipe. */
RTEV_API int rtev_memtrace_size(const struct rtev_memtrace_reader *reader, uint64_t *bytes);

/* The number of bytes of the trace that the reader has consumed: the offset of the next packet. */
RTEV_API uint64_t rtev_memtrace_position(const struct rtev_memtrace_reader *reader);

/*
 * Format an event as one line without a newline, like the dump of the reference library: time (only if
 * `with_time`), object id and kind.  An alloc also has its samples, length, domain, common prefix and the
 * locations of its backtrace ("$" and the code for a code without locations).  The function writes at most
 * `size` bytes, including a NUL.  *length is the length of the whole line, without the NUL.
 * RTEV_E_MEMTRACE_NO_LOCATION when a code is unknown; the line then ends before that code.
 */
RTEV_API int rtev_memtrace_format_event(const struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event *event, bool with_time, char *buf, size_t size, size_t *length);

/* The output of a writer.  `write` gets one whole packet and returns RTEV_OK or a failure; after a failure it
 * is not called again.  The writers of a destination call it under a shared lock. */
struct rtev_memtrace_sink {
	size_t size; /* sizeof(struct rtev_memtrace_sink) */
	int (*write)(void *ctx, const void *data, size_t size);
	void *ctx;
};

/*
 * Callback that returns the locations of a code, outermost first: it returns their number and points *out to
 * them.  They must stay valid until the next call.  `index` is the code's index in the backtrace given to the
 * writer.  The writer calls it for each code that is not in its cache, and never for code 0, which has no
 * meaning.
 */
typedef size_t (*rtev_memtrace_locate)(
    void *ctx, int64_t code, size_t index, const struct rtev_memtrace_location **out);

struct rtev_memtrace_writer_options {
	size_t size;		     /* sizeof(struct rtev_memtrace_writer_options) */
	void *ctx;		     /* for both callbacks */
	rtev_memtrace_locate locate; /* NULL: codes have no locations */
	/* Returns the current pid; NULL: always the pid of the info.  When the pid differs from the one at
	 * creation, the process has forked: the writer writes nothing and returns
	 * RTEV_E_MEMTRACE_PID_CHANGED. */
	int64_t (*getpid)(void *ctx);
	uint32_t ids_per_chunk; /* object ids that a writer reserves at a time; 0: 10,000 */
};

/* An allocation to write.  The backtrace goes from the outermost caller to the allocation.  The writer leaves
 * out its last `dropped` codes. */
struct rtev_memtrace_alloc {
	size_t size; /* sizeof(struct rtev_memtrace_alloc) */
	int64_t length;
	int64_t samples;
	enum rtev_memtrace_source source;
	const int64_t *backtrace;
	size_t depth;
	size_t dropped;
};

/*
 * Begin a trace: write the first packet and create the writer of info->initial_domain.  `options` may be
 * NULL.  The structs and the strings of `info` need not outlive the call; what the callbacks use must outlive
 * the last writer.  Errors: RTEV_E_NOMEM, RTEV_E_INVALID (strings too long for a packet, or a bad size in a
 * struct), and those of the sink.
 */
RTEV_API int rtev_memtrace_writer_create(struct rtev_memtrace_writer **out,
    const struct rtev_memtrace_sink *sink, const struct rtev_memtrace_info *info,
    const struct rtev_memtrace_writer_options *options);

/* Begin a trace on a descriptor, which the caller still owns.  The writer writes each packet with one
 * write(2), and continues after a short write.  RTEV_E_IO when a write fails. */
RTEV_API int rtev_memtrace_writer_create_fd(struct rtev_memtrace_writer **out, int fd,
    const struct rtev_memtrace_info *info, const struct rtev_memtrace_writer_options *options);

/* Create the writer of another domain, with the same destination and callbacks.  It starts at the parent's
 * last time, or at `start_time` (microseconds since the epoch).  The caller destroys *out, before or after
 * the parent: the destination lasts as long as its last writer.  RTEV_E_NOMEM. */
RTEV_API int rtev_memtrace_writer_for_domain(
    struct rtev_memtrace_writer **out, struct rtev_memtrace_writer *parent, uint16_t domain);
RTEV_API int rtev_memtrace_writer_for_domain_at(struct rtev_memtrace_writer **out,
    struct rtev_memtrace_writer *parent, uint16_t domain, int64_t start_time);

/* Free a writer and discard events not flushed (see rtev_memtrace_writer_flush).  NULL is allowed. */
RTEV_API void rtev_memtrace_writer_destroy(struct rtev_memtrace_writer *writer);

/*
 * Write an event with the given time (microseconds since the epoch).  *object is set to the id of the
 * allocated block; `object` may be NULL.  Errors: RTEV_E_MEMTRACE_ORDER when the time is before that of the
 * last event; RTEV_E_MEMTRACE_SOURCE; RTEV_E_MEMTRACE_PROMOTE_ID when the id is not below this writer's next
 * id, which readers reject (a collect may name any object); RTEV_E_NOMEM; RTEV_E_MEMTRACE_PID_CHANGED; and
 * those of the sink.
 */
RTEV_API int rtev_memtrace_put_alloc(struct rtev_memtrace_writer *writer, int64_t time,
    const struct rtev_memtrace_alloc *alloc, int64_t *object);
RTEV_API int rtev_memtrace_put_promote(struct rtev_memtrace_writer *writer, int64_t time, int64_t object);
RTEV_API int rtev_memtrace_put_collect(struct rtev_memtrace_writer *writer, int64_t time, int64_t object);

/*
 * Write an event that came from a reader, with the given time (microseconds since the epoch).  RTEV_E_INVALID
 * when the event belongs to another domain; RTEV_E_MEMTRACE_ORDER when it is older than the last one;
 * RTEV_E_MEMTRACE_ALLOC_ID when the object's id is not the writer's next id: the event is then written with
 * the next id.
 */
RTEV_API int rtev_memtrace_put_event(
    struct rtev_memtrace_writer *writer, int64_t time, const struct rtev_memtrace_event *event);

/* Write the current packet out, even if it is empty.  Errors: RTEV_E_NOMEM, RTEV_E_MEMTRACE_PID_CHANGED, and
 * those of the sink. */
RTEV_API int rtev_memtrace_writer_flush(struct rtev_memtrace_writer *writer);

/* The id of the next allocation, unless the writer is flushed before. */
RTEV_API int64_t rtev_memtrace_writer_next_id(const struct rtev_memtrace_writer *writer);

/* The domain of a writer. */
RTEV_API uint16_t rtev_memtrace_writer_domain(const struct rtev_memtrace_writer *writer);

/*
 * A mux writes the events of several domains from one thread.  It has a writer for each domain, and flushes
 * the current writer before it changes to another.  Parameters and errors are those of
 * rtev_memtrace_writer_create, rtev_memtrace_put_event and rtev_memtrace_writer_flush; destroying discards
 * events not flushed, and takes NULL.
 */
RTEV_API int rtev_memtrace_mux_create(struct rtev_memtrace_mux **out, const struct rtev_memtrace_sink *sink,
    const struct rtev_memtrace_info *info, const struct rtev_memtrace_writer_options *options);
RTEV_API void rtev_memtrace_mux_destroy(struct rtev_memtrace_mux *mux);
RTEV_API int rtev_memtrace_mux_put_event(
    struct rtev_memtrace_mux *mux, int64_t time, const struct rtev_memtrace_event *event);
RTEV_API int rtev_memtrace_mux_flush(struct rtev_memtrace_mux *mux);

/* Get the id that the next allocation of a domain must have.  This may flush.  Errors as
 * rtev_memtrace_writer_flush. */
RTEV_API int rtev_memtrace_mux_next_id(struct rtev_memtrace_mux *mux, uint16_t domain, int64_t *id);

/*
 * Copy a trace packet by packet.  The reader must be newly opened and must not skip backtraces.  The copy of
 * a version 3 trace has the same bytes, except for the packets that the reader skips (see enum
 * rtev_memtrace_notice_kind).  Returns RTEV_OK at the end of the trace, or else the status of the read or
 * write that failed; everything before the failure has been written.  RTEV_E_INVALID for a reader that skips
 * backtraces.
 */
RTEV_API int rtev_memtrace_copy(struct rtev_memtrace_reader *reader, const struct rtev_memtrace_sink *sink);

#ifdef __cplusplus
}
#endif

#endif
