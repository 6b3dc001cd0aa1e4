/*
 * flight_failures.h - final report of the flight recorder: files that failed, and pauses without a file.
 *
 * Each error is reported once, with the first file that it affected.  Since a full disk fails every file,
 * further files are only counted.
 */
#pragma once

#include "record/flight.h"

#define FAILURE_KINDS 4 /* errors told apart; further ones count as the last */

struct flight_failures {
	unsigned count;
	struct flight_failure {
		int error;		/* errno value */
		bool made;		/* the first file exists */
		bool torn;		/* the file is incomplete even before the point of failure */
		char path[NAMING_PATH]; /* of the first file */
		uint64_t files, told;
	} list[FAILURE_KINDS];
};

/* Count a file if it failed.  Returns true if its error has not been reported yet. */
bool flight_failures_note(struct flight_failures *f, const struct flight_file *file);

/* Report on standard error the failures not reported yet. */
void flight_failures_tell(struct flight_failures *f);

/* Report on standard error how many pauses longer than `pause_ns` have no file, if any. */
void flight_skipped_tell(uint64_t skipped, uint64_t pause_ns);
