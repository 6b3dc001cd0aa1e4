/*
 * records.c - write records: strings, threads, names, ticks, events and their arguments.
 *
 * A signature counts arguments from bit 20 up and their words in bits 4 to 19.  While an event is open,
 * `left` is the signature of the arguments still to come.  Each argument subtracts its own; at zero the event
 * is complete.
 *
 * String ids, in order: 0 empty, 1 "process", dynamic slots, temporary slots, ids assigned by
 * rtev_fxt_intern().
 */
#include "core/sized.h"
#include "fxt/writer.h"
#include "rtev/fxt.h"

#define FIRST_DYNAMIC 2u

/* The first word of an argument of `words` words, with `value` in its upper half. */
static inline uint64_t arg_word(
    enum rtev_fxt_arg_type type, uint64_t words, rtev_fxt_string name, uint32_t value)
{
	return (uint64_t)type | words << 4 | (uint64_t)name << 16 | (uint64_t)value << 32;
}

/* Store len bytes padded with zeros to whole words.  Returns the end. */
static unsigned char *store_text(unsigned char *at, const char *text, size_t len)
{
	size_t padded = fxt_words_for(len) * 8;
	if (padded > 0) {
		memset(at + padded - 8, 0, 8);
		memcpy(at, text, len);
	}
	return at + padded;
}

int fxt_write_text(struct rtev_fxt_writer *writer, uint64_t header, const char *text, size_t len)
{
	size_t words = 1 + fxt_words_for(len);
	int status = fxt_reserve(writer, words * 8);
	if (status != RTEV_OK)
		return status;
	unsigned char *at = writer->pos;
	fxt_store(at, (header & ~UINT64_C(0xfff0)) | (uint64_t)words << 4);
	writer->pos = store_text(at + 8, text, len);
	return RTEV_OK;
}

int fxt_write_string(struct rtev_fxt_writer *writer, uint32_t id, const char *text, size_t len)
{
	if (len > RTEV_FXT_STRING_BYTES_MAX)
		return RTEV_E_FXT_STRING_LENGTH;
	int status = fxt_reserve(writer, (1 + fxt_words_for(len)) * 8);
	if (status == RTEV_OK && writer->keep)
		status = fxt_texts_set(&writer->texts, id, text, len);
	if (status != RTEV_OK)
		return status;
	return fxt_write_text(writer, FXT_STRING | (uint64_t)id << 16 | (uint64_t)len << 32, text, len);
}

/* Define a string and return its id. */
static int define_string(
    struct rtev_fxt_writer *writer, uint32_t id, const char *text, size_t len, rtev_fxt_string *out)
{
	int status = fxt_write_string(writer, id, text, len);
	if (status == RTEV_OK && out != NULL)
		*out = (rtev_fxt_string)id;
	return status;
}

int rtev_fxt_intern(struct rtev_fxt_writer *writer, const char *text, size_t len, rtev_fxt_string *out)
{
	if (writer->record != NULL)
		return RTEV_E_FXT_ARGS_PENDING;
	if (writer->next_string > RTEV_FXT_STRING_ID_MAX)
		return RTEV_E_FXT_STRING_IDS;
	int status = define_string(writer, writer->next_string, text, len, out);
	if (status == RTEV_OK)
		writer->next_string++;
	return status;
}

int rtev_fxt_set_temp_slot(
    struct rtev_fxt_writer *writer, int64_t slot, const char *text, size_t len, rtev_fxt_string *out)
{
	if (slot < 0 || slot >= (int64_t)writer->temp_slots)
		return RTEV_E_FXT_STRING_SLOT;
	return define_string(writer, FIRST_DYNAMIC + writer->dynamic_slots + (uint32_t)slot, text, len, out);
}

int rtev_fxt_set_dynamic_slot(
    struct rtev_fxt_writer *writer, int64_t slot, const char *text, size_t len, rtev_fxt_string *out)
{
	if (slot < 0 || slot >= (int64_t)writer->dynamic_slots)
		return RTEV_E_FXT_STRING_SLOT;
	return define_string(writer, FIRST_DYNAMIC + (uint32_t)slot, text, len, out);
}

int rtev_fxt_set_string(
    struct rtev_fxt_writer *writer, int64_t id, const char *text, size_t len, rtev_fxt_string *out)
{
	if (id < 1 || id > RTEV_FXT_STRING_ID_MAX)
		return RTEV_E_FXT_STRING_SLOT;
	if (id != RTEV_FXT_STRING_PROCESS)
		return define_string(writer, (uint32_t)id, text, len, out);
	if (len != strlen("process") || memcmp(text, "process", len) != 0)
		return RTEV_E_FXT_PROCESS_SLOT;
	if (out != NULL)
		*out = RTEV_FXT_STRING_PROCESS;
	return RTEV_OK;
}

void rtev_fxt_keep_strings(struct rtev_fxt_writer *writer, bool keep)
{
	writer->keep = keep;
}

