/* The snapshot of a run: what can be said about it so far. Whatever only the end can show is null. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clean.h"
#include "base/clock.h"
#include "base/redact.h"
#include "base/text.h"
#include "experiment/kinds.h"
#include "host/telemetry/telemetry.h"
#include "result/quality.h"
#include "run/context.h"
#include "run/launch.h"
#include "run/steps/plan.h"
#include "run/watch/watch_priv.h"

#define SCHEMA_VERSION    1
#define INTERVAL_S        1
#define TEXT_BYTES_MAX    1000
#define COMMAND_BYTES_MAX 8000
#define GPUS_MAX          64
/* The result needs them, too (docs/reference/metrics.md). */
#define P99 99.0

static json_t *number(double value)
{
	return isnan(value) || value < 0 ? json_null() : pl_json_number(value);
}

/* For display: at most six digits. */
static json_t *short_number(double value)
{
	char text[40];
	double rounded;

	if (isnan(value) || isinf(value) || value < 0)
		return json_null();
	snprintf(text, sizeof(text), "%.6g", value);
	return pl_text_to_f64(text, &rounded) ? json_real(rounded) : json_null();
}

static json_t *text_of(const char *text, size_t max)
{
	if (text == NULL)
		return json_null();
	auto_free char *cut = pl_strndup(text, strnlen(text, max));
	auto_free char *clean = pl_clean_line(cut);
	return pl_json_text(clean);
}

static double seconds(int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? (double)(to_ns - from_ns) / 1e9 : 0;
}

/* ---- the run ------------------------------------------------------------------------------- */

/* "4 x NVIDIA H200", or the address of a server that was already running. */
static char *server_of(const struct run_watch *watch)
{
	const struct exp_launch *launch = &watch->run->experiment->launch;
	const json_t *gpus = watch->launch->gpus;

	if (watch->launch->url != NULL)
		return launch->hardware != NULL
			       ? pl_asprintf("%s at %s", launch->hardware, watch->launch->url)
			       : pl_strdup(watch->launch->url);
	if (json_array_size(gpus) == 0)
		return NULL;
	const char *name = pl_json_get_text(json_array_get(gpus, 0), "name");
	return pl_asprintf("%zu x %s", json_array_size(gpus), name != NULL ? name : "GPU");
}

/* "8 requests/s, open loop, Poisson". */
static char *load_of(const struct vllm_bench *bench)
{
	auto_buf text = PL_BUF(512);

	if (exp_is_self_timed(bench)) {
		pl_buf_add_text(&text, "times of a trace, open loop");
	} else if (run_plan_has_rate(bench) && isfinite(bench->request_rate)) {
		pl_buf_addf(&text, "%g requests/s, open loop", bench->request_rate);
		if (bench->burstiness == 1)
			pl_buf_add_text(&text, ", Poisson");
		else
			pl_buf_addf(&text, ", burstiness %g", bench->burstiness);
	} else if (run_plan_has_rate(bench)) {
		pl_buf_add_text(&text, "rate over time, open loop");
	} else if (bench->max_concurrency == OPTION_NO_I64) {
		pl_buf_add_text(&text, "all requests at once");
	}
	if (bench->max_concurrency != OPTION_NO_I64)
		pl_buf_addf(&text, "%s%lld requests in flight%s", text.len > 0 ? ", at most " : "",
			    (long long)bench->max_concurrency, text.len > 0 ? "" : ", closed loop");
	return pl_buf_take(&text);
}

static json_t *sweep_of(const struct run_point *point)
{
	return point == NULL ? json_null()
			     : json_pack("{s:s, s:o, s:o}", "id", point->sweep_id, "name",
					 text_of(point->sweep_name, TEXT_BYTES_MAX), "combination",
					 text_of(point->combination, TEXT_BYTES_MAX));
}

static json_t *run_of(const struct run_watch *watch)
{
	const struct exp_config *experiment = watch->run->experiment;
	auto_free char *server = server_of(watch);
	auto_free char *load = load_of(&experiment->bench);
	const char *model = watch->model != NULL ? watch->model
						 : pl_json_get_text(experiment->server, "model");
	const struct run_point *point = watch->sink != NULL ? watch->sink->point : NULL;
	char started[32];

	pl_clock_rfc3339(watch->run->started_real_ns, started);
	return json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:I, s:I, s:o}", "run_id",
		watch->run->run_id, "name", text_of(experiment->name, TEXT_BYTES_MAX), "model",
		text_of(model, TEXT_BYTES_MAX), "server", text_of(server, TEXT_BYTES_MAX),
		"vllm_version", text_of(watch->version, TEXT_BYTES_MAX), "load",
		text_of(load, TEXT_BYTES_MAX), "started_utc", started, "command",
		text_of(watch->sink != NULL ? watch->sink->command : NULL, COMMAND_BYTES_MAX),
		"point", (json_int_t)(point != NULL ? point->number : 1), "points",
		(json_int_t)(point != NULL ? point->count : 1), "sweep", sweep_of(point));
}

