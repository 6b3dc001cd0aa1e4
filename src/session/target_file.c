/* target_file.c - parse a TARGET; open a file once, and classify it by its first bytes. */
#include "session/target_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/files.h"
#include "rtev/rtev.h"
#include "session/guard.h"
#include "launch/signals.h"
#include "target/answer.h"
#include "target/roster.h"
#include "target/shortage.h"

/* ---- target name ---- */

bool target_name_parse(struct target_name *out, const char *text)
{
	const char *problem;
	struct stat st;

	*out = (struct target_name){.kind = TARGET_FILE, .path = text};
	if (text[0] != '\0' && text[strspn(text, "0123456789")] == '\0') {
		out->kind = TARGET_PID;
		out->pid = strtonum(text, 1, INT32_MAX, &problem);
		return problem == NULL;
	}
	const char *colon = strrchr(text, ':');
	if (colon == NULL || colon == text || colon[1] == '\0' ||
	    colon[1 + strspn(colon + 1, "0123456789")] != '\0' || stat(text, &st) == 0)
		return text[0] != '\0';
	if ((size_t)(colon - text) >= sizeof(out->dir))
		return false;
	out->kind = TARGET_DIR_PID;
	memcpy(out->dir, text, (size_t)(colon - text));
	out->pid = strtonum(colon + 1, 1, INT32_MAX, &problem);
	return problem == NULL;
}

/* Time between two searches for a process. */
#define LOOK_NS 100000000u

/* Whether a file is executable and begins like a program. */
static bool is_program(const char *path)
{
	char first[4];
	struct stat st;

	/* Opening a device can have side effects. */
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || (st.st_mode & 0111) == 0)
		return false;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool program = pread(fd, first, sizeof(first), 0) == (ssize_t)sizeof(first) &&
		       (memcmp(first, "\177ELF", 4) == 0 || memcmp(first, "#!", 2) == 0);
	close(fd);
	return program;
}

/* Whether a TARGET may be the name of a process.  A directory or a program of that name does not count as a file
 * to read: programs are often started where they were built, or built in a directory of their own name. */
static bool may_be_process(const char *text)
{
	struct stat st;

	if (text[0] == '\0' || strchr(text, '/') != NULL)
		return false;
	return lstat(text, &st) == 0 ? S_ISDIR(st.st_mode) || is_program(text) : errno == ENOENT;
}

int target_name_find(
    const char *text, const char *dir, uint64_t wait_ns, pid_t pids[TARGET_PIDS_MAX], size_t *count)
{
	const struct processes_options options = {.dir = dir, .guard = guard_cursor, .once = wait_ns == 0};
	uint64_t begin = monotonic_now(), now = begin;
	struct roster *roster = NULL;

	*count = 0;
	if (!may_be_process(text))
		return 0;
	int error = roster_create(&roster, &options);
	while (error == 0) {
		error = roster_refresh(roster, now);
		for (size_t i = 0; i < roster_count(roster) && *count < TARGET_PIDS_MAX; i++) {
			const struct roster_entry *e = roster_entry(roster, i);
			if (e->ended_ts == 0 && process_is_called(e->process.pid, text))
				pids[(*count)++] = e->process.pid;
		}
		now = monotonic_now();
		if (*count != 0 || now - begin >= wait_ns || signals_stops() != 0)
			break;
		signals_wait(NULL, 0, LOOK_NS);
	}
	error = error == 0 && *count == 0 ? roster_short_of(roster) : error;
	roster_destroy(roster);
	return shortage_is(error) ? error : 0;
}

/* ---- target file ---- */

#define MAGIC_MAX 8

/* A runtime sets the size of its ring right after creating the file PID.events, so a file of another name, or one that stays empty for
 * longer, is no new ring. */
#define EMPTY_S 2

static const struct {
	enum target_file_kind kind;
	size_t len;
	unsigned char magic[MAGIC_MAX];
} kinds[] = {
    {TARGET_FILE_FXT, 8, {0x10, 0x00, 0x04, 0x46, 0x78, 0x54, 0x16, 0x00}},
    {TARGET_FILE_MEMTRACE, 4, {0xc1, 0x1f, 0xfc, 0xc1}},
};

static bool may_be_ring(const char *path)
{
	const size_t len = strlen(path), end = strlen(".events");

	return len > end && strcmp(path + len - end, ".events") == 0;
}

static bool stays_empty(const char *path, const struct stat *st)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return st->st_size == 0 && (!may_be_ring(path) || now.tv_sec - st->st_mtim.tv_sec >= EMPTY_S);
}

