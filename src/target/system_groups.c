/*
 * system_groups.c - sample the control groups that limit a process.
 *
 * Counters of groups are followed: their growth is added up here, so that neither a move to another group nor
 * a counter that restarts shows as a jump.
 *
 * This is one file, since every resource is read along its levels of groups, which only this file knows.
 */
#include <fcntl.h>
#include <unistd.h>

#include "core/sum.h"
#include "target/maps.h"
#include "target/sampler_private.h"

/* ---- the directories of the groups ---- */

#define PLACE_LEVELS 16 /* maximum number of levels opened from the process's group upwards */

/* The directories of one hierarchy that limit a process, its own group first. */
struct place {
	bool second; /* cgroup version 2 */
	unsigned levels;
	int dirs[PLACE_LEVELS];
};

/* Whether a path contains "..": the group is outside of our view. */
static bool leads_out(struct piece path)
{
	struct piece part;

	while (take_until(&path, '/', &part))
		if (piece_is(part, ".."))
			return true;
	return false;
}

/* Whether a mount belongs to the hierarchy. */
static bool right_mount(const struct system_mount *mount, const char *controller)
{
	if (controller == NULL)
		return piece_is(mount->type, "cgroup2");
	return piece_is(mount->type, "cgroup") && system_listed(mount->options, controller);
}

/* Copy a path of mountinfo, unescaped.  Returns false if it does not fit. */
static bool plain_path(struct piece piece, char *out, size_t size)
{
	char escaped[PROC_PATH_SIZE];
	size_t len = (size_t)(piece.end - piece.at);

	if (len >= sizeof escaped || len >= size)
		return false;
	memcpy(escaped, piece.at, len);
	escaped[len] = '\0';
	if (!map_unescape(escaped, out, size))
		memcpy(out, escaped, len + 1);
	return true;
}

/* Remove the root of a mount from the path of a group.  Returns false if the group is not below it. */
static bool strip_root(struct piece *group, const char *root)
{
	if (strcmp(root, "/") == 0)
		return true;
	return piece_skip(group, root) && (group->at == group->end || *group->at == '/');
}

/* Open the directories from the group's up to the mount point.  Returns false if the group's own does not
 * exist. */
static bool open_levels(struct place *place, const char *point, struct piece group)
{
	char path[PROC_PATH_SIZE];
	size_t base = strlen(point), len;

	while (group.end > group.at && group.end[-1] == '/')
		group.end--;
	len = base + (size_t)(group.end - group.at);
	if (len >= sizeof path)
		return false;
	memcpy(path, point, base);
	memcpy(path + base, group.at, (size_t)(group.end - group.at));
	path[len] = '\0';
	place->levels = 0;
	while (place->levels < PLACE_LEVELS) {
		int dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (dir < 0)
			break;
		place->dirs[place->levels++] = dir;
		if (len <= base)
			break;
		while (len > base && path[len - 1] != '/')
			len--;
		while (len > base && path[len - 1] == '/')
			len--;
		path[len] = '\0';
	}
	return place->levels > 0;
}

/* Find the group among the mounts. */
static enum system_known find_mount(struct place *place, struct piece group, const char *mounts,
    size_t mounts_len, const char *sys_root, const char *controller)
{
	const char *at = mounts, *end = mounts + mounts_len;
	enum system_known why = SYSTEM_NO_CGROUP;
	struct system_mount mount;
	struct piece line;

	while (take_line(&at, end, &line)) {
		char root[PROC_PATH_SIZE], point[PROC_PATH_SIZE], path[PROC_PATH_SIZE];
		struct piece below = group;

		if (!system_parse_mount(line, &mount) || !right_mount(&mount, controller))
			continue;
		why = SYSTEM_HIDDEN_CGROUP;
		if (!leads_out(group) && plain_path(mount.root, root, sizeof root) &&
		    strip_root(&below, root) && plain_path(mount.point, point, sizeof point) &&
		    (size_t)snprintf(path, sizeof path, "%s%s", sys_root, point) < sizeof path &&
		    open_levels(place, path, below))
			return SYSTEM_KNOWN;
	}
	return why;
}

/*
 * Find the groups of a process for a controller: in a v1 hierarchy that has it, else in v2.  Controller NULL:
 * v2.  `text` is /proc/PID/cgroup, `mounts` our mountinfo; `sys_root` is a prefix of the mount points.
 * Returns SYSTEM_KNOWN with at least one level, SYSTEM_NO_CGROUP, or SYSTEM_HIDDEN_CGROUP.
 */
