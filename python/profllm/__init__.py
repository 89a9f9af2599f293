"""Measure how fast a server answers requests to a large language model, and whether the numbers can be trusted.

The package starts the programs `profllm` and `profllm-dashboard`; it measures nothing itself.

>>> import profllm
>>> experiment = {
...     "server": {"model": "sim/llama-3-8b"},
...     "benchmark": {"backend": "openai", "dataset_name": "random", "num_prompts": 10, "max_concurrency": 2},
... }
>>> profllm.validate(experiment).ok
True
>>> result = profllm.run(experiment, sim=True, sets={"benchmark.random_output_len": 8})
>>> result.status, result.simulated, result.metrics["completed"]
('completed', True, 10)
"""
from ._commands import load, run, sweep, validate
from ._dashboard import Dashboard, DashboardError, Table
from ._programs import ProfllmError, find_program, version
from ._result import Problem, Result, Sweep, Validation
from ._types import Experiment, ResultDocument

__all__ = ["Dashboard", "DashboardError", "Experiment", "Problem", "ProfllmError", "Result", "ResultDocument", "Sweep", "Table",
           "Validation", "find_program", "load", "run", "sweep", "validate", "version"]
