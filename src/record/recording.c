/*
 * recording.c - a recording and the file it goes to.
 */
#include "record/recording.h"

#include <unistd.h>

#include "record/system_note.h"
#include "record/tracks.h"
#include "core/clock.h"

#define BUFFERS_DEFAULT 128	      /* of RECORD_BUFFER bytes */
#define ROOM_LEAST(all) ((all)*3 / 8) /* with fewer free buffers, reading of the rings has to wait */
#define STEP_NS 500000000u	      /* interval at which buffers are passed to the disk */
#define MOMENT_NS 100000u	      /* clock readings this close count as one moment */
#define MOMENT_TRIES 20		      /* the last of so many tries counts in any case */
#define SETTLED_NS 1000000000u	      /* events are delivered within this time */

struct recording {
	struct recording_source source;
	struct model *model;
	struct tracks *record; /* NULL once ended */
	struct disk *disk;
	unsigned buffers;
	int status;
	uint64_t begun, next_step;
	uint64_t attach_ts; /* the attach that a replay's totals start from; 0: the first event */
	char name[320];
};

/* The pid that the name of a ring file begins with, else 1. */
static int64_t pid_of_name(const char *name)
{
	char digits[16];
	size_t len = strspn(name, "0123456789");
	const char *problem = "";
	long long pid = 1;

	if (len > 0 && len < sizeof(digits)) {
		strlcpy(digits, name, len + 1);
		pid = strtonum(digits, 1, INT32_MAX, &problem);
	}
	return problem == NULL ? pid : 1;
}

/* One moment on three clocks. */
struct moment {
	uint64_t stamp, boot;
	int64_t wall;
};

/* Read the clocks.  Returns false if that took too long for one moment. */
static bool moment_read(struct moment *out)
{
	out->stamp = monotonic_now();
	out->boot = clock_ns(CLOCK_BOOTTIME);
	out->wall = (int64_t)clock_ns(CLOCK_REALTIME);
	return monotonic_now() - out->stamp < MOMENT_NS;
}

/* Check whether the machine has slept. */
static void look_for_sleep(struct recording *r)
{
	struct moment m;

	if (moment_read(&m) && m.boot > m.stamp)
		tracks_sleep(r->record, m.stamp, m.boot - m.stamp);
}

/* Ask for the target. */
static struct recording_target target_now(const struct recording *r)
{
	struct recording_target target = {.pid = 0};

	r->source.target(r->source.ctx, &target);
	return target;
}

/* Describe the subject to the record. */
static void subject(void *ctx, struct record_subject *out)
{
	struct recording *r = ctx;
	const struct recording_target target = target_now(r);
	struct moment m;

	out->pid = target.pid > 0 ? target.pid : pid_of_name(target.name);
	snprintf(r->name, sizeof(r->name), "%s%s%s", target.name, target.ocaml != NULL ? " OCaml " : "",
	    target.ocaml != NULL ? target.ocaml : "");
	out->name = r->name;
	out->program = target.name;
	out->ocaml = target.ocaml;
	out->ocaml_from = target.ocaml_from;
	out->live = r->attach_ts != 0;
	out->attach_ts = r->attach_ts;
	if (target.pid == 0)
		return;
	for (unsigned i = 0; i < MOMENT_TRIES && !moment_read(&m); i++)
		continue;
	out->base_ts = m.stamp;
	out->base_boot = m.boot;
	out->base_wall = m.wall;
}

/* The attach that a replay starts from: the present if the model has received events before. */
static uint64_t attach_of(const struct model *m)
{
	const struct model_totals t = model_totals(m);

	if (t.since_ts == 0 || !t.seen)
		return t.since_ts;
	return t.now > t.last_ts ? t.now : t.last_ts;
}

/* Create the record.  Returns 0 or ENOMEM. */
static int record_make(struct recording *r, bool json)
{
	struct record_sink *sink =
	    json ? record_json_create(r->disk, r->model) : record_fxt_create(r->disk, r->model);

	if (sink == NULL)
		return ENOMEM;
	r->record = tracks_create(sink, r->model, r->source.schedulers, subject, r);
	if (r->record != NULL)
		return 0;
	sink->finish(sink);
	return ENOMEM;
}

static void put_note(void *ctx, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	recording_note(ctx, kind, ts, data, len);
}

int recording_create(struct recording **out, const struct recording_options *options)
{
	struct recording *r = calloc(1, sizeof(*r));
	int error = r != NULL ? 0 : ENOMEM;

	if (error != 0)
		goto fail;
	r->source = options->source;
	r->model = options->model;
	r->attach_ts = attach_of(options->model);
	r->buffers = options->buffers != 0 ? options->buffers : BUFFERS_DEFAULT;
	r->begun = monotonic_now();
	r->next_step = r->begun + STEP_NS;
	struct disk_file file = options->file;
	file.tail = options->json ? RECORD_JSON_TAIL : RECORD_FXT_TAIL;
	error = disk_create(&r->disk, &file, RECORD_BUFFER, r->buffers);
	if (error == 0)
		error = record_make(r, options->json);
	if (error != 0)
		goto fail;
	if (r->attach_ts != 0 && r->source.schedulers != NULL)
		system_note_fibers(r->source.schedulers, true, r->attach_ts, put_note, r);
	if (r->attach_ts != 0)
		system_note_heaps(r->model, r->attach_ts, put_note, r);
	*out = r;
	return 0;
fail:
	if (r == NULL || r->disk == NULL) {
		close(options->file.fd);
	} else {
		disk_abandon(r->disk);
		disk_close(r->disk);
	}
	free(r);
	return error;
}

void recording_note(struct recording *r, uint32_t kind, uint64_t ts, const void *data, size_t len)
{
	if (r->record != NULL)
		tracks_note(r->record, kind, ts, data, len);
}

bool recording_step(struct recording *r, uint64_t now)
{
	if (r->record == NULL)
		return false;
	look_for_sleep(r);
	if (now < r->next_step)
		return false;
	r->next_step = now + STEP_NS;
	bool live = target_now(r).live;
	if (live)
		model_set_now(r->model, now);
	tracks_pass_on(r->record, live && now > SETTLED_NS ? now - SETTLED_NS : 0);
	return true;
}

struct recording_state recording_look(const struct recording *r)
{
	const struct disk_state disk = disk_look(r->disk);

	return (struct recording_state){.room = r->record == NULL || disk.room >= ROOM_LEAST(r->buffers),
	    .done = r->record == NULL && disk.ended,
	    .error = disk.error,
	    .bytes = disk.bytes,
	    .written = disk.written,
	    .begun = r->begun};
}

void recording_end(struct recording *r, uint64_t stamp)
{
	if (r->record == NULL)
		return;
	int status = tracks_finish(r->record, stamp);
	if (status != RTEV_OK)
		r->status = status;
	r->record = NULL;
	disk_end(r->disk);
}

void recording_abandon(struct recording *r)
{
	disk_abandon(r->disk);
}

struct recording_result recording_close(struct recording *r)
{
	struct recording_result result = {0};

	if (r == NULL)
		return result;
	result.bytes = disk_look(r->disk).bytes;
	result.status = r->status;
	const struct disk_result written = disk_close(r->disk);
	result.error = written.error;
	result.torn = written.torn;
	free(r);
	return result;
}
