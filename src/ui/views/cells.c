/* cells.c - see cells.h. */
#include "ui/views/cells.h"

#include "ui/widgets/plot.h"
#include "ui/widgets/user_text.h"

struct tabular_cell cell_empty(void)
{
	return (struct tabular_cell){.key = NAN, .style = STYLE_TEXT};
}

struct tabular_cell cell_unknown(void)
{
	return cell_figure(format_unknown(), 0);
}

struct tabular_cell cell_if(bool there, struct tabular_cell cell)
{
	return there ? cell : cell_empty();
}

struct tabular_cell cell_said(const char *format, ...)
{
	struct tabular_cell cell = cell_empty();
	va_list args;

	va_start(args, format);
	utf8_print(cell.text, sizeof(cell.text), format, args);
	va_end(args);
	return cell;
}

struct tabular_cell cell_text(const char *text)
{
	return cell_said("%s", text != NULL ? text : "");
}

struct tabular_cell cell_figure(struct formatted figure, double key)
{
	struct tabular_cell cell = cell_keyed(cell_text(figure.s), key);

	cell.unknown |= figure.unknown;
	return cell;
}

struct tabular_cell cell_value(enum unit unit, double value)
{
	return cell_figure(format_figure(unit, value), value);
}

struct tabular_cell cell_count(uint64_t count)
{
	return cell_value(UNIT_COUNT, (double)count);
}

struct tabular_cell cell_number(uint64_t number)
{
	return cell_keyed(cell_said("%" PRIu64, number), (double)number);
}

struct tabular_cell cell_share(uint64_t part, uint64_t whole)
{
	return cell_figure(format_share(part, whole), whole != 0 ? (double)part / (double)whole : 0);
}

struct tabular_cell cell_duration(uint64_t ns)
{
	return cell_figure(format_duration(ns), (double)ns);
}

struct tabular_cell cell_since(const struct subject *subject, uint64_t ts)
{
	return subject->now >= ts ? cell_duration(subject->now - ts) : cell_empty();
}

struct tabular_cell cell_phase(rtev_phase phase)
{
	char name[RTEV_NAME_SIZE];

	return cell_styled(
	    cell_text(rtev_phase_name(phase, name)), theme_class(rtev_phase_class(phase))->ink);
}

struct tabular_cell cell_domain(unsigned domain)
{
	return cell_keyed(cell_said("D%u", domain), domain);
}

struct tabular_cell cell_around(const struct subject *subject, const struct longest_span *span)
{
	struct tabular_cell cell = cell_keyed(cell_empty(), (double)span->user_slot);

	user_text_spans(watch_model(subject->watch), span, cell.text, sizeof(cell.text));
	return cell_styled(cell, span->user_count > 0 ? STYLE_USER_SPAN : STYLE_MUTED);
}

struct tabular_cell cell_percentile(const struct hist *times, unsigned num, unsigned den, bool lossy)
{
	return cell_figure(distribution_percentile(times, num, den, lossy), hist_figure(times, num, den));
}

struct tabular_cell cell_styled(struct tabular_cell cell, enum style style)
{
	cell.style = style;
	return cell;
}

struct tabular_cell cell_keyed(struct tabular_cell cell, double key)
{
	cell.key = key;
	cell.unknown = isnan(key);
	return cell;
}
