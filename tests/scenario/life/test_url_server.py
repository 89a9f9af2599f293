"""launch.url: a running server is measured, described as far as it reports, and never stopped."""
import json
import signal
import subprocess
import threading

import jsonschema
import pytest
from aiohttp import ClientSession, web
from run_tools import (base_config, environment, load_result, read_zst_lines, run_profllm,
                       start_profllm, write_config)
from journal_tools import wait_until_written


@pytest.fixture(scope="module")
def validator(source_dir):
    return jsonschema.Draft202012Validator(
        json.loads((source_dir / "api" / "result.schema.json").read_text()))


class Simulator:
    """A simulator outside any run, on a port of the kernel's choice."""

    def __init__(self, bin_dir, *args, names=()):
        served = ["--served-model-name", *names] if names else []
        self.process = subprocess.Popen(
            [str(bin_dir / "profllm-sim"), "serve", "sim/other", "--host", "127.0.0.1", "--port",
             "0", "--max-model-len", "4096", *served, "--sim-step", "2ms", *args],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment())
        for line in self.process.stdout:
            if "http://127.0.0.1:" in line:
                break
        self.port = int(line.split("http://127.0.0.1:")[1].split()[0].strip("/ "))
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def stop(self):
        self.process.kill()
        self.process.wait(timeout=30)


@pytest.fixture
def simulator(bin_dir):
    started = []

    def start(*args, **kwargs):
        started.append(Simulator(bin_dir, *args, **kwargs))
        return started[-1]

    yield start
    for one in started:
        one.stop()


def url_config(url, **benchmark):
    config = base_config(**benchmark)
    config["launch"] = {"url": url}
    config["benchmark"].setdefault("ready_check_timeout_sec", 30)
    config["server"] = {}
    return config


def play(bin_dir, tmp_path, url, patience, *args, **benchmark):
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, url_config(url, **benchmark)),
                       "-o", tmp_path / "r.json", *args, patience=patience)
    path = tmp_path / "r.json"
    return done, load_result(path) if path.exists() else None


def test_a_key_of_the_file_is_sent(bin_dir, tmp_path, simulator):
    """The key is in the environment, as for vLLM's client."""
    server = simulator("--api-key", "geheim")
    config = url_config(server.url, num_prompts=2)
    config["launch"]["env"] = {"OPENAI_API_KEY": "geheim"}
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "r.json")
    assert done.returncode == 0, done.stderr
    assert load_result(tmp_path / "r.json")["results"]["completed_requests"] == 2
    assert "geheim" not in (tmp_path / "r.json").read_text() + done.stdout + done.stderr


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/"])
def test_ways_to_write_the_url(bin_dir, tmp_path, simulator, validator, patience, ending):
    server = simulator()
    done, result = play(bin_dir, tmp_path, server.url + ending, patience)
    assert done.returncode == 0, done.stderr
    validator.validate(result)
    assert result["results"]["completed"] == 20 and result["launch"]["url"] == server.url + ending
    assert ("removed /v1" in done.stderr) == ("v1" in ending)
    assert server.process.poll() is None
    assert result["config"]["benchmark"]["endpoint"] == "/v1/completions"


def test_url_with_v1_and_a_path_without(bin_dir, tmp_path, simulator, patience):
    """The parts are joined as by vLLM's client: --base-url …/v1 --endpoint /completions."""
    done, result = play(bin_dir, tmp_path, simulator().url + "/v1", patience,
                        endpoint="/completions")
    assert done.returncode == 0, done.stderr
    assert result["results"]["completed"] == 20
    assert result["config"]["benchmark"]["endpoint"] == "/v1/completions"


