#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/text.h"
#include "bench/metrics.h"
#include "experiment/run_priv.h"
#include "model/quality.h"
#include "model/secret.h"
#include "model/server_args.h"

#define LOG_BYTES_MAX (8u << 20)
#define BYTES_PER_GB  1e9
#define BYTES_PER_GIB 1073741824.0

/* What results hold whatever was asked for. */
static const double percentiles_always[] = { 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9 };

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static void set_seconds(json_t *object, const char *key, int64_t from_ns, int64_t to_ns)
{
	if (from_ns != MD_NO_TIME && to_ns != MD_NO_TIME)
		set(object, key, json_real((double)(to_ns - from_ns) / 1e9));
}

/* A whole number, null where it is not known. */
static json_t *count_or_null(double value)
{
	return isfinite(value) ? json_integer((json_int_t)value) : json_null();
}

static json_t *make_config(const struct exp_run *run)
{
	auto_json json_t *effective = NULL;
	json_t *server = NULL, *source = NULL, *explicit_names = json_array();
	json_t *benchmark = md_bench_to_json(&run->experiment->bench);
	const char *name;
	json_t *value;

	md_args_effective(run->launch->values, &effective, &source);
	server = md_secret_json_shown(effective);
	json_object_foreach(run->experiment->server, name, value)
		json_array_append_new(explicit_names, json_string(name));
	set(benchmark, "ignore_eos", json_boolean(exp_plan_ignores_eos(&run->experiment->bench)));
	set(benchmark, "endpoint", pl_json_text(run->endpoint));
	if (run->model != NULL)
		set(benchmark, "model", json_string(run->model));
	set(benchmark, "prompt_form",
	    pl_json_text(run->plan != NULL ? run->plan->dataset->prompt_form : NULL));
	set(benchmark, "dataset_sha256",
	    pl_json_text(run->plan != NULL ? run->plan->sha256 : NULL));
	return json_pack("{s:o, s:o, s:o, s:o}", "server", server, "server_source", source,
			 "server_explicit", explicit_names, "benchmark", benchmark);
}

static json_t *make_phases(const struct exp_server *server)
{
	json_t *phases = md_result_empty("phases");

	set_seconds(phases, "spawn_s", server->spawned_ns, server->running_ns);
	set_seconds(phases, "weights_loaded_s", server->spawned_ns, server->weights_ns);
	set_seconds(phases, "graph_capture_s", server->spawned_ns, server->graphs_ns);
	set_seconds(phases, "healthy_s", server->spawned_ns, server->healthy_ns);
	set_seconds(phases, "ready_s", server->spawned_ns, server->ready_ns);
	return phases;
}

static json_t *make_facts(const struct exp_run *run, const char *log_text, size_t log_len)
{
	json_t *facts = md_result_empty("facts");
	struct host_server_log log;

	host_server_log_parse(log_text, log_len, &log);
	set(facts, "kv_cache_tokens", count_or_null(log.kv_cache_tokens));
	set(facts, "kv_cache_gb", pl_json_number(log.kv_cache_gib * BYTES_PER_GIB / BYTES_PER_GB));
	set(facts, "max_concurrency", pl_json_number(log.kv_cache_concurrency));
	set(facts, "weights_gb", pl_json_number(log.weights_gib * BYTES_PER_GIB / BYTES_PER_GB));
	set(facts, "weights_load_s", pl_json_number(log.weights_s));
	set(facts, "graph_capture_s", pl_json_number(log.graphs_s));
	if (run->window.before.known) {
		set(facts, "gpu_blocks", count_or_null(run->window.before.metrics.kv_blocks));
		set(facts, "block_size", count_or_null(run->window.before.metrics.block_size));
	}
	return facts;
}

static json_t *make_exit(const struct exp_server *server)
{
	json_t *json = md_result_empty("server_exit");

	if (server->process == NULL)
		return json;
	int signal_number = host_process_signal(server->process);
	if (signal_number == 0)
		set(json, "status", json_integer(host_process_status(server->process)));
	else
		set(json, "signal", json_integer(signal_number));
	set(json, "killed", json_boolean(server->killed));
	set(json, "stop_s", json_real((double)server->stop_ns / 1e9));
	return json;
}

static json_t *make_gpus(const struct exp_launch *launch)
{
	json_t *gpus = json_array();
	size_t i;
	json_t *item;

	json_array_foreach(launch->gpus, i, item)
	{
		json_t *gpu = md_result_empty("launch_gpu");
		json_object_set(gpu, json_is_string(item) ? "uuid" : "index", item);
		json_array_append_new(gpus, gpu);
	}
	return gpus;
}

