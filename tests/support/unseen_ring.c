/*
 * unseen_ring.c - a program with names that hold the characters of unseen.h.
 *
 *     unseen_ring write DIR   leave a ring in DIR with user events of such names, print its path
 *     unseen_ring run DIR     leave one, stay until a line on standard input, and remove it
 *     unseen_ring check       status 1 and a line for each such character on standard input, line ends
 *                             excepted
 */
#include <unistd.h>

#include "core/utf8.h"
#include "rtev/producer.h"
#include "support/test.h"
#include "canvas/text.h"
#include "support/unseen.h"

/* Look for what may not be there. */
static int check(void)
{
	static char text[1 << 22];
	size_t len = fread(text, 1, sizeof(text), stdin), size;
	int found = 0;

	CHECK(len > 0 && len < sizeof(text));
	for (size_t i = 0; i < len; i += size) {
		uint32_t code = 0;
		if (!utf8_decode(text + i, len - i, &size, &code))
			TEST_FAIL("not UTF-8 at %zu", i);
		if (code != '\n' && unseen(code)) {
			printf("U+%04X at %zu\n", (unsigned)code, i);
			found = 1;
		}
	}
	return found;
}

/* The payload is the name. */
static size_t serialise(void *ctx, const void *value, unsigned char out[RTEV_CUSTOM_BYTES_MAX])
{
	memcpy(out, value, strlen(value));
	return strlen(value);
}

/* Record a user event of each kind with a character in its name. */
static void record(struct rtev_producer *producer, uint32_t code)
{
	struct rtev_domain *domain = rtev_producer_main(producer);
	const struct rtev_user *user;
	char name[32];

	for (enum rtev_user_type type = RTEV_USER_UNIT; type <= RTEV_USER_CUSTOM; type++) {
		size_t len = (size_t)snprintf(name, sizeof(name), "%d %x:", (int)type, (unsigned)code);
		len += text_encode(code, name + len);
		name[len++] = '|';
		name[len] = '\0';
		CHECK_INT(rtev_user_register(producer, name, len, type,
			      type == RTEV_USER_CUSTOM ? serialise : NULL, NULL, &user),
		    RTEV_OK);
		if (type == RTEV_USER_UNIT)
			CHECK_INT(rtev_domain_user_unit(domain, user), RTEV_OK);
		else if (type == RTEV_USER_INT)
			CHECK_INT(rtev_domain_user_int(domain, user, 7), RTEV_OK);
		else if (type == RTEV_USER_CUSTOM)
			CHECK_INT(rtev_domain_user_custom(domain, user, name), RTEV_OK);
		else
			CHECK(rtev_domain_user_begin(domain, user) == RTEV_OK &&
			      rtev_domain_user_end(domain, user) == RTEV_OK);
	}
}

int main(int argc, char **argv)
{
	struct rtev_producer *producer;
	char path[4096];

	if (argc == 2 && strcmp(argv[1], "check") == 0)
		return check();
	CHECK(argc == 3);
	const struct rtev_producer_options options = {.size = sizeof(options),
	    .dir = argv[2],
	    .exponent = 14,
	    .domains = 1,
	    .preserve = strcmp(argv[1], "write") == 0};
	CHECK_INT(rtev_producer_create(&producer, &options), RTEV_OK);
	CHECK_INT(rtev_producer_start(producer, rtev_producer_main(producer)), RTEV_OK);
	for (size_t i = 0; i < sizeof(unseen_ranges) / sizeof(unseen_ranges[0]); i++) {
		/* The first of all is NUL, which no name holds. */
		record(producer, unseen_ranges[i].first != 0 ? unseen_ranges[i].first : 1);
		record(producer, unseen_ranges[i].last);
	}
	CHECK_INT(rtev_producer_path(producer, path, sizeof(path)), RTEV_OK);
	printf("%s\n", path);
	fflush(stdout);
	if (!options.preserve)
		getchar();
	rtev_producer_destroy(producer);
	return 0;
}
