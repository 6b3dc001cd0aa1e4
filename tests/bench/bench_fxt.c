/*
 * bench_fxt.c - what an event costs to write, beside a loop that only stores its two words, and a file beside
 * a loop that only calls write(2).
 *
 * The cases take turns in each round, so that a slow moment of the machine meets them alike; each figure is
 * the median of the rounds, and the difference of two is the median of the differences.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rtev/fxt.h"
#include "rtev/fxt_reader.h"

#define ROUNDS 15
#define EVENTS (1u << 21)
#define EVENT_BYTES 16
#define BUFFER_BYTES ((size_t)RTEV_FXT_BUFFER_BYTES)
#define FILE_NAME "bench_fxt.tmp"

static uint64_t buffer[BUFFER_BYTES / 8];
static unsigned char *memory;
static const size_t memory_bytes = (size_t)EVENTS * EVENT_BYTES + 4096;
static rtev_fxt_string category, name;
static volatile uint64_t sink;

/* End the program when something that can't fail does. */
static void must(int status)
{
	if (status != RTEV_OK) {
		fprintf(stderr, "bench_fxt: %s\n", rtev_strerror(status));
		exit(1);
	}
}

/* Make a writer with what the events need. */
static struct rtev_fxt_writer *make(struct rtev_fxt_destination *destination)
{
	struct rtev_fxt_writer *w;
	rtev_fxt_thread thread;
	must(rtev_fxt_writer_create(&w, destination, NULL));
	must(rtev_fxt_intern(w, "gc", 2, &category));
	must(rtev_fxt_intern(w, "minor", 5, &name));
	must(rtev_fxt_set_thread_slot(w, 0, 1, 2, &thread));
	return w;
}

/* Close and free a writer. */
static void finish(struct rtev_fxt_writer *w)
{
	must(rtev_fxt_writer_close(w));
	rtev_fxt_writer_destroy(w);
}

/* A writer to nowhere. */
static struct rtev_fxt_writer *discarding(void)
{
	struct rtev_fxt_destination *destination;
	must(rtev_fxt_discard_create(&destination, 0));
	return make(destination);
}

/* ---- cases: each handles EVENTS events and returns the nanoseconds that took ---- */

/* The time that this thread has had a processor, so that others on the machine count less. */
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Store two words, again and again through one buffer. */
static double store_words(void)
{
	volatile uint64_t *at = buffer, *end = buffer + BUFFER_BYTES / 8;
	double start = now();
	for (uint64_t i = 0; i < EVENTS; i++) {
		at[0] = i << 32;
		at[1] = i;
		at += 2;
		if (at == end)
			at = buffer;
	}
	return now() - start;
}

/* The same through memory as large as all events. */
static double store_words_memory(void)
{
	volatile uint64_t *at = (uint64_t *)(void *)memory;
	double start = now();
	for (uint64_t i = 0; i < EVENTS; i++) {
		at[0] = i << 32;
		at[1] = i;
		at += 2;
	}
	return now() - start;
}

/* Write begins and ends in turn. */
static double put_events(struct rtev_fxt_writer *w)
{
	double start = now();
	for (uint64_t i = 0; i < EVENTS; i += 2) {
		must(rtev_fxt_duration_begin(w, RTEV_FXT_NO_ARGS, 1, category, name, i));
		must(rtev_fxt_duration_end(w, RTEV_FXT_NO_ARGS, 1, category, name, i + 1));
	}
	return now() - start;
}

static double put_discard(void)
{
	struct rtev_fxt_writer *w = discarding();
	double took = put_events(w);
	finish(w);
	return took;
}

static double put_memory(void)
{
	struct rtev_fxt_destination *destination;
	size_t used;
	must(rtev_fxt_memory_create(&destination, memory, memory_bytes, &used));
	struct rtev_fxt_writer *w = make(destination);
	double took = put_events(w);
	finish(w);
	return took;
}

