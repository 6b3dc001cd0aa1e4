/*
 * schedulers.c - the tables of the schedulers' events, and the observer that reads them.
 *
 * A name proves nothing: an event whose kind or payload differs from its row is an ordinary user event.
 */
#include "fibers/schedulers.h"

#include "core/cut.h"

/*
 * The meaning of an event.  `payload` has a letter for each part of a custom payload: i is the id and o the
 * other id, 64 bits each, little endian, and s is one that is ignored; c is the kind of a context and b the
 * kind of an object, a byte each; w is a byte that says where a fiber is made; n is the length of the text
 * that t then stands for; t without n is text up to the end.  The value of an int event is i.
 */
struct row {
	const char *name;
	enum model_user_kind kind;
	const char *payload;
	enum fiber_op op, end; /* `end`: the operation at the end of a span */
	const char *text;      /* the text, if the payload has none */
};

static const struct row eio[] = {
    {"eio.create_fiber", MODEL_USER_CUSTOM, "io", FIBER_MADE, 0, NULL},
    {"eio.create_cc", MODEL_USER_CUSTOM, "ic", FIBER_CONTEXT_MADE, 0, NULL},
    {"eio.create_obj", MODEL_USER_CUSTOM, "ib", FIBER_OBJECT_MADE, 0, NULL},
    {"eio.name", MODEL_USER_CUSTOM, "it", FIBER_NAMED, 0, NULL},
    {"eio.fiber", MODEL_USER_INT, "i", FIBER_RUNS, 0, NULL},
    {"eio.suspend_fiber", MODEL_USER_CUSTOM, "t", FIBER_SUSPENDS, 0, NULL},
    {"eio.try_get", MODEL_USER_INT, "i", FIBER_WANTS, 0, NULL},
    {"eio.get", MODEL_USER_INT, "i", FIBER_GETS, 0, NULL},
    {"eio.put", MODEL_USER_INT, "i", FIBER_PUTS, 0, NULL},
    {"eio.exit_fiber", MODEL_USER_INT, "i", FIBER_ENDS, 0, NULL},
    {"eio.exit_cc", MODEL_USER_UNIT, "", FIBER_CONTEXT_ENDS, 0, NULL},
    {"eio.error", MODEL_USER_CUSTOM, "it", FIBER_FAILS, 0, NULL},
    {"eio.enter_span", MODEL_USER_CUSTOM, "t", FIBER_SPAN_BEGINS, 0, NULL},
    {"eio.exit_span", MODEL_USER_UNIT, "", FIBER_SPAN_ENDS, 0, NULL},
    {"eio.log", MODEL_USER_CUSTOM, "t", FIBER_LOGS, 0, NULL},
    {"eio.suspend_domain", MODEL_USER_SPAN, "", FIBER_IDLE_BEGINS, FIBER_IDLE_ENDS, NULL},
    {"eio.domain_spawn", MODEL_USER_INT, "i", FIBER_SPAWNS, 0, NULL},
};

/* Miou 0.6 and 0.7.  A promise is a fiber; each run has a begin and an end, and a fiber that was suspended is
 * looked at once more (await) before it waits.  Errors (miou.exn) are taken as events of the program. */
static const struct row miou[] = {
    {"miou.spawn", MODEL_USER_CUSTOM, "iosw", FIBER_FORKED, 0, NULL},
    {"miou.location", MODEL_USER_CUSTOM, "iont", FIBER_PLACED, 0, NULL},
    {"miou.begin", MODEL_USER_CUSTOM, "i", FIBER_RUNS, 0, NULL},
    {"miou.end", MODEL_USER_CUSTOM, "i", FIBER_RUN_ENDS, 0, NULL},
    {"miou.done", MODEL_USER_CUSTOM, "i", FIBER_ENDS, 0, NULL},
    {"miou.await", MODEL_USER_CUSTOM, "i", FIBER_WAITS, 0, "await"},
    {"miou.resume", MODEL_USER_CUSTOM, "i", FIBER_READIES, 0, NULL},
    {"miou.yield", MODEL_USER_CUSTOM, "i", FIBER_YIELDS, 0, NULL},
    {"miou.suspend", MODEL_USER_CUSTOM, "int", FIBER_SUSPENDS, 0, NULL},
    {"miou.continue", MODEL_USER_CUSTOM, "int", FIBER_CONTINUES, 0, NULL},
    {"miou.cancel", MODEL_USER_CUSTOM, "i", FIBER_CANCELS, 0, NULL},
    {"miou.cancelled", MODEL_USER_CUSTOM, "i", FIBER_CANCELLED, 0, NULL},
    {"miou.attach", MODEL_USER_CUSTOM, "io", FIBER_OWNS, 0, NULL},
    {"miou.detach", MODEL_USER_CUSTOM, "io", FIBER_DISOWNS, 0, NULL},
};

