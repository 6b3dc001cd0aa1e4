/*
 * bench_redraw.c - what one redraw of the panes view costs, from the model to ncurses, and how many bytes it
 * sends: 8 domains at 120x40, half a second of events between two redraws.  The baseline is drawing and
 * flushing the same picture again.
 */
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <unistd.h>

#include "bench.h"
#include "watch/watch.h"
#include "tty/tty.h"
#include "ui/ui.h"

#define DOMAINS 8
#define ROUNDS 101
#define STEP_NS 500000000u

static struct rtev_callbacks calls;
static struct rtev_user_event request = {.id = 1, .generation = 1, .name_len = 12, .name = "http.request"};
static struct rtev_user_event depth = {.id = 2, .generation = 1, .name_len = 11, .name = "queue.depth"};
static uint64_t seed = 88172645463325252u;

/* A number below a limit. */
static uint64_t random_below(uint64_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % limit;
}

/* One collection on a domain, with requests around it; returns when it ended. */
static uint64_t collect(struct model *m, unsigned d, uint64_t ts)
{
	static const rtev_phase inner[] = {RTEV_PHASE_MINOR_GLOBAL_ROOTS, RTEV_PHASE_MINOR_REMEMBERED_SET,
	    RTEV_PHASE_MINOR_LOCAL_ROOTS, RTEV_PHASE_MINOR_FINALIZED};

	calls.user_span(m, d, ts += 1000 + random_below(20000), &request, true);
	calls.begin(m, d, ts += 500, RTEV_PHASE_STW_LEADER);
	calls.begin(m, d, ts += 500, RTEV_PHASE_MINOR);
	for (unsigned i = 0; i < 4; i++) {
		calls.begin(m, d, ts += 100, inner[i]);
		calls.end(m, d, ts += 1000 + random_below(200000), inner[i]);
	}
	calls.counter(m, d, ts += 10, RTEV_COUNTER_MINOR_PROMOTED, (int64_t)random_below(100000));
	calls.counter(m, d, ts += 10, RTEV_COUNTER_MINOR_ALLOCATED, 2000000);
	calls.end(m, d, ts += 10, RTEV_PHASE_MINOR);
	calls.end(m, d, ts += 10, RTEV_PHASE_STW_LEADER);
	calls.begin(m, d, ts += 10, RTEV_PHASE_MAJOR_SLICE);
	calls.begin(m, d, ts += 10, RTEV_PHASE_MAJOR_MARK);
	calls.end(m, d, ts += 1000 + random_below(300000), RTEV_PHASE_MAJOR_MARK);
	calls.end(m, d, ts += 10, RTEV_PHASE_MAJOR_SLICE);
	calls.user_int(m, d, ts += 10, &depth, (int64_t)random_below(200));
	calls.user_span(m, d, ts += 10, &request, false);
	return ts;
}

/* Half a second of events on every domain. */
static void feed(struct model *m, uint64_t from, uint64_t to)
{
	for (unsigned d = 0; d < DOMAINS; d++)
		for (uint64_t ts = from; ts < to - 2000000;)
			ts = collect(m, d, ts) + random_below(4000000);
}

/* Run it. */
int main(void)
{
	static double draw[ROUNDS], flush[ROUNDS], again[ROUNDS], bytes[ROUNDS];
	struct watch *w = watch_create(&(struct watch_options){.attach_ts = 1000000000});
	struct ui *ui = ui_create(&(struct ui_options){.view = VIEW_PANES});
	struct canvas *canvas = canvas_create(0, 0);
	struct tty *tty;
	char path[] = "redraw.XXXXXX";
	uint64_t unread[DOMAINS] = {0}, now = 1000000000;

	setlocale(LC_CTYPE, "C.UTF-8");
	int fd = mkstemp(path);
	unlink(path);
	if (w == NULL || ui == NULL || canvas == NULL || fd < 0 ||
	    tty_open(&tty, &(struct tty_options){.in = STDIN_FILENO,
			       .out = fd,
			       .term = "xterm-256color",
			       .utf8 = true,
			       .rows = 40,
			       .cols = 120}) != TTY_OK)
		bench_fail("set-up");
	model_callbacks(&calls);
	struct subject s = {.watch = w,
	    .clock = "18:31:04",
	    .state = SUBJECT_LIVE,
	    .pid = 4242,
	    .name = "service",
	    .ocaml = "5.3.0",
	    .ocaml_from = "exe",
	    .exit_status = -1,
	    .ring_words = 65536,
	    .unread = unread,
	    .unread_count = DOMAINS};
	for (int i = 0; i < ROUNDS; i++) {
		feed(watch_model(w), now, now + STEP_NS);
		now += STEP_NS;
		s.now = now;
		uint64_t before = tty_bytes(tty), t0 = bench_now();
		watch_advance(w, now, now);
		tty_fit(tty, canvas);
		ui_draw(ui, &s, canvas);
		uint64_t t1 = bench_now();
		tty_flush(tty, canvas);
		uint64_t t2 = bench_now();
		bytes[i] = (double)(tty_bytes(tty) - before);
		tty_fit(tty, canvas);
		ui_draw(ui, &s, canvas);
		tty_flush(tty, canvas);
		again[i] = (double)(bench_now() - t2);
		draw[i] = (double)(t1 - t0);
		flush[i] = (double)(t2 - t1);
	}
	double base = bench_median(again, ROUNDS), median_draw = bench_median(draw, ROUNDS);
	bench_line("redraw", "unchanged", base, base);
	bench_line("redraw", "model to canvas", median_draw, base);
	bench_line("redraw", "canvas to tty", bench_median(flush, ROUNDS), base);
	printf("%-20s %-16s %9.0f bytes (median)\n", "redraw", "sent", bench_median(bytes, ROUNDS));
	tty_close(tty);
	canvas_destroy(canvas);
	ui_destroy(ui);
	watch_destroy(w);
	close(fd);
	return 0;
}
