/*
 * actions.h - the list of all actions and their keys.
 *
 * UI_ACTIONS generates the enumeration, the key lookup, the tabs, the footer and the help.  A set contains
 * the actions available now, and the mode.  The keys of other actions say why they do nothing, and neither
 * footer nor help lists them.  Carrying an action out returns *reactions*, a bit mask of what changed; the
 * loop acts on them.
 */
#pragma once

#include "canvas/canvas.h"
#include "canvas/keys.h"

/* X(NAME, name of its view_ops, title): the views in the order of their number keys, 1 to 9, then 0. */
#define UI_VIEWS(X)                                                                                          \
	X(PANES, panes, "panes")                                                                             \
	X(DOMAINS, domains, "domains")                                                                       \
	X(PHASES, phases, "phases")                                                                          \
	X(USER, user, "user events")                                                                         \
	X(PAUSES, pauses, "pauses")                                                                          \
	X(STW, stw, "stop-the-world")                                                                        \
	X(MEMORY, memory, "memory")                                                                          \
	X(LOG, log, "log")                                                                                   \
	X(SITES, sites, "memtrace sites")                                                                    \
	X(TREND, trend, "trend")                                                                             \
	X(FINDINGS, findings, "findings")  /* key a */                                                       \
	X(FIBERS, fibers, "fibers")	   /* key f */                                                       \
	X(CODE, code, "code")		   /* key c */                                                       \
	X(OVERVIEW, overview, "processes") /* the process list; it has no number key */

enum ui_view {
#define UI_VIEW_ENUM(name, ops, title) VIEW_##name,
	UI_VIEWS(UI_VIEW_ENUM)
#undef UI_VIEW_ENUM
	    VIEW_COUNT
};

/* What changes the picture: the target, a replayed recording, or nothing. */
enum ui_mode { MODE_LIVE, MODE_REPLAY, MODE_FROZEN, MODE_COUNT };

/* Sets of modes.  UI_RECORDED: actions that move through a recording also do so behind a frozen picture. */
#define UI_MODE_LIVE (1u << MODE_LIVE)
#define UI_MODE_REPLAY (1u << MODE_REPLAY)
#define UI_MODE_FROZEN (1u << MODE_FROZEN)
#define UI_RUNNING (UI_MODE_LIVE | UI_MODE_REPLAY)
#define UI_RECORDED (UI_MODE_REPLAY | UI_MODE_FROZEN)
#define UI_ALWAYS (UI_RUNNING | UI_MODE_FROZEN)

/* Sets of views. */
#define UI_IN(view) (1u << VIEW_##view)
/* Views that show only events. */
#define UI_EVENTS (UI_IN(PHASES) | UI_IN(USER) | UI_IN(PAUSES) | UI_IN(STW) | UI_IN(LOG) | UI_IN(FIBERS))
#define UI_ANYWHERE ((1u << VIEW_COUNT) - 1)
#define UI_LIVE (UI_ANYWHERE & ~UI_IN(OVERVIEW))
#define UI_LISTS                                                                                             \
	(UI_IN(DOMAINS) | UI_IN(PHASES) | UI_IN(USER) | UI_IN(PAUSES) | UI_IN(STW) | UI_IN(LOG) |            \
	    UI_IN(SITES) | UI_IN(FINDINGS) | UI_IN(FIBERS) | UI_IN(CODE) | UI_IN(OVERVIEW))
#define UI_HISTOGRAMS (UI_IN(PANES) | UI_IN(PHASES) | UI_IN(USER) | UI_IN(PAUSES) | UI_IN(TREND))
#define UI_GRAPHS (UI_IN(PANES) | UI_IN(USER) | UI_IN(MEMORY) | UI_IN(TREND) | UI_IN(OVERVIEW))
/* Views in which the user can move, open an item, or move along a time axis. */
#define UI_MOVING (UI_ANYWHERE & ~UI_IN(MEMORY))
#define UI_OPENING                                                                                           \
	(UI_IN(PANES) | UI_IN(DOMAINS) | UI_IN(PHASES) | UI_IN(USER) | UI_IN(PAUSES) | UI_IN(STW) |          \
	    UI_IN(LOG) | UI_IN(SITES) | UI_IN(TREND) | UI_IN(FIBERS) | UI_IN(CODE) | UI_IN(OVERVIEW))
