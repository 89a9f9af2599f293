"""Each way in which a real vLLM does not start: the right cause, and nothing left."""
import socket

import pytest
from real_tools import Run, free_port, vllm_config

ONE_MIB = 1 << 20


@pytest.fixture
def start(bin_dir, tmp_path, vllm):
    runs = []

    def begin(config, *args):
        runs.append(Run(bin_dir, tmp_path, config, *args, engine=vllm))
        return runs[-1]

    yield begin
    for run in runs:
        run.clean_up()


@pytest.fixture
def play(start):
    def whole(config, *args):
        run = start(config, *args)
        return run, *run.finish()

    return whole


@pytest.fixture
def taken():
    """Returns a port on which a process listens."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield holder.getsockname()[1]


def check_failed(run, status, result, cause, says):
    assert status == 3, run.log_text()
    assert result["status"] == "launch_failed" and result["results"] is None
    assert (result["error"]["stage"], result["error"]["cause"]) == ("launch", cause), result["error"]
    assert says in "\n".join(result["error"]["log_tail"])
    assert run.alive() == []


def test_fixed_port_in_use(play, vllm, taken):
    run, status, _, result = play(vllm_config(vllm, launch={"port": taken}))
    assert status == 5 and result is None
    assert str(taken) in run.log_text()
    # before anything starts
    assert not (run.folder / "r.server.log").exists() and run.alive() == []


def test_another_port_by_extra_args_is_refused(play, vllm, taken):
    run, status, _, result = play(vllm_config(vllm, launch={"extra_args": ["--port", str(taken)]}),
                                  "--force")
    assert status == 2 and result is None and "server.port" in run.log_text()


def take_while_it_imports(run):
    """The server listens only after many seconds: until then its port is anybody's."""
    run.wait_for_line("waiting for the server")
    holder = socket.socket()
    holder.bind(("127.0.0.1", run.port()))
    holder.listen()
    return holder


def test_server_finds_its_port_in_use(start, vllm):
    run = start(vllm_config(vllm, launch={"port": free_port()}))
    with take_while_it_imports(run):
        status, _, result = run.finish()
    check_failed(run, status, result, "port_in_use", "ddress already in use")


def test_another_port_is_tried_where_it_may_be(start, vllm):
    run = start(vllm_config(vllm, num_prompts=10))
    with take_while_it_imports(run) as holder:
        first = holder.getsockname()[1]
        status, out, result = run.finish()
    assert status == 0, run.log_text() + out
    assert f"port {first} was taken" in run.log_text()
    assert result["launch"]["port"] != first and result["results"]["completed"] == 10
    assert run.alive() == []


def test_length_beyond_the_models(play, vllm):
    config = vllm_config(vllm, {"max_model_len": 100000})
    run, status, _, result = play(config)
    assert status == 2 and result is None and "max_model_len" in run.log_text()
    run, status, out, result = play(config, "--force")
    check_failed(run, status, result, "invalid_configuration", "max_model_len")
    assert result["launch"]["forced"]
    assert "max_model_len" in out


def test_missing_model(play, vllm):
    run, status, _, result = play(vllm_config(vllm, {"model": "no-such-org/no-such-model"}))
    check_failed(run, status, result, "model_not_found", "no-such-model")


def test_kv_cache_smaller_than_one_request(play, vllm):
    # the variable, where it is set, counts more than the argument
    command = ["/usr/bin/env", "--unset=VLLM_CPU_KVCACHE_SPACE", vllm.program, "serve"]
    config = vllm_config(vllm, {"kv_cache_memory_bytes": ONE_MIB}, {"command": command})
    run, status, _, result = play(config)
    assert status == 2 and result is None and "KV cache" in run.log_text()
    run, status, _, result = play(config, "--force")
    check_failed(run, status, result, "kv_cache_too_small", "KV cache")


def test_kv_cache_larger_than_memory(play, vllm):
    config = vllm_config(vllm, launch={"env": {"VLLM_CPU_KVCACHE_SPACE": "4000"}})
    run, status, _, result = play(config)
    check_failed(run, status, result, "out_of_memory", "memory")
