/*
 * rule.c - helpers for rules to fill in a finding.
 */
#include "advice/rule.h"

#include <stdarg.h>
#include <stdio.h>

void figure(struct advice_finding *out, const char *name, double value, enum advice_unit unit)
{
	if (out->figure_count < ADVICE_FIGURES)
		out->figures[out->figure_count++] = (struct advice_figure){name, value, unit};
}

void cost_time(struct advice_finding *out, const struct evidence *e, double ns)
{
	out->seconds = (e->busy_ns > 0 && ns > e->busy_ns ? e->busy_ns : ns) / 1e9;
	out->share = evidence_share(e, ns);
}

void say(struct advice_finding *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(out->text, sizeof(out->text), format, args);
	va_end(args);
}

void advise(struct advice_finding *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(out->remedy, sizeof(out->remedy), format, args);
	va_end(args);
}

void setting_words(struct advice_finding *out, char letter, uint64_t words)
{
	snprintf(out->setting, sizeof(out->setting), "%c=%.21s", letter, format_setting(words).s);
}
