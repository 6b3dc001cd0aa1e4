/*
 * index.c - read through a recording once: its header, its labels, and the offsets of its chunks.
 */
#include "core/array.h"
#include "trail/reader_private.h"

#define ABOUT_WITHIN 64u /* the header is within this number of records */

/* Stop reading at an offset, with a reason.  Returns false. */
static bool trail_fault(struct trail *t, enum trail_status status, uint64_t offset, const char *reason)
{
	t->status = status;
	t->info.fault = reason;
	t->info.fault_offset = offset;
	return false;
}

/* ---- about ---- */

/* Read a text with its length.  Returns false if it is cut short. */
static bool get_text(struct cut *b, char out[TRAIL_NAME_MAX + 1])
{
	size_t len = (size_t)cut_fixed(b, 1);
	const uint8_t *bytes = cut_bytes(b, len);

	if (bytes == NULL)
		return false;
	memcpy(out, bytes, len);
	out[len] = '\0';
	return true;
}

/* Read the header. */
static bool take_about(struct trail *t, struct cut *b, uint64_t offset)
{
	struct trail_about *about = &t->info.about;

	if (t->has_about)
		return trail_fault(t, TRAIL_FAULT, offset, "another recording begins");
	uint64_t version = cut_fixed(b, 4);
	if (cut_fixed(b, 4) != 0 || version != TRAIL_VERSION)
		return trail_fault(
		    t, b->fault ? TRAIL_FAULT : TRAIL_NEWER, offset, "another version of recording");
	about->live = (cut_fixed(b, 8) & 1) != 0;
	about->attach_ts = cut_fixed(b, 8);
	about->base_ts = cut_fixed(b, 8);
	about->base_wall = (int64_t)cut_fixed(b, 8);
	about->pid = (int64_t)cut_fixed(b, 8);
	if (about->pid < 0)
		about->pid = 0;
	if (!get_text(b, about->name) || !get_text(b, about->ocaml) || !get_text(b, about->ocaml_from))
		return trail_fault(t, TRAIL_FAULT, offset, "a blob too short for its content");
	t->has_about = trail_codes_begin(t);
	return t->has_about || trail_fault(t, TRAIL_MEMORY, offset, "out of memory");
}

/* ---- labels ---- */

uint32_t trail_labels(const struct trail *t)
{
	return t->label_count;
}

const struct rtev_user_event *trail_user_label(
    const struct trail *t, uint32_t label, enum trail_label_kind *kind)
{
	const struct label *l = &t->labels[label];

	*kind = l->kind;
	return l->kind >= TRAIL_LABEL_UNIT ? &l->user : NULL;
}

/* Look up a name in a table of `count` names, or parse "PREFIX_N", as opaque numbers are named. */
static bool number_of(const char *name, const char *(*name_of)(uint16_t number, char *buf), uint16_t count,
    const char *prefix, uint32_t *out)
{
	char buf[RTEV_NAME_SIZE];
	size_t len = strlen(prefix);
	uint32_t number = 0;

	for (uint16_t i = 0; i < count; i++)
		if (strcmp(name_of(i, buf), name) == 0) {
			*out = i;
			return true;
		}
	if (strncmp(name, prefix, len) != 0 || name[len] == '\0')
		return false;
	for (const char *p = name + len; *p != '\0'; p++) {
		if (*p < '0' || *p > '9')
			return false;
		number = number * 10 + (uint32_t)(*p - '0');
		if (number >= RTEV_ID_LIMIT)
			return false;
	}
	*out = RTEV_OPAQUE + number;
	return true;
}

/* Find the number that a label's name stands for.  Returns false if this program does not know the name. */
static bool label_resolve(struct label *label, const char *name)
{
	switch (label->kind) {
	case TRAIL_LABEL_PHASE:
		return number_of(name, rtev_phase_name, RTEV_PHASE_COUNT, "phase_", &label->id);
	case TRAIL_LABEL_COUNTER:
		return number_of(name, rtev_counter_name, RTEV_COUNTER_COUNT, "counter_", &label->id);
	case TRAIL_LABEL_LIFECYCLE:
		return number_of(name, rtev_lifecycle_name, RTEV_LIFECYCLE_COUNT, "lifecycle_", &label->id);
	default:
		return true;
	}
}

/* Assign the next code to a kind and a label.  Returns false if out of memory. */
static bool code_add(struct trail *t, unsigned kind, uint32_t label)
{
	if (!array_room(&t->codes, &t->code_room, (size_t)t->code_count + 1, sizeof(*t->codes)))
		return false;
	t->codes[t->code_count++] = (struct code){.label = label, .kind = (uint8_t)kind};
	return true;
}

