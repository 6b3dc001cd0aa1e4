/*
 * fiber_tracks.c - write the runs, lives, waits and flows of fibers, with a fixed number of tracks and of
 * names.
 */
#include "record/tracks_private.h"

#define LIVES RECORD_FIBERS_MAX
#define LIFE_WAYS 16u	/* places that a fiber's track may have, from that of its number on */
#define NAME_WAYS 8u	/* places that a name may have, from that of its hash on */
#define NAME_SIZE 200u	/* longer names are cut */
#define GIFT_SETS 1024u /* sets of gifts, by what is given */
#define GIFT_WAYS 4u	/* gifts in each set: the latest */
#define FLOWS 16u	/* flows that lead to or from one run */

/* What a fiber gives in a run: an object, or a child that it forks. */
struct gift {
	uint64_t id, ts; /* ts 0: none */
	unsigned domain;
	uint32_t run, cuts; /* the domain's at that time */
	bool fork, taken;
};

struct flow {
	struct gift gift;
	unsigned domain; /* of the run that gets it */
	uint64_t ts;
};

/* The runs of a domain. */
struct runs {
	unsigned domain;
	uint32_t run;	      /* number of the latest run */
	uint32_t cuts;	      /* how often a run was not seen to its end */
	bool open;	      /* the latest run is open */
	uint64_t begin, last; /* begin of the latest run, and end of the latest slice */
	uint64_t gave_ts;     /* when its fiber last gave something; 0: it has not */
	/* Before this run the fiber waited since `since`, for `object` if `wanted`. */
	bool waited, wanted, shared; /* `shared`: the object is given to all that wait for it */
	uint64_t since, object;
	unsigned flow_count;
	struct flow flows[FLOWS]; /* flows whose other run is written, or will be after this one */
};

/* A fiber that has a track. */
struct life {
	bool used, ended, has_track;
	unsigned domain;
	uint64_t fiber, begin, last;
	uint64_t
	    waited; /* end of its latest wait, later than `begin` so that readers can tell which slice is the
		     * outer one */
	struct record_label name;
};

struct name {
	uint8_t len; /* 0: none */
	char text[NAME_SIZE];
};

struct fiber_tracks {
	struct tracks *record;
	struct schedulers *schedulers;
	uint64_t flows_ever;
	struct runs *runs[MODEL_DOMAINS_MAX];
	struct life lives[LIVES];
	struct gift gifts[GIFT_SETS][GIFT_WAYS];
	struct name names[RECORD_FIBER_NAMES];
	char spare[NAME_SIZE]; /* the latest text without a place in `names` */
};

/* ---- names ---- */

/* Return the label of a text.  A text without a place is written each time; its label is valid until the next
 * one. */
static struct record_label label_of(struct fiber_tracks *t, const char *text, size_t len)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	struct record_label label = {.kind = RECORD_LABEL_FIBER, .number = UINT32_MAX, .text = t->spare};

	if (len == 0)
		return tracks_own(RECORD_FIBER);
	label.len = len < NAME_SIZE ? len : NAME_SIZE;
	for (size_t i = 0; i < label.len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	for (uint32_t i = 0; i < NAME_WAYS; i++) {
		uint32_t at = (hash + i) % RECORD_FIBER_NAMES;
		struct name *name = &t->names[at];
		if (name->len == 0) {
			name->len = (uint8_t)label.len;
			memcpy(name->text, text, label.len);
		}
		if (name->len == label.len && memcmp(name->text, text, label.len) == 0) {
			label.number = at;
			label.text = name->text;
			return label;
		}
	}
	memcpy(t->spare, text, label.len);
	return label;
}

/* Append a text to a name, with `between` before it. */
static size_t name_add(char *name, size_t len, const char *between, struct fiber_text text)
{
	if (text.len == 0)
		return len;
	if (len > 0)
		len += (size_t)snprintf(name + len, 3, "%s", between);
	memcpy(name + len, text.text, text.len);
	return len + text.len;
}

/* Return the label of a path and a span, which may be NULL. */
static struct record_label path_label(
    struct fiber_tracks *t, struct fiber_path path, const struct fiber_text *span)
{
	char name[FIBER_PATH_SIZE + 2 + FIBERS_TEXT];
	int printed = fiber_path_print(path, name, FIBER_PATH_SIZE);
	size_t len = printed > 0 ? (size_t)printed : 0;

	return label_of(t, name, span != NULL ? name_add(name, len, ": ", *span) : len);
}

/* Return the label of an operation and the object that it waits for. */
static struct record_label wait_label(struct fiber_tracks *t, const struct fiber_row *row)
{
	char name[2 * FIBERS_TEXT + 2];

