"""The Debian packages: their contents, dependencies and service, and their life in a bare Debian."""
import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from debian_tools import LIBRARIES, PROGRAMS, SERVICE, SYSTEMCTL, BareDebian, make_packages, system_calls, values_of
from host_tools import need
from run_tools import PATIENCE, base_config, write_config
from wait_tools import wait_for

DATA, OPTIONS = "/var/lib/profllm-dashboard", "/etc/default/profllm-dashboard"
EXPOSURE_MAX = 1.5
ASK = """
import ssl, sys, urllib.request
url, *tls = sys.argv[1:]
request = urllib.request.Request(url)
context = None
if tls:
    request.add_header("Host", tls[0] + ":8443")
    request.add_header("Authorization", "Bearer " + tls[1])
    context = ssl.create_default_context(cafile=tls[2])
    context.check_hostname = False
print(urllib.request.urlopen(request, context=context, timeout=30).read().decode())
"""

# sanitizers add libraries
pytestmark = pytest.mark.release_only
is_long = pytest.mark.skipif("PROFLLM_TEST_LONG" not in os.environ, reason="PROFLLM_TEST_LONG=1 runs it: it makes a bare Debian")


@pytest.fixture(scope="module")
def packages(source_dir, bin_dir, tmp_path_factory):
    return make_packages(source_dir, bin_dir, tmp_path_factory.mktemp("packages"))


@pytest.fixture(scope="module")
def trees(packages, tmp_path_factory):
    """Returns the directory of each extracted package."""
    out = {name: tmp_path_factory.mktemp(name) for name in packages}
    for name, path in packages.items():
        subprocess.run(["dpkg-deb", "--raw-extract", path, out[name]], check=True)
    return out


@pytest.fixture(scope="module")
def unit(trees):
    return (trees[SERVICE] / "lib/systemd/system/profllm-dashboard.service").read_text()


def field(path, name):
    return subprocess.run(["dpkg-deb", "-f", path, name], capture_output=True, text=True, check=True).stdout.strip()


def test_the_version_is_that_of_the_project(packages, source_dir, bin_dir):
    version = re.search(r"project\(profllm VERSION (\S+)", (source_dir / "CMakeLists.txt").read_text())[1]
    for name, path in packages.items():
        assert field(path, "Version") == f"{version}-1" and path.name.startswith(f"{name}_{version}-1_")
        if name in LIBRARIES:
            continue
        assert f" {version}\n" in subprocess.run([bin_dir / name, "--version"], capture_output=True, text=True, check=True).stdout


def test_packages_depend_on_the_libraries_of_their_programs(packages):
    needed = {name: field(path, "Depends") for name, path in packages.items()}
    development = needed.pop("libprofllm-dev")
    assert all(re.search(r"\blibc6 \(>= 2\.\d+\)", text) and "libjansson4" in text for text in needed.values())
    assert re.fullmatch(r"libprofllm0 \(= [\d.]+-1\)", development) and re.search(r"\bprofllm \(>= [\d.]+\)", needed["libprofllm0"])
    for library in ("libgnutls30", "libmicrohttpd12", "libpq5", "libsqlite3-0", "adduser"):
        assert library in needed[SERVICE] and library not in needed["profllm"], library
    # its updates must reach profllm, which reads the XML of nvidia-smi
    assert "libexpat1" in needed["profllm"]
    assert field(packages["profllm"], "Recommends") == "profllm-sim, ca-certificates"


