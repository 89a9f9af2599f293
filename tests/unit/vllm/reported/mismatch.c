#include "vllm/reported/mismatch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "vllm/catalog.h"

enum where { ARGS, ARGS_KNOWN, ENGINE, INFO, CACHE, MODEL };

struct mismatch_case {
	const char *requested; /* JSON object */
	enum where where;
	const char *reported; /* a text; a JSON object of CACHE and MODEL */
	const char *expected; /* "argument=reported ...", "" none, NULL: nothing was reported */
};

static const struct mismatch_case cases[] = {
	/* the arguments in the log */
	{ "{\"max_model_len\": 4096}", ARGS, "{'model': 'm', 'max_model_len': 2048}",
	  "max_model_len=2048" },
	{ "{\"max_model_len\": 4096}", ARGS, "{'model': 'm', 'max_model_len': 4096}", "" },
	{ "{\"max_model_len\": \"8K\"}", ARGS, "{'model': 'm', 'max_model_len': 8192}", "" },
	{ "{\"max_model_len\": \"auto\"}", ARGS, "{'model': 'm', 'max_model_len': 2048}", "" },
	{ "{\"max_model_len\": -1}", ARGS, "{'model': 'm', 'max_model_len': 2048}", "" },
	{ "{\"max_model_len\": null}", ARGS, "{'model': 'm', 'max_model_len': 2048}", "" },
	{ "{\"enable_prefix_caching\": false}", ARGS,
	  "{'model': 'm', 'enable_prefix_caching': True}", "enable_prefix_caching=true" },
	{ "{\"enable_prefix_caching\": false}", ARGS,
	  "{'model': 'm', 'enable_prefix_caching': False}", "" },
	{ "{\"dtype\": \"half\"}", ARGS, "{'model': 'm', 'dtype': 'float16'}", "" },
	{ "{\"dtype\": \"bfloat16\"}", ARGS, "{'model': 'm', 'dtype': 'float16'}",
	  "dtype=float16" },
	{ "{\"gpu_memory_utilization\": 0.9}", ARGS, "{'gpu_memory_utilization': 0.8999999999}",
	  "" },
	{ "{\"gpu_memory_utilization\": 0.9}", ARGS, "{'gpu_memory_utilization': 0.5}",
	  "gpu_memory_utilization=0.5" },
	{ "{\"cudagraph_capture_sizes\": [4, 2, 1]}", ARGS,
	  "{'cudagraph_capture_sizes': [1, 2, 4]}", "" },
	{ "{\"cudagraph_capture_sizes\": [4]}", ARGS, "{'cudagraph_capture_sizes': [8]}",
	  "cudagraph_capture_sizes=[8]" },
	{ "{\"cudagraph_capture_sizes\": [4]}", ARGS, "{'cudagraph_capture_sizes': []}", "" },
	{ "{\"limit_mm_per_prompt\": {\"image\": 2, \"audio\": 1}}", ARGS,
	  "{'limit_mm_per_prompt': {'audio': 1, 'image': 2}}", "" },
	{ "{\"limit_mm_per_prompt\": {\"image\": 2}}", ARGS,
	  "{'limit_mm_per_prompt': {'image': 0}}", "limit_mm_per_prompt.image=0" },
	/* what vLLM prints of objects is often no literal */
	{ "{\"compilation_config\": {\"mode\": \"NONE\"}}", ARGS,
	  "{'compilation_config': {'mode': <CompilationMode.VLLM_COMPILE: 3>}, 'seed': 1}", "" },
	{ "{\"compilation_config\": {\"mode\": 0}, \"seed\": 2}", ARGS,
	  "{'compilation_config': Config(mode=3, a={'b': ['}']}), 'seed': 1}", "seed=1" },
	/* not compared: paths, addresses, secrets, what vLLM rewrites */
	{ "{\"model\": \"org/m\", \"tokenizer\": \"org/t\"}", ARGS,
	  "{'model': '/cache/m', 'tokenizer': '/cache/t'}", "" },
	{ "{\"port\": 8000, \"host\": \"a\"}", ARGS, "{'port': 9000, 'host': 'b'}", "" },
	{ "{\"api_key\": [\"k\"]}", ARGS, "{'api_key': '***'}", "" },
	{ "{\"api_server_count\": 4}", ARGS, "{'api_server_count': 1}", "" },
	{ "{\"block_size\": 8}", CACHE, "{\"block_size\": \"16\"}", "" },
	/* what is not listed has its default, if that is known */
	{ "{\"max_num_seqs\": 7}", ARGS, "{'model': 'm'}", "" },
	{ "{\"enable_prefix_caching\": false}", ARGS_KNOWN, "{'model': 'm'}",
	  "enable_prefix_caching=null" },
	{ "{\"gpu_memory_utilization\": 0.5}", ARGS_KNOWN, "{'model': 'm'}",
	  "gpu_memory_utilization=0.92" },
	{ "{\"gpu_memory_utilization\": 0.92}", ARGS_KNOWN, "{'model': 'm'}", "" },
	{ "{\"gpu_memory_utilization\": 0.5}", ARGS_KNOWN, "{'seed': 1}", "" },
	{ "{\"compilation_config\": {\"mode\": 3}}", ARGS_KNOWN, "{'model': 'm'}", "" },
	/* the engine's configuration */
	{ "{\"max_model_len\": 4096, \"seed\": 1}", ENGINE,
	  "model='m', dtype=torch.bfloat16, max_seq_len=2048, seed=1", "max_model_len=2048" },
	{ "{\"dtype\": \"bfloat16\"}", ENGINE, "dtype=torch.bfloat16, x=1", "" },
	{ "{\"dtype\": \"float\"}", ENGINE, "dtype=torch.float32, x=1", "" },
	{ "{\"dtype\": \"auto\"}", ENGINE, "dtype=torch.float32, x=1", "" },
	{ "{\"dtype\": \"half\"}", ENGINE, "dtype=torch.bfloat16, x=1", "dtype=torch.bfloat16" },
	{ "{\"enforce_eager\": true}", ENGINE, "a={'b': 1}, enforce_eager=False",
	  "enforce_eager=false" },
	{ "{\"quantization\": \"awq\"}", ENGINE, "quantization=awq_marlin, x=1", "" },
	{ "{\"quantization\": \"fp8\"}", ENGINE, "quantization=compressed-tensors, x=1", "" },
	{ "{\"quantization\": \"fp8\"}", ENGINE, "quantization=None, x=1", "quantization=null" },
	{ "{\"kv_cache_dtype\": \"fp8\"}", ENGINE, "kv_cache_dtype=fp8_e4m3", "" },
	{ "{\"kv_cache_dtype\": \"fp8\"}", ENGINE, "kv_cache_dtype=fp8_ds_mla", "" },
	{ "{\"kv_cache_dtype\": \"fp8\"}", ENGINE, "kv_cache_dtype=auto", "" },
	{ "{\"kv_cache_dtype\": \"fp8_e5m2\"}", ENGINE, "kv_cache_dtype=fp8_e4m3",
	  "kv_cache_dtype=fp8_e4m3" },
	{ "{\"disable_custom_all_reduce\": false}", ENGINE, "disable_custom_all_reduce=True", "" },
	{ "{\"data_parallel_size\": 4}", ENGINE, "data_parallel_size=1", "" },
	{ "{\"served_model_name\": [\"a\", \"b\"]}", ENGINE, "served_model_name=c", "" },
	{ "{\"tokenizer_mode\": \"slow\"}", ENGINE, "tokenizer_mode=auto", "" },
	{ "{\"enable_chunked_prefill\": true}", ENGINE, "enable_chunked_prefill=None", "" },
	/* cut off: the last value is not whole */
	{ "{\"max_model_len\": 4096}", ENGINE, "model='m', a={'b': 1, max_seq_len=20", "" },
	{ "{\"seed\": 4}", INFO, "model='m', seed=3", "seed=3" },
	/* labels are texts */
	{ "{\"enable_prefix_caching\": false, \"gpu_memory_utilization\": 0.9}", CACHE,
	  "{\"enable_prefix_caching\": \"True\", \"gpu_memory_utilization\": \"0.9\"}",
	  "enable_prefix_caching=True" },
	{ "{\"num_gpu_blocks_override\": 10}", CACHE, "{\"num_gpu_blocks_override\": \"None\"}",
	  "" },
	{ "{\"max_model_len\": \"8k\"}", MODEL, "{\"id\": \"m\", \"max_model_len\": 8000}", "" },
	{ "{\"max_model_len\": 4096}", MODEL, "{\"id\": \"m\", \"max_model_len\": 2048}",
	  "max_model_len=2048" },
	{ "{\"max_model_len\": 4096}", MODEL, "{\"id\": \"m\", \"max_model_len\": null}", "" },
	{ "{\"no_such_argument\": 1}", ARGS, "{'no_such_argument': 2}", "" },
	{ "{\"seed\": 1}", ARGS, "", NULL },
	{ "{\"seed\": 1}", ARGS, "not a dictionary", NULL },
};