static enum system_known place_find(struct place *place, const char *text, size_t len, const char *mounts,
    size_t mounts_len, const char *sys_root, const char *controller)
{
	enum system_known known;
	struct piece group;

	memset(place, 0, sizeof *place);
	if (controller != NULL && system_parse_group(text, len, controller, &group)) {
		/* A controller is in one hierarchy only: v2 groups lack it if a v1 hierarchy has it. */
		known = find_mount(place, group, mounts, mounts_len, sys_root, controller);
		return known == SYSTEM_NO_CGROUP ? SYSTEM_HIDDEN_CGROUP : known;
	}
	if (!system_parse_group(text, len, NULL, &group))
		return SYSTEM_NO_CGROUP;
	known = find_mount(place, group, mounts, mounts_len, sys_root, NULL);
	place->second = known == SYSTEM_KNOWN;
	return known;
}

static void place_close(struct place *place)
{
	for (unsigned i = 0; i < place->levels; i++)
		close(place->dirs[i]);
	place->levels = 0;
}

/* ---- what they tell ---- */

enum { GROUP_TEXT = 4096, MOUNTS_MAX = 4 << 20 };

/* A limit of version 1 from here on means none: the kernel counts pages in a signed number. */
#define NO_LIMIT_FROM (UINT64_C(1) << 60)

enum { QUOTA, PERIOD, CPU_STAT, CPU_FILES };
enum { LIMIT, CURRENT, EVENTS, HIGH, MEMORY_FILES };
enum { LEVEL_FILES = 4 };

/* Names of a level's files by cgroup version; NULL: there is none. */
static const char *const cpu_names[2][CPU_FILES] = {
    {"cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.stat"}, {"cpu.max", NULL, "cpu.stat"}};
static const char *const memory_names[2][MEMORY_FILES] = {
    {"memory.limit_in_bytes", "memory.usage_in_bytes", "memory.oom_control", "memory.failcnt"},
    {"memory.max", "memory.current", "memory.events", "memory.high"}};
static const char *const cpuset_names[2] = {"cpuset.effective_cpus", "cpuset.cpus.effective"};

/* A counter that is followed. */
struct follow {
	uint64_t last;
	bool seen;
};

enum { COUNT_PERIODS, COUNT_THROTTLED_PERIODS, COUNT_THROTTLED, COUNT_HIGH, COUNT_MAX, COUNT_OOM, COUNTS };

struct level {
	struct kept_file files[LEVEL_FILES];
	struct follow counts[COUNTS];
};

/* What one controller limits. */
struct resource {
	enum system_known why; /* SYSTEM_KNOWN: there are groups; else why there are none */
	struct place place;
	struct level levels[PLACE_LEVELS];
};

enum { CPU, CPUSET, MEMORY, PRESSURE, RESOURCES };
static const char *const controllers[RESOURCES] = {"cpu", "cpuset", "memory", NULL};

struct system_groups {
	char proc_root[PROC_PATH_SIZE], sys_root[PROC_PATH_SIZE];
	bool looked;
	size_t text_len;
	char text[GROUP_TEXT];
	struct resource resources[RESOURCES];
	struct kept_file machine[2]; /* pressure files of the machine */
	struct follow pressure[3];
	uint64_t totals[COUNTS];
	uint64_t pressures[3];
	char buf[KEPT_TEXT];
};

/* Return how much a counter has grown since it was last read. */
static uint64_t follow(struct follow *follow, uint64_t now)
{
	uint64_t grown = follow->seen && now > follow->last ? now - follow->last : 0;

	follow->last = now;
	follow->seen = true;
	return grown;
}

/* Add without overflow. */
static void add(uint64_t *sum, uint64_t more)
{
	*sum = sum_saturating(*sum, more);
}

/* Set one of the sample's values, or why it is not known. */
static void set(struct system_sample *out, enum system_value_id id, enum system_known known, uint64_t value)
{
	system_set(&out->values[id], true, known, value);
}

struct system_groups *system_groups_create(const char *proc_root, const char *sys_root)
{
	struct system_groups *groups = calloc(1, sizeof *groups);

	if (groups == NULL)
		return NULL;
	for (unsigned i = 0; i < 2; i++)
		groups->machine[i] = KEPT_FILE_NONE;
	if (strlcpy(groups->proc_root, proc_root == NULL ? "/proc" : proc_root, PROC_PATH_SIZE) >=
		PROC_PATH_SIZE ||
	    strlcpy(groups->sys_root, sys_root, PROC_PATH_SIZE) >= PROC_PATH_SIZE) {
		free(groups);
		return NULL;
	}
	return groups;
}

