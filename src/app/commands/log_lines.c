/*
 * log_lines.c - print events, one per line.
 *
 * An event is printed at once, or queued for its domain as a batch.  The sort keys in a queue never decrease:
 * an event whose stamp goes back is sorted with the one before it, and printed with its own stamp.  So a
 * merge only compares the first events.
 */
#include "app/commands/log_lines.h"

#include "core/array.h"
#include "core/batch.h"
#include "core/event.h"
#include "print/out.h"
#include "fibers/schedulers.h"

/* ---- the events of schedulers in words ---- */

/* The fiber that runs on each domain, as events told. */
struct log_fibers {
	struct log_fiber {
		uint64_t id;
		bool known;
		bool suspended; /* the scheduler runs, unless the fiber comes back at once */
	} * running;
	unsigned domains;
};

/* The sentence for each event.  %r is the running fiber, %i and %o are the ids, %k is the kind, %t the text. */
static const char *const sentences[] = {
    [FIBER_MADE] = "fiber %i made in context %o",
    [FIBER_RUNS] = "fiber %i runs",
    [FIBER_SUSPENDS] = "fiber %r suspended: %t",
    [FIBER_ENDS] = "fiber %i ended",
    [FIBER_CONTEXT_MADE] = "fiber %r made context %i (%k)",
    [FIBER_CONTEXT_ENDS] = "fiber %r ended its context",
    [FIBER_OBJECT_MADE] = "%k %i made",
    [FIBER_NAMED] = "%i is named %t",
    [FIBER_WANTS] = "fiber %r waits for %i",
    [FIBER_GETS] = "fiber %r has %i",
    [FIBER_PUTS] = "fiber %r put %i",
    [FIBER_FAILS] = "context %i cancelled: %t",
    [FIBER_SPAN_BEGINS] = "fiber %r entered span %t",
    [FIBER_SPAN_ENDS] = "fiber %r left its span",
    [FIBER_IDLE_BEGINS] = "the loop waits for the system",
    [FIBER_IDLE_ENDS] = "the loop is back",
    [FIBER_SPAWNS] = "fiber %i of another domain started this one",
    [FIBER_LOGS] = "fiber %r logs: %t",
    [FIBER_FORKED] = "fiber %i made by fiber %o",
    [FIBER_FORKED_AWAY] = "fiber %i made by fiber %o for another domain",
    [FIBER_RUN_ENDS] = "fiber %i stops",
    [FIBER_WAITS] = "fiber %i waits",
    [FIBER_READIES] = "fiber %i can run again",
    [FIBER_CONTINUES] = "fiber %r goes on: %t",
    [FIBER_YIELDS] = "fiber %i yields",
    [FIBER_CANCELS] = "fiber %i is being cancelled",
    [FIBER_CANCELLED] = "fiber %i is cancelled",
    [FIBER_PLACED] = "fiber %i was made at %t:%o",
    [FIBER_OWNS] = "fiber %o owns resource %i",
    [FIBER_DISOWNS] = "fiber %o gave up resource %i",
    [FIBER_LAP] = "the loop comes round",
    [FIBER_PAUSED] = "%i promises are paused",
    [FIBER_JOBS] = "%i jobs wait for the system",
    [FIBER_CALL_BEGINS] = "the scheduler is called",
    [FIBER_CALL_ENDS] = "the scheduler returns",
};

static void print_sentence(struct out *out, const struct fiber_event *event, const struct log_fiber *running)
{
	for (const char *c = sentences[event->op]; *c != '\0'; c++) {
		if (*c != '%') {
			out_char(out, *c);
			continue;
		}
		switch (*++c) {
		case 'i':
			out_unsigned(out, event->id);
			break;
		case 'o':
			out_unsigned(out, event->other);
			break;
		case 'k':
			out_text(out, fiber_kind_word(event->kind));
			break;
		case 't':
			out_foreign(out, event->text, event->len);
			break;
		default:
			if (running->known && !running->suspended)
				out_unsigned(out, running->id);
			else
				out_char(out, '?');
			break;
		}
	}
}

