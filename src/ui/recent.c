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

double recent_highest(const double *values, int columns, double level)
{
	double high = level;

	for (int i = 0; i < columns; i++)
		if (isfinite(values[i]) && !(values[i] <= high))
			high = values[i];
	return high;
}

unsigned recent_steps(const struct subject *subject, int cols)
{
	const uint64_t since = figure_since(watch_model(subject->watch)),
		       seen = subject->now > since ? subject->now - since : 0;
	unsigned steps = SPARK_STEPS;

	while (steps > 1 && (unsigned)cols * steps + 2 * steps > WATCH_STEPS)
		steps /= 2;
	while (steps > 1 && (uint64_t)cols * (steps / 2) > seen / WATCH_STEP)
		steps /= 2;
	return steps;
}

int recent_samples(
    const struct subject *subject, const struct canvas *canvas, unsigned steps, int *cols, int most)
{
	const uint64_t since = figure_since(watch_model(subject->watch)),
		       width = (uint64_t)steps * WATCH_STEP,
		       end = lately_columns_end(subject_lately(subject), steps),
		       seen = end > since ? (end - since + width - 1) / width : 0;

	const int all = plot_samples(canvas, cols, most), each = *cols > 0 ? all / *cols : 1;

	if ((uint64_t)all <= seen)
		return all;
	*cols = seen > 0 ? ((int)seen + each - 1) / each : *cols > 0;
	return *cols * each;
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
