/*
 * Makes one call of a program fail that is started with this library in LD_PRELOAD.
 *
 *	PROFLLM_FAIL_PROGRAM   name of the program; its children count too, other programs do not
 *	PROFLLM_FAIL_CALL      "KIND:N": the Nth call of that kind fails, counted over all processes; N 0: none
 *	PROFLLM_FAIL_FILE      a file of FILE_BYTES zero bytes, shared: how many calls of each kind there were, and whether one failed
 *
 * Kinds are the rows of KINDS. `write` fails on regular files only: what is written to a terminal or a pipe is a message
 * that the test wants to see.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "next.h"

#define KINDS(X)          \
	X(malloc, ENOMEM) \
	X(open, EMFILE)   \
	X(write, ENOSPC)  \
	X(fsync, EIO)     \
	X(rename, EIO)    \
	X(fstat, EIO)     \
	X(mmap, ENOMEM)   \
	X(accept, EMFILE) \
	X(send, ECONNRESET)

enum kind {
#define X(name, error) KIND_##name,
	KINDS(X)
#undef X
		KIND_COUNT,
};

static const char *const names[] = {
#define X(name, error) #name,
	KINDS(X)
#undef X
};
static const int errors[] = {
#define X(name, error) error,
	KINDS(X)
#undef X
};

struct shared {
	_Atomic uint64_t counts[KIND_COUNT];
	_Atomic uint64_t failed;
};
#define FILE_BYTES 4096

static struct shared *shared;
static int kind_to_fail = -1;
static uint64_t number_to_fail;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

__attribute__((constructor)) static void begin(void)
{
	const char *program = getenv("PROFLLM_FAIL_PROGRAM"), *call = getenv("PROFLLM_FAIL_CALL");
	const char *path = getenv("PROFLLM_FAIL_FILE");

	if (program == NULL || call == NULL || path == NULL ||
	    strcmp(program, program_invocation_short_name) != 0)
		return;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *memory = fd < 0 ? MAP_FAILED
			      : mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (memory == MAP_FAILED)
		return;
	const char *number = strchr(call, ':');
	for (int i = 0; i < KIND_COUNT && number != NULL; i++) {
		if (strlen(names[i]) == (size_t)(number - call) &&
		    strncmp(call, names[i], (size_t)(number - call)) == 0)
			kind_to_fail = i;
	}
	number_to_fail = number != NULL ? strtoull(number + 1, NULL, 10) : 0;
	shared = memory;
}

/* Counts a call; true: it is the one to fail, and errno says why. */
static bool fails(enum kind kind)
{
	if (shared == NULL)
		return false;
	uint64_t number = atomic_fetch_add(&shared->counts[kind], 1) + 1;
	if ((int)kind != kind_to_fail || number != number_to_fail)
		return false;
	atomic_store(&shared->failed, 1);
	errno = errors[kind];
	return true;
}

void *malloc(size_t size)
{
	return fails(KIND_malloc) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(KIND_malloc) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
	return fails(KIND_malloc) ? NULL : __libc_realloc(memory, size);
}

static mode_t mode_of(int flags, va_list rest)
{
	return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t)
									  : 0;
}

#define OPEN(name)                                                            \
	int name(const char *path, int flags, ...)                            \
	{                                                                     \
		va_list rest;                                                 \
		va_start(rest, flags);                                        \
		mode_t mode = mode_of(flags, rest);                           \
		va_end(rest);                                                 \
		return fails(KIND_open) ? -1 : NEXT(name)(path, flags, mode); \
	}
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                  \
	int name(int folder, const char *path, int flags, ...)                        \
	{                                                                             \
		va_list rest;                                                         \
		va_start(rest, flags);                                                \
		mode_t mode = mode_of(flags, rest);                                   \
		va_end(rest);                                                         \
		return fails(KIND_open) ? -1 : NEXT(name)(folder, path, flags, mode); \
	}
OPENAT(openat)
OPENAT(openat64)

static bool is_file(int fd)
{
	struct stat found;

	return NEXT(fstat)(fd, &found) == 0 && S_ISREG(found.st_mode);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
	return shared != NULL && is_file(fd) && fails(KIND_write) ? -1
								  : NEXT(write)(fd, bytes, len);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
	return shared != NULL && is_file(fd) && fails(KIND_write) ? -1
								  : NEXT(writev)(fd, parts, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t at)
{
	return fails(KIND_write) ? -1 : NEXT(pwrite)(fd, bytes, len, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off64_t at)
{
	return fails(KIND_write) ? -1 : NEXT(pwrite64)(fd, bytes, len, at);
}

int fsync(int fd)
{
	return fails(KIND_fsync) ? -1 : NEXT(fsync)(fd);
}

int fdatasync(int fd)
{
	return fails(KIND_fsync) ? -1 : NEXT(fdatasync)(fd);
}

int rename(const char *from, const char *to)
{
	return fails(KIND_rename) ? -1 : NEXT(rename)(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	return fails(KIND_rename) ? -1 : NEXT(renameat)(from_folder, from, to_folder, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
	return fails(KIND_rename) ? -1 : NEXT(renameat2)(from_folder, from, to_folder, to, flags);
}

int fstat(int fd, struct stat *ret)
{
	return fails(KIND_fstat) ? -1 : NEXT(fstat)(fd, ret);
}

int fstat64(int fd, struct stat64 *ret)
{
	return fails(KIND_fstat) ? -1 : NEXT(fstat64)(fd, ret);
}

void *mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset)
{
	return fails(KIND_mmap) ? MAP_FAILED : NEXT(mmap)(at, len, protection, flags, fd, offset);
}

void *mmap64(void *at, size_t len, int protection, int flags, int fd, off64_t offset)
{
	return fails(KIND_mmap) ? MAP_FAILED : NEXT(mmap64)(at, len, protection, flags, fd, offset);
}

int accept4(int fd, struct sockaddr *restrict from, socklen_t *restrict len, int flags)
{
	return fails(KIND_accept) ? -1 : NEXT(accept4)(fd, from, len, flags);
}

int accept(int fd, struct sockaddr *restrict from, socklen_t *restrict len)
{
	return fails(KIND_accept) ? -1 : NEXT(accept)(fd, from, len);
}

/* A connection that a send finds broken is broken for reads, too. */
static bool send_fails(int fd)
{
	if (!fails(KIND_send))
		return false;
	shutdown(fd, SHUT_RDWR);
	errno = errors[KIND_send];
	return true;
}

ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
	return send_fails(fd) ? -1 : NEXT(send)(fd, bytes, len, flags);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	return send_fails(fd) ? -1 : NEXT(sendmsg)(fd, message, flags);
}
