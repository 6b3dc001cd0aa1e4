/*
 * log_fibers.c - the events of schedulers of fibers in words.
 */
#include "app/commands/log_fibers.h"

#include "core/array.h"
#include "fibers/schedulers.h"

/* What each event says.  %r is the fiber that runs, %i and %o are the ids, %k is the kind, %t the text. */
static const char *const sentences[] = {
    [FIBER_MADE] = "fiber %i made in context %o",
    [FIBER_RUNS] = "fiber %i runs",
    [FIBER_SUSPENDS] = "fiber %r suspended: %t",
    [FIBER_ENDS] = "fiber %i ended",
    [FIBER_CONTEXT_MADE] = "fiber %r made context %i (%k)",
    [FIBER_CONTEXT_ENDS] = "fiber %r ended its context",
    [FIBER_OBJECT_MADE] = "%k %i made",
    [FIBER_NAMED] = "%i is named %t",
    [FIBER_WANTS] = "fiber %r waits for %i",
    [FIBER_GETS] = "fiber %r has %i",
    [FIBER_PUTS] = "fiber %r put %i",
    [FIBER_FAILS] = "context %i cancelled: %t",
    [FIBER_SPAN_BEGINS] = "fiber %r entered span %t",
    [FIBER_SPAN_ENDS] = "fiber %r left its span",
    [FIBER_IDLE_BEGINS] = "the loop waits for the system",
    [FIBER_IDLE_ENDS] = "the loop is back",
    [FIBER_SPAWNS] = "fiber %i of another domain started this one",
    [FIBER_LOGS] = "fiber %r logs: %t",
    [FIBER_FORKED] = "fiber %i made by fiber %o",
    [FIBER_FORKED_AWAY] = "fiber %i made by fiber %o for another domain",
    [FIBER_RUN_ENDS] = "fiber %i stops",
    [FIBER_WAITS] = "fiber %i waits",
    [FIBER_READIES] = "fiber %i can run again",
    [FIBER_CONTINUES] = "fiber %r goes on: %t",
    [FIBER_YIELDS] = "fiber %i yields",
    [FIBER_CANCELS] = "fiber %i is being cancelled",
    [FIBER_CANCELLED] = "fiber %i is cancelled",
    [FIBER_PLACED] = "fiber %i was made at %t:%o",
    [FIBER_OWNS] = "fiber %o owns resource %i",
    [FIBER_DISOWNS] = "fiber %o gave up resource %i",
    [FIBER_LAP] = "the loop comes round",
    [FIBER_PAUSED] = "%i promises are paused",
    [FIBER_JOBS] = "%i jobs wait for the system",
    [FIBER_CALL_BEGINS] = "the scheduler is called",
    [FIBER_CALL_ENDS] = "the scheduler returns",
};

/* The word of a kind; contexts are told by their own. */
static const char *kind_word(enum fiber_kind kind)
{
	static const char *const contexts[] = {[FIBER_CONTEXT_SWITCH] = "switch",
	    [FIBER_CONTEXT_PROTECT] = "protect",
	    [FIBER_CONTEXT_SUB] = "sub",
	    [FIBER_CONTEXT_ROOT] = "root",
	    [FIBER_CONTEXT_ANY] = "any"};

	if (kind < sizeof(contexts) / sizeof(contexts[0]) && contexts[kind] != NULL)
		return contexts[kind];
	const char *name = fiber_kind_name(kind);
	return name != NULL ? name : "?";
}

static void print_sentence(struct out *out, const struct fiber_event *event, const struct log_fiber *running)
{
	for (const char *c = sentences[event->op]; *c != '\0'; c++) {
		if (*c != '%') {
			out_char(out, *c);
			continue;
		}
		switch (*++c) {
		case 'i':
			out_unsigned(out, event->id);
			break;
		case 'o':
			out_unsigned(out, event->other);
			break;
		case 'k':
			out_text(out, kind_word(event->kind));
			break;
		case 't':
			out_foreign(out, event->text, event->len);
			break;
		default:
			if (running->known && !running->suspended)
				out_unsigned(out, running->id);
			else
				out_char(out, '?');
			break;
		}
	}
}

/* The place of a domain; NULL when memory ran out: then nothing is known of it. */
static struct log_fiber *running_on(struct log_fibers *f, unsigned domain)
{
	bool there = domain < MODEL_DOMAINS_MAX &&
		     array_reach(&f->running, &f->domains, domain, sizeof(f->running[0]));

	return there ? &f->running[domain] : NULL;
}

bool log_fibers_print(struct log_fibers *f, struct out *out, const struct rtev_event *e)
{
	static const uint8_t kinds[EVENT_KIND_COUNT] = {[EVENT_UNIT] = MODEL_USER_UNIT,
	    [EVENT_INT] = MODEL_USER_INT,
	    [EVENT_SPAN_BEGIN] = MODEL_USER_SPAN,
	    [EVENT_SPAN_END] = MODEL_USER_SPAN,
	    [EVENT_CUSTOM] = MODEL_USER_CUSTOM};
	struct fiber_event event;

	if (e->user == NULL) {
		if ((e->kind == EVENT_LOST || e->kind == EVENT_CORRUPT || e->kind == EVENT_RESTART) &&
		    e->domain < f->domains)
			f->running[e->domain].known = false;
		return false;
	}
	if (!scheduler_event(&(struct scheduler_user){.name = e->user->name,
				 .name_len = e->user->name_len,
				 .kind = (enum model_user_kind)kinds[e->kind],
				 .end = e->kind == EVENT_SPAN_END,
				 .value = e->value,
				 .data = e->data,
				 .len = e->len},
		&event))
		return false;
	struct log_fiber none = {0}, *running = running_on(f, e->domain);
	if (running == NULL)
		running = &none;
	if (event.op == FIBER_RUNS)
		*running = (struct log_fiber){.id = event.id, .known = true};
	/* Only a fiber that runs makes these; and what it waits for may be told after its suspension. */
	bool suspended = running->suspended;
	if (event.op == FIBER_MADE || event.op == FIBER_CONTEXT_MADE || event.op == FIBER_CONTEXT_ENDS ||
	    event.op == FIBER_SUSPENDS || event.op == FIBER_WANTS)
		running->suspended = false;
	print_sentence(out, &event, running);
	if (event.op == FIBER_SUSPENDS || (event.op == FIBER_WANTS && suspended))
		running->suspended = true;
	if (event.op == FIBER_IDLE_BEGINS || event.op == FIBER_ENDS || event.op == FIBER_RUN_ENDS)
		running->known = false;
	return true;
}

void log_fibers_fini(struct log_fibers *f)
{
	free(f->running);
}
