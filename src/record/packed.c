/*
 * packed.c - see packed.h.
 */
#include "record/packed.h"

#include <assert.h>
#include <string.h>

/* The kinds of a head beyond those of events. */
enum { PACKED_NAME = EVENT_KIND_COUNT, PACKED_MARK };

/* What comes after a head: nothing, a value of 8 bytes, or `len` bytes of data. */
enum { WITH_NOTHING, WITH_VALUE, WITH_DATA };

struct head {
	uint64_t ts;	 /* a mark: its value */
	uint16_t domain; /* a mark: its number */
	uint16_t id;
	uint16_t len;
	uint8_t kind, with;
};
static_assert(sizeof(struct head) == PACKED_HEAD, "no padding");

static size_t padded(size_t len)
{
	return (len + 7) & ~(size_t)7;
}

static unsigned char *put_head(unsigned char *at, const struct head *head)
{
	memcpy(at, head, sizeof(*head));
	return at + sizeof(*head);
}

/* Write a head and its data, which starts at a multiple of 8. */
static unsigned char *put(unsigned char *at, const struct head *head, const void *data)
{
	at = put_head(at, head);
	memcpy(at, data, head->len);
	return at + padded(head->len);
}

static unsigned char *put_name(struct packer *p, unsigned char *at, const struct rtev_user_event *user)
{
	p->named[user->id] = (uint64_t)user->generation + 1;
	return put(at,
	    &(struct head){.id = user->id, .len = user->name_len, .kind = PACKED_NAME, .with = WITH_DATA},
	    user->name);
}

unsigned char *packed_put(struct packer *p, unsigned char *at, const struct rtev_event *event)
{
	const struct rtev_user_event *user = event->user;
	struct head head = {.ts = event->ts,
	    .domain = (uint16_t)event->domain,
	    .id = event->id,
	    .kind = (uint8_t)event->kind};

	if (user != NULL && p->named[user->id] != (uint64_t)user->generation + 1)
		at = put_name(p, at, user);
	if (event->data != NULL) {
		head.len = (uint16_t)(event->len < PACKED_DATA_MAX ? event->len : PACKED_DATA_MAX);
		head.with = WITH_DATA;
		return put(at, &head, event->data);
	}
	if (event->value == 0)
		return put_head(at, &head);
	head.len = sizeof(event->value);
	head.with = WITH_VALUE;
	return put(at, &head, &event->value);
}

unsigned char *packed_put_mark(unsigned char *at, unsigned mark, uint64_t value)
{
	return put_head(at, &(struct head){.ts = value, .domain = (uint16_t)mark, .kind = PACKED_MARK});
}

void packed_forget(struct packer *p)
{
	memset(p->named, 0, sizeof(p->named));
}

/* Keep a name. */
static void keep_name(struct unpacker *u, const struct head *head, const unsigned char *name)
{
	struct rtev_user_event *user = &u->users[head->id];

	user->id = head->id;
	user->name_len = head->len;
	user->generation++;
	memcpy(user->name, name, head->len);
	user->name[head->len] = '\0';
}

/* Make an event of a head and what comes after it. */
static void event_of(
    const struct unpacker *u, const struct head *head, const unsigned char *data, struct rtev_event *out)
{
	*out = (struct rtev_event){
	    .kind = (enum event_kind)head->kind, .domain = head->domain, .ts = head->ts, .id = head->id};
	if (out->kind >= EVENT_UNIT && out->kind <= EVENT_CUSTOM)
		out->user = &u->users[head->id];
	if (head->with == WITH_VALUE)
		memcpy(&out->value, data, sizeof(out->value));
	if (head->with != WITH_DATA)
		return;
	out->data = data;
	out->len = head->len;
}

bool packed_next(struct unpacker *u, const unsigned char **at, const unsigned char *end, struct unpacked *out)
{
	while (*at < end) {
		struct head head;
		memcpy(&head, *at, sizeof(head));
		const unsigned char *data = *at + sizeof(head);
		*at = data + padded(head.len);
		if (head.kind == PACKED_NAME) {
			keep_name(u, &head, data);
			continue;
		}
		out->is_mark = head.kind == PACKED_MARK;
		if (out->is_mark) {
			out->mark = head.domain;
			out->mark_value = head.ts;
		} else {
			event_of(u, &head, data, &out->event);
		}
		return true;
	}
	return false;
}
