/*
 * still.c - copy a subject.
 */
#include "ui/still.h"

#include <stdlib.h>
#include <string.h>

#include "model/copy.h"

/* Copied texts; freed with the still. */
#define TEXTS_MAX 12

struct still {
	struct subject subject;
	struct subject_replay replay;
	uint64_t *unread;
	char *output;
	struct advice *advice;
	char *texts[TEXTS_MAX];
	unsigned text_count;
};

/* Copy a text; NULL of NULL. */
static const char *text_copy(struct still *still, const char *text, bool *ok)
{
	if (text == NULL)
		return NULL;
	char *copy = copy_bytes(text, strlen(text) + 1, ok);
	still->texts[still->text_count++] = copy;
	return copy;
}

/* Copy all texts of the subject. */
static void texts_copy(struct still *still, bool *ok)
{
	struct subject *s = &still->subject;
	const char **texts[] = {
	    &s->clock, &s->name, &s->ocaml, &s->ocaml_from, &s->path, &s->tracing_why, &still->replay.date};

	_Static_assert(sizeof(texts) / sizeof(texts[0]) <= TEXTS_MAX, "there is room for all texts");
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		*texts[i] = text_copy(still, *texts[i], ok);
}

struct still *still_create(const struct subject *subject)
{
	struct still *still = calloc(1, sizeof(*still));
	bool ok = true;

	if (still == NULL)
		return NULL;
	struct subject *s = &still->subject;
	*s = *subject;
	/* The process list is never frozen. */
	s->processes = NULL;
	s->process_count = 0;
	if (subject->replay != NULL) {
		still->replay = *subject->replay;
		s->replay = &still->replay;
	}
	texts_copy(still, &ok);
	s->unread = still->unread =
	    copy_bytes(subject->unread, subject->unread_count * sizeof(*subject->unread), &ok);
	s->output = still->output = copy_bytes(subject->output, subject->output_len, &ok);
	s->watch = NULL;
	if (ok && subject->watch != NULL)
		s->watch = watch_copy(subject->watch);
	s->advice = NULL;
	if (ok && subject->advice != NULL) {
		s->advice = still->advice = advice_copy(subject->advice);
		ok = still->advice != NULL;
	}
	if (ok && (subject->watch == NULL || s->watch != NULL))
		return still;
	still_destroy(still);
	return NULL;
}

void still_destroy(struct still *still)
{
	if (still == NULL)
		return;
	for (unsigned i = 0; i < still->text_count; i++)
		free(still->texts[i]);
	free(still->unread);
	free(still->output);
	watch_destroy(still->subject.watch);
	advice_destroy(still->advice);
	free(still);
}

struct subject still_subject(const struct still *still, const struct subject *now)
{
	struct subject s = still->subject;

	s.notice = now->notice;
	s.trace = now->trace;
	s.recording = now->recording;
	s.recording_ns = s.recording_bytes = 0;
	s.pause_ns = now->pause_ns;
	s.pause_files = 0;
	s.files = now->files;
	if (s.file_count > now->file_count)
		s.file_count = now->file_count;
	return s;
}
