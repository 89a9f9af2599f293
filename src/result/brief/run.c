/* The answers about one result and about the runs of one configuration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/brief/brief.h"
#include "result/report.h"

#define TRUST_BYTES_MAX 16384
#define OTHERS_MAX      6

static const char *const shown[] = { "results.output_throughput", "results.median_ttft_ms",
				     "results.p99_ttft_ms", "results.median_tpot_ms" };
/* from best to worst */
static const char *const verdicts[] = { "trusted", "degraded", "client_limited" };

static const char *direction_of(const struct res_field *field)
{
	return field->direction == RES_FIELD_HIGHER  ? "higher"
	       : field->direction == RES_FIELD_LOWER ? "lower"
						     : "neither";
}

static bool is_completed(const json_t *document)
{
	return pl_text_equal(pl_json_get_text(document, "status"), "completed");
}

/* Adds the metric unless no run has a number. */
static bool add_metric(const struct res_fields *fields, const struct res_field *field,
		       json_t *const *documents, size_t count, json_t *list)
{
	auto_sample sample = { 0 };
	struct res_interval interval = { NAN, NAN };

	for (size_t i = 0; i < count; i++) {
		auto_value value = { .state = RES_VALUE_NOT_RECORDED };
		res_field_value(fields, field, documents[i], &value);
		res_sample_add(&sample, &value);
	}
	res_sample_settle(&sample);
	if (sample.count == 0)
		return false;
	if (count == 1)
		sample.has_within = res_compare_within(fields, field, documents[0], &sample.within);
	if (!res_sample_interval(&sample, &interval))
		interval = (struct res_interval){ NAN, NAN };
	json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:I, s:o, s:o, s:o}", "field",
					      field->id, "label", field->label, "unit", field->unit,
					      "direction", direction_of(field), "n",
					      (json_int_t)sample.count, "value",
					      pl_json_number(res_sample_value(&sample)), "low",
					      pl_json_number(interval.low), "high",
					      pl_json_number(interval.high)));
	return true;
}

json_t *res_brief_metrics(const struct res_fields *fields, json_t *const *documents, size_t count)
{
	const struct res_field *others[RES_COMPARE_HEADLINE_MAX];
	json_t *list = json_array();

	for (size_t i = 0; i < PL_ARRAY_SIZE(shown); i++)
		(void)add_metric(fields, res_fields_find(fields, shown[i]), documents, count, list);
	if (json_array_size(list) > 0)
		return list;
	size_t other_count = res_compare_headline(fields, others);
	for (size_t i = 0; i < other_count && json_array_size(list) < OTHERS_MAX; i++)
		(void)add_metric(fields, others[i], documents, count, list);
	return list;
}

const char *res_brief_verdict(json_t *const *documents, size_t count)
{
	size_t worst = 0, completed = 0;

	for (size_t i = 0; i < count; i++) {
		const char *verdict = pl_json_path_text(documents[i], "quality.verdict");
		size_t rank = 0;
		if (!is_completed(documents[i]))
			continue;
		completed++;
		while (rank < PL_ARRAY_SIZE(verdicts) && !pl_text_equal(verdicts[rank], verdict))
			rank++;
		worst = rank > worst ? rank : worst;
	}
	return completed > 0 && worst < PL_ARRAY_SIZE(verdicts) ? verdicts[worst] : NULL;
}

/* The three sentences of the verdict in one line. free() */
static char *trust_of(const json_t *result)
{
	auto_buf text = PL_BUF(TRUST_BYTES_MAX);
	size_t len = 0;

	res_report_sentences(result, &text);
	char *line = pl_buf_take(&text);
	for (char *at = line; *at != '\0'; at++) {
		bool is_blank = *at == ' ' || *at == '\n';
		if (!is_blank)
			line[len++] = *at;
		else if (len > 0 && line[len - 1] != ' ')
			line[len++] = ' ';
	}
	while (len > 0 && line[len - 1] == ' ')
		len--;
	line[len] = '\0';
	return line;
}

static json_t *error_of(const json_t *result)
{
	const json_t *error = json_object_get(result, "error");
	const char *message = pl_json_get_text(error, "message");

	return message != NULL ? pl_json_text(message) : json_null();
}

static json_t *count_of(const json_t *result, const char *key)
{
	const json_t *count = pl_json_get_path(result, key);

	return json_is_integer(count) ? json_integer(json_integer_value(count)) : json_null();
}

json_t *res_brief_run(const struct res_fields *fields, json_t *result, const char *path)
{
	auto_free char *trust = trust_of(result);
	const json_t *simulated = pl_json_get_path(result, "environment.engine.simulated");

	return json_pack("{s:s?, s:s, s:i, s:o, s:o, s:s, s:b, s:s?, s:o, s:o, s:o, s:s}",
			 "verdict", res_brief_verdict(&result, 1), "trust", trust, "n", 1,
			 "requests", count_of(result, "results.completed"), "failed_requests",
			 count_of(result, "results.failed"), "status",
			 pl_json_get_text(result, "status"), "simulated", json_is_true(simulated),
			 "run_id", pl_json_get_text(result, "run_id"), "result", pl_json_text(path),
			 "error", error_of(result), "metrics",
			 res_brief_metrics(fields, &result, 1), "proof",
			 "not proven: one run shows no variation between runs; the intervals are "
			 "those within the run. Compare at least 3 runs of each configuration.");
}
