/*
 * errors.h - what the errno of opening, making or mapping a file is as a status.
 */
#ifndef CORE_ERRORS_H
#define CORE_ERRORS_H

/* The status for a file that could not be opened, made, looked at or mapped. */
int status_of_errno(int error);

#endif
