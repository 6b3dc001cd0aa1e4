/*
 * producer_fixture.h - what the tests of the producer share: a directory, producers in it, what they
 * recorded.
 */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "rtev/producer.h"
#include "support/recorder.h"
#include "support/test.h"

#define OK(call) CHECK_INT(call, RTEV_OK)

static char dir[64];

/* Options for a small ring in the test's directory. */
static inline struct rtev_producer_options small(unsigned exponent)
{
	return (struct rtev_producer_options){
	    .size = sizeof(struct rtev_producer_options), .dir = dir, .exponent = exponent, .domains = 4};
}

/* Make a producer. */
static inline struct rtev_producer *make(struct rtev_producer_options options)
{
	struct rtev_producer *producer;

	OK(rtev_producer_create(&producer, &options));
	return producer;
}

/* Make a producer and start it. */
static inline struct rtev_producer *make_started(struct rtev_producer_options options)
{
	struct rtev_producer *producer = make(options);

	OK(rtev_producer_start(producer, rtev_producer_main(producer)));
	return producer;
}

/* Read everything in the producer's ring. */
static inline const char *read_ring(struct recorder *c, struct rtev_producer *producer)
{
	struct rtev_cursor *cursor;

	OK(rtev_cursor_open_producer(&cursor, producer, NULL));
	const char *text = recorder_text(c, cursor);
	OK(rtev_cursor_close(cursor));
	return text;
}

/* Register a user event without a payload. */
static inline const struct rtev_user *user(
    struct rtev_producer *p, const char *name, enum rtev_user_type type)
{
	const struct rtev_user *out;

	OK(rtev_user_register(p, name, strlen(name), type, NULL, NULL, &out));
	return out;
}

/* Count the files in the test's directory, hidden ones too. */
static inline int files(void)
{
	DIR *d = opendir(dir);
	int count = -2;

	CHECK(d != NULL);
	while (readdir(d) != NULL)
		count++;
	closedir(d);
	return count;
}

/* Load the first words of a file. */
static inline void load(const char *path, uint64_t *words, size_t count)
{
	int fd = open(path, O_RDONLY);

	CHECK(fd >= 0);
	CHECK_INT(read(fd, words, count * 8), (int64_t)count * 8);
	close(fd);
}

/* Make the directory. */
static inline void fixture_begin(void)
{
	char made[] = "/tmp/rtev-producer-XXXXXX";

	CHECK(mkdtemp(made) != NULL);
	char *real = realpath(made, NULL);
	CHECK(real != NULL && strlen(real) < sizeof(dir));
	strcpy(dir, real);
	free(real);
}

/* Check that nothing was left behind. */
static inline void fixture_end(void)
{
	CHECK_INT(files(), 0);
	CHECK_INT(rmdir(dir), 0);
}