/* ---- the phase ----------------------------------------------------------------------------- */

/* Draining: all requests were sent. */
const char *run_watch_phase(const struct run_watch *watch)
{
	switch (watch->stage) {
	case RES_STAGE_WARMUP:
		return "warming_up";
	case RES_STAGE_MEASURE:
		if (watch->has_loaded)
			return watch->is_profiling ? "profiling" : "stopping";
		return watch->is_draining ? "draining" : "measuring";
	case RES_STAGE_STOP:
		return "stopping";
	default:
		return "starting";
	}
}

static json_t *phase_json(const struct run_watch *watch, int64_t now_ns)
{
	json_t *done = json_array();

	for (size_t i = 0; i < watch->step_count; i++)
		json_array_append_new(done,
				      json_pack("{s:s, s:o}", "name", watch->steps[i].name,
						"seconds", short_number(watch->steps[i].seconds)));
	return json_pack("{s:s, s:o, s:o, s:o}", "name", run_watch_phase(watch), "step",
			 watch->step[0] != '\0' ? json_string(watch->step) : json_null(),
			 "elapsed_s", short_number(seconds(watch->phase_ns, now_ns)), "done", done);
}

/* ---- the load ------------------------------------------------------------------------------ */

struct load {
	double issued, completed, failed, in_flight, tokens;
	double total; /* NAN: no load */
	double elapsed_s;
};

static struct load read_load(const struct run_watch *watch, int64_t now_ns)
{
	const struct bench_progress *counters = watch->is_loading ? watch->load.counters
								  : &watch->last;
	int64_t end_ns = watch->load_end_ns != 0 ? watch->load_end_ns : now_ns;

	if (!watch->is_loading && !watch->has_loaded)
		return (struct load){ .total = NAN };
	return (struct load){
		.issued = (double)atomic_load(&counters->issued),
		.completed = (double)atomic_load(&counters->completed),
		.failed = (double)atomic_load(&counters->failed),
		.in_flight = (double)atomic_load(&counters->in_flight),
		.tokens = (double)atomic_load(&counters->tokens),
		.total = (double)watch->load.total,
		.elapsed_s = seconds(watch->load_ns, end_ns),
	};
}

static double remaining_s(const struct run_watch *watch, const struct load *load)
{
	double done = load->completed + load->failed;
	double rest = load->total - done;

	if (rest <= 0)
		return isnan(load->total) ? NAN : 0;
	/* a load that follows a plan: until the last request is sent, its plan says more than its start */
	double by_plan = (double)watch->load.planned_s - load->elapsed_s;
	if (by_plan > 0)
		return by_plan;
	return done > 0 ? rest * load->elapsed_s / done : NAN;
}

static json_t *requests_json(const struct run_watch *watch, const struct load *load)
{
	bool has_load = !isnan(load->total);

	return json_pack(
		"{s:I, s:I, s:o, s:o, s:o, s:o, s:I}", "done",
		(json_int_t)(load->completed + load->failed), "failed", (json_int_t)load->failed,
		"total", has_load ? json_integer((json_int_t)load->total) : json_null(),
		"in_flight", has_load ? json_integer((json_int_t)load->in_flight) : json_null(),
		"elapsed_s", short_number(load->elapsed_s), "remaining_s",
		short_number(remaining_s(watch, load)), "needed_for_p99",
		(json_int_t)res_quality_sample_needed(P99));
}

static double per_second(double count, const struct load *load)
{
	return load->elapsed_s > 0 ? count / load->elapsed_s : NAN;
}

static json_t *rates_json(const struct run_watch *watch, const struct load *load)
{
	const struct vllm_bench *bench = &watch->run->experiment->bench;
	bool has_rate = run_plan_has_rate(bench) && isfinite(bench->request_rate);
	bool pools = exp_backend_has(bench->backend, EXP_BACKEND_POOLS);
	double tokens_per_s = pools ? NAN : per_second(load->tokens, load);
	double inputs_per_s = pools ? per_second((double)watch->seen.inputs, load) : NAN;

	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "requested_per_s",
			 has_rate ? short_number(bench->request_rate) : json_null(), "sent_per_s",
			 short_number(per_second(load->issued, load)), "done_per_s",
			 short_number(per_second(load->completed + load->failed, load)),
			 "output_tokens_per_s", short_number(tokens_per_s), "inputs_per_s",
			 short_number(inputs_per_s));
}

