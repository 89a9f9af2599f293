/*
 * Models whose facts are known by name, if there is no config.json on the host; docs/reference/models.md.
 * Made by tools/make-models: change a row in the list that it reads.
 *
 * KNOWN(name, same_as, parameters, computed, confidence, config, hf_quant_config)
 *   name        on the Hugging Face Hub; same_as: other names with the same facts, parted by blanks
 *   parameters  the public count; 0: none was found
 *   computed    counted from config by whoever made the list: a tied matrix once, without the parts
 *               that read images and draft; 0: none. For tests
 *   confidence  SEEN: a copy of the file; DERIVED: put together, a key that is left out is not known
 *   config      the keys of config.json that are read; hf_quant_config: that file, "": none
 */
KNOWN("meta-llama/Llama-2-7b-hf", "meta-llama/Llama-2-7b-chat-hf NousResearch/Llama-2-7b-hf NousResearch/Llama-2-7b-chat-hf lmsys/vicuna-7b-v1.5",
	6738415616, 6738415616, SEEN,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":32, \"intermediate_size\":11008,"
	" \"vocab_size\":32000, \"max_position_embeddings\":4096, \"rope_scaling\":null, \"tie_word_embeddings\":false,"
	" \"torch_dtype\":\"float16\"}",
	"")
KNOWN("meta-llama/Llama-2-13b-hf", "meta-llama/Llama-2-13b-chat-hf lmsys/vicuna-13b-v1.5",
	13015864320, 13015864320, SEEN,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":40, \"num_key_value_heads\":40, \"intermediate_size\":13824,"
	" \"vocab_size\":32000, \"max_position_embeddings\":4096, \"rope_scaling\":null, \"tie_word_embeddings\":false,"
	" \"torch_dtype\":\"float16\"}",
	"")
KNOWN("meta-llama/Llama-2-70b-hf", "meta-llama/Llama-2-70b-chat-hf",
	0, 68976648192, SEEN,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":8192, "
	"\"num_hidden_layers\":80, \"num_attention_heads\":64, \"num_key_value_heads\":8, \"intermediate_size\":28672, "
	"\"vocab_size\":32000, \"max_position_embeddings\":4096, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"float16\"}",
	"")
KNOWN("codellama/CodeLlama-7b-Instruct-hf", "codellama/CodeLlama-7b-hf",
	6738546688, 6738546688, DERIVED,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":32, \"intermediate_size\":11008,"
	" \"vocab_size\":32016, \"max_position_embeddings\":16384, \"tie_word_embeddings\":false}",
	"")
KNOWN("codellama/CodeLlama-13b-Instruct-hf", "codellama/CodeLlama-13b-hf",
	13016028160, 13016028160, DERIVED,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":40, \"num_key_value_heads\":40, \"intermediate_size\":13824,"
	" \"vocab_size\":32016, \"max_position_embeddings\":16384, \"tie_word_embeddings\":false}",
	"")
KNOWN("codellama/CodeLlama-34b-Instruct-hf", "codellama/CodeLlama-34b-hf",
	33743970304, 33743970304, SEEN,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":8192, "
	"\"num_hidden_layers\":48, \"num_attention_heads\":64, \"num_key_value_heads\":8, \"intermediate_size\":22016, "
	"\"vocab_size\":32000, \"max_position_embeddings\":16384, \"rope_scaling\":null, \"tie_word_embeddings\":false,"
	" \"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("meta-llama/Meta-Llama-3-8B-Instruct", "meta-llama/Meta-Llama-3-8B",
	8030261248, 8030261248, SEEN,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":14336, "
	"\"vocab_size\":128256, \"max_position_embeddings\":8192, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"rope_scaling\":null}",
	"")
KNOWN("meta-llama/Meta-Llama-3-70B-Instruct", "meta-llama/Meta-Llama-3-70B",
	70553706496, 70553706496, DERIVED,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":8192, "
	"\"num_hidden_layers\":80, \"num_attention_heads\":64, \"num_key_value_heads\":8, \"intermediate_size\":28672, "
	"\"vocab_size\":128256, \"max_position_embeddings\":8192, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("meta-llama/Llama-3.1-8B-Instruct",
	"meta-llama/Llama-3.1-8B meta-llama/Meta-Llama-3.1-8B meta-llama/Meta-Llama-3.1-8B-Instruct "
	"NousResearch/Meta-Llama-3.1-8B-Instruct NousResearch/Hermes-3-Llama-3.1-8B "
	"deepseek-ai/DeepSeek-R1-Distill-Llama-8B",
	8030261248, 8030261248, SEEN,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":14336, "
	"\"vocab_size\":128256, \"max_position_embeddings\":131072, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("meta-llama/Llama-3.1-70B-Instruct",
	"meta-llama/Llama-3.1-70B meta-llama/Meta-Llama-3.1-70B meta-llama/Meta-Llama-3.1-70B-Instruct "
	"meta-llama/Llama-3.3-70B-Instruct nvidia/Llama-3.1-Nemotron-70B-Instruct-HF "
	"deepseek-ai/DeepSeek-R1-Distill-Llama-70B",
	70553706496, 70553706496, SEEN,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":8192, "
	"\"num_hidden_layers\":80, \"num_attention_heads\":64, \"num_key_value_heads\":8, \"intermediate_size\":28672, "
	"\"vocab_size\":128256, \"max_position_embeddings\":131072, \"rope_scaling\":{\"factor\":8.0, "
	"\"low_freq_factor\":1.0, \"high_freq_factor\":4.0, \"original_max_position_embeddings\":8192, "
	"\"rope_type\":\"llama3\"}, \"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", "
	"\"attention_bias\":false}",
	"")
KNOWN("meta-llama/Llama-3.1-405B-Instruct", "meta-llama/Llama-3.1-405B meta-llama/Meta-Llama-3.1-405B meta-llama/Meta-Llama-3.1-405B-Instruct",
	405853388800, 405853388800, SEEN,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":16384, "
	"\"num_hidden_layers\":126, \"num_attention_heads\":128, \"num_key_value_heads\":8, "
	"\"intermediate_size\":53248, \"vocab_size\":128256, \"max_position_embeddings\":131072, "
	"\"rope_scaling\":{\"factor\":8.0, \"low_freq_factor\":1.0, \"high_freq_factor\":4.0, "
	"\"original_max_position_embeddings\":8192, \"rope_type\":\"llama3\"}, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("meta-llama/Llama-3.2-1B-Instruct", "meta-llama/Llama-3.2-1B",
	1235814400, 1235814400, SEEN,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":16, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"head_dim\":64, "
	"\"intermediate_size\":8192, \"vocab_size\":128256, \"max_position_embeddings\":131072, "
	"\"rope_scaling\":{\"factor\":32.0, \"high_freq_factor\":4.0, \"low_freq_factor\":1.0, "
	"\"original_max_position_embeddings\":8192, \"rope_type\":\"llama3\"}, \"tie_word_embeddings\":true, "
	"\"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("meta-llama/Llama-3.2-3B-Instruct", "meta-llama/Llama-3.2-3B",
	3212749824, 3212749824, SEEN,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":3072, "
	"\"num_hidden_layers\":28, \"num_attention_heads\":24, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":8192, \"vocab_size\":128256, \"max_position_embeddings\":131072, "
	"\"rope_scaling\":{\"factor\":32.0, \"high_freq_factor\":4.0, \"low_freq_factor\":1.0, "
	"\"original_max_position_embeddings\":8192, \"rope_type\":\"llama3\"}, \"tie_word_embeddings\":true, "
	"\"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("meta-llama/Llama-3.2-11B-Vision-Instruct", "meta-llama/Llama-3.2-11B-Vision",
	10665463808, 0, DERIVED,
	"{\"architectures\":[\"MllamaForConditionalGeneration\"], \"model_type\":\"mllama\", "
	"\"text_config\":{\"model_type\":\"mllama_text_model\", \"hidden_size\":4096, \"num_hidden_layers\":40, "
	"\"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":14336, \"vocab_size\":128256, "
	"\"max_position_embeddings\":131072, \"cross_attention_layers\":[3, 8, 13, 18, 23, 28, 33, 38]}, "
	"\"vision_config\":{\"model_type\":\"mllama_vision_model\", \"hidden_size\":1280, \"num_hidden_layers\":32, "
	"\"patch_size\":14}}",
	"")
KNOWN("meta-llama/Llama-3.2-90B-Vision-Instruct", "meta-llama/Llama-3.2-90B-Vision",
	0, 0, SEEN,
	"{\"architectures\":[\"MllamaForConditionalGeneration\"], \"model_type\":\"mllama\", "
	"\"text_config\":{\"model_type\":\"mllama_text_model\", \"hidden_size\":8192, \"num_hidden_layers\":100, "
	"\"num_attention_heads\":64, \"num_key_value_heads\":8, \"intermediate_size\":28672, \"vocab_size\":128256, "
	"\"max_position_embeddings\":131072, \"rope_scaling\":{\"factor\":8.0, \"low_freq_factor\":1.0, "
	"\"high_freq_factor\":4.0, \"original_max_position_embeddings\":8192, \"rope_type\":\"llama3\"}, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"cross_attention_layers\":[3, 8, 13, 18, 23, 28,"
	" 33, 38, 43, 48, 53, 58, 63, 68, 73, 78, 83, 88, 93, 98]}, \"torch_dtype\":\"bfloat16\", "
	"\"vision_config\":{\"model_type\":\"mllama_vision_model\", \"hidden_size\":1280, \"num_hidden_layers\":32, "
	"\"intermediate_size\":5120, \"patch_size\":14}}",
	"")
KNOWN("meta-llama/Llama-4-Scout-17B-16E-Instruct", "",
	108641793536, 107769861120, SEEN,
	"{\"architectures\":[\"Llama4ForConditionalGeneration\"], \"model_type\":\"llama4\", "
	"\"torch_dtype\":\"bfloat16\", \"text_config\":{\"model_type\":\"llama4_text\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":48, \"num_attention_heads\":40, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":8192, \"vocab_size\":202048, \"max_position_embeddings\":10485760, "
	"\"rope_scaling\":{\"factor\":16.0, \"high_freq_factor\":1.0, \"low_freq_factor\":1.0, "
	"\"original_max_position_embeddings\":8192, \"rope_type\":\"llama3\"}, \"torch_dtype\":\"bfloat16\", "
	"\"num_local_experts\":16, \"num_experts_per_tok\":1, \"interleave_moe_layer_step\":1, "
	"\"intermediate_size_mlp\":16384, \"attention_chunk_size\":8192, \"use_qk_norm\":true, "
	"\"attention_bias\":false}, \"vision_config\":{\"model_type\":\"llama4_vision_model\", \"hidden_size\":1408, "
	"\"num_hidden_layers\":34, \"intermediate_size\":5632, \"num_attention_heads\":16, \"patch_size\":14}}",
	"")
KNOWN("meta-llama/Llama-4-Maverick-17B-128E-Instruct", "",
	401583781376, 400711848960, SEEN,
	"{\"architectures\":[\"Llama4ForConditionalGeneration\"], \"model_type\":\"llama4\", "
	"\"torch_dtype\":\"bfloat16\", \"text_config\":{\"model_type\":\"llama4_text\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":48, \"num_attention_heads\":40, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":8192, \"vocab_size\":202048, \"max_position_embeddings\":1048576, \"rope_scaling\":null,"
	" \"torch_dtype\":\"bfloat16\", \"num_local_experts\":128, \"num_experts_per_tok\":1, "
	"\"interleave_moe_layer_step\":2, \"intermediate_size_mlp\":16384, \"attention_chunk_size\":8192, "
	"\"use_qk_norm\":false, \"attention_bias\":false}}",
	"")
KNOWN("RedHatAI/Llama-4-Scout-17B-16E-Instruct-FP8-dynamic", "",
	0, 107769861120, SEEN,
	"{\"architectures\":[\"Llama4ForConditionalGeneration\"], \"model_type\":\"llama4\", "
	"\"torch_dtype\":\"bfloat16\", "
	"\"quantization_config\":{\"config_groups\":{\"group_0\":{\"input_activations\":{\"actorder\":null, "
	"\"block_structure\":null, \"dynamic\":true, \"group_size\":null, \"num_bits\":8, \"observer\":null, "
	"\"observer_kwargs\":{}, \"strategy\":\"token\", \"symmetric\":true, \"type\":\"float\"}, "
	"\"output_activations\":null, \"targets\":[\"Linear\"], \"weights\":{\"actorder\":null, "
	"\"block_structure\":null, \"dynamic\":false, \"group_size\":null, \"num_bits\":8, \"observer\":\"mse\", "
	"\"observer_kwargs\":{}, \"strategy\":\"channel\", \"symmetric\":true, \"type\":\"float\"}}}, "
	"\"format\":\"float-quantized\", \"global_compression_ratio\":null, \"kv_cache_scheme\":null, "
	"\"quant_method\":\"compressed-tensors\", \"quantization_status\":\"compressed\"}, "
	"\"text_config\":{\"model_type\":\"llama4_text\", \"hidden_size\":5120, \"num_hidden_layers\":48, "
	"\"num_attention_heads\":40, \"num_key_value_heads\":8, \"head_dim\":128, \"intermediate_size\":8192, "
	"\"vocab_size\":202048, \"max_position_embeddings\":10485760, \"rope_scaling\":{\"factor\":16.0, "
	"\"high_freq_factor\":1.0, \"low_freq_factor\":1.0, \"original_max_position_embeddings\":8192, "
	"\"rope_type\":\"llama3\"}, \"torch_dtype\":\"bfloat16\", \"num_local_experts\":16, \"num_experts_per_tok\":1, "
	"\"interleave_moe_layer_step\":1, \"intermediate_size_mlp\":16384, \"attention_chunk_size\":8192, "
	"\"use_qk_norm\":true, \"attention_bias\":false}, \"vision_config\":{\"model_type\":\"llama4_vision_model\", "
	"\"hidden_size\":1408, \"num_hidden_layers\":34, \"intermediate_size\":5632, \"num_attention_heads\":16, "
	"\"patch_size\":14}}",
	"")
KNOWN("nvidia/Llama-3.1-70B-Instruct-FP8", "",
	0, 70553706496, SEEN,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":8192, "
	"\"num_hidden_layers\":80, \"num_attention_heads\":64, \"num_key_value_heads\":8, \"intermediate_size\":28672, "
	"\"vocab_size\":128256, \"max_position_embeddings\":131072, \"rope_scaling\":{\"factor\":8.0, "
	"\"high_freq_factor\":4.0, \"low_freq_factor\":1.0, \"original_max_position_embeddings\":8192, "
	"\"rope_type\":\"llama3\"}, \"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", "
	"\"attention_bias\":false}",
	"{\"quantization\":{\"quant_algo\":\"FP8\", \"kv_cache_quant_algo\":\"FP8\", "
	"\"exclude_modules\":[\"lm_head\"]}}")
KNOWN("TinyLlama/TinyLlama-1.1B-Chat-v1.0", "",
	1100048384, 1100048384, SEEN,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":22, \"num_attention_heads\":32, \"num_key_value_heads\":4, \"intermediate_size\":5632, "
	"\"vocab_size\":32000, \"max_position_embeddings\":2048, \"rope_scaling\":null, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("HuggingFaceTB/SmolLM2-135M-Instruct", "HuggingFaceTB/SmolLM2-135M",
	134515008, 134515008, SEEN,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":576, "
	"\"num_hidden_layers\":30, \"num_attention_heads\":9, \"num_key_value_heads\":3, \"intermediate_size\":1536, "
	"\"vocab_size\":49152, \"max_position_embeddings\":8192, \"rope_scaling\":null, \"tie_word_embeddings\":true, "
	"\"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("HuggingFaceTB/SmolLM2-360M-Instruct", "HuggingFaceTB/SmolLM2-360M",
	361821120, 361821120, SEEN,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":960, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":15, \"num_key_value_heads\":5, \"intermediate_size\":2560, "
	"\"vocab_size\":49152, \"max_position_embeddings\":8192, \"rope_scaling\":null, \"tie_word_embeddings\":true, "
	"\"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("HuggingFaceTB/SmolLM2-1.7B-Instruct", "HuggingFaceTB/SmolLM2-1.7B",
	1711376384, 1711376384, SEEN,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":24, \"num_attention_heads\":32, \"num_key_value_heads\":32, \"intermediate_size\":8192, "
	"\"vocab_size\":49152, \"max_position_embeddings\":8192, \"tie_word_embeddings\":true, "
	"\"torch_dtype\":\"bfloat16\", \"rope_scaling\":null}",
	"")
