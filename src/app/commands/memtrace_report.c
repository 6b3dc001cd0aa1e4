/*
 * memtrace_report.c - print the samples of a trace.
 */
#include "app/commands/memtrace_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/json.h"
#include "sites/bars.h"
#include "sites/estimate.h"

/* Locations printed for a site, at most, and the width of byte counts in the report of hot spots. */
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

int memtrace_print_top(struct out *out, const struct rtev_memtrace_info *info, const struct sites *sites,
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

int memtrace_print_folded(struct out *out, const struct sites *sites)
{
	struct sites_bars_options options = {0};
	struct sites_bars bars;
	int status = sites_bars(sites, &options, &bars);

	if (status == RTEV_OK)
		status = sites_bars_paths(sites, &bars, put_path, out);
	sites_bars_fini(&bars);
	return status;
}

static void put_estimate(struct json *j, const char *name, struct sites_estimate estimate)
{
	if (!estimate.known) {
		json_put_null(j, name);
		return;
	}
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

/* Print the object of the trace. */
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

/* Print the locations of a site. */
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

int memtrace_print_json(struct out *out, const struct rtev_memtrace_info *info, const struct sites *sites)
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
