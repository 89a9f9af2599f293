"""`profllm validate --schema` compared with python3-jsonschema: the same verdicts and pointers for randomly broken
documents, and messages for files broken by hand."""
import copy
import json
import os
import random
import re
import subprocess

import jsonschema
import pytest
import yaml
from test_result_schema import ERROR, GOOD, RECORD, SAMPLE, SOURCE, schema
from validate_tools import pointer, profllm, reports, schema_faults

TIMES = 10 if os.environ.get("PROFLLM_TEST_LONG") else 1
WORDS = ["", "auto", "inf", "a\nb", "é" * 40, "x" * 2000, "0", "null", "2026-01-02T03:04:05Z", "a,b", "{"]
NUMBERS = [0, -1, 1, 0.5, -0.5, 2.0, 1e300, -1e-9, 2**31, 2**53 + 1, 2**63 - 1, -2**63, 2**70, 101, 1048577]
OTHERS = [None, True, False, [], {}, [1, 2, 3], ["a", "a"], [{}], {"a": 1}, {"name": "a", "path": "b"}]


def made_results():
    """Returns one result with every key, and smaller ones, which python3-jsonschema reads in a tenth of the time."""
    small = copy.deepcopy(GOOD)
    small["config"].update(params_overlay=["model"], server={"model": "m", "max_num_seqs": 3},
                           server_source={"model": "explicit", "max_num_seqs": "default"}, server_explicit=["model"])
    bare = copy.deepcopy(small)
    bare.update(status="launch_failed", error=ERROR, results=None)
    bare["quality"]["verdict"] = None
    return GOOD, small, bare


def some_value(rng):
    return copy.deepcopy(rng.choice(rng.choice([WORDS, NUMBERS, OTHERS])))


def some_place(rng, document):
    """Returns a random non-empty object or array of the document."""
    while True:
        inner = [one for one in (document.values() if isinstance(document, dict) else document)
                 if isinstance(one, (dict, list)) and one]
        if not inner or rng.random() < 0.3:
            return document
        document = rng.choice(inner)


def misspelt(rng, key):
    at = rng.randrange(len(key) + 1)
    return rng.choice([key[:at] + key[at + 1:], key[:at] + "_" + key[at:], key.upper(), key.replace("_", "-"), key + "/~"])


def break_object(rng, place):
    key = rng.choice(list(place))
    what = rng.choice(["delete", "misspell", "add", "type", "type", "number", "word"])
    if what == "delete":
        del place[key]
    elif what == "misspell":
        place[misspelt(rng, key)] = place[key]
    elif what == "add":
        place[rng.choice(["more", "p33_ttft_ms", "p101_itl_ms", "", "server", key * 2])] = some_value(rng)
    else:
        place[key] = {"type": some_value(rng), "number": rng.choice(NUMBERS), "word": rng.choice(WORDS)}[what]


def break_array(rng, place):
    what = rng.choice(["delete", "twice", "replace", "append", "reverse"])
    at = rng.randrange(len(place))
    if what == "delete":
        del place[at]
    elif what == "twice":
        place.append(copy.deepcopy(place[at]))
    elif what == "reverse":
        place.reverse()
    elif what == "replace":
        place[at] = some_value(rng)
    else:
        place.append(some_value(rng))


def mutated(rng, document):
    document = copy.deepcopy(document)
    for _ in range(rng.choice([1, 1, 2, 5])):
        place = some_place(rng, document)
        if place:
            (break_object if isinstance(place, dict) else break_array)(rng, place)
    return document


def experiments():
    paths = sorted((SOURCE / "configs/examples").glob("*.yaml")) + sorted((SOURCE / "tests/scenario/data/upgrade").glob("*.yaml"))
    return [yaml.safe_load(path.read_text()) for path in paths]


def bases():
    full, small, bare = made_results()
    return {"result": [(full, 8), (small, 22), (bare, 170)],
            "requests": [(RECORD, 60), (dict(RECORD, error={"kind": "connect", "status": None, "message": "no"}), 40)],
            "series": [(SAMPLE, 50)],
            "experiment": [(document, 10) for document in experiments()]}


