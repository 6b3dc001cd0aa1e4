/* status.c - parse /proc/PID/stat, /proc/PID/status and what the kernel says of a thread. */
#include "target/status.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/files.h"
#include "core/sum.h"
#include "target/system_parse.h"

#define NAME_CUT 15 /* bytes of a name that the kernel keeps */

/* Fields of the stat line, counted from 1 as in proc(5); the state is the first after the name. */
enum {
	FIELD_STATE = 3,
	FIELD_PARENT = 4,
	FIELD_FLAGS = 9,
	FIELD_MINOR_FAULTS = 10,
	FIELD_MAJOR_FAULTS = 12,
	FIELD_UTIME = 14,
	FIELD_STIME = 15,
	FIELD_THREADS = 20,
	FIELD_START = 22,
	FIELD_RESIDENT = 24,
	FIELD_STACK = 28
};

/* Parse a pid and step over it. */
static bool take_pid(const char **at, const char *end, pid_t *out)
{
	uint64_t value;

	if (!take_number(at, end, &value) || value > INT32_MAX)
		return false;
	*out = (pid_t)value;
	return true;
}

/* The members that the fields are stored in. */
static const size_t field_places[FIELD_STACK + 1] = {
    [FIELD_PARENT] = offsetof(struct status_stat, parent),
    [FIELD_FLAGS] = offsetof(struct status_stat, flags),
    [FIELD_MINOR_FAULTS] = offsetof(struct status_stat, minor_faults),
    [FIELD_MAJOR_FAULTS] = offsetof(struct status_stat, major_faults),
    [FIELD_UTIME] = offsetof(struct status_stat, user_ticks),
    [FIELD_STIME] = offsetof(struct status_stat, system_ticks),
    [FIELD_THREADS] = offsetof(struct status_stat, threads),
    [FIELD_START] = offsetof(struct status_stat, start_ticks),
    [FIELD_RESIDENT] = offsetof(struct status_stat, resident_pages),
    [FIELD_STACK] = offsetof(struct status_stat, stack),
};

/* Parse the fields after the name. */
static bool take_fields(const char *p, const char *end, struct status_stat *out)
{
	int field;

	for (field = FIELD_STATE; field <= FIELD_STACK; field++) {
		uint64_t value = 0;

		skip_blanks(&p, end);
		if (p >= end || *p == '\n')
			break;
		if (field == FIELD_STATE)
			out->state = *p++;
		else if (*p == '-')
			p++; /* no field in use is negative */
		if (field != FIELD_STATE && !take_number(&p, end, &value))
			return false;
		if (field_places[field] != 0)
			memcpy((char *)out + field_places[field], &value, sizeof(value));
	}
	out->cpu_ticks = sum_saturating(out->user_ticks, out->system_ticks);
	return field > FIELD_START;
}

bool status_parse_stat(const char *text, size_t len, struct status_stat *out)
{
	const char *end = text + len, *p = text, *open, *close = NULL;

	memset(out, 0, sizeof *out);
	if (!take_pid(&p, end, &out->pid))
		return false;
	skip_blanks(&p, end);
	if (p >= end || *p != '(')
		return false;
	open = p + 1;
	/* The name may contain parentheses and spaces; no later field does. */
	for (p = end; p > open; p--) {
		if (p[-1] == ')') {
			close = p - 1;
			break;
		}
	}
	if (close == NULL)
		return false;
	size_t name_len = (size_t)(close - open);
	if (name_len >= sizeof out->name)
		name_len = sizeof out->name - 1;
	memcpy(out->name, open, name_len);
	return take_fields(close + 1, end, out);
}

/* Parse up to `most` ids of users or groups.  Returns their number.  The real id comes first, then the
 * effective one. */
static unsigned take_ids(const char *p, const char *end, unsigned most, uint32_t *out)
{
	unsigned count = 0;
	uint64_t value;

	while (count < most && take_number(&p, end, &value) && value <= UINT32_MAX) {
		out[count++] = (uint32_t)value;
		skip_blanks(&p, end);
	}
	return count;
}

void status_parse_ids(const char *text, size_t len, struct status_ids *out)
{
	struct piece field;
	uint32_t pair[2];

	*out = (struct status_ids){.gid = STATUS_NOBODY, .real_gid = STATUS_NOBODY};
	if (system_parse_field(text, len, "Tgid", &field))
		(void)take_pid(&field.at, field.end, &out->tgid);
	if (system_parse_field(text, len, "Uid", &field) && take_ids(field.at, field.end, 2, pair) == 2) {
		out->has_uid = true;
		out->real_uid = pair[0];
		out->uid = pair[1];
	}
	if (system_parse_field(text, len, "Gid", &field) && take_ids(field.at, field.end, 2, pair) == 2) {
		out->real_gid = pair[0];
		out->gid = pair[1];
	}
	if (system_parse_field(text, len, "Groups", &field))
		out->group_count = take_ids(field.at, field.end, STATUS_GROUPS_MAX, out->groups);
	/* There is one pid for each namespace, the innermost last. */
	if (system_parse_field(text, len, "NSpid", &field))
		while (take_pid(&field.at, field.end, &out->ns_pid))
			skip_blanks(&field.at, field.end);
}