def test_facts_from_the_server_are_recorded(bin_dir, tmp_path, simulator, validator, patience):
    done, result = play(bin_dir, tmp_path, simulator(names=("one", "two")).url, patience)
    assert done.returncode == 0, done.stderr
    validator.validate(result)
    launch = result["launch"]
    # the first name that it serves
    assert result["config"]["benchmark"]["model"] == "one"
    assert launch["models"]["data"][0]["id"] == "one"
    assert launch["version"]["version"] and launch["server_info"]
    assert launch["facts"]["max_model_len"] == 4096
    assert launch["facts"]["block_size"] > 0 and launch["facts"]["gpu_blocks"] > 0
    assert launch["facts"]["kv_cache_tokens"] == (launch["facts"]["block_size"]
                                                  * launch["facts"]["gpu_blocks"])
    assert result["environment"]["engine"]["simulated"] is True
    for nothing in ("argv", "env", "pid", "port"):
        assert launch[nothing] is None
    assert launch["exit"]["status"] is None and launch["exit"]["killed"] is None
    assert launch["phases"]["ready_s"] is None


@pytest.mark.parametrize("command", ["run", "bench"])
def test_hardware_of_another_host(bin_dir, tmp_path, simulator, validator, patience, command):
    """launch.hardware and --hardware name the GPUs; the rest of this host is no longer that of the server."""
    server = simulator()
    if command == "run":
        done, result = play(bin_dir, tmp_path, server.url, patience, "--set", "launch.hardware=8xH100")
    else:
        done = run_profllm(bin_dir, "bench", "serve", "--base-url", server.url, "--hardware", "h100x8", "--random-input-len", "16",
                           "--random-output-len", "4", "--num-prompts", "5", "--output", tmp_path / "r.json", patience=patience)
        result = load_result(tmp_path / "r.json")
    assert done.returncode == 0, done.stderr
    validator.validate(result)
    hardware = result["system"]["hardware_info"]
    assert (hardware["gpu_name"], hardware["gpu_count"], hardware["source"]) == ("NVIDIA H100 80GB HBM3", 8, "declared")
    assert hardware["gpu_memory_gb"] == pytest.approx(81079 * 2**20 / 1e9)
    assert hardware["cpu"] is hardware["cpu_count"] is hardware["memory_gb"] is None
    assert result["environment"]["host_role"] == "load_generator" and result["environment"]["cpu_count"] > 0
    # a tunnel ends on this host: its own GPUs are not those of the server
    assert result["system"]["gpus"] == []


def test_hardware_of_this_host(bin_dir, tmp_path, simulator, patience):
    done, result = play(bin_dir, tmp_path, simulator().url, patience)
    assert done.returncode == 0, done.stderr
    assert result["environment"]["host_role"] == "server_and_load_generator"
    assert result["system"]["hardware_info"]["cpu"] == result["environment"]["cpu"]
    assert result["system"]["hardware_info"]["cpu_count"] == result["environment"]["cpu_count"]


@pytest.mark.parametrize("launch, says", [
    ({"url": "http://127.0.0.1:1", "hardware": "h10000"}, "launch.hardware: unknown hardware 'h10000' (did you mean 'h100'?)"),
    ({"url": "http://127.0.0.1:1", "hardware": "h100x0"}, "launch.hardware: "),
    ({"hardware": "h100"}, "launch.hardware: found text 'h100', expected null unless launch.url names a running server"),
    ({"url": "http://127.0.0.1:1", "hardware": "h100", "gpus": [0]}, "launch.gpus names GPUs of this host"),
])
def test_hardware_that_is_refused(bin_dir, tmp_path, launch, says):
    config = url_config("")
    config["launch"] = launch
    config["server"] = {"model": "sim/test"} if "url" not in launch else {}
    done = run_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o", tmp_path / "r.json")
    assert done.returncode == 2 and says in done.stderr, done.stderr
    assert not (tmp_path / "r.json").exists()


