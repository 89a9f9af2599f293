/* `profllm sweep run`: shows or runs the combinations of a file. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/dashboard.h"
#include "cli/live.h"
#include "cli/otlp.h"
#include "cli/sweep_file.h"
#include "cli/sweep_vllm.h"
#include "result/report.h"
#include "run/target.h"
#include "sweep/brief.h"
#include "sweep/sweep.h"
#include "upload/sweep.h"
#include "upload/upload.h"

#define REPORT_BYTES_MAX (256u << 20)
#define REPEATS_MAX      1000
#define JOBS_MAX         1024

struct sweep_options {
	struct cli_sweep_options file;
	const char *file_mode;
	const char *output_dir;
	const char *order;
	const char *upload;
	const char *token_file;
	const char *ca_file;
	const char *jobs;
	struct cli_otlp otlp;
	struct pl_opt_list retry;
	struct pl_opt_list history;
	int64_t job_cpus;
	int64_t repeats;
	int64_t seed;
	int64_t wait_ns;
	bool resume;
	bool dry_run;
	bool json;
	bool brief;
	bool quiet;
	bool insecure;
	bool no_live;
};

#define AT(field) offsetof(struct sweep_options, field)

static const char *const retried[] = { "failed",  "launch_failed",  "timeout",
				       "partial", "client_limited", "degraded" };
static const char *const orders[] = { "fewest-starts", "interleaved", NULL };

static const struct pl_opt sweep_rows[] = {
	PL_OPT(TEXT, 'o', "output-dir", output_dir, "DIR",
	       "write results, summary and journal to DIR"),
	PL_OPT(FLAG, 0, "resume", resume, NULL,
	       "resume the sweep in DIR: keep finished runs, run new combinations, and mark "
	       "combinations that the file no longer contains"),
	PL_OPT(LIST, 0, "retry", retry, "STATUS",
	       "with --resume: retry runs with this status or verdict, such as failed, "
	       "launch_failed or client_limited; may be repeated"),
	PL_OPT(TEXT, 0, "order", order, "ORDER",
	       "fewest-starts: send all loads to one server before the next one starts; "
	       "interleaved: shuffle servers and loads within each repeat",
	       .choices = orders, .def = "fewest-starts"),
	PL_OPT(INT, 0, "repeats", repeats, "N", "run each combination N times", .def = "1"),
	PL_OPT(INT, 0, "seed", seed, "N", "set the seed of the shuffled order", .def = "0"),
	PL_OPT(TEXT, 'j', "jobs", jobs, "N",
	       "run N servers at once, each with its own GPUs and CPUs; auto: as many as the "
	       "GPUs allow",
	       .def = "1"),
	PL_OPT(INT, 0, "job-cpus", job_cpus, "N",
	       "reserve at least N CPUs for each server and its load; if CPUs are short, fewer "
	       "servers run at once; 0: share all CPUs",
	       .def = "2"),
	PL_OPT(DURATION, 0, "wait", wait_ns, "TIME",
	       "wait up to TIME until the GPUs and the port are free", .optional = true,
	       .def = "60s"),
	PL_OPT(TEXT, 0, "upload", upload, "URL",
	       "show each run on the dashboard at URL while it lasts, then send its result; "
	       "retry failed uploads at the end and with --resume"),
	PL_OPT(FLAG, 0, "no-live", no_live, NULL,
	       "send nothing of a run to the dashboard of --upload before its end"),
	PL_OPT(TEXT, 0, "token-file", token_file, "FILE",
	       "send the token in FILE to the dashboard of --upload"),
	PL_OPT(LIST, 0, "history", history, "SOURCE",
	       "estimate the duration from earlier results: a directory, a result or the URL "
	       "of a dashboard; may be repeated"),
	PL_OPT(TEXT, 0, "file-mode", file_mode, "MODE",
	       "set the permissions of the results and their artifacts, such as 0640 "
	       "(default: 0600 for logs, the umask for other files)"),
	PL_OPT(TEXT, 0, "ca-file", ca_file, "FILE",
	       "trust the certificates in FILE (PEM) for a dashboard instead of the system's"),
	PL_OPT(FLAG, 0, "insecure", insecure, NULL, "accept any TLS certificate of a dashboard"),
	PL_OPT(TEXT, 0, "otlp", otlp.url, "URL",
	       "send the metrics of each result to the OpenTelemetry collector at URL (OTLP/HTTP "
	       "with JSON)"),
	PL_OPT(TEXT, 0, "otlp-headers-file", otlp.headers_file, "FILE",
	       "send the headers in FILE, one NAME: VALUE per line, to --otlp (default: "
	       "$OTEL_EXPORTER_OTLP_HEADERS)"),
	PL_OPT(TEXT, 0, "otlp-ca-file", otlp.ca_file, "FILE",
	       "trust the certificates in FILE (PEM) for --otlp instead of the system's"),
	PL_OPT(FLAG, 'q', "quiet", quiet, NULL, "print no line per run"),
	PL_OPT(FLAG, 0, "dry-run", dry_run, NULL,
	       "show the servers, the runs and the skipped combinations, and start nothing"),
	PL_OPT(FLAG, 0, "json", json, NULL, "print one JSON object"),
	PL_OPT(FLAG, 0, "brief", brief, NULL,
	       "print one short JSON object: each combination with its verdict, runs and a few "
	       "metrics with their intervals"),
	PL_OPT(LIST, 0, "only", file.only, "SET",
	       "run only the set SET of the file; may be repeated"),
	PL_OPT(TEXT, 0, "hardware", file.hardware, "PROFILE",
	       "check against these GPUs instead of this host's, such as h100x8"),
	PL_OPT(FLAG, 0, "sim", file.simulate, NULL,
	       "start the simulator profllm-sim as the server"),
	PL_OPT(TEXT, 0, "params-overlay", file.overlay, "FILE", CLI_HELP_PARAMS_OVERLAY),
	PL_OPT(FLAG, 0, "allow-removed", file.allow_removed, NULL, CLI_HELP_ALLOW_REMOVED),
	PL_OPT(FLAG, 0, "allow-gone", file.allow_removed, NULL, "former name of --allow-removed",
	       .hidden = true),
	{ .name = NULL },
};

static const char *const actions[] = { "run",       "serve",   "serve_workload",
				       "serve_sla", "startup", NULL };

const struct pl_opt_command cli_sweep_command = {
	.name = "profllm sweep",
	.usage = "run --output-dir DIR [options] FILE\nrun --dry-run [options] FILE\n"
		 "serve|serve_workload|serve_sla|startup [options]",
	.summary = "Run every combination of the values in one experiment file.",
	.details =
		"The section 'sweep' of FILE lists the values of each key "
		"(docs/reference/sweeps.md). Combinations that break a rule are skipped before "
		"anything starts. Runs with the same server configuration share a server, and "
		"its caches are cleared between them. The results are DIR/cells/ID.json, "
		"DIR/summary.json and DIR/summary.csv. To continue a stopped sweep, use "
		"--resume.\n\n"
		"'profllm sweep serve', 'serve_workload', 'serve_sla' and 'startup' run the sweeps "
		"of vllm bench sweep. Each has its own options and --help.\n\n"
		"Examples:\n"
		"  profllm sweep run --dry-run --hardware h100x8 sweep.yaml\n"
		"  profllm sweep run --dry-run --history http://127.0.0.1:8421 sweep.yaml\n"
		"  profllm sweep run -o night sweep.yaml\n"
		"  profllm sweep run -o night --resume --retry launch_failed sweep.yaml\n"
		"  profllm sweep run -o night --jobs auto sweep.yaml\n"
		"  profllm sweep run -o try --sim --only quick "
		"configs/examples/sweeps/concurrency.yaml\n\n"
		"Exit status: 0 all runs completed, 1 runs failed or are partial, or the URL "
		"of --history is not a dashboard, 2 invalid usage or input, or no combination can "
		"run, 5 GPU, port or directory in use, 8 all runs completed, but a result was not "
		"uploaded, 128 + N interrupted by signal N.",
	.options = sweep_rows,
	.words = actions,
	.operand = "FILE",
	.parts = cli_sweep_vllm_commands,
};

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* Adds one line per server configuration, in the order of the file. */
static void add_servers(const struct sweep_plan *plan, struct pl_buf *buf)
{
	auto_json json_t *runs = json_object();

	for (size_t i = 0; i < plan->count; i++) {
		const struct sweep_cell *cell = &plan->cells[i];
		int64_t count = pl_json_get_i64(runs, cell->server);
		if (!cell->falls_out)
			json_object_set_new(runs, cell->server, json_integer(count + 1));
	}
	for (size_t i = 0; i < plan->count; i++) {
		const struct sweep_cell *cell = &plan->cells[i];
		int64_t count = pl_json_get_i64(runs, cell->server);
		if (cell->falls_out || count == 0)
			continue;
		pl_buf_addf(buf, "  server %s, %lld run%s:", cell->server, (long long)count,
			    plural((size_t)count));
		/* Adds the part of the label that the cells of one server configuration share: the server's keys. */
		size_t before = buf->len;
		PL_JSON_EACH_MEMBER(key, value, cell->cell->point) {
			auto_free char *text = pl_json_to_plain(value);
			if (pl_text_starts(key, "server."))
				pl_buf_addf(buf, " %s=%s", key + strlen("server."), text);
			else if (pl_text_starts(key, "launch."))
				pl_buf_addf(buf, " %s=%s", key, text);
		}
		if (buf->len == before)
			pl_buf_add_text(buf, " as in the file");
		pl_buf_add_char(buf, '\n');
		json_object_set_new(runs, cell->server, json_integer(0));
	}
}

