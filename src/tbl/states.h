/*
 * The outcomes of runs, requests and checks, as written in result files.
 *
 * STATUS(id, name, exit, results, error, run, text)   the result's `status`
 *   exit      exit status of `run` unless a worse error occurred (INTERRUPTED: 128 + signal)
 *   results   ALWAYS: `results` is an object; NEVER: it is null; MAYBE: either
 *   error     the same of `error`
 *   run       name of such a run in a line without a verdict
 * STAGE(id, name, text)                  the stage that the experiment had reached: `error.stage`
 * CAUSE(id, name, text, hint)            the cause of a failed experiment: `error.cause`; hint: the
 *                                        remedy, one sentence without a period: `error.hint`; load options
 *                                        in braces are replaced by the names that the user knows;
 *                                        PID is a process that outlives the run; the parenthesis around
 *                                        it is omitted if it is unknown
 * ARTIFACT(id, name, text)               kind of an artifact: `artifacts[].kind`
 * SOURCE(id, name, text)                 source of a line in the series file: `source`
 * FAILURE(name, text)                    why one request failed: `error.kind` of its record
 * TOKENS(id, name, text)                 where a record's token count comes from
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef STATUS
#define STATUS(id, name, exit, results, error, run, text)
#endif
#ifndef STAGE
#define STAGE(id, name, text)
#endif
#ifndef CAUSE
#define CAUSE(id, name, text, hint)
#endif
#ifndef ARTIFACT
#define ARTIFACT(id, name, text)
#endif
#ifndef SOURCE
#define SOURCE(id, name, text)
#endif
#ifndef FAILURE
#define FAILURE(name, text)
#endif
#ifndef TOKENS
#define TOKENS(id, name, text)
#endif

STATUS(COMPLETED,     completed,     0,   ALWAYS, NEVER,  "a whole run",        "all requests were sent; failures stay within max_error_share")
STATUS(PARTIAL,       partial,       1,   ALWAYS, MAYBE,  "a partial run",      "more than max_error_share of the requests failed")
STATUS(FAILED,        failed,        1,   MAYBE,  ALWAYS, "a run that failed",  "no request finished, or the server ended during the run")
STATUS(LAUNCH_FAILED, launch_failed, 3,   NEVER,  ALWAYS, "a run whose server was not ready", "the server ended before it was ready, or was not ready within ready_timeout")
STATUS(TIMEOUT,       timeout,       4,   MAYBE,  ALWAYS, "a run that timed out", "run_timeout or stall_timeout passed")
STATUS(INTERRUPTED,   interrupted,   130, MAYBE,  ALWAYS, "an interrupted run", "ended by a signal")

STAGE(PREPARE, prepare, "prompts, tokenizer, schedule")
STAGE(LAUNCH,  launch,  "from the start of the server to its response to a real request")
STAGE(WARMUP,  warmup,  "warm-ups")
STAGE(MEASURE, measure, "the measured run")
STAGE(STOP,    stop,    "end of the server, writing of artifacts")

CAUSE(OUT_OF_MEMORY,         out_of_memory,         "the memory of a GPU or of the host was too small",
      "lower gpu_memory_utilization, max_model_len or max_num_seqs, use more GPUs (tensor_parallel_size), or end other processes that use the memory ('profllm gpus' lists them)")
CAUSE(KV_CACHE_TOO_SMALL,    kv_cache_too_small,    "the memory that the weights leave is too small for the KV cache of one request of maximum length",
      "lower max_model_len, raise gpu_memory_utilization, use kv_cache_dtype fp8, or spread the weights over more GPUs")
CAUSE(MEMORY_CHANGED,        memory_changed,        "another process took or released GPU memory while the server measured it",
      "end the other processes on the GPU ('profllm gpus' lists them), then repeat the run; launch.gpus reserves GPUs for one run")
CAUSE(INVALID_ARGUMENT,      invalid_argument,      "the server refused an argument or its value",
      "run 'profllm validate' to see the argument and its allowed values; 'profllm params' lists the arguments of a release")
CAUSE(INVALID_CONFIGURATION, invalid_configuration, "the arguments contradict each other or the model",
      "read the message in the log, then run 'profllm validate --explain' on the file; set launch.vllm_version if the server is of another release")
CAUSE(PORT_IN_USE,           port_in_use,           "another process holds a port that the server needs",
      "leave launch.port at auto, or end the process that holds the port (process PID)")
CAUSE(MODEL_NOT_FOUND,       model_not_found,       "the model, its revision or a file of it does not exist",
      "check the name or path of the model and its revision: use one that the server lists, or one that exists on the hub or in the cache of HF_HOME")
CAUSE(HUB_UNREACHABLE,       hub_unreachable,       "the hub did not respond: no network, no name resolution, a proxy, or too many requests",
      "check the network and HTTPS_PROXY; set HF_HUB_OFFLINE=1 in launch.env if the model is in the Hugging Face cache, or use a local path")
CAUSE(GATED_MODEL,           gated_model,           "the model requires a token with access",
      "accept the license on the page of the model, and set HF_TOKEN in the environment or in launch.env")
CAUSE(BROKEN_WEIGHTS,        broken_weights,        "a file of the model is incomplete or damaged",
      "download the model again (hf download --force-download), and check the free space of HF_HOME")
CAUSE(UNSUPPORTED_MODEL,     unsupported_model,     "the release cannot run this model: unknown architecture, or weights that do not fit it",
      "use a release that knows the architecture, or set hf_overrides, model_impl or trust_remote_code as the page of the model says")
CAUSE(REMOTE_CODE,           remote_code,           "the model has its own code, which the server runs only with trust_remote_code",
      "set trust_remote_code if you trust the author of the model")
CAUSE(TOKENIZER_ERROR,       tokenizer_error,       "the server could not load the tokenizer",
      "check tokenizer and tokenizer_mode, and that the model's directory has its tokenizer files; update transformers if it is older than the model")
CAUSE(QUANTIZATION_MISMATCH, quantization_mismatch, "quantization does not fit the checkpoint or the GPU",
      "leave quantization unset so that the checkpoint decides, or use a checkpoint of that method")
CAUSE(MISSING_DEPENDENCY,    missing_dependency,    "a module or library that the server needs is not installed",
      "install the package that the log names into the environment of launch.command")
CAUSE(VERSION_CLASH,         version_clash,         "installed packages are incompatible",
      "install the server with its own torch into a new environment; do not separately install the package that the log names")
CAUSE(PERMISSION_DENIED,     permission_denied,     "the server has no permission to read or write a file or directory",
      "set HF_HOME, VLLM_CACHE_ROOT, TRITON_CACHE_DIR and TORCHINDUCTOR_CACHE_DIR in launch.env to directories that the user of the server can write")
CAUSE(PROCESS_LIMIT,         process_limit,         "a limit of the host on open files, threads or processes was reached",
      "raise the limits of the user (ulimit -u, ulimit -n) or of the container (--pids-limit), or set OMP_NUM_THREADS in launch.env")
CAUSE(KERNEL_COMPILATION,    kernel_compilation,    "the server could not compile a kernel (FlashInfer, Triton, torch.compile)",
      "read the lines of the compiler above the line shown; try enforce_eager or another attention_backend")
CAUSE(NO_GPU,                no_gpu,                "the server found no GPU, or fewer than it needs",
      "check launch.gpus, CUDA_VISIBLE_DEVICES and nvidia-smi; set launch.platform to cpu for a server without a GPU")
CAUSE(GPU_TOO_OLD,           gpu_too_old,           "the GPU does not support a requested feature, such as bfloat16, FP8 or an attention backend",
      "leave dtype, kv_cache_dtype, quantization and attention_backend unset or change the one that the log names, or use a newer GPU")
CAUSE(CUDA_ERROR,            cuda_error,            "a GPU or its runtime failed",
      "repeat the run with CUDA_LAUNCH_BLOCKING=1 in launch.env to locate the error; look for Xid lines in the kernel log, and try another GPU or enforce_eager")
CAUSE(DRIVER_MISMATCH,       driver_mismatch,       "the driver of the GPU is missing, or too old for the server",
      "update the driver, or install a build of the server for the CUDA version that nvidia-smi shows")
CAUSE(NCCL_ERROR,            nccl_error,            "the GPUs of the server could not communicate",
      "repeat the run with NCCL_DEBUG=INFO in launch.env; try disable_custom_all_reduce or NCCL_P2P_DISABLE=1, and check the size of /dev/shm")
CAUSE(CLUSTER_ERROR,         cluster_error,         "processes or nodes of the server did not find each other",
      "check that the nodes reach each other; set VLLM_HOST_IP, GLOO_SOCKET_IFNAME and NCCL_SOCKET_IFNAME on every node")
CAUSE(SHM_TOO_SMALL,         shm_too_small,         "/dev/shm is too small for the processes of the server",
      "enlarge /dev/shm: run the container with --ipc=host or --shm-size=16g, or mount a larger emptyDir of medium Memory")
CAUSE(DISK_FULL,             disk_full,             "a file system is full",
      "free space in the cache directories (HF_HOME, VLLM_CACHE_ROOT), /tmp, /dev/shm and the output directory")
CAUSE(HOST_MEMORY,           host_memory,           "the kernel killed the server because the host or its cgroup ran out of memory",
      "use a host or cgroup with more memory, or lower swap_space, cpu_offload_gb, max_num_seqs and the number of loading workers")
CAUSE(JOB_LIMIT,             job_limit,             "the job scheduler refused or ended the server",
      "ask the scheduler for more time, memory or GPUs")
CAUSE(CONTAINER_ENGINE,      container_engine,      "the container engine could not start the server",
      "run the command in launch.argv of the result by hand to see the error of the container engine")
CAUSE(KILLED,                killed,                "a signal from outside ended the server, or profllm itself (the result was recovered)",
      "find out what sent it: a job scheduler, a supervisor or a user")
CAUSE(CRASHED,               crashed,               "the server, or vLLM's client, ended by itself",
      "read the first traceback in its log; repeat the run with enforce_eager, or with another release")
CAUSE(HANG,                  hang,                  "the server runs but does not respond within stall_timeout, or its workers do not respond",
      "look for NCCL or GPU errors in its log; raise {benchmark.stall_timeout} if such pauses are normal; to see what it waits for, repeat the run and use py-spy dump --pid on its process ('profllm gpus' lists it)")
CAUSE(READY_TIMEOUT,         ready_timeout,         "the server was not ready within ready_timeout",
      "raise launch.ready_timeout if its log shows progress (download, weights, compilation); otherwise find the last step in its log")
CAUSE(ENGINE_TIMEOUT,        engine_timeout,        "the frontend of the server stopped waiting for the start of its engine",
      "raise VLLM_ENGINE_READY_TIMEOUT_S in launch.env, and launch.ready_timeout; faster storage or safetensors_load_strategy shortens the loading")
CAUSE(NOT_EXECUTABLE,        not_executable,        "the program of the server is missing or cannot be executed",
      "check launch.command and PATH; activate the environment of the server, or use the full path of the program; 'profllm run --sim' needs no vLLM")
CAUSE(UNREACHABLE,           unreachable,           "the server of launch.url does not respond",
      "check the address and that the server runs; raise {benchmark.ready_check_timeout_sec} if it is still starting")
CAUSE(ALL_FAILED,            all_failed,            "no request finished",
      "read the first errors above the table; try one request by hand")
CAUSE(RUN_TIMEOUT,           run_timeout,           "the run did not finish within run_timeout",
      "raise launch.run_timeout, or send fewer requests")
CAUSE(SIGNAL,                signal,                "a signal ended the run",
      "repeat the run to get metrics that you can compare")
CAUSE(INTERNAL,              internal,              "an error of profllm or of its host",
      "report it together with the result file")
CAUSE(UNKNOWN,               unknown,               "the server ended without a known cause in its log",
      "read the last lines of its log; for more detail, set VLLM_LOGGING_LEVEL=DEBUG in launch.env")

ARTIFACT(REQUESTS,   requests,   "one record per request")
ARTIFACT(SERIES,     series,     "telemetry")
ARTIFACT(SERVER_LOG, server_log, "output of the server, with secrets replaced by ***")
ARTIFACT(CLIENT_LOG, client_log, "output of vLLM's client (benchmark.client: vllm)")
ARTIFACT(CLIENT_PLOT, client_plot, "plots of vLLM's client")
ARTIFACT(TIMELINE,   timeline,   "the requests over time, an HTML page (benchmark.plot_timeline)")
ARTIFACT(DATASET_STATS, dataset_stats, "the lengths of prompts and outputs, a PNG (benchmark.plot_dataset_stats)")
ARTIFACT(TRACE,      trace,      "trace of a profiler")
ARTIFACT(CAPTURE,    capture,    "bytes on the wire")

SOURCE(LOAD,   load,   "counters of the load generator")
SOURCE(CLIENT, client, "this process")
SOURCE(HOST,   host,   "the whole host")
SOURCE(GPU,    gpu,    "one GPU")
SOURCE(SERVER, server, "all processes of the server")
SOURCE(SERVER_METRICS, server_metrics, "the server's /metrics")

FAILURE(connect,      "could not connect")
FAILURE(send,         "could not send the complete request")
FAILURE(reset,        "the connection broke before the response was complete")
FAILURE(http_status,  "the server responded with an error status")
FAILURE(protocol,     "the response is not HTTP, or not the expected event stream or JSON")
FAILURE(stream_error, "the stream carried an error object")
FAILURE(truncated,    "the response ended before it was complete")
FAILURE(no_output,    "the response is complete, but has no output")
FAILURE(timeout,      "the request did not finish within request_timeout")
FAILURE(stalled,      "stall_timeout ended the run while the request was open")
FAILURE(abandoned,    "the run ended while the request was open")
FAILURE(not_sent,     "the run ended before the request was sent")
FAILURE(unknown,      "no reason recorded")

TOKENS(NONE,      none,      "no tokens")
TOKENS(USAGE,     usage,     "the server's usage")
TOKENS(IDS,       ids,       "token ids in the events")
TOKENS(TOKENIZER, tokenizer, "text, counted afterwards")
TOKENS(EVENTS,    events,    "one event counted as one token")

#undef STATUS
#undef STAGE
#undef CAUSE
#undef ARTIFACT
#undef SOURCE
#undef FAILURE
#undef TOKENS
