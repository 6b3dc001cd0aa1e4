/*
 * figures.c - read the figures of a report.  Figures that add up are summed over the domains; of others the
 * largest is used.
 */
#include "app/diff/figures.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Return the sum of a number over the domains.  `path` leads to it from a domain and ends with NULL.  A
 * domain without the number counts as 0. */
static double domains_sum(const struct json *report, const char *const path[4])
{
	const struct json *domains = json_member(report, "domains");
	double sum = 0;

	for (const struct json *d = domains != NULL ? domains->first : NULL; d != NULL; d = d->next) {
		const struct json *at = d;
		for (size_t i = 0; i < 4 && path[i] != NULL; i++)
			at = json_member(at, path[i]);
		double value = json_number(at);
		sum += isnan(value) ? 0 : value;
	}
	return sum;
}

/* Return a number of one of the report's own objects. */
static double own(const struct json *report, const char *object, const char *name)
{
	return json_number(json_member(object != NULL ? json_member(report, object) : report, name));
}

/* Return a number of the pauses; NAN when there were none. */
static double pause(const struct json *report, const char *name)
{
	return own(report, "pauses", "count") > 0 ? own(report, "pauses", name) : NAN;
}

static double duration(const struct json *r)
{
	return own(r, NULL, "duration_s");
}

static double cpu(const struct json *r)
{
	return own(r, "system", "cpu_user_s") + own(r, "system", "cpu_system_s");
}

static double gc(const struct json *r)
{
	return domains_sum(r, (const char *const[4]){"gc_s"});
}

static double pause_p50(const struct json *r)
{
	return pause(r, "p50_s");
}

static double pause_p99(const struct json *r)
{
	return pause(r, "p99_s");
}

static double pause_max(const struct json *r)
{
	return pause(r, "max_s");
}

static double pause_count(const struct json *r)
{
	return own(r, "pauses", "count");
}

static double minors(const struct json *r)
{
	return domains_sum(r, (const char *const[4]){"phases", "minor", "count"});
}

static double promoted(const struct json *r)
{
	return domains_sum(r, (const char *const[4]){"counters", "minor_promoted", "sum"});
}

static double allocated(const struct json *r)
{
	return domains_sum(r, (const char *const[4]){"counters", "minor_allocated", "sum"});
}

static double resident(const struct json *r)
{
	return own(r, "system", "resident_bytes");
}

static double events(const struct json *r)
{
	return own(r, NULL, "events");
}

static double lost(const struct json *r)
{
	return own(r, NULL, "lost_words");
}

/* The figures of the whole process, most important first. */
static const struct {
	const char *name;
	enum figure_unit unit;
	double (*read)(const struct json *report);
	bool adds; /* it grows with the duration */
} totals[] = {
    {"duration", FIGURE_SECONDS, duration, false},
    {"cpu time", FIGURE_SECONDS, cpu, true},
    {"gc, all domains", FIGURE_SECONDS, gc, true},
    {"pause p99", FIGURE_SECONDS, pause_p99, false},
    {"pause max", FIGURE_SECONDS, pause_max, false},
    {"minors, all domains", FIGURE_COUNT, minors, true},
    {"promoted", FIGURE_BYTES, promoted, true},
    {"allocated (minor)", FIGURE_BYTES, allocated, true},
    {"pause p50", FIGURE_SECONDS, pause_p50, false},
    {"pauses", FIGURE_COUNT, pause_count, true},
    {"resident at the end", FIGURE_BYTES, resident, false},
    {"events", FIGURE_COUNT, events, true},
    {"lost words", FIGURE_COUNT, lost, false},
};

/* Append a figure, unless its value is not known. */
static int add(struct diff_figures *f, struct figure figure)
{
	if (isnan(figure.value))
		return 0;
	if (f->count == f->room) {
		size_t room = f->room != 0 ? 2 * f->room : 64;
		struct figure *list = reallocarray(f->list, room, sizeof(*list));
		if (list == NULL)
			return ENOMEM;
		f->list = list;
		f->room = room;
	}
	f->list[f->count++] = figure;
	return 0;
}

/* A figure of each member of a domain's object: its JSON member, its label, and whether domains add up. */
struct detail {
	const char *member, *what;
	enum figure_unit unit;
	bool adds;
};

static const struct detail of_phase[] = {
    {"self_s", "self", FIGURE_SECONDS, true}, {"count", "count", FIGURE_COUNT, true}};
static const struct detail of_counter[] = {
    {"sum", "sum", FIGURE_COUNT, true}, {"max", "max", FIGURE_COUNT, false}};
