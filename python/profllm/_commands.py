"""The functions that start commands."""
from __future__ import annotations

import json
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from ._programs import Output, failure, start
from ._result import Problem, Result, Sweep, Validation, read_result
from ._types import Experiment

Source = Union[Experiment, Mapping[str, Any], str, "os.PathLike[str]"]
NOT_UPLOADED = 8  # exit status of a run or sweep that completed
Folder = Optional["tempfile.TemporaryDirectory[str]"]


def _file_of(experiment: Source, folder: str) -> str:
    """Returns the path of the experiment; writes a mapping to a file in the folder."""
    if isinstance(experiment, (str, os.PathLike)):
        return os.fspath(experiment)
    path = Path(folder) / "experiment.json"  # JSON is YAML
    path.write_text(json.dumps(experiment), encoding="utf-8")
    return str(path)


def _words(sets: Optional[Mapping[str, Any]]) -> List[str]:
    # JSON keeps the type: without its quotes, the text "1.0" would be a number
    return [word for key, value in (sets or {}).items() for word in ("--set", f"{key}={json.dumps(value)}")]


def _warn_not_uploaded(done: Output) -> None:
    if done.status == NOT_UPLOADED:
        warnings.warn(str(failure(done)), stacklevel=3)


def _place(output: Union[str, "os.PathLike[str]", None], name: str) -> Tuple[Path, Folder]:
    """Returns where to write, and the temporary directory that has to live as long as the result."""
    if output is not None:
        return Path(output), None
    folder = tempfile.TemporaryDirectory(prefix="profllm-")
    return Path(folder.name) / name, folder


def run(experiment: Source, *, output: Union[str, "os.PathLike[str]", None] = None, sets: Optional[Mapping[str, Any]] = None,
        sim: bool = False, overwrite: bool = False, upload: Optional[str] = None) -> Result:
    """Starts a server, measures it, stops it, and returns the result.

    experiment: a mapping, or the path of an experiment file. output: the file of the result; without it, the files last as
    long as the returned object. sets: overrides, such as {"server.max_num_seqs": 8}. sim: start the simulator instead of
    vLLM. upload: the URL of a dashboard that shows the run and gets its result; a failed upload is a warning.

    A run that failed after its start has a result, whose status says so. Raises ProfllmError if there is none.

    >>> run({"server": {"model": "sim/x", "no_such_argument": 1}}, sim=True)
    Traceback (most recent call last):
        ...
    profllm._programs.ProfllmError: ...no_such_argument...
    """
    path, folder = _place(output, "result.json")
    before = path.stat().st_mtime_ns if path.exists() else None
    with tempfile.TemporaryDirectory(prefix="profllm-") as own:
        words = ["run", "--quiet", "--config", _file_of(experiment, own), "--output", str(path), *_words(sets)]
        words += ["--sim"] * sim + ["--overwrite"] * overwrite + (["--upload", upload] if upload else [])
        done = start(words)
    if not path.exists() or (done.status != 0 and path.stat().st_mtime_ns == before):
        raise failure(done)
    _warn_not_uploaded(done)
    return read_result(path, folder)


def sweep(experiment: Source, *, output_dir: Union[str, "os.PathLike[str]", None] = None, sim: bool = False, jobs: Union[int, str] = 1,
          repeats: int = 1, resume: bool = False, upload: Optional[str] = None) -> Sweep:
    """Runs every combination of the values in the section `sweep`, and returns the results.

    output_dir: the directory of the results; without it, the files last as long as the returned object.

    >>> values = {"benchmark.max_concurrency": [1, 2]}
    >>> load = {"backend": "openai", "dataset_name": "random", "num_prompts": 4, "random_output_len": 4}
    >>> both = sweep({"server": {"model": "sim/x"}, "benchmark": load, "sweep": values}, sim=True)
    >>> [result.metrics["completed"] for result in both]
    [4, 4]
    """
    path, folder = _place(output_dir, "sweep")
    with tempfile.TemporaryDirectory(prefix="profllm-") as own:
        words = ["sweep", "run", "--quiet", "--output-dir", str(path), "--jobs", str(jobs), "--repeats", str(repeats)]
        words += ["--sim"] * sim + ["--resume"] * resume + (["--upload", upload] if upload else [])
        done = start([*words, _file_of(experiment, own)])
    if done.status not in (0, 1, NOT_UPLOADED) or not (path / "summary.json").exists():
        raise failure(done)
    _warn_not_uploaded(done)
    return Sweep(path, done.status, folder)


def validate(experiment: Source, *, hardware: Optional[str] = None, vllm_version: Optional[str] = None, strict: bool = False) -> Validation:
    """Checks an experiment before a run. hardware: the GPUs, such as "h100x8"; without it, those of this host.

    >>> checked = validate({"server": {"model": "sim/x", "max_num_seq": 3}})
    >>> checked.ok, [problem.key for problem in checked.errors]
    (False, ['server.max_num_seq'])
    """
    with tempfile.TemporaryDirectory(prefix="profllm-") as own:
        words = ["validate", "--json"] + (["--hardware", hardware] if hardware else [])
        words += (["--vllm-version", vllm_version] if vllm_version else []) + ["--strict"] * strict
        done = start([*words, _file_of(experiment, own)])
    try:
        document: Dict[str, Any] = json.loads(done.text)
    except ValueError:
        raise failure(done) from None
    problems = [Problem(*(one.get(field) for field in Problem._fields)) for file in document["files"] for one in file["problems"]]
    return Validation(all(file["ok"] for file in document["files"]), problems, document)


def load(path: Union[str, "os.PathLike[str]"]) -> Result:
    """Reads a result file."""
    return read_result(Path(path))
