/*
 * escapes.c - control sequences from terminfo, and descriptions of common terminals where there is none.
 */
#include "tty/escapes.h"

#include <stdlib.h>
#include <string.h>

#include <curses.h>
/* After curses.h, which it needs. */
#include <term.h>

/* A terminal type, and its compiled description in the form that TERMINFO may have.  Only the static program
 * carries them: it may have been copied to a root without terminfo. */
struct terminal {
	const char *name, *description;
};

static const struct terminal terminals[] = {
#ifdef RTEV_STATIC
#include "tty/terminals.inc"
#endif
    {NULL, NULL}};

static bool lent;

/* Put the description of a terminal type into the environment, from which ncurses takes it.  False when it is
 * not among those carried, or TERMINFO is set already. */
static bool lend(const char *term)
{
	for (const struct terminal *t = terminals; t->name != NULL; t++)
		if (strcmp(t->name, term) == 0 && getenv("TERMINFO") == NULL)
			lent = setenv("TERMINFO", t->description, 0) == 0;
	return lent;
}

void escapes_take_back(void)
{
	if (lent)
		unsetenv("TERMINFO");
	lent = false;
}

enum tty_status escapes_check(const char *term, int fd)
{
	int error = 0;
	if (setupterm(term, fd, &error) != OK && (!lend(term) || setupterm(term, fd, &error) != OK))
		return TTY_UNKNOWN;
	const char *move = tigetstr("cup");
	bool can_move = move != NULL && (intptr_t)move != -1;
	del_curterm(cur_term);
	return can_move ? TTY_OK : TTY_DUMB;
}

/* A sequence under construction. */
struct sequence {
	char *bytes;
	size_t len, room;
};

/* Append a terminfo string, without its padding marks ("$<5>"), if the terminal has it. */
static void append(struct sequence *s, const char *text)
{
	if (text == NULL || (intptr_t)text == -1)
		return;
	size_t from = s->len;
	for (const char *at = text; *at != '\0'; at++) {
		const char *end;
		if (at[0] == '$' && at[1] == '<' && (end = strchr(at, '>')) != NULL) {
			at = end;
			continue;
		}
		if (s->len == s->room) {
			/* Drop the whole string: half a sequence would do harm. */
			s->len = from;
			return;
		}
		s->bytes[s->len++] = *at;
	}
}

size_t escapes_to_restore(char *bytes, size_t room, int rows, bool synchronised)
{
	static const char *const names[] = {"sgr0", "op", "rmkx", "cnorm"};
	struct sequence s = {bytes, 0, room};
	if (synchronised)
		append(&s, "\033[?2026l");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		append(&s, tigetstr(names[i]));
	const char *leave = tigetstr("rmcup"), *move = tigetstr("cup");
	bool has_leave = leave != NULL && (intptr_t)leave != -1;
	if (move != NULL && (intptr_t)move != -1)
		append(&s, tiparm(move, rows > 0 ? rows - 1 : 0, 0));
	/* Without an alternate screen to leave, start a new line below the picture. */
	append(&s, has_leave ? leave : "\r\n");
	return s.len;
}
