"""Tuning sessions over `profllm mcp`: a scripted client tries changes of a configuration, and keeps those that are proven better.

In virtual time, world_driver plays the runs on the engine of the simulator. The truth is a run without noise."""
import os
import random
import shutil

import pytest
from mcp_tools import Client
from run_tools import base_config, write_config

LONG = bool(os.environ.get("PROFLLM_TEST_LONG"))
CALLS_MAX = 25
METRIC = "results.output_throughput"
CV = 0.03
ROUNDS = (4, 8, 12)  # runs of each configuration


@pytest.fixture(scope="session")
def programs(bin_dir, tmp_path_factory):
    """A directory in which `profllm` is the driver and `real` the program."""
    folder = tmp_path_factory.mktemp("programs").resolve()
    shutil.copy(bin_dir / "profllm", folder / "real")
    shutil.copy(bin_dir.parent / "tests/world_driver", folder / "profllm")
    return folder


def world_of(seed):
    """Returns what is measured, the first configuration, and the changes to try. In every other world none helps."""
    rng = random.Random(seed)
    concurrency = rng.choice([24, 32, 48])
    few = rng.choice([6, 8, 12]) if seed % 2 else concurrency
    world = {"seed": seed, "cv": CV, "concurrency": concurrency, "requests": 3 * concurrency, "input": rng.choice([64, 128, 256]),
             "output": rng.choice([16, 32])}
    server = {"max_num_seqs": few, "max_num_batched_tokens": 8192, "block_size": 16}
    changes = [("max_num_seqs", 2 * few), ("block_size", 32), ("seed", 7), ("max_num_batched_tokens", 16384)]
    rng.shuffle(changes)
    return world, server, changes


class Session:
    """One agent with one root."""

    def __init__(self, client, root, world):
        self.client, self.root, self.world, self.count = client, root, world, 0

    def measure(self, name, server, runs, cv=CV):
        """Measures a configuration until it has so many runs. Returns the side for a comparison."""
        config = {"world": {**self.world, "cv": cv}, "server": server, "sweep": {"server.max_num_seqs": [server["max_num_seqs"]]}}
        write_config(self.root, config, f"{name}.json")
        answer = self.client.call("sweep", file=f"{name}.json", output_dir=name, repeats=runs, resume=(self.root / name).exists())
        combination, = answer["combinations"]
        assert combination["n"] >= runs
        return combination

    def is_better(self, best, candidate, measured):
        """Compares after each round of runs until something is proven, or it would take too long. Returns whether it is better."""
        for runs in ROUNDS:
            sides = []
            for name, server in (best, candidate):
                if measured.get(name, (0, None))[0] < runs:
                    measured[name] = runs, self.measure(name, server, runs)["side"]
                sides.append(measured[name][1])
            answer = self.client.call("compare", sides=sides, metrics=[METRIC], error="1%")
            proof = answer["metrics"][0]["against"][0]
            assert proof["proven"] == (proof["finding"] in ("better", "worse", "equal"))
            if proof["proven"]:
                return proof["finding"] == "better"
            if proof["more_runs_count"] is None or runs + proof["more_runs_count"] > 2 * ROUNDS[-1] or self.client.calls > CALLS_MAX - 3:
                return False
        return False

    def tune(self, server, changes):
        """Returns the steps that were kept, as pairs of configurations."""
        best, measured, kept = ("c0", server), {}, []
        for number, (key, value) in enumerate(changes, 1):
            candidate = (f"c{number}", {**best[1], key: value})
            if self.client.calls > CALLS_MAX - 3:
                break
            if self.is_better(best, candidate, measured):
                kept.append((best[1], candidate[1]))
                best = candidate
        return kept

    def truth(self, server, name):
        """Returns the throughput of a configuration without noise; no call of the agent."""
        calls = self.client.calls
        value, = (metric["value"] for metric in self.measure(name, server, 1, cv=0)["metrics"] if metric["field"] == METRIC)
        self.client.calls = calls
        return value


