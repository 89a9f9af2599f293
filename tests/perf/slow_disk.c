/*
 * A disk that is slow, for a program that is started with this library in LD_PRELOAD: each sync and
 * each write to a regular file takes so many milliseconds longer (PERF_SYNC_MS, PERF_WRITE_MS).
 */
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static long sync_ms, write_ms;

static long number_of(const char *name)
{
	const char *text = getenv(name);

	return text != NULL ? strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void read_environment(void)
{
	sync_ms = number_of("PERF_SYNC_MS");
	write_ms = number_of("PERF_WRITE_MS");
}

static void wait_ms(long ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000 };

	if (ms > 0)
		nanosleep(&left, NULL);
}

/* Sockets, pipes and eventfds are not on a disk. */
static bool is_file(int fd)
{
	struct stat found;

	return fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
	if (is_file(fd))
		wait_ms(write_ms);
	return syscall(SYS_write, fd, bytes, len);
}

int fdatasync(int fd)
{
	wait_ms(sync_ms);
	return (int)syscall(SYS_fdatasync, fd);
}

int fsync(int fd)
{
	wait_ms(sync_ms);
	return (int)syscall(SYS_fsync, fd);
}