def test_files_are_at_their_places(packages, trees, bin_dir):
    def files(name):
        return {str(path.relative_to(trees[name])) for path in trees[name].rglob("*") if path.is_file()}

    assert {name for name in files("profllm") if not name.startswith(("usr/share/doc/", "usr/share/man/", "DEBIAN/"))} == {
        "usr/bin/profllm", "usr/share/bash-completion/completions/profllm", "usr/share/fish/vendor_completions.d/profllm.fish",
        "usr/share/zsh/vendor-completions/_profllm"}
    assert {"etc/default/profllm-dashboard", "lib/systemd/system/profllm-dashboard.service", "usr/bin/profllm-dashboard",
            "usr/share/zsh/vendor-completions/_profllm_dashboard", "usr/share/doc/profllm-dashboard/debian.md"} <= files(SERVICE)
    assert "usr/share/doc/profllm/examples/quickstart.yaml" in files("profllm")
    if "PROFLLM_PAGE:BOOL=ON" in (bin_dir.parent / "CMakeCache.txt").read_text():
        assert "usr/share/doc/profllm-dashboard/web-licenses.md.gz" in files(SERVICE)
    for name in PROGRAMS:
        assert {f"usr/share/doc/{name}/copyright", f"usr/share/doc/{name}/changelog.gz", f"usr/share/man/man1/{name}.1.gz"} <= files(name)
    architecture = subprocess.run(["dpkg-architecture", "-qDEB_HOST_MULTIARCH"], capture_output=True, text=True, check=True).stdout.strip()
    assert f"usr/lib/{architecture}/libprofllm.so.0.{field(packages['profllm'], 'Version')[:-2]}" in files("libprofllm0")
    assert {"usr/include/profllm.h", f"usr/lib/{architecture}/pkgconfig/profllm.pc", "usr/share/doc/libprofllm-dev/library.md",
            "usr/share/doc/libprofllm-dev/examples/measure.c"} <= files("libprofllm-dev")
    assert (trees["libprofllm-dev"] / f"usr/lib/{architecture}/libprofllm.so").readlink().name == "libprofllm.so.0"
    assert "libprofllm 0 libprofllm0 (>= 0.1.0)" in (trees["libprofllm0"] / "DEBIAN/shlibs").read_text()
    assert "usr/share/doc/profllm-dashboard/examples/grafana/profllm.json" in files(SERVICE)
    page = subprocess.run(["zcat", trees["profllm"] / "usr/share/man/man1/profllm-run.1.gz"], capture_output=True, text=True, check=True).stdout
    assert "/usr/share/doc/profllm/examples/quickstart.yaml" in page and "configs/examples" not in page
    for words in ([], ["run", "--help"], ["help"]):
        shown = subprocess.run([trees["profllm"] / "usr/bin/profllm", *words], capture_output=True, text=True).stdout
        path, = set(re.findall(r"\S+/quickstart.yaml", shown))
        assert path == str(trees["profllm"] / "usr/share/doc/profllm/examples/quickstart.yaml")
    # each page is in the package of its program
    pages = {page.removeprefix("usr/share/man/man1/"): name for name in PROGRAMS for page in files(name) if "/man1/" in page}
    assert pages["profllm-dashboard-serve.1.gz"] == SERVICE and pages["profllm-sweep-serve.1.gz"] == "profllm"
    assert [page for page, name in pages.items() if page.startswith("profllm-dashboard")] == [
        page for page, name in pages.items() if name == SERVICE] and pages["profllm-sim.1.gz"] == "profllm-sim"
    assert (trees[SERVICE] / "DEBIAN/conffiles").read_text().split() == [OPTIONS]


