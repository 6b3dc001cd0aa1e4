/*
 * tape.c - made-up recordings.
 */
#include "support/tape.h"

#include <unistd.h>

#include "support/test.h"

/* Write a blob. */
void tape_blob(struct tape *tape, enum trail_blob blob, const void *data, size_t len)
{
	const char *name = trail_blob_name(blob);

	if (tape->names[blob] == 0)
		CHECK_INT(rtev_fxt_intern(tape->fxt, name, strlen(name), &tape->names[blob]), RTEV_OK);
	CHECK_INT(rtev_fxt_write_blob(tape->fxt, RTEV_FXT_BLOB_DATA, tape->names[blob], data, len), RTEV_OK);
}

/* A blob of the writer's. */
static void on_blob(void *ctx, enum trail_blob blob, const void *data, size_t len)
{
	struct tape *tape = ctx;

	if (!tape->silent)
		tape_blob(tape, blob, data, len);
}

/* Nothing is known of what is open. */
static unsigned on_open(void *ctx, unsigned domain, struct trail_open *list, unsigned max)
{
	return 0;
}

/* Name a user slot. */
static bool on_user(void *ctx, uint32_t slot, const char **name, size_t *len)
{
	static char text[32];

	snprintf(text, sizeof(text), "user.%u", (unsigned)slot);
	*name = text;
	*len = strlen(text);
	return true;
}

/* Begin a recording. */
void tape_init(struct tape *tape, size_t room, const struct trail_about *about)
{
	const struct trail_writer_calls calls = {
	    .ctx = tape, .blob = on_blob, .open = on_open, .user = on_user};
	struct rtev_fxt_destination *destination;

	*tape = (struct tape){.data = malloc(room), .room = room, .writer = trail_writer_create(&calls)};
	CHECK(tape->data != NULL && tape->writer != NULL);
	CHECK_INT(rtev_fxt_memory_create(&destination, tape->data, room, &tape->used), RTEV_OK);
	CHECK_INT(rtev_fxt_writer_create(&tape->fxt, destination, NULL), RTEV_OK);
	if (about != NULL)
		trail_write_about(tape->writer, about);
}

/* Free a recording. */
void tape_fini(struct tape *tape)
{
	rtev_fxt_writer_destroy(tape->fxt);
	trail_writer_destroy(tape->writer);
	free(tape->data);
}

/* Add an event. */
void tape_add(
    struct tape *tape, enum trail_kind kind, unsigned stream, uint64_t ts, uint32_t id, int64_t value)
{
	static const uint64_t buckets[RTEV_ALLOC_BUCKETS] = {1, 2, 3};

	struct trail_event event = {.kind = kind, .stream = stream, .ts = ts, .id = id};

	switch (kind) {
	case TRAIL_ALLOC:
		event.buckets = buckets;
		break;
	case TRAIL_CUSTOM:
		event.data = "payload";
		event.len = event.kept = 7;
		break;
	case TRAIL_LOST:
	case TRAIL_CORRUPT:
		event.words = (uint64_t)value;
		break;
	default:
		event.value = value;
		break;
	}
	trail_write(tape->writer, &event);
}

/* End a recording. */
void tape_finish(struct tape *tape, uint64_t end)
{
	trail_writer_finish(tape->writer, end);
	CHECK(trail_writer_sound(tape->writer));
	CHECK_INT(rtev_fxt_writer_close(tape->fxt), RTEV_OK);
}

/* Write the beginning of a recording to a file. */
void tape_save(const struct tape *tape, size_t size, char path[64])
{
	strcpy(path, "tape-XXXXXX");
	int fd = mkstemp(path);
	CHECK(fd >= 0);
	for (size_t done = 0; done < size;) {
		ssize_t n = write(fd, tape->data + done, size - done);
		CHECK(n > 0);
		done += (size_t)n;
	}
	close(fd);
}
