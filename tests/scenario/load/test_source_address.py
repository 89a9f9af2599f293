"""--source-address: the client connects from several addresses of this host, in turn."""
import collections
import json
import os
import ssl
import subprocess
import threading

import pytest
from flaky_server import FlakyServer
from run_tools import base_config, environment, load_result, read_zst_lines, run_profllm, write_config
from tls_tools import make_certificate

THREE = "127.0.0.2,127.0.0.3,127.0.0.4"


def serve(bin_dir, folder, *words):
    return subprocess.run(
        [bin_dir / "profllm", "bench", "serve", "--model", "m", "--random-input", "8", "--random-output", "2",
         "--vocab-size", "1000", "--output", "r.json", "--max-error-share", "1", *map(str, words)],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False, env=environment())


class Gathering(FlakyServer):
    """Responds when the given number of requests is open: each then has a separate connection."""

    def __init__(self, count, **how):
        self.full = threading.Barrier(count, timeout=60)
        super().__init__(self.wait, **how)

    def wait(self, *_):
        return None

    def enter(self, request_id, peer):
        fault = super().enter(request_id, peer)
        if request_id is not None:
            self.full.wait()
        return fault


def addresses(server):
    return collections.Counter(peer[0] for peer in server.peers)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_addresses_are_evenly_used(bin_dir, tmp_path, threads):
    with Gathering(12) as server:
        done = serve(bin_dir, tmp_path, "--port", server.port, "--num-prompts", 36, "--max-concurrency", 12,
                     "--threads", threads, "--source-address", THREE)
    assert done.returncode == 0, done.stderr
    assert load_result(tmp_path / "r.json")["results"]["completed"] == 36
    assert addresses(server) == {"127.0.0.2": 4, "127.0.0.3": 4, "127.0.0.4": 4}


def test_without_it_the_kernel_chooses(bin_dir, tmp_path):
    with FlakyServer() as server:
        assert serve(bin_dir, tmp_path, "--port", server.port, "--num-prompts", 6).returncode == 0
    assert set(addresses(server)) == {"127.0.0.1"}


def test_over_tls(bin_dir, tmp_path):
    certificate, key = make_certificate(tmp_path, "own")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with FlakyServer(tls=context) as server:
        done = serve(bin_dir, tmp_path, "--base-url", f"https://127.0.0.1:{server.port}", "--insecure",
                     "--num-prompts", 9, "--request-rate", 100, "--source-addresses", THREE, "--retries", 1)
    assert done.returncode == 0, done.stderr
    assert load_result(tmp_path / "r.json")["results"]["completed"] == 9
    assert set(addresses(server)) <= set(THREE.split(","))


def test_ipv6(bin_dir, tmp_path):
    try:
        server = FlakyServer(address="::1")
    except OSError:
        pytest.skip("no IPv6 loopback here")
    with server:
        url = f"http://[::1]:{server.port}"
        done = serve(bin_dir, tmp_path, "--base-url", url, "--num-prompts", 4, "--source-address", "::1")
        assert done.returncode == 0, done.stderr
        other = serve(bin_dir, tmp_path, "--base-url", url, "--num-prompts", 4, "--source-address", "127.0.0.2",
                      "--output", "other.json")
    assert set(addresses(server)) == {"::1"}
    assert other.returncode == 2 and "IPv4" in other.stderr and "IPv6" in other.stderr


def test_a_new_try_takes_the_next_address(bin_dir, tmp_path):
    with FlakyServer(lambda request_id, number: "reset" if number < 4 else None) as server:
        done = serve(bin_dir, tmp_path, "--port", server.port, "--num-prompts", 1, "--source-address", THREE,
                     "--retries", 3, "--retry-delay", "0s")
    assert done.returncode == 0, done.stderr
    assert addresses(server) == {"127.0.0.2": 2, "127.0.0.3": 1, "127.0.0.4": 1}
    assert len(read_zst_lines(tmp_path / "r.requests.jsonl.zst")) == 4


