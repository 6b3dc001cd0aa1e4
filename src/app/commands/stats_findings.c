/*
 * stats_findings.c - print the findings as members of a JSON object, and as text of 80 columns.
 */
#include "app/commands/stats_findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/commands/json_members.h"
#include "core/sum.h"
#include "print/number.h"
#include "print/table.h"
#include "ui/widgets/finding_figure.h"

/* ---- JSON ---- */

/* Print the subject of a finding. */
static void json_subject(struct out *out, const struct advice_finding *f)
{
	char name[RTEV_NAME_SIZE];
	bool first = true;

	if (f->subject == ADVICE_OF_PROCESS) {
		out_text(out, "null");
		return;
	}
	out_char(out, '{');
	if (f->subject == ADVICE_OF_DOMAIN)
		out_member_unsigned(out, &first, "domain", f->domain);
	else if (f->subject == ADVICE_OF_USER)
		out_member_text(out, &first, "user", f->user);
	else
		out_member_text(out, &first, "phase", rtev_phase_name(f->phase, name));
	out_char(out, '}');
}

/* Print the figures of a finding. */
static void json_figures(struct out *out, const struct advice_finding *f)
{
	out_char(out, '[');
	for (unsigned i = 0; i < f->figure_count; i++) {
		bool first = true;
		out_text(out, i > 0 ? ",{" : "{");
		out_member_text(out, &first, "name", f->figures[i].name);
		out_member_number(out, &first, "value", f->figures[i].value);
		out_member_text(out, &first, "unit", advice_unit_name(f->figures[i].unit));
		out_char(out, '}');
	}
	out_char(out, ']');
}

/* Print a finding as JSON. */
static void json_finding(struct out *out, const struct advice_finding *f, uint64_t begin)
{
	bool first = true, inner = true;

	out_char(out, '{');
	out_member_text(out, &first, "name", f->name);
	out_member_text(out, &first, "severity", advice_severity_name(f->severity));
	out_member(out, &first, "subject");
	json_subject(out, f);
	out_member_seconds(out, &first, "since_s", f->since > begin ? f->since - begin : 0);
	out_member_seconds(out, &first, "window_s", f->window_ns);
	out_member_text(out, &first, "confidence", advice_confidence_name(f->confidence));
	out_member(out, &first, "cost");
	out_char(out, '{');
	out_member_number(out, &inner, "share", f->share);
	out_member_number(out, &inner, "seconds", f->seconds);
	out_member_number(out, &inner, "bytes", f->bytes);
	out_char(out, '}');
	out_member_number(out, &first, "gain_share", f->gain);
	out_member(out, &first, "evidence");
	json_figures(out, f);
	out_member(out, &first, "remedy");
	inner = true;
	out_char(out, '{');
	out_member_text(out, &inner, "setting", f->setting[0] != '\0' ? f->setting : NULL);
	out_member_text(out, &inner, "text", f->remedy);
	out_char(out, '}');
	out_member_text(out, &first, "text", f->text);
	out_char(out, '}');
}

void json_findings(struct out *out, bool *first, const struct advice *advice, uint64_t begin)
{
	size_t count, left_count;

	if (advice == NULL)
		return;
	const struct advice_finding *findings = advice_findings(advice, &count);
	const struct advice_left_out *left = advice_left_out(advice, &left_count);
	out_member(out, first, "findings");
	out_char(out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			out_char(out, ',');
		json_finding(out, &findings[i], begin);
	}
	out_char(out, ']');
	out_member(out, first, "findings_left_out");
	out_char(out, '[');
	for (size_t i = 0; i < left_count; i++) {
		bool inner = true;
		out_text(out, i > 0 ? ",{" : "{");
		out_member_text(out, &inner, "name", left[i].name);
		out_member_text(out, &inner, "why", left[i].why);
		out_char(out, '}');
	}
	out_char(out, ']');
}

void json_findings_summary(struct out *out, bool *first, const struct advice *advice)
{
	bool unexplained;

	if (advice == NULL)
		return;
	const char *summary = advice_summary(advice, &unexplained);
	out_member_text(out, first, "findings_summary", summary[0] != '\0' ? summary : NULL);
}

/* ---- text ---- */

/* Print a label and the text after it. */
static void labelled(struct out *out, const char *label, const char *text)
{
	out_format(out, "    %-9s", label);
	table_wrap(out, text, 13, 13);
}

/* Print a finding as text. */
static void text_finding(struct out *out, const struct advice_finding *f, uint64_t begin)
{
	char line[512], one[80];
	size_t used = 0;

	out_format(out, "  %s", f->severity == ADVICE_SERIOUS ? "! " : "- ");
	table_wrap(out, f->text, 4, 4);
	if (!isnan(f->share))
		snprintf(line, sizeof(line), "%.1f %% of the busy time, %s%s", 100 * f->share,
		    plain_time(whole_saturating(f->seconds * 1e9)).s,
		    f->confidence == ADVICE_ESTIMATED ? " (estimated)" : "");
	else if (!isnan(f->bytes))
		snprintf(line, sizeof(line), "%s%s", format_bytes(whole_saturating(f->bytes)).s,
		    f->confidence == ADVICE_ESTIMATED ? " (estimated)" : "");
	else
		snprintf(line, sizeof(line), "not known");
	labelled(out, "cost", line);
	if (!isnan(f->gain)) {
		snprintf(line, sizeof(line), "%.1f %% of the busy time, expected", 100 * f->gain);
		labelled(out, "gain", line);
	}
	line[0] = '\0';
	for (unsigned i = 0; i < f->figure_count && used < sizeof(line); i++) {
		finding_figure(&f->figures[i], one, sizeof(one));
		used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s", i > 0 ? ", " : "", one);
	}
	labelled(out, "evidence", line);
	snprintf(line, sizeof(line), "%s, from %s on; judged on %s", f->name,
	    plain_time(f->since > begin ? f->since - begin : 0).s, plain_time(f->window_ns).s);
	labelled(out, "found", line);
	labelled(out, "try", f->remedy);
}

void text_findings(struct out *out, const struct advice *advice, uint64_t begin)
{
	size_t count, left_count;
	const struct advice_finding *findings = advice_findings(advice, &count);
	const struct advice_left_out *left = advice_left_out(advice, &left_count);

	bool unexplained;
	const char *summary = advice_summary(advice, &unexplained);

	out_text(out, count > 0 ? "\nfindings\n" : "\nfindings: ");
	for (size_t i = 0; i < count; i++)
		text_finding(out, &findings[i], begin);
	if (summary[0] != '\0') {
		out_text(out, count > 0 ? "  " : "");
		table_wrap(out, summary, count > 0 ? 2 : 10, 4);
	}
	/* Rules with the same reason share one line; those whose condition does not hold are told if it is
	 * asked why. */
	for (size_t i = 0; i < left_count; i++) {
		char line[1024];
		size_t used = 0, k = 0;
		while (k < i && strcmp(left[k].why, left[i].why) != 0)
			k++;
		if (k < i || (left[i].unmet && !unexplained))
			continue;
		used = (size_t)snprintf(
		    line, sizeof(line), "%s (%s):", left[i].unmet ? "not found" : "not judged", left[i].why);
		for (k = i; k < left_count && used < sizeof(line); k++)
			if (strcmp(left[k].why, left[i].why) == 0)
				used +=
				    (size_t)snprintf(line + used, sizeof(line) - used, " %s", left[k].name);
		out_text(out, "  ");
		table_wrap(out, line, 2, 4);
	}
}
