/*
 * version.h - the OCaml release of a process, and how it is known.
 *
 * The release selects the table of phase numbers; the text is for people.  If the exact version is unknown,
 * the text is a range ("5.1-5.2") and the release is its newest.  Evidence, strongest first: the user's
 * option, the stream of events, the program file or the bytecode.
 */
#pragma once

#include "rtev/cursor.h"
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
	char text[IMAGE_VERSION_SIZE]; /* "5.3.0", "5.1-5.2", "OxCaml"; "": unknown */
	enum rtev_release release;
	enum version_origin origin;
	bool exact;	    /* the text is a version, not a range */
	unsigned low, high; /* minor numbers of the range, inclusive */
};

/* What is known of the program of a process. */
enum version_program {
	VERSION_OCAML5,	    /* it has an OCaml 5 runtime */
	VERSION_NOT_OCAML5, /* it has no OCaml runtime, or an older one */
	VERSION_NO_PROGRAM, /* it has ended, or is a kernel thread */
	VERSION_UNREADABLE, /* it may not be read */
	VERSION_SILENT	    /* its files do not answer */
};

/* "exe", "bytecode", "option", "stream", "layout"; "unknown".  Static storage. */
const char *version_origin_name(enum version_origin origin);

/* Parse a version or a range.  Returns false, with nothing set, if it is neither. */
bool version_from_text(const char *text, enum version_origin origin, struct version *out);

/* Evaluate the traces in a program file; `trailer` is the number of its bytecode trailer, or 0. */
enum version_program version_from_image(const struct image *image, unsigned trailer, struct version *out);

/* Program files that were searched, by device, inode, size and time of modification. */
struct version_cache;
struct version_cache *version_cache_create(void); /* NULL if memory ran out */
void version_cache_destroy(struct version_cache *cache);

/* Whether a file was searched and contains nothing that an OCaml 5 program without a shared runtime
 * contains. */
bool version_cache_excludes(const struct version_cache *cache, const struct stat *st);

struct version_options {
	bool ring;		     /* it maps a ring, so search everything: there must be a runtime */
	bool no_shared_runtime;	     /* the process is known to map no shared runtime library */
	struct version_cache *cache; /* may be NULL */
	struct effort *effort;	     /* for files that do not go into the cache; NULL: use effort_for_look */
};

/* Determine the release from the program of a process. */
enum version_program version_of_process(
    const struct proc *proc, const struct version_options *options, struct version *out);

/*
 * Combine the evidence of program, stream and the user's option; each may be NULL.  Returns false, with
 * nothing written, if the option is not a version.  Sets *conflict if it contradicts the evidence.
 */
bool version_merge(const struct version *program, const struct rtev_scan *stream, const char *option,
    struct version *out, bool *conflict);

/* ---- bytecode ---- */

/*
 * The program file that a bytecode interpreter runs.
 *
 * The interpreter is started as `ocamlrun [options] program`, by a #! line with the same effect, or by a
 * small launcher that leaves the name of the program as argv[0].  The file ends with a trailer; its number
 * depends on the release.
 */

/* Return the index-th word of a command line that may name the program; its text is NULL if there are no
 * more. */
struct word bytecode_guess(const char *cmdline, size_t len, unsigned index);

/* Return the trailer number of the process's program, 0 if it can't be found. */
unsigned bytecode_trailer(const struct proc *proc);