static json_t *find(const struct mismatch_case *c)
{
	auto_json json_t *requested = json_loads(c->requested, 0, NULL);
	auto_json json_t *object = json_loads(c->reported, 0, NULL);
	const struct vllm_reported reported = {
		.args = c->where == ARGS || c->where == ARGS_KNOWN ? c->reported : NULL,
		.engine = c->where == ENGINE ? c->reported : NULL,
		.info = c->where == INFO ? c->reported : NULL,
		.cache = c->where == CACHE ? object : NULL,
		.model = c->where == MODEL ? object : NULL,
		.defaults_known = c->where == ARGS_KNOWN,
	};

	assert_non_null(requested);
	return vllm_mismatches(vllm_catalog_reference(), requested, &reported);
}

static void differences_are_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *list = find(&cases[i]);
		auto_buf text = PL_BUF(65536);
		if (cases[i].expected == NULL) {
			assert_null(list);
			continue;
		}
		assert_non_null(list);
		PL_JSON_EACH(entry, list) {
			const json_t *value = json_object_get(entry, "reported");
			auto_free char *shown = json_is_string(value)
							? pl_strdup(json_string_value(value))
							: pl_json_to_text(value, PL_JSON_COMPACT);
			pl_buf_addf(&text, "%s%s=%s", entry_at > 0 ? " " : "",
				    pl_json_get_text(entry, "argument"), shown);
		}
		if (strcmp(pl_buf_text(&text), cases[i].expected) != 0)
			fail_msg("%s, %s: %s", cases[i].requested, cases[i].reported,
				 pl_buf_text(&text));
	}
}

