/*
 * threads.c - see threads.h.
 */
#include "ui/views/threads.h"

#include <math.h>
#include <stdio.h>

#include "print/number.h"
#include "ui/widgets/table.h"

enum { COLUMN_TID, COLUMN_NAME, COLUMN_STATE, COLUMN_CPU, COLUMN_WAIT, COLUMNS };

/* Columns of the screen: where each begins, and how wide it is. */
static const struct {
	const char *title;
	int width;
	enum align align;
} columns[COLUMNS] = {[COLUMN_TID] = {"thread", 9, ALIGN_LEFT},
    [COLUMN_NAME] = {"name", 16, ALIGN_LEFT},
    [COLUMN_STATE] = {"state", 6, ALIGN_LEFT},
    [COLUMN_CPU] = {"cpu", 6, ALIGN_RIGHT},
    [COLUMN_WAIT] = {"waits for a CPU", 16, ALIGN_RIGHT}};

/* Put a text into a column of a line; nothing once the line is full. */
static void put(struct canvas *canvas, struct rect *line, int column, enum style style, const char *text)
{
	struct rect cell = rect_cut_left(line, columns[column].width);

	if (cell.cols == columns[column].width)
		canvas_put_fit(canvas, cell.row, cell.col, cell.cols, columns[column].align, style, text);
	rect_cut_left(line, 1);
}

/* Draw one thread. */
static void draw_thread(struct canvas *canvas, struct rect line, const struct system_use *use)
{
	char tid[16], state[2] = {use->state, '\0'}, comm[SYSTEM_COMM_SIZE + 1];

	snprintf(tid, sizeof(tid), "%d", use->tid);
	snprintf(comm, sizeof(comm), "%.*s", SYSTEM_COMM_SIZE, use->comm);
	put(canvas, &line, COLUMN_TID, STYLE_TEXT, tid);
	put(canvas, &line, COLUMN_NAME, STYLE_TEXT, comm);
	put(canvas, &line, COLUMN_STATE, STYLE_MUTED, state);
	put(canvas, &line, COLUMN_CPU, STYLE_VALUE, format_percent(use->cpu).s);
	put(canvas, &line, COLUMN_WAIT, STYLE_VALUE, format_percent(use->wait).s);
}

void threads_draw(const struct subject *s, struct canvas *canvas, struct rect area)
{
	struct system_use uses[SYSTEM_THREADS];
	size_t count = system_past_threads(watch_system(s->watch), uses, SYSTEM_THREADS);
	struct rect head, names;

	if (count == 0)
		return;
	head = rect_cut_top(&area, 1);
	canvas_put_fit(canvas, head.row, head.col, head.cols, ALIGN_LEFT, STYLE_TITLE,
	    s->state == SUBJECT_EXITED ? "Threads of the process, as they were last seen"
				       : "Threads of the process; which domain runs on which is not told");
	names = rect_cut_top(&area, 1);
	for (int c = 0; c < COLUMNS; c++)
		put(canvas, &names, c, STYLE_HEADER, columns[c].title);
	for (size_t i = 0; i < count && area.rows > 0; i++)
		draw_thread(canvas, rect_cut_top(&area, 1), &uses[i]);
}
