/* version.c - determine the OCaml release of a process. */
#include "target/version.h"

#include <strings.h>
#include <unistd.h>

#include "core/array.h"
#include "target/answer.h"
#include "target/identity.h"
#include "target/maps.h"
#include "target/system_parse.h"

/* newest minor release with a table of its own */
enum { MINOR_NEWEST = 5 };

/* Trailer number of 5.0, the first one that counts; OxCaml's numbers are far above. */
enum { TRAILER_5_0 = 32, TRAILER_OXCAML = 500 };

enum { CACHE_MAX = 1024, LIBRARIES_MAX = 2 };

const char *version_origin_name(enum version_origin origin)
{
	static const char *const names[] = {
	    [VERSION_FROM_NOTHING] = "unknown",
	    [VERSION_FROM_EXE] = "exe",
	    [VERSION_FROM_BYTECODE] = "bytecode",
	    [VERSION_FROM_OPTION] = "option",
	    [VERSION_FROM_STREAM] = "stream",
	    [VERSION_FROM_LAYOUT] = "layout",
	};

	return names[origin];
}

/* Set a range of minor releases: text, and the release with the most suitable table. */
static void set_range(struct version *out, unsigned low, unsigned high, enum version_origin origin)
{
	char newest[16];

	memset(out, 0, sizeof *out);
	if (low > high)
		return;
	out->origin = origin;
	out->low = low;
	out->high = high;
	snprintf(newest, sizeof newest, "5.%u", high);
	if (low == high)
		strlcpy(out->text, newest, sizeof out->text);
	else
		snprintf(out->text, sizeof out->text, "5.%u-%s", low, newest);
	/* Numbers changed between 5.2 and 5.3: no table suits a range across them. */
	if (low > 2 || high <= 2)
		out->release = rtev_release_from_version(newest);
}

/* Set OxCaml without a version. */
static void set_oxcaml(struct version *out, enum version_origin origin)
{
	memset(out, 0, sizeof *out);
	out->origin = origin;
	out->release = RTEV_RELEASE_OXCAML;
	strlcpy(out->text, rtev_release_name(out->release), sizeof out->text);
}

/* Parse "5.N" completely. */
static bool parse_minor(const char *text, size_t len, unsigned *minor)
{
	struct piece piece = {text, text + len};
	uint64_t value;

	if (!piece_skip(&piece, "5.") || !take_number(&piece.at, piece.end, &value) ||
	    piece.at != piece.end || value > 999)
		return false;
	*minor = (unsigned)value;
	return true;
}

bool version_from_text(const char *text, enum version_origin origin, struct version *out)
{
	size_t len = strlen(text);
	const char *dash = strchr(text, '-');
	unsigned low, high;

	memset(out, 0, sizeof *out);
	if (strcasecmp(text, "oxcaml") == 0) {
		set_oxcaml(out, origin);
		return true;
	}
	if (image_is_version(text, len) && len < sizeof out->text) {
		out->release = rtev_release_from_version(text);
		out->origin = origin;
		out->exact = true;
		out->low = out->high = (unsigned)strtoul(text + 2, NULL, 10);
		memcpy(out->text, text, len + 1);
		return out->release != RTEV_RELEASE_UNKNOWN;
	}
	if (dash == NULL) {
		if (!parse_minor(text, len, &low))
			return false;
		high = low;
	} else if (!parse_minor(text, (size_t)(dash - text), &low) ||
		   !parse_minor(dash + 1, strlen(dash + 1), &high)) {
		return false;
	}
	if (low > high)
		return false;
	set_range(out, low, high, origin);
	return true;
}

static void at_least(unsigned *low, unsigned minor)
{
	if (*low < minor)
		*low = minor;
}

static void at_most(unsigned *high, unsigned minor)
{
	if (*high > minor)
		*high = minor;
}

/* Narrow the range by the strings that are present, and by those that are absent. */
static void narrow_by_literals(const struct image *image, unsigned *low, unsigned *high)
{
	uint32_t has = image->literals;

	if (has & IMAGE_EVENT_NAME)
		at_least(low, 1);
	else if (image->whole)
		at_most(high, 0);
	if (has & (IMAGE_MAX_DOMAINS | IMAGE_MEMPROF))
		at_least(low, 3);
	else if (image->whole)
		at_most(high, 2);
	/* These are linked only if memprof is used: their absence is no evidence. */
	if (has & IMAGE_MEMPROF_5_2) {
		at_least(low, 2);
		at_most(high, 2);
	}
	if (has & IMAGE_MEMPROF_5_1)
		at_most(high, 1);
}

