/*
 * writer.h - internals of the writer.
 *
 * A record is *open* while a checked event waits for the arguments it declared.  If its kind ends with a word
 * of its own, that word is stored at once, behind the space for the arguments.  While a record is open,
 * fast.end == fast.pos: the inline functions see no room and call the slow path, which drops the incomplete
 * record unless it is given one of the arguments.
 *
 * A writer without a buffer is *stopped*: it was closed, or its destination failed.
 */
#ifndef FXT_WRITER_H
#define FXT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fxt/texts.h"
#include "rtev/fxt.h"
#include "rtev/fxt_fast.h"

struct rtev_fxt_writer {
	struct rtev_fxt_fast fast; /* has to be first */
	struct rtev_fxt_destination *destination;
	struct rtev_fxt_destination calls; /* as it was when passed in */
	unsigned char *start;		   /* of the buffer; NULL: stopped */
	unsigned char *limit;		   /* of the buffer */
	unsigned char *record;		   /* the open record, or NULL */
	rtev_fxt_args left;		   /* signature of the arguments it lacks */
	bool tail;			   /* it ends with a word of its own */
	bool closed;
	bool fixed_age; /* the timer's age was given as an option */
	int failure;	/* status of the destination */
	uint32_t dynamic_slots;
	uint32_t temp_slots;
	uint32_t next_string; /* next id for rtev_fxt_intern() */
	bool keep;
	struct fxt_texts texts;
	unsigned char nothing[8]; /* fast.pos and fast.end of a stopped writer */
};

/* Make room for a record of `need` bytes.  Returns its place in *at and a status as all writing functions.
 * The caller stores the record and advances fast.pos. */
int fxt_reserve(struct rtev_fxt_writer *writer, size_t need, unsigned char **place);

/* Define a string; `id` is not checked.  RTEV_E_FXT_STRING_LENGTH. */
int fxt_write_string(struct rtev_fxt_writer *writer, uint32_t id, const char *text, size_t len);

/* Store len bytes padded with zeros to whole words.  Returns the end. */
unsigned char *fxt_store_text(unsigned char *at, const char *text, size_t len);

#endif
