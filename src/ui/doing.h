/*
 * doing.h - what a domain is doing, and how a target that wrote no ring_stop has ended, in words.
 */
#ifndef UI_DOING_H
#define UI_DOING_H

#include "ui/subject.h"
#include "canvas/theme.h"

struct ui;

struct doing {
	char text[RTEV_NAME_SIZE];
	char more[RTEV_NAME_SIZE +
		  8]; /* "in minor", behind "killed", where there is room for it; else empty */
	enum style style;
};

/* "running", the innermost phase, "paused" while the target has paused its events, "terminated"; of a target that has ended "killed
 * in minor", or "ended". */
void doing_of(
    const struct ui *ui, const struct subject *subject, const struct model_domain *domain, struct doing *out);

/* What became of a process that has ended without a ring_stop: "killed", "crashed", or "ended" where no signal is known. */
const char *doing_ended(const struct subject *subject);

/* How that is known, and where in its work: "by SIGKILL, in minor".  `phase` is the innermost one open then, MODEL_NO_PHASE: none. */
void doing_end_detail(
    const struct ui *ui, const struct subject *subject, int64_t phase, char *out, size_t size);

#endif
