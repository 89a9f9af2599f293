/* SchedulerConfig: batching and request ordering. Rows: see tbl/engine_args.h. */
ARG(HUMAN_INT, VALUE, CURRENT, max_num_batched_tokens, "--max-num-batched-tokens", null, 1, INF,
    "Most tokens in one scheduler step; chosen by context when unset",
    .nullable = true, .no_null_on_cli = true)
ARG(INT, VALUE, CURRENT, max_num_seqs, "--max-num-seqs", null, 1, INF,
    "Most sequences in one scheduler step; chosen by context when unset",
    .nullable = true, .no_null_on_cli = true)
ARG(INT, VALUE, GONE, max_num_partial_prefills, "--max-num-partial-prefills", 1, 1, INF,
    "Sequences that may be partly prefilled at the same time")
ARG(INT, VALUE, GONE, max_long_partial_prefills, "--max-long-partial-prefills", 1, 1, INF,
    "Long prompts that may be partly prefilled at the same time")
ARG(LIST_INT, LIST, GONE, cuda_graph_sizes, "--cuda-graph-sizes", [], -INF, INF,
    "CUDA graph batch sizes: none, an upper bound, or an explicit list")
ARG(INT, VALUE, CURRENT, long_prefill_token_threshold,
    "--long-prefill-token-threshold", 0, 0, INF,
    "Prompts with more tokens than this count as long")
ARG(INT, VALUE, GONE, num_lookahead_slots, "--num-lookahead-slots", 0, 0, INF,
    "Slots reserved per sequence and step for speculative tokens")
ARG(FLOAT, VALUE, GONE, scheduler_delay_factor, "--scheduler-delay-factor", 0.0, 0, INF,
    "Wait this multiple of the last prompt latency before scheduling")
ARG(ENUM, VALUE, GONE, preemption_mode, "--preemption-mode", null, -INF, INF,
    "Preempt by recomputing or by swapping",
    .nullable = true, .choices = ARG_JSON(["recompute", "swap"]), .choices_origin = "flag")
ARG(ENUM, VALUE, CURRENT, scheduling_policy, "--scheduling-policy", "fcfs", -INF, INF,
    "Serve in arrival order or by request priority",
    .choices = ARG_JSON(["fcfs", "priority"]), .choices_origin = "flag")
ARG(BOOL, TOGGLE, CURRENT, enable_chunked_prefill, "--enable-chunked-prefill", null, -INF, INF,
    "Let prefills be split to fit the step's token budget",
    .negative_flag = "--no-enable-chunked-prefill",
    .negative_aliases = "--disable-chunked-prefill", .nullable = true)
ARG(BOOL, TOGGLE, CURRENT, disable_chunked_mm_input,
    "--disable-chunked-mm-input", false, -INF, INF,
    "Never split one multimodal item across prefill chunks",
    .negative_flag = "--no-disable-chunked-mm-input",
    .negative_aliases = "--enable-chunked-mm-input")
ARG(STRING, VALUE, CURRENT, scheduler_cls, "--scheduler-cls", null, -INF, INF,
    "Scheduler class by full name",
    .nullable = true)
ARG(BOOL, TOGGLE, CURRENT, disable_hybrid_kv_cache_manager,
    "--disable-hybrid-kv-cache-manager", null, -INF, INF,
    "Give every attention layer an equally sized KV cache",
    .negative_flag = "--no-disable-hybrid-kv-cache-manager",
    .negative_aliases = "--enable-hybrid-kv-cache-manager")
ARG(BOOL, TOGGLE, CURRENT, async_scheduling, "--async-scheduling", null, -INF, INF,
    "Schedule ahead of the GPU; experimental",
    .negative_flag = "--no-async-scheduling")
ARG(HUMAN_INT, VALUE, CURRENT, max_num_scheduled_tokens,
    "--max-num-scheduled-tokens", null, 1, INF,
    "Most tokens scheduled in one step",
    .nullable = true)
ARG(INT, VALUE, CURRENT, max_num_queued_reqs, "--max-num-queued-reqs", null, 1, INF,
    "Most requests waiting or running; more are refused",
    .nullable = true)
ARG(HUMAN_INT, VALUE, CURRENT, max_num_queued_tokens, "--max-num-queued-tokens", null, 1, INF,
    "Most prompt tokens waiting or running; more are refused",
    .nullable = true)
ARG(BOOL, TOGGLE, CURRENT, scheduler_reserve_full_isl,
    "--scheduler-reserve-full-isl", true, -INF, INF,
    "Admit a request only if its whole prompt fits the KV cache",
    .negative_flag = "--no-scheduler-reserve-full-isl")
ARG(FLOAT, VALUE, CURRENT, watermark, "--watermark", 0.0, 0, 1,
    "Share of KV blocks kept free when admitting requests; 0 is off",
    .exclusive = "max")
ARG(INT, VALUE, CURRENT, prefill_schedule_interval, "--prefill-schedule-interval", 1, 1, INF,
    "Steps between admissions of prefills; the steps in between decode alone")
ARG(INT, VALUE, CURRENT, stream_interval, "--stream-interval", 1, 1, INF,
    "Tokens per streamed piece; larger is cheaper, smaller is smoother")
ARG(INT, VALUE, CURRENT, max_num_active_seqs, "--max-num-active-seqs", null, -INF, INF,
    "Limit on sequences active at once",
    .nullable = true)
ARG(BOOL, TOGGLE, CURRENT, long_prefill_token_threshold_adaptive,
    "--long-prefill-token-threshold-adaptive", false, -INF, INF,
    "Adapt the long-prefill threshold to the load",
    .negative_flag = "--no-long-prefill-token-threshold-adaptive")
