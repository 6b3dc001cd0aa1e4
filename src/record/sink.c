/*
 * sink.c - texts of labels.
 */
#include "record/sink.h"

#include "core/utf8.h"

static const char *const words[RECORD_WORD_COUNT] = {RECORD_WORD_LIST(LIST_TEXT)};

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
	case RECORD_LABEL_FIBER:
	case RECORD_LABEL_CODE:
		*len = label.len;
		return label.text;
	case RECORD_LABEL_KINDS:
		break;
	}
	*len = strlen(text);
	return text;
}

/* ---- text ---- */

size_t record_text_clean(char *to, const char *text, size_t len)
{
	size_t used = 0, size;
	uint32_t code;

	while (len > 0) {
		bool valid = utf8_decode(text, len, &size, &code);
		const char *as = valid ? text : "\xef\xbf\xbd";
		size_t length = valid ? size : 3;
		memcpy(to + used, as, length);
		used += length;
		text += valid ? size : 1;
		len -= valid ? size : 1;
	}
	return used;
}

bool record_text_printable(const void *data, size_t len)
{
	const unsigned char *s = data;
	uint32_t code;
	size_t size;

	for (size_t i = 0; i < len; i += size) {
		if (!utf8_decode(s + i, len - i, &size, &code) ||
		    (code < 0x20 && code != '\t' && code != '\n' && code != '\r') ||
		    (code >= 0x7f && code < 0xa0))
			return false;
	}
	return true;
}

void record_text_hex(char *to, const void *data, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *s = data;

	for (size_t i = 0; i < len; i++) {
		to[2 * i] = digits[s[i] >> 4];
		to[2 * i + 1] = digits[s[i] & 15];
	}
}
