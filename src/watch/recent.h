/*
 * recent.h - the durations of the pauses that ended in the last seconds, over all domains.
 *
 * Time is divided into steps of WATCH_STEP.  A reading covers whole steps, from the one that contains the
 * begin of the window to the latest.
 */
#pragma once

#include "model/hist.h"
#include "watch/history.h"
#include "watch/pauses.h"

#define RECENT_WINDOW 5000000000u

struct recent;

/* NULL when memory ran out. */
struct recent *recent_create(void);
void recent_destroy(struct recent *r);
struct recent *recent_copy(const struct recent *from);

/* Add pauses.  Late additions count as long as their step is within the window. */
void recent_add(struct recent *r, const struct pauses *pauses);

/* Return the begin of the first step of the window that ends at a stamp. */
uint64_t recent_from(uint64_t now);

/* Replace the content of `out` by the pauses that ended in [recent_from(now), now].  Returns false when
 * memory ran out. */
bool recent_read(const struct recent *r, uint64_t now, struct hist *out);

/* Replace the content of `out` by pauses of an earlier time, from the history of `domains` domains: those
 * that ended in [from, to) and began at `since` or later.  Returns false if the history does not cover that
 * time. */
bool recent_past(
    const struct history *h, unsigned domains, uint64_t from, uint64_t to, uint64_t since, struct hist *out);
