"""`profllm mcp`: a scripted client of the Model Context Protocol."""
import http.server
import json
import os
import re
import signal
import subprocess
import threading
import time

import jsonschema
import pytest
from dashboard_tools import Dashboard, results
from mcp_tools import META, MODERN, Client
from run_tools import PATIENCE, base_config, children_of, marked_processes, run_profllm, write_config
from wait_tools import wait_for

TOOLS = ("validate", "forecast_memory", "plan_sweep", "run", "sweep", "compare")
QUERIES = ("query_experiments", "query_fields", "query_missing")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A root with an experiment, a sweep and results that need no run."""
    folder = tmp_path_factory.mktemp("root").resolve()
    write_config(folder, base_config(num_prompts=4))
    write_config(folder, {**base_config(num_prompts=4), "sweep": {"server.max_num_seqs": [4, 8]}}, "sweep.yaml")
    write_config(folder, {"server": {"model": "m", "max_num_seq": 3}}, "wrong.yaml")
    for side, speed in (("base", 1.0), ("fast", 0.8), ("same", 1.0)):
        (folder / side).mkdir()
        for i in range(6):
            make = measured(f"{side}{i}", speed * (1 + 0.004 * ((i * 7 + len(side)) % 5 - 2)))
            (folder / side / f"{i}.json").write_text(json.dumps(make))
    return folder


def measured(name, speed=1.0, verdict="trusted", status="completed"):
    return {"run_id": f"exp_{name}", "name": name, "status": status, "quality": {"verdict": verdict},
            "config": {"server": {"model": "some/model", "max_num_seqs": 256}, "benchmark": {"num_prompts": 100}},
            "environment": {"engine": {"name": "vllm", "version": "0.33.0", "simulated": False}},
            "results": {"completed": 100, "failed": 0, "output_throughput": 1000 / speed, "median_ttft_ms": 20 * speed,
                        "median_tpot_ms": 5 * speed, "p99_ttft_ms": 60 * speed}}


@pytest.fixture
def client(bin_dir, place):
    with Client(bin_dir, "--root", place) as own:
        yield own


@pytest.fixture(scope="module")
def rows(bin_dir):
    return json.loads(run_profllm(bin_dir, "schema", "--json").stdout)


# ---- the protocol --------------------------------------------------------------------------------


@pytest.mark.parametrize(("wanted", "got"), [("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"),
                                             ("2025-03-26", "2024-11-05"), ("2024-10-07", "2025-11-25"), ("2026-07-28", "2025-11-25"),
                                             ("1.0", "2025-11-25"), ("2025-03-26x", "2025-11-25"), ("2025-11-25\0", None)])
def test_handshake(bin_dir, place, wanted, got):
    if got is None:
        with Client(bin_dir, "--root", place, version=None) as client:
            assert client.ask("initialize", {"protocolVersion": wanted})["error"]["code"] == -32602
        return
    with Client(bin_dir, "--root", place, version=wanted) as client:
        assert client.hello["protocolVersion"] == got
        assert client.hello["serverInfo"]["name"] == "profllm" and "not proven" in client.hello["instructions"]
        assert client.hello["capabilities"] == {"tools": {"listChanged": False}}
        assert client.ask("ping")["result"] == {}
        assert [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]] == list(TOOLS)
        assert client.end() == 0


def test_first_request_is_initialize(bin_dir, place):
    with Client(bin_dir, "--root", place, version=None) as client:
        assert client.ask("ping")["result"] == {}
        assert client.ask("tools/list")["error"] == {"code": -32600, "message": "the first request must be 'initialize'"}
        assert client.ask("initialize", {})["error"]["code"] == -32602


def test_version_in_each_request(bin_dir, place):
    with Client(bin_dir, "--root", place, version=None) as client:
        found = client.ask("server/discover", MODERN)["result"]
        assert found["supportedVersions"][0] == "2026-07-28" and found["resultType"] == "complete" and found["ttlMs"] > 0
        listed = client.ask("tools/list", MODERN)["result"]
        assert len(listed["tools"]) == len(TOOLS) and listed["_meta"][META + "serverInfo"]["name"] == "profllm"
        called = client.ask("tools/call", {**MODERN, "name": "validate", "arguments": {"files": ["experiment.yaml"]}})["result"]
        assert called["resultType"] == "complete" and called["structuredContent"]["files"][0]["ok"]
        old = {"_meta": {**MODERN["_meta"], META + "protocolVersion": "1900-01-01"}}
        error = client.ask("tools/list", old)["error"]
        assert error["code"] == -32022 and error["data"]["requested"] == "1900-01-01"
        assert error["data"]["supported"] == found["supportedVersions"]
        lacking = {"_meta": {META + "protocolVersion": "2026-07-28"}}
        assert client.ask("tools/list", lacking)["error"]["code"] == -32602


@pytest.mark.parametrize(("line", "code", "text"), [
    (b"{", -32700, "message"), (b"\xff\xfe", -32700, "message"), (b"[]", -32600, "batch"), (b"3", -32600, "object"),
    (b'{"jsonrpc": "1.0", "id": 7, "method": "ping"}', -32600, "jsonrpc"), (b'{"jsonrpc": "2.0", "id": 7}', -32600, "method"),
    (b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"x": 1' + b"0" * 30 + b"}}", -32700, "message"),
    (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, "id"), (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, "id"),
    (b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": []}', -32600, "params"),
    (b'{"jsonrpc": "2.0", "id": 7, "method": "no/such\\nmethod"}', -32601, "unknown method 'no/such method'"),
    (b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "rm"}}', -32602, "unknown tool 'rm'"),
    (b'{"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {"cursor": "x"}}', -32602, "cursor"),
    (b'{"jsonrpc": "2.0", "id": 7, "method": "ping\\u0000x"}', -32600, "U+0000"),
    (b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "validate\\u0000x"}}', -32602, "name"),
    (b'{"jsonrpc": "2.0", "id": 7, "method": "ping"}\0', -32700, "message"), (b'\xef\xbb\xbf{}', -32700, "message"),
    (b'{"jsonrpc": "2.0", "id": 7, "id": 8, "method": "ping"}', -32700, "duplicate"),
    (b'{"a":' * 200 + b"1" + b"}" * 200, -32600, "80 levels"), (b"[" * 100000, -32600, "80 levels"),
    (b'{"id": 7, "x": "' + b"y" * (1 << 20) + b'"}', -32600, "1048576 bytes"), (b"z" * (5 << 20), -32600, "1048576 bytes")],
    ids=lambda value: value[:40].decode(errors="replace") if isinstance(value, bytes) else str(value))
def test_malformed_messages(client, line, code, text):
    client.write(line + b"\n")
    error = client.read()["error"]
    assert error["code"] == code and text in error["message"]
    assert client.ask("ping")["result"] == {}


def test_ignored_messages(client):
    """Notifications, answers and blank lines get no answer."""
    client.write(b'\n \r\n{"jsonrpc": "2.0", "id": 9, "result": {}}\n{"jsonrpc": "2.0", "method": "notifications/whatever"}\n')
    client.tell("notifications/cancelled", requestId=77)
    client.tell("notifications/cancelled", requestId=[])
    # an answer to an error that names no request would be answered again
    client.write(b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "x"}}\n')
    client.send(method="notifications/initialized", params=None)
    assert client.ask("ping")["result"] == {} and not client.notes


def test_null_is_no_value(client):
    """Some clients write null for what they do not send."""
    client.send(id=5, method="ping", params=None)
    assert client.read()["result"] == {}
    assert client.ask("tools/list", {"cursor": None})["result"]["tools"]
    answer = client.ask("tools/call", {"name": "validate", "arguments": None, "_meta": None})
    assert answer["result"]["content"][0]["text"] == "files is missing"


def test_an_id_is_a_text_too(client):
    client.send(id="a" * 256, method="ping")
    assert client.read()["id"] == "a" * 256


# ---- schemas -------------------------------------------------------------------------------------


def in_place(schema, defs):
    """Returns the schema with its definitions in place of the references."""
    if isinstance(schema, list):
        return [in_place(one, defs) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        target = in_place(defs[schema["$ref"].removeprefix("#/$defs/")], defs)
        return {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    return {key: in_place(value, defs) for key, value in schema.items()}


def test_schemas_are_those_of_the_commands(bin_dir, place, rows, source_dir):
    """The arguments are the options of --help, and the answers what the command prints as JSON."""
    commands = {row["name"]: {option["name"]: option for option in row["options"]} for row in rows["commands"]}
    defs = json.loads((source_dir / "api/outputs.schema.json").read_text())["$defs"]
    kinds = {row["name"]: row for row in rows["mcp_tools"]}
    with Client(bin_dir, "--root", place, "--dashboard", "http://127.0.0.1:1") as client:
        tools = client.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools] == [*TOOLS, *QUERIES] == list(kinds)
    assert json.loads(run_profllm(bin_dir, "mcp", "--json").stdout)["tools"] == tools
    for tool in tools:
        row = kinds[tool["name"]]
        options = commands[row["words"].split()[0]]
        properties = dict(tool["inputSchema"]["properties"])
        if row["operand"]:
            assert properties.pop(row["operand"]) and row["operand"] in tool["inputSchema"]["required"]
        assert [name.replace("_", "-") for name in properties] == [name.rstrip("!") for name in row["options"]]
        for name, schema in properties.items():
            option = options[name.replace("_", "-")]
            assert schema["description"].startswith(option["help"])
            assert schema.get("enum") == option["choices"]
            assert (schema["type"] == "boolean") == (option["value"] is None)
            assert (name in tool["inputSchema"]["required"]) == (f"{option['name']}!" in row["options"])
        assert tool["inputSchema"]["additionalProperties"] is False
        assert tool["outputSchema"] == in_place({"$ref": f"#/$defs/{row['answer']}"}, defs)
        output = "profllm_" + row["words"].replace(" ", "_") + "".join(
            "__" + word[2:].replace("-", "_") for word in row["fixed"].split() if word != "--explain")
        assert in_place(defs[output], defs)["properties"] == tool["outputSchema"]["properties"]
        assert tool["annotations"]["readOnlyHint"] == (row["access"] != "run")
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        jsonschema.Draft202012Validator.check_schema(tool["outputSchema"])


@pytest.mark.parametrize(("tool", "arguments", "words"), [
    ("validate", {"files": ["experiment.yaml", "wrong.yaml"]}, ["validate", "--json", "experiment.yaml", "wrong.yaml"]),
    ("validate", {"files": ["wrong.yaml"], "upgrade_to": "0.33.0", "vllm_version": "0.10.0", "strict": True},
     ["validate", "--json", "--upgrade-to", "0.33.0", "--vllm-version", "0.10.0", "--strict", "wrong.yaml"]),
    ("forecast_memory", {"files": ["experiment.yaml"], "hardware": "h100x8", "set": ["server.model=meta-llama/Llama-3.1-8B-Instruct"]},
     ["validate", "--json", "--explain", "--hardware", "h100x8", "--set", "server.model=meta-llama/Llama-3.1-8B-Instruct",
      "experiment.yaml"]),
    ("plan_sweep", {"file": "sweep.yaml"}, ["sweep", "run", "--dry-run", "--json", "sweep.yaml"]),
    ("compare", {"sides": ["base", "fast", "same"], "min_effect": "3%"},
     ["compare", "--brief", "--min-effect", "3%", "base", "fast", "same"])])
def test_answers_are_those_of_the_commands(bin_dir, place, client, tool, arguments, words):
    answer = client.call(tool, **arguments)
    schema, = (one["outputSchema"] for one in client.ask("tools/list")["result"]["tools"] if one["name"] == tool)
    jsonschema.Draft202012Validator(schema).validate(answer)
    printed = run_profllm(bin_dir, *words, cwd=place).stdout
    # the client's paths are absolute
    assert json.loads(json.dumps(answer).replace(f"{place}/", "")) == json.loads(printed)


# ---- what is proven -------------------------------------------------------------------------------


def findings(answer, side=0):
    return {metric["field"].removeprefix("results."): metric["against"][side] for metric in answer["metrics"]}


def test_comparison_says_what_is_proven(client):
    answer = client.call("compare", sides=["base", "fast", "same"])
    assert answer["verdict"] == "trusted" and answer["n"] == 6
    better, equal = findings(answer, 0), findings(answer, 1)
    for name in ("output_throughput", "median_ttft_ms", "median_tpot_ms"):
        assert better[name]["finding"] == "better" and better[name]["proven"]
        assert better[name]["sentence"].startswith("better: ") and "6 runs of each side" in better[name]["sentence"]
        assert equal[name]["finding"] == "equal" and equal[name]["more_runs_count"] is None
    throughput = better["output_throughput"]
    assert throughput["low"] < throughput["ratio"] < throughput["high"] and throughput["low"] > 1
    assert better["median_ttft_ms"]["high"] < 1
    assert answer["proof"] == "proven: 6 of 6 findings"
    few = client.call("compare", sides=["base/0.json", "fast/0.json"])
    assert few["n"] == 1 and {one["finding"] for one in findings(few).values()} == {"not_proven"}
    assert few["proof"] == "not proven: about 2 more runs of each side; 0 of 3 findings are proven"
    assert findings(few)["median_ttft_ms"]["low"] is None and findings(few)["median_ttft_ms"]["more_runs_count"] == 2


def test_comparison_is_not_fooled(bin_dir, tmp_path):
    """Copies of a run, runs that the client limited, and runs that failed prove nothing."""
    for side, speed in (("a", 1.0), ("b", 0.5)):
        (tmp_path / side).mkdir()
        for i in range(6):
            (tmp_path / side / f"{i}.json").write_text(json.dumps(measured(f"{side}{i}", speed * (1 + i / 1000))))
    for name, change in (("copies", {"run_id": "exp_b0"}), ("limited", {"quality": {"verdict": "client_limited"}}),
                         ("failed", {"status": "failed"})):
        (tmp_path / name).mkdir()
        for i in range(6):
            document = {**measured(f"{name}{i}", 0.5 * (1 + i / 1000)), **(change if i or name != "copies" else {"run_id": "exp_b0"})}
            (tmp_path / name / f"{i}.json").write_text(json.dumps(document))
    with Client(bin_dir, "--root", tmp_path) as client:
        answer = client.call("compare", sides=["a", "copies", "limited", "failed", "b"])
    sides = {side["name"].rsplit("/")[-1]: side for side in answer["sides"]}
    assert sides["copies"]["n"] == 1 and sides["copies"]["copies"] == 5 and sides["limited"]["client_limited"] == 6
    assert sides["failed"]["n"] == 0 and sides["failed"]["not_completed"] == 6
    found = [findings(answer, i)["median_ttft_ms"] for i in range(4)]
    assert [one["finding"] for one in found] == ["not_proven", "not_proven", "no_value", "better"]
    assert "load generator" in found[1]["sentence"] and answer["verdict"] is None
    with Client(bin_dir, "--root", tmp_path) as client:
        again = client.call("compare", sides=["b", "b"])
    assert findings(again)["median_ttft_ms"]["sentence"] == "not proven: a run is on both sides"


def write_side(folder, name, speed, change=lambda document, i: None, count=6):
    (folder / name).mkdir()
    for i in range(count):
        document = measured(f"{name}{i}", speed * (1 + i / 1000))
        change(document, i)
        (folder / name / f"{i}.json").write_text(json.dumps(document))


def test_comparison_of_different_things(bin_dir, tmp_path):
    """Simulated runs among others and another load prove nothing; runs that are not trusted are counted."""
    def load(**options):
        return lambda document, _: document["config"]["benchmark"].update(options)
    write_side(tmp_path, "base", 1.0, load(max_concurrency=8))
    write_side(tmp_path, "load", 0.5, load(max_concurrency=16))
    write_side(tmp_path, "unlimited", 0.5, load(max_concurrency=None))
    write_side(tmp_path, "older", 0.5)
    write_side(tmp_path, "mixed", 0.5, lambda document, i: (load(max_concurrency=8)(document, i), document["environment"]["engine"].update(simulated=i == 0)))
    write_side(tmp_path, "degraded", 0.5, lambda document, i: (load(max_concurrency=8)(document, i), document["quality"].update(verdict="degraded")))
    with Client(bin_dir, "--root", tmp_path) as client:
        for side, text in (("load", "the load differs in 'benchmark.max_concurrency'"), ("unlimited", "the load differs in"),
                           ("mixed", "1 of 12 runs are simulated")):
            answer = client.call("compare", sides=["base", side])
            found = findings(answer)["median_ttft_ms"]
            assert found["finding"] == "not_proven" and found["sentence"].startswith(f"not proven: {text}") and found["more_runs_count"] is None
            assert answer["proof"] == "not proven; 0 of 3 findings are proven"
        # a side whose runs do not record the limit may have the same load
        assert findings(client.call("compare", sides=["base", "older"]))["median_ttft_ms"]["finding"] == "better"
        answer = client.call("compare", sides=["base", "degraded"])
        assert findings(answer)["median_ttft_ms"]["sentence"].endswith("6 runs of each side; 6 runs are not trusted")
        assert answer["verdict"] == "degraded" and answer["proof"] == "proven: 3 of 3 findings; 6 runs are not trusted"
        # the load of one candidate concerns no other
        answer = client.call("compare", sides=["base", "load", "degraded"])
        assert [findings(answer, i)["median_ttft_ms"]["finding"] for i in range(2)] == ["not_proven", "better"]
        assert "expected at most 5%" in client.fault("compare", sides=["base", "degraded"], error="50%")


def test_metrics_of_a_comparison(client):
    assert list(findings(client.call("compare", sides=["base", "fast"], metrics=["p99_ttft_ms"]))) == ["p99_ttft_ms"]
    assert "unknown metric 'p99_ttf'" in client.fault("compare", sides=["base", "fast"], metrics=["p99_ttf"])


# ---- refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["run", "sweep"])
def test_read_only_by_default(bin_dir, client, place, tool):
    arguments = {"run": {"config": "experiment.yaml", "output": "r.json"}, "sweep": {"file": "sweep.yaml", "output_dir": "made"}}[tool]
    before = sorted(place.rglob("*"))
    assert "read-only" in client.fault(tool, **arguments) and "--allow-run" in client.fault(tool, **arguments)
    assert sorted(place.rglob("*")) == before


@pytest.mark.parametrize(("arguments", "text"), [
    ({}, "files is missing"), ({"files": []}, "1 to 100 paths"), ({"files": "experiment.yaml"}, "1 to 100 paths"),
    ({"files": ["x"] * 101}, "1 to 100 paths"), ({"files": [3]}, "files: found 3, expected a text"),
    ({"files": ["a\nb"]}, "U+000A"), ({"files": ["a\0b"]}, "U+0000"), ({"files": ["a\x1b[31m"]}, "U+001B"),
    ({"files": ["-"]}, "expected a path"),
    ({"files": [""]}, "expected a path"), ({"files": ["x" * 3000]}, "expected a path"), ({"files": ["x" * 70000]}, "at most 65536"),
    ({"files": ["/etc/passwd"]}, "outside of the directory of --root"), ({"files": ["../../etc/passwd"]}, "files: '../../etc/passwd'"),
    ({"files": ["base/../../x"]}, "files: "), ({"files": ["/proc/self/environ"]}, "outside"),
    ({"files": ["experiment.yaml"], "hardware": "--models=list"}, "unknown hardware '--models=list'"),
    ({"files": ["experiment.yaml"], "hardware": 1e300}, "hardware: found 1"), ({"files": ["experiment.yaml"], "strict": "yes"}, "true or false"),
    ({"files": ["experiment.yaml"], "set": "a=b"}, "list of at most 100"), ({"files": ["experiment.yaml"], "set": [None]}, "expected a text"),
    ({"files": ["experiment.yaml"], "json": True}, "unknown argument 'json'"),
    ({"files": ["experiment.yaml"], "hardwre": "x"}, "unknown argument 'hardwre' (did you mean 'hardware'?)"),
    ({"files": ["experiment.yaml"], "command_file": "/etc/passwd"}, "unknown argument 'command_file'"),
    ({"files": ["experiment.yaml"], "params_overlay": "/etc/passwd"}, "unknown argument")],
    ids=lambda value: json.dumps(value)[:60])
def test_hostile_arguments(client, arguments, text):
    fault = client.fault("validate", **arguments)
    assert text in fault and "\n" not in fault and "\0" not in fault


@pytest.mark.parametrize(("tool", "arguments", "text"), [
    ("compare", {"sides": ["base"]}, "2 to 8 paths"), ("compare", {"sides": ["base", "base#../../x"]}, "sides: "),
    ("compare", {"sides": ["base", "base#zz"]}, "id of a combination"), ("compare", {"sides": ["base", "base#00ff"]}, "combination '00ff'"),
    ("compare", {"sides": ["base", "none"]}, "none"), ("compare", {"sides": ["base", "fast"], "min_effect": "-5%"}, "min-effect"),
    ("plan_sweep", {"file": ["sweep.yaml"]}, "expected a text"), ("plan_sweep", {"file": "sweep.yaml", "only": ["--help"]}, "--help"),
    ("query_fields", {}, "no dashboard")])
def test_hostile_arguments_of_other_tools(client, tool, arguments, text):
    assert text in client.fault(tool, **arguments)


def test_list_of_hardware(client):
    """The remedy of an unknown hardware profile works for a client, too."""
    assert "validate --hardware list" in client.fault("forecast_memory", files=["experiment.yaml"], hardware="no-such-gpu")
    assert "h100" in client.fault("forecast_memory", files=["experiment.yaml"], hardware="list")


def test_links_out_of_the_root(bin_dir, tmp_path):
    """A link, a name in an experiment and a file in a directory lead nowhere else."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "secret.yaml").write_text("server: {model: TOPSECRET}\n")
    (outside / "config.json").write_text('{"model_type": "TOPSECRET"}')
    for i in range(2):
        (outside / f"{i}.json").write_text(json.dumps(measured(f"TOPSECRET{i}")))
    (root / "link.yaml").symlink_to(outside / "secret.yaml")
    (root / "folder").symlink_to(outside)
    (root / "hanging.yaml").symlink_to(outside / "new.yaml")
    (root / "side").mkdir()
    (root / "side/0.json").symlink_to(outside / "0.json")
    write_config(root, {"server": {"model": str(outside)}, "benchmark": {"backend": "openai"}})
    with Client(bin_dir, "--root", root) as client:
        for name in ("link.yaml", "folder/secret.yaml", "folder", str(outside / "secret.yaml")):
            assert "outside of the directory of --root" in client.fault("validate", files=[name])
        assert "hanging.yaml" in client.fault("validate", files=["hanging.yaml"])
        if has_landlock():
            answer = client.call("forecast_memory", files=["experiment.yaml"])
            assert "TOPSECRET" not in json.dumps(answer)
            assert not answer["files"][0]["ok"] and "Permission denied" in json.dumps(answer)
            assert "TOPSECRET" not in client.fault("compare", sides=["side", "side"])


