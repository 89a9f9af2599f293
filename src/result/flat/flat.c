#include "result/flat/flat.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "experiment/kinds.h"
#include "experiment/ramp.h"
#include "experiment/values.h"
#include "result/flat/request_keys.h"
#include "result/report.h"
#include "result/timing.h"

#define PER_POSITION "spec_decode_per_position_acceptance_rates"

/*
 * Keys in vLLM's order with vLLM's values (zeros if unknown, where our documents have null):
 * scripts that read vLLM's files accept ours, and both can be compared.
 */

/* Lists that vLLM takes out again without save_detailed. */
static const char *const detailed[] = { "input_lens", "output_lens",     "start_times", "ttfts",
					"itls",       "generated_texts", "errors" };

static void set_text(json_t *flat, const char *key, const char *text)
{
	json_object_set_new(flat, key, pl_json_text(text));
}

static void set_option(const struct res_flat_input *input, json_t *flat, enum vllm_bench_id id)
{
	json_object_set_new(flat, vllm_bench_row(id)->name, vllm_bench_get(input->bench, id));
}

/* KEY=VALUE, both without the blanks around them. */
static void set_metadata(const struct res_flat_input *input, json_t *flat)
{
	PL_JSON_EACH(item, input->bench->metadata) {
		auto_free char *text = pl_strdup(json_string_value(item));
		char *value = strchr(text, '=');
		if (value == NULL)
			continue;
		*value++ = '\0';
		set_text(flat, pl_text_trim(text), pl_text_trim(value));
	}
}

static void set_head(const struct res_flat_input *input, json_t *flat)
{
	const struct vllm_bench *bench = input->bench;

	char text[32];
	pl_clock_format(input->ended_real_ns, "%Y%m%d-%H%M%S", 0, text, sizeof(text));
	set_text(flat, "date", text);
	set_text(flat, "endpoint_type", bench->backend);
	set_text(flat, "backend", bench->backend);
	set_text(flat, "label", bench->label);
	set_text(flat, "model_id", input->model_id);
	set_text(flat, "tokenizer_id",
		 bench->skip_tokenizer_init ? NULL
		 : bench->tokenizer != NULL ? bench->tokenizer
					    : input->model_id);
	set_option(input, flat, VLLM_BENCH_num_prompts);
	set_metadata(input, flat);
	set_option(input, flat, VLLM_BENCH_request_rate);
	set_option(input, flat, VLLM_BENCH_burstiness);
	set_option(input, flat, VLLM_BENCH_max_concurrency);
	if (bench->ramp_up_strategy == NULL)
		return;
	set_option(input, flat, VLLM_BENCH_ramp_up_strategy);
	set_option(input, flat, VLLM_BENCH_ramp_up_start_rps);
	set_option(input, flat, VLLM_BENCH_ramp_up_end_rps);
}

static void copy_figure(const struct res_flat_input *input, json_t *flat, const char *key)
{
	json_t *value = json_object_get(input->results, key);

	json_object_set(flat, key, value != NULL ? value : json_null());
}

static json_t *seconds_or_zero(double seconds)
{
	return json_real(isnan(seconds) ? 0.0 : seconds);
}

static json_t *gaps_of(const struct res_record *record)
{
	struct res_event_cursor cursor = res_record_cursor(record);
	int64_t before_ns = RES_NO_TIME;
	struct res_event_at at;
	json_t *gaps = json_array();

	while (res_record_next_chunk(&cursor, &at)) {
		if (before_ns != RES_NO_TIME)
			json_array_append_new(gaps, json_real(res_seconds(before_ns, at.t_ns)));
		before_ns = at.t_ns;
	}
	return gaps;
}

/*
 * Adds a record to the lists of single requests, in their order. uncounted: vLLM's length of a
 * prompt without a token count. Values that a failed request lacks are zero: vLLM's lists have
 * equal lengths and contain no null.
 */
