/*
 * user_text.h - texts of user events: names, kinds, payloads, percentiles.
 */
#pragma once

#include "model/model.h"
#include "watch/longest.h"
#include "print/number.h"
#include "canvas/theme.h"

/* The name; in quotes if it is empty or a blank is at an end of it. */
void user_text_name(const struct model_user_slot *slot, char *buf, size_t size);

/* "unit", "int", "span", "custom", and the style of it. */
const char *user_text_kind(enum model_user_kind kind);
enum style user_text_style(enum model_user_kind kind);

/* The payload of a custom event: as text if all of it is printable, with tabs as spaces and without the
 * line's end; else in hexadecimal. */
void user_text_payload(const struct model_user *user, char *buf, size_t size);

#define USER_TEXT_SPANS (RTEV_USER_NAME_SIZE + 32)

/* The user spans around one of the longest phases or pauses: "http.request +2" or "none"; empty if the
 * program has no user events. */
void user_text_spans(const struct model *model, const struct longest_span *span, char *buf, size_t size);