KNOWN("mistralai/Mistral-7B-v0.1", "mistralai/Mistral-7B-Instruct-v0.1 HuggingFaceH4/zephyr-7b-beta",
	7241732096, 7241732096, DERIVED,
	"{\"architectures\":[\"MistralForCausalLM\"], \"model_type\":\"mistral\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":14336, "
	"\"vocab_size\":32000, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"sliding_window\":4096}",
	"")
KNOWN("mistralai/Mistral-7B-Instruct-v0.2", "",
	7241732096, 7241732096, DERIVED,
	"{\"architectures\":[\"MistralForCausalLM\"], \"model_type\":\"mistral\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":14336, "
	"\"vocab_size\":32000, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"sliding_window\":null}",
	"")
KNOWN("mistralai/Mistral-7B-Instruct-v0.3", "mistralai/Mistral-7B-v0.3",
	7248023552, 7248023552, SEEN,
	"{\"architectures\":[\"MistralForCausalLM\"], \"model_type\":\"mistral\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":14336, "
	"\"vocab_size\":32768, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"sliding_window\":null}",
	"")
KNOWN("mistralai/Mistral-Nemo-Instruct-2407", "",
	12247782400, 12247782400, SEEN,
	"{\"architectures\":[\"MistralForCausalLM\"], \"model_type\":\"mistral\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":14336, \"vocab_size\":131072, \"max_position_embeddings\":131072, "
	"\"sliding_window\":null, \"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("mistralai/Mistral-Small-24B-Instruct-2501", "",
	23572403200, 23572403200, DERIVED,
	"{\"architectures\":[\"MistralForCausalLM\"], \"model_type\":\"mistral\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":32768, "
	"\"vocab_size\":131072, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"head_dim\":128, \"sliding_window\":null}",
	"")
KNOWN("mistralai/Mistral-Small-3.1-24B-Instruct-2503", "mistralai/Mistral-Small-3.2-24B-Instruct-2506",
	0, 23572403200, DERIVED,
	"{\"architectures\":[\"Mistral3ForConditionalGeneration\"], \"model_type\":\"mistral3\", "
	"\"text_config\":{\"model_type\":\"mistral\", \"hidden_size\":5120, \"num_hidden_layers\":40, "
	"\"num_attention_heads\":32, \"num_key_value_heads\":8, \"head_dim\":128, \"intermediate_size\":32768, "
	"\"vocab_size\":131072, \"max_position_embeddings\":131072, \"sliding_window\":null}, "
	"\"torch_dtype\":\"bfloat16\", \"vision_config\":{\"model_type\":\"pixtral\", \"hidden_size\":1024, "
	"\"num_hidden_layers\":24, \"intermediate_size\":4096, \"num_attention_heads\":16, \"patch_size\":14}}",
	"")
KNOWN("mistralai/Mistral-Small-Instruct-2409", "mistralai/Codestral-22B-v0.1",
	22247282688, 22247282688, DERIVED,
	"{\"architectures\":[\"MistralForCausalLM\"], \"model_type\":\"mistral\", \"hidden_size\":6144, "
	"\"num_hidden_layers\":56, \"num_attention_heads\":48, \"num_key_value_heads\":8, \"intermediate_size\":16384, "
	"\"vocab_size\":32768, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false}",
	"")
KNOWN("mistralai/Mistral-Large-Instruct-2407", "mistralai/Mistral-Large-Instruct-2411",
	122610069504, 122610069504, DERIVED,
	"{\"architectures\":[\"MistralForCausalLM\"], \"model_type\":\"mistral\", \"hidden_size\":12288, "
	"\"num_hidden_layers\":88, \"num_attention_heads\":96, \"num_key_value_heads\":8, \"intermediate_size\":28672, "
	"\"vocab_size\":32768, \"max_position_embeddings\":131072, \"tie_word_embeddings\":false, "
	"\"sliding_window\":null}",
	"")
KNOWN("mistralai/Ministral-8B-Instruct-2410", "",
	8019808256, 8019808256, DERIVED,
	"{\"architectures\":[\"MistralForCausalLM\"], \"model_type\":\"mistral\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":36, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":12288, "
	"\"vocab_size\":131072, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, "
	"\"sliding_window\":32768}",
	"")
KNOWN("mistralai/Mixtral-8x7B-Instruct-v0.1", "mistralai/Mixtral-8x7B-v0.1",
	46702792704, 46702792704, SEEN,
	"{\"architectures\":[\"MixtralForCausalLM\"], \"model_type\":\"mixtral\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":14336, "
	"\"vocab_size\":32000, \"max_position_embeddings\":32768, \"sliding_window\":null, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"num_local_experts\":8, "
	"\"num_experts_per_tok\":2}",
	"")
KNOWN("mistralai/Mixtral-8x22B-Instruct-v0.1", "",
	140630071296, 140630071296, DERIVED,
	"{\"architectures\":[\"MixtralForCausalLM\"], \"model_type\":\"mixtral\", \"hidden_size\":6144, "
	"\"num_hidden_layers\":56, \"num_attention_heads\":48, \"num_key_value_heads\":8, \"intermediate_size\":16384, "
	"\"vocab_size\":32768, \"max_position_embeddings\":65536, \"sliding_window\":null, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"num_local_experts\":8, "
	"\"num_experts_per_tok\":2}",
	"")
KNOWN("mistralai/Mixtral-8x22B-v0.1", "",
	0, 140620634112, SEEN,
	"{\"architectures\":[\"MixtralForCausalLM\"], \"model_type\":\"mixtral\", \"hidden_size\":6144, "
	"\"num_hidden_layers\":56, \"num_attention_heads\":48, \"num_key_value_heads\":8, \"intermediate_size\":16384, "
	"\"vocab_size\":32000, \"max_position_embeddings\":65536, \"sliding_window\":null, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"num_local_experts\":8, "
	"\"num_experts_per_tok\":2}",
	"")
KNOWN("mistralai/Devstral-2-123B-Instruct-2512", "",
	0, 125025988608, SEEN,
	"{\"architectures\":[\"Ministral3ForCausalLM\"], \"model_type\":\"ministral3\", \"dtype\":\"bfloat16\", "
	"\"hidden_size\":12288, \"num_hidden_layers\":88, \"num_attention_heads\":96, \"num_key_value_heads\":8, "
	"\"head_dim\":128, \"intermediate_size\":28672, \"vocab_size\":131072, \"max_position_embeddings\":262144, "
	"\"rope_parameters\":{\"factor\":64.0, \"original_max_position_embeddings\":4096, \"rope_type\":\"yarn\"}, "
	"\"sliding_window\":null, \"tie_word_embeddings\":false, "
	"\"quantization_config\":{\"activation_scheme\":\"static\", \"quant_method\":\"fp8\", "
	"\"weight_block_size\":null}}",
	"")
KNOWN("mistralai/Devstral-Small-2-24B-Instruct-2512", "",
	0, 23572403200, SEEN,
	"{\"architectures\":[\"Mistral3ForConditionalGeneration\"], \"model_type\":\"mistral3\", "
	"\"dtype\":\"bfloat16\", \"tie_word_embeddings\":false, "
	"\"quantization_config\":{\"activation_scheme\":\"static\", \"quant_method\":\"fp8\", "
	"\"weight_block_size\":null}, \"text_config\":{\"model_type\":\"ministral3\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":32768, \"vocab_size\":131072, \"max_position_embeddings\":393216, "
	"\"rope_parameters\":{\"factor\":48.0, \"original_max_position_embeddings\":8192, \"rope_type\":\"yarn\"}, "
	"\"sliding_window\":null}, \"vision_config\":{\"model_type\":\"pixtral\", \"hidden_size\":1024, "
	"\"num_hidden_layers\":24, \"intermediate_size\":4096, \"num_attention_heads\":16, \"patch_size\":14}}",
	"")
KNOWN("Qwen/Qwen1.5-0.5B-Chat", "Qwen/Qwen1.5-0.5B",
	619570176, 463987712, SEEN,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":1024, "
	"\"num_hidden_layers\":24, \"num_attention_heads\":16, \"num_key_value_heads\":16, \"intermediate_size\":2816, "
	"\"vocab_size\":151936, \"max_position_embeddings\":32768, \"tie_word_embeddings\":true, "
	"\"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false}",
	"")
KNOWN("Qwen/Qwen1.5-1.8B-Chat", "",
	1836828672, 1836828672, DERIVED,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":24, \"num_attention_heads\":16, \"num_key_value_heads\":16, \"intermediate_size\":5504, "
	"\"vocab_size\":151936, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false}",
	"")
KNOWN("Qwen/Qwen1.5-7B-Chat", "Qwen/Qwen1.5-7B",
	7721324544, 7721324544, DERIVED,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":32, \"intermediate_size\":11008,"
	" \"vocab_size\":151936, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false}",
	"")
KNOWN("Qwen/Qwen1.5-14B-Chat", "Qwen/Qwen1.5-14B",
	0, 14167290880, DERIVED,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":40, \"num_key_value_heads\":40, \"intermediate_size\":13696,"
	" \"vocab_size\":152064, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false}",
	"")
KNOWN("Qwen/Qwen1.5-32B-Chat", "",
	32512218112, 32512218112, DERIVED,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":64, \"num_attention_heads\":40, \"num_key_value_heads\":8, \"intermediate_size\":27392, "
	"\"vocab_size\":152064, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false}",
	"")
KNOWN("Qwen/Qwen1.5-72B-Chat", "Qwen/Qwen1.5-72B",
	0, 72287920128, DERIVED,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":8192, "
	"\"num_hidden_layers\":80, \"num_attention_heads\":64, \"num_key_value_heads\":64, \"intermediate_size\":24576,"
	" \"vocab_size\":152064, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false}",
	"")
KNOWN("Qwen/Qwen1.5-MoE-A2.7B", "",
	14315784192, 14315784192, DERIVED,
	"{\"architectures\":[\"Qwen2MoeForCausalLM\"], \"model_type\":\"qwen2_moe\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":24, \"num_attention_heads\":16, \"num_key_value_heads\":16, \"intermediate_size\":5632, "
	"\"vocab_size\":151936, \"max_position_embeddings\":8192, \"sliding_window\":32768, \"max_window_layers\":21, "
	"\"use_sliding_window\":false, \"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"num_experts\":60,"
	" \"num_experts_per_tok\":4, \"moe_intermediate_size\":1408, \"shared_expert_intermediate_size\":5632, "
	"\"decoder_sparse_step\":1}",
	"")
KNOWN("Qwen/Qwen2.5-0.5B-Instruct", "Qwen/Qwen2.5-0.5B Qwen/Qwen2.5-Coder-0.5B Qwen/Qwen2.5-Coder-0.5B-Instruct Qwen/Qwen2-0.5B-Instruct",
	494032768, 494032768, SEEN,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":896, "
	"\"num_hidden_layers\":24, \"num_attention_heads\":14, \"num_key_value_heads\":2, \"intermediate_size\":4864, "
	"\"vocab_size\":151936, \"max_position_embeddings\":32768, \"sliding_window\":32768, \"max_window_layers\":24, "
	"\"use_sliding_window\":false, \"tie_word_embeddings\":true, \"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("Qwen/Qwen2.5-1.5B-Instruct", "Qwen/Qwen2.5-Coder-1.5B Qwen/Qwen2.5-Coder-1.5B-Instruct Qwen/Qwen2-1.5B-Instruct",
	1543714304, 1543714304, SEEN,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":1536, "
	"\"num_hidden_layers\":28, \"num_attention_heads\":12, \"num_key_value_heads\":2, \"intermediate_size\":8960, "
	"\"vocab_size\":151936, \"max_position_embeddings\":32768, \"sliding_window\":32768, \"max_window_layers\":28, "
	"\"use_sliding_window\":false, \"tie_word_embeddings\":true, \"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("Qwen/Qwen2.5-1.5B", "Qwen/Qwen2-1.5B",
	1543714304, 1543714304, DERIVED,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":1536, "
	"\"num_hidden_layers\":28, \"num_attention_heads\":12, \"num_key_value_heads\":2, \"intermediate_size\":8960, "
	"\"vocab_size\":151936, \"max_position_embeddings\":131072, \"sliding_window\":32768, \"max_window_layers\":28,"
	" \"use_sliding_window\":false, \"tie_word_embeddings\":true, \"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("Qwen/Qwen2.5-3B-Instruct", "Qwen/Qwen2.5-3B Qwen/Qwen2.5-Coder-3B Qwen/Qwen2.5-Coder-3B-Instruct",
	3085938688, 3085938688, SEEN,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":36, \"num_attention_heads\":16, \"num_key_value_heads\":2, \"intermediate_size\":11008, "
	"\"vocab_size\":151936, \"max_position_embeddings\":32768, \"sliding_window\":32768, \"max_window_layers\":70, "
	"\"use_sliding_window\":false, \"tie_word_embeddings\":true, \"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-Coder-7B Qwen/Qwen2.5-Coder-7B-Instruct Qwen/Qwen2-7B-Instruct",
	7615616512, 7615616512, SEEN,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":3584, "
	"\"num_hidden_layers\":28, \"num_attention_heads\":28, \"num_key_value_heads\":4, \"intermediate_size\":18944, "
	"\"vocab_size\":152064, \"max_position_embeddings\":32768, \"sliding_window\":131072, \"max_window_layers\":28,"
	" \"use_sliding_window\":false, \"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("Qwen/Qwen2.5-7B", "Qwen/Qwen2-7B deepseek-ai/DeepSeek-R1-Distill-Qwen-7B",
	7615616512, 7615616512, SEEN,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":3584, "
	"\"num_hidden_layers\":28, \"num_attention_heads\":28, \"num_key_value_heads\":4, \"intermediate_size\":18944, "
	"\"vocab_size\":152064, \"max_position_embeddings\":131072, \"sliding_window\":131072, "
	"\"max_window_layers\":28, \"use_sliding_window\":false, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("Qwen/Qwen2.5-Math-7B-Instruct", "Qwen/Qwen2.5-Math-7B",
	7615616512, 7615616512, DERIVED,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":3584, "
	"\"num_hidden_layers\":28, \"num_attention_heads\":28, \"num_key_value_heads\":4, \"intermediate_size\":18944, "
	"\"vocab_size\":152064, \"max_position_embeddings\":4096, \"sliding_window\":131072, \"max_window_layers\":28, "
	"\"use_sliding_window\":false, \"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("Qwen/Qwen2.5-14B-Instruct", "Qwen/Qwen2.5-Coder-14B Qwen/Qwen2.5-Coder-14B-Instruct",
	14770033664, 14770033664, DERIVED,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":48, \"num_attention_heads\":40, \"num_key_value_heads\":8, \"intermediate_size\":13824, "
	"\"vocab_size\":152064, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false}",
	"")
KNOWN("Qwen/Qwen2.5-14B", "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B",
	14770033664, 14770033664, SEEN,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":48, \"num_attention_heads\":40, \"num_key_value_heads\":8, \"intermediate_size\":13824, "
	"\"vocab_size\":152064, \"max_position_embeddings\":131072, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false}",
	"")
