/*
 * test_stats_cells.c - figures of the text report round to three digits of the right unit.
 */
#include <math.h>

#include "app/commands/stats_cells.h"
#include "support/test.h"

/* A time that rounds up to 1000 of its unit is 1 of the next. */
static void times(void)
{
	CHECK_STR(cell_time(0).s, "0ns");
	CHECK_STR(cell_time(999).s, "999ns");
	CHECK_STR(cell_time(1000).s, "1.00us");
	CHECK_STR(cell_time(9994).s, "9.99us");
	CHECK_STR(cell_time(9996).s, "10.0us");
	CHECK_STR(cell_time(999400).s, "999us");
	CHECK_STR(cell_time(999600).s, "1.00ms");
	CHECK_STR(cell_time(999400000).s, "999ms");
	CHECK_STR(cell_time(999600000).s, "1.00s");
	CHECK_STR(cell_time(UINT64_C(1234000000000)).s, "1234s");
}

/* Likewise bytes, counts and rates. */
static void others(void)
{
	CHECK_STR(cell_bytes(999).s, "999B");
	CHECK_STR(cell_bytes(999.6).s, "1.00kB");
	CHECK_STR(cell_bytes(999600).s, "1.00MB");
	CHECK_STR(cell_count(99999).s, "99999");
	CHECK_STR(cell_count(999600).s, "1.00M");
	CHECK_STR(cell_rate(999.6).s, "1.00k/s");
	CHECK_STR(cell_rate(NAN).s, "-");
	CHECK_STR(cell_share(0.0001).s, "<0.1 %");
	CHECK_STR(cell_share(NAN).s, "-");
}

int main(void)
{
	RUN(times);
	RUN(others);
	return 0;
}
