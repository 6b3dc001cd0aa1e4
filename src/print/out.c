/*
 * out.c - buffered output of text and JSON to a descriptor; columns and wrapped text, which count UTF-8 characters.
 */
#include "print/out.h"

#include <poll.h>
#include <unistd.h>

#include "core/shown.h"

void out_init(struct out *out, int fd)
{
	out->fd = fd;
	out->error = 0;
	out->used = 0;
	out->wait = NULL;
	out->ascii = false;
}

void out_set_wait(struct out *out, bool (*wait)(void *ctx, int fd), void *ctx)
{
	out->wait = wait;
	out->wait_ctx = ctx;
}

int out_flush(struct out *out)
{
	size_t done = 0;

	while (done < out->used && out->error == 0) {
		size_t len = out->used - done;
		if (out->wait != NULL && !out->wait(out->wait_ctx, out->fd)) {
			out->error = ECANCELED;
			break;
		}
		/* A pipe that polls writable accepts PIPE_BUF bytes without blocking. */
		if (out->wait != NULL && len > PIPE_BUF)
			len = PIPE_BUF;
		ssize_t n = write(out->fd, out->buffer + done, len);
		if (n > 0) {
			done += (size_t)n;
		} else if (n == 0) {
			out->error = EIO;
		} else if (errno == EAGAIN) {
			struct pollfd pfd = {.fd = out->fd, .events = POLLOUT};
			poll(&pfd, 1, -1);
		} else if (errno != EINTR) {
			out->error = errno;
		}
	}
	out->used = 0;
	return out->error;
}

void out_bytes(struct out *out, const char *bytes, size_t len)
{
	while (len > 0) {
		if (out->used == sizeof(out->buffer))
			out_flush(out);
		size_t room = sizeof(out->buffer) - out->used, part = len < room ? len : room;
		memcpy(out->buffer + out->used, bytes, part);
		out->used += part;
		bytes += part;
		len -= part;
	}
}

char *out_digits(char *end, uint64_t value)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";
	const char *behind = end;

	for (; value >= 10; value /= 100) {
		end -= 2;
		memcpy(end, pairs + value % 100 * 2, 2);
	}
	if (value > 0 || end == behind)
		*--end = (char)('0' + value);
	return end;
}

void out_unsigned(struct out *out, uint64_t value)
{
	char digits[20], *end = digits + sizeof(digits), *at = out_digits(end, value);

	out_put(out, at, (size_t)(end - at));
}

