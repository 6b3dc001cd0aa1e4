/*
 * demo.c - play a generated workload in real time: wait until an event is due, then record it with its
 * timestamp.
 *
 * One thread plays all domains.  This keeps the events of all rings in step and repeatable.  It wakes up
 * every few milliseconds and records what has become due.  Timestamps are those of the workload, shifted to
 * the real clock, so they are never in the future.  If the machine was busy elsewhere, the thread catches up
 * at one and a half times the speed, in bursts small enough that no ring is overrun between two looks of a
 * reader.  After a long gap, virtual time continues at the present.
 */
#include "demo/demo.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "demo/workload.h"
#include "rtev/producer.h"

#define RATE_SAMPLE 10000 /* events after which the CPU time per event is measured */
#define MILLISECOND UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

/* Time between two steps, virtual and real: short enough that no ring is overrun between two looks of a
 * reader. */
#define STEP_BUSY MILLISECOND
#define STEP_CALM (4 * MILLISECOND)
#define BUSY_RATE 100000

/* Events of a domain recorded in one step, at most: a tenth of a ring. */
#define BURST_EVENTS 3000.0

/* A delay beyond which the demo was stopped, or the machine is too slow. */
#define BEHIND_MAX (250 * MILLISECOND)

/* A forked child's lifetime, and its share of the events. */
#define CHILD_LIFE (1200 * MILLISECOND)
#define CHILD_RATE_PART 8

struct demo {
	struct demo_options options;
	struct rtev_producer *producer;
	struct rtev_domain *domains[DEMO_DOMAINS_MAX]; /* by slot, NULL: no domain attached */
	const struct rtev_user *users[SCRIPT_KINDS];   /* by kind of event; NULL for events of the runtime */
	struct workload *workload;
	struct workload_round round;
	size_t played[DEMO_DOMAINS_MAX]; /* events recorded of each script */
	uint64_t base;			 /* the real clock at virtual time 0 */
	uint64_t until;			 /* all events up to this virtual time are recorded */
	uint64_t recorded;		 /* events since `measured` */
	uint64_t measured, measured_cpu;
	sigset_t signals;
	pid_t child; /* 0: none */
};

/* Serialise a log line, which is generated from a number. */
static size_t serialise_line(void *ctx, const void *value, unsigned char out[RTEV_CUSTOM_BYTES_MAX])
{
	static const char *const things[] = {"orders", "users", "items", "search", "cart", "health"};
	static const unsigned statuses[] = {200, 200, 200, 200, 200, 200, 304, 404};
	uint64_t n = (uint64_t)((const struct script_event *)value)->value;

	int len = snprintf((char *)out, RTEV_CUSTOM_BYTES_MAX, "GET /%s/%u %u %u bytes", things[n % 6],
	    (unsigned)(n >> 8) % 100000, statuses[n >> 32 & 7], (unsigned)(n >> 40) % 60000);
	return len > 0 ? (size_t)len : 0;
}

/* Write an id as Eio does, and return its length. */
static size_t put_id(unsigned char *out, int64_t id)
{
	for (unsigned i = 0; i < sizeof(id); i++)
		out[i] = (unsigned char)((uint64_t)id >> 8 * i);
	return sizeof(id);
}

static size_t serialise_context(void *ctx, const void *value, unsigned char out[RTEV_CUSTOM_BYTES_MAX])
{
	size_t len = put_id(out, ((const struct script_event *)value)->value);

	out[len++] = 6; /* the fiber is a root */
	return len;
}

static size_t serialise_name(void *ctx, const void *value, unsigned char out[RTEV_CUSTOM_BYTES_MAX])
{
	static const char name[] = "server";
	size_t len = put_id(out, ((const struct script_event *)value)->value);

	memcpy(out + len, name, sizeof(name) - 1);
	return len + sizeof(name) - 1;
}

static size_t serialise_fiber(void *ctx, const void *value, unsigned char out[RTEV_CUSTOM_BYTES_MAX])
{
	const struct script_event *e = value;
	size_t len = put_id(out, e->value);

	return len + put_id(out + len, e->id);
}

