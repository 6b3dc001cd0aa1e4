/* stats_fibers.c - the part of a report about fibers. */
#include "app/commands/stats_report.h"
#include "core/sum.h"
#include "figures/figures.h"

#define LISTED 50 /* groups, and blocked rows, listed in JSON */

static void put_path(struct json *j, const char *name, struct fiber_path path)
{
	char text[FIBER_PATH_SIZE];
	int len = fiber_path_print(path, text, sizeof(text));

	json_put_string(j, name, len < 0 ? NULL : text, (size_t)len);
}

static void put_text(struct json *j, const char *name, struct fiber_text text)
{
	json_put_string(j, name, text.text, text.len);
}

/* Print the loops of all domains, each up to the end of its domain or of the observation. */
static void domains(struct json *j, const struct fibers *f, const struct model *m)
{
	json_begin_array(j, "domains");
	for (unsigned i = 0; i < model_domains(m); i++) {
		struct fiber_loop loop;
		if (!figure_loop(f, m, i, &loop))
			continue;
		json_begin_object(j, NULL);
		json_put_unsigned(j, "domain", i);
		json_put_if(j, "turns", loop.counted, loop.turns);
		json_put_number(j, "busy_share", figure_share((double)loop.busy_ns, (double)loop.seen_ns));
		json_put_time(j, "turn_p50_s", hist_figure(loop.lengths, 50, 100));
		json_put_time(j, "turn_p99_s", hist_figure(loop.lengths, 99, 100));
		json_put_time(j, "turn_max_s", hist_figure(loop.lengths, 1, 1));
		json_put_if(j, "laps", loop.lap_ns > 0, loop.turns);
		json_put_if(j, "paused", loop.lap_ns > 0, (uint64_t)loop.paused);
		json_put_if(j, "jobs", loop.lap_ns > 0, (uint64_t)loop.jobs);
		json_end(j);
	}
	json_end(j);
}

static void longest_runs(struct json *j, const struct fiber_report *report, const struct lock_past *looks)
{
	struct lock_waited lock;

	json_begin_array(j, "longest_runs");
	for (size_t i = 0; i < report->longest_count; i++) {
		const struct fiber_run *run = &report->longest[i];
		json_begin_object(j, NULL);
		json_put_unsigned(j, "fiber", run->fiber);
		put_path(j, "path", run->path);
		put_text(j, "span", run->span);
		json_put_unsigned(j, "domain", run->domain);
		json_put_unsigned(j, "ts", run->ts);
		json_put_seconds(j, "duration_s", run->duration);
		json_put_seconds(j, "gc_s", run->gc_ns);
		const bool known = lock_past_waited(
		    looks, run->domain, run->ts, sum_saturating(run->ts, run->duration), &lock);
		json_put_time(j, "lock_wait_s", known ? (double)lock.ns : (double)NAN);
		json_end(j);
	}
	json_end(j);
}

/* Get the chain of holders of a group's fibers. */
static size_t chain_of(const struct fiber_report *report, size_t at, struct fiber_row rows[FIBERS_CHAIN])
{
	const struct fiber_blocked *group = &report->blocked[at];

	return group->one_object ? fibers_chain(report->of, report->end, group->fiber, rows, FIBERS_CHAIN)
				 : 0;
}

static void chain(struct json *j, const struct fiber_report *report, size_t at)
{
	struct fiber_row rows[FIBERS_CHAIN];
	const size_t count = chain_of(report, at, rows);

	json_begin_array(j, "chain");
	for (size_t i = 0; i < count; i++) {
		json_begin_object(j, NULL);
		json_put_unsigned(j, "fiber", rows[i].id);
		put_path(j, "path", rows[i].path);
		put_text(j, "op", rows[i].op);
		json_end(j);
	}
	json_end(j);
}