static json_t *interval_json(const struct run_sketch *sketch)
{
	struct run_sketch_median median = run_sketch_median_of(sketch);

	return json_pack("{s:I, s:o, s:o, s:o}", "n", (json_int_t)sketch->count, "median",
			 short_number(median.median), "low", short_number(median.low), "high",
			 short_number(median.high));
}

static json_t *errors_json(const struct run_seen *seen)
{
	json_t *errors = json_array();
	bool is_taken[RUN_WATCH_ERRORS_MAX] = { false };

	/* the most frequent first */
	for (size_t n = 0; n < seen->error_count; n++) {
		size_t most = SIZE_MAX;
		for (size_t i = 0; i < seen->error_count; i++) {
			if (!is_taken[i] &&
			    (most == SIZE_MAX || seen->errors[i].count > seen->errors[most].count))
				most = i;
		}
		const struct run_seen_error *error = &seen->errors[most];
		is_taken[most] = true;
		auto_free char *sample = pl_asprintf(
			"request %llu: %s", (unsigned long long)error->index, error->sample);
		json_array_append_new(errors,
				      json_pack("{s:s, s:I, s:o, s:o}", "cause", error->kind,
						"count", (json_int_t)error->count, "first_s",
						short_number(error->first_s), "first_sample",
						text_of(sample, TEXT_BYTES_MAX)));
	}
	return errors;
}

/* ---- server and GPUs ----------------------------------------------------------------------- */

static json_t *count_of(double value)
{
	return isnan(value) || value < 0 ? json_null() : json_integer((json_int_t)value);
}

static json_t *server_json(const struct run_watch *watch)
{
	struct host_telemetry_last last = { NAN, NAN, NAN };

	if (watch->telemetry != NULL)
		host_telemetry_last(watch->telemetry, &last);
	return json_pack("{s:o, s:o, s:o}", "running", count_of(last.running), "waiting",
			 count_of(last.waiting), "kv_cache_percent",
			 short_number(last.kv_cache_usage * 100));
}

static json_t *gpus_json(const struct run_watch *watch)
{
	size_t count = watch->telemetry != NULL ? host_telemetry_gpu_count(watch->telemetry) : 0;
	json_t *gpus = json_array();

	for (size_t i = 0; i < count && i < GPUS_MAX; i++) {
		const struct host_gpu_facts *facts = host_telemetry_gpu(watch->telemetry, i)->facts;
#define LAST(quantity) host_telemetry_last_of_gpu(watch->telemetry, i, HOST_Q_gpu_##quantity)
		json_array_append_new(
			gpus, json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "index",
					facts->index >= 0 ? facts->index : (int)i, "name",
					text_of(facts->name, TEXT_BYTES_MAX), "memory_bytes",
					count_of(LAST(memory_used_bytes)), "memory_total_bytes",
					count_of(facts->memory_bytes), "utilization_percent",
					short_number(LAST(utilization) * 100), "power_w",
					short_number(LAST(power_w))));
#undef LAST
	}
	return gpus;
}

/* ---- the verdict so far -------------------------------------------------------------------- */

/* The finding of each check. */
static const struct {
	const char *id;
	const char *finding;
} findings[] = {
#define QUALITY(id, about, unit, sense, limit, effect, worse, worse_effect, text, finding, action) \
	{ #id, finding },
#include "tbl/quality.h"
#undef QUALITY
};

static const char *finding_of(const char *id)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(findings); i++) {
		if (strcmp(findings[i].id, id) == 0)
			return findings[i].finding;
	}
	return id;
}

/* The facts that the records so far show; the others stay unknown. */
static void facts_of(const struct run_watch *watch, struct res_quality_facts *ret)
{
	const struct run_seen *seen = &watch->seen;
	bool has_rate = run_plan_has_rate(&watch->run->experiment->bench);
	double planned_s = seconds(seen->first_planned_ns, seen->last_planned_ns);
	double actual_s = seconds(seen->first_acted_ns, seen->last_acted_ns);

	res_quality_init(ret);
	if (seen->completed + seen->failed == 0)
		return;
	ret->completed = (double)seen->completed;
	ret->failed = (double)seen->failed;
	ret->retries = (double)seen->retries;
	ret->reasonless = (double)seen->reasonless;
	ret->lacking_done = (double)seen->lacking_done;
	if (seen->completed > 0 && seen->uncounted == 0)
		ret->tokens_by_events = 0;
	ret->median_ttft_ms = run_sketch_percentile(&seen->ttft, 50);
	ret->schedule_finite = has_rate;
	ret->schedule_requests = (double)seen->late.count;
	ret->schedule_lateness_p99_ms = run_sketch_percentile(&seen->late, 99);
	ret->schedule_lateness_p95_ms = run_sketch_percentile(&seen->late, 95);
	if (has_rate && planned_s > 0 && actual_s > 0)
		ret->rate_reached = planned_s / actual_s;
}

