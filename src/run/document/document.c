/*
 * Makes the document of the result, of a finished or a current run: the journal stores run_document_so_far() at each
 * stage, and `recover` starts from it. Both use the same functions, so a recovered result has the same keys.
 */
#include "run/document/document.h"
#include "run/container.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/redact.h"
#include "base/text.h"
#include "experiment/offline.h"
#include "host/cpus.h"
#include "host/lock/port.h"
#include "result/metrics/metrics.h"
#include "result/quality.h"
#include "run/artifacts.h"
#include "run/document/breakdown.h"
#include "run/document/facts.h"
#include "run/document/mismatches.h"
#include "run/document/offline.h"
#include "run/document/profiling.h"
#include "run/document/system.h"
#include "run/live.h"
#include "run/redact.h"
#include "run/repeat.h"
#include "run/run_priv.h"
#include "vllm/rules.h"

#define BYTES_PER_GB   1e9
#define BYTES_PER_GIB  1073741824.0
#define CPUS_BYTES_MAX 8192

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static void set_seconds(json_t *object, const char *key, int64_t from_ns, int64_t to_ns)
{
	if (from_ns != RES_NO_TIME && to_ns != RES_NO_TIME)
		set(object, key, json_real((double)(to_ns - from_ns) / 1e9));
}

static json_t *fixed_config(const struct run_state *run)
{
	const struct exp_config *experiment = run->context.experiment;
	json_t *source = NULL, *explicit_names = json_array();
	json_t *server = run_launch_server(run->launch, experiment, &source);
	json_t *benchmark = vllm_bench_to_json(&experiment->bench);

	PL_JSON_EACH_MEMBER(name, value, experiment->server)
		json_array_append_new(explicit_names, json_string(name));
	set(benchmark, "ignore_eos", json_boolean(run_plan_ignores_eos(&experiment->bench)));
	set(benchmark, "mode", pl_json_text(exp_offline_mode(experiment)));
	return json_pack("{s:o, s:o, s:o, s:O?, s:o, s:o}", "server", server, "server_source",
			 source, "server_explicit", explicit_names, "params_overlay",
			 vllm_catalog_overlaid(experiment->catalog), "benchmark", benchmark,
			 "experiment", exp_config_explicit(experiment));
}

void run_document_fix(const struct run_state *run, struct run_fixed *ret)
{
	run_fixed_done(ret);
	ret->host = host_system_facts();
	ret->config = fixed_config(run);
}

void run_fixed_done(struct run_fixed *fixed)
{
	json_decref(fixed->host);
	json_decref(fixed->config);
	*fixed = (struct run_fixed){ 0 };
}

/* Shares the unchanging parts, because parts of a document are never modified. */
static json_t *make_config(const struct run_state *run)
{
	json_t *config = json_copy(run->fixed.config);
	json_t *benchmark = json_copy(json_object_get(config, "benchmark"));

	set(benchmark, "endpoint", pl_json_text(run->route.endpoint));
	if (run->route.vllm_metrics != NULL)
		set(benchmark, "vllm_metrics", json_string(run->route.vllm_metrics));
	if (run->identity.model != NULL)
		set(benchmark, "model", json_string(run->identity.model));
	set(benchmark, "prompt_form",
	    pl_json_text(run->measured.plan != NULL ? run->measured.plan->dataset->prompt_form
						    : NULL));
	set(benchmark, "chat_template",
	    pl_json_text(run->measured.plan != NULL ? run->measured.plan->dataset->chat_template
						    : NULL));
	set(benchmark, "dataset_sha256",
	    pl_json_text(run->measured.plan != NULL ? run->measured.plan->sha256 : NULL));
	if (run->measured.plan != NULL)
		set(benchmark, "request_id_prefix", pl_json_text(run->measured.plan->id_prefix));
	set(config, "benchmark", benchmark);
	return config;
}

