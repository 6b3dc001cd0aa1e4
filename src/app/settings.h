/*
 * settings.h - initial settings of the live view: $XDG_CONFIG_HOME/rtevtop/settings, else
 * ~/.config/rtevtop/settings.
 *
 * Lines are "key = value"; empty lines and lines that begin with # are ignored.  Unknown keys and invalid
 * values are skipped with a warning.  The file is written only when the user asks for it, and then replaced
 * as a whole.  Options of the command line override it.
 */
#pragma once

#include "ui/ui.h"

#define SETTINGS_TEXT 64

struct settings {
	uint64_t delay_ns; /* 0: the default */
	uint64_t window_ns;
	bool timeline, wall_scale, log_scale, no_color, ascii, no_mouse, no_sync;
	unsigned theme; /* number of a word in THEME_WORDS, from 1; 0: not set */
	unsigned graph; /* enum theme_graph + 1; 0: not set */
	char sort[SETTINGS_TEXT], filter[SETTINGS_TEXT]; /* "": not set */
};

/* The name of the i-th key of the file, NULL beyond the last. */
const char *settings_key(size_t i);

/* Read the file, if there is one.  Members that it does not set are 0.  Warns on standard error. */
void settings_read(struct settings *out);

/* Write the file.  Neither it nor its directory may be a symbolic link.  Returns false with errno set, see
 * folder_strerror.  Sets `path` in either case. */
bool settings_write(const struct settings *settings, char *path, size_t size);