KNOWN("Qwen/Qwen2.5-32B-Instruct", "Qwen/Qwen2.5-Coder-32B Qwen/Qwen2.5-Coder-32B-Instruct Qwen/QwQ-32B-Preview",
	32763876352, 32763876352, DERIVED,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":64, \"num_attention_heads\":40, \"num_key_value_heads\":8, \"intermediate_size\":27648, "
	"\"vocab_size\":152064, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false}",
	"")
KNOWN("Qwen/Qwen2.5-32B", "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
	32763876352, 32763876352, SEEN,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":64, \"num_attention_heads\":40, \"num_key_value_heads\":8, \"intermediate_size\":27648, "
	"\"vocab_size\":152064, \"max_position_embeddings\":131072, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false}",
	"")
KNOWN("Qwen/QwQ-32B", "",
	32763876352, 32763876352, DERIVED,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":64, \"num_attention_heads\":40, \"num_key_value_heads\":8, \"intermediate_size\":27648, "
	"\"vocab_size\":152064, \"max_position_embeddings\":40960, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false}",
	"")
KNOWN("Qwen/Qwen2.5-72B-Instruct", "Qwen/Qwen2-72B-Instruct",
	72706203648, 72706203648, DERIVED,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":8192, "
	"\"num_hidden_layers\":80, \"num_attention_heads\":64, \"num_key_value_heads\":8, \"intermediate_size\":29568, "
	"\"vocab_size\":152064, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false}",
	"")
KNOWN("Qwen/Qwen2.5-72B", "Qwen/Qwen2-72B",
	72706203648, 72706203648, DERIVED,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":8192, "
	"\"num_hidden_layers\":80, \"num_attention_heads\":64, \"num_key_value_heads\":8, \"intermediate_size\":29568, "
	"\"vocab_size\":152064, \"max_position_embeddings\":131072, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false}",
	"")
KNOWN("deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", "",
	1777088000, 1777088000, SEEN,
	"{\"architectures\":[\"Qwen2ForCausalLM\"], \"model_type\":\"qwen2\", \"hidden_size\":1536, "
	"\"num_hidden_layers\":28, \"num_attention_heads\":12, \"num_key_value_heads\":2, \"intermediate_size\":8960, "
	"\"vocab_size\":151936, \"max_position_embeddings\":131072, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false, \"max_window_layers\":21, \"rope_scaling\":null, "
	"\"sliding_window\":null}",
	"")
KNOWN("Qwen/Qwen3-0.6B", "",
	751632384, 596049920, SEEN,
	"{\"architectures\":[\"Qwen3ForCausalLM\"], \"model_type\":\"qwen3\", \"hidden_size\":1024, "
	"\"num_hidden_layers\":28, \"num_attention_heads\":16, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":3072, \"vocab_size\":151936, \"max_position_embeddings\":40960, \"rope_scaling\":null, "
	"\"sliding_window\":null, \"max_window_layers\":28, \"use_sliding_window\":false, \"tie_word_embeddings\":true,"
	" \"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("Qwen/Qwen3-1.7B", "",
	2031739904, 1720574976, SEEN,
	"{\"architectures\":[\"Qwen3ForCausalLM\"], \"model_type\":\"qwen3\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":28, \"num_attention_heads\":16, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":6144, \"vocab_size\":151936, \"max_position_embeddings\":40960, \"rope_scaling\":null, "
	"\"sliding_window\":null, \"max_window_layers\":28, \"use_sliding_window\":false, \"tie_word_embeddings\":true,"
	" \"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("Qwen/Qwen3-4B", "",
	4022468096, 4022468096, SEEN,
	"{\"architectures\":[\"Qwen3ForCausalLM\"], \"model_type\":\"qwen3\", \"hidden_size\":2560, "
	"\"num_hidden_layers\":36, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":9728, "
	"\"vocab_size\":151936, \"max_position_embeddings\":40960, \"tie_word_embeddings\":true, "
	"\"torch_dtype\":\"bfloat16\", \"head_dim\":128, \"use_sliding_window\":false, \"sliding_window\":null, "
	"\"rope_scaling\":null}",
	"")
KNOWN("Qwen/Qwen3-4B-Instruct-2507", "Qwen/Qwen3-4B-Thinking-2507",
	4022468096, 4022468096, DERIVED,
	"{\"architectures\":[\"Qwen3ForCausalLM\"], \"model_type\":\"qwen3\", \"hidden_size\":2560, "
	"\"num_hidden_layers\":36, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":9728, "
	"\"vocab_size\":151936, \"max_position_embeddings\":262144, \"tie_word_embeddings\":true, "
	"\"torch_dtype\":\"bfloat16\", \"head_dim\":128, \"use_sliding_window\":false, \"sliding_window\":null, "
	"\"rope_scaling\":null}",
	"")
KNOWN("Qwen/Qwen3-8B", "",
	8190735360, 8190735360, SEEN,
	"{\"architectures\":[\"Qwen3ForCausalLM\"], \"model_type\":\"qwen3\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":36, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":12288, \"vocab_size\":151936, \"max_position_embeddings\":40960, \"rope_scaling\":null, "
	"\"sliding_window\":null, \"max_window_layers\":36, \"use_sliding_window\":false, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("Qwen/Qwen3-14B", "",
	14768307200, 14768307200, SEEN,
	"{\"architectures\":[\"Qwen3ForCausalLM\"], \"model_type\":\"qwen3\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":40, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":17408, \"vocab_size\":151936, \"max_position_embeddings\":40960, \"rope_scaling\":null, "
	"\"sliding_window\":null, \"max_window_layers\":40, \"use_sliding_window\":false, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("Qwen/Qwen3-32B", "",
	32762123264, 32762123264, SEEN,
	"{\"architectures\":[\"Qwen3ForCausalLM\"], \"model_type\":\"qwen3\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":64, \"num_attention_heads\":64, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":25600, \"vocab_size\":151936, \"max_position_embeddings\":40960, \"rope_scaling\":null, "
	"\"sliding_window\":null, \"max_window_layers\":64, \"use_sliding_window\":false, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("Qwen/Qwen3-32B-FP8", "",
	0, 32762123264, SEEN,
	"{\"architectures\":[\"Qwen3ForCausalLM\"], \"model_type\":\"qwen3\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":64, \"num_attention_heads\":64, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":25600, \"vocab_size\":151936, \"max_position_embeddings\":40960, \"rope_scaling\":null, "
	"\"sliding_window\":null, \"max_window_layers\":64, \"use_sliding_window\":false, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", "
	"\"quantization_config\":{\"activation_scheme\":\"dynamic\", \"fmt\":\"e4m3\", \"quant_method\":\"fp8\", "
	"\"weight_block_size\":[128, 128]}, \"attention_bias\":false}",
	"")
KNOWN("Qwen/Qwen3-30B-A3B", "",
	30532122624, 30532122624, SEEN,
	"{\"architectures\":[\"Qwen3MoeForCausalLM\"], \"model_type\":\"qwen3_moe\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":48, \"num_attention_heads\":32, \"num_key_value_heads\":4, \"head_dim\":128, "
	"\"intermediate_size\":6144, \"vocab_size\":151936, \"max_position_embeddings\":40960, \"rope_scaling\":null, "
	"\"sliding_window\":null, \"max_window_layers\":48, \"use_sliding_window\":false, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"num_experts\":128, \"num_experts_per_tok\":8, "
	"\"moe_intermediate_size\":768, \"decoder_sparse_step\":1, \"mlp_only_layers\":[], \"attention_bias\":false}",
	"")
KNOWN("Qwen/Qwen3-30B-A3B-FP8", "",
	0, 30532122624, SEEN,
	"{\"architectures\":[\"Qwen3MoeForCausalLM\"], \"model_type\":\"qwen3_moe\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":48, \"num_attention_heads\":32, \"num_key_value_heads\":4, \"head_dim\":128, "
	"\"intermediate_size\":6144, \"vocab_size\":151936, \"max_position_embeddings\":40960, \"rope_scaling\":null, "
	"\"sliding_window\":null, \"max_window_layers\":48, \"use_sliding_window\":false, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"num_experts\":128, \"num_experts_per_tok\":8, "
	"\"moe_intermediate_size\":768, \"decoder_sparse_step\":1, \"mlp_only_layers\":[], "
	"\"quantization_config\":{\"activation_scheme\":\"dynamic\", \"fmt\":\"e4m3\", \"quant_method\":\"fp8\", "
	"\"weight_block_size\":[128, 128]}, \"attention_bias\":false}",
	"")
KNOWN("Qwen/Qwen3-30B-A3B-Instruct-2507", "Qwen/Qwen3-30B-A3B-Thinking-2507 Qwen/Qwen3-Coder-30B-A3B-Instruct",
	30532122624, 30532122624, DERIVED,
	"{\"architectures\":[\"Qwen3MoeForCausalLM\"], \"model_type\":\"qwen3_moe\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":48, \"num_attention_heads\":32, \"num_key_value_heads\":4, \"head_dim\":128, "
	"\"intermediate_size\":6144, \"vocab_size\":151936, \"max_position_embeddings\":262144, \"rope_scaling\":null, "
	"\"sliding_window\":null, \"max_window_layers\":48, \"use_sliding_window\":false, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"num_experts\":128, \"num_experts_per_tok\":8, "
	"\"moe_intermediate_size\":768, \"decoder_sparse_step\":1, \"mlp_only_layers\":[], \"attention_bias\":false}",
	"")
KNOWN("Qwen/Qwen3-235B-A22B", "",
	235093634560, 235093634560, SEEN,
	"{\"architectures\":[\"Qwen3MoeForCausalLM\"], \"model_type\":\"qwen3_moe\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":94, \"num_attention_heads\":64, \"num_key_value_heads\":4, \"head_dim\":128, "
	"\"intermediate_size\":12288, \"vocab_size\":151936, \"max_position_embeddings\":40960, \"rope_scaling\":null, "
	"\"sliding_window\":null, \"max_window_layers\":94, \"use_sliding_window\":false, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"num_experts\":128, \"num_experts_per_tok\":8, "
	"\"moe_intermediate_size\":1536, \"decoder_sparse_step\":1, \"mlp_only_layers\":[], \"attention_bias\":false}",
	"")
KNOWN("Qwen/Qwen3-235B-A22B-FP8", "",
	235107904512, 235093634560, SEEN,
	"{\"architectures\":[\"Qwen3MoeForCausalLM\"], \"model_type\":\"qwen3_moe\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":94, \"num_attention_heads\":64, \"num_key_value_heads\":4, \"head_dim\":128, "
	"\"intermediate_size\":12288, \"vocab_size\":151936, \"max_position_embeddings\":40960, \"rope_scaling\":null, "
	"\"sliding_window\":null, \"max_window_layers\":94, \"use_sliding_window\":false, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"num_experts\":128, \"num_experts_per_tok\":8, "
	"\"moe_intermediate_size\":1536, \"decoder_sparse_step\":1, \"mlp_only_layers\":[], "
	"\"quantization_config\":{\"activation_scheme\":\"dynamic\", \"fmt\":\"e4m3\", \"quant_method\":\"fp8\", "
	"\"weight_block_size\":[128, 128]}, \"attention_bias\":false}",
	"")
KNOWN("Qwen/Qwen3-235B-A22B-Instruct-2507", "Qwen/Qwen3-235B-A22B-Thinking-2507",
	235093634560, 235093634560, DERIVED,
	"{\"architectures\":[\"Qwen3MoeForCausalLM\"], \"model_type\":\"qwen3_moe\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":94, \"num_attention_heads\":64, \"num_key_value_heads\":4, \"head_dim\":128, "
	"\"intermediate_size\":12288, \"vocab_size\":151936, \"max_position_embeddings\":262144, \"rope_scaling\":null,"
	" \"sliding_window\":null, \"max_window_layers\":94, \"use_sliding_window\":false, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"num_experts\":128, \"num_experts_per_tok\":8, "
	"\"moe_intermediate_size\":1536, \"decoder_sparse_step\":1, \"mlp_only_layers\":[], \"attention_bias\":false}",
	"")
KNOWN("nvidia/Qwen3-235B-A22B-NVFP4", "",
	0, 235093634560, SEEN,
	"{\"architectures\":[\"Qwen3MoeForCausalLM\"], \"model_type\":\"qwen3_moe\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":94, \"num_attention_heads\":64, \"num_key_value_heads\":4, \"head_dim\":128, "
	"\"intermediate_size\":12288, \"vocab_size\":151936, \"max_position_embeddings\":40960, \"rope_scaling\":null, "
	"\"sliding_window\":null, \"max_window_layers\":94, \"use_sliding_window\":false, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"num_experts\":128, \"num_experts_per_tok\":8, "
	"\"moe_intermediate_size\":1536, \"decoder_sparse_step\":1, \"mlp_only_layers\":[], \"attention_bias\":false}",
	"{\"quantization\":{\"quant_algo\":\"NVFP4\", \"kv_cache_quant_algo\":\"FP8\", \"group_size\":16}}")
KNOWN("Qwen/Qwen3-Coder-480B-A35B-Instruct", "",
	480154875392, 480154875392, SEEN,
	"{\"architectures\":[\"Qwen3MoeForCausalLM\"], \"model_type\":\"qwen3_moe\", \"hidden_size\":6144, "
	"\"num_hidden_layers\":62, \"num_attention_heads\":96, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":8192, \"vocab_size\":151936, \"max_position_embeddings\":262144, \"rope_scaling\":null, "
	"\"sliding_window\":null, \"max_window_layers\":62, \"use_sliding_window\":false, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"num_experts\":160, \"num_experts_per_tok\":8, "
	"\"moe_intermediate_size\":2560, \"shared_expert_intermediate_size\":0, \"decoder_sparse_step\":1, "
	"\"mlp_only_layers\":[], \"use_qk_norm\":true}",
	"")
KNOWN("Qwen/Qwen3-VL-2B-Instruct", "",
	0, 1720574976, SEEN,
	"{\"architectures\":[\"Qwen3VLForConditionalGeneration\"], \"model_type\":\"qwen3_vl\", "
	"\"tie_word_embeddings\":true, \"text_config\":{\"model_type\":\"qwen3_vl_text\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":28, \"num_attention_heads\":16, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":6144, \"vocab_size\":151936, \"max_position_embeddings\":262144, "
	"\"tie_word_embeddings\":true, \"dtype\":\"bfloat16\", \"attention_bias\":false}, "
	"\"vision_config\":{\"model_type\":\"qwen3_vl\", \"hidden_size\":1024, \"depth\":24, "
	"\"intermediate_size\":4096, \"num_heads\":16, \"patch_size\":16, \"out_hidden_size\":2048}}",
	"")
KNOWN("Qwen/Qwen3-VL-4B-Instruct", "",
	0, 4022468096, SEEN,
	"{\"architectures\":[\"Qwen3VLForConditionalGeneration\"], \"model_type\":\"qwen3_vl\", "
	"\"tie_word_embeddings\":true, \"text_config\":{\"model_type\":\"qwen3_vl_text\", \"hidden_size\":2560, "
	"\"num_hidden_layers\":36, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":9728, \"vocab_size\":151936, \"max_position_embeddings\":262144, "
	"\"tie_word_embeddings\":true, \"dtype\":\"bfloat16\", \"attention_bias\":false}, "
	"\"vision_config\":{\"model_type\":\"qwen3_vl\", \"hidden_size\":1024, \"depth\":24, "
	"\"intermediate_size\":4096, \"num_heads\":16, \"patch_size\":16, \"out_hidden_size\":2560}}",
	"")
