/*
 * Without --output, only vLLM's own files are kept: the run writes to a temporary directory, which is removed
 * afterwards. If the process is killed, the next run without --output removes it.
 */
#include "cli/bench_run.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/live.h"
#include "cli/otlp.h"
#include "cli/upload_result.h"
#include "experiment/config.h"
#include "result/report.h"
#include "run/single.h"

#define REPORT_BYTES_MAX (64u << 20)

static bool has_flag(const json_t *flags, const char *flag)
{
	return json_object_get(flags, flag) != NULL;
}

/* `path` NULL: the result is not kept. */
static int print_result(const struct exp_config *experiment, const json_t *flags,
			const json_t *result, const char *path, const char *failures)
{
	auto_buf text = PL_BUF(REPORT_BYTES_MAX);

	if (has_flag(flags, "--json"))
		return cli_print_json(result);
	res_report_run(result, &experiment->bench, path, failures, pl_log_has_color(STDOUT_FILENO),
		       &text);
	return cli_print(pl_buf_text(&text));
}

/* ---- the temporary directory ----------------------------------------------------------------- */

#define PREFIX     "profllm-bench-"
#define MAKE_TRIES 16

/*
 * Locks a directory of this user, whose owner holds the lock while it lives, in any container. *ret: close it. Returns
 * false if another process owns it, or it is no longer such a directory.
 */
static bool lock_place(int parent, const char *name, int *ret)
{
	auto_fd int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid() || (st.st_mode & 077) != 0 ||
	    flock(fd, LOCK_EX | LOCK_NB) < 0 || fstat(fd, &st) < 0 || st.st_nlink == 0)
		return false;
	*ret = pl_take_fd(fd);
	return true;
}

/* Removes the directories of dead processes. Only this user can write to them. */
static void remove_left(const char *above)
{
	auto_dir dir = opendir(above);
	const char *name;

	while ((name = pl_dir_next(dir)) != NULL) {
		auto_fd int lock = -1;
		if (!pl_text_starts(name, PREFIX) || !lock_place(dirfd(dir), name, &lock))
			continue;
		auto_free char *path = pl_asprintf("%s/%s", above, name);
		pl_log(PL_LOG_DEBUG, "removing '%s' of a killed run", path);
		pl_file_remove_tree(path);
	}
}

/* *ret_lock: keeps the next run from removing the directory; close it. */
static int make_place(char *folder, size_t room, int *ret_lock, char **ret_path, struct pl_err *err)
{
	const char *named = getenv("TMPDIR");
	const char *above = named != NULL && named[0] != '\0' ? named : "/tmp";

	remove_left(above);
	for (int i = 0; i < MAKE_TRIES; i++) {
		snprintf(folder, room, "%s/" PREFIX "XXXXXX", above);
		if (mkdtemp(folder) == NULL)
			return pl_err_errno(err, "could not create directory '%s'", folder);
		/* before the lock, another starting run may have removed it */
		if (lock_place(AT_FDCWD, folder, ret_lock)) {
			*ret_path = pl_asprintf("%s/result.json", folder);
			return 0;
		}
	}
	return pl_err_set(err, PL_ERR_IO, "could not lock the directory '%s'", folder);
}

/* ---- the run --------------------------------------------------------------------------------- */

static struct cli_dashboard dashboard_of(const json_t *flags)
{
	return (struct cli_dashboard){ .url = pl_json_get_text(flags, "--upload"),
				       .option = "--upload",
				       .token_file = pl_json_get_text(flags, "--token-file"),
				       .ca_file = pl_json_get_text(flags, "--ca-file") };
}

static struct cli_otlp otlp_of(const json_t *flags)
{
	return (struct cli_otlp){ .url = pl_json_get_text(flags, "--otlp"),
				  .headers_file = pl_json_get_text(flags, "--otlp-headers-file"),
				  .ca_file = pl_json_get_text(flags, "--otlp-ca-file") };
}

int cli_bench_check_flags(const json_t *flags, struct pl_err *err)
{
	const struct cli_dashboard dashboard = dashboard_of(flags);
	const struct cli_otlp otlp = otlp_of(flags);

	if (cli_otlp_check(&otlp, err) < 0 ||
	    cli_file_mode(pl_json_get_text(flags, "--file-mode"), err) < 0)
		return -1;
	if (dashboard.url == NULL && (dashboard.token_file != NULL || dashboard.ca_file != NULL ||
				      has_flag(flags, "--no-live")))
		return pl_err_invalid(err, "%s works only with --upload; add --upload URL",
				      dashboard.token_file != NULL ? "--token-file"
				      : dashboard.ca_file != NULL  ? "--ca-file"
								   : "--no-live");
	if (dashboard.url == NULL)
		return 0;
	if (pl_json_get_text(flags, "--output") == NULL)
		return pl_err_invalid(err, "--upload works only with --output; add --output FILE, "
					   "which keeps the result if the upload fails");
	return cli_dashboard_check(&dashboard, err);
}

int cli_bench_run(struct exp_config *experiment, const json_t *flags, enum res_fail_on fail_on)
{
	struct cli_dashboard dashboard = dashboard_of(flags);
	const char *output = pl_json_get_text(flags, "--output");
	auto_free char *path = pl_strdup(output);
	auto_free char *failures = NULL;
	auto_free char *written = NULL;
	char folder[PATH_MAX];
	auto_fd int info = -1;
	auto_json json_t *result = NULL;
	struct pl_err err = PL_ERR_INIT;
	int signal_number = 0;

	if (output == NULL) {
		if (make_place(folder, sizeof(folder), &info, &path, &err) < 0)
			return cli_fail(&err);
		/* artifacts would be removed with the directory */
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
	struct cli_live live = { 0 };
	if (dashboard.url != NULL && !has_flag(flags, "--no-live"))
		how.sink = cli_live_open(&dashboard, NULL, &live);
	int done = run_single(experiment, &how, &result, &signal_number, &err);
	if (dashboard.url != NULL)
		cli_upload_prepare(written, &dashboard);
	if (done < 0)
		done = cli_fail(&err);
	/* a result that could not be written is still shown */
	if (result != NULL &&
	    print_result(experiment, flags, result, output != NULL ? written : NULL, failures) != 0)
		done = pl_err_exit_status(PL_ERR_IO);
	if (output == NULL) {
		unlink(path);
		/* any other file in it is worth keeping, and then the directory stays */
		rmdir(folder);
	}
	if (result != NULL && done == 0)
		done = res_exit_status_of(result, fail_on, signal_number);
	cli_live_close(&live, result, done);
	const struct cli_otlp otlp = otlp_of(flags);
	cli_otlp_send(&otlp, result);
	if (result == NULL)
		return done;
	return dashboard.url != NULL ? cli_upload_result(written, &dashboard, done) : done;
}
