/*
 * characters.h - the encoding of characters that the terminal is sent.
 *
 * It is that of the locale.  Locales are installed files: over ssh the environment often names one that the
 * server does not have.  If the name says that it is UTF-8, C.UTF-8 takes its place, which comes with most C
 * libraries.  A static program needs neither: the functions through which ncurses asks for characters
 * (RTEV_CHARACTERS in static.cmake) are wrapped.
 */
#pragma once

#include "core/std.h"

/* Set LC_CTYPE from the environment, which names the locale `name`; NULL: none. */
void characters_set(const char *name);

/* Whether the encoding is UTF-8. */
bool characters_utf8(void);
