/*
 * flight_failures.h - what is told at the end: files of the flight recorder that failed, and pauses that got none.
 *
 * Each reason for a failure is told once, with the file that it was first met by.
 * A full disk fails every file alike, so those that follow are counted.
 */
#ifndef APP_FLIGHT_FAILURES_H
#define APP_FLIGHT_FAILURES_H

#include <stdbool.h>
#include <stdint.h>

#include "record/flight.h"

#define FAILURE_KINDS 4 /* reasons told apart; what comes after them counts as the last */

struct flight_failures {
	unsigned count;
	struct flight_failure {
		int error;		/* errno */
		bool made;		/* the first file is there, */
		bool torn;		/* though not whole up to where it failed */
		char path[NAMING_PATH]; /* of the first file */
		uint64_t files, told;
	} list[FAILURE_KINDS];
};

/* Take note of a file if it failed; true when nothing has been told of its reason. */
bool flight_failures_note(struct flight_failures *f, const struct flight_file *file);

/* Tell on standard error what has not been told. */
void flight_failures_tell(struct flight_failures *f);

/* Tell on standard error how many pauses longer than `pause_ns` got no file, if any. */
void flight_skipped_tell(uint64_t skipped, uint64_t pause_ns);

#endif
