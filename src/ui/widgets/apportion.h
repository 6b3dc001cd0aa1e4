/*
 * apportion.h - divide whole cells in proportion.
 */
#ifndef UI_WIDGETS_APPORTION_H
#define UI_WIDGETS_APPORTION_H

/*
 * Divide `cells` among `count` parts in proportion to their values, by the largest remainder method: each
 * part gets its share rounded down, and the remaining cells go to the largest fractions, earlier parts
 * first.  The sum is exactly `cells`, or 0 if no value is above 0.  Values must be finite and not
 * negative.
 */
void share_cells(const double *values, int count, int cells, int *out);

#endif
