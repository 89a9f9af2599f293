/*
 * The KV cache as vLLM lays it out (v1/core/kv_cache_utils.py), and how many tokens of requests it
 * holds:
 *
 *   layers of one kind -> groups of the same number of layers -> one pool of blocks for all groups
 *   a block: block_tokens of one group's layers; any free block can be any group's
 *   a request: in each group the blocks that its tokens need there
 *        full      ceil(len / block_tokens)
 *        sliding   those of the window and of the tokens of one step, no more
 *        state     one or two, whatever the length
 */
#include "checkpoint/memory/memory_priv.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

#define BLOCK_TOKENS        16
#define BLOCK_TOKENS_CPU    128
#define BLOCK_TOKENS_SPARSE 64
/* 512 8-bit latent numbers, four 32-bit scales and 64 16-bit rotary numbers. */
#define DS_MLA_BYTES 656
/* 8-bit numbers of the indexer's key per 32-bit scale. */
#define INDEX_SCALE_NUMBERS 128
/* Llama 4's chunks have separate blocks since this release, unless disabled. */
#define CHUNKS_SINCE "0.13.0"
/* Sparse attention had 8-bit latent vectors unless told otherwise. */
#define SPARSE_BF16_SINCE "0.12.0"

/* 0 for a divisor that is 0: a kind that the model does not have. */
static int64_t divide_up(int64_t a, int64_t b)
{
	return b > 0 ? (a + b - 1) / b : 0;
}

/* Bytes of one number of the KV cache; NaN with a reason for formats that are not modelled.
 * "auto" is the model's own format, unless its checkpoint was made for an 8-bit cache. */
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
			*ret_why = "the estimate does not cover this kv_cache_dtype";
	}
	*ret_name = ckpt_dtype_name(dtype);
	if (dtype == CKPT_DTYPE_UNKNOWN && *ret_why == NULL)
		*ret_why = "the dtype of the model is unknown";
	return dtype == CKPT_DTYPE_UNKNOWN ? NAN : ckpt_dtype_bits(dtype) / 8.0;
}

/* Latent vectors in the sparse kernels' own 8-bit format. */
static bool is_ds_mla(const struct ckpt_case *server)
{
	const char *wanted = ckpt_case_text(server, "kv_cache_dtype");

	if (pl_text_equal(wanted, "fp8_ds_mla"))
		return true;
	if (!ckpt_has_trait(server->facts, CKPT_TRAIT_INDEXER))
		return false;
	if (wanted == NULL || strcmp(wanted, "auto") == 0)
		return !ckpt_case_since(server, SPARSE_BF16_SINCE);
	return pl_text_starts(wanted, "fp8");
}

/* One vector for keys and values of all heads, which no tensor parallelism cuts: each GPU has
 * all of it. */
static double latent_bytes(const struct ckpt_case *server, struct pl_buf *words,
			   const char **ret_why)
{
	const struct ckpt_facts *facts = server->facts;
	const char *name = "";
	bool is_sparse = ckpt_has_trait(facts, CKPT_TRAIT_INDEXER);
	double index = 0;
	double latent = DS_MLA_BYTES;

	pl_buf_add_text(words, is_sparse ? "(" : "");
	if (is_ds_mla(server)) {
		pl_buf_addf(words, "%d bytes (fp8_ds_mla)", DS_MLA_BYTES);
	} else {
		double bytes = cache_number_bytes(server, &name, ret_why);
		latent = (double)(facts->kv_lora_rank + facts->rope_dim) * bytes;
		pl_buf_addf(words, "(%lld latent + %lld rotary) x %g bytes (%s)",
			    (long long)facts->kv_lora_rank, (long long)facts->rope_dim, bytes,
			    name);
	}
	if (is_sparse) {
		index = (double)(facts->index_dim + facts->index_dim / INDEX_SCALE_NUMBERS * 4);
		pl_buf_addf(words, " + %g bytes of the indexer)", index);
	}
	return latent + index;
}

