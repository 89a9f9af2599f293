/*
 * What can become of a run, of one request, and of a check: the words that stand in result files.
 *
 * STATUS(id, name, exit, results, error, run, text)   the result's `status`
 *   exit      exit status of `run` where nothing worse happened (INTERRUPTED: 128 + signal)
 *   results   ALWAYS: `results` is an object; NEVER: it is null; MAYBE: either
 *   error     the same of `error`
 *   run       what a run that ended so is called, in a line that gives it no verdict
 * STAGE(id, name, text)                  how far the experiment had come: `error.stage`
 * CAUSE(id, name, text, hint)            the cause of a failed experiment: `error.cause`; hint: what to
 *                                        try, one sentence without a full stop: `error.hint`; load options
 *                                        stand in braces, as whoever asked for the run calls them;
 *                                        PID is a process that outlives the run, and the parenthesis
 *                                        around it is left out where that is not known
 * ARTIFACT(id, name, text)               what a side file is: `artifacts[].kind`
 * SOURCE(id, name, text)                 what a line of the series file was read from: `source`
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
STATUS(FAILED,        failed,        1,   MAYBE,  ALWAYS, "a run that failed",  "nothing finished, or the server died during the run")
STATUS(LAUNCH_FAILED, launch_failed, 3,   NEVER,  ALWAYS, "a failed launch", "the server died before it was ready, or ready_timeout passed")
STATUS(TIMEOUT,       timeout,       4,   MAYBE,  ALWAYS, "a run that timed out", "run_timeout or stall_timeout passed")
STATUS(INTERRUPTED,   interrupted,   130, MAYBE,  ALWAYS, "an interrupted run", "ended by a signal")

STAGE(PREPARE, prepare, "prompts, tokenizer, schedule")
STAGE(LAUNCH,  launch,  "from the start of the server to its answer to one real request")
STAGE(WARMUP,  warmup,  "warm-ups")
STAGE(MEASURE, measure, "the measured run")
STAGE(STOP,    stop,    "end of the server, side files")

CAUSE(OUT_OF_MEMORY,         out_of_memory,         "the memory of a GPU, or what the server asked of the host, did not suffice",
      "lower gpu_memory_utilization, max_model_len or max_num_seqs, give it more GPUs (tensor_parallel_size), or end what else holds the memory (profllm gpus shows it)")
CAUSE(KV_CACHE_TOO_SMALL,    kv_cache_too_small,    "after the weights too little memory is left for the KV cache of one request of full length",
      "lower max_model_len, raise gpu_memory_utilization, use kv_cache_dtype fp8, or spread the weights over more GPUs")
CAUSE(MEMORY_CHANGED,        memory_changed,        "another process took or released GPU memory while the server measured it",
      "end what else uses the GPU (profllm gpus shows it), then start again; launch.gpus locks GPUs against other runs")
CAUSE(INVALID_ARGUMENT,      invalid_argument,      "the server refused an argument or its value",
      "profllm validate names the argument and what it may be; profllm params lists those of a release")
CAUSE(INVALID_CONFIGURATION, invalid_configuration, "the arguments do not go together, or not with the model",
      "read the refusal in the log, then profllm validate --explain on the same file; set launch.vllm_version if its rules are those of another release")
CAUSE(PORT_IN_USE,           port_in_use,           "another process holds a port that the server needs",
      "leave launch.port at auto, or end the process that holds the port (process PID)")
CAUSE(MODEL_NOT_FOUND,       model_not_found,       "the model, its revision or a file of it does not exist",
      "check the model's name or path, and revision: one that the server lists, or one that exists on the hub or in the cache of HF_HOME")
CAUSE(HUB_UNREACHABLE,       hub_unreachable,       "the hub did not answer: no network, no name service, a proxy, or too many requests",
      "check the network and HTTPS_PROXY; set HF_HUB_OFFLINE=1 in launch.env if the model is in the cache of Hugging Face, or name a local path")
CAUSE(GATED_MODEL,           gated_model,           "the model exists, and may not be read without a token that was granted access",
      "accept the licence of the model on its page and pass HF_TOKEN in the environment or launch.env")
CAUSE(BROKEN_WEIGHTS,        broken_weights,        "a file of the model is incomplete or damaged",
      "download the model again (hf download --force-download), and check the free space of HF_HOME")
CAUSE(UNSUPPORTED_MODEL,     unsupported_model,     "the release cannot run this model: unknown architecture, or weights that do not fit it",
      "use a release that knows the architecture, or set hf_overrides, model_impl or trust_remote_code as the page of the model says")
CAUSE(REMOTE_CODE,           remote_code,           "the model has its own code, which the server does not run without permission",
      "set trust_remote_code if you trust the author of the model")
CAUSE(TOKENIZER_ERROR,       tokenizer_error,       "the server could not load the tokenizer",
      "check tokenizer and tokenizer_mode, and that the model's directory has its tokenizer files; update transformers if it is older than the model")
CAUSE(QUANTIZATION_MISMATCH, quantization_mismatch, "quantization does not fit the checkpoint or the GPU",
      "leave quantization unset so that the checkpoint decides, or take a checkpoint of that method")
CAUSE(MISSING_DEPENDENCY,    missing_dependency,    "a module or library that the server needs is not installed",
      "install what the log names in the environment that launch.command starts")
CAUSE(VERSION_CLASH,         version_clash,         "installed packages do not fit each other",
      "install the server into a new environment together with its own torch; do not install what the log names on its own")
CAUSE(PERMISSION_DENIED,     permission_denied,     "the server may not read or write a file or directory",
      "set HF_HOME, VLLM_CACHE_ROOT, TRITON_CACHE_DIR and TORCHINDUCTOR_CACHE_DIR in launch.env to directories that the user of the server may write")
CAUSE(PROCESS_LIMIT,         process_limit,         "a limit of the host on open files, threads or processes was reached",
      "raise the limits of the user (ulimit -u, ulimit -n) or of the container (--pids-limit), or set OMP_NUM_THREADS in launch.env")
CAUSE(KERNEL_COMPILATION,    kernel_compilation,    "the server could not compile a kernel (FlashInfer, Triton, torch.compile)",
      "read the compiler's lines above the one that is shown; try enforce_eager or another attention_backend")
CAUSE(NO_GPU,                no_gpu,                "the server found no GPU, or fewer than it needs",
      "check launch.gpus, CUDA_VISIBLE_DEVICES and nvidia-smi; a server for processors needs launch.platform cpu")
CAUSE(GPU_TOO_OLD,           gpu_too_old,           "the GPU lacks what was asked for, such as bfloat16, FP8 or an attention backend",
      "leave dtype, kv_cache_dtype, quantization and attention_backend unset or change the one that the log names, or use a newer GPU")
CAUSE(CUDA_ERROR,            cuda_error,            "a GPU or its runtime failed",
      "run again with CUDA_LAUNCH_BLOCKING=1 in launch.env to see where; look for Xid lines in the log of the kernel, and try another GPU or enforce_eager")
CAUSE(DRIVER_MISMATCH,       driver_mismatch,       "the driver of the GPU is missing, or too old for the server",
      "update the driver, or install a build of the server for the CUDA version that nvidia-smi shows")
CAUSE(NCCL_ERROR,            nccl_error,            "the GPUs of the server could not talk to each other",
      "run again with NCCL_DEBUG=INFO in launch.env; try disable_custom_all_reduce or NCCL_P2P_DISABLE=1, and check the size of /dev/shm")
CAUSE(CLUSTER_ERROR,         cluster_error,         "processes or nodes of the server did not find each other",
      "check that the nodes reach each other; set VLLM_HOST_IP, GLOO_SOCKET_IFNAME and NCCL_SOCKET_IFNAME on every node")
CAUSE(SHM_TOO_SMALL,         shm_too_small,         "/dev/shm has no room for what the processes of the server share",
      "enlarge /dev/shm: run the container with --ipc=host or --shm-size=16g, or mount a larger emptyDir of medium Memory")
CAUSE(DISK_FULL,             disk_full,             "a file system is full",
      "free space in the folders of the cache (HF_HOME, VLLM_CACHE_ROOT), /tmp, /dev/shm and of the output")
CAUSE(HOST_MEMORY,           host_memory,           "the kernel killed the server because the memory of the host or of its control group was used up",
      "give it more memory, or lower swap_space, cpu_offload_gb, max_num_seqs and the number of loading workers")
CAUSE(JOB_LIMIT,             job_limit,             "the job scheduler refused or ended the server",
      "ask the scheduler for more time, memory or GPUs")
CAUSE(CONTAINER_ENGINE,      container_engine,      "the container engine could not start the server",
      "run the command of launch.command by hand: the engine refused it before the server ran")
CAUSE(KILLED,                killed,                "a signal from outside ended the server, or profllm itself (the result was recovered)",
      "look for who sent it: a job scheduler, a supervisor, a person")
CAUSE(CRASHED,               crashed,               "the server, or vLLM's client, ended by itself",
      "the first traceback in its log says why; run again with enforce_eager, or with another release")
CAUSE(HANG,                  hang,                  "the server lives and no longer answers: stall_timeout passed, or its workers do not answer it",
      "look for NCCL or GPU errors in its log; raise {benchmark.stall_timeout} if it may pause so long; to see what it waits for, run again and ask its process (profllm gpus names it) by py-spy dump --pid before that time has passed")
CAUSE(READY_TIMEOUT,         ready_timeout,         "ready_timeout passed while the server lived",
      "raise launch.ready_timeout if its log shows it at work (download, weights, compilation); else see where it stands still")
CAUSE(ENGINE_TIMEOUT,        engine_timeout,        "the front end stopped waiting for its engine to start",
      "raise VLLM_ENGINE_READY_TIMEOUT_S in launch.env, and launch.ready_timeout with it; faster storage or safetensors_load_strategy shortens the load")
CAUSE(NOT_EXECUTABLE,        not_executable,        "the command of launch.command cannot be started",
      "check launch.command and PATH; activate the environment of the server, or name the program by its whole path; profllm run --sim needs none")
CAUSE(UNREACHABLE,           unreachable,           "the server of launch.url does not answer",
      "check the address and that the server runs; raise {benchmark.ready_check_timeout_sec} if it is still starting")
CAUSE(ALL_FAILED,            all_failed,            "no request finished",
      "the first errors stand above the table; try one request by hand")
CAUSE(RUN_TIMEOUT,           run_timeout,           "run_timeout passed",
      "raise launch.run_timeout, or send fewer requests")
CAUSE(SIGNAL,                signal,                "a signal asked for the end",
      "what had finished is in the result; run again for a whole one")
CAUSE(INTERNAL,              internal,              "a fault of this program or its host",
      "report it with the result file")
CAUSE(UNKNOWN,               unknown,               "the server ended and nothing in its log says why",
      "read the last lines of its log; for more detail, set VLLM_LOGGING_LEVEL=DEBUG in launch.env")

ARTIFACT(REQUESTS,   requests,   "one record a request")
ARTIFACT(SERIES,     series,     "telemetry")
ARTIFACT(SERVER_LOG, server_log, "what the server wrote, secrets that it was given as ***")
ARTIFACT(CLIENT_LOG, client_log, "what vLLM's client wrote, with benchmark.client vllm")
ARTIFACT(CLIENT_PLOT, client_plot, "what vLLM's client drew")
ARTIFACT(TIMELINE,   timeline,   "the requests over time, an HTML page (benchmark.plot_timeline)")
ARTIFACT(DATASET_STATS, dataset_stats, "the lengths of prompts and outputs, a PNG (benchmark.plot_dataset_stats)")
ARTIFACT(TRACE,      trace,      "a profiler's trace")
ARTIFACT(CAPTURE,    capture,    "bytes on the wire")

SOURCE(LOAD,   load,   "the load generator's own counters")
SOURCE(CLIENT, client, "this process")
SOURCE(HOST,   host,   "the whole host")
SOURCE(GPU,    gpu,    "one GPU")
SOURCE(SERVER, server, "all processes of the server")
SOURCE(SERVER_METRICS, server_metrics, "the server's /metrics")

FAILURE(connect,      "no connection could be made")
FAILURE(send,         "the request could not be sent whole")
FAILURE(reset,        "the connection broke before the answer was whole")
FAILURE(http_status,  "the server answered with an error status")
FAILURE(protocol,     "the answer is not HTTP, not an event stream or not JSON as it should be")
FAILURE(stream_error, "the stream carried an error object")
FAILURE(truncated,    "the answer ended without its last part")
FAILURE(no_output,    "the answer is whole and holds no output")
FAILURE(timeout,      "request_timeout passed")
FAILURE(stalled,      "the run ended by stall_timeout while the request was open")
FAILURE(abandoned,    "the run ended while the request was open")
FAILURE(not_sent,     "the run ended before the request was sent")
FAILURE(unknown,      "no reason was kept")

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
