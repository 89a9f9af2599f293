"""Debian packages: building them, the service's unit, and a bare Debian to install them in."""
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from host_tools import need
from run_tools import PATIENCE, children_of
from wait_tools import wait_for

PROGRAMS = ("profllm", "profllm-dashboard", "profllm-sim")
SERVICE = "profllm-dashboard"
LIBRARIES = ("libprofllm0", "libprofllm-dev")
# what a session in a bare Debian has, and nothing of ours
ENVIRONMENT = {"HOME": "/root", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
# Plays systemd for one service: its user, options and command are those of the unit.
SYSTEMCTL = """#!/bin/sh
unit=/lib/systemd/system/profllm-dashboard.service file=/run/dashboard.pid log=/run/dashboard.log
value() { sed -n "s/^$1=-\\\\?//p" $unit; }
running() { [ -f $file ] && readlink "/proc/$(cat $file)/exe" >/dev/null; }
stop() {
	running && kill "$(cat $file)"
	while running; do sleep 0.05; done
	rm -f $file
}
start() {
	set -a; . "$(value EnvironmentFile)"
	eval "set -- $(value ExecStart | sed 's/\\$PROFLLM_DASHBOARD_OPTIONS/& /')"
	user=$(value User)
	: >$log # not the address of an earlier start
	setpriv --reuid "$user" --regid "$user" --init-groups --no-new-privs --bounding-set=-all "$@" >$log 2>&1 </dev/null &
	echo $! >$file
	until grep -q '^listening on ' $log; do running || { cat $log >&2; exit 1; }; sleep 0.05; done
}
case $1 in
start | stop) $1 ;;
restart) stop; start ;;
status) running ;;
*) echo "systemctl: no $1 here" >&2; exit 1 ;;
esac
"""


def make_packages(source_dir, bin_dir, out, *options):
    """Returns the files by package. Their compression is faster than that of a release."""
    need("dh")
    done = subprocess.run([source_dir / "tools/make-packages", *options, bin_dir.parent, out], capture_output=True, text=True,
                          timeout=300 * PATIENCE, check=False, env={**os.environ, "DPKG_DEB_COMPRESSOR_TYPE": "gzip"})
    assert done.returncode == 0, done.stdout + done.stderr
    files = {path.name.split("_")[0]: path for path in out.iterdir()}
    assert sorted(files) == sorted(PROGRAMS + LIBRARIES) and sorted(done.stdout.split()) == sorted(str(path) for path in files.values())
    return files


def values_of(unit, key):
    return [line.partition("=")[2] for line in unit.splitlines() if line.startswith(f"{key}=")]


def system_calls(unit):
    """Returns the names that the filter of a unit allows, with the sets of systemd-analyze."""
    listing = subprocess.run([need("systemd-analyze"), "syscall-filter", "--no-pager"], capture_output=True, text=True, check=True).stdout
    sets = {}
    for part in re.split(r"\n(?=@)", listing):
        name, *lines = part.splitlines()
        sets[name.strip()] = [line.strip() for line in lines if line.startswith("    ") and not line.strip().startswith("#")]

    def names(word):
        return {one for inner in sets[word] for one in names(inner)} if word.startswith("@") else {word}

    allowed = names("@default")
    for value in values_of(unit, "SystemCallFilter"):
        for word in value.removeprefix("~").split():
            allowed = allowed - names(word) if value.startswith("~") else allowed | names(word)
    return allowed


def copy_settings(root, is_own_release=True):
    """Copies the host's certificates and, for its own release, package sources, so that apt works in the root as it does here."""
    found = [*Path("/etc/apt/apt.conf.d").glob("99*"), Path("/etc/resolv.conf"), Path("/etc/hosts"), Path("/etc/ssl/certs/ca-certificates.crt")]
    if is_own_release:
        (root / "etc/apt/sources.list").unlink(missing_ok=True)
        found += [*Path("/etc/apt").glob("sources.list"), *Path("/etc/apt/sources.list.d").iterdir()]
    for path in found:
        if path.exists():
            target = root / path.relative_to("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            shutil.copy(path, target)


def mirror():
    for path in [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]:
        found = re.search(r"^(?:URIs:|deb(?: \[.*?\])?) *(http\S+)", path.read_text() if path.exists() else "", re.M)
        if found:
            return found[1]
    pytest.skip("no mirror in /etc/apt")


class BareDebian:
    """A root that debootstrap makes, with processes and a loopback of its own. Only prepare() reaches the network."""

    def __init__(self, folder, release=None):
        """Makes a root of the release `release`; without it, of the release of the host."""
        host = platform.freedesktop_os_release()
        release = release or host.get("VERSION_CODENAME")
        if host.get("ID") != "debian" or os.geteuid() != 0 or not all(map(shutil.which, ("debootstrap", "unshare", "nsenter"))):
            pytest.skip("needs root on Debian, with debootstrap")
        self.root = folder / "root"
        done = subprocess.run(["debootstrap", "--variant=minbase", release, self.root, mirror()], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"debootstrap could not make a root: {(done.stdout + done.stderr).strip().splitlines()[-1]}")
        copy_settings(self.root, release == host["VERSION_CODENAME"])
        self.holder = None

    def prepare(self, command):
        """Runs a command in the network of the host."""
        with self.session():
            self.run(command)

    def session(self, *more):
        mounts = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" sleep infinity'
        self.holder = subprocess.Popen(["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private", *more,
                                        "sh", "-c", mounts, self.root])
        wait_for(lambda: any(Path(f"/proc/{pid}/comm").read_text() == "sleep\n" for pid in children_of(self.holder.pid)),
                 "the session has started", process=self.holder)
        self.pid, = children_of(self.holder.pid)
        return self

    def offline(self):
        """Returns a session with only a loopback."""
        self.session("--net")
        up = "import fcntl, socket, struct; fcntl.ioctl(socket.socket(), 0x8914, struct.pack('16sh14x', b'lo', 1))"
        self.outside(sys.executable, "-c", up)
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.holder.kill()
        self.holder.wait()

    def run(self, command, status=0):
        """Runs a shell command as root of the session; returns its output."""
        log = self.root / "run-output"
        with open(log, "w") as file:  # no pipe: a service that it starts would hold it
            done = subprocess.run(["nsenter", "--target", str(self.pid), "--mount", "--pid", "--net", "--root", "--wdns=/root",
                                   "sh", "-ec", command], stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, env=ENVIRONMENT,
                                  timeout=600 * PATIENCE, check=False)
        text = log.read_text(errors="replace")
        assert done.returncode == status, f"{command}\n{text}"
        return text

    def outside(self, *words):
        """Runs a program of the host in the network of the session."""
        return subprocess.run(["nsenter", "--target", str(self.pid), "--net", *words], capture_output=True, text=True, check=True).stdout

    def path(self, name):
        return self.root / name.lstrip("/")
