/* image.c - search a program file for an OCaml runtime. */
#include "target/image.h"

#include <sys/stat.h>
#include <unistd.h>

#include "target/answer.h"
#include "target/elf.h"
#include "target/system_parse.h"

/* ---- source ---- */

enum { CALL_WORK = 500 }; /* work of a system call, besides the bytes that it reads */

bool source_from_fd(struct source *source, int *fd, struct effort *effort)
{
	struct stat st;

	const int error = answer_copy(fd);
	if (error == ETIMEDOUT)
		effort->over = ANSWER_NONE;
	if (error != 0 || fstat(*fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < 0)
		return false;
	*source = (struct source){.fd = *fd, .size = (uint64_t)st.st_size, .effort = effort};
	return true;
}

void source_from_memory(struct source *source, const void *data, size_t size, struct effort *effort)
{
	*source = (struct source){.fd = -1, .data = data, .size = size, .effort = effort};
}

static bool read_fd(int fd, uint64_t offset, uint8_t *buf, size_t n)
{
	while (n > 0) {
		ssize_t got = pread(fd, buf, n, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		buf += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

bool source_read(struct source *source, uint64_t offset, void *buf, size_t n)
{
	if (offset > source->size || n > source->size - offset)
		return false;
	if (!effort_spend(source->effort, n + (source->fd >= 0 ? CALL_WORK : 0)))
		return false;
	if (source->fd >= 0)
		return read_fd(source->fd, offset, buf, n);
	if (n > 0)
		memcpy(buf, source->data + offset, n);
	return true;
}

bool source_scan(
    struct source *source, uint64_t offset, uint64_t size, size_t overlap, source_visit *visit, void *ctx)
{
	uint8_t window[SOURCE_WINDOW];
	size_t kept = 0;
	bool whole = true;

	if (offset >= source->size)
		return size == 0;
	if (size > source->size - offset) {
		size = source->size - offset;
		whole = false;
	}
	while (size > 0) {
		size_t n = sizeof window - kept;

		if (n > size)
			n = (size_t)size;
		if (!source_read(source, offset, window + kept, n))
			return false;
		if (!visit(ctx, offset - kept, window, kept + n))
			return true;
		offset += n;
		size -= n;
		/* only the first windows are shorter than the overlap */
		n += kept;
		kept = n < overlap ? n : overlap;
		memmove(window, window + n - kept, kept);
	}
	return whole;
}

/* ---- image ---- */

/* A string of the runtime, stored in two pieces. */
struct literal {
	uint32_t bit;
	unsigned rare; /* index in `head` of a letter that is rare in programs */
	const char *head;
	const char *tail;
};

static const struct literal literals[] = {
    {IMAGE_EVENTS_DIR, 15, "OCAML_RUNTIME_EV", "ENTS_DIR"},
    {IMAGE_RING_FILE, 6, "Couldn't open ri", "ng buffer loc"},
    {IMAGE_EVENT_NAME, 2, "maximum length for ev", "ent name exceeded"},
    {IMAGE_MAX_DOMAINS, 6, "OCAMLRUNPARAM: max_dom", "ains(d) must be at least 1"},
    {IMAGE_MEMPROF_5_1, 0, "Gc.memprof.st", "art: not implemented in multicore"},
    {IMAGE_MEMPROF_5_2, 3, "Gc.Memprof.st", "art: not implemented in multicore"},
    {IMAGE_MEMPROF, 3, "Gc.Memprof.st", "op: no profile running."},
    {IMAGE_OXCAML, 15, "OCAML_RUNTIME_EV", "ENTS_PERF_COUNTERS"},
    {IMAGE_OXCAML, 4, "in runti", "me5: not supported"},
};

static const struct literal runtime_literal = {0, 4, "The OCaml ru", "ntime, version "};

enum { LITERAL_COUNT = sizeof literals / sizeof literals[0] };

/* overlap of windows: more than twice the longest string */
enum { OVERLAP = 256 };

/* Static OCaml blocks: a header word (size in words, colour, tag), then the fields. */
enum { WORD = 8, STRING_WORDS_MAX = IMAGE_VERSION_SIZE / WORD };
#define HEADER_MASK UINT64_C(0xffffffffff) /* the highest bits may be reserved */
#define STRING_HEADER(words) ((uint64_t)(words) << 10 | 0x3fc)
#define RELEASE_HEADER UINT64_C(0x1300) /* four fields, tag 0 */
enum { RELEASE_SIZE = 5 * WORD };

/* Parse a version.  Returns false if it is not one of OCaml 5. */
static bool parse_version(const char *text, size_t len, unsigned parts[3])
{
	const char *p = text, *end = text + len;

	for (unsigned i = 0; i < 3; i++) {
		if (i > 0 && (p >= end || *p++ != '.'))
			return false;
		uint64_t part;
		if (!take_number(&p, end, &part) || part > 999)
			return false;
		parts[i] = (unsigned)part;
	}
	if (parts[0] != 5)
		return false;
	if (p == end)
		return true;
	if (*p != '+' && *p != '~')
		return false;
	for (; p < end; p++) {
		bool digit = *p >= '0' && *p <= '9';
		bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z');

		if (!digit && !letter && memchr("+~.-_", *p, 5) == NULL)
			return false;
	}
	return true;
}

bool image_is_version(const char *text, size_t len)
{
	unsigned parts[3];

	return parse_version(text, len, parts);
}

static uint64_t word_at(const uint8_t *data)
{
	uint64_t word;

	memcpy(&word, data, sizeof word);
	return word;
}

/* The length of the OCaml string in `words` words, 0 if its padding is invalid. */
static size_t string_length(const uint8_t *data, size_t words)
{
	size_t size = words * WORD, pad = data[size - 1];

	if (pad >= WORD)
		return 0;
	for (size_t i = size - 1 - pad; i < size - 1; i++)
		if (data[i] != 0)
			return 0;
	return size - 1 - pad;
}

/* Whether the preceding block is Sys.ocaml_release with the same version. */
static bool is_release(const uint8_t *data, const unsigned parts[3])
{
	if ((word_at(data) & HEADER_MASK) != RELEASE_HEADER)
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (word_at(data + (1 + i) * WORD) != 2 * (uint64_t)parts[i] + 1)
			return false;
	return true;
}

/* Check a possible block of Sys.ocaml_version; `before` bytes of the window precede it. */
static void see_block(struct image *image, const uint8_t *data, size_t before, size_t after)
{
	uint64_t header = word_at(data) & HEADER_MASK;
	size_t words = (size_t)(header >> 10), len;
	const char *text = (const char *)data + WORD;
	unsigned parts[3];

	if (image->sys_release || words < 1 || words > STRING_WORDS_MAX || header != STRING_HEADER(words) ||
	    after < (1 + words) * WORD)
		return;
	len = string_length(data + WORD, words);
	if (len == 0 || !parse_version(text, len, parts))
		return;
	bool release = before >= RELEASE_SIZE && is_release(data - RELEASE_SIZE, parts);
	if (!release && image->sys[0] != '\0') {
		if (strlen(image->sys) != len || memcmp(image->sys, text, len) != 0)
			image->sys_ambiguous = true;
		return;
	}
	memcpy(image->sys, text, len);
	image->sys[len] = '\0';
	image->sys_release = release;
}

/* A scan of one segment. */
struct scan {
	struct image *image;
	uint64_t skew; /* address minus file offset, for alignment */
};

/* Search a window of writable data for Sys.ocaml_version. */
static bool see_data(void *ctx, uint64_t offset, const uint8_t *data, size_t len)
{
	struct scan *scan = ctx;
	size_t at = (size_t)(-(offset + scan->skew) % WORD);

	for (; at + 2 * WORD <= len; at += WORD)
		if ((word_at(data + at) & 0xff) == 0xfc)
			see_block(scan->image, data + at, at, len - at);
	return true;
}

/* Find a literal in a window.  Returns the place after it, NULL if it is not there.  memchr for a rare letter
 * takes a fraction of the time that memmem takes. */
static const uint8_t *find_literal(const uint8_t *data, size_t len, const struct literal *literal)
{
	size_t head = strlen(literal->head), tail = strlen(literal->tail);

	if (len < head + tail)
		return NULL;
	const uint8_t *p = data + literal->rare, *end = p + (len - head - tail) + 1;
	while (p < end && (p = memchr(p, literal->head[literal->rare], (size_t)(end - p))) != NULL) {
		const uint8_t *start = p++ - literal->rare;
		if (memcmp(start, literal->head, head) == 0 && memcmp(start + head, literal->tail, tail) == 0)
			return start + head + tail;
	}
	return NULL;
}

/* Search for the version of the bytecode interpreter. */
static void see_runtime(struct image *image, const uint8_t *data, size_t len)
{
	const uint8_t *end = data + len, *p = data;

	while (
	    image->runtime[0] == '\0' && (p = find_literal(p, (size_t)(end - p), &runtime_literal)) != NULL) {
		size_t n = 0, room = (size_t)(end - p);

		while (n < room && n < IMAGE_VERSION_SIZE && p[n] != '\0' && p[n] != '\n')
			n++;
		if (n < room && n < IMAGE_VERSION_SIZE && image_is_version((const char *)p, n)) {
			memcpy(image->runtime, p, n);
			image->runtime[n] = '\0';
		}
	}
}

/* Search a window of constants. */
static bool see_constants(void *ctx, uint64_t offset, const uint8_t *data, size_t len)
{
	struct scan *scan = ctx;

	for (size_t i = 0; i < LITERAL_COUNT; i++)
		if ((scan->image->literals & literals[i].bit) == 0 &&
		    find_literal(data, len, &literals[i]) != NULL)
			scan->image->literals |= literals[i].bit;
	see_runtime(scan->image, data, len);
	return true;
}

/* Search a window of constants for the string that every OCaml 5 runtime contains. */
static bool see_marker(void *ctx, uint64_t offset, const uint8_t *data, size_t len)
{
	struct scan *scan = ctx;

	if (find_literal(data, len, &literals[0]) != NULL)
		scan->image->literals |= literals[0].bit;
	return (scan->image->literals & literals[0].bit) == 0;
}

/* Kinds of segments. */
enum kind { KIND_DATA, KIND_CONSTANTS, KIND_CODE };

static enum kind kind_of(const struct elf_segment *segment)
{
	if (segment->writable)
		return KIND_DATA;
	return segment->executable ? KIND_CODE : KIND_CONSTANTS;
}

/* Scan all segments of one kind. */
static void scan_segments(struct elf *elf, struct image *image, enum kind kind, source_visit *visit)
{
	for (unsigned i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];
		struct scan scan = {.image = image, .skew = segment->address - segment->offset};

		if (kind_of(segment) != kind)
			continue;
		if (!source_scan(elf->source, segment->offset, segment->file_size, OVERLAP, visit, &scan))
			image->whole = false;
	}
}

static bool has_segments(const struct elf *elf, enum kind kind)
{
	for (unsigned i = 0; i < elf->segment_count; i++)
		if (kind_of(&elf->segments[i]) == kind)
			return true;
	return false;
}

void image_read(struct image *image, struct source *source, enum image_depth depth)
{
	struct elf elf;

	memset(image, 0, sizeof *image);
	image->trailer = image_trailer(source);
	if (!elf_open(&elf, source))
		return;
	image->elf = true;
	image->whole = true;
	/* Some linkers put constants into the code segment. */
	enum kind constants = has_segments(&elf, KIND_CONSTANTS) ? KIND_CONSTANTS : KIND_CODE;
	if (depth == IMAGE_QUICK) {
		/* Every OCaml 5 runtime creates threads. */
		if (elf_lacks_import(&elf, "pthread_create"))
			return;
		scan_segments(&elf, image, constants, see_marker);
		if (image->literals == 0)
			return;
	}
	scan_segments(&elf, image, constants, see_constants);
	if (depth == IMAGE_FULL && constants != KIND_CODE)
		scan_segments(&elf, image, KIND_CODE, see_constants);
	scan_segments(&elf, image, KIND_DATA, see_data);
}

void image_read_symbols(struct image *image, struct source *source)
{
	/* Every OCaml 5 runtime has the first one: if it is found, the absence of others is evidence. */
	struct elf_lookup lookups[] = {
	    {.name = "caml_ev_lifecycle"},
	    {.name = "caml_runtime_events_user_write"},
	    {.name = "caml_ml_runtime_events_start"},
	    {.name = "caml_ml_runtime_events_path"},
	    {.name = "caml_memprof_scan_roots"},
	};
	struct elf elf;

	image->symbols = 0;
	if (!elf_open(&elf, source) || !elf_lookup(&elf, lookups, sizeof lookups / sizeof lookups[0]))
		return;
	for (unsigned i = 0; i < sizeof lookups / sizeof lookups[0]; i++)
		if (lookups[i].count > 0)
			image->symbols |= UINT32_C(1) << i;
	if ((image->symbols & IMAGE_SYMBOLS) == 0)
		image->symbols = 0;
}

unsigned image_trailer(struct source *source)
{
	static const char magic[] = "Caml1999X";
	char trailer[16]; /* number of sections, magic, three digits */
	unsigned number = 0;

	if (source->size < sizeof trailer ||
	    !source_read(source, source->size - sizeof trailer, trailer, sizeof trailer) ||
	    memcmp(trailer + 4, magic, sizeof magic - 1) != 0)
		return 0;
	for (unsigned i = 13; i < 16; i++) {
		if (trailer[i] < '0' || trailer[i] > '9')
			return 0;
		number = number * 10 + (unsigned)(trailer[i] - '0');
	}
	return number;
}

void image_add_library(struct image *image, const struct image *library)
{
	image->literals |= library->literals;
	image->symbols |= library->symbols;
	image->whole = image->whole && library->whole;
	if (image->runtime[0] == '\0')
		memcpy(image->runtime, library->runtime, sizeof image->runtime);
	if (image->sys[0] == '\0') {
		memcpy(image->sys, library->sys, sizeof image->sys);
		image->sys_release = library->sys_release;
		image->sys_ambiguous = library->sys_ambiguous;
	}
}