static size_t serialise_span(void *ctx, const void *value, unsigned char out[RTEV_CUSTOM_BYTES_MAX])
{
	static const char name[] = "report";

	memcpy(out, name, sizeof(name) - 1);
	return sizeof(name) - 1;
}

static size_t serialise_suspension(void *ctx, const void *value, unsigned char out[RTEV_CUSTOM_BYTES_MAX])
{
	static const char operation[] = "Promise.await";
	const struct script_event *e = value;

	if (e->id != 0) /* the fiber yields */
		return 0;
	memcpy(out, operation, sizeof(operation) - 1);
	return sizeof(operation) - 1;
}

/* Register the user events.  Returns a status of the library. */
static int register_users(struct demo *demo)
{
	static const struct {
		const char *name;
		enum rtev_user_type type;
		rtev_serialise_fn *serialise;
	} users[SCRIPT_KINDS] = {
	    [SCRIPT_REQUEST] = {"http.request", RTEV_USER_SPAN, NULL},
	    [SCRIPT_QUERY] = {"db.query", RTEV_USER_SPAN, NULL},
	    [SCRIPT_QUEUE_DEPTH] = {"queue.depth", RTEV_USER_INT, NULL},
	    [SCRIPT_CACHE_EVICT] = {"cache.evict", RTEV_USER_UNIT, NULL},
	    [SCRIPT_LOG_LINE] = {"log.line", RTEV_USER_CUSTOM, serialise_line},
	    [SCRIPT_CONTEXT] = {"eio.create_cc", RTEV_USER_CUSTOM, serialise_context},
	    [SCRIPT_NAME] = {"eio.name", RTEV_USER_CUSTOM, serialise_name},
	    [SCRIPT_FIBER_MADE] = {"eio.create_fiber", RTEV_USER_CUSTOM, serialise_fiber},
	    [SCRIPT_FIBER_RUNS] = {"eio.fiber", RTEV_USER_INT, NULL},
	    [SCRIPT_SUSPEND] = {"eio.suspend_fiber", RTEV_USER_CUSTOM, serialise_suspension},
	    [SCRIPT_FIBER_ENDS] = {"eio.exit_fiber", RTEV_USER_INT, NULL},
	    [SCRIPT_SPAN] = {"eio.enter_span", RTEV_USER_CUSTOM, serialise_span},
	    [SCRIPT_IDLE] = {"eio.suspend_domain", RTEV_USER_SPAN, NULL},
	};
	int status = RTEV_OK;

	for (unsigned i = SCRIPT_REQUEST; i < SCRIPT_KINDS && status == RTEV_OK; i++)
		status = rtev_user_register(demo->producer, users[i].name, strlen(users[i].name),
		    users[i].type, users[i].serialise, NULL, &demo->users[i]);
	return status;
}

/* Record one event.  The library accepts every event that the workload generates. */
static void record(struct demo *demo, struct rtev_domain *d, const struct script_event *e)
{
	const struct rtev_user *user = demo->users[e->kind];

	rtev_domain_set_stamp(d, demo->base + e->ts);
	switch ((enum script_kind)e->kind) {
	case SCRIPT_BEGIN:
		rtev_domain_begin(d, e->id);
		break;
	case SCRIPT_END:
		rtev_domain_end(d, e->id);
		break;
	case SCRIPT_COUNTER:
		rtev_domain_counter(d, e->id, e->value);
		break;
	case SCRIPT_ALLOC:
		rtev_domain_alloc(d, e->id, (uint64_t)e->value);
		break;
	case SCRIPT_ALLOC_FLUSH:
		rtev_domain_alloc_flush(d);
		break;
	case SCRIPT_REQUEST:
	case SCRIPT_QUERY:
	case SCRIPT_IDLE:
		if (e->value != 0)
			rtev_domain_user_begin(d, user);
		else
			rtev_domain_user_end(d, user);
		break;
	case SCRIPT_QUEUE_DEPTH:
	case SCRIPT_FIBER_RUNS:
	case SCRIPT_FIBER_ENDS:
		rtev_domain_user_int(d, user, e->value);
		break;
	case SCRIPT_CACHE_EVICT:
		rtev_domain_user_unit(d, user);
		break;
	case SCRIPT_LOG_LINE:
	case SCRIPT_CONTEXT:
	case SCRIPT_NAME:
	case SCRIPT_FIBER_MADE:
	case SCRIPT_SPAN:
	case SCRIPT_SUSPEND:
		rtev_domain_user_custom(d, user, e);
		break;
	case SCRIPT_KINDS:
		break;
	}
}

