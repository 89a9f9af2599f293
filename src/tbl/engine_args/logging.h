/* LoggingConfig: how vLLM writes its log. Rows: see tbl/engine_args.h. */
ARG(JSON, VALUE, CURRENT, logging_config, "--logging-config", null, -INF, INF,
    "Logging settings as JSON",
    .nullable = true, .aside = true)
ARG(ENUM, VALUE, CURRENT, log_level, "--log-level", null, -INF, INF,
    "Log level; short for logging_config.log_level",
    .nullable = true, .no_null_on_cli = true,
    .choices = ARG_JSON(["CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG", "NOTSET"]),
    .choices_origin = "flag", .aside = true)
