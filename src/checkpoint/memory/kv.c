#include "checkpoint/memory/memory_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define BLOCK_TOKENS     16
#define BLOCK_TOKENS_CPU 128
/* 512 8-bit latent numbers, four 32-bit scales and 64 16-bit rotary numbers. */
#define DS_MLA_BYTES 656

static int64_t divide_up(int64_t a, int64_t b)
{
	return b > 0 ? (a + b - 1) / b : 0;
}

/* Bytes of one number of the KV cache; NaN with a reason for formats that are not modelled. */
static double cache_number_bytes(const struct ckpt_case *server, const char **ret_name,
				 const char **ret_why)
{
	const char *wanted = ckpt_case_text(server, "kv_cache_dtype");
	enum ckpt_dtype dtype = ckpt_memory_dtype(server);

	if (wanted == NULL || strcmp(wanted, "auto") == 0) {
		if (server->facts->kv_fp8)
			dtype = CKPT_DTYPE_F8;
	} else if (pl_text_equal(wanted, "fp8") || pl_text_equal(wanted, "fp8_e4m3") ||
		   pl_text_equal(wanted, "fp8_e5m2") || pl_text_equal(wanted, "fp8_inc")) {
		dtype = CKPT_DTYPE_F8;
	} else {
		dtype = ckpt_dtype_find(wanted);
		if (dtype == CKPT_DTYPE_UNKNOWN)
			*ret_why = "this kv_cache_dtype is not modelled";
	}
	*ret_name = ckpt_dtype_name(dtype);
	if (dtype == CKPT_DTYPE_UNKNOWN && *ret_why == NULL)
		*ret_why = "the model's dtype is not known";
	return dtype == CKPT_DTYPE_UNKNOWN ? NAN : ckpt_dtype_bits(dtype) / 8.0;
}

/* Bytes of one token in one layer on one GPU, with the words of it. */
static double layer_bytes(const struct ckpt_case *server, struct pl_buf *words,
			  const char **ret_why)
{
	const struct ckpt_facts *facts = server->facts;
	int64_t tensor = ckpt_memory_cut(server).tensor;
	const char *name = "";

	if (facts->type->attention == CKPT_ATTENTION_LATENT &&
	    pl_text_equal(ckpt_case_text(server, "kv_cache_dtype"), "fp8_ds_mla")) {
		pl_buf_addf(words, "%d bytes (fp8_ds_mla)", DS_MLA_BYTES);
		return DS_MLA_BYTES;
	}
	double bytes = cache_number_bytes(server, &name, ret_why);
	if (facts->type->attention == CKPT_ATTENTION_LATENT) {
		pl_buf_addf(words, "(%lld latent + %lld rotary) x %g bytes (%s)",
			    (long long)facts->kv_lora_rank, (long long)facts->rope_dim, bytes,
			    name);
		return (double)(facts->kv_lora_rank + facts->rope_dim) * bytes;
	}
	int64_t heads = divide_up(facts->kv_heads, tensor);
	pl_buf_addf(words, "2 x %lld KV heads x %lld x %g bytes (%s)", (long long)heads,
		    (long long)facts->head_dim, bytes, name);
	return 2.0 * (double)heads * (double)facts->head_dim * bytes;
}

/*
 * vLLM lays layers of one kind into groups of one size, so that any block fits any group: as many
 * layers as the rarer kind has, or the commoner one's where it has less than half as many more.
 */
static void set_groups(const struct ckpt_case *server, int64_t sliding,
		       struct ckpt_kv_layout *layout)
{
	int64_t full = layout->layers - sliding;
	int64_t least = full < sliding ? full : sliding;
	int64_t most = full < sliding ? sliding : full;

	if (full > 0 &&
	    (sliding == 0 || ckpt_case_is_true(server, "disable_hybrid_kv_cache_manager") ||
	     ckpt_case_is_true(server, "disable_sliding_window"))) {
		full = layout->layers;
		sliding = 0;
		least = most = full;
	} else if (full == 0 && ckpt_case_is_true(server, "disable_sliding_window")) {
		full = sliding;
		sliding = 0;
	}
	layout->group_layers = least > 0 && 2 * most >= 3 * least ? least : most;
	layout->full_groups = divide_up(full, layout->group_layers);
	layout->sliding_groups = divide_up(sliding, layout->group_layers);
}

static int64_t default_block(const struct ckpt_case *server)
{
	return ckpt_case_is_cpu(server) ? BLOCK_TOKENS_CPU : BLOCK_TOKENS;
}

double ckpt_memory_request_blocks(const struct ckpt_kv_layout *layout, int64_t len)
{
	int64_t own = divide_up(len, layout->context_ranks);
	int64_t window = layout->window - 1 + layout->batched_tokens;

	if (window > len)
		window = len;
	return (double)layout->full_groups * (double)divide_up(own, layout->block_tokens) +
	       (double)layout->sliding_groups *
		       (double)(divide_up(window, layout->block_tokens) + 1);
}

double ckpt_memory_usable_blocks(const struct ckpt_kv_layout *layout)
{
	return layout->blocks - 1;
}

