/*
 * tty.c - show a canvas on a terminal with ncurses.
 *
 * `shown` is the canvas of the last flush; only cells that differ from it are copied to ncurses.  If the C
 * library and canvas/width.c disagree on the width of a character, the character is replaced: it would shift
 * the rest of its line.
 *
 * This is one file, since all of it is one state of ncurses, which has only one screen.
 */
#include "tty/tty.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include <curses.h>

#include "tty/escapes.h"
#include "tty/keymap.h"
#include "tty/restore.h"

#define ESCAPE_DELAY_MS 25
#define ANSWERS_MS 100
#define EARLY_KEYS 64
#define REPORTS_MOST 1000     /* mouse reports outside the screen, in one call */
#define ROOM_LEAST (1u << 20) /* bytes that ncurses may need for a terminal of any size */
#define ROOM_SCREENS 8	      /* a further estimate: so many times the screen's cells */

struct tty {
	FILE *in;
	struct sink sink;
	SCREEN *screen;
	char term[64];
	bool headless, synchronised, colour, stale, resized, broken;
	bool mouse, tmux, asked;
	bool said; /* a sequence besides the picture has to be sent */
	struct ui_pointer pointer;
	/* Keys that came while we waited for the terminal's answers. */
	ui_key early[EARLY_KEYS];
	int early_count, early_at;
	struct termios shell_modes, our_modes;
	enum glyph_level level;
	int rows, cols;
	int cursor_row, cursor_col;
	struct canvas *shown;
	cchar_t *cells; /* room for one row */
	struct {
		attr_t attributes;
		short pair;
	} looks[STYLE_COUNT];
};

/* The open tty, for close_at_exit. */
static struct {
	struct tty *tty;
	pid_t owner;
	bool registered;
} open_tty;

const char *tty_strerror(enum tty_status status)
{
	static const char *const sentences[] = {TTY_STATUSES(LIST_TEXT)};

	return (size_t)status < sizeof(sentences) / sizeof(sentences[0]) ? sentences[status]
									 : "unknown error";
}

static void close_at_exit(void)
{
	if (open_tty.tty != NULL && open_tty.owner == getpid())
		tty_close(open_tty.tty);
}

/* Choose the glyphs that a terminal is known to show. */
static enum glyph_level choose_level(const struct tty_options *options)
{
	if (!options->utf8 || options->ascii)
		return GLYPHS_ASCII;
	if (strncmp(options->term, "linux", 5) == 0 || strncmp(options->term, "vt", 2) == 0)
		return GLYPHS_LINES;
	return GLYPHS_BLOCKS;
}

/* Choose the theme for the terminal's colours.  Starts ncurses' colours. */
static enum theme_id choose_theme(const struct tty_options *options)
{
	if (options->no_color || options->theme == THEME_MONO || !has_colors() || start_color() == ERR ||
	    COLORS < 8)
		return THEME_MONO;
	/* A terminal that takes colours as RGB values has no palette of 256 colours. */
	if (COLORS >= 256 && tigetflag("RGB") <= 0 && COLOR_PAIRS > STYLE_COUNT)
		return options->theme;
	return COLORS >= 16 && COLORS < 256 ? THEME_16 : THEME_8;
}

/* Translate theme attributes to ncurses' attributes. */
static attr_t attributes_of(unsigned attributes)
{
	return (attributes & THEME_BOLD ? A_BOLD : A_NORMAL) | (attributes & THEME_DIM ? A_DIM : A_NORMAL) |
	       (attributes & THEME_REVERSE ? A_REVERSE : A_NORMAL) |
	       (attributes & THEME_UNDERLINE ? A_UNDERLINE : A_NORMAL);
}