/* Record what is due in the scripts of this round.  Returns true when they are exhausted. */
static bool play_scripts(struct demo *demo)
{
	bool done = true;

	for (unsigned slot = 0; slot < demo->options.domains; slot++) {
		const struct script *script = workload_script(demo->workload, slot);
		size_t at = demo->played[slot];
		if (script == NULL)
			continue;
		for (; at < script->count && script->events[at].ts <= demo->until; at++)
			record(demo, demo->domains[slot], &script->events[at]);
		demo->recorded += at - demo->played[slot];
		demo->played[slot] = at;
		done = done && at == script->count;
	}
	return done;
}

static int demo_play(struct demo *demo, struct workload_options workload);

/* Run as a forked child: record a small workload to a ring of its own, then exit. */
static _Noreturn void child_run(const struct demo *parent, pid_t of)
{
	struct demo demo = {
	    .options = parent->options, .producer = parent->producer, .signals = parent->signals};
	struct workload_options workload = {.domains = 1,
	    .rate = parent->options.rate / CHILD_RATE_PART + 1,
	    .seed = parent->options.seed + 1};

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != of)
		_exit(0);
	memcpy(demo.users, parent->users, sizeof(demo.users));
	demo.options.domains = 1;
	demo.options.seconds_ns = CHILD_LIFE;
	if (rtev_producer_forked(demo.producer) == RTEV_OK) {
		demo_play(&demo, workload);
		rtev_producer_destroy(demo.producer);
	}
	_exit(0);
}

/* Fork a child, unless the last one still runs. */
static void fork_child(struct demo *demo)
{
	if (demo->child != 0)
		return;
	pid_t of = getpid(), pid = fork();
	if (pid == 0)
		child_run(demo, of);
	if (pid < 0)
		return;
	demo->child = pid;
	rtev_domain_lifecycle(demo->domains[0], RTEV_LIFECYCLE_FORK_PARENT, pid);
}

/* Collect the child if it has ended; with `options` of waitpid. */
static void reap_child(struct demo *demo, int options)
{
	if (demo->child != 0 && waitpid(demo->child, NULL, options) != 0)
		demo->child = 0;
}

/* Generate the next round, and bring the producer to its start.  Returns a status of the library. */
static int next_round(struct demo *demo)
{
	struct rtev_domain *main_domain = demo->domains[0];
	bool paused = demo->round.paused;
	int status = workload_round(demo->workload, &demo->round) ? RTEV_OK : RTEV_E_NOMEM;

	memset(demo->played, 0, sizeof(demo->played));
	rtev_domain_set_stamp(main_domain, demo->base + demo->round.start);
	if (demo->round.paused && !paused)
		rtev_producer_pause(demo->producer, main_domain);
	if (!demo->round.paused && paused)
		rtev_producer_resume(demo->producer, main_domain);
	if (demo->round.fork)
		fork_child(demo);
	for (unsigned slot = 1; slot < demo->options.domains; slot++) {
		struct rtev_domain **domain = &demo->domains[slot];
		if (*domain == NULL || workload_script(demo->workload, slot) != NULL)
			continue;
		rtev_domain_set_stamp(*domain, demo->base + demo->round.start);
		rtev_domain_detach(*domain);
		*domain = NULL;
	}
	/* The producer assigns the lowest free slot, as the workload expects. */
	for (unsigned slot = 1; slot < demo->options.domains && status == RTEV_OK; slot++)
		if (demo->domains[slot] == NULL && workload_script(demo->workload, slot) != NULL)
			status = rtev_producer_attach(demo->producer, &demo->domains[slot]);
	return status;
}

