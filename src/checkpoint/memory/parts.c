/*
 * Memory used by everything other than the KV cache. Weights are known from the files' headers, or
 * counted. vLLM measures activations and CUDA graphs when it starts, so they are estimates with
 * factors from logged runs.
 */
#include "checkpoint/memory/memory_priv.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "checkpoint/known.h"

#define MIB (1 << 20)
/* Size of the CUDA graphs of one layer and one batch size in logged runs, 160 to 680 KiB. */
#define GRAPH_BYTES (256 << 10)
/* Sampling stores each logit as float32, its probability and its sorted copy. */
#define LOGIT_BYTES 12
/* Communication buffers and the attention kernels' work space. */
#define RUNTIME_BYTES (256.0 * MIB)

struct ckpt_cut ckpt_memory_cut(const struct ckpt_case *server)
{
	int64_t tensor = ckpt_case_parallel(server, "tensor_parallel_size");

	/* with or without expert parallelism, vLLM spreads the experts over all these GPUs */
	return (struct ckpt_cut){
		.tensor = tensor,
		.pipeline = ckpt_case_parallel(server, "pipeline_parallel_size"),
		.experts = tensor * ckpt_case_parallel(server, "data_parallel_size") *
			   ckpt_case_parallel(server, "prefill_context_parallel_size"),
		.padded = true,
	};
}

/* vLLM has the same default: float32, which it then serves in 16 bits. */
enum ckpt_dtype ckpt_memory_dtype(const struct ckpt_case *server)
{
	int capability = server->hardware != NULL ? server->hardware->gpu.capability : 0;
	enum ckpt_dtype stored = server->facts->dtype;

	/* vLLM's default for a checkpoint without one */
	if (stored == CKPT_DTYPE_UNKNOWN)
		stored = CKPT_DTYPE_F32;
	return ckpt_dtype_served(stored, ckpt_case_text(server, "dtype"),
				 ckpt_case_platform(server), capability);
}

/* An n-gram or suffix drafter has no weights. */
bool ckpt_memory_drafts(const struct ckpt_case *server)
{
	const json_t *drafting = json_object_get(server->values, "speculative_config");
	const char *method = pl_json_get_text(drafting, "method");

	if (method == NULL)
		method = ckpt_case_text(server, "spec_method");
	if (json_object_size(drafting) == 0 && method == NULL &&
	    ckpt_case_text(server, "spec_model") == NULL)
		return false;
	return method == NULL ||
	       (!pl_text_starts(method, "ngram") && strcmp(method, "suffix") != 0);
}

/* Bits of a weight that vLLM quantizes while it loads; 0: none, NaN: not modelled. A checkpoint
 * that is quantized is not quantized again: its own method counts. */
static double online_bits(const struct ckpt_case *server, bool *ret_experts)
{
	const char *wanted = ckpt_case_text(server, "quantization");
	static const struct {
		const char *method;
		double bits;
		bool experts;
	} rows[] = {
		{ "fp8", 8, false },
		{ "ptpc_fp8", 8, false },
		{ "fp8_per_tensor", 8, false },
		{ "fp8_per_block", 8, false },
		{ "mxfp8", 8.25, false },
		{ "experts_int8", 8, true },
		{ "bitsandbytes", 4.5, false },
	};

	*ret_experts = false;
	if (wanted == NULL || server->facts->quantization != NULL)
		return 0;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].method, wanted) == 0) {
			*ret_experts = rows[i].experts;
			return rows[i].bits;
		}
	}
	return NAN;
}

/*
 * Returns the bytes of counted parameters; `bits` is the size of a quantized one (0: none is
 * quantized).
 */
static double params_bytes(const struct ckpt_params *params, double dtype_bytes, double bits,
			   bool experts_only)
{
	double linear = bits > 0 && !experts_only ? bits / 8 : dtype_bytes;
	double expert = bits > 0 ? bits / 8 : dtype_bytes;

	return (params->embedding + params->head + params->rest) * dtype_bytes +
	       params->linear * linear + params->expert * expert;
}

/* Returns the loaded size of the weight files in the served format. */
static double file_bytes(const struct ckpt_facts *facts, double dtype_bytes)
{
	const struct ckpt_weights *weights = &facts->weights;
	double numbers = weights->float_numbers;

	if (!weights->heads_read)
		return NAN;
	/* some files contain the output matrix although it is the embedding */
	if (facts->tied && weights->head_numbers > 0)
		numbers -= weights->head_numbers;
	return numbers * dtype_bytes + weights->other_bytes;
}