/* Narrow the range by the functions of the runtime. */
static void narrow_by_symbols(const struct image *image, unsigned *low, unsigned *high)
{
	uint32_t has = image->symbols;

	if ((has & IMAGE_SYMBOLS) == 0)
		return;
	if (has & (IMAGE_SYMBOL_PATH | IMAGE_SYMBOL_MEMPROF))
		at_least(low, 3);
	else
		at_most(high, 2);
	if (has & IMAGE_SYMBOL_START)
		at_least(low, 2);
	else
		at_most(high, 1);
	if (has & IMAGE_SYMBOL_WRITE)
		at_least(low, 1);
	else
		at_most(high, 0);
}

/* Whether the strings are those of an OCaml 5 runtime.  A single one may occur in any program that deals with
 * OCaml. */
static bool has_runtime(const struct image *image)
{
	return (image->literals & IMAGE_EVENTS_DIR) != 0 &&
	       (image->literals & ~(uint32_t)IMAGE_EVENTS_DIR) != 0;
}

/* Evidence of a bytecode trailer. */
static bool from_trailer(unsigned trailer, struct version *out)
{
	if (trailer >= TRAILER_OXCAML) {
		set_oxcaml(out, VERSION_FROM_BYTECODE);
		return true;
	}
	if (trailer < TRAILER_5_0 || trailer > TRAILER_5_0 + 99)
		return false;
	set_range(out, trailer - TRAILER_5_0, trailer - TRAILER_5_0, VERSION_FROM_BYTECODE);
	return true;
}

/* Whether two versions can both be true; an unknown one agrees with any. */
static bool agree(const struct version *a, const struct version *b)
{
	if (a->text[0] == '\0' || b->text[0] == '\0')
		return true;
	if (a->release == RTEV_RELEASE_OXCAML || b->release == RTEV_RELEASE_OXCAML)
		return a->release == b->release;
	/* Releases newer than the newest table use that table. */
	unsigned a_low = a->low > MINOR_NEWEST ? MINOR_NEWEST : a->low;
	unsigned a_high = a->high > MINOR_NEWEST ? MINOR_NEWEST : a->high;
	unsigned b_low = b->low > MINOR_NEWEST ? MINOR_NEWEST : b->low;
	unsigned b_high = b->high > MINOR_NEWEST ? MINOR_NEWEST : b->high;
	return a_low <= b_high && b_low <= a_high;
}

/* Evidence of the strings and symbols of the runtime. */
static void from_runtime(const struct image *image, struct version *out)
{
	unsigned low = 0, high = MINOR_NEWEST;
	struct version sys;

	if (image->literals & IMAGE_OXCAML) {
		set_oxcaml(out, VERSION_FROM_EXE);
		return;
	}
	narrow_by_literals(image, &low, &high);
	narrow_by_symbols(image, &low, &high);
	set_range(out, low, high, VERSION_FROM_EXE);
	/* A version string without its record may be any string; this one is in the range. */
	if (image->sys[0] != '\0' && !image->sys_ambiguous &&
	    version_from_text(image->sys, VERSION_FROM_EXE, &sys) && agree(&sys, out))
		*out = sys;
}

enum version_program version_from_image(const struct image *image, unsigned trailer, struct version *out)
{
	memset(out, 0, sizeof *out);
	if (image->sys_release && version_from_text(image->sys, VERSION_FROM_EXE, out))
		return VERSION_OCAML5;
	if (image->runtime[0] != '\0' && version_from_text(image->runtime, VERSION_FROM_BYTECODE, out))
		return VERSION_OCAML5;
	if (!has_runtime(image))
		return VERSION_NOT_OCAML5;
	if (!from_trailer(trailer, out) && !from_trailer(image->trailer, out))
		from_runtime(image, out);
	return VERSION_OCAML5;
}

struct cached {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec modified;
	enum image_depth depth;
	struct image image;
};

struct version_cache {
	size_t count;
	size_t room;
	struct cached *entries;
};

struct version_cache *version_cache_create(void)
{
	return calloc(1, sizeof(struct version_cache));
}

