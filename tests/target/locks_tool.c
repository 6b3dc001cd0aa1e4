/*
 * locks_tool.c - look at the locks of a process again and again; print what each thread that waits waits for, a line each:
 * number of the look, tid, kind, address, domain, fd, owner, dead, circle, ms that it waited so.
 *
 * Usage: locks_tool PID LOOKS PAUSE_MS
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "target/locks.h"
#include "core/clock.h"

int main(int argc, char **argv)
{
	const struct version_options version_options = {.ring = true};
	struct locks_look look;
	struct version version;
	struct proc proc;
	const char *why = "";

	if (argc != 4)
		return 2;
	const pid_t pid = (pid_t)atoi(argv[1]);
	if (proc_open(&proc, NULL, pid) != 0)
		return 1;
	version_of_process(&proc, &version_options, &version);
	proc_close(&proc);
	struct runtime *runtime = runtime_create(NULL, pid, &version, &why);
	struct locks *locks = runtime != NULL ? locks_create(runtime, NULL, pid, &why) : NULL;
	if (locks == NULL) {
		fprintf(stderr, "%s\n", why);
		return 3;
	}
	const int looks = atoi(argv[2]);
	const struct timespec pause = {.tv_nsec = 1000000L * atoi(argv[3])};
	uint64_t spent = 0;
	for (int k = 0; k < looks; k++) {
		const uint64_t now = monotonic_now();

		if (locks_look(locks, now, &look) != 0)
			break;
		spent += monotonic_now() - now;
		for (size_t i = 0; i < look.count; i++) {
			const struct lock_thread *t = &look.threads[i];
			if (t->doing == LOCK_WAITS)
				printf("%d %d %s %llx %d %d %d %d %u %llu\n", k, t->tid,
				    lock_kind_name(t->lock.kind), (unsigned long long)t->lock.address,
				    t->lock.domain, t->lock.fd, t->owner, t->dead, t->cycle,
				    (unsigned long long)(now - t->since) / 1000000);
			else
				printf("%d %d %s %d\n", k, t->tid, t->doing == LOCK_RUNS ? "runs" : "call",
				    t->call);
		}
		nanosleep(&pause, NULL);
	}
	fprintf(stderr, "%d looks, %.1f us each\n", looks, (double)spent / 1000 / (looks > 0 ? looks : 1));
	locks_destroy(locks);
	runtime_destroy(runtime);
	return 0;
}
