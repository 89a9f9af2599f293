#!/usr/bin/python3
"""Draws docs/performance.svg from the figures that `tests/perf/run --json FILE` kept.

    tests/perf/plot.py build/performance.json docs/performance.svg

Two panels, both axes logarithmic: p99 of the TTFT error, and CPU time per event, against streams.
"""

import argparse
import dataclasses
import json
import math
import pathlib
import xml.etree.ElementTree as ET

WIDTH, HEIGHT = 800, 400
TOP, BOTTOM, LEFT, RIGHT = 64, 62, 60, 92  # room around the axes of each panel
PANEL = WIDTH / 2
LABEL_GAP = 15
MARK = 4.5
FULL_SHARE = 0.95  # of its core: from here a client falls behind

# name of the client -> (class, shape); the order is that of drawing
LOOKS = {"vllm bench serve": ("python", "square"), "asyncio": ("peer", "square"), "vllm-bench": ("rust", "triangle"),
         "bare reader": ("bare", "square"), "bench serve": ("whole", "diamond"), "profllm": ("ours", "circle")}

# Each colour has at least 4.5 : 1 against its background.
STYLE = """
.ground { fill: #ffffff } text { font: 12px system-ui, sans-serif; fill: #24292f }
.panel { font-size: 14px; font-weight: 600 } .small { fill: #57606a; font-size: 11px }
.axis { stroke: #57606a; fill: none } .grid { stroke: #d8dee4; fill: none }
.line { fill: none; stroke-width: 2 } .mark { stroke-width: 2 } .label { font-weight: 600 }
.line.ours, .mark.ours { stroke: #0757a6 } .mark.ours, .label.ours { fill: #0757a6 }
.line.peer, .mark.peer { stroke: #b34700 } .mark.peer, .label.peer { fill: #b34700 }
.line.whole, .mark.whole { stroke: #6639ba } .mark.whole, .label.whole { fill: #6639ba }
.line.rust, .mark.rust { stroke: #0a6b4f } .mark.rust, .label.rust { fill: #0a6b4f }
.line.python, .mark.python { stroke: #a8174f } .mark.python, .label.python { fill: #a8174f }
.line.bare, .mark.bare { stroke: #57606a } .line.bare { stroke-dasharray: 5 4 } .mark.bare, .label.bare { fill: #57606a }
.mark.full { fill: #ffffff }
@media (prefers-color-scheme: dark) {
.ground { fill: #0d1117 } text { fill: #e6edf3 } .small { fill: #9aa4af }
.axis { stroke: #9aa4af } .grid { stroke: #2b323b }
.line.ours, .mark.ours { stroke: #6cb6ff } .mark.ours, .label.ours { fill: #6cb6ff }
.line.peer, .mark.peer { stroke: #ff9f5c } .mark.peer, .label.peer { fill: #ff9f5c }
.line.whole, .mark.whole { stroke: #c297ff } .mark.whole, .label.whole { fill: #c297ff }
.line.rust, .mark.rust { stroke: #56d4a4 } .mark.rust, .label.rust { fill: #56d4a4 }
.line.python, .mark.python { stroke: #ff8fb3 } .mark.python, .label.python { fill: #ff8fb3 }
.line.bare, .mark.bare { stroke: #9aa4af } .mark.bare, .label.bare { fill: #9aa4af }
.mark.full { fill: #0d1117 }
}
"""


@dataclasses.dataclass
class Panel:
    key: str
    title: str
    unit: str
    left: float


PANELS = (
    Panel("ttft_error_p99_ms", "TTFT error, p99", "ms", 0),
    Panel("cpu_us_per_event", "CPU time per event", "µs", PANEL),
)


def series_of(results, key):
    """client -> [(streams, value, its core is full)]; a logarithm has no zero, so those are left out."""
    series = {}
    for result in results["streams"]:
        for name in LOOKS:
            row = result.get(name, {})
            value = row.get(key)
            if value is not None and value > 0:
                full = row.get("cpu_share", 0) >= FULL_SHARE
                series.setdefault(name, []).append((result["streams"], value, full))
    return {name: sorted(points) for name, points in series.items()}


