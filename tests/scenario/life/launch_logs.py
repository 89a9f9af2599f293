"""Logs of servers that did not start, in the forms of vLLM, Ray, container engines, compilers and schedulers.

Each is synthetic: the line that names the cause, and typical lines of a server's processes around it. `LOGS`: (name,
cause, a part of the reported line, a word of the hint, log).


"""

SITE = "/opt/venv/lib/python3.12/site-packages"
ENGINE = "(EngineCore pid=71)"
FRONT = "(APIServer pid=1)"
STARTS = f"""\
{FRONT} INFO 11-20 10:00:00 [startup.py:38] vLLM API server version 0.33.0
{FRONT} INFO 11-20 10:00:01 [model.py:617] Resolved architecture: LlamaForCausalLM
{ENGINE} INFO 11-20 10:00:09 [core.py:112] Initializing a V1 LLM engine (v0.33.0) with config: model='org/model', \
dtype=torch.bfloat16, max_seq_len=8192"""
WEIGHTS = f"{ENGINE} INFO 11-20 10:00:12 [gpu_model_runner.py:5001] Starting to load model org/model..."
LOADED = f"""{WEIGHTS}
{ENGINE} INFO 11-20 10:00:40 [default_loader.py:291] Loading weights took 26.12 seconds"""
CACHED = f"""{LOADED}
{ENGINE} INFO 11-20 10:01:02 [kv_cache_utils.py:1291] GPU KV cache size: 120,448 tokens"""
SUMMARY = "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"


def frame(place):
    """Returns 'gpu_worker.py:load_model' as two lines of a traceback."""
    path, function = place.rsplit(":", 1)
    return f'  File "{SITE}/{path}", line 412, in {function}\n    self.{function}()'


def traceback(error, places):
    return "\n".join(["Traceback (most recent call last):", *map(frame, places), error])


def prefixed(prefix, text):
    return "\n".join(prefix + line for line in text.split("\n"))


def engine(error, *places, before=STARTS):
    """The engine logs its traceback, and the front end logs that the engine failed."""
    text = "EngineCore failed to start.\n" + traceback(error, ["vllm/v1/engine/core.py:run_engine_core", *places])
    end = traceback(SUMMARY, ["vllm/v1/engine/utils.py:wait_for_engine_startup"])
    return "\n".join([before, prefixed(f"{ENGINE} ERROR 11-20 10:01:03 [core.py:1584] ", text),
                      f"{ENGINE} Process EngineCore:", prefixed(f"{FRONT} ", end)])


def worker(error, *places, before=STARTS):
    """A worker fails, then the engine reports it, then the front end."""
    text = "WorkerProc failed to start.\n" + traceback(error, ["vllm/v1/executor/multiproc_executor.py:worker_main",
                                                               *places])
    said = prefixed("(Worker_TP1 pid=92) ERROR 11-20 10:01:03 [multiproc_executor.py:1057] ", text)
    return engine("Exception: WorkerProc initialization failed due to an exception in a background process. See "
                  "stack trace for root cause.", "vllm/v1/executor/multiproc_executor.py:wait_for_ready",
                  before=f"{before}\n{said}")


def front(error, *places, before=""):
    return (before + "\n" if before else "") + prefixed(f"{FRONT} ", traceback(error, places))


def plain(error, *places):
    """A traceback without any prefix, as of a program that fails before it logs."""
    return traceback(error, places)


PYDANTIC = "pydantic_core._pydantic_core.ValidationError: 1 validation error for"
CONFIG = ["vllm/entrypoints/cli/serve.py:cmd", "vllm/engine/arg_utils.py:create_engine_config"]
LOAD = ["vllm/v1/worker/gpu_worker.py:load_model", "vllm/model_executor/model_loader/base_loader.py:load_model"]
PROFILE = ["vllm/v1/worker/gpu_worker.py:determine_available_memory", "vllm/v1/worker/gpu_model_runner.py:profile_run"]
CACHE = ["vllm/v1/worker/gpu_worker.py:initialize_from_config",
         "vllm/v1/worker/gpu_model_runner.py:initialize_kv_cache"]
GRAPHS = ["vllm/v1/worker/gpu_worker.py:compile_or_warm_up_model", "vllm/v1/worker/gpu_model_runner.py:capture_model"]
APP = ["vllm/entrypoints/openai/api_server.py:run_server_worker", "vllm/entrypoints/openai/api_server.py:init_app_state"]
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB"
TOKENIZER = "vllm/tokenizers/hf.py:get_tokenizer"

