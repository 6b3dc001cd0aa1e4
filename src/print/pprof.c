/*
 * pprof.c - encode protocol buffers by hand.
 *
 * A message is a sequence of fields: a key (the field's number, and 0 for a number or 2 for bytes), then a
 * number, or a length and that many bytes.  Fields may come in any order, so they are appended as they become
 * known.  Strings are numbered in their order; number 0 is the empty string.
 */
#include "print/pprof.h"

#include "core/array.h"
#include "core/id_map.h"

/* Numbers of the fields in each message. */
enum { PROFILE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5, PROFILE_STRING = 6 };
enum { PROFILE_TIME = 9, PROFILE_DURATION = 10, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12 };
enum { PROFILE_COMMENT = 13 };
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_NUMBER = 3 };
enum { LOCATION_ID = 1, LOCATION_LINE = 4, LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4 };

struct bytes {
	uint8_t *at;
	size_t size, room;
};

struct pprof {
	struct bytes all;
	struct bytes message, inner; /* under construction */
	size_t type_count;
	uint64_t strings;
	const char *key; /* the latest label's key, and the number of its string */
	uint64_t key_number;
	struct id_map locations; /* the locations written, by function and line */
	bool lacking;		 /* memory ran out */
};

/* ---- fields ---- */

static void put_bytes(struct pprof *p, struct bytes *to, const void *bytes, size_t size)
{
	if (p->lacking || !array_room(&to->at, &to->room, to->size + size, 1)) {
		p->lacking = true;
		return;
	}
	if (size != 0)
		memcpy(to->at + to->size, bytes, size);
	to->size += size;
}

static void put_varint(struct pprof *p, struct bytes *to, uint64_t value)
{
	uint8_t bytes[10];
	size_t count = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[count++] = (uint8_t)(value | 0x80);
	bytes[count++] = (uint8_t)value;
	put_bytes(p, to, bytes, count);
}

/* Append a number; 0 is the default and is left out. */
static void put_number(struct pprof *p, struct bytes *to, unsigned field, uint64_t value)
{
	if (value == 0)
		return;
	put_varint(p, to, field << 3);
	put_varint(p, to, value);
}

static void put_block(struct pprof *p, struct bytes *to, unsigned field, const void *bytes, size_t size)
{
	put_varint(p, to, field << 3 | 2);
	put_varint(p, to, size);
	put_bytes(p, to, bytes, size);
}

/* Append a complete message, and empty its buffer for the next one. */
static void put_message(struct pprof *p, struct bytes *to, unsigned field, struct bytes *message)
{
	put_block(p, to, field, message->at, message->size);
	message->size = 0;
}

/* Append a string, and return its number. */
static uint64_t string_number(struct pprof *p, const char *text)
{
	if (text == NULL || text[0] == '\0')
		return 0;
	put_block(p, &p->all, PROFILE_STRING, text, strlen(text));
	return p->strings++;
}

static void put_type(struct pprof *p, unsigned field, const struct pprof_type *type)
{
	put_number(p, &p->message, TYPE_TYPE, string_number(p, type->type));
	put_number(p, &p->message, TYPE_UNIT, string_number(p, type->unit));
	put_message(p, &p->all, field, &p->message);
}

/* ---- creating ---- */

struct pprof *pprof_create(const struct pprof_options *o)
{
	struct pprof *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->type_count = o->type_count;
	put_block(p, &p->all, PROFILE_STRING, "", 0);
	p->strings = 1;
	for (size_t i = 0; i < o->type_count; i++)
		put_type(p, PROFILE_TYPE, &o->types[i]);
	put_type(p, PROFILE_PERIOD_TYPE, &o->types[o->type_count - 1]);
	put_number(p, &p->all, PROFILE_PERIOD, (uint64_t)o->period);
	put_number(p, &p->all, PROFILE_TIME, (uint64_t)o->time_ns);
	put_number(p, &p->all, PROFILE_DURATION, (uint64_t)o->duration_ns);
	put_number(p, &p->all, PROFILE_COMMENT, string_number(p, o->comment));
	return p;
}

void pprof_destroy(struct pprof *p)
{
	if (p == NULL)
		return;
	free(p->all.at);
	free(p->message.at);
	free(p->inner.at);
	id_map_fini(&p->locations);
	free(p);
}

void pprof_function(struct pprof *p, uint32_t function, const char *name, const char *file)
{
	uint64_t number = string_number(p, name);

	put_number(p, &p->message, FUNCTION_ID, (uint64_t)function + 1);
	put_number(p, &p->message, FUNCTION_NAME, number);
	put_number(p, &p->message, FUNCTION_SYSTEM_NAME, number);
	put_number(p, &p->message, FUNCTION_FILE, string_number(p, file));
	put_message(p, &p->all, PROFILE_FUNCTION, &p->message);
}

/* ---- samples ---- */

/* Return the number of a location; a new one is appended. */
static uint64_t location(struct pprof *p, struct pprof_frame frame)
{
	const uint64_t id = (uint64_t)frame.function << 32 | frame.line;
	uint32_t number = id_map_find(&p->locations, id);
	struct bytes line = {0};

	if (number != 0)
		return number;
	number = (uint32_t)p->locations.count + 1;
	p->lacking |= !id_map_add(&p->locations, id, number);
	put_number(p, &line, LINE_FUNCTION, (uint64_t)frame.function + 1);
	put_number(p, &line, LINE_LINE, frame.line);
	put_number(p, &p->inner, LOCATION_ID, number);
	put_message(p, &p->inner, LOCATION_LINE, &line);
	put_message(p, &p->all, PROFILE_LOCATION, &p->inner);
	free(line.at);
	return number;
}

void pprof_sample(struct pprof *p, const struct pprof_frame *frames, size_t count, const int64_t *values,
    const char *key, int64_t label)
{
	struct bytes list = {0};

	for (size_t i = 0; i < count; i++)
		put_varint(p, &list, location(p, frames[i]));
	put_message(p, &p->message, SAMPLE_LOCATIONS, &list);
	for (size_t i = 0; i < p->type_count; i++)
		put_varint(p, &list, (uint64_t)values[i]);
	put_message(p, &p->message, SAMPLE_VALUES, &list);
	if (key != NULL) {
		if (key != p->key)
			p->key_number = string_number(p, key);
		p->key = key;
		put_number(p, &list, LABEL_KEY, p->key_number);
		put_number(p, &list, LABEL_NUMBER, (uint64_t)label);
		put_message(p, &p->message, SAMPLE_LABEL, &list);
	}
	put_message(p, &p->all, PROFILE_SAMPLE, &p->message);
	free(list.at);
}

const uint8_t *pprof_bytes(const struct pprof *p, size_t *size)
{
	*size = p->all.size;
	return p->lacking ? NULL : p->all.at;
}
