/*
 * ids.c - see ids.h.
 */
#include "model/ids.h"

#include "model/copy.h"

void ids_fini(struct ids *map)
{
	for (unsigned i = 0; map->pages != NULL && i < IDS_PAGES; i++)
		free(map->pages[i]);
	free(map->pages);
	*map = (struct ids){0};
}

bool ids_copy(struct ids *to, const struct ids *from)
{
	bool ok = true;

	*to = (struct ids){.count = from->count};
	to->pages = from->pages != NULL ? calloc(IDS_PAGES, sizeof(*to->pages)) : NULL;
	for (unsigned i = 0; to->pages != NULL && i < IDS_PAGES; i++)
		to->pages[i] = copy_bytes(from->pages[i], IDS_PAGE * sizeof(*to->pages[i]), &ok);
	return ok && (to->pages != NULL || from->pages == NULL);
}

uint32_t ids_find(const struct ids *map, uint16_t number)
{
	const uint16_t *page = map->pages != NULL ? map->pages[number / IDS_PAGE] : NULL;

	return page != NULL && page[number % IDS_PAGE] != 0 ? page[number % IDS_PAGE] - 1u : IDS_NONE;
}

uint32_t ids_add(struct ids *map, uint16_t number)
{
	if (map->count == IDS_MAX)
		return IDS_NONE;
	if (map->pages == NULL)
		map->pages = calloc(IDS_PAGES, sizeof(*map->pages));
	if (map->pages == NULL)
		return IDS_NONE;
	uint16_t **page = &map->pages[number / IDS_PAGE];
	if (*page == NULL)
		*page = calloc(IDS_PAGE, sizeof(**page));
	if (*page == NULL)
		return IDS_NONE;
	(*page)[number % IDS_PAGE] = (uint16_t)++map->count;
	return map->count - 1;
}
