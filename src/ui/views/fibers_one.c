/* fibers_one.c - a fiber in view f: its activity, the object for which it waits, the holder of that, and the
 * fibers that wait for it. */
#include "ui/views/fibers.h"

#include "core/sum.h"
#include "core/utf8.h"
#include "print/number.h"
#include "ui/layout.h"
#include "ui/views/why.h"
#include "ui/widgets/line.h"

#define LABEL_COLUMNS 11
#define CONTEXTS_SHOWN 16u
#define LATELY_NS UINT64_C(10000000000)
#define NAMED_SHOWN 8u /* fibers named in a line */

static const struct fiber_row *row_of(const struct ui *ui, uint64_t id)
{
	for (size_t i = 0; i < fibers_own(ui)->row_count; i++)
		if (fibers_own(ui)->rows[i].id == id)
			return &fibers_own(ui)->rows[i];
	return NULL;
}

/* Describe the state of a fiber: "fiber 12 (server/conn) on D0: blocked in sleep for 3.2s". */
static void where_text(const struct fiber_row *row, char *out, size_t size)
{
	const struct tabular_cell doing = fibers_cell_doing(row);
	char buf[FIBER_PATH_SIZE];
	const char *path = fiber_path_text(row->path, buf, sizeof(buf));

	snprintf(out, size, "fiber %" PRIu64 " (%.*s) on D%u: %s%s%s%s", row->id,
	    utf8_fit(path, strlen(path), 200), path, row->domain,
	    row->state == FIBER_BLOCKED ? "blocked in " : "", doing.text, row->since_ns > 0 ? " for " : "",
	    row->since_ns > 0 ? format_duration(row->since_ns).s : "");
}

/* List the fibers that wait for the object of `row`, or (`holder`) for one that it holds; "": none. */
static void queue_text(const struct ui *ui, const struct fiber_row *row, bool holder, char *out, size_t size)
{
	size_t count = 0, at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < fibers_own(ui)->row_count; i++) {
		const struct fiber_row *other = &fibers_own(ui)->rows[i];
		bool queued = holder ? other->held && other->holder == row->id
				     : row->wants && other->wants && other->object == row->object;
		if (other->state != FIBER_BLOCKED || other == row || !queued)
			continue;
		if (count++ < NAMED_SHOWN && at < size)
			at += (size_t)snprintf(
			    out + at, size - at, "%s%" PRIu64, at > 0 ? ", " : "", other->id);
	}
	if (count > NAMED_SHOWN && at < size)
		snprintf(out + at, size - at, " and %zu more", count - NAMED_SHOWN);
}

/* List the contexts of a fiber, the innermost first. */
static void contexts_text(const struct subject *s, uint64_t id, char *out, size_t size)
{
	struct fiber_context contexts[CONTEXTS_SHOWN];
	size_t count = fibers_contexts(s->fibers, id, contexts, CONTEXTS_SHOWN), at = 0;

	snprintf(out, size, "not known");
	for (size_t i = 0; i < count && at < size; i++) {
		const struct fiber_context *c = &contexts[i];
		at += (size_t)snprintf(out + at, size - at, "%s%s %" PRIu64 "%s%.*s%s", i > 0 ? " in " : "",
		    fiber_kind_word(c->kind), c->id, c->name.text != NULL ? " " : "", (int)c->name.len,
		    c->name.text != NULL ? c->name.text : "", c->cancelled ? " (cancelled)" : "");
	}
	if (count == CONTEXTS_SHOWN && contexts[count - 1].kind != FIBER_CONTEXT_ROOT && at < size)
		snprintf(out + at, size - at, " in more");
}

/* Draw the longest runs of a fiber that are known. */
static void draw_runs(
    const struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect *body, uint64_t id)
{
	for (size_t i = 0; i < fibers_own(ui)->report.longest_count; i++) {
		const struct fiber_run *run = &fibers_own(ui)->report.longest[i];
		char text[FIBERS_TEXT + 128], lock[LOCK_ROW_TEXT], clock[SUBJECT_CLOCK];
		if (run->fiber != id)
			continue;
		bool known = subject_clock(s, run->ts, 3, clock);
		const bool locked = lock_waited_words(s->locks, run->domain, run->ts, run->duration, lock);
		snprintf(text, sizeof(text), "%s%s%s, %s of it GC%s%s%s%.*s",
		    format_duration(run->duration).s, known ? " at " : "", clock,
		    format_duration(run->gc_ns).s, locked ? ", " : "", lock,
		    run->span.text != NULL ? ", span " : "", (int)run->span.len,
		    run->span.text != NULL ? run->span.text : "");
		words_draw(canvas, body, "long run", LABEL_COLUMNS, STYLE_TEXT, text);
		if (s->code != NULL && profile_between_text(s->code->profile, (int)run->domain, run->ts,
					   sum_saturating(run->ts, run->duration), text, sizeof(text)))
			words_draw(canvas, body, "its code", LABEL_COLUMNS, STYLE_TEXT, text);
	}
}

/* Draw the holder of the object for which a fiber waits, the fiber that this one waits for, and so on. */
static void draw_chain(
    const struct ui *ui, struct canvas *canvas, struct rect *body, const struct fiber_row *row)
{
	char text[UI_COPY_MAX];

	for (unsigned i = 0; i < FIBERS_CHAIN && row != NULL && row->held; i++) {
		const struct fiber_row *holder = row_of(ui, row->holder);
		snprintf(
		    text, sizeof(text), "fiber %" PRIu64 ", which has ended or is not known", row->holder);
		if (holder != NULL)
			where_text(holder, text, sizeof(text));
		words_draw(canvas, body, i == 0 ? "held by" : "and that", LABEL_COLUMNS, STYLE_WARN, text);
		row = holder;
	}
}