void version_cache_destroy(struct version_cache *cache)
{
	if (cache == NULL)
		return;
	free(cache->entries);
	free(cache);
}

/* Whether an entry is of this file with its present contents. */
static bool is_cached(const struct cached *entry, const struct stat *st)
{
	return entry->ino == st->st_ino && entry->dev == st->st_dev && entry->size == st->st_size &&
	       entry->modified.tv_sec == st->st_mtim.tv_sec && entry->modified.tv_nsec == st->st_mtim.tv_nsec;
}

/* Find a file in the cache that was searched deeply enough. */
static const struct image *cache_find(
    const struct version_cache *cache, const struct stat *st, enum image_depth depth)
{
	for (size_t i = 0; cache != NULL && i < cache->count; i++)
		if (is_cached(&cache->entries[i], st) && cache->entries[i].depth >= depth)
			return &cache->entries[i].image;
	return NULL;
}

bool version_cache_excludes(const struct version_cache *cache, const struct stat *st)
{
	const struct image *image = cache_find(cache, st, IMAGE_QUICK);
	struct version version;

	return image != NULL && version_from_image(image, 0, &version) == VERSION_NOT_OCAML5;
}

/* Add a file to the cache; if it is full, the file is searched again next time. */
static void cache_add(
    struct version_cache *cache, const struct stat *st, enum image_depth depth, const struct image *image)
{
	if (cache == NULL || cache->count == CACHE_MAX ||
	    !array_room(&cache->entries, &cache->room, cache->count + 1, sizeof *cache->entries))
		return;
	cache->entries[cache->count++] =
	    (struct cached){st->st_dev, st->st_ino, st->st_size, st->st_mtim, depth, *image};
}

/* Whether symbol tables can narrow the range: they show no change after 5.3. */
static bool needs_symbols(const struct image *image)
{
	struct version version;

	return version_from_image(image, 0, &version) == VERSION_OCAML5 && !version.exact &&
	       version.low < 3 && version.low != version.high;
}

/* Search an open file, or take it from the cache. */
static void look_at(int *fd, const struct stat *st, const struct version_options *options,
    enum image_depth depth, struct image *out)
{
	/* A cached result must depend on the file only, so it gets an effort of its own. */
	struct effort own = effort_for_look(), *effort = options->cache == NULL ? options->effort : &own;
	const struct image *known = cache_find(options->cache, st, depth);
	struct source source;

	if (known != NULL) {
		*out = *known;
		return;
	}
	memset(out, 0, sizeof *out);
	if (!source_from_fd(&source, fd, effort))
		return;
	image_read(out, &source, depth);
	if (needs_symbols(out))
		image_read_symbols(out, &source);
	cache_add(options->cache, st, depth, out);
}

/* The shared runtime libraries that a process maps. */
struct libraries {
	unsigned count;
	struct map maps[LIBRARIES_MAX];
};

/* Record a shared runtime library. */
static bool see_map(void *ctx, const struct map *map)
{
	struct libraries *libraries = ctx;

	if (!map_is_shared_runtime(map) || map->inode == 0)
		return true;
	for (unsigned i = 0; i < libraries->count; i++)
		if (libraries->maps[i].inode == map->inode)
			return true;
	libraries->maps[libraries->count++] = *map;
	return libraries->count < LIBRARIES_MAX;
}

/* Add what the shared runtime libraries show.  Returns whether there are any. */
static bool add_libraries(const struct proc *proc, const struct version_options *options, struct image *image)
{
	struct libraries libraries = {0};

	maps_walk(proc, options->effort, see_map, &libraries);
	for (unsigned i = 0; i < libraries.count; i++) {
		char path[PROC_PATH_SIZE];
		struct image library;
		enum map_way way;
		struct stat st;
		int fd;

		if (map_open(proc, &libraries.maps[i], &st, &fd, &way, path) != 0)
			continue;
		look_at(&fd, &st, options, IMAGE_QUICK, &library);
		close(fd);
		image_add_library(image, &library);
	}
	return libraries.count > 0;
}

