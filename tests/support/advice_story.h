/*
 * advice_story.h - the findings of a made-up program, for tests of what shows them.
 */
#pragma once

#include "advice/advice.h"

/* Findings at the stamp `now`, to be destroyed: two hints, or with `serious` one more. */
struct advice *advice_story(uint64_t now, bool serious);

/* Findings of a program whose collector takes half of its time: none explains that, or with `advised` a hint. */
struct advice *advice_story_much_gc(uint64_t now, bool advised);

/* Findings of a program most of whose events were lost: to a reader that came in time, or to one that waited for a processor. */
struct advice *advice_story_lost(uint64_t now, bool waited);

/* Scanning stacks costs 12 % of the busy time; or its heap grows from cycle to cycle, for 40 s. */
struct advice *advice_story_costly(uint64_t now, bool grows);

/* Findings of a program that waits for a processor for a third of the time that it wants one, before there is evidence for all
 * rules. */
struct advice *advice_story_starved(uint64_t now);
