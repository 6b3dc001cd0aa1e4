/*
 * test_memtrace_domains.c - several writers of one trace: by domain, behind a mux, and in threads.
 */
#include <pthread.h>

#include "support/made_trace.h"

/* Writers of several domains: ids in chunks from one counter, times of their own, one destination. */
TEST(test_domains)
{
	struct bytes out = {0};
	struct rtev_memtrace_sink sink = bytes_sink(&out);
	struct rtev_memtrace_writer *a, *b, *c;
	struct rtev_memtrace_packet p[16];
	struct rtev_memtrace_writer_options options = made_options;
	struct rtev_memtrace_alloc alloc = {.size = sizeof(alloc), .length = 1, .samples = 1};
	int64_t id;

	options.ids_per_chunk = 10;
	CHECK_INT(rtev_memtrace_writer_create(&a, &sink, &made_info, &options), RTEV_OK);
	CHECK_INT(rtev_memtrace_put_collect(a, START + 100, 1), RTEV_OK);
	CHECK_INT(rtev_memtrace_writer_for_domain(&b, a, 9), RTEV_OK);
	CHECK_INT(rtev_memtrace_writer_for_domain_at(&c, a, 65535, START + 7), RTEV_OK);
	CHECK_INT(rtev_memtrace_put_alloc(b, START + 200, &alloc, &id), RTEV_OK);
	CHECK_INT(id, 10);
	CHECK_INT(rtev_memtrace_put_alloc(c, START + 200, &alloc, &id), RTEV_OK);
	CHECK_INT(id, 20);
	for (int i = 0; i < 11; i++)
		CHECK_INT(rtev_memtrace_put_alloc(a, START + 200, &alloc, &id), RTEV_OK);
	CHECK_INT(id, 30);
	/* The first writer may go before the others. */
	CHECK_INT(rtev_memtrace_writer_flush(a), RTEV_OK);
	rtev_memtrace_writer_destroy(a);
	CHECK_INT(rtev_memtrace_writer_flush(c), RTEV_OK);
	CHECK_INT(rtev_memtrace_writer_flush(b), RTEV_OK);
	rtev_memtrace_writer_destroy(c);
	rtev_memtrace_writer_destroy(b);
	CHECK_INT(list_packets(&out, p, 16), 5);
	CHECK(p[1].domain == 3 && p[2].domain == 3 && p[3].domain == 65535 && p[4].domain == 9);
	CHECK_INT(p[3].time_begin, START + 7);
	CHECK_INT(p[4].time_begin, START + 100);
	CHECK_INT(p[2].alloc_id_begin, 30);

	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	int events = 0;
	CHECK_INT(rtev_memtrace_open_memory(&reader, out.data, out.size, NULL), RTEV_OK);
	while (rtev_memtrace_next(reader, &event) == RTEV_OK)
		events++;
	CHECK_INT(events, 14);
	rtev_memtrace_close(reader);
	bytes_free(&out);
}

/* The mux tells the id that each domain's next allocation has to have. */
TEST(test_mux_ids)
{
	struct bytes out = {0};
	struct rtev_memtrace_sink sink = bytes_sink(&out);
	struct rtev_memtrace_mux *mux;
	struct rtev_memtrace_writer_options options = made_options;
	struct rtev_memtrace_event event = {
	    .size = sizeof(event), .kind = RTEV_MEMTRACE_ALLOC, .length = 1, .samples = 1};
	int64_t last[3] = {-1, -1, -1};
	uint64_t random = 3;
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *read;
	int count = 0;

	options.ids_per_chunk = 4;
	CHECK_INT(rtev_memtrace_mux_create(&mux, &sink, &made_info, &options), RTEV_OK);
	for (int i = 0; i < 200; i++) {
		event.domain = (uint16_t)(next_random(&random) % 3 + 2);
		CHECK_INT(rtev_memtrace_mux_next_id(mux, event.domain, &event.object), RTEV_OK);
		CHECK(event.object > last[event.domain - 2]);
		last[event.domain - 2] = event.object;
		CHECK_INT(rtev_memtrace_mux_put_event(mux, START + i, &event), RTEV_OK);
	}
	CHECK_INT(rtev_memtrace_mux_flush(mux), RTEV_OK);
	rtev_memtrace_mux_destroy(mux);
	rtev_memtrace_mux_destroy(NULL);
	CHECK_INT(rtev_memtrace_open_memory(&reader, out.data, out.size, NULL), RTEV_OK);
	while (rtev_memtrace_next(reader, &read) == RTEV_OK)
		CHECK_INT(read->time, count++);
	CHECK_INT(count, 200);
	rtev_memtrace_close(reader);
	bytes_free(&out);
}

/* Two threads, each with a writer. */
struct worker {
	struct rtev_memtrace_writer *writer;
	unsigned seed;
};

static void *work(void *worker_)
{
	struct worker *worker = worker_;
	uint64_t random = worker->seed;
	int64_t trace[20];

	for (int i = 0; i < 20000; i++) {
		for (int j = 0; j < 20; j++)
			trace[j] = (int64_t)(next_random(&random) % 50) + 10;
		struct rtev_memtrace_alloc alloc = {
		    .size = sizeof(alloc), .length = 4, .samples = 1, .backtrace = trace, .depth = 20};
		CHECK_INT(rtev_memtrace_put_alloc(worker->writer, START + i, &alloc, NULL), RTEV_OK);
	}
	CHECK_INT(rtev_memtrace_writer_flush(worker->writer), RTEV_OK);
	return NULL;
}

TEST(test_threads)
{
	struct bytes out = {0};
	struct rtev_memtrace_sink sink = bytes_sink(&out);
	struct worker workers[2] = {{.seed = 1}, {.seed = 2}};
	pthread_t threads[2];
	struct rtev_memtrace_reader *reader;
	const struct rtev_memtrace_event *event;
	static bool seen[100000];
	int count = 0;

	CHECK_INT(rtev_memtrace_writer_create(&workers[0].writer, &sink, &made_info, &made_options), RTEV_OK);
	CHECK_INT(rtev_memtrace_writer_for_domain(&workers[1].writer, workers[0].writer, 4), RTEV_OK);
	for (int i = 0; i < 2; i++)
		CHECK_INT(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	for (int i = 0; i < 2; i++) {
		CHECK_INT(pthread_join(threads[i], NULL), 0);
		rtev_memtrace_writer_destroy(workers[i].writer);
	}
	CHECK_INT(rtev_memtrace_open_memory(&reader, out.data, out.size, NULL), RTEV_OK);
	int status;
	while ((status = rtev_memtrace_next(reader, &event)) == RTEV_OK) {
		CHECK(event->object >= 0 && event->object < 100000 && !seen[event->object]);
		seen[event->object] = true;
		count++;
	}
	CHECK_INT(status, RTEV_E_MEMTRACE_END);
	CHECK_INT(count, 40000);
	rtev_memtrace_close(reader);
	bytes_free(&out);
}
