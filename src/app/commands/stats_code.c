/*
 * stats_code.c - the part of a report about the program's code, and its other forms: call paths, and the
 * profiles of speedscope and pprof.
 */
#include <unistd.h>
#ifdef RTEV_ZLIB
#include <zlib.h>
#endif

#include "app/commands/stats_report.h"
#include "app/fail.h"
#include "core/clock.h"
#include "figures/figures.h"
#include "print/pprof.h"
#include "files/output.h"

#define LISTED 100     /* functions listed by self time */
#define TEXT_LISTED 15 /* functions of each list in the text without --full */
#define PATH_FRAMES 4096

/* ---- JSON ---- */

static void json_function(
    struct json *j, const struct profile *p, const struct profile_row *row, const struct profile_counts *all)
{
	const struct profile_function *f = profile_function_of(p, row->function);
	const struct profile_share total = profile_total(row, all);

	json_begin_object(j, NULL);
	json_put_text(j, "name", f->name);
	json_put_text(j, "file", f->file);
	json_put_if(j, "line", f->line != 0, f->line);
	json_put_number(j, "self", figure_share((double)row->self.on, (double)all->on));
	json_put_number(j, "total", figure_share((double)total.part, (double)total.all));
	json_put_number(j, "in_gc", figure_share((double)row->total.gc, (double)row->total.known));
	json_put_number(j, "off_cpu", figure_share((double)row->total.off, (double)all->off));
	json_end(j);
}

bool json_code(struct json *j, const struct stats_subject *subject)
{
	const struct profile *p = subject->code;
	struct profile_totals t;
	struct profile_row *rows;
	size_t count;

	if (!json_known(j, "code", p != NULL))
		return true;
	bool whole = profile_rows(p, PROFILE_ALL, &rows, &count);
	profile_totals(p, PROFILE_ALL, &t);
	json_begin_object(j, "code");
	json_put_unsigned(j, "hz", subject->code_state.hz);
	json_put_unsigned(j, "samples", t.counts.on);
	json_put_unsigned(j, "incomplete", t.counts.incomplete);
	json_begin_array(j, "functions");
	for (size_t i = 0; whole && i < count && i < LISTED; i++)
		json_function(j, p, &rows[i], &t.counts);
	json_end(j);
	json_put_unsigned(j, "lost", subject->code_state.lost);
	json_put_unsigned(j, "off_cpu", t.counts.off);
	json_put_unsigned(j, "unseen", t.counts.unseen);
	json_put_unsigned(j, "threads_left_out", subject->code_state.left_out);
	json_put_text(
	    j, "refused", subject->code_refusal->why[0] != '\0' ? subject->code_refusal->why : NULL);
	json_put_unsigned(j, "functions_left_out", count > LISTED ? count - LISTED : 0);
	json_put_unsigned(j, "late", subject->code_state.late);
	json_put_text(j, "symbols_left_out", subject->code_state.names);
	json_put_unsigned(j, "real_time", subject->code_state.real_time);
	json_end(j);
	free(rows);
	return whole;
}

/* ---- text ---- */

static void text_share(char buf[32], uint64_t part, uint64_t all, double spread)
{
	if (all == 0)
		snprintf(buf, 32, "-");
	else
		snprintf(buf, 32, "%.1f%% +-%.1f", 100 * figure_share((double)part, (double)all),
		    100 * spread * profile_error(part, all));
}

static void text_function(
    struct out *out, const struct profile *p, const struct profile_row *row, const struct profile_counts *all)
{
	const struct profile_function *f = profile_function_of(p, row->function);
	const struct profile_share in = profile_total(row, all);
	char self[32], total[32];

	text_share(self, row->self.on, all->on, row->spread);
	text_share(total, in.part, in.all, row->spread);
	out_format(out, "  %-15s %-15s %6s %7s  ", self, total,
	    plain_share(figure_share((double)row->total.gc, (double)row->total.known)).s,
	    plain_share(figure_share((double)row->total.off, (double)all->off)).s);
	out_foreign(out, f->name, strlen(f->name));
	if (f->c)
		out_text(out, " (C)");
	out_place(out, f->file, f->line);
	out_char(out, '\n');
}

/* The order of a list of functions.  Functions without a share in it are left out. */
struct listing {
	const char *of;
	uint64_t (*key)(const struct profile_row *row);
};

