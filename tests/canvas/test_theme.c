/*
 * test_theme.c - styles can be read and told apart: on dark and light ground, by colour-blind eyes, and
 * without colour.
 */
#include "support/test.h"

#include <math.h>

#include "canvas/text.h"
#include "canvas/theme.h"

struct rgb {
	double r, g, b; /* linear light, 0 to 1 */
};

/* Undo the transfer curve of sRGB. */
static double linear(int value)
{
	double v = value / 255.0;
	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* A colour of the xterm palette, 16 to 255 (the first 16 depend on the terminal). */
static struct rgb palette(int index)
{
	static const int levels[] = {0, 95, 135, 175, 215, 255};
	if (index >= 232) {
		double grey = linear(8 + (index - 232) * 10);
		return (struct rgb){grey, grey, grey};
	}
	index -= 16;
	return (struct rgb){
	    linear(levels[index / 36]), linear(levels[index / 6 % 6]), linear(levels[index % 6])};
}

static double luminance(struct rgb c)
{
	return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
}

/* The contrast ratio of WCAG 2. */
static double contrast(struct rgb a, struct rgb b)
{
	double x = luminance(a), y = luminance(b);
	return x > y ? (x + 0.05) / (y + 0.05) : (y + 0.05) / (x + 0.05);
}

/* What the colour looks like to an eye, by the matrices of Machado, Oliveira and Fernandes (2009) for full
 * deficiency. */
enum eye { NORMAL, PROTANOPE, DEUTERANOPE };

static struct rgb seen_by(enum eye eye, struct rgb c)
{
	static const double m[3][3][3] = {
	    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
		{-0.003882, -0.048116, 1.051998}},
	    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
		{-0.011820, 0.042940, 0.968881}},
	};
	double out[3];
	for (int i = 0; i < 3; i++) {
		double v = m[eye][i][0] * c.r + m[eye][i][1] * c.g + m[eye][i][2] * c.b;
		out[i] = v < 0 ? 0 : v > 1 ? 1 : v;
	}
	return (struct rgb){out[0], out[1], out[2]};
}

