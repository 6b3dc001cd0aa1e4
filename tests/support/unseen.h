/*
 * unseen.h - the characters of foreign text that nobody may print: what steers a terminal or the direction of
 * the text, breaks lines, or takes a place without showing anything.  Named from Unicode 15.1: general
 * category Cc; Zl and Zp; the noncharacters; Default_Ignorable_Code_Point (DerivedCoreProperties.txt), which
 * holds the bidirectional controls, joiners, fillers, variation selectors and tags; and the format characters
 * beside it that show nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static const struct {
	uint32_t first, last;
} unseen_ranges[] = {
    {0x0, 0x1f},
    {0x7f, 0x9f}, /* Cc */
    {0xad, 0xad},
    {0x34f, 0x34f},
    {0x61c, 0x61c}, /* Default_Ignorable_Code_Point from here on */
    {0x115f, 0x1160},
    {0x17b4, 0x17b5},
    {0x180b, 0x180f},
    {0x200b, 0x200f},
    {0x2028, 0x2029}, /* Zl, Zp */
    {0x202a, 0x202e},
    {0x2060, 0x206f},
    {0x3164, 0x3164},
    {0xfdd0, 0xfdef}, /* noncharacters */
    {0xfe00, 0xfe0f},
    {0xfeff, 0xfeff},
    {0xffa0, 0xffa0},
    {0xfff0, 0xfff8},
    {0xfff9, 0xfffb},
    {0x13430, 0x1343f}, /* Cf: interlinear annotation, Egyptian hieroglyph format */
    {0x1bca0, 0x1bca3},
    {0x1d173, 0x1d17a},
    {0xe0000, 0xe0fff},
};

/* Whether a character is one of them. */
static inline bool unseen(uint32_t code)
{
	if ((code & 0xfffe) == 0xfffe)
		return true;
	for (size_t i = 0; i < sizeof(unseen_ranges) / sizeof(unseen_ranges[0]); i++)
		if (code >= unseen_ranges[i].first && code <= unseen_ranges[i].last)
			return true;
	return false;
}
