#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/text.h"

#define TREE_FDS_MAX 16

int pl_file_read(const char *path, size_t max_bytes, char **ret_text, size_t *ret_len,
		 struct pl_err *err)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	/*
	 * Reads one byte more than allowed: a file of exactly the limit is accepted, and one that
	 * grows beyond it is detected. stat() gives no size for /proc and pipes.
	 */
	auto_buf buf = PL_BUF(max_bytes + 1);

	if (fd < 0)
		return pl_err_errno(err, "could not open '%s'", path);
	for (;;) {
		/* threads of a host of libprofllm may have small stacks */
		char block[16384];
		ssize_t got = TEMP_FAILURE_RETRY(read(fd, block, sizeof(block)));
		if (got < 0)
			return pl_err_errno(err, "could not read '%s'", path);
		if (got == 0)
			break;
		if (!pl_buf_add(&buf, block, (size_t)got) || buf.len > max_bytes)
			return pl_err_invalid(
				err, "'%s' is larger than %s", path,
				pl_text_from_bytes(max_bytes, (char[PL_BYTES_TEXT_BYTES]){ 0 }));
	}
	if (ret_len != NULL)
		*ret_len = buf.len;
	*ret_text = pl_buf_take(&buf);
	return 0;
}

char *pl_file_text(const char *path, size_t max_bytes, size_t *ret_len)
{
	char *text = NULL;

	return pl_file_read(path, max_bytes, &text, ret_len, PL_ERR_IGNORED) == 0 ? text : NULL;
}

int pl_fd_write(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t done = TEMP_FAILURE_RETRY(write(fd, data, len));
		if (done < 0)
			return -1;
		data += done;
		len -= (size_t)done;
	}
	return 0;
}

int pl_fd_write_wait(int fd, const char *data, size_t len)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };

	while (len > 0) {
		ssize_t done = TEMP_FAILURE_RETRY(write(fd, data, len));
		if (done < 0 && errno == EAGAIN && (poll(&ready, 1, -1) > 0 || errno == EINTR))
			continue;
		if (done < 0)
			return -1;
		data += done;
		len -= (size_t)done;
	}
	return 0;
}

const char *pl_dir_next(DIR *dir)
{
	struct dirent *entry = NULL;

	while (dir != NULL && (entry = readdir(dir)) != NULL &&
	       (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0))
		continue;
	return entry != NULL ? entry->d_name : NULL;
}

void pl_dir_close(DIR **dir)
{
	if (*dir != NULL)
		closedir(*dir);
	*dir = NULL;
}

