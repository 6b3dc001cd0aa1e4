/*
 * test_memtrace_data.h - what the memtrace tests share: trace files in memory, digests, and a sink.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtev/memtrace.h"

/* Bytes that grow. */
struct bytes {
	uint8_t *data;
	size_t size, capacity;
};

void bytes_add(struct bytes *bytes, const void *data, size_t size);
void bytes_free(struct bytes *bytes);

/* Read a file of tests/data/memtrace. */
struct bytes data_file(const char *name);

/* SHA-256, taken piece by piece. */
struct digest {
	uint32_t state[8];
	uint64_t size;
	uint8_t block[64];
};

void digest_init(struct digest *digest);
void digest_add(struct digest *digest, const void *data, size_t size);
void digest_hex(struct digest *digest, char hex[65]);

/* A trace with what the reference library makes of it. */
struct sample {
	const char *name; /* of the file, without ".ctf" */
	unsigned version;
	uint64_t events;
	const char *dump; /* SHA-256 of its dump */
	const char *copy; /* SHA-256 of its copy, which goes by domain */
};

extern const struct sample memtrace_samples[];
extern const size_t memtrace_sample_count;

/* Read a sample's file. */
struct bytes sample_file(const struct sample *sample);

/* A sink that writes to a struct bytes. */
struct rtev_memtrace_sink bytes_sink(struct bytes *bytes);

/* Look locations up in the reader that is the context of the writer's options. */
size_t locate_in_reader(void *reader, int64_t code, size_t index, const struct rtev_memtrace_location **out);

/* A number from a sequence that is the same every time. */
uint64_t next_random(uint64_t *state);
