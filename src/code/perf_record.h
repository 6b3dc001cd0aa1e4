/*
 * perf_record.h - the records that the kernel writes into the ring of a perf event opened by sampler.c.
 *
 * A record is a header of 8 bytes (type, flags, size) and what the event asked for.  The decoder trusts neither size
 * nor content: what does not fit the record is no sample.
 */
#pragma once

#include "code/code.h"

/* The registers of x86-64 that are asked for, as perf numbers them and in the order of a record. */
enum { PERF_BX = 1, PERF_BP = 6, PERF_SP = 7, PERF_IP = 8, PERF_R13 = 21, PERF_R14 = 22 };
#define PERF_REGISTERS                                                                                       \
	(UINT64_C(1) << PERF_BX | UINT64_C(1) << PERF_BP | UINT64_C(1) << PERF_SP | UINT64_C(1) << PERF_IP | \
	    UINT64_C(1) << PERF_R13 | UINT64_C(1) << PERF_R14)

#define PERF_HEADER_SIZE 8
#define PERF_RECORD_SIZE_MAX 65536 /* the size of a record has 16 bits */

/* A thread on a processor, at a time of CLOCK_MONOTONIC; its stack is a part of the record. */
struct perf_sample {
	uint64_t ts;
	uint64_t count; /* ns that it had been on a processor */
	uint32_t cpu;	/* which one it was */
	struct code_sample at;
	int fd; /* the event, which tells what `count` is by now; of the sampler */
};

enum perf_record_kind {
	PERF_SAMPLED,
	PERF_LOST,  /* `lost` samples did not fit in the ring */
	PERF_OTHER, /* nothing of interest */
	PERF_MALFORMED
};

/* The size of the record whose header is given; 0: no record has it.  `held` is what the ring holds from there on. */
size_t perf_record_size(const unsigned char header[PERF_HEADER_SIZE], size_t held);

/* Decode a whole record of `size` bytes. */
enum perf_record_kind perf_record_decode(
    const unsigned char *record, size_t size, struct perf_sample *sample, uint64_t *lost);
