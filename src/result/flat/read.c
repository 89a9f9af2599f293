/*
 * Reading a flat result of any release of `vllm bench serve`: names of keys and the set of lists
 * changed over time. Existing keys are checked strictly, missing ones are accepted: a wrong type is
 * an error with the key's name, a missing list means that less is known.
 */
#include "result/flat/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "result/document.h"
#include "result/flat/console.h"
#include "result/flat/python_json.h"

/* A time above 30 years is invalid, and ns would overflow. */
#define SECONDS_MAX 1e9

/* Lists of single requests: all of them or none. */
static const char *const detailed[] = { "input_lens", "output_lens", "ttfts", "itls", "errors" };

/* Ends of the summary's keys, "p99_ttft_ms". */
static const char *const statistics[] = {
	"_ttft_ms",
	"_tpot_ms",
	"_itl_ms",
	"_e2el_ms",
	"_client_queue_time_ms",
	"_e2el_including_client_queue_ms",
};

/* ---- single values ---- */

static int wrong(const json_t *json, const char *key, const char *expected, struct pl_err *err)
{
	return res_refuse_value(json_object_get(json, key), expected, err, "/%s", key);
}

static int read_text(const json_t *json, const char *key, const char **ret, struct pl_err *err)
{
	const json_t *value = json_object_get(json, key);

	if (value != NULL && !json_is_null(value) && !json_is_string(value))
		return wrong(json, key, "a string or null", err);
	*ret = json_string_value(value);
	return 0;
}

/* `absent`: the value for null and for a missing key. Rejects negative numbers. */
static int read_count(const json_t *json, const char *key, int64_t absent, int64_t *ret,
		      struct pl_err *err)
{
	const json_t *value = json_object_get(json, key);

	*ret = absent;
	if (value == NULL || json_is_null(value))
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return wrong(json, key, "an integer of at least 0", err);
	*ret = json_integer_value(value);
	return 0;
}

/* Reads a number of at least 0; NaN: null or missing. `infinite`: also accepts "inf". */
static int read_number(const json_t *json, const char *key, bool infinite, double *ret,
		       struct pl_err *err)
{
	const json_t *value = json_object_get(json, key);

	*ret = NAN;
	if (value == NULL || json_is_null(value))
		return 0;
	if (infinite && pl_text_equal(json_string_value(value), "inf")) {
		*ret = INFINITY;
		return 0;
	}
	if (!json_is_number(value) || !(json_number_value(value) >= 0))
		return wrong(json, key,
			     infinite ? "a number of at least 0 or \"inf\""
				      : "a number of at least 0",
			     err);
	*ret = json_number_value(value);
	return 0;
}

const char *res_flat_statistic(const char *key)
{
	bool begins = pl_text_starts(key, "mean_") || pl_text_starts(key, "median_") ||
		      pl_text_starts(key, "std_") ||
		      (key[0] == 'p' && key[1] >= '0' && key[1] <= '9');

	for (size_t i = 0; begins && i < PL_ARRAY_SIZE(statistics); i++) {
		if (pl_text_ends(key, statistics[i]))
			return statistics[i];
	}
	return NULL;
}

/* ---- lists ---- */

/* *ret NULL: not there. */
static int read_list(const struct res_flat *flat, const char *key, const json_t **ret,
		     struct pl_err *err)
{
	const json_t *list = json_object_get(flat->json, key);

	*ret = NULL;
	if (list == NULL || json_is_null(list))
		return 0;
	if (!json_is_array(list))
		return wrong(flat->json, key, "a list", err);
	*ret = list;
	return 0;
}

static int item_seconds(const json_t *list, size_t i, const char *key, double *ret,
			struct pl_err *err)
{
	const json_t *item = json_array_get(list, i);

	if (!json_is_number(item) || !(json_number_value(item) >= 0) ||
	    json_number_value(item) > SECONDS_MAX)
		return res_refuse_value(item, "seconds from 0 on", err, "/%s/%zu", key, i);
	*ret = json_number_value(item);
	return 0;
}

static int item_count(const json_t *list, size_t i, const char *key, int64_t *ret,
		      struct pl_err *err)
{
	const json_t *item = json_array_get(list, i);

	if (!json_is_integer(item) || json_integer_value(item) < 0)
		return res_refuse_value(item, "an integer of at least 0", err, "/%s/%zu", key, i);
	*ret = json_integer_value(item);
	return 0;
}

static int read_gaps(struct res_flat *flat, const json_t *itls, struct pl_err *err)
{
	size_t total = 0, at = 0;

	for (size_t i = 0; i < flat->count; i++)
		total += json_array_size(json_array_get(itls, i));
	flat->gaps = pl_alloc_array(total, sizeof(double));
	for (size_t i = 0; i < flat->count; i++) {
		const json_t *list = json_array_get(itls, i);
		struct res_flat_request *request = &flat->requests[i];
		if (!json_is_array(list))
			return res_refuse_value(list, "a list of seconds", err, "/itls/%zu", i);
		/* one block for all: the requests borrow parts of it */
		request->gaps = flat->gaps + at;
		request->gap_count = json_array_size(list);
		char key[32];
		snprintf(key, sizeof(key), "itls/%zu", i);
		for (size_t k = 0; k < request->gap_count; k++) {
			if (item_seconds(list, k, key, &flat->gaps[at++], err) < 0)
				return -1;
		}
	}
	return 0;
}

