/*
 * report_keys.h - members of a report of `stats --json` that are read again: stats prints them and diff reads
 * them by these names.
 */
#pragma once

#define KEY_DURATION "duration_s"
#define KEY_EVENTS "events"
#define KEY_LOST "lost_words"

/* Members of a domain, null without events. */
#define KEY_DOMAINS "domains"
#define KEY_GC "gc_s"
#define KEY_PHASES "phases"
#define KEY_COUNTERS "counters"
#define KEY_USER "user"

/* Members of a phase, counter, user event, or the pauses. */
#define KEY_COUNT "count"
#define KEY_TOTAL "total_s"
#define KEY_SELF "self_s"
#define KEY_SUM "sum"
#define KEY_MAX "max"
#define KEY_MAX_TIME "max_s"
#define KEY_P50 "p50_s"
#define KEY_P99 "p99_s"
#define KEY_HISTOGRAM "histogram"

#define KEY_PAUSES "pauses"
#define KEY_SYSTEM "system"
#define KEY_CPU_USER "cpu_user_s"
#define KEY_CPU_SYSTEM "cpu_system_s"
#define KEY_RESIDENT "resident_bytes"
