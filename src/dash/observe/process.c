#include "dash/observe/process.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"

static uint64_t read_resident(void)
{
	unsigned long long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file == NULL)
		return 0;
	if (fscanf(file, "%*u %llu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t count_files(void)
{
	DIR *directory = opendir("/proc/self/fd");
	uint64_t count = 0;

	if (directory == NULL)
		return 0;
	for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
		count += entry->d_name[0] != '.';
	closedir(directory);
	/* without the one of the directory */
	return count > 0 ? count - 1 : 0;
}

void dash_process_read(struct dash_process *ret)
{
	struct rlimit limit = { 0 };

	*ret = (struct dash_process){ .resident_bytes = read_resident(), .files = count_files() };
	ret->cpu_s = (double)pl_clock_cpu_process_ns() / PL_NS_PER_S;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		ret->files_max = limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}
