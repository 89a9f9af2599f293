/*
 * Makes one call fail in a program that is started with this library in LD_PRELOAD.
 *
 *	PROFLLM_FAIL_PROGRAM   name of the program; its children count too, other programs do not
 *	PROFLLM_FAIL_CALL      "KIND:N": the Nth call of that kind fails, counted over all processes; N 0: none
 *	PROFLLM_FAIL_FILE      a file of FILE_BYTES zero bytes, shared: the number of calls of each kind, and whether one failed
 *
 * KINDS lists the kinds. `write` fails on regular files only: a terminal or a pipe carries the message that the test reads.
 * `json_malloc`, `sqlite_malloc` and `libpq_malloc` are the allocations of jansson, SQLite and libpq; `malloc` counts them too.
 * A call of libpq fails in one of three ways:
 *
 *	pq          the call does nothing and returns what it returns without memory
 *	pq_lost     the connection is cut before the call
 *	pq_answer   the server executes the call, and the connection is cut before the answer arrives
 *
 * `pq_sync` counts the responses to the syncs of a pipeline, and fails the allocation of one of them.
 *
 * If the program crashes, standard error gets "SEGV (signal N):" and the stack, one frame per line. Under ASan, ASan reports it.
 */
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <jansson.h>
#include <libpq-fe.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sqlite3.h>
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

/* name, errno; for the calls of SQLite the status is the error */
#define KINDS(X)                        \
	X(malloc, ENOMEM)               \
	X(json_malloc, ENOMEM)          \
	X(sqlite_malloc, ENOMEM)        \
	X(libpq_malloc, ENOMEM)         \
	X(open, EMFILE)                 \
	X(read, EIO)                    \
	X(write, ENOSPC)                \
	X(fsync, EIO)                   \
	X(truncate, EIO)                \
	X(rename, EIO)                  \
	X(unlink, EIO)                  \
	X(fstat, EIO)                   \
	X(mmap, ENOMEM)                 \
	X(accept, EMFILE)               \
	X(connect, ECONNREFUSED)        \
	X(send, ECONNRESET)             \
	X(receive, ECONNRESET)          \
	X(thread, EAGAIN)               \
	X(process, EAGAIN)              \
	X(sqlite_open, SQLITE_NOMEM)    \
	X(sqlite_prepare, SQLITE_NOMEM) \
	X(sqlite_bind, SQLITE_NOMEM)    \
	X(sqlite_step, SQLITE_IOERR)    \
	X(sqlite_exec, SQLITE_IOERR)    \
	X(pq, ENOMEM)                   \
	X(pq_lost, ECONNRESET)          \
	X(pq_answer, ECONNRESET)        \
	X(pq_sync, ENOMEM)

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

/* The code of a library, whose allocations are a kind of their own. */
static struct library {
	const char *name;
	enum kind kind;
	uintptr_t from, to;
} libraries[] = {
	{ "/libsqlite3.so", KIND_sqlite_malloc, 0, 0 },
	{ "/libpq.so", KIND_libpq_malloc, 0, 0 },
};
#define LIBRARY_COUNT (sizeof(libraries) / sizeof(libraries[0]))

static int note_library(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	for (size_t i = 0; i < LIBRARY_COUNT; i++) {
		if (strstr(info->dlpi_name, libraries[i].name) == NULL)
			continue;
		for (int at = 0; at < info->dlpi_phnum; at++) {
			const ElfW(Phdr) *part = &info->dlpi_phdr[at];
			if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0)
				continue;
			libraries[i].from = info->dlpi_addr + part->p_vaddr;
			libraries[i].to = libraries[i].from + part->p_memsz;
		}
	}
	return 0;
}

#define STACK_BYTES (64 * 1024)
#define FRAMES_MAX  64

extern void __asan_init(void) __attribute__((weak));

/* Prints the stack, and lets the signal end the program. */
static void report_crash(int number)
{
	void *frames[FRAMES_MAX];
	int count = backtrace(frames, FRAMES_MAX);

	dprintf(STDERR_FILENO, "SEGV (signal %d):\n", number);
	backtrace_symbols_fd(frames, count, STDERR_FILENO);
	raise(number);
}

