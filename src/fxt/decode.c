/*
 * decode.c - decode the bytes of a record.
 *
 * A decoder reads its record through a *cut*: the words from the current position to the end of the record,
 * or of an argument.  Each read checks that it stays inside, and at the end nothing may be left.  Functions
 * return false after reporting a fault.
 */
#include "core/utf8.h"
#include "fxt/reader.h"

#define STRING_BYTES_MAX 32000 /* as the specification says */
#define THREAD_RUNNING 1       /* thread states: new, running, suspended, blocked, dying, dead */
#define THREAD_STATE_MAX 5

struct cut {
	struct rtev_fxt_reader *reader;
	const unsigned char *at;
	uint64_t words; /* left */
};

/* Report a violation of the format. */
static bool malformed(const struct cut *cut, const char *reason)
{
	return fxt_fault(cut->reader, RTEV_E_FXT_MALFORMED, reason);
}

/* Report a reference to something undefined. */
static bool undefined(const struct cut *cut, const char *reason)
{
	return fxt_fault(cut->reader, RTEV_E_FXT_UNDEFINED, reason);
}

static bool take_word(struct cut *cut, uint64_t *out)
{
	if (cut->words == 0)
		return malformed(cut, "too short for its content");
	*out = fxt_load(cut->at);
	cut->at += 8;
	cut->words--;
	return true;
}

/* Take len bytes and their padding. */
static bool take_bytes(struct cut *cut, uint64_t len, const char **out)
{
	if (len > cut->words * 8)
		return malformed(cut, "too short for its content");
	size_t words = fxt_words_for((size_t)len);
	*out = (const char *)cut->at;
	for (size_t i = (size_t)len; i < words * 8; i++) {
		if (cut->at[i] != 0)
			return malformed(cut, "padding that is not zero");
	}
	cut->at += words * 8;
	cut->words -= words;
	return true;
}

/* Check that bits first to last of a word are zero. */
static bool reserved(const struct cut *cut, uint64_t word, unsigned first, unsigned last)
{
	return fxt_bits(word, first, last) == 0 || malformed(cut, "reserved bits that are not zero");
}

/* Check that nothing is left. */
static bool at_end(const struct cut *cut)
{
	return cut->words == 0 || malformed(cut, "longer than its content");
}

/* Check for UTF-8, unless the options allow other bytes. */
static bool check_utf8(const struct cut *cut, const char *text, size_t len)
{
	uint32_t code;
	size_t size;

	for (size_t i = 0; !cut->reader->allow_bytes && i < len; i += size) {
		if (!utf8_decode(text + i, len - i, &size, &code))
			return malformed(cut, "text that is not UTF-8");
	}
	return true;
}

/* Resolve a string reference; the text of an inline string is taken from the record. */
static bool take_text(struct cut *cut, uint64_t ref, bool utf8, struct rtev_fxt_text *out)
{
	*out = (struct rtev_fxt_text){.data = ""};
	if (ref == 0)
		return true;
	if (ref < FXT_INLINE_MARK) {
		const struct fxt_text_entry *entry =
		    fxt_texts_get(&cut->reader->provider->strings, (uint32_t)ref);
		if (entry == NULL)
			return undefined(cut, "string that was not defined");
		*out = (struct rtev_fxt_text){
		    .data = entry->data, .len = entry->len, .id = (rtev_fxt_string)ref};
		return true;
	}
	out->len = (uint32_t)(ref & RTEV_FXT_STRING_ID_MAX);
	if (out->len > STRING_BYTES_MAX)
		return malformed(cut, "string of more than 32000 bytes");
	return take_bytes(cut, out->len, &out->data) && (!utf8 || check_utf8(cut, out->data, out->len));
}

/* Resolve a thread reference; the ids of an inline thread are taken from the record. */
static bool take_thread(struct cut *cut, uint64_t ref, struct rtev_fxt_thread_ids *out)
{
	if (ref == 0)
		return take_word(cut, &out->pid) && take_word(cut, &out->tid);
	if (!cut->reader->provider->thread_known[ref])
		return undefined(cut, "thread that was not defined");
	*out = cut->reader->provider->threads[ref];
	return true;
}

