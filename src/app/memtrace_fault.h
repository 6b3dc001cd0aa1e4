/*
 * memtrace_fault.h - messages about memtrace files that can't be read.
 */
#ifndef APP_MEMTRACE_FAULT_H
#define APP_MEMTRACE_FAULT_H

#include <stddef.h>

#include "rtev/memtrace.h"

/* Format "malformed trace: what, at byte 4711" or "could not be read: why". */
void memtrace_fault_text(const struct rtev_memtrace_fault *fault, char *buf, size_t size);

/* Report a fault on standard error, with a remedy if there is one.  Returns an exit status. */
int memtrace_fault_report(const char *path, const struct rtev_memtrace_fault *fault);

#endif
