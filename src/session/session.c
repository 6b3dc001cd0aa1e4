/*
 * session.c - observe one TARGET: its ring, its process, its version.
 */
#include "session/session_private.h"

#include <signal.h>
#include <unistd.h>

#include "session/guard.h"
#include "session/reader.h"
#include "launch/signals.h"
#include "launch/limits.h"
#include "core/clock.h"
#include "core/sum.h"
#include "target/locate.h"
#include "target/shortage.h"

/* Turns for what the rings hold from before reading begins: enough for all rings of OCaml's default size. */
#define PAST_TURNS 16

/* How long a ring file may take to be completed, and the time between two attempts. */
#define CREATION_NS 1000000000u
#define RETRY_NS 5000000u

/* Time between two checks for what no descriptor signals: an end without pidfd, an exec, further programs of
 * COMMAND.  They are rarer while the target sleeps, because it does none of these for long. */
#define CHECK_NS 200000000u
#define CHECK_ASLEEP_NS 1000000000u

/* Without a ring: time between two searches for it, which read the target's memory map; the observation
 * requests an earlier one when the memory shows that there is a ring.  How long a program may take to make
 * its ring after an exec. */
#define OFF_LOOK_NS 1000000000u
#define EXEC_RING_NS 1000000000u

/* Whether a failure to open may pass. */
static bool status_passing(int status)
{
	return status == RTEV_E_NOT_READY || status == RTEV_E_TRUNCATED;
}

/* Sleep.  Returns false if a signal asks us to stop. */
static bool pause_for(uint64_t ns)
{
	signals_wait(NULL, 0, ns);
	return signals_stops() == 0;
}

static void cursor_adopt(struct session *s, struct rtev_cursor *cursor)
{
	s->cursor = cursor;
	s->began = 0;
	s->scans_last = false;
	guard_cursor(NULL, cursor, true);
	s->info = (struct rtev_ring_info){.size = sizeof(s->info)};
	rtev_cursor_info(cursor, &s->info);
	s->ring_words = s->info.ring_words;
}

static void cursor_drop(struct session *s)
{
	if (s->cursor == NULL)
		return;
	session_take_back(s);
	if (s->reader != NULL)
		batch_forget(spool_writer(reader_spool(s->reader)));
	guard_cursor(NULL, s->cursor, false);
	rtev_cursor_close(s->cursor);
	s->cursor = NULL;
}

void session_version_update(struct session *s, const struct rtev_scan *scan)
{
	bool conflict = false;

	version_merge(&s->program, scan, s->options.ocaml, &s->version, &conflict);
	if (conflict && !s->conflict_reported) {
		report_message(s->options.report, "Leave --ocaml out to go by what was found.",
		    "--ocaml %s contradicts what was found: %s", s->options.ocaml,
		    scan != NULL && scan->version != NULL ? scan->version : s->program.text);
		s->conflict_reported = true;
	}
	if (s->cursor != NULL)
		rtev_cursor_set_release(s->cursor, s->version.release);
}

/* Look for evidence of the version in the executable of the process. */
static void program_examine(struct session *s)
{
	struct proc proc;
	/* A target among many gets a smaller effort. */
	struct effort effort = s->options.watched ? effort_for_look() : effort_for_code();
	const struct version_options options = {.ring = s->cursor != NULL, .effort = &effort};

	if (proc_open(&proc, NULL, (pid_t)s->pid) != 0)
		return;
	struct version version;
	enum version_program found = version_of_process(&proc, &options, &version);
	/* A program that has ended stays what it was. */
	if (found != VERSION_NO_PROGRAM)
		s->program = version;
	int error = found == VERSION_UNREADABLE ? shortage_now() : 0;
	if (error != 0)
		report_message(s->options.report, shortage_remedy(error, NULL),
		    "could not examine the program of %s: %s", s->name, shortage_why(error));
	proc_close(&proc);
}

/* Open a ring by its descriptor.  Waits for a ring that is still being created. */
static int open_patiently(struct session *s, int fd, const struct rtev_cursor_options *options)
{
	uint64_t until = monotonic_now() + CREATION_NS;
	struct rtev_cursor *cursor;
	int status;

	for (;;) {
		status = rtev_cursor_open_fd(&cursor, fd, options);
		if (!status_passing(status) || monotonic_now() >= until || !pause_for(RETRY_NS))
			break;
	}
	if (status == RTEV_OK)
		cursor_adopt(s, cursor);
	return status;
}

