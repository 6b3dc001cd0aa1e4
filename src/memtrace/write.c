/*
 * write.c - write the events of one domain.
 *
 * Before the writer adds an event, it flushes the packet if the event might not fit, if more than PENDING_MAX
 * locations are pending, if the packet is more than 30 seconds old, or if the chunk of object ids is used up.
 */
#include <unistd.h>

#include "core/array.h"
#include "core/sized.h"
#include "memtrace/write.h"

enum { IDS_PER_CHUNK = 10000 };

/* Create a destination with one reference.  It writes to the sink, or to the descriptor when `sink` is NULL. */
static int mt_destination_create(struct mt_destination **out, const struct rtev_memtrace_sink *sink, int fd,
    const struct rtev_memtrace_writer_options *given)
{
	struct rtev_memtrace_writer_options options = {.size = sizeof(options)};

	struct rtev_memtrace_sink known = {0};
	if (!sized_take(&options, sizeof(options), given) || !sized_take(&known, sizeof(known), sink) ||
	    (sink != NULL && known.write == NULL))
		return RTEV_E_INVALID;
	struct mt_destination *destination = calloc(1, sizeof(*destination));
	if (destination == NULL)
		return RTEV_E_NOMEM;
	if (pthread_mutex_init(&destination->lock, NULL) != 0) {
		free(destination);
		return RTEV_E_NOMEM;
	}
	destination->sink = known;
	destination->fd = fd;
	destination->ctx = options.ctx;
	destination->locate = options.locate;
	destination->getpid = options.getpid;
	destination->ids_per_chunk = options.ids_per_chunk != 0 ? options.ids_per_chunk : IDS_PER_CHUNK;
	destination->references = 1;
	*out = destination;
	return RTEV_OK;
}

static void mt_destination_hold(struct mt_destination *destination)
{
	pthread_mutex_lock(&destination->lock);
	destination->references++;
	pthread_mutex_unlock(&destination->lock);
}

/* Drop a reference, and free the destination with the last one. */
static void mt_destination_release(struct mt_destination *destination)
{
	pthread_mutex_lock(&destination->lock);
	bool last = --destination->references == 0;
	pthread_mutex_unlock(&destination->lock);
	if (!last)
		return;
	pthread_mutex_destroy(&destination->lock);
	free(destination);
}

/* Reserve a chunk of object ids.  Returns the first one. */
static int64_t mt_destination_take_ids(struct mt_destination *destination)
{
	pthread_mutex_lock(&destination->lock);
	int64_t first = destination->next_id;
	destination->next_id += destination->ids_per_chunk;
	pthread_mutex_unlock(&destination->lock);
	return first;
}

/* Write a packet to a descriptor; repeat after short writes. */
static int write_fd(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, data, size);
		if (n == 0 || (n < 0 && errno != EINTR))
			return RTEV_E_IO;
		if (n > 0) {
			data += n;
			size -= (size_t)n;
		}
	}
	return RTEV_OK;
}

/* Write a packet.  Nothing is written after a failure, because a reader could not find the next packet. */
static int mt_destination_write(struct mt_destination *destination, const void *data, size_t size)
{
	pthread_mutex_lock(&destination->lock);
	if (destination->status == RTEV_OK)
		destination->status = destination->fd >= 0
					  ? write_fd(destination->fd, data, size)
					  : destination->sink.write(destination->sink.ctx, data, size);
	int status = destination->status;
	pthread_mutex_unlock(&destination->lock);
	return status;
}

/* ---- the writer ---- */

enum {
	EVENT_MAX = 100 + 4096, /* room that must be left for an event */
	PENDING_MAX = 128,
	PACKET_TIME_MAX = 30 * 1000000, /* microseconds */
	SHORT_LENGTH_MAX = 16,
	SIZE_BYTES = 2, /* in front of a pending event: its size */
	SHORT_CODES_MAX = 255,
	/* flush_locations adds an event while more than MT_LOCATION_BYTES are left.  The event's body can
	 * take all of them, and its head 4 bytes more. */
	LOCATION_PACKET_MAX = MT_PACKET_MAX + 4
};

