"""A new argument, or load option, needs one row: programs built with a synthetic one know it everywhere."""
import concurrent.futures
import json
import re
import shutil
import subprocess
import sys

import jsonschema
import pytest
from import_tools import ask, run_dashboard
from run_tools import base_config, load_result, run_profllm, write_config

# a sanitizer has nothing to find in a row more
pytestmark = pytest.mark.release_only

ROW = '''ARG(INT, VALUE, CURRENT, made_up_depth, "--made-up-depth", 7, 1, 9,
    "How deep it is made up",
    .aliases = "-mud")
'''
LOAD_ROW = '''BENCH(INT, VALUE, made_up_burst, "--made-up-burst", 2, 1, 9,
    "How many come at once",
    .group = "Load", .after = "burstiness", .ours = true)
'''
LIBRARIES = ["jansson", "yaml-0.1", "expat", "libzstd", "snappy", "zlib", "openssl", "libpcre2-8", "sqlite3", "libpq", "libmicrohttpd", "gnutls"]


def compiler(bin_dir):
    """Returns the compile command of main.c without its files: the switches of the libraries."""
    commands = bin_dir.parent / "compile_commands.json"
    assert commands.exists(), f"the build makes {commands}"
    for entry in json.loads(commands.read_text()):
        if entry["file"].endswith("src/cli/main.c"):
            words = entry["command"].split()
            # in the list a quote within a macro is marked for the shell
            return [words[0], *(word.replace('\\"', '"') for word in words[1:]
                                if re.match("-[DgOf]", word))]
    raise AssertionError(f"{commands} does not say how src/cli/main.c is compiled")


def link(compile_words, program, objects, bin_dir):
    """Links the program of its main.c and these objects with the existing libraries."""
    libraries = [str(path) for path in (bin_dir.parent / "lib").glob("libpl_*.a")]
    switches = subprocess.run(["pkg-config", "--libs", *LIBRARIES], check=True, capture_output=True,
                              text=True).stdout.split()
    subprocess.run([*compile_words, *objects, "-Wl,--start-group", *libraries, "-Wl,--end-group", *switches,
                    "-lpthread", "-lm", "-o", program], check=True)


def build(compile_words, tree, bin_dir, folder):
    """Builds the programs with the rows of the tree."""
    words = [*compile_words, f"-I{tree / 'src'}"]
    rows = folder / "catalog_rows.o"
    subprocess.run([*words, "-c", tree / "src/vllm/catalog_rows.c", "-o", rows], check=True)
    for layer, program in (("cli", "profllm"), ("sim", "profllm-sim"), ("dash", "profllm-dashboard")):
        link(words, folder / program, [tree / f"src/{layer}/main.c", rows], bin_dir)


