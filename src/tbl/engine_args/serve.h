/* Serve: the serve command itself. Rows: see tbl/engine_args.h. */
ARG(BOOL, FLAG, CURRENT, headless, "--headless", false, -INF, INF,
    "Run engines only, with no API server; for the further nodes of a cluster",
    .note = "an error together with api_server_count above 0, and with data_parallel_hybrid_lb")
ARG(INT, VALUE, CURRENT, api_server_count, "--api-server-count", null, 0, INF,
    "API server processes to start",
    .aliases = "-asc", .nullable = true, .no_null_on_cli = true,
    .note = "unset: data_parallel_size, or the local size with hybrid balancing, 1 with external")
ARG(STRING, VALUE, CURRENT, config, "--config", null, -INF, INF,
    "YAML file with options; what is given on the command line wins",
    .nullable = true, .aside = true)
ARG(BOOL, FLAG, CURRENT, grpc, "--grpc", false, -INF, INF,
    "Serve gRPC instead of the HTTP API", .note = "needs the grpc extra of the package")
ARG(ENUM, VALUE, CURRENT, kda_decode_backend, "--kda-decode-backend", null, -INF, INF,
    "Decode implementation of KDA layers",
    .nullable = true, .no_null_on_cli = true,
    .choices = ARG_JSON(["auto", "native", "flashinfer", "triton"]), .choices_origin = "flag")
