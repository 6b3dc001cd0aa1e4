/*
 * fuzz_advice.c - any sequence of events, samples of the process, settings and times: judging ends, and what
 * a finding says is possible.
 *
 * The bytes are operations on a made-up program (enum op), each with the operands that it takes.  Stops of
 * the world of all domains, samples and seconds are operations of their own, and can be repeated, so that
 * rules get the evidence that they ask for.  Two pieces of advice follow: one over all time, as of stats, one
 * over a window, as of the live view.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "advice/findings/findings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define OPERATIONS_MAX 4096
#define REPEAT_MAX 128
#define REPEATED_MAX 1000 /* in all, so that a run is short, */
#define JUDGED_MAX 60	  /* as are these */
#define SECOND UINT64_C(1000000000)

enum op {
	OP_BEGIN,
	OP_END,
	OP_COUNTER,
	OP_ALLOC,
	OP_LIFE,
	OP_USER,
	OP_SPAN,
	OP_CUSTOM,
	OP_GAP,
	OP_RESUME,
	OP_PASS,
	OP_BACK,
	OP_STOP,
	OP_SAMPLE,
	OP_VALUE,
	OP_SETTING,
	OP_JUDGE,
	OP_TARGET,
	OP_CYCLE,
	OP_COUNT
};

/* The bytes that are left. */
struct bytes {
	const uint8_t *at, *end;
};

struct program {
	struct bytes in;
	struct rtev_callbacks calls;
	struct model *model;
	struct stw *stw;
	struct system_past *past;
	struct schedulers *schedulers;
	struct system_sample *sample;
	uint64_t grows[SYSTEM_VALUE_COUNT]; /* from a sample to the next */
	struct ocaml_settings settings;
	struct advice *advice[2];
	uint64_t now;
	unsigned repeated, judged;
};

