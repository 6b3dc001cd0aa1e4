/*
 * view.h - internals of a ui, shared by ui.c, press.c, the header and the views.
 *
 * A view is a struct view_ops: a function that draws its body and one that takes its own actions.
 * tabular.c moves, searches, filters and sorts for every table view, using the view's struct view_place.
 */
#pragma once

#include "core/utf8.h"
#include "watch/flame.h"
#include "watch/paths.h"
#include "watch/timeline.h"
#include "ui/header_figures.h"
#include "ui/widgets/table.h"
#include "ui/views/moment.h"
#include "ui/ui.h"

#define VIEW_TEXT_MAX 64 /* size of a search or filter text */
#define UI_ASKED_MAX 8
#define UI_COPY_MAX 8192 /* bytes of a row or a sentence that is copied */
#define VIEW_TIMELINES 64
#define VIEW_FAMILIES 1024 /* processes that are arranged as families */

/* The user's position in a view. */
struct view_place {
	struct list list;
	int item;	  /* item of the selected line, -1: none */
	int64_t identity; /* identity of that item, if items have one and */
	bool identified;  /* the selection has not been moved since it was drawn */
	int sort;	  /* sort column, -1: the view's own order */
	bool ascending;	  /* else descending */
	uint32_t shown;	  /* columns in the last drawing, as bits; 0: none yet */
	char search[VIEW_TEXT_MAX];
	char filter[VIEW_TEXT_MAX];
	enum { FILTER_OWN, FILTER_UNTRIED, FILTER_DROPPED } initial; /* state of the initial filter */
};

/* A span name opened in view 3 or 4, see views/span_page.h. */
struct span_page {
	bool on;
	struct view_place outer;	    /* position in the list it was opened from */
	const struct longest_list *longest; /* valid during a drawing or a key */
	/* The name of a user span, or the path of a phase. */
	char name[RTEV_USER_NAME_SIZE];
	size_t name_len;
	rtev_phase path[PATH_DEPTH_MAX];
	unsigned depth; /* of the last one in `path` */
	bool all;	/* the list has all: phases of little time, user events of a scheduler */
};

/* A place of the picture that the mouse can point at, see mouse.c. */
#define UI_SPOTS_MAX 512
enum spot_kind {
	SPOT_TAB,    /* value: a view */
	SPOT_CHOICE, /* of the sort menu; value: a column */
	SPOT_HEAD,   /* of a table; value: a column */
	SPOT_ROWS,   /* of a table; value: its first line; `place` */
	SPOT_PANE,   /* value: a domain */
	SPOT_SLOW,   /* value: see slowest_pick */
	SPOT_TRACK,  /* value: a domain */
	SPOT_KEY,    /* value: the key that it replaces */
	SPOT_TIME    /* columns of `width` ns from t0 on */
};
struct spot {
	enum spot_kind kind;
	struct rect area;
	int value;
	bool sorted;		  /* SPOT_HEAD: the table is sorted by it */
	bool identified;	  /* SPOT_ROWS: its items have identities */
	struct view_place *place; /* in the same ui */
	uint64_t t0, width;
};

/* A period that the mouse is marking, or has marked. */
struct time_mark {
	bool pressed; /* the button is down, since this cell and stamp of a time axis */
	bool again;   /* the press hit the selected row: a release without a drag opens it */
	bool on;      /* [from, to] is marked */
	int row, col;
	uint64_t anchor, from, to;
};

/* The menu of columns to sort by. */
struct sort_menu {
	bool on;
	int picked; /* the chosen column, plus one; 0: none */
	int count;
	int columns[TABLE_COLUMNS_MAX];
	const char *titles[TABLE_COLUMNS_MAX];
	struct list list;
};

struct ui {
	struct action_set actions;
	enum ui_view view;
	struct view_place places[VIEW_COUNT];
	enum ui_action queue[UI_ASKED_MAX]; /* actions for the app */
	int queued;
	bool offers[ACTION_COUNT]; /* as in ui_options */
	void *own[VIEW_COUNT];	   /* the private state of each view, of its `size` */
	int64_t chosen;
	char filter[VIEW_TEXT_MAX]; /* the initial filter */
	unsigned hidden;	    /* processes, as in ui_options */
	bool named;		    /* as in ui_options */

	/* The order of a settled table: identities, and what it is sorted by. */
	struct {
		int64_t ids[VIEW_FAMILIES];
		int count, column;
		bool ascending;
	} order;

	bool tabs; /* there are views to choose from */
	enum help_page help;
	int help_first;
	ui_key input; /* key of the action while a text is typed: '/', '\\' or 'J'; else 0 */
	char text[VIEW_TEXT_MAX];
	bool missed;	 /* the last search found nothing */
	bool no_use;	 /* the text has no effect in this view; it is taken so that its keys are not run */
	const char *why; /* why the last key shows nothing, or NULL */
	bool told;	 /* `said` is the result of the last key */
	char said[96];	 /* a message of either kind that is not a constant */
	int cursor_row, cursor_col;

	struct spot spots[UI_SPOTS_MAX];	 /* spots of the last drawing */
	int spot_count, body_spots;		 /* the first ones are in the body */
	int64_t row_identities[CANVAS_ROWS_MAX]; /* identities of the items in rows of the screen */
	struct time_mark mark;
	struct sort_menu menu;
	struct rect body;	  /* body of the last drawing */
	char copied[UI_COPY_MAX]; /* text to copy; "": that of `copied_area` */
	struct rect copied_area;

