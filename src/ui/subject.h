/*
 * subject.h - what the views draw: the watch, and the facts about the target that no event tells.
 *
 * The app fills it in before each redraw; drawing only reads.  Texts are untrusted bytes and may be NULL
 * where nothing is known.
 */
#ifndef UI_SUBJECT_H
#define UI_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advice/advice.h"
#include "sites/sites.h"
#include "watch/watch.h"

enum subject_state {
	SUBJECT_WAITING, /* a COMMAND whose ring has not appeared */
	SUBJECT_LIVE,
	SUBJECT_EXITED,
	SUBJECT_REPLAY,	  /* a file: a ring's, or a recording that is replayed */
	SUBJECT_TRUNCATED /* the ring was cut short under us */
};

/* Whether the target records, and how that is known: target/events_paused.h. */
enum subject_tracing {
	SUBJECT_TRACING_UNKNOWN, /* goes by silence alone */
	SUBJECT_TRACING_ON,	 /* read from the process */
	SUBJECT_TRACING_PAUSED,	 /* read from the process */
};

/* A file that a long pause got, or was to get. */
struct subject_file {
	uint64_t ts; /* when the pause ended, or how far it was known */
	uint64_t duration;
	unsigned domain;
	rtev_phase phase;
	bool made; /* there is a file */
	const char *path;
	const char *why;     /* whom the pause waited for (watch/blame.h); NULL: not known */
	const char *problem; /* why it is not whole, or not there; NULL: it is whole */
};

/* One process of the overview.  Figures are of the last seconds; NAN: not known. */
struct subject_process {
	int64_t pid, parent;
	const char *name;
	const char *user;
	const char *ocaml;
	const char *state;
	const char *remedy; /* how its events can be had; NULL: there is nothing to be done */
	bool live;	    /* it can be opened */
	bool ended;
	double domains; /* that run */
	double cpu;	/* cores */
	double gc_share;
	double minors, majors;	     /* a second */
	double pause_p99, pause_max; /* ns */
	double allocated, promoted;  /* bytes a second */
	double heap_bytes, resident_bytes;
	double lost_words;	 /* since it was first seen */
	const float *gc_history; /* the share of each of the last seconds, the newest last */
	unsigned gc_count;
};

/* How far a recording has been replayed; its place is the subject's `now`. */
struct subject_replay {
	bool reading; /* the file is walked through once, this share of it is done: */
	double share;
	bool playing;
	bool seeking; /* on the way to another place */
	bool at_end;
	bool cut;	      /* the file ends early, or */
	bool damaged;	      /* makes no sense from somewhere on */
	int speed;	      /* a power of two: -6 is 1/64, 6 is 64 times */
	uint64_t start, end;  /* stamps */
	const char *date;     /* of the wall clock there, "2026-11-21"; NULL: not known */
	uint64_t counts_from; /* the totals count from here; 0: from the start */
};

/* A memtrace file that is followed.  Times in it count from the start of the trace. */
struct subject_trace {
	const char *path;
	const struct sites *sites;	       /* NULL: nothing has been read yet */
	const struct rtev_memtrace_info *info; /* likewise */
	unsigned generation;	 /* goes up when it is read anew: functions have other numbers then */
	uint64_t events;	 /* taken in */
	uint64_t size, position; /* of the file, and what has been read of it; bytes */
	bool exists;
	bool removed; /* since it was opened */
	bool ended;   /* the process that it is of, as far as that can be told */
	bool reading; /* more is there than has been read */
	bool again;   /* from its beginning, for another time window is wanted */
	bool torn;    /* at its end the rest of a packet is waited for */
	bool has_age;
	uint64_t age_ns;   /* since the file was last written to */
	const char *fault; /* why it can't be read any further; NULL: it can */
	uint64_t left_out; /* packets of other processes */
};

/* A still has a copy of what its pointers lead to, or goes on with what never changes: whoever adds one adds it to still.c. */
struct subject {
	struct watch *watch; /* NULL: none, or only a trace; reading may bring its caches up to date */
	const struct advice *advice; /* NULL: nothing is judged */
	uint64_t now;		     /* CLOCK_MONOTONIC; for a file its last stamp */
	const char *clock;	     /* wall clock, "18:31:04"; of a recording that of its place */
	int64_t wall_offset;	     /* CLOCK_REALTIME less CLOCK_MONOTONIC, ns; 0 for a file: not known */
	int32_t zone_s;		     /* local time less UTC, s */

	enum subject_state state;
	int64_t pid; /* 0: a file */
	const char *name;
	const char *ocaml;	/* version */
	const char *ocaml_from; /* "exe", "stream", ... */
	const char *path;	/* of the ring */
	bool has_uptime;
	uint64_t uptime_s;
	int exit_status; /* of a COMMAND that has ended; -1: not known */
	int signal;	 /* that ended the process, 0: none, or not known */
	unsigned execs;	 /* how often the process became another program while we watched */

	enum subject_tracing tracing;
	const char *tracing_why; /* why it can't be read from the process, when unknown */
	bool has_cpu;
	uint64_t quiet_cpu_ns; /* processor time used since the last event */
	bool stopped;	       /* by a signal or a debugger */

	const struct subject_replay *replay; /* NULL: no recording */

	uint64_t ring_words;
	const uint64_t *unread; /* for each domain, when last polled */
	unsigned unread_count;

	bool has_memory;
	uint64_t rss_bytes;  /* of the process, the ring's own pages left out */
	uint64_t ring_bytes; /* of the ring's pages that are resident */

	const char *output; /* what a COMMAND has printed, its end */
	size_t output_len;
	const char *recording; /* path, while a recording runs: */
	uint64_t recording_ns; /* for how long */
	uint64_t recording_bytes;
	uint64_t pause_ns;    /* a pause longer than this is written to a file by itself; 0: none is */
	uint64_t pause_files; /* so many have been */
	const struct subject_file
	    *files; /* of long pauses, as they came: nothing but further ones is ever changed */
	size_t file_count;
	const struct subject_trace *trace; /* NULL: there is none */
	const char *notice;		   /* a line to show for a moment, such as "saved to FILE" */

	/* The overview; NULL: there is none.  While it is shown nothing above but now, clock and notice counts. */
	const struct subject_process *processes;
	size_t process_count;
};

/* Room for a time of day with nine digits. */
#define SUBJECT_CLOCK 24

/* The local time of day of a stamp, "18:31:04.123", with 0, 3, 6 or 9 digits behind the point.  False, and
 * an empty text, where the wall clock is not known. */
bool subject_clock(const struct subject *subject, uint64_t ts, int digits, char out[SUBJECT_CLOCK]);

/* The same of a time long before the subject's, in few columns: "18:31", "Fri 18:31" from a day on, "14 Nov" from a week on. */
bool subject_since(const struct subject *subject, uint64_t ts, char *buf, size_t size);

/* The time that pictures of the target end at: now, or that of its end. */
uint64_t subject_time(const struct subject *subject);

#endif
