"""A new argument is one row: programs built with a made-up one know it everywhere."""
import json
import os
import re
import shutil
import subprocess
import sys

import jsonschema
import pytest
from run_tools import base_config, load_result, run_profllm, write_config

ROW = '''ARG(INT, VALUE, CURRENT, made_up_depth, "--made-up-depth", 7, 1, 9,
    "How deep it is made up",
    .aliases = "-mud")
'''
LIBRARIES = ["jansson", "yaml-0.1", "expat", "libzstd", "openssl"]
LAYERS = ["cli", "run", "bench", "sim", "host", "result", "experiment", "checkpoint", "vllm", "option", "io", "base"]


def compiler(bin_dir):
    """The compile command of main.c, less its files: the same switches as the libraries have."""
    commands = bin_dir.parent / "compile_commands.json"
    assert commands.exists(), f"the build makes {commands}"
    for entry in json.loads(commands.read_text()):
        if entry["file"].endswith("src/cli/main.c"):
            words = entry["command"].split()
            # in the list a quote within a macro is marked for the shell
            return [words[0], *(word.replace('\\"', '"') for word in words[1:]
                                if re.match("-[DgOf]", word))]
    pytest.skip("the programs were built elsewhere")
    return []


def build(compile_words, tree, bin_dir, folder):
    """profllm and profllm-sim with the tree's rows; all else comes from the libraries that are there."""
    libraries = [str(path) for path in (bin_dir.parent / "lib").glob("libpl_*.a")]
    switches = subprocess.run(["pkg-config", "--libs", *LIBRARIES], check=True, capture_output=True,
                              text=True).stdout.split()
    rows = folder / "server_args.o"
    subprocess.run([*compile_words, f"-I{tree / 'src'}", "-c", tree / "src/vllm/server_args.c", "-o", rows],
                   check=True)
    for layer, program in (("cli", "profllm"), ("sim", "profllm-sim")):
        subprocess.run([*compile_words, f"-I{tree / 'src'}", tree / f"src/{layer}/main.c", rows,
                        "-Wl,--start-group", *libraries, "-Wl,--end-group", *switches, "-lpthread", "-lm",
                        "-o", folder / program], check=True)


@pytest.fixture(scope="module")
def tree(source_dir, tmp_path_factory):
    """The source tree with one row more."""
    tree = tmp_path_factory.mktemp("tree")
    for name in ("src", "tools", "api", "docs"):
        shutil.copytree(source_dir / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    path = tree / "src/tbl/engine_args/lora.h"
    path.write_text(path.read_text().rstrip("\n") + "\n" + ROW)
    return tree


@pytest.fixture(scope="module")
def made_up(tree, bin_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bin")
    build(compiler(bin_dir), tree, bin_dir, folder)
    return folder


def test_params_and_reference_page(made_up):
    (entry,) = json.loads(run_profllm(made_up, "params", "made_up_depth", "--json").stdout)
    assert (entry["flag"], entry["aliases"], entry["default"]) == ("--made-up-depth", ["-mud"], 7)
    assert (entry["min"], entry["max"], entry["group"]) == (1, 9, "LoRAConfig")
    page = run_profllm(made_up, "params", "--markdown").stdout
    assert "| `made_up_depth` | `--made-up-depth` `-mud` | int, at least 1, at most 9 | `7` |" in page


def test_reader_and_command_line(made_up, tmp_path):
    def dry_run(value):
        config = {"server": {"model": "m", "made-up-depth": value}, "launch": {"gpus": []}}
        path = write_config(tmp_path, config)
        return run_profllm(made_up, "run", "--config", path, "--dry-run", "--json")
    argv = json.loads(dry_run(5).stdout)["argv"]
    assert argv[argv.index("--made-up-depth") + 1] == "5"
    done = dry_run(10)
    assert done.returncode == 2
    assert re.search(r"server\.made-up-depth: found number 10, expected .*1.*9", done.stderr)


def test_a_pasted_command_line(made_up):
    done = run_profllm(made_up, "validate", "--json", "--", "vllm", "serve", "m", "-mud", "12")
    assert done.returncode == 2
    (problem,) = [problem for problem in json.loads(done.stdout)["files"][0]["problems"]
                  if problem["severity"] == "error"]
    assert problem["found"] == "number 12"
    assert re.search(r"\b1\b.*\b9$", problem["expected"])


def test_completion(made_up):
    assert "server.made_up_depth=" in run_profllm(made_up, "completion", "bash").stdout


def test_schemas(tree, bin_dir):
    subprocess.run([sys.executable, tree / "tools/make-schemas"], check=True, capture_output=True,
                   env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    schema = json.loads((tree / "api/experiment.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid({"server": {"made_up_depth": 5}})
    assert validator.is_valid({"server": {"made-up-depth": 5}})
    assert not validator.is_valid({"server": {"made_up_depth": 10}})
    result = json.loads((tree / "api/result.schema.json").read_text())
    assert "made_up_depth" in result["$defs"]["server"]["properties"]


def test_result(made_up, tmp_path, patience):
    config = base_config(num_prompts=2)
    config["server"]["made_up_depth"] = 4
    config["launch"]["command"] = [str(made_up / "profllm-sim"), "serve"]
    path = tmp_path / "r.json"
    done = run_profllm(made_up, "run", "--config", write_config(tmp_path, config), "--output", path,
                       "--quiet", patience=patience)
    assert done.returncode == 0, done.stderr
    result = load_result(path)
    assert result["config"]["server"]["made_up_depth"] == 4
    assert result["config"]["server_source"]["made_up_depth"] == "explicit"