def test_rules_use_the_hardware_of_another_host(bin_dir, tmp_path):
    config = url_config("http://127.0.0.1:1")
    config["launch"]["hardware"] = "h100x2"
    config["server"] = {"model": "sim/test", "tensor_parallel_size": 4}
    path = write_config(tmp_path, config)
    told = run_profllm(bin_dir, "validate", path)
    asked = run_profllm(bin_dir, "validate", "--hardware", "h100x2", path)
    assert told.stdout == asked.stdout and told.returncode == asked.returncode


def test_model_that_is_not_served(bin_dir, tmp_path, simulator, validator, patience):
    server = simulator(names=("one", "two"))
    done, result = play(bin_dir, tmp_path, server.url, patience, model="three")
    assert done.returncode == 3
    validator.validate(result)
    assert result["status"] == "launch_failed" and result["results"] is None
    assert (result["error"]["stage"], result["error"]["cause"]) == ("launch", "model_not_found")
    assert "'three'; it serves 'one', 'two'" in result["error"]["message"]
    assert "'one', 'two'" in done.stdout
    assert server.process.poll() is None


def test_second_name_that_is_served(bin_dir, tmp_path, simulator, patience):
    done, result = play(bin_dir, tmp_path, simulator(names=("one", "two")).url, patience,
                        model="two")
    assert done.returncode == 0 and result["config"]["benchmark"]["model"] == "two"


@pytest.mark.parametrize("url,says", [
    ("https://someone:hush@127.0.0.1:1", "no user"),
    ("http://someone:hush@127.0.0.1:1", "no user"),
    ("ftp://someone:hush@127.0.0.1:1", "http://HOST:PORT"),
    ("http://127.0.0.1:1/?a=b", "query"), ("http://127.0.0.1:0", "http://HOST:PORT"),
    ("127.0.0.1:8000", "http://HOST:PORT"),
])
def test_urls_that_are_refused(bin_dir, tmp_path, patience, url, says):
    done, result = play(bin_dir, tmp_path, url, patience)
    assert done.returncode == 2 and result is None
    assert says in done.stderr
    assert "hush" not in done.stderr + done.stdout
    assert not (tmp_path / "r.json.journal").exists()


def test_no_server(bin_dir, tmp_path, validator, patience):
    done, result = play(bin_dir, tmp_path, "http://127.0.0.1:1", patience,
                        ready_check_timeout_sec=0)
    validator.validate(result)
    assert done.returncode == 3 and result["status"] == "launch_failed"
    assert (result["error"]["stage"], result["error"]["cause"]) == ("launch", "unreachable")


@pytest.mark.threads
def test_server_that_dies_in_the_run(bin_dir, tmp_path, simulator, validator, patience):
    """The status is not `partial`, though most requests had finished."""
    log = tmp_path / "sim.jsonl"
    server = simulator("--sim-crash-after", "80", "--sim-log", str(log))
    done, result = play(bin_dir, tmp_path, server.url, patience, num_prompts=100,
                        max_concurrency=4)
    validator.validate(result)
    assert done.returncode == 1 and result["status"] == "failed"
    assert (result["error"]["stage"], result["error"]["cause"]) == ("measure", "unreachable")
    records = read_zst_lines(tmp_path / "r.requests.jsonl.zst")
    ok = {record["request_id"] for record in records if record["error"] is None}
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert ok == {event["request_id"] for event in events if event["event"] == "end"
                  and event["status"] == "completed" and event["request_id"]}
    assert f"{len(ok)} of 100 requests" in result["error"]["message"]
    assert result["results"]["completed"] == len(ok) >= 80


def test_server_that_lives_on_after_failures_is_partial(bin_dir, tmp_path, simulator, patience):
    server = simulator("--sim-reset-rate", "0.1")
    done, result = play(bin_dir, tmp_path, server.url, patience, num_prompts=100)
    assert done.returncode == 1 and result["status"] == "partial"
    assert result["error"]["cause"] is None and server.process.poll() is None


