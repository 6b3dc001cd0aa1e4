/*
 * stats_cells.c - format figures for narrow columns.
 */
#include "app/commands/stats_cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Format a number with three digits before a unit. */
static struct stats_cell three_digits(double value, const char *unit)
{
	struct stats_cell cell;

	snprintf(cell.s, sizeof(cell.s), "%.*f%s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, unit);
	return cell;
}

/* Format a number with the largest prefix that leaves a value of at least 1. */
static struct stats_cell prefixed(double value, const char *unit)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
	size_t i = 0;
	char both[8];

	while (i + 1 < sizeof(prefixes) / sizeof(prefixes[0]) && value >= 999.5) {
		value /= 1000;
		i++;
	}
	snprintf(both, sizeof(both), "%s%s", prefixes[i], unit);
	return three_digits(value, both);
}

struct stats_cell cell_time(uint64_t ns)
{
	static const struct {
		double unit;
		const char *name;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
	size_t i = 0;

	/* 999.5 of a unit would be shown as 1000. */
	while (i + 1 < sizeof(units) / sizeof(units[0]) && (double)ns < 0.9995 * units[i].unit)
		i++;
	if (ns < 1000) {
		struct stats_cell cell;
		snprintf(cell.s, sizeof(cell.s), "%lluns", (unsigned long long)ns);
		return cell;
	}
	return three_digits((double)ns / units[i].unit, units[i].name);
}

struct stats_cell cell_time_of(const struct hist *times, uint64_t ns)
{
	return times->count != 0 ? cell_time(ns) : (struct stats_cell){"-"};
}

struct stats_cell cell_share(double share)
{
	struct stats_cell cell = {"-"};

	if (!isfinite(share) || share < 0)
		return cell;
	if (share > 0 && share < 0.0005)
		snprintf(cell.s, sizeof(cell.s), "<0.1 %%");
	else
		snprintf(cell.s, sizeof(cell.s), "%.1f %%", 100 * share);
	return cell;
}

struct stats_cell cell_count(uint64_t count)
{
	struct stats_cell cell;

	if (count >= 100000)
		return prefixed((double)count, "");
	snprintf(cell.s, sizeof(cell.s), "%llu", (unsigned long long)count);
	return cell;
}

struct stats_cell cell_bytes(double bytes)
{
	struct stats_cell cell;

	if (!isfinite(bytes))
		return (struct stats_cell){"-"};
	if (bytes >= 999.5)
		return prefixed(bytes, "B");
	snprintf(cell.s, sizeof(cell.s), "%.0fB", bytes);
	return cell;
}

struct stats_cell cell_rate(double per_second)
{
	if (!isfinite(per_second) || per_second < 0)
		return (struct stats_cell){"-"};
	return prefixed(per_second, "/s");
}

void text_wrap(struct out *out, const char *text, int indent, int used)
{
	while (*text != '\0') {
		int length = (int)strcspn(text, " ");
		if (used + 1 + length > STATS_COLUMNS && used > indent) {
			out_format(out, "\n%*s", indent, "");
			used = indent;
		} else if (used > indent) {
			out_char(out, ' ');
			used++;
		}
		out_foreign(out, text, (size_t)length);
		used += length;
		text += length;
		text += strspn(text, " ");
	}
	out_char(out, '\n');
}