/* Lwt 6.  A lap includes its waiting; traced promises are spans of the program (lwt-trace). */
static const struct row lwt[] = {
    {"lwt-sch-lap", MODEL_USER_UNIT, "", FIBER_LAP, 0, NULL},
    {"lwt-sch-call", MODEL_USER_SPAN, "", FIBER_CALL_BEGINS, FIBER_CALL_ENDS, NULL},
    {"lwt-paused-count", MODEL_USER_INT, "i", FIBER_PAUSED, 0, NULL},
    {"lwt-unix-job-count", MODEL_USER_INT, "i", FIBER_JOBS, 0, NULL},
};

/* Eio's own texts: names of contexts that its functions make, its fiber on io_uring, and a span of the loop
 * there. */
static const struct saying {
	enum fiber_op op;
	const char *text;
	enum fiber_sense sense;
} sayings[] = {
    {FIBER_NAMED, "eio_linux", FIBER_OWN_URING},
    {FIBER_NAMED, "run_worker", FIBER_OWN},
    {FIBER_NAMED, "iter", FIBER_OWN},
    {FIBER_NAMED, "filter_map", FIBER_OWN},
    {FIBER_NAMED, "all", FIBER_OWN},
    {FIBER_NAMED, "both", FIBER_OWN},
    {FIBER_NAMED, "pair", FIBER_OWN},
    {FIBER_SUSPENDS, "read_eventfd", FIBER_OWN_URING},
    {FIBER_SPAN_BEGINS, "submit", FIBER_OWN_URING},
    {FIBER_FAILS, "Stdlib.Exit", FIBER_AT_END},
    {FIBER_FAILS, "Eio__Time.Timeout", FIBER_TIMED_OUT},
};

/* Return the further meaning of an event of Eio. */
static enum fiber_sense sense_of(const struct fiber_event *event)
{
	static const char not_first[] = "Not_first", cancelled[] = "Cancelled: ";

	for (size_t i = 0; i < sizeof(sayings) / sizeof(sayings[0]); i++)
		if (event->op == sayings[i].op && event->len == strlen(sayings[i].text) &&
		    memcmp(event->text, sayings[i].text, event->len) == 0)
			return sayings[i].sense;
	/* An exception may contain others. */
	if (event->op != FIBER_FAILS || event->len == 0)
		return FIBER_PLAIN;
	return memmem(event->text, event->len, not_first, sizeof(not_first) - 1) != NULL ||
		       (event->len >= sizeof(cancelled) - 1 &&
			   memcmp(event->text, cancelled, sizeof(cancelled) - 1) == 0)
		   ? FIBER_NO_NEED
		   : FIBER_PLAIN;
}

#define ROWS(table) table, sizeof(table) / sizeof((table)[0])
static const struct {
	const char *name;
	const struct row *rows;
	size_t count;
	unsigned tells;
} adapters[] = {
    {"eio", ROWS(eio), FIBERS_TELL_ALL},
    {"miou", ROWS(miou), FIBERS_TELL_FIBERS},
    {"lwt", ROWS(lwt), FIBERS_TELL_LAPS},
};
enum { ADAPTERS = sizeof(adapters) / sizeof(adapters[0]) };

