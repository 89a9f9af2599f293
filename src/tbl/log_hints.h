/*
 * Remedies for one message or one place of a cause, more exact than the hint of the cause.
 *
 * LOG_HINT(cause, place, phrase, hint)
 *   cause   of a CAUSE row of tbl/states.h, whose hint this one replaces
 *   place   where in the start the error was raised (LOG_FRAME and LOG_REACHED of
 *           tbl/log_failures.h); ANY: everywhere
 *   phrase  what the line that names the cause must hold, case ignored; "": any line
 *   hint    one sentence without a full stop; load options are in braces
 *
 * The first row that fits counts. The macro is undefined again at the end.
 */
LOG_HINT(out_of_memory, ANY, "less than desired GPU memory utilization",
	 "end the other processes on the GPU ('profllm gpus' lists them), or lower gpu_memory_utilization below the free share in the log")
LOG_HINT(out_of_memory, ANY, "less than the engine's budget",
	 "end the other processes on the GPU ('profllm gpus' lists them), or lower gpu_memory_utilization below the free share in the log")
LOG_HINT(out_of_memory, ANY, "less than requested memory for kv",
	 "lower VLLM_CPU_KVCACHE_SPACE or kv_cache_memory_bytes, or free memory of the host")
LOG_HINT(out_of_memory, ANY, "when warming up sampler",
	 "lower max_num_seqs first, then gpu_memory_utilization: the sampler is warmed up with max_num_seqs requests")
LOG_HINT(out_of_memory, ANY, "when warming up pooler",
	 "lower max_num_seqs first, then gpu_memory_utilization: the pooler is warmed up with max_num_seqs requests")
LOG_HINT(out_of_memory, ANY, "Cannot allocate memory",
	 "give the server more host memory, or lower swap_space, cpu_offload_gb and the number of loading workers")
LOG_HINT(out_of_memory, ANY, "Failed to load model - not enough GPU memory",
	 "the weights do not fit: raise tensor_parallel_size, use a quantized checkpoint, or set cpu_offload_gb")
LOG_HINT(out_of_memory, WEIGHTS, "",
	 "the weights do not fit: raise tensor_parallel_size, use a quantized checkpoint, set cpu_offload_gb, or end the other processes on the GPU ('profllm gpus' lists them)")
LOG_HINT(out_of_memory, PROFILE, "",
	 "the trial run of the largest batch does not fit: lower max_num_batched_tokens, max_model_len or limit_mm_per_prompt, or raise tensor_parallel_size")
LOG_HINT(out_of_memory, KV_CACHE, "",
	 "the KV cache does not fit: lower gpu_memory_utilization or kv_cache_memory_bytes, or end the other processes on the GPU ('profllm gpus' lists them)")
LOG_HINT(out_of_memory, GRAPHS, "",
	 "the CUDA graphs do not fit: lower gpu_memory_utilization, max_num_seqs or max_cudagraph_capture_size, or set enforce_eager")
LOG_HINT(out_of_memory, SERVING, "",
	 "a batch under load does not fit: lower gpu_memory_utilization, max_num_batched_tokens or max_num_seqs")

LOG_HINT(kv_cache_too_small, ANY, "leaving none for the KV cache",
	 "raise gpu_memory_utilization (on CPU, a share of the host memory), or set kv_cache_memory_bytes or VLLM_CPU_KVCACHE_SPACE")
LOG_HINT(kv_cache_too_small, ANY, "estimated maximum model length is",
	 "lower max_model_len to the length that the log estimates, raise gpu_memory_utilization, or use kv_cache_dtype fp8")
LOG_HINT(kv_cache_too_small, ANY, "No available memory for the cache blocks",
	 "raise gpu_memory_utilization, or spread the weights over more GPUs (tensor_parallel_size)")

LOG_HINT(gpu_too_old, ANY, "bfloat16",
	 "set dtype to float16 (and kv_cache_dtype to auto): bfloat16 needs compute capability 8.0")
LOG_HINT(gpu_too_old, ANY, "fp8e4nv",
	 "set kv_cache_dtype to auto, and use a checkpoint without FP8: it needs compute capability 8.9")
LOG_HINT(gpu_too_old, ANY, "kv-cache-dtype",
	 "set kv_cache_dtype to auto: FP8 needs compute capability 8.9")
LOG_HINT(gpu_too_old, ANY, "is not supported for the current",
	 "use a checkpoint of another quantization, such as AWQ or GPTQ, or a GPU with the minimum capability that the log states")
LOG_HINT(gpu_too_old, ANY, "FlashAttention",
	 "set attention_backend to TRITON_ATTN, or leave it unset so that the server chooses")
