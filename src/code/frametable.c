/* frametable.c - see frametable.h.  The format is defined by asmcomp/emitaux.ml and
 * runtime/caml/frame_descriptors.h. */
#include "code/frametable.h"

#include "core/array.h"
#include "core/order.h"

enum {
	TABLES_MAX = 1 << 16, /* far above the largest programs */
	ROWS_MAX = 1 << 24,
	TABLE_BYTES_MAX = 1 << 30,
	CHUNK = 1 << 16,
	INLINED_MAX = 64,
	ROW_WORK = 50,
	READ_WORK = 2000
};

#define BASE_OF_CHUNK 0xFFFF

/* ---- the list of tables ---- */

struct tables {
	uint64_t *at;
	size_t count, room;
};

static int add_table(struct tables *tables, uint64_t at)
{
	if (tables->count == TABLES_MAX)
		return EINVAL;
	if (!array_room(&tables->at, &tables->room, tables->count + 1, sizeof(*tables->at)))
		return ENOMEM;
	tables->at[tables->count++] = at;
	return 0;
}

/* The memory and the effort of a read. */
struct reading {
	const struct memory_reader *memory;
	struct effort *effort;
};

/* Read memory.  Returns 0, an errno value, or E2BIG beyond the effort. */
static int read_bytes(const struct reading *from, uint64_t address, void *to, size_t size)
{
	return effort_spend(from->effort, READ_WORK + size) ? memory_bytes(from->memory, address, to, size)
							    : E2BIG;
}

/* Read an array of pointers that ends with a null. */
static int read_array(const struct reading *from, uint64_t address, struct tables *tables)
{
	for (unsigned i = 0; i < TABLES_MAX; i++) {
		uint64_t table;
		int error = read_bytes(from, address + 8 * (uint64_t)i, &table, sizeof(table));

		if (error == 0 && table == 0)
			return 0;
		if (error == 0)
			error = add_table(tables, table);
		if (error != 0)
			return error;
	}
	return EINVAL;
}

/* Read a list of pairs (table, next). */
static int read_list(const struct reading *from, uint64_t node, struct tables *tables)
{
	while (node != 0) {
		uint64_t pair[2];
		int error = read_bytes(from, node, pair, sizeof(pair));

		if (error == 0)
			error = add_table(tables, pair[0]);
		if (error != 0)
			return error;
		node = pair[1];
	}
	return 0;
}

/* Find all tables: those of the program, and those that the runtime registered later. */
static int find_tables(
    const struct reading *from, const struct frametable_place *place, struct tables *tables)
{
	uint64_t list = 0;
	size_t kept = 0;
	int error = place->array != 0 ? read_array(from, place->array, tables) : 0;

	/* {int count; int mask; descriptors; list} since 5.1. */
	if (error == 0 && place->list != 0)
		error = read_bytes(from, place->list, &list, sizeof(list));
	else if (error == 0 && place->descrs != 0)
		error = read_bytes(from, place->descrs + 16, &list, sizeof(list));
	if (error == 0)
		error = read_list(from, list, tables);
	if (error == 0 && tables->count == 0)
		error = EINVAL;
	if (error != 0)
		return error;
	qsort(tables->at, tables->count, sizeof(*tables->at), order_by_number);
	for (size_t i = 0; i < tables->count; i++)
		if (kept == 0 || tables->at[kept - 1] != tables->at[i])
			tables->at[kept++] = tables->at[i];
	tables->count = kept;
	return 0;
}

/* ---- one table ---- */

/* A table that is read from memory in pieces. */
struct stream {
	const struct reading *from;
	uint64_t at;	  /* address of the next byte */
	uint64_t left;	  /* bytes that may still be read */
	uint64_t have_at; /* address of the piece */
	size_t have;
	int error;
	unsigned char piece[CHUNK];
};

/* Read a piece from an address on, at least up to the end of its page. */
static bool stream_fill(struct stream *s, uint64_t address)
{
	size_t sizes[2] = {CHUNK, PAGE_BYTES - address % PAGE_BYTES};

	for (unsigned i = 0; i < 2; i++) {
		s->have_at = address;
		s->have = sizes[i];
		s->error = read_bytes(s->from, address, s->piece, sizes[i]);
		if (s->error == 0)
			return true;
		if (s->error == E2BIG)
			break;
	}
	s->have = 0;
	return false;
}