/* The kinds by Eio's numbers. */
static enum fiber_kind context_kind(uint8_t number)
{
	static const enum fiber_kind kinds[] = {[3] = FIBER_CONTEXT_SWITCH,
	    [4] = FIBER_CONTEXT_PROTECT,
	    [5] = FIBER_CONTEXT_SUB,
	    [6] = FIBER_CONTEXT_ROOT,
	    [7] = FIBER_CONTEXT_ANY};

	return number < sizeof(kinds) / sizeof(kinds[0]) ? kinds[number] : FIBER_KIND_NONE;
}

static enum fiber_kind object_kind(uint8_t number)
{
	static const enum fiber_kind kinds[] = {
	    [15] = FIBER_PROMISE, [16] = FIBER_SEMAPHORE, [18] = FIBER_STREAM, [19] = FIBER_MUTEX};

	return number < sizeof(kinds) / sizeof(kinds[0]) ? kinds[number] : FIBER_KIND_NONE;
}

static uint64_t read_id(const uint8_t *bytes)
{
	return cut_fixed(&(struct cut){.at = bytes, .end = bytes + 8}, 8);
}

/* Read a custom payload of `len` bytes, of which `kept` are there.  Returns false if it does not fit the row. */
static bool decode(
    const struct row *row, const uint8_t *data, size_t kept, size_t len, struct fiber_event *out)
{
	size_t at = 0;

	for (const char *part = row->payload; *part != '\0'; part++) {
		size_t bytes = strchr("iosn", *part) != NULL ? 8 : *part == 't' ? 0 : 1;
		if (kept - at < bytes)
			return false;
		switch (*part) {
		case 'i':
			out->id = read_id(data + at);
			break;
		case 'o':
			out->other = read_id(data + at);
			break;
		case 'n':
			if (read_id(data + at) != len - at - bytes)
				return false;
			break;
		case 'w':
			if (data[at] != 1 && data[at] != 2)
				return false;
			out->op = data[at] == 1 ? FIBER_FORKED : FIBER_FORKED_AWAY;
			break;
		case 'c':
		case 'b':
			out->kind = *part == 'c' ? context_kind(data[at]) : object_kind(data[at]);
			if (out->kind == FIBER_KIND_NONE)
				return false;
			break;
		case 't':
			out->text = data + at;
			out->len = kept - at;
			return true;
		default:
			break;
		}
		at += bytes;
	}
	return at == len;
}

/* ---- the observer ---- */

/* The state of a user slot: not looked at yet, of no scheduler, or the row of its events as the adapter's
 * number times SLOT_ROWS plus the row's number. */
enum { SLOT_NEW, SLOT_OTHER, SLOT_FIRST };
#define SLOT_ROWS 32u
_Static_assert(
    ADAPTERS *SLOT_ROWS + SLOT_FIRST <= UINT8_MAX && sizeof(eio) / sizeof(eio[0]) <= SLOT_ROWS, "");

#define RESUMES_MAX MODEL_TARGET_PAUSES_MAX

struct schedulers {
	struct model *model;
	struct fibers *fibers[ADAPTERS]; /* made at the first event */
	struct fibers_observer observer;
	bool learning; /* only events from schedulers_learn were taken so far */
	bool more;     /* words that were lost before the attach may have been of fibers */
	uint16_t program, programs[MODEL_DOMAINS_MAX]; /* the number of the program, and that of each ring */
	uint8_t slots[MODEL_USER_SLOTS_MAX];
	uint64_t resumes[RESUMES_MAX]; /* of the target, ascending */
	unsigned resume_count;
	uint16_t resumed[MODEL_DOMAINS_MAX]; /* how many of them each domain has reached */
};

/* Return the state of a slot for an event's name and kind. */
static uint8_t row_named(const char *name, size_t len, enum model_user_kind kind)
{
	for (unsigned a = 0; a < ADAPTERS; a++) {
		/* All names of a scheduler begin with the scheduler's name, which most programs' names don't. */
		size_t begin = strlen(adapters[a].name);
		if (len < begin || memcmp(name, adapters[a].name, begin) != 0)
			continue;
		for (unsigned i = 0; i < adapters[a].count; i++) {
			const struct row *row = &adapters[a].rows[i];
			if (row->kind == kind && strlen(row->name) == len &&
			    memcmp(row->name, name, len) == 0)
				return (uint8_t)(SLOT_FIRST + a * SLOT_ROWS + i);
		}
	}
	return SLOT_OTHER;
}

