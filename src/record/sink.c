/*
 * sink.c - texts of labels.
 */
#include "record/sink.h"

#include <stdio.h>
#include <string.h>

static const char *const words[RECORD_WORD_COUNT] = {
#define RECORD_WORD_TEXT(name, text) text,
    RECORD_WORD_LIST(RECORD_WORD_TEXT)
#undef RECORD_WORD_TEXT
};

/* Name a bucket by the block sizes that it counts. */
static const char *bucket_text(unsigned bucket, char buf[RTEV_NAME_SIZE])
{
	uint64_t first, last;

	rtev_alloc_bucket_range(bucket, &first, &last);
	if (first == last)
		snprintf(buf, RTEV_NAME_SIZE, "%llu", (unsigned long long)first);
	else if (last == UINT64_MAX)
		snprintf(buf, RTEV_NAME_SIZE, "%llu+", (unsigned long long)first);
	else
		snprintf(
		    buf, RTEV_NAME_SIZE, "%llu-%llu", (unsigned long long)first, (unsigned long long)last);
	return buf;
}

const char *record_label_text(
    const struct model *m, struct record_label label, char buf[RTEV_NAME_SIZE], size_t *len)
{
	const struct model_user_slot *slot;
	const char *text = "";

	switch (label.kind) {
	case RECORD_LABEL_WORD:
		text = words[label.number];
		break;
	case RECORD_LABEL_PHASE:
		text = rtev_phase_name((rtev_phase)label.number, buf);
		break;
	case RECORD_LABEL_COUNTER:
		text = rtev_counter_name((rtev_counter)label.number, buf);
		break;
	case RECORD_LABEL_LIFECYCLE:
		text = rtev_lifecycle_name((rtev_lifecycle)label.number, buf);
		break;
	case RECORD_LABEL_USER:
		slot = model_user_slot(m, label.number);
		*len = slot != NULL ? slot->name_len : 0;
		return slot != NULL ? slot->name : "";
	case RECORD_LABEL_BUCKET:
		text = bucket_text(label.number, buf);
		break;
	case RECORD_LABEL_KINDS:
		break;
	}
	*len = strlen(text);
	return text;
}
