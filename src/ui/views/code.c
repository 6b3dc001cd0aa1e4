/*
 * code.c - view c: the code that the program executes, from samples: a table of functions, or a tree of
 * calls.
 *
 * Shares have the error due to the number of samples: half of their 95 % interval, in points.  The
 * collector's share is of the samples of a function only.
 */
#include "print/number.h"
#include "ui/views/code_state.h"
#include "ui/views/tabular.h"
#include "ui/widgets/line.h"

#define CODE_COLUMNS(X)                                                                                      \
	X(FUNCTION, "function", 30, 32, LEFT, 0, GROWS,                                                      \
	    cell_styled(cell_text(f->name), f->c ? STYLE_MUTED : STYLE_TEXT))                                \
	X(PLACE, "file", 10, 20, LEFT, 7, FIXED, cell_styled(cell_text(place_text(f).s), STYLE_MUTED))       \
	X(SELF, "self", 10, 11, RIGHT, 0, FIXED, share_cell(row->self.on, all->on, row->spread))             \
	X(TOTAL, "total", 10, 11, RIGHT, 1, FIXED, share_cell(total.part, total.all, row->spread))           \
	X(OUTSIDE, "not GC", 7, 8, RIGHT, 4, FIXED,                                                          \
	    share_cell(profile_weigh(&row->total, PROFILE_W_OUTSIDE), row->total.known, 0))                  \
	X(GC, "in GC", 6, 7, RIGHT, 2, FIXED, share_cell(row->total.gc, row->total.known, 0))                \
	X(OFF, "off CPU", 7, 8, RIGHT, 3, FIXED, share_cell(row->total.off, all->off, 0))                    \
	X(SAMPLES, "samples", 8, 8, RIGHT, 6, FIXED, cell_count(row->total.on))

TABLE_LIST(CODE_COLUMNS, columns, COLUMNS);

static const char *const weights[] = {[PROFILE_W_ON] = "on CPU",
    [PROFILE_W_OUTSIDE] = "on CPU outside GC",
    [PROFILE_W_GC] = "on CPU in GC",
    [PROFILE_W_OFF] = "off CPU"};
#define WEIGHTS (sizeof(weights) / sizeof(weights[0]))

/* ---- state ---- */

static void init(void *own)
{
	((struct code_state *)own)->domain = PROFILE_ALL;
}

static void fini(void *own)
{
	struct code_state *state = own;

	free(state->rows);
	calls_bars_fini(&state->calls.bars);
}

static struct code_basis basis_of(const struct code_state *state, const struct subject *s)
{
	return (struct code_basis){.profile = s->code->profile,
	    .generation = profile_generation(s->code->profile),
	    .domain = state->domain};
}

static bool same_basis(const struct code_basis *a, const struct code_basis *b)
{
	return a->profile == b->profile && a->generation == b->generation && a->domain == b->domain;
}

/* Update the rows of the table, and the totals. */
static void update_rows(struct code_state *state, const struct subject *s)
{
	const struct code_basis basis = basis_of(state, s);

	if (state->rows != NULL && same_basis(&basis, &state->rows_of))
		return;
	free(state->rows);
	state->rows_of = basis;
	state->lacking = !profile_rows(s->code->profile, state->domain, &state->rows, &state->row_count);
	profile_totals(s->code->profile, state->domain, &state->totals);
}

/* Recompute the bars of the tree if their input has changed. */
static void update_bars(struct code_state *state, const struct subject *s)
{
	const struct code_basis basis = basis_of(state, s);
	const struct calls_bars_options shape = call_tree_shape(&state->calls);

	update_rows(state, s);
	if (call_tree_current(&state->calls) && same_basis(&basis, &state->bars_of) &&
	    state->bars_weight == state->weight)
		return;
	calls_bars_fini(&state->calls.bars);
	state->bars_of = basis;
	state->bars_weight = state->weight;
	call_tree_computed(&state->calls);
	state->lacking =
	    !profile_bars(s->code->profile, state->domain, state->weight, &shape, &state->calls.bars);
}

