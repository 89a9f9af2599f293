"""A dashboard at a Unix socket: only its user has access, and it offers all that the port does."""
import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import sys

import pytest
from dashboard_tools import REACH, Dashboard, little
from import_tools import environment
from wait_tools import wait_for


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self.path))


def start(bin_dir, folder, path, *args):
    process = subprocess.Popen([bin_dir / "profllm-dashboard", "serve", "--db", folder / "d.db", "--socket", path, *args],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=environment())
    line = process.stdout.readline()
    return process, line


def stop(process):
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def get(path, target, **headers):
    connection = Connection(path)
    connection.request("GET", target, headers=headers)
    reply = connection.getresponse()
    answer = reply.status, json.loads(reply.read())
    connection.close()
    return answer


def test_results_by_a_socket(bin_dir, tmp_path):
    path = tmp_path / "s"
    process, line = start(bin_dir, tmp_path, path)
    try:
        assert line == f"listening on unix:{path}\n"
        assert stat.S_ISSOCK(path.stat().st_mode) and path.stat().st_mode & 0o777 == 0o600
        (tmp_path / "r.json").write_text(json.dumps(little(1)))
        done = subprocess.run([bin_dir / "profllm", "upload", "--to", f"unix:{path}", tmp_path / "r.json"], capture_output=True,
                              text=True, env=environment(), timeout=60)
        assert done.returncode == 0, done.stderr
        wait_for(lambda: get(path, "/api/health") == (200, {**get(path, "/api/health")[1], "total": 1}), "it is stored")
        # a page of another site gets in here as little as at the port
        assert get(path, "/api/health", Host="example.com")[0] == 403
        other, line = start(bin_dir, tmp_path / "..", path)
        assert line == "" and other.wait(30) == 5 and f"another program listens on '{path}'" in other.stderr.read()
        other.communicate()
    finally:
        code, out, err = stop(process)
    assert (code, out, err) == (0, "", "profllm-dashboard: only you and root can reach this dashboard\n")
    assert not path.exists()


def test_a_socket_that_a_killed_server_left(bin_dir, tmp_path):
    path = tmp_path / "s"
    process, _ = start(bin_dir, tmp_path, path)
    process.kill()
    process.communicate()
    assert path.exists()
    process, line = start(bin_dir, tmp_path, path)
    assert line == f"listening on unix:{path}\n" and stop(process)[0] == 0
    path.write_text("mine")
    process, line = start(bin_dir, tmp_path, path)
    assert line == "" and process.wait(30) == 2
    assert f"--socket: '{path}' exists and is not a socket" in process.communicate()[1] and path.read_text() == "mine"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a second user")
def test_another_user(bin_dir, tmp_path):
    """The permissions of the file exclude other users; where they do not, the server does."""
    path = tmp_path / "s"
    script = ("import os, socket, sys; os.setgid(65534); os.setuid(65534); s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
              " s.sendall(b'GET /api/health HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n');"
              " print(s.makefile().read())")
    for folder in (tmp_path, *tmp_path.parents):
        if folder != folder.parent and not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    process, _ = start(bin_dir, tmp_path, path)
    try:
        done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, timeout=60)
        assert done.returncode == 1 and "PermissionError" in done.stderr
        path.chmod(0o666)
        done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, timeout=60)
        assert done.stdout.startswith("HTTP/1.1 403 ") and "only the user who started the server" in done.stdout, done
    finally:
        assert stop(process)[0] == 0


def test_reach_of_the_port(bin_dir, tmp_path):
    with Dashboard(bin_dir, tmp_path / "d.db") as one:
        one.process.send_signal(signal.SIGTERM)
        assert one.process.communicate(timeout=60) == ("", REACH)
