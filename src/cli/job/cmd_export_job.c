/* `profllm export-job`: the job of a cluster for an experiment. */
#include "cli/cli.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/log.h"
#include "cli/dashboard.h"
#include "cli/problems.h"
#include "cli/validate_input.h"
#include "option/secret.h"
#include "run/job/job.h"

#define OUTPUT_BYTES_MAX      (8u << 20)
#define OBJECT_NAME_BYTES_MAX 253
#define RUNNER                "profllm-runner:" PROFLLM_VERSION

struct export_options {
	struct run_job_options job;
	struct pl_opt_list sets;
	const char *output;
	bool kubernetes;
	bool slurm;
	bool overwrite;
	bool json;
};

#define AT(field) offsetof(struct export_options, field)

static const struct pl_opt export_rows[] = {
	PL_OPT(FLAG, 0, "kubernetes", kubernetes, NULL, "write a ConfigMap and a Job"),
	PL_OPT(FLAG, 0, "slurm", slurm, NULL, "write a script for sbatch"),
	PL_OPT(TEXT, 'o', "output", output, "FILE", "write to FILE (default: standard output)"),
	PL_OPT(FLAG, 0, "overwrite", overwrite, NULL, "replace an existing file"),
	PL_OPT(FLAG, 0, "json", json, NULL,
	       "print one JSON object with the path, the size and the warnings, or the job itself "
	       "without --output"),
	PL_OPT(LIST, 's', "set", sets, "KEY=VALUE", "override a key; may be repeated"),
	PL_OPT(TEXT, 0, "upload", job.upload, "URL",
	       "let the job send its result to the dashboard at URL"),
	PL_OPT(TEXT, 0, "token-file", job.token_file, "FILE",
	       "slurm: token of the dashboard, a file on the node"),
	PL_OPT(TEXT, 0, "time", job.time, "TIME", "slurm: time limit, such as 02:00:00"),
	PL_OPT(TEXT, 0, "partition", job.partition, "NAME", "slurm: partition"),
	PL_OPT(TEXT, 0, "image", job.image, "IMAGE",
	       "kubernetes: image of the server (default: launch.container.image)"),
	PL_OPT(TEXT, 0, "runner", job.runner, "IMAGE",
	       "kubernetes: image with profllm (default: " RUNNER ")"),
	PL_OPT(TEXT, 0, "secret", job.secret, "NAME",
	       "kubernetes: Secret with the key 'token' and the secret variables (default: "
	       "profllm, without a token)"),
	PL_OPT(TEXT, 0, "claim", job.claim, "NAME",
	       "kubernetes: PersistentVolumeClaim for the results"),
	{ .name = NULL },
};

const struct pl_opt_command cli_export_job_command = {
	.name = "profllm export-job",
	.usage = "FILE --kubernetes|--slurm [-o OUTPUT] [options]",
	.summary = "Write the job of a cluster that runs one experiment.",
	.details =
		"The experiment is checked as by 'profllm validate', and the job contains it. The "
		"number of GPUs comes from launch.gpus, or from the sizes of parallelism as for "
		"'profllm run'.\n\n"
		"With --kubernetes, the server is a sidecar of the Job, and profllm measures it in "
		"the same pod. An experiment with launch.url gets no sidecar. With --slurm, "
		"profllm "
		"starts the server on the node.\n\n"
		"Secrets are not part of the job. Kubernetes reads them from a Secret whose keys "
		"are the names of the variables; a script of Slurm takes them from the "
		"environment of sbatch.\n\n"
		"Examples:\n"
		"  profllm export-job e.yaml --slurm -o job.sh\n"
		"  profllm export-job e.yaml --kubernetes --claim results -o job.yaml\n\n"
		"Exit status: 0 written, 2 invalid experiment or usage.",
	.options = export_rows,
	.operand = "FILE",
};

/* A name in a manifest or a script stays one word. */
static const char *find_bad(const struct run_job_options *job)
{
	const char *const words[] = { job->image, job->runner, job->secret,
				      job->claim, job->time,   job->partition };

	for (size_t i = 0; i < PL_ARRAY_SIZE(words); i++) {
		const char *at = words[i] != NULL ? words[i] : "x";
		bool plain = *at != '\0' && *at != '-';
		for (; *at != '\0'; at++)
			plain = plain &&
				(isalnum((unsigned char)*at) || strchr("._-:/@,", *at) != NULL);
		if (!plain)
			return words[i];
	}
	return NULL;
}

/* A name of an object of Kubernetes: a subdomain of DNS. */
static bool is_object_name(const char *text)
{
	size_t len = strlen(text);
	bool valid = len > 0 && len <= OBJECT_NAME_BYTES_MAX && isalnum((unsigned char)text[0]) &&
		     isalnum((unsigned char)text[len - 1]);

	return valid && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-.") == len &&
	       strstr(text, "..") == NULL && strstr(text, ".-") == NULL &&
	       strstr(text, "-.") == NULL;
}

