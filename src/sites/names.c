/* names.c - functions found by the addresses of their interned names, and codes by their number. */
#include "sites/names.h"

#include "core/array.h"

void sites_names_fini(struct sites_names *names)
{
	free(names->functions);
	free(names->codes);
	free(names->frames);
	sites_set_fini(&names->by_name);
	sites_codes_fini(&names->by_code);
	*names = (struct sites_names){0};
}

/* Returns SITES_NONE when out of memory. */
static uint32_t add_function(struct sites_names *names, struct sites_function function)
{
	if (!array_room(&names->functions, &names->function_capacity, names->function_count + 1,
		sizeof(*names->functions)))
		return SITES_NONE;
	names->functions[names->function_count] = function;
	return (uint32_t)names->function_count++;
}

bool sites_names_init(struct sites_names *names)
{
	*names = (struct sites_names){0};
	return sites_codes_init(&names->by_code) &&
	       add_function(names, (struct sites_function){"", "(no backtrace)", 0}) == SITES_UNKNOWN &&
	       add_function(names, (struct sites_function){"", "(other callers)", 0}) == SITES_OTHER;
}

/* A reader stores each string once, so the addresses of file and name stand for them. */
static uint64_t hash_function(const void *functions, uint32_t id)
{
	const struct sites_function *function = (const struct sites_function *)functions + id;

	return sites_hash((uint64_t)(uintptr_t)function->file, (uint64_t)(uintptr_t)function->name);
}

static bool function_equals(const void *functions, uint32_t id, const void *wanted_)
{
	const struct sites_function *function = (const struct sites_function *)functions + id,
				    *wanted = wanted_;

	return function->file == wanted->file && function->name == wanted->name;
}

/* Find or add the function of a location. */
static uint32_t get_function(struct sites_names *names, const struct rtev_memtrace_location *location)
{
	const struct sites_function wanted = {location->filename, location->defname, 0};
	uint64_t hash = hash_function(&wanted, 0);
	uint32_t id = sites_set_find(&names->by_name, hash, function_equals, names->functions, &wanted);

	if (id != SITES_NONE)
		return id;
	id = add_function(names, wanted);
	if (id == SITES_NONE || !sites_set_add(&names->by_name, hash, id, hash_function, names->functions))
		return SITES_NONE;
	return id;
}

/* Append a function to those of the newest code. */
static bool add_frame(struct sites_names *names, uint32_t function)
{
	if (function == SITES_NONE || !array_room(&names->frames, &names->frame_capacity,
					  names->frame_count + 1, sizeof(*names->frames)))
		return false;
	names->frames[names->frame_count++] = function;
	return true;
}

bool sites_names_add(struct sites_names *names, const struct rtev_memtrace_reader *reader, int64_t code)
{
	struct sites_code entry = {.code = code, .first = (uint32_t)names->frame_count};
	size_t count;

	/* A code that the trace does not describe is treated as one without debug information. */
	rtev_memtrace_lookup(reader, code, &entry.locations, &count);
	entry.count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		if (!add_frame(names, get_function(names, &entry.locations[i])))
			return false;
	}
	if (count == 0 && !add_frame(names, add_function(names, (struct sites_function){"", NULL, code})))
		return false;
	if (!array_room(&names->codes, &names->code_capacity, names->code_count + 1, sizeof(*names->codes)))
		return false;
	names->codes[names->code_count] = entry;
	struct sites_code_slot slot = {.code = code,
	    .id = (uint32_t)names->code_count,
	    .function = count > 1 ? SITES_NONE : names->frames[entry.first]};
	if (!sites_codes_add(&names->by_code, slot))
		return false;
	names->code_count++;
	return true;
}
