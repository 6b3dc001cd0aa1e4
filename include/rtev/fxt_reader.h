/*
 * fxt_reader.h - read a trace in the Fuchsia trace format, record by record.
 *
 * A reader accepts only what the specification defines: reserved bits and padding are zero, sizes are exact
 * to the word, every string and thread is defined before its use, and texts are UTF-8.  The input is
 * untrusted: for any input, the reader terminates, reads only inside it, and reports a status and the offset
 * of the faulty record.  Memory use grows with the input read; sizes that the input merely claims allocate at
 * most 64 MiB in total.
 *
 * Threads: only one thread at a time may use a reader; different readers are independent.
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

/* A process id and a thread id, from the thread table or from the record itself. */
struct rtev_fxt_thread_ids {
	uint64_t pid;
	uint64_t tid;
};

/* The kinds of records.  The comments name the member of the union that is valid. */
enum rtev_fxt_record_kind {
	RTEV_FXT_MAGIC,		   /* the magic word */
	RTEV_FXT_PROVIDER_INFO,	   /* `provider` */
	RTEV_FXT_PROVIDER_SECTION, /* `provider`, its name if known */
	RTEV_FXT_PROVIDER_EVENT,   /* `provider`: its buffer filled up, and records were dropped */
	RTEV_FXT_TICKS,		   /* `ticks` */
	RTEV_FXT_STRING_RECORD,	   /* `string`: a string was defined */
	RTEV_FXT_THREAD_RECORD,	   /* `thread`: a thread was defined */
	RTEV_FXT_EVENT,		   /* `event` */
	RTEV_FXT_BLOB,		   /* `blob` */
	RTEV_FXT_USER_OBJECT,	   /* `object` */
	RTEV_FXT_KERNEL_OBJECT,	   /* `object`; includes the names of processes and threads */
	RTEV_FXT_SCHEDULING,	   /* `scheduling` */
	RTEV_FXT_LOG,		   /* `log` */
	RTEV_FXT_LARGE_BLOB	   /* `blob` */
};

#define RTEV_FXT_OBJECT_PROCESS 1 /* types of kernel objects that carry names */
#define RTEV_FXT_OBJECT_THREAD 2

/* A record.  It and the data it points to are valid until the next call on the reader. */
struct rtev_fxt_record {
	enum rtev_fxt_record_kind kind;
	uint64_t offset;   /* of the record, bytes from the start of the trace */
	const void *bytes; /* the raw record, `size` bytes */
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
		struct rtev_fxt_text string; /* `id` is the id defined; 0: ignore the record */
		struct {
			uint8_t index; /* 0: ignore the record */
			struct rtev_fxt_thread_ids ids;
		} thread;
		struct {
			enum rtev_fxt_event_type type;
			uint8_t thread_index; /* 0 when the ids are in the record */
			struct rtev_fxt_thread_ids thread;
			struct rtev_fxt_text category, name;
			uint64_t ticks;
			uint64_t word; /* end ticks, or counter, async or flow id; 0 for other kinds */
			struct rtev_fxt_args_read args;
		} event;
		struct {
			/* 1 data, 2 last branches, 3 Perfetto; for a large one its format, 0 or 1. */
			uint8_t type;
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
			uint64_t pid; /* of a user object; for a thread, its "process" argument; else 0 */
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
	bool allow_base;  /* also accept the four-word tick initialisation of rtev_fxt_write_ticks() */
	bool allow_bytes; /* also accept texts that are not UTF-8 */
};

struct rtev_fxt_reader;

/* On a descriptor, the reader refuses a larger large blob with RTEV_E_FXT_RECORD_SIZE. */
#define RTEV_FXT_READER_BYTES_MAX ((size_t)32 << 20)

/* Open a trace in memory.  The caller owns the memory, which must stay valid while the reader exists.
 * `options` may be NULL.  Errors: RTEV_E_INVALID, RTEV_E_NOMEM. */
RTEV_API int rtev_fxt_reader_open_memory(struct rtev_fxt_reader **out, const void *data, size_t size,
    const struct rtev_fxt_reader_options *options);

/* Open a trace on a descriptor, which the caller still owns.  The reader reads from the current position to
 * the end.  Errors: RTEV_E_INVALID, RTEV_E_NOMEM. */
RTEV_API int rtev_fxt_reader_open_fd(
    struct rtev_fxt_reader **out, int fd, const struct rtev_fxt_reader_options *options);

/* Free a reader.  NULL is allowed. */
RTEV_API void rtev_fxt_reader_destroy(struct rtev_fxt_reader *reader);

/*
 * Get the next record; *record is NULL at the end of a valid trace.  Errors: RTEV_E_FXT_MAGIC when the trace
 * does not begin with the magic word; RTEV_E_FXT_TRUNCATED when it ends inside a record; RTEV_E_FXT_MALFORMED
 * for a record that violates the format; RTEV_E_FXT_UNDEFINED for a string or thread that was not defined;
 * RTEV_E_FXT_RECORD_SIZE, RTEV_E_IO, RTEV_E_NOMEM.  A fault is final: further calls return it again.
 */
RTEV_API int rtev_fxt_reader_next(struct rtev_fxt_reader *reader, const struct rtev_fxt_record **record);

/* Get the fault.  *offset is the start of the faulty record, in bytes from the start of the trace; everything
 * before it is valid.  *reason is a short description in static storage.  Without a fault, *offset is the end
 * of the last record and *reason is NULL. */
RTEV_API void rtev_fxt_reader_fault(
    const struct rtev_fxt_reader *reader, uint64_t *offset, const char **reason);

/* Convert ticks to nanoseconds, rounded down; UINT64_MAX when the result does not fit.  A rate of 0 means
 * 1 tick = 1 ns. */
RTEV_API uint64_t rtev_fxt_ticks_to_ns(uint64_t per_second, uint64_t ticks);

#ifdef __cplusplus
}
#endif

#endif
