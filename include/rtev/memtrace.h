/*
 * memtrace.h - read and write memtrace files: statistical memory profiles of OCaml programs.
 *
 * Each word that a traced program allocates is sampled with a fixed probability, the sample rate.  A block in
 * which at least one word was sampled gives an alloc event, with the number of its samples and the backtrace,
 * and later perhaps a promote event (it left the minor heap) and a collect event (it died).  So `samples` of
 * a block stand for samples / rate words of allocation.
 *
 * A trace is a row of packets.  Each packet belongs to one domain and holds either locations (what a code in
 * a backtrace means) or events; the first one describes the traced process.  Events of one domain are in order
 * of time; events of different domains are not.
 *
 * Threads: a reader belongs to one caller at a time, and so does each writer.  Writers that share a
 * destination may be used by different threads.
 *
 * Integers follow OCaml: object ids, lengths and location codes are 63-bit signed numbers.
 *
 * Versions 1, 2 and 3 of the format are read, version 3 is written.
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

/* Where a frame of a backtrace is in the program's source.  The strings end with NUL; those handed out by a
 * reader are untrusted bytes.  This struct never grows: arrays of it are handed over. */
struct rtev_memtrace_location {
	const char *filename;
	const char *defname; /* the function, "??" when unknown */
	int32_t line;
	int32_t start_char; /* columns in that line */
	int32_t end_char;
};

