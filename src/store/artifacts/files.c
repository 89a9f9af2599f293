/*
 *	write ──> incoming/PROCESS.N ──fsync, hash──> incoming/SHA256.PROCESS.N ──link, rename──> ab/SHA256
 *	                                                                          │ fsync of the folder
 *	                                            the row is committed  ──────> incoming/… goes
 *
 * A kill cannot separate the two names of a file: while the first one exists, a row that names the second must be
 * looked up.
 */
#include "store/artifacts/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "base/unique.h"
#include "store/artifacts/prepared_priv.h"

/* The amount of data being flushed while more arrives, so that the end need not wait for everything. */
#define FLUSH_BYTES ((int64_t)8 << 20)

struct store_files {
	char *folder;
	char *incoming;
	bool is_distrusted; /* store_files_distrust() */
};

struct store_file_in {
	struct store_files *files;
	int fd;
	int lock; /* of the directory, shared, after the end; -1: not locked yet */
	char *path;
	int64_t bytes;
	int64_t flushed;
	struct pl_digest *digest;
	char sha256[STORE_SHA256_LEN + 1];
	bool is_linked;
};

bool store_sha256_is(const char *text)
{
	return text != NULL && strspn(text, "0123456789abcdef") == STORE_SHA256_LEN &&
	       text[STORE_SHA256_LEN] == '\0';
}

struct store_files *store_files_new(const char *folder)
{
	struct store_files *files = pl_alloc(sizeof(*files));

	files->folder = pl_strdup(folder);
	/* its parent is the part before the last slash */
	for (size_t len = strlen(folder); len > 1 && folder[len - 1] == '/'; len--)
		files->folder[len - 1] = '\0';
	files->incoming = pl_asprintf("%s/incoming", folder);
	return files;
}

/* Returns 0 if it does not exist yet. */
static int check_owner(const char *folder, struct pl_err *err)
{
	struct stat st;

	if (stat(folder, &st) < 0)
		return errno == ENOENT
			       ? 0
			       : pl_err_errno(err, "could not read the attributes of '%s'", folder);
	if ((st.st_uid == geteuid() || st.st_uid == 0) && (st.st_mode & S_IWOTH) == 0)
		return 0;
	return pl_err_set(
		err, PL_ERR_IO,
		"artifact directory '%s': found mode %04o of user %u, expected a directory of this "
		"user that others cannot write; use --data to name another one",
		folder, (unsigned)(st.st_mode & 07777), (unsigned)st.st_uid);
}

int store_files_distrust(struct store_files *files, struct pl_err *err)
{
	files->is_distrusted = true;
	return check_owner(files->folder, err);
}

void store_files_free(struct store_files *files)
{
	if (files == NULL)
		return;
	free(files->folder);
	free(files->incoming);
	free(files);
}

const char *store_files_folder(const struct store_files *files)
{
	return files->folder;
}

/* ---- directories --------------------------------------------------------------------------- */

/* free() */
static char *shard_of(const struct store_files *files, const char *sha256)
{
	return pl_asprintf("%s/%.2s", files->folder, sha256);
}

char *store_files_path(const struct store_files *files, const char *sha256)
{
	return pl_asprintf("%s/%.2s/%s", files->folder, sha256, sha256);
}

/* Only the owner of the results can read them. */
static int make_folder(const char *path, struct pl_err *err)
{
	return pl_file_make_dir(path, 0700, err);
}

/* `how` as in flock(2); a lock that is held: BUSY. *ret: close it. */
static int lock_file(const struct store_files *files, const char *name, int how, int *ret,
		     struct pl_err *err)
{
	auto_free char *path = pl_asprintf("%s/%s", files->folder, name);
	auto_fd int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return pl_err_errno(err, "could not lock '%s'", path);
	if (TEMP_FAILURE_RETRY(flock(fd, how)) < 0)
		return errno == EWOULDBLOCK ? pl_err_set(err, PL_ERR_BUSY, "'%s' is locked", path)
					    : pl_err_errno(err, "could not lock '%s'", path);
	*ret = pl_take_fd(fd);
	return 0;
}