static uint8_t find_row(const struct model_user_slot *slot)
{
	return row_named(slot->name, slot->name_len, slot->kind);
}

/* Return since when the target had paused before a resume, as far as its rings have told yet. */
static uint64_t paused_from(const struct model *m, uint64_t resume)
{
	size_t count;
	const struct model_target_pause *pauses = model_target_pauses(m, &count);

	while (count > 0 && pauses[count - 1].to > resume)
		count--;
	return count > 0 && pauses[count - 1].to == resume ? pauses[count - 1].from : 0;
}

/* Apply the resumes that a domain has reached by `ts`. */
static void resume(struct schedulers *s, unsigned domain, uint64_t ts)
{
	for (; s->resumed[domain] < s->resume_count && s->resumes[s->resumed[domain]] <= ts;
	     s->resumed[domain]++)
		for (unsigned a = 0; a < ADAPTERS; a++) {
			if (s->fibers[a] == NULL)
				continue;
			uint64_t to = s->resumes[s->resumed[domain]], from = paused_from(s->model, to),
				 last = fibers_last(s->fibers[a], domain);
			fibers_missed(s->fibers[a], domain, 0, false);
			fibers_skip(s->fibers[a], domain, from > last ? from : last, to);
		}
}

/* Return the fibers of a scheduler, created on first use.  NULL when memory ran out. */
static struct fibers *fibers_of(struct schedulers *s, unsigned a)
{
	if (s->fibers[a] == NULL) {
		s->fibers[a] = fibers_create(s->model, adapters[a].tells);
		if (s->fibers[a] != NULL)
			fibers_watch(s->fibers[a], &s->observer);
		if (s->fibers[a] != NULL && s->more)
			fibers_take(s->fibers[a], 0, 0, &(struct fiber_event){.op = FIBER_MORE});
	}
	return s->fibers[a];
}

/* Keep what was learnt, but reset its counts. */
static void learnt(struct schedulers *s)
{
	s->learning = false;
	const struct model_totals t = model_totals(s->model);
	for (unsigned a = 0; a < ADAPTERS; a++)
		if (s->fibers[a] != NULL)
			fibers_reset(s->fibers[a], t.since_ts);
}

static void hand(struct fibers *f, unsigned domain, uint64_t ts, const struct fiber_event *event)
{
	struct fiber_event sensed = *event;

	sensed.sense = event->len > 0 ? sense_of(event) : FIBER_PLAIN;
	fibers_take(f, domain, ts, &sensed);
}

/* Pass an event to the fibers of its row's scheduler. */
static void give(
    struct schedulers *s, unsigned domain, uint64_t ts, uint8_t known, const struct fiber_event *event)
{
	struct fibers *f = fibers_of(s, (known - SLOT_FIRST) / SLOT_ROWS);

	if (f == NULL)
		return;
	if (s->learning)
		learnt(s);
	resume(s, domain, ts);
	hand(f, domain, ts, event);
}

void schedulers_learn(
    struct schedulers *s, const char *name, unsigned domain, uint64_t ts, const struct fiber_event *event)
{
	unsigned a = 0;

	while (a < ADAPTERS && strcmp(adapters[a].name, name) != 0)
		a++;
	if (a == ADAPTERS || (s->fibers[a] != NULL && !s->learning) || fibers_of(s, a) == NULL)
		return;
	s->learning = true;
	hand(s->fibers[a], domain, ts, event);
}

static const struct row *row_of(uint8_t known)
{
	return &adapters[(known - SLOT_FIRST) / SLOT_ROWS].rows[(known - SLOT_FIRST) % SLOT_ROWS];
}

