/* ParallelConfig: spreading the work over GPUs, nodes and processes. Rows: see tbl/engine_args.h. */
ARG(ENUM, VALUE, CURRENT, distributed_executor_backend,
    "--distributed-executor-backend", null, -INF, INF,
    "How workers are spread: external_launcher, mp, ray or uni",
    .nullable = true, .choices = ARG_JSON(["external_launcher", "mp", "ray", "uni"]),
    .choices_open = true, .choices_origin = "flag",
    .choices_note = "not checked by vLLM's parser")
ARG(INT, VALUE, CURRENT, pipeline_parallel_size, "--pipeline-parallel-size", 1, 1, INF,
    "Pipeline parallel group count",
    .aliases = "-pp")
ARG(INT, VALUE, CURRENT, tensor_parallel_size, "--tensor-parallel-size", 1, 1, INF,
    "Tensor parallel group count",
    .aliases = "-tp")
ARG(INT, VALUE, CURRENT, data_parallel_size, "--data-parallel-size", 1, 1, INF,
    "Data parallel group count",
    .aliases = "-dp")
ARG(INT, VALUE, CURRENT, data_parallel_rank, "--data-parallel-rank", null, 0, INF,
    "This instance's data parallel rank; switches on external load balancing",
    .aliases = "-dpn", .nullable = true, .no_null_on_cli = true)
ARG(INT, VALUE, CURRENT, data_parallel_start_rank, "--data-parallel-start-rank", null, 0, INF,
    "First data parallel rank on a secondary node",
    .aliases = "-dpr", .nullable = true, .no_null_on_cli = true)
ARG(INT, VALUE, CURRENT, data_parallel_size_local, "--data-parallel-size-local", null, 0, INF,
    "Data parallel replicas on this node",
    .aliases = "-dpl", .nullable = true, .no_null_on_cli = true)
ARG(STRING, VALUE, CURRENT, data_parallel_address, "--data-parallel-address", null, -INF, INF,
    "Address of the data parallel head node",
    .aliases = "-dpa", .nullable = true, .aside = true)
ARG(INT, VALUE, CURRENT, data_parallel_rpc_port, "--data-parallel-rpc-port", null, 1, 65535,
    "TCP port the data parallel ranks use for RPC",
    .aliases = "-dpp", .nullable = true, .no_null_on_cli = true, .aside = true)
ARG(ENUM, VALUE, CURRENT, data_parallel_backend, "--data-parallel-backend", "mp", -INF, INF,
    "Backend for data parallel: mp or ray",
    .aliases = "-dpb", .choices = ARG_JSON(["mp", "ray"]), .choices_origin = "help",
    .choices_note = "not checked by vLLM's parser")
ARG(BOOL, TOGGLE, CURRENT, data_parallel_hybrid_lb, "--data-parallel-hybrid-lb", false, -INF, INF,
    "Balance within a node, leave balancing across nodes to others",
    .aliases = "-dph", .negative_flag = "--no-data-parallel-hybrid-lb")
ARG(BOOL, TOGGLE, CURRENT, enable_expert_parallel, "--enable-expert-parallel", false, -INF, INF,
    "Split MoE layers by expert rather than by tensor",
    .aliases = "-ep", .negative_flag = "--no-enable-expert-parallel",
    .negative_aliases = "--disable-expert-parallel")
ARG(BOOL, TOGGLE, CURRENT, enable_eplb, "--enable-eplb", false, -INF, INF,
    "Rebalance experts across ranks in MoE layers",
    .negative_flag = "--no-enable-eplb",
    .negative_aliases = "--disable-eplb")
ARG(JSON, VALUE, CURRENT, eplb_config, "--eplb-config", {}, -INF, INF,
    "Expert rebalancing settings as a JSON object")
ARG(INT, VALUE, GONE, num_redundant_experts, "--num-redundant-experts", null, 0, INF,
    "Old spelling of eplb_config.num_redundant_experts",
    .nullable = true, .deprecated = true)
