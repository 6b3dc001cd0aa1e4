/*
 * read_open.c - open and close readers, and read the trace info packet, the first packet of a trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sized.h"
#include "memtrace/read.h"

/* Fail because the trace info packet is malformed at byte p, with the given text. */
static int fail_info(struct rtev_memtrace_reader *reader, const uint8_t *p, const char *what)
{
	mt_reader_fail(reader, RTEV_E_MEMTRACE_INFO,
	    mt_reader_offset(reader) + (uint64_t)(p - reader->source.data) - reader->source.at);
	strcpy(reader->fault.what, what);
	return RTEV_E_MEMTRACE_INFO;
}

/* Read and intern a NUL-terminated string.  Returns NULL after recording a failure. */
static const char *read_text(struct rtev_memtrace_reader *reader, const uint8_t **p, const uint8_t *end)
{
	const uint8_t *nul = *p == end ? NULL : memchr(*p, 0, (size_t)(end - *p));

	if (nul == NULL) {
		mt_reader_fail(reader, RTEV_E_MEMTRACE_UNDERFLOW, mt_reader_offset(reader));
		return NULL;
	}
	const char *text = mt_texts_intern(&reader->locations.texts, (const char *)*p, (size_t)(nul - *p));
	if (text == NULL)
		mt_reader_fail(reader, RTEV_E_NOMEM, mt_reader_offset(reader));
	*p = nul + 1;
	return text;
}

/* Read the fields of the trace info event. */
static int read_fields(
    struct rtev_memtrace_reader *reader, const uint8_t *p, const uint8_t *end, unsigned version)
{
	struct rtev_memtrace_info *info = &reader->info;

	if (end - p < 9)
		return mt_reader_fail(reader, RTEV_E_MEMTRACE_UNDERFLOW, mt_reader_offset(reader));
	uint64_t rate = mt_load_64(p);
	memcpy(&info->sample_rate, &rate, sizeof(rate));
	info->word_size = p[8];
	p += 9;
	info->executable_name = read_text(reader, &p, end);
	if (info->executable_name != NULL)
		info->host_name = read_text(reader, &p, end);
	if (info->host_name != NULL)
		info->ocaml_runtime_params = read_text(reader, &p, end);
	if (info->ocaml_runtime_params == NULL)
		return reader->fault.status;
	if (end - p < 8)
		return mt_reader_fail(reader, RTEV_E_MEMTRACE_UNDERFLOW, mt_reader_offset(reader));
	info->pid = (int64_t)mt_load_64(p);
	p += 8;
	if (version >= 2) {
		info->context = read_text(reader, &p, end);
		if (info->context == NULL)
			return reader->fault.status;
		if (info->context[0] == '\0')
			info->context = NULL;
	}
	return p == end ? RTEV_OK : fail_info(reader, p, "bytes left over in the trace info packet");
}

/* Read the trace info packet, which is complete in the window. */
static int read_info(struct rtev_memtrace_reader *reader, const struct mt_header *header)
{
	const uint8_t *data = reader->source.data + reader->source.at, *p = data + header->size;
	size_t size = (unsigned)header->bits / 8;

	if (size - header->size < 4)
		return mt_reader_fail(reader, RTEV_E_MEMTRACE_UNDERFLOW, mt_reader_offset(reader) + size);
	uint32_t head = mt_load_32(p);
	if (((head ^ (uint32_t)header->time_begin) & MT_TIME_MASK) != 0)
		return fail_info(reader, p, "the trace info event is not at the start of its packet's time");
	if (head >> MT_TIME_BITS != MT_EVENT_INFO)
		return fail_info(reader, p, "the first event is not the trace info");
	reader->info.start_time = header->time_begin;
	reader->info.initial_domain = header->domain;
	reader->info.version = header->version;
	int status = read_fields(reader, p + 4, data + size, header->version);
	if (status == RTEV_OK)
		reader->source.at += size;
	return status;
}

