/* Apart from artifacts.c, which reads results of any producer: libprofllm needs only this. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "result/artifacts.h"

/* Returns whether no file has this name, or none that can be opened as a file. */
static bool is_absent(int why)
{
	return why == ENOENT || why == ENOTDIR || why == ELOOP || why == ENXIO ||
	       why == ENAMETOOLONG;
}

static enum res_artifact_state unread(const struct res_artifact *file, struct pl_err *err)
{
	pl_err_errno(err, "could not read '%s'", file->path);
	return RES_ARTIFACT_UNREADABLE;
}

enum res_artifact_state res_artifact_check(const struct res_artifact *file, int64_t *ret_bytes,
					   struct pl_err *err)
{
	/* not to wait for the other end of a pipe */
	auto_fd int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char hex[65];

	if (fd < 0)
		return is_absent(errno) ? RES_ARTIFACT_MISSING : unread(file, err);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return RES_ARTIFACT_MISSING;
	*ret_bytes = st.st_size;
	/* one that is written to just now may be as long as it likes */
	if (file->bytes >= 0 && file->bytes != st.st_size)
		return RES_ARTIFACT_CHANGED;
	if (pl_fd_sha256(fd, hex) < 0)
		return unread(file, err);
	return strcmp(hex, file->sha256) == 0 ? RES_ARTIFACT_INTACT : RES_ARTIFACT_CHANGED;
}
