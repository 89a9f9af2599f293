#!/usr/bin/python3 -IS
"""Stands for docker and podman in tests, by the name it is started as. `runtime.py daemon FOLDER` owns the containers,
as docker's daemon does: they are no descendants of the client. FOLDER/calls has one line per call of a client, and
FOLDER/faults.json says what goes wrong."""
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

NAME = os.path.basename(sys.argv[0])
VALUES = {"-v", "--name", "--label", "--network", "--publish", "--env", "--gpus", "--device", "--volume", "--shm-size", "--cpuset-cpus", "--entrypoint"}
DIGEST = "sha256:" + "d" * 64
IMAGE_ID = "sha256:" + "1" * 64


def faults(folder):
    try:
        with open(f"{folder}/faults.json") as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


class Daemon:
    def __init__(self, folder, server):
        self.folder = folder
        self.server = server
        self.containers = {}
        self.counts = {}

    def run(self, request, output):
        options, at = {}, 1
        words = request["argv"]
        while words[at].startswith("-"):
            name, _, value = words[at].partition("=")
            at += 1
            if name in VALUES and not value:
                value = words[at]
                at += 1
            options.setdefault(name, []).append(value)
        name = options["--name"][0]
        if name in self.containers:
            os.write(output, f'docker: Error response from daemon: Conflict. The container name "/{name}" is already in use\n'.encode())
            return 125
        fault = faults(self.folder).get("run")
        if fault:
            os.write(output, fault.encode() + b"\n")
            return 125
        env = {"PATH": os.environ["PATH"]}
        for text in options.get("--env", []):
            key, equals, value = text.partition("=")
            env[key] = value if equals else request["env"].get(key, "")
        with open(f"{self.folder}/container.json", "w") as file:
            json.dump({"options": options, "env": env, "words": words[at + 1:]}, file)
        del env["PROFLLM_RUN"]  # what another user's processes show
        # the process leads a session of its own, and its client may be gone before it
        command = words[at + 1:]
        entry = self.server if command[0] == "serve" else [*self.server, "serve"]
        process = subprocess.Popen([*entry, *command], env=env, stdout=output, stderr=output, stdin=subprocess.DEVNULL,
                                   start_new_session=True)
        self.containers[name] = process
        status = process.wait()
        if not faults(self.folder).get("stays"):
            self.containers.pop(name, None)
        return status if status >= 0 else 128 - status

    def kill(self, request, _output):
        number = int(request["argv"][1].split("=")[1])
        process = self.containers.get(request["argv"][-1])
        if process is None or process.poll() is not None:
            return 1
        if not (number == signal.SIGTERM and faults(self.folder).get("deaf")):
            os.kill(process.pid, number)
        return 0

    def rm(self, request, output):
        name = request["argv"][-1]
        self.counts["rm"] = self.counts.get("rm", 0) + 1
        if self.counts["rm"] <= faults(self.folder).get("rm_fails", 0):
            os.write(output, b"Error response from daemon: device or resource busy\n")
            return 1
        process = self.containers.pop(name, None)
        if process is not None and process.poll() is None:
            process.kill()
        return 0

    def ps(self, request, output):
        if "ps" in faults(self.folder):
            os.write(output, faults(self.folder)["ps"].encode())
            return 0
        wanted = request["argv"][request["argv"].index("--filter") + 1].removeprefix("name=^").removesuffix("$")
        if wanted in self.containers or faults(self.folder).get("taken"):
            os.write(output, f"{wanted}\n".encode())
        return 0

    def container(self, request, output):
        process = self.containers.get(request["argv"][-1])
        if process is None:
            return 1
        facts = {"Image": IMAGE_ID, "State": {"Pid": process.pid}}
        os.write(output, json.dumps({**facts, **faults(self.folder).get("facts", {})}).encode() + b"\n")
        return 0

    def image(self, request, output):
        image = request["argv"][-1]
        if "missing" in image:
            os.write(output, f"Error response from daemon: No such image: {image}\n".encode())
            return 1
        os.write(output, json.dumps({"Id": IMAGE_ID, "RepoDigests": [f"vllm/vllm-openai@{DIGEST}"]}).encode() + b"\n")
        return 0

    def version(self, _request, output):
        os.write(output, b'{"Client":{"Version":"1.2.3"},"Server":{"Version":"28.2.2"}}\n')
        return 0

    def answer(self, connection):
        text, fds, _, _ = socket.recv_fds(connection, 1 << 20, 1)
        request = json.loads(text)
        status = getattr(self, request["argv"][0])(request, fds[0])
        os.close(fds[0])
        try:
            connection.sendall(f"{status}\n".encode())
        except OSError:  # the client was killed
            pass
        connection.close()

    def serve(self):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"{self.folder}/socket")
        listener.listen()
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()


def client(folder, argv):
    with open(f"{folder}/calls", "a") as file:
        file.write(json.dumps([NAME, *argv]) + "\n")
    now = faults(folder)
    time.sleep(now.get("slow", {}).get(argv[0], 0))
    connection = socket.socket(socket.AF_UNIX)
    try:
        if now.get("down"):
            raise OSError
        connection.connect(f"{folder}/socket")
    except OSError:
        print("Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?", file=sys.stderr)
        return 1
    request = json.dumps({"argv": argv, "env": dict(os.environ)}).encode()
    socket.send_fds(connection, [request], [1])
    status = b""
    while not status.endswith(b"\n"):
        status += connection.recv(16) or b"125\n"
    return int(status)


if sys.argv[1:2] == ["daemon"]:
    Daemon(sys.argv[2], sys.argv[3:]).serve()
sys.exit(client(os.environ["FAKE_RUNTIME"], sys.argv[1:]))
