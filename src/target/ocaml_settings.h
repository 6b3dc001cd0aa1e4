/*
 * ocaml_settings.h - the settings in force in an OCaml runtime, and how each is known (samples/system.h).
 *
 * The environment and linked-in parameters give the initial values.  The runtime's variables give the current
 * ones, including changes by Gc.set.  The minor heap is the largest of any domain, read from memory if its
 * domains can be found there, else estimated from collections.  If a value equals the one in the environment,
 * its origin is the environment; if memory contains another one than the program was started with, its origin
 * is the program.  Implausible values are ignored.
 */
#pragma once

#include <sys/types.h>

#include "samples/system.h"

/* ---- runparam ---- */

/*
 * Parameters of the runtime as text: OCAMLRUNPARAM, or parameters linked into a program.
 *
 * They are parsed as by the runtime (startup_aux.c): settings are separated by commas and identified by their
 * first letter, or from 5.5 on as tweaks, by X and a name; later ones override earlier ones, and unknown ones
 * are skipped.  A value is a 32-bit number, decimal or 0x, with k, M or G for powers of 1024; without a
 * number it is 1.
 */

/* The name and the plausible range of each setting. */
struct runparam_name {
	const char *name;
	uint64_t least, most;
};
extern const struct runparam_name runparam_names[OCAML_SETTING_COUNT];

/* Take the settings of a text, with `from` as their origin, in place of earlier ones.  A setting whose value
 * the runtime can't have accepted becomes unknown. */
void runparam_parse(const char *text, size_t len, enum ocaml_origin from, struct ocaml_settings *out);

/* ---- ocaml settings ---- */

struct ocaml_reader;

/* Read the environment of a process and find its variables.  After an exec create a new reader.  `proc_root`
 * NULL: /proc.  Returns NULL if memory ran out. */
struct ocaml_reader *ocaml_reader_create(const char *proc_root, pid_t pid);
void ocaml_reader_destroy(struct ocaml_reader *reader);

/* Evidence from ring and events; 0: unknown. */
struct ocaml_evidence {
	uint64_t ring_words;  /* size of each ring */
	unsigned max_domains; /* of the ring, or of the runtime if there is no ring */
	uint64_t minor_words; /* of the largest minor heap, by collections that began with a full one */
	uint64_t minor_heap;  /* size of the largest minor heap, from memory */
	unsigned params_at;   /* from struct runtime_layout; 0: the release is not known */
};

/* Read the variables, with a few system calls, and combine what is known.  `reader` NULL: no process. */
void ocaml_settings_read(
    struct ocaml_reader *reader, const struct ocaml_evidence *evidence, struct ocaml_settings *out);

/* "env", "embedded", "memory", "events", "program"; NULL: unknown.  Static storage. */
const char *ocaml_origin_name(enum ocaml_origin origin);
