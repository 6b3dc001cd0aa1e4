/* sentence.c - see sentence.h. */
#include "advice/sentence.h"

#include "core/utf8.h"

struct sentence_name sentence_name(const char *text, size_t len, size_t most)
{
	static const char between[] = "...";
	const size_t room = most < SENTENCE_NAME - 1 ? most : SENTENCE_NAME - 1,
		     rest = room - strlen(between);
	const size_t head = (size_t)utf8_fit(text, len, len > room ? rest / 2 : room);
	size_t tail = len > room ? len - (rest - head) : len;
	struct sentence_name name;
	char *to = name.s;

	while (tail < len && ((unsigned char)text[tail] & 0xc0) == 0x80)
		tail++;
	for (size_t i = 0; i < len; i++) {
		if (i == head)
			to = stpcpy(to, between);
		if (i < head || i >= tail)
			*to++ = strchr(SAY_MORE("") SAY_MOST(""), text[i]) != NULL ? '?' : text[i];
	}
	*to = '\0';
	return name;
}

/* Copy a marked sentence without the parts that a length omits: 0 is the longest, 2 the shortest.  "": it
 * does not fit. */
static void take(const char *marked, int length, char *out, size_t size)
{
	size_t used = 0;
	bool in = true;

	for (; *marked != '\0' && used < size; marked++)
		if (*marked == SAY_MORE("")[0])
			in = length < 2;
		else if (*marked == SAY_MOST("")[0])
			in = length < 1;
		else if (*marked == SAY_MORE("")[1])
			in = true;
		else if (in)
			out[used++] = *marked;
	out[used < size ? used : 0] = '\0';
}

void sentence_vprint(struct sentence *out, const char *format, va_list args)
{
	char marked[SENTENCE_TEXT];

	utf8_print(marked, sizeof(marked), format, args);
	take(marked, 0, out->text, sizeof(out->text));
	for (int i = 0; i < 2; i++)
		take(marked, i + 1, out->shorter[i], sizeof(out->shorter[i]));
}

void sentence_print(struct sentence *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sentence_vprint(out, format, args);
	va_end(args);
}
