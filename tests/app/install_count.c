/* A program for librtev: it prints how many minor collections a ring file has. */
#include <rtev/cursor.h>
#include <stdio.h>

static enum rtev_next on_end(void *minors, unsigned domain, uint64_t ts, rtev_phase phase)
{
	(void)domain;
	(void)ts;
	*(unsigned long *)minors += phase == RTEV_PHASE_MINOR;
	return RTEV_CONTINUE;
}

int main(int argc, char **argv)
{
	const struct rtev_callbacks calls = {.size = sizeof(calls), .end = on_end};
	struct rtev_cursor *cursor;
	unsigned long minors = 0;

	if (argc != 2 || rtev_cursor_open_path(&cursor, argv[1], NULL) != RTEV_OK)
		return 1;
	rtev_cursor_poll(cursor, &calls, &minors, 0, NULL);
	printf("%lu minor collections\n", minors);
	rtev_cursor_close(cursor);
	return 0;
}
