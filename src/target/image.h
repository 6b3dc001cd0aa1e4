/*
 * image.h - traces of an OCaml runtime in a program file.
 *
 * Native programs contain Sys.ocaml_version as a static OCaml block.  Most runtimes contain strings that came
 * or went with certain releases.  The bytecode interpreter contains its version, and bytecode files end with
 * a trailer.  This file collects these facts; version.h draws the conclusion.
 *
 * The strings are stored in two pieces, so that a program built from this source does not contain them.
 */
#pragma once

#include "target/effort.h"

/* ---- source ---- */

/*
 * Read a file, or memory, by offset.
 *
 * A descriptor is read, not mapped: if the file is truncated, a read fails and there is no fault.  Reading
 * spends from an effort, so that searching a foreign file ends soon whatever its headers claim.
 */

/* Maximum size of a window, including the overlap. */
#define SOURCE_WINDOW 65536

struct source {
	int fd;		     /* -1: memory */
	const uint8_t *data; /* set if fd is -1 */
	uint64_t size;	     /* size of the file when it was opened */
	struct effort *effort;
};

/* Read from a descriptor.  The caller keeps the descriptor and the effort; a descriptor of a file that a
 * program serves is replaced by one of a copy.  Returns false if the file can't be examined. */
bool source_from_fd(struct source *source, int *fd, struct effort *effort);

/* Read from memory, which must stay valid. */
void source_from_memory(struct source *source, const void *data, size_t size, struct effort *effort);

/* Read exactly n bytes.  Returns false if there are fewer. */
bool source_read(struct source *source, uint64_t offset, void *buf, size_t n);

/* Called with a window: `offset` in the file, `len` bytes.  Returns false to end the scan. */
typedef bool source_visit(void *ctx, uint64_t offset, const uint8_t *data, size_t len);

/*
 * Call `visit` for each window of a range.  A window begins with the last `overlap` bytes of the one before
 * (less than half a window), so that anything up to one byte longer is complete in some window.  The range
 * ends at the end of the file.  Returns false if a part could not be read, true otherwise, also if `visit`
 * ended the scan.
 */
bool source_scan(
    struct source *source, uint64_t offset, uint64_t size, size_t overlap, source_visit *visit, void *ctx);

/* ---- image ---- */

#define IMAGE_VERSION_SIZE 64

/* Strings of the runtime, as bits. */
enum {
	IMAGE_EVENTS_DIR = 1 << 0,  /* reads the ring directory from the environment: OCaml 5 */
	IMAGE_RING_FILE = 1 << 1,   /* reports that a ring can't be opened: OCaml 5 */
	IMAGE_EVENT_NAME = 1 << 2,  /* has user events: 5.1 and later */
	IMAGE_MAX_DOMAINS = 1 << 3, /* has a limit of domains: 5.3 and later */
	IMAGE_MEMPROF_5_1 = 1 << 4, /* message of 5.0 and 5.1 that memprof is missing */
	IMAGE_MEMPROF_5_2 = 1 << 5, /* message of 5.2 that memprof is missing */
	IMAGE_MEMPROF = 1 << 6,	    /* has memprof: 5.3 and later */
	IMAGE_OXCAML = 1 << 7	    /* only in OxCaml */
};

/* Functions of the runtime, as bits; valid if IMAGE_SYMBOLS is set. */
enum {
	IMAGE_SYMBOLS = 1 << 0,	      /* the file has symbols of the runtime */
	IMAGE_SYMBOL_WRITE = 1 << 1,  /* writes user events: 5.1 and later */
	IMAGE_SYMBOL_START = 1 << 2,  /* Runtime_events.start under its later name: 5.2 and later */
	IMAGE_SYMBOL_PATH = 1 << 3,   /* Runtime_events.path: 5.3 and later */
	IMAGE_SYMBOL_MEMPROF = 1 << 4 /* memprof's roots: 5.3 and later */
};

struct image {
	bool elf;
	bool whole;			  /* everything to be searched could be read */
	char sys[IMAGE_VERSION_SIZE];	  /* Sys.ocaml_version, or "" */
	bool sys_release;		  /* Sys.ocaml_release precedes it and agrees */
	bool sys_ambiguous;		  /* no block agrees, and several strings look like a version */
	char runtime[IMAGE_VERSION_SIZE]; /* version of the bytecode interpreter, or "" */
	unsigned trailer;		  /* number of a bytecode trailer, or 0 */
	uint32_t literals;
	uint32_t symbols;
};

/* How much to search. */
enum image_depth {
	IMAGE_QUICK, /* stop if the constants show no OCaml 5 runtime */
	IMAGE_FULL   /* all loaded segments */
};

/* Search a program file.  Never fails: what can't be read is not found. */
void image_read(struct image *image, struct source *source, enum image_depth depth);

/* Add what the symbol tables show. */
void image_read_symbols(struct image *image, struct source *source);

/* The number in a file's bytecode trailer, or 0. */
unsigned image_trailer(struct source *source);

/* Add what a shared runtime library shows. */
void image_add_library(struct image *image, const struct image *library);

/* Whether a text is a version of OCaml 5, such as 5.3.0 or 5.4.0~beta1. */
bool image_is_version(const char *text, size_t len);
