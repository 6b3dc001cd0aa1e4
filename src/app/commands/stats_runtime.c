/*
 * stats_runtime.c - the part of a report that tells what the target's memory says of its runtime.
 */
#include "app/commands/stats_report.h"

/* Print a number that may not be known. */
static void number(struct json *j, const char *name, uint64_t value)
{
	if (value == RUNTIME_UNKNOWN)
		json_put_null(j, name);
	else
		json_put_unsigned(j, name, value);
}

void json_runtime(struct json *j, const struct runtime_sample *sample)
{
	if (sample == NULL) {
		json_put_null(j, "runtime");
		return;
	}
	json_begin_object(j, "runtime");
	number(j, "minor_collections", sample->minor_collections);
	number(j, "major_cycles", sample->major_cycles);
	number(j, "heap_words", sample->heap_words);
	number(j, "minor_words", sample->minor_words);
	number(j, "promoted_words", sample->promoted_words);
	json_begin_array(j, "domains");
	for (unsigned i = 0; i < sample->domain_count; i++) {
		const struct runtime_domain *d = &sample->domains[i];
		json_begin_object(j, NULL);
		json_put_unsigned(j, "domain", d->slot);
		if (d->tid != 0)
			json_put_signed(j, "tid", d->tid);
		else
			json_put_null(j, "tid");
		json_put_unsigned(j, "minor_heap_words", d->minor_heap_words);
		json_put_unsigned(j, "minor_words", d->minor_words);
		json_put_unsigned(j, "promoted_words", d->promoted_words);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

static struct formatted counted(uint64_t count)
{
	return count != RUNTIME_UNKNOWN ? format_count(count) : format_unknown();
}

static struct formatted bytes(uint64_t words)
{
	return words != RUNTIME_UNKNOWN ? format_bytes(words * sizeof(uint64_t)) : format_unknown();
}

void text_runtime(struct out *out, const struct runtime_sample *sample)
{
	if (sample == NULL)
		return;
	out_format(out,
	    "since its start   %s minor collections, %s major cycles   %s allocated, %s promoted   heap %s\n",
	    counted(sample->minor_collections).s, counted(sample->major_cycles).s,
	    bytes(sample->minor_words).s, bytes(sample->promoted_words).s, bytes(sample->heap_words).s);
}