enum version_program version_of_process(
    const struct proc *proc, const struct version_options *given, struct version *out)
{
	struct effort own = effort_for_look();
	struct version_options with = *given, *options = &with;
	struct image image;
	struct stat st;
	unsigned trailer = 0;
	int error, fd;

	memset(out, 0, sizeof *out);
	if (with.effort == NULL)
		with.effort = &own;
	error = proc_open_regular(proc->dir, "exe", false, &st, &fd);
	if (error == 0)
		error = answer_copy(&fd);
	if (error == ETIMEDOUT)
		return VERSION_SILENT;
	if (error != 0)
		return error == ENOENT || error == ESRCH ? VERSION_NO_PROGRAM : VERSION_UNREADABLE;
	look_at(&fd, &st, options, options->ring ? IMAGE_FULL : IMAGE_QUICK, &image);
	if (!has_runtime(&image) && !options->no_shared_runtime && add_libraries(proc, options, &image) &&
	    !image.sys_release) {
		struct version_options again = {.effort = options->effort};
		struct image full;

		/* The constants are in the library, the data in the program. */
		look_at(&fd, &st, &again, IMAGE_FULL, &full);
		image_add_library(&full, &image);
		image = full;
	}
	close(fd);
	if (image.runtime[0] == '\0' && has_runtime(&image) && !image.sys_release && image.trailer == 0)
		trailer = bytecode_trailer(proc);
	return version_from_image(&image, trailer, out);
}

/* Evidence of the stream. */
static void from_stream(const struct rtev_scan *stream, struct version *out)
{
	memset(out, 0, sizeof *out);
	if (stream == NULL || stream->version == NULL)
		return;
	enum version_origin origin = stream->from_layout ? VERSION_FROM_LAYOUT : VERSION_FROM_STREAM;
	if (!version_from_text(stream->version, origin, out)) {
		strlcpy(out->text, stream->version, sizeof out->text);
		out->origin = origin;
		out->high = MINOR_NEWEST;
	}
	out->release = stream->release;
}

bool version_merge(const struct version *program, const struct rtev_scan *stream, const char *option,
    struct version *out, bool *conflict)
{
	struct version found, proved, said;

	from_stream(stream, &proved);
	found = proved;
	/* The program file is more precise than the stream, unless they contradict each other. */
	if (program != NULL && program->text[0] != '\0' && agree(program, &proved) &&
	    (proved.text[0] == '\0' || program->exact ||
		program->high - program->low < proved.high - proved.low))
		found = *program;
	*conflict = false;
	if (option != NULL) {
		if (!version_from_text(option, VERSION_FROM_OPTION, &said) ||
		    said.release == RTEV_RELEASE_UNKNOWN)
			return false;
		*conflict = !agree(&said, &found);
		found = said;
	}
	*out = found;
	return true;
}

/* ---- bytecode ---- */

/* bytes of a command line that are read, of which the program comes early */
enum { CMDLINE_SIZE = 16384 };

/* The interpreter's first argument that is not one of its options. */
static struct word first_argument(const char *cmdline, size_t len)
{
	struct word word;

	for (size_t i = 1; (word = words_get(cmdline, len, i)).text != NULL; i++) {
		if (word.len == 0 || word.text[0] != '-')
			break;
		/* -I takes its value as a separate word. */
		if (word.len == 2 && word.text[1] == 'I')
			i++;
	}
	return word;
}

struct word bytecode_guess(const char *cmdline, size_t len, unsigned index)
{
	if (index == 0)
		return words_get(cmdline, len, 0);
	if (index == 1)
		return first_argument(cmdline, len);
	return (struct word){.text = NULL};
}

unsigned bytecode_trailer(const struct proc *proc)
{
	char cmdline[CMDLINE_SIZE], name[PROC_PATH_SIZE];
	struct identity user;
	size_t len;
	struct word word;

	if (proc_read(proc, "cmdline", cmdline, sizeof cmdline, &len) != 0)
		return 0;
	identity_read(&user, proc);
	const char *root = proc_foreign_paths(proc) ? "root" : NULL;
	for (unsigned i = 0; (word = bytecode_guess(cmdline, len, i)).text != NULL; i++) {
		struct source source;
		unsigned number = 0;
		int fd;

		if (word.len == 0 || word_copy(word, name, sizeof name) > sizeof name ||
		    identity_open_from(&user, proc, name[0] == '/' ? root : "cwd", name, NULL, &fd) != 0)
			continue;
		struct effort effort = effort_for_look();
		if (source_from_fd(&source, &fd, &effort))
			number = image_trailer(&source);
		close(fd);
		if (number != 0)
			return number;
	}
	return 0;
}
