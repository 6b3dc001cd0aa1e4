/*
 * profile_between.c - what a domain did in a stretch of time, by its samples; and who waits for locks.
 *
 * Samples are alike if they have the same innermost function, called from the same line of OCaml code.  The
 * innermost function's own line is given only for OCaml code, where it is known.  For a thread that waits,
 * the function called by OCaml code counts as the innermost: the functions below it are the system's.
 */
#include "calls/profile_private.h"
#include "core/files.h"
#include "core/order.h"

/* How far samples may be out of order: a reading of the rings delivers them thread by thread, a recording
 * stack by stack, for a second or two. */
#define DISORDER_NS UINT64_C(4000000000)

/* What alike samples have in common. */
struct like {
	uint32_t at, caller, line;
	bool off;
};

static struct like like_of(const struct profile *p, const struct profile_sample *s)
{
	struct like like = {.at = CALLS_NONE, .caller = CALLS_NONE, .off = (s->marks & PROFILE_OFF) != 0};
	uint32_t at = s->stack;

	if (at == CALLS_ROOT || p->nodes[at].parent == CALLS_ROOT)
		return like;
	like.at = p->nodes[at].function;
	for (uint32_t up = at; like.off && p->functions[p->nodes[up].function].c; up = p->nodes[up].parent) {
		uint32_t below = p->nodes[up].parent;
		if (p->nodes[below].parent == CALLS_ROOT || below == CALLS_ROOT)
			break;
		/* Skip the runtime's way into C. */
		if (!p->functions[p->nodes[below].function].c ||
		    strcmp(p->functions[p->nodes[below].function].name, "caml_c_call") == 0) {
			like.at = p->nodes[up].function;
			at = up;
			break;
		}
	}
	if (!p->functions[like.at].c && p->lines[at] != 0) {
		like.line = p->lines[at];
		return like;
	}
	for (; p->nodes[at].parent != CALLS_ROOT; at = p->nodes[at].parent) {
		uint32_t function = p->nodes[at].function;
		if (function == like.at || p->functions[function].c)
			continue;
		like.caller = function;
		like.line = p->lines[at];
		break;
	}
	return like;
}

static int compare_likes(const void *a, const void *b)
{
	const struct like *x = a, *y = b;

	return ORDER_BY(ORDER_RISING(x, y, at), ORDER_RISING(x, y, caller), ORDER_RISING(x, y, line),
	    ORDER_RISING(x, y, off));
}

/* Return the number of the first sample that may be at a time or later. */
static uint64_t first_from(const struct profile *p, uint64_t ts)
{
	struct order_search at = {.low = p->recent_first, .high = p->recent_end};

	ts = ts > DISORDER_NS ? ts - DISORDER_NS : 0;
	while (order_middle(&at))
		order_turn(&at, p->recent[at.middle % PROFILE_RECENT].ts < ts);
	return at.low;
}

/* Return the next sample of a domain from `from` to `to`, starting with number *at, which is advanced; NULL:
 * there are no more. */
static const struct profile_sample *next_of(
    const struct profile *p, int domain, uint64_t from, uint64_t to, uint64_t *at)
{
	for (; *at < p->recent_end; ++*at) {
		const struct profile_sample *s = &p->recent[*at % PROFILE_RECENT];
		if (s->ts > to && s->ts - to > DISORDER_NS)
			break;
		if (s->domain == domain && s->ts >= from && s->ts <= to) {
			++*at;
			return s;
		}
	}
	return NULL;
}

uint64_t profile_code_between(const struct profile *p, int domain, uint64_t from, uint64_t to)
{
	const unsigned marks = PROFILE_OFF | PROFILE_GC | PROFILE_GC_KNOWN | PROFILE_UNSEEN;
	const struct profile_sample *s;
	uint64_t count = 0;

	for (uint64_t at = first_from(p, from); (s = next_of(p, domain, from, to, &at)) != NULL;)
		count += (s->marks & marks) == PROFILE_GC_KNOWN;
	return count;
}

/* Collect the samples.  Returns their number; the caller frees *likes. */
static size_t collect(const struct profile *p, int domain, uint64_t from, uint64_t to, struct like **likes)
{
	const struct profile_sample *s;

	size_t count = 0;

	*likes = NULL;
	for (int pass = 0; pass < 2; pass++) {
		if (pass == 1 && (count == 0 || (*likes = calloc(count, sizeof(**likes))) == NULL))
			return 0;
		count = 0;
		for (uint64_t at = first_from(p, from); (s = next_of(p, domain, from, to, &at)) != NULL;
		     count++)
			if (pass == 1)
				(*likes)[count] = like_of(p, s);
	}
	return count;
}

bool profile_between(
    const struct profile *p, int domain, uint64_t from, uint64_t to, struct profile_answer *out)
{
	struct like *likes;
	size_t count = collect(p, domain, from, to, &likes), best = 0, most = 0, end;

	*out = (struct profile_answer){.samples = count};
	if (count == 0)
		return false;
	qsort(likes, count, sizeof(*likes), compare_likes);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && compare_likes(&likes[i], &likes[end]) == 0; end++)
			;
		if (end - i > most) {
			most = end - i;
			best = i;
		}
	}
	const struct like like = likes[best];
	free(likes);
	if (like.at == CALLS_NONE)
		return false;
	out->of = most;
	out->off = like.off;
	out->at = profile_function_of(p, like.at);
	out->line = like.line;
	if (like.caller != CALLS_NONE)
		out->caller = profile_function_of(p, like.caller);
	return true;
}

