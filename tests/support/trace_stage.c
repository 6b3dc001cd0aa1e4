/*
 * trace_stage.c - see trace_stage.h.
 */
#include "support/trace_stage.h"

#include "support/test.h"

/* Put a file on the screen. */
void trace_stage_init(struct trace_stage *t, const char *name, bool alone, int rows, int cols)
{
	struct stage *s = &t->stage;

	*t = (struct trace_stage){.alone = alone, .file = data_file(name)};
	CHECK_INT(rtev_memtrace_open_memory(&t->reader, t->file.data, t->file.size, NULL), RTEV_OK);
	CHECK_INT(sites_create(&t->sites, rtev_memtrace_info(t->reader), NULL), RTEV_OK);
	if (alone) {
		s->subject = (struct subject){.now = STORY_END, .clock = "18:31:04", .exit_status = -1};
		/* All but those of a replay. */
		s->ui = ui_create(
		    &(struct ui_options){.view = VIEW_SITES, .offers = story_offers(STORY_APP_LIVE)});
		s->canvas = canvas_create(rows, cols);
		CHECK(s->ui != NULL && s->canvas != NULL);
	} else {
		stage_init(s, 3, rows, cols);
	}
	t->trace = (struct subject_trace){.path = name,
	    .sites = t->sites,
	    .info = rtev_memtrace_info(t->reader),
	    .generation = 1,
	    .size = t->file.size,
	    .exists = true,
	    .has_age = true,
	    .age_ns = 42000000000};
	s->subject.trace = &t->trace;
	trace_stage_read(t, 0);
}

/* Clear the stage. */
void trace_stage_fini(struct trace_stage *t)
{
	if (t->alone) {
		free(t->stage.screen);
		canvas_destroy(t->stage.canvas);
		ui_destroy(t->stage.ui);
	} else {
		stage_fini(&t->stage);
	}
	sites_destroy(t->sites);
	rtev_memtrace_close(t->reader);
	bytes_free(&t->file);
}

/* Take in events. */
void trace_stage_read(struct trace_stage *t, uint64_t events)
{
	const struct rtev_memtrace_event *event;

	t->trace.reading = true;
	for (; events > 0 && t->trace.reading; events--) {
		t->trace.reading = rtev_memtrace_next(t->reader, &event) == RTEV_OK;
		if (!t->trace.reading)
			break;
		CHECK_INT(sites_event(t->sites, t->reader, event), RTEV_OK);
		t->trace.events++;
	}
	t->trace.position = rtev_memtrace_position(t->reader);
	ui_draw(t->stage.ui, story_told(&t->stage.subject), t->stage.canvas);
}

/* Carry out what the ui has asked for. */
bool trace_stage_requests(struct trace_stage *t)
{
	enum ui_action action;
	bool marked = false;

	while ((action = ui_asked(t->stage.ui)) != ACTION_NONE)
		if (action == ACTION_MARK) {
			sites_mark(t->sites);
			marked = true;
		}
	return marked;
}

void trace_stage_type(struct trace_stage *t, const char *text)
{
	stage_type(&t->stage, text);
	trace_stage_requests(t);
}