/* Take a chunk of object ids if none is left, and set the first id of the packet. */
static void begin_ids(struct rtev_memtrace_writer *writer)
{
	if (writer->id_next == writer->id_last) {
		writer->id_next = mt_destination_take_ids(writer->destination);
		writer->id_last = writer->id_next + writer->destination->ids_per_chunk;
	}
	writer->id_start = writer->id_next;
}

/* Allocate a writer with an empty packet.  It takes over a reference to the destination. */
static struct rtev_memtrace_writer *create(
    struct mt_destination *destination, uint16_t domain, int64_t start_time)
{
	struct rtev_memtrace_writer *writer = malloc(sizeof(*writer));

	if (writer == NULL)
		return NULL;
	memset(writer, 0, offsetof(struct rtev_memtrace_writer, packet));
	memset(&writer->places, 0, sizeof(writer->places));
	mt_encoder_init(&writer->encoder);
	writer->destination = destination;
	writer->domain = domain;
	writer->time_start = writer->time_end = start_time;
	writer->verifier.bucket = MT_NO_VERIFIER;
	writer->size = MT_HEADER_SIZE;
	begin_ids(writer);
	return writer;
}

/* Write a string with its NUL; NULL counts as "".  Returns NULL when it does not fit or p is NULL. */
static uint8_t *put_text(uint8_t *p, const uint8_t *end, const char *text)
{
	size_t size = text == NULL ? 1 : strlen(text) + 1;

	if (p == NULL || size > (size_t)(end - p))
		return NULL;
	memcpy(p, text == NULL ? "" : text, size);
	return p + size;
}

/* Write the trace info packet, the first packet of a trace. */
static int put_info(struct rtev_memtrace_writer *writer, const struct rtev_memtrace_info *info)
{
	struct mt_header header = {.time_begin = info->start_time,
	    .time_end = info->start_time,
	    .pid = writer->destination->pid,
	    .domain = info->initial_domain,
	    .verifier.bucket = MT_NO_VERIFIER};
	uint8_t *p = writer->packet + MT_HEADER_SIZE;
	const uint8_t *end = writer->packet + sizeof(writer->packet);
	uint64_t rate;

	memcpy(&rate, &info->sample_rate, sizeof(rate));
	mt_store_32(p, (uint32_t)info->start_time & MT_TIME_MASK);
	mt_store_64(p + 4, rate);
	p[12] = (uint8_t)info->word_size;
	p = put_text(p + 13, end, info->executable_name);
	p = put_text(p, end, info->host_name);
	p = put_text(p, end, info->ocaml_runtime_params);
	if (p == NULL || end - p < 8)
		return RTEV_E_INVALID;
	mt_store_64(p, (uint64_t)info->pid);
	p = put_text(p + 8, end, info->context);
	if (p == NULL)
		return RTEV_E_INVALID;
	size_t size = (size_t)(p - writer->packet);
	header.bits = (int32_t)(size * 8);
	mt_header_write(writer->packet, &header);
	return mt_destination_write(writer->destination, writer->packet, size);
}

/* Begin a trace on a sink, or on a descriptor when `sink` is NULL. */
static int begin_trace(struct rtev_memtrace_writer **out, const struct rtev_memtrace_sink *sink, int fd,
    const struct rtev_memtrace_info *given, const struct rtev_memtrace_writer_options *options)
{
	struct mt_destination *destination;
	struct rtev_memtrace_info room;
	const struct rtev_memtrace_info *info = sized_view(&room, sizeof(room), given);

	*out = NULL;
	if (info == NULL)
		return RTEV_E_INVALID;
	int status = mt_destination_create(&destination, sink, fd, options);
	if (status != RTEV_OK)
		return status;
	destination->pid = destination->getpid != NULL ? destination->getpid(destination->ctx) : info->pid;
	struct rtev_memtrace_writer *writer = create(destination, info->initial_domain, info->start_time);
	if (writer == NULL) {
		mt_destination_release(destination);
		return RTEV_E_NOMEM;
	}
	status = put_info(writer, info);
	if (status == RTEV_OK)
		*out = writer;
	else
		rtev_memtrace_writer_destroy(writer);
	return status;
}

