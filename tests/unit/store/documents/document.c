#include "store/documents/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/buf.h"
#include "unit/store/stores.h"

static const struct {
	const char *text;
	enum store_form form;
	const char *run_id; /* NULL: none */
	const char *notes;  /* pointers, each followed by a blank */
} taken[] = {
	{ "{'run_id': 'r'}", STORE_FORM_PLAIN, "r", "" },
	{ "{'run_id': 'r', 'suite': 's', 'timestamp': 't', 'duration': 1, 'config': {}, "
	  "'results': {}, 'system': {}, 'profiling': null, 'status': 'completed'}",
	  STORE_FORM_PLAIN, "r", "" },
	{ "{'run_id': 'r', 'more': {'a': 1}}", STORE_FORM_PLAIN, "r", " " },
	{ "{'run_id': 'r', 'schema_version': 1, 'results': {'odd': 1}}", STORE_FORM_NATIVE, "r",
	  "/results " },
	{ "{'run_id': 'r', 'schema_version': 4, 'newer': 1, 'results': {'odd': 1}}",
	  STORE_FORM_NATIVE, "r", "/schema_version /results  " },
	{ "{'profllm': {'run_id': 'r', 'schema_version': 4}, 'completed': 1}", STORE_FORM_NATIVE,
	  "r", "/profllm/schema_version " },
	{ FLAT, STORE_FORM_FLAT, NULL, "" },
	{ "{'num_prompts': 1, 'completed': 1, 'duration': 1, 'mean_ttft_ms': NaN}", STORE_FORM_FLAT,
	  NULL, "/mean_ttft_ms " },
	{ "{'num_prompts': 1, 'completed': 1, 'duration': 1, 'request_rate': Infinity}",
	  STORE_FORM_FLAT, NULL, "" },
	{ "{'run_id': 'r', 'results': {'a': [1, -Infinity], 'b/c': NaN}}", STORE_FORM_PLAIN, "r",
	  "/results/a/1 /results/b~1c " },
	{ "{'avg_latency': 1, 'latencies': [1], 'percentiles': {'10': 1}}", STORE_FORM_LATENCY,
	  NULL, "" },
	{ "{'elapsed_time': 1, 'num_requests': 1, 'total_num_tokens': 1, 'requests_per_second': 1,"
	  " 'tokens_per_second': 1, 'rtfx': Infinity}",
	  STORE_FORM_THROUGHPUT, NULL, "/rtfx " },
	{ "{'run_id': 'r', 'config': {'server': {'api_key': 'x'}}}", STORE_FORM_PLAIN, "r", " " },
};

/* Objects have no order: all pointers must be present, in any order. */
static void assert_notes(const json_t *notes, const char *pointers, const char *text)
{
	size_t count = 0;

	for (const char *at = pointers; *at != '\0'; count++) {
		const char *end = strchr(at, ' ');
		bool found = false;
		for (size_t i = 0; i < json_array_size(notes); i++) {
			const char *pointer = json_string_value(
				json_object_get(json_array_get(notes, i), "pointer"));
			found = found || (strlen(pointer) == (size_t)(end - at) &&
					  strncmp(pointer, at, (size_t)(end - at)) == 0);
		}
		if (!found)
			fail_msg("%s: no note at '%.*s'", text, (int)(end - at), at);
		at = end + 1;
	}
	if (json_array_size(notes) != count)
		fail_msg("%s: %zu notes", text, json_array_size(notes));
}

static void test_store_documents_document__is_recognized_by_its_content(void **state)
{
	auto_tools tools = { .fields = NULL };

	(void)state;
	tools_init(&tools);
	for (size_t i = 0; i < PL_ARRAY_SIZE(taken); i++) {
		auto_store_document document = { .len = 0 };
		read_text(&tools, taken[i].text, &document);
		assert_int_equal(document.form, taken[i].form);
		assert_notes(document.notes, taken[i].notes, taken[i].text);
		if (taken[i].run_id != NULL)
			assert_string_equal(document.run_id, taken[i].run_id);
		else
			assert_null(document.run_id);
	}
}

