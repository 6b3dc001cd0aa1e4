/*
 * flight.c - the flight recorder.
 *
 * A *dump* is a file in the making.  The observer of pauses only requests it (wanted), and a longer pause may
 * extend its *window* until the watermark has passed the end of it.  Then the store is played, a piece in each
 * turn (playing), and finally the disk's thread writes the rest (writing).
 */
#include "record/flight.h"

#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "fibers/schedulers.h"
#include "record/system_note.h"
#include "record/trail.h"
#include "trail/store.h"

#define DUMPS 4		      /* dumps at a time; at most one has an open window */
#define BUFFERS 32	      /* buffers of 64 KiB for each dump */
#define PIECE 16384	      /* events played in one step */
#define TRIM_NS 50000000u     /* between two trims of the store */
#define DISK_WAIT_NS 1000000u /* between two checks of a slow disk */

enum dump_state { DUMP_NONE, DUMP_WANTED, DUMP_PLAYING, DUMP_WRITING };

struct dump {
	enum dump_state state;
	uint64_t number; /* in order of creation, which is the order of reports */
	struct flight_file file;
	uint64_t until, latest; /* end of the window, and how far it may be extended */
	uint64_t from;		/* stamp at which the file starts */
	bool begun;		/* the file has started */
	struct trail *player;
	struct model *model;
	struct stw *stw;
	struct schedulers *schedulers;
	struct recording *recording;
	int fd; /* -1 once the recording owns it */
	const struct flight_options *options;
};

struct flight {
	struct flight_options options;
	struct trail_store *store;
	struct record_trail *trail; /* writes to the store */
	struct naming naming;
	struct dump dumps[DUMPS];
	bool ended;
	uint64_t end;
	bool had;			  /* some pause has had a file */
	uint64_t last_end, last_duration; /* of the pause that the latest file is about */
	uint64_t skipped;		  /* since the last file */
	uint64_t next_trim;
	uint64_t dumps_ever;
	struct flight_totals totals;
};

/* The latest dump with an open window, or NULL. */
static struct dump *window(struct flight *f)
{
	struct dump *latest = NULL;

	for (int i = 0; i < DUMPS; i++) {
		struct dump *d = &f->dumps[i];
		if (d->state == DUMP_WANTED && (latest == NULL || d->number > latest->number))
			latest = d;
	}
	return latest;
}

/* Record a pause that is ending, or still going on. */
static void pause_note(
    struct flight *f, struct flight_pause *out, unsigned domain, const struct model_span *span)
{
	const struct model_phase *inside = model_inside(f->options.model, domain, &out->inside_count);

	out->domain = domain;
	out->begin = span->begin;
	out->duration = span->end - span->begin;
	out->self = span->self;
	out->phase = span->phase;
	out->open = false;
	out->user = model_user_around(f->options.model, domain, span->begin);
	if (out->inside_count > 0)
		memcpy(out->inside, inside, out->inside_count * sizeof(*inside));
}

/* Set the pause that a dump is about. */
static void dump_about(struct flight *f, struct dump *d, unsigned domain, const struct model_span *span)
{
	uint64_t until = span->end + FLIGHT_AFTER_NS;

	pause_note(f, &d->file.pause, domain, span);
	d->file.wall = (int64_t)clock_ns(CLOCK_REALTIME) - (int64_t)(monotonic_now() - span->begin);
	d->until = until < d->latest ? until : d->latest;
	f->had = true;
	f->last_end = span->end;
	f->last_duration = span->end - span->begin;
}

/* Assign a long pause to a file, start a file for it, or count it. */
static struct dump *pause_take(struct flight *f, unsigned domain, const struct model_span *span)
{
	uint64_t duration = span->end - span->begin;
	struct dump *d = window(f);

	if (d != NULL && span->end <= d->until) {
		const struct flight_pause *about = &d->file.pause;
		bool longer = duration > about->duration;
		/* This file may lack what led up to a pause that began much earlier. */
		if (!longer || span->begin + FLIGHT_AFTER_NS >= about->begin) {
			d->file.others++;
			if (longer)
				dump_about(f, d, domain, span);
			return longer ? d : NULL;
		}
	}
	for (d = f->dumps; d < f->dumps + DUMPS && d->state != DUMP_NONE; d++)
		continue;
	if (d == f->dumps + DUMPS ||
	    (f->had && span->end < f->last_end + FLIGHT_RATE_NS && duration <= f->last_duration)) {
		f->totals.skipped++;
		f->skipped++;
		return NULL;
	}
	*d = (struct dump){.state = DUMP_WANTED,
	    .number = f->dumps_ever++,
	    .latest = span->end + FLIGHT_RATE_NS,
	    .from = span->begin > FLIGHT_BEFORE_NS ? span->begin - FLIGHT_BEFORE_NS : 0};
	dump_about(f, d, domain, span);
	d->file.skipped = f->skipped;
	f->skipped = 0;
	return d;
}