static void add_people_form(const struct cli_sweep *sweep, struct pl_buf *buf)
{
	const struct sweep_plan *plan = &sweep->plan;
	size_t runs = plan->count - plan->fallen;

	pl_buf_addf(buf, "%s: %zu run%s on %zu server configuration%s\n", sweep->sweep->source,
		    runs, plural(runs), plan->servers, plural(plan->servers));
	add_servers(plan, buf);
	if (sweep->sweep->left_out > 0)
		pl_buf_addf(buf, "excluded by conditions: %zu\n", sweep->sweep->left_out);
	if (sweep->sweep->merged > 0)
		pl_buf_addf(buf, "duplicates: %zu\n", sweep->sweep->merged);
	if (plan->fallen > 0)
		pl_buf_addf(buf, "skipped: %zu\n", plan->fallen);
	cli_sweep_add_fallen(sweep, buf);
}

/* Based on finished runs in the directory; null: unknown. */
static json_t *forecast_json(const struct sweep_forecast *forecast)
{
	if (forecast->known == 0)
		return json_null();
	return json_pack("{s:I, s:I, s:f, s:f, s:f, s:I, s:I}", "runs", (json_int_t)forecast->runs,
			 "starts", (json_int_t)forecast->starts, "start_s", forecast->start_s,
			 "run_s", forecast->run_s, "total_s", forecast->total_s, "known",
			 (json_int_t)forecast->known, "at_once", (json_int_t)forecast->at_once);
}

