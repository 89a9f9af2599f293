"""A client that its control group holds back is said to be: not trusted, and host_steal says why."""
import argparse
import os

import pytest


@pytest.mark.release_only
def test_run_under_a_quota(bin_dir, source_dir, monkeypatch):
    monkeypatch.syspath_prepend(str(source_dir / "tests" / "perf"))
    import verdicts

    try:
        group = verdicts.Group()
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error}")
    args = argparse.Namespace(binary=bin_dir / "profllm")
    allowed = os.sched_getaffinity(0)
    server = verdicts.Server(bin_dir / "profllm-sim", min(allowed))
    try:
        verdict, beyond = verdicts.play(args, server, max(allowed),
                                        lambda process, stop: verdicts.limit(group, server, process), group)
    finally:
        server.stop()
        group.remove()
    assert verdict in ("degraded", "client_limited")
    assert "host_steal" in beyond