static const struct {
	const char *text;
	const char *pointer;
	int line;
	const char *says;
} rejected[] = {
	{ "", "", 1, "not valid JSON" },
	{ "{'run_id': 'r',\n\n'a'}", "", 3, "not valid JSON" },
	{ "{'run_id': 'r', 'run_id': 's'}", "", 1, "duplicate object key" },
	{ "{'run_id': 'r', 'a': 123456789012345678901}", "", 1, "too big integer" },
	{ "[]", "", 1, "expected one object" },
	{ "{'a': 1}", "", 1, "neither 'run_id'" },
	{ "{'run_id': 5}", "/run_id", 1, "/run_id: found 5, expected a string" },
	{ "{'run_id': '', 'suite': 's'}", "/run_id", 1, "/run_id: " },
	{ "{'run_id': 'r', 'config': 7, 'results': [], 'more': 1}", "/config", 1, "(and 2 more)" },
	{ "{'run_id': 'r', 'schema_version': 2}", "", 1, "not a result of schema_version 2" },
	{ "{'run_id': 'r', 'schema_version': 3}", "", 1, "not a result of schema_version 3" },
	{ "{'run_id': 'r', 'schema_version': '2'}", "/schema_version", 1,
	  "not a result of schema_version 3" },
	{ "{'profllm': {'run_id': 'r', 'schema_version': 2, 'results': 3}}", "/profllm/results", 1,
	  "not a result of schema_version 2" },
	{ "{\n'run_id': 'r',\n'duration':\n'x'}", "/duration", 3, "found \"x\"" },
	{ "{'run_id': 'r',\n'config': {}, 'more': 1,\n'suite': 5}", "", 2, "/suite: found 5" },
};

static bool has_fault(const json_t *faults, const char *pointer, int line)
{
	for (size_t i = 0; i < json_array_size(faults); i++) {
		const json_t *fault = json_array_get(faults, i);
		const char *found = json_string_value(json_object_get(fault, "pointer"));
		if (strcmp(found, pointer) == 0 &&
		    json_integer_value(json_object_get(fault, "line")) == line &&
		    json_is_string(json_object_get(fault, "message")))
			return true;
	}
	return false;
}

static void test_store_documents_document__is_rejected_with_every_fault(void **state)
{
	auto_tools tools = { .fields = NULL };

	(void)state;
	tools_init(&tools);
	for (size_t i = 0; i < PL_ARRAY_SIZE(rejected); i++) {
		auto_free char *bytes = quoted(rejected[i].text);
		auto_store_document document = { .len = 0 };
		auto_json json_t *faults = NULL;
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(store_document_read(tools.reader,
						     &(struct store_source){ .bytes = bytes,
									     .len = strlen(bytes),
									     .name = "x.json",
									     .line = 1 },
						     &document, &faults, &err),
				 -1);
		if (strstr(err.text, rejected[i].says) == NULL)
			fail_msg("%s: %s", rejected[i].text, err.text);
		if (!has_fault(faults, rejected[i].pointer, rejected[i].line)) {
			auto_free char *reported = pl_json_to_text(faults, PL_JSON_COMPACT);
			fail_msg("%s: %s", rejected[i].text, reported);
		}
	}
}

/* The keys that a result lacks are more than a thousand, and hide no fault after them. */
static void test_store_documents_document__missing_keys_hide_nothing(void **state)
{
	static const struct {
		const char *key, *value, *pointer; /* pointer NULL: it is taken */
	} rows[] = {
		{ "status", "\"partial\"", NULL },
		{ "status", "7", "/status" },
		{ "status", "\"lost\"", "/status" },
		{ "timestamp", "7", "/timestamp" },
	};
	auto_tools tools = { .fields = NULL };

	(void)state;
	tools_init(&tools);
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_json json_t *json = json_load_file(
			PROFLLM_SOURCE_DIR "/tests/scenario/data/result.json", 0, NULL);
		json_object_set_new(json, "quality", json_pack("{s:n}", "verdict"));
		json_object_set_new(json, rows[i].key,
				    json_loads(rows[i].value, JSON_DECODE_ANY, NULL));
		auto_free char *text = pl_json_to_text(json, PL_JSON_COMPACT);
		auto_store_document document = { .len = 0 };
		auto_json json_t *faults = NULL;
		struct pl_err err = PL_ERR_INIT;
		int done = store_document_read(
			tools.reader,
			&(struct store_source){
				.bytes = text, .len = strlen(text), .name = "x.json", .line = 1 },
			&document, &faults, &err);
		if ((done == 0) != (rows[i].pointer == NULL))
			fail_msg("%s %s: %s", rows[i].key, rows[i].value, err.text);
		if (done < 0)
			assert_true(has_fault(faults, rows[i].pointer, 1));
	}
}

