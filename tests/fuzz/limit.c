/*
 * limit.c - a fuzz target under libFuzzer, whose own limit of an input is in time that passes: on a machine that stands still for
 * seconds any input would be a finding.  This limit is in seconds of a processor.  CMakeLists.txt renames the target.
 */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>

#undef LLVMFuzzerTestOneInput

int fuzz_input(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer keeps the input of a target that aborts. */
static void on_limit(int number)
{
	abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	return signal(SIGPROF, on_limit) == SIG_ERR;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct itimerval most = {.it_value.tv_sec = RTEV_FUZZ_LIMIT};

	setitimer(ITIMER_PROF, &most, NULL);
	return fuzz_input(data, size);
}