LOG_HINT(gpu_too_old, ANY, "FlashInfer",
	 "set attention_backend to TRITON_ATTN and VLLM_USE_FLASHINFER_SAMPLER=0 in launch.env")
LOG_HINT(gpu_too_old, ANY, "backend",
	 "leave attention_backend and VLLM_ATTENTION_BACKEND unset so that the server chooses, or set TRITON_ATTN")
LOG_HINT(gpu_too_old, ANY, "_scaled_mm",
	 "use a checkpoint without FP8 weights: this operation needs compute capability 8.9")

LOG_HINT(hub_unreachable, ANY, "429",
	 "wait some minutes, or set HF_TOKEN, which has higher limits; set HF_HUB_OFFLINE=1 in launch.env if the model is in the cache")
LOG_HINT(hub_unreachable, ANY, "Too Many Requests",
	 "wait some minutes, or set HF_TOKEN, which has higher limits; set HF_HUB_OFFLINE=1 in launch.env if the model is in the cache")
LOG_HINT(model_not_found, ANY, "outgoing traffic has been disabled",
	 "download the model first (hf download), or unset HF_HUB_OFFLINE; HF_HOME must name the cache that holds it")
LOG_HINT(model_not_found, ANY, "OfflineModeIsEnabled",
	 "download the model first (hf download), or unset HF_HUB_OFFLINE; HF_HOME must name the cache that holds it")
LOG_HINT(hub_unreachable, ANY, "HarmonyError",
	 "download the vocabulary files first and set TIKTOKEN_ENCODINGS_BASE in launch.env to their directory")
LOG_HINT(hub_unreachable, ANY, "CERTIFICATE_VERIFY_FAILED",
	 "set REQUESTS_CA_BUNDLE and SSL_CERT_FILE in launch.env to the certificates of the proxy")
LOG_HINT(hub_unreachable, ANY, "ProxyError",
	 "check HTTPS_PROXY and NO_PROXY in launch.env; set HF_HUB_OFFLINE=1 if the model is in the cache")

LOG_HINT(gated_model, ANY, "Invalid user token",
	 "HF_TOKEN is not valid: create a token on the hub and pass it in the environment or launch.env")
LOG_HINT(gated_model, ANY, "Invalid credentials",
	 "HF_TOKEN is not valid: create a token on the hub and pass it in the environment or launch.env")
LOG_HINT(gated_model, ANY, "403",
	 "accept the license on the model's page with the account of HF_TOKEN; a fine-grained token also needs read access to gated repositories")

LOG_HINT(kernel_compilation, ANY, "nvcc'",
	 "install the CUDA toolkit and set CUDA_HOME, or avoid FlashInfer: attention_backend FLASH_ATTN and VLLM_USE_FLASHINFER_SAMPLER=0")
LOG_HINT(kernel_compilation, ANY, "nvcc: not found",
	 "install the CUDA toolkit and set CUDA_HOME, or avoid FlashInfer: attention_backend FLASH_ATTN and VLLM_USE_FLASHINFER_SAMPLER=0")
LOG_HINT(kernel_compilation, ANY, "find nvcc",
	 "install the CUDA toolkit and set CUDA_HOME, or avoid FlashInfer: attention_backend FLASH_ATTN and VLLM_USE_FLASHINFER_SAMPLER=0")
LOG_HINT(kernel_compilation, ANY, "CUDA_HOME",
	 "install the CUDA toolkit and set CUDA_HOME, or avoid FlashInfer: attention_backend FLASH_ATTN and VLLM_USE_FLASHINFER_SAMPLER=0")
LOG_HINT(kernel_compilation, ANY, "find CUDA installation",
	 "install the CUDA toolkit and set CUDA_HOME, or avoid FlashInfer: attention_backend FLASH_ATTN and VLLM_USE_FLASHINFER_SAMPLER=0")
LOG_HINT(kernel_compilation, ANY, "C compiler",
	 "install gcc, or set CC in launch.env to a C compiler: Triton compiles its launchers with it")
LOG_HINT(kernel_compilation, ANY, "gcc",
	 "install gcc and the headers of Python (python3-dev): Triton compiles its launchers with them; the lines above name the error")
LOG_HINT(kernel_compilation, ANY, ".h: No such file",
	 "install the headers that the log names (Python.h: python3-dev), or set enforce_eager")
LOG_HINT(kernel_compilation, ANY, "Ninja is required",
	 "install ninja in the environment of the server, and put its bin directory on PATH")
LOG_HINT(kernel_compilation, ANY, "ninja'",
	 "install ninja in the environment of the server, and put its bin directory on PATH; lines above name the error of a compiler")
