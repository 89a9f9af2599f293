/* The rules of vLLM's offline benchmarks for their options, and additional ones. */
#include "experiment/check_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "experiment/kinds.h"
#include "experiment/offline.h"

#define REQUESTS_MAX 100000000

/* ---- which options a kind has ---- */

/*
 * Returns whether it is one of our options for requests to a server, which apply to any benchmark.
 */
static bool is_of_server(enum vllm_bench_id id)
{
	static const enum vllm_bench_id ids[] = {
		VLLM_BENCH_base_url,
		VLLM_BENCH_host,
		VLLM_BENCH_port,
		VLLM_BENCH_endpoint,
		VLLM_BENCH_header,
		VLLM_BENCH_model,
		VLLM_BENCH_backend,
		VLLM_BENCH_insecure,
		VLLM_BENCH_served_model_name,
		VLLM_BENCH_ready_check_timeout_sec,
		VLLM_BENCH_seed,
		VLLM_BENCH_label,
		VLLM_BENCH_disable_tqdm,
		VLLM_BENCH_skip_tokenizer_init,
		VLLM_BENCH_request_id_prefix,
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(ids); i++) {
		if (ids[i] == id)
			return true;
	}
	return false;
}

static void refuse_option(struct exp_checker *c, enum vllm_bench_id id, const char *reason)
{
	auto_free char *key = pl_asprintf("benchmark.%s", vllm_bench_row(id)->name);

	exp_refuse_for(c, key, reason);
}

/* A value that the row takes in a file and that is another kind's. */
static void check_choice(struct exp_checker *c, enum vllm_bench_id id, const struct option_row *row)
{
	auto_json json_t *choices = pl_json_of_text(row->choices);
	auto_json json_t *value = vllm_bench_get(c->bench, id);
	auto_free char *key = pl_asprintf("benchmark.%s", row->name);
	auto_buf expected = PL_BUF(4096);

	if (choices == NULL || !json_is_string(value) ||
	    pl_json_has_text(choices, json_string_value(value)))
		return;
	option_row_describe(row, &expected);
	exp_refuse_text(c, key, json_string_value(value), pl_buf_text(&expected));
}

static void check_option(struct exp_checker *c, const struct vllm_bench_kind *kind,
			 enum vllm_bench_id id)
{
	const struct option_row *row = vllm_bench_row(id);
	const struct option_row *kind_row = kind != NULL ? vllm_bench_kind_row(kind, id) : NULL;
	bool at_server = kind != NULL && !exp_is_in_process(c->experiment);

	if (!c->experiment->bench_set[id])
		return;
	if (kind == NULL && row->offline) {
		refuse_option(c, id,
			      "it applies only to vLLM's offline benchmarks ({benchmark.kind})");
	} else if (kind_row != NULL) {
		/* at a server, the backend is one of the server's */
		if (!at_server || id != VLLM_BENCH_backend)
			check_choice(c, id, kind_row);
	} else if (kind != NULL && !row->ours && !(at_server && is_of_server(id))) {
		auto_free char *reason = pl_asprintf("'vllm bench %s' does not have this option",
						     kind->name);
		refuse_option(c, id, reason);
	}
}

/* The arguments of the server itself are not arguments of the engine. */
static void check_arguments(struct exp_checker *c, const struct vllm_bench_kind *kind)
{
	const struct exp_config *experiment = c->experiment;

	if (!exp_is_in_process(experiment))
		return;
	PL_JSON_EACH_MEMBER(name, value, experiment->server) {
		const struct option_row *argument = vllm_arg_find(experiment->catalog, name);
		auto_free char *key = pl_asprintf("server.%s", name);
		auto_free char *reason = pl_asprintf(
			"'vllm bench %s' does not have this argument, which belongs to the server",
			kind->name);
		/* of server.config the arguments count, which are read from it */
		if (argument != NULL && !vllm_bench_kind_takes(kind, argument) &&
		    strcmp(name, "config") != 0)
			exp_refuse_for(c, key, reason);
	}
}

void exp_check_kind_options(struct exp_checker *c)
{
	const struct vllm_bench_kind *kind = exp_offline_kind(c->experiment);

	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++)
		check_option(c, kind, (enum vllm_bench_id)i);
	if (kind == NULL && exp_backend_find(c->bench->backend) == NULL)
		refuse_option(
			c, VLLM_BENCH_backend,
			"it applies only to {benchmark.kind} throughput in vLLM's own process");
	check_arguments(c, kind);
	if (kind == NULL && c->bench->mode != NULL)
		refuse_option(c, VLLM_BENCH_mode,
			      "it applies only to vLLM's offline benchmarks ({benchmark.kind})");
	if (kind != NULL && pl_text_equal(c->bench->client, "vllm"))
		refuse_option(c, VLLM_BENCH_client, "vLLM's client needs {benchmark.kind} serve");
}

