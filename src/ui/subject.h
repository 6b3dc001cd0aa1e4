/*
 * subject.h - input of the views: the watch, and facts about the target from outside its events.
 *
 * The app fills in a subject before each redraw; drawing only reads it.  Texts are untrusted bytes; NULL:
 * unknown.
 */
#pragma once

#include "advice/headline.h"
#include "figures/window.h"
#include "advice/lock_rows.h"
#include "calls/profile.h"
#include "fibers/fibers.h"
#include "sites/sites.h"
#include "watch/lately.h"

enum subject_state {
	SUBJECT_WAITING, /* the ring of a COMMAND has not appeared */
	SUBJECT_LIVE,
	SUBJECT_EXITED,
	SUBJECT_REPLAY,	  /* a ring file, or a recording that is replayed */
	SUBJECT_TRUNCATED /* the ring file was truncated while mapped */
};

/* Whether the target records events, see target/events_paused.h. */
enum subject_tracing {
	SUBJECT_TRACING_UNKNOWN, /* only known from silence */
	SUBJECT_TRACING_ON,	 /* read from the process */
	SUBJECT_TRACING_PAUSED,	 /* read from the process */
};

/* The file of a long pause, or the attempt to write one. */
struct subject_file {
	uint64_t ts; /* end of the pause, as far as known */
	uint64_t duration;
	unsigned domain;
	rtev_phase phase;
	bool made; /* the file exists */
	const char *path;
	const char *why;     /* the domain that the pause waited for (watch/blame.h); NULL: not known */
	const char *problem; /* why it is incomplete or missing; NULL: complete */
};

/* One process of the overview.  Figures are of the last seconds, and unknown once it has ended. */
struct subject_process {
	int64_t pid, parent;
	const char *name;
	const char *command; /* its command line */
	bool alike;	     /* another process has this name */
	const char *user;
	const char *ocaml;
	const char *state;
	const char *finding;  /* most important finding in one or two words; NULL: none.  Static storage */
	bool serious;	      /* that finding is serious */
	const char *headline; /* its headline; NULL: not known.  Owned by the fleet */
	const char *remedy;   /* how to get its events; NULL: no remedy is needed */
	bool live;	      /* it can be opened */
	bool ended;
	uint64_t ended_ts;	       /* 0: not known */
	struct window_figures figures; /* without figures of domains */
	const float *gc_history;       /* GC share in each of the last seconds, the newest last */
	unsigned gc_count;
};

/* The state of a replay; its position is the subject's `now`. */
struct subject_replay {
	bool reading; /* the first pass over the file is not over */
	double share; /* share of the file that the first pass has read */
	bool playing;
	bool seeking; /* moving to another position */
	bool at_end;
	bool cut;	      /* the file ends early */
	bool damaged;	      /* the file is corrupt from some point on */
	int speed;	      /* a power of two: -6 is 1/64, 6 is 64 times */
	uint64_t start, end;  /* stamps */
	const char *date;     /* date at the position, "2026-11-21"; NULL: unknown */
	uint64_t counts_from; /* the totals count from here; 0: from the start */
};

/* A memtrace file that is followed.  Its times count from the start of the trace. */
struct subject_trace {
	const char *path;
	const struct sites *sites;	       /* NULL: nothing has been read yet */
	const struct rtev_memtrace_info *info; /* NULL: nothing has been read yet */
	unsigned generation;	 /* incremented when the file is read again, which renumbers functions */
	uint64_t events;	 /* events read */
	uint64_t size, position; /* size of the file and how much of it has been read, in bytes */
	bool exists;
	bool removed; /* removed since it was opened */
	bool ended;   /* its process has ended, as far as is known */
	bool reading; /* there is more to read */
	bool again;   /* reading from the start, for another time window */
	bool torn;    /* the last packet is incomplete */
	bool has_age;
	uint64_t age_ns;   /* since the last write to the file */
	const char *fault; /* why reading stopped; NULL: it did not */
	uint64_t left_out; /* packets of other processes */
};

/* The code that the program executes, from samples. */
struct subject_code {
	const struct profile *profile;
	struct lock_table locks; /* without functions, which are computed for drawing */
	bool on;		 /* it is being sampled */
	bool waits_only;	 /* of threads that wait alone */
	bool slow;		 /* rtevtop may not raise its priority */
	char blind[400];	 /* "": everything is seen; else which threads are, why, and the remedies */
	unsigned hz;
	double own, target; /* processors used for this by us and by the target; NAN: not known */
	uint64_t lost;	    /* samples */
	uint64_t late;	    /* samples that were read late */
	uint64_t real_time; /* samples of threads of real-time priority */
	unsigned left_out;  /* threads that are not sampled */
};