LOG_HINT(kernel_compilation, ANY, "Ninja build failed",
	 "read the compiler's lines above; set MAX_JOBS=1 if memory ran out, or avoid FlashInfer: attention_backend FLASH_ATTN and VLLM_USE_FLASHINFER_SAMPLER=0")
LOG_HINT(kernel_compilation, ANY, "ptxas",
	 "the CUDA toolkit does not know this GPU: install a newer one and set TRITON_PTXAS_PATH and CUDA_HOME in launch.env to it")
LOG_HINT(kernel_compilation, ANY, "OutOfResources",
	 "a Triton kernel needs more shared memory than this GPU has: set another attention_backend, or lower block_size")
LOG_HINT(kernel_compilation, ANY, "Inductor",
	 "set enforce_eager, or remove the directory torch_compile_cache of VLLM_CACHE_ROOT and start again")

LOG_HINT(broken_weights, ANY, "UnpicklingError",
	 "the file is not a checkpoint but usually a Git LFS pointer: run git lfs pull, or download the model again")
LOG_HINT(broken_weights, ANY, "HeaderTooLarge",
	 "the file is not safetensors but usually a Git LFS pointer: run git lfs pull, or download the model again")

LOG_HINT(quantization_mismatch, WEIGHTS, "KeyError",
	 "use a newer release, or a checkpoint of another quantization: this release has no parameter for the weights that the log names")
LOG_HINT(quantization_mismatch, ANY, "MoE backend",
	 "leave moe_backend unset, or use a checkpoint of another quantization: no MoE backend of this GPU supports this one")
LOG_HINT(quantization_mismatch, ANY, "Failed to find a kernel",
	 "use a checkpoint of another quantization or group size, or lower tensor_parallel_size: no kernel of this GPU fits the layer")

LOG_HINT(model_not_found, ANY, "HFValidationError",
	 "the path does not exist where the server runs: check it, and mount it if the server is in a container")
LOG_HINT(model_not_found, ANY, "Invalid repository ID or local directory",
	 "the path has no config.json where the server runs: check it, and mount it if the server is in a container")
LOG_HINT(model_not_found, ANY, "Cannot find any",
	 "the directory has no weights of load_format: check the format, or download the weight files too")

LOG_HINT(tokenizer_error, ANY, "untagged enum",
	 "update transformers and tokenizers in the environment of the server: tokenizer.json was written by a newer release")
LOG_HINT(tokenizer_error, ANY, "does not exist",
	 "set trust_remote_code if you trust the author of the model, or update transformers")
LOG_HINT(tokenizer_error, ANY, "trust_remote_code",
	 "set trust_remote_code if you trust the author of the model, or update transformers")

LOG_HINT(missing_dependency, ANY, "libcu",
	 "the CUDA libraries are not found: install the CUDA build of torch that the server was made for, or add their directory to LD_LIBRARY_PATH in launch.env")
LOG_HINT(missing_dependency, ANY, "libnv",
	 "the CUDA libraries are not found: install the CUDA build of torch that the server was made for, or add their directory to LD_LIBRARY_PATH in launch.env")
LOG_HINT(missing_dependency, ANY, "libnccl",
	 "the CUDA libraries are not found: install the CUDA build of torch that the server was made for, or add their directory to LD_LIBRARY_PATH in launch.env")

LOG_HINT(cuda_error, ANY, "no kernel image",
	 "install a build of the server for the compute capability of this GPU: this build has no kernels for it")
LOG_HINT(cuda_error, ANY, "system not yet initialized",
	 "start nvidia-fabricmanager of the driver's version: GPUs with NVSwitch need it")
LOG_HINT(cuda_error, ANY, "ECC error",
	 "reset or replace the GPU: its memory has an uncorrectable error (nvidia-smi -q -d ECC)")

LOG_HINT(cuda_error, ANY, "forked subprocess",
	 "set VLLM_WORKER_MULTIPROC_METHOD=spawn in launch.env")
LOG_HINT(cuda_error, ANY, "busy or unavailable",
	 "end the other processes on the GPU ('profllm gpus' lists them), or set its compute mode to default (nvidia-smi -c 0)")
LOG_HINT(no_gpu, ANY, "invalid literal",
	 "name GPUs by number in launch.gpus or CUDA_VISIBLE_DEVICES: this release does not read UUIDs")
LOG_HINT(no_gpu, ANY, "than the number of available",
	 "lower tensor_parallel_size to the GPUs of this host, or add GPUs to launch.gpus and CUDA_VISIBLE_DEVICES")
