/*
 * characters.c - set the locale; a static program encodes UTF-8 itself if there is no locale for it.
 *
 * `builtin` is set when characters are encoded here.  The encoding has no state, so an mbstate_t is left
 * alone.
 */
#include "tty/characters.h"

#include <langinfo.h>
#include <locale.h>
#include <strings.h>
#include <wchar.h>

#ifdef RTEV_STATIC
static bool builtin;
#endif

/* Whether the name of a locale, such as de_DE.utf8@euro, says that its encoding is UTF-8. */
static bool names_utf8(const char *name)
{
	const char *dot = name != NULL ? strchr(name, '.') : NULL;
	size_t len = dot != NULL ? strcspn(dot, "@") : 0;

	return (len == 5 && strncasecmp(dot, ".utf8", len) == 0) ||
	       (len == 6 && strncasecmp(dot, ".utf-8", len) == 0);
}

void characters_set(const char *name)
{
	if (setlocale(LC_CTYPE, "") != NULL || !names_utf8(name) || setlocale(LC_CTYPE, "C.UTF-8") != NULL)
		return;
#ifdef RTEV_STATIC
	builtin = true;
#endif
}

bool characters_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

#ifdef RTEV_STATIC

#include "canvas/text.h"

/* The C library's functions, and those that the linker puts in their place. */
char *__real_nl_langinfo(nl_item item);
char *__wrap_nl_langinfo(nl_item item);
int __real_wcwidth(wchar_t c);
int __wrap_wcwidth(wchar_t c);
size_t __real_wcrtomb(char *out, wchar_t c, mbstate_t *state);
size_t __wrap_wcrtomb(char *out, wchar_t c, mbstate_t *state);
size_t __real_wcsrtombs(char *out, const wchar_t **text, size_t size, mbstate_t *state);
size_t __wrap_wcsrtombs(char *out, const wchar_t **text, size_t size, mbstate_t *state);
int __real_mbtowc(wchar_t *out, const char *bytes, size_t len);
int __wrap_mbtowc(wchar_t *out, const char *bytes, size_t len);
int __real_mblen(const char *bytes, size_t len);
int __wrap_mblen(const char *bytes, size_t len);

char *__wrap_nl_langinfo(nl_item item)
{
	static char utf8[] = "UTF-8";

	return builtin && item == CODESET ? utf8 : __real_nl_langinfo(item);
}

int __wrap_wcwidth(wchar_t c)
{
	if (!builtin)
		return __real_wcwidth(c);
	if (c == 0)
		return 0;
	return c < 0x20 || (c >= 0x7f && c < 0xa0) ? -1 : width_of((uint32_t)c);
}

size_t __wrap_wcrtomb(char *out, wchar_t c, mbstate_t *state)
{
	if (!builtin)
		return __real_wcrtomb(out, c, state);
	return out != NULL ? text_encode((uint32_t)c, out) : 1;
}

size_t __wrap_wcsrtombs(char *out, const wchar_t **text, size_t size, mbstate_t *state)
{
	const wchar_t *at = *text;
	char bytes[4];
	size_t len = 0;

	if (!builtin)
		return __real_wcsrtombs(out, text, size, state);
	for (;; at++) {
		size_t more = text_encode((uint32_t)*at, bytes);
		if (out != NULL && len + more > size)
			break;
		if (out != NULL)
			memcpy(out + len, bytes, more);
		if (*at == L'\0') {
			at = NULL;
			break;
		}
		len += more;
	}
	if (out != NULL)
		*text = at;
	return len;
}

int __wrap_mbtowc(wchar_t *out, const char *bytes, size_t len)
{
	char again[4];
	uint32_t code;

	if (!builtin)
		return __real_mbtowc(out, bytes, len);
	if (bytes == NULL)
		return 0;
	size_t used = len != 0 ? text_decode(bytes, len, &code) : 0;
	/* An invalid or incomplete character decodes as another one. */
	if (used == 0 || text_encode(code, again) != used || memcmp(bytes, again, used) != 0)
		return -1;
	if (out != NULL)
		*out = (wchar_t)code;
	return code != 0 ? (int)used : 0;
}

int __wrap_mblen(const char *bytes, size_t len)
{
	return builtin ? __wrap_mbtowc(NULL, bytes, len) : __real_mblen(bytes, len);
}
#endif
