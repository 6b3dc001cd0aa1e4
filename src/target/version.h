/*
 * version.h - which OCaml a process runs, and how that is known.
 *
 * The release picks the table of phase numbers; the text is for people.  Where the exact version is not told,
 * the text is a range ("5.1-5.2") and the release is the newest of it.  Sources, the strongest first: what
 * the user says, what the stream of events proves, what the program file or the bytecode shows.
 */
#ifndef TARGET_VERSION_H
#define TARGET_VERSION_H

#include <stdbool.h>
#include <stddef.h>

#include "rtev/cursor.h"
#include "rtev/events.h"
#include "target/image.h"
#include "target/proc.h"

enum version_origin {
	VERSION_FROM_NOTHING,
	VERSION_FROM_EXE,
	VERSION_FROM_BYTECODE,
	VERSION_FROM_OPTION,
	VERSION_FROM_STREAM,
	VERSION_FROM_LAYOUT
};

struct version {
	char text[IMAGE_VERSION_SIZE]; /* "5.3.0", "5.1-5.2", "OxCaml"; "" when not known */
	enum rtev_release release;
	enum version_origin origin;
	bool exact;	    /* the text is one version, not a range */
	unsigned low, high; /* minor numbers of the range, ends included */
};

/* What is known of a process's program. */
enum version_program {
	VERSION_OCAML5,	    /* it has an OCaml 5 runtime */
	VERSION_NOT_OCAML5, /* it has none, or of an older OCaml */
	VERSION_UNREADABLE  /* it may not be looked at, or is gone */
};

/* "exe", "bytecode", "option", "stream", "layout"; "unknown" for nothing.  Static storage. */
const char *version_origin_name(enum version_origin origin);

/* Read a version or range as text.  False (and nothing known) when it is neither. */
bool version_from_text(const char *text, enum version_origin origin, struct version *out);

/* Conclude from what a program file shows; `trailer` is that of the bytecode it runs, or 0. */
enum version_program version_from_image(const struct image *image, unsigned trailer, struct version *out);

/* Program files already looked at, by device and inode. */
struct version_cache;
struct version_cache *version_cache_create(void); /* NULL: out of memory */
void version_cache_destroy(struct version_cache *cache);

struct version_options {
	bool ring;		     /* it maps a ring: look through everything, it must be there */
	struct version_cache *cache; /* may be NULL */
	uint64_t budget;	     /* bytes to read of each file at most; 0: 512 MiB */
};

/* Find out about the program of a process. */
enum version_program version_of_process(
    const struct proc *proc, const struct version_options *options, struct version *out);

/* Whether two can be true together; what is not known agrees with everything. */
bool version_agrees(const struct version *a, const struct version *b);

/*
 * Weigh all that is known: `program` (may be NULL), the evidence of the stream (may be NULL), the user's
 * option (may be NULL).  False when the option is no version; then nothing is written.  *conflict is set when
 * the option contradicts what was found.
 */
bool version_merge(const struct version *program, const struct rtev_scan *stream, const char *option,
    struct version *out, bool *conflict);

#endif
