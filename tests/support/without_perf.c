/*
 * without_perf.c - run a command for which the kernel refuses perf events.  Usage: without_perf ERRNO COMMAND [ARG]...
 */
#include <stdlib.h>

#include "support/forbid.h"

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	forbid_perf(atoi(argv[1]));
	execvp(argv[2], argv + 2);
	return 127;
}
