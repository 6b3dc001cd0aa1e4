/*
 * blame.h - explain a long pause in a sentence: which domain it waited for, and what that domain was doing.
 *
 *      D0 waited 463 of 466ms for D1, which was in marshal.big
 *
 * The explanation comes from the stops of the world inside the pause.  The domain that arrived last at a stop
 * is to blame; it was in the user span or the phase that covers the time that the others waited.  Unknown
 * parts are left out.
 */
#pragma once

#include "calls/profile.h"
#include "watch/stw.h"
#include "samples/system_past.h"

#define BLAME_TEXT 512

struct blame {
	unsigned domain;	/* the domain that waited */
	unsigned late;		/* the domain that it waited for */
	uint64_t waited;	/* ns */
	uint64_t of;		/* ns: length of the pause or the stop */
	struct stw_doing doing; /* what `late` was in */
	uint64_t from, to;	/* when it was waited for, in the longest of the waits */
	uint64_t all;		/* ns; that it waited, whomever for */
};

/* Find the domain that `domain` waited for longest in its pause [from, to], over all stops in it.  Returns
 * false if it is not known, or if the wait is less than a tenth of the pause. */
bool blame_pause(const struct stw *s, unsigned domain, uint64_t from, uint64_t to, struct blame *out);

/* Find the domain that `domain` waited for longest between two stamps, in the latest 256 stops there.
 * Returns false if it is not known. */
bool blame_between(const struct stw *s, unsigned domain, uint64_t from, uint64_t to, struct blame *out);

/* Find the domain that a stop waited for longest, from the view of the domain that waited longest. */
bool blame_stop(const struct stw *s, const struct stw_stop *stop, struct blame *out);

/*
 * Write the sentence: "D0 waited .. for D1, which was in marshal.big; D0 in http.request", "in http.request"
 * or "".  `blame` is NULL if no domain is to blame.  `hit` is the user span that contains the pause, NULL if
 * none is known.  Bytes of names that cannot be shown become '?'.  Returns false if the sentence is empty.
 */
bool blame_text(const struct blame *blame, const struct model_user_slot *hit, const struct model *m,
    char *buf, size_t size);

/* The parts of that sentence, for a caller with little room. */
#define BLAME_NAMES 256
struct blame_words {
	char waited[128];	/* "D0 waited 463 of 466ms for D1"; "" if no domain is to blame */
	char late[BLAME_NAMES]; /* what the late domain was in; "" if that is not known */
	char hit[BLAME_NAMES];	/* the user span that contains the pause; "" if none is known */
	unsigned domain;	/* the domain that waited */
};
void blame_words(const struct blame *blame, const struct model_user_slot *hit, const struct model *m,
    struct blame_words *out);

/* Write what a domain was in, as "major_slice in http.request"; "" if that is not known. */
void blame_doing(const struct stw_doing *doing, const struct model *m, char *buf, size_t size);

/* Write what code the late domain executed while it was waited for: "D1 on CPU in Foo.spin (3 of 3 samples)".  Returns
 * false, and the text is empty, if there is no profile or no sample of that time. */
bool blame_code(const struct blame *blame, const struct profile *profile, char *buf, size_t size);

/* A shorter pause is shorter than any wait for a processor that another process has. */
#define BLAME_UNSERVED_LEAST_NS 1000000

/* Determine the longest time for which a pause may have been without a processor, from the samples that cover
 * it: the waits of all threads, which may include its own.  Returns false if samples do not cover it, if that
 * time is less than half of the pause, or if the pause is shorter than BLAME_UNSERVED_LEAST_NS, for which
 * samples of a second are too coarse. */
bool blame_unserved(const struct system_past *past, uint64_t from, uint64_t to, uint64_t *most);

/* Return the user slot with a number, for use as `hit`; NULL for MODEL_NO_USER, and for a scheduler's span. */
const struct model_user_slot *blame_hit(const struct model *m, uint32_t slot);