/* ---- where it runs ---- */

void exp_check_kind_mode(struct exp_checker *c)
{
	const struct vllm_bench_kind *kind = exp_offline_kind(c->experiment);
	auto_free char *url = exp_server_url(c->experiment);
	bool in_process = exp_is_in_process(c->experiment);

	if (kind == NULL)
		return;
	if (!in_process && !kind->at_server) {
		auto_free char *reason = pl_asprintf("'vllm bench %s' measures inside the engine, "
						     "which a server does not expose",
						     kind->name);
		refuse_option(c, VLLM_BENCH_kind, reason);
	}
	if (in_process && url != NULL)
		refuse_option(c, VLLM_BENCH_mode,
			      "in_process starts its own engine; remove the address of the server, "
			      "or set {benchmark.mode} to server");
	if (in_process && c->experiment->simulate)
		refuse_option(c, VLLM_BENCH_mode,
			      "a simulator is a server; set {benchmark.mode} to server");
	if (!in_process && url != NULL && pl_text_equal(kind->name, "startup"))
		refuse_option(c, VLLM_BENCH_kind,
			      "this benchmark starts the server; remove the address of the running "
			      "server");
}

/* ---- their rules ---- */

void exp_check_offline_latency(struct exp_checker *c)
{
	const json_t *limit = json_object_get(c->experiment->server, "max_model_len");

	if (!pl_text_equal(c->bench->kind, "latency"))
		return;
	if (!exp_is_in_process(c->experiment) && c->bench->num_prompts > REQUESTS_MAX)
		exp_refuse_number(c, "benchmark.batch_size", c->bench->batch_size,
				  "batches with at most 100000000 requests in total");
	int64_t len = c->bench->input_len + c->bench->output_len;
	if (!json_is_integer(limit) || json_integer_value(limit) >= len)
		return;
	auto_free char *expected = pl_asprintf(
		"at least %lld: {benchmark.input_len} and {benchmark.output_len} together",
		(long long)len);
	exp_refuse_number(c, "server.max_model_len", json_integer_value(limit), expected);
}

static bool is_backend(const struct exp_checker *c, const char *name)
{
	return pl_text_equal(c->bench->backend, name);
}

static void check_hugging_face(struct exp_checker *c)
{
	const json_t *server = c->experiment->server;
	bool hf = is_backend(c, "hf"), mii = is_backend(c, "mii");
	const char *dtype = pl_json_get_text(server, "dtype");
	const char *tokenizer = pl_json_get_text(server, "tokenizer");

	if (hf && c->bench->hf_max_batch_size == OPTION_NO_I64)
		exp_problem_report(c->experiment, "benchmark.backend", c->problems,
				   .key = "benchmark.hf_max_batch_size",
				   .expected = "is missing; backend hf needs it",
				   .expected_is_reason = true);
	if (!hf && c->bench->hf_max_batch_size != OPTION_NO_I64)
		refuse_option(c, VLLM_BENCH_hf_max_batch_size, "it applies only to backend hf");
	if (!hf && c->bench->hf_enable_torch_compile)
		exp_warn_for(c, "benchmark.hf_enable_torch_compile",
			     "it has no effect without {benchmark.backend} hf");
	if ((hf || mii) && json_is_string(json_object_get(server, "quantization")))
		exp_refuse_for(c, "server.quantization", "it applies only to backend vllm");
	if (!mii)
		return;
	if (dtype != NULL && strcmp(dtype, "auto") != 0)
		exp_refuse_text(c, "server.dtype", dtype,
				"auto, because backend mii accepts no other value");
	if (c->bench->n > 1)
		exp_refuse_number(c, "benchmark.n", c->bench->n, "1 with backend mii");
	if (tokenizer != NULL && !pl_text_equal(tokenizer, pl_json_get_text(server, "model")))
		exp_refuse_text(c, "server.tokenizer", tokenizer,
				"the tokenizer of the model with backend mii");
	refuse_option(c, VLLM_BENCH_backend, "vLLM does not know backend mii and exits");
}

static void check_engine(struct exp_checker *c)
{
	const json_t *server = c->experiment->server;
	bool of_vllm = is_backend(c, "vllm") || is_backend(c, "vllm-chat");
	const char *executor = pl_json_get_text(server, "distributed_executor_backend");
	json_int_t ranks = pl_json_get_i64(server, "data_parallel_size");

	if (c->bench->prequeue_requests && (!of_vllm || c->bench->async_engine))
		refuse_option(c, VLLM_BENCH_prequeue_requests,
			      "it needs {benchmark.backend} vllm or vllm-chat, without "
			      "{benchmark.async_engine}");
	if (ranks > 1 && (!pl_text_equal(executor, "external_launcher") || c->bench->async_engine))
		exp_refuse_number(c, "server.data_parallel_size", ranks,
				  "1, unless server.distributed_executor_backend is "
				  "external_launcher and {benchmark.async_engine} is off: start a "
				  "server and set {benchmark.mode} to server");
}

