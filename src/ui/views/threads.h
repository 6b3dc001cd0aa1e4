/*
 * threads.h - the kernel's threads of the process, below the table of domains: OCaml does not tell which domain runs on which.
 */
#ifndef UI_VIEWS_THREADS_H
#define UI_VIEWS_THREADS_H

#include "ui/view.h"

#define THREADS_LEAST 4 /* rows that it is worth */

/* Draw those that ran most in the last second, as many as there is room for; nothing where there is no sample. */
void threads_draw(const struct subject *subject, struct canvas *canvas, struct rect area);

#endif
