/*
 * What a vLLM-form log says and where: every release from 0.4 to 0.32 that was seen. Lines are taken
 * behind their prefixes (level, time, file, process, Ray, container), without colours.
 *
 * LOG_PHASE(id, name, which)    a moment of the start; which: FIRST or LAST of the lines that mark it
 *                               (several workers); lines after LISTENING mark nothing
 * LOG_MARK(phase, phrase)       a line that holds the phrase marks the phase
 * LOG_FACT(name, type, keep)    a key of `launch.facts` in the result (tbl/result_fields.h)
 *   type   COUNT NUMBER BYTES (a number with its unit, kept in 10^9 bytes) TEXT YES
 *   keep   FIRST LAST LARGEST SMALLEST of what is said more than once
 * LOG_READ(fact, line, behind, until)
 *                               in a line that holds `line` the fact stands right behind the next
 *                               `behind` and ends before `until` ("": where its type ends)
 * LOG_EXECUTOR(file, name)      a file that writes lines: which executor runs
 * LOG_BACKEND(said, name)       attention backends in words: their name as an argument
 * LOG_CONFIG_FRAME(phrase)      a frame of a traceback within the making of the configuration
 * LOG_FAILURE(cause, strength, when, forms, phrase, also)
 *                               a line that says why a server dies, case ignored; the first row that
 *                               fits names the cause
 *   strength  CLEAR: the first in the log counts, of engine and workers before the front end;
 *             VAGUE: only where nothing clear is said
 *   when      START: before LISTENING; ANY: also later; CONFIG: before LISTENING, in a traceback
 *             with a LOG_CONFIG_FRAME
 *   forms     EXCEPTION  "some.Error: text", the last line of a traceback
 *             DETAIL     a line of pydantic below its exception
 *             ERROR      a line of level ERROR or worse
 *             USAGE      "program: error: text" of argparse
 *             PLAIN      any line without a level
 *   also      a second phrase that must stand in the line, "" none
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
#define LOG_READ(fact, line, behind, until)
#endif
#ifndef LOG_EXECUTOR
#define LOG_EXECUTOR(file, name)
#endif
#ifndef LOG_BACKEND
#define LOG_BACKEND(said, name)
#endif
#ifndef LOG_CONFIG_FRAME
#define LOG_CONFIG_FRAME(phrase)
#endif
#ifndef LOG_FAILURE
#define LOG_FAILURE(cause, strength, when, forms, phrase, also)
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

LOG_EXECUTOR("uniproc_executor.py",          "uni")
LOG_EXECUTOR("multiproc_executor.py",        "mp")
LOG_EXECUTOR("multiproc_worker_utils.py",    "mp")
LOG_EXECUTOR("mp_distributed_executor.py",   "mp")
LOG_EXECUTOR("ray_distributed_executor.py",  "ray")
LOG_EXECUTOR("ray_executor.py",              "ray")
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

LOG_CONFIG_FRAME("create_engine_config")
LOG_CONFIG_FRAME("create_model_config")
LOG_CONFIG_FRAME("engine/arg_utils.py")
LOG_CONFIG_FRAME("/vllm/config")

/* the memory of the host, told by who saw it */
LOG_FAILURE(host_memory, CLEAR, ANY, EXCEPTION | ERROR, "ray.exceptions.OutOfMemoryError", "")
LOG_FAILURE(host_memory, CLEAR, ANY, EXCEPTION | ERROR, "due to the node running low on memory", "")
LOG_FAILURE(host_memory, CLEAR, ANY, USAGE | PLAIN, "slurmstepd: error:", "oom")
LOG_FAILURE(host_memory, CLEAR, ANY, USAGE | PLAIN, "srun: error:", "out of memory")

LOG_FAILURE(kv_cache_too_small, CLEAR, START, EXCEPTION, "No available memory for the cache blocks", "")
LOG_FAILURE(kv_cache_too_small, CLEAR, START, EXCEPTION, "tokens that can be stored in KV cache", "")
LOG_FAILURE(kv_cache_too_small, CLEAR, START, EXCEPTION, "larger than the available KV cache memory", "")