/* Notes that the parts of a model other than its language model are not counted. */
static void note_uncounted(const struct ckpt_case *server, double counted,
			   struct ckpt_memory *memory)
{
	const struct ckpt_facts *facts = server->facts;
	double all = facts->known != NULL ? facts->known->parameters : 0;

	if (!facts->multimodal || ckpt_case_is_true(server, "language_model_only"))
		return;
	if (all > counted)
		ckpt_memory_note(memory,
				 "image and audio encoders are not counted; with them (and "
				 "drafting layers), the published count has %.0f more parameters",
				 all - counted);
	else
		ckpt_memory_note(memory, "image and audio encoders are not counted, because this "
					 "host has no weight files");
}

static void set_unknown_weights(struct ckpt_memory *memory, const char *why)
{
	ckpt_memory_set(memory, CKPT_MEMORY_WEIGHTS_BYTES, NAN, false, NULL, "%s", why);
}

/*
 * For a family that cannot be counted: the files' bytes, or the public count of a known name,
 * divided evenly. That is an estimate, because the parts that are replicated on every GPU are
 * unknown.
 */
static void weights_of_files(const struct ckpt_facts *facts, struct ckpt_memory *memory,
			     struct ckpt_cut cut, double files, double dtype_bytes)
{
	double gpus = (double)(cut.tensor * cut.pipeline);
	double count = facts->known != NULL ? facts->known->parameters : 0;

	if (isnan(files) && count > 0 && dtype_bytes > 0 && facts->quantization == NULL) {
		ckpt_memory_set(memory, CKPT_MEMORY_WEIGHTS_BYTES, count * dtype_bytes / gpus,
				gpus > 1, "the published number of parameters",
				"%.0f numbers x %g bytes / %g GPUs", count, dtype_bytes, gpus);
		return;
	}
	if (isnan(files)) {
		set_unknown_weights(memory, "this host has no weight files, and the estimate does "
					    "not cover the model family");
		return;
	}
	ckpt_memory_set(memory, CKPT_MEMORY_WEIGHTS_BYTES, files / gpus, gpus > 1,
			"headers of the weight files", "%.0f bytes in the weight files / %g GPUs",
			files, gpus);
}

/* In GiB, whatever the argument's name says. */
static double offload(const struct ckpt_case *server, double bytes)
{
	double gib = ckpt_case_number(server, "cpu_offload_gb", 0);
	double away = gib > 0 ? gib * 1024 * MIB : 0;

	return away > bytes ? 0 : bytes - away;
}

static void set_counted(const struct ckpt_case *server, const struct ckpt_params *gpu, double value,
			double bits, struct ckpt_memory *memory)
{
	enum ckpt_dtype dtype = ckpt_memory_dtype(server);

	ckpt_memory_set(memory, CKPT_MEMORY_WEIGHTS_BYTES, offload(server, value), bits > 0,
			"counted from config.json (docs/reference/memory.md)",
			"(%.0f + %.0f quantizable) numbers on a GPU x %g bytes (%s)%s%s",
			gpu->embedding + gpu->head + gpu->rest, gpu->linear + gpu->expert,
			ckpt_dtype_bits(dtype) / 8.0, ckpt_dtype_name(dtype),
			bits > 0 ? ", fewer for quantizable numbers" : "",
			server->facts->multimodal ? ", language model only" : "");
}

static const char *parts_missing(const struct ckpt_facts *facts, double files)
{
	if (facts->quantization != NULL && isnan(facts->quant_bits) && isnan(files))
		return "the estimate does not cover the quantization of the checkpoint, and this "
		       "host has no weight files";
	return NULL;
}