static void blocked(struct json *j, const struct fiber_report *report)
{
	for (size_t i = 0; i < report->blocked_count && i < LISTED; i++) {
		const struct fiber_blocked *group = &report->blocked[i];
		json_begin_object(j, NULL);
		put_path(j, "path", group->path);
		put_text(j, "op", group->op);
		json_put_text(j, "object", fiber_kind_name(group->kind));
		put_text(j, "name", group->name);
		json_put_unsigned(j, "count", group->count);
		json_put_seconds(j, "longest_s", group->longest_ns);
		json_put_if(j, "object_id", group->one_object, group->object);
		chain(j, report, i);
		json_end(j);
	}
}

static void groups(struct json *j, const struct fiber_report *report)
{
	for (size_t i = 0; i < report->group_count && i < LISTED; i++) {
		const struct fiber_group *group = &report->groups[i];
		json_begin_object(j, NULL);
		put_path(j, "path", group->path);
		json_put_unsigned(j, "created", group->created);
		json_put_unsigned(j, "finished", group->finished);
		json_put_unsigned(j, "runs", group->runs);
		json_put_seconds(j, "run_total_s", group->run_ns);
		json_put_seconds(j, "run_max_s", group->run_max_ns);
		json_put_seconds(j, "blocked_total_s", group->blocked_ns);
		json_end(j);
	}
}

static void errors_last(struct json *j, const struct fiber_report *report)
{
	for (size_t i = 0; i < report->failure_count; i++) {
		const struct fiber_failure *failure = &report->failures[i];
		json_begin_object(j, NULL);
		json_put_unsigned(j, "ts", failure->ts);
		json_put_unsigned(j, "context", failure->context);
		put_path(j, "path", failure->path);
		json_put_string(j, "text", failure->text, failure->len);
		json_end(j);
	}
}

/* Print a list, or null if the scheduler does not tell it. */
static void put_list(struct json *j, const char *name, bool told,
    void (*put)(struct json *j, const struct fiber_report *report), const struct fiber_report *report)
{
	if (!json_known(j, name, told))
		return;
	json_begin_array(j, name);
	put(j, report);
	json_end(j);
}

bool json_fibers(struct json *j, const struct stats_subject *subject, const struct model *m)
{
	const char *name;
	struct fibers *f = schedulers_first(subject->schedulers, &name);
	struct fiber_report report;

	if (!json_known(j, "fibers", f != NULL))
		return true;
	if (fibers_failed(f) || !fibers_report(f, figure_end(m), &report)) {
		json_put_null(j, "fibers");
		return false;
	}
	const struct fiber_totals t = fibers_totals(f);
	json_begin_object(j, "fibers");
	json_put_text(j, "scheduler", name);
	bool fibers = (t.tells & FIBERS_TELL_FIBERS) != 0, errors = (t.tells & FIBERS_TELL_CONTEXTS) != 0;
	json_put_if(j, "created", fibers, t.created);
	json_put_if(j, "finished", fibers, t.finished);
	json_put_if(j, "alive", t.alive_known, t.alive);
	json_put_if(j, "errors", errors, t.errors);
	domains(j, f, m);
	if (json_known(j, "longest_runs", fibers))
		longest_runs(j, &report, subject->looks);
	put_list(j, "blocked", fibers, blocked, &report);
	put_list(j, "groups", fibers, groups, &report);
	put_list(j, "errors_last", errors, errors_last, &report);
	json_put_if(j, "cancelled", errors, t.cancelled);
	json_put_if(j, "timeouts", errors, t.timeouts);
	json_put_if(j, "late", fibers, t.late);
	json_put_number(j, "late_total_s", fibers ? (double)t.late_ns / 1e9 : NAN);
	json_end(j);
	fiber_report_fini(&report);
	return true;
}

/* ---- text ---- */

#define RUN_INDENT 6
#define TEXT_LISTED 10 /* groups, and blocked rows, listed in the text */

