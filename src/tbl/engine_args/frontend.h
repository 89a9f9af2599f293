/* Frontend: HTTP server, chat handling and logging. Rows: see tbl/engine_args.h. */
ARG(STRING, VALUE, CURRENT, host, "--host", null, -INF, INF,
    "Address to listen on",
    .nullable = true, .aside = true)
ARG(INT, VALUE, CURRENT, port, "--port", 8000, 0, 65535,
    "TCP port to listen on",
    .aside = true)
ARG(STRING, VALUE, CURRENT, uds, "--uds", null, -INF, INF,
    "Unix socket to listen on; host and port are then not used",
    .nullable = true, .aside = true)
ARG(INT, VALUE, CURRENT, data_parallel_supervisor_port,
    "--data-parallel-supervisor-port", 9256, 0, 65535,
    "Port of the joint health check with one server port per rank",
    .note = "matters only with data_parallel_multi_port_external_lb", .aside = true)
ARG(FLOAT, VALUE, CURRENT, dp_supervisor_probe_interval_s,
    "--dp-supervisor-probe-interval-s", 5.0, 0, INF,
    "Seconds between joint health checks with one server port per rank",
    .exclusive = "min")
ARG(FLOAT, VALUE, CURRENT, dp_supervisor_probe_timeout_s,
    "--dp-supervisor-probe-timeout-s", 5.0, 0, INF,
    "Seconds before a failed health check of a rank is tried again",
    .exclusive = "min")
ARG(INT, VALUE, CURRENT, dp_supervisor_probe_failure_threshold,
    "--dp-supervisor-probe-failure-threshold", 3, 1, INF,
    "Connection errors in a row before a rank counts as failed")
ARG(ENUM, VALUE, CURRENT, uvicorn_log_level, "--uvicorn-log-level", "info", -INF, INF,
    "How much the HTTP server logs",
    .choices = ARG_JSON(["critical", "debug", "error", "info", "trace", "warning"]),
    .choices_origin = "flag", .aside = true)
ARG(BOOL, TOGGLE, CURRENT, disable_uvicorn_access_log,
    "--disable-uvicorn-access-log", false, -INF, INF,
    "Do not log each HTTP request",
    .negative_flag = "--no-disable-uvicorn-access-log",
    .negative_aliases = "--enable-uvicorn-access-log", .aside = true)
ARG(STRING, VALUE, CURRENT, disable_access_log_for_endpoints,
    "--disable-access-log-for-endpoints", null, -INF, INF,
    "Paths left out of the access log, separated by commas",
    .nullable = true,
    .note = "one comma-separated value, such as /health,/metrics", .aside = true)
ARG(BOOL, TOGGLE, CURRENT, allow_credentials, "--allow-credentials", false, -INF, INF,
    "CORS: let browsers send credentials",
    .negative_flag = "--no-allow-credentials", .aside = true)
ARG(LIST_STRING, VALUE, CURRENT, allowed_origins, "--allowed-origins", [], -INF, INF,
    "CORS: origins that may call the server",
    .note = "one JSON array on the command line, such as [\"*\"]", .aside = true)
ARG(LIST_STRING, VALUE, CURRENT, allowed_methods, "--allowed-methods", ["*"], -INF, INF,
    "CORS: HTTP methods that may be used",
    .note = "one JSON array on the command line, such as [\"*\"]", .aside = true)
ARG(LIST_STRING, VALUE, CURRENT, allowed_headers, "--allowed-headers", ["*"], -INF, INF,
    "CORS: request headers that may be sent",
    .note = "one JSON array on the command line, such as [\"*\"]", .aside = true)
ARG(LIST_STRING, LIST, CURRENT, api_key, "--api-key", null, -INF, INF,
    "Keys of which a request must carry one",
    .nullable = true, .secret = true, .variable = "VLLM_API_KEY",
    .note = "secret; guards only /v1, /v2 and /inference paths, other endpoints stay open",
    .aside = true)
ARG(STRING, VALUE, CURRENT, ssl_keyfile, "--ssl-keyfile", null, -INF, INF,
    "TLS private key file",
    .nullable = true, .aside = true)
ARG(STRING, VALUE, CURRENT, ssl_certfile, "--ssl-certfile", null, -INF, INF,
    "TLS certificate file",
    .nullable = true, .aside = true)
ARG(STRING, VALUE, CURRENT, ssl_ca_certs, "--ssl-ca-certs", null, -INF, INF,
    "File of CA certificates used to check clients",
    .nullable = true, .aside = true)
