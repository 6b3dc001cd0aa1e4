/*
 * phase_class.h - the class of a phase without a call, for what asks with each event; otherwise
 * rtev_phase_class.
 */
#ifndef CORE_PHASE_CLASS_H
#define CORE_PHASE_CLASS_H

#include "rtev/events.h"

static inline enum rtev_phase_class phase_class(rtev_phase phase)
{
	static const uint8_t classes[RTEV_PHASE_COUNT] = {
#define PHASE_CLASS(name, text, class, c50, c52, c53, c54, cox) RTEV_CLASS_##class,
	    RTEV_PHASES(PHASE_CLASS)
#undef PHASE_CLASS
	};

	return phase < RTEV_PHASE_COUNT ? (enum rtev_phase_class)classes[phase] : RTEV_CLASS_UNKNOWN;
}

#endif
