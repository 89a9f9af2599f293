/* `--upload URL` of the commands that make a result: sends the result and its artifacts after the run. */
#pragma once

#include "cli/dashboard.h"

/*
 * Writes PATH.upload, which cli_upload_result() removes. Call it as soon as the result is written: whatever ends the
 * command from then on, such as ^C, leaves the list. NULL: does nothing.
 */
void cli_upload_prepare(const char *path, const struct cli_dashboard *dashboard);
/*
 * Sends the result in `path`, and its artifacts, of a run that ended with `status`. Prints one line about the outcome to
 * standard error. PATH.upload lists the files that cannot be sent, for `profllm upload --pending`. `path` NULL: the result could
 * not be written. Returns the exit status: that of the run, or PL_ERR_NOT_UPLOADED's if that is 0 and something was not sent.
 */
int cli_upload_result(const char *path, struct cli_dashboard *dashboard, int status);