static json_t *make_launch(const struct exp_run *run, const char *log_text, size_t log_len)
{
	const struct exp_launch *launch = run->launch;
	json_t *json = md_result_empty("launch");

	set(json, "url", pl_json_text(launch->url));
	if (launch->url == NULL) {
		set(json, "argv", exp_launch_argv_shown(launch));
		set(json, "env", exp_launch_env_shown(launch));
		set(json, "secret_env", json_incref(launch->secret_env));
		set(json, "host", pl_json_text(launch->host));
		set(json, "port", launch->port != 0 ? json_integer(launch->port) : json_null());
		set(json, "forced", json_boolean(run->options->forced));
	}
	if (run->server.process != NULL)
		set(json, "pid", json_integer(host_process_pid(run->server.process)));
	set(json, "gpus", make_gpus(launch));
	json_t *target = json_object_get(json, "target");
	set(target, "version", json_string(run->release.version));
	set(target, "assumed", json_boolean(run->release.assumed));
	set(json, "phases", make_phases(&run->server));
	set(json, "facts", make_facts(run, log_text, log_len));
	if (run->identity.models != NULL)
		set(json, "models", json_incref(run->identity.models));
	if (run->identity.version != NULL)
		set(json, "version", json_incref(run->identity.version));
	set(json, "exit", make_exit(&run->server));
	return json;
}

static json_t *make_environment(const struct exp_run *run)
{
	json_t *json = md_result_empty("environment");
	auto_json json_t *facts = host_system_facts();
	json_t *engine = json_object_get(json, "engine");

	json_object_update_existing(json, facts);
	set(json, "profllm", json_string(PROFLLM_VERSION));
	set(engine, "name", pl_json_text(run->identity.name));
	set(engine, "version", pl_json_text(run->identity.engine_version));
	if (run->identity.known)
		set(engine, "simulated", json_boolean(run->identity.simulated));
	return json;
}

static json_t *make_client(const struct exp_run *run, const json_t *results)
{
	const struct exp_window *window = &run->window;
	const struct bench_outcome *outcome = run->outcome;
	json_t *client = md_result_empty("client_usage");
	double tokens = json_number_value(json_object_get(results, "total_output_tokens"));
	struct rusage usage;

	if (outcome == NULL)
		return client;
	getrusage(RUSAGE_SELF, &usage);
	set(client, "cpu_s", json_real((double)window->cpu_ns / 1e9));
	set(client, "worker_cpu_share_max", pl_json_number(outcome->worker_cpu_share_max));
	set(client, "cpu_us_per_token",
	    pl_json_number(tokens > 0 ? (double)window->cpu_ns / 1e3 / tokens : NAN));
	set(client, "memory_peak_bytes", json_integer((json_int_t)usage.ru_maxrss * 1024));
	set(client, "threads", json_integer(run->experiment->bench.threads));
	set(client, "realtime", json_boolean(outcome->realtime_granted));
	set(client, "connections", json_integer((json_int_t)outcome->connections));
	set(client, "involuntary_switches", json_integer(window->involuntary_switches));
	return client;
}

