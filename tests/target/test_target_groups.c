/*
 * test_target_groups.c - control groups as the sampler finds them: both versions, nested, hybrid, in
 * containers.
 */
#include "target/system_tree.h"

#define SECOND UINT64_C(1000000000)

#define MOUNT_2 "31 23 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"

/* Write the files of a group of the second version. */
static void group_2(const struct tree *tree, const char *path, const char *cpu_max, unsigned throttled,
    const char *memory_max, unsigned current)
{
	char name[512];

#define FILE_OF(file) (snprintf(name, sizeof name, "sys/fs/cgroup%s/" file, path), name)
	put(tree, FILE_OF("cpu.max"), "%s\n", cpu_max);
	put(tree, FILE_OF("cpu.stat"),
	    "usage_usec 5\nuser_usec 4\nsystem_usec 1\nnr_periods %u\nnr_throttled %u\nthrottled_usec "
	    "%u\nnr_bursts 0\n",
	    throttled * 2, throttled, throttled * 1000);
	put(tree, FILE_OF("memory.max"), "%s\n", memory_max);
	put(tree, FILE_OF("memory.high"), "max\n");
	put(tree, FILE_OF("memory.current"), "%u\n", current);
	put(tree, FILE_OF("memory.events"), "low 0\nhigh %u\nmax %u\noom 0\noom_kill 1\n", throttled * 3,
	    throttled * 4);
	put(tree, FILE_OF("cgroup.events"), "populated 1\nfrozen 0\n");
	put(tree, FILE_OF("cpu.pressure"), "some avg10=0.00 avg60=0.00 avg300=0.00 total=%u\n",
	    throttled * 10);
	put(tree, FILE_OF("memory.pressure"),
	    "some avg10=0.00 avg60=0.00 avg300=0.00 total=%u\nfull avg10=0.00 avg60=0.00 avg300=0.00 "
	    "total=%u\n",
	    throttled * 20, throttled * 30);
#undef FILE_OF
}

/* Limits of all levels count; what a level has counted before sampling began does not. */
TEST(test_second_version_nested)
{
	struct tree tree;
	const struct system_sample *s;

	system_tree_create(&tree);
	put(&tree, "proc/self/mountinfo", "%s", MOUNT_2);
	put(&tree, "proc/77/cgroup", "0::/apps.slice/my app.service\n");
	put(&tree, "sys/fs/cgroup/cgroup.procs", "1\n");
	group_2(&tree, "/apps.slice", "150000 100000", 100, "1000000", 900000);
	group_2(&tree, "/apps.slice/my app.service", "max 100000", 7, "5000000", 400000);
	put(&tree, "sys/fs/cgroup/apps.slice/cpuset.cpus.effective", "0-1\n");
	struct sampler *sampler = system_sampler(&tree);
	s = sampler_take(sampler, SECOND);
	CHECK_KNOWN(s, SYSTEM_QUOTA, 1500);
	CHECK_KNOWN(s, SYSTEM_CPUSET, 2000);
	CHECK_KNOWN(s, SYSTEM_CORES, 1500);
	CHECK_KNOWN(s, SYSTEM_THROTTLED, 0);
	CHECK_KNOWN(s, SYSTEM_MEMORY_LIMIT, 1000000);
	CHECK_KNOWN(s, SYSTEM_MEMORY_CURRENT, 900000);
	CHECK_KNOWN(s, SYSTEM_MEMORY_MAX_EVENTS, 0);
	CHECK_INT(s->pressure_scope, SYSTEM_PRESSURE_OF_GROUP);
	CHECK_KNOWN(s, SYSTEM_PRESSURE_CPU, 0);
	group_2(&tree, "/apps.slice", "150000 100000", 110, "1000000", 100000);
	group_2(&tree, "/apps.slice/my app.service", "50000 100000", 9, "5000000", 4000000);
	s = sampler_take(sampler, 2 * SECOND);
	CHECK_KNOWN(s, SYSTEM_QUOTA, 500);
	/* The inner group had no quota before: it is followed from here on. */
	CHECK_KNOWN(s, SYSTEM_THROTTLED, 10 * 1000000);
	CHECK_KNOWN(s, SYSTEM_PERIODS, 20);
	CHECK_KNOWN(s, SYSTEM_THROTTLED_PERIODS, 10);
	CHECK_KNOWN(s, SYSTEM_MEMORY_LIMIT, 5000000);
	CHECK_KNOWN(s, SYSTEM_MEMORY_CURRENT, 4000000);
	CHECK_KNOWN(s, SYSTEM_MEMORY_HIGH_EVENTS, 30);
	CHECK_KNOWN(s, SYSTEM_MEMORY_MAX_EVENTS, 40);
	CHECK_KNOWN(s, SYSTEM_MEMORY_OOM_KILLS, 0);
	CHECK_KNOWN(s, SYSTEM_PRESSURE_CPU, 2 * 10000);
	CHECK_KNOWN(s, SYSTEM_PRESSURE_MEMORY, 2 * 20000);
	CHECK_KNOWN(s, SYSTEM_PRESSURE_MEMORY_FULL, 2 * 30000);
	group_2(&tree, "/apps.slice/my app.service", "50000 100000", 29, "5000000", 4000000);
	s = sampler_take(sampler, 3 * SECOND);
	CHECK_KNOWN(s, SYSTEM_THROTTLED, 30 * 1000000);
	CHECK_KNOWN(s, SYSTEM_THROTTLED_PERIODS, 30);
}

