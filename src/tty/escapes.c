/*
 * escapes.c - control sequences from terminfo, and descriptions of common terminals where there is none.
 */
#include "tty/escapes.h"

#include <curses.h>
/* After curses.h, which it needs. */
#include <term.h>

/* A terminal type, and its compiled description in the form that TERMINFO may have.  Only the static program
 * includes them, because it may have been copied to a root without terminfo. */
struct terminal {
	const char *name, *description;
};

static const struct terminal terminals[] = {
#ifdef RTEV_STATIC
#include "tty/terminals.inc"
#endif
    {NULL, NULL}};

static bool lent;

/* Put the description of a terminal type into the environment for ncurses.  False when it is not included, or
 * TERMINFO is set already. */
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

/* A string of terminfo, NULL if the terminal does not have it. */
static const char *string_of(const char *name)
{
	const char *text = tigetstr(name);
	return (intptr_t)text == -1 ? NULL : text;
}

enum tty_status escapes_check(const char *term, int fd)
{
	int error = 0;
	if (setupterm(term, fd, &error) != OK && (!lend(term) || setupterm(term, fd, &error) != OK))
		return TTY_UNKNOWN;
	bool can_move = string_of("cup") != NULL;
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
	if (text == NULL)
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

const char *escapes_mouse(const char *term, bool on)
{
	/* The Linux console's reports can't be told from keys. */
	if (string_of("kmous") == NULL || strncmp(term, "linux", 5) == 0)
		return NULL;
	return on ? "\033[?1000h\033[?1002h\033[?1006h" : "\033[?1006l\033[?1002l\033[?1000l";
}

bool escapes_ask(FILE *out, const char *term, bool ground, bool synchronised)
{
	/* Terminals with a mouse understand strings and private modes. */
	if ((!ground && !synchronised) || escapes_mouse(term, true) == NULL)
		return false;
	fprintf(out, "%s%s\033[c", ground ? "\033]11;?\033\\" : "", synchronised ? "\033[?2026$p" : "");
	return true;
}

static void put_base64(FILE *out, const char *bytes, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < len; i += 3) {
		uint32_t word = 0;
		for (size_t k = 0; k < 3; k++)
			word = word << 8 | (i + k < len ? (unsigned char)bytes[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			putc(i + k > len ? '=' : digits[word >> (18 - 6 * k) & 63], out);
	}
}

/* Write the sequence: `before`, the text in base64 with `between` between its parts, and `after`. */
static void put_copy(
    FILE *out, const char *before, const char *between, const char *after, const char *text, size_t len)
{
	enum { PART = 450 }; /* screen takes strings of up to 768 bytes */
	fprintf(out, "%s\033]52;c;", before);
	for (size_t at = 0; at < len; at += PART) {
		put_base64(out, text + at, len - at < PART ? len - at : PART);
		if (len - at > PART)
			fputs(between, out);
	}
	fprintf(out, "\a%s", after);
}

bool escapes_copy(FILE *out, const char *term, bool tmux, const char *text, size_t len)
{
	static const char *const known[] = {
	    "xterm", "tmux", "screen", "alacritty", "foot", "wezterm", "contour", "mlterm"};
	bool screen = strncmp(term, "screen", 6) == 0 && !tmux, has = string_of("Ms") != NULL;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		has = has || strncmp(term, known[i], strlen(known[i])) == 0;
	if (!has)
		return false;
	/* tmux passes a wrapped sequence on if allow-passthrough is set, and takes a plain one if set-clipboard is on. */
	if (tmux)
		put_copy(out, "\033Ptmux;\033", "", "\033\\", text, len);
	if (screen)
		put_copy(out, "\033P", "\033\\\033P", "\033\\", text, len);
	else
		put_copy(out, "", "", "", text, len);
	return true;
}

size_t escapes_to_restore(char *bytes, size_t room, const char *term, int rows, bool synchronised)
{
	static const char *const names[] = {"sgr0", "op", "rmkx", "cnorm"};
	struct sequence s = {bytes, 0, room};
	if (synchronised)
		append(&s, "\033[?2026l");
	append(&s, escapes_mouse(term, false));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		append(&s, string_of(names[i]));
	const char *leave = string_of("rmcup"), *move = string_of("cup");
	if (move != NULL)
		append(&s, tiparm(move, rows > 0 ? rows - 1 : 0, 0));
	/* Without an alternate screen to leave, start a new line below the picture. */
	append(&s, leave != NULL ? leave : "\r\n");
	return s.len;
}