/* Return what a thread in a function of the runtime waits for; the text then names the OCaml caller and not
 * this function.  NULL: not known. */
static const char *waits_for(const struct profile_function *f)
{
	static const char *const known[][2] = {{"caml_ml_mutex_lock", "waiting for a lock"},
	    {"caml_ml_condition_wait", "waiting for a condition"},
	    {"caml_thread_join", "waiting for the end of a thread"},
	    {"caml_ml_domain_join", "waiting for the end of a domain"}, {"caml_unix_sleep", "sleeping"}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(f->name, known[i][0]) == 0)
			return known[i][1];
	return NULL;
}

void profile_answer_text(const struct profile_answer *answer, char *buf, size_t size)
{
	const char *wait = answer->off && answer->caller != NULL ? waits_for(answer->at) : NULL;
	const struct profile_function *by = answer->caller != NULL ? answer->caller : answer->at;
	char where[256] = "", times[64];

	if (by->file != NULL && answer->line != 0)
		snprintf(where, sizeof(where), " %s:%u", path_base(by->file), (unsigned)answer->line);
	if (answer->of >= 2)
		snprintf(times, sizeof(times), "%s%llu of %llu samples",
		    answer->of == 2 ? "more than once: " : "", (unsigned long long)answer->of,
		    (unsigned long long)answer->samples);
	else
		snprintf(times, sizeof(times), "seen once");
	if (wait != NULL) {
		snprintf(buf, size, "off the CPU, %s in %s%s (%s)", wait, answer->caller->name, where, times);
		return;
	}
	snprintf(buf, size, "%s %s%s%s%s%s (%s)", answer->off ? "off the CPU in" : "on CPU in",
	    answer->at->name, answer->at->c ? " (C)" : "", answer->caller != NULL ? ", called from " : "",
	    answer->caller != NULL ? answer->caller->name : "", where, times);
}

bool profile_between_text(
    const struct profile *p, int domain, uint64_t from, uint64_t to, char *buf, size_t size)
{
	struct profile_answer answer;
	bool any = p != NULL && profile_between(p, domain, from, to, &answer);

	buf[0] = '\0';
	if (any)
		profile_answer_text(&answer, buf, size);
	return any;
}

/* ---- locks ---- */

#define OWN_MAX 64 /* functions of a side that are told apart; further ones count as no function */

struct own {
	uint32_t function;
	uint64_t weight;
};

/* Return the program's own function at the inner end of a stack; CALLS_NONE: there is none. */
static uint32_t own_function(const struct profile *p, uint32_t stack)
{
	for (; stack != CALLS_ROOT && p->nodes[stack].parent != CALLS_ROOT; stack = p->nodes[stack].parent) {
		const uint32_t function = p->nodes[stack].function;
		const struct profile_function *f = &p->functions[function];

		if (!f->c && !f->library && function != p->other && function != p->unknown)
			return function;
	}
	return CALLS_NONE;
}

static void add_own(struct own own[OWN_MAX], uint32_t function, uint64_t weight)
{
	for (unsigned i = 0; i < OWN_MAX; i++) {
		if (own[i].weight != 0 && own[i].function != function)
			continue;
		own[i].function = function;
		own[i].weight += weight;
		return;
	}
}

/* Sum one side of a lock.  `at`: offset of the samples' lock number for that side. */
static void sum_side(const struct profile *p, unsigned hz, const struct profile_lock *lock, size_t at,
    struct profile_side *out)
{
	const unsigned top = sizeof(out->top) / sizeof(out->top[0]);
	struct own own[OWN_MAX] = {{.weight = 0}};

	*out = (struct profile_side){0};
	for (uint64_t i = p->recent_first; lock->number != 0 && i < p->recent_settled; i++) {
		const struct profile_sample *s = &p->recent[i % PROFILE_RECENT];
		const uint64_t weight = (s->marks & PROFILE_OFF) != 0 ? hz : PROFILE_LOOKS_HZ;

		if (*((const uint8_t *)s + at) != lock->number || s->ts < lock->since ||
		    (s->marks & PROFILE_UNSEEN) != 0)
			continue;
		const uint32_t function = own_function(p, s->stack);
		out->weight += weight;
		if (function != CALLS_NONE)
			add_own(own, function, weight);
	}
	for (unsigned k = 0; k < top; k++) {
		struct own *most = &own[0];

		for (unsigned i = 1; i < OWN_MAX; i++)
			most = own[i].weight > most->weight ? &own[i] : most;
		out->top[k].function = most->function;
		out->top[k].weight = most->weight;
		most->weight = 0;
	}
}

void profile_locks(const struct profile *p, unsigned hz, struct profile_lock *locks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		sum_side(p, hz, &locks[i], offsetof(struct profile_sample, waits), &locks[i].waits);
		sum_side(p, hz, &locks[i], offsetof(struct profile_sample, has), &locks[i].has);
	}
}
