/*
 * bench_memtrace.c - what it costs to read and to write a memtrace file, beside a sum of the file's words in
 * memory, which is about the least that anybody who looks at all of it can do.
 *
 *	bench_memtrace [TRACE]	a version 3 trace to read; without, one is made
 *
 * The reader takes the file from the kernel's cache, as the program does.  A rewrite costs a reading with
 * backtraces, and what it costs more is the writer's.  The cases take
 * turns in each round, processor time is what counts, and each figure is the median of the rounds.
 *
 * The made trace is like those of real programs at usual sampling rates: calls that go down and up a tree of
 * a few thousand places, a few times between two samples, so that an allocation has three to four code words;
 * mostly small blocks, of which most die young in the minor heap.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "rtev/memtrace.h"

#define ROUNDS 9
#define MADE_EVENTS 4000000u
#define MADE_FILE "bench_memtrace.ctf"
#define PLACES 3000u
#define DEPTH_MAX 60u
#define LIVE 4096u
#define MOVES_MAX 8u /* between two samples */

static const char *path;
static uint64_t *words; /* the file */
static size_t bytes;
static volatile uint64_t sink;

/* ---- the made trace ---- */

/* A number below n, from a sequence that is the same every time. */
static unsigned below(uint64_t *state, unsigned n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((*state >> 33) % n);
}

/* Say where a place is. */
static size_t locate(void *ctx, int64_t code, size_t index, const struct rtev_memtrace_location **out)
{
	static char filename[32], defname[32];
	static struct rtev_memtrace_location location = {.filename = filename, .defname = defname};

	snprintf(filename, sizeof(filename), "lib/module_%d.ml", (int)(code % 97));
	snprintf(defname, sizeof(defname), "Module_%d.f_%d", (int)(code % 97), (int)(code % 1009));
	location.line = (int32_t)(code % 2000);
	location.start_char = 4;
	location.end_char = 40;
	*out = &location;
	return 1;
}

/* Go some calls up and some down; each place calls a few others, one of them most often. */
static size_t move(uint64_t *state, int64_t *stack, size_t depth)
{
	unsigned up = below(state, 4) == 0 ? 1 + below(state, 16) : below(state, 2);

	depth = depth > up + 3 ? depth - up : 3;
	for (unsigned down = below(state, 2) + up; down > 0 && depth < DEPTH_MAX; down--) {
		unsigned which = below(state, 8) < 6 ? 0 : below(state, 6);
		uint64_t next = ((uint64_t)stack[depth - 1] >> 4) * 7919 + which * 31 + depth;
		stack[depth++] = (int64_t)((next % PLACES + 1) << 4);
	}
	return depth;
}

/* Write a trace. */
static void make_trace(void)
{
	static const unsigned rare_lengths[] = {17, 30, 64, 255, 1024};
	struct rtev_memtrace_info info = {.size = sizeof(info),
	    .sample_rate = 1e-4,
	    .word_size = 64,
	    .pid = 1,
	    .start_time = 1700000000000000,
	    .executable_name = "made",
	    .host_name = "host",
	    .ocaml_runtime_params = "v=0"};
	struct rtev_memtrace_writer_options options = {.size = sizeof(options), .locate = locate};
	struct rtev_memtrace_writer *writer;
	static int64_t live[LIVE], stack[DEPTH_MAX] = {16, 32, 48};
	uint64_t state = 1;
	size_t depth = 3;
	int64_t time = info.start_time;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	bench_must(rtev_memtrace_writer_create_fd(&writer, fd, &info, &options));
	for (unsigned i = 0; i < MADE_EVENTS; i += 2) {
		bool usual = below(&state, 20) > 0;
		for (unsigned moves = 1 + below(&state, MOVES_MAX); moves > 0; moves--)
			depth = move(&state, stack, depth);
		time += below(&state, 40);
		struct rtev_memtrace_alloc alloc = {.size = sizeof(alloc),
		    .length = usual ? 1 + below(&state, 8) : rare_lengths[below(&state, 5)],
		    .samples = 1 + (below(&state, 50) == 0),
		    .source = below(&state, 200) == 0 ? RTEV_MEMTRACE_MAJOR : RTEV_MEMTRACE_MINOR,
		    .backtrace = stack,
		    .depth = depth};
		int64_t *slot = &live[below(&state, LIVE)], object;
		bench_must(rtev_memtrace_put_alloc(writer, time, &alloc, &object));
		if (below(&state, 8) == 0 && alloc.source == RTEV_MEMTRACE_MINOR)
			bench_must(rtev_memtrace_put_promote(writer, time, object));
		else if (*slot != 0)
			bench_must(rtev_memtrace_put_collect(writer, time, *slot));
		*slot = object;
	}
	bench_must(rtev_memtrace_writer_flush(writer));
	rtev_memtrace_writer_destroy(writer);
	close(fd);
}

