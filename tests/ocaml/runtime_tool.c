/*
 * runtime_tool.c - print what the memory of a process says of its runtime, as JSON, or why it says nothing.
 *
 * Usage: runtime_tool PID VERSION [COUNT]: with COUNT so many samples without a pause, of which the last is printed, none
 * of which may contradict one before.
 */
#include <stdio.h>
#include <stdlib.h>

#include "target/runtime_threads.h"
#include "target/runtime.h"

/* Print a number that may not be known. */
static void put(const char *name, uint64_t value)
{
	if (value == RUNTIME_UNKNOWN)
		printf("\"%s\": null, ", name);
	else
		printf("\"%s\": %llu, ", name, (unsigned long long)value);
}

static void print(const struct runtime_sample *s)
{
	printf("{");
	put("minor_words", s->minor_words);
	put("promoted_words", s->promoted_words);
	put("major_words", s->major_words);
	put("minor_collections", s->minor_collections);
	put("major_cycles", s->major_cycles);
	put("compactions", s->compactions);
	put("forced_major_collections", s->forced_major_collections);
	put("heap_words", s->heap_words);
	put("live_words", s->live_words);
	put("free_words", s->free_words);
	put("fragments", s->fragment_words);
	put("top_heap_words", s->top_heap_words);
	printf("\"domains\": [");
	for (unsigned i = 0; i < s->domain_count; i++)
		printf(
		    "%s{\"domain\": %u, \"tid\": %d, \"minor_heap_words\": %llu, \"young_used_words\": %llu}",
		    i == 0 ? "" : ", ", s->domains[i].slot, s->domains[i].tid,
		    (unsigned long long)s->domains[i].minor_heap_words,
		    (unsigned long long)s->domains[i].young_used_words);
	printf("]}\n");
}

int main(int argc, char **argv)
{
	static struct runtime_sample sample, before;
	const char *why = "usage: runtime_tool PID VERSION [COUNT]";
	struct version version;
	pid_t pid = argc > 2 ? atoi(argv[1]) : 0;
	int error = 0;

	if (argc < 3 || !version_from_text(argv[2], VERSION_FROM_OPTION, &version))
		version = (struct version){.text = ""};
	struct runtime *runtime = argc < 3 ? NULL : runtime_create(NULL, pid, &version, &why);
	struct runtime_threads *threads = runtime != NULL ? runtime_threads_create(NULL, pid) : NULL;
	if (threads == NULL) {
		printf("{\"why\": \"%s\"}\n", why);
		return 1;
	}
	struct memory_reader memory = runtime_memory(runtime);
	for (int i = 0; i < (argc > 3 ? atoi(argv[3]) : 1); i++) {
		error = runtime_sample(runtime, 1, &sample);
		if (error != 0)
			continue;
		runtime_threads_check(threads, &memory, &sample);
		/* Counters only grow. */
		if (sample.minor_words < before.minor_words ||
		    sample.promoted_words < before.promoted_words ||
		    sample.major_cycles < before.major_cycles ||
		    (sample.minor_collections < before.minor_collections)) {
			printf("{\"why\": \"a counter fell\"}\n");
			return 1;
		}
		before = sample;
	}
	if (error != 0)
		printf("{\"why\": \"%s\"}\n", variables_why(error));
	else
		print(&sample);
	runtime_threads_destroy(threads);
	runtime_destroy(runtime);
	return error != 0;
}