/* A process that is moved to another group brings no jump. */
TEST(test_move_to_another_group)
{
	struct tree tree;
	const struct system_sample *s;

	system_tree_create(&tree);
	put(&tree, "proc/self/mountinfo", "%s", MOUNT_2);
	put(&tree, "proc/77/cgroup", "0::/a\n");
	group_2(&tree, "/a", "100000 100000", 10, "max", 5);
	group_2(&tree, "/b", "200000 100000", 90000, "max", 6);
	struct sampler *sampler = system_sampler(&tree);
	s = sampler_take(sampler, SECOND);
	CHECK_KNOWN(s, SYSTEM_QUOTA, 1000);
	CHECK_KNOWN(s, SYSTEM_MEMORY_LIMIT, SYSTEM_NO_LIMIT);
	CHECK_KNOWN(s, SYSTEM_MEMORY_CURRENT, 5);
	put(&tree, "proc/77/cgroup", "0::/b\n");
	s = sampler_take(sampler, 2 * SECOND);
	CHECK_KNOWN(s, SYSTEM_QUOTA, 2000);
	CHECK_KNOWN(s, SYSTEM_THROTTLED, 0);
	CHECK_KNOWN(s, SYSTEM_PRESSURE_CPU, 0);
	CHECK_KNOWN(s, SYSTEM_MEMORY_CURRENT, 6);
}

