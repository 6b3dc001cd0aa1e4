/*
 * test_number.c - numbers as texts, each unit and each edge.
 */
#include "support/test.h"

#include <math.h>

#include "print/number.h"

#define US UINT64_C(1000)
#define MS (1000 * US)
#define S (1000 * MS)

TEST(test_durations)
{
	CHECK_STR(format_duration(0).s, "0");
	CHECK_STR(format_duration(1).s, "1ns");
	CHECK_STR(format_duration(999).s, "999ns");
	CHECK_STR(format_duration(1000).s, "1.00µs");
	CHECK_STR(format_duration(1004).s, "1.00µs");
	CHECK_STR(format_duration(1005).s, "1.01µs");
	CHECK_STR(format_duration(4 * US).s, "4.00µs");
	CHECK_STR(format_duration(9994).s, "9.99µs");
	CHECK_STR(format_duration(9995).s, "10.0µs");
	CHECK_STR(format_duration(99949).s, "99.9µs");
	CHECK_STR(format_duration(99950).s, "100µs");
	CHECK_STR(format_duration(310 * US).s, "310µs");
	CHECK_STR(format_duration(999499).s, "999µs");
	CHECK_STR(format_duration(999500).s, "1.00ms");
	CHECK_STR(format_duration(12100 * US).s, "12.1ms");
	CHECK_STR(format_duration(999 * MS).s, "999ms");
	CHECK_STR(format_duration(999 * MS + 500 * US).s, "1.00s");
	CHECK_STR(format_duration(1900 * MS).s, "1.90s");
	CHECK_STR(format_duration(59 * S + 900 * MS).s, "59.9s");
	CHECK_STR(format_duration(60 * S).s, "1m00s");
	CHECK_STR(format_duration(125 * S).s, "2m05s");
	CHECK_STR(format_duration(3600 * S).s, "1h00m");
	CHECK_STR(format_duration(11520 * S).s, "3h12m");
	CHECK_STR(format_duration(UINT64_MAX).s, "213503d23h");
}

TEST(test_ages)
{
	CHECK_STR(format_age(0).s, "0s");
	CHECK_STR(format_age(59).s, "59s");
	CHECK_STR(format_age(60).s, "1m00s");
	CHECK_STR(format_age(187).s, "3m07s");
	CHECK_STR(format_age(3599).s, "59m59s");
	CHECK_STR(format_age(11520).s, "3h12m");
	CHECK_STR(format_age(86399).s, "23h59m");
	CHECK_STR(format_age(86400).s, "1d00h");
	CHECK_STR(format_age(UINT64_MAX).s, "213503982334601d07h");
}

TEST(test_counts)
{
	CHECK_STR(format_count(0).s, "0");
	CHECK_STR(format_count(999).s, "999");
	CHECK_STR(format_count(1000).s, "1.00k");
	CHECK_STR(format_count(1204).s, "1.20k");
	CHECK_STR(format_count(9995).s, "10.0k");
	CHECK_STR(format_count(184000).s, "184k");
	CHECK_STR(format_count(999499).s, "999k");
	CHECK_STR(format_count(999500).s, "1.00M");
	CHECK_STR(format_count(UINT64_C(1000000000)).s, "1.00G");
	CHECK_STR(format_count(UINT64_C(999500000000000000)).s, "1.00E");
	CHECK_STR(format_count(UINT64_C(999499999999999999)).s, "999P");
	CHECK_STR(format_count(UINT64_MAX).s, "18.4E");
	CHECK_STR(format_bytes(0).s, "0B");
	CHECK_STR(format_bytes(512).s, "512B");
	CHECK_STR(format_bytes(UINT64_C(1900000000)).s, "1.90GB");
	CHECK_STR(format_bytes(UINT64_MAX).s, "18.4EB");
	CHECK_STR(format_words(240000000).s, "240Mw");
	CHECK_STR(format_words(7).s, "7w");
}

