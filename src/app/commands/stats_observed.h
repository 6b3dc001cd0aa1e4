/*
 * stats_observed.h - what stats derives from the events of a target or a recording, and its report.
 */
#ifndef APP_COMMANDS_STATS_OBSERVED_H
#define APP_COMMANDS_STATS_OBSERVED_H

#include <stdbool.h>
#include <stdint.h>

#include "advice/advice.h"
#include "app/commands/stats_report.h"
#include "app/options.h"
#include "model/model.h"
#include "watch/paths.h"
#include "watch/stw.h"
#include "watch/system_past.h"

struct observed {
	struct model *model;
	struct stw *stw;
	struct paths *paths;
	struct advice *advice;
	struct system_past *past; /* samples of the process */
	bool live;		  /* events of a process; else of a ring file */
};

/* Create the model and its observers.  `attach_ts` is 0 for a ring file.  False when memory ran out;
 * observed_end has to be called in any case. */
bool observed_begin(struct observed *o, uint64_t attach_ts);
void observed_end(struct observed *o);

/* Set what is known of the target besides its events. */
void observed_about(struct observed *o, const char *ocaml, uint64_t ring_words);

/* Finish the model and its observers: no more events will come. */
void observed_finish(struct observed *o);

/* Print the report.  Of `subject` the caller sets pid, name, ocaml and ocaml_from.  `attach_ts` is that of a
 * process.  Returns an exit status. */
int observed_print(
    struct observed *o, struct stats_subject *subject, uint64_t attach_ts, const struct options *options);

#endif
