/*
 * json_members.c - print the members of JSON objects.
 */
#include "app/commands/json_members.h"

#include <math.h>
#include <string.h>

/* Print `,"name":` or, as the first member, `"name":`. */
void out_member(struct out *out, bool *first, const char *name)
{
	if (!*first)
		out_char(out, ',');
	*first = false;
	out_char(out, '"');
	out_text(out, name);
	out_text(out, "\":");
}

/* Print a member that is a whole number. */
void out_member_unsigned(struct out *out, bool *first, const char *name, uint64_t value)
{
	out_member(out, first, name);
	out_unsigned(out, value);
}

/* Print a member that is a signed number. */
void out_member_signed(struct out *out, bool *first, const char *name, int64_t value)
{
	out_member(out, first, name);
	out_signed(out, value);
}

/* Print a member that is a span of time. */
void out_member_seconds(struct out *out, bool *first, const char *name, uint64_t ns)
{
	out_member(out, first, name);
	out_seconds(out, ns);
}

/* Print a member that is a text or null. */
void out_member_text(struct out *out, bool *first, const char *name, const char *text)
{
	out_member(out, first, name);
	if (text != NULL)
		out_json_string(out, text, strlen(text));
	else
		out_text(out, "null");
}

void out_member_number(struct out *out, bool *first, const char *name, double value)
{
	out_member(out, first, name);
	if (isfinite(value))
		out_format(out, "%.9g", value);
	else
		out_text(out, "null");
}
