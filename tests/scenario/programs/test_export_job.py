"""`profllm export-job`: what it writes equals tests/scenario/data/export_job, fits Kubernetes' structure, and runs. Where Python's
package kubernetes_validate is installed, Kubernetes' own schemas also check it; no package of Debian or npm has them."""
import contextlib
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from run_tools import base_config, load_result, run_profllm, write_config

SOURCE = Path(__file__).resolve().parents[3]
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
    """As many as a run reserves."""
    for launch, server, expected in (({}, {}, "4"), ({"gpus": [0, 1, 2, 3]}, {}, "4"), ({"gpus": []}, {}, None), ({"platform": "cpu"}, {}, None),
                                     ({}, {"prefill_context_parallel_size": 2}, "8")):
        config = {**SERVER, "server": {**SERVER["server"], **server}, "launch": {**SERVER["launch"], **launch}}
        found = re.search(r"nvidia.com/gpu: (\d+)", export(bin_dir, tmp_path, config, "--kubernetes", "--claim", "c").stdout)
        assert (found[1] if found else None) == expected


def parts_of(done):
    """Returns the ConfigMap, the Job, and its containers by their names."""
    assert done.returncode == 0, done.stderr
    config_map, job = yaml.safe_load_all(done.stdout)
    pod = job["spec"]["template"]["spec"]
    check_pod(pod)
    return config_map, job, {container["name"]: container for container in pod.get("initContainers", []) + pod["containers"]}


def expanded(text):
    """Returns what Kubernetes makes of a word without variables."""
    return text.replace("$$", "$")


@pytest.mark.parametrize("text", ["a: b", "- x", "#c", "'q'", '"', "a\nb\r\n\tc", "\x85", "\u2028", "yes", "1e3", "~", "{a}", "a\\b", "\U0001d54f", "$$X", "$(A)", "\x7f",
                                  "\ufeffb", " x ", "END_OF_EXPERIMENT", "!!int 3", "&a", "|", "2001-01-01", "="])