json_t *run_document_phases(const struct run_server *server)
{
	static const char *const names[HOST_LOG_PHASE_COUNT] = {
		[HOST_LOG_FIRST_LINE] = "first_line_s",
		[HOST_LOG_ENGINE_INIT] = "engine_init_s",
		[HOST_LOG_WEIGHTS_BEGIN] = "weights_begin_s",
		[HOST_LOG_WEIGHTS_END] = "weights_loaded_s",
		[HOST_LOG_COMPILED] = "compiled_s",
		[HOST_LOG_KV_CACHE] = "kv_cache_s",
		[HOST_LOG_GRAPHS] = "graph_capture_s",
		[HOST_LOG_ENGINE_READY] = "engine_ready_s",
		[HOST_LOG_LISTENING] = "listening_s",
	};
	json_t *phases = res_document_empty("phases");

	if (server->spawned_ns != RES_NO_TIME)
		json_object_set_new(phases, "begin_ns", json_integer(server->spawned_ns));
	set_seconds(phases, "spawn_s", server->spawned_ns, server->running_ns);
	for (size_t i = 0; server->log != NULL && i < HOST_LOG_PHASE_COUNT; i++) {
		int64_t at_ns = host_server_log_phase_ns(server->log, (enum host_log_phase)i);
		/* a timestamp in the log may have a resolution of one second */
		if (at_ns != INT64_MIN && at_ns < server->spawned_ns)
			at_ns = server->spawned_ns;
		if (at_ns != INT64_MIN)
			set_seconds(phases, names[i], server->spawned_ns, at_ns);
	}
	set_seconds(phases, "healthy_s", server->spawned_ns, server->healthy_ns);
	set_seconds(phases, "ready_s", server->spawned_ns, server->ready_ns);
	return phases;
}

/* For a server without a log of ours: uses its responses. */
static void add_reported_facts(const struct run_state *run, json_t *facts)
{
	const struct host_metrics *metrics = &run->measured.window.before.metrics;

	PL_JSON_EACH(model, json_object_get(run->identity.models, "data")) {
		json_t *longest = json_object_get(model, "max_model_len");
		if (pl_text_equal(pl_json_get_text(model, "id"), run->identity.model) &&
		    json_is_integer(longest) && json_integer_value(longest) >= 0)
			json_object_set(facts, "max_model_len", longest);
	}
	if (run->measured.window.before.known)
		set(facts, "kv_cache_tokens",
		    pl_json_count(metrics->kv_blocks * metrics->block_size));
}

static json_t *make_exit(const struct run_server *server)
{
	json_t *json = res_document_empty("server_exit");

	if (server->process == NULL || server->stays_up)
		return json;
	int signal_number = host_process_signal(server->process);
	int status = host_process_status(server->process);
	if (signal_number == 0)
		set(json, "status", status < 0 ? json_null() : json_integer(status));
	else
		set(json, "signal", json_integer(signal_number));
	set(json, "killed", json_boolean(server->killed));
	set(json, "stop_s", json_real((double)server->stop_ns / 1e9));
	return json;
}

static void set_neighbors(json_t *json, const struct run_live *live)
{
	auto_buf cpus = PL_BUF(CPUS_BYTES_MAX);

	if (live == NULL)
		return;
	set(json, "other_servers_max", json_integer(atomic_load(&live->concurrent_max)));
	if (!live->bound)
		return;
	host_cpus_text(&live->cpus, &cpus);
	set(json, "cpus", json_string(pl_buf_text(&cpus)));
}

const char *run_document_release(const struct run_state *run)
{
	bool says = pl_text_equal(run->identity.name, "vllm") &&
		    run->identity.engine_version != NULL;

	return says ? run->identity.engine_version : run->release.version;
}

static json_t *make_launch(const struct run_state *run)
{
	const struct run_launch *launch = run->launch;
	json_t *json = res_document_empty("launch");

	set(json, "url", pl_json_text(launch->url));
	if (launch->url == NULL) {
		set(json, "argv", run_launch_argv_shown(launch));
		set(json, "env", run_launch_env_shown(launch));
		set(json, "secret_env", json_incref(launch->secret_env));
		set(json, "host", pl_json_text(launch->host));
		const struct run_resources *resources = &launch->resources;
		if (resources->port.number != 0) {
			set(json, "port", json_integer(resources->port.number));
			set(json, "port_tries", json_integer(launch->port_tries));
		}
		if (resources->has_numa)
			set(json, "numa_node", json_integer(resources->numa.node));
		set(json, "waited_s", json_real((double)resources->waited_ns / 1e9));
		set(json, "forced", json_boolean(run->settings->forced));
	}
	set_neighbors(json, run->context.live);
	if (run->server.process != NULL)
		set(json, "pid", json_integer(host_process_pid(run->server.process)));
	json_t *gpus = json_array();
	PL_JSON_EACH(item, launch->gpus) {
		json_t *gpu = res_document_empty("launch_gpu");
		json_object_update_existing(gpu, item);
		json_array_append_new(gpus, gpu);
	}
	set(json, "gpus", gpus);
	json_t *target = json_object_get(json, "target");
	set(target, "version", json_string(run->release.version));
	set(target, "assumed", json_boolean(run->release.assumed));
	auto_free char *note = vllm_newer_note(run_document_release(run));
	if (note != NULL)
		set(target, "note", json_string(note));
	set(json, "phases", run_document_phases(&run->server));
	json_t *facts = res_document_empty("facts");
	if (run->server.log != NULL) {
		auto_json json_t *reported = host_server_log_facts(run->server.log);
		auto_json json_t *redacted = run_redact(reported);
		json_object_update_existing(facts, redacted);
	}
	if (run->measured.window.before.known) {
		set(facts, "gpu_blocks",
		    pl_json_count(run->measured.window.before.metrics.kv_blocks));
		set(facts, "block_size",
		    pl_json_count(run->measured.window.before.metrics.block_size));
	}
	if (run->launch->url != NULL)
		add_reported_facts(run, facts);
	set(json, "facts", facts);
	if (run->identity.models != NULL)
		set(json, "models", run_redact(run->identity.models));
	if (run->identity.version != NULL)
		set(json, "version", run_redact(run->identity.version));
	if (run->identity.server_info != NULL)
		set(json, "server_info", run_redact(run->identity.server_info));
	set(json, "exit", make_exit(&run->server));
	return json;
}