/* Set the attributes and colour pair of each style; styles with the same colours share a pair. */
static void make_looks(struct tty *tty, enum theme_id theme, bool light)
{
	const bool few = theme == THEME_8 || theme == THEME_16;
	bool has_default = theme != THEME_MONO && use_default_colors() == OK;
	struct theme_look pairs[STYLE_COUNT + 1];
	short used = 1; /* pair 0 is the terminal's own */
	for (int i = 0; i < STYLE_COUNT; i++) {
		struct theme_look look = theme_look(theme, (enum style)i);
		if (few && light)
			look = theme_on_light((enum style)i, look);
		tty->looks[i].attributes = attributes_of(look.attributes);
		tty->looks[i].pair = 0;
		if (look.foreground < 0 && look.background < 0)
			continue;
		if (!has_default) {
			look.foreground = look.foreground < 0 ? COLOR_WHITE : look.foreground;
			look.background = look.background < 0 ? COLOR_BLACK : look.background;
		}
		short pair = 1;
		while (pair < used && (pairs[pair].foreground != look.foreground ||
					  pairs[pair].background != look.background))
			pair++;
		if (pair == used) {
			if (pair >= COLOR_PAIRS || init_pair(pair, look.foreground, look.background) == ERR)
				continue;
			pairs[used++] = look;
		}
		tty->looks[i].pair = pair;
	}
}

/* Adopt the size of ncurses' screen.  When out of memory, returns false and keeps the old size, which `cells`
 * has room for. */
static bool take_size(struct tty *tty)
{
	int rows, cols;
	getmaxyx(stdscr, rows, cols);
	cchar_t *cells = realloc(tty->cells, ((size_t)cols + 1) * sizeof(*cells));
	if (cells == NULL)
		return false;
	tty->cells = cells;
	tty->rows = rows;
	tty->cols = cols;
	tty->stale = true;
	if (!tty->headless) {
		char bytes[RESTORE_BYTES_MAX];
		restore_set_bytes(
		    bytes, escapes_to_restore(bytes, sizeof(bytes), tty->term, tty->rows, tty->synchronised));
	}
	return true;
}

/* Ask the terminal for its size, limited to the maximum size of a canvas.  Returns false if it is unknown. */
static bool ask_size(const struct tty *tty, int *rows, int *cols)
{
	struct winsize size;
	if (tty->headless || ioctl(tty->sink.out.fd, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 ||
	    size.ws_col == 0)
		return false;
	*rows = size.ws_row < CANVAS_ROWS_MAX ? size.ws_row : CANVAS_ROWS_MAX;
	*cols = size.ws_col < CANVAS_COLS_MAX ? size.ws_col : CANVAS_COLS_MAX;
	return true;
}

/* Whether there is memory for a screen.  Without enough, ncurses itself may end the program, or crash. */
static bool has_room(int rows, int cols)
{
	char *volatile room =
	    malloc(ROOM_LEAST + ROOM_SCREENS * (size_t)rows * (size_t)cols * sizeof(cchar_t));

	free(room);
	return room != NULL;
}

/* Check for a new size of the terminal.  Does not rely on SIGWINCH, which may have come too early or been
 * handled elsewhere. */
static void follow_size(struct tty *tty)
{
	int rows, cols;
	if (ask_size(tty, &rows, &cols) && (rows != tty->rows || cols != tty->cols)) {
		tty->broken = !has_room(rows, cols) || resize_term(rows, cols) == ERR;
		tty->resized = true;
	}
}

/* Set the terminal to single keys without echo and unprocessed output.  Ctrl-C and Ctrl-\ still send signals. */
static void set_modes(struct tty *tty)
{
	struct termios modes = tty->shell_modes;
	modes.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | ISTRIP);
	modes.c_oflag &= ~(tcflag_t)OPOST;
	modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL | IEXTEN);
	modes.c_cc[VMIN] = 1;
	modes.c_cc[VTIME] = 0;
	/* The program handles Ctrl-Z, because the kernel would stop every process of the group. */
	modes.c_cc[VSUSP] = _POSIX_VDISABLE;
	tty->our_modes = modes;
	tcsetattr(fileno(tty->in), TCSANOW, &modes);
}

