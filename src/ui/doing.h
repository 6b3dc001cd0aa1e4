/*
 * doing.h - texts for a domain's activity, and for how a target ended without a ring_stop event.
 */
#ifndef UI_DOING_H
#define UI_DOING_H

#include "ui/subject.h"
#include "canvas/theme.h"

struct ui;

struct doing {
	char text[RTEV_NAME_SIZE];
	char more[RTEV_NAME_SIZE +
		  8]; /* appended where there is room: "in minor" after "killed"; else empty */
	enum style style;
};

/* One of "running", the innermost phase, "paused" while the target has paused its events, "terminated";
 * once the target has ended, "killed in minor" or "ended". */
void doing_of(
    const struct ui *ui, const struct subject *subject, const struct model_domain *domain, struct doing *out);

/* How a process ended without a ring_stop: "killed", "crashed", or "ended" where the signal is unknown. */
const char *doing_ended(const struct subject *subject);

/* The cause and the place: "by SIGKILL, in minor".  `phase` is the innermost open phase, or
 * MODEL_NO_PHASE. */
void doing_end_detail(
    const struct ui *ui, const struct subject *subject, int64_t phase, char *out, size_t size);

#endif
