/* sampler.c - sample a process. */
#include "target/sampler.h"

#include <fcntl.h>
#include <unistd.h>

#include "target/sampler_private.h"
#include "target/status.h"

/* Files that are read each time: first of the process, then of the machine. */
enum { STAT, STATUS, LIMITS, CGROUP, LOADAVG, ONLINE, READER, MACHINE_STAT, FILES };

struct sampler {
	struct proc proc;
	char proc_root[PROC_PATH_SIZE], sys_root[PROC_PATH_SIZE];
	enum system_known gone; /* SYSTEM_KNOWN: the process was opened */
	struct kept_file files[FILES];
	struct system_groups *groups;
	struct system_threads *threads;
	struct system_value memory; /* memory of the machine, read once */
	struct system_sample sample;
	char buf[KEPT_TEXT];
};

/* Set a value of the sample. */
static void set(
    struct sampler *s, enum system_value_id id, bool parsed, enum system_known known, uint64_t value)
{
	system_set(&s->sample.values[id], parsed, known, value);
}

/* Read a file of the process. */
static enum system_known read_own(struct sampler *s, unsigned file, const char *name, size_t *len)
{
	*len = 0;
	if (s->gone != SYSTEM_KNOWN)
		return s->gone;
	return kept_read(&s->files[file], s->proc.dir, name, s->buf, sizeof s->buf, len);
}

/* Read a file of the machine. */
static enum system_known read_machine(
    struct sampler *s, unsigned file, const char *root, const char *name, size_t *len)
{
	char path[PROC_PATH_SIZE];

	*len = 0;
	if ((size_t)snprintf(path, sizeof path, "%s/%s", root, name) >= sizeof path)
		return SYSTEM_NO_FILE;
	return kept_read(&s->files[file], AT_FDCWD, path, s->buf, sizeof s->buf, len);
}

/* Sample /proc/PID/stat.  Returns the number of threads. */
static uint64_t sample_stat(struct sampler *s)
{
	struct status_stat stat = {.pid = 0};
	size_t len;
	enum system_known known = read_own(s, STAT, "stat", &len);
	bool parsed = known == SYSTEM_KNOWN && status_parse_stat(s->buf, len, &stat);

	if (parsed && status_ended(&stat))
		known = SYSTEM_ENDED;
	bool hidden = known == SYSTEM_NO_FILE && proc_hidden(&s->proc);
	if (known == SYSTEM_NO_FILE)
		known = hidden ? SYSTEM_DENIED : SYSTEM_ENDED;
	if (known == SYSTEM_ENDED || hidden)
		s->gone = known;
	set(s, SYSTEM_CPU_USER, parsed, known, status_ticks_ns(stat.user_ticks));
	set(s, SYSTEM_CPU_SYSTEM, parsed, known, status_ticks_ns(stat.system_ticks));
	set(s, SYSTEM_MINOR_FAULTS, parsed, known, stat.minor_faults);
	set(s, SYSTEM_MAJOR_FAULTS, parsed, known, stat.major_faults);
	set(s, SYSTEM_THREAD_COUNT, parsed, known, stat.threads);
	return stat.threads;
}

/* Sample a size of /proc/PID/status; kernel threads have none. */
static void sample_size(
    struct sampler *s, enum system_known known, size_t len, const char *name, enum system_value_id id)
{
	uint64_t value = 0;
	bool parsed = known == SYSTEM_KNOWN && system_parse_keyed(s->buf, len, name, &value);

	set(s, id, parsed, known, system_kilobytes(value));
}

/* Sample how long the processors that the process may use were busy. */
static void sample_machine_run(struct sampler *s, const struct system_cpus *allowed, unsigned count)
{
	uint64_t ticks = 0;
	size_t len;
	enum system_known known = read_machine(s, MACHINE_STAT, s->proc_root, "stat", &len);
	bool parsed = known == SYSTEM_KNOWN && system_parse_ran(s->buf, len, allowed, count, &ticks);

	set(s, SYSTEM_MACHINE_RUN, parsed, known, status_ticks_ns(ticks));
}

/* Sample /proc/PID/status, with the online processors that the process may use. */
static void sample_status(struct sampler *s, const struct system_cpus *online)
{
	struct system_cpus allowed = {.bits = {0}};
	struct piece list;
	size_t len;
	enum system_known known = read_own(s, STATUS, "status", &len);
	bool parsed = known == SYSTEM_KNOWN && system_parse_field(s->buf, len, "Cpus_allowed_list", &list) &&
		      system_parse_cpus(list.at, (size_t)(list.end - list.at), &allowed);

	unsigned count = parsed ? system_cpus_count(&allowed, online) : 0;
	uint64_t resident;
	set(s, SYSTEM_AFFINITY, parsed, known, UINT64_C(1000) * count);
	/* Only a process that is ending has no memory. */
	if (known == SYSTEM_KNOWN && system_parse_keyed(s->buf, len, "VmRSS", &resident) && resident == 0)
		known = SYSTEM_ENDED;
	sample_size(s, known, len, "VmRSS", SYSTEM_RESIDENT);
	sample_size(s, known, len, "RssAnon", SYSTEM_ANON);
	sample_size(s, known, len, "VmSwap", SYSTEM_SWAP);
	sample_size(s, known, len, "HugetlbPages", SYSTEM_HUGE);
	sample_machine_run(s, &allowed, count);
}

/* Sample the limit on what the process may map. */
static void sample_limit(struct sampler *s)
{
	uint64_t limit = 0;
	size_t len;
	enum system_known known = read_own(s, LIMITS, "limits", &len);
	bool parsed = known == SYSTEM_KNOWN && system_parse_rlimit(s->buf, len, "Max address space", &limit);

	set(s, SYSTEM_ADDRESS_LIMIT, parsed, known, limit);
}

