/* rule.c - help rules to fill in a finding, and format its figures. */
#include "advice/rule.h"

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

void cost_waiting(struct advice_finding *out, const struct evidence *e, uint64_t wait)
{
	/* In a stop, all other domains can wait for a thread without a processor; longer waits have another
	 * reason.  Threads of idle domains wait for processors as those of busy ones do, but delay nobody
	 * else. */
	const unsigned active = e->active > 0 ? e->active : 1;
	const double busy = (double)wait * active / (active + e->idle);
	const double stops = (double)wait * (active + e->idle - 1);

	/* Without events stops are unknown: domains are as busy as their threads. */
	cost_time(out, e, fmax(busy, fmin(stops, (double)e->sum.stop_wait_ns)));
}

void figure_cores(struct advice_finding *out, const struct evidence *e, uint64_t wait, uint64_t cores)
{
	const double run = evidence_ran(e);
	uint64_t load;
	double others;

	figure(out, "busy_domains", e->active, ADVICE_UNIT_COUNT);
	figure(out, "cores", (double)cores / 1000, ADVICE_UNIT_CORES);
	figure(out, "waited_for_a_core", (double)wait / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "ran", run / 1e9, ADVICE_UNIT_SECONDS);
	figure(out, "cores_used", run / (double)e->system.ns, ADVICE_UNIT_CORES);
	if (evidence_others(e, &others))
		figure(out, "others_used", others / (double)e->system.ns, ADVICE_UNIT_CORES);
	figure(out, "waited_in_stops", (double)e->sum.stop_wait_ns / 1e9, ADVICE_UNIT_SECONDS);
	if (evidence_gauge(e, SYSTEM_LOAD, &load))
		figure(out, "load_of_the_machine", (double)load / 1000, ADVICE_UNIT_CORES);
}

void finding_say(struct advice_finding *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sentence_vprint(&out->said, format, args);
	va_end(args);
}

void advise(struct advice_finding *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	utf8_print(out->remedy, sizeof(out->remedy), format, args);
	va_end(args);
}

const char *code_between(
    const struct evidence *e, unsigned domain, uint64_t from, uint64_t to, char out[RULE_CODE])
{
	profile_between_text(e->code, (int)domain, from, to, out, RULE_CODE);
	return out;
}

const char *where(struct fiber_path path, char out[WHERE])
{
	char full[FIBER_PATH_SIZE];
	int len = fiber_path_print(path, full, sizeof(full));

	if (len < 0)
		snprintf(out, WHERE, "an unknown context");
	else if (len == 0)
		snprintf(out, WHERE, "no named context");
	else
		strlcpy(out, sentence_name(full, (size_t)len, WHERE - 1).s, WHERE);
	return out;
}

void setting_words(struct advice_finding *out, char letter, uint64_t words)
{
	snprintf(out->setting, sizeof(out->setting), "%c=%.21s", letter, format_setting(words).s);
}

/* Format "NAME VALUE" with the value in its unit. */
static void figure_text(const struct advice_figure *f, char *buf, size_t size)
{
	static const enum unit units[] = {ADVICE_UNITS(LIST_UNIT)};

	if (f->unit == ADVICE_UNIT_CORES || f->unit == ADVICE_UNIT_MEAN)
		snprintf(buf, size, "%s %.1f", f->name, f->value);
	else
		snprintf(buf, size, "%s %s", f->name, format_figure(units[f->unit], f->value).s);
	for (char *c = buf; *c != '\0'; c++)
		if (*c == '_')
			*c = ' ';
}

void advice_evidence_text(const struct advice_finding *f, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < f->figure_count && used + 2 < size; i++) {
		strlcat(buf, i > 0 ? ", " : "", size);
		used = strlen(buf);
		figure_text(&f->figures[i], buf + used, size - used);
	}
}
