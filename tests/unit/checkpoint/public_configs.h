/*
 * The configuration values that the makers of some models have published, as far as profllm reads
 * them, and the counts of parameters that the models' pages give.
 */
#pragma once

#define LLAMA_31_8B                                                                                \
	"{\"architectures\":[\"LlamaForCausalLM\"],\"model_type\":\"llama\",\"hidden_size\":4096," \
	"\"intermediate_size\":14336,\"num_hidden_layers\":32,\"num_attention_heads\":32,"         \
	"\"num_key_value_heads\":8,\"vocab_size\":128256,\"max_position_embeddings\":131072,"      \
	"\"rope_scaling\":{\"factor\":8.0,\"rope_type\":\"llama3\","                               \
	"\"original_max_position_embeddings\":8192},\"torch_dtype\":\"bfloat16\","                 \
	"\"tie_word_embeddings\":false}"

#define QWEN2_7B                                                                                   \
	"{\"architectures\":[\"Qwen2ForCausalLM\"],\"model_type\":\"qwen2\",\"hidden_size\":3584," \
	"\"intermediate_size\":18944,\"num_hidden_layers\":28,\"num_attention_heads\":28,"         \
	"\"num_key_value_heads\":4,\"vocab_size\":152064,\"max_position_embeddings\":32768,"       \
	"\"max_window_layers\":28,\"sliding_window\":131072,\"use_sliding_window\":false,"         \
	"\"torch_dtype\":\"bfloat16\",\"tie_word_embeddings\":false}"

#define QWEN3_17B                                                                                  \
	"{\"architectures\":[\"Qwen3ForCausalLM\"],\"model_type\":\"qwen3\",\"hidden_size\":2048," \
	"\"intermediate_size\":6144,\"num_hidden_layers\":28,\"num_attention_heads\":16,"          \
	"\"num_key_value_heads\":8,\"head_dim\":128,\"vocab_size\":151936,"                        \
	"\"max_position_embeddings\":40960,\"rope_scaling\":null,\"sliding_window\":null,"         \
	"\"use_sliding_window\":false,\"torch_dtype\":\"bfloat16\",\"tie_word_embeddings\":true}"

#define GEMMA3_12B                                                                              \
	"{\"architectures\":[\"Gemma3ForConditionalGeneration\"],\"model_type\":\"gemma3\","    \
	"\"text_config\":{\"hidden_size\":3840,\"intermediate_size\":15360,"                    \
	"\"model_type\":\"gemma3_text\",\"num_attention_heads\":16,\"num_hidden_layers\":48,"   \
	"\"num_key_value_heads\":8,\"rope_scaling\":{\"factor\":8.0,\"rope_type\":\"linear\"}," \
	"\"sliding_window\":1024},\"torch_dtype\":\"bfloat16\",\"vision_config\":"              \
	"{\"hidden_size\":1152,\"num_hidden_layers\":27,\"model_type\":\"siglip_vision_model\"}}"

#define GPT_OSS_120B                                                                          \
	"{\"architectures\":[\"GptOssForCausalLM\"],\"model_type\":\"gpt_oss\","              \
	"\"hidden_size\":2880,\"intermediate_size\":2880,\"num_hidden_layers\":36,"           \
	"\"num_attention_heads\":64,\"num_key_value_heads\":8,\"head_dim\":64,"               \
	"\"num_local_experts\":128,\"num_experts_per_tok\":4,\"vocab_size\":201088,"          \
	"\"sliding_window\":128,\"max_position_embeddings\":131072,\"rope_scaling\":"         \
	"{\"factor\":32.0,\"rope_type\":\"yarn\",\"original_max_position_embeddings\":4096}," \
	"\"quantization_config\":{\"quant_method\":\"mxfp4\"},\"torch_dtype\":\"bfloat16\","  \
	"\"tie_word_embeddings\":false}"

#define QWEN25_OMNI_7B                                                                            \
	"{\"architectures\":[\"Qwen2_5OmniModel\"],\"model_type\":\"qwen2_5_omni\","              \
	"\"torch_dtype\":\"bfloat16\",\"talker_config\":{\"hidden_size\":896},"                   \
	"\"thinker_config\":{\"audio_config\":{},\"vision_config\":{},\"text_config\":"           \
	"{\"model_type\":\"qwen2_5_omni_text\",\"hidden_size\":3584,\"intermediate_size\":18944," \
	"\"num_hidden_layers\":28,\"num_attention_heads\":28,\"num_key_value_heads\":4,"          \
	"\"vocab_size\":152064,\"max_position_embeddings\":32768,"                                \
	"\"use_sliding_window\":false}}}"

#define GPT2                                                                               \
	"{\"architectures\":[\"GPT2LMHeadModel\"],\"model_type\":\"gpt2\",\"n_embd\":768," \
	"\"n_head\":12,\"n_layer\":12,\"n_positions\":1024,\"n_ctx\":1024,\"vocab_size\":50257}"

