#include "host/proc/program.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static char *find_in_path(const char *name)
{
	const char *path = getenv("PATH");

	while (path != NULL && *path != '\0') {
		size_t len = strcspn(path, ":");
		/* An empty part of PATH is the current folder: POSIX, 8.3. */
		auto_free char *candidate = pl_asprintf("%.*s/%s", len == 0 ? 1 : (int)len,
							len == 0 ? "." : path, name);
		if (is_program(candidate))
			return pl_take(candidate);
		path += len;
		if (*path == ':')
			path++;
	}
	return NULL;
}

char *host_program_folder(void)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len <= 0)
		return NULL;
	self[len] = '\0';
	return pl_file_dir(self);
}

/* Lets a directory with both programs, copied anywhere, work without PATH. */
static char *find_in_own_folder(const char *name)
{
	auto_free char *folder = host_program_folder();
	auto_free char *candidate = folder != NULL ? pl_asprintf("%s/%s", folder, name) : NULL;

	return candidate != NULL && is_program(candidate) ? pl_take(candidate) : NULL;
}

static int find(const char *name, bool own_folder_first, char **ret, struct pl_err *err)
{
	char *found = NULL;

	/* As in execvp() and shells: a name with a slash is a path and not searched. */
	if (strchr(name, '/') != NULL) {
		if (!is_program(name))
			return pl_err_set(err, PL_ERR_NOT_FOUND, "program '%s' does not exist",
					  name);
		*ret = pl_strdup(name);
		return 0;
	}
	if (own_folder_first)
		found = find_in_own_folder(name);
	if (found == NULL)
		found = find_in_path(name);
	if (found == NULL && !own_folder_first)
		found = find_in_own_folder(name);
	/* its package has the name of the program */
	if (found == NULL && own_folder_first)
		return pl_err_set(err, PL_ERR_NOT_FOUND,
				  "found no program '%s' next to profllm or in PATH; install the "
				  "package %s",
				  name, name);
	if (found == NULL)
		return pl_err_set(err, PL_ERR_NOT_FOUND,
				  "found no program '%s' in PATH or next to profllm", name);
	*ret = found;
	return 0;
}

int host_program_find(const char *name, char **ret, struct pl_err *err)
{
	return find(name, false, ret, err);
}

int host_program_find_sibling(const char *name, char **ret, struct pl_err *err)
{
	return find(name, true, ret, err);
}
