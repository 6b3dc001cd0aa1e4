/* store.c - a trail in memory: lists of labels and chunks, from which the oldest chunks are dropped. */
#include "trail/store.h"

#include "trail/reader_private.h"

struct trail_store {
	struct trail_pieces labels, chunks; /* oldest first */
	size_t bytes;
	uint64_t serial; /* of the latest piece */
	bool failed;
};

struct trail_store *trail_store_create(void)
{
	struct trail_store *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	TAILQ_INIT(&s->labels);
	TAILQ_INIT(&s->chunks);
	return s;
}

/* Free the oldest piece of a list. */
static void drop(struct trail_store *s, struct trail_pieces *list)
{
	struct trail_piece *p = TAILQ_FIRST(list);

	TAILQ_REMOVE(list, p, link);
	s->bytes -= sizeof(*p) + p->size;
	free(p);
}

void trail_store_destroy(struct trail_store *s)
{
	if (s == NULL)
		return;
	while (!TAILQ_EMPTY(&s->labels))
		drop(s, &s->labels);
	while (!TAILQ_EMPTY(&s->chunks))
		drop(s, &s->chunks);
	free(s);
}

void trail_store_put(struct trail_store *s, enum trail_blob blob, const void *data, size_t len)
{
	bool events = blob == TRAIL_BLOB_EVENTS;

	if (!events && blob != TRAIL_BLOB_LABEL)
		return;
	struct trail_piece *p = s->failed ? NULL : malloc(sizeof(*p) + len);
	if (p == NULL) {
		s->failed = true;
		return;
	}
	p->serial = ++s->serial;
	p->size = (uint32_t)len;
	memcpy(p->data, data, len);
	s->bytes += sizeof(*p) + len;
	if (events)
		TAILQ_INSERT_TAIL(&s->chunks, p, link);
	else
		TAILQ_INSERT_TAIL(&s->labels, p, link);
}

size_t trail_store_bytes(const struct trail_store *s)
{
	return s->bytes;
}

bool trail_store_sound(const struct trail_store *s)
{
	return !s->failed;
}

/* Last key of a chunk. */
static uint64_t last_key(const struct trail_piece *p)
{
	struct cut b = {.at = p->data + TRAIL_LAST_KEY, .end = p->data + p->size};

	return cut_fixed(&b, 8);
}

void trail_store_trim(struct trail_store *s, uint64_t from, size_t budget, uint64_t keep)
{
	const struct trail_piece *p;

	while ((p = TAILQ_FIRST(&s->chunks)) != NULL && p->serial < keep &&
	       (last_key(p) < from || s->bytes > budget))
		drop(s, &s->chunks);
}

/* ---- reading ---- */

struct trail *trail_store_open(const struct trail_store *s, uint64_t since)
{
	struct trail *t = calloc(1, sizeof(*t));
	const struct trail_piece *p;

	if (t == NULL)
		return NULL;
	t->fd = -1;
	t->store = s;
	t->has_about = t->info.indexed = true;
	bool ok = trail_codes_begin(t);
	TAILQ_FOREACH (p, &s->labels, link)
		ok = ok && trail_take_piece(t, TRAIL_BLOB_LABEL, p);
	TAILQ_FOREACH (p, &s->chunks, link)
		ok = ok && trail_take_piece(t, TRAIL_BLOB_EVENTS, p);
	if (!ok) {
		trail_close(t);
		return NULL;
	}
	trail_rewind(t, since);
	return t;
}

uint64_t trail_store_needed(const struct trail *t)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < TRAIL_STREAMS; i++) {
		const struct stream *s = t->streams[i];
		if (s != NULL && s->next < s->count && s->chunks[s->next].piece->serial < least)
			least = s->chunks[s->next].piece->serial;
	}
	return least;
}
