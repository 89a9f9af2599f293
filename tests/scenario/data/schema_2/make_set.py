#!/usr/bin/python3
"""Write set.tar.xz, a set of files of schema_version 2, next to this script with the programs of a build.

Usage: make_set.py BIN

The set was made once, by the last programs that write this schema_version. Do not make it again with later programs: its purpose is
to show that they still open what these wrote.
"""
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOAD = {"backend": "openai", "dataset_name": "random", "random_input_len": 32, "random_output_len": 8, "num_prompts": 12, "max_concurrency": 4}


def experiment(name, **more):
    base = {"suite": "kept", "name": name, "tags": {"team": "words", "ticket": "K-1"},
            "server": {"model": "sim/test", "max_model_len": 2048},
            "launch": {"command": ["profllm-sim", "serve"], "extra_args": ["--sim-step", "2ms"], "gpus": []},
            "benchmark": dict(LOAD)}
    for section, keys in more.items():
        base[section] = {**base.get(section, {}), **keys} if isinstance(keys, dict) else keys
    return base


def write(path, value):
    path.write_text(json.dumps(value, indent=2) + "\n")
    return path


class Maker:
    def __init__(self, bin_dir, folder):
        self.bin, self.folder = Path(bin_dir).resolve(), Path(folder)
        self.env = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"}

    def run(self, *args, program="profllm", expected=(0,)):
        done = subprocess.run([self.bin / program, *map(str, args)], cwd=self.folder, env=self.env, capture_output=True, text=True)
        assert done.returncode in expected, (args, done.returncode, done.stderr)
        return done.stdout

    def start(self, *args, program="profllm"):
        return subprocess.Popen([self.bin / program, *map(str, args)], cwd=self.folder, env=self.env, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True)

    def make_results(self):
        """Results of run, one per status, and the journal of a run that was killed."""
        lean = {"output": {"requests": False, "series": False}, "telemetry": {"server_metrics": None}}
        write(self.folder / "completed.yaml", experiment("completed"))
        write(self.folder / "failed.yaml", experiment("failed", launch={"extra_args": ["--sim-fail-start", "out_of_memory"]}, **lean))
        write(self.folder / "lean.yaml", experiment("lean", launch={"extra_args": ["--sim-step", "2ms"]}, **lean))
        write(self.folder / "killed.yaml", experiment("killed", benchmark={"num_prompts": 400, "random_output_len": 40}, **lean))
        self.run("run", "-c", "completed.yaml", "-o", "completed.json")
        self.run("run", "-c", "lean.yaml", "-o", "lean.json")
        self.run("run", "-c", "failed.yaml", "-o", "failed.json", expected=(1, 3))
        for output, number in (("interrupted.json", signal.SIGINT), ("killed.json", signal.SIGKILL)):
            process = self.start("run", "-c", "killed.yaml", "-o", output)
            time.sleep(2)
            process.send_signal(number)
            process.communicate()

    def make_bench(self):
        server = self.start("serve", "sim/test", "--host", "127.0.0.1", "--port", "0", program="profllm-sim")
        for line in server.stdout:
            if found := re.search(r"on http://127\.0\.0\.1:(\d+)", line):
                port = found.group(1)
            if "startup complete" in line:
                break
        self.run("bench", "serve", "--model", "sim/test", "--port", port, "--dataset-name", "random", "--random-input-len", 32,
                 "--random-output-len", 8, "--num-prompts", 12, "--save-result", "--result-filename", "bench.json")
        server.terminate()
        server.communicate()

    def make_sweep(self):
        """A sweep that was stopped by SIGINT after its first results, so that --resume has runs to do."""
        write(self.folder / "sweep.yaml", experiment(
            "swept", output={"requests": False, "series": False}, telemetry={"server_metrics": None},
            benchmark={"num_prompts": 60, "random_output_len": 100}, sweep={"server.max_num_seqs": [2, 3], "benchmark.max_concurrency": [1, 2]}))
        process = self.start("sweep", "run", "-o", "sweep", "sweep.yaml")
        until = time.monotonic() + 60
        while time.monotonic() < until and len(list((self.folder / "sweep").glob("cells/*.json"))) < 2:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate()

    def make_database(self):
        """Packed results, one of them deleted, with presets, views and what queries answer."""
        documents = []
        base = json.loads((self.folder / "lean.json").read_text())
        for number in range(12):
            document = json.loads(json.dumps(base))
            document["run_id"] = f"exp_20260101_000000_{number:06x}"
            document["name"] = f"copy-{number}"
            document["results"]["p99_ttft_ms"] = 100.5 + number
            documents.append(document)
        write(self.folder / "batch.json", documents)
        self.run("import", "--db", "results.db", "completed.json", "failed.json", "interrupted.json", "bench.json", "sweep",
                 program="profllm-dashboard")
        # by another process: it packs them with the dictionary that the first import made
        self.run("import", "--db", "results.db", "batch.json", program="profllm-dashboard")
        (self.folder / "batch.json").unlink()
        dashboard = self.start("serve", "--db", "results.db", "--port", "0", program="profllm-dashboard")
        self.url = dashboard.stdout.readline().split()[-1]
        ids = [row["id"] for row in self.ask("POST", "/api/filters/apply", {"limit": 200})["rows"]]
        self.ask("DELETE", f"/api/data/experiments/{max(ids)}")
        trusted = {"and": [{"field": "run.suite", "op": "eq", "value": "kept"}, {"field": "run.status", "op": "in", "value": ["completed"]}]}
        for preset in (
                {"name": "Kept", "description": "completed runs", "filter": trusted, "columns": ["run.name", "results.p99_ttft_ms"],
                 "sort": [{"field": "results.p99_ttft_ms", "dir": "desc"}], "is_default": True,
                 "chart": {"drawn": "chart=bar&x=run.name&y=results.p99_ttft_ms&colour=run.status", "only_differing": True, "pinned": 1}},
                {"name": "all", "filter": None}):
            self.ask("POST", "/api/filters/presets", preset)
        links = (HERE / "links.txt").read_text().splitlines()
        views = [self.ask("POST", "/api/views", {"state": link.split("?", 1)[1]}) for link in links if link.startswith("/?")]
        queries = [{"limit": 200, "sort": [{"field": "run.run_id", "dir": "asc"}]},
                   {"filter": trusted, "limit": 200, "columns": ["run.name", "run.status"], "sort": [{"field": "results.p99_ttft_ms", "dir": "desc"}]},
                   {"filter": {"not": {"field": "benchmark.backend", "op": "eq", "value": "openai"}}, "limit": 200},
                   {"filter": {"field": "quality.verdict", "op": "not_null"}, "limit": 0, "facets": ["run.status"]}]
        answers = [self.ask("POST", "/api/filters/apply", query) for query in queries]
        write(self.folder / "answers.json", {
            "presets": self.ask("GET", "/api/filters/presets")["presets"],
            "views": [self.ask("GET", f"/api/views/{view['id']}") for view in views],
            "queries": [{"query": query, "count": answer["count"], "ids": [row["id"] for row in answer["rows"]]}
                        for query, answer in zip(queries, answers)],
            "sweeps": self.ask("GET", "/api/data/sweeps")["sweeps"],
            "deleted": max(ids)})
        dashboard.terminate()
        dashboard.communicate()

    def ask(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, None if body is None else json.dumps(body).encode(),
                                         {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request) as reply:
            text = reply.read()
        return json.loads(text) if text else None


def main():
    with tempfile.TemporaryDirectory() as folder:
        maker = Maker(sys.argv[1], folder)
        maker.make_results()
        maker.make_bench()
        maker.make_sweep()
        maker.make_database()
        with tarfile.open(HERE / "set.tar.xz", "w:xz", preset=9) as archive:
            for path in sorted(Path(folder).rglob("*")):
                if path.is_file() and path.name not in ("lock", "results.db-jobs"):
                    archive.add(path, str(path.relative_to(folder)))



if __name__ == "__main__":
    main()
