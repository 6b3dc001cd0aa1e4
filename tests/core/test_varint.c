/*
 * test_varint.c - numbers of one to nine bytes: each length round trips, and no reader goes past the end.
 */
#include "core/varint.h"
#include "support/test.h"

/* The smallest and the largest number of each length. */
static const struct {
	uint64_t value;
	size_t size;
} numbers[] = {
    {0, 1},
    {0x1f, 1},
    {0x20, 2},
    {0x1fff, 2},
    {0x2000, 3},
    {0x1fffff, 3},
    {0x200000, 4},
    {0x1fffffff, 4},
    {0x20000000, 5},
    {0x1fffffffff, 5},
    {0x2000000000, 6},
    {0x1fffffffffff, 6},
    {0x200000000000, 7},
    {0x1fffffffffffff, 7},
    {0x20000000000000, 9},
    {UINT64_MAX, 9},
};

/* Both readers give back what was written, and the checked one refuses it when its last byte is missing. */
TEST(lengths)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uint8_t bytes[VARINT_MAX + VARINT_SLACK];
		const uint8_t *at = bytes;
		uint64_t read = 0;

		memset(bytes, 0xff, sizeof(bytes));
		CHECK_INT(varint_put(bytes, numbers[i].value) - bytes, numbers[i].size);
		CHECK(varint_get(&at) == numbers[i].value);
		CHECK_INT(at - bytes, numbers[i].size);
		CHECK(varint_read(bytes, bytes + numbers[i].size, &read) == bytes + numbers[i].size);
		CHECK(read == numbers[i].value);
		for (size_t size = 0; size < numbers[i].size; size++)
			CHECK(varint_read(bytes, bytes + size, &read) == NULL);
	}
}

/* Numbers near zero become small ones. */
TEST(folding)
{
	static const int64_t values[] = {0, -1, 1, -2, 2, INT64_MAX, INT64_MIN};
	static const uint64_t folded[] = {0, 1, 2, 3, 4, UINT64_MAX - 1, UINT64_MAX};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		CHECK(fold(values[i]) == folded[i]);
		CHECK(unfold(folded[i]) == values[i]);
	}
}