/* Return the record of a domain; NULL when memory ran out: then nothing is known of the domain. */
static struct log_fiber *running_on(struct log_fibers *f, unsigned domain)
{
	bool there = domain < MODEL_DOMAINS_MAX &&
		     array_reach(&f->running, &f->domains, domain, sizeof(f->running[0]));

	return there ? &f->running[domain] : NULL;
}

/* Print the sentence of an event if it is a scheduler's; false: it is not.  All events of a domain must be
 * passed, in ring order, because a loss ends what is known. */
static bool log_fibers_print(struct log_fibers *f, struct out *out, const struct rtev_event *e)
{
	static const uint8_t kinds[EVENT_KIND_COUNT] = {[EVENT_UNIT] = MODEL_USER_UNIT,
	    [EVENT_INT] = MODEL_USER_INT,
	    [EVENT_SPAN_BEGIN] = MODEL_USER_SPAN,
	    [EVENT_SPAN_END] = MODEL_USER_SPAN,
	    [EVENT_CUSTOM] = MODEL_USER_CUSTOM};
	struct fiber_event event;

	if (e->user == NULL) {
		if ((e->kind == EVENT_LOST || e->kind == EVENT_CORRUPT || e->kind == EVENT_RESTART) &&
		    e->domain < f->domains)
			f->running[e->domain].known = false;
		return false;
	}
	if (!scheduler_event(&(struct scheduler_user){.name = e->user->name,
				 .name_len = e->user->name_len,
				 .kind = (enum model_user_kind)kinds[e->kind],
				 .end = e->kind == EVENT_SPAN_END,
				 .value = e->value,
				 .data = e->data,
				 .len = e->len},
		&event))
		return false;
	struct log_fiber none = {0}, *running = running_on(f, e->domain);
	if (running == NULL)
		running = &none;
	if (event.op == FIBER_RUNS)
		*running = (struct log_fiber){.id = event.id, .known = true};
	/* Only a running fiber makes these; the object of its wait may be told after the suspension. */
	bool suspended = running->suspended;
	if (event.op == FIBER_MADE || event.op == FIBER_CONTEXT_MADE || event.op == FIBER_CONTEXT_ENDS ||
	    event.op == FIBER_SUSPENDS || event.op == FIBER_WANTS)
		running->suspended = false;
	print_sentence(out, &event, running);
	if (event.op == FIBER_SUSPENDS || (event.op == FIBER_WANTS && suspended))
		running->suspended = true;
	if (event.op == FIBER_IDLE_BEGINS || event.op == FIBER_ENDS || event.op == FIBER_RUN_ENDS)
		running->known = false;
	return true;
}

static void log_fibers_fini(struct log_fibers *f)
{
	free(f->running);
}

/* The events held for a domain. */
struct queue {
	struct batch_writer writer;
	struct batch_reader reader;
	uint64_t *words;
	size_t room, first; /* size in words; offset of the first event */
	size_t count;
	uint64_t order;	     /* sort key of the first event, during a release */
	uint64_t last_order; /* sort key of the event printed last */
};

struct log {
	struct out *out;
	struct log_options options;
	struct queue *queues;
	unsigned domains;
	unsigned *heap; /* indices of queues; it has room for all */
	unsigned heap_room;
	size_t kept; /* events in all queues */
	struct log_faults faults;
	struct log_fibers fibers;
	struct rtev_user_event users[RTEV_USER_EVENTS_MAX]; /* names of held events */
};

struct log *log_create(struct out *out, const struct log_options *options)
{
	struct log *log = calloc(1, sizeof(*log));

	if (log != NULL) {
		log->out = out;
		log->options = *options;
	}
	return log;
}

