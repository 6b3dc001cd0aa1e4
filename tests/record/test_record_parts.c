/*
 * test_record_parts.c - what a recording is made of, one by one: open spans and their lanes, payloads as
 * text, the line on a pause.
 */
#include "record/flight.h"
#include "record/open_spans.h"
#include "record/sink.h"
#include "support/test.h"

/* What ends as another begins has a lane of its own; one that has ended before leaves its lane. */
TEST(lanes)
{
	struct record_spans spans = {0};

	CHECK_INT(record_spans_lane(&spans, 10, 20), 0);
	CHECK_INT(record_spans_lane(&spans, 20, 30), 1);
	CHECK_INT(record_spans_lane(&spans, 21, 31), 0);
	CHECK_INT(record_spans_lane(&spans, 30, 32), 2);
	CHECK_INT(record_spans_lane(&spans, 31, 33), 1);
	record_spans_fini(&spans);
}

/* Of user spans so many are kept; runtime spans are found by their depth among them. */
TEST(users)
{
	struct record_spans spans = {0};
	struct record_span out;

	CHECK(record_spans_open(&spans, 1, false, 1));
	for (uint32_t i = 0; i < RECORD_USERS_MAX + 5; i++)
		CHECK(record_spans_open(&spans, i, true, 10 + i));
	CHECK_INT(spans.users, RECORD_USERS_MAX);
	CHECK(record_spans_open(&spans, 2, false, 200));
	CHECK_INT(spans.count, RECORD_USERS_MAX + 2);
	CHECK(!record_spans_close_user(&spans, RECORD_USERS_MAX, 10 + RECORD_USERS_MAX, &out));
	CHECK(record_spans_close_user(&spans, 3, 13, &out));
	CHECK_INT(out.begin, 13);
	CHECK_INT(spans.users, RECORD_USERS_MAX - 1);
	/* The outer one goes, the inner one is what ends next. */
	record_spans_drop(&spans, 0);
	CHECK_INT(spans.count, RECORD_USERS_MAX);
	CHECK(record_spans_close(&spans, &out));
	CHECK_INT(out.id, 2);
	CHECK(!record_spans_close(&spans, &out));
	record_spans_fini(&spans);
}

/* Stretches that share no more than one moment cross. */
TEST(stretches)
{
	struct record_spans spans = {0};

	record_spans_show(&spans, 100);
	record_spans_show(&spans, 200);
	record_spans_resume(&spans, 50);
	CHECK(record_spans_crosses(&spans, 200, 300));
	CHECK(!record_spans_crosses(&spans, 201, 300));
	CHECK(record_spans_crosses(&spans, 60, 100));
	CHECK(!record_spans_crosses(&spans, 60, 99));
	record_spans_fini(&spans);
}

/* Whether a text can be shown. */
static bool printable(const char *text)
{
	return record_text_printable(text, strlen(text));
}

/* Controls are no text, whichever they are. */
TEST(text)
{
	CHECK(printable("a ~\t\r\n\u00a0\u20ac"));
	CHECK(!printable("\x1b[31m"));
	CHECK(!printable("a\x7f"));
	CHECK(!printable("\xc2\x80") && !printable("\xc2\x9f"));
	CHECK(!printable("\xff"));
	CHECK(!record_text_printable("a", 2));
}

/* Phases of a pause stand in the order of their share of it, what is too little to be told left out. */
TEST(anatomy)
{
	struct flight_file file = {
	    .pause = {.duration = 1000, .self = 246, .phase = RTEV_PHASE_MAJOR, .inside_count = 3}};
	char line[512];

	file.pause.inside[0] = (struct model_phase){.phase = RTEV_PHASE_MINOR, .self = 100};
	file.pause.inside[1] = (struct model_phase){.phase = RTEV_PHASE_MAJOR_SWEEP, .self = 4};
	file.pause.inside[2] = (struct model_phase){.phase = RTEV_PHASE_MAJOR_MARK, .self = 650};
	flight_line(&file, line, sizeof(line));
	CHECK(strstr(line, "\tmajor_mark 65%, major 25%, minor 10%\t") != NULL);
}
