/*
 * test_views.c - pictures of every view.
 */
#include <math.h>

#include "support/test.h"

#include "watch/watch.h"
#include "support/advice_story.h"
#include "support/pictures.h"

/* One picture: what leads to it. */
struct picture {
	const char *name;
	const char *keys;
	unsigned domains; /* 0: 3 */
	unsigned traits;  /* enum picture_trait */
	void (*change)(struct stage *stage);
};

/* There is no target, but an overview: a server with its forked workers, one of which has ended, and a
 * process without a ring. */
static void choose(struct stage *s)
{
	static const float history[] = {0, 0.02f, 0.1f, 0.5f, 0.25f, 0.06f};
	static const struct subject_process unknown = {.figures.running = NAN,
	    .figures.cpu = NAN,
	    .figures.all.gc_share = NAN,
	    .figures.all.minors = NAN,
	    .figures.all.majors = NAN,
	    .figures.all.pause_p99 = NAN,
	    .figures.all.pause_max = NAN,
	    .figures.all.allocated = NAN,
	    .figures.all.promoted = NAN,
	    .figures.all.heap_bytes = NAN,
	    .figures.resident_bytes = NAN,
	    .figures.lost_words = NAN};
	static const char *const commands[] = {"/srv/bin/worker --queue mail",
	    "/srv/bin/worker --queue invoices --slow", "/srv/bin/worker --once"};
	static struct subject_process processes[5];

	for (int i = 0; i < 5; i++)
		processes[i] = unknown;
	processes[0] = (struct subject_process){.pid = 77,
	    .parent = 1,
	    .name = "myserver",
	    .user = "www",
	    .ocaml = "5.3.0",
	    .state = "live",
	    .live = true,
	    .figures.running = 4,
	    .figures.cpu = 2.31,
	    .figures.all.gc_share = 0.062,
	    .figures.all.minors = 412,
	    .figures.all.majors = 0.8,
	    .figures.all.pause_p99 = 1.9e6,
	    .figures.all.pause_max = 12.1e6,
	    .figures.all.allocated = 1.2e9,
	    .figures.all.promoted = 37e6,
	    .figures.all.heap_bytes = 1.9e9,
	    .figures.resident_bytes = 2.4e9,
	    .figures.lost_words = 0,
	    .gc_history = history,
	    .gc_count = 6};
	processes[1].pid = 80;
	processes[1].parent = 1;
	processes[1].name = "batch\x1b[31m";
	processes[1].user = "root";
	processes[1].ocaml = "5.1.1";
	processes[1].state = "no-ring";
	processes[1].remedy = "start it with OCAML_RUNTIME_EVENTS_START=1";
	for (int i = 2; i < 5; i++) {
		processes[i] = processes[0];
		processes[i].pid = 97 + i;
		processes[i].parent = i == 4 ? 99 : 77;
		processes[i].name = "worker";
		processes[i].figures.cpu = 0.05 * i;
		processes[i].figures.lost_words = i == 3 ? 4467 : 0;
		processes[i].alike = true;
		processes[i].command = commands[i - 2];
		processes[i].finding = i == 2 ? "minor_heap_small" : NULL;
	}
	processes[0].finding = "cgroup_throttled";
	processes[0].serious = true;
	processes[4] = unknown;
	processes[4].pid = 101;
	processes[4].parent = 99;
	processes[4].name = "worker";
	processes[4].alike = true;
	processes[4].command = commands[2];
	processes[4].ocaml = "5.3.0";
	processes[4].ended = true;
	processes[4].ended_ts = s->subject.now - 12000 * STORY_MS;
	processes[4].state = "ended";
	s->subject.watch = NULL;
	s->subject.processes = processes;
	s->subject.process_count = 5;
}

/* The target records no events: its memory told of ten seconds, in which one domain allocates, one less, one nothing. */
static void be_silent(struct stage *s)
{
	const uint64_t step = 100 * STORY_MS;

	watch_destroy(s->watch);
	s->watch = watch_create(&(struct watch_options){.attach_ts = STORY_END - 100 * step});
	CHECK(s->watch != NULL);
	s->subject.watch = s->watch;
	s->subject.advice = NULL;
	s->subject.off = true;
	s->subject.unread_count = 0;
	s->subject.ring_words = 0;
	s->subject.tracing = SUBJECT_TRACING_UNKNOWN;
	struct model *m = watch_model(s->watch);
	model_off(m, STORY_END - 100 * step);
	for (unsigned i = 0; i < 100; i++) {
		const uint64_t from = STORY_END - (100 - i) * step;
		model_count_span(m, from, from + step);
		for (unsigned d = 0; d < 3; d++) {
			const int64_t words = (int64_t)(2 - d) * 400000;
			model_count(m, d, from, from + step,
			    &(struct model_counts){.minors = 3,
				.majors = i % 10 == 0,
				.allocated = 8 * words,
				.promoted = words});
		}
		model_look(m, from + step,
		    &(struct model_look){.heap = {3.3e6, NAN, NAN, NAN, NAN},
			.domains = {{0, 1000000, 262144, 0}, {1, 1100000, 262144, 100000},
			    {2, 1200000, 262144, 200000}},
			.count = 3});
	}
	watch_advance(s->watch, STORY_END, STORY_END);
	s->subject.now = STORY_END;
}

