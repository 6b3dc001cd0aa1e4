/*
 * heap_reservation.c - the addresses reserved for minor heaps take most of what the process may map.
 *
 * The runtime reserves a minor heap for each possible domain (caml_init_domains, runtime/domain.c), and stops
 * the program if it can't.  If the limit is a little larger, the program starts, and has no room to grow.
 */
#include "advice/rule.h"

#define OF_LIMIT 0.8

static enum verdict judge(const struct evidence *e, bool held, struct advice_finding *out)
{
	const struct system_memory *m = evidence_parts(e);
	uint64_t words, domains, limit;
	double reserved = 0;

	/* The mappings are exact whatever the settings are, of which only events report d. */
	if (m != NULL && m->why[0] == '\0')
		reserved = (double)m->reserved[MEMORY_MINOR] + (double)m->reserved[MEMORY_MINOR_RESERVE];
	else if (evidence_setting(e, OCAML_S, 0, &words) && evidence_setting(e, OCAML_D, 0, &domains))
		reserved = 8 * (double)words * (double)domains;
	/* No process has more addresses than that: the settings are not those of a running program. */
	if (reserved == 0 || reserved >= 0x1p64 || !evidence_gauge(e, SYSTEM_ADDRESS_LIMIT, &limit))
		return VERDICT_EARLY;
	if (limit == SYSTEM_NO_LIMIT || reserved < bound(OF_LIMIT, held) * (double)limit)
		return VERDICT_NO;
	out->bytes = reserved;
	figure(out, "reserved", reserved, ADVICE_UNIT_BYTES);
	figure(out, "limit", (double)limit, ADVICE_UNIT_BYTES);
	finding_say(out,
	    "Minor heaps reserve %s of the %s of addresses" SAY_MORE(" that the process may map"),
	    format_figure(UNIT_BYTES, reserved).s, format_bytes(limit).s);
	advise(out,
	    "Raise or lift the limit (RLIMIT_AS; in a systemd unit, LimitAS=): it counts addresses, not "
	    "memory.  Or reserve less: "
	    "OCAMLRUNPARAM=d=16 for at most 16 domains (OCaml 5.3 and later), or a lower s.");
	return VERDICT_YES;
}

const struct rule rule_heap_reservation = {.name = "heap_reservation",
    .question = "Do reserved minor heaps fill the addresses that it may map?",
    .needs = NEEDS_SYSTEM | BY_COUNTERS,
    .early = "s, d or the limit of addresses is not known",
    .unmet = "the minor heaps of all domains that may be reserve less than 80% of RLIMIT_AS",
    .judge = judge};
