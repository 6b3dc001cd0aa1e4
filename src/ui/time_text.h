/*
 * time_text.h - read a span of time as people write it.
 */
#ifndef UI_TIME_TEXT_H
#define UI_TIME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Read "0.5", "2s", "250ms", "40us", "3m", "1h".  False when it is none or is out of range (up to 10^9 s). */
bool time_text_read(const char *text, uint64_t *ns);

#endif
