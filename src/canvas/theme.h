/*
 * theme.h - styles and glyphs, named by their meaning.
 *
 * A *style* names the meaning of a cell (a title, a value, the bar of a minor collection), never a colour.  A
 * *theme* defines the look of each style for one kind of terminal: 256 colours on a dark, light or unknown
 * background, 16 or 8 colours, or attributes only.  A *glyph* names the meaning of a character (a bullet, the
 * loss mark, the corner of a box), and each *level* has a character for it.
 *
 * Colours: fills and graphs are the same on every background, with a contrast of at least 3:1.  A fill sets
 * both colours, and its text has 4.5:1 or more.  Text without a fill has 4.5:1 on its background; on an
 * unknown one, on black and on white.  Few colours have that, so attention and worse are fills there.  Phases
 * of the major collector are shades of one hue.  Fills of two phases, and the colours of two states, are at
 * least 10 apart by CIEDE2000, for normal, red-blind and green-blind eyes.  tests/canvas/test_theme.c
 * measures all of this.  No information is given by colour alone: a family also has labels and a pattern.
 *
 * Levels: ASCII is 7 bits.  LINES keeps to characters of code page 437, which the Linux console and old fonts
 * have. BLOCKS adds rounded corners, eighth blocks and braille.
 */
#pragma once

#include "core/std.h"
#include "rtev/events.h"

enum theme_attribute {
	THEME_BOLD = 1,
	THEME_DIM = 2,
	THEME_REVERSE = 4,
	THEME_UNDERLINE = 8,
};

enum theme_id { THEME_256, THEME_DARK, THEME_LIGHT, THEME_16, THEME_8, THEME_MONO, THEME_COUNT };

/* X(THEME, word): the themes that a user can choose. */
#define THEME_WORDS(X)                                                                                       \
	X(THEME_DARK, "dark")                                                                                \
	X(THEME_LIGHT, "light")                                                                              \
	X(THEME_MONO, "mono")

/*
 * X(NAME, name, colours and attributes): for 256 colours, foreground and background on an unknown, a dark and
 * a light background, then attributes; for 16 and for 8 colours, foreground, background, attributes; for
 * mono, attributes. -1 is the terminal's own colour.  Attributes: B bold, D dim, R reverse, U underline, N
 * none.
 */