/* Reads a list that some releases lack. *ret_has: it exists. */
static int read_seconds(struct res_flat *flat, const char *key, size_t offset, bool *ret_has,
			struct pl_err *err)
{
	const json_t *list;

	if (read_list(flat, key, &list, err) < 0)
		return -1;
	*ret_has = list != NULL;
	for (size_t i = 0; i < flat->count; i++) {
		double *into = (double *)((char *)&flat->requests[i] + offset);
		*into = NAN;
		if (list != NULL && item_seconds(list, i, key, into, err) < 0)
			return -1;
	}
	return 0;
}

static int read_request(struct res_flat *flat, const json_t *const lists[], size_t i,
			struct pl_err *err)
{
	struct res_flat_request *request = &flat->requests[i];
	const json_t *error = json_array_get(lists[4], i);

	if (item_count(lists[0], i, "input_lens", &request->input_tokens, err) < 0 ||
	    item_count(lists[1], i, "output_lens", &request->output_tokens, err) < 0 ||
	    item_seconds(lists[2], i, "ttfts", &request->ttft_s, err) < 0)
		return -1;
	if (!json_is_string(error))
		return res_refuse_value(error, "a string", err, "/errors/%zu", i);
	request->error = json_string_value(error);
	/* a failed request has latency 0 if there are latencies: its error text may be empty */
	request->ok = request->error[0] == '\0' && (!flat->has_latencies || request->latency_s > 0);
	return 0;
}

static int read_texts(struct res_flat *flat, struct pl_err *err)
{
	const json_t *texts;

	if (read_list(flat, "generated_texts", &texts, err) < 0)
		return -1;
	for (size_t i = 0; texts != NULL && i < flat->count; i++) {
		flat->requests[i].text = json_array_get(texts, i);
		if (!json_is_string(flat->requests[i].text))
			return res_refuse_value(flat->requests[i].text, "a string", err,
						"/generated_texts/%zu", i);
	}
	return 0;
}

/* Returns true with *ret_count if the lists exist. *ret_missing: one of them that is missing. */
static bool has_lists(const json_t *json, size_t *ret_count, const char **ret_missing)
{
	bool any = false;

	*ret_missing = NULL;
	for (size_t i = 0; i < PL_ARRAY_SIZE(detailed); i++) {
		const json_t *list = json_object_get(json, detailed[i]);
		if (json_is_array(list)) {
			any = true;
			*ret_count = json_array_size(list);
		} else {
			*ret_missing = detailed[i];
		}
	}
	return any;
}

/* Every list has an item for each request. Else the fault names the first that has not. */
static bool have_one_length(struct res_flat *flat)
{
	static const char *const more[] = { "start_times", "latencies", "queue_times",
					    "generated_texts" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(detailed) + PL_ARRAY_SIZE(more); i++) {
		const char *key = i < PL_ARRAY_SIZE(detailed) ? detailed[i]
							      : more[i - PL_ARRAY_SIZE(detailed)];
		const json_t *list = json_object_get(flat->json, key);
		if (!json_is_array(list) || json_array_size(list) == flat->count)
			continue;
		snprintf(flat->lists_fault, sizeof(flat->lists_fault),
			 "%s: found %zu items, expected %zu", key, json_array_size(list),
			 flat->count);
		return false;
	}
	return true;
}

/* Pooling has lengths and errors only: nothing that records could be made of. */
static bool is_pooling(const json_t *json)
{
	return json_object_get(json, "ttfts") == NULL && json_object_get(json, "itls") == NULL &&
	       json_object_get(json, "total_output_tokens") == NULL;
}

static int read_requests(struct res_flat *flat, struct pl_err *err)
{
	const json_t *lists[PL_ARRAY_SIZE(detailed)];
	const char *missing;

	if (!has_lists(flat->json, &flat->count, &missing) || is_pooling(flat->json)) {
		flat->count = 0;
		return 0;
	}
	if (missing != NULL)
		return pl_err_invalid(err, "'%s' is missing, but other lists exist", missing);
	if (!have_one_length(flat)) {
		flat->count = 0;
		return 0;
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(detailed); i++) {
		if (read_list(flat, detailed[i], &lists[i], err) < 0)
			return -1;
	}
	flat->requests = pl_alloc_array(flat->count, sizeof(*flat->requests));
	if (read_seconds(flat, "start_times", offsetof(struct res_flat_request, start_s),
			 &flat->has_starts, err) < 0 ||
	    read_seconds(flat, "latencies", offsetof(struct res_flat_request, latency_s),
			 &flat->has_latencies, err) < 0 ||
	    read_seconds(flat, "queue_times", offsetof(struct res_flat_request, queue_s),
			 &flat->has_queues, err) < 0 ||
	    read_gaps(flat, lists[3], err) < 0)
		return -1;
	for (size_t i = 0; i < flat->count; i++) {
		if (read_request(flat, lists, i, err) < 0)
			return -1;
	}
	return read_texts(flat, err);
}