static void add_record(json_t *const lists[RES_FLAT_LISTS], const struct res_record *record,
		       int64_t uncounted)
{
	struct res_timing timing = res_timing_of(record);
	bool acted = record->acted_ns != RES_NO_TIME;
	bool held = acted && record->queued_ns != RES_NO_TIME;
	int64_t prompt = record->prompt_tokens != RES_NO_COUNT ? record->prompt_tokens
							       : record->prompt_tokens_requested;
	json_t *error = record->ok ? json_string("") : pl_json_text(record->error);
	json_t *values[RES_FLAT_LISTS] = {
		[RES_FLAT_INPUT_LENS] = json_integer(prompt != RES_NO_COUNT ? prompt : uncounted),
		[RES_FLAT_OUTPUT_LENS] = json_integer(record->ok ? timing.output_tokens : 0),
		[RES_FLAT_TTFTS] = seconds_or_zero(timing.ttft_s),
		[RES_FLAT_ITLS] = gaps_of(record),
		[RES_FLAT_LATENCIES] = seconds_or_zero(record->ok ? timing.e2el_s : NAN),
		[RES_FLAT_STARTS] = json_real(acted ? (double)record->acted_ns / 1e9 : 0.0),
		[RES_FLAT_QUEUE_TIMES] = json_real(
			held ? res_seconds(record->queued_ns, record->acted_ns) : 0.0),
		[RES_FLAT_TEXTS] = json_string(record->text != NULL ? record->text : ""),
		[RES_FLAT_ERRORS] = error != NULL ? error : json_string(""),
	};

	for (size_t i = 0; i < RES_FLAT_LISTS; i++)
		json_array_append_new(lists[i], values[i]);
}

/* Adds the lists of single requests; `keys`: in the order of the file, ending with RES_FLAT_LISTS. */
static void set_lists(const struct res_flat_input *input, json_t *flat,
		      const enum res_flat_list *keys)
{
	int64_t uncounted = input->bench->skip_tokenizer_init ? 1 : 0;
	json_t *lists[RES_FLAT_LISTS];

	for (size_t i = 0; i < RES_FLAT_LISTS; i++)
		lists[i] = json_array();
	for (size_t i = 0; i < input->count; i++)
		add_record(lists, &input->records[i], uncounted);
	for (; *keys != RES_FLAT_LISTS; keys++)
		json_object_set(flat, res_flat_list_keys[*keys], lists[*keys]);
	for (size_t i = 0; i < RES_FLAT_LISTS; i++)
		json_decref(lists[i]);
}

/* For pooling backends vLLM writes no failures, and no keys of output. */
static void set_pooled_figures(const struct res_flat_input *input, json_t *flat)
{
	static const char *const keys[] = {
		"duration",
		"completed",
		"total_input_tokens",
		"total_input_sequences",
		"request_throughput",
		"input_sequence_throughput",
		"total_token_throughput",
	};
	static const enum res_flat_list lists[] = { RES_FLAT_INPUT_LENS, RES_FLAT_LATENCIES,
						    RES_FLAT_QUEUE_TIMES, RES_FLAT_ERRORS,
						    RES_FLAT_LISTS };

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++)
		copy_figure(input, flat, keys[i]);
	set_lists(input, flat, lists);
}

static void set_figures(const struct res_flat_input *input, json_t *flat)
{
	static const char *const before[] = {
		"duration",           "completed",           "failed",
		"total_input_tokens", "total_output_tokens", "request_throughput",
		"request_goodput",    "output_throughput",   "total_token_throughput",
	};
	static const enum res_flat_list lists[] = {
		RES_FLAT_INPUT_LENS, RES_FLAT_OUTPUT_LENS, RES_FLAT_TTFTS,       RES_FLAT_ITLS,
		RES_FLAT_LATENCIES,  RES_FLAT_STARTS,      RES_FLAT_QUEUE_TIMES, RES_FLAT_TEXTS,
		RES_FLAT_ERRORS,     RES_FLAT_LISTS,
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(before); i++)
		copy_figure(input, flat, before[i]);
	set_lists(input, flat, lists);
	copy_figure(input, flat, "max_output_tokens_per_s");
	copy_figure(input, flat, "max_concurrent_requests");
	/* vLLM writes 0 where nothing was spoken */
	json_t *rtfx = json_object_get(input->results, "rtfx");
	json_object_set_new(flat, "rtfx",
			    json_real(json_is_number(rtfx) ? json_number_value(rtfx) : 0));
	json_t *queue = json_array(), *ttft = json_array();
	bool any = false;
	for (size_t i = 0; i < input->count; i++) {
		const struct res_record *record = &input->records[i];
		bool ok = record->ok;
		any = any ||
		      (ok && !(isnan(record->server_queue_s) && isnan(record->server_ttft_s)));
		json_array_append_new(queue, pl_json_number(ok ? record->server_queue_s : NAN));
		json_array_append_new(ttft, pl_json_number(ok ? record->server_ttft_s : NAN));
	}
	if (any) {
		json_object_set(flat, res_flat_server_keys[0], queue);
		json_object_set(flat, res_flat_server_keys[1], ttft);
	}
	json_decref(queue);
	json_decref(ttft);
}

