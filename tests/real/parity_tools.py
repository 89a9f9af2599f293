"""Plays one command line with vLLM's client and with ours, each against its own recording server, and lists the
differences. This file names all allowed differences."""
import json
import math
import re
import subprocess
import threading
from pathlib import Path

from run_tools import read_zst_lines

REAL = Path(__file__).resolve().parent
ID_PREFIX = "p-"
CASE_S = 300

# values that belong to the HTTP library, not to the experiment: docs/from-vllm-bench.md "Different"
OWN_VALUES = ("accept-encoding", "user-agent")
# by the clock: the same only by chance
TIMED = {"date", "duration", "request_throughput", "request_goodput", "output_throughput",
         "total_token_throughput", "max_output_tokens_per_s", "max_concurrent_requests", "rtfx",
         "probe_completed", "probe_median_e2el_ms", "probe_p99_e2el_ms", "probe_max_e2el_ms"}
TIMED_LISTS = {"ttfts", "itls", "latencies", "start_times", "queue_times"}
# asked for the lengths, or to know the server: not a part of the load
ASIDE = ("/tokenize", "/detokenize", "/tokenizer_info", "/version", "/health")


class Lines:
    """A program that answers JSON lines with JSON lines."""

    def __init__(self, words, env, log):
        self.log = log
        with open(log, "wb") as out:
            self.process = subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=out, text=True, env=env)
        assert self.read() == {"ready": True}

    def write(self, value):
        self.process.stdin.write(json.dumps(value) + "\n")
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline()
        assert line, f"ended: {Path(self.log).read_text()[-2000:]}"
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


class Recorder(Lines):
    """Recording servers, one for each program that is played."""

    def __init__(self, python, model, env, log):
        super().__init__([python, REAL / "recording_server.py", model], env, log)
        self.lock = threading.Lock()

    def ask(self, order):
        with self.lock:
            self.write(order)
            return self.read()

    def open(self, options):
        return self.ask({"open": options})["port"]

    def stop(self, port):
        return self.ask({"close": port})["got"]


class Cases(Lines):
    """vLLM's command lines; many at once, each waited for by its number."""

    def __init__(self, python, env, log):
        super().__init__([python, REAL / "vllm_cases.py"], env, log)
        self.last, self.ended, self.change = 0, {}, threading.Condition()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            answer = json.loads(line)
            with self.change:
                self.ended[answer["id"]] = answer["rc"]
                self.change.notify_all()

    def run(self, argv, folder, env, **more):
        with self.change:
            self.last += 1
            number = self.last
            self.write({"id": number, "argv": argv, "env": env, "cwd": str(folder),
                        "out": str(folder / "out.txt"), "err": str(folder / "err.txt"), **more})
            assert self.change.wait_for(lambda: number in self.ended, CASE_S), argv
            return self.ended.pop(number)


class Side:
    """The outcome of one command line with one program."""

    def __init__(self, rc, folder, got):
        self.rc, self.folder, self.got = rc, folder, got
        self.out = (folder / "out.txt").read_text()
        self.err = (folder / "err.txt").read_text()

    def flat(self):
        """[(file name, its objects)]"""
        return [(str(path.relative_to(self.folder)), [json.loads(line) for line in
                                                      path.read_text().split("\n")])
                for path in sorted(self.folder.rglob("*.json"))]

    def measured(self):
        """In the order of their numbers; those without one (prefix_repetition) as they came."""
        found = [got for got in self.got if number_of(got) is not None]
        return sorted(found, key=number_of)

    def others(self):
        """Returns the other posted requests, in order of arrival: a client may send some."""
        return [got for got in self.got if number_of(got) is None and got["path"] not in ASIDE
                and got["first"].startswith("POST")]

    def table(self):
        lines = self.out.splitlines()
        starts = [i for i, line in enumerate(lines) if line.startswith("Failed requests during")] or [
            i for i, line in enumerate(lines) if "Serving Benchmark Result" in line]
        if not starts:
            return []
        end = next(i for i, line in enumerate(lines) if line == "=" * 50)
        return without_ours([line for line in lines[starts[0]:end + 1] if not line.startswith("tip: ")])


