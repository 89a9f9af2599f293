/*
 * `system` of the result: telemetry over the measured windows. Means and totals cover only the windows; "highest"
 * covers all samples, because memory peaks while a model is loaded. A source without data gives null, never 0.
 */
#include "run/document/system.h"

#include <math.h>
#include <sys/resource.h>

#include "checkpoint/hardware.h"
#include "run/run_priv.h"

#define BYTES_PER_GB 1e9
#define PERCENT      100.0

/* The sums of a source and their windows; sums NULL: unknown. */
struct view {
	const struct host_sums *sums;
	const struct host_windows *windows;
};

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static void set_number(json_t *object, const char *key, double value)
{
	set(object, key, pl_json_number(value));
}

/* Sets a whole number, or null if it is unknown. */
static void set_count(json_t *object, const char *key, double value)
{
	set(object, key, pl_json_count(value));
}

static double mean(const struct view *view, enum host_quantity quantity)
{
	if (view->sums == NULL)
		return NAN;
	return host_sum_mean(host_sums_get(view->sums, quantity), view->windows);
}

static double total(const struct view *view, enum host_quantity quantity)
{
	if (view->sums == NULL)
		return NAN;
	return host_sum_total(host_sums_get(view->sums, quantity), view->windows);
}

/* Extremes in the measured windows; NaN like the mean. */
static double largest(const struct view *view, enum host_quantity quantity)
{
	return isnan(mean(view, quantity)) ? NAN : host_sums_get(view->sums, quantity)->max;
}

static double smallest(const struct view *view, enum host_quantity quantity)
{
	return isnan(mean(view, quantity)) ? NAN : host_sums_get(view->sums, quantity)->min;
}

/* Returns the maximum of all samples, including startup and end. */
static double highest(const struct view *view, enum host_quantity quantity)
{
	return view->sums != NULL ? host_sums_get(view->sums, quantity)->highest : NAN;
}

/* ---- GPUs ---- */

static double share_with(const struct host_sum *sum, int64_t reason)
{
	int bit = __builtin_ctzll((unsigned long long)reason);

	return sum->samples > 0 ? (double)sum->bits[bit] / (double)sum->samples : NAN;
}

static json_t *reasons_seen(const struct host_sum *sum)
{
	int64_t seen = 0;

	if (sum->samples == 0)
		return json_null();
	for (unsigned bit = 0; bit < HOST_BITS_MAX; bit++)
		seen |= sum->bits[bit] > 0 ? (int64_t)1 << bit : 0;
	return host_gpu_throttle_to_json(seen);
}

