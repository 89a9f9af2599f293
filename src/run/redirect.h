/* Detects redirects. They are not followed, because two requests would be measured. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

bool run_redirect_is(int status);
/*
 * Returns the URL to use instead: `location` (of a response to `path`) without `path` at its end, if it has it. `url`
 * is the server's, for locations without a host. NULL: no suggestion. free()
 */
char *run_redirect_base(const char *url, const char *path, const char *location);
/* Sets an error: `path` of the server at `url` (NULL: our own) redirects. Returns -1. */
int run_redirect_error(const char *url, const char *path, const char *location, struct pl_err *err);