static void add_forecast(const struct sweep_forecast *forecast, struct pl_buf *buf)
{
	char start[32], run[32], total[32];

	pl_buf_addf(buf, "remaining: %zu run%s, %zu server start%s", forecast->runs,
		    plural(forecast->runs), forecast->starts, plural(forecast->starts));
	if (forecast->runs == 0) {
		pl_buf_add_char(buf, '\n');
		return;
	}
	if (forecast->known == 0) {
		pl_buf_add_text(buf, "; the duration is unknown until the first run finishes\n");
		return;
	}
	pl_text_from_duration((int64_t)(forecast->start_s * 1e9), start, sizeof(start));
	pl_text_from_duration((int64_t)(forecast->run_s * 1e9), run, sizeof(run));
	pl_text_from_duration((int64_t)(forecast->total_s * 1e9), total, sizeof(total));
	pl_buf_addf(buf, ", about %s (%s per start, %s per run: medians of %zu", total, start, run,
		    forecast->known);
	if (forecast->at_once > 1)
		pl_buf_addf(buf, "; %zu servers at a time", forecast->at_once);
	pl_buf_add_text(buf, ")\n");
}

static json_t *dry_run_json(const struct cli_sweep *sweep, const struct sweep_forecast *forecast)
{
	const struct sweep_plan *plan = &sweep->plan;

	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "source", sweep->sweep->source,
			 "servers", (json_int_t)plan->servers, "runs",
			 (json_int_t)(plan->count - plan->fallen), "excluded",
			 (json_int_t)sweep->sweep->left_out, "merged",
			 (json_int_t)sweep->sweep->merged, "combinations",
			 cli_sweep_cells_json(sweep, false), "skipped",
			 cli_sweep_cells_json(sweep, true), "forecast", forecast_json(forecast));
}

