/*
 * flight_line.c - describe a file of the flight recorder in one line.
 */
#include <time.h>

#include "record/flight.h"

#define LEAST_SHARE 0.005 /* smaller shares of the pause are omitted */

/* A line being composed. */
struct line {
	char *text;
	size_t used, size;
};

/* Append to the line; what does not fit is dropped. */
__attribute__((format(printf, 2, 3))) static void put(struct line *line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(line->text + line->used, line->size - line->used, format, args);
	va_end(args);
	if (n > 0)
		line->used = (size_t)n < line->size - line->used ? line->used + (size_t)n : line->size - 1;
}

/* Append a time as local time with its offset from UTC: 2026-11-21T15:04:05.123+0000. */
static void put_wall(struct line *line, int64_t wall)
{
	time_t seconds = (time_t)(wall / 1000000000);
	char clock[32], zone[8];
	struct tm tm;

	if (localtime_r(&seconds, &tm) == NULL) {
		put(line, "-");
		return;
	}
	strftime(clock, sizeof(clock), "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	put(line, "%s.%03d%s", clock, (int)(wall / 1000000 % 1000), zone);
}

/* Append the phases, including the outermost, with their own time as a share of the pause. */
static void put_anatomy(struct line *line, const struct flight_pause *p)
{
	struct model_phase parts[MODEL_INSIDE_MAX + 1];
	char name[RTEV_NAME_SIZE];
	const char *between = "";
	const size_t count = model_pause_parts(p->phase, p->self, p->inside, p->inside_count, parts);

	for (size_t i = 0; i < count; i++) {
		double share = p->duration > 0 ? (double)parts[i].self / (double)p->duration : 0;
		if (share < LEAST_SHARE)
			break;
		put(line, "%s%s %.0f%%", between, rtev_phase_name(parts[i].phase, name), 100 * share);
		between = ", ";
	}
	if (between[0] == '\0')
		put(line, "-");
}

/* Append who led the stop of the world and who joined it last. */
static void put_stop(struct line *line, const struct flight_file *file)
{
	if (!file->stopped) {
		put(line, "-");
		return;
	}
	put(line, "led by D%u", file->stop.leader);
	if (file->stop.kind == STW_SYNC)
		put(line, ", last D%u after %.3fms", file->stop.last, (double)file->stop.lateness / 1e6);
}

void flight_line(const struct flight_file *file, char *out, size_t size)
{
	struct line line = {.text = out, .size = size};
	const struct flight_pause *p = &file->pause;
	char name[RTEV_NAME_SIZE];

	out[0] = '\0';
	put_wall(&line, file->wall);
	put(&line, "\tD%u\t%.3fms%s\t%s\t", p->domain, (double)p->duration / 1e6, p->open ? " and on" : "",
	    rtev_phase_name(p->phase, name));
	put_anatomy(&line, p);
	put(&line, "\t");
	put_stop(&line, file);
	if (file->others > 0)
		put(&line, "\t%llu other%s in it", (unsigned long long)file->others,
		    file->others == 1 ? "" : "s");
	else
		put(&line, "\t-");
	put(&line, "\t%s", file->why[0] != '\0' ? file->why : "-");
}
