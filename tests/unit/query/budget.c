/* The time limits of a query: what each query answers if its time has ended before it begins, and if there is no limit. */
#include "query/query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "query/configurations/pareto.h"
#include "query/configurations/scaling.h"
#include "query/configurations/slo.h"
#include "query/groups/compare.h"
#include "query/groups/summary.h"
#include "query/impact/impact.h"
#include "query/missing/missing.h"
#include "query/points/points.h"
#include "query/series/series.h"
#include "request_contract.h"

#define ANSWER_BYTES_MAX (8u << 20)
#define CACHE_BYTES      (1u << 20)
#define ROWS             240
#define PAST_NS          1
#define OPTIONAL         0x1 /* it has parts that the time ends */

struct table {
	struct res_fields *fields;
	struct mirror *mirror;
	json_t *documents;
};

static int read_document(void *context, int64_t id, const char *member, json_t **ret,
			 int64_t *ret_changed, struct pl_err *err)
{
	const struct table *table = context;

	(void)member;
	(void)err;
	*ret_changed = 0;
	*ret = json_incref(json_array_get(table->documents, (size_t)id - 1));
	return 0;
}

/* Two releases, sizes, limits and repeats, so that each analysis has something to compute. */
static json_t *document_of(int i)
{
	char run_id[32], time[32];
	int size = 1 << i % 3, limit = 16 << i / 3 % 4;

	snprintf(run_id, sizeof(run_id), "exp_%04d", i);
	snprintf(time, sizeof(time), "2026-%02d-%02dT00:00:00Z", 1 + i / 28 % 12, 1 + i % 28);
	return json_pack("{s:s, s:s, s:s, s:s, s:{s:{s:s, s:i, s:i}, s:{s:i}, s:[s, s, s]}, "
			 "s:{s:s, s:{s:s, s:s, s:b}},"
			 " s:{s:f, s:f, s:f, s:f}, s:{s:f}}",
			 "run_id", run_id, "timestamp", time, "status", "completed", "suite",
			 "nightly", "config", "server", "model", "some/model",
			 "tensor_parallel_size", size, "max_num_seqs", limit, "benchmark",
			 "max_concurrency", limit, "server_explicit", "model", "max_num_seqs",
			 "tensor_parallel_size", "environment", "hostname", "node", "engine",
			 "name", "vllm", "version", i < ROWS / 2 ? "0.31.0" : "0.32.0", "simulated",
			 0, "results", "median_ttft_ms", 80.0 / size + i % 7, "output_throughput",
			 1000.0 * size + i % 11, "p99_ttft_ms", 200.0 / size + i % 5, "duration",
			 10.0, "tags", "number", (double)i);
}

static void table_init(struct table *table)
{
	*table = (struct table){ .fields = res_fields_new(NULL), .documents = json_array() };
	table->mirror = mirror_new(table->fields, read_document, table);
	for (int i = 0; i < ROWS; i++) {
		auto_row row = { .id = 0 };
		json_t *document = document_of(i);
		assert_non_null(document);
		json_array_append_new(table->documents, document);
		mirror_row_of_document(table->fields, document, &row);
		row.id = i + 1;
		mirror_append(table->mirror, &row);
	}
	mirror_publish(table->mirror);
}

static void table_done(struct table *table)
{
	mirror_free(table->mirror);
	res_fields_free(table->fields);
	json_decref(table->documents);
}
#define auto_table __attribute__((cleanup(table_done))) struct table

static int regression(const struct mirror_snapshot *snapshot, const json_t *request,
		      struct pl_buf *ret, struct schema_faults *faults, struct pl_err *err)
{
	struct query_series_cache *cache = query_series_cache_new(CACHE_BYTES);
	int result = query_regression(snapshot, request,
				      &(struct query_regression_inputs){ .cache = cache }, ret,
				      faults, err);

	query_series_cache_free(cache);
	return result;
}