static int dry_run(const struct cli_sweep *sweep, const struct sweep_settings *settings,
		   bool as_json)
{
	const struct sweep_plan *plan = &sweep->plan;
	auto_buf text = PL_BUF(REPORT_BYTES_MAX);
	struct sweep_forecast forecast;
	struct pl_err err = PL_ERR_INIT;
	int printed;

	if (sweep_forecast(plan, settings, &forecast, &err) < 0)
		return cli_fail(&err);
	if (as_json) {
		auto_json json_t *report = dry_run_json(sweep, &forecast);
		printed = cli_print_json(report);
	} else {
		add_people_form(sweep, &text);
		add_forecast(&forecast, &text);
		printed = cli_print(pl_buf_text(&text));
	}
	if (printed != 0 || plan->fallen < plan->count)
		return printed;
	return cli_refuse("every combination of '%s' is skipped", sweep->sweep->source);
}

/* ---- running ---- */

/* The dashboard that gets every result. */
struct receiver {
	struct run_target target;
	const char *url;
	struct cli_live live; /* of the current run of the process */
	const struct cli_otlp *otlp;
	/* In memory that the workers share: it did not respond the last time. */
	atomic_bool *is_silent;
};

/* A dashboard that is silent would delay each run: whatever it does not take is sent at the end or by --resume. */
#define SUMMARY_NS (5 * PL_NS_PER_S)
#define SILENT_NS  (2 * PL_NS_PER_S)

static const struct run_sink *begin_live(void *user, const struct run_point *point)
{
	struct receiver *receiver = user;

	return cli_live_begin(&receiver->target, receiver->url, point, &receiver->live);
}

static void end_live(void *user, const json_t *result)
{
	struct receiver *receiver = user;

	cli_live_close(&receiver->live, result,
		       result != NULL ? res_exit_status_of(result, RES_FAIL_ON_NOTHING, 0)
				      : pl_err_exit_status(PL_ERR_FAILED));
}

/* The first failure is reported; TIMEOUT: it is a later one. */
static int send_result(void *user, const char *path, struct pl_err *err)
{
	const struct receiver *receiver = user;
	bool was_silent = atomic_load(receiver->is_silent);
	auto_free char *name = pl_file_name(path);
	struct upload_file file = { .path = path, .name = name };
	struct upload upload = { .target = &receiver->target,
				 .files = &file,
				 .count = 1,
				 .wait_ns = UPLOAD_WAIT_NS,
				 .answer_first_ns = was_silent ? SILENT_NS : 0 };

	upload_all(&upload);
	enum pl_err_code code = upload_code(&upload);
	auto_free char *fault = upload_fault(&upload);
	bool is_silent = code == PL_ERR_NETWORK && !upload.is_reached;
	upload_done(&upload);
	atomic_store(receiver->is_silent, is_silent);
	if (code == PL_ERR_NONE)
		return 0;
	return pl_err_set(err, is_silent && was_silent ? PL_ERR_TIMEOUT : code, "%s",
			  fault != NULL ? fault : "no response");
}

static int send_summary(void *user, const char *path, struct pl_err *err)
{
	const struct receiver *receiver = user;
	int64_t wait_ns = atomic_load(receiver->is_silent) ? SILENT_NS : SUMMARY_NS;

	if (upload_sweep(&receiver->target, path, wait_ns, err) == 0)
		return 0;
	if (err->code == PL_ERR_TIMEOUT)
		atomic_store(receiver->is_silent, true);
	return -1;
}

/* A failure is a warning. */
static void export_result(void *user, const char *path)
{
	const struct receiver *receiver = user;
	auto_json json_t *result = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (pl_json_read_file(path, &result, &err) < 0)
		pl_log(PL_LOG_WARNING, "could not send the metrics to --otlp: %s", err.text);
	else
		cli_otlp_send(receiver->otlp, result);
}

static int open_dashboard(const struct sweep_options *options, struct run_target *ret,
			  struct pl_err *err)
{
	struct cli_dashboard dashboard = { .url = options->upload,
					   .option = "--upload",
					   .token_file = options->token_file,
					   .ca_file = options->ca_file,
					   .insecure = options->insecure,
					   .takes_insecure = true };

	return options->upload != NULL ? cli_dashboard_open(&dashboard, ret, err) : 0;
}

static int print_brief(const struct sweep_options *options, const struct sweep_outcome *outcome,
		       size_t skipped)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_json json_t *answer = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (sweep_brief(fields, options->output_dir, outcome, skipped, &answer, &err) < 0)
		return cli_fail(&err);
	return cli_print_json(answer);
}