/* Close the groups that were looked up. */
static void forget(struct system_groups *groups)
{
	for (unsigned r = 0; r < RESOURCES; r++) {
		struct resource *resource = &groups->resources[r];

		for (unsigned i = 0; i < resource->place.levels; i++)
			for (unsigned f = 0; f < LEVEL_FILES; f++)
				kept_close(&resource->levels[i].files[f]);
		place_close(&resource->place);
	}
	memset(groups->pressure, 0, sizeof groups->pressure);
}

void system_groups_destroy(struct system_groups *groups)
{
	if (groups == NULL)
		return;
	forget(groups);
	for (unsigned i = 0; i < 2; i++)
		kept_close(&groups->machine[i]);
	free(groups);
}

/* Look the groups up again. */
static void look_up(struct system_groups *groups, const char *text, size_t len)
{
	struct proc self = {.dir = -1};
	char path[PROC_PATH_SIZE], *mounts = NULL;
	size_t mounts_len = 0;

	forget(groups);
	if ((size_t)snprintf(path, sizeof path, "%s/self", groups->proc_root) < sizeof path)
		self.dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool read = self.dir >= 0 && proc_slurp(&self, "mountinfo", MOUNTS_MAX, &mounts, &mounts_len) == 0;
	for (unsigned r = 0; r < RESOURCES; r++) {
		struct resource *resource = &groups->resources[r];

		memset(resource, 0, sizeof *resource);
		for (unsigned i = 0; i < PLACE_LEVELS; i++)
			for (unsigned f = 0; f < LEVEL_FILES; f++)
				resource->levels[i].files[f] = KEPT_FILE_NONE;
		resource->why = read ? place_find(&resource->place, text, len, mounts, mounts_len,
					   groups->sys_root, controllers[r])
				     : SYSTEM_NO_FILE;
	}
	free(mounts);
	proc_close(&self);
}

/* Read a file of a level into the buffer. */
static enum system_known read_level(struct system_groups *groups, struct resource *resource, unsigned level,
    unsigned file, const char *name, size_t *len)
{
	if (name == NULL)
		return SYSTEM_NO_FILE;
	return kept_read(&resource->levels[level].files[file], resource->place.dirs[level], name, groups->buf,
	    sizeof groups->buf, len);
}

/* Read the quota of a level, in thousandths of a core.  A level without the file has no quota. */
static enum system_known read_quota(
    struct system_groups *groups, struct resource *cpu, unsigned level, uint64_t *cores)
{
	const char *const *names = cpu_names[cpu->place.second];
	uint64_t quota = SYSTEM_NO_LIMIT, period = 0;
	size_t len;

	*cores = SYSTEM_NO_LIMIT;
	enum system_known known = read_level(groups, cpu, level, QUOTA, names[QUOTA], &len);
	if (known != SYSTEM_KNOWN)
		return known == SYSTEM_NO_FILE ? SYSTEM_KNOWN : known;
	if (cpu->place.second) {
		if (!system_parse_cpu_max(groups->buf, len, &quota, &period))
			return SYSTEM_OTHER_KERNEL;
	} else {
		if (!system_parse_limit(groups->buf, len, &quota))
			return SYSTEM_OTHER_KERNEL;
		if (quota != SYSTEM_NO_LIMIT) {
			known = read_level(groups, cpu, level, PERIOD, names[PERIOD], &len);
			if (known != SYSTEM_KNOWN)
				return known;
			if (!system_parse_limit(groups->buf, len, &period) || period == 0)
				return SYSTEM_OTHER_KERNEL;
		}
	}
	*cores = system_quota_cores(quota, period);
	return SYSTEM_KNOWN;
}

/* Read how much a level throttled, and follow it. */
static enum system_known read_throttling(
    struct system_groups *groups, struct resource *cpu, unsigned level, uint64_t grown[COUNTS])
{
	struct follow *counts = cpu->levels[level].counts;
	uint64_t periods, throttled, time;
	size_t len;
	enum system_known known = read_level(groups, cpu, level, CPU_STAT, "cpu.stat", &len);

