"""Rules that vLLM enforces on the model, the GPU, the front end and the environment: a violation and a near miss of each."""
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
    """Returns a line: assignments first, then the command."""
    assigned = [word for word in words.split() if "_DEVICES=" in word or word.startswith("VLLM_")]
    rest = [word for word in words.split() if word not in assigned]
    return " ".join([*assigned, "vllm serve", model, *rest])


@pytest.mark.parametrize("model, words, release, hardware, rule", CASES)
def test_a_rule_hits_and_nearly_misses(bin_dir, models, model, words, release, hardware, rule):
    report = report_of(bin_dir, models, line_of(f"{models}/{model}", words), release, hardware)
    assert [one.get("rule") for one in errors(report)] == ([rule] if rule else []), report


def test_a_newer_release_refuses_what_two_releases_refused(bin_dir, models):
    report = report_of(bin_dir, models, f"vllm serve {models}/dense --enable-expert-parallel", "0.99.0")
    assert "expert_parallel_needs_experts" in [one.get("rule") for one in errors(report)]


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


# ---- parsers ---------------------------------------------------------------------------------

AUTO = "--enable-auto-tool-choice"
UNKNOWN, LATER, GONE = "not a", "does not have yet", "no longer has"

# words, release, severity, what is found, the nearest name
PARSERS = [
    (f"--tool-call-parser hermse {AUTO}", "0.32.0", "error", UNKNOWN, "hermes"),
    (f"--tool-call-parser hermes {AUTO}", "0.32.0", NONE, "", None),
    # it is compared only where tools are chosen automatically
    ("--tool-call-parser hermse", "0.32.0", "warning", UNKNOWN, "hermes"),
    (f"--tool-call-parser qwen3-coder {AUTO}", "0.20.0", "error", UNKNOWN, "qwen3_coder"),
    (f"--tool-call-parser step5 {AUTO}", "0.32.0", "error", LATER, None),
    (f"--tool-call-parser step5 {AUTO}", "0.33.0", NONE, "", None),
    (f"--tool-call-parser minimax {AUTO}", "0.24.0", "error", GONE, "minimax_m2"),
    (f"--tool-call-parser minimax {AUTO}", "0.22.0", NONE, "", None),
    (f"--tool-call-parser mine {AUTO} --tool-parser-plugin mine.py", "0.32.0", NONE, "", None),
    (f"VLLM_PLUGINS=mine --tool-call-parser mine {AUTO}", "0.32.0", "warning", UNKNOWN, "mimo"),
    ("--reasoning-parser qwen33", "0.32.0", "error", UNKNOWN, "qwen3"),
    ("--reasoning-parser deepseek-r1", "0.20.0", "error", UNKNOWN, "deepseek_r1"),
    ("--reasoning-parser kimi_k2", "0.32.0", NONE, "", None),
    ("--reasoning-parser kimi_k2", "0.11.1", NONE, "", None),
    ("--reasoning-parser musespark1x", "0.32.0", "error", LATER, None),
    ("--reasoning-parser musespark1x", "0.33.0", NONE, "", None),
    ("--reasoning-parser None", "0.33.0", NONE, "", None),
    ("--reasoning-parser mine --reasoning-parser-plugin mine.py", "0.32.0", NONE, "", None),
    ("--structured-outputs-config.reasoning_parser qwen33", "0.32.0", "error", UNKNOWN, "qwen3"),
    ("--structured-outputs-config.reasoning_parser qwen3", "0.32.0", NONE, "", None),
    # the names that a newer release registers are unknown, and the release is not given
    (f"--tool-call-parser hermse {AUTO}", "0.99.0", "warning", UNKNOWN, "hermes"),
    ("--reasoning-parser qwen33", None, "warning", UNKNOWN, "qwen3"),
    # older ones are not in the table
    (f"--tool-call-parser hermse {AUTO}", "0.6.3", NONE, "", None),
]


@pytest.mark.parametrize("words, release, severity, found, nearest", PARSERS)
def test_a_parser_is_the_release_s(bin_dir, models, words, release, severity, found, nearest):
    report = report_of(bin_dir, models, line_of(f"{models}/dense", words), release)
    told = [one for one in report["problems"] if one.get("reason") == "parser"]
    assert [one["severity"] for one in told] == ([severity] if severity else [])
    assert errors(report) == [one for one in told if one["severity"] == "error"]
    # the reader has no opinion of its own about the name
    assert [one for one in warnings(report) if "parser" in one["key"] and one not in told] == []
    if told:
        assert found in told[0]["found"] and told[0].get("nearest") == nearest


