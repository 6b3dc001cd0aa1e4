/*
 * golden.h - compare a canvas with a screen kept in tests/data/screens.
 *
 * A golden is plain text that one can read and review.  With UPDATE_GOLDEN=1 in the environment it is written
 * anew instead of compared.
 */
#pragma once

#include "canvas/canvas.h"

/* Fail the test, showing both screens, unless the canvas dumps to tests/data/screens/NAME.screen. */
void golden_check(const struct canvas *canvas, const char *name);

/* Check the screen as golden_check does, with the styles listed below it. */
void golden_check_styles(const struct canvas *canvas, const char *name);
