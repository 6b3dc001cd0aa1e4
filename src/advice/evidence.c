/* evidence.c - computations that several rules share. */
#include "advice/evidence.h"

#define USED_SHARE                                                                                           \
	0.75 /* of the cores: then they are busy; more than the rest must be used by others to matter */
#define SIZED_LEAST 50
#define SIZED_SPREAD 0.05 /* least standard deviation of the amounts allocated, relative to their mean */
#define SIZED_CERTAIN 3.0 /* standard errors by which a result must exceed 0 */
/* Values with a finaliser are roots of a major cycle, and are visited again at its end: marking them as roots
 * took 1.5 to 3 times as long as that visit. */
#define ROOTS_OF_UPDATE 3
#define COVERED 0.8 /* share of the window that samples must cover if their processor time is to be used */

bool evidence_enough(const struct evidence *e)
{
	return e->sum.leads >= ENOUGH_STOPS || e->window_s * 1e9 >= (double)ENOUGH_NS;
}

double evidence_spawn_rate(const struct evidence *e)
{
	return e->sum.spawns >= SPAWNS_LEAST && e->window_s > 0 ? (double)e->sum.spawns / e->window_s : 0;
}

double evidence_class(const struct evidence *e, enum rtev_phase_class class)
{
	double sum = 0;

	for (unsigned i = 0; i < e->domain_count; i++)
		if (e->domains[i].active && !e->domains[i].idle)
			sum += (double)e->domains[i].sum.class_self[class];
	return sum;
}

double evidence_barriers(const struct evidence *e)
{
	double barriers = evidence_class(e, RTEV_CLASS_STW);
	uint64_t wait;

	if (!evidence_grown(e, SYSTEM_WAIT, &wait))
		return barriers;
	return barriers > (double)wait ? barriers - (double)wait : 0;
}

bool evidence_resized(const struct evidence *e)
{
	for (unsigned i = 0; i < e->domain_count; i++)
		if (e->domains[i].sum.leads > 0 &&
		    e->domains[i].resized_ts > e->from + (e->to - e->from) / 10)
			return true;
	return false;
}

bool evidence_young(const struct evidence *e, double *young, double *per_byte)
{
	const struct tally *t = &e->sum;
	double n = (double)t->sized;

	*young = *per_byte = 0;
	if (t->sized < SIZED_LEAST)
		return false;
	double a = (double)t->sized_a / n, p = (double)t->sized_p / n;
	double aa = (double)t->sized_aa - n * a * a, ap = (double)t->sized_ap - n * a * p,
	       pp = (double)t->sized_pp - n * p * p;
	if (a <= 0 || aa < n * SIZED_SPREAD * SIZED_SPREAD * a * a)
		return false;
	double slope = ap / aa > 0 ? ap / aa : 0;
	double rest = pp - slope * ap, at_zero = p - slope * a;
	double error = rest > 0 ? sqrt(rest / (n - 2) * (1 / n + a * a / aa)) : 0;
	*young = at_zero * 64;
	*per_byte = slope * 64 / 1024;
	return at_zero > SIZED_CERTAIN * error;
}

double evidence_garbage(const struct evidence *e, size_t cycles)
{
	double swept = 0;

	for (size_t i = e->cycle_count - cycles; i < e->cycle_count; i++) {
		const struct evidence_cycle *now = &e->cycles[i], *before = now - 1;
		double gone = (double)(before->live + before->large) +
			      (double)(now->allocated - before->allocated) - (double)(now->live + now->large);
		swept += gone > 0 ? gone : 0;
	}
	return swept / (double)cycles;
}

double evidence_ran(const struct evidence *e)
{
	uint64_t run = 0, user, system;

	/* RUN lacks threads that lived between two samples. */
	(void)evidence_grown(e, SYSTEM_RUN, &run);
	if (evidence_grown(e, SYSTEM_CPU_USER, &user) && evidence_grown(e, SYSTEM_CPU_SYSTEM, &system) &&
	    user + system > run)
		return (double)user + (double)system;
	return (double)run;
}

/* Return how many cores the threads of the process used or waited for. */
static double wanted_cores(const struct evidence *e)
{
	uint64_t wait;

	return evidence_ran(e) + (evidence_grown(e, SYSTEM_WAIT, &wait) ? (double)wait : 0);
}

bool evidence_waited(const struct evidence *e, uint64_t *ns)
{
	const double most = (double)(e->active + e->idle) * (double)e->system.ns - evidence_ran(e);

	if (!evidence_grown(e, SYSTEM_WAIT, ns))
		return false;
	if (most >= 0 && (double)*ns > most)
		*ns = (uint64_t)most;
	return true;
}

bool evidence_others(const struct evidence *e, double *ns)
{
	uint64_t machine, load = 0;
	bool known = evidence_grown(e, SYSTEM_MACHINE_RUN, &machine);

	/* The load includes the program's own threads. */
	if (!known)
		(void)evidence_gauge(e, SYSTEM_LOAD, &load);
	*ns = known ? (double)machine - evidence_ran(e)
		    : (double)load / 1000 * (double)e->system.ns - wanted_cores(e);
	if (*ns < 0)
		*ns = 0;
	return known;
}

