/*
 * `results` of the document: totals and rates, peaks, families, errors, the steady part. vLLM's
 * keys use vLLM's formulas, so that both programs' metrics are comparable; if a formula is coarse,
 * an additional key has the exact value.
 */
#include "result/metrics/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "result/metrics/client_error.h"
#include "result/metrics/families.h"
#include "result/metrics/modality.h"
#include "result/metrics/peaks.h"
#include "result/metrics/rates.h"
#include "result/metrics/steady.h"
#include "result/metrics/turns.h"
#include "result/timing.h"

static const double default_percentiles[] = { RES_PERCENTILES };

/* Merges the default and the requested ones, ascending and distinct. The caller owns the result. */
static double *merge_percentiles(const double *requested, size_t sent_count, size_t *ret_count)
{
	size_t defaults = PL_ARRAY_SIZE(default_percentiles);
	double *all = pl_alloc_array(defaults + sent_count, sizeof(double));
	size_t count = 0;

	memcpy(all, default_percentiles, sizeof(default_percentiles));
	if (sent_count > 0)
		memcpy(all + defaults, requested, sent_count * sizeof(double));
	pl_stats_sort(all, defaults + sent_count);
	for (size_t i = 0; i < defaults + sent_count; i++) {
		if (count == 0 || all[i] > all[count - 1])
			all[count++] = all[i];
	}
	*ret_count = count;
	return all;
}

struct totals {
	int64_t completed;
	int64_t failed;
	int64_t retries; /* tries beyond a request's first */
	int64_t retried;
	int64_t output_tokens;
	int64_t input_tokens;
	int64_t input_sequences;
	double audio_s;
	bool input_known;
	struct res_values offsets; /* prompt tokens from usage - requested */
};

static void add_finished(const struct res_record *record, struct totals *totals)
{
	int64_t prompt = res_prompt_tokens(record);

	totals->completed++;
	totals->input_sequences += record->input_sequences;
	totals->audio_s += record->audio_s;
	totals->output_tokens += res_timing_of(record).output_tokens;
	/* one prompt of unknown length makes the sum unknown */
	if (prompt == RES_NO_COUNT)
		totals->input_known = false;
	else
		totals->input_tokens += prompt;
	if (record->prompt_tokens != RES_NO_COUNT &&
	    record->prompt_tokens_requested != RES_NO_COUNT && !res_record_has_media(record))
		res_values_add(&totals->offsets,
			       (double)(record->prompt_tokens - record->prompt_tokens_requested));
}

static bool same_failure(const json_t *entry, const char *kind, int32_t status)
{
	json_t *known = json_object_get(entry, "status");

	return pl_text_equal(json_string_value(json_object_get(entry, "kind")), kind) &&
	       (json_is_null(known) ? 0 : json_integer_value(known)) == status;
}

/* `as`: "count" of failed requests, or "retried" of tries that another one followed. */
static void add_failure(json_t *errors, const struct res_record *record, const char *as)
{
	const char *kind = record->error_kind != NULL ? record->error_kind : "unknown";

	PL_JSON_EACH(entry, errors) {
		if (!same_failure(entry, kind, record->status))
			continue;
		json_t *count = json_object_get(entry, as);
		json_integer_set(count, json_integer_value(count) + 1);
		return;
	}
	json_t *entry = json_pack("{s:s, s:o, s:i, s:i, s:o}", "kind", kind, "status",
				  pl_json_i64(record->status, record->status != 0), "count", 0,
				  "retried", 0, "sample", pl_json_text(record->error));
	json_object_set_new(entry, as, json_integer(1));
	json_array_append_new(errors, entry);
}

static json_t *offset_median(struct totals *totals)
{
	pl_stats_sort(totals->offsets.x, totals->offsets.count);
	return pl_json_number(pl_stats_median_sorted(totals->offsets.x, totals->offsets.count));
}