int rtev_memtrace_writer_create(struct rtev_memtrace_writer **out, const struct rtev_memtrace_sink *sink,
    const struct rtev_memtrace_info *info, const struct rtev_memtrace_writer_options *options)
{
	return begin_trace(out, sink, -1, info, options);
}

int rtev_memtrace_writer_create_fd(struct rtev_memtrace_writer **out, int fd,
    const struct rtev_memtrace_info *info, const struct rtev_memtrace_writer_options *options)
{
	*out = NULL;
	if (fd < 0)
		return RTEV_E_INVALID;
	return begin_trace(out, NULL, fd, info, options);
}

int rtev_memtrace_writer_for_domain_at(struct rtev_memtrace_writer **out, struct rtev_memtrace_writer *parent,
    uint16_t domain, int64_t start_time)
{
	*out = create(parent->destination, domain, start_time);
	if (*out == NULL)
		return RTEV_E_NOMEM;
	mt_destination_hold(parent->destination);
	return RTEV_OK;
}

int rtev_memtrace_writer_for_domain(
    struct rtev_memtrace_writer **out, struct rtev_memtrace_writer *parent, uint16_t domain)
{
	return rtev_memtrace_writer_for_domain_at(out, parent, domain, parent->time_end);
}

void rtev_memtrace_writer_destroy(struct rtev_memtrace_writer *writer)
{
	if (writer == NULL)
		return;
	mt_destination_release(writer->destination);
	mt_places_fini(&writer->places);
	free(writer->pending);
	free(writer->last);
	free(writer);
}

/* Fill in the header of a packet whose content is complete, and write the packet out. */
static int put_packet(
    struct rtev_memtrace_writer *writer, uint8_t *packet, size_t size, struct mt_header *header)
{
	header->pid = writer->destination->pid;
	header->domain = writer->domain;
	header->bits = (int32_t)(size * 8);
	header->time_begin = writer->time_start;
	header->id_begin = writer->id_start;
	mt_header_write(packet, header);
	return mt_destination_write(writer->destination, packet, size);
}

/* Write the pending locations in as many packets as needed. */
static int flush_locations(struct rtev_memtrace_writer *writer)
{
	uint8_t packet[LOCATION_PACKET_MAX];

	for (const uint8_t *next = writer->pending; writer->pending_count > 0;) {
		size_t size = MT_HEADER_SIZE;
		while (writer->pending_count > 0 && size < MT_PACKET_MAX - MT_LOCATION_BYTES) {
			size_t event = mt_load_16(next);
			memcpy(packet + size, next + SIZE_BYTES, event);
			next += SIZE_BYTES + event;
			size += event;
			writer->pending_count--;
		}
		struct mt_header header = {.time_end = writer->time_start,
		    .id_end = writer->id_start,
		    .verifier.bucket = MT_NO_VERIFIER};
		int status = put_packet(writer, packet, size, &header);
		if (status != RTEV_OK)
			return status;
	}
	writer->pending_size = 0;
	return RTEV_OK;
}

