"""Data of charts, compared with a plain evaluation of the documents in Python and numpy (query_tools.py): points, thinned
points, statistics of groups and bins of random filters, through tests/tools/query_driver."""
import collections
import json
import math
import os
import random
import subprocess

import numpy
import pytest

try:
    from scipy import stats
except ImportError:
    stats = None
from query_tools import FIELDS, MISSING, NO_COLUMNS, NULL, Rows, canonical, kind, made_results, matching, place, random_tree, shown, when
from test_filters import Driver

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
SANITIZED = bool(os.environ.get("PROFLLM_SANITIZED"))
ROUNDS = 300 if LONG else 30 if SANITIZED else 100
RESULTS = 300 if SANITIZED else 2000
SEED = 20261219
NUMBERS = ["server.tensor_parallel_size", "server.max_model_len", "server.gpu_memory_utilization", "benchmark.request_rate",
           "results.p99_ttft_ms", "results.p97.5_ttft_ms", "results.completed"]
WORDS = ["server.model", "run.status", "quality.verdict", "server.enable_prefix_caching", "tags.any", "tags.ticket"]
OTHERS = [*WORDS, "run.timestamp"]
KINDS_MAX, GRID_KINDS_MAX, LIMIT, OUTLIERS = 1000, 100, 5000, 3
FRONTIERS_MAX = 8


@pytest.fixture(scope="module")
def made(bin_dir):
    one = Driver(bin_dir)
    rows = Rows(made_results(random.Random(SEED), RESULTS))
    for i, document in enumerate(rows.documents):
        one.tell(document=document, id=i + 1)
    yield one, rows
    one.close()


def ask(driver, **request):
    said = driver.ask(points=request)
    assert "answer" in said, said
    answer = said["answer"]
    assert answer["count"] == answer["drawn"] + sum(answer["excluded"].values()), answer["excluded"]
    return answer


def cell(rows, field, i):
    return rows.cells[field][i][0]


def is_simulated(rows, i):
    return cell(rows, "environment.engine.simulated", i) is True


def without_simulated(rows, places):
    """Returns (the rows that are drawn, the number of simulated ones that are not)."""
    others = [i for i in sorted(places) if not is_simulated(rows, i)]
    kept = others or sorted(places)
    return kept, len(places) - len(kept)


def why_not(field, value):
    """Returns why a number axis has no position for the value, or None."""
    if value is MISSING or value is NULL:
        return "missing" if value is MISSING else "null"
    if FIELDS[field][0] == "time":
        return None if isinstance(value, str) and when(value) else "word"
    if kind(value) != "number":
        return "word"
    return None if math.isfinite(value) else "infinite"


def axis_place(field, value):
    return when(value).timestamp() * 1000 if FIELDS[field][0] == "time" else value


def drawn_of(rows, places, x, y=None, with_simulated=False):
    """Returns (rows with both values, reasons), for axes of numbers and times."""
    reasons = collections.Counter()
    kept, simulated = (sorted(places), 0) if with_simulated else without_simulated(rows, places)
    if simulated:
        reasons["simulated"] = simulated
    for name, field in (("x", x), ("y", y)):
        still = []
        for i in kept if field else []:
            why = why_not(field, cell(rows, field, i))
            if why:
                reasons[f"{name}_{why}"] += 1
            else:
                still.append(i)
        kept = still if field else kept
    return kept, dict(reasons)


def key_of(value):
    """Returns the key under which values are one kind."""
    if value is MISSING or value is NULL:
        return "missing" if value is MISSING else "null"
    return (kind(value), canonical(shown(value)) if kind(value) == "number" else canonical(value))


def fits_kind(one, field, value):
    """Returns whether the value belongs to this kind of a response."""
    if one["state"] in ("null", "missing"):
        return key_of(value) == one["state"]
    if value is MISSING or value is NULL:
        return False
    if one["state"] == "range":
        return kind(value) == "number" and math.isfinite(value) and one["low"] <= value <= one["high"]
    mine = shown(value)
    return one["state"] == "value" and (canonical(one["value"]) == canonical(mine) or 
                                        (kind(value) == "number" and not isinstance(one["value"], bool) and one["value"] == mine))


def by_kind(rows, listed, field, places):
    """Returns {index of a kind: its rows}; rows of a range, and those beyond the limit, are in none."""
    alike = collections.defaultdict(list)
    for i in places:
        alike[key_of(cell(rows, field, i))].append(i)
    found = collections.defaultdict(set)
    for own in alike.values():
        for at, one in enumerate(listed):
            if one["state"] not in ("range", "other") and fits_kind(one, field, cell(rows, field, own[0])):
                found[at].update(own)
    return found


def holds_kinds(rows, answer, field, places, kinds):
    """Checks that counts are those of the rows, values are in order, and each row's value is one of them."""
    listed = answer["kinds"]
    assert answer["field"] == field and sum(one["count"] for one in listed) == len(places)
    values = [one["value"] for one in listed if one["state"] == "value"]
    if not any(one["state"] == "range" for one in listed):
        there = collections.Counter(key_of(cell(rows, field, i)) for i in places)
        assert sorted(there.values()) == sorted(one["count"] for one in listed), (field, listed)
        keyed = [place(field, float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else
                       float(value) if FIELDS[field][0] == "number" and value in ("inf", "-inf") else value) for value in values]
        assert keyed == sorted(keyed)
    for i, at in zip(places, kinds, strict=True):
        assert fits_kind(listed[at], field, cell(rows, field, i)), (field, cell(rows, field, i), listed[at])


def frontier_of(points, signs):
    """Returns the indexes of the points that no other point beats; compares all pairs."""
    points = numpy.array(points, dtype=float).reshape(-1, 2) * signs
    if len(points) == 0:
        return []
    x, y = points[:, :1], points[:, 1:]
    beats = (x <= x.T) & (y <= y.T) & ((x < x.T) | (y < y.T))
    newer_equal = (x == x.T) & (y == y.T) & (numpy.arange(len(points))[:, None] > numpy.arange(len(points)))
    return [int(i) for i in numpy.flatnonzero(~(beats | newer_equal).any(axis=0))]


