/*
 * test_views_sites.c - pictures of the memtrace view.
 */
#include "support/test.h"

#include "support/pictures.h"
#include "support/trace_stage.h"

/* One picture: what leads to it. */
struct picture {
	const char *name;
	const char *file;	 /* NULL: multidomain.ctf */
	bool beside;		 /* a target */
	uint64_t first;		 /* events read before the keys; 0: all */
	const char *keys, *more; /* `more` after all of the file has been read */
	unsigned traits;	 /* enum picture_trait */
	void (*change)(struct trace_stage *t);
};

/* Nothing has been read yet. */
static void wait(struct trace_stage *t)
{
	t->trace = (struct subject_trace){.path = "/var/tmp/trace.ctf", .exists = t->alone};
}

/* Its first packet is there, which holds no event. */
static void begin(struct trace_stage *t)
{
	sites_destroy(t->sites);
	CHECK_INT(sites_create(&t->sites, rtev_memtrace_info(t->reader), NULL), RTEV_OK);
	t->trace.sites = t->sites;
	t->trace.generation++;
	t->trace.events = 0;
	t->trace.size = 200;
	t->trace.age_ns = 300000000;
}

/* The file is damaged. */
static void damage(struct trace_stage *t)
{
	t->trace.fault = "malformed trace: unknown event code, at byte 171234";
	t->trace.left_out = 3;
}

/* There is more to read. */
static void lag(struct trace_stage *t)
{
	t->trace.reading = true;
	t->trace.position = t->trace.size / 3;
	t->trace.left_out = 3;
}

/* It is read from its beginning, for another time window. */
static void read_again(struct trace_stage *t)
{
	lag(t);
	t->trace.again = true;
}

/* It is being written. */
static void write(struct trace_stage *t)
{
	t->trace.age_ns = 300000000;
}

/* The target that wrote it has ended, just now. */
static void end(struct trace_stage *t)
{
	t->trace.age_ns = 300000000;
	t->stage.subject.state = SUBJECT_EXITED;
	t->stage.subject.exit_status = 2;
}

/* It was removed while it was read. */
static void unlink_it(struct trace_stage *t)
{
	t->trace.age_ns = 300000000;
	t->trace.removed = true;
}

static const struct picture pictures[] = {
    {.name = "sites", .traits = PICTURE_TWICE},
    {.name = "sites_sorted", .keys = ">>u", .change = write},
    {.name = "sites_marked", .first = 9000, .keys = "m", .more = "↓"},
    {.name = "sites_filtered", .keys = "\\domain:1 parse", .more = "\n"},
    {.name = "sites_wrong_filter", .keys = "\\time:3", .more = "\n"},
    {.name = "sites_long_filter", .keys = "\\Stdlib.Hashtbl.resize time:bad-10s", .more = "\n"},
    {.name = "sites_typing", .keys = "\\file:buffer"},
    {.name = "sites_tree", .keys = "t↓↓↓→", .traits = PICTURE_TWICE},
    {.name = "sites_flame", .file = "small.ctf", .keys = "tFw↑↑"},
    {.name = "sites_callers", .keys = "↓\n↓"},
    {.name = "sites_zoomed", .keys = "t⇟\n/parse", .more = "\n"},
    {.name = "sites_growth", .first = 9000, .keys = "m", .more = "tiwww↓"},
    {.name = "sites_waiting", .change = wait},
    {.name = "sites_begun", .change = begin},
    {.name = "sites_beside_begun", .beside = true, .keys = "9t", .change = begin},
    {.name = "sites_malformed", .change = damage},
    {.name = "sites_reading", .change = lag},
    {.name = "sites_again", .keys = "\\time:10s-", .more = "\n", .change = read_again},
    {.name = "sites_beside", .beside = true, .keys = "9", .traits = PICTURE_TWICE},
    {.name = "sites_beside_tree", .beside = true, .keys = "9t"},
    {.name = "sites_beside_waiting", .beside = true, .keys = "9", .change = wait},
    {.name = "sites_beside_ended", .beside = true, .keys = "9", .change = end},
    {.name = "sites_removed", .change = unlink_it},
    {.name = "sites_help", .keys = "t?"},
    {.name = "sites_frozen", .keys = " "},
    {.name = "sites_nothing", .keys = "t\\no such function"},
};

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
	static struct trace_stage t;

	trace_stage_init(&t, p->file != NULL ? p->file : "multidomain.ctf", !p->beside, rows, cols);
	trace_stage_read(&t, p->first != 0 ? p->first : UINT64_MAX);
	ui_draw(t.stage.ui, story_told(&t.stage.subject), t.stage.canvas);
	trace_stage_type(&t, p->keys != NULL ? p->keys : "");
	trace_stage_read(&t, UINT64_MAX);
	trace_stage_type(&t, p->more != NULL ? p->more : "");
	if (p->change != NULL)
		p->change(&t);
	ui_draw(t.stage.ui, story_told(&t.stage.subject), t.stage.canvas);
	return &t.stage;
}

/* The stage is the first member of what open_picture has made. */
static void close_picture(struct stage *stage)
{
	trace_stage_fini((struct trace_stage *)stage);
}

int main(void)
{
	const struct picture_set set = {
	    sizeof(pictures) / sizeof(pictures[0]), name_of, traits_of, open_picture, close_picture};

	pictures_check(&set);
	return 0;
}
