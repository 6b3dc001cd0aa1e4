/*
 * fuzz_fxt_writer.c - any sequence of calls, good or bad: what reaches the destination is always a good trace
 * that has the events which the calls accepted.
 *
 * The input is a program: a byte for the buffer's size, then an operation in each byte with what it needs
 * behind it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fxt/format.h"
#include "rtev/fxt_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                                                   \
	do {                                                                                                 \
		if (!(condition))                                                                            \
			abort();                                                                             \
	} while (0)

struct machine {
	const uint8_t *data; /* the program, and how much is left of it */
	size_t size;
	struct rtev_fxt_writer *writer;
	unsigned char *output;
	size_t output_size;
	unsigned writes_left;	     /* until the destination fails */
	rtev_fxt_string strings[64]; /* ids that are defined */
	unsigned string_count;
	unsigned thread_count;
	bool open; /* an event waits for arguments */
	size_t words_left;
	unsigned args_left;
	bool stopped;
	uint64_t events; /* that were accepted and are whole */
};

/* Take a byte of the program; 0 at its end. */
static unsigned take(struct machine *m)
{
	if (m->size == 0)
		return 0;
	m->size--;
	return *m->data++;
}

/* Take a number whose size varies. */
static uint64_t take_number(struct machine *m)
{
	uint64_t number = 0;
	for (unsigned n = take(m) % 9; n > 0; n--)
		number = number << 8 | take(m);
	return number;
}

/* Where the trace goes. */
static int write_output(void *ctx, const void *data, size_t size)
{
	struct machine *m = ctx;
	if (m->writes_left == 0)
		return RTEV_E_FXT_NO_SPACE;
	m->writes_left--;
	unsigned char *grown = realloc(m->output, m->output_size + size);
	REQUIRE(grown != NULL);
	memcpy(grown + m->output_size, data, size);
	m->output = grown;
	m->output_size += size;
	return RTEV_OK;
}

/* Check the status of a call and keep account of what it means for the open event. */
static bool judge(struct machine *m, int status)
{
	switch (status) {
	case RTEV_OK:
		REQUIRE(!m->stopped && !m->open);
		return true;
	case RTEV_E_FXT_ARGS_MISSING:
		REQUIRE(m->open);
		m->open = false;
		break;
	case RTEV_E_FXT_NO_SPACE:
		REQUIRE(!m->stopped && m->writes_left == 0);
		m->stopped = true;
		m->open = false;
		break;
	case RTEV_E_FXT_STOPPED:
		REQUIRE(m->stopped);
		break;
	case RTEV_E_FXT_BUFFER:
		REQUIRE(!m->stopped && !m->open);
		break;
	default:
		/* refused for what was asked: the open event stays open */
		break;
	}
	return false;
}

/* A text of the program's choice. */
static const char *take_text(struct machine *m, size_t *len)
{
	static char text[33000];
	unsigned choice = take(m);
	*len = choice < 250 ? choice % 40 : (size_t)(choice - 250) * 6500;
	memset(text, 'a' + (int)(choice % 26), *len < sizeof(text) ? *len : sizeof(text));
	return text;
}

/* A string id that is defined. */
static rtev_fxt_string some_string(struct machine *m)
{
	unsigned choice = take(m);
	return m->string_count == 0 ? RTEV_FXT_STRING_EMPTY : m->strings[choice % m->string_count];
}

/* Note that an id is defined. */
static void defined(struct machine *m, rtev_fxt_string id)
{
	m->strings[m->string_count < 64 ? m->string_count++ : id % 64] = id;
}

/* Define a string in one of the ways there are. */
static void do_string(struct machine *m)
{
	size_t len;
	unsigned way = take(m);
	int slot = (int)take(m) - 10;
	rtev_fxt_string id = 0;
	const char *text = take_text(m, &len);
	int status = way % 4 == 0   ? rtev_fxt_intern(m->writer, text, len, &id)
		     : way % 4 == 1 ? rtev_fxt_set_temp_slot(m->writer, slot, text, len, &id)
		     : way % 4 == 2 ? rtev_fxt_set_dynamic_slot(m->writer, slot, text, len, &id)
				    : rtev_fxt_set_string(m->writer, slot * 300, text, len, &id);
	if (judge(m, status))
		defined(m, id);
}

