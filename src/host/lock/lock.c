#include "host/lock/lock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/lock/folder.h"
#include "host/lock/lock_priv.h"
#include "host/user.h"

/* All users must be able to open each other's files for locking, so their content is untrusted. */
#define LOCK_MODE            0666
#define OWNER_TEXT_BYTES_MAX 8192
#define NAME_BYTES_MAX       128
#define SHOWN_BYTES_MAX      120
#define OPEN_TRIES           200
#define OPEN_PAUSE_NS        (5 * PL_NS_PER_MS)
#define INSIDE_LOCK          "queue"
#define EVENT_ROOM           4096
#define HOLDER_BYTES_MAX     1024

/*
 * One file per resource. flock(2) and not fcntl(2): the lock belongs to the open file, so a copy of
 * the descriptor in the guard holds it, and it ends with the last copy, however its owners die.
 */
struct host_locks {
	int dir_fd;
	int inside_fd; /* the file of INSIDE_LOCK; -1: not open yet */
	int notify_fd; /* -1: not open yet, or unavailable */
	char *path;
	char *warning;
};

int host_locks_open(struct host_locks **ret, struct pl_err *err)
{
	auto_locks struct host_locks *locks = pl_alloc(sizeof(*locks));

	locks->dir_fd = -1;
	locks->inside_fd = -1;
	locks->notify_fd = -1;
	if (host_lock_folder_open(&locks->dir_fd, &locks->path, &locks->warning, err) < 0)
		return -1;
	*ret = pl_take(locks);
	return 0;
}

void host_locks_free(struct host_locks *locks)
{
	if (locks == NULL)
		return;
	pl_fd_close(&locks->dir_fd);
	pl_fd_close(&locks->inside_fd);
	pl_fd_close(&locks->notify_fd);
	free(locks->path);
	free(locks->warning);
	free(locks);
}

const char *host_locks_path(const struct host_locks *locks)
{
	return locks->path;
}

const char *host_locks_warning(const struct host_locks *locks)
{
	return locks->warning;
}

/* Writes "NAME.lock", with '_' for characters that would form a path. */
static void file_name(const char *name, char file[NAME_BYTES_MAX])
{
	snprintf(file, NAME_BYTES_MAX, "%.*s.lock", NAME_BYTES_MAX - 8, name);
	for (char *at = file; *at != '\0'; at++) {
		bool plain = isalnum((unsigned char)*at) || *at == '-' || *at == '.' || *at == '_';
		if (!plain || (at == file && *at == '.'))
			*at = '_';
	}
}

/*
 * Accepts only files with a single name: a second one may be a hard link to a file that an attacker
 * wants overwritten.
 */
static bool is_lock_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink <= 1;
}

int host_lock_open_existing(const struct host_locks *locks, const char *name)
{
	char file[NAME_BYTES_MAX];

	file_name(name, file);
	/* O_NONBLOCK: a FIFO of that name would otherwise block forever. */
	int fd = openat(locks->dir_fd, file, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && !is_lock_file(fd)) {
		close(fd);
		fd = -1;
		errno = EINVAL;
	}
	return fd;
}

/* Only where it is absent: with O_CREAT the kernel refuses another user's file in such a folder. */
static int make_lock_file(const struct host_locks *locks, const char *name)
{
	char file[NAME_BYTES_MAX];

	file_name(name, file);
	int fd = openat(locks->dir_fd, file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			LOCK_MODE);
	if (fd >= 0)
		(void)!fchmod(fd, LOCK_MODE);
	return fd;
}

/*
 * Reports another user's file whose mode excludes this user: profllm did not make it, and only its
 * owner can remove it.
 */
