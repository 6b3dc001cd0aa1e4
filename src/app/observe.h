/* observe.h - find and open what the command line asks to observe, and report faults of a recording. */
#pragma once

#include "app/options.h"
#include "trail/reader.h"

/* Replace each TARGET that is the name of a process by its pid, or in an overview by the pids of all
 * processes of that name.  Returns 0, or an exit status after reporting that a name means several, or that
 * the search failed. */
int observe_names(struct options *options);

/* Parse the TARGET, if the subcommand takes one, and open it if it is a file.  Returns 0, or an exit status
 * after reporting that it is not a TARGET or a file of another kind. */
int observe_target(struct options *options);

/* Session options from the command line and the environment. */
struct session_options observe_options(const struct options *options);

/* Open the session.  `start` says where to begin in the rings of a process.  Returns 0, or an exit status
 * after reporting why. */
int observe(struct session *s, const struct options *options, enum rtev_start start);

/* The parent of private directories: TMPDIR, else /tmp. */
const char *observe_temporary(void);

/* ---- a recording as TARGET ---- */

/* Open the trail of the recording at `path`, which is open as `fd`; the descriptor remains the caller's.
 * Returns 0, or an exit status after reporting why the file can't be read. */
int recorded_open(struct trail **out, const char *path, int fd);

/* Report where the file is cut off or damaged, or that it lacks its end.  Returns `status`, or EXIT_FAILED in
 * place of EXIT_DONE after such a report. */
int recorded_report(const struct trail *t, const char *path, int status);

/* Return the recorded OCaml version; NULL: none. */
const char *recorded_version(const struct trail_about *about);

/* Return the name of the program, or else of the file. */
const char *recorded_name(const struct trail_about *about, const char *path);

/* The offset of the wall clock to timestamps; 0: unknown. */
int64_t recorded_wall_offset(const struct trail_about *about);