static json_t *make_gpu(const struct host_telemetry *host, size_t i)
{
	const struct host_telemetry_gpu *gpu = host_telemetry_gpu(host, i);
	json_t *json = res_document_empty("gpu_usage");
	struct view view = { &gpu->sums, host_telemetry_windows(host) };
	struct run_gpu_energy energy;

	set(json, "index", pl_json_i64(gpu->facts->index, gpu->facts->index >= 0));
	set(json, "uuid", pl_json_text(gpu->facts->uuid));
	set(json, "name", pl_json_text(gpu->facts->name));
	set(json, "simulated", json_boolean(gpu->facts->simulated));
	set_count(json, "memory_total_bytes", gpu->facts->memory_bytes);
	set_count(json, "memory_peak_bytes", highest(&view, HOST_Q_gpu_memory_used_bytes));
	set_count(json, "memory_mean_bytes", mean(&view, HOST_Q_gpu_memory_used_bytes));
	set_number(json, "utilization_mean", mean(&view, HOST_Q_gpu_utilization) * PERCENT);
	set_number(json, "utilization_max", largest(&view, HOST_Q_gpu_utilization) * PERCENT);
	set_number(json, "memory_utilization_mean",
		   mean(&view, HOST_Q_gpu_memory_utilization) * PERCENT);
	run_telemetry_gpu_energy(host, i, &energy);
	const struct host_sum *power = host_sums_get(view.sums, HOST_Q_gpu_power_w);
	set_number(json, "power_mean_w", mean(&view, HOST_Q_gpu_power_w));
	set_number(json, "power_max_w", largest(&view, HOST_Q_gpu_power_w));
	set_number(json, "power_idle_before_w", energy.idle_before_w);
	set_number(json, "power_idle_after_w", energy.idle_after_w);
	set_number(json, "power_idle_w", energy.idle_w);
	set_number(json, "energy_j", energy.energy.total_j);
	set_number(json, "energy_above_idle_j", run_energy_known(energy.energy.above_idle_j));
	set_number(json, "energy_counter_j", total(&view, HOST_Q_gpu_energy_j));
	set_number(json, "power_coverage_share", host_sum_coverage(power, view.windows));
	set_number(json, "sm_clock_mean_mhz", mean(&view, HOST_Q_gpu_sm_clock_mhz));
	set_number(json, "sm_clock_min_mhz", smallest(&view, HOST_Q_gpu_sm_clock_mhz));
	set_number(json, "memory_clock_mean_mhz", mean(&view, HOST_Q_gpu_memory_clock_mhz));
	set_number(json, "temperature_max_c", largest(&view, HOST_Q_gpu_temperature_c));
	const struct host_sum *sum = host_sums_get(view.sums, HOST_Q_gpu_throttle);
	set(json, "throttle_reasons", reasons_seen(sum));
	set_number(json, "throttled_share",
		   sum->samples > 0 ? (double)sum->bad_samples / (double)sum->samples : NAN);
	set_number(json, "throttled_power_share", share_with(sum, HOST_GPU_THROTTLE_POWER));
	set_number(json, "throttled_thermal_share", share_with(sum, HOST_GPU_THROTTLE_THERMAL));
	set_number(json, "throttled_brake_share", share_with(sum, HOST_GPU_THROTTLE_BRAKE));
	set_count(json, "ecc_uncorrected", total(&view, HOST_Q_gpu_ecc_uncorrected));
	set_count(json, "pcie_sent_bytes", total(&view, HOST_Q_gpu_pcie_tx_bytes_per_s));
	set_count(json, "pcie_received_bytes", total(&view, HOST_Q_gpu_pcie_rx_bytes_per_s));
	set_count(json, "nvlink_sent_bytes", total(&view, HOST_Q_gpu_nvlink_tx_bytes));
	set_count(json, "nvlink_received_bytes", total(&view, HOST_Q_gpu_nvlink_rx_bytes));
	return json;
}

/* Sets maximum and mean over the GPUs; null if one of them lacks the value. */
static void set_gpus(json_t *json, json_t *hardware, const struct host_telemetry *host)
{
	const struct host_windows *windows = host_telemetry_windows(host);
	json_t *gpus = json_object_get(json, "gpus");
	size_t count = host_telemetry_gpu_count(host);
	double peak_bytes = NAN, utilization = count > 0 ? 0 : NAN;

	for (size_t i = 0; i < count; i++) {
		const struct host_telemetry_gpu *gpu = host_telemetry_gpu(host, i);
		struct view view = { &gpu->sums, windows };
		/* fmax() ignores NaN and the sum does not: a mean over some of the GPUs would be wrong */
		peak_bytes = fmax(peak_bytes, highest(&view, HOST_Q_gpu_memory_used_bytes));
		utilization += mean(&view, HOST_Q_gpu_utilization);
		json_array_append_new(gpus, make_gpu(host, i));
	}
	set_number(json, "peak_gpu_memory_gb", peak_bytes / BYTES_PER_GB);
	set_number(json, "avg_gpu_utilization", utilization / (double)count * PERCENT);
	if (count == 0)
		return;
	const struct host_gpu_facts *facts = host_telemetry_gpu(host, 0)->facts;
	set(hardware, "gpu_name", pl_json_text(facts->name));
	set(hardware, "gpu_count", json_integer((json_int_t)count));
	set_number(hardware, "gpu_memory_gb", facts->memory_bytes / BYTES_PER_GB);
	set(hardware, "simulated", json_boolean(facts->simulated));
	set(hardware, "source", json_string("detected"));
}

