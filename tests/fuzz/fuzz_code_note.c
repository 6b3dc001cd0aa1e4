/*
 * fuzz_code_note.c - any bytes as notes of samples of the code.
 *
 * A note is two bytes for its length, and so many bytes.
 */
#include <stdlib.h>

#include "record/code_note.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct profile *p;
	struct profile_row *rows;
	size_t count;

	profile_destroy(p);
	p = profile_create();
	if (p == NULL)
		abort();
	while (size >= 2) {
		size_t len = (size_t)data[0] | (size_t)data[1] << 8;
		len = len < size - 2 ? len : size - 2;
		code_note_take(p, 1000000, data + 2, len);
		data += 2 + len;
		size -= 2 + len;
	}
	if (profile_rows(p, PROFILE_ALL, &rows, &count))
		free(rows);
	return 0;
}
