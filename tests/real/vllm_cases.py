"""Runs many command lines of one installed vLLM without its start of a minute for each.

Run it with vLLM's own interpreter. It imports once and forks a child per case, in which the entry point of the command
line does the rest: parsing, seeds, event loop and exit status are those of `vllm`. It reads one JSON object per line:
{"id", "argv", "cwd", "env", "out", "err"}. It writes {"id", "rc"} when that case has ended. Its first line is {"ready":
true}.

With "planned", a file: it skips the waits between the requests and writes them to that file in seconds after the start
of sending, with all digits.


"""
import json
import os
import sys
import threading
import types


def load():
    sys.argv = ["vllm", "bench", "serve"]
    import vllm.entrypoints.cli.benchmark.main as bench
    import vllm.entrypoints.cli.collect_env
    import vllm.entrypoints.cli.download_kernels
    import vllm.entrypoints.cli.launch
    import vllm.entrypoints.cli.openai
    import vllm.entrypoints.cli.preload
    import vllm.entrypoints.cli.run_batch
    import vllm.entrypoints.cli.serve
    import vllm.entrypoints.cli.snapshot  # noqa: F401
    from vllm import platforms
    from vllm.entrypoints.cli.main import main
    # what a child would import again, and slowly
    import pandas  # noqa: F401
    import transformers
    transformers.PreTrainedTokenizerFast  # noqa: B018
    platforms.current_platform.is_unspecified()
    bench._import_bench_subcommand_modules()
    return main


class StoppedClock:
    """In the place of the modules `time` and `asyncio`: it is always the start, and no wait lasts."""

    def __init__(self):
        self.waits = []

    def time(self):
        return 0.0

    async def sleep(self, seconds):
        self.waits.append(seconds)


def note_planned(path):
    """Runs vLLM's own scheduler, unchanged, with a stopped clock: its waits are its plan."""
    import vllm.benchmarks.serve as serve
    real, clock, planned = serve.get_request, StoppedClock(), []
    scheduler = types.FunctionType(real.__code__, {**real.__globals__, "time": clock, "asyncio": clock},
                                   real.__name__, real.__defaults__, real.__closure__)

    async def noted(*args, **kwargs):
        async for one in scheduler(*args, **kwargs):
            planned.append(clock.waits.pop() if clock.waits else 0.0)
            yield one
        with open(path, "w") as out:
            json.dump(planned, out)

    serve.get_request = noted


def child(main, case):
    """Never returns."""
    rc = 1
    try:
        for fd, key, flags in ((0, None, os.O_RDONLY), (1, "out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
                               (2, "err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)):
            opened = os.open(case[key] if key else os.devnull, flags, 0o644)
            os.dup2(opened, fd)
            os.close(opened)
        os.environ.update(case["env"])
        os.chdir(case["cwd"])
        sys.argv = ["vllm", *case["argv"]]
        if "planned" in case:
            note_planned(case["planned"])
        try:
            main()
            rc = 0
        except SystemExit as end:
            rc = end.code if isinstance(end.code, int) else int(end.code is not None)
            if isinstance(end.code, str):
                print(end.code, file=sys.stderr)
        except BaseException:
            import traceback
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(rc)


def main():
    # what vLLM prints while it imports is not a response
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    entry = load()
    lock = threading.Lock()

    def answer(value):
        with lock:
            answers.write(json.dumps(value) + "\n")

    def reap(pid, case):
        answer({"id": case["id"], "rc": os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])})

    answer({"ready": True})
    for line in sys.stdin:
        case = json.loads(line)
        with lock:
            pid = os.fork()
        if pid == 0:
            child(entry, case)
        threading.Thread(target=reap, args=(pid, case), daemon=True).start()


if __name__ == "__main__":
    main()
