#include "host/throttled.h"

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"

#define GROUPS_BYTES_MAX (1u << 20)
#define STAT_BYTES       4096

struct host_throttled {
	int *fds; /* of each cpu.stat with the count */
	size_t count;
	size_t room;
};

/* Returns the value after "name " at the start of a line; NaN: none. */
static double value_of(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = text; *line != '\0'; line += strspn(line, "\n")) {
		if (strncmp(line, name, len) == 0 && line[len] == ' ')
			return strtod(line + len, NULL);
		line += strcspn(line, "\n");
	}
	return NAN;
}

/* Reads cpu.stat of version 2, or 1 (in ns). */
static double read_us(int fd)
{
	char text[STAT_BYTES];
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	if (len <= 0)
		return NAN;
	text[len] = '\0';
	double us = value_of(text, "throttled_usec");
	return isnan(us) ? value_of(text, "throttled_time") / PL_NS_PER_US : us;
}

/*
 * Opens the files of the group and of all its ancestors. In a container, the path may be the host's
 * and not exist: the mounted directory is then the container's group.
 */
static void open_all(struct host_throttled *throttled, const char *mounted, const char *group)
{
	auto_free char *path = pl_asprintf("%s%s", mounted, pl_text_equal(group, "/") ? "" : group);
	size_t mounted_len = strlen(mounted);

	for (;;) {
		auto_free char *file = pl_asprintf("%s/cpu.stat", path);
		auto_fd int fd = open(file, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && !isnan(read_us(fd)))
			*PL_PUSH(throttled->fds, throttled->count,
				 throttled->room) = pl_take_fd(fd);
		char *slash = strrchr(path + mounted_len, '/');
		if (slash == NULL)
			return;
		*slash = '\0';
	}
}

/* Returns whether `name` is a controller in a line "4:cpu,cpuacct:/group". */
static bool has_controller(const char *list, const char *name)
{
	size_t name_len = strlen(name);

	for (;;) {
		size_t len = strcspn(list, ",:");
		if (len == name_len && strncmp(list, name, len) == 0)
			return true;
		if (list[len] != ',')
			return false;
		list += len + 1;
	}
}

/* The group of a line, of version 1 with the controller `cpu` or of version 2; NULL: another line. */
static const char *group_of(const char *line, bool legacy)
{
	const char *list = strchr(line, ':');
	const char *group = list == NULL ? NULL : strchr(list + 1, ':');

	if (group == NULL || pl_text_starts(line, "0::") == legacy ||
	    (legacy && !has_controller(list + 1, "cpu")))
		return NULL;
	return group + 1;
}

static void open_version(struct host_throttled *throttled, const char *groups, const char *mounted,
			 bool legacy)
{
	auto_free char *lines = pl_strdup(groups);

	for (char *rest = lines, *line; (line = strsep(&rest, "\n")) != NULL;) {
		const char *group = group_of(line, legacy);
		if (group != NULL)
			open_all(throttled, mounted, group);
	}
}

struct host_throttled *host_throttled_new_of(const char *groups, const char *mounted)
{
	struct host_throttled *throttled = pl_alloc(sizeof(*throttled));
	/* mounted under the list of its controllers, with links of the single names */
	auto_free char *legacy = pl_asprintf("%s/cpu", mounted);

	open_version(throttled, groups, legacy, true);
	if (throttled->count == 0)
		open_version(throttled, groups, mounted, false);
	return throttled;
}

struct host_throttled *host_throttled_new(void)
{
	auto_free char *groups = pl_file_text("/proc/self/cgroup", GROUPS_BYTES_MAX, NULL);

	return host_throttled_new_of(groups, HOST_CGROUP_FOLDER);
}

void host_throttled_free(struct host_throttled *throttled)
{
	if (throttled == NULL)
		return;
	for (size_t i = 0; i < throttled->count; i++)
		close(throttled->fds[i]);
	free(throttled->fds);
	free(throttled);
}

double host_throttled_us(const struct host_throttled *throttled)
{
	double sum = NAN;

	for (size_t i = 0; i < throttled->count; i++) {
		double one = read_us(throttled->fds[i]);
		if (!isnan(one))
			sum = isnan(sum) ? one : sum + one;
	}
	return sum;
}
