/*
 * Computes `results` of synthetic records: one JSON object per line on standard input, one per
 * line in return. In: {records, tries: [as in the requests file], start_ns, end_ns, percentiles,
 * slo: {ttft, tpot, e2el}, max_concurrency, finite_rate, ignores_eos, min_tokens, max_tokens,
 * inflight_peak}, each null or missing if there is none, and clock_step_ns if the clock was set.
 * With `quality`: true, the output is {results, quality}, with the checks that need records only.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "result/metrics/metrics.h"
#include "result/quality_facts.h"
#include "result/record_line.h"

static double number(const json_t *json, const char *key)
{
	const json_t *value = json_object_get(json, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static int64_t integer(const json_t *json, const char *key)
{
	const json_t *value = json_object_get(json, key);

	return json_is_integer(value) ? json_integer_value(value) : OPTION_NO_I64;
}

static int read_records(const json_t *list, struct res_record *records, size_t *ret_count,
			struct pl_err *err)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		if (res_record_from_json(json_array_get(list, i), &records[i], err) < 0)
			return pl_err_wrap(err, "record %zu", i);
		*ret_count = i + 1;
	}
	return 0;
}

static void done_records(struct res_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		res_record_done(&records[i]);
}

static void print_answer(const json_t *set, const struct res_outcome *outcome,
			 const struct res_how *how)
{
	auto_json json_t *results = res_metrics_compute(outcome, how);
	auto_json json_t *both = NULL;
	struct res_quality_facts facts;

	if (json_is_true(json_object_get(set, "quality"))) {
		res_quality_init(&facts);
		res_quality_facts(outcome, results, how, &facts);
		both = json_pack("{s:O, s:o}", "results", results, "quality",
				 res_quality_evaluate(&facts));
	}
	auto_free char *text = pl_json_to_text(both != NULL ? both : results, PL_JSON_COMPACT);
	puts(text);
}

static int answer(const char *line, size_t len, struct pl_err *err)
{
	auto_json json_t *set = NULL;
	size_t count = 0, try_count = 0;

	if (pl_json_parse(line, len, "stdin", &set, err) < 0)
		return -1;
	const json_t *list = json_object_get(set, "records");
	const json_t *requested = json_object_get(set, "percentiles");
	const json_t *slo = json_object_get(set, "slo");
	auto_free struct res_record *records = pl_alloc_array(json_array_size(list),
							      sizeof(*records));
	auto_free double *percentiles = pl_alloc_array(json_array_size(requested), sizeof(double));
	const json_t *try_list = json_object_get(set, "tries");
	size_t try_room = json_array_size(try_list) + 1;
	auto_free struct res_record *tries = pl_alloc_array(try_room, sizeof(*tries));
	auto_free struct res_record **positions = pl_alloc_array(try_room, sizeof(*positions));
	for (size_t i = 0; i < try_room; i++)
		positions[i] = &tries[i];
	int rc = read_records(list, records, &count, err);
	if (rc == 0)
		rc = read_records(try_list, tries, &try_count, err);
	for (size_t i = 0; i < json_array_size(requested); i++)
		percentiles[i] = json_number_value(json_array_get(requested, i));
	const struct res_outcome outcome = {
		.records = records,
		.count = count,
		.tries = positions,
		.try_count = try_count,
		.start_ns = integer(set, "start_ns"),
		.end_ns = integer(set, "end_ns"),
		.clock_step_ns = json_integer_value(json_object_get(set, "clock_step_ns")),
		.worker_cpu_share_max = NAN,
		.inflight_peak = integer(set, "inflight_peak"),
	};
	const struct res_how how = {
		.percentiles = percentiles,
		.percentile_count = json_array_size(requested),
		.slo = { number(slo, "ttft"), number(slo, "tpot"), number(slo, "e2el") },
		.max_concurrency = integer(set, "max_concurrency"),
		.finite_rate = json_is_true(json_object_get(set, "finite_rate")),
		.ignores_eos = json_is_true(json_object_get(set, "ignores_eos")),
		.min_tokens = integer(set, "min_tokens"),
		.max_tokens = integer(set, "max_tokens"),
		/* the defaults */
		.steady_share = 0.95,
		.steady_window_s = 10,
	};
	if (rc == 0)
		print_answer(set, &outcome, &how);
	done_records(records, count);
	done_records(tries, try_count);
	return rc;
}

int main(void)
{
	auto_free char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while ((len = getline(&line, &room, stdin)) > 0) {
		struct pl_err err = PL_ERR_INIT;
		if (answer(line, (size_t)len, &err) < 0) {
			fprintf(stderr, "metrics_driver: %s\n", err.text);
			return 1;
		}
	}
	return 0;
}
