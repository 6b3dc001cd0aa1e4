/*
 * test_memtrace_data.c - see test_memtrace_data.h.
 *
 * The digests of the samples were made with memtrace's own library (commit a88470c): its dump, and its copy
 * by way of one writer for each domain.
 */
#include "support/test_memtrace_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

const struct sample memtrace_samples[] = {
    {"lists_and_sets", 1, 1727, "58f8d3f9fb743903e5299259520a3f9ad90f8900434554b45d1b9c7e9b31cfbc",
	"0ecc5af20f0bb217aeb2ee97d36f32743de1f4e1ecee0feab8e849f820a0b8ac"},
    {"test-ocamlopt-v2", 2, 3499, "2d9ddb066271dc8db7193dd23902bfd39cf698ed0cd2cb06fced3be560ab99b0",
	"588edad5312d70073f5f2b0caaa377ea206877d9ca5e867d02573f08a5964060"},
    {"viewer-test_trace", 2, 108, "c709e33d382e9ae45535f8d7f2b60dfed66b732622a9d1774b4db8487c4f246b",
	"3582ca4181b6417cd71eb5fe50de3374cdfc063276b7f801c6f6d2a01b715eab"},
    {"test-ocamlopt", 3, 3499, "2d9ddb066271dc8db7193dd23902bfd39cf698ed0cd2cb06fced3be560ab99b0",
	"588edad5312d70073f5f2b0caaa377ea206877d9ca5e867d02573f08a5964060"},
    {"small", 3, 2830, "0879bb378eea3fe5591fca01f4445a095221c8cd5528bd7f533a6a151042a124",
	"a266e56c098ed888e8f1fd7adef1f9c00f16ed7bbea2823ab4c4e7dcdb430f52"},
    {"json-small", 3, 464, "24ac152e196db4ee0fbb68f6940ecac5b66be9837ca6f5d6acd257a0624fe84e",
	"72107b4c8860279e667e4461bde92583ed5b9130fac61c7b92476570733cc029"},
    {"multidomain", 3, 14634, "9267e2d3a2954a2ed1db4b35c45a45dbd203a0e410337b169de0939f52356631",
	"0f4006cdb2edb956c856b60aa6b5a5108f3845c3f2aea3e73dacc4737e2c76b0"},
    {"edge", 3, 16433, "cda347b1c52d633820536a4109303d6d4022af848924a97e4c2ff8d73de8c935",
	"823d58fb1127d4bcf9449eb02e3e1d9c02ea7eec59c3591804bee912b88c02d6"},
};
const size_t memtrace_sample_count = sizeof(memtrace_samples) / sizeof(memtrace_samples[0]);

/* Append bytes. */
void bytes_add(struct bytes *bytes, const void *data, size_t size)
{
	if (bytes->capacity - bytes->size < size) {
		bytes->capacity = (bytes->size + size) * 2;
		bytes->data = realloc(bytes->data, bytes->capacity);
		CHECK(bytes->data != NULL);
	}
	if (size > 0)
		memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
}

/* Free bytes. */
void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bytes){0};
}

/* Read a data file. */
struct bytes data_file(const char *name)
{
	struct bytes bytes;
	char path[4096];

	snprintf(path, sizeof(path), "%s/memtrace/%s", RTEV_TEST_DATA, name);
	bytes.data = bytes_of_file(path, &bytes.size);
	if (bytes.data == NULL)
		TEST_FAIL("could not open %s", path);
	bytes.capacity = bytes.size;
	return bytes;
}

/* Read a sample. */
struct bytes sample_file(const struct sample *sample)
{
	char name[128];

	snprintf(name, sizeof(name), "%s.ctf", sample->name);
	return data_file(name);
}

/* Begin a digest. */
void digest_init(struct digest *digest)
{
	static const uint32_t first[8] = {
	    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	memcpy(digest->state, first, sizeof(first));
	digest->size = 0;
}

static uint32_t rotate(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

/* Work a block into the digest. */
static void digest_block(struct digest *digest)
{
	static const uint32_t k[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
	    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb,
	    0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624,
	    0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb,
	    0xbef9a3f7, 0xc67178f2};
	uint32_t w[64], s[8];

	for (unsigned i = 0; i < 16; i++)
		w[i] = (uint32_t)digest->block[i * 4] << 24 | (uint32_t)digest->block[i * 4 + 1] << 16 |
		       (uint32_t)digest->block[i * 4 + 2] << 8 | digest->block[i * 4 + 3];
	for (unsigned i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];
		w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
	memcpy(s, digest->state, sizeof(s));
	for (unsigned i = 0; i < 64; i++) {
		uint32_t e = s[4], a = s[0];
		uint32_t t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
			      ((e & s[5]) ^ (~e & s[6])) + k[i] + w[i];
		uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
			      ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += t1;
		s[0] = t1 + t2;
	}
	for (unsigned i = 0; i < 8; i++)
		digest->state[i] += s[i];
}

/* Work bytes into the digest. */
void digest_add(struct digest *digest, const void *data_, size_t size)
{
	const uint8_t *data = data_;

	while (size > 0) {
		size_t at = digest->size % 64, part = 64 - at < size ? 64 - at : size;
		memcpy(digest->block + at, data, part);
		digest->size += part;
		data += part;
		size -= part;
		if (at + part == 64)
			digest_block(digest);
	}
}

/* End a digest. */
void digest_hex(struct digest *digest, char hex[65])
{
	uint8_t pad[72] = {0x80};
	uint64_t bits = digest->size * 8;
	size_t zeros = (119 - digest->size % 64) % 64;

	digest_add(digest, pad, zeros + 1);
	for (unsigned i = 0; i < 8; i++)
		pad[i] = (uint8_t)(bits >> (56 - i * 8));
	digest_add(digest, pad, 8);
	for (unsigned i = 0; i < 8; i++)
		snprintf(hex + i * 8, 9, "%08" PRIx32, digest->state[i]);
}

/* Write to bytes. */
static int write_bytes(void *ctx, const void *data, size_t size)
{
	bytes_add(ctx, data, size);
	return RTEV_OK;
}

/* Make a sink. */
struct rtev_memtrace_sink bytes_sink(struct bytes *bytes)
{
	return (struct rtev_memtrace_sink){sizeof(struct rtev_memtrace_sink), write_bytes, bytes};
}

/* Look locations up. */
size_t locate_in_reader(void *reader, int64_t code, size_t index, const struct rtev_memtrace_location **out)
{
	size_t count;

	CHECK_INT(rtev_memtrace_lookup(reader, code, out, &count), RTEV_OK);
	return count;
}

/* Get a number. */
uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	uint64_t x = *state;
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdu;
	return x ^ x >> 29;
}
