/*
 * Applies any filter to a few results. It is refused at an existing location, or its rows and those
 * of its complement are all rows. The same bytes are also read as a request, and each text as a
 * cursor.
 */
#include "query/filter.h"

#include "../../request_contract.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "query/query.h"
#include "results.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RESULTS          3
#define ANSWER_BYTES_MAX (64u << 20)

static const char *const texts[RESULTS] = {
	"{\"run_id\": \"a\", \"timestamp\": \"2026-11-19T14:12:00Z\", \"status\": \"completed\","
	" \"config\": {\"server\": {\"model\": \"Meta\", \"max_model_len\": \"auto\","
	" \"tensor_parallel_size\": 2, \"enable_prefix_caching\": true, \"seed\": null},"
	" \"server_explicit\": [\"model\"], \"benchmark\": {\"request_rate\": \"inf\"}},"
	" \"tags\": {\"any\": [1, {\"b\": null}]}, \"results\": {\"p99_ttft_ms\": 12.5}}",
	"{\"run_id\": \"b\", \"timestamp\": \"yesterday\", \"config\": {\"server\": {\"model\": "
	"\"\","
	" \"max_model_len\": 4096, \"tensor_parallel_size\": \"many\", \"new\": 1}},"
	" \"tags\": {\"any\": \"\xce\xa3\"}, \"results\": {\"p99_ttft_ms\": -0.0}}",
	"{\"results\": null, \"tags\": {\"any\": 1e300}}",
};
static struct mirror *mirror;

/* RFC 6901, of a pointer whose keys may themselves be parts of it. */
static const json_t *at_pointer(const json_t *json, const char *pointer)
{
	while (json != NULL && *pointer == '/') {
		char key[4096];
		size_t len = 0;
		for (pointer++; *pointer != '\0' && *pointer != '/'; pointer++) {
			char c = *pointer;
			if (c == '~')
				c = *++pointer == '1' ? '/' : '~';
			if (len < sizeof(key) - 1)
				key[len++] = c;
		}
		key[len] = '\0';
		json = json_is_array(json) ? json_array_get(json, strtoul(key, NULL, 10))
					   : json_object_get(json, key);
	}
	return json;
}

/* -1: it was refused. */
static json_int_t count_of(json_t *request)
{
	auto_schema_faults unfit = { 0 };
	if (!request_fits(REQUEST_APPLY, request, &unfit))
		return -1;
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(mirror);
	auto_schema_faults faults = { 0 };
	auto_buf text = PL_BUF(ANSWER_BYTES_MAX);
	struct pl_err err = PL_ERR_INIT;

	if (query_apply(snapshot, request, &text, &faults, &err) < 0) {
		if (faults.count == 0 || err.text[0] == '\0')
			abort();
		for (size_t i = 0; i < faults.count; i++) {
			const struct schema_fault *fault = &faults.items[i];
			if (fault->found == NULL || fault->expected == NULL ||
			    at_pointer(request, fault->pointer) == NULL)
				abort();
		}
		return -1;
	}
	auto_json json_t *answer = json_loadb(text.data, text.len, 0, NULL);
	/* what is answered is JSON, whatever was asked */
	if (faults.count > 0 || answer == NULL)
		abort();
	return json_integer_value(json_object_get(answer, "count"));
}

static void check_options(const json_t *request)
{
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(mirror);
	auto_schema_faults faults = { 0 };
	auto_buf text = PL_BUF(ANSWER_BYTES_MAX);
	struct pl_err err = PL_ERR_INIT;

	if (request_fits(REQUEST_OPTIONS, request, &faults) &&
	    query_options(snapshot, request, &text, &faults, &err) < 0 && faults.count == 0)
		abort();
	schema_faults_done(&faults);
	faults = (struct schema_faults){ 0 };
	if (request_fits(REQUEST_VALUES, request, &faults) &&
	    query_values(snapshot, request, &text, &faults, &err) < 0 && faults.count == 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_json json_t *tree = json_loadb((const char *)data, size, JSON_DECODE_ANY, NULL);

	if (mirror == NULL)
		mirror = results_mirror(texts, RESULTS);
	if (tree == NULL)
		return 0;
	if (json_is_string(tree)) {
		auto_json json_t *on = json_pack("{s:O}", "cursor", tree);
		(void)count_of(on);
		return 0;
	}
	auto_json json_t *request = json_pack("{s:O, s:[s, s], s:[s], s:i}", "filter", tree,
					      "facets", "tags.any", "run.timestamp", "columns",
					      "server.max_model_len", "limit", 3);
	auto_json json_t *other = json_pack("{s:{s:O}, s:i}", "filter", "not", tree, "limit", 0);
	json_int_t count = count_of(request), rest = count_of(other);
	/* one level more may be one too many */
	if (count >= 0 && rest >= 0 && count + rest != RESULTS)
		abort();
	(void)count_of(tree);
	check_options(tree);
	return 0;
}
