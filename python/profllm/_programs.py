"""Finds and starts the programs."""
from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sysconfig
from importlib import metadata
from pathlib import Path
from typing import Iterator, List, NamedTuple, Optional, Sequence


class ProfllmError(Exception):
    """A command failed. `status` is its exit status (docs/reference/exit-status.md)."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Output(NamedTuple):
    status: int
    text: str
    errors: str


def _candidates(name: str) -> Iterator[Path]:
    directory = os.environ.get("PROFLLM_BIN")
    if directory:
        yield Path(directory) / name
    try:
        for file in metadata.files("profllm") or []:
            if file.name == name:
                yield Path(str(file.locate()))
    except metadata.PackageNotFoundError:
        pass
    yield Path(sysconfig.get_path("scripts")) / name


def find_program(name: str = "profllm") -> str:
    """Returns the path of a program: from $PROFLLM_BIN, else that of this installation, else from PATH.

    >>> import os
    >>> os.path.basename(find_program("profllm-sim"))
    'profllm-sim'
    """
    for path in _candidates(name):
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"found no program '{name}' in $PROFLLM_BIN, in this installation or in PATH")
    return found


def start(arguments: Sequence[str], stdin: Optional[str] = None) -> Output:
    """Runs `profllm ARGUMENTS`. If this process is interrupted, the command stops its server before this returns."""
    words: List[str] = [find_program(), *arguments]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", errors="replace", start_new_session=True) as process:
        try:
            text, errors = process.communicate(stdin)
        except BaseException:
            process.send_signal(signal.SIGINT)
            process.communicate()
            raise
    return Output(process.returncode, text, errors)


def failure(output: Output) -> ProfllmError:
    """Returns the error of a command that has written no result."""
    lines = [line for line in output.errors.strip().splitlines() if line] or [f"exit status {output.status}"]
    return ProfllmError("\n".join(line.replace("profllm: error: ", "", 1) for line in lines), output.status)


def version() -> str:
    """Returns the version of the program `profllm`."""
    output = start(["--version"])
    if output.status != 0:
        raise failure(output)
    return output.text.split()[1]
