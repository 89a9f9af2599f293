/* The directory that limits which files a client may name (--root). */
#pragma once

#include "base/err.h"

struct cli_mcp_root {
	char *path; /* absolute, without symbolic links; owned */
};

int cli_mcp_root_open(const char *path, struct cli_mcp_root *ret, struct pl_err *err) PL_MUST_CHECK;
void cli_mcp_root_done(struct cli_mcp_root *root);
/*
 * Resolves a path of a client: relative ones are below the root. Symbolic links are followed, and the target must be
 * below the root, too. The file itself may be missing, its directory may not. *ret is absolute; free(). INVALID: outside,
 * or not a path.
 */
int cli_mcp_root_resolve(const struct cli_mcp_root *root, const char *path, char **ret,
			 struct pl_err *err) PL_MUST_CHECK;
/* Returns a path below the root relative to it, any other text as it is. Borrowed from `path`. */
const char *cli_mcp_root_shown(const struct cli_mcp_root *root, const char *path);