/* Flush, and begin a new packet that starts at the time `now`. */
static int flush_at(struct rtev_memtrace_writer *writer, int64_t now)
{
	struct mt_destination *destination = writer->destination;
	struct mt_header header = {
	    .time_end = writer->time_end, .id_end = writer->id_next, .verifier = writer->verifier};

	if (destination->getpid != NULL && destination->getpid(destination->ctx) != destination->pid)
		return RTEV_E_MEMTRACE_PID_CHANGED;
	if (writer->status != RTEV_OK)
		return writer->status;
	int status = flush_locations(writer);
	if (status == RTEV_OK)
		status = put_packet(writer, writer->packet, writer->size, &header);
	if (status != RTEV_OK)
		return status;
	writer->time_start = writer->time_end = now;
	writer->size = MT_HEADER_SIZE;
	begin_ids(writer);
	writer->verifier = mt_encoder_verifier(&writer->encoder);
	return RTEV_OK;
}

int rtev_memtrace_writer_flush(struct rtev_memtrace_writer *writer)
{
	return flush_at(writer, writer->time_end);
}

void mt_writer_restart(struct rtev_memtrace_writer *writer, int64_t time, int64_t id, int64_t last)
{
	writer->time_start = writer->time_end = time;
	writer->id_start = writer->id_next = id;
	writer->id_last = last;
}

/* Flush if that is due, then write the head of an event. */
static int begin_event(struct rtev_memtrace_writer *writer, unsigned code, int64_t now)
{
	int64_t age = (int64_t)((uint64_t)now - (uint64_t)writer->time_start);

	if (sizeof(writer->packet) - writer->size < EVENT_MAX || writer->pending_count > PENDING_MAX ||
	    age > PACKET_TIME_MAX || writer->id_next == writer->id_last) {
		int status = flush_at(writer, now);
		if (status != RTEV_OK)
			return status;
	}
	writer->time_end = now;
	mt_store_32(writer->packet + writer->size, code << MT_TIME_BITS | ((uint32_t)now & MT_TIME_MASK));
	writer->size += 4;
	return RTEV_OK;
}

static uint8_t *put_vint(uint8_t *p, int64_t value)
{
	if (value >= 0 && value < 253) {
		*p = (uint8_t)value;
		return p + 1;
	}
	if (value >= 0 && value <= UINT16_MAX) {
		*p = 253;
		mt_store_16(p + 1, (uint16_t)value);
		return p + 3;
	}
	if (value >= INT32_MIN && value <= INT32_MAX) {
		*p = 254;
		mt_store_32(p + 1, (uint32_t)value);
		return p + 5;
	}
	*p = 255;
	mt_store_64(p + 1, (uint64_t)value);
	return p + 9;
}

/* The encoder's callback for a code missing from the cache: add its location event to `pending`. */
static void add_location(void *ctx, size_t index)
{
	struct rtev_memtrace_writer *writer = ctx;
	enum { MOST = SIZE_BYTES + 4 + MT_LOCATION_BYTES };
	const struct mt_destination *destination = writer->destination;
	const struct rtev_memtrace_location *list = NULL;
	int64_t code = writer->alloc->backtrace[index];
	size_t count =
	    destination->locate == NULL ? 0 : destination->locate(destination->ctx, code, index, &list);

	if (!array_room(&writer->pending, &writer->pending_capacity, writer->pending_size + MOST, 1)) {
		writer->status = RTEV_E_NOMEM;
		return;
	}
	uint8_t *event = writer->pending + writer->pending_size + SIZE_BYTES;
	mt_store_32(event,
	    (uint32_t)MT_EVENT_LOCATION << MT_TIME_BITS | ((uint32_t)writer->time_start & MT_TIME_MASK));
	const uint8_t *end = mt_places_put(&writer->places, event + 4, code, list, count);
	if (end == NULL) {
		writer->status = RTEV_E_NOMEM;
		return;
	}
	size_t size = (size_t)(end - event);
	mt_store_16(event - SIZE_BYTES, (uint16_t)size);
	writer->pending_count++;
	writer->pending_size += SIZE_BYTES + size;
}

/* Store a backtrace as the previous one.  *common is the number of outermost codes that it shares with the
 * one stored before. */