/*
 * Returns the bytes of one token in one layer on one GPU, with its formula. 2: keys and values.
 * With more GPUs than KV heads each GPU has a copy of one.
 */
static double layer_bytes(const struct ckpt_case *server, int64_t kv_heads, int64_t head_dim,
			  struct pl_buf *words, const char **ret_why)
{
	const char *name = "";

	if (server->facts->type->attention == CKPT_ATTENTION_LATENT)
		return latent_bytes(server, words, ret_why);
	double bytes = cache_number_bytes(server, &name, ret_why);
	int64_t heads = divide_up(kv_heads, ckpt_memory_cut(server).tensor);
	pl_buf_addf(words, "2 x %lld KV heads x %lld x %g bytes (%s)", (long long)heads,
		    (long long)head_dim, bytes, name);
	return 2.0 * (double)heads * (double)head_dim * bytes;
}

/*
 * Returns whether layers with a window or a chunk keep every token, because separate blocks are
 * disabled.
 */
static bool is_merged(const struct ckpt_case *server)
{
	const char *chunks = ckpt_case_env(server,
					   "VLLM_ALLOW_CHUNKED_LOCAL_ATTN_WITH_HYBRID_KV_CACHE");

	if (ckpt_case_is_true(server, "disable_hybrid_kv_cache_manager") ||
	    ckpt_case_is_true(server, "disable_sliding_window"))
		return true;
	if (server->facts->chunk_layers == 0)
		return false;
	return chunks != NULL ? strcmp(chunks, "0") == 0 : !ckpt_case_since(server, CHUNKS_SINCE);
}

/*
 * vLLM lays layers of one kind into groups of one size, so that any block fits any group: as many
 * layers as the rarer kind has, or the commoner one's where it has less than half as many more.
 * Returns the groups of the others.
 */
static int64_t set_groups(int64_t full, int64_t other, struct ckpt_kv_layout *layout)
{
	int64_t least = full < other ? full : other;
	int64_t most = full < other ? other : full;

	layout->group_layers = least > 0 && 2 * most >= 3 * least ? least : most;
	layout->full_groups = divide_up(full, layout->group_layers);
	return divide_up(other, layout->group_layers);
}

static int64_t default_block(const struct ckpt_case *server)
{
	if (ckpt_case_is_cpu(server))
		return BLOCK_TOKENS_CPU;
	return ckpt_has_trait(server->facts, CKPT_TRAIT_INDEXER) ? BLOCK_TOKENS_SPARSE
								 : BLOCK_TOKENS;
}

/*
 * Returns the blocks that one request of `len` tokens takes in a group with a window. One step may
 * add batched_tokens new ones to a request, each of which needs the window before it.
 */
static double window_blocks(const struct ckpt_kv_layout *layout, int64_t len)
{
	int64_t window = layout->window + layout->batched_tokens - (layout->chunked ? 0 : 1);
	int64_t blocks = divide_up(window > len ? len : window, layout->sliding_block_tokens);

	/* a window begins within a block, a chunk with one */
	return (double)(layout->chunked ? blocks : blocks + 1);
}

/* The ranks of context parallelism share the tokens of full attention. */
double ckpt_memory_request_blocks(const struct ckpt_kv_layout *layout, int64_t len)
{
	int64_t local_len = divide_up(len, layout->context_ranks);

	return (double)layout->full_groups * (double)divide_up(local_len, layout->block_tokens) +
	       (double)layout->sliding_groups * window_blocks(layout, len) +
	       (double)layout->state_groups * (double)layout->state_blocks;
}

/* vLLM reserves one block as the null block, for positions outside of a window. */
double ckpt_memory_usable_blocks(const struct ckpt_kv_layout *layout)
{
	return layout->blocks - 1;
}

/* Searched by halves: blocks only grow with the length, but not by a formula that can be turned
 * round. */
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
		return "the model's config.json is missing";
	if (facts->not_modelled != NULL)
		return facts->not_modelled;
	if (ckpt_memory_drafts(server))
		return "the estimate does not cover the weights and KV cache of a drafting model";
	if (ckpt_has_trait(facts, CKPT_TRAIT_ENCODER))
		return "an encoder keeps no keys and values";
	return NULL;
}