ARG(BOOL, TOGGLE, CURRENT, enable_ssl_refresh, "--enable-ssl-refresh", false, -INF, INF,
    "Load the TLS certificate again when its files change",
    .negative_flag = "--no-enable-ssl-refresh",
    .negative_aliases = "--disable-ssl-refresh", .aside = true)
ARG(INT, VALUE, CURRENT, ssl_cert_reqs, "--ssl-cert-reqs", 0, 0, 2,
    "Client certificate: 0 not asked, 1 optional, 2 required",
    .note = "numbers of Python's ssl module", .aside = true)
ARG(STRING, VALUE, CURRENT, ssl_ciphers, "--ssl-ciphers", null, -INF, INF,
    "TLS cipher suites, for TLS 1.2 and older",
    .nullable = true)
ARG(STRING, VALUE, CURRENT, root_path, "--root-path", null, -INF, INF,
    "Path prefix when behind a proxy that routes by path",
    .nullable = true, .aside = true)
ARG(LIST_STRING, REPEAT, CURRENT, middleware, "--middleware", [], -INF, INF,
    "Import paths of ASGI middleware to add")
ARG(BOOL, TOGGLE, CURRENT, enable_request_id_headers,
    "--enable-request-id-headers", false, -INF, INF,
    "Answer with an X-Request-Id header",
    .negative_flag = "--no-enable-request-id-headers",
    .negative_aliases = "--disable-request-id-headers")
ARG(BOOL, TOGGLE, CURRENT, disable_fastapi_docs, "--disable-fastapi-docs", false, -INF, INF,
    "Turn off the OpenAPI schema and its documentation pages",
    .negative_flag = "--no-disable-fastapi-docs",
    .negative_aliases = "--enable-fastapi-docs", .aside = true)
ARG(BOOL, TOGGLE, CURRENT, enable_offline_docs, "--enable-offline-docs", false, -INF, INF,
    "Serve the documentation pages from bundled files, without internet",
    .negative_flag = "--no-enable-offline-docs",
    .negative_aliases = "--disable-offline-docs", .aside = true)
ARG(INT, VALUE, CURRENT, h11_max_incomplete_event_size,
    "--h11-max-incomplete-event-size", 4194304, 1, INF,
    "Largest unfinished HTTP event in bytes")
ARG(INT, VALUE, CURRENT, h11_max_header_count, "--h11-max-header-count", 256, 1, INF,
    "Most headers one HTTP request may have")
ARG(BOOL, TOGGLE, CURRENT, enable_flash_late_interaction,
    "--enable-flash-late-interaction", true, -INF, INF,
    "Compute late-interaction scores on the GPU in the API server process",
    .negative_flag = "--no-enable-flash-late-interaction",
    .negative_aliases = "--disable-flash-late-interaction")
ARG(LIST_STRING, LIST, CURRENT, lora_modules, "--lora-modules", null, -INF, INF,
    "LoRA adapters to offer at start",
    .nullable = true, .item_accepts = "json",
    .note = "each item is name=path or a JSON object with name, path, base_model_name")
ARG(STRING, VALUE, CURRENT, chat_template, "--chat-template", null, -INF, INF,
    "Chat template: a file, or the template on one line",
    .nullable = true)
ARG(ENUM, VALUE, CURRENT, chat_template_content_format,
    "--chat-template-content-format", "auto", -INF, INF,
    "Form of message content in a template: text or a list of parts",
    .choices = ARG_JSON(["auto", "openai", "string"]), .choices_origin = "help")
ARG(BOOL, TOGGLE, CURRENT, trust_request_chat_template,
    "--trust-request-chat-template", false, -INF, INF,
    "Use a chat template that arrives in a request",
    .negative_flag = "--no-trust-request-chat-template")
ARG(JSON, VALUE, CURRENT, default_chat_template_kwargs,
    "--default-chat-template-kwargs", null, -INF, INF,
    "Template arguments for every chat request; the request's own win",
    .nullable = true)
ARG(JSON, VALUE, CURRENT, reasoning_effort_map, "--reasoning-effort-map", null, -INF, INF,
    "Mapping of the reasoning effort of a request for the chat template",
    .nullable = true, .note = "maps efforts to texts; an effort that is not listed stays as it is")
ARG(STRING, VALUE, CURRENT, response_role, "--response-role", "assistant", -INF, INF,
    "Role named in answers when a generation prompt is added")
ARG(BOOL, TOGGLE, CURRENT, return_tokens_as_token_ids,
    "--return-tokens-as-token-ids", false, -INF, INF,
    "Report single tokens as token_id:N in logprobs",
    .negative_flag = "--no-return-tokens-as-token-ids")
