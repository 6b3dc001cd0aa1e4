/*
 * domains.c - a table that maps domain ids to pointers.
 */
#include "memtrace/domains.h"

#include <stddef.h>
#include <stdlib.h>

void **mt_domains_at(struct mt_domains *domains, uint16_t id)
{
	void ***page = &domains->pages[id / MT_DOMAIN_PAGE];

	if (*page == NULL) {
		*page = calloc(MT_DOMAIN_PAGE, sizeof(**page));
		if (*page == NULL)
			return NULL;
	}
	return &(*page)[id % MT_DOMAIN_PAGE];
}

void mt_domains_fini(struct mt_domains *domains, void (*destroy)(void *))
{
	for (size_t i = 0; i < MT_DOMAIN_PAGE; i++) {
		if (domains->pages[i] == NULL)
			continue;
		for (size_t j = 0; j < MT_DOMAIN_PAGE; j++) {
			if (domains->pages[i][j] != NULL)
				destroy(domains->pages[i][j]);
		}
		free(domains->pages[i]);
	}
}
