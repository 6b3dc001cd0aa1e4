/*
 * follow_memtrace.c - follow a memtrace file.
 */
#include "app/top/follow_memtrace.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "app/fail.h"
#include "core/files.h"
#include "core/clock.h"

/* events between two checks of the clock */
enum { BATCH = 256 };

/* A packet is written by one write, so one that stays incomplete for so long is reported as truncated. */
#define TORN_NS 2000000000u

void follow_begin(struct follow *f, const char *path)
{
	*f = (struct follow){.fd = -1, .given = path != NULL, .on = path != NULL};
	f->traced.base = AT_FDCWD;
	if (path != NULL)
		traced_by_path(&f->traced, path);
}

/* Count what the reader skips. */
static void on_notice(void *ctx, const struct rtev_memtrace_notice *notice)
{
	struct follow *f = ctx;

	if (notice->kind == RTEV_MEMTRACE_WRONG_PID || notice->kind == RTEV_MEMTRACE_TRUNCATED)
		f->subject.left_out++;
}

/* Discard all that was read. */
static void drop(struct follow *f)
{
	sites_destroy(f->sites);
	rtev_memtrace_close(f->reader);
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	f->sites = NULL;
	f->reader = NULL;
	f->fault = (struct rtev_memtrace_fault){0};
	f->subject = (struct subject_trace){.generation = f->subject.generation + 1};
}

void follow_end(struct follow *f)
{
	drop(f);
	traced_close(&f->traced);
	f->on = f->held = false;
}

void follow_forget(struct follow *f)
{
	if (f->given)
		return;
	follow_end(f);
	f->marked = false;
	f->asked_pid = 0;
}

void follow_target(struct follow *f, const struct session *session)
{
	bool ended = session->has_child && session->child.ended;
	int error = ESRCH;

	if (f->on || f->held || session->pid == f->asked_pid || (session->alive == NULL && !ended))
		return;
	f->asked_pid = session->pid;
	f->next_look = 0;
	if (session->alive != NULL)
		error = traced_by_process(&f->traced, NULL, alive_pid(session->alive));
	f->on = error == 0;
	if (f->on)
		return;
	traced_close(&f->traced);
	/* A COMMAND that has already ended had our environment. */
	const char *own = getenv("MEMTRACE");
	if (session->has_child && error != ENOENT && own != NULL && own[0] != '\0') {
		traced_by_path(&f->traced, own);
		f->on = true;
	}
}

/* Start reading the open file, if it contains its first packet. */
static void open_reader(struct follow *f)
{
	const struct rtev_memtrace_options options = {
	    .size = sizeof(options), .follow = true, .ctx = f, .notice = on_notice, .fault = &f->fault};
	const struct sites_options window = {.from = f->from, .to = f->to};

	f->fault.size = sizeof(f->fault);
	int status = rtev_memtrace_open_fd(&f->reader, f->fd, &options);
	if (status == RTEV_OK)
		status = sites_create(&f->sites, rtev_memtrace_info(f->reader), &window);
	if (status == RTEV_E_MEMTRACE_END) {
		f->fault.status = RTEV_OK;
		close(f->fd);
		f->fd = -1;
	} else if (status != RTEV_OK) {
		f->fault.status = status;
	} else if (f->marked && f->mark_events == 0) {
		sites_mark(f->sites);
	}
}

/* Open the file, if it exists. */
static void open_file(struct follow *f)
{
	int error = traced_open(&f->traced, &f->st, &f->fd);

	if (error == ENOENT)
		return;
	f->subject.exists = true;
	if (error != 0) {
		f->fault.status = error == PROC_NOT_REGULAR ? RTEV_E_NOT_REGULAR : status_of_errno(error);
		return;
	}
	open_reader(f);
}

/* Check whether the file was replaced or truncated. */
static void look(struct follow *f)
{
	struct stat st;
	int fd, error = traced_open(&f->traced, &st, &fd);

	if (error != 0 && f->reader == NULL)
		drop(f);
	/* A deleted file is read to its end. */
	f->subject.removed = error == ENOENT && f->reader != NULL;
	if (f->subject.removed && fstat(f->fd, &st) == 0)
		f->st = st;
	if (error != 0)
		return;
	close(fd);
	bool other = st.st_dev != f->st.st_dev || st.st_ino != f->st.st_ino;
	bool shorter = f->reader != NULL && (uint64_t)st.st_size < rtev_memtrace_position(f->reader);
	bool changed = st.st_size != f->st.st_size || st.st_mtim.tv_sec != f->st.st_mtim.tv_sec ||
		       st.st_mtim.tv_nsec != f->st.st_mtim.tv_nsec;
	if (f->reader != NULL && (other || shorter)) {
		drop(f);
		f->marked = f->again = false;
	} else if (f->reader == NULL && (other || changed)) {
		drop(f);
	}
	f->st = st;
}