static json_t *make_environment(const struct run_state *run)
{
	json_t *json = res_document_empty("environment");
	json_t *engine = json_object_get(json, "engine");

	json_object_update_existing(json, run->fixed.host);
	set(json, "host_role",
	    json_string(run_system_has_server(run) ? "server_and_load_generator"
						   : "load_generator"));
	set(json, "profllm", json_string(PROFLLM_VERSION));
	const struct run_resources *resources = &run->launch->resources;
	if (resources->host_gpus != NULL)
		set(json, "gpu_models", json_incref(resources->host_gpus));
	set(json, "gpu_driver", pl_json_text(resources->driver));
	set(json, "cuda", pl_json_text(resources->cuda));
	set(json, "client",
	    run->client->environment != NULL ? run->client->environment(&run->measured)
					     : json_null());
	if (run->launch->container != NULL)
		set(json, "container",
		    run_container_to_json(run->context.experiment, run->launch->container));
	set(engine, "name", pl_json_text(run->identity.name));
	set(engine, "version", pl_json_text(run->identity.engine_version));
	if (run->identity.known)
		set(engine, "simulated", json_boolean(run->identity.simulated));
	json_t *repeat = run_repeat_section(run->context.experiment, json,
					    run->measured.plan != NULL ? run->measured.plan->sha256
								       : NULL);
	set(json, "repeat_of", pl_json_or_null(repeat));
	return json;
}

/* Returns NULL if nothing was measured. */
static json_t *make_results(const struct run_state *run, const struct res_how *how)
{
	if (run->measured.outcome == NULL && run->measured.figures == NULL)
		return NULL;
	json_t *results = run->measured.outcome != NULL
				  ? res_metrics_compute(run->measured.outcome, how)
				  : run_offline_unknown(how);
	/* these metrics need both records and telemetry */
	double tokens = pl_json_get_f64(results, "total_output_tokens");
	struct run_energy energy = run_telemetry_energy(&run->telemetry);
	set(results, "energy_per_token_j",
	    pl_json_number(tokens > 0 ? energy.total_j / tokens : NAN));
	set(results, "energy_per_token_idle_subtracted_j",
	    pl_json_number(tokens > 0 ? run_energy_known(energy.above_idle_j) / tokens : NAN));
	run->client->results(&run->measured, results);
	if (run->measured.outcome != NULL) {
		set(results, "latency_breakdown", run_breakdown(run, results));
		run_prefix_results(run, results);
	}
	run_offline_results(run, results);
	return results;
}

/* Returns the log line with the cause; if no line names it, the cause's alternative. */
static const char *find_log_line(const struct host_server_log *log, enum res_cause cause)
{
	const char *reported = host_server_log_cause_name(log);
	bool lives = cause == RES_CAUSE_READY_TIMEOUT || cause == RES_CAUSE_HANG;

	if (reported != NULL && (lives || res_cause_find(reported) == cause))
		return host_server_log_cause_quote(log);
	return lives || cause == RES_CAUSE_CRASHED || cause == RES_CAUSE_UNKNOWN
		       ? host_server_log_exception(log)
		       : NULL;
}

/* Returns the remedy that the log suggests for the cause; NULL: only that of the cause. */
static const char *find_hint(const struct host_server_log *log, enum res_cause cause)
{
	const char *reported = host_server_log_cause_name(log);

	return reported != NULL && res_cause_find(reported) == cause ? host_server_log_hint(log)
								     : NULL;
}

