/*
 * number.h - numbers as short texts.
 *
 * Each function returns a text by value, for use in place: canvas_put(.., format_bytes(n).s).  Magnitudes
 * have three digits ("1.20k", "12.3k", "184k"), which is within half a percent; whole numbers below 1000 are
 * exact.  An unknown figure is "-", and `unknown` is set.  Texts may contain the micro sign, "≥" and "≤",
 * which a canvas shows as 'u' and '>' on an ASCII screen.
 */
#pragma once

#include "core/std.h"

/* 23 bytes and a NUL: the longest is a signed 64-bit number in full. */
struct formatted {
	char s[24];
	bool unknown; /* the text is "-" */
};

/* What a number counts. */
enum unit {
	UNIT_COUNT,
	UNIT_NS,
	UNIT_SECONDS,
	UNIT_BYTES,
	UNIT_WORDS,	 /* of 8 bytes, shown as bytes */
	UNIT_LOST_WORDS, /* shown as words */
	UNIT_CORES,	 /* processors */
	UNIT_SHARE,	 /* 1 is the whole */
	UNIT_RATE,	 /* a second */
	UNIT_BYTE_RATE,	 /* bytes a second */
	UNIT_GROWTH,	 /* bytes a minute */
};

/* Format a figure in its unit.  NAN, and values that the unit can't have, are unknown. */
struct formatted format_figure(enum unit unit, double value);

/* Format a figure that a process reports about itself; UINT64_MAX is unknown. */
struct formatted format_told(enum unit unit, uint64_t value);

struct formatted format_unknown(void);

/* Format a short text as printf does. */
__attribute__((format(printf, 1, 2))) struct formatted format_said(const char *format, ...);

/* Return the text if the figure is known, else "-". */
struct formatted format_if(bool known, struct formatted text);

/* Put a mark before a text, unless it is "-": "~" for a figure that is approximate, because events were lost and the
 * true one may be less or more; "≥" for a lower bound, "≤" for an upper one. */
struct formatted format_marked(const char *mark, struct formatted text);

/* Mark the percentile num/den after a loss: "~" for most, "≥" for the greatest (1/1), which is a lower bound. */
struct formatted format_after_loss(struct formatted text, unsigned num, unsigned den);

/* Nanoseconds: "0", "310ns", "4.00µs", "12.1ms", "1.90s", "2m05s", "3h12m", "4d07h". */
struct formatted format_duration(uint64_t ns);

/* Format how long something has lasted, in seconds: "0s", "42s", "3m07s", "3h12m", "12d04h". */
struct formatted format_age(uint64_t seconds);

/* Format the age of something, to be put behind it: " 9s ago"; "" up to `from` ns. */
struct formatted format_ago(uint64_t ns, uint64_t from);

/* A count: "0", "999", "1.20k", "184k", "18.4E" (k M G T P E: powers of 1000). */
struct formatted format_count(uint64_t count);

/* Bytes: "0B", "512B", "1.90GB" (powers of 1000), and 64-bit words: "240Mw". */
struct formatted format_bytes(uint64_t bytes);
struct formatted format_words(uint64_t words);

/* Format a setting in full, as the runtime reads it: "120", "256k", "1M", "262100" (k M G: powers of 1024). */
struct formatted format_setting(uint64_t value);

/* A number per second: "0/s", "0.80/s", "412/s", "184k/s"; below 0.01 but not 0: "<0.01/s".  Negative values,
 * infinities and NAN: "-". */
struct formatted format_rate(double per_second);

/* Bytes per second: "1.20GB/s". */
struct formatted format_byte_rate(double per_second);

/* A share, where 1 is the whole: "0%", "<0.1%", "0.3%", "9.9%", "61%", "100%"; it may be above.  Negative
 * values, infinities and NAN: "-". */
struct formatted format_percent(double share);

/* A share and its two parts: "69% = 31 work + 38 waiting", "3.2% = 2.9 work + 0.3 waiting".  The parts
 * have the precision of the share and add up to it.  If a part is unknown or the share is not a plain
 * number, the share alone. */
struct format_split {
	char s[64];
	char brief[48];			/* "69% = 31 + 38" */
	struct formatted work, waiting; /* the parts, "31%"; "-" where they are not known */
};
struct format_split format_gc(double share, double waiting);

/* The growth of memory: "+293MB/min", "-1.20GB/min"; "" if there is none, or it is not known. */
struct formatted format_growth(double bytes_a_minute);

/* A relative standard error: "±8%", "±0.3%", "±>999%"; "±?" for NAN. */
struct formatted format_error(double share);

/* The share part / whole; "-" when the whole is 0. */
struct formatted format_share(uint64_t part, uint64_t whole);

/* A signed value in full if it has at most `digits` digits, else as a magnitude: "-37", "1.20M". */
struct formatted format_signed(int64_t value, int digits);

/*
 * Forms for reports and sentences: a count in full below 100,000; a share with one digit after the point,
 * "7.1%", "<0.1%".  "-" for negative values, infinities and NAN.
 */
struct formatted plain_count(uint64_t count);
struct formatted plain_share(double share);

/* Write a time as a part of a whole, both in the unit of the whole: "463 of 466ms". */
void plain_part(uint64_t part, uint64_t whole, char *buf, size_t size);

/* ---- times as users write them ---- */

#define TIME_TEXT_MAX_NS UINT64_C(1000000000000000000) /* 10^9 s */

/* Parse "0.5", "2s", "250ms", "40us", "3m", "1h".  False, and *ns is 0, for other texts; false, and *ns is
 * UINT64_MAX, beyond TIME_TEXT_MAX_NS. */
bool time_text_read(const char *text, uint64_t *ns);

/* Parse a time of day as ns since its midnight: "22:28", "22:28:30", "9:05:00.125". */
bool clock_text_read(const char *text, uint64_t *ns);
