/*
 * Model families whose memory profllm can compute from config.json; docs/reference/memory.md. A family
 * without a row gets no number, and this is reported. No row includes encoders of images or audio, or
 * draft layers.
 *
 * MODEL(type, attention, window, period, mlp, biases, norms, final_norm, qk_norm, tied, trait)
 *   type       model_type of the (text) configuration
 *   attention  HEADS: keys and values per head; LATENT: one compressed vector per token (MLA)
 *   window     layers with a sliding window if the file has no layer_types: NONE; ALL; PERIOD: all but
 *              every period-th; TOP: those from max_window_layers on, if use_sliding_window
 *   mlp        GATED: three matrices; PLAIN: two
 *   biases     NONE, MLP, QKV, ATTENTION (and the output projection), ALL
 *   norms      vectors of the hidden size per layer; final_norm: after the last one
 *   qk_norm    NONE; HEAD: a head's width for q and for k; FULL: all heads' width
 *   tied       tie_word_embeddings if the file lacks it
 *   trait      PLAIN, or an additional property:
 *     HEAD_BIAS  a bias of the output matrix
 *     ENCODER    no KV cache, no output matrix; token types, a pooler, a norm after the embedding
 *     CHUNKS     Llama 4: all but every period-th layer attend within a chunk; one shared expert;
 *                dense layers of intermediate_size_mlp
 *     DELTA      all but every period-th layer are linear attention (gated delta rule); the others'
 *                queries include a gate of the same width
 *     PATTERN    hybrid_override_pattern: each layer is attention, Mamba 2, MLP or experts
 *     INDEXER    sparse attention: a small query and key per layer select the tokens
 *     GLOBAL     full layers have another number and width of heads; experts in addition to the MLP
 *     CROSS      some layers attend to an image's tokens
 */