	if (known != SYSTEM_KNOWN)
		return known;
	if (!system_parse_keyed(groups->buf, len, "nr_periods", &periods) ||
	    !system_parse_keyed(groups->buf, len, "nr_throttled", &throttled) ||
	    !system_parse_keyed(
		groups->buf, len, cpu->place.second ? "throttled_usec" : "throttled_time", &time))
		return SYSTEM_OTHER_KERNEL;
	if (cpu->place.second)
		time = time > UINT64_MAX / 1000 ? UINT64_MAX : time * 1000;
	grown[COUNT_PERIODS] = follow(&counts[COUNT_PERIODS], periods);
	grown[COUNT_THROTTLED_PERIODS] = follow(&counts[COUNT_THROTTLED_PERIODS], throttled);
	grown[COUNT_THROTTLED] = follow(&counts[COUNT_THROTTLED], time);
	return SYSTEM_KNOWN;
}

/* Set the quota and the throttling in the sample. */
static void sample_cpu(struct system_groups *groups, struct system_sample *out)
{
	struct resource *cpu = &groups->resources[CPU];
	uint64_t least = SYSTEM_NO_LIMIT, cores, most = 0, periods = 0, throttled = 0;
	enum system_known quota = cpu->why, counts = cpu->why;

	for (unsigned i = 0; i < cpu->place.levels && quota == SYSTEM_KNOWN; i++) {
		uint64_t grown[COUNTS] = {0};

		quota = read_quota(groups, cpu, i, &cores);
		if (quota != SYSTEM_KNOWN || cores == SYSTEM_NO_LIMIT)
			continue;
		least = cores < least ? cores : least;
		if (counts == SYSTEM_KNOWN)
			counts = read_throttling(groups, cpu, i, grown);
		add(&groups->totals[COUNT_THROTTLED], grown[COUNT_THROTTLED]);
		if (grown[COUNT_THROTTLED] >= most) {
			most = grown[COUNT_THROTTLED];
			periods = grown[COUNT_PERIODS];
			throttled = grown[COUNT_THROTTLED_PERIODS];
		}
	}
	counts = quota != SYSTEM_KNOWN ? quota : counts;
	add(&groups->totals[COUNT_PERIODS], periods);
	add(&groups->totals[COUNT_THROTTLED_PERIODS], throttled);
	set(out, SYSTEM_QUOTA, quota, least);
	static const struct {
		enum system_value_id id;
		unsigned count;
	} told[] = {{SYSTEM_PERIODS, COUNT_PERIODS}, {SYSTEM_THROTTLED_PERIODS, COUNT_THROTTLED_PERIODS},
	    {SYSTEM_THROTTLED, COUNT_THROTTLED}};
	for (unsigned i = 0; i < 3; i++)
		set(out, told[i].id, counts, groups->totals[told[i].count]);
}

/* Set the processors of the cpuset: from the first level upwards that has the file. */
static void sample_cpuset(
    struct system_groups *groups, const struct system_cpus *online, struct system_sample *out)
{
	struct resource *cpuset = &groups->resources[CPUSET];
	enum system_known why = cpuset->why == SYSTEM_KNOWN ? SYSTEM_NO_CGROUP : cpuset->why;
	struct system_cpus cpus;
	size_t len;

	for (unsigned i = 0; i < cpuset->place.levels; i++) {
		enum system_known known =
		    read_level(groups, cpuset, i, 0, cpuset_names[cpuset->place.second], &len);

		if (known == SYSTEM_NO_FILE)
			continue;
		why = known;
		if (known == SYSTEM_KNOWN && system_parse_cpus(groups->buf, len, &cpus)) {
			set(out, SYSTEM_CPUSET, SYSTEM_KNOWN,
			    UINT64_C(1000) * system_cpus_count(&cpus, online));
			return;
		}
		if (known == SYSTEM_KNOWN)
			why = SYSTEM_OTHER_KERNEL;
		break;
	}
	set(out, SYSTEM_CPUSET, why, 0);
}

/* Read a number of a level's memory. */
static enum system_known read_bytes(
    struct system_groups *groups, struct resource *memory, unsigned level, unsigned file, uint64_t *bytes)
{
	size_t len;
	enum system_known known =
	    read_level(groups, memory, level, file, memory_names[memory->place.second][file], &len);

	if (known == SYSTEM_KNOWN && !system_parse_limit(groups->buf, len, bytes))
		known = SYSTEM_OTHER_KERNEL;
	return known;
}

/* Follow the events at a level's limit.  The maximum over all levels counts, since a level includes the
 * events below it. */
static enum system_known read_events(
    struct system_groups *groups, struct resource *memory, unsigned level, uint64_t grown[COUNTS])
{
	struct follow *counts = memory->levels[level].counts;
	uint64_t high = 0, max = 0, oom = 0;
	size_t len;
	enum system_known known =
	    read_level(groups, memory, level, EVENTS, memory_names[memory->place.second][EVENTS], &len);

