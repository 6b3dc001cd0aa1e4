/*
 * characters.h - the encoding of the characters sent to the terminal.
 *
 * The encoding is the locale's.  Locales are installed files: over ssh the environment often names one that
 * the server lacks.  If its name says UTF-8, C.UTF-8 takes its place, which most C libraries have.  A static
 * program needs neither: the linker wraps the functions that ncurses encodes characters with (RTEV_CHARACTERS
 * in static.cmake).
 */
#pragma once

#include "core/std.h"

/* Set LC_CTYPE from the environment, which names the locale `name`; NULL: none. */
void characters_set(const char *name);

/* Whether the encoding is UTF-8. */
bool characters_utf8(void);