static int keep_backtrace(
    struct rtev_memtrace_writer *writer, const int64_t *codes, size_t depth, size_t *common)
{
	size_t shared = 0, most = depth < writer->last_depth ? depth : writer->last_depth;

	while (shared < most && codes[shared] == writer->last[shared])
		shared++;
	if (!array_room(&writer->last, &writer->last_capacity, depth, sizeof(*writer->last)))
		return RTEV_E_NOMEM;
	if (depth > shared)
		memcpy(writer->last + shared, codes + shared, (depth - shared) * sizeof(*codes));
	writer->last_depth = depth;
	*common = shared;
	return RTEV_OK;
}

/* Convert an alloc event of the short form, which ends at p, to the long form.  Its length and its samples are
 * small enough for a one-byte vint each.  `count` is its word count.  Returns the byte after the event. */
static uint8_t *lengthen(
    uint8_t *event, uint8_t *count, uint8_t *p, const struct rtev_memtrace_alloc *alloc, size_t words)
{
	uint8_t *fields = event + 4;

	memmove(count + 5, count + 1, (size_t)(p - count - 1));
	mt_store_16(count + 3, (uint16_t)words);
	memmove(fields + 3, fields, (size_t)(count - fields));
	mt_store_32(event, (uint32_t)MT_EVENT_ALLOC << MT_TIME_BITS | (mt_load_32(event) & MT_TIME_MASK));
	fields[0] = (uint8_t)alloc->length;
	fields[1] = (uint8_t)alloc->samples;
	fields[2] = (uint8_t)alloc->source;
	return p + 4;
}

/* Write an alloc event with a common prefix of `common` codes, then the codes `from` to `to` - 1 of its
 * backtrace. */
static int put_codes(struct rtev_memtrace_writer *writer, int64_t time,
    const struct rtev_memtrace_alloc *alloc, bool brief, int64_t common, size_t from, size_t to)
{
	struct mt_miss miss = {add_location, writer};
	size_t words;
	int status =
	    begin_event(writer, brief ? MT_EVENT_SHORT + (unsigned)alloc->length : MT_EVENT_ALLOC, time);

	if (status != RTEV_OK)
		return status;
	int64_t id = writer->id_next++;
	uint8_t *p = writer->packet + writer->size, *event = p - 4;
	if (!brief) {
		p = put_vint(p, alloc->length);
		p = put_vint(p, alloc->samples);
		*p++ = (uint8_t)alloc->source;
	}
	p = put_vint(p, common);
	uint8_t *count = p;
	p += brief ? 1 : 2;
	writer->alloc = alloc;
	p = mt_encoder_put(&writer->encoder, p, alloc->backtrace, from, to, id, &miss, &words);
	if (!brief)
		mt_store_16(count, (uint16_t)words);
	else if (words <= UINT8_MAX)
		*count = (uint8_t)words;
	else /* another trace's writer predicted more codes and needed fewer words */
		p = lengthen(event, count, p, alloc, words);
	writer->size = (size_t)(p - writer->packet);
	return writer->status;
}

int rtev_memtrace_put_alloc(struct rtev_memtrace_writer *writer, int64_t time,
    const struct rtev_memtrace_alloc *given, int64_t *object)
{
	struct rtev_memtrace_alloc room;
	const struct rtev_memtrace_alloc *alloc = sized_view(&room, sizeof(room), given);
	if (alloc == NULL)
		return RTEV_E_INVALID;
	size_t depth = alloc->depth - (alloc->dropped < alloc->depth ? alloc->dropped : alloc->depth);
	size_t common;

	if (writer->status != RTEV_OK)
		return writer->status;
	if (time < writer->time_end)
		return RTEV_E_MEMTRACE_ORDER;
	if ((unsigned)alloc->source > RTEV_MEMTRACE_EXTERNAL)
		return RTEV_E_MEMTRACE_SOURCE;
	int status = keep_backtrace(writer, alloc->backtrace, depth, &common);
	if (status != RTEV_OK)
		return status;
	/* Count the dropped codes too, so that `dropped` does not affect the choice of the form. */
	bool brief = alloc->length >= 1 && alloc->length <= SHORT_LENGTH_MAX &&
		     alloc->source == RTEV_MEMTRACE_MINOR && alloc->samples == 1 &&
		     alloc->depth - common <= SHORT_CODES_MAX;
	status = put_codes(writer, time, alloc, brief, (int64_t)common, common, depth);
	if (status == RTEV_OK && object != NULL)
		*object = writer->id_next - 1;
	return status;
}

