/* stats_locks.c - the part of a report about locks: which ones threads waited for, and who held them. */
#include "app/commands/stats_report.h"
#include "figures/figures.h"
#include "advice/lock_rows.h"
#include "target/locks.h"

static void json_side(
    struct json *j, const char *name, const struct profile *profile, const struct profile_side *side)
{
	if (!json_known(j, name, side->weight != 0))
		return;
	json_begin_array(j, name);
	for (size_t i = 0; i < sizeof(side->top) / sizeof(side->top[0]) && side->top[i].weight != 0; i++) {
		const struct profile_function *f = profile_function_of(profile, side->top[i].function);

		json_begin_object(j, NULL);
		json_put_text(j, "name", f->name);
		json_put_text(j, "file", f->file);
		json_put_if(j, "line", f->line != 0, f->line);
		json_put_number(j, "share", figure_share((double)side->top[i].weight, (double)side->weight));
		json_end(j);
	}
	json_end(j);
}

static void json_row(struct json *j, const struct stats_subject *subject, unsigned i)
{
	const struct lock_window *w = &subject->locks.window;
	const struct lock_row *row = &w->rows[i];

	json_begin_object(j, NULL);
	json_put_text(j, "kind", lock_kind_name(row->lock.kind));
	json_put_text(j, "address", format_said("0x%" PRIx64, row->lock.address).s);
	json_put_if(j, "domain", row->lock.kind == LOCK_MASTER, (uint64_t)row->lock.domain);
	json_put_if(j, "fd", row->lock.kind == LOCK_CHANNEL, (uint64_t)row->lock.fd);
	json_put_number(j, "looks_share", lock_share(w, row));
	json_put_number(j, "waiters", lock_mean(w, row));
	json_put_number(j, "of_threads_time", lock_takes(w, row));
	json_begin_object(j, "owner");
	json_put_number(j, "runs", figure_share(row->did[LOCK_RUNS], row->looks));
	json_put_number(j, "in_call", figure_share(row->did[LOCK_IN_CALL], row->looks));
	json_put_number(j, "waits", figure_share(row->did[LOCK_WAITS], row->looks));
	json_put_number(j, "no_thread", figure_share(row->did[LOCK_GONE], row->looks));
	json_put_text(j, "call", row->call >= 0 ? lock_call_words(row->call) : NULL);
	json_put_seconds(j, "longest_s", row->longest);
	json_end(j);
	json_side(j, "waits_in", subject->code, &subject->locks.code[i].waits);
	json_side(j, "held_in", subject->code, &subject->locks.code[i].has);
	json_end(j);
}

void json_locks(struct json *j, const struct stats_subject *subject)
{
	const struct lock_window *w = &subject->locks.window;
	const bool known = subject->locks.why == NULL;

	json_begin_object(j, "locks");
	json_put_text(j, "why", subject->locks.why);
	json_put_if(j, "looks", known, w->looks);
	json_put_time(j, "window_s", known ? (double)w->ns : (double)NAN);
	json_put_number(j, "threads", known ? w->threads : (double)NAN);
	json_begin_array(j, "locks");
	for (unsigned i = 0; i < w->count; i++)
		json_row(j, subject, i);
	json_end(j);
	json_end(j);
}

static void text_functions(
    struct out *out, const char *what, const struct profile *profile, const struct profile_side *side)
{
	char text[LOCK_ROW_TEXT];

	if (profile == NULL || side->weight == 0)
		return;
	lock_row_functions(profile, side, text);
	out_format(out, "      %s ", what);
	table_wrap(out, text[0] != '\0' ? text : "no function of the program", 7 + (int)strlen(what), 10);
}

void text_locks(struct out *out, const struct stats_subject *subject)
{
	const struct lock_window *w = &subject->locks.window;
	char text[LOCK_ROW_TEXT];

	/* The unjudged findings already say why nothing is known. */
	if (subject->locks.why != NULL)
		return;
	out_format(out, "\nlocks: %u looks in %s", w->looks, format_duration(w->ns).s);
	if (w->count == 0) {
		out_text(out, ", no thread waited for one\n");
		return;
	}
	out_format(out, ", %.1f threads at work\n  %6s %8s %8s %10s  lock\n", w->threads, "looks", "waiters",
	    "of time", "one holder");
	for (unsigned i = 0; i < w->count; i++) {
		const struct lock_row *row = &w->rows[i];

		lock_row_name(row, text);
		out_format(out, "  %6s %8.2f %8s ", plain_share(lock_share(w, row)).s, lock_mean(w, row),
		    plain_share(lock_takes(w, row)).s);
		table_cell(out, 10, row->longest != 0 ? format_duration(row->longest).s : "-");
		out_format(out, "  %s\n", text);
		text_functions(out, "waits in", subject->code, &subject->locks.code[i].waits);
		lock_row_owner(row, text);
		out_text(out, "      holder ");
		table_wrap(out, text, 13, 10);
		text_functions(out, "held in", subject->code, &subject->locks.code[i].has);
	}
}
