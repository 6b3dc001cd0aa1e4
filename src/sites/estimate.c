/* estimate.c - the normal approximations behind the estimates: Byar's for counts, Wilson's for shares. */
#include "sites/estimate.h"

/* 95 % of a normal distribution lies within this many standard errors of the mean. */
#define Z 1.959963984540054

struct sites_estimate sites_words(uint64_t samples, double rate)
{
	double n = (double)samples, chance = sqrt(1 - rate);

	if (rate <= 0)
		return (struct sites_estimate){0};
	double low = 0, above = 1 - 1 / (9 * (n + 1)) + Z / (3 * sqrt(n + 1));
	if (samples > 0) {
		double below = 1 - 1 / (9 * n) - Z / (3 * sqrt(n));
		low = below > 0 ? n * below * below * below : 0;
	}
	double high = (n + 1) * above * above * above;
	return (struct sites_estimate){.known = true,
	    .value = n / rate,
	    .error = sqrt(n) * chance / rate,
	    .low = (n - (n - low) * chance) / rate,
	    .high = (n + (high - n) * chance) / rate};
}

struct sites_estimate sites_share(uint64_t part, uint64_t whole)
{
	double n = (double)whole, p = (double)part / n;

	if (whole == 0)
		return (struct sites_estimate){0};
	double z2 = Z * Z, middle = (p + z2 / (2 * n)) / (1 + z2 / n);
	/* The error is taken from Wilson's interval.  The plain binomial error would be 0 for three of three. */
	double error = sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
	return (struct sites_estimate){.known = true,
	    .value = p,
	    .error = error,
	    .low = fmax(0, middle - Z * error),
	    .high = fmin(1, middle + Z * error)};
}

struct sites_estimate sites_lifetime(const struct sites_counts *counts)
{
	double n = (double)counts->collected, mean = counts->life / n, seconds = counts->life * 1e-6 / n;

	if (counts->collected == 0)
		return (struct sites_estimate){0};
	if (counts->collected == 1)
		return (struct sites_estimate){true, seconds, NAN, 0, INFINITY};
	double variance = fmax(0, (counts->life_squares - n * mean * mean) / (n - 1));
	double error = sqrt(variance / n) * 1e-6;
	return (struct sites_estimate){
	    true, seconds, error, fmax(0, seconds - Z * error), seconds + Z * error};
}

/* Allocations and frees are independent counts, so their variances add. */
struct sites_estimate sites_growth(const struct sites_counts *counts, double rate)
{
	double gone = (double)counts->gone_since_mark;
	double came = (double)counts->live - ((double)counts->live_at_mark - gone);

	if (rate <= 0)
		return (struct sites_estimate){0};
	double value = (came - gone) / rate, error = sqrt((came + gone) * (1 - rate)) / rate;
	return (struct sites_estimate){true, value, error, value - Z * error, value + Z * error};
}
