/*
 * read_open.c - open and close readers, read the trace info packet, the first packet of a trace, and format events
 * as text, like the dump of the reference library.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files.h"
#include "core/sized.h"
#include "memtrace/read.h"

/* Set up a source from a descriptor, a path or memory. */
static int source_fd(struct mt_source *source, int fd)
{
	struct stat st;

	*source = (struct mt_source){.fd = fd};
	if (fstat(fd, &st) != 0)
		return RTEV_E_IO;
	if (S_ISDIR(st.st_mode))
		return RTEV_E_NOT_REGULAR;
	off_t place = lseek(fd, 0, SEEK_CUR);
	source->seeks = place >= 0;
	source->start = source->seeks ? (uint64_t)place : 0;
	source->buffer = malloc(MT_SOURCE_WINDOW);
	source->data = source->buffer;
	return source->buffer == NULL ? RTEV_E_NOMEM : RTEV_OK;
}

static int source_path(struct mt_source *source, const char *path)
{
	*source = (struct mt_source){.fd = -1};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return status_of_errno(errno);
	int status = source_fd(source, fd);
	source->owned = true;
	return status;
}

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
	const char *text = NULL;
	int status = mt_texts_read(&reader->locations.texts, p, end, &text);

	if (status != RTEV_OK)
		mt_reader_fail(reader, status, mt_reader_offset(reader));
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

/* Open a trace: in memory, or if there is a path or a descriptor, from that. */
static int open_reader(struct rtev_memtrace_reader **out, const struct rtev_memtrace_options *given,
    const char *path, int fd, const void *data, size_t size)
{
	struct rtev_memtrace_options options = {.size = sizeof(options)};
	struct rtev_memtrace_fault fault = {.status = RTEV_E_NOMEM};

	*out = NULL;
	if (!sized_take(&options, sizeof(options), given) ||
	    (options.fault != NULL && !sized_open(options.fault)))
		return RTEV_E_INVALID;
	snprintf(fault.what, sizeof(fault.what), "%s", rtev_strerror(RTEV_E_NOMEM));
	struct rtev_memtrace_reader *reader = calloc(1, sizeof(*reader));
	if (reader != NULL) {
		reader->event.size = sizeof(reader->event);
		reader->info.size = sizeof(reader->info);
		reader->source = (struct mt_source){.data = data, .size = size, .fd = -1};
		reader->frames.left = MT_FRAMES_MAX;
		reader->skip_backtraces = options.skip_backtraces;
		reader->follow = options.follow;
		reader->ctx = options.ctx;
		reader->notice = options.notice;
		reader->hooks[0] = (struct mt_packet_hook){options.ctx, options.packet};
		int status = path != NULL   ? source_path(&reader->source, path)
			     : data == NULL ? source_fd(&reader->source, fd)
					    : RTEV_OK;
		if (status == RTEV_OK)
			status = begin(reader);
		else
			mt_reader_fail(reader, status, 0);
		if (status == RTEV_OK) {
			*out = reader;
			return RTEV_OK;
		}
		fault = reader->fault;
		fault.status = status;
		rtev_memtrace_close(reader);
	}
	if (options.fault != NULL)
		sized_give(options.fault, &fault, sizeof(fault));
	return fault.status;
}

int rtev_memtrace_open_path(
    struct rtev_memtrace_reader **out, const char *path, const struct rtev_memtrace_options *given)
{
	return open_reader(out, given, path, -1, NULL, 0);
}

int rtev_memtrace_open_fd(
    struct rtev_memtrace_reader **out, int fd, const struct rtev_memtrace_options *given)
{
	return open_reader(out, given, NULL, fd, NULL, 0);
}

int rtev_memtrace_open_memory(struct rtev_memtrace_reader **out, const void *data, size_t size,
    const struct rtev_memtrace_options *given)
{
	return open_reader(out, given, NULL, -1, data != NULL ? data : "", data != NULL ? size : 0);
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
	if (domain->trace != NULL)
		free(domain->trace->frames);
	free(domain->trace);
	free(domain);
}

