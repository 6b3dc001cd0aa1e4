/*
 * sites_oracle.c - see sites_oracle.h.
 */
#include "support/sites_oracle.h"

#include <string.h>

#include "support/test.h"

/* Append the names of a code. */
static const char *put_names(struct bytes *path, const struct rtev_memtrace_reader *reader, int64_t code)
{
	const struct rtev_memtrace_location *list;
	static char number[32];
	size_t count;

	CHECK_INT(rtev_memtrace_lookup(reader, code, &list, &count), RTEV_OK);
	snprintf(number, sizeof(number), "$%" PRId64, code);
	for (size_t i = 0; i < count; i++) {
		bytes_add(path, ";", 1);
		bytes_add(path, list[i].defname, strlen(list[i].defname));
	}
	if (count == 0) {
		bytes_add(path, ";", 1);
		bytes_add(path, number, strlen(number));
	}
	return count == 0 ? NULL : list[count - 1].defname;
}

/* Keep an event. */
static void oracle_event(
    struct oracle *o, const struct rtev_memtrace_reader *reader, const struct rtev_memtrace_event *event)
{
	if (event->kind != RTEV_MEMTRACE_ALLOC) {
		for (size_t i = o->count; i-- > 0;) {
			if (o->blocks[i].id != event->object)
				continue;
			if (event->kind == RTEV_MEMTRACE_PROMOTE)
				o->blocks[i].promoted = true;
			else
				o->blocks[i].died = event->time;
			break;
		}
		return;
	}
	if (o->count == o->capacity) {
		o->capacity = o->capacity * 2 + 64;
		o->blocks = realloc(o->blocks, o->capacity * sizeof(*o->blocks));
		CHECK(o->blocks != NULL);
	}
	struct block *b = &o->blocks[o->count++];
	struct bytes path = {0}, unused = {0};
	const char *site = NULL;
	for (size_t i = 0; i < event->depth; i++)
		put_names(&path, reader, event->backtrace[i]);
	for (size_t i = event->depth; i-- > 0 && site == NULL && event->depth - i <= 3;)
		site = put_names(&unused, reader, event->backtrace[i]);
	bytes_free(&unused);
	if (event->depth == 0)
		bytes_add(&path, ";(no backtrace)", 15);
	bytes_add(&path, "", 1);
	*b = (struct block){.path = (char *)path.data,
	    .path_len = path.size - 1,
	    .site = strdup(site != NULL	       ? site
			   : event->depth == 0 ? "(no backtrace)"
					       : "$"),
	    .code = event->depth > 0 ? event->backtrace[event->depth - 1] : 0,
	    .id = event->object,
	    .born = event->time,
	    .died = -1,
	    .samples = (uint64_t)event->samples,
	    .minor = event->source == RTEV_MEMTRACE_MINOR,
	    .domain = event->domain};
}

/* Free the blocks. */
static void oracle_free(struct oracle *o)
{
	for (size_t i = 0; i < o->count; i++) {
		free(o->blocks[i].path);
		free(o->blocks[i].site);
	}
	free(o->blocks);
	*o = (struct oracle){0};
}

/* Take events in. */
uint64_t both_read(struct both *b, uint64_t most)
{
	const struct rtev_memtrace_event *event;
	uint64_t events = 0;

	while (events < most && rtev_memtrace_next(b->reader, &event) == RTEV_OK) {
		CHECK_INT(sites_event(b->sites, b->reader, event), RTEV_OK);
		oracle_event(&b->oracle, b->reader, event);
		events++;
	}
	return events;
}

/* Open a file. */
void both_open(struct both *b, const char *name, const struct sites_options *options)
{
	*b = (struct both){.file = data_file(name)};
	CHECK_INT(rtev_memtrace_open_memory(&b->reader, b->file.data, b->file.size, NULL), RTEV_OK);
	CHECK_INT(sites_create(&b->sites, rtev_memtrace_info(b->reader), options), RTEV_OK);
}

/* Close and free. */
void both_close(struct both *b)
{
	sites_destroy(b->sites);
	rtev_memtrace_close(b->reader);
	oracle_free(&b->oracle);
	bytes_free(&b->file);
}

/* Add a block up. */
void add_block(struct sites_counts *c, const struct block *b)
{
	double life = (double)(b->died - b->born);

	c->objects++;
	c->samples += b->samples;
	c->minor += b->minor ? b->samples : 0;
	c->promoted += b->promoted ? b->samples : 0;
	if (b->died < 0) {
		c->live += b->samples;
	} else {
		c->collected += b->samples;
		c->life += life * (double)b->samples;
		c->life_squares += life * life * (double)b->samples;
	}
}

/* Compare counts. */
void check_counts(const struct sites_counts *a, const struct sites_counts *e)
{
	CHECK_INT(a->objects, e->objects);
	CHECK_INT(a->samples, e->samples);
	CHECK_INT(a->minor, e->minor);
	CHECK_INT(a->promoted, e->promoted);
	CHECK_INT(a->live, e->live);
	CHECK_INT(a->collected, e->collected);
	/* Whole numbers, which add up to the same in any order. */
	CHECK(a->life == e->life);
	CHECK(a->life_squares == e->life_squares);
}

/* Look for a name in a path. */
bool path_has(const struct block *b, const char *text)
{
	return text == NULL || strcasestr(b->path, text) != NULL;
}
