/*
 * findings.h - the rules, in the order of causes: what stands earlier makes what stands later look sick.
 */
#ifndef ADVICE_FINDINGS_FINDINGS_H
#define ADVICE_FINDINGS_FINDINGS_H

#include "advice/rule.h"

/* X(name): `rule_name` in NAME.c. */
#define FINDINGS(X)                                                                                          \
	X(ring_losses)                                                                                       \
	X(explicit_gc)                                                                                       \
	X(idle_domains)                                                                                      \
	X(domain_churn)                                                                                      \
	X(minor_heap_small)

#define FINDING_DECLARE(name) extern const struct rule rule_##name;
FINDINGS(FINDING_DECLARE)
#undef FINDING_DECLARE

#endif