def has_landlock():
    import ctypes

    return ctypes.CDLL(None, use_errno=True).syscall(444, None, 0, 1) > 0


@pytest.mark.parametrize("descriptor", [0, 1, 2])
def test_closed_descriptors(bin_dir, tmp_path, descriptor):
    """A closed descriptor at the start is an end of input, or output that no one reads."""
    done = subprocess.run(["sh", "-c", f'exec "$0" mcp --root "$1" {descriptor}>&-', bin_dir / "profllm", tmp_path],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=60 * PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_wrong_usage(bin_dir, tmp_path):
    for words, text in ((["--root", tmp_path / "none"], "--root"), (["--root", __file__], "expected a directory"),
                        (["--token-file", __file__], "works only with --dashboard"), (["--dashboard", "ftp://x"], "--dashboard")):
        done = run_profllm(bin_dir, "mcp", *words)
        assert done.returncode == 2 and text in done.stderr and not done.stdout


# ---- runs -----------------------------------------------------------------------------------------


def long_run(place, name="long.yaml"):
    return write_config(place, base_config(num_prompts=100000, max_concurrency=2), name)


def journal_of(path):
    return path.parent / (path.name + ".journal")


def begin_run(client, place, output):
    """Starts a run that would last for minutes, and returns its request and its run_id once requests are sent."""
    number = client.begin_call("run", token="t", config="long.yaml", output=output, sim=True)
    path = place / output
    wait_for(lambda: journal_of(path).exists() and b'"run_id"' in journal_of(path).read_bytes()[:65536], "a journal", 60 * PATIENCE)
    run_id = re.search(rb'"run_id": ?"([^"]+)"', journal_of(path).read_bytes())[1].decode()
    wait_for(lambda: len(marked_processes(run_id)) > 0, "a server", 60 * PATIENCE)
    return number, run_id


def test_run_and_sweep(bin_dir, tmp_path):
    write_config(tmp_path, base_config(num_prompts=4))
    write_config(tmp_path, {**base_config(num_prompts=4), "sweep": {"server.max_num_seqs": [4, 8]}}, "sweep.yaml")
    with Client(bin_dir, "--root", tmp_path, "--allow-run") as client:
        schemas = {tool["name"]: tool["outputSchema"] for tool in client.ask("tools/list")["result"]["tools"]}
        answer = client.call("run", config="experiment.yaml", output="r.json", sim=True, set=["benchmark.num_prompts=6"])
        jsonschema.Draft202012Validator(schemas["run"]).validate(answer)
        assert answer["status"] == "completed" and answer["requests"] == 6 and answer["simulated"] and answer["n"] == 1
        assert answer["proof"].startswith("not proven: one run") and answer["result"] == str(tmp_path.resolve() / "r.json")
        assert json.loads((tmp_path / "r.json").read_text())["run_id"] == answer["run_id"]
        assert "--overwrite" in client.fault("run", config="experiment.yaml", output="r.json", sim=True)
        swept = client.call("sweep", file="sweep.yaml", output_dir="out", sim=True, repeats=2)
        jsonschema.Draft202012Validator(schemas["sweep"]).validate(swept)
        assert [one["n"] for one in swept["combinations"]] == [2, 2] and swept["runs"] == 4 and "not ranked" in swept["proof"]
        more = client.call("sweep", file="sweep.yaml", output_dir="out", sim=True, repeats=3, resume=True)
        assert [one["n"] for one in more["combinations"]] == [3, 3]
        compared = client.call("compare", sides=[one["side"] for one in more["combinations"]])
        assert compared["n"] == 3 and all(side["simulated"] == 3 for side in compared["sides"])
        # a failed start has an answer, too
        failed = client.call("run", config="experiment.yaml", output="f.json", set=['launch.command=["false"]'])
        assert failed["status"] == "launch_failed" and failed["error"] and failed["verdict"] is None and not failed["metrics"]
        assert "no_such" in client.fault("run", config="experiment.yaml", output="g.json", sim=True, set=["server.no_such=1"])
        for output in ("/tmp/x.json", "../x.json", "none/x.json"):
            assert client.fault("run", config="experiment.yaml", output=output, sim=True).startswith("output: ")


def test_cancel_stops_the_run(bin_dir, tmp_path):
    long_run(tmp_path)
    with Client(bin_dir, "--root", tmp_path, "--allow-run") as client:
        number, run_id = begin_run(client, tmp_path, "r.json")
        assert "a run is in progress" in client.fault("run", config="long.yaml", output="other.json", sim=True)
        client.send(id=number, method="ping")
        assert client.answer(number)["error"]["code"] == -32600
        # other calls are answered meanwhile
        assert client.call("validate", files=["long.yaml"])["files"][0]["ok"]
        client.tell("notifications/cancelled", requestId=number, reason="enough")
        wait_for(lambda: not marked_processes(run_id) and not journal_of(tmp_path / "r.json").exists(), "the end of the run", 60 * PATIENCE)
        assert json.loads((tmp_path / "r.json").read_text())["status"] == "interrupted"
        wait_for(lambda: not children_of(client.process.pid), "the end of the call", 60 * PATIENCE)
        client.ask("ping")
        again, other = begin_run(client, tmp_path, "again.json")
        assert client.notes and all(note["params"]["progressToken"] == "t" for note in client.notes)
        steps = [note["params"]["progress"] for note in client.notes]
        assert all(isinstance(step, int) for step in steps)
        client.tell("notifications/cancelled", requestId=again)
        wait_for(lambda: not marked_processes(other), "the end of the run", 60 * PATIENCE)
        client.ask("ping")
        # a canceled call gets no answer
        assert client.end() == 0
        rest = client.rest + client.process.stdout.read()
        assert all(json.loads(line).get("id") not in (number, again) for line in rest.splitlines())


@pytest.mark.parametrize("how", ["input", "term", "output", "kill"])
def test_end_leaves_nothing_running(bin_dir, tmp_path, how):
    long_run(tmp_path)
    with Client(bin_dir, "--root", tmp_path, "--allow-run") as client:
        _, run_id = begin_run(client, tmp_path, "r.json")
        if how == "input":
            client.process.stdin.close()
        elif how == "output":
            client.process.stdout.close()
        else:
            client.process.send_signal(signal.SIGTERM if how == "term" else signal.SIGKILL)
        status = client.process.wait(timeout=60 * PATIENCE)
        assert status == {"input": 0, "term": 143, "output": 0, "kill": -9}[how]
        wait_for(lambda: not marked_processes(run_id), "the end of the server", 60 * PATIENCE)
        wait_for(lambda: (tmp_path / "r.json").exists(), "a result", 60 * PATIENCE)
        assert json.loads((tmp_path / "r.json").read_text())["status"] == "interrupted"


def test_calls_at_once(bin_dir, tmp_path):
    """Four calls run at the same time; a fifth is refused, and their order is free."""
    os.mkfifo(tmp_path / "slow.yaml")
    write_config(tmp_path, base_config())
    with Client(bin_dir, "--root", tmp_path) as client:
        waiting = [client.begin_call("validate", files=["slow.yaml"]) for _ in range(4)]
        assert "4 calls are in progress" in client.fault("validate", files=["experiment.yaml"])
        for number in waiting:
            client.tell("notifications/cancelled", requestId=number)
        deadline = time.monotonic() + 60 * PATIENCE
        while "4 calls" in json.dumps(client.answer(client.begin_call("validate", files=["experiment.yaml"]))):
            assert time.monotonic() < deadline
            time.sleep(0.1)


# ---- the dashboard ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def filled(bin_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dashboard")
    dashboard = Dashboard(bin_dir, folder / "profllm.db")
    files = []
    for i, result in enumerate(results(3)):
        (folder / f"{i}.json").write_text(json.dumps(result))
        files.append(str(folder / f"{i}.json"))
    assert run_profllm(bin_dir, "upload", *files, "--to", dashboard.url).returncode == 0
    yield dashboard
    dashboard.process.terminate()
    dashboard.process.communicate()


def test_queries(bin_dir, place, filled):
    with Client(bin_dir, "--root", place, "--dashboard", filled.url) as client:
        schemas = {tool["name"]: tool["outputSchema"] for tool in client.ask("tools/list")["result"]["tools"]}
        answers = {"query_experiments": {"filter": {"field": "results.p99_ttft_ms", "op": "gt", "value": 100.5}, "columns": ["results.p99_ttft_ms", "run.status"],
                                         "sort": ["-results.p99_ttft_ms"], "limit": 1},
                   "query_fields": {"search": "p99_ttft", "limit": 2}, "query_missing": {"limit": 3, "axes": ["server.max_num_seqs"]}}
        got = {tool: client.call(tool, **arguments) for tool, arguments in answers.items()}
        for tool, answer in got.items():
            jsonschema.Draft202012Validator(schemas[tool]).validate(answer)
        found = got["query_experiments"]
        assert found["count"] == 2 and found["total"] == 3 and len(found["experiments"]) == 1
        row, = found["experiments"]
        assert row["metrics"][0]["value"] == 102.0 and row["values"] == {"run.status": "partial"} and "not proven" in found["proof"]
        assert got["query_fields"]["count"] > 2 and len(got["query_fields"]["fields"]) == 2
        assert client.call("query_experiments")["count"] == 3
        for wrong, text in (({"filter": {"field": "no.such", "op": "eq", "value": 1}}, "no.such"), ({"limit": 10**6}, "--limit"),
                            ({"limit": 2**60}, "integer"), ({"filter": "x"}, "expected an object"), ({"columns": ["a\nb"]}, "U+000A")):
            assert text in client.fault("query_experiments", **wrong)


def test_dashboard_that_is_away(bin_dir, place):
    with Client(bin_dir, "--root", place, "--dashboard", "http://127.0.0.1:1") as client:
        assert "127.0.0.1:1" in client.fault("query_fields")


CELLS = {"cells": {"run.name": "x"}, "id": 1, "run_id": "b", "verdict": None, "simulated": False}


@pytest.mark.parametrize(("tool", "reply", "text"), [
    ("query_experiments", {"count": 1, "total": 1, "rows": [CELLS]}, None),
    ("query_experiments", {"count": "1", "total": 1, "rows": [CELLS]}, "unexpected response"),
    ("query_experiments", {"count": -1, "total": 1, "rows": []}, "unexpected response"),
    ("query_experiments", {"count": 1, "total": 1, "rows": [{**CELLS, "run_id": []}]}, "unexpected response"),
    ("query_experiments", {"count": 1, "total": 1, "rows": [CELLS] * 60000}, "request fewer items"),
    ("query_fields", {"fields": [{}, 3]}, "unexpected response"), ("query_fields", [], "unexpected response"),
    ("query_missing", {"fields": [], "missing": [], "count": 1.5}, "unexpected response"),
    ("query_missing", {"fields": [3], "missing": [{"seconds": "x"}], "repeats": [7], "files": [3]}, "unexpected response"),
    ("query_fields", b"[" * 100000, "unexpected response"), ("query_fields", b"<html>", "unexpected response"),
    ("query_fields", 302, "HTTP 302"), ("query_fields", 500, "HTTP 500")], ids=lambda value: repr(value)[:50])
def test_hostile_dashboard(bin_dir, place, tmp_path, tool, reply, text):
    """An answer has the published form, or the call fails. The token goes to the dashboard only, and is never shown."""
    seen = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.rfile.read(int(self.headers.get("content-length", 0)))
            seen.append(self.headers.get("authorization", ""))
            body = b"sekrit" if isinstance(reply, int) else reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            self.send_response(reply if isinstance(reply, int) else 200)
            self.send_header("location", f"http://127.0.0.1:{server.server_port}/elsewhere")
            self.end_headers()
            self.wfile.write(body)
        do_POST = do_GET

        def log_message(self, *_):
            pass

    (tmp_path / "token").write_text("sekrit\n")
    (tmp_path / "token").chmod(0o600)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with Client(bin_dir, "--root", place, "--dashboard", f"http://127.0.0.1:{server.server_port}", "--token-file", tmp_path / "token") as client:
            if text is None:
                assert client.call(tool)["experiments"][0]["values"] == {"run.name": "x"}
            else:
                fault = client.fault(tool)
                assert text in fault and "sekrit" not in fault
        server.shutdown()
    assert seen == ["Bearer sekrit"]


def test_query_command(bin_dir, filled):
    done = run_profllm(bin_dir, "query", "fields", "--dashboard", filled.url, "--search", "p99_ttft", "--limit", "1")
    assert done.returncode == 0 and len(json.loads(done.stdout)["fields"]) == 1
    for words, text in ((["fields"], "--dashboard URL is missing"), (["rows", "--dashboard", filled.url], "expected experiments, fields or missing"),
                        (["experiments", "--dashboard", filled.url, "--filter", "{"], "--filter"), ([], "expected experiments")):
        done = run_profllm(bin_dir, "query", *words)
        assert done.returncode == 2 and text in done.stderr