ARG(INT, VALUE, GONE, eplb_window_size, "--eplb-window-size", null, 1, INF,
    "Old spelling of eplb_config.window_size",
    .nullable = true, .deprecated = true)
ARG(INT, VALUE, GONE, eplb_step_interval, "--eplb-step-interval", null, 1, INF,
    "Old spelling of eplb_config.step_interval",
    .nullable = true, .deprecated = true)
ARG(BOOL, TOGGLE, GONE, eplb_log_balancedness, "--eplb-log-balancedness", null, -INF, INF,
    "Old spelling of eplb_config.log_balancedness",
    .negative_flag = "--no-eplb-log-balancedness", .nullable = true, .deprecated = true,
    .aside = true)
ARG(INT, VALUE, CURRENT, max_parallel_loading_workers,
    "--max-parallel-loading-workers", null, 1, INF,
    "Upper bound on workers loading weights at the same time",
    .nullable = true)
ARG(BOOL, TOGGLE, CURRENT, ray_workers_use_nsight, "--ray-workers-use-nsight", false, -INF, INF,
    "Run Ray workers under the Nsight profiler",
    .negative_flag = "--no-ray-workers-use-nsight")
ARG(BOOL, TOGGLE, CURRENT, disable_custom_all_reduce,
    "--disable-custom-all-reduce", false, -INF, INF,
    "Use NCCL in place of vLLM's own all-reduce kernel",
    .negative_flag = "--no-disable-custom-all-reduce",
    .negative_aliases = "--enable-custom-all-reduce")
ARG(STRING, VALUE, CURRENT, worker_cls, "--worker-cls", "auto", -INF, INF,
    "Worker class by full name; auto picks per platform",
    .special_values = ARG_JSON(["auto"]))
ARG(STRING, VALUE, CURRENT, worker_extension_cls, "--worker-extension-cls", "", -INF, INF,
    "Class mixed into the worker class; empty means none")
ARG(BOOL, FLAG, GONE, enable_multimodal_encoder_data_parallel,
    "--enable-multimodal-encoder-data-parallel", false, -INF, INF,
    "Run the multimodal encoder data-parallel; an old switch",
    .deprecated = true,
    .note = "mm_encoder_tp_mode=data covers the same ground")
ARG(INT, VALUE, CURRENT, dbo_decode_token_threshold, "--dbo-decode-token-threshold", 32, 0, INF,
    "Decode-only batches above this many tokens are split in two")
ARG(INT, VALUE, CURRENT, dbo_prefill_token_threshold,
    "--dbo-prefill-token-threshold", 512, 0, INF,
    "Batches with prefills above this many tokens are split in two")
ARG(INT, VALUE, CURRENT, decode_context_parallel_size,
    "--decode-context-parallel-size", 1, 1, INF,
    "Decode context parallel groups, carved out of the tensor parallel GPUs",
    .aliases = "-dcp")
ARG(BOOL, TOGGLE, CURRENT, enable_dbo, "--enable-dbo", false, -INF, INF,
    "Overlap two half batches in the model executor",
    .negative_flag = "--no-enable-dbo",
    .negative_aliases = "--disable-dbo")
ARG(ENUM, VALUE, CURRENT, expert_placement_strategy,
    "--expert-placement-strategy", "linear", -INF, INF,
    "Lay experts out in blocks or in turn across ranks",
    .choices = ARG_JSON(["linear", "round_robin"]), .choices_origin = "flag")
ARG(STRING, VALUE, CURRENT, master_addr, "--master-addr", "127.0.0.1", -INF, INF,
    "Address of the first node, for several nodes with the mp executor",
    .aside = true)
ARG(INT, VALUE, CURRENT, master_port, "--master-port", 29501, 0, 65535,
    "Port on the first node, for several nodes with the mp executor",
    .aside = true)
