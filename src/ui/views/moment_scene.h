/*
 * moment_scene.h - the drawing of a moment: what its page (moment_draw.c) and its tracks (moment_tracks.c) share.
 */
#pragma once

#include "ui/views/why.h"

#define GUTTER_WIDE 11

/* Parameters of one drawing. */
struct scene {
	struct why why; /* of the mark */
	struct ui *ui;
	const struct subject *s;
	const struct frozen_range *m;
	uint64_t t0, width, detail;
	bool eventless;	  /* no event was recorded: only what the kernel tells is drawn */
	int gutter, cols; /* cols: columns of the time axis */
	int bar_rows;	  /* maximum rows of a track */
};

/* The end of the range shown. */
static inline uint64_t scene_end(const struct scene *scene)
{
	return scene->t0 + (uint64_t)scene->cols * scene->width;
}

/* Read the flame graph of a domain in a stretch of time that ends by the freeze.  False when nothing is kept. */
bool scene_flame(
    const struct scene *scene, unsigned domain, uint64_t from, uint64_t to, struct flame_view *out);

/* Rows that the tracks shown wish for, and that they can use; draw as many as fit, the selected one among them. */
int scene_tracks_rows(const struct scene *scene, int *most);
void scene_tracks_draw(void *page, struct canvas *canvas, struct rect area);
