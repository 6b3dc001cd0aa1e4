/*
 * errors.h - map errno values to status codes.
 */
#ifndef CORE_ERRORS_H
#define CORE_ERRORS_H

/* Status for the errno of a failed write to a trace. */
int status_of_write(int error);

/* Status for the errno of opening, creating, examining or mapping a file. */
int status_of_errno(int error);

#endif
