/* split.c - see split.h. */
#include "watch/split.h"

#include "core/event.h"
#include "fibers/schedulers.h"
#include "model/span_time.h"
#include "model/waiting.h"
#include "print/number.h"

#define AROUND_PART 0.75 /* of the samples around a span: then the span's activity, too */
#define WAITED_LEAST                                                                                         \
	0.1 /* of the time that its thread ran: from then on it waited for a processor in pauses, too */
#define SAMPLES_LEAST 3 /* least samples of a domain that show what it did */
#define SECOND UINT64_C(1000000000)

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Return the slot of the span that a scheduler has open while its loop asks the system for events;
 * MODEL_NO_USER: none writes one. */
static uint32_t loop_slot(const struct model *m)
{
	for (uint32_t i = 0; i < model_user_slots(m); i++) {
		const struct model_user_slot *slot = model_user_slot(m, i);
		const struct scheduler_user user = {
		    .name = slot->name, .name_len = slot->name_len, .kind = slot->kind};
		struct fiber_event event;
		if (slot->kind == MODEL_USER_SPAN && scheduler_event(&user, &event) &&
		    event.op == FIBER_IDLE_BEGINS)
			return i;
	}
	return MODEL_NO_USER;
}

/* The latest pauses, which are subtracted from the spans around them. */
struct aside {
	unsigned count;
	struct {
		uint64_t begin, end;
	} latest[64];
};

/* Return the part of a loop's span in the query's period, without the pauses in it. */
static uint64_t asked(const struct split_query *q, const struct aside *p, uint64_t begin, uint64_t end)
{
	uint64_t time = span_time(begin, end, q->from, q->to);

	begin = begin > q->from ? begin : q->from;
	end = least(end, q->to);
	for (unsigned i = 0; i < p->count && i < 64; i++)
		time = less(time, span_time(p->latest[i].begin, p->latest[i].end, begin, end));
	return time;
}

/* Return how long the domain's loop asked the system for events, without pauses. */
static uint64_t loop_time(const struct split_query *q, const struct history_present *present)
{
	const struct history *h = watch_history(q->watch);
	const uint32_t slot = loop_slot(watch_model(q->watch));
	struct aside pauses = {.count = 0};
	struct history_standing then;
	struct history_cursor c;
	struct history_record r;
	uint64_t sum = 0, last = 0;

	if (slot == MODEL_NO_USER || !history_seek(h, q->domain, q->from, &c))
		return 0;
	while (history_next(&c, q->to, &r)) {
		if (r.kind == HISTORY_SPAN && r.pause) {
			pauses.latest[pauses.count % 64].begin = r.begin;
			pauses.latest[pauses.count++ % 64].end = r.ts;
		} else if (r.kind == HISTORY_USER_SPAN && r.id == slot) {
			sum += asked(q, &pauses, r.begin, r.ts);
			pauses.count = 0;
			last = r.ts;
		}
	}
	/* For a span that is still open: spans that began before another domain ended belong to that
	 * domain. */
	history_at(h, q->domain, q->to, present, &then);
	for (unsigned i = then.user_count; i-- > 0;)
		if (then.users[i].id == slot && then.users[i].end != HISTORY_CUT &&
		    then.users[i].begin >= last)
			return sum + asked(q, &pauses, then.users[i].begin, q->to);
	return sum;
}

/* Take the parts that events prove. */
static bool read_events(const struct split_query *q, struct split *out)
{
	const struct model_domain *d = model_domain(watch_model(q->watch), q->domain);
	const struct flame_query past = {.history = watch_history(q->watch),
	    .paths = model_paths(watch_model(q->watch)),
	    .domain = q->domain,
	    .from = q->from,
	    .to = q->to,
	    .now = q->now,
	    .present = history_present(watch_model(q->watch), q->domain)};
	const bool cut = d == NULL || (d->history_lost_words != 0 && d->first_ts > q->from);
	struct flame_view flame;

	if (cut || q->flame == NULL || q->from >= q->to || history_range(past.history).from > q->from ||
	    !flame_read(q->flame, &past, &flame))
		return false;
	const struct flame_sums sums = flame_sums(&flame);
	out->ns[SPLIT_UNSEEN] = least(out->of, less(flame.from, q->from) + flame.paused + flame.lost);
	const uint64_t seen = out->of - out->ns[SPLIT_UNSEEN], gc = least(sums.gc, seen);
	out->ns[SPLIT_OTHERS] = least(sums.wait, gc);
	out->ns[SPLIT_GC] = gc - out->ns[SPLIT_OTHERS];
	out->ns[SPLIT_LOOP] = least(loop_time(q, &past.present), seen - gc);
	out->ns[SPLIT_OPEN] = seen - gc - out->ns[SPLIT_LOOP];
	for (size_t i = 0; i < flame.count; i++) {
		const struct flame_bar *bar = &flame.bars[i];
		out->asked = out->asked ||
			     (rtev_phase_class(bar->phase) == RTEV_CLASS_EXPLICIT && 2 * bar->total >= gc);
		if (bar->self <= out->phase_ns || bar->phase >= RTEV_PHASE_COUNT ||
		    (!flame.alone && model_phase_waits(bar->phase)))
			continue;
		out->phase = bar->phase;
		out->phase_ns = bar->self;
	}
	return true;
}

