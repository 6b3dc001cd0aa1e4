/*
 * number.c - numbers as short texts.
 *
 * A magnitude is rounded once, in integers: the value is divided down to three digits with the remainder
 * carried, and a value that rounds up to 1000 moves on to the next unit.
 */
#include "print/number.h"

#include "core/sum.h"

/* Return how many digits after the point give a number three significant digits, without an exponent. */
static int decimals(double value)
{
	double size = fabs(value);

	return size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
}

struct formatted format_unknown(void)
{
	return (struct formatted){.s = "-", .unknown = true};
}

struct formatted format_said(const char *format, ...)
{
	struct formatted out = {0};
	va_list args;

	va_start(args, format);
	vsnprintf(out.s, sizeof(out.s), format, args);
	va_end(args);
	return out;
}

struct formatted format_if(bool known, struct formatted text)
{
	return known ? text : format_unknown();
}

struct formatted format_marked(const char *mark, struct formatted text)
{
	return text.unknown ? text : format_said("%s%.20s", mark, text.s);
}

struct formatted format_after_loss(struct formatted text, unsigned num, unsigned den)
{
	return format_marked(num < den ? "~" : "≥", text);
}

/* Write value / unit with three digits and a suffix, where value >= unit and the quotient rounds to below
 * 1000. */
static bool three_digits(struct formatted *out, uint64_t value, uint64_t unit, const char *suffix)
{
	uint64_t whole = value / unit, rest = value % unit;
	uint64_t scale = whole < 10 ? 100 : whole < 100 ? 10 : 1;
	/* rest * scale fits: units are at most 10^18 and a scale above 10 only meets a whole below 10. */
	uint64_t step = unit / scale;
	uint64_t digits = whole * scale + (step > 0 ? (rest + step / 2) / step : 0);
	if (digits >= 1000 && scale == 1)
		return false;
	if (digits >= 1000)
		return three_digits(out, digits / scale * unit, unit, suffix);
	if (scale == 1)
		snprintf(out->s, sizeof(out->s), "%u%.8s", (unsigned)digits, suffix);
	else
		snprintf(out->s, sizeof(out->s), "%u.%0*u%.8s", (unsigned)(digits / scale),
		    scale == 100 ? 2 : 1, (unsigned)(digits % scale), suffix);
	return true;
}

/* Write a whole number with the prefix of its power of 1000 and a suffix; below 1000 as it stands. */
static struct formatted magnitude(uint64_t value, const char *suffix)
{
	static const char prefixes[] = "kMGTPE";
	struct formatted out = {0};
	if (value < 1000)
		return format_said("%u%.6s", (unsigned)value, suffix);
	uint64_t unit = 1000;
	for (size_t i = 0; i < sizeof(prefixes) - 1; i++) {
		char unit_name[8];
		snprintf(unit_name, sizeof(unit_name), "%c%.6s", prefixes[i], suffix);
		bool last = i + 2 == sizeof(prefixes);
		if ((last || value / unit < 1000) && three_digits(&out, value, unit, unit_name))
			return out;
		if (!last)
			unit *= 1000;
	}
	return format_unknown();
}

/* Write a time in the unit that leaves at most three digits before the point; the largest unit is the second. */
static struct formatted time_text(uint64_t ns)
{
	const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{1000, "µs"}, {1000000, "ms"}, {1000000000, "s"}};
	struct formatted out = {0};

	if (ns < 1000)
		return format_said("%uns", (unsigned)ns);
	for (int i = 0; i < 3; i++) {
		uint64_t unit = units[i].ns;
		if (ns / unit < 1000 && three_digits(&out, ns < unit ? unit : ns, unit, units[i].name))
			return out;
	}
	return format_said("%llus", (unsigned long long)(ns / 1000000000 + (ns % 1000000000 >= 500000000)));
}

struct formatted format_duration(uint64_t ns)
{
	if (ns == 0)
		return (struct formatted){.s = "0"};
	return ns < 60000000000 ? time_text(ns) : format_age(ns / 1000000000);
}

void plain_part(uint64_t part, uint64_t whole, char *buf, size_t size)
{
	const struct {
		const char *name;
		double ns;
	} units[] = {{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}, {"ns", 1}};
	unsigned i = 0;

	while (i < 3 && (double)whole < units[i].ns * 0.9995)
		i++;
	double all = (double)whole / units[i].ns;
	int digits = i == 3 ? 0 : decimals(all);
	snprintf(buf, size, "%.*f of %.*f%s", digits, (double)part / units[i].ns, digits, all, units[i].name);
}