def check_frontier(rows, answer, wanted, signs):
    """Frontiers are of trusted results, per color and model, and none is beaten by a simulated result."""
    marks, colours, bys = answer["marks"], answer["color"], answer["frontier_by"]
    models = {key_of(cell(rows, "server.model", i)) for i in wanted}
    assert (bys is not None) == (len(models) > 1 and (colours is None or colours["field"] != "server.model"))
    real = [at for at, i in enumerate(wanted) if not is_simulated(rows, i)]
    groups = collections.defaultdict(list)
    for at in real or range(len(wanted)):
        groups[(marks["color"][at] if colours else 0, key_of(cell(rows, "server.model", wanted[at])) if bys else None)].append(at)
    assert answer["frontier_group_count"] == len(groups) and len(answer["frontier"]) == min(len(groups), FRONTIERS_MAX)
    sizes = []
    for part in answer["frontier"]:
        (own,) = [own for (colour, model), own in groups.items() if colour == part["color"] and
                  (model is None or fits_kind(bys["kinds"][part["by"]], "server.model", cell(rows, "server.model", wanted[own[0]])))]
        sizes.append(len(own))
        for key, usable in (("marks", [at for at in own if cell(rows, "quality.verdict", wanted[at]) == "trusted"]), ("with_untrusted", own)):
            best = [usable[i] for i in frontier_of([(marks["x"][at], marks["y"][at]) for at in usable], signs)]
            assert sorted(part[key]) == best
            along = [marks["x"][at] * signs[0] for at in part[key]]
            assert along == sorted(along, reverse=True)
    assert sizes == sorted((len(own) for own in groups.values()), reverse=True)[:FRONTIERS_MAX]
    return sum(part["marks"] != part["with_untrusted"] for part in answer["frontier"])


@pytest.fixture(scope="module")
def sign(bin_dir):
    """Returns the direction of a field: 1, less is better; -1, more is better; 0, neither."""
    listed = json.loads(subprocess.run([bin_dir / "profllm-dashboard", "fields", "--json"], check=True, capture_output=True).stdout)
    directions = {field["id"]: {"lower": 1, "higher": -1, "neither": 0}[field["direction"]] for field in listed}
    assert directions["results.p99_ttft_ms"] == 1 and directions["run.timestamp"] == 0
    return lambda field: directions.get(field, directions["results.p99_ttft_ms"] if "p97.5_ttft" in field else 0)


def test_points_are_the_rows_that_have_both(made, sign):
    driver, rows = made
    rng = random.Random(SEED + 1)
    drawn = frontiers = dashed = split = 0
    for _ in range(ROUNDS):
        tree = random_tree(rng, rows.documents)
        x, y = rng.choice(NUMBERS + ["run.timestamp"]), rng.choice(NUMBERS)
        colour, shape = rng.choice([None, *NUMBERS, *OTHERS]), rng.choice([None, *OTHERS])
        with_simulated = rng.random() < 0.5
        answer = ask(driver, filter=tree, x=x, y=y, color=colour, shape=shape, size="results.completed", labels=["server.model", "results.p97.5_ttft_ms"], simulated=with_simulated)
        wanted, reasons = drawn_of(rows, matching(rows, tree), x, y, with_simulated)
        marks = answer["marks"]
        assert answer["form"] == "points" and answer["excluded"] == reasons and answer["drawn"] == len(wanted)
        assert marks["id"] == [i + 1 for i in wanted] and marks["count"] == [1] * len(wanted)
        for name, field in (("x", x), ("y", y)):
            numpy.testing.assert_allclose(marks[name], [axis_place(field, cell(rows, field, i)) for i in wanted], rtol=1e-12)
            if wanted:
                assert (answer[name]["min"], answer[name]["max"]) == (min(marks[name]), max(marks[name]))
        for name, field in (("color", colour), ("shape", shape)):
            assert (answer[name] is None) == (marks[name] is None) == (field is None)
            if field:
                holds_kinds(rows, answer[name], field, wanted, marks[name])
        for i, size, label, verdict in zip(wanted, marks["size"], marks["labels"]["server.model"], marks["verdict"], strict=True):
            value = cell(rows, "results.completed", i)
            assert size == (None if value in (MISSING, NULL) else shown(value))
            assert label == (None if cell(rows, "server.model", i) in (MISSING, NULL) else cell(rows, "server.model", i))
            assert verdict == (None if cell(rows, "quality.verdict", i) in (MISSING, NULL) else cell(rows, "quality.verdict", i))
        if not sign(x) or not sign(y):
            assert answer["frontier"] is None
            continue
        frontiers += 1
        dashed += check_frontier(rows, answer, wanted, (sign(x), sign(y)))
        split += answer["frontier_by"] is not None and colour is not None
        drawn += len(wanted)
    assert drawn > 0 and frontiers > 0 and dashed > 0 and (split > 0 or SANITIZED)


def rounded(value, digits):
    """Rounds as printf does; whole numbers below 9e15 stay."""
    return value if value is None or (value == int(value) and abs(value) < 9e15) else float(f"{value:.{digits - 1}e}")


@pytest.mark.parametrize("digits", [3, 7])
def test_positions_have_as_many_digits_as_asked_for(made, digits):
    driver, _ = made
    scatter = {"x": "results.p99_ttft_ms", "y": "server.gpu_memory_utilization", "size": "results.p97.5_ttft_ms", "labels": ["results.p99_ttft_ms"]}
    parallel = {"form": "parallel", "axes": ["results.p99_ttft_ms", "run.timestamp", "results.completed"]}
    for request, form in ((scatter, "marks"), (parallel, "lines")):
        exact, short = ask(driver, **request), ask(driver, **request, significant_digits=digits)
        lists = [(exact[form][name], short[form][name]) for name in ("x", "y", "size")] if form == "marks" else list(zip(exact[form]["at"], short[form]["at"], strict=True))
        assert any(one != other for one, other in lists)
        for one, other in lists:
            numpy.testing.assert_allclose([math.nan if value is None else value for value in other], [math.nan if value is None else rounded(value, digits) for value in one], rtol=1e-12)
            one[:] = other[:] = []
        changing = {"elapsed_ms"}
        assert {key: value for key, value in exact.items() if key not in changing} == {key: value for key, value in short.items() if key not in changing}