void log_destroy(struct log *log)
{
	if (log == NULL)
		return;
	for (unsigned d = 0; d < log->domains; d++)
		free(log->queues[d].words);
	log_fibers_fini(&log->fibers);
	free(log->queues);
	free(log->heap);
	free(log);
}

struct rtev_user_event *log_users(struct log *log)
{
	return log->users;
}

const struct log_faults *log_faults(const struct log *log)
{
	return &log->faults;
}

/* Print the buckets of an alloc event, separated by commas. */
static void print_buckets(struct out *out, const void *data)
{
	const unsigned char *at = data;

	for (int i = 0; i < RTEV_ALLOC_BUCKETS; i++) {
		uint64_t bucket;
		memcpy(&bucket, at + (size_t)i * sizeof(bucket), sizeof(bucket));
		if (i > 0)
			out_char(out, ',');
		out_unsigned(out, bucket);
	}
}

/* Print the members of a user event after "type". */
static void print_json_user(struct out *out, const struct rtev_event *e)
{
	out_text(out, "user\",\"name\":");
	out_json_string(out, e->user->name, e->user->name_len);
	out_text(out, ",\"kind\":\"");
	out_text(out, event_word(e->kind));
	out_char(out, '"');
	if (e->kind == EVENT_INT) {
		out_text(out, ",\"value\":");
		out_signed(out, e->value);
	} else if (e->kind == EVENT_CUSTOM) {
		out_text(out, ",\"data\":\"");
		out_hex(out, e->data, e->len);
		out_char(out, '"');
	}
}

static void print_json(struct out *out, const struct rtev_event *e)
{
	char name[RTEV_NAME_SIZE];
	bool counter;

	out_char(out, '{');
	if (event_stamped(e->kind)) {
		out_text(out, "\"ts\":");
		out_unsigned(out, e->ts);
		out_char(out, ',');
	}
	out_text(out, "\"domain\":");
	out_unsigned(out, e->domain);
	out_text(out, ",\"type\":\"");
	switch (e->kind) {
	case EVENT_BEGIN:
	case EVENT_END:
		out_text(out, e->kind == EVENT_BEGIN ? "begin\",\"phase\":\"" : "end\",\"phase\":\"");
		out_text(out, rtev_phase_name(e->id, name));
		out_char(out, '"');
		break;
	case EVENT_COUNTER:
	case EVENT_LIFECYCLE:
		counter = e->kind == EVENT_COUNTER;
		out_text(out, counter ? "counter\",\"name\":\"" : "lifecycle\",\"event\":\"");
		out_text(out, counter ? rtev_counter_name(e->id, name) : rtev_lifecycle_name(e->id, name));
		out_text(out, counter ? "\",\"value\":" : "\",\"data\":");
		out_signed(out, e->value);
		break;
	case EVENT_ALLOC:
		out_text(out, "alloc\",\"buckets\":[");
		print_buckets(out, e->data);
		out_char(out, ']');
		break;
	case EVENT_UNIT:
	case EVENT_INT:
	case EVENT_SPAN_BEGIN:
	case EVENT_SPAN_END:
	case EVENT_CUSTOM:
		print_json_user(out, e);
		break;
	case EVENT_LOST:
	case EVENT_CORRUPT:
		out_text(out, event_word(e->kind));
		out_text(out, "\",\"words\":");
		out_unsigned(out, (uint64_t)e->value);
		break;
	case EVENT_RESTART:
	case EVENT_KIND_COUNT:
		break;
	}
	out_text(out, "}\n");
}

/* Print the stamp of an event, relative to the first event printed, and its domain. */
static void print_stamp(struct log *log, const struct rtev_event *e)
{
	if (!event_stamped(e->kind)) {
		out_format(log->out, "%17s D%-3u ", "", e->domain);
		return;
	}
	if (log->options.origin == 0)
		log->options.origin = e->ts;
	/* A ring may begin before the first event printed. */
	bool before = e->ts < log->options.origin;
	uint64_t ns = before ? log->options.origin - e->ts : e->ts - log->options.origin;
	out_format(log->out, "%c%6llu.%09llu D%-3u ", before ? '-' : ' ',
	    (unsigned long long)(ns / 1000000000u), (unsigned long long)(ns % 1000000000u), e->domain);
}

