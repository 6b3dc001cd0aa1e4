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

/* The distance of two colours in CIE L*a*b*; a just noticeable one is about 2. */
static double distance(struct rgb p, struct rgb q)
{
	double lab[2][3];
	const struct rgb *colours[2] = {&p, &q};
	for (int i = 0; i < 2; i++) {
		const struct rgb *c = colours[i];
		double x = lab_curve((0.4124 * c->r + 0.3576 * c->g + 0.1805 * c->b) / 0.9505);
		double y = lab_curve(0.2126 * c->r + 0.7152 * c->g + 0.0722 * c->b);
		double z = lab_curve((0.0193 * c->r + 0.1192 * c->g + 0.9505 * c->b) / 1.089);
		lab[i][0] = 116 * y - 16;
		lab[i][1] = 500 * (x - y);
		lab[i][2] = 200 * (y - z);
	}
	return sqrt(
	    pow(lab[0][0] - lab[1][0], 2) + pow(lab[0][1] - lab[1][1], 2) + pow(lab[0][2] - lab[1][2], 2));
}

static const struct rgb black = {0, 0, 0}, white = {1, 1, 1};

/* Text on a fill has contrast 4.5:1, text on the terminal's own ground 3:1 on black and on white. */
static void test_contrast(void)
{
	for (int i = 0; i < STYLE_COUNT; i++) {
		struct theme_look look = theme_look(THEME_256, (enum style)i);
		const char *name = theme_style_name((enum style)i);
		if (look.background >= 0) {
			if (look.foreground < 16 || look.background < 16)
				TEST_FAIL("%s: a fill needs both colours, of the fixed palette", name);
			double ratio = contrast(palette(look.foreground), palette(look.background));
			if (ratio < 4.5)
				TEST_FAIL("%s: contrast %.2f on its fill", name, ratio);
		} else if (look.foreground >= 0) {
			if (look.foreground < 16)
				TEST_FAIL("%s: colour %d differs between terminals", name, look.foreground);
			double dark = contrast(palette(look.foreground), black);
			double light = contrast(palette(look.foreground), white);
			if (dark < 3 || light < 3)
				TEST_FAIL("%s: contrast %.2f on black, %.2f on white", name, dark, light);
		}
	}
}

/* The fills of any two families differ clearly, also for those who can't tell red from green. */
static void test_families_differ(void)
{
	static const char *const eyes[] = {"normal", "protanope", "deuteranope"};
	for (int eye = NORMAL; eye <= DEUTERANOPE; eye++) {
		double least = 1000;
		for (int a = 0; a < RTEV_CLASS_COUNT; a++) {
			for (int b = 0; b < a; b++) {
				int p = theme_look(THEME_256, theme_class_fill((enum rtev_phase_class)a))
					    .background;
				int q = theme_look(THEME_256, theme_class_fill((enum rtev_phase_class)b))
					    .background;
				double d = distance(
				    seen_by((enum eye)eye, palette(p)), seen_by((enum eye)eye, palette(q)));
				if (d < 20)
					TEST_FAIL("classes %d and %d: distance %.1f to a %s eye", a, b, d,
					    eyes[eye]);
				least = d < least ? d : least;
			}
		}
		printf("least distance of two families: %.1f (%s)\n", least, eyes[eye]);
	}
}

/* With 8 colours, families differ by fill or by attribute; no number is above 7. */
static void test_eight_colours(void)
{
	for (int i = 0; i < STYLE_COUNT; i++) {
		struct theme_look look = theme_look(THEME_8, (enum style)i);
		CHECK(look.foreground >= -1 && look.foreground < 8 && look.background >= -1 &&
		      look.background < 8);
		CHECK(look.foreground != look.background || look.foreground == -1);
	}
	for (int a = 0; a < RTEV_CLASS_COUNT; a++) {
		for (int b = 0; b < a; b++) {
			struct theme_look p = theme_look(THEME_8, theme_class_fill((enum rtev_phase_class)a));
			struct theme_look q = theme_look(THEME_8, theme_class_fill((enum rtev_phase_class)b));
			CHECK(p.background != q.background || p.attributes != q.attributes);
		}
	}
}

/* Without colours no style has any, and families differ by letter and by pattern at every level. */
static void test_mono(void)
{
	for (int i = 0; i < STYLE_COUNT; i++) {
		struct theme_look look = theme_look(THEME_MONO, (enum style)i);
		CHECK(look.foreground == -1 && look.background == -1);
	}
	for (int a = 0; a < RTEV_CLASS_COUNT; a++) {
		for (int b = 0; b < a; b++) {
			enum rtev_phase_class p = (enum rtev_phase_class)a, q = (enum rtev_phase_class)b;
			CHECK(strcmp(theme_class_words(p), theme_class_words(q)) != 0);
			for (int level = 0; level < GLYPHS_COUNT; level++)
				CHECK(theme_glyph((enum glyph_level)level, theme_class_pattern(p)) !=
				      theme_glyph((enum glyph_level)level, theme_class_pattern(q)));
		}
	}
	/* States that must not be overlooked stand out without colour too. */
	CHECK(theme_look(THEME_MONO, STYLE_LOST).attributes & THEME_REVERSE);
	CHECK(theme_look(THEME_MONO, STYLE_PAUSED).attributes & THEME_REVERSE);
	CHECK(theme_look(THEME_MONO, STYLE_FROZEN).attributes & THEME_REVERSE);
	CHECK(theme_look(THEME_MONO, STYLE_SELECTED).attributes & THEME_REVERSE);
}

static void test_names(void)
{
	for (int i = 0; i < STYLE_COUNT; i++)
		for (int j = 0; j < i; j++)
			CHECK(strcmp(theme_style_name((enum style)i), theme_style_name((enum style)j)) != 0);
	CHECK_STR(theme_style_name(STYLE_COUNT), "text");
	CHECK_STR(theme_class_words(RTEV_CLASS_COUNT), theme_class_words(RTEV_CLASS_UNKNOWN));
	CHECK_INT(theme_class_fill((enum rtev_phase_class) - 1), STYLE_PHASE_UNKNOWN);
	CHECK_INT(theme_class_ink(RTEV_CLASS_MARK), STYLE_INK_MARK);
}

/* Every glyph takes one column and passes the canvas; those of a level keep to its characters. */
static void test_glyphs(void)
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

int main(void)
{
	RUN(test_contrast);
	RUN(test_families_differ);
	RUN(test_eight_colours);
	RUN(test_mono);
	RUN(test_names);
	RUN(test_glyphs);
	return 0;
}