/* ---- arguments ---- */

/* Take the value of an argument.  The upper half of `header` is part of it. */
static bool take_value(struct cut *cut, uint64_t header, struct rtev_fxt_arg *arg)
{
	uint64_t word = 0, half = header >> 32;
	switch (arg->type) {
	case RTEV_FXT_TYPE_NULL:
		return reserved(cut, header, 32, 63);
	case RTEV_FXT_TYPE_INT32:
		arg->value.i = half < UINT64_C(1) << 31 ? (int64_t)half : (int64_t)half - (INT64_C(1) << 32);
		return true;
	case RTEV_FXT_TYPE_UINT32:
		arg->value.u = half;
		return true;
	case RTEV_FXT_TYPE_BOOL:
		arg->value.b = (half & 1) != 0;
		return reserved(cut, header, 33, 63);
	case RTEV_FXT_TYPE_STRING:
		return reserved(cut, header, 48, 63) && take_text(cut, half & 0xffff, true, &arg->value.text);
	case RTEV_FXT_TYPE_BLOB:
		arg->value.text = (struct rtev_fxt_text){.len = (uint32_t)half};
		return take_bytes(cut, half, &arg->value.text.data);
	case RTEV_FXT_TYPE_INT64:
	case RTEV_FXT_TYPE_UINT64:
	case RTEV_FXT_TYPE_DOUBLE:
	case RTEV_FXT_TYPE_POINTER:
	case RTEV_FXT_TYPE_KOID:
		if (!reserved(cut, header, 32, 63) || !take_word(cut, &word))
			return false;
		memcpy(&arg->value, &word, sizeof(word));
		return true;
	}
	return malformed(cut, "argument type that is not defined");
}

/* Take `count` arguments. */
static bool take_args(struct cut *cut, uint64_t count, struct rtev_fxt_args_read *out)
{
	struct rtev_fxt_arg *list = cut->reader->args;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t header = 0;
		struct cut arg = *cut;
		if (!take_word(&arg, &header))
			return false;
		uint64_t words = fxt_bits(header, 4, 15);
		if (words == 0 || words > cut->words)
			return malformed(cut, "argument whose size does not fit");
		arg.words = words - 1;
		list[i] = (struct rtev_fxt_arg){.type = (enum rtev_fxt_arg_type)fxt_bits(header, 0, 3)};
		if (!take_text(&arg, fxt_bits(header, 16, 31), true, &list[i].name) ||
		    !take_value(&arg, header, &list[i]) || !at_end(&arg))
			return false;
		cut->at += words * 8;
		cut->words -= words;
	}
	*out = (struct rtev_fxt_args_read){.list = list, .count = (unsigned)count};
	return true;
}

/* ---- records, by type; each gets its first word and the cut behind it ---- */

static bool decode_metadata(struct cut *cut, uint64_t header, struct rtev_fxt_record *record)
{
	uint64_t type = fxt_bits(header, 16, 19);
	uint32_t id = (uint32_t)fxt_bits(header, 20, 51);
	if (type == FXT_TRACE_INFO) {
		record->kind = RTEV_FXT_MAGIC;
		return header == FXT_MAGIC || malformed(cut, "trace info that is not the magic word");
	}
	record->u.provider.id = id;
	record->u.provider.name = (struct rtev_fxt_text){.data = ""};
	if (type == FXT_PROVIDER_EVENT) {
		record->kind = RTEV_FXT_PROVIDER_EVENT;
		if (fxt_bits(header, 52, 55) != 0)
			return malformed(cut, "provider event that is not defined");
		return reserved(cut, header, 56, 63);
	}
	const char *name = "";
	size_t len = 0;
	if (type == FXT_PROVIDER_INFO) {
		record->kind = RTEV_FXT_PROVIDER_INFO;
		len = (size_t)fxt_bits(header, 52, 59);
		if (!reserved(cut, header, 60, 63) || !take_bytes(cut, len, &name) ||
		    !check_utf8(cut, name, len))
			return false;
	} else if (type == FXT_PROVIDER_SECTION) {
		record->kind = RTEV_FXT_PROVIDER_SECTION;
		if (!reserved(cut, header, 52, 63))
			return false;
	} else {
		return malformed(cut, "metadata type that is not defined");
	}
	if (!at_end(cut) || !fxt_enter_provider(cut->reader, id))
		return false;
	struct fxt_provider *provider = cut->reader->provider;
	if (type == FXT_PROVIDER_INFO) {
		memcpy(provider->name, name, len);
		provider->name_len = (uint8_t)len;
	}
	record->u.provider.name = (struct rtev_fxt_text){.data = provider->name, .len = provider->name_len};
	return true;
}

