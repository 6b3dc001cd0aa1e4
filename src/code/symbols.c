/* symbols.c - see symbols.h. */
#include "code/symbols.h"

#include <unistd.h>

#include "core/array.h"
#include "core/files.h"
#include "core/order.h"
#include "core/utf8.h"
#include "target/answer.h"
#include "target/maps.h"
#include "target/shortage.h"

/* Limits on mappings, and on the size of a build id. */
enum { OBJECTS_MAX = 4096, OTHERS_MAX = 1 << 20, PAGE = 4096, BUILD_ID_MAX = 32 };

/* A walk through the mappings. */
struct look {
	struct symbols *symbols;
	const struct proc *proc;
	struct effort *effort;
	bool changed;
	int error; /* out of memory or descriptors */
};

/* Open the file of a mapping; the program is opened by the link of the process, which works even if the file
 * was deleted.  Returns a descriptor, or -1 with errno set. */
static int open_mapped(const struct proc *proc, const struct map *map)
{
	char path[PROC_PATH_SIZE];
	enum map_way way;
	struct stat st;
	int fd;

	if (map_open(proc, map, &st, &fd, &way, path) == 0)
		return fd;
	errno = proc_open_regular(proc->dir, "exe", false, &st, &fd);
	if (errno != 0)
		return -1;
	if (st.st_ino == map->inode)
		return fd;
	close(fd);
	errno = ENOENT;
	return -1;
}

/* The build id: a file of debug information has that of its program or library. */
struct build {
	uint8_t id[BUILD_ID_MAX];
	size_t size;
};

static bool read_build(struct elf *elf, struct build *out)
{
	const uint32_t gnu = 3; /* type of a GNU note with a build id */
	struct {
		uint32_t name_size, size, kind;
		char name[4];
	} head;
	uint64_t offset, address, size;

	if (!elf_section(elf, ".note.gnu.build-id", &offset, &address, &size) ||
	    !source_read(elf->source, offset, &head, sizeof(head)) || head.kind != gnu ||
	    head.name_size != sizeof(head.name) || memcmp(head.name, "GNU", sizeof(head.name)) != 0 ||
	    head.size < 2 || head.size > sizeof(out->id))
		return false;
	out->size = head.size;
	return source_read(elf->source, offset + sizeof(head), out->id, out->size);
}

/* Open installed debug information for a program or library without symbols, as the process would see it.
 * Returns a descriptor, or -1. */
