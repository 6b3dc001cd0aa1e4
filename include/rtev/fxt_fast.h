/*
 * fxt_fast.h - write trace events at the lowest cost: inline, unchecked, with precomputed headers.
 *
 * NOT part of the stable ABI.  These functions are compiled into the calling program and depend on a writer's
 * memory layout.  They work only with the release whose header was included: link librtev statically, or
 * rebuild with each release.  The functions of the shared library that they call have a separate symbol
 * version (RTEV_FXT_FAST_0.1), which changes with that layout, so a program does not start with an
 * incompatible library.
 *
 * - rtev_fxt_event_fast() writes the same as rtev_fxt_event(), with the same checks.
 * - rtev_fxt_put() writes a header made by rtev_fxt_header_make(), and rtev_fxt_put_*() write what the header
 *   declares.  These never write outside the buffer, but the caller must make sure that the record is well
 *   formed.
 *
 * A program may mix them with the functions of fxt.h; the rules for writers given there apply.
 */
#ifndef RTEV_FXT_FAST_H
#define RTEV_FXT_FAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rtev/fxt.h"
#include "rtev/rtev.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first part of a writer.  Private: do not read or write it. */
struct rtev_fxt_fast {
	unsigned char *pos;  /* where the next word goes */
	unsigned char *end;  /* end of the free room; equals pos while only the slow path may write */
	uint64_t switched;   /* when the timer last switched buffers, in ticks */
	uint64_t switch_age; /* ticks after which the timer switches buffers */
	uint64_t (*clock)(void *ctx);
	void *clock_ctx;
};

static inline struct rtev_fxt_fast *rtev_fxt_fast_of(struct rtev_fxt_writer *writer)
{
	return (struct rtev_fxt_fast *)(void *)writer;
}

/* Store one word of a record. */
static inline void rtev_fxt_store(unsigned char *at, uint64_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	memcpy(at, &word, sizeof(word));
}

/* As rtev_fxt_event(), with the common case inline: no arguments, no error, room in the buffer. */
static inline int rtev_fxt_event_fast(struct rtev_fxt_writer *writer, enum rtev_fxt_event_type type,
    rtev_fxt_args args, rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name,
    uint64_t ticks, uint64_t word)
{
	struct rtev_fxt_fast *fast = rtev_fxt_fast_of(writer);
	unsigned char *pos = fast->pos;
	uint64_t words = rtev_fxt_event_has_word(type) ? 3 : 2;
	if ((unsigned)type > RTEV_FXT_FLOW_END || args != RTEV_FXT_NO_ARGS || thread == 0 ||
	    (category | name) > RTEV_FXT_STRING_ID_MAX ||
	    (type == RTEV_FXT_DURATION_COMPLETE && word < ticks) ||
	    (size_t)(fast->end - pos) < (size_t)words * 8)
		return rtev_fxt_event(writer, type, args, thread, category, name, ticks, word);
	rtev_fxt_store(pos, UINT64_C(4) | words << 4 | (uint64_t)type << 16 | (uint64_t)thread << 24 |
				(uint64_t)category << 32 | (uint64_t)name << 48);
	rtev_fxt_store(pos + 8, ticks);
	if (words == 3)
		rtev_fxt_store(pos + 16, word);
	fast->pos = pos + words * 8;
	return RTEV_OK;
}

/* As rtev_fxt_ticks_now(), but inline where that takes one instruction. */
static inline uint64_t rtev_fxt_ticks_fast(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
	return __builtin_ia32_rdtsc();
#else
	return rtev_fxt_ticks_now();
#endif
}

/* The first word of an event record, which can be made once and reused. */
typedef uint64_t rtev_fxt_header;

/* Make a header.  Its size includes the extra word of the kind of event, if any.  Statuses as
 * rtev_fxt_event(). */
RTEV_API int rtev_fxt_header_make(rtev_fxt_header *out, enum rtev_fxt_event_type type, rtev_fxt_args args,
    rtev_fxt_thread thread, rtev_fxt_string category, rtev_fxt_string name);

/* Add the size of another inline string of len bytes, whose argument the header already counts.
 * RTEV_E_FXT_RECORD_SIZE when the record would be too long; the header is then unchanged. */
RTEV_API int rtev_fxt_header_grow(rtev_fxt_header *header, size_t len);

/* Change a header to an inline name: the caller must then call rtev_fxt_put_text() directly after
 * rtev_fxt_put().  RTEV_E_FXT_STRING_LENGTH, RTEV_E_FXT_RECORD_SIZE. */
RTEV_API int rtev_fxt_header_set_inline_name(rtev_fxt_header *header, size_t len);

/* Return the header with another name.  The old name must be a string id too. */
static inline rtev_fxt_header rtev_fxt_header_set_name(rtev_fxt_header header, rtev_fxt_string name)
{
	return (header & 0x0000ffffffffffffu) | (uint64_t)(name & RTEV_FXT_STRING_ID_MAX) << 48;
}

/* The size of a header's record in bytes. */
static inline size_t rtev_fxt_header_bytes(rtev_fxt_header header)
{
	return (size_t)((header & 0xfff0u) >> 1);
}

/* Slow paths of the functions below: get a buffer with room; refuse a word that the header did not declare;
 * switch a buffer that is too old. */
RTEV_API int rtev_fxt_slow_room(struct rtev_fxt_writer *writer, size_t need);
RTEV_API int rtev_fxt_slow_refuse(struct rtev_fxt_writer *writer);
RTEV_API int rtev_fxt_slow_age(struct rtev_fxt_writer *writer, uint64_t now);