/* Have the whole file in memory. */
static void load(void)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	size_t done = 0;

	if (fd < 0 || fstat(fd, &st) != 0 || st.st_size == 0)
		bench_fail(path);
	bytes = (size_t)st.st_size;
	words = calloc(bytes / 8 + 1, 8);
	if (words == NULL)
		bench_fail("malloc");
	while (done < bytes) {
		ssize_t n = read(fd, (char *)words + done, bytes - done);
		if (n <= 0)
			bench_fail("read");
		done += (size_t)n;
	}
	close(fd);
}

/* ---- cases: each goes through the whole trace once and returns the number of events ---- */

/* The baseline: add up the words. */
static uint64_t sum_words(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < bytes / 8; i++)
		sum += words[i];
	sink = sum;
	return 1;
}

/* Read all events. */
static uint64_t read_all(void)
{
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	uint64_t events = 0, sum = 0;
	int status;

	bench_must(rtev_memtrace_open_path(&reader, path, NULL));
	while ((status = rtev_memtrace_next(reader, &event)) == RTEV_OK) {
		events++;
		sum += (uint64_t)event->object + event->depth;
	}
	if (status != RTEV_E_MEMTRACE_END)
		bench_must(status);
	rtev_memtrace_close(reader);
	sink = sum;
	return events;
}

/* Take a packet to nowhere. */
static int discard(void *ctx, const void *data, size_t size)
{
	*(uint64_t *)ctx += size;
	return RTEV_OK;
}

/* Tell the writer what the reader knows. */
static size_t locate_in(void *ctx, int64_t code, size_t index, const struct rtev_memtrace_location **out)
{
	size_t count = 0;

	return rtev_memtrace_lookup(ctx, code, out, &count) == RTEV_OK ? count : 0;
}

/* Read it all and write it anew, by domain: the writer decides all by itself. */
static uint64_t rewrite(void)
{
	struct rtev_memtrace_reader *reader;
	struct rtev_memtrace_mux *mux;
	const struct rtev_memtrace_event *event;
	uint64_t written = 0;
	struct rtev_memtrace_sink nowhere = {sizeof(nowhere), discard, &written};
	int status;

	bench_must(rtev_memtrace_open_path(&reader, path, NULL));
	const struct rtev_memtrace_info *info = rtev_memtrace_info(reader);
	struct rtev_memtrace_writer_options options = {
	    .size = sizeof(options), .ctx = reader, .locate = locate_in};
	bench_must(rtev_memtrace_mux_create(&mux, &nowhere, info, &options));
	while ((status = rtev_memtrace_next(reader, &event)) == RTEV_OK)
		bench_must(rtev_memtrace_mux_put_event(mux, info->start_time + event->time, event));
	if (status != RTEV_E_MEMTRACE_END)
		bench_must(status);
	bench_must(rtev_memtrace_mux_flush(mux));
	rtev_memtrace_mux_destroy(mux);
	rtev_memtrace_close(reader);
	sink = written;
	return 1;
}

/* ---- the table ---- */

static struct bench {
	const char *name;
	uint64_t (*run)(void);
	double ns[ROUNDS];
} benches[] = {
    {"sum words", sum_words, {0}},
    {"read, backtraces", read_all, {0}},
    {"rewrite", rewrite, {0}},
};
enum { SUM, READ, REWRITE, BENCHES };

int main(int argc, char **argv)
{
	path = argc > 1 ? argv[1] : MADE_FILE;
	if (argc <= 1)
		make_trace();
	load();
	uint64_t events = read_all();
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < BENCHES; i++) {
			double start = bench_cpu();
			benches[i].run();
			benches[i].ns[round] = bench_cpu() - start;
		}
	}
	printf("%s: %zu bytes, %llu events, medians of %d rounds\n", path, bytes, (unsigned long long)events,
	    ROUNDS);
	double baseline = bench_median(benches[SUM].ns, ROUNDS);
	for (int i = 0; i < BENCHES; i++) {
		double ns = bench_median(benches[i].ns, ROUNDS);
		printf("%-22s %9.1f MB/s %8.2f ns/event %8.2fx\n", benches[i].name, (double)bytes * 1e3 / ns,
		    ns / (double)events, ns / baseline);
	}
	if (argc <= 1)
		unlink(path);
	free(words);
	return 0;
}