static enum target_file_kind classify(const char *path, int fd, const struct stat *st)
{
	unsigned char first[MAGIC_MAX];
	ssize_t len = pread(fd, first, sizeof(first), 0);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (len >= (ssize_t)kinds[i].len && memcmp(first, kinds[i].magic, kinds[i].len) == 0)
			return kinds[i].kind;
	return stays_empty(path, st) ? TARGET_FILE_EMPTY : TARGET_FILE_RING;
}

void target_file_open(struct target_file *file, const char *path)
{
	struct stat st;

	*file = (struct target_file){.path = path, .fd = -1};
	/* Opening a device can have side effects, and a file's server may never answer. */
	int error = proc_open_regular(AT_FDCWD, path, false, &st, &file->fd);
	/* The walk is one of another process, which has no /dev/fd of ours, and there may be no /proc. */
	if (error == ENOENT && stat(path, &st) == 0) {
		file->fd =
		    S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
		error = !S_ISREG(st.st_mode) ? PROC_NOT_REGULAR : file->fd < 0 ? errno : 0;
	}
	if (error == 0)
		error = answer_open(&file->fd);
	file->status = error == PROC_NOT_REGULAR ? RTEV_E_NOT_REGULAR
		       : error != 0		 ? status_of_errno(error)
						 : RTEV_OK;
	if (file->status == RTEV_OK)
		file->kind = classify(path, file->fd, &st);
	else
		target_file_close(file);
}

void target_file_close(struct target_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

bool target_file_refuse(const struct target_file *file, bool waits, const struct reporter *report)
{
	if (file->kind == TARGET_FILE_MEMTRACE)
		report_message(report,
		    "`rtevtop memtrace FILE` shows it, and --memtrace FILE does beside a TARGET.",
		    "could not open %s: it is a memtrace file, no ring", file->path);
	else if (file->kind == TARGET_FILE_EMPTY && !(waits && may_be_ring(file->path)))
		report_message(report, "the program that made it may have died while starting",
		    "could not open %s: it is empty", file->path);
	else
		return false;
	return true;
}

/* Name the owner of a file that may not be read, and who may read it. */
static const char *explain_denied(const char *path, char *text, size_t size)
{
	char user[PROC_USER_SIZE];
	struct stat st;

	if (stat(path, &st) != 0)
		return NULL;
	proc_user(st.st_uid, user);
	if (geteuid() == 0)
		snprintf(
		    text, size, "it belongs to user %s: rtevtop needs the capability DAC_READ_SEARCH", user);
	else if (st.st_uid == 0 || st.st_uid == geteuid())
		snprintf(text, size, "it belongs to user %s: run rtevtop as root", user);
	else
		snprintf(text, size, "it belongs to user %s: run rtevtop as %s or as root", user, user);
	return text;
}

void target_file_explain(
    const char *path, int status, const char *(*suggest)(const char *path), const struct reporter *report)
{
	const char *remedy = NULL, *meant;
	char text[256];

	switch (status) {
	case RTEV_E_NOENT:
		meant = suggest != NULL ? suggest(path) : NULL;
		if (meant != NULL)
			snprintf(
			    text, sizeof(text), "`rtevtop %s TARGET` if you meant the subcommand.", meant);
		remedy =
		    meant != NULL
			? text
			: "TARGET is a PID, NAME, DIR:PID, a ring file, or -- COMMAND; `rtevtop list` shows "
			  "what there is";
		break;
	case RTEV_E_ACCESS:
		remedy = explain_denied(path, text, sizeof(text));
		break;
	case RTEV_E_NOT_READY:
		remedy =
		    "its header was never filled in: the program that made it may have died while starting";
		break;
	case RTEV_E_FORMAT:
		remedy = "rtevtop reads rings of OCaml 5.0 to 5.5 and OxCaml";
		break;
	case RTEV_E_TRUNCATED:
		remedy = "the file was cut short, or its OCaml was told to make rings larger than it can (e= "
			 "in OCAMLRUNPARAM)";
		break;
	case RTEV_E_MAP:
		remedy = "a part of it is missing, as where its file system is full, or memory is short";
		break;
	case RTEV_E_NOT_REGULAR:
		remedy = "a ring is a regular file named PID.events";
		break;
	default:
		break;
	}
	report_message(report, remedy, "could not open %s: %s%s", path, rtev_strerror(status),
	    status == RTEV_E_NOENT && strchr(path, '/') == NULL ? ", and no OCaml process has that name"
								: "");
}