/* An option without an effect on this kind of job is a mistake. */
static int check_kind(const struct export_options *options, struct pl_err *err)
{
	const struct run_job_options *job = &options->job;
	const struct {
		const char *name;
		bool set;
		bool usable;
		const char *needed;
	} rows[] = {
		{ "--token-file", job->token_file != NULL, options->slurm, "--slurm" },
		{ "--time", job->time != NULL, options->slurm, "--slurm" },
		{ "--partition", job->partition != NULL, options->slurm, "--slurm" },
		{ "--image", job->image != NULL, options->kubernetes, "--kubernetes" },
		{ "--runner", strcmp(job->runner, RUNNER) != 0, options->kubernetes,
		  "--kubernetes" },
		{ "--secret", job->secret != NULL, options->kubernetes, "--kubernetes" },
		{ "--claim", job->claim != NULL, options->kubernetes, "--kubernetes" },
		{ "--token-file", job->token_file != NULL, job->upload != NULL, "--upload" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (rows[i].set && !rows[i].usable)
			return pl_err_invalid(err, "%s works only with %s", rows[i].name,
					      rows[i].needed);
	}
	return 0;
}

static int check_options(const struct export_options *options, struct pl_err *err)
{
	const struct run_job_options *job = &options->job;
	const struct cli_dashboard dashboard = { .url = job->upload, .option = "--upload" };
	const char *const names[] = { job->secret, job->claim };

	if (options->kubernetes == options->slurm)
		return pl_err_invalid(err, "expected one of --kubernetes and --slurm");
	if (find_bad(job) != NULL)
		return pl_err_invalid(err,
				      "found '%s', expected a name of letters, digits and ._-:/@,",
				      find_bad(job));
	if (check_kind(options, err) < 0)
		return -1;
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		if (names[i] != NULL && !is_object_name(names[i]))
			return pl_err_invalid(
				err,
				"%s: found '%s', expected a name of Kubernetes: at most %d "
				"lowercase letters, digits, '-' and '.'",
				i == 0 ? "--secret" : "--claim", names[i], OBJECT_NAME_BYTES_MAX);
	}
	/* every reader of a manifest or a script would read it */
	if (job->upload != NULL && option_secret_in_url(job->upload))
		return pl_err_invalid(
			err, "--upload: found a URL with a secret, expected %s for the token",
			options->slurm ? "--token-file" : "--secret");
	return job->upload != NULL ? cli_dashboard_check(&dashboard, err) : 0;
}

static int export_job(struct export_options *options, const char *path,
		      const struct vllm_catalog *catalog)
{
	struct exp_check_options how = { 0 };
	auto_input input = { .catalog = catalog };
	auto_buf text = PL_BUF(OUTPUT_BYTES_MAX);
	auto_json json_t *warnings = json_array();
	struct pl_err err = PL_ERR_INIT;

	cli_input_file(&input, path, options->sets.items, options->sets.count);
	cli_input_check(&input, &how);
	cli_print_problems(&input.problems);
	if (input.experiment == NULL || input.problems.errors > 0)
		return pl_err_exit_status(PL_ERR_INVALID);
	int done = (options->kubernetes ? run_job_kubernetes : run_job_slurm)(
		input.experiment, &options->job, &text, warnings, &err);
	if (done < 0)
		return cli_fail(&err);
	if (text.full)
		return cli_refuse("'%s' is too large for a job", path);
	PL_JSON_EACH(warning, warnings)
		pl_log(PL_LOG_WARNING, "%s", json_string_value(warning));
	const struct cli_file file = { .path = options->output,
				       .option = "--output",
				       .overwrite = options->overwrite };
	if (!options->json)
		return cli_write_or_print(&file, &text);
	return cli_write_json(&file, &text,
			      json_pack("{s:s, s:O}", "scheduler",
					options->slurm ? "slurm" : "kubernetes", "warnings",
					warnings));
}

int cmd_export_job(int argc, char **argv)
{
	struct export_options options = { .job = { .runner = RUNNER } };
	const struct vllm_catalog *catalog = NULL;
	struct pl_err err = PL_ERR_INIT;
	struct pl_words words;
	int status;

	if (!pl_command_read(&cli_export_job_command, argc, argv, &options, &words, &status))
		;
	else if (words.count != 1)
		status = cli_refuse("expected one FILE");
	else if (check_options(&options, &err) < 0)
		status = cli_fail(&err);
	else if (cli_catalog_open(NULL, &catalog, &err) < 0)
		status = cli_fail(&err);
	else
		status = export_job(&options, words.items[0], catalog);
	pl_opt_list_done(&options.sets);
	vllm_catalog_free(catalog);
	return status;
}