enum evidence_cores evidence_cores(const struct evidence *e)
{
	uint64_t cores, affinity;
	double ran = evidence_ran(e), core = (double)e->system.ns / 1000, others;
	bool full = true;

	if (!evidence_gauge(e, SYSTEM_CORES, &cores))
		return CORES_FREE;
	if (evidence_others(e, &others) && evidence_gauge(e, SYSTEM_AFFINITY, &affinity))
		full = ran + others >= USED_SHARE * (double)affinity * core;
	if (full && others >= (1 - USED_SHARE) * (double)cores * core)
		return CORES_OTHERS;
	return ran >= USED_SHARE * (double)cores * core ? CORES_OWN : CORES_FREE;
}

bool evidence_by_quota(const struct evidence *e, uint64_t cores)
{
	uint64_t quota;
	double share;

	return evidence_gauge(e, SYSTEM_QUOTA, &quota) && quota <= cores && evidence_throttled(e, &share) &&
	       share >= THROTTLED_SHARE;
}

bool evidence_is_late(const struct evidence *e, const struct evidence_late *late)
{
	return late->begin >= e->from && late->lateness > LATE_LEAST_NS && late->domain < e->domain_count &&
	       (late->awake || !e->domains[late->domain].idle);
}

bool evidence_starved(const struct evidence *e, double ns)
{
	uint64_t wait;

	return evidence_cores(e) == CORES_OTHERS &&
	       (!evidence_grown(e, SYSTEM_WAIT, &wait) || (double)wait >= ns / 2);
}

double evidence_idle_crowd(const struct evidence *e)
{
	double crowd = wanted_cores(e) - (double)e->active * (double)e->system.ns, others;
	uint64_t cores;

	(void)evidence_others(e, &others);
	if (e->idle == 0 || evidence_ran(e) < others || !evidence_gauge(e, SYSTEM_CORES, &cores) ||
	    crowd * 1000 < (1 - USED_SHARE) * (double)cores * (double)e->system.ns)
		return 0;
	return crowd;
}

bool evidence_throttled(const struct evidence *e, double *share)
{
	uint64_t periods, throttled;

	*share = 0;
	if (!evidence_grown(e, SYSTEM_PERIODS, &periods) ||
	    !evidence_grown(e, SYSTEM_THROTTLED_PERIODS, &throttled) || throttled > periods ||
	    periods < THROTTLED_PERIODS_LEAST)
		return false;
	*share = (double)throttled / (double)periods;
	return true;
}

double evidence_minor(const struct evidence *e)
{
	return evidence_class(e, RTEV_CLASS_MINOR) + evidence_barriers(e);
}

double evidence_major(const struct evidence *e)
{
	return evidence_class(e, RTEV_CLASS_MAJOR) + evidence_class(e, RTEV_CLASS_MARK) +
	       evidence_class(e, RTEV_CLASS_SWEEP);
}

static const struct {
	unsigned special;
	bool minor;
	rtev_phase phase;
} special_phases[] = {
    {SPECIAL_FINALISERS, true, RTEV_PHASE_MINOR_FINALIZERS_OLDIFY},
    {SPECIAL_FINALISERS, true, RTEV_PHASE_MINOR_FINALIZED},
    {SPECIAL_FINALISERS, true, RTEV_PHASE_MINOR_FINALIZERS_ADMIN},
    {SPECIAL_FINALISERS, false, RTEV_PHASE_FINALISE_UPDATE_FIRST},
    {SPECIAL_FINALISERS, false, RTEV_PHASE_FINALISE_UPDATE_LAST},
    {SPECIAL_EPHEMERONS, true, RTEV_PHASE_MINOR_EPHE_CLEAN},
    {SPECIAL_EPHEMERONS, false, RTEV_PHASE_MAJOR_EPHE_MARK},
    {SPECIAL_EPHEMERONS, false, RTEV_PHASE_MAJOR_EPHE_SWEEP},
    {SPECIAL_SAMPLES, true, RTEV_PHASE_MINOR_MEMPROF_ROOTS},
    {SPECIAL_SAMPLES, true, RTEV_PHASE_MINOR_MEMPROF_CLEAN},
    {SPECIAL_SAMPLES, false, RTEV_PHASE_MAJOR_MEMPROF_ROOTS},
    {SPECIAL_SAMPLES, false, RTEV_PHASE_MAJOR_MEMPROF_CLEAN},
};

struct special_time evidence_special(const struct evidence *e, unsigned special)
{
	struct special_time t = {.minor = 0};
	uint64_t most = 0;

	for (size_t i = 0; i < sizeof(special_phases) / sizeof(special_phases[0]); i++) {
		uint64_t self = e->sum.phase_self[special_phases[i].phase];
		if (special_phases[i].special != special)
			continue;
		*(special_phases[i].minor ? &t.minor : &t.major) += (double)self;
		if (self <= most)
			continue;
		most = self;
		t.phase = special_phases[i].phase;
	}
	if (special == SPECIAL_FINALISERS) {
		double roots = (double)e->sum.phase_self[RTEV_PHASE_MAJOR_MARK_ROOTS];
		double theirs = ROOTS_OF_UPDATE * (double)e->sum.phase_self[RTEV_PHASE_FINALISE_UPDATE_FIRST];
		t.major += theirs < roots ? theirs : roots;
	}
	return t;
}

