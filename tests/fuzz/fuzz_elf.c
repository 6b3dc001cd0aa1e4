/*
 * fuzz_elf.c - any bytes as a program file: its headers, symbols and traces of an OCaml runtime.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "target/elf.h"
#include "target/image.h"
#include "target/version.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Look at the bytes in every way. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_lookup lookups[] = {{.name = "runtime_events_enabled"}, {.name = "runtime_events_paused"}};
	struct source source;
	struct version version, again;
	struct image image;
	struct elf elf;

	/* A small effort keeps headers that claim the same bytes over and over from taking long. */
	struct effort effort = {.work = 1 << 22, .memory = 1 << 22};
	source_from_memory(&source, data, size, &effort);
	image_read(&image, &source, size % 2 == 0 ? IMAGE_QUICK : IMAGE_FULL);
	image_read_symbols(&image, &source);
	if (version_from_image(&image, 0, &version) == VERSION_OCAML5 && version.exact &&
	    (!version_from_text(version.text, version.origin, &again) || again.release != version.release))
		abort();
	effort = (struct effort){.work = 1 << 22, .memory = 1 << 22};
	source_from_memory(&source, data, size, &effort);
	if (elf_open(&elf, &source) && elf_lookup(&elf, lookups, 2) && lookups[0].count > 0)
		(void)elf_is_writable(&elf, lookups[0].address, lookups[0].size);
	return 0;
}