void rtev_memtrace_close(struct rtev_memtrace_reader *reader)
{
	if (reader == NULL)
		return;
	if (reader->source.owned)
		close(reader->source.fd);
	free(reader->source.buffer);
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
	const struct mt_source *source = &reader->source;
	struct stat st = {.st_mode = S_IFREG, .st_size = (off_t)source->size};

	*bytes = 0;
	if (source->fd >= 0 && (fstat(source->fd, &st) != 0 || !S_ISREG(st.st_mode)))
		return RTEV_E_INVALID;
	*bytes = (uint64_t)st.st_size;
	return RTEV_OK;
}

uint64_t rtev_memtrace_position(const struct rtev_memtrace_reader *reader)
{
	return mt_reader_offset(reader);
}

/* ---- the dump ---- */

/* A text buffer.  `length` goes on counting when the buffer is full. */
struct text {
	char *buf;
	size_t size, length;
};

static void put(struct text *text, const char *bytes, size_t n)
{
	if (text->length < text->size) {
		size_t room = text->size - text->length;
		memcpy(text->buf + text->length, bytes, n < room ? n : room);
	}
	text->length += n;
}

/* Append formatted text of less than 160 bytes. */
__attribute__((format(printf, 2, 3))) static void put_format(struct text *text, const char *format, ...)
{
	char part[160];
	va_list args;

	va_start(args, format);
	int n = vsnprintf(part, sizeof(part), format, args);
	va_end(args);
	put(text, part, (size_t)n);
}

static void put_location(struct text *text, const struct rtev_memtrace_location *location)
{
	put(text, " ", 1);
	put(text, location->defname, strlen(location->defname));
	put(text, "@", 1);
	put(text, location->filename, strlen(location->filename));
	put_format(text, ":%" PRId32 ":%" PRId32 "-%" PRId32, location->line, location->start_char,
	    location->end_char);
}

/* Append the locations of a code, or "$" and the code when it has none. */
static int put_code(struct text *text, const struct rtev_memtrace_reader *reader, int64_t code)
{
	const struct rtev_memtrace_location *list;
	size_t count;
	int status = rtev_memtrace_lookup(reader, code, &list, &count);

	if (status != RTEV_OK)
		return status;
	for (size_t i = 0; i < count; i++)
		put_location(text, &list[i]);
	if (count == 0)
		put_format(text, " $%" PRId64, code);
	return RTEV_OK;
}

/* Append the part of the line before the backtrace. */
static void put_head(struct text *text, const struct rtev_memtrace_event *event, bool with_time)
{
	static const char *const sources[] = {"alloc", "alloc_major", "alloc_ext"};

	if (with_time)
		put_format(text, "%010" PRId64 " ", event->time);
	if (event->kind == RTEV_MEMTRACE_ALLOC)
		put_format(text, "%010" PRId64 " %s %" PRId64 " len=%" PRId64 " dom=%u % 4" PRId64 ":",
		    event->object, sources[event->source], event->samples, event->length,
		    (unsigned)event->domain, event->common_prefix);
	else
		put_format(text, "%010" PRId64 " %s", event->object,
		    event->kind == RTEV_MEMTRACE_PROMOTE ? "promote" : "collect");
}

int rtev_memtrace_format_event(const struct rtev_memtrace_reader *reader,
    const struct rtev_memtrace_event *given, bool with_time, char *buf, size_t size, size_t *length)
{
	struct rtev_memtrace_event room;
	const struct rtev_memtrace_event *event = sized_view(&room, sizeof(room), given);
	/* Reserve one byte for the NUL. */
	struct text text = {buf, size > 0 ? size - 1 : 0, 0};
	int status = RTEV_OK;

	if (event == NULL)
		return RTEV_E_INVALID;
	put_head(&text, event, with_time);
	for (size_t i = 0; event->kind == RTEV_MEMTRACE_ALLOC && i < event->depth && status == RTEV_OK; i++)
		status = put_code(&text, reader, event->backtrace[i]);
	if (size > 0)
		buf[text.length < text.size ? text.length : text.size] = '\0';
	*length = text.length;
	return status;
}
