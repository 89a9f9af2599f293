/*
 * Facts about a model before anything starts, from its config.json and the headers of its weight
 * files, in a local directory or the Hugging Face cache. Nothing is downloaded, no code of the
 * model runs, and no file outside of its directory (in the cache: its repository) is opened.
 *
 * Without files, the facts may be known by name (checkpoint/known.h); files always take precedence.
 *
 * A count of 0, a NULL or an UNKNOWN means unknown.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "checkpoint/dtype.h"
#include "checkpoint/weights.h"

struct ckpt_known;

enum ckpt_state {
	CKPT_MODEL_READ,      /* config.json was read, or its keys are known by name */
	CKPT_MODEL_NOT_GIVEN, /* no model is named */
	CKPT_MODEL_NOT_FOUND, /* neither a directory here nor in the cache */
	CKPT_MODEL_NO_CONFIG, /* a directory without config.json */
	CKPT_MODEL_BROKEN,    /* config.json cannot be read: problem */
	CKPT_MODEL_OTHER,     /* an unsupported format: a GGUF file, an object store, params.json */
};

enum ckpt_attention { CKPT_ATTENTION_UNKNOWN, CKPT_ATTENTION_HEADS, CKPT_ATTENTION_LATENT };
enum ckpt_window { CKPT_WINDOW_NONE, CKPT_WINDOW_ALL, CKPT_WINDOW_PERIOD, CKPT_WINDOW_TOP };
enum ckpt_mlp { CKPT_MLP_GATED, CKPT_MLP_PLAIN };
enum ckpt_biases {
	CKPT_BIASES_NONE,
	CKPT_BIASES_MLP,
	CKPT_BIASES_QKV,
	CKPT_BIASES_ATTENTION,
	CKPT_BIASES_ALL,
};
enum ckpt_qk_norm { CKPT_QK_NORM_NONE, CKPT_QK_NORM_HEAD, CKPT_QK_NORM_FULL };

/* Further properties of a family; tbl/model_types.h describes them. */
enum ckpt_trait {
	CKPT_TRAIT_PLAIN,
	CKPT_TRAIT_HEAD_BIAS,
	CKPT_TRAIT_ENCODER,
	CKPT_TRAIT_CHUNKS,
	CKPT_TRAIT_DELTA,
	CKPT_TRAIT_PATTERN,
	CKPT_TRAIT_INDEXER,
	CKPT_TRAIT_GLOBAL,
	CKPT_TRAIT_CROSS,
};

/* A row of tbl/model_types.h. */
struct ckpt_type {
	const char *name;
	enum ckpt_attention attention;
	enum ckpt_window window;
	int64_t period;
	enum ckpt_mlp mlp;
	enum ckpt_biases biases;
	int norms;
	int final_norm;
	enum ckpt_qk_norm qk_norm;
	bool tied;
	enum ckpt_trait trait;
};

/* Layers with one state per sequence instead of keys and values: Mamba, linear attention. */
struct ckpt_recurrent {
	int64_t layers;
	double linear;        /* parameters of one layer's projections ... */
	double rest;          /* ... and of its convolution, norm and similar parts */
	double conv_numbers;  /* state of one sequence in one layer: before the convolution ... */
	double state_numbers; /* ... and the accumulated state */
	double state_bytes;   /* size of one number of the latter; 0: as the others, NaN: unknown */
};

struct ckpt_facts {
	enum ckpt_state state;
	char *model;    /* as given */
	char *folder;   /* its location; NULL: not found */
	char *problem;  /* one line on a state other than READ; NULL */
	json_t *config; /* config.json with hf_overrides; NULL */

	char *model_type;             /* of the text part */
	char *architecture;           /* the first of `architectures` */
	const struct ckpt_type *type; /* NULL: a family without a row */
	char *not_modelled;           /* why no KV cache is computed; NULL: it is */
	bool uncounted;               /* parameters cannot be counted, either */

	const struct ckpt_known *known; /* the source of these facts; NULL: files */
	char *doubt; /* why facts known by name may not be this checkpoint's; NULL */
	bool cached; /* `folder` is a repository of the cache, which may be incomplete */