ARG(BOOL, TOGGLE, GONE, disable_frontend_multiprocessing,
    "--disable-frontend-multiprocessing", false, -INF, INF,
    "Run API server and engine in one process",
    .negative_flag = "--no-disable-frontend-multiprocessing")
ARG(BOOL, TOGGLE, CURRENT, enable_auto_tool_choice, "--enable-auto-tool-choice", false, -INF, INF,
    "Let the model decide when to call a tool",
    .negative_flag = "--no-enable-auto-tool-choice",
    .negative_aliases = "--disable-auto-tool-choice", .note = "requires tool_call_parser")
ARG(BOOL, TOGGLE, CURRENT, exclude_tools_when_tool_choice_none,
    "--exclude-tools-when-tool-choice-none", false, -INF, INF,
    "Keep tools out of the prompt when tool_choice is none",
    .negative_flag = "--no-exclude-tools-when-tool-choice-none")
ARG(STRING, VALUE, CURRENT, tool_call_parser, "--tool-call-parser", null, -INF, INF,
    "Parser of the tool calls in model output",
    .nullable = true,
    .help_choices = ARG_JSON(["apertus", "beam", "cohere_command3", "cohere_command4",
        "deepseek_v3", "deepseek_v31", "deepseek_v32", "deepseek_v4", "deepseek_v41",
        "dots", "ernie45", "functiongemma", "gemma4", "gigachat3", "glm45", "glm47",
        "granite", "granite-20b-fc", "granite4", "hermes", "hf", "hunyuan_a13b", "hy_v3",
        "hy_v4", "inkling", "internlm", "jamba", "k2_horizon", "kimi_k2", "kimi_k3", "lfm2",
        "ling3", "llama3_json", "llama4_json", "llama4_pythonic", "longcat", "mimo",
        "minicpm5", "minimax_m2", "minimax_m3", "mistral", "muse", "muse_glimmer",
        "musespark1x", "olmo3", "openai", "phi4_mini_json", "plamo3", "poolside_v1",
        "pythonic", "qwen3_coder", "qwen3_json", "qwen3_xml", "seed_oss", "step3",
        "step3p5", "step5", "xlam"]),
    .note = "a built-in parser or one from tool_parser_plugin; the names depend on the version")
ARG(STRING, VALUE, CURRENT, tool_parser_plugin, "--tool-parser-plugin", "", -INF, INF,
    "Plugin file that registers further tool parsers",
    .aside = true)
ARG(STRING, VALUE, CURRENT, tool_server, "--tool-server", null, -INF, INF,
    "Tool servers as host:port, separated by commas",
    .nullable = true, .special_values = ARG_JSON(["demo"]),
    .note = "demo runs built-in tools, model-written code among them", .aside = true)
ARG(BOOL, TOGGLE, CURRENT, cohere_is_reasoning_model,
    "--cohere-is-reasoning-model", true, -INF, INF,
    "Cohere endpoint only: the model reasons, so show its thoughts as such",
    .negative_flag = "--no-cohere-is-reasoning-model")
ARG(ENUM, VALUE, CURRENT, cohere_format, "--cohere-format", "cmd4", -INF, INF,
    "Cohere tokenizer mode only: prompt format to render",
    .choices = ARG_JSON(["cmd3", "cmd4"]), .choices_open = true, .choices_origin = "help",
    .choices_note = "not checked by vLLM's parser")
ARG(STRING, VALUE, CURRENT, log_config_file, "--log-config-file", null, -INF, INF,
    "JSON logging configuration for server and engine",
    .nullable = true, .reference_group = "LoggingConfig",
    .note = "default comes from the environment variable VLLM_LOGGING_CONFIG_PATH", .aside = true)
ARG(INT, VALUE, CURRENT, max_log_len, "--max-log-len", null, 0, INF,
    "Most prompt characters or ids logged; unlimited when unset",
    .nullable = true, .aside = true)
ARG(BOOL, TOGGLE, CURRENT, enable_prompt_tokens_details,
    "--enable-prompt-tokens-details", false, -INF, INF,
    "Add prompt token details to usage",
    .negative_flag = "--no-enable-prompt-tokens-details",
    .negative_aliases = "--disable-prompt-tokens-details")
ARG(BOOL, TOGGLE, CURRENT, enable_per_request_metrics,
    "--enable-per-request-metrics", false, -INF, INF,
    "Add timings of the request to each answer",
    .negative_flag = "--no-enable-per-request-metrics",
    .negative_aliases = "--disable-per-request-metrics",
    .note = "not together with disable_log_stats")
