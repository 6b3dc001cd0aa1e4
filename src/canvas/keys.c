/*
 * keys.c - names of keys.
 */
#include "canvas/keys.h"

#include "canvas/text.h"

struct key_name ui_key_name(ui_key key)
{
	static const char *const names[] = {
#define NAME(name, text) text,
	    UI_NAMED_KEYS(NAME)
#undef NAME
	};
	struct key_name out = {""};
	if (key == UI_KEY_NONE || key >= UI_KEY_LIMIT)
		return out;
	if (key > UI_KEY_BASE)
		snprintf(out.s, sizeof(out.s), "%s", names[key - UI_KEY_BASE - 1]);
	else if (key == ' ')
		snprintf(out.s, sizeof(out.s), "Space");
	else if (key < 0x20)
		snprintf(out.s, sizeof(out.s), "Ctrl-%c", (char)(key + '@'));
	else
		out.s[text_encode(key, out.s)] = '\0';
	return out;
}
