#include "dash/access/private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"

struct dash_file_stamp dash_file_stamp_of(const char *path)
{
	struct dash_file_stamp stamp = { 0 };
	struct stat st;

	if (stat(path, &st) < 0)
		return stamp;
	stamp.device = st.st_dev;
	stamp.inode = st.st_ino;
	stamp.mode = st.st_mode;
	stamp.user = st.st_uid;
	stamp.size = st.st_size;
	stamp.modified_ns = st.st_mtim.tv_sec * PL_NS_PER_S + st.st_mtim.tv_nsec;
	stamp.changed_ns = st.st_ctim.tv_sec * PL_NS_PER_S + st.st_ctim.tv_nsec;
	return stamp;
}

bool dash_file_stamp_equal(const struct dash_file_stamp *a, const struct dash_file_stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->mode == b->mode &&
	       a->user == b->user && a->size == b->size && a->modified_ns == b->modified_ns &&
	       a->changed_ns == b->changed_ns;
}

static int check_file(int fd, const char *path, struct pl_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return pl_err_errno(err, "could not read the status of '%s'", path);
	if (!S_ISREG(st.st_mode))
		return pl_err_invalid(err, "'%s' is not a regular file", path);
	/* root gives a file to a service by its group, as a Secret of Kubernetes does */
	mode_t limit = st.st_uid == 0 && geteuid() != 0 ? 0640 : 0600;
	if ((st.st_mode & 077 & ~limit) != 0)
		return pl_err_invalid(err, "'%s': found mode %04o, expected %04o; run 'chmod %o'",
				      path, st.st_mode & 07777, limit, limit);
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return pl_err_invalid(err,
				      "'%s': found user ID %u as the owner, expected %u or root",
				      path, st.st_uid, geteuid());
	return 0;
}

static int read_all(int fd, const char *path, struct pl_buf *text, struct pl_err *err)
{
	char block[4096];

	for (;;) {
		ssize_t got = TEMP_FAILURE_RETRY(read(fd, block, sizeof(block)));
		if (got < 0)
			return pl_err_errno(err, "could not read '%s'", path);
		if (got == 0)
			return 0;
		if (!pl_buf_add(text, block, (size_t)got))
			return pl_err_invalid(err, "'%s' is larger than 1 MiB", path);
	}
}

int dash_private_file_read(const char *path, struct pl_buf *ret, struct pl_err *err)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return pl_err_errno(err, "could not open '%s'", path);
	return check_file(fd, path, err) < 0 ? -1 : read_all(fd, path, ret, err);
}
