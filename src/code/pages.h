/*
 * pages.h - words of a process's memory during one walk: each page is read once, so that all words of it are of one
 * instant, and few calls are made.
 *
 * A copy of a piece of the stack that was made when the sample was taken goes before what memory holds by now.
 */
#pragma once

#include "target/variables.h"

enum {
	PAGE_BYTES = 4096,
	PAGE_SLOTS = 32,
	PAGES_AHEAD = 6 /* read at once before a walk */
};

/* Pages that the latest walks of a thread have used, those of the last one before others: the next one may use them, too.
 * No two have the same slot. */
struct pages_ahead {
	uint64_t page[PAGES_AHEAD];
	unsigned count;
};

struct pages {
	struct memory_reader memory;
	const unsigned char *copy; /* of the memory from copy_at on; NULL: none */
	uint64_t copy_at;
	size_t copy_size;
	uint64_t bytes_read;	 /* since it was made */
	int32_t owner;		 /* the thread whose walks use what was read; 0: what was read is forgotten */
	struct pages_ahead used; /* since the walk began, the first ones */
	bool is_used[PAGE_SLOTS];		    /* some page of the slot */
	uint64_t tag[PAGE_SLOTS];		    /* address of the page in the slot, plus 1; 0: none */
	uint16_t low[PAGE_SLOTS], high[PAGE_SLOTS]; /* of the page in the slot: what pages_same compares */
	unsigned char slot[PAGE_SLOTS][PAGE_BYTES], again[PAGE_SLOTS][PAGE_BYTES];
};

/* Forget what was read: from here on memory may be another. */
void pages_forget(struct pages *pages);

/* Begin a walk: forget the copy, and all pages unless the walk before, of the same thread, left them.  Those that it may
 * use are read then, by one call; if they can't be, the list becomes empty.  `ahead` NULL, `owner` 0: none. */
void pages_begin(struct pages *pages, struct pages_ahead *ahead, int32_t owner);

/* End a walk: list what the next one may use.  `good`: what was read was right, and is left to it. */
void pages_end(struct pages *pages, struct pages_ahead *ahead, bool good);

/* Whether all of a place is in the copy. */
bool pages_in_copy(const struct pages *pages, uint64_t address, size_t size);

/* Read the word at an address, which must be a multiple of 8. */
bool pages_word(struct pages *pages, uint64_t address, uint64_t *out);

/* Read the word at an address, which pages_same will compare, with all between it and the others of its page. */
bool pages_frame_word(struct pages *pages, uint64_t address, uint64_t *out);

/* Whether memory still has what was read by pages_frame_word, but for what came from the copy.  Other places, at most
 * PAGES_ALSO, are read by the same call; what they are to hold is the caller's to compare. */
#define PAGES_ALSO 8
bool pages_same(struct pages *pages, const struct variables_place *also, size_t also_count);

/* Read bytes.  False if not all can be read. */
bool pages_bytes(struct pages *pages, uint64_t address, void *to, size_t size);

/* Read a text of less than `size` bytes; a longer one is cut. */
bool pages_text(struct pages *pages, uint64_t address, char *to, size_t size);
