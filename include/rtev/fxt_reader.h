/*
 * fxt_reader.h - read a trace in the Fuchsia trace format, record by record.
 *
 * A reader accepts what the specification defines and nothing else: reserved bits and padding are zero, sizes
 * fit to the word, every string and thread was defined before it is used, texts are UTF-8.  Input is taken to
 * be hostile: whatever it is, reading it ends, stays inside it, and gives a status and the byte where the
 * faulty record begins.  What memory it takes grows with the input read; a claim of the input alone allocates at most
 * 64 MiB in all.
 *
 * Threads: a reader belongs to one caller at a time; different readers are independent.
 *
 * Source of the facts: the Fuchsia document "Fuchsia trace format" (fuchsia.dev, reference/tracing).
 */
#ifndef RTEV_FXT_READER_H
#define RTEV_FXT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtev/fxt.h"
#include "rtev/rtev.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the trace or of the reader's string table, not NUL-terminated. */
struct rtev_fxt_text {
	const char *data; /* never NULL */
	uint32_t len;
	rtev_fxt_string id; /* in the string table; 0 when empty or inline */
};

/* An argument of an event or object. */
struct rtev_fxt_arg {
	enum rtev_fxt_arg_type type;
	struct rtev_fxt_text name;
	union {
		int64_t i;		   /* INT32, INT64 */
		uint64_t u;		   /* UINT32, UINT64, POINTER, KOID */
		double d;		   /* DOUBLE */
		bool b;			   /* BOOL */
		struct rtev_fxt_text text; /* STRING; BLOB (any bytes) */
	} value;
};

struct rtev_fxt_args_read {
	const struct rtev_fxt_arg *list;
	unsigned count; /* at most 15 */
};

/* A process and thread, as the thread table or the record itself says. */
struct rtev_fxt_thread_ids {
	uint64_t pid;
	uint64_t tid;
};

/* The kinds of records. */
enum rtev_fxt_record_kind {
	RTEV_FXT_MAGIC,		   /* the magic word */
	RTEV_FXT_PROVIDER_INFO,	   /* `provider` */
	RTEV_FXT_PROVIDER_SECTION, /* `provider`, its name if known */
	RTEV_FXT_PROVIDER_EVENT,   /* `provider`: its buffer filled up, records were dropped */
	RTEV_FXT_TICKS,		   /* `ticks` */
	RTEV_FXT_STRING_RECORD,	   /* `string`: a string was defined */
	RTEV_FXT_THREAD_RECORD,	   /* `thread`: a thread was defined */
	RTEV_FXT_EVENT,		   /* `event` */
	RTEV_FXT_BLOB,		   /* `blob` */
	RTEV_FXT_USER_OBJECT,	   /* `object` */
	RTEV_FXT_KERNEL_OBJECT,	   /* `object`; names of processes and threads among them */
	RTEV_FXT_SCHEDULING,	   /* `scheduling` */
	RTEV_FXT_LOG,		   /* `log` */
	RTEV_FXT_LARGE_BLOB	   /* `blob` */
};

#define RTEV_FXT_OBJECT_PROCESS 1 /* types of kernel objects that carry names */
#define RTEV_FXT_OBJECT_THREAD 2

