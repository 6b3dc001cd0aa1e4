/*
 * replay_keys.c - a replay in the live view: turns and keys.
 */
#include "app/top/top.h"

#define SKIP_NS 10000000000

/* Let the view show the current observation. */
static void follow(struct top *top)
{
	if (!top->replay->renewed)
		return;
	top->replay->renewed = false;
	top->observation = top->replay->observation;
	top->facts.subject.watch = top->observation->watch;
	ui_renew(top->ui);
}

bool top_replay_turn(struct top *top)
{
	bool moved = replay_moves(top->replay);
	bool more = replay_turn(top->replay);

	follow(top);
	/* Show the result of a completed jump at once. */
	if (moved && !replay_moves(top->replay))
		top->dirty = true;
	return more;
}

void top_replay_key(struct top *top, enum ui_action action)
{
	struct replay *replay = top->replay;
	const char *problem = NULL;

	switch (action) {
	case ACTION_PLAY:
		replay_play(replay);
		break;
	case ACTION_STEP:
	case ACTION_STEP_BACK:
		replay_step(replay, action == ACTION_STEP ? 1 : -1, top->delay_ns);
		break;
	case ACTION_SPEED_UP:
	case ACTION_SPEED_DOWN:
		replay_speed(replay, action == ACTION_SPEED_UP ? 1 : -1);
		break;
	case ACTION_SKIP:
	case ACTION_SKIP_BACK:
		replay_skip(replay, action == ACTION_SKIP ? SKIP_NS : -SKIP_NS);
		break;
	case ACTION_JUMP:
		problem = replay_jump(replay, ui_typed(top->ui));
		break;
	case ACTION_JUMP_START:
		replay_start(replay);
		break;
	default:
		replay_end(replay);
		break;
	}
	if (problem != NULL)
		facts_notice(&top->facts, "%s", problem);
	follow(top);
	top->dirty = !replay->seeking;
}
