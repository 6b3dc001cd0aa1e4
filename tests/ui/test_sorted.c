/*
 * test_sorted.c - what is not known stands last, whatever column a table is sorted by and in whichever direction.
 */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "support/code_story.h"
#include "support/trace_stage.h"
#include "ui/view.h"

#define WORD 64

/* Read the last word of a cell, "" where it is blank. */
static void last_word(const struct canvas *canvas, struct rect cell, char out[WORD])
{
	size_t used = 0;
	bool ended = true;

	for (int c = 0; c < cell.cols && used + 5 < WORD; c++) {
		const struct canvas_cell *at = &canvas_row(canvas, cell.row)[cell.col + c];
		if (at->columns == 0 || at->text[0] == ' ' || at->text[0] == 0) {
			ended = true;
			continue;
		}
		used = ended ? 0 : used;
		ended = false;
		out[used++] = at->text[0] < 0x80 ? (char)at->text[0] : '#';
	}
	out[used] = '\0';
}

static bool is_unknown(const char *word)
{
	return word[0] == '\0' || strcmp(word, "-") == 0 || strcmp(word, "?") == 0;
}

/* The heads of the last drawing, and the rows that belong to them. */
static const struct spot *sorted_head(const struct ui *ui, const struct spot **rows)
{
	const struct spot *head = NULL;

	for (int i = 0; i < ui->spot_count; i++) {
		if (ui->spots[i].kind == SPOT_HEAD && ui->spots[i].sorted)
			head = &ui->spots[i];
		if (ui->spots[i].kind == SPOT_ROWS && head != NULL) {
			*rows = &ui->spots[i];
			return head;
		}
	}
	return NULL;
}

/* Sort the table by each column and both ways; returns in how many orders some lines were known and some not. */
static int check_table(struct stage *s, const char *view)
{
	const struct spot *rows = NULL;
	char word[WORD];
	int mixed = 0;

	if (ui_place(s->ui)->sort < 0)
		ui_place(s->ui)->sort = 0;
	ui_draw(s->ui, story_told(&s->subject), s->canvas);
	for (int order = 0; order < 2 * TABLE_COLUMNS_MAX; order++) {
		const struct spot *head = sorted_head(s->ui, &rows);
		if (head == NULL && rows == NULL && order == 0)
			TEST_FAIL("view %s: no table that is sorted:\n%s", view, canvas_dump(s->canvas));
		rows->place->sort = order / 2;
		rows->place->ascending = order % 2 != 0;
		ui_draw(s->ui, story_told(&s->subject), s->canvas);
		if ((head = sorted_head(s->ui, &rows)) == NULL) {
			/* A column that is not there, or not to be sorted by: back to one that is. */
			struct view_place *place = ui_place(s->ui);
			place->sort = 0;
			ui_draw(s->ui, story_told(&s->subject), s->canvas);
			sorted_head(s->ui, &rows);
			continue;
		}
		int known = 0, unknown = 0;
		for (int r = 0; r < rows->area.rows; r++) {
			last_word(s->canvas,
			    rect_make(rows->area.row + r, head->area.col, 1, head->area.cols), word);
			known += !is_unknown(word);
			unknown += is_unknown(word);
			if (!is_unknown(word) && unknown > 0)
				TEST_FAIL("view %s, column %d, %s: known behind unknown:\n%s", view,
				    head->value, order % 2 ? "ascending" : "descending",
				    canvas_dump(s->canvas));
		}
		mixed += known > 0 && unknown > 0;
	}
	return mixed;
}

/* Views of a target that did everything, by the keys that lead there.  The log is in the order of time by any column. */
TEST(views)
{
	static const struct {
		const char *keys;
		int mixed; /* orders at least in which something is not known */
	} views[] = {{"2", 8}, {"3t", 0}, {"4", 8}, {"4\n", 0}, {"5", 0}, {"6", 0}, {"f", 4}, {"f\n", 0}};

	for (size_t v = 0; v < sizeof(views) / sizeof(views[0]); v++) {
		struct stage s = stage_begin(5, 60, 240);
		if (views[v].keys[0] == 'f')
			story_cancel(&s);
		stage_type(&s, views[v].keys);
		int mixed = check_table(&s, views[v].keys);
		if (mixed < views[v].mixed)
			TEST_FAIL("view %s: %d orders with something unknown:\n%s", views[v].keys, mixed,
			    canvas_dump(s.canvas));
		stage_fini(&s);
	}
}

/* Stops to which one domain always came last, so that of another it is not known how late it came. */
TEST(stops)
{
	struct stage s = stage_begin(5, 60, 240);
	uint64_t ts = s.subject.now;
	watch_destroy(s.watch);
	s.watch = watch_create(&(struct watch_options){.attach_ts = ts});
	CHECK(s.watch != NULL);
	s.subject.watch = s.watch;
	s.subject.advice = NULL;
	struct model *m = watch_model(s.watch);
	for (int i = 0; i < 20; i++, ts += 10 * STORY_MS)
		for (unsigned d = 0; d < 3; d++) {
			s.calls.begin(
			    m, d, ts + d * STORY_MS, d == 0 ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER);
			s.calls.begin(m, d, ts + d * STORY_MS, RTEV_PHASE_STW_API_BARRIER);
			s.calls.end(m, d, ts + 3 * STORY_MS, RTEV_PHASE_STW_API_BARRIER);
			s.calls.end(
			    m, d, ts + 4 * STORY_MS, d == 0 ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER);
		}
	stage_go_on(&s, 1000);
	stage_key(&s, '6');
	CHECK(check_table(&s, "6") >= 6);
	stage_fini(&s);
}

TEST(overview)
{
	static struct subject_process processes[4];
	struct stage s = stage_begin(3, 40, 240);
	for (int i = 0; i < 4; i++) {
		const double value = i % 2 == 0 ? NAN : 0.1 * i;
		processes[i] = (struct subject_process){.pid = 10 + i,
		    .parent = 1,
		    .name = i % 2 != 0 ? "server" : "batch",
		    .user = i == 1 ? NULL : "www",
		    .ocaml = i == 2 ? NULL : "5.3.0",
		    .state = "live",
		    .finding = i % 2 == 0 ? NULL : "minor_heap_small",
		    .live = true,
		    .figures.running = value,
		    .figures.cpu = value,
		    .figures.all.gc_share = value,
		    .figures.all.minors = value,
		    .figures.all.majors = value,
		    .figures.all.pause_p99 = value,
		    .figures.all.pause_max = value,
		    .figures.all.allocated = value,
		    .figures.all.promoted = value,
		    .figures.all.heap_bytes = value,
		    .figures.heap_growth = value,
		    .figures.resident_bytes = value,
		    .figures.lost_words = value};
	}
	s.subject.watch = NULL;
	s.subject.processes = processes;
	s.subject.process_count = 4;
	CHECK(check_table(&s, "overview") >= 20);
	stage_fini(&s);
}

TEST(sites)
{
	struct trace_stage t;

	trace_stage_init(&t, "lists_and_sets.ctf", true, 60, 240);
	trace_stage_read(&t, UINT64_MAX);
	CHECK(check_table(&t.stage, "9") >= 2);
	trace_stage_fini(&t);
}

TEST(code)
{
	struct stage s = stage_begin(3, 60, 240);
	struct profile *profile = code_story(STORY_BEGIN, STORY_END);
	struct subject_code code = {.profile = profile, .on = true, .hz = 99};
	s.subject.code = &code;
	stage_key(&s, 'c');
	check_table(&s, "c");
	stage_fini(&s);
	profile_destroy(profile);
}
