#include "host/proc/oom.h"

#include <string.h>

#include "base/file.h"
#include "base/text.h"

#define FILE_BYTES_MAX (1u << 20)

int64_t host_oom_kills_in(const char *path)
{
	static const char key[] = "oom_kill ";
	auto_free char *text = pl_file_text(path, FILE_BYTES_MAX, NULL);
	int64_t count;

	for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
		if (pl_text_starts(line, key) && pl_text_to_i64(line + sizeof(key) - 1, &count))
			return count;
	}
	return -1;
}

/* Version 2: "0::/user.slice"; version 1: "9:memory:/docker/1". */
static char *group_file(const char *line)
{
	const char *path = strrchr(line, ':');

	if (path == NULL)
		return NULL;
	if (pl_text_starts(line, "0::"))
		return pl_asprintf("/sys/fs/cgroup%s/memory.events", path + 1);
	if (strstr(line, ":memory:") != NULL)
		return pl_asprintf("/sys/fs/cgroup/memory%s/memory.oom_control", path + 1);
	return NULL;
}

/*
 * The group's counter separates our kills from those of other containers; /proc/vmstat counts the
 * whole host and is the fallback if no cgroups are mounted.
 */
int64_t host_oom_kills(void)
{
	auto_free char *text = pl_file_text("/proc/self/cgroup", FILE_BYTES_MAX, NULL);

	for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
		auto_free char *path = group_file(line);
		int64_t count = path != NULL ? host_oom_kills_in(path) : -1;
		if (count >= 0)
			return count;
	}
	return host_oom_kills_in("/proc/vmstat");
}
