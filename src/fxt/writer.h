/*
 * writer.h - internals of the writer.
 *
 * A record is *open* while a checked event waits for the arguments it declared.  If its kind ends with a word
 * of its own, that word is stored at once, behind the space for the arguments.  While a record is open,
 * end == pos: whatever is written next finds no room, and the slow path drops the incomplete record.
 *
 * A writer without a buffer is *stopped*: it was closed, or its destination failed.
 */
#pragma once

#include "fxt/format.h"
#include "rtev/fxt.h"

struct rtev_fxt_writer {
	struct rtev_fxt_destination *destination;
	struct rtev_fxt_destination calls; /* as it was when passed in */
	unsigned char *start;		   /* of the buffer; NULL: stopped */
	unsigned char *pos;		   /* where the next word goes */
	unsigned char *end;		   /* of the free room */
	unsigned char *limit;		   /* of the buffer */
	unsigned char *record;		   /* the open record, or NULL */
	rtev_fxt_args left;		   /* signature of the arguments still missing */
	bool tail;			   /* it ends with a word of its own */
	bool closed;
	int failure; /* status of the destination */
	uint32_t dynamic_slots;
	uint32_t temp_slots;
	uint32_t next_string; /* next id for rtev_fxt_intern() */
	bool keep;
	struct fxt_texts texts;
	unsigned char nothing[8]; /* pos and end of a stopped writer */
};

/* Continue in a new buffer with room for `need` bytes. */
int fxt_make_room(struct rtev_fxt_writer *writer, size_t need);

/* Make room for a record of `need` bytes.  Returns a status as all writing functions.  The caller stores the
 * record at `pos` and advances that. */
static inline int fxt_reserve(struct rtev_fxt_writer *writer, size_t need)
{
	return (size_t)(writer->end - writer->pos) < need ? fxt_make_room(writer, need) : RTEV_OK;
}

/* Define a string.  `id` is not checked.  Returns RTEV_E_FXT_STRING_LENGTH for a long text. */
int fxt_write_string(struct rtev_fxt_writer *writer, uint32_t id, const char *text, size_t len);

/* Write a record that consists of a first word, whose size is filled in, and a text or other bytes.  Returns
 * the statuses of fxt_reserve. */
int fxt_write_text(struct rtev_fxt_writer *writer, uint64_t header, const char *text, size_t len);