LOGS = [
    # memory
    ("weights do not fit", "out_of_memory", "OutOfMemoryError", "the weights do not fit",
     worker(OOM, *LOAD, before=f"{STARTS}\n{WEIGHTS}")),
    ("the trial run does not fit", "out_of_memory", "OutOfMemoryError", "max_num_batched_tokens",
     engine(OOM, *PROFILE, before=f"{STARTS}\n{LOADED}")),
    ("the KV cache does not fit", "out_of_memory", "OutOfMemoryError", "the KV cache does not fit",
     engine(OOM, *CACHE, before=f"{STARTS}\n{CACHED}")),
    ("the CUDA graphs do not fit", "out_of_memory", "OutOfMemoryError", "max_cudagraph_capture_size",
     engine(OOM, *GRAPHS, before=f"{STARTS}\n{CACHED}")),
    ("out of memory without a traceback", "out_of_memory", "OutOfMemoryError", "enforce_eager",
     f"{STARTS}\n{CACHED}\n{ENGINE} {OOM}"),
    ("the sampler does not fit", "out_of_memory", "warming up sampler", "max_num_seqs first",
     engine("RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy requests. Please try "
            "lowering `max_num_seqs` or `gpu_memory_utilization` when initializing the engine.", *GRAPHS)),
    ("a neighbor holds the GPU", "out_of_memory", "Free memory on device", "profllm gpus",
     engine("ValueError: Free memory on device cuda:0 (3.1/79.1 GiB) on startup is less than desired GPU memory "
            "utilization (0.92, 72.8 GiB). Decrease GPU memory utilization or reduce GPU memory used by other "
            "processes.", "vllm/v1/worker/gpu_worker.py:init_device")),
    ("a neighbor leaves during the trial run", "memory_changed", "Error in memory profiling", "end the other processes",
     engine("AssertionError: Error in memory profiling. Initial free memory 10.1 GiB, current free memory 30.2 GiB. "
            "This happens when other processes sharing the same container release GPU memory while vLLM is profiling "
            "during initialization.", "vllm/v1/worker/gpu_worker.py:determine_available_memory")),
    ("no room for one request", "kv_cache_too_small", "To serve at least one request", "the length that the log",
     engine("ValueError: To serve at least one request with the model's max seq len (131072), (16.00 GiB KV cache is "
            "needed, which is larger than the available KV cache memory (3.21 GiB). Based on the available memory, the "
            "estimated maximum model length is 26288. Try increasing `gpu_memory_utilization`.",
            "vllm/v1/core/kv_cache_planning.py:check_enough_kv_cache_memory")),
    ("a CPU worker without room", "kv_cache_too_small", "leaving none for the KV cache", "VLLM_CPU_KVCACHE_SPACE",
     engine("ValueError: The worker already uses 9.12 GiB (model weights and runtime), more than the 8.00 GiB of CPU "
            "memory reserved for it on node 0, leaving none for the KV cache. On the CPU backend, the "
            "`--gpu-memory-utilization` flag controls the fraction of CPU memory reserved (despite its name).",
            "vllm/v1/worker/cpu_worker.py:determine_available_memory")),
    ("Ray kills for memory", "host_memory", "OutOfMemoryError", "RAY_memory",
     f"{STARTS}\n{ENGINE} ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory."),
    ("systemd's out-of-memory killer", "host_memory", "OOM killer", "swap_space",
     f"{STARTS}\nNov 20 10:00:40 host systemd[1]: vllm.service: A process of this unit has been killed by the OOM killer."),
    ("Slurm kills for memory", "host_memory", "oom_kill", "--mem",
     f"{prefixed('0: ', STARTS)}\nslurmstepd: error: Detected 1 oom_kill event in StepId=8841.0. Some of the step tasks "
     "have been OOM Killed.\nsrun: error: gpu-7: task 0: Out Of Memory"),
    ("a small /dev/shm", "shm_too_small", "/psm_", "--shm-size",
     engine("OSError: [Errno 28] No space left on device: '/psm_5f1c2a77'",
            "vllm/distributed/device_communicators/shm_broadcast.py:__init__")),
    ("NCCL in a small /dev/shm", "shm_too_small", "shared memory segment", "--ipc=host",
     f"{STARTS}\nhost:92:140 [1] misc/shmutils.cc:87 NCCL WARN Error: failed to extend shared memory segment "
     "/dev/shm/nccl-Zs81fa to 33030532 bytes, error: No space left on device (28)\n" +
     worker("RuntimeError: NCCL error: unhandled system error (run with NCCL_DEBUG=INFO for details)")),
    # the GPU and its driver
    ("bfloat16 on an old GPU", "gpu_too_old", "Bfloat16 is only", "float16",
     engine("ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla T4 GPU "
            "has compute capability 7.5. You can use float16 instead by explicitly setting the `dtype` flag in CLI, for "
            "example: --dtype=half.", "vllm/platforms/cuda.py:check_if_supports_dtype")),
    ("FP8 on an old GPU", "gpu_too_old", "The quantization method fp8", "another quantization",
     front(f"{PYDANTIC} VllmConfig\n  Value error, The quantization method fp8 is not supported for the current GPU. "
           "Minimum capability: 89. Current capability: 80. [type=value_error, input_value=ArgsKwargs(()), "
           "input_type=ArgsKwargs]\n    For further information visit https://errors.pydantic.dev/2.14/v/value_error",
           *CONFIG)),
    ("FP8 in Triton on an old GPU", "gpu_too_old", "fp8e4nv not supported", "kv_cache_dtype to auto",
     engine("ValueError: type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e4b15', "
            "'fp8e5')", *PROFILE)),
    ("an attention backend on an old GPU", "gpu_too_old", "Selected backend", "attention_backend",
     engine("ValueError: Selected backend AttentionBackendEnum.FLASH_ATTN_MLA is not valid for this configuration. "
            "Reason: ['compute capability not supported']", "vllm/platforms/cuda.py:get_attn_backend_cls")),
    ("FlashAttention on an old GPU", "gpu_too_old", "Ampere", "TRITON_ATTN",
     engine("RuntimeError: FlashAttention only supports Ampere GPUs or newer.", *PROFILE)),
    ("no driver library", "driver_mismatch", "libcuda.so.1", "driver",
     plain("ImportError: libcuda.so.1: cannot open shared object file: No such file or directory", "vllm/_C.py:load")),
    ("an old driver", "driver_mismatch", "too old", "update the driver",
     engine("RuntimeError: The NVIDIA driver on your system is too old (found version 12020). Please update your GPU "
            "driver.", "torch/cuda/__init__.py:_lazy_init")),
    ("a build without kernels for the GPU", "cuda_error", "no kernel image", "compute capability",
     engine("torch.AcceleratorError: CUDA error: no kernel image is available for execution on the device", *PROFILE)),
    ("no GPU", "no_gpu", "Failed to infer device type", "CUDA_VISIBLE_DEVICES",
     plain("RuntimeError: Failed to infer device type, please set the environment variable `VLLM_LOGGING_LEVEL=DEBUG` "
           "to turn on verbose logging to help debug the issue.", "vllm/config/device.py:__post_init__")),
    # what is compiled
    ("FlashInfer without nvcc", "kernel_compilation", "nvcc", "CUDA_HOME",
     engine("RuntimeError: Could not find nvcc and default cuda_home='/usr/local/cuda' doesn't exist", *GRAPHS)),
    ("ninja fails", "kernel_compilation", "Ninja build failed", "VLLM_USE_FLASHINFER_SAMPLER",
     engine("RuntimeError: Ninja build failed. Ninja output:\nninja: Entering directory `/root/.cache/flashinfer'\n"
            "FAILED: sampling.cuda.o\nninja: build stopped: subcommand failed.", *PROFILE)),
    ("nvcc is not found by ninja", "kernel_compilation", "nvcc: not found", "CUDA_HOME",
     f"{STARTS}\n/bin/sh: 1: /usr/local/cuda/bin/nvcc: not found\n" +
     engine("subprocess.CalledProcessError: Command '['ninja', '-v', '-C', '/root/.cache/flashinfer']' returned "
            "non-zero exit status 127.", *PROFILE, before="ninja: build stopped: subcommand failed.")),
    ("Triton without a C compiler", "kernel_compilation", "C compiler", "install gcc",
     engine("torch._inductor.exc.InductorError: RuntimeError: Failed to find C compiler. Please specify via CC "
            "environment variable or set triton.knobs.build.impl.", *PROFILE)),
    ("Triton without Python.h", "kernel_compilation", "Python.h", "python3-dev",
     f"{STARTS}\n/tmp/tmpx1/cuda_utils.c:6:10: fatal error: Python.h: No such file or directory\n"
     "compilation terminated.\n" +
     engine("subprocess.CalledProcessError: Command '['/usr/bin/gcc', '/tmp/tmpx1/cuda_utils.c', '-O3']' returned "
            "non-zero exit status 1.", *PROFILE)),
    ("ptxas does not know the GPU", "kernel_compilation", "ptxas fatal", "TRITON_PTXAS_PATH",
     f"{STARTS}\nptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'\n" +
     engine("triton.runtime.errors.PTXASError: PTXAS error: Internal Triton PTX codegen error", *PROFILE)),
    ("a kernel needs more shared memory", "kernel_compilation", "OutOfResources", "block_size",
     engine("triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 131072, Hardware limit: "
            "101376. Reducing block sizes or `num_stages` may help.", *PROFILE)),
    # the hub
    ("no name service", "hub_unreachable", "name resolution", "HF_HUB_OFFLINE",
     front("httpx.ConnectError: [Errno -3] Temporary failure in name resolution",
           "huggingface_hub/file_download.py:get_hf_file_metadata")),
    ("the hub is not reached", "hub_unreachable", "We couldn't connect", "HTTPS_PROXY",
     front("OSError: We couldn't connect to 'https://huggingface.co' to load the files, and couldn't find them in the "
           "cached files.\nCheck your internet connection or see how to run the library in offline mode.",
           "transformers/utils/hub.py:cached_files")),
    ("too many requests", "hub_unreachable", "429 Client Error", "wait some minutes",
     engine("huggingface_hub.errors.HfHubHTTPError: 429 Client Error: Too Many Requests for url: "
            "https://huggingface.co/api/models/org/model/revision/main", *LOAD)),
    ("a gated model", "gated_model", "GatedRepoError", "HF_TOKEN",
     front("huggingface_hub.errors.GatedRepoError: 401 Client Error. (Request ID: Root=1-6)\n\nCannot access gated repo "
           "for url https://huggingface.co/org/model/resolve/main/config.json.\nAccess to model org/model is "
           "restricted.", "huggingface_hub/utils/_http.py:hf_raise_for_status")),
    ("a token without access", "gated_model", "403 Client Error", "fine-grained",
     front("huggingface_hub.errors.GatedRepoError: 403 Client Error. (Request ID: Root=1-6)\n\nCannot access gated repo "
           "for url https://huggingface.co/org/model/resolve/main/config.json.",
           "huggingface_hub/utils/_http.py:hf_raise_for_status")),
    ("a wrong token", "gated_model", "Invalid user token", "create a token",
     front("requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: https://huggingface.co/api/whoami-v2\n"
           "huggingface_hub.errors.HfHubHTTPError: 401 Client Error. (Request ID: Root=1-6) Invalid user token.",
           "huggingface_hub/hf_api.py:whoami")),
    # the model
    ("no such model", "model_not_found", "RepositoryNotFoundError", "name or path",
     front("huggingface_hub.errors.RepositoryNotFoundError: 401 Client Error. (Request ID: Root=1-6)\n\nRepository Not "
           "Found for url: https://huggingface.co/org/no-model/resolve/main/config.json.",
           "huggingface_hub/utils/_http.py:hf_raise_for_status")),
    ("no such path", "model_not_found", "HFValidationError", "mount it",
     front("huggingface_hub.errors.HFValidationError: Repo id must be in the form 'repo_name' or 'namespace/repo_name': "
           "'/models/llama'. Use `repo_type` argument if needed.",
           "huggingface_hub/utils/_validators.py:validate_repo_id")),
    ("a path without config.json", "model_not_found", "Invalid repository ID", "config.json",
     front(f"{PYDANTIC} ModelConfig\n  Value error, Invalid repository ID or local directory specified: '/models/x'.\n"
           "Please verify the following requirements:\n1. Provide a valid Hugging Face repository ID.\n"
           "2. Specify a local directory that contains a recognized configuration file. [type=value_error, "
           "input_value=ArgsKwargs(()), input_type=ArgsKwargs]", *CONFIG)),
    ("a checkpoint without weights", "model_not_found", "Cannot find any model weights", "load_format",
     engine("RuntimeError: Cannot find any model weights with `/models/x`", *LOAD)),
    ("weights that are cut", "broken_weights", "SafetensorError", "download the model again",
     engine("safetensors_rust.SafetensorError: Error while deserializing header: incomplete metadata, file not fully "
            "covered", *LOAD, "vllm/model_executor/model_loader/weight_utils.py:safetensors_weights_iterator")),
    ("a pointer in place of weights", "broken_weights", "UnpicklingError", "git lfs pull",
     engine("_pickle.UnpicklingError: invalid load key, 'v'.", *LOAD)),
    ("a missing shard", "broken_weights", "referenced in index", "download the model again",
     engine("FileNotFoundError: Weight files referenced in index but missing: {'/models/x/model-00002.safetensors'}",
            *LOAD)),
    ("unknown weights", "unsupported_model", "KeyError", "release",
     engine("KeyError: 'layers.0.mlp.gate.e_score_correction_bias'", *LOAD,
            "vllm/model_executor/models/qwen3_moe.py:load_weights")),
    ("weights of an unknown quantization", "quantization_mismatch", "KeyError", "newer release",
     engine("KeyError: 'layers.0.mlp.experts.w2_weight_scale'", *LOAD,
            "vllm/model_executor/models/qwen3_moe.py:load_weights")),
    ("an unknown architecture", "unsupported_model", "does not recognize this architecture", "trust_remote_code",
     front(f"{PYDANTIC} ModelConfig\n  Value error, The checkpoint you are trying to load has model type `new_one` but "
           "Transformers does not recognize this architecture. This could be because of an issue with the checkpoint, "
           "or because your version of Transformers is out of date.\n\nYou can update Transformers with the command "
           "`pip install --upgrade transformers`. [type=value_error, input_value=ArgsKwargs(()), "
           "input_type=ArgsKwargs]", *CONFIG)),
    ("a model with its own code", "remote_code", "contains custom code", "trust_remote_code",
     front(f"{PYDANTIC} ModelConfig\n  Value error, The repository /models/x contains custom code which must be executed "
           "to correctly load the model. You can inspect the repository content at https://hf.co//models/x .\n You can "
           "inspect the repository content at /models/x.\n\nPlease pass the argument `trust_remote_code=True` to allow "
           "custom code to be run. [type=value_error, input_value=ArgsKwargs(()), input_type=ArgsKwargs]", *CONFIG)),
    ("a tokenizer of a newer library", "tokenizer_error", "untagged enum", "update transformers",
     front("Exception: data did not match any variant of untagged enum ModelWrapper at line 250373 column 3",
           TOKENIZER, "transformers/tokenization_utils_fast.py:__init__")),
    ("a tokenizer without files", "tokenizer_error", "TypeError", "tokenizer files",
     front("TypeError: expected str, bytes or os.PathLike object, not NoneType", TOKENIZER,
           "transformers/tokenization_utils_base.py:_from_pretrained")),
    # what is installed
    ("an undefined symbol", "version_clash", "undefined symbol", "new environment",
     plain(f"ImportError: {SITE}/vllm/_C.abi3.so: undefined symbol: _ZN3c104cuda9SetDeviceEi",
           "vllm/platforms/cuda.py:<module>")),
    ("a name that a library no longer has", "version_clash", "cannot import name", "new environment",
     plain("ImportError: cannot import name 'AutoNewThing' from 'transformers' "
           f"({SITE}/transformers/__init__.py)", "vllm/transformers_utils/config.py:<module>")),
    ("CUDA libraries are missing", "missing_dependency", "libcudart.so.13", "LD_LIBRARY_PATH",
     plain("ImportError: libcudart.so.13: cannot open shared object file: No such file or directory",
           "vllm/platforms/cuda.py:<module>")),
    ("a module is missing", "missing_dependency", "No module named 'bitsandbytes'", "install the package that the log names",
     engine("ModuleNotFoundError: No module named 'bitsandbytes'", *LOAD)),
    ("a cache that may not be written", "permission_denied", "PermissionError", "VLLM_CACHE_ROOT",
     engine("PermissionError: [Errno 13] Permission denied: '/root/.cache/vllm/torch_compile_cache'", *PROFILE)),
    # values of the front end
    ("an unknown tool parser", "invalid_argument", "invalid tool call parser", "tool_call_parser",
     front('KeyError: "invalid tool call parser: qwen (chose from { deepseek_v3,hermes,qwen3_coder })"',
           "vllm/entrypoints/common/cli_args.py:validate_api_server_args")),
    ("a chat template that does not exist", "invalid_argument", "appears path-like", "chat_template",
     front("vllm.exceptions.VLLMValidationError: The supplied chat template string (./chat.jinja) appears path-like, but "
           "doesn't exist! Tried: ./chat.jinja and /x/chat.jinja", *APP)),
    ("a LoRA adapter without LoRA", "invalid_configuration", "LoRA is not enabled", "enable_lora",
     front("ValueError: Call to add_lora method failed: LoRA is not enabled. Use --enable-lora to enable LoRA.", *APP,
           before=f"{STARTS}\n{CACHED}")),
    ("a LoRA rank above the limit", "invalid_argument", "max_lora_rank", "max_lora_rank",
     front("ValueError: Call to add_lora method failed: LoRA rank 64 is greater than max_lora_rank 16.", *APP,
           before=f"{STARTS}\n{CACHED}")),
    ("a reasoning parser without its tokens", "invalid_configuration", "could not locate", "reasoning_parser",
     front("RuntimeError: DeepSeekR1ReasoningParser reasoning parser could not locate think start/end tokens in the "
           "tokenizer!", *APP, before=f"{STARTS}\n{CACHED}")),
    ("unknown reasoning efforts", "invalid_argument", "unknown efforts", "reasoning_effort_map",
     front("ValueError: Error: --reasoning-effort-map has unknown efforts ['huge']; keys must be one of ['none', 'low', "
           "'medium', 'high'].", "vllm/entrypoints/common/cli_args.py:validate_parsed_serve_args")),
    ("a value out of range", "invalid_argument", "gpu_memory_utilization: Input should be", "profllm validate",
     front(f"{PYDANTIC} CacheConfig\ngpu_memory_utilization\n  Input should be less than or equal to 1 "
           "[type=less_than_equal, input_value=1.5, input_type=float]\n    For further information visit "
           "https://errors.pydantic.dev/2.14/v/less_than_equal", *CONFIG)),
    # several processes and nodes
    ("the engine is too slow", "engine_timeout", "Timed out waiting", "VLLM_ENGINE_READY_TIMEOUT_S",
     front("TimeoutError: Timed out waiting for engine core processes to start. This is often caused by slow weight "
           "loading for large models. Waited 600s (configured by VLLM_ENGINE_READY_TIMEOUT_S).",
           "vllm/v1/engine/core_client.py:__init__", before=f"{STARTS}\n{WEIGHTS}")),
    ("Ray has too few GPUs", "cluster_error", "placement group", "ray status",
     engine("ValueError: Cannot provide a placement group requiring 16 GPUs (placement_group_specs=[{'GPU': 1.0}]) within "
            "1800 seconds.\nTensor parallel size may exceed available GPUs in your cluster.",
            "vllm/v1/executor/ray_utils.py:_wait_until_pg_ready")),
    ("Gloo takes the loopback", "cluster_error", "Gloo connectFullMesh", "GLOO_SOCKET_IFNAME",
     f"{STARTS}\n{ENGINE} (RayWorkerWrapper pid=902, ip=10.0.0.8) [rank8]:[E1120 10:00:30.120 ProcessGroupGloo.cpp:144] "
     "Gloo connectFullMesh failed with [../third_party/gloo/gloo/transport/tcp/pair.cc:144] no error"),
    ("an interface that does not exist", "cluster_error", "Unable to find address for: bond1", "ip addr",
     worker("RuntimeError: [enforce fail at /pytorch/third_party/gloo/gloo/transport/tcp/device.cc:83] ifa != nullptr. "
            "Unable to find address for: bond1", "vllm/distributed/parallel_state.py:__init__")),
    ("a node that does not join", "cluster_error", "clients joined", "VLLM_HOST_IP",
     engine("torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. 1/2 clients joined.",
            "vllm/distributed/parallel_state.py:init_distributed_environment")),
    ("NCCL without an interface", "nccl_error", "no socket interface found", "NCCL_SOCKET_IFNAME",
     f"{STARTS}\nhost:92:92 [0] NCCL INFO cudaDriverVersion 13000\nhost:92:92 [0] bootstrap.cc:45 NCCL WARN Bootstrap : "
     "no socket interface found\n" +
     front("RuntimeError: NCCL error: internal error - please report this issue to the NCCL developers")),
    ("a Ray actor dies of the first cause", "out_of_memory", "CUDA out of memory", "the weights do not fit",
     f"{STARTS}\n{WEIGHTS}\n" + prefixed(f"{ENGINE} ERROR 11-20 10:01:03 [core.py:1584] ", traceback(
         "ray.exceptions.ActorDiedError: The actor died because of an error raised in its creation task, "
         "ray::RayWorkerWrapper.__init__() (pid=902, ip=10.0.0.8)\n" + "\n".join(map(frame, LOAD)) + f"\n{OOM}",
         ["vllm/v1/executor/ray_executor_v2.py:_init_executor"]))),
    # container engines and schedulers
    ("Docker without a GPU runtime", "container_engine", "could not select device driver", "nvidia-container-toolkit",
     'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].\n\n'
     "Run 'docker run --help' for more information"),
    ("Podman without a CDI specification", "container_engine", "CDI devices", "nvidia-ctk cdi generate",
     "Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all"),
    ("a port that Docker cannot publish", "port_in_use", "port is already allocated", "launch.port",
     "docker: Error response from daemon: failed to set up container networking: driver failed programming external "
     "connectivity on endpoint vllm (5f1c): Bind for 0.0.0.0:8000 failed: port is already allocated."),
    ("an image that does not exist", "container_engine", "manifest unknown", "the tag",
     "Unable to find image 'vllm/vllm-openai:v9.9' locally\ndocker: Error response from daemon: manifest for "
     "vllm/vllm-openai:v9.9 not found: manifest unknown: manifest unknown."),
    ("no Docker daemon", "container_engine", "Docker daemon", "start the Docker daemon",
     "docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"),
    ("a driver that the image does not accept", "driver_mismatch", "unsatisfied condition", "driver",
     "docker: Error response from daemon: failed to create task for container: failed to create shim task: OCI runtime "
     "create failed: runc create failed: unable to start container process: error during container init: error running "
     "prestart hook #0: exit status 1, stdout: , stderr: Auto-detected mode as 'legacy'\nnvidia-container-cli: "
     "requirement error: unsatisfied condition: cuda>=12.9, please update your driver to a newer version: unknown."),
    ("a Singularity image that does not exist", "container_engine", "could not open image", "path of the image",
     "FATAL:   could not open image /images/vllm.sif: failed to retrieve path for /images/vllm.sif: lstat "
     "/images/vllm.sif: no such file or directory"),
    ("a time limit of Slurm", "job_limit", "DUE TO TIME LIMIT", "--time",
     f"{prefixed('0: ', STARTS)}\nslurmstepd: error: *** STEP 8841.0 ON gpu-7 CANCELLED AT 2026-11-20T10:30:00 DUE TO TIME "
     "LIMIT ***\nsrun: Job step aborted: Waiting up to 32 seconds for job step to finish."),
    ("a step that Slurm refuses", "job_limit", "Unable to create step", "request no more tasks, GPUs and memory for the step",
     "srun: error: Unable to create step for job 8841: Requested node configuration is not available"),
    # the rest
    ("CUDA in a forked process", "cuda_error", "forked subprocess", "VLLM_WORKER_MULTIPROC_METHOD",
     worker("RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use "
            "the 'spawn' start method", "torch/cuda/__init__.py:_lazy_init")),
    ("more GPUs than there are", "no_gpu", "than the number of available", "tensor_parallel_size",
     front(f"{PYDANTIC} ParallelConfig\n  Value error, Tensor parallel size (4) cannot be larger than the number of "
           "available GPUs (2). [type=value_error, input_value=ArgsKwargs(()), input_type=ArgsKwargs]", *CONFIG)),
    ("a quantization without a kernel", "quantization_mismatch", "Failed to find a kernel", "group size",
     engine("ValueError: Failed to find a kernel that can implement the WNA16 linear layer. Reasons: \n"
            " MacheteLinearKernel requires capability 90, current compute  capability is 75", *LOAD)),
    ("a Kubernetes service named vllm", "invalid_configuration", "appears to be a URI", "enableServiceLinks",
     plain("ValueError: VLLM_PORT 'tcp://10.1.2.3:8000' appears to be a URI. This may be caused by a Kubernetes service "
           "discovery issue, check the warning in: https://docs.vllm.ai/", "vllm/envs.py:get_vllm_port")),
    ("too many open files", "process_limit", "Too many open files", "ulimit -n",
     engine("OSError: [Errno 24] Too many open files", *LOAD)),
    ("another error of Docker", "container_engine", "Error response from daemon", "by hand",
     "docker: Error response from daemon: error while creating mount source path '/models': mkdir /models: read-only file "
     "system."),
    ("a command that does not exist", "not_executable", "command not found", "whole path",
     "/opt/start.sh: line 7: vllm: command not found"),
    ("an address of another host", "invalid_argument", "Cannot assign requested address", "server.host",
     front("OSError: [Errno 99] Cannot assign requested address",
           "vllm/entrypoints/openai/api_server.py:create_server_socket")),
    ("a port in use", "port_in_use", "Address already in use", "launch.port",
     front("OSError: [Errno 98] Address already in use", "vllm/entrypoints/openai/api_server.py:create_server_socket")),
    ("a full disk", "disk_full", "No space left on device", "HF_HOME",
     engine("OSError: [Errno 28] No space left on device: '/root/.cache/huggingface/hub/tmp1'", *LOAD)),
    ("an argument that does not exist", "invalid_argument", "unrecognized arguments", "profllm validate",
     "usage: vllm serve [model_tag] [options]\nvllm: error: unrecognized arguments: --tensor-paralel-size 2"),
]