KNOWN("Qwen/Qwen3-VL-8B-Instruct", "",
	0, 8190735360, SEEN,
	"{\"architectures\":[\"Qwen3VLForConditionalGeneration\"], \"model_type\":\"qwen3_vl\", "
	"\"tie_word_embeddings\":false, \"text_config\":{\"model_type\":\"qwen3_vl_text\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":36, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":12288, \"vocab_size\":151936, \"max_position_embeddings\":262144, "
	"\"dtype\":\"bfloat16\", \"attention_bias\":false}, \"vision_config\":{\"model_type\":\"qwen3_vl\", "
	"\"hidden_size\":1152, \"depth\":27, \"intermediate_size\":4304, \"num_heads\":16, \"patch_size\":16, "
	"\"out_hidden_size\":4096}}",
	"")
KNOWN("Qwen/Qwen3-VL-32B-Instruct", "",
	0, 32762123264, SEEN,
	"{\"architectures\":[\"Qwen3VLForConditionalGeneration\"], \"model_type\":\"qwen3_vl\", "
	"\"tie_word_embeddings\":false, \"text_config\":{\"model_type\":\"qwen3_vl_text\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":64, \"num_attention_heads\":64, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":25600, \"vocab_size\":151936, \"max_position_embeddings\":262144, "
	"\"rope_scaling\":{\"mrope_interleaved\":true, \"mrope_section\":[24, 20, 20], \"rope_type\":\"default\"}, "
	"\"dtype\":\"bfloat16\", \"attention_bias\":false}, \"vision_config\":{\"model_type\":\"qwen3_vl\", "
	"\"hidden_size\":1152, \"depth\":27, \"intermediate_size\":4304, \"num_heads\":16, \"patch_size\":16, "
	"\"out_hidden_size\":5120}}",
	"")
KNOWN("Qwen/Qwen3-VL-30B-A3B-Instruct", "",
	0, 30532122624, SEEN,
	"{\"architectures\":[\"Qwen3VLMoeForConditionalGeneration\"], \"model_type\":\"qwen3_vl_moe\", "
	"\"tie_word_embeddings\":false, \"text_config\":{\"model_type\":\"qwen3_vl_moe_text\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":48, \"num_attention_heads\":32, \"num_key_value_heads\":4, \"head_dim\":128, "
	"\"intermediate_size\":6144, \"vocab_size\":151936, \"max_position_embeddings\":262144, \"dtype\":\"bfloat16\","
	" \"num_experts\":128, \"num_experts_per_tok\":8, \"moe_intermediate_size\":768, \"decoder_sparse_step\":1, "
	"\"mlp_only_layers\":[], \"attention_bias\":false}, \"vision_config\":{\"model_type\":\"qwen3_vl_moe\", "
	"\"hidden_size\":1152, \"depth\":27, \"intermediate_size\":4304, \"num_heads\":16, \"patch_size\":16, "
	"\"out_hidden_size\":2048}}",
	"")
KNOWN("Qwen/Qwen3-VL-235B-A22B-Instruct", "",
	0, 235093634560, SEEN,
	"{\"architectures\":[\"Qwen3VLMoeForConditionalGeneration\"], \"model_type\":\"qwen3_vl_moe\", "
	"\"tie_word_embeddings\":false, \"text_config\":{\"model_type\":\"qwen3_vl_moe_text\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":94, \"num_attention_heads\":64, \"num_key_value_heads\":4, \"head_dim\":128, "
	"\"intermediate_size\":12288, \"vocab_size\":151936, \"max_position_embeddings\":262144, "
	"\"dtype\":\"bfloat16\", \"num_experts\":128, \"num_experts_per_tok\":8, \"moe_intermediate_size\":1536, "
	"\"decoder_sparse_step\":1, \"mlp_only_layers\":[], \"attention_bias\":false}, "
	"\"vision_config\":{\"model_type\":\"qwen3_vl_moe\", \"hidden_size\":1152, \"depth\":27, "
	"\"intermediate_size\":4304, \"num_heads\":16, \"patch_size\":16, \"out_hidden_size\":4096}}",
	"")
KNOWN("Qwen/Qwen3.5-27B", "",
	27781427952, 0, SEEN,
	"{\"architectures\":[\"Qwen3_5ForConditionalGeneration\"], \"model_type\":\"qwen3_5\", "
	"\"tie_word_embeddings\":false, \"text_config\":{\"model_type\":\"qwen3_5_text\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":64, \"num_attention_heads\":24, \"num_key_value_heads\":4, \"head_dim\":256, "
	"\"intermediate_size\":17408, \"vocab_size\":248320, \"max_position_embeddings\":262144, "
	"\"rope_parameters\":{\"mrope_interleaved\":true, \"mrope_section\":[11, 11, 10], \"rope_type\":\"default\", "
	"\"rope_theta\":10000000, \"partial_rotary_factor\":0.25}, \"layer_types\":[\"linear_attention\", "
	"\"linear_attention\", \"linear_attention\", \"full_attention\", \"linear_attention\", \"linear_attention\", "
	"\"linear_attention\", \"full_attention\", \"linear_attention\", \"linear_attention\", \"linear_attention\", "
	"\"full_attention\", \"linear_attention\", \"linear_attention\", \"linear_attention\", \"full_attention\", "
	"\"linear_attention\", \"linear_attention\", \"linear_attention\", \"full_attention\", \"linear_attention\", "
	"\"linear_attention\", \"linear_attention\", \"full_attention\", \"linear_attention\", \"linear_attention\", "
	"\"linear_attention\", \"full_attention\", \"linear_attention\", \"linear_attention\", \"linear_attention\", "
	"\"full_attention\", \"linear_attention\", \"linear_attention\", \"linear_attention\", \"full_attention\", "
	"\"linear_attention\", \"linear_attention\", \"linear_attention\", \"full_attention\", \"linear_attention\", "
	"\"linear_attention\", \"linear_attention\", \"full_attention\", \"linear_attention\", \"linear_attention\", "
	"\"linear_attention\", \"full_attention\", \"linear_attention\", \"linear_attention\", \"linear_attention\", "
	"\"full_attention\", \"linear_attention\", \"linear_attention\", \"linear_attention\", \"full_attention\", "
	"\"linear_attention\", \"linear_attention\", \"linear_attention\", \"full_attention\", \"linear_attention\", "
	"\"linear_attention\", \"linear_attention\", \"full_attention\"], \"dtype\":\"bfloat16\", "
	"\"mlp_only_layers\":[], \"attention_bias\":false, \"full_attention_interval\":4, "
	"\"linear_num_value_heads\":48, \"linear_num_key_heads\":16, \"linear_key_head_dim\":128, "
	"\"linear_value_head_dim\":128, \"linear_conv_kernel_dim\":4, \"mtp_num_hidden_layers\":1, "
	"\"mamba_ssm_dtype\":\"float32\"}, \"vision_config\":{\"model_type\":\"qwen3_5\", \"hidden_size\":1152, "
	"\"depth\":27, \"intermediate_size\":4304, \"num_heads\":16, \"patch_size\":16, \"out_hidden_size\":5120}}",
	"")
KNOWN("Qwen/Qwen3.5-35B-A3B", "",
	35951822704, 0, SEEN,
	"{\"architectures\":[\"Qwen3_5MoeForConditionalGeneration\"], \"model_type\":\"qwen3_5_moe\", "
	"\"tie_word_embeddings\":false, \"text_config\":{\"model_type\":\"qwen3_5_moe_text\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":16, \"num_key_value_heads\":2, \"head_dim\":256, "
	"\"vocab_size\":248320, \"max_position_embeddings\":262144, \"rope_parameters\":{\"mrope_interleaved\":true, "
	"\"mrope_section\":[11, 11, 10], \"rope_type\":\"default\", \"rope_theta\":10000000, "
	"\"partial_rotary_factor\":0.25}, \"layer_types\":[\"linear_attention\", \"linear_attention\", "
	"\"linear_attention\", \"full_attention\", \"linear_attention\", \"linear_attention\", \"linear_attention\", "
	"\"full_attention\", \"linear_attention\", \"linear_attention\", \"linear_attention\", \"full_attention\", "
	"\"linear_attention\", \"linear_attention\", \"linear_attention\", \"full_attention\", \"linear_attention\", "
	"\"linear_attention\", \"linear_attention\", \"full_attention\", \"linear_attention\", \"linear_attention\", "
	"\"linear_attention\", \"full_attention\", \"linear_attention\", \"linear_attention\", \"linear_attention\", "
	"\"full_attention\", \"linear_attention\", \"linear_attention\", \"linear_attention\", \"full_attention\", "
	"\"linear_attention\", \"linear_attention\", \"linear_attention\", \"full_attention\", \"linear_attention\", "
	"\"linear_attention\", \"linear_attention\", \"full_attention\"], \"dtype\":\"bfloat16\", \"num_experts\":256, "
	"\"num_experts_per_tok\":8, \"moe_intermediate_size\":512, \"shared_expert_intermediate_size\":512, "
	"\"mlp_only_layers\":[], \"attention_bias\":false, \"full_attention_interval\":4, "
	"\"linear_num_value_heads\":32, \"linear_num_key_heads\":16, \"linear_key_head_dim\":128, "
	"\"linear_value_head_dim\":128, \"linear_conv_kernel_dim\":4, \"mtp_num_hidden_layers\":1, "
	"\"mamba_ssm_dtype\":\"float32\"}, \"vision_config\":{\"model_type\":\"qwen3_5_moe\", \"hidden_size\":1152, "
	"\"depth\":27, \"intermediate_size\":4304, \"num_heads\":16, \"patch_size\":16, \"out_hidden_size\":2048}}",
	"")
KNOWN("Qwen/Qwen3-Embedding-0.6B", "",
	595776512, 595776512, SEEN,
	"{\"architectures\":[\"Qwen3ForCausalLM\"], \"model_type\":\"qwen3\", \"hidden_size\":1024, "
	"\"num_hidden_layers\":28, \"num_attention_heads\":16, \"num_key_value_heads\":8, \"intermediate_size\":3072, "
	"\"vocab_size\":151669, \"max_position_embeddings\":32768, \"tie_word_embeddings\":true, "
	"\"torch_dtype\":\"bfloat16\", \"head_dim\":128, \"use_sliding_window\":false, \"sliding_window\":null, "
	"\"rope_scaling\":null}",
	"")
KNOWN("Qwen/Qwen3-Embedding-4B", "",
	4021774336, 4021774336, SEEN,
	"{\"architectures\":[\"Qwen3ForCausalLM\"], \"model_type\":\"qwen3\", \"hidden_size\":2560, "
	"\"num_hidden_layers\":36, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":9728, "
	"\"vocab_size\":151665, \"max_position_embeddings\":40960, \"tie_word_embeddings\":true, "
	"\"torch_dtype\":\"bfloat16\", \"head_dim\":128, \"use_sliding_window\":false, \"sliding_window\":null, "
	"\"rope_scaling\":null}",
	"")
KNOWN("Qwen/Qwen3-Embedding-8B", "",
	7567295488, 8188515328, SEEN,
	"{\"architectures\":[\"Qwen3ForCausalLM\"], \"model_type\":\"qwen3\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":36, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":12288, "
	"\"vocab_size\":151665, \"max_position_embeddings\":40960, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"head_dim\":128, \"use_sliding_window\":false, \"sliding_window\":null, "
	"\"rope_scaling\":null}",
	"")
KNOWN("Qwen/Qwen2-VL-2B-Instruct", "",
	0, 1543714304, SEEN,
	"{\"architectures\":[\"Qwen2VLForConditionalGeneration\"], \"model_type\":\"qwen2_vl\", \"hidden_size\":1536, "
	"\"num_hidden_layers\":28, \"num_attention_heads\":12, \"num_key_value_heads\":2, \"intermediate_size\":8960, "
	"\"vocab_size\":151936, \"max_position_embeddings\":32768, \"tie_word_embeddings\":true, "
	"\"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false, \"rope_scaling\":{\"type\":\"mrope\", "
	"\"mrope_section\":[16, 24, 24]}, \"vision_config\":{\"depth\":32, \"embed_dim\":1280, \"hidden_size\":1536, "
	"\"num_heads\":16, \"patch_size\":14, \"mlp_ratio\":4}}",
	"")
KNOWN("Qwen/Qwen2-VL-7B-Instruct", "",
	0, 7615616512, DERIVED,
	"{\"architectures\":[\"Qwen2VLForConditionalGeneration\"], \"model_type\":\"qwen2_vl\", \"hidden_size\":3584, "
	"\"num_hidden_layers\":28, \"num_attention_heads\":28, \"num_key_value_heads\":4, \"intermediate_size\":18944, "
	"\"vocab_size\":152064, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false, \"rope_scaling\":{\"type\":\"mrope\", "
	"\"mrope_section\":[16, 24, 24]}, \"vision_config\":{\"depth\":32, \"embed_dim\":1280, \"hidden_size\":3584, "
	"\"num_heads\":16, \"patch_size\":14, \"mlp_ratio\":4}}",
	"")
KNOWN("Qwen/Qwen2.5-VL-7B-Instruct", "",
	8292166656, 7615616512, SEEN,
	"{\"architectures\":[\"Qwen2_5_VLForConditionalGeneration\"], \"model_type\":\"qwen2_5_vl\", "
	"\"hidden_size\":3584, \"num_hidden_layers\":28, \"num_attention_heads\":28, \"num_key_value_heads\":4, "
	"\"intermediate_size\":18944, \"vocab_size\":152064, \"max_position_embeddings\":128000, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false, "
	"\"rope_scaling\":{\"type\":\"mrope\", \"mrope_section\":[16, 24, 24]}, \"vision_config\":{\"depth\":32, "
	"\"hidden_size\":1280, \"intermediate_size\":3420, \"num_heads\":16, \"out_hidden_size\":3584, "
	"\"patch_size\":14}}",
	"")
KNOWN("Qwen/Qwen2.5-VL-3B-Instruct", "",
	3754622976, 3085938688, DERIVED,
	"{\"architectures\":[\"Qwen2_5_VLForConditionalGeneration\"], \"model_type\":\"qwen2_5_vl\", "
	"\"hidden_size\":2048, \"num_hidden_layers\":36, \"num_attention_heads\":16, \"num_key_value_heads\":2, "
	"\"intermediate_size\":11008, \"vocab_size\":151936, \"max_position_embeddings\":128000, "
	"\"tie_word_embeddings\":true, \"torch_dtype\":\"bfloat16\", \"use_sliding_window\":false, "
	"\"rope_scaling\":{\"type\":\"mrope\", \"mrope_section\":[16, 24, 24]}, \"vision_config\":{\"depth\":32, "
	"\"hidden_size\":1280, \"intermediate_size\":3420, \"num_heads\":16, \"out_hidden_size\":2048, "
	"\"patch_size\":14}}",
	"")