/* A made-up fleet of `count`: each tenth has five forked workers, some have no ring or have ended. */
static void fleet(struct stage *s, unsigned count)
{
	static struct subject_process processes[100];
	static float histories[100][12];

	choose(s);
	const struct subject_process server = s->subject.processes[0], silent = s->subject.processes[1];
	for (unsigned i = 0; i < count; i++) {
		struct subject_process *p = &processes[i];
		bool worker = i % 10 >= 5;
		*p = server;
		p->pid = 1000 + 7 * i;
		p->parent = worker ? 1000 + 7 * (i - i % 10) : 1;
		p->name = worker ? "worker" : i % 3 == 0 ? "frontend.exe" : "indexer";
		p->ocaml = i % 4 == 0 ? "5.1.1" : "5.3.0";
		p->figures.cpu = 0.01 * (i * 37 % 100);
		p->figures.all.gc_share = 0.001 * (i * 53 % 200);
		p->figures.all.minors = i * 11 % 97;
		p->figures.all.majors = 0.1 * (i % 7);
		p->figures.all.pause_p99 = 1e5 * (1 + i * 29 % 50);
		p->figures.all.pause_max = 4 * p->figures.all.pause_p99;
		p->figures.all.allocated = 1e6 * (1 + i * 41 % 800);
		p->figures.all.promoted = p->figures.all.allocated / 40;
		p->figures.all.heap_bytes = 1e8 + 1e7 * (i * 13 % 60);
		p->figures.resident_bytes = 1.3 * p->figures.all.heap_bytes;
		for (unsigned k = 0; k < 12; k++)
			histories[i][k] = (float)(p->figures.all.gc_share * (1 + (k * (i + 3) % 5)) / 3);
		p->gc_history = histories[i];
		p->gc_count = 12;
		p->ended = i % 17 == 16;
		p->state = p->ended ? "ended" : "live";
		if (i % 23 == 2) {
			const char *name = p->name;
			int64_t pid = p->pid;
			*p = silent;
			p->pid = pid;
			p->name = name;
		}
	}
	s->subject.processes = processes;
	s->subject.process_count = count;
}

static void fleet_3(struct stage *s)
{
	fleet(s, 3);
}

static void fleet_100(struct stage *s)
{
	fleet(s, 100);
}

/* There are processes to choose from, but we may not look into them. */
static void choose_hidden(struct stage *s)
{
	ui_destroy(s->ui);
	s->ui = ui_create(
	    &(struct ui_options){.view = VIEW_OVERVIEW, .hidden = 98, .offers = story_offers(STORY_APP_ALL)});
	CHECK(s->ui != NULL);
	s->subject.watch = NULL;
	s->subject.process_count = 0;
}

/* The target has ended some time ago. */
static void end(struct stage *s)
{
	s->subject.state = SUBJECT_EXITED;
	s->subject.exit_status = 2;
	s->subject.now += 60000 * STORY_MS;
}

/* The target has paused its events for two seconds. */
static void pause(struct stage *s)
{
	stage_pause(s, 2000);
}

/* A recording is replayed: somewhere in it, and at its end. */
static void replay(struct stage *s)
{
	static struct subject_replay place;

	place = (struct subject_replay){.playing = true,
	    .speed = 2,
	    .start = s->subject.now - 3210 * STORY_MS,
	    .end = s->subject.now + 3600000 * STORY_MS};
	s->subject.state = SUBJECT_REPLAY;
	s->subject.replay = &place;
	place.date = "2026-11-21";
	s->subject.has_uptime = false;
	s->subject.tracing = SUBJECT_TRACING_UNKNOWN;
	stage_offer(s, STORY_APP_NO_RECORD);
	ui_draw(s->ui, story_told(&s->subject), s->canvas);
}

static void replay_end(struct stage *s)
{
	static struct subject_replay place;

	replay(s);
	place = *s->subject.replay;
	place.playing = false;
	place.at_end = place.cut = true;
	place.speed = -3;
	place.end = s->subject.now;
	place.counts_from = place.start + 2500 * STORY_MS;
	s->subject.replay = &place;
}