@pytest.mark.parametrize("value, says", [
    ("192.0.2.7", "'192.0.2.7' "),
    ("127.0.0.2,192.0.2.7", "'192.0.2.7' is not an address of this host"),
    ("::1", "'[::1]' is an address of IPv6, but the server at '127.0.0.1:"),
    ("127.0.0.2,127.0.0.2", "'127.0.0.2', expected each address only once"),
    ("0.0.0.0", "'0.0.0.0', expected a specific address"),
    ("localhost", "'localhost', expected an IPv4 or IPv6 address"),
    ("127.0.0.2,", "expected an IPv4 or IPv6 address"),
    ("127.0.0.256", "expected an IPv4 or IPv6 address"),
])
def test_refusals_before_the_start(bin_dir, tmp_path, value, says):
    with FlakyServer() as server:
        done = serve(bin_dir, tmp_path, "--port", server.port, "--num-prompts", 3, "--source-address", value)
    assert done.returncode == 2 and says in done.stderr, done.stderr
    assert not server.peers and not (tmp_path / "r.json").exists()
    assert "source" in done.stderr


def test_a_launched_server_and_a_unix_socket(bin_dir, tmp_path):
    config = base_config(num_prompts=6, source_addresses=THREE.split(","))
    path = write_config(tmp_path, config)
    done = run_profllm(bin_dir, "run", "-c", path, "-o", tmp_path / "r.json")
    assert done.returncode == 0, done.stderr
    result = load_result(tmp_path / "r.json")
    assert result["results"]["completed"] == 6
    assert result["config"]["benchmark"]["source_addresses"] == THREE.split(",")
    config["benchmark"]["source_addresses"] = THREE.replace(",", ", ")
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "t.json")
    assert done.returncode == 0, done.stderr
    assert load_result(tmp_path / "t.json")["config"]["benchmark"]["source_addresses"] == THREE.split(",")
    config["server"]["uds"] = str(tmp_path / "s")
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "u.json")
    assert done.returncode == 2 and "unix socket" in done.stderr, done.stderr


PLAY = """
set -e
ip link set lo up
echo "40000 40063" > /proc/sys/net/ipv4/ip_local_port_range
# what has ended keeps no port
echo 0 > /proc/sys/net/ipv4/tcp_max_tw_buckets || true
profllm-sim serve m --host 127.0.0.1 --port 8000 --sim-step 200ms > sim.out 2>&1 &
sim=$!
until grep -q "startup complete" sim.out; do kill -0 $sim; read -t 0.05 < /dev/zero || true; done
run() {
    name=$1; shift
    status=0
    profllm bench serve --model m --port 8000 --random-input 8 --random-output 2 --num-prompts 192 \\
        --vocab-size 1000 --max-concurrency 96 --output $name.json "$@" > $name.out 2> $name.err || status=$?
    echo $status > $name.status
}
run none
run one --source-address 127.0.0.2
run two --source-address 127.0.0.2,127.0.0.3
kill $sim
wait $sim || true
"""


def test_a_tiny_range_of_ports_is_enough_with_two_addresses(bin_dir, tmp_path):
    able = subprocess.run(["unshare", "-n", "sh", "-c", "ip link set lo up"], capture_output=True, text=True,
                          check=False)
    if able.returncode != 0:
        pytest.skip("no network namespace of one's own here: " + able.stderr.strip())
    done = subprocess.run(["unshare", "-n", "bash", "-c", PLAY], cwd=tmp_path, timeout=120, check=False,
                          capture_output=True, text=True,
                          env=environment({"PATH": f"{bin_dir}{os.pathsep}{os.environ['PATH']}"}))
    assert done.returncode == 0, done.stderr + done.stdout
    status = {name: int((tmp_path / f"{name}.status").read_text()) for name in ("none", "one", "two")}
    said = {name: (tmp_path / f"{name}.err").read_text() + (tmp_path / f"{name}.out").read_text()
            for name in status}
    assert status["two"] == 0, said["two"]
    assert load_result(tmp_path / "two.json")["results"]["completed"] == 192
    for name in ("none", "one"):
        assert status[name] != 0, said[name]
        message = load_result(tmp_path / f"{name}.json")["error"]["message"]  # the report wraps its lines
        assert "leaves 64" in message and "96 concurrent connections" in message and "--source-address" in message
    results = json.loads((tmp_path / "two.json").read_text())["results"]
    # more than one address has ports
    assert results["peak_in_flight"] > 64
