/*
 * replay_keys.c - a recording in the live view: its turns and its keys.
 */
#include "app/top/top.h"

#define SKIP_NS 10000000000

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

/* Play, or stop. */
static void play(struct top *top)
{
	replay_play(top->replay);
}

/* One redraw on. */
static void step(struct top *top)
{
	replay_step(top->replay, 1, top->delay_ns);
}

/* One redraw back. */
static void step_back(struct top *top)
{
	replay_step(top->replay, -1, top->delay_ns);
}

/* Half the speed. */
static void speed_down(struct top *top)
{
	replay_speed(top->replay, -1);
}

/* Twice the speed. */
static void speed_up(struct top *top)
{
	replay_speed(top->replay, 1);
}

/* Some seconds back. */
static void skip_back(struct top *top)
{
	replay_skip(top->replay, -SKIP_NS);
}

/* Some seconds on. */
static void skip(struct top *top)
{
	replay_skip(top->replay, SKIP_NS);
}

/* To the time that was typed. */
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

/* Show where a key has led to: a jump when it has come to its end, or when a redraw is due anyway. */
void top_replay_moved(struct top *top)
{
	follow(top);
	top->dirty = !top->replay->seeking;
}