int status_read_stat(const struct proc *proc, struct status_stat *out)
{
	char buf[2048];
	size_t len;
	int error = proc_read(proc, "stat", buf, sizeof buf, &len);

	if (error != 0) {
		memset(out, 0, sizeof *out);
		return error;
	}
	return status_parse_stat(buf, len, out) ? 0 : EIO;
}

void status_program(const struct proc *proc, const struct status_stat *stat, char name[STATUS_PROGRAM_SIZE])
{
	char cmdline[PROC_PATH_SIZE], path[PROC_PATH_SIZE];
	size_t len;

	strlcpy(name, stat->name, STATUS_PROGRAM_SIZE);
	if (strlen(stat->name) != NAME_CUT || proc_read(proc, "cmdline", cmdline, sizeof cmdline, &len) != 0)
		return;
	/* If the first word is the interpreter of a script, the second is the script. */
	for (size_t i = 0; i < 2; i++) {
		word_copy(words_get(cmdline, len, i), path, sizeof path);
		const char *base = path_base(path);
		if (strncmp(base, stat->name, NAME_CUT) != 0)
			continue;
		strlcpy(name, base, STATUS_PROGRAM_SIZE);
		return;
	}
}

/* Read the ids from a file named "status". */
static int read_ids(const struct proc *proc, const char *name, struct status_ids *out)
{
	char buf[16384];
	size_t len;
	int error = proc_read(proc, name, buf, sizeof buf, &len);

	if (error != 0) {
		memset(out, 0, sizeof *out);
		return error;
	}
	status_parse_ids(buf, len, out);
	return 0;
}

int status_read_ids(const struct proc *proc, struct status_ids *out)
{
	return read_ids(proc, "status", out);
}

int status_read_thread(const struct proc *proc, pid_t tid, struct status_ids *out)
{
	char name[40];

	snprintf(name, sizeof name, "task/%d/status", (int)tid);
	return read_ids(proc, name, out);
}

bool status_parse_place(const char *text, struct status_place *out)
{
	uint64_t words[8];
	char *at, *end;
	size_t count = 0;

	memset(out, 0, sizeof *out); /* so that two structures can be compared */
	out->running = strncmp(text, "running", 7) == 0;
	if (out->running)
		return true;
	/* "NUMBER ARGUMENTS... SP PC", or "-1 SP PC" outside of a system call. */
	const long long number = strtoll(text, &at, 10);
	for (end = at; count < 8; at = end, count++) {
		words[count] = strtoull(at, &end, 16);
		if (end == at)
			break;
	}
	if (number < -1 || number > INT_MAX || count != (number < 0 ? 2 : 8))
		return false;
	out->number = (int)number;
	out->sp = words[count - 2];
	out->ip = words[count - 1];
	memcpy(out->arguments, words, (count - 2) * sizeof words[0]);
	return true;
}

int status_read_place(const struct proc *proc, pid_t tid, struct status_place *out)
{
	char name[40], text[256];
	size_t len;

	snprintf(name, sizeof name, "task/%d/syscall", (int)tid);
	const int error = proc_read(proc, name, text, sizeof text, &len);
	return !status_parse_place(text, out) && error == 0 ? EAGAIN : error;
}

bool status_ended(const struct status_stat *stat)
{
	return stat->state == 'Z' || stat->state == 'X' || stat->state == 'x';
}

bool status_stopped(const struct status_stat *stat)
{
	return stat->state == 'T' || stat->state == 't';
}

uint64_t status_ticks_per_second(void)
{
	long ticks = sysconf(_SC_CLK_TCK);

	return ticks > 0 ? (uint64_t)ticks : 100;
}

uint64_t status_ticks_ns(uint64_t ticks)
{
	uint64_t ns = 1000000000 / status_ticks_per_second();

	return ns > 0 && ticks > UINT64_MAX / ns ? UINT64_MAX : ticks * ns;
}

bool status_read_pid(int proc, pid_t pid, struct status_stat *out)
{
	char name[32], text[1024];

	snprintf(name, sizeof(name), "%d/stat", (int)pid);
	int fd = openat(proc, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t len = read(fd, text, sizeof(text));
	close(fd);
	return len > 0 && status_parse_stat(text, (size_t)len, out) && !status_ended(out);
}
