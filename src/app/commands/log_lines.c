/*
 * log_lines.c - print events, one a line.
 *
 * Every event becomes a struct entry.  An entry is printed at once, or queued for its domain.  The timestamps
 * in a queue never decrease: an entry whose timestamp does is printed as it is, but sorted as the one before
 * it.  So a merge only compares the first entries.
 */
#include "app/commands/log_lines.h"

#include <stdlib.h>
#include <string.h>

/* A line of output. */
struct entry {
	uint64_t ts;
	uint64_t order; /* the sort key */
	union {
		int64_t value;	/* counter, int, lifecycle data; lost words */
		uint64_t bytes; /* offset of a queued payload or of buckets in queue.bytes */
	};
	const struct rtev_user_event *event;
	const void *data; /* payload or buckets, before queueing */
	uint32_t len;
	uint16_t id;
	uint8_t kind; /* enum event_kind */
};

/* The queued entries of a domain. */
struct queue {
	struct entry *entries;
	size_t first, count, room;
	unsigned char *bytes;
	size_t byte_count, byte_room;
	uint64_t last_order;
	size_t stampless; /* entries at the end that get the timestamp of the next one */
};

struct log {
	struct event_sink sink;
	struct out *out;
	struct log_options options;
	struct queue *queues;
	unsigned *heap; /* indices of queues, with room for `domains` */
	unsigned domains;
	size_t kept; /* entries in all queues */
	uint64_t corrupt_words, falls;
	bool out_of_memory;
};

static enum rtev_next on_event(void *ctx, const struct rtev_event *event);

struct log *log_create(struct out *out, const struct log_options *options)
{
	struct log *log = calloc(1, sizeof(*log));

	if (log != NULL) {
		log->sink = (struct event_sink){.take = on_event, .ctx = log};
		log->out = out;
		log->options = *options;
	}
	return log;
}

void log_destroy(struct log *log)
{
	if (log == NULL)
		return;
	for (unsigned d = 0; d < log->domains; d++) {
		free(log->queues[d].entries);
		free(log->queues[d].bytes);
	}
	free(log->queues);
	free(log->heap);
	free(log);
}

uint64_t log_corrupt_words(const struct log *log)
{
	return log->corrupt_words;
}

