/*
 * making.h - recordings of made-up events for tests: begun, ended, and their traces judged.
 */
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include "fibers/schedulers.h"
#include "record/tracks.h"
#include "support/fxt_parser.h"
#include "support/model_feed.h"

/* The file, one for each test program. */
static inline const char *making_path(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "making.%ld.tmp", (long)getpid());
	return path;
}

/* A recording being made. */
struct making {
	struct feed f;
	struct disk *disk;
	struct tracks *record;
	struct schedulers *schedulers;
};

/* For how long the machine has slept. */
static uint64_t making_slept;

/* Whose recording it is: a name of any bytes. */
static inline void making_subject(void *ctx, struct record_subject *out)
{
	*out = (struct record_subject){.pid = 77,
	    .name = "odd\xff\x01name",
	    .base_ts = 5,
	    .base_boot = 5 + making_slept,
	    .base_wall = 1700000000000000000};
}

/* Begin to record what a feed has from now on, in either form. */
static inline struct making making_join(struct feed f, bool json)
{
	struct making k = {.f = f};
	const struct disk_file file = {.fd = open(making_path(), O_WRONLY | O_CREAT | O_TRUNC, 0600),
	    .tail = json ? RECORD_JSON_TAIL : RECORD_FXT_TAIL};

	CHECK(file.fd >= 0);
	CHECK_INT(disk_create(&k.disk, &file, RECORD_BUFFER, 8), 0);
	struct record_sink *sink =
	    json ? record_json_create(k.disk, k.f.m) : record_fxt_create(k.disk, k.f.m);
	CHECK(sink != NULL);
	k.schedulers = schedulers_create(k.f.m);
	CHECK(k.schedulers != NULL);
	k.record = tracks_create(sink, k.f.m, k.schedulers, making_subject, NULL);
	CHECK(k.record != NULL);
	return k;
}

/* Begin one of a new feed. */
static inline struct making making_open(bool json)
{
	return making_join(feed_open(0), json);
}

/* End it while its feed goes on; the file's bytes. */
static inline unsigned char *making_leave(struct making *k, uint64_t stamp, size_t *size)
{
	CHECK_INT(tracks_finish(k->record, stamp), RTEV_OK);
	model_unobserve(k->f.m, k->schedulers);
	schedulers_destroy(k->schedulers);
	CHECK_INT(disk_close(k->disk).error, 0);
	unsigned char *data = bytes_of_file(making_path(), size);
	CHECK(data != NULL);
	unlink(making_path());
	return data;
}

/* End it and its feed; the file's bytes. */
static inline unsigned char *making_close(struct making *k, uint64_t stamp, size_t *size)
{
	model_finish(k->f.m);
	unsigned char *data = making_leave(k, stamp, size);
	feed_close(&k->f);
	return data;
}

/* Judge a trace, which is freed; the inspection is the caller's. */
static inline struct fxt_inspection *making_inspect(
    unsigned char *data, size_t size, fxt_record_fn *also, void *ctx)
{
	const struct rtev_fxt_reader_options options = {.size = sizeof(options), .allow_base = true};
	struct fxt_inspection *inspection = fxt_inspection_create();

	struct fxt_walk walk = fxt_walk_memory(data, size, &options, fxt_inspect, inspection);
	if (walk.status != RTEV_OK)
		TEST_FAIL("byte %" PRIu64 ": %s", walk.offset, walk.reason);
	if (also != NULL)
		fxt_walk_memory(data, size, &options, also, ctx);
	free(data);
	struct fxt_findings found = fxt_inspection_finish(inspection);
	CHECK_INT(found.overlaps, 0);
	CHECK_INT(found.backward, 0);
	CHECK_INT(found.open_asyncs + found.stray_asyncs + found.crossed_asyncs, 0);
	CHECK_INT(found.bad_counters, 0);
	CHECK_INT(found.stray_flows, 0);
	CHECK_INT(found.events[RTEV_FXT_FLOW_BEGIN], found.events[RTEV_FXT_FLOW_END]);
	return inspection;
}

/* End it with its feed and judge the trace. */
static inline struct fxt_inspection *making_judge(
    struct making *k, uint64_t stamp, fxt_record_fn *also, void *ctx)
{
	size_t size;
	unsigned char *data = making_close(k, stamp, &size);

	return making_inspect(data, size, also, ctx);
}