def without_ours(rows):
    """Leaves out the rows that only ours has: docs/from-vllm-bench.md. Some appear only on a busy host."""
    kept, is_planned = [], False
    for row in rows:
        if row.startswith(("---", "===")):
            is_planned = "Planned Time to First Token" in row
        if not is_planned and not row.startswith("Peak requests in flight:"):
            kept.append(row)
    return kept


def number_of(got):
    for line in got["lines"]:
        if line.lower().startswith("x-request-id: " + ID_PREFIX):
            return int(line.rsplit("-", 1)[1])
    return None


class Player:
    def __init__(self, bin_dir, vllm, folder):
        self.bin_dir, self.folder, self.model = bin_dir, folder, vllm.model
        python = Path(vllm.program).parent / "python"
        nice = {**vllm.env, "TOKENIZERS_PARALLELISM": "false", "PYTHONWARNINGS": "ignore"}
        nice.pop("OPENAI_API_KEY", None)
        self.env = nice
        self.recorder = Recorder(python, vllm.model, nice, folder / "recorder.log")
        self.cases = Cases(python, nice, folder / "cases.log")

    def close(self):
        self.cases.close()
        self.recorder.close()

    def options(self, server):
        return {"model": "served", "root": self.model, **server}

    def theirs(self, name, words, server=None, env=None):
        folder = self.folder / name / "theirs"
        folder.mkdir(parents=True, exist_ok=True)
        port = self.recorder.open(self.options(server or {}))
        rc = self.cases.run(["bench", "serve", *self.full(words, port)], folder, env or {})
        return Side(rc, folder, masked(self.recorder.stop(port), port))

    def ours(self, name, words, server=None, env=None):
        folder = self.folder / name / "ours"
        folder.mkdir(parents=True, exist_ok=True)
        port = self.recorder.open(self.options(server or {}))
        with open(folder / "out.txt", "wb") as out, open(folder / "err.txt", "wb") as err:
            done = subprocess.run([str(self.bin_dir / "profllm"), "bench", "serve",
                                   *self.full(words, port)], cwd=folder, stdout=out, stderr=err,
                                  env={**self.env, **(env or {})}, timeout=CASE_S, check=False)
        return Side(done.returncode, folder, masked(self.recorder.stop(port), port))

    def planned(self, name, words):
        """Seconds after the start of sending: (vLLM's, ours)."""
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        port = self.recorder.open(self.options({}))
        rc = self.cases.run(["bench", "serve", *self.full(words, port)], folder, {},
                            planned=str(folder / "planned.txt"))
        assert rc == 0, (folder / "err.txt").read_text()
        self.recorder.stop(port)
        dry = self.ours(name + "-dry", [*words, "--dry-run", "--json"])
        first_s = json.loads(dry.out)["plan"]["first_send_s"]
        ours = self.ours(name, [*words, "--output", "r.json"])
        assert ours.rc == 0, ours.err
        planned_ns = [record["planned_ns"]
                      for record in read_zst_lines(ours.folder / "r.requests.jsonl.zst")]
        return (json.loads((folder / "planned.txt").read_text()),
                [first_s + (at_ns - planned_ns[0]) / 1e9 for at_ns in planned_ns])

    def both(self, name, words, server=None, env=None):
        return self.theirs(name, words, server, env), self.ours(name, words, server, env)

    def full(self, words, port):
        words = [str(word).replace("MODEL", self.model) for word in words]
        return [word.replace("PORT", str(port)) for word in words]


def masked(got, port):
    for request in got:
        request["lines"] = [line.replace(f":{port}", ":PORT") for line in request["lines"]]
    return got


# Comparisons: each gives lines that say what differs; none when nothing does.

def head_of(got):
    lines = []
    for line in got["lines"]:
        name, value = line.split(": ", 1) if ": " in line else (line, "")
        lines.append(f"{name}: *" if name.lower() in OWN_VALUES else line)
    return [got["first"], *lines]


def shown(value, room=300):
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= room else text[:room] + f"… ({len(text)})"


