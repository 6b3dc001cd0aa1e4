/*
 * json_members.h - print members of JSON objects: `,"name":value`.  The first member has no comma; the
 * functions read *first and set it to false.
 */
#ifndef APP_COMMANDS_JSON_MEMBERS_H
#define APP_COMMANDS_JSON_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "print/out.h"

/* The name alone: the value follows. */
void out_member(struct out *out, bool *first, const char *name);

void out_member_unsigned(struct out *out, bool *first, const char *name, uint64_t value);
void out_member_signed(struct out *out, bool *first, const char *name, int64_t value);
void out_member_seconds(struct out *out, bool *first, const char *name, uint64_t ns);

/* null for NULL. */
void out_member_text(struct out *out, bool *first, const char *name, const char *text);

/* Nine digits; null for what is no number. */
void out_member_number(struct out *out, bool *first, const char *name, double value);

#endif
