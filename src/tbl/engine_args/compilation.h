/* CompilationConfig: CUDA graph capture. Rows: see tbl/engine_args.h. */
ARG(LIST_INT, LIST, CURRENT, cudagraph_capture_sizes,
    "--cudagraph-capture-sizes", null, -INF, INF,
    "Batch sizes for which CUDA graphs are captured",
    .nullable = true, .no_null_on_cli = true, .note = "takes the place of cuda_graph_sizes")
ARG(INT, VALUE, CURRENT, max_cudagraph_capture_size, "--max-cudagraph-capture-size", null, 0, INF,
    "Largest batch size for which a CUDA graph is captured",
    .nullable = true, .no_null_on_cli = true)