static uint64_t self_of(const struct profile_row *row)
{
	return row->self.on;
}

static uint64_t callers_of(const struct profile_row *row)
{
	return row->total.on > row->self.on ? row->total.on - row->total.incomplete : 0;
}

static uint64_t waiting_of(const struct profile_row *row)
{
	return row->total.off;
}

static int by_key(const void *a, const void *b, void *listing)
{
	const struct listing *l = listing;
	const uint64_t x = l->key(a), y = l->key(b);

	return x != y ? (x < y ? 1 : -1) : 0;
}

/* Print the first `most` functions of a list. */
static void text_listing(struct out *out, const struct stats_subject *subject, struct listing *listing,
    struct profile_row *rows, size_t count)
{
	const size_t most = subject->full ? LISTED : TEXT_LISTED;
	struct profile_totals t;
	size_t i;

	profile_totals(subject->code, PROFILE_ALL, &t);
	if (count > 1)
		qsort_r(rows, count, sizeof(*rows), by_key, listing);
	for (i = 0; i < count && i < most && listing->key(&rows[i]) != 0 && out->error == 0; i++) {
		if (i == 0)
			out_format(out, "  %s:\n", listing->of);
		text_function(out, subject->code, &rows[i], &t.counts);
	}
	while (i < count && listing->key(&rows[i]) != 0)
		i++;
	if (i > most)
		out_format(out, "  and %zu more%s\n", i - most, subject->full ? "" : ": --full, --json");
}

/* Print how samples were taken, and which are missing. */
static void text_samples(struct out *out, const struct stats_subject *subject)
{
	const struct code_watch_state *state = &subject->code_state;
	struct profile_totals t;

	profile_totals(subject->code, PROFILE_ALL, &t);
	out_format(out, "\ncode: %s samples at %u Hz of processor time, of %s the callers are not known",
	    plain_count(t.counts.on).s, state->hz, plain_count(t.counts.incomplete).s);
	if (state->lost != 0)
		out_format(out, ", %s lost", plain_count(state->lost).s);
	if (state->late != 0)
		out_format(out, ", %s read late", plain_count(state->late).s);
	if (state->left_out != 0)
		out_format(out, "; %u threads not sampled", state->left_out);
	if (t.counts.unseen != 0)
		out_format(out, "; %s looks at threads that ran saw no code", plain_count(t.counts.unseen).s);
	if (state->real_time != 0)
		out_format(out, "\n  %s of threads of real-time priority, which run before rtevtop",
		    plain_count(state->real_time).s);
	if (subject->code_refusal->why[0] != '\0')
		out_format(out, "\n  %s: %s",
		    subject->code_refusal->some ? "not all threads" : "only threads that wait",
		    subject->code_refusal->why);
	if (state->names != NULL)
		out_format(out, "\n  %s", state->names);
	const char *more = profile_more(&t.counts, state->slow);
	if (more != NULL)
		out_format(out, "\n  %s", more);
	if (!isnan(state->own))
		out_format(out, "\n  sampling took %s of a core here, and about %s of one from the target",
		    plain_share(state->own).s, plain_share(state->target).s);
	out_format(out, "\n  %-15s %-15s %6s %7s  function (shares with their 95 %% interval)\n", "self",
	    "total", "in GC", "off CPU");
}

bool text_code(struct out *out, const struct stats_subject *subject)
{
	static struct listing listings[] = {
	    {"executed themselves", self_of}, {"callers of others", callers_of}, {"waiting", waiting_of}};
	struct profile_row *rows;
	size_t count;

	if (subject->code == NULL)
		return true;
	if (!profile_rows(subject->code, PROFILE_ALL, &rows, &count))
		return false;
	text_samples(out, subject);
	for (size_t i = 0; i < sizeof(listings) / sizeof(listings[0]); i++)
		text_listing(out, subject, &listings[i], rows, count);
	free(rows);
	return true;
}

/* ---- call paths ---- */

/* The receiver of call paths. */
struct folding {
	struct out *out;
	const struct profile *profile;
};

static const char *name_of(void *ctx, uint32_t function)
{
	const struct folding *f = ctx;

	return profile_function_of(f->profile, function)->name;
}

