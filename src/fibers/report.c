/*
 * report.c - the figures of fibers: totals, loops, and the lists of a report.
 */
#include "fibers/private.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

static struct fiber_text text(const struct fibers *f, uint32_t at)
{
	return at == 0 ? (struct fiber_text){0} : (struct fiber_text){f->texts[at].bytes, f->texts[at].len};
}

int fiber_path_print(struct fiber_path path, char *out, size_t size)
{
	const struct fibers *f = path.of;
	uint32_t names[FIBERS_DEPTH + 1];
	unsigned depth = 0;
	size_t len = 0;

	if (path.node == PATH_UNKNOWN)
		return -1;
	for (uint32_t node = path.node; node != 0; node = f->nodes[node].parent)
		names[depth++] = f->nodes[node].name;
	for (bool first = true; depth > 0; first = false) {
		const struct text *name = &f->texts[names[--depth]];
		if (len + name->len + 1 >= size)
			return -1;
		if (!first)
			out[len++] = '/';
		memcpy(out + len, name->bytes, name->len);
		len += name->len;
	}
	return (int)len;
}

void fibers_totals(const struct fibers *f, struct fiber_totals *out)
{
	*out = (struct fiber_totals){.events = f->events,
	    .created = f->created,
	    .finished = f->finished,
	    .errors = f->errors,
	    .alive = f->alive,
	    .alive_known = !f->lost && f->forgotten == 0,
	    .forgotten = f->forgotten};
	for (fiber_index at = f->blocked_first; at != 0; at = f->fibers[at].after)
		out->blocked += f->fibers[at].seen && fibers_holds(f, &f->fibers[at]);
}

bool fibers_loop(const struct fibers *f, unsigned domain, uint64_t end, struct fiber_loop *out)
{
	const struct loop *l = domain < MODEL_DOMAINS_MAX ? f->loops[domain] : NULL;

	if (l == NULL)
		return false;
	*out = (struct fiber_loop){.turns = l->turns.count,
	    .turn_p50 = hist_percentile(&l->turns, 50, 100),
	    .turn_p99 = hist_percentile(&l->turns, 99, 100),
	    .turn_max = l->turns.max,
	    .busy_ns = l->busy_ns,
	    .seen_ns = l->seen_ns,
	    .lengths = &l->turns};
	if (l->state != LOOP_NONE && !l->missing && end > l->mark) {
		out->seen_ns += end - l->mark;
		out->busy_ns += l->state == LOOP_BUSY ? end - l->mark : 0;
	}
	return true;
}

/* ---- lists ---- */