/* Move time from the open part to another one. */
static void prove(struct split *s, enum split_part part, uint64_t ns)
{
	ns = least(ns, s->ns[SPLIT_OPEN]);
	s->ns[part] += ns;
	s->ns[SPLIT_OPEN] -= ns;
}

/* Take the parts that the thread's counters leave no other room for; threads without a domain may have had
 * this one meanwhile. */
static void read_thread(const struct split_query *q, struct split *s)
{
	const uint64_t rest = s->ns[SPLIT_OPEN];
	uint64_t code = rest, starved = rest, blocked = rest;

	s->known = system_past_around(watch_system(q->watch), q->domain, q->from, q->to, &s->around);
	if (s->known) {
		code = least(rest, s->around.ran + s->around.others_ran);
		starved = least(rest, s->around.waited + s->around.others_waited);
		if (!s->around.all)
			blocked = least(
			    rest, less(s->around.time, s->around.ran + s->around.waited + s->ns[SPLIT_LOOP]));
	}
	prove(s, SPLIT_CODE, less(rest, starved + blocked));
	prove(s, SPLIT_STARVED, less(rest, code + blocked));
	prove(s, SPLIT_BLOCKED, less(rest, code + starved));
	s->may = (code > s->ns[SPLIT_CODE] ? 1u << SPLIT_CODE : 0) |
		 (starved > s->ns[SPLIT_STARVED] ? 1u << SPLIT_STARVED : 0) |
		 (blocked > s->ns[SPLIT_BLOCKED] ? 1u << SPLIT_BLOCKED : 0);
}

/* Take the time in which looks at locks saw the thread: it was blocked then, or it is not known in what. */
static void read_locks(const struct split_query *q, struct split *s)
{
	struct lock_waited waited;

	if (!lock_past_waited(q->locks, q->domain, q->from, q->to, &waited))
		return;
	const uint64_t blocked = least(waited.ns, s->ns[SPLIT_BLOCKED]);
	s->ns[SPLIT_BLOCKED] -= blocked;
	s->ns[SPLIT_LOCK] += blocked;
	prove(s, SPLIT_LOCK, waited.ns - blocked);
	s->looks = waited.looks;
	s->lock_looks = waited.waits;
}

/* Take the parts that samples of code prove: each sample on a processor stands for one period, except the
 * first and the last. */
static void read_samples(const struct split_query *q, struct split *s)
{
	const uint64_t code = profile_code_between(q->profile, (int)q->domain, q->from, q->to);

	if (q->hz > 0 && code >= SAMPLES_LEAST)
		prove(s, SPLIT_CODE, less((code - 2) * SECOND / q->hz, s->ns[SPLIT_CODE]));
}

bool split_read(const struct split_query *query, struct split *out)
{
	*out = (struct split){.of = less(query->to, query->from)};
	if (!read_events(query, out))
		return false;
	read_thread(query, out);
	read_locks(query, out);
	if (query->profile != NULL)
		read_samples(query, out);
	return true;
}

const char *split_name(const struct split *split, enum split_part part)
{
	static const char *const names[SPLIT_PARTS] = {
#define SPLIT_NAME(name, text) text,
	    SPLIT_PARTS_OF(SPLIT_NAME)
#undef SPLIT_NAME
	};
	static const char *const open[] = {
	    "code", "no processor", "code or no processor", "blocked", "code or blocked", "waits or blocked"};
	const unsigned of = (split->may >> SPLIT_CODE & 1) | (split->may >> SPLIT_STARVED & 1) << 1 |
			    (split->may >> SPLIT_BLOCKED & 1) << 2;

	return part == SPLIT_OPEN && of > 0 && of < 7 ? open[of - 1] : names[part];
}

/* Say what the thread did in most of the samples around, if that is one activity.  A thread that was blocked
 * most of a second may have run throughout a short span, so blocking is only mentioned if it is proven. */
static bool around_text(const struct split *s, char *buf, size_t size)
{
	const struct system_around *a = &s->around;
	const double most = AROUND_PART * (double)a->time;
	const struct formatted time = format_duration(a->time);

	if (!s->known || a->all)
		return false;
	if ((double)a->waited >= most)
		snprintf(buf, size, "no processor: its thread waited %s of %s around it for one",
		    format_duration(a->waited).s, time.s);
	else if ((double)a->ran >= most)
		snprintf(buf, size, "its own code: its thread ran %s of %s around it",
		    format_duration(a->ran).s, time.s);
	else
		return false;
	return true;
}

/* Get what the thread did in the samples beside a period that they do not cover: the one after it is still to come, or it
 * began before the first one. */
