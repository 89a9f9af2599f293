/*
 * What is known of a model before anything starts: its config.json and the heads of its weight
 * files, where it is a local folder or lies in the Hugging Face cache. Nothing is downloaded, no
 * code of it is run, and nothing outside of its folder is opened (the cache: of its repository).
 *
 * Where neither is here, the facts of a name may be known (checkpoint/known.h); a file always wins.
 *
 * A count of 0, a NULL or an UNKNOWN: not known.
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
	CKPT_MODEL_NOT_FOUND, /* neither a folder here nor in the cache */
	CKPT_MODEL_NO_CONFIG, /* a folder without config.json */
	CKPT_MODEL_BROKEN,    /* config.json cannot be read: problem */
	CKPT_MODEL_OTHER, /* a form that is not read: a GGUF file, an object store, params.json */
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

/* What a family has besides; tbl/model_types.h says what each is. */
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

/* Layers that keep one state a sequence instead of keys and values: Mamba, linear attention. */
struct ckpt_recurrent {
	int64_t layers;
	double linear;        /* numbers of one layer's maps ... */
	double rest;          /* ... and of its convolution, norm and the like */
	double conv_numbers;  /* one sequence's state in one layer: before the convolution ... */
	double state_numbers; /* ... and what is summed up */
	double state_bytes;   /* of one of the latter; 0: as the others, NaN: not known */
};

struct ckpt_facts {
	enum ckpt_state state;
	char *model;    /* as it was given */
	char *folder;   /* where it lies; NULL: not found */
	char *problem;  /* one line on a state that is not READ; NULL */
	json_t *config; /* config.json with hf_overrides; NULL */

	char *model_type;             /* of the text part */
	char *architecture;           /* the first of `architectures` */
	const struct ckpt_type *type; /* NULL: a family without a row */
	char *not_modelled;           /* why no KV cache is worked out; NULL: it is */
	bool uncounted;               /* nor its numbers */

	const struct ckpt_known *known; /* where these facts are from; NULL: from files */
	char *doubt; /* why facts known by name may not be this checkpoint's; NULL */
	bool cached; /* `folder` is a repository of the cache, which may not have all files */

	int64_t hidden_size;
	int64_t layers;
	int64_t heads;
	int64_t kv_heads;
	int64_t head_dim;
	int64_t intermediate;
	int64_t vocab_size;
	int64_t positions;        /* rows of a learnt position table */
	int64_t token_types;      /* ... and of one of a text's parts */
	int64_t attention_layers; /* that keep keys and values */
	int64_t dense_layers;     /* with an MLP that is no expert's */
	int64_t cross_layers;     /* of them, that attend to an image */

	/* LATENT attention */
	int64_t q_lora_rank; /* 0: none */
	int64_t kv_lora_rank;
	int64_t rope_dim;
	int64_t nope_dim;
	int64_t value_dim;

	int64_t experts; /* 0: dense */
	int64_t expert_intermediate;
	int64_t shared_intermediate; /* of all shared experts together */
	bool shared_gate;
	int64_t expert_layers;

	int64_t sliding_window; /* tokens; 0: none */
	int64_t sliding_layers;
	int64_t chunk_tokens; /* attention stays within chunks of so many */
	int64_t chunk_layers;

	/* full layers where they have sizes of their own: GLOBAL */
	int64_t global_layers;
	int64_t global_kv_heads;
	int64_t global_head_dim;

	/* what picks the tokens that sparse attention looks at: INDEXER */
	int64_t index_heads;
	int64_t index_dim;

	struct ckpt_recurrent recurrent;

	int64_t max_len;          /* the longest sequence vLLM takes from the configuration */
	char max_len_key[64];     /* the key that says so */
	int64_t model_max_length; /* a second limit that the file allows above it */
	bool max_len_scaled;      /* by RoPE scaling */

	enum ckpt_dtype dtype;
	bool tied;
	bool multimodal;
	char *quantization; /* quant_method of the checkpoint, as vLLM spells it; NULL: none */
	double quant_bits;  /* of a quantized weight with its scales; NaN: not known */
	bool quant_experts; /* only the experts' weights */
	bool quant_file;    /* a quantization file lies beside config.json */
	bool kv_fp8;        /* the checkpoint brings an 8-bit KV cache */

	struct ckpt_weights weights;
	char *weights_problem; /* a weight file that cannot be what it should be; NULL */
};

/* What says where a model lies. */
struct ckpt_source {
	const char *model;        /* values.model */
	const char *config_path;  /* hf_config_path; NULL */
	const char *revision;     /* NULL: main */
	const char *download_dir; /* NULL */
	const char *load_format;  /* NULL */
	const json_t *overrides;  /* hf_overrides; NULL */
	const json_t *env;        /* launch.env over the process's own; NULL */
};

/* The source that a set of server values and an environment (either NULL) describe. */
struct ckpt_source ckpt_source_of(const json_t *values, const json_t *env);

/* Of files alone. Never fails: `state` says what was found. */
struct ckpt_facts *ckpt_facts_load(const struct ckpt_source *source);
/* The same; where no file is here, what is known by name (`known`). */
struct ckpt_facts *ckpt_facts_know(const struct ckpt_source *source);
/* Of the bytes of a config.json alone; state READ or BROKEN. */
struct ckpt_facts *ckpt_facts_parse(const char *text, size_t len, const json_t *overrides);
void ckpt_facts_free(struct ckpt_facts *facts);
PL_AUTO_DEFINE(struct ckpt_facts, ckpt_facts_free);
#define auto_model_facts PL_AUTO(ckpt_facts_free)

bool ckpt_has_trait(const struct ckpt_facts *facts, enum ckpt_trait trait);
/* Known by name and not for sure the checkpoint's own: what follows from them only warns.
 * is_shape: of the layers, heads and widths, which the public count settles for many names. */
bool ckpt_facts_are_doubtful(const struct ckpt_facts *facts, bool is_shape);

/*
 * Where a model lies: `model` itself if it is a folder, else its snapshot in the Hugging Face
 * cache. NULL: nowhere. The caller's (free()). *ret_root is what files of it may not lie outside of
 * (the cached repository), NULL for a folder of the person's own; the caller's too.
 */
char *ckpt_find(const struct ckpt_source *source, const char *model, char **ret_root);
