/*
 * view.h - the inside of a ui, shared by ui.c, press.c, the header and the views.
 *
 * A view is a row of view_ops: one function that draws its body, one that takes the actions that only it understands.  Moving
 * through lines, searching, filtering and sorting are done for every view that says how many lines and columns it has, on
 * the struct view_place that each view has of its own.
 */
#ifndef UI_VIEW_H
#define UI_VIEW_H

#include "watch/flame_past.h"
#include "watch/paths.h"
#include "watch/timeline.h"
#include "ui/figures.h"
#include "ui/widgets/list.h"
#include "ui/views/moment.h"
#include "ui/views/trend.h"
#include "ui/still.h"
#include "ui/ui.h"

#define VIEW_TEXT_MAX 64 /* of a search or filter */
#define UI_ASKED_MAX 8
#define VIEW_TIMELINES 64
#define VIEW_FAMILIES 1024  /* processes that are arranged as families */
#define VIEW_LOG_FILES 4096 /* files of long pauses that view 8 shows, the latest */

/* Where its user is in a view. */
struct view_place {
	struct list list;
	int item;	  /* that the selected line stands for, -1: none */
	int64_t identity; /* of that item, where items have one and */
	bool identified;  /* the selection has not been moved since it was drawn */
	int sort;	  /* column, -1: the view's own order */
	bool ascending;	  /* else descending */
	char search[VIEW_TEXT_MAX];
	char filter[VIEW_TEXT_MAX];
	enum {
		FILTER_OWN,
		FILTER_UNTRIED,
		FILTER_DROPPED
	} initial; /* what became of the filter of the start */
};

/* A span name that is opened in view 3 or 4: views/span_page.h. */
struct span_page {
	bool on;
	struct view_place outer;	    /* of the list that it was opened in */
	const struct longest_list *longest; /* as of the drawing or key that goes on */
	/* Of a user span its name, of a phase its path. */
	char name[RTEV_USER_NAME_SIZE];
	size_t name_len;
	rtev_phase path[PATHS_DEPTH];
	unsigned depth; /* of the last one in `path` */
};

struct ui {
	struct action_set actions;
	enum ui_view view;
	struct view_place places[VIEW_COUNT];
	enum ui_action queue[UI_ASKED_MAX]; /* left to the app */
	int queued;
	bool offers[ACTION_COUNT]; /* as in ui_options */
	int64_t chosen;
	char filter[VIEW_TEXT_MAX]; /* that of the start */
	unsigned hidden;	    /* processes, as in ui_options */

	/* the overview; as families, which process stands in each line and how deep, as of the drawing or key that goes on */
	bool families;
	uint16_t family_order[VIEW_FAMILIES];
	uint8_t family_depths[VIEW_FAMILIES];

	bool help;
	int help_first;
	ui_key input; /* the action's key while a text is typed, '/', '\\' or 'T', else 0 */
	char text[VIEW_TEXT_MAX];
	bool missed;	 /* the last key searched for what is nowhere */
	bool no_use;	 /* what is typed has no use in this view: it is taken lest it be run */
	const char *why; /* the last key has nothing to show, NULL: it has */
	int cursor_row, cursor_col;

	bool frozen;
	struct still *still;	       /* what all views show while frozen, else NULL */
	bool no_still;		       /* there was no memory to freeze */
	bool changed;		       /* a key may have changed the body since `picture` was drawn */
	struct canvas *picture;	       /* the last body drawn while frozen */
	struct moment moment;	       /* what the panes view shows of the still */
	struct figures_memory figures; /* what the header tells of it */
	struct action_set moment_actions;
	struct flame_past *past; /* for its bars */

	/* the model's pauses of the target, as of the drawing that goes on */
	const struct model_target_pause *pauses;
	size_t pause_count;

	struct trend_place trend;

	/* log: the lines of files among the others, as of the drawing that goes on */
	uint16_t log_files[VIEW_LOG_FILES];
	size_t log_file_count, log_file_first;

	struct span_page phase_page, user_page;

	bool stops_longest; /* stop-the-world: the list is of the longest stops, else of the latest */

	/* panes */
	uint64_t window;
	bool timeline, wall_scale, log_scale;
	int selected, first;	  /* panes */
	int chosen_domain;	  /* whose pane the user has selected, -1: none yet */
	int grid_cols, grid_page; /* of the last drawing of all panes */
	bool zoomed;
	uint8_t deepest[MODEL_DOMAINS_MAX];	       /* rows of nested phases seen so far, by domain */
	struct icicle_memory *bars[MODEL_DOMAINS_MAX]; /* as last drawn, by domain; NULL until then */
	struct sites_state *sites;		       /* of the memtrace view */
	struct timeline *timelines[VIEW_TIMELINES];    /* of domain d: d mod VIEW_TIMELINES */
};

struct view_ops {
	void (*draw)(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body);
	/* Actions that the view itself carries out, as OPEN or SCALE; NULL: none.  Returns reactions. */
	unsigned (*act)(struct ui *ui, const struct subject *subject, enum ui_action action);
};

/* view_panes, view_domains and so on: one in each file of views/ that is a view. */
#define UI_VIEW_OPS(name, ops, title) extern const struct view_ops view_##ops;
UI_VIEWS(UI_VIEW_OPS)
#undef UI_VIEW_OPS

/* The ops of a view. */
const struct view_ops *view_ops_of(enum ui_view view);

/* Whether a subject has something for a view to show. */
bool view_there(const struct subject *subject, enum ui_view view);

/* Where the user is in the view that is shown. */
struct view_place *ui_place(struct ui *ui);

/* Freeze the screen, false when there is no memory for it; and let it go on. */
bool ui_freeze(struct ui *ui, const struct subject *subject);
void ui_thaw(struct ui *ui);

/* Show another view as its number key does. */
unsigned ui_go_to(struct ui *ui, enum ui_view view);

/* Show one domain's pane alone. */
void ui_open_pane(struct ui *ui, unsigned domain);

/* The domain of the selected pane, 0 when there is none. */
unsigned view_panes_domain(const struct ui *ui, const struct subject *subject);

/* The column that a name of the command line or the settings means, -1 for none, in upper or lower case; and back,
 * NULL for none. */
int view_domains_column(const char *name);
const char *view_domains_name(int column);

/* The same of the table of sites. */
int view_sites_column(const char *name);
const char *view_sites_name(int column);

/* A narrower header has no room for our own name. */
#define HEADER_NAME_FROM 40

/* The overview's line of what all processes do together. */
void view_choose_total(const struct subject *s, struct canvas *canvas, struct rect line);

/* The header's lines. */
void header_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area);

/* Leave an action to the app; forgotten when too much is asked at once. */
void ui_ask(struct ui *ui, enum ui_action action);

#endif
