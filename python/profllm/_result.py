"""Results as the programs write them."""
from __future__ import annotations

import html
import json
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, cast

from ._programs import failure, start
from ._types import ResultDocument

FRAME_PIXELS = 720


class Problem(NamedTuple):
    """A problem that `profllm validate` reports."""

    severity: str  # "error", "warning" or "advice"
    key: Optional[str]  # such as "server.max_num_seqs"
    found: Optional[str]
    expected: Optional[str]
    rule: Optional[str]


class Validation(NamedTuple):
    """The answer of `profllm validate`."""

    ok: bool  # no errors
    problems: List[Problem]
    document: Dict[str, Any]  # all of it, as --json prints it

    @property
    def errors(self) -> List[Problem]:
        return [problem for problem in self.problems if problem.severity == "error"]


class Result:
    """A result of one run. In a notebook it shows its report."""

    def __init__(self, path: Path, document: ResultDocument, folder: Optional[tempfile.TemporaryDirectory[str]] = None) -> None:
        self.path = path
        self.document = document
        self._folder = folder  # removed with this object

    @property
    def run_id(self) -> str:
        return self.document["run_id"]

    @property
    def status(self) -> str:
        """Returns completed, partial, failed, launch_failed, timeout or interrupted."""
        return self.document["status"]

    @property
    def verdict(self) -> Optional[str]:
        """Returns trusted, degraded, client_limited or None (no verdict)."""
        return cast(Optional[str], cast(Dict[str, Any], self.document.get("quality") or {}).get("verdict"))

    @property
    def simulated(self) -> bool:
        """Returns whether the simulator sent the responses, so that the metrics describe no real engine."""
        environment = cast(Dict[str, Any], self.document.get("environment") or {})
        return bool((environment.get("engine") or {}).get("simulated"))

    @property
    def metrics(self) -> Dict[str, Any]:
        """Returns the metrics by their names in docs/reference/metrics.md; empty if nothing was measured."""
        return dict(cast(Dict[str, Any], self.document.get("results") or {}))

    def report(self, form: str = "html") -> str:
        """Returns the report of this result as html, markdown or terminal."""
        if form not in ("html", "markdown", "terminal"):
            raise ValueError(f"form: found {form!r}, expected 'html', 'markdown' or 'terminal'")
        output = start(["report", str(self.path), f"--{form}"])
        if output.status != 0:
            raise failure(output)
        return output.text

    def _repr_html_(self) -> str:
        page = html.escape(self.report(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: {FRAME_PIXELS}px; border: 0" sandbox></iframe>'

    def __repr__(self) -> str:
        simulated = ", simulated" if self.simulated else ""
        return f"<profllm.Result {self.run_id}: {self.status}, {self.verdict or 'no verdict'}{simulated}>"


def read_result(path: Path, folder: Optional[tempfile.TemporaryDirectory[str]] = None) -> Result:
    document = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(document, dict) or "run_id" not in document or "status" not in document:
        raise ValueError(f"'{path}' is not a result of ProfLLM; 'profllm config from-result' and the dashboard read other formats")
    return Result(path, cast(ResultDocument, document), folder)


class Sweep:
    """The results of a sweep, in the order of their files."""

    def __init__(self, path: Path, status: int, folder: Optional[tempfile.TemporaryDirectory[str]] = None) -> None:
        self.path = path
        self.status = status  # exit status: 0 all runs completed, 1 some did not, 8 all completed, but some were not uploaded
        self.summary: Dict[str, Any] = json.loads((path / "summary.json").read_text(encoding="utf-8"))
        self.results = [read_result(file) for file in sorted((path / "cells").glob("*.json"))]
        self._folder = folder  # removed with this object

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __repr__(self) -> str:
        return f"<profllm.Sweep {self.path}: {len(self)} results>"
