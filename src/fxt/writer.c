/*
 * writer.c - create and close a writer, switch buffers, write raw bytes.
 *
 * A buffer starts with a whole record, and all bytes before pos belong to whole records, except for an
 * open one; so the destination receives whole records only.
 */
#include "core/sized.h"
#include "fxt/writer.h"

#define RAW_PIECE 4096

/* Leave the writer without a buffer. */
static void detach(struct rtev_fxt_writer *writer)
{
	writer->start = NULL;
	writer->record = NULL;
	writer->left = 0;
	writer->pos = writer->end = writer->limit = writer->nothing;
}

/* Stop after a failure of the destination.  Returns its status. */
static int fail(struct rtev_fxt_writer *writer, int status)
{
	writer->failure = status;
	detach(writer);
	return status;
}

/* Drop an event that lacks arguments, and return its status.  Returns RTEV_OK if no event is open. */
static int drop_open_record(struct rtev_fxt_writer *writer)
{
	if (writer->record == NULL)
		return RTEV_OK;
	writer->pos = writer->record;
	writer->end = writer->limit;
	writer->record = NULL;
	writer->left = 0;
	return RTEV_E_FXT_ARGS_MISSING;
}

/* Pass the contents of the buffer to the destination. */
static int give_away(struct rtev_fxt_writer *writer)
{
	size_t used = (size_t)(writer->pos - writer->start);
	return writer->calls.take(writer->destination, used);
}

/* Ask the destination for a buffer, with room for `need` bytes if possible. */
static int ask_buffer(struct rtev_fxt_destination *destination, const struct rtev_fxt_destination *calls,
    size_t need, void **data, size_t *size)
{
	*data = NULL;
	*size = 0;
	int status = calls->next(destination, need, data, size);
	return status == RTEV_OK && *data == NULL ? RTEV_E_INVALID : status;
}

/* Continue in a buffer. */
static void attach(struct rtev_fxt_writer *writer, void *data, size_t size)
{
	writer->start = writer->pos = data;
	writer->end = writer->limit = writer->start + size;
}

/* Continue in a new buffer. */
static int switch_buffer(struct rtev_fxt_writer *writer, size_t need)
{
	void *data;
	size_t size;
	int status = give_away(writer);
	if (status == RTEV_OK)
		status = ask_buffer(writer->destination, &writer->calls, need, &data, &size);
	if (status != RTEV_OK)
		return fail(writer, status);
	attach(writer, data, size);
	return RTEV_OK;
}

/* The status that forbids writing, because the writer is stopped or an event was incomplete; else RTEV_OK. */
static int refusal(struct rtev_fxt_writer *writer)
{
	if (writer->start == NULL)
		return RTEV_E_FXT_STOPPED;
	return drop_open_record(writer);
}

int fxt_make_room(struct rtev_fxt_writer *writer, size_t need)
{
	int status = refusal(writer);
	if (status == RTEV_OK)
		status = switch_buffer(writer, need);
	if (status != RTEV_OK)
		return status;
	return (size_t)(writer->limit - writer->start) < need ? RTEV_E_FXT_BUFFER : RTEV_OK;
}

int rtev_fxt_writer_switch_buffer(struct rtev_fxt_writer *writer)
{
	int status = refusal(writer);
	return status == RTEV_OK ? switch_buffer(writer, 8) : status;
}

int rtev_fxt_writer_flush(struct rtev_fxt_writer *writer)
{
	int status = rtev_fxt_writer_switch_buffer(writer);
	if (status == RTEV_OK && writer->calls.flush != NULL) {
		status = writer->calls.flush(writer->destination);
		if (status != RTEV_OK)
			fail(writer, status);
	}
	return status;
}

/* Copy the functions of a destination.  Returns false if a required one is missing. */
static bool take_calls(struct rtev_fxt_destination *calls, const struct rtev_fxt_destination *destination)
{
	*calls = (struct rtev_fxt_destination){0};
	return sized_take(calls, sizeof(*calls), destination) && calls->next != NULL && calls->take != NULL &&
	       calls->close != NULL;
}

int rtev_fxt_writer_set_destination(struct rtev_fxt_writer *writer, struct rtev_fxt_destination *destination,
    struct rtev_fxt_destination **old)
{
	if (writer->closed)
		return RTEV_E_FXT_STOPPED;
	struct rtev_fxt_destination calls;
	if (!take_calls(&calls, destination) || old == NULL)
		return RTEV_E_INVALID;
	int status = drop_open_record(writer);
	if (status != RTEV_OK)
		return status;
	void *data;
	size_t size;
	status = ask_buffer(destination, &calls, 8, &data, &size);
	if (status != RTEV_OK)
		return status;
	if (writer->start != NULL) {
		status = give_away(writer);
		if (status != RTEV_OK)
			return fail(writer, status);
	}
	attach(writer, data, size);
	*old = writer->destination;
	writer->destination = destination;
	writer->calls = calls;
	writer->failure = RTEV_OK;
	return RTEV_OK;
}

