/* AsyncEngineArgs: settings of the asynchronous (serving) engine only. Rows: see tbl/engine_args.h. */
ARG(BOOL, TOGGLE, CURRENT, enable_log_requests, "--enable-log-requests", false, -INF, INF,
    "Log each request",
    .negative_flag = "--no-enable-log-requests",
    .negative_aliases = "--disable-log-requests", .aside = true)
ARG(BOOL, TOGGLE, GONE, disable_log_requests, "--disable-log-requests", true, -INF, INF,
    "Old opposite of enable_log_requests",
    .negative_flag = "--no-disable-log-requests", .deprecated = true, .aside = true)
