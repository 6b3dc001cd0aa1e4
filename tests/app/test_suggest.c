/*
 * test_suggest.c - the name that a mistyped word is nearest to, and none where nobody could tell.
 */
#include "app/commands/commands.h"
#include "support/test.h"

/* The suggestion for a word among the names of the usual kind; "" for none. */
static const char *nearest(const char *word)
{
	static const char *const names[] = {
	    "list", "log", NULL, "stats", "record", "memtrace", "cart", "card"};
	const char *found = suggest(word, names, sizeof(names) / sizeof(names[0]));

	return found != NULL ? found : "";
}

/* Letters missing, superfluous, wrong and swapped. */
TEST(near)
{
	CHECK_STR(nearest("lst"), "list");
	CHECK_STR(nearest("lists"), "list");
	CHECK_STR(nearest("lest"), "list");
	CHECK_STR(nearest("lgo"), "log");
	CHECK_STR(nearest("mentrase"), "memtrace");
	CHECK_STR(nearest("mem"), "memtrace");
}

/* Half of a short name's letters are no likeness. */
TEST(far)
{
	CHECK_STR(nearest("lxx"), "");
	CHECK_STR(nearest("xxst"), "");
	CHECK_STR(nearest("rexxxd"), "");
	CHECK_STR(nearest(""), "");
	CHECK_STR(nearest("recordrecordrecord"), "");
}

/* Where two names are as near as each other, neither is meant more. */
TEST(tied)
{
	CHECK_STR(nearest("carx"), "");
	CHECK_STR(nearest("car"), "");
	CHECK_STR(nearest("cart"), "cart");
	CHECK_STR(nearest("carts"), "cart");
}
