/*
 * std.h - the headers of ISO C that nearly every file needs.
 *
 * Headers of the house include this one instead of them, and so their users have them, too.
 */
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
