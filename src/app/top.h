/*
 * top.h - the live view's state, and its parts: what each turn does, and what keys ask for.
 *
 * A *turn* reads what the target has written; a *redraw*, at its own pace, shows what has been read.  The two share nothing but
 * the watch.
 */
#ifndef APP_TOP_H
#define APP_TOP_H

#include <stdbool.h>
#include <stdint.h>

#include "app/facts.h"
#include "app/session.h"
#include "app/settings.h"
#include "tty/tty.h"
#include "ui/ui.h"

struct top {
	const struct options *options;
	struct settings settings; /* as begun with: file, then options */
	struct options chosen;	  /* the options with the target that was chosen from the list */
	char chosen_target[32];
	struct session session;
	bool attached; /* there is a session */
	bool seen_end; /* the target has ended and everything of it has been read */
	bool leaving;  /* only COMMAND's end is waited for */
	struct watch *watch;
	struct session_sink sink;
	struct facts facts;
	struct ui *ui;
	struct tty *tty;
	struct canvas *canvas;
	uint64_t delay_ns;
	uint64_t watermark; /* all events stamped before it have been read */
	uint64_t next_draw;
	uint64_t next_list;
	uint64_t redraws;
	unsigned stops; /* signals seen */
	bool dirty, quit;
	int status;
};

/* Make the watch of a session that has just been opened.  False when memory ran out. */
bool top_watch_begin(struct top *top);

/* Leave the target, if there is one. */
void top_detach(struct top *top);

/* The requests that top_carry_out can carry out, as for struct ui_options. */
unsigned top_requests(void);

/* Carry out what a key asked for. */
void top_carry_out(struct top *top, enum ui_request request);

/* Turn, take keys and signals, redraw, until it is over. */
void top_loop(struct top *top);

#endif