uint64_t log_falls(const struct log *log)
{
	return log->falls;
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
static void print_json_user(struct out *out, const struct entry *e)
{
	out_text(out, "user\",\"name\":");
	out_json_string(out, e->event->name, e->event->name_len);
	out_text(out, ",\"kind\":\"");
	out_text(out, event_word((enum event_kind)e->kind));
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

static void print_json(struct out *out, unsigned domain, const struct entry *e)
{
	char name[RTEV_NAME_SIZE];

	out_char(out, '{');
	if (event_stamped((enum event_kind)e->kind)) {
		out_text(out, "\"ts\":");
		out_unsigned(out, e->ts);
		out_char(out, ',');
	}
	out_text(out, "\"domain\":");
	out_unsigned(out, domain);
	out_text(out, ",\"type\":\"");
	switch ((enum event_kind)e->kind) {
	case EVENT_BEGIN:
	case EVENT_END:
		out_text(out, e->kind == EVENT_BEGIN ? "begin\",\"phase\":\"" : "end\",\"phase\":\"");
		out_text(out, rtev_phase_name(e->id, name));
		out_char(out, '"');
		break;
	case EVENT_COUNTER:
		out_text(out, "counter\",\"name\":\"");
		out_text(out, rtev_counter_name(e->id, name));
		out_text(out, "\",\"value\":");
		out_signed(out, e->value);
		break;
	case EVENT_ALLOC:
		out_text(out, "alloc\",\"buckets\":[");
		print_buckets(out, e->data);
		out_char(out, ']');
		break;
	case EVENT_LIFECYCLE:
		out_text(out, "lifecycle\",\"event\":\"");
		out_text(out, rtev_lifecycle_name(e->id, name));
		out_text(out, "\",\"data\":");
		out_signed(out, e->value);
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
		out_text(out, event_word((enum event_kind)e->kind));
		out_text(out, "\",\"words\":");
		out_unsigned(out, (uint64_t)e->value);
		break;
	case EVENT_RESTART:
	case EVENT_KIND_COUNT:
		break;
	}
	out_text(out, "}\n");
}

static void print_text(struct log *log, unsigned domain, const struct entry *e)
{
	struct out *out = log->out;
	char name[RTEV_NAME_SIZE];

	if (event_stamped((enum event_kind)e->kind)) {
		if (log->options.origin == 0)
			log->options.origin = e->ts;
		/* A ring may begin before the first event printed. */
		bool before = e->ts < log->options.origin;
		uint64_t ns = before ? log->options.origin - e->ts : e->ts - log->options.origin;
		out_format(out, "%c%6llu.%09llu D%-3u ", before ? '-' : ' ',
		    (unsigned long long)(ns / 1000000000u), (unsigned long long)(ns % 1000000000u), domain);
	} else {
		out_format(out, "%17s D%-3u ", "", domain);
	}
	out_text(out, event_word((enum event_kind)e->kind));
	out_char(out, ' ');
	switch ((enum event_kind)e->kind) {
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
		out_name(out, e->event->name, e->event->name_len);
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

static void print_entry(struct log *log, unsigned domain, const struct entry *e)
{
	if (!log->options.json)
		print_text(log, domain, e);
	else if (e->kind != EVENT_RESTART) /* in JSON the lost line before it says all */
		print_json(log->out, domain, e);
}

/* Make room for `more` at the end of an array, at least 1, by doubling.  Returns the array, which may have
 * moved, or NULL if memory ran out: the old one stays. */
static void *make_room(void *array, size_t *room, size_t count, size_t more, size_t size)
{
	if (count + more <= *room)
		return array;
	size_t want = *room != 0 ? *room : 64;
	while (want < count + more)
		want *= 2;
	void *got = reallocarray(array, want, size);
	if (got != NULL)
		*room = want;
	return got;
}

/* Make room for an entry and its data.  Returns false if memory ran out. */
static bool queue_room(struct queue *q, size_t len)
{
	void *entries = make_room(q->entries, &q->room, q->first + q->count, 1, sizeof(q->entries[0]));

	if (entries != NULL)
		q->entries = entries;
	void *bytes = len > 0 ? make_room(q->bytes, &q->byte_room, q->byte_count, len, 1) : NULL;
	if (bytes != NULL)
		q->bytes = bytes;
	return entries != NULL && (bytes != NULL || len == 0);
}

/* The queue of a domain.  Returns NULL if memory ran out. */
static struct queue *queue_of(struct log *log, unsigned domain)
{
	if (domain >= log->domains) {
		struct queue *got = reallocarray(log->queues, domain + 1, sizeof(*got));
		if (got != NULL)
			log->queues = got;
		unsigned *heap = reallocarray(log->heap, domain + 1, sizeof(*heap));
		if (heap != NULL)
			log->heap = heap;
		if (got == NULL || heap == NULL)
			return NULL;
		memset(got + log->domains, 0, (domain + 1 - log->domains) * sizeof(*got));
		log->domains = domain + 1;
	}
	return &log->queues[domain];
}

/* Move the entries to the front of the arrays once half of the space is before them. */
static void queue_compact(struct queue *q)
{
	if (q->first == 0 || q->first < q->count)
		return;
	memmove(q->entries, q->entries + q->first, q->count * sizeof(q->entries[0]));
	q->first = 0;
	size_t gone = q->byte_count;
	for (size_t i = 0; i < q->count; i++)
		if (q->entries[i].data != NULL && q->entries[i].bytes < gone)
			gone = q->entries[i].bytes;
	if (gone < q->byte_count)
		memmove(q->bytes, q->bytes + gone, q->byte_count - gone);
	q->byte_count -= gone;
	for (size_t i = 0; i < q->count; i++)
		if (q->entries[i].data != NULL)
			q->entries[i].bytes -= gone;
}

/* Queue an entry.  Returns false if memory ran out. */
static bool queue_entry(struct log *log, unsigned domain, const struct entry *e)
{
	struct queue *q = queue_of(log, domain);

	if (q != NULL && q->first + q->count == q->room && q->room != 0)
		queue_compact(q);
	if (q == NULL || !queue_room(q, e->len))
		return false;
	struct entry *kept = &q->entries[q->first + q->count++];
	log->kept++;
	*kept = *e;
	kept->data = e->len > 0 ? e->data : NULL;
	if (kept->data != NULL) {
		kept->bytes = q->byte_count;
		memcpy(q->bytes + q->byte_count, e->data, e->len);
		q->byte_count += e->len;
	}
	if (!event_stamped((enum event_kind)e->kind)) {
		q->stampless++;
		return true;
	}
	if (e->ts > q->last_order)
		q->last_order = e->ts;
	for (size_t i = 0; i <= q->stampless; i++)
		q->entries[q->first + q->count - 1 - i].order = q->last_order;
	q->stampless = 0;
	return true;
}

/* Print and remove the first entry of a queue. */
static void queue_print(struct log *log, unsigned domain)
{
	struct queue *q = &log->queues[domain];
	struct entry *e = &q->entries[q->first];

	if (e->data != NULL)
		e->data = q->bytes + e->bytes;
	print_entry(log, domain, e);
	q->first++;
	log->kept--;
	if (--q->count == 0)
		q->first = q->byte_count = 0;
}

/* The sort key of the first entry of a non-empty queue.  Losses that no entry follows yet wait, and come last
 * at the end. */
static uint64_t queue_order(const struct queue *q)
{
	return q->count == q->stampless ? UINT64_MAX - 1 : q->entries[q->first].order;
}

/* Whether the first entry of one domain is printed before that of another. */
static bool goes_before(const struct log *log, unsigned a, unsigned b)
{
	uint64_t left = queue_order(&log->queues[a]), right = queue_order(&log->queues[b]);

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

/* Print in order of time the entries before `before`, and the oldest of those in excess of `keep`. */
static void release(struct log *log, uint64_t before, size_t keep)
{
	size_t count = 0;

	for (unsigned d = 0; d < log->domains; d++)
		if (log->queues[d].count > 0)
			log->heap[count++] = d;
	for (size_t i = count / 2; i-- > 0;)
		heap_sink(log, i, count);
	while (count > 0 && log->out->error == 0) {
		struct queue *q = &log->queues[log->heap[0]];
		if (queue_order(q) >= before && log->kept <= keep)
			break;
		queue_print(log, log->heap[0]);
		if (q->stampless > q->count)
			q->stampless = q->count;
		if (q->count == 0)
			log->heap[0] = log->heap[--count];
		if (count > 0)
			heap_sink(log, 0, count);
	}
}

bool log_release(struct log *log, uint64_t before)
{
	release(log, before, SIZE_MAX);
	return !log->out_of_memory;
}

/* Print or queue an entry. */
static enum rtev_next take(struct log *log, unsigned domain, const struct entry *e)
{
	if (!log->options.merge) {
		print_entry(log, domain, e);
	} else if (!queue_entry(log, domain, e)) {
		log->out_of_memory = true;
		return RTEV_STOP;
	} else if (log->options.most != 0 && log->kept > log->options.most) {
		/* Timestamps in the future would hold back all that follows without limit. */
		release(log, 0, log->options.most / 2);
	}
	return log->out->error == 0 ? RTEV_CONTINUE : RTEV_STOP;
}

static enum rtev_next on_event(void *ctx, const struct rtev_event *event)
{
	struct log *log = ctx;

	if (event->kind == EVENT_CORRUPT) {
		log->corrupt_words += (uint64_t)event->value;
		log->falls += event->value == 0;
	}
	return take(log, event->domain,
	    &(struct entry){.ts = event->ts,
		.value = event->value,
		.event = event->user,
		.data = event->data,
		.len = (uint32_t)event->len,
		.id = event->id,
		.kind = (uint8_t)event->kind});
}

struct event_sink *log_sink(struct log *log)
{
	return &log->sink;
}