static const struct {
	const char *path; /* of the contract; NULL: GET */
	int (*query)(const struct mirror_snapshot *snapshot, const json_t *request,
		     struct pl_buf *ret, struct schema_faults *faults, struct pl_err *err);
	const char *request;
	unsigned has;
} queries[] = {
#define SIDE(n)                                                                                    \
	"{\"filter\": {\"field\": \"server.tensor_parallel_size\", \"op\": \"eq\", \"value\": " #n \
	"}}"
	{ "/api/filters/apply", query_apply,
	  "{\"facets\": true, \"metrics\": [\"results.p99_ttft_ms\"], \"sort\": [{\"field\": "
	  "\"run.run_id\", \"dir\": \"asc\"}],"
	  " \"filter\": {\"field\": \"server.max_num_seqs\", \"op\": \"ge\", \"value\": 16}}",
	  OPTIONAL },
	{ NULL, query_options, "{\"limit\": 10}", OPTIONAL },
	{ NULL, query_summary, "{\"group_by\": [\"server.max_num_seqs\"]}", OPTIONAL },
	{ "/api/data/points", query_points,
	  "{\"x\": \"results.median_ttft_ms\", \"y\": \"results.output_throughput\","
	  " \"color\": \"server.max_num_seqs\", \"shape\": \"server.tensor_parallel_size\"}",
	  OPTIONAL },
	{ "/api/data/points", query_points,
	  "{\"form\": \"grid\", \"x\": \"server.max_num_seqs\", \"y\": "
	  "\"server.tensor_parallel_size\","
	  " \"value\": \"results.output_throughput\", \"match\": true}",
	  0 },
	{ "/api/data/compare", query_compare,
	  "{\"sides\": [" SIDE(1) ", " SIDE(2) "], \"match\": true}", OPTIONAL },
	{ "/api/analysis/pareto", query_pareto,
	  "{\"metrics\": [{\"field\": \"results.output_throughput\"}, {\"field\": "
	  "\"results.median_ttft_ms\"}]}",
	  OPTIONAL },
	{ "/api/analysis/scaling", query_scaling, "{}", OPTIONAL },
	{ "/api/analysis/slo", query_slo,
	  "{\"limits\": [{\"latency\": \"ttft\", \"percentile\": 99, \"max\": 500}]}", 0 },
	{ "/api/analysis/missing", query_missing, "{}", 0 },
	{ "/api/analysis/impact", query_impact, "{\"metric\": \"results.output_throughput\"}",
	  OPTIONAL },
	{ "/api/analysis/trends", query_trends, "{\"metric\": \"results.output_throughput\"}", 0 },
	{ "/api/analysis/regression", regression, "{\"metrics\": [\"results.median_ttft_ms\"]}",
	  OPTIONAL },
	{ "/api/analysis/releases", query_releases,
	  "{\"metrics\": [\"results.median_ttft_ms\","
	  " \"results.output_throughput\"]}",
	  OPTIONAL },
};

/* Returns the response; NULL: refused, with *err. */
static json_t *ask(struct table *table, size_t i, int64_t end_ns, int64_t refuse_ns,
		   struct pl_err *err)
{
	auto_snapshot struct mirror_snapshot *all = mirror_snapshot_take(table->mirror);
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_for(all, NULL);
	auto_json json_t *request = json_loads(queries[i].request, 0, NULL);
	auto_buf text = PL_BUF(ANSWER_BYTES_MAX);
	auto_schema_faults faults = { 0 };

	assert_non_null(request);
	if (queries[i].path != NULL)
		if (!request_fits(queries[i].path, request, &faults))
			fail_msg("query %zu: %s: %s", i, faults.items[0].pointer,
				 faults.items[0].expected);
	mirror_snapshot_limit(snapshot, end_ns, refuse_ns);
	if (queries[i].query(snapshot, request, &text, &faults, err) < 0) {
		assert_int_equal(faults.count, 0);
		return NULL;
	}
	json_t *answer = json_loadb(text.data, text.len, 0, NULL);
	assert_non_null(answer);
	json_object_del(answer, "elapsed_ms");
	return answer;
}

/* However late it is, without refuse_ns a query has its required parts, and lists the others as incomplete. */
static void test_query_budget__optional_parts_end(void **state)
{
	auto_table table;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	table_init(&table);
	for (size_t i = 0; i < PL_ARRAY_SIZE(queries); i++) {
		auto_json json_t *whole = ask(&table, i, 0, 0, &err);
		auto_json json_t *late = ask(&table, i, PAST_NS, 0, &err);
		if (whole == NULL || late == NULL)
			fail_msg("query %zu: %s", i, err.text);
		assert_int_equal(json_array_size(json_object_get(whole, "incomplete")), 0);
		size_t count = json_array_size(json_object_get(late, "incomplete"));
		if ((queries[i].has & OPTIONAL) != 0 ? count == 0 : !json_equal(whole, late))
			fail_msg("query %zu: %zu incomplete parts", i, count);
		assert_int_equal(json_integer_value(json_object_get(whole, "count")),
				 json_integer_value(json_object_get(late, "count")));
	}
}

static void test_query_budget__required_parts_are_refused(void **state)
{
	auto_table table;

	(void)state;
	table_init(&table);
	for (size_t i = 0; i < PL_ARRAY_SIZE(queries); i++) {
		struct pl_err err = PL_ERR_INIT;
		auto_json json_t *answer = ask(&table, i, PAST_NS, PAST_NS, &err);
		if (answer != NULL || err.code != PL_ERR_INTERRUPTED ||
		    strstr(err.text, "budget_ms is used up") == NULL)
			fail_msg("query %zu was not refused: %s", i, err.text);
	}
}

/* Long before either limit, the response is the same as without. */
static void test_query_budget__enough_time_changes_nothing(void **state)
{
	auto_table table;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	table_init(&table);
	for (size_t i = 0; i < PL_ARRAY_SIZE(queries); i++) {
		int64_t later_ns = pl_clock_now_ns() + 600 * PL_NS_PER_S;
		auto_json json_t *whole = ask(&table, i, 0, 0, &err);
		auto_json json_t *answer = ask(&table, i, later_ns, later_ns, &err);
		assert_true(answer != NULL && json_equal(whole, answer));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_query_budget__optional_parts_end),
		cmocka_unit_test(test_query_budget__required_parts_are_refused),
		cmocka_unit_test(test_query_budget__enough_time_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
