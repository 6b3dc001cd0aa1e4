/*
 * evidence.c - questions that several rules ask.
 */
#include "advice/evidence.h"

bool evidence_enough(const struct evidence *e)
{
	return e->sum.leads >= ENOUGH_STOPS || e->window_s * 1e9 >= (double)ENOUGH_NS;
}

double evidence_class(const struct evidence *e, enum rtev_phase_class class)
{
	double sum = 0;

	for (unsigned i = 0; i < e->domain_count; i++)
		if (e->domains[i].active && !e->domains[i].idle)
			sum += (double)e->domains[i].sum.class_self[class];
	return sum;
}

double evidence_minor(const struct evidence *e)
{
	return evidence_class(e, RTEV_CLASS_MINOR) + evidence_class(e, RTEV_CLASS_STW);
}

double evidence_major(const struct evidence *e)
{
	return evidence_class(e, RTEV_CLASS_MAJOR) + evidence_class(e, RTEV_CLASS_MARK) +
	       evidence_class(e, RTEV_CLASS_SWEEP);
}

double evidence_share(const struct evidence *e, double ns)
{
	if (e->busy_ns <= 0)
		return 0;
	return ns < e->busy_ns ? ns / e->busy_ns : 1;
}