static int print_outcome(const struct sweep_options *options, const struct sweep_outcome *outcome,
			 size_t skipped)
{
	auto_buf text = PL_BUF(REPORT_BYTES_MAX);

	if (options->brief)
		return print_brief(options, outcome, skipped);
	if (options->json) {
		auto_json json_t *report = json_pack(
			"{s:I, s:I, s:I, s:I, s:I, s:s}", "runs", (json_int_t)outcome->runs,
			"finished", (json_int_t)outcome->over, "failed",
			(json_int_t)outcome->failed, "partial", (json_int_t)outcome->partial,
			"not_uploaded", (json_int_t)outcome->not_sent, "folder",
			options->output_dir);
		return cli_print_json(report);
	}
	pl_buf_addf(&text, "%zu of %zu runs finished, %zu failed, %zu partial: %s/summary.csv\n",
		    outcome->over, outcome->runs, outcome->failed, outcome->partial,
		    options->output_dir);
	if (outcome->not_sent > 0)
		pl_buf_addf(&text,
			    "%zu were not uploaded; use --resume, or profllm upload %s --to %s\n",
			    outcome->not_sent, options->output_dir, options->upload);
	return cli_print(pl_buf_text(&text));
}

static int run(const struct sweep_options *options, const struct cli_sweep *file,
	       struct sweep_settings *settings)
{
	struct sweep_outcome outcome;
	struct receiver receiver = { .url = options->upload, .otlp = &options->otlp };
	void *shared = mmap(NULL, sizeof(*receiver.is_silent), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct pl_err err = PL_ERR_INIT;
	auto_buf fallen = PL_BUF(REPORT_BYTES_MAX);

	if (shared == MAP_FAILED) {
		pl_err_errno(&err, "could not share memory with workers");
		return cli_fail(&err);
	}
	receiver.is_silent = shared;
	if (file->plan.fallen == file->plan.count)
		return cli_refuse("every combination of '%s' is skipped", file->sweep->source);
	if (open_dashboard(options, &receiver.target, &err) < 0) {
		run_target_done(&receiver.target);
		return cli_fail(&err);
	}
	if (file->plan.fallen > 0)
		pl_buf_addf(&fallen, "skipped: %zu\n", file->plan.fallen);
	cli_sweep_add_fallen(file, &fallen);
	fputs(pl_buf_text(&fallen), stderr);
	if (options->upload != NULL) {
		settings->send = send_result;
		settings->send_summary = send_summary;
	}
	if (options->upload != NULL && !options->no_live) {
		settings->begin_live = begin_live;
		settings->end_live = end_live;
	}
	if (options->otlp.url != NULL)
		settings->export_result = export_result;
	settings->user = &receiver;
	int done = sweep_run(&file->plan, settings, &outcome, &err);
	run_target_done(&receiver.target);
	if (done < 0)
		return cli_fail(&err);
	int printed = print_outcome(options, &outcome, file->plan.fallen);
	if (outcome.signal != 0)
		return 128 + outcome.signal;
	if (outcome.failed + outcome.partial > 0 || outcome.over < outcome.runs)
		return pl_err_exit_status(PL_ERR_FAILED);
	if (outcome.not_sent > 0)
		return pl_err_exit_status(PL_ERR_NOT_UPLOADED);
	return printed;
}

/* ---- the command ---- */

static int check_usage(const struct sweep_options *options, const struct pl_words *words)
{
	if (words->count == 0)
		return cli_refuse("expected run, serve, serve_workload, serve_sla or startup");
	if (strcmp(words->items[0], "run") != 0)
		return cli_refuse("unknown action '%s', expected run, serve, serve_workload, "
				  "serve_sla or startup",
				  words->items[0]);
	if (words->count != 2)
		return cli_refuse("expected one FILE");
	if (options->output_dir == NULL && !options->dry_run)
		return cli_refuse(
			"--output-dir DIR is missing; use --dry-run to only show the plan");
	if (options->brief && (options->json || options->dry_run))
		return cli_refuse("--brief and %s exclude each other",
				  options->json ? "--json" : "--dry-run");
	if (options->no_live && options->upload == NULL)
		return cli_refuse("--no-live works only with --upload; add --upload URL");
	if (options->retry.count > 0 && !options->resume && !options->dry_run)
		return cli_refuse("--retry works only with --resume; add --resume");
	for (size_t i = 0; i < options->retry.count; i++) {
		if (!PL_TEXT_IS_ONE_OF(options->retry.items[i], retried))
			return cli_refuse("--retry: found '%s', expected failed, launch_failed, "
					  "timeout, partial, client_limited or degraded",
					  options->retry.items[i]);
	}
	if (options->repeats < 1 || options->repeats > REPEATS_MAX)
		return cli_refuse("--repeats: found %lld, expected 1 to %d",
				  (long long)options->repeats, REPEATS_MAX);
	if (options->job_cpus < 0 || options->job_cpus > JOBS_MAX)
		return cli_refuse("--job-cpus: found %lld, expected 0 to %d",
				  (long long)options->job_cpus, JOBS_MAX);
	if (options->seed < 0)
		return cli_refuse("--seed: found %lld, expected at least 0",
				  (long long)options->seed);
	if (options->wait_ns < 0)
		return cli_refuse("--wait: found a negative time, expected at least 0s");
	return 0;
}

/* "auto" is 0, as in the settings. */
static int read_jobs(const char *text, int64_t *ret)
{
	*ret = 0;
	if (text == NULL)
		*ret = 1;
	else if (strcmp(text, "auto") != 0 &&
		 (!pl_text_to_i64(text, ret) || *ret < 1 || *ret > JOBS_MAX))
		return cli_refuse("--jobs: found '%s', expected auto or 1 to %d", text, JOBS_MAX);
	return 0;
}

/* Returns 0, or the exit status after reporting the error. NULL: not requested. */
static int read_history(const struct sweep_options *options, const struct cli_sweep *file,
			struct sweep_history **ret)
{
	const struct io_tls_trust trust = { .insecure = options->insecure,
					    .ca_file = options->ca_file,
					    .issuer_remedy = CLI_DASHBOARD_REMEDY };
	const struct cli_sweep_options *how = &options->file;
	struct pl_err err = PL_ERR_INIT;

