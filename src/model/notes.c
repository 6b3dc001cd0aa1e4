/*
 * notes.c - the log of lifecycle events, losses and restarts: a ring of the latest MODEL_NOTES_MAX.
 */
#include "model/state.h"

#include <stdlib.h>

/* The place of note number n, counted from the first ever written. */
static struct model_note *note_place(const struct model *m, uint64_t n)
{
	return &m->notes[n % MODEL_NOTES_MAX];
}

/*
 * The note to fill in for something that happened at ts.  Losses of a ring without an event between them share
 * one, whose words the caller adds to.  NULL when memory ran out.
 */
struct model_note *note_add(struct model *m, enum model_note_kind kind, unsigned domain, uint64_t ts)
{
	struct model_note *note;

	if (m->notes == NULL) {
		m->notes = calloc(MODEL_NOTES_MAX, sizeof(*m->notes));
		if (m->notes == NULL) {
			model_out_of_memory(m);
			return NULL;
		}
	}
	if (m->note_count > 0 && (kind == MODEL_NOTE_LOST || kind == MODEL_NOTE_CORRUPT)) {
		note = note_place(m, m->note_count - 1);
		if (note->kind == kind && note->domain == domain && note->ts == ts)
			return note;
	}
	note = note_place(m, m->note_count++);
	*note = (struct model_note){.kind = kind, .domain = domain, .ts = ts};
	return note;
}

/* See model.h. */
size_t model_notes(const struct model *m)
{
	return m->note_count < MODEL_NOTES_MAX ? (size_t)m->note_count : MODEL_NOTES_MAX;
}

/* See model.h. */
uint64_t model_notes_dropped(const struct model *m)
{
	return m->note_count - model_notes(m);
}

/* See model.h. */
const struct model_note *model_note(const struct model *m, size_t index)
{
	return index < model_notes(m) ? note_place(m, model_notes_dropped(m) + index) : NULL;
}
