/*
 * doing.c - format what a domain is doing, and how it ended.
 */
#include "ui/doing.h"

#include <signal.h>
#include <stdio.h>

#include "ui/measure.h"
#include "ui/state.h"
#include "ui/view.h"

/* Signals that a program causes itself: it crashed. */
static bool is_crash(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE ||
	       number == SIGABRT || number == SIGTRAP || number == SIGSYS;
}

/* Return whether the target has paused its events. */
static bool is_paused(const struct ui *ui)
{
	return ui->pause_count > 0 && ui->pauses[ui->pause_count - 1].to == UINT64_MAX;
}

/* Format how the process ended. */
const char *doing_ended(const struct subject *subject)
{
	return subject->signal == 0 ? "ended" : is_crash(subject->signal) ? "crashed" : "killed";
}

void doing_end_detail(
    const struct ui *ui, const struct subject *subject, int64_t phase, char *out, size_t size)
{
	char how[64] = "without ring_stop", where[RTEV_NAME_SIZE + 16] = "in no phase", name[RTEV_NAME_SIZE];
	const char *signal = state_signal_name(subject->signal);

	if (subject->signal != 0 && signal != NULL)
		/* What a program that writes to its ring dies of when the file system is full. */
		snprintf(how, sizeof(how), "by %s%s", signal,
		    subject->signal == SIGBUS ? " (no room on the disk of its ring?)" : "");
	else if (subject->signal != 0)
		snprintf(how, sizeof(how), "by signal %d", subject->signal);
	if (is_paused(ui))
		snprintf(where, sizeof(where), "while paused");
	else if (phase != MODEL_NO_PHASE)
		snprintf(where, sizeof(where), "in %s", rtev_phase_name((rtev_phase)phase, name));
	snprintf(out, size, "%s, %s", how, where);
}

/* Format what a domain was doing when the process ended. */
static void doing_at_end(
    const struct ui *ui, const struct subject *subject, const struct model_domain *d, struct doing *out)
{
	bool stopped = model_stopped(watch_model(subject->watch));
	char name[RTEV_NAME_SIZE];

	out->style = stopped ? STYLE_MUTED : STYLE_BAD;
	snprintf(out->text, sizeof(out->text), "%s", stopped ? "ended" : doing_ended(subject));
	if (!stopped && is_paused(ui))
		snprintf(out->more, sizeof(out->more), "while paused");
	else if (!stopped && d->depth > 0)
		snprintf(out->more, sizeof(out->more), "in %s",
		    rtev_phase_name(d->stack[d->depth - 1].phase, name));
}

void doing_of(
    const struct ui *ui, const struct subject *subject, const struct model_domain *d, struct doing *out)
{
	char name[RTEV_NAME_SIZE];

	*out = (struct doing){.text = "running", .style = STYLE_MUTED};
	if (d->state == MODEL_DOMAIN_TERMINATED) {
		snprintf(out->text, sizeof(out->text), "terminated");
	} else if (subject->state == SUBJECT_EXITED) {
		doing_at_end(ui, subject, d, out);
	} else if (is_paused(ui)) {
		snprintf(out->text, sizeof(out->text), "paused");
		out->style = STYLE_PAUSED;
	} else if (d->depth > 0) {
		rtev_phase phase = d->stack[d->depth - 1].phase;
		snprintf(out->text, sizeof(out->text), "%s", rtev_phase_name(phase, name));
		out->style = theme_class_ink(rtev_phase_class(phase));
	}
}