MODEL("llama",           HEADS,  NONE,   0, GATED, NONE,      2, 1, NONE, 0, PLAIN)
MODEL("mistral",         HEADS,  ALL,    0, GATED, NONE,      2, 1, NONE, 0, PLAIN)
MODEL("ministral",       HEADS,  ALL,    0, GATED, NONE,      2, 1, NONE, 0, PLAIN)
MODEL("ministral3",      HEADS,  NONE,   0, GATED, NONE,      2, 1, NONE, 0, PLAIN)
MODEL("mixtral",         HEADS,  ALL,    0, GATED, NONE,      2, 1, NONE, 0, PLAIN)
MODEL("qwen2",           HEADS,  TOP,    0, GATED, QKV,       2, 1, NONE, 0, PLAIN)
MODEL("qwen2_moe",       HEADS,  TOP,    0, GATED, QKV,       2, 1, NONE, 0, PLAIN)
MODEL("qwen2_vl",        HEADS,  TOP,    0, GATED, QKV,       2, 1, NONE, 0, PLAIN)
MODEL("qwen2_vl_text",   HEADS,  TOP,    0, GATED, QKV,       2, 1, NONE, 0, PLAIN)
MODEL("qwen2_5_vl",      HEADS,  TOP,    0, GATED, QKV,       2, 1, NONE, 0, PLAIN)
MODEL("qwen2_5_vl_text", HEADS,  TOP,    0, GATED, QKV,       2, 1, NONE, 0, PLAIN)
MODEL("qwen2_5_omni_text", HEADS, TOP,   0, GATED, QKV,       2, 1, NONE, 0, PLAIN)
MODEL("qwen2_audio",     HEADS,  TOP,    0, GATED, QKV,       2, 1, NONE, 0, PLAIN)
MODEL("qwen3",           HEADS,  TOP,    0, GATED, NONE,      2, 1, HEAD, 0, PLAIN)
MODEL("qwen3_moe",       HEADS,  TOP,    0, GATED, NONE,      2, 1, HEAD, 0, PLAIN)
MODEL("qwen3_vl_text",   HEADS,  NONE,   0, GATED, NONE,      2, 1, HEAD, 0, PLAIN)
MODEL("qwen3_vl_moe_text", HEADS, NONE,  0, GATED, NONE,      2, 1, HEAD, 0, PLAIN)
MODEL("phi3",            HEADS,  ALL,    0, GATED, NONE,      2, 1, NONE, 0, PLAIN)
MODEL("phi",             HEADS,  NONE,   0, PLAIN, ALL,       2, 2, NONE, 0, HEAD_BIAS)
MODEL("phimoe",          HEADS,  ALL,    0, GATED, ATTENTION, 4, 2, NONE, 0, PLAIN)
MODEL("gemma",           HEADS,  NONE,   0, GATED, NONE,      2, 1, NONE, 1, PLAIN)
MODEL("gemma2",          HEADS,  PERIOD, 2, GATED, NONE,      4, 1, NONE, 1, PLAIN)
MODEL("gemma3_text",     HEADS,  PERIOD, 6, GATED, NONE,      4, 1, HEAD, 1, PLAIN)
MODEL("gpt_oss",         HEADS,  PERIOD, 2, GATED, ALL,       2, 1, NONE, 0, PLAIN)
MODEL("deepseek",        HEADS,  NONE,   0, GATED, NONE,      2, 1, NONE, 0, PLAIN)
MODEL("deepseek_v2",     LATENT, NONE,   0, GATED, NONE,      2, 1, NONE, 0, PLAIN)
MODEL("deepseek_v3",     LATENT, NONE,   0, GATED, NONE,      2, 1, NONE, 0, PLAIN)
MODEL("kimi_k2",         LATENT, NONE,   0, GATED, NONE,      2, 1, NONE, 0, PLAIN)
MODEL("gpt2",            HEADS,  NONE,   0, PLAIN, ALL,       4, 2, NONE, 1, PLAIN)
MODEL("gpt_neox",        HEADS,  NONE,   0, PLAIN, ALL,       4, 2, NONE, 0, PLAIN)
MODEL("opt",             HEADS,  NONE,   0, PLAIN, ALL,       4, 2, NONE, 1, PLAIN)
MODEL("bloom",           HEADS,  NONE,   0, PLAIN, ALL,       4, 2, NONE, 1, PLAIN)
MODEL("mpt",             HEADS,  NONE,   0, PLAIN, NONE,      2, 1, NONE, 1, PLAIN)
MODEL("falcon",          HEADS,  NONE,   0, PLAIN, NONE,      2, 2, NONE, 1, PLAIN)
MODEL("starcoder2",      HEADS,  ALL,    0, PLAIN, ALL,       4, 2, NONE, 1, PLAIN)
MODEL("stablelm",        HEADS,  NONE,   0, GATED, NONE,      4, 2, NONE, 0, PLAIN)
MODEL("granite",         HEADS,  NONE,   0, GATED, NONE,      2, 1, NONE, 0, PLAIN)
MODEL("granitemoe",      HEADS,  NONE,   0, GATED, NONE,      2, 1, NONE, 0, PLAIN)
MODEL("olmo2",           HEADS,  NONE,   0, GATED, NONE,      2, 1, FULL, 0, PLAIN)
MODEL("olmo3",           HEADS,  PERIOD, 4, GATED, NONE,      2, 1, FULL, 0, PLAIN)
MODEL("olmoe",           HEADS,  NONE,   0, GATED, NONE,      2, 1, FULL, 0, PLAIN)
MODEL("cohere",          HEADS,  NONE,   0, GATED, NONE,      1, 1, NONE, 1, PLAIN)
MODEL("cohere2",         HEADS,  PERIOD, 4, GATED, NONE,      1, 1, NONE, 1, PLAIN)
MODEL("glm",             HEADS,  NONE,   0, GATED, QKV,       2, 1, NONE, 0, PLAIN)
MODEL("glm4",            HEADS,  NONE,   0, GATED, QKV,       4, 1, NONE, 0, PLAIN)
MODEL("glm4_moe",        HEADS,  NONE,   0, GATED, QKV,       2, 1, HEAD, 0, PLAIN)
MODEL("internlm2",       HEADS,  NONE,   0, GATED, NONE,      2, 1, NONE, 0, PLAIN)
MODEL("smollm3",         HEADS,  NONE,   0, GATED, NONE,      2, 1, NONE, 1, PLAIN)
MODEL("seed_oss",        HEADS,  NONE,   0, GATED, QKV,       2, 1, NONE, 0, PLAIN)
MODEL("ernie4_5",        HEADS,  NONE,   0, GATED, NONE,      2, 1, NONE, 1, PLAIN)
MODEL("baichuan",        HEADS,  NONE,   0, GATED, NONE,      2, 1, NONE, 0, PLAIN)
MODEL("llama4_text",     HEADS,  NONE,   4, GATED, NONE,      2, 1, NONE, 0, CHUNKS)
MODEL("mllama_text_model", HEADS, NONE,  0, GATED, NONE,      2, 1, NONE, 0, CROSS)
MODEL("gptj",            HEADS,  NONE,   0, PLAIN, MLP,       2, 2, NONE, 0, HEAD_BIAS)
MODEL("bert",            HEADS,  NONE,   0, PLAIN, ALL,       4, 2, NONE, 1, ENCODER)
MODEL("roberta",         HEADS,  NONE,   0, PLAIN, ALL,       4, 2, NONE, 1, ENCODER)
MODEL("xlm-roberta",     HEADS,  NONE,   0, PLAIN, ALL,       4, 2, NONE, 1, ENCODER)
MODEL("qwen3_next",      HEADS,  NONE,   4, GATED, NONE,      2, 1, HEAD, 0, DELTA)
MODEL("qwen3_5_text",    HEADS,  NONE,   4, GATED, NONE,      2, 1, HEAD, 0, DELTA)
MODEL("qwen3_5_moe_text", HEADS, NONE,   4, GATED, NONE,      2, 1, HEAD, 0, DELTA)
MODEL("gemma4_text",     HEADS,  PERIOD, 6, GATED, NONE,      4, 1, HEAD, 1, GLOBAL)
MODEL("deepseek_v32",    LATENT, NONE,   0, GATED, NONE,      2, 1, NONE, 0, INDEXER)
MODEL("glm_moe_dsa",     LATENT, NONE,   0, GATED, NONE,      2, 1, NONE, 0, INDEXER)
MODEL("nemotron_h",      HEADS,  NONE,   0, PLAIN, NONE,      1, 1, NONE, 0, PATTERN)
MODEL("minimax_m2",      HEADS,  NONE,   0, GATED, NONE,      2, 1, FULL, 0, PLAIN)
MODEL("exaone4",         HEADS,  PERIOD, 4, GATED, NONE,      2, 1, HEAD, 0, PLAIN)

