/*
 * fuzz_code_note.c - any bytes as notes of samples of the code: they are read, and recorded as tracks of a trace without a fault.
 *
 * A note is two bytes for its length, of which the highest bit begins a new batch, and so many bytes.
 */
#include "record/system_note.h"
#include "support/making.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct profile *p;
	struct making made = making_open(false);
	struct profile_row *rows;
	uint64_t ts = 1000000;
	size_t count;

	profile_destroy(p);
	p = profile_create();
	if (p == NULL)
		abort();
	while (size >= 2) {
		size_t len = (size_t)data[0] | (size_t)(data[1] & 0x7f) << 8;
		len = len < size - 2 ? len : size - 2;
		ts += data[1] >> 7;
		code_note_take(p, ts, data + 2, len);
		tracks_note(made.record, TRAIL_NOTE_CODE, ts, data + 2, len);
		data += 2 + len;
		size -= 2 + len;
	}
	if (profile_rows(p, PROFILE_ALL, &rows, &count))
		free(rows);
	fxt_inspection_destroy(making_judge(&made, ts, NULL, NULL));
	return 0;
}
