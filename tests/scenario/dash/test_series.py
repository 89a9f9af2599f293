"""Telemetry over the measured run (`GET …/series`): bins compared with plain Python, gaps, invalid lines, compressed files."""
import json
import random
import subprocess

import pytest
from dashboard_tools import Dashboard, little

FROM, TO, BINS = 5_000_000_000, 15_000_000_000, 20
PATH = f"/api/data/experiments/small-1/series?from_ns={FROM}&to_ns={TO}&bins={BINS}"


def sample(t_ns, source, values, which=None):
    return {"t_ns": t_ns, "source": source, "id": which, "values": values}


def made(rng):
    lines = [sample(rng.randrange(4 * 10**9, 16 * 10**9), "gpu", {"power_w": rng.choice([None, rng.uniform(100, 700)]), "energy_j": 1.0}, rng.choice("ab"))
             for _ in range(300)]
    lines = [one for one in lines if not 8 * 10**9 <= one["t_ns"] < 9 * 10**9]  # a gap
    return lines + [sample(4_900_000_000, "load", {"in_flight": 3}), sample(6_100_000_000, "load", {"in_flight": 5}), sample(6_200_000_000, "load", {"in_flight": 4})]


def bin_of(t_ns):
    return min(int((t_ns - FROM) / (TO - FROM) * BINS), BINS - 1)


@pytest.fixture(scope="module")
def dashboard(bin_dir, tmp_path_factory):
    with Dashboard(bin_dir, tmp_path_factory.mktemp("series") / "d.db") as one:
        assert one.upload("/api/upload/batch", [little(1), little(2)])["counts"]["stored"] == 2
        yield one


def put(dashboard, data):
    answer = dashboard.ask("PUT", "/api/upload/artifact/small-1/series/r.series.jsonl", data, {"Content-Type": "application/octet-stream"})
    assert answer.status in (200, 201)


def test_bins_are_means_and_gaps(dashboard):
    lines = made(random.Random(5))
    put(dashboard, "".join(json.dumps(one) + "\n" for one in lines).encode() + b"no line\n[]\n\n")
    said = dashboard.get(PATH).json
    assert (said["recorded"], said["lines"], said["skipped"]) == (True, len(lines), 2)
    assert said["t_s"] == pytest.approx([(i + 0.5) * 0.5 for i in range(BINS)])
    series = {f"{one['source']} {one['name']}": one["values"] for one in said["series"]}
    assert set(series) == {"load in_flight", "gpu power_w"}  # a counter is none
    sums = [[] for _ in range(BINS)]
    for one in lines:
        if one["source"] == "gpu" and one["values"]["power_w"] is not None and FROM <= one["t_ns"] < TO:
            sums[bin_of(one["t_ns"])].append(one["values"]["power_w"])
    for value, numbers in zip(series["gpu power_w"], sums, strict=True):
        assert value is None if not numbers else value == pytest.approx(sum(numbers) / len(numbers), rel=1e-9)
    assert series["gpu power_w"][6:8] == [None, None]
    assert series["load in_flight"] == [3, 3, *[4] * 18]


def test_packed_as_a_run_writes_it(dashboard):
    line = json.dumps(sample(FROM, "host", {"cpu_share": 0.5})) + "\n"
    packed = subprocess.run(["zstd", "-q", "-c"], input=line.encode(), capture_output=True, check=True).stdout
    put(dashboard, packed)
    assert dashboard.get(PATH).json["series"][0]["values"][0] == 0.5


def test_missing_objects_and_wrong_requests(dashboard):
    said = dashboard.get(PATH.replace("small-1", "small-2")).json
    assert said["recorded"] is False and said["series"] == []
    assert dashboard.get(PATH.replace("small-1", "nobody")).status == 404
    assert dashboard.get(PATH.replace(f"to_ns={TO}", f"to_ns={FROM}")).status == 422
    assert dashboard.get(PATH.replace("bins=20", "bins=0")).status == 422
    put(dashboard, b"\x28\xb5\x2f\xfd" + b"broken")
    assert dashboard.get(PATH).status in (422, 500)
