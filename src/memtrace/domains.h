/*
 * domains.h - a pointer for each domain id, in pages made when they are first needed.
 */
#ifndef MEMTRACE_DOMAINS_H
#define MEMTRACE_DOMAINS_H

#include <stdint.h>

enum { MT_DOMAIN_PAGE = 256 };

/* Empty is all zeros. */
struct mt_domains {
	void **pages[MT_DOMAIN_PAGE];
};

/* The place of a domain's pointer, NULL at first; NULL without memory. */
void **mt_domains_at(struct mt_domains *domains, uint16_t id);

/* Call `destroy` for every pointer that is set, and free the pages. */
void mt_domains_fini(struct mt_domains *domains, void (*destroy)(void *));

#endif
