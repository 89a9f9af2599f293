/* `system`, `launch` and `environment` of a synthetic run. */
#include <stdio.h>

#include "demo/history_priv.h"
#include "vllm/server_args.h"

#define UUID_BYTES 64
#define W_IDLE     0.14 /* per GPU, as a share of its full load */

/* Returns the section with all its keys and these values, which it takes. */
static json_t *section_of(const char *section, json_t *values)
{
	json_t *json = res_document_empty(section);

	json_object_update_new(json, values);
	return json;
}

static void uuid_of(const struct demo_plan *plan, int64_t gpu, char text[UUID_BYTES])
{
	unsigned host = (unsigned)(plan->host - demo_host_at(0));

	snprintf(text, UUID_BYTES, "GPU-0000%04x-0000-4000-8000-00000000%04x", host, (unsigned)gpu);
}

/* ---- system -------------------------------------------------------------------------------- */

static const char *gpu_title(const struct demo_plan *plan, char text[UUID_BYTES])
{
	const char *titles = plan->gpu->titles;
	size_t len = 0;

	while (titles[len] != '\0' && titles[len] != '|')
		len++;
	snprintf(text, UUID_BYTES, "%.*s", (int)len, titles);
	return text;
}

static json_t *power(const struct demo_plan *plan, const struct demo_figures *figures,
		     struct demo_dice *dice)
{
	double most = plan->host->gpu_w, idle = most * W_IDLE;
	double mean = most * (0.3 + 0.65 * figures->load) * demo_noise(dice, 0.01);
	double energy = mean * figures->duration_s;

	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:n, s:f}", "power_mean_w", mean,
			 "power_max_w", fmin(most, mean * 1.1), "power_idle_before_w", idle,
			 "power_idle_after_w", idle, "power_idle_w", idle, "energy_j", energy,
			 "energy_above_idle_j", energy - idle * figures->duration_s,
			 "energy_counter_j", "power_coverage_share", 1.0);
}

static json_t *gpu_usage(const struct demo_plan *plan, const struct demo_figures *figures,
			 int64_t gpu, struct demo_dice *dice)
{
	char uuid[UUID_BYTES], title[UUID_BYTES];
	double used = figures->weights_bytes + figures->kv_bytes + 3.5e9;
	double share = fmin(100, 30 + 70 * figures->load);
	bool is_slow = demo_is_hot(plan);

	uuid_of(plan, gpu, uuid);
	json_t *json = section_of(
		"gpu_usage",
		json_pack("{s:I, s:s, s:s, s:b, s:I, s:I, s:I}", "index", (json_int_t)gpu, "uuid",
			  uuid, "name", gpu_title(plan, title), "simulated", 1,
			  "memory_total_bytes", (json_int_t)plan->gpu->memory_bytes,
			  "memory_peak_bytes", (json_int_t)used, "memory_mean_bytes",
			  (json_int_t)(used * 0.98)));
	json_object_update_new(json, power(plan, figures, dice));
	json_object_update_new(
		json,
		json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:[s], s:f, s:f, s:i}",
			  "utilization_mean", share, "utilization_max", 100.0,
			  "memory_utilization_mean", share * 0.6, "sm_clock_mean_mhz",
			  is_slow ? 1410.0 : 1830.0, "sm_clock_min_mhz", is_slow ? 1120.0 : 1755.0,
			  "memory_clock_mean_mhz", 2619.0, "temperature_max_c",
			  floor(44 + 30 * figures->load + (is_slow ? 12 : 0)), "throttle_reasons",
			  is_slow ? "thermal" : "idle", "throttled_share", is_slow ? 0.06 : 0.0,
			  "throttled_thermal_share", is_slow ? 0.06 : 0.0, "ecc_uncorrected", 0));
	return json;
}

static json_t *host_usage(const struct demo_plan *plan, const struct demo_figures *figures,
			  struct demo_dice *dice)
{
	double used = (double)plan->host->memory_gib * 0x1p30 * 0.08 * demo_noise(dice, 0.1);

	return section_of("host_usage",
			  json_pack("{s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:I}", "cpu_share_mean",
				    (2 + figures->gpus) / (double)plan->host->cpus, "cpu_share_max",
				    (6 + figures->gpus) / (double)plan->host->cpus,
				    "iowait_share_mean", 0.0, "load_1m_max",
				    1.5 + figures->gpus * demo_noise(dice, 0.2), "steal_share", 0.0,
				    "memory_peak_bytes", (json_int_t)used, "memory_mean_bytes",
				    (json_int_t)(used * 0.97), "swap_peak_bytes", (json_int_t)0));
}

