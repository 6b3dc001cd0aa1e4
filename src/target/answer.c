/* answer.c - see answer.h. */
#include "target/answer.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"

#define ANSWER_NS UINT64_C(1000000000)
#define WHOLE_NS UINT64_C(3000000000)
#define COPY_MAX ((uint64_t)64 << 20)
enum { PIECE = 1 << 20, READING = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY };
#define OWN_INPUT "/proc/self/fd/0"
#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x4000U /* since Linux 6.8 */
#endif

/* Run the work in the new process.  It closes all other descriptors: another process may wait for the end of
 * a pipe. */
static _Noreturn void work_alone(answer_work *work, const void *ctx, int in, int out)
{
	/* Duplicate both first, so that neither takes the number of the other. */
	const int far_in = in >= 0 ? fcntl(in, F_DUPFD, 2) : -1,
		  far_out = out >= 0 ? fcntl(out, F_DUPFD, 2) : -1;

	for (int fd = 0; fd < 2; fd++)
		if (dup2(fd == 0 ? far_in : far_out, fd) < 0)
			close(fd);
	if (syscall(SYS_close_range, 2U, ~0U, 0U) != 0)
		for (int fd = 2; fd < 1024; fd++)
			close(fd);
	_exit(work(ctx));
}

static off_t size_of(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 ? st.st_size : 0;
}

int answer_within(answer_work *work, const void *ctx, int in, int out)
{
	const uint64_t begin = monotonic_now();
	uint64_t end = begin + ANSWER_NS, now = begin;
	struct timespec pause = {.tv_nsec = 20000};
	off_t size = 0;
	int status = 0;
	/* Without an exit signal: the process is reaped by its pid, and no handler of ours runs. */
	pid_t done, child = (pid_t)syscall(SYS_clone, 0L, NULL, NULL, NULL, NULL);

	if (child == 0)
		work_alone(work, ctx, in, out);
	if (child < 0)
		return -1;
	while (
	    (done = waitpid(child, &status, __WALL | WNOHANG)) == 0 && now < end && now < begin + WHOLE_NS) {
		nanosleep(&pause, NULL);
		pause.tv_nsec += pause.tv_nsec < 10000000 ? pause.tv_nsec / 2 : 0;
		now = monotonic_now();
		if (size_of(out) > size)
			end = now + ANSWER_NS;
		size = size_of(out);
	}
	if (done == child && WIFEXITED(status))
		return WEXITSTATUS(status);
	kill(child, SIGKILL);
	return done == 0 ? ETIMEDOUT : -1;
}

/* ---- a path ---- */

struct walk {
	int base;
	const char *path;
	struct open_how how;
};

static int walk_along(const struct walk *walk)
{
	return (int)syscall(SYS_openat2, walk->base, walk->path, &walk->how, sizeof(walk->how));
}

/* A message with room for one descriptor. */
struct parcel {
	char byte;
	struct iovec data;
	struct msghdr message;
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))];
};

static struct cmsghdr *parcel_init(struct parcel *p)
{
	memset(p, 0, sizeof(*p));
	p->data = (struct iovec){&p->byte, 1};
	p->message = (struct msghdr){
	    .msg_iov = &p->data, .msg_iovlen = 1, .msg_control = p->room, .msg_controllen = sizeof(p->room)};
	return CMSG_FIRSTHDR(&p->message);
}

static int walk_and_send(const void *ctx)
{
	struct walk walk = *(const struct walk *)ctx;
	struct parcel p;
	struct cmsghdr *head = parcel_init(&p);

	walk.base = walk.base == AT_FDCWD ? AT_FDCWD : 0;
	const int fd = walk_along(&walk);
	if (fd < 0)
		return errno;
	*head = (struct cmsghdr){CMSG_LEN(sizeof(fd)), SOL_SOCKET, SCM_RIGHTS};
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	return sendmsg(1, &p.message, 0) == 1 ? 0 : EIO;
}