static void set_missing(const struct ckpt_case *server, struct ckpt_memory *memory, const char *why)
{
	/* not known, or known to be nothing */
	bool none = server->facts != NULL && ckpt_has_trait(server->facts, CKPT_TRAIT_ENCODER);

	memory->not_modelled = pl_strdup(why);
	ckpt_memory_set(memory, CKPT_MEMORY_KV_BYTES_PER_TOKEN, none ? 0 : NAN, false, NULL, "%s",
			why);
	ckpt_memory_set(memory, CKPT_MEMORY_KV_BYTES_PER_REQUEST, none ? 0 : NAN, false, NULL, "%s",
			why);
}

/* Bytes of one sequence's state in one layer on one GPU; NaN with a reason. */
static double state_bytes(const struct ckpt_case *server, const char **ret_why)
{
	const struct ckpt_recurrent *recurrent = &server->facts->recurrent;
	const char *conv = ckpt_case_text(server, "mamba_cache_dtype");
	const char *state = ckpt_case_text(server, "mamba_ssm_cache_dtype");
	double served = ckpt_dtype_bits(ckpt_memory_dtype(server)) / 8.0;
	double conv_bytes = served;
	double bytes = recurrent->state_bytes == 0 ? served : recurrent->state_bytes;

	if (conv != NULL && strcmp(conv, "auto") != 0)
		conv_bytes = ckpt_dtype_bits(ckpt_dtype_find(conv)) / 8.0;
	if (state != NULL && strcmp(state, "auto") != 0)
		bytes = ckpt_dtype_bits(ckpt_dtype_find(state)) / 8.0;
	if (isnan(bytes) || bytes == 0 || conv_bytes == 0)
		*ret_why = "the number format of its states is unknown (mamba_ssm_cache_dtype)";
	return (recurrent->conv_numbers * conv_bytes + recurrent->state_numbers * bytes) /
	       (double)ckpt_memory_cut(server).tensor;
}

/*
 * A state takes a page, as large as a block of an attention layer: vLLM sets that block's number of
 * tokens accordingly (HybridAttentionMambaModelConfig). With a prefix cache a sequence has a second
 * state; caching one for each block is not modelled.
 */
static void set_states(const struct ckpt_case *server, double token_bytes,
		       struct ckpt_kv_layout *layout, const char **ret_why)
{
	const char *mode = ckpt_case_text(server, "mamba_cache_mode");
	bool cached = ckpt_case_is_true(server, "enable_prefix_caching");
	double state = state_bytes(server, ret_why);
	double tokens = ceil(state / (BLOCK_TOKENS * token_bytes)) * BLOCK_TOKENS;

	if (pl_text_equal(mode, "all") ||
	    (cached && mode == NULL && ckpt_has_trait(server->facts, CKPT_TRAIT_PATTERN)))
		*ret_why = "the estimate does not cover a prefix cache of Mamba states";
	layout->state_blocks = cached || pl_text_equal(mode, "align") ? 2 : 1;
	if (tokens > (double)layout->block_tokens && tokens < 1e12)
		layout->block_tokens = (int64_t)tokens;
}

/* The bytes of one token in one layer, by kind of layer. */
struct kind_bytes {
	double full;
	double sliding;
};

/* Pages of one size: the kind that has less for a token has more tokens in a block. */
static double set_page(struct kind_bytes bytes, struct ckpt_kv_layout *layout)
{
	double most = bytes.full > bytes.sliding ? bytes.full : bytes.sliding;
	double page = most * (double)layout->block_tokens;

	layout->sliding_block_tokens = layout->block_tokens;
	if (bytes.full < most && fmod(most, bytes.full) == 0)
		layout->block_tokens = (int64_t)(page / bytes.full);
	if (bytes.sliding < most && fmod(most, bytes.sliding) == 0)
		layout->sliding_block_tokens = (int64_t)(page / bytes.sliding);
	return page;
}