static void print_text(struct log *log, const struct rtev_event *e)
{
	struct out *out = log->out;
	char name[RTEV_NAME_SIZE];

	print_stamp(log, e);
	if (log_fibers_print(&log->fibers, out, e)) {
		out_char(out, '\n');
		return;
	}
	out_text(out, event_word(e->kind));
	out_char(out, ' ');
	switch (e->kind) {
	case EVENT_BEGIN:
	case EVENT_END:
		out_text(out, rtev_phase_name(e->id, name));
		break;
	case EVENT_COUNTER:
		out_format(out, "%s %lld", rtev_counter_name(e->id, name), (long long)e->value);
		break;
	case EVENT_ALLOC:
		print_buckets(out, e->data);
		break;
	case EVENT_LIFECYCLE:
		out_format(out, "%s %lld", rtev_lifecycle_name(e->id, name), (long long)e->value);
		break;
	case EVENT_UNIT:
	case EVENT_INT:
	case EVENT_SPAN_BEGIN:
	case EVENT_SPAN_END:
	case EVENT_CUSTOM:
		out_name(out, e->user->name, e->user->name_len);
		if (e->kind == EVENT_INT)
			out_format(out, " %lld", (long long)e->value);
		if (e->kind == EVENT_CUSTOM) {
			out_char(out, ' ');
			out_foreign(out, e->data, e->len);
		}
		break;
	case EVENT_CORRUPT:
		if (e->value == 0) {
			out_text(out, "stamps go back");
			break;
		}
		/* fallthrough */
	case EVENT_LOST:
		out_format(out, "%llu words", (unsigned long long)e->value);
		break;
	case EVENT_RESTART:
		out_text(out, "the ring was begun anew");
		break;
	case EVENT_KIND_COUNT:
		break;
	}
	out_char(out, '\n');
}

static void print_event(struct log *log, const struct rtev_event *e)
{
	if (!log->options.json)
		print_text(log, e);
	else if (e->kind != EVENT_RESTART) /* in JSON the "lost" line before it is enough */
		print_json(log->out, e);
}

/* Make room for words at the end of a queue.  Returns false if memory ran out. */
static bool queue_room(struct queue *q, size_t need)
{
	size_t used = q->words != NULL ? (size_t)(q->writer.at - q->words) : 0;

	/* When half of a full queue is free before the events, move them to the front. */
	if (used + need > q->room && q->first > used - q->first) {
		used -= q->first;
		memmove(q->words, q->words + q->first, used * sizeof(q->words[0]));
		q->first = 0;
	}
	if (!array_room(&q->words, &q->room, used + need, sizeof(q->words[0])))
		return false;
	q->writer.at = q->words + used;
	q->writer.full = q->words + q->room;
	return true;
}

/* The queue of a domain.  Returns NULL if memory ran out. */
static struct queue *queue_of(struct log *log, unsigned domain)
{
	if (!array_reach(&log->heap, &log->heap_room, domain, sizeof(log->heap[0])) ||
	    !array_reach(&log->queues, &log->domains, domain, sizeof(log->queues[0])))
		return NULL;
	log->queues[domain].reader.users = log->users;
	return &log->queues[domain];
}

static bool queue_event(struct log *log, const struct rtev_event *e)
{
	struct queue *q = queue_of(log, e->domain);

	if (q == NULL || !queue_room(q, batch_words(e)))
		return false;
	batch_put(&q->writer, e);
	q->count++;
	log->kept++;
	if (e->user != NULL && e->user != &log->users[e->id])
		log->users[e->id] = *e->user;
	return true;
}

/* Keep an event for a later release. */
static enum rtev_next keep_event(void *ctx, const struct rtev_event *e)
{
	*(struct rtev_event *)ctx = *e;
	return RTEV_STOP;
}