struct formatted format_age(uint64_t seconds)
{
	uint64_t minutes = seconds / 60, hours = minutes / 60, days = hours / 24;

	if (seconds < 60)
		return format_said("%us", (unsigned)seconds);
	if (hours == 0)
		return format_said("%um%02us", (unsigned)minutes, (unsigned)(seconds % 60));
	if (days == 0)
		return format_said("%uh%02um", (unsigned)hours, (unsigned)(minutes % 60));
	return format_said("%llud%02uh", (unsigned long long)days, (unsigned)(hours % 24));
}

struct formatted format_ago(uint64_t ns, uint64_t from)
{
	return ns > from ? format_said(" %.16s ago", format_age(ns / 1000000000).s) : (struct formatted){0};
}

struct formatted format_count(uint64_t count)
{
	return magnitude(count, "");
}

struct formatted format_bytes(uint64_t bytes)
{
	return magnitude(bytes, "B");
}

struct formatted plain_count(uint64_t count)
{
	return count >= 100000 ? format_count(count) : format_said("%u", (unsigned)count);
}

/* Write a value, rounded to a whole number, as a magnitude; "-" for negative values, infinities and NAN. */
static struct formatted rounded(double value, const char *suffix)
{
	return isfinite(value) && value >= 0 ? magnitude(whole_saturating(value + 0.5), suffix)
					     : format_unknown();
}

struct formatted format_words(uint64_t words)
{
	return magnitude(words, "w");
}

struct formatted format_setting(uint64_t value)
{
	static const char units[] = {'\0', 'k', 'M', 'G', '\0'};
	unsigned i = 0;

	for (; value != 0 && value % 1024 == 0 && units[i + 1] != '\0'; i++)
		value /= 1024;
	return format_said("%llu%c", (unsigned long long)value, units[i]);
}

struct formatted format_rate(double per_second)
{
	if (per_second > 0 && per_second < 0.01)
		return (struct formatted){.s = "<0.01/s"};
	if (!(per_second > 0) || decimals(per_second) == 0)
		return rounded(per_second, "/s");
	return format_said("%.*f/s", decimals(per_second), per_second);
}

struct formatted format_byte_rate(double per_second)
{
	if (per_second > 0 && per_second < 1)
		return (struct formatted){.s = "<1B/s"};
	return rounded(per_second, "B/s");
}

struct formatted format_percent(double share)
{
	double percent = share * 100;

	if (!isfinite(percent) || percent < 0)
		return format_unknown();
	if (percent == 0)
		return (struct formatted){.s = "0%"};
	if (percent < 0.05)
		return (struct formatted){.s = "<0.1%"};
	if (percent < 99999.5)
		return format_said("%.*f%%", percent < 9.95, percent);
	return percent < 0x1p64 ? rounded(percent, "%") : format_unknown();
}

struct formatted plain_share(double share)
{
	if (!isfinite(share) || share < 0)
		return format_unknown();
	if (share > 0 && share < 0.0005)
		return (struct formatted){.s = "<0.1%"};
	return format_said("%.1f%%", 100 * share);
}

struct format_split format_gc(double share, double waiting)
{
	const struct formatted whole = format_percent(share);
	struct format_split out = {
	    .work = format_percent(share - waiting), .waiting = format_percent(waiting)};

	strlcpy(out.s, whole.s, sizeof(out.s));
	strlcpy(out.brief, whole.s, sizeof(out.brief));
	if (!(share * 100 >= 0.05) || !(share * 100 < 99999.5) || !(waiting >= 0))
		return out;
	int digits = strchr(whole.s, '.') != NULL;
	double all = strtod(whole.s, NULL), unit = digits ? 10 : 1;
	double wait = round(waiting * 100 * unit) / unit;
	wait = wait < all ? wait : all;
	out.work = format_said("%.*f%%", digits, all - wait);
	out.waiting = format_said("%.*f%%", digits, wait);
	snprintf(out.brief, sizeof(out.brief), "%s = %.*f + %.*f", whole.s, digits, all - wait, digits, wait);
	snprintf(
	    out.s, sizeof(out.s), "%s = %.*f work + %.*f waiting", whole.s, digits, all - wait, digits, wait);
	return out;
}