/* A span has ended. */
static void on_closed(void *ctx, unsigned domain, const struct model_span *span)
{
	struct flight *f = ctx;

	if (span->pause && span->end - span->begin > f->options.pause_ns && !f->ended)
		pause_take(f, domain, span);
}

static void on_blob(void *ctx, enum trail_blob blob, const void *data, size_t len)
{
	trail_store_put(ctx, blob, data, len);
}

struct flight *flight_create(const struct flight_options *options)
{
	struct flight *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return NULL;
	f->options = *options;
	f->naming =
	    (struct naming){.where = options->where, .ending = options->json ? ".json" : ".fxt", .number = 1};
	const struct model_observer observer = {.ctx = f, .closed = on_closed};
	f->store = trail_store_create();
	if (f->store == NULL)
		goto failed;
	f->trail = record_trail_create(
	    options->model, &(struct record_trail_calls){.ctx = f->store, .blob = on_blob});
	if (f->trail == NULL || !model_observe(options->model, &observer))
		goto failed;
	return f;
failed:
	record_trail_destroy(f->trail);
	trail_store_destroy(f->store);
	free(f);
	return NULL;
}

static void begin_recording(struct dump *d)
{
	struct recording_options options = {.file.fd = d->fd,
	    .json = d->options->json,
	    .buffers = BUFFERS,
	    .source = d->options->source,
	    .model = d->model};

	options.source.schedulers = d->schedulers;
	d->fd = -1;
	d->begun = true;
	d->file.error = recording_create(&d->recording, &options);
}

