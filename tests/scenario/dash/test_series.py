"""Telemetry of a result (`GET …/series`): bins compared with plain Python and numpy, gaps, invalid lines, compressed files."""
import json
import random
import subprocess

import pytest
from dashboard_tools import Dashboard, little
from run_tools import base_config, read_zst_lines, run_profllm, write_config

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
    # the smallest and the largest sample of each bin, exactly
    power = next(one for one in said["series"] if one["name"] == "power_w")
    for values, of in ((power["min"], min), (power["max"], max)):
        assert values == [of(numbers) if numbers else None for numbers in sums]
    assert power["tracks"] == 2


def test_the_whole_recording_is_the_default(dashboard):
    lines = made(random.Random(6))
    put(dashboard, "".join(json.dumps(one) + "\n" for one in lines).encode())
    said = dashboard.get("/api/data/experiments/small-1/series?bins=7").json
    times = [one["t_ns"] for one in lines]
    assert (said["begin_ns"], said["end_ns"]) == (min(times), max(times))
    assert (said["from_ns"], said["to_ns"]) == (min(times), max(times) + 1)
    some = dashboard.get("/api/data/experiments/small-1/series?bins=7&series=load.in_flight").json
    assert [one["name"] for one in some["series"]] == ["in_flight"]
    assert some["series"] == [one for one in said["series"] if one["name"] == "in_flight"]
    wrong = dashboard.get("/api/data/experiments/small-1/series?series=load.in_flight,gpu.powr_w")
    assert wrong.status == 422 and "'gpu.power_w'" in wrong.json["detail"]


def test_odd_ranges(dashboard):
    path = "/api/data/experiments/small-1/series"
    line = json.dumps(sample(FROM, "host", {"cpu_share": 0.5})) + "\n"
    put(dashboard, line.encode())
    whole = dashboard.get(path).json  # a single sample
    assert whole["to_ns"] - whole["from_ns"] == 1_000_000 and whole["series"][0]["interval_s"] is None
    later = dashboard.get(f"{path}?from_ns={TO}")  # after the end
    assert later.status == 200 and later.json["series"] == [] and later.json["from_ns"] == TO
    assert dashboard.get(f"{path}?to_ns={FROM - 1}").status == 422
    assert dashboard.get(f"{path}?from_ns={2**63 - 1}").status == 422
    put(dashboard, line.replace(str(FROM), str(2**63 - 1)).encode())
    assert dashboard.get(path).json["lines"] == 0


def test_samples_beyond_the_memory_are_refused(dashboard):
    """A small artifact may hold far more samples than the dashboard can keep."""
    text = b'{"t_ns":2,"source":"server_metrics","values":{"running":1}}\n' * 3_000_000
    packed = subprocess.run(["zstd", "-q", "-c"], input=text, capture_output=True, check=True).stdout
    assert len(packed) < 1_000_000
    put(dashboard, packed)
    refused = dashboard.get(PATH)
    assert refused.status == 422 and "bytes" in refused.json["detail"]


def test_a_lost_file_is_named(bin_dir, tmp_path):
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        assert one.upload("/api/upload/batch", [little(1)])["counts"]["stored"] == 1
        put(one, b"{}\n")
        for file in (tmp_path / "d.db.files").rglob("*"):
            if file.is_file():
                file.unlink()
        lost = one.get(PATH)
        assert lost.status == 404 and "r.series.jsonl" in lost.json["detail"]


def test_a_zoom_into_a_recorded_run(bin_dir, dashboard, tmp_path):
    """Each zoom of what `profllm run` recorded has the true extremes and means of its bins, by numpy."""
    numpy = pytest.importorskip("numpy")
    path = write_config(tmp_path, base_config(num_prompts=40, request_rate=40))
    assert run_profllm(bin_dir, "run", "-c", path, "-o", tmp_path / "r.json").returncode == 0
    lines = read_zst_lines(tmp_path / "r.series.jsonl.zst")
    put(dashboard, (tmp_path / "r.series.jsonl.zst").read_bytes())
    whole = dashboard.get("/api/data/experiments/small-1/series").json
    assert whole["lines"] == len(lines) and whole["skipped"] == 0
    width = whole["to_ns"] - whole["from_ns"]
    for from_ns, to_ns, bins in ((whole["from_ns"], whole["to_ns"], 200), (whole["from_ns"] + width // 3, whole["to_ns"] - width // 4, 37)):
        said = dashboard.get(f"/api/data/experiments/small-1/series?from_ns={from_ns}&to_ns={to_ns}&bins={bins}").json
        assert len(said["series"]) > 20
        for one in said["series"]:
            if one["source"] == "load":
                continue
            samples = numpy.array([(line["t_ns"] - from_ns, line["values"][one["name"]]) for line in lines
                                   if line["source"] == one["source"] and line["values"].get(one["name"]) is not None and from_ns <= line["t_ns"] < to_ns])
            at = samples[:, 0].astype(object) * bins // (to_ns - from_ns)  # Python's integers: exact
            for i in range(bins):
                inside = samples[at == i, 1]
                if inside.size == 0:
                    assert one["values"][i] is one["min"][i] is one["max"][i] is None
                    continue
                assert (one["min"][i], one["max"][i]) == (inside.min(), inside.max()), one["name"]
                assert one["values"][i] == pytest.approx(inside.mean(), rel=1e-12)


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
