"""packaging/helm/profllm. Where `helm` is in PATH, it renders the chart: the objects equal packaging/kubernetes, and values change what they name."""
import json
import re
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest
import yaml

SOURCE = Path(__file__).resolve().parents[3]
CHART = SOURCE / "packaging/helm/profllm"
VALUES = yaml.safe_load((CHART / "values.yaml").read_text())
SCHEMA = json.loads((CHART / "values.schema.json").read_text())
# what only the chart adds
CHART_LABELS = {"app.kubernetes.io/instance", "app.kubernetes.io/version", "app.kubernetes.io/managed-by", "helm.sh/chart"}
POSTGRES = "postgres://profllm@database/profllm"


def leaves(value, before=()):
    """Returns the paths of the values that a user sets: an object that templates copy as it is counts as one."""
    free = {"resources", "podSecurityContext", "securityContext"}
    if isinstance(value, dict) and value and not (before and before[-1] in free):
        return {path for key, inner in value.items() for path in leaves(inner, (*before, key))}
    return {before}


def test_values_and_templates_name_the_same():
    text = "\n".join(path.read_text() for path in (CHART / "templates").iterdir())
    used = {tuple(name.split(".")) for name in re.findall(r"\.Values\.([A-Za-z.]+)", text)}
    assert used == leaves(VALUES)


def test_schema_has_all_values():
    jsonschema.validate(VALUES, SCHEMA)

    def check(schema, value, path=()):
        if "properties" in schema:
            assert set(value) == set(schema["properties"]) - {"global"} and schema["additionalProperties"] is False, path
            for key, inner in value.items():
                check(schema["properties"][key], inner, (*path, key))

    check(SCHEMA, VALUES)