static void set_ncurses(struct tty *tty)
{
	cbreak();
	noecho();
	nonl();
	/* Do not interrupt a redraw when a key is pressed: it would leave half a picture. */
	typeahead(-1);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_DELAY_MS);
	keymap_define();
	tty_cursor(tty, -1, 0);
	tty_mouse(tty, tty->mouse);
}

static int64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* Take the terminal's answers, waiting for them as long as keymap_owed says.  Keys that come meanwhile are
 * kept, or dropped. */
static void take_answers(struct tty *tty, bool keep)
{
	struct pollfd poller = {fileno(tty->in), POLLIN, 0};
	int64_t until = milliseconds() + ANSWERS_MS, left;

	while ((keymap_answers() & ANSWER_LAST) == 0 && (left = until - milliseconds()) > 0 &&
	       poll(&poller, 1, keymap_owed() ? (int)left : 0) > 0) {
		ui_key key = keymap_read(&tty->pointer);
		if (keep && key != UI_KEY_NONE && key != UI_KEY_MOUSE && tty->early_count < EARLY_KEYS)
			tty->early[tty->early_count++] = key;
	}
}

/* Ask the terminal for its abilities, and adopt those it reports at once.  `light`: its ground is. */
static void ask(struct tty *tty, const struct tty_options *options, enum theme_id *theme, bool *light)
{
	const bool ground = tty->colour && options->theme == THEME_256;

	*light = options->theme == THEME_LIGHT;
	if (tty->headless || !escapes_ask(tty->sink.stream, tty->term, ground, !options->no_sync))
		return;
	if (!sink_send(&tty->sink, "", ""))
		return;
	keymap_asked();
	tty->asked = true;
	take_answers(tty, true);
	unsigned answers = keymap_answers();
	tty->synchronised = (answers & ANSWER_SYNC) != 0;
	*light |= ground && (answers & ANSWER_LIGHT) != 0;
	if (*theme == THEME_256 && (answers & (ANSWER_DARK | ANSWER_LIGHT)) != 0)
		*theme = (answers & ANSWER_DARK) != 0 ? THEME_DARK : THEME_LIGHT;
}

/* Start ncurses for the terminal type. */
static enum tty_status start(struct tty *tty, const struct tty_options *options)
{
	int rows = options->rows, cols = options->cols;
	bool has_size = tty->headless || ask_size(tty, &rows, &cols);
	if (!has_room(has_size ? rows : CANVAS_ROWS_MAX, has_size ? cols : CANVAS_COLS_MAX))
		return TTY_NO_MEMORY;
	/* ncurses writes to a file in memory, so it can't get the size and modes from it. */
	use_env(TRUE);
	if (has_size) {
		/* ncurses would take its size from them, again after each suspension. */
		unsetenv("LINES");
		unsetenv("COLUMNS");
	}
	use_tioctl(FALSE);
	/* ncurses leaves signals alone that have a handler, so install ours first. */
	if (!tty->headless)
		restore_arm(options->in, tty->sink.out, &tty->shell_modes);
	tty->screen = newterm(options->term, tty->sink.stream, tty->in);
	/* The type was checked before, so the failure is a lack of memory. */
	if (tty->screen == NULL)
		return TTY_NO_MEMORY;
	set_term(tty->screen);
	if (has_size && resize_term(rows, cols) == ERR)
		return TTY_NO_MEMORY;
	enum theme_id theme = choose_theme(options);
	tty->colour = theme != THEME_MONO;
	if (!tty->headless)
		set_modes(tty);
	set_ncurses(tty);
	bool light;
	ask(tty, options, &theme, &light);
	make_looks(tty, theme, light);
	return take_size(tty) ? TTY_OK : TTY_NO_MEMORY;
}