int mt_writer_put_raw(struct rtev_memtrace_writer *writer, int64_t time,
    const struct rtev_memtrace_alloc *alloc, bool brief, int64_t common)
{
	return put_codes(writer, time, alloc, brief, common, 0, alloc->depth);
}

/* The distance from an object's id to the last id used by the writer; negative for an id not used yet. */
static int64_t behind(const struct rtev_memtrace_writer *writer, int64_t object)
{
	return mt_word((uint64_t)writer->id_next - 1 - (uint64_t)object);
}

/* Write a promote or collect event. */
static int put_fate(struct rtev_memtrace_writer *writer, unsigned code, int64_t time, int64_t object)
{
	if (writer->status != RTEV_OK)
		return writer->status;
	if (time < writer->time_end)
		return RTEV_E_MEMTRACE_ORDER;
	int status = RTEV_OK;
	if (code == MT_EVENT_PROMOTE && behind(writer, object) < 0) {
		/* When the ids are used up, the event begins a packet with new ids: take them before the
		 * check. */
		if (writer->id_next == writer->id_last)
			status = flush_at(writer, time);
		if (status == RTEV_OK && behind(writer, object) < 0)
			status = RTEV_E_MEMTRACE_PROMOTE_ID;
	}
	if (status == RTEV_OK)
		status = begin_event(writer, code, time);
	if (status != RTEV_OK)
		return status;
	uint8_t *p = writer->packet + writer->size;
	p = put_vint(p, behind(writer, object));
	writer->size = (size_t)(p - writer->packet);
	return RTEV_OK;
}

int rtev_memtrace_put_promote(struct rtev_memtrace_writer *writer, int64_t time, int64_t object)
{
	return put_fate(writer, MT_EVENT_PROMOTE, time, object);
}

int rtev_memtrace_put_collect(struct rtev_memtrace_writer *writer, int64_t time, int64_t object)
{
	return put_fate(writer, MT_EVENT_COLLECT, time, object);
}

int rtev_memtrace_put_event(
    struct rtev_memtrace_writer *writer, int64_t time, const struct rtev_memtrace_event *given)
{
	struct rtev_memtrace_event room;
	const struct rtev_memtrace_event *event = sized_view(&room, sizeof(room), given);
	if (event == NULL || event->domain != writer->domain)
		return RTEV_E_INVALID;
	if (event->kind == RTEV_MEMTRACE_PROMOTE)
		return rtev_memtrace_put_promote(writer, time, event->object);
	if (event->kind == RTEV_MEMTRACE_COLLECT)
		return rtev_memtrace_put_collect(writer, time, event->object);
	struct rtev_memtrace_alloc alloc = {.size = sizeof(alloc),
	    .length = event->length,
	    .samples = event->samples,
	    .source = event->source,
	    .backtrace = event->backtrace,
	    .depth = event->depth};
	int64_t id;
	int status = rtev_memtrace_put_alloc(writer, time, &alloc, &id);
	if (status == RTEV_OK && id != event->object)
		return RTEV_E_MEMTRACE_ALLOC_ID;
	return status;
}

int64_t rtev_memtrace_writer_next_id(const struct rtev_memtrace_writer *writer)
{
	return writer->id_next;
}

uint16_t rtev_memtrace_writer_domain(const struct rtev_memtrace_writer *writer)
{
	return writer->domain;
}