/* `how` is LOCK_SH or LOCK_EX; waits. */
static int lock(const struct store_files *files, int how, int *ret, struct pl_err *err)
{
	return lock_file(files, "lock", how, ret, err);
}

int store_files_hold(const struct store_files *files, int *ret, struct pl_err *err)
{
	*ret = -1;
	return pl_file_exists(files->folder) ? lock_file(files, "hold", LOCK_SH, ret, err) : 0;
}

/* Waits for the backups that hold the files. */
static int lock_removal(const struct store_files *files, int *ret, struct pl_err *err)
{
	static atomic_bool is_shown;
	struct pl_err why = PL_ERR_INIT;

	if (lock_file(files, "hold", LOCK_EX | LOCK_NB, ret, &why) == 0)
		return 0;
	if (why.code == PL_ERR_BUSY && !atomic_exchange(&is_shown, true))
		pl_log(PL_LOG_INFO, "waiting for a backup, which needs the files of '%s'",
		       files->folder);
	return lock_file(files, "hold", LOCK_EX, ret, err);
}

/* ---- writing ------------------------------------------------------------------------------- */

static int open_incoming(struct store_file_in *in, struct pl_err *err)
{
	static atomic_uint number;
	struct stat st;

	for (;;) {
		auto_free char *path = pl_asprintf("%s/%d-%08x.%u", in->files->incoming,
						   (int)getpid(), (unsigned)pl_unique_u32(),
						   atomic_fetch_add(&number, 1));
		auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
				      0600);
		if (fd < 0 && errno == EEXIST)
			continue;
		if (fd < 0)
			return pl_err_errno(err, "could not write '%s'", path);
		/* a concurrent cleanup may have removed it as abandoned */
		if (flock(fd, LOCK_EX | LOCK_NB) < 0 || fstat(fd, &st) < 0 || st.st_nlink == 0)
			continue;
		in->fd = pl_take_fd(fd);
		in->path = pl_take(path);
		return 0;
	}
}

int store_file_in_new(struct store_files *files, struct store_file_in **ret, struct pl_err *err)
{
	struct store_file_in *in = pl_alloc(sizeof(*in));

	*in = (struct store_file_in){ .files = files, .fd = -1, .lock = -1 };
	if (make_folder(files->folder, err) < 0 ||
	    (files->is_distrusted && check_owner(files->folder, err) < 0) ||
	    make_folder(files->incoming, err) < 0 || open_incoming(in, err) < 0) {
		free(in);
		return -1;
	}
	in->digest = pl_digest_new();
	*ret = in;
	return 0;
}

int store_file_in_write(struct store_file_in *in, const char *bytes, size_t len, struct pl_err *err)
{
	if (pl_fd_write(in->fd, bytes, len) < 0)
		return pl_err_errno(err, "could not write '%s'", in->path);
	pl_digest_add(in->digest, bytes, len);
	in->bytes += (int64_t)len;
	if (in->bytes - in->flushed >= FLUSH_BYTES) {
		/* only a hint: the end flushes everything */
		(void)sync_file_range(in->fd, in->flushed, in->bytes - in->flushed,
				      SYNC_FILE_RANGE_WRITE);
		in->flushed = in->bytes;
	}
	return 0;
}

/*
 * Replaces an existing file, because its disk may have corrupted it and these bytes have just been hashed. Readers keep
 * the old file. Files that were prepared from it would keep what was wrong.
 */
static int put_in_place(struct store_file_in *in, struct pl_err *err)
{
	auto_free char *path = store_files_path(in->files, in->sha256);
	auto_free char *second = pl_asprintf("%s.new", in->path);
	/* a file system without links supports renames: files left by a kill wait for a sweep */
	bool has_links = link(in->path, second) == 0;
	bool is_replaced = pl_file_exists(path);

	if (rename(has_links ? second : in->path, path) < 0) {
		pl_err_errno(err, "could not write '%s'", path);
		if (has_links)
			unlink(second);
		return -1;
	}
	in->is_linked = true;
	if (is_replaced)
		store_prepared_drop(in->files, in->sha256);
	return 0;
}