def test_versions_are_those_of_the_project():
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    version = re.search(r"project\(profllm VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]
    assert chart["version"] == chart["appVersion"] == version


def test_secrets_are_private():
    """The dashboard refuses a file of tokens that every user can read."""
    dashboard = (SOURCE / "packaging/kubernetes/dashboard.yaml").read_text()
    for text in (dashboard, (CHART / "templates/deployment.yaml").read_text()):
        assert "defaultMode: 0440" in text
    assert yaml.safe_load("a: 0440") == {"a": 0o440}


def render(*options, status=0):
    """Returns the objects by their kinds and names; on a failure, the error."""
    if not shutil.which("helm"):
        pytest.skip("found no helm")
    done = subprocess.run(["helm", "template", "profllm", CHART, "--kube-version", "1.29.0", *options], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    if status:
        return done.stderr
    parts = [part for part in yaml.safe_load_all(done.stdout) if part]
    found = {(part["kind"], part["metadata"]["name"]): part for part in parts}
    assert len(found) == len(parts)
    return found


def plain(name):
    return {(part["kind"], part["metadata"]["name"]): part
            for part in yaml.safe_load_all((SOURCE / f"packaging/kubernetes/{name}.yaml").read_text())}


def without_chart(part):
    """Returns an object without the labels and defaults that only the chart writes."""
    if isinstance(part, dict):
        return {key: without_chart(value) for key, value in part.items()
                if key not in CHART_LABELS and [key, value] not in (["imagePullPolicy", "IfNotPresent"], ["annotations", {"helm.sh/resource-policy": "keep"}])}
    return [without_chart(inner) for inner in part] if isinstance(part, list) else part


def container_of(part):
    return part["spec"]["template"]["spec"]["containers"][0]


def args_of(objects):
    return container_of(objects["Deployment", "profllm-dashboard"])["args"]


def test_defaults_equal_the_manifests():
    assert {key: without_chart(part) for key, part in render().items()} == plain("dashboard")


def test_postgres_equals_the_patch():
    """The Deployment is that of `kubectl patch`."""
    expected = plain("dashboard")["Deployment", "profllm-dashboard"]
    patch = yaml.safe_load((SOURCE / "packaging/kubernetes/postgres-patch.yaml").read_text())["spec"]
    expected["spec"].update(replicas=patch["replicas"], strategy={"type": "RollingUpdate"})
    container_of(expected).update(patch["template"]["spec"]["containers"][0])
    found = render("--set", f"database.url={POSTGRES},dashboard.replicas=2")
    assert without_chart(found["Deployment", "profllm-dashboard"]) == expected
    assert found["PersistentVolumeClaim", "profllm-dashboard"]["spec"]["accessModes"] == ["ReadWriteMany"]


def test_the_job_equals_the_manifest():
    found = {key: without_chart(part) for key, part in render("--set", "run.enabled=true").items() if key[0] in ("ConfigMap", "Job")}
    assert set(found) == {("ConfigMap", "profllm-run-1"), ("Job", "profllm-run-1")}
    assert json.loads(json.dumps(found["Job", "profllm-run-1"]).replace("profllm-run-1", "profllm-run")) == plain("run-job")["Job", "profllm-run"]
    assert found["ConfigMap", "profllm-run-1"]["data"] == plain("run-job")["ConfigMap", "profllm-run"]["data"]


def test_selectors_find_their_pods():
    """Two releases in one namespace do not share pods."""
    found = render("--set", "run.enabled=true")
    deployment, service = found["Deployment", "profllm-dashboard"], found["Service", "profllm-dashboard"]
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"] == labels
    assert labels["app.kubernetes.io/instance"] == "profllm"
    assert found["Job", "profllm-run-1"]["spec"]["template"]["metadata"]["labels"].items() & labels.items() == {("app.kubernetes.io/instance", "profllm")}


def test_values_change_what_they_name():
    found = render("--set", "ingress.enabled=true,ingress.host=bench.example.org,ingress.tlsSecret=cert,ingress.className=nginx",
                   "--set", "dashboard.trustedProxies={10.0.0.0/8,::1},dashboard.allowHosts={a.example},dashboard.extraArgs={--log-level,debug}",
                   "--set", "persistence.existingClaim=old,tokens.secret=t,tokens.key=k,imagePullSecrets[0].name=pull,dashboard.image.tag=9.1-2")
    assert ("PersistentVolumeClaim", "profllm-dashboard") not in found
    args = args_of(found)
    assert args[args.index("--allow-host"):] == ["--allow-host", "profllm-dashboard", "--allow-host", "bench.example.org", "--allow-host", "a.example",
                                                 "--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", "::1", "--log-level", "debug"]
    pod = found["Deployment", "profllm-dashboard"]["spec"]["template"]["spec"]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    assert volumes["data"]["persistentVolumeClaim"] == {"claimName": "old"}
    assert volumes["tokens"]["secret"] == {"secretName": "t", "defaultMode": 0o440, "items": [{"key": "k", "path": "tokens"}]}
    assert pod["imagePullSecrets"] == [{"name": "pull"}] and container_of(found["Deployment", "profllm-dashboard"])["image"] == "profllm-dashboard:9.1-2"
    ingress = found["Ingress", "profllm-dashboard"]["spec"]
    assert ingress["tls"] == [{"hosts": ["bench.example.org"], "secretName": "cert"}] and ingress["ingressClassName"] == "nginx"
    backend = ingress["rules"][0]["http"]["paths"][0]["backend"]["service"]
    assert ingress["rules"][0]["host"] == "bench.example.org" and backend == {"name": "profllm-dashboard", "port": {"name": "http"}}
    service = found["Service", "profllm-dashboard"]["spec"]["ports"][0]
    assert service["name"] == "http"
    job = render("--set", "run.enabled=true,run.upload=false,run.existingClaim=results,service.port=80")["Job", "profllm-run-1"]
    assert container_of(job)["args"] == VALUES["run"]["args"]
    assert {"name": "results", "persistentVolumeClaim": {"claimName": "results"}} in job["spec"]["template"]["spec"]["volumes"]
    assert "secret" not in json.dumps(job)


def test_the_options_exist(bin_dir):
    """The programs have all options that the chart writes."""
    args = args_of(render("--set", f"database.url={POSTGRES},dashboard.trustedProxies={{::1}}"))
    shown = subprocess.run([bin_dir / "profllm-dashboard", "serve", "--help"], capture_output=True, text=True, check=True).stdout
    assert all(f" {arg} " in shown for arg in args if arg.startswith("--"))
    args = container_of(render("--set", "run.enabled=true")["Job", "profllm-run-1"])["args"]
    shown = subprocess.run([bin_dir / "profllm", "run", "--help"], capture_output=True, text=True, check=True).stdout
    assert all(f" {arg} " in shown for arg in args if arg.startswith("--"))


@pytest.mark.parametrize(("option", "expected"), [
    ("dashboard.replicas=2", "dashboard.replicas: found 2, expected 1 with SQLite; set database.url"),
    ("ingress.enabled=true", "ingress.host: found nothing, expected the name of the host"),
    ("dashboard.imgae.tag=1", "imgae"), ("database.url=mysql://x", "url"), ("dashboard.drain=soon", "drain"), ("service.port=0", "port"),
])
def test_values_that_do_not_fit(option, expected):
    assert expected in render("--set", option, status=1)


def test_helm_lint():
    if not shutil.which("helm"):
        pytest.skip("found no helm")
    done = subprocess.run(["helm", "lint", "--strict", CHART], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