static void text_loops(struct out *out, const struct fibers *f, const struct model *m)
{
	static const struct table_column columns[] = {
	    {"  loop", -8}, {"busy", 8}, {"turns", 8}, {"p50", 8}, {"p99", 8}, {"max", 8}, {NULL, 0}};
	struct fiber_loop loop;
	bool head = false;

	for (unsigned i = 0; i < model_domains(m); i++) {
		if (!figure_loop(f, m, i, &loop))
			continue;
		if (!head)
			table_head(out, columns);
		head = true;
		table_cells(out, columns,
		    (const char *const[]){format_said("  D%u", i).s,
			plain_share(figure_share((double)loop.busy_ns, (double)loop.seen_ns)).s,
			loop.counted ? plain_count(loop.turns).s : "-",
			text_percentile(loop.lengths, 50, 100).s, text_percentile(loop.lengths, 99, 100).s,
			text_percentile(loop.lengths, 1, 1).s});
		out_char(out, '\n');
	}
}

/* Print the loops of a scheduler that only tells laps. */
static void text_laps(struct out *out, const struct fibers *f, const struct model *m)
{
	static const struct table_column columns[] = {
	    {"  loop", -8}, {"laps", 8}, {"a second", 10}, {"paused", 8}, {"jobs", 8}, {NULL, 0}};
	struct fiber_loop loop;

	table_head(out, columns);
	for (unsigned i = 0; i < model_domains(m); i++) {
		if (!figure_loop(f, m, i, &loop))
			continue;
		table_cells(out, columns,
		    (const char *const[]){format_said("  D%u", i).s, plain_count(loop.turns).s,
			format_rate(figure_rate((double)loop.turns, loop.lap_ns)).s,
			format_said("%" PRId64, loop.paused).s, format_said("%" PRId64, loop.jobs).s});
		out_char(out, '\n');
	}
}

/* Print the code that a run executed, by the samples of its time; nothing without samples. */
static void text_run_code(struct out *out, const struct fiber_run *run, const struct profile *code)
{
	char text[256];

	if (!profile_between_text(
		code, (int)run->domain, run->ts, sum_saturating(run->ts, run->duration), text, sizeof(text)))
		return;
	out_format(out, "%*s", RUN_INDENT, "");
	table_wrap(out, text, RUN_INDENT, RUN_INDENT);
}

static void text_runs(struct out *out, const struct fiber_report *report, const struct stats_subject *subject)
{
	static const struct table_column columns[] = {
	    {"  longest runs", -16}, {"of it GC", 8}, {" on", -5}, {"path and span", 0}, {NULL, 0}};
	char path[FIBER_PATH_SIZE], run_text[48], lock[LOCK_ROW_TEXT];

	if (report->longest_count > 0)
		table_head(out, columns);
	for (size_t i = 0; i < report->longest_count; i++) {
		const struct fiber_run *run = &report->longest[i];
		const struct formatted took = format_duration(run->duration);
		snprintf(run_text, sizeof(run_text), "  %-*s %" PRIu64, strstr(took.s, "µ") != NULL ? 8 : 7,
		    took.s, run->fiber);
		table_cells(out, columns,
		    (const char *const[]){run_text, format_duration(run->gc_ns).s,
			format_said(" D%u", run->domain).s, fiber_path_text(run->path, path, sizeof(path))});
		if (run->span.text != NULL) {
			out_text(out, ", ");
			out_foreign(out, run->span.text, run->span.len);
		}
		out_char(out, '\n');
		if (lock_waited_words(subject->looks, run->domain, run->ts, run->duration, lock))
			out_format(out, "%*s%s\n", RUN_INDENT, "", lock);
		text_run_code(out, run, subject->code);
	}
}