#define UI_SIDEWAYS (UI_TREES | UI_IN(TREND) | UI_IN(FIBERS))
#define UI_TREES (UI_IN(SITES) | UI_IN(CODE)) /* trees of calls */
#define UI_TEXT_LISTS (UI_LISTS & ~UI_IN(SITES))
#define UI_SEARCHABLE (UI_LISTS | UI_IN(PANES))
#define UI_COUNTING (UI_LIVE & ~UI_IN(SITES))
/* Tables of figures that count from the attach or the last reset, and those of them that also show present
 * rates; other views say so in lines of their own. */
#define UI_SINCE (UI_RATES | UI_IN(PHASES) | UI_IN(FIBERS))
#define UI_RATES (UI_IN(DOMAINS) | UI_IN(USER))
#define UI_SORTABLE                                                                                          \
	(UI_IN(DOMAINS) | UI_IN(PHASES) | UI_IN(USER) | UI_IN(STW) | UI_IN(SITES) | UI_IN(FIBERS) |          \
	    UI_IN(CODE) | UI_IN(OVERVIEW))

#define UI_BY_CPU (UI_IN(DOMAINS) | UI_IN(OVERVIEW))
#define UI_BY_MEMORY (UI_IN(SITES) | UI_IN(OVERVIEW))
#define UI_BY_TIME (UI_IN(PHASES) | UI_IN(STW))

/* Why a key does nothing. */
#define UI_NO_SORT "nothing to sort here"
#define UI_NO_SEARCH "nothing is searched for: / begins"
#define UI_OF_TIMELINE "this is of the timeline: t shows it"
#define UI_OF_TREE "this is of the tree: t shows it"
#define UI_FIRST "there is nothing before this"
#define UI_LAST "there is nothing after this"
#define UI_SHORTEST "this is the shortest"
#define UI_LONGEST "this is the longest"
#define UI_UNCHANGED "there is nothing for this key to change"

/* Syntax of the memtrace site filter, see sites_state.h. */
#define UI_FILTER_SITES "FUNCTION, file:PART, domain:N, time:10s-20s"

/*
 * X(NAME, handler, up to three keys, views, modes, rank in the footer (0: not shown; otherwise lower ranks
 * are dropped later), short name for the footer, sentence for the help, message where a view that has the action can't
 * carry it out now (NULL: the view says so), message when it has changed nothing).  Actions that share a key must not
 * share a view and a mode.  Neighbours with the same short name are one item of the footer.
 *
 * The handler is a function of press.c named do_ plus this name; it returns reactions.  `by_view` passes
 * the action to the current view, `ask` to the app, where it is a row in the table of the live view or of
 * a replay.
 */
