/* OffloadConfig: offloading weights to CPU memory. Rows: see tbl/engine_args.h. */
ARG(ENUM, VALUE, CURRENT, offload_backend, "--offload-backend", "auto", -INF, INF,
    "How model weights are offloaded to CPU memory",
    .choices = ARG_JSON(["auto", "prefetch", "uva"]), .choices_origin = "flag")
ARG(LIST_STRING, LIST, CURRENT, cpu_offload_params, "--cpu-offload-params", [], -INF, INF,
    "Parameters that cpu_offload_gb may offload")
ARG(INT, VALUE, CURRENT, offload_group_size, "--offload-group-size", 0, 0, INF,
    "Layers per group of which some are offloaded; 0 is off")
ARG(INT, VALUE, CURRENT, offload_num_in_group, "--offload-num-in-group", 1, 1, INF,
    "Layers offloaded in each group",
    .note = "at most offload_group_size")
ARG(INT, VALUE, CURRENT, offload_prefetch_step, "--offload-prefetch-step", 1, 0, INF,
    "Layers fetched ahead",
    .note = "at least 1 when offload_group_size is above 0")
ARG(LIST_STRING, LIST, CURRENT, offload_params, "--offload-params", [], -INF, INF,
    "Parameters that offload_group_size may offload")