/* A sum of argument sizes that fits most events. */
static rtev_fxt_args some_args(struct machine *m, size_t *words, unsigned *count)
{
	rtev_fxt_args args = RTEV_FXT_NO_ARGS;
	*words = 0;
	*count = take(m) % 18;
	for (unsigned i = 0; i < *count; i++) {
		unsigned size = take(m) % 8;
		args += size < 4 ? RTEV_FXT_INT32 : size < 7 ? RTEV_FXT_INT64 : rtev_fxt_inline(20);
		*words += size < 4 ? 1 : size < 7 ? 2 : 4;
	}
	return args;
}

/* Begin a checked event. */
static void do_event(struct machine *m)
{
	size_t words;
	unsigned count;
	rtev_fxt_args args = some_args(m, &words, &count);
	unsigned type = take(m) % 12;
	rtev_fxt_thread thread = (rtev_fxt_thread)(m->thread_count == 0 ? 0 : 1 + take(m) % m->thread_count);
	uint64_t ticks = take_number(m), word = take_number(m);
	rtev_fxt_string category = some_string(m), name = some_string(m);
	int status = rtev_fxt_event(
	    m->writer, (enum rtev_fxt_event_type)type, args, thread, category, name, ticks, word);
	if (!judge(m, status))
		return;
	m->open = count > 0;
	m->words_left = words;
	m->args_left = count;
	m->events += count == 0;
}

/* Write a checked argument, declared or not. */
static void do_arg(struct machine *m)
{
	size_t len = 0, words = 1;
	unsigned type = take(m) % 7;
	rtev_fxt_string name = some_string(m);
	uint64_t value = take_number(m);
	const char *text = take_text(m, &len);
	int status = RTEV_OK;
	if (type == 0)
		status = rtev_fxt_arg_int32(m->writer, name, (int32_t)(uint32_t)value);
	else if (type == 1)
		status = rtev_fxt_arg_bool(m->writer, name, value != 0);
	else if (type == 2)
		status = rtev_fxt_arg_string(m->writer, name, some_string(m));
	else if (type == 3)
		status = rtev_fxt_arg_inline(m->writer, name, text, len);
	else if (type == 4)
		status = rtev_fxt_arg_int64(m->writer, name, (int64_t)value);
	else if (type == 5)
		status = rtev_fxt_arg_pointer(m->writer, name, value);
	else
		status = rtev_fxt_arg_double(m->writer, name, (double)value);
	words += type == 3 ? (len + 7) / 8 : type > 3;
	if (status == RTEV_E_FXT_STRING_LENGTH)
		return;
	bool fits = m->open && m->args_left > 0 && words <= m->words_left;
	REQUIRE(status == (m->stopped ? RTEV_E_FXT_STOPPED : fits ? RTEV_OK : RTEV_E_FXT_ARGS_EXTRA));
	if (status != RTEV_OK)
		return;
	m->words_left -= words;
	m->args_left--;
	if (m->words_left == 0 && m->args_left == 0) {
		m->open = false;
		m->events++;
	}
}

/* Go on with another destination, of another size. */
static void do_set_destination(struct machine *m)
{
	struct rtev_fxt_destination *fresh, *old;
	REQUIRE(rtev_fxt_callback_create(&fresh, 8 + take(m) * 4, write_output, m) == RTEV_OK);
	bool was_stopped = m->stopped;
	m->stopped = false; /* a new destination takes a stopped writer up again */
	bool done = judge(m, rtev_fxt_writer_set_destination(m->writer, fresh, &old));
	m->stopped = m->stopped || (was_stopped && !done);
	REQUIRE(rtev_fxt_destination_close(done ? old : fresh) == RTEV_OK);
}

/* Write whole records as they are: a string, and an event that has its thread, category and name inside. */
static void do_raw(struct machine *m)
{
	static const uint64_t words[] = {0x200020022, 0x6262, 0x8001800100000064, 1, 2, 3, 'c', 'n'};
	unsigned char bytes[sizeof(words)];
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		fxt_store(bytes + i * 8, words[i]);
	if (judge(m, rtev_fxt_write_raw(m->writer, bytes, sizeof(bytes))))
		m->events++;
}

