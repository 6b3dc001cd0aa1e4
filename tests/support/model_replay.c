/*
 * model_replay.c - feed a log, as `rtevtop log --json` prints it, to a model and print it as `stats --json`
 * does.
 *
 *     model_replay LOG.jsonl [rings | reverse | merged | late]
 *
 * rings: the rings one after the other, as they stand in the log; reverse: the last one first; merged: by
 * time.  In all of these the resumes are announced first, as a scan of a finished file does; late: by time,
 * and nothing is announced.  Every order has to give the same figures.
 */
#include <unistd.h>

#include "app/commands/stats_report.h"
#include "support/test.h"

#define LINE_BYTES 65536

struct line {
	unsigned domain;
	uint64_t ts;
	size_t at; /* in the log */
	char *text;
};

struct log {
	struct line *lines;
	size_t count, size;
	struct rtev_user_event *users;
	size_t user_count;
};

/* Where the value of a member begins; NULL when the line has no such member. */
static const char *member(const char *line, const char *name)
{
	char key[32];
	const char *found;

	snprintf(key, sizeof(key), "\"%s\":", name);
	found = strstr(line, key);
	return found == NULL ? NULL : found + strlen(key);
}

/* The value of a member that is a whole number, 0 when it is not there. */
static int64_t member_int(const char *line, const char *name)
{
	const char *value = member(line, name);

	return value == NULL ? 0 : strtoll(value, NULL, 10);
}

/* Copy the value of a member that is a string, without its escapes. */
static void member_text(const char *line, const char *name, char *out, size_t size)
{
	const char *value = member(line, name);
	size_t n = 0;

	for (size_t i = 1; value != NULL && value[i] != '"' && value[i] != '\0' && n + 1 < size; i++) {
		if (value[i] == '\\')
			i++;
		out[n++] = value[i];
	}
	out[n] = '\0';
}

/* Whether a member is this string. */
static bool member_is(const char *line, const char *name, const char *text)
{
	const char *value = member(line, name);

	return value != NULL && value[0] == '"' && strncmp(value + 1, text, strlen(text)) == 0 &&
	       value[1 + strlen(text)] == '"';
}

/* Read a log. */
static void log_read(struct log *log, const char *path)
{
	static char text[LINE_BYTES];
	FILE *file = fopen(path, "r");

	if (file == NULL)
		TEST_FAIL("could not open %s", path);
	while (fgets(text, sizeof(text), file) != NULL) {
		struct line *line;

		if (log->count == log->size) {
			log->size = log->size * 2 + 1024;
			log->lines = realloc(log->lines, log->size * sizeof(*log->lines));
			CHECK(log->lines != NULL);
		}
		line = &log->lines[log->count];
		line->at = log->count++;
		line->domain = (unsigned)member_int(text, "domain");
		line->ts = (uint64_t)member_int(text, "ts");
		line->text = strdup(text);
		CHECK(line->text != NULL);
	}
	fclose(file);
}

/* Order lines by ring, the last ring first. */
static int by_ring_backwards(const void *a, const void *b)
{
	const struct line *left = a, *right = b;

	if (left->domain != right->domain)
		return left->domain < right->domain ? 1 : -1;
	return left->at < right->at ? -1 : 1;
}

/* Order lines by time; a line without a stamp stays at its place in its ring. */
static int by_time(const void *a, const void *b)
{
	const struct line *left = a, *right = b;

	if (left->ts != right->ts)
		return left->ts < right->ts ? -1 : 1;
	return left->at < right->at ? -1 : 1;
}

/* Give lines without a stamp that of the line before on their ring, so that they sort behind it. */
static void log_stamp_all(struct log *log)
{
	static uint64_t last[MODEL_DOMAINS_MAX];

	for (size_t i = 0; i < log->count; i++) {
		struct line *line = &log->lines[i];

		CHECK(line->domain < MODEL_DOMAINS_MAX);
		if (member(line->text, "ts") == NULL)
			line->ts = last[line->domain];
		last[line->domain] = line->ts;
	}
}

/* The number behind "phase_", "counter_", "lifecycle_" as an opaque value. */
static uint16_t opaque(const char *name)
{
	const char *number = strrchr(name, '_');

	if (number == NULL)
		TEST_FAIL("unknown name %s", name);
	return (uint16_t)(RTEV_OPAQUE + strtoul(number + 1, NULL, 10));
}

/* The value of a name, where `text` gives the names of those below `count`. */
static uint16_t number_of(
    const char *name, unsigned count, const char *(*text)(uint16_t, char buf[RTEV_NAME_SIZE]))
{
	char buf[RTEV_NAME_SIZE];

	for (uint16_t i = 0; i < count; i++)
		if (strcmp(text(i, buf), name) == 0)
			return i;
	return opaque(name);
}

/* The user event of a name. */
static const struct rtev_user_event *user_of(struct log *log, const char *name)
{
	struct rtev_user_event *user;

	if (log->users == NULL)
		log->users = calloc(RTEV_USER_EVENTS_MAX, sizeof(*log->users));
	CHECK(log->users != NULL);
	for (size_t i = 0; i < log->user_count; i++)
		if (strcmp(log->users[i].name, name) == 0)
			return &log->users[i];
	CHECK(log->user_count < RTEV_USER_EVENTS_MAX);
	user = &log->users[log->user_count];
	user->id = (uint16_t)log->user_count++;
	user->generation = 1;
	snprintf(user->name, sizeof(user->name), "%s", name);
	user->name_len = (uint16_t)strlen(user->name);
	return user;
}

