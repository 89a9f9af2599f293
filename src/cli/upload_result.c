#include "cli/upload_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/text.h"
#include "run/target.h"
#include "upload/upload.h"

static int open_target(const char *url, struct run_target *ret, struct pl_err *err)
{
	struct io_tls_trust trust = { 0 };

	if (run_target_from_dashboard(url, ret, err) < 0)
		return -1;
	if (ret->unknown != NULL)
		return pl_err_set(err, PL_ERR_NETWORK, "%s", ret->unknown);
	return ret->https ? run_target_use_tls(ret, &trust, err) : 0;
}

int cli_upload_check(const char *url, struct pl_err *err)
{
	struct run_target target = { 0 };
	struct pl_err why = PL_ERR_INIT;
	int result = 0;

	/* a host that cannot be reached now may be when the run has ended */
	if (run_target_from_dashboard(url, &target, &why) < 0)
		result = pl_err_invalid(err, "--upload: %s", why.text);
	run_target_done(&target);
	return result;
}

/* Why not all is there; NULL: it is. free() */
static char *send_result(const char *path, const char *url)
{
	const char *slash = strrchr(path, '/');
	const struct upload_file file = { .path = path, .name = slash != NULL ? slash + 1 : path };
	struct run_target target = { 0 };
	struct upload upload = {
		.target = &target, .files = &file, .count = 1, .wait_ns = UPLOAD_WAIT_NS
	};
	struct pl_err err = PL_ERR_INIT;
	char *fault;

	if (open_target(url, &target, &err) < 0) {
		fault = pl_strdup(err.text);
	} else {
		upload_all(&upload);
		fault = upload_fault(&upload);
		upload_done(&upload);
	}
	run_target_done(&target);
	return fault;
}

int cli_upload_result(const char *path, const char *url, int status)
{
	auto_free char *fault = path != NULL ? send_result(path, url)
					     : pl_strdup("could not be written");
	/* words of the dashboard, too: nothing that a terminal obeys */
	auto_free char *clean = fault != NULL ? pl_clean_line(fault) : NULL;

	if (fault == NULL) {
		fprintf(stderr, "uploaded '%s' to %s\n", path, url);
		return status;
	}
	if (path != NULL)
		fprintf(stderr,
			"warning: not uploaded: %s; retry with profllm upload '%s' --to %s\n",
			clean, path, url);
	else
		fprintf(stderr, "warning: not uploaded: %s\n", clean);
	return status != 0 ? status : pl_err_exit_status(PL_ERR_NOT_UPLOADED);
}