KNOWN("google/gemma-2b", "google/gemma-2b-it google/gemma-1.1-2b-it",
	2506172416, 2506172416, SEEN,
	"{\"architectures\":[\"GemmaForCausalLM\"], \"model_type\":\"gemma\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":18, \"num_attention_heads\":8, \"num_key_value_heads\":1, \"head_dim\":256, "
	"\"intermediate_size\":16384, \"vocab_size\":256000, \"max_position_embeddings\":8192, \"rope_scaling\":null, "
	"\"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("google/gemma-7b", "google/gemma-7b-it",
	0, 8537680896, DERIVED,
	"{\"architectures\":[\"GemmaForCausalLM\"], \"model_type\":\"gemma\", \"hidden_size\":3072, "
	"\"num_hidden_layers\":28, \"num_attention_heads\":16, \"num_key_value_heads\":16, \"head_dim\":256, "
	"\"intermediate_size\":24576, \"vocab_size\":256000, \"max_position_embeddings\":8192, \"rope_scaling\":null, "
	"\"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("google/gemma-2-2b-it", "google/gemma-2-2b",
	2614341888, 2614341888, SEEN,
	"{\"architectures\":[\"Gemma2ForCausalLM\"], \"model_type\":\"gemma2\", \"hidden_size\":2304, "
	"\"num_hidden_layers\":26, \"num_attention_heads\":8, \"num_key_value_heads\":4, \"head_dim\":256, "
	"\"intermediate_size\":9216, \"vocab_size\":256000, \"max_position_embeddings\":8192, \"sliding_window\":4096, "
	"\"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("google/gemma-2-9b-it", "google/gemma-2-9b",
	9241705984, 9241705984, SEEN,
	"{\"architectures\":[\"Gemma2ForCausalLM\"], \"model_type\":\"gemma2\", \"hidden_size\":3584, "
	"\"num_hidden_layers\":42, \"num_attention_heads\":16, \"num_key_value_heads\":8, \"head_dim\":256, "
	"\"intermediate_size\":14336, \"vocab_size\":256000, \"max_position_embeddings\":8192, \"sliding_window\":4096,"
	" \"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("google/gemma-2-27b-it", "google/gemma-2-27b",
	27227128320, 27227128320, SEEN,
	"{\"architectures\":[\"Gemma2ForCausalLM\"], \"model_type\":\"gemma2\", \"hidden_size\":4608, "
	"\"num_hidden_layers\":46, \"num_attention_heads\":32, \"num_key_value_heads\":16, \"head_dim\":128, "
	"\"intermediate_size\":36864, \"vocab_size\":256000, \"max_position_embeddings\":8192, \"sliding_window\":4096,"
	" \"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("google/gemma-3-1b-it", "",
	999885952, 999885952, SEEN,
	"{\"architectures\":[\"Gemma3ForCausalLM\"], \"model_type\":\"gemma3_text\", \"hidden_size\":1152, "
	"\"num_hidden_layers\":26, \"num_attention_heads\":4, \"num_key_value_heads\":1, \"head_dim\":256, "
	"\"intermediate_size\":6912, \"vocab_size\":262144, \"max_position_embeddings\":32768, \"rope_scaling\":null, "
	"\"sliding_window\":512, \"sliding_window_pattern\":6, \"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("google/gemma-3-4b-it", "google/gemma-3-4b-pt",
	4300079472, 3880263168, DERIVED,
	"{\"architectures\":[\"Gemma3ForConditionalGeneration\"], \"model_type\":\"gemma3\", "
	"\"text_config\":{\"model_type\":\"gemma3_text\", \"hidden_size\":2560, \"num_hidden_layers\":34, "
	"\"num_attention_heads\":8, \"num_key_value_heads\":4, \"head_dim\":256, \"intermediate_size\":10240, "
	"\"vocab_size\":262208, \"max_position_embeddings\":131072, \"rope_scaling\":{\"factor\":8.0, "
	"\"rope_type\":\"linear\"}, \"sliding_window\":1024, \"sliding_window_pattern\":6}, "
	"\"torch_dtype\":\"bfloat16\", \"vision_config\":{\"model_type\":\"siglip_vision_model\", \"hidden_size\":1152,"
	" \"num_hidden_layers\":27, \"intermediate_size\":4304, \"num_attention_heads\":16, \"patch_size\":14}}",
	"")
KNOWN("google/gemma-3-12b-it", "google/gemma-3-12b-pt",
	0, 11766034176, DERIVED,
	"{\"architectures\":[\"Gemma3ForConditionalGeneration\"], \"model_type\":\"gemma3\", "
	"\"text_config\":{\"model_type\":\"gemma3_text\", \"hidden_size\":3840, \"num_hidden_layers\":48, "
	"\"num_attention_heads\":16, \"num_key_value_heads\":8, \"head_dim\":256, \"intermediate_size\":15360, "
	"\"vocab_size\":262208, \"max_position_embeddings\":131072, \"rope_scaling\":{\"factor\":8.0, "
	"\"rope_type\":\"linear\"}, \"sliding_window\":1024, \"sliding_window_pattern\":6}, "
	"\"torch_dtype\":\"bfloat16\", \"vision_config\":{\"model_type\":\"siglip_vision_model\", \"hidden_size\":1152,"
	" \"num_hidden_layers\":27, \"intermediate_size\":4304, \"num_attention_heads\":16, \"patch_size\":14}}",
	"")
KNOWN("google/gemma-3-27b-it", "google/gemma-3-27b-pt",
	27432406640, 27009346304, DERIVED,
	"{\"architectures\":[\"Gemma3ForConditionalGeneration\"], \"model_type\":\"gemma3\", "
	"\"text_config\":{\"model_type\":\"gemma3_text\", \"hidden_size\":5376, \"num_hidden_layers\":62, "
	"\"num_attention_heads\":32, \"num_key_value_heads\":16, \"head_dim\":128, \"intermediate_size\":21504, "
	"\"vocab_size\":262208, \"max_position_embeddings\":131072, \"rope_scaling\":{\"factor\":8.0, "
	"\"rope_type\":\"linear\"}, \"sliding_window\":1024, \"sliding_window_pattern\":6}, "
	"\"torch_dtype\":\"bfloat16\", \"vision_config\":{\"model_type\":\"siglip_vision_model\", \"hidden_size\":1152,"
	" \"num_hidden_layers\":27, \"intermediate_size\":4304, \"num_attention_heads\":16, \"patch_size\":14}}",
	"")
KNOWN("google/gemma-4-26B-A4B", "",
	0, 0, SEEN,
	"{\"architectures\":[\"Gemma4ForConditionalGeneration\"], \"model_type\":\"gemma4\", "
	"\"tie_word_embeddings\":true, \"dtype\":\"bfloat16\", \"text_config\":{\"model_type\":\"gemma4_text\", "
	"\"hidden_size\":2816, \"num_hidden_layers\":30, \"num_attention_heads\":16, \"num_key_value_heads\":8, "
	"\"head_dim\":256, \"intermediate_size\":2112, \"vocab_size\":262144, \"max_position_embeddings\":262144, "
	"\"rope_parameters\":{\"full_attention\":{\"partial_rotary_factor\":0.25, \"rope_theta\":1000000.0, "
	"\"rope_type\":\"proportional\"}, \"sliding_attention\":{\"rope_theta\":10000.0, \"rope_type\":\"default\"}}, "
	"\"sliding_window\":1024, \"layer_types\":[\"sliding_attention\", \"sliding_attention\", \"sliding_attention\","
	" \"sliding_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"sliding_attention\", "
	"\"full_attention\", \"sliding_attention\", \"sliding_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"sliding_attention\", "
	"\"full_attention\", \"sliding_attention\", \"sliding_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\"], \"tie_word_embeddings\":true, "
	"\"dtype\":\"bfloat16\", \"num_experts\":128, \"moe_intermediate_size\":704, \"attention_bias\":false, "
	"\"num_global_key_value_heads\":2, \"global_head_dim\":512, \"num_kv_shared_layers\":0}, "
	"\"vision_config\":{\"model_type\":\"gemma4_vision\", \"hidden_size\":1152, \"num_hidden_layers\":27, "
	"\"intermediate_size\":4304, \"num_attention_heads\":16, \"patch_size\":16}}",
	"")
KNOWN("microsoft/phi-2", "",
	2779683840, 2779683840, DERIVED,
	"{\"architectures\":[\"PhiForCausalLM\"], \"model_type\":\"phi\", \"hidden_size\":2560, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":32, \"intermediate_size\":10240,"
	" \"vocab_size\":51200, \"max_position_embeddings\":2048, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"float16\"}",
	"")
KNOWN("microsoft/Phi-3-mini-4k-instruct", "",
	3821079552, 3821079552, DERIVED,
	"{\"architectures\":[\"Phi3ForCausalLM\"], \"model_type\":\"phi3\", \"hidden_size\":3072, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":32, \"intermediate_size\":8192, "
	"\"vocab_size\":32064, \"max_position_embeddings\":4096, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"sliding_window\":2047, \"original_max_position_embeddings\":4096, "
	"\"rope_scaling\":null}",
	"")
KNOWN("microsoft/Phi-3-mini-128k-instruct", "",
	3821079552, 3821079552, DERIVED,
	"{\"architectures\":[\"Phi3ForCausalLM\"], \"model_type\":\"phi3\", \"hidden_size\":3072, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":32, \"intermediate_size\":8192, "
	"\"vocab_size\":32064, \"max_position_embeddings\":131072, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"sliding_window\":262144, \"original_max_position_embeddings\":4096, "
	"\"rope_scaling\":{\"type\":\"longrope\"}}",
	"")
KNOWN("microsoft/Phi-3.5-mini-instruct", "",
	3821079552, 3821079552, SEEN,
	"{\"architectures\":[\"Phi3ForCausalLM\"], \"model_type\":\"phi3\", \"hidden_size\":3072, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":32, \"intermediate_size\":8192, "
	"\"vocab_size\":32064, \"max_position_embeddings\":131072, \"rope_scaling\":{\"type\":\"longrope\"}, "
	"\"sliding_window\":262144, \"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", "
	"\"attention_bias\":false, \"original_max_position_embeddings\":4096}",
	"")
KNOWN("microsoft/Phi-3-medium-4k-instruct", "",
	0, 13960238080, DERIVED,
	"{\"architectures\":[\"Phi3ForCausalLM\"], \"model_type\":\"phi3\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":40, \"num_key_value_heads\":10, \"intermediate_size\":17920,"
	" \"vocab_size\":32064, \"max_position_embeddings\":4096, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"sliding_window\":2047, \"original_max_position_embeddings\":4096}",
	"")
KNOWN("microsoft/Phi-3.5-MoE-instruct", "",
	0, 41873153344, DERIVED,
	"{\"architectures\":[\"PhiMoEForCausalLM\"], \"model_type\":\"phimoe\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":6400, "
	"\"vocab_size\":32064, \"max_position_embeddings\":131072, \"tie_word_embeddings\":false, "
	"\"num_local_experts\":16, \"num_experts_per_tok\":2, \"sliding_window\":131072, "
	"\"original_max_position_embeddings\":4096, \"rope_scaling\":{\"type\":\"longrope\"}, \"attention_bias\":true}",
	"")
KNOWN("microsoft/phi-4", "",
	14659507200, 14659507200, SEEN,
	"{\"architectures\":[\"Phi3ForCausalLM\"], \"model_type\":\"phi3\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":40, \"num_key_value_heads\":10, \"intermediate_size\":17920,"
	" \"vocab_size\":100352, \"max_position_embeddings\":16384, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"original_max_position_embeddings\":16384, \"rope_scaling\":null, "
	"\"sliding_window\":null}",
	"")
KNOWN("microsoft/Phi-4-reasoning", "microsoft/Phi-4-reasoning-plus",
	14659507200, 14659507200, DERIVED,
	"{\"architectures\":[\"Phi3ForCausalLM\"], \"model_type\":\"phi3\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":40, \"num_key_value_heads\":10, \"intermediate_size\":17920,"
	" \"vocab_size\":100352, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"sliding_window\":null}",
	"")
KNOWN("microsoft/Phi-4-mini-instruct", "microsoft/Phi-4-mini-reasoning",
	3836021760, 3836021760, SEEN,
	"{\"architectures\":[\"Phi3ForCausalLM\"], \"model_type\":\"phi3\", \"hidden_size\":3072, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":24, \"num_key_value_heads\":8, \"intermediate_size\":8192, "
	"\"vocab_size\":200064, \"max_position_embeddings\":131072, \"rope_scaling\":{\"type\":\"longrope\"}, "
	"\"sliding_window\":262144, \"tie_word_embeddings\":true, \"torch_dtype\":\"bfloat16\", "
	"\"attention_bias\":false, \"original_max_position_embeddings\":4096, \"lm_head_bias\":false}",
	"")
KNOWN("deepseek-ai/deepseek-llm-7b-chat", "deepseek-ai/deepseek-llm-7b-base",
	0, 6910365696, DERIVED,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":30, \"num_attention_heads\":32, \"num_key_value_heads\":32, \"intermediate_size\":11008,"
	" \"vocab_size\":102400, \"max_position_embeddings\":4096, \"tie_word_embeddings\":false}",
	"")
KNOWN("deepseek-ai/deepseek-llm-67b-chat", "deepseek-ai/deepseek-llm-67b-base",
	0, 67425001472, DERIVED,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":8192, "
	"\"num_hidden_layers\":95, \"num_attention_heads\":64, \"num_key_value_heads\":8, \"intermediate_size\":22016, "
	"\"vocab_size\":102400, \"max_position_embeddings\":4096, \"tie_word_embeddings\":false}",
	"")
KNOWN("deepseek-ai/deepseek-coder-6.7b-instruct", "deepseek-ai/deepseek-coder-6.7b-base",
	6740512768, 6740512768, DERIVED,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":32, \"intermediate_size\":11008,"
	" \"vocab_size\":32256, \"max_position_embeddings\":16384, \"tie_word_embeddings\":false, "
	"\"rope_scaling\":{\"factor\":4.0, \"type\":\"linear\"}}",
	"")
KNOWN("deepseek-ai/deepseek-moe-16b-chat", "deepseek-ai/deepseek-moe-16b-base",
	16375728128, 16375728128, SEEN,
	"{\"architectures\":[\"DeepseekForCausalLM\"], \"model_type\":\"deepseek\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":28, \"num_attention_heads\":16, \"num_key_value_heads\":16, \"intermediate_size\":10944,"
	" \"vocab_size\":102400, \"max_position_embeddings\":4096, \"rope_scaling\":null, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"n_routed_experts\":64, "
	"\"num_experts_per_tok\":6, \"moe_intermediate_size\":1408, \"n_shared_experts\":2, "
	"\"first_k_dense_replace\":1, \"moe_layer_freq\":1, \"attention_bias\":false}",
	"")
KNOWN("deepseek-ai/DeepSeek-V2-Lite-Chat", "deepseek-ai/DeepSeek-V2-Lite deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct",
	15706484224, 15706484224, SEEN,
	"{\"architectures\":[\"DeepseekV2ForCausalLM\"], \"model_type\":\"deepseek_v2\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":27, \"num_attention_heads\":16, \"num_key_value_heads\":16, \"intermediate_size\":10944,"
	" \"vocab_size\":102400, \"max_position_embeddings\":163840, \"rope_scaling\":{\"beta_fast\":32, "
	"\"beta_slow\":1, \"factor\":40, \"mscale\":0.707, \"mscale_all_dim\":0.707, "
	"\"original_max_position_embeddings\":4096, \"type\":\"yarn\"}, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"n_routed_experts\":64, \"num_experts_per_tok\":6, "
	"\"moe_intermediate_size\":1408, \"n_shared_experts\":2, \"first_k_dense_replace\":1, \"moe_layer_freq\":1, "
	"\"q_lora_rank\":null, \"kv_lora_rank\":512, \"qk_rope_head_dim\":64, \"qk_nope_head_dim\":128, "
	"\"v_head_dim\":128, \"attention_bias\":false}",
	"")
KNOWN("deepseek-ai/DeepSeek-V2-Chat", "deepseek-ai/DeepSeek-V2 deepseek-ai/DeepSeek-V2.5 deepseek-ai/DeepSeek-Coder-V2-Instruct",
	235741434880, 235741434880, DERIVED,
	"{\"architectures\":[\"DeepseekV2ForCausalLM\"], \"model_type\":\"deepseek_v2\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":60, \"num_attention_heads\":128, \"num_key_value_heads\":128, "
	"\"intermediate_size\":12288, \"vocab_size\":102400, \"max_position_embeddings\":163840, "
	"\"rope_scaling\":{\"beta_fast\":32, \"beta_slow\":1, \"factor\":40, \"mscale\":0.707, "
	"\"mscale_all_dim\":0.707, \"original_max_position_embeddings\":4096, \"type\":\"yarn\"}, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"n_routed_experts\":160, "
	"\"num_experts_per_tok\":6, \"moe_intermediate_size\":1536, \"n_shared_experts\":2, "
	"\"first_k_dense_replace\":1, \"moe_layer_freq\":1, \"q_lora_rank\":1536, \"kv_lora_rank\":512, "
	"\"qk_rope_head_dim\":64, \"qk_nope_head_dim\":128, \"v_head_dim\":128, \"attention_bias\":false}",
	"")