/* Read events until there are none left or the time is up. */
static void read_events(struct follow *f, uint64_t until)
{
	const struct rtev_memtrace_event *event;
	int status = RTEV_OK;

	f->subject.reading = true;
	for (unsigned n = 1; status == RTEV_OK && !(f->held && f->subject.events >= f->then.events); n++) {
		if (n % BATCH == 0 && monotonic_now() >= until)
			break;
		status = rtev_memtrace_next(f->reader, &event);
		if (status != RTEV_OK)
			break;
		status = sites_event(f->sites, f->reader, event);
		f->subject.events++;
		if (f->marked && f->subject.events == f->mark_events)
			sites_mark(f->sites);
	}
	f->subject.position = rtev_memtrace_position(f->reader);
	if (status == RTEV_OK)
		return;
	f->subject.reading = f->again = false;
	if (status == RTEV_E_MEMTRACE_END)
		return;
	f->fault.size = sizeof(f->fault);
	rtev_memtrace_fault(f->reader, &f->fault);
	f->fault.status = status;
}

/* Take a turn while the file is held: after a change of the time window, read the same part of the file again. */
static bool held_turn(struct follow *f, int64_t from, int64_t to)
{
	if ((f->from != from || f->to != to) && f->reader != NULL) {
		int fd = f->fd;
		f->fd = -1; /* the held file, whatever its name refers to now */
		drop(f);
		f->fd = fd;
		f->from = from;
		f->to = to;
		open_reader(f);
	}
	bool more = f->reader != NULL && f->fault.status == RTEV_OK && f->subject.events < f->then.events;
	if (more)
		read_events(f, monotonic_now() + FOLLOW_TURN_NS);
	return more;
}

bool follow_turn(struct follow *f, int64_t from, int64_t to)
{
	uint64_t now = monotonic_now();

	if (!f->on)
		return false;
	if (f->held)
		return held_turn(f, from, to);
	if (f->from != from || f->to != to) {
		f->again = f->reader != NULL;
		drop(f);
		f->from = from;
		f->to = to;
		f->next_look = 0;
	}
	bool due = now >= f->next_look;
	if (due || f->subject.reading) {
		if (due && (f->reader != NULL || f->fault.status != RTEV_OK))
			look(f);
		if (due)
			f->next_look = now + FOLLOW_PACE_NS;
		if (f->reader == NULL && f->fault.status == RTEV_OK)
			open_file(f);
		if (due && f->reader != NULL)
			f->subject.ended = traced_ended(rtev_memtrace_info(f->reader), NULL);
		if (f->reader != NULL && f->fault.status == RTEV_OK)
			read_events(f, now + FOLLOW_TURN_NS);
	}
	return f->subject.reading;
}

void follow_mark(struct follow *f)
{
	if (f->sites == NULL)
		return;
	sites_mark(f->sites);
	f->marked = true;
	f->mark_events = f->subject.events;
}

/* Read the time since the last write to the file. */
static void gather_age(struct follow *f)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	int64_t age =
	    (now.tv_sec - f->st.st_mtim.tv_sec) * INT64_C(1000000000) + now.tv_nsec - f->st.st_mtim.tv_nsec;
	f->subject.has_age = f->subject.exists;
	f->subject.age_ns = age > 0 ? (uint64_t)age : 0;
}

/* Find a fault: one that the reader reported, or a packet that stays incomplete.  Returns false if there is
 * none. */
static bool find_fault(const struct follow *f, struct rtev_memtrace_fault *out)
{
	*out = f->fault;
	if (out->status != RTEV_OK)
		return true;
	if (!f->subject.torn || f->subject.age_ns < TORN_NS)
		return false;
	*out = (struct rtev_memtrace_fault){.size = sizeof(struct rtev_memtrace_fault),
	    .status = RTEV_E_MEMTRACE_END,
	    .offset = f->subject.position,
	    .what = "a packet is cut short"};
	return true;
}

/* The subject of a held file: as it was, but with the sites of the current time window. */
static const struct subject_trace *held_subject(struct follow *f)
{
	struct subject_trace *t = &f->subject;
	const struct subject_trace now = *t;

	*t = f->then;
	t->sites = f->sites;
	t->info = f->reader != NULL ? rtev_memtrace_info(f->reader) : NULL;
	t->generation = now.generation;
	t->events = now.events;
	if (now.events < f->then.events) {
		t->reading = t->again = true;
		t->position = now.position;
	}
	return t;
}

void follow_hold(struct follow *f, bool hold)
{
	if (hold == f->held || !f->on)
		return;
	if (hold)
		f->then = *follow_subject(f);
	f->held = hold;
	f->next_look = 0;
}

const struct subject_trace *follow_subject(struct follow *f)
{
	struct rtev_memtrace_fault fault = {.size = sizeof(fault)};

	if (!f->on)
		return NULL;
	if (f->held)
		return held_subject(f);
	f->subject.path = f->traced.shown;
	f->subject.sites = f->sites;
	f->subject.info = f->reader != NULL ? rtev_memtrace_info(f->reader) : NULL;
	f->subject.size = f->subject.exists ? (uint64_t)f->st.st_size : 0;
	f->subject.torn = !f->subject.reading && f->subject.position < f->subject.size;
	gather_age(f);
	f->subject.again = f->subject.reading && f->again;
	f->subject.fault = NULL;
	if (find_fault(f, &fault)) {
		fail_memtrace_text(&fault, f->text, sizeof(f->text));
		f->subject.fault = f->text;
	}
	return &f->subject;
}

int follow_report(struct follow *f, int status)
{
	struct rtev_memtrace_fault fault = {.size = sizeof(fault)};

	if (follow_subject(f) == NULL || !find_fault(f, &fault))
		return status;
	int failed = fail_memtrace(f->traced.shown, &fault);
	return f->given ? failed : status;
}