/* Decode a ticks record. */
static bool decode_ticks(struct cut *cut, uint64_t header, struct rtev_fxt_record *record)
{
	uint64_t base_time = 0;
	struct rtev_fxt_ticks *rate = &record->u.ticks.rate;
	rate->size = sizeof(*rate);
	record->kind = RTEV_FXT_TICKS;
	if (!reserved(cut, header, 16, 63) || !take_word(cut, &rate->per_second))
		return false;
	if (rate->per_second == 0)
		return malformed(cut, "0 ticks a second");
	if (cut->words == 0 || !cut->reader->allow_base)
		return true;
	record->u.ticks.has_base = true;
	if (!take_word(cut, &rate->base_ticks) || !take_word(cut, &base_time))
		return false;
	memcpy(&rate->base_time, &base_time, sizeof(base_time));
	return true;
}

static bool decode_string(struct cut *cut, uint64_t header, struct rtev_fxt_record *record)
{
	struct rtev_fxt_text *text = &record->u.string;
	record->kind = RTEV_FXT_STRING_RECORD;
	*text = (struct rtev_fxt_text){
	    .id = (rtev_fxt_string)fxt_bits(header, 16, 30), .len = (uint32_t)fxt_bits(header, 32, 46)};
	if (!reserved(cut, header, 31, 31) || !reserved(cut, header, 47, 63))
		return false;
	if (text->len > STRING_BYTES_MAX)
		return malformed(cut, "string of more than 32000 bytes");
	if (!take_bytes(cut, text->len, &text->data) || !check_utf8(cut, text->data, text->len) ||
	    !at_end(cut))
		return false;
	if (text->id != 0 &&
	    fxt_texts_set(&cut->reader->provider->strings, text->id, text->data, text->len) != RTEV_OK)
		return fxt_fault(cut->reader, RTEV_E_NOMEM, "out of memory");
	return true;
}

static bool decode_thread(struct cut *cut, uint64_t header, struct rtev_fxt_record *record)
{
	struct rtev_fxt_thread_ids ids = {0};
	uint8_t index = (uint8_t)fxt_bits(header, 16, 23);
	record->kind = RTEV_FXT_THREAD_RECORD;
	if (!reserved(cut, header, 24, 63) || !take_word(cut, &ids.pid) || !take_word(cut, &ids.tid) ||
	    !at_end(cut))
		return false;
	record->u.thread.index = index;
	record->u.thread.ids = ids;
	if (index != 0) {
		cut->reader->provider->threads[index] = ids;
		cut->reader->provider->thread_known[index] = true;
	}
	return true;
}

static bool decode_event(struct cut *cut, uint64_t header, struct rtev_fxt_record *record)
{
	uint64_t type = fxt_bits(header, 16, 19);
	record->kind = RTEV_FXT_EVENT;
	if (type > RTEV_FXT_FLOW_END)
		return malformed(cut, "event type that is not defined");
	record->u.event.type = (enum rtev_fxt_event_type)type;
	record->u.event.thread_index = (uint8_t)fxt_bits(header, 24, 31);
	if (!take_word(cut, &record->u.event.ticks) ||
	    !take_thread(cut, fxt_bits(header, 24, 31), &record->u.event.thread) ||
	    !take_text(cut, fxt_bits(header, 32, 47), true, &record->u.event.category) ||
	    !take_text(cut, fxt_bits(header, 48, 63), true, &record->u.event.name) ||
	    !take_args(cut, fxt_bits(header, 20, 23), &record->u.event.args))
		return false;
	return !rtev_fxt_event_has_word(record->u.event.type) || take_word(cut, &record->u.event.word);
}