/* Another release may know more values of a list. The status and the verdict decide what a result is worth, and are known. */
static void test_store_documents_document__values_of_other_releases(void **state)
{
	static const struct {
		const char *path, *value, *pointer;
		bool taken;
	} rows[] = {
		{ "status", "\"failed\"", NULL, true },
		{ "status", "\"lost\"", "/status", false },
		{ "status", "7", "/status", false },
		{ "quality.verdict", "null", NULL, true },
		{ "quality.verdict", "\"fair\"", "/quality/verdict", false },
		{ "config.benchmark.client", "\"own\"", "/config/benchmark/client", true },
		{ "config.benchmark.client", "7", "/config/benchmark/client", false },
		{ "config.benchmark.backend", "\"own\"", "/config/benchmark/backend", true },
	};
	auto_tools tools = { .fields = NULL };

	(void)state;
	tools_init(&tools);
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_json json_t *json = json_load_file(
			PROFLLM_SOURCE_DIR "/tests/scenario/data/result.json", 0, NULL);
		/* a run that failed lacks most keys, which is not a fault */
		json_object_update_new(json,
				       json_pack("{s:s, s:n, s:{}, s:{s:n}}", "status", "failed",
						 "results", "error", "quality", "verdict"));
		const char *dot = strrchr(rows[i].path, '.');
		auto_free char *parent = pl_strndup(rows[i].path,
						    dot != NULL ? (size_t)(dot - rows[i].path) : 0);
		json_object_set_new(dot != NULL ? pl_json_get_path(json, parent) : json,
				    dot != NULL ? dot + 1 : rows[i].path,
				    json_loads(rows[i].value, JSON_DECODE_ANY, NULL));
		auto_free char *text = pl_json_to_text(json, PL_JSON_COMPACT);
		auto_store_document document = { .len = 0 };
		auto_json json_t *faults = NULL;
		struct pl_err err = PL_ERR_INIT;
		int done = store_document_read(
			tools.reader,
			&(struct store_source){
				.bytes = text, .len = strlen(text), .name = "x.json", .line = 1 },
			&document, &faults, &err);
		if ((done == 0) != rows[i].taken)
			fail_msg("%s %s: %s", rows[i].path, rows[i].value, err.text);
		const json_t *notes = done == 0 ? document.notes : faults;
		if (done == 0)
			assert_int_equal(json_array_size(notes), rows[i].pointer != NULL);
		if (rows[i].pointer != NULL)
			assert_string_equal(pl_json_get_text(json_array_get(notes, 0), "pointer"),
					    rows[i].pointer);
	}
}

