/* ObservabilityConfig: metrics and traces. Rows: see tbl/engine_args.h. */
ARG(STRING, VALUE, CURRENT, show_hidden_metrics_for_version,
    "--show-hidden-metrics-for-version", null, -INF, INF,
    "Bring back metrics hidden since this vLLM version",
    .nullable = true)
ARG(STRING, VALUE, CURRENT, otlp_traces_endpoint, "--otlp-traces-endpoint", null, -INF, INF,
    "URL that receives OpenTelemetry traces",
    .nullable = true, .aside = true)
ARG(LIST_ENUM, LIST, CURRENT, collect_detailed_traces,
    "--collect-detailed-traces", null, -INF, INF,
    "Modules to trace in detail; costly",
    .nullable = true, .choices = ARG_JSON(["all", "model", "worker"]), .choices_origin = "flag",
    .note = "one item joined by commas means the same as a list")
ARG(ENUM, VALUE, CURRENT, per_request_spec_decode_metrics,
    "--per-request-spec-decode-metrics", "none", -INF, INF,
    "Detail of the speculative decoding statistics per request",
    .choices = ARG_JSON(["detailed", "none", "summary"]), .choices_origin = "flag")
ARG(BOOL, TOGGLE, CURRENT, kv_cache_metrics, "--kv-cache-metrics", false, -INF, INF,
    "Measure how long KV blocks live, idle and wait for reuse",
    .negative_flag = "--no-kv-cache-metrics", .note = "not with disable_log_stats")
ARG(FLOAT, VALUE, CURRENT, kv_cache_metrics_sample, "--kv-cache-metrics-sample", 0.01, 0, 1,
    "Share of KV blocks measured",
    .exclusive = "min")
ARG(BOOL, TOGGLE, CURRENT, cudagraph_metrics, "--cudagraph-metrics", false, -INF, INF,
    "Report padding and dispatch modes of CUDA graphs",
    .negative_flag = "--no-cudagraph-metrics")
ARG(BOOL, TOGGLE, CURRENT, enable_layerwise_nvtx_tracing,
    "--enable-layerwise-nvtx-tracing", false, -INF, INF,
    "Mark each layer for NVTX profilers",
    .negative_flag = "--no-enable-layerwise-nvtx-tracing",
    .negative_aliases = "--disable-layerwise-nvtx-tracing",
    .note = "does not work with CUDA graphs")
ARG(BOOL, TOGGLE, CURRENT, enable_mfu_metrics, "--enable-mfu-metrics", false, -INF, INF,
    "Report model FLOPs utilization",
    .negative_flag = "--no-enable-mfu-metrics",
    .negative_aliases = "--disable-mfu-metrics")
ARG(BOOL, TOGGLE, CURRENT, enable_logging_iteration_details,
    "--enable-logging-iteration-details", false, -INF, INF,
    "Log requests, tokens and time of each engine step",
    .negative_flag = "--no-enable-logging-iteration-details",
    .negative_aliases = "--disable-logging-iteration-details", .aside = true)
ARG(ENUM, VALUE, CURRENT, jit_monitor_mode, "--jit-monitor-mode", "warn", -INF, INF,
    "Action when a kernel is compiled while serving",
    .choices = ARG_JSON(["error", "warn"]), .choices_origin = "flag",
    .note = "meaning taken from the name")
ARG(BOOL, TOGGLE, CURRENT, jit_monitor_verbose, "--jit-monitor-verbose", false, -INF, INF,
    "Log more about kernels compiled while serving",
    .negative_flag = "--no-jit-monitor-verbose", .note = "meaning taken from the name")
ARG(JSON, VALUE, CURRENT, custom_histogram_buckets, "--custom-histogram-buckets", null, -INF, INF,
    "Bucket limits of exported histograms",
    .nullable = true)