static void add_rate_event(json_t *events, int64_t rps, int64_t real_ns)
{
	/* The local time of a moment as Python's isoformat() writes it. */
	long micros = (long)(real_ns % PL_NS_PER_S / 1000);
	char text[32];
	pl_clock_format(real_ns, "%Y-%m-%dT%H:%M:%S", 0, text, sizeof(text));
	json_array_append_new(events,
			      json_pack("{s:I, s:o}", "rps", (json_int_t)rps, "timestamp",
					(micros != 0 ? json_sprintf("%s.%06ld", text, micros)
						     : json_string(text))));
}

/* One entry for each whole rate that the ramp reaches, at the request that reaches it. */
static void set_rate_events(const struct res_flat_input *input, json_t *flat)
{
	const struct vllm_bench *bench = input->bench;
	json_t *events = json_array();
	int64_t last = bench->ramp_up_start_rps;

	if (bench->ramp_up_strategy == NULL) {
		json_decref(events);
		return;
	}
	add_rate_event(events, last, input->started_real_ns);
	for (size_t i = 0; i < input->count; i++) {
		const struct res_record *record = &input->records[i];
		if (record->planned_ns == RES_NO_TIME)
			continue;
		int64_t since_ns = record->planned_ns - input->start_ns;
		int64_t rps = (int64_t)exp_ramp_rate(bench, i, input->count,
						     (double)since_ns / 1e9);
		int64_t at_ns = input->started_real_ns + since_ns;
		while (last < rps)
			add_rate_event(events, ++last, at_ns);
	}
	json_object_set_new(flat, "rps_change_events", events);
}

/*
 * The figures with this beginning, in the rows' order, where they are known. vLLM writes these keys
 * only where there was a probe, or drafts.
 */
static void set_known(const struct res_flat_input *input, json_t *flat, const char *prefix)
{
	static const char *const keys[] = {
#define FIGURE(key, unit, type, direction, origin, formula, text) #key,
#include "tbl/metrics.h"
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		json_t *value = json_object_get(input->results, keys[i]);
		if (pl_text_starts(keys[i], prefix) && value != NULL && !json_is_null(value))
			json_object_set(flat, keys[i], value);
	}
}

static void set_statistic(const struct res_flat_input *input, json_t *flat, const char *word,
			  const char *family)
{
	auto_free char *key = pl_asprintf("%s_%s", word, family);

	copy_figure(input, flat, key);
}

static void set_percentiles(const struct res_flat_input *input, json_t *flat, const char *family)
{
	auto_free double *percentiles = NULL;
	size_t count = 0;

	if (exp_percentiles_parse(input->bench->metric_percentiles, &percentiles, &count,
				  PL_ERR_IGNORED) < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		char text[PL_F64_TEXT_BYTES];
		exp_percentile_text(percentiles[i], text);
		auto_free char *word = pl_asprintf("p%s", text);
		set_statistic(input, flat, word, family);
	}
}

static void set_families(const struct res_flat_input *input, json_t *flat)
{
	static const char *const families[] = {
#define FAMILY(id, key, title, label, direction, origin, headline, formula, text) key,
#include "tbl/metrics.h"
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(families); i++) {
		if (!res_report_shows(families[i], input->bench))
			continue;
		set_statistic(input, flat, "mean", families[i]);
		set_statistic(input, flat, "median", families[i]);
		set_statistic(input, flat, "std", families[i]);
		set_percentiles(input, flat, families[i]);
	}
}

json_t *res_flat_build(const struct res_flat_input *input)
{
	json_t *flat = json_object();

	set_head(input, flat);
	if (exp_backend_has(input->bench->backend, EXP_BACKEND_POOLS))
		set_pooled_figures(input, flat);
	else
		set_figures(input, flat);
	set_known(input, flat, "probe_");
	set_rate_events(input, flat);
	set_known(input, flat, "spec_decode_");
	json_t *rates = json_object_get(input->results, PER_POSITION);
	if (json_is_array(rates))
		json_object_set(flat, PER_POSITION, rates);
	set_families(input, flat);
	for (size_t i = 0; i < PL_ARRAY_SIZE(detailed) && !input->bench->save_detailed; i++)
		json_object_del(flat, detailed[i]);
	for (size_t i = 0; i < RES_FLAT_SERVER_LISTS && !input->bench->save_detailed; i++)
		json_object_del(flat, res_flat_server_keys[i]);
	if (input->document != NULL)
		json_object_set(flat, "profllm", (json_t *)input->document);
	return flat;
}
