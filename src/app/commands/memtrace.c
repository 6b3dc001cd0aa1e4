/*
 * memtrace.c - rtevtop memtrace: allocation sites of a memtrace file, as a report or in the live view.
 *
 * A damaged trace is reported as far as it can be read, followed by what is wrong and where; the exit status is 1.
 */
#include "app/commands/commands.h"

#include <unistd.h>

#include "app/fail.h"
#include "app/top/top.h"
#include "print/json.h"
#include "launch/signals.h"
#include "sites/bars.h"
#include "sites/estimate.h"
#include "sites/hot.h"

/* ---- reports ---- */

/* Most locations printed for a site, and the width of byte counts in the report of hot spots. */
enum { PLACES_MAX = 3, REPORT_WIDTH = 4 };

/* Print bytes with a unit, right-justified in `width`. */
static void put_bytes(struct out *out, double bytes, int width)
{
	static const char *const units[] = {"kB", "MB", "GB", "TB"};
	size_t unit = 0;

	if (bytes < 100) {
		out_format(out, "%*.0f B", width, bytes);
		return;
	}
	for (bytes /= 1024; bytes >= 100 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		bytes /= 1024;
	out_format(out, "%*.1f %s", width, bytes, units[unit]);
}

/* Print the name of a function as memtrace's report does. */
static void put_function(struct out *out, const struct sites_function *function)
{
	if (function->name != NULL)
		out_foreign(out, function->name, strlen(function->name));
	else
		out_format(out, "#%" PRIx64, (uint64_t)function->code & INT64_MAX);
}

/* Print the locations in a function that allocated. */
static void put_places(
    struct out *out, const struct sites_function *function, const struct sites_hot_site *site)
{
	out_text(out, " (");
	if (function->file[0] != '\0')
		out_foreign(out, function->file, strlen(function->file));
	else
		out_text(out, "??");
	out_char(out, ':');
	for (size_t i = 0; i < site->place_count && i < PLACES_MAX; i++) {
		const struct sites_hot_place *place = &site->places[i];
		out_format(out, "%s%" PRId32 ":%" PRId32 "-%" PRId32, i > 0 ? ", " : "", place->line,
		    place->start_char, place->end_char);
	}
	out_text(out, site->place_count > PLACES_MAX ? "...)\n" : ")\n");
}

/* Print a share and its standard error in percent. */
static void put_share(struct out *out, const struct sites_estimate *share)
{
	out_format(out, "%.1f%% +-%.1f", share->value * 100, share->error * 100);
}

/* Print the last line of a site. */
static void put_details(struct out *out, const struct sites_counts *counts, const struct sites_totals *totals)
{
	struct sites_estimate words = sites_words(counts->samples, totals->rate);
	struct sites_estimate live = sites_words(counts->live, totals->rate);
	struct sites_estimate promoted = sites_share(counts->promoted, counts->minor);
	struct sites_estimate life = sites_lifetime(counts);

	out_format(out, "      %" PRIu64 " samples", counts->samples);
	if (words.known) {
		out_text(out, ", +-");
		put_bytes(out, words.error * totals->word_bytes, 0);
		out_text(out, "; live ");
		put_bytes(out, live.value * totals->word_bytes, 0);
		out_text(out, " +-");
		put_bytes(out, live.error * totals->word_bytes, 0);
	}
	if (promoted.known) {
		out_text(out, "; promoted ");
		put_share(out, &promoted);
	}
	if (life.known) {
		out_format(out, "; mean lifetime %.3g s", life.value);
		if (!isnan(life.error))
			out_format(out, " +-%.2g", life.error);
	}
	out_char(out, '\n');
}

/* Find the row of a site; equal names have equal addresses. */
static const struct sites_row *find_row(const struct sites *sites, const struct sites_row *rows, size_t count,
    const struct sites_function *function)
{
	const struct sites_names *names = sites_names(sites);

	for (size_t i = 0; i < count; i++) {
		const struct sites_function *f = &names->functions[rows[i].site];
		if (f->name == function->name && f->code == function->code &&
		    (f->name == NULL || f->file == function->file))
			return &rows[i];
	}
	return NULL;
}

static void put_site(struct out *out, const struct rtev_memtrace_info *info, const struct sites_hot *hot,
    const struct sites_hot_site *site, uint64_t samples)
{
	const struct sites_function *function = sites_hot_function(hot, site->function);
	double rate = info->sample_rate, word = info->word_size / 8;

	put_bytes(out, (double)site->samples / rate * word, REPORT_WIDTH);
	out_format(out, " (%4.1f%%) at ", 100.0 * (double)site->samples / (double)samples);
	put_function(out, function);
	put_places(out, function, site);
	for (size_t i = 0; i < site->caller_count; i++) {
		const struct sites_hot_caller *caller = &site->callers[i];
		out_text(out, i == 0 ? "      including:\n    " : "    ");
		put_bytes(out, (double)caller->blocks / rate * word, REPORT_WIDTH);
		out_text(out, " via ");
		put_function(out, sites_hot_function(hot, caller->function));
		out_format(
		    out, " (%.0f%% of this)\n", 100.0 * ((double)caller->blocks / (double)caller->samples));
	}
}

/* Print the sites with most samples in the form of memtrace's report of hot spots, each with a last line of
 * further figures.  Returns a status. */
static int print_top(struct out *out, const struct rtev_memtrace_info *info, const struct sites *sites,
    struct sites_hot *hot, size_t most)
{
	struct sites_hot_report report;
	struct sites_totals totals;
	struct sites_row *rows;
	size_t count;
	int status = sites_hot_report(hot, most, &report);

	if (status != RTEV_OK)
		return status;
	status = sites_table(sites, NULL, SITES_BY_FUNCTION, SITES_ORDER_SAMPLES, &rows, &count);
	if (status != RTEV_OK) {
		sites_hot_report_fini(&report);
		return status;
	}
	sites_totals(sites, &totals);
	out_text(out, "Trace for ");
	out_foreign(out, info->executable_name, strlen(info->executable_name));
	out_format(out, " [%" PRId64 "]:\n   %" PRIu64 " samples of ", info->pid, report.samples);
	put_bytes(out, (double)report.samples / info->sample_rate * (info->word_size / 8), REPORT_WIDTH);
	out_text(out, " allocations\n\n");
	for (size_t i = 0; i < report.count; i++) {
		put_site(out, info, hot, &report.sites[i], report.samples);
		const struct sites_row *row =
		    find_row(sites, rows, count, sites_hot_function(hot, report.sites[i].function));
		if (row != NULL)
			put_details(out, &row->counts, &totals);
		out_char(out, '\n');
	}
	free(rows);
	sites_hot_report_fini(&report);
	return RTEV_OK;
}

static bool put_path(void *ctx, const char *text, size_t len, uint64_t samples)
{
	struct out *out = ctx;

	out_foreign(out, text, len);
	out_format(out, " %" PRIu64 "\n", samples);
	return out->error == 0;
}

/* Print each call path with its samples.  Returns a status. */
static int print_folded(struct out *out, const struct sites *sites)
{
	struct sites_bars_options options = {0};
	struct calls_bars bars;
	int status = sites_bars(sites, &options, &bars);

	if (status == RTEV_OK)
		status = sites_bars_paths(sites, &bars, put_path, out);
	calls_bars_fini(&bars);
	return status;
}

static void put_estimate(struct json *j, const char *name, struct sites_estimate estimate)
{
	if (!json_known(j, name, estimate.known))
		return;
	json_begin_object(j, name);
	json_put_number(j, "value", estimate.value);
	json_put_number(j, "error", estimate.error);
	json_put_number(j, "low", estimate.low);
	json_put_number(j, "high", estimate.high);
	json_end(j);
}

static void put_counts(struct json *j, const struct sites_counts *counts, double rate)
{
	json_put_unsigned(j, "samples", counts->samples);
	json_put_unsigned(j, "objects", counts->objects);
	json_put_unsigned(j, "live_samples", counts->live);
	json_put_unsigned(j, "promoted_samples", counts->promoted);
	json_put_unsigned(j, "collected_samples", counts->collected);
	put_estimate(j, "words", sites_words(counts->samples, rate));
	put_estimate(j, "live_words", sites_words(counts->live, rate));
	put_estimate(j, "promoted", sites_share(counts->promoted, counts->minor));
	put_estimate(j, "lifetime_s", sites_lifetime(counts));
}

static void put_trace(
    struct json *j, const struct rtev_memtrace_info *info, const struct sites_totals *totals)
{
	json_begin_object(j, NULL);
	json_put_text(j, "type", "trace");
	json_put_unsigned(j, "version", info->version);
	json_put_signed(j, "pid", info->pid);
	json_put_text(j, "executable", info->executable_name);
	json_put_text(j, "host", info->host_name);
	json_put_text(j, "runtime", info->ocaml_runtime_params);
	json_put_text(j, "context", info->context);
	json_put_number(j, "rate", info->sample_rate);
	json_put_unsigned(j, "word_bytes", totals->word_bytes);
	json_put_signed(j, "start_us", info->start_time);
	json_put_signed(j, "duration_us", totals->last_time);
	json_put_unsigned(j, "live_objects", totals->live_objects);
	put_counts(j, &totals->counts, totals->rate);
	json_end(j);
}

/* Rows by code, grouped by site: those of a site begin at first[site]. */
struct places {
	const struct sites_row **rows;
	size_t *first;
};

/* Sort rows by site; the order within a site stays. */
static int sort_places(
    struct places *places, const struct sites_names *names, const struct sites_row *rows, size_t count)
{
	size_t sites = names->function_count;

	places->rows = calloc(count + 1, sizeof(*places->rows));
	places->first = calloc(sites + 2, sizeof(*places->first));
	if (places->rows == NULL || places->first == NULL)
		return RTEV_E_NOMEM;
	/* Counted at site + 2: once the rows are placed, first[site + 1] is the end of a site. */
	for (size_t i = 0; i < count; i++)
		places->first[rows[i].site + 2]++;
	for (size_t i = 2; i < sites + 2; i++)
		places->first[i] += places->first[i - 1];
	for (size_t i = 0; i < count; i++)
		places->rows[places->first[rows[i].site + 1]++] = &rows[i];
	return RTEV_OK;
}

static void put_site_places(
    struct json *j, const struct sites_names *names, const struct places *places, uint32_t site)
{
	json_begin_array(j, "places");
	for (size_t i = places->first[site]; i < places->first[site + 1]; i++) {
		const struct sites_row *row = places->rows[i];
		if (row->code == SITES_NONE)
			continue;
		const struct sites_code *code = &names->codes[row->code];
		json_begin_object(j, NULL);
		json_put_signed(j, "code", code->code);
		if (code->count > 0) {
			const struct rtev_memtrace_location *at = &code->locations[code->count - 1];
			json_put_signed(j, "line", at->line);
			json_put_signed(j, "start", at->start_char);
			json_put_signed(j, "end", at->end_char);
		}
		json_put_unsigned(j, "samples", row->counts.samples);
		json_end(j);
	}
	json_end(j);
}

/* Print the object of a site. */
static void put_row(struct json *j, const struct sites_names *names, const struct sites_row *row,
    const struct places *places, double rate)
{
	const struct sites_function *function = &names->functions[row->site];
	char name[SITES_NAME_SIZE];

	json_begin_object(j, NULL);
	json_put_text(j, "type", "site");
	json_put_text(j, "function", sites_function_name(function, name));
	json_put_text(j, "file", function->file);
	put_counts(j, &row->counts, rate);
	put_site_places(j, names, places, row->site);
	json_end(j);
}

/* Print an object for the trace and one for each site.  Returns a status. */
static int print_json(struct out *out, const struct rtev_memtrace_info *info, const struct sites *sites)
{
	const struct sites_names *names = sites_names(sites);
	struct sites_row *rows = NULL, *codes = NULL;
	struct json json = {.out = out};
	struct places places = {0};
	struct sites_totals totals;
	size_t count, code_count;
	int status = sites_table(sites, NULL, SITES_BY_FUNCTION, SITES_ORDER_SAMPLES, &rows, &count);

	if (status == RTEV_OK)
		status = sites_table(sites, NULL, SITES_BY_CODE, SITES_ORDER_SAMPLES, &codes, &code_count);
	if (status == RTEV_OK)
		status = sort_places(&places, names, codes, code_count);
	if (status == RTEV_OK) {
		sites_totals(sites, &totals);
		put_trace(&json, info, &totals);
		for (size_t i = 0; i < count; i++)
			put_row(&json, names, &rows[i], &places, totals.rate);
	}
	free(places.rows);
	free(places.first);
	free(codes);
	free(rows);
	return status;
}

/* ---- the command ---- */

/* Most nodes of the call tree: a single report may use more memory than a live view. */
enum { TREE_LIMIT = 1 << 22 };

/* The state of one run. */
struct reading {
	const struct options *options;
	struct rtev_memtrace_reader *reader;
	struct sites *sites;
	struct sites_hot *hot;
	struct out *out;
	bool terminal; /* standard output is a terminal */
	bool left_out; /* packets were skipped */
	bool back;     /* it was reported that the clock stepped back */
	bool any;      /* an event was read */
	char *line;    /* a line of the dump */
	size_t line_size;
};

/* Report what the reader skips. */
static void on_notice(void *ctx, const struct rtev_memtrace_notice *notice)
{
	struct reading *r = ctx;
	const char *path = r->options->target;

	if (notice->kind == RTEV_MEMTRACE_CLOCK_BACK) {
		if (!r->back)
			say(NULL,
			    "%s: the program's clock stepped back, at byte %" PRIu64
			    ": times across that are too short",
			    path, notice->offset);
		r->back = true;
		return;
	}
	r->left_out = true;
	if (notice->kind == RTEV_MEMTRACE_WRONG_PID)
		say(NULL, "%s: left out a packet of another process, %" PRId64 ", at byte %" PRIu64, path,
		    notice->pid, notice->offset);
	else if (notice->kind == RTEV_MEMTRACE_TRUNCATED)
		say(NULL, "%s: left out an incomplete packet, at byte %" PRIu64 ": %" PRIu64 " bytes lack",
		    path, notice->offset, notice->missing);
}

/* Print an event as a line of the dump. */
static int dump_event(struct reading *r, const struct rtev_memtrace_event *event)
{
	size_t length;
	int status = rtev_memtrace_format_event(r->reader, event, true, r->line, r->line_size, &length);

	if (length >= r->line_size) {
		char *line = realloc(r->line, length + length / 2 + 256);
		if (line == NULL)
			return RTEV_E_NOMEM;
		r->line = line;
		r->line_size = length + length / 2 + 256;
		status = rtev_memtrace_format_event(r->reader, event, true, r->line, r->line_size, &length);
	}
	/* A dump contains bytes of the trace; for a terminal they are sanitised. */
	if (r->terminal)
		out_foreign(r->out, r->line, length);
	else
		out_bytes(r->out, r->line, length);
	out_char(r->out, '\n');
	return status;
}

static int take_event(struct reading *r, const struct rtev_memtrace_event *event)
{
	if (r->options->dump)
		return dump_event(r, event);
	int status = sites_event(r->sites, r->reader, event);
	return status == RTEV_OK && r->hot != NULL ? sites_hot_event(r->hot, r->reader, event) : status;
}

/* Read all events.  Returns an exit status. */
static int read_events(struct reading *r)
{
	const struct rtev_memtrace_event *event;
	struct rtev_memtrace_fault fault = {.size = sizeof(fault)};
	int status;

	while (r->out->error == 0 && (status = rtev_memtrace_next(r->reader, &event)) == RTEV_OK) {
		r->any = true;
		status = take_event(r, event);
		if (status != RTEV_OK) {
			fault = (struct rtev_memtrace_fault){.size = sizeof(struct rtev_memtrace_fault),
			    .status = status,
			    .offset = rtev_memtrace_position(r->reader)};
			strlcpy(fault.what, rtev_strerror(status), sizeof(fault.what));
			out_flush(r->out);
			return fail_memtrace(r->options->target, &fault);
		}
	}
	if (r->out->error == 0 && status == RTEV_E_MEMTRACE_END && r->left_out && !r->any)
		return say(NULL, "%s: no event could be read", r->options->target);
	if (r->out->error != 0 || status == RTEV_E_MEMTRACE_END)
		return EXIT_DONE;
	out_flush(r->out);
	rtev_memtrace_fault(r->reader, &fault);
	return fail_memtrace(r->options->target, &fault);
}

/* Print the report, unless a dump was printed.  Returns a status. */
static int print_report(struct reading *r)
{
	const struct rtev_memtrace_info *info = rtev_memtrace_info(r->reader);

	if (r->options->dump)
		return RTEV_OK;
	if (r->options->top != 0)
		return print_top(r->out, info, r->sites, r->hot, (size_t)r->options->top);
	return r->options->folded ? print_folded(r->out, r->sites) : print_json(r->out, info, r->sites);
}

/* Create what receives the events. */
static int prepare(struct reading *r)
{
	/* Only call paths need callers: the report of hot spots keeps its own. */
	struct sites_options options = {.limit = TREE_LIMIT, .no_callers = !r->options->folded};

	if (r->options->dump)
		return RTEV_OK;
	if (r->options->top != 0) {
		r->hot = sites_hot_create();
		if (r->hot == NULL)
			return RTEV_E_NOMEM;
	}
	return sites_create(&r->sites, rtev_memtrace_info(r->reader), &options);
}

/* Read the file and print a report.  Returns an exit status. */
static int report(const struct options *asked)
{
	static struct out out;
	struct rtev_memtrace_fault fault = {.size = sizeof(fault)};
	struct reading r = {.options = asked, .out = &out, .terminal = isatty(STDOUT_FILENO) == 1};
	struct rtev_memtrace_options options = {
	    .size = sizeof(options), .ctx = &r, .notice = on_notice, .fault = &fault};

	/* There is nothing to clean up. */
	signals_let_end();
	fail_output_begin(&out, STDOUT_FILENO, NULL);
	if (rtev_memtrace_open_path(&r.reader, asked->target, &options) != RTEV_OK)
		return fail_memtrace(asked->target, &fault);
	int status = prepare(&r), exit_status = EXIT_FAILED;
	if (status == RTEV_OK) {
		exit_status = read_events(&r);
		status = print_report(&r);
	}
	if (status != RTEV_OK)
		exit_status = say(NULL, "could not report on %s: %s", asked->target, rtev_strerror(status));
	if (fail_output(out_flush(&out), "the report") != EXIT_DONE)
		exit_status = EXIT_FAILED;
	free(r.line);
	sites_hot_destroy(r.hot);
	sites_destroy(r.sites);
	rtev_memtrace_close(r.reader);
	return exit_status;
}

static int run(const struct options *options)
{
	if (options->run != NULL)
		return fail_usage("memtrace reads a file, and runs no command");
	if (!options->dump && options->top == 0 && !options->folded && !options->json)
		return top_run(options);
	return report(options);
}

const struct command command_memtrace = {
    .name = "memtrace",
    .synopsis = "[--top N | --json | --folded | --dump] FILE.ctf",
    .purpose = "allocation sites of a memtrace file: live view, or a report",
    .about = "The file is written by a program that is linked with the library memtrace and runs with "
	     "MEMTRACE=FILE.ctf.  Without an option for a report, the live view shows it and follows it "
	     "while it grows.",
    .example = "rtevtop memtrace --top 10 service.ctf",
    .effect = "prints the ten call sites that allocate most",
    /* A memtrace file has no events to scroll back through, and no graphs. */
    .options = (OPTS_VIEW & ~(OPT(history) | OPT(graph))) | OPT(json) | OPT(top) | OPT(folded) | OPT(dump),
    .help = {[OPTION_delay] = "seconds between redraws (0.5); 250ms is accepted",
	[OPTION_iterations] = "stop after N redraws",
	[OPTION_sort] = "initial sort column of the table of sites"},
    .one_of = OPT(json) | OPT(top) | OPT(folded) | OPT(dump),
    .word = "FILE.ctf",
    .memtrace = true,
    .run = run,
};
