/*
 * time_text.h - parse durations.
 */
#ifndef UI_WIDGETS_TIME_TEXT_H
#define UI_WIDGETS_TIME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#define TIME_TEXT_MAX_NS UINT64_C(1000000000000000000) /* 10^9 s */

/* Parse "0.5", "2s", "250ms", "40us", "3m", "1h".  False, and *ns is 0, for other texts; false, and *ns is
 * UINT64_MAX, beyond TIME_TEXT_MAX_NS. */
bool time_text_read(const char *text, uint64_t *ns);

#endif
