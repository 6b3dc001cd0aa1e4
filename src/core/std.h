/* std.h - what nearly every file needs: the headers of ISO C, and lists.  Headers of the project include this one. */
#pragma once

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Turn a list X(NAME, TEXT, ...) into enum members and tables. */
#define LIST_NAME(name, ...) name,
#define LIST_TEXT(name, text, ...) [name] = text,
#define LIST_UNIT(name, text, unit, ...) [name] = unit,
#define LIST_ROW(name, ...) [name] = {__VA_ARGS__},