/* Stages hold the layers evenly; the fullest is the one that counts. */
static void fill_layout(const struct ckpt_case *server, struct kind_bytes bytes,
			struct ckpt_kv_layout *layout, const char **ret_why)
{
	const struct ckpt_facts *facts = server->facts;
	int64_t pipeline = ckpt_memory_cut(server).pipeline;
	int64_t windows = divide_up(facts->sliding_layers + facts->chunk_layers, pipeline);
	int64_t states = divide_up(facts->recurrent.layers, pipeline);
	int64_t full = divide_up(facts->attention_layers, pipeline) - windows;

	layout->known = true;
	layout->chunked = facts->chunk_layers > 0;
	layout->window = layout->chunked ? facts->chunk_tokens : facts->sliding_window;
	layout->batched_tokens = ckpt_case_batched_tokens(server);
	layout->block_tokens = ckpt_case_int(server, "block_size", 0);
	if (layout->block_tokens < 1)
		layout->block_tokens = default_block(server);
	layout->context_ranks = ckpt_case_parallel(server, "decode_context_parallel_size") *
				ckpt_case_parallel(server, "prefill_context_parallel_size");
	layout->token_bytes = (double)full * bytes.full + (double)windows * bytes.sliding;
	if (is_merged(server) &&
	    (full > 0 || ckpt_case_is_true(server, "disable_sliding_window"))) {
		full += windows;
		windows = 0;
	}
	if (states > 0) {
		set_states(server, bytes.full, layout, ret_why);
		layout->state_groups = set_groups(full, states, layout);
	} else {
		layout->sliding_groups = set_groups(full, windows, layout);
	}
	/* one group has no other's page to fit */
	if (states == 0 && (full == 0 || windows == 0)) {
		layout->sliding_block_tokens = layout->block_tokens;
		layout->block_bytes = layout->token_bytes * (double)layout->block_tokens;
	} else {
		layout->block_bytes = set_page(bytes, layout) * (double)layout->group_layers;
	}
}

/* The formula as it was worked out, so that a reader can check it by hand. */
static void add_request_words(const struct ckpt_kv_layout *layout, int64_t len,
			      struct pl_buf *words)
{
	pl_buf_addf(words, "(%lld full groups x ceil(%lld / %lld)", (long long)layout->full_groups,
		    (long long)divide_up(len, layout->context_ranks),
		    (long long)layout->block_tokens);
	if (layout->sliding_groups > 0 && layout->chunked)
		pl_buf_addf(words, " + %lld chunked groups x ceil(min(%lld + %lld, %lld) / %lld)",
			    (long long)layout->sliding_groups, (long long)layout->window,
			    (long long)layout->batched_tokens, (long long)len,
			    (long long)layout->sliding_block_tokens);
	else if (layout->sliding_groups > 0)
		pl_buf_addf(
			words,
			" + %lld sliding groups x (ceil(min(%lld - 1 + %lld, %lld) / %lld) + 1)",
			(long long)layout->sliding_groups, (long long)layout->window,
			(long long)layout->batched_tokens, (long long)len,
			(long long)layout->sliding_block_tokens);
	if (layout->state_groups > 0)
		pl_buf_addf(words, " + %lld state groups x %lld", (long long)layout->state_groups,
			    (long long)layout->state_blocks);
	pl_buf_addf(words, ") blocks x %.0f bytes of %lld layers", layout->block_bytes,
		    (long long)layout->group_layers);
}