/* A record.  It and all it points to are valid until the next call on the reader. */
struct rtev_fxt_record {
	enum rtev_fxt_record_kind kind;
	uint64_t offset;   /* of its first byte in the trace */
	const void *bytes; /* the record as it stands, `size` bytes */
	size_t size;
	union {
		struct {
			uint32_t id;
			struct rtev_fxt_text name;
		} provider;
		struct {
			struct rtev_fxt_ticks rate; /* base_ticks and base_time are 0 unless has_base */
			bool has_base;
		} ticks;
		struct rtev_fxt_text string; /* its id is the one defined; 0: to be ignored */
		struct {
			uint8_t index; /* 0: to be ignored */
			struct rtev_fxt_thread_ids ids;
		} thread;
		struct {
			enum rtev_fxt_event_type type;
			uint8_t thread_index; /* 0 when the ids stand in the record */
			struct rtev_fxt_thread_ids thread;
			struct rtev_fxt_text category, name;
			uint64_t ticks;
			uint64_t word; /* end ticks, or counter, async or flow id; 0 for other kinds */
			struct rtev_fxt_args_read args;
		} event;
		struct {
			uint8_t
			    type; /* 1 data, 2 last branches, 3 Perfetto; for a large one its format, 0 or 1 */
			uint64_t ticks; /* this and the next three only in large ones, of format 0 */
			struct rtev_fxt_thread_ids thread;
			struct rtev_fxt_text category; /* also in format 1 */
			struct rtev_fxt_args_read args;
			struct rtev_fxt_text name;
			const void *data;
			uint64_t size;
		} blob;
		struct {
			uint8_t type; /* of a kernel object */
			uint64_t id;  /* koid, or the pointer of a user object */
			uint64_t pid; /* of a user object; for a thread, of its "process" argument, else 0 */
			struct rtev_fxt_text name; /* a kernel object's may be any bytes */
			struct rtev_fxt_args_read args;
		} object;
		struct {
			uint8_t type; /* 0 legacy context switch, 1 context switch, 2 wakeup */
			uint16_t cpu;
			uint8_t outgoing_state;
			uint8_t outgoing_priority, incoming_priority; /* type 0 */
			uint64_t ticks;
			struct rtev_fxt_thread_ids outgoing, incoming; /* pid 0 in types 1 and 2 */
			struct rtev_fxt_args_read args;
		} scheduling;
		struct {
			struct rtev_fxt_thread_ids thread;
			uint64_t ticks;
			struct rtev_fxt_text message;
		} log;
	} u;
};

struct rtev_fxt_reader_options {
	size_t size;	  /* sizeof(struct rtev_fxt_reader_options) */
	bool allow_base;  /* also accept the four-word tick initialisation that writers may make (fxt.h) */
	bool allow_bytes; /* also accept texts that are not UTF-8 */
};

struct rtev_fxt_reader;

/* A large blob longer than this is refused with RTEV_E_FXT_RECORD_SIZE when reading from a descriptor. */
#define RTEV_FXT_READER_BYTES_MAX ((size_t)32 << 20)

/* Read a trace that stands in memory, which stays the caller's and in place.  `options` may be NULL.
 * RTEV_E_INVALID, RTEV_E_NOMEM. */
RTEV_API int rtev_fxt_reader_open_memory(struct rtev_fxt_reader **out, const void *data, size_t size,
    const struct rtev_fxt_reader_options *options);

/* Read a trace from a descriptor, from where it stands to its end; it stays the caller's.  RTEV_E_INVALID,
 * RTEV_E_NOMEM. */
RTEV_API int rtev_fxt_reader_open_fd(
    struct rtev_fxt_reader **out, int fd, const struct rtev_fxt_reader_options *options);

/* Free.  NULL is allowed. */
RTEV_API void rtev_fxt_reader_destroy(struct rtev_fxt_reader *reader);

/*
 * Get the next record; *record is NULL at the end of a good trace.  RTEV_E_FXT_MAGIC when it does not begin
 * with the magic word; RTEV_E_FXT_TRUNCATED when it ends inside a record; RTEV_E_FXT_MALFORMED for a record
 * that breaks the format; RTEV_E_FXT_UNDEFINED for a string or thread that was not defined;
 * RTEV_E_FXT_RECORD_SIZE, RTEV_E_IO, RTEV_E_NOMEM.  A fault is final: further calls return it again.
 */
RTEV_API int rtev_fxt_reader_next(struct rtev_fxt_reader *reader, const struct rtev_fxt_record **record);

/* Where the record with the fault begins, in bytes from the start of the trace (all before it is good), and
 * what the fault is, in a few words (static storage).  Without a fault: the end of the last record, and NULL. */
RTEV_API void rtev_fxt_reader_fault(
    const struct rtev_fxt_reader *reader, uint64_t *offset, const char **reason);

/* A number of ticks in nanoseconds, rounded down; UINT64_MAX when they are too many.  A rate of 0 counts as
 * 1 tick = 1 ns. */
RTEV_API uint64_t rtev_fxt_ticks_to_ns(uint64_t per_second, uint64_t ticks);

#ifdef __cplusplus
}
#endif

#endif