KNOWN("deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-V3-Base deepseek-ai/DeepSeek-V3-0324 deepseek-ai/DeepSeek-R1 deepseek-ai/DeepSeek-R1-0528",
	684531386000, 671026419200, SEEN,
	"{\"architectures\":[\"DeepseekV3ForCausalLM\"], \"model_type\":\"deepseek_v3\", \"hidden_size\":7168, "
	"\"num_hidden_layers\":61, \"num_attention_heads\":128, \"num_key_value_heads\":128, "
	"\"intermediate_size\":18432, \"vocab_size\":129280, \"max_position_embeddings\":163840, "
	"\"rope_scaling\":{\"beta_fast\":32, \"beta_slow\":1, \"factor\":40, \"mscale\":1.0, \"mscale_all_dim\":1.0, "
	"\"original_max_position_embeddings\":4096, \"type\":\"yarn\"}, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"n_routed_experts\":256, \"num_experts_per_tok\":8, "
	"\"moe_intermediate_size\":2048, \"n_shared_experts\":1, \"first_k_dense_replace\":3, \"moe_layer_freq\":1, "
	"\"q_lora_rank\":1536, \"kv_lora_rank\":512, \"qk_rope_head_dim\":64, \"qk_nope_head_dim\":128, "
	"\"v_head_dim\":128, \"quantization_config\":{\"activation_scheme\":\"dynamic\", \"fmt\":\"e4m3\", "
	"\"quant_method\":\"fp8\", \"weight_block_size\":[128, 128]}, \"attention_bias\":false, "
	"\"num_nextn_predict_layers\":1}",
	"")
KNOWN("nvidia/DeepSeek-V3.1-NVFP4", "",
	0, 671026419200, SEEN,
	"{\"architectures\":[\"DeepseekV3ForCausalLM\"], \"model_type\":\"deepseek_v3\", \"hidden_size\":7168, "
	"\"num_hidden_layers\":61, \"num_attention_heads\":128, \"num_key_value_heads\":128, "
	"\"intermediate_size\":18432, \"vocab_size\":129280, \"max_position_embeddings\":163840, "
	"\"rope_scaling\":{\"beta_fast\":32, \"beta_slow\":1, \"factor\":40, \"mscale\":1.0, \"mscale_all_dim\":1.0, "
	"\"original_max_position_embeddings\":4096, \"type\":\"yarn\"}, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"n_routed_experts\":256, \"num_experts_per_tok\":8, "
	"\"moe_intermediate_size\":2048, \"n_shared_experts\":1, \"first_k_dense_replace\":3, \"moe_layer_freq\":1, "
	"\"q_lora_rank\":1536, \"kv_lora_rank\":512, \"qk_rope_head_dim\":64, \"qk_nope_head_dim\":128, "
	"\"v_head_dim\":128, \"attention_bias\":false, \"num_nextn_predict_layers\":1}",
	"{\"quantization\":{\"quant_algo\":\"NVFP4\", \"kv_cache_quant_algo\":\"FP8\", \"group_size\":16}}")
KNOWN("deepseek-ai/DeepSeek-V3.2", "",
	685396921376, 0, SEEN,
	"{\"architectures\":[\"DeepseekV32ForCausalLM\"], \"model_type\":\"deepseek_v32\", \"hidden_size\":7168, "
	"\"num_hidden_layers\":61, \"num_attention_heads\":128, \"num_key_value_heads\":128, "
	"\"intermediate_size\":18432, \"vocab_size\":129280, \"max_position_embeddings\":163840, "
	"\"rope_scaling\":{\"beta_fast\":32, \"beta_slow\":1, \"factor\":40, \"mscale\":1.0, \"mscale_all_dim\":1.0, "
	"\"original_max_position_embeddings\":4096, \"type\":\"yarn\"}, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"n_routed_experts\":256, \"num_experts_per_tok\":8, "
	"\"moe_intermediate_size\":2048, \"n_shared_experts\":1, \"first_k_dense_replace\":3, \"moe_layer_freq\":1, "
	"\"q_lora_rank\":1536, \"kv_lora_rank\":512, \"qk_rope_head_dim\":64, \"qk_nope_head_dim\":128, "
	"\"v_head_dim\":128, \"quantization_config\":{\"activation_scheme\":\"dynamic\", \"fmt\":\"e4m3\", "
	"\"quant_method\":\"fp8\", \"scale_fmt\":\"ue8m0\", \"weight_block_size\":[128, 128]}, "
	"\"attention_bias\":false, \"num_nextn_predict_layers\":1, \"index_topk\":2048, \"index_n_heads\":64, "
	"\"index_head_dim\":128}",
	"")
KNOWN("openai/gpt-oss-20b", "",
	20914757184, 20914757184, SEEN,
	"{\"architectures\":[\"GptOssForCausalLM\"], \"model_type\":\"gpt_oss\", \"hidden_size\":2880, "
	"\"num_hidden_layers\":24, \"num_attention_heads\":64, \"num_key_value_heads\":8, \"head_dim\":64, "
	"\"intermediate_size\":2880, \"vocab_size\":201088, \"max_position_embeddings\":131072, "
	"\"rope_scaling\":{\"beta_fast\":32.0, \"beta_slow\":1.0, \"factor\":32.0, "
	"\"original_max_position_embeddings\":4096, \"rope_type\":\"yarn\", \"truncate\":false}, "
	"\"sliding_window\":128, \"layer_types\":[\"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"full_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"full_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"full_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"full_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"full_attention\"], \"tie_word_embeddings\":false, \"num_local_experts\":32, \"num_experts_per_tok\":4, "
	"\"quantization_config\":{\"modules_to_not_convert\":[\"model.layers.*.self_attn\", "
	"\"model.layers.*.mlp.router\", \"model.embed_tokens\", \"lm_head\"], \"quant_method\":\"mxfp4\"}, "
	"\"attention_bias\":true}",
	"")
KNOWN("openai/gpt-oss-120b", "",
	116829156672, 116829156672, SEEN,
	"{\"architectures\":[\"GptOssForCausalLM\"], \"model_type\":\"gpt_oss\", \"hidden_size\":2880, "
	"\"num_hidden_layers\":36, \"num_attention_heads\":64, \"num_key_value_heads\":8, \"head_dim\":64, "
	"\"intermediate_size\":2880, \"vocab_size\":201088, \"max_position_embeddings\":131072, "
	"\"rope_scaling\":{\"beta_fast\":32.0, \"beta_slow\":1.0, \"factor\":32.0, "
	"\"original_max_position_embeddings\":4096, \"rope_type\":\"yarn\", \"truncate\":false}, "
	"\"sliding_window\":128, \"layer_types\":[\"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"full_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"full_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"full_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"full_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"full_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"full_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"full_attention\", \"sliding_attention\", \"full_attention\"], \"tie_word_embeddings\":false, "
	"\"num_local_experts\":128, \"num_experts_per_tok\":4, "
	"\"quantization_config\":{\"modules_to_not_convert\":[\"model.layers.*.self_attn\", "
	"\"model.layers.*.mlp.router\", \"model.embed_tokens\", \"lm_head\"], \"quant_method\":\"mxfp4\"}, "
	"\"attention_bias\":true}",
	"")
KNOWN("tiiuae/falcon-7b-instruct", "tiiuae/falcon-7b",
	7217189760, 6921720704, DERIVED,
	"{\"architectures\":[\"FalconForCausalLM\"], \"model_type\":\"falcon\", \"hidden_size\":4544, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":71, \"vocab_size\":65024, \"max_position_embeddings\":2048, "
	"\"torch_dtype\":\"bfloat16\", \"parallel_attn\":true, \"alibi\":false, \"new_decoder_architecture\":false, "
	"\"multi_query\":true}",
	"")
KNOWN("tiiuae/falcon-40b-instruct", "tiiuae/falcon-40b",
	0, 41303293952, DERIVED,
	"{\"architectures\":[\"FalconForCausalLM\"], \"model_type\":\"falcon\", \"hidden_size\":8192, "
	"\"num_hidden_layers\":60, \"num_attention_heads\":128, \"vocab_size\":65024, \"max_position_embeddings\":2048,"
	" \"torch_dtype\":\"bfloat16\", \"parallel_attn\":true, \"alibi\":false, \"new_decoder_architecture\":true, "
	"\"num_kv_heads\":8}",
	"")
KNOWN("tiiuae/falcon-180B-chat", "tiiuae/falcon-180B",
	179522565120, 178557088768, DERIVED,
	"{\"architectures\":[\"FalconForCausalLM\"], \"model_type\":\"falcon\", \"hidden_size\":14848, "
	"\"num_hidden_layers\":80, \"num_attention_heads\":232, \"vocab_size\":65024, \"max_position_embeddings\":2048,"
	" \"torch_dtype\":\"bfloat16\", \"parallel_attn\":true, \"alibi\":false, \"new_decoder_architecture\":true, "
	"\"num_kv_heads\":8}",
	"")
KNOWN("tiiuae/Falcon3-7B-Instruct", "tiiuae/Falcon3-7B-Base",
	7455550464, 7455550464, DERIVED,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":3072, "
	"\"num_hidden_layers\":28, \"num_attention_heads\":12, \"num_key_value_heads\":4, \"intermediate_size\":23040, "
	"\"vocab_size\":131072, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, \"head_dim\":256}",
	"")
KNOWN("tiiuae/Falcon3-10B-Instruct", "tiiuae/Falcon3-10B-Base",
	0, 10305653760, DERIVED,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":3072, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":12, \"num_key_value_heads\":4, \"intermediate_size\":23040, "
	"\"vocab_size\":131072, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, \"head_dim\":256}",
	"")
KNOWN("01-ai/Yi-6B-Chat", "01-ai/Yi-6B",
	6061035520, 6061035520, DERIVED,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":4, \"intermediate_size\":11008, "
	"\"vocab_size\":64000, \"max_position_embeddings\":4096, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("01-ai/Yi-34B-Chat", "01-ai/Yi-34B",
	34388917248, 34388917248, SEEN,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":7168, "
	"\"num_hidden_layers\":60, \"num_attention_heads\":56, \"num_key_value_heads\":8, \"intermediate_size\":20480, "
	"\"vocab_size\":64000, \"max_position_embeddings\":4096, \"rope_scaling\":null, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("01-ai/Yi-1.5-9B-Chat", "",
	8829407232, 8829407232, DERIVED,
	"{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":48, \"num_attention_heads\":32, \"num_key_value_heads\":4, \"intermediate_size\":11008, "
	"\"vocab_size\":64000, \"max_position_embeddings\":4096, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("zai-org/glm-4-9b-chat-hf", "THUDM/glm-4-9b-chat-hf",
	9399951360, 9399951360, DERIVED,
	"{\"architectures\":[\"GlmForCausalLM\"], \"model_type\":\"glm\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":32, \"num_key_value_heads\":2, \"intermediate_size\":13696, "
	"\"vocab_size\":151552, \"max_position_embeddings\":131072, \"tie_word_embeddings\":false, \"head_dim\":128, "
	"\"attention_bias\":true}",
	"")
KNOWN("zai-org/GLM-4-9B-0414", "THUDM/GLM-4-9B-0414",
	0, 9400279040, DERIVED,
	"{\"architectures\":[\"Glm4ForCausalLM\"], \"model_type\":\"glm4\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":32, \"num_key_value_heads\":2, \"intermediate_size\":13696, "
	"\"vocab_size\":151552, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, \"head_dim\":128, "
	"\"attention_bias\":true}",
	"")
KNOWN("zai-org/GLM-4.5", "",
	358337791296, 352797829024, SEEN,
	"{\"architectures\":[\"Glm4MoeForCausalLM\"], \"model_type\":\"glm4_moe\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":92, \"num_attention_heads\":96, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":12288, \"vocab_size\":151552, \"max_position_embeddings\":131072, \"rope_scaling\":null,"
	" \"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"n_routed_experts\":160, "
	"\"num_experts_per_tok\":8, \"moe_intermediate_size\":1536, \"n_shared_experts\":1, "
	"\"first_k_dense_replace\":3, \"use_qk_norm\":true, \"attention_bias\":true, \"num_nextn_predict_layers\":1}",
	"")
KNOWN("zai-org/GLM-4.6", "",
	356785898816, 352797829024, DERIVED,
	"{\"architectures\":[\"Glm4MoeForCausalLM\"], \"model_type\":\"glm4_moe\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":92, \"num_attention_heads\":96, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":12288, \"vocab_size\":151552, \"max_position_embeddings\":202752, \"rope_scaling\":null,"
	" \"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"n_routed_experts\":160, "
	"\"num_experts_per_tok\":8, \"moe_intermediate_size\":1536, \"n_shared_experts\":1, "
	"\"first_k_dense_replace\":3, \"use_qk_norm\":true, \"attention_bias\":true, \"num_nextn_predict_layers\":1}",
	"")
KNOWN("zai-org/GLM-4.5-Air", "",
	0, 106852251264, DERIVED,
	"{\"architectures\":[\"Glm4MoeForCausalLM\"], \"model_type\":\"glm4_moe\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":46, \"num_attention_heads\":96, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":10944, \"vocab_size\":151552, \"max_position_embeddings\":131072, \"rope_scaling\":null,"
	" \"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", \"n_routed_experts\":128, "
	"\"num_experts_per_tok\":8, \"moe_intermediate_size\":1408, \"n_shared_experts\":1, "
	"\"first_k_dense_replace\":1, \"use_qk_norm\":false, \"attention_bias\":true, \"num_nextn_predict_layers\":1}",
	"")
KNOWN("zai-org/GLM-5", "",
	753864139008, 0, SEEN,
	"{\"architectures\":[\"GlmMoeDsaForCausalLM\"], \"model_type\":\"glm_moe_dsa\", \"hidden_size\":6144, "
	"\"num_hidden_layers\":78, \"num_attention_heads\":64, \"num_key_value_heads\":64, \"head_dim\":64, "
	"\"intermediate_size\":12288, \"vocab_size\":154880, \"max_position_embeddings\":202752, "
	"\"rope_parameters\":{\"rope_theta\":1000000, \"rope_type\":\"default\"}, \"tie_word_embeddings\":false, "
	"\"dtype\":\"bfloat16\", \"n_routed_experts\":256, \"num_experts_per_tok\":8, \"moe_intermediate_size\":2048, "
	"\"n_shared_experts\":1, \"first_k_dense_replace\":3, \"moe_layer_freq\":1, \"q_lora_rank\":2048, "
	"\"kv_lora_rank\":512, \"qk_rope_head_dim\":64, \"qk_nope_head_dim\":192, \"v_head_dim\":256, "
	"\"attention_bias\":false, \"num_nextn_predict_layers\":1, \"index_topk\":2048, \"index_n_heads\":32, "
	"\"index_head_dim\":128}",
	"")
