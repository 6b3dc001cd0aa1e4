/*
 * runtime_variables.h - the two variables of an OCaml runtime that tell whether it records events, for a test
 * program whose memory rtevtop is to read.  They are made in assembly, so that no sanitizer changes their size; both are
 * 0 at first.  One source of a program may include this header.
 */
#pragma once

#include <stdint.h>

__asm__(".pushsection .bss\n"
	".balign 8\n"
	".type runtime_events_enabled, %object\n"
	".size runtime_events_enabled, 8\n"
	"runtime_events_enabled: .zero 8\n"
	".type runtime_events_paused, %object\n"
	".size runtime_events_paused, 8\n"
	"runtime_events_paused: .zero 8\n"
	".popsection\n");
extern volatile uint64_t runtime_events_enabled __attribute__((visibility("hidden")));
extern volatile uint64_t runtime_events_paused __attribute__((visibility("hidden")));
