/*
 * test_flight.c - which pauses get a file, what their files hold, and what is told of them; and the names of
 * files.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fibers/schedulers.h"
#include "record/flight.h"
#include "support/fxt_parser.h"
#include "support/model_feed.h"
#include "support/replayed.h"

#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)
#define FILES_MAX 32

/* A recorder at work, and what it told of. */
struct work {
	struct feed f;
	struct schedulers *schedulers;
	struct flight *flight;
	char dir[32], where[64];
	unsigned count;
	struct flight_file files[FILES_MAX];
};

static void on_file(void *ctx, const struct flight_file *file)
{
	struct work *w = ctx;

	CHECK(w->count < FILES_MAX);
	w->files[w->count++] = *file;
}

static void target(void *ctx, struct recording_target *out)
{
	*out = (struct recording_target){.pid = 77, .name = "odd/na me", .live = true};
}

/* Begin to watch for pauses of more than 10 ms; `where` is under the directory of its own. */
static void work_open(struct work *w, const char *where)
{
	memset(w, 0, sizeof(*w));
	strcpy(w->dir, "./flight.XXXXXX");
	CHECK(mkdtemp(w->dir) != NULL);
	snprintf(w->where, sizeof(w->where), "%s/%s", w->dir, where);
	w->f = feed_open(1);
	w->schedulers = schedulers_create(w->f.m);
	CHECK(w->schedulers != NULL);
	const struct flight_options options = {.model = w->f.m,
	    .source = {.target = target, .schedulers = w->schedulers},
	    .pause_ns = 10 * MS,
	    .where = w->where,
	    .report = on_file,
	    .ctx = w};
	w->flight = flight_create(&options);
	CHECK(w->flight != NULL);
}

/* Let time pass, everything before it delivered. */
static void at(struct work *w, uint64_t now)
{
	for (int i = 0; i < 2000 && flight_step(w->flight, now, now); i++)
		continue;
}

/* A pause on a domain. */
static void pause_put(struct work *w, unsigned domain, uint64_t from, uint64_t to)
{
	begin(&w->f, domain, from, MAJOR);
	span(&w->f, domain, from + 1, from + 1 + (to - from) / 2, MINOR);
	end(&w->f, domain, to, MAJOR);
}

/* The end of it all. */
static void work_end(struct work *w, uint64_t end)
{
	flight_end(w->flight, end);
	flight_finish(w->flight);
}

static void work_close(struct work *w)
{
	flight_destroy(w->flight);
	for (unsigned i = 0; i < w->count; i++)
		unlink(w->files[i].path);
	CHECK_INT(rmdir(w->dir), 0);
	model_unobserve(w->f.m, w->schedulers);
	schedulers_destroy(w->schedulers);
	feed_close(&w->f);
}

/* What one file holds: the stamps of its first and last event, and how many slices of a name; and the words
 * of those named lost. */
struct held {
	uint64_t first, last, minors, majors, marked, lost, lost_words, servers;
};

static void look(void *ctx, const struct rtev_fxt_record *record)
{
	struct held *h = ctx;

	if (record->kind != RTEV_FXT_EVENT)
		return;
	uint64_t ts = record->u.event.ticks;
	uint64_t end = record->u.event.type == RTEV_FXT_DURATION_COMPLETE ? record->u.event.word : ts;
	h->first = h->first == 0 || ts < h->first ? ts : h->first;
	h->last = end > h->last ? end : h->last;
	h->minors += record->u.event.name.len == 5 && memcmp(record->u.event.name.data, "minor", 5) == 0;
	h->majors += record->u.event.name.len == 5 && memcmp(record->u.event.name.data, "major", 5) == 0;
	h->servers += record->u.event.name.len == 6 && memcmp(record->u.event.name.data, "server", 6) == 0;
	bool lost = record->u.event.name.len == 4 && memcmp(record->u.event.name.data, "lost", 4) == 0;
	h->lost += lost;
	if (lost)
		h->lost_words += (uint64_t)record->u.event.args.list[0].value.i;
	for (unsigned n = 0; n < record->u.event.args.count; n++)
		h->marked += record->u.event.args.list[n].name.len == 4;
}

static struct held hold(const struct flight_file *file)
{
	const struct rtev_fxt_reader_options options = {.size = sizeof(options), .allow_base = true};
	struct fxt_inspection *inspection = fxt_inspection_create();
	struct held h = {0};
	size_t size;