	if (options->history.count == 0)
		return 0;
	*ret = sweep_history_new(&file->plan, how->hardware != NULL ? &file->hardware : NULL,
				 how->simulate);
	for (size_t i = 0; i < options->history.count; i++) {
		if (sweep_history_add(*ret, options->history.items[i], &trust, &err) < 0) {
			pl_err_wrap(&err, "--history %s", options->history.items[i]);
			return cli_fail(&err);
		}
	}
	sweep_history_settle(*ret);
	return 0;
}

static int sweep(const struct sweep_options *options, const struct pl_words *words)
{
	auto_cli_sweep file = { 0 };
	auto_sweep_history struct sweep_history *history = NULL;
	struct sweep_settings settings = {
		.folder = options->output_dir,
		.order = pl_text_equal(options->order, "interleaved") ? SWEEP_INTERLEAVED
								      : SWEEP_FEWEST_STARTS,
		.repeats = options->repeats,
		.seed = options->seed,
		.retry = options->retry.items,
		.retry_count = options->retry.count,
		.resume = options->resume,
		.quiet = options->quiet,
		.simulate = options->file.simulate,
		.wait_ns = options->wait_ns,
		.job_cpus = options->job_cpus,
	};
	struct pl_err err = PL_ERR_INIT;
	int status = check_usage(options, words);

	if (status == 0 && (cli_file_mode(options->file_mode, &err) < 0 ||
			    cli_otlp_check(&options->otlp, &err) < 0))
		status = cli_fail(&err);
	if (status == 0)
		status = read_jobs(options->jobs, &settings.jobs);
	if (status == 0)
		status = cli_sweep_open(words->items[1], &options->file, &file);
	if (status == 0)
		status = read_history(options, &file, &history);
	if (status != 0)
		return status;
	settings.history = history;
	if (options->file.hardware != NULL)
		settings.gpus = file.hardware.count;
	return options->dry_run ? dry_run(&file, &settings, options->json)
				: run(options, &file, &settings);
}

int cmd_sweep(int argc, char **argv)
{
	struct sweep_options options = { .repeats = 1, .job_cpus = 2, .wait_ns = 60 * PL_NS_PER_S };
	struct pl_words words;
	int status;

	if (argc > 1 && cli_sweep_is_vllms(argv[1]))
		return cli_sweep_vllm(argc - 1, argv + 1);
	if (pl_command_read(&cli_sweep_command, argc, argv, &options, &words, &status))
		status = sweep(&options, &words);
	pl_opt_list_done(&options.file.only);
	pl_opt_list_done(&options.retry);
	pl_opt_list_done(&options.history);
	return status;
}
