/*
 * copy.c - copy a trace packet by packet.
 *
 * Each packet of the copy has the start time, the first object id and the end of the original packet, so the
 * copy also keeps the order of packets of different domains.  The writers generate the location packets
 * themselves.
 */
#include <inttypes.h>

#include "memtrace/domains.h"
#include "memtrace/read.h"
#include "memtrace/write.h"

struct copy {
	struct rtev_memtrace_reader *reader;
	struct mt_domains domains;	     /* one writer for each domain */
	struct rtev_memtrace_writer *parent; /* the writer of the initial domain */
	struct rtev_memtrace_writer *writer; /* the writer of the current packet */
	int status;			     /* the first failure in on_packet */
};

static void destroy_writer(void *writer)
{
	rtev_memtrace_writer_destroy(writer);
}

/* Make a domain's writer current; create it on first use. */
static int use_domain(struct copy *copy, uint16_t domain)
{
	void **place = mt_domains_at(&copy->domains, domain);

	if (place == NULL)
		return RTEV_E_NOMEM;
	if (*place == NULL) {
		struct rtev_memtrace_writer *writer;
		int status = rtev_memtrace_writer_for_domain_at(
		    &writer, copy->parent, domain, copy->reader->info.start_time);
		if (status != RTEV_OK)
			return status;
		*place = writer;
	}
	copy->writer = *place;
	return RTEV_OK;
}

/* Packet hook: start or end the packet of the copy that corresponds to `packet`. */
static void on_packet(void *ctx, const struct rtev_memtrace_packet *packet, bool begin)
{
	struct copy *copy = ctx;

	if (copy->status != RTEV_OK)
		return;
	if (begin) {
		copy->status = use_domain(copy, packet->domain);
		if (copy->status == RTEV_OK)
			mt_writer_restart(copy->writer, packet->time_begin,
			    mt_word((uint64_t)packet->alloc_id_begin), INT64_MAX);
	} else if (packet->events || packet->locations == 0) {
		copy->status = rtev_memtrace_writer_flush(copy->writer);
	}
}

/* The writer's locate callback: look the code up in the reader. */
static size_t locate(void *ctx, int64_t code, size_t index, const struct rtev_memtrace_location **out)
{
	const struct rtev_memtrace_reader *reader = ctx;
	size_t count;

	(void)index;
	rtev_memtrace_lookup(reader, code, out, &count);
	return count;
}

static int put_event(struct copy *copy, const struct rtev_memtrace_event *event)
{
	const struct rtev_memtrace_reader *reader = copy->reader;
	int64_t time = (int64_t)((uint64_t)reader->info.start_time + (uint64_t)event->time);

	if (event->kind != RTEV_MEMTRACE_ALLOC)
		return rtev_memtrace_put_event(copy->writer, time, event);
	/* Copy the codes that the trace contains.  After a backtrace that the tracer truncated, they can
	 * differ from the codes that the reader returns. */
	bool beyond = event->common_prefix > (int64_t)event->unchanged;
	struct rtev_memtrace_alloc alloc = {.length = event->length,
	    .samples = event->samples,
	    .source = event->source,
	    .backtrace = event->backtrace + event->unchanged,
	    .depth = (beyond ? reader->past_depth : event->depth) - event->unchanged};
	return mt_writer_put_raw(
	    copy->writer, time, &alloc, reader->code != MT_EVENT_ALLOC, event->common_prefix);
}

static int copy_events(struct copy *copy)
{
	const struct rtev_memtrace_event *event;
	int status = RTEV_OK;

	while (status == RTEV_OK && copy->status == RTEV_OK) {
		status = rtev_memtrace_next(copy->reader, &event);
		if (status == RTEV_OK && copy->status == RTEV_OK)
			status = put_event(copy, event);
	}
	if (copy->status != RTEV_OK)
		return copy->status;
	if (status == RTEV_E_MEMTRACE_END)
		return RTEV_OK;
	/* Reading failed inside a packet: keep the events read so far. */
	if (copy->reader->in_packet)
		rtev_memtrace_writer_flush(copy->writer);
	return status;
}

int rtev_memtrace_copy(struct rtev_memtrace_reader *reader, const struct rtev_memtrace_sink *sink)
{
	struct copy copy = {.reader = reader};
	struct rtev_memtrace_writer_options options = {
	    .size = sizeof(options), .ctx = reader, .locate = locate};

	if (reader->skip_backtraces)
		return RTEV_E_INVALID;
	void **place = mt_domains_at(&copy.domains, reader->info.initial_domain);
	int status = place == NULL ? RTEV_E_NOMEM
				   : rtev_memtrace_writer_create(&copy.parent, sink, &reader->info, &options);
	if (status == RTEV_OK) {
		*place = copy.parent;
		reader->hooks[1] = (struct mt_packet_hook){&copy, on_packet};
		status = copy_events(&copy);
		reader->hooks[1].packet = NULL;
	}
	mt_domains_fini(&copy.domains, destroy_writer);
	return status;
}
