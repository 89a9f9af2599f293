"""tests/perf/plot.py draws the measurements of tests/perf/run: valid SVG, a mark for each value, at its position."""
import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

pytestmark = pytest.mark.release_only  # runs no program of the build

SVG = "{http://www.w3.org/2000/svg}"


def row(ttft_ms, cpu_us, share=0.1):
    return {"ttft_error_p99_ms": ttft_ms, "cpu_us_per_event": cpu_us, "cpu_share": share}


def figures():
    return {"streams": [
        {"streams": 64, "step": "30ms", "profllm": row(0.02, 6), "asyncio": row(12, 40), "vllm-bench": row(3, 10),
         "bench serve": row(0.02, 11)},
        {"streams": 1024, "step": "30ms", "profllm": row(0.05, 5), "asyncio": row(200, 30), "vllm-bench": row(150, 9)},
        {"streams": 4096, "step": "30ms", "profllm": row(0.06, 5), "asyncio": row(1290, 11, 1.0),
         "vllm-bench": {"failure": "ended with 1: <no> & \"more\""}},
    ]}


@pytest.fixture
def draw(source_dir, tmp_path):
    def play(results):
        (tmp_path / "f.json").write_text(json.dumps(results))
        done = subprocess.run([sys.executable, source_dir / "tests/perf/plot.py", tmp_path / "f.json",
                               tmp_path / "p.svg"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return ET.parse(tmp_path / "p.svg").getroot()

    return play


def marks(root, look):
    """Returns {(panel, metric): height in the picture} of one client's marks."""
    found = {}
    for panel, group in enumerate(root.findall(f"{SVG}g")):
        for element in group:
            if element.get("class", "").split()[:2] == ["mark", look]:
                place = element.get("cy") or element.get("y") or element.get("d").split(",")[1].split()[0]
                found[panel, element.find(f"{SVG}title").text] = float(place)
    return found


def test_a_mark_for_each_figure(draw):
    root = draw(figures())
    assert root.tag == SVG + "svg" and root.get("viewBox") == "0 0 800 400"
    assert {name: len(marks(root, name)) for name in ("ours", "peer", "rust", "whole")} == {
        "ours": 6, "peer": 6, "rust": 4, "whole": 2}
    ours = marks(root, "ours")
    assert (0, "profllm, 1,024 streams: TTFT error, p99 0.0500 ms") in ours
    assert (1, "profllm, 64 streams: CPU time per event 6.00 µs") in ours
    # more is higher, and above all of the less accurate clients lie those of ours
    assert min(ours[key] for key in ours if key[0] == 0) > max(y for (panel, _), y in marks(root, "peer").items()
                                                              if panel == 0)
    cpu = [y for (panel, _), y in sorted(marks(root, "peer").items(), key=lambda one: one[1]) if panel == 1]
    assert cpu == sorted(cpu) and len(set(cpu)) == 3
    for y in ours.values():
        assert 64 <= y <= 338


def test_logarithmic_axis(draw):
    results = {"streams": [{"streams": 4 ** i, "step": "30ms", "profllm": row(10.0 ** i, 10.0 ** i)}
                           for i in range(1, 4)]}
    places = sorted(y for (panel, _), y in marks(draw(results), "ours").items() if panel == 0)
    assert places[1] - places[0] == pytest.approx(places[2] - places[1], abs=0.05)


def test_text_for_screen_readers(draw):
    root = draw(figures())
    assert root.get("role") == "img"
    names = {element.get("id"): element.text for element in root}
    for part in root.get("aria-labelledby").split():
        assert names[part]
    asyncio = "TTFT error, p99 of asyncio: 12.0 ms at 64, 200 ms at 1,024, 1,290 ms at 4,096 streams."
    assert asyncio in names["description"]
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert "TTFT error, p99 (ms)" in texts and "CPU time per event (µs)" in texts
    assert any("vllm-bench failed at 4,096 streams" in text for text in texts)


def test_labels_keep_apart(draw):
    root = draw(figures())
    for group in root.findall(f"{SVG}g"):
        labels = [element for element in group if "label" in element.get("class", "")]
        assert len(labels) == 4
        places = sorted(float(one.get("y")) for one in labels if one.get("text-anchor") != "end")
        assert len(places) >= 2
        assert all(later - earlier >= 14 for earlier, later in zip(places, places[1:]))


@pytest.mark.parametrize("near, above", [(200, True), (390, False)])
def test_a_line_that_ends_early_is_named_at_its_end(draw, near, above):
    """The label is on the side without another line, and to the left, because other lines continue to the right."""
    results = {"streams": [{"streams": 64, "step": "30ms", "profllm": row(1, 5), "vllm bench serve": row(90, 35)},
                           {"streams": 256, "step": "30ms", "profllm": row(near, 5), "vllm bench serve": row(300, 35)},
                           {"streams": 1024, "step": "30ms", "profllm": row(1000, 5)}]}
    group = draw(results).find(f"{SVG}g")
    label = next(one for one in group if one.text == "vllm bench serve")
    mark = [one for one in group if "mark python" in one.get("class", "")][-1]
    assert label.get("text-anchor") == "end"
    assert (float(label.get("y")) < float(mark.get("y"))) is above


def test_both_colour_schemes(draw):
    style = draw(figures()).find(f"{SVG}style").text
    light, dark = style.split("@media (prefers-color-scheme: dark)")
    for part in (light, dark):
        for look in ("ours", "peer", "python", "rust", "whole"):
            assert f".mark.{look}" in part


def test_a_full_core_is_hollow(draw):
    root = draw(figures())
    hollow = [element for element in root.iter() if "full" in element.get("class", "").split()]
    assert len(hollow) == 2 and all("peer" in element.get("class") for element in hollow)


@pytest.mark.parametrize("one", [{}, {"profllm": row(0, None)}, {"profllm": {"failure": "x"}}])
def test_without_figures(draw, one):
    root = draw({"streams": [{"streams": 64, "step": "30ms", **one}]})
    assert [e.text for e in root.iter(f"{SVG}text") if "no figures" in e.text] == [
        "TTFT error, p99: no figures", "CPU time per event: no figures"]


def test_one_size_only(draw):
    root = draw({"streams": [{"streams": 64, "step": "20ms", "profllm": row(0.1, 5)}]})
    assert len(marks(root, "ours")) == 2