void session_skip(struct session *s, const struct rtev_callbacks *past, void *ctx)
{
	struct rtev_scan scan = {.size = sizeof(scan)};
	const uint64_t from = monotonic_now();
	int turns = PAST_TURNS;

	do {
		if (rtev_cursor_scan(s->cursor, NULL, NULL, &scan) == RTEV_OK)
			session_version_update(s, &scan);
	} while (rtev_cursor_more(s->cursor) && --turns > 0 && signals_stops_now() == 0);
	/* A poll delivers what a complete scan has examined. */
	if (past != NULL && !rtev_cursor_more(s->cursor)) {
		turns = PAST_TURNS;
		do
			rtev_cursor_poll(s->cursor, past, ctx, 0, NULL);
		while (rtev_cursor_more(s->cursor) && --turns > 0 && signals_stops_now() == 0);
		/* Events written meanwhile continue those of the past, so they are read next. */
		if (!rtev_cursor_more(s->cursor)) {
			s->attach_ts = s->pace.turn_ts = from;
			return;
		}
	}
	rtev_cursor_skip(s->cursor);
	s->attach_ts = s->pace.turn_ts = monotonic_now();
}

/* Take the start position. */
static void begin_reading(struct session *s, enum rtev_start start)
{
	if (start == RTEV_START_NEWEST)
		session_skip(s, NULL, NULL);
	s->attach_ts = s->pace.turn_ts = monotonic_now();
}

void session_rewind(struct session *s)
{
	if (s->state == SESSION_LIVE && s->cursor != NULL && !s->has_child && !s->lent &&
	    rtev_cursor_rewind(s->cursor) == RTEV_OK)
		s->attach_ts = s->pace.turn_ts = monotonic_now();
}

/* Report why the ring at s->path can't be read.  Returns EXIT_FAILED. */
static int explain(const struct session *s, int status)
{
	target_file_explain(s->path, status, s->options.suggest, s->options.report);
	return EXIT_FAILED;
}

/* Open a ring file without a process. */
static int open_file(struct session *s, const struct target_file *file)
{
	const struct rtev_cursor_options options = {
	    .size = sizeof(options), .finished = true, .max_words = TURN_WORDS};
	const char *base = strrchr(file->path, '/');

	strlcpy(s->path, file->path, sizeof(s->path));
	strlcpy(s->name, base != NULL ? base + 1 : file->path, sizeof(s->name));
	s->state = SESSION_ENDED;
	if (file->kind == TARGET_FILE_FXT)
		return report_message(s->options.report,
		    "`rtevtop FILE.fxt` plays a recording, `rtevtop stats FILE.fxt` reports on it; Perfetto "
		    "(https://ui.perfetto.dev) opens any trace.",
		    "could not open %s: it is a trace, no ring", file->path);
	struct rtev_cursor *cursor;
	int status = file->status;
	if (status == RTEV_OK) {
		status = rtev_cursor_open_fd(&cursor, file->fd, &options);
		close(file->fd);
	}
	if (status != RTEV_OK)
		return explain(s, status);
	cursor_adopt(s, cursor);
	begin_reading(s, RTEV_START_OLDEST);
	return EXIT_DONE;
}

static struct locate_options locate_where(const struct session *s, int64_t pid)
{
	bool alone = s->target.kind == TARGET_DIR_PID;

	return (struct locate_options){
	    .pid = (pid_t)pid, .dir = alone ? s->target.dir : s->options.dir, .dir_alone = alone};
}

/* Find the ring of a process; wait for it up to the time that the user gave. */
static bool locate_patiently(struct session *s, struct located *located)
{
	struct locate_options options = locate_where(s, s->target.pid);
	uint64_t begin = monotonic_now();

	options.skip_program = s->options.wait_ns != 0;
	while (locate(&options, located) == LOCATE_NO_RING && s->options.wait_ns != 0 &&
	       !s->options.waits_open && monotonic_now() - begin < s->options.wait_ns)
		if (!pause_for(RETRY_NS))
			break;
	return located->status == LOCATE_OK;
}

