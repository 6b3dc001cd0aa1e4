/*
 * threads.h - table of the kernel threads of the process, shown below the domains.
 *
 * The runtime does not report which domain runs on which thread.
 */
#ifndef UI_VIEWS_THREADS_H
#define UI_VIEWS_THREADS_H

#include "ui/view.h"

#define THREADS_LEAST 4 /* rows; a shorter table is not drawn */

/* Draw the threads that ran most in the last second, as many as fit.  Draws nothing without a sample. */
void threads_draw(const struct subject *subject, struct canvas *canvas, struct rect area);

#endif