/* A snapshot copies what the pointers refer to, unless it never changes: a new pointer must be added there. */
struct subject {
	struct watch *watch;	       /* NULL: none, or only a trace; reading may update its caches */
	const struct advice *advice;   /* NULL: no findings */
	struct headline headline;      /* from observation_headline */
	struct fibers *fibers;	       /* fibers of the program's scheduler; NULL: none wrote events */
	const char *scheduler;	       /* name of the scheduler; static storage */
	const struct lock_past *locks; /* looks at its locks; NULL: none */
	uint64_t now;		       /* CLOCK_MONOTONIC; the last stamp of a file */
	const char *clock;	       /* wall clock, "18:31:04"; for a replay, at its position */
	int64_t wall_offset;	       /* CLOCK_REALTIME less CLOCK_MONOTONIC, ns; 0 for a file: not known */
	int32_t zone_s;		       /* local time less UTC, s */

	enum subject_state state;
	int64_t pid; /* 0: a file */
	const char *name;
	const char *ocaml;	/* version of OCaml */
	const char *ocaml_from; /* "exe", "stream", ... */
	const char *path;	/* path of the ring */
	bool has_uptime;
	uint64_t uptime_s;
	int exit_status; /* status of a COMMAND that has ended; -1: not known */
	int signal;	 /* signal that ended the process; 0: none or unknown */
	unsigned execs;	 /* exec calls of the process since the attach */

	bool off;	      /* the process has no ring: it records no events */
	const char *off_why;  /* why its counters can't be read; NULL: they can, or events arrive */
	const char *off_cure; /* what would make them readable; NULL: not known */
	enum subject_tracing tracing;
	const char *tracing_why; /* why it is unknown */
	bool has_cpu;
	uint64_t quiet_cpu_ns; /* CPU time used since the last event */
	bool stopped;	       /* stopped by a signal or a debugger */

	const struct subject_replay *replay; /* NULL: no recording */

	uint64_t ring_words;
	const uint64_t *unread; /* unread words of each domain at the last poll */
	unsigned unread_count;

	const char *output; /* tail of a COMMAND's output */
	size_t output_len;
	const char *recording; /* path of a running recording; NULL: none */
	uint64_t recording_ns; /* how long the recording has run */
	uint64_t recording_bytes;
	uint64_t pause_ns;    /* longer pauses are written to files; 0: none */
	uint64_t pause_files; /* files written so far */
	const struct subject_file
	    *files; /* files of long pauses in order of time; entries are only appended */
	size_t file_count;
	const struct subject_trace *trace; /* NULL: there is none */
	const char *notice;		   /* a message such as "saved to FILE" */

	const struct subject_code *code; /* NULL: it was never sampled */
	const char *code_refused; /* why it can't be sampled, once that was tried in vain; NULL: not known */

	/* The overview; NULL: none.  While it is shown, only now, clock and notice above are used. */
	const struct subject_process *processes;
	size_t process_count;
};

/* Size of a time of day with nine decimals. */
#define SUBJECT_CLOCK 24

/* Format the local time of day of a stamp, "18:31:04.123", with 0, 3, 6 or 9 decimals.  Returns false, with
 * an empty text, if the wall clock is unknown. */
bool subject_clock(const struct subject *subject, uint64_t ts, int digits, char out[SUBJECT_CLOCK]);

/* Format the local time of an earlier stamp in short: "18:31", after a day "Fri 18:31", after a week "14 Nov". */
bool subject_since(const struct subject *subject, uint64_t ts, char *buf, size_t size);

/* Whether no more events will come because the target ended, or its ring. */
bool subject_over(const struct subject *subject);

/* Return where and when its latest figures are read. */
struct lately subject_lately(const struct subject *subject);

/* Whether the target records no events and never did: views of events have nothing to show. */
bool subject_eventless(const struct subject *subject);

/* Return the right end of time axes: now, or when the target ended. */
uint64_t subject_time(const struct subject *subject);

/* ---- snapshots ---- */

/*
 * A snapshot is a copy of the subject, which all views and the header draw while the screen is frozen.  It
 * owns copies of the watch and of every fact and text, so later events do not change it, and the original may
 * be freed.  Three things stay live: the notice line, whether a recording runs (without its figures), and the
 * memtrace file, which the app does not read meanwhile.
 */

struct snapshot;

/* NULL when memory ran out. */
struct snapshot *snapshot_create(const struct subject *subject);
void snapshot_destroy(struct snapshot *snapshot);

/* Return the subject to draw, from a snapshot and the current subject.  Valid as long as both are. */
struct subject snapshot_subject(const struct snapshot *snapshot, const struct subject *now);