static double put_counter(void)
{
	struct rtev_fxt_writer *w = discarding();
	double start = now();
	for (uint64_t i = 0; i < EVENTS; i++) {
		must(rtev_fxt_counter(w, RTEV_FXT_INT64, 1, category, name, i, 7));
		must(rtev_fxt_arg_int64(w, name, (int64_t)i));
	}
	double took = now() - start;
	finish(w);
	return took;
}

/* Write as many bytes as all events have, which stand ready. */
static double write_file(void)
{
	size_t left = (size_t)EVENTS * EVENT_BYTES;
	double start = now();
	int fd = open(FILE_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	while (left > 0) {
		size_t piece = left < BUFFER_BYTES ? left : BUFFER_BYTES;
		if (write(fd, buffer, piece) != (ssize_t)piece)
			must(RTEV_E_IO);
		left -= piece;
	}
	if (close(fd) != 0)
		must(RTEV_E_IO);
	return now() - start;
}

static double put_file(void)
{
	struct rtev_fxt_destination *destination;
	double start = now();
	must(rtev_fxt_file_create(&destination, FILE_NAME, 0));
	struct rtev_fxt_writer *w = make(destination);
	put_events(w);
	finish(w);
	return now() - start;
}

/* Read the trace that put_memory left. */
static double read_back(void)
{
	struct rtev_fxt_reader *reader;
	const struct rtev_fxt_record *record;
	uint64_t events = 0;
	double start = now();
	must(rtev_fxt_reader_open_memory(&reader, memory, (size_t)EVENTS * EVENT_BYTES, NULL));
	while (rtev_fxt_reader_next(reader, &record) == RTEV_OK && record != NULL)
		events += record->kind == RTEV_FXT_EVENT;
	rtev_fxt_reader_destroy(reader);
	sink = events;
	return now() - start;
}

/* ---- the table ---- */

struct bench {
	const char *name;
	double (*run)(void);
	int base; /* index of the case to compare with */
	double ns[ROUNDS];
};

/* The middle one of all rounds. */
static double median(const double *values)
{
	double sorted[ROUNDS];
	memcpy(sorted, values, sizeof(sorted));
	for (int i = 1; i < ROUNDS; i++) {
		for (int j = i; j > 0 && sorted[j] < sorted[j - 1]; j--) {
			double t = sorted[j];
			sorted[j] = sorted[j - 1];
			sorted[j - 1] = t;
		}
	}
	return sorted[ROUNDS / 2];
}

int main(void)
{
	static struct bench benches[] = {
	    {"store two words", store_words, 0, {0}},
	    {"put begin/end", put_discard, 0, {0}},
	    {"put counter", put_counter, 0, {0}},
	    {"store words, 32 MiB", store_words_memory, 3, {0}},
	    {"put into 32 MiB", put_memory, 3, {0}},
	    {"write(2) 32 MiB", write_file, 5, {0}},
	    {"put into file", put_file, 5, {0}},
	    {"read back", read_back, 0, {0}},
	};
	const int count = (int)(sizeof(benches) / sizeof(benches[0]));
	memory = malloc(memory_bytes);
	if (memory == NULL)
		must(RTEV_E_NOMEM);
	memset(memory, 0, memory_bytes);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < count; i++)
			benches[i].ns[round] = benches[i].run() / EVENTS;
	}
	unlink(FILE_NAME);
	free(memory);

	printf("%-22s %8s %8s %8s  (medians of %d rounds of %u events, %d bytes an event)\n", "", "ns/op",
	    "ratio", "ns more", ROUNDS, EVENTS, EVENT_BYTES);
	for (int i = 0; i < count; i++) {
		const struct bench *base = &benches[benches[i].base];
		double more[ROUNDS];
		for (int round = 0; round < ROUNDS; round++)
			more[round] = benches[i].ns[round] - base->ns[round];
		printf("%-22s %8.2f %8.2f %8.2f  than %s\n", benches[i].name, median(benches[i].ns),
		    median(benches[i].ns) / median(base->ns), median(more), base->name);
	}
	return 0;
}
