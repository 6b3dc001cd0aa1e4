/*
 * finding_figure.h - a figure that a finding rests on, as text: in view `a` and in the report of `stats`.
 */
#ifndef UI_WIDGETS_FINDING_FIGURE_H
#define UI_WIDGETS_FINDING_FIGURE_H

#include <stddef.h>

#include "advice/advice.h"

/* Format "NAME VALUE" with the value in its unit. */
void finding_figure(const struct advice_figure *f, char *buf, size_t size);

#endif