/* vLLM's: start of sending to the last answer; NaN: nothing was sent. */
static double duration_s(const struct res_outcome *outcome)
{
	return outcome->start_ns != RES_NO_TIME ? res_seconds(outcome->start_ns, outcome->end_ns)
						: NAN;
}

json_t *res_metrics_compute(const struct res_outcome *outcome, const struct res_how *how)
{
	size_t percentile_count = 0;
	auto_free double *percentiles = merge_percentiles(how->percentiles, how->percentile_count,
							  &percentile_count);
	/* Requests that were never sent count neither as finished nor as failed. */
	struct totals totals = { .input_known = true };
	for (size_t i = 0; i < outcome->count; i++) {
		uint32_t tries = outcome->records[i].tries;
		totals.retries += tries > 1 ? tries - 1 : 0;
		totals.retried += tries > 1;
		if (outcome->records[i].ok)
			add_finished(&outcome->records[i], &totals);
		else
			totals.failed += outcome->records[i].acted_ns != RES_NO_TIME;
	}
	struct res_families families;
	json_t *results = json_object();

	double duration = duration_s(outcome);
	json_object_set_new(results, "duration", pl_json_number(duration));
	json_object_set_new(results, "completed_requests", json_integer(totals.completed));
	json_object_set_new(results, "failed_requests", json_integer(totals.failed));
	json_object_set_new(results, "completed", json_integer(totals.completed));
	json_object_set_new(results, "failed", json_integer(totals.failed));
	json_object_set_new(results, "retries", json_integer(totals.retries));
	json_object_set_new(results, "retried_requests", json_integer(totals.retried));
	json_object_set_new(results, "total_input_tokens",
			    totals.input_known ? json_integer(totals.input_tokens) : json_null());
	/* either has no meaning for the other kind of request */
	bool pools = res_outcome_pools(outcome);
	json_object_set_new(results, "total_output_tokens",
			    pl_json_i64(totals.output_tokens, !pools));
	json_object_set_new(results, "total_input_sequences",
			    pl_json_i64(totals.input_sequences, pools));
	res_rates_write(outcome, how, duration, results);
	res_peaks_write(outcome, results);
	json_object_set_new(results, "rtfx",
			    totals.audio_s > 0 ? pl_json_number(totals.audio_s / duration)
					       : json_null());
	res_families_collect(outcome, how, NULL, &families);
	res_families_write(&families, percentiles, percentile_count, true, results);
	res_client_error_write(outcome, &families, results);
	res_families_done(&families);
	json_t *errors = json_array();
	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (!record->ok && record->acted_ns != RES_NO_TIME)
			add_failure(errors, record, "count");
	}
	for (size_t i = 0; i < outcome->try_count; i++)
		add_failure(errors, outcome->tries[i], "retried");
	json_object_set_new(results, "errors", errors);
	json_object_set_new(results, "repeats", json_array());
	json_object_set_new(results, "steady",
			    res_steady_compute(outcome, how, percentiles, percentile_count));
	res_turns_write(outcome, how, results);
	res_modality_write(outcome, how, results);
	/* Sets the metrics that records do not contain; the caller fills them in. */
	static const char *const keys[] = {
		"prefix_cache_hit_rate",
		"expected_prefix_cache_hit_rate",
		"probe_completed",
		"probe_failed",
		"probe_median_e2el_ms",
		"probe_p99_e2el_ms",
		"probe_max_e2el_ms",
		"spec_decode_acceptance_rate",
		"spec_decode_acceptance_length",
		"spec_decode_num_drafts",
		"spec_decode_draft_tokens",
		"spec_decode_accepted_tokens",
		"spec_decode_per_position_acceptance_rates",
		"latency_breakdown",
		"energy_per_token_j",
		"energy_per_token_idle_subtracted_j",
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++)
		json_object_set_new(results, keys[i], json_null());
	json_object_set_new(results, "prompt_token_offset_median", offset_median(&totals));
	free(totals.offsets.x);
	return results;
}
