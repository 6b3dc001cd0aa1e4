/*
 * report.c - the figures of fibers: totals, loops, and the lists of a report.
 */
#include "fibers/private.h"

#include "core/array.h"
#include "core/order.h"
#include "core/sum.h"

struct fiber_text fibers_text_of(const struct fibers *f, uint32_t at)
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

const char *fiber_path_text(struct fiber_path path, char *out, size_t size)
{
	int len = fiber_path_print(path, out, size);

	if (len > 0)
		out[len] = '\0';
	return len < 0 ? "?" : len == 0 ? "-" : out;
}

const char *fiber_kind_name(enum fiber_kind kind)
{
	static const char *const names[] = {[FIBER_PROMISE] = "promise",
	    [FIBER_SEMAPHORE] = "semaphore",
	    [FIBER_STREAM] = "stream",
	    [FIBER_MUTEX] = "mutex",
	    [FIBER_AWAITED] = "fiber"};

	if (kind == FIBER_KIND_NONE)
		return NULL;
	return names[kind] != NULL ? names[kind] : "context";
}

const char *fiber_kind_word(enum fiber_kind kind)
{
	static const char *const contexts[] = {[FIBER_CONTEXT_SWITCH] = "switch",
	    [FIBER_CONTEXT_PROTECT] = "protect",
	    [FIBER_CONTEXT_SUB] = "sub",
	    [FIBER_CONTEXT_ROOT] = "root",
	    [FIBER_CONTEXT_ANY] = "any"};
	const char *name = kind < sizeof(contexts) / sizeof(contexts[0]) ? contexts[kind] : NULL;

	name = name != NULL ? name : fiber_kind_name(kind);
	return name != NULL ? name : "?";
}

void fiber_object_text(
    enum fiber_kind kind, bool one, uint64_t id, struct fiber_text name, char *out, size_t size)
{
	size_t at = (size_t)snprintf(out, size, "%s", kind != FIBER_KIND_NONE ? fiber_kind_name(kind) : "-");

	if (one && kind != FIBER_KIND_NONE && at < size)
		at += (size_t)snprintf(out + at, size - at, " %" PRIu64, id);
	if (name.text != NULL && at < size)
		snprintf(out + at, size - at, " %.*s",
		    utf8_fit(name.text, name.len, size - at < 2 ? 0 : size - at - 2), name.text);
}

uint64_t fibers_weight(const struct fibers *f)
{
	return 2 * f->events + (f->alive > 0);
}

struct fiber_totals fibers_totals(const struct fibers *f)
{
	struct fiber_totals out = {.tells = f->tells,
	    .events = f->events,
	    .created = f->created,
	    .finished = f->finished,
	    .errors = f->errors,
	    .cancelled = f->cancelled,
	    .timeouts = f->timeouts,
	    .late = f->late_count,
	    .late_ns = f->late_ns,
	    .alive = f->alive,
	    .alive_known = (f->tells & FIBERS_TELL_FIBERS) != 0 && !f->lost && !f->more && f->forgotten == 0,
	    .forgotten = f->forgotten};
	/* In the order of memory, not of the list of the blocked, which is in the order of time. */
	for (fiber_index at = 1; at < f->fiber_count; at++)
		out.blocked += f->fibers[at].state == FIBER_BLOCKED && fibers_listed(f, &f->fibers[at]);
	return out;
}

bool fibers_loop(const struct fibers *f, unsigned domain, uint64_t end, struct fiber_loop *out)
{
	const struct loop *l = domain < MODEL_DOMAINS_MAX ? f->loops[domain] : NULL;

	if (l == NULL)
		return false;
	*out = (struct fiber_loop){.turns = l->turns.count + l->laps,
	    .counted = (f->tells & FIBERS_TELL_LAPS) != 0 ||
		       ((f->tells & FIBERS_TELL_TURNS) != 0 && fibers_has_turns(l)),
	    .paused = l->paused,
	    .jobs = l->jobs,
	    .busy_ns = l->busy_ns,
	    .seen_ns = l->seen_ns,
	    .lengths = &l->turns};
	if (l->state > LOOP_UNKNOWN && !l->missing && end > l->mark) {
		out->seen_ns += end - l->mark;
		out->busy_ns += l->state == LOOP_BUSY ? end - l->mark : 0;
	}
	if ((f->tells & FIBERS_TELL_LAPS) != 0) {
		out->lap_ns = out->seen_ns;
		out->seen_ns = out->busy_ns = 0;
	}
	return true;
}

/* ---- lists ---- */

/* Compare texts as bytes; an unknown text comes first. */
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

int fibers_waiting_order(const void *left, const void *right)
{
	const struct waiting *a = left, *b = right;

	return ORDER_BY(ORDER_RISING(a, b, node), ORDER_RISING(a, b, op), ORDER_RISING(a, b, kind),
	    ORDER_RISING(a, b, name));
}

