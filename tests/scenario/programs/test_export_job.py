"""`profllm export-job`: what it writes equals tests/scenario/data/export_job, fits Kubernetes' structure, and runs. Where Python's
package kubernetes_validate is installed, Kubernetes' own schemas also check it; no package of Debian or npm has them."""
import contextlib
import json
import os
import re
import subprocess

import pytest
import yaml
from conftest import SOURCE
from run_tools import base_config, load_result, run_profllm, write_config

GOLDEN = SOURCE / "tests/scenario/data/export_job"
SERVER = {
    "name": "Llama 3 8B, TP2",
    "server": {"model": "meta-llama/Meta-Llama-3-8B", "tensor_parallel_size": 2, "pipeline_parallel_size": 2, "api_key": "s3cret-1"},
    "launch": {"container": {"image": "vllm/vllm-openai:v0.32.0"}, "ready_timeout": "20m", "env": {"HF_TOKEN": "s3cret-2", "VLLM_LOGGING_LEVEL": "INFO"}},
    "benchmark": {"backend": "openai-chat", "num_prompts": 100},
}
RUNNING = {"name": "service", "server": {"model": "m"}, "launch": {"url": "http://vllm:8000"}, "benchmark": {"num_prompts": 10}}
CASES = {
    "server.yaml": (SERVER, ["--kubernetes", "--claim", "results"]),
    "running.yaml": (RUNNING, ["--kubernetes", "--upload", "http://dashboard:8421", "--secret", "team"]),
    "server.sh": ({**SERVER, "launch": {**SERVER["launch"], "container": None}}, ["--slurm", "--time", "02:00:00", "--partition", "gpu"]),
}
# an object of a container that is not in this list is a spelling mistake
CONTAINER_KEYS = {"name", "image", "command", "args", "env", "ports", "startupProbe", "resources", "securityContext", "volumeMounts", "restartPolicy"}
POD_KEYS = {"restartPolicy", "automountServiceAccountToken", "securityContext", "initContainers", "containers", "volumes"}


def export(bin_dir, tmp_path, config, *args):
    return run_profllm(bin_dir, "export-job", write_config(tmp_path, config), *args)


@pytest.mark.parametrize("name", CASES)
def test_golden(bin_dir, tmp_path, name):
    config, args = CASES[name]
    done = export(bin_dir, tmp_path, config, *args)
    assert done.returncode == 0, done.stderr
    assert "s3cret" not in done.stdout + done.stderr
    if "PROFLLM_WRITE_GOLDEN" in os.environ:
        (GOLDEN / name).write_text(done.stdout)
    version = re.search(r"project\(profllm VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]
    assert done.stdout == (GOLDEN / name).read_text().replace("VERSION", version)


def check_schema(part):
    with contextlib.suppress(ImportError):
        import kubernetes_validate
        kubernetes_validate.validate(part, "1.29", strict=True)


def check_pod(pod):
    """The parts that Kubernetes refuses, or that would not fit together."""
    assert set(pod) <= POD_KEYS
    volumes = {volume["name"] for volume in pod["volumes"]}
    for container in pod.get("initContainers", []) + pod["containers"]:
        assert set(container) <= CONTAINER_KEYS and all(isinstance(arg, str) for arg in container["args"])
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
        for variable in container.get("env", []):
            assert set(variable) in ({"name", "value"}, {"name", "valueFrom"}) and isinstance(variable.get("value", ""), str)
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
    assert pod["restartPolicy"] == "Never" and pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}


@pytest.mark.parametrize("name", [name for name in CASES if name.endswith(".yaml")])
def test_structure(bin_dir, tmp_path, name):
    config_map, job = yaml.safe_load_all((GOLDEN / name).read_text())
    check_schema(config_map)
    check_schema(job)
    assert (config_map["kind"], job["kind"], job["apiVersion"]) == ("ConfigMap", "Job", "batch/v1")
    check_pod(job["spec"]["template"]["spec"])
    path = tmp_path / "inside.yaml"
    path.write_text(config_map["data"]["experiment.yaml"])
    assert run_profllm(bin_dir, "validate", path).returncode == 0
    assert yaml.safe_load(path.read_text())["launch"]["url"].startswith("http://")