static json_t *server_usage(const struct demo_figures *figures)
{
	return section_of("server_usage",
			  json_pack("{s:f, s:f, s:f, s:I, s:I, s:I, s:I}", "cpu_s",
				    figures->duration_s * (1 + figures->gpus), "cpu_share_mean",
				    1 + figures->gpus, "cpu_share_max", 2 + figures->gpus,
				    "memory_peak_bytes", (json_int_t)(6e9 + 2.5e9 * figures->gpus),
				    "memory_mean_bytes",
				    (json_int_t)(5.5e9 + 2.5e9 * figures->gpus), "processes_max",
				    (json_int_t)(2 + figures->gpus), "threads_max",
				    (json_int_t)(180 + 60 * figures->gpus)));
}

static json_t *client_usage(const struct demo_figures *figures)
{
	double tokens = fmax(1, figures->completed * figures->output);
	double cpu_s = 9e-6 * tokens;

	return section_of("client_usage",
			  json_pack("{s:f, s:f, s:f, s:f, s:I, s:i, s:b, s:b, s:I}", "cpu_s", cpu_s,
				    "cpu_share_mean", cpu_s / figures->duration_s,
				    "worker_cpu_share_max", 0.02 + 0.2 * figures->load,
				    "cpu_us_per_token", 1e6 * cpu_s / tokens, "memory_peak_bytes",
				    (json_int_t)(15e6 + 12 * tokens), "threads", 1, "realtime", 0,
				    "delayed_acks", 1, "connections",
				    (json_int_t)ceil(figures->running)));
}

/* A failed launch has only the facts of the host. */
json_t *demo_system(const struct demo_plan *plan, const struct demo_figures *figures)
{
	struct demo_dice dice = plan->dice;
	char title[UUID_BYTES];
	json_t *json = res_document_empty("system");
	json_t *gpus = json_array();
	double memory_gb = (double)plan->gpu->memory_bytes / 1e9;
	bool has_run = figures->fate == NULL || figures->fate->status != RES_STATUS_LAUNCH_FAILED;

	json_object_set_new(
		json, "hardware_info",
		json_pack("{s:s, s:I, s:f, s:s, s:I, s:f, s:b}", "gpu_name", gpu_title(plan, title),
			  "gpu_count", (json_int_t)figures->gpus, "gpu_memory_gb", memory_gb, "cpu",
			  plan->host->cpu, "cpu_count", (json_int_t)plan->host->cpus, "memory_gb",
			  (double)plan->host->memory_gib * 0x1p30 / 1e9, "simulated", 1));
	json_object_set_new(json, "gpus", gpus);
	if (!has_run)
		return json;
	for (int64_t i = 0; i < (int64_t)figures->gpus; i++)
		json_array_append_new(gpus, gpu_usage(plan, figures, i, &dice));
	json_object_update_new(json,
			       json_pack("{s:f, s:f, s:o, s:o, s:o}", "peak_gpu_memory_gb",
					 (figures->weights_bytes + figures->kv_bytes + 3.5e9) / 1e9,
					 "avg_gpu_utilization", fmin(100, 30 + 70 * figures->load),
					 "host", host_usage(plan, figures, &dice), "server",
					 server_usage(figures), "client", client_usage(figures)));
	return json;
}

/* ---- launch -------------------------------------------------------------------------------- */

static json_t *launch_gpus(const struct demo_plan *plan, int64_t count)
{
	char uuid[UUID_BYTES], title[UUID_BYTES];
	json_t *gpus = json_array();

	for (int64_t i = 0; i < count; i++) {
		uuid_of(plan, i, uuid);
		json_array_append_new(
			gpus, json_pack("{s:I, s:s, s:s, s:I, s:b}", "index", (json_int_t)i, "uuid",
					uuid, "name", gpu_title(plan, title), "memory_bytes",
					(json_int_t)plan->gpu->memory_bytes, "simulated", 1));
	}
	return gpus;
}