double evidence_paced(const struct evidence *e)
{
	double paced = evidence_major(e) - (double)e->sum.phase_self[RTEV_PHASE_MAJOR_MARK_ROOTS];

	for (size_t i = 0; i < sizeof(special_phases) / sizeof(special_phases[0]); i++)
		if (!special_phases[i].minor)
			paced -= (double)e->sum.phase_self[special_phases[i].phase];
	return paced > 0 ? paced : 0;
}

double evidence_share(const struct evidence *e, double ns)
{
	if (e->busy_ns <= 0)
		return 0;
	return ns < e->busy_ns ? ns / e->busy_ns : 1;
}

bool evidence_gauge(const struct evidence *e, enum system_value_id id, uint64_t *value)
{
	if (!e->system.there)
		return false;
	if (system_gauge(e->system.latest, id, value))
		return true;
	/* The last sample may have been taken just after the process ended. */
	for (size_t i = system_past_count(e->system.past); i-- > 0;) {
		const struct system_row *row = system_past_row(e->system.past, i);
		if (row->from < e->from)
			break;
		if (system_row_get(row, id, value))
			return true;
	}
	return false;
}

bool evidence_grown(const struct evidence *e, enum system_value_id id, uint64_t *value)
{
	*value = e->system.grown[id];
	return e->system.there && (e->system.known >> id & 1) != 0;
}

bool evidence_setting(const struct evidence *e, enum ocaml_setting_id id, uint64_t unknown, uint64_t *value)
{
	const struct ocaml_settings *settings = e->system.settings;
	bool known = settings != NULL && settings->of[id].from != OCAML_UNKNOWN;

	*value = known ? settings->of[id].value : unknown;
	return known;
}

bool evidence_memory(const struct evidence *e, uint64_t *bytes)
{
	if (evidence_gauge(e, SYSTEM_MEMORY_LIMIT, bytes) && *bytes != SYSTEM_NO_LIMIT && *bytes > 0)
		return true;
	return evidence_gauge(e, SYSTEM_MACHINE_MEMORY, bytes) && *bytes > 0;
}

const struct system_memory *evidence_parts(const struct evidence *e)
{
	const struct system_memory *m = e->system.past != NULL ? system_past_memory(e->system.past) : NULL;

	return m != NULL && m->ts >= e->from ? m : NULL;
}

/* Derive the busy time from the processor time, including the time in which the program waited for a
 * processor or at a barrier.  Without an active domain there is nothing else: a program may compute, or
 * unmarshal, for minutes without a collection. */
static void busy_by_cpu(struct evidence *e)
{
	static const uint64_t of_threads = UINT64_C(1) << SYSTEM_CPU_USER | UINT64_C(1) << SYSTEM_CPU_SYSTEM |
					   UINT64_C(1) << SYSTEM_RUN | UINT64_C(1) << SYSTEM_WAIT;
	uint64_t user, system, wait;

	if (!evidence_grown(e, SYSTEM_CPU_USER, &user) || !evidence_grown(e, SYSTEM_CPU_SYSTEM, &system) ||
	    (double)e->system.ns < COVERED * e->window_s * 1e9)
		return;
	double ran = (double)user + (double)system;
	if (evidence_grown(e, SYSTEM_WAIT, &wait))
		ran += (double)wait;
	ran *= e->window_s * 1e9 / (double)e->system.ns;
	double busy = ran + evidence_class(e, RTEV_CLASS_STW);
	/* A process can't collect for longer than it ran.  If it seems to, its events are not about this
	 * processor time (a producer makes them up), and its threads are no evidence. */
	if (ran < evidence_class(e, RTEV_CLASS_MINOR) + evidence_major(e))
		e->system.known &= ~of_threads;
	else if (busy < e->busy_ns || e->active == 0)
		e->busy_ns = busy;
}

void evidence_add_system(struct evidence *e, const struct system_past *past)
{
	struct evidence_system *s = &e->system;

	*s = (struct evidence_system){.past = past, .known = UINT64_MAX};
	if (past == NULL)
		return;
	s->settings = system_past_settings(past);
	s->latest = system_past_latest(past);
	for (size_t i = system_past_count(past); i-- > 0;) {
		const struct system_row *row = system_past_row(past, i);
		/* A row that begins before the window may be about another program. */
		if (row->from < e->from)
			break;
		/* The last row may be of an ended process, and then has no values. */
		if (row->known == 0)
			continue;
		s->ns += row->to - row->from;
		s->stopped |= row->stopped;
		s->known &= row->known;
		for (int id = 0; id < SYSTEM_VALUE_COUNT; id++)
			s->grown[id] += row->values[id];
	}
	s->there = s->ns > 0 && s->latest != NULL;
	if (s->there)
		busy_by_cpu(e);
}
