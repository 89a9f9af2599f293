#!/usr/bin/env python3
"""`make test-gpu`: checks ProfLLM on a host with an NVIDIA GPU, its driver and a Python with torch; needs nothing else.

    gpu_checks.py [--bin FOLDER] [--python PYTHON] [--pretend LIBRARY] [--keep FOLDER]

Each check prints one line: passed, FAILED or NOT CHECKED, with its numbers or the reason. The exit status is 0 only if none failed.
--pretend uses the fake NVML on a host without a GPU: what only a GPU can show is listed as not checked.
"""
import argparse
import contextlib
import csv
import ctypes
import ctypes.util
import gzip
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SMI = ["index", "uuid", "memory.used", "utilization.gpu", "power.draw", "clocks.sm", "clocks.mem", "clocks_throttle_reasons.active"]
MIB = 1 << 20
RUN_S = 150
# the bits of the driver that ProfLLM reports as each of its own (docs/reference/telemetry.md)
THROTTLE = {1: 0x4, 2: 0x20 | 0x40, 4: 0x80, 16: 0x1}


class NotCheckedError(Exception):
    pass


class Zst:
    """Decompresses with the library that profllm itself needs."""

    class Buffer(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t), ("at", ctypes.c_size_t)]

    @classmethod
    def lines(cls, path):
        lib = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
        lib.ZSTD_createDStream.restype = ctypes.c_void_p
        lib.ZSTD_decompressStream.restype = ctypes.c_size_t
        stream, data, out = ctypes.c_void_p(lib.ZSTD_createDStream()), path.read_bytes(), []
        source = cls.Buffer(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data), 0)
        room = ctypes.create_string_buffer(1 << 20)
        while source.at < source.size:
            target = cls.Buffer(ctypes.cast(room, ctypes.c_void_p), len(room), 0)
            code = lib.ZSTD_decompressStream(stream, ctypes.byref(target), ctypes.byref(source))
            assert not lib.ZSTD_isError(ctypes.c_size_t(code)), f"{path} is malformed"
            out.append(room.raw[:target.at])
        return [json.loads(line) for line in b"".join(out).splitlines()]


