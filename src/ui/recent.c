/* recent.c - see recent.h. */
#include "ui/recent.h"

#include "ui/widgets/plot.h"

enum style recent_style(enum limit_level level)
{
	static const enum style styles[] = {[LEVEL_NONE] = STYLE_VALUE,
	    [LEVEL_GOOD] = STYLE_GOOD,
	    [LEVEL_ATTENTION] = STYLE_WARN,
	    [LEVEL_BAD] = STYLE_BAD};

	return styles[level];
}

struct formatted recent_since_words(const struct subject *subject)
{
	struct formatted out = {.s = "since "};
	size_t used = strlen(out.s);

	if (!subject_since(
		subject, figure_since(watch_model(subject->watch)), out.s + used, sizeof(out.s) - used))
		strlcpy(out.s + used, "the start", sizeof(out.s) - used);
	return out;
}

struct line_item recent_left(int window, double share, int domain)
{
	static const char *const labels[] = {"minimum mutator utilization 1ms", "10ms", "100ms"};
	const int rank = window == 1 ? 2 : 1;
	char which[16] = "";

	if (domain >= 0 && !isnan(share))
		snprintf(which, sizeof(which), " (D%d)", domain);
	return line_said(labels[window], rank, "%s%s", format_percent(share).s, which);
}

/* ---- charts ---- */

#define SPARK_STEPS (1000000000u / WATCH_STEP) /* steps of a series in a sample of a sparkline: a second */
#define SPARK_SAMPLES 118		       /* as many as a series keeps */

/* Return the steps of a sample for strips of `samples`: no more than a series keeps, and fewer while little was seen. */
static unsigned strip_steps(const struct subject *s, int samples)
{
	const uint64_t since = figure_since(watch_model(s->watch)),
		       seen = s->now > since ? s->now - since : 0;
	unsigned steps = SPARK_STEPS;

	while (steps > 1 && (unsigned)samples * steps + 2 * steps > WATCH_STEPS)
		steps /= 2;
	while (steps > 1 && (uint64_t)samples * (steps / 2) > seen / WATCH_STEP)
		steps /= 2;
	return steps;
}

/* Do plot_samples for the time in which the target was seen. */
static int samples_seen(
    const struct subject *s, const struct canvas *canvas, unsigned steps, int *cols, int most)
{
	const uint64_t since = figure_since(watch_model(s->watch)), width = (uint64_t)steps * WATCH_STEP,
		       end = lately_columns_end(subject_lately(s), steps),
		       seen = end > since ? (end - since + width - 1) / width : 0;
	const int all = plot_samples(canvas, cols, most), each = *cols > 0 ? all / *cols : 1;

	if ((uint64_t)all <= seen)
		return all;
	*cols = seen > 0 ? ((int)seen + each - 1) / each : *cols > 0;
	return *cols * each;
}

/* Return the series of a chart on a domain; NULL: there is none. */
static const struct series *series_of(const struct subject *s, const struct recent_chart *c, unsigned domain)
{
	return c->kind == RECENT_MEASURE       ? watch_series(s->watch, domain, (enum watch_measure)c->of)
	       : c->kind == RECENT_USER_EVENTS ? watch_user_events(s->watch, domain, c->of)
					       : watch_user_series(s->watch, domain, c->of);
}

/* Read the samples of a chart, of `steps` steps each. */
static void read_samples(
    const struct subject *s, const struct recent_chart *c, unsigned steps, int count, double *out)
{
	const uint64_t width = steps * WATCH_STEP, end = lately_columns_end(subject_lately(s), steps);
	const bool all = c->domain == WATCH_ALL;
	const unsigned domains = all ? model_domains(watch_model(s->watch)) : c->domain + 1;
	struct trend_span span;

	for (int i = 0; i < count; i++) {
		const uint64_t before = (uint64_t)(count - 1 - i) * width;
		const bool known =
		    c->kind == RECENT_TREND && end >= before + width &&
		    trend_read(watch_trend(s->watch), end - before - width, end - before, &span);
		out[i] = known ? span.figures[c->of].value : (double)NAN;
	}
	for (unsigned d = all ? 0 : c->domain; c->kind != RECENT_TREND && d < domains; d++)
		lately_add_columns(subject_lately(s), d, series_of(s, c, d), steps, (size_t)count, out);
}

/* Return the top of a strip's scale: its largest sample, or the level now, which is not in them before its sample has
 * ended.  NAN when none is known. */
static double strip_top(
    const struct subject *s, const struct recent_chart *c, const double *samples, int count)
{
	const struct series *series =
	    c->kind == RECENT_MEASURE && c->domain != WATCH_ALL ? series_of(s, c, c->domain) : NULL;
	double top = c->kind == RECENT_TREND && c->of == TREND_HEAP
			 ? model_level(watch_model(s->watch), HEAP_SIZE).words
		     : series != NULL && series_mode_of(series) == SERIES_LAST ? series_latest(series)
									       : (double)NAN;

	for (int i = 0; i < count; i++)
		if (isfinite(samples[i]) && !(samples[i] <= top))
			top = samples[i];
	return top;
}

/* Draw the marks of restarts. */
static void draw_restarts(const struct subject *s, struct canvas *canvas, struct rect strip, unsigned steps)
{
	const struct trend *trend = watch_trend(s->watch);
	int one = 1;
	uint64_t width = (uint64_t)steps * WATCH_STEP * (uint64_t)plot_samples(canvas, &one, 2),
		 end = lately_columns_end(subject_lately(s), steps);

	for (size_t m = trend_marks(trend, TREND_MARK_RESTART); m-- > 0;) {
		uint64_t ts = trend_mark_at(trend, TREND_MARK_RESTART, m)->from,
			 back = (end - ts - 1) / width;
		if (ts < end && back < (uint64_t)strip.cols)
			canvas_char(
			    canvas, strip.row, strip.col + strip.cols - 1 - (int)back, STYLE_WARN, 'R');
	}
}

void recent_spark(const struct subject *subject, const struct recent_chart *chart, double low, int least,
    struct canvas *canvas, struct rect place, enum style style)
{
	double samples[SPARK_SAMPLES];
	int cols = place.cols, count = samples_seen(subject, canvas, SPARK_STEPS, &cols, SPARK_SAMPLES);

	if (place.cols < least)
		return;
	read_samples(subject, chart, SPARK_STEPS, count, samples);
	plot_spark(canvas, place.row, place.col, cols, samples, count, low, NAN, style);
}

void recent_strips(const struct subject *subject, const struct recent_chart *charts, int count, int label,
    struct canvas *canvas, struct rect area)
{
	double samples[RECENT_STRIPS_MOST][WATCH_STEPS];
	struct plot_graph graphs[RECENT_STRIPS_MOST];
	int cols = area.cols - label, each = plot_samples(canvas, &cols, WATCH_STEPS);
	const unsigned steps = strip_steps(subject, each);

	if (count == 0 || cols <= 0)
		return;
	each = samples_seen(subject, canvas, steps, &cols, each);
	for (int i = 0; i < count; i++) {
		read_samples(subject, &charts[i], steps, each, samples[i]);
		graphs[i] = (struct plot_graph){charts[i].name, samples[i], each,
		    strip_top(subject, &charts[i], samples[i], each), charts[i].unit};
	}
	plot_strips(canvas, area, label, graphs, count, (uint64_t)each * steps * WATCH_STEP);
	draw_restarts(subject, canvas, rect_make(area.row, area.col + label, 1, cols), steps);
}