	return label_of(t, name, name_add(name, name_add(name, 0, "", row->op), " ", row->name));
}

/* ---- writing ---- */

static void write_event(struct fiber_tracks *t, const struct record_event *event)
{
	tracks_start(t->record);
	record_clock_event(&t->record->clock, t->record->sink, event);
}

static void track_name(
    struct fiber_tracks *t, unsigned track, const char *before, unsigned number, const char *after)
{
	char name[32];

	snprintf(name, sizeof(name), "%s%u%s", before, number, after);
	tracks_start(t->record);
	t->record->sink->track(t->record->sink, track, name);
}

/* Write a slice of a fiber, with one more number if `extra` is a word. */
static void slice_write(struct fiber_tracks *t, struct record_event event, uint64_t fiber,
    enum record_word extra, uint64_t number, bool open)
{
	struct record_arg args[3] = {{.name = tracks_own(RECORD_FIBER), .value = (int64_t)fiber}};

	event.category = RECORD_FIBER;
	event.arg_count = 1;
	event.args = args;
	if (extra != RECORD_WORD_COUNT)
		args[event.arg_count++] =
		    (struct record_arg){.name = tracks_own(extra), .value = (int64_t)number};
	if (open)
		args[event.arg_count++] = tracks_flag(RECORD_OPEN);
	write_event(t, &event);
}

/* ---- lives ---- */

/* Write the life of a fiber, which frees its track. */
static void life_write(struct fiber_tracks *t, struct life *life, bool open)
{
	slice_write(t,
	    (struct record_event){.kind = RECORD_SLICE,
		.track = RECORD_TRACK_FIBERS + (unsigned)(life - t->lives),
		.name = life->name,
		.begin = life->begin,
		.end = life->last},
	    life->fiber, RECORD_WORD_COUNT, 0, open);
	life->used = false;
}

/* Return the life of a fiber, begun at `ts` if it is new.  NULL: all places that it may have are taken. */
static struct life *life_of(struct fiber_tracks *t, uint64_t fiber, unsigned domain, uint64_t ts)
{
	struct life *spare = NULL;

	for (unsigned i = 0; i < LIFE_WAYS; i++) {
		struct life *life = &t->lives[(fiber + i) % LIVES];
		if (life->used && life->fiber == fiber && life->domain == domain)
			return life;
		/* `last` may be later than `ts`, because domains are not read in the order of time. */
		if (spare == NULL && (!life->used || life->ended) && life->last <= ts)
			spare = life;
	}
	if (spare == NULL)
		return NULL;
	if (spare->used)
		life_write(t, spare, false);
	if (!spare->has_track)
		track_name(t, RECORD_TRACK_FIBERS + (unsigned)(spare - t->lives), "fibers ",
		    (unsigned)(spare - t->lives), "");
	*spare = (struct life){.used = true,
	    .has_track = true,
	    .domain = domain,
	    .fiber = fiber,
	    .begin = ts,
	    .last = ts,
	    .waited = sum_saturating(ts, 1),
	    .name = tracks_own(RECORD_FIBER)};
	return spare;
}

/* Extend a life to `ts` at least, with the name of a path.  A name from `spare` is not kept. */
static void life_on(struct fiber_tracks *t, struct life *life, uint64_t ts, struct fiber_path path)
{
	const struct record_label name = path_label(t, path, NULL);

	life->name = name.number != UINT32_MAX ? name : life->name;
	life->last = ts > life->last ? ts : life->last;
}

/* Write a wait. */
static void wait_write(struct fiber_tracks *t, const struct fiber_row *row, uint64_t end, bool open)
{
	uint64_t begin = end > row->since_ns ? end - row->since_ns : 0;
	struct life *life = life_of(t, row->id, row->domain, begin);
	struct record_event event = {.kind = RECORD_ASYNC,
	    .track = RECORD_TRACK_RUNS + row->domain,
	    .id = UINT64_C(1) << 63 | row->id, /* other asynchronous slices have smaller numbers */
	    .begin = begin,
	    .end = end};

	if (life != NULL) {
		event.kind = RECORD_SLICE;
		event.track = RECORD_TRACK_FIBERS + (unsigned)(life - t->lives);
		event.begin = begin > life->waited ? begin : life->waited;
		event.end = life->waited = end > event.begin ? end : event.begin;
		life_on(t, life, event.end, row->path);
	}
	event.name = wait_label(t, row);
	slice_write(t, event, row->id, row->wants ? RECORD_OBJECT : RECORD_WORD_COUNT, row->object, open);
}

/* ---- runs and flows ---- */

