"""packaging/container/compose.yaml with podman-compose: results outlive a restart and a crash of each service. PROFLLM_TEST_LONG=1, as root.

PostgreSQL and HAProxy are those of Debian 12, in images that have the names and the interface of the official ones.
"""
import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request

import pytest
from podman_tools import Podman, dashboard_image, status_of
from run_tools import PATIENCE, base_config, run_profllm, write_config
from wait_tools import wait_for

SERVICES = ("dashboard-1", "dashboard-2", "database", "proxy")
# as the official image: the cluster is made at the first start, from the same variables
POSTGRES = {
    "Containerfile": """FROM debian:bookworm-slim
RUN apt-get update && mkdir -p /etc/postgresql-common && echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf \\
 && apt-get install --yes --no-install-recommends postgresql-15
COPY entrypoint /
ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin PGDATA=/var/lib/postgresql/data
VOLUME /var/lib/postgresql/data
STOPSIGNAL SIGINT
ENTRYPOINT ["/entrypoint"]
""",
    "entrypoint": """#!/bin/sh
set -eu
if [ "$(id -u)" = 0 ]; then
	install -d -o postgres -m 700 "$PGDATA"
	exec setpriv --reuid postgres --regid postgres --init-groups "$0"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
	echo "$POSTGRES_PASSWORD" > /tmp/password
	initdb -U "$POSTGRES_USER" --pwfile=/tmp/password --auth-host=scram-sha-256 --auth-local=trust -E UTF8
	echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
	echo "CREATE DATABASE $POSTGRES_DB;" | postgres --single -D "$PGDATA" postgres
fi
exec postgres -c 'listen_addresses=*'
"""}
HAPROXY = {
    "Containerfile": """FROM debian:bookworm-slim
RUN apt-get update && apt-get install --yes --no-install-recommends haproxy
USER haproxy
STOPSIGNAL SIGUSR1
CMD ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
"""}

pytestmark = [pytest.mark.release_only, pytest.mark.skipif("PROFLLM_TEST_LONG" not in os.environ, reason="only with PROFLLM_TEST_LONG=1")]


def unused_port():
    with socket.create_server(("127.0.0.1", 0)) as own:
        return own.getsockname()[1]


def build_image(podman, folder, tag, files):
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    podman.build(tag, folder / "Containerfile", folder)


class Lab:
    """The services of compose.yaml, with another port on the host and another network."""

    def __init__(self, podman, source_dir, bin_dir, folder):
        self.podman, self.bin_dir = podman, bin_dir
        self.port, self.project = unused_port(), f"profllm{os.getpid()}"
        self.url = f"http://localhost:{self.port}"
        shutil.copytree(source_dir / "packaging/container", folder / "container")
        self.file = folder / "container/compose.yaml"
        text = self.file.read_text()
        assert text.count("127.0.0.1:8421:8421") == 1
        self.subnet = f"10.84.{100 + os.getpid() % 100}.0/24"
        self.file.write_text(text.replace("127.0.0.1:8421:8421", f"127.0.0.1:{self.port}:8421").replace("10.84.21.0/24", self.subnet))
        self.token_file = folder / "me.token"
        self.token_file.touch(0o600)

    def compose(self, *words):
        """Returns its output. podman-compose 1.0 needs the name of the project, and reports failures only in its output."""
        done = self.podman.call("-p", self.project, "-f", self.file, *words, program="podman-compose", env={"POSTGRES_PASSWORD": "s3cret"})
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def name(self, service):
        return f"{self.project}_{service}_1"

    def inspect(self, service, key):
        return self.podman.call("inspect", "--format", "{{%s}}" % key, self.name(service)).stdout.strip()

    def restart(self, service):
        self.podman.run("restart", "--time", "60", self.name(service))

    def crash(self, service):
        """Kills the first process of a container, as a crash does, and waits until podman has started it again."""
        pid = int(self.inspect(service, ".State.Pid"))
        assert pid > 1
        os.kill(pid, 9)
        wait_for(lambda: (new := self.inspect(service, ".State.Pid")).isdigit() and int(new) not in (0, pid), f"{service} starts again", 60)

    def upload(self, *files):
        return run_profllm(self.bin_dir, "upload", "--to", self.url, "--token-file", self.token_file, *files)

    def get(self, path):
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {self.token_file.read_text().strip()}"})
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.read()

    def read_all(self):
        """Returns the hash of the document and of the requests of each experiment. The requests are artifacts on the volume."""
        rows = json.loads(self.get("/api/data/experiments?limit=100"))["rows"]
        return {row["id"]: [hashlib.sha256(self.get(f"/api/data/experiments/{row['id']}/{part}")).hexdigest() for part in ("raw", "requests?limit=5")]
                for row in rows}

    def is_up(self):
        return status_of(f"{self.url}/api/health/ready") == 200

    def proxy_sees(self, dashboard):
        """Whether the last change that the proxy has logged is that the dashboard is up."""
        lines = [line for line in self.podman.run("logs", self.name("proxy")).splitlines() if f"dashboards/{dashboard}" in line]
        changes = re.findall(r" is (UP|DOWN|going MAINT)|could not (resolve)", "\n".join(lines))
        return not changes or "UP" in changes[-1]

    def wait_until_read(self, known):
        """Waits until all results can be read again, through the proxy; twice, for the other dashboard."""
        def same():
            try:
                return [self.read_all() for _ in range(2)] == [known] * 2
            except (OSError, urllib.error.URLError):
                return False

        wait_for(same, f"{len(known)} experiments can be read", 60, look_s=0.2)

    def wait_for_both(self):
        """Waits until the proxy can use both dashboards."""
        wait_for(lambda: self.is_up() and all(map(self.proxy_sees, ("dashboard-1", "dashboard-2"))), "the proxy uses both dashboards", 60, look_s=0.5)