/* ---- host, server, this program ---- */

static void set_server(json_t *json, const struct view *view)
{
	set_number(json, "cpu_s", total(view, HOST_Q_server_cpu_s));
	set_number(json, "cpu_share_mean", mean(view, HOST_Q_server_cpu_share));
	set_number(json, "cpu_share_max", largest(view, HOST_Q_server_cpu_share));
	set_count(json, "memory_peak_bytes", highest(view, HOST_Q_server_memory_bytes));
	set_count(json, "memory_mean_bytes", mean(view, HOST_Q_server_memory_bytes));
	set_count(json, "processes_max", highest(view, HOST_Q_server_processes));
	set_count(json, "threads_max", highest(view, HOST_Q_server_threads));
	set_count(json, "open_files_max", highest(view, HOST_Q_server_open_files));
	set_count(json, "disk_read_bytes", total(view, HOST_Q_server_read_bytes_per_s));
	set_count(json, "disk_written_bytes", total(view, HOST_Q_server_written_bytes_per_s));
}

/* Sets the counters of the load itself. */
static void set_client(json_t *json, const struct run_state *run, const json_t *results)
{
	const struct run_window *window = &run->measured.window;
	const struct res_outcome *outcome = run->measured.outcome;
	double tokens = pl_json_get_f64(results, "total_output_tokens");
	struct rusage usage;

	if (outcome == NULL)
		return;
	getrusage(RUSAGE_SELF, &usage);
	set_number(json, "cpu_s", (double)window->cpu_ns / 1e9);
	set(json, "memory_peak_bytes", json_integer((json_int_t)usage.ru_maxrss * 1024));
	/* the use of a separate client is in environment.client */
	if (run->client->is_program)
		return;
	set_number(json, "worker_cpu_share_max", outcome->worker_cpu_share_max);
	set_number(json, "cpu_us_per_token",
		   tokens > 0 ? (double)window->cpu_ns / 1e3 / tokens : NAN);
	set(json, "threads", json_integer(outcome->worker_count));
	set(json, "realtime", json_boolean(outcome->realtime_granted));
	set(json, "delayed_acks", json_boolean(run->route.delayed_acks));
	set(json, "connections", json_integer((json_int_t)outcome->connections));
	set(json, "involuntary_switches", json_integer(window->involuntary_switches));
}

static json_t *make_cost(const struct run_state *run)
{
	json_t *json = res_document_empty("telemetry_cost");
	struct host_telemetry_cost cost;

	host_telemetry_cost(run->telemetry.host, &cost);
	set_number(json, "interval_ms",
		   (double)run->context.experiment->telemetry.interval_ns / 1e6);
	set(json, "ticks", json_integer(cost.ticks.ticks));
	set(json, "ticks_missed", json_integer(cost.ticks.missed));
	set_number(json, "lateness_p50_ms", cost.ticks.lateness_p50_ms);
	set_number(json, "lateness_p99_ms", cost.ticks.lateness_p99_ms);
	set_number(json, "lateness_max_ms", cost.ticks.lateness_max_ms);
	set(json, "metrics_requested", json_integer(cost.metrics_requested));
	set(json, "metrics_gaps", json_integer(cost.metrics_gaps));
	set_number(json, "cpu_s", cost.cpu_s);
	set_number(json, "cpu_share",
		   cost.ticks.elapsed_s > 0 ? cost.cpu_s / cost.ticks.elapsed_s : NAN);
	return json;
}

bool run_system_has_server(const struct run_state *run)
{
	return run->launch->url == NULL ||
	       run_target_is_here(&run->route.target, &run->context.experiment->launch);
}