@pytest.mark.parametrize("name", ["result", "requests", "series", "experiment"])
def test_mutated_documents_are_judged_alike(bin_dir, tmp_path, monkeypatch, name):
    # the schema of experiments has more patterns than Python keeps
    monkeypatch.setattr(re, "_MAXCACHE", 4096)
    rng = random.Random(f"schema {name}")
    documents = [mutated(rng, document) for document, count in bases()[name] for _ in range(count * TIMES)]
    validator = jsonschema.Draft202012Validator(schema(name))
    wrong = 0
    for document, told in zip(documents, schema_faults(bin_dir, tmp_path, name, documents), strict=True):
        wanted = {pointer(fault.absolute_path) for fault in validator.iter_errors(document)}
        assert set(told) == wanted, json.dumps(document)[:3000]
        wrong += bool(wanted)
    # neither all nor none: mutations leave some whole
    assert len(documents) // 2 < wrong < len(documents)


def test_there_are_500_of_them():
    assert sum(count for of_schema in bases().values() for _, count in of_schema) >= 500


# no number beyond 64 bits: one makes reals of all, and 2**53 + 1 is none
SMALL = [None, True, False, 0, 1, -1, 2, 3, 1.0, 2.5, -0.5, 1e300, 2**53, 2**53 + 1, -2**63, "", "a", "ab", "é", "b1", "12", "\n"]
KEYS = ["a", "ab", "b", "c", "", "x/y", "~"]
PATTERNS = ["^a", "b$", "^[0-9]+$", "^.{1,2}$", "\\d", "^(a|b)+\\w*$", "[^a]", "^$", "é"]
NAMES = ["null", "boolean", "integer", "number", "string", "array", "object"]