int rtev_fxt_string_text(
    const struct rtev_fxt_writer *writer, rtev_fxt_string id, const char **text, size_t *len)
{
	const struct fxt_text_entry *entry = fxt_texts_get(&writer->texts, id);
	if (entry == NULL)
		return RTEV_E_FXT_UNDEFINED;
	*text = entry->data;
	*len = entry->len;
	return RTEV_OK;
}

/* Write a record of n words, at most 4. */
static int write_words(struct rtev_fxt_writer *writer, const uint64_t *words, size_t n)
{
	int status = fxt_reserve(writer, n * 8);
	for (size_t i = 0; status == RTEV_OK && i < n; i++, writer->pos += 8)
		fxt_store(writer->pos, words[i]);
	return status;
}

int rtev_fxt_write_blob(struct rtev_fxt_writer *writer, enum rtev_fxt_blob_type type, rtev_fxt_string name,
    const void *data, size_t len)
{
	if (name > RTEV_FXT_STRING_ID_MAX || type < RTEV_FXT_BLOB_DATA || type > RTEV_FXT_BLOB_PERFETTO)
		return RTEV_E_INVALID;
	if (len > RTEV_FXT_BLOB_BYTES_MAX)
		return RTEV_E_FXT_RECORD_SIZE;
	return fxt_write_text(
	    writer, FXT_BLOB | (uint64_t)name << 16 | (uint64_t)len << 32 | (uint64_t)type << 48, data, len);
}

int rtev_fxt_set_thread_slot(
    struct rtev_fxt_writer *writer, int64_t slot, uint64_t pid, uint64_t tid, rtev_fxt_thread *out)
{
	if (slot < 0 || slot >= RTEV_FXT_THREAD_SLOTS)
		return RTEV_E_FXT_THREAD_SLOT;
	uint64_t index = (uint64_t)slot + 1;
	uint64_t words[] = {FXT_THREAD | UINT64_C(3) << 4 | index << 16, pid, tid};
	int status = write_words(writer, words, 3);
	if (status == RTEV_OK && out != NULL)
		*out = (rtev_fxt_thread)index;
	return status;
}

int rtev_fxt_name_process(struct rtev_fxt_writer *writer, uint64_t pid, rtev_fxt_string name)
{
	if (name > RTEV_FXT_STRING_ID_MAX)
		return RTEV_E_INVALID;
	uint64_t words[] = {
	    FXT_KERNEL_OBJECT | UINT64_C(2) << 4 | UINT64_C(1) << 16 | (uint64_t)name << 24, pid};
	return write_words(writer, words, 2);
}

/* The process is an argument, because Perfetto needs it to find the thread. */
int rtev_fxt_name_thread(struct rtev_fxt_writer *writer, uint64_t pid, uint64_t tid, rtev_fxt_string name)
{
	if (name > RTEV_FXT_STRING_ID_MAX)
		return RTEV_E_INVALID;
	uint64_t words[] = {FXT_KERNEL_OBJECT | UINT64_C(4) << 4 | UINT64_C(2) << 16 | (uint64_t)name << 24 |
				UINT64_C(1) << 40,
	    tid, arg_word(RTEV_FXT_TYPE_KOID, 2, RTEV_FXT_STRING_PROCESS, 0), pid};
	return write_words(writer, words, 4);
}

int rtev_fxt_write_tick_rate(struct rtev_fxt_writer *writer, uint64_t per_second)
{
	if (per_second == 0)
		return RTEV_E_INVALID;
	uint64_t words[] = {FXT_INITIALIZATION | UINT64_C(2) << 4, per_second};
	return write_words(writer, words, 2);
}

int rtev_fxt_write_ticks(struct rtev_fxt_writer *writer, const struct rtev_fxt_ticks *given)
{
	struct rtev_fxt_ticks room;
	const struct rtev_fxt_ticks *ticks = sized_view(&room, sizeof(room), given);
	if (ticks == NULL || ticks->per_second == 0)
		return RTEV_E_INVALID;
	uint64_t words[] = {FXT_INITIALIZATION | UINT64_C(4) << 4, ticks->per_second, ticks->base_ticks,
	    (uint64_t)ticks->base_time};
	return write_words(writer, words, 4);
}

/* ---- events ---- */

/* Words of the arguments in a signature. */
static inline size_t args_words(rtev_fxt_args args)
{
	return args >> 4 & 0xffff;
}

/* Size of an event in words; for an invalid event a status, which is negative. */
static inline int event_words(enum rtev_fxt_event_type type, rtev_fxt_args args)
{
	size_t words = 2 + args_words(args) + rtev_fxt_event_has_word(type);
	if (args >> 20 > RTEV_FXT_EVENT_ARGS_MAX)
		return RTEV_E_FXT_ARG_COUNT;
	if (words > RTEV_FXT_RECORD_WORDS_MAX)
		return RTEV_E_FXT_RECORD_SIZE;
	return (unsigned)type > RTEV_FXT_FLOW_END || (args & 15) != 0 ? RTEV_E_INVALID : (int)words;
}

