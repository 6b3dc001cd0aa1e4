/*
 * ui_story.h - a made-up target for the tests of the screens: its events, what is true of them, and a ui that
 * shows them.
 *
 * A story lasts STORY_SECONDS and holds, besides collections, stops and user events of every kind: words lost
 * before the attach (domain 2) and after it (domain 1), a pause of the target that only its resume tells of,
 * one with a ring_pause event, a long pause, a fork, a domain that ends, and spans left open.  The spans that
 * have to count are listed beside the events, so that a test can work figures out without the model.
 */
#pragma once

#include "support/offers.h"
#include "ui/ui.h"

#define STORY_MS UINT64_C(1000000)
#define STORY_BEGIN (1000000 * STORY_MS) /* the attach */
#define STORY_SECONDS 10
#define STORY_END (STORY_BEGIN + STORY_SECONDS * 1000 * STORY_MS)
#define STORY_RESUMED (STORY_BEGIN + 6500 * STORY_MS) /* no ring_pause before it */
#define STORY_PAUSED (STORY_BEGIN + 8000 * STORY_MS)  /* with a ring_pause event */
#define STORY_RESUMED_AGAIN (STORY_BEGIN + 8200 * STORY_MS)
#define STORY_LOST_WORDS 70000
#define STORY_RING_WORDS 65536
#define STORY_CHILD 4343

enum story_kind {
	STORY_OPEN,
	STORY_CLOSE,
	STORY_COUNTER,
	STORY_ALLOC,
	STORY_LIFE,
	STORY_USER_OPEN,
	STORY_USER_CLOSE,
	STORY_USER_UNIT,
	STORY_USER_INT,
	STORY_USER_CUSTOM,
	STORY_LOST,	 /* value: words */
	STORY_LOST_EARLY /* words lost before the attach */
};

struct story_event {
	enum story_kind kind;
	unsigned domain, id; /* id: phase, counter, lifecycle event, user event */
	uint64_t ts, order;
	int64_t value;
	char text[48]; /* of a custom event */
	size_t len;
};

/* A span that counts. */
struct story_span {
	unsigned domain, id, depth;
	uint64_t begin, end, inside; /* inside: time of the spans in it */
	bool user;
};

struct story {
	unsigned domains;
	struct story_event *events;
	size_t count, size;
	struct story_span *spans;
	size_t span_count, span_size;
};

/* Names of the user events by their id. */
enum { STORY_REQUEST, STORY_DEPTH, STORY_EVICT, STORY_LINE, STORY_BLOB, STORY_NAMES };
extern const char *const story_names[STORY_NAMES];

/* Allocated blocks of a size, as each alloc event says. */
extern const uint64_t story_alloc[RTEV_ALLOC_BUCKETS];

/* Make up a target of 1 to 128 domains. */
void story_init(struct story *story, unsigned domains);
void story_fini(struct story *story);

/* A watch that has seen all of it, up to STORY_END; or what came before another time. */
struct watch *story_watch(const struct story *story);
struct watch *story_watch_until(const struct story *story, uint64_t ts);

/* The facts of a target that runs, at STORY_END. */
struct subject story_subject(struct watch *watch);

/* Say of a subject how it does, as observation_headline says it of a target; returns the subject. */
struct subject *story_told(struct subject *subject);

/* The last stamp of any domain before `ts`. */
uint64_t story_last_before(const struct story *story, uint64_t ts);

/* All of these, with a ui in which every request can be carried out. */
struct stage {
	struct story story;
	struct watch *watch;
	struct advice *advice; /* advice_story: hints alone */
	struct subject subject;
	struct ui *ui;
	struct canvas *canvas;
	struct rtev_callbacks calls; /* of a model */
	char *screen;		     /* of stage_screen */
};

/* Its scheduler tells: a lock that one fiber holds while others queue, and a run of 80 ms that is the loop's delay. */
void story_serve(struct stage *stage);
/* What story_serve tells, and below that a context that is cancelled, one that is crowded, and another loop with paths of its own. */
void story_cancel(struct stage *s);
/* Its scheduler tells the laps of its loop alone. */
void story_laps(struct stage *stage);

void stage_init(struct stage *stage, unsigned domains, int rows, int cols);
static inline struct stage stage_begin(unsigned domains, int rows, int cols)
{
	struct stage stage;

	stage_init(&stage, domains, rows, cols);
	return stage;
}
void stage_fini(struct stage *stage);

/* Begin with another ui, of this app.  At first it is STORY_APP_LIVE. */
void stage_offer(struct stage *stage, enum story_app app);

/* Press a key and draw; returns the reactions. */
unsigned stage_key(struct stage *stage, ui_key key);

/* Press the keys of a text, drawing after each; returns all reactions.  A newline is Enter, \b Backspace, \t Tab,
 * ⎋ Escape, and of ↑ ↓ ← → ⇞ ⇟ ⇱ ⇲ each its key: arrows, PgUp, PgDn, Home and End. */
unsigned stage_type(struct stage *stage, const char *text);

/* Press a key; whether the footer says that it changes nothing. */
bool stage_refuses(struct stage *stage, ui_key key);

/* Let the target go on for a while, with a short span in each millisecond. */
void stage_go_on(struct stage *stage, uint64_t ms);

/* Let time pass in which nothing happens; and pause the target's events before that. */
void stage_pass(struct stage *stage, uint64_t ms);
void stage_pause(struct stage *stage, uint64_t ms);

/* Draw, and give the screen as text: to be freed, or the stage's until it is asked for again. */
char *stage_text(struct stage *stage);
char *stage_screen(struct stage *stage);

/* Draw, and tell whether the screen has a text. */
bool stage_shows(struct stage *stage, const char *text);