static bool read_beside(const struct split_query *q, struct system_around *out)
{
	const struct system_past *past = watch_system(q->watch);
	const size_t rows = system_past_count(past);

	if (rows == 0 || q->to - q->from < BLAME_UNSERVED_LEAST_NS)
		return false;
	const uint64_t first = system_past_row(past, 0)->from, last = system_past_row(past, rows - 1)->to;
	if (last < q->to)
		return system_past_around(past, q->domain, last - 1, last, out);
	return first > q->from && system_past_around(past, q->domain, first, first + 1, out);
}

/* Describe the part of the collector: a phase is open while its thread waits for a processor, too. */
static void gc_text(const struct split_query *q, const struct split *s, char *buf, size_t size)
{
	char name[RTEV_NAME_SIZE], without[64] = "";
	struct system_around around = s->around;
	uint64_t most;
	const bool beside = !s->known && read_beside(q, &around);
	/* Where a thread hardly waits, it did not wait for most of this. */
	const bool waits = (s->known || beside) && (double)around.waited >= WAITED_LEAST * (double)around.ran;
	const bool covered = waits && blame_unserved(watch_system(q->watch), q->from, q->to, &most);
	const bool unserved = covered || (waits && beside);

	if (covered)
		snprintf(without, sizeof(without), ", at most %s of it without one",
		    format_duration(least(most, s->ns[SPLIT_GC])).s);
	snprintf(buf, size, "%s%s: %s %s%s", unserved ? "GC or no processor" : "the collector",
	    s->asked ? ", asked for by the program" : "", rtev_phase_name(s->phase, name),
	    format_duration(s->phase_ns).s, without);
}

/* Describe a part. */
static bool part_text(
    const struct split_query *q, const struct split *s, enum split_part part, char *buf, size_t size)
{
	char code[BLAME_TEXT];
	const struct formatted ns = format_duration(s->ns[part]);
	const bool sampled =
	    profile_between_text(q->profile, (int)q->domain, q->from, q->to, code, sizeof(code));

	switch (part) {
	case SPLIT_GC:
		gc_text(q, s, buf, size);
		return true;
	case SPLIT_OTHERS:
		snprintf(buf, size, "waits for other domains, cause unknown");
		return true;
	case SPLIT_LOOP:
		snprintf(buf, size, "the event loop had nothing to do for %s", ns.s);
		return true;
	case SPLIT_STARVED:
		snprintf(
		    buf, size, "no processor: its thread could have run and had none for %s or more", ns.s);
		return true;
	case SPLIT_LOCK:
		snprintf(buf, size, "waits for a lock, about %s (%u of %u looks)%s%s", ns.s, s->lock_looks,
		    s->looks, sampled ? ": " : "", code);
		return true;
	case SPLIT_OPEN:
		if (around_text(s, buf, size)) {
			size_t used = strlen(buf);
			snprintf(buf + used, size - used, "%s%s", sampled ? "; " : "", code);
			return true;
		}
		snprintf(buf, size, "%s", code);
		return sampled;
	default:
		snprintf(buf, size, "%s %s%s%s", split_name(s, part), ns.s, sampled ? ": " : "", code);
		return true;
	}
}

bool split_likely(const struct split_query *query, const struct split *s, char *buf, size_t size)
{
	const struct model *m = watch_model(query->watch);
	const struct model_user_slot *hit = blame_hit(m, query->hit);
	enum split_part most = 0;
	char blamed[BLAME_TEXT] = "";
	const uint64_t rest =
	    s->ns[SPLIT_CODE] + s->ns[SPLIT_STARVED] + s->ns[SPLIT_BLOCKED] + s->ns[SPLIT_OPEN];
	uint64_t bound;
	bool known = false;

	buf[0] = '\0';
	for (int i = 1; i < SPLIT_PARTS; i++)
		most = s->ns[i] > s->ns[most] ? (enum split_part)i : most;
	blame_text(query->blame, hit, m, blamed, sizeof(blamed));
	if (system_past_excuse(watch_system(query->watch), query->from, query->to, &bound) == SYSTEM_STOPPED)
		known = strlcpy(buf, "a signal or a debugger had stopped the process", size) > 0;
	else if (s->of > 0 && 2 * s->ns[most] >= s->of && most != SPLIT_UNSEEN)
		known = part_text(query, s, most, buf, size);
	else if (s->of > 0 && 2 * rest >= s->of)
		known = part_text(query, s, SPLIT_OPEN, buf, size);
	if (query->blame != NULL && most == SPLIT_OTHERS) {
		char code[BLAME_TEXT];
		bool any = blame_code(query->blame, query->profile, code, sizeof(code));
		snprintf(buf, size, "%s%s%s", blamed, any ? ": " : "", code);
		return true;
	}
	if (!known)
		strlcpy(buf,
		    query->profile != NULL ? "no half of it is explained, and no sample is of that time"
		    : query->over	   ? "the code was not sampled then"
					   : "sample with C",
		    size);
	if (blamed[0] != '\0') {
		strlcat(buf, "; ", size);
		strlcat(buf, blamed, size);
	}
	return known;
}