/* Watch the process until its end.  Returns an exit status; a failure has been reported. */
static int process_watch(struct session *s, const struct located *located)
{
	int error = alive_create(&s->alive, NULL, located->pid, located->start_ticks);

	if (shortage_is(error))
		return report_message(s->options.report, shortage_remedy(error, NULL),
		    "could not observe %s: %s", s->name, shortage_why(error));
	/* The ring of a process that has just ended is still read to its end. */
	s->state = error == 0 ? SESSION_LIVE : SESSION_ENDED;
	pace_watch(&s->pace, located->pid);
	program_examine(s);
	return EXIT_DONE;
}

/* Observe a process without a ring. */
static int process_off(struct session *s, const struct located *located)
{
	s->off = true;
	s->pid = located->pid;
	strlcpy(s->name, located->name, sizeof(s->name));
	s->attach_ts = s->pace.turn_ts = s->looked_ts = monotonic_now();
	int status = process_watch(s, located);
	session_version_update(s, NULL);
	return status;
}

static int process_attach(struct session *s, const struct located *located)
{
	const struct rtev_cursor_options options = {.size = sizeof(options), .max_words = TURN_WORDS};

	if (located->mapped == LOCATE_UNMAPPED)
		report_message(s->options.report,
		    "Give the directory of its ring as DIR:PID if it is another.",
		    "process %ld does not map %s: the ring may be another process's", (long)located->pid,
		    located->shown);
	s->pid = located->pid;
	strlcpy(s->path, located->shown, sizeof(s->path));
	strlcpy(s->name, located->name, sizeof(s->name));
	int status = open_patiently(s, located->fd, &options);
	close(located->fd);
	if (status != RTEV_OK)
		return explain(s, status);
	status = process_watch(s, located);
	if (status != EXIT_DONE) {
		cursor_drop(s);
		return status;
	}
	begin_reading(s, s->options.start);
	return EXIT_DONE;
}

/* Report why a process has no ring that can be read.  Returns EXIT_FAILED. */
static int explain_located(const struct session *s, struct located *located)
{
	char message[4608], remedy[4608];

	/* While it waited for the ring, the search did not examine the program. */
	if (located->status == LOCATE_NO_RING && s->options.wait_ns != 0) {
		const struct locate_options where = locate_where(s, s->target.pid);
		if (locate(&where, located) == LOCATE_OK) {
			close(located->fd);
			located->status = LOCATE_NO_RING;
		}
	}
	locate_explain(located, message, sizeof(message), remedy, sizeof(remedy));
	return report_message(s->options.report, remedy, "%s", message);
}

static int open_process(struct session *s)
{
	static struct located located;

	if (locate_patiently(s, &located))
		return process_attach(s, &located);
	if (located.status == LOCATE_NO_RING && s->options.wait_ns == 0 && s->options.takes_off)
		return process_off(s, &located);
	if (located.status != LOCATE_NO_RING || s->options.wait_ns == 0 || !s->options.waits_open)
		return explain_located(s, &located);
	s->pid = located.pid;
	strlcpy(s->name, located.name, sizeof(s->name));
	s->attach_ts = s->pace.turn_ts = monotonic_now();
	s->wait_until = sum_saturating(s->attach_ts, s->options.wait_ns);
	return EXIT_DONE;
}

void session_wait_attach(struct session *s)
{
	static struct located located;

	if (locate_patiently(s, &located)) {
		s->wait_until = 0;
		if (process_attach(s, &located) == EXIT_DONE)
			return;
	} else if (located.status == LOCATE_NO_RING && monotonic_now() < s->wait_until) {
		return;
	} else {
		explain_located(s, &located);
	}
	s->state = SESSION_ENDED;
	s->ended_ts = monotonic_now();
}

static int open_command(struct session *s)
{
	int status = child_start(&s->child, &s->options.command);

	if (status != EXIT_DONE)
		return status;
	s->has_child = true;
	s->pid = s->child.pid;
	s->state = SESSION_LIVE;
	s->attach_ts = s->pace.turn_ts = monotonic_now();
	const char *base = strrchr(s->child.name, '/');
	strlcpy(s->name, base != NULL ? base + 1 : s->child.name, sizeof(s->name));
	/* Examine it now: a short program may end, and its executable become unreadable, before its ring is
	 * found. */
	program_examine(s);
	return EXIT_DONE;
}