/* Set up the streams that ncurses reads and writes, and the `shown` canvas. */
static enum tty_status prepare(struct tty *tty, const struct tty_options *options)
{
	int in = dup(options->in);
	tty->in = in < 0 ? NULL : fdopen(in, "r");
	if (tty->in == NULL && in >= 0)
		close(in);
	tty->shown = canvas_create(0, 0);
	bool ready = sink_open(&tty->sink, options->out);
	return tty->in != NULL && ready && tty->shown != NULL ? TTY_OK : TTY_NO_MEMORY;
}

static bool is_headless(const struct tty_options *options)
{
	return options->rows > 0 && options->cols > 0;
}

/* Check the terminal.  Its description may stay in the environment until escapes_take_back. */
static enum tty_status check(const struct tty_options *options, struct termios *modes)
{
	if (open_tty.tty != NULL)
		return TTY_BUSY;
	if (options->term == NULL || options->term[0] == '\0')
		return TTY_NO_TERM;
	if (!is_headless(options) && (!isatty(options->out) || tcgetattr(options->in, modes) != 0))
		return TTY_NOT_A_TERMINAL;
	return escapes_check(options->term, options->out);
}

enum tty_status tty_check(const struct tty_options *options)
{
	struct termios modes;
	enum tty_status status = check(options, &modes);

	escapes_take_back();
	return status;
}

enum tty_status tty_open(struct tty **out, const struct tty_options *options)
{
	*out = NULL;
	bool headless = is_headless(options);
	struct termios modes;
	enum tty_status status = check(options, &modes);
	struct tty *tty = status == TTY_OK ? calloc(1, sizeof(*tty)) : NULL;
	if (tty == NULL) {
		escapes_take_back();
		return status == TTY_OK ? TTY_NO_MEMORY : status;
	}
	tty->headless = headless;
	tty->mouse = options->mouse;
	tty->tmux = options->tmux;
	strlcpy(tty->term, options->term, sizeof(tty->term));
	tty->level = choose_level(options);
	if (!headless)
		tty->shell_modes = modes;
	open_tty.tty = tty;
	open_tty.owner = getpid();
	/* ncurses ends the program if it runs out of memory while it starts. */
	if (!open_tty.registered)
		open_tty.registered = atexit(close_at_exit) == 0;
	status = prepare(tty, options);
	if (status == TTY_OK)
		status = start(tty, options);
	escapes_take_back();
	if (status != TTY_OK) {
		tty_close(tty);
		return status;
	}
	*out = tty;
	return TTY_OK;
}

/* Send a sequence that asks for reports of the mouse, or ends them.  Returns false if the terminal has none. */
static bool say_mouse(struct tty *tty, bool on)
{
	const char *sequence = escapes_mouse(tty->term, on);

	if (sequence == NULL)
		return false;
	fputs(sequence, tty->sink.stream);
	fflush(tty->sink.stream);
	tty->said = true;
	return true;
}

bool tty_mouse(struct tty *tty, bool on)
{
	tty->mouse = on && escapes_mouse(tty->term, on) != NULL;
	return say_mouse(tty, on);
}

struct ui_pointer tty_pointer(const struct tty *tty)
{
	return tty->pointer;
}

enum tty_copied tty_copy(struct tty *tty, const char *text, size_t len)
{
	if ((len + 2) / 3 * 4 > TTY_COPY_MOST)
		return TTY_COPY_LONG;
	if (!escapes_copy(tty->sink.stream, tty->term, tty->tmux, text, len))
		return TTY_COPY_UNKNOWN;
	fflush(tty->sink.stream);
	tty->said = true;
	return TTY_COPY_SENT;
}

/* Leave ncurses' screen.  If the terminal is not ready, drop ncurses' output (and, if it is late, the
 * terminal's queue), and send only the restoring bytes, without waiting. */
static void leave_screen(struct tty *tty)
{
	if (tty->mouse)
		say_mouse(tty, false);
	endwin();
	if (tty->headless) {
		sink_send(&tty->sink, "", "");
		return;
	}
	restore_flow(tty->sink.out.fd);
	/* The state is asked for once only: a second answer could differ. */
	if (sink_ready(&tty->sink) && !tty->sink.late && sink_send(&tty->sink, "", ""))
		return;
	sink_drop(&tty->sink);
	restore_screen();
}