/* ---- texts ---- */

struct code_text {
	char s[48];
};

/* Format a share of samples and its error, `spread` times that of independent samples, padded so that shares line up: "12.3% ±1.2". */
static struct formatted share_text(uint64_t part, uint64_t all, double spread)
{
	double points = 100 * spread * profile_error(part, all);

	return all == 0 ? format_unknown()
			: format_said("%s ±%.*f", format_share(part, all).s, points < 9.95 ? 1 : 0,
			      points > 0 && points < 0.1 ? 0.1 : points);
}

/* Return the place of a function: "foo.ml:6"; "C" if the file is not known. */
static struct code_text place_text(const struct profile_function *f)
{
	struct code_text text = {""};
	const char *file = f->file != NULL ? strrchr(f->file, '/') : NULL;

	file = file != NULL ? file + 1 : f->file;
	if (file != NULL && f->line != 0)
		snprintf(text.s, sizeof(text.s), "%.*s:%u", utf8_fit(file, strlen(file), 32), file,
		    (unsigned)f->line);
	else
		snprintf(text.s, sizeof(text.s), "%.*s", file != NULL ? utf8_fit(file, strlen(file), 40) : 1,
		    file != NULL ? file
		    : f->c	 ? "C"
				 : "");
	return text;
}

static struct formatted domain_text(int domain)
{
	return domain == PROFILE_NO_DOMAIN ? format_said("threads of none")
	       : domain >= 0		   ? format_said("D%d", domain)
					   : format_said("all");
}

/* ---- the table ---- */

static int items(struct ui *ui, const struct subject *s)
{
	update_rows(code_own(ui), s);
	return code_own(ui)->row_count < TABULAR_ITEMS_MAX ? (int)code_own(ui)->row_count : TABULAR_ITEMS_MAX;
}

/* `spread` 0: without its error. */
static struct tabular_cell share_cell(uint64_t part, uint64_t all, double spread)
{
	const struct tabular_cell cell =
	    cell_text(spread > 0 ? share_text(part, all, spread).s : format_share(part, all).s);
	const double key = all != 0 ? (double)part / (double)all : (double)NAN;

	return cell_styled(cell_keyed(cell, key), part == 0 ? STYLE_MUTED : STYLE_TEXT);
}

static struct tabular_cell cell(struct ui *ui, const struct subject *s, int item, int column)
{
	const struct code_state *state = code_own(ui);
	const struct profile_counts *all = &state->totals.counts;

	if (item < 0 || (size_t)item >= state->row_count)
		return cell_empty();
	const struct profile_row *row = &state->rows[item];
	const struct profile_function *f = profile_function_of(s->code->profile, row->function);
	const struct profile_share total = profile_total(row, all);
	TABLE_RETURN(CODE_COLUMNS);
}

static int64_t identity(struct ui *ui, const struct subject *s, int item)
{
	return code_own(ui)->rows[item].function;
}

static const struct tabular code = {TABULAR_COLUMNS(columns), .sort = COLUMN_SELF, .empty = "no sample yet",
    .items = items, .cell = cell, .identity = identity};

/* ---- the tree ---- */

static const char *name_of(const void *profile, uint32_t function, char buf[CALL_NAME_SIZE])
{
	return profile_function_of(profile, function)->name;
}

static const char *label_of(const void *profile, uint32_t function)
{
	return profile_function_of(profile, function)->name;
}

static enum call_family family_of(const void *profile, uint32_t function)
{
	const struct profile_function *f = profile_function_of(profile, function);

	return f->c ? CALL_UNKNOWN : call_family_of_name(f->name);
}

static struct call_names names_of(const struct subject *s)
{
	return (struct call_names){
	    .ctx = s->code->profile, .name = name_of, .label = label_of, .family = family_of};
}

