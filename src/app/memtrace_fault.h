/*
 * memtrace_fault.h - say why a memtrace file can't be read any further.
 */
#ifndef APP_MEMTRACE_FAULT_H
#define APP_MEMTRACE_FAULT_H

#include <stddef.h>

#include "rtev/memtrace.h"

/* "malformed trace: what, at byte 4711", or "could not be read: why". */
void memtrace_fault_text(const struct rtev_memtrace_fault *fault, char *buf, size_t size);

/* Report it on standard error, with a remedy where there is one.  Returns the exit status. */
int memtrace_fault_report(const char *path, const struct rtev_memtrace_fault *fault);

#endif