/* clang-format off */
#define UI_ACTIONS(X)                                                                                        \
	X(HELP,           help,      '?', UI_KEY_F1, 0,       UI_ANYWHERE,    UI_ALWAYS,      1, "help",     "show or hide this help", NULL, UI_UNCHANGED) \
	X(QUIT,           leave,     'q', UI_KEY_F10, 0,      UI_ANYWHERE,    UI_ALWAYS,      1, "quit",     "quit", NULL, UI_UNCHANGED) \
	X(FREEZE,         freeze,    ' ', 'p', 0,             UI_ANYWHERE,    UI_MODE_LIVE,   2, "freeze",   "freeze the picture; collecting never stops", NULL, UI_UNCHANGED) \
	X(GO_ON,          freeze,    ' ', 'p', 0,             UI_ANYWHERE,    UI_MODE_FROZEN, 2, "go on",    "let the picture go on", NULL, UI_UNCHANGED) \
	X(TIME_BACK,      by_view,   UI_KEY_LEFT, 'h', 0,     UI_IN(PANES),   UI_MODE_FROZEN, 2, "time",     "back in time", NULL, UI_FIRST) \
	X(TIME_ON,        by_view,   UI_KEY_RIGHT, 'l', 0,    UI_IN(PANES),   UI_MODE_FROZEN, 2, "time",     "on in time", NULL, UI_LAST) \
	X(ZOOM_IN,        by_view,   '[', 0, 0,               UI_IN(PANES),   UI_MODE_FROZEN, 3, "zoom",     "zoom in: a shorter time", NULL, UI_SHORTEST) \
	X(ZOOM_OUT,       by_view,   ']', 0, 0,               UI_IN(PANES),   UI_MODE_FROZEN, 3, "zoom",     "zoom out: a longer time", NULL, UI_LONGEST) \
	X(TIME_BACK_5S,   by_view,   '<', 0, 0,               UI_IN(PANES),   UI_MODE_FROZEN, 0, "5 s",      "5 s back in time", NULL, UI_FIRST) \
	X(TIME_ON_5S,     by_view,   '>', 0, 0,               UI_IN(PANES),   UI_MODE_FROZEN, 0, "5 s",      "5 s on in time", NULL, UI_LAST) \
	X(TIME_BACK_ALL,  by_view,   'b', 0, 0,               UI_IN(PANES),   UI_MODE_FROZEN, 0, "window",   "back by all that is shown", NULL, UI_FIRST) \
	X(TIME_ON_ALL,    by_view,   'w', 0, 0,               UI_IN(PANES),   UI_MODE_FROZEN, 0, "window",   "on by all that is shown", NULL, UI_LAST) \
	X(GO_TO,          input,     'g', 0, 0,               UI_LIVE,        UI_ALWAYS,      6, "go to",    "freeze, and go to a time: 30 (seconds ago), 5m, H:M:S of the wall clock", NULL, UI_UNCHANGED) \
	X(EVENT_NEXT,     event,     'n', 0, 0,               UI_ANYWHERE,    UI_MODE_FROZEN, 3, "next",     "next match of a search; else the next pause of 10 ms, loss, finding or mark", UI_NO_SEARCH, UI_UNCHANGED) \
	X(EVENT_BACK,     event,     'N', 0, 0,               UI_ANYWHERE,    UI_MODE_FROZEN, 3, "next",     "the one before", UI_NO_SEARCH, UI_UNCHANGED) \
	X(HOLD,           freeze,    'p', 0, 0,               UI_LIVE,        UI_MODE_REPLAY, 4, "freeze",   "freeze the picture; playing goes on behind it", NULL, UI_UNCHANGED) \
	X(PLAY,           ask,       ' ', 0, 0,               UI_LIVE,        UI_MODE_REPLAY, 3, "play/stop","play the recording, or stop where it is", NULL, UI_UNCHANGED) \
	X(STEP_BACK,      ask,       ',', 0, 0,               UI_LIVE,        UI_RECORDED,    4, "step",     "one redraw back, or before the last event where it is earlier", NULL, UI_UNCHANGED) \
	X(STEP,           ask,       '.', 0, 0,               UI_LIVE,        UI_RECORDED,    4, "step",     "one redraw on, or to the next event where it is later", NULL, UI_UNCHANGED) \
	X(SKIP_BACK,      ask,       '(', 0, 0,               UI_LIVE,        UI_RECORDED,    6, "10 s",     "10 s back", NULL, UI_UNCHANGED) \
	X(SKIP,           ask,       ')', 0, 0,               UI_LIVE,        UI_RECORDED,    6, "10 s",     "10 s on", NULL, UI_UNCHANGED) \
	X(SPEED_DOWN,     ask,       '{', 0, 0,               UI_LIVE,        UI_RECORDED,    5, "speed",    "play at half the speed, down to 1/64", NULL, UI_UNCHANGED) \
	X(SPEED_UP,       ask,       '}', 0, 0,               UI_LIVE,        UI_RECORDED,    5, "speed",    "play at twice the speed, up to 64 times", NULL, UI_UNCHANGED) \
	X(JUMP,           input,     'J', 0, 0,               UI_LIVE,        UI_RECORDED,    5, "jump",     "jump: +S or -S seconds, S from the start, H:M:S of the wall clock", NULL, UI_UNCHANGED) \
	X(JUMP_START,     ask,       '^', 0, 0,               UI_LIVE,        UI_RECORDED,    0, "start",    "to the start of the recording", NULL, UI_UNCHANGED) \
	X(JUMP_END,       ask,       '$', 0, 0,               UI_LIVE,        UI_RECORDED,    0, "end",      "to the end of the recording", NULL, UI_UNCHANGED) \
	X(VIEW_PANES,     view,      '1', 0, 0,               UI_LIVE,        UI_ALWAYS,      0, "panes",    "panes: one for each domain", NULL, UI_UNCHANGED) \
	X(VIEW_DOMAINS,   view,      '2', 0, 0,               UI_LIVE,        UI_ALWAYS,      0, "domains",  "table of domains, and threads", NULL, UI_UNCHANGED) \
	X(VIEW_PHASES,    view,      '3', 0, 0,               UI_LIVE,        UI_ALWAYS,      0, "phases",   "tree of phases with count, total, self and maximum", NULL, UI_UNCHANGED) \
	X(VIEW_USER,      view,      '4', 0, 0,               UI_LIVE,        UI_ALWAYS,      0, "user",     "user events", NULL, UI_UNCHANGED) \
	X(VIEW_PAUSES,    view,      '5', 0, 0,               UI_LIVE,        UI_ALWAYS,      0, "pauses",   "pauses: histogram, percentiles, the ten worst", NULL, UI_UNCHANGED) \
	X(VIEW_STW,       view,      '6', 0, 0,               UI_LIVE,        UI_ALWAYS,      0, "stw",      "stop-the-world: who makes the others wait", NULL, UI_UNCHANGED) \
	X(VIEW_MEMORY,    view,      '7', 0, 0,               UI_LIVE,        UI_ALWAYS,      0, "memory",   "memory, and the runtime's settings", NULL, UI_UNCHANGED) \
	X(VIEW_LOG,       view,      '8', 0, 0,               UI_LIVE,        UI_ALWAYS,      0, "log",      "log of lifecycle events and losses", NULL, UI_UNCHANGED) \
	X(VIEW_SITES,     view,      '9', 0, 0,               UI_LIVE,        UI_ALWAYS,      0, "sites",    "allocation sites of the memtrace file", NULL, UI_UNCHANGED) \
	X(VIEW_TREND,     view,      '0', 0, 0,               UI_LIVE,        UI_ALWAYS,      0, "trend",    "trend of all that is known, over ten minutes to a week", NULL, UI_UNCHANGED) \
	X(VIEW_FINDINGS,  view,      'a', 0, 0,               UI_LIVE,        UI_ALWAYS,      3, "findings", "findings: what is wrong, what it costs, what to try", NULL, UI_UNCHANGED) \
	X(VIEW_FIBERS,    view,      'f', 0, 0,               UI_LIVE,        UI_ALWAYS,      5, "fibers",   "fibers: loops that are late, who runs, who waits, for what; t: tree, timeline", NULL, UI_UNCHANGED) \
	X(VIEW_CODE,      view,      'c', 0, 0,               UI_LIVE,        UI_ALWAYS,      5, "code",     "code: the functions that the program executes, by samples; t: tree, locks", NULL, UI_UNCHANGED) \
	X(NEXT_VIEW,      next_view, UI_KEY_TAB, 0, 0,        UI_LIVE,        UI_ALWAYS,      3, "views",    "next view", NULL, UI_UNCHANGED) \
	X(PREVIOUS_VIEW,  next_view, UI_KEY_BACK_TAB, 0, 0,   UI_LIVE,        UI_ALWAYS,      0, "back",     "previous view", NULL, UI_UNCHANGED) \
	X(UP,             by_view,   UI_KEY_UP, 'k', 0,       UI_MOVING,      UI_ALWAYS,      0, "up",       "move up", NULL, UI_FIRST) \
	X(DOWN,           by_view,   UI_KEY_DOWN, 'j', 0,     UI_MOVING,      UI_ALWAYS,      0, "down",     "move down", NULL, UI_LAST) \
	X(PANE_LEFT,      by_view,   UI_KEY_LEFT, 'h', 0,     UI_IN(PANES),   UI_RUNNING,     0, "left",     "to the pane on the left", NULL, UI_FIRST) \
	X(PANE_RIGHT,     by_view,   UI_KEY_RIGHT, 'l', 0,    UI_IN(PANES),   UI_RUNNING,     0, "right",    "to the pane on the right", NULL, UI_LAST) \
	X(LEFT,           by_view,   UI_KEY_LEFT, 'h', 0,     UI_SIDEWAYS,    UI_ALWAYS,      0, "left",     "move left, or back in time", NULL, UI_FIRST) \
	X(RIGHT,          by_view,   UI_KEY_RIGHT, 'l', 0,    UI_SIDEWAYS,    UI_ALWAYS,      0, "right",    "move right, or on in time", NULL, UI_LAST) \
	X(PAGE_UP,        by_view,   UI_KEY_PAGE_UP, 0, 0,    UI_MOVING,      UI_ALWAYS,      0, "page up",  "one page up", NULL, UI_FIRST) \
	X(PAGE_DOWN,      by_view,   UI_KEY_PAGE_DOWN, 0, 0,  UI_MOVING,      UI_ALWAYS,      0, "page down","one page down", NULL, UI_LAST) \
	X(HOME,           by_view,   UI_KEY_HOME, 0, 0,       UI_MOVING,      UI_ALWAYS,      0, "first",    "to the beginning", NULL, UI_FIRST) \
	X(END,            by_view,   UI_KEY_END, 'G', 0,      UI_MOVING,      UI_ALWAYS,      0, "last",     "to the end", NULL, UI_LAST) \
	X(OPEN,           by_view,   UI_KEY_ENTER, 0, 0,      UI_OPENING,     UI_ALWAYS,      4, "open",     "open what is selected", "nothing to open here", "there is nothing more to open") \
	X(BACK,           by_view,   UI_KEY_ESCAPE, 0, 0,     UI_ANYWHERE,    UI_ALWAYS,      0, "back",     "back; drop search and filter", NULL, "there is nothing to go back from: q quits") \
	X(SEARCH,         input,     '/', 0, 0,               UI_SEARCHABLE,  UI_ALWAYS,      6, "search",   "search", NULL, UI_UNCHANGED) \
	X(SEARCH_NEXT,    by_view,   'n', 0, 0,               UI_SEARCHABLE,  UI_RUNNING,     0, "next",     "next match", NULL, UI_NO_SEARCH) \
	X(SEARCH_BACK,    by_view,   'N', 0, 0,               UI_SEARCHABLE,  UI_RUNNING,     0, "back",     "match before this one", NULL, UI_NO_SEARCH) \
	X(FILTER,         input,     '\\', UI_KEY_F4, 0,      UI_TEXT_LISTS,  UI_ALWAYS,      6, "filter",   "show only lines that contain a text", NULL, UI_UNCHANGED) \
	X(FILTER_SITES,   input,     '\\', UI_KEY_F4, 0,      UI_IN(SITES),   UI_ALWAYS,      6, "filter",   "show only " UI_FILTER_SITES, NULL, UI_UNCHANGED) \
	X(SORT_LEFT,      by_view,   '<', 0, 0,               UI_SORTABLE,    UI_ALWAYS,      0, "sort",     "sort by the column to the left", UI_NO_SORT, UI_UNCHANGED) \
	X(SORT_RIGHT,     by_view,   '>', 0, 0,               UI_SORTABLE,    UI_ALWAYS,      0, "sort",     "sort by the column to the right", UI_NO_SORT, UI_UNCHANGED) \
	X(SORT_CPU,       by_view,   'P', 0, 0,               UI_BY_CPU,      UI_ALWAYS,      0, "cpu",      "sort by processor time", "no processor time to sort by is shown here", UI_UNCHANGED) \
	X(SORT_MEMORY,    by_view,   'M', 0, 0,               UI_BY_MEMORY,   UI_ALWAYS,      0, "memory",   "sort by memory", "no memory to sort by is shown here", UI_UNCHANGED) \
	X(SORT_TIME,      by_view,   'T', 0, 0,               UI_BY_TIME,     UI_ALWAYS,      0, "time",     "sort by time", "no time to sort by is shown here", UI_UNCHANGED) \
	X(SORT_MENU,      by_view,   UI_KEY_F6, 0, 0,         UI_SORTABLE,    UI_ALWAYS,      7, "sort",     "choose the column to sort by", UI_NO_SORT, UI_UNCHANGED) \
	X(REVERSE,        by_view,   'I', 0, 0,               UI_SORTABLE,    UI_ALWAYS,      0, "reverse",  "reverse the order", UI_NO_SORT, UI_UNCHANGED) \
	X(TIMELINE,       by_view,   't', 0, 0,               UI_IN(PANES),   UI_ALWAYS,      5, "timeline", "timeline and what the kernel did; if frozen, that of the moment", NULL, UI_UNCHANGED) \
	X(SCALE,          by_view,   'x', 0, 0,               UI_IN(PANES),   UI_ALWAYS,      5, "scale",    "full width of the bars: time in phases, or the wall clock", NULL, UI_UNCHANGED) \
	X(LOG_SCALE,      log_scale, 'L', 0, 0,               UI_HISTOGRAMS,  UI_ALWAYS,      8, "log",      "logarithmic scale of the histograms", NULL, UI_UNCHANGED) \
	X(GRAPH,          graph,     'B', 0, 0,               UI_GRAPHS,      UI_ALWAYS,      0, "graphs",   "graphs of braille dots, two samples a column, or of blocks", NULL, UI_UNCHANGED) \
	X(ZOOM,           by_view,   'z', 0, 0,               UI_IN(PANES),   UI_ALWAYS,      5, "zoom",     "one pane over the full screen", NULL, UI_UNCHANGED) \
	X(SHORTER,        window,    '[', 0, 0,               UI_IN(PANES),   UI_RUNNING,     0, "shorter",  "shorter window", NULL, UI_SHORTEST) \
	X(LONGER,         window,    ']', 0, 0,               UI_IN(PANES),   UI_RUNNING,     0, "longer",   "longer window", NULL, UI_LONGEST) \
	X(TREND_SHORTER,  by_view,   '[', 0, 0,               UI_IN(TREND),   UI_ALWAYS,      5, "shorter",  "a shorter time: a week, a day, 6 hours, an hour, 10 minutes, all that is known", NULL, UI_SHORTEST) \
	X(TREND_LONGER,   by_view,   ']', 0, 0,               UI_IN(TREND),   UI_ALWAYS,      4, "longer",   "a longer time", NULL, UI_LONGEST) \
	X(TREE,           by_view,   't', 0, 0,               UI_IN(SITES),   UI_ALWAYS,      4, "tree",     "tree of calls, or table", NULL, UI_UNCHANGED) \
	X(FAMILIES,       by_view,   't', 0, 0,               UI_IN(OVERVIEW),  UI_ALWAYS,      4, "tree",     "processes below those that started them, or in order", NULL, UI_UNCHANGED) \
	X(CODE_PAGE,      by_view,   't', 0, 0,               UI_IN(CODE),    UI_ALWAYS,      4, "page",     "table of functions, tree of calls, or table of locks", NULL, UI_UNCHANGED) \
	X(FIBERS_MODE,    by_view,   't', 0, 0,               UI_IN(FIBERS),  UI_ALWAYS,      4, "mode",     "table of groups, tree of contexts, or timeline of the event loops", NULL, UI_UNCHANGED) \
	X(LOOPS_SHORTER,  by_view,   '[', 0, 0,               UI_IN(FIBERS),  UI_ALWAYS,      5, "zoom",     "timeline: a shorter time", UI_OF_TIMELINE, UI_UNCHANGED) \
	X(LOOPS_LONGER,   by_view,   ']', 0, 0,               UI_IN(FIBERS),  UI_ALWAYS,      5, "zoom",     "timeline: a longer time", UI_OF_TIMELINE, UI_UNCHANGED) \
	X(INVERT,         by_view,   'i', 0, 0,               UI_TREES,       UI_ALWAYS,      5, "invert",   "tree from what is measured, or from the outermost callers", UI_OF_TREE, UI_UNCHANGED) \
	X(FLAME,          by_view,   'F', 0, 0,               UI_TREES,       UI_ALWAYS,      6, "flame",    "tree grows up as a flame graph, or down as an icicle", UI_OF_TREE, UI_UNCHANGED) \
	X(WEIGHT,         by_view,   'w', 0, 0,               UI_IN(SITES),   UI_ALWAYS,      5, "width",    "width: live, allocated, promoted; since the mark growth, allocated", UI_OF_TREE, UI_UNCHANGED) \
	X(MARK,           by_view,   'm', 0, 0,               UI_IN(SITES),   UI_ALWAYS,      5, "mark",     "mark: growth counts from now on", NULL, UI_UNCHANGED) \
	X(CODE_WEIGHT,    by_view,   'w', 0, 0,               UI_IN(CODE),    UI_ALWAYS,      5, "width",    "width: on a CPU, off it, in GC on a CPU, outside GC", UI_OF_TREE, UI_UNCHANGED) \
	X(CODE_DOMAIN,    by_view,   'd', 0, 0,               UI_IN(CODE),    UI_ALWAYS,      4, "domain",   "the next domain, or all", "this is of the functions: t shows them", UI_UNCHANGED) \
	X(UNIT,           by_view,   'u', 0, 0,               UI_IN(SITES),   UI_ALWAYS,      9, "unit",     "bytes or words", NULL, UI_UNCHANGED) \
	X(SCHEDULER,      by_view,   'e', 0, 0,               UI_IN(USER),    UI_ALWAYS,      6, "scheduler","show or hide the events of a scheduler of fibers", "no scheduler of fibers has written events", UI_UNCHANGED) \
	X(STOPS_ORDER,    by_view,   'o', 0, 0,               UI_IN(STW),     UI_ALWAYS,      4, "order",    "the latest stops, or the longest", NULL, UI_UNCHANGED) \
	X(FASTER,         ask,       '+', '=', 0,             UI_ANYWHERE,    UI_ALWAYS,      0, "faster",   "redraw more often", NULL, UI_UNCHANGED) \
	X(SLOWER,         ask,       '-', 0, 0,               UI_ANYWHERE,    UI_ALWAYS,      0, "slower",   "redraw less often", NULL, UI_UNCHANGED) \
	X(RESET,          ask,       'R', 0, 0,               UI_COUNTING,    UI_ALWAYS,      9, "reset",    "count afresh from now on", NULL, UI_UNCHANGED) \
	X(RECORD,         ask,       'r', 0, 0,               UI_LIVE,        UI_ALWAYS,      4, "record",   "start or stop recording to a file", "record needs a live target", UI_UNCHANGED) \
	X(CODE,           ask,       'C', 0, 0,               UI_LIVE,        UI_ALWAYS,      8, "sample",   "sample the program's code, or stop that", "to sample code needs a live target", UI_UNCHANGED) \
	X(SAVE,           ask,       'S', 0, 0,               UI_ANYWHERE,    UI_ALWAYS,      9, "save",     "save this screen as text", NULL, UI_UNCHANGED) \
	X(COPY,           copy,      'y', 0, 0,               UI_ANYWHERE,    UI_ALWAYS,      0, "copy",     "copy the line, finding or page to the clipboard, else to a file", NULL, UI_UNCHANGED) \
	X(MOUSE,          ask,       'X', 0, 0,               UI_ANYWHERE,    UI_ALWAYS,      0, "mouse",    "mouse on or off; off, the terminal selects text without Shift", NULL, UI_UNCHANGED) \
	X(WRITE,          ask,       'W', 0, 0,               UI_ANYWHERE,    UI_ALWAYS,      0, "write",    "write the settings file", NULL, UI_UNCHANGED) \
	X(REDRAW,         leave,     UI_CTRL('L'), 0, 0,      UI_ANYWHERE,    UI_ALWAYS,      0, "redraw",   "redraw the screen", NULL, UI_UNCHANGED) \
	X(SUSPEND,        leave,     UI_CTRL('Z'), 0, 0,      UI_ANYWHERE,    UI_ALWAYS,      0, "suspend",  "suspend the program", NULL, UI_UNCHANGED)