KNOWN("internlm/internlm2-chat-7b", "",
	7737708544, 7737708544, DERIVED,
	"{\"architectures\":[\"InternLM2ForCausalLM\"], \"model_type\":\"internlm2\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":14336, "
	"\"vocab_size\":92544, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("internlm/internlm2_5-7b-chat", "",
	7737708544, 7737708544, SEEN,
	"{\"architectures\":[\"InternLM2ForCausalLM\"], \"model_type\":\"internlm2\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":14336, "
	"\"vocab_size\":92544, \"max_position_embeddings\":32768, \"rope_scaling\":{\"type\":\"dynamic\", "
	"\"factor\":2.0}, \"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("internlm/internlm2-chat-20b", "internlm/internlm2-20b",
	19861149696, 19861149696, DERIVED,
	"{\"architectures\":[\"InternLM2ForCausalLM\"], \"model_type\":\"internlm2\", \"hidden_size\":6144, "
	"\"num_hidden_layers\":48, \"num_attention_heads\":48, \"num_key_value_heads\":8, \"intermediate_size\":16384, "
	"\"vocab_size\":92544, \"max_position_embeddings\":32768, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("CohereForAI/c4ai-command-r-v01", "CohereLabs/c4ai-command-r-v01",
	0, 34980831232, DERIVED,
	"{\"architectures\":[\"CohereForCausalLM\"], \"model_type\":\"cohere\", \"hidden_size\":8192, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":64, \"num_key_value_heads\":64, \"intermediate_size\":22528,"
	" \"vocab_size\":256000, \"max_position_embeddings\":8192, \"tie_word_embeddings\":true, "
	"\"model_max_length\":131072, \"use_qk_norm\":false}",
	"")
KNOWN("CohereForAI/c4ai-command-r-plus", "CohereLabs/c4ai-command-r-plus",
	0, 103809822720, DERIVED,
	"{\"architectures\":[\"CohereForCausalLM\"], \"model_type\":\"cohere\", \"hidden_size\":12288, "
	"\"num_hidden_layers\":64, \"num_attention_heads\":96, \"num_key_value_heads\":8, \"intermediate_size\":33792, "
	"\"vocab_size\":256000, \"tie_word_embeddings\":true}",
	"")
KNOWN("CohereForAI/aya-23-8B", "CohereLabs/aya-23-8B",
	0, 8028033024, SEEN,
	"{\"architectures\":[\"CohereForCausalLM\"], \"model_type\":\"cohere\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":14336, "
	"\"vocab_size\":256000, \"max_position_embeddings\":8192, \"torch_dtype\":\"float16\", \"use_qk_norm\":false, "
	"\"attention_bias\":false, \"tie_word_embeddings\":true}",
	"")
KNOWN("bigcode/starcoder2-3b", "",
	3030371328, 3030371328, DERIVED,
	"{\"architectures\":[\"Starcoder2ForCausalLM\"], \"model_type\":\"starcoder2\", \"hidden_size\":3072, "
	"\"num_hidden_layers\":30, \"num_attention_heads\":24, \"num_key_value_heads\":2, \"intermediate_size\":12288, "
	"\"vocab_size\":49152, \"max_position_embeddings\":16384, \"tie_word_embeddings\":true, \"use_bias\":true, "
	"\"sliding_window\":4096}",
	"")
KNOWN("bigcode/starcoder2-7b", "",
	7173923840, 7173923840, SEEN,
	"{\"architectures\":[\"Starcoder2ForCausalLM\"], \"model_type\":\"starcoder2\", \"hidden_size\":4608, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":36, \"num_key_value_heads\":4, \"intermediate_size\":18432, "
	"\"vocab_size\":49152, \"max_position_embeddings\":16384, \"sliding_window\":4096, "
	"\"torch_dtype\":\"bfloat16\", \"use_bias\":true, \"tie_word_embeddings\":true}",
	"")
KNOWN("bigcode/starcoder2-15b", "",
	0, 15957889024, SEEN,
	"{\"architectures\":[\"Starcoder2ForCausalLM\"], \"model_type\":\"starcoder2\", \"hidden_size\":6144, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":48, \"num_key_value_heads\":4, \"intermediate_size\":24576, "
	"\"vocab_size\":49152, \"max_position_embeddings\":16384, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"float32\", \"use_bias\":true, \"sliding_window\":4096}",
	"")
KNOWN("facebook/opt-125m", "",
	125239296, 125239296, DERIVED,
	"{\"architectures\":[\"OPTForCausalLM\"], \"model_type\":\"opt\", \"hidden_size\":768, "
	"\"num_hidden_layers\":12, \"num_attention_heads\":12, \"ffn_dim\":3072, \"vocab_size\":50272, "
	"\"max_position_embeddings\":2048, \"word_embed_proj_dim\":768, \"torch_dtype\":\"float16\"}",
	"")
KNOWN("facebook/opt-1.3b", "",
	0, 1315758080, DERIVED,
	"{\"architectures\":[\"OPTForCausalLM\"], \"model_type\":\"opt\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":24, \"num_attention_heads\":32, \"ffn_dim\":8192, \"vocab_size\":50272, "
	"\"max_position_embeddings\":2048, \"word_embed_proj_dim\":2048, \"torch_dtype\":\"float16\"}",
	"")
KNOWN("facebook/opt-2.7b", "",
	0, 2651596800, DERIVED,
	"{\"architectures\":[\"OPTForCausalLM\"], \"model_type\":\"opt\", \"hidden_size\":2560, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"ffn_dim\":10240, \"vocab_size\":50272, "
	"\"max_position_embeddings\":2048, \"word_embed_proj_dim\":2560, \"torch_dtype\":\"float16\"}",
	"")
KNOWN("facebook/opt-6.7b", "",
	0, 6658473984, DERIVED,
	"{\"architectures\":[\"OPTForCausalLM\"], \"model_type\":\"opt\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"ffn_dim\":16384, \"vocab_size\":50272, "
	"\"max_position_embeddings\":2048, \"word_embed_proj_dim\":4096, \"torch_dtype\":\"float16\"}",
	"")
KNOWN("facebook/opt-13b", "",
	0, 12853473280, DERIVED,
	"{\"architectures\":[\"OPTForCausalLM\"], \"model_type\":\"opt\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":40, \"ffn_dim\":20480, \"vocab_size\":50272, "
	"\"max_position_embeddings\":2048, \"word_embed_proj_dim\":5120, \"torch_dtype\":\"float16\"}",
	"")
KNOWN("facebook/opt-30b", "",
	0, 29974540288, DERIVED,
	"{\"architectures\":[\"OPTForCausalLM\"], \"model_type\":\"opt\", \"hidden_size\":7168, "
	"\"num_hidden_layers\":48, \"num_attention_heads\":56, \"ffn_dim\":28672, \"vocab_size\":50272, "
	"\"max_position_embeddings\":2048, \"word_embed_proj_dim\":7168, \"torch_dtype\":\"float16\"}",
	"")
KNOWN("facebook/opt-66b", "",
	0, 65719701504, DERIVED,
	"{\"architectures\":[\"OPTForCausalLM\"], \"model_type\":\"opt\", \"hidden_size\":9216, "
	"\"num_hidden_layers\":64, \"num_attention_heads\":72, \"ffn_dim\":36864, \"vocab_size\":50272, "
	"\"max_position_embeddings\":2048, \"word_embed_proj_dim\":9216, \"torch_dtype\":\"float16\"}",
	"")
KNOWN("openai-community/gpt2", "gpt2",
	0, 124439808, SEEN,
	"{\"architectures\":[\"GPT2LMHeadModel\"], \"model_type\":\"gpt2\", \"n_embd\":768, \"n_layer\":12, "
	"\"n_head\":12, \"n_positions\":1024, \"vocab_size\":50257}",
	"")
KNOWN("openai-community/gpt2-medium", "gpt2-medium",
	0, 354823168, DERIVED,
	"{\"architectures\":[\"GPT2LMHeadModel\"], \"model_type\":\"gpt2\", \"n_embd\":1024, \"n_layer\":24, "
	"\"n_head\":16, \"n_positions\":1024, \"vocab_size\":50257}",
	"")
KNOWN("openai-community/gpt2-large", "gpt2-large",
	0, 774030080, DERIVED,
	"{\"architectures\":[\"GPT2LMHeadModel\"], \"model_type\":\"gpt2\", \"n_embd\":1280, \"n_layer\":36, "
	"\"n_head\":20, \"n_positions\":1024, \"vocab_size\":50257}",
	"")
KNOWN("openai-community/gpt2-xl", "gpt2-xl",
	0, 1557611200, DERIVED,
	"{\"architectures\":[\"GPT2LMHeadModel\"], \"model_type\":\"gpt2\", \"n_embd\":1600, \"n_layer\":48, "
	"\"n_head\":25, \"n_positions\":1024, \"vocab_size\":50257}",
	"")
KNOWN("EleutherAI/gpt-j-6b", "",
	0, 6050882784, SEEN,
	"{\"architectures\":[\"GPTJForCausalLM\"], \"model_type\":\"gptj\", \"vocab_size\":50400, "
	"\"tie_word_embeddings\":false, \"n_embd\":4096, \"n_layer\":28, \"n_head\":16, \"n_inner\":null, "
	"\"n_positions\":2048}",
	"")
KNOWN("EleutherAI/pythia-160m", "EleutherAI/pythia-160m-deduped",
	162322944, 162322944, DERIVED,
	"{\"architectures\":[\"GPTNeoXForCausalLM\"], \"model_type\":\"gpt_neox\", \"hidden_size\":768, "
	"\"num_hidden_layers\":12, \"num_attention_heads\":12, \"intermediate_size\":3072, \"vocab_size\":50304, "
	"\"max_position_embeddings\":2048, \"tie_word_embeddings\":false, \"torch_dtype\":\"float16\"}",
	"")
KNOWN("EleutherAI/pythia-410m", "EleutherAI/pythia-410m-deduped",
	405334016, 405334016, DERIVED,
	"{\"architectures\":[\"GPTNeoXForCausalLM\"], \"model_type\":\"gpt_neox\", \"hidden_size\":1024, "
	"\"num_hidden_layers\":24, \"num_attention_heads\":16, \"intermediate_size\":4096, \"vocab_size\":50304, "
	"\"max_position_embeddings\":2048, \"tie_word_embeddings\":false, \"torch_dtype\":\"float16\"}",
	"")
KNOWN("EleutherAI/pythia-1b", "EleutherAI/pythia-1b-deduped",
	1011781632, 1011781632, DERIVED,
	"{\"architectures\":[\"GPTNeoXForCausalLM\"], \"model_type\":\"gpt_neox\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":16, \"num_attention_heads\":8, \"intermediate_size\":8192, \"vocab_size\":50304, "
	"\"max_position_embeddings\":2048, \"tie_word_embeddings\":false, \"torch_dtype\":\"float16\"}",
	"")
KNOWN("EleutherAI/pythia-1.4b", "EleutherAI/pythia-1.4b-deduped",
	1414647808, 1414647808, DERIVED,
	"{\"architectures\":[\"GPTNeoXForCausalLM\"], \"model_type\":\"gpt_neox\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":24, \"num_attention_heads\":16, \"intermediate_size\":8192, \"vocab_size\":50304, "
	"\"max_position_embeddings\":2048, \"tie_word_embeddings\":false, \"torch_dtype\":\"float16\"}",
	"")
KNOWN("EleutherAI/pythia-2.8b", "EleutherAI/pythia-2.8b-deduped",
	2775208960, 2775208960, DERIVED,
	"{\"architectures\":[\"GPTNeoXForCausalLM\"], \"model_type\":\"gpt_neox\", \"hidden_size\":2560, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"intermediate_size\":10240, \"vocab_size\":50304, "
	"\"max_position_embeddings\":2048, \"tie_word_embeddings\":false, \"torch_dtype\":\"float16\"}",
	"")
KNOWN("EleutherAI/pythia-6.9b", "EleutherAI/pythia-6.9b-deduped",
	6857302016, 6857302016, DERIVED,
	"{\"architectures\":[\"GPTNeoXForCausalLM\"], \"model_type\":\"gpt_neox\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"intermediate_size\":16384, \"vocab_size\":50432, "
	"\"max_position_embeddings\":2048, \"tie_word_embeddings\":false, \"torch_dtype\":\"float16\"}",
	"")
KNOWN("EleutherAI/pythia-12b", "EleutherAI/pythia-12b-deduped",
	11846072320, 11846072320, DERIVED,
	"{\"architectures\":[\"GPTNeoXForCausalLM\"], \"model_type\":\"gpt_neox\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":36, \"num_attention_heads\":40, \"intermediate_size\":20480, \"vocab_size\":50688, "
	"\"max_position_embeddings\":2048, \"tie_word_embeddings\":false, \"torch_dtype\":\"float16\"}",
	"")
KNOWN("EleutherAI/gpt-neox-20b", "",
	0, 20554567680, DERIVED,
	"{\"architectures\":[\"GPTNeoXForCausalLM\"], \"model_type\":\"gpt_neox\", \"hidden_size\":6144, "
	"\"num_hidden_layers\":44, \"num_attention_heads\":64, \"intermediate_size\":24576, \"vocab_size\":50432, "
	"\"max_position_embeddings\":2048, \"tie_word_embeddings\":false}",
	"")
KNOWN("bigscience/bloom-560m", "bigscience/bloomz-560m",
	559214592, 559214592, DERIVED,
	"{\"architectures\":[\"BloomForCausalLM\"], \"model_type\":\"bloom\", \"hidden_size\":1024, \"n_layer\":24, "
	"\"n_head\":16, \"vocab_size\":250880}",
	"")
KNOWN("bigscience/bloom-7b1", "bigscience/bloomz-7b1",
	0, 7069016064, DERIVED,
	"{\"architectures\":[\"BloomForCausalLM\"], \"model_type\":\"bloom\", \"hidden_size\":4096, \"n_layer\":30, "
	"\"n_head\":32, \"vocab_size\":250880}",
	"")
KNOWN("bigscience/bloom", "",
	176247271424, 176247271424, DERIVED,
	"{\"architectures\":[\"BloomForCausalLM\"], \"model_type\":\"bloom\", \"hidden_size\":14336, \"n_layer\":70, "
	"\"n_head\":112, \"vocab_size\":250880}",
	"")
KNOWN("allenai/OLMo-2-1124-7B", "",
	0, 7298617344, SEEN,
	"{\"architectures\":[\"Olmo2ForCausalLM\"], \"model_type\":\"olmo2\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":32, \"intermediate_size\":11008,"
	" \"vocab_size\":100352, \"max_position_embeddings\":4096, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"float32\"}",
	"")
KNOWN("allenai/OLMo-2-1124-7B-Instruct", "",
	7298617344, 7298617344, DERIVED,
	"{\"architectures\":[\"Olmo2ForCausalLM\"], \"model_type\":\"olmo2\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":32, \"intermediate_size\":11008,"
	" \"vocab_size\":100352, \"max_position_embeddings\":4096, \"tie_word_embeddings\":false}",
	"")
KNOWN("allenai/OLMo-2-1124-13B-Instruct", "",
	0, 13716198400, DERIVED,
	"{\"architectures\":[\"Olmo2ForCausalLM\"], \"model_type\":\"olmo2\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":40, \"num_key_value_heads\":40, \"intermediate_size\":13824,"
	" \"vocab_size\":100352, \"max_position_embeddings\":4096, \"tie_word_embeddings\":false}",
	"")
KNOWN("allenai/OLMo-2-0325-32B-Instruct", "",
	32234279936, 32234279936, DERIVED,
	"{\"architectures\":[\"Olmo2ForCausalLM\"], \"model_type\":\"olmo2\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":64, \"num_attention_heads\":40, \"num_key_value_heads\":8, \"intermediate_size\":27648, "
	"\"vocab_size\":100352, \"max_position_embeddings\":4096, \"tie_word_embeddings\":false}",
	"")
KNOWN("allenai/OLMo-2-0425-1B-Instruct", "allenai/OLMo-2-0425-1B",
	1484916736, 1484916736, DERIVED,
	"{\"architectures\":[\"Olmo2ForCausalLM\"], \"model_type\":\"olmo2\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":16, \"num_attention_heads\":16, \"num_key_value_heads\":16, \"intermediate_size\":8192, "
	"\"vocab_size\":100352, \"max_position_embeddings\":4096, \"tie_word_embeddings\":false}",
	"")
