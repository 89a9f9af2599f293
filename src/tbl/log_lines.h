/*
 * The facts in logs of vLLM, in all known releases from 0.4 to 0.32. Lines are matched without their
 * prefixes (level, time, file, process, Ray, container) and colors.
 *
 * LOG_PHASE(id, name, which)    a moment of the start; which: FIRST or LAST of the lines that mark it
 *                               (several workers); lines after LISTENING are ignored
 * LOG_MARK(phase, phrase)       a line that holds the phrase marks the phase
 * LOG_FACT(name, type, keep)    a key of `launch.facts` in the result (tbl/result_fields.h)
 *   type   COUNT NUMBER BYTES (a number with its unit, kept in 10^9 bytes) TEXT YES
 *          ASIDE (a text for this program alone, not a key of the result)
 *   keep   FIRST LAST LARGEST SMALLEST if it occurs several times
 * LOG_READ(fact, line, after, until)
 *                               in a line that contains `line`, the fact follows the next occurrence
 *                               of `after` and ends before `until` ("": where its type ends)
 * LOG_EXECUTOR(file, name)      the executor whose source file writes lines
 * LOG_BACKEND(logged, name)     an attention backend as logged, and its name as an argument
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef LOG_PHASE
#define LOG_PHASE(id, name, which)
#endif
#ifndef LOG_MARK
#define LOG_MARK(phase, phrase)
#endif
#ifndef LOG_FACT
#define LOG_FACT(name, type, keep)
#endif
#ifndef LOG_READ
#define LOG_READ(fact, line, after, until)
#endif
#ifndef LOG_EXECUTOR
#define LOG_EXECUTOR(file, name)
#endif
#ifndef LOG_BACKEND
#define LOG_BACKEND(logged, name)
#endif

LOG_PHASE(FIRST_LINE,    first_line,    FIRST)
LOG_PHASE(ENGINE_INIT,   engine_init,   FIRST)
LOG_PHASE(WEIGHTS_BEGIN, weights_begin, FIRST)
LOG_PHASE(WEIGHTS_END,   weights_end,   LAST)
LOG_PHASE(COMPILED,      compiled,      LAST)
LOG_PHASE(KV_CACHE,      kv_cache,      FIRST)
LOG_PHASE(GRAPHS,        graphs,        LAST)
LOG_PHASE(ENGINE_READY,  engine_ready,  LAST)
LOG_PHASE(LISTENING,     listening,     FIRST)

LOG_MARK(FIRST_LINE,    "")
LOG_MARK(ENGINE_INIT,   "Initializing a V1 LLM engine (")
LOG_MARK(ENGINE_INIT,   "Initializing a V0 LLM engine (")
LOG_MARK(ENGINE_INIT,   "Initializing an LLM engine (")
LOG_MARK(ENGINE_INIT,   "Initializing a simulated engine (")
LOG_MARK(WEIGHTS_BEGIN, "Starting to load model ")
LOG_MARK(WEIGHTS_END,   "Loading weights took ")
LOG_MARK(WEIGHTS_END,   "Model loading took ")
LOG_MARK(WEIGHTS_END,   "Loading model weights took ")
LOG_MARK(COMPILED,      "torch.compile takes ")
LOG_MARK(COMPILED,      "torch.compile took ")
LOG_MARK(COMPILED,      "torch.compile and initial profiling/warmup run together took ")
LOG_MARK(COMPILED,      "saved AOT compiled function to ")
LOG_MARK(KV_CACHE,      "KV cache size: ")
LOG_MARK(KV_CACHE,      "# GPU blocks: ")
LOG_MARK(GRAPHS,        "Graph capturing finished in ")
LOG_MARK(ENGINE_READY,  "init engine (profile, create kv cache, warmup model) took ")
LOG_MARK(LISTENING,     "Application startup complete.")
LOG_MARK(LISTENING,     "Uvicorn running on ")

LOG_FACT(vllm_version,           TEXT,   FIRST)
LOG_FACT(model,                  TEXT,   FIRST)
LOG_FACT(architecture,           TEXT,   FIRST)
LOG_FACT(dtype,                  TEXT,   FIRST)
LOG_FACT(quantization,           TEXT,   FIRST)
LOG_FACT(kv_cache_dtype,         TEXT,   FIRST)
LOG_FACT(max_model_len,          COUNT,  LAST)
LOG_FACT(tensor_parallel_size,   COUNT,  FIRST)
LOG_FACT(pipeline_parallel_size, COUNT,  FIRST)
LOG_FACT(data_parallel_size,     COUNT,  FIRST)
LOG_FACT(device,                 TEXT,   FIRST)
LOG_FACT(executor,               TEXT,   FIRST)
LOG_FACT(attention_backend,      TEXT,   FIRST)
LOG_FACT(enforce_eager,          YES,    FIRST)
LOG_FACT(prefix_caching,         YES,    FIRST)
LOG_FACT(chunked_prefill,        YES,    LAST)
LOG_FACT(max_num_batched_tokens, COUNT,  LAST)
LOG_FACT(weights_gb,             BYTES,  LARGEST)
LOG_FACT(weights_download_s,     NUMBER, LARGEST)
LOG_FACT(weights_load_s,         NUMBER, LARGEST)
LOG_FACT(model_load_s,           NUMBER, LARGEST)
LOG_FACT(compile_s,              NUMBER, LARGEST)
LOG_FACT(kv_cache_tokens,        COUNT,  SMALLEST)
LOG_FACT(kv_cache_gb,            BYTES,  SMALLEST)
LOG_FACT(gpu_blocks,             COUNT,  SMALLEST)
LOG_FACT(block_size,             COUNT,  LAST)
LOG_FACT(max_concurrency,        NUMBER, SMALLEST)
LOG_FACT(graph_capture_s,        NUMBER, LARGEST)
LOG_FACT(graph_gb,               BYTES,  LARGEST)
LOG_FACT(init_engine_s,          NUMBER, LARGEST)
LOG_FACT(non_default_args,       TEXT,   FIRST)
LOG_FACT(engine_config,          ASIDE,  FIRST)

LOG_READ(vllm_version, "vLLM API server version ", "version ", "")
LOG_READ(vllm_version, "\u2588  version ", "  version ", "")
LOG_READ(vllm_version, "LLM engine (v", " engine (v", ")")
LOG_READ(model, "\u2588  model   ", "  model   ", "\n")
LOG_READ(model, "LLM engine (v", ": model=", ", ")
LOG_READ(architecture, "Resolved architecture: ", "Resolved architecture: ", "")
LOG_READ(dtype, "LLM engine (v", " dtype=torch.", "")
LOG_READ(dtype, "LLM engine (v", " dtype=", "")
LOG_READ(quantization, "LLM engine (v", " quantization=", "")
LOG_READ(kv_cache_dtype, "LLM engine (v", " kv_cache_dtype=", "")
LOG_READ(max_model_len, "Using max model len ", "Using max model len ", "")
LOG_READ(max_model_len, "LLM engine (v", " max_seq_len=", "")
LOG_READ(max_model_len, "Auto-fit max_model_len: reduced from ", " to ", "")
LOG_READ(tensor_parallel_size, "LLM engine (v", " tensor_parallel_size=", "")
LOG_READ(pipeline_parallel_size, "LLM engine (v", " pipeline_parallel_size=", "")
LOG_READ(data_parallel_size, "LLM engine (v", " data_parallel_size=", "")
LOG_READ(device, "LLM engine (v", " device_config=", "")
LOG_READ(attention_backend, " attention backend out of potential backends", "Using ", " attention backend")
LOG_READ(attention_backend, "Using AttentionBackendEnum.", "AttentionBackendEnum.", " backend.")
LOG_READ(attention_backend, " backend on V1 engine", "Using ", " backend on V1 engine")
LOG_READ(attention_backend, " backend.", "Using ", " backend.")
LOG_READ(enforce_eager, "LLM engine (v", " enforce_eager=", "")
LOG_READ(prefix_caching, "LLM engine (v", " enable_prefix_caching=", "")
LOG_READ(chunked_prefill, "LLM engine (v", " enable_chunked_prefill=", "")
LOG_READ(chunked_prefill, "LLM engine (v", " chunked_prefill_enabled=", "")
LOG_READ(chunked_prefill, "Chunked prefill is enabled with ", "Chunked prefill is ", "")
LOG_READ(max_num_batched_tokens, "Chunked prefill is enabled with ", "max_num_batched_tokens=", "")
LOG_READ(weights_gb, "Model loading took ", "Model loading took ", "")
LOG_READ(weights_gb, "Loading model weights took ", "Loading model weights took ", "")
LOG_READ(weights_download_s, "Time spent downloading weights for ", ": ", "")
LOG_READ(weights_load_s, "Loading weights took ", "Loading weights took ", "")
LOG_READ(model_load_s, "Model loading took ", " and ", "")
LOG_READ(compile_s, "torch.compile takes ", "torch.compile takes ", "")
LOG_READ(compile_s, "torch.compile took ", "torch.compile took ", "")
LOG_READ(compile_s, "torch.compile and initial profiling/warmup run together took ", "together took ", "")
LOG_READ(kv_cache_tokens, "KV cache size: ", "KV cache size: ", "")
LOG_READ(kv_cache_gb, "Available KV cache memory: ", "Available KV cache memory: ", "")
LOG_READ(kv_cache_gb, " GiB for KV cache on node ", "Explicitly set (", "")
LOG_READ(gpu_blocks, "num_gpu_blocks is: ", "num_gpu_blocks is: ", "")
LOG_READ(gpu_blocks, "# GPU blocks: ", "# GPU blocks: ", "")
LOG_READ(block_size, "non-default args: ", "'block_size': ", "")
LOG_READ(block_size, "Block size is set to ", "Block size is set to ", "")
LOG_READ(block_size, "Setting attention block size to ", "block size to ", "")
LOG_READ(max_concurrency, "Maximum concurrency for ", " tokens per request: ", "")
LOG_READ(graph_capture_s, "Graph capturing finished in ", "finished in ", "")
LOG_READ(graph_gb, "Graph capturing finished in ", ", took ", "")
LOG_READ(init_engine_s, "init engine (profile, create kv cache, warmup model) took ", "model) took ", "")
LOG_READ(non_default_args, "non-default args: ", "non-default args: ", "\n")
LOG_READ(engine_config, "LLM engine (v", " with config: ", "\n")
LOG_READ(engine_config, "simulated engine (", " with config: ", "\n")

LOG_EXECUTOR("uniproc_executor.py",          "uni")
LOG_EXECUTOR("multiproc_executor.py",        "mp")
LOG_EXECUTOR("multiproc_worker_utils.py",    "mp")
LOG_EXECUTOR("mp_distributed_executor.py",   "mp")
LOG_EXECUTOR("ray_distributed_executor.py",  "ray")
LOG_EXECUTOR("ray_executor.py",              "ray")
LOG_EXECUTOR("ray_executor_v2.py",           "ray")
LOG_EXECUTOR("ray_utils.py",                 "ray")

LOG_BACKEND("Flash Attention",      "FLASH_ATTN")
LOG_BACKEND("FlashAttention",       "FLASH_ATTN")
LOG_BACKEND("Triton",               "TRITON_ATTN")
LOG_BACKEND("Triton Attention",     "TRITON_ATTN")
LOG_BACKEND("FlashInfer",           "FLASHINFER")
LOG_BACKEND("FlashMLA",             "FLASHMLA")
LOG_BACKEND("FlashAttention MLA",   "FLASH_ATTN_MLA")
LOG_BACKEND("Cutlass MLA",          "CUTLASS_MLA")
LOG_BACKEND("Triton MLA",           "TRITON_MLA")
LOG_BACKEND("FlexAttention",        "FLEX_ATTENTION")
LOG_BACKEND("XFormers",             "XFORMERS")
LOG_BACKEND("Torch SDPA",           "TORCH_SDPA")
LOG_BACKEND("ROCmFlashAttention",   "ROCM_ATTN")
LOG_BACKEND("Rocm Attention",       "ROCM_ATTN")
LOG_BACKEND("Aiter Flash Attention", "ROCM_AITER_FA")
LOG_BACKEND("Pallas",               "PALLAS")

#undef LOG_PHASE
#undef LOG_MARK
#undef LOG_FACT
#undef LOG_READ
#undef LOG_EXECUTOR
#undef LOG_BACKEND
