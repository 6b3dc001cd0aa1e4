/*
 * json.c - write JSON with a bit for each open object or array: whether it is an array, and whether a comma
 * is due.
 */
#include "print/json.h"

#include "core/sum.h"

/* Write what precedes a value: a comma after another value, and its name. */
static void before(struct json *j, const char *name, size_t len)
{
	const uint32_t bit = UINT32_C(1) << j->depth;

	if (j->keyed) {
		j->keyed = false;
		return;
	}
	if ((j->filled & bit) != 0 && j->depth > 0)
		out_char(j->out, ',');
	j->filled |= bit;
	if (name != NULL) {
		out_json_string(j->out, name, len);
		out_char(j->out, ':');
	}
}

static void begin(struct json *j, const char *name)
{
	before(j, name, name != NULL ? strlen(name) : 0);
}

/* End a value.  An outermost value ends the line. */
static void end(struct json *j)
{
	if (j->depth == 0)
		out_char(j->out, '\n');
}

static void open(struct json *j, const char *name, bool array)
{
	begin(j, name);
	out_char(j->out, array ? '[' : '{');
	j->depth++;
	const uint32_t bit = UINT32_C(1) << j->depth;
	j->arrays = array ? j->arrays | bit : j->arrays & ~bit;
	j->filled &= ~bit;
}

void json_begin_object(struct json *j, const char *name)
{
	open(j, name, false);
}

void json_begin_array(struct json *j, const char *name)
{
	open(j, name, true);
}

void json_end(struct json *j)
{
	out_char(j->out, (j->arrays >> j->depth & 1) != 0 ? ']' : '}');
	j->depth--;
	end(j);
}

void json_key(struct json *j, const char *name, size_t len)
{
	before(j, name, len);
	j->keyed = true;
}

void json_put_null(struct json *j, const char *name)
{
	begin(j, name);
	out_text(j->out, "null");
	end(j);
}

void json_put_bool(struct json *j, const char *name, bool value)
{
	begin(j, name);
	out_text(j->out, value ? "true" : "false");
	end(j);
}

void json_put_unsigned(struct json *j, const char *name, uint64_t value)
{
	begin(j, name);
	out_unsigned(j->out, value);
	end(j);
}

bool json_known(struct json *j, const char *name, bool known)
{
	if (!known)
		json_put_null(j, name);
	return known;
}

void json_put_known(struct json *j, const char *name, uint64_t value)
{
	json_put_if(j, name, value != UINT64_MAX, value);
}

void json_put_if(struct json *j, const char *name, bool known, uint64_t value)
{
	if (json_known(j, name, known))
		json_put_unsigned(j, name, value);
}

void json_put_signed(struct json *j, const char *name, int64_t value)
{
	begin(j, name);
	out_signed(j->out, value);
	end(j);
}

void json_put_seconds(struct json *j, const char *name, uint64_t ns)
{
	char digits[] = ".000000000";
	uint64_t rest = ns % 1000000000u;

	for (size_t at = sizeof(digits) - 1; rest != 0; rest /= 10)
		digits[--at] = (char)('0' + rest % 10);
	begin(j, name);
	out_unsigned(j->out, ns / 1000000000u);
	out_put(j->out, digits, sizeof(digits) - 1);
	end(j);
}

void json_put_time(struct json *j, const char *name, double ns)
{
	if (json_known(j, name, !isnan(ns)))
		json_put_seconds(j, name, whole_saturating(ns));
}

void json_put_number(struct json *j, const char *name, double value)
{
	if (!json_known(j, name, isfinite(value)))
		return;
	begin(j, name);
	out_format(j->out, "%.9g", value);
	end(j);
}

void json_put_fixed(struct json *j, const char *name, double value, int decimals)
{
	if (!json_known(j, name, isfinite(value)))
		return;
	begin(j, name);
	out_format(j->out, "%.*f", decimals, value);
	end(j);
}

void json_put_text(struct json *j, const char *name, const char *text)
{
	json_put_string(j, name, text, text != NULL ? strlen(text) : 0);
}

void json_put_string(struct json *j, const char *name, const char *text, size_t len)
{
	if (!json_known(j, name, text != NULL))
		return;
	begin(j, name);
	out_json_string(j->out, text, len);
	end(j);
}
