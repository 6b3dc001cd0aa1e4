/*
 * rtev.h - definitions shared by all parts of librtev: the version, the status codes and the export macro.
 *
 * RTEV_OK is 0; errors are negative.  A function that can fail returns a status and stores its result through
 * a parameter; one that makes an object stores NULL when it fails.  The library never prints, never exits,
 * and keeps no state outside the objects it creates.
 *
 * To build: `pkg-config --cflags --libs rtev` gives the shared library; --static is for programs that are
 * linked with -static.  CMake's find_package(rtev) gives the static library as rtev::rtev_static and the
 * shared one as rtev::rtev_shared; rtev::rtev is the static one, or the shared one if librtev was built with
 * BUILD_SHARED_LIBS=ON.
 *
 * A struct whose first member is `size` may grow.  The caller always sets it to the sizeof of the struct,
 * also before a call that fills the struct in.  Input: members that an older caller lacks keep their
 * defaults; a size larger than the library knows gives RTEV_E_INVALID.  Output: the library fills in the
 * members that the caller has, and sets to zero those that it does not know.  A size too small for `size`
 * itself gives RTEV_E_INVALID.
 */
#ifndef RTEV_RTEV_H
#define RTEV_RTEV_H

#ifdef __cplusplus
extern "C" {
#endif

#define RTEV_VERSION_MAJOR 0
#define RTEV_VERSION_MINOR 1
#define RTEV_VERSION_PATCH 0

#if defined(__GNUC__)
#define RTEV_API __attribute__((visibility("default")))
#else
#define RTEV_API
#endif

/* X(name, value, message): all status codes.  Each part of the library has its own range. */
#define RTEV_STATUSES(X)                                                                                     \
	X(OK, 0, "no error")                                                                                 \
	/* common: -1 to -99 */                                                                              \
	X(E_INVALID, -1, "invalid argument")                                                                 \
	X(E_NOMEM, -2, "out of memory")                                                                      \
	X(E_NOENT, -3, "no such file")                                                                       \
	X(E_ACCESS, -4, "permission denied")                                                                 \
	X(E_IO, -5, "input or output error")                                                                 \
	X(E_NOT_REGULAR, -6, "not a regular file")                                                           \
	X(E_BUSY, -7, "object is in use by a call that has not returned")                                    \
	X(E_PATH, -8, "path too long")                                                                       \
	X(E_LOOP, -9, "too many symbolic links in the path")                                                 \
	X(E_FILES, -10, "too many open files")                                                               \
	X(E_SPACE, -11, "no space left, or file too large for a limit")                                      \
	/* ring, consumer: -100 to -199 */                                                                   \
	X(E_MAP, -100, "could not map the file")                                                             \
	X(E_NOT_READY, -101, "the ring file is still being created")                                         \
	X(E_FORMAT, -102, "not a runtime events ring of a known format")                                     \
	X(E_TRUNCATED, -103, "the ring file is shorter than its header says")                                \
	X(E_CHANGED, -104, "the ring file was laid out anew; it has to be opened again")                     \
	X(E_NO_CURRENT_RING, -105, "this process has no ring")                                               \
	/* ring, producer: -200 to -299 */                                                                   \
	X(E_DOMAINS, -200, "every domain slot is taken")                                                     \
	X(E_TOO_LARGE, -201, "the event is longer than half the ring")                                       \
	X(E_RELEASE, -202, "the chosen OCaml release has no such phase or counter")                          \
	X(E_USER_COUNT, -203, "no more user events can be registered")                                       \
	X(E_USER_NAME_EMPTY, -204, "the user event's name is empty")                                         \
	X(E_USER_NAME_LONG, -205, "the user event's name is longer than 127 bytes")                          \
	X(E_USER_NAME_NUL, -206, "the user event's name has a NUL byte")                                     \
	X(E_USER_TYPE, -207, "the user event is of another type")                                            \
	X(E_USER_UNKNOWN, -208, "no user event of that name")                                                \
	X(E_USER_INT, -209, "the integer does not fit OCaml's 63 bits")                                      \
	X(E_USER_PAYLOAD, -210, "the custom event's payload is longer than 1024 bytes")                      \
	X(E_NO_USER_EVENTS, -211, "a ring of OCaml 5.0 holds no user events")                                \
	/* fxt: -300 to -399 */                                                                              \
	X(E_FXT_STRING_LENGTH, -300, "string too long for a trace")                                          \
	X(E_FXT_STRING_IDS, -301, "no string id is left")                                                    \
	X(E_FXT_STRING_SLOT, -302, "string slot out of range")                                               \
	X(E_FXT_PROCESS_SLOT, -303, "string id 1 is kept for the text \"process\"")                          \
	X(E_FXT_THREAD_SLOT, -304, "thread slot out of range")                                               \
	X(E_FXT_SLOT_COUNT, -305, "more string slots than there are string ids")                             \
	X(E_FXT_ARG_COUNT, -306, "an event has at most 15 arguments")                                        \
	X(E_FXT_ARGS_MISSING, -307, "the last event lacks declared arguments and was dropped")               \
	X(E_FXT_ARGS_EXTRA, -308, "the argument was not declared")                                           \
	X(E_FXT_ARGS_PENDING, -309, "the last event still needs arguments")                                  \
	X(E_FXT_END_BEFORE_START, -310, "the duration ends before its start")                                \
	X(E_FXT_RECORD_SIZE, -311, "trace record too large")                                                 \
	X(E_FXT_BUFFER, -312, "trace record larger than the buffer")                                         \
	X(E_FXT_NO_SPACE, -313, "no space left for the trace")                                               \
	X(E_FXT_PIPE, -314, "nobody reads the trace any more")                                               \
	X(E_FXT_STOPPED, -315, "the trace is closed or failed before")                                       \
	X(E_FXT_MAGIC, -316, "not a Fuchsia trace")                                                          \
	X(E_FXT_TRUNCATED, -317, "the trace ends inside a record")                                           \
	X(E_FXT_MALFORMED, -318, "a record breaks the trace format")                                         \
	X(E_FXT_UNDEFINED, -319, "a string or thread was never defined")                                     \
	/* memtrace: -400 to -499 */                                                                         \
	X(E_MEMTRACE_END, -400, "no more events in the trace so far")                                        \
	X(E_MEMTRACE_MAGIC, -401, "not a memtrace packet")                                                   \
	X(E_MEMTRACE_VERSION, -402, "a newer version of the trace format than is known here")                \
	X(E_MEMTRACE_PACKET_SIZE, -403, "a packet's size is negative or less than its header")               \
	X(E_MEMTRACE_PACKET_TIME, -404, "a packet ends before it begins")                                    \
	X(E_MEMTRACE_PACKET_IDS, -405, "a packet's object ids run backwards")                                \
	X(E_MEMTRACE_UNDERFLOW, -406, "the data end inside a field")                                         \
	X(E_MEMTRACE_INFO, -407, "the trace does not begin with one complete trace info event")              \
	X(E_MEMTRACE_EVENT_CODE, -408, "an event of unknown or misplaced kind")                              \
	X(E_MEMTRACE_EVENT_TIME, -409, "an event outside the time of its packet")                            \
	X(E_MEMTRACE_ORDER, -410, "time stamps of one domain run backwards")                                 \
	X(E_MEMTRACE_CHANGED, -411, "the trace file became shorter; it has to be opened again")              \
	X(E_MEMTRACE_LOCATION, -412, "a location code was given two meanings")                               \
	X(E_MEMTRACE_SOURCE, -413, "an allocation of unknown source")                                        \
	X(E_MEMTRACE_PROMOTE_ID, -414, "the promotion of an object that is yet to be allocated")             \
	X(E_MEMTRACE_ALLOC_ID, -415, "object ids out of step")                                               \
	X(E_MEMTRACE_CACHE, -416, "the backtrace cache differs from the writer's")                           \
	X(E_MEMTRACE_TABLE, -417, "a reference to a table entry that was never filled")                      \
	X(E_MEMTRACE_NO_LOCATION, -418, "the trace does not tell this location code")                        \
	X(E_MEMTRACE_PID_CHANGED, -419, "the process has forked; the trace belongs to its parent")           \
	X(E_MEMTRACE_DOMAINS, -420, "more domains than a reader keeps apart")

enum rtev_status {
#define RTEV_STATUS_ENUM(name, value, message) RTEV_##name = (value),
	RTEV_STATUSES(RTEV_STATUS_ENUM)
#undef RTEV_STATUS_ENUM
};

/* Return the message of a status.  Never NULL, even if the number is not a status.  Static storage. */
RTEV_API const char *rtev_strerror(int status);

/* Return the version of the library, such as "0.1.0".  Static storage. */
RTEV_API const char *rtev_version(void);

#ifdef __cplusplus
}
#endif

#endif