/* CIE L*a*b*'s curve. */
static double lab_curve(double t)
{
	return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

struct lab {
	double l, a, b;
};

static struct lab lab_of(struct rgb c)
{
	double x = lab_curve((0.4124 * c.r + 0.3576 * c.g + 0.1805 * c.b) / 0.9505);
	double y = lab_curve(0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b);
	double z = lab_curve((0.0193 * c.r + 0.1192 * c.g + 0.9505 * c.b) / 1.089);
	return (struct lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

static double radians(double degrees)
{
	return degrees * acos(-1) / 180;
}

/* The angle of a hue in degrees, 0 to 360. */
static double hue_of(double a, double b)
{
	double h = a == 0 && b == 0 ? 0 : atan2(b, a) * 180 / acos(-1);
	return h < 0 ? h + 360 : h;
}

/* The distance of two colours by CIEDE2000, as G. Sharma, W. Wu and E. Dalal (2005) write it down; a just noticeable
 * one is about 1. */
static double ciede2000(struct lab p, struct lab q)
{
	double mean = (hypot(p.a, p.b) + hypot(q.a, q.b)) / 2;
	double g = 0.5 * (1 - sqrt(pow(mean, 7) / (pow(mean, 7) + pow(25, 7))));
	double c1 = hypot(p.a * (1 + g), p.b), c2 = hypot(q.a * (1 + g), q.b);
	double h1 = hue_of(p.a * (1 + g), p.b), h2 = hue_of(q.a * (1 + g), q.b);
	double turn = c1 * c2 == 0     ? 0
		      : h2 - h1 > 180  ? h2 - h1 - 360
		      : h2 - h1 < -180 ? h2 - h1 + 360
				       : h2 - h1;
	double hue = c1 * c2 == 0	    ? h1 + h2
		     : fabs(h1 - h2) <= 180 ? (h1 + h2) / 2
		     : h1 + h2 < 360	    ? (h1 + h2 + 360) / 2
					    : (h1 + h2 - 360) / 2;
	double l = (p.l + q.l) / 2 - 50, c = (c1 + c2) / 2;
	double t = 1 - 0.17 * cos(radians(hue - 30)) + 0.24 * cos(radians(2 * hue)) +
		   0.32 * cos(radians(3 * hue + 6)) - 0.2 * cos(radians(4 * hue - 63));
	double rotation = -sin(radians(60 * exp(-pow((hue - 275) / 25, 2)))) * 2 *
			  sqrt(pow(c, 7) / (pow(c, 7) + pow(25, 7)));
	double dl = (q.l - p.l) / (1 + 0.015 * l * l / sqrt(20 + l * l));
	double dc = (c2 - c1) / (1 + 0.045 * c);
	double dh = 2 * sqrt(c1 * c2) * sin(radians(turn / 2)) / (1 + 0.015 * c * t);
	return sqrt(dl * dl + dc * dc + dh * dh + rotation * dc * dh);
}

/* Pairs and their distances from the paper of the formula. */
TEST(test_distance)
{
	static const struct {
		struct lab p, q;
		double distance;
	} known[] = {
	    {{50, 2.6772, -79.7751}, {50, 0, -82.7485}, 2.0425},
	    {{50, -1.3802, -84.2814}, {50, 0, -82.7485}, 1.0000},
	    {{50, 0, 0}, {50, -1, 2}, 2.3669},
	    {{50, 2.49, -0.001}, {50, -2.49, 0.0011}, 7.2195},
	    {{50, 2.5, 0}, {73, 25, -18}, 27.1492},
	    {{50, 2.5, 0}, {58, 24, 15}, 19.4535},
	    {{60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}, 1.2644},
	    {{22.7233, 20.0904, -46.694}, {23.0331, 14.973, -42.5619}, 2.0373},
	    {{2.0776, 0.0795, -1.135}, {0.9033, -0.0636, -0.5514}, 0.9082},
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (fabs(ciede2000(known[i].p, known[i].q) - known[i].distance) > 0.0001)
			TEST_FAIL("pair %zu: %.4f, not %.4f", i, ciede2000(known[i].p, known[i].q),
			    known[i].distance);
}

static const struct rgb black = {0, 0, 0}, white = {1, 1, 1};

/* Whether a style's foreground is a graph's, not a text's. */
static bool is_graph(const char *name)
{
	return strncmp(name, "graph_", 6) == 0 || strcmp(name, "spark") == 0 || strcmp(name, "bar") == 0;
}

/* Whether it carries nothing: frames and the rest of a bar are dimmer than what they hold. */
static bool is_frame(const char *name)
{
	return strcmp(name, "bar_rest") == 0 || strcmp(name, "border") == 0;
}

/* The least contrast that a colour has on the grounds of a theme. */
static double on_ground(enum theme_id theme, int colour)
{
	double dark = theme == THEME_LIGHT ? 21 : contrast(palette(colour), black);
	double light = theme == THEME_DARK ? 21 : contrast(palette(colour), white);
	return dark < light ? dark : light;
}

/* Text has contrast 4.5:1 on its fill or on the ground; graphs have 3:1, and fills on every ground. */
TEST(test_contrast)
{
	for (int i = 0; i < STYLE_COUNT * 3; i++) {
		enum theme_id theme = (enum theme_id)(THEME_256 + i % 3);
		struct theme_look look = theme_look(theme, (enum style)(i / 3));
		const char *name = theme_style_name((enum style)(i / 3));
		if (look.foreground < 0 && look.background < 0)
			continue;
		if (look.foreground < 16 || (look.background >= 0 && look.background < 16))
			TEST_FAIL(
			    "%s: not of the fixed palette: %d on %d", name, look.foreground, look.background);
		double text = look.background >= 0
				  ? contrast(palette(look.foreground), palette(look.background))
				  : on_ground(theme, look.foreground);
		if (text < (is_frame(name) ? 1.4 : is_graph(name) ? 3 : 4.5))
			TEST_FAIL("%s: contrast %.2f (theme %d)", name, text, theme);
		if (look.background >= 0 && on_ground(THEME_256, look.background) < 3)
			TEST_FAIL(
			    "%s: its fill has contrast %.2f", name, on_ground(THEME_256, look.background));
	}
}

/* The colour that carries the meaning of a style. */
static int colour_of(enum theme_id theme, enum style style)
{
	struct theme_look look = theme_look(theme, style);
	return look.background >= 0 ? look.background : look.foreground;
}

/* Styles of a list differ from each other for every eye; tells the least distance. */
static void check_apart(const char *what, enum theme_id theme, const enum style *styles, int count)
{
	static const char *const eyes[] = {"normal", "protanope", "deuteranope"};
	double least = 1000;
	for (int i = 0; i < count * count * 3; i++) {
		enum style a = styles[i / 3 / count], b = styles[i / 3 % count];
		enum eye eye = (enum eye)(i % 3);
		if (a <= b)
			continue;
		double d = ciede2000(lab_of(seen_by(eye, palette(colour_of(theme, a)))),
		    lab_of(seen_by(eye, palette(colour_of(theme, b)))));
		if (d < 10)
			TEST_FAIL("%s and %s: distance %.1f to a %s eye (theme %d)", theme_style_name(a),
			    theme_style_name(b), d, eyes[eye], theme);
		least = d < least ? d : least;
	}
	printf("least distance of two %s: %.1f (theme %d)\n", what, least, theme);
}

/* What stands side by side differs clearly, also for those who can't tell red from green. */
TEST(test_neighbours_differ)
{
	static const enum style states[] = {STYLE_LOST, STYLE_PAUSED, STYLE_FROZEN, STYLE_REPLAY},
				degrees[] = {STYLE_GOOD, STYLE_WARN, STYLE_BAD},
				gaps[] = {STYLE_GAP_LOST, STYLE_GAP_PAUSED},
				frames[] = {STYLE_FRAME, STYLE_FRAME_LIBRARY, STYLE_FRAME_UNKNOWN,
				    STYLE_MERGED},
				groups[] = {
				    STYLE_GROUP_1, STYLE_GROUP_2, STYLE_GROUP_3, STYLE_GROUP_4, STYLE_MERGED};
	enum style fills[RTEV_CLASS_COUNT + 1], graphs[RTEV_CLASS_COUNT];
	for (int c = 0; c < RTEV_CLASS_COUNT; c++) {
		fills[c] = theme_class((enum rtev_phase_class)c)->fill;
		graphs[c] = theme_class((enum rtev_phase_class)c)->graph;
	}
	fills[RTEV_CLASS_COUNT] = STYLE_MERGED;
	for (int t = THEME_256; t <= THEME_LIGHT; t++) {
		enum theme_id theme = (enum theme_id)t;
		check_apart("fills", theme, fills, RTEV_CLASS_COUNT + 1);
		check_apart("graphs", theme, graphs, RTEV_CLASS_COUNT);
		check_apart("states", theme, states, 4);
		check_apart("degrees", theme, degrees, 3);
		check_apart("gaps", theme, gaps, 2);
		check_apart("frames", theme, frames, 4);
		check_apart("groups", theme, groups, 5);
		for (int c = 0; c < RTEV_CLASS_COUNT; c++)
			CHECK_INT(colour_of(theme, fills[c]), colour_of(theme, graphs[c]));
	}
}

/* The hue of a fill, in degrees. */
static double hue_of_fill(enum rtev_phase_class class)
{
	struct lab c = lab_of(palette(colour_of(THEME_256, theme_class(class)->fill)));
	CHECK(hypot(c.a, c.b) > 20);
	return hue_of(c.a, c.b);
}

/* The phases of the major collector are shades of one hue, from which those of others are far. */
TEST(test_hues)
{
	static const enum rtev_phase_class major[] = {RTEV_CLASS_MAJOR, RTEV_CLASS_MARK, RTEV_CLASS_SWEEP},
					   others[] = {RTEV_CLASS_MINOR, RTEV_CLASS_STW,
					       RTEV_CLASS_COMPACTION, RTEV_CLASS_EXPLICIT};
	for (int i = 0; i < 3; i++) {
		CHECK(fabs(hue_of_fill(major[i]) - hue_of_fill(major[0])) <= 25);
		for (int j = 0; j < 4; j++) {
			double apart = fabs(hue_of_fill(major[i]) - hue_of_fill(others[j]));
			CHECK((apart > 180 ? 360 - apart : apart) >= 45);
		}
	}
}

/* With 8 or 16 colours, families differ by fill or by attribute; no number is above those that there are. */
TEST(test_few_colours)
{
	for (int i = 0; i < STYLE_COUNT * 2; i++) {
		enum theme_id theme = i % 2 == 0 ? THEME_8 : THEME_16;
		int colours = theme == THEME_8 ? 8 : 16;
		struct theme_look look = theme_look(theme, (enum style)(i / 2));
		CHECK(look.foreground >= -1 && look.foreground < colours && look.background >= -1 &&
		      look.background < colours);
		CHECK(look.foreground != look.background || look.foreground == -1);
	}
	for (int i = 0; i < RTEV_CLASS_COUNT * RTEV_CLASS_COUNT * 2; i++) {
		enum theme_id theme = i % 2 == 0 ? THEME_8 : THEME_16;
		int a = i / 2 / RTEV_CLASS_COUNT, b = i / 2 % RTEV_CLASS_COUNT;
		struct theme_look p = theme_look(theme, theme_class((enum rtev_phase_class)a)->fill);
		struct theme_look q = theme_look(theme, theme_class((enum rtev_phase_class)b)->fill);
		CHECK(a == b || p.background != q.background || p.attributes != q.attributes);
	}
}

/* On a light ground no text is green, yellow, cyan or white, which have less than 3:1 there in 8 colours and in 16. */
TEST(test_few_colours_on_light)
{
	const unsigned pale = (1 << 2 | 1 << 3 | 1 << 6 | 1 << 7) * 0x101u;

	for (int i = 0; i < STYLE_COUNT * 2; i++) {
		const enum style style = (enum style)(i / 2);
		const struct theme_look own = theme_look(i % 2 == 0 ? THEME_8 : THEME_16, style),
					look = theme_on_light(style, own);
		if (style >= STYLE_GRAPH_MINOR && style <= STYLE_GRAPH_UNKNOWN)
			CHECK_INT(look.foreground, own.foreground);
		else if (look.background < 0 && look.foreground >= 0 && (pale >> look.foreground & 1) != 0)
			TEST_FAIL("style %d in colour %d", i / 2, look.foreground);
	}
}

/* Without colours no style has any, and families differ by letter and by pattern at every level. */
TEST(test_mono)
{
	for (int i = 0; i < STYLE_COUNT; i++) {
		struct theme_look look = theme_look(THEME_MONO, (enum style)i);
		CHECK(look.foreground == -1 && look.background == -1);
	}
	for (int a = 0; a < RTEV_CLASS_COUNT; a++) {
		for (int b = 0; b < a; b++) {
			enum rtev_phase_class p = (enum rtev_phase_class)a, q = (enum rtev_phase_class)b;
			CHECK(strcmp(theme_class(p)->words, theme_class(q)->words) != 0);
			for (int level = 0; level < GLYPHS_COUNT; level++)
				CHECK(theme_glyph((enum glyph_level)level, theme_class(p)->pattern) !=
				      theme_glyph((enum glyph_level)level, theme_class(q)->pattern));
		}
	}
	/* States that must not be overlooked stand out without colour too. */
	CHECK(theme_look(THEME_MONO, STYLE_LOST).attributes & THEME_REVERSE);
	CHECK(theme_look(THEME_MONO, STYLE_PAUSED).attributes & THEME_REVERSE);
	CHECK(theme_look(THEME_MONO, STYLE_FROZEN).attributes & THEME_REVERSE);
	CHECK(theme_look(THEME_MONO, STYLE_SELECTED).attributes & THEME_REVERSE);
}

TEST(test_names)
{
	for (int i = 0; i < STYLE_COUNT; i++)
		for (int j = 0; j < i; j++)
			CHECK(strcmp(theme_style_name((enum style)i), theme_style_name((enum style)j)) != 0);
	CHECK_STR(theme_style_name(STYLE_COUNT), "text");
	CHECK_STR(theme_class(RTEV_CLASS_COUNT)->words, theme_class(RTEV_CLASS_UNKNOWN)->words);
	CHECK_INT(theme_class((enum rtev_phase_class) - 1)->fill, STYLE_PHASE_UNKNOWN);
	CHECK_INT(theme_class(RTEV_CLASS_MARK)->ink, STYLE_INK_MARK);
}

/* Every glyph takes one column and passes the canvas; those of a level keep to its characters. */
TEST(test_glyphs)
{
	for (int i = 0; i < GLYPH_COUNT; i++) {
		for (int level = 0; level < GLYPHS_COUNT; level++) {
			uint32_t c = theme_glyph((enum glyph_level)level, (enum glyph)i);
			CHECK_INT(width_of(c), 1);
			CHECK(level != GLYPHS_ASCII || (c >= 0x20 && c < 0x7f));
			char bytes[4];
			struct text_reader reader =
			    text_read((enum glyph_level)level, bytes, text_encode(c, bytes));
			uint32_t back;
			int columns;
			CHECK(text_next(&reader, &back, &columns));
			CHECK_INT(back, c);
		}
	}
	for (int level = 0; level < GLYPHS_COUNT; level++) {
		CHECK_INT(theme_rising((enum glyph_level)level, 0), ' ');
		CHECK_INT(theme_growing((enum glyph_level)level, -5), ' ');
		CHECK_INT(
		    theme_rising((enum glyph_level)level, 99), theme_rising((enum glyph_level)level, 8));
		CHECK_INT(theme_growing((enum glyph_level)level, 8),
		    theme_glyph((enum glyph_level)level, GLYPH_FULL));
	}
	CHECK_INT(theme_rising(GLYPHS_BLOCKS, 3), 0x2583);
	CHECK_INT(theme_growing(GLYPHS_BLOCKS, 3), 0x258d);
	CHECK_INT(theme_glyph((enum glyph_level)77, GLYPH_VLINE), '|');
}
