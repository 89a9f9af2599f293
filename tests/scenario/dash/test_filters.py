"""Filters, sorted pages and facets of the mirror, compared with a plain evaluation of the documents in Python
(query_tools.py), through tests/tools/query_driver: one program run for all tests."""
import datetime
import json
import os
import random
import subprocess

import numpy
import pytest
from query_tools import FIELDS, MISSING, NULL, Rows, facet, made_results, matching, random_tree, shown, sorted_places, tally, when, without_own

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
TREES = 2000 if LONG else 200
RESULTS = 300 if os.environ.get("PROFLLM_SANITIZED") else 2000
SEED = 20261122


class Driver:
    def __init__(self, bin_dir):
        self.child = subprocess.Popen([bin_dir.parent / "tests" / "query_driver"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def tell(self, **line):
        self.child.stdin.write(json.dumps(line).encode() + b"\n")

    def ask(self, **line):
        """Sends a request; keys that are None are omitted."""
        self.tell(**{key: {name: item for name, item in value.items() if item is not None} if isinstance(value, dict) else value
                     for key, value in line.items()})
        self.child.stdin.flush()
        return json.loads(self.child.stdout.readline())

    def apply(self, **request):
        said = self.ask(apply=request)
        assert "answer" in said, said
        return said["answer"]

    def faults(self, tree):
        return self.ask(apply={"filter": tree})["faults"]

    def close(self):
        self.child.stdin.close()
        assert self.child.wait() == 0


@pytest.fixture
def driver(bin_dir):
    one = Driver(bin_dir)
    yield one
    one.close()


@pytest.fixture(scope="module")
def one_result(bin_dir):
    """For requests that are refused before any rows are read."""
    one = Driver(bin_dir)
    one.tell(document={"config": {"server": {"tensor_parallel_size": 2}}}, id=1)
    yield one
    one.close()


@pytest.fixture(scope="module")
def made(bin_dir):
    """Returns (driver, rows): many results, ids from 1."""
    one = Driver(bin_dir)
    rows = Rows(made_results(random.Random(SEED), RESULTS))
    for i, document in enumerate(rows.documents):
        one.tell(document=document, id=i + 1)
    yield one, rows
    one.close()


def ids_of(places):
    return [i + 1 for i in places]


def test_random_trees_match_a_plain_evaluation(made):
    driver, rows = made
    rng = random.Random(SEED + 1)
    trees = [random_tree(rng, rows.documents) for _ in range(TREES)]
    said = driver.ask(match=trees)["ids"]
    some = 0
    for tree, ids in zip(trees, said, strict=True):
        wanted = ids_of(sorted(matching(rows, tree)))
        assert ids == wanted, (json.dumps(tree, ensure_ascii=False), ids[:3], wanted[:3])
        some += 0 < len(wanted) < len(rows.documents)
    # most of them tell rows apart, else nothing was shown
    assert some > TREES * 0.6


def test_each_op_of_each_kind_of_value_is_played(made):
    """The random trees contain every op on every type, all three kinds of nothing, words and infinities."""
    _, rows = made
    rng = random.Random(SEED + 1)
    played = set()

    def walk(tree):
        for one in tree.get("and", []) + tree.get("or", []) + ([tree["not"]] if "not" in tree else []):
            walk(one)
        if "field" in tree:
            played.add((FIELDS[tree["field"]][0], tree["op"]))

    for _ in range(TREES):
        walk(random_tree(rng, rows.documents))
    for type_ in ("number", "text", "time", "json"):
        missing = {"eq", "ne", "in", "not_in", "lt", "le", "gt", "ge", "between", "is_null", "not_null", "is_recorded", "is_explicit"} - \
            {op for of, op in played if of == type_}
        assert not missing, (type_, missing)
    for type_ in ("text", "time", "json"):
        assert {(type_, "contains"), (type_, "starts_with")} <= played
    cells = [value for column in rows.cells.values() for value, _ in column]
    assert MISSING in cells and NULL in cells and "auto" in cells and float("inf") in cells


def test_pages_are_in_order(made):
    driver, rows = made
    rng = random.Random(SEED + 2)
    for _ in range(60 if not LONG else 600):
        tree = random_tree(rng, rows.documents)
        sort = [(field, rng.random() < 0.5) for field in rng.sample(list(FIELDS), rng.randint(0, 3))]
        offset = rng.choice([0, 0, 30, 500, 3000])
        answer = driver.apply(filter=tree, sort=[{"field": field, "dir": "desc" if down else "asc"} for field, down in sort],
                              columns=list(FIELDS), limit=40, offset=offset)
        places = sorted_places(rows, matching(rows, tree), sort)
        assert (answer["count"], answer["total"]) == (len(places), RESULTS)
        assert [row["id"] for row in answer["rows"]] == ids_of(places[offset:offset + 40]), (tree, sort)
        for row in answer["rows"]:
            has = {field: column[row["id"] - 1][0] for field, column in rows.cells.items()}
            wanted = {field: None if value is NULL else shown(value) for field, value in has.items() if value is not MISSING}
            assert row["cells"] == wanted
            assert row["run_id"] == f"run-{row['id'] - 1}"
            assert row["simulated"] == wanted.get("environment.engine.simulated") and row["verdict"] == wanted.get("quality.verdict")


def test_facets_ignore_terms_of_their_field(made):
    driver, rows = made
    rng = random.Random(SEED + 3)
    for _ in range(25 if not LONG else 250):
        tree = {"and": [random_tree(rng, rows.documents, depth=3) for _ in range(3)]}
        fields = rng.sample(list(FIELDS), 6)
        said = driver.apply(filter=tree, facets=fields, columns=[], limit=0)["facets"]
        assert set(said) == set(fields)
        for field in fields:
            left = without_own(tree, field)
            places = matching(rows, left) if left else range(RESULTS)
            check_facet(said[field], facet(rows, places, field), field)


def test_equal_numbers_within_objects_are_one_value(driver):
    """Equal numbers are equal in any spelling, in a field with a column, and in one without."""
    values = [{"mode": 3}, {"mode": 3.0}, {"mode": 3.5}, [0], [-0.0]]
    for id_, value in enumerate(values, 1):
        driver.tell(document={"config": {"server": {"compilation_config": value, "newer_than_the_rows": value}}}, id=id_)
    for field in ("server.compilation_config", "server.newer_than_the_rows"):
        said = driver.apply(limit=0, facets=[field])["facets"][field]
        assert said["distinct"] == 3
        assert {json.dumps(one["value"]): one["count"] for one in said["values"]} == {'{"mode": 3}': 2, '{"mode": 3.5}': 1, "[0]": 2}
        for value in values:
            wanted = [id_ for id_, other in enumerate(values, 1) if other == value]
            for tree in ({"field": field, "op": "eq", "value": value}, {"field": field, "op": "in", "value": [value]}):
                assert sorted(row["id"] for row in driver.apply(filter=tree, limit=10)["rows"]) == wanted, tree
            assert driver.apply(filter={"field": field, "op": "ne", "value": value}, limit=0)["count"] == len(values) - len(wanted)


def check_facet(said, wanted, field):
    for key in ("count", "recorded", "null", "missing", "explicit"):
        assert said[key] == wanted[key], (field, key)
    values = {json.dumps(one["value"], sort_keys=True, separators=(",", ":"), ensure_ascii=False): one["count"] for one in said["values"]}
    assert said["distinct"] == len(wanted["values"])
    assert len(values) == len(said["values"]) and said["more_count"] == len(wanted["values"]) - len(values)
    if said["distinct"] <= 30:
        assert values == wanted["values"], field
    else:
        assert len(values) == 50 or said["more_count"] == 0
        assert all(wanted["values"][value] == count for value, count in values.items())
        counts = [one["count"] for one in said["values"]]
        assert counts == sorted(wanted["values"].values(), reverse=True)[:len(counts)]
    assert ends_of(said, field) == wanted["ends"]
    if wanted["words"] is not None:
        assert tally_of(said["words"]) == wanted["words"]
    if "histogram" in said:
        edges, counts = said["histogram"]["edges"], said["histogram"]["counts"]
        assert len(edges) == len(counts) + 1 and edges == sorted(set(edges))
        finite = [(json.loads(value), count) for value, count in wanted["values"].items() if value not in ('"inf"', '"-inf"', "true", "false")]
        finite = [(value, count) for value, count in finite if isinstance(value, (int, float))]
        for i, count in enumerate(counts):
            last = i == len(counts) - 1
            assert count == sum(n for value, n in finite if edges[i] <= value < edges[i + 1] or (last and value == edges[-1]))
        assert sum(counts) == sum(n for _, n in finite)


def ends_of(said, field):
    if "min" not in said:
        return None
    return tuple(when(said[key]) if field == "run.timestamp" else float(said[key]) for key in ("min", "max"))


def tally_of(values):
    return {json.dumps(one["value"], ensure_ascii=False): one["count"] for one in values}


def test_without_fields_the_options_are_of_columns_that_vary(driver):
    same = {"config": {"server": {"tensor_parallel_size": 2, "max_model_len": 5}}}
    for i in range(3):
        document = json.loads(json.dumps(same))
        document["config"]["server"]["max_model_len"] = 5 + (i > 1)
        if i > 0:
            document["config"]["server"]["dtype"] = None
        driver.tell(document=document, id=i + 1)
    options = driver.ask(options={})["answer"]["options"]
    assert {"server.max_model_len", "server.dtype"} <= set(options) and "server.tensor_parallel_size" not in options
    narrowed = driver.ask(options={"filter": {"field": "server.max_model_len", "op": "eq", "value": 5}})["answer"]
    # the field that was narrowed still shows what else there is
    assert "server.max_model_len" in narrowed["options"] and narrowed["count"] == 2
    assert tally_of(narrowed["options"]["server.max_model_len"]["values"]) == {"5": 2, "6": 1}


def test_search_finds_values_in_any_case_and_counts_the_rest(driver):
    for i in range(100):
        driver.tell(document={"config": {"server": {"model": f"Model-{i:02}", "seed": i}}}, id=i + 1)
    found = driver.ask(options={"fields": ["server.model", "server.seed"], "search": "mODEL-1"})["answer"]["options"]
    assert [one["value"] for one in found["server.model"]["values"]] == [f"Model-{i}" for i in range(10, 20)]
    assert found["server.model"]["distinct"] == 100 and found["server.model"]["more_count"] == 0
    assert found["server.seed"]["values"] == []
    found = driver.ask(options={"fields": ["server.seed"], "search": "9", "limit": 5})["answer"]["options"]["server.seed"]
    assert [one["value"] for one in found["values"]] == [9, 19, 29, 39, 49] and found["more_count"] == 14
    # a whole number has no decimals
    found = driver.ask(options={"fields": ["server.seed"], "search": "0", "limit": 20})["answer"]["options"]["server.seed"]
    assert [one["value"] for one in found["values"]] == list(range(0, 100, 10)) and found["more_count"] == 0


def test_rows_that_come_and_change(driver):
    for i in range(1, 5):
        driver.tell(document={"run_id": f"r{i}", "tags": {"n": i}}, id=i)
    above = {"field": "tags.n", "op": "ge", "value": 2}
    assert driver.ask(match=[above]) == {"ids": [[2, 3, 4]], "reads": 4}
    # the array of a field that has no column stays cached, and only new results are added
    driver.tell(document={"tags": {"n": 9}}, id=5)
    assert driver.ask(match=[above, above]) == {"ids": [[2, 3, 4, 5], [2, 3, 4, 5]], "reads": 5}
    version = driver.apply()["data_version"]
    driver.tell(document={"run_id": "new", "tags": {"n": 0}}, id=4)
    # one that takes another's place alone is read again
    assert driver.ask(match=[above, {"not": above}]) == {"ids": [[2, 3, 5], [1, 4]], "reads": 6}
    answer = driver.apply(columns=["tags.n"])
    assert [(row["id"], row["run_id"], row["cells"]["tags.n"]) for row in answer["rows"]] == \
        [(5, None, 9), (4, "new", 0), (3, "r3", 3), (2, "r2", 2), (1, "r1", 1)]
    assert answer["total"] == 5 and answer["data_version"] == version + 1


TP = {"field": "server.tensor_parallel_size", "op": "eq", "value": 2}
FORMS = "one of the keys 'and', 'or' or 'not', or the keys 'field' and 'op'"
DEEP = TP
for _ in range(32):
    DEEP = {"not": DEEP}


@pytest.mark.parametrize("tree, pointer, found, expected, nearest", [
    ({"field": "server.tensor_paralel_size", "op": "eq", "value": 2}, "/filter/field", '"server.tensor_paralel_size"', "the id of a field",
     "server.tensor_parallel_size"),
    ({"and": [TP, dict(TP, op="equal")]}, "/filter/and/1/op", '"equal"', 'one of "eq", "ne", "in"', None),
    (dict(TP, op="is_nul"), "/filter/op", '"is_nul"', 'one of "eq"', "is_null"),
    (dict(TP, value="two"), "/filter/value", '"two"', "a number", None),
    (dict(TP, value=True), "/filter/value", "true", "a number", None),
    (dict(TP, value=None), "/filter/value", "null", "a number; use is_null to match null", None),
    (dict(TP, op="contains", value="2"), "/filter/op", '"contains"', "one of eq, ne, in, not_in, lt, le, gt, ge, between, is_null", None),
    (dict(TP, op="in", value=[]), "/filter/value", "an empty list", "a list of at least one value", None),
    (dict(TP, op="in", value=2), "/filter/value", "2", "a list of at least one value", None),
    (dict(TP, op="in", value=[2, "x", 4]), "/filter/value/1", '"x"', "a number", None),
    (dict(TP, op="between", value=[1]), "/filter/value", "a list with 1 item", "a list of two values: low and high", None),
    (dict(TP, op="is_null"), "/filter/value", "2", "no value, because this op has none", None),
    ({"field": TP["field"], "op": "eq"}, "/filter", "nothing", "a number", None),
    ({"field": TP["field"]}, "/filter", "an object without the key 'op'", "the keys 'field' and 'op'", None),
    ({"field": "server.max_model_len", "op": "lt", "value": "auto"}, "/filter/value", '"auto"', "a number", None),
    ({"field": "server.enable_prefix_caching", "op": "gt", "value": 1}, "/filter/op", '"gt"', "one of eq, ne, in, not_in, is_null, not_null, is_recorded, is_explicit", None),
    ({"field": "run.timestamp", "op": "ge", "value": "yesterday"}, "/filter/value", '"yesterday"', "a time such as \"2026-11-19T14:12:00Z\"", None),
    ({"field": "server.model", "op": "contains", "value": "x" * 1001}, "/filter/value", "a string of 1001 characters", "at most 1000 characters", None),
    ({"or": TP}, "/filter/or", "an object", "a list", None),
    ({"and": [TP], "op": "eq"}, "/filter", "an object with 2 keys", FORMS, None),
    ({"and": [TP], **TP}, "/filter", "an object with 4 keys", FORMS, None),
    (dict(TP, vlaue=3), "/filter", "the key 'vlaue'", "a known key", "value"),
    ({}, "/filter", "an empty object", FORMS, None),
    ([TP], "/filter", "a list with 1 item", "an object", None),
    (DEEP, "/filter" + "/not" * 32, "an object", "at most 32 levels", None),
    ({"and": [TP] * 1000}, "/filter/and/999", "an object", "at most 1000 nodes", None),
])
def test_a_wrong_filter_is_reported_with_its_location(one_result, tree, pointer, found, expected, nearest):
    fault = one_result.faults(tree)[0]
    assert fault["pointer"] == pointer
    assert fault["found"].startswith(found) and fault["expected"].startswith(expected)
    assert fault["nearest"] == nearest


def test_bounds_themselves_are_within(one_result):
    assert one_result.apply(filter=DEEP["not"])["count"] == 0 and one_result.apply(filter=DEEP["not"]["not"])["count"] == 1
    assert one_result.apply(filter={"and": [TP] * 999})["count"] == 1


@pytest.mark.parametrize("tree, count", [
    ({"and": []}, 1), ({"or": []}, 0), ({"not": {"and": []}}, 0), ({"not": {"or": []}}, 1), ({"and": [{"and": []}, TP]}, 1),
    ({"or": [{"or": []}, TP]}, 1), ({"and": [{"or": []}, TP]}, 0), ({"or": [{"and": []}, {"not": TP}]}, 1),
])
def test_all_of_nothing_is_every_result_and_any_of_nothing_is_none(one_result, tree, count):
    assert one_result.apply(filter=tree)["count"] == count


@pytest.mark.parametrize("request_, pointer, expected", [
    ({"sort": [{"field": "server.modle", "dir": "asc"}]}, "/sort/0/field", "the id of a field"),
    ({"sort": [{"field": "server.model", "dir": "down"}]}, "/sort/0/dir", 'one of "asc", "desc"'),
    ({"sort": [{"dir": "asc"}]}, "/sort/0", "the key 'field'"),
    ({"columns": ["server.model", 3]}, "/columns/1", "a string"),
    ({"columns": "server.model"}, "/columns", "a list"),
    ({"limit": 201}, "/limit", "at most 200"),
    ({"offset": -1}, "/offset", "at least 0"),
    ({"facets": ["nothing.there"]}, "/facets/0", "the id of a field"),
    ({"filters": TP}, "", "a known key"),
])
def test_a_wrong_request_is_reported_with_its_location(one_result, request_, pointer, expected):
    fault = one_result.ask(apply=request_)["faults"][0]
    assert (fault["pointer"], fault["expected"]) == (pointer, expected)


def test_fields_of_every_type_can_be_requested(driver):
    """A word among numbers, a number among texts, an invalid time: each listed value works as a filter."""
    driver.tell(document={"timestamp": "yesterday", "config": {"server": {"tensor_parallel_size": "many", "model": 7}}}, id=1)
    for field, value in (("server.tensor_parallel_size", "many"), ("server.model", 7), ("run.timestamp", "yesterday")):
        shown_ = driver.ask(options={"fields": [field]})["answer"]["options"][field]
        assert value in [one["value"] for one in shown_["values"] + shown_.get("words", [])]
        assert driver.apply(filter={"field": field, "op": "eq", "value": value})["count"] == 1
    assert tally([7.0]) == {"7": 1}


def test_a_cursor_goes_through_all_rows_once(made):
    driver, rows = made
    rng = random.Random(SEED + 4)
    for turn in range(8):
        tree = random_tree(rng, rows.documents) if turn % 2 else None
        sort = [(field, rng.random() < 0.5) for field in rng.sample(list(FIELDS), rng.randint(0, 3))]
        request = {"filter": tree, "sort": [{"field": field, "dir": "desc" if down else "asc"} for field, down in sort],
                   "columns": [], "limit": 170}
        places = sorted_places(rows, matching(rows, tree) if tree else range(RESULTS), sort)
        seen, cursor = [], None
        while cursor or not seen:
            answer = driver.apply(**request, cursor=cursor)
            assert answer["count"] == len(places)
            seen += [row["id"] for row in answer["rows"]]
            cursor = answer["next_cursor"]
            if not answer["rows"]:
                break
        assert seen == ids_of(places) and cursor is None


def test_a_cursor_stays_where_it_was_while_rows_come_and_go(driver):
    """A cursor holds the last row's values, not an offset: rows inserted before it shift nothing, and its own row may be
    removed."""
    for i in range(1, 41):
        driver.tell(document={"config": {"server": {"seed": i * 10, "model": f"m{i % 3}"}}}, id=i)
    request = {"sort": [{"field": "server.model", "dir": "desc"}, {"field": "server.seed", "dir": "asc"}], "columns": [], "limit": 10}
    before = driver.apply(**request, offset=0)
    rest = [row["id"] for row in driver.apply(**request, cursor=before["next_cursor"])["rows"]]
    driver.tell(document={"config": {"server": {"seed": 5, "model": "z-new"}}}, id=41)
    driver.tell(remove=before["rows"][-1]["id"])
    driver.tell(document={"config": {"server": {"seed": 1, "model": "m2"}}}, id=before["rows"][0]["id"])
    assert [row["id"] for row in driver.apply(**request, cursor=before["next_cursor"])["rows"]] == rest
    # a row that sorts after the cursor appears in its place
    driver.tell(document={"config": {"server": {"seed": 9999, "model": "m2"}}}, id=42)
    assert [row["id"] for row in driver.apply(**request, cursor=before["next_cursor"])["rows"]][:5] == rest[:3] + [42] + rest[3:4]


def test_a_cursor_is_of_one_question(driver):
    for i in range(1, 4):
        driver.tell(document={"config": {"server": {"seed": i}}}, id=i)
    cursor = driver.apply(limit=1)["next_cursor"]
    above = {"field": "server.seed", "op": "gt", "value": 0}
    for request in ({"filter": above, "cursor": cursor}, {"sort": [{"field": "server.seed", "dir": "asc"}], "cursor": cursor}, {"cursor": "0g"}, {"cursor": "7b7d"},
                    {"cursor": cursor, "offset": 0}, {"cursor": cursor[:-2]}, {"cursor": 3}):
        fault = driver.ask(apply=request)["faults"][0]
        assert fault["pointer"] == "/cursor", request
    assert [row["id"] for row in driver.apply(cursor=cursor)["rows"]] == [2, 1]
    assert driver.apply(cursor=cursor, limit=0)["next_cursor"] is None


def test_a_cursor_of_long_texts_is_short_and_right(driver):
    for i in range(1, 6):
        driver.tell(document={"config": {"server": {"model": "ä" * 5000 + str(i), "seed": 7}}}, id=i)
    for dir_, wanted in (("asc", [1, 2, 3, 4, 5]), ("desc", [5, 4, 3, 2, 1])):
        request = {"sort": [{"field": "server.model", "dir": dir_}] * 16, "limit": 2, "columns": []}
        seen, cursor = [], None
        for _ in range(3):
            answer = driver.apply(**request, cursor=cursor)
            seen += [row["id"] for row in answer["rows"]]
            cursor = answer["next_cursor"]
            assert cursor is None or len(cursor) <= 4000
        assert seen == wanted and cursor is None


def test_metrics_equal_numpys(made):
    driver, rows = made
    rng = random.Random(SEED + 5)
    fields = [field for field, (type_, *_) in FIELDS.items() if type_ == "number"]
    for _ in range(20):
        tree = random_tree(rng, rows.documents)
        places = list(matching(rows, tree))
        said = driver.apply(filter=tree, metrics=fields + fields[:1], columns=[], limit=0)["metrics"]
        assert set(said) == set(fields)
        for field in fields:
            values = [rows.cells[field][i][0] for i in places]
            numbers = numpy.array([value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)], float)
            assert said[field]["n"] == len(numbers)
            if len(numbers) == 0:
                assert set(said[field].values()) == {0, None}
                continue
            wanted = {"min": numbers.min(), "max": numbers.max()}
            if numpy.isfinite(numbers).all():
                wanted |= {"mean": numbers.mean(), "p50": numpy.percentile(numbers, 50), "p95": numpy.percentile(numbers, 95)}
            if numpy.isfinite(numbers).all() and len(numbers) > 1:
                wanted["std"] = numbers.std(ddof=1)
            for key, value in wanted.items():
                if not numpy.isfinite(value) and key == "std":  # the squares overflow a double
                    assert said[field][key] is None
                    continue
                assert float(said[field][key]) == pytest.approx(float(value), rel=1e-12, abs=1e-300), (field, key)


def test_values_of_a_field_come_by_pages(driver):
    for i in range(1, 301):
        driver.tell(document={"config": {"server": {"model": f"Model-{i % 60:02}", "seed": i % 7 or None}}}, id=i)
    few = {"field": "server.seed", "op": "le", "value": 2}
    own = {"and": [few, {"field": "server.model", "op": "eq", "value": "Model-01"}]}
    seen = []
    for offset in range(0, 80, 25):
        answer = driver.ask(values={"field": "server.model", "filter": own, "limit": 25, "offset": offset})["answer"]
        seen += [(one["value"], one["count"]) for one in answer["values"]]
        assert answer["more_count"] == max(0, 60 - offset - 25)
    counts = {}
    for i in range(1, 301):
        if i % 7 in (1, 2):
            counts[f"Model-{i % 60:02}"] = counts.get(f"Model-{i % 60:02}", 0) + 1
    assert seen == sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    assert (answer["field"], answer["count"], answer["distinct"], answer["matching_count"]) == ("server.model", sum(counts.values()), len(counts), len(counts))
    found = driver.ask(values={"field": "server.model", "search": "L-1"})["answer"]
    assert found["distinct"] == 60 and found["matching_count"] == 10 and found["more_count"] == 0
    assert driver.ask(values={"field": "server.modle"})["faults"][0]["pointer"] == "/field"
    assert driver.ask(values={})["faults"][0]["pointer"] == ""


@pytest.mark.release_only  # 1,500 documents; what is done with their numbers has unit tests
def test_unlimited_numbers_report_counts_by_default(driver):
    for i in range(1, 1501):
        driver.tell(document={"config": {"server": {"seed": i, "max_model_len": "auto" if i > 1400 else i * 1.5}}}, id=i)
    facets = driver.apply(facets=True, limit=0)["facets"]
    assert facets["server.seed"]["distinct"] is None and facets["server.seed"]["values"] == [] and "min" not in facets["server.seed"]
    assert tally_of(facets["server.max_model_len"]["words"]) == {'"auto"': 100}
    assert driver.ask(options={})["answer"]["options"]["server.seed"]["widget"] == "range"
    seed = driver.apply(facets=["server.seed"], limit=0)["facets"]["server.seed"]
    assert (seed["distinct"], seed["min"], seed["max"], sum(seed["histogram"]["counts"])) == (1500, 1, 1500, 1500)
    for low, high in ((1, 10), (1000, 1100), (1499, 2000)):
        between = {"field": "server.seed", "op": "between", "value": [low, high]}
        wanted = [i for i in range(1, 1501) if low <= i <= high]
        assert driver.ask(match=[between, {"not": between}])["ids"] == [wanted, [i for i in range(1, 1501) if i not in wanted]]
    assert driver.ask(match=[{"field": "server.seed", "op": "in", "value": [7, 1400, 1450, 9000]}])["ids"] == [[7, 1400, 1450]]
    assert len(driver.ask(match=[{"field": "server.seed", "op": "ne", "value": 1450}])["ids"][0]) == 1499
    rows = driver.apply(sort=[{"field": "server.seed", "dir": "desc"}], columns=["server.seed"], limit=3)["rows"]
    assert [row["cells"]["server.seed"] for row in rows] == [1500, 1499, 1498]


@pytest.mark.release_only  # 3,000 documents, for the time that they take
def test_unfinished_parts_are_named(driver):
    for i in range(1, 3001):
        driver.tell(document={"config": {"server": {"model": f"m{i}", "seed": i, "dtype": "ab"[i % 2]}}}, id=i)
    fields = ["server.model", "server.seed", "server.dtype"] * 600
    answer = driver.apply(facets=fields[:1000], metrics=["server.seed"], budget_ms=60000, limit=0)
    assert answer["incomplete"] == [] and len(answer["facets"]) == 3
    answer = driver.apply(facets=["server.model", "server.seed", "server.dtype"], metrics=["server.seed"], limit=0)
    assert answer["incomplete"] == []
    # the first of each is made in any case, so that each question gets on
    answer = driver.apply(facets=True, metrics=["server.seed", "server.max_model_len"], budget_ms=1, limit=200)
    assert set(answer["facets"]) | set(answer["metrics"]) and "server.seed" in answer["metrics"]


def test_times_are_relative_to_now(driver):
    now = datetime.datetime.now(datetime.timezone.utc)
    for i, ago in enumerate((datetime.timedelta(minutes=1), datetime.timedelta(hours=5), datetime.timedelta(days=3), datetime.timedelta(days=40))):
        driver.tell(document={"timestamp": (now - ago).isoformat()}, id=i + 1)
    for value, ids in (("now-15m", [1]), ("now-6h", [1, 2]), ("now-1w", [1, 2, 3]), ("now-90d", [1, 2, 3, 4]), ("today-10d", [1, 2, 3]), ("now", [])):
        assert driver.ask(match=[{"field": "run.timestamp", "op": "ge", "value": value}])["ids"] == [ids], value
    assert driver.ask(match=[{"field": "run.timestamp", "op": "between", "value": ["now-4d", "now-2h"]}])["ids"] == [[2, 3]]
    fault = driver.faults({"field": "run.timestamp", "op": "ge", "value": "now-3y"})[0]
    assert fault["pointer"] == "/filter/value" and '"now-12h"' in fault["expected"]
