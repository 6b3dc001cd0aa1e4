/*
 * code_story.c - see code_story.h.
 */
#include "support/code_story.h"

#include "support/test.h"

#define PERIOD 10000000u

/* A stack, its frames innermost first, of which a leading '*' is C, and how many of 100 samples have it. */
static const struct {
	int domain, of, marks;
	const char *frames[8];
} stacks[] = {
    {0, 50, 0,
	{"Db.row db.ml:40", "Db.query db.ml:12", "Server.handle server.ml:88", "Server server.ml:120"}},
    {0, 20, 0,
	{"*memmove", "*caml_blit_bytes", "Stdlib__Bytes.blit bytes.ml:110", "Db.row db.ml:41",
	    "Db.query db.ml:12", "Server.handle server.ml:88", "Server server.ml:120"}},
    {0, 20, PROFILE_GC,
	{"*oldify_mopup", "*caml_minor_collection", "*caml_garbage_collection", "Json.encode json.ml:7",
	    "Server.handle server.ml:90", "Server server.ml:120"}},
    {0, 8, 0,
	{"Json.encode.(fun) json.ml:19", "Stdlib__List.iter list.ml:112", "Json.encode json.ml:8",
	    "Server.handle server.ml:90", "Server server.ml:120"}},
    {0, 2, PROFILE_INCOMPLETE, {"*__memset_avx2"}},
    {1, 90, 0,
	{"*slow_inner", "Foo.bar foo.ml:6", "Foo.deep foo.ml:9", "Main.worker main.ml:31",
	    "Stdlib__Domain.spawn.body domain.ml:258"}},
    {1, 10, 0, {"Foo.deep foo.ml:9", "Main.worker main.ml:31", "Stdlib__Domain.spawn.body domain.ml:258"}},
    {2, 30, PROFILE_OFF,
	{"*caml_ml_mutex_lock", "Stdlib__Mutex.lock", "Db.with_conn db.ml:40",
	    "Stdlib__Domain.spawn.body domain.ml:258"}},
    {PROFILE_NO_DOMAIN, 10, PROFILE_OFF, {"*__select", "*caml_thread_tick"}},
};

static struct profile_frame frame_of(struct profile *p, const char *text)
{
	char name[64], file[64] = "";
	unsigned line = 0;
	bool c = text[0] == '*';

	CHECK(sscanf(text + c, "%63s %63[^:]:%u", name, file, &line) >= 1);
	const uint32_t function = profile_function(p, name, file[0] != '\0' ? file : NULL, line, c);
	if (strncmp(name, "Stdlib__", 8) == 0)
		profile_library(p, function);
	return (struct profile_frame){.function = function, .line = line};
}

static uint32_t stack_of(struct profile *p, size_t i)
{
	struct profile_frame frames[8];
	size_t count = 0;

	for (; count < 8 && stacks[i].frames[count] != NULL; count++)
		frames[count] = frame_of(p, stacks[i].frames[count]);
	return profile_stack(p, stacks[i].domain, frames, count, (unsigned)stacks[i].marks);
}

static int inside(void *ctx, int domain, uint64_t ts)
{
	const uint64_t *count = ctx;

	return count[0] != 0;
}

struct profile *code_story(uint64_t begin, uint64_t end)
{
	struct profile *p = profile_create();
	unsigned round = 0;

	CHECK(p != NULL);
	for (uint64_t ts = begin; ts < end; ts += PERIOD, round++)
		for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++) {
			/* Spread evenly: 37 and 100 have no common divisor. */
			int first = 0;
			for (size_t k = 0; k < i; k++)
				first += stacks[k].domain == stacks[i].domain ? stacks[k].of : 0;
			int at = (int)(round * 37 % 100);
			if (at < first || at >= first + stacks[i].of)
				continue;
			uint64_t gc = (stacks[i].marks & PROFILE_GC) != 0;
			profile_add(p,
			    &(struct profile_sample){.ts = ts,
				.tid = 4242 + stacks[i].domain,
				.domain = stacks[i].domain,
				.stack = stack_of(p, i),
				/* D2 waits for lock 1, and D0 has it in its first stack; D0 has lock 2 in its second. */
				.waits = stacks[i].domain == 2,
				.has = stacks[i].domain == 0 && i < 2 ? (uint8_t)(i + 1) : 0,
				.marks = (uint8_t)(stacks[i].marks & ~PROFILE_GC)});
			profile_settle(p, UINT64_MAX, inside, &gc);
		}
	return p;
}