void ckpt_memory_weights(const struct ckpt_case *server, struct ckpt_memory *memory)
{
	const struct ckpt_facts *facts = server->facts;
	struct ckpt_cut cut = ckpt_memory_cut(server);
	struct ckpt_params gpu;
	struct ckpt_params all;

	if (facts == NULL || facts->state != CKPT_MODEL_READ) {
		set_unknown_weights(memory, "the model's config.json is missing");
		return;
	}
	if (ckpt_memory_drafts(server)) {
		set_unknown_weights(memory,
				    "the estimate does not cover the weights of a drafting model");
		return;
	}
	double dtype_bytes = ckpt_dtype_bits(ckpt_memory_dtype(server)) / 8.0;
	double files = dtype_bytes > 0 ? file_bytes(facts, dtype_bytes) : NAN;
	bool experts_only = facts->quant_experts;
	double online = online_bits(server, &experts_only);
	if (facts->quantization != NULL)
		experts_only = facts->quant_experts;
	const char *missing = parts_missing(facts, files);
	if (dtype_bytes == 0 || isnan(online) || missing != NULL) {
		set_unknown_weights(memory,
				    missing != NULL ? missing
				    : dtype_bytes == 0
					    ? "the dtype of the model is unknown"
					    : "the estimate does not cover this quantization");
		return;
	}
	if (!ckpt_params_count(facts, CKPT_CUT_NONE, &all) ||
	    !ckpt_params_count(facts, cut, &gpu)) {
		weights_of_files(facts, memory, cut, online > 0 ? NAN : files,
				 online > 0 ? NAN : dtype_bytes);
		return;
	}
	double bits = facts->quantization != NULL ? facts->quant_bits : online;
	double counted = params_bytes(&gpu, dtype_bytes, isnan(bits) ? 0 : bits, experts_only);
	double total = params_bytes(&all, dtype_bytes, isnan(bits) ? 0 : bits, experts_only);
	/*
	 * the files contain details that the configuration lacks; the count shows how they are
	 * split
	 */
	bool by_files = !isnan(files) && online == 0 &&
			!ckpt_case_is_true(server, "language_model_only");
	double value = by_files ? files * counted / total : counted;
	if (by_files)
		ckpt_memory_set(
			memory, CKPT_MEMORY_WEIGHTS_BYTES, offload(server, value), false,
			"headers of the weight files",
			"%.0f loaded bytes x %.4f (share per GPU with tensor %lld, pipeline %lld)",
			files, counted / total, (long long)cut.tensor, (long long)cut.pipeline);
	else
		set_counted(server, &gpu, value, bits, memory);
	if (!by_files)
		note_uncounted(server, ckpt_params_sum(&all), memory);
	if (ckpt_case_number(server, "cpu_offload_gb", 0) > 0)
		ckpt_memory_note(memory, "cpu_offload_gb is subtracted from the weights");
}

void ckpt_memory_lora(const struct ckpt_case *server, struct ckpt_memory *memory)
{
	static const char source[] = "counted from config.json";
	const struct ckpt_facts *facts = server->facts;
	double slots = ckpt_case_number(server, "max_loras", 1);
	double rank = ckpt_case_number(server, "max_lora_rank", 16);

	if (!ckpt_case_is_true(server, "enable_lora") || !(slots > 0) || !(rank > 0)) {
		ckpt_memory_set(memory, CKPT_MEMORY_LORA_BYTES, 0, false, source, "none");
		return;
	}
	if (facts == NULL || facts->state != CKPT_MODEL_READ || facts->type == NULL ||
	    facts->layers == 0) {
		ckpt_memory_set(memory, CKPT_MEMORY_LORA_BYTES, NAN, false, source,
				"the model is unknown");
		return;
	}
	struct ckpt_cut cut = ckpt_memory_cut(server);
	double bytes = ckpt_dtype_bits(ckpt_memory_dtype(server)) / 8.0;
	double widths = ckpt_params_lora_widths(facts) / (double)cut.pipeline;
	ckpt_memory_set(memory, CKPT_MEMORY_LORA_BYTES,
			slots * rank * widths * bytes / (double)cut.tensor, true, source,
			"max_loras %g x max_lora_rank %g x %.0f (widths of all linear maps) x %g "
			"bytes / tensor %lld",
			slots, rank, widths, bytes, (long long)cut.tensor);
}