/* A single domain collects. */
static void collect_alone(struct stage *s)
{
	struct model *m = watch_model(s->watch);

	s->calls.end(m, 0, s->subject.now, RTEV_PHASE_MAJOR_SLICE);
	model_reset(m);
	for (uint64_t i = 1; i < 40; i++) {
		s->calls.begin(m, 0, s->subject.now + STORY_MS, RTEV_PHASE_STW_LEADER);
		s->calls.begin(
		    m, 0, s->subject.now + STORY_MS, i % 7 == 0 ? RTEV_PHASE_MAJOR : RTEV_PHASE_MINOR);
		s->calls.end(m, 0, s->subject.now + (1 + i % 11) * STORY_MS,
		    i % 7 == 0 ? RTEV_PHASE_MAJOR : RTEV_PHASE_MINOR);
		s->calls.end(m, 0, s->subject.now + (1 + i % 11) * STORY_MS, RTEV_PHASE_STW_LEADER);
		stage_go_on(s, 100);
	}
}

/* It is sick. */
static void be_sick(struct stage *s)
{
	advice_destroy(s->advice);
	s->subject.advice = s->advice = advice_story(STORY_END, true);
}

static void be_unexplained(struct stage *s)
{
	advice_destroy(s->advice);
	s->subject.advice = s->advice = advice_story_much_gc(STORY_END, false);
}