/* clang-format on */

enum ui_action {
#define UI_ACTION_ENUM(name, ...) ACTION_##name,
	UI_ACTIONS(UI_ACTION_ENUM)
#undef UI_ACTION_ENUM
	    ACTION_COUNT,
	ACTION_NONE = ACTION_COUNT
};

/* Reactions: what a handler changed. */
enum ui_reaction {
	UI_NOTHING = 0,
	UI_DIRTY = 1,	 /* redraw the picture */
	UI_RELAYOUT = 2, /* compute the layout anew */
	UI_REDRAW = 4,	 /* send the whole screen */
	UI_QUIT = 8,
	UI_SUSPEND = 16,
};

struct action_info {
	ui_key keys[3]; /* unused entries are UI_KEY_NONE */
	unsigned views, modes;
	int rank;
	const char *short_name, *help;
	const char *absent, *nothing; /* see UI_ACTIONS */
};

/* Return the row of an action; NULL for ACTION_NONE. */
const struct action_info *action_info(enum ui_action action);

/* Whether an action exists only in replays. */
bool action_is_replay(enum ui_action action);

/* Return a view's title: "stop-the-world".  Static storage. */
const char *view_title(enum ui_view view);

/* The available actions. */
struct action_set {
	bool there[ACTION_COUNT];
	enum ui_mode mode;
};