ARG(INT, VALUE, CURRENT, nnodes, "--nnodes", 1, 1, INF,
    "Number of nodes with the mp executor",
    .aliases = "-n")
ARG(INT, VALUE, CURRENT, node_rank, "--node-rank", 0, 0, INF,
    "Which of the nodes this one is, from 0",
    .aliases = "-r")
ARG(INT, VALUE, CURRENT, distributed_timeout_seconds,
    "--distributed-timeout-seconds", null, 1, INF,
    "Time limit of distributed operations",
    .nullable = true)
ARG(INT, VALUE, CURRENT, cpu_distributed_timeout_seconds,
    "--cpu-distributed-timeout-seconds", null, 1, INF,
    "Time limit of CPU communication groups",
    .nullable = true)
ARG(BOOL, TOGGLE, CURRENT, numa_bind, "--numa-bind", false, -INF, INF,
    "Bind each GPU worker to the CPUs and memory near its GPU",
    .negative_flag = "--no-numa-bind")
ARG(LIST_INT, LIST, CURRENT, numa_bind_nodes, "--numa-bind-nodes", null, -INF, INF,
    "NUMA node per visible GPU; detected when unset",
    .nullable = true,
    .note = "matters with numa_bind")
ARG(LIST_STRING, LIST, CURRENT, numa_bind_cpus, "--numa-bind-cpus", null, -INF, INF,
    "CPU list per visible GPU",
    .nullable = true,
    .note = "matters with numa_bind; each item such as 0-3")
ARG(STRING, VALUE, CURRENT, device_ids, "--device-ids", null, -INF, INF,
    "Physical GPUs to use, as ids or UUIDs separated by commas",
    .nullable = true, .note = "no effect with Ray", .aside = true)
ARG(INT, VALUE, CURRENT, prefill_context_parallel_size,
    "--prefill-context-parallel-size", 1, 1, INF,
    "Ranks that share the context during prefill",
    .aliases = "-pcp")
ARG(ENUM, VALUE, CURRENT, dcp_comm_backend, "--dcp-comm-backend", null, -INF, INF,
    "How ranks exchange partial results of decode context parallelism",
    .nullable = true, .choices = ARG_JSON(["a2a", "ag_rs"]), .choices_origin = "flag",
    .note = "a2a needs decode_context_parallel_size above 1")
ARG(BOOL, TOGGLE, CURRENT, dcp_q_replicate, "--dcp-q-replicate", null, -INF, INF,
    "Keep a full copy of the queries on each decode context rank",
    .negative_flag = "--no-dcp-q-replicate", .nullable = true)
ARG(INT, VALUE, CURRENT, dcp_kv_cache_interleave_size,
    "--dcp-kv-cache-interleave-size", 1, 1, INF,
    "Older form of cp_kv_cache_interleave_size", .note = "announced as going away")
ARG(INT, VALUE, CURRENT, cp_kv_cache_interleave_size,
    "--cp-kv-cache-interleave-size", null, 1, INF,
    "Tokens in a row kept on one context rank",
    .nullable = true, .no_null_on_cli = true,
    .note = "must divide block_size")
ARG(BOOL, TOGGLE, CURRENT, data_parallel_external_lb,
    "--data-parallel-external-lb", false, -INF, INF,
    "Leave balancing between data parallel ranks to an outside balancer",
    .aliases = "-dpe", .negative_flag = "--no-data-parallel-external-lb",
    .note = "needs data_parallel_size above 1; only one balancing mode at a time; "
            "data_parallel_rank implies it")
ARG(BOOL, FLAG, CURRENT, data_parallel_multi_port_external_lb,
    "--data-parallel-multi-port-external-lb", false, -INF, INF,
    "One API server and port per local rank, under a supervisor",
    .aliases = "-dpm",
    .note = "only one balancing mode at a time")
