/*
 * blame.h - why a domain was paused for so long, in a sentence: whom it waited for, and what that domain was in.
 *
 *      D0 waited 463 ms of 466 for D1, which was in marshal.big
 *
 * It goes by the stops that the pause had in it: the domain that came last to them, and the user span or the phase that this one was in
 * all the time that the others waited.  What is not known is left out.
 */
#ifndef WATCH_BLAME_H
#define WATCH_BLAME_H

#include "watch/stw.h"

#define BLAME_TEXT 512

struct blame {
	unsigned domain;	/* that waited */
	unsigned late;		/* for this one */
	uint64_t waited;	/* ns */
	uint64_t of;		/* of so many: the pause, or the stop */
	struct stw_doing doing; /* what `late` was in */
};

/* Whom a domain waited for in its pause of [from, to]: the one that it waited longest for, all stops taken together.  False: for none, or for less
 * than a tenth of the pause, or it is not known. */
bool blame_pause(const struct stw *s, unsigned domain, uint64_t from, uint64_t to, struct blame *out);

/* The same of a stop: of the domain that waited longest. */
bool blame_stop(const struct stw *s, const struct stw_stop *stop, struct blame *out);

/*
 * The sentence.  `blame` NULL: nobody is to blame; `hit`: the program's span that the pause was in, NULL: none that is known.
 * "D0 waited .. for D1, which was in marshal.big; D0 in http.request", "in http.request", or "".  Names come from the model; what can't be shown of them is '?'.  Returns whether there is any.
 */
bool blame_text(const struct blame *blame, const struct model_user_slot *hit, const struct model *m,
    char *buf, size_t size);

/* What it is made of, for places of a given width. */
#define BLAME_NAMES 256
struct blame_words {
	char waited[128];	/* "D0 waited 463 ms of 466 for D1"; "" when nobody is to blame */
	char late[BLAME_NAMES]; /* what the late domain was in; "" when that is not known */
	char hit[BLAME_NAMES];	/* the program's span that the pause was in; "" likewise */
	unsigned domain;	/* that waited */
};
void blame_words(const struct blame *blame, const struct model_user_slot *hit, const struct model *m,
    struct blame_words *out);

/* What a domain was in, "major_slice in http.request", "" for what is not known. */
void blame_doing(const struct stw_doing *doing, const struct model *m, char *buf, size_t size);

/* The slot of a number, for `hit`; NULL for MODEL_NO_USER. */
const struct model_user_slot *blame_hit(const struct model *m, uint32_t slot);

#endif
