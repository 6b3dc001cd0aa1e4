// install_count.c as a C++ program writes it; and what else of the headers is code: writing a trace, whose functions are
// inline, with the options that a macro makes.
#include <rtev/cursor.h>
#include <rtev/events.h>
#include <rtev/fxt.h>
#include <rtev/fxt_reader.h>
#include <rtev/memtrace.h>
#include <rtev/producer.h>

#include <cstdio>
#include <memory>
#include <vector>

namespace {

// A slice of ten ticks with a number, and an instant; the bytes that they take.
std::size_t trace_size()
{
	std::vector<unsigned char> memory(65536);
	std::size_t used = 0;
	rtev_fxt_destination *destination = nullptr;
	rtev_fxt_writer *writer = nullptr;
	const rtev_fxt_writer_options options = RTEV_FXT_WRITER_OPTIONS;
	rtev_fxt_string name = 0;
	rtev_fxt_thread thread = 0;

	if (rtev_fxt_memory_create(&destination, memory.data(), memory.size(), &used) != RTEV_OK ||
	    rtev_fxt_writer_create(&writer, destination, &options) != RTEV_OK)
		return 0;
	rtev_fxt_intern(writer, "minor", 5, &name);
	rtev_fxt_set_thread_slot(writer, 0, 1, 2, &thread);
	rtev_fxt_duration_complete(writer, RTEV_FXT_INT64, thread, name, name, 10, 20);
	rtev_fxt_arg_int64(writer, name, -1);
	rtev_fxt_instant(writer, RTEV_FXT_NO_ARGS, thread, name, name, rtev_fxt_ticks_now());
	const int status = rtev_fxt_writer_close(writer);
	rtev_fxt_writer_destroy(writer);
	return status == RTEV_OK ? used : 0;
}

rtev_next on_end(void *ctx, unsigned, uint64_t, rtev_phase phase)
{
	*static_cast<unsigned long *>(ctx) += phase == RTEV_PHASE_MINOR;
	return RTEV_CONTINUE;
}

}

int main(int argc, char **argv)
{
	rtev_cursor *opened = nullptr;
	rtev_callbacks calls = {};
	unsigned long minors = 0;

	if (argc != 2 || rtev_cursor_open_path(&opened, argv[1], nullptr) != RTEV_OK || trace_size() == 0)
		return 1;
	const std::unique_ptr<rtev_cursor, int (*)(rtev_cursor *)> cursor(opened, rtev_cursor_close);
	calls.size = sizeof(calls);
	calls.end = on_end;
	rtev_cursor_poll(cursor.get(), &calls, &minors, 0, nullptr);
	std::printf("%lu minor collections\n", minors);
	return 0;
}
