/*
 * top.h - the live view's state, and its parts: what each turn does, and what keys ask for.
 *
 * A *turn* reads what the target has written; a *redraw*, at its own pace, shows what has been read.  The two share nothing but
 * the watch.
 */
#ifndef APP_TOP_TOP_H
#define APP_TOP_TOP_H

#include <stdbool.h>
#include <stdint.h>

#include "app/top/facts.h"
#include "record/flight.h"
#include "app/flight_failures.h"
#include "app/options.h"
#include "app/top/follow_memtrace.h"
#include "record/naming.h"
#include "record/recording.h"
#include "app/top/replay.h"
#include "session/session.h"
#include "session/session_system.h"
#include "app/settings.h"
#include "tty/tty.h"
#include "ui/ui.h"

/* The recording that `r` starts and stops. */
struct top_record {
	struct recording *recording; /* NULL: none */
	bool ending;		     /* it has been told to */
	struct naming naming;
	char path[NAMING_PATH];
	uint64_t events, lost_words; /* so far */
	uint64_t seen_events;	     /* of the model's count, what is in them; likewise */
	uint64_t seen_lost;
};

/* What there is to choose a target from. */
struct overview {
	struct fleet *fleet; /* NULL: there is no overview */
	uint64_t next_step;
};

struct top {
	const struct options *options;
	struct settings settings; /* as begun with: file, then options */
	struct session session;
	bool attached; /* there is a session */
	struct overview overview;
	struct replay *replay; /* a recording instead of a session; NULL: none */
	bool seen_end;	       /* the target has ended and everything of it has been read */
	bool leaving;	       /* only COMMAND's end is waited for */
	unsigned others;       /* further programs of COMMAND that were told of */
	struct watch *watch;
	struct advice *advice;	      /* of the watch */
	struct session_system system; /* samples of the session's process */
	struct session_sink sink;
	struct facts facts;
	struct top_record record;
	struct flight *flight; /* NULL: --on-pause was not given, or there is nothing to watch */
	struct flight_failures flight_failures; /* of all targets so far, as are */
	struct subject_file *files;		/* what became of long pauses */
	size_t file_count, file_room;
	size_t files_before;  /* of them those of earlier targets */
	uint64_t files_left;  /* further ones, for which there was no room */
	struct follow follow; /* a memtrace file beside the target, or alone */
	bool trace_alone;     /* there is no target, nor a list to choose one from */
	struct ui *ui;
	struct tty *tty;
	struct canvas *canvas;
	uint64_t delay_ns;
	uint64_t watermark; /* all events stamped before it have been read */
	uint64_t next_draw;
	uint64_t redraws;
	unsigned stops; /* signals seen */
	bool dirty, quit;
	bool clogged; /* the terminal has not taken the last picture yet */
	int status;
};

/* Run the live view: of a target, of one to be chosen, or of a memtrace file alone. */
int top_run(const struct options *options);

/* Make the watch of a session that has just been opened.  False when memory ran out. */
bool top_watch_begin(struct top *top);

/* Leave the target, if there is one. */
void top_detach(struct top *top);

/* Begin to observe what there is to choose from.  An exit status after the reason was reported. */
int top_overview_open(struct top *top);

/* Read it; true when there is more to do at once. */
bool top_overview_turn(struct top *top, uint64_t now);

/* Until the next turn; UINT64_MAX when there is no overview. */
uint64_t top_overview_pace(const struct top *top, uint64_t now);

/* The exit status. */
int top_overview_close(struct top *top, int status);

/* The table of what keys leave to the app: what carries each action out, NULL where nothing does. */
typedef void (*top_handler)(struct top *top);

/* Which of the actions there are, as for struct ui_options. */
void top_offers(const struct top *top, bool offers[ACTION_COUNT]);

/* Carry out what a key asked for. */
void top_carry_out(struct top *top, enum ui_action action);

/* Start or stop recording. */
void top_record_toggle(struct top *top);

/* Whether what a turn reads can be recorded; if not the rings have to wait for the disk. */
bool top_record_room(struct top *top);

/* In each turn: pass on what has come, count it, tell how it ended. */
void top_record_step(struct top *top, uint64_t now);

/* Count what has come, before the model's totals begin anew. */
void top_record_count(struct top *top);

/* End the recording, if there is one: nothing more comes from this target. */
void top_record_stop(struct top *top);

/* Wait for the last of it, and tell on standard error how it ended. */
void top_record_close(struct top *top);

/* Begin to watch for pauses, if that was asked for. */
void top_flight_begin(struct top *top);

/* Whether what a turn reads can be kept. */
bool top_flight_room(struct top *top);

/* In each turn; true when there is more to do at once. */
bool top_flight_step(struct top *top, uint64_t now);

/* Nothing more comes from this target. */
void top_flight_stop(struct top *top);

/* Finish the files and leave the target. */
void top_flight_close(struct top *top);

/* Tell on standard error which files there are and which failed, once the screen is gone. */
void top_flight_report(struct top *top);

/* One turn of a recording; true when there is more to do at once. */
bool top_replay_turn(struct top *top);

/* The table of a replay, of ACTION_COUNT rows; and what follows one that has been carried out. */
extern const top_handler top_replay_handlers[];
void top_replay_moved(struct top *top);

/* Turn, take keys and signals, redraw, until it is over. */
void top_loop(struct top *top);

#endif
