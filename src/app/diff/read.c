/*
 * read.c - read the figures of a report.  Figures that add up are summed over the domains; of others the
 * largest counts.
 */
#include "app/diff/diff.h"

#include "app/report_keys.h"
#include "core/array.h"

/* Bounds of a report besides its length: the depth bounds the recursion, and the number of values bounds the
 * memory, that an untrusted text makes libjansson use: 160 bytes for a value. */
#define DEPTH_MAX 64
#define VALUES_MAX (1u << 19)

/* Return whether a text keeps to the bounds.  If not, store in *why the place where it exceeds one, in lines and
 * characters as libjansson counts them.  Escaped NULs, which libjansson refuses in names, become U+FFFD. */
static bool bounded(char *text, size_t len, json_error_t *why)
{
	unsigned depth = 0, values = 0;
	bool quoted = false, escaped = false;
	const char *what = NULL;

	*why = (json_error_t){.line = 1};
	for (size_t i = 0; i < len && what == NULL; i++) {
		char c = text[i];
		why->column = c == '\n' ? 0 : why->column + ((c & 0xc0) != 0x80);
		why->line += c == '\n';
		if (quoted) {
			quoted = c != '"' || escaped;
			escaped = c == '\\' && !escaped;
			if (escaped && len - i >= 6 && memcmp(text + i, "\\u0000", 6) == 0)
				memcpy(text + i, "\\ufffd", 6);
		} else {
			quoted = c == '"';
			depth += c == '{' || c == '[';
			depth -= (c == '}' || c == ']') && depth > 0;
			values += c == '{' || c == '[' || c == ',';
		}
		what = i == DIFF_REPORT_BYTES_MAX ? "longer than 32 MiB"
		       : depth > DEPTH_MAX	  ? "nested deeper than 64"
		       : values > VALUES_MAX	  ? "too many values"
						  : NULL;
	}
	if (what != NULL)
		snprintf(why->text, sizeof(why->text), "%s", what);
	return what == NULL;
}

