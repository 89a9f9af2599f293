"""Names with several addresses, and names with none."""
import contextlib
import json
import os
import socket
import subprocess
import threading

import pytest
from host_tools import need
from odd_server import OddServer, good, stream
from run_tools import as_sentence, run_profllm

ANSWER = stream(*good())

# Between the program and the host's own names, which a test cannot change: $TEST_NAMES is
# "NAME=ADDRESS,ADDRESS".
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
typedef int resolve_fn(const char *, const char *, const struct addrinfo *, struct addrinfo **);
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **ret)
{
	resolve_fn *real = (resolve_fn *)dlsym(RTLD_NEXT, "getaddrinfo");
	const char *names = getenv("TEST_NAMES");
	size_t len = host != NULL ? strlen(host) : 0;
	if (names == NULL || len == 0 || strncmp(names, host, len) != 0 || names[len] != '=')
		return real(host, service, hints, ret);
	char *list = strdup(names + len + 1), *rest = list, *one;
	struct addrinfo **tail = ret;
	int rc = EAI_NONAME;
	while ((one = strsep(&rest, ",")) != NULL && (rc = real(one, service, hints, tail)) == 0)
		while (*tail != NULL)
			tail = &(*tail)->ai_next;
	free(list);
	return rc;
}
"""


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """Returns a function that makes an environment in which a name has these addresses."""
    if os.environ.get("PROFLLM_SANITIZED"):
        pytest.skip("a sanitizer wants to be loaded before the library that plays the resolver")
    compiler = need("gcc")
    folder = tmp_path_factory.mktemp("shim")
    (folder / "shim.c").write_text(SHIM)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", "shim.so", "shim.c", "-ldl"], cwd=folder, check=True)
    return lambda name, *addresses: {"LD_PRELOAD": str(folder / "shim.so"),
                                     "TEST_NAMES": f"{name}={','.join(addresses)}"}


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="no IPv6 here")


def family_of(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


@contextlib.contextmanager
def serve(address="127.0.0.1", rows=None, others=()):
    """Starts a server; holds its port at the other addresses too (`.held`), without listening."""
    while True:
        with contextlib.ExitStack() as held:
            server = held.enter_context(OddServer(rows or {"good": [ANSWER]}, address=(address, 0),
                                                  family=family_of(address)))
            server.held = {other: held.enter_context(socket.socket(family_of(other)))
                           for other in set(others) - {address}}
            try:
                for other, plug in server.held.items():
                    plug.bind((other, server.port))
            except OSError:
                continue  # another program has the port there
            yield server
            return


def play(bin_dir, folder, url, *words, env=None, patience=1):
    data = folder / "prompts.jsonl"
    data.write_text('{"prompt": "case:good"}\n' * 8)
    done = run_profllm(bin_dir, "bench", "serve", "--base-url", url, "--model", "odd", "--dataset-name", "custom",
                       "--dataset-path", data, "--skip-chat-template", "--custom-output-len", 4, "--num-prompts", 8,
                       "--output", folder / "r.json", *words, env=env, patience=patience)
    path = folder / "r.json"
    return done, json.loads(path.read_text()) if path.exists() else None


@needs_ipv6
@pytest.mark.parametrize("address, others", [
    ("::1", ["127.0.0.1", "::1"]), ("::1", ["::1", "127.0.0.1"]), ("127.0.0.1", ["::1", "127.0.0.1"]),
    ("127.0.0.1", ["127.0.0.1", "::1"]), ("127.0.0.2", ["127.0.0.1", "127.0.0.2", "::1"]),
    ("::1", ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.1", "::1"]), ("::1", ["::1"])])
def test_the_address_that_answers_is_taken(bin_dir, tmp_path, names, patience, address, others):
    with serve(address, others=others) as server:
        done, result = play(bin_dir, tmp_path, f"http://many.example:{server.port}",
                            env={**names("many.example", *others), "no_proxy": "*"}, patience=patience)
    assert done.returncode == 0, done.stderr
    assert result["results"]["completed"] == 8 and server.asked == {"good": 8}


@needs_ipv6
def test_no_server_at_any_address(bin_dir, tmp_path, names, patience):
    done, result = play(bin_dir, tmp_path, "http://many.example:1", patience=patience,
                        env={**names("many.example", "::1", "127.0.0.1"), "no_proxy": "*"})
    assert done.returncode == 3
    assert (result["status"], result["error"]["cause"]) == ("launch_failed", "unreachable")
    message = result["error"]["message"]
    assert "could not connect to '127.0.0.1:1': Connection refused; could not connect to '[::1]:1'" in message
    assert "many.example" in message and as_sentence(message) in " ".join(done.stdout.split())


@needs_ipv6
def test_one_that_hangs_up_is_passed_over(bin_dir, tmp_path, names, patience):
    """A program at the first address does not speak HTTP."""
    with serve("::1", others=["127.0.0.1"]) as server:
        other = server.held["127.0.0.1"]
        other.listen(8)
        with OddServerThatHangsUp(other):
            done, result = play(bin_dir, tmp_path, f"http://many.example:{server.port}", patience=patience,
                                env={**names("many.example", "127.0.0.1", "::1"), "no_proxy": "*"})
    assert done.returncode == 0, done.stderr
    assert result["results"]["completed"] == 8


class OddServerThatHangsUp:
    """Accepts and closes connections of a given listener."""

    def __init__(self, listener):
        self.listener = listener
        self.thread = threading.Thread(target=self.hang_up, daemon=True)
        self.thread.start()

    def hang_up(self):
        while True:
            try:
                self.listener.accept()[0].close()
            except OSError:
                return

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()


@needs_ipv6
def test_ipv6_literal(bin_dir, tmp_path, patience):
    with serve("::1") as server:
        done, result = play(bin_dir, tmp_path, f"http://[::1]:{server.port}", patience=patience)
    assert done.returncode == 0 and result["results"]["completed"] == 8, done.stderr


def test_localhost(bin_dir, tmp_path, patience):
    with serve() as server:
        done, result = play(bin_dir, tmp_path, f"http://localhost:{server.port}", patience=patience)
    assert done.returncode == 0 and result["results"]["completed"] == 8, done.stderr


# name servers that do not answer are not waited for, and no domain of the host's is tried
ALONE = {"no_proxy": "*", "RES_OPTIONS": "timeout:1 attempts:1", "LOCALDOMAIN": "."}


@pytest.mark.parametrize("host", ["no-such-host.invalid", "256.1.1.1", "a..b"])
def test_unknown_host(bin_dir, tmp_path, patience, host):
    done, result = play(bin_dir, tmp_path, f"http://{host}:8000", patience=patience,
                        env=ALONE)
    assert done.returncode == 3
    assert (result["status"], result["error"]["cause"]) == ("launch_failed", "unreachable")
    assert f"could not resolve host '{host}': " in result["error"]["message"]
    assert f"could not resolve host '{host}': " in " ".join(done.stdout.split())


def test_unknown_host_and_source_address(bin_dir, tmp_path, patience):
    """Without an address there is no family to compare: the host is reported."""
    done, result = play(bin_dir, tmp_path, "http://no-such-host.invalid:8000", "--source-address", "127.0.0.1",
                        patience=patience, env=ALONE)
    assert done.returncode == 3 and result["error"]["cause"] == "unreachable"


def test_server_that_goes_away_within_the_run(bin_dir, tmp_path, patience):
    """Each request that is refused reports it, with the address that was used."""
    with serve(rows={"good": [ANSWER, "close"]}) as server:
        original = server.rows
        hits = []

        class Rows(dict):
            def __getitem__(self, name):
                hits.append(name)
                if len(hits) == 3:
                    server.listener.shutdown(socket.SHUT_RDWR)
                return original[name]

        server.rows = Rows(original)
        done, result = play(bin_dir, tmp_path, server.url, "--max-concurrency", 1, patience=patience)
    assert done.returncode == 1, done.stderr
    results = result["results"]
    assert results["completed"] + results["failed"] == 8 and results["failed"] >= 4
    assert {error["kind"] for error in results["errors"]} <= {"connect", "reset"}
    assert all("refused" in error["sample"] or "reset" in error["sample"] or "closed" in error["sample"]
               for error in results["errors"])
