#include "dash/contract.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char contract_text[] =
	"openapi: 3.1.0\n"
	"paths:\n"
	"  /things/{id}:\n"
	"    get:\n"
	"      parameters:\n"
	"        - { name: id, in: path, required: true, schema: { type: string } }\n"
	"        - $ref: '#/components/parameters/Limit'\n"
	"        - { name: ratio, in: query, schema: { type: number } }\n"
	"        - { name: ids, in: query, explode: false,\n"
	"            schema: { type: array, maxItems: 2, items: { type: string, minLength: 1 } } "
	"}\n"
	"        - { name: flag, in: query, required: true, schema: { type: boolean } }\n"
	"        - name: tree\n"
	"          in: query\n"
	"          content: { application/json: { schema: { $ref: '#/components/schemas/Tree' } } "
	"}\n"
	"      responses: { '200': {}, '304': {} }\n"
	"    post:\n"
	"      requestBody:\n"
	"        x-bytes-max: 100\n"
	"        content:\n"
	"          application/json: { schema: { $ref: '#/components/schemas/Tree' } }\n"
	"          text/csv: {}\n"
	"      responses: { '202': {} }\n"
	"components:\n"
	"  parameters:\n"
	"    Limit: { name: limit, in: query, schema: { $ref: '#/components/schemas/Limit' } }\n"
	"  schemas:\n"
	"    Limit: { type: integer, maximum: 9 }\n"
	"    Tree: { type: object, properties: { not: { $ref: '#/components/schemas/Tree' } },\n"
	"            additionalProperties: false }\n";

static int open_contract(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	struct dash_contract *contract;

	if (dash_contract_read(contract_text, sizeof(contract_text) - 1, &contract, &err) < 0)
		return -1;
	*state = contract;
	return 0;
}

static int close_contract(void **state)
{
	dash_contract_free(*state);
	return 0;
}

/* Returns the query as compact JSON, or the pointers of its faults, each followed by a blank;
 * free(). */
static char *query_of(const struct dash_contract *contract, const char *text)
{
	auto_target target;
	auto_json json_t *query = NULL;
	auto_schema_faults faults = { 0 };
	auto_buf pointers = PL_BUF(4096);
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(dash_target_read(text, &target, &err), 0);
	if (dash_operation_query(dash_contract_find(contract, "GET", "/things/{id}"), &target,
				 &query, &faults, &err) == 0)
		return pl_json_to_text(query, PL_JSON_COMPACT);
	for (size_t i = 0; i < faults.count; i++)
		pl_buf_addf(&pointers, "%s ", faults.items[i].pointer);
	return faults.count > 0 ? pl_buf_take(&pointers) : pl_strdup(err.text);
}

static void test_dash_contract__queries(void **state)
{
	static const char *const cases[][2] = {
		{ "/?flag=true&limit=9&ratio=0.5&tree={\"not\":{}}",
		  "{\"flag\":true,\"limit\":9,\"ratio\":0.5,\"tree\":{\"not\":{}}}" },
		{ "/?flag=false", "{\"flag\":false}" },
		{ "/", " " },
		{ "/?flag", "{\"flag\":true}" },
		{ "/?flag=", "{\"flag\":true}" },
		{ "/?flag=1", "{\"flag\":true}" },
		{ "/?flag=0", "{\"flag\":false}" },
		{ "/?flag=yes", "/flag " },
		{ "/?flag=true&limit=10", "/limit " },
		{ "/?flag=true&limit=9.0", "/limit " },
		{ "/?flag=true&tree={\"not\":{\"nt\":1}}", "/tree/not " },
		{ "/?flag=true&other=1", " " },
		{ "/?flag=true&ids=a", "{\"flag\":true,\"ids\":[\"a\"]}" },
		{ "/?flag=true&ids=a,-b", "{\"flag\":true,\"ids\":[\"a\",\"-b\"]}" },
		{ "/?flag=true&ids=", "/ids/0 " },
		{ "/?flag=true&ids=a,,", "/ids /ids/1 /ids/2 " },
		{ "/?flag=true&flag=true", "found 'flag' more than once" },
		{ "/?flag=true&tree={", "tree:1:1: not valid JSON: string or '}' expected near end "
					"of file" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *reported = query_of(*state, cases[i][0]);
		assert_string_equal(reported, cases[i][1]);
	}
}

static void test_dash_contract__bodies(void **state)
{
	const struct dash_operation *post = dash_contract_find(*state, "POST", "/things/{id}");
	const struct dash_operation *get = dash_contract_find(*state, "GET", "/things/{id}");

	assert_null(dash_contract_find(*state, "PUT", "/things/{id}"));
	assert_int_equal(dash_operation_bytes_max(post), 100);
	assert_int_equal(dash_operation_bytes_max(get), 0);
	assert_true(dash_operation_can_be_304(get));
	assert_false(dash_operation_can_be_304(post));
	assert_true(dash_operation_takes(post, "Application/JSON;charset=utf-8"));
	assert_true(dash_operation_takes(post, "text/csv"));
	assert_false(dash_operation_takes(post, "text/csvx"));
	assert_false(dash_operation_takes(post, NULL));
	assert_string_equal(dash_operation_media(post), "application/json, text/csv");
	assert_non_null(dash_operation_schema(post, "application/json"));
	assert_null(dash_operation_schema(post, "text/csv"));
}

static void test_dash_contract__the_built_in_contract(void **state)
{
	(void)state;
	auto_contract struct dash_contract *contract = NULL;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(dash_contract_open(&contract, &err), 0);
	assert_true(dash_contract_count(contract) > 10);
	assert_int_equal(dash_contract_compile(contract, &err), 0);
}

static void test_dash_contract__a_body_without_its_limit(void **state)
{
	(void)state;
	static const char text[] = "paths: { /a: { post: { requestBody: { content: {} } } } }";
	struct dash_contract *contract;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(dash_contract_read(text, sizeof(text) - 1, &contract, &err), -1);
	assert_non_null(strstr(err.text, "/paths/~1a/post/requestBody: has no x-bytes-max"));
}

static void test_dash_contract__a_malformed_schema(void **state)
{
	(void)state;
	static const char text[] = "paths: { /a: { get: { parameters: [ { name: b, in: query,"
				   " schema: { tipe: string } } ] } } }";
	struct dash_contract *contract;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(dash_contract_read(text, sizeof(text) - 1, &contract, &err), -1);
	assert_non_null(strstr(err.text, "unknown keyword 'tipe'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dash_contract__queries),
		cmocka_unit_test(test_dash_contract__bodies),
		cmocka_unit_test(test_dash_contract__the_built_in_contract),
		cmocka_unit_test(test_dash_contract__a_body_without_its_limit),
		cmocka_unit_test(test_dash_contract__a_malformed_schema),
	};

	return cmocka_run_group_tests(tests, open_contract, close_contract);
}
