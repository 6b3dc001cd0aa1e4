/*
 * tape_play.c - plays a tape to a model; see tape.h, and tape_private.h for how it is stored.
 *
 * User events go by the numbers of the first model's slots, which stand for their names as long as that model lives.
 */
#include <stdlib.h>
#include <string.h>

#include "model/tape_private.h"

/* Find the block that a player stands in; serials rise, so one that is not found has been given up. */
static const struct tape_block *player_block(const struct tape_player *p)
{
	return p->block != NULL && p->block->serial == p->place.serial
		   ? p->block
		   : tape_block_of(p->tape, p->place.serial);
}

bool tape_player_init(struct tape_player *p)
{
	const struct tape_block *b;

	model_callbacks(&p->calls);
	p->last = calloc(MODEL_DOMAINS_MAX, sizeof(*p->last));
	p->since = calloc(MODEL_DOMAINS_MAX, sizeof(*p->since));
	if (p->last == NULL || p->since == NULL) {
		tape_player_fini(p);
		return false;
	}
	STAILQ_FOREACH (b, &p->tape->blocks, link)
		if (b->latest >= p->from || STAILQ_NEXT(b, link) == NULL)
			break;
	p->block = b;
	p->place = (struct tape_place){b != NULL ? b->serial : 0, 0};
	p->epoch = 2 * p->place.serial;
	return true;
}

void tape_player_fini(struct tape_player *p)
{
	free(p->last);
	free(p->since);
	p->last = p->since = NULL;
}

/* A user event as a cursor would hand it out, for a slot of the model that the tape is of. */
static void user_event(const struct tape_player *p, uint64_t slot, struct rtev_user_event *out)
{
	const struct model_user_slot *known = model_user_slot(p->tape->model, slot);

	*out = (struct rtev_user_event){.id = (uint16_t)(slot % RTEV_USER_EVENTS_MAX),
	    .generation = 1 + (uint32_t)(slot / RTEV_USER_EVENTS_MAX)};
	if (known == NULL)
		return;
	out->name_len = known->name_len < RTEV_USER_NAME_SIZE ? known->name_len : RTEV_USER_NAME_SIZE - 1;
	memcpy(out->name, known->name, out->name_len);
}

/* Play a user event that is no span; returns where its record ends. */
static const uint8_t *play_user(
    struct tape_player *p, const uint8_t *at, unsigned opcode, uint64_t ts, bool tell)
{
	struct rtev_user_event event;
	uint64_t slot = varint_get(&at);

	if (opcode == OP_CUSTOM) {
		uint8_t data[MODEL_CUSTOM_KEPT] = {0};
		uint64_t len = varint_get(&at), kept = varint_get(&at);
		memcpy(data, at, kept);
		user_event(p, slot, &event);
		/* The model looks at no more than it keeps. */
		if (tell)
			p->calls.user_custom(p->to, p->domain, ts, &event, data, len);
		return at + kept;
	}
	int64_t value = unfold(varint_get(&at));
	const struct model_user_slot *known = model_user_slot(p->tape->model, slot);
	if (!tell)
		return at;
	user_event(p, slot, &event);
	if (known != NULL && known->kind == MODEL_USER_INT)
		p->calls.user_int(p->to, p->domain, ts, &event, value);
	else
		p->calls.user_unit(p->to, p->domain, ts, &event);
	return at;
}

/* Play a gap; returns where its record ends. */
static const uint8_t *play_gap(struct tape_player *p, const uint8_t *at, bool tell)
{
	uint64_t kind = varint_get(&at), words = varint_get(&at), history = varint_get(&at);

	if (!tell)
		return at;
	if (kind == MODEL_NOTE_LOST)
		p->calls.lost(p->to, p->domain, words, history);
	else if (kind == MODEL_NOTE_CORRUPT)
		p->calls.corrupt(p->to, p->domain, words);
	else
		p->calls.restart(p->to, p->domain);
	return at;
}

/* Play an event whose opcode holds nothing but itself; returns where its record ends. */
static const uint8_t *play_plain(
    struct tape_player *p, const uint8_t *at, unsigned opcode, uint64_t ts, bool tell)
{
	uint64_t buckets[RTEV_ALLOC_BUCKETS], id;
	struct rtev_user_event event;