/* Return whether the set has an action in a view and its mode. */
bool action_available(const struct action_set *set, enum ui_action action, enum ui_view view);

/* Return the action of a key in a view; ACTION_NONE: the set has none. */
enum ui_action action_of_key(const struct action_set *set, ui_key key, enum ui_view view);

struct ui;

/* Draw the most important keys of a view into one row, each as a spot of `ui` (may be NULL).  `note` (a
 * message, the filter; may be NULL) is at the right and takes precedence over keys. */
void help_footer(struct ui *ui, struct canvas *canvas, struct rect line, const struct action_set *set,
    enum ui_view view, const char *note);

/* ---- tabs ---- */

#define TAB_TEXT 32

/* A view that can be shown, and the place of its text in the line, with a blank or a bracket on either
 * side. */
struct tab {
	enum ui_view view;
	int col, cols;
	char text[TAB_TEXT];
};

/* Lay out the tabs of a line of `width` columns, in shorter forms if there is less room.  Returns their
 * number. */
int tabs_lay_out(const struct action_set *set, enum ui_view view, int width, struct tab out[VIEW_COUNT]);
void tabs_draw(struct canvas *canvas, struct rect line, const struct action_set *set, enum ui_view view);

/* ---- help ---- */

/* The pages behind `?`: the keys of the view, then what colours, marks and words mean. */
enum help_page { HELP_OFF, HELP_KEYS, HELP_LEGEND };

/* Return the number of lines of a page, or how many of them fit on a screen. */
int help_lines(const struct action_set *set, enum ui_view view, enum help_page page);
int help_rows(struct rect screen);

/* Draw a page of the help in a centred box, starting at line `first`. */
void help_overlay(struct canvas *canvas, struct rect screen, const struct action_set *set, enum ui_view view,
    enum help_page page, int first);