static unsigned tree_act(struct ui *ui, const struct subject *s, enum ui_action action)
{
	struct code_state *state = code_own(ui);
	struct view_place *place = &ui->places[VIEW_CODE];
	const struct call_names names = names_of(s);

	update_bars(state, s);
	if (action == ACTION_BACK) {
		state->tree = call_tree_back(&state->calls, place->search, NULL);
		return UI_DIRTY;
	}
	if (action == ACTION_CODE_WEIGHT) {
		state->weight = (enum profile_weight)((state->weight + 1) % WEIGHTS);
		return UI_DIRTY;
	}
	return call_tree_act(&state->calls, &names, place->search, action, &ui->missed);
}

/* Draw the lines about the selected frame. */
static void draw_frame(
    struct code_state *state, const struct subject *s, struct canvas *canvas, struct rect area)
{
	const struct calls_bars *bars = &state->calls.bars;
	int bar = call_tree_selected(&state->calls);
	uint64_t all = profile_weigh(&state->totals.counts, state->weight);
	uint64_t total = bar < 0 ? bars->total : bars->bars[bar].total;
	const uint32_t function = call_tree_function(&state->calls, bar);
	const struct profile_function *f =
	    function != CALLS_NONE ? profile_function_of(s->code->profile, function) : NULL;
	const struct formatted share = share_text(total, all, 1);
	const struct code_text place = f != NULL ? place_text(f) : (struct code_text){""};
	const uint64_t self = bar < 0 ? 0 : bars->bars[bar].self;
	const struct line_item what[] = {line_value(f != NULL ? f->name : "all code", STYLE_TITLE, 0),
	    line_value(f != NULL ? place.s : NULL, STYLE_MUTED, 1)};
	const struct line_item how[] = {line_value(share.s, STYLE_VALUE, 0),
	    line_figure("samples", format_count(total), 1),
	    line_if(self > 0, line_figure("itself", format_share(self, all), 2))};

	line_draw(canvas, rect_cut_top(&area, 1), 2, what, 2);
	line_draw(canvas, rect_cut_top(&area, 1), 2, how, 3);
}

static void draw_tree(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect area)
{
	struct code_state *state = code_own(ui);
	const struct call_names names = names_of(s);
	const char *weight = weights[state->weight];
	const struct call_page page = {weight, "functions", " C ", "no sample of this kind", weight};

	update_bars(state, s);
	const struct rect details =
	    call_tree_draw(&state->calls, &names, &page, ui->places[VIEW_CODE].search, canvas, area);
	if (!rect_empty(details))
		draw_frame(state, s, canvas, details);
}

/* ---- the view ---- */

/* Draw a summary: samples, what is missing, and the chosen domain. */
static void draw_summary(
    const struct code_state *state, const struct subject *s, struct canvas *canvas, struct rect line)
{
	const struct profile_counts *c = &state->totals.counts;
	const struct formatted domain = domain_text(state->domain);
	const struct line_item lost = line_figure("lost", format_count(s->code->lost), 1),
			       late = line_figure("read late", format_count(s->code->late), 1),
			       first =
				   line_figure("at real-time priority", format_count(s->code->real_time), 1),
			       left = line_figure("threads left out", format_count(s->code->left_out), 1),
			       unseen = line_figure("ran unseen", format_count(c->unseen), 1);
	const bool off = !s->code->on && s->replay == NULL;
	const struct line_item items_[] = {line_labelled("domains", domain.s, 0),
	    line_figure("on CPU", format_count(c->on), 0),
	    line_if(
		c->on != 0, line_said("error", 3, "±%.1f at 50%%", 100 * profile_error(c->on / 2, c->on))),
	    line_figure("in GC", format_share(c->gc, c->known), 2),
	    line_figure("off CPU", format_count(c->off), 4),
	    line_if(
		c->incomplete != 0, line_figure("caller not known", format_share(c->incomplete, c->on), 1)),
	    line_if(c->unseen != 0, line_styled(unseen, STYLE_WARN)),
	    line_if(s->code->lost != 0, line_styled(lost, STYLE_WARN)),
	    line_if(s->code->late != 0, line_styled(late, STYLE_WARN)),
	    line_if(s->code->real_time != 0, line_styled(first, STYLE_WARN)),
	    line_if(s->code->left_out != 0, line_styled(left, STYLE_WARN)),
	    line_if(off, line_right(line_value("off: C samples", STYLE_MUTED, 5)))};

	line_draw(canvas, line, 2, items_, sizeof(items_) / sizeof(items_[0]));
}

