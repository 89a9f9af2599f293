/*
 * Records every call that changes a file, of a program that is started with this library in LD_PRELOAD, and of its children.
 * tests/scenario/disk_tools.py rebuilds from the record what a disk may hold after a power cut.
 *
 *	PROFLLM_RECORD_ROOT   only files in this directory are recorded; its real path
 *	PROFLLM_RECORD_LOG    the record, in another directory; calls are appended in the order in which they took effect
 *	PROFLLM_RECORD_LOCK   a file of LOCK_BYTES zero bytes: the lock that all processes share
 *
 * A record is a struct record, the path, and the bytes. Bytes that another program or stdio appends by itself are found where the
 * file is opened, flushed, synced, renamed or closed. Files that are mapped and written are not recorded.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "next.h"

enum call {
	CALL_CREATE,   /* path; at: 1 for a directory */
	CALL_WRITE,    /* at: offset; bytes */
	CALL_TRUNCATE, /* at: length */
	CALL_SYNC,     /* at: 1 for a directory, whose path is given */
	CALL_RENAME,   /* path, and bytes: the new path */
	CALL_LINK,     /* the same */
	CALL_UNLINK,   /* path */
};

struct record {
	int64_t begun_ns; /* CLOCK_MONOTONIC before the call */
	uint64_t file;    /* inode */
	int64_t at;
	uint32_t call;
	uint32_t path_len;
	uint64_t bytes_len;
};

#define FILES_MAX 2000

struct shared {
	pthread_mutex_t lock;
	_Atomic int is_ready;
	struct {
		uint64_t file;
		off_t bytes; /* how far its bytes are recorded */
	} files[FILES_MAX];
};
#define LOCK_BYTES 65536

static struct shared *shared;
static char root[PATH_MAX], log_path[PATH_MAX];

_Static_assert(sizeof(struct shared) <= LOCK_BYTES, "the file has room");