static bool decode_blob(struct cut *cut, uint64_t header, struct rtev_fxt_record *record)
{
	const char *data = "";
	uint64_t size = fxt_bits(header, 32, 46), type = fxt_bits(header, 48, 55);
	record->kind = RTEV_FXT_BLOB;
	if (type < 1 || type > 3)
		return malformed(cut, "blob type that is not defined");
	record->u.blob.type = (uint8_t)type;
	if (!reserved(cut, header, 47, 47) || !reserved(cut, header, 56, 63) ||
	    !take_text(cut, fxt_bits(header, 16, 31), true, &record->u.blob.name) ||
	    !take_bytes(cut, size, &data))
		return false;
	record->u.blob.category = (struct rtev_fxt_text){.data = ""};
	record->u.blob.data = data;
	record->u.blob.size = size;
	return true;
}

/* Decode a user object.  The record contains only the process of an inline thread. */
static bool decode_user_object(struct cut *cut, uint64_t header, struct rtev_fxt_record *record)
{
	struct rtev_fxt_thread_ids thread = {0};
	uint64_t ref = fxt_bits(header, 16, 23);
	record->kind = RTEV_FXT_USER_OBJECT;
	if (!reserved(cut, header, 44, 63) || !take_word(cut, &record->u.object.id))
		return false;
	if (ref == 0 ? !take_word(cut, &thread.pid) : !take_thread(cut, ref, &thread))
		return false;
	record->u.object.pid = thread.pid;
	return take_text(cut, fxt_bits(header, 24, 39), true, &record->u.object.name) &&
	       take_args(cut, fxt_bits(header, 40, 43), &record->u.object.args);
}

/* Decode a kernel object and the thread or process that it belongs to. */
static bool decode_kernel_object(struct cut *cut, uint64_t header, struct rtev_fxt_record *record)
{
	record->kind = RTEV_FXT_KERNEL_OBJECT;
	record->u.object.type = (uint8_t)fxt_bits(header, 16, 23);
	if (!reserved(cut, header, 44, 63) || !take_word(cut, &record->u.object.id) ||
	    !take_text(cut, fxt_bits(header, 24, 39), false, &record->u.object.name) ||
	    !take_args(cut, fxt_bits(header, 40, 43), &record->u.object.args))
		return false;
	for (unsigned i = 0; i < record->u.object.args.count; i++) {
		const struct rtev_fxt_arg *arg = &record->u.object.args.list[i];
		if (record->u.object.type == RTEV_FXT_OBJECT_THREAD && arg->type == RTEV_FXT_TYPE_KOID &&
		    arg->name.len == strlen("process") &&
		    memcmp(arg->name.data, "process", arg->name.len) == 0)
			record->u.object.pid = arg->value.u;
	}
	return true;
}

/* Check that the format defines a thread state. */
static bool check_state(const struct cut *cut, uint64_t state)
{
	return state <= THREAD_STATE_MAX || malformed(cut, "thread state that is not defined");
}

/* Decode a legacy context switch.  Its outgoing thread can't be running. */
static bool decode_legacy_switch(struct cut *cut, uint64_t header, struct rtev_fxt_record *record)
{
	record->u.scheduling.cpu = (uint16_t)fxt_bits(header, 16, 23);
	record->u.scheduling.outgoing_state = (uint8_t)fxt_bits(header, 24, 27);
	record->u.scheduling.outgoing_priority = (uint8_t)fxt_bits(header, 44, 51);
	record->u.scheduling.incoming_priority = (uint8_t)fxt_bits(header, 52, 59);
	if (record->u.scheduling.outgoing_state == THREAD_RUNNING)
		return malformed(cut, "outgoing thread that runs on");
	return check_state(cut, fxt_bits(header, 24, 27)) && take_word(cut, &record->u.scheduling.ticks) &&
	       take_thread(cut, fxt_bits(header, 28, 35), &record->u.scheduling.outgoing) &&
	       take_thread(cut, fxt_bits(header, 36, 43), &record->u.scheduling.incoming);
}