/* Take the next bytes, 256 at most. */
static bool stream_take(struct stream *s, void *to, size_t size)
{
	unsigned char *out = to;

	if (s->error != 0 || size > s->left) {
		s->error = s->error != 0 ? s->error : EINVAL;
		return false;
	}
	s->left -= size;
	while (size > 0) {
		uint64_t skip = s->at - s->have_at;

		if (s->have == 0 || skip >= s->have) {
			if (!stream_fill(s, s->at))
				return false;
			continue;
		}
		size_t n = s->have - skip < size ? s->have - skip : size;
		memcpy(out, s->piece + skip, n);
		out += n;
		s->at += n;
		size -= n;
	}
	return true;
}

static bool stream_skip(struct stream *s, uint64_t size)
{
	if (s->error == 0 && size > s->left)
		s->error = EINVAL;
	if (s->error != 0)
		return false;
	s->left -= size;
	s->at += size;
	return true;
}

static bool stream_align(struct stream *s, unsigned to)
{
	return stream_skip(s, -s->at & (to - 1));
}

/* The head of a descriptor. */
struct __attribute__((packed)) head {
	uint64_t address;
	uint16_t data, live;
};

/* Read a descriptor, up to the next one. */
static bool read_row(struct stream *s, struct frame_row *out)
{
	struct head head;
	uint8_t blocks = 1;

	*out = (struct frame_row){.descriptor = s->at};
	if (!stream_take(s, &head, sizeof(head)))
		return false;
	out->address = head.address;
	if (head.data == BASE_OF_CHUNK)
		return stream_align(s, 8);
	out->debug = (head.data & 1) != 0;
	out->allocates = (head.data & 2) != 0;
	out->size = head.data & ~3U;
	if (!stream_skip(s, 2 * (uint64_t)head.live))
		return false;
	if (out->allocates && (!stream_take(s, &blocks, 1) || !stream_skip(s, blocks)))
		return false;
	if (out->debug && (!stream_align(s, 4) || !stream_skip(s, 4 * (uint64_t)blocks)))
		return false;
	return stream_align(s, 8);
}

static int read_table(struct frametable *table, struct stream *s, uint64_t at)
{
	struct frame_row row;
	int64_t count;

	s->at = at;
	s->left = TABLE_BYTES_MAX;
	s->have = 0;
	s->error = at % 8 == 0 ? 0 : EINVAL;
	if (!stream_take(s, &count, sizeof(count)))
		return s->error;
	if (count < 0 || count > ROWS_MAX || table->count > ROWS_MAX)
		return EINVAL;
	for (int64_t i = 0; i < count && read_row(s, &row); i++) {
		/* A frame includes its return address. */
		if (row.address == 0 || row.size % 8 != 0)
			return EINVAL;
		if (!effort_spend(s->from->effort, ROW_WORK) ||
		    !effort_keep(s->from->effort, FRAMETABLE_ROW_MEMORY))
			return E2BIG;
		if (!array_room(&table->rows, &table->room, table->count + 1, sizeof(*table->rows)))
			return ENOMEM;
		table->rows[table->count++] = row;
	}
	return s->error;
}

static int read_tables(struct frametable *table, const struct reading *from, const struct tables *tables)
{
	struct stream *s = malloc(sizeof(*s));
	int error = s != NULL ? 0 : ENOMEM;

	for (size_t i = 0; i < tables->count && error == 0; i++) {
		s->from = from;
		error = read_table(table, s, tables->at[i]);
	}
	free(s);
	if (error == 0 && table->count == 0)
		error = EINVAL;
	if (error == 0)
		qsort(table->rows, table->count, sizeof(*table->rows), order_by_number);
	return error;
}

/* Read what changes when a table is registered or removed: the number of descriptors, or in 5.0 the head of
 * the list. */
static int read_state(
    const struct memory_reader *memory, const struct frametable_place *place, uint64_t *state)
{
	*state = 1;
	if (place->list != 0)
		return memory_bytes(memory, place->list, state, sizeof(*state));
	return place->descrs != 0 ? memory_bytes(memory, place->descrs, state, sizeof(*state)) : 0;
}

