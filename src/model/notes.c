/*
 * notes.c - the log of lifecycle events, losses and restarts: a ring of the latest MODEL_NOTES_MAX, in the
 * order of their stamps.
 */
#include "model/state.h"

/* The place of note number n, counted from the first ever written. */
static struct model_note *note_place(const struct model *m, uint64_t n)
{
	return &m->notes[n % MODEL_NOTES_MAX];
}

/* Number of the oldest note that remains after another one is written. */
static uint64_t notes_oldest(const struct model *m)
{
	return m->note_count < MODEL_NOTES_MAX ? 0 : m->note_count - MODEL_NOTES_MAX + 1;
}

/*
 * Number of a new note at ts, after notes with that stamp.  Rings are read one after the other, so a ring may
 * report events older than the notes of other rings.  A note without a stamp (0) goes to the end or, if it is
 * from before the attach, behind other such notes, which come first.
 */
static uint64_t note_number(const struct model *m, uint64_t ts, bool before_attach)
{
	uint64_t oldest = notes_oldest(m), number = m->note_count;

	if (ts == 0 && before_attach)
		for (number = oldest; number < m->note_count && note_place(m, number)->ts == 0;)
			number++;
	if (ts == 0)
		return number;
	for (uint64_t n = number; n > oldest; n--) {
		const struct model_note *before = note_place(m, n - 1);
		if (before->ts != 0 && before->ts <= ts)
			break;
		if (before->ts > ts)
			number = n - 1;
	}
	return number;
}

/* Whether the log is full and a note is older than all in it. */
static bool note_too_old(const struct model *m, uint64_t ts, bool before_attach)
{
	return m->note_count >= MODEL_NOTES_MAX && (ts != 0 || before_attach) &&
	       ts < note_place(m, m->note_count)->ts;
}

/* Return the domain's latest note at ts among those just before `number`; NULL: none. */
static struct model_note *note_same(const struct model *m, uint64_t number, unsigned domain, uint64_t ts)
{
	for (uint64_t n = number; n > notes_oldest(m) && note_place(m, n - 1)->ts == ts; n--)
		if (note_place(m, n - 1)->domain == domain)
			return note_place(m, n - 1);
	return NULL;
}

/*
 * Return the note for an occurrence at ts.  Losses of a ring with no event between them share one note, to
 * which the caller adds its words.  NULL if it is too old for the log or memory ran out.
 */
struct model_note *note_add(
    struct model *m, enum model_note_kind kind, unsigned domain, uint64_t ts, bool before_attach)
{
	struct model_note *note;

	if (m->notes == NULL) {
		m->notes = calloc(MODEL_NOTES_MAX, sizeof(*m->notes));
		if (m->notes == NULL) {
			model_out_of_memory(m);
			return NULL;
		}
	}
	if (note_too_old(m, ts, before_attach))
		return NULL;
	uint64_t number = note_number(m, ts, before_attach);
	if (kind == MODEL_NOTE_LOST || kind == MODEL_NOTE_CORRUPT) {
		note = note_same(m, number, domain, ts);
		if (note != NULL && note->kind == kind)
			return note;
	}
	for (uint64_t n = m->note_count++; n > number; n--)
		*note_place(m, n) = *note_place(m, n - 1);
	note = note_place(m, number);
	*note = (struct model_note){.kind = kind, .domain = domain, .ts = ts};
	return note;
}

size_t model_notes(const struct model *m)
{
	return m->note_count < MODEL_NOTES_MAX ? (size_t)m->note_count : MODEL_NOTES_MAX;
}

const struct model_note *model_note(const struct model *m, size_t index)
{
	return index < model_notes(m) ? note_place(m, m->note_count - model_notes(m) + index) : NULL;
}
