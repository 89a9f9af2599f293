/*
 * Failed starts (--sim-fail-start): the stage reached, the vLLM process that reports the error, and its
 * message, as in vLLM's releases. {model} is the model's name.
 *
 * stage: the last logged one of enum sim_stage. who: PARSER (argparse, exit status 2), API (a traceback
 * of the head process), ENGINE (the engine's traceback, followed by the head's), or no process at all.
 *
 * FAILURE(id, name, stage, who, text)
 */
FAILURE(OUT_OF_MEMORY, "out_of_memory", WEIGHTS, ENGINE,
	"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 896.00 MiB. GPU 0 has a total "
	"capacity of 79.11 GiB of which 512.00 MiB is free. Including non-PyTorch memory, this process "
	"has 78.60 GiB memory in use. Of the allocated memory 77.90 GiB is allocated by PyTorch, and "
	"112.41 MiB is reserved by PyTorch but unallocated.")
FAILURE(KV_CACHE_TOO_SMALL, "kv_cache_too_small", COMPILED, ENGINE,
	"ValueError: To serve at least one request with the models's max seq len (131072), (16.00 GiB "
	"KV cache is needed, which is larger than the available KV cache memory (3.21 GiB). Based on "
	"the available memory, the estimated maximum model length is 26288. Try increasing "
	"`gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.")
FAILURE(INVALID_ARGUMENT, "invalid_argument", NOTHING, PARSER,
	"argument --dtype: invalid choice: 'float17' (choose from 'auto', 'bfloat16', 'float', "
	"'float16', 'float32', 'half')")
FAILURE(INVALID_CONFIGURATION, "invalid_configuration", CONFIG, API,
	"pydantic_core._pydantic_core.ValidationError: 1 validation error for VllmConfig\n"
	"  Value error, Total number of attention heads (32) must be divisible by tensor parallel size "
	"(3). [type=value_error, input_value=ArgsKwargs((), {'model_co... 'shutdown_timeout': 0}), "
	"input_type=ArgsKwargs]\n"
	"    For further information visit https://errors.pydantic.dev/2.14/v/value_error")
FAILURE(PORT_IN_USE, "port_in_use", CONFIG, API, "OSError: [Errno 98] Address already in use")
FAILURE(MODEL_NOT_FOUND, "model_not_found", CONFIG, API,
	"OSError: {model} is not a local folder and is not a valid model identifier listed on "
	"'https://huggingface.co/models'")
FAILURE(GATED_MODEL, "gated_model", CONFIG, API,
	"huggingface_hub.errors.GatedRepoError: 401 Client Error.\n\n"
	"Cannot access gated repo for url https://huggingface.co/{model}/resolve/main/config.json.\n"
	"Access to model {model} is restricted. You must have access to it and be authenticated to "
	"access it. Please log in.")
FAILURE(UNSUPPORTED_MODEL, "unsupported_model", CONFIG, API,
	"pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig\n"
	"  Value error, Model architectures ['SimulatedForCausalLM'] are not supported for now. "
	"Supported architectures: dict_keys(['LlamaForCausalLM']) [type=value_error, "
	"input_value=ArgsKwargs((), {'model': ...}), input_type=ArgsKwargs]\n"
	"    For further information visit https://errors.pydantic.dev/2.14/v/value_error")
FAILURE(QUANTIZATION_MISMATCH, "quantization_mismatch", CONFIG, API,
	"pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig\n"
	"  Value error, Quantization method specified in the model config (gptq) does not match the "
	"quantization method specified in the `quantization` argument (awq). [type=value_error, "
	"input_value=ArgsKwargs((), {'model': ...}), input_type=ArgsKwargs]\n"
	"    For further information visit https://errors.pydantic.dev/2.14/v/value_error")
FAILURE(MISSING_DEPENDENCY, "missing_dependency", ENGINE, ENGINE,
	"ModuleNotFoundError: No module named 'flashinfer'")
FAILURE(CUDA_ERROR, "cuda_error", COMPILED, ENGINE,
	"torch.AcceleratorError: CUDA error: an illegal memory access was encountered\n"
	"CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace "
	"below might be incorrect.\n"
	"For debugging consider passing CUDA_LAUNCH_BLOCKING=1")
FAILURE(DRIVER_MISMATCH, "driver_mismatch", ENGINE, ENGINE,
	"RuntimeError: The NVIDIA driver on your system is too old (found version 12020). Please update "
	"your GPU driver by downloading and installing a new version from the URL: "
	"http://www.nvidia.com/Download/index.aspx")
FAILURE(NCCL_ERROR, "nccl_error", ENGINE, ENGINE,
	"RuntimeError: NCCL error: unhandled cuda error (run with NCCL_DEBUG=INFO for details)")
FAILURE(DISK_FULL, "disk_full", LOADING, ENGINE,
	"OSError: [Errno 28] No space left on device: '/root/.cache/huggingface/hub'")
FAILURE(UNKNOWN, "unknown", WEIGHTS, NOBODY, "")
FAILURE(KILLED, "killed", WEIGHTS, NOBODY, "")
FAILURE(SEGFAULT, "segfault", COMPILED, NOBODY, "")

#undef FAILURE
