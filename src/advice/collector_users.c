/*
 * collector_users.c - user spans by duration, and the part of them that was collection.
 *
 * They are kept in parts of USER_PART_NS, selected by the stamp of the span's end as the slots of collector.c
 * are: the window of user spans begins with a whole part, up to USER_PART_NS later than the other window.
 */
#include "advice/collector_private.h"
#include "core/sum.h"

/* Return the bin of a duration. */
static unsigned user_bin(uint64_t ns)
{
	unsigned octave = USER_BIN_FIRST;

	while (octave < 63 && ns >> (octave + 1) != 0)
		octave++;
	if (ns >> USER_BIN_FIRST == 0)
		return 0;
	unsigned bin = (octave - USER_BIN_FIRST) * 4 + (unsigned)(ns >> (octave - 2) & 3);
	return bin < USER_BINS ? bin : USER_BINS - 1;
}

static void bins_add(struct user_bin *to, const struct user_bin *from)
{
	for (unsigned i = 0; i < USER_BINS; i++) {
		to[i].count += from[i].count;
		to[i].ns = sum_saturating(to[i].ns, from[i].ns);
		to[i].gc_ns = sum_saturating(to[i].gc_ns, from[i].gc_ns);
	}
}

/* Empty a part for reuse. */
static void part_expire(struct collector *c, unsigned part)
{
	for (size_t i = 0; i < USERS_KEPT; i++) {
		if (c->users[i] == NULL)
			continue;
		if (c->whole)
			bins_add(c->users[i][USER_OLDER], c->users[i][part]);
		memset(c->users[i][part], 0, sizeof(c->users[i][part]));
	}
}

/* Advance the parts up to number `number`. */
static void parts_reach(struct collector *c, uint64_t number)
{
	if (number <= c->user_newest)
		return;
	uint64_t from = number - c->user_newest >= USER_PARTS ? number - USER_PARTS + 1 : c->user_newest + 1;
	for (uint64_t n = from; n <= number; n++)
		part_expire(c, (unsigned)(n % USER_PARTS));
	c->user_newest = number;
}

void collector_user_add(struct collector *c, unsigned slot, uint64_t begin, uint64_t end, uint64_t gc_ns)
{
	uint64_t number = end / USER_PART_NS, ns = end - begin;

	parts_reach(c, number);
	if (end < c->collect_from || (c->user_newest - number >= USER_PARTS && !c->whole))
		return;
	if (c->users[slot] == NULL)
		c->users[slot] = calloc(USER_ALL, sizeof(*c->users[slot]));
	if (c->users[slot] == NULL)
		return;
	unsigned part =
	    c->user_newest - number < USER_PARTS ? (unsigned)(number % USER_PARTS) : (unsigned)USER_OLDER;
	struct user_bin *bin = &c->users[slot][part][user_bin(ns)];
	bin->count++;
	bin->ns = sum_saturating(bin->ns, ns);
	bin->gc_ns = sum_saturating(bin->gc_ns, gc_ns < ns ? gc_ns : ns);
}

void collector_users_clear(struct collector *c)
{
	for (size_t i = 0; i < USERS_KEPT; i++)
		if (c->users[i] != NULL)
			memset(c->users[i], 0, USER_ALL * sizeof(*c->users[i]));
}

void collector_users_read(struct collector *c, struct evidence *out)
{
	if (!c->whole)
		parts_reach(c, out->to / USER_PART_NS);
	for (size_t i = 0; i < USERS_KEPT; i++) {
		if (c->users[i] == NULL)
			continue;
		c->user_sums[i] = c->users[i][USER_SUM];
		memset(c->user_sums[i], 0, sizeof(c->users[i][USER_SUM]));
		for (unsigned part = 0; part <= USER_OLDER; part++)
			bins_add(c->user_sums[i], c->users[i][part]);
	}
	uint64_t first = c->user_newest >= USER_PARTS - 1 ? c->user_newest - (USER_PARTS - 1) : 0;
	out->users_from = out->from;
	if (!c->whole && first * USER_PART_NS > out->from)
		out->users_from = first * USER_PART_NS;
	out->users = c->user_sums;
}