static int fail_mode(const struct host_locks *locks, const char *name, struct pl_err *err)
{
	char file[NAME_BYTES_MAX];
	struct stat st;

	file_name(name, file);
	if (fstatat(locks->dir_fd, file, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return pl_err_errno(err, "could not open lock '%s' in '%s'", name, locks->path);
	auto_free char *user = host_user_name(st.st_uid);
	return pl_err_set(err, PL_ERR_IO,
			  "lock file '%s/%s': found mode %04o of user '%s', expected %04o; that "
			  "user or root has to remove the file",
			  locks->path, file, (unsigned)(st.st_mode & 07777), user, LOCK_MODE);
}

/* The owner of the directory can remove a lock file, and a lock of a file without a name locks out no one. */
static bool has_name(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_nlink > 0;
}

static int open_lock(const struct host_locks *locks, const char *name, int *ret_fd,
		     struct pl_err *err)
{
	for (int i = 0; i < OPEN_TRIES; i++) {
		int fd = host_lock_open_existing(locks, name);
		if (fd < 0 && errno == ENOENT)
			fd = make_lock_file(locks, name);
		if (fd >= 0) {
			*ret_fd = fd;
			return 0;
		}
		/* another process has made it and not yet set its mode */
		if (errno != EEXIST && errno != EACCES)
			break;
		if (errno == EACCES)
			pl_clock_sleep_until(pl_clock_now_ns() + OPEN_PAUSE_NS);
	}
	if (errno == EACCES)
		return fail_mode(locks, name, err);
	if (errno == ELOOP || errno == EINVAL)
		return pl_err_set(
			err, PL_ERR_IO,
			"lock '%s' in '%s' is unsafe: found a %s, expected a file with one name",
			name, locks->path, errno == ELOOP ? "symlink" : "special file");
	return pl_err_errno(err, "could not open lock '%s' in '%s'", name, locks->path);
}

int host_locks_enter(struct host_locks *locks, struct pl_err *err)
{
	for (int i = 0; i < OPEN_TRIES; i++) {
		if (locks->inside_fd < 0 &&
		    open_lock(locks, INSIDE_LOCK, &locks->inside_fd, err) < 0)
			return -1;
		/* Held for moments, so it may block; EINTR is the user's ^C. */
		if (flock(locks->inside_fd, LOCK_EX) < 0)
			break;
		if (has_name(locks->inside_fd))
			return 0;
		pl_fd_close(&locks->inside_fd);
		errno = ENOENT;
	}
	if (errno == EINTR)
		return pl_err_set(err, PL_ERR_INTERRUPTED, "interrupted");
	return pl_err_errno(err, "could not lock directory '%s'", locks->path);
}

void host_locks_leave(struct host_locks *locks)
{
	flock(locks->inside_fd, LOCK_UN);
}

int host_lock_try(const struct host_locks *locks, const char *name, enum host_lock_mode mode,
		  int *ret_fd, struct pl_err *err)
{
	for (int i = 0; i < OPEN_TRIES; i++) {
		auto_fd int fd = -1;
		if (open_lock(locks, name, &fd, err) < 0)
			return -1;
		if (flock(fd, (mode == HOST_LOCK_SHARED ? LOCK_SH : LOCK_EX) | LOCK_NB) < 0) {
			if (errno == EWOULDBLOCK)
				return 0;
			break;
		}
		if (has_name(fd)) {
			*ret_fd = pl_take_fd(fd);
			return 1;
		}
		errno = ENOENT;
	}
	return pl_err_errno(err, "could not take lock '%s' in '%s'", name, locks->path);
}

/* For people and for messages: nothing is decided by it, since anybody may write there. */
void host_lock_write_owner(int fd, const struct host_lock_owner *who, const json_t *more)
{
	char since[32];
	auto_json json_t *content = json_object();
	auto_free char *user = host_user_name(geteuid());

	pl_clock_rfc3339(pl_clock_real_ns(), since);
	json_object_set_new(content, "pid", json_integer(getpid()));
	json_object_set_new(content, "user", pl_json_text(user));
	json_object_set_new(content, "run_id", pl_json_text(who->run_id));
	json_object_set_new(content, "name", pl_json_text(who->name));
	json_object_set_new(content, "since", json_string(since));
	if (more != NULL)
		json_object_update((json_t *)content, (json_t *)more);
	auto_free char *text = pl_json_to_text(content, PL_JSON_COMPACT);
	/* a file that cannot be written still locks */
	(void)!ftruncate(fd, 0);
	if (strlen(text) < OWNER_TEXT_BYTES_MAX)
		(void)!pwrite(fd, text, strlen(text), 0);
}

void host_lock_release(int fd)
{
	(void)!ftruncate(fd, 0);
	flock(fd, LOCK_UN);
	/* after the unlock, so that a process woken by it finds the lock free */
	futimens(fd, NULL);
	close(fd);
}

json_t *host_lock_read(int fd)
{
	char text[OWNER_TEXT_BYTES_MAX];
	json_t *json = NULL;
	ssize_t len = pread(fd, text, sizeof(text), 0);

	if (len <= 0 || pl_json_parse(text, (size_t)len, "lock", &json, PL_ERR_IGNORED) < 0)
		return NULL;
	if (json_is_object(json))
		return json;
	json_decref(json);
	return NULL;
}

json_t *host_lock_holder(const struct host_locks *locks, const char *name)
{
	auto_fd int fd = host_lock_open_existing(locks, name);

	return fd >= 0 ? host_lock_read(fd) : NULL;
}

/* Anybody can have written it: no control characters, and not too long. "": no text. */
static void add_text(struct pl_buf *buf, const char *before, const json_t *json, const char *key,
		     const char *after)
{
	const char *text = pl_json_get_text(json, key);

	if (text == NULL || text[0] == '\0')
		return;
	pl_buf_addf(buf, "%s%s", buf->len > 0 ? ", " : "", before);
	for (size_t i = 0; text[i] != '\0' && i < SHOWN_BYTES_MAX; i++) {
		unsigned char c = (unsigned char)text[i];
		pl_buf_add_char(buf, c < ' ' || c == 127 ? '?' : (char)c);
	}
	pl_buf_add_text(buf, after);
}

char *host_lock_holder_text(const json_t *holder)
{
	auto_buf buf = PL_BUF(HOLDER_BYTES_MAX);
	const json_t *pid = json_object_get(holder, "pid");

	add_text(&buf, "run ", holder, "run_id", "");
	add_text(&buf, "'", holder, "name", "'");
	add_text(&buf, "user ", holder, "user", "");
	if (json_is_integer(pid))
		pl_buf_addf(&buf, "%spid %lld", buf.len > 0 ? ", " : "",
			    (long long)json_integer_value(pid));
	add_text(&buf, "since ", holder, "since", "");
	return buf.len > 0 ? pl_buf_take(&buf) : pl_strdup("an unknown process");
}

void host_locks_wait(struct host_locks *locks, int64_t timeout_ns)
{
	struct timespec wait = pl_clock_timespec(timeout_ns);
	char events[EVENT_ROOM];
	char path[64];

	if (locks->notify_fd < 0) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", locks->dir_fd);
		locks->notify_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
		/* reading locks opens and closes files, and must not wake others */
		if (locks->notify_fd >= 0 &&
		    inotify_add_watch(locks->notify_fd, path, IN_ATTRIB) < 0) {
			pl_fd_close(&locks->notify_fd);
		} else if (locks->notify_fd >= 0) {
			/* check again for locks that were released before the watch began */
			return;
		}
	}
	struct pollfd fds = { .fd = locks->notify_fd, .events = POLLIN };
	if (ppoll(&fds, locks->notify_fd >= 0 ? 1 : 0, &wait, NULL) > 0) {
		while (read(locks->notify_fd, events, sizeof(events)) > 0) {}
	}
}
