/*
 * memtrace.c - rtevtop memtrace: read a memtrace file to its end and print a report.
 *
 * A damaged trace is reported as far as it can be read, followed by what is wrong and where; the exit status
 * is 1.
 */
#include "app/commands/commands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/fail.h"
#include "app/memtrace_fault.h"
#include "app/commands/memtrace_report.h"
#include "print/out.h"
#include "session/signals.h"
#include "app/top/top.h"

/* Nodes of the call tree, at most: a single report may use more memory than a live view. */
enum { TREE_LIMIT = 1 << 22 };

enum memtrace_report {
	MEMTRACE_DUMP,	 /* every event, a line each, in the form of memtrace's own dump */
	MEMTRACE_TOP,	 /* the sites that allocate most */
	MEMTRACE_FOLDED, /* call paths for flame graph tools */
	MEMTRACE_JSON	 /* the trace and its sites, an object a line */
};

struct memtrace_request {
	const char *path;
	enum memtrace_report report;
	size_t top; /* number of sites */
};

/* The state of one run. */
struct reading {
	const struct memtrace_request *request;
	struct rtev_memtrace_reader *reader;
	struct sites *sites;
	struct sites_hot *hot;
	struct out *out;
	bool terminal; /* standard output is a terminal */
	bool left_out; /* packets were skipped */
	bool any;      /* an event was read */
	char *line;    /* of the dump */
	size_t line_size;
};

/* Report what the reader skips. */
static void on_notice(void *ctx, const struct rtev_memtrace_notice *notice)
{
	struct reading *r = ctx;
	const char *path = r->request->path;

	r->left_out = true;
	if (notice->kind == RTEV_MEMTRACE_WRONG_PID)
		fail_message(NULL, "%s: left out a packet of another process, %" PRId64 ", at byte %" PRIu64,
		    path, notice->pid, notice->offset);
	else if (notice->kind == RTEV_MEMTRACE_TRUNCATED)
		fail_message(NULL,
		    "%s: left out a packet that is not all there, at byte %" PRIu64 ": %" PRIu64
		    " bytes lack",
		    path, notice->offset, notice->missing);
}

/* Print an event as a line of the dump. */
static int dump_event(struct reading *r, const struct rtev_memtrace_event *event)
{
	size_t length;
	int status = rtev_memtrace_format_event(r->reader, event, true, r->line, r->line_size, &length);

	if (length >= r->line_size) {
		char *line = realloc(r->line, length + length / 2 + 256);
		if (line == NULL)
			return RTEV_E_NOMEM;
		r->line = line;
		r->line_size = length + length / 2 + 256;
		status = rtev_memtrace_format_event(r->reader, event, true, r->line, r->line_size, &length);
	}
	/* A dump has the bytes of the trace; to a terminal they are sanitised. */
	if (r->terminal)
		out_foreign(r->out, r->line, length);
	else
		out_bytes(r->out, r->line, length);
	out_char(r->out, '\n');
	return status;
}

static int take_event(struct reading *r, const struct rtev_memtrace_event *event)
{
	if (r->request->report == MEMTRACE_DUMP)
		return dump_event(r, event);
	int status = sites_event(r->sites, r->reader, event);
	return status == RTEV_OK && r->hot != NULL ? sites_hot_event(r->hot, r->reader, event) : status;
}

/* Read all events.  Returns an exit status. */
static int read_events(struct reading *r)
{
	const struct rtev_memtrace_event *event;
	struct rtev_memtrace_fault fault = {.size = sizeof(fault)};
	int status;

	while (r->out->error == 0 && (status = rtev_memtrace_next(r->reader, &event)) == RTEV_OK) {
		r->any = true;
		status = take_event(r, event);
		if (status != RTEV_OK) {
			fault = (struct rtev_memtrace_fault){.size = sizeof(struct rtev_memtrace_fault),
			    .status = status,
			    .offset = rtev_memtrace_position(r->reader)};
			strlcpy(fault.what, rtev_strerror(status), sizeof(fault.what));
			out_flush(r->out);
			return memtrace_fault_report(r->request->path, &fault);
		}
	}
	if (r->out->error == 0 && status == RTEV_E_MEMTRACE_END && r->left_out && !r->any) {
		fail_message(NULL, "%s: no event could be read", r->request->path);
		return EXIT_FAILED;
	}
	if (r->out->error != 0 || status == RTEV_E_MEMTRACE_END)
		return EXIT_DONE;
	out_flush(r->out);
	rtev_memtrace_fault(r->reader, &fault);
	return memtrace_fault_report(r->request->path, &fault);
}

