/*
 * Answers any request of a chart over a few results. It is refused at an existing location, or the
 * response is JSON that counts every row once.
 */
#include "query/points/points.h"

#include "../../../request_contract.h"
#include "../results.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ANSWER_BYTES_MAX (64u << 20)

static const char *const texts[] = {
	"{\"run_id\": \"a\", \"timestamp\": \"2026-11-19T14:12:00Z\", \"status\": \"completed\", "
	"\"config\":"
	" {\"server\": {\"model\": \"Meta\", \"tensor_parallel_size\": 2, \"seed\": null},"
	" \"benchmark\": {\"request_rate\": \"inf\"}}, \"tags\": {\"any\": [1, {\"b\": null}]},"
	" \"results\": {\"p99_ttft_ms\": 12.5, \"output_throughput\": 900}}",
	"{\"run_id\": \"b\", \"timestamp\": \"yesterday\", \"status\": \"failed\", \"config\": "
	"{\"server\":"
	" {\"model\": \"\", \"tensor_parallel_size\": \"many\"}}, \"tags\": {\"any\": "
	"\"\xce\xa3\"},"
	" \"results\": {\"p99_ttft_ms\": -0.0, \"output_throughput\": \"inf\"}}",
	"{\"config\": {\"server\": {\"tensor_parallel_size\": 4}}, \"results\": {\"p99_ttft_ms\": "
	"3e300,"
	" \"output_throughput\": 0}, \"environment\": {\"engine\": {\"simulated\": true}}}",
	"{\"results\": null, \"tags\": {\"any\": 1e300}}",
};
#define RESULTS PL_ARRAY_SIZE(texts)

static struct mirror *mirror;

static void must(bool holds)
{
	if (!holds)
		abort();
}

static json_int_t number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static json_int_t sum_of(const json_t *list)
{
	json_int_t sum = 0;
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item) sum += json_integer_value(item);
	return sum;
}

/* Checks that the points with counts represent all drawn rows. */
static void check_answer(const json_t *answer)
{
	static const char *const whole[] = { "groups", "grid" };
	static const char *const counts[] = { "n", "missing", "null", "word", "infinite" };
	static const char *const marked[] = { "marks", "lines" };
	json_int_t left = 0;
	const char *reason;
	json_t *rows;

	json_object_foreach(json_object_get(answer, "excluded"), reason, rows)
		left += json_integer_value(rows);
	must(number(answer, "count") == number(answer, "drawn") + left);
	for (size_t i = 0; i < PL_ARRAY_SIZE(marked); i++) {
		const json_t *lists = json_object_get(answer, marked[i]);
		must(lists == NULL ||
		     sum_of(json_object_get(lists, "count")) == number(answer, "drawn"));
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(whole); i++) {
		const json_t *lists = json_object_get(answer, whole[i]);
		json_int_t sum = 0;
		for (size_t k = 0; k < PL_ARRAY_SIZE(counts); k++)
			sum += sum_of(json_object_get(lists, counts[k]));
		must(lists == NULL || sum == number(answer, "drawn"));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_json json_t *request = json_loadb((const char *)data, size, JSON_DECODE_ANY, NULL);
	auto_schema_faults faults = { 0 };
	auto_buf text = PL_BUF(ANSWER_BYTES_MAX);
	struct pl_err err = PL_ERR_INIT;

	if (mirror == NULL)
		mirror = results_mirror(texts, RESULTS);
	if (request == NULL)
		return 0;
	if (!request_fits(REQUEST_POINTS, request, &faults))
		return 0;
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(mirror);
	if (query_points(snapshot, request, &text, &faults, &err) < 0) {
		must(faults.count > 0 && err.text[0] != '\0');
		for (size_t i = 0; i < faults.count; i++)
			must(faults.items[i].found != NULL && faults.items[i].expected != NULL);
		return 0;
	}
	auto_json json_t *answer = json_loadb(text.data, text.len, 0, NULL);
	must(faults.count == 0 && answer != NULL);
	check_answer(answer);
	return 0;
}
