/*
 * reader.c - read a trace: input, boundaries of records, providers.
 */
#include <poll.h>
#include <unistd.h>

#include "core/sized.h"
#include "fxt/reader.h"

#define BUFFER_BYTES ((size_t)256 << 10)

bool fxt_fault(struct rtev_fxt_reader *reader, int status, const char *reason)
{
	reader->status = status;
	reader->reason = reason;
	return false;
}

/* ---- providers ---- */

bool fxt_enter_provider(struct rtev_fxt_reader *reader, uint32_t id)
{
	for (unsigned i = 0; i < reader->provider_count; i++) {
		if (reader->providers[i]->id == id) {
			reader->provider = reader->providers[i];
			return true;
		}
	}
	if (reader->provider_count == FXT_PROVIDERS_MAX)
		return fxt_fault(reader, RTEV_E_NOMEM, "more providers than can be kept");
	struct fxt_provider *made = calloc(1, sizeof(*made));
	if (made == NULL)
		return fxt_fault(reader, RTEV_E_NOMEM, "out of memory");
	made->id = id;
	reader->providers[reader->provider_count++] = made;
	reader->provider = made;
	return true;
}

/* ---- opening and closing ---- */

/* Create a reader of a descriptor or, with -1, of memory. */
static int create(struct rtev_fxt_reader **out, int fd, const void *data, size_t size,
    const struct rtev_fxt_reader_options *given)
{
	struct rtev_fxt_reader_options options = {.size = sizeof(options)};

	if (!sized_take(&options, sizeof(options), given))
		return RTEV_E_INVALID;
	struct rtev_fxt_reader *reader = calloc(1, sizeof(*reader));
	if (reader == NULL)
		return RTEV_E_NOMEM;
	reader->allow_base = options.allow_base;
	reader->allow_bytes = options.allow_bytes;
	reader->fd = fd;
	reader->exhausted = fd < 0;
	reader->capacity = fd < 0 ? 0 : BUFFER_BYTES;
	reader->buffer = fd < 0 ? NULL : malloc(BUFFER_BYTES);
	reader->data = fd < 0 ? data : reader->buffer;
	reader->size = size;
	/* Records before any provider section belong to provider 0. */
	if ((fd >= 0 && reader->buffer == NULL) || !fxt_enter_provider(reader, 0)) {
		rtev_fxt_reader_destroy(reader);
		return RTEV_E_NOMEM;
	}
	*out = reader;
	return RTEV_OK;
}

int rtev_fxt_reader_open_memory(
    struct rtev_fxt_reader **out, const void *data, size_t size, const struct rtev_fxt_reader_options *given)
{
	if (out == NULL)
		return RTEV_E_INVALID;
	*out = NULL;
	return data == NULL && size > 0 ? RTEV_E_INVALID : create(out, -1, data, size, given);
}

int rtev_fxt_reader_open_fd(struct rtev_fxt_reader **out, int fd, const struct rtev_fxt_reader_options *given)
{
	if (out == NULL)
		return RTEV_E_INVALID;
	*out = NULL;
	return fd < 0 ? RTEV_E_INVALID : create(out, fd, NULL, 0, given);
}

void rtev_fxt_reader_destroy(struct rtev_fxt_reader *reader)
{
	if (reader == NULL)
		return;
	for (unsigned i = 0; i < reader->provider_count; i++) {
		fxt_texts_fini(&reader->providers[i]->strings);
		free(reader->providers[i]);
	}
	free(reader->buffer);
	free(reader);
}

/* ---- input ---- */

/* Make room at the end of the buffer.  It grows only if one record fills it. */
static bool make_room(struct rtev_fxt_reader *reader)
{
	if (reader->at > 0) {
		memmove(reader->buffer, reader->buffer + reader->at, reader->size - reader->at);
		reader->base += reader->at;
		reader->size -= reader->at;
		reader->at = 0;
		return true;
	}
	unsigned char *buffer = realloc(reader->buffer, reader->capacity * 2);
	if (buffer == NULL)
		return fxt_fault(reader, RTEV_E_NOMEM, "out of memory");
	reader->data = reader->buffer = buffer;
	reader->capacity *= 2;
	return true;
}

