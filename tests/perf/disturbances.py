"""

Disturbances of a client while it measures. Each kind draws its own parameters. Its object has start() for before the
client starts, prepare() in the client's process before exec, during() from its first request until the last response,
and stop() for after its end.


"""

import contextlib
import math
import os
import pathlib
import signal
import subprocess
import sys
import time

CGROUPS = pathlib.Path("/sys/fs/cgroup")
LEAST_QUOTA_US = 1000  # the kernel's
LONGEST_PERIOD_US = 1_000_000
# A spinner does nothing else; the other writes to fresh memory without end.
SPIN = "while True: pass"
DIRTY = "size = {size_mb} << 20\nwhile True: bytes([1]) * size"


def log_uniform(draw, low, high):
    return math.exp(draw.uniform(math.log(low), math.log(high)))


class Nothing:
    environment = {}

    def __init__(self, words, place):
        self.words, self.place = words, place

    @staticmethod
    def draw(_draw):
        return {}

    def start(self):
        pass

    def prepare(self):
        pass

    def during(self, process, over):
        """In a thread of its own; `over` is set when the last answer is out."""

    def stop(self):
        pass


class Processes(Nothing):
    """Processes that want a processor all the time, from before the client's start to its end."""

    code = SPIN

    @staticmethod
    def draw(draw):
        return {"count": draw.randint(1, 3), "nice": draw.randint(0, 10), "core": draw.choice(("client", "server"))}

    def start(self):
        core = self.place.cores[self.words["core"]]
        code = f"import os\nos.sched_setaffinity(0, {{{core}}})\nos.setpriority(os.PRIO_PROCESS, 0, " \
               f"{self.words['nice']})\n" + self.code.format(**self.words)
        self.children = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(self.words["count"])]

    def stop(self):
        for child in self.children:
            child.kill()
            child.wait()


class Memory(Processes):
    """One that dirties memory: the client's caches, and pages to be found."""

    code = DIRTY

    @staticmethod
    def draw(draw):
        return {"count": 1, "nice": draw.randint(0, 10), "core": draw.choice(("client", "server")),
                "size_mb": draw.choice((16, 64, 256, 1024))}


class Stops(Nothing):
    """SIGSTOP and SIGCONT again and again."""

    @staticmethod
    def draw(draw):
        return {"stop_ms": log_uniform(draw, 1, 100), "pause_ms": log_uniform(draw, 10, 1000)}

    def during(self, process, over):
        while not over.wait(self.words["pause_ms"] / 1e3) and process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            time.sleep(self.words["stop_ms"] / 1e3)
            process.send_signal(signal.SIGCONT)


class Group:
    """A control group for the client alone, of either version; OSError where none can be made."""

    def __init__(self):
        self.legacy = (CGROUPS / "cpu" / "cgroup.procs").exists()
        top = CGROUPS / "cpu" if self.legacy else CGROUPS
        if not self.legacy:
            if "cpu" not in (CGROUPS / "cgroup.controllers").read_text().split():
                raise OSError("no controller of processor time")
            (CGROUPS / "cgroup.subtree_control").write_text("+cpu")
        self.folder = top / f"profllm-perf-{os.getpid()}"
        self.folder.mkdir()
        try:
            self.free()
        except OSError:
            self.folder.rmdir()
            raise

    def set_quota(self, quota_us, period_us):
        if self.legacy:
            (self.folder / "cpu.cfs_period_us").write_text(str(period_us))
            (self.folder / "cpu.cfs_quota_us").write_text(str(quota_us))
        else:
            (self.folder / "cpu.max").write_text(f"{'max' if quota_us < 0 else quota_us} {period_us}")

    def free(self):
        self.set_quota(-1, 100000)

    def join(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self):
        for _ in range(100):
            with contextlib.suppress(OSError):
                self.folder.rmdir()
                return
            time.sleep(0.05)
        sys.exit(f"{self.folder} is left: it has processes")


class Limit(Nothing):
    """A share of a processor, as a multiple of what the load is thought to need, by a control group."""

    @staticmethod
    def draw(draw):
        return {"of_need": log_uniform(draw, 0.3, 5), "period_us": round(log_uniform(draw, 10_000, 200_000))}

    def start(self):
        self.group = Group()

    def prepare(self):
        self.group.join()

    def quota(self):
        """(quota, period) in us: a period grows until its quota is one that the kernel takes."""
        share = min(max(self.words["of_need"] * self.place.need, 2 * LEAST_QUOTA_US / LONGEST_PERIOD_US), 0.95)
        period_us = max(self.words["period_us"], math.ceil(LEAST_QUOTA_US / share))
        return max(round(share * period_us), LEAST_QUOTA_US), period_us

    def during(self, process, over):
        """No longer: there is a result to be written then."""
        self.group.set_quota(*self.quota())
        over.wait()
        self.group.free()

    def stop(self):
        self.group.remove()


class SlowDisk(Nothing):
    """A library that slows down the client's writes and syncs."""

    @staticmethod
    def draw(draw):
        return {"sync_ms": round(log_uniform(draw, 20, 2000)), "write_ms": draw.choice((0, 1, 5, 20))}

    @property
    def environment(self):
        return {"LD_PRELOAD": str(self.place.slow_disk), "PERF_SYNC_MS": str(self.words["sync_ms"]),
                "PERF_WRITE_MS": str(self.words["write_ms"])}


KINDS = {"none": Nothing, "busy": Processes, "stops": Stops, "limit": Limit, "memory": Memory, "disk": SlowDisk}
# How often each is drawn.
SHARES = {"none": 2, "busy": 4, "stops": 3, "limit": 3, "memory": 2, "disk": 1}

# The disturbances that hold most loads down: name -> kind and parameters. The truth shows whether one did.
HOLDING = {
    "stopped for 50 ms in each 100": ("stops", {"stop_ms": 50, "pause_ms": 50}),
    "beside three busy processes of nice -10": ("busy", {"count": 3, "nice": -10, "core": "client"}),
    "given a third of the processor time that it needs": ("limit", {"of_need": 0.3, "period_us": 100_000}),
}


def not_here(slow_disk):
    """Kind -> why it cannot be played on this machine."""
    reasons = {}
    try:
        Group().remove()
    except OSError as error:
        reasons["limit"] = f"no control group can be made here ({error})"
    if not slow_disk.exists():
        reasons["disk"] = f"there is no {slow_disk}"
    return reasons
