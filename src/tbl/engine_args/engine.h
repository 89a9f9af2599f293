/* EngineArgs: engine settings outside any config group. Rows: see tbl/engine_args.h. */
ARG(BOOL, FLAG, CURRENT, disable_log_stats, "--disable-log-stats", false, -INF, INF,
    "Do not log periodic engine statistics",
    .aside = true)
ARG(BOOL, FLAG, CURRENT, aggregate_engine_logging, "--aggregate-engine-logging", false, -INF, INF,
    "Log joint statistics of data parallel engines, not one per engine",
    .aside = true)
ARG(BOOL, TOGGLE, CURRENT, fail_on_environ_validation,
    "--fail-on-environ-validation", false, -INF, INF,
    "Stop when the environment check fails",
    .negative_flag = "--no-fail-on-environ-validation")
ARG(INT, VALUE, CURRENT, shutdown_timeout, "--shutdown-timeout", 0, 0, INF,
    "Seconds to let requests finish at shutdown; 0 aborts them")
ARG(ENUM, VALUE, CURRENT, gdn_prefill_backend, "--gdn-prefill-backend", null, -INF, INF,
    "Kernels for gated delta net prefill",
    .nullable = true, .no_null_on_cli = true,
    .choices = ARG_JSON(["flashinfer", "triton", "cutedsl", "aiter_flydsl", "sycl"]),
    .choices_origin = "flag")
ARG(ENUM, VALUE, CURRENT, kda_prefill_backend, "--kda-prefill-backend", null, -INF, INF,
    "Kernels for Kimi delta attention prefill",
    .nullable = true, .no_null_on_cli = true,
    .choices = ARG_JSON(["auto", "triton", "flashkda", "flashinfer", "fused"]),
    .choices_origin = "flag")