	switch (opcode) {
	case OP_ALLOC:
		for (unsigned i = 0; i < RTEV_ALLOC_BUCKETS; i++)
			buckets[i] = varint_get(&at);
		if (tell)
			p->calls.alloc(p->to, p->domain, ts, buckets);
		return at;
	case OP_USER:
	case OP_CUSTOM:
		return play_user(p, at, opcode, ts, tell);
	case OP_GAP:
		return play_gap(p, at, tell);
	case OP_RESUMED:
		if (tell)
			model_resume_at(p->to, ts);
		return at;
	case OP_REATTACH:
		if (tell)
			model_reattach(p->to);
		return at;
	default:
		break;
	}
	id = varint_get(&at);
	int64_t value = opcode == OP_COUNTER_BIG || opcode == OP_LIFECYCLE ? unfold(varint_get(&at)) : 0;
	if (!tell)
		return at;
	if (opcode == OP_OPENED_BIG)
		p->calls.begin(p->to, p->domain, ts, (rtev_phase)id);
	else if (opcode == OP_CLOSED_BIG)
		p->calls.end(p->to, p->domain, ts, (rtev_phase)id);
	else if (opcode == OP_COUNTER_BIG)
		p->calls.counter(p->to, p->domain, ts, (rtev_counter)id, value);
	else if (opcode == OP_LIFECYCLE)
		p->calls.lifecycle(p->to, p->domain, ts, (rtev_lifecycle)id, value);
	else {
		user_event(p, id, &event);
		p->calls.user_span(p->to, p->domain, ts, &event, opcode == OP_USER_OPENED);
	}
	return at;
}

/* Move to the next block when this one has been played, and behind the head.  NULL at the end. */
static const struct tape_block *player_move(struct tape_player *p, struct tape_place end)
{
	const struct tape_block *b = player_block(p);

	if (b != NULL && p->place.at == b->used && p->place.serial < end.serial) {
		p->block = b = STAILQ_NEXT(b, link);
		if (b == NULL)
			return NULL;
		p->place = (struct tape_place){b->serial, b->head_end};
	}
	if (b == NULL || p->place.serial > end.serial ||
	    (p->place.serial == end.serial && p->place.at >= end.at))
		return NULL;
	if (p->epoch <= 2 * b->serial && p->place.at >= b->head_end) {
		p->epoch = 2 * b->serial + 1;
		p->domain = 0;
	}
	return b;
}

bool tape_play(struct tape_player *p, struct tape_place end)
{
	const struct tape_block *b = player_move(p, end);

	if (b == NULL)
		return false;
	const uint8_t *at = b->data + p->place.at;
	unsigned opcode = *at++;
	if (opcode == OP_DOMAIN) {
		p->domain = (unsigned)varint_get(&at);
		opcode = *at++;
	}
	uint64_t ts = (p->since[p->domain] == p->epoch ? p->last[p->domain] : b->base) +
		      (uint64_t)unfold(varint_get(&at));
	p->last[p->domain] = ts;
	p->since[p->domain] = p->epoch;
	bool tell = ts <= p->until;
	if (!p->begun && ts >= p->from && p->epoch % 2 == 1) {
		p->begun = true;
		p->begin(p->ctx);
	}
	if (opcode >= OP_DOMAIN) {
		at = play_plain(p, at, opcode, ts, tell);
	} else if (opcode >= OP_COUNTER) {
		int64_t value = unfold(varint_get(&at));
		if (tell)
			p->calls.counter(p->to, p->domain, ts, (rtev_counter)(opcode - OP_COUNTER), value);
	} else if (tell) {
		if (opcode >= OP_CLOSED)
			p->calls.end(p->to, p->domain, ts, (rtev_phase)(opcode - OP_CLOSED));
		else
			p->calls.begin(p->to, p->domain, ts, (rtev_phase)(opcode - OP_OPENED));
	}
	p->place.at = (uint32_t)(at - b->data);
	return true;
}
