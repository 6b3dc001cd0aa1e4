/* sites_tree.c - the call tree of the memtrace view: its keys, and the lines around its picture. */
#include "ui/views/sites_state.h"

#include "print/number.h"

/* The meanings of a bar's width. */
#define WEIGHTS (SITES_WEIGHT_GROWTH + 1)
static const struct {
	const char *name;
	bool needs_mark;
} weights[WEIGHTS] = {
    [SITES_WEIGHT_SAMPLES] = {"allocated", false},
    [SITES_WEIGHT_LIVE] = {"live", false},
    [SITES_WEIGHT_PROMOTED] = {"promoted", false},
    [SITES_WEIGHT_NEW] = {"allocated since the mark", true},
    [SITES_WEIGHT_GROWTH] = {"growth of what is live since the mark", true},
};

/* Choose the next weight. */
static unsigned next_weight(struct sites_state *state)
{
	/* In the order of the usual questions: what is live, where it comes from, what stays. */
	static const enum sites_weight order[WEIGHTS] = {SITES_WEIGHT_LIVE, SITES_WEIGHT_SAMPLES,
	    SITES_WEIGHT_PROMOTED, SITES_WEIGHT_GROWTH, SITES_WEIGHT_NEW};
	unsigned at = 0;

	while (at < WEIGHTS - 1 && order[at] != state->weight)
		at++;
	do
		at = (at + 1) % WEIGHTS;
	while (weights[order[at]].needs_mark && !state->totals.marked);
	state->weight = order[at];
	return UI_DIRTY;
}

static const char *name_of(const void *names_, uint32_t function, char buf[CALL_NAME_SIZE])
{
	const struct sites_names *names = names_;

	_Static_assert(CALL_NAME_SIZE >= SITES_NAME_SIZE, "a name that is made up");
	return function < names->function_count ? sites_function_name(&names->functions[function], buf) : "";
}

static const char *label_of(const void *names_, uint32_t function)
{
	const struct sites_names *names = names_;
	const char *name = function < names->function_count ? names->functions[function].name : NULL;

	return name != NULL ? name : "";
}

static enum call_family family_of(const void *names, uint32_t function)
{
	char buf[CALL_NAME_SIZE];

	return call_family_of_name(name_of(names, function, buf));
}

static struct call_names names_of(const struct subject *s)
{
	return (struct call_names){
	    .ctx = sites_names(s->trace->sites), .name = name_of, .label = label_of, .family = family_of};
}

unsigned sites_tree_act(struct ui *ui, const struct subject *subject, enum ui_action action)
{
	struct sites_state *state = sites_own(ui);
	struct view_place *place = &ui->places[VIEW_SITES];
	const struct call_names names = names_of(subject);

	sites_state_bars(ui, subject);
	if (action == ACTION_BACK) {
		state->tree = call_tree_back(&state->calls, place->search, place->filter);
		return UI_DIRTY;
	}
	if (action == ACTION_WEIGHT)
		return next_weight(state);
	return call_tree_act(&state->calls, &names, place->search, action, &ui->missed);
}

/* ---- the picture ---- */

/* Describe the selected frame. */
static void draw_details(
    const struct subject *s, struct sites_state *state, struct canvas *canvas, struct rect area)
{
	const struct calls_bars *bars = &state->calls.bars;
	const struct sites_names *names = sites_names(s->trace->sites);
	int bar = call_tree_selected(&state->calls);
	/* Growth excludes sites that shrank, so there is no total to relate to. */
	bool estimated = state->weight != SITES_WEIGHT_GROWTH;
	uint64_t all = estimated ? sites_weigh(&state->counts, state->weight) : 0;
	uint64_t total = bar < 0 ? bars->total : bars->bars[bar].total;
	uint64_t own = bar < 0 ? 0 : bars->bars[bar].self;
	int outer = call_tree_outside(bars, bar);
	const uint32_t function = call_tree_function(&state->calls, bar);
	const uint64_t around = outer < 0 ? bars->total : bars->bars[outer].total;
	char buf[CALL_NAME_SIZE];

	const struct line_item what[] = {
	    line_value(function == SITES_NONE ? "all frames" : name_of(names, function, buf), STYLE_TITLE, 0),
	    line_value(
		function < names->function_count ? names->functions[function].file : "", STYLE_MUTED, 1)};
	line_draw(canvas, rect_cut_top(&area, 1), 2, what, 2);
	const struct sites_text size =
	    sites_text_tight(sites_text_words(state, sites_words(total, state->totals.rate)));
	const struct sites_text self =
	    sites_text_tight(sites_text_words(state, sites_words(own, state->totals.rate)));
	const struct formatted plain =
	    format_if(state->totals.rate > 0, sites_words_alone(state, (double)total / state->totals.rate));
	const struct formatted shares[] = {format_share(total, all), format_share(total, around)};
	const struct line_item of_all = line_labelled(shares[0].s, "of all", 1),
			       of_frame = line_labelled(shares[1].s, "of the frame it is in", 2);
	const struct line_item items[] = {line_value(estimated ? size.s : plain.s, STYLE_VALUE, 0),
	    line_if(all != total && all != 0, line_styles(of_all, STYLE_VALUE, STYLE_LABEL)),
	    line_if(bar >= 0, line_styles(of_frame, STYLE_VALUE, STYLE_LABEL)),
	    line_if(estimated && own > 0, line_labelled("itself", self.s, 3))};
	line_draw(canvas, rect_cut_top(&area, 1), 2, items, 4);
}

void sites_tree_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area)
{
	struct sites_state *state = sites_own(ui);

	if (weights[state->weight].needs_mark && !state->totals.marked)
		state->weight = SITES_WEIGHT_LIVE;
	sites_state_rows(ui, subject);
	sites_state_bars(ui, subject);
	const struct call_names names = names_of(subject);
	const struct sites_text text =
	    sites_text_words(state, sites_words(state->calls.bars.total, state->totals.rate));
	const char *weight = weights[state->weight].name;
	char width[96];

	snprintf(width, sizeof(width), "%s %s", weight,
	    state->weight == SITES_WEIGHT_GROWTH
		? sites_words_alone(state, (double)state->calls.bars.total / state->totals.rate).s
		: sites_text_tight(text).s);
	const struct call_page page = {width, "sites", " unknown ", "nothing to show by this width", weight};
	const struct rect details =
	    call_tree_draw(&state->calls, &names, &page, ui->places[VIEW_SITES].search, canvas, area);
	if (!rect_empty(details))
		draw_details(subject, state, canvas, details);
}
