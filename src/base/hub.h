/* The local cache of the Hugging Face hub. Nothing is downloaded. */
#pragma once

#include <stdbool.h>

/* Returns a variable of the environment, borrowed; NULL: not set, or empty. */
typedef const char *pl_hub_env(const void *user, const char *name);

/* "~/x" as Python's expanduser() reads it. The caller owns the result. */
char *pl_hub_expand(const char *path, pl_hub_env *env, const void *user);
/* Returns the directory of the repositories, as huggingface_hub finds it. The caller owns it. */
char *pl_hub_folder(pl_hub_env *env, const void *user);
/*
 * Returns whether the text is "name" or "org/name" with the characters of repositories. The name
 * becomes part of a path: it cannot lead out of the cache.
 */
bool pl_hub_is_name(const char *text);
/* Returns the directory of a repository, "KIND--org--name" in `folder`. The caller owns it. */
char *pl_hub_repository(const char *folder, const char *kind, const char *name);
