/*
 * test_unseen.c - foreign text reaches no terminal with a character that nobody sees, whichever way it takes:
 * as a line of text, as JSON or through the canvas.  Every other character goes as it is.
 */
#include "support/test.h"

#include <sys/mman.h>
#include <unistd.h>

#include "print/out.h"
#include "canvas/text.h"
#include "support/unseen.h"

/* Check what out_foreign or out_json_string makes of a text. */
static void check_put(void (*put)(struct out *out, const char *text, size_t len), const char *text,
    size_t len, const char *expected)
{
	static struct out out;
	static char got[1 << 14];
	int fd = memfd_create("text", 0);

	CHECK(fd >= 0);
	out_init(&out, fd);
	put(&out, text, len);
	CHECK_INT(out_flush(&out), 0);
	ssize_t size = pread(fd, got, sizeof(got) - 1, 0);
	CHECK(size >= 0);
	got[size] = '\0';
	CHECK_STR(got, expected);
	close(fd);
}

/* Every character as a part of a line of text, and of a JSON string. */
TEST(test_lines)
{
	enum { TOGETHER = 256 };
	for (uint32_t first = 0; first < 0x110000; first += TOGETHER) {
		char text[5 * TOGETHER], expected[17 * TOGETHER + 1] = "", json[13 * TOGETHER + 3] = "\"";
		size_t len = 0, at = 0, json_at = 1;
		for (uint32_t code = first; code < first + TOGETHER; code++) {
			if (code >= 0xd800 && code <= 0xdfff)
				continue;
			size_t size = text_encode(code, text + len);
			for (size_t i = 0; i < size; i++)
				at += (size_t)snprintf(expected + at, sizeof(expected) - at,
				    unseen(code) ? "\\x%02x" : "%c", (unsigned char)text[len + i]);
			if (unseen(code) && code > 0xffff)
				json_at += (size_t)sprintf(json + json_at, "\\u%04x\\u%04x",
				    (unsigned)(0xd800 + ((code - 0x10000) >> 10)),
				    (unsigned)(0xdc00 + (code - 0x10000) % 0x400));
			else if (unseen(code))
				json_at += (size_t)sprintf(json + json_at, "\\u%04x", (unsigned)code);
			else
				json_at += (size_t)sprintf(json + json_at, "%s%.*s",
				    code == '"' || code == '\\' ? "\\" : "", (int)size, text + len);
			len += size;
			text[len++] = expected[at++] = json[json_at++] = ',';
		}
		expected[at] = '\0';
		check_put(out_foreign, text, len, expected);
		strcpy(json + json_at, "\"");
		check_put(out_json_string, text, len, json);
	}
}

/* Every byte at every place of a text that is looked at several bytes at a time, as a line and as a JSON
 * string. */
TEST(test_places)
{
	enum { LEN = 19 };

	for (int byte = 0; byte < 256; byte++)
		for (int at = 0; at < LEN; at++) {
			char text[LEN], mid[8], expected[64];
			memset(text, 'a', LEN);
			text[at] = (char)byte;
			/* Its neighbour has the least and the most that is printable. */
			text[(at + 1) % LEN] = at % 2 == 0 ? ' ' : '~';
			snprintf(mid, sizeof(mid), byte < 0x20 || byte > 0x7e ? "\\x%02x" : "%c", byte);
			snprintf(expected, sizeof(expected), "%.*s%s%.*s", at, text, mid, LEN - 1 - at,
			    text + at + 1);
			check_put(out_foreign, text, LEN, expected);
			if (byte > 0x7f)
				snprintf(mid, sizeof(mid), "\\ufffd");
			else if (byte < 0x20 || byte == 0x7f)
				snprintf(mid, sizeof(mid), "\\u00%02x", byte);
			else
				snprintf(mid, sizeof(mid), byte == '"' || byte == '\\' ? "\\%c" : "%c", byte);
			snprintf(expected, sizeof(expected), "\"%.*s%s%.*s\"", at, text, mid, LEN - 1 - at,
			    text + at + 1);
			check_put(out_json_string, text, LEN, expected);
		}
}

/* Every character on a canvas, at each level of glyphs. */
TEST(test_canvas)
{
	for (uint32_t code = 0; code < 0x110000; code++)
		for (int level = 0; level < GLYPHS_COUNT; level++) {
			char text[4];
			struct text_reader reader =
			    text_read((enum glyph_level)level, text, text_encode(code, text));
			uint32_t shown;
			int columns;
			bool any = text_next(&reader, &shown, &columns);
			if (any && unseen(shown))
				TEST_FAIL("U+%04X is shown as U+%04X", (unsigned)code, (unsigned)shown);
			if (level == GLYPHS_BLOCKS && !unseen(code) && (code < 0xd800 || code > 0xdfff))
				CHECK(any && shown == code);
		}
}