int64_t ckpt_memory_longest(const struct ckpt_memory *memory, int64_t limit)
{
	const struct ckpt_kv_layout *layout = &memory->layout;
	int64_t low = 0;
	int64_t high = limit;

	if (!layout->known || isnan(layout->blocks))
		return 0;
	while (low < high) {
		int64_t middle = low + (high - low + 1) / 2;
		if (ckpt_memory_request_blocks(layout, middle) <= ckpt_memory_usable_blocks(layout))
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Why no KV cache is worked out; NULL: it is. */
static const char *why_not(const struct ckpt_case *server)
{
	const struct ckpt_facts *facts = server->facts;

	if (facts == NULL || facts->state != CKPT_MODEL_READ)
		return "the model's config.json is not here";
	if (facts->not_modelled != NULL)
		return facts->not_modelled;
	if (ckpt_memory_drafts(server))
		return "a drafting model's weights and KV cache are not modelled";
	return NULL;
}

static void set_missing(struct ckpt_memory *memory, const char *why)
{
	memory->not_modelled = pl_strdup(why);
	ckpt_memory_set(memory, CKPT_MEMORY_KV_BYTES_PER_TOKEN, NAN, false, NULL, "%s", why);
	ckpt_memory_set(memory, CKPT_MEMORY_KV_BYTES_PER_REQUEST, NAN, false, NULL, "%s", why);
}

static void fill_layout(const struct ckpt_case *server, struct ckpt_kv_layout *layout)
{
	const struct ckpt_facts *facts = server->facts;
	struct ckpt_cut cut = ckpt_memory_cut(server);

	layout->known = true;
	layout->layers = divide_up(facts->layers, cut.pipeline);
	layout->window = facts->sliding_window;
	layout->batched_tokens = ckpt_case_batched_tokens(server);
	layout->block_tokens = ckpt_case_int(server, "block_size", 0);
	if (layout->block_tokens < 1)
		layout->block_tokens = default_block(server);
	layout->context_ranks = ckpt_case_parallel(server, "decode_context_parallel_size") *
				ckpt_case_parallel(server, "prefill_context_parallel_size");
	set_groups(server, divide_up(facts->sliding_layers, cut.pipeline), layout);
	layout->block_bytes = layout->layer_bytes * (double)layout->block_tokens *
			      (double)layout->group_layers;
}

static void set_request(struct ckpt_memory *memory, int64_t len)
{
	const struct ckpt_kv_layout *layout = &memory->layout;
	static const char source[] = "vLLM, v1/core/kv_cache_utils.py and v1/kv_cache_interface.py";

	if (len <= 0) {
		ckpt_memory_set(memory, CKPT_MEMORY_KV_BYTES_PER_REQUEST, NAN, false, source,
				"max_model_len is not known");
		return;
	}
	double blocks = ckpt_memory_request_blocks(layout, len);
	if (layout->sliding_groups > 0)
		ckpt_memory_set(
			memory, CKPT_MEMORY_KV_BYTES_PER_REQUEST, blocks * layout->block_bytes,
			false, source,
			"(%lld full groups x ceil(%lld / %lld) + %lld sliding groups x "
			"(ceil(min(%lld - 1 + %lld, %lld) / %lld) + 1)) blocks x %.0f bytes "
			"of %lld layers",
			(long long)layout->full_groups, (long long)len,
			(long long)layout->block_tokens, (long long)layout->sliding_groups,
			(long long)layout->window, (long long)layout->batched_tokens,
			(long long)len, (long long)layout->block_tokens, layout->block_bytes,
			(long long)layout->group_layers);
	else
		ckpt_memory_set(memory, CKPT_MEMORY_KV_BYTES_PER_REQUEST,
				blocks * layout->block_bytes, false, source,
				"ceil(%lld / %lld) blocks x %.0f bytes",
				(long long)divide_up(len, layout->context_ranks),
				(long long)layout->block_tokens, layout->block_bytes);
}

static void set_max_len(const struct ckpt_case *server, int64_t len, struct ckpt_memory *memory)
{
	const char *formula = "neither given nor in config.json";

	if (ckpt_case_int(server, "max_model_len", -1) > 0)
		formula = "max_model_len";
	else if (len > 0)
		formula = server->facts->max_len_key;
	ckpt_memory_set(memory, CKPT_MEMORY_MAX_MODEL_LEN, len > 0 ? (double)len : NAN, false,
			"the argument, or vLLM's limit from config.json", "%s", formula);
}

void ckpt_memory_layout(const struct ckpt_case *server, struct ckpt_memory *memory)
{
	const char *why = why_not(server);
	int64_t len = ckpt_case_max_len(server);
	struct ckpt_kv_layout *layout = &memory->layout;
	auto_buf words = { 0 };

	pl_buf_init(&words, 4096);
	layout->blocks = NAN;
	set_max_len(server, len, memory);
	if (why != NULL) {
		set_missing(memory, why);
		return;
	}
	layout->layer_bytes = layer_bytes(server, &words, &why);
	if (why != NULL || isnan(layout->layer_bytes)) {
		set_missing(memory, why);
		return;
	}
	fill_layout(server, layout);
	ckpt_memory_set(memory, CKPT_MEMORY_KV_BYTES_PER_TOKEN,
			layout->layer_bytes * (double)layout->layers, false,
			"vLLM, v1/kv_cache_interface.py", "%lld layers x %s",
			(long long)layout->layers, pl_buf_text(&words));
	set_request(memory, len);
}