static json_t *phases(const struct demo_figures *figures)
{
	double s = figures->start_s;

	return section_of("phases",
			  json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}",
				    "spawn_s", 0.002, "first_line_s", 0.12 * s, "engine_init_s",
				    0.2 * s, "weights_begin_s", 0.25 * s, "weights_loaded_s",
				    0.6 * s, "kv_cache_s", 0.75 * s, "graph_capture_s", 0.95 * s,
				    "engine_ready_s", 0.97 * s, "listening_s", 0.98 * s,
				    "healthy_s", 0.99 * s, "ready_s", s));
}

static json_t *facts(const struct demo_plan *plan, const struct demo_figures *figures)
{
	double blocks = floor(figures->kv_tokens / 16);
	json_t *json = section_of(
		"facts",
		json_pack("{s:s, s:s, s:s, s:I, s:I, s:s}", "vllm_version",
			  demo_release_at(plan->release), "model", plan->model->name, "dtype",
			  "torch.bfloat16", "max_model_len", (json_int_t)figures->max_len,
			  "tensor_parallel_size", (json_int_t)figures->gpus, "device", "cuda"));

	json_object_update_new(
		json,
		json_pack("{s:f, s:f, s:I, s:f, s:I, s:i, s:f, s:f, s:b}", "weights_gb",
			  figures->weights_bytes / 1e9, "weights_load_s", 0.35 * figures->start_s,
			  "kv_cache_tokens", (json_int_t)(blocks * 16), "kv_cache_gb",
			  figures->kv_bytes / 1e9, "gpu_blocks", (json_int_t)blocks, "block_size",
			  16, "max_concurrency", blocks * 16 / figures->max_len, "graph_capture_s",
			  0.2 * figures->start_s, "chunked_prefill", 1));
	return json;
}

json_t *demo_launch(const struct demo_plan *plan, const struct demo_figures *figures,
		    const struct exp_config *experiment)
{
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *env = NULL;
	json_t *argv = json_pack("[s, s]", "vllm", "serve");
	bool has_run = figures->fate == NULL || figures->fate->status != RES_STATUS_LAUNCH_FAILED;

	if (vllm_args_to_argv(experiment->catalog, experiment->server, argv, &env, &err) < 0)
		json_array_clear(argv);
	json_t *json = section_of(
		"launch",
		json_pack("{s:o, s:{}, s:[], s:s, s:i, s:i, s:f, s:o, s:{s:s, s:b}, s:b}", "argv",
			  argv, "env", "secret_env", "host", "127.0.0.1", "port",
			  (int)(8000 + plan->index % 500), "port_tries", 1, "waited_s", 0.0, "gpus",
			  launch_gpus(plan, (int64_t)figures->gpus), "target", "version",
			  demo_release_at(plan->release), "assumed", 0, "forced", 0));
	json_object_set_new(
		json, "exit",
		section_of("server_exit", json_pack("{s:i, s:b, s:f}", "status", has_run ? 0 : 1,
						    "killed", 0, "stop_s", 1.4)));
	if (!has_run)
		return json;
	json_object_set_new(json, "phases", phases(figures));
	json_object_set_new(json, "facts", facts(plan, figures));
	return json;
}

/* ---- environment --------------------------------------------------------------------------- */

/* The engine is marked as synthetic, so that no metric can be mistaken for one of a real machine. */
json_t *demo_environment(const struct demo_plan *plan)
{
	const struct demo_host *host = plan->host;
	char title[UUID_BYTES];
	json_t *gpus = json_array();

	for (int64_t i = 0; i < host->gpus; i++)
		json_array_append_new(gpus, json_string(gpu_title(plan, title)));
	return section_of(
		"environment",
		json_pack("{s:s, s:s, s:s, s:s, s:I, s:i, s:I, s:o, s:s, s:s?, s:{s:s, s:s, s:b}, "
			  "s:s}",
			  "hostname", host->name, "os", "Debian GNU/Linux 12 (bookworm)", "kernel",
			  "6.1.0-41-amd64", "cpu", host->cpu, "cpu_count", (json_int_t)host->cpus,
			  "numa_nodes", host->gpus > 1 ? 2 : 1, "memory_bytes",
			  (json_int_t)host->memory_gib << 30, "gpu_models", gpus, "gpu_driver",
			  host->driver, "cuda", host->cuda, "engine", "name", "vllm", "version",
			  demo_release_at(plan->release), "simulated", 1, "profllm",
			  PROFLLM_VERSION));
}