static void draw(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	struct code_state *state = code_own(ui);

	update_rows(state, s);
	if (state->locks) {
		code_locks_draw(ui, s, canvas, body);
		return;
	}
	const char *more = profile_more(&state->totals.counts, s->code->slow);
	if (body.rows > 3)
		draw_summary(state, s, canvas, rect_cut_top(&body, 1));
	if (s->code->blind[0] != '\0')
		words_draw(canvas, &body, "", 0, STYLE_WARN, s->code->blind);
	if (s->code->on && more != NULL)
		words_draw(canvas, &body, "", 0, STYLE_MUTED, more);
	if (state->lacking)
		canvas_put_fit(canvas, body, ALIGN_LEFT, STYLE_BAD, "out of memory: this can't be shown");
	else if (state->tree)
		draw_tree(ui, s, canvas, body);
	else
		tabular_draw(ui, s, &code, canvas, body);
}

/* Choose the next domains: all, those with samples, threads without one. */
static unsigned next_domain(struct code_state *state, const struct subject *s)
{
	int domain = state->domain == PROFILE_ALL	  ? -1
		     : state->domain == PROFILE_NO_DOMAIN ? MODEL_DOMAINS_MAX
							  : state->domain;

	while (++domain < MODEL_DOMAINS_MAX && !profile_has(s->code->profile, domain))
		;
	state->domain =
	    domain < MODEL_DOMAINS_MAX ? domain
	    : state->domain != PROFILE_NO_DOMAIN && profile_has(s->code->profile, PROFILE_NO_DOMAIN)
		? PROFILE_NO_DOMAIN
		: PROFILE_ALL;
	return UI_DIRTY;
}

/* Go from the table of functions to the tree, the table of locks, and back; each table keeps the user's
 * position. */
static unsigned next_page(struct ui *ui)
{
	struct code_state *state = code_own(ui);
	const struct view_place here = *ui_place(ui);

	if (!state->tree && !state->locks) {
		state->tree = true;
		return UI_DIRTY;
	}
	*ui_place(ui) = state->been ? state->kept : (struct view_place){.item = -1, .sort = -1};
	state->kept = here;
	state->been = true;
	state->tree = false;
	state->locks = !state->locks;
	return UI_DIRTY | UI_RELAYOUT;
}

static unsigned act(struct ui *ui, const struct subject *s, enum ui_action action)
{
	struct code_state *state = code_own(ui);

	if (action == ACTION_CODE_DOMAIN)
		return next_domain(state, s);
	if (action == ACTION_CODE_PAGE)
		return next_page(ui);
	if (state->locks)
		return action != ACTION_OPEN ? tabular_act(ui, s, &code_locks, action) : UI_NOTHING;
	if (state->tree)
		return tree_act(ui, s, action);
	if (action != ACTION_OPEN)
		return tabular_act(ui, s, &code, action);
	int item = tabular_selected(ui);
	if (item < 0 || (size_t)item >= state->row_count)
		return UI_NOTHING;
	call_tree_open(&state->calls, state->rows[item].function);
	state->tree = true;
	return UI_DIRTY;
}

static bool there(const struct ui *ui, const struct subject *s, enum ui_action action)
{
	const struct code_state *state = code_own(ui);

	return call_tree_offers(state->tree, action) &&
	       !(state->locks && (action == ACTION_CODE_DOMAIN || action == ACTION_OPEN));
}

const struct view_ops view_code = {.table = &code,
    .size = sizeof(struct code_state),
    .init = init,
    .fini = fini,
    .there = there,
    .draw = draw,
    .act = act};
