/*
 * Without --output nothing is kept but vLLM's own files: the run writes into a folder of its own,
 * which is removed behind it.
 */
#include "cli/bench_run.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/cli.h"
#include "cli/upload_result.h"
#include "experiment/config.h"
#include "result/report.h"
#include "run/alone.h"

#define REPORT_BYTES_MAX (64u << 20)

static bool has_flag(const json_t *flags, const char *flag)
{
	return json_object_get(flags, flag) != NULL;
}

/* `path` NULL: the result was not to be kept. */
static int print_result(const struct exp_config *experiment, const json_t *flags,
			const json_t *result, const char *path, const char *failures)
{
	auto_buf text = PL_BUF(REPORT_BYTES_MAX);

	if (has_flag(flags, "--json"))
		return cli_print_json(result);
	res_report_run(result, &experiment->bench, path, failures, pl_log_has_colour(STDOUT_FILENO),
		       &text);
	return cli_print(pl_buf_text(&text));
}

/* A folder for what is not to be kept: a killed run leaves its journal there. */
static int make_place(char *folder, size_t room, char **ret_path, struct pl_err *err)
{
	const char *above = getenv("TMPDIR");

	snprintf(folder, room, "%s/profllm-bench-XXXXXX",
		 above != NULL && above[0] != '\0' ? above : "/tmp");
	if (mkdtemp(folder) == NULL)
		return pl_err_errno(err, "cannot make a folder '%s'", folder);
	*ret_path = pl_asprintf("%s/result.json", folder);
	return 0;
}

int cli_bench_check_flags(const json_t *flags, struct pl_err *err)
{
	const char *url = pl_json_get_text(flags, "--upload");

	if (cli_file_mode(pl_json_get_text(flags, "--file-mode"), err) < 0)
		return -1;
	if (url == NULL)
		return 0;
	if (pl_json_get_text(flags, "--output") == NULL)
		return pl_err_invalid(err, "--upload: --output FILE is missing, which keeps what "
					   "cannot be sent");
	return cli_upload_check(url, err);
}

int cli_bench_run(struct exp_config *experiment, const json_t *flags, enum res_fail_on fail_on)
{
	const char *upload = pl_json_get_text(flags, "--upload");
	const char *output = pl_json_get_text(flags, "--output");
	auto_free char *path = pl_strdup(output);
	auto_free char *failures = NULL;
	auto_free char *written = NULL;
	char folder[PATH_MAX];
	auto_json json_t *result = NULL;
	struct pl_err err = PL_ERR_INIT;
	int signal_number = 0;

	if (output == NULL) {
		if (make_place(folder, sizeof(folder), &path, &err) < 0)
			return cli_fail(&err);
		/* side files would be removed with the folder */
		experiment->output.requests = false;
		experiment->output.series = false;
	}
	struct run_settings how = {
		.output = path,
		.failures = &failures,
		.written = &written,
		.overwrite = has_flag(flags, "--overwrite"),
		.names_of_vllm = true,
		.output_dropped = output == NULL,
		.quiet = has_flag(flags, "--quiet"),
	};
	int done = run_alone(experiment, &how, &result, &signal_number, &err);
	if (done < 0)
		done = cli_fail(&err);
	/* what could not be written is shown all the same */
	if (result != NULL &&
	    print_result(experiment, flags, result, output != NULL ? written : NULL, failures) != 0)
		done = pl_err_exit_status(PL_ERR_IO);
	if (output == NULL) {
		unlink(path);
		/* anything else in it is worth keeping, and then the folder stays */
		rmdir(folder);
	}
	if (result == NULL)
		return done;
	if (done == 0)
		done = res_exit_status_of(result, fail_on, signal_number);
	return upload != NULL ? cli_upload_result(written, upload, done) : done;
}
