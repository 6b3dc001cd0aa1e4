/*
 * test_cursor_names.c - the names of user events as a file has them at the time, and hints of events ahead.
 */
#include "support/ring_image.h"
#include "support/test.h"

static const struct rtev_user_event *event_seen;

static enum rtev_next keep_event(void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *event)
{
	event_seen = event;
	return RTEV_CONTINUE;
}

/* Write a name (NULL: leave it) and an event, and check what the poll makes of it. */
static void check_name(struct ring_image *image, struct rtev_cursor *cursor, const char *name,
    const char *expected, unsigned generation)
{
	const struct rtev_callbacks calls = {.size = sizeof(calls), .user_unit = keep_event};

	if (name != NULL)
		image_name(image, 7, name);
	image_unit(image, 0, 7);
	event_seen = NULL;
	CHECK_INT(rtev_cursor_poll(cursor, &calls, NULL, 0, NULL), RTEV_OK);
	CHECK(event_seen != NULL);
	CHECK_STR(event_seen->name, expected);
	CHECK_INT(event_seen->name_len, strlen(expected));
	CHECK_INT(event_seen->generation, generation);
	CHECK_INT(event_seen->id, 7);
}

/* A name may be written after the events that use it, change, and shrink; the generation tells. */
TEST(names_change)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);

	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	check_name(image, cursor, NULL, "", 0);
	check_name(image, cursor, "late", "late", 1);
	const struct rtev_user_event *first = event_seen;
	check_name(image, cursor, NULL, "late", 1);
	check_name(image, cursor, "another and longer name", "another and longer name", 2);
	check_name(image, cursor, "short", "short", 3);
	CHECK(event_seen == first);
	check_name(image, cursor, "", "", 4);
}

/* Names as they lie in a hostile file: stale bytes behind the NUL, no NUL at all, no UTF-8. */
TEST(names_hostile)
{
	char full[RTEV_USER_NAME_SIZE + 1], cut[RTEV_USER_NAME_SIZE];
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);

	memset(full, 'n', sizeof(full) - 1);
	full[sizeof(full) - 1] = '\0';
	memcpy(cut, full, sizeof(cut) - 1);
	cut[sizeof(cut) - 1] = '\0';
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	check_name(image, cursor, full, cut, 1);
	/* The last byte is beyond a name. */
	image_name(image, 7, cut);
	check_name(image, cursor, NULL, cut, 1);
	check_name(
	    image, cursor, "\xff\xfe\x80 \"\\\x01\xed\xa0\x80", "\xff\xfe\x80 \"\\\x01\xed\xa0\x80", 2);
	/* A shorter name over a longer one, without the zeros behind it. */
	unsigned char *at = image->base + image->size - NAMES_BYTES + 7 * RTEV_USER_NAME_SIZE;
	memcpy(at, "abc\0def", 8);
	check_name(image, cursor, NULL, "abc", 3);
	memcpy(at, "abc\0xyz", 8);
	check_name(image, cursor, NULL, "abc", 3);
}

/* A name that has long stood is looked at now and then, and at once when another program begins; an empty one
 * always. */
TEST(names_that_stand)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	unsigned polls = 0;

	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	for (unsigned i = 0; i < 500; i++)
		check_name(image, cursor, NULL, "", 0);
	check_name(image, cursor, "first", "first", 1);
	for (unsigned i = 0; i < 500; i++)
		check_name(image, cursor, NULL, "first", 1);
	image_name(image, 7, "second");
	do {
		image_unit(image, 0, 7);
		CHECK_INT(rtev_cursor_poll(cursor,
			      &(struct rtev_callbacks){
				  .size = sizeof(struct rtev_callbacks), .user_unit = keep_event},
			      NULL, 0, NULL),
		    RTEV_OK);
		CHECK(++polls < 100);
	} while (strcmp(event_seen->name, "second") != 0);
	for (unsigned i = 0; i < 500; i++)
		check_name(image, cursor, NULL, "second", 2);
	image_restart(image);
	check_name(image, cursor, "third", "third", 3);
}

/* A name left by an earlier program of the same file is all that can be known until it is overwritten. */
TEST(names_stale)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);

	image_name(image, 7, "of the last program");
	image_restart(image);
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	check_name(image, cursor, NULL, "of the last program", 1);
	check_name(image, cursor, "of this one", "of this one", 2);
}

/* A file caught between its sizes and its names offset gets its names as soon as they have a place. */
TEST(names_offset_late)
{
	struct ring_image *image = image_make(LAYOUT_5_1, 1, 64);
	struct rtev_ring_info info = {.size = sizeof(info)};

	uint64_t offset = image->metadata->names_offset;
	image->metadata->names_offset = 0;
	struct rtev_cursor *cursor = image_open(image, RTEV_RELEASE_5_3);
	rtev_cursor_info(cursor, &info);
	CHECK(!info.has_names);
	check_name(image, cursor, "early", "", 0);
	image->metadata->names_offset = offset;
	check_name(image, cursor, NULL, "early", 1);
	rtev_cursor_info(cursor, &info);
	CHECK(info.has_names);
}
