/*
 * replay_keys.c - a recording in the live view: its turns and its keys.
 */
#include "app/top/top.h"

#define SKIP_NS 10000000000

/* What keys ask of a recording. */
static const enum ui_request requests[] = {UI_REQUEST_PLAY, UI_REQUEST_STEP, UI_REQUEST_STEP_BACK,
    UI_REQUEST_SPEED_DOWN, UI_REQUEST_SPEED_UP, UI_REQUEST_SKIP_BACK, UI_REQUEST_SKIP, UI_REQUEST_JUMP,
    UI_REQUEST_JUMP_START, UI_REQUEST_JUMP_END};

/* The requests that can be carried out. */
unsigned top_replay_requests(void)
{
	unsigned set = 0;

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		set |= 1u << requests[i];
	return set;
}

/* Show the watch that there is now. */
static void follow(struct top *top)
{
	if (!top->replay->renewed)
		return;
	top->replay->renewed = false;
	top->watch = top->replay->watch;
	top->facts.subject.watch = top->watch;
	ui_renew(top->ui);
}

/* One turn. */
bool top_replay_turn(struct top *top)
{
	bool moved = replay_moves(top->replay);
	bool more = replay_turn(top->replay);

	follow(top);
	/* What a jump led to is shown at once. */
	if (moved && !replay_moves(top->replay))
		top->dirty = true;
	return more;
}

/* Carry out what a key asked for. */
bool top_replay_carry_out(struct top *top, enum ui_request request)
{
	struct replay *r = top->replay;
	const char *problem = NULL;

	switch (request) {
	case UI_REQUEST_PLAY:
		replay_play(r);
		break;
	case UI_REQUEST_STEP:
	case UI_REQUEST_STEP_BACK:
		replay_step(r, request == UI_REQUEST_STEP ? 1 : -1, top->delay_ns);
		break;
	case UI_REQUEST_SPEED_DOWN:
	case UI_REQUEST_SPEED_UP:
		replay_speed(r, request == UI_REQUEST_SPEED_UP ? 1 : -1);
		break;
	case UI_REQUEST_SKIP_BACK:
	case UI_REQUEST_SKIP:
		replay_skip(r, request == UI_REQUEST_SKIP ? SKIP_NS : -SKIP_NS);
		break;
	case UI_REQUEST_JUMP:
		problem = replay_jump(r, ui_typed(top->ui));
		break;
	case UI_REQUEST_JUMP_START:
		replay_start(r);
		break;
	case UI_REQUEST_JUMP_END:
		replay_end(r);
		break;
	default:
		return false;
	}
	if (problem != NULL)
		facts_notice(&top->facts, "%s", problem);
	follow(top);
	/* A jump is shown when it has come to its end, or when a redraw is due anyway. */
	top->dirty = !r->seeking;
	return true;
}
