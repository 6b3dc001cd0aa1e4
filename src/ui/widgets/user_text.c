/* user_text.c - format user events. */
#include "ui/widgets/user_text.h"

#include "canvas/text.h"
#include "core/shown.h"

static const struct {
	const char *name;
	enum style style;
} kinds[MODEL_USER_KINDS] = {
    [MODEL_USER_UNIT] = {"unit", STYLE_USER_UNIT},
    [MODEL_USER_INT] = {"int", STYLE_USER_INT},
    [MODEL_USER_SPAN] = {"span", STYLE_USER_SPAN},
    [MODEL_USER_CUSTOM] = {"custom", STYLE_USER_CUSTOM},
};

void user_text_name(const struct model_user_slot *slot, char *buf, size_t size)
{
	const char *quote = shown_quote(slot->name, slot->name_len);

	snprintf(buf, size, "%s%.*s%s", quote, (int)slot->name_len, slot->name, quote);
}

const char *user_text_kind(enum model_user_kind kind)
{
	return kinds[kind].name;
}

enum style user_text_style(enum model_user_kind kind)
{
	return kinds[kind].style;
}

/* Return whether bytes are printable: UTF-8 without control characters other than tabs and a final
 * newline.  *len excludes a sequence cut off at the end of the kept part. */
static bool printable(const struct model_user *u, size_t *shown)
{
	size_t at = 0, end = u->kept;

	while (end > 0 && (u->data[end - 1] == '\n' || u->data[end - 1] == '\r'))
		end--;
	while (at < end) {
		uint32_t code_point;
		size_t took = text_decode(u->data + at, end - at, &code_point);
		if (code_point == 0xfffd && u->kept < u->len && u->kept - at < 4)
			break;
		if ((code_point < 0x20 && code_point != '\t') || (code_point >= 0x7f && code_point < 0xa0) ||
		    code_point == 0xfffd)
			return false;
		at += took;
	}
	*shown = at;
	return end > 0;
}

void user_text_payload(const struct model_user *u, char *buf, size_t size)
{
	size_t shown, at = 0;

	buf[0] = '\0';
	if (printable(u, &shown)) {
		snprintf(buf, size, "%.*s", (int)shown, (const char *)u->data);
		/* the width of a tab depends on the column */
		for (char *tab = strchr(buf, '\t'); tab != NULL; tab = strchr(tab, '\t'))
			*tab = ' ';
		return;
	}
	for (size_t i = 0; i < u->kept && at + 2 < size; i++, at += 2)
		snprintf(buf + at, size - at, "%02x", u->data[i]);
}

void user_text_spans(const struct model *model, const struct longest_span *span, char *buf, size_t size)
{
	char name[RTEV_USER_NAME_SIZE + 16];

	if (span->user_count == 0) {
		/* Without user events in the program, "none" would mean nothing. */
		snprintf(buf, size, "%s", model_user_slots(model) > 0 ? "none" : "");
	} else if (span->user_count == LONGEST_USERS || span->user_slot >= model_user_slots(model)) {
		snprintf(buf, size, "%u spans", span->user_count);
	} else {
		user_text_name(model_user_slot(model, span->user_slot), name, sizeof(name));
		if (span->user_count > 1)
			snprintf(buf, size, "%s +%u", name, span->user_count - 1);
		else
			snprintf(buf, size, "%s", name);
	}
}