/*
 * The default of a key that config.json lacks, by family.
 * DEFAULT(type, key, value)
 */
DEFAULT("gemma",         "head_dim",                256)
DEFAULT("gemma2",        "head_dim",                256)
DEFAULT("gemma2",        "sliding_window",         4096)
DEFAULT("gemma2",        "max_position_embeddings", 8192)
DEFAULT("gemma3_text",   "vocab_size",           262208)
DEFAULT("gemma3_text",   "num_attention_heads",       8)
DEFAULT("gemma3_text",   "num_key_value_heads",       4)
DEFAULT("gemma3_text",   "head_dim",                256)
DEFAULT("gemma3_text",   "sliding_window",         4096)
DEFAULT("gemma3_text",   "max_position_embeddings", 131072)
DEFAULT("gpt_oss",       "head_dim",                 64)
DEFAULT("gpt_oss",       "num_key_value_heads",       8)
DEFAULT("mistral",       "num_key_value_heads",       8)
DEFAULT("mistral",       "sliding_window",         4096)
DEFAULT("mistral",       "vocab_size",            32000)
DEFAULT("mixtral",       "num_key_value_heads",       8)
DEFAULT("mixtral",       "num_local_experts",         8)
DEFAULT("qwen3",         "head_dim",                128)
DEFAULT("cohere2",       "sliding_window",         4096)
DEFAULT("llama",         "vocab_size",            32000)
DEFAULT("llama",         "hidden_size",            4096)
DEFAULT("llama",         "intermediate_size",     11008)
DEFAULT("llama",         "num_hidden_layers",        32)
DEFAULT("llama",         "num_attention_heads",      32)
DEFAULT("llama",         "max_position_embeddings", 2048)
