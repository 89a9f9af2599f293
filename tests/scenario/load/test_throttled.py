"""A client that its control group throttles offers another load than the requested one: it is not trusted, and the reason
is reported."""
import re
import subprocess

import pytest

import run_tools
from sim_tools import Server
from wait_tools import wait_for

REQUESTS = 40
# The run needs about 1 % of a processor. The kernel's least quota is 1 ms.
QUOTA_US, PERIOD_US = 1000, 200000


def metric(server, name):
    return sum(float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", server.get("/metrics").decode(), re.M))


def play(bin_dir, folder, group):
    """Throttles the client from its first requests until the server has responded to all; then it may write its result."""
    with Server(bin_dir, "--sim-step", "10ms", "--no-enable-prefix-caching") as server:
        config = run_tools.base_config(num_prompts=REQUESTS, request_rate=20, random_output_len=64, ignore_eos=True)
        config["server"], config["launch"] = {}, {"url": f"http://127.0.0.1:{server.port}"}
        process = subprocess.Popen(
            run_tools.command(bin_dir, "run", "-c", run_tools.write_config(folder, config), "-o", folder / "r.json", "-q"),
            env=run_tools.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=group.join)
        # two at once: the load has started, its ready check has finished
        wait_for(lambda: metric(server, "vllm:num_requests_running") >= 2, "a load", process=process)
        before = metric(server, "vllm:request_success_total")
        group.set_quota(QUOTA_US, PERIOD_US)
        wait_for(lambda: metric(server, "vllm:request_success_total") >= before + REQUESTS - 1 and
                 metric(server, "vllm:num_requests_running") == 0, "all answers", 120, process)
        group.free()
        out, err = process.communicate(timeout=run_tools.TIMEOUT_S * run_tools.PATIENCE)
    assert process.returncode == 0, err
    return run_tools.load_result(folder / "r.json"), out


@pytest.mark.release_only
def test_run_under_a_quota(bin_dir, tmp_path, source_dir, monkeypatch):
    monkeypatch.syspath_prepend(str(source_dir / "tests" / "perf"))
    import disturbances

    try:
        group = disturbances.Group()
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error}")
    try:
        result, out = play(bin_dir, tmp_path, group)
    finally:
        group.remove()
    assert result["quality"]["verdict"] in ("degraded", "client_limited")
    beyond = {check["id"]: check["effect"] for check in result["quality"]["checks"] if check["status"] == "over_limit"}
    assert beyond["host_withheld"] == "info" and "(host_withheld: found " in " ".join(out.split())
    assert any(beyond.get(name, "info") != "info" for name in ("client_error", "gap_distance", "send_lateness", "rate_shortfall"))
