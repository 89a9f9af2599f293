/*
 * Configurations that keep limits: query/configurations/slo.h. The goodput of runs that do not record it for these
 * limits is counted in the records of their requests, if those are stored.
 */
#include "query/configurations/slo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/stats.h"
#include "base/student.h"
#include "dash/artifacts.h"
#include "dash/problem.h"
#include "dash/question.h"
#include "dash/records/records.h"
#include "mirror/cancel_token.h"
#include "store/analysis/prices.h"

#define SURE          0.05
#define RECORDS_FIRST 20 /* configurations */

struct limits {
	double ttft_ms, tpot_ms, e2el_ms; /* NaN: none */
};

static struct limits limits_of(const json_t *request)
{
	struct limits ret = { NAN, NAN, NAN };

	PL_JSON_EACH(limit, json_object_get(request, "limits")) {
		const char *latency = json_string_value(json_object_get(limit, "latency"));
		double max = json_number_value(json_object_get(limit, "max"));
		double *into = latency == NULL                ? NULL
			       : strcmp(latency, "ttft") == 0 ? &ret.ttft_ms
			       : strcmp(latency, "tpot") == 0 ? &ret.tpot_ms
			       : strcmp(latency, "e2el") == 0 ? &ret.e2el_ms
							      : NULL;
		if (into != NULL)
			*into = fmin(*into, max);
	}
	return ret;
}

/* As the metric request_goodput: a request of one output token keeps any limit of tpot. */
static bool keeps(const struct limits *limits, const struct records_row *row)
{
	return (isnan(limits->ttft_ms) || row->ttft_s <= limits->ttft_ms / 1000) &&
	       (isnan(limits->tpot_ms) || isnan(row->tpot_s) ||
		row->tpot_s <= limits->tpot_ms / 1000) &&
	       (isnan(limits->e2el_ms) || row->e2el_s <= limits->e2el_ms / 1000);
}

/* Counts in the records of a result. Returns false if there are none or they cannot be read. */
static bool count_good(const struct dash_request *request, int64_t id, const struct limits *limits,
		       double *ret_good, double *ret_completed)
{
	auto_artifacts artifacts = { 0 };
	auto_records struct records *records = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (store_artifacts_of(request->context->store, id, &artifacts, &err) < 0)
		return false;
	const struct store_artifact *artifact = dash_artifact_of_kind(&artifacts, "requests");
	if (artifact == NULL || artifact->stored_at == NULL || artifact->is_lost)
		return false;
	if (dash_records_open(request, artifact, &records, &err) < 0) {
		pl_log(PL_LOG_WARNING, "%s: %s", request->path, err.text);
		return false;
	}
	*ret_good = *ret_completed = 0;
	for (size_t i = 0; i < records->count; i++) {
		if (records->rows[i].status != RECORDS_COMPLETED)
			continue;
		*ret_completed += 1;
		*ret_good += keeps(limits, &records->rows[i]);
	}
	return true;
}

/* Sets {KEY: mean, low, high} of the numbers. */
static void set_mean(json_t *json, const char *key, double *numbers, size_t count)
{
	double mean, half = NAN;

	pl_stats_sort(numbers, count);
	mean = pl_stats_mean(numbers, count);
	if (count > 1)
		half = pl_student_t(SURE, (double)count - 1) * pl_stats_std(numbers, count) /
		       sqrt((double)count - 1);
	json_object_set_new(json, key, pl_json_number(mean));
	json_object_set_new(json, "low", pl_json_number(mean - half));
	json_object_set_new(json, "high", pl_json_number(mean + half));
}

static bool has_time(const struct dash_request *request, int64_t end_ns)
{
	struct mirror_cancel_token *token = request->cancel_token;

	return pl_clock_now_ns() < end_ns && !(token != NULL && token->has_left(token));
}

/* Replaces the goodput of a configuration if all its runs have records. Returns false without time to read them. */
static bool fill(const struct dash_request *request, const struct limits *limits,
		 const json_t *configuration, int64_t end_ns)
{
	const json_t *ids = json_object_get(configuration, "ids");
	json_t *goodput = json_object_get(configuration, "goodput");
	const json_t *durations = json_object_get(goodput, "durations");
	size_t count = json_array_size(ids);
	auto_free double *rates = pl_alloc_array(count + 1, sizeof(*rates));
	auto_free double *shares = pl_alloc_array(count + 1, sizeof(*shares));

	for (size_t i = 0; i < count; i++) {
		double good, completed, duration = json_number_value(json_array_get(durations, i));
		if (!has_time(request, end_ns))
			return false;
		if (!(duration > 0) ||
		    !count_good(request, json_integer_value(json_array_get(ids, i)), limits, &good,
				&completed) ||
		    !(completed > 0))
			return true;
		rates[i] = good / duration;
		shares[i] = good / completed;
	}
	json_object_set_new(goodput, "method", json_string("records"));
	set_mean(goodput, "value", rates, count);
	set_mean(json_object_get(goodput, "good_share"), "mean", shares, count);
	json_object_set_new(goodput, "note", json_null());
	return true;
}

/* Returns whether all of the first configurations were read in time. */
static bool fill_all(const struct dash_request *request, const json_t *configurations,
		     int64_t end_ns)
{
	struct limits limits = limits_of(request->body);
	bool has_limits = !isnan(limits.ttft_ms) || !isnan(limits.tpot_ms) ||
			  !isnan(limits.e2el_ms);

	for (size_t i = 0; i < json_array_size(configurations) && i < RECORDS_FIRST && has_limits;
	     i++) {
		const json_t *configuration = json_array_get(configurations, i);
		const char *method = pl_json_path_text(configuration, "goodput.method");
		if (method != NULL && strcmp(method, "recorded") == 0)
			continue;
		if (!fill(request, &limits, configuration, end_ns))
			return false;
	}
	return true;
}

/* Adds the stored prices and emissions that the request lacks. */
static int add_stored(const struct dash_request *request, json_t *question, struct pl_err *err)
{
	static const char *const keys[] = { "prices", "carbon_g_per_kwh" };
	auto_json json_t *stored = NULL;

	if (store_prices_get(request->context->store, &stored, err) < 0)
		return -1;
	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		if (json_object_get(question, keys[i]) == NULL)
			json_object_set(question, keys[i], json_object_get(stored, keys[i]));
	}
	return 0;
}

void dash_find_feasible(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = dash_with_budget(json_copy((json_t *)request->body));
	json_int_t budget_ms = json_integer_value(json_object_get(question, "budget_ms"));
	int64_t end_ns = pl_clock_now_ns() + budget_ms * PL_NS_PER_MS;
	struct pl_err err = PL_ERR_INIT;

	if (add_stored(request, question, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return;
	}
	if (json_is_false(json_object_get(question, "records"))) {
		dash_ask(request, query_slo, question, answer);
		return;
	}
	json_object_set_new(question, "durations", json_true());
	dash_ask(request, query_slo, question, answer);
	if (answer->status != 200)
		return;
	json_t *json = json_loadb(answer->bytes, answer->len, 0, NULL);
	const json_t *configurations = json_object_get(json, "configurations");
	bool is_complete = fill_all(request, configurations, end_ns);
	PL_JSON_EACH(configuration, configurations)
		json_object_del(json_object_get(configuration, "goodput"), "durations");
	if (!is_complete)
		json_object_set_new(json, "incomplete", json_pack("[s]", "goodput"));
	free(answer->bytes);
	answer->bytes = NULL;
	dash_answer_json(answer, 200, json);
}