LOG_HINT(crashed, ANY, "Illegal instruction",
	 "install a build of the server for this processor: it lacks an instruction, usually AVX-512, that the build uses")

LOG_HINT(nccl_error, ANY, "no socket interface found",
	 "set NCCL_SOCKET_IFNAME in launch.env to the interface that connects the nodes")
LOG_HINT(nccl_error, ANY, "Connection ",
	 "look at the other ranks first: one that ended closes its connections; on several nodes set NCCL_SOCKET_IFNAME")
LOG_HINT(nccl_error, ANY, "ncclRemoteError",
	 "look at the other ranks first: one that ended closes its connections; on several nodes set NCCL_SOCKET_IFNAME")

LOG_HINT(cluster_error, ANY, "placement group",
	 "lower tensor_parallel_size and pipeline_parallel_size to the GPUs that ray status shows, or add nodes; VLLM_HOST_IP must be each node's own address")
LOG_HINT(cluster_error, ANY, "Not enough resources",
	 "lower data_parallel_size or tensor_parallel_size to the GPUs that ray status shows, or add nodes")
LOG_HINT(cluster_error, ANY, "Ray does not allocate any",
	 "start the server on a node of the cluster that has GPUs")
LOG_HINT(cluster_error, ANY, "unique IP address",
	 "set VLLM_HOST_IP on every node to its own address before ray start")
LOG_HINT(cluster_error, ANY, "Ray instance",
	 "start Ray first (ray start --head, then ray start --address on the other nodes), or unset distributed_executor_backend")
LOG_HINT(cluster_error, ANY, "GCS",
	 "start Ray first (ray start --head, then ray start --address on the other nodes), and check RAY_ADDRESS")
LOG_HINT(cluster_error, ANY, "Unable to find",
	 "set GLOO_SOCKET_IFNAME and NCCL_SOCKET_IFNAME to an interface that exists on every node (ip addr shows them)")
LOG_HINT(cluster_error, ANY, "Gloo",
	 "set GLOO_SOCKET_IFNAME, NCCL_SOCKET_IFNAME and VLLM_HOST_IP on every node to the interface and address that connect them")

LOG_HINT(invalid_argument, ANY, "tool call parser",
	 "set tool_call_parser to one of the names in the log")
LOG_HINT(invalid_argument, ANY, "Tool parser",
	 "set tool_call_parser to a name of this release, or tool_parser_plugin to the file that defines it")
LOG_HINT(invalid_argument, ANY, "reasoning parser",
	 "set reasoning_parser to a name of this release (the log lists them), or reasoning_parser_plugin to the file that defines it")
LOG_HINT(invalid_argument, ANY, "reasoning-effort-map",
	 "set reasoning_effort_map to a JSON object whose keys are the efforts that the log lists")
LOG_HINT(invalid_argument, ANY, "chat template",
	 "set chat_template to a file that exists where the server runs, or leave it unset to use the template of the tokenizer")
LOG_HINT(invalid_argument, ANY, "jinja2",
	 "fix the template of chat_template, or leave it unset to use the template of the tokenizer")
LOG_HINT(invalid_argument, ANY, "adapter",
	 "set each path of lora_modules to a directory that holds adapter_config.json")
LOG_HINT(invalid_argument, ANY, "max_lora_rank",
	 "raise max_lora_rank to the rank that the log states")
LOG_HINT(invalid_configuration, ANY, "LoRA is not enabled",
	 "set enable_lora, or remove lora_modules")
LOG_HINT(invalid_configuration, ANY, "support LoRA",
	 "remove enable_lora and lora_modules: this release has no LoRA for this model")
LOG_HINT(invalid_configuration, ANY, "LoRA is not supported",
	 "remove enable_lora and lora_modules: this release has no LoRA for this model")
LOG_HINT(invalid_configuration, ANY, "expected target modules",
	 "use an adapter that was trained on modules of this model: the log lists them")
LOG_HINT(invalid_configuration, ANY, "could not locate",
	 "set reasoning_parser and tool_call_parser to those of this model, or leave them unset: its tokenizer lacks the tokens of this parser")
LOG_HINT(invalid_configuration, ANY, "requires --tool-call-parser",
	 "set tool_call_parser, or remove enable_auto_tool_choice")
LOG_HINT(invalid_configuration, ANY, "attention backend",
	 "leave attention_backend unset and kv_cache_dtype at auto, or choose a backend that the log does not rule out")
LOG_HINT(invalid_configuration, ANY, "Selected backend",
	 "leave attention_backend and VLLM_ATTENTION_BACKEND unset, or fix the reason for which the log rules the backend out")
LOG_HINT(invalid_configuration, ANY, "User-specified max_model_len",
	 "lower max_model_len to the length in the model's config.json, or set VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 and a rope scaling in hf_overrides")
