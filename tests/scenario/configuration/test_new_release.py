"""tools/new-release: the sources of a wheel compared with the rows."""
import json
import subprocess
import sys
import zipfile

import pytest



def test_no_row_has_a_todo(source_dir):
    """The tool prints TODO for facts that a maintainer has to look up."""
    left = [f"{path.name}:{number}" for path in sorted((source_dir / "src/tbl").rglob("*.h"))
            for number, line in enumerate(path.read_text().splitlines(), 1) if "TODO" in line]
    assert left == []
    assert '"TODO' in (source_dir / "tools/new-release").read_text()


SOURCES = {
    "vllm/engine/arg_utils.py": '''
class EngineArgs:
    @staticmethod
    def add_cli_args(parser):
        model_kwargs = get_kwargs(ModelConfig)
        group = parser.add_argument_group(title="ModelConfig")
        group.add_argument("--dtype", **model_kwargs["dtype"])
        group.add_argument("--seed", "--random-seed", **model_kwargs["seed"])
        group.add_argument("--enable-novelty", "-en", **{**model_kwargs["enable_novelty"], "default": None})
        group.add_argument("--novelty-mode", **model_kwargs["novelty_mode"])
        group.add_argument("--kernel-config", **model_kwargs["kernel_config"])
        model_kwargs["runner"]["choices"].remove("draft")
        group.add_argument("--runner", **model_kwargs["runner"])
        group.add_argument("--revision", **model_kwargs["revision"])
class AsyncEngineArgs(EngineArgs):
    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--enable-log-requests", action=BooleanOptionalAction, default=False)
''',
    "vllm/config/model.py": '''
import made_up_module_that_nothing_has
raise RuntimeError("never run")
Dtype = Literal["auto", "half", "brand_new"]
Mode = Literal["a", "b"] | None
SIZE = 4 * 1024
@config
class KernelConfig:
    monokernel: bool = True
    tiles: int = Field(default=SIZE, ge=1, lt=9000)
    inner: str = field(default="x", init=False)
@config
class ModelConfig:
    dtype: Dtype = "auto"
    seed: int = 7
    enable_novelty: bool = False
    novelty_mode: Mode = None
    kernel_config: KernelConfig = Field(default_factory=KernelConfig)
    runner: Literal["auto", "generate", "pooling", "draft"] = "auto"
    revision: str | None = compute_it()
''',
    "vllm/entrypoints/common/cli_args.py": '''
class BaseFrontendArgs:
    response_role: str = "tutor"
class FrontendArgs(BaseFrontendArgs):
    port: int = 8000
def make_arg_parser(parser):
    parser.add_argument("--headless", action="store_true", default=False)
    return FrontendArgs.add_cli_args(parser)
''',
    "vllm/utils/argparse_utils.py": "class EnableDisableAction(BooleanOptionalAction):\n    pass\n",
    "vllm-0.77.0.dist-info/METADATA": "Version: 0.77.0\n",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    path = tmp_path_factory.mktemp("wheel") / "vllm-0.77.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in SOURCES.items():
            archive.writestr(name, text)
    return path


def new_release(bin_dir, source_dir, wheel, *args):
    return subprocess.run([sys.executable, source_dir / "tools/new-release", wheel, bin_dir / "profllm", *args],
                          capture_output=True, text=True, check=False)


def test_differences_are_reported(bin_dir, source_dir, wheel):
    done = new_release(bin_dir, source_dir, wheel)
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("vLLM 0.77.0 against the rows of ")
    for line in ("changed  seed  default: 0 -> 7", 'changed  seed  aliases: [] -> ["--random-seed"]',
                 'changed  response_role  default: "assistant" -> "tutor"',
                 "changed  dtype  choices: gone bfloat16, float, float16, float32; new brand_new",
                 "changed  runner  choices: gone draft; new none",
                 "key      kernel_config.monokernel  default: false -> true",
                 "new key  kernel_config.tiles  int, default 4096, {'min': 1, 'max': 9000, 'exclusive': 'max'}",
                 "gone key kernel_config.moe_backend", "gone     tensor_parallel_size"):
        assert line in lines, line
    # as in the rows
    for name in ("headless", "port", "enable_log_requests"):
        assert not [line for line in lines if line.startswith(("changed", "gone")) and line.split()[1] == name], name
    assert "kernel_config.inner" not in done.stdout
    [unsure] = [line for line in lines if line.startswith("not learned")]
    assert "revision: default" in unsure


def test_rows_to_paste(bin_dir, source_dir, wheel):
    text = new_release(bin_dir, source_dir, wheel).stdout
    assert 'ARG(BOOL, TOGGLE, CURRENT, enable_novelty, "--enable-novelty", null, -INF, INF,' in text
    assert '.negative_flag = "--no-enable-novelty"' in text
    assert '.negative_aliases = "--disable-novelty"' in text and '.aliases = "-en"' in text
    assert 'ARG(ENUM, VALUE, CURRENT, novelty_mode, "--novelty-mode", null, -INF, INF,' in text
    assert '.choices = ARG_JSON(["a", "b"])' in text


def test_a_history_gets_the_release(bin_dir, source_dir, tmp_path, wheel):
    def entry(default, choices=None, flag="--x"):
        return {"in_reference": True, "in_spec": True, "ranges": [
            {"since": "0.4.0", "until": None, "default": default, "choices": choices, "flag": flag}]}
    rows = json.loads(subprocess.run([bin_dir / "profllm", "params", "--json"], capture_output=True, text=True,
                                     check=True).stdout)
    spec = {"releases_read": ["0.4.0"], "reference_version": "0.4.0", "config_keys": {},
            "args": {row["name"]: entry(row["default"], row["choices"], row["flag"]) for row in rows}}
    (tmp_path / "old.json").write_text(json.dumps(spec))
    done = new_release(bin_dir, source_dir, wheel, "--history", tmp_path / "old.json", tmp_path / "new.json")
    assert done.returncode == 1, done.stderr
    made = json.loads((tmp_path / "new.json").read_text())
    assert made["releases_read"] == ["0.4.0", "0.77.0"] and made["reference_version"] == "0.77.0"
    assert [(one["since"], one["until"], one["default"]) for one in made["args"]["seed"]["ranges"]] == \
        [("0.4.0", "0.77.0", 0), ("0.77.0", None, 7)]
    assert made["args"]["dtype"]["ranges"][1]["choices"] == ["auto", "brand_new", "half"]
    assert made["args"]["tensor_parallel_size"]["ranges"][-1]["until"] == "0.77.0"
    assert made["args"]["tensor_parallel_size"]["in_reference"] is False
    assert made["args"]["novelty_mode"]["ranges"] == [
        {"since": "0.77.0", "until": None, "default": None, "choices": ["a", "b"], "flag": "--novelty-mode"}]
    assert made["config_keys"]["kernel_config"]["tiles"]["ranges"][0]["default"] == 4096
    assert made["args"]["port"] == spec["args"]["port"]


def test_other_programs_than_vllm_are_refused(bin_dir, source_dir, tmp_path):
    done = new_release(bin_dir, source_dir, tmp_path)
    assert done.returncode == 1 and "found no vllm/engine/arg_utils.py" in done.stderr