/* A stack that overflowed cannot be reported on itself: the first thread reports on another one. */
static void report_crashes(void)
{
	static char stack[STACK_BYTES];
	void *frame;

	if (__asan_init != NULL)
		return;
	backtrace(&frame, 1); /* loads libgcc, which allocates memory */
	sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = sizeof(stack) }, NULL);
	struct sigaction action = { .sa_handler = report_crash,
				    .sa_flags = SA_RESETHAND | SA_ONSTACK };
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
}

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
	dl_iterate_phdr(note_library, NULL);
	report_crashes();
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

/* ---- memory -------------------------------------------------------------------------------- */

/* The next allocation of this thread fails. */
static _Thread_local bool next_fails;

static bool malloc_fails(const void *caller)
{
	bool failed = fails(KIND_malloc) || next_fails;

	next_fails = false;

	for (size_t i = 0; shared != NULL && i < LIBRARY_COUNT; i++) {
		if ((uintptr_t)caller >= libraries[i].from && (uintptr_t)caller < libraries[i].to)
			failed = fails(libraries[i].kind) || failed;
	}
	return failed;
}

void *malloc(size_t size)
{
	return malloc_fails(__builtin_return_address(0)) ? NULL : NEXT(malloc)(size);
}

void *calloc(size_t count, size_t size)
{
	return malloc_fails(__builtin_return_address(0)) ? NULL : NEXT(calloc)(count, size);
}

void *realloc(void *memory, size_t size)
{
	return malloc_fails(__builtin_return_address(0)) ? NULL : NEXT(realloc)(memory, size);
}

static json_malloc_t program_json_malloc;

static void *json_malloc(size_t size)
{
	next_fails = fails(KIND_json_malloc);
	return program_json_malloc(size);
}

/* A program gives jansson its memory by a function of its own (base/json.c). */
void json_set_alloc_funcs(json_malloc_t allocate, json_free_t release)
{
	program_json_malloc = allocate;
	NEXT(json_set_alloc_funcs)(json_malloc, release);
}

/* ---- files --------------------------------------------------------------------------------- */

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

#define CHECKED_OPEN(name)                                              \
	int name(const char *path, int flags);                          \
	int name(const char *path, int flags)                           \
	{                                                               \
		return fails(KIND_open) ? -1 : NEXT(name)(path, flags); \
	}
CHECKED_OPEN(__open_2)
CHECKED_OPEN(__open64_2)

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

#define CHECKED_OPENAT(name)                                                    \
	int name(int folder, const char *path, int flags);                      \
	int name(int folder, const char *path, int flags)                       \
	{                                                                       \
		return fails(KIND_open) ? -1 : NEXT(name)(folder, path, flags); \
	}
CHECKED_OPENAT(__openat_2)
CHECKED_OPENAT(__openat64_2)

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

static bool stream_fails(FILE *stream)
{
	return shared != NULL && stream != NULL && is_file(fileno(stream)) && fails(KIND_write);
}

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *stream)
{
	return stream_fails(stream) ? 0 : NEXT(fwrite)(bytes, size, count, stream);
}

int fflush(FILE *stream)
{
	return stream_fails(stream) ? EOF : NEXT(fflush)(stream);
}

