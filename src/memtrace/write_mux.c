/*
 * write_mux.c - write the events of several domains from one thread.
 */
#include <stdlib.h>

#include "core/sized.h"
#include "memtrace/domains.h"
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

/* Make a domain's writer current.  Flush the old one first; create the new one on first use. */
static int use_domain(struct rtev_memtrace_mux *mux, uint16_t domain)
{
	if (mux->last->domain == domain)
		return RTEV_OK;
	void **place = mt_domains_at(&mux->domains, domain);
	if (place == NULL)
		return RTEV_E_NOMEM;
	int status = rtev_memtrace_writer_flush(mux->last);
	if (status != RTEV_OK)
		return status;
	if (*place == NULL) {
		struct rtev_memtrace_writer *writer;
		status = rtev_memtrace_writer_for_domain_at(&writer, mux->last, domain, mux->start_time);
		if (status != RTEV_OK)
			return status;
		*place = writer;
	}
	mux->last = *place;
	return RTEV_OK;
}

int rtev_memtrace_mux_put_event(
    struct rtev_memtrace_mux *mux, int64_t time, const struct rtev_memtrace_event *given)
{
	struct rtev_memtrace_event room;
	const struct rtev_memtrace_event *event = sized_view(&room, sizeof(room), given);

	if (event == NULL)
		return RTEV_E_INVALID;
	int status = use_domain(mux, event->domain);
	return status == RTEV_OK ? rtev_memtrace_put_event(mux->last, time, given) : status;
}

int rtev_memtrace_mux_flush(struct rtev_memtrace_mux *mux)
{
	return rtev_memtrace_writer_flush(mux->last);
}

int rtev_memtrace_mux_next_id(struct rtev_memtrace_mux *mux, uint16_t domain, int64_t *id)
{
	int status = use_domain(mux, domain);

	if (status == RTEV_OK && mux->last->id_next == mux->last->id_last)
		status = rtev_memtrace_writer_flush(mux->last);
	*id = mux->last->id_next;
	return status;
}