static const struct detail of_user[] = {{"count", "count", FIGURE_COUNT, true},
    {"total_s", "total", FIGURE_SECONDS, true}, {"p99_s", "worst p99", FIGURE_SECONDS, false},
    {"max_s", "max", FIGURE_SECONDS, false}};

/* The objects of a domain, with the figures taken from each. */
static const struct {
	const char *member;
	enum figure_group group;
	const struct detail *details;
	size_t count;
} groups[] = {
    {"phases", FIGURE_PHASE, of_phase, sizeof(of_phase) / sizeof(of_phase[0])},
    {"counters", FIGURE_COUNTER, of_counter, sizeof(of_counter) / sizeof(of_counter[0])},
    {"user", FIGURE_USER, of_user, sizeof(of_user) / sizeof(of_user[0])},
};

/* Order figures by group, name and label. */
static int by_name(const void *left, const void *right)
{
	const struct figure *l = left, *r = right;
	size_t shorter = l->name_len < r->name_len ? l->name_len : r->name_len;
	int order = memcmp(l->name, r->name, shorter);

	if (order == 0)
		order = (l->name_len > r->name_len) - (l->name_len < r->name_len);
	return order != 0 ? order : strcmp(l->what, r->what);
}

/* Merge the figures from `start` on that are the same figure of several domains. */
static void join(struct diff_figures *f, size_t start)
{
	size_t to = start;

	if (f->count == start)
		return;
	qsort(f->list + start, f->count - start, sizeof(*f->list), by_name);
	for (size_t i = start + 1; i < f->count; i++) {
		struct figure *kept = &f->list[to];
		if (by_name(kept, &f->list[i]) != 0) {
			f->list[++to] = f->list[i];
			continue;
		}
		kept->value = kept->absent_is_none ? kept->value + f->list[i].value
						   : fmax(kept->value, f->list[i].value);
	}
	f->count = to + 1;
}

/* Read the figures of one object of every domain. */
static int group_read(struct diff_figures *f, const struct json *domains, size_t group)
{
	size_t start = f->count;
	int error = 0;

	for (const struct json *d = domains->first; d != NULL; d = d->next) {
		const struct json *object = json_member(d, groups[group].member);
		if (object == NULL || object->kind != JSON_OBJECT)
			return EINVAL;
		for (const struct json *m = object->first; m != NULL; m = m->next)
			for (size_t i = 0; i < groups[group].count && error == 0; i++) {
				const struct detail *detail = &groups[group].details[i];
				error = add(f, (struct figure){groups[group].group, detail->unit, m->name,
						   m->name_len, detail->what, detail->adds,
						   json_number(json_member(m, detail->member))});
			}
	}
	if (error == 0)
		join(f, start);
	return error;
}

/* Read totals per second; seconds per second are a share. */
static int per_time_read(struct diff_figures *f, const struct json *report)
{
	static const enum figure_unit rates[] = {
	    [FIGURE_SECONDS] = FIGURE_SHARE, [FIGURE_COUNT] = FIGURE_RATE, [FIGURE_BYTES] = FIGURE_BYTE_RATE};
	double seconds = duration(report) > 0 ? duration(report) : NAN;
	int error = 0;

	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]) && error == 0; i++)
		if (totals[i].adds)
			error = add(f,
			    (struct figure){FIGURE_PER_TIME, rates[totals[i].unit], totals[i].name,
				strlen(totals[i].name), "a second", false, totals[i].read(report) / seconds});
	return error;
}

int diff_figures_read(struct diff_figures *out, const struct json *report, bool per_time)
{
	const struct json *domains = json_member(report, "domains");
	int error = 0;

	*out = (struct diff_figures){0};
	if (domains == NULL || domains->kind != JSON_ARRAY || isnan(duration(report)) ||
	    json_member(report, "pauses") == NULL)
		return EINVAL;
	if (per_time)
		error = per_time_read(out, report);
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]) && error == 0; i++)
		error = add(out, (struct figure){FIGURE_TOTAL, totals[i].unit, totals[i].name,
				     strlen(totals[i].name), "", false, totals[i].read(report)});
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]) && error == 0; i++)
		error = group_read(out, domains, i);
	if (error != 0)
		diff_figures_fini(out);
	return error;
}

void diff_figures_fini(struct diff_figures *f)
{
	free(f->list);
	*f = (struct diff_figures){0};
}

const struct json *figures_pauses(const struct json *report)
{
	const struct json *bins = json_member(json_member(report, "pauses"), "histogram");

	return bins != NULL && bins->kind == JSON_ARRAY && bins->first != NULL ? bins : NULL;
}