CHOICE_AXES = {"points": (NUMBERS + ["run.timestamp"], NUMBERS), "groups": (OTHERS + NUMBERS, NUMBERS), "bins": (NUMBERS, [None])}


def rows_with(rows, places, form, x, y):
    """Returns the rows that the axes can draw."""
    def fits(field, i, is_kinds):
        value = cell(rows, field, i)
        return value is not MISSING if is_kinds else why_not(field, value) is None
    return [i for i in places if fits(x, i, form == "groups") and (y is None or fits(y, i, False))]


def test_axes_are_chosen_by_what_the_rows_have(made):
    driver, rows = made
    rng = random.Random(SEED + 9)
    chosen_later = 0
    for _ in range(ROUNDS // 2):
        tree, form = random_tree(rng, rows.documents), rng.choice(list(CHOICE_AXES))
        pairs = [(rng.choice(CHOICE_AXES[form][0]), rng.choice(CHOICE_AXES[form][1])) for _ in range(rng.randint(1, 6))]
        choices = [{"form": form, "x": x, **({"y": y} if y else {})} for x, y in pairs]
        places, _ = without_simulated(rows, matching(rows, tree))
        had = [rows_with(rows, places, form, x, y) for x, y in pairs]
        counted = ask(driver, filter=tree, choices=choices, count_only=True)
        assert [one["count"] for one in counted["choices"]] == [len(own) for own in had]
        assert "marks" not in counted and counted["drawn"] == len(places)
        varying = [all(len({key_of(cell(rows, field, i)) for i in own}) > 1 for field in pair if field) for pair, own in zip(pairs, had, strict=True)]
        best = max((len(own) for own, varies in zip(had, varying, strict=True) if varies), default=0) or max(len(own) for own in had)
        first = next((i for i, own in enumerate(had) if own and len(own) * 4 >= best * 3 and (varying[i] or not any(v and o for v, o in zip(varying, had, strict=True)))), 0)
        answer = ask(driver, filter=tree, choices=choices, color_choices=["server.model", "run.status"])
        assert (answer["x"]["field"], answer["y"] and answer["y"]["field"]) == pairs[first]
        chosen_later += first > 0
        own = had[first]
        several = [field for field in ("server.model", "run.status") if field != pairs[first][0] and
                   len({key_of(cell(rows, field, i)) for i in own} - {"missing", "null"}) > 1]
        if form == "points":
            assert (answer["color"] and answer["color"]["field"]) == (several[0] if several else None)
    assert chosen_later > 0


def test_an_axis_of_words_has_places_for_them_and_for_unset(made):
    driver, rows = made
    for field in OTHERS:
        if field == "run.timestamp":
            continue
        answer = ask(driver, x=field, y="results.completed")
        wanted, _ = without_simulated(rows, range(len(rows.documents)))
        recorded = [i for i in wanted if cell(rows, field, i) is not MISSING]
        left = [i for i in recorded if why_not("results.completed", cell(rows, "results.completed", i)) is None]
        assert answer["x"]["kind"] == "kinds" and answer["excluded"]["x_missing"] == len(wanted) - len(recorded)
        assert answer["marks"]["id"] == [i + 1 for i in left]
        holds_kinds(rows, answer["x"]["kinds"], field, left, answer["marks"]["x"])


def test_a_log_axis_is_refused_where_something_is_not_above_zero(made):
    driver, rows = made
    refused = ask(driver, x="results.p99_ttft_ms", y="benchmark.request_rate", x_log=True, y_log=True)
    wanted, _ = drawn_of(rows, range(len(rows.documents)), "results.p99_ttft_ms", "benchmark.request_rate")
    assert not refused["x"]["log"] and refused["y"]["log"] and refused["y"]["not_positive"] == 0
    assert refused["x"]["not_positive"] == sum(cell(rows, "results.p99_ttft_ms", i) <= 0 for i in wanted) > 0
    taken = ask(driver, x="results.p99_ttft_ms", y="benchmark.request_rate", x_log=True, filter={"field": "results.p99_ttft_ms", "op": "gt", "value": 0})
    assert taken["x"]["log"] and taken["x"]["not_positive"] == 0


def test_a_default_axis_is_log_over_two_decades(made):
    driver, rows = made
    field = "results.p99_ttft_ms"
    asked = {"x": field, "y": "results.p97.5_ttft_ms", "x_log": "auto"}
    above = {"field": field, "op": "gt", "value": 0}
    values = sorted(cell(rows, field, i) for i in drawn_of(rows, range(len(rows.documents)), field, asked["y"])[0] if cell(rows, field, i) > 0)
    # one with values at or below zero is not, and is not reported, because it was not requested
    whole = ask(driver, **asked)["x"]
    assert (whole["log"], whole["not_positive"]) == (False, 0) and whole["min"] <= 0
    for least in (values[0], values[-1] / 99, values[-1] / 101):
        axis = ask(driver, filter={"field": field, "op": "ge", "value": least}, **asked)["x"]
        assert axis["log"] == (axis["max"] >= 100 * axis["min"]), least
    wide = ask(driver, filter=above, **asked)["x"]
    assert wide["log"] and wide["max"] >= 100 * wide["min"]
    assert not ask(driver, filter=above, **{**asked, "x_log": False})["x"]["log"]
    assert not ask(driver, x="run.status", y=field, x_log="auto", filter=above)["x"]["log"]


def test_thinned_points_represent_all_and_keep_outliers(made):
    driver, rows = made
    rng = random.Random(SEED + 2)
    thinned = 0
    for _ in range(6):
        tree = random_tree(rng, rows.documents)
        selected = [rng.randint(1, len(rows.documents)) for _ in range(20)]
        x, y, colour = "results.p97.5_ttft_ms", "results.p99_ttft_ms", rng.choice([None, "run.status", "server.model"])
        full = ask(driver, filter=tree, x=x, y=y, color=colour)
        answer = ask(driver, filter=tree, x=x, y=y, color=colour, limit=500, selected=selected)
        marks, every = answer["marks"], {id_: (a, b) for id_, a, b in zip(full["marks"]["id"], full["marks"]["x"], full["marks"]["y"], strict=True)}
        assert sum(marks["count"]) == answer["drawn"] == full["drawn"]
        assert answer["form"] == ("thinned" if answer["drawn"] > 500 else "points")
        # every mark is a row, and is at its position
        assert all(every[id_] == (a, b) for id_, a, b in zip(marks["id"], marks["x"], marks["y"], strict=True))
        assert {one for one in selected if one in every} <= set(marks["id"]) or answer["form"] == "points"
        assert answer["frontier_more_count"] == 0
        for key in ("marks", "with_untrusted"):
            assert [[marks["id"][i] for i in part[key]] for part in answer["frontier"]] == [[full["marks"]["id"][i] for i in part[key]] for part in full["frontier"]]
        # isolated points are present
        if answer["form"] == "thinned":
            thinned += 1
            assert len(marks["id"]) <= 500 and max(marks["count"]) > OUTLIERS
            assert set(marks["count"]) & set(range(2, OUTLIERS + 1)) == set()
            far = max(every, key=lambda id_: every[id_][1])
            assert far in marks["id"] or sum(1 for one in every.values() if one[1] == every[far][1]) > OUTLIERS
    assert thinned > 0 or SANITIZED


PERCENTS = [5, 25, 50, 75, 95]
NUMBERS_OR_NOT = ("n", "missing", "null", "word", "infinite")


def figures_of(numbers):
    return {"mean": numpy.mean(numbers), "min": min(numbers), "max": max(numbers),
            **{f"p{percent}": figure for percent, figure in zip(PERCENTS, numpy.percentile(numbers, PERCENTS), strict=True)}}


def holds_interval(numbers, std, low, high):
    mean = numpy.mean(numbers)
    assert math.isclose(high - mean, mean - low, rel_tol=1e-6, abs_tol=1e-9 * abs(mean))
    if stats and std > 0:
        wished = stats.t.interval(0.95, len(numbers) - 1, mean, std / math.sqrt(len(numbers)))
        numpy.testing.assert_allclose([low, high], wished, rtol=1e-9, atol=1e-9 * std)


def holds_figures(rows, y, groups, g, places):
    """Compares one group of a response with its rows; returns the number of compared statistics."""
    own = [cell(rows, y, i) for i in sorted(places)]
    reasons = collections.Counter(why_not(y, value) for value in own)
    assert [groups[why][g] for why in NUMBERS_OR_NOT] == [reasons[why] for why in (None, "missing", "null", "word", "infinite")]
    assert groups["failed"][g] == sum(isinstance(cell(rows, "run.status", i), str) and cell(rows, "run.status", i) != "completed" for i in places)
    numbers = [value for value in own if why_not(y, value) is None]
    wished = figures_of(numbers) if numbers else dict.fromkeys(["mean", "p50", "max"])
    for name, figure in wished.items():
        assert (groups[name][g] is None) == (figure is None)
        assert figure is None or math.isclose(float(groups[name][g]), figure, rel_tol=1e-9), (name, numbers)
    assert (groups["std"][g] is None) == (len(numbers) < 2) == (groups["low"][g] is None)
    if len(numbers) > 1:
        with numpy.errstate(over="ignore", invalid="ignore"):
            std = numpy.std(numbers, ddof=1)
        if math.isfinite(std):
            assert math.isclose(float(groups["std"][g]), std, rel_tol=1e-9)
            holds_interval(numbers, std, groups["low"][g], groups["high"][g])
    return len(wished)


def holds_groups(rows, y, groups, sides, wanted):
    """Compares each pair of kinds of two sides, which are (field, its kinds, the groups' indexes in them)."""
    figures, seen, every = 0, 0, set(wanted)
    sets = [by_kind(rows, kinds, field, wanted) if field else None for field, kinds, _ in sides]
    for g in range(len(groups["n"])):
        kinds = [kinds[places[g]] for field, kinds, places in sides if field]
        rows_of = sum(groups[why][g] for why in NUMBERS_OR_NOT)
        seen += rows_of
        assert rows_of > 0
        if any(one["state"] in ("range", "other") for one in kinds):
            continue  # which rows these are is shown by the test of kinds
        own = every
        for found, (_, _, places) in zip(sets, sides, strict=True):
            own = own if found is None else own & found[places[g]]
        figures += holds_figures(rows, y, groups, g, own)
    return figures, seen


def test_figures_of_groups_are_numpys(made):
    driver, rows = made
    rng = random.Random(SEED + 3)
    figures = 0
    for _ in range(ROUNDS):
        tree = random_tree(rng, rows.documents)
        x, colour, y = rng.choice([None, *NUMBERS, *WORDS]), rng.choice([None, *WORDS]), rng.choice(NUMBERS)
        answer = ask(driver, form="groups", filter=tree, x=x, color=colour, y=y)
        wanted, _ = without_simulated(rows, matching(rows, tree))
        wanted = [i for i in wanted if x is None or cell(rows, x, i) is not MISSING]
        sides = [(x, answer["x"] and answer["x"]["kinds"]["kinds"], answer["groups"]["x"]), (colour, answer["color"] and answer["color"]["kinds"], answer["groups"]["color"])]
        found, seen = holds_groups(rows, y, answer["groups"], sides, wanted)
        figures += found
        assert seen == answer["drawn"] == len(wanted) - answer["excluded"].get("x_other", 0)
    assert figures > ROUNDS


def test_cells_of_a_grid_are_numpys(made):
    driver, rows = made
    rng = random.Random(SEED + 6)
    figures = 0
    for _ in range(ROUNDS if LONG else ROUNDS // 5):
        tree = random_tree(rng, rows.documents)
        x, y, value = rng.choice([*NUMBERS, *WORDS]), rng.choice([*NUMBERS, *WORDS]), rng.choice(NUMBERS)
        answer = ask(driver, form="grid", filter=tree, x=x, y=y, value=value)
        wanted, _ = without_simulated(rows, matching(rows, tree))
        wanted = [i for i in wanted if MISSING not in (cell(rows, x, i), cell(rows, y, i))]
        kinds = [answer[name]["kinds"]["kinds"] for name in ("x", "y")]
        assert all(len(one) <= GRID_KINDS_MAX and answer[name]["kind"] == "kinds" for one, name in zip(kinds, ("x", "y"), strict=True))
        grid = answer["grid"]
        assert len(set(zip(grid["x"], grid["y"], strict=True))) == len(grid["n"])
        found, seen = holds_groups(rows, value, grid, [(x, kinds[0], grid["x"]), (y, kinds[1], grid["y"])], wanted)
        figures += found
        assert seen == answer["drawn"] == len(wanted) - sum(answer["excluded"].get(why, 0) for why in ("x_other", "y_other"))
        ends = answer["value"]
        assert (ends["min"], ends["max"]) == (min((n for n in grid["min"] if n is not None), default=None), max((n for n in grid["max"] if n is not None), default=None))
    assert figures > ROUNDS // 5


def line_places(rows, axis, field, i):
    """Returns where a row's line crosses the axis, or None, also if no drawn row has its value."""
    value = cell(rows, field, i)
    if axis["kind"] != "kinds":
        return axis_place(field, value) if why_not(field, value) is None else None
    return None if value is MISSING else next((at for at, one in enumerate(axis["kinds"]["kinds"]) if fits_kind(one, field, value)), None)


def test_lines_over_axes_are_the_rows(made):
    driver, rows = made
    rng = random.Random(SEED + 7)
    lines = 0
    for _ in range(ROUNDS // 5):
        tree = random_tree(rng, rows.documents)
        fields = rng.sample([*NUMBERS, *WORDS, "run.timestamp"], rng.randint(2, 8))
        answer = ask(driver, form="parallel", filter=tree, axes=fields, color=rng.choice([None, "run.status"]), labels=["server.model"])
        axes, drawn = answer["axes"], answer["lines"]
        assert [axis["field"] for axis in axes] == fields and answer["x"] is None and answer["y"] is None
        wanted, _ = without_simulated(rows, matching(rows, tree))
        places = {i: [line_places(rows, axis, field, i) for axis, field in zip(axes, fields, strict=True)] for i in wanted
                  if sum(cell(rows, field, i) is not MISSING for field in fields) > 1}
        kept = [i for i, own in places.items() if sum(one is not None for one in own) > 1]
        assert answer["excluded"].get("too_few", 0) == len(wanted) - len(kept)
        assert drawn["id"] == [i + 1 for i in kept] and drawn["count"] == [1] * len(kept)
        assert [list(own) for own in zip(*drawn["at"], strict=True)] == [[shown(one) if one is not None else None for one in places[i]] for i in kept]
        for gaps, at, axis in zip(answer["gaps"], drawn["at"], axes, strict=True):
            there = [one for one in at if one is not None]
            assert sum(gaps.values()) == at.count(None)
            assert (axis["min"], axis["max"]) == (min(there, default=None), max(there, default=None))
        lines += len(kept)
    assert lines > ROUNDS


def test_thinned_lines_represent_all_of_their_color(made):
    driver, rows = made
    rng = random.Random(SEED + 8)
    for fields in (["results.p99_ttft_ms", "results.p97.5_ttft_ms"], [*NUMBERS, "run.timestamp"]):
        selected = [rng.randint(1, len(rows.documents)) for _ in range(20)]
        full = ask(driver, form="parallel", axes=fields, color="run.status", simulated=True)
        answer = ask(driver, form="parallel", axes=fields, color="run.status", limit=500, selected=selected, simulated=True)
        every = dict(zip(full["lines"]["id"], zip(*full["lines"]["at"], strict=True), strict=True))
        lines = answer["lines"]
        assert answer["form"] == ("thinned" if answer["drawn"] > 500 else "parallel") and full["form"] == "parallel"
        assert sum(lines["count"]) == answer["drawn"] == full["drawn"] == len(every) and len(lines["id"]) <= 500 or answer["form"] == "parallel"
        assert all(every[id_] == at for id_, at in zip(lines["id"], zip(*lines["at"], strict=True), strict=True))
        assert {one for one in selected if one in every} <= set(lines["id"]) or answer["form"] == "parallel"
        by_colour = collections.Counter()
        for colour, rows_of in zip(lines["color"], lines["count"], strict=True):
            by_colour[colour] += rows_of
        # with gaps of every kind in every colour there is no room to tell colours apart
        if len(fields) == 2:
            assert by_colour == {at: one["count"] for at, one in enumerate(full["color"]["kinds"])}


def test_parts_beyond_the_budget_are_named(made):
    """The progress within a millisecond is unknown; parts that are not listed as incomplete are complete."""
    driver, _ = made
    question = {"x": "results.p99_ttft_ms", "y": "results.p97.5_ttft_ms", "color": "server.model", "shape": "run.status", "size": "results.completed", "labels": ["run.name"]}
    full, hasty = ask(driver, **question), ask(driver, **question, budget_ms=1)
    assert full["incomplete"] == []
    order = ["color", "shape", "size", "frontier", "labels"]
    assert hasty["incomplete"] == order[len(order) - len(hasty["incomplete"]):]
    for name in ("color", "shape"):
        assert hasty[name] == (None if name in hasty["incomplete"] else full[name])
    assert ("size" in hasty["marks"]) == ("size" not in hasty["incomplete"])
    assert (hasty["frontier"] is None) == ("frontier" in hasty["incomplete"])
    assert hasty["marks"]["x"] == full["marks"]["x"] and hasty["drawn"] == full["drawn"]


def test_bins_hold_every_row_once(made):
    driver, rows = made
    rng = random.Random(SEED + 4)
    for _ in range(ROUNDS):
        tree = random_tree(rng, rows.documents)
        x, colour = rng.choice(NUMBERS + ["run.timestamp", "server.model", "run.status"]), rng.choice([None, "run.status"])
        answer = ask(driver, form="bins", filter=tree, x=x, color=colour)
        bins = answer["bins"]
        assert sum(map(sum, bins["counts"])) == answer["drawn"]
        assert len(bins["counts"]) == (len(answer["color"]["kinds"]) if colour else 1)
        if answer["x"]["kind"] == "kinds":
            assert bins["edges"] is None and list(map(sum, zip(*bins["counts"], strict=True))) == [one["count"] for one in answer["x"]["kinds"]["kinds"]]
            continue
        wanted, reasons = drawn_of(rows, matching(rows, tree), x)
        assert answer["excluded"] == reasons
        values = [axis_place(x, cell(rows, x, i)) for i in wanted]
        if len(set(values)) > 1:
            assert list(map(sum, zip(*bins["counts"], strict=True))) == numpy.histogram(values, bins["edges"])[0].tolist()
        else:
            assert len(bins["edges"]) == (2 if values else 0)


def test_ranges_of_many_numbers_hold_them(made):
    driver, rows = made
    answer = ask(driver, x="results.completed", y="results.completed", color="results.p97.5_ttft_ms")
    kinds = answer["color"]["kinds"]
    ranges = [one for one in kinds if one["state"] == "range"]
    assert 2 <= len(ranges) <= 6 and all(one["high"] <= other["low"] for one, other in zip(ranges, ranges[1:], strict=False))
    for id_, at in zip(answer["marks"]["id"], answer["marks"]["color"], strict=True):
        value = cell(rows, "results.p97.5_ttft_ms", id_ - 1)
        assert fits_kind(kinds[at], "results.p97.5_ttft_ms", value) and not (at + 1 < len(ranges) and value == kinds[at]["high"])


@pytest.mark.parametrize("field", ["run.status", "server.tensor_parallel_size", "server.gpu_memory_utilization", "server.enable_prefix_caching"])
def test_the_rank_of_a_value_is_the_order_in_which_results_first_had_it(made, field):
    driver, rows = made
    first = list(dict.fromkeys(canonical(shown(value)) for i in range(len(rows.documents)) if (value := cell(rows, field, i)) not in (MISSING, NULL)))
    rng = random.Random(SEED + 5)
    for _ in range(10):
        answer = ask(driver, filter=random_tree(rng, rows.documents), x="results.completed", y="results.completed", color=field)
        for one in answer["color"]["kinds"]:
            assert "rank" not in one if one["state"] != "value" else first[one["rank"]] == canonical(one["value"]), one


def neighbors_of(driver, documents, id_, **request):
    for i, document in enumerate(documents):
        driver.tell(document=document, id=i + 1)
    return ask(driver, form="neighbors", neighbors=id_, **request)["neighbors"]


ALONE = {"run.status": "completed", "quality.verdict": "trusted"}
COMPARED = {"server.model": "model", "benchmark.request_rate": "load", "run.status": "status", "quality.verdict": "verdict",
            "environment.engine.simulated": "simulated"}  # those of FIELDS that have to be alike


def not_alike(field, cells):
    """Returns (named, different values): null is a value, and so is a value that only some rows record."""
    there = {key_of(value) for value in cells if value is not MISSING}
    lone = field in ALONE and len(there) == 1 and there != {key_of(ALONE[field])}
    return lone or len(there) > 1 or (len(there) == 1 and MISSING in cells)


def test_differing_inputs_of_drawn_rows_are_named(made):
    """Filtered rows without a position do not count; nor do the fields of the axes or of the color."""
    driver, rows = made
    rng = random.Random(SEED + 10)
    seen = collections.Counter()
    for _ in range(ROUNDS // 2):
        tree, shown = random_tree(rng, rows.documents), rng.sample(list(COMPARED), 2)
        x = "results.p99_ttft_ms"
        said = ask(driver, filter=tree, x=x, y="results.completed", color=shown[0], shape=shown[1], simulated=rng.random() < 0.5)
        drawn = [i - 1 for i in said["marks"]["id"]]
        told = {field["field"]: (caution["kind"], field["sides"]) for caution in said["cautions"] for field in caution["fields"]}
        for field, kind_ in COMPARED.items():
            cells = [cell(rows, field, i) for i in drawn]
            is_named = field not in shown and not_alike(field, cells)
            assert (field in told) == is_named, (field, said["cautions"])
            seen[field] += is_named
            if not is_named:
                continue
            assert told[field][0] == kind_
            [values] = told[field][1]
            counts = collections.Counter(key_of(value) for value in cells if value is not MISSING and value is not NULL)
            assert values["distinct"] == len(counts) and [one["count"] for one in values["values"]] == sorted(counts.values(), reverse=True)[:20]
            assert (values["null"], values["not_recorded"]) == (cells.count(NULL), cells.count(MISSING))
    assert all(seen[field] for field in COMPARED), seen
    assert ask(driver, form="neighbors", x=x, y="results.completed", neighbors=1)["cautions"] == []


def test_of_many_values_that_are_not_alike_the_most_frequent_are_named(bin_dir):
    """Matched inputs are listed, and one model is one model even if the filter's facet has more."""
    driver = Driver(bin_dir)
    for i in range(300):
        benchmark = {"max_concurrency": i // 2 if i < 290 else 7, "num_prompts": 10 + i / 4, "random_input_len": 8}
        driver.tell(document={"config": {"server": {"model": "one" if i < 200 else "other"}, "benchmark": benchmark}, "results": {"p99_ttft_ms": i}}, id=i + 1)
    one = {"filter": {"field": "server.model", "op": "eq", "value": "one"}, "x": "results.p99_ttft_ms", "y": "results.p99_ttft_ms"}
    [load] = ask(driver, **one)["cautions"]
    assert load["kind"] == "load" and [field["field"] for field in load["fields"]] == ["benchmark.max_concurrency", "benchmark.num_prompts"]
    assert [field["sides"][0]["distinct"] for field in load["fields"]] == [100, 200] and all(len(field["sides"][0]["values"]) == 20 for field in load["fields"])
    everything = {caution["kind"]: caution for caution in ask(driver, form="bins", x="results.p99_ttft_ms")["cautions"]}
    assert list(everything) == ["load", "model"] and everything["load"]["fields"][0]["sides"][0]["values"][0] == {"value": 7, "count": 12}
    matched = ask(driver, form="groups", x="server.model", y="results.p99_ttft_ms", match=True)
    assert matched["matched"]["inputs"] and matched["cautions"] == []
    driver.close()


def test_groups_and_cells_caution_of_the_rows_that_they_summarize_alone(bin_dir):
    """A run without the metric is in no group, so it causes no caution."""
    driver = Driver(bin_dir)
    for i, (model, status, results) in enumerate([("one", "completed", {"p99_ttft_ms": 1}), ("one", "completed", {"p99_ttft_ms": 2}), ("other", "launch_failed", {}), ("other", "completed", {"p99_ttft_ms": None})]):
        driver.tell(document={"status": status, "config": {"server": {"model": model, "tensor_parallel_size": i}, "benchmark": {}}, "results": results}, id=i + 1)
    y = "results.p99_ttft_ms"
    groups = ask(driver, form="groups", x="server.tensor_parallel_size", y=y)
    grid = ask(driver, form="grid", x="server.tensor_parallel_size", y="server.dtype", value=y)
    bins = ask(driver, form="groups", x="server.tensor_parallel_size", y="server.tensor_parallel_size")
    assert [caution["kind"] for caution in groups["cautions"] + grid["cautions"]] == []
    assert {"model", "status"} <= {caution["kind"] for caution in bins["cautions"]}
    driver.close()


def point(x, y, **server):
    return {"config": {"server": server, "benchmark": {}}, "results": {"p99_ttft_ms": x, "p99_tpot_ms": y}}


def test_the_differences_of_a_point_from_its_neighbors(bin_dir):
    driver = Driver(bin_dir)
    around = [point(100 + i, 50 + i, tensor_parallel_size=2, quantization="fp8", max_num_seqs=i, dtype="auto") for i in range(12)]
    far = [point(9000 + i, 9000, tensor_parallel_size=1) for i in range(5)]
    own = point(105, 55, tensor_parallel_size=8, quantization="fp8", max_num_seqs=3, dtype="auto")
    said = neighbors_of(driver, [own, *around, *far], 1, x="results.p99_ttft_ms", y="results.p99_tpot_ms")
    assert said == {"id": 1, "count": 12, "fields": [{"field": "server.tensor_parallel_size", "value": 8, "differing_count": 12},
                                                          {"field": "server.max_num_seqs", "value": 3, "differing_count": 11}]}
    assert neighbors_of(driver, [own], 99, x="results.p99_ttft_ms", y="results.p99_tpot_ms") is None
    driver.close()


@pytest.mark.parametrize("documents", [
    [], [point(1, 2)], [point(5, 5)] * 30, [point(-1, -2), point(-3, -4)], [point("inf", 1), point(1, "-inf")], [{}], [point(None, None)],
    [point(1e308, -1e308), point(-1e308, 1e308)], [point(5e-324, 0), point(0, 5e-324)],
], ids=["none", "one", "alike", "negative", "infinite", "bare", "null", "wide", "narrow"])
def test_odd_results_have_answers(bin_dir, documents):
    driver = Driver(bin_dir)
    for i, document in enumerate(documents):
        driver.tell(document=document, id=i + 1)
    x, y = "results.p99_ttft_ms", "results.p99_tpot_ms"
    drawable = sum(isinstance(one.get("results", {}).get("p99_ttft_ms"), (int, float)) and isinstance(one["results"]["p99_tpot_ms"], (int, float)) for one in documents)
    for log in (False, True):
        answer = ask(driver, x=x, y=y, x_log=log, y_log=log, color=x)
        assert answer["drawn"] == drawable == len(answer["marks"]["id"])
    assert sum(ask(driver, form="groups", y=y)["groups"]["n"]) == sum(isinstance(one.get("results", {}).get("p99_tpot_ms"), (int, float)) for one in documents)
    ask(driver, form="groups", y=y, x=x, color=x)
    ask(driver, form="bins", x=x)
    ask(driver, form="neighbors", x=x, y=y, neighbors=1)
    assert sum(ask(driver, form="grid", x="run.status", y=x, value=y)["grid"]["n"]) <= len(documents)
    assert ask(driver, form="parallel", axes=[x, y, "server.model"])["drawn"] == drawable
    driver.close()


def test_many_words_become_others(bin_dir):
    """At most the 1,000 most frequent kinds."""
    driver = Driver(bin_dir)
    for i in range(2400):
        driver.tell(document={"tags": {"word": f"w{i % 1200}" if i < 2390 else "often"}, "results": {"p99_ttft_ms": i}}, id=i + 1)
    answer = ask(driver, x="results.p99_ttft_ms", y="results.p99_ttft_ms", color="tags.word")
    kinds = answer["color"]["kinds"]
    assert len(kinds) == KINDS_MAX and kinds[-1]["state"] == "other" and sum(one["count"] for one in kinds) == 2400
    assert {"state": "value", "value": "often", "count": 10, "rank": 1200} in kinds
    on_axis = ask(driver, x="tags.word", y="results.p99_ttft_ms")
    assert on_axis["excluded"] == {"x_other": kinds[-1]["count"]} and on_axis["drawn"] == 2400 - kinds[-1]["count"]
    driver.close()


@pytest.mark.parametrize("request_, pointer", [
    ({"y": "results.completed"}, ""), ({"x": "results.completed"}, ""), ({"form": "neighbors", "x": "results.completed", "y": "results.completed"}, ""),
    ({"x": "results.complete", "y": "results.completed"}, "/x"), ({"form": "groups", "y": "server.model"}, "/y"), ({"form": "bin", "x": "results.completed"}, "/form"),
    ({"x": "results.completed", "y": "results.completed", "limit": 499}, "/limit"), ({"x": "results.completed", "y": "results.completed", "x_log": 1}, "/x_log"),
    ({"x": "results.completed", "y": "results.completed", "y_log": "automatic"}, "/y_log"),
    ({"x": "results.completed", "y": "results.completed", "selected": [0]}, "/selected/0"), ({"x": 1, "y": "results.completed"}, "/x"),
    ({"x": "results.completed", "y": "results.completed", "labels": ["nothing.such"]}, "/labels/0"), ({"form": "bins", "x": "results.completed", "odd": 1}, ""),
    ({"form": "bins", "x": "results.completed", "filter": {"and": []}, "color": "no"}, "/color"), ([], ""),
    ({"form": "neighbors", "x": "results.completed", "y": "results.completed", "neighbors": 1, "choices": [{"x": "results.completed"}]}, "/choices/0"),
    ({"form": "parallel", "axes": ["server.model", "server.model"], "choices": [{"form": "bins", "x": "server.model"}, {"x": "server.model"}]}, "/choices/1"),
    ({"form": "grid", "x": "server.model", "y": "server.model"}, ""), ({"form": "grid", "x": "server.model", "y": "server.model", "value": "server.model"}, "/value"),
    ({"form": "parallel"}, ""), ({"form": "parallel", "axes": ["server.model"]}, "/axes"), ({"form": "parallel", "axes": ["server.model"] * 9}, "/axes"),
    ({"form": "parallel", "axes": ["server.model", "no.such"]}, "/axes/1"), ({"form": "bins", "x": "server.model", "budget_ms": 0}, "/budget_ms"),
    ({"x": "results.completed", "y": "results.completed", "significant_digits": 2}, "/significant_digits"), ({"x": "results.completed", "y": "results.completed", "significant_digits": 18}, "/significant_digits"),
])
def test_faults_are_reported_with_their_pointer(made, request_, pointer):
    driver, _ = made
    said = driver.ask(points=request_)
    assert "answer" not in said and [fault["pointer"] for fault in said["faults"]][-1] == pointer, json.dumps(said)


def cells_of(rows, groups):
    """Returns (inputs that make the cells, unmatched inputs, cells of every group, kept rows), computed with Python tuples."""
    columns = [field for field in FIELDS if field.startswith(("server.", "benchmark.")) and field in rows.cells and field not in NO_COLUMNS]
    every = sorted(set().union(*groups))
    values = {field: {i: key_of(cell(rows, field, i)) for i in every} for field in columns}
    varying = [field for field in columns if len(set(values[field].values())) > 1]
    by = [field for field in varying if set.intersection(*({values[field][i] for i in group} for group in groups))]
    of = {i: tuple(values[field][i] for field in by) for i in every}
    shared = set.intersection(*({of[i] for i in group} for group in groups))
    return by, set(varying) - set(by), shared, [i for i in every if of[i] in shared]


def expected_groups(rows, field, places):
    groups = collections.defaultdict(set)
    for i in places:
        if cell(rows, field, i) is not MISSING:
            groups[key_of(cell(rows, field, i))].add(i)
    return list(groups.values())


@pytest.mark.parametrize("form", ["points", "groups"])
def test_matched_cells_are_those_of_every_group(made, form):
    """Matches by the kinds of the color, or for bars without one by those of x; values without a position on an axis match
    nothing."""
    driver, rows = made
    rng = random.Random(SEED + 9)
    kept_some = fell_some = 0
    for _ in range(ROUNDS // 4):
        tree, group = random_tree(rng, rows.documents), rng.choice(WORDS)
        x, y = "results.p99_ttft_ms", "results.completed"
        question = {"filter": tree, "form": form, "y": y, "match": True, **({"x": x, "color": group} if form == "points" else {"x": group})}
        said = ask(driver, **question)
        if form == "points":
            drawn = drawn_of(rows, matching(rows, tree), x, y)[0]
        else:
            drawn = [i for i in without_simulated(rows, matching(rows, tree))[0] if cell(rows, group, i) is not MISSING]
        groups = expected_groups(rows, group, drawn)
        if not 2 <= len(groups) <= 50:
            assert said["matched"] is None and "unmatched" not in said["excluded"] and said["drawn"] == len(drawn)
            continue
        by, apart, shared, kept = cells_of(rows, groups)
        matched = said["matched"]
        assert (sorted(matched["inputs"]), set(matched["unmatched_inputs"]), matched["cell_count"], matched["group_count"]) == (sorted(by), apart, len(shared), len(groups))
        assert said["drawn"] == len(kept) and said["excluded"].get("unmatched", 0) == len(drawn) - len(kept)
        dry = ask(driver, **question, count_only=True)
        assert (dry["drawn"], dry["matched"], dry["excluded"]) == (said["drawn"], matched, said["excluded"])
        assert dry["cautions"] == [] and not {"marks", "groups"} & set(dry)
        if form == "points":
            assert said["marks"]["id"] == [i + 1 for i in kept]
        kept_some += len(kept) > 0
        fell_some += len(kept) < len(drawn)
    assert kept_some and fell_some
    assert ask(driver, form="bins", x="results.completed", match=True)["matched"] is None  # no groups