void ckpt_memory_activations(const struct ckpt_case *server, struct ckpt_memory *memory)
{
	static const char source[] = "estimate, checked against logged runs "
				     "(docs/reference/memory.md); vLLM measures this at startup";
	const struct ckpt_facts *facts = server->facts;
	double tokens = (double)ckpt_case_batched_tokens(server);
	double seqs = (double)ckpt_case_max_seqs(server);

	if (facts == NULL || facts->state != CKPT_MODEL_READ || facts->type == NULL ||
	    facts->hidden_size == 0 || facts->vocab_size == 0 ||
	    ckpt_memory_dtype(server) == CKPT_DTYPE_UNKNOWN) {
		ckpt_memory_set(memory, CKPT_MEMORY_ACTIVATION_BYTES, NAN, false, source,
				"the model is unknown or not covered by the estimate");
		return;
	}
	if (ckpt_case_is_cpu(server)) {
		ckpt_memory_set(memory, CKPT_MEMORY_ACTIVATION_BYTES, NAN, false, source,
				"no estimate for CPUs");
		return;
	}
	double bytes = ckpt_dtype_bits(ckpt_memory_dtype(server)) / 8.0;
	/* The widest step of a layer counts, not the sum: buffers are used again. */
	struct ckpt_cut cut = ckpt_memory_cut(server);
	double chosen = 0;
	const json_t *top = json_object_get(facts->config, "num_experts_per_tok");
	if (facts->experts > 0)
		chosen = (json_is_integer(top) ? (double)json_integer_value(top) : 2) *
				 (double)facts->expert_intermediate +
			 (double)facts->shared_intermediate;
	if ((double)facts->intermediate > chosen)
		chosen = (double)facts->intermediate;
	double attention = (double)((facts->heads + 2 * facts->kv_heads) * facts->head_dim);
	double width = 4 * (double)facts->hidden_size +
		       (3 * chosen + attention) / (double)cut.tensor;
	double logits = ckpt_has_trait(facts, CKPT_TRAIT_ENCODER) ? 0 : (double)facts->vocab_size;
	ckpt_memory_set(
		memory, CKPT_MEMORY_ACTIVATION_BYTES,
		tokens * width * bytes + seqs * logits * LOGIT_BYTES + RUNTIME_BYTES, true, source,
		"%.0f batched tokens x %.0f (4 hidden + (3 MLP + QKV) / tensor) x %g bytes + "
		"%.0f sequences x %.0f logits x %d bytes + 256 MiB",
		tokens, width, bytes, seqs, logits, LOGIT_BYTES);
}

/*
 * Returns the length of vLLM's list of batch sizes up to `most`: 1, 2, 4, then every 8th to 256,
 * then every 16th. Each size is a separate graph.
 */
static int64_t capture_sizes(int64_t most)
{
	int64_t low = most < 256 ? most : 256 - 8;
	int64_t count = most >= 4 ? 3 : most >= 2 ? 2 : most >= 1;

	if (low >= 8)
		count += low / 8;
	if (most >= 256)
		count += (most - 256) / 16 + 1;
	return count;
}

/* vLLM's own bound: twice the sequences at once, at most 512. */
static int64_t graph_count(const struct ckpt_case *server)
{
	const json_t *compile = json_object_get(server->values, "compilation_config");
	const json_t *sizes = json_object_get(server->values, "cudagraph_capture_sizes");
	const char *mode = pl_json_get_text(compile, "cudagraph_mode");
	const char *platform = ckpt_case_platform(server);
	int64_t most = ckpt_case_int(server, "max_cudagraph_capture_size", -1);

	if (ckpt_case_is_true(server, "enforce_eager") || pl_text_equal(mode, "NONE") ||
	    ckpt_case_int(server, "optimization_level", 2) == 0 ||
	    (platform != NULL && strcmp(platform, "cuda") != 0 && strcmp(platform, "rocm") != 0))
		return 0;
	if (!json_is_array(sizes))
		sizes = json_object_get(compile, "cudagraph_capture_sizes");
	if (json_is_array(sizes))
		return (int64_t)json_array_size(sizes);
	if (most < 0) {
		most = 2 * ckpt_case_max_seqs(server);
		most = most > 512 ? 512 : most;
	}
	return capture_sizes(most);
}

/* Earlier releases take graphs from the memory outside of gpu_memory_utilization. */
void ckpt_memory_graphs(const struct ckpt_case *server, struct ckpt_memory *memory)
{
	static const char source[] = "estimate from logged runs (docs/reference/memory.md); vLLM "
				     "measures this at startup";
	const struct ckpt_facts *facts = server->facts;
	const char *estimate = ckpt_case_env(server, "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS");
	int64_t count = graph_count(server);

	memory->outside_budget = !ckpt_case_since(server, "0.21.0") || pl_text_equal(estimate, "0");
	if (count == 0) {
		ckpt_memory_set(memory, CKPT_MEMORY_GRAPH_BYTES, 0, false, source,
				"no CUDA graphs");
		return;
	}
	if (facts == NULL || facts->layers == 0 || facts->type == NULL) {
		ckpt_memory_set(memory, CKPT_MEMORY_GRAPH_BYTES, NAN, false, source,
				"the model is unknown or not covered by the estimate");
		return;
	}
	double layers = ceil((double)facts->layers / (double)ckpt_memory_cut(server).pipeline);
	ckpt_memory_set(memory, CKPT_MEMORY_GRAPH_BYTES, (double)count * layers * GRAPH_BYTES, true,
			source, "%lld batch sizes x %.0f layers x 256 KiB%s", (long long)count,
			layers,
			memory->outside_budget ? " (outside of gpu_memory_utilization)" : "");
}