static json_t *make_system(const struct exp_run *run, const json_t *results,
			   const json_t *environment)
{
	json_t *json = md_result_empty("system");
	json_t *hardware = md_result_empty("hardware");
	json_t *memory = json_object_get(environment, "memory_bytes");

	set(hardware, "cpu", json_incref(json_object_get(environment, "cpu")));
	set(hardware, "cpu_count", json_incref(json_object_get(environment, "cpu_count")));
	if (json_is_integer(memory))
		set(hardware, "memory_gb",
		    json_real((double)json_integer_value(memory) / BYTES_PER_GB));
	set(json, "hardware_info", hardware);
	if (run->outcome != NULL)
		set(json_object_get(json, "host"), "steal_share",
		    pl_json_number(run->window.stolen_share));
	set(json, "client", make_client(run, results));
	return json;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The ten that are always there and those asked for, ascending and each once. */
static int all_percentiles(const struct md_bench *bench, double **ret, size_t *ret_count,
			   struct pl_err *err)
{
	auto_free double *asked = NULL;
	size_t asked_count = 0, count = PL_ARRAY_SIZE(percentiles_always);

	if (bench_percentiles_parse(bench->metric_percentiles, &asked, &asked_count, err) < 0)
		return -1;
	double *all = pl_alloc_array(count + asked_count, sizeof(*all));
	memcpy(all, percentiles_always, sizeof(percentiles_always));
	if (asked_count > 0)
		memcpy(all + count, asked, asked_count * sizeof(*all));
	qsort(all, count + asked_count, sizeof(*all), by_value);
	size_t used = 0;
	for (size_t i = 0; i < count + asked_count; i++) {
		if (used == 0 || all[i] > all[used - 1])
			all[used++] = all[i];
	}
	*ret = all;
	*ret_count = used;
	return 0;
}

static int make_results(const struct exp_run *run, const double *percentiles,
			size_t percentile_count, json_t **ret, struct pl_err *err)
{
	const struct md_bench *bench = &run->experiment->bench;
	struct bench_metrics_input input = {
		.percentiles = percentiles,
		.percentile_count = percentile_count,
		.max_concurrency = bench->max_concurrency,
		.finite_rate = exp_plan_has_rate(bench),
	};

	*ret = NULL;
	if (run->outcome == NULL)
		return 0;
	if (bench_slo_parse(bench->goodput, &input.slo, err) < 0)
		return -1;
	input.records = run->outcome->records;
	input.count = run->outcome->count;
	input.start_ns = run->outcome->start_ns;
	input.duration_s = (double)(run->outcome->end_ns - run->outcome->start_ns) / 1e9;
	input.inflight_peak = run->outcome->inflight_peak;
	*ret = bench_metrics_compute(&input);
	return 0;
}

static json_t *log_lines(const struct exp_run *run, const char *text, size_t len)
{
	if (run->server.process == NULL)
		return NULL;
	auto_free char *tail = host_server_log_tail(
		text, len, (size_t)run->experiment->output.server_log_tail);
	json_t *lines = json_array();

	for (char *rest = tail, *line; (line = strsep(&rest, "\n")) != NULL;) {
		if (rest == NULL && line[0] == '\0')
			break;
		/* bytes that are no UTF-8 cannot stand in JSON */
		for (char *at = line; json_array_append_new(lines, json_string(line)) < 0; at++) {
			while (*at != '\0' && !((unsigned char)*at & 0x80))
				at++;
			if (*at == '\0')
				break;
			*at = '?';
		}
	}
	return lines;
}

static json_t *make_error(const struct exp_run *run, const char *log_text, size_t log_len)
{
	if (run->why.code == PL_ERR_NONE)
		return NULL;
	auto_json json_t *tail = log_lines(run, log_text, log_len);
	return md_result_error(run->stage, &run->why, run->cause, tail);
}

int exp_document(const struct exp_run *run, json_t **ret, struct pl_err *err)
{
	auto_free char *log_text = NULL;
	auto_free double *percentiles = NULL;
	size_t log_len = 0, percentile_count = 0;
	struct pl_err ignored = PL_ERR_INIT;
	struct md_quality_facts facts;
	auto_json json_t *results = NULL;
	auto_json json_t *artifacts = NULL;
	auto_json json_t *series = NULL;

	if (run->server.spawned_ns == MD_NO_TIME ||
	    host_server_log_read(run->paths.server_log, LOG_BYTES_MAX, &log_text, &log_len,
				 &ignored) < 0)
		log_text = pl_strdup("");
	if (all_percentiles(&run->experiment->bench, &percentiles, &percentile_count, err) < 0 ||
	    make_results(run, percentiles, percentile_count, &results, err) < 0 ||
	    exp_side_files(run, &artifacts, &series, err) < 0)
		return -1;
	exp_facts(run, results, &facts);
	facts.percentiles = percentiles;
	facts.percentile_count = percentile_count;
	auto_json json_t *config = make_config(run);
	auto_json json_t *launch = make_launch(run, log_text, log_len);
	auto_json json_t *environment = make_environment(run);
	auto_json json_t *system = make_system(run, results, environment);
	auto_json json_t *quality = md_quality_evaluate(&facts);
	auto_json json_t *error = make_error(run, log_text, log_len);
	struct md_result_parts parts = {
		.run_id = run->run_id,
		.suite = run->experiment->suite,
		.name = run->experiment->name,
		.tags = run->experiment->tags,
		.started_real_ns = run->started_real_ns,
		.duration_s = (double)(pl_clock_now_ns() - run->started_ns) / 1e9,
		.config = config,
		.results = results,
		.system = system,
		.status = run->status,
		.launch = launch,
		.environment = environment,
		.quality = quality,
		.error = error,
		.artifacts = artifacts,
		.series = series,
	};
	return md_result_build(&parts, ret, err);
}