__attribute__((constructor)) static void begin(void)
{
	const char *folder = getenv("PROFLLM_RECORD_ROOT"), *path = getenv("PROFLLM_RECORD_LOG");
	const char *lock = getenv("PROFLLM_RECORD_LOCK");
	pthread_mutexattr_t attr;

	if (folder == NULL || path == NULL || lock == NULL || strlen(folder) >= sizeof(root) ||
	    strlen(path) >= sizeof(log_path))
		return;
	int fd = NEXT(open)(lock, O_RDWR | O_CLOEXEC);
	void *memory = fd < 0 ? MAP_FAILED
			      : mmap(NULL, LOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		abort();
	struct shared *made = memory;
	flock(fd, LOCK_EX);
	if (!atomic_load(&made->is_ready)) {
		pthread_mutexattr_init(&attr);
		pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
		pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
		pthread_mutex_init(&made->lock, &attr);
		atomic_store(&made->is_ready, 1);
	}
	flock(fd, LOCK_UN); /* the mapping keeps what is opened */
	close(fd);
	strcpy(root, folder);
	strcpy(log_path, path);
	shared = made;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Until leave() no other call of a file is made; 0: nothing is recorded. */
static int64_t enter(void)
{
	if (shared == NULL)
		return 0;
	if (pthread_mutex_lock(&shared->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&shared->lock);
	return now_ns();
}

static void leave(int64_t entered)
{
	int saved = errno;

	if (entered != 0)
		pthread_mutex_unlock(&shared->lock);
	errno = saved;
}

/* How far a file is recorded; under the lock. */
static off_t *recorded(uint64_t file)
{
	size_t i = 0;

	while (i < FILES_MAX && shared->files[i].file != 0 && shared->files[i].file != file)
		i++;
	if (i == FILES_MAX)
		abort();
	shared->files[i].file = file;
	return &shared->files[i].bytes;
}

static void put(int64_t begun_ns, enum call call, uint64_t file, int64_t at, const char *path,
		const void *bytes, size_t len)
{
	struct record record = { begun_ns, file, at, call, (uint32_t)strlen(path), len };
	struct iovec parts[] = { { &record, sizeof(record) },
				 { (void *)path, record.path_len },
				 { (void *)bytes, len } };
	int saved = errno;

	if (call == CALL_CREATE || call == CALL_TRUNCATE)
		*recorded(file) = call == CALL_CREATE ? 0 : at;
	if (call == CALL_WRITE && *recorded(file) < at + (off_t)len)
		*recorded(file) = at + (off_t)len;
	/* opened each time: a program may close all descriptors that it does not know */
	int log = NEXT(open)(log_path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (NEXT(writev)(log, parts, 3) != (ssize_t)(sizeof(record) + record.path_len + len))
		abort();
	close(log);
	errno = saved;
}

/* Whether a path is in the root. */
static bool is_ours(const char *path)
{
	size_t len = strlen(root);

	return strncmp(path, root, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static bool path_of_fd(int fd, char path[PATH_MAX])
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t len = readlink(link, path, PATH_MAX - 1);
	if (len < 0)
		return false;
	path[len] = '\0';
	return true;
}

/* The absolute path of a name, whose directory is resolved and which is not; false: it is not in the root. */
static bool resolve(int folder, const char *name, char ret[PATH_MAX])
{
	char whole[2 * PATH_MAX] = "", parent[PATH_MAX];
	int saved = errno;

	if (shared == NULL)
		return false;
	if (name[0] != '/') {
		if (folder == AT_FDCWD ? getcwd(parent, sizeof(parent)) == NULL
				       : !path_of_fd(folder, parent))
			return false;
		snprintf(whole, sizeof(whole), "%s/", parent);
	}
	strncat(whole, name, sizeof(whole) - strlen(whole) - 1);
	size_t len = strlen(whole);
	while (len > 1 && whole[len - 1] == '/')
		whole[--len] = '\0';
	char *slash = strrchr(whole, '/');
	*slash = '\0';
	bool known = realpath(whole, parent) != NULL;
	errno = saved;
	if (!known)
		return false;
	snprintf(ret, PATH_MAX, "%s/%.255s", parent, slash + 1);
	return is_ours(ret);
}

/* The file of a descriptor that is open in the root; false: none. */
static bool file_of(int fd, struct stat *ret, char path[PATH_MAX])
{
	int saved = errno;
	bool found = shared != NULL && fstat(fd, ret) == 0 &&
		     (S_ISREG(ret->st_mode) || S_ISDIR(ret->st_mode)) && path_of_fd(fd, path) &&
		     is_ours(path);

	errno = saved;
	return found;
}

static uint64_t inode_of(const char *path)
{
	struct stat st;
	int saved = errno;
	uint64_t found = lstat(path, &st) == 0 ? st.st_ino : 0;

	errno = saved;
	return found;
}

/* Records bytes that were appended without one of the calls below. */
static void catch_up(int64_t begun, const char *path)
{
	struct stat st;
	char block[65536];
	int saved = errno;
	ssize_t got;

	if (begun == 0 || lstat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_size <= *recorded(st.st_ino)) {
		errno = saved;
		return;
	}
	int fd = NEXT(open)(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		abort();
	while ((got = pread(fd, block, sizeof(block), *recorded(st.st_ino))) > 0)
		put(begun, CALL_WRITE, st.st_ino, *recorded(st.st_ino), "", block, (size_t)got);
	close(fd);
	errno = saved;
}

static void catch_up_fd(int64_t begun, int fd)
{
	struct stat st;
	char path[PATH_MAX];

	if (begun != 0 && file_of(fd, &st, path))
		catch_up(begun, path);
}

/* ---- open ---------------------------------------------------------------------------------- */

static mode_t mode_of(int flags, va_list rest)
{
	return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t)
									  : 0;
}

/* NAME makes a file in FOLDER, or empties it. */
#define OPEN_BODY(folder, ...)                                               \
	va_list rest;                                                        \
	char whole[PATH_MAX];                                                \
	va_start(rest, flags);                                               \
	mode_t mode = mode_of(flags, rest);                                  \
	va_end(rest);                                                        \
	if (!resolve(folder, path, whole))                                   \
		return NEXT_OPEN(__VA_ARGS__);                               \
	int64_t begun = enter();                                             \
	catch_up(begun, whole);                                              \
	bool was_there = inode_of(whole) != 0;                               \
	int fd = NEXT_OPEN(__VA_ARGS__);                                     \
	if (fd >= 0 && !was_there)                                           \
		put(begun, CALL_CREATE, inode_of(whole), 0, whole, NULL, 0); \
	if (fd >= 0 && was_there && (flags & O_TRUNC) != 0)                  \
		put(begun, CALL_TRUNCATE, inode_of(whole), 0, "", NULL, 0);  \
	leave(begun);                                                        \
	return fd

#define NEXT_OPEN(...) NEXT(open)(__VA_ARGS__)
int open(const char *path, int flags, ...)
{
	OPEN_BODY(AT_FDCWD, path, flags, mode);
}
#undef NEXT_OPEN
#define NEXT_OPEN(...) NEXT(open64)(__VA_ARGS__)
int open64(const char *path, int flags, ...)
{
	OPEN_BODY(AT_FDCWD, path, flags, mode);
}
#undef NEXT_OPEN
#define NEXT_OPEN(...) NEXT(openat)(__VA_ARGS__)
int openat(int folder, const char *path, int flags, ...)
{
	OPEN_BODY(folder, folder, path, flags, mode);
}
#undef NEXT_OPEN
#define NEXT_OPEN(...) NEXT(openat64)(__VA_ARGS__)
int openat64(int folder, const char *path, int flags, ...)
{
	OPEN_BODY(folder, folder, path, flags, mode);
}

/* glibc's checked forms, which programs with _FORTIFY_SOURCE call with flags that are not constant: they make no file. */
#define CHECKED_OPEN(name)                     \
	int name(const char *path, int flags); \
	int name(const char *path, int flags)  \
	{                                      \
		return open(path, flags);      \
	}
CHECKED_OPEN(__open_2)
CHECKED_OPEN(__open64_2)

#define CHECKED_OPENAT(name)                               \
	int name(int folder, const char *path, int flags); \
	int name(int folder, const char *path, int flags)  \
	{                                                  \
		return openat(folder, path, flags);        \
	}
CHECKED_OPENAT(__openat_2)
CHECKED_OPENAT(__openat64_2)

/* ---- bytes --------------------------------------------------------------------------------- */

int fflush(FILE *stream)
{
	int64_t begun = enter();
	int done = NEXT(fflush)(stream);

	if (stream != NULL)
		catch_up_fd(begun, fileno(stream));
	leave(begun);
	return done;
}

int fclose(FILE *stream)
{
	int64_t begun = enter();

	NEXT(fflush)(stream);
	catch_up_fd(begun, fileno(stream));
	leave(begun);
	return NEXT(fclose)(stream);
}

/* Records a write after which the file's offset is at its end. */
static void put_written(int64_t begun, int fd, const struct iovec *parts, int count, ssize_t done)
{
	struct stat st;
	char path[PATH_MAX];
	off_t at = lseek(fd, 0, SEEK_CUR) - done;

	if (!file_of(fd, &st, path))
		return;
	for (int i = 0; i < count && done > 0; i++) {
		size_t len = parts[i].iov_len < (size_t)done ? parts[i].iov_len : (size_t)done;
		put(begun, CALL_WRITE, st.st_ino, at, "", parts[i].iov_base, len);
		at += (off_t)len;
		done -= (ssize_t)len;
	}
}

static bool is_recorded(int fd)
{
	struct stat st;
	char path[PATH_MAX];

	return file_of(fd, &st, path) && S_ISREG(st.st_mode);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
	if (!is_recorded(fd))
		return NEXT(write)(fd, bytes, len);
	int64_t begun = enter();
	ssize_t done = NEXT(write)(fd, bytes, len);
	if (done > 0)
		put_written(begun, fd, &(struct iovec){ (void *)bytes, len }, 1, done);
	leave(begun);
	return done;
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
	if (!is_recorded(fd))
		return NEXT(writev)(fd, parts, count);
	int64_t begun = enter();
	ssize_t done = NEXT(writev)(fd, parts, count);
	if (done > 0)
		put_written(begun, fd, parts, count, done);
	leave(begun);
	return done;
}

#define PWRITE(name, type)                                                              \
	ssize_t name(int fd, const void *bytes, size_t len, type at)                    \
	{                                                                               \
		struct stat st;                                                         \
		char path[PATH_MAX];                                                    \
		if (!file_of(fd, &st, path))                                            \
			return NEXT(name)(fd, bytes, len, at);                          \
		int64_t begun = enter();                                                \
		ssize_t done = NEXT(name)(fd, bytes, len, at);                          \
		if (done > 0)                                                           \
			put(begun, CALL_WRITE, st.st_ino, at, "", bytes, (size_t)done); \
		leave(begun);                                                           \
		return done;                                                            \
	}
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define TRUNCATE(name, type)                                                    \
	int name(int fd, type len)                                              \
	{                                                                       \
		struct stat st;                                                 \
		char path[PATH_MAX];                                            \
		if (!file_of(fd, &st, path))                                    \
			return NEXT(name)(fd, len);                             \
		int64_t begun = enter();                                        \
		int done = NEXT(name)(fd, len);                                 \
		if (done == 0)                                                  \
			put(begun, CALL_TRUNCATE, st.st_ino, len, "", NULL, 0); \
		leave(begun);                                                   \
		return done;                                                    \
	}
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define SYNC(name)                                                                             \
	int name(int fd)                                                                       \
	{                                                                                      \
		struct stat st;                                                                \
		char path[PATH_MAX];                                                           \
		if (!file_of(fd, &st, path))                                                   \
			return NEXT(name)(fd);                                                 \
		int64_t begun = enter();                                                       \
		catch_up(begun, path);                                                         \
		int done = NEXT(name)(fd);                                                     \
		bool is_dir = S_ISDIR(st.st_mode);                                             \
		if (done == 0)                                                                 \
			put(begun, CALL_SYNC, st.st_ino, is_dir, is_dir ? path : "", NULL, 0); \
		leave(begun);                                                                  \
		return done;                                                                   \
	}
SYNC(fsync)
SYNC(fdatasync)

/* ---- names --------------------------------------------------------------------------------- */

static void put_names(int64_t begun, enum call call, const char *from, const char *to)
{
	put(begun, call, inode_of(to), 0, from, to, strlen(to));
}

/* From one name to another; both are in the root, or neither. */
#define TWO(call, from_folder, from, to_folder, to, next)       \
	char from_path[PATH_MAX], to_path[PATH_MAX];            \
	bool from_ours = resolve(from_folder, from, from_path); \
	bool to_ours = resolve(to_folder, to, to_path);         \
	if (from_ours != to_ours)                               \
		abort();                                        \
	if (!from_ours)                                         \
		return next;                                    \
	int64_t begun = enter();                                \
	catch_up(begun, from_path);                             \
	int done = next;                                        \
	if (done == 0)                                          \
		put_names(begun, call, from_path, to_path);     \
	leave(begun);                                           \
	return done

int rename(const char *from, const char *to)
{
	TWO(CALL_RENAME, AT_FDCWD, from, AT_FDCWD, to, NEXT(rename)(from, to));
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	TWO(CALL_RENAME, from_dir, from, to_dir, to, NEXT(renameat)(from_dir, from, to_dir, to));
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	TWO(CALL_RENAME, from_dir, from, to_dir, to,
	    NEXT(renameat2)(from_dir, from, to_dir, to, flags));
}

int link(const char *from, const char *to)
{
	TWO(CALL_LINK, AT_FDCWD, from, AT_FDCWD, to, NEXT(link)(from, to));
}

/* One name comes or goes. */
#define ONE(call, folder, path, is_dir, next)                                                     \
	char whole[PATH_MAX];                                                                     \
	if (!resolve(folder, path, whole))                                                        \
		return next;                                                                      \
	int64_t begun = enter();                                                                  \
	uint64_t before = inode_of(whole);                                                        \
	int done = next;                                                                          \
	if (done == 0)                                                                            \
		put(begun, call, before != 0 ? before : inode_of(whole), is_dir, whole, NULL, 0); \
	leave(begun);                                                                             \
	return done

int unlink(const char *path)
{
	ONE(CALL_UNLINK, AT_FDCWD, path, 0, NEXT(unlink)(path));
}

int unlinkat(int folder, const char *path, int flags)
{
	ONE(CALL_UNLINK, folder, path, (flags & AT_REMOVEDIR) != 0,
	    NEXT(unlinkat)(folder, path, flags));
}

int rmdir(const char *path)
{
	ONE(CALL_UNLINK, AT_FDCWD, path, 1, NEXT(rmdir)(path));
}

int mkdir(const char *path, mode_t mode)
{
	ONE(CALL_CREATE, AT_FDCWD, path, 1, NEXT(mkdir)(path, mode));
}

int mkdirat(int folder, const char *path, mode_t mode)
{
	ONE(CALL_CREATE, folder, path, 1, NEXT(mkdirat)(folder, path, mode));
}