void tty_close(struct tty *tty)
{
	if (tty == NULL)
		return;
	/* The shell would take an answer for its user's input. */
	if (tty->asked && !tty->broken)
		take_answers(tty, false);
	/* ncurses keeps its screen: after a lack of memory, delscreen would use what was never allocated. */
	if (tty->screen != NULL)
		leave_screen(tty);
	if (!tty->headless && tty->in != NULL)
		tcsetattr(fileno(tty->in), TCSANOW, &tty->shell_modes);
	restore_disarm();
	sink_close(&tty->sink);
	if (tty->in != NULL)
		fclose(tty->in);
	canvas_destroy(tty->shown);
	free(tty->cells);
	free(tty);
	open_tty.tty = NULL;
}

bool tty_fit(const struct tty *tty, struct canvas *canvas)
{
	canvas_set_look(canvas, tty->level, tty->colour);
	return canvas_resize(canvas, tty->rows, tty->cols);
}

/* Convert a cell for ncurses.  Returns the number of ncurses cells used (2 for a replaced wide character). */
static int convert(const struct tty *tty, const struct canvas_cell *cell, cchar_t *out)
{
	wchar_t text[CANVAS_CODE_POINTS + 1];
	attr_t attributes = tty->looks[cell->style < STYLE_COUNT ? cell->style : STYLE_TEXT].attributes;
	short pair = tty->looks[cell->style < STYLE_COUNT ? cell->style : STYLE_TEXT].pair;
	int count = 1, len = 1;
	text[0] = (wchar_t)cell->text[0];
	if (cell->text[0] >= 0x7f && wcwidth(text[0]) != cell->columns) {
		text[0] = L'?';
		count = cell->columns;
	}
	for (int i = 1; count == 1 && i < CANVAS_CODE_POINTS && cell->text[i] != 0; i++)
		if (wcwidth((wchar_t)cell->text[i]) == 0)
			text[len++] = (wchar_t)cell->text[i];
	text[len] = L'\0';
	for (int i = 0; i < count; i++)
		setcchar(&out[i], text, attributes, pair, NULL);
	return count;
}

/* Copy the cells of a row that differ from what is shown.  Returns true if any differ. */
static bool copy_row(struct tty *tty, const struct canvas *canvas, int row)
{
	const struct canvas_cell *now = canvas_row(canvas, row), *before = canvas_row(tty->shown, row);
	int cols = canvas_cols(canvas) < tty->cols ? canvas_cols(canvas) : tty->cols;
	int first = 0, last = cols - 1;
	if (!tty->stale && before != NULL) {
		while (first < cols && memcmp(&now[first], &before[first], sizeof(*now)) == 0)
			first++;
		if (first == cols)
			return false;
		while (memcmp(&now[last], &before[last], sizeof(*now)) == 0)
			last--;
		/* Include both halves of wide characters, old and new. */
		while (first > 0 && (now[first].columns == 0 || before[first].columns == 0))
			first--;
		while (last < cols - 1 && (now[last + 1].columns == 0 || before[last + 1].columns == 0))
			last++;
	}
	int used = 0;
	for (int col = first; col <= last; col++) {
		if (now[col].columns == 0)
			continue;
		struct canvas_cell cell = now[col];
		if (cell.columns == 2 && col == cols - 1) {
			/* Its right half is outside the screen. */
			cell = (struct canvas_cell){{' ', 0, 0}, cell.style, 1};
		}
		used += convert(tty, &cell, &tty->cells[used]);
	}
	mvadd_wchnstr(row, first, tty->cells, used);
	return true;
}

bool tty_ready(struct tty *tty)
{
	return sink_ready(&tty->sink);
}

int tty_output(const struct tty *tty)
{
	return tty->sink.out.fd;
}

