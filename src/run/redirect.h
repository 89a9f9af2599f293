/*
 * A server that sends requests on to another address. They are not followed: what is measured would
 * be two requests.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>

bool run_redirect_is(int status);
/*
 * What to write instead: the URL without `path` at its end, where `location` (of a reply to `path`)
 * is such a one; `url` is the server's, for locations that name no host. NULL: nothing to be said.
 * free().
 */
char *run_redirect_base(const char *url, const char *path, const char *location);
/* Says that `path` of the server at `url` (NULL: one of our own) leads elsewhere. Returns -1. */
int run_redirect_error(const char *url, const char *path, const char *location, struct pl_err *err);