	unsigned char *data = bytes_of_file(file->path, &size);
	CHECK(data != NULL);
	struct fxt_walk walk = fxt_walk_memory(data, size, &options, fxt_inspect, inspection);
	if (walk.status != RTEV_OK)
		TEST_FAIL("byte %" PRIu64 ": %s", walk.offset, walk.reason);
	fxt_walk_memory(data, size, &options, look, &h);
	const struct fxt_findings found = fxt_inspection_finish(inspection);
	CHECK_INT(found.overlaps + found.backward + found.open_asyncs + found.stray_asyncs, 0);
	fxt_inspection_destroy(inspection);
	free(data);
	return h;
}

/* One pause: five seconds before it, one after, and all of it; a short one gets no file. */
TEST(one)
{
	static struct work w;

	work_open(&w, ".");
	for (uint64_t ts = 100 * MS; ts < 30 * S; ts += 100 * MS) {
		pause_put(&w, 0, ts, ts + 9 * MS);
		if (ts == 20 * S)
			pause_put(&w, 1, ts, ts + 50 * MS);
		at(&w, ts + 60 * MS);
	}
	work_end(&w, 30 * S);
	CHECK_INT(w.count, 1);
	const struct flight_file *file = &w.files[0];
	CHECK_INT(file->error, 0);
	CHECK_INT(file->pause.domain, 1);
	CHECK_INT(file->pause.begin, 20 * S);
	CHECK_INT(file->pause.duration, 50 * MS);
	CHECK_INT(file->pause.phase, MAJOR);
	CHECK_INT(file->pause.inside_count, 1);
	CHECK_INT(file->pause.inside[0].phase, MINOR);
	CHECK_INT(file->pause.inside[0].self, 25 * MS);
	CHECK_INT(file->others + file->skipped, 0);
	CHECK(strstr(file->path, "/rtevtop-odd_na_me-77-") != NULL);
	const struct held h = hold(file);
	CHECK(h.first >= 15 * S - 100 * MS && h.first <= 15 * S);
	CHECK(h.last <= 21 * S + 50 * MS && h.last >= 21 * S);
	CHECK(h.majors >= 61 && h.majors <= 63);
	CHECK_INT(h.minors, h.majors);
	CHECK_INT(h.marked, 0);
	work_close(&w);
}

/* What was overwritten before we came is no loss of a file's, in its replay or as a slice; the rest of one
 * is. */
TEST(history)
{
	static struct work w;
	size_t size;

	work_open(&w, ".");
	lost(&w.f, 0, 5000, 5000);
	lost(&w.f, 1, 100, 40);
	pause_put(&w, 0, 2 * S, 2 * S + 20 * MS);
	lost(&w.f, 2, 3000, 3000);
	pause_put(&w, 1, 2 * S, 2 * S + 5 * MS);
	pause_put(&w, 2, 2 * S, 2 * S + 5 * MS);
	work_end(&w, 3 * S);
	CHECK_INT(w.count, 1);
	CHECK_INT(hold(&w.files[0]).lost, 1);
	CHECK_INT(hold(&w.files[0]).lost_words, 60);
	unsigned char *data = bytes_of_file(w.files[0].path, &size);
	struct model *m = replayed(data, size);
	const struct model_totals t = model_totals(m);
	CHECK_INT(t.lost_words, 60);
	CHECK_INT(t.history_lost_words, 8040);
	model_destroy(m);
	free(data);
	work_close(&w);
}

