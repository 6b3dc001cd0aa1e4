/*
 * image.h - what a program file shows of an OCaml runtime.
 *
 * Native programs carry the value of Sys.ocaml_version as a static OCaml block in their data, most runtimes
 * carry strings that came and went with certain releases, the bytecode interpreter carries its version, and
 * bytecode ends with a trailer.  This file collects those facts; version.h concludes from them.
 *
 * The strings looked for are kept in two pieces, so that a program made from this source does not show them.
 */
#ifndef TARGET_IMAGE_H
#define TARGET_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/source.h"

#define IMAGE_VERSION_SIZE 64

/* Strings of the runtime, as bits. */
enum {
	IMAGE_EVENTS_DIR = 1 << 0,  /* reads the directory of rings from its environment: OCaml 5 */
	IMAGE_RING_FILE = 1 << 1,   /* says that it could not open a ring: OCaml 5 */
	IMAGE_EVENT_NAME = 1 << 2,  /* knows user events: 5.1 and later */
	IMAGE_MAX_DOMAINS = 1 << 3, /* knows a limit of domains: 5.3 and later */
	IMAGE_MEMPROF_5_1 = 1 << 4, /* memprof is lacking, as 5.0 and 5.1 say it */
	IMAGE_MEMPROF_5_2 = 1 << 5, /* memprof is lacking, as 5.2 says it */
	IMAGE_MEMPROF = 1 << 6,	    /* memprof is there: 5.3 and later */
	IMAGE_OXCAML = 1 << 7	    /* OxCaml's own */
};

/* Functions of the runtime, as bits; told only when the file has symbols of the runtime. */
enum {
	IMAGE_SYMBOLS = 1 << 0,	      /* it has */
	IMAGE_SYMBOL_WRITE = 1 << 1,  /* of user events: 5.1 and later */
	IMAGE_SYMBOL_START = 1 << 2,  /* of Runtime_events.start under its later name: 5.2 and later */
	IMAGE_SYMBOL_PATH = 1 << 3,   /* of Runtime_events.path: 5.3 and later */
	IMAGE_SYMBOL_MEMPROF = 1 << 4 /* of memprof's roots: 5.3 and later */
};

struct image {
	bool elf;
	bool whole;			  /* all that was to be looked at could be read */
	char sys[IMAGE_VERSION_SIZE];	  /* Sys.ocaml_version, or "" */
	bool sys_release;		  /* Sys.ocaml_release stands before it and says the same */
	bool sys_ambiguous;		  /* without that, and other strings look like it too */
	char runtime[IMAGE_VERSION_SIZE]; /* of the bytecode interpreter, or "" */
	unsigned trailer;		  /* the number of a bytecode trailer, or 0 */
	uint32_t literals;
	uint32_t symbols;
};

/* How far to look, the least first. */
enum image_depth {
	IMAGE_QUICK, /* stop when the constants show no OCaml 5 runtime */
	IMAGE_FULL   /* look at everything loaded */
};

/* Look at a program file.  Never fails: what can't be read is not shown. */
void image_read(struct image *image, struct source *source, enum image_depth depth);

/* Add what the symbol tables tell. */
void image_read_symbols(struct image *image, struct source *source);

/* The number in the bytecode trailer that ends a file, or 0. */
unsigned image_trailer(struct source *source);

/* Take over what a shared runtime library shows. */
void image_add_library(struct image *image, const struct image *library);

/* Whether a text is the version of an OCaml 5, such as 5.3.0 or 5.4.0~beta1. */
bool image_is_version(const char *text, size_t len);

#endif