/* Sets what launch.hardware says of a server elsewhere. The name is the driver's, as in runs on such a host. */
static void set_declared(json_t *hardware, const struct exp_launch *launch)
{
	struct ckpt_hardware declared;

	if (launch->hardware == NULL ||
	    ckpt_hardware_find(launch->hardware, &declared, PL_ERR_IGNORED) < 0)
		return;
	const char *titles = declared.gpu.titles;
	auto_free char *name = pl_strndup(titles, strcspn(titles, "|"));
	set(hardware, "gpu_name", json_string(name));
	set(hardware, "gpu_count", json_integer((json_int_t)declared.count));
	set_number(hardware, "gpu_memory_gb", (double)declared.gpu.memory_bytes / BYTES_PER_GB);
	set(hardware, "source", json_string("declared"));
}

json_t *run_system(const struct run_state *run, const json_t *results, const json_t *environment)
{
	json_t *json = res_document_empty("system");
	json_t *hardware = res_document_empty("hardware");
	json_t *memory = json_object_get(environment, "memory_bytes");
	json_t *host_usage = json_object_get(json, "host");
	json_t *client = json_object_get(json, "client");

	if (run_system_has_server(run)) {
		set(hardware, "cpu", json_incref(json_object_get(environment, "cpu")));
		set(hardware, "cpu_count", json_incref(json_object_get(environment, "cpu_count")));
		if (json_is_integer(memory))
			set_number(hardware, "memory_gb",
				   (double)json_integer_value(memory) / BYTES_PER_GB);
	}
	set_declared(hardware, &run->context.experiment->launch);
	if (run->launch->url == NULL)
		set(hardware, "gpu_count",
		    json_integer((json_int_t)json_array_size(run->launch->gpus)));
	if (run->measured.outcome != NULL)
		set_number(host_usage, "steal_share",
			   fmax(run->measured.window.stolen_share,
				run->measured.window.withheld_share));
	set_client(client, run, results);
	if (run->telemetry.over) {
		const struct host_telemetry *host = run->telemetry.host;
		const struct host_windows *windows = host_telemetry_windows(host);
		struct view host_view = { host_telemetry_host(host), windows };
		struct view server_view = { host_telemetry_server(host), windows };
		struct view client_view = { host_telemetry_client(host), windows };
		set_gpus(json, hardware, host);
		set_number(host_usage, "cpu_share_mean", mean(&host_view, HOST_Q_host_cpu_share));
		set_number(host_usage, "cpu_share_max", largest(&host_view, HOST_Q_host_cpu_share));
		set_number(host_usage, "iowait_share_mean",
			   mean(&host_view, HOST_Q_host_iowait_share));
		set_number(host_usage, "load_1m_max", largest(&host_view, HOST_Q_host_load_1m));
		set_count(host_usage, "memory_peak_bytes",
			  largest(&host_view, HOST_Q_host_memory_used_bytes));
		set_count(host_usage, "memory_mean_bytes",
			  mean(&host_view, HOST_Q_host_memory_used_bytes));
		set_count(host_usage, "swap_peak_bytes",
			  largest(&host_view, HOST_Q_host_swap_used_bytes));
		set_count(host_usage, "disk_read_bytes",
			  total(&host_view, HOST_Q_host_disk_read_bytes_per_s));
		set_count(host_usage, "disk_written_bytes",
			  total(&host_view, HOST_Q_host_disk_written_bytes_per_s));
		set_count(host_usage, "network_received_bytes",
			  total(&host_view, HOST_Q_host_network_received_bytes_per_s));
		set_count(host_usage, "network_sent_bytes",
			  total(&host_view, HOST_Q_host_network_sent_bytes_per_s));
		set_server(json_object_get(json, "server"), &server_view);
		set_number(client, "cpu_share_mean", mean(&client_view, HOST_Q_client_cpu_share));
		set_number(client, "cpu_share_max", largest(&client_view, HOST_Q_client_cpu_share));
		set_count(client, "memory_mean_bytes",
			  mean(&client_view, HOST_Q_client_memory_bytes));
		set_count(client, "voluntary_switches",
			  total(&client_view, HOST_Q_client_voluntary_switches));
		set(json, "telemetry", make_cost(run));
	}
	set(json, "hardware_info", hardware);
	return json;
}
