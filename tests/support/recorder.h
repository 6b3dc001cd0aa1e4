/*
 * recorder.h - write down what a cursor delivers, one line a call, so that a test compares text
 * with text:
 *
 *     DOMAIN TS begin NAME       DOMAIN TS counter NAME VALUE      DOMAIN TS custom NAME LENGTH HEX
 *     DOMAIN TS end NAME         DOMAIN TS alloc N,N,..            DOMAIN lost WORDS (HISTORY)
 *     DOMAIN TS unit NAME        DOMAIN TS lifecycle NAME DATA     DOMAIN corrupt WORDS
 *     DOMAIN TS int NAME VALUE   DOMAIN TS span_begin NAME         DOMAIN restart
 *
 * A hook may look at each call, change the image, and decide what the callback returns.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event.h"

struct recorder {
	char *text; /* the lines so far, NUL-terminated */
	size_t length, room;
	bool silent;	/* count only */
	bool unstamped; /* leave out stamps, and write the pid of this process as PID */
	uint64_t counts[EVENT_KIND_COUNT];
	uint64_t events; /* all but lost, corrupt and restart */
	uint64_t lost, history, corrupt;
	enum rtev_next (*hook)(struct recorder *recorder, enum event_kind kind, unsigned domain, uint64_t ts);
	void *context; /* the hook's own */
};

/* Poll; what it returned. */
int recorder_try(
    struct recorder *recorder, struct rtev_cursor *cursor, uint64_t max_events, uint64_t *consumed);

/* Forget what was recorded; the hook stays.  Frees memory. */
void recorder_clear(struct recorder *recorder);

/* Poll and check that it went well; returns the events consumed. */
uint64_t recorder_poll(struct recorder *recorder, struct rtev_cursor *cursor, uint64_t max_events);

/* Forget what was recorded, poll, and return what came, which stands until the next call. */
const char *recorder_text(struct recorder *recorder, struct rtev_cursor *cursor);

/* Check that the lines so far are these, and forget them. */
void recorder_expect(struct recorder *recorder, const char *lines, const char *file, int line);
#define EXPECT(recorder, lines) recorder_expect(recorder, lines, __FILE__, __LINE__)

/* Poll, and check that the lines so far are these. */
#define EXPECT_POLL(recorder, cursor, lines)                                                                 \
	do {                                                                                                 \
		recorder_poll(recorder, cursor, 0);                                                          \
		EXPECT(recorder, lines);                                                                     \
	} while (0)
