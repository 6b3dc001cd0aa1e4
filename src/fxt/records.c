/*
 * records.c - write records other than events: strings, threads, names, ticks.
 *
 * String ids, in order: 0 empty, 1 "process", dynamic slots, temporary slots, ids assigned by
 * rtev_fxt_intern().
 */
#include <string.h>

#include "core/sized.h"
#include "fxt/format.h"
#include "fxt/writer.h"
#include "rtev/fxt.h"

#define FIRST_DYNAMIC 2u

unsigned char *fxt_store_text(unsigned char *at, const char *text, size_t len)
{
	size_t padded = fxt_words_for(len) * 8;
	if (padded > 0) {
		memset(at + padded - 8, 0, 8);
		memcpy(at, text, len);
	}
	return at + padded;
}

int fxt_write_string(struct rtev_fxt_writer *writer, uint32_t id, const char *text, size_t len)
{
	if (len > RTEV_FXT_STRING_BYTES_MAX)
		return RTEV_E_FXT_STRING_LENGTH;
	size_t words = 1 + fxt_words_for(len);
	unsigned char *at;
	int status = fxt_reserve(writer, words * 8, &at);
	if (status != RTEV_OK)
		return status;
	if (writer->keep) {
		status = fxt_texts_set(&writer->texts, id, text, len);
		if (status != RTEV_OK)
			return status;
	}
	rtev_fxt_store(at, FXT_STRING | (uint64_t)words << 4 | (uint64_t)id << 16 | (uint64_t)len << 32);
	writer->fast.pos = fxt_store_text(at + 8, text, len);
	return RTEV_OK;
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
	unsigned char *at;
	int status = fxt_reserve(writer, n * 8, &at);
	if (status != RTEV_OK)
		return status;
	for (size_t i = 0; i < n; i++)
		rtev_fxt_store(at + i * 8, words[i]);
	writer->fast.pos = at + n * 8;
	return RTEV_OK;
}

int rtev_fxt_write_blob(struct rtev_fxt_writer *writer, enum rtev_fxt_blob_type type, rtev_fxt_string name,
    const void *data, size_t len)
{
	size_t words = 1 + fxt_words_for(len);
	unsigned char *at;

	if (name > RTEV_FXT_STRING_ID_MAX || type < RTEV_FXT_BLOB_DATA || type > RTEV_FXT_BLOB_PERFETTO)
		return RTEV_E_INVALID;
	if (len > RTEV_FXT_BLOB_BYTES_MAX)
		return RTEV_E_FXT_RECORD_SIZE;
	int status = fxt_reserve(writer, words * 8, &at);
	if (status != RTEV_OK)
		return status;
	rtev_fxt_store(at, FXT_BLOB | (uint64_t)words << 4 | (uint64_t)name << 16 | (uint64_t)len << 32 |
			       (uint64_t)type << 48);
	writer->fast.pos = fxt_store_text(at + 8, data, len);
	return RTEV_OK;
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
	    tid, rtev_fxt_arg_word(RTEV_FXT_TYPE_KOID, 2, RTEV_FXT_STRING_PROCESS, 0), pid};
	return write_words(writer, words, 4);
}

/* Make the timer's age one second at the rate just written. */
static void set_rate(struct rtev_fxt_writer *writer, uint64_t per_second)
{
	if (!writer->fixed_age)
		writer->fast.switch_age = per_second;
}

int rtev_fxt_write_tick_rate(struct rtev_fxt_writer *writer, uint64_t per_second)
{
	if (per_second == 0)
		return RTEV_E_INVALID;
	uint64_t words[] = {FXT_INITIALIZATION | UINT64_C(2) << 4, per_second};
	int status = write_words(writer, words, 2);
	if (status == RTEV_OK)
		set_rate(writer, per_second);
	return status;
}

int rtev_fxt_write_ticks(struct rtev_fxt_writer *writer, const struct rtev_fxt_ticks *given)
{
	struct rtev_fxt_ticks room;
	const struct rtev_fxt_ticks *ticks = sized_view(&room, sizeof(room), given);
	if (ticks == NULL || ticks->per_second == 0)
		return RTEV_E_INVALID;
	uint64_t words[] = {FXT_INITIALIZATION | UINT64_C(4) << 4, ticks->per_second, ticks->base_ticks,
	    (uint64_t)ticks->base_time};
	int status = write_words(writer, words, 4);
	if (status == RTEV_OK)
		set_rate(writer, ticks->per_second);
	return status;
}
