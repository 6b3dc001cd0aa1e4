/* user_text.h - texts of user events: names, kinds, payloads, percentiles. */
#pragma once

#include "model/model.h"
#include "watch/longest.h"
#include "print/number.h"
#include "canvas/theme.h"

/* Write the name, in quotes if it is empty or begins or ends with a blank. */
void user_text_name(const struct model_user_slot *slot, char *buf, size_t size);

/* Return "unit", "int", "span" or "custom", and the kind's style. */
const char *user_text_kind(enum model_user_kind kind);
enum style user_text_style(enum model_user_kind kind);

/* Write the payload of a custom event: as text if all of it is printable, with tabs as spaces and without the
 * line's end; else in hexadecimal. */
void user_text_payload(const struct model_user *user, char *buf, size_t size);

#define USER_TEXT_SPANS (RTEV_USER_NAME_SIZE + 32)

/* Write the user spans around one of the longest phases or pauses: "http.request +2" or "none"; empty if the
 * program has no user events. */
void user_text_spans(const struct model *model, const struct longest_span *span, char *buf, size_t size);