# prefixes that other programs add to a log: name -> prefix of each line
WRAPPERS = {
    "journald": "Nov 20 10:01:03 gpu-7 vllm[8727]: ",
    "journald short-iso": "2026-11-20T10:01:03+0000 gpu-7 vllm[8727]: ",
    "journald short-full": "Fri 2026-11-20 10:01:03 UTC gpu-7 vllm[8727]: ",
    "syslog with colors": "Nov 20 10:01:03 gpu-7 vllm[8727]: #033[0;36m",
    "srun --label": "0: ",
    "srun --label of many tasks": " 7: ",
    "pdsh": "node01: ",
    "mpirun": "[1,0]<stderr>:",
    "torchrun": "[default0]:",
    "compose": "vllm-1  | ",
    "swarm": "llm_vllm.1.x2a@gpu-7    | ",
    "docker logs --timestamps": "2026-11-20T10:01:03.123456789Z ",
    "CRI": "2026-11-20T10:01:03.123456789Z stderr F ",
    "kubectl --prefix": "[pod/vllm-7c9f-x2/vllm] ",
    "Ray": "\x1b[36m(RayWorkerWrapper pid=902, ip=10.0.0.8)\x1b[0m ",
    "Ray without escape bytes": "[36m(RayWorkerWrapper pid=902, ip=10.0.0.8)[0m ",
    "FastChat": "2026-11-20 10:01:03 | ERROR | stderr | ",
    "logging": "2026-11-20 10:01:03,123 - vllm.serve - ERROR - ",
    "basicConfig": "ERROR:vllm.serve:",
    "gunicorn": "[2026-11-20 10:01:03 +0000] [7] [ERROR] ",
    "torch's rank": "[rank0]: ",
}