#define OPT_125M                                                                              \
	"{\"architectures\":[\"OPTForCausalLM\"],\"model_type\":\"opt\",\"hidden_size\":768," \
	"\"ffn_dim\":3072,\"num_attention_heads\":12,\"num_hidden_layers\":12,"               \
	"\"max_position_embeddings\":2048,\"vocab_size\":50272,\"torch_dtype\":\"float16\"}"

#define MIXTRAL_8X7B                                                                        \
	"{\"architectures\":[\"MixtralForCausalLM\"],\"model_type\":\"mixtral\","           \
	"\"hidden_size\":4096,\"intermediate_size\":14336,\"num_attention_heads\":32,"      \
	"\"num_hidden_layers\":32,\"num_key_value_heads\":8,\"num_local_experts\":8,"       \
	"\"num_experts_per_tok\":2,\"vocab_size\":32000,\"max_position_embeddings\":32768," \
	"\"sliding_window\":null,\"torch_dtype\":\"bfloat16\",\"tie_word_embeddings\":false}"

#define GEMMA2_9B                                                                         \
	"{\"architectures\":[\"Gemma2ForCausalLM\"],\"model_type\":\"gemma2\","           \
	"\"hidden_size\":3584,\"intermediate_size\":14336,\"num_attention_heads\":16,"    \
	"\"num_hidden_layers\":42,\"num_key_value_heads\":8,\"head_dim\":256,"            \
	"\"sliding_window\":4096,\"max_position_embeddings\":8192,\"vocab_size\":256000," \
	"\"torch_dtype\":\"float32\"}"

#define QWEN3_30B_A3B                                                                    \
	"{\"architectures\":[\"Qwen3MoeForCausalLM\"],\"model_type\":\"qwen3_moe\","     \
	"\"hidden_size\":2048,\"intermediate_size\":6144,\"moe_intermediate_size\":768," \
	"\"num_attention_heads\":32,\"num_hidden_layers\":48,\"num_key_value_heads\":4," \
	"\"head_dim\":128,\"num_experts\":128,\"num_experts_per_tok\":8,"                \
	"\"decoder_sparse_step\":1,\"mlp_only_layers\":[],\"vocab_size\":151936,"        \
	"\"max_position_embeddings\":40960,\"use_sliding_window\":false,"                \
	"\"torch_dtype\":\"bfloat16\",\"tie_word_embeddings\":false}"

#define PHI3_MINI_4K                                                                             \
	"{\"architectures\":[\"Phi3ForCausalLM\"],\"model_type\":\"phi3\",\"hidden_size\":3072," \
	"\"intermediate_size\":8192,\"num_attention_heads\":32,\"num_hidden_layers\":32,"        \
	"\"num_key_value_heads\":32,\"vocab_size\":32064,\"max_position_embeddings\":4096,"      \
	"\"sliding_window\":2047,\"rope_scaling\":null,\"torch_dtype\":\"bfloat16\","            \
	"\"tie_word_embeddings\":false}"

#define DEEPSEEK_V3                                                                         \
	"{\"architectures\":[\"DeepseekV3ForCausalLM\"],\"model_type\":\"deepseek_v3\","    \
	"\"hidden_size\":7168,\"intermediate_size\":18432,\"moe_intermediate_size\":2048,"  \
	"\"num_hidden_layers\":61,\"num_attention_heads\":128,\"num_key_value_heads\":128," \
	"\"n_routed_experts\":256,\"n_shared_experts\":1,\"num_experts_per_tok\":8,"        \
	"\"first_k_dense_replace\":3,\"moe_layer_freq\":1,\"q_lora_rank\":1536,"            \
	"\"kv_lora_rank\":512,\"qk_rope_head_dim\":64,\"qk_nope_head_dim\":128,"            \
	"\"v_head_dim\":128,\"vocab_size\":129280,\"max_position_embeddings\":163840,"      \
	"\"rope_scaling\":{\"type\":\"yarn\",\"factor\":40,"                                \
	"\"original_max_position_embeddings\":4096},\"quantization_config\":"               \
	"{\"quant_method\":\"fp8\",\"weight_block_size\":[128,128]},"                       \
	"\"torch_dtype\":\"bfloat16\",\"tie_word_embeddings\":false}"

/* Two layers; the makers of this file are its testers. */
#define TINY                                                                                      \
	"{\"architectures\":[\"LlamaForCausalLM\"],\"model_type\":\"llama\",\"hidden_size\":128," \
	"\"intermediate_size\":256,\"num_hidden_layers\":2,\"num_attention_heads\":2,"            \
	"\"num_key_value_heads\":2,\"vocab_size\":50257,\"max_position_embeddings\":4096,"        \
	"\"torch_dtype\":\"float32\",\"tie_word_embeddings\":false}"
