"""Rules that vLLM enforces about the model, the GPU, the front end and the environment: a hit and a near miss of each."""
import json

import pytest
from validate_tools import errors, profllm, reports, warnings

LLAMA = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 1024, "num_hidden_layers": 4,
         "num_attention_heads": 8, "num_key_value_heads": 8, "intermediate_size": 2048, "vocab_size": 1000,
         "max_position_embeddings": 4096, "torch_dtype": "float16"}


def quantized(method, **keys):
    return {**LLAMA, "quantization_config": {"quant_method": method, **keys}}


def compressed(weights, inputs):
    return quantized("compressed-tensors", config_groups={"group_0": {"weights": weights, "input_activations": inputs}})


INT4, INT8 = {"num_bits": 4, "type": "int"}, {"num_bits": 8, "type": "int"}
MODELS = {
    "dense": LLAMA,
    "dense-null": {**LLAMA, "num_experts": None, "enable_moe_block": False},
    "unknown-experts": {**LLAMA, "num_routed_expert_groups": 4},
    "other-family": {**LLAMA, "model_type": "some_new_family", "architectures": ["SomeNewForCausalLM"]},
    "experts": {**LLAMA, "architectures": ["MixtralForCausalLM"], "model_type": "mixtral", "num_local_experts": 8},
    "experts-default": {**LLAMA, "architectures": ["MixtralForCausalLM"], "model_type": "mixtral"},
    "awq": quantized("awq", bits=4, group_size=128),
    "gptq": quantized("gptq", bits=4, group_size=128),
    "fp8": quantized("fp8"),
    "mxfp4": quantized("mxfp4"),
    "modelopt-fp8": quantized("modelopt", quant_algo="FP8"),
    "modelopt-fp4": quantized("modelopt", quant_algo="NVFP4"),
    "modelopt-other": quantized("modelopt", quant_algo="W4A8_AWQ"),
    "bitsandbytes": quantized("bitsandbytes", load_in_4bit=True),
    "w4a16": compressed(INT4, None),
    "w8a8": compressed(INT8, INT8),
    "w4a8": compressed(INT4, INT8),
}
NONE = None  # nothing is found

# model, words, release, hardware, the rule that is an error
CASES = [
    # expert parallelism
    ("dense", "--enable-expert-parallel", "0.32.0", None, "expert_parallel_needs_experts"),
    ("dense-null", "--enable-expert-parallel", "0.32.0", None, "expert_parallel_needs_experts"),
    ("dense", "--no-enable-expert-parallel", "0.32.0", None, NONE),
    ("experts", "--enable-expert-parallel", "0.32.0", None, NONE),
    ("experts-default", "--enable-expert-parallel", "0.32.0", None, NONE),
    ("unknown-experts", "--enable-expert-parallel", "0.32.0", None, NONE),
    ("other-family", "--enable-expert-parallel", "0.32.0", None, NONE),
    # adapters
    ("dense", "--lora-modules a=/no/such", "0.32.0", None, "lora_modules_need_lora"),
    ("dense", "--lora-modules a=/no/such --no-enable-lora", "0.11.0", None, "lora_modules_need_lora"),
    ("dense", "--lora-modules a=/no/such --enable-lora", "0.32.0", None, NONE),
    ("dense", "--enable-lora", "0.32.0", None, NONE),
    # the argument alone
    ("dense", "-q fp8", "0.32.0", "v100", "quantization_capability_fp8"),
    ("dense", "-q fp8", "0.32.0", "t4", NONE),
    ("dense", "-q fp8", "0.13.0", "t4", "quantization_capability_fp8_marlin"),
    ("dense", "-q fp8", "0.13.0", "a100", NONE),
    ("dense", "-q fp8", "0.32.0", None, NONE),
    ("dense", "-q fp8", "0.32.0", "mi300x", NONE),
    ("dense", "-q experts_int8", "0.32.0", "t4", "quantization_capability_80"),
    ("dense", "-q experts_int8", "0.32.0", "a10", NONE),
    ("dense", "-q fp8_per_tensor", "0.32.0", "v100", "quantization_capability_75"),
    ("dense", "-q fp_quant --allow-deprecated-quantization", "0.32.0", "h100", "quantization_capability_100"),
    ("dense", "-q fp_quant --allow-deprecated-quantization", "0.32.0", "b200", NONE),
    # the checkpoint's method
    ("awq", "", "0.32.0", "v100", "quantization_capability_75"),
    ("awq", "", "0.32.0", "t4", NONE),
    ("awq", "-q awq_marlin", "0.11.0", "t4", "quantization_capability_fp8_marlin"),
    ("awq", "-q awq", "0.11.0", "t4", NONE),
    ("awq", "-q awq_marlin", "0.32.0", "t4", NONE),
    ("gptq", "", "0.32.0", "v100", NONE),
    ("gptq", "-q gptq_marlin", "0.20.0", "v100", "quantization_capability_gptq_marlin"),
    ("gptq", "-q gptq_marlin", "0.22.0", "v100", NONE),
    ("fp8", "", "0.11.0", "t4", "quantization_capability_fp8_marlin"),
    ("fp8", "", "0.14.0", "t4", NONE),
    ("mxfp4", "", "0.32.0", "t4", "quantization_capability_80"),
    ("mxfp4", "", "0.32.0", "a100", NONE),
    ("modelopt-fp8", "", "0.26.0", "a100", "quantization_capability_modelopt"),
    ("modelopt-fp8", "", "0.26.0", "l4", NONE),
    ("modelopt-fp8", "", "0.32.0", "a100", NONE),
    ("modelopt-fp8", "", "0.32.0", "t4", "quantization_capability_modelopt_fp8"),
    # an NVFP4 checkpoint has the same name, and another limit
    ("modelopt-fp4", "", "0.26.0", "a100", NONE),
    ("modelopt-fp4", "", "0.32.0", "v100", "quantization_capability_fp8"),
    ("modelopt-other", "", "0.26.0", "v100", NONE),
    ("bitsandbytes", "", "0.20.0", "v100", NONE),
    # schemes of compressed-tensors
    ("w4a16", "", "0.11.0", "t4", "quantization_capability_wna16_marlin"),
    ("w4a16", "", "0.12.0", "t4", NONE),
    ("w4a16", "", "0.32.0", "v100", "quantization_capability_wna16"),
    ("w8a8", "", "0.32.0", "v100", "quantization_capability_w8a8"),
    ("w8a8", "", "0.32.0", "t4", NONE),
    ("w4a8", "", "0.32.0", "v100", NONE),
    # GPUs that are visible
    ("dense", "CUDA_VISIBLE_DEVICES=0,1 -tp 4", "0.32.0", None, "world_fits_gpus"),
    ("dense", "CUDA_VISIBLE_DEVICES=0,1 -tp 2", "0.32.0", None, NONE),
    ("dense", "CUDA_VISIBLE_DEVICES=0,1,-1,2 -tp 4", "0.32.0", None, "world_fits_gpus"),
    ("dense", "CUDA_VISIBLE_DEVICES=0,1,2,3 -tp 2 -pp 2", "0.32.0", "h100x8", NONE),
    ("dense", "CUDA_VISIBLE_DEVICES=0,1,2 -tp 2 -pp 2", "0.32.0", "h100x8", "world_fits_gpus"),
    ("dense", "CUDA_VISIBLE_DEVICES=0,1,2 -dp 2 -tp 2", "0.32.0", None, "world_fits_gpus"),
    ("dense", "CUDA_VISIBLE_DEVICES=GPU-1234,GPU-5678 -tp 2", "0.32.0", None, NONE),
    ("dense", "CUDA_VISIBLE_DEVICES=GPU-1234 -tp 2", "0.32.0", None, "world_fits_gpus"),
    ("dense", "CUDA_VISIBLE_DEVICES=$GPUS -tp 2", "0.32.0", None, NONE),
    ("dense", "CUDA_VISIBLE_DEVICES=all -tp 2", "0.32.0", None, NONE),
    ("dense", "HIP_VISIBLE_DEVICES=0 -tp 2", "0.32.0", "mi300xx8", "world_fits_gpus"),
    ("dense", "--device-ids 0,1 -tp 4", "0.32.0", None, "world_fits_gpus"),
    ("dense", "CUDA_VISIBLE_DEVICES=0 -tp 2 --distributed-executor-backend ray", "0.32.0", None, NONE),
]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for name, config in MODELS.items():
        (folder / name).mkdir()
        (folder / name / "config.json").write_text(json.dumps(config))
    return folder