static char *sentence_of(size_t over, size_t passed, size_t unmeasured, bool is_final)
{
	const char *rest = is_final ? "are unknown" : "need the end of the run";

	if (over + passed == 0)
		return pl_strdup("No check has a value yet.");
	if (over == 0)
		return pl_asprintf("No check is over its limit, %zu passed, %zu %s.", passed,
				   unmeasured, rest);
	return pl_asprintf("%zu check%s over %s limit, %zu passed, %zu %s.", over,
			   over == 1 ? " is" : "s are", over == 1 ? "its" : "their", passed,
			   unmeasured, rest);
}

static json_t *reason_of(const json_t *check)
{
	const char *id = pl_json_get_text(check, "id");
	auto_free char *sentence = pl_asprintf("%s.", finding_of(id));

	if (sentence[0] >= 'a' && sentence[0] <= 'z')
		sentence[0] = (char)(sentence[0] - 'a' + 'A');
	return json_pack("{s:s, s:s, s:O, s:O, s:O}", "check", id, "sentence", sentence, "value",
			 json_object_get(check, "value"), "limit", json_object_get(check, "limit"),
			 "unit", json_object_get(check, "unit"));
}

/*
 * A run cannot be trusted before its end, because the client error is known only then. It can be degraded before: a
 * check that is over its limit.
 */
json_t *run_watch_verdict(const json_t *quality, bool is_final)
{
	const char *verdict = is_final ? pl_json_get_text(quality, "verdict") : NULL;
	size_t over = 0, passed = 0;
	bool is_degraded = false, is_limited = false;
	json_t *reasons = json_array();

	PL_JSON_EACH(check, json_object_get(quality, "checks")) {
		const char *status = pl_json_get_text(check, "status");
		const char *effect = pl_json_get_text(check, "effect");
		passed += pl_text_equal(status, "passed");
		if (!pl_text_equal(status, "over_limit"))
			continue;
		over++;
		is_degraded = is_degraded || pl_text_equal(effect, "degraded");
		is_limited = is_limited || pl_text_equal(effect, "client_limited");
		json_array_append_new(reasons, reason_of(check));
	}
	if (!is_final)
		verdict = is_limited ? "client_limited" : is_degraded ? "degraded" : NULL;
	size_t unmeasured = PL_ARRAY_SIZE(findings) - over - passed;
	auto_free char *sentence = sentence_of(over, passed, unmeasured, is_final);
	return json_pack("{s:s, s:I, s:I, s:I, s:s, s:o}", "state",
			 verdict != NULL ? verdict : "unknown", "over_limit", (json_int_t)over,
			 "passed", (json_int_t)passed, "unmeasured", (json_int_t)unmeasured,
			 "sentence", sentence, "reasons", reasons);
}

static json_t *verdict_so_far(const struct run_watch *watch)
{
	struct res_quality_facts facts;

	facts_of(watch, &facts);
	auto_json json_t *quality = res_quality_evaluate(&facts);
	return run_watch_verdict(quality, false);
}

/* ---- all ----------------------------------------------------------------------------------- */

json_t *run_watch_snapshot(struct run_watch *watch, int64_t now_ns)
{
	const struct run_seen *seen = &watch->seen;
	struct load load = read_load(watch, now_ns);
	bool has_rate = run_plan_has_rate(&watch->run->experiment->bench);

	run_tail_read(&watch->tail);
	auto_json json_t *snapshot = json_pack(
		"{s:i, s:I, s:i, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o}, s:o, s:o, s:o, s:o, s:o, "
		"s:o, s:o, s:o, s:n}",
		"schema_version", SCHEMA_VERSION, "sequence", (json_int_t)++watch->sequence,
		"interval_s", INTERVAL_S, "elapsed_s",
		number(round(seconds(watch->run->started_ns, now_ns) * 1e3) / 1e3), "run",
		run_of(watch), "phase", phase_json(watch, now_ns), "requests",
		requests_json(watch, &load), "rates", rates_json(watch, &load), "client",
		"late_median_ms",
		has_rate ? short_number(run_sketch_percentile(&seen->late, 50)) : json_null(),
		"late_p99_ms",
		has_rate ? short_number(run_sketch_percentile(&seen->late, 99)) : json_null(),
		"ttft_ms", interval_json(&seen->ttft), "tpot_ms", interval_json(&seen->tpot),
		"e2el_ms", interval_json(&seen->e2el), "server", server_json(watch), "gpus",
		gpus_json(watch), "errors", errors_json(seen), "verdict", verdict_so_far(watch),
		"log", run_tail_json(&watch->tail), "ended");
	return pl_redact_json(snapshot, PL_REDACT_OTHERS);
}
