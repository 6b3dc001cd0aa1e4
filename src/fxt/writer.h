/*
 * writer.h - the inside of a trace writer.
 *
 * A record is *open* while a checked event waits for declared arguments.  Its last word, where its kind has
 * one, is stored at once, at its place behind the arguments to come.  While a record is open the room that the
 * inline functions see is nought (fast.end == fast.pos), so that whatever is written next, other than one of its
 * arguments, comes by the slow path, which drops the incomplete record.
 *
 * A writer is *stopped* when it has no buffer: after a failure of its destination or after closing.
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
	struct rtev_fxt_fast fast; /* first */
	struct rtev_fxt_destination *destination;
	struct rtev_fxt_destination calls; /* what it had when it was taken */
	unsigned char *start;		   /* of the buffer; NULL when stopped */
	unsigned char *limit;		   /* end of the buffer */
	unsigned char *record;		   /* start of the open record, else NULL */
	rtev_fxt_args left;		   /* of the open record's signature */
	bool tail;			   /* the open record ends with a word of its own */
	bool closed;
	bool fixed_age; /* the timer's age was an option */
	int failure;	/* of the destination */
	uint32_t dynamic_slots;
	uint32_t temp_slots;
	uint32_t next_string; /* the next id for rtev_fxt_intern() */
	bool keep;
	struct fxt_texts texts;
	unsigned char nothing[8]; /* where pos and end point when stopped */
};

/* Make room for a record of `need` bytes and get its place; statuses as every writing function.  The caller
 * stores the record and moves fast.pos behind it. */
int fxt_reserve(struct rtev_fxt_writer *writer, size_t need, unsigned char **place);

/* Write the record that defines a string; `id` is not checked.  RTEV_E_FXT_STRING_LENGTH. */
int fxt_write_string(struct rtev_fxt_writer *writer, uint32_t id, const char *text, size_t len);

/* Store len bytes padded with zeros to whole words; returns where the next word goes. */
unsigned char *fxt_store_text(unsigned char *at, const char *text, size_t len);

#endif