/* Fill in an event by its row, before its payload is read. */
static struct fiber_event event_of(const struct row *row, bool end, int64_t value)
{
	return (struct fiber_event){.op = end ? row->end : row->op,
	    .id = (uint64_t)value,
	    .text = row->text,
	    .len = row->text != NULL ? strlen(row->text) : 0};
}

bool scheduler_event(const struct scheduler_user *user, struct fiber_event *out)
{
	uint8_t known = row_named(user->name, user->name_len, user->kind);

	if (known == SLOT_OTHER)
		return false;
	const struct row *row = row_of(known);
	*out = event_of(row, user->end, user->value);
	return row->kind != MODEL_USER_CUSTOM || decode(row, user->data, user->len, user->len, out);
}

bool schedulers_know(const struct model_user_slot *slot, const struct model_user *user)
{
	uint8_t known = find_row(slot);
	struct fiber_event event;

	return known != SLOT_OTHER && (slot->kind != MODEL_USER_CUSTOM || user == NULL ||
					  decode(row_of(known), user->data, user->kept, user->len, &event));
}

/* Take an event of a slot.  `end`: it is the end of a span. */
static void take(struct schedulers *s, unsigned domain, uint64_t ts, unsigned slot, int64_t value, bool end)
{
	uint8_t known = s->slots[slot];

	if (known == SLOT_NEW)
		known = s->slots[slot] = find_row(model_user_slot(s->model, slot));
	if (known == SLOT_OTHER || domain >= MODEL_DOMAINS_MAX)
		return;
	const struct row *row = row_of(known);
	struct fiber_event event = event_of(row, end, value);
	if (row->kind == MODEL_USER_CUSTOM) {
		const struct model_user *user = model_user(s->model, domain, slot);
		if (user == NULL)
			return;
		/* The payload of the current event is whole, unlike a kept one. */
		size_t len;
		const void *data = model_user_payload(s->model, &len);
		if (!decode(row, data, len, len, &event))
			return;
	}
	give(s, domain, ts, known, &event);
}

/* Take an event from before the attach. */
static void take_past(struct schedulers *s, unsigned domain, const struct model_user_event *past)
{
	uint8_t known = domain < MODEL_DOMAINS_MAX ? find_row(past->past) : SLOT_OTHER;

	if (known == SLOT_OTHER)
		return;
	const bool end = past->past->kind == MODEL_USER_SPAN && past->value != 0;
	struct fiber_event event = event_of(row_of(known), end, past->value);
	if (past->past->kind != MODEL_USER_CUSTOM ||
	    decode(row_of(known), past->data, past->len, past->len, &event))
		give(s, domain, past->ts, known, &event);
}

static void on_user(void *ctx, unsigned domain, const struct model_user_event *event)
{
	bool end = false;

	switch (event->what) {
	case MODEL_USER_CLOSED:
	case MODEL_USER_CLOSED_STALE:
	case MODEL_USER_STRAY_END:
		end = true;
		break;
	case MODEL_USER_DROPPED:
		return;
	case MODEL_USER_PAST:
		take_past(ctx, domain, event);
		return;
	default:
		break;
	}
	take(ctx, domain, event->ts, event->slot, event->value, end);
}

static void on_pause(void *ctx, unsigned domain, const struct model_span *span)
{
	struct schedulers *s = ctx;

	for (unsigned a = 0; a < ADAPTERS && span->pause; a++)
		if (s->fibers[a] != NULL)
			fibers_paused(s->fibers[a], domain, span->begin, span->end);
}

static void on_lifecycle(void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	struct schedulers *s = ctx;

	for (unsigned a = 0; a < ADAPTERS && event == RTEV_LIFECYCLE_DOMAIN_TERMINATE; a++)
		if (s->fibers[a] != NULL)
			fibers_domain_ended(s->fibers[a], domain, ts);
}

/* The fibers of another program are others, whose figures are added to the earlier ones. */
static void program_began(struct schedulers *s)
{
	s->more = false;
	for (unsigned a = 0; a < ADAPTERS; a++)
		if (s->fibers[a] != NULL)
			fibers_restart(s->fibers[a]);
}