	if (known != SYSTEM_KNOWN)
		return known;
	/* "oom_kill" is missing in older kernels: then no kills are known. */
	(void)system_parse_keyed(groups->buf, len, "oom_kill", &oom);
	if (memory->place.second) {
		if (!system_parse_keyed(groups->buf, len, "high", &high) ||
		    !system_parse_keyed(groups->buf, len, "max", &max))
			return SYSTEM_OTHER_KERNEL;
	} else {
		known = read_bytes(groups, memory, level, HIGH, &max);
	}
	const uint64_t now[COUNTS] = {[COUNT_HIGH] = high, [COUNT_MAX] = max, [COUNT_OOM] = oom};
	for (unsigned c = COUNT_HIGH; c <= COUNT_OOM; c++) {
		uint64_t more = follow(&counts[c], now[c]);

		grown[c] = more > grown[c] ? more : grown[c];
	}
	return known;
}

/* Read whether a level limits memory, and how much; memory.high counts, too. */
static enum system_known read_limit(
    struct system_groups *groups, struct resource *memory, unsigned level, uint64_t *limit, bool *counts)
{
	uint64_t high = SYSTEM_NO_LIMIT;
	enum system_known known = read_bytes(groups, memory, level, LIMIT, limit);

	if (known == SYSTEM_KNOWN && memory->place.second &&
	    read_bytes(groups, memory, level, HIGH, &high) != SYSTEM_KNOWN)
		high = SYSTEM_NO_LIMIT;
	if (known != SYSTEM_KNOWN || *limit >= NO_LIMIT_FROM)
		*limit = SYSTEM_NO_LIMIT;
	*counts = *limit != SYSTEM_NO_LIMIT || high < NO_LIMIT_FROM;
	return known == SYSTEM_NO_FILE ? SYSTEM_KNOWN : known;
}

/* Set the events at the limits in the sample. */
static void tell_events(struct system_groups *groups, enum system_known known, const uint64_t grown[COUNTS],
    struct system_sample *out)
{
	static const enum system_value_id ids[COUNTS] = {[COUNT_HIGH] = SYSTEM_MEMORY_HIGH_EVENTS,
	    [COUNT_MAX] = SYSTEM_MEMORY_MAX_EVENTS,
	    [COUNT_OOM] = SYSTEM_MEMORY_OOM_KILLS};

	for (unsigned c = COUNT_HIGH; c <= COUNT_OOM; c++) {
		add(&groups->totals[c], grown[c]);
		set(out, ids[c], known, groups->totals[c]);
	}
	if (known == SYSTEM_KNOWN && !groups->resources[MEMORY].place.second)
		set(out, SYSTEM_MEMORY_HIGH_EVENTS, SYSTEM_OTHER_KERNEL, 0);
}

/* Set the nearest limit, how much of it is in use, and the events at limits. */
static void sample_memory(struct system_groups *groups, struct system_sample *out)
{
	struct resource *memory = &groups->resources[MEMORY];
	uint64_t limit, current, grown[COUNTS] = {0};
	enum system_known limits = memory->why, events = memory->why, own = memory->why;
	double nearest = -1;
	bool counts;

	set(out, SYSTEM_MEMORY_CURRENT, memory->why, 0);
	set(out, SYSTEM_MEMORY_LIMIT, SYSTEM_KNOWN, SYSTEM_NO_LIMIT);
	for (unsigned i = 0; i < memory->place.levels && limits == SYSTEM_KNOWN; i++) {
		limits = read_limit(groups, memory, i, &limit, &counts);
		if (counts && events == SYSTEM_KNOWN)
			events = read_events(groups, memory, i, grown);
		if (i > 0 && limit == SYSTEM_NO_LIMIT)
			continue;
		own = read_bytes(groups, memory, i, CURRENT, &current);
		double share = own == SYSTEM_KNOWN && limit != SYSTEM_NO_LIMIT
				   ? (double)current / ((double)limit + 1)
				   : -0.5;
		if (share <= nearest)
			continue;
		nearest = share;
		set(out, SYSTEM_MEMORY_LIMIT, SYSTEM_KNOWN, limit);
		set(out, SYSTEM_MEMORY_CURRENT, own, current);
	}
	if (limits != SYSTEM_KNOWN)
		set(out, SYSTEM_MEMORY_LIMIT, limits, 0);
	tell_events(groups, limits != SYSTEM_KNOWN ? limits : events, grown, out);
}