def report_of(bin_dir, folder, line, release=None, hardware=None):
    release = [f"--vllm-version={release}"] if release else []
    hardware = [f"--hardware={hardware}"] if hardware else []
    [report] = reports(profllm(bin_dir, folder, "validate", "--json", *release, *hardware, "--", line))
    return report


def line_of(model, words):
    """Assignments first, then the command."""
    assigned = [word for word in words.split() if "_DEVICES=" in word or word.startswith("VLLM_")]
    rest = [word for word in words.split() if word not in assigned]
    return " ".join([*assigned, "vllm serve", model, *rest])


@pytest.mark.parametrize("model, words, release, hardware, rule", CASES)
def test_a_rule_hits_and_nearly_misses(bin_dir, models, model, words, release, hardware, rule):
    report = report_of(bin_dir, models, line_of(f"{models}/{model}", words), release, hardware)
    assert [one.get("rule") for one in errors(report)] == ([rule] if rule else []), report


def test_a_newer_release_is_warned(bin_dir, models):
    """Nobody has read whether it still has the rule."""
    report = report_of(bin_dir, models, f"vllm serve {models}/dense --enable-expert-parallel", "0.99.0")
    assert errors(report) == []
    assert "expert_parallel_needs_experts" in [one.get("rule") for one in warnings(report)]


def test_processors_have_no_visible_gpus(bin_dir, models):
    (models / "cpu.yaml").write_text(f"""
server: {{model: {models}/dense, tensor_parallel_size: 2}}
launch: {{platform: cpu, env: {{CUDA_VISIBLE_DEVICES: "0"}}}}
""")
    [report] = reports(profllm(bin_dir, models, "validate", "--json", "cpu.yaml"))
    assert [one.get("rule") for one in errors(report)] == []


def test_the_gpus_of_the_experiment_count(bin_dir, models):
    for gpus, rules in (("[0, 1]", ["world_fits_gpus"]), ("[0, 1, 2, 3]", [])):
        (models / "gpus.yaml").write_text(f"""
server: {{model: {models}/dense, tensor_parallel_size: 4}}
launch: {{gpus: {gpus}}}
""")
        [report] = reports(profllm(bin_dir, models, "validate", "--json", "--hardware", "h100x8", "gpus.yaml"))
        assert [one.get("rule") for one in errors(report)] == rules
