/*
 * ocaml_settings.h - the settings in force of a process's OCaml runtime, and how each is known (target/system.h).
 *
 * The environment and what is linked into the program say what it was started with; the runtime's own variables say what holds now, also
 * after Gc.set, but for the minor heap, which each domain sets for itself; the ring and the collections tell of that.  A value whose variable
 * holds what the environment asked for is said to come from there.  A value out of its range is not believed.
 */
#ifndef TARGET_OCAML_SETTINGS_H
#define TARGET_OCAML_SETTINGS_H

#include <sys/types.h>

#include "target/system.h"

struct ocaml_reader;

/* Read the environment of a process and find its variables.  After an exec, make another.  `proc_root` NULL: /proc.  NULL: out of
 * memory. */
struct ocaml_reader *ocaml_reader_create(const char *proc_root, pid_t pid);
void ocaml_reader_destroy(struct ocaml_reader *reader);

/* What the ring and the events tell; 0: not known. */
struct ocaml_evidence {
	uint64_t ring_words;  /* of each ring */
	unsigned max_domains; /* of the ring */
	uint64_t minor_words; /* of the largest minor heap, by the collections that a full one began */
};

/* Read the variables now, a few system calls, and weigh what is known.  `reader` NULL: there is no process. */
void ocaml_settings_read(
    struct ocaml_reader *reader, const struct ocaml_evidence *evidence, struct ocaml_settings *out);

/* "env", "embedded", "memory", "events"; NULL when not known.  Static storage. */
const char *ocaml_origin_name(enum ocaml_origin origin);

#endif