class Checks:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.env = {**os.environ, "PATH": f"{args.bin}:{os.environ['PATH']}"}
        if args.pretend:
            self.env |= {"PROFLLM_NVML_LIB": str(args.pretend), "PRETEND_GPUS": "2xH100"}
        self.failed, self.unchecked, self.result, self.samples = [], [], None, []

    # ---- programs ----

    def profllm(self, *words, **more):
        return subprocess.run([str(self.args.bin / "profllm"), *map(str, words)], env=self.env, text=True, capture_output=True,
                              timeout=RUN_S, **more)

    def gpus(self):
        done = self.profllm("gpus", "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def smi(self, what, kind="gpu"):
        if self.args.pretend or not shutil.which("nvidia-smi"):
            raise NotCheckedError("there is no nvidia-smi")
        text = subprocess.run(["nvidia-smi", f"--query-{kind}={','.join(what)}", "--format=csv,noheader,nounits"], text=True,
                              capture_output=True, check=True, timeout=30).stdout
        return [dict(zip(what, (cell.strip() for cell in row))) for row in csv.reader(io.StringIO(text)) if row]

    def config(self, name, count, **sections):
        prompts = self.folder / "prompts.jsonl"
        prompts.write_text("".join(json.dumps({"prompt": f"prompt {i} " + "word " * 40}) + "\n" for i in range(50)))
        path = self.folder / f"{name}.yaml"
        path.write_text(json.dumps({
            "server": {"model": "random"}, "telemetry": {"interval": "100ms"},
            "launch": {"command": [self.args.python, str(HERE / "gpu_server.py"), "serve"], "stop_timeout": "20s", **sections.pop("launch", {})},
            "benchmark": {"backend": "openai", "dataset_name": "custom", "dataset_path": str(prompts), "skip_chat_template": True,
                          "custom_output_len": 48, "num_prompts": count, "request_rate": 12, "num_warmups": 4}, **sections}))
        return path

    def server_log(self, name):
        return (self.folder / f"{name}.server.log").read_text()

    # ---- one check ----

    def check(self, title, what):
        begin = time.monotonic()
        try:
            said, state = what() or "", "passed"
        except NotCheckedError as reason:
            said, state = str(reason), "NOT CHECKED"
            self.unchecked.append(title)
        except Exception as reason:  # noqa: BLE001 (each check stands alone)
            said, state = f"{type(reason).__name__}: {reason}", "FAILED"
            self.failed.append(title)
        print(f"{state:<12}{title} ({time.monotonic() - begin:.1f} s){': ' + said if said else ''}", flush=True)

    def need_result(self):
        if self.result is None:
            raise NotCheckedError("the measured run failed")
        return self.result

    def need_gpu(self):
        if self.args.pretend:
            raise NotCheckedError("the GPUs are pretended")

    # ---- the checks ----

    def list_gpus(self):
        found = self.gpus()
        assert found, "profllm gpus lists none"
        assert all(gpu["simulated"] == bool(self.args.pretend) for gpu in found)
        rows = self.smi(["index", "uuid", "name", "memory.total", "power.limit"])
        assert len(rows) == len(found), f"{len(found)} GPUs, nvidia-smi lists {len(rows)}"
        for gpu, row in zip(found, rows):
            assert (gpu["uuid"], gpu["name"]) == (row["uuid"], row["name"]), (gpu["uuid"], row)
            assert abs(gpu["memory_bytes"] / MIB - float(row["memory.total"])) <= 1024, (gpu["memory_bytes"], row)
            assert abs(gpu["power_limit_w"] - float(row["power.limit"])) <= 1, (gpu["power_limit_w"], row)
        return f"{len(found)} x {found[0]['name']}, as nvidia-smi"

    def sample(self, stop):
        with contextlib.suppress(NotCheckedError, subprocess.SubprocessError):
            while not stop.is_set():
                self.samples.append((time.monotonic_ns(), self.smi(SMI)))
                time.sleep(0.1)

    def measure(self):
        path, stop = self.config("run", 180, profiling={"enabled": True, "dir": str(self.folder / "traces")}), threading.Event()
        thread = threading.Thread(target=self.sample, args=(stop,), daemon=True)
        thread.start()
        done = self.profllm("run", "-c", path, "-o", self.folder / "run.json", "--quiet")
        stop.set()
        thread.join()
        assert done.returncode == 0, done.stderr[-2000:]
        self.result = json.loads((self.folder / "run.json").read_text())
        assert self.result["status"] == "completed" and self.result["results"]["failed_requests"] == 0
        devices = [line for line in self.server_log("run").splitlines() if line.startswith("torch sees")]
        return f"{self.result['results']['completed']} requests in {self.result['results']['duration']:.1f} s; {devices[0]}"

    def series(self, name):
        begin, end = (self.result["series"][f"measured_{edge}_ns"] for edge in ("begin", "end"))
        lines = Zst.lines(self.folder / self.result["series"]["file"])
        return [(line["t_ns"], line["values"][name]) for line in lines
                if line["source"] == "gpu" and begin <= line["t_ns"] <= end and line["values"].get(name) is not None]

    def telemetry(self, ours, theirs, scale, share, least):
        """Means over the measured window, of our series and of nvidia-smi."""
        self.need_result()
        mine = self.series(ours)
        assert mine, f"the series has no {ours}"
        gaps = sorted(later - one for (one, _), (later, _) in zip(mine, mine[1:]))
        assert gaps[len(gaps) // 2] < 130e6, f"median of {gaps[len(gaps) // 2] / 1e6:.1f} ms between samples"
        self.need_gpu()
        begin, end = mine[0][0], mine[-1][0]
        uuid = self.result["launch"]["gpus"][0]["uuid"]
        rows = [float(row[theirs]) * scale for t_ns, rows in self.samples for row in rows
                if row["uuid"] == uuid and begin <= t_ns <= end and row[theirs].replace(".", "").isdigit()]
        if len(rows) < 10:
            raise NotCheckedError(f"nvidia-smi gave {len(rows)} values of {theirs}")
        left, right = sum(value for _, value in mine) / len(mine), sum(rows) / len(rows)
        assert abs(left - right) <= max(share * right, least), f"{left:g}, nvidia-smi {right:g}"
        return f"{left:.5g}, nvidia-smi {right:.5g} ({len(mine)} and {len(rows)} samples)"

    def throttling(self):
        self.need_result()
        mine = [int(bits) for _, bits in self.series("throttle")]
        assert mine, "the series has no throttle"
        self.need_gpu()
        uuid = self.result["launch"]["gpus"][0]["uuid"]
        theirs = [int(row["clocks_throttle_reasons.active"], 16) for _, rows in self.samples for row in rows
                  if row["uuid"] == uuid and row["clocks_throttle_reasons.active"].startswith("0x")]
        if not theirs:
            raise NotCheckedError("nvidia-smi gave no reasons")
        for bit, mask in THROTTLE.items():
            # a reason of most of our samples is one that nvidia-smi has seen, too
            if sum(bool(bits & bit) for bits in mine) > len(mine) / 2:
                assert any(bits & mask for bits in theirs), f"reason {bit} was not seen by nvidia-smi"
        return f"bits {sorted(set(mine))}, nvidia-smi {sorted({hex(bits) for bits in theirs})}"

    def energy(self):
        self.need_result()
        gpu, = (one for one in self.result["system"]["gpus"] if one["uuid"] == self.result["launch"]["gpus"][0]["uuid"])
        power = self.series("power_w")
        joules = sum((b - a) / 1e9 * (x + y) / 2 for (a, x), (b, y) in zip(power, power[1:]))
        span = (power[-1][0] - power[0][0]) / 1e9
        whole = joules * self.result["results"]["duration"] / span
        assert abs(gpu["energy_j"] - whole) <= 0.05 * whole, f"{gpu['energy_j']:.1f} J, integral of the series {whole:.1f} J"
        text = f"{gpu['energy_j']:.1f} J; integral of the series {whole:.1f} J"
        if gpu["energy_counter_j"] is None:
            raise NotCheckedError(f"the GPU has no energy counter; {text}")
        assert abs(gpu["energy_j"] - gpu["energy_counter_j"]) <= 0.1 * gpu["energy_counter_j"] + 5, f"{text}; counter {gpu['energy_counter_j']:.1f} J"
        return f"{text}; counter of NVML {gpu['energy_counter_j']:.1f} J"

    def trace(self):
        self.need_result()
        profiling = self.result["profiling"]
        assert profiling["error"] is None and profiling["trace_files"], profiling
        events = json.loads(gzip.decompress((self.folder / profiling["trace_file_path"]).read_bytes()))["traceEvents"]
        kernels = [event for event in events if event.get("cat") == "kernel"]
        text = f"{len(events)} events, {len(kernels)} kernels, {profiling['trace_file_size_mb']:.2f} MB, rank {profiling['trace_files'][0]['rank']}"
        assert any(event.get("cat") == "cpu_op" for event in events), text
        if self.args.pretend:
            raise NotCheckedError(f"kernels, because torch has no GPU; collected: {text}")
        assert kernels, text
        return text

    def isolation(self):
        chosen = len(self.gpus()) - 1
        for gpus, count in (([chosen], 1), ([], 0)):
            path = self.config(f"gpus{count}", 12, launch={"gpus": gpus})
            done = self.profllm("run", "-c", path, "-o", self.folder / f"gpus{count}.json", "--quiet")
            assert done.returncode == 0, done.stderr[-2000:]
            result = json.loads((self.folder / f"gpus{count}.json").read_text())
            assert [gpu["index"] for gpu in result["launch"]["gpus"]] == gpus
            # by UUID, which means the same GPU in each order of numbers
            visible = result["launch"]["env"]["CUDA_VISIBLE_DEVICES"]
            assert visible == ",".join(gpu["uuid"] for gpu in result["launch"]["gpus"]), visible
            if not self.args.pretend:
                assert f"torch sees {count} devices" in self.server_log(f"gpus{count}"), self.server_log(f"gpus{count}")[:500]
        if self.args.pretend:
            raise NotCheckedError("what torch sees; CUDA_VISIBLE_DEVICES was set as requested")
        return f"GPU {chosen} alone, and none"

    def freed(self):
        self.need_result()
        self.need_gpu()
        uuid = self.result["launch"]["gpus"][0]["uuid"]
        peak = next(one for one in self.result["system"]["gpus"] if one["uuid"] == uuid)["memory_peak_bytes"]
        after = next(gpu for gpu in self.gpus() if gpu["uuid"] == uuid)["memory_used_bytes"]
        before = next(gpu for gpu in self.before if gpu["uuid"] == uuid)["memory_used_bytes"]
        assert after <= before + 64 * MIB < peak, f"{before / MIB:.0f} MiB before, {peak / MIB:.0f} at most, {after / MIB:.0f} after"
        return f"{before / MIB:.0f} MiB before, {peak / MIB:.0f} at most, {after / MIB:.0f} after"

    def killed(self):
        """kill -9 of profllm during the load: the guard ends the server."""
        path = self.config("killed", 5000)
        process = subprocess.Popen([str(self.args.bin / "profllm"), "run", "-c", str(path), "-o", str(self.folder / "killed.json"), "--quiet"],
                                   env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        journal, due = self.folder / "killed.json.journal", time.monotonic() + 60
        while not (journal.exists() and journal.stat().st_size > 200_000) and time.monotonic() < due and process.poll() is None:
            time.sleep(0.1)
        servers = marked()
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert servers, "the server did not start"
        due = time.monotonic() + 40
        while marked() and time.monotonic() < due:
            time.sleep(0.1)
        assert not marked(), f"processes {marked()} still run"
        text = f"{len(servers)} processes ended"
        if self.args.pretend or not shutil.which("nvidia-smi"):
            raise NotCheckedError(f"processes on a GPU, because there is no nvidia-smi; {text}")
        rows = self.smi(["pid"], "compute-apps")
        assert not {int(row["pid"]) for row in rows} & set(servers), rows
        return f"{text}; none is on a GPU"

    def all(self):
        self.before = self.gpus()
        self.check("profllm gpus", self.list_gpus)
        self.check("a measured run with telemetry at 100 ms and a profile after it", self.measure)
        self.check("memory in use", lambda: self.telemetry("memory_used_bytes", "memory.used", MIB, 0.05, 600 * MIB))
        self.check("utilization", lambda: self.telemetry("utilization", "utilization.gpu", 0.01, 0.1, 0.1))
        self.check("power", lambda: self.telemetry("power_w", "power.draw", 1, 0.1, 10))
        self.check("clock of the multiprocessors", lambda: self.telemetry("sm_clock_mhz", "clocks.sm", 1, 0.05, 30))
        self.check("clock of the memory", lambda: self.telemetry("memory_clock_mhz", "clocks.mem", 1, 0.05, 30))
        self.check("reasons of low clocks", self.throttling)
        self.check("energy", self.energy)
        self.check("trace of torch", self.trace)
        self.check("memory is free after the stop", self.freed)
        self.check("choice and isolation by CUDA_VISIBLE_DEVICES", self.isolation)
        self.check("kill -9 of profllm", self.killed)


def marked():
    """The servers of runs of ProfLLM on this host."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and b"PROFLLM_RUN=" in (entry / "environ").read_bytes() and \
                    b"gpu_server.py" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found


def main():
    words = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    words.add_argument("--bin", type=Path, default=HERE.parents[1] / "build" / "bin", help="directory with profllm")
    words.add_argument("--python", default=sys.executable, help="Python with torch, for the server")
    words.add_argument("--pretend", type=Path, help="use this fake NVML (build/lib/libnvml-pretend.so) on a host without a GPU")
    words.add_argument("--keep", type=Path, help="keep the results in this directory")
    args = words.parse_args()
    args.bin = args.bin.resolve()
    begin = time.monotonic()
    with contextlib.ExitStack() as stack:
        folder = args.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="profllm-gpu-")))
        folder.mkdir(exist_ok=True)
        found = subprocess.run([args.python, "-c", "import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available())"],
                               text=True, capture_output=True)
        if found.returncode != 0:
            sys.exit(f"{args.python} has no torch; name one with --python (make test-gpu TORCH_PYTHON=…): {found.stderr.strip().splitlines()[-1]}")
        checks = Checks(args, folder.resolve())
        print(f"torch {found.stdout.strip()}; {'the fake NVML' if args.pretend else 'NVML of the driver'}", flush=True)
        checks.all()
    print(f"{len(checks.failed)} failed, {len(checks.unchecked)} not checked, {time.monotonic() - begin:.0f} s")
    for title in checks.unchecked:
        print(f"not checked: {title}")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
