/*
 * The routes of profllm-sim: ROUTE(method, path, handler, model). Its log lists them in this order, like vLLM's,
 * and /metrics has counters for each.
 *   model  ANY, or the kind of model that it is for: GENERATES, POOLS; 404 for the other kind
 */
ROUTE("GET", "/health", show_health, ANY)
ROUTE("GET", "/ping", answer_empty, ANY)
ROUTE("POST", "/ping", answer_empty, ANY)
ROUTE("GET", "/version", show_version, ANY)
ROUTE("GET", "/load", show_load, ANY)
ROUTE("GET", "/metrics", show_metrics, ANY)
ROUTE("GET", "/server_info", sim_show_server_info, ANY)
ROUTE("GET", "/v1/models", sim_list_models, ANY)
ROUTE("POST", "/v1/completions", sim_job_completions, GENERATES)
ROUTE("POST", "/v1/chat/completions", sim_job_chat, GENERATES)
ROUTE("POST", "/v1/responses", sim_job_responses, GENERATES)
ROUTE("POST", "/v1/audio/transcriptions", sim_job_transcribe, GENERATES)
ROUTE("POST", "/v1/audio/translations", sim_job_translate, GENERATES)
ROUTE("POST", "/v1/embeddings", sim_job_embeddings, POOLS)
ROUTE("POST", "/embeddings", sim_job_infinity, POOLS)
ROUTE("POST", "/pooling", sim_job_pooling, POOLS)
ROUTE("POST", "/score", sim_job_score, POOLS)
ROUTE("POST", "/v1/score", sim_job_score, POOLS)
ROUTE("POST", "/rerank", sim_job_rerank, POOLS)
ROUTE("POST", "/v1/rerank", sim_job_rerank, POOLS)
ROUTE("POST", "/v2/rerank", sim_job_rerank, POOLS)
ROUTE("POST", "/tokenize", sim_tokenize, ANY)
ROUTE("POST", "/detokenize", sim_detokenize, ANY)
ROUTE("GET", "/tokenizer_info", sim_tokenizer_info, ANY)
ROUTE("POST", "/reset_prefix_cache", reset_prefix_cache, ANY)
ROUTE("POST", "/reset_mm_cache", reset_mm_cache, ANY)
ROUTE("POST", "/reset_encoder_cache", reset_encoder_cache, ANY)
ROUTE("POST", "/sleep", sim_sleep, ANY)
ROUTE("POST", "/wake_up", sim_wake_up, ANY)
ROUTE("GET", "/is_sleeping", sim_is_sleeping, ANY)
ROUTE("POST", "/start_profile", sim_start_profile, ANY)
ROUTE("POST", "/stop_profile", sim_stop_profile, ANY)

#undef ROUTE
