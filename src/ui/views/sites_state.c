/* sites_state.c - see sites_state.h. */
#include "ui/views/sites_state.h"

void sites_state_fini(void *own)
{
	struct sites_state *state = own;

	free(state->rows);
	free(state->codes);
	calls_bars_fini(&state->calls.bars);
}

/* Return the key of figures computed now. */
static struct sites_basis basis_of(
    const struct sites_state *state, const struct subject *subject, const char *filter)
{
	struct sites_basis basis = {.sites = subject->trace->sites,
	    .generation = subject->trace->generation,
	    .events = subject->trace->events,
	    .marked = state->totals.marked,
	    .mark_time = state->totals.mark_time};

	strlcpy(basis.filter, filter, sizeof(basis.filter));
	return basis;
}

/* Return whether two keys are equal. */
static bool same_basis(const struct sites_basis *a, const struct sites_basis *b)
{
	return a->sites == b->sites && a->generation == b->generation && a->events == b->events &&
	       a->marked == b->marked && a->mark_time == b->mark_time && strcmp(a->filter, b->filter) == 0;
}

/* Drop the cached figures. */
static void drop_rows(struct sites_state *state)
{
	free(state->rows);
	free(state->codes);
	state->rows = state->codes = NULL;
	state->row_count = state->code_count = 0;
}

/* Read the filter and the totals. */
void sites_state_begin(struct ui *ui, const struct subject *subject)
{
	struct sites_state *state = sites_own(ui);

	trace_filter_read(&state->filter, ui->places[VIEW_SITES].filter);
	sites_totals(subject->trace->sites, &state->totals);
	if (state->generation == subject->trace->generation)
		return;
	state->generation = subject->trace->generation;
	call_tree_reset(&state->calls);
	state->calls.scroll = 0;
}

void sites_state_rows(struct ui *ui, const struct subject *subject)
{
	struct sites_state *state = sites_own(ui);

	sites_state_begin(ui, subject);
	struct sites_basis basis = basis_of(state, subject, ui->places[VIEW_SITES].filter);
	if (state->rows != NULL && same_basis(&basis, &state->rows_of))
		return;
	drop_rows(state);
	state->rows_of = basis;
	const struct sites *sites = subject->trace->sites;
	const struct sites_filter *filter = &state->filter.sites;
	state->lacking = sites_table(sites, filter, SITES_BY_FUNCTION, SITES_ORDER_SAMPLES, &state->rows,
			     &state->row_count) != RTEV_OK ||
			 sites_table(sites, filter, SITES_BY_CODE, SITES_ORDER_SAMPLES, &state->codes,
			     &state->code_count) != RTEV_OK;
	if (state->lacking)
		drop_rows(state);
	memset(&state->counts, 0, sizeof(state->counts));
	for (size_t i = 0; i < state->row_count; i++)
		sites_counts_add(&state->counts, &state->rows[i].counts);
}

void sites_state_bars(struct ui *ui, const struct subject *subject)
{
	struct sites_state *state = sites_own(ui);

	sites_state_begin(ui, subject);
	struct sites_basis basis = basis_of(state, subject, ui->places[VIEW_SITES].filter);
	if (call_tree_current(&state->calls) && same_basis(&basis, &state->bars_of) &&
	    state->bars_weight == state->weight)
		return;
	calls_bars_fini(&state->calls.bars);
	state->bars_of = basis;
	state->bars_weight = state->weight;
	call_tree_computed(&state->calls);
	const struct sites_bars_options options = {
	    .filter = &state->filter.sites, .weight = state->weight, .shape = call_tree_shape(&state->calls)};
	state->lacking = sites_bars(subject->trace->sites, &options, &state->calls.bars) != RTEV_OK;
}

/* Return the requested time window.  It takes effect when its line has been entered, since each change
 * reads the trace from the start. */
