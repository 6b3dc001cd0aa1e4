/* system_parse.c - parse what the sampler reads. */
#include "target/system_parse.h"

#include "core/sum.h"

/* Parse a number and skip to the next one. */
static bool next_number(struct piece *piece, uint64_t *out)
{
	skip_blanks(&piece->at, piece->end);
	return take_number(&piece->at, piece->end, out);
}

/* The first line of a text. */
static struct piece first_line(const char *text, size_t len)
{
	struct piece line = {text, text};
	const char *at = text;

	(void)take_line(&at, text + len, &line);
	return line;
}

/* Add a range of processors. */
static bool add_cpus(struct system_cpus *cpus, uint64_t first, uint64_t last)
{
	if (first > last || last >= SYSTEM_CPUS)
		return false;
	for (uint64_t i = first; i <= last; i++)
		cpus->bits[i / 64] |= UINT64_C(1) << i % 64;
	return true;
}

bool system_parse_cpus(const char *text, size_t len, struct system_cpus *out)
{
	struct piece list = first_line(text, len), range;
	bool any = false;

	memset(out, 0, sizeof *out);
	skip_blanks(&list.at, list.end);
	while (take_until(&list, ',', &range)) {
		uint64_t first, last;

		if (!take_number(&range.at, range.end, &first))
			return false;
		last = first;
		if (piece_skip(&range, "-") && !take_number(&range.at, range.end, &last))
			return false;
		if (range.at != range.end || !add_cpus(out, first, last))
			return false;
		any = true;
	}
	return any;
}

unsigned system_cpus_count(const struct system_cpus *cpus, const struct system_cpus *within)
{
	unsigned count = 0;

	for (unsigned i = 0; i < SYSTEM_CPUS / 64; i++) {
		uint64_t bits = within == NULL ? cpus->bits[i] : cpus->bits[i] & within->bits[i];

		for (; bits != 0; bits &= bits - 1)
			count++;
	}
	return count;
}

bool system_parse_field(const char *text, size_t len, const char *name, struct piece *out)
{
	const char *at = text;

	while (take_line(&at, text + len, out))
		if (piece_skip(out, name) && out->at < out->end &&
		    (*out->at == ':' || *out->at == ' ' || *out->at == '\t')) {
			out->at++;
			skip_blanks(&out->at, out->end);
			return true;
		}
	return false;
}

bool system_parse_keyed(const char *text, size_t len, const char *name, uint64_t *out)
{
	struct piece field;

	return system_parse_field(text, len, name, &field) && take_number(&field.at, field.end, out);
}

bool system_parse_limit(const char *text, size_t len, uint64_t *out)
{
	struct piece line = first_line(text, len);

	if (piece_is(line, "max") || piece_is(line, "-1")) {
		*out = UINT64_MAX;
		return true;
	}
	return take_number(&line.at, line.end, out) && line.at == line.end;
}

bool system_parse_rlimit(const char *text, size_t len, const char *name, uint64_t *out)
{
	const char *at = text;
	struct piece line;

	while (take_line(&at, text + len, &line)) {
		if (!piece_skip(&line, name))
			continue;
		skip_blanks(&line.at, line.end);
		*out = SYSTEM_NO_LIMIT;
		return piece_skip(&line, "unlimited") || take_number(&line.at, line.end, out);
	}
	return false;
}

bool system_parse_cpu_max(const char *text, size_t len, uint64_t *quota, uint64_t *period)
{
	struct piece line = first_line(text, len);

	*quota = UINT64_MAX;
	if (!piece_skip(&line, "max") && !take_number(&line.at, line.end, quota))
		return false;
	return next_number(&line, period) && line.at == line.end && *period > 0;
}

uint64_t system_quota_cores(uint64_t quota, uint64_t period)
{
	if (quota == UINT64_MAX || period == 0)
		return UINT64_MAX;
	return quota > UINT64_MAX / 1000 ? UINT64_MAX : quota * 1000 / period;
}

bool system_parse_schedstat(const char *text, size_t len, uint64_t out[3])
{
	struct piece line = first_line(text, len);

	return next_number(&line, &out[0]) && next_number(&line, &out[1]) && next_number(&line, &out[2]);
}

bool system_parse_pressure(const char *text, size_t len, const char *line, uint64_t *out)
{
	struct piece field, word;

	if (!system_parse_field(text, len, line, &field))
		return false;
	while (take_until(&field, ' ', &word))
		if (piece_skip(&word, "total="))
			return take_number(&word.at, word.end, out) && word.at == word.end;
	return false;
}

bool system_parse_load(const char *text, size_t len, uint64_t *out)
{
	struct piece line = first_line(text, len);
	uint64_t whole, part = 0, digits = 0;

	if (!take_number(&line.at, line.end, &whole) || whole > UINT32_MAX || !piece_skip(&line, "."))
		return false;
	for (; digits < 3; digits++) {
		bool more = line.at < line.end && *line.at >= '0' && *line.at <= '9';

		part = part * 10 + (more ? (uint64_t)(*line.at++ - '0') : 0);
	}
	*out = whole * 1000 + part;
	return true;
}

bool system_parse_ran(
    const char *text, size_t len, const struct system_cpus *cpus, unsigned count, uint64_t *out)
{
	const char *at = text;
	struct piece line;
	uint64_t cpu, ticks;
	unsigned found = 0;

	*out = 0;
	/* The last line may be incomplete. */
	while (take_line(&at, text + len, &line) && line.end < text + len && piece_skip(&line, "cpu")) {
		if (!take_number(&line.at, line.end, &cpu) || cpu >= SYSTEM_CPUS ||
		    (cpus->bits[cpu / 64] >> cpu % 64 & 1) == 0)
			continue;
		found++;
		/* user, nice, system, idle, iowait, irq, softirq, steal */
		for (unsigned i = 0; i < 8 && next_number(&line, &ticks); i++)
			*out = sum_saturating(*out, i == 3 || i == 4 ? 0 : ticks);
	}
	return found == count && count > 0;
}

bool system_listed(struct piece list, const char *word)
{
	struct piece one;

	while (take_until(&list, ',', &one))
		if (piece_is(one, word))
			return true;
	return false;
}

bool system_parse_group(const char *text, size_t len, const char *controller, struct piece *path)
{
	const char *at = text;
	struct piece line, number, controllers;

	while (take_line(&at, text + len, &line)) {
		if (!take_until(&line, ':', &number))
			continue;
		/* an empty list of controllers ("0::/path") is version 2 */
		controllers.at = controllers.end = line.at;
		if (line.at < line.end && !take_until(&line, ':', &controllers))
			continue;
		if (line.at >= line.end || *line.at != '/')
			continue;
		*path = line;
		if (controller == NULL ? piece_is(number, "0") && controllers.at == controllers.end
				       : system_listed(controllers, controller))
			return true;
	}
	return false;
}

bool system_parse_mount(struct piece line, struct system_mount *out)
{
	struct piece word;

	/* number, parent, device, root, mount point, options, optional fields up to a dash, type, source,
	 * options */
	for (unsigned i = 0; i < 6; i++) {
		if (!take_until(&line, ' ', &word))
			return false;
		if (i == 3)
			out->root = word;
		if (i == 4)
			out->point = word;
	}
	do {
		if (!take_until(&line, ' ', &word))
			return false;
	} while (!piece_is(word, "-"));
	return take_until(&line, ' ', &out->type) && take_until(&line, ' ', &word) &&
	       take_until(&line, ' ', &out->options);
}