int pl_file_check_regular(const char *path, struct pl_err *err)
{
	struct stat st;

	if (stat(path, &st) < 0 || access(path, R_OK) < 0)
		return pl_err_errno(err, "could not read '%.200s'", path);
	if (S_ISREG(st.st_mode))
		return 0;
	return pl_err_invalid(err, "could not read '%.200s': it is %s", path,
			      S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
}

/* A device, pipe or folder would be replaced by the rename, and never written to. */
static int check_replaceable(const char *path, struct pl_err *err)
{
	struct stat st;

	if (stat(path, &st) < 0 || S_ISREG(st.st_mode))
		return 0;
	return pl_err_set(err, PL_ERR_IO, "cannot write '%s': it is %s", path,
			  S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
}

/*
 * Reports that the directory is not writable: an existing file is replaced whatever its
 * permissions.
 */
static int refuse_folder(const char *path, struct pl_err *err)
{
	int why = errno;
	auto_free char *folder = pl_file_dir(path);
	auto_free char *whole = realpath(folder, NULL);

	/* /proc and similar file systems return ENOENT for files that cannot be created */
	if (why == ENOENT && whole == NULL)
		return pl_err_set(err, PL_ERR_IO,
				  "cannot write '%s': directory '%s' does not exist", path, folder);
	errno = why;
	return pl_err_errno(err, "could not write '%s' in directory '%s'", path,
			    whole != NULL ? whole : folder);
}

static unsigned file_mode; /* 0: the umask decides */

void pl_file_set_mode(unsigned mode)
{
	file_mode = mode;
}

unsigned pl_file_mode(unsigned otherwise)
{
	return file_mode != 0 ? file_mode : otherwise;
}

int pl_file_read_mode(const char *text, unsigned *ret, struct pl_err *err)
{
	size_t len = strlen(text);
	char *end = NULL;
	unsigned long mode = strtoul(text, &end, 8);

	if (len < 3 || len > 4 || strspn(text, "01234567") != len || mode > 0777 ||
	    (mode & 0600) != 0600)
		return pl_err_invalid(err, "found '%s', expected an octal mode from 0600 to 0777",
				      text);
	*ret = (unsigned)mode;
	return 0;
}

static int open_new(struct pl_file_new *file, const char *path, struct pl_err *err)
{
	/* of this thread: another one may write the same path */
	auto_free char *temporary = pl_asprintf("%s.tmp.%d", path, (int)gettid());
	/*
	 * Another user with write access to the directory can predict this name and create it first.
	 * O_EXCL makes sure that the file belongs to this thread. A leftover of an earlier thread
	 * with this ID is removed. The umask applies to 0666.
	 */
	(void)unlink(temporary);
	int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

	if (fd < 0 && errno == EEXIST)
		return pl_err_set(err, PL_ERR_IO,
				  "cannot write '%s': '%s' exists and cannot be removed", path,
				  temporary);
	if (fd < 0)
		return refuse_folder(path, err);
	if (file_mode != 0 && fchmod(fd, file_mode) < 0) {
		pl_err_errno(err, "could not set the mode of '%s'", temporary);
		close(fd);
		unlink(temporary);
		return -1;
	}
	file->stream = fdopen(fd, "w");
	if (file->stream == NULL) {
		pl_err_errno(err, "could not write '%s'", path);
		close(fd);
		unlink(temporary);
		return -1;
	}
	file->path = pl_strdup(path);
	file->temporary = pl_take(temporary);
	return 0;
}

int pl_file_new_open(struct pl_file_new *file, const char *path, struct pl_err *err)
{
	*file = (struct pl_file_new){ 0 };
	if (check_replaceable(path, err) < 0)
		return -1;
	auto_free char *target = realpath(path, NULL);
	return open_new(file, target != NULL ? target : path, err);
}

int pl_file_new_open_private(struct pl_file_new *file, const char *path, struct pl_err *err)
{
	struct stat st;

	*file = (struct pl_file_new){ 0 };
	if (lstat(path, &st) == 0 && !S_ISLNK(st.st_mode) && check_replaceable(path, err) < 0)
		return -1;
	return open_new(file, path, err);
}

int pl_file_sync(const char *path, struct pl_err *err)
{
	auto_fd int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return errno == EACCES ? 0 : pl_err_errno(err, "could not open '%s'", path);
	if (fsync(fd) < 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
		return pl_err_errno(err, "could not write '%s'", path);
	return 0;
}

/* A rename is an entry of the folder: without this a power cut may bring the old file back, though the new one is on disk. */
int pl_file_sync_dir_of(const char *path, struct pl_err *err)
{
	auto_free char *folder = pl_file_dir(path);

	return pl_file_sync(folder, err);
}

static int put_in_place(const struct pl_file_new *file)
{
	if (!file->must_be_new)
		return rename(file->temporary, file->path);
	if (renameat2(AT_FDCWD, file->temporary, AT_FDCWD, file->path, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/* a file system without the flag: a link fails, too, if the name exists */
	if (link(file->temporary, file->path) < 0)
		return -1;
	return unlink(file->temporary);
}

/*
 *    write ──> PATH.tmp.TID ──fsync──> rename over PATH ──fsync──> folder
 *
 * At each moment PATH is the whole old file or the whole new one.
 */
int pl_file_new_commit(struct pl_file_new *file, struct pl_err *err)
{
	if (fflush(file->stream) != 0 || fsync(fileno(file->stream)) < 0)
		return pl_err_errno(err, "could not write '%s'", file->path);
	/* errno is not available for an error that occurred long ago */
	if (ferror(file->stream))
		return pl_err_set(err, PL_ERR_IO, "could not write '%s': an earlier write failed",
				  file->path);
	/* fclose() ends the stream even where it fails; a second one would be a use after free. */
	FILE *stream = pl_take(file->stream);
	if (fclose(stream) != 0)
		return pl_err_errno(err, "could not write '%s'", file->path);
	if (put_in_place(file) < 0)
		return file->must_be_new && errno == EEXIST
			       ? pl_err_invalid(err, "'%s' exists", file->path)
			       : pl_err_errno(err, "could not write '%s'", file->path);
	free(pl_take(file->temporary));
	return pl_file_sync_dir_of(file->path, err);
}

void pl_file_new_close(struct pl_file_new *file)
{
	if (file->stream != NULL)
		fclose(file->stream);
	if (file->temporary != NULL)
		unlink(file->temporary);
	free(file->temporary);
	free(file->path);
	*file = (struct pl_file_new){ 0 };
}

int pl_file_write(const char *path, const void *data, size_t len, struct pl_err *err)
{
	auto_file_new file;

	if (pl_file_new_open(&file, path, err) < 0)
		return -1;
	if (fwrite(data, 1, len, file.stream) != len)
		return pl_err_errno(err, "could not write '%s'", path);
	return pl_file_new_commit(&file, err);
}

int pl_file_write_new(const char *path, const void *data, size_t len, struct pl_err *err)
{
	auto_file_new file = { 0 };
	struct stat st;

	/* also a link to nothing */
	if (lstat(path, &st) == 0)
		return pl_err_invalid(err, "'%s' exists", path);
	if (pl_file_new_open_private(&file, path, err) < 0)
		return -1;
	file.must_be_new = true;
	if (fwrite(data, 1, len, file.stream) != len)
		return pl_err_errno(err, "could not write '%s'", path);
	return pl_file_new_commit(&file, err);
}

int pl_file_check_writable(const char *path, struct pl_err *err)
{
	/*
	 * access() checks the real user's permissions, and root always passes: create the file
	 * instead
	 */
	struct pl_file_new probe;
	if (pl_file_new_open(&probe, path, err) < 0)
		return -1;
	pl_file_new_close(&probe);
	return 0;
}

bool pl_file_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

int pl_file_make_dir(const char *path, unsigned mode, struct pl_err *err)
{
	if (mkdir(path, mode) == 0)
		return pl_file_sync_dir_of(path, err);
	return errno == EEXIST ? 0 : pl_err_errno(err, "could not create directory '%s'", path);
}

int pl_file_make_folders(const char *path, struct pl_err *err)
{
	auto_free char *part = pl_strdup(path);

	/* up to each slash, and to the end */
	for (char *at = part + 1; at[-1] != '\0'; at++) {
		char retained = *at;
		if (retained != '/' && retained != '\0')
			continue;
		*at = '\0';
		if (pl_file_make_dir(part, 0777, err) < 0)
			return -1;
		*at = retained;
	}
	return 0;
}

static int remove_one(const char *path, const struct stat *facts, int type, struct FTW *info)
{
	(void)facts;
	(void)type;
	(void)info;
	(void)remove(path);
	return 0;
}

void pl_file_remove_tree(const char *path)
{
	nftw(path, remove_one, TREE_FDS_MAX, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* Compares device and inode: paths may differ by links, "./" and letter case. */
bool pl_file_same(const char *a, const char *b)
{
	struct stat first, second;

	return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

int64_t pl_file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (int64_t)st.st_size : -1;
}

char *pl_file_dir(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return pl_strdup(".");
	return slash == path ? pl_strdup("/") : pl_strndup(path, (size_t)(slash - path));
}

char *pl_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return pl_strdup(slash == NULL ? path : slash + 1);
}

bool pl_file_would_be_same(const char *a, const char *b)
{
	auto_free char *folder = pl_file_dir(a), *other_folder = pl_file_dir(b);
	auto_free char *name = pl_file_name(a), *other_name = pl_file_name(b);

	return pl_file_same(a, b) ||
	       (strcmp(name, other_name) == 0 && pl_file_same(folder, other_folder));
}

char *pl_file_sibling(const char *path, const char *strip, const char *suffix)
{
	size_t len = strlen(path);

	if (pl_text_ends(path, strip))
		len -= strlen(strip);
	return pl_asprintf("%.*s%s", (int)len, path, suffix);
}

void pl_sha256(const void *data, size_t len, char hex[PL_SHA256_HEX_BYTES])
{
	auto_digest *digest = pl_digest_new();

	pl_digest_add(digest, data, len);
	pl_digest_end(digest, hex);
}

int pl_fd_sha256(int fd, char hex[PL_SHA256_HEX_BYTES])
{
	auto_digest *digest = pl_digest_new();
	char block[16384];
	ssize_t got;

	while ((got = TEMP_FAILURE_RETRY(read(fd, block, sizeof(block)))) > 0)
		pl_digest_add(digest, block, (size_t)got);
	pl_digest_end(digest, hex);
	return got < 0 ? -1 : 0;
}

int pl_file_sha256(const char *path, char hex[PL_SHA256_HEX_BYTES], struct pl_err *err)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return pl_err_errno(err, "could not open '%s'", path);
	if (pl_fd_sha256(fd, hex) < 0)
		return pl_err_errno(err, "could not read '%s'", path);
	return 0;
}