/* A document from a file of many, and one that was rewritten. */
static void test_store_documents_document__lines_are_those_of_the_file(void **state)
{
	static const struct {
		const char *text, *name;
		int first, line;
		const char *says;
	} rows[] = {
		{ "{\"a\": ", "m.jsonl:3", 3, 3, "m.jsonl:3:6: not valid JSON" },
		{ "{\n\"a\": ", "r.json[2]", 17, 18, "r.json[2]:18:5: not valid JSON" },
		{ "{\n\"run_id\": 5}", "r.json[2]", 17, 18, "'r.json[2]' is not a result" },
		{ "[]", "m.jsonl:3", 3, 3, "'m.jsonl:3': expected one object" },
		{ "{\"run_id\": 5}", "m.jsonl:3", 0, 0, "'m.jsonl:3' is not a result" },
	};
	auto_tools tools = { .fields = NULL };

	(void)state;
	tools_init(&tools);
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_store_document document = { .len = 0 };
		auto_json json_t *faults = NULL;
		struct pl_err err = PL_ERR_INIT;
		const struct store_source source = { .bytes = rows[i].text,
						     .len = strlen(rows[i].text),
						     .name = rows[i].name,
						     .line = rows[i].first };
		assert_int_equal(
			store_document_read(tools.reader, &source, &document, &faults, &err), -1);
		assert_int_equal(pl_json_get_i64(json_array_get(faults, 0), "line"), rows[i].line);
		if (strncmp(err.text, rows[i].says, strlen(rows[i].says)) != 0)
			fail_msg("'%s'", err.text);
	}
}

static void test_store_documents_document__quotes_nothing_of_invalid_json(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "{'a': {'api_key': 'S3", "x.json:1:21: not valid JSON: premature end of input" },
		{ "{'a': 'S3' 'S3'}", "x.json:1:15: not valid JSON: '}' expected" },
		{ "{'S3': 1, 'S3': 2}", "x.json:1:14: not valid JSON: duplicate object key" },
		{ "{'a': S3}", "x.json:1:7: not valid JSON: invalid token" },
		{ "{'a': '\\uD8D3'}", "x.json:1:14: not valid JSON: invalid Unicode" },
	};
	auto_tools tools = { .fields = NULL };

	(void)state;
	tools_init(&tools);
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_free char *bytes = quoted(rows[i].text);
		auto_store_document document = { .len = 0 };
		auto_json json_t *faults = NULL;
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(store_document_read(tools.reader,
						     &(struct store_source){ .bytes = bytes,
									     .len = strlen(bytes),
									     .name = "x.json",
									     .line = 1 },
						     &document, &faults, &err),
				 -1);
		assert_string_equal(err.text, rows[i].says);
		auto_free char *reported = pl_json_to_text(faults, PL_JSON_COMPACT);
		assert_null(strstr(reported, "S3"));
	}
}

static void test_store_documents_document__same_content_whatever_its_form(void **state)
{
	static const struct {
		const char *one, *other;
		bool same;
	} rows[] = {
		{ "{'run_id': 'r', 'config': {'a': 1, 'b': [1, 2]}}",
		  "{\n 'config': {'b': [1,2], 'a': 1},\n 'run_id': 'r'}", true },
		{ "{'run_id': 'r', 'config': {'b': [1, 2]}}",
		  "{'run_id': 'r', 'config': {'b': [2, 1]}}", false },
		{ "{'run_id': 'r', 'schema_version': 1}",
		  "{'completed': 4, 'profllm': {'schema_version': 1, 'run_id': 'r'}}", true },
		{ FLAT, " " FLAT, true },
		/* of what has no field, too */
		{ "{'num_prompts': 1, 'completed': 1, 'duration': 1, 'odd': [1]}",
		  "{'num_prompts': 1, 'completed': 1, 'duration': 1, 'odd': [2]}", false },
		{ "{'run_id': 'r', 'config': {'token': 'x'}}",
		  "{'run_id': 'r', 'config': {'token': 'y'}}", true },
	};
	auto_tools tools = { .fields = NULL };

	(void)state;
	tools_init(&tools);
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_store_document one = { .len = 0 };
		auto_store_document other = { .len = 0 };
		read_text(&tools, rows[i].one, &one);
		read_text(&tools, rows[i].other, &other);
		assert_int_equal(strcmp(one.sha256, other.sha256) == 0, rows[i].same);
	}
}

