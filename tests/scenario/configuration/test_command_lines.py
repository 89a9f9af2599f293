"""Real `vllm serve` command lines: our verdict and values compared with those of vLLM's own parser."""
import json
import subprocess

import pytest

RELEASE = "0.32.0"

# id of a line -> why our verdict, or the values, differ from the parser's
EXPLAINED_VERDICTS = {}
EXPLAINED_VALUES = {}

# lines whose experiment file is refused, though vLLM starts them
NO_EXPERIMENT = "a server without an API cannot be measured"

TRUE = ("true", "on", "yes", "1", "t", "y")
FALSE = ("false", "off", "no", "0", "f", "n")


@pytest.fixture(scope="module")
def driver(bin_dir):
    path = bin_dir.parent / "tests" / "command_driver"
    assert path.exists(), f"the build makes {path}"
    return path


def drive(driver, commands, release=RELEASE):
    lines = "".join(json.dumps({"command": command, "release": release}) + "\n" for command in commands)
    run = subprocess.run([driver], input=lines, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(answers) == len(commands)
    return answers


@pytest.fixture(scope="module")
def lines(test_data_dir):
    path = test_data_dir / "data" / "commands" / "commands.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture(scope="module")
def answers(driver, lines):
    return drive(driver, [line["command"] for line in lines])


@pytest.fixture(scope="module")
def table(test_data_dir):
    spec = test_data_dir / "spec"
    engine = json.loads((spec / "engine-args.json").read_text())
    serve = json.loads((spec / "serve-args.json").read_text())
    args = engine["args"] + serve["frontend_args"] + serve["newer_engine_args"]
    return {arg["name"]: arg for arg in args}


def lora(item):
    """Returns an adapter as vLLM's parser sees it: missing values are None or False."""
    if isinstance(item, str):
        name, path = item.split("=", 1)
        item = {"name": name, "path": path}
    return {key: value for key, value in item.items() if value not in (None, False)}


def like(value):
    """Returns the meaning of a key of a JSON object, independent of its spelling."""
    if isinstance(value, dict):
        return {key: like(member) for key, member in value.items()}
    if isinstance(value, list):
        return [like(member) for member in value]
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            lower = value.lower()
            return 1.0 if lower in TRUE else 0.0 if lower in FALSE else value
    return value


def without_defaults(value, fields):
    """Removes default values from a typed object, as the parser's `set` lacks them."""
    if not isinstance(value, dict):
        return value
    known = fields or {}
    kept = {}
    for key, member in value.items():
        field = known.get(key, {})
        member = without_defaults(member, field.get("fields"))
        if "default" not in field or like(field["default"]) != like(member):
            kept[key] = member
    return kept


def normal(name, value, arg):
    if name == "lora_modules" and value is not None:
        return [lora(item) for item in value]
    if name == "max_model_len" and value == "auto":
        return -1
    if arg["type"] == "json":
        return like(without_defaults(value, arg.get("fields")))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    return value


def differences(ours, line, table):
    """Returns {name: (ours, theirs)} of the arguments whose values differ from vLLM's parser."""
    found = {}
    for name in set(ours) | set(line["set"]):
        arg = table[name]
        theirs = line["set"].get(name, arg["default"])
        mine = ours.get(name, arg["default"])
        if normal(name, mine, arg) != normal(name, theirs, arg):
            found[name] = (mine, theirs)
    return found


def flag_name(word):
    return word.split("=")[0].replace("_", "-")


def is_reported(refused, keys):
    """Returns whether the argument, or a key inside it, is among the keys of the problems."""
    name = flag_name(refused)
    return any(key == name or key.startswith(name + ".") for key in keys)


def test_verdicts(lines, answers):
    """Lines are accepted or refused as by vLLM's parser; `engine` lines may be either."""
    wrong = {}
    for line, answer in zip(lines, answers):
        if (not answer["errors"]) != line["ok"] and not line.get("engine"):
            wrong[line["id"]] = line["error"] or answer["shown"]
    print(f"verdicts agree for {len(lines) - len(wrong)} of {len(lines)} lines")
    assert len(lines) > 200
    assert set(wrong) == set(EXPLAINED_VERDICTS), json.dumps(wrong, indent=1)


def test_refused_arguments_are_named(lines, answers):
    """Each refused argument is reported with its word, and no other one is."""
    count = 0
    for line, answer in zip(lines, answers):
        if line["ok"]:
            continue
        keys = [flag_name(problem["key"] or "") for problem in answer["errors"]]
        names = [flag_name(word) for word in line["refused"]]
        for word in line["refused"]:
            assert is_reported(word, keys), (line["id"], word, keys)
            count += 1
        for key in keys:
            assert any(key == name or key.startswith(name + ".") for name in names), (line["id"], key)
        assert all(problem["word"] > 0 for problem in answer["errors"]), line["id"]
    assert count > 50


def test_values(lines, answers, table):
    """The values are exactly those that the parser set."""
    wrong = {}
    count = 0
    for line, answer in zip(lines, answers):
        if not line["ok"] or answer["errors"]:
            continue
        count += 1
        found = differences(answer["values"], line, table)
        if found:
            wrong[line["id"]] = found
    print(f"values agree for {count - len(wrong)} of {count} lines")
    assert count > 150
    assert set(wrong) == set(EXPLAINED_VALUES), wrong


def test_environment_and_form(lines, answers):
    """The data has KEY in place of all keys and tokens."""
    for line, answer in zip(lines, answers):
        assert answer["form"] == line["form"], line["id"]
        assert set(answer["env"]) == set(line["env"]), line["id"]
        for name, value in line["env"].items():
            assert value in ("KEY", answer["env"][name]), (line["id"], name)


def test_there_and_back(driver, lines, answers, table):
    """The experiment file made from a line, and the line made from that file, have the same meaning."""
    made = []
    for line, answer in zip(lines, answers):
        if not line["ok"] or answer["errors"]:
            continue
        if answer["yaml_values"] is None:
            assert NO_EXPERIMENT in answer["yaml_error"], (line["id"], answer["yaml_error"])
            continue
        assert answer["yaml_values"] == answer["values"], line["id"]
        made.append((line, answer))
    assert len(made) > 150
    again = drive(driver, [answer["rewritten"] for _, answer in made])
    for (line, answer), back in zip(made, again):
        assert back["errors"] == [], line["id"]
        assert back["values"] == answer["values"], line["id"]
        assert not differences(back["values"], line, table), line["id"]


def test_real_failures(driver, test_data_dir):
    """Checks commands of real vLLM servers that failed to start because of an argument."""
    logs = test_data_dir / "data" / "real" / "logs"
    told = {}
    for fault in ("unknown_argument", "bad_choice"):
        first = (logs / f"start_fails_{fault}.log").read_text().splitlines()[0]
        (answer,) = drive(driver, [first])
        (told[fault],) = answer["errors"]
        assert "^" * 5 in answer["shown"]
    assert told["unknown_argument"]["key"] == "--tensor-paralel-size"
    assert told["unknown_argument"]["nearest"] == "--tensor-parallel-size"
    assert told["bad_choice"]["key"] == "--dtype"
    assert told["bad_choice"]["nearest"] == "float16"


COMMANDS = {
    "vllm serve a/b -tp 2 --no-enable-prefix-caching": {"model": "a/b", "tensor_parallel_size": 2, "enable_prefix_caching": False},
    "A=1 python -m vllm.entrypoints.openai.api_server --model a/b --max-model-len 4k": {"model": "a/b", "max_model_len": 4000},
    "docker run --gpus all vllm/vllm-openai a/b --compilation-config.mode 3": {"model": "a/b", "compilation_config": {"mode": 3}},
}


def test_examples_of_the_project(driver):
    for (command, values), answer in zip(COMMANDS.items(), drive(driver, list(COMMANDS))):
        assert answer["errors"] == []
        assert answer["values"] == values
        assert answer["yaml_values"] == values
