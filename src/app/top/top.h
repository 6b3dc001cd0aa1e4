/*
 * top.h - the state of the live view and its parts.
 *
 * A *turn* reads what the target has written.  A *redraw* shows what has been read, at its own pace.  They
 * share only the watch.
 */
#pragma once

#include "app/top/facts.h"
#include "record/flight.h"
#include "app/flight_failures.h"
#include "app/fleet_loop.h"
#include "app/top/follow_memtrace.h"
#include "app/top/replay.h"
#include "observation/observation.h"
#include "session/session.h"
#include "app/settings.h"
#include "tty/tty.h"
#include "ui/ui.h"

/* The recording of key r. */
struct top_record {
	struct recording *recording; /* NULL: none */
	bool ending;		     /* the end was requested */
	struct naming naming;
	char path[NAMING_PATH];
	uint64_t events, lost_words; /* recorded so far */
	uint64_t seen_events;	     /* the model's total already counted in `events` */
	uint64_t seen_lost;	     /* the model's total already counted in `lost_words` */
};

/* The targets to choose from. */
struct overview {
	struct fleet_loop targets; /* without a fleet there is no overview */
	uint64_t next_step;
};

struct top {
	const struct options *options;
	struct settings settings; /* initial settings: the file, then options */
	struct session session;
	bool attached; /* there is a session */
	struct overview overview;
	struct replay *replay;		 /* a recording in place of a session; NULL: none */
	bool seen_event;		 /* an event of the session has been read */
	bool seen_end;			 /* the target has ended and everything has been read */
	bool leaving;			 /* only COMMAND's end is awaited */
	unsigned others;		 /* number of COMMAND's further programs that was shown */
	struct observation *observation; /* of the session or the replay; NULL: none */
	struct facts facts;
	struct top_record record;
	struct flight *flight;			/* NULL: without --on-pause, or without a target */
	struct flight_failures flight_failures; /* for all targets so far */
	struct subject_file *files;		/* files of long pauses, for all targets so far */
	size_t file_count, file_room;
	size_t files_before;  /* how many of these are of earlier targets */
	uint64_t files_left;  /* files not remembered for lack of room */
	struct follow follow; /* a memtrace file beside the target, or alone */
	bool trace_alone;     /* neither a target nor a list of processes */
	struct ui *ui;
	struct tty *tty;
	struct canvas *canvas;
	uint64_t delay_ns;
	uint64_t next_draw;
	uint64_t redraws;
	unsigned stops; /* signals handled */
	bool dirty, quit;
	bool clogged; /* the terminal has not taken the last picture yet */
	int status;
};

/* Run the live view of a target, of one chosen from a list, or of a memtrace file alone.  Returns an exit
 * status. */
int top_run(const struct options *options);

/* Begin to observe a new session.  Returns false if memory ran out. */
bool top_watch_begin(struct top *top);

/* Leave the target, if there is one. */
void top_detach(struct top *top);

/* Begin to observe the targets of the overview.  Returns an exit status; a failure has been reported. */
int top_overview_open(struct top *top);

/* Take a turn of the overview.  Returns true if there is more to do at once. */
bool top_overview_turn(struct top *top, uint64_t now);

/* Return the time until its next turn; UINT64_MAX without an overview. */
uint64_t top_overview_pace(const struct top *top, uint64_t now);

/* Close the overview.  Returns the exit status. */
int top_overview_close(struct top *top, int status);

/* Fill in which actions can be carried out, for struct ui_options. */
void top_offers(const struct top *top, bool offers[ACTION_COUNT]);

void top_carry_out(struct top *top, enum ui_action action);

/* Begin or end the recording: key r. */
void top_record_toggle(struct top *top, enum ui_action action);

/* Whether the events of a turn can be recorded; if not, no turn is taken. */
bool top_record_room(struct top *top);

/* In each turn: pass events on, count them, show the result of a finished recording. */
void top_record_step(struct top *top, uint64_t now);

/* Add up the counts, before the model's totals are reset. */
void top_record_count(struct top *top);

/* End the recording, if there is one, because the target has no more events. */
void top_record_stop(struct top *top);

/* Wait for the end of writing, and report the result on standard error. */
void top_record_close(struct top *top);

/* Start the flight recorder if --on-pause was given. */
void top_flight_begin(struct top *top);

/* Whether the events of a turn can be kept. */
bool top_flight_room(struct top *top);

/* Take a turn of the flight recorder.  Returns true if there is more to do at once. */
bool top_flight_step(struct top *top, uint64_t now);

/* Tell the flight recorder that the target has no more events. */
void top_flight_stop(struct top *top);

/* Complete the files of long pauses, and release the target. */
void top_flight_close(struct top *top);

/* Report files and failures on standard error, after the screen is gone. */
void top_flight_report(struct top *top);

/* Take a turn of a replay.  Returns true if there is more to do at once. */
bool top_replay_turn(struct top *top);

/* Carry out a key of a replay. */
void top_replay_key(struct top *top, enum ui_action action);