/* clang-format off */
#define THEME_STYLES(X) \
	X(TEXT,             "text",              -1,  -1,   -1,  -1,   -1,  -1,  N,   -1, -1, N,   -1, -1, N,   N)   \
	X(TITLE,            "title",             -1,  -1,   -1,  -1,   -1,  -1,  B,   -1, -1, B,   -1, -1, B,   B)   \
	X(LABEL,            "label",             243,   -1,  246,   -1,  241,   -1, N,    -1, -1, N,   -1, -1, N,   N)  \
	X(VALUE,            "value",             -1,  -1,   -1,  -1,   -1,  -1,  N,   -1, -1, B,   -1, -1, B,   N)   \
	X(MUTED,            "muted",             243,   -1,  246,   -1,  241,   -1, N,    -1, -1, D,   -1, -1, D,   D)  \
	X(GOOD,             "good",               29,   -1,   36,   -1,   29,   -1, N,     2, -1, N,    2, -1, N,   N)  \
	X(WARN,             "warn",              16, 202,  220,  -1,  130,  -1,  B,    3, -1, N,    3, -1, N,   B)   \
	X(BAD,              "bad",              231, 160,  203,  -1,  124,  -1,  B,    1, -1, B,    1, -1, B,   B|U) \
	X(LOST,             "lost",             231, 160,  231, 160,  231, 160,  B,    7,  1, B,    7,  1, B,   R|B) \
	X(PAUSED,           "paused",            16, 202,   16, 202,   16, 202,  N,    0,  3, N,    0,  3, N,   R)   \
	X(FROZEN,           "frozen",             16,   68,   16,   68,   16,   68, N,     0,  6, N,    0,  6, N,   R)  \
	X(REPLAY,           "replay",            16, 139,   16, 139,   16, 139,  N,    0,  5, N,    0,  5, N,   R)   \
	X(RECORDING,        "recording",        231, 160,  203,  -1,  124,  -1,  B,    1, -1, B,    1, -1, B,   B)   \
	X(SELECTED,         "selected",          -1,  -1,   -1,  -1,   -1,  -1,  R,   -1, -1, R,   -1, -1, R,   R)   \
	X(HEADER,           "header",            243,   -1,  246,   -1,  241,   -1, U,    -1, -1, U,   -1, -1, U,   U)  \
	X(SORTED,           "sorted",            -1,  -1,   -1,  -1,   -1,  -1,  B|U, -1, -1, B|U, -1, -1, B|U, B|U) \
	X(BORDER,           "border",            244,   -1,  239,   -1,  251,   -1, N,     8, -1, N,   -1, -1, D,   N)  \
	X(FOCUS,            "focus",             63,  -1,   75,  -1,   26,  -1,  B,    6, -1, B,    6, -1, B,   B)   \
	X(KEY,              "key",                -1,   -1,  117,   -1,   25,   -1, B,    -1, -1, B,   -1, -1, B,   B)  \
	X(HINT,             "hint",              243,   -1,  246,   -1,  241,   -1, N,    -1, -1, N,   -1, -1, N,   N)  \
	X(INPUT,            "input",             -1,  -1,   -1,  -1,   -1,  -1,  U,   -1, -1, U,   -1, -1, U,   U)   \
	X(MATCH,            "match",             16, 136,   16, 136,   16, 136,  N,    0,  3, N,    0,  3, N,   R)   \
	X(SPARK,            "spark",              66,   -1,   73,   -1,   30,   -1, N,     6, -1, N,    6, -1, N,   N)  \
	X(BAR,              "bar",                66,   -1,   73,   -1,   30,   -1, N,     6, -1, N,    6, -1, N,   N)  \
	X(BAR_REST,         "bar_rest",          244,   -1,  237,   -1,  252,   -1, N,     8, -1, N,   -1, -1, D,   D)  \
	X(AXIS,             "axis",              243,   -1,  246,   -1,  241,   -1, N,    -1, -1, D,   -1, -1, D,   D)  \
	X(OWN,              "own",               243,   -1,  246,   -1,  241,   -1, N,    -1, -1, N,   -1, -1, N,   N)  \
	X(MERGED,           "merged",            231,  242,  231,  242,  231,  242, N,     0,  7, N,    0,  7, N,   N)  \
	X(GAP_LOST,         "gap_lost",         231, 160,  203,  -1,  124,  -1,  B,    1, -1, B,    1, -1, B,   B)   \
	X(GAP_PAUSED,       "gap_paused",        16, 202,  220,  -1,  130,  -1,  N,    3, -1, N,    3, -1, N,   D)   \
	X(USER_UNIT,        "user_unit",        131,  -1,  179,  -1,  130,  -1,  N,    3, -1, N,    3, -1, N,   N)   \
	X(USER_INT,         "user_int",          29,  -1,   36,  -1,   29,  -1,  N,    2, -1, N,    2, -1, N,   N)   \
	X(USER_SPAN,        "user_span",         63,  -1,   75,  -1,   26,  -1,  N,    6, -1, N,    6, -1, N,   N)   \
	X(USER_CUSTOM,      "user_custom",      163,  -1,  176,  -1,  127,  -1,  N,    5, -1, N,    5, -1, N,   N)   \
	X(PHASE_MINOR,      "phase_minor",       231,   25,  231,   25,  231,   25, N,     0, 12, N,    0,  6, N,   N)  \
	X(PHASE_MAJOR,      "phase_major",      231,  94,  231,  94,  231,  94,  N,    0,  3, N,    7,  4, B,   N)   \
	X(PHASE_MARK,       "phase_mark",         16,  137,   16,  137,   16,  137, N,     0, 11, N,    0,  3, N,   N)  \
	X(PHASE_SWEEP,      "phase_sweep",        16,  136,   16,  136,   16,  136, N,     0,  3, U,    0,  2, N,   N)  \
	X(PHASE_STW,        "phase_stw",         231,   96,  231,   96,  231,   96, N,    15,  5, B,    0,  5, N,   B)  \
	X(PHASE_INNER,      "phase_inner",       16,  68,   16,  68,   16,  68,  N,    0, 12, U,    0,  6, N,   N)   \
	X(PHASE_BARRIER,    "phase_barrier",     16, 139,   16, 139,   16, 139,  N,    0, 13, N,    0,  5, N,   B)   \
	X(PHASE_COMPACTION, "phase_compaction",  231,   27,  231,   27,  231,   27, N,    15,  1, B|U,  7,  1, B,   B|U)\
	X(PHASE_EXPLICIT,   "phase_explicit",     16,  105,   16,  105,   16,  105, N,    15,  4, N,    0,  7, N,   U)  \
	X(PHASE_IDLE,       "phase_idle",         16,  103,   16,  103,   16,  103, N,    15,  8, N,   -1, -1, N,   D)  \
	X(PHASE_UNKNOWN,    "phase_unknown",      16,  138,   16,  138,   16,  138, N,     0,  7, U,   -1, -1, R,   R)  \
	X(FRAME,            "frame",             16,  67,   16,  67,   16,  67,  N,    0,  6, N,    0,  6, N,   N)   \
	X(FRAME_LIBRARY,    "frame_library",     16, 137,   16, 137,   16, 137,  N,    0,  3, N,    0,  3, N,   N)   \
	X(FRAME_UNKNOWN,    "frame_unknown",      16,  246,   16,  246,   16,  246, N,    -1, -1, R,   -1, -1, R,   D)  \
	X(FRAME_OUTER,      "frame_outer",      243,  -1,  247,  -1,  241,  -1,  N,   -1, -1, N,   -1, -1, N,   N)   \
	X(GROUP_1,          "group_1",          231,  60,  231,  60,  231,  60,  N,   15,  4, N,    7,  4, N,   R)   \
	X(GROUP_2,          "group_2",           16, 100,   16, 100,   16, 100,  N,    0,  3, N,    0,  3, N,   R)   \
	X(GROUP_3,          "group_3",           16, 139,   16, 139,   16, 139,  N,    0,  5, N,    0,  5, N,   R)   \
	X(GROUP_4,          "group_4",          231,  27,  231,  27,  231,  27,  N,    0,  6, N,    0,  6, N,   R)   \
	X(GROUP_INK_1,      "group_ink_1",       63,  -1,  104,  -1,   60,  -1,  N,    4, -1, B,    4, -1, B,   N)   \
	X(GROUP_INK_2,      "group_ink_2",       29,  -1,  142,  -1,   58,  -1,  N,    3, -1, N,    3, -1, N,   N)   \
	X(GROUP_INK_3,      "group_ink_3",      163,  -1,  176,  -1,   96,  -1,  N,    5, -1, N,    5, -1, N,   N)   \
	X(GROUP_INK_4,      "group_ink_4",      131,  -1,   75,  -1,   27,  -1,  N,    6, -1, N,    6, -1, N,   N)   \
	X(INK_MINOR,        "ink_minor",          63,   -1,   68,   -1,   25,   -1, N,    12, -1, N,    6, -1, N,   N)  \
	X(INK_MAJOR,        "ink_major",         131,   -1,  137,   -1,   94,   -1, N,     3, -1, N,    4, -1, B,   N)  \
	X(INK_MARK,         "ink_mark",          131,   -1,  179,   -1,  130,   -1, N,     3, -1, N,    3, -1, N,   N)  \
	X(INK_SWEEP,        "ink_sweep",        131,  -1,  180,  -1,   94,  -1,  N,    2, -1, N,    2, -1, N,   N)   \
	X(INK_STW,          "ink_stw",           163,   -1,  139,   -1,   96,   -1, N,     5, -1, N,    5, -1, N,   B)  \
	X(INK_COMPACTION,   "ink_compaction",     63,   -1,   75,   -1,   27,   -1, N,     1, -1, B,    1, -1, B,   B|U)\
	X(INK_EXPLICIT,     "ink_explicit",       63,   -1,  105,   -1,   27,   -1, N,    -1, -1, N,   -1, -1, N,   U)  \
	X(INK_IDLE,         "ink_idle",         243,  -1,  247,  -1,  241,  -1,  N,   -1, -1, D,   -1, -1, D,   D)   \
	X(INK_UNKNOWN,      "ink_unknown",       -1,  -1,   -1,  -1,   -1,  -1,  N,   -1, -1, N,   -1, -1, N,   N)   \
	X(GRAPH_MINOR,      "graph_minor",        25,   -1,   25,   -1,   25,   -1, N,    12, -1, N,    6, -1, N,   N)  \
	X(GRAPH_MAJOR,      "graph_major",       94,  -1,   94,  -1,   94,  -1,  N,    3, -1, N,    4, -1, B,   N)   \
	X(GRAPH_MARK,       "graph_mark",        137,   -1,  137,   -1,  137,   -1, N,    11, -1, N,    3, -1, N,   N)  \
	X(GRAPH_SWEEP,      "graph_sweep",       136,   -1,  136,   -1,  136,   -1, N,     3, -1, U,    2, -1, N,   N)  \
	X(GRAPH_STW,        "graph_stw",          96,   -1,   96,   -1,   96,   -1, N,     5, -1, N,    5, -1, N,   B)  \
	X(GRAPH_INNER,      "graph_inner",        68,   -1,   68,   -1,   68,   -1, N,    12, -1, U,    6, -1, N,   N)  \
	X(GRAPH_BARRIER,    "graph_barrier",     139,   -1,  139,   -1,  139,   -1, N,    13, -1, N,    5, -1, N,   B)  \
	X(GRAPH_COMPACTION, "graph_compaction",   27,   -1,   27,   -1,   27,   -1, N,     1, -1, B,    1, -1, B,   B|U)\
	X(GRAPH_EXPLICIT,   "graph_explicit",    105,   -1,  105,   -1,  105,   -1, N,     4, -1, N,   -1, -1, N,   U)  \
	X(GRAPH_IDLE,       "graph_idle",        103,   -1,  103,   -1,  103,   -1, N,     8, -1, N,   -1, -1, D,   D)  \
	X(GRAPH_UNKNOWN,    "graph_unknown",     138,   -1,  138,   -1,  138,   -1, N,    -1, -1, N,   -1, -1, N,   N)
