/*
 * print.c - the columns of a report: one table for text and JSON.
 *
 * A field never contains a blank.  A value that is not known is "-", in JSON null.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/batch/batch.h"
#include "print/json.h"
#include "print/table.h"

enum field_kind { FIELD_NUMBER, FIELD_WORD };

/* A field of one line. */
struct field {
	enum field_kind kind;
	double number;	  /* NAN: not known */
	int decimals;	  /* of the number */
	const char *word; /* NULL: not known; untrusted bytes */
};

/* One line: a member, or one of its domains. */
struct line {
	const struct batch_time *at;
	const struct fleet_member *member;
	const struct fleet_rates *rates; /* NULL: none are known */
	bool of_domain;
	unsigned domain;
};

/* Return a field with a number with decimals. */
static struct field number(double value, int decimals)
{
	return (struct field){.kind = FIELD_NUMBER, .number = value, .decimals = decimals};
}

/* Return a field with a whole number. */
static struct field count(double value)
{
	return number(value, 0);
}

/* Return a field with a word. */
static struct field word(const char *text)
{
	return (struct field){.kind = FIELD_WORD, .word = text != NULL && text[0] != '\0' ? text : NULL};
}

/* Return a value that only a line of the whole process has. */
static double of_process(const struct line *l, double value)
{
	return l->of_domain || l->rates == NULL ? NAN : value;
}

/* Return a field with seconds. */
static struct field seconds(double ns)
{
	return number(ns / 1e9, 9);
}

static struct field report(const struct line *l)
{
	return count((double)l->at->number);
}

static struct field wall(const struct line *l)
{
	return number((double)l->at->wall_ns / 1e9, 3);
}

static struct field interval(const struct line *l)
{
	const struct fleet_figures *f = &l->member->figures;

	return number(l->rates != NULL ? (double)(f->to - f->from) / 1e9 : NAN, 3);
}

static struct field pid(const struct line *l)
{
	return count(l->member->pid != 0 ? (double)l->member->pid : NAN);
}

static struct field name(const struct line *l)
{
	return word(l->member->name);
}

static struct field state(const struct line *l)
{
	return word(fleet_state_name(l->member->state));
}

static struct field ocaml(const struct line *l)
{
	return word(l->member->ocaml);
}

static struct field ocaml_from(const struct line *l)
{
	return word(l->member->ocaml_from);
}

static struct field domains(const struct line *l)
{
	return count(of_process(l, l->member->figures.running));
}

static struct field cpu(const struct line *l)
{
	return number(of_process(l, l->member->figures.cpu), 2);
}

/* A rate of the line; NAN when no rates are known. */
#define RATE(member) (l->rates != NULL ? l->rates->member : NAN)

static struct field gc(const struct line *l)
{
	return number(RATE(gc_share), 6);
}

static struct field minors(const struct line *l)
{
	return number(RATE(minors), 3);
}

static struct field majors(const struct line *l)
{
	return number(RATE(majors), 3);
}

static struct field p50(const struct line *l)
{
	return seconds(RATE(pause_p50));
}

static struct field p99(const struct line *l)
{
	return seconds(RATE(pause_p99));
}

static struct field longest(const struct line *l)
{
	return seconds(RATE(pause_max));
}

static struct field allocated(const struct line *l)
{
	return count(round(RATE(allocated)));
}

static struct field promoted(const struct line *l)
{
	return count(round(RATE(promoted)));
}

static struct field heap(const struct line *l)
{
	return count(RATE(heap_bytes));
}

static struct field resident(const struct line *l)
{
	return count(of_process(l, l->member->figures.resident_bytes));
}

static struct field events(const struct line *l)
{
	return number(RATE(events), 1);
}

static struct field lost(const struct line *l)
{
	return count(RATE(lost_words));
}

static struct field domain(const struct line *l)
{
	return count(l->of_domain ? (double)l->domain : (double)NAN);
}