/* ---- the whole ---- */

static int read_head(struct res_flat *flat, struct pl_err *err)
{
	const json_t *json = flat->json;
	bool old = json_object_get(json, "request_goodput") == NULL;

	if (read_text(json, "backend", &flat->backend, err) < 0 ||
	    read_text(json, "model_id", &flat->model_id, err) < 0 ||
	    read_text(json, "tokenizer_id", &flat->tokenizer_id, err) < 0 ||
	    read_text(json, "label", &flat->label, err) < 0 ||
	    read_text(json, "date", &flat->date, err) < 0)
		return -1;
	/* before 0.11.0 the backend only has its old name */
	if (flat->backend == NULL && read_text(json, "endpoint_type", &flat->backend, err) < 0)
		return -1;
	if (read_count(json, "num_prompts", -1, &flat->num_prompts, err) < 0 ||
	    read_count(json, "completed", -1, &flat->completed, err) < 0 ||
	    read_count(json, "max_concurrency", INT64_MIN, &flat->max_concurrency, err) < 0)
		return -1;
	if (read_number(json, "duration", false, &flat->duration_s, err) < 0 ||
	    read_number(json, "request_rate", true, &flat->request_rate, err) < 0 ||
	    read_number(json, "burstiness", true, &flat->burstiness, err) < 0)
		return -1;
	/* until 0.9.0 the key ended in a colon */
	return read_number(json, old ? "request_goodput:" : "request_goodput", false,
			   &flat->request_goodput, err);
}

static int read_all(struct res_flat *flat, struct pl_err *err)
{
	if (!json_is_object(flat->json))
		return pl_err_invalid(err, "expected one object");
	if (read_head(flat, err) < 0)
		return -1;
	/* the table of an old release lacks the number of prompts */
	if (flat->num_prompts < 0 && res_console_is_made(flat->json))
		flat->num_prompts = flat->completed;
	if (flat->num_prompts < 0 || flat->completed < 0 || isnan(flat->duration_s))
		return pl_err_invalid(err,
				      "not a result: found neither 'run_id' (profllm) nor '%s' "
				      "(vllm bench serve)",
				      flat->num_prompts < 0 ? "num_prompts"
				      : flat->completed < 0 ? "completed"
							    : "duration");
	double number;
	PL_JSON_EACH_MEMBER(key, value, flat->json) {
		if (res_flat_statistic(key) != NULL &&
		    read_number(flat->json, key, false, &number, err) < 0)
			return -1;
	}
	if (read_requests(flat, err) < 0)
		return -1;
	/* Releases before 0.11.1 count no failures. */
	int64_t sent = flat->count > 0 ? (int64_t)flat->count : flat->num_prompts;
	int64_t ok = 0;
	if (read_count(flat->json, "failed", -1, &flat->failed, err) < 0)
		return -1;
	if (flat->failed < 0)
		flat->failed = sent > flat->completed ? sent - flat->completed : 0;
	for (size_t i = 0; i < flat->count; i++)
		ok += flat->requests[i].ok;
	if (flat->count > 0 && (ok != flat->completed || flat->failed != (int64_t)flat->count - ok))
		snprintf(flat->lists_fault, sizeof(flat->lists_fault),
			 "the lists have %zu requests, %lld of them finished, but 'completed' is "
			 "%lld and 'failed' is %lld",
			 flat->count, (long long)ok, (long long)flat->completed,
			 (long long)flat->failed);
	return 0;
}

int res_flat_of_json(json_t *json, const char *source, struct res_flat **ret, struct pl_err *err)
{
	auto_flat struct res_flat *flat = pl_alloc(sizeof(*flat));

	flat->json = json_incref(json);
	if (read_all(flat, err) < 0)
		return pl_err_wrap(err, "'%s'", source);
	*ret = pl_take(flat);
	return 0;
}

int res_flat_parse(const char *text, size_t len, const char *source, struct res_flat **ret,
		   struct pl_err *err)
{
	auto_json json_t *json = NULL;

	if (res_python_json_parse(text, len, source, &json, NULL, err) < 0)
		return -1;
	return res_flat_of_json(json, source, ret, err);
}

int res_flat_read(const char *path, struct res_flat **ret, struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (pl_file_read(path, PL_JSON_BYTES_MAX, &text, &len, err) < 0)
		return -1;
	return res_flat_parse(text, len, path, ret, err);
}

void res_flat_free(struct res_flat *flat)
{
	if (flat == NULL)
		return;
	json_decref(flat->json);
	free(flat->requests);
	free(flat->gaps);
	free(flat);
}

double res_flat_number(const struct res_flat *flat, const char *key)
{
	const json_t *value = json_object_get(flat->json, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}
