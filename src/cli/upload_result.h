/* `--upload URL` of the commands that make a result: upload/upload.h behind a run. */
#pragma once

#include "base/err.h"

/* Before anything is started: is that an address? */
int cli_upload_check(const char *url, struct pl_err *err) PL_MUST_CHECK;
/*
 * Sends the result of a run that ended with `status`, and its artifacts; one line on standard error says what became of it. What
 * cannot be sent stays where it is. `path` NULL: nothing could be written. Returns the exit status: the run's own, unless that
 * is 0 and not all is there: PL_ERR_NOT_UPLOADED's.
 */
int cli_upload_result(const char *path, const char *url, int status);