/* X(name in JSON, name in the text, columns, function).  The order is part of the documented format. */
#define COLUMNS(X)                                                                                           \
	X("report", "REPORT", 6, report)                                                                     \
	X("time", "TIME", 14, wall)                                                                          \
	X("interval_s", "INTERVAL", 8, interval)                                                             \
	X("pid", "PID", 8, pid)                                                                              \
	X("name", "NAME", -16, name)                                                                         \
	X("state", "STATE", -12, state)                                                                      \
	X("ocaml", "OCAML", -8, ocaml)                                                                       \
	X("ocaml_from", "FROM", -8, ocaml_from)                                                              \
	X("domains", "DOMAINS", 7, domains)                                                                  \
	X("cpu", "CPU", 5, cpu)                                                                              \
	X("gc_share", "GC", 8, gc)                                                                           \
	X("minor_per_s", "MINOR/S", 9, minors)                                                               \
	X("major_per_s", "MAJOR/S", 8, majors)                                                               \
	X("pause_p50_s", "P50", 11, p50)                                                                     \
	X("pause_p99_s", "P99", 11, p99)                                                                     \
	X("pause_max_s", "MAX", 11, longest)                                                                 \
	X("alloc_bytes_per_s", "ALLOC/S", 11, allocated)                                                     \
	X("promoted_bytes_per_s", "PROMOTED/S", 10, promoted)                                                \
	X("heap_bytes", "HEAP", 11, heap)                                                                    \
	X("resident_bytes", "RESIDENT", 11, resident)                                                        \
	X("events_per_s", "EVENTS/S", 10, events)                                                            \
	X("lost_words", "LOST", 6, lost)

static const struct column {
	const char *json, *text;
	int width; /* negative: left-aligned */
	struct field (*read)(const struct line *l);
} columns[] = {
#define X(json, text, width, function) {json, text, width, function},
    COLUMNS(X)
#undef X
    /* The column domain is shown with --by-domain alone. */
    {"domain", "DOMAIN", 6, domain},
};
enum { WITH_DOMAIN = sizeof(columns) / sizeof(columns[0]), WITHOUT_DOMAIN = WITH_DOMAIN - 1 };

bool batch_column(size_t i, const char **text, const char **json)
{
	if (i >= WITH_DOMAIN)
		return false;
	*text = columns[i].text;
	*json = columns[i].json;
	return true;
}

void batch_print_head(struct out *out, bool by_domain)
{
	for (int i = 0; i < (by_domain ? WITH_DOMAIN : WITHOUT_DOMAIN); i++) {
		table_blanks(out, i > 0);
		table_cell(out, columns[i].width, columns[i].text);
	}
	out_char(out, '\n');
}

/* Print a word in a column.  Bytes that a script would take for the end of the field, and those that control
 * a terminal, become '_'. */
static void text_word(struct out *out, const char *text, int width)
{
	char safe[256];
	size_t len = 0;

	for (; text[len] != '\0' && len < sizeof(safe) - 1; len++)
		safe[len] = (unsigned char)text[len] <= ' ' || text[len] == 0x7f ? '_' : text[len];
	safe[len] = '\0';
	table_cell(out, width, safe);
}

/* Print a field as text. */
static void text_field(struct out *out, const struct field *f, int width)
{
	if (f->kind == FIELD_WORD)
		text_word(out, f->word != NULL ? f->word : "-", width);
	else if (isnan(f->number))
		table_cell(out, width, "-");
	else
		out_format(out, "%*.*f", width, f->decimals, f->number);
}

/* Print a line in one format. */
static void line_print(struct out *out, const struct line *l, bool by_domain, bool json)
{
	struct json j = {.out = out};

	if (json)
		json_begin_object(&j, NULL);
	for (int i = 0; i < (by_domain ? WITH_DOMAIN : WITHOUT_DOMAIN); i++) {
		struct field f = columns[i].read(l);
		if (!json) {
			table_blanks(out, i > 0);
			text_field(out, &f, columns[i].width);
		} else if (f.kind == FIELD_WORD) {
			json_put_text(&j, columns[i].json, f.word);
		} else {
			json_put_fixed(&j, columns[i].json, f.number, f.decimals);
		}
	}
	if (json)
		json_end(&j);
	else
		out_char(out, '\n');
}

void batch_print(
    struct out *out, const struct batch_time *at, const struct fleet_member *m, bool by_domain, bool json)
{
	const struct fleet_figures *f = &m->figures;
	struct line l = {.at = at, .member = m, .rates = f->known ? &f->all : NULL};

	if (!by_domain || !f->known) {
		line_print(out, &l, by_domain, json);
		return;
	}
	l.of_domain = true;
	for (l.domain = 0; l.domain < f->domain_count; l.domain++)
		if (f->domain_seen[l.domain]) {
			l.rates = &f->domains[l.domain];
			line_print(out, &l, by_domain, json);
		}
}
