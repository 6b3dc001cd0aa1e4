/*
 * pages.h - words of a process's memory during one walk: each page is read once, so that all of its words are
 * of one instant and few calls are made.
 *
 * A copy of the stack's top that was made with the sample takes precedence over memory.
 */
#pragma once

#include "target/variables.h"

enum {
	PAGE_BYTES = 4096,
	PAGE_SLOTS = 32,
	PAGES_AHEAD = 6 /* pages read together before a walk */
};

/* Pages that the latest walks of a thread have used, those of the last walk first: the next one may use them,
 * too.  No two of them have the same slot. */
struct pages_ahead {
	uint64_t page[PAGES_AHEAD];
	unsigned count;
};

struct pages {
	struct memory_reader memory;
	const unsigned char *copy; /* copy of the memory from copy_at on; NULL: none */
	uint64_t copy_at;
	size_t copy_size;
	uint64_t bytes_read;	  /* since the structure was made */
	int32_t owner;		  /* the thread whose walks share what was read; 0: it was forgotten */
	struct pages_ahead used;  /* the first pages used in this walk */
	bool is_used[PAGE_SLOTS]; /* whether a page of the slot was used */
	uint64_t tag[PAGE_SLOTS]; /* address of the page in the slot, plus 1; 0: none */
	uint16_t low[PAGE_SLOTS], high[PAGE_SLOTS]; /* range in the page that pages_same compares */
	unsigned char slot[PAGE_SLOTS][PAGE_BYTES], again[PAGE_SLOTS][PAGE_BYTES];
};

/* Forget all pages that were read, since memory may have changed. */
void pages_forget(struct pages *pages);

/* Begin a walk: forget the copy, and also the pages unless the last walk, of the same thread, left them.  The
 * pages in `ahead` are read in one call; if that fails, the list becomes empty.  `ahead` NULL, `owner` 0:
 * none. */
void pages_begin(struct pages *pages, struct pages_ahead *ahead, int32_t owner);

/* End a walk and list the pages that the next one may use.  `good`: the pages were consistent, and the next
 * walk may share them. */
void pages_end(struct pages *pages, struct pages_ahead *ahead, bool good);

/* Whether the whole range is in the copy. */
bool pages_in_copy(const struct pages *pages, uint64_t address, size_t size);

/* Read the word at an address, which must be a multiple of 8. */
bool pages_word(struct pages *pages, uint64_t address, uint64_t *out);

/* Read the word at an address for a frame: pages_same will compare it, and everything between it and other
 * frame words of its page. */
bool pages_frame_word(struct pages *pages, uint64_t address, uint64_t *out);

/* Whether memory still has what pages_frame_word read, apart from words of the copy.  The call also reads up
 * to PAGES_ALSO other places, which the caller compares. */
#define PAGES_ALSO 8
bool pages_same(struct pages *pages, const struct variables_place *also, size_t also_count);

/* Read bytes.  Returns false if not all of them can be read. */
bool pages_bytes(struct pages *pages, uint64_t address, void *to, size_t size);

/* Read a text; a text of `size` bytes or more is truncated. */
bool pages_text(struct pages *pages, uint64_t address, char *to, size_t size);