/* Read the event at a place of a queue.  Returns the place after it. */
static const uint64_t *queue_read(
    const struct queue *q, struct batch_reader *r, const uint64_t *at, struct rtev_event *out)
{
	struct event_sink sink = {.take = keep_event, .ctx = out};
	struct batch_delivery d = {.calls = &event_sink_calls, .ctx = &sink, .left = UINT64_MAX};

	return batch_deliver(r, &d, at, q->writer.at);
}

/* Return the sort key of the first event of a queue: the first stamp in the queue, or the key before if that
 * is later.  Losses without any later stamp wait, and are printed last. */
static uint64_t order_of(const struct queue *q)
{
	struct batch_reader look = q->reader;
	struct rtev_event e;

	for (const uint64_t *at = q->words + q->first; at < q->writer.at;) {
		at = queue_read(q, &look, at, &e);
		if (event_stamped(e.kind))
			return e.ts > q->last_order ? e.ts : q->last_order;
	}
	return UINT64_MAX - 1;
}

/* Print and remove the first event of a queue. */
static void queue_print(struct log *log, struct queue *q)
{
	struct rtev_event e;

	q->first = (size_t)(queue_read(q, &q->reader, q->words + q->first, &e) - q->words);
	print_event(log, &e);
	log->kept--;
	if (--q->count == 0) {
		q->first = 0;
		q->writer.at = q->words;
	}
	if (!event_stamped(e.kind))
		return;
	q->last_order = q->order;
	q->order = order_of(q);
}

/* Whether the first event of one domain is printed before that of another. */
static bool goes_before(const struct log *log, unsigned a, unsigned b)
{
	uint64_t left = log->queues[a].order, right = log->queues[b].order;

	return left != right ? left < right : a < b;
}

/* Restore the heap order from `at` downwards. */
static void heap_sink(struct log *log, size_t at, size_t count)
{
	unsigned *heap = log->heap, domain = heap[at];

	for (size_t next; (next = 2 * at + 1) < count; at = next) {
		if (next + 1 < count && goes_before(log, heap[next + 1], heap[next]))
			next++;
		if (!goes_before(log, heap[next], domain))
			break;
		heap[at] = heap[next];
	}
	heap[at] = domain;
}

/* Print in order of time the events before `before`, and while more than `keep` are held, the oldest. */
static void release(struct log *log, uint64_t before, size_t keep)
{
	size_t count = 0;

	for (unsigned d = 0; d < log->domains; d++)
		if (log->queues[d].count > 0) {
			log->queues[d].order = order_of(&log->queues[d]);
			log->heap[count++] = d;
		}
	for (size_t i = count / 2; i-- > 0;)
		heap_sink(log, i, count);
	while (count > 0 && log->out->error == 0) {
		struct queue *q = &log->queues[log->heap[0]];
		if (q->order >= before && log->kept <= keep)
			break;
		queue_print(log, q);
		if (q->count == 0)
			log->heap[0] = log->heap[--count];
		if (count > 0)
			heap_sink(log, 0, count);
	}
}

void log_release(struct log *log, uint64_t before)
{
	release(log, before, SIZE_MAX);
}

enum rtev_next log_take(void *ctx, const struct rtev_event *e)
{
	struct log *log = ctx;

	if (e->kind == EVENT_CORRUPT) {
		log->faults.corrupt_words += (uint64_t)e->value;
		log->faults.falls += e->value == 0;
	}
	if (!log->options.merge) {
		print_event(log, e);
	} else if (!queue_event(log, e)) {
		log->faults.unsorted = true;
		return RTEV_STOP;
	} else if (log->options.most != 0 && log->kept > log->options.most) {
		/* Without a bound, a stamp in the future would hold back all later events. */
		release(log, 0, log->options.most / 2);
	}
	return log->out->error == 0 ? RTEV_CONTINUE : RTEV_STOP;
}