/* Sample the machine.  Returns false if the online processors are unknown. */
static bool sample_machine(struct sampler *s, struct system_cpus *online)
{
	uint64_t load = 0;
	size_t len;
	enum system_known known = read_machine(s, LOADAVG, s->proc_root, "loadavg", &len);
	bool parsed = known == SYSTEM_KNOWN && system_parse_load(s->buf, len, &load);

	set(s, SYSTEM_LOAD, parsed, known, load);
	known = read_machine(s, ONLINE, s->sys_root, "sys/devices/system/cpu/online", &len);
	parsed = known == SYSTEM_KNOWN && system_parse_cpus(s->buf, len, online);
	set(s, SYSTEM_MACHINE_CORES, parsed, known,
	    parsed ? UINT64_C(1000) * system_cpus_count(online, NULL) : 0);
	s->sample.values[SYSTEM_MACHINE_MEMORY] = s->memory;
	return parsed;
}

/* Sample how long this process, which reads the rings, waited for a processor. */
static void sample_reader(struct sampler *s)
{
	uint64_t times[3] = {0};
	size_t len;
	enum system_known known = read_machine(s, READER, s->proc_root, "self/schedstat", &len);
	bool parsed = known == SYSTEM_KNOWN && system_parse_schedstat(s->buf, len, times);

	/* Kernels without these statistics print zeros. */
	if (times[0] == 0 && times[1] == 0 && times[2] == 0)
		parsed = false;
	set(s, SYSTEM_READER_WAIT, parsed, known == SYSTEM_NO_FILE ? SYSTEM_OTHER_KERNEL : known, times[1]);
}

/* Determine how many cores the process can use. */
static void sample_cores(struct sampler *s)
{
	static const enum system_value_id limits[] = {SYSTEM_AFFINITY, SYSTEM_CPUSET, SYSTEM_QUOTA};
	uint64_t least = SYSTEM_NO_LIMIT;

	for (unsigned i = 0; i < sizeof limits / sizeof limits[0]; i++) {
		const struct system_value *limit = &s->sample.values[limits[i]];

		if (limit->known == SYSTEM_KNOWN && limit->value < least)
			least = limit->value;
	}
	/* Without the affinity a quota may exceed the machine. */
	set(s, SYSTEM_CORES, true, s->sample.values[SYSTEM_AFFINITY].known, least);
}

/* Read the memory size of the machine. */
static void read_memory(struct sampler *s)
{
	char path[PROC_PATH_SIZE];
	uint64_t total = 0;
	size_t len = 0;
	enum system_known known = SYSTEM_NO_FILE;

	if ((size_t)snprintf(path, sizeof path, "%s/meminfo", s->proc_root) < sizeof path)
		known = read_once(AT_FDCWD, path, s->buf, sizeof s->buf, &len);
	bool parsed = known == SYSTEM_KNOWN && system_parse_keyed(s->buf, len, "MemTotal", &total);
	system_set(&s->memory, parsed, known, system_kilobytes(total));
}

struct sampler *sampler_create(const struct sampler_options *options)
{
	struct sampler *s = calloc(1, sizeof *s);
	const char *sys_root = options->sys_root == NULL ? "" : options->sys_root;
	const char *proc_root = options->proc_root == NULL ? "/proc" : options->proc_root;

	if (s == NULL)
		return NULL;
	for (unsigned i = 0; i < FILES; i++)
		s->files[i] = KEPT_FILE_NONE;
	s->proc.dir = -1;
	s->groups = system_groups_create(options->proc_root, sys_root);
	s->threads = system_threads_create();
	if (s->groups == NULL || s->threads == NULL ||
	    strlcpy(s->proc_root, proc_root, sizeof s->proc_root) >= sizeof s->proc_root ||
	    strlcpy(s->sys_root, sys_root, sizeof s->sys_root) >= sizeof s->sys_root) {
		sampler_destroy(s);
		return NULL;
	}
	int error = proc_open(&s->proc, options->proc_root, options->pid);
	s->gone = error == 0 ? SYSTEM_KNOWN : kept_reason(error);
	read_memory(s);
	return s;
}

void sampler_destroy(struct sampler *s)
{
	if (s == NULL)
		return;
	for (unsigned i = 0; i < FILES; i++)
		kept_close(&s->files[i]);
	system_groups_destroy(s->groups);
	system_threads_destroy(s->threads);
	proc_close(&s->proc);
	free(s);
}

bool sampler_due(const struct sampler *s, uint64_t now)
{
	return s->sample.ts == 0 || (now > s->sample.ts && now - s->sample.ts >= SAMPLER_NS);
}

struct system_sample *sampler_take(struct sampler *s, uint64_t now)
{
	struct system_cpus online;
	size_t len;

	s->sample.ts = now;
	bool known_online = sample_machine(s, &online);
	uint64_t threads = sample_stat(s);
	sample_status(s, known_online ? &online : NULL);
	sample_limit(s);
	enum system_known known = read_own(s, CGROUP, "cgroup", &len);
	if (known == SYSTEM_KNOWN)
		system_groups_sample(s->groups, s->buf, len, known_online ? &online : NULL, &s->sample);
	else
		system_groups_unknown(&s->sample, known);
	sample_cores(s);
	sample_reader(s);
	if (s->gone == SYSTEM_KNOWN)
		system_threads_sample(s->threads, &s->proc, threads, &s->sample);
	else
		system_threads_unknown(&s->sample, s->gone);
	return &s->sample;
}
