/* pages.c - see pages.h. */
#include "code/pages.h"

#include "core/order.h"

static size_t slot_of(uint64_t page)
{
	return page / PAGE_BYTES % PAGE_SLOTS;
}

/* Read pages, which must have different slots. */
static bool read_pages(struct pages *pages, const uint64_t *page, size_t count)
{
	struct variables_place places[PAGES_AHEAD];

	for (size_t i = 0; i < count; i++)
		places[i] = (struct variables_place){
		    .address = page[i], .size = PAGE_BYTES, .to = pages->slot[slot_of(page[i])]};
	/* Adjacent pages are read by one call. */
	qsort(places, count, sizeof(places[0]), order_by_number);
	if (pages->memory.read(pages->memory.ctx, places, count) != 0)
		return false;
	for (size_t i = 0; i < count; i++)
		pages->tag[slot_of(page[i])] = page[i] + 1;
	pages->bytes_read += count * PAGE_BYTES;
	return true;
}

void pages_forget(struct pages *pages)
{
	pages->owner = 0;
}

void pages_begin(struct pages *pages, struct pages_ahead *ahead, int32_t owner)
{
	const bool kept = owner != 0 && pages->owner == owner;

	memset(pages->high, 0, sizeof(pages->high));
	memset(pages->is_used, 0, sizeof(pages->is_used));
	pages->used.count = 0;
	pages->copy = NULL;
	pages->owner = owner;
	if (kept)
		return;
	memset(pages->tag, 0, sizeof(pages->tag));
	if (ahead != NULL && ahead->count > 0 && !read_pages(pages, ahead->page, ahead->count))
		ahead->count = 0;
}

void pages_end(struct pages *pages, struct pages_ahead *ahead, bool good)
{
	struct pages_ahead now = pages->used;

	if (!good)
		pages_forget(pages);
	for (unsigned i = 0; i < ahead->count && now.count < PAGES_AHEAD; i++)
		if (!pages->is_used[slot_of(ahead->page[i])])
			now.page[now.count++] = ahead->page[i];
	*ahead = now;
}

/* Note that a page is used. */
static void note_use(struct pages *pages, uint64_t page, size_t slot)
{
	if (!pages->is_used[slot] && pages->used.count < PAGES_AHEAD)
		pages->used.page[pages->used.count++] = page;
	pages->is_used[slot] = true;
}

/* Return the page of an address; NULL if it can't be read. */
static const unsigned char *page_of(struct pages *pages, uint64_t address)
{
	uint64_t page = address & ~(uint64_t)(PAGE_BYTES - 1);
	size_t slot = slot_of(page);

	if (pages->tag[slot] != page + 1) {
		pages->tag[slot] = 0;
		pages->high[slot] = 0;
		/* The first page and the kernel's addresses are never mapped by a program. */
		if (page == 0 || page > INT64_MAX || !read_pages(pages, &page, 1))
			return NULL;
	}
	note_use(pages, page, slot);
	return pages->slot[slot];
}

bool pages_in_copy(const struct pages *pages, uint64_t address, size_t size)
{
	return pages->copy != NULL && address >= pages->copy_at && size <= pages->copy_size &&
	       address - pages->copy_at <= pages->copy_size - size;
}

bool pages_bytes(struct pages *pages, uint64_t address, void *to, size_t size)
{
	unsigned char *out = to;

	if (pages_in_copy(pages, address, size)) {
		memcpy(to, pages->copy + (address - pages->copy_at), size);
		return true;
	}
	while (size > 0) {
		size_t at = address % PAGE_BYTES, n = PAGE_BYTES - at;
		const unsigned char *page = page_of(pages, address);

		if (page == NULL)
			return false;
		n = n < size ? n : size;
		memcpy(out, page + at, n);
		out += n;
		address += n;
		size -= n;
	}
	return true;
}

bool pages_word(struct pages *pages, uint64_t address, uint64_t *out)
{
	return address % sizeof(*out) == 0 && pages_bytes(pages, address, out, sizeof(*out));
}

bool pages_frame_word(struct pages *pages, uint64_t address, uint64_t *out)
{
	size_t slot = address / PAGE_BYTES % PAGE_SLOTS;
	uint16_t at = (uint16_t)(address % PAGE_BYTES);

	if (!pages_word(pages, address, out))
		return false;
	if (pages_in_copy(pages, address, sizeof(*out)))
		return true;
	if (pages->high[slot] == 0 || at < pages->low[slot])
		pages->low[slot] = at;
	if (at + sizeof(*out) > pages->high[slot])
		pages->high[slot] = (uint16_t)(at + sizeof(*out));
	return true;
}

bool pages_same(struct pages *pages, const struct variables_place *also, size_t also_count)
{
	struct variables_place places[PAGE_SLOTS + PAGES_ALSO];
	size_t count = also_count;

	if (count > 0)
		memcpy(places, also, count * sizeof(*also));
	for (size_t i = 0; i < PAGE_SLOTS; i++)
		if (pages->tag[i] != 0 && pages->high[i] > 0)
			places[count++] =
			    (struct variables_place){.address = pages->tag[i] - 1 + pages->low[i],
				.size = (size_t)(pages->high[i] - pages->low[i]),
				.to = pages->again[i] + pages->low[i]};
	if (count > 0 && pages->memory.read(pages->memory.ctx, places, count) != 0)
		return false;
	for (size_t i = 0; i < PAGE_SLOTS; i++)
		if (pages->tag[i] != 0 && pages->high[i] > 0 &&
		    memcmp(pages->again[i] + pages->low[i], pages->slot[i] + pages->low[i],
			(size_t)(pages->high[i] - pages->low[i])) != 0)
			return false;
	return true;
}

bool pages_text(struct pages *pages, uint64_t address, char *to, size_t size)
{
	for (size_t used = 0; size > 1;) {
		size_t at = address % PAGE_BYTES, n = PAGE_BYTES - at;
		const unsigned char *page = page_of(pages, address), *end;

		if (page == NULL)
			return false;
		n = n < size - 1 - used ? n : size - 1 - used;
		end = memchr(page + at, 0, n);
		memcpy(to + used, page + at, end != NULL ? (size_t)(end - (page + at)) : n);
		used += end != NULL ? (size_t)(end - (page + at)) : n;
		to[used] = '\0';
		if (end != NULL || used == size - 1)
			return true;
		address += n;
	}
	return false;
}
