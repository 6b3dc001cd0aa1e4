/* blame.c - see blame.h. */
#include "watch/blame.h"

#include "core/order.h"
#include "core/shown.h"
#include "fibers/schedulers.h"
#include "model/span_time.h"
#include "print/number.h"

#define BETWEEN_MOST 256 /* latest stops that are searched */
#define LATE_MOST 16	 /* domains that a pause may have waited for */
#define LEAST_PART 10	 /* a wait of less than this part of the pause does not explain it */
#define NAME_ROOM (RTEV_USER_NAME_SIZE + 8)

/* How long a pause waited for each domain. */
struct waits {
	unsigned domain;   /* the domain that paused */
	uint64_t from, to; /* the pause */
	struct late {
		unsigned domain;
		uint64_t waited;
		uint64_t longest;	/* longest of the waits for it */
		struct stw_doing doing; /* what the late domain was in during the longest wait */
		uint64_t from, to;	/* from the begin of the stop to the end of that wait */
	} late[LATE_MOST];
	unsigned count;
};

/* Add a wait for a domain. */
static void waits_add(struct waits *w, const struct stw_stop *stop, uint64_t waited)
{
	struct late *late = w->late;

	while (late < w->late + w->count && late->domain != stop->last)
		late++;
	if (late == w->late + w->count) {
		if (w->count == LATE_MOST)
			return;
		w->count++;
		*late = (struct late){.domain = stop->last};
	}
	late->waited += waited;
	if (waited > late->longest) {
		late->longest = waited;
		late->doing = stop->doing;
		late->from = stop->begin;
		late->to = stop->begin + stop->lateness;
	}
}

/* Add the wait of a pause in a stop. */
static void waits_take(struct waits *w, const struct stw *s, const struct stw_stop *stop)
{
	if (stop->kind != STW_SYNC || stop->partial || stop->last == w->domain)
		return;
	size_t count;
	const struct stw_arrival *a = stw_arrivals(s, stop, &count);
	for (size_t i = 0; i < count; i++) {
		if (a[i].domain != w->domain)
			continue;
		uint64_t arrived = stop->begin + a[i].after;
		uint64_t waited = span_time(arrived, arrived + a[i].wait, w->from, w->to);
		if (waited > 0)
			waits_add(w, stop, waited);
	}
}

/* Return the index of the latest stop that began at or before a stamp; stops are sorted, latest first. */
static size_t stop_at(const struct stw *s, uint64_t ts)
{
	struct order_search at = {.high = stw_recent_count(s)};

	while (order_middle(&at))
		order_turn(&at, stw_recent(s, at.middle)->begin > ts);
	return at.low;
}

/* Find the domain that a domain waited for longest, in at most `most` of the latest stops of a period. */
static bool find(
    const struct stw *s, unsigned domain, uint64_t from, uint64_t to, size_t most, struct blame *out)
{
	struct waits w = {.domain = domain, .from = from, .to = to};
	size_t count = stw_recent_count(s);
	uint64_t oldest = count > 0 ? stw_recent(s, count - 1)->begin : UINT64_MAX;

	/* Of the stops that began before the pause, only the last can extend into it. */
	for (size_t i = stop_at(s, to); i < count && most > 0; i++, most--) {
		waits_take(&w, s, stw_recent(s, i));
		if (stw_recent(s, i)->begin <= from)
			break;
	}
	for (size_t i = 0; i < stw_longest_count(s); i++)
		if (stw_longest(s, i)->begin < oldest)
			waits_take(&w, s, stw_longest(s, i));
	*out = (struct blame){.domain = domain, .of = to - from};
	for (unsigned i = 0; i < w.count; i++) {
		out->all += w.late[i].waited;
		if (w.late[i].waited <= out->waited)
			continue;
		out->late = w.late[i].domain;
		out->waited = w.late[i].waited;
		out->doing = w.late[i].doing;
		out->from = w.late[i].from;
		out->to = w.late[i].to;
	}
	return out->waited > 0;
}

bool blame_between(const struct stw *s, unsigned domain, uint64_t from, uint64_t to, struct blame *out)
{
	return find(s, domain, from, to, BETWEEN_MOST, out);
}