ARG(BOOL, TOGGLE, CURRENT, enable_batch_sharded_sampling,
    "--enable-batch-sharded-sampling", null, -INF, INF,
    "Split sampling over the tensor parallel ranks by batch",
    .negative_flag = "--no-enable-batch-sharded-sampling",
    .negative_aliases = "--disable-batch-sharded-sampling", .nullable = true)
ARG(BOOL, TOGGLE, CURRENT, enable_ep_weight_filter, "--enable-ep-weight-filter", false, -INF, INF,
    "Skip the weights of other ranks' experts while loading",
    .negative_flag = "--no-enable-ep-weight-filter",
    .negative_aliases = "--disable-ep-weight-filter")
ARG(ENUM, VALUE, CURRENT, all2all_backend,
    "--all2all-backend", "allgather_reducescatter", -INF, INF,
    "How tokens travel between expert parallel ranks",
    .choices = ARG_JSON(["allgather_reducescatter", "deepep_high_throughput",
        "deepep_low_latency", "deepep_v2", "flashinfer_all2allv", "flashinfer_nvlink_one_sided",
        "flashinfer_nvlink_two_sided", "moonep", "mori_high_throughput", "mori_low_latency",
        "naive", "nixl_ep", "pplx"]),
    .choices_origin = "flag",
    .note = "in newer releases flashinfer_all2allv is another name of flashinfer_nvlink_two_sided")
ARG(BOOL, TOGGLE, CURRENT, enable_elastic_ep, "--enable-elastic-ep", false, -INF, INF,
    "Let the number of expert parallel ranks change at run time",
    .negative_flag = "--no-enable-elastic-ep",
    .negative_aliases = "--disable-elastic-ep",
    .note = "at most one API server")
ARG(INT, VALUE, CURRENT, ubatch_size, "--ubatch-size", 0, 0, INF,
    "Number of micro-batches; above 1 splits batches",
    .note = "ignored with enable_dbo, which uses 2")
ARG(INT, VALUE, CURRENT, dp_sync_interval, "--dp-sync-interval", 16, 1, INF,
    "Steps between synchronizations of data parallel ranks")
ARG(BOOL, TOGGLE, CURRENT, disable_nccl_for_dp_synchronization,
    "--disable-nccl-for-dp-synchronization", null, -INF, INF,
    "Synchronize data parallel ranks over Gloo instead of NCCL",
    .negative_flag = "--no-disable-nccl-for-dp-synchronization",
    .negative_aliases = "--enable-nccl-for-dp-synchronization", .nullable = true,
    .note = "unset: true with async scheduling")
ARG(BOOL, TOGGLE, CURRENT, enable_fault_tolerance, "--enable-fault-tolerance", false, -INF, INF,
    "Try to recover when a worker fails",
    .negative_flag = "--no-enable-fault-tolerance",
    .negative_aliases = "--disable-fault-tolerance", .note = "fault_tolerance_config turns it on")
ARG(JSON, VALUE, CURRENT, fault_tolerance_config, "--fault-tolerance-config", {}, -INF, INF,
    "Fault tolerance settings")
ARG(BOOL, TOGGLE, CURRENT, enable_hc_sp, "--enable-hc-sp", false, -INF, INF,
    "Sequence parallelism for hyper-connections",
    .negative_flag = "--no-enable-hc-sp",
    .negative_aliases = "--disable-hc-sp", .note = "CUDA, and ROCm since 0.33.0")
ARG(BOOL, TOGGLE, CURRENT, enable_shm_tensor_arena, "--enable-shm-tensor-arena", false, -INF, INF,
    "Pass tensors between processes through a shared-memory arena",
    .negative_flag = "--no-enable-shm-tensor-arena",
    .negative_aliases = "--disable-shm-tensor-arena")
ARG(INT, VALUE, CURRENT, elastic_ep_max_dp_size, "--elastic-ep-max-dp-size", null, -INF, INF,
    "Largest data-parallel size that elastic expert parallelism may grow to",
    .nullable = true, .no_null_on_cli = true)
