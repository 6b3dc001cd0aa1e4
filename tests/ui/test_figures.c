/*
 * test_figures.c - no number on any screen is cut: figures of 1 to 20 digits, in every view, at every width.
 *
 * A number that a narrow screen shows must stand, just so, on one that has room for everything.
 */
#include "support/offers.h"
#include "support/screen.h"
#include "support/test.h"

#include "ui/view.h"
#include "ui/views/span_page.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define BEGIN (1000 * SECOND)
#define DIGITS 20

/* What is shown: a target in which everything has `digits` digits, as far as that can be. */
struct show {
	uint64_t value;
	struct watch *watch;
	struct subject subject;
	struct subject_process processes[2];
	uint64_t unread[3];
	struct ui *ui;
};

/* The first digits of 9182736455463728190, or the most that fits. */
static uint64_t figure(int digits)
{
	uint64_t value = UINT64_C(9182736455463728190);

	if (digits > 19)
		return UINT64_C(18273645546372819083);
	for (int i = 19; i > digits; i--)
		value /= 10;
	return value;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What a domain sends, the same on each. */
static void feed(struct show *s, unsigned domain, uint64_t *last)
{
	static const rtev_counter gauges[] = {RTEV_COUNTER_MAJOR_HEAP_WORDS,
	    RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS, RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_WORDS,
	    RTEV_COUNTER_MAJOR_HEAP_LARGE_WORDS, RTEV_COUNTER_MAJOR_HEAP_POOL_FRAG_WORDS,
	    RTEV_COUNTER_MINOR_ALLOCATED, RTEV_COUNTER_MINOR_PROMOTED, RTEV_COUNTER_MAJOR_ALLOCATED_WORDS};
	struct rtev_callbacks calls;
	struct rtev_user_event span = {.id = 1, .generation = 1, .name_len = 4, .name = "span"},
			       count = {.id = 2, .generation = 1, .name_len = 5, .name = "count"},
			       below = {.id = 3, .generation = 1, .name_len = 5, .name = "below"};
	struct model *m = watch_model(s->watch);
	uint64_t many = least(s->value, 91827), begin = BEGIN + domain * MS,
		 length = least(s->value, UINT64_MAX / 4);

	model_callbacks(&calls);
	calls.lifecycle(m, domain, begin, RTEV_LIFECYCLE_DOMAIN_SPAWN, (int64_t)least(s->value, INT64_MAX));
	calls.begin(m, domain, begin, RTEV_PHASE_STW_HANDLER);
	calls.begin(m, domain, begin, RTEV_PHASE_MINOR);
	calls.end(m, domain, begin + length, RTEV_PHASE_MINOR);
	calls.end(m, domain, begin + length + 1, RTEV_PHASE_STW_HANDLER);
	calls.user_span(m, domain, begin + length + 1, &span, true);
	calls.user_span(m, domain, begin + 2 * length + 1, &span, false);
	begin += 2 * length + 2;
	calls.lost(m, domain, s->value, s->value / 3);
	for (uint64_t i = 0; i < many; i++)
		calls.user_span(m, domain, begin + i, &span, true);
	for (uint64_t i = 0; i < many; i++)
		calls.counter(m, domain, begin + i, RTEV_COUNTER_FORCE_MINOR_ALLOC_SMALL, 1);
	calls.user_int(m, domain, begin + many, &count, (int64_t)least(s->value, INT64_MAX));
	calls.user_int(m, domain, begin + many, &below, -(int64_t)least(s->value, INT64_MAX));
	for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++)
		calls.counter(m, domain, begin + many, gauges[i], (int64_t)least(s->value, INT64_MAX));
	*last = begin + many;
}

/* Make it up. */
static void show_make(struct show *s, int digits)
{
	uint64_t value = figure(digits), last = 0;

	*s = (struct show){.value = value, .unread = {value, value / 2, 0}};
	s->watch = watch_create(&(struct watch_options){.attach_ts = BEGIN});
	s->processes[0] = (struct subject_process){.pid = (int64_t)least(value, INT64_MAX),
	    .name = "one",
	    .ocaml = "5.3.0",
	    .state = "live",
	    .live = true,
	    .figures.running = (double)value,
	    .figures.cpu = (double)value,
	    .figures.all.gc_share = (double)value,
	    .figures.all.minors = (double)value,
	    .figures.all.majors = (double)value,
	    .figures.all.pause_p99 = (double)value,
	    .figures.all.pause_max = (double)value,
	    .figures.all.allocated = (double)value,
	    .figures.all.promoted = (double)value,
	    .figures.all.heap_bytes = (double)value,
	    .figures.resident_bytes = (double)value,
	    .figures.lost_words = (double)value};
	s->processes[1] = s->processes[0];
	s->subject = (struct subject){.watch = s->watch,
	    .clock = "18:31:04",
	    .state = SUBJECT_LIVE,
	    .pid = s->processes[0].pid,
	    .name = "server",
	    .ocaml = "5.3.0",
	    .ocaml_from = "exe",
	    .has_uptime = true,
	    .uptime_s = value,
	    .exit_status = -1,
	    .ring_words = value,
	    .unread = s->unread,
	    .unread_count = 3,
	    .recording = "x.fxt",
	    .recording_ns = value,
	    .recording_bytes = value,
	    .pause_ns = value,
	    .pause_files = value};
	for (unsigned d = 0; d < 3; d++)
		feed(s, d, &last);
	struct system_memory memory = {.ts = 1, .mappings = value, .mappings_limit = value, .why = ""};
	for (unsigned i = 0; i < MEMORY_PARTS; i++)
		memory.reserved[i] = memory.resident[i] = value;
	system_past_set_memory(watch_system(s->watch), &memory);
	s->subject.now = last + SECOND;
	watch_advance(s->watch, last, last);
	watch_advance(s->watch, s->subject.now, s->subject.now);
	s->ui = ui_create(&(struct ui_options){.view = VIEW_PANES, .offers = story_offers(STORY_APP_ALL)});
	CHECK(s->watch != NULL && s->ui != NULL);
}

