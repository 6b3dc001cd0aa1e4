/*
 * read.c - read the packets of a trace.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "memtrace/read.h"

/* Check whether a file is now shorter than the part already read. */
static bool was_cut(const struct mt_source *source)
{
	struct stat st;

	return source->seeks && fstat(source->fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       (uint64_t)st.st_size < source->start + source->base + source->size;
}

/* Append the data of one read to the buffer.  *n is 0 when there is no more data now. */
static int read_more(struct mt_source *source, size_t *n)
{
	uint8_t *place = source->buffer + source->size;
	size_t room = MT_SOURCE_WINDOW - source->size;
	ssize_t got;

	do {
		got = source->seeks ? pread(source->fd, place, room,
					  (off_t)(source->start + source->base + source->size))
				    : read(source->fd, place, room);
	} while (got < 0 && errno == EINTR);
	*n = 0;
	if (got < 0) /* EAGAIN: a pipe without data */
		return errno == EAGAIN ? RTEV_OK : RTEV_E_IO;
	if (got == 0 && was_cut(source))
		return RTEV_E_MEMTRACE_CHANGED;
	*n = (size_t)got;
	source->size += *n;
	return RTEV_OK;
}

int mt_source_need(struct mt_source *source, size_t want, size_t *got)
{
	size_t n = 1;

	if (source->size - source->at < want && source->buffer != NULL) {
		/* Move the window to the front of the buffer, so that `want` bytes fit. */
		memmove(source->buffer, source->buffer + source->at, source->size - source->at);
		source->base += source->at;
		source->size -= source->at;
		source->at = 0;
		while (source->size < want && n > 0) {
			int status = read_more(source, &n);
			if (status != RTEV_OK)
				return status;
		}
	}
	*got = source->size - source->at;
	return RTEV_OK;
}

/* Record a failure, described by the status's text. */
static int note_fault(struct rtev_memtrace_reader *reader, int status, uint64_t offset)
{
	reader->fault.status = status;
	reader->fault.offset = offset;
	snprintf(reader->fault.what, sizeof(reader->fault.what), "%s", rtev_strerror(status));
	return status;
}

int mt_reader_fail(struct rtev_memtrace_reader *reader, int status, uint64_t offset)
{
	reader->failed = true;
	reader->at = reader->end;
	return note_fault(reader, status, offset);
}

int mt_reader_fail_at(
    struct rtev_memtrace_reader *reader, int status, const uint8_t *p, const char *format, ...)
{
	va_list args;

	reader->failed = true;
	reader->at = reader->end;
	reader->fault.status = status;
	reader->fault.offset = reader->packet.offset + (uint64_t)(p - reader->packet_data);
	va_start(args, format);
	vsnprintf(reader->fault.what, sizeof(reader->fault.what), format, args);
	va_end(args);
	return status;
}

/* Call the user's notice callback. */
static void tell(struct rtev_memtrace_reader *reader, enum rtev_memtrace_notice_kind kind,
    const struct mt_header *header, uint64_t missing)
{
	struct rtev_memtrace_notice notice = {.kind = kind,
	    .offset = mt_reader_offset(reader),
	    .pid = header->pid,
	    .version = header->version,
	    .missing = missing};

	if (reader->notice != NULL)
		reader->notice(reader->ctx, &notice);
}

int mt_reader_refuse(
    struct rtev_memtrace_reader *reader, int status, const struct mt_header *header, unsigned at)
{
	mt_reader_fail(reader, status, mt_reader_offset(reader) + at);
	if (status == RTEV_E_MEMTRACE_VERSION) {
		snprintf(reader->fault.what, sizeof(reader->fault.what),
		    "trace format version %u, newer than %d", header->version, MT_VERSION);
		tell(reader, RTEV_MEMTRACE_UNKNOWN, header, 0);
	}
	return status;
}

void mt_reader_clock_back(struct rtev_memtrace_reader *reader)
{
	const struct mt_header header = {
	    .pid = reader->info.pid, .version = (uint16_t)reader->packet.version};

	if (!reader->told_back)
		tell(reader, RTEV_MEMTRACE_CLOCK_BACK, &header, 0);
	reader->told_back = true;
}

/* Return the state of a domain; create it on first use.  NULL when memory runs out. */
static struct mt_domain *get_domain(struct rtev_memtrace_reader *reader, uint16_t id)
{
	void **place = mt_domains_at(&reader->domains, id);

	if (place == NULL)
		return NULL;
	if (*place == NULL) {
		struct mt_domain *domain = calloc(1, sizeof(*domain));
		if (domain != NULL)
			domain->last_time = reader->info.start_time;
		*place = domain;
	}
	return *place;
}

/* Make the decoder of a domain if it has none.  A trace that names many domains must not take all memory. */
static int decoder_make(struct rtev_memtrace_reader *reader, struct mt_domain *domain)
{
	if (domain->trace != NULL)
		return RTEV_OK;
	if (reader->decoders == MT_DECODERS_MAX)
		return RTEV_E_MEMTRACE_DOMAINS;
	domain->trace = calloc(1, sizeof(*domain->trace));
	if (domain->trace == NULL)
		return RTEV_E_NOMEM;
	reader->decoders++;
	return RTEV_OK;
}

/* Return b - a, but at most `limit`.  b is not less than a. */
static uint32_t span_between(int64_t a, int64_t b, uint32_t limit)
{
	uint64_t span = (uint64_t)b - (uint64_t)a;

	return span < limit ? (uint32_t)span : limit;
}

/* Call the packet hooks for the current packet. */
static void call_hooks(struct rtev_memtrace_reader *reader, bool begin)
{
	for (size_t i = 0; i < sizeof(reader->hooks) / sizeof(reader->hooks[0]); i++) {
		if (reader->hooks[i].packet != NULL)
			reader->hooks[i].packet(reader->hooks[i].ctx, &reader->packet, begin);
	}
}

/* Check that a packet's verifier matches the decoder's cache. */
static bool mt_backtrace_verify(const struct mt_backtrace *trace, const struct mt_verifier *verifier)
{
	unsigned bucket = verifier->bucket;

	if (bucket == MT_NO_VERIFIER)
		return true;
	return bucket < MT_BUCKETS && trace->next[bucket] == verifier->next &&
	       trace->code[bucket] == verifier->code;
}

/* Set what the times of the current packet's events are bounded by. */
static void set_times(struct rtev_memtrace_reader *reader, const struct mt_header *header)
{
	struct mt_domain *domain = reader->domain;
	const int64_t begin = header->time_begin;

	reader->told_back = false;
	reader->time_low = (uint32_t)begin & MT_TIME_MASK;
	/* Where the clock stepped back, the packet may end before it begins, and its length is not known. */
	reader->time_span = begin <= header->time_end ? span_between(begin, header->time_end, MT_TIME_MASK)
						      : MT_TIME_BACK - 1;
	/* When the domain's last event is too far ahead, this is one more than the largest offset. */
	reader->time_floor =
	    domain->last_time <= begin ? 0 : span_between(begin, domain->last_time, MT_TIME_MASK + 1);
	reader->time_ahead = domain->ahead;
	if (reader->time_floor > reader->time_span) {
		reader->time_ahead += (uint64_t)domain->last_time - (uint64_t)begin;
		reader->time_floor = 0;
	}
	reader->time_begin =
	    (int64_t)((uint64_t)begin - (uint64_t)reader->info.start_time + reader->time_ahead);
}

/* Start to read a packet that is complete in the window. */
static int begin_packet(struct rtev_memtrace_reader *reader, const struct mt_header *header, size_t size)
{
	const uint8_t *data = reader->source.data + reader->source.at;

	reader->packet_data = data;
	reader->packet = (struct rtev_memtrace_packet){.offset = mt_reader_offset(reader),
	    .size = size,
	    .time_begin = header->time_begin,
	    .time_end = header->time_end,
	    .alloc_id_begin = header->id_begin,
	    .alloc_id_end = header->id_end,
	    .domain = header->domain,
	    .version = header->version};
	struct mt_domain *domain = get_domain(reader, header->domain);
	if (domain == NULL)
		return mt_reader_fail(reader, RTEV_E_NOMEM, reader->packet.offset);
	if (!reader->skip_backtraces) {
		int status = decoder_make(reader, domain);
		if (status != RTEV_OK)
			return mt_reader_fail(reader, status, reader->packet.offset);
		if (!mt_backtrace_verify(domain->trace, &header->verifier))
			return mt_reader_fail(reader, RTEV_E_MEMTRACE_CACHE, reader->packet.offset);
	}
	reader->domain = domain;
	reader->trace = domain->trace;
	reader->event.domain = header->domain;
	reader->next_id = mt_word((uint64_t)header->id_begin);
	set_times(reader, header);
	if (reader->trace != NULL) {
		reader->event.backtrace = domain->trace->frames;
		reader->event.depth = domain->trace->depth;
	}
	reader->at = data + header->size;
	reader->end = data + size;
	reader->events_size = size - header->size;
	reader->fast_end = mt_reader_fast_end(reader);
	reader->in_packet = true;
	call_hooks(reader, true);
	return RTEV_OK;
}

/* Check the object ids at the end of the packet, and move to the next one. */
static int end_packet(struct rtev_memtrace_reader *reader)
{
	if (reader->next_id != reader->packet.alloc_id_end)
		return mt_reader_fail_at(reader, RTEV_E_MEMTRACE_ALLOC_ID, reader->end,
		    "object ids out of step: the packet ends at %" PRId64 ", its header says %" PRId64,
		    reader->next_id, reader->packet.alloc_id_end);
	reader->packet.events = reader->events_size > 0;
	if (reader->packet.events || reader->packet.locations > 0) {
		if (reader->domain->ahead != reader->time_ahead)
			mt_reader_clock_back(reader);
		reader->domain->ahead = reader->time_ahead;
		reader->domain->last_time = reader->packet.time_begin + reader->time_floor;
	}
	if (reader->trace != NULL)
		reader->trace->depth = reader->event.depth;
	reader->source.at += reader->packet.size;
	reader->in_packet = false;
	call_hooks(reader, false);
	return RTEV_OK;
}

/* Skip a packet of another process, or one that is torn or too large. */
static int leave_out(struct rtev_memtrace_reader *reader, const struct mt_header *header, size_t got,
    size_t want, bool wrong_pid)
{
	uint64_t offset = mt_reader_offset(reader);
	bool whole = got >= want;

	if (!whole && reader->follow)
		return RTEV_E_MEMTRACE_END;
	/* Report a torn packet only once, however often the caller retries. */
	if (whole || !reader->told_torn || reader->told_at != offset) {
		if (wrong_pid)
			tell(reader, RTEV_MEMTRACE_WRONG_PID, header, 0);
		else
			tell(reader, RTEV_MEMTRACE_TRUNCATED, header,
			    (unsigned)header->bits / 8 - (whole ? want : got));
	}
	reader->told_torn = true;
	reader->told_at = offset;
	if (!whole)
		return RTEV_E_MEMTRACE_END;
	reader->source.at += want;
	return RTEV_OK;
}

/* Get `want` bytes of the current packet into the window, or fewer at the end; *got is their number. */
static int need(struct rtev_memtrace_reader *reader, size_t want, size_t *got)
{
	int status = mt_source_need(&reader->source, want, got);

	if (status != RTEV_OK)
		mt_reader_fail(reader, status, reader->source.base + reader->source.size);
	return status;
}

/* Read and check the header of the next packet. */
static int next_header(struct rtev_memtrace_reader *reader, struct mt_header *header)
{
	unsigned at = 0;
	size_t got;
	int status = need(reader, MT_HEADER_SIZE, &got);

	if (status != RTEV_OK)
		return status;
	if (got == 0)
		return RTEV_E_MEMTRACE_END;
	status = mt_header_read(header, reader->source.data + reader->source.at, got);
	if (status == RTEV_E_MEMTRACE_UNDERFLOW)
		return reader->follow ? RTEV_E_MEMTRACE_END
				      : note_fault(reader, status, mt_reader_offset(reader) + got);
	if (status == RTEV_OK)
		status = mt_header_check(header, &at);
	return status == RTEV_OK ? RTEV_OK : mt_reader_refuse(reader, status, header, at);
}

/* Begin the next packet that can be read, and skip those that cannot. */
static int next_packet(struct rtev_memtrace_reader *reader)
{
	struct mt_header header;
	size_t got;

	for (;;) {
		int status = next_header(reader, &header);
		if (status != RTEV_OK)
			return status;
		size_t size = (unsigned)header.bits / 8;
		size_t want = size - header.size > MT_PACKET_MAX ? header.size + MT_PACKET_MAX : size;
		status = need(reader, want, &got);
		if (status != RTEV_OK)
			return status;
		bool wrong_pid = header.pid != reader->info.pid;
		if (!wrong_pid && got >= want && want == size)
			return begin_packet(reader, &header, size);
		status = leave_out(reader, &header, got, want, wrong_pid);
		if (status != RTEV_OK)
			return status;
	}
}

int mt_reader_advance(struct rtev_memtrace_reader *reader)
{
	if (reader->failed)
		return reader->fault.status;
	/* The last fault was not final: clear it and try again. */
	reader->fault = (struct rtev_memtrace_fault){0};
	return reader->in_packet ? end_packet(reader) : next_packet(reader);
}