	int64_t hidden_size;
	int64_t layers;
	int64_t heads;
	int64_t kv_heads;
	int64_t head_dim;
	int64_t intermediate;
	int64_t vocab_size;
	int64_t positions;        /* rows of a learned position table */
	int64_t token_types;      /* rows of a learned token type table */
	int64_t attention_layers; /* with keys and values */
	int64_t dense_layers;     /* with an MLP without experts */
	int64_t cross_layers;     /* layers among them that attend to an image */

	/* LATENT attention */
	int64_t q_lora_rank; /* 0: none */
	int64_t kv_lora_rank;
	int64_t rope_dim;
	int64_t nope_dim;
	int64_t value_dim;

	int64_t experts; /* 0: dense */
	int64_t expert_intermediate;
	int64_t shared_intermediate; /* total of all shared experts */
	bool shared_gate;
	int64_t expert_layers;

	int64_t sliding_window; /* tokens; 0: none */
	int64_t sliding_layers;
	int64_t chunk_tokens; /* attention is limited to chunks of this size */
	int64_t chunk_layers;

	/* full layers with separate sizes: GLOBAL */
	int64_t global_layers;
	int64_t global_kv_heads;
	int64_t global_head_dim;

	/* selects the tokens for sparse attention: INDEXER */
	int64_t index_heads;
	int64_t index_dim;

	struct ckpt_recurrent recurrent;

	int64_t max_len;          /* the longest sequence vLLM takes from the configuration */
	char max_len_key[64];     /* the key with that value */
	int64_t model_max_length; /* a second, larger limit that the file allows */
	bool max_len_scaled;      /* by RoPE scaling */

	enum ckpt_dtype dtype;
	bool tied;
	bool multimodal;
	char *quantization; /* quant_method of the checkpoint, in vLLM's spelling; NULL: none */
	double quant_bits;  /* per quantized weight including its scales; NaN: unknown */
	bool quant_experts; /* only the experts' weights */
	bool quant_file;    /* a quantization file exists next to config.json */
	bool kv_fp8;        /* the checkpoint includes scales for an 8-bit KV cache */

	struct ckpt_weights weights;
	char *weights_problem; /* an invalid weight file; NULL */
};

/* The arguments that determine where a model is. */
struct ckpt_source {
	const char *model;        /* values.model */
	const char *config_path;  /* hf_config_path; NULL */
	const char *revision;     /* NULL: main */
	const char *download_dir; /* NULL */
	const char *load_format;  /* NULL */
	const json_t *overrides;  /* hf_overrides; NULL */
	const json_t *env;        /* launch.env, overrides the process's environment; NULL */
};

/* Returns the source described by server values and an environment (either may be NULL). */
struct ckpt_source ckpt_source_of(const json_t *values, const json_t *env);

/* Loads facts from files only. Never fails: `state` has the result. */
struct ckpt_facts *ckpt_facts_load(const struct ckpt_source *source);
/* The same; without files it uses what is known by name (`known`). */
struct ckpt_facts *ckpt_facts_know(const struct ckpt_source *source);
/* Parses only the bytes of a config.json; state READ or BROKEN. */
struct ckpt_facts *ckpt_facts_parse(const char *text, size_t len, const json_t *overrides);
void ckpt_facts_free(struct ckpt_facts *facts);
PL_AUTO_DEFINE(struct ckpt_facts, ckpt_facts_free);
#define auto_model_facts PL_AUTO(ckpt_facts_free)

bool ckpt_has_trait(const struct ckpt_facts *facts, enum ckpt_trait trait);
/*
 * Returns whether the facts are known by name and may differ from the checkpoint's: conclusions
 * from them are only warnings. is_shape: for layers, heads and widths, which the public parameter
 * count confirms for many names.
 */
bool ckpt_facts_are_doubtful(const struct ckpt_facts *facts, bool is_shape);

/*
 * Returns the directory of a model: `model` itself if it is a directory, otherwise its snapshot in
 * the Hugging Face cache. NULL: not found. The caller frees it with free(). *ret_root is the
 * directory that its files may not leave (the cached repository), NULL for a user's directory; the
 * caller frees it, too.
 */
char *ckpt_find(const struct ckpt_source *source, const char *model, char **ret_root);
