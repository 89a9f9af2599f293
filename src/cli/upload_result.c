#include "cli/upload_result.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "upload/pending.h"
#include "upload/upload.h"

/* A line without the program's name, or an object if messages are objects. */
static void report(enum pl_log_level level, const char *format, ...) PL_PRINTF(2, 3);
static void report(enum pl_log_level level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	auto_free char *text = pl_vasprintf(format, args);
	va_end(args);
	if (pl_log_format() == PL_LOG_JSON)
		pl_log(level, "%s", text);
	else
		fprintf(stderr, "%s%s\n", level == PL_LOG_WARNING ? "warning: " : "", text);
}

/* Lists what was not sent and says how to send it. `upload` NULL: nothing could be sent. */
static void report_unsent(const char *path, const struct cli_dashboard *dashboard,
			  const struct upload *upload, const char *fault)
{
	auto_free char *list = NULL;
	/* may contain text of the dashboard: remove control characters */
	auto_free char *clean = pl_clean_line(fault);
	struct pl_err err = PL_ERR_INIT;

	if (upload_pending_write(path, dashboard->url, upload, clean, &list, &err) == 0)
		report(PL_LOG_WARNING, "not uploaded: %s; retry with profllm upload --pending '%s'",
		       clean, list);
	else
		report(PL_LOG_WARNING,
		       "not uploaded: %s; retry with profllm upload '%s' --to %s (%s)", clean, path,
		       dashboard->url, err.text);
}

static bool send_result(const char *path, struct cli_dashboard *dashboard)
{
	auto_free char *name = pl_file_name(path);
	const struct upload_file file = { .path = path, .name = name };
	struct run_target target = { 0 };
	struct upload upload = {
		.target = &target, .files = &file, .count = 1, .wait_ns = UPLOAD_WAIT_NS
	};
	struct pl_err err = PL_ERR_INIT;
	bool is_sent = false;

	cli_upload_prepare(path, dashboard);
	if (cli_dashboard_open(dashboard, &target, &err) < 0) {
		report_unsent(path, dashboard, NULL, err.text);
	} else {
		upload_all(&upload);
		auto_free char *fault = upload_fault(&upload);
		is_sent = fault == NULL;
		if (is_sent)
			upload_pending_remove(path, dashboard->url);
		else
			report_unsent(path, dashboard, &upload, fault);
		upload_done(&upload);
	}
	run_target_done(&target);
	return is_sent;
}

/* An earlier list, perhaps of another dashboard, stays. */
void cli_upload_prepare(const char *path, const struct cli_dashboard *dashboard)
{
	auto_free char *earlier = pl_asprintf("%s" UPLOAD_PENDING_SUFFIX, path != NULL ? path : "");
	auto_free char *list = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (path != NULL && !pl_file_exists(earlier) &&
	    upload_pending_write(path, dashboard->url, NULL, "interrupted", &list, &err) < 0)
		pl_log(PL_LOG_DEBUG, "no list of the unsent files: %s", err.text);
}

int cli_upload_result(const char *path, struct cli_dashboard *dashboard, int status)
{
	if (path != NULL && send_result(path, dashboard)) {
		report(PL_LOG_INFO, "uploaded '%s' to %s", path, dashboard->url);
		return status;
	}
	if (path == NULL)
		report(PL_LOG_WARNING, "not uploaded: the result could not be written");
	return status != 0 ? status : pl_err_exit_status(PL_ERR_NOT_UPLOADED);
}