def failures_of(results):
    return [f"{name} failed at {result['streams']:,} streams" for result in results["streams"]
            for name in LOOKS if "failure" in result.get(name, {})]


def plain(value):
    """Three figures, no exponent: 0.021, 4.07, 1,290."""
    digits = max(0, 2 - math.floor(math.log10(value)))
    return f"{value:,.{digits}f}"


def tick_text(value):
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


class Scale:
    """A logarithm of values to places."""

    def __init__(self, low, high, from_place, to_place):
        self.low, self.span = math.log(low), math.log(high) - math.log(low)
        self.from_place, self.to_place = from_place, to_place

    def __call__(self, value):
        part = (math.log(value) - self.low) / self.span if self.span else 0.5
        return round(self.from_place + part * (self.to_place - self.from_place), 2)


def value_ticks(values):
    """Decades; 1, 2 and 5 of each where there are few. The outermost hold all values."""
    low, high = math.floor(math.log10(0.9 * min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)
    steps = (1, 2, 5) if high - low <= 2 else (1,)
    ticks = [step * 10.0**power for power in range(low, high) for step in steps] + [10.0**high]
    # the lowest mark is above the axis
    first = max((i for i, tick in enumerate(ticks) if tick <= 0.9 * min(values)), default=0)
    last = min(i for i, tick in enumerate(ticks) if tick >= max(values))
    return ticks[first:max(last, first + 1) + 1]


def add(parent, tag, text=None, **attributes):
    element = ET.SubElement(parent, tag, {name.rstrip("_").replace("_", "-"): str(value)
                                          for name, value in attributes.items()})
    element.text = text
    return element


def draw_mark(parent, look, shape, x, y, text):
    if shape == "circle":
        mark = add(parent, "circle", cx=x, cy=y, r=MARK, class_=f"mark {look}")
    elif shape == "square":
        mark = add(parent, "rect", x=x - MARK + 0.5, y=y - MARK + 0.5, width=2 * MARK - 1, height=2 * MARK - 1,
                   class_=f"mark {look}")
    else:
        outline = f"l{MARK + 1:g},{2 * MARK:g} h{-2 * MARK - 2:g}" if shape == "triangle" else \
            f"l{MARK:g},{MARK + 1:g} l{-MARK:g},{MARK + 1:g} l{-MARK:g},{-MARK - 1:g}"
        mark = add(parent, "path", d=f"M{x:g},{y - MARK - 1:g} {outline} z", class_=f"mark {look}")
    add(mark, "title", text)


def spread(places):
    """Moves overlapping labels apart; returns {name: position}."""
    moved, before = {}, -math.inf
    for name, place in sorted(places.items(), key=lambda one: one[1]):
        before = max(place, before + LABEL_GAP)
        moved[name] = before
    return moved


def label_place(series, name, ys):
    """For a line that ends before the others: above its last mark, or below where another line is."""
    at, value, _ = series[name][-1]
    place = ys(value)
    others = [ys(y) for other, points in series.items() if other != name for x, y, _ in points if x == at]
    is_free = all(not place - 2.5 * LABEL_GAP < other <= place for other in others)
    return place - LABEL_GAP + 3 if is_free else place + LABEL_GAP + 6


def draw_axes(group, panel, xs, ys, x_ticks, y_ticks):
    left, right = panel.left + LEFT, panel.left + PANEL - RIGHT
    for tick in y_ticks:
        add(group, "path", d=f"M{left},{ys(tick)} H{right}", class_="grid")
        add(group, "text", tick_text(tick), x=left - 8, y=ys(tick) + 4, text_anchor="end")
    base = HEIGHT - BOTTOM
    add(group, "path", d=f"M{left},{TOP} V{base} H{right}", class_="axis")
    for tick in x_ticks:
        add(group, "path", d=f"M{xs(tick)},{base} v4", class_="axis")
        add(group, "text", f"{tick:,}", x=xs(tick), y=base + 18, text_anchor="middle")
    add(group, "text", f"{panel.title} ({panel.unit})", x=left - LEFT + 14, y=TOP - 18, class_="panel")
    add(group, "text", "streams at once", x=(left + right) / 2, y=base + 36, text_anchor="middle", class_="small")


def draw_panel(root, panel, series, streams):
    group = add(root, "g", role="group", aria_label=panel.title)
    values = [value for points in series.values() for _, value, _ in points]
    if not values:
        add(group, "text", f"{panel.title}: no figures", x=panel.left + LEFT, y=HEIGHT / 2)
        return
    y_ticks = value_ticks(values)
    inner = 10  # the outermost marks keep a distance from the axis and the labels
    xs = Scale(streams[0], streams[-1], panel.left + LEFT + inner, panel.left + PANEL - RIGHT - inner)
    ys = Scale(y_ticks[0], y_ticks[-1], HEIGHT - BOTTOM, TOP)
    draw_axes(group, panel, xs, ys, streams, y_ticks)
    labels = spread({name: ys(points[-1][1]) for name, points in series.items() if points[-1][0] == streams[-1]})
    for name, points in series.items():
        look, shape = LOOKS[name]
        line = " L".join(f"{xs(x):g},{ys(y):g}" for x, y, _ in points)
        add(group, "path", d=f"M{line}", class_=f"line {look}")
        for x, y, full in points:
            draw_mark(group, f"{look} full" if full else look, shape, xs(x), ys(y),
                      f"{name}, {x:,} streams: {panel.title} {plain(y)} {panel.unit}")
        if name in labels:
            add(group, "text", name, x=xs(points[-1][0]) + 10, y=labels[name] + 4, class_=f"label {look}")
        else:
            add(group, "text", name, x=xs(points[-1][0]) + MARK, y=label_place(series, name, ys), text_anchor="end",
                class_=f"label {look}")


def describe(all_series):
    sentences = []
    for panel, series in zip(PANELS, all_series):
        for name, points in series.items():
            figures = ", ".join(f"{plain(y)} {panel.unit} at {x:,}" for x, y, _ in points)
            sentences.append(f"{panel.title} of {name}: {figures} streams.")
    return " ".join(sentences)


def draw(results):
    """The whole picture as text."""
    root = ET.Element("svg", {
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {WIDTH} {HEIGHT}", "width": str(WIDTH),
        "height": str(HEIGHT), "role": "img", "aria-labelledby": "title description"})
    all_series = [series_of(results, panel.key) for panel in PANELS]
    streams = sorted({result["streams"] for result in results["streams"]})
    add(root, "title", "Accuracy and cost of load generators against streams", id="title")
    add(root, "desc", describe(all_series), id="description")
    add(root, "style", STYLE)
    add(root, "rect", width=WIDTH, height=HEIGHT, class_="ground")
    steps = sorted({result["step"].replace("ms", " ms") for result in results["streams"]})
    add(root, "text", f"One core for the client; an event every {' or '.join(steps)} of each stream; "
        "both axes logarithmic, less is better", x=14, y=24, class_="small")
    for panel, series in zip(PANELS, all_series):
        draw_panel(root, panel, series, streams)
    notes = failures_of(results)
    if any(full for series in all_series for points in series.values() for _, _, full in points):
        notes.insert(0, "hollow: its core is full, it falls behind and reads several events at once")
    if notes:
        add(root, "text", "; ".join(notes), x=14, y=HEIGHT - 8, class_="small")
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("figures", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path)
    args = parser.parse_args()
    results = json.loads(args.figures.read_text(encoding="utf-8"))
    args.picture.write_text(draw(results), encoding="utf-8")


if __name__ == "__main__":
    main()