void ui_trace_window(struct ui *ui, int64_t *from, int64_t *to)
{
	struct trace_filter filter;

	if (ui->input == 0 || ui->view != VIEW_SITES) {
		trace_filter_read(&filter, ui->places[VIEW_SITES].filter);
		sites_own(ui)->from = filter.from;
		sites_own(ui)->to = filter.to;
	}
	*from = sites_own(ui)->from;
	*to = sites_own(ui)->to;
}

/* ---- the filter ---- */

/* Maximum bytes of a word in a problem text. */
enum { WORD_SHOWN = 24 };

/* Parse one end of a time range, in microseconds. */
static bool read_end(const char *text, int64_t *out)
{
	uint64_t ns;

	if (!time_text_read(text, &ns))
		return false;
	*out = (int64_t)(ns / 1000);
	return true;
}

/* Read "FROM-TO". */
static const char *take_time(struct trace_filter *out, const char *value)
{
	char from[TRACE_FILTER_TEXT];
	const char *hyphen = strchr(value, '-');
	/* A range from 0 includes slightly earlier stamps: the domains' clocks may differ. */
	int64_t begin = INT64_MIN, end = INT64_MAX;

	if (hyphen == NULL)
		return "as in time:1s-2s, time:1s- or time:-2s";
	snprintf(from, sizeof(from), "%.*s", (int)(hyphen - value), value);
	if ((from[0] != '\0' && !read_end(from, &begin)) ||
	    (hyphen[1] != '\0' && !read_end(hyphen + 1, &end)))
		return "times are such as 10s, 250ms or 3m";
	if (begin > end)
		return "ends before it begins";
	out->from = begin == 0 ? INT64_MIN : begin;
	out->to = end;
	/* A range over the whole trace is no restriction and needs no new reading. */
	if (out->from == INT64_MIN && out->to == INT64_MAX)
		out->from = out->to = 0;
	return NULL;
}

/* Read a domain. */
static const char *take_domain(struct trace_filter *out, const char *value)
{
	const char *problem;
	long long domain = strtonum(value, 0, UINT16_MAX, &problem);

	if (problem != NULL || value[strspn(value, "0123456789")] != '\0')
		return "a domain is a number";
	out->sites.one_domain = true;
	out->sites.domain = (uint16_t)domain;
	return NULL;
}

/* Take a part of a file's name. */
static const char *take_file(struct trace_filter *out, const char *value)
{
	strlcpy(out->file, value, sizeof(out->file));
	out->sites.file = value[0] != '\0' ? out->file : NULL;
	return NULL;
}

/* Words with a key; each parser returns an error text or NULL. */
static const struct {
	const char *key;
	const char *(*take)(struct trace_filter *out, const char *value);
} keys[] = {{"file:", take_file}, {"domain:", take_domain}, {"time:", take_time}};

/* Format a problem; a long word is cut, so that the reason fits. */
static void tell_problem(struct trace_filter *out, const char *word, const char *problem)
{
	int len = (int)strlen(word), shown = len;

	if (len > WORD_SHOWN)
		for (shown = WORD_SHOWN; shown > 0 && ((unsigned char)word[shown] & 0xc0) == 0x80;)
			shown--;
	snprintf(
	    out->problem, sizeof(out->problem), "%.*s%s: %s", shown, word, shown < len ? ".." : "", problem);
}

static void take_word(struct trace_filter *out, const char *word)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		size_t len = strlen(keys[i].key);
		if (strncmp(word, keys[i].key, len) != 0)
			continue;
		const char *problem = keys[i].take(out, word + len);
		if (problem != NULL)
			tell_problem(out, word, problem);
		return;
	}
	if (out->function[0] != '\0')
		strlcat(out->function, " ", sizeof(out->function));
	strlcat(out->function, word, sizeof(out->function));
	out->sites.function = out->function;
}

void trace_filter_read(struct trace_filter *out, const char *text)
{
	char words[TRACE_FILTER_TEXT], *rest = words, *word;

	*out = (struct trace_filter){0};
	strlcpy(words, text, sizeof(words));
	while ((word = strsep(&rest, " ")) != NULL)
		if (word[0] != '\0')
			take_word(out, word);
}