static void check_adapters(struct exp_checker *c)
{
	bool enabled = pl_json_get_true(c->experiment->server, "enable_lora");

	if (enabled && !is_backend(c, "vllm"))
		exp_refuse(c, "server.enable_lora", "true", "false with a backend other than vllm");
	else if (enabled && c->bench->lora_path == NULL)
		exp_problem_report(c->experiment, "server.enable_lora", c->problems,
				   .key = "benchmark.lora_path",
				   .expected = "is missing; server.enable_lora needs the directory "
					       "of the adapters",
				   .expected_is_reason = true);
}

/* vLLM has no defaults for these, and fails on each that is missing. */
static void check_prefixes(struct exp_checker *c)
{
	static const enum vllm_bench_id needed[] = {
		VLLM_BENCH_prefix_repetition_prefix_len,
		VLLM_BENCH_prefix_repetition_suffix_len,
		VLLM_BENCH_prefix_repetition_num_prefixes,
		VLLM_BENCH_prefix_repetition_output_len,
	};

	if (!pl_text_equal(c->bench->dataset_name, "prefix_repetition"))
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(needed); i++) {
		auto_free char *key = pl_asprintf("benchmark.%s", vllm_bench_row(needed[i])->name);
		if (!c->experiment->bench_set[needed[i]])
			exp_problem_report(
				c->experiment, "benchmark.dataset_name", c->problems, .key = key,
				.expected =
					"is missing; 'vllm bench throughput' has no default for it",
				.expected_is_reason = true);
	}
}

/* vLLM uses other prompts or lengths than these options say, and does not always report it. */
static void warn_of_ignored(struct exp_checker *c)
{
	static const enum vllm_bench_id lengths[] = { VLLM_BENCH_input_len, VLLM_BENCH_output_len,
						      VLLM_BENCH_prefix_len };
	const char *name = c->bench->dataset_name;

	for (size_t i = 0; i < PL_ARRAY_SIZE(lengths); i++) {
		const char *option = vllm_bench_row(lengths[i])->name;
		auto_free char *key = pl_asprintf("benchmark.%s", option);
		auto_free char *reason = pl_asprintf(
			"vLLM ignores it for random prompts and uses {benchmark.random_%s}",
			option);
		if (c->experiment->bench_set[lengths[i]] && pl_text_starts(name, "random"))
			exp_warn_for(c, key, reason);
	}
	if (c->bench->dataset_path == NULL && c->experiment->bench_set[VLLM_BENCH_dataset_name] &&
	    !pl_text_equal(name, "prefix_repetition") && !pl_text_equal(name, "random"))
		exp_warn_for(
			c, "benchmark.dataset_name",
			"vLLM sends random prompts, because {benchmark.dataset_path} is not set");
}

/* Reports options that act in the engine's process and cannot be applied to a server. */
static void check_at_server(struct exp_checker *c)
{
	static const enum vllm_bench_id inside[] = {
		VLLM_BENCH_async_engine,
		VLLM_BENCH_prequeue_requests,
		VLLM_BENCH_lora_path,
		VLLM_BENCH_hf_max_batch_size,
		VLLM_BENCH_hf_enable_torch_compile,
		VLLM_BENCH_enable_multimodal_chat,
	};
	const char *backend = c->bench->backend;

	for (size_t i = 0; i < PL_ARRAY_SIZE(inside); i++) {
		if (c->experiment->bench_set[inside[i]] &&
		    !vllm_bench_is_default(c->bench, inside[i]))
			refuse_option(c, inside[i], "it needs {benchmark.mode} in_process");
	}
	if (exp_backend_find(backend) == NULL)
		exp_refuse_text(c, "benchmark.backend", backend,
				strcmp(backend, "vllm-chat") == 0
					? "openai-chat, its name for a server"
					: "a backend for a server, such as openai");
}

void exp_check_offline_throughput(struct exp_checker *c)
{
	if (!pl_text_equal(c->bench->kind, "throughput"))
		return;
	if (!exp_is_in_process(c->experiment)) {
		check_at_server(c);
		return;
	}
	check_hugging_face(c);
	check_engine(c);
	check_adapters(c);
	check_prefixes(c);
	warn_of_ignored(c);
}

void exp_check_offline_startup(struct exp_checker *c)
{
	if (pl_text_equal(c->bench->kind, "startup") &&
	    c->bench->num_iters_cold + c->bench->num_iters_warm < 1)
		exp_refuse_number(c, "benchmark.num_iters_cold", c->bench->num_iters_cold,
				  "at least one start; {benchmark.num_iters_cold} and "
				  "{benchmark.num_iters_warm} are 0");
}