def test_programs_of_the_extracted_packages_run(trees, tmp_path):
    """profllm finds the simulator of its package's directory in PATH."""
    env = {"PATH": f"{trees['profllm-sim'] / 'usr/bin'}:/usr/bin:/bin", "PROFLLM_LOCK_DIR": os.environ["PROFLLM_LOCK_DIR"]}
    output = tmp_path / "r.json"
    for words in (["profllm", "run", "-c", write_config(tmp_path, base_config()), "-o", output, "--quiet"],
                  [SERVICE, "import", output, "--db", tmp_path / "d.db"]):
        done = subprocess.run([trees[words[0]] / "usr/bin" / words[0], *words[1:]], env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert json.loads(output.read_text())["status"] == "completed"


def test_a_program_is_built_with_the_development_package(trees, tmp_path):
    """As in a root that has the packages: pkg-config looks for its files there."""
    architecture = subprocess.run(["dpkg-architecture", "-qDEB_HOST_MULTIARCH"], capture_output=True, text=True, check=True).stdout.strip()
    root = tmp_path / "root"
    for name in ("profllm", "profllm-sim", *LIBRARIES):
        shutil.copytree(trees[name], root, symlinks=True, dirs_exist_ok=True)
    libraries = root / "usr/lib" / architecture
    env = {"PATH": "/usr/bin:/bin", "PKG_CONFIG_SYSROOT_DIR": str(root), "PKG_CONFIG_LIBDIR": str(libraries / "pkgconfig"),
           "LD_LIBRARY_PATH": str(libraries), "PROFLLM_LOCK_DIR": os.environ["PROFLLM_LOCK_DIR"]}
    words = subprocess.run(["pkg-config", "--cflags", "--libs", "profllm"], env=env, capture_output=True, text=True, check=True).stdout.split()
    # pkg-config leaves out the system's own directories
    subprocess.run(["gcc", root / "usr/share/doc/libprofllm-dev/examples/measure.c", f"-I{root}/usr/include", f"-L{libraries}", *words, "-o",
                    tmp_path / "measure"], env=env, check=True)
    # the library finds /usr/bin/profllm of its own root
    done = subprocess.run([tmp_path / "measure", write_config(tmp_path, base_config()), tmp_path / "r.json"], env=env, capture_output=True, text=True)
    assert done.returncode == 0 and "status: completed" in done.stdout, done.stderr


def test_faults_are_reported(source_dir, tmp_path):
    for words, said in ((["--version", "1.0", tmp_path, tmp_path / "out"], "has no profllm: run make build"),
                        (["--version", "one", source_dir / "build", tmp_path / "out"], "--version: found 'one', expected UPSTREAM-REVISION")):
        if "found" in said and not (source_dir / "build/bin/profllm").exists():
            continue
        done = subprocess.run([source_dir / "tools/make-packages", *words], capture_output=True, text=True)
        assert done.returncode == 1 and said in done.stderr and not (tmp_path / "out").exists()


def test_the_unit_is_valid_and_confined(trees, unit, tmp_path):
    """Without a root of its own, systemd-analyze looks for the program on this host."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("no systemd-analyze here: the package systemd has it")
    file = tmp_path / "profllm-dashboard.service"
    file.write_text(unit.replace("/usr/bin/profllm-dashboard", str(trees[SERVICE] / "usr/bin/profllm-dashboard")))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", file], capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", file], capture_output=True, text=True)
    assert float(re.search(r"exposure level .*: ([\d.]+)", done.stdout)[1]) <= EXPOSURE_MAX, done.stdout


def test_the_service_calls_only_what_its_unit_allows(trees, unit, tmp_path, bin_dir):
    """With a token, TLS, an upload and an end."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("no systemd-analyze here: the package systemd has it")
    allowed = system_calls(unit)
    assert {"read", "accept4", "setpriority"} <= allowed and not {"mount", "ptrace", "chroot", "setuid", "sched_setaffinity"} & allowed
    config, result = write_config(tmp_path, base_config()), tmp_path / "r.json"
    subprocess.run([bin_dir / "profllm", "run", "-c", config, "-o", result, "--quiet"], check=True, capture_output=True)
    subprocess.run([need("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", tmp_path / "cert.key", "-out",
                    tmp_path / "cert.pem", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
                   check=True, capture_output=True)
    program = trees[SERVICE] / "usr/bin/profllm-dashboard"
    token = subprocess.run([program, "token", "add", "a", "--role", "admin", "--token-file", tmp_path / "tokens"], capture_output=True,
                           text=True, check=True).stdout
    (tmp_path / "token").touch(0o600)
    (tmp_path / "token").write_text(token)
    trace = tmp_path / "trace"
    server = subprocess.Popen([need("strace"), "-D", "-f", "-q", "-o", trace, program, "serve", "--db", tmp_path / "d.db", "--port", "0",
                               "--token-file", tmp_path / "tokens", "--tls-cert", tmp_path / "cert.pem", "--tls-key", tmp_path / "cert.key"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = server.stdout.readline().removeprefix("listening on ").strip().replace("127.0.0.1", "localhost")
        done = subprocess.run([bin_dir / "profllm", "upload", "--to", address, "--ca-file", tmp_path / "cert.pem", "--token-file",
                               tmp_path / "token", result], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    finally:
        server.terminate()
        server.wait(timeout=60 * PATIENCE)
    wait_for(lambda: "+++ exited with" in trace.read_text(errors="replace")[-300:], "the trace is complete")
    called = set(re.findall(r"^\d+ +([a-z_0-9]+)\(", trace.read_text(errors="replace"), re.M))
    # only root calls fchown: SQLite gives its files the owner of the database
    assert len(called) > 40 and called - allowed <= ({"fchown"} if os.geteuid() == 0 else set())


def test_a_purge_empties_mount_points(source_dir, tmp_path):
    """The script of the sources, in mounts of its own: no package and no file of this host is removed."""
    script = """
        mount -t tmpfs tmpfs /var/lib && mount -t tmpfs tmpfs /etc || exit 77
        mkdir /var/lib/profllm-dashboard /etc/profllm-dashboard
        mount -t tmpfs tmpfs /var/lib/profllm-dashboard || exit 77
        mkdir /var/lib/profllm-dashboard/files
        touch /var/lib/profllm-dashboard/files/a /etc/profllm-dashboard/cert.pem
        sh "$0" purge || exit
        find /var/lib/profllm-dashboard /etc
    """
    postrm = shutil.copy(source_dir / "packaging/debian/profllm-dashboard.postrm", tmp_path)
    done = subprocess.run([need("unshare"), "--map-root-user", "--mount", "sh", "-c", script, postrm], capture_output=True, text=True)
    if done.returncode == 77 or "unshare failed" in done.stderr:
        pytest.skip(f"no mounts here: {done.stderr}")
    assert (done.returncode, done.stdout.split()) == (0, ["/var/lib/profllm-dashboard", "/etc"]), done.stderr
    assert done.stderr.endswith("profllm-dashboard: /var/lib/profllm-dashboard remains\n")


@is_long
def test_lintian_finds_no_errors(packages):
    if not shutil.which("lintian"):
        pytest.skip("no lintian here")
    done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error", *packages.values()], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def blocks(source_dir):
    """Returns the shell commands of docs/deploy/debian.md by the title that they are under."""
    text = (source_dir / "docs/deploy/debian.md").read_text()
    found = {}
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        title, _, body = part.partition("\n")
        for block in re.findall(r"^ *```sh\n(.*?)^ *```", body, re.M | re.S):
            found.setdefault(title, []).extend(line.strip() for line in block.splitlines())
        for block in re.findall(r"^ *```ini\n(.*?)^ *```", body, re.M | re.S):
            if "OPTIONS=" in block:
                found["options"] = block
    return found


@is_long
def test_a_life_in_a_bare_debian(source_dir, bin_dir, packages, tmp_path):
    """Types the commands of docs/deploy/debian.md: install, TLS and tokens, upgrade, rollback, remove, purge."""
    commands = blocks(source_dir)
    older = make_packages(source_dir, bin_dir, tmp_path / "older", "--version", "0.0.1-1")
    debian = BareDebian(tmp_path)
    home = debian.path("/root")
    for name, files in (("dist", older), ("older", older), ("newer", packages)):
        (home / name).mkdir()
        for path in files.values():
            shutil.copy(path, home / name)
    debian.prepare("apt-get update -qq && apt-get install -qq -y --no-install-recommends --download-only ./dist/*.deb")
    debian.path("/usr/local/bin").mkdir(parents=True, exist_ok=True)
    debian.path("/bin/systemctl").write_text(SYSTEMCTL)
    debian.path("/bin/systemctl").chmod(0o755)
    debian.path("/etc/apt/apt.conf.d/90yes").write_text('APT::Get::Assume-Yes "true"; APT::Install-Recommends "false";\n')
    subprocess.run([need("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", home / "cert.key", "-out", home / "cert.pem",
                    "-days", "2", "-subj", "/CN=bench.example.org", "-addext", "subjectAltName=DNS:bench.example.org"],
                   check=True, capture_output=True)
    with open(debian.path("/etc/hosts"), "a") as file:
        file.write("127.0.0.1 bench.example.org\n")

    def version():
        return debian.run("dpkg-query -W -f '${Version} ' " + " ".join(PROGRAMS)).split()

    def ask(url, *more):
        return json.loads(debian.outside(sys.executable, "-c", ASK, url, *more))

    def check_count(count):
        reply = ask("https://127.0.0.1:8443/api/health", "bench.example.org", (home / "alice.token").read_text().strip(), home / "cert.pem")
        assert (reply["ready"], reply["total"]) == (True, count)

    with debian.offline():
        for line in commands["Install"]:
            debian.run(line)
        assert version() == ["0.0.1-1"] * 3
        assert debian.run(f"stat -c '%U %a' {DATA}").split() == [SERVICE, "750"]
        assert "nologin" in debian.run(f"getent passwd {SERVICE}")
        debian.run("systemctl start")
        assert ask("http://127.0.0.1:8421/api/health")["ready"] is True

        # the administrator types the options, and a user has the token in a file
        add, *rest = commands["Open it to a team"]
        token = debian.run(add)
        options = re.sub(r" *\\\n *", " ", commands["options"]).strip()
        text = debian.path(OPTIONS).read_text()
        debian.path(OPTIONS).write_text(re.sub(r"^PROFLLM_DASHBOARD_OPTIONS=.*$", options, text, flags=re.M))
        (home / "alice.token").touch(0o600)
        (home / "alice.token").write_text(token)
        (home / "results").mkdir()
        debian.run("profllm run -c /usr/share/doc/profllm/examples/quickstart.yaml -o results/r.json --set benchmark.num_prompts=20 --quiet")
        *setup, upload = rest
        for line in setup:
            debian.run(line)
        debian.run(f"{upload} --ca-file cert.pem")  # no authority knows it
        check_count(1)

        shutil.rmtree(home / "dist")
        shutil.copytree(home / "newer", home / "dist")
        backup, *upgrade = [line for line in commands["Upgrade"]]
        for line in [backup, *upgrade]:
            if line.startswith("systemctl status"):
                debian.run("systemctl restart")  # as the package does on a host with systemd
            debian.run(line)
        assert version() == [field(packages["profllm"], "Version")] * 3
        assert "--port 8443" in debian.path(OPTIONS).read_text()
        check_count(1)

        for line in commands["Roll back"]:
            debian.run(line)
        assert version() == ["0.0.1-1"] * 3
        check_count(1)

        debian.run("systemctl stop; apt-get remove profllm-dashboard")
        assert not debian.path("/usr/bin/profllm-dashboard").exists()
        assert debian.path(f"{DATA}/profllm.db").exists() and debian.path(OPTIONS).exists()
        debian.run("apt-get purge profllm-dashboard")
        assert not any(debian.path(name).exists() for name in (DATA, OPTIONS, "/etc/profllm-dashboard"))
        assert SERVICE in debian.run(f"getent passwd {SERVICE}") and debian.path("/var/backups/profllm-dashboard").exists()

        # an account of the administrator, with another group
        debian.run(f"deluser {SERVICE}; useradd --system --no-user-group --gid nogroup {SERVICE}; apt-get install ./dist/profllm-dashboard_*.deb")
        assert debian.run(f"stat -c '%U %G' {DATA}").split() == [SERVICE] * 2