def test_server_that_hangs(bin_dir, tmp_path, simulator, patience):
    server = simulator("--sim-hang-after", "10")
    done, result = play(bin_dir, tmp_path, server.url, patience, num_prompts=30,
                        max_concurrency=4, stall_timeout="700ms")
    assert done.returncode == 4 and result["status"] == "timeout"
    assert result["error"]["cause"] == "hang" and server.process.poll() is None


def test_interrupted_run_leaves_the_server(bin_dir, tmp_path, simulator, patience):
    server = simulator("--sim-step", "20ms")
    config = url_config(server.url, num_prompts=400, random_output_len=200, max_concurrency=4)
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                            tmp_path / "r.json")
    for line in process.stderr:
        if "sending 400 requests" in line:
            break
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60 * patience)
    assert process.returncode == 143
    assert load_result(tmp_path / "r.json")["status"] == "interrupted"
    assert server.process.poll() is None


def test_killed_run_is_recovered_too(bin_dir, tmp_path, simulator, validator, patience):
    log = tmp_path / "sim.jsonl"
    server = simulator("--sim-log", str(log))
    config = url_config(server.url, num_prompts=4000, max_concurrency=8)
    process = start_profllm(bin_dir, "run", "-c", write_config(tmp_path, config), "-o",
                            tmp_path / "r.json")
    wait_until_written(tmp_path, 200, process)
    process.kill()
    process.communicate(timeout=60 * patience)
    done = run_profllm(bin_dir, "recover", tmp_path / "r.json", patience=patience)
    assert done.returncode == 0, done.stderr
    result = load_result(tmp_path / "r.json")
    validator.validate(result)
    assert result["results"]["completed"] > 0 and result["launch"]["url"] == server.url
    assert {artifact["kind"] for artifact in result["artifacts"]} == {"requests"}
    assert server.process.poll() is None


class Proxy:
    """Serves the simulator below a path of a larger server: /team/llm/X there is /X here."""

    def __init__(self, url, prefix):
        self.target, self.prefix, self.seen = url, prefix, []
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self.main, daemon=True)
        self.thread.start()
        assert self.ready.wait(30)

    async def pass_on(self, request):
        self.seen.append(request.path)
        if not request.path.startswith(self.prefix + "/"):
            return web.Response(status=404)
        headers = {name: value for name, value in request.headers.items()
                   if name.lower() in ("content-type", "authorization", "x-request-id")}
        async with ClientSession() as session:
            async with session.request(request.method,
                                       self.target + request.path[len(self.prefix):],
                                       headers=headers, data=await request.read()) as answer:
                back = web.StreamResponse(status=answer.status, headers={
                    "Content-Type": answer.headers.get("Content-Type", "text/plain")})
                await back.prepare(request)
                async for data in answer.content.iter_any():
                    await back.write(data)
                await back.write_eof()
                return back

    def main(self):
        import asyncio

        async def serve():
            app = web.Application(client_max_size=1 << 26)
            app.router.add_route("*", "/{path:.*}", self.pass_on)
            runner = web.AppRunner(app)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            self.port = site._server.sockets[0].getsockname()[1]
            self.ready.set()
            await asyncio.Event().wait()

        asyncio.run(serve())


@pytest.mark.parametrize("ending", ["", "/v1/"])
def test_server_under_a_path(bin_dir, tmp_path, simulator, validator, patience, ending):
    proxy = Proxy(simulator().url, "/team/llm")
    done, result = play(bin_dir, tmp_path, f"http://127.0.0.1:{proxy.port}/team/llm{ending}",
                        patience)
    assert done.returncode == 0, done.stderr
    validator.validate(result)
    assert result["results"]["completed"] == 20
    assert result["launch"]["facts"]["max_model_len"] == 4096
    assert "/team/llm/v1/completions" in proxy.seen and "/team/llm/tokenize" in proxy.seen
    assert result["launch"]["facts"]["block_size"] > 0
    assert all(path.startswith("/team/llm/") for path in proxy.seen), set(proxy.seen)
