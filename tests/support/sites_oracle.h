/*
 * sites_oracle.h - the allocation sites of a trace, worked out in the simplest way: all sampled blocks are
 * kept, and what is asked is counted over them.
 */
#pragma once

#include "sites/sites.h"
#include "support/test_memtrace_data.h"

/* What is kept of a sampled block: its path as text, outermost first, each name behind a ';'. */
struct block {
	char *path;
	size_t path_len;
	char *site;
	int64_t code, id, born, died; /* died: -1 */
	uint64_t samples;
	bool minor, promoted;
	uint16_t domain;
};

struct oracle {
	struct block *blocks;
	size_t count, capacity;
};

/* A trace taken in by the model and by the oracle. */
struct both {
	struct bytes file;
	struct rtev_memtrace_reader *reader;
	struct sites *sites;
	struct oracle oracle;
};

/* Open a file of tests/data/memtrace. */
void both_open(struct both *b, const char *name, const struct sites_options *options);
void both_close(struct both *b);

/* Take the next events in, at most so many.  Returns how many there were. */
uint64_t both_read(struct both *b, uint64_t most);

/* Add a block up. */
void add_block(struct sites_counts *c, const struct block *b);

/* Compare counts. */
void check_counts(const struct sites_counts *actual, const struct sites_counts *expected);

/* Whether a path has a function whose name has the text, in capitals or not. */
bool path_has(const struct block *b, const char *text);
