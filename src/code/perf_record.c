/* perf_record.c - see perf_record.h. */
#include "code/perf_record.h"

#include <linux/perf_event.h>

#include "core/cut.h"

static uint64_t take_word(struct cut *r)
{
	return cut_fixed(r, sizeof(uint64_t));
}

size_t perf_record_size(const unsigned char header[PERF_HEADER_SIZE], size_t held)
{
	struct perf_event_header h;

	_Static_assert(sizeof(h) == PERF_HEADER_SIZE, "the header of a record");
	memcpy(&h, header, sizeof(h));
	return h.size >= sizeof(h) && h.size % sizeof(uint64_t) == 0 && h.size <= held ? h.size : 0;
}

static bool take_sample(struct cut *r, struct perf_sample *sample)
{
	struct code_sample *s = &sample->at;

	*s = (struct code_sample){.ip = take_word(r)};
	s->tid = (int32_t)(take_word(r) >> 32);
	sample->ts = take_word(r);
	sample->cpu = (uint32_t)take_word(r);
	sample->count = take_word(r);
	uint64_t abi = take_word(r);
	if (abi != PERF_SAMPLE_REGS_ABI_NONE) {
		/* The order is that of their bits. */
		uint64_t *const registers[] = {&s->bx, &s->bp, &s->sp, &s->ip, &s->r13, &s->r14};
		for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
			*registers[i] = take_word(r);
	}
	s->whole = abi == PERF_SAMPLE_REGS_ABI_64;
	uint64_t size = take_word(r);
	if (size != 0) {
		s->stack = cut_bytes(r, size);
		uint64_t valid = take_word(r);
		s->stack_size = valid < size ? valid : size;
	}
	if (!s->whole || s->stack == NULL)
		s->stack_size = 0;
	if (s->stack_size == 0)
		s->stack = NULL;
	return !r->fault;
}

enum perf_record_kind perf_record_decode(
    const unsigned char *record, size_t size, struct perf_sample *sample, uint64_t *lost)
{
	struct cut r = {.at = record, .end = record + size};
	struct perf_event_header h;

	if (perf_record_size(record, size) != size)
		return PERF_MALFORMED;
	memcpy(&h, cut_bytes(&r, sizeof(h)), sizeof(h));
	switch (h.type) {
	case PERF_RECORD_SAMPLE:
		return take_sample(&r, sample) ? PERF_SAMPLED : PERF_MALFORMED;
	case PERF_RECORD_LOST:
		take_word(&r);
		*lost = take_word(&r);
		return r.fault ? PERF_MALFORMED : PERF_LOST;
	default:
		return PERF_OTHER;
	}
}
