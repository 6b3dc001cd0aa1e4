/*
 * code_story.h - made-up samples of the code of the story's target (ui_story.h).
 */
#pragma once

#include "calls/profile.h"

/* So many samples a second of domains 0 to 2, of which each function has a share that is known: of 100 samples of D0 50
 * are in Db.row, 20 in C called from it, and so on; D2 waits for a lock.  The caller destroys it. */
struct profile *code_story(uint64_t begin, uint64_t end);