static void set_request(struct ckpt_memory *memory, int64_t len)
{
	const struct ckpt_kv_layout *layout = &memory->layout;
	static const char source[] = "vLLM, v1/core/kv_cache_utils.py and v1/kv_cache_interface.py";
	auto_buf words = PL_BUF(4096);

	if (len <= 0) {
		ckpt_memory_set(memory, CKPT_MEMORY_KV_BYTES_PER_REQUEST, NAN, false, source,
				"max_model_len is unknown");
		return;
	}
	if (layout->sliding_groups > 0 || layout->state_groups > 0)
		add_request_words(layout, len, &words);
	else
		pl_buf_addf(&words, "ceil(%lld / %lld) blocks x %.0f bytes",
			    (long long)divide_up(len, layout->context_ranks),
			    (long long)layout->block_tokens, layout->block_bytes);
	/* how a block is aligned to a state differs between platforms */
	ckpt_memory_set(memory, CKPT_MEMORY_KV_BYTES_PER_REQUEST,
			ckpt_memory_request_blocks(layout, len) * layout->block_bytes,
			layout->state_groups > 0, source, "%s", pl_buf_text(&words));
}

static void set_max_len(const struct ckpt_case *server, int64_t len, struct ckpt_memory *memory)
{
	const char *formula = "neither max_model_len nor config.json sets the length";

	if (ckpt_case_int(server, "max_model_len", -1) > 0)
		formula = "max_model_len";
	else if (len > 0)
		formula = server->facts->max_len_key;
	ckpt_memory_set(memory, CKPT_MEMORY_MAX_MODEL_LEN, len > 0 ? (double)len : NAN, false,
			"the argument, or vLLM's limit from config.json", "%s", formula);
}

/* ... with the words of a token in all layers. */
static struct kind_bytes bytes_of_kinds(const struct ckpt_case *server, struct pl_buf *words,
					const char **ret_why)
{
	const struct ckpt_facts *facts = server->facts;
	int64_t pipeline = ckpt_memory_cut(server).pipeline;
	int64_t layers = divide_up(facts->attention_layers, pipeline);
	int64_t sliding = divide_up(facts->sliding_layers, pipeline);
	struct kind_bytes bytes;

	if (!ckpt_has_trait(facts, CKPT_TRAIT_GLOBAL) || facts->global_layers == 0) {
		pl_buf_addf(words, "%lld layers x ", (long long)layers);
		bytes.full = layer_bytes(server, facts->kv_heads, facts->head_dim, words, ret_why);
		bytes.sliding = bytes.full;
		return bytes;
	}
	pl_buf_addf(words, "%lld full layers x ", (long long)(layers - sliding));
	bytes.full = layer_bytes(server, facts->global_kv_heads, facts->global_head_dim, words,
				 ret_why);
	pl_buf_addf(words, " + %lld sliding layers x ", (long long)sliding);
	bytes.sliding = layer_bytes(server, facts->kv_heads, facts->head_dim, words, ret_why);
	return bytes;
}

void ckpt_memory_layout(const struct ckpt_case *server, struct ckpt_memory *memory)
{
	const char *why = why_not(server);
	int64_t len = ckpt_case_max_len(server);
	struct ckpt_kv_layout *layout = &memory->layout;
	auto_buf words = PL_BUF(4096);

	layout->blocks = NAN;
	set_max_len(server, len, memory);
	if (why != NULL) {
		set_missing(server, memory, why);
		return;
	}
	struct kind_bytes bytes = bytes_of_kinds(server, &words, &why);
	if (why == NULL && (isnan(bytes.full) || isnan(bytes.sliding)))
		why = "the dtype of the model is unknown";
	if (why != NULL) {
		set_missing(server, memory, why);
		return;
	}
	fill_layout(server, bytes, layout, &why);
	ckpt_memory_set(memory, CKPT_MEMORY_KV_BYTES_PER_TOKEN, layout->token_bytes, false,
			"vLLM, v1/kv_cache_interface.py", "%s", pl_buf_text(&words));
	if (why != NULL) {
		*layout = (struct ckpt_kv_layout){ .blocks = NAN };
		memory->not_modelled = pl_strdup(why);
		ckpt_memory_set(memory, CKPT_MEMORY_KV_BYTES_PER_REQUEST, NAN, false, NULL, "%s",
				why);
		return;
	}
	set_request(memory, len);
}