/* Pauses within one file, those that are skipped, and one that is longer. */
TEST(rate)
{
	struct flight_totals totals;
	static struct work w;
	char line[1024];

	work_open(&w, "%n.fxt");
	span(&w.f, 0, 1, 2, MINOR);
	pause_put(&w, 0, 10 * S, 10 * S + 20 * MS);
	at(&w, 10 * S + 30 * MS);
	pause_put(&w, 1, 10 * S + 200 * MS, 10 * S + 215 * MS); /* in it */
	pause_put(&w, 1, 10 * S + 800 * MS, 10 * S + 840 * MS); /* in it, and longer: it goes on */
	at(&w, 11 * S + 100 * MS);
	CHECK_INT(w.count, 0);
	pause_put(&w, 0, 11 * S + 200 * MS, 11 * S + 220 * MS); /* in it */
	at(&w, 12 * S);
	for (int i = 0; i < 1000 && w.count == 0; i++) {
		usleep(1000);
		at(&w, 12 * S);
	}
	CHECK_INT(w.count, 1);
	CHECK_INT(w.files[0].pause.begin, 10 * S + 800 * MS);
	CHECK_INT(w.files[0].others, 3);
	flight_line(&w.files[0], line, sizeof(line));
	CHECK(strstr(line, "\t3 others in it\t") != NULL);
	CHECK_INT(hold(&w.files[0]).majors, 4);
	pause_put(&w, 0, 13 * S, 13 * S + 40 * MS); /* not longer */
	pause_put(&w, 0, 14 * S, 14 * S + 11 * MS);
	at(&w, 15 * S);
	pause_put(&w, 0, 16 * S, 16 * S + 41 * MS); /* longer */
	at(&w, 18 * S);
	pause_put(&w, 0, 25 * S, 25 * S + 12 * MS); /* too soon */
	at(&w, 26 * S);
	pause_put(&w, 0, 27 * S, 27 * S + 12 * MS);		/* ten seconds later */
	pause_put(&w, 0, 28 * S + 500 * MS, 28 * S + 510 * MS); /* no longer than one has to be */
	at(&w, 29 * S);
	work_end(&w, 29 * S);
	CHECK_INT(w.count, 3);
	CHECK_INT(w.files[1].pause.begin, 16 * S);
	CHECK_INT(w.files[1].skipped, 2);
	CHECK_INT(w.files[2].pause.begin, 27 * S);
	CHECK_INT(w.files[2].skipped, 1);
	for (unsigned i = 0; i < 3; i++) {
		char want[16];
		snprintf(want, sizeof(want), "/%u.fxt", i + 1);
		CHECK(strstr(w.files[i].path, want) != NULL);
	}
	flight_totals(w.flight, &totals);
	CHECK_INT(totals.files, 3);
	CHECK_INT(totals.skipped, 3);
	CHECK_INT(totals.failed, 0);
	work_close(&w);
}

/* A much longer pause that ends soon after a short one has a file of its own, with what led up to it. */
TEST(long_and_short)
{
	static struct work w;
	char line[1024];

	work_open(&w, "%n");
	for (uint64_t ts = S; ts < 3 * S; ts += 100 * MS)
		pause_put(&w, 2, ts, ts + MS);
	at(&w, 3 * S);
	begin(&w.f, 1, 3 * S, EPHE);
	pause_put(&w, 0, 10 * S, 10 * S + 20 * MS);
	at(&w, 10 * S + 100 * MS);
	end(&w.f, 1, 10 * S + 500 * MS, EPHE);
	at(&w, 10 * S + 600 * MS);
	pause_put(&w, 0, 10 * S + 900 * MS, 10 * S + 900 * MS + 11 * MS);
	at(&w, 13 * S);
	work_end(&w, 13 * S);
	CHECK_INT(w.count, 2);
	CHECK_INT(w.files[0].pause.duration, 20 * MS);
	CHECK_INT(w.files[1].pause.duration, 7500 * MS);
	CHECK_INT(w.files[0].others, 0);
	CHECK_INT(w.files[1].others, 1);
	flight_line(&w.files[1], line, sizeof(line));
	CHECK(strstr(line, "\t1 other in it\t") != NULL);
	CHECK_INT(hold(&w.files[0]).majors, 2);
	const struct held h = hold(&w.files[1]);
	CHECK_INT(h.majors, 22);
	CHECK_INT(h.first, S);
	work_close(&w);
}

/* Ever longer pauses don't make a file without end. */
TEST(ever_longer)
{
	static struct work w;

	work_open(&w, "%t-%n.fxt");
	for (unsigned i = 0; i < 40; i++) {
		uint64_t from = 10 * S + i * 500 * MS;
		pause_put(&w, 0, from, from + (20 + i) * MS);
		at(&w, from + 400 * MS);
	}
	work_end(&w, 30 * S);
	CHECK(w.count >= 2 && w.count <= 4);
	for (unsigned i = 0; i < w.count; i++) {
		const struct held h = hold(&w.files[i]);
		CHECK(h.last - h.first <= 17 * S);
		CHECK(h.first <= w.files[i].pause.begin);
		CHECK(h.last >= w.files[i].pause.begin + w.files[i].pause.duration);
	}
	work_close(&w);
}

/* What is open at the end: a pause just over, one that still lasts, and one too long for anything to be kept
 * before it. */