static void show_fini(struct show *s)
{
	ui_destroy(s->ui);
	watch_destroy(s->watch);
}

/* Draw a view, its text to be freed, and collect its numbers. */
static char *draw(struct show *s, struct canvas *canvas, struct screen_numbers *out)
{
	ui_draw(s->ui, &s->subject, canvas);
	screen_blank_by_width(canvas);
	out->count = 0;
	screen_numbers(canvas, out);
	return canvas_dump(canvas);
}

/* Where there are 80 columns, no figure of a table gives way to an ellipsis either: one that does not fit is
 * left out with its head. */
static void check_whole(int digits, ui_key view, int cols, const char *screen)
{
	const char *body = screen;

	for (int line = 0; line < 3 && body != NULL; line++)
		body = strchr(body, '\n') != NULL ? strchr(body, '\n') + 1 : NULL;
	bool cut = body != NULL && (strstr(body, " …") != NULL || strstr(body, "(…") != NULL);
	if (cols >= 80 && strchr("24567PS", (int)view) != NULL && cut)
		TEST_FAIL("%d digits, view %c, %d columns: cut:\n%s", digits, (int)view, cols, screen);
}

/* A view at every third width or, where drawing takes long, at some of them, which differ with the digits: all are seen. */
static void check_view(struct show *s, int digits, ui_key view, bool some)
{
	static struct screen_numbers wide, narrow;
	struct canvas *canvas = canvas_create(200, 500);

	free(draw(s, canvas, &wide));
	CHECK(wide.count > 3);
	for (int cols = 20 + digits % (some ? 11 : 3); cols <= 240; cols += some ? 22 : 3) {
		CHECK(canvas_resize(canvas, cols % 3 == 0 ? 24 : cols % 3 == 1 ? 12 : 60, cols));
		char *screen = draw(s, canvas, &narrow);
		for (int i = 0; i < narrow.count; i++)
			if (!screen_has_number(&wide, narrow.word[i]))
				TEST_FAIL("%d digits, view %c, %d columns: %s is on no screen with room:\n%s",
				    digits, (int)view, cols, narrow.word[i], screen);
		check_whole(digits, view, cols, screen);
		free(screen);
	}
	canvas_destroy(canvas);
}

TEST(test_every_view_and_width)
{
	static struct show s;
	struct canvas *canvas = canvas_create(40, 120);

	for (int digits = 1; digits <= DIGITS; digits++) {
		show_make(&s, digits);
		for (ui_key view = '1'; view <= '8'; view++) {
			ui_press(s.ui, &s.subject, view);
			check_view(&s, digits, view, view == '1');
		}
		/* A span and a phase that were opened. */
		for (int page = 0; page < 2; page++) {
			ui_press(s.ui, &s.subject, page == 0 ? '3' : '4');
			ui_draw(s.ui, &s.subject, canvas);
			ui_press(s.ui, &s.subject, page == 0 ? UI_KEY_END : UI_KEY_HOME);
			ui_draw(s.ui, &s.subject, canvas);
			ui_press(s.ui, &s.subject, UI_KEY_ENTER);
			CHECK(span_page_of(s.ui)->on);
			check_view(&s, digits, page == 0 ? 'P' : 'S', true);
		}
		/* The page about one domain. */
		ui_press(s.ui, &s.subject, '1');
		ui_press(s.ui, &s.subject, 'z');
		check_view(&s, digits, 'z', true);
		ui_press(s.ui, &s.subject, 'z');
		/* The window from left to right. */
		ui_press(s.ui, &s.subject, '1');
		ui_press(s.ui, &s.subject, 't');
		check_view(&s, digits, 't', true);
		s.subject.watch = NULL;
		s.subject.processes = s.processes;
		s.subject.process_count = 2;
		ui_destroy(s.ui);
		s.ui = ui_create(
		    &(struct ui_options){.view = VIEW_OVERVIEW, .offers = story_offers(STORY_APP_ALL)});
		check_view(&s, digits, 'c', false);
		show_fini(&s);
	}
	canvas_destroy(canvas);
}

/* Open spans of each number of digits there can be stand beside their label. */
TEST(test_open)
{
	static struct show s;
	static const char *const shown[] = {"open 9", "open 91", "open 918", "open 9.18k", "open 65.5k"};
	struct canvas *canvas = canvas_create(40, 120);

	for (int digits = 1; digits <= 5; digits++) {
		show_make(&s, digits);
		ui_draw(s.ui, &s.subject, canvas);
		char *screen = canvas_dump(canvas);
		if (strstr(screen, shown[digits - 1]) == NULL)
			TEST_FAIL("no %s in:\n%s", shown[digits - 1], screen);
		free(screen);
		show_fini(&s);
	}
	canvas_destroy(canvas);
}