TEST(test_rates)
{
	CHECK_STR(format_rate(0).s, "0/s");
	CHECK_STR(format_rate(0.004).s, "<0.01/s");
	CHECK_STR(format_rate(0.8).s, "0.80/s");
	CHECK_STR(format_rate(9.994).s, "9.99/s");
	CHECK_STR(format_rate(9.996).s, "10.0/s");
	CHECK_STR(format_rate(99.94).s, "99.9/s");
	CHECK_STR(format_rate(99.96).s, "100/s");
	CHECK_STR(format_rate(412).s, "412/s");
	CHECK_STR(format_rate(1200).s, "1.20k/s");
	CHECK_STR(format_rate(184000).s, "184k/s");
	CHECK_STR(format_rate(1e300).s, "18.4E/s");
	CHECK_STR(format_rate(-1).s, "-");
	CHECK_STR(format_rate(NAN).s, "-");
	CHECK_STR(format_rate(INFINITY).s, "-");
	CHECK_STR(format_byte_rate(0).s, "0B/s");
	CHECK_STR(format_byte_rate(0.3).s, "<1B/s");
	CHECK_STR(format_byte_rate(12.4).s, "12B/s");
	CHECK_STR(format_byte_rate(1.2e9).s, "1.20GB/s");
	CHECK_STR(format_byte_rate(1e300).s, "18.4EB/s");
	CHECK_STR(format_byte_rate(NAN).s, "-");
}

TEST(test_percentages)
{
	CHECK_STR(format_percent(0).s, "0%");
	CHECK_STR(format_percent(0.0004).s, "<0.1%");
	CHECK_STR(format_percent(0.003).s, "0.3%");
	CHECK_STR(format_percent(0.0994).s, "9.9%");
	CHECK_STR(format_percent(0.0996).s, "10%");
	CHECK_STR(format_percent(0.61).s, "61%");
	CHECK_STR(format_percent(1).s, "100%");
	CHECK_STR(format_percent(94.46).s, "9446%");
	CHECK_STR(format_percent(-0.1).s, "-");
	CHECK_STR(format_percent(NAN).s, "-");
	CHECK_STR(format_percent(1e300).s, "-");
	CHECK_STR(format_share(3, 4).s, "75%");
	CHECK_STR(format_share(0, 4).s, "0%");
	CHECK_STR(format_share(0, 0).s, "-");
	CHECK_STR(format_share(UINT64_MAX, UINT64_MAX).s, "100%");
}

TEST(test_errors)
{
	CHECK_STR(format_error(0).s, "±0%");
	CHECK_STR(format_error(0.00001).s, "±0.1%");
	CHECK_STR(format_error(0.0034).s, "±0.3%");
	CHECK_STR(format_error(0.0094).s, "±0.9%");
	CHECK_STR(format_error(0.0096).s, "±1%");
	CHECK_STR(format_error(0.0784).s, "±8%");
	CHECK_STR(format_error(1).s, "±100%");
	CHECK_STR(format_error(9.994).s, "±999%");
	CHECK_STR(format_error(9.996).s, "±>999%");
	CHECK_STR(format_error(INFINITY).s, "±>999%");
	CHECK_STR(format_error(NAN).s, "±?");
}

TEST(test_signed)
{
	CHECK_STR(format_signed(0, 6).s, "0");
	CHECK_STR(format_signed(-37, 6).s, "-37");
	CHECK_STR(format_signed(123456, 6).s, "123456");
	CHECK_STR(format_signed(1234567, 6).s, "1.23M");
	CHECK_STR(format_signed(-1234567, 6).s, "-1.23M");
	CHECK_STR(format_signed(INT64_MIN, 19).s, "-9223372036854775808");
	CHECK_STR(format_signed(INT64_MIN, 6).s, "-9.22E");
	CHECK_STR(format_signed(INT64_MAX, 3).s, "9.22E");
}

