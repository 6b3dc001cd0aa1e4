/*
 * domains.h - a table that maps domain ids to pointers.  Pages of it are allocated on first use.
 */
#ifndef MEMTRACE_DOMAINS_H
#define MEMTRACE_DOMAINS_H

#include <stdint.h>

enum { MT_DOMAIN_PAGE = 256 };

/* An empty table is all zeros. */
struct mt_domains {
	void **pages[MT_DOMAIN_PAGE];
};

/* Return the slot of a domain's pointer, which is NULL at first.  Returns NULL when memory runs out. */
void **mt_domains_at(struct mt_domains *domains, uint16_t id);

/* Call `destroy` for every pointer that is not NULL, and free the pages. */
void mt_domains_fini(struct mt_domains *domains, void (*destroy)(void *));

#endif
