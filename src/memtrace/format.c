/*
 * format.c - read, check and write packet headers.
 *
 * Byte offsets: 0 magic, 4 size in bits, 8 begin time, 16 end time, 24 unused, 28 version, 30 pid.  From
 * version 3 on the domain follows.  Last come the verifier (bucket, next, code) and the two object ids.
 */
#include "memtrace/format.h"

#include "rtev/memtrace.h"

#define MAGIC 0xC1FC1FC1u

enum { SIZE_AT = 4, BEGIN_AT = 8, END_AT = 16, UNUSED_AT = 24, PID_AT = 30, DOMAIN_AT = 38 };

/* Offsets in the tail, which follows the pid (before version 3) or the domain. */
enum { BUCKET_AT = 0, NEXT_AT = 2, CODE_AT = 4, ID_BEGIN_AT = 12, ID_END_AT = 20, TAIL_SIZE = 28 };

int mt_header_read(struct mt_header *out, const uint8_t *data, size_t size)
{
	if (size < MT_VERSION_AT + 2)
		return RTEV_E_MEMTRACE_UNDERFLOW;
	out->version = (uint16_t)mt_load_16(data + MT_VERSION_AT);
	out->size = out->version >= 3 ? MT_HEADER_SIZE : MT_HEADER_SIZE_2;
	if (size < out->size)
		return RTEV_E_MEMTRACE_UNDERFLOW;
	const uint8_t *tail = data + out->size - TAIL_SIZE;
	out->bits = (int32_t)mt_load_32(data + SIZE_AT);
	out->time_begin = (int64_t)mt_load_64(data + BEGIN_AT);
	out->time_end = (int64_t)mt_load_64(data + END_AT);
	out->pid = (int64_t)mt_load_64(data + PID_AT);
	out->domain = out->version >= 3 ? (uint16_t)mt_load_16(data + DOMAIN_AT) : 0;
	out->verifier.bucket = (uint16_t)mt_load_16(tail + BUCKET_AT);
	out->verifier.next = (uint16_t)mt_load_16(tail + NEXT_AT);
	out->verifier.code = mt_load_word(tail + CODE_AT);
	out->id_begin = (int64_t)mt_load_64(tail + ID_BEGIN_AT);
	out->id_end = (int64_t)mt_load_64(tail + ID_END_AT);
	return mt_load_32(data) == MAGIC ? RTEV_OK : RTEV_E_MEMTRACE_MAGIC;
}

int mt_header_check(const struct mt_header *header, unsigned *at)
{
	*at = MT_VERSION_AT;
	if (header->version > MT_VERSION)
		return RTEV_E_MEMTRACE_VERSION;
	*at = SIZE_AT;
	if (header->bits < 0 || (unsigned)header->bits / 8 < header->size)
		return RTEV_E_MEMTRACE_PACKET_SIZE;
	*at = header->size - TAIL_SIZE + ID_END_AT;
	if (header->id_begin > header->id_end)
		return RTEV_E_MEMTRACE_PACKET_IDS;
	*at = 0;
	return RTEV_OK;
}

void mt_header_write(uint8_t *data, const struct mt_header *header)
{
	uint8_t *tail = data + MT_HEADER_SIZE - TAIL_SIZE;

	mt_store_32(data, MAGIC);
	mt_store_32(data + SIZE_AT, (uint32_t)header->bits);
	mt_store_64(data + BEGIN_AT, (uint64_t)header->time_begin);
	mt_store_64(data + END_AT, (uint64_t)header->time_end);
	mt_store_32(data + UNUSED_AT, 0);
	mt_store_16(data + MT_VERSION_AT, MT_VERSION);
	mt_store_64(data + PID_AT, (uint64_t)header->pid);
	mt_store_16(data + DOMAIN_AT, header->domain);
	mt_store_16(tail + BUCKET_AT, header->verifier.bucket);
	mt_store_16(tail + NEXT_AT, header->verifier.next);
	mt_store_64(tail + CODE_AT, (uint64_t)header->verifier.code);
	mt_store_64(tail + ID_BEGIN_AT, (uint64_t)header->id_begin);
	mt_store_64(tail + ID_END_AT, (uint64_t)header->id_end);
}
