/*
 * The routes of profllm-sim: ROUTE(method, path, handler). Its log lists them in this order, like vLLM's,
 * and /metrics has counters for each.
 */
ROUTE("GET", "/health", show_health)
ROUTE("GET", "/ping", answer_empty)
ROUTE("POST", "/ping", answer_empty)
ROUTE("GET", "/version", show_version)
ROUTE("GET", "/load", show_load)
ROUTE("GET", "/metrics", show_metrics)
ROUTE("GET", "/server_info", sim_show_server_info)
ROUTE("GET", "/v1/models", sim_list_models)
ROUTE("POST", "/v1/completions", sim_job_completions)
ROUTE("POST", "/v1/chat/completions", sim_job_chat)
ROUTE("POST", "/v1/responses", sim_job_responses)
ROUTE("POST", "/tokenize", sim_tokenize)
ROUTE("POST", "/detokenize", sim_detokenize)
ROUTE("GET", "/tokenizer_info", sim_tokenizer_info)
ROUTE("POST", "/reset_prefix_cache", reset_prefix_cache)
ROUTE("POST", "/reset_mm_cache", reset_mm_cache)
ROUTE("POST", "/reset_encoder_cache", reset_encoder_cache)
ROUTE("POST", "/sleep", sim_sleep)
ROUTE("POST", "/wake_up", sim_wake_up)
ROUTE("GET", "/is_sleeping", sim_is_sleeping)
ROUTE("POST", "/start_profile", sim_start_profile)
ROUTE("POST", "/stop_profile", sim_stop_profile)

#undef ROUTE