static void text_blocked(struct out *out, const struct fiber_report *report)
{
	static const struct table_column columns[] = {
	    {"  blocked", -10}, {"longest", 8}, {" in", -18}, {"for", -24}, {"path", 0}, {NULL, 0}};
	char path[FIBER_PATH_SIZE], op[FIBERS_TEXT + 2], object[FIBERS_TEXT + 48];
	struct fiber_row rows[FIBERS_CHAIN];

	if (report->blocked_count > 0)
		table_head(out, columns);
	for (size_t i = 0; i < report->blocked_count && i < TEXT_LISTED; i++) {
		const struct fiber_blocked *b = &report->blocked[i];
		snprintf(op, sizeof(op), " %.*s", (int)b->op.len, b->op.text != NULL ? b->op.text : "?");
		fiber_object_text(b->kind, b->one_object, b->object, b->name, object, sizeof(object));
		table_cells(out, columns,
		    (const char *const[]){format_marked("  ", plain_count(b->count)).s,
			format_duration(b->longest_ns).s, op, object,
			fiber_path_text(b->path, path, sizeof(path))});
		out_char(out, '\n');
		const size_t holders = chain_of(report, i, rows);
		for (size_t k = 0; k < holders; k++) {
			out_line(out, "%*sheld up by fiber %" PRIu64 " (%s)%s%.*s", RUN_INDENT, "",
			    rows[k].id, fiber_path_text(rows[k].path, path, sizeof(path)),
			    rows[k].state == FIBER_BLOCKED ? ", in " : "", (int)rows[k].op.len,
			    rows[k].op.text != NULL ? rows[k].op.text : "");
		}
	}
	if (report->blocked_count > TEXT_LISTED)
		out_format(out, "  and %zu more groups: --json\n", report->blocked_count - TEXT_LISTED);
}

static void text_groups(struct out *out, const struct fiber_report *report)
{
	static const struct table_column columns[] = {{"  created", -10}, {"ended", 8}, {"runs", 8},
	    {"running", 8}, {"longest", 8}, {"blocked", 8}, {" path", 0}, {NULL, 0}};
	char path[FIBER_PATH_SIZE];

	if (report->group_count > 0)
		table_head(out, columns);
	for (size_t i = 0; i < report->group_count && i < TEXT_LISTED; i++) {
		const struct fiber_group *g = &report->groups[i];
		table_cells(out, columns,
		    (const char *const[]){format_marked("  ", plain_count(g->created)).s,
			plain_count(g->finished).s, plain_count(g->runs).s, format_duration(g->run_ns).s,
			format_duration(g->run_max_ns).s, format_duration(g->blocked_ns).s, ""});
		out_line(out, " %s", fiber_path_text(g->path, path, sizeof(path)));
	}
	if (report->group_count > TEXT_LISTED)
		out_format(out, "  and %zu more groups: --json\n", report->group_count - TEXT_LISTED);
}

bool text_fibers(struct out *out, const struct stats_subject *subject, const struct model *m)
{
	const char *name;
	struct fibers *f = schedulers_first(subject->schedulers, &name);
	struct fiber_report report;

	if (f == NULL)
		return true;
	if (fibers_failed(f) || !fibers_report(f, figure_end(m), &report))
		return false;
	const struct fiber_totals t = fibers_totals(f);
	if ((t.tells & FIBERS_TELL_FIBERS) != 0) {
		bool errors = (t.tells & FIBERS_TELL_CONTEXTS) != 0;
		out_format(out, "\nfibers of %s: %s created, %s ended, ", name, plain_count(t.created).s,
		    plain_count(t.finished).s);
		out_format(out, "%s alive, %s blocked, %s error%s",
		    t.alive_known ? plain_count(t.alive).s : "-",
		    t.alive_known ? plain_count(t.blocked).s : "-", errors ? plain_count(t.errors).s : "-",
		    errors && t.errors == 1 ? "" : "s");
		if (t.cancelled > 0)
			out_format(out, ", %s cancelled", plain_count(t.cancelled).s);
		if (t.timeouts > 0)
			out_format(out, " (%s by a time limit)", plain_count(t.timeouts).s);
		out_char(out, '\n');
		text_loops(out, f, m);
	} else {
		out_format(out, "\n%s\n", FIBERS_LAPS_ONLY);
		text_laps(out, f, m);
	}
	text_runs(out, &report, subject);
	text_blocked(out, &report);
	text_groups(out, &report);
	for (size_t i = 0; i < report.failure_count; i++) {
		char path[FIBER_PATH_SIZE];
		out_format(out, "  error in ");
		const char *text = fiber_path_text(report.failures[i].path, path, sizeof(path));
		out_foreign(out, text, strlen(text));
		out_format(out, " (context %" PRIu64 "): ", report.failures[i].context);
		out_foreign(out, report.failures[i].text, report.failures[i].len);
		out_char(out, '\n');
	}
	fiber_report_fini(&report);
	return true;
}
