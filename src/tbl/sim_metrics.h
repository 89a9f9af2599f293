/*
 * Histograms of the simulator's /metrics, under the names and with the bounds of vLLM's.
 *
 * HISTOGRAM(id, family, bounds, help)
 */
HISTOGRAM(PROMPT_TOKENS, "vllm:request_prompt_tokens", counts, "Tokens of a request's prompt.")
HISTOGRAM(GENERATION_TOKENS, "vllm:request_generation_tokens", counts,
	  "Tokens generated per request.")
HISTOGRAM(ITERATION_TOKENS, "vllm:iteration_tokens_total", powers, "Tokens computed by one step.")
HISTOGRAM(MAX_GENERATION_TOKENS, "vllm:request_max_num_generation_tokens", counts,
	  "Largest number of tokens generated in one choice of a request.")
HISTOGRAM(PARAMS_N, "vllm:request_params_n", few, "Requested choices.")
HISTOGRAM(PARAMS_MAX_TOKENS, "vllm:request_params_max_tokens", counts, "Requested token limit.")
HISTOGRAM(TTFT, "vllm:time_to_first_token_seconds", first, "Arrival to first token.")
HISTOGRAM(ITL, "vllm:inter_token_latency_seconds", gaps, "Between neighbouring tokens.")
HISTOGRAM(TPOT, "vllm:request_time_per_output_token_seconds", gaps,
	  "A request's mean time per token after the first.")
HISTOGRAM(E2E, "vllm:e2e_request_latency_seconds", whole, "Arrival to last token.")
HISTOGRAM(QUEUE, "vllm:request_queue_time_seconds", whole, "Arrival to the first step.")
HISTOGRAM(INFERENCE, "vllm:request_inference_time_seconds", whole, "First step to last token.")
HISTOGRAM(PREFILL, "vllm:request_prefill_time_seconds", whole, "First step to first token.")
HISTOGRAM(DECODE, "vllm:request_decode_time_seconds", whole, "First token to last token.")
HISTOGRAM(PREEMPTIONS, "vllm:request_num_preemptions", preempted,
	  "How often a request lost its place.")
HISTOGRAM(PREFILL_COMPUTED, "vllm:request_prefill_kv_computed_tokens", counts,
	  "Prompt tokens computed, excluding cached tokens.")

#undef HISTOGRAM
