/*
 * fuzz_system_note.c - any bytes as notes of all kinds.
 *
 * A note is a byte for its kind, one for its length, and so many bytes.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "record/system_note.h"
#include "trail/trail.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t others[] = {
	    TRAIL_NOTE_TRACING, TRAIL_NOTE_READ, TRAIL_NOTE_HEAPS, TRAIL_NOTE_FIBERS};
	static struct system_notes notes;
	struct system_use uses[SYSTEM_THREADS];
	uint64_t ts = 1;

	notes = (struct system_notes){
	    .past = system_past_create(), .model = model_create(&(struct model_options){.attach_ts = 1})};
	notes.schedulers = notes.model != NULL ? schedulers_create(notes.model) : NULL;
	if (notes.past == NULL || notes.schedulers == NULL)
		abort();
	while (size >= 2) {
		size_t len = data[1] < size - 2 ? data[1] : size - 2;

		/* Parts have one stamp. */
		ts += data[0] >> 7;
		uint32_t kind = (data[0] & 64) != 0 ? others[data[0] & 3] : data[0] & 3;
		system_notes_take(&notes, kind, ts, data + 2, len);
		data += 2 + len;
		size -= 2 + len;
	}
	const struct system_sample *latest = system_past_latest(notes.past);
	for (unsigned i = 1; latest != NULL && i < latest->thread_count; i++)
		if (latest->threads[i].tid <= latest->threads[i - 1].tid)
			abort();
	size_t count = system_past_threads(notes.past, uses, SYSTEM_THREADS);
	for (size_t i = 1; i < count; i++)
		if (uses[i].cpu > uses[i - 1].cpu)
			abort();
	for (size_t i = 0; i < system_past_count(notes.past); i++)
		if (system_past_row(notes.past, i)->to <= system_past_row(notes.past, i)->from)
			abort();
	/* A heap is known and sane, or not known. */
	for (int g = 0; g < HEAP_GAUGES; g++)
		if (model_heap(notes.model, (enum heap_gauge)g) < 0)
			abort();
	/* What was learnt counts nowhere. */
	const char *name;
	if (schedulers_first(notes.schedulers, &name) != NULL)
		abort();
	model_finish(notes.model);
	schedulers_destroy(notes.schedulers);
	model_destroy(notes.model);
	system_past_destroy(notes.past);
	return 0;
}
