/*
 * The protocols that requests are sent in: the values of `backend`, in vLLM's order. Choices, checks, planning, help,
 * the command line of vLLM's client and the generator's table of adapters are made from these rows
 * (experiment/kinds.h, bench/adapters/adapter.c).
 *
 * BACKEND(id, name, state, endpoint, suffix, traits)
 *   state     NOW: bench_adapter_ID of src/bench/adapters/ speaks it; LATER: only vLLM's own client does;
 *             INNER: ours, to measure our own overhead, not available to users
 *   endpoint  the default path of requests
 *   suffix    required end of a path set by the user; NULL: not checked
 *   traits    of enum exp_backend_trait
 * Undefined again at the end.
 */
BACKEND(vllm, "vllm", NOW, "/v1/completions", "completions", EXP_BACKEND_TAKES_IDS)
BACKEND(openai, "openai", NOW, "/v1/completions", "completions", EXP_BACKEND_TAKES_IDS)
BACKEND(openai_chat, "openai-chat", NOW, "/v1/chat/completions", "chat/completions",
	EXP_BACKEND_CHAT | EXP_BACKEND_MEDIA | EXP_BACKEND_AUDIO | EXP_BACKEND_TOOLS)
BACKEND(openai_responses, "openai-responses", NOW, "/v1/responses", "responses", 0)
BACKEND(openai_audio, "openai-audio", NOW, "/v1/audio/transcriptions", NULL,
	EXP_BACKEND_AUDIO | EXP_BACKEND_FORM)
BACKEND(openai_embeddings, "openai-embeddings", NOW, "/v1/embeddings", "embeddings",
	EXP_BACKEND_POOLS | EXP_BACKEND_TAKES_IDS | EXP_BACKEND_LISTS)
BACKEND(openai_embeddings_chat, "openai-embeddings-chat", NOW, "/v1/embeddings", "embeddings",
	EXP_BACKEND_POOLS | EXP_BACKEND_MEDIA)
BACKEND(openai_embeddings_clip, "openai-embeddings-clip", NOW, "/v1/embeddings", "embeddings",
	EXP_BACKEND_POOLS | EXP_BACKEND_MEDIA | EXP_BACKEND_OF_MEDIA)
BACKEND(openai_embeddings_vlm2vec, "openai-embeddings-vlm2vec", NOW, "/v1/embeddings", "embeddings",
	EXP_BACKEND_POOLS | EXP_BACKEND_MEDIA | EXP_BACKEND_OF_MEDIA)
BACKEND(infinity_embeddings, "infinity-embeddings", NOW, "/embeddings", "embeddings",
	EXP_BACKEND_POOLS | EXP_BACKEND_LISTS)
BACKEND(infinity_embeddings_clip, "infinity-embeddings-clip", NOW, "/embeddings", "embeddings",
	EXP_BACKEND_POOLS | EXP_BACKEND_LISTS | EXP_BACKEND_MEDIA | EXP_BACKEND_OF_MEDIA)
BACKEND(vllm_pooling, "vllm-pooling", NOW, "/pooling", "pooling",
	EXP_BACKEND_POOLS | EXP_BACKEND_TAKES_IDS | EXP_BACKEND_LISTS | EXP_BACKEND_OBJECTS)
BACKEND(vllm_rerank, "vllm-rerank", NOW, "/v1/rerank", "rerank",
	EXP_BACKEND_POOLS | EXP_BACKEND_PAIRS)
BACKEND(null, "null", INNER, "/", "", EXP_BACKEND_TAKES_IDS)

#undef BACKEND
