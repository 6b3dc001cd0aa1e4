/* shortage.c - resources that can run short. */
#include "target/shortage.h"

#include <fcntl.h>
#include <unistd.h>

#define DESCRIPTORS 8
#define MEMORY ((size_t)16 << 20)
#define NAMES_MEMORY ((size_t)8 << 20)

/* EAGAIN comes from fork and pthread_create; no other failure described here has it. */
static const struct {
	int error;
	const char *why, *remedy;
} shortages[] = {
    {EMFILE, "too few file descriptors", "Raise the limit: ulimit -n 256."},
    {ENFILE, "the system has no file descriptor left", "End other programs, or raise fs.file-max."},
    {ENOMEM, "out of memory", "End other programs, or raise the limit: ulimit -v unlimited."},
    {EAGAIN, "no process or thread more can be started",
	"End other programs, or raise the limit: ulimit -u, or pids.max of the control group."},
};
enum { SHORTAGES = sizeof(shortages) / sizeof(shortages[0]) };

/* Return the row of an errno value; SHORTAGES if there is none. */
static size_t row_of(int error)
{
	size_t i = 0;

	while (i < SHORTAGES && shortages[i].error != error)
		i++;
	return i;
}

bool shortage_is(int error)
{
	return row_of(error) < SHORTAGES;
}

const char *shortage_why(int error)
{
	size_t i = row_of(error);

	return i < SHORTAGES ? shortages[i].why : strerror(error);
}

const char *shortage_remedy(int error, const char *usual)
{
	size_t i = row_of(error);

	return i < SHORTAGES ? shortages[i].remedy : usual;
}

/* Whether memory can be allocated. */
static bool memory_there(size_t size)
{
	/* volatile, so that the compiler does not remove the call */
	void *volatile memory = malloc(size);
	bool there = memory != NULL;

	free(memory);
	return there;
}

int shortage_now(void)
{
	int fds[DESCRIPTORS], count = 0, error = 0;

	while (count < DESCRIPTORS && (fds[count] = open("/", O_PATH | O_CLOEXEC)) >= 0)
		count++;
	if (count < DESCRIPTORS)
		error = errno;
	while (count > 0)
		close(fds[--count]);
	return error != 0 ? error : memory_there(MEMORY) ? 0 : ENOMEM;
}

bool shortage_names(void)
{
	return memory_there(NAMES_MEMORY);
}
