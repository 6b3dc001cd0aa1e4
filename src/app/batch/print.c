/*
 * print.c - the columns of a report: one table for text and JSON.
 *
 * A field never contains a blank.  A value that is not known is "-", in JSON null.
 */
#include "app/batch/batch.h"
#include "print/json.h"

/* One line: a member, or one of its domains. */
struct line {
	double report, wall, interval, pid, domain;
	const char *name, *state, *ocaml, *ocaml_from, *events, *verdict,
	    *headline;		       /* untrusted bytes; NULL: not known */
	struct window_figures figures; /* of a domain only `all` is known */
};

#define LINE(member) false, offsetof(struct line, member)
#define TEXT(member) true, offsetof(struct line, member), 0, 0
#define RATES(member) LINE(figures.all.member)
#define PROCESS(member) LINE(figures.member)

/* The order is part of the documented format. */
static const struct column {
	const char *json, *text;
	int width; /* negative: left-aligned */
	bool word;
	size_t offset; /* offset of the word or the number in the line */
	int decimals;
	double unit; /* divisor of the number */
} columns[] = {
    {"report", "REPORT", 6, LINE(report), 0, 1},
    {"time", "TIME_S", 14, LINE(wall), 3, 1e9},
    {"interval_s", "INTERVAL_S", 10, LINE(interval), 3, 1e9},
    {"pid", "PID", 8, LINE(pid), 0, 1},
    {"name", "NAME", -16, TEXT(name)},
    {"state", "STATE", -12, TEXT(state)},
    {"ocaml", "OCAML", -8, TEXT(ocaml)},
    {"ocaml_from", "FROM", -8, TEXT(ocaml_from)},
    {"domains", "DOMAINS", 7, PROCESS(running), 0, 1},
    {"cpu", "CPU_CORES", 9, PROCESS(cpu), 2, 1},
    {"gc_share", "GC_SHARE", 8, RATES(gc_share), 6, 1},
    {"minor_per_s", "MINOR/S", 9, RATES(minors), 3, 1},
    {"major_per_s", "MAJOR/S", 8, RATES(majors), 3, 1},
    {"pause_p50_s", "P50_S", 11, RATES(pause_p50), 9, 1e9},
    {"pause_p99_s", "P99_S", 11, RATES(pause_p99), 9, 1e9},
    {"pause_max_s", "MAX_S", 11, RATES(pause_max), 9, 1e9},
    {"alloc_bytes_per_s", "ALLOC_B/S", 11, RATES(allocated), 0, 1},
    {"promoted_bytes_per_s", "PROMOTED_B/S", 12, RATES(promoted), 0, 1},
    {"heap_bytes", "HEAP_B", 11, RATES(heap_bytes), 0, 1},
    {"resident_bytes", "RESIDENT_B", 11, PROCESS(resident_bytes), 0, 1},
    {"events_per_s", "EVENTS/S", 10, RATES(events), 1, 1},
    {"lost_words", "LOST_W", 6, RATES(lost_words), 0, 1},
    {"events", "EVENTS", -6, TEXT(events)},
    {"fibers", "FIBERS", 6, PROCESS(fibers), 0, 1},
    {"loop_p99_s", "LOOP_P99_S", 11, RATES(loop_p99), 9, 1e9},
    {"verdict", "VERDICT", -9, TEXT(verdict)},
    {"headline", "HEADLINE", -40, TEXT(headline)},
    {"heap_age_s", "HEAP_AGE_S", 10, PROCESS(heap_age), 1, 1e9},
    /* Printed with --by-domain only. */
    {"domain", "DOMAIN", 6, LINE(domain), 0, 1},
};
enum { WITH_DOMAIN = sizeof(columns) / sizeof(columns[0]), WITHOUT_DOMAIN = WITH_DOMAIN - 1 };

/* Return the number in a column; NAN: not known. */
static double number_of(const struct line *l, const struct column *c)
{
	double value;

	memcpy(&value, (const char *)l + c->offset, sizeof(value));
	return value / c->unit;
}

/* Return the word in a column; NULL: not known. */
static const char *word_of(const struct line *l, const struct column *c)
{
	const char *word;

	memcpy(&word, (const char *)l + c->offset, sizeof(word));
	return word != NULL && word[0] != '\0' ? word : NULL;
}

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

/* Print a word in a column.  Bytes that would end the field for a script, or control a terminal, become '_'. */
static void text_word(struct out *out, const char *text, int width)
{
	char safe[HEADLINE_TEXT];
	size_t len = 0;

	for (; text[len] != '\0' && len < sizeof(safe) - 1; len++)
		safe[len] = (unsigned char)text[len] <= ' ' || text[len] == 0x7f ? '_' : text[len];
	safe[len] = '\0';
	table_cell(out, width, safe);
}

static void line_print(struct out *out, const struct line *l, bool by_domain, bool json)
{
	struct json j = {.out = out};

	if (json)
		json_begin_object(&j, NULL);
	for (int i = 0; i < (by_domain ? WITH_DOMAIN : WITHOUT_DOMAIN); i++) {
		const struct column *c = &columns[i];
		const char *word = c->word ? word_of(l, c) : NULL;
		double number = c->word ? (double)NAN : number_of(l, c);
		table_blanks(out, !json && i > 0);
		if (json && c->word)
			json_put_text(&j, c->json, word);
		else if (json)
			json_put_fixed(&j, c->json, number, c->decimals);
		else if (isnan(number))
			text_word(out, word != NULL ? word : "-", c->width);
		else
			out_format(out, "%*.*f", c->width, c->decimals, number);
	}
	if (json)
		json_end(&j);
	else
		out_char(out, '\n');
}

void batch_print(
    struct out *out, const struct batch_time *at, const struct fleet_member *m, bool by_domain, bool json)
{
	const struct window_figures *f = &m->figures;
	struct line l = {
	    .report = (double)at->number,
	    .wall = (double)at->wall_ns,
	    .interval = f->known ? (double)(f->to - f->from) : (double)NAN,
	    .pid = m->pid != 0 ? (double)m->pid : (double)NAN,
	    .domain = NAN,
	    .name = m->name,
	    .state = fleet_state_name(m->state),
	    .events = m->state == FLEET_NO_EVENTS ? "off"
		      : m->state == FLEET_PAUSED  ? "paused"
		      : m->state == FLEET_LIVE	  ? "on"
						  : NULL,
	    .ocaml = m->ocaml,
	    .ocaml_from = m->ocaml_from,
	    .figures = *window_figures_told(f),
	};

	if (m->observation != NULL && f->known) {
		const struct headline *told = observation_headline(m->observation, f->to);
		l.verdict = headline_verdict_name(told);
		l.headline = told->text;
	}
	if (!by_domain || !f->known) {
		line_print(out, &l, by_domain, json);
		return;
	}
	l.figures = *window_figures_told(NULL);
	l.verdict = l.headline = NULL;
	for (unsigned d = 0; d < f->domain_count; d++)
		if (f->domains[d].seen) {
			l.figures.all = f->domains[d].rates;
			l.domain = d;
			line_print(out, &l, by_domain, json);
		}
}
