/*
 * What is known of a model before anything starts: its config.json and the heads of its weight
 * files, where it is a local folder or lies in the Hugging Face cache. Nothing is downloaded, no
 * code of it is run, and nothing outside of its folder is opened (the cache: of its repository).
 *
 * A count of 0, a NULL or an UNKNOWN: not known.
 */
#ifndef MODEL_MODEL_FACTS_H
#define MODEL_MODEL_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "model/dtype.h"
#include "model/model_weights.h"

enum md_model_state {
	MD_MODEL_READ,      /* config.json was read */
	MD_MODEL_NOT_GIVEN, /* no model is named */
	MD_MODEL_NOT_FOUND, /* neither a folder here nor in the cache */
	MD_MODEL_NO_CONFIG, /* a folder without config.json */
	MD_MODEL_BROKEN,    /* config.json cannot be read: problem */
	MD_MODEL_OTHER,     /* a form that is not read: a GGUF file, an object store, params.json */
};

enum md_attention { MD_ATTENTION_UNKNOWN, MD_ATTENTION_HEADS, MD_ATTENTION_LATENT };
enum md_window { MD_WINDOW_NONE, MD_WINDOW_ALL, MD_WINDOW_PERIOD, MD_WINDOW_TOP };
enum md_mlp { MD_MLP_GATED, MD_MLP_PLAIN };
enum md_biases { MD_BIASES_NONE, MD_BIASES_QKV, MD_BIASES_ATTENTION, MD_BIASES_ALL };
enum md_qk_norm { MD_QK_NORM_NONE, MD_QK_NORM_HEAD, MD_QK_NORM_FULL };

/* A row of tbl/model_types.h. */
struct md_model_type {
	const char *name;
	enum md_attention attention;
	enum md_window window;
	int64_t period;
	enum md_mlp mlp;
	enum md_biases biases;
	int norms;
	int final_norm;
	enum md_qk_norm qk_norm;
	bool tied;
};

struct md_model_facts {
	enum md_model_state state;
	char *model;    /* as it was given */
	char *folder;   /* where it lies; NULL: not found */
	char *problem;  /* one line on a state that is not READ; NULL */
	json_t *config; /* config.json with hf_overrides; NULL */

	char *model_type;                 /* of the text part */
	char *architecture;               /* the first of `architectures` */
	const struct md_model_type *type; /* NULL: a family without a row */
	char *not_modelled;               /* why no memory is worked out; NULL: it is */

	int64_t hidden_size;
	int64_t layers;
	int64_t heads;
	int64_t kv_heads;
	int64_t head_dim;
	int64_t intermediate;
	int64_t vocab_size;
	int64_t positions; /* rows of a learnt position table */

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

	int64_t max_len;          /* the longest sequence vLLM takes from the configuration */
	char max_len_key[64];     /* the key that says so */
	int64_t model_max_length; /* a second limit that the file allows above it */
	bool max_len_scaled;      /* by RoPE scaling */

	enum md_dtype dtype;
	bool tied;
	bool multimodal;
	char *quantization; /* quant_method of the checkpoint, as vLLM spells it; NULL: none */
	double quant_bits;  /* of a quantized weight with its scales; NaN: not known */
	bool quant_experts; /* only the experts' weights */
	bool quant_file;    /* a quantization file lies beside config.json */
	bool kv_fp8;        /* the checkpoint brings an 8-bit KV cache */

	struct md_weights weights;
	char *weights_problem; /* a weight file that cannot be what it should be; NULL */
};

/* What says where a model lies. */
struct md_model_source {
	const char *model;        /* values.model */
	const char *config_path;  /* hf_config_path; NULL */
	const char *revision;     /* NULL: main */
	const char *download_dir; /* NULL */
	const json_t *overrides;  /* hf_overrides; NULL */
	const json_t *env;        /* launch.env over the process's own; NULL */
};

/* The source that a set of server values and an environment (either NULL) describe. */
struct md_model_source md_model_source_of(const json_t *values, const json_t *env);

/* Never fails: `state` says what was found. */
struct md_model_facts *md_model_facts_load(const struct md_model_source *source);
/* Of the bytes of a config.json alone; state READ or BROKEN. */
struct md_model_facts *md_model_facts_parse(const char *text, size_t len, const json_t *overrides);
void md_model_facts_free(struct md_model_facts *facts);
PL_AUTO_DEFINE(struct md_model_facts, md_model_facts_free);
#define auto_model_facts PL_AUTO(md_model_facts_free)

const struct md_model_type *md_model_type_find(const char *name);
json_t *md_model_facts_to_json(const struct md_model_facts *facts);

/*
 * Where a model lies: `model` itself if it is a folder, else its snapshot in the Hugging Face
 * cache. NULL: nowhere. The caller's (free()). *ret_root is what files of it may not lie outside of
 * (the cached repository), NULL for a folder of the person's own; the caller's too.
 */
char *md_model_find(const struct md_model_source *source, const char *model, char **ret_root);

#endif
