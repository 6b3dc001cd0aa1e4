/*
 * test_json.c - values are nested and separated as they are begun and ended, and what is no number is null.
 */
#include <math.h>

#include "print/json.h"
#include "print/printed.h"
#include "support/test.h"

static struct out out;

/* Objects and arrays in each other, empty ones, and names of strangers. */
TEST(nesting)
{
	struct json j = {.out = &out};

	json_begin_object(&j, NULL);
	json_begin_array(&j, "a");
	json_begin_object(&j, NULL);
	json_end(&j);
	json_begin_array(&j, NULL);
	json_put_unsigned(&j, NULL, 1);
	json_put_unsigned(&j, NULL, 2);
	json_end(&j);
	json_end(&j);
	json_key(&j, "q\"\x01", 3);
	json_begin_object(&j, NULL);
	json_put_text(&j, "t", "x\n");
	json_end(&j);
	json_key(&j, "", 0);
	json_put_null(&j, NULL);
	json_put_bool(&j, "b", true);
	json_end(&j);
	json_begin_object(&j, NULL);
	json_end(&j);
	CHECK_STR(printed(&out),
	    "{\"a\":[{},[1,2]],\"q\\\"\\u0001\":{\"t\":\"x\\u000a\"},\"\":null,\"b\":true}\n{}\n");
}

/* Whole numbers and seconds are exact; other numbers are rounded, or null. */
TEST(numbers)
{
	struct json j = {.out = &out};

	json_begin_array(&j, NULL);
	json_put_unsigned(&j, NULL, UINT64_MAX);
	json_put_signed(&j, NULL, INT64_MIN);
	json_put_seconds(&j, NULL, UINT64_C(12000000345));
	json_put_number(&j, NULL, 1.0 / 3);
	json_put_number(&j, NULL, NAN);
	json_put_number(&j, NULL, INFINITY);
	json_put_fixed(&j, NULL, 1.0 / 3, 2);
	json_put_fixed(&j, NULL, 1e15, 0);
	json_put_fixed(&j, NULL, INFINITY, 2);
	json_put_text(&j, NULL, NULL);
	json_put_bool(&j, NULL, false);
	json_end(&j);
	CHECK_STR(printed(&out),
	    "[18446744073709551615,-9223372036854775808,12.000000345,0.333333333,null,null,0.33,"
	    "1000000000000000,null,null,false]\n");
}

int main(void)
{
	out_init(&out, -1);
	test_run();
	return 0;
}