/* Compare texts as bytes; one that is not known comes first. */
static int compare_text(struct fiber_text a, struct fiber_text b)
{
	size_t least = a.len < b.len ? a.len : b.len;
	int order = least > 0 ? memcmp(a.text, b.text, least) : 0;

	if ((a.text == NULL) != (b.text == NULL))
		return a.text == NULL ? -1 : 1;
	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare_paths(struct fiber_path a, struct fiber_path b)
{
	char left[FIBER_PATH_SIZE], right[FIBER_PATH_SIZE];

	if (a.node == b.node)
		return 0;
	int left_len = fiber_path_print(a, left, sizeof(left)),
	    right_len = fiber_path_print(b, right, sizeof(right));
	return compare_text(
	    (struct fiber_text){left_len < 0 ? NULL : left, left_len < 0 ? 0 : (size_t)left_len},
	    (struct fiber_text){right_len < 0 ? NULL : right, right_len < 0 ? 0 : (size_t)right_len});
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* A blocked fiber, with what it is grouped by as numbers, and the fibers that sorting needs. */
struct waiting {
	uint32_t node, op, name;
	enum fiber_kind kind;
	uint64_t since, object;
	bool wants;
};

static int by_group(const void *left, const void *right)
{
	const struct waiting *a = left, *b = right;
	int order = compare_numbers(a->node, b->node);

	order = order != 0 ? order : compare_numbers(a->op, b->op);
	order = order != 0 ? order : compare_numbers(a->kind, b->kind);
	return order != 0 ? order : compare_numbers(a->name, b->name);
}

/* What a blocked fiber waits for. */
static struct waiting waiting_of(struct fibers *f, const struct fiber *fiber)
{
	struct waiting w = {.node = fibers_node(f, fiber->context),
	    .op = fiber->op,
	    .since = fiber->since,
	    .object = fiber->want,
	    .wants = fiber->wants};
	fiber_index context = fiber->wants ? id_map_find(&f->context_map, fiber->want) : 0;
	fiber_index object = fiber->wants && context == 0 ? id_map_find(&f->object_map, fiber->want) : 0;

	if (context != 0) {
		w.kind = FIBER_CONTEXT_ANY;
		w.name = f->contexts[context].name;
	} else if (object != 0) {
		w.kind = (enum fiber_kind)f->objects[object].kind;
		w.name = f->objects[object].name;
	}
	return w;
}

static int by_count(const void *left, const void *right)
{
	const struct fiber_blocked *a = left, *b = right;
	int order = compare_numbers(b->count, a->count);

	order = order != 0 ? order : compare_paths(a->path, b->path);
	order = order != 0 ? order : compare_text(a->op, b->op);
	order = order != 0 ? order : compare_text(a->name, b->name);
	return order != 0 ? order : compare_numbers(a->kind, b->kind);
}

static int by_time(const void *left, const void *right)
{
	const struct fiber_group *a = left, *b = right;
	int order = compare_numbers(b->run_ns, a->run_ns);

	order = order != 0 ? order : compare_numbers(b->created, a->created);
	return order != 0 ? order : compare_paths(a->path, b->path);
}

static bool report_blocked(struct fibers *f, uint64_t end, struct fiber_report *out)
{
	struct waiting *all = malloc((f->blocked + 1) * sizeof(*all));
	size_t count = 0, room = 0;

	for (fiber_index at = f->blocked_first; at != 0 && all != NULL; at = f->fibers[at].after)
		if (f->fibers[at].seen && fibers_holds(f, &f->fibers[at]))
			all[count++] = waiting_of(f, &f->fibers[at]);
	if (all == NULL)
		return false;
	qsort(all, count, sizeof(*all), by_group);
	for (size_t i = 0; i < count; i++) {
		const struct waiting *w = &all[i];
		if (i == 0 || by_group(w, &all[i - 1]) != 0) {
			if (!array_room(
				&out->blocked, &room, out->blocked_count + 1, sizeof(*out->blocked))) {
				free(all);
				return false;
			}
			out->blocked[out->blocked_count++] = (struct fiber_blocked){.path = {f, w->node},
			    .op = text(f, w->op),
			    .name = text(f, w->name),
			    .kind = w->kind,
			    .object = w->object,
			    .one_object = w->wants};
		}
		struct fiber_blocked *group = &out->blocked[out->blocked_count - 1];
		uint64_t waited = end > w->since ? end - w->since : 0;
		group->count++;
		group->longest_ns = waited > group->longest_ns ? waited : group->longest_ns;
		group->one_object &= w->wants && w->object == group->object;
	}
	free(all);
	if (out->blocked_count > 0)
		qsort(out->blocked, out->blocked_count, sizeof(*out->blocked), by_count);
	return true;
}

/* Add up what has come of each path: of contexts that are gone, of those that last, and of what is blocked still. */
static bool report_groups(struct fibers *f, uint64_t end, struct fiber_report *out)
{
	/* All nodes are made first, so that their number stands. */
	for (fiber_index at = 1; at < f->context_count; at++)
		if (f->contexts[at].refs > 0)
			(void)fibers_node(f, at);
	uint32_t count = f->node_count;
	struct tally *tallies = calloc(count + 1u, sizeof(*tallies));
	if (tallies == NULL)
		return false;
	for (uint32_t node = 0; node < count; node++)
		tallies[node] = f->nodes[node].tally;
	tallies[count] = f->unknown;
	for (fiber_index at = 1; at < f->context_count; at++) {
		uint32_t node = f->contexts[at].refs > 0 ? fibers_node(f, at) : PATH_UNKNOWN;
		tally_add(&tallies[node < count ? node : count], &f->contexts[at].tally);
	}
	for (fiber_index at = f->blocked_first; at != 0; at = f->fibers[at].after) {
		uint32_t node = fibers_node(f, f->fibers[at].made_in);
		if (f->fibers[at].seen && fibers_holds(f, &f->fibers[at]))
			tallies[node < count ? node : count].blocked_ns +=
			    fibers_waited(f, &f->fibers[at], end);
	}
	out->groups = malloc((count + 1u) * sizeof(*out->groups));
	for (uint32_t node = 0; node <= count && out->groups != NULL; node++) {
		const struct tally *t = &tallies[node];
		if (t->created != 0 || t->finished != 0 || t->runs != 0 || t->blocked_ns != 0)
			out->groups[out->group_count++] =
			    (struct fiber_group){.path = {f, node < count ? node : PATH_UNKNOWN},
				.created = t->created,
				.finished = t->finished,
				.runs = t->runs,
				.run_ns = t->run_ns,
				.run_max_ns = t->run_max_ns,
				.blocked_ns = t->blocked_ns};
	}
	free(tallies);
	if (out->group_count > 0)
		qsort(out->groups, out->group_count, sizeof(*out->groups), by_time);
	return out->groups != NULL;
}

bool fibers_report(struct fibers *f, uint64_t end, struct fiber_report *out)
{
	*out = (struct fiber_report){.longest_count = f->longest_count, .failure_count = f->failure_count};
	for (size_t i = 0; i < f->longest_count; i++) {
		const struct run *run = &f->longest[i];
		out->longest[i] = (struct fiber_run){.fiber = run->fiber,
		    .ts = run->ts,
		    .duration = run->duration,
		    .gc_ns = run->gc_ns,
		    .domain = run->domain,
		    .path = {f, fibers_node(f, run->context)},
		    .span = text(f, run->span)};
	}
	for (size_t i = 0; i < f->failure_count; i++) {
		const struct failure *failure = &f->failures[i];
		out->failures[i] = (struct fiber_failure){.ts = failure->ts,
		    .context = failure->id,
		    .path = {f, fibers_node(f, failure->context)},
		    .len = failure->len};
		memcpy(out->failures[i].text, failure->text, failure->len);
	}
	bool reported = report_blocked(f, end, out) && report_groups(f, end, out);
	if (!reported)
		fiber_report_fini(out);
	return reported;
}

void fiber_report_fini(struct fiber_report *report)
{
	free(report->blocked);
	free(report->groups);
	report->blocked = NULL;
	report->groups = NULL;
	report->blocked_count = report->group_count = 0;
}