struct waiting fibers_waiting_of(struct fibers *f, const struct fiber *fiber)
{
	struct waiting w = {.node = fibers_node(f, fiber->context),
	    .fiber = (fiber_index)(fiber - f->fibers),
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
	} else if (fiber->wants && (object = id_map_find(&f->fiber_map, fiber->want)) != 0 &&
		   fibers_listed(f, &f->fibers[object])) {
		w.kind = FIBER_AWAITED;
		for (context = f->fibers[object].context; context != 0 && w.name == 0;
		     context = f->contexts[context].parent)
			w.name = f->contexts[context].own ? 0 : f->contexts[context].name;
	}
	return w;
}

static int by_count(const void *left, const void *right)
{
	const struct fiber_blocked *a = left, *b = right;
	const int order = ORDER_FALLING(a, b, count);

	return order != 0 ? order
			  : ORDER_BY(compare_paths(a->path, b->path), compare_text(a->op, b->op),
				compare_text(a->name, b->name), ORDER_RISING(a, b, kind));
}

static int by_time(const void *left, const void *right)
{
	const struct fiber_group *a = left, *b = right;
	const int order = ORDER_BY(ORDER_FALLING(a, b, run_ns), ORDER_FALLING(a, b, created));

	return order != 0 ? order : compare_paths(a->path, b->path);
}

struct waiting *fibers_waiting(struct fibers *f, size_t *count)
{
	struct waiting *all = malloc((f->blocked + 1) * sizeof(*all));

	*count = 0;
	/* In the order of memory, which is far faster than the order of the list when most fibers wait. */
	for (fiber_index at = 1; at < f->fiber_count && all != NULL && *count < f->blocked; at++)
		if (f->fibers[at].state == FIBER_BLOCKED && fibers_listed(f, &f->fibers[at]))
			all[(*count)++] = fibers_waiting_of(f, &f->fibers[at]);
	if (all != NULL)
		qsort(all, *count, sizeof(*all), fibers_waiting_order);
	return all;
}

