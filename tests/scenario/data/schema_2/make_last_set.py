#!/usr/bin/python3
"""Write last_set.tar.xz next to this script: files of the last programs that write schema_version 2, with the words that version 3 renames.

Usage: make_last_set.py BIN

The set was made once. Do not make it again with later programs: its purpose is to show that they still open what these wrote.
"""
import json
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from make_set import HERE, Maker, experiment, write

LEAN = {"output": {"requests": False, "series": False}, "telemetry": {"server_metrics": None}}
STATUS = "quality.sample_size.status"


class LastMaker(Maker):
    def make_results(self):
        """A result with its artifacts, one that repeats it on what seems to be another host, and the journal of a killed run."""
        write(self.folder / "completed.yaml", experiment("completed"))
        self.run("run", "-c", "completed.yaml", "-o", "completed.json")
        elsewhere = json.loads((self.folder / "completed.json").read_text())
        elsewhere["environment"]["hostname"] = "elsewhere"
        write(self.folder / "elsewhere.json", elsewhere)
        self.run("run", "-c", "elsewhere.json", "-o", "repeated.json")
        (self.folder / "elsewhere.json").unlink()
        write(self.folder / "killed.yaml", experiment("killed", benchmark={"num_prompts": 400, "random_output_len": 40}, **LEAN))
        process = self.start("run", "-c", "killed.yaml", "-o", "killed.json")
        time.sleep(3)
        process.kill()
        process.communicate()

    def make_sweep(self):
        """A sweep of two runs at the same time."""
        write(self.folder / "sweep.yaml", experiment("swept", sweep={"server.max_num_seqs": [2, 3]}, **LEAN))
        self.run("sweep", "run", "-o", "sweep", "--jobs", 2, "sweep.yaml")

    def make_database(self):
        self.run("import", "--db", "results.db", "completed.json", "repeated.json", "bench.json", "sweep", program="profllm-dashboard")
        dashboard = self.start("serve", "--db", "results.db", "--port", "0", program="profllm-dashboard")
        self.url = dashboard.stdout.readline().split()[-1]
        over = {"and": [{"field": STATUS, "op": "eq", "value": "beyond"}, {"field": "launch.beside", "op": "in", "value": [0, 1]}]}
        passed = {"field": STATUS, "op": "ne", "value": "ok"}
        fields = ["quality.measurement.worst_figure", "system.telemetry.metrics_asked", "stored.near"]
        self.ask("POST", "/api/filters/presets", {
            "name": "over", "filter": over, "columns": ["run.name", *fields], "sort": [{"field": "launch.beside", "dir": "desc"}]})
        queries = [{"filter": {"field": field, "op": "not_null"}, "limit": 0} for field in (*fields, "launch.beside")]
        queries += [{"filter": one, "limit": 0} for one in (over, passed)]
        answers = [self.ask("POST", "/api/filters/apply", query) for query in queries]
        write(self.folder / "answers.json", {
            "queries": [{"query": query, "count": answer["count"]} for query, answer in zip(queries, answers)],
            "values": self.ask("GET", f"/api/filters/values?field={STATUS}"),
            "sweep": self.ask("GET", "/api/data/sweeps")["sweeps"][0]["id"]})
        dashboard.terminate()
        dashboard.communicate()


def main():
    with tempfile.TemporaryDirectory() as folder:
        maker = LastMaker(sys.argv[1], folder)
        maker.make_results()
        maker.make_bench()
        maker.make_sweep()
        maker.make_database()
        with tarfile.open(HERE / "last_set.tar.xz", "w:xz", preset=9) as archive:
            for path in sorted(Path(folder).rglob("*")):
                if path.is_file() and path.name not in ("lock", "results.db-jobs") and ".log" not in path.name:
                    archive.add(path, str(path.relative_to(folder)))


if __name__ == "__main__":
    main()