@pytest.fixture(scope="module")
def lab(source_dir, bin_dir, tmp_path_factory):
    if not shutil.which("podman-compose"):
        pytest.skip("found no podman-compose")
    folder = tmp_path_factory.mktemp("lab")
    podman = Podman(folder)
    dashboard_image(podman, source_dir, bin_dir, folder, "profllm-dashboard")
    build_image(podman, folder / "postgres", "docker.io/library/postgres:15", POSTGRES)
    build_image(podman, folder / "haproxy", "docker.io/library/haproxy:2.6", HAPROXY)
    lab = Lab(podman, source_dir, bin_dir, folder)
    try:
        # podman-compose 1.0 would give it no subnet
        podman.run("network", "create", "--subnet", lab.subnet, f"{lab.project}_default")
        out = lab.compose("run", "--rm", "dashboard-1", "token", "add", "--token-file", "/var/lib/profllm-dashboard/tokens", "--role", "admin", "me")
        lab.token_file.write_text(re.search(r"^profllm_\S+$", out, re.M)[0])
        lab.compose("up", "-d", "--no-build")
        lab.wait_for_both()
        yield lab
    finally:
        podman.remove_all()


@pytest.fixture(scope="module")
def files(bin_dir, tmp_path_factory):
    """Returns results to upload."""
    folder = tmp_path_factory.mktemp("files")
    made = [folder / f"r{number}.json" for number in range(3 + 3 * len(SERVICES))]
    done = run_profllm(bin_dir, "run", "-q", "-c", write_config(folder, base_config(num_prompts=4)), "-o", made[0])
    assert done.returncode == 0, done.stderr
    result = json.loads(made[0].read_text())
    artifacts = list(folder.glob("r0.*"))
    for number, path in enumerate(made[1:], 1):
        for artifact in artifacts:
            if artifact != made[0]:
                shutil.copy(artifact, path.with_name(artifact.name.replace("r0.", f"r{number}.")))
        text = json.dumps({**result, "run_id": f"{result['run_id'][:-6]}{number:06x}"}).replace("r0.", f"r{number}.")
        path.write_text(text)
    return iter(made)


@pytest.fixture(scope="module")
def stored(lab, files):
    done = lab.upload(*(next(files) for _ in range(3)))
    assert done.returncode == 0, done.stderr
    known = lab.read_all()
    assert len(known) == 3
    return known


def outage(lab, known, action, service, path):
    """Stops a service while a reader and an upload work. Returns (statuses that readers got, the stored results)."""
    seen, over = [], threading.Event()

    def read():
        while not over.is_set():
            seen.append(status_of(f"{lab.url}/api/health"))
            time.sleep(0.05)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        sender = threading.Thread(target=lambda: seen.append(lab.upload(path)))
        sender.start()
        action(service)
        sender.join(300 * PATIENCE)
        lab.wait_for_both()
    finally:
        over.set()
        reader.join()
    uploads = [one for one in seen if isinstance(one, subprocess.CompletedProcess)]
    assert len(uploads) == 1 and uploads[0].returncode == 0, uploads
    rows = lab.read_all()
    lab.wait_until_read(rows)
    assert len(rows) == len(known) + 1 and known.items() <= rows.items()
    return [one for one in seen if one not in uploads], rows


@pytest.mark.parametrize("service", SERVICES)
def test_each_service_restarts(lab, stored, files, service):
    """An upload that runs meanwhile ends well. A dashboard that restarts costs no request at all."""
    seen, rows = outage(lab, stored, lab.restart, service, next(files))
    if service.startswith("dashboard"):
        assert set(seen) == {200}, seen
    stored.update(rows)


@pytest.mark.parametrize("service", SERVICES)
def test_each_service_crashes(lab, stored, files, service):
    _, rows = outage(lab, stored, lab.crash, service, next(files))
    stored.update(rows)


def test_a_dashboard_is_away(lab, stored, files):
    """The other one answers, and a proxy that starts meanwhile finds it."""
    lab.podman.run("stop", "--time", "60", lab.name("dashboard-1"))
    try:
        lab.wait_until_read(stored)
        lab.restart("proxy")
        lab.wait_until_read(stored)
        done = lab.upload(next(files))
        assert done.returncode == 0, done.stderr
        stored.update(lab.read_all())
    finally:
        lab.podman.run("start", lab.name("dashboard-1"))
    lab.wait_for_both()


def test_all_containers_are_made_anew(lab, stored):
    """Volumes remain; the data is consistent."""
    lab.compose("down")
    assert lab.podman.call("ps", "--all", "--quiet").stdout == ""
    lab.compose("up", "-d", "--no-build")
    lab.wait_for_both()
    lab.wait_until_read(stored)
    done = lab.podman.call("exec", lab.name("dashboard-2"), "profllm-dashboard", "check", "--db", "postgres://profllm@database/profllm",
                           "--data", "/var/lib/profllm-dashboard/files")
    assert done.returncode == 0, done.stdout + done.stderr
