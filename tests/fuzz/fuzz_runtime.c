/*
 * fuzz_runtime.c - any bytes as the memory of an OCaml runtime, and any places in it as its symbols.
 *
 * The first byte chooses the release, the second whether a good memory is changed in places or the bytes are all there is.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "support/made_runtime.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Take some bytes of the input; zeros when there are no more. */
static uint64_t take(const uint8_t **data, size_t *size, size_t n)
{
	uint64_t value = 0;

	n = n < *size ? n : *size;
	memcpy(&value, *data, n);
	*data += n;
	*size -= n;
	return value;
}

/* What a sample tells must be possible. */
static void check(const struct runtime_sample *s)
{
	if (s->domain_count > RUNTIME_DOMAINS_MAX || s->domain_count > s->running)
		abort();
	for (unsigned i = 0; i < s->domain_count; i++) {
		const struct runtime_domain *d = &s->domains[i];

		if (d->young_used_words > d->minor_heap_words || d->live_words > d->heap_words ||
		    d->tid < 0 || d->area_start > d->young_start || d->young_end > d->area_end)
			abort();
	}
	if (s->heap_words != RUNTIME_UNKNOWN && s->live_words > s->heap_words)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct made_runtime m;
	static struct runtime_sample sample;
	const char *why;
	unsigned release = (unsigned)take(&data, &size, 1) % MADE_RELEASES;
	bool whole = take(&data, &size, 1) % 2 == 0;
	struct runtime *runtime;

	made_runtime(&m, release);
	if (whole) {
		for (unsigned i = 0; i < RUNTIME_VARIABLE_COUNT; i++)
			m.symbols.variable[i] = MADE_BASE + take(&data, &size, 2);
		m.symbols.table_size = 0;
		memcpy(m.memory, data, size < sizeof m.memory ? size : sizeof m.memory);
		size = 0;
	}
	runtime = made_open(&m, made_releases[release].version, &why);
	if (runtime == NULL)
		return 0;
	do {
		/* A word changes between two samples. */
		uint64_t at = take(&data, &size, 2);
		if (!whole)
			m.memory[at % MADE_WORDS] = take(&data, &size, 8);
		m.calls = 0;
		if (runtime_sample(runtime, 1, &sample) == 0)
			check(&sample);
		if (m.calls > 16)
			abort();
	} while (size > 0);
	runtime_destroy(runtime);
	return 0;
}
