/*
 * time_text.c - see time_text.h.
 */
#include "ui/widgets/time_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool time_text_read(const char *text, uint64_t *ns)
{
	static const struct {
		const char *suffix;
		double factor;
	} units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"m", 60e9}, {"h", 3600e9}};
	char *end;

	*ns = 0;
	/* strtod also accepts hexadecimal, infinities and blanks. */
	if (strspn(text, "0123456789.") == 0)
		return false;
	errno = 0;
	double value = strtod(text, &end);
	if ((errno != 0 && value != HUGE_VAL) || end != text + strspn(text, "0123456789."))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].suffix) != 0)
			continue;
		double result = value * units[i].factor;
		bool fits = result <= (double)TIME_TEXT_MAX_NS;
		*ns = fits ? (uint64_t)(result + 0.5) : UINT64_MAX;
		return fits;
	}
	return false;
}