/* After a long delay, continue at the present.  If the machine is too slow for the rate, lower the rate. */
static void catch_up(struct demo *demo, uint64_t now)
{
	uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID), used = cpu - demo->measured_cpu;

	demo->base = now - demo->until;
	/* The CPU time of few events is mostly start-up, which says nothing about the rate. */
	if (demo->recorded < RATE_SAMPLE)
		return;
	if (used > (now - demo->measured) / 2) {
		double can = (double)demo->recorded / (double)used * (double)SECOND;
		workload_set_rate(demo->workload, can > 1000 ? (uint64_t)(can * 0.7) : 1000);
	}
	demo->measured = now;
	demo->measured_cpu = cpu;
	demo->recorded = 0;
}

/* Sleep until a time of the clock.  Returns false if a signal asks us to stop. */
static bool sleep_until(const struct demo *demo, uint64_t time)
{
	uint64_t now = monotonic_now(), left = time > now ? time - now : 0;
	struct timespec ts = {.tv_sec = (time_t)(left / SECOND), .tv_nsec = (long)(left % SECOND)};

	return sigtimedwait(&demo->signals, NULL, &ts) < 0;
}

/* Play a workload until its time is over or a signal asks us to stop.  Returns a status of the library. */
static int demo_play(struct demo *demo, struct workload_options workload)
{
	uint64_t step = workload.rate >= BUSY_RATE ? STEP_BUSY : STEP_CALM;
	double most = BURST_EVENTS * workload.domains / (double)workload.rate * (double)SECOND;
	uint64_t burst = most > 2 * (double)step ? (uint64_t)most : 2 * step, last;
	uint64_t seconds = demo->options.seconds_ns, now = monotonic_now(), start = now;

	demo->workload = workload_create(&workload);
	if (demo->workload == NULL)
		return RTEV_E_NOMEM;
	demo->domains[0] = rtev_producer_main(demo->producer);
	demo->base = demo->measured = now;
	demo->measured_cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	int status = next_round(demo);
	while (status == RTEV_OK) {
		last = now;
		now = monotonic_now();
		if (now - demo->base - demo->until > BEHIND_MAX)
			catch_up(demo, now);
		uint64_t due = now - demo->base, step_on = (now - last) * 3 / 2;
		step_on = step_on < burst ? step_on : burst;
		demo->until = due < demo->until + step_on ? due : demo->until + step_on;
		while (status == RTEV_OK && play_scripts(demo) && demo->round.end <= demo->until)
			status = next_round(demo);
		reap_child(demo, WNOHANG);
		if ((seconds != 0 && now - start >= seconds) || !sleep_until(demo, now + step))
			break;
	}

	for (unsigned slot = 1; slot < demo->options.domains; slot++)
		rtev_domain_detach(demo->domains[slot]);
	rtev_domain_set_stamp(demo->domains[0], 0);
	if (demo->child != 0) {
		kill(demo->child, SIGTERM);
		reap_child(demo, 0);
	}
	workload_destroy(demo->workload);
	return status;
}

/* Start recording and report the path of the ring; *wanted: the caller wants the demo to continue.  Returns a
 * status of the library. */
static int demo_start(struct demo *demo, bool *wanted)
{
	const struct rtev_producer_options options = {.size = sizeof(options),
	    .dir = demo->options.dir,
	    .domains = RTEV_DOMAINS_DEFAULT,
	    .release = RTEV_RELEASE_5_3,
	    .environment = true};
	char path[4200];

	int status = rtev_producer_create(&demo->producer, &options);
	if (status == RTEV_OK)
		status = register_users(demo);
	if (status == RTEV_OK)
		status = rtev_producer_start(demo->producer, rtev_producer_main(demo->producer));
	if (status == RTEV_OK)
		status = rtev_producer_path(demo->producer, path, sizeof(path));
	if (status != RTEV_OK)
		return status;
	*wanted = demo->options.started(demo->options.ctx, path);
	return status;
}

void demo_block_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, signals, NULL);
}

struct demo_result demo_run(const struct demo_options *options)
{
	struct demo demo = {.options = *options};
	struct demo_result result = {.status = RTEV_OK};

	demo_block_signals(&demo.signals);
	result.status = demo_start(&demo, &result.wanted);
	if (result.status == RTEV_OK && result.wanted)
		result.status = demo_play(&demo, (struct workload_options){.domains = options->domains,
						     .rate = options->rate,
						     .seed = options->seed,
						     .pause = options->pause,
						     .fork = true});
	rtev_producer_destroy(demo.producer);
	return result;
}
