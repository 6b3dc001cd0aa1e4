/*
 * write_mux.c - write the events of several domains from one thread, and copy a trace packet by packet.
 *
 * Each packet of a copy has the start time, the first object id and the end of the original packet, so the copy
 * also keeps the order of packets of different domains.  The writers generate the location packets themselves.
 */
#include "core/sized.h"
#include "memtrace/read.h"
#include "memtrace/write.h"

/* Only `last`, the writer of the domain used last, may hold unflushed events. */
struct rtev_memtrace_mux {
	struct rtev_memtrace_writer *last;
	int64_t start_time;
	struct mt_domains domains;
};

static void destroy_writer(void *writer)
{
	rtev_memtrace_writer_destroy(writer);
}

int rtev_memtrace_mux_create(struct rtev_memtrace_mux **out, const struct rtev_memtrace_sink *sink,
    const struct rtev_memtrace_info *given, const struct rtev_memtrace_writer_options *options)
{
	int status = RTEV_E_NOMEM;
	struct rtev_memtrace_info room;
	const struct rtev_memtrace_info *info = sized_view(&room, sizeof(room), given);

	*out = NULL;
	if (info == NULL)
		return RTEV_E_INVALID;
	struct rtev_memtrace_mux *mux = calloc(1, sizeof(*mux));
	if (mux == NULL)
		return status;
	void **place = mt_domains_at(&mux->domains, info->initial_domain);
	if (place == NULL)
		goto fail;
	status = rtev_memtrace_writer_create(&mux->last, sink, info, options);
	if (status != RTEV_OK)
		goto fail;
	*place = mux->last;
	mux->start_time = info->start_time;
	*out = mux;
	return RTEV_OK;
fail:
	rtev_memtrace_mux_destroy(mux);
	return status;
}

void rtev_memtrace_mux_destroy(struct rtev_memtrace_mux *mux)
{
	if (mux == NULL)
		return;
	mt_domains_fini(&mux->domains, destroy_writer);
	free(mux);
}

/* Make a domain's writer current; create it on first use. */
static int use_domain(struct rtev_memtrace_mux *mux, uint16_t domain)
{
	void **place = mt_domains_at(&mux->domains, domain);

	if (place == NULL)
		return RTEV_E_NOMEM;
	if (*place == NULL) {
		struct rtev_memtrace_writer *writer;
		int status = rtev_memtrace_writer_for_domain_at(&writer, mux->last, domain, mux->start_time);
		if (status != RTEV_OK)
			return status;
		*place = writer;
	}
	mux->last = *place;
	return RTEV_OK;
}

/* Make a domain's writer the current one, after the writer before it was flushed. */
static int change_domain(struct rtev_memtrace_mux *mux, uint16_t domain)
{
	if (mux->last->domain == domain)
		return RTEV_OK;
	int status = rtev_memtrace_writer_flush(mux->last);
	return status == RTEV_OK ? use_domain(mux, domain) : status;
}

int rtev_memtrace_mux_put_event(
    struct rtev_memtrace_mux *mux, int64_t time, const struct rtev_memtrace_event *given)
{
	struct rtev_memtrace_event room;
	const struct rtev_memtrace_event *event = sized_view(&room, sizeof(room), given);

	if (event == NULL)
		return RTEV_E_INVALID;
	int status = change_domain(mux, event->domain);
	return status == RTEV_OK ? rtev_memtrace_put_event(mux->last, time, given) : status;
}

int rtev_memtrace_mux_flush(struct rtev_memtrace_mux *mux)
{
	return rtev_memtrace_writer_flush(mux->last);
}

int rtev_memtrace_mux_next_id(struct rtev_memtrace_mux *mux, uint16_t domain, int64_t *id)
{
	int status = change_domain(mux, domain);

	if (status == RTEV_OK && mux->last->id_next == mux->last->id_last)
		status = rtev_memtrace_writer_flush(mux->last);
	*id = mux->last->id_next;
	return status;
}

/* ---- the copy ---- */

struct copy {
	struct rtev_memtrace_reader *reader;
	struct rtev_memtrace_mux *mux; /* its last writer is that of the current packet */
	int status;		       /* the first failure in on_packet */
};

/* Packet hook: start or end the packet of the copy that corresponds to `packet`. */
static void on_packet(void *ctx, const struct rtev_memtrace_packet *packet, bool begin)
{
	struct copy *copy = ctx;

	if (copy->status != RTEV_OK)
		return;
	if (begin) {
		copy->status = use_domain(copy->mux, packet->domain);
		if (copy->status == RTEV_OK)
			mt_writer_restart(copy->mux->last, packet->time_begin,
			    mt_word((uint64_t)packet->alloc_id_begin), INT64_MAX);
	} else if (packet->events || packet->locations == 0) {
		copy->status = rtev_memtrace_writer_flush(copy->mux->last);
	}
}

/* The writer's locate callback: look the code up in the reader. */
static size_t locate(void *ctx, int64_t code, size_t index, const struct rtev_memtrace_location **out)
{
	const struct rtev_memtrace_reader *reader = ctx;
	size_t count;

	rtev_memtrace_lookup(reader, code, out, &count);
	return count;
}

static int put_event(struct copy *copy, const struct rtev_memtrace_event *event)
{
	const struct rtev_memtrace_reader *reader = copy->reader;
	int64_t time = (int64_t)((uint64_t)reader->info.start_time + (uint64_t)event->time);

	if (event->kind != RTEV_MEMTRACE_ALLOC)
		return rtev_memtrace_put_event(copy->mux->last, time, event);
	/* Copy the codes that the trace contains.  After a backtrace that the tracer truncated, they can
	 * differ from the codes that the reader returns. */
	bool beyond = event->common_prefix > (int64_t)event->unchanged;
	struct rtev_memtrace_alloc alloc = {.length = event->length,
	    .samples = event->samples,
	    .source = event->source,
	    .backtrace = event->backtrace + event->unchanged,
	    .depth = (beyond ? reader->past_depth : event->depth) - event->unchanged};
	return mt_writer_put_raw(
	    copy->mux->last, time, &alloc, reader->code != MT_EVENT_ALLOC, event->common_prefix);
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
		rtev_memtrace_writer_flush(copy->mux->last);
	return status;
}

int rtev_memtrace_copy(struct rtev_memtrace_reader *reader, const struct rtev_memtrace_sink *sink)
{
	struct copy copy = {.reader = reader};
	struct rtev_memtrace_writer_options options = {
	    .size = sizeof(options), .ctx = reader, .locate = locate};

	if (reader->skip_backtraces)
		return RTEV_E_INVALID;
	int status = rtev_memtrace_mux_create(&copy.mux, sink, &reader->info, &options);
	if (status == RTEV_OK) {
		reader->hooks[1] = (struct mt_packet_hook){&copy, on_packet};
		status = copy_events(&copy);
		reader->hooks[1].packet = NULL;
		rtev_memtrace_mux_destroy(copy.mux);
	}
	return status;
}