void out_signed(struct out *out, int64_t value)
{
	if (value < 0)
		out_char(out, '-');
	out_unsigned(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void out_hex(struct out *out, const void *data, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i++) {
		out_char(out, digits[bytes[i] >> 4]);
		out_char(out, digits[bytes[i] & 15]);
	}
}

/* Whether eight bytes are printable ASCII without quotes and backslashes. */
static bool all_plain(const unsigned char *s)
{
	const uint64_t ones = UINT64_MAX / 0xff;
	uint64_t word;

	memcpy(&word, s, sizeof(word));
	uint64_t quotes = word ^ ones * '"', slashes = word ^ ones * '\\';
	/* Any other byte sets its top bit: the first term for bytes below 0x20 or above 0xa0, the second for
	 * bytes above 0x7e.  Such a byte may carry into its neighbour, which does no harm. */
	uint64_t wrong = (word - ones * ' ') | (word + ones);
	wrong |= (quotes - ones) & ~quotes;
	wrong |= (slashes - ones) & ~slashes;
	return (wrong & ones * 0x80) == 0;
}

/* Append the leading characters that need no escape.  Returns their number. */
static size_t put_plain(struct out *out, const unsigned char *s, size_t len)
{
	size_t n = 0;

	while (len - n >= 8 && all_plain(s + n))
		n += 8;
	while (n < len && s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\')
		n++;
	out_bytes(out, (const char *)s, n);
	return n;
}

/* Append \uXXXX for a UTF-16 code unit. */
static void put_escape(struct out *out, uint32_t unit)
{
	const unsigned char bytes[] = {(unsigned char)(unit >> 8), (unsigned char)unit};

	out_text(out, "\\u");
	out_hex(out, bytes, sizeof(bytes));
}

void out_json_string(struct out *out, const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;
	uint32_t code;
	size_t size;

	out_char(out, '"');
	for (size_t i = put_plain(out, s, len); i < len; i += put_plain(out, s + i, len - i)) {
		if (!utf8_decode(s + i, len - i, &size, &code)) {
			put_escape(out, 0xfffd);
			size = 1;
		} else if (code == '"' || code == '\\') {
			out_char(out, '\\');
			out_char(out, (char)code);
		} else if (shown_of(code) == SHOWN) {
			out_bytes(out, text + i, size);
		} else if (code < 0x10000) {
			put_escape(out, code);
		} else {
			put_escape(out, 0xd7c0 + (code >> 10));
			put_escape(out, 0xdc00 | (code & 0x3ff));
		}
		i += size;
	}
	out_char(out, '"');
}

/* Return the ASCII character for a sign that number.c uses; 0 for other characters. */
static char ascii_of(uint32_t code)
{
	return code == 0xb5 ? 'u' : code == 0xb1 ? '~' : code == 0x2264 ? '<' : code == 0x2265 ? '>' : 0;
}

/* Append untrusted text.  With `lines`, its line feeds stay; else they are escaped too. */
static void put_foreign(struct out *out, const char *text, size_t len, bool lines)
{
	const unsigned char *s = (const unsigned char *)text;
	uint32_t code = 0;
	size_t size;

	for (size_t i = put_plain(out, s, len); i < len; i += put_plain(out, s + i, len - i)) {
		bool as_it_is =
		    utf8_decode(s + i, len - i, &size, &code) &&
		    ((shown_of(code) == SHOWN && !(out->ascii && code > 0x7f)) || (lines && code == '\n'));
		const char sign = out->ascii && !as_it_is ? ascii_of(code) : 0;
		if (as_it_is)
			out_bytes(out, text + i, size);
		else if (sign != 0)
			out_char(out, sign);
		for (size_t k = 0; !as_it_is && sign == 0 && k < size; k++) {
			out_text(out, "\\x");
			out_hex(out, s + i + k, 1);
		}
		i += size;
	}
}

void out_name(struct out *out, const char *name, size_t len)
{
	const char *quote = shown_quote(name, len);

	out_text(out, quote);
	out_foreign(out, name, len);
	out_text(out, quote);
}

void out_foreign(struct out *out, const char *text, size_t len)
{
	put_foreign(out, text, len, false);
}

void out_format(struct out *out, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put_foreign(out, text, strlen(text), true);
}

void out_line(struct out *out, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	const int len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0) {
		out->error = ENOMEM;
		return;
	}
	out_foreign(out, text, (size_t)len);
	out_char(out, '\n');
	free(text);
}

void out_place(struct out *out, const char *file, uint64_t line)
{
	if (file == NULL)
		return;
	out_char(out, ' ');
	out_foreign(out, file, strlen(file));
	if (line != 0)
		out_format(out, ":%" PRIu64, line);
}

/* ---- columns and paragraphs ---- */

void table_blanks(struct out *out, int count)
{
	while (count-- > 0)
		out_char(out, ' ');
}

static int characters(const char *text, size_t len)
{
	int count = 0;

	for (size_t i = 0; i < len; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

void table_cell(struct out *out, int width, const char *text)
{
	size_t len = strlen(text);
	int rest = abs(width) - characters(text, len);

	table_blanks(out, width > 0 ? rest : 0);
	out_foreign(out, text, len);
	table_blanks(out, width < 0 ? rest : 0);
}

void table_cells(struct out *out, const struct table_column *columns, const char *const *cells)
{
	for (size_t i = 0; columns[i].title != NULL; i++) {
		table_blanks(out, i > 0);
		table_cell(out, columns[i].width, cells[i]);
	}
}

void table_head(struct out *out, const struct table_column *columns)
{
	for (size_t i = 0; columns[i].title != NULL; i++) {
		table_blanks(out, i > 0);
		table_cell(out, columns[i].width, columns[i].title);
	}
	out_char(out, '\n');
}

void table_wrap(struct out *out, const char *text, int at, int indent)
{
	for (bool first = true; *text != '\0'; first = false) {
		size_t len = strcspn(text, " ");
		const int cols = characters(text, len);
		if (!first && at + 1 + cols > TABLE_COLUMNS) {
			out_char(out, '\n');
			table_blanks(out, indent);
			at = indent;
		} else if (!first) {
			out_char(out, ' ');
			at++;
		}
		out_foreign(out, text, len);
		at += cols;
		text += len;
		text += strspn(text, " ");
	}
	out_char(out, '\n');
}
