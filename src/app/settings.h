/*
 * settings.h - what the live view begins with: $XDG_CONFIG_HOME/rtevtop/settings, else ~/.config/rtevtop/settings.
 *
 * Lines of "key = value"; empty lines and those that begin with # are comments.  A key or value that is not known is warned about
 * and left out.  The file is written only when the user asks for it, as a whole and in one step.  Options of the command line
 * come after it and win.
 */
#ifndef APP_SETTINGS_H
#define APP_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/ui.h"

#define SETTINGS_TEXT 64

struct settings {
	uint64_t delay_ns; /* 0: the default */
	uint64_t window_ns;
	bool timeline, wall_scale, log_scale, no_color, ascii;
	char sort[SETTINGS_TEXT], filter[SETTINGS_TEXT]; /* "": none */
};

/* Read the file, if there is one; what it does not say is left at 0.  Warns on standard error. */
void settings_read(struct settings *out);

/* Write the file, which like its folder must be no symbolic link.  False with errno, in words of folder_strerror, when that failed;
 * `path` gets its name either way. */
bool settings_write(const struct settings *settings, char *path, size_t size);

#endif