/*
 * Returns the process that the hint of the cause names; 0: none, or not visible. Never the server, which ends with the
 * run.
 */
static int64_t process_of(const struct run_state *run)
{
	uint16_t port = run->launch->resources.port.number;

	return run->ending.cause == RES_CAUSE_PORT_IN_USE && port != 0
		       ? host_port_listener_pid(port)
		       : 0;
}

/* with_log: false for the journal, because the log is a file next to it. */
static json_t *make_error(const struct run_state *run, bool with_log)
{
	auto_json json_t *tail = NULL;
	const char *line = NULL, *hint = NULL;

	if (run->ending.why.code == PL_ERR_NONE)
		return NULL;
	if (run->measured.log_tail != NULL && with_log) {
		tail = run_redact(run->measured.log_tail);
	} else if (run->server.log != NULL && with_log) {
		auto_json json_t *lines = host_server_log_tail(run->server.log);
		tail = run_redact(lines);
	}
	if (run->server.log != NULL) {
		line = find_log_line(run->server.log, run->ending.cause);
		hint = find_hint(run->server.log, run->ending.cause);
	}
	if (run->ending.cause == RES_CAUSE_NOT_EXECUTABLE &&
	    run_launch_lacks_simulator(run->launch))
		hint = "install the package profllm-sim, or copy profllm-sim to the directory of "
		       "profllm";
	json_t *error = res_error(run->ending.stage, &run->ending.why, run->ending.cause, hint,
				  run->context.experiment->voice, process_of(run), tail);
	if (line != NULL) {
		auto_json json_t *text = pl_json_text(line);
		set(error, "log_line", run_redact(text));
	}
	return error;
}

json_t *run_document_so_far(const struct run_state *run)
{
	auto_json json_t *secrets = run_redact_secrets();
	json_t *environment = make_environment(run);
	return json_pack(
		"{s:o?, s:o, s:o, s:O?, s:o, s:o, s:o, s:o, s:o}", "error", make_error(run, false),
		"suite", pl_json_text(run->context.experiment->suite), "name",
		pl_json_text(run->context.experiment->name), "tags", run->context.experiment->tags,
		"config", make_config(run), "launch", make_launch(run), "system",
		run_system(run, NULL, environment), "environment", environment, "prints",
		run_redact_prints(secrets, run->context.run_id));
}

int run_document(const struct run_state *run, json_t **ret, struct pl_err *err)
{
	const struct vllm_bench *bench = &run->context.experiment->bench;
	auto_how how = { 0 };
	struct res_quality_facts facts;
	auto_json json_t *artifacts = NULL;
	auto_json json_t *series = NULL;

	if (res_how_make(bench, run_plan_has_rate(bench), run_plan_ignores_eos(bench), &how, err) <
	    0)
		return -1;
	auto_json json_t *results = make_results(run, &how);
	if (run_artifacts(run, &artifacts, &series, err) < 0)
		return -1;
	auto_json json_t *mismatches = run_mismatches(run);
	run_facts(run, results, &how, mismatches, &facts);
	auto_json json_t *config = make_config(run);
	auto_json json_t *launch = make_launch(run);
	auto_json json_t *environment = make_environment(run);
	auto_json json_t *system = run_system(run, results, environment);
	auto_json json_t *profiling = run_profiling(run->measured.extras.profiled, config, launch,
						    getenv(RUN_PROFILER_DIR));
	run_profiling_add(&run->profile, run->launch, artifacts, profiling);
	auto_json json_t *quality = res_quality_evaluate(&facts);
	auto_json json_t *error = make_error(run, true);
	struct res_document_parts parts = {
		.run_id = run->context.run_id,
		.suite = run->context.experiment->suite,
		.name = run->context.experiment->name,
		.tags = run->context.experiment->tags,
		.started_real_ns = run->context.started_real_ns,
		.duration_s = (double)(pl_clock_now_ns() - run->context.started_ns) / 1e9,
		.config = config,
		.results = results,
		.system = system,
		.profiling = profiling,
		.status = run->ending.status,
		.launch = launch,
		.environment = environment,
		.quality = quality,
		.error = error,
		.artifacts = artifacts,
		.series = series,
	};
	auto_json json_t *document = NULL;
	if (res_document_build(&parts, &document, err) < 0)
		return -1;
	/* the last line of defense for everything that a server contributed */
	*ret = pl_redact_json(document, PL_REDACT_OURS);
	return 0;
}
