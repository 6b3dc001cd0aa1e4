/* recorded.c - messages and exit statuses for what trail_open and trail_info return. */
#include "app/recorded.h"

#include "app/commands/commands.h"
#include "app/fail.h"

#define REMEDY_PERFETTO                                                                                      \
	"Open it in Perfetto (https://ui.perfetto.dev); rtevtop reads what `rtevtop record` wrote."

int recorded_open(struct trail **out, const char *path, int fd)
{
	switch (trail_open(out, fd)) {
	case TRAIL_OK:
		return EXIT_DONE;
	case TRAIL_FOREIGN:
		return say(REMEDY_PERFETTO, "could not read %s: rtevtop did not record it", path);
	case TRAIL_NEWER:
		return say("Read it with the rtevtop that recorded it, or open it in Perfetto.",
		    "could not read %s: another version of rtevtop recorded it", path);
	case TRAIL_MEMORY:
		return say(NULL, "could not read %s: out of memory", path);
	default:
		return say(REMEDY_PERFETTO, "could not read %s: it is damaged before the first event", path);
	}
}

int recorded_report(const struct trail *t, const char *path, int status)
{
	struct trail_info info;

	trail_info(t, &info);
	const double held = (double)(info.end - info.start) / 1e9;
	bool unended = info.indexed && !info.ended;
	if (info.fault != NULL)
		say("Everything before it was read.", "%s %s byte %llu: %s; it holds the first %.3f s", path,
		    info.truncated ? "ends early, at" : "is damaged at",
		    (unsigned long long)info.fault_offset, info.fault, held);
	else if (unended)
		say("Its recorder was killed or could not go on, or still writes.",
		    "%s has no end: it holds the first %.3f s", path, held);
	if (info.damaged != 0)
		say("They count as corrupt words.", "%s has %llu invalid pieces", path,
		    (unsigned long long)info.damaged);
	return status == EXIT_DONE && (info.fault != NULL || unended || info.damaged != 0) ? EXIT_FAILED
											   : status;
}

const char *recorded_version(const struct trail_about *about)
{
	return about->ocaml[0] != '\0' ? about->ocaml : NULL;
}

const char *recorded_name(const struct trail_about *about, const char *path)
{
	const char *base = strrchr(path, '/');

	if (about->name[0] != '\0')
		return about->name;
	return base != NULL ? base + 1 : path;
}

int64_t recorded_wall_offset(const struct trail_about *about)
{
	if (about->base_ts == 0 || about->base_ts > INT64_MAX / 2 || about->base_wall <= 0 ||
	    about->base_wall > INT64_MAX / 2)
		return 0;
	return about->base_wall - (int64_t)about->base_ts;
}