static void test_store_documents_document__keeps_bytes_and_no_secrets(void **state)
{
	auto_tools tools = { .fields = NULL };
	auto_store_document plain = { .len = 0 };
	auto_store_document secret = { .len = 0 };

	(void)state;
	tools_init(&tools);
	read_text(&tools, "{ 'run_id' : 'r',\n\t'duration': 1.50 }", &plain);
	assert_string_equal(plain.bytes, "{ \"run_id\" : \"r\",\n\t\"duration\": 1.50 }");
	assert_int_equal(plain.len, strlen(plain.bytes));
	read_text(&tools,
		  "{'run_id': 'r', 'config': {'server': {'api_key': 'S3', 'model': 'm'}, "
		  "'server_source': {'api_key': 'explicit', 'hf_token': 'S4'}, "
		  "'launch': ['--hf-token', 'S5', '--seed', '1'], 'url': 'http://u:S6@host/'}, "
		  "'schema_version': 1}",
		  &secret);
	assert_non_null(strstr(secret.bytes, "\"api_key\":\"***\",\"model\":\"m\""));
	assert_non_null(strstr(secret.bytes, "\"api_key\":\"explicit\",\"hf_token\":\"***\""));
	assert_non_null(strstr(secret.bytes, "[\"--hf-token\",\"***\",\"--seed\",\"1\"]"));
	for (char digit = '3'; digit <= '6'; digit++) {
		char word[3] = { 'S', digit, '\0' };
		assert_null(strstr(secret.bytes, word));
		auto_free char *json = pl_json_to_text(secret.json, PL_JSON_COMPACT);
		assert_null(strstr(json, word));
	}
}

/* If written with indentation, each of the values would follow 200 levels of blanks. */
static void test_store_documents_document__deep_with_a_secret_stays_small(void **state)
{
	auto_buf text = PL_BUF(1 << 20);
	auto_tools tools = { .fields = NULL };
	auto_store_document document = { .len = 0 };

	(void)state;
	tools_init(&tools);
	pl_buf_add_text(&text, "{'run_id': 'r', 'token': 'S3',\n'x': ");
	for (int i = 0; i < 200; i++)
		pl_buf_add_text(&text, "[");
	for (int i = 0; i < 1000; i++)
		pl_buf_add_text(&text, i > 0 ? ",1" : "1");
	for (int i = 0; i < 200; i++)
		pl_buf_add_text(&text, "]");
	pl_buf_add_text(&text, "}");
	read_text(&tools, pl_buf_text(&text), &document);
	assert_non_null(strstr(document.bytes, "\"***\""));
	assert_in_range(document.len, text.len / 2, text.len);
}

static void test_store_documents_document__may_not_grow_over_the_limit(void **state)
{
	static const char head[] = "{\"run_id\":\"r\",\"token\":\"S\",\"suite\":\"";
	size_t len = STORE_DOCUMENT_BYTES_MAX; /* "***" is longer by two */
	auto_free char *text = pl_alloc(len);
	auto_tools tools = { .fields = NULL };
	auto_store_document document = { .len = 0 };
	auto_json json_t *faults = NULL;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	tools_init(&tools);
	memset(text, 'a', len);
	memcpy(text, head, sizeof(head) - 1);
	memcpy(text + len - 2, "\"}", 2);
	assert_int_equal(store_document_read(
				 tools.reader,
				 &(struct store_source){
					 .bytes = text, .len = len, .name = "x.json", .line = 1 },
				 &document, &faults, &err),
			 -1);
	assert_non_null(strstr(err.text, "larger than 64 MiB"));
	assert_int_equal(json_array_size(faults), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_store_documents_document__is_recognized_by_its_content),
		cmocka_unit_test(test_store_documents_document__is_rejected_with_every_fault),
		cmocka_unit_test(test_store_documents_document__missing_keys_hide_nothing),
		cmocka_unit_test(test_store_documents_document__values_of_other_releases),
		cmocka_unit_test(test_store_documents_document__lines_are_those_of_the_file),
		cmocka_unit_test(test_store_documents_document__quotes_nothing_of_invalid_json),
		cmocka_unit_test(test_store_documents_document__same_content_whatever_its_form),
		cmocka_unit_test(test_store_documents_document__keeps_bytes_and_no_secrets),
		cmocka_unit_test(test_store_documents_document__deep_with_a_secret_stays_small),
		cmocka_unit_test(test_store_documents_document__may_not_grow_over_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