/* What a trace says of itself. */
struct rtev_memtrace_info {
	size_t size;	    /* sizeof(struct rtev_memtrace_info) */
	double sample_rate; /* probability with which a word is sampled */
	unsigned word_size; /* bits of a word, 64 */
	unsigned version;   /* of the first packet; ignored when writing */
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
 * An event.  What is marked alloc holds for alloc events only.  The backtrace goes from the outermost caller to
 * the allocation; its codes are looked up with rtev_memtrace_lookup.  Its first `unchanged` codes are those of
 * the domain's previous alloc event: common_prefix of them, or all where the tracer had cut that one short.
 */
struct rtev_memtrace_event {
	size_t size;	/* sizeof(struct rtev_memtrace_event) */
	int64_t time;	/* microseconds since the start of the trace */
	int64_t object; /* id, unique over all domains */
	enum rtev_memtrace_kind kind;
	uint16_t domain;		  /* on which it happened; an object may die on another */
	enum rtev_memtrace_source source; /* alloc: how the block was allocated */
	int64_t length;			  /* alloc: words, without the header */
	int64_t samples;		  /* alloc: at least 1 in what a tracer writes */
	const int64_t *backtrace;	  /* alloc: NULL when backtraces are skipped */
	size_t depth;			  /* alloc: codes in it, 0 when skipped */
	size_t unchanged;		  /* alloc */
	int64_t common_prefix;		  /* alloc: as it stands in the trace */
};

/* What a reader met that is no failure but that somebody may want to be told. */
enum rtev_memtrace_notice_kind {
	RTEV_MEMTRACE_WRONG_PID, /* a packet of another process was left out */
	RTEV_MEMTRACE_TRUNCATED, /* a packet was left out that is not all there, or is larger than 32 KiB */
	RTEV_MEMTRACE_UNKNOWN	 /* a packet of an unknown version; reading fails after this */
};

struct rtev_memtrace_notice {
	enum rtev_memtrace_notice_kind kind;
	uint64_t offset;  /* of the packet, bytes from the start of the trace */
	int64_t pid;	  /* of the packet */
	unsigned version; /* of the packet */
	uint64_t missing; /* TRUNCATED: bytes that are not there */
};

/* A packet of events or locations, as its header says. */
struct rtev_memtrace_packet {
	uint64_t offset;	      /* bytes from the start of the trace */
	uint64_t size;		      /* bytes, header included */
	int64_t time_begin, time_end; /* microseconds since the Unix epoch */
	int64_t alloc_id_begin, alloc_id_end;
	uint16_t domain;
	unsigned version;
	uint32_t locations; /* events in it that tell a location; 0 until it has been read */
	bool events;	    /* whether it has others; false until it has been read */
};

/* Where and why a trace can't be read any further. */
struct rtev_memtrace_fault {
	size_t size; /* sizeof(struct rtev_memtrace_fault) */
	int status;
	uint64_t offset; /* of the byte from the start of the trace */
	char what[96];	 /* one line without a full stop */
};

/* How to read.  Callbacks that are NULL are not called; all get `ctx` and may not call the reader. */
struct rtev_memtrace_options {
	size_t size;	      /* sizeof(struct rtev_memtrace_options) */
	bool skip_backtraces; /* faster: no backtraces, and no check of the backtrace cache */
	bool follow; /* the trace is still being written: wait for the rest of what is torn at its end */
	void *ctx;
	void (*notice)(void *ctx, const struct rtev_memtrace_notice *notice);
	/* Called with begin == true before the first event of a packet is handed out, with false after the
	 * last. */
	void (*packet)(void *ctx, const struct rtev_memtrace_packet *packet, bool begin);
	struct rtev_memtrace_fault *fault; /* filled in when opening fails, its size set; may be NULL */
};

/*
 * Open a trace and read its first packet.  `options` may be NULL.  RTEV_E_NOENT, RTEV_E_ACCESS,
 * RTEV_E_NOT_REGULAR (a directory), RTEV_E_IO, RTEV_E_NOMEM, RTEV_E_INVALID (the size in the options or in their `fault`,
 * which is then left alone), and what rtev_memtrace_next may return about the first packet; with `follow`,
 * RTEV_E_MEMTRACE_END when that packet is not all there yet: open again later.
 */
RTEV_API int rtev_memtrace_open_path(
    struct rtev_memtrace_reader **out, const char *path, const struct rtev_memtrace_options *options);

/* Open by a descriptor, which stays the caller's.  The trace begins where the descriptor stands; a descriptor
 * that can seek is left there.  Errors as rtev_memtrace_open_path. */
RTEV_API int rtev_memtrace_open_fd(
    struct rtev_memtrace_reader **out, int fd, const struct rtev_memtrace_options *options);

/* Read a trace that stands in memory, which the caller keeps in place until the reader is closed. */
RTEV_API int rtev_memtrace_open_memory(struct rtev_memtrace_reader **out, const void *data, size_t size,
    const struct rtev_memtrace_options *options);

/* Tell a reader on memory that the trace has grown to `size` bytes and now stands at `data`; its first bytes
 * are those of before.  RTEV_E_INVALID for another kind of reader or less than there was. */
RTEV_API int rtev_memtrace_grow(struct rtev_memtrace_reader *reader, const void *data, size_t size);

/* Close and free.  NULL is allowed. */
RTEV_API void rtev_memtrace_close(struct rtev_memtrace_reader *reader);

/* What the trace says of itself; the strings live as long as the reader. */
RTEV_API const struct rtev_memtrace_info *rtev_memtrace_info(const struct rtev_memtrace_reader *reader);

/*
 * Get the next event; *out and the backtrace it points to hold until the next call.  RTEV_E_MEMTRACE_END when
 * there is none: call again when the trace has grown, and reading goes on where it stopped, nothing is read
 * twice.  With `follow` the rest of a torn packet is waited for; without, a torn packet is reported as
 * truncated (and still read should the rest turn up) and a torn packet header is RTEV_E_MEMTRACE_UNDERFLOW.
 * Any other status is final: the trace is malformed there (rtev_memtrace_fault says where), but all that came
 * before stays known.
 */
RTEV_API int rtev_memtrace_next(struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event **out);

/* Switch waiting for torn packets on or off. */
RTEV_API void rtev_memtrace_set_follow(struct rtev_memtrace_reader *reader, bool follow);

/* Why the last call failed: fill in *out, whose size is set.  `what` is empty when it did not fail.
 * RTEV_E_INVALID for a size that makes no sense. */
RTEV_API int rtev_memtrace_fault(const struct rtev_memtrace_reader *reader, struct rtev_memtrace_fault *out);

/*
 * What a location code stands for: several locations where calls were inlined, outermost first; none (*count
 * 0) where the program has no debug information.  The locations live as long as the reader, and equal names
 * have equal addresses.
 * RTEV_E_MEMTRACE_NO_LOCATION for a code that the trace has not told.
 */
RTEV_API int rtev_memtrace_lookup(const struct rtev_memtrace_reader *reader, int64_t code,
    const struct rtev_memtrace_location **out, size_t *count);

/* The size of the trace now, in bytes from the beginning of the file.  RTEV_E_INVALID for what has no size
 * (a pipe). */
RTEV_API int rtev_memtrace_size(const struct rtev_memtrace_reader *reader, uint64_t *bytes);

/* How many bytes of the trace have been used up: where the next packet begins. */
RTEV_API uint64_t rtev_memtrace_position(const struct rtev_memtrace_reader *reader);

/*
 * Print an event as one line without its newline, as the reference library's dump does: time (left out
 * without `with_time`), object id, kind, and for an alloc its samples, length, domain, common prefix and the
 * locations of its backtrace ("$" and the code for a code without locations).  Writes at most `size` bytes, a
 * NUL included, and *length (without it) is what the whole line takes.  RTEV_E_MEMTRACE_NO_LOCATION when a
 * code is unknown; the line then ends before it.
 */
RTEV_API int rtev_memtrace_format_event(const struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event *event, bool with_time, char *buf, size_t size, size_t *length);

/* Where a writer's packets go.  `write` gets one whole packet and returns RTEV_OK or a failure, after which
 * nothing more is written.  It is called under a lock that writers of one destination share. */
struct rtev_memtrace_sink {
	size_t size; /* sizeof(struct rtev_memtrace_sink) */
	int (*write)(void *ctx, const void *data, size_t size);
	void *ctx;
};

/*
 * What a location code of a backtrace stands for: returns the number of locations, outermost first, and
 * points *out to them; they need to live until the next call.  `index` is the place in the backtrace given.
 * Called once for each code that the trace has not told lately; never for code 0, which has no meaning.
 */
typedef size_t (*rtev_memtrace_locate)(
    void *ctx, int64_t code, size_t index, const struct rtev_memtrace_location **out);

struct rtev_memtrace_writer_options {
	size_t size;		     /* sizeof(struct rtev_memtrace_writer_options) */
	void *ctx;		     /* for both callbacks */
	rtev_memtrace_locate locate; /* NULL: no code has a location */
	/* The pid now; NULL: always that of the info.  When it differs from the one at creation, the process has
	 * forked: nothing is written and RTEV_E_MEMTRACE_PID_CHANGED is returned. */
	int64_t (*getpid)(void *ctx);
	uint32_t ids_per_chunk; /* object ids a writer takes at a time; 0: 10,000 */
};

/* An allocation to write.  The backtrace goes from the outermost caller to the allocation; its last `dropped`
 * codes are left out. */
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
 * Begin a trace: writes the first packet and makes the writer of info->initial_domain.  `options` may be
 * NULL.  RTEV_E_NOMEM, RTEV_E_INVALID (strings too long for a packet, the size in a struct) and what the sink returns.
 */
RTEV_API int rtev_memtrace_writer_create(struct rtev_memtrace_writer **out,
    const struct rtev_memtrace_sink *sink, const struct rtev_memtrace_info *info,
    const struct rtev_memtrace_writer_options *options);

/* Begin a trace on a descriptor, which stays the caller's.  Each packet is one write(2), repeated where it was
 * cut short; RTEV_E_IO when it fails. */
RTEV_API int rtev_memtrace_writer_create_fd(struct rtev_memtrace_writer **out, int fd,
    const struct rtev_memtrace_info *info, const struct rtev_memtrace_writer_options *options);

/* Make the writer of a further domain, with the same destination and callbacks.  It begins at the parent's
 * last time, or at the time given (microseconds since the epoch). */
RTEV_API int rtev_memtrace_writer_for_domain(
    struct rtev_memtrace_writer **out, struct rtev_memtrace_writer *parent, uint16_t domain);
RTEV_API int rtev_memtrace_writer_for_domain_at(struct rtev_memtrace_writer **out,
    struct rtev_memtrace_writer *parent, uint16_t domain, int64_t start_time);

/* Free a writer without writing what it holds (see rtev_memtrace_writer_flush).  NULL is allowed. */
RTEV_API void rtev_memtrace_writer_destroy(struct rtev_memtrace_writer *writer);

/*
 * Write an event that happens at `time` (microseconds since the epoch).  *object gets the id of the allocated
 * block; it may be NULL.  RTEV_E_MEMTRACE_ORDER: the time is before the last event's; RTEV_E_MEMTRACE_SOURCE;
 * RTEV_E_MEMTRACE_PROMOTE_ID: the id is not below the next one of this writer, which readers refuse (a collect
 * may tell of any object).  RTEV_E_NOMEM, RTEV_E_MEMTRACE_PID_CHANGED, what the sink returns.
 */
RTEV_API int rtev_memtrace_put_alloc(struct rtev_memtrace_writer *writer, int64_t time,
    const struct rtev_memtrace_alloc *alloc, int64_t *object);
RTEV_API int rtev_memtrace_put_promote(struct rtev_memtrace_writer *writer, int64_t time, int64_t object);
RTEV_API int rtev_memtrace_put_collect(struct rtev_memtrace_writer *writer, int64_t time, int64_t object);

/*
 * Write an event as a reader gives it, at `time` (microseconds since the epoch).  RTEV_E_INVALID: it is of
 * another domain; RTEV_E_MEMTRACE_ORDER: it is older than the last one; RTEV_E_MEMTRACE_ALLOC_ID: the object's
 * id is not the one that was due, under which it has been written.
 */
RTEV_API int rtev_memtrace_put_event(
    struct rtev_memtrace_writer *writer, int64_t time, const struct rtev_memtrace_event *event);

/* Write out what the writer holds, be it an empty packet. */
RTEV_API int rtev_memtrace_writer_flush(struct rtev_memtrace_writer *writer);

/* The id that the next allocation will have, if nothing is flushed before. */
RTEV_API int64_t rtev_memtrace_writer_next_id(const struct rtev_memtrace_writer *writer);
RTEV_API uint16_t rtev_memtrace_writer_domain(const struct rtev_memtrace_writer *writer);

/*
 * Write the events of several domains from one thread: a writer for each domain, each flushed before another
 * one gets events.
 */
RTEV_API int rtev_memtrace_mux_create(struct rtev_memtrace_mux **out, const struct rtev_memtrace_sink *sink,
    const struct rtev_memtrace_info *info, const struct rtev_memtrace_writer_options *options);
RTEV_API void rtev_memtrace_mux_destroy(struct rtev_memtrace_mux *mux);
RTEV_API int rtev_memtrace_mux_put_event(
    struct rtev_memtrace_mux *mux, int64_t time, const struct rtev_memtrace_event *event);
RTEV_API int rtev_memtrace_mux_flush(struct rtev_memtrace_mux *mux);

/* The id that the next allocation of a domain has to have.  May flush. */
RTEV_API int rtev_memtrace_mux_next_id(struct rtev_memtrace_mux *mux, uint16_t domain, int64_t *id);

/*
 * Read all that is left of a trace and write it again, packet by packet.  The reader must be a fresh one that
 * has backtraces.  The copy of a version 3 trace has the same bytes, packets left aside that were left out
 * (see enum rtev_memtrace_notice_kind).  Returns RTEV_OK at the end of the trace, else what reading or writing
 * returned; what came before has been written.
 */
RTEV_API int rtev_memtrace_copy(struct rtev_memtrace_reader *reader, const struct rtev_memtrace_sink *sink);

#ifdef __cplusplus
}
#endif

#endif