def tree_with(source_dir, tree, path, row):
    """Returns the source tree with one additional row."""
    for name in ("src", "tools", "api", "docs", "packaging"):
        shutil.copytree(source_dir / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    path = tree / "src/tbl" / path
    path.write_text(path.read_text().rstrip("\n") + "\n" + row)
    return tree


@pytest.fixture(scope="module")
def tree(source_dir, tmp_path_factory):
    return tree_with(source_dir, tmp_path_factory.mktemp("tree"), "engine_args/lora.h", ROW)


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
    assert "\nserver.made_up_depth=\t" in run_profllm(made_up, "complete", "run", "--set", "").stdout


def test_schemas(tree, made_up):
    subprocess.run([sys.executable, tree / "tools/make-schemas", made_up / "profllm"], check=True, capture_output=True)
    schema = json.loads((tree / "api/experiment.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid({"server": {"made_up_depth": 5}})
    assert validator.is_valid({"server": {"made-up-depth": 5}})
    assert not validator.is_valid({"server": {"made_up_depth": 10}})
    result = json.loads((tree / "api/result.schema.json").read_text())
    assert "made_up_depth" in result["$defs"]["server"]["properties"]


@pytest.fixture(scope="module")
def result_path(made_up, tmp_path_factory, patience):
    folder = tmp_path_factory.mktemp("result")
    config = base_config(num_prompts=2)
    config["server"]["made_up_depth"] = 4
    config["launch"]["command"] = [str(made_up / "profllm-sim"), "serve"]
    path = folder / "r.json"
    done = run_profllm(made_up, "run", "--config", write_config(folder, config), "--output", path,
                       "--quiet", patience=patience)
    assert done.returncode == 0, done.stderr
    return path


def test_result(made_up, result_path):
    path = result_path
    result = load_result(path)
    assert result["config"]["server"]["made_up_depth"] == 4
    assert result["config"]["server_source"]["made_up_depth"] == "explicit"
    (told,) = json.loads(run_profllm(made_up, "schema", "--fields", "--json", "--field", "server.made_up_depth", path).stdout)
    assert told["fields"] == {"server.made_up_depth": {"state": "value", "value": 4, "explicit": True, "source": "explicit"}}


def fields(programs):
    return {row["id"]: row for row in json.loads(run_profllm(programs, "schema", "--fields", "--json").stdout)}


def test_field(made_up):
    row = fields(made_up)["server.made_up_depth"]
    assert (row["type"], row["role"], row["group"], row["column"]) == ("count", "input", "LoRAConfig", True)
    assert row["help"] == "How deep it is made up"


def test_column(made_up, bin_dir, result_path, tmp_path):
    """The column also exists for a database and a result that are older than the row."""
    db = tmp_path / "a.db"
    for programs, told in ((bin_dir, "stored"), (made_up, "duplicate")):
        done = run_dashboard(programs, "import", result_path, "--db", db)
        assert done.returncode == 0 and f"\n{told}" in done.stdout, done.stderr
        assert programs == made_up or "note: /config/server: unknown key 'made_up_depth'\n" in done.stdout
    ((value, explicit),) = ask(db, 'SELECT "server.made_up_depth", explicit_fields FROM benchmark_runs')
    assert value == 4 and "server.made_up_depth" in json.loads(explicit)


# ---- an option of the load: its row, and the code that uses it ---------------------------------

@pytest.fixture(scope="module")
def load_tree(source_dir, tmp_path_factory):
    return tree_with(source_dir, tmp_path_factory.mktemp("load_tree"), "bench_args.h", LOAD_ROW)


@pytest.fixture(scope="module")
def load_made_up(load_tree, bin_dir, source_dir, tmp_path_factory):
    """Builds with another load option. Its row is a member of a struct that many files know: all of them are recompiled."""
    folder = tmp_path_factory.mktemp("load_bin")
    words = [*compiler(bin_dir), "-O0", f"-I{load_tree / 'src'}"]
    commands = json.loads((bin_dir.parent / "compile_commands.json").read_text())
    home = f"{source_dir.resolve() / 'src'}/"
    sources = [file.removeprefix(home) for file in (entry["file"] for entry in commands) if file.startswith(home)]
    assert sources
    users = [source for source in sources if not source.startswith(("sim/", "store/", "dash/"))
             and "vllm/bench_options.h" in included(load_tree / "src", source, {})]
    objects = [folder / (source.replace("/", "_") + ".o") for source in users]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda pair: subprocess.run([*words, "-c", load_tree / "src" / pair[0], "-o", pair[1]],
                                                  check=True), zip(users, objects)))
    main = [] if "cli/main.c" in users else [load_tree / "src/cli/main.c"]
    link(words, folder / "profllm", [*main, *objects], bin_dir)
    return folder


def included(root, name, known):
    """Returns all headers that a file reaches."""
    if name not in known:
        known[name] = set()
        for header in re.findall(r'^#include "([^"]+)"', (root / name).read_text(), re.M):
            if (root / header).exists():
                known[name] |= {header} | included(root, header, known)
    return known[name]


def test_a_load_option_is_on_the_command_line(load_made_up):
    def dry_run(*words):
        return run_profllm(load_made_up, "bench", "serve", "--dry-run", "--json", *words)
    assert json.loads(dry_run().stdout)["options"]["made_up_burst"] == 2
    assert json.loads(dry_run("--made-up-burst", "5").stdout)["options"]["made_up_burst"] == 5
    assert "--made-up-burst: found number 10, expected an integer from 1 to 9" in dry_run("--made-up-burst", "10").stderr
    page = run_profllm(load_made_up, "bench", "serve", "--help").stdout
    assert re.search(r"--burstiness X.*?\n +--made-up-burst N +How many come at once.*?default 2", page, re.S)


def test_a_load_option_is_in_the_experiment_file(load_made_up, tmp_path):
    def validate(value):
        path = write_config(tmp_path, {"server": {"model": "m"}, "benchmark": {"made_up_burst": value}})
        return run_profllm(load_made_up, "validate", path)
    assert validate(9).returncode == 0
    done = validate(10)
    assert done.returncode == 2
    assert "benchmark.made_up_burst: found number 10, expected an integer from 1 to 9" in done.stdout + done.stderr
    assert "\nbenchmark.made_up_burst=\t" in run_profllm(load_made_up, "complete", "run", "--set", "").stdout


def test_a_load_option_is_a_field(load_made_up):
    row = fields(load_made_up)["benchmark.made_up_burst"]
    assert (row["type"], row["role"], row["group"], row["column"]) == ("count", "input", "Load", True)


def test_a_load_option_is_in_schemas_and_pages(load_tree, load_made_up):
    for tool in ("make-schemas", "make-reference"):
        subprocess.run([sys.executable, load_tree / "tools" / tool, load_made_up / "profllm"], check=True,
                       capture_output=True)
    schema = json.loads((load_tree / "api/experiment.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid({"benchmark": {"made_up_burst": 9}})
    assert not validator.is_valid({"benchmark": {"made_up_burst": 10}})
    page = (load_tree / "docs/reference/bench-serve.md").read_text()
    assert "| `--made-up-burst` | whole number | `2` | ours; How many come at once |" in page
    page = (load_tree / "docs/reference/experiment-file.md").read_text()
    assert "| `made_up_burst` \\* | integer, 1 to 9 | `2` | How many come at once |" in page
