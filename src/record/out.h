/*
 * out.h - buffered output of text and JSON to a descriptor.
 *
 * A failed write is remembered and later output is dropped, so that callers need to look once, at the end.
 */
#ifndef RECORD_OUT_H
#define RECORD_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct out {
	int fd;
	int error; /* errno of the first failed write, ECANCELED when `wait` gave up, 0 while all is well */
	bool (*wait)(void *ctx, int fd);
	void *wait_ctx;
	size_t used;
	char buffer[1 << 16];
};

void out_init(struct out *out, int fd);

/*
 * Have each write wait until the descriptor takes one, in `wait`, which returns false to give up.  So what nobody
 * reads does not keep us from looking at signals; NULL, as at first: writes block.
 */
void out_set_wait(struct out *out, bool (*wait)(void *ctx, int fd), void *ctx);

/* Write what is buffered; 0, or the errno of the first failure. */
int out_flush(struct out *out);

void out_bytes(struct out *out, const char *bytes, size_t len);
void out_text(struct out *out, const char *text);
void out_char(struct out *out, char c);
void out_unsigned(struct out *out, uint64_t value);
void out_signed(struct out *out, int64_t value);
__attribute__((format(printf, 2, 3))) void out_format(struct out *out, const char *format, ...);

/* Nanoseconds as seconds with nine decimals: exact. */
void out_seconds(struct out *out, uint64_t ns);

/* Bytes as lower-case hexadecimal digits. */
void out_hex(struct out *out, const void *data, size_t len);

/* A JSON string with its quotes: bytes below 0x20 as \u00xx, valid UTF-8 as it is, an invalid byte as \ufffd. */
void out_json_string(struct out *out, const char *text, size_t len);

/* Foreign text for a terminal or a log: the bytes of what is invalid or not to be shown (core/shown.h) appear as \xNN. */
void out_foreign(struct out *out, const char *text, size_t len);

#endif
