/*
 * finding_figure.c - a figure that a finding rests on, as text.
 */
#include "ui/widgets/finding_figure.h"

#include <stdio.h>

#include "core/sum.h"
#include "print/number.h"

void finding_figure(const struct advice_figure *f, char *buf, size_t size)
{
	struct formatted text;

	switch (f->unit) {
	case ADVICE_UNIT_SHARE:
		text = format_percent(f->value);
		break;
	case ADVICE_UNIT_SECONDS:
		text = format_duration(whole_saturating(f->value * 1e9));
		break;
	case ADVICE_UNIT_BYTES:
		text = format_bytes(whole_saturating(f->value));
		break;
	case ADVICE_UNIT_BYTE_RATE:
		text = format_byte_rate(f->value);
		break;
	case ADVICE_UNIT_WORDS:
		text = format_words(whole_saturating(f->value));
		break;
	case ADVICE_UNIT_RATE:
		text = format_rate(f->value);
		break;
	case ADVICE_UNIT_CORES:
		snprintf(text.s, sizeof(text.s), "%.1f", f->value);
		break;
	default:
		text = format_count(whole_saturating(f->value));
		break;
	}
	snprintf(buf, size, "%s %s", f->name, text.s);
	for (char *c = buf; *c != '\0'; c++)
		if (*c == '_')
			*c = ' ';
}
