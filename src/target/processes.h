/*
 * processes.h - the processes of this machine that have a ring, or could have one.
 *
 * A process is listed when it maps a ring, when its program has an OCaml 5 runtime, or when there is a sign
 * of either and we may not look: then it is inaccessible.  Processes that show nothing are left out.
 */
#ifndef TARGET_PROCESSES_H
#define TARGET_PROCESSES_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "rtev/cursor.h"
#include "target/locate.h"
#include "target/version.h"

enum process_state {
	PROCESS_LIVE,	      /* has a ring that can be read */
	PROCESS_PAUSED,	      /* the same, but says itself that it has paused its events */
	PROCESS_STOPPED,      /* the same, and is stopped by a signal or by who traces it */
	PROCESS_NOT_STARTED,  /* an OCaml 5 process without a ring */
	PROCESS_INACCESSIBLE, /* we may not read its ring, or not look at it at all */
	PROCESS_UNREADABLE    /* has a ring that makes no sense, or is still being made: `ring_status` */
};

struct process_entry {
	pid_t pid;
	enum process_state state;
	char name[68];		   /* untrusted bytes */
	char user[PROC_USER_SIZE]; /* whom it belongs to */
	struct version version;
	bool has_ring; /* the three below are known */
	unsigned domains;
	uint64_t ring_words;
	char path[PROC_PATH_SIZE]; /* of the ring, "" when not known; untrusted bytes */
	enum rtev_status ring_status;
	enum locate_status locate_status;

	/* To tell who owns a ring that two processes map. */
	uint64_t ring_device, ring_inode;
	bool own_ring;
};

struct processes_options {
	const char *proc_root; /* NULL: /proc */
	const char *dir;       /* where else rings may be; NULL: not given */
	/* Called with each cursor while it is open, true after opening and false before closing, so that the
	 * program can guard against truncated files; may be NULL. */
	void (*guard)(void *ctx, const struct rtev_cursor *cursor, bool open);
	void *ctx;
};

struct processes {
	size_t count;
	struct process_entry *entries; /* by pid */
	int short_of; /* an errno value: this ran short, so that entries are missing or say too little; 0: nothing did */
};

/* Look through all processes.  0 or an errno value; on failure the list is empty. */
int processes_create(struct processes **out, const struct processes_options *options);
void processes_destroy(struct processes *list);

/*
 * The same, one process after the other.  What programs are known to be is kept between calls.  0 or ENOMEM; the options are
 * copied.
 */
struct process_finder;
int process_finder_create(struct process_finder **out, const struct processes_options *options);
void process_finder_destroy(struct process_finder *finder);

/* Look at a process.  Whether it is to be listed. */
bool process_finder_look(struct process_finder *finder, pid_t pid, struct process_entry *entry);

/* An errno value: this ran short, so that something may have been missed; 0: nothing did. */
int process_finder_short_of(const struct process_finder *finder);

/* Whether a process maps the ring that another one has made: it reads it, or is a copy of its writer.  Guests are not listed. */
bool process_is_guest(const struct process_entry *entry, const struct process_entry *other);

/* The pid of the next process of an open /proc, 0 after the last. */
pid_t process_next(DIR *dir);

/* How many processes of other users may not be looked into, whether listed or not: any of them may be OCaml's.
 * `proc_root` as above. */
unsigned processes_hidden(const char *proc_root);

/* "live", "paused", "stopped", "not started", "inaccessible", "unreadable".  Static storage. */
const char *process_state_name(enum process_state state);

#endif