int rtev_fxt_args_check(rtev_fxt_args args)
{
	int words = event_words(RTEV_FXT_COUNTER, args);
	return words < 0 ? words : RTEV_OK;
}

int rtev_fxt_event(struct rtev_fxt_writer *writer, enum rtev_fxt_event_type type, rtev_fxt_args args,
    rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name, uint64_t ticks, uint64_t word)
{
	int words = event_words(type, args);
	if (words < 0)
		return words;
	if (thread == 0 || (category | name) > RTEV_FXT_STRING_ID_MAX)
		return RTEV_E_INVALID;
	if (type == RTEV_FXT_DURATION_COMPLETE && word < ticks)
		return RTEV_E_FXT_END_BEFORE_START;
	size_t size = (size_t)words * 8;
	int status = fxt_reserve(writer, size);
	if (status != RTEV_OK)
		return status;
	unsigned char *at = writer->pos;
	fxt_store(at, FXT_EVENT | (uint64_t)words << 4 | (uint64_t)type << 16 | (uint64_t)(args >> 20) << 20 |
			  (uint64_t)thread << 24 | (uint64_t)category << 32 | (uint64_t)name << 48);
	fxt_store(at + 8, ticks);
	bool tail = rtev_fxt_event_has_word(type);
	if (tail)
		fxt_store(at + size - 8, word);
	if (args == RTEV_FXT_NO_ARGS) {
		writer->pos = at + size;
		return RTEV_OK;
	}
	writer->record = at;
	writer->left = args;
	writer->tail = tail;
	writer->pos = writer->end = at + 16;
	return RTEV_OK;
}

/* Reserve an argument of `words` words at `pos` in the open event, and write its first word, with `value` in
 * the upper half.  Returns a status if the event did not declare such an argument. */
static int take_arg(struct rtev_fxt_writer *writer, enum rtev_fxt_arg_type type, size_t words,
    rtev_fxt_string name, uint32_t value)
{
	unsigned char *at = writer->pos;
	if (writer->start == NULL)
		return RTEV_E_FXT_STOPPED;
	if (writer->record == NULL || args_words(writer->left) < words || writer->left >> 20 == 0)
		return RTEV_E_FXT_ARGS_EXTRA;
	if (name > RTEV_FXT_STRING_ID_MAX)
		return RTEV_E_INVALID;
	fxt_store(at, arg_word(type, words, name, value));
	writer->left -= RTEV_FXT_ARGS_OF(words);
	writer->pos = writer->end = at + words * 8;
	if (writer->left == 0) {
		writer->pos += writer->tail ? 8 : 0;
		writer->end = writer->limit;
		writer->record = NULL;
	}
	return RTEV_OK;
}

/* Write an argument of two words. */
static int long_arg(
    struct rtev_fxt_writer *writer, enum rtev_fxt_arg_type type, rtev_fxt_string name, uint64_t value)
{
	unsigned char *at = writer->pos;
	int status = take_arg(writer, type, 2, name, 0);
	if (status == RTEV_OK)
		fxt_store(at + 8, value);
	return status;
}

int rtev_fxt_arg_int32(struct rtev_fxt_writer *writer, rtev_fxt_string name, int32_t value)
{
	return take_arg(writer, RTEV_FXT_TYPE_INT32, 1, name, (uint32_t)value);
}

int rtev_fxt_arg_int64(struct rtev_fxt_writer *writer, rtev_fxt_string name, int64_t value)
{
	return long_arg(writer, RTEV_FXT_TYPE_INT64, name, (uint64_t)value);
}

int rtev_fxt_arg_double(struct rtev_fxt_writer *writer, rtev_fxt_string name, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return long_arg(writer, RTEV_FXT_TYPE_DOUBLE, name, bits);
}

int rtev_fxt_arg_string(struct rtev_fxt_writer *writer, rtev_fxt_string name, rtev_fxt_string value)
{
	if (value > RTEV_FXT_STRING_ID_MAX)
		return RTEV_E_INVALID;
	return take_arg(writer, RTEV_FXT_TYPE_STRING, 1, name, value);
}

int rtev_fxt_arg_pointer(struct rtev_fxt_writer *writer, rtev_fxt_string name, uint64_t value)
{
	return long_arg(writer, RTEV_FXT_TYPE_POINTER, name, value);
}

int rtev_fxt_arg_bool(struct rtev_fxt_writer *writer, rtev_fxt_string name, bool value)
{
	return take_arg(writer, RTEV_FXT_TYPE_BOOL, 1, name, value);
}

int rtev_fxt_arg_inline(struct rtev_fxt_writer *writer, rtev_fxt_string name, const char *text, size_t len)
{
	if (len > RTEV_FXT_STRING_BYTES_MAX)
		return RTEV_E_FXT_STRING_LENGTH;
	unsigned char *at = writer->pos;
	int status = take_arg(
	    writer, RTEV_FXT_TYPE_STRING, 1 + fxt_words_for(len), name, FXT_INLINE_MARK | (uint32_t)len);
	if (status == RTEV_OK)
		store_text(at + 8, text, len);
	return status;
}