ARG(BOOL, TOGGLE, CURRENT, enable_server_load_tracking,
    "--enable-server-load-tracking", false, -INF, INF,
    "Track the server's load",
    .negative_flag = "--no-enable-server-load-tracking",
    .negative_aliases = "--disable-server-load-tracking")
ARG(BOOL, TOGGLE, CURRENT, enable_force_include_usage,
    "--enable-force-include-usage", false, -INF, INF,
    "Report usage on every request",
    .negative_flag = "--no-enable-force-include-usage",
    .negative_aliases = "--disable-force-include-usage")
ARG(BOOL, TOGGLE, CURRENT, enable_tokenizer_info_endpoint,
    "--enable-tokenizer-info-endpoint", false, -INF, INF,
    "Offer an endpoint that shows the tokenizer's settings",
    .negative_flag = "--no-enable-tokenizer-info-endpoint",
    .negative_aliases = "--disable-tokenizer-info-endpoint", .note = "can reveal chat templates")
ARG(BOOL, TOGGLE, CURRENT, enable_log_outputs, "--enable-log-outputs", false, -INF, INF,
    "Log what the model generates",
    .negative_flag = "--no-enable-log-outputs",
    .negative_aliases = "--disable-log-outputs", .note = "requires enable_log_requests",
    .aside = true)
ARG(BOOL, TOGGLE, CURRENT, enable_log_deltas, "--enable-log-deltas", true, -INF, INF,
    "Log streamed pieces too",
    .negative_flag = "--no-enable-log-deltas",
    .negative_aliases = "--disable-log-deltas",
    .note = "matters only with enable_log_outputs", .aside = true)
ARG(BOOL, TOGGLE, CURRENT, log_error_stack, "--log-error-stack", false, -INF, INF,
    "Log the stack trace of error answers",
    .negative_flag = "--no-log-error-stack", .default_env = "VLLM_SERVER_DEV_MODE",
    .note = "default comes from the environment variable VLLM_SERVER_DEV_MODE", .aside = true)
ARG(BOOL, TOGGLE, CURRENT, tokens_only, "--tokens-only", false, -INF, INF,
    "Offer only the endpoint that takes and returns token ids",
    .negative_flag = "--no-tokens-only")
ARG(ENUM, VALUE, CURRENT, fingerprint_mode, "--fingerprint-mode", "full", -INF, INF,
    "Source of system_fingerprint in responses",
    .choices = ARG_JSON(["custom", "full", "hash", "none"]), .choices_origin = "flag",
    .aside = true)
ARG(STRING, VALUE, CURRENT, fingerprint_value, "--fingerprint-value", null, -INF, INF,
    "Text of system_fingerprint for the custom mode",
    .nullable = true,
    .note = "matters with fingerprint_mode custom", .aside = true)
ARG(BOOL, TOGGLE, CURRENT, trust_request_mm_kwargs, "--trust-request-mm-kwargs", false, -INF, INF,
    "Accept multimodal processor settings sent with a request",
    .negative_flag = "--no-trust-request-mm-kwargs")
ARG(ENUM, VALUE, CURRENT, tool_strict_level, "--tool-strict-level", null, -INF, INF,
    "How strictly tool calls follow their schema",
    .nullable = true, .note = "unset: the level of the tool parser",
    .choices = ARG_JSON(["auto", "function", "parameter"]), .choices_origin = "flag")
ARG(INT, VALUE, CURRENT, sse_keep_alive_interval, "--sse-keep-alive-interval", 0, -INF, INF,
    "Seconds between keep-alive comments on an idle event stream; 0 sends none")
ARG(ENUM, VALUE, CURRENT, anthropic_disabled_thinking_effort,
    "--anthropic-disabled-thinking-effort", "auto", -INF, INF,
    "Reasoning effort used when an Anthropic-style request turns thinking off",
    .choices = ARG_JSON(["auto", "high", "low", "max", "medium", "none", "xhigh"]),
    .choices_origin = "flag")
ARG(BOOL, TOGGLE, CURRENT, enable_scale_out, "--enable-scale-out", false, -INF, INF,
    "Let the front end scale out",
    .negative_flag = "--no-enable-scale-out",
    .negative_aliases = "--disable-scale-out")
ARG(INT, VALUE, CURRENT, grpc_port, "--grpc-port", null, -INF, INF,
    "Port of the gRPC services in addition to HTTP",
    .nullable = true, .aside = true)
