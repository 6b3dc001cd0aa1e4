/* names.c - names of OCaml functions; see symbols.h. */
#include <ctype.h>

#include "code/symbols.h"

/* A name that is being written, truncated at its end. */
struct writing {
	char *out;
	size_t used;
};

static void put(struct writing *w, char c)
{
	if (w->used + 1 < CODE_NAME_SIZE)
		w->out[w->used++] = c;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c);
}

/* Write the name of a compilation unit: "Stdlib__List" as "List", "Foo__Bar" as "Foo.Bar". */
static void put_unit(struct writing *w, const char *unit, size_t len)
{
	static const char *const prefixes[] = {"Stdlib__", "Dune__exe__"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t size = strlen(prefixes[i]);
		if (len > size && memcmp(unit, prefixes[i], size) == 0) {
			unit += size;
			len -= size;
			break;
		}
	}
	for (size_t i = 0; i < len; i++) {
		if (i > 0 && i + 2 < len && unit[i] == '_' && unit[i + 1] == '_' && is_word(unit[i - 1]) &&
		    is_word(unit[i + 2])) {
			put(w, '.');
			i++;
		} else {
			put(w, unit[i]);
		}
	}
}

void name_of_unit(const char *name, char out[CODE_NAME_SIZE])
{
	struct writing w = {.out = out};
	size_t unit = strcspn(name, ".");

	put_unit(&w, name, unit);
	for (const char *c = name + unit; *c != '\0'; c++)
		put(&w, *c);
	out[w.used] = '\0';
}

bool name_is_library(const char *name)
{
	static const char *const units[] = {"Stdlib", "Thread", "Mutex", "Condition"};
	const size_t unit = strcspn(name, ".$");

	if (strncmp(name, "Stdlib__", 8) == 0 || strncmp(name, "Camlinternal", 12) == 0)
		return true;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (unit == strlen(units[i]) && strncmp(name, units[i], unit) == 0)
			return true;
	/* The function in which a thread waits for a channel; a program may have a module of that name. */
	return unit == 5 && strncmp(name, "Event", unit) == 0 && name[unit] != '\0' &&
	       strncmp(name + unit + 1, "basic_sync", 10) == 0;
}

static int hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Write an identifier: "$5e" stands for a character, and the compiler's number at the end is left out.  As in
 * debug information, a name that begins with none of a-z, A-Z, 0-9 and _ stands in parentheses. */
static void put_identifier(struct writing *w, const char *text, size_t len)
{
	size_t end = len;

	while (end > 0 && isdigit((unsigned char)text[end - 1]))
		end--;
	if (end > 1 && end < len && text[end - 1] == '_')
		len = end - 1;
	const bool fun = len == 3 && memcmp(text, "fun", 3) == 0;
	const bool bare = !fun && (is_word(text[0]) || text[0] == '_');
	if (!bare)
		put(w, '(');
	for (size_t i = 0; i < len; i++) {
		int high = text[i] == '$' && i + 2 < len ? hex_digit(text[i + 1]) : -1;
		int low = high >= 0 ? hex_digit(text[i + 2]) : -1;

		if (low >= 0) {
			put(w, (char)(high << 4 | low));
			i += 2;
		} else {
			put(w, text[i]);
		}
	}
	if (!bare)
		put(w, ')');
}

/* Return the last two underscores before `end` that a name follows; NULL: none. */
static const char *last_underscores(const char *name, const char *end)
{
	const char *found = NULL;

	for (const char *c = name; (c = strstr(c, "__")) != NULL && c < end; c++)
		if (is_word(c[2]) || c[2] == '$')
			found = c;
	return found;
}

/* Find where the unit's name ends and the identifier begins; NULL: nowhere.  Since 5.1 they are separated by
 * a point, or by a dollar where the assembler refuses points; in 5.0 by two underscores, which may also occur
 * in units and identifiers. */
static const char *find_separator(const char *name, const char **identifier)
{
	const char *found = strchr(name, '.'), *under;

	if (found == NULL && (found = strchr(name, '$')) != NULL) {
		/* In 5.0 the match may be inside an identifier: then the part before it begins with a small
		 * letter. */
		under = last_underscores(name, found);
		if (under != NULL && !isupper((unsigned char)under[2]))
			found = NULL;
	}
	if (found != NULL) {
		*identifier = found + 1;
		return found;
	}
	found = last_underscores(name, name + strlen(name));
	*identifier = found != NULL ? found + 2 : NULL;
	return found;
}

bool name_of_symbol(const char *symbol, char out[CODE_NAME_SIZE])
{
	struct writing w = {.out = out};
	const char *identifier, *end = NULL;

	if (strncmp(symbol, "caml", 4) == 0 && isupper((unsigned char)symbol[4]))
		end = find_separator(symbol + 4, &identifier);
	if (end == NULL || end == symbol + 4 || *identifier == '\0') {
		for (const char *c = symbol; *c != '\0'; c++)
			put(&w, *c);
	} else {
		put_unit(&w, symbol + 4, (size_t)(end - symbol) - 4);
		/* Debug information names the initialisation of a unit by the unit's name. */
		if (strcmp(identifier, "entry") != 0) {
			put(&w, '.');
			put_identifier(&w, identifier, strlen(identifier));
		}
	}
	out[w.used] = '\0';
	return end != NULL;
}

bool name_of_entry(const char *symbol, char out[CODE_NAME_SIZE])
{
	/* The symbol of a function ends with a number. */
	const size_t len = strlen(symbol);

	return len > 5 && strcmp(symbol + len - 5, "entry") == 0 && !is_word(symbol[len - 6]) &&
	       name_of_symbol(symbol, out);
}
