/*
 * The file for PyTorch's benchmark dashboard, which vLLM's client writes where the variable is set:
 * a record for each statistic, every one with all options and the rest of the flat result.
 */
#include "result/flat/pytorch.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "result/flat/file.h"

#define VARIABLE          "SAVE_TO_PYTORCH_BENCHMARK_FORMAT"
#define PYTORCH_BYTES_MAX ((size_t)8 << 30)
#define MODE              "compilation_config.mode"
#define LEVEL             "optimization_level"

/* The statistics that get a record, in this order. */
static const char *const metrics[] = {
	"median_ttft_ms", "mean_ttft_ms",   "std_ttft_ms", "p99_ttft_ms",
	"mean_tpot_ms",   "median_tpot_ms", "std_tpot_ms", "p99_tpot_ms",
	"median_itl_ms",  "mean_itl_ms",    "std_itl_ms",  "p99_itl_ms",
};

/* Keys that no record repeats: the lists of all requests, and our part. */
static const char *const left_out[] = { "ttfts", "itls", "generated_texts", "errors", "profllm" };

bool res_pytorch_wanted(void)
{
	const char *value = getenv(VARIABLE);

	return value != NULL && value[0] != '\0';
}

int res_pytorch_check(const struct vllm_bench *bench, struct pl_err *err)
{
	if (!res_pytorch_wanted() || (!bench->save_result && !bench->append_result))
		return 0;
	return res_flat_check_artifact(bench, RES_PYTORCH_SUFFIX, err);
}

/* A setting of the server, which only --metadata can tell. */
static json_t *setting(const json_t *flat, const char *key)
{
	json_t *value = json_object_get(flat, key);

	return value != NULL ? json_incref(value) : json_string("");
}

/* An array with a record for each statistic that there is. New reference. */
static json_t *records_of(const struct res_flat_input *input)
{
	auto_json json_t *flat = res_flat_build(input);
	json_t *mode = setting(flat, MODE);
	const char *filename = input->bench->result_filename;
	/* vLLM's own guess, the file's name included */
	bool is_eager = pl_text_equal(json_string_value(mode), "0") ||
			(filename != NULL && strstr(filename, "eager") != NULL);
	auto_json json_t *all = vllm_bench_to_json(input->bench);
	json_t *args = json_object();
	json_t *endpoint = pl_json_get_path(input->document, "config.benchmark.endpoint");
	json_t *parallel = json_object_get(flat, "tensor_parallel_size");
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		const struct option_row *row = vllm_bench_row((enum vllm_bench_id)i);
		if (!row->ours)
			json_object_set(args, row->name, json_object_get(all, row->name));
	}
	if (input->bench->header != NULL)
		json_object_set_new(args, "header", json_string("***"));
	if (endpoint != NULL)
		json_object_set(args, "endpoint", endpoint);
	if (parallel != NULL)
		json_object_set(args, "tensor_parallel_size", parallel);
	auto_json json_t *benchmark = json_pack(
		"{s:s, s:{s:o, s:o, s:o, s:b}}", "name", "vLLM benchmark", "extra_info", "args",
		args, MODE, mode, LEVEL, setting(flat, LEVEL), "use_compile", !is_eager);
	auto_json json_t *extra = json_object();
	PL_JSON_EACH_MEMBER(key, value, flat) {
		if (!PL_TEXT_IS_ONE_OF(key, metrics) && !PL_TEXT_IS_ONE_OF(key, left_out))
			json_object_set(extra, key, value);
	}
	json_t *records = json_array();

	for (size_t i = 0; i < PL_ARRAY_SIZE(metrics); i++) {
		json_t *value = json_object_get(flat, metrics[i]);
		if (!json_is_number(value))
			continue;
		json_array_append_new(records,
				      json_pack("{s:O, s:{s:s}, s:{s:s, s:[O], s:O}}", "benchmark",
						benchmark, "model", "name", input->model_id,
						"metric", "name", metrics[i], "benchmark_values",
						value, "extra_info", extra));
	}
	return records;
}

int res_pytorch_write(const struct res_flat_input *input, const char *flat_path, char **ret_path,
		      struct pl_err *err)
{
	auto_json json_t *records = records_of(input);
	auto_free char *path = res_flat_artifact_path(flat_path, RES_PYTORCH_SUFFIX);
	auto_buf text = PL_BUF(PYTORCH_BYTES_MAX);

	if (!pl_json_write(records, PL_JSON_PYTHON, &text))
		return pl_err_set(err, PL_ERR_INTERNAL, "'%s' is too large", path);
	if (pl_file_write(path, text.data, text.len, err) < 0)
		return -1;
	*ret_path = pl_take(path);
	return 0;
}
