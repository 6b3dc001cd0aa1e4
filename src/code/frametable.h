/*
 * frametable.h - the frame tables of a program: for each return address in OCaml code, the size of the frame
 * there, and its functions and lines.
 *
 * The tables are read from memory once, and again after plugins were loaded.  They are untrusted: counts and
 * sizes are checked, and reading them spends from an effort.
 */
#pragma once

#include "code/pages.h"
#include "code/symbols.h"

/* A descriptor. */
struct frame_row {
	uint64_t address;    /* the return address */
	uint64_t descriptor; /* address of the descriptor */
	uint32_t size;	     /* size of the frame with the return address; 0: the base of a chunk */
	bool debug;	     /* the descriptor has debug information */
	bool allocates;
};

struct frametable {
	struct frame_row *rows; /* sorted by address */
	size_t count, room;
	uint64_t known; /* state of the runtime's list that the rows are from */
};

/* Addresses of the runtime's tables; 0: there is no such variable, or no symbol for it. */
struct frametable_place {
	uint64_t array;	 /* caml_frametable */
	uint64_t descrs; /* current_frame_descrs, or in OCaml 5.0 current_frametable */
	uint64_t list;	 /* frametables of OCaml 5.0 */
};

/* Memory that a row takes from the effort, including sorting. */
#define FRAMETABLE_ROW_MEMORY (2 * sizeof(struct frame_row))

/* Read the tables if they have changed.  Returns 0, an errno value, EINVAL if they are invalid, EAGAIN if the
 * program may be about to begin, or E2BIG beyond the effort; on failure the old rows stay. */
int frametable_refresh(struct frametable *table, const struct memory_reader *memory,
    const struct frametable_place *place, struct effort *effort);
void frametable_fini(struct frametable *table);

/* Return the row of a return address; NULL: none. */
const struct frame_row *frametable_find(const struct frametable *table, uint64_t address);

/* Return the first row at or behind an address; NULL: none. */
const struct frame_row *frametable_next(const struct frametable *table, uint64_t address);

/* A function and a line from a row's debug information. */
struct frame_line {
	char name[CODE_NAME_SIZE], file[CODE_NAME_SIZE]; /* as the compiler wrote them */
	unsigned line;
};

/* Read the entry with an index, 0 being the innermost function; `short_lines` is the member of struct
 * runtime_layout.  *more: the function was inlined into that of a next entry.  Returns false if there is
 * none. */
bool frame_row_line(const struct frame_row *row, struct pages *pages, bool short_lines, unsigned index,
    struct frame_line *out, bool *more);