/* Free what playing needed. */
static void dump_unload(struct dump *d)
{
	trail_close(d->player);
	schedulers_destroy(d->schedulers);
	stw_destroy(d->stw);
	model_destroy(d->model);
	d->player = NULL;
	d->schedulers = NULL;
	d->stw = NULL;
	d->model = NULL;
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

/* Report a finished or failed file and free its slot. */
static void dump_tell(struct flight *f, struct dump *d)
{
	dump_unload(d);
	d->state = DUMP_NONE;
	if (d->file.error != 0 && d->file.made && naming_discard(d->file.path))
		d->file.made = false;
	if (d->file.error == 0 && d->file.status == RTEV_OK)
		f->totals.files++;
	else
		f->totals.failed++;
	f->options.report(f->options.ctx, &d->file);
}

/* Open the file and what playing needs.  Returns 0 or an errno. */
static int dump_load(struct flight *f, struct dump *d)
{
	struct recording_target target = {.pid = 0};
	struct model_observer observer;
	uint64_t key;

	d->options = &f->options;
	f->options.source.target(f->options.source.ctx, &target);
	f->naming.name = target.name;
	f->naming.pid = target.pid;
	d->fd = naming_open(&f->naming, d->file.wall / 1000000000, d->file.path);
	if (d->fd < 0)
		return errno;
	d->file.made = true;
	record_trail_flush(f->trail);
	d->player = trail_store_open(f->store, d->from);
	if (d->player == NULL)
		return ENOMEM;
	/* The events of the file are those of a running target that was observed all the time. */
	bool later = trail_next(d->player, &key) && key > d->from;
	d->model = model_create(&(struct model_options){.attach_ts = later ? key : d->from});
	d->stw = stw_create();
	d->schedulers = d->model != NULL ? schedulers_create(d->model) : NULL;
	if (d->schedulers == NULL || d->stw == NULL)
		return ENOMEM;
	if (f->options.source.schedulers != NULL)
		system_note_fibers(f->options.source.schedulers, false, d->from, system_notes_take,
		    &(struct system_notes){.schedulers = d->schedulers});
	stw_observer(d->stw, &observer);
	stw_look_into(d->stw, d->model);
	return model_observe(d->model, &observer) ? 0 : ENOMEM;
}

static void dump_begin(struct flight *f, struct dump *d)
{
	d->fd = -1;
	d->state = DUMP_PLAYING;
	d->file.error = dump_load(f, d);
	if (d->file.error != 0)
		dump_tell(f, d);
}

/* Find the longest stop of the world during the pause. */
static void find_stop(struct dump *d)
{
	const struct flight_pause *p = &d->file.pause;
	uint64_t most = 0, end = p->begin + p->duration;

	stw_advance(d->stw, UINT64_MAX);
	for (size_t i = 0; i < stw_recent_count(d->stw); i++) {
		const struct stw_stop *stop = stw_recent(d->stw, i);
		uint64_t from = stop->begin > p->begin ? stop->begin : p->begin;
		uint64_t to = stop->begin + stop->duration < end ? stop->begin + stop->duration : end;
		if (stop->partial || stop->kind == STW_SOLO || to <= from || to - from <= most)
			continue;
		most = to - from;
		d->file.stopped = true;
		d->file.stop = *stop;
	}
}

/* Describe whom the pause waited for, and the program's span around it. */
static void find_blame(struct dump *d)
{
	const struct flight_pause *p = &d->file.pause;
	struct blame blame;

	bool blamed = blame_pause(d->stw, p->domain, p->begin, p->begin + p->duration, &blame);
	blame_text(blamed ? &blame : NULL, blame_hit(d->options->model, p->user), d->model, d->file.why,
	    sizeof(d->file.why));
}

/* Everything has been played: end the recording. */
static void dump_end(struct dump *d)
{
	if (!d->begun)
		begin_recording(d);
	model_finish(d->model);
	find_stop(d);
	find_blame(d);
	if (model_status(d->model) != RTEV_OK)
		d->file.status = model_status(d->model);
	if (d->recording != NULL)
		recording_end(d->recording, d->until);
	dump_unload(d);
	d->state = DUMP_WRITING;
}

static bool has_failed(const struct dump *d)
{
	return d->begun && (d->recording == NULL || recording_look(d->recording).error != 0);
}

/* Copy a note from the store into the file. */
static void on_note(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	const struct dump *d = ctx;

	if (d->recording != NULL)
		recording_note(d->recording, kind, ts, data, len);
}

void flight_note(struct flight *f, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	record_trail_note(f->trail, kind, ts, data, len);
}

/* Play a piece.  Returns true if more can be played at once. */
static bool dump_play(struct dump *d)
{
	struct trail_sink sink = record_trail_sink(d->model);
	uint64_t left = PIECE, key;

	sink.note = on_note;
	sink.note_ctx = d;
	if (!has_failed(d) && d->recording != NULL && !recording_look(d->recording).room)
		return false;
	if (!d->begun) {
		if (d->from > 0)
			left -= trail_feed(d->player, &sink, d->from - 1, left);
		if (trail_next(d->player, &key) && key >= d->from)
			begin_recording(d);
	}
	if (d->begun && !has_failed(d))
		left -= trail_feed(d->player, &sink, d->until, left);
	if (has_failed(d) || left > 0) {
		dump_end(d);
		return false;
	}
	return true;
}

static struct dump *oldest(struct flight *f)
{
	struct dump *first = NULL;

	for (int i = 0; i < DUMPS; i++)
		if (f->dumps[i].state != DUMP_NONE && (first == NULL || f->dumps[i].number < first->number))
			first = &f->dumps[i];
	return first;
}

/* Report a dump if its file is complete; with `wait`, wait for that. */
static void dump_check(struct flight *f, struct dump *d, bool wait)
{
	if (d->recording != NULL && !wait && !recording_look(d->recording).done)
		return;
	if (d->recording != NULL) {
		const struct recording_result result = recording_close(d->recording);
		d->recording = NULL;
		d->file.error = result.error;
		d->file.torn = result.torn;
		if (d->file.status == RTEV_OK)
			d->file.status = result.status;
	}
	dump_tell(f, d);
}

/* Return a stamp: no pause that may still end needs the events before it. */
static uint64_t horizon(const struct flight *f, uint64_t watermark)
{
	MODEL_FOREACH (d, f->options.model) {
		const struct model_open_span *pause = model_open_pause(d);
		if (pause != NULL && pause->begin < watermark)
			watermark = pause->begin;
	}
	return watermark > FLIGHT_BEFORE_NS ? watermark - FLIGHT_BEFORE_NS : 0;
}

/* Drop from the store what is no longer needed: for a dump that is wanted there is more room. */
static void trim(struct flight *f, uint64_t now, uint64_t watermark)
{
	uint64_t keep = UINT64_MAX, from = horizon(f, watermark);
	size_t budget = FLIGHT_BYTES;

	if (now < f->next_trim && trail_store_bytes(f->store) <= FLIGHT_BYTES)
		return;
	f->next_trim = now + TRIM_NS;
	for (const struct dump *d = f->dumps; d < f->dumps + DUMPS; d++) {
		uint64_t needed = d->state == DUMP_PLAYING ? trail_store_needed(d->player) : UINT64_MAX;
		keep = needed < keep ? needed : keep;
		if (d->state != DUMP_WANTED)
			continue;
		from = d->from < from ? d->from : from;
		budget = FLIGHT_MOST;
	}
	trail_store_trim(f->store, from, budget, keep);
}

bool flight_room(const struct flight *f)
{
	return trail_store_bytes(f->store) <= FLIGHT_MOST;
}

bool flight_step(struct flight *f, uint64_t now, uint64_t watermark)
{
	bool more = false, full = !flight_room(f);

	for (int i = 0; i < DUMPS; i++) {
		struct dump *d = &f->dumps[i];
		if (d->state == DUMP_WANTED && (watermark > d->until || full || f->ended))
			dump_begin(f, d);
		if (d->state == DUMP_PLAYING)
			more |= dump_play(d);
		if (d->state == DUMP_WRITING && d == oldest(f))
			dump_check(f, d, false);
	}
	trim(f, now, watermark);
	return more;
}

/* Until when open spans are known to last: a target that has paused its events tells nothing later. */
static uint64_t known_until(const struct flight *f, uint64_t end)
{
	size_t count;
	const struct model_target_pause *pauses = model_target_pauses(f->options.model, &count);

	return count > 0 && pauses[count - 1].from < end && pauses[count - 1].to == UINT64_MAX
		   ? pauses[count - 1].from
		   : end;
}

void flight_end(struct flight *f, uint64_t end)
{
	if (f->ended)
		return;
	uint64_t known = known_until(f, end);
	MODEL_FOREACH (d, f->options.model) {
		const struct model_open_span *pause = model_open_pause(d);
		if (pause == NULL || known <= pause->begin || known - pause->begin <= f->options.pause_ns)
			continue;
		const struct model_span so_far = {.begin = pause->begin,
		    .end = known,
		    .self = known - pause->begin > pause->inside ? known - pause->begin - pause->inside : 0,
		    .phase = pause->phase,
		    .pause = true};
		struct dump *dump = pause_take(f, d->domain, &so_far);
		if (dump != NULL)
			dump->file.pause.open = true;
	}
	f->ended = true;
	for (struct dump *d = f->dumps; d < f->dumps + DUMPS; d++)
		d->until = d->state == DUMP_WANTED && d->until > end ? end : d->until;
}

void flight_finish(struct flight *f)
{
	const struct timespec pause = {.tv_nsec = DISK_WAIT_NS};

	for (struct dump *d; (d = oldest(f)) != NULL;) {
		if (d->state == DUMP_WANTED)
			dump_begin(f, d);
		while (d->state == DUMP_PLAYING)
			if (!dump_play(d) && d->state == DUMP_PLAYING)
				nanosleep(&pause, NULL);
		if (d->state == DUMP_WRITING)
			dump_check(f, d, true);
	}
}

void flight_destroy(struct flight *f)
{
	if (f == NULL)
		return;
	model_unobserve(f->options.model, f);
	for (int i = 0; i < DUMPS; i++) {
		struct dump *d = &f->dumps[i];
		if (d->state != DUMP_PLAYING && d->state != DUMP_WRITING)
			continue;
		if (d->recording != NULL)
			recording_end(d->recording, d->until);
		recording_close(d->recording);
		dump_unload(d);
	}
	record_trail_destroy(f->trail);
	trail_store_destroy(f->store);
	free(f);
}

int flight_status(const struct flight *f)
{
	return record_trail_sound(f->trail) && trail_store_sound(f->store) ? RTEV_OK : RTEV_E_NOMEM;
}

void flight_totals(const struct flight *f, struct flight_totals *out)
{
	*out = f->totals;
	out->bytes = trail_store_bytes(f->store);
}
