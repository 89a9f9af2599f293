/* KernelConfig: kernel selection. Rows: see tbl/engine_args.h. */
ARG(JSON, VALUE, CURRENT, ir_op_priority, "--ir-op-priority", {}, -INF, INF,
    "Order in which implementations of IR operations are tried",
    .deprecated = true, .note = "vLLM plans to remove it in 0.34.0")
ARG(BOOL, TOGGLE, CURRENT, enable_flashinfer_autotune,
    "--enable-flashinfer-autotune", null, -INF, INF,
    "Tune FlashInfer kernels at start",
    .negative_flag = "--no-enable-flashinfer-autotune",
    .negative_aliases = "--disable-flashinfer-autotune", .nullable = true)
ARG(BOOL, TOGGLE, GONE, enable_bf16x3_router_gemm, "--enable-bf16x3-router-gemm", null, -INF, INF,
    "Compute MoE router products as three bf16 products",
    .negative_flag = "--no-enable-bf16x3-router-gemm", .nullable = true,
    .note = "meaning taken from the name")
ARG(ENUM, VALUE, CURRENT, moe_backend, "--moe-backend", "auto", -INF, INF,
    "Kernels for MoE experts",
    .choices = ARG_JSON(["aiter", "aiter_mega_moe", "aiter_triton_mxfp4_bf16",
        "aiter_triton_mxfp4_mxfp4", "auto", "b12x", "batched_triton", "cutlass", "deep_gemm",
        "deep_gemm_mega_moe", "emulation", "flashinfer_b12x", "flashinfer_cutedsl",
        "flashinfer_cutlass", "flashinfer_moe_ep_cutedsl", "flashinfer_moe_ep_mega_deep_gemm",
        "flashinfer_trtllm", "flydsl", "hpc", "humming", "marlin", "rdna3", "triton",
        "triton_unfused"]),
    .choices_origin = "flag", .any_case = true, .note = "case and hyphens do not matter")
ARG(ENUM, VALUE, CURRENT, linear_backend, "--linear-backend", "auto", -INF, INF,
    "Kernels for quantized linear layers",
    .choices = ARG_JSON(["aiter", "auto", "b12x", "conch", "cutlass", "deep_gemm", "emulation",
        "exllama", "fbgemm", "flashinfer_b12x", "flashinfer_cudnn", "flashinfer_cutedsl",
        "flashinfer_cutlass", "flashinfer_trtllm", "humming", "machete", "marlin", "torch",
        "triton", "xpu", "xpu_woq"]),
    .choices_origin = "flag", .any_case = true, .note = "case and hyphens do not matter")
ARG(ENUM, VALUE, CURRENT, sparse_indexer_topk_backend,
    "--sparse-indexer-topk-backend", "auto", -INF, INF,
    "Top-k implementation of the sparse indexer",
    .choices = ARG_JSON(["aiter", "auto", "cooperative", "deep_select", "flashinfer", "per_row",
        "persistent", "torch"]),
    .choices_origin = "flag", .any_case = true)
ARG(BOOL, TOGGLE, CURRENT, monokernel, "--monokernel", false, -INF, INF,
    "Run eligible layers of decode steps on the model's persistent kernel",
    .negative_flag = "--no-monokernel",
    .note = "DeepSeek-V4.1 and DeepSeek-V4-Pro on MI355X; the start fails where it cannot run")
