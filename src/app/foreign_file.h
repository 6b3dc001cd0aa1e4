/*
 * foreign_file.h - refuse a TARGET that is a file, but none that could be a ring or a recording.
 *
 * A memtrace file has a command of its own.  An empty file may become a ring at any moment, so only one that has been empty for a
 * while is refused, and none when --wait asks to wait for the ring.  Whatever else is wrong is found when the file is opened.
 */
#ifndef APP_FOREIGN_FILE_H
#define APP_FOREIGN_FILE_H

#include <stdbool.h>

#include "app/options.h"

/* Whether the target is such a file; the reason has been reported then. */
bool foreign_file_refuse(const struct options *options);

#endif
