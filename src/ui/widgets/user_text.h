/*
 * user_text.h - user events in words: names, kinds, payloads, percentiles.
 */
#ifndef UI_WIDGETS_USER_TEXT_H
#define UI_WIDGETS_USER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"
#include "watch/longest.h"
#include "ui/widgets/format.h"
#include "canvas/theme.h"

/* The name, or that the program has not yet written it. */
void user_text_name(const struct model_user_slot *slot, char *buf, size_t size);

/* "unit", "int", "span", "custom", and the style of it. */
const char *user_text_kind(enum model_user_kind kind);
enum style user_text_style(enum model_user_kind kind);

/* The payload of a custom event: as text where all of it is printable, a tab as a space and the line's end left
 * out, else its bytes as hexadecimal digits. */
void user_text_payload(const struct model_user *user, char *buf, size_t size);

/* A percentile of a span's durations, `bound` when there may have been more; "-" before the first has
 * ended. */
struct formatted user_text_percentile(const struct model_user *user, unsigned num, unsigned den, bool bound);

#define USER_TEXT_SPANS (RTEV_USER_NAME_SIZE + 32)

/* The program's spans that one of the longest phases or pauses was in: "http.request +2", "none"; of a program without events of its own nothing. */
void user_text_spans(const struct model *model, const struct longest_span *span, char *buf, size_t size);

#endif