static bool report_blocked(struct fibers *f, uint64_t end, struct fiber_report *out)
{
	size_t count, room = 0;
	struct waiting *all = fibers_waiting(f, &count);

	if (all == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct waiting *w = &all[i];
		if (i == 0 || fibers_waiting_order(w, &all[i - 1]) != 0) {
			if (!array_room(
				&out->blocked, &room, out->blocked_count + 1, sizeof(*out->blocked))) {
				free(all);
				return false;
			}
			out->blocked[out->blocked_count++] = (struct fiber_blocked){.path = {f, w->node},
			    .op = fibers_text_of(f, w->op),
			    .name = fibers_text_of(f, w->name),
			    .kind = w->kind,
			    .object = w->object,
			    .one_object = w->wants,
			    .fiber = f->fibers[w->fiber].id};
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

/* Add up the tallies by path: of contexts that have ended, of existing ones, and of fibers still blocked. */
static bool report_groups(struct fibers *f, uint64_t end, struct fiber_report *out)
{
	/* Make all nodes first, so that their number does not change below. */
	for (fiber_index at = 1; at < f->context_count; at++)
		if (f->contexts[at].refs > 0)
			(void)fibers_node(f, at);
	uint32_t count = f->node_count;
	struct tally *tallies = calloc(count, sizeof(*tallies));
	if (tallies == NULL)
		return false;
	for (uint32_t node = 0; node < count; node++)
		tallies[node] = f->nodes[node].tally;
	for (fiber_index at = 1; at < f->context_count; at++)
		tally_add(&tallies[f->contexts[at].refs > 0 ? fibers_node(f, at) : PATH_UNKNOWN],
		    &f->contexts[at].tally);
	for (fiber_index at = 1; at < f->fiber_count; at++) {
		const struct fiber *fiber = &f->fibers[at];
		if (fiber->state != FIBER_BLOCKED || !fibers_listed(f, fiber))
			continue;
		tallies[fibers_node(f, fiber->context)].blocked_ns += fibers_waited(f, fiber, end);
	}
	out->groups = malloc(count * sizeof(*out->groups));
	for (uint32_t node = 0; node < count && out->groups != NULL; node++) {
		const struct tally *t = &tallies[node];
		if (t->created != 0 || t->finished != 0 || t->runs != 0 || t->blocked_ns != 0)
			out->groups[out->group_count++] = (struct fiber_group){.path = {f, node},
			    .created = t->created,
			    .finished = t->finished,
			    .runs = t->runs,
			    .run_ns = t->run_ns,
			    .run_max_ns = t->run_max_ns,
			    .run_max_gc_ns = t->run_max_gc_ns,
			    .run_max_span = fibers_text_of(f, t->run_max_span),
			    .blocked_ns = t->blocked_ns};
	}
	free(tallies);
	if (out->group_count > 0)
		qsort(out->groups, out->group_count, sizeof(*out->groups), by_time);
	return out->groups != NULL;
}

int fiber_rows_order(const void *left, const void *right)
{
	const struct fiber_row *a = left, *b = right;
	const int order = ORDER_BY(ORDER_RISING(a, b, path.node), ORDER_RISING(a, b, state));

	return order != 0 ? order
			  : ORDER_BY(compare_text(a->op, b->op), ORDER_RISING(a, b, kind),
				compare_text(a->name, b->name));
}

static int by_place_and_wait(const void *left, const void *right)
{
	const struct fiber_row *a = left, *b = right;

	return ORDER_BY(fiber_rows_order(a, b), ORDER_FALLING(a, b, since_ns), ORDER_RISING(a, b, id));
}

struct fiber_row fibers_row_of(struct fibers *f, const struct fiber *fiber, uint64_t end)
{
	const struct loop *l = f->loops[fiber->domain];
	const unsigned depth = fiber->depth < FIBERS_SPANS ? fiber->depth : FIBERS_SPANS;
	struct fiber_row row = {.id = fiber->id,
	    .state = (enum fiber_state)fiber->state,
	    .domain = fiber->domain,
	    .path = {f, fibers_node(f, fiber->context)},
	    .span = fibers_text_of(f, depth > 0 ? fiber->spans[depth - 1] : 0)};

	if (fiber->state == FIBER_RUNNING) {
		row.since_ns = l->run_whole && end > l->run_ts ? end - l->run_ts : 0;
	} else if (fiber->state == FIBER_BLOCKED) {
		const struct waiting w = fibers_waiting_of(f, fiber);
		const struct object *o = &f->objects[w.wants ? id_map_find(&f->object_map, w.object) : 0];
		row.since_ns = end > w.since ? end - w.since : 0;
		row.op = fibers_text_of(f, w.op);
		row.name = fibers_text_of(f, w.name);
		row.kind = w.kind;
		row.object = w.object;
		row.wants = w.wants;
		row.held = w.kind == FIBER_AWAITED || (o->held && o->losses == f->losses);
		row.holder = w.kind == FIBER_AWAITED ? w.object : o->holder;
		const struct fiber *holder =
		    &f->fibers[row.held ? id_map_find(&f->fiber_map, row.holder) : 0];
		row.holder_path = (struct fiber_path){
		    f, fibers_listed(f, holder) ? fibers_node(f, holder->context) : PATH_UNKNOWN};
	}
	return row;
}

size_t fibers_chain(struct fibers *f, uint64_t end, uint64_t fiber, struct fiber_row *out, size_t max)
{
	size_t count = 0;

	for (;;) {
		const struct fiber *one = &f->fibers[id_map_find(&f->fiber_map, fiber)];
		const struct fiber_row row = fibers_row_of(f, one, end);
		const struct fiber *holder =
		    &f->fibers[row.held ? id_map_find(&f->fiber_map, row.holder) : 0];
		bool known = !fibers_listed(f, one) || !fibers_listed(f, holder) || count == max;
		/* Fibers that wait for each other appear once. */
		for (size_t i = 0; i < count && !known; i++)
			known = out[i].id == holder->id;
		if (known)
			return count;
		fiber = holder->id;
		out[count++] = fibers_row_of(f, holder, end);
	}
}

struct fiber_row *fibers_list(struct fibers *f, uint64_t end, size_t *count)
{
	struct fiber_row *rows = malloc((f->alive + 1) * sizeof(*rows));

	*count = 0;
	for (fiber_index at = 1; at < f->fiber_count && rows != NULL; at++) {
		const struct fiber *fiber = &f->fibers[at];
		if (fibers_listed(f, fiber) && *count < f->alive)
			rows[(*count)++] = fibers_row_of(f, fiber, end);
	}
	if (rows != NULL)
		qsort(rows, *count, sizeof(*rows), by_place_and_wait);
	return rows;
}

void fibers_count(struct fibers *f, unsigned domain, uint64_t *alive, uint64_t *blocked)
{
	if (f->counted != f->events) {
		for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++)
			if (f->loops[i] != NULL)
				f->loops[i]->alive = f->loops[i]->blocked = 0;
		for (fiber_index at = 1; at < f->fiber_count; at++)
			if (fibers_listed(f, &f->fibers[at])) {
				f->loops[f->fibers[at].domain]->alive++;
				f->loops[f->fibers[at].domain]->blocked +=
				    f->fibers[at].state == FIBER_BLOCKED;
			}
		f->counted = f->events;
	}
	bool there = domain < MODEL_DOMAINS_MAX && f->loops[domain] != NULL;
	*alive = there ? f->loops[domain]->alive : 0;
	*blocked = there ? f->loops[domain]->blocked : 0;
}

size_t fibers_contexts(const struct fibers *f, uint64_t fiber, struct fiber_context *out, size_t max)
{
	size_t count = 0;

	for (fiber_index at = f->fibers[id_map_find(&f->fiber_map, fiber)].context; at != 0 && count < max;
	     at = f->contexts[at].parent) {
		const struct context *c = &f->contexts[at];
		out[count++] = (struct fiber_context){.id = c->id,
		    .kind = (enum fiber_kind)c->kind,
		    .name = fibers_text_of(f, c->name),
		    .cancelled = c->cancelled};
	}
	return count;
}

struct fiber_run fibers_run_of(struct fibers *f, const struct run *run)
{
	return (struct fiber_run){.fiber = run->fiber,
	    .ts = run->ts,
	    .duration = run->duration,
	    .gc_ns = run->gc_ns,
	    .domain = run->domain,
	    .path = {f, fibers_node(f, run->context)},
	    .span = fibers_text_of(f, run->span)};
}

bool fibers_run_open(const struct fibers *f, unsigned domain, uint64_t end, struct run *out)
{
	const struct loop *l = f->loops[domain];
	const struct fiber *fiber = &f->fibers[l->running];

	if (!l->run_whole || fiber->state != FIBER_RUNNING || l->end_ts != 0 || l->missing)
		return false;
	*out = fibers_run_until(f, domain, fiber, end);
	return true;
}

bool fibers_running(struct fibers *f, unsigned domain, uint64_t end, struct fiber_run *out)
{
	struct run run;

	if (domain >= MODEL_DOMAINS_MAX || f->loops[domain] == NULL || !fibers_run_open(f, domain, end, &run))
		return false;
	*out = fibers_run_of(f, &run);
	return true;
}

/* Get the open run of a domain if it is late, or else the late turn that it is in, and that turn's longest
 * run. */
static bool late_open(
    struct fibers *f, unsigned domain, uint64_t end, struct fiber_late *out, struct fiber_run *run)
{
	const struct loop *l = f->loops[domain];
	const uint64_t turn =
	    l->turn_ts != 0 && fibers_has_turns(l) && end > l->turn_ts ? end - l->turn_ts : 0;
	struct run open;

	if (!fibers_run_open(f, domain, end, &open))
		return false;
	const bool runs = open.duration >= FIBERS_LATE_NS;
	const struct run *worst = runs || open.duration >= l->worst.duration ? &open : &l->worst;
	if (!runs && (turn < FIBERS_LATE_NS || 2 * worst->duration >= turn))
		return false;
	*out = (struct fiber_late){turn > 2 * worst->duration ? turn : worst->duration, end, true};
	*run = fibers_run_of(f, worst);
	run->domain = domain;
	return true;
}

bool fibers_late(
    struct fibers *f, unsigned domain, uint64_t end, struct fiber_late *out, struct fiber_run *run)
{
	const struct late *longest = NULL;

	if (domain >= MODEL_DOMAINS_MAX || f->loops[domain] == NULL)
		return false;
	if (late_open(f, domain, end, out, run))
		return true;
	for (size_t i = 0; i < FIBERS_LATE_COUNT && i < f->late_count; i++) {
		const struct late *late = &f->late[i];
		if (late->domain == domain && sum_saturating(late->end, FIBERS_LATE_KEPT) >= end &&
		    (longest == NULL || late->duration >= longest->duration))
			longest = late;
	}
	if (longest == NULL)
		return false;
	*out = (struct fiber_late){longest->duration, longest->end, false};
	*run = fibers_run_of(f, &longest->run);
	run->domain = domain;
	return true;
}

bool fibers_report_runs(struct fibers *f, uint64_t end, struct fiber_report *out)
{
	*out = (struct fiber_report){
	    .of = f, .end = end, .longest_count = f->longest_count, .failure_count = f->failure_count};
	for (size_t i = 0; i < f->longest_count; i++)
		out->longest[i] = fibers_run_of(f, &f->longest[i]);
	for (size_t i = 0; i < f->failure_count; i++) {
		const struct failure *failure = &f->failures[i];
		out->failures[i] = (struct fiber_failure){.ts = failure->ts,
		    .context = failure->id,
		    .path = {f, fibers_node(f, failure->context)},
		    .len = failure->len};
		memcpy(out->failures[i].text, failure->text, failure->len);
	}
	return report_groups(f, end, out);
}

bool fibers_report(struct fibers *f, uint64_t end, struct fiber_report *out)
{
	bool reported = fibers_report_runs(f, end, out) && report_blocked(f, end, out);

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