int store_file_in_end(struct store_file_in *in, const char *expected, struct pl_err *err)
{
	pl_digest_end(in->digest, in->sha256);
	if (expected != NULL && strcmp(in->sha256, expected) != 0)
		return pl_err_invalid(err, "SHA-256 of the %lld bytes: found %s, expected %s",
				      (long long)in->bytes, in->sha256, expected);
	if (fsync(in->fd) < 0)
		return pl_err_errno(err, "could not write '%s'", in->path);
	if (lock(in->files, LOCK_SH, &in->lock, err) < 0)
		return -1;
	auto_free char *shard = shard_of(in->files, in->sha256);
	const char *name = strrchr(in->path, '/') + 1;
	auto_free char *whole = pl_asprintf("%s/%s.%s", in->files->incoming, in->sha256, name);
	if (make_folder(shard, err) < 0)
		return -1;
	if (rename(in->path, whole) < 0)
		return pl_err_errno(err, "could not rename '%s'", in->path);
	free(in->path);
	in->path = pl_take(whole);
	return put_in_place(in, err) < 0 ? -1 : pl_file_sync(shard, err);
}

const char *store_file_in_sha256(const struct store_file_in *in)
{
	return in->sha256;
}

int64_t store_file_in_bytes(const struct store_file_in *in)
{
	return in->bytes;
}

void store_file_in_free(struct store_file_in *in, bool is_kept)
{
	if (in == NULL)
		return;
	/* a linked file keeps its first name: the next cleanup checks whether a row names it */
	if (is_kept || !in->is_linked)
		unlink(in->path);
	pl_fd_close(&in->fd);
	pl_fd_close(&in->lock);
	pl_digest_free(in->digest);
	free(in->path);
	free(in);
}

/* ---- reading ------------------------------------------------------------------------------- */

int store_files_open(const struct store_files *files, const char *sha256, int *ret_fd,
		     struct pl_err *err)
{
	auto_free char *path = store_files_path(files, sha256);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0 && errno == ENOENT)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "'%s' is missing", path);
	if (fd < 0)
		return pl_err_errno(err, "could not open '%s'", path);
	*ret_fd = fd;
	return 0;
}

int64_t store_files_bytes(const struct store_files *files, const char *sha256)
{
	auto_free char *path = store_files_path(files, sha256);

	return pl_file_size(path);
}

int store_files_hash(const struct store_files *files, const char *sha256,
		     char ret[STORE_SHA256_LEN + 1], struct pl_err *err)
{
	auto_fd int fd = -1;

	if (store_files_open(files, sha256, &fd, err) < 0)
		return -1;
	if (pl_fd_sha256(fd, ret) < 0)
		return pl_err_errno(err, "could not be read");
	return 0;
}

/* ---- removal ------------------------------------------------------------------------------- */

/* Under the lock of removals. */
static int drop_file(struct store_files *files, const char *sha256, store_files_named_fn *named,
		     void *context, bool *ret_gone, struct pl_err *err)
{
	auto_free char *path = store_files_path(files, sha256);
	auto_fd int alone = -1;
	bool is_named = true;

	*ret_gone = false;
	if (!pl_file_exists(path))
		return 0;
	if (lock(files, LOCK_EX, &alone, err) < 0 || named(context, sha256, &is_named, err) < 0)
		return -1;
	if (is_named)
		return 0;
	if (unlink(path) < 0 && errno != ENOENT)
		return pl_err_errno(err, "could not remove '%s'", path);
	*ret_gone = true;
	return 0;
}