static const struct picture pictures[] = {
    {.name = "panes", .traits = PICTURE_TWICE},
    {.name = "panes_timeline", .keys = "t"},
    {.name = "panes_wall", .keys = "xL"},
    {.name = "panes_zoomed", .keys = "→z"},
    {.name = "domains", .keys = "2", .traits = PICTURE_TWICE},
    {.name = "domains_sorted", .keys = "2>>>>>>"},
    {.name = "panes_silent", .change = be_silent, .traits = PICTURE_TWICE},
    {.name = "domains_silent", .keys = "2", .change = be_silent, .traits = PICTURE_TWICE | PICTURE_200x60},
    {.name = "phases", .keys = "3", .traits = PICTURE_TWICE},
    {.name = "phases_sorted", .keys = "3>>>"},
    {.name = "user", .keys = "4", .traits = PICTURE_TWICE},
    {.name = "user_request", .keys = "4", .traits = PICTURE_200x60},
    {.name = "user_span", .keys = "4/http\n\n↓", .traits = PICTURE_TWICE | PICTURE_200x60},
    {.name = "user_span_moment", .keys = "4/http\n\n↓\n", .traits = PICTURE_BY_WIDTH},
    {.name = "phase_page", .keys = "3↓\nL"},
    {.name = "pauses", .keys = "5↓", .traits = PICTURE_TWICE | PICTURE_BY_WIDTH},
    {.name = "stw", .keys = "6", .traits = PICTURE_TWICE},
    {.name = "stw_longest", .keys = "6o↓"},
    {.name = "stw_alone", .keys = "6↓↓", .domains = 1, .change = collect_alone},
    {.name = "memory", .keys = "7", .traits = PICTURE_TWICE | PICTURE_200x60},
    {.name = "log", .keys = "8", .traits = PICTURE_TWICE},
    {.name = "findings", .keys = "a↓", .change = be_sick, .traits = PICTURE_TWICE | PICTURE_200x60},
    {.name = "findings_none", .keys = "a", .change = be_unexplained},
    {.name = "fibers", .keys = "f", .change = story_serve, .traits = PICTURE_TWICE},
    {.name = "fibers_group", .keys = "f\n↓", .change = story_serve, .traits = PICTURE_TWICE},
    {.name = "fibers_one", .keys = "f\n↓\n", .change = story_serve, .traits = PICTURE_TWICE},
    {.name = "fibers_holder", .keys = "f↓\n\n ", .change = story_serve},
    {.name = "fibers_one_held", .keys = "f\n↓\n\n", .change = story_serve},
    {.name = "fibers_laps", .keys = "f", .change = story_laps},
    {.name = "fibers_laps_tree", .keys = "ft", .change = story_laps},
    {.name = "fibers_tree", .keys = "ft", .change = story_cancel, .traits = PICTURE_TWICE},
    {.name = "fibers_tree_open", .keys = "ft↓↓\n↓\n", .change = story_cancel},
    {.name = "fibers_tree_fiber", .keys = "ft⇲\n", .change = story_cancel},
    {.name = "fibers_timeline",
	.keys = "ftt[[",
	.change = story_cancel,
	.traits = PICTURE_TWICE | PICTURE_BY_WIDTH},
    {.name = "fibers_timeline_past", .keys = "ftt[[[ ←↓", .change = story_cancel, .traits = PICTURE_BY_WIDTH},
    {.name = "fibers_timeline_none",
	.keys = "ftt[[[ ←←←←←←←←",
	.change = story_cancel,
	.traits = PICTURE_BY_WIDTH},
    {.name = "fibers_timeline_moment", .keys = "ftt\n", .change = story_cancel, .traits = PICTURE_BY_WIDTH},
    {.name = "panes_fibers", .change = story_cancel, .traits = PICTURE_TWICE},
    {.name = "log_filtered", .keys = "8\\lost\n"},
    {.name = "moment", .keys = " t", .traits = PICTURE_TWICE | PICTURE_BY_WIDTH},
    {.name = "moment_silent", .keys = " ←", .change = be_silent, .traits = PICTURE_TWICE | PICTURE_BY_WIDTH},
    {.name = "moment_zoomed", .keys = " [[[[←↓", .traits = PICTURE_BY_WIDTH},
    {.name = "moment_micro", .keys = " ↓[[[[[[[[[", .traits = PICTURE_BY_WIDTH},
    {.name = "moment_bars", .keys = " ]t", .traits = PICTURE_BY_WIDTH},
    {.name = "moment_alone", .keys = " ]↓z", .traits = PICTURE_BY_WIDTH},
    {.name = "worst", .keys = "5\n", .traits = PICTURE_BY_WIDTH},
    {.name = "stop", .keys = "6\n", .traits = PICTURE_BY_WIDTH},
    {.name = "help", .keys = "?", .traits = PICTURE_TWICE},
    {.name = "choose", .change = choose, .traits = PICTURE_TWICE},
    {.name = "choose_tree", .keys = "t", .change = choose},
    {.name = "choose_sorted", .keys = ">>>>>", .change = choose},
    {.name = "fleet_3", .change = fleet_3},
    {.name = "fleet_100", .change = fleet_100, .traits = PICTURE_TWICE},
    {.name = "fleet_100_sorted", .keys = ">>>>>>", .change = fleet_100},
    {.name = "fleet_100_name", .keys = ">", .change = fleet_100},
    {.name = "fleet_100_unknown_last", .keys = ">>>>>>I⇲", .change = fleet_100},
    {.name = "fleet_100_tree", .keys = "t", .change = fleet_100},
    {.name = "fleet_100_tree_sorted", .keys = "t>", .change = fleet_100},
    {.name = "choose_remedy", .keys = "/bat\n", .change = choose},
    {.name = "choose_hidden", .change = choose_hidden},
    {.name = "panes_ended", .change = end},
    {.name = "panes_paused", .keys = "t", .change = pause},
    {.name = "replay", .change = replay, .traits = PICTURE_TWICE},
    {.name = "replay_end", .keys = "5", .change = replay_end, .traits = PICTURE_BY_WIDTH},
    {.name = "replay_jump", .keys = "J+10.5", .change = replay},
    {.name = "replay_help", .keys = "?⇟⇟", .change = replay},
    {.name = "replay_span", .keys = "4/http\n\n", .change = replay},
    {.name = "replay_phase", .keys = "3/mark\n\n", .change = replay},
    {.name = "replay_frozen", .keys = "p←", .change = replay, .traits = PICTURE_BY_WIDTH},
    {.name = "panes_128", .keys = "⇟", .domains = 128},
    {.name = "domains_128", .keys = "2⇲", .domains = 128},
    {.name = "moment_128", .keys = " t⇟", .domains = 128, .traits = PICTURE_BY_WIDTH},
    {.name = "panes_1", .domains = 1, .traits = PICTURE_80x24 | PICTURE_200x60},
    {.name = "panes_2", .domains = 2, .traits = PICTURE_80x24 | PICTURE_200x60},
    {.name = "panes_8", .domains = 8, .traits = PICTURE_120x40 | PICTURE_200x60},
    {.name = "zoomed_1", .keys = "z", .domains = 1, .traits = PICTURE_120x40 | PICTURE_200x60},
    {.name = "zoomed_2", .keys = "→z", .domains = 2, .traits = PICTURE_80x24 | PICTURE_200x60},
};
/* ---- the set ---- */

static const char *name_of(int picture)
{
	return pictures[picture].name;
}

static unsigned traits_of(int picture)
{
	return pictures[picture].traits;
}

static struct stage *open_picture(int picture, int rows, int cols)
{
	const struct picture *p = &pictures[picture];
	static struct stage s;

	stage_init(&s, p->domains != 0 ? p->domains : 3, rows, cols);
	if (p->change != NULL)
		p->change(&s);
	stage_type(&s, p->keys != NULL ? p->keys : "");
	ui_draw(s.ui, story_told(&s.subject), s.canvas);
	return &s;
}

int main(void)
{
	const struct picture_set set = {
	    sizeof(pictures) / sizeof(pictures[0]), name_of, traits_of, open_picture, stage_fini};

	pictures_check(&set);
	return 0;
}