/* clang-format on */

enum style {
#define THEME_STYLE_ENUM(name, ...) STYLE_##name,
	THEME_STYLES(THEME_STYLE_ENUM)
#undef THEME_STYLE_ENUM
	    STYLE_COUNT
};

/* X(CLASS, description): one row for each enum rtev_phase_class, in the same order.  The styles PHASE_,
 * INK_ and GRAPH_ and the glyph FILL_ of a class have the same name. */
#define THEME_CLASSES(X)                                                                                     \
	X(MINOR, "minor collection")                                                                         \
	X(MAJOR, "major collection, its slices and cycle ends")                                              \
	X(MARK, "marking")                                                                                   \
	X(SWEEP, "sweeping")                                                                                 \
	X(STW, "stop-the-world: leader, handlers, barriers")                                                 \
	X(COMPACTION, "compaction")                                                                          \
	X(EXPLICIT, "asked for by the program")                                                              \
	X(IDLE, "waiting: no work of the collector")                                                         \
	X(UNKNOWN, "a phase that is not known here")

enum glyph_level { GLYPHS_ASCII, GLYPHS_LINES, GLYPHS_BLOCKS, GLYPHS_COUNT };

/* X(NAME, ASCII, LINES, BLOCKS): code points. */
/* clang-format off */
#define THEME_GLYPHS(X)                                                                                      \
	X(HLINE,           '-', 0x2500, 0x2500)                                                              \
	X(VLINE,           '|', 0x2502, 0x2502)                                                              \
	X(TOP_LEFT,        '+', 0x250c, 0x256d)                                                              \
	X(TOP_RIGHT,       '+', 0x2510, 0x256e)                                                              \
	X(BOTTOM_LEFT,     '+', 0x2514, 0x2570)                                                              \
	X(BOTTOM_RIGHT,    '+', 0x2518, 0x256f)                                                              \
	X(TEE_LEFT,        '+', 0x251c, 0x251c)                                                              \
	X(TEE_RIGHT,       '+', 0x2524, 0x2524)                                                              \
	X(DIVIDER,         '|', 0x2502, 0x258f)                                                              \
	X(ELLIPSIS,        '~',    '~', 0x2026)                                                              \
	X(BULLET,          '*', 0x2022, 0x25cf)                                                              \
	X(HOLLOW,          'o', 0x25cb, 0x25cb)                                                              \
	X(PAUSE,           '=', 0x2551, 0x2016)                                                              \
	X(FREEZE,          '#', 0x25a0, 0x25a0)                                                              \
	X(WELL,            '+', 0x221a, 0x2713)                                                              \
	X(ATTENTION,       '!', 0x25b2, 0x25b2)                                                              \
	X(WRONG,           'X',    'x', 0x2717)                                                              \
	X(SWATCH,          '#', 0x25a0, 0x25a0)                                                              \
	X(ENDED,           'x', 0x25a1, 0x25a1)                                                              \
	X(LOSS,            '!', 0x203c, 0x2573)                                                              \
	X(RECORD,          '@', 0x25d9, 0x25c9)                                                              \
	X(NO_SAMPLE,       ' ',    ' ',    ' ')                                                              \
	X(DOT,             '.', 0x00b7, 0x00b7)                                                              \
	X(DOWN,            'v', 0x2193, 0x2193)                                                              \
	X(ASCENDING,       '+', 0x25b2, 0x25b4)                                                              \
	X(DESCENDING,      '-', 0x25bc, 0x25be)                                                              \
	X(ARROW_LEFT,      '<', 0x2190, 0x2190)                                                              \
	X(ARROW_RIGHT,     '>', 0x2192, 0x2192)                                                              \
	X(POINTER,         '>', 0x25ba, 0x25b8)                                                              \
	X(AT_LEAST,        '>', 0x2265, 0x2265)                                                              \
	X(AT_MOST,         '<', 0x2264, 0x2264)                                                              \
	X(FULL,            '#', 0x2588, 0x2588)                                                              \
	X(BAR_REST,        '-', 0x2500, 0x2500)                                                              \
	X(LEVEL,           '=', 0x2550, 0x2501)                                                              \
	X(TICK,            '|', 0x2502, 0x2575)                                                              \
	X(REPLACEMENT,     '?',    '?', 0xfffd)                                                              \
	X(FILL_MINOR,      '.', 0x2591, 0x2591)                                                              \
	X(FILL_MAJOR,      '=', 0x2592, 0x2592)                                                              \
	X(FILL_MARK,       '+', 0x2593, 0x2593)                                                              \
	X(FILL_SWEEP,      '-', 0x2500, 0x2500)                                                              \
	X(FILL_STW,        '#', 0x2261, 0x2261)                                                              \
	X(FILL_COMPACTION, '@', 0x25a0, 0x25a0)                                                              \
	X(FILL_EXPLICIT,   '*', 0x2022, 0x2022)                                                              \
	X(FILL_IDLE,       ' ', 0x00b7, 0x00b7)                                                              \
	X(FILL_FRAME,      '=', 0x2592, 0x2592)                                                              \
	X(FILL_LIBRARY,    '.', 0x2591, 0x2591)                                                              \
	X(FILL_UNKNOWN,    '?',    '?',    '?')