/*
 * Write a header and the time, after making room for the whole record.  If the header declares neither
 * arguments nor an extra word, the event is complete.  Otherwise the caller must write the arguments, and
 * last the id or the end time with rtev_fxt_put_word(); this is not checked.  RTEV_E_INVALID when `header` is
 * not an event's header.
 */
static inline int rtev_fxt_put(struct rtev_fxt_writer *writer, rtev_fxt_header header, uint64_t ticks)
{
	struct rtev_fxt_fast *fast = rtev_fxt_fast_of(writer);
	size_t need = rtev_fxt_header_bytes(header);
	if (need < 16 || (size_t)(fast->end - fast->pos) < need) {
		int status = rtev_fxt_slow_room(writer, need);
		if (status != RTEV_OK)
			return status;
	}
	unsigned char *pos = fast->pos;
	rtev_fxt_store(pos, header);
	rtev_fxt_store(pos + 8, ticks);
	fast->pos = pos + 16;
	return RTEV_OK;
}

/*
 * As rtev_fxt_put() with the clock's time.  *ticks is set to that time; `ticks` may be NULL.  When more than
 * switch_age (see the options) has passed since the last switch, the function switches buffers before the
 * record, so that a slowly written trace still reaches its destination.
 */
static inline int rtev_fxt_put_now(struct rtev_fxt_writer *writer, rtev_fxt_header header, uint64_t *ticks)
{
	struct rtev_fxt_fast *fast = rtev_fxt_fast_of(writer);
	uint64_t now = fast->clock != NULL ? fast->clock(fast->clock_ctx) : rtev_fxt_ticks_fast();
	if (now - fast->switched > fast->switch_age) {
		int status = rtev_fxt_slow_age(writer, now);
		if (status != RTEV_OK)
			return status;
	}
	if (ticks != NULL)
		*ticks = now;
	return rtev_fxt_put(writer, header, now);
}

/* Write the extra word of an event: the async id, flow id, counter id or end time.  This and the functions
 * below return RTEV_E_FXT_ARGS_EXTRA when the buffer has no room, because rtev_fxt_put() made room for
 * everything that the header declares. */
static inline int rtev_fxt_put_word(struct rtev_fxt_writer *writer, uint64_t word)
{
	struct rtev_fxt_fast *fast = rtev_fxt_fast_of(writer);
	unsigned char *pos = fast->pos;
	if ((size_t)(fast->end - pos) < 8)
		return rtev_fxt_slow_refuse(writer);
	rtev_fxt_store(pos, word);
	fast->pos = pos + 8;
	return RTEV_OK;
}

static inline int rtev_fxt_put_words(struct rtev_fxt_writer *writer, uint64_t first, uint64_t second)
{
	struct rtev_fxt_fast *fast = rtev_fxt_fast_of(writer);
	unsigned char *pos = fast->pos;
	if ((size_t)(fast->end - pos) < 16)
		return rtev_fxt_slow_refuse(writer);
	rtev_fxt_store(pos, first);
	rtev_fxt_store(pos + 8, second);
	fast->pos = pos + 16;
	return RTEV_OK;
}

/* Write bytes, padded with zeros to whole words: an inline name, or the text of an inline string. */
RTEV_API int rtev_fxt_put_text(struct rtev_fxt_writer *writer, const char *text, size_t len);

/* The first word of an argument of `words` words, with `value` in its upper half. */
static inline uint64_t rtev_fxt_arg_word(
    enum rtev_fxt_arg_type type, uint64_t words, rtev_fxt_string name, uint32_t value)
{
	return (uint64_t)type | words << 4 | (uint64_t)name << 16 | (uint64_t)value << 32;
}

/* Write one argument of an event begun with rtev_fxt_put().  The functions do not check that it was
 * declared. */
static inline int rtev_fxt_put_int32(struct rtev_fxt_writer *writer, rtev_fxt_string name, int32_t value)
{
	return rtev_fxt_put_word(writer, rtev_fxt_arg_word(RTEV_FXT_TYPE_INT32, 1, name, (uint32_t)value));
}

static inline int rtev_fxt_put_int64(struct rtev_fxt_writer *writer, rtev_fxt_string name, int64_t value)
{
	return rtev_fxt_put_words(
	    writer, rtev_fxt_arg_word(RTEV_FXT_TYPE_INT64, 2, name, 0), (uint64_t)value);
}

static inline int rtev_fxt_put_double(struct rtev_fxt_writer *writer, rtev_fxt_string name, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return rtev_fxt_put_words(writer, rtev_fxt_arg_word(RTEV_FXT_TYPE_DOUBLE, 2, name, 0), bits);
}

static inline int rtev_fxt_put_string(
    struct rtev_fxt_writer *writer, rtev_fxt_string name, rtev_fxt_string value)
{
	return rtev_fxt_put_word(writer, rtev_fxt_arg_word(RTEV_FXT_TYPE_STRING, 1, name, value));
}

static inline int rtev_fxt_put_pointer(struct rtev_fxt_writer *writer, rtev_fxt_string name, uint64_t value)
{
	return rtev_fxt_put_words(writer, rtev_fxt_arg_word(RTEV_FXT_TYPE_POINTER, 2, name, 0), value);
}

static inline int rtev_fxt_put_bool(struct rtev_fxt_writer *writer, rtev_fxt_string name, bool value)
{
	return rtev_fxt_put_word(writer, rtev_fxt_arg_word(RTEV_FXT_TYPE_BOOL, 1, name, value));
}

/* RTEV_E_FXT_STRING_LENGTH for a text that is too long. */
RTEV_API int rtev_fxt_put_inline(
    struct rtev_fxt_writer *writer, rtev_fxt_string name, const char *text, size_t len);

#ifdef __cplusplus
}
#endif

#endif