double diff_number(const json_t *value)
{
	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Follow a path of member names, KEY_PHASES ".minor." KEY_COUNT, as far as a member that is null.  NULL when
 * a member is missing. */
static const json_t *follow(const json_t *value, const char *path)
{
	char name[32];

	while (value != NULL && !json_is_null(value) && *path != '\0') {
		size_t len = strcspn(path, ".");
		snprintf(name, sizeof(name), "%.*s", (int)len, path);
		value = json_object_get(value, name);
		path += len + (path[len] == '.');
	}
	return value;
}

bool figures_recorded(const struct diff_figures *f)
{
	return json_array_size(json_object_get(f->report, KEY_DOMAINS)) > 0;
}

/* Return the sum of a number over the domains; NAN if there are none.  A missing number counts as 0; a null
 * makes the sum unknown. */
static double domains_sum(const json_t *report, const char *path)
{
	const json_t *domains = json_object_get(report, KEY_DOMAINS);
	double sum = json_array_size(domains) > 0 ? 0 : NAN;

	for (size_t d = 0; d < json_array_size(domains); d++) {
		const json_t *value = follow(json_array_get(domains, d), path);
		sum += value == NULL ? 0 : diff_number(value);
	}
	return sum;
}

/* The figures of the whole process, most important first. */
static const struct total {
	const char *name;
	enum unit unit;
	bool adds;		 /* it grows with the duration */
	bool of_domains;	 /* the path begins at each domain instead of the report */
	const char *path, *also; /* paths to a number, and to one that is added; NULL: none */
} totals[] = {
    {"duration", UNIT_SECONDS, false, false, KEY_DURATION, NULL},
    {"cpu time", UNIT_SECONDS, true, false, KEY_SYSTEM "." KEY_CPU_USER, KEY_SYSTEM "." KEY_CPU_SYSTEM},
    {"gc, all domains", UNIT_SECONDS, true, true, KEY_GC, NULL},
    {"pause p99", UNIT_SECONDS, false, false, KEY_PAUSES "." KEY_P99, NULL},
    {"pause max", UNIT_SECONDS, false, false, KEY_PAUSES "." KEY_MAX_TIME, NULL},
    {"minors, all domains", UNIT_COUNT, true, true, KEY_PHASES ".minor." KEY_COUNT, NULL},
    {"promoted", UNIT_BYTES, true, true, KEY_COUNTERS ".minor_promoted." KEY_SUM, NULL},
    {"allocated (minor)", UNIT_BYTES, true, true, KEY_COUNTERS ".minor_allocated." KEY_SUM, NULL},
    {"pause p50", UNIT_SECONDS, false, false, KEY_PAUSES "." KEY_P50, NULL},
    {"pauses", UNIT_COUNT, true, false, KEY_PAUSES "." KEY_COUNT, NULL},
    {"resident at the end", UNIT_BYTES, false, false, KEY_SYSTEM "." KEY_RESIDENT, NULL},
    {"events", UNIT_COUNT, true, false, KEY_EVENTS, NULL},
    {"lost words", UNIT_COUNT, false, false, KEY_LOST, NULL},
};

/* Read a figure of the whole process; NAN when it is not known. */
static double total_read(const json_t *report, const struct total *t)
{
	if (t->of_domains)
		return domains_sum(report, t->path);
	return diff_number(follow(report, t->path)) +
	       (t->also != NULL ? diff_number(follow(report, t->also)) : 0);
}

/* Append a figure, unless its value is not known. */
static int add(struct diff_figures *f, struct figure figure)
{
	if (isnan(figure.value))
		return 0;
	if (!array_room(&f->list, &f->room, f->count + 1, sizeof(*f->list)))
		return ENOMEM;
	f->list[f->count++] = figure;
	return 0;
}

/* A figure of each member of an object of a domain: its JSON member, its label, and whether it adds up over
 * domains. */
struct detail {
	const char *member, *what;
	enum unit unit;
	bool adds;
};

static const struct detail of_phase[] = {
    {KEY_SELF, "self", UNIT_SECONDS, true}, {KEY_COUNT, "count", UNIT_COUNT, true}};
static const struct detail of_counter[] = {
    {KEY_SUM, "sum", UNIT_COUNT, true}, {KEY_MAX, "max", UNIT_COUNT, false}};
static const struct detail of_user[] = {{KEY_COUNT, "count", UNIT_COUNT, true},
    {KEY_TOTAL, "total", UNIT_SECONDS, true}, {KEY_P99, "worst p99", UNIT_SECONDS, false},
    {KEY_MAX_TIME, "max", UNIT_SECONDS, false}};

/* The objects of a domain, with their figures. */
static const struct {
	const char *member;
	enum figure_group group;
	const struct detail *details;
	size_t count;
} groups[] = {
    {KEY_PHASES, FIGURE_PHASE, of_phase, sizeof(of_phase) / sizeof(of_phase[0])},
    {KEY_COUNTERS, FIGURE_COUNTER, of_counter, sizeof(of_counter) / sizeof(of_counter[0])},
    {KEY_USER, FIGURE_USER, of_user, sizeof(of_user) / sizeof(of_user[0])},
};

int figure_order(const void *left, const void *right)
{
	const struct figure *l = left, *r = right;

	if (l->group != r->group)
		return l->group < r->group ? -1 : 1;
	int order = strcmp(l->name, r->name);
	return order != 0 ? order : strcmp(l->what, r->what);
}

/* Merge equal figures of several domains, from `start` on. */
static void join(struct diff_figures *f, size_t start)
{
	size_t to = start;

	if (f->count == start)
		return;
	qsort(f->list + start, f->count - start, sizeof(*f->list), figure_order);
	for (size_t i = start + 1; i < f->count; i++) {
		struct figure *kept = &f->list[to];
		if (figure_order(kept, &f->list[i]) != 0) {
			f->list[++to] = f->list[i];
			continue;
		}
		kept->value = kept->absent_is_none ? kept->value + f->list[i].value
						   : fmax(kept->value, f->list[i].value);
	}
	f->count = to + 1;
}

/* Whether a counter's values do not add up, because it is a running total or a level. */
static bool is_running(const char *counter)
{
	char name[RTEV_NAME_SIZE];

	for (unsigned c = 0; c < RTEV_COUNTER_COUNT; c++)
		if (strcmp(rtev_counter_name((rtev_counter)c, name), counter) == 0)
			return rtev_counter_kind((rtev_counter)c) == RTEV_KIND_CUMULATIVE ||
			       rtev_counter_kind((rtev_counter)c) == RTEV_KIND_TARGET;
	return false;
}

/* Read the figures of one object of every domain. */
static int group_read(struct diff_figures *f, const json_t *domains, size_t group)
{
	size_t start = f->count;
	int error = 0;

	for (size_t d = 0; d < json_array_size(domains); d++) {
		json_t *object = json_object_get(json_array_get(domains, d), groups[group].member);
		/* The domains of a process without events have null here. */
		if (json_is_null(object))
			continue;
		if (!json_is_object(object))
			return EINVAL;
		for (void *m = json_object_iter(object); m != NULL; m = json_object_iter_next(object, m))
			for (size_t i = 0; i < groups[group].count && error == 0; i++) {
				const struct detail *detail = &groups[group].details[i];
				const json_t *value =
				    json_object_get(json_object_iter_value(m), detail->member);
				if (groups[group].group == FIGURE_COUNTER && detail->adds &&
				    is_running(json_object_iter_key(m)))
					continue;
				error = add(f, (struct figure){groups[group].group, detail->unit,
						   json_object_iter_key(m), detail->what, detail->adds,
						   diff_number(value)});
			}
	}
	if (error == 0)
		join(f, start);
	return error;
}

/* Read totals per second; seconds per second are a share. */
static int per_time_read(struct diff_figures *f, const json_t *report)
{
	static const enum unit rates[] = {
	    [UNIT_SECONDS] = UNIT_SHARE, [UNIT_COUNT] = UNIT_RATE, [UNIT_BYTES] = UNIT_BYTE_RATE};
	double seconds = diff_number(json_object_get(report, KEY_DURATION));
	int error = 0;

	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]) && error == 0; i++)
		if (totals[i].adds)
			error =
			    add(f, (struct figure){FIGURE_PER_TIME, rates[totals[i].unit], totals[i].name,
				       "a second", false,
				       seconds > 0 ? total_read(report, &totals[i]) / seconds : (double)NAN});
	return error;
}