def test_every_parser_of_the_specification_is_known(bin_dir, test_data_dir, tmp_path):
    """Each name of a parser list in the history is known in its releases."""
    history = json.loads((test_data_dir / "spec/engine-args-history.json").read_text())["args"]
    rows = json.loads(profllm(bin_dir, tmp_path, "schema", "--json").stdout)["parsers"]

    def key(text):
        return [int(part) for part in text.replace("post", "").split(".")]

    asked = 0
    for kind, argument in (("tool", "tool_call_parser"), ("reasoning", "reasoning_parser")):
        for one in history[argument]["ranges"]:
            for name in (one["choices"] or []) if key(one["since"]) >= [0, 6, 6] else []:
                assert any(row["kind"] == kind and row["name"] == name and
                           (row["since"] is None or key(row["since"]) <= key(one["since"])) and
                           (row["until"] is None or key(row["until"]) > key(one["since"])) for row in rows), (name, one)
                asked += 1
    assert asked > 50


# ---- environment variables -------------------------------------------------------------------

# assignments, further words, release, severity, what is found, what is expected
VARIABLES = [
    ("VLLM_LOGING_LEVEL=DEBUG", "", "0.32.0", "warning", "does not have", "VLLM_LOGGING_LEVEL"),
    ("VLLM_LOGGING_LEVEL=DEBUG", "", "0.32.0", NONE, "", ""),
    ("VLLM_LOGING_LEVEL=DEBUG", "--fail-on-environ-validation", "0.32.0", "error", "does not have", "VLLM_LOGGING_LEVEL"),
    ("VLLM_LOGGING_LEVEL=DEBUG", "--fail-on-environ-validation", "0.32.0", NONE, "", ""),
    ("VLLM_ATTENTION_BACKEND=FLASHINFER", "", "0.32.0", "warning", "no longer has", "server.attention_backend"),
    ("VLLM_USE_V1=1", "", "0.33.0", "warning", "no longer has", "no variable"),
    ("VLLM_CHAT_TEMPLATE_FUEL=1", "", "0.32.0", "warning", "does not have yet", "vLLM 0.33.0 or newer"),
    ("VLLM_CHAT_TEMPLATE_FUEL=1", "", "0.33.0", NONE, "", ""),
    ("VLLM_USE_RAY_WRAPPED_PP_COMM=1", "", "0.33.0", "warning", "no longer has", "no variable"),
    ("VLLM_USE_RAY_WRAPPED_PP_COMM=1", "", "0.32.0", NONE, "", ""),
    # the names of other releases were not all read
    ("VLLM_LOGING_LEVEL=DEBUG", "", "0.31.0", NONE, "", ""),
    ("VLLM_LOGING_LEVEL=DEBUG", "", "0.99.0", NONE, "", ""),
    ("HF_HOME=/tmp NCCL_DEBUG=INFO MY_VLLM_THING=1", "", "0.32.0", NONE, "", ""),
]


@pytest.mark.parametrize("assigned, words, release, severity, found, expected", VARIABLES)
def test_a_variable_is_the_release_s(bin_dir, models, assigned, words, release, severity, found, expected):
    report = report_of(bin_dir, models, f"{assigned} vllm serve {models}/dense {words}", release)
    told = [one for one in report["problems"] if one.get("reason") == "variable"]
    assert [one["severity"] for one in told] == ([severity] if severity else []), report
    if told:
        assert found in told[0]["found"]
        assert expected in f"{told[0]['expected']} {told[0].get('nearest')}"


def test_the_environment_of_a_remote_server_is_unknown(bin_dir, models):
    (models / "url.yaml").write_text("""
launch: {url: "http://127.0.0.1:8000", env: {VLLM_LOGING_LEVEL: DEBUG}}
""")
    [report] = reports(profllm(bin_dir, models, "validate", "--json", "url.yaml"))
    assert [one for one in report["problems"] if one.get("reason") == "variable"] == []


def test_the_variables_are_those_of_the_specification(bin_dir, test_data_dir, tmp_path):
    spec = json.loads((test_data_dir / "spec/0.33.0/env-vars.json").read_text())["releases"]
    schema = json.loads(profllm(bin_dir, tmp_path, "schema", "--json").stdout)
    assert {one["version"] for one in schema["variable_releases"]} == set(spec)
    for version, names in spec.items():
        has = {row["name"] for row in schema["variables"]
               if (row["since"] is None or row["since"] <= version) and
               (row["until"] is None or tuple(map(int, row["until"].split("."))) > tuple(map(int, version.split("."))))}
        assert has == {name for name in names if name.startswith("VLLM_")}


def test_replacements_of_variables_are_arguments_or_keys(bin_dir, tmp_path):
    schema = json.loads(profllm(bin_dir, tmp_path, "schema", "--json").stdout)
    names = {one["name"] for one in schema["arguments"]}
    keys = {f"{one['of']}.{one['name']}" for one in schema["argument_fields"]}
    successors = [by for row in schema["variables"] if row["by"] for by in row["by"].split(", ")]
    assert len(successors) > 20 and set(successors) <= names | keys