bool trail_codes_begin(struct trail *t)
{
	bool ok = true;

	for (unsigned code = 0; code < TRAIL_CODES_OWN; code++)
		ok &= code_add(t,
		    code < TRAIL_KIND_COUNT && trail_kinds[code].label == TRAIL_LABEL_NONE ? code
											   : TRAIL_KIND_COUNT,
		    0);
	return ok;
}

/* Assign the codes of a label.  Returns false if out of memory. */
static bool codes_add(struct trail *t, enum trail_label_kind label_kind, uint32_t label)
{
	bool ok = true;

	for (unsigned kind = 0; kind < TRAIL_KIND_COUNT; kind++)
		if (trail_kinds[kind].label == label_kind)
			ok &= code_add(t, kind, label);
	return ok;
}

/* Read the definition of a label. */
static bool take_label(struct trail *t, struct cut *b, uint64_t offset)
{
	uint64_t number = cut_fixed(b, 4), kind = cut_fixed(b, 1);
	size_t len = (size_t)(b->end - b->at);

	if (b->fault || number != t->label_count || number >= TRAIL_LABELS_MAX || kind >= TRAIL_LABEL_KINDS ||
	    len >= RTEV_USER_NAME_SIZE)
		return trail_fault(t, TRAIL_FAULT, offset, "a label that makes no sense");
	struct label label = {.kind = (enum trail_label_kind)kind,
	    .user = {.id = (uint16_t)number, .name_len = (uint16_t)len, .generation = 1}};
	memcpy(label.user.name, b->at, len);
	if (!label_resolve(&label, label.user.name))
		return trail_fault(t, TRAIL_FAULT, offset, "an event that this version does not know");
	if (!array_room(&t->labels, &t->label_room, (size_t)t->label_count + 1, sizeof(*t->labels)) ||
	    !codes_add(t, label.kind, t->label_count))
		return trail_fault(t, TRAIL_MEMORY, offset, "out of memory");
	t->labels[t->label_count++] = label;
	return true;
}

/* ---- chunks ---- */

/* Return the stream of a number, with room for one more chunk; NULL if out of memory. */
static struct stream *stream_for(struct trail *t, unsigned number)
{
	if (t->streams[number] == NULL) {
		t->streams[number] = calloc(1, sizeof(*t->streams[number]));
		if (t->streams[number] == NULL)
			return NULL;
		t->streams[number]->number = number;
	}
	struct stream *s = t->streams[number];
	return array_room(&s->chunks, &s->room, s->count + 1, sizeof(*s->chunks)) ? s : NULL;
}

/* Extend the recording's range of keys. */
static void keys_include(struct trail *t, uint64_t from, uint64_t to)
{
	if (!t->has_keys || from < t->info.start)
		t->info.start = from;
	if (!t->has_keys || to > t->info.end)
		t->info.end = to;
	t->has_keys = true;
}

/* Read a chunk's header.  Returns its stream, or NULL. */
static struct stream *take_events(struct trail *t, struct cut *b, uint64_t offset)
{
	struct chunk c = {.offset = offset, .size = (uint32_t)(b->end - b->at)};
	uint64_t number = cut_fixed(b, 4);

	c.events = (uint32_t)cut_fixed(b, 4);
	c.from = cut_fixed(b, 8);
	c.to = cut_fixed(b, 8);
	if (c.size <= TRAIL_HEADER || number >= TRAIL_STREAMS || (c.events == 0 && t->store == NULL) ||
	    c.events > c.size || c.from > c.to) {
		trail_fault(t, TRAIL_FAULT, offset, "events that make no sense");
		return NULL;
	}
	struct stream *s = t->chunk_count < TRAIL_CHUNKS_MAX ? stream_for(t, (unsigned)number) : NULL;
	if (s == NULL) {
		trail_fault(t, TRAIL_MEMORY, offset, "out of memory");
		return NULL;
	}
	const struct chunk *last = s->count > 0 ? &s->chunks[s->count - 1] : NULL;
	if (last != NULL && c.from < last->to) {
		trail_fault(t, TRAIL_FAULT, offset, "events that go back in time");
		return NULL;
	}
	c.before = last != NULL ? last->before + last->events : 0;
	s->chunks[s->count++] = c;
	t->chunk_count++;
	t->info.events += c.events;
	/* Notes about the time before the recording have the stamp 0. */
	keys_include(t, c.from > 0 ? c.from : c.to, c.to);
	return s;
}

/* Read the end of the recording. */
static bool take_end(struct trail *t, struct cut *b, uint64_t offset)
{
	uint64_t end = cut_fixed(b, 8);

	if (b->fault)
		return trail_fault(t, TRAIL_FAULT, offset, "a blob too short for its content");
	t->info.ended = true;
	if (t->has_keys && end > t->info.end)
		t->info.end = end;
	return true;
}