struct formatted format_growth(double bytes_a_minute)
{
	const double size = fabs(bytes_a_minute);

	if (size >= 1e18)
		return format_unknown();
	if (!(size >= 1))
		return (struct formatted){0};
	return format_said("%c%.12s/min", bytes_a_minute < 0 ? '-' : '+', format_bytes((uint64_t)size).s);
}

struct formatted format_error(double share)
{
	double percent = share * 100;

	if (!(percent >= 0))
		return (struct formatted){.s = "±?"};
	if (percent >= 999.5)
		return (struct formatted){.s = "±>999%"};
	if (percent == 0 || percent >= 0.95)
		return format_said("±%.0f%%", percent);
	return format_said("±%.1f%%", percent < 0.1 ? 0.1 : percent);
}

struct formatted format_share(uint64_t part, uint64_t whole)
{
	return whole == 0 ? format_unknown() : format_percent((double)part / (double)whole);
}

struct formatted format_signed(int64_t value, int digits)
{
	uint64_t size = value < 0 ? (uint64_t) - (value + 1) + 1 : (uint64_t)value;
	int has = 1;
	for (uint64_t rest = size; rest >= 10; rest /= 10)
		has++;
	if (has <= digits)
		return format_said("%lld", (long long)value);
	return format_said("%s%.20s", value < 0 ? "-" : "", magnitude(size, "").s);
}

struct formatted format_figure(enum unit unit, double value)
{
	const double whole = unit == UNIT_SECONDS ? 1e9 * value : unit == UNIT_WORDS ? 8 * value : value;

	if (unit <= UNIT_CORES && !(whole >= 0 && whole < 0x1p64))
		return format_unknown();
	switch (unit) {
	case UNIT_COUNT:
		return rounded(whole, "");
	case UNIT_NS:
	case UNIT_SECONDS:
		return format_duration(whole_saturating(whole + 0.5));
	case UNIT_BYTES:
	case UNIT_WORDS:
		return rounded(whole, "B");
	case UNIT_LOST_WORDS:
		return rounded(whole, "w");
	case UNIT_CORES:
		break;
	case UNIT_SHARE:
		return format_percent(value);
	case UNIT_RATE:
		return format_rate(value);
	case UNIT_BYTE_RATE:
		return format_byte_rate(value);
	case UNIT_GROWTH:
		return isnan(value) ? format_unknown() : format_growth(value);
	}
	return format_said(value < 9.995 ? "%.2f" : "%.1f", value);
}

struct formatted format_told(enum unit unit, uint64_t value)
{
	return format_figure(unit, value != UINT64_MAX ? (double)value : (double)NAN);
}

/* ---- times as users write them ---- */

bool time_text_read(const char *text, uint64_t *ns)
{
	static const struct {
		const char *suffix;
		double factor;
	} units[] = {
	    {"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"µs", 1e3}, {"m", 60e9}, {"h", 3600e9}};
	char *end;

	*ns = 0;
	/* strtod also accepts hexadecimal, infinities and blanks. */
	if (strspn(text, "0123456789.") == 0)
		return false;
	errno = 0;
	double value = strtod(text, &end);
	if ((errno != 0 && value != HUGE_VAL) || end != text + strspn(text, "0123456789."))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].suffix) != 0)
			continue;
		double result = value * units[i].factor;
		bool fits = result <= (double)TIME_TEXT_MAX_NS;
		*ns = fits ? (uint64_t)(result + 0.5) : UINT64_MAX;
		return fits;
	}
	return false;
}

bool clock_text_read(const char *text, uint64_t *ns)
{
	unsigned hour, minute;
	uint64_t rest = 0;
	int length = 0;

	/* sscanf also accepts blanks and signs. */
	if (text[strspn(text, "0123456789:.")] != '\0' ||
	    sscanf(text, "%2u:%2u%n", &hour, &minute, &length) < 2 || hour > 23 || minute > 59)
		return false;
	text += length;
	if (text[0] != '\0' && (text[0] != ':' || !time_text_read(text + 1, &rest)))
		return false;
	*ns = (hour * UINT64_C(3600) + minute * UINT64_C(60)) * 1000000000u + rest;
	return rest < UINT64_C(61000000000);
}
