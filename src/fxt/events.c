/*
 * events.c - write events and their arguments.
 *
 * A signature counts arguments from bit 20 up and their words in bits 4 to 19.  While an event is open,
 * `left` is the signature of the arguments still to come.  Each argument subtracts its own; at zero the event
 * is complete.
 */
#include <string.h>

#include "fxt/format.h"
#include "fxt/writer.h"
#include "rtev/fxt.h"

/* Words of the arguments in a signature. */
static inline size_t args_words(rtev_fxt_args args)
{
	return args >> 4 & 0xffff;
}

/* Size of an event in words.  Returns 0 and sets *status if the event is invalid. */
static size_t event_words(enum rtev_fxt_event_type type, rtev_fxt_args args, int *status)
{
	size_t words = 2 + args_words(args) + rtev_fxt_event_has_word(type);
	if (args >> 20 > RTEV_FXT_EVENT_ARGS_MAX)
		*status = RTEV_E_FXT_ARG_COUNT;
	else if (words > RTEV_FXT_RECORD_WORDS_MAX)
		*status = RTEV_E_FXT_RECORD_SIZE;
	else if ((unsigned)type > RTEV_FXT_FLOW_END || (args & 15) != 0)
		*status = RTEV_E_INVALID;
	else
		return words;
	return 0;
}

int rtev_fxt_args_check(rtev_fxt_args args)
{
	int status = RTEV_OK;
	event_words(RTEV_FXT_COUNTER, args, &status);
	return status;
}

/* The first word of an event. */
static inline uint64_t event_header(enum rtev_fxt_event_type type, size_t words, rtev_fxt_args args,
    rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name)
{
	return FXT_EVENT | (uint64_t)words << 4 | (uint64_t)type << 16 | (uint64_t)(args >> 20) << 20 |
	       (uint64_t)thread << 24 | (uint64_t)category << 32 | (uint64_t)name << 48;
}

/* Check an event.  *words is its size. */
static inline int check_event(enum rtev_fxt_event_type type, rtev_fxt_args args, rtev_fxt_thread thread,
    rtev_fxt_string category, rtev_fxt_string name, size_t *words)
{
	int status = RTEV_OK;
	*words = event_words(type, args, &status);
	if (*words == 0)
		return status;
	return thread == 0 || (category | name) > RTEV_FXT_STRING_ID_MAX ? RTEV_E_INVALID : RTEV_OK;
}

int rtev_fxt_event(struct rtev_fxt_writer *writer, enum rtev_fxt_event_type type, rtev_fxt_args args,
    rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name, uint64_t ticks, uint64_t word)
{
	size_t words;
	int status = check_event(type, args, thread, category, name, &words);
	if (status != RTEV_OK)
		return status;
	if (type == RTEV_FXT_DURATION_COMPLETE && word < ticks)
		return RTEV_E_FXT_END_BEFORE_START;
	unsigned char *at;
	status = fxt_reserve(writer, words * 8, &at);
	if (status != RTEV_OK)
		return status;
	rtev_fxt_store(at, event_header(type, words, args, thread, category, name));
	rtev_fxt_store(at + 8, ticks);
	bool tail = rtev_fxt_event_has_word(type);
	if (tail)
		rtev_fxt_store(at + (words - 1) * 8, word);
	if (args == RTEV_FXT_NO_ARGS) {
		writer->fast.pos = at + words * 8;
		return RTEV_OK;
	}
	writer->record = at;
	writer->left = args;
	writer->tail = tail;
	writer->fast.pos = writer->fast.end = at + 16;
	return RTEV_OK;
}

/* Reserve an argument of `words` words in the open event.  Returns its place, or NULL and sets a status if
 * the event has no such argument. */
static unsigned char *take_arg(
    struct rtev_fxt_writer *writer, rtev_fxt_string name, size_t words, int *status)
{
	rtev_fxt_args arg = RTEV_FXT_ARGS_OF(words);
	unsigned char *at = writer->fast.pos;
	if (writer->start == NULL) {
		*status = RTEV_E_FXT_STOPPED;
		return NULL;
	}
	if (writer->record == NULL || args_words(writer->left) < words || writer->left >> 20 == 0) {
		*status = RTEV_E_FXT_ARGS_EXTRA;
		return NULL;
	}
	if (name > RTEV_FXT_STRING_ID_MAX) {
		*status = RTEV_E_INVALID;
		return NULL;
	}
	*status = RTEV_OK;
	writer->left -= arg;
	writer->fast.pos = writer->fast.end = at + words * 8;
	if (writer->left == 0) {
		writer->fast.pos += writer->tail ? 8 : 0;
		writer->fast.end = writer->limit;
		writer->record = NULL;
	}
	return at;
}

/* Write an argument of one word. */
static int short_arg(
    struct rtev_fxt_writer *writer, enum rtev_fxt_arg_type type, rtev_fxt_string name, uint32_t value)
{
	int status;
	unsigned char *at = take_arg(writer, name, 1, &status);
	if (at != NULL)
		rtev_fxt_store(at, rtev_fxt_arg_word(type, 1, name, value));
	return status;
}