/* ---- the walk ---- */

bool trail_take_piece(struct trail *t, enum trail_blob blob, const struct trail_piece *piece)
{
	struct cut b = {.at = piece->data, .end = piece->data + piece->size};

	if (blob == TRAIL_BLOB_LABEL)
		return take_label(t, &b, 0);
	struct stream *s = take_events(t, &b, 0);
	if (s == NULL)
		return false;
	s->chunks[s->count - 1].piece = piece;
	return true;
}

/* Read a blob if it belongs to the trail. */
static bool take_blob(struct trail *t, const struct rtev_fxt_record *r)
{
	const uint8_t *data = r->u.blob.data;
	struct cut b = {.at = data, .end = data + r->u.blob.size};
	uint64_t offset = r->offset + (uint64_t)(data - (const uint8_t *)r->bytes);

	for (int blob = 0; blob < TRAIL_BLOB_COUNT; blob++) {
		const char *name = trail_blob_name((enum trail_blob)blob);
		if (r->u.blob.name.len != strlen(name) ||
		    memcmp(r->u.blob.name.data, name, r->u.blob.name.len) != 0)
			continue;
		if (blob != TRAIL_BLOB_ABOUT && !t->has_about)
			return trail_fault(t, TRAIL_FOREIGN, offset, "events without a beginning");
		switch ((enum trail_blob)blob) {
		case TRAIL_BLOB_ABOUT:
			return take_about(t, &b, offset);
		case TRAIL_BLOB_LABEL:
			return take_label(t, &b, offset);
		case TRAIL_BLOB_EVENTS:
			return take_events(t, &b, offset) != NULL;
		default:
			return take_end(t, &b, offset);
		}
	}
	return true;
}

/* Read one record.  Returns false at the end of the readable part. */
static bool walk(struct trail *t)
{
	const struct rtev_fxt_record *r;
	const char *reason;
	uint64_t offset;

	int status = rtev_fxt_reader_next(t->reader, &r);
	if (status != RTEV_OK) {
		rtev_fxt_reader_fault(t->reader, &offset, &reason);
		t->info.truncated = status == RTEV_E_FXT_TRUNCATED;
		return trail_fault(t, status == RTEV_E_NOMEM ? TRAIL_MEMORY : TRAIL_FAULT, offset,
		    reason != NULL ? reason : rtev_strerror(status));
	}
	if (r == NULL)
		return false;
	t->info.bytes = r->offset + r->size;
	return r->kind != RTEV_FXT_BLOB || r->u.blob.type != RTEV_FXT_BLOB_DATA || take_blob(t, r);
}

bool trail_index(struct trail *t, unsigned records)
{
	const struct trail_about *about = &t->info.about;

	if (t->info.indexed)
		return false;
	for (unsigned i = 0; i < records; i++) {
		if (walk(t))
			continue;
		rtev_fxt_reader_destroy(t->reader);
		t->reader = NULL;
		t->info.indexed = true;
		/* Without events the only known moment is the attach, or the base. */
		if (!t->has_keys)
			t->info.start = t->info.end = about->live ? about->attach_ts : about->base_ts;
		if (about->live && t->has_keys && about->attach_ts < t->info.start)
			t->info.start = about->attach_ts;
		return false;
	}
	return true;
}

enum trail_status trail_open(struct trail **out, int fd)
{
	/* What our recordings need of a reader of traces. */
	static const struct rtev_fxt_reader_options options = {
	    .size = sizeof(options), .allow_base = true, .allow_bytes = true};
	struct trail *t = calloc(1, sizeof(*t));
	enum trail_status status = TRAIL_MEMORY;

	if (t == NULL)
		return TRAIL_MEMORY;
	t->fd = fd;
	if (rtev_fxt_reader_open_fd(&t->reader, fd, &options) == RTEV_OK) {
		for (unsigned i = 0; i < ABOUT_WITHIN && !t->has_about && trail_index(t, 1); i++)
			continue;
		status = t->has_about ? TRAIL_OK : t->status == TRAIL_OK ? TRAIL_FOREIGN : t->status;
	}
	if (status == TRAIL_OK)
		*out = t;
	else
		trail_close(t);
	return status;
}

void trail_close(struct trail *t)
{
	if (t == NULL)
		return;
	rtev_fxt_reader_destroy(t->reader);
	for (unsigned i = 0; i < TRAIL_STREAMS; i++) {
		if (t->streams[i] == NULL)
			continue;
		free(t->streams[i]->chunks);
		free(t->streams[i]->bytes);
		free(t->streams[i]);
	}
	free(t->labels);
	free(t->codes);
	free(t);
}

void trail_info(const struct trail *t, struct trail_info *out)
{
	*out = t->info;
}
