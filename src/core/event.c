/*
 * event.c - the table of event kinds, and callbacks that pass every event to one function.
 */
#include "core/event.h"

static const struct {
	const char *word;
	bool stamped;
} kinds[EVENT_KIND_COUNT] = {
#define EVENT_ROW(name, word, label, stamped) {word, stamped},
    EVENT_KINDS(EVENT_ROW)
#undef EVENT_ROW
};

const char *event_word(enum event_kind kind)
{
	return kinds[kind].word;
}

bool event_stamped(enum event_kind kind)
{
	return kinds[kind].stamped;
}

const char *phase_brief(rtev_phase phase)
{
	static const char *const texts[RTEV_PHASE_COUNT] = {
#define PHASE_BRIEF(name, text, class, brief, c50, c52, c53, c54, cox) brief,
	    RTEV_PHASES(PHASE_BRIEF)
#undef PHASE_BRIEF
	};

	return phase < RTEV_PHASE_COUNT ? texts[phase] : NULL;
}

/* Return the phase that a word names; RTEV_PHASE_COUNT: it names none. */
static rtev_phase phase_named(const char *word, size_t length)
{
	char name[RTEV_NAME_SIZE];
	rtev_phase phase = 0;

	while (phase < RTEV_PHASE_COUNT && (strncmp(rtev_phase_name(phase, name), word, length) != 0 ||
					       rtev_phase_name(phase, name)[length] != '\0'))
		phase++;
	return phase;
}

const char *phase_brief_words(const char *text, char *out, size_t size)
{
	size_t used = 0;

	while (*text != '\0' && used + 1 < size) {
		size_t length = strcspn(text, " ");
		const char *brief = phase_brief(phase_named(text, length)),
			   *word = brief != NULL ? brief : text;
		size_t shown = brief != NULL ? strlen(brief) : length > 0 ? length : 1;
		shown = shown < size - used - 1 ? shown : size - used - 1;
		memcpy(out + used, word, shown);
		used += shown;
		text += length > 0 ? length : 1;
	}
	if (size > 0)
		out[used] = '\0';
	return out;
}

/* Pass an event to the sink. */
static enum rtev_next give(void *ctx, const struct rtev_event *event)
{
	const struct event_sink *sink = ctx;

	return sink->take(sink->ctx, event);
}

static enum rtev_next on_begin(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	return give(ctx, &(struct rtev_event){.kind = EVENT_BEGIN, .domain = domain, .ts = ts, .id = phase});
}

static enum rtev_next on_end(void *ctx, unsigned domain, uint64_t ts, rtev_phase phase)
{
	return give(ctx, &(struct rtev_event){.kind = EVENT_END, .domain = domain, .ts = ts, .id = phase});
}

static enum rtev_next on_counter(void *ctx, unsigned domain, uint64_t ts, rtev_counter counter, int64_t value)
{
	return give(
	    ctx, &(struct rtev_event){
		     .kind = EVENT_COUNTER, .domain = domain, .ts = ts, .id = counter, .value = value});
}

static enum rtev_next on_alloc(void *ctx, unsigned domain, uint64_t ts, const uint64_t *buckets)
{
	return give(ctx, &(struct rtev_event){.kind = EVENT_ALLOC,
			     .domain = domain,
			     .ts = ts,
			     .data = buckets,
			     .len = RTEV_ALLOC_BUCKETS * sizeof(buckets[0])});
}

static enum rtev_next on_lifecycle(
    void *ctx, unsigned domain, uint64_t ts, rtev_lifecycle event, int64_t data)
{
	return give(
	    ctx, &(struct rtev_event){
		     .kind = EVENT_LIFECYCLE, .domain = domain, .ts = ts, .id = event, .value = data});
}

/* Pass a user event to the sink; `value` is 0 if the kind has none. */
static enum rtev_next give_user(void *ctx, enum event_kind kind, unsigned domain, uint64_t ts,
    const struct rtev_user_event *user, int64_t value)
{
	return give(
	    ctx, &(struct rtev_event){
		     .kind = kind, .domain = domain, .ts = ts, .id = user->id, .value = value, .user = user});
}

static enum rtev_next on_unit(void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *user)
{
	return give_user(ctx, EVENT_UNIT, domain, ts, user, 0);
}

static enum rtev_next on_int(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *user, int64_t value)
{
	return give_user(ctx, EVENT_INT, domain, ts, user, value);
}

static enum rtev_next on_span(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *user, bool begin)
{
	return give_user(ctx, begin ? EVENT_SPAN_BEGIN : EVENT_SPAN_END, domain, ts, user, 0);
}

static enum rtev_next on_custom(
    void *ctx, unsigned domain, uint64_t ts, const struct rtev_user_event *user, const void *data, size_t len)
{
	return give(ctx, &(struct rtev_event){.kind = EVENT_CUSTOM,
			     .domain = domain,
			     .ts = ts,
			     .id = user->id,
			     .user = user,
			     .data = data,
			     .len = len});
}

static enum rtev_next on_lost(void *ctx, unsigned domain, uint64_t words, uint64_t history)
{
	return give(
	    ctx, &(struct rtev_event){
		     .kind = EVENT_LOST, .domain = domain, .value = (int64_t)words, .history = history});
}

static enum rtev_next on_corrupt(void *ctx, unsigned domain, uint64_t words)
{
	return give(
	    ctx, &(struct rtev_event){.kind = EVENT_CORRUPT, .domain = domain, .value = (int64_t)words});
}

static enum rtev_next on_restart(void *ctx, unsigned domain)
{
	return give(ctx, &(struct rtev_event){.kind = EVENT_RESTART, .domain = domain});
}

const struct rtev_callbacks event_sink_calls = {.size = sizeof(event_sink_calls),
    .begin = on_begin,
    .end = on_end,
    .counter = on_counter,
    .alloc = on_alloc,
    .lifecycle = on_lifecycle,
    .user_unit = on_unit,
    .user_int = on_int,
    .user_span = on_span,
    .user_custom = on_custom,
    .lost = on_lost,
    .corrupt = on_corrupt,
    .restart = on_restart};