LOG_FAILURE(out_of_memory, CLEAR, ANY, EXCEPTION, "OutOfMemoryError", "")
LOG_FAILURE(out_of_memory, CLEAR, ANY, EXCEPTION, "CUDA out of memory", "")
LOG_FAILURE(out_of_memory, CLEAR, ANY, EXCEPTION, "HIP out of memory", "")
LOG_FAILURE(out_of_memory, CLEAR, ANY, EXCEPTION, "XPU out of memory", "")
LOG_FAILURE(out_of_memory, CLEAR, ANY, EXCEPTION, "NPU out of memory", "")
LOG_FAILURE(out_of_memory, CLEAR, ANY, EXCEPTION, "error: out of memory", "")
LOG_FAILURE(out_of_memory, CLEAR, ANY, EXCEPTION, "cudaErrorMemoryAllocation", "")
LOG_FAILURE(out_of_memory, CLEAR, ANY, EXCEPTION, "CUDA_ERROR_OUT_OF_MEMORY", "")
LOG_FAILURE(out_of_memory, CLEAR, ANY, EXCEPTION, "CUBLAS_STATUS_ALLOC_FAILED", "")
LOG_FAILURE(out_of_memory, CLEAR, ANY, EXCEPTION, "UR_RESULT_ERROR_OUT_OF_", "")
LOG_FAILURE(out_of_memory, CLEAR, ANY, EXCEPTION, "MemoryError", "")
LOG_FAILURE(out_of_memory, CLEAR, ANY, EXCEPTION, "Cannot allocate memory", "")
LOG_FAILURE(out_of_memory, CLEAR, ANY, EXCEPTION, "can't allocate memory", "")
LOG_FAILURE(out_of_memory, CLEAR, START, EXCEPTION, "less than desired GPU memory utilization", "")
LOG_FAILURE(out_of_memory, CLEAR, START, EXCEPTION, "is less than requested memory for kv", "")
LOG_FAILURE(out_of_memory, CLEAR, START, EXCEPTION, "not enough", "memory")

LOG_FAILURE(port_in_use, CLEAR, START, EXCEPTION | ERROR, "address already in use", "")
LOG_FAILURE(port_in_use, CLEAR, START, EXCEPTION | ERROR, "EADDRINUSE", "")

LOG_FAILURE(disk_full, CLEAR, ANY, EXCEPTION | ERROR, "No space left on device", "")
LOG_FAILURE(disk_full, CLEAR, ANY, EXCEPTION | ERROR, "Disk quota exceeded", "")

LOG_FAILURE(nccl_error, CLEAR, ANY, EXCEPTION | ERROR, "NCCL error", "")
LOG_FAILURE(nccl_error, CLEAR, ANY, EXCEPTION | ERROR, "Watchdog caught collective operation timeout", "")
LOG_FAILURE(nccl_error, CLEAR, ANY, EXCEPTION, "DistBackendError", "")
LOG_FAILURE(nccl_error, CLEAR, ANY, EXCEPTION, "DistStoreError", "")
LOG_FAILURE(nccl_error, CLEAR, ANY, EXCEPTION, "ncclUnhandledCudaError", "")
LOG_FAILURE(nccl_error, CLEAR, ANY, EXCEPTION, "ncclSystemError", "")
LOG_FAILURE(nccl_error, CLEAR, ANY, EXCEPTION, "ncclInternalError", "")
LOG_FAILURE(nccl_error, CLEAR, ANY, EXCEPTION, "ncclRemoteError", "")

LOG_FAILURE(driver_mismatch, CLEAR, ANY, EXCEPTION, "driver on your system is too old", "")
LOG_FAILURE(driver_mismatch, CLEAR, ANY, EXCEPTION, "driver version is insufficient", "")
LOG_FAILURE(driver_mismatch, CLEAR, ANY, EXCEPTION, "forward compatibility was attempted", "")
LOG_FAILURE(driver_mismatch, CLEAR, ANY, EXCEPTION, "unsupported display driver", "")
LOG_FAILURE(driver_mismatch, CLEAR, ANY, EXCEPTION, "Driver/library version mismatch", "")
LOG_FAILURE(driver_mismatch, CLEAR, ANY, EXCEPTION, "compiled with an unsupported toolchain", "")
LOG_FAILURE(driver_mismatch, CLEAR, START, EXCEPTION, "libcuda.so", "cannot open shared object file")

LOG_FAILURE(no_gpu, CLEAR, START, EXCEPTION, "Failed to infer device type", "")
LOG_FAILURE(no_gpu, CLEAR, START, EXCEPTION, "No CUDA GPUs are available", "")
LOG_FAILURE(no_gpu, CLEAR, START, EXCEPTION, "no CUDA-capable device", "")
LOG_FAILURE(no_gpu, CLEAR, START, EXCEPTION, "Found no NVIDIA driver", "")
LOG_FAILURE(no_gpu, CLEAR, START, EXCEPTION, "No HIP GPUs are available", "")
LOG_FAILURE(no_gpu, CLEAR, START, EXCEPTION, "CUDA error: invalid device ordinal", "")
LOG_FAILURE(no_gpu, CLEAR, START, EXCEPTION, "Current node has no GPU available", "")
LOG_FAILURE(no_gpu, CLEAR, START, EXCEPTION, "required GPUs exceeds the total number", "")
LOG_FAILURE(no_gpu, CLEAR, START, EXCEPTION, "is larger than the number of available GPUs", "")