static uint8_t byte(struct bytes *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

/* A number of any magnitude: a byte says which, another one what. */
static uint64_t number(struct bytes *in)
{
	unsigned shift = byte(in) % 64;
	uint64_t value = byte(in);

	return shift == 63 ? UINT64_MAX - value : value << (shift > 56 ? 56 : shift);
}

/* A domain: mostly one of the first. */
static unsigned domain(struct bytes *in)
{
	unsigned d = byte(in);

	return d < 240 ? d % 8 : d < 254 ? d : MODEL_DOMAINS_MAX - 255 + d;
}

/* ---- what a finding may say ---- */

/* Abort, and say which rule is wrong in what. */
static void demand(bool holds, const char *rule, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s: %s\n", rule, what);
	abort();
}

/* A text ends, says something, and has no number that is none. */
static void check_text(const char *text, size_t size, const char *rule)
{
	size_t len = strnlen(text, size);

	demand(len > 0 && len < size, rule, "no text");
	demand(strstr(text, "nan") == NULL && strstr(text, "inf ") == NULL && strstr(text, " -") == NULL,
	    rule, text);
}

/* Not known, or a number from 0 to a bound. */
static void check_number(double value, double most, const char *rule, const char *what)
{
	demand(isnan(value) || (value >= 0 && value <= most && isfinite(value)), rule, what);
}

static void check_finding(const struct advice_finding *f)
{
	const char *setting = f->setting;

	check_number(f->share, 1, f->name, "share");
	check_number(f->gain, 1, f->name, "gain");
	check_number(f->seconds, HUGE_VAL, f->name, "seconds");
	check_number(f->bytes, HUGE_VAL, f->name, "bytes");
	demand(f->figure_count > 0 && f->figure_count <= ADVICE_FIGURES, f->name, "figures");
	for (unsigned i = 0; i < f->figure_count; i++) {
		bool share = f->figures[i].unit == ADVICE_UNIT_SHARE;
		check_number(f->figures[i].value, share ? 1.000001 : HUGE_VAL, f->name, f->figures[i].name);
	}
	check_text(f->text, sizeof(f->text), f->name);
	check_text(f->remedy, sizeof(f->remedy), f->name);
	demand(strnlen(setting, sizeof(f->setting)) < sizeof(f->setting), f->name, "setting");
	demand(setting[0] == '\0' || (setting[1] == '=' && setting[2] >= '1' && setting[2] <= '9'), f->name,
	    setting);
}

static void check_advice(const struct advice *a)
{
	size_t count, left;
	const struct advice_finding *f = advice_findings(a, &count);
	const struct advice_left_out *out = advice_left_out(a, &left);

	for (size_t i = 0; i < count; i++) {
		check_finding(&f[i]);
		demand(i == 0 || isnan(f[i].share) || f[i].share <= f[i - 1].share, f[i].name, "order");
		for (size_t k = 0; k < i; k++)
			demand(strcmp(f[i].name, f[k].name) != 0, f[i].name, "twice");
		for (size_t k = 0; k < left; k++)
			demand(strcmp(f[i].name, out[k].name) != 0, f[i].name, "left out, too");
	}
	for (size_t k = 0; k < left; k++)
		check_text(out[k].why, sizeof(out[k].why), out[k].name);
}

/* ---- operations ---- */

static void judge(struct program *p)
{
	if (p->judged++ >= JUDGED_MAX)
		return;
	model_drained(p->model);
	model_set_now(p->model, p->now);
	stw_advance(p->stw, p->now);
	for (int i = 0; i < 2; i++) {
		advice_advance(p->advice[i], p->now);
		check_advice(p->advice[i]);
	}
}

static void pass(struct program *p, uint64_t ns)
{
	p->now = p->now > UINT64_MAX - ns ? UINT64_MAX : p->now + ns;
}

static void back(struct program *p, uint64_t ns)
{
	p->now = p->now > ns ? p->now - ns : 0;
}

static void begin(struct program *p, unsigned d, uint64_t ts, rtev_phase phase)
{
	p->calls.begin(p->model, d, ts, phase);
}

static void end(struct program *p, unsigned d, uint64_t ts, rtev_phase phase)
{
	p->calls.end(p->model, d, ts, phase);
}

/* Time within a stop. */
struct times {
	uint64_t at, open, over;
};

/* One domain's part of a stop. */
static void take_part(struct program *p, unsigned d, bool idle, const struct times *t, uint64_t arrived,
    rtev_phase inside, const uint64_t allocated[2])
{
	rtev_phase role = d == 0 ? RTEV_PHASE_STW_LEADER : RTEV_PHASE_STW_HANDLER;

	if (d > 0 && !idle)
		begin(p, d, t->at, RTEV_PHASE_INTERRUPT_REMOTE);
	begin(p, d, arrived, role);
	begin(p, d, arrived, RTEV_PHASE_STW_API_BARRIER);
	end(p, d, t->open, RTEV_PHASE_STW_API_BARRIER);
	begin(p, d, t->open, RTEV_PHASE_MINOR);
	begin(p, d, t->open, inside);
	end(p, d, t->over, inside);
	p->calls.counter(p->model, d, t->over, RTEV_COUNTER_MINOR_PROMOTED, (int64_t)allocated[1]);
	p->calls.counter(
	    p->model, d, t->over, RTEV_COUNTER_MINOR_ALLOCATED, idle ? 0 : (int64_t)allocated[0]);
	end(p, d, t->over, RTEV_PHASE_MINOR);
	end(p, d, t->over, role);
	if (d > 0 && !idle)
		end(p, d, t->over, RTEV_PHASE_INTERRUPT_REMOTE);
}

/* Minor collections of some domains, the last of which are idle, with major slices between them. */
static void stops(struct program *p)
{
	struct bytes *in = &p->in;
	unsigned count = 1 + byte(in) % REPEAT_MAX, domains = 1 + byte(in) % 8, idle = byte(in) % 8;
	uint64_t late = number(in), took = number(in), slice = number(in), every = number(in);
	const uint64_t allocated[2] = {number(in), number(in)};
	rtev_phase inside = byte(in) % RTEV_PHASE_COUNT;

	for (unsigned i = 0; i < count && p->repeated++ < REPEATED_MAX; i++) {
		const uint64_t at = p->now;
		struct times t = {.at = at};
		pass(p, late);
		t.open = p->now;
		pass(p, took);
		t.over = p->now;
		for (unsigned d = 0; d < domains; d++) {
			bool rests = d > 0 && d + idle >= domains;
			take_part(p, d, rests, &t, d + 1 == domains ? t.open : at, inside, allocated);
		}
		begin(p, 0, p->now, RTEV_PHASE_MAJOR_SLICE);
		pass(p, slice);
		end(p, 0, p->now, RTEV_PHASE_MAJOR_SLICE);
		pass(p, every);
		if (i % 32 == 0)
			judge(p);
	}
}

/* What a domain tells of its heap at the end of a cycle, some times. */
static void cycles(struct program *p)
{
	static const rtev_counter told[] = {RTEV_COUNTER_MAJOR_HEAP_WORDS, RTEV_COUNTER_MAJOR_HEAP_POOL_WORDS,
	    RTEV_COUNTER_MAJOR_HEAP_POOL_LIVE_WORDS, RTEV_COUNTER_MAJOR_HEAP_POOL_FRAG_WORDS,
	    RTEV_COUNTER_MAJOR_HEAP_LARGE_WORDS, RTEV_COUNTER_MAJOR_ALLOCATED_WORK,
	    RTEV_COUNTER_MAJOR_DEPENDENT_WORK, RTEV_COUNTER_MAJOR_EXTRA_WORK,
	    RTEV_COUNTER_MAJOR_HEAP_LARGE_BLOCKS};
	enum { TOLD = sizeof(told) / sizeof(told[0]) };
	struct bytes *in = &p->in;
	unsigned count = 1 + byte(in) % REPEAT_MAX, d = domain(in);
	uint64_t values[TOLD], grows[TOLD], every = number(in);

	for (unsigned k = 0; k < TOLD; k++) {
		values[k] = number(in);
		grows[k] = number(in);
	}
	for (unsigned i = 0; i < count && p->repeated++ < REPEATED_MAX; i++) {
		for (unsigned k = 0; k < TOLD; k++, values[k % TOLD] += grows[k % TOLD])
			p->calls.counter(p->model, d, p->now, told[k], (int64_t)values[k]);
		pass(p, every);
	}
	judge(p);
}

static void user(struct program *p, enum op op)
{
	struct bytes *in = &p->in;
	unsigned d = domain(in);
	struct rtev_user_event event = {.id = byte(in), .name_len = 2};

	event.name[0] = (char)('a' + event.id % 26);
	event.name[1] = (char)event.id;
	if (op == OP_CUSTOM) {
		p->calls.user_custom(p->model, d, p->now, &event, "custom", 6);
	} else if (op == OP_USER) {
		uint64_t value = number(in);
		if (value % 2 == 0)
			p->calls.user_unit(p->model, d, p->now, &event);
		else
			p->calls.user_int(p->model, d, p->now, &event, (int64_t)value);
	} else {
		unsigned count = 1 + byte(in) % REPEAT_MAX;
		uint64_t inside = number(in), apart = number(in);
		for (unsigned i = 0; i < count && p->repeated++ < REPEATED_MAX; i++) {
			p->calls.user_span(p->model, d, p->now, &event, true);
			pass(p, inside);
			/* Of a few the collector takes a part, and some have no end. */
			if (i % 128 == 126) {
				begin(p, d, p->now, RTEV_PHASE_MAJOR_SLICE);
				pass(p, apart);
				end(p, d, p->now, RTEV_PHASE_MAJOR_SLICE);
			}
			if (i % 16 != 15)
				p->calls.user_span(p->model, d, p->now, &event, false);
			pass(p, apart);
		}
	}
}

/* Samples, a time apart. */
static void samples(struct program *p)
{
	unsigned count = 1 + byte(&p->in) % REPEAT_MAX;
	uint64_t every = number(&p->in);

	for (unsigned i = 0; i < count && p->repeated++ < REPEATED_MAX; i++) {
		for (int id = 0; id < SYSTEM_VALUE_COUNT; id++)
			p->sample->values[id].value += p->grows[id];
		pass(p, every);
		p->sample->ts = p->now;
		system_past_add(p->past, p->sample);
		judge(p);
	}
}

static void target(struct program *p)
{
	struct bytes *in = &p->in;
	uint64_t what = number(in);

	switch (byte(in) % 6) {
	case 0:
		for (int i = 0; i < 2; i++)
			advice_about(p->advice[i], (enum rtev_release)(what % 8), what, what % 3 == 0);
		break;
	case 1:
		model_set_silent(p->model, what % 2 != 0);
		break;
	case 2:
		model_reset(p->model);
		break;
	case 3:
		model_reattach(p->model);
		break;
	case 4:
		system_past_break(p->past);
		break;
	default:
		system_past_reset(p->past);
		break;
	}
}

static void gap(struct program *p)
{
	struct bytes *in = &p->in;
	unsigned d = domain(in);
	uint64_t words = number(in), history = number(in);

	switch (byte(in) % 3) {
	case 0:
		p->calls.lost(p->model, d, words, history < words ? history : words);
		break;
	case 1:
		p->calls.corrupt(p->model, d, words);
		break;
	default:
		p->calls.restart(p->model, d);
		break;
	}
}

/* What a value of the samples is from now on, and by how much it grows. */
static void value(struct program *p)
{
	unsigned id = byte(&p->in) % SYSTEM_VALUE_COUNT;
	struct system_value *v = &p->sample->values[id];

	v->known = (enum system_known)(byte(&p->in) % SYSTEM_KNOWN_COUNT);
	v->value = number(&p->in);
	p->grows[id] = number(&p->in);
}

static void setting(struct program *p)
{
	struct ocaml_setting *s = &p->settings.of[byte(&p->in) % OCAML_SETTING_COUNT];

	s->from = (enum ocaml_origin)(byte(&p->in) % (OCAML_FROM_EVENTS + 1));
	s->value = s->from != OCAML_UNKNOWN ? number(&p->in) : 0;
	system_past_set_settings(p->past, &p->settings);
}

static void alloc(struct program *p)
{
	uint64_t buckets[RTEV_ALLOC_BUCKETS];
	unsigned d = domain(&p->in);

	for (unsigned i = 0; i < RTEV_ALLOC_BUCKETS; i++)
		buckets[i] = number(&p->in);
	p->calls.alloc(p->model, d, p->now, buckets);
}

static void act(struct program *p, enum op op)
{
	struct bytes *in = &p->in;
	unsigned d;

	switch (op) {
	case OP_BEGIN:
	case OP_END:
		d = domain(in);
		(op == OP_BEGIN ? begin : end)(p, d, p->now, byte(in) % (RTEV_PHASE_COUNT + 2));
		break;
	case OP_COUNTER:
		d = domain(in);
		rtev_counter counter = byte(in) % (RTEV_COUNTER_COUNT + 2);
		p->calls.counter(p->model, d, p->now, counter, (int64_t)number(in));
		break;
	case OP_ALLOC:
		alloc(p);
		break;
	case OP_LIFE:
		d = domain(in);
		rtev_lifecycle event = byte(in) % (RTEV_LIFECYCLE_COUNT + 1);
		p->calls.lifecycle(p->model, d, p->now, event, (int64_t)number(in));
		break;
	case OP_USER:
	case OP_SPAN:
	case OP_CUSTOM:
		user(p, op);
		break;
	case OP_GAP:
		gap(p);
		break;
	case OP_RESUME:
		model_resume_at(p->model, p->now + number(in));
		break;
	case OP_PASS:
		pass(p, number(in));
		break;
	case OP_BACK:
		back(p, number(in));
		break;
	case OP_STOP:
		stops(p);
		break;
	case OP_SAMPLE:
		samples(p);
		break;
	case OP_VALUE:
		value(p);
		break;
	case OP_SETTING:
		setting(p);
		break;
	case OP_TARGET:
		target(p);
		break;
	case OP_CYCLE:
		cycles(p);
		break;
	default:
		judge(p);
		break;
	}
}

static void program_begin(struct program *p, const uint8_t *data, size_t size)
{
	struct model_observer observer;

	*p = (struct program){.in = {.at = data, .end = data + size}, .now = 1000 * SECOND};
	bool live = byte(&p->in) % 2 != 0;
	model_callbacks(&p->calls);
	p->model = model_create(&(struct model_options){.attach_ts = live ? p->now : 0});
	p->stw = stw_create();
	p->past = system_past_create();
	p->schedulers = schedulers_create(p->model);
	p->sample = calloc(1, sizeof(*p->sample));
	demand(p->model != NULL && p->stw != NULL && p->past != NULL && p->schedulers != NULL &&
		   p->sample != NULL,
	    "none", "memory");
	stw_observer(p->stw, &observer);
	stw_look_into(p->stw, p->model);
	demand(model_observe(p->model, &observer), "none", "observers");
	for (int i = 0; i < 2; i++) {
		p->advice[i] = advice_create(
		    &(struct advice_options){.whole = i == 0}, p->model, p->stw, p->past, p->schedulers);
		demand(p->advice[i] != NULL, "none", "memory");
		advice_about(p->advice[i], RTEV_RELEASE_5_3, 65536, false);
	}
	for (int id = 0; id < SYSTEM_VALUE_COUNT; id++)
		p->sample->values[id].known = SYSTEM_KNOWN;
}

static void program_end(struct program *p)
{
	model_finish(p->model);
	stw_advance(p->stw, UINT64_MAX);
	for (int i = 0; i < 2; i++) {
		advice_finish(p->advice[i], p->now);
		check_advice(p->advice[i]);
		advice_destroy(p->advice[i]);
	}
	schedulers_destroy(p->schedulers);
	system_past_destroy(p->past);
	free(p->sample);
	stw_destroy(p->stw);
	model_destroy(p->model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct program p;

	program_begin(&p, data, size);
	for (unsigned i = 0; i < OPERATIONS_MAX && p.in.at < p.in.end; i++)
		act(&p, (enum op)(byte(&p.in) % OP_COUNT));
	program_end(&p);
	return 0;
}
