/*
 * trail_tool.c - what the trail of a recording delivers, for comparison with what its ring delivered.
 *
 *   trail_tool stats FILE.fxt          as `rtevtop stats --json` of the ring
 *   trail_tool log FILE.fxt            as `rtevtop log --json`, in the order of time
 *   trail_tool from N FILE.fxt         the spans that end in the last of N parts of its time, when reading
 *                                      begins there
 *   trail_tool whole N FILE.fxt        the same when reading begins at the start
 *
 * Status 1 when the recording is damaged.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/commands/log_lines.h"
#include "app/commands/stats_report.h"
#include "trail/reader.h"

/* From here on spans are printed. */
static uint64_t print_from;

/* A resume. */
static void on_resume(void *ctx, uint64_t ts)
{
	model_resume_at(ctx, ts);
}

/* Another ring. */
static void on_reopened(void *ctx)
{
	model_reattach(ctx);
}

/* What a log makes of them: nothing. */
static void no_resume(void *ctx, uint64_t ts)
{
}

static void no_reopened(void *ctx)
{
}

/* Print a span of the last part. */
static void print_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	if (span->end >= print_from)
		printf("%u %u %llu %llu %u %d\n", domain, span->phase, (unsigned long long)span->begin,
		    (unsigned long long)span->end, span->depth, span->pause);
}

/* Print a user span of the last part. */
static void print_user(void *ctx, unsigned domain, const struct model_user_event *e)
{
	if (e->what == MODEL_USER_CLOSED && e->ts >= print_from)
		printf(
		    "%u user %llu %llu\n", domain, (unsigned long long)e->begin, (unsigned long long)e->ts);
}

/* Deliver everything from `since` on. */
static void feed(struct trail *t, const struct trail_sink *sink, uint64_t since)
{
	struct trail_info info;
	uint64_t key, last = 0;

	trail_rewind(t, since);
	trail_info(t, &info);
	/* Odd portions, so that reading stops everywhere. */
	while (trail_next(t, &key)) {
		if (key < last)
			exit(3);
		last = key;
		trail_feed(t, sink, key + 1000, 7);
	}
}

/* Print the figures of a model. */
static void print_stats(const struct trail_info *info, struct model *m, struct out *out)
{
	struct stats_subject subject = {.pid = info->about.live ? info->about.pid : 0,
	    .name = info->about.name,
	    .ocaml = info->about.ocaml[0] != '\0' ? info->about.ocaml : NULL,
	    .ocaml_from = info->about.ocaml_from};

	if (info->about.live)
		model_set_now(m, info->end);
	model_finish(m);
	const struct model_totals t = model_totals(m);
	subject.duration_ns = info->about.live ? t.now - info->about.attach_ts : t.last_ts - t.first_ts;
	if (!stats_print_json(out, m, &subject))
		exit(1);
}

/* Do what a word asks for. */
static void act(const char *word, struct trail *t, unsigned parts, struct out *out)
{
	struct trail_sink sink = {.resume = on_resume, .reopened = on_reopened};
	struct trail_info info;

	trail_info(t, &info);
	if (strcmp(word, "log") == 0) {
		struct log *log = log_create(out, &(struct log_options){.json = true});
		struct event_sink into = {.take = log_take, .ctx = log};
		sink.calls = event_sink_calls;
		sink.ctx = &into;
		sink.resume = no_resume;
		sink.reopened = no_reopened;
		feed(t, &sink, 0);
		log_destroy(log);
		return;
	}
	struct model *m = model_create(&(struct model_options){.attach_ts = info.about.attach_ts});
	model_callbacks(&sink.calls);
	sink.ctx = m;
	print_from = info.end - (info.end - info.start) / parts;
	if (strcmp(word, "stats") != 0)
		model_observe(
		    m, &(struct model_observer){.ctx = m, .closed = print_closed, .user = print_user});
	feed(t, &sink, strcmp(word, "from") == 0 ? print_from : 0);
	if (strcmp(word, "stats") == 0)
		print_stats(&info, m, out);
	model_destroy(m);
}

int main(int argc, char **argv)
{
	static struct out out;
	struct trail_info info;
	struct trail *t;

	if (argc < 3)
		return 2;
	int fd = open(argv[argc - 1], O_RDONLY);
	if (fd < 0 || trail_open(&t, fd) != TRAIL_OK) {
		fprintf(stderr, "%s: no recording\n", argv[argc - 1]);
		return 1;
	}
	while (trail_index(t, 1000))
		continue;
	out_init(&out, STDOUT_FILENO);
	act(argv[1], t, argc > 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 1, &out);
	out_flush(&out);
	trail_info(t, &info);
	if (info.fault != NULL)
		fprintf(stderr, "byte %llu: %s\n", (unsigned long long)info.fault_offset, info.fault);
	if (info.damaged != 0)
		fprintf(stderr, "%llu chunks are damaged\n", (unsigned long long)info.damaged);
	trail_close(t);
	close(fd);
	return info.fault != NULL || info.damaged != 0;
}