/* Start to read a trace: read and check its first packet. */
static int begin(struct rtev_memtrace_reader *reader)
{
	struct mt_header header;
	unsigned at = 0;
	size_t got;
	int status = mt_source_need(&reader->source, MT_HEADER_SIZE, &got);

	if (status != RTEV_OK)
		return mt_reader_fail(reader, status, 0);
	status = mt_header_read(&header, reader->source.data, got);
	if (status == RTEV_E_MEMTRACE_UNDERFLOW)
		return reader->follow ? RTEV_E_MEMTRACE_END : mt_reader_fail(reader, status, got);
	if (status == RTEV_OK)
		status = mt_header_check(&header, &at);
	if (status != RTEV_OK)
		return mt_reader_refuse(reader, status, &header, at);
	size_t size = (unsigned)header.bits / 8;
	if (size <= MT_PACKET_MAX) {
		status = mt_source_need(&reader->source, size, &got);
		if (status != RTEV_OK)
			return mt_reader_fail(reader, status, 0);
		if (got >= size)
			return read_info(reader, &header);
		if (reader->follow)
			return RTEV_E_MEMTRACE_END;
	}
	return fail_info(
	    reader, reader->source.data + reader->source.at, "the trace info packet is not all there");
}

/* Report in the options' fault that a reader could not be allocated. */
static void tell_no_memory(const struct rtev_memtrace_options *options)
{
	if (options->fault == NULL)
		return;
	struct rtev_memtrace_fault fault = {.status = RTEV_E_NOMEM};
	snprintf(fault.what, sizeof(fault.what), "%s", rtev_strerror(RTEV_E_NOMEM));
	sized_give(options->fault, &fault, sizeof(fault));
}

/* Allocate a reader; its source is not open yet. */
static struct rtev_memtrace_reader *create(const struct rtev_memtrace_options *options)
{
	struct rtev_memtrace_reader *reader = calloc(1, sizeof(*reader));

	if (reader == NULL) {
		tell_no_memory(options);
		return NULL;
	}
	reader->event.size = sizeof(reader->event);
	reader->info.size = sizeof(reader->info);
	reader->source.fd = -1;
	reader->frames.left = MT_FRAMES_MAX;
	reader->skip_backtraces = options->skip_backtraces;
	reader->follow = options->follow;
	reader->ctx = options->ctx;
	reader->notice = options->notice;
	reader->hooks[0] = (struct mt_packet_hook){options->ctx, options->packet};
	return reader;
}

/* Finish opening: read the first packet and return the reader, or close it and report the fault. */
static int hand_out(struct rtev_memtrace_reader **out, struct rtev_memtrace_reader *reader, int status,
    const struct rtev_memtrace_options *options)
{
	if (status == RTEV_OK)
		status = begin(reader);
	else
		mt_reader_fail(reader, status, 0);
	if (status == RTEV_OK) {
		*out = reader;
		return RTEV_OK;
	}
	if (options->fault != NULL) {
		reader->fault.status = status;
		sized_give(options->fault, &reader->fault, sizeof(reader->fault));
	}
	rtev_memtrace_close(reader);
	return status;
}

/* Start opening: copy the options and allocate a reader; its source is not open yet. */
static int open_begin(struct rtev_memtrace_reader **out, struct rtev_memtrace_reader **reader,
    struct rtev_memtrace_options *options, const struct rtev_memtrace_options *given)
{
	*out = NULL;
	*options = (struct rtev_memtrace_options){.size = sizeof(*options)};
	if (!sized_take(options, sizeof(*options), given) ||
	    (options->fault != NULL && !sized_open(options->fault)))
		return RTEV_E_INVALID;
	*reader = create(options);
	return *reader == NULL ? RTEV_E_NOMEM : RTEV_OK;
}

