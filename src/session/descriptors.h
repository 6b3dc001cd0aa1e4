/*
 * descriptors.h - the limit on open descriptors.
 *
 * Each target under observation holds some descriptors; their usual limit of 1024 is there for programs that
 * use select.
 */
#ifndef SESSION_DESCRIPTORS_H
#define SESSION_DESCRIPTORS_H

/* Raise the limit as far as the process itself may. */
void descriptors_raise(void);

/* Undo it in a child before it executes another program. */
void descriptors_restore(void);

#endif