/* Return the runs of a domain, created on first use.  NULL when memory ran out. */
static struct runs *runs_of(struct fiber_tracks *t, unsigned domain)
{
	if (t->runs[domain] == NULL && (t->runs[domain] = calloc(1, sizeof(struct runs))) != NULL) {
		t->runs[domain]->domain = domain;
		track_name(t, RECORD_TRACK_RUNS + domain, "D", domain, " fibers");
	}
	t->record->out_of_memory |= t->runs[domain] == NULL;
	return t->runs[domain];
}

/* Whether a stamp is in the slice of the open run. */
static bool in_run(const struct runs *r, uint64_t ts)
{
	return ts >= r->begin && ts >= r->last;
}

/* Note that the running fiber gives something. */
static void give(struct fiber_tracks *t, struct runs *r, uint64_t id, uint64_t ts, bool fork)
{
	struct gift *set = t->gifts[id % GIFT_SETS], *oldest = set;

	if (!in_run(r, ts))
		return;
	for (unsigned i = 1; i < GIFT_WAYS; i++)
		if (set[i].ts < oldest->ts)
			oldest = &set[i];
	*oldest = (struct gift){
	    .id = id, .ts = ts, .domain = r->domain, .run = r->run, .cuts = r->cuts, .fork = fork};
	r->gave_ts = ts;
}

/* Note that the running fiber got something given since `since` and before its run: the first such gift not
 * taken yet. */
static void get(
    struct fiber_tracks *t, struct runs *r, uint64_t id, uint64_t ts, bool fork, uint64_t since, bool shared)
{
	struct gift *first = NULL, *set = t->gifts[id % GIFT_SETS];

	for (unsigned i = 0; i < GIFT_WAYS; i++)
		if (set[i].id == id && set[i].fork == fork && !set[i].taken && set[i].ts > since &&
		    set[i].ts <= r->begin && set[i].cuts == t->runs[set[i].domain]->cuts &&
		    (first == NULL || set[i].ts < first->ts))
			first = &set[i];
	if (first == NULL || r->flow_count == FLOWS || !in_run(r, ts))
		return;
	first->taken = !shared;
	r->flows[r->flow_count++] = (struct flow){*first, r->domain, ts};
}

/* A run's slice has been written up to `end`: write the flows in it, unless their other run is open. */
static void flows_write(struct fiber_tracks *t, struct runs *r, uint64_t end)
{
	for (unsigned i = 0; i < r->flow_count; i++) {
		const struct flow *flow = &r->flows[i];
		struct runs *giver = t->runs[flow->gift.domain];
		bool open = giver->open && giver->run == flow->gift.run;
		if (giver->cuts != flow->gift.cuts || (flow->domain == r->domain && flow->ts >= end))
			continue;
		if (open && giver->flow_count < FLOWS)
			giver->flows[giver->flow_count++] = *flow;
		if (open)
			continue;
		write_event(t, &(struct record_event){.kind = RECORD_FLOW,
				   .track = RECORD_TRACK_RUNS + flow->gift.domain,
				   .to_track = RECORD_TRACK_RUNS + flow->domain,
				   .category = RECORD_FIBER,
				   .name = tracks_own(flow->gift.fork ? RECORD_FORK : RECORD_PUT),
				   .begin = flow->gift.ts,
				   .end = flow->ts,
				   .id = ++t->flows_ever});
	}
	r->flow_count = 0;
}

/* Close the open run without a slice, because events are missing. */
static void runs_cut(struct runs *r)
{
	r->cuts++;
	r->open = r->waited = false;
	r->flow_count = 0;
}

static void run_write(struct fiber_tracks *t, struct runs *r, const struct fiber_run *run, bool open)
{
	uint64_t begin = run->ts > r->last ? run->ts : r->last, end = run->ts + run->duration;

	/* A flow at the very end would be outside the slice. */
	end = end > begin ? end : begin;
	end = sum_saturating(end, r->gave_ts == end);
	r->open = r->waited = false;
	r->last = end;
	slice_write(t,
	    (struct record_event){.kind = RECORD_SLICE,
		.track = RECORD_TRACK_RUNS + r->domain,
		.name = path_label(t, run->path, &run->span),
		.begin = begin,
		.end = end},
	    run->fiber, run->gc_ns > 0 ? RECORD_GC_NS : RECORD_WORD_COUNT, run->gc_ns, open);
	flows_write(t, r, end);
	struct life *life = life_of(t, run->fiber, r->domain, run->ts);
	if (life == NULL)
		return;
	life_on(t, life, end, run->path);
	if (life->ended)
		life_write(t, life, false);
}

/* ---- what fibers tell ---- */