/* Run one operation. */
static void step(struct machine *m)
{
	rtev_fxt_thread thread;
	unsigned slot;
	switch (take(m) % 16) {
	case 0:
		do_string(m);
		break;
	case 1:
		slot = m->thread_count % 300;
		if (judge(m, rtev_fxt_set_thread_slot(m->writer, slot, take_number(m), 1, &thread)))
			m->thread_count = thread;
		break;
	case 2:
		judge(m, rtev_fxt_name_process(m->writer, take_number(m), some_string(m)));
		break;
	case 3:
		judge(m, rtev_fxt_name_thread(m->writer, take_number(m), 1, some_string(m)));
		break;
	case 4:
		judge(m, rtev_fxt_write_tick_rate(m->writer, take_number(m)));
		break;
	case 5:
		judge(
		    m, rtev_fxt_write_ticks(m->writer, &(struct rtev_fxt_ticks){sizeof(struct rtev_fxt_ticks),
							   take_number(m), take_number(m), 1}));
		break;
	case 6:
		judge(m, rtev_fxt_writer_switch_buffer(m->writer));
		break;
	case 7:
		judge(m, rtev_fxt_writer_flush(m->writer));
		break;
	case 8:
		do_set_destination(m);
		break;
	case 9:
		do_raw(m);
		break;
	case 10:
	case 11:
	case 12:
	case 13:
		do_event(m);
		break;
	default:
		do_arg(m);
		break;
	}
}

/* Check that the output is a good trace with the events accepted; with a failure, with no others. */
static void check_output(const struct machine *m, bool failed)
{
	const struct rtev_fxt_reader_options options = {.size = sizeof(options), .allow_base = true};
	struct rtev_fxt_reader *reader;
	const struct rtev_fxt_record *record;
	uint64_t events = 0;
	if (failed && m->output_size == 0)
		return;
	REQUIRE(rtev_fxt_reader_open_memory(&reader, m->output, m->output_size, &options) == RTEV_OK);
	for (;;) {
		REQUIRE(rtev_fxt_reader_next(reader, &record) == RTEV_OK);
		if (record == NULL)
			break;
		events += record->kind == RTEV_FXT_EVENT;
	}
	REQUIRE(failed ? events <= m->events : events == m->events);
	rtev_fxt_reader_destroy(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct machine machine;
	struct machine *m = &machine;
	struct rtev_fxt_destination *destination;
	struct rtev_fxt_writer_options options = RTEV_FXT_WRITER_OPTIONS;
	machine = (struct machine){.data = data, .size = size};
	unsigned buffer = take(m), failure = take(m);
	m->writes_left = failure < 200 ? UINT32_MAX : failure - 200;
	options.keep_strings = failure % 2 == 1;
	size_t bytes = buffer < 200 ? 8 + buffer * 4 : 40000;
	REQUIRE(rtev_fxt_callback_create(&destination, bytes, write_output, m) == RTEV_OK);
	int status = rtev_fxt_writer_create(&m->writer, destination, &options);
	if (status != RTEV_OK) {
		REQUIRE(status == RTEV_E_FXT_BUFFER || status == RTEV_E_FXT_NO_SPACE);
		REQUIRE(rtev_fxt_destination_close(destination) == RTEV_OK);
		free(m->output);
		return 0;
	}
	defined(m, RTEV_FXT_STRING_PROCESS);
	bool ever_failed = false;
	while (m->size > 0) {
		step(m);
		ever_failed = ever_failed || m->stopped;
	}
	status = rtev_fxt_writer_close(m->writer);
	REQUIRE(status == (m->stopped		    ? RTEV_OK
			      : m->writes_left == 0 ? status
			      : m->open		    ? RTEV_E_FXT_ARGS_MISSING
						    : RTEV_OK));
	rtev_fxt_writer_destroy(m->writer);
	check_output(m, ever_failed || m->writes_left == 0);
	free(m->output);
	return 0;
}