TEST(at_the_end)
{
	static struct work w;
	char line[1024];

	work_open(&w, ".");
	begin(&w.f, 1, 5 * S, EPHE);
	for (uint64_t ts = 6 * S; ts < 40 * S; ts += 20 * MS) {
		pause_put(&w, 0, ts, ts + 5 * MS);
		at(&w, ts + 10 * MS);
	}
	end(&w.f, 1, 40 * S, EPHE);
	work_end(&w, 40 * S + 100 * MS);
	CHECK_INT(w.count, 1);
	CHECK_INT(w.files[0].pause.duration, 35 * S);
	struct held h = hold(&w.files[0]);
	CHECK_INT(h.first, 5 * S);
	CHECK_INT(h.last, 40 * S);
	CHECK_INT(h.majors, 34 * S / (20 * MS));
	CHECK(!w.files[0].pause.open);
	work_close(&w);

	work_open(&w, ".");
	begin(&w.f, 0, 6 * S, MAJOR);
	begin(&w.f, 1, 6 * S + 199 * MS, MINOR);
	at(&w, 6 * S + 190 * MS);
	work_end(&w, 6 * S + 200 * MS);
	CHECK_INT(w.count, 1);
	CHECK(w.files[0].pause.open);
	CHECK_INT(w.files[0].pause.duration, 200 * MS);
	h = hold(&w.files[0]);
	CHECK_INT(h.marked, 2);
	CHECK_INT(h.last, 6 * S + 200 * MS);
	flight_line(&w.files[0], line, sizeof(line));
	CHECK(strstr(line, "\tD0\t200.000ms and on\tmajor\tmajor 100%\t-\t-") != NULL);
	flight_line(&w.files[0], line, 30);
	CHECK(strlen(line) < 30);
	work_close(&w);
}

/* A flood: the tape stays within its bound, and the pause is there. */
TEST(flood)
{
	static struct work w;
	struct flight_totals totals;
	size_t most = 0;
	uint64_t ts = S;

	work_open(&w, ".");
	begin(&w.f, 1, S, EPHE);
	for (unsigned n = 0; n < 24000000; n++) {
		if (n % 2 == 0)
			w.f.cb.begin(w.f.m, 0, ts += 200, MINOR);
		else
			w.f.cb.end(w.f.m, 0, ts += 200, MINOR);
		if (n % 100000 == 0) {
			at(&w, ts);
			flight_totals(w.flight, &totals);
			most = totals.bytes > most ? totals.bytes : most;
		}
		if (n == 23000000)
			end(&w.f, 1, ts, EPHE);
	}
	work_end(&w, ts);
	CHECK(most > FLIGHT_BYTES / 2 && most <= FLIGHT_MOST);
	CHECK_INT(w.count, 1);
	const struct held h = hold(&w.files[0]);
	CHECK_INT(h.first, S);
	CHECK(h.minors > 5000000);
	work_close(&w);
}

/* No place for a file: told, and nothing else is harmed. */
TEST(no_place)
{
	static struct work w;

	work_open(&w, "absent/%n.fxt");
	pause_put(&w, 0, 10 * S, 10 * S + 20 * MS);
	at(&w, 12 * S);
	CHECK_INT(w.count, 1);
	CHECK(!w.files[0].made);
	CHECK_INT(w.files[0].error, ENOENT);
	work_end(&w, 13 * S);
	CHECK_INT(w.count, 1);
	work_close(&w);
}