int rtev_memtrace_open_path(
    struct rtev_memtrace_reader **out, const char *path, const struct rtev_memtrace_options *given)
{
	struct rtev_memtrace_options options;
	struct rtev_memtrace_reader *reader;
	int status = open_begin(out, &reader, &options, given);

	if (status != RTEV_OK)
		return status;
	return hand_out(out, reader, mt_source_path(&reader->source, path), &options);
}

int rtev_memtrace_open_fd(
    struct rtev_memtrace_reader **out, int fd, const struct rtev_memtrace_options *given)
{
	struct rtev_memtrace_options options;
	struct rtev_memtrace_reader *reader;
	int status = open_begin(out, &reader, &options, given);

	if (status != RTEV_OK)
		return status;
	return hand_out(out, reader, mt_source_fd(&reader->source, fd), &options);
}

int rtev_memtrace_open_memory(struct rtev_memtrace_reader **out, const void *data, size_t size,
    const struct rtev_memtrace_options *given)
{
	struct rtev_memtrace_options options;
	struct rtev_memtrace_reader *reader;
	int status = open_begin(out, &reader, &options, given);

	if (status != RTEV_OK)
		return status;
	mt_source_memory(&reader->source, data, size);
	return hand_out(out, reader, RTEV_OK, &options);
}

int rtev_memtrace_grow(struct rtev_memtrace_reader *reader, const void *data, size_t size)
{
	struct mt_source *source = &reader->source;

	if (source->fd >= 0 || size < source->size)
		return RTEV_E_INVALID;
	if (reader->in_packet) {
		const uint8_t *packet = (const uint8_t *)data + source->at;
		reader->at = packet + (reader->at - reader->packet_data);
		reader->end = packet + (reader->end - reader->packet_data);
		reader->fast_end = packet + (reader->fast_end - reader->packet_data);
		reader->packet_data = packet;
	} else {
		reader->at = reader->end = reader->fast_end = NULL;
	}
	source->data = data;
	source->size = size;
	return RTEV_OK;
}

static void destroy_domain(void *domain_)
{
	struct mt_domain *domain = domain_;

	mt_recent_fini(&domain->recent);
	mt_backtrace_destroy(domain->trace);
	free(domain);
}

void rtev_memtrace_close(struct rtev_memtrace_reader *reader)
{
	if (reader == NULL)
		return;
	mt_source_fini(&reader->source);
	mt_domains_fini(&reader->domains, destroy_domain);
	mt_locations_fini(&reader->locations);
	free(reader);
}

const struct rtev_memtrace_info *rtev_memtrace_info(const struct rtev_memtrace_reader *reader)
{
	return &reader->info;
}

void rtev_memtrace_set_follow(struct rtev_memtrace_reader *reader, bool follow)
{
	reader->follow = follow;
}

int rtev_memtrace_fault(const struct rtev_memtrace_reader *reader, struct rtev_memtrace_fault *out)
{
	if (!sized_open(out))
		return RTEV_E_INVALID;
	sized_give(out, &reader->fault, sizeof(reader->fault));
	return RTEV_OK;
}

int rtev_memtrace_lookup(const struct rtev_memtrace_reader *reader, int64_t code,
    const struct rtev_memtrace_location **out, size_t *count)
{
	const struct mt_meaning *meaning = mt_locations_find(&reader->locations, code);

	*out = meaning == NULL ? NULL : meaning->list;
	*count = meaning == NULL ? 0 : meaning->count;
	return meaning == NULL ? RTEV_E_MEMTRACE_NO_LOCATION : RTEV_OK;
}

int rtev_memtrace_size(const struct rtev_memtrace_reader *reader, uint64_t *bytes)
{
	*bytes = 0;
	return mt_source_size(&reader->source, bytes) ? RTEV_OK : RTEV_E_INVALID;
}

uint64_t rtev_memtrace_position(const struct rtev_memtrace_reader *reader)
{
	return mt_reader_offset(reader);
}