static int all_read(struct diff_figures *out, bool per_time)
{
	const json_t *domains = json_object_get(out->report, KEY_DOMAINS);
	int error = 0;

	if (!json_is_array(domains) || isnan(diff_number(json_object_get(out->report, KEY_DURATION))) ||
	    json_object_get(out->report, KEY_PAUSES) == NULL)
		return EINVAL;
	if (per_time)
		error = per_time_read(out, out->report);
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]) && error == 0; i++)
		error = add(out, (struct figure){FIGURE_TOTAL, totals[i].unit, totals[i].name, "", false,
				     total_read(out->report, &totals[i])});
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]) && error == 0; i++)
		error = group_read(out, domains, i);
	return error;
}

int diff_figures_read(struct diff_figures *out, char *text, size_t len, bool per_time, json_error_t *why)
{
	/* Read integers as doubles: libjansson refuses integers beyond 64 bits. */
	const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL;

	*out = (struct diff_figures){0};
	if (!bounded(text, len, why))
		return EINVAL;
	out->report = json_loadb(text, len, flags, why);
	if (out->report == NULL)
		return why->text[0] == '\0' || json_error_code(why) == json_error_out_of_memory ? ENOMEM
												: EINVAL;
	int error = all_read(out, per_time);
	if (error != 0)
		diff_figures_fini(out);
	return error;
}

void diff_figures_fini(struct diff_figures *f)
{
	free(f->list);
	json_decref(f->report);
	*f = (struct diff_figures){0};
}

const json_t *figures_pauses(const struct diff_figures *f)
{
	const json_t *bins = json_object_get(json_object_get(f->report, KEY_PAUSES), KEY_HISTOGRAM);

	return json_array_size(bins) != 0 ? bins : NULL;
}
