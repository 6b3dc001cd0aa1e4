/* recorded.h - a recording as TARGET: open its trail, and report faults of the file. */
#pragma once

#include "trail/reader.h"

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
