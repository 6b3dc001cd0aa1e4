/*
 * apportion.h - divide whole cells by proportion.
 */
#ifndef UI_WIDGETS_APPORTION_H
#define UI_WIDGETS_APPORTION_H

/*
 * Give `count` parts their cells out of `cells` in proportion to their values, by the largest remainder: each
 * part gets its share rounded down, and the cells left over go to the largest fractions, the earlier part
 * first.  The sum is `cells` exactly, unless no value is above 0: then every part gets 0.  Values must be
 * finite and not negative.
 */
void share_cells(const double *values, int count, int cells, int *out);

#endif