def test_every_text_arrives(bin_dir, tmp_path, text):
    """A reader of YAML, Kubernetes' replacement of variables and a shell return what the experiment has."""
    config = {"name": text, "server": {"model": "m"}, "benchmark": {"num_prompts": 1, "extra_body": {text: [text, {"k": text}]}},
              "launch": {"env": {"A": text}, "extra_args": [f"--x={text}"], "container": {"image": "i", "args": ["-e", f"B={text}"]}}}
    config_map, _, containers = parts_of(export(bin_dir, tmp_path, config, "--kubernetes", "--claim", "c"))
    inside = yaml.safe_load(config_map["data"]["experiment.yaml"])
    assert inside["name"] == text and inside["benchmark"]["extra_body"] == config["benchmark"]["extra_body"]
    server = containers["server"]
    assert {variable["name"]: expanded(variable["value"]) for variable in server["env"]} == {"A": text, "B": text}
    assert expanded(server["args"][-1]) == f"--x={text}"
    assert "$(A)" not in server["args"][-1].replace("$$", "")
    script = export(bin_dir, tmp_path, config, "--slurm").stdout
    done = subprocess.run(["sh"], input=script.replace("exec profllm", "exec true"), env={"SLURM_SUBMIT_DIR": str(tmp_path), "PATH": os.environ["PATH"]},
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    written, = tmp_path.glob("*-0.yaml")
    inside = yaml.safe_load(written.read_text())
    assert (inside["launch"]["env"], inside["launch"]["extra_args"]) == ({"A": text}, [f"--x={text}"])


@pytest.mark.parametrize(("name", "expected"), [("123", "123"), ("TRUE", "true"), ("null", "null"), ("NO", "no"), ("0x1f", "0x1f"), ("1e5", "1e5"), ("é!", "profllm-run"),
                                                ("x" * 99, "x" * 50)])
def test_a_name_stays_a_text(bin_dir, tmp_path, name, expected):
    done = export(bin_dir, tmp_path, {**SERVER, "name": name}, "--kubernetes", "--claim", "123", "--secret", "true")
    config_map, job, containers = parts_of(done)
    pod = job["spec"]["template"]["spec"]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    assert config_map["metadata"]["name"] == job["metadata"]["name"] == volumes["experiment"]["configMap"]["name"] == expected
    assert volumes["results"]["persistentVolumeClaim"]["claimName"] == "123"
    assert all(variable["valueFrom"]["secretKeyRef"]["name"] == "true" for variable in containers["profllm"]["env"])


def test_names_of_variables_stay_texts(bin_dir, tmp_path):
    config = {**SERVER, "launch": {**SERVER["launch"], "env": {"NO": "1", "on": "2"}}}
    _, _, containers = parts_of(export(bin_dir, tmp_path, config, "--kubernetes", "--claim", "c"))
    assert [variable["name"] for variable in containers["server"]["env"]][:2] == ["NO", "on"]


def test_secrets_for_a_running_server(bin_dir, tmp_path):
    """The experiment refers to variables, so the container that reads it has them."""
    config = {**RUNNING, "server": {"model": "m", "api_key": "s3cret-1"}, "launch": {**RUNNING["launch"], "env": {"MY_TOKEN": "s3cret-2"}}}
    config_map, _, containers = parts_of(export(bin_dir, tmp_path, config, "--kubernetes", "--claim", "c"))
    inside = yaml.safe_load(config_map["data"]["experiment.yaml"])
    assert inside["launch"]["env"] == {name: f"${{{name}}}" for name in ("MY_TOKEN", "VLLM_API_KEY")}
    assert {variable["name"] for variable in containers["profllm"]["env"]} == set(inside["launch"]["env"])


def test_options_of_a_container(bin_dir, tmp_path):
    container = {"image": "i", "args": ["--entrypoint", "vllm", "--ipc=host", "-v", "/m:/m", "-e", "A=b"], "command": ["serve"]}
    done = export(bin_dir, tmp_path, {**SERVER, "launch": {"container": container}}, "--kubernetes", "--claim", "c")
    server = parts_of(done)[2]["server"]
    assert server["command"] == ["vllm"] and server["args"][:2] == ["serve", SERVER["server"]["model"]]
    assert {"name": "A", "value": "b"} in server["env"]
    assert "launch.container: the job has no -v" in done.stderr and "--ipc" not in done.stderr


def test_sizes_of_a_config_map(bin_dir, tmp_path):
    for size, status, message in ((300_000, 0, "use 'kubectl create'"), (1_100_000, 2, "too large for a ConfigMap, which holds 1 MiB")):
        config = {**SERVER, "benchmark": {**SERVER["benchmark"], "extra_body": {"a": "x" * size}}}
        done = export(bin_dir, tmp_path, config, "--kubernetes", "--claim", "c")
        assert done.returncode == status and message in done.stderr, done.stderr


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
    (SERVER, ["--kubernetes", "--claim", "A_b"], "--claim: found 'A_b', expected a name of Kubernetes"),
    (SERVER, ["--kubernetes", "--secret", "a,b"], "--secret: found 'a,b', expected a name of Kubernetes"),
    (SERVER, ["--kubernetes", "--time", "9"], "--time works only with --slurm"),
    (SERVER, ["--slurm", "--claim", "c"], "--claim works only with --kubernetes"),
    (SERVER, ["--slurm", "--token-file", "t"], "--token-file works only with --upload"),
    (SERVER, ["--slurm", "--upload", "foo"], "--upload: server URL: found 'foo'"),
    (SERVER, ["--slurm", "--upload", "http://u:s3cret@d:1"], "--upload: found a URL with a secret, expected --token-file"),
    ({**SERVER, "server": {"model": "m", "ssl_certfile": "/c", "ssl_keyfile": "/k"}}, ["--kubernetes"], "server.ssl_certfile: found a file"),
    ({**SERVER, "launch": {}}, ["--kubernetes"], "no image for the server"),
    ({"server": {"model": "m", "seed": "x"}}, ["--slurm"], "server.seed"),
    ({**SERVER, "launch": {"env": {"a-b": "c"}}}, ["--slurm"], "launch.env: found 'a-b'"),
    ({**RUNNING, "benchmark": {"header": ["Authorization=Bearer s3cret"]}}, ["--slurm"], "the experiment contains a secret"),
])
def test_what_is_refused(bin_dir, tmp_path, config, args, message):
    done = export(bin_dir, tmp_path, config, *args)
    assert done.returncode == 2 and message in done.stderr, done.stderr
    assert done.stdout == "" and "s3cret" not in done.stderr


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
    servers = re.findall(r"^\tserver (\S+) (\S+):8421$", (folder / "haproxy.cfg").read_text(), re.M)
    assert sorted(servers) == [("dashboard-1", "dashboard-1"), ("dashboard-2", "dashboard-2")] and {host for _, host in servers} < set(services)