/* A ring was made anew.  The first that is starts another program, which the others follow. */
static void ring_began(struct schedulers *s, unsigned domain)
{
	if (s->programs[domain] == s->program) {
		s->program++;
		program_began(s);
	}
	s->programs[domain] = s->program;
}

static void on_gap(void *ctx, unsigned domain, const struct model_gap *gap)
{
	struct schedulers *s = ctx;
	bool lost = gap->kind != MODEL_NOTE_RESTART && gap->words > gap->history;

	if (gap->what == MODEL_GAP_FOUND && s->learning)
		learnt(s);
	if (gap->what == MODEL_GAP_FOUND && gap->kind == MODEL_NOTE_RESTART)
		ring_began(s, domain);
	s->more |= gap->what == MODEL_GAP_FOUND && gap->kind == MODEL_NOTE_LOST && gap->history > 0;
	for (unsigned a = 0; a < ADAPTERS && gap->what != MODEL_GAP_BEGAN; a++) {
		if (s->fibers[a] == NULL)
			continue;
		if (gap->what == MODEL_GAP_OVER) {
			fibers_skip(s->fibers[a], domain, gap->from, gap->to);
			continue;
		}
		fibers_missed(s->fibers[a], domain, gap->from, lost);
		if (s->more)
			fibers_take(s->fibers[a], 0, 0, &(struct fiber_event){.op = FIBER_MORE});
	}
}

static void resumed(struct schedulers *s, uint64_t ts)
{
	unsigned at = s->resume_count;

	if (at == RESUMES_MAX)
		return;
	for (; at > 0 && s->resumes[at - 1] > ts; at--)
		s->resumes[at] = s->resumes[at - 1];
	s->resumes[at] = ts;
	s->resume_count++;
}

static void on_turned(void *ctx, enum model_turn turn, uint64_t ts)
{
	struct schedulers *s = ctx;

	if (turn == MODEL_RESUMED)
		resumed(s, ts);
	if (turn == MODEL_REATTACHED)
		program_began(s);
	for (unsigned a = 0; a < ADAPTERS && turn == MODEL_RESET; a++)
		if (s->fibers[a] != NULL)
			fibers_reset(s->fibers[a], ts);
}

struct schedulers *schedulers_create(struct model *m)
{
	struct schedulers *s = calloc(1, sizeof(*s));
	const struct model_observer observer = {.ctx = s,
	    .closed = on_pause,
	    .user = on_user,
	    .lifecycle = on_lifecycle,
	    .gap = on_gap,
	    .turned = on_turned};

	if (s == NULL || !model_observe(m, &observer)) {
		free(s);
		return NULL;
	}
	s->model = m;
	return s;
}

void schedulers_watch(struct schedulers *s, const struct fibers_observer *observer)
{
	s->observer = *observer;
	for (unsigned a = 0; a < ADAPTERS; a++)
		if (s->fibers[a] != NULL)
			fibers_watch(s->fibers[a], observer);
}

void schedulers_destroy(struct schedulers *s)
{
	if (s == NULL)
		return;
	for (unsigned a = 0; a < ADAPTERS; a++)
		fibers_destroy(s->fibers[a]);
	free(s);
}

struct fibers *schedulers_first(const struct schedulers *s, const char **name)
{
	struct fibers *first = NULL;
	uint64_t most = 0;

	for (unsigned a = 0; s != NULL && !s->learning && a < ADAPTERS; a++) {
		uint64_t weight = s->fibers[a] != NULL ? fibers_weight(s->fibers[a]) : 0;
		if (weight > most) {
			most = weight;
			first = s->fibers[a];
			*name = adapters[a].name;
		}
	}
	return first;
}

struct fibers *schedulers_next(const struct schedulers *s, unsigned *at, const char **name)
{
	while (*at < ADAPTERS && s->fibers[*at] == NULL)
		++*at;
	if (*at == ADAPTERS)
		return NULL;
	*name = adapters[*at].name;
	return s->fibers[(*at)++];
}