/* The three pressures: file of a group, file of the machine, line. */
static const struct {
	enum system_value_id id;
	unsigned file;
	const char *line;
} pressures[] = {{SYSTEM_PRESSURE_CPU, 0, "some"}, {SYSTEM_PRESSURE_MEMORY, 1, "some"},
    {SYSTEM_PRESSURE_MEMORY_FULL, 1, "full"}};
static const char *const pressure_names[2] = {"cpu.pressure", "memory.pressure"};
static const char *const machine_names[2] = {"pressure/cpu", "pressure/memory"};

/* Read a pressure file: the group's, or the machine's if the group has none. */
static enum system_known read_pressure(
    struct system_groups *groups, unsigned file, size_t *len, bool *of_group)
{
	struct resource *group = &groups->resources[PRESSURE];
	enum system_known known = group->why;
	char path[PROC_PATH_SIZE];

	/* The root group has the pressure of the machine; it is recognised by the file that it lacks. */
	*of_group = known == SYSTEM_KNOWN && faccessat(group->place.dirs[0], "cgroup.events", F_OK, 0) == 0;
	if (*of_group) {
		known = read_level(groups, group, 0, file, pressure_names[file], len);
		if (known == SYSTEM_KNOWN || known == SYSTEM_DENIED)
			return known;
	}
	*of_group = false;
	if ((size_t)snprintf(path, sizeof path, "%s/%s", groups->proc_root, machine_names[file]) >=
	    sizeof path)
		return SYSTEM_NO_FILE;
	known = kept_read(&groups->machine[file], AT_FDCWD, path, groups->buf, sizeof groups->buf, len);
	return known == SYSTEM_NO_FILE ? SYSTEM_OTHER_KERNEL : known;
}

/* Set the pressure in the sample. */
static void sample_pressure(struct system_groups *groups, struct system_sample *out)
{
	enum system_known known = SYSTEM_NOT_READ;
	unsigned file = 2;
	bool of_group = false;
	uint64_t us;
	size_t len = 0;

	for (unsigned i = 0; i < sizeof pressures / sizeof pressures[0]; i++) {
		if (pressures[i].file != file) {
			file = pressures[i].file;
			known = read_pressure(groups, file, &len, &of_group);
		}
		if (known != SYSTEM_KNOWN ||
		    !system_parse_pressure(groups->buf, len, pressures[i].line, &us)) {
			set(out, pressures[i].id, known == SYSTEM_KNOWN ? SYSTEM_OTHER_KERNEL : known, 0);
			continue;
		}
		us = us > UINT64_MAX / 1000 ? UINT64_MAX / 1000 : us;
		add(&groups->pressures[i], follow(&groups->pressure[i], us * 1000));
		set(out, pressures[i].id, SYSTEM_KNOWN, groups->pressures[i]);
	}
	out->pressure_scope = of_group ? SYSTEM_PRESSURE_OF_GROUP : SYSTEM_PRESSURE_OF_MACHINE;
}

void system_groups_sample(struct system_groups *groups, const char *text, size_t len,
    const struct system_cpus *online, struct system_sample *out)
{
	if (len > sizeof groups->text)
		len = sizeof groups->text;
	if (!groups->looked || groups->text_len != len || memcmp(groups->text, text, len) != 0) {
		look_up(groups, text, len);
		groups->looked = true;
		groups->text_len = len;
		memcpy(groups->text, text, len);
	}
	sample_cpu(groups, out);
	sample_cpuset(groups, online, out);
	sample_memory(groups, out);
	sample_pressure(groups, out);
}

void system_groups_unknown(struct system_sample *out, enum system_known why)
{
	static const enum system_value_id ids[] = {SYSTEM_QUOTA, SYSTEM_CPUSET, SYSTEM_PERIODS,
	    SYSTEM_THROTTLED_PERIODS, SYSTEM_THROTTLED, SYSTEM_MEMORY_LIMIT, SYSTEM_MEMORY_CURRENT,
	    SYSTEM_MEMORY_HIGH_EVENTS, SYSTEM_MEMORY_MAX_EVENTS, SYSTEM_MEMORY_OOM_KILLS, SYSTEM_PRESSURE_CPU,
	    SYSTEM_PRESSURE_MEMORY, SYSTEM_PRESSURE_MEMORY_FULL};

	for (unsigned i = 0; i < sizeof ids / sizeof ids[0]; i++)
		set(out, ids[i], why, 0);
}