/* The stream is closed in any case, as POSIX has it. */
int fclose(FILE *stream)
{
	bool failed = stream_fails(stream);
	int saved = errno, done = NEXT(fclose)(stream);

	if (!failed)
		return done;
	errno = saved;
	return EOF;
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t at)
{
	return fails(KIND_write) ? -1 : NEXT(pwrite)(fd, bytes, len, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off64_t at)
{
	return fails(KIND_write) ? -1 : NEXT(pwrite64)(fd, bytes, len, at);
}

#define PREAD(name, type)                                                    \
	ssize_t name(int fd, void *ret, size_t len, type at)                 \
	{                                                                    \
		return fails(KIND_read) ? -1 : NEXT(name)(fd, ret, len, at); \
	}
PREAD(pread, off_t)
PREAD(pread64, off64_t)

ssize_t read(int fd, void *ret, size_t len)
{
	return shared != NULL && is_file(fd) && fails(KIND_read) ? -1 : NEXT(read)(fd, ret, len);
}

/* glibc's checked forms, which programs with _FORTIFY_SOURCE call */
#define CHECKED_PREAD(name, type)                                                  \
	ssize_t name(int fd, void *ret, size_t len, type at, size_t room);         \
	ssize_t name(int fd, void *ret, size_t len, type at, size_t room)          \
	{                                                                          \
		return fails(KIND_read) ? -1 : NEXT(name)(fd, ret, len, at, room); \
	}
CHECKED_PREAD(__pread_chk, off_t)
CHECKED_PREAD(__pread64_chk, off64_t)

ssize_t __read_chk(int fd, void *ret, size_t len, size_t room);
ssize_t __read_chk(int fd, void *ret, size_t len, size_t room)
{
	return shared != NULL && is_file(fd) && fails(KIND_read)
		       ? -1
		       : NEXT(__read_chk)(fd, ret, len, room);
}

#define TRUNCATE(name, type)                                            \
	int name(int fd, type len)                                      \
	{                                                               \
		return fails(KIND_truncate) ? -1 : NEXT(name)(fd, len); \
	}
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

int unlink(const char *path)
{
	return fails(KIND_unlink) ? -1 : NEXT(unlink)(path);
}

int unlinkat(int folder, const char *path, int flags)
{
	return fails(KIND_unlink) ? -1 : NEXT(unlinkat)(folder, path, flags);
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

/* ---- sockets ------------------------------------------------------------------------------- */

int accept4(int fd, struct sockaddr *restrict from, socklen_t *restrict len, int flags)
{
	return fails(KIND_accept) ? -1 : NEXT(accept4)(fd, from, len, flags);
}

int accept(int fd, struct sockaddr *restrict from, socklen_t *restrict len)
{
	return fails(KIND_accept) ? -1 : NEXT(accept)(fd, from, len);
}

int connect(int fd, const struct sockaddr *to, socklen_t len)
{
	return fails(KIND_connect) ? -1 : NEXT(connect)(fd, to, len);
}

/* A connection that one call finds broken is broken for all. */
static bool is_reset(enum kind kind, int fd)
{
	if (!fails(kind))
		return false;
	shutdown(fd, SHUT_RDWR);
	errno = errors[kind];
	return true;
}

ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
	return is_reset(KIND_send, fd) ? -1 : NEXT(send)(fd, bytes, len, flags);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	return is_reset(KIND_send, fd) ? -1 : NEXT(sendmsg)(fd, message, flags);
}

ssize_t recv(int fd, void *ret, size_t len, int flags)
{
	return is_reset(KIND_receive, fd) ? -1 : NEXT(recv)(fd, ret, len, flags);
}

ssize_t __recv_chk(int fd, void *ret, size_t len, size_t room, int flags);
ssize_t __recv_chk(int fd, void *ret, size_t len, size_t room, int flags)
{
	return is_reset(KIND_receive, fd) ? -1 : NEXT(__recv_chk)(fd, ret, len, room, flags);
}

ssize_t recvmsg(int fd, struct msghdr *ret, int flags)
{
	return is_reset(KIND_receive, fd) ? -1 : NEXT(recvmsg)(fd, ret, flags);
}

/* ---- threads and processes ----------------------------------------------------------------- */

int pthread_create(pthread_t *ret, const pthread_attr_t *attributes, void *(*run)(void *),
		   void *context)
{
	return fails(KIND_thread) ? errors[KIND_thread]
				  : NEXT(pthread_create)(ret, attributes, run, context);
}

pid_t fork(void)
{
	return fails(KIND_process) ? -1 : NEXT(fork)();
}

int posix_spawn(pid_t *ret, const char *path, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attributes, char *const argv[], char *const env[])
{
	return fails(KIND_process) ? errors[KIND_process]
				   : NEXT(posix_spawn)(ret, path, actions, attributes, argv, env);
}

/* ---- SQLite -------------------------------------------------------------------------------- */

/* The status of the call that failed last in this thread; 0: the last one went to SQLite. */
static _Thread_local int sqlite_failed;

static bool sqlite_fails(enum kind kind)
{
	sqlite_failed = fails(kind) ? errors[kind] : SQLITE_OK;
	return sqlite_failed != SQLITE_OK;
}

int sqlite3_errcode(sqlite3 *db)
{
	return sqlite_failed != SQLITE_OK ? sqlite_failed : NEXT(sqlite3_errcode)(db);
}

const char *sqlite3_errmsg(sqlite3 *db)
{
	if (sqlite_failed == SQLITE_OK)
		return NEXT(sqlite3_errmsg)(db);
	return sqlite_failed == SQLITE_NOMEM ? "out of memory" : "disk I/O error";
}

int sqlite3_open_v2(const char *path, sqlite3 **ret, int flags, const char *vfs)
{
	if (!sqlite_fails(KIND_sqlite_open))
		return NEXT(sqlite3_open_v2)(path, ret, flags, vfs);
	*ret = NULL;
	return sqlite_failed;
}

int sqlite3_prepare_v2(sqlite3 *db, const char *text, int len, sqlite3_stmt **ret,
		       const char **ret_rest)
{
	if (!sqlite_fails(KIND_sqlite_prepare))
		return NEXT(sqlite3_prepare_v2)(db, text, len, ret, ret_rest);
	*ret = NULL;
	return sqlite_failed;
}

int sqlite3_step(sqlite3_stmt *statement)
{
	return sqlite_fails(KIND_sqlite_step) ? sqlite_failed : NEXT(sqlite3_step)(statement);
}

int sqlite3_exec(sqlite3 *db, const char *text, int (*take)(void *, int, char **, char **),
		 void *context, char **ret_error)
{
	return sqlite_fails(KIND_sqlite_exec)
		       ? sqlite_failed
		       : NEXT(sqlite3_exec)(db, text, take, context, ret_error);
}

#define BIND(name, params, ...)                                                                  \
	int name params                                                                          \
	{                                                                                        \
		return sqlite_fails(KIND_sqlite_bind) ? sqlite_failed : NEXT(name)(__VA_ARGS__); \
	}
BIND(sqlite3_bind_null, (sqlite3_stmt * statement, int at), statement, at)
BIND(sqlite3_bind_int64, (sqlite3_stmt * statement, int at, sqlite3_int64 value), statement, at,
     value)
BIND(sqlite3_bind_double, (sqlite3_stmt * statement, int at, double value), statement, at, value)
BIND(sqlite3_bind_text64,
     (sqlite3_stmt * statement, int at, const char *text, sqlite3_uint64 len, void (*drop)(void *),
      unsigned char encoding),
     statement, at, text, len, drop, encoding)
BIND(sqlite3_bind_blob64,
     (sqlite3_stmt * statement, int at, const void *data, sqlite3_uint64 len, void (*drop)(void *)),
     statement, at, data, len, drop)

/* ---- libpq --------------------------------------------------------------------------------- */

/* The call that this thread made last failed. */
static _Thread_local bool pq_failed;

char *PQerrorMessage(const PGconn *pg)
{
	static char text[] = "out of memory\n";

	return pq_failed ? text : NEXT(PQerrorMessage)(pg);
}

/* The pipeline of this thread: statements whose responses were not all read, and whether it
 * waits for the response to a sync. */
static _Thread_local size_t unanswered;
static _Thread_local bool awaits_sync, sync_fails;

static bool pq_fails(enum kind kind)
{
	pq_failed = fails(kind);
	return pq_failed;
}

static void cut(PGconn *pg)
{
	int fd = NEXT(PQsocket)(pg);

	if (fd >= 0)
		shutdown(fd, SHUT_RDWR);
}

/* A call with a connection that returns a result; all three ways. */
#define PQ_RESULT(name, params, ...)                        \
	PGresult *name params                               \
	{                                                   \
		if (pq_fails(KIND_pq))                      \
			return NULL;                        \
		if (fails(KIND_pq_lost))                    \
			cut(pg);                            \
		bool is_unanswered = fails(KIND_pq_answer); \
		PGresult *result = NEXT(name)(__VA_ARGS__); \
		if (!is_unanswered)                         \
			return result;                      \
		NEXT(PQclear)(result);                      \
		cut(pg);                                    \
		pq_failed = true;                           \
		return NULL;                                \
	}
PQ_RESULT(PQexec, (PGconn * pg, const char *text), pg, text)
PQ_RESULT(PQexecParams,
	  (PGconn * pg, const char *text, int count, const Oid *types, const char *const *values,
	   const int *lengths, const int *formats, int format),
	  pg, text, count, types, values, lengths, formats, format)
PQ_RESULT(PQexecPrepared,
	  (PGconn * pg, const char *name, int count, const char *const *values, const int *lengths,
	   const int *formats, int format),
	  pg, name, count, values, lengths, formats, format)
PQ_RESULT(PQprepare, (PGconn * pg, const char *name, const char *text, int count, const Oid *types),
	  pg, name, text, count, types)
PQ_RESULT(PQdescribePrepared, (PGconn * pg, const char *name), pg, name)

/* A call that puts something on the way to the server and returns 1. */
#define PQ_SEND(name, params, sent_too, ...)                \
	int name params                                     \
	{                                                   \
		if (pq_fails(KIND_pq))                      \
			return 0;                           \
		if (fails(KIND_pq_lost))                    \
			cut(pg);                            \
		bool is_unanswered = fails(KIND_pq_answer); \
		int sent = NEXT(name)(__VA_ARGS__);         \
		if (sent == 1)                              \
			sent_too;                           \
		if (is_unanswered)                          \
			cut(pg);                            \
		return sent;                                \
	}
PQ_SEND(PQsendQueryPrepared,
	(PGconn * pg, const char *name, int count, const char *const *values, const int *lengths,
	 const int *formats, int format),
	unanswered++, pg, name, count, values, lengths, formats, format)
PQ_SEND(PQpipelineSync, (PGconn * pg), awaits_sync = true, pg)
PQ_SEND(PQenterPipelineMode, (PGconn * pg), unanswered = 0, pg)
PQ_SEND(PQexitPipelineMode, (PGconn * pg), awaits_sync = false, pg)

/* The response to a sync is the one after those to all statements: libpq allocates it in one of the calls that read. */
static bool begin_read(void)
{
	if (awaits_sync && unanswered == 0) {
		awaits_sync = false;
		sync_fails = fails(KIND_pq_sync);
	}
	next_fails = sync_fails;
	return sync_fails;
}

static void end_read(bool was_to_fail)
{
	sync_fails = was_to_fail && next_fails;
	next_fails = false;
}

/* Without memory it returns a result that says so, and not NULL. */
PGresult *PQgetResult(PGconn *pg)
{
	if (fails(KIND_pq_lost))
		cut(pg);
	bool is_to_fail = begin_read();
	PGresult *result = NEXT(PQgetResult)(pg);
	end_read(is_to_fail);
	if (result == NULL && unanswered > 0)
		unanswered--;
	return result;
}

#define PQ_READ(name)                      \
	int name(PGconn *pg)               \
	{                                  \
		bool fail = begin_read();  \
		int done = NEXT(name)(pg); \
		end_read(fail);            \
		return done;               \
	}
PQ_READ(PQisBusy)
PQ_READ(PQconsumeInput)

PGconn *PQconnectdbParams(const char *const *keys, const char *const *values, int expand)
{
	if (pq_fails(KIND_pq))
		return NULL;
	bool is_lost = fails(KIND_pq_lost);
	PGconn *pg = NEXT(PQconnectdbParams)(keys, values, expand);
	if (is_lost)
		cut(pg);
	return pg;
}
