/*
 * replay_keys.c - a replay in the live view: turns and keys.
 */
#include "app/top/top.h"

#define SKIP_NS 10000000000

/* Show the current watch. */
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
	/* Show the result of a jump at once. */
	if (moved && !replay_moves(top->replay))
		top->dirty = true;
	return more;
}

static void play(struct top *top)
{
	replay_play(top->replay);
}

static void step(struct top *top)
{
	replay_step(top->replay, 1, top->delay_ns);
}

static void step_back(struct top *top)
{
	replay_step(top->replay, -1, top->delay_ns);
}

static void speed_down(struct top *top)
{
	replay_speed(top->replay, -1);
}

static void speed_up(struct top *top)
{
	replay_speed(top->replay, 1);
}

static void skip_back(struct top *top)
{
	replay_skip(top->replay, -SKIP_NS);
}

static void skip(struct top *top)
{
	replay_skip(top->replay, SKIP_NS);
}

/* Jump to the time that the user typed. */
static void jump(struct top *top)
{
	const char *problem = replay_jump(top->replay, ui_typed(top->ui));

	if (problem != NULL)
		facts_notice(&top->facts, "%s", problem);
}

static void jump_start(struct top *top)
{
	replay_start(top->replay);
}

static void jump_end(struct top *top)
{
	replay_end(top->replay);
}

const top_handler top_replay_handlers[ACTION_COUNT] = {
    [ACTION_PLAY] = play,
    [ACTION_STEP] = step,
    [ACTION_STEP_BACK] = step_back,
    [ACTION_SPEED_DOWN] = speed_down,
    [ACTION_SPEED_UP] = speed_up,
    [ACTION_SKIP_BACK] = skip_back,
    [ACTION_SKIP] = skip,
    [ACTION_JUMP] = jump,
    [ACTION_JUMP_START] = jump_start,
    [ACTION_JUMP_END] = jump_end,
};

void top_replay_moved(struct top *top)
{
	follow(top);
	top->dirty = !top->replay->seeking;
}