# what a healthy start may write; none of it is a cause
SCARY = f"""\
WARNING 11-20 09:59:58 [_custom_ops.py:15] Failed to import from vllm._C with ImportError('libcudart.so.12: cannot open')
{FRONT} INFO 11-20 10:00:00 [startup.py:38] vLLM API server version 0.33.0, model org/CUDA-out-of-memory-Error-7B
{FRONT} WARNING 11-20 10:00:00 [cuda.py:610] Detected different devices: CUDA error: none was seen
x.py:7: UserWarning: The NVIDIA driver on your system is too old (found version 12020).
Traceback (most recent call last):
  File "{SITE}/flashinfer/__init__.py", line 3, in <module>
ModuleNotFoundError: No module named 'flashinfer_cubin'
{FRONT} ERROR 11-20 10:00:02 [repo_utils.py:126] Error retrieving file list: 429 Client Error: Too Many Requests for url: \
https://huggingface.co/api/models/org/model, retrying 1 of 2
{ENGINE} INFO 11-20 10:00:09 [core.py:112] Initializing a V1 LLM engine (v0.33.0) with config: model='org/model'
{ENGINE} WARNING 11-20 10:00:10 [nccl.py:7] NCCL error: none; Address already in use: none
host:92:92 [0] NCCL INFO NET/Plugin: No plugin found (libnccl-net.so), error while loading: not found
[W1120 10:00:11.100 socket.cpp:767] [c10d] The client socket cannot be initialized to connect to [localhost]:5173
{LOADED}
{ENGINE} WARNING 11-20 10:00:41 [topk.py:1] Triton compilation error is retried without it: OutOfResources
{CACHED}"""
