/* reader_timeout.c - compare progress between calls, and count signals. */
#include "app/reader_timeout.h"

#include "core/clock.h"
#include "launch/signals.h"

#define STILL_NS 2000000000u /* after a request to stop, a reader without progress for so long is given up */
#define MOMENT_NS 2000000u

void reader_timeout_init(struct reader_timeout *p, unsigned stops)
{
	*p = (struct reader_timeout){.stops = stops, .moved = monotonic_now()};
}

bool reader_timeout_ends(struct reader_timeout *p, uint64_t written)
{
	uint64_t now = monotonic_now();

	signals_wait(NULL, 0, 0);
	unsigned stops = signals_stops();
	if (stops == 0 || written != p->written)
		p->moved = now;
	p->written = written;
	return stops > p->stops || (stops > 0 && now - p->moved > STILL_NS);
}

void reader_timeout_wait(void)
{
	signals_wait(NULL, 0, MOMENT_NS);
}
