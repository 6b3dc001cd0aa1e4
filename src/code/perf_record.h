/*
 * perf_record.h - the records that the kernel writes into the ring of a perf event opened by sampler.c.
 *
 * A record is a header of 8 bytes (type, flags, size), followed by the fields that the event requested.  The
 * decoder trusts neither size nor content: a record that does not fit its size is not a sample.
 */
#pragma once

#include "code/code.h"

/* The requested registers of x86-64, with their perf numbers, in the order of a record. */
enum { PERF_BX = 1, PERF_BP = 6, PERF_SP = 7, PERF_IP = 8, PERF_R13 = 21, PERF_R14 = 22 };
#define PERF_REGISTERS                                                                                       \
	(UINT64_C(1) << PERF_BX | UINT64_C(1) << PERF_BP | UINT64_C(1) << PERF_SP | UINT64_C(1) << PERF_IP | \
	    UINT64_C(1) << PERF_R13 | UINT64_C(1) << PERF_R14)

#define PERF_HEADER_SIZE 8
#define PERF_RECORD_SIZE_MAX 65536 /* the size of a record has 16 bits */

/* A thread on a processor, at a time of CLOCK_MONOTONIC; its stack points into the record. */
struct perf_sample {
	uint64_t ts;
	uint64_t count; /* processor time of the thread in ns */
	uint32_t cpu;	/* the processor */
	struct code_sample at;
	int fd; /* set by the sampler: the event, from which the present `count` can be read */
};

enum perf_record_kind {
	PERF_SAMPLED,
	PERF_LOST,  /* `lost` samples did not fit in the ring */
	PERF_OTHER, /* nothing of interest */
	PERF_MALFORMED
};

/* Return the size of the record with this header; 0: the header is invalid.  `held` is the number of bytes in
 * the ring from there on. */
size_t perf_record_size(const unsigned char header[PERF_HEADER_SIZE], size_t held);

/* Decode a whole record of `size` bytes. */
enum perf_record_kind perf_record_decode(
    const unsigned char *record, size_t size, struct perf_sample *sample, uint64_t *lost);