static void on_ran(void *ctx, unsigned domain, const struct fiber_run *run)
{
	struct fiber_tracks *t = ctx;
	struct runs *r = t->runs[domain];

	if (r != NULL && run != NULL)
		run_write(t, r, run, false);
	else if (r != NULL)
		runs_cut(r);
}

static void on_waited(void *ctx, uint64_t ts, const struct fiber_row *row)
{
	struct fiber_tracks *t = ctx;
	struct runs *r = runs_of(t, row->domain);

	wait_write(t, row, ts, false);
	if (r == NULL)
		return;
	r->waited = true;
	r->since = ts - row->since_ns;
	r->object = row->object;
	r->wanted = row->wants;
	r->shared = row->kind == FIBER_PROMISE;
}

static void on_took(void *ctx, unsigned domain, uint64_t ts, const struct fiber_event *event, bool inside)
{
	struct fiber_tracks *t = ctx;
	struct runs *r = event->op == FIBER_RUNS ? runs_of(t, domain) : t->runs[domain];
	struct life *life = NULL;

	if (event->op == FIBER_MADE || event->op == FIBER_FORKED || event->op == FIBER_RUNS ||
	    event->op == FIBER_ENDS)
		life = life_of(t, event->id, domain, ts);
	if (life != NULL) {
		life->last = ts > life->last ? ts : life->last;
		life->ended = event->op == FIBER_ENDS;
	}
	if (r == NULL || !inside)
		return;
	if (event->op == FIBER_RUNS) {
		/* Another scheduler's run on this domain has not ended, so it has no slice for flows. */
		if (r->open)
			runs_cut(r);
		r->run++;
		r->open = true;
		r->begin = ts;
		r->gave_ts = 0;
		get(t, r, event->id, ts, true, 0, false);
	} else if (event->op == FIBER_MADE || event->op == FIBER_FORKED || event->op == FIBER_FORKED_AWAY ||
		   event->op == FIBER_PUTS) {
		give(t, r, event->id, ts, event->op != FIBER_PUTS);
	} else if (event->op == FIBER_GETS && r->waited && (!r->wanted || r->object == event->id)) {
		r->waited = false;
		get(t, r, event->id, ts, false, r->since, r->shared);
	}
}

static void on_missed(void *ctx, unsigned domain)
{
	struct fiber_tracks *t = ctx;

	if (t->runs[domain] != NULL)
		runs_cut(t->runs[domain]);
	for (unsigned i = 0; i < LIVES; i++)
		if (t->lives[i].used && t->lives[i].domain == domain)
			life_write(t, &t->lives[i], false);
}

/* ---- the tracks as a whole ---- */

struct fiber_tracks *fiber_tracks_create(struct tracks *record, struct schedulers *schedulers)
{
	struct fiber_tracks *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->record = record;
	t->schedulers = schedulers;
	schedulers_watch(schedulers,
	    &(struct fibers_observer){
		.ctx = t, .ran = on_ran, .waited = on_waited, .took = on_took, .missed = on_missed});
	return t;
}

void fiber_tracks_finish(struct fiber_tracks *t, uint64_t end)
{
	const char *name;
	size_t count = 0;
	struct fibers *f = t != NULL ? schedulers_first(t->schedulers, &name) : NULL;
	struct fiber_row *rows = f != NULL ? fibers_list(f, end, &count) : NULL;

	if (t == NULL)
		return;
	t->record->out_of_memory |= f != NULL && rows == NULL;
	for (size_t i = 0; i < count; i++) {
		const struct fiber_row *row = &rows[i];
		struct runs *r = t->runs[row->domain];
		if (row->state == FIBER_BLOCKED && row->since_ns > 0)
			wait_write(t, row, end, true);
		else if (row->state == FIBER_RUNNING && row->since_ns > 0 && r != NULL && r->open)
			run_write(t, r,
			    &(struct fiber_run){.fiber = row->id,
				.ts = end - row->since_ns,
				.duration = row->since_ns,
				.path = row->path,
				.span = row->span},
			    true);
	}
	free(rows);
	for (unsigned i = 0; i < LIVES; i++) {
		struct life *life = &t->lives[i];
		bool open = !life->ended;
		if (life->used && open && life->last < end)
			life->last = end;
		if (life->used)
			life_write(t, life, open);
	}
}

void fiber_tracks_destroy(struct fiber_tracks *t)
{
	if (t == NULL)
		return;
	schedulers_watch(t->schedulers, &(struct fibers_observer){0});
	for (unsigned i = 0; i < MODEL_DOMAINS_MAX; i++)
		free(t->runs[i]);
	free(t);
}