static bool decode_scheduling(struct cut *cut, uint64_t header, struct rtev_fxt_record *record)
{
	uint64_t type = fxt_bits(header, 60, 63);
	record->kind = RTEV_FXT_SCHEDULING;
	record->u.scheduling.type = (uint8_t)type;
	if (type == 0)
		return decode_legacy_switch(cut, header, record);
	if (type > 2)
		return malformed(cut, "scheduling type that is not defined");
	record->u.scheduling.cpu = (uint16_t)fxt_bits(header, 20, 35);
	if (!reserved(cut, header, type == 1 ? 40 : 36, 59) || !take_word(cut, &record->u.scheduling.ticks))
		return false;
	if (type == 1) {
		record->u.scheduling.outgoing_state = (uint8_t)fxt_bits(header, 36, 39);
		if (!check_state(cut, fxt_bits(header, 36, 39)) ||
		    !take_word(cut, &record->u.scheduling.outgoing.tid))
			return false;
	}
	return take_word(cut, &record->u.scheduling.incoming.tid) &&
	       take_args(cut, fxt_bits(header, 16, 19), &record->u.scheduling.args);
}

static bool decode_log(struct cut *cut, uint64_t header, struct rtev_fxt_record *record)
{
	struct rtev_fxt_text *message = &record->u.log.message;
	record->kind = RTEV_FXT_LOG;
	message->len = (uint32_t)fxt_bits(header, 16, 30);
	return reserved(cut, header, 31, 31) && reserved(cut, header, 40, 63) &&
	       take_word(cut, &record->u.log.ticks) &&
	       take_thread(cut, fxt_bits(header, 32, 39), &record->u.log.thread) &&
	       take_bytes(cut, message->len, &message->data) && check_utf8(cut, message->data, message->len);
}

static bool decode_large(struct cut *cut, uint64_t header, struct rtev_fxt_record *record)
{
	uint64_t info = 0, format = fxt_bits(header, 40, 43);
	const char *data = "";
	record->kind = RTEV_FXT_LARGE_BLOB;
	record->u.blob.type = (uint8_t)format;
	if (fxt_bits(header, 36, 39) != 0 || format > 1)
		return malformed(cut, "large record type that is not defined");
	if (!reserved(cut, header, 44, 63) || !take_word(cut, &info) ||
	    !reserved(cut, info, format == 0 ? 44 : 32, 63) ||
	    !take_text(cut, fxt_bits(info, 0, 15), true, &record->u.blob.category) ||
	    !take_text(cut, fxt_bits(info, 16, 31), true, &record->u.blob.name))
		return false;
	if (format == 0 && (!take_word(cut, &record->u.blob.ticks) ||
			       !take_thread(cut, fxt_bits(info, 36, 43), &record->u.blob.thread) ||
			       !take_args(cut, fxt_bits(info, 32, 35), &record->u.blob.args)))
		return false;
	if (!take_word(cut, &record->u.blob.size) || !take_bytes(cut, record->u.blob.size, &data))
		return false;
	record->u.blob.data = data;
	return true;
}

typedef bool decode_function(struct cut *cut, uint64_t header, struct rtev_fxt_record *record);

bool fxt_decode(struct rtev_fxt_reader *reader)
{
	static decode_function *const by_type[16] = {
	    [FXT_METADATA] = decode_metadata,
	    [FXT_INITIALIZATION] = decode_ticks,
	    [FXT_STRING] = decode_string,
	    [FXT_THREAD] = decode_thread,
	    [FXT_EVENT] = decode_event,
	    [FXT_BLOB] = decode_blob,
	    [FXT_USER_OBJECT] = decode_user_object,
	    [FXT_KERNEL_OBJECT] = decode_kernel_object,
	    [FXT_SCHEDULING] = decode_scheduling,
	    [FXT_LOG] = decode_log,
	    [FXT_LARGE] = decode_large,
	};
	struct rtev_fxt_record *record = &reader->record;
	struct cut cut = {.reader = reader, .at = record->bytes, .words = record->size / 8};
	uint64_t header = 0;
	return take_word(&cut, &header) && by_type[header & 15](&cut, header, record) && at_end(&cut);
}