/* Write the files of groups of the first version. */
static void groups_1(
    const struct tree *tree, const char *cpu, const char *memory, int quota, unsigned throttled)
{
	char name[512];

#define FILE_OF(path, file) (snprintf(name, sizeof name, "sys/fs/cgroup/%s/" file, path), name)
	put(tree, FILE_OF(cpu, "cpu.cfs_quota_us"), "%d\n", quota);
	put(tree, FILE_OF(cpu, "cpu.cfs_period_us"), "100000\n");
	put(tree, FILE_OF(cpu, "cpu.stat"), "nr_periods %u\nnr_throttled %u\nthrottled_time %u\n",
	    throttled * 2, throttled, throttled * 1000);
	put(tree, FILE_OF(memory, "memory.limit_in_bytes"), "9223372036854771712\n");
	put(tree, FILE_OF(memory, "memory.usage_in_bytes"), "1234\n");
	put(tree, FILE_OF(memory, "memory.oom_control"), "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
	put(tree, FILE_OF(memory, "memory.failcnt"), "%u\n", throttled);
#undef FILE_OF
}

/* The first version as a container sees it that has no cgroup namespace: its group is what is mounted. */
TEST(test_first_version_in_a_container)
{
	struct tree tree;
	const struct system_sample *s;

	system_tree_create(&tree);
	put(&tree, "proc/self/mountinfo",
	    "40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n"
	    "32 31 0:29 /docker/ab /sys/fs/cgroup/cpu\\040acct rw shared:3 - cgroup cgroup rw,cpuacct,cpu\n"
	    "35 31 0:32 /docker/ab /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	    "36 31 0:33 /docker/ab /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n");
	put(&tree, "proc/77/cgroup",
	    "9:name=systemd:/docker/ab\n4:memory:/docker/ab/inner\n3:cpuset:/docker/ab\n"
	    "2:cpu,cpuacct:/docker/ab\n");
	groups_1(&tree, "cpu acct", "memory/inner", 250000, 5);
	put(&tree, "sys/fs/cgroup/memory/memory.limit_in_bytes", "4096\n");
	put(&tree, "sys/fs/cgroup/memory/memory.usage_in_bytes", "2048\n");
	put(&tree, "sys/fs/cgroup/memory/memory.oom_control",
	    "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
	put(&tree, "sys/fs/cgroup/memory/memory.failcnt", "3\n");
	put(&tree, "sys/fs/cgroup/cpuset/cpuset.effective_cpus", "1-2,7\n");
	struct sampler *sampler = system_sampler(&tree);
	(void)sampler_take(sampler, SECOND);
	groups_1(&tree, "cpu acct", "memory/inner", 250000, 8);
	put(&tree, "sys/fs/cgroup/memory/memory.failcnt", "5\n");
	s = sampler_take(sampler, 2 * SECOND);
	CHECK_KNOWN(s, SYSTEM_QUOTA, 2500);
	CHECK_KNOWN(s, SYSTEM_CPUSET, 2000);
	CHECK_KNOWN(s, SYSTEM_CORES, 2000);
	CHECK_KNOWN(s, SYSTEM_THROTTLED, 3000);
	CHECK_KNOWN(s, SYSTEM_PERIODS, 6);
	CHECK_KNOWN(s, SYSTEM_MEMORY_LIMIT, 4096);
	CHECK_KNOWN(s, SYSTEM_MEMORY_CURRENT, 2048);
	CHECK_KNOWN(s, SYSTEM_MEMORY_MAX_EVENTS, 2);
	CHECK_UNKNOWN(s, SYSTEM_MEMORY_HIGH_EVENTS, SYSTEM_OTHER_KERNEL);
}

/* Both versions: controllers in the first, the second counts pressure; the groups at the root limit
 * nothing. */
TEST(test_hybrid)
{
	struct tree tree;
	const struct system_sample *s;

	system_tree_create(&tree);
	put(&tree, "proc/self/mountinfo",
	    "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
	    "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	    "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
	put(&tree, "proc/77/cgroup", "4:memory:/m\n1:cpu:/\n0::/svc\n");
	put(&tree, "sys/fs/cgroup/cpu/cpu.shares", "1024\n");
	groups_1(&tree, "elsewhere", "memory/m", 0, 1);
	group_2(&tree, "/unified/svc", "10000 100000", 5, "5", 5);
	put(&tree, "proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=99\n");
	struct sampler *sampler = system_sampler(&tree);
	s = sampler_take(sampler, SECOND);
	/* The processors are in the first version here, whatever a file of the second says. */
	CHECK_KNOWN(s, SYSTEM_QUOTA, SYSTEM_NO_LIMIT);
	CHECK_KNOWN(s, SYSTEM_THROTTLED, 0);
	CHECK_KNOWN(s, SYSTEM_MEMORY_LIMIT, SYSTEM_NO_LIMIT);
	CHECK_KNOWN(s, SYSTEM_MEMORY_CURRENT, 1234);
	CHECK_INT(s->pressure_scope, SYSTEM_PRESSURE_OF_GROUP);
	CHECK_UNKNOWN(s, SYSTEM_CPUSET, SYSTEM_NO_CGROUP);
	CHECK_KNOWN(s, SYSTEM_CORES, 3000);
}

/* A container with a namespace of its own: its group looks like the root, and limits all the same. */
TEST(test_own_namespace)
{
	struct tree tree;

	system_tree_create(&tree);
	put(&tree, "proc/self/mountinfo", "%s", MOUNT_2);
	put(&tree, "proc/77/cgroup", "0::/\n");
	group_2(&tree, "", "50000 100000", 5, "1000", 900);
	struct sampler *sampler = system_sampler(&tree);
	const struct system_sample *s = sampler_take(sampler, SECOND);
	CHECK_KNOWN(s, SYSTEM_QUOTA, 500);
	CHECK_KNOWN(s, SYSTEM_MEMORY_LIMIT, 1000);
	CHECK_INT(s->pressure_scope, SYSTEM_PRESSURE_OF_GROUP);
}

/* Groups that can't be seen: outside of our namespace, below no mount of ours, or removed. */
TEST(test_hidden)
{
	static const struct {
		const char *mounts, *group;
	} hidden[] = {
	    {MOUNT_2, "0::/../other\n"},
	    {MOUNT_2, "0::/not/there\n"},
	    {"31 23 0:28 /docker/ab /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/docker/abc\n"},
	    {MOUNT_2, "1:cpu,memory,cpuset:/x\n0::/../x\n"},
	};

	for (unsigned i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
		struct tree tree;

		system_tree_create(&tree);
		put(&tree, "proc/self/mountinfo", "%s", hidden[i].mounts);
		put(&tree, "proc/77/cgroup", "%s", hidden[i].group);
		put(&tree, "proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=99\n");
		put(&tree, "sys/fs/cgroup/cgroup.procs", "1\n");
		put(&tree, "other/cpu.max", "1 100000\n");
		struct sampler *sampler = system_sampler(&tree);
		const struct system_sample *s = sampler_take(sampler, SECOND);
		CHECK_UNKNOWN(s, SYSTEM_QUOTA, SYSTEM_HIDDEN_CGROUP);
		CHECK_UNKNOWN(s, SYSTEM_THROTTLED, SYSTEM_HIDDEN_CGROUP);
		CHECK_UNKNOWN(s, SYSTEM_MEMORY_LIMIT, SYSTEM_HIDDEN_CGROUP);
		CHECK_UNKNOWN(s, SYSTEM_MEMORY_CURRENT, SYSTEM_HIDDEN_CGROUP);
		CHECK_KNOWN(s, SYSTEM_PRESSURE_CPU, 0);
		CHECK_INT(s->pressure_scope, SYSTEM_PRESSURE_OF_MACHINE);
		CHECK_KNOWN(s, SYSTEM_CORES, 3000);
	}
}

/* Files of groups that make no sense tell nothing. */
TEST(test_nonsense)
{
	struct tree tree;

	system_tree_create(&tree);
	put(&tree, "proc/self/mountinfo", "x\n31 23\n%s", MOUNT_2);
	put(&tree, "proc/77/cgroup", "\n::\n0:\nnonsense\n0::/a\n");
	group_2(&tree, "/a", "one two", 5, "-5", 900);
	put(&tree, "sys/fs/cgroup/a/cpu.pressure", "total\n");
	struct sampler *sampler = system_sampler(&tree);
	const struct system_sample *s = sampler_take(sampler, SECOND);
	CHECK_UNKNOWN(s, SYSTEM_QUOTA, SYSTEM_OTHER_KERNEL);
	CHECK_UNKNOWN(s, SYSTEM_THROTTLED, SYSTEM_OTHER_KERNEL);
	CHECK_UNKNOWN(s, SYSTEM_MEMORY_LIMIT, SYSTEM_OTHER_KERNEL);
	CHECK_UNKNOWN(s, SYSTEM_PRESSURE_CPU, SYSTEM_OTHER_KERNEL);
	CHECK_KNOWN(s, SYSTEM_PRESSURE_MEMORY, 0);
}
