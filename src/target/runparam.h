/*
 * runparam.h - parameters of the runtime as text: OCAMLRUNPARAM, or parameters linked into a program.
 *
 * Parsed as the runtime does (startup_aux.c): settings are separated by commas and identified by their first
 * letter; later ones override earlier ones, unknown ones are skipped.  A value is a 32-bit number, decimal or
 * 0x, with k, M or G for powers of 1024; without a number it is 1.
 */
#ifndef TARGET_RUNPARAM_H
#define TARGET_RUNPARAM_H

#include <stddef.h>

#include "target/system.h"

/* The letter and the plausible range of each setting. */
struct runparam_letter {
	char letter;
	uint64_t least, most;
};
extern const struct runparam_letter runparam_letters[OCAML_SETTING_COUNT];

/* Take the settings of a text, with `from` as their origin, in place of earlier ones.  A setting whose value
 * the runtime can't have accepted becomes unknown. */
void runparam_parse(const char *text, size_t len, enum ocaml_origin from, struct ocaml_settings *out);

/* A value as the runtime adjusts it: a minor heap to whole pages, a percentage to at least 1. */
uint64_t runparam_normal(enum ocaml_setting_id id, uint64_t value);

#endif