bool tty_flush(struct tty *tty, const struct canvas *canvas)
{
	if (!sink_ready(&tty->sink))
		return false;
	bool changed = tty->stale || canvas_rows(canvas) != canvas_rows(tty->shown) ||
		       canvas_cols(canvas) != canvas_cols(tty->shown);
	if (changed) {
		erase();
		tty->stale = true;
	}
	int rows = canvas_rows(canvas) < tty->rows ? canvas_rows(canvas) : tty->rows;
	for (int row = 0; row < rows && canvas_cols(canvas) > 0; row++)
		changed = copy_row(tty, canvas, row) || changed;
	tty->stale = !canvas_copy(tty->shown, canvas);
	if (tty->cursor_row >= 0)
		move(tty->cursor_row, tty->cursor_col);
	else
		move(tty->rows - 1, tty->cols - 1);
	if (changed || tty->said || tty->cursor_row >= 0) {
		tty->said = false;
		tty->broken |= refresh() == ERR;
		sink_send(&tty->sink, tty->synchronised ? "\033[?2026h" : "",
		    tty->synchronised ? "\033[?2026l" : "");
	}
	return true;
}

void tty_cursor(struct tty *tty, int row, int col)
{
	bool shown = row >= 0 && row < tty->rows && col >= 0 && col < tty->cols;
	tty->cursor_row = shown ? row : -1;
	tty->cursor_col = col;
	/* A hidden cursor may be anywhere.  If the terminal can't hide it, tty_flush moves it to the last
	 * cell. */
	bool hidden = curs_set(shown ? 1 : 0) != ERR;
	leaveok(stdscr, !shown && hidden);
}

void tty_redraw(struct tty *tty)
{
	tty->stale = true;
	clearok(curscr, TRUE);
}

/* Whether a mouse report was asked for, and its cell is on the screen. */
static bool is_inside(const struct tty *tty, const struct ui_pointer *at)
{
	return tty->mouse && at->row >= 0 && at->row < tty->rows && at->col >= 0 && at->col < tty->cols;
}

ui_key tty_key(struct tty *tty)
{
	if (restore_take_continue()) {
		/* Another program may have changed the modes while this one was stopped. */
		tcsetattr(fileno(tty->in), TCSANOW, &tty->our_modes);
		tty->resized = true;
	}
	if (restore_take_stop())
		return UI_CTRL('Z');
	/* Redraw even at the old size: the terminal has lost what did not fit meanwhile. */
	if (restore_take_resize())
		tty->resized = true;
	if (!tty->broken)
		follow_size(tty);
	if (tty->resized && !tty->broken)
		tty->broken = !take_size(tty);
	/* With the size unknown to ncurses, asking again would fail again. */
	if (tty->broken)
		return UI_KEY_NONE;
	if (!tty->resized) {
		if (tty->early_at < tty->early_count)
			return tty->early[tty->early_at++];
		ui_key key = keymap_read(&tty->pointer);
		for (int i = 0; i < REPORTS_MOST && key == UI_KEY_MOUSE && !is_inside(tty, &tty->pointer);
		     i++)
			key = keymap_read(&tty->pointer);
		return key == UI_KEY_MOUSE && !is_inside(tty, &tty->pointer) ? UI_KEY_NONE : key;
	}
	tty->resized = false;
	tty_redraw(tty);
	/* The mouse may be off, because the terminal was given back or another program used it. */
	if (tty->mouse)
		say_mouse(tty, true);
	return UI_KEY_RESIZE;
}

bool tty_broken(const struct tty *tty)
{
	return tty->broken;
}

void tty_suspend(struct tty *tty)
{
	leave_screen(tty);
	if (!tty->headless) {
		tcsetattr(fileno(tty->in), TCSANOW, &tty->shell_modes);
		restore_stop();
		tcsetattr(fileno(tty->in), TCSANOW, &tty->our_modes);
	}
	tty->resized = true;
}

uint64_t tty_bytes(const struct tty *tty)
{
	return tty->sink.bytes;
}