KNOWN("allenai/Olmo-3-7B-Instruct", "allenai/Olmo-3-7B-Think",
	7298011136, 7298011136, DERIVED,
	"{\"architectures\":[\"Olmo3ForCausalLM\"], \"model_type\":\"olmo3\", \"vocab_size\":100278, "
	"\"max_position_embeddings\":65536, \"sliding_window\":4096, \"tie_word_embeddings\":false, "
	"\"rope_scaling\":{\"factor\":8.0, \"original_max_position_embeddings\":8192, \"rope_type\":\"yarn\"}, "
	"\"hidden_size\":4096, \"num_hidden_layers\":32, \"num_attention_heads\":32, \"num_key_value_heads\":32, "
	"\"intermediate_size\":11008, \"layer_types\":[\"sliding_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"full_attention\", \"sliding_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"full_attention\", \"sliding_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"full_attention\", \"sliding_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"full_attention\", \"sliding_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"full_attention\", \"sliding_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"full_attention\", \"sliding_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"full_attention\", \"sliding_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"full_attention\"]}",
	"")
KNOWN("allenai/Olmo-3.1-32B-Instruct", "",
	0, 32233522176, SEEN,
	"{\"architectures\":[\"Olmo3ForCausalLM\"], \"model_type\":\"olmo3\", \"vocab_size\":100278, "
	"\"max_position_embeddings\":65536, \"sliding_window\":4096, \"tie_word_embeddings\":false, "
	"\"rope_scaling\":{\"factor\":8.0, \"original_max_position_embeddings\":8192, \"rope_type\":\"yarn\"}, "
	"\"dtype\":\"bfloat16\", \"hidden_size\":5120, \"num_hidden_layers\":64, \"num_attention_heads\":40, "
	"\"num_key_value_heads\":8, \"intermediate_size\":27648, \"layer_types\":[\"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"full_attention\"]}",
	"")
KNOWN("ibm-granite/granite-3.3-8b-instruct", "",
	8170864640, 8170864640, SEEN,
	"{\"architectures\":[\"GraniteForCausalLM\"], \"model_type\":\"granite\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":12800, "
	"\"vocab_size\":49159, \"max_position_embeddings\":131072, \"tie_word_embeddings\":true, "
	"\"torch_dtype\":\"bfloat16\", \"rope_scaling\":null}",
	"")
KNOWN("ibm-granite/granite-3.1-8b-instruct", "",
	0, 8170848256, DERIVED,
	"{\"architectures\":[\"GraniteForCausalLM\"], \"model_type\":\"granite\", \"hidden_size\":4096, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":12800, "
	"\"vocab_size\":49155, \"max_position_embeddings\":131072, \"tie_word_embeddings\":true, "
	"\"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("ibm-granite/granite-3.1-2b-instruct", "ibm-granite/granite-3.1-2b-base",
	0, 2533531648, DERIVED,
	"{\"architectures\":[\"GraniteForCausalLM\"], \"model_type\":\"granite\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":8192, "
	"\"vocab_size\":49155, \"max_position_embeddings\":131072, \"tie_word_embeddings\":true, "
	"\"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("ibm-granite/granite-3.3-2b-instruct", "",
	2533539840, 2533539840, DERIVED,
	"{\"architectures\":[\"GraniteForCausalLM\"], \"model_type\":\"granite\", \"hidden_size\":2048, "
	"\"num_hidden_layers\":40, \"num_attention_heads\":32, \"num_key_value_heads\":8, \"intermediate_size\":8192, "
	"\"vocab_size\":49159, \"max_position_embeddings\":131072, \"tie_word_embeddings\":true, "
	"\"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("nvidia/Llama-3_3-Nemotron-Super-49B-v1", "",
	49867145216, 0, SEEN,
	"{\"architectures\":[\"DeciLMForCausalLM\"], \"model_type\":\"nemotron-nas\", \"hidden_size\":8192, "
	"\"num_hidden_layers\":80, \"num_attention_heads\":64, \"num_key_value_heads\":null, "
	"\"intermediate_size\":null, \"vocab_size\":128256, \"max_position_embeddings\":131072, "
	"\"rope_scaling\":{\"factor\":8.0, \"high_freq_factor\":4.0, \"low_freq_factor\":1.0, "
	"\"original_max_position_embeddings\":8192, \"rope_type\":\"llama3\"}, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"attention_bias\":false}",
	"")
KNOWN("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "",
	31577937344, 0, SEEN,
	"{\"architectures\":[\"NemotronHForCausalLM\"], \"model_type\":\"nemotron_h\", \"hidden_size\":2688, "
	"\"num_hidden_layers\":52, \"num_attention_heads\":32, \"num_key_value_heads\":2, \"head_dim\":128, "
	"\"intermediate_size\":1856, \"vocab_size\":131072, \"max_position_embeddings\":262144, "
	"\"sliding_window\":null, \"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\", "
	"\"n_routed_experts\":128, \"num_experts_per_tok\":6, \"moe_intermediate_size\":1856, \"n_shared_experts\":1, "
	"\"attention_bias\":false, "
	"\"hybrid_override_pattern\":\"MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME\", \"mamba_num_heads\":64, "
	"\"ssm_state_size\":128, \"use_bias\":false, \"mamba_head_dim\":64, \"n_groups\":8, \"conv_kernel\":4, "
	"\"moe_shared_expert_intermediate_size\":3712, \"mamba_ssm_cache_dtype\":\"float32\"}",
	"")
KNOWN("moonshotai/Kimi-K2-Instruct", "",
	1026408235864, 1026408232448, SEEN,
	"{\"architectures\":[\"DeepseekV3ForCausalLM\"], \"model_type\":\"kimi_k2\", \"hidden_size\":7168, "
	"\"num_hidden_layers\":61, \"num_attention_heads\":64, \"num_key_value_heads\":64, \"intermediate_size\":18432,"
	" \"vocab_size\":163840, \"max_position_embeddings\":131072, \"rope_scaling\":{\"beta_fast\":1.0, "
	"\"beta_slow\":1.0, \"factor\":32.0, \"mscale\":1.0, \"mscale_all_dim\":1.0, "
	"\"original_max_position_embeddings\":4096, \"type\":\"yarn\"}, \"tie_word_embeddings\":false, "
	"\"torch_dtype\":\"bfloat16\", \"n_routed_experts\":384, \"num_experts_per_tok\":8, "
	"\"moe_intermediate_size\":2048, \"n_shared_experts\":1, \"first_k_dense_replace\":1, \"moe_layer_freq\":1, "
	"\"q_lora_rank\":1536, \"kv_lora_rank\":512, \"qk_rope_head_dim\":64, \"qk_nope_head_dim\":128, "
	"\"v_head_dim\":128, \"quantization_config\":{\"activation_scheme\":\"dynamic\", \"fmt\":\"e4m3\", "
	"\"quant_method\":\"fp8\", \"weight_block_size\":[128, 128]}, \"attention_bias\":false, "
	"\"num_nextn_predict_layers\":0}",
	"")
KNOWN("moonshotai/Kimi-K2.5", "",
	1058589420528, 1026408232448, SEEN,
	"{\"architectures\":[\"KimiK25ForConditionalGeneration\"], \"model_type\":\"kimi_k25\", "
	"\"tie_word_embeddings\":false, \"dtype\":\"bfloat16\", "
	"\"text_config\":{\"architectures\":[\"DeepseekV3ForCausalLM\"], \"model_type\":\"kimi_k2\", "
	"\"hidden_size\":7168, \"num_hidden_layers\":61, \"num_attention_heads\":64, \"num_key_value_heads\":64, "
	"\"intermediate_size\":18432, \"vocab_size\":163840, \"max_position_embeddings\":262144, "
	"\"rope_scaling\":{\"beta_fast\":32.0, \"beta_slow\":1.0, \"factor\":64.0, \"mscale\":1.0, "
	"\"mscale_all_dim\":1.0, \"original_max_position_embeddings\":4096, \"type\":\"yarn\"}, "
	"\"tie_word_embeddings\":false, \"dtype\":\"bfloat16\", \"n_routed_experts\":384, \"num_experts_per_tok\":8, "
	"\"moe_intermediate_size\":2048, \"n_shared_experts\":1, \"first_k_dense_replace\":1, \"moe_layer_freq\":1, "
	"\"q_lora_rank\":1536, \"kv_lora_rank\":512, \"qk_rope_head_dim\":64, \"qk_nope_head_dim\":128, "
	"\"v_head_dim\":128, \"quantization_config\":{\"config_groups\":{\"group_0\":{\"input_activations\":null, "
	"\"output_activations\":null, \"targets\":[\"Linear\"], \"weights\":{\"actorder\":null, "
	"\"block_structure\":null, \"dynamic\":false, \"group_size\":32, \"num_bits\":4, \"observer\":\"minmax\", "
	"\"observer_kwargs\":{}, \"strategy\":\"group\", \"symmetric\":true, \"type\":\"int\"}}}, "
	"\"format\":\"pack-quantized\", \"ignore\":[\"lm_head\", \"re:.*self_attn.*\", \"re:.*shared_experts.*\", "
	"\"re:.*mlp\\\\.(gate|up|gate_up|down)_proj.*\"], \"kv_cache_scheme\":null, "
	"\"quant_method\":\"compressed-tensors\", \"quantization_status\":\"compressed\"}, \"attention_bias\":false, "
	"\"num_nextn_predict_layers\":0}, \"vision_config\":{\"patch_size\":14}}",
	"")
KNOWN("MiniMaxAI/MiniMax-M2.5", "MiniMaxAI/MiniMax-M2 MiniMaxAI/MiniMax-M2.1",
	228703644928, 228689764864, SEEN,
	"{\"architectures\":[\"MiniMaxM2ForCausalLM\"], \"model_type\":\"minimax_m2\", \"hidden_size\":3072, "
	"\"num_hidden_layers\":62, \"num_attention_heads\":48, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":1536, \"vocab_size\":200064, \"max_position_embeddings\":196608, "
	"\"tie_word_embeddings\":false, \"num_local_experts\":256, \"num_experts_per_tok\":8, "
	"\"shared_intermediate_size\":0, \"quantization_config\":{\"quant_method\":\"fp8\", \"fmt\":\"float8_e4m3fn\", "
	"\"activation_scheme\":\"dynamic\", \"weight_block_size\":[128, 128], \"modules_to_not_convert\":[\"gate\", "
	"\"e_score_correction_bias\", \"lm_head\"]}, \"use_qk_norm\":true, \"num_mtp_modules\":3}",
	"")
KNOWN("LGAI-EXAONE/EXAONE-4.0-32B", "",
	0, 32003216384, SEEN,
	"{\"architectures\":[\"Exaone4ForCausalLM\"], \"model_type\":\"exaone4\", \"hidden_size\":5120, "
	"\"num_hidden_layers\":64, \"num_attention_heads\":40, \"num_key_value_heads\":8, \"head_dim\":128, "
	"\"intermediate_size\":27392, \"vocab_size\":102400, \"max_position_embeddings\":131072, "
	"\"rope_scaling\":{\"factor\":16.0, \"high_freq_factor\":4.0, \"low_freq_factor\":1.0, "
	"\"original_max_position_embeddings\":8192, \"rope_type\":\"llama3\"}, \"sliding_window\":4096, "
	"\"layer_types\":[\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"full_attention\", "
	"\"sliding_attention\", \"sliding_attention\", \"sliding_attention\", \"full_attention\"], "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"bfloat16\"}",
	"")
KNOWN("llava-hf/llava-1.5-7b-hf", "",
	0, 6738939904, SEEN,
	"{\"architectures\":[\"LlavaForConditionalGeneration\"], \"model_type\":\"llava\", \"vocab_size\":32064, "
	"\"tie_word_embeddings\":false, \"torch_dtype\":\"float16\", "
	"\"text_config\":{\"architectures\":[\"LlamaForCausalLM\"], \"model_type\":\"llama\", \"vocab_size\":32064, "
	"\"max_position_embeddings\":4096, \"torch_dtype\":\"float16\"}, "
	"\"vision_config\":{\"model_type\":\"clip_vision_model\", \"hidden_size\":1024, \"num_hidden_layers\":24, "
	"\"intermediate_size\":4096, \"num_attention_heads\":16, \"patch_size\":14}}",
	"")
KNOWN("BAAI/bge-large-en-v1.5", "",
	335142400, 335141888, DERIVED,
	"{\"architectures\":[\"BertModel\"], \"model_type\":\"bert\", \"hidden_size\":1024, \"num_hidden_layers\":24, "
	"\"num_attention_heads\":16, \"intermediate_size\":4096, \"vocab_size\":30522, \"max_position_embeddings\":512,"
	" \"type_vocab_size\":2}",
	"")
KNOWN("BAAI/bge-base-en-v1.5", "",
	109482752, 109482240, DERIVED,
	"{\"architectures\":[\"BertModel\"], \"model_type\":\"bert\", \"hidden_size\":768, \"num_hidden_layers\":12, "
	"\"num_attention_heads\":12, \"intermediate_size\":3072, \"vocab_size\":30522, \"max_position_embeddings\":512,"
	" \"type_vocab_size\":2}",
	"")
KNOWN("BAAI/bge-small-en-v1.5", "",
	33360512, 33360000, DERIVED,
	"{\"architectures\":[\"BertModel\"], \"model_type\":\"bert\", \"hidden_size\":384, \"num_hidden_layers\":12, "
	"\"num_attention_heads\":12, \"intermediate_size\":1536, \"vocab_size\":30522, \"max_position_embeddings\":512,"
	" \"type_vocab_size\":2}",
	"")
KNOWN("BAAI/bge-m3", "",
	0, 567754752, SEEN,
	"{\"architectures\":[\"XLMRobertaModel\"], \"model_type\":\"xlm-roberta\", \"hidden_size\":1024, "
	"\"num_hidden_layers\":24, \"num_attention_heads\":16, \"intermediate_size\":4096, \"vocab_size\":250002, "
	"\"max_position_embeddings\":8194, \"type_vocab_size\":1, \"torch_dtype\":\"float32\"}",
	"")
KNOWN("BAAI/bge-reranker-v2-m3", "",
	567755777, 567754752, SEEN,
	"{\"architectures\":[\"XLMRobertaForSequenceClassification\"], \"model_type\":\"xlm-roberta\", "
	"\"hidden_size\":1024, \"num_hidden_layers\":24, \"num_attention_heads\":16, \"intermediate_size\":4096, "
	"\"vocab_size\":250002, \"max_position_embeddings\":8194, \"type_vocab_size\":1, \"torch_dtype\":\"float32\"}",
	"")
KNOWN("intfloat/multilingual-e5-large-instruct", "",
	559890432, 559890432, DERIVED,
	"{\"architectures\":[\"XLMRobertaModel\"], \"model_type\":\"xlm-roberta\", \"hidden_size\":1024, "
	"\"num_hidden_layers\":24, \"num_attention_heads\":16, \"intermediate_size\":4096, \"vocab_size\":250002, "
	"\"max_position_embeddings\":514, \"type_vocab_size\":1}",
	"")
KNOWN("intfloat/multilingual-e5-base", "",
	278044162, 278043648, DERIVED,
	"{\"architectures\":[\"XLMRobertaModel\"], \"model_type\":\"xlm-roberta\", \"hidden_size\":768, "
	"\"num_hidden_layers\":12, \"num_attention_heads\":12, \"intermediate_size\":3072, \"vocab_size\":250002, "
	"\"max_position_embeddings\":514, \"type_vocab_size\":1}",
	"")
KNOWN("Snowflake/snowflake-arctic-embed-m", "",
	0, 109482240, SEEN,
	"{\"architectures\":[\"BertModel\"], \"model_type\":\"bert\", \"hidden_size\":768, \"num_hidden_layers\":12, "
	"\"num_attention_heads\":12, \"intermediate_size\":3072, \"vocab_size\":30522, \"max_position_embeddings\":512,"
	" \"torch_dtype\":\"float32\", \"type_vocab_size\":2}",
	"")