def play(programs, root, seed):
    """Returns (false improvements, kept improvements, whether there was one to find, calls)."""
    root.mkdir()
    world, server, changes = world_of(seed)
    with Client(programs, "--root", root, "--allow-run", program=programs / "real") as client:
        session = Session(client, root, world)
        kept = session.tune(server, changes)
        calls = client.calls
        false = sum(session.truth(after, f"t{i}b") <= session.truth(before, f"t{i}a") * (1 + 1e-9) for i, (before, after) in enumerate(kept))
        best = {**server, **dict(changes)}
        gain = session.truth(best, "best") / session.truth(server, "first") - 1
    assert calls <= CALLS_MAX
    return false, len(kept), gain > 0.1, calls


@pytest.mark.release_only
def test_sessions_in_virtual_time(programs, tmp_path):
    worlds = range(50) if LONG else range(2)
    played = [play(programs, tmp_path / f"w{seed}", seed) for seed in worlds]
    false = sum(one[0] > 0 for one in played)
    found = [one[1] > 0 for one in played if one[2]]
    print(f"false improvements in {false} of {len(played)} worlds; {sum(found)} of {len(found)} improvements found; "
          f"{max(one[3] for one in played)} calls at most")
    assert false <= 0.05 * len(played)
    assert len(found) >= len(played) // 2 and sum(found) >= 0.9 * len(found)


def measure_steps(client, root, name, steps, repeats=3):
    """Measures a simulator with each step time, or adds runs to what is measured. Returns the comparison of the median TPOT."""
    sides = []
    for side, step in enumerate(steps):
        config = base_config(num_prompts=8, max_concurrency=4)
        config["launch"]["extra_args"] = ["--sim-step", step]
        folder = root / f"{name}-{side}"
        write_config(root, {**config, "sweep": {"server.max_num_seqs": [8]}}, f"{folder.name}.yaml")
        answer = client.call("sweep", file=f"{folder.name}.yaml", output_dir=folder.name, repeats=repeats, resume=folder.exists())
        sides.append(answer["combinations"][0]["side"])
    answer = client.call("compare", sides=sides, metrics=["median_tpot_ms"])
    return answer["metrics"][0]["against"][0], answer["proof"]


def test_a_real_session_proves_an_improvement(bin_dir, tmp_path):
    """Plays against the simulator until the shorter step time is proven to be better, with more runs if those are missing.

    On a busy machine the load generator may limit a run, which no further run of the same sweep makes good: the session starts a second sweep."""
    with Client(bin_dir, "--root", tmp_path, "--allow-run") as client:
        for attempt in range(3):
            for repeats in (3, 6):
                finding, proof = measure_steps(client, tmp_path, f"a{attempt}", ("40ms", "10ms"), repeats)
                assert finding["n"] == repeats and finding["proven"] == (finding["finding"] == "better")
                if finding["proven"]:
                    break
                assert finding["finding"] == "not_proven" and proof.startswith("not proven")
                if "load generator" in finding["sentence"]:
                    break
            if finding["proven"]:
                break
        assert finding["proven"] and finding["high"] < 0.95 and finding["low"] < finding["ratio"] < finding["high"]
        assert 0.15 < finding["ratio"] < 0.6 and proof.startswith("proven: 1 of 1 findings")
        assert client.calls <= CALLS_MAX


@pytest.mark.skipif(not LONG, reason="PROFLLM_TEST_LONG=1")
@pytest.mark.parametrize(("steps", "expected"), [(("10ms", "5ms"), "better"), (("5ms", "5ms"), "equal"), (("5ms", "10ms"), "worse")])
def test_real_sessions(bin_dir, tmp_path, steps, expected):
    """No session proves the contrary of the truth."""
    with Client(bin_dir, "--root", tmp_path, "--allow-run") as client:
        finding, _ = measure_steps(client, tmp_path, "a", steps, 4)
        assert finding["finding"] in (expected, "not_proven")
        if "load generator" not in finding["sentence"] and expected != "equal":
            assert (finding["ratio"] < 0.8) == (expected == "better")