/* Read more input into the buffer. */
static bool read_more(struct rtev_fxt_reader *reader)
{
	if (reader->size == reader->capacity && !make_room(reader))
		return false;
	ssize_t n = read(reader->fd, reader->buffer + reader->size, reader->capacity - reader->size);
	if (n > 0) {
		reader->size += (size_t)n;
	} else if (n == 0) {
		reader->exhausted = true;
	} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
		struct pollfd ready = {.fd = reader->fd, .events = POLLIN};
		(void)poll(&ready, 1, -1);
	} else if (errno != EINTR) {
		return fxt_fault(reader, RTEV_E_IO, "the input can't be read");
	}
	return true;
}

/* Make n bytes available from the current position, or all that are left.  Returns false after a fault. */
static bool fetch(struct rtev_fxt_reader *reader, size_t n)
{
	while (reader->size - reader->at < n && !reader->exhausted) {
		if (!read_more(reader))
			return false;
	}
	return true;
}

/* ---- framing ---- */

/* Whether the format defines a record type. */
static bool known_type(uint64_t type)
{
	return type <= FXT_LOG || type == FXT_LARGE;
}

/* Find the size of the next record, and check what its first word alone permits to check. */
static bool frame(struct rtev_fxt_reader *reader, uint64_t *bytes)
{
	uint64_t header = fxt_load(reader->data + reader->at);
	if (!reader->started && header != FXT_MAGIC)
		return fxt_fault(reader, RTEV_E_FXT_MAGIC, "no magic word");
	reader->started = true;
	if (!known_type(fxt_bits(header, 0, 3)))
		return fxt_fault(reader, RTEV_E_FXT_MALFORMED, "record type that is not defined");
	uint64_t words = fxt_record_words(header);
	if (words == 0)
		return fxt_fault(reader, RTEV_E_FXT_MALFORMED, "record of size 0");
	*bytes = words * 8;
	if (*bytes > (reader->fd >= 0 ? RTEV_FXT_READER_BYTES_MAX : SIZE_MAX))
		return fxt_fault(reader, RTEV_E_FXT_RECORD_SIZE, "record larger than can be buffered");
	return true;
}

/* Read a record.  Returns false at the end and after a fault. */
static bool next_record(struct rtev_fxt_reader *reader)
{
	uint64_t bytes = 0;
	reader->at += reader->record.size;
	reader->record = (struct rtev_fxt_record){0};
	if (!fetch(reader, 8))
		return false;
	size_t rest = reader->size - reader->at;
	if (rest == 0 && reader->started)
		return false;
	if (rest < 8) {
		if (!reader->started)
			return fxt_fault(reader, RTEV_E_FXT_MAGIC, "no magic word");
		return fxt_fault(reader, RTEV_E_FXT_TRUNCATED, "ends inside a word");
	}
	if (!frame(reader, &bytes) || !fetch(reader, (size_t)bytes))
		return false;
	if (reader->size - reader->at < bytes)
		return fxt_fault(reader, RTEV_E_FXT_TRUNCATED, "ends inside a record");
	reader->record.offset = reader->base + reader->at;
	reader->record.bytes = reader->data + reader->at;
	reader->record.size = (size_t)bytes;
	return fxt_decode(reader);
}

int rtev_fxt_reader_next(struct rtev_fxt_reader *reader, const struct rtev_fxt_record **record)
{
	*record = NULL;
	if (reader->status == RTEV_OK && next_record(reader))
		*record = &reader->record;
	return reader->status;
}

void rtev_fxt_reader_fault(const struct rtev_fxt_reader *reader, uint64_t *offset, const char **reason)
{
	*offset = reader->base + reader->at + (reader->status == RTEV_OK ? reader->record.size : 0);
	*reason = reader->reason;
}
