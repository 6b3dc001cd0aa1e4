/* lock_rows.c - see lock_rows.h. */
#include "advice/lock_rows.h"

#include "core/sum.h"
#include "core/utf8.h"
#include "print/lock.h"
#include "print/number.h"

void lock_table_code(struct lock_table *table, const struct profile *profile, unsigned hz)
{
	const struct lock_window *w = &table->window;

	memset(table->code, 0, sizeof(table->code));
	for (unsigned i = 0; i < w->count; i++)
		table->code[i] =
		    (struct profile_lock){.number = w->rows[i].number, .since = w->rows[i].since};
	if (profile != NULL)
		profile_locks(profile, hz, table->code, w->count);
}

void lock_row_name(const struct lock_row *row, char out[LOCK_ROW_TEXT])
{
	if (row->lock.kind == LOCK_CHANNEL)
		snprintf(out, LOCK_ROW_TEXT, "channel fd %d", row->lock.fd);
	else if (row->lock.kind == LOCK_MASTER)
		snprintf(out, LOCK_ROW_TEXT, "master lock D%d", row->lock.domain);
	else
		snprintf(out, LOCK_ROW_TEXT, "mutex 0x%" PRIx64, row->lock.address);
}

/* Append a word with its share to a list. */
static void append(char out[LOCK_ROW_TEXT], const char *word, uint64_t part, uint64_t all)
{
	const size_t len = strlen(out);

	snprintf(out + len, LOCK_ROW_TEXT - len, "%s%.*s %s", len > 0 ? ", " : "",
	    utf8_fit(word, strlen(word), 48), word, format_share(part, all).s);
}

void lock_row_owner(const struct lock_row *row, char out[LOCK_ROW_TEXT])
{
	const char *const words[LOCK_DOINGS] = {[LOCK_RUNS] = "runs",
	    [LOCK_IN_CALL] = lock_call_words(row->call),
	    [LOCK_WAITS] = "waits itself",
	    [LOCK_UNSEEN] = "not known",
	    [LOCK_GONE] = "is gone"};
	struct lock_row left = *row;

	out[0] = '\0';
	for (;;) {
		size_t most = 0;

		for (size_t i = 1; i < LOCK_DOINGS; i++)
			most = left.did[i] > left.did[most] ? i : most;
		if (left.did[most] == 0)
			return;
		append(out, words[most], left.did[most], row->looks);
		left.did[most] = 0;
	}
}

bool lock_waited_words(
    const struct lock_past *past, unsigned domain, uint64_t from, uint64_t ns, char out[LOCK_ROW_TEXT])
{
	struct lock_waited lock;

	out[0] = '\0';
	if (!lock_past_waited(past, domain, from, sum_saturating(from, ns), &lock) || lock.waits == 0)
		return false;
	snprintf(out, LOCK_ROW_TEXT, "waits for a lock about %s", format_duration(lock.ns).s);
	return true;
}

void lock_row_functions(
    const struct profile *profile, const struct profile_side *side, char out[LOCK_ROW_TEXT])
{
	out[0] = '\0';
	for (size_t i = 0; i < sizeof(side->top) / sizeof(side->top[0]) && side->top[i].weight != 0; i++)
		append(out, profile_function_of(profile, side->top[i].function)->name, side->top[i].weight,
		    side->weight);
}
