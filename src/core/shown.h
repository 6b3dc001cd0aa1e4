/*
 * shown.h - which characters of untrusted text may be displayed.
 *
 * Names and paths come from the traced program and the file system.  Some characters control the terminal,
 * change the direction of text or break the line; others are invisible and make two names look alike.  All
 * code that prints text uses this table, and chooses the replacement itself.  Terms and sets are those of
 * Unicode 15.1: general categories Cc, Zl and Zp, noncharacters, Default_Ignorable_Code_Point, and other
 * format characters without a glyph.
 */
#pragma once

#include "core/utf8.h"

enum shown {
	SHOWN,	      /* display as it is */
	SHOWN_NEVER,  /* a control, or blank but taking up space */
	SHOWN_JOINER, /* zero width: joins or modifies its neighbours */
};

/* Classify a code point. */
static inline enum shown shown_of(uint32_t code)
{
	static const struct {
		uint32_t first, last;
		enum shown how;
	} ranges[] = {
	    {0x00, 0x1f, SHOWN_NEVER},	      /* Cc */
	    {0x7f, 0x9f, SHOWN_NEVER},	      /* DEL, Cc */
	    {0xad, 0xad, SHOWN_JOINER},	      /* soft hyphen */
	    {0x34f, 0x34f, SHOWN_JOINER},     /* combining grapheme joiner */
	    {0x61c, 0x61c, SHOWN_NEVER},      /* Arabic letter mark */
	    {0x115f, 0x1160, SHOWN_NEVER},    /* Hangul fillers */
	    {0x17b4, 0x17b5, SHOWN_NEVER},    /* Khmer inherent vowels */
	    {0x180b, 0x180f, SHOWN_JOINER},   /* Mongolian variation selectors */
	    {0x200b, 0x200d, SHOWN_JOINER},   /* zero width space, joiners */
	    {0x200e, 0x200f, SHOWN_NEVER},    /* marks of direction */
	    {0x2028, 0x202e, SHOWN_NEVER},    /* separators of lines, embeddings and overrides */
	    {0x2060, 0x2064, SHOWN_JOINER},   /* word joiner, invisible operators */
	    {0x2065, 0x206f, SHOWN_NEVER},    /* isolates, deprecated format characters */
	    {0x3164, 0x3164, SHOWN_NEVER},    /* Hangul filler */
	    {0xfdd0, 0xfdef, SHOWN_NEVER},    /* noncharacters */
	    {0xfe00, 0xfe0f, SHOWN_JOINER},   /* variation selectors */
	    {0xfeff, 0xfeff, SHOWN_JOINER},   /* byte order mark */
	    {0xffa0, 0xffa0, SHOWN_NEVER},    /* halfwidth Hangul filler */
	    {0xfff0, 0xfffb, SHOWN_NEVER},    /* unassigned, interlinear annotation */
	    {0x13430, 0x1343f, SHOWN_NEVER},  /* Egyptian hieroglyph format controls */
	    {0x1bca0, 0x1bca3, SHOWN_NEVER},  /* shorthand format controls */
	    {0x1d173, 0x1d17a, SHOWN_NEVER},  /* musical beams and slurs */
	    {0xe0000, 0xe00ff, SHOWN_NEVER},  /* tags */
	    {0xe0100, 0xe01ef, SHOWN_JOINER}, /* variation selectors */
	    {0xe01f0, 0xe0fff, SHOWN_NEVER},  /* unassigned, ignorable */
	};

	/* Fast path: most text and box drawing; no range of the table lies here. */
	if ((code >= 0x20 && code < 0x7f) || (code > 0x206f && code < 0x3164))
		return SHOWN;
	if ((code & 0xfffe) == 0xfffe)
		return SHOWN_NEVER;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]) && ranges[i].first <= code; i++)
		if (code <= ranges[i].last)
			return ranges[i].how;
	return SHOWN;
}

/* The quote to put at both ends of a name whose ends would be invisible (it is empty, or begins or ends with
 * a blank); "" for other names. */
static inline const char *shown_quote(const char *name, size_t len)
{
	bool blank = true;
	size_t size;

	/* Fast path for most names. */
	if (len > 0 && name[0] > ' ' && name[len - 1] > ' ')
		return "";
	for (size_t at = 0; at < len; at += size) {
		uint32_t code;
		blank =
		    utf8_decode(name + at, len - at, &size, &code) &&
		    (code == ' ' || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
			code == 0x202f || code == 0x205f || code == 0x3000);
		if (blank && at == 0)
			break;
	}
	return blank ? "\"" : "";
}
