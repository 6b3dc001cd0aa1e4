/*
 * memtrace_fault.c - messages about memtrace files that can't be read.
 */
#include "app/memtrace_fault.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "app/fail.h"
#include "rtev/rtev.h"

/* Whether reading failed for a reason outside the file's contents. */
static bool unreadable(int status)
{
	switch (status) {
	case RTEV_E_NOENT:
	case RTEV_E_ACCESS:
	case RTEV_E_NOT_REGULAR:
	case RTEV_E_PATH:
	case RTEV_E_LOOP:
	case RTEV_E_FILES:
	case RTEV_E_IO:
	case RTEV_E_NOMEM:
		return true;
	default:
		return false;
	}
}

/* Whether there is nothing in the file: its reader met the end of the data at their begin. */
static bool is_empty(const struct rtev_memtrace_fault *fault)
{
	return fault->status == RTEV_E_MEMTRACE_UNDERFLOW && fault->offset == 0;
}

void memtrace_fault_text(const struct rtev_memtrace_fault *fault, char *buf, size_t size)
{
	if (unreadable(fault->status))
		snprintf(buf, size, "could not be read: %s", rtev_strerror(fault->status));
	else if (is_empty(fault))
		snprintf(buf, size, "it is empty");
	else
		snprintf(buf, size, "malformed trace: %s, at byte %" PRIu64, fault->what, fault->offset);
}

int memtrace_fault_report(const char *path, const struct rtev_memtrace_fault *fault)
{
	char text[256];

	memtrace_fault_text(fault, text, sizeof(text));
	if (unreadable(fault->status))
		fail_message(NULL, "could not read %s: %s", path, rtev_strerror(fault->status));
	else
		fail_message(fault->status == RTEV_E_MEMTRACE_MAGIC
				 ? "A trace is what a program with memtrace writes where MEMTRACE says."
			     : is_empty(fault) ? "Its program has written nothing yet, or died before it did."
					       : NULL,
		    "%s: %s", path, text);
	return EXIT_FAILED;
}
