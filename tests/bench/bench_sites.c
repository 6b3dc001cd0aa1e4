/*
 * bench_sites.c - what it costs to sum a memtrace file up by allocation sites, beside reading it.
 *
 *	bench_sites TRACE...
 *
 * "bare" keeps no callers, as `memtrace --json` needs it; "top" counts hot spots besides, as --top does;
 * "paths" keeps call paths, as --folded and the live view do.  Each makes no report.  The cases take turns in
 * each round, and each figure is the median of the rounds; small traces are read several times a round.
 */
#include <unistd.h>

#include "bench/bench.h"
#include "rtev/memtrace.h"
#include "sites/hot.h"
#include "sites/sites.h"

enum { ROUNDS = 9, EVENTS_MIN = 200000 };

enum { READ, BARE, TOP, PATHS, CASES };
static const char *const names[CASES] = {"read", "bare", "top", "paths"};

/* Go through a trace once.  Returns the number of its events. */
static uint64_t run(const char *path, int which)
{
	const struct sites_options options = {.no_callers = which != PATHS};
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	struct sites *sites = NULL;
	struct sites_hot *hot = NULL;
	uint64_t events = 0;
	int status;

	bench_must(rtev_memtrace_open_path(&reader, path, NULL));
	if (which != READ)
		bench_must(sites_create(&sites, rtev_memtrace_info(reader), &options));
	if (which == TOP && (hot = sites_hot_create()) == NULL)
		bench_fail("sites_hot_create");
	for (; (status = rtev_memtrace_next(reader, &event)) == RTEV_OK; events++) {
		if (sites != NULL)
			bench_must(sites_event(sites, reader, event));
		if (hot != NULL)
			bench_must(sites_hot_event(hot, reader, event));
	}
	if (status != RTEV_E_MEMTRACE_END)
		bench_must(status);
	sites_hot_destroy(hot);
	sites_destroy(sites);
	rtev_memtrace_close(reader);
	return events;
}

/* Measure one trace. */
static void measure(const char *path)
{
	static double ns[CASES][ROUNDS];
	uint64_t events = run(path, READ), times = events == 0 ? 1 : 1 + EVENTS_MIN / events;
	const char *slash = strrchr(path, '/');

	for (int round = 0; round < ROUNDS; round++) {
		for (int which = 0; which < CASES; which++) {
			uint64_t start = bench_now();
			for (uint64_t i = 0; i < times; i++)
				run(path, which);
			ns[which][round] = (double)(bench_now() - start) / (double)(events * times);
		}
	}
	double baseline = bench_median(ns[READ], ROUNDS);
	for (int which = 0; which < CASES; which++)
		bench_line(slash != NULL ? slash + 1 : path, names[which], bench_median(ns[which], ROUNDS),
		    baseline);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		measure(argv[i]);
	return 0;
}