/* Hand a user event to the model. */
static void feed_user(struct log *log, const struct line *line, const struct rtev_callbacks *cb, void *ctx)
{
	char name[RTEV_USER_NAME_SIZE], data[1024] = "";
	const struct rtev_user_event *user;

	member_text(line->text, "name", name, sizeof(name));
	user = user_of(log, name);
	if (member_is(line->text, "kind", "unit"))
		cb->user_unit(ctx, line->domain, line->ts, user);
	else if (member_is(line->text, "kind", "int"))
		cb->user_int(ctx, line->domain, line->ts, user, member_int(line->text, "value"));
	else if (member_is(line->text, "kind", "span_begin"))
		cb->user_span(ctx, line->domain, line->ts, user, true);
	else if (member_is(line->text, "kind", "span_end"))
		cb->user_span(ctx, line->domain, line->ts, user, false);
	else {
		member_text(line->text, "data", data, sizeof(data));
		cb->user_custom(ctx, line->domain, line->ts, user, data, strlen(data) / 2);
	}
}

/* Hand an alloc event to the model. */
static void feed_alloc(const struct line *line, const struct rtev_callbacks *cb, void *ctx)
{
	uint64_t buckets[RTEV_ALLOC_BUCKETS] = {0};
	char *next = strchr(line->text, '[');

	for (size_t i = 0; next != NULL && i < RTEV_ALLOC_BUCKETS; i++)
		buckets[i] = strtoull(next + 1, &next, 10);
	cb->alloc(ctx, line->domain, line->ts, buckets);
}

/* Hand a line to the model. */
static void feed(struct log *log, const struct line *line, const struct rtev_callbacks *cb, void *ctx)
{
	char name[RTEV_USER_NAME_SIZE];
	uint64_t words = (uint64_t)member_int(line->text, "words");

	member_text(line->text, "phase", name, sizeof(name));
	if (member_is(line->text, "type", "begin")) {
		cb->begin(ctx, line->domain, line->ts, number_of(name, RTEV_PHASE_COUNT, rtev_phase_name));
	} else if (member_is(line->text, "type", "end")) {
		cb->end(ctx, line->domain, line->ts, number_of(name, RTEV_PHASE_COUNT, rtev_phase_name));
	} else if (member_is(line->text, "type", "counter")) {
		member_text(line->text, "name", name, sizeof(name));
		cb->counter(ctx, line->domain, line->ts,
		    number_of(name, RTEV_COUNTER_COUNT, rtev_counter_name), member_int(line->text, "value"));
	} else if (member_is(line->text, "type", "lifecycle")) {
		member_text(line->text, "event", name, sizeof(name));
		cb->lifecycle(ctx, line->domain, line->ts,
		    number_of(name, RTEV_LIFECYCLE_COUNT, rtev_lifecycle_name),
		    member_int(line->text, "data"));
	} else if (member_is(line->text, "type", "user")) {
		feed_user(log, line, cb, ctx);
	} else if (member_is(line->text, "type", "alloc")) {
		feed_alloc(line, cb, ctx);
	} else if (member_is(line->text, "type", "lost")) {
		cb->lost(ctx, line->domain, words, words);
	} else {
		cb->corrupt(ctx, line->domain, words);
	}
}

/* Print all that stats prints of a model. */
static void print_stats(const struct model *m)
{
	static struct out out;
	struct stats_subject subject = {0};
	const struct model_totals t = model_totals(m);

	subject.duration_ns = t.last_ts - t.first_ts;
	out_init(&out, STDOUT_FILENO);
	CHECK(stats_print_json(&out, m, &subject));
	CHECK_INT(out_flush(&out), 0);
}

int main(int argc, char **argv)
{
	const char *order = argc == 3 ? argv[2] : "rings";
	struct model *m = model_create(NULL);
	struct rtev_callbacks cb;
	struct log log = {0};

	if (argc < 2 || argc > 3 || m == NULL)
		return 2;
	model_callbacks(&cb);
	log_read(&log, argv[1]);
	log_stamp_all(&log);
	if (log.count == 0)
		order = "rings";
	if (strcmp(order, "reverse") == 0)
		qsort(log.lines, log.count, sizeof(*log.lines), by_ring_backwards);
	else if (strcmp(order, "rings") != 0)
		qsort(log.lines, log.count, sizeof(*log.lines), by_time);
	for (size_t i = 0; i < log.count; i++)
		if (strcmp(order, "late") != 0 && member_is(log.lines[i].text, "event", "ring_resume"))
			model_resume_at(m, log.lines[i].ts);
	for (size_t i = 0; i < log.count; i++)
		feed(&log, &log.lines[i], &cb, m);
	model_finish(m);
	CHECK_INT(model_status(m), RTEV_OK);
	print_stats(m);
	for (size_t i = 0; i < log.count; i++)
		free(log.lines[i].text);
	free(log.lines);
	free(log.users);
	model_destroy(m);
	return 0;
}
