/*
 * runparam.h - parameters of the runtime as text: the value of OCAMLRUNPARAM, or what was linked into a program.
 *
 * As the runtime reads it (startup_aux.c): settings stand between commas, each is known by its first letter, a later one beats an earlier
 * one, and what is not known is skipped.  A value is a 32-bit number, decimal or 0x, times 1024 for each of k, M, G that rise so; without
 * one it is 1.
 */
#ifndef TARGET_RUNPARAM_H
#define TARGET_RUNPARAM_H

#include <stddef.h>

#include "target/system.h"

/* The letter, and what is believed, of each setting. */
struct runparam_letter {
	char letter;
	uint64_t least, most;
};
extern const struct runparam_letter runparam_letters[OCAML_SETTING_COUNT];

/* Take the settings that a text has; they come from `from`, and replace what was known.  One whose value the runtime can't have taken is not
 * known then. */
void runparam_parse(const char *text, size_t len, enum ocaml_origin from, struct ocaml_settings *out);

/* A value as the runtime takes it: a minor heap is whole pages, a percentage at least 1. */
uint64_t runparam_normal(enum ocaml_setting_id id, uint64_t value);

#endif