/* One entry per argument, from the first source that differs. */
static void an_argument_is_named_once(void **state)
{
	auto_json json_t *requested = json_pack("{s:i, s:b}", "max_model_len", 4096,
						"enable_prefix_caching", 0);
	auto_json json_t *cache = json_pack("{s:s}", "enable_prefix_caching", "True");
	auto_json json_t *model = json_pack("{s:i}", "max_model_len", 1);
	const struct vllm_reported reported = {
		.args = "{'max_model_len': 4096, 'enable_prefix_caching': False}",
		.engine = "max_seq_len=2048, x=1",
		.cache = cache,
		.model = model,
	};
	auto_json json_t *list = vllm_mismatches(vllm_catalog_reference(), requested, &reported);
	auto_buf text = PL_BUF(65536);

	(void)state;
	vllm_mismatches_add_text(list, &text);
	assert_string_equal(pl_buf_text(&text),
			    "max_model_len: requested 4096, reported 2048 (log); "
			    "enable_prefix_caching: requested false, reported True (/metrics)");
}

/* A long value is cut between two characters. */
static void a_long_value_is_cut(void **state)
{
	char long_name[200];
	auto_buf text = PL_BUF(65536);

	(void)state;
	memset(long_name, 'a', sizeof(long_name));
	strcpy(long_name + 79, "\xc3\xa9\xc3\xa9");
	auto_json json_t *list = json_pack("[{s:s, s:s, s:s, s:s}]", "argument", "x", "requested",
					   long_name, "reported", "b", "source", "log");
	vllm_mismatches_add_text(list, &text);
	auto_json json_t *whole = json_string(pl_buf_text(&text));
	assert_non_null(whole);
	assert_non_null(strstr(pl_buf_text(&text), "aaa..., reported b (log)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_are_named),
		cmocka_unit_test(an_argument_is_named_once),
		cmocka_unit_test(a_long_value_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