LOG_FAILURE(cuda_error, CLEAR, ANY, EXCEPTION, "CUDA error: ", "")
LOG_FAILURE(cuda_error, CLEAR, ANY, EXCEPTION, "CUDA driver error", "")
LOG_FAILURE(cuda_error, CLEAR, ANY, EXCEPTION, "cudaError", "")
LOG_FAILURE(cuda_error, CLEAR, ANY, EXCEPTION, "CUBLAS_STATUS_", "")
LOG_FAILURE(cuda_error, CLEAR, ANY, EXCEPTION, "CUDNN_STATUS_", "")
LOG_FAILURE(cuda_error, CLEAR, ANY, EXCEPTION, "no kernel image is available", "")
LOG_FAILURE(cuda_error, CLEAR, ANY, EXCEPTION, "Triton Error [CUDA]", "")
LOG_FAILURE(cuda_error, CLEAR, ANY, EXCEPTION, "HIP error: ", "")
LOG_FAILURE(cuda_error, CLEAR, ANY, EXCEPTION, "hipError", "")
LOG_FAILURE(cuda_error, CLEAR, ANY, EXCEPTION, "backend failed with error:", "UR_RESULT_ERROR_")
LOG_FAILURE(cuda_error, CLEAR, ANY, EXCEPTION, "acl api failed", "")

LOG_FAILURE(gated_model, CLEAR, START, EXCEPTION, "GatedRepoError", "")
LOG_FAILURE(gated_model, CLEAR, START, EXCEPTION, "gated repo", "")

LOG_FAILURE(quantization_mismatch, CLEAR, START, EXCEPTION | DETAIL, "Cannot find the config file for ", "")
LOG_FAILURE(quantization_mismatch, CLEAR, START, EXCEPTION | DETAIL, "does not match the quantization", "")
LOG_FAILURE(quantization_mismatch, CLEAR, START, EXCEPTION | DETAIL, "for quantization method", "")
LOG_FAILURE(quantization_mismatch, CLEAR, START, EXCEPTION | DETAIL, "The quantization method ", "")
LOG_FAILURE(quantization_mismatch, CLEAR, START, EXCEPTION | DETAIL, "Unknown quantization method", "")
LOG_FAILURE(quantization_mismatch, CLEAR, START, EXCEPTION | DETAIL, "Invalid quantization method", "")
LOG_FAILURE(quantization_mismatch, CLEAR, START, EXCEPTION | DETAIL, "quantization is currently not supported", "")
LOG_FAILURE(quantization_mismatch, CLEAR, START, EXCEPTION, "not aligned with the quantized weight shape", "")
LOG_FAILURE(quantization_mismatch, CLEAR, START, EXCEPTION, "is not divisible by weight quantization block", "")

LOG_FAILURE(model_not_found, CLEAR, START, EXCEPTION | DETAIL, "RepositoryNotFoundError", "")
LOG_FAILURE(model_not_found, CLEAR, START, EXCEPTION | DETAIL, "RevisionNotFoundError", "")
LOG_FAILURE(model_not_found, CLEAR, START, EXCEPTION | DETAIL, "LocalEntryNotFoundError", "")
LOG_FAILURE(model_not_found, CLEAR, START, EXCEPTION | DETAIL, "HFValidationError", "")
LOG_FAILURE(model_not_found, CLEAR, START, EXCEPTION | DETAIL, "is not a valid model identifier", "")
LOG_FAILURE(model_not_found, CLEAR, START, EXCEPTION | DETAIL, "Invalid repository ID or local directory", "")
LOG_FAILURE(model_not_found, CLEAR, START, EXCEPTION | DETAIL, "We couldn't connect to ", "")
LOG_FAILURE(model_not_found, CLEAR, START, EXCEPTION | DETAIL, "Can't load the configuration of ", "")
LOG_FAILURE(model_not_found, CLEAR, START, EXCEPTION | DETAIL, "does not appear to have a file named ", "")
LOG_FAILURE(model_not_found, CLEAR, START, EXCEPTION, "Cannot find any model weights with ", "")

