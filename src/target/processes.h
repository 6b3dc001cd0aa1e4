/*
 * processes.h - the processes of this machine that have a ring, or could have one.
 *
 * A process is listed if it maps a ring, or if its program has an OCaml 5 runtime.  If there is a sign of
 * either but we may not read the process, it is listed as inaccessible.
 */
#pragma once

#include <dirent.h>
#include <sys/types.h>

#include "rtev/cursor.h"
#include "target/locate.h"

enum process_state {
	PROCESS_LIVE,	      /* has a readable ring */
	PROCESS_PAUSED,	      /* has a readable ring, and has paused its events */
	PROCESS_STOPPED,      /* has a readable ring, and is stopped by a signal or a tracer */
	PROCESS_NO_EVENTS,    /* an OCaml 5 process without a ring */
	PROCESS_NOT_STARTED,  /* its ring is made and empty: nothing may be in it yet */
	PROCESS_INACCESSIBLE, /* its ring, or the process itself, may not be read */
	PROCESS_UNREADABLE    /* its ring is invalid or incomplete: `ring_status` */
};

struct process_entry {
	pid_t pid;
	enum process_state state;
	char name[STATUS_PROGRAM_SIZE]; /* unsanitised */
	char user[PROC_USER_SIZE];	/* owner of the process */
	struct version version;
	bool has_ring;	  /* the next four members are known */
	bool has_domains; /* the next member is known; without a ring, only with `once` */
	unsigned domains;
	uint64_t ring_words;
	char path[PROC_PATH_SIZE]; /* path of the ring, unsanitised; "": unknown */
	enum rtev_status ring_status;
	enum locate_status locate_status;
	int short_of; /* errno value of a resource that ran short, so that the entry may be wrong; 0: none */

	/* Device and inode identify the owner of a ring that two processes map. */
	uint64_t ring_device, ring_inode;
	bool own_ring;
};

struct processes_options {
	const char *proc_root; /* NULL: /proc */
	const char *dir;       /* another directory of rings; NULL: none */
	/* Called after opening a cursor (true) and before closing it (false), so that the program can guard
	 * against truncated files; may be NULL. */
	void (*guard)(void *ctx, const struct rtev_cursor *cursor, bool open);
	void *ctx;
	/* Set for a roster that is refreshed once: it need not read the stats by which a next refresh
	 * recognises the processes, and entries have none. */
	bool once;
};

/* A finder examines single processes; it caches results about program files.  process_finder_create returns 0
 * or ENOMEM; it copies the options. */
struct process_finder;
int process_finder_create(struct process_finder **out, const struct processes_options *options);
void process_finder_destroy(struct process_finder *finder);

/* Examine a process.  Returns whether it is to be listed, with *entry filled in; entry->short_of is set in
 * any case. */
bool process_finder_look(struct process_finder *finder, pid_t pid, struct process_entry *entry);

/* Return the errno value of a resource that ran short, so that something may have been missed; 0: none. */
int process_finder_short_of(const struct process_finder *finder);

/* Whether a process maps the ring of another one: it reads it, or was forked from its writer.  Guests are not
 * listed. */
bool process_is_guest(const struct process_entry *entry, const struct process_entry *other);

/* The next pid of an open /proc, 0 after the last. */
pid_t process_next(DIR *dir);

/* List the threads of a process, ascending; the caller frees them.  Returns 0 or an errno value, ESRCH if it has ended. */
int process_threads(const struct proc *proc, int32_t **tids, size_t *count);

/* Count the processes of other users, listed or not, that may not be read and could be OCaml processes.
 * `proc_root` NULL: /proc. */
unsigned processes_hidden(const char *proc_root);

/* "live", "paused", "stopped", "no events", "not started", "inaccessible", "unreadable".  Static storage. */
const char *process_state_name(enum process_state state);

#define PROCESS_COMMAND_SIZE 4096

/* Details of a listed process that are not in its ring. */
struct process_detail {
	int64_t parent;			    /* pid of the parent; 0: none, or not known */
	uint64_t start_ticks;		    /* start time in ticks since boot; 0: not known */
	char command[PROCESS_COMMAND_SIZE]; /* words joined by blanks, unsanitised; "": not known */
};

/* Read the details of a process.  `proc_root` NULL: /proc.  Details that can't be read are not known. */
void process_detail_read(struct process_detail *out, const char *proc_root, pid_t pid);

/* Whether a process has a name: as the kernel cuts it, or as the base name of the first word of its command
 * line. */
bool process_is_called(pid_t pid, const char *name);

/* Whether any process has a name, OCaml or not. */
bool process_called(const char *name);

/* Convert ticks since boot to the wall clock, in seconds since 1970 UTC.  Returns false if that is not
 * possible. */
bool process_began(uint64_t start_ticks, double *seconds);

/* Return how to get the events of a process that has no readable ring; NULL: there is no way, or no need.
 * Static storage. */
const char *process_remedy(enum process_state state);

/* Return the pid in our namespace of the process that process `of` knows as `inner`; 0: none, or it may
 * not be read.  Events of a process in a container contain pids of its own namespace.  `proc_root` NULL:
 * /proc. */
pid_t inner_pid(const char *proc_root, pid_t of, pid_t inner);