/* Write an argument of two words. */
static int long_arg(
    struct rtev_fxt_writer *writer, enum rtev_fxt_arg_type type, rtev_fxt_string name, uint64_t value)
{
	int status;
	unsigned char *at = take_arg(writer, name, 2, &status);
	if (at != NULL) {
		rtev_fxt_store(at, rtev_fxt_arg_word(type, 2, name, 0));
		rtev_fxt_store(at + 8, value);
	}
	return status;
}

int rtev_fxt_arg_int32(struct rtev_fxt_writer *writer, rtev_fxt_string name, int32_t value)
{
	return short_arg(writer, RTEV_FXT_TYPE_INT32, name, (uint32_t)value);
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
	return short_arg(writer, RTEV_FXT_TYPE_STRING, name, value);
}

int rtev_fxt_arg_pointer(struct rtev_fxt_writer *writer, rtev_fxt_string name, uint64_t value)
{
	return long_arg(writer, RTEV_FXT_TYPE_POINTER, name, value);
}

int rtev_fxt_arg_bool(struct rtev_fxt_writer *writer, rtev_fxt_string name, bool value)
{
	return short_arg(writer, RTEV_FXT_TYPE_BOOL, name, value);
}

int rtev_fxt_arg_inline(struct rtev_fxt_writer *writer, rtev_fxt_string name, const char *text, size_t len)
{
	if (len > RTEV_FXT_STRING_BYTES_MAX)
		return RTEV_E_FXT_STRING_LENGTH;
	size_t words = 1 + fxt_words_for(len);
	int status;
	unsigned char *at = take_arg(writer, name, words, &status);
	if (at != NULL) {
		rtev_fxt_store(at,
		    rtev_fxt_arg_word(RTEV_FXT_TYPE_STRING, words, name, FXT_INLINE_MARK | (uint32_t)len));
		fxt_store_text(at + 8, text, len);
	}
	return status;
}

int rtev_fxt_header_make(rtev_fxt_header *out, enum rtev_fxt_event_type type, rtev_fxt_args args,
    rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name)
{
	size_t words;
	int status = check_event(type, args, thread, category, name, &words);
	if (status != RTEV_OK)
		return status;
	*out = event_header(type, words, args, thread, category, name);
	return RTEV_OK;
}

int rtev_fxt_header_grow(rtev_fxt_header *header, size_t len)
{
	size_t words = (size_t)fxt_bits(*header, 4, 15), more = fxt_words_for(len);
	if (more > RTEV_FXT_RECORD_WORDS_MAX - words)
		return RTEV_E_FXT_RECORD_SIZE;
	*header += (uint64_t)more << 4;
	return RTEV_OK;
}

int rtev_fxt_header_set_inline_name(rtev_fxt_header *header, size_t len)
{
	rtev_fxt_header plain = *header;
	if (len > RTEV_FXT_STRING_BYTES_MAX)
		return RTEV_E_FXT_STRING_LENGTH;
	uint64_t old = fxt_bits(plain, 48, 63);
	if ((old & FXT_INLINE_MARK) != 0)
		plain -= (uint64_t)fxt_words_for(old & RTEV_FXT_STRING_ID_MAX) << 4;
	int status = rtev_fxt_header_grow(&plain, len);
	if (status != RTEV_OK)
		return status;
	*header = (plain & UINT64_C(0x0000ffffffffffff)) | (uint64_t)(FXT_INLINE_MARK | len) << 48;
	return RTEV_OK;
}

int rtev_fxt_put_text(struct rtev_fxt_writer *writer, const char *text, size_t len)
{
	if (len > RTEV_FXT_STRING_BYTES_MAX)
		return RTEV_E_FXT_STRING_LENGTH;
	if ((size_t)(writer->fast.end - writer->fast.pos) < fxt_words_for(len) * 8)
		return rtev_fxt_slow_refuse(writer);
	writer->fast.pos = fxt_store_text(writer->fast.pos, text, len);
	return RTEV_OK;
}

int rtev_fxt_put_inline(struct rtev_fxt_writer *writer, rtev_fxt_string name, const char *text, size_t len)
{
	size_t words = 1 + fxt_words_for(len);
	if (len > RTEV_FXT_STRING_BYTES_MAX)
		return RTEV_E_FXT_STRING_LENGTH;
	if ((size_t)(writer->fast.end - writer->fast.pos) < words * 8)
		return rtev_fxt_slow_refuse(writer);
	rtev_fxt_store(writer->fast.pos,
	    rtev_fxt_arg_word(RTEV_FXT_TYPE_STRING, words, name, FXT_INLINE_MARK | (uint32_t)len));
	writer->fast.pos = fxt_store_text(writer->fast.pos + 8, text, len);
	return RTEV_OK;
}
