#include "result/metrics/part.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "result/metrics/families.h"
#include "result/timing.h"

static const double percentiles[] = { 90, 99 };

struct counts {
	int64_t completed;
	int64_t failed;
	int64_t not_sent;
	double prompt_tokens;
	double output_tokens;
	double cached_tokens; /* of completed requests */
};

static struct counts count(const struct res_outcome *part)
{
	struct counts counts = { 0 };

	for (size_t i = 0; i < part->count; i++) {
		const struct res_record *record = &part->records[i];
		struct res_timing timing = res_timing_of(record);
		counts.completed += record->ok;
		counts.failed += !record->ok && record->acted_ns != RES_NO_TIME;
		counts.not_sent += record->acted_ns == RES_NO_TIME;
		if (!record->ok)
			continue;
		counts.prompt_tokens += record->prompt_tokens >= 0 ? (double)record->prompt_tokens
								   : NAN;
		counts.output_tokens += record->input_sequences > 0 ? NAN
								    : (double)timing.output_tokens;
		counts.cached_tokens += record->cached_tokens > 0 ? (double)record->cached_tokens
								  : 0;
	}
	return counts;
}

bool res_part_has_cached(const struct res_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (records[i].cached_tokens != RES_NO_COUNT)
			return true;
	}
	return false;
}

void res_part_add(const struct res_outcome *part, const struct res_how *how, bool has_cached,
		  json_t *json)
{
	static const char *const names[] = { "ttft_ms", "tpot_ms", "e2el_ms" };
	static const char *const statistics[] = { "mean", "median", "p90", "p99" };
	struct counts counts = count(part);
	auto_json json_t *all = json_object();
	struct res_families families;

	json_object_set_new(json, "completed", json_integer((json_int_t)counts.completed));
	json_object_set_new(json, "failed", json_integer((json_int_t)counts.failed));
	json_object_set_new(json, "not_sent", json_integer((json_int_t)counts.not_sent));
	json_object_set_new(json, "mean_prompt_tokens",
			    pl_json_number(counts.prompt_tokens / (double)counts.completed));
	json_object_set_new(json, "mean_output_tokens",
			    pl_json_number(counts.output_tokens / (double)counts.completed));
	json_object_set_new(
		json, "cached_prompt_share",
		pl_json_number(has_cached ? counts.cached_tokens / counts.prompt_tokens : NAN));
	res_families_collect(part, how, NULL, &families);
	res_families_write(&families, percentiles, PL_ARRAY_SIZE(percentiles), false, all);
	res_families_done(&families);
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		for (size_t k = 0; k < PL_ARRAY_SIZE(statistics); k++) {
			char key[32];
			snprintf(key, sizeof(key), "%s_%s", statistics[k], names[i]);
			json_t *value = json_object_get(all, key);
			json_object_set_new(json, key,
					    value != NULL ? json_incref(value) : json_null());
		}
	}
}
