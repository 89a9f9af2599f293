/* `--upload URL` of commands that make a result: upload/upload.h after a run. */
#pragma once

#include "base/err.h"

/* Checks the address before anything is started. */
int cli_upload_check(const char *url, struct pl_err *err) PL_MUST_CHECK;
/*
 * Sends the result of a run that ended with `status`, and its artifacts, and reports the outcome in one line on
 * standard error. The files stay in place. `path` NULL: no result was written. Returns the exit status: that of the
 * run, unless it is 0 and the upload is incomplete: then that of PL_ERR_NOT_UPLOADED.
 */
int cli_upload_result(const char *path, const char *url, int status);
