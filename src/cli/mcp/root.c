#include "cli/mcp/root.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clean.h"
#include "base/file.h"
#include "base/text.h"

int cli_mcp_root_open(const char *path, struct cli_mcp_root *ret, struct pl_err *err)
{
	struct stat st;
	char *whole = realpath(path, NULL);

	if (whole == NULL)
		return pl_err_errno(err, "--root '%s'", path);
	if (stat(whole, &st) < 0 || !S_ISDIR(st.st_mode)) {
		free(whole);
		return pl_err_invalid(err, "--root '%s': expected a directory", path);
	}
	ret->path = whole;
	return 0;
}

void cli_mcp_root_done(struct cli_mcp_root *root)
{
	free(root->path);
}

/* Returns whether the resolved path is the root or below it. */
static bool is_below(const struct cli_mcp_root *root, const char *path)
{
	size_t len = strlen(root->path);

	if (strcmp(root->path, "/") == 0)
		return true;
	return strncmp(path, root->path, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

/* Resolves a path whose last part does not exist. NULL with errno: its directory does not exist either. free() */
static char *resolve_new(const char *path)
{
	auto_free char *dir = pl_file_dir(path);
	auto_free char *name = pl_file_name(path);
	auto_free char *parent = NULL;
	struct stat st;

	/* a link to a missing file could be completed elsewhere */
	if (lstat(path, &st) == 0 || strcmp(name, "..") == 0 || strcmp(name, ".") == 0 ||
	    name[0] == '\0') {
		errno = ENOENT;
		return NULL;
	}
	parent = realpath(dir, NULL);
	if (parent == NULL)
		return NULL;
	return pl_asprintf("%s/%s", strcmp(parent, "/") == 0 ? "" : parent, name);
}

int cli_mcp_root_resolve(const struct cli_mcp_root *root, const char *path, char **ret,
			 struct pl_err *err)
{
	auto_free char *shown = pl_clean_line(path);
	size_t len = strlen(path);

	if (len == 0 || len >= PATH_MAX / 2 || strcmp(path, "-") == 0)
		return pl_err_invalid(err, "'%.60s': expected a path of 1 to %d bytes", shown,
				      PATH_MAX / 2 - 1);
	auto_free char *joined = path[0] == '/' ? pl_strdup(path)
						: pl_asprintf("%s/%s", root->path, path);
	auto_free char *whole = realpath(joined, NULL);
	if (whole == NULL && errno == ENOENT) {
		/* "new/" names the same directory as "new" */
		for (size_t end = strlen(joined); end > 1 && joined[end - 1] == '/'; end--)
			joined[end - 1] = '\0';
		whole = resolve_new(joined);
	}
	if (whole == NULL)
		return pl_err_errno(err, "'%s'", shown);
	if (!is_below(root, whole))
		return pl_err_invalid(err, "'%s': found a path outside of the directory of --root",
				      shown);
	*ret = pl_take(whole);
	return 0;
}

const char *cli_mcp_root_shown(const struct cli_mcp_root *root, const char *path)
{
	size_t len = strlen(root->path);

	return strncmp(path, root->path, len) == 0 && path[len] == '/' ? path + len + 1 : path;
}