static bool put_path(void *ctx, const char *text, size_t len, uint64_t samples)
{
	struct out *out = ((const struct folding *)ctx)->out;

	out_foreign(out, text, len);
	out_format(out, " %" PRIu64 "\n", samples);
	return out->error == 0;
}

int stats_code_folded(struct out *out, const struct profile *p)
{
	const struct calls_bars_options shape = {0};
	struct folding folding = {.out = out, .profile = p};
	struct calls_bars bars;
	bool done = profile_bars(p, PROFILE_ALL, PROFILE_W_ON, &shape, &bars) &&
		    calls_bars_paths(
			&bars, &(struct calls_paths){.ctx = &folding, .name = name_of, .path = put_path});

	calls_bars_fini(&bars);
	if (done)
		return EXIT_DONE;
	return say(NULL, "could not print the call paths: out of memory");
}

/* ---- speedscope ----
 *
 * A file has the functions, and a profile for each domain: its stacks, each as a list of functions from the
 * outermost on, and the weights in the order of the stacks. */

static int64_t period_of(const struct stats_subject *subject)
{
	return subject->code_state.hz != 0 ? 1000000000 / (int64_t)subject->code_state.hz : 0;
}

/* A pass over a domain's stacks, which prints them or their weights. */
struct scoping {
	struct json *json;
	const struct profile *profile;
	int domain;
	uint64_t period; /* 0: print stacks */
	struct profile_frame frames[PATH_FRAMES];
};

static bool put_scoped(void *ctx, uint32_t stack, int domain, const struct profile_counts *counts)
{
	struct scoping *s = ctx;

	if (domain != s->domain || counts->on == 0)
		return true;
	if (s->period != 0) {
		json_put_unsigned(s->json, NULL, counts->on * s->period);
		return true;
	}
	size_t count = profile_frames(s->profile, stack, s->frames, PATH_FRAMES);
	count = count < PATH_FRAMES ? count : PATH_FRAMES;
	json_begin_array(s->json, NULL);
	while (count > 0)
		json_put_unsigned(s->json, NULL, s->frames[--count].function);
	json_end(s->json);
	return true;
}

/* Print the profile of a domain with `samples` samples. */
static void put_domain(struct scoping *s, uint64_t samples, uint64_t period)
{
	char name[32] = "threads without a domain";

	if (s->domain >= 0)
		snprintf(name, sizeof(name), "domain %d", s->domain);
	json_begin_object(s->json, NULL);
	json_put_text(s->json, "type", "sampled");
	json_put_text(s->json, "name", name);
	json_put_text(s->json, "unit", "nanoseconds");
	json_put_unsigned(s->json, "startValue", 0);
	json_put_unsigned(s->json, "endValue", samples * period);
	s->period = 0;
	json_begin_array(s->json, "samples");
	profile_stacks(s->profile, put_scoped, s);
	json_end(s->json);
	s->period = period;
	json_begin_array(s->json, "weights");
	profile_stacks(s->profile, put_scoped, s);
	json_end(s->json);
	json_end(s->json);
}