/* Whether the runtime has built its own table: it does so after the linker has relocated the program's
 * tables.  Without that variable this is never known. */
static bool has_begun(const struct frametable_place *place, uint64_t state)
{
	return place->list != 0 ? state != 0 : place->descrs != 0 && (uint32_t)state != 0;
}

int frametable_refresh(struct frametable *table, const struct memory_reader *memory,
    const struct frametable_place *place, struct effort *effort)
{
	const struct reading from = {memory, effort};
	const uint64_t before = effort->memory;
	struct frametable fresh = {.rows = NULL};
	struct tables tables = {.at = NULL};
	int error = read_state(memory, place, &fresh.known);

	if (error != 0 || (table->count > 0 && fresh.known == table->known))
		return error;
	error = find_tables(&from, place, &tables);
	if (error == 0)
		error = read_tables(&fresh, &from, &tables);
	free(tables.at);
	if (error != 0) {
		if (fresh.count == 0 && (error == EFAULT || error == EINVAL) &&
		    !has_begun(place, fresh.known))
			error = EAGAIN;
		effort->memory = before;
		frametable_fini(&fresh);
		return error;
	}
	effort_return(effort, table->count * FRAMETABLE_ROW_MEMORY);
	frametable_fini(table);
	*table = fresh;
	return 0;
}

void frametable_fini(struct frametable *table)
{
	free(table->rows);
	*table = (struct frametable){.rows = NULL};
}

const struct frame_row *frametable_next(const struct frametable *table, uint64_t address)
{
	size_t at = order_below(table->rows, table->count, sizeof(*table->rows), address);

	return at < table->count ? &table->rows[at] : NULL;
}

const struct frame_row *frametable_find(const struct frametable *table, uint64_t address)
{
	const struct frame_row *row = frametable_next(table, address);

	return row != NULL && row->address == address ? row : NULL;
}

/* ---- debug information ---- */

/* Return the address of a row's debug information; of several blocks, the first that has some.  0: none. */
static uint64_t debuginfo_of(const struct frame_row *row, struct pages *pages)
{
	uint64_t at = row->descriptor + sizeof(struct head);
	unsigned blocks = 1;
	struct head head;
	uint8_t count;

	if (!row->debug || !pages_bytes(pages, row->descriptor, &head, sizeof(head)))
		return 0;
	at += 2 * (uint64_t)head.live;
	if (row->allocates) {
		if (!pages_bytes(pages, at, &count, 1))
			return 0;
		blocks = count;
		at += 1 + blocks;
	}
	at = (at + 3) & ~UINT64_C(3);
	for (; blocks > 0; blocks--, at += 4) {
		uint32_t offset;

		if (!pages_bytes(pages, at, &offset, sizeof(offset)))
			return 0;
		if (offset != 0)
			return at + offset;
	}
	return 0;
}

bool frame_row_line(const struct frame_row *row, struct pages *pages, bool short_lines, unsigned index,
    struct frame_line *out, bool *more)
{
	uint64_t at = debuginfo_of(row, pages), name;
	uint32_t info[2];
	int32_t file;

	if (at == 0 || index >= INLINED_MAX)
		return false;
	for (unsigned i = 0;; i++, at += sizeof(info)) {
		if (!pages_bytes(pages, at, info, sizeof(info)))
			return false;
		if (i == index)
			break;
		if ((info[0] & 1) == 0)
			return false;
	}
	*more = (info[0] & 1) != 0 && index + 1 < INLINED_MAX;
	name = at + (info[0] & 0x3FFFFFC);
	if (!pages_bytes(pages, name, &file, sizeof(file)) ||
	    !pages_text(pages, name + (uint64_t)(int64_t)file, out->file, sizeof(out->file)))
		return false;
	/* Since 5.2 a position has one of two forms; the longer one has three numbers before the name. */
	bool longer = !short_lines && (info[1] & UINT32_C(1) << 31) != 0;
	out->line =
	    short_lines || longer ? info[1] >> 12 & (short_lines ? UINT32_MAX : 0x7FFFF) : info[1] >> 19;
	return pages_text(pages, name + (longer ? 12 : 4), out->name, sizeof(out->name));
}
