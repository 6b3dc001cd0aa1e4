/*
 * theme.c - the tables of looks and glyphs, made from the lists in theme.h.
 */
#include "canvas/theme.h"

#include <assert.h>

enum { N = 0, B = THEME_BOLD, D = THEME_DIM, R = THEME_REVERSE, U = THEME_UNDERLINE };

static const struct {
	const char *name;
	struct theme_look looks[THEME_COUNT];
} styles[STYLE_COUNT] = {
#define STYLE(name, text, fu, bu, fd, bd, fl, bl, a, f16, b16, a16, f8, b8, a8, mono)                        \
	{text, {[THEME_256] = {fu, bu, a},                                                                   \
		   [THEME_DARK] = {fd, bd, a},                                                               \
		   [THEME_LIGHT] = {fl, bl, a},                                                              \
		   [THEME_16] = {f16, b16, a16},                                                             \
		   [THEME_8] = {f8, b8, a8},                                                                 \
		   [THEME_MONO] = {-1, -1, mono}}},
    THEME_STYLES(STYLE)
#undef STYLE
};

static const uint16_t glyphs[GLYPH_COUNT][GLYPHS_COUNT] = {
#define GLYPH(name, ascii, lines, blocks) {ascii, lines, blocks},
    THEME_GLYPHS(GLYPH)
#undef GLYPH
};

static const struct theme_class classes[] = {
#define CLASS(name, words)                                                                                   \
	[RTEV_CLASS_##name] = {                                                                              \
	    STYLE_PHASE_##name, STYLE_INK_##name, STYLE_GRAPH_##name, GLYPH_FILL_##name, words},
    THEME_CLASSES(CLASS)
#undef CLASS
};

static_assert(sizeof(classes) / sizeof(classes[0]) == RTEV_CLASS_COUNT, "one row for each class");

static const uint16_t rising[GLYPHS_COUNT][9] = {
    {' ', '_', '.', ':', '-', '=', '+', '*', '#'},
    {' ', '_', '_', 0x2584, 0x2584, 0x2584, 0x2584, 0x2588, 0x2588},
    {' ', 0x2581, 0x2582, 0x2583, 0x2584, 0x2585, 0x2586, 0x2587, 0x2588},
};

static const uint16_t growing[GLYPHS_COUNT][9] = {
    {' ', ' ', ' ', '=', '=', '=', '#', '#', '#'},
    {' ', ' ', ' ', 0x258c, 0x258c, 0x258c, 0x2588, 0x2588, 0x2588},
    {' ', 0x258f, 0x258e, 0x258d, 0x258c, 0x258b, 0x258a, 0x2589, 0x2588},
};

static const uint16_t shades[GLYPHS_COUNT][9] = {
    {' ', '.', '.', ':', ':', '=', '=', '#', '#'},
    {' ', 0x2591, 0x2591, 0x2592, 0x2592, 0x2592, 0x2593, 0x2593, 0x2588},
    {' ', 0x2591, 0x2591, 0x2592, 0x2592, 0x2592, 0x2593, 0x2593, 0x2588},
};

struct theme_look theme_look(enum theme_id theme, enum style style)
{
	if ((unsigned)theme >= THEME_COUNT)
		theme = THEME_MONO;
	if ((unsigned)style >= STYLE_COUNT)
		style = STYLE_TEXT;
	return styles[style].looks[theme];
}

struct theme_look theme_on_light(enum style style, struct theme_look look)
{
	/* A phase is known by the colour of its boxes. */
	const bool graph = style >= STYLE_GRAPH_MINOR && style <= STYLE_GRAPH_UNKNOWN;
	const bool bright = look.foreground >= 8, text = !graph && look.background < 0;

	switch (text ? look.foreground - 8 * bright : -1) {
	case 3: /* yellow, which is worth attention */
		look.attributes |= THEME_BOLD;
		/* fallthrough */
	case 2: /* green */
		look.foreground = -1;
		break;
	case 6: /* cyan */
		look.foreground = 4;
		break;
	default:
		break;
	}
	return look;
}

const char *theme_style_name(enum style style)
{
	return (unsigned)style < STYLE_COUNT ? styles[style].name : "text";
}

/* Replace an invalid level by ASCII. */
static enum glyph_level level_of(enum glyph_level level)
{
	return (unsigned)level < GLYPHS_COUNT ? level : GLYPHS_ASCII;
}

uint32_t theme_glyph(enum glyph_level level, enum glyph glyph)
{
	return (unsigned)glyph < GLYPH_COUNT ? glyphs[glyph][level_of(level)] : ' ';
}

uint32_t theme_translate(enum glyph_level level, uint32_t code_point)
{
	for (size_t i = 0; code_point >= 0x80 && i < GLYPH_COUNT; i++)
		if (glyphs[i][GLYPHS_BLOCKS] == code_point)
			return glyphs[i][level_of(level)];
	return code_point;
}

uint32_t theme_rising(enum glyph_level level, int eighths)
{
	return rising[level_of(level)][eighths < 0 ? 0 : eighths > 8 ? 8 : eighths];
}

uint32_t theme_growing(enum glyph_level level, int eighths)
{
	return growing[level_of(level)][eighths < 0 ? 0 : eighths > 8 ? 8 : eighths];
}

uint32_t theme_shade(enum glyph_level level, int eighths)
{
	return shades[level_of(level)][eighths < 0 ? 0 : eighths > 8 ? 8 : eighths];
}

uint32_t theme_dots(int left, int right)
{
	static const uint8_t dots[2][5] = {{0, 0x40, 0x44, 0x46, 0x47}, {0, 0x80, 0xa0, 0xb0, 0xb8}};
	uint32_t set = dots[0][left < 0	  ? 0
			       : left > 4 ? 4
					  : left] |
		       dots[1][right < 0   ? 0
			       : right > 4 ? 4
					   : right];
	return set != 0 ? 0x2800 | set : ' ';
}

const struct theme_class *theme_class(enum rtev_phase_class class)
{
	return &classes[(unsigned)class < RTEV_CLASS_COUNT ? class : RTEV_CLASS_UNKNOWN];
}
