/*
 * time_text.h - read a span of time as people write it.
 */
#ifndef UI_WIDGETS_TIME_TEXT_H
#define UI_WIDGETS_TIME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#define TIME_TEXT_MAX_NS UINT64_C(1000000000000000000) /* 10^9 s */

/* Read "0.5", "2s", "250ms", "40us", "3m", "1h".  False when it is none, and 0 in *ns, or when it is longer than TIME_TEXT_MAX_NS,
 * and UINT64_MAX. */
bool time_text_read(const char *text, uint64_t *ns);

#endif
