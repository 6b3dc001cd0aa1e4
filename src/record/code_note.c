/* code_note.c - encode a stack with its samples as one note, and decode notes of any bytes. */
#include "record/system_note.h"

#include "core/cut.h"
#include "trail/trail.h"

#define VERSION 1
#define FRAMES_MAX 256
#define TEXT_MAX 200 /* bytes of a name or a file; longer ones are cut at the end */
#define HEAD_BYTES (5 * VARINT_MAX)
#define SAMPLE_BYTES (2 * VARINT_MAX)
#define SAMPLES_BYTES 512u /* least bytes of a note that are kept for samples */
#define HZ_MAX 1000000u

/* ---- writing ---- */

static uint8_t *put_text(uint8_t *to, const char *text)
{
	size_t len = text != NULL ? strnlen(text, TEXT_MAX) : 0;

	to = varint_put(to, len);
	if (len != 0)
		memcpy(to, text, len);
	return to + len;
}

/* Write everything before the samples of a note.  Returns the length. */
static size_t put_stack(const struct profile *p, unsigned hz, const struct profile_sample *s,
    uint8_t note[TRAIL_NOTE_MAX + VARINT_SLACK])
{
	struct profile_frame frames[FRAMES_MAX];
	size_t all = profile_frames(p, s->stack, frames, FRAMES_MAX),
	       count = all < FRAMES_MAX ? all : FRAMES_MAX;
	uint8_t calls[TRAIL_NOTE_MAX], *to = calls,
				       *last = calls + sizeof(calls) - HEAD_BYTES - SAMPLES_BYTES;
	size_t kept = 0;

	for (; kept < count && to + 4 * VARINT_MAX + 2 * TEXT_MAX + VARINT_SLACK < last; kept++) {
		const struct profile_function *f = profile_function_of(p, frames[kept].function);
		size_t same = 0;
		while (same < kept && frames[same].function != frames[kept].function)
			same++;
		to = varint_put(to, (uint64_t)frames[kept].line << 1 | f->c);
		to = varint_put(to, same < kept ? same + 1 : 0);
		if (same == kept) {
			to = put_text(to, f->name);
			to = put_text(to, f->file);
		}
	}
	uint8_t *head = varint_put(note, VERSION);
	head = varint_put(head, hz);
	head = varint_put(head, (uint64_t)(s->domain + 1));
	head = varint_put(head, s->marks | (kept < all ? (unsigned)PROFILE_INCOMPLETE : 0));
	head = varint_put(head, kept);
	memcpy(head, calls, (size_t)(to - calls));
	return (size_t)(head - note) + (size_t)(to - calls);
}

/* Whether two samples may share a note. */
static bool alike(const struct profile_sample *a, const struct profile_sample *b)
{
	return a->stack == b->stack && a->domain == b->domain && a->marks == b->marks;
}

/* Write the first sample and those that may share its note, and set their stacks to none. */
static void put_alike(const struct profile *p, unsigned hz, struct profile_sample *list, size_t count,
    uint64_t ts, system_note_put *put, void *ctx)
{
	const struct profile_sample first = *list;
	uint8_t note[TRAIL_NOTE_MAX + VARINT_SLACK];
	size_t head = put_stack(p, hz, &first, note), used = head;

	for (size_t i = 0; i < count; i++) {
		if (!alike(&list[i], &first))
			continue;
		if (used + SAMPLE_BYTES > TRAIL_NOTE_MAX) {
			put(ctx, TRAIL_NOTE_CODE, ts, note, used);
			used = head;
		}
		uint8_t *to = varint_put(note + used, ts - list[i].ts);
		to = varint_put(to, (uint32_t)list[i].tid);
		used = (size_t)(to - note);
		list[i].stack = CALLS_NONE;
	}
	put(ctx, TRAIL_NOTE_CODE, ts, note, used);
}

void code_note_write(const struct profile *p, unsigned hz, uint64_t *next, system_note_put *put, void *ctx)
{
	struct profile_sample *list;
	size_t count = profile_settled(p, next, &list);
	uint64_t ts = 0;

	for (size_t i = 0; i < count; i++)
		ts = list[i].ts > ts ? list[i].ts : ts;
	for (size_t i = 0; i < count; i++)
		if (list[i].stack != CALLS_NONE)
			put_alike(p, hz, list + i, count - i, ts, put, ctx);
	free(list);
}

/* ---- reading ---- */

/* Read a text; a length beyond the end is a fault. */
static const char *take_text(struct cut *b, char text[TEXT_MAX + 1])
{
	size_t len = (size_t)cut_varint(b, TEXT_MAX);
	const uint8_t *bytes = cut_bytes(b, len);

	if (bytes == NULL || len == 0)
		return NULL;
	memcpy(text, bytes, len);
	/* A NUL inside the text ends it. */
	text[len] = '\0';
	return text;
}

/* Read the frames; with p NULL, only check them. */
static size_t take_frames(struct profile *p, struct cut *b, size_t count, struct profile_frame *frames)
{
	char name[TEXT_MAX + 1], file[TEXT_MAX + 1];

	for (size_t i = 0; i < count && !b->fault; i++) {
		uint64_t line = cut_varint(b, UINT64_C(1) << 33);
		size_t same = (size_t)cut_varint(b, i);
		const char *n = same == 0 ? take_text(b, name) : NULL,
			   *f = same == 0 ? take_text(b, file) : NULL;
		if (b->fault || p == NULL)
			continue;
		frames[i].line = (uint32_t)(line >> 1);
		frames[i].function =
		    same != 0 ? frames[same - 1].function
			      : profile_function(p, n != NULL ? n : "?", f, frames[i].line, (line & 1) != 0);
		profile_line(p, frames[i].function, frames[i].line);
	}
	return count;
}

unsigned code_note_take(struct profile *p, uint64_t ts, const void *data, size_t len)
{
	struct cut b = {.at = data, .end = (const uint8_t *)data + len}, frames_at, samples_at;
	struct profile_frame frames[FRAMES_MAX];

	if (cut_varint(&b, UINT64_MAX) != VERSION)
		return 0;
	unsigned hz = (unsigned)cut_varint(&b, HZ_MAX);
	int domain = (int)cut_varint(&b, TRAIL_DOMAINS) - 1;
	uint8_t marks = (uint8_t)cut_varint(&b, UINT8_MAX);
	size_t count = (size_t)cut_varint(&b, FRAMES_MAX);
	frames_at = b;
	take_frames(NULL, &b, count, frames);
	samples_at = b;
	while (!b.fault && b.at < b.end) {
		cut_varint(&b, ts);
		cut_varint(&b, INT32_MAX);
	}
	if (b.fault || hz == 0)
		return 0;
	take_frames(p, &frames_at, count, frames);
	uint32_t stack = profile_stack(p, domain, frames, count, marks);
	while (samples_at.at < samples_at.end) {
		uint64_t before = cut_varint(&samples_at, ts);
		profile_add(p, &(struct profile_sample){.ts = ts - before,
				   .tid = (int32_t)cut_varint(&samples_at, INT32_MAX),
				   .domain = domain,
				   .stack = stack,
				   .marks = marks});
	}
	profile_settle(p, UINT64_MAX, NULL, NULL);
	return hz;
}
