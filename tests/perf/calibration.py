#!/usr/bin/python3
"""Checks whether a result's own error bounds and verdict are correct.

Plays seeded runs of `profllm run` against the simulator, whose log is the truth, and disturbs the client meanwhile:
processes on its core, stops, a limit of processor time, dirtied memory, a slow disk. Server and client each have a
core. Prints in Markdown how many metrics are within their bounds, and how often each verdict was correct;
docs/reference/quality.md explains the lines. Run it alone on the machine.

Further parts: undisturbed runs; runs that are certainly held down; the simulator's faults, none of which the client
causes. --json keeps everything of each run; --show FILE prints the table of such a file, --replay NAME repeats one run.


"""

import argparse
import json
import os
import pathlib
import sys
import time
import types

import calibration_table
import disturbances
import harness
import plays

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

import scratch  # noqa: E402

# A held-down run is played up to so many times as often as it is wanted, for some loads bear it.
HELD_TRIES = 3
# The runs so far are written to --json after each group of this size.
KEEP_EACH = 50


def say(text):
    print(text, file=sys.stderr, flush=True)


class Session:
    """The runs so far, those that could not be played, and where they are played."""

    def __init__(self, args):
        server, client = harness.cores()
        self.seed = args.seed
        self.place = types.SimpleNamespace(binary=args.binary, simulator=args.simulator, slow_disk=args.slow_disk,
                                           cores={"server": server, "client": client})
        self.runs, self.failures, self.skipped = [], [], {}
        self.not_here = disturbances.not_here(args.slow_disk)
        # the client's core is the client's
        os.sched_setaffinity(0, {server})

    def play(self, part, run, keep=None):
        """The run, played; None where it is skipped or failed."""
        kind = run["kind"]
        if kind in self.not_here:
            self.skipped[kind] = self.skipped.get(kind, 0) + 1
            return None
        start = time.monotonic()
        try:
            done = {"part": part, **plays.play_kept(self.place, run, keep)}
        except (plays.Failed, OSError) as failure:
            say(f"{run['name']} {kind} {run['fault']}: FAILED: {failure}")
            self.failures.append({**run, "part": part, "failure": str(failure)})
            return None
        self.runs.append(done)
        worst = calibration_table.largest_error(done)
        say(f"{run['name']} {kind} {run['fault']} {run['streams']} streams {run['loop']}: {done['verdict']} "
            f"{' '.join(done['counting'])} worst error {worst[0]:.2%} of {worst[1]}, outside "
            f"{len(calibration_table.outside(done))}, rate {done['offered']['rate_ratio']}, "
            f"{time.monotonic() - start:.1f} s")
        return done

    def keep(self, path):
        """Everything so far, whole at each moment: a thousand runs are more than an hour."""
        if path:
            temporary = path.with_name(path.name + ".new")
            temporary.write_text(json.dumps(self.saved(), indent=1) + "\n", encoding="utf-8")
            temporary.replace(path)

    def saved(self):
        return {"seed": self.seed, "runs": self.runs, "failures": self.failures, "skipped": self.skipped,
                "not_here": self.not_here}


def draw(name, seed):
    """A run by its name, PART-N or PART-KIND-N as the lines of progress have it."""
    part, _, number = name.partition("-")
    if part == "random" and number.isdigit():
        return part, plays.draw_run(name, seed)
    if part == "calm" and number.isdigit():
        return part, plays.draw_run(name, seed, kind="none", fault="")
    which, _, number = number.rpartition("-")
    if part == "fault" and which in plays.FAULTS and number.isdigit():
        return part, plays.draw_run(name, seed, kind="none", fault=which)
    if part == "held" and which in disturbances.HOLDING and number.isdigit():
        kind, words = disturbances.HOLDING[which]
        return part, {**plays.draw_run(name, seed, kind=kind, fault=""), "words": words, "held": which}
    sys.exit(f"no run is called '{name}': random-N, calm-N, fault-FAULT-N or held-KIND-N")


def play_held(session, wanted):
    """Plays runs of each kind until the truth shows `wanted` of them held down."""
    for which in disturbances.HOLDING:
        held = 0
        for number in range(HELD_TRIES * wanted):
            if held == wanted or disturbances.HOLDING[which][0] in session.not_here:
                break
            done = session.play(*draw(f"held-{which}-{number}", session.seed))
            held += done is not None and calibration_table.is_held_down(done)


def play_all(session, args):
    for number in range(args.undisturbed):
        session.play(*draw(f"calm-{number}", session.seed))
    for number in range(args.first, args.first + args.runs):
        session.play(*draw(f"random-{number}", session.seed))
        if number % KEEP_EACH == 0:
            session.keep(args.json)
    for fault in plays.FAULTS:
        for number in range(args.faults):
            session.play(*draw(f"fault-{fault}-{number}", session.seed))
    play_held(session, args.held)


def replay(session, args):
    name = f"random-{args.replay}" if args.replay.isdigit() else args.replay
    run = session.play(*draw(name, args.seed), args.keep.absolute() if args.keep else None)
    if run is None:
        sys.exit("it was not played: " + (session.failures[0]["failure"] if session.failures else str(session.not_here)))
    calibration_table.show_run(run)


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=pathlib.Path, default=pathlib.Path("build/bin/profllm"))
    parser.add_argument("--simulator", type=pathlib.Path, help="default: beside the binary")
    parser.add_argument("--slow-disk", type=pathlib.Path, help="default: BUILD/tests/slow_disk.so of the binary")
    parser.add_argument("--runs", type=int, default=150, help="with disturbances and faults drawn")
    parser.add_argument("--first", type=int, default=0, metavar="N",
                        help="of the drawn runs, to go on with a pass that was ended: --show takes several files")
    parser.add_argument("--undisturbed", type=int, default=10)
    parser.add_argument("--faults", type=int, default=2, help="undisturbed runs of each of the simulator's faults")
    parser.add_argument("--held", type=int, default=20, help="runs that are held down, of each kind")
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--json", type=pathlib.Path, help="keeps everything of each run")
    parser.add_argument("--show", type=pathlib.Path, metavar="FILE", nargs="+",
                        help="only the table of what --json kept, of all these files together")
    parser.add_argument("--replay", metavar="NAME", help="only this run (N: random-N)")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="with --replay: where its files stay")
    args = parser.parse_args()
    args.binary = args.binary.resolve()
    args.simulator = args.simulator or args.binary.with_name("profllm-sim")
    args.slow_disk = (args.slow_disk or args.binary.parents[1] / "tests" / "slow_disk.so").resolve()
    return args


def read_saved(paths):
    """A run that is in several of them counts once."""
    whole, *others = (json.loads(path.read_text(encoding="utf-8")) for path in paths)
    for other in others:
        names = {run["name"] for run in whole["runs"]}
        whole["runs"] += [run for run in other["runs"] if run["name"] not in names]
        whole["failures"] += other["failures"]
        for kind, count in other["skipped"].items():
            whole["skipped"][kind] = whole["skipped"].get(kind, 0) + count
    return whole


def main():
    args = read_arguments()
    if args.show:
        calibration_table.show(read_saved(args.show))
        return
    scratch.start()
    session = Session(args)
    if args.replay:
        with harness.awake(session.place.cores.values()):
            replay(session, args)
        return
    try:
        with harness.awake(session.place.cores.values()):
            play_all(session, args)
    finally:
        session.keep(args.json)
    calibration_table.show(session.saved())
    sys.exit(1 if session.failures else 0)


if __name__ == "__main__":
    main()