/* Explain the wait of a fiber, by its object and by the activity of the object's holder. */
static struct why explain_wait(struct ui *ui, const struct subject *s, const struct fiber_row *row)
{
	const bool lock = row->kind == FIBER_MUTEX || row->kind == FIBER_SEMAPHORE;
	struct why why = {
	    .there = true, .kept = row->since_ns > 0, .known = row->held, .split.of = row->since_ns};
	const struct fiber_row *holder = row;

	why.split.ns[lock ? SPLIT_LOCK : SPLIT_BLOCKED] = row->since_ns;
	for (unsigned i = 0; i < FIBERS_CHAIN && holder != NULL && holder->held; i++)
		holder = row_of(ui, holder->holder);
	if (!row->held) {
		why.known = row->op.len == 5 && memcmp(row->op.text, "sleep", 5) == 0;
		strlcpy(why.likely,
		    why.known ? "it sleeps until its time has come"
			      : "no fiber is told to have what it waits for: it comes from the system, or "
				"from any of them",
		    sizeof(why.likely));
	} else if (holder == NULL) {
		snprintf(why.likely, sizeof(why.likely), "who holds it up has ended or is not known");
		why.known = false;
	} else {
		where_text(holder, why.likely, BLAME_TEXT);
		if (holder->state != FIBER_RUNNING || holder->since_ns == 0)
			return why;
		const struct why run =
		    why_read_pause(ui, s, holder->domain, s->now - holder->since_ns, s->now, MODEL_NO_USER);
		strlcat(why.likely, ": ", sizeof(why.likely));
		strlcat(why.likely, run.likely, sizeof(why.likely));
	}
	return why;
}

/* Explain the time of a fiber's run, or of its wait. */
static struct why explain(struct ui *ui, const struct subject *s, const struct fiber_row *row)
{
	const uint64_t now = s->now, since = row->since_ns;

	if (row->state == FIBER_RUNNING && since > 0 && since < now)
		return why_read_pause(ui, s, row->domain, now - since, now, MODEL_NO_USER);
	return row->state == FIBER_BLOCKED ? explain_wait(ui, s, row) : (struct why){0};
}

static void draw_where(void *page, struct canvas *canvas, struct rect area)
{
	char text[UI_COPY_MAX];

	where_text(((const struct page *)page)->of, text, sizeof(text));
	words_draw(canvas, &area, "", 0, STYLE_TITLE, text);
}

/* Draw the facts about a fiber. */
static void draw_facts(void *page, struct canvas *canvas, struct rect area)
{
	const struct page *p = page;
	const struct fiber_row *row = p->of;
	char text[UI_COPY_MAX], path[FIBER_PATH_SIZE];

	if (row->wants) {
		fiber_object_text(row->kind, true, row->object, row->name, text, sizeof(text));
		words_draw(canvas, &area, "waits for", LABEL_COLUMNS, STYLE_TEXT, text);
	}
	const uint64_t now = p->s->now, lately = row->since_ns < LATELY_NS ? row->since_ns : LATELY_NS;
	if (row->state == FIBER_RUNNING &&
	    lock_waited_words(p->s->locks, row->domain, now > lately ? now - lately : 0, lately, text)) {
		if (lately < row->since_ns)
			strlcat(text, " of the last 10 s", sizeof(text));
		words_draw(canvas, &area, "its loop", LABEL_COLUMNS, STYLE_WARN, text);
	}
	draw_chain(p->ui, canvas, &area, row);
	queue_text(p->ui, row, false, text, sizeof(text));
	if (text[0] != '\0')
		words_draw(canvas, &area, "as do", LABEL_COLUMNS, STYLE_TEXT, text);
	queue_text(p->ui, row, true, text, sizeof(text));
	if (text[0] != '\0')
		words_draw(canvas, &area, "holds up", LABEL_COLUMNS, STYLE_WARN, text);
	words_draw(
	    canvas, &area, "path", LABEL_COLUMNS, STYLE_TEXT, fiber_path_text(row->path, path, sizeof(path)));
	contexts_text(p->s, row->id, text, sizeof(text));
	words_draw(canvas, &area, "contexts", LABEL_COLUMNS, STYLE_TEXT, text);
	snprintf(
	    text, sizeof(text), "%.*s", (int)row->span.len, row->span.text != NULL ? row->span.text : "");
	if (text[0] != '\0')
		words_draw(canvas, &area, "span", LABEL_COLUMNS, STYLE_TEXT, text);
	draw_runs(p->ui, p->s, canvas, &area, row->id);
	rect_cut_top(&area, 1);
	if (area.rows > 1 && fibers_own(p->ui)->row_count > 1)
		fibers_draw_rows(p->ui, p->s, canvas, area);
}

void fibers_draw_one(struct ui *ui, const struct subject *s, struct canvas *canvas, struct rect body)
{
	struct page p = {.ui = ui, .s = s, .of = row_of(ui, fibers_own(ui)->fiber)};

	if (p.of == NULL) {
		char text[96];
		snprintf(text, sizeof(text), "fiber %" PRIu64 " has ended, or is not known any more",
		    fibers_own(ui)->fiber);
		words_draw(canvas, &body, "", LABEL_COLUMNS, STYLE_TEXT, text);
		return;
	}
	p.why = explain(ui, s, p.of);
	const struct layout_section sections[] = {
	    {.tier = 1, .least = 1, .wish = 1, .most = 1, .draw = draw_where},
	    WHY_SECTION(2, p.why, body.cols),
	    {.tier = 2, .least = 1, .wish = LAYOUT_MOST, .most = LAYOUT_MOST, .draw = draw_facts},
	};
	layout_page(&p, sections, sizeof(sections) / sizeof(sections[0]), canvas, body);
}
