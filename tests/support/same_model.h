/*
 * same_model.h - compare two models, figure by figure: a CHECK fails at the first that differs.
 */
#pragma once

#include "model/model.h"

/* The same spans are open on a domain in both. */
void expect_open(const struct model *a, const struct model *b, unsigned domain);

/* Every figure is the same in both, which are finished. */
void expect_same(struct model *a, struct model *b);