int stats_code_speedscope(struct out *out, const struct stats_subject *subject)
{
	const struct profile *p = subject->code;
	const uint64_t period = (uint64_t)period_of(subject);
	struct scoping *s = calloc(1, sizeof(*s));
	struct json j = {.out = out};
	struct profile_totals t;

	if (s == NULL)
		return say(NULL, "could not print the profile: out of memory");
	s->json = &j;
	s->profile = p;
	json_begin_object(&j, NULL);
	json_put_text(&j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_begin_object(&j, "shared");
	json_begin_array(&j, "frames");
	for (uint32_t i = 0; i < profile_function_count(p); i++) {
		const struct profile_function *f = profile_function_of(p, i);

		json_begin_object(&j, NULL);
		json_put_text(&j, "name", f->name);
		if (f->file != NULL)
			json_put_text(&j, "file", f->file);
		if (f->line != 0)
			json_put_unsigned(&j, "line", f->line);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
	json_begin_array(&j, "profiles");
	for (s->domain = PROFILE_NO_DOMAIN; s->domain < MODEL_DOMAINS_MAX; s->domain++) {
		profile_totals(p, s->domain, &t);
		if (t.counts.on > 0)
			put_domain(s, t.counts.on, period != 0 ? period : 1);
	}
	json_end(&j);
	json_put_text(&j, "name", subject->name);
	json_put_text(&j, "exporter", "rtevtop");
	json_end(&j);
	free(s);
	return EXIT_DONE;
}

/* ---- pprof ---- */

/* The profile that a stack's samples are added to. */
struct putting {
	struct pprof *to;
	const struct profile *profile;
	int64_t period;
	struct profile_frame frames[PATH_FRAMES];
	struct pprof_frame path[PATH_FRAMES];
};

static bool put_stack(void *ctx, uint32_t stack, int domain, const struct profile_counts *counts)
{
	struct putting *p = ctx;
	size_t count = profile_frames(p->profile, stack, p->frames, PATH_FRAMES);
	const int64_t values[] = {(int64_t)counts->on, (int64_t)counts->on * p->period};

	count = count < PATH_FRAMES ? count : PATH_FRAMES;
	for (size_t i = 0; i < count; i++)
		p->path[i] =
		    (struct pprof_frame){.function = p->frames[i].function, .line = p->frames[i].line};
	if (counts->on != 0)
		pprof_sample(p->to, p->path, count, values, domain >= 0 ? "domain" : NULL, domain);
	return true;
}

/* Build the profile.  NULL when memory ran out. */
static struct pprof *build(const struct stats_subject *subject)
{
	static const struct pprof_type types[] = {{"samples", "count"}, {"cpu", "nanoseconds"}};
	const int64_t period = period_of(subject);
	struct putting *p = calloc(1, sizeof(*p));
	struct pprof *to = pprof_create(&(struct pprof_options){.types = types,
	    .type_count = 2,
	    .period = period,
	    .time_ns = subject->begin_wall,
	    .duration_ns = (int64_t)subject->duration_ns,
	    .comment = subject->name});

	if (p != NULL && to != NULL) {
		p->to = to;
		p->profile = subject->code;
		p->period = period;
		for (uint32_t i = 0; i < profile_function_count(subject->code); i++) {
			const struct profile_function *f = profile_function_of(subject->code, i);
			pprof_function(to, i, f->name, f->file);
		}
		profile_stacks(subject->code, put_stack, p);
	} else {
		pprof_destroy(to);
		to = NULL;
	}
	free(p);
	return to;
}

/* Write bytes, compressed if `compressed`.  Returns 0 or an errno value. */
static int write_bytes(int fd, const uint8_t *bytes, size_t size, bool compressed)
{
#ifdef RTEV_ZLIB
	if (compressed) {
		gzFile file = gzdopen(dup(fd), "wb");
		errno = file != NULL ? 0 : ENOMEM;
		bool done = file != NULL && gzwrite(file, bytes, (unsigned)size) == (int)size;
		done = file != NULL && gzclose(file) == Z_OK && done;
		return done ? 0 : errno != 0 ? errno : EIO;
	}
#else
#endif
	static struct out out;
	out_init(&out, fd);
	out_bytes(&out, (const char *)bytes, size);
	return out_flush(&out);
}

/* Write a file; it replaces an old one only when it is complete.  Returns 0 or an errno value. */
static int write_file(const char *path, const uint8_t *bytes, size_t size, bool compressed)
{
	struct output output;
	enum output_status status = output_open(&output, path, NULL);

	if (status != OUTPUT_OK)
		return status == OUTPUT_FAILED ? errno : ENXIO;
	int error = write_bytes(output.fd, bytes, size, compressed);
	if (close(output.fd) != 0 && error == 0)
		error = errno;
	output.fd = -1;
	if (error == 0 && !output.published)
		error = output_publish(&output);
	output_close(&output);
	return error;
}

int stats_code_pprof(const char *path, const struct stats_subject *subject)
{
	struct pprof *profile = build(subject);
	size_t size = 0, len = strlen(path);
	const uint8_t *bytes = profile != NULL ? pprof_bytes(profile, &size) : NULL;
	const bool compressed = len > 3 && strcmp(path + len - 3, ".gz") == 0;
	int error = bytes != NULL ? 0 : ENOMEM;

	if (error == 0)
		error = strcmp(path, "-") == 0 ? write_bytes(STDOUT_FILENO, bytes, size, false)
					       : write_file(path, bytes, size, compressed);
	pprof_destroy(profile);
	return error == 0 ? EXIT_DONE : fail_file(path, error);
}