bool blame_pause(const struct stw *s, unsigned domain, uint64_t from, uint64_t to, struct blame *out)
{
	return find(s, domain, from, to, SIZE_MAX, out) && out->waited >= out->of / LEAST_PART;
}

bool blame_stop(const struct stw *s, const struct stw_stop *stop, struct blame *out)
{
	size_t count;
	const struct stw_arrival *a = stw_arrivals(s, stop, &count);

	*out = (struct blame){.late = stop->last,
	    .of = stop->duration,
	    .doing = stop->doing,
	    .from = stop->begin,
	    .to = stop->begin + stop->lateness};
	if (stop->kind != STW_SYNC || stop->partial)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (a[i].wait > out->waited) {
			out->domain = a[i].domain;
			out->waited = a[i].wait;
		}
	}
	return out->waited > 0;
}

/* Write the name of a user slot in printable characters. */
static void put_name(const struct model_user_slot *u, char *out, size_t size)
{
	const char *quote = shown_quote(u->name, u->name_len);
	size_t used = strlcpy(out, quote, size), took;

	for (size_t at = 0; at < u->name_len && used + 6 < size; at += took) {
		uint32_t code;
		if (utf8_decode(u->name + at, u->name_len - at, &took, &code) && shown_of(code) == SHOWN) {
			memcpy(out + used, u->name + at, took);
			used += took;
		} else {
			out[used++] = '?';
		}
	}
	strlcpy(out + used, quote, size - used);
}

const struct model_user_slot *blame_hit(const struct model *m, uint32_t slot)
{
	const struct model_user_slot *what = slot < model_user_slots(m) ? model_user_slot(m, slot) : NULL;

	/* That the loop waits for events is not an activity of the program. */
	return what != NULL && schedulers_know(what, NULL) ? NULL : what;
}

void blame_doing(const struct stw_doing *doing, const struct model *m, char *buf, size_t size)
{
	const struct model_user_slot *user = blame_hit(m, doing->user);
	bool phase = doing->phase != STW_NO_PHASE;
	char name[NAME_ROOM] = "", number[RTEV_NAME_SIZE];

	if (user != NULL)
		put_name(user, name, sizeof(name));
	snprintf(buf, size, "%s%s%s", phase ? rtev_phase_name(doing->phase, number) : "",
	    phase && name[0] != '\0' ? " in " : "", name);
}

bool blame_code(const struct blame *blame, const struct profile *profile, char *buf, size_t size)
{
	int used = snprintf(buf, size, "D%u ", blame->late);
	bool any = profile_between_text(
	    profile, (int)blame->late, blame->from, blame->to, buf + used, size - (size_t)used);

	buf[any ? used : 0] = any ? buf[used] : '\0';
	return any;
}

bool blame_unserved(const struct system_past *past, uint64_t from, uint64_t to, uint64_t *most)
{
	return past != NULL && from < to && to - from >= BLAME_UNSERVED_LEAST_NS &&
	       system_past_waited(past, from, to, most) && *most >= (to - from) - *most;
}

void blame_words(const struct blame *blame, const struct model_user_slot *hit, const struct model *m,
    struct blame_words *out)
{
	char times[64];

	*out = (struct blame_words){0};
	if (hit != NULL)
		put_name(hit, out->hit, sizeof(out->hit));
	if (blame == NULL)
		return;
	plain_part(blame->waited, blame->of, times, sizeof(times));
	snprintf(
	    out->waited, sizeof(out->waited), "D%u waited %s for D%u", blame->domain, times, blame->late);
	blame_doing(&blame->doing, m, out->late, sizeof(out->late));
	out->domain = blame->domain;
}

bool blame_text(const struct blame *blame, const struct model_user_slot *hit, const struct model *m,
    char *buf, size_t size)
{
	struct blame_words words;

	blame_words(blame, hit, m, &words);
	if (blame == NULL) {
		snprintf(buf, size, "%s%s", words.hit[0] != '\0' ? "in " : "", words.hit);
		return words.hit[0] != '\0';
	}
	snprintf(
	    buf, size, "%s%s%s", words.waited, words.late[0] != '\0' ? ", which was in " : "", words.late);
	size_t used = strlen(buf);
	if (words.hit[0] != '\0')
		snprintf(buf + used, size - used, "; D%u in %s", words.domain, words.hit);
	return true;
}
