/* stats_runtime.c - the part of a report about the runtime, as the target's memory tells. */
#include "app/commands/stats_report.h"

/* Print the member "memory": the parts of the memory of the process. */
static void memory_parts(struct json *j, const struct system_memory *memory)
{
	if (!json_known(j, "memory", memory != NULL))
		return;
	json_begin_array(j, "memory");
	for (unsigned i = 0; i < MEMORY_PARTS; i++) {
		json_begin_object(j, NULL);
		json_put_text(j, "part", system_memory_name(i, false));
		json_put_known(j, "reserved_bytes", memory->reserved[i]);
		json_put_known(j, "resident_bytes", memory->resident[i]);
		json_end(j);
	}
	json_end(j);
}

void json_runtime(struct json *j, const struct stats_subject *subject)
{
	const struct runtime_sample *sample = subject->runtime;

	if (!json_known(j, "runtime", sample != NULL))
		return;
	json_begin_object(j, "runtime");
	json_put_known(j, "minor_collections", sample->minor_collections);
	json_put_known(j, "major_cycles", sample->major_cycles);
	json_put_known(j, "heap_words", sample->heap_words);
	json_put_known(j, "minor_words", sample->minor_words);
	json_put_known(j, "promoted_words", sample->promoted_words);
	json_begin_array(j, "domains");
	for (unsigned i = 0; i < sample->domain_count; i++) {
		const struct runtime_domain *d = &sample->domains[i];
		json_begin_object(j, NULL);
		json_put_unsigned(j, "domain", d->slot);
		json_put_if(j, "tid", d->tid != 0, (uint64_t)d->tid);
		json_put_unsigned(j, "minor_heap_words", d->minor_heap_words);
		json_put_unsigned(j, "minor_words", d->minor_words);
		json_put_unsigned(j, "promoted_words", d->promoted_words);
		json_end(j);
	}
	json_end(j);
	memory_parts(j, subject->system != NULL ? system_past_memory(subject->system) : NULL);
	json_end(j);
}

/* Print the parts of the memory of the process, and how many mappings it has. */
static void text_parts(struct out *out, const struct system_memory *m)
{
	enum { PART = 19 };

	out_format(out, "\n%-*s %9s %9s\n", PART, "memory by part", "mapped", "resident");
	for (unsigned i = 0; i < MEMORY_PARTS; i++)
		out_format(out, "%-*s %9s %9s\n", PART, system_memory_name(i, true),
		    format_told(UNIT_BYTES, m->reserved[i]).s, format_told(UNIT_BYTES, m->resident[i]).s);
	out_format(out, "%-*s %9" PRIu64 " of %s\n", PART, "mappings", m->mappings,
	    format_if(m->mappings_limit != 0, format_said("%" PRIu64, m->mappings_limit)).s);
	if (m->why[0] != '\0')
		out_format(out, "the parts of the heap are not known: %s\n", m->why);
}

void text_runtime(struct out *out, const struct stats_subject *subject)
{
	const struct runtime_sample *sample = subject->runtime;
	const struct system_memory *memory =
	    subject->system != NULL ? system_past_memory(subject->system) : NULL;

	if (sample != NULL)
		out_format(out,
		    "since its start   %s minor collections, %s major cycles   %s allocated, %s promoted   "
		    "heap %s\n",
		    format_told(UNIT_COUNT, sample->minor_collections).s,
		    format_told(UNIT_COUNT, sample->major_cycles).s,
		    format_told(UNIT_WORDS, sample->minor_words).s,
		    format_told(UNIT_WORDS, sample->promoted_words).s,
		    format_told(UNIT_WORDS, sample->heap_words).s);
	else if (subject->runtime_why != NULL && subject->runtime_why[0] != '\0')
		out_format(out, "since its start   not known: %s\n", subject->runtime_why);
	if (memory != NULL)
		text_parts(out, memory);
}
