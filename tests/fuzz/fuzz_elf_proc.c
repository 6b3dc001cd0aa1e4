/*
 * fuzz_elf_proc.c - any bytes as the files of /proc: maps, stat, status, environ and cmdline.
 *
 * The first byte picks the file.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "target/version.h"
#include "target/maps.h"
#include "target/status.h"
#include "target/proc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Parse as maps, line by line. */
static void try_maps(const char *text, size_t len)
{
	char plain[PROC_PATH_SIZE];
	struct map map;
	int64_t number;

	while (len > 0) {
		const char *newline = memchr(text, '\n', len);
		size_t line = newline == NULL ? len : (size_t)(newline - text);

		if (map_parse(text, line, &map)) {
			if (map.start > map.end || strlen(map.path) >= sizeof map.path)
				abort();
			if (map_is_ring(&map, &number) && (number < 0 || number > INT32_MAX))
				abort();
			if (map_unescape(map.path, plain, sizeof plain) && strlen(plain) >= strlen(map.path))
				abort();
			(void)map_is_shared_runtime(&map);
		}
		line += newline != NULL;
		text += line;
		len -= line;
	}
}

/* Parse as words. */
static void try_words(const char *text, size_t len)
{
	char buf[16];
	struct word word;

	word = words_value(text, len, "OCAML_RUNTIME_EVENTS_DIR");
	if (word.text != NULL && (word.text < text || word.text + word.len > text + len))
		abort();
	for (unsigned i = 0; (word = bytecode_guess(text, len, i)).text != NULL; i++)
		if (word.text < text || word.text + word.len > text + len)
			abort();
	(void)word_copy(words_get(text, len, 3), buf, sizeof buf);
	words_join(text, len, buf, sizeof buf);
}

/* Parse the bytes as one of the files. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct status_stat stat;
	struct status_ids ids;
	const char *text;

	if (size == 0)
		return 0;
	text = (const char *)data + 1;
	size--;
	switch (data[0] % 4) {
	case 0:
		try_maps(text, size);
		break;
	case 1:
		if (status_parse_stat(text, size, &stat) && strlen(stat.name) >= sizeof stat.name)
			abort();
		break;
	case 2:
		status_parse_ids(text, size, &ids);
		break;
	default:
		try_words(text, size);
		break;
	}
	return 0;
}
