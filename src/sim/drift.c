#include "sim/drift.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int sim_drift_open(double share, const char *path, struct sim_drift *ret, struct pl_err *err)
{
	struct stat file;

	*ret = (struct sim_drift){ .share = share, .fd = -1 };
	if (share == 0 || path == NULL)
		return 0;
	ret->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (ret->fd < 0 || fstat(ret->fd, &file) < 0)
		return pl_err_errno(err, "could not write '%s'", path);
	ret->requests = (uint64_t)file.st_size;
	return 0;
}

void sim_drift_close(struct sim_drift *drift)
{
	pl_fd_close(&drift->fd);
}

void sim_drift_count(struct sim_drift *drift)
{
	drift->requests++;
	/* a full disk makes the next server begin at less */
	ssize_t ignored = drift->fd >= 0 ? write(drift->fd, ".", 1) : 0;
	(void)ignored;
}

double sim_drift_factor(const struct sim_drift *drift)
{
	return 1 + drift->share * (double)drift->requests;
}