int session_open(struct session *s, const struct session_options *options)
{
	int status;

	*s = (struct session){.options = *options};
	pace_init(&s->pace, monotonic_now());
	if (options->command.argv != NULL) {
		status = open_command(s);
	} else {
		s->target = *options->target;
		status = s->target.kind == TARGET_FILE ? open_file(s, options->file) : open_process(s);
	}
	/* Not before COMMAND was started, because it would inherit the slice. */
	if (s->state == SESSION_LIVE)
		slice_shorten();
	return status;
}

static bool process_ended(struct session *s)
{
	struct pollfd fd = {.fd = alive_fd(s->alive), .events = POLLIN};

	if (fd.fd >= 0 && poll(&fd, 1, 0) <= 0)
		return false;
	/* alive_check also stops the uptime. */
	return alive_check(s->alive) == ALIVE_ENDED;
}

void session_command_attach(struct session *s)
{
	const struct rtev_cursor_options options = {.size = sizeof(options), .max_words = TURN_WORDS};
	struct rtev_cursor *cursor;
	struct child_ring ring;

	int fd = child_find_ring(&s->child, &ring);
	if (fd < 0)
		return;
	int status = rtev_cursor_open_fd(&cursor, fd, &options);
	close(fd);
	if (status != RTEV_OK)
		return;
	int64_t pid = ring.pid;
	cursor_adopt(s, cursor);
	child_ring_path(&s->child, &ring, s->path, sizeof(s->path));
	child_took_ring(&s->child, &ring);
	if (pid != s->pid)
		s->program = (struct version){0};
	s->pid = pid;
	pace_watch(&s->pace, (pid_t)pid);
	if (alive_create(&s->alive, NULL, (pid_t)pid, 0) != 0)
		return;
	strlcpy(s->name, alive_names(s->alive)->name, sizeof(s->name));
	program_examine(s);
	/* The target may outlive COMMAND. */
	if (s->state == SESSION_ENDED && !process_ended(s)) {
		s->state = SESSION_LIVE;
		s->ended_ts = 0;
	}
}

/* Open the ring of the target again.  Returns a descriptor, or -1. */
static int find_again(struct session *s)
{
	static struct located located;

	if (s->has_child)
		return child_open_ring(&s->child);
	if (s->target.kind == TARGET_FILE)
		return -1;
	const struct locate_options where = locate_where(s, s->pid);
	return locate(&where, &located) == LOCATE_OK ? located.fd : -1;
}

void session_reopen(struct session *s, const struct session_sink *sink)
{
	const struct rtev_cursor_options options = {.size = sizeof(options), .max_words = TURN_WORDS};
	int status = RTEV_E_NOENT;

	if (sink->reopening != NULL)
		sink->reopening(sink->ctx);
	cursor_drop(s);
	int fd = find_again(s);
	if (fd >= 0) {
		status = open_patiently(s, fd, &options);
		close(fd);
	}
	if (status != RTEV_OK) {
		s->state = SESSION_TRUNCATED;
		return;
	}
	program_examine(s);
	if (sink->reopened != NULL)
		sink->reopened(sink->ctx);
}

void session_off_turn(struct session *s, uint64_t now)
{
	static struct located located;

	if (s->state != SESSION_LIVE || (s->looked_ts != 0 && now - s->looked_ts < OFF_LOOK_NS))
		return;
	s->looked_ts = now;
	struct locate_options where = locate_where(s, s->pid);
	where.skip_program = true;
	if (locate(&where, &located) != LOCATE_OK)
		return;
	const struct rtev_cursor_options options = {.size = sizeof(options), .max_words = TURN_WORDS};
	const bool own = located.mapped == LOCATE_MAPPED;
	struct rtev_cursor *cursor;
	/* An incomplete ring is tried again later. */
	int status = own ? rtev_cursor_open_fd(&cursor, located.fd, &options) : RTEV_E_NOENT;
	close(located.fd);
	if (status != RTEV_OK)
		return;
	cursor_adopt(s, cursor);
	strlcpy(s->path, located.shown, sizeof(s->path));
	s->off = false;
	program_examine(s);
}