/* clang-format on */

enum glyph {
#define THEME_GLYPH_ENUM(name, ascii, lines, blocks) GLYPH_##name,
	THEME_GLYPHS(THEME_GLYPH_ENUM)
#undef THEME_GLYPH_ENUM
	    GLYPH_COUNT
};

/* The look of a style in a theme: palette numbers (-1 is the terminal's own colour) and theme_attribute bits. */
struct theme_look {
	int16_t foreground, background;
	uint8_t attributes;
};

/* The look of a style.  An invalid style looks like STYLE_TEXT. */
struct theme_look theme_look(enum theme_id theme, enum style style);

/* What a look of 8 or 16 colours is on a light ground, where text in yellow, green and cyan can't be read. */
struct theme_look theme_on_light(enum style style, struct theme_look look);

/* The style's name as in THEME_STYLES, for tests and settings.  Static storage, never NULL. */
const char *theme_style_name(enum style style);

/* The glyph's character at a level. */
uint32_t theme_glyph(enum glyph_level level, enum glyph glyph);

/* Translate a character that is a glyph at the BLOCKS level to the given level.  Other characters are
 * returned unchanged. */
uint32_t theme_translate(enum glyph_level level, uint32_t code_point);

/* The character for a cell filled by 0 (empty) to 8 (full) eighths from below, from the left, or as a shade.
 * A level without that character uses the nearest one that it has.  Other values are clamped. */
uint32_t theme_rising(enum glyph_level level, int eighths);
uint32_t theme_growing(enum glyph_level level, int eighths);
uint32_t theme_shade(enum glyph_level level, int eighths);

/* X(NAME, name): what graphs are drawn with.  Braille needs the BLOCKS level. */
#define THEME_GRAPHS(X)                                                                                      \
	X(GRAPH_BRAILLE, "braille")                                                                          \
	X(GRAPH_BLOCKS, "blocks")                                                                            \
	X(GRAPH_ASCII, "ascii")

enum theme_graph { THEME_GRAPHS(LIST_NAME) GRAPH_COUNT };

/* The braille character with 0 to 4 dots, from below, in its left and its right column. */
uint32_t theme_dots(int left, int right);

/* The look of a phase class: a style for fills (text on it stays readable), for text, and for the part of a cell beside
 * fills; the pattern of fills without colours; its description. */
struct theme_class {
	enum style fill, ink, graph;
	enum glyph pattern;
	const char *words;
};

/* An invalid class counts as unknown. */
const struct theme_class *theme_class(enum rtev_phase_class class);