int answer_walk(int base, const char *path, uint64_t resolve)
{
	struct walk walk = {base, path, {.flags = O_PATH | O_CLOEXEC, .resolve = resolve | RESOLVE_CACHED}};
	int fd = walk_along(&walk), ends[2];
	struct parcel p;

	/* A path whose parts are all cached needs no answer.  Kernels before 5.12 lack this lookup. */
	if (fd >= 0 || (errno != EAGAIN && errno != EINVAL))
		return fd;
	walk.how.resolve = resolve;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
		return -1;
	int error = answer_within(walk_and_send, &walk, base == AT_FDCWD ? -1 : base, ends[1]);
	if (error == 0) {
		const struct cmsghdr *head = parcel_init(&p);
		if (recvmsg(ends[0], &p.message, MSG_CMSG_CLOEXEC) == 1 &&
		    p.message.msg_controllen >= head->cmsg_len)
			memcpy(&fd, CMSG_DATA(head), sizeof(fd));
		error = fd >= 0 ? 0 : EMFILE;
	}
	close(ends[0]);
	close(ends[1]);
	errno = error < 0 ? EAGAIN : error;
	return fd;
}

/* ---- a file ---- */

enum { KIND_REMOTE, KIND_SERVED, KIND_LOCAL };

static int tell_kind(const void *ctx)
{
	struct statfs fs;

	(void)ctx;
	/* A FUSE server may refuse to give its type; the kernel answers for all other file systems. */
	if (fstatfs(0, &fs) != 0 || fs.f_type == FUSE_SUPER_MAGIC)
		return KIND_SERVED;
	return fs.f_type == OVERLAYFS_SUPER_MAGIC || fs.f_type == BTRFS_SUPER_MAGIC ||
		       fs.f_type == TMPFS_MAGIC
		   ? KIND_LOCAL
		   : KIND_REMOTE;
}

/* Numbers of mounts that answer without a server.  A unique mount number is never used again. */
static _Atomic uint64_t answered[64];

int answer_kind(int file)
{
	struct statx is;

	/* Most file systems are on a device; cached attributes show that without a request to a server. */
	if (statx(file, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID_UNIQUE, &is) != 0 ||
	    is.stx_dev_major != 0)
		return 0;
	_Atomic uint64_t *const known = &answered[is.stx_mnt_id % (sizeof answered / sizeof answered[0])];
	const bool unique = (is.stx_mask & STATX_MNT_ID_UNIQUE) != 0;
	if (unique && *known == is.stx_mnt_id)
		return 0;
	const int kind = answer_within(tell_kind, NULL, file, -1);
	if (kind == KIND_LOCAL && unique)
		*known = is.stx_mnt_id;
	return kind == KIND_SERVED ? PROC_SERVED : kind == ETIMEDOUT ? ETIMEDOUT : 0;
}

static int copy_all(const void *ctx)
{
	const int fd = open(OWN_INPUT, READING);
	uint64_t left = COPY_MAX;
	ssize_t n = fd < 0 ? -1 : 1;

	(void)ctx;
	while (n > 0 && left > 0) {
		n = sendfile(1, fd, NULL, left < PIECE ? left : PIECE);
		left -= n > 0 ? (uint64_t)n : 0;
	}
	return n < 0 ? errno : 0;
}

static int read_first(const void *ctx)
{
	char byte;

	(void)ctx;
	return pread(open(OWN_INPUT, READING), &byte, 1, 0) < 0 ? errno : 0;
}

/* Replace a descriptor with O_PATH by another one. */
static int replace(int *file, int other, int result)
{
	const int error = result < 0 ? EAGAIN : result;

	if (error == 0) {
		close(*file);
		*file = other;
	} else if (other >= 0) {
		close(other);
	}
	return error;
}

bool answer_is_named(int file)
{
	return (fcntl(file, F_GETFL) & O_PATH) != 0;
}

int answer_copy(int *file)
{
	if (!answer_is_named(*file))
		return 0;
	const int copy = memfd_create("copy", MFD_CLOEXEC);
	return replace(file, copy, copy < 0 ? errno : answer_within(copy_all, NULL, *file, copy));
}

int answer_open(int *file)
{
	char self[64];
	int fd = -1, result;

	if (!answer_is_named(*file))
		return 0;
	result = answer_within(read_first, NULL, *file, -1);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", *file);
	if (result == 0 && (fd = open(self, READING)) < 0)
		result = errno;
	return replace(file, fd, result);
}