/* Number of leading bytes of raw data to write at once. */
static size_t raw_piece(const unsigned char *data, size_t size, size_t room)
{
	size_t piece = fxt_whole_records(data, size < room ? size : room);
	if (piece > 0)
		return piece;
	if (size >= 8) {
		uint64_t words = fxt_record_words(fxt_load(data));
		if (words > 0 && words <= size / 8)
			return (size_t)words * 8;
	}
	return size < RAW_PIECE ? size : RAW_PIECE;
}

int rtev_fxt_write_raw(struct rtev_fxt_writer *writer, const void *data, size_t size)
{
	const unsigned char *at = data;
	int status = refusal(writer);
	while (status == RTEV_OK && size > 0) {
		size_t piece = raw_piece(at, size, (size_t)(writer->end - writer->pos));
		status = fxt_reserve(writer, piece);
		if (status != RTEV_OK)
			break;
		memcpy(writer->pos, at, piece);
		writer->pos += piece;
		at += piece;
		size -= piece;
	}
	return status;
}

/* Write the start of a trace. */
static int write_header(struct rtev_fxt_writer *writer, const char *provider)
{
	size_t len = strlen(provider);
	if (len > RTEV_FXT_PROVIDER_BYTES_MAX)
		return RTEV_E_INVALID;
	int status = fxt_write_text(writer, FXT_MAGIC, "", 0);
	if (status == RTEV_OK)
		status = fxt_write_text(writer,
		    FXT_METADATA | (uint64_t)FXT_PROVIDER_INFO << 16 | (uint64_t)len << 52, provider, len);
	if (status == RTEV_OK)
		status = fxt_write_text(writer, FXT_METADATA | (uint64_t)FXT_PROVIDER_SECTION << 16, "", 0);
	if (status == RTEV_OK)
		status = fxt_write_string(writer, RTEV_FXT_STRING_PROCESS, "process", strlen("process"));
	return status;
}

/* Take over the caller's options. */
static int read_options(struct rtev_fxt_writer_options *out, const struct rtev_fxt_writer_options *given)
{
	*out = (struct rtev_fxt_writer_options)RTEV_FXT_WRITER_OPTIONS;
	if (!sized_take(out, sizeof(*out), given))
		return RTEV_E_INVALID;
	/* Ids 0 and 1 are fixed.  An id above the last one means that no id is left. */
	uint64_t slots = (uint64_t)out->dynamic_slots + out->temp_slots;
	return slots > RTEV_FXT_STRING_ID_MAX - 1 ? RTEV_E_FXT_SLOT_COUNT : RTEV_OK;
}

int rtev_fxt_writer_create(struct rtev_fxt_writer **out, struct rtev_fxt_destination *destination,
    const struct rtev_fxt_writer_options *given)
{
	if (out == NULL)
		return RTEV_E_INVALID;
	*out = NULL;
	struct rtev_fxt_writer_options options;
	int status = read_options(&options, given);
	if (status != RTEV_OK)
		return status;
	struct rtev_fxt_destination calls;
	if (!take_calls(&calls, destination))
		return RTEV_E_INVALID;
	struct rtev_fxt_writer *writer = calloc(1, sizeof(*writer));
	if (writer == NULL)
		return RTEV_E_NOMEM;
	detach(writer);
	writer->destination = destination;
	writer->calls = calls;
	writer->dynamic_slots = options.dynamic_slots;
	writer->temp_slots = options.temp_slots;
	writer->next_string = 2 + options.dynamic_slots + options.temp_slots;
	writer->keep = options.keep_strings;
	void *data;
	size_t size;
	status = ask_buffer(destination, &calls, 8, &data, &size);
	if (status == RTEV_OK) {
		attach(writer, data, size);
		if (options.provider != NULL)
			status = write_header(writer, options.provider);
	}
	if (status != RTEV_OK) {
		fxt_texts_fini(&writer->texts);
		free(writer);
		return status;
	}
	*out = writer;
	return RTEV_OK;
}

int rtev_fxt_writer_close(struct rtev_fxt_writer *writer)
{
	if (writer->closed)
		return RTEV_OK;
	int missing = drop_open_record(writer);
	int status = RTEV_OK;
	bool reported = writer->failure != RTEV_OK;
	if (writer->start != NULL)
		status = give_away(writer);
	int closing = writer->calls.close(writer->destination);
	if (status == RTEV_OK && !reported)
		status = closing;
	if (status != RTEV_OK)
		writer->failure = status;
	detach(writer);
	writer->closed = true;
	writer->destination = NULL;
	return status != RTEV_OK ? status : missing;
}

void rtev_fxt_writer_destroy(struct rtev_fxt_writer *writer)
{
	if (writer == NULL)
		return;
	rtev_fxt_writer_close(writer);
	fxt_texts_fini(&writer->texts);
	free(writer);
}

int rtev_fxt_writer_failure(const struct rtev_fxt_writer *writer)
{
	return writer->failure;
}