LOG_HINT(invalid_configuration, ANY, "divisible by tensor parallel size",
	 "set tensor_parallel_size to a divisor of the number of attention heads")
LOG_HINT(invalid_configuration, ANY, "is smaller than max_model_len",
	 "raise max_num_batched_tokens to max_model_len, lower max_model_len, or set enable_chunked_prefill")

LOG_HINT(invalid_argument, ANY, "Cannot assign requested address",
	 "set server.host to an address of this host, such as 0.0.0.0")
LOG_HINT(invalid_configuration, ANY, "appears to be a URI",
	 "unset VLLM_PORT: Kubernetes sets it for a service named vllm; rename the service or set enableServiceLinks to false")
LOG_HINT(invalid_configuration, ANY, "AF_UNIX path too long",
	 "shorten server.uds, or set TMPDIR in launch.env to a shorter path")
LOG_HINT(invalid_configuration, ANY, "longer than 107",
	 "set VLLM_RPC_BASE_PATH or TMPDIR in launch.env to a shorter path")

LOG_HINT(permission_denied, ANY, "redentials",
	 "pass the credentials of the object store in launch.env, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
LOG_HINT(permission_denied, ANY, "attempting to bind",
	 "set launch.port above 1023: lower ports need privileges")

LOG_HINT(container_engine, ANY, "could not select device driver",
	 "install nvidia-container-toolkit, run nvidia-ctk runtime configure and restart the Docker daemon; or remove --gpus")
LOG_HINT(container_engine, ANY, "CDI devices",
	 "generate the CDI specification: nvidia-ctk cdi generate --output /etc/cdi/nvidia.yaml")
LOG_HINT(container_engine, ANY, "runtime name",
	 "install nvidia-container-toolkit, run nvidia-ctk runtime configure and restart the Docker daemon")
LOG_HINT(container_engine, ANY, "nvidia-container-cli",
	 "check that nvidia-smi works on the host, and reinstall nvidia-container-toolkit")
LOG_HINT(container_engine, ANY, "manifest",
	 "check the name, the tag and the platform of the image: the registry has no such image")
LOG_HINT(container_engine, ANY, "pull access denied",
	 "check the name of the image, or log in to its registry")
LOG_HINT(container_engine, ANY, "may require",
	 "check the name of the image, or log in to its registry")
LOG_HINT(container_engine, ANY, "initializing source",
	 "check the name and the tag of the image, or log in to its registry")
LOG_HINT(container_engine, ANY, "open image",
	 "check the path of the image: the file does not exist or is not an image")
LOG_HINT(container_engine, ANY, "toomanyrequests",
	 "log in to the registry, which raises its limit, or pull the image beforehand")
LOG_HINT(container_engine, ANY, "trying to connect to the docker",
	 "add the user to the group docker, or use a rootless engine")
LOG_HINT(container_engine, ANY, "connect to the docker",
	 "start the Docker daemon, and check DOCKER_HOST")
LOG_HINT(container_engine, ANY, "container name",
	 "remove the container of that name (docker rm), or add --rm and leave --name out of launch.command")
LOG_HINT(not_executable, ANY, "executable file not found",
	 "check the command after the image in launch.command and the image's entrypoint: vllm/vllm-openai starts the server itself")

LOG_HINT(not_executable, ANY, "command not found",
	 "activate the environment of the server, or name the program in launch.command by its whole path")
LOG_HINT(process_limit, ANY, "open files",
	 "raise the limit of open files: ulimit -n 65535 before the start, or --ulimit nofile of the container")

LOG_HINT(host_memory, ANY, "slurmstepd",
	 "ask Slurm for more memory (--mem), or lower swap_space, cpu_offload_gb and max_num_seqs")
LOG_HINT(host_memory, ANY, "srun",
	 "ask Slurm for more memory (--mem), or lower swap_space, cpu_offload_gb and max_num_seqs")
LOG_HINT(host_memory, ANY, "running low on memory",
	 "give the node more memory, or set RAY_memory_usage_threshold or RAY_memory_monitor_refresh_ms=0 if the reading is wrong")
LOG_HINT(job_limit, ANY, "TIME LIMIT",
	 "ask for a longer time limit (--time), or lower launch.ready_timeout and launch.run_timeout to fit into it")
LOG_HINT(job_limit, ANY, "PREEMPTION",
	 "submit the job again; a partition or QOS without preemption avoids this")
LOG_HINT(job_limit, ANY, "Unable to ",
	 "request no more tasks, GPUs and memory for the step than the job has")

#undef LOG_HINT