LOG_FAILURE(unsupported_model, CLEAR, START, EXCEPTION | DETAIL, "Model architectures ", "")
LOG_FAILURE(unsupported_model, CLEAR, START, EXCEPTION | DETAIL, "has no vLLM implementation", "")
LOG_FAILURE(unsupported_model, CLEAR, START, EXCEPTION | DETAIL, "does not recognize this architecture", "")
LOG_FAILURE(unsupported_model, CLEAR, START, EXCEPTION, "weights were not initialized from checkpoint", "")
LOG_FAILURE(unsupported_model, CLEAR, START, EXCEPTION, "There is no module or parameter named ", "")
LOG_FAILURE(unsupported_model, CLEAR, START, EXCEPTION, "Attempted to load weight ", "")

LOG_FAILURE(missing_dependency, CLEAR, START, EXCEPTION, "ModuleNotFoundError: ", "")
LOG_FAILURE(missing_dependency, CLEAR, START, EXCEPTION, "ImportError: ", "")
LOG_FAILURE(missing_dependency, CLEAR, START, EXCEPTION, "PackageNotFoundError", "")
LOG_FAILURE(missing_dependency, CLEAR, START, EXCEPTION, "Could not find nvcc", "")
LOG_FAILURE(missing_dependency, CLEAR, START, EXCEPTION, "Failed to find C compiler", "")
LOG_FAILURE(missing_dependency, CLEAR, START, EXCEPTION, "Ninja is required", "")
LOG_FAILURE(missing_dependency, CLEAR, START, EXCEPTION | PLAIN, "error while loading shared libraries: ", "")

LOG_FAILURE(invalid_argument, CLEAR, START, USAGE, ": error: argument ", "")
LOG_FAILURE(invalid_argument, CLEAR, START, USAGE, ": error: unrecognized arguments", "")
LOG_FAILURE(invalid_argument, CLEAR, START, USAGE, ": error: the following arguments are required", "")
LOG_FAILURE(invalid_argument, CLEAR, START, USAGE, ": error: ambiguous option", "")
LOG_FAILURE(invalid_argument, CLEAR, START, USAGE, ": error: unknown option", "")
LOG_FAILURE(invalid_argument, CLEAR, START, USAGE, ": error: one of the arguments ", "")
LOG_FAILURE(invalid_argument, CLEAR, START, EXCEPTION, "argparse.ArgumentError", "")

LOG_FAILURE(invalid_configuration, CLEAR, START, EXCEPTION | DETAIL, "User-specified max_model_len", "")
LOG_FAILURE(invalid_configuration, CLEAR, START, EXCEPTION | DETAIL, "must be divisible by tensor parallel size", "")
LOG_FAILURE(invalid_configuration, CLEAR, START, EXCEPTION | DETAIL, "is smaller than max_model_len", "")
LOG_FAILURE(invalid_configuration, CLEAR, START, EXCEPTION | DETAIL, "is not supported for this model", "")
LOG_FAILURE(invalid_configuration, CLEAR, START, DETAIL, "[type=value_error", "")
LOG_FAILURE(invalid_configuration, CLEAR, START, DETAIL, "[type=assertion_error", "")
LOG_FAILURE(invalid_argument,      CLEAR, START, DETAIL, "[type=", "")

/* vague ones last: the first row that fits a line counts */
LOG_FAILURE(gated_model, VAGUE, START, EXCEPTION, "401 Client Error", "")
LOG_FAILURE(gated_model, VAGUE, START, EXCEPTION, "403 Client Error", "")
LOG_FAILURE(model_not_found, VAGUE, START, EXCEPTION, "404 Client Error", "")
LOG_FAILURE(invalid_configuration, VAGUE, CONFIG, EXCEPTION, "ValueError: ", "")
LOG_FAILURE(invalid_configuration, VAGUE, CONFIG, EXCEPTION, "AssertionError", "")
LOG_FAILURE(invalid_configuration, VAGUE, CONFIG, EXCEPTION, "NotImplementedError: ", "")

LOG_FAILURE(hang,    VAGUE, ANY, EXCEPTION, "RPC call to ", "timed out")
LOG_FAILURE(killed,  VAGUE, ANY, ERROR, "died unexpectedly", "(exit code: -9)")
LOG_FAILURE(killed,  VAGUE, ANY, EXCEPTION, "Failed core proc(s): ", ": -9")
LOG_FAILURE(crashed, VAGUE, ANY, PLAIN, "Fatal Python error: ", "")

#undef LOG_PHASE
#undef LOG_MARK
#undef LOG_FACT
#undef LOG_READ
#undef LOG_EXECUTOR
#undef LOG_BACKEND
#undef LOG_CONFIG_FRAME
#undef LOG_FAILURE