TEST(test_unknown)
{
	CHECK_STR(format_unknown().s, "-");
	CHECK_STR(format_marked("≥", format_duration(310 * US)).s, "≥310µs");
	CHECK_STR(format_after_loss(format_duration(310 * US), 50, 100).s, "~310µs");
	CHECK_STR(format_after_loss(format_duration(310 * US), 1, 1).s, "≥310µs");
	CHECK_STR(format_after_loss(format_unknown(), 50, 100).s, "-");
	CHECK_STR(format_marked("≥", format_unknown()).s, "-");
	CHECK_STR(format_marked("≥", format_duration(UINT64_MAX)).s, "≥213503d23h");
}

/* Over all magnitudes: never more than seven columns, and what is read back is within half a percent. */
TEST(test_precision)
{
	static const char prefixes[] = "kMGTPE";
	for (double exact = 1; exact < 1.8e19; exact *= 1.0137) {
		uint64_t value = (uint64_t)exact;
		struct formatted text = format_count(value);
		char *end;
		double back = strtod(text.s, &end);
		const char *prefix = *end == '\0' ? NULL : strchr(prefixes, *end);
		if (prefix != NULL)
			back *= pow(1000, (double)(prefix - prefixes) + 1);
		CHECK(prefix != NULL || *end == '\0');
		CHECK_NEAR(back, (double)value, (double)value * 0.0051);
		CHECK(strlen(text.s) <= 5);
		if (value < 3600 * S)
			CHECK(strlen(format_duration(value).s) <= 7);
	}
}

/* The forms of a text report. */
TEST(test_plain)
{
	CHECK_STR(format_figure(UNIT_WORDS, 125).s, "1.00kB");
	CHECK_STR(format_figure(UNIT_WORDS, 0x1p61).s, "-");
	CHECK_STR(format_figure(UNIT_SECONDS, 0.0121).s, "12.1ms");
	CHECK_STR(format_figure(UNIT_CORES, 9.996).s, "10.0");
	CHECK_STR(format_figure(UNIT_GROWTH, -293e6).s, "-293MB/min");
	CHECK_STR(format_told(UNIT_COUNT, UINT64_MAX).s, "-");
	CHECK(format_figure(UNIT_NS, NAN).unknown && !format_figure(UNIT_NS, 0).unknown);
	CHECK_STR(format_marked("≥", format_figure(UNIT_RATE, -1)).s, "-");
	CHECK_STR(format_figure(UNIT_BYTES, 999).s, "999B");
	CHECK_STR(format_figure(UNIT_BYTES, 999.6).s, "1.00kB");
	CHECK_STR(format_figure(UNIT_BYTES, 999600).s, "1.00MB");
	CHECK_STR(format_figure(UNIT_BYTES, -1).s, "-");
	CHECK_STR(format_figure(UNIT_BYTES, NAN).s, "-");
	CHECK_STR(plain_count(99999).s, "99999");
	CHECK_STR(plain_count(100000).s, "100k");
	CHECK_STR(plain_count(999600).s, "1.00M");
	CHECK_STR(plain_share(0).s, "0.0%");
	CHECK_STR(plain_share(0.0001).s, "<0.1%");
	CHECK_STR(plain_share(0.071).s, "7.1%");
	CHECK_STR(plain_share(NAN).s, "-");
}

/* A part is in the unit of the whole, with as many digits. */
TEST(test_part)
{
	char text[64];

	plain_part(463 * MS, 466 * MS, text, sizeof(text));
	CHECK_STR(text, "463 of 466ms");
	plain_part(120, 1999 * US, text, sizeof(text));
	CHECK_STR(text, "0.00 of 2.00ms");
	plain_part(1000, 999499, text, sizeof(text));
	CHECK_STR(text, "1 of 999µs");
	plain_part(10, 999, text, sizeof(text));
	CHECK_STR(text, "10 of 999ns");
	plain_part(UINT64_MAX, UINT64_MAX, text, sizeof(text));
	CHECK_STR(text, "18446744074 of 18446744074s");
}