static int print_report(struct reading *r)
{
	const struct rtev_memtrace_info *info = rtev_memtrace_info(r->reader);

	switch (r->request->report) {
	case MEMTRACE_TOP:
		return memtrace_print_top(r->out, info, r->sites, r->hot, r->request->top);
	case MEMTRACE_FOLDED:
		return memtrace_print_folded(r->out, r->sites);
	case MEMTRACE_JSON:
		return memtrace_print_json(r->out, info, r->sites);
	case MEMTRACE_DUMP: /* already printed */
		break;
	}
	return RTEV_OK;
}

/* Create what receives the events. */
static int prepare(struct reading *r)
{
	/* Only paths need callers: the report of hot spots keeps its own. */
	struct sites_options options = {
	    .limit = TREE_LIMIT, .no_callers = r->request->report != MEMTRACE_FOLDED};

	if (r->request->report == MEMTRACE_DUMP)
		return RTEV_OK;
	if (r->request->report == MEMTRACE_TOP) {
		r->hot = sites_hot_create();
		if (r->hot == NULL)
			return RTEV_E_NOMEM;
	}
	return sites_create(&r->sites, rtev_memtrace_info(r->reader), &options);
}

/* Read the file and print a report.  Returns an exit status. */
static int memtrace_run(const struct memtrace_request *request)
{
	static struct out out;
	struct rtev_memtrace_fault fault = {.size = sizeof(fault)};
	struct reading r = {.request = request, .out = &out, .terminal = isatty(STDOUT_FILENO) == 1};
	struct rtev_memtrace_options options = {
	    .size = sizeof(options), .ctx = &r, .notice = on_notice, .fault = &fault};

	/* There is nothing to clean up. */
	signals_let_end();
	fail_output_begin(&out, STDOUT_FILENO, NULL);
	if (rtev_memtrace_open_path(&r.reader, request->path, &options) != RTEV_OK)
		return memtrace_fault_report(request->path, &fault);
	int status = prepare(&r), exit_status = EXIT_FAILED;
	if (status == RTEV_OK) {
		exit_status = read_events(&r);
		status = print_report(&r);
	}
	if (status != RTEV_OK) {
		fail_message(NULL, "could not report on %s: %s", request->path, rtev_strerror(status));
		exit_status = EXIT_FAILED;
	}
	if (fail_output(out_flush(&out), "the report") != EXIT_DONE)
		exit_status = EXIT_FAILED;
	free(r.line);
	sites_hot_destroy(r.hot);
	sites_destroy(r.sites);
	rtev_memtrace_close(r.reader);
	return exit_status;
}

static int run(const struct options *options)
{
	struct memtrace_request request = {.path = options->target,
	    .top = (size_t)options->top,
	    .report = options->dump	  ? MEMTRACE_DUMP
		      : options->top != 0 ? MEMTRACE_TOP
		      : options->folded	  ? MEMTRACE_FOLDED
					  : MEMTRACE_JSON};

	if (options->run != NULL)
		return fail_usage("memtrace reads a file, and runs no command");
	if (request.report == MEMTRACE_JSON && !options->json)
		return top_run(options);
	if (options->delay_ns != 0 || options->iterations != 0 || options->no_color || options->ascii ||
	    options->sort != NULL || options->filter != NULL)
		return fail_usage("-d, -n, -C, -U, -s and -F are for the live view, which makes no report");
	return memtrace_run(&request);
}

const struct command command_memtrace = {
    .name = "memtrace",
    .synopsis = "[--top N | --json | --folded | --dump] FILE.ctf",
    .purpose = "allocation sites of a memtrace file: live view, or a report",
    .about = "The file is what a program writes that uses the library memtrace and runs with "
	     "MEMTRACE=FILE.ctf.  Without an option "
	     "for a report the live view shows it, and follows it while it grows.",
    .example = "rtevtop memtrace --top 10 service.ctf",
    .effect = "the ten call sites that allocate most",
    .options = OPTS_VIEW | OPT(json) | OPT(top) | OPT(folded) | OPT(dump),
    .help = {[OPTION_delay] = "seconds between redraws (0.5); 250ms is accepted",
	[OPTION_iterations] = "stop after N redraws",
	[OPTION_sort] = "column that the table of sites is sorted by at first"},
    .one_of = OPT(json) | OPT(top) | OPT(folded) | OPT(dump),
    .word = "FILE.ctf",
    .memtrace = true,
    .run = run,
};