int store_files_drop(struct store_files *files, const char *sha256, store_files_named_fn *named,
		     void *context, bool *ret_gone, struct pl_err *err)
{
	auto_fd int removal = -1;

	*ret_gone = false;
	if (!pl_file_exists(files->folder))
		return 0;
	return lock_removal(files, &removal, err) < 0
		       ? -1
		       : drop_file(files, sha256, named, context, ret_gone, err);
}

/* Removes an incoming file if no process holds its lock. */
static int tidy_one(struct store_files *files, const char *name, store_files_named_fn *named,
		    void *context, struct pl_err *err)
{
	auto_free char *path = pl_asprintf("%s/%s", files->incoming, name);
	auto_fd int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	auto_free char *sha256 = pl_strndup(name, STORE_SHA256_LEN);
	bool gone;

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return 0;
	if (store_sha256_is(sha256) && drop_file(files, sha256, named, context, &gone, err) < 0)
		return -1;
	if (unlink(path) < 0 && errno != ENOENT)
		return pl_err_errno(err, "could not remove '%s'", path);
	return 0;
}

int store_files_tidy(struct store_files *files, store_files_named_fn *named, void *context,
		     struct pl_err *err)
{
	auto_dir dir = opendir(files->incoming);
	auto_fd int removal = -1;
	struct pl_err why = PL_ERR_INIT;
	const char *name;

	if (dir == NULL)
		return 0;
	if (lock_file(files, "hold", LOCK_EX | LOCK_NB, &removal, &why) < 0) {
		/* a server that is starting must not wait for a backup; the next one finds the same names */
		if (why.code == PL_ERR_BUSY)
			return 0;
		*err = why;
		return -1;
	}
	while ((name = pl_dir_next(dir)) != NULL) {
		if (tidy_one(files, name, named, context, err) < 0)
			return -1;
	}
	return 0;
}

/* Calls `each` for every file that has its hash as name, until it returns -1. */
static int walk(struct store_files *files,
		int (*each)(struct store_files *files, const char *sha256, void *context,
			    struct pl_err *err),
		void *context, struct pl_err *err)
{
	for (int i = 0; i < 256; i++) {
		auto_free char *shard = pl_asprintf("%s/%02x", files->folder, (unsigned)i);
		auto_dir dir = opendir(shard);
		const char *name;
		while ((name = pl_dir_next(dir)) != NULL) {
			if (store_sha256_is(name) && each(files, name, context, err) < 0)
				return -1;
		}
	}
	return 0;
}

struct unnamed {
	store_files_named_fn *named;
	void *context;
	size_t count;
};

static int drop_unnamed(struct store_files *files, const char *sha256, void *context,
			struct pl_err *err)
{
	struct unnamed *unnamed = context;
	bool gone = false;

	if (store_files_drop(files, sha256, unnamed->named, unnamed->context, &gone, err) < 0)
		return -1;
	unnamed->count += gone;
	return 0;
}

int store_files_sweep(struct store_files *files, store_files_named_fn *named, void *context,
		      size_t *ret_count, struct pl_err *err)
{
	struct unnamed unnamed = { named, context, 0 };

	*ret_count = 0;
	if (store_files_tidy(files, named, context, err) < 0 ||
	    walk(files, drop_unnamed, &unnamed, err) < 0)
		return -1;
	*ret_count = unnamed.count;
	return 0;
}

static int count_unnamed(struct store_files *files, const char *sha256, void *context,
			 struct pl_err *err)
{
	struct unnamed *unnamed = context;
	bool is_named = true;

	(void)files;
	if (unnamed->named(unnamed->context, sha256, &is_named, err) < 0)
		return -1;
	unnamed->count += !is_named;
	return 0;
}

int store_files_count_unnamed(struct store_files *files, store_files_named_fn *named, void *context,
			      size_t *ret_count, struct pl_err *err)
{
	struct unnamed unnamed = { named, context, 0 };

	*ret_count = 0;
	if (walk(files, count_unnamed, &unnamed, err) < 0)
		return -1;
	*ret_count = unnamed.count;
	return 0;
}