def some_document(rng, depth=0):
    kind = rng.random() if depth < 3 else 0
    if kind < 0.4:
        return rng.choice(SMALL)
    if kind < 0.7:
        return [some_document(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {key: some_document(rng, depth + 1) for key in rng.sample(KEYS, rng.randrange(4))}


def some_schema(rng, depth=0):
    """Returns a schema of a few random keywords; a $ref descends into the document, or to a missing target."""
    if rng.random() < 0.1:
        return rng.random() < 0.7

    def inner():
        return some_schema(rng, depth + 1) if depth < 3 else rng.choice([True, {"type": rng.choice(NAMES)}])

    def inners():
        return [inner() for _ in range(rng.randrange(1, 4))]

    def by(names):
        return {name: inner() for name in rng.sample(names, rng.randrange(1, 4))}

    makers = {
        "type": lambda: rng.choice([rng.choice(NAMES), rng.sample(NAMES, rng.randrange(1, 4))]),
        # python3-jsonschema 4.10 has [true] and [1] for equal in an enum, so nothing within arrays here
        "enum": lambda: [rng.choice(SMALL) for _ in range(rng.randrange(1, 5))], "const": lambda: some_document(rng, 2),
        **{key: lambda: rng.choice([-1, 0, 1, 2, 2.5, 2**53 + 1])
           for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")},
        "multipleOf": lambda: rng.choice([1, 2, 0.5, 2.5, 3.0]),
        **{key: lambda: rng.choice([0, 1, 2, 2.0, 3]) for key in ("minLength", "maxLength", "minItems", "maxItems",
                                                                "minProperties", "maxProperties")},
        "pattern": lambda: rng.choice(PATTERNS), "uniqueItems": lambda: rng.random() < 0.8,
        "required": lambda: rng.sample(KEYS, rng.randrange(3)), "prefixItems": inners, "properties": lambda: by(KEYS),
        "patternProperties": lambda: by(PATTERNS),
        "items": lambda: rng.choice([inner(), False, {"$ref": "#"}]), "additionalProperties": lambda: rng.choice([inner(), False]),
        "propertyNames": lambda: rng.choice([{"pattern": rng.choice(PATTERNS)}, {"minLength": 1}, {"enum": KEYS[:3]}]),
        **{key: inners for key in ("allOf", "anyOf", "oneOf")}, **{key: inner for key in ("not", "if", "then", "else")},
        "$ref": lambda: "#/$defs/" + rng.choice(["count", "x~1y", "list"]), "title": lambda: "t", "format": lambda: "date"}
    return {key: makers[key]() for key in rng.sample(list(makers), rng.choice([1, 1, 2, 3, 5]))}


DEFS = {"count": {"type": "integer", "minimum": 0}, "x/y": {"enum": ["a", None]}, "list": {"items": {"$ref": "#/$defs/list"}, "maxItems": 2}}


def test_schemas_made_at_random_are_read_alike(bin_dir):
    """Combines each keyword with each other, on documents of the matching kinds."""
    rng = random.Random("keywords")
    cases = []
    for _ in range(600 * TIMES):
        made = some_schema(rng)
        cases += [(dict(made, **{"$defs": DEFS}) if isinstance(made, dict) else made, some_document(rng)) for _ in range(4)]
    asked = "".join(json.dumps({"schema": schema, "document": document}) + "\n" for schema, document in cases)
    done = subprocess.run([bin_dir.parent / "tests/schema_driver"], input=asked, capture_output=True, text=True, check=True)
    wrong = 0
    for (made, document), line in zip(cases, done.stdout.splitlines(), strict=True):
        wanted = {pointer(fault.absolute_path) for fault in jsonschema.Draft202012Validator(made).iter_errors(document)}
        said = json.loads(line)
        assert set(said["pointers"]) == wanted and said["fits"] == (not wanted), (made, document)
        wrong += bool(wanted)
    assert len(cases) // 4 < wrong < len(cases)


def test_the_text_output(bin_dir, tmp_path):
    broken = copy.deepcopy(GOOD)
    broken["duration"] = -1
    del broken["results"]["mean_ttft_ms"]
    broken["results"]["mean_ttft"] = 2.0
    broken["quality"]["verdict"] = "trustd"
    (tmp_path / "good.json").write_text(json.dumps(GOOD))
    (tmp_path / "r.json").write_text(json.dumps(broken))
    (tmp_path / "cut.json").write_text('{"a": 1,\n "b"')
    done = profllm(bin_dir, tmp_path, "validate", "--schema", "result", "good.json", "r.json", "cut.json", "none.json")
    assert done.returncode == 2
    assert done.stdout.splitlines() == [
        "r.json: /duration: found -1, expected at least 0",
        "r.json: /results: key 'mean_ttft_ms' is missing",
        "r.json: /results: unknown key 'mean_ttft' (did you mean 'mean_ttft_ms'?)",
        "r.json: /quality/verdict: found \"trustd\", expected one of \"trusted\", \"degraded\", \"client_limited\", null "
        "(did you mean 'trusted'?)",
        "cut.json:2:4: not valid JSON: ':' expected near end of file",
        "could not open 'none.json': No such file or directory",
        "4 files, 6 errors, 0 warnings"]
    good = profllm(bin_dir, tmp_path, "validate", "--schema", "result", "-", stdin=json.dumps(GOOD))
    assert (good.returncode, good.stdout) == (0, "1 file, 0 errors, 0 warnings\n")


def test_lines_and_packed_files(bin_dir, tmp_path):
    path = tmp_path / "r.requests.jsonl"
    path.write_text("\n".join([json.dumps(RECORD), "", json.dumps(dict(RECORD, index=-1)), '{"index"']) + "\n")
    subprocess.run(["zstd", "-q", "--rm", str(path)], check=True)
    done = profllm(bin_dir, tmp_path, "validate", "--schema", "requests", "r.requests.jsonl.zst")
    assert done.returncode == 2
    assert done.stdout.splitlines() == [
        "r.requests.jsonl.zst:3: /index: found -1, expected at least 0",
        "r.requests.jsonl.zst:4:8: not valid JSON: ':' expected near end of file",
        "1 file, 2 errors, 0 warnings"]
    report, = reports(profllm(bin_dir, tmp_path, "validate", "--schema", "requests", "--json", "r.requests.jsonl.zst"))
    assert (report["checked"], report["wrong"]) == (3, 2)
    assert report["problems"][0] == {
        "line": 3, "pointer": "/index", "keyword": "minimum", "key": None, "found": "-1", "expected": "at least 0",
        "nearest": None, "within": [], "reason": None}
    assert report["problems"][1]["reason"] == "8: not valid JSON: ':' expected near end of file"


def test_details_of_the_form_that_was_meant(bin_dir, tmp_path):
    """Results may be null as well: the details of the fault are those of the object."""
    broken = copy.deepcopy(GOOD)
    broken["results"]["completed"] = "all"
    (tmp_path / "r.json").write_text(json.dumps(broken))
    report, = reports(profllm(bin_dir, tmp_path, "validate", "--schema", "result", "--json", "r.json"))
    outer, = report["problems"]
    assert (outer["pointer"], outer["keyword"]) == ("/results", "anyOf")
    assert [(one["pointer"], one["found"]) for one in outer["within"]] == [("/results/completed", '"all"')]


def test_an_experiment_in_yaml(bin_dir, tmp_path):
    (tmp_path / "e.yaml").write_text("server: {model: m, max_num_seqs: many, tensor-paralel-size: 2}\n"
                                     "benchmark: {request_rate: inf, dataset_name: shargpt}\nlaunsh: {}\n")
    done = profllm(bin_dir, tmp_path, "validate", "--schema", "experiment", "e.yaml")
    assert done.returncode == 2
    lines = done.stdout.splitlines()
    assert lines[0] == 'e.yaml: /server/max_num_seqs: found "many", expected an integer, or null'
    assert lines[1] == "e.yaml: /server: unknown key 'tensor-paralel-size' (did you mean 'tensor_parallel_size'?)"
    assert lines[2].startswith('e.yaml: /benchmark/dataset_name: found "shargpt", expected ')
    assert lines[2].endswith(" (did you mean 'sharegpt'?)")
    assert lines[3:] == ["e.yaml: at the top level: unknown key 'launsh' (did you mean 'launch'?)", "1 file, 4 errors, 0 warnings"]


@pytest.mark.parametrize("text, said", [
    ('{"a": 1, "a": 2}', "duplicate object key"), ("[NaN]", "not valid JSON"), ("", "not valid JSON"),
    ("[" * 5000, "more than 2048 levels of lists and objects"), ('"\\ud800"', "not valid JSON"), ("[1e400]", "not valid JSON")])
def test_invalid_json_is_reported(bin_dir, tmp_path, text, said):
    (tmp_path / "r.json").write_text(text)
    done = profllm(bin_dir, tmp_path, "validate", "--schema", "result", "r.json")
    assert done.returncode == 2
    assert done.stdout.startswith("r.json:1:") and said in done.stdout


def test_options_that_say_nothing_of_a_form_are_refused(bin_dir, tmp_path):
    for words in (["--strict", "r.json"], ["--set", "name=a", "r.json"], ["r.json", "--", "vllm", "serve", "m"], []):
        done = profllm(bin_dir, tmp_path, "validate", "--schema", "result", *words)
        assert done.returncode == 2 and "--schema: " in done.stderr, words
    done = profllm(bin_dir, tmp_path, "validate", "--schema", "results", "r.json")
    assert done.returncode == 2 and "did you mean 'result'" in done.stderr


@pytest.mark.parametrize("name", ["result", "requests", "series", "experiment"])
def test_the_program_prints_its_schemas(bin_dir, tmp_path, name):
    done = profllm(bin_dir, tmp_path, "schema", "--print", name)
    assert done.stdout == (SOURCE / f"api/{name}.schema.json").read_text()
