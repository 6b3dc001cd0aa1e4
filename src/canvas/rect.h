/*
 * rect.h - a rectangle of screen cells.
 *
 * row and col are the position of the top left cell, counted from 0.  The functions here never return
 * negative rows or cols.  A rectangle without cells is empty, whatever its position.
 */
#pragma once

#include "core/std.h"

struct rect {
	int row, col, rows, cols;
};

/* Make a rectangle; negative sizes become 0. */
static inline struct rect rect_make(int row, int col, int rows, int cols)
{
	return (struct rect){row, col, rows > 0 ? rows : 0, cols > 0 ? cols : 0};
}

/* Whether a rectangle has no cells. */
static inline bool rect_empty(struct rect r)
{
	return r.rows <= 0 || r.cols <= 0;
}

/* The cells that two rectangles share. */
static inline struct rect rect_intersect(struct rect a, struct rect b)
{
	int top = a.row > b.row ? a.row : b.row;
	int left = a.col > b.col ? a.col : b.col;
	long a_bottom = (long)a.row + a.rows, b_bottom = (long)b.row + b.rows;
	long a_right = (long)a.col + a.cols, b_right = (long)b.col + b.cols;
	long rows = (a_bottom < b_bottom ? a_bottom : b_bottom) - top;
	long cols = (a_right < b_right ? a_right : b_right) - left;
	return rect_make(top, left, rows > 0 ? (int)rows : 0, cols > 0 ? (int)cols : 0);
}

/* The rectangle without a border of `by` cells on every side. */
static inline struct rect rect_inset(struct rect r, int by)
{
	return rect_make(r.row + by, r.col + by, r.rows - 2 * by, r.cols - 2 * by);
}

/* The rectangle without `left` columns at its left and `right` at its right. */
static inline struct rect rect_margins(struct rect r, int left, int right)
{
	return rect_make(r.row, r.col + left, r.rows, r.cols - left - right);
}

/* Cut up to `rows` rows off the top of *r and return them. */
static inline struct rect rect_cut_top(struct rect *r, int rows)
{
	int cut = rows < 0 ? 0 : rows > r->rows ? r->rows : rows;
	struct rect top = rect_make(r->row, r->col, cut, r->cols);
	r->row += cut;
	r->rows -= cut;
	return top;
}

/* Cut up to `rows` rows off the bottom of *r and return them. */
static inline struct rect rect_cut_bottom(struct rect *r, int rows)
{
	int cut = rows < 0 ? 0 : rows > r->rows ? r->rows : rows;
	r->rows -= cut;
	return rect_make(r->row + r->rows, r->col, cut, r->cols);
}

/* Cut up to `cols` columns off the left of *r and return them. */
static inline struct rect rect_cut_left(struct rect *r, int cols)
{
	int cut = cols < 0 ? 0 : cols > r->cols ? r->cols : cols;
	struct rect left = rect_make(r->row, r->col, r->rows, cut);
	r->col += cut;
	r->cols -= cut;
	return left;
}