static int open_names(const struct proc *proc, struct elf *elf, struct source *source, struct elf *names)
{
	char path[128] = "/usr/lib/debug/.build-id/";
	struct build build, other;
	uint64_t offset, address, size;
	struct stat st;
	int fd;

	if (elf_section(elf, ".symtab", &offset, &address, &size) || !read_build(elf, &build))
		return -1;
	for (size_t i = 0; i < build.size; i++) {
		const size_t len = strlen(path);

		snprintf(path + len, sizeof(path) - len, i == 0 ? "%02x/" : "%02x", build.id[i]);
	}
	strlcat(path, ".debug", sizeof(path));
	if (proc_open_in_root(proc, path, &st, &fd) != 0)
		return -1;
	if (source_from_fd(source, &fd, elf->source->effort) && elf_open(names, source) &&
	    read_build(names, &other) && other.size == build.size &&
	    memcmp(other.id, build.id, build.size) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Returns NULL, with errno set, if memory or descriptors ran short; other files that can't be opened have no
 * symbols. */
static struct object *object_create(const struct proc *proc, const struct map *map, struct effort *effort)
{
	const char *base = path_base(map->path);
	struct object *o = calloc(1, sizeof(*o));
	struct source source, more;
	struct elf elf, names;

	if (o == NULL)
		return NULL;
	*o = (struct object){.start = map->start, .end = map->end, .inode = map->inode, .kept = true};
	o->device = (uint64_t)map->dev_major << 32 | map->dev_minor;
	snprintf(o->label, sizeof(o->label), "[%.*s]", utf8_fit(base, strlen(base), 60), base);
	int fd = open_mapped(proc, map);
	if (fd < 0 && errno == ETIMEDOUT)
		effort->over = ANSWER_NONE;
	if (fd < 0 && shortage_is(errno)) {
		free(o);
		return NULL;
	}
	if (fd < 0)
		return o;
	if (source_from_fd(&source, &fd, effort) && elf_open(&elf, &source) &&
	    elf_bias(&elf, true, map->start, map->offset, PAGE, &o->bias)) {
		const int other = open_names(proc, &elf, &more, &names);

		object_load(o, &elf, other >= 0 ? &names : NULL);
		if (other >= 0)
			close(other);
	}
	close(fd);
	return o;
}

static void object_destroy(struct object *object, struct effort *effort)
{
	effort_return(effort, object->memory);
	object_fini(object);
	free(object);
}

/* Return the index of the first object that ends behind an address. */
static size_t place_of(const struct symbols *s, uint64_t address)
{
	struct order_search at = {.high = s->count};

	while (order_middle(&at))
		order_turn(&at, s->objects[at.middle]->end <= address);
	return at.low;
}

/* Take the code of a file, which is known or new. */
static bool see_code(struct look *look, const struct map *map)
{
	struct symbols *s = look->symbols;
	size_t at = place_of(s, map->start);
	struct object *o = at < s->count ? s->objects[at] : NULL;

	if (o != NULL && o->start == map->start && o->end == map->end && o->inode == map->inode &&
	    o->device == ((uint64_t)map->dev_major << 32 | map->dev_minor)) {
		o->kept = true;
		return true;
	}
	/* Earlier objects in the range are no longer mapped. */
	while (at < s->count && s->objects[at]->start < map->end) {
		object_destroy(s->objects[at], look->effort);
		memmove(&s->objects[at], &s->objects[at + 1], (--s->count - at) * sizeof(*s->objects));
	}
	if (s->count == OBJECTS_MAX)
		return true;
	errno = ENOMEM;
	o = array_room(&s->objects, &s->room, s->count + 1, sizeof(struct object *))
		? object_create(look->proc, map, look->effort)
		: NULL;
	if (o == NULL)
		return false;
	memmove(&s->objects[at + 1], &s->objects[at], (s->count++ - at) * sizeof(struct object *));
	s->objects[at] = o;
	look->changed = true;
	return true;
}

/* Record a writable mapping; adjacent ones are joined. */
static bool see_other(struct symbols *s, const struct map *map)
{
	struct code_range *last = s->other_count > 0 ? &s->others[s->other_count - 1] : NULL;

	if (last != NULL && last->end == map->start) {
		last->end = map->end;
		return true;
	}
	if (s->other_count == OTHERS_MAX)
		return true;
	errno = ENOMEM;
	if (!array_room(&s->others, &s->other_room, s->other_count + 1, sizeof(*s->others)))
		return false;
	s->others[s->other_count++] = (struct code_range){map->start, map->end};
	return true;
}

static bool see_map(void *ctx, const struct map *map)
{
	struct look *look = ctx;

	if (map->perms[2] == 'x' && map->inode != 0 && map->path[0] == '/')
		look->error = see_code(look, map) ? 0 : errno;
	else if (map->perms[1] == 'w')
		look->error = see_other(look->symbols, map) ? 0 : errno;
	return look->error == 0;
}

int symbols_refresh(struct symbols *symbols, const struct proc *proc, struct effort *effort, bool *changed)
{
	struct look look = {.symbols = symbols, .proc = proc, .effort = effort};
	size_t kept = 0;

	for (size_t i = 0; i < symbols->count; i++)
		symbols->objects[i]->kept = false;
	symbols->other_count = 0;
	int error = maps_walk(proc, effort, see_map, &look);
	if (error == 0)
		error = look.error;
	if (error == 0) {
		for (size_t i = 0; i < symbols->count; i++) {
			if (symbols->objects[i]->kept)
				symbols->objects[kept++] = symbols->objects[i];
			else
				object_destroy(symbols->objects[i], effort);
		}
		look.changed = look.changed || kept != symbols->count;
		symbols->count = kept;
	}
	*changed = look.changed;
	return error;
}

void symbols_fini(struct symbols *symbols)
{
	struct effort unused = {.work = 0};

	for (size_t i = 0; i < symbols->count; i++)
		object_destroy(symbols->objects[i], &unused);
	free(symbols->objects);
	free(symbols->others);
}

const struct object *symbols_object(const struct symbols *symbols, uint64_t address)
{
	size_t at = place_of(symbols, address);

	return at < symbols->count && symbols->objects[at]->start <= address ? symbols->objects[at] : NULL;
}

/* Return the range in a sorted array that contains an address; NULL: none. */
static const struct code_range *find_range(const struct code_range *ranges, size_t count, uint64_t address)
{
	size_t at = order_up_to(ranges, count, sizeof(*ranges), address);

	return at > 0 && address < ranges[at - 1].end ? &ranges[at - 1] : NULL;
}

const struct code_range *symbols_other(const struct symbols *symbols, uint64_t address)
{
	return find_range(symbols->others, symbols->other_count, address);
}

bool symbols_is_system(const struct symbols *symbols, uint64_t address)
{
	const struct object *o = symbols_object(symbols, address);

	return o != NULL && address >= o->system.start && address < o->system.end;
}

uint64_t symbols_system_function(const struct symbols *symbols, const char *name)
{
	for (size_t i = 0; i < symbols->count; i++) {
		const struct object *o = symbols->objects[i];
		size_t k = order_below(o->symbols, o->symbol_count, sizeof(*o->symbols), o->system.start);

		for (; k < o->symbol_count && o->symbols[k].address < o->system.end; k++)
			if (strcmp(symbol_name(o, &o->symbols[k]), name) == 0)
				return o->symbols[k].address;
	}
	return 0;
}

bool symbols_is_ocaml(const struct symbols *symbols, uint64_t address)
{
	const struct object *o = symbols_object(symbols, address);
	char name[CODE_NAME_SIZE];

	if (o == NULL)
		return false;
	if (find_range(o->ocaml, o->ocaml_count, address) != NULL)
		return true;
	/* With -function-sections a function can be outside the range of its unit. */
	const struct symbol *symbol = object_symbol(o, address);
	return symbol != NULL && symbol->size > 0 && name_of_symbol(symbol_name(o, symbol), name);
}