def differing(what, theirs, ours):
    if theirs == ours:
        return []
    if isinstance(theirs, str) and isinstance(ours, str):
        at = next((i for i, (a, b) in enumerate(zip(theirs, ours)) if a != b),
                  min(len(theirs), len(ours)))
        low = max(0, at - 60)
        return [f"{what}: at {at}\n    theirs {shown(theirs[low:])}\n    ours   {shown(ours[low:])}"]
    return [f"{what}:\n    theirs {shown(theirs)}\n    ours   {shown(ours)}"]


def pairwise(what, theirs, ours, compare):
    found = differing(f"number of {what}", len(theirs), len(ours))
    for i, (one, other) in enumerate(zip(theirs, ours)):
        found += compare(f"{what} {i}", one, other)
        if len(found) > 4:
            return [*found, "…"]
    return found


def compare_request(what, theirs, ours):
    return (differing(f"{what}, head", head_of(theirs), head_of(ours))
            + differing(f"{what}, body", theirs["body"], ours["body"]))


def compare_requests(theirs, ours, others=True):
    found = pairwise("request", theirs.measured(), ours.measured(), compare_request)
    if others:
        found += pairwise("request beside", theirs.others(), ours.others(), compare_request)
    return found


def type_of(value):
    return "number" if isinstance(value, float) else type(value).__name__


def compare_flat_value(key, theirs, ours):
    if (ours is None and theirs == 0) or (ours == "inf" and theirs == math.inf):
        # a figure that does not exist; what JSON cannot hold
        return []
    found = differing(f"type of {key}", type_of(theirs), type_of(ours))
    if key in TIMED_LISTS:
        found += differing(f"length of {key}", len(theirs), len(ours))
        if key in ("ttfts", "itls", "latencies"):
            found += differing(f"zeros of {key}", [not x for x in theirs], [not x for x in ours])
        if key == "itls":
            found += differing("lengths of itls", [*map(len, theirs)], [*map(len, ours)])
    elif key == "errors":
        found += differing("requests without an error", [i for i, x in enumerate(theirs) if x and not ours[i]],
                           [])
    elif key == "rps_change_events":
        found += differing(key, [list(x.items())[:1] for x in theirs], [list(x.items())[:1] for x in ours])
    elif key not in TIMED and not key.endswith("_ms"):
        found += differing(key, theirs, ours)
    return found


def compare_flat_object(what, theirs, ours):
    found = differing(f"{what}, keys", [*theirs, "profllm"], list(ours))
    for key in theirs:
        if key in ours:
            found += [f"{what}, {line}" for line in compare_flat_value(key, theirs[key], ours[key])]
    return found


def name_form(name):
    return re.sub(r"\d{8}-\d{6}", "DATE", name)


def compare_flat(theirs, ours):
    found = differing("files", [name_form(name) for name, _ in theirs.flat()],
                      [name_form(name) for name, _ in ours.flat()])
    for (name, one), (_, other) in zip(theirs.flat(), ours.flat()):
        found += pairwise(f"object of {name_form(name)}", one, other, compare_flat_object)
    return found


def row_form(line):
    """The row with its measured number taken out; its width stays."""
    value = line[41:]
    if line.startswith("Probe requests completed:"):
        return line[:41] + "#"
    if re.match(r"Error \d+: ", line):
        return line.split(": ")[0]
    if len(line) >= 51 and re.fullmatch(r"-?\d+\.\d\d *", value):
        number = value.rstrip()
        return line[:41] + ("#" if value == f"{number:<10}" else f"# of width {len(value)}")
    return line


def compare_row(what, theirs, ours):
    if ours[41:].strip() == "n/a" and theirs[41:].strip() in ("0.00", "0"):
        # a figure that does not exist
        theirs = theirs[:41] + f"{'n/a':<10}"
    return differing(what, row_form(theirs), row_form(ours))


def compare_table(theirs, ours):
    return pairwise("row", theirs.table(), ours.table(), compare_row)


def exit_of(theirs):
    """Ours, for vLLM's: we say it when more than --max-error-share of the requests fail."""
    failed = [one for _, objects in theirs.flat() for one in objects if one["failed"]]
    return 1 if theirs.rc == 0 and failed else theirs.rc


def compare_all(theirs, ours, others=True):
    return (differing("exit status", exit_of(theirs), ours.rc)
            + compare_requests(theirs, ours, others)
            + compare_flat(theirs, ours) + compare_table(theirs, ours))