	bool frozen;
	struct snapshot *snapshot;	  /* shown while frozen, else NULL */
	bool no_snapshot;		  /* freezing failed for lack of memory */
	bool changed;			  /* `picture` may be out of date */
	bool arrived;			  /* the view was opened since the last drawing */
	struct canvas *picture;		  /* the last body drawn while frozen */
	struct frozen_range frozen_range; /* the period that keys show on a frozen screen */
	struct figures_memory figures;	  /* totals of that period, for the header */
	struct flame *flame;		  /* reader of bars */

	/* panes */
	uint64_t window;
	bool timeline, wall_scale, log_scale;
	enum theme_graph graph;
	bool braille;	   /* the screen of the last drawing has it */
	int chosen_domain; /* domain of the selected pane, -1: none yet */
	bool zoomed;
	uint8_t deepest[MODEL_DOMAINS_MAX];	    /* rows of nested phases seen so far, by domain */
	struct timeline *timelines[VIEW_TIMELINES]; /* domain d uses entry d mod VIEW_TIMELINES */
	uint64_t timelines_drawn;		    /* a bit for each that the last drawing has read */
};

struct tabular;

struct view_ops {
	const struct tabular *table; /* NULL: it has none */
	size_t size;		     /* bytes of its private state, which begins as zeros; 0: none */
	void (*init)(void *own);     /* set members of it that do not begin as zero; NULL: there are none */
	void (*fini)(void *own);     /* free what it refers to; NULL: nothing */
	/* Whether an action of the view does something now; for ACTION_COPY, whether it copies a line of the table.  NULL: all do. */
	bool (*there)(const struct ui *ui, const struct subject *subject, enum ui_action action);
	void (*draw)(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect body);
	/* Carry out the view's own actions, such as OPEN or SCALE.  Returns reactions.  NULL: those of its
	 * table. */
	unsigned (*act)(struct ui *ui, const struct subject *subject, enum ui_action action);
};

/* Define NAME_own, which returns the private state of a view, for the files of that view. */
#define VIEW_OWN(name, type, view)                                                                           \
	static inline struct type *name##_own(const struct ui *ui)                                           \
	{                                                                                                    \
		return ui->own[VIEW_##view];                                                                 \
	}

/* view_panes, view_domains etc., one for each view. */
#define UI_VIEW_OPS(name, ops, title) extern const struct view_ops view_##ops;
UI_VIEWS(UI_VIEW_OPS)
#undef UI_VIEW_OPS

/* Return the ops of a view. */
const struct view_ops *view_ops_of(enum ui_view view);

/* Return whether a view can be shown for a subject. */
bool view_there(const struct subject *subject, enum ui_view view);

/* Say in the middle of an area that it needs events. */
void view_draw_eventless(struct canvas *canvas, struct rect area);

/* Return the user's position in the current view. */
struct view_place *ui_place(struct ui *ui);

/* Freeze the screen (false when memory ran out); unfreeze it. */
bool ui_freeze(struct ui *ui, const struct subject *subject);
void ui_thaw(struct ui *ui);

/* Switch to another view. */
unsigned ui_go_to(struct ui *ui, enum ui_view view);

/* Invert a choice of the user.  Returns reactions. */
unsigned ui_toggle(bool *choice);

/* Show one domain's pane alone. */
void ui_open_pane(struct ui *ui, unsigned domain);

/* Return the domain of the selected pane; 0: there is none. */
unsigned view_panes_domain(const struct ui *ui, const struct subject *subject);

/* Record a spot of the drawing, unless it has no cells.  Find one by kind and value; NULL: it was not
 * drawn. */
void ui_spot(struct ui *ui, struct spot spot);
const struct spot *ui_spot_of(const struct ui *ui, enum spot_kind kind, int value);

/* Draw the marked period; open it as a moment. */
void ui_mark_draw(const struct ui *ui, struct canvas *canvas);
unsigned ui_mark_open(struct ui *ui, const struct subject *subject);

/* Carry out the present action of a key, without a message if it does nothing. */
unsigned press_key(struct ui *ui, const struct subject *shown, ui_key key);

/* Sort by a column; handle a key of the menu of columns; draw the menu. */
unsigned menu_choose(struct ui *ui, const struct subject *subject, int column);
unsigned menu_press(struct ui *ui, const struct subject *subject, ui_key key);
void menu_draw(struct ui *ui, struct canvas *canvas, struct rect body);

/* Least width of a header that shows the program's name. */
#define HEADER_NAME_FROM 40

/* Draw the overview's line with the sums of all processes. */
void view_overview_total(const struct subject *s, struct canvas *canvas, struct rect line);

/* After a loss, draw how much was lost, the ring size that would have held it, and the events that fill it.
 * Returns false without a loss. */
bool traffic_draw(const struct subject *subject, struct canvas *canvas, struct rect line);

/* Draw the header. */
void header_draw(struct ui *ui, const struct subject *subject, struct canvas *canvas, struct rect area);

/* Queue an action for the app; it is dropped if the queue is full. */
void ui_ask(struct ui *ui, enum ui_action action);

/* Fill in the actions of a new ui; those of the app only if the app offers them. */
void press_register(struct ui *ui);

/* Update the actions that depend on the subject and on the current view. */
void press_adapt(struct ui *ui, const struct subject *subject);

/* Return the subject to draw, and switch to a view that it allows. */
struct subject ui_adopt(struct ui *ui, const struct subject *subject);