def test_gpus(bin_dir, tmp_path):
    for launch, expected in (({}, "4"), ({"gpus": [0, 1, 2, 3]}, "4"), ({"gpus": []}, None), ({"platform": "cpu"}, None)):
        config = {**SERVER, "launch": {**SERVER["launch"], **launch}}
        found = re.search(r"nvidia.com/gpu: (\d+)", export(bin_dir, tmp_path, config, "--kubernetes", "--claim", "c").stdout)
        assert (found[1] if found else None) == expected


def test_a_script_of_slurm_runs(bin_dir, tmp_path):
    """With the simulator in the place of a node's server; a secret comes from the environment."""
    config = base_config()
    config["launch"]["env"] = {"MY_TOKEN": "s3cret"}
    config["launch"]["gpus"] = []
    script = tmp_path / "job.sh"
    assert export(bin_dir, tmp_path, config, "--slurm", "-o", script).returncode == 0
    env = {**os.environ, "PATH": f"{bin_dir}:{os.environ['PATH']}", "SLURM_JOB_ID": "7", "SLURM_SUBMIT_DIR": str(tmp_path)}
    done = subprocess.run(["sh", script], env=env, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode != 0 and "MY_TOKEN: set it in the environment of sbatch" in done.stderr
    done = subprocess.run(["sh", script], env={**env, "MY_TOKEN": "s3cret"}, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert load_result(tmp_path / "scenario-7.json")["status"] == "completed"


@pytest.mark.parametrize(("config", "args", "message"), [
    (SERVER, [], "expected one of --kubernetes and --slurm"),
    (SERVER, ["--kubernetes", "--claim", "a b"], "found 'a b', expected a name"),
    ({**SERVER, "launch": {}}, ["--kubernetes"], "no image for the server"),
    ({"server": {"model": "m", "seed": "x"}}, ["--slurm"], "server.seed"),
    ({**SERVER, "launch": {"env": {"a-b": "c"}}}, ["--slurm"], "launch.env: found 'a-b'"),
    ({**RUNNING, "benchmark": {"header": ["Authorization=Bearer s3cret"]}}, ["--slurm"], "the experiment contains a secret"),
])
def test_what_is_refused(bin_dir, tmp_path, config, args, message):
    done = export(bin_dir, tmp_path, config, *args)
    assert done.returncode == 2 and message in done.stderr, done.stderr
    assert done.stdout == ""


def test_what_is_lost_is_said(bin_dir, tmp_path):
    done = export(bin_dir, tmp_path, SERVER, "--kubernetes")
    assert "the result is lost with the pod; set --claim or --upload" in done.stderr


@pytest.mark.parametrize("path", sorted((SOURCE / "packaging/kubernetes").glob("*.yaml")), ids=lambda path: path.name)
def test_plain_manifests(path):
    """Names that refer to each other exist; pods are confined; the dashboard's options exist."""
    for part in yaml.safe_load_all(path.read_text()):
        if "kind" not in part:
            continue
        check_schema(part)
        assert part["apiVersion"] in ("v1", "apps/v1", "batch/v1") and part["metadata"]["name"]
        if part["kind"] == "Job":
            check_pod(part["spec"]["template"]["spec"])
        if part["kind"] == "Deployment":
            pod = part["spec"]["template"]["spec"]
            container, = pod["containers"]
            assert part["spec"]["selector"]["matchLabels"] == part["spec"]["template"]["metadata"]["labels"]
            assert pod["securityContext"]["runAsNonRoot"] and container["securityContext"]["readOnlyRootFilesystem"]
            assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
            assert json.dumps(container).count("/api/health") == 3


def test_compose_fits_together():
    """Compose itself is not here: names of volumes, services and files."""
    folder = SOURCE / "packaging/container"
    compose = yaml.safe_load((folder / "compose.yaml").read_text())
    services = compose["services"]
    for service in services.values():
        assert {name for name in service["depends_on"]} <= set(services) if "depends_on" in service else True
        for volume in service["volumes"]:
            name = volume.split(":")[0]
            assert name in compose["volumes"] or (folder / name).exists()
        if "build" in service:
            assert (folder / service["build"]["context"] / service["build"]["dockerfile"]).exists()
    upstream = re.findall(r"server (\S+):8421", (folder / "nginx.conf").read_text())
    assert sorted(upstream) == ["dashboard-1", "dashboard-2"] and set(upstream) < set(services)