void session_exec_turn(struct session *s, const struct session_sink *sink, uint64_t now)
{
	static struct located located;

	if (now - s->exec_ts < EXEC_RING_NS)
		return;
	s->exec_ts = 0;
	const struct locate_options where = locate_where(s, s->pid);
	if (s->cursor == NULL || s->has_child || s->state != SESSION_LIVE)
		return;
	if (locate(&where, &located) == LOCATE_OK)
		close(located.fd);
	if (located.status != LOCATE_NO_RING)
		return;
	if (sink->reopening != NULL)
		sink->reopening(sink->ctx);
	cursor_drop(s);
	s->off = true;
	s->looked_ts = now;
	if (sink->reopened != NULL)
		sink->reopened(sink->ctx);
	session_version_update(s, NULL);
}

nfds_t session_fds(const struct session *s, struct pollfd fds[SESSION_FDS])
{
	nfds_t count = 0;

	if (s->alive != NULL && alive_fd(s->alive) >= 0 && s->state == SESSION_LIVE)
		fds[count++] = (struct pollfd){.fd = alive_fd(s->alive), .events = POLLIN};
	if (s->has_child && s->cursor == NULL && s->child.notify >= 0)
		fds[count++] = (struct pollfd){.fd = s->child.notify, .events = POLLIN};
	if (s->has_child && s->alive == NULL && s->child.pidfd >= 0 && s->state == SESSION_LIVE)
		fds[count++] = (struct pollfd){.fd = s->child.pidfd, .events = POLLIN};
	return count;
}

/* Check whether the process has executed another program. */
static void exec_check(struct session *s)
{
	if (s->alive == NULL || alive_check(s->alive) != ALIVE_EXECED)
		return;
	s->execs++;
	s->exec_ts = s->options.takes_off && s->cursor != NULL ? monotonic_now() : 0;
	strlcpy(s->name, alive_names(s->alive)->name, sizeof(s->name));
	program_examine(s);
	if (s->off)
		session_version_update(s, NULL);
}

void session_check(struct session *s)
{
	uint64_t now = monotonic_now();

	if (s->has_child)
		child_poll(&s->child);
	/* The pidfd in `alive` reports a zombie as running; child.ended is set once the child was waited for. */
	if (s->state == SESSION_LIVE && (s->alive != NULL  ? process_ended(s)
					    : s->has_child ? s->child.ended
							   : s->wait_until == 0)) {
		s->state = SESSION_ENDED;
		s->ended_ts = now;
	}
	if (now - s->checked_ts < (!s->lent && s->pace.target == PACE_ASLEEP ? CHECK_ASLEEP_NS : CHECK_NS))
		return;
	s->checked_ts = now;
	if (s->state == SESSION_LIVE && !s->options.watched)
		exec_check(s);
	if (s->has_child && s->cursor == NULL && s->state == SESSION_LIVE)
		session_command_elsewhere(s);
	if (s->has_child && s->cursor != NULL && child_dir_changed(&s->child))
		session_command_others(s);
}

int session_close(struct session *s, int status)
{
	bool had_ring = s->cursor != NULL || s->state == SESSION_TRUNCATED;

	if (s->state == SESSION_TRUNCATED)
		status = report_message(s->options.report, "What had been read before is kept.",
		    "the ring %s was truncated while it was read", s->path);
	cursor_drop(s);
	reader_destroy(s->reader);
	s->reader = NULL;
	if (s->has_child) {
		session_command_wait(s);
		if (!s->child.ended)
			report_message(s->options.report, NULL, "%s goes on after SIGTERM: pid %lld",
			    s->child.name, (long long)s->child.pid);
		else if (had_ring)
			session_command_others(s);
		if (s->child.ended)
			child_explain_end(&s->child, &s->options.command,
			    had_ring	   ? CHILD_RING_READ
			    : s->elsewhere ? CHILD_RING_ELSEWHERE
					   : CHILD_RING_NONE);
		/* Programs that COMMAND leaves running still need its directory; a later run removes it. */
		status = s->child.ended ? child_exit_status(&s->child) : 128 + SIGTERM;
		if (s->child.ended)
			child_fini(&s->child);
	} else if (!had_ring && !s->off && s->state == SESSION_ENDED) {
		status = EXIT_FAILED; /* the wait for its ring was in vain */
	}
	pace_fini(&s->pace);
	alive_destroy(s->alive);
	s->alive = NULL;
	return status;
}

const char *session_version(const struct session *s)
{
	return s->version.text[0] != '\0' ? s->version.text : NULL;
}