/* Patterns, and names that are taken. */
TEST(names)
{
	char path[NAMING_PATH], unknown, dir[32] = "./naming.XXXXXX", pattern[64];

	CHECK(naming_valid("a%p%t%n%%b", &unknown));
	CHECK(!naming_valid("a%x", &unknown));
	CHECK_INT(unknown, 'x');
	CHECK(!naming_valid("a%", &unknown));
	CHECK_INT(unknown, 0);
	CHECK(naming_varies("%t") && naming_varies("a%%%n") && !naming_varies("a%p%%n"));
	CHECK(mkdtemp(dir) != NULL);
	snprintf(pattern, sizeof(pattern), "%s/%%%%%%p-%%n.x", dir);
	struct naming n = {.where = pattern, .ending = ".fxt", .name = "p", .pid = 4, .number = 1};
	for (unsigned i = 1; i <= 3; i++) {
		char want[64];
		int fd = naming_open(&n, 0, path);
		CHECK(fd >= 0);
		close(fd);
		snprintf(want, sizeof(want), "%s/%%4-%u.x", dir, i);
		CHECK_STR(path, want);
		n.number = 1; /* the next one finds what is there */
	}
	/* A number that was given is not given again, whatever became of its file. */
	n.number = 3;
	CHECK_INT(unlink(path), 0);
	CHECK_INT(close(naming_open(&n, 0, path)), 0);
	CHECK_INT(unlink(path), 0);
	CHECK_INT(close(naming_open(&n, 0, path)), 0);
	CHECK_STR(path + strlen(path) - 4, "-4.x");
	/* Of a name as many bytes as there is room for. */
	n.name = "0123456789012345678901234567890123456789012345678901234567890123/";
	n.where = dir;
	CHECK_INT(close(naming_open(&n, 0, path)), 0);
	CHECK(strstr(path, "-0123456789012345678901234567890123456789012345678901234567890123-4-") != NULL);
	/* Only what is empty is taken away. */
	FILE *file = fopen(path, "w");
	CHECK(file != NULL && fputs("x", file) >= 0 && fclose(file) == 0);
	CHECK(!naming_discard(path));
	CHECK_INT(truncate(path, 0), 0);
	CHECK(naming_discard(path));
	CHECK(access(path, F_OK) != 0);
	n.name = "p";
	n.where = dir;
	setenv("TZ", "UTC", 1);
	for (unsigned i = 1; i <= 3; i++) {
		char want[64];
		int fd = naming_open(&n, 3600, path);
		CHECK(fd >= 0);
		close(fd);
		snprintf(want, sizeof(want),
		    i == 1 ? "%s/rtevtop-p-4-19700101-010000.fxt" : "%s/rtevtop-p-4-19700101-010000-%u.fxt",
		    dir, i);
		CHECK_STR(path, want);
	}
	snprintf(pattern, sizeof(pattern), "%s/%%%%4-1.x", dir);
	n.where = pattern;
	CHECK_INT(naming_open(&n, 0, path), -1);
	CHECK_INT(errno, EEXIST);
	char *long_name = malloc(2 * NAMING_PATH);
	memset(long_name, 'a', 2 * NAMING_PATH - 1);
	long_name[2 * NAMING_PATH - 1] = '\0';
	n.where = long_name;
	CHECK_INT(naming_open(&n, 0, path), -1);
	CHECK_INT(errno, ENAMETOOLONG);
	free(long_name);
	/* A directory is no pattern, and has not been checked for one; when it has been removed, its name may
	 * be a pattern that ends with a lone %. */
	snprintf(pattern, sizeof(pattern), "%s/gone%%", dir);
	char *gone = strdup(pattern); /* so that AddressSanitizer sees a read behind its end */
	n.where = gone;
	CHECK_INT(close(naming_open(&n, 0, path)), 0);
	CHECK_STR(path, gone);
	CHECK_INT(naming_open(&n, 0, path), -1);
	CHECK_INT(errno, EEXIST);
	free(gone);
	char command[64];
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	CHECK_INT(system(command), 0);
}

/* A context that was named long before the window of a file names the runs in it. */
TEST(named_before)
{
	static struct work w;
	const struct rtev_user_event create_cc = user_event(1, "eio.create_cc"),
				     name = user_event(2, "eio.name"),
				     create_fiber = user_event(3, "eio.create_fiber"),
				     fiber = user_event(4, "eio.fiber"),
				     suspend = user_event(5, "eio.suspend_fiber");
	const uint8_t root[9] = {100, [8] = 6}, named[14] = {100, [8] = 's', 'e', 'r', 'v', 'e', 'r'},
		      made[16] = {1, [8] = 100};

	work_open(&w, ".");
	w.f.cb.user_custom(w.f.m, 0, 1 * S, &create_cc, root, sizeof(root));
	w.f.cb.user_custom(w.f.m, 0, 1 * S, &name, named, sizeof(named));
	/* More than a chunk of events. */
	for (uint64_t ts = 1 * S + MS; ts < 20 * S; ts += MS) {
		span(&w.f, 0, ts, ts + 1, MINOR);
		if (ts % (100 * MS) == 0)
			at(&w, ts);
	}
	w.f.cb.user_custom(w.f.m, 0, 20 * S, &create_fiber, made, sizeof(made));
	w.f.cb.user_int(w.f.m, 0, 20 * S + 1, &fiber, 1);
	pause_put(&w, 0, 20 * S + MS, 20 * S + 50 * MS);
	w.f.cb.user_custom(w.f.m, 0, 20 * S + 60 * MS, &suspend, "sleep", 5);
	w.f.cb.user_int(w.f.m, 0, 20 * S + 70 * MS, &fiber, 1);
	work_end(&w, 22 * S);
	CHECK_INT(w.count, 1);
	const struct held h = hold(&w.files[0]);
	CHECK(h.first >= 14 * S);
	CHECK_INT(h.servers, 3); /* two runs, and the life around the wait */
	work_close(&w);
}
