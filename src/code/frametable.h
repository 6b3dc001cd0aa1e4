/*
 * frametable.h - the frame tables of a program: for each place in OCaml code that a call returns to, the size of the
 * frame there, and which functions and lines it is of.
 *
 * The tables are read from memory once, and again when plugins were loaded.  They are foreign: counts and sizes are
 * checked, and all of it spends of an effort.
 */
#pragma once

#include "code/pages.h"
#include "code/symbols.h"

/* A descriptor. */
struct frame_row {
	uint64_t address;    /* that a call returns to */
	uint64_t descriptor; /* where it lies */
	uint32_t size;	     /* of the frame with the return address; 0: the base of a chunk */
	bool debug;	     /* it says functions and lines */
	bool allocates;
};

struct frametable {
	struct frame_row *rows; /* by address */
	size_t count, room;
	uint64_t known; /* of which state of the runtime's list it was made */
};

/* Where the runtime keeps its tables; 0: it has no such variable, or no symbol for it. */
struct frametable_place {
	uint64_t array;	 /* caml_frametable */
	uint64_t descrs; /* current_frame_descrs, or current_frametable of OCaml 5.0 */
	uint64_t list;	 /* frametables, of OCaml 5.0 */
};

/* What the effort pays for a row; sorting takes as much again as the row. */
#define FRAMETABLE_ROW_MEMORY (2 * sizeof(struct frame_row))

/* Read the tables, if they are not those that are known.  0, an errno value, EINVAL if they make no sense, EAGAIN if the program may
 * be about to begin, or E2BIG if the effort has not what they take; then the rows that were read before stay. */
int frametable_refresh(struct frametable *table, const struct memory_reader *memory,
    const struct frametable_place *place, struct effort *effort);
void frametable_fini(struct frametable *table);

/* The row of a return address; NULL: none. */
const struct frame_row *frametable_find(const struct frametable *table, uint64_t address);

/* The first row at or behind an address; NULL: none. */
const struct frame_row *frametable_next(const struct frametable *table, uint64_t address);

/* A function and line of a row's debug information. */
struct frame_line {
	char name[CODE_NAME_SIZE], file[CODE_NAME_SIZE]; /* as the compiler wrote them */
	unsigned line;
};

/* Read the entry with an index, 0 being the innermost function; `short_lines` is that of struct runtime_layout.  False if there is none.
 * *more: another one follows, into which it was inlined. */
bool frame_row_line(const struct frame_row *row, struct pages *pages, bool short_lines, unsigned index,
    struct frame_line *out, bool *more);
