"""`vllm bench serve` and the same command by profllm, in turn, against one real vLLM: the same experiment, the same keys,
and the time per token compared with the server's own."""
import json
import subprocess

import pytest
from real_tools import RUN_S, fetch, figure, running_server

TURNS = 3
REQUESTS, INPUT, OUTPUT = 20, 32, 32
# by the clock: the same only by chance
TIMED = ("date", "duration", "request_throughput", "request_goodput", "output_throughput",
         "total_token_throughput", "max_output_tokens_per_s", "max_concurrent_requests")
TIMED_LISTS = ("ttfts", "itls", "latencies", "start_times", "queue_times")


@pytest.fixture(scope="module")
def server(vllm, tmp_path_factory):
    argv = ["serve", vllm.model, "--served-model-name", "tiny", "--max-model-len", "2048",
            "--max-num-seqs", "64"]
    log = tmp_path_factory.mktemp("vllm") / "server.log"
    with running_server(vllm, argv, log) as running:
        yield running


def words_for(vllm, server, file, backend=("openai",)):
    return ["bench", "serve", "--backend", *backend, "--base-url", server.url, "--model", "tiny",
            "--tokenizer", vllm.model, "--dataset-name", "random", "--random-input-len", str(INPUT),
            "--random-output-len", str(OUTPUT), "--num-prompts", str(REQUESTS), "--request-rate",
            "4", "--seed", "7", "--ignore-eos", "--temperature", "0", "--save-result",
            "--save-detailed", "--percentile-metrics", "ttft,tpot,itl,e2el", "--metric-percentiles",
            "50,90,99", "--result-filename", file]


class Turn:
    """One command: its flat result, and the growth of the server's own histograms meanwhile.

    A request of one token (a ready check's) counts there as time 0 per token. The mean is therefore over the requests
    that have gaps: the sum over the requests of this command.


    """

    def __init__(self, program, vllm, server, folder, name, backend=("openai",)):
        before = self.histograms(server)
        done = subprocess.run([str(program), *words_for(vllm, server, f"{name}.json", backend)],
                              env=vllm.env, cwd=folder, capture_output=True, text=True,
                              timeout=RUN_S)
        assert done.returncode == 0, done.stderr + done.stdout
        after = self.histograms(server)
        self.flat = json.loads((folder / f"{name}.json").read_text())
        self.grown = {key: after[key] - before[key] for key in after}

    @staticmethod
    def histograms(server):
        return {key: figure(server.port, f"vllm:{key}") for key in
                ("request_time_per_output_token_seconds_sum", "inter_token_latency_seconds_sum",
                 "inter_token_latency_seconds_count", "generation_tokens_total")}

    def server_tpot_ms(self):
        return 1000 * self.grown["request_time_per_output_token_seconds_sum"] / REQUESTS

    def server_itl_ms(self):
        return (1000 * self.grown["inter_token_latency_seconds_sum"]
                / self.grown["inter_token_latency_seconds_count"])


@pytest.fixture(scope="module")
def turns(bin_dir, vllm, server, tmp_path_factory):
    """[(vllm's, profllm's)], one after the other, who is first in turn: a server gets faster with use."""
    folder = tmp_path_factory.mktemp("turns")
    programs = [("v", vllm.program), ("p", bin_dir / "profllm")]
    Turn(bin_dir / "profllm", vllm, server, folder, "first")
    pairs = []
    for i in range(TURNS):
        pair = {letter: Turn(program, vllm, server, folder, f"{letter}{i}")
                for letter, program in programs[::(-1) ** i]}
        pairs.append((pair["v"], pair["p"]))
    return pairs


def test_same_keys_in_the_same_order(turns):
    for theirs, ours in turns:
        assert list(ours.flat) == [*theirs.flat, "profllm"]


def test_same_experiment(turns):
    for theirs, ours in turns:
        for key, value in theirs.flat.items():
            if key not in TIMED + TIMED_LISTS and not key.endswith("_ms"):
                assert ours.flat[key] == value, key
        assert ours.flat["completed"] == REQUESTS and ours.flat["failed"] == 0
        assert ours.flat["total_input_tokens"] == REQUESTS * INPUT
        assert ours.flat["total_output_tokens"] == REQUESTS * OUTPUT
        # the same prompts in the same order: greedy answers are the same words
        assert ours.flat["generated_texts"] == theirs.flat["generated_texts"]


def test_server_saw_the_same_work(turns):
    """profllm may send a single token more than vLLM's client, to check that the server is ready."""
    for theirs, ours in turns:
        assert theirs.grown["generation_tokens_total"] == REQUESTS * OUTPUT
        assert 0 <= ours.grown["generation_tokens_total"] - REQUESTS * OUTPUT <= 1
        for turn in (theirs, ours):
            assert turn.grown["inter_token_latency_seconds_count"] == REQUESTS * (OUTPUT - 1)


def test_time_per_token_matches_the_servers(turns, capsys, server):
    """Shown, not judged: the machine's other work decides more than the client does."""
    rows = [("turn", "client", "TPOT ms", "server's", "off by", "ITL ms", "server's", "off by")]
    for i, pair in enumerate(turns):
        for name, turn in zip(("vllm", "profllm"), pair):
            tpot, itl = turn.flat["mean_tpot_ms"], turn.flat["mean_itl_ms"]
            assert tpot > 0 and turn.server_tpot_ms() > 0
            rows.append((str(i + 1), name, f"{tpot:.3f}", f"{turn.server_tpot_ms():.3f}",
                         f"{tpot - turn.server_tpot_ms():+.3f}", f"{itl:.3f}",
                         f"{turn.server_itl_ms():.3f}", f"{itl - turn.server_itl_ms():+.3f}"))
    with capsys.disabled():
        print()
        for row in rows:
            print("| " + " | ".join(row) + " |")
    assert "vllm:" in fetch(server.port, "/metrics")


def test_chats_have_the_same_chunks_and_tokens(bin_dir, vllm, server, tmp_path):
    """The rule of the server's release is also the client's. A busy server merges tokens into one event, so that single
    requests may have fewer chunks: the maximum shows the rule."""
    chat = ("openai-chat", "--endpoint", "/v1/chat/completions")
    theirs = Turn(vllm.program, vllm, server, tmp_path, "v", chat).flat
    ours = Turn(bin_dir / "profllm", vllm, server, tmp_path, "p", chat).flat
    assert list(ours) == [*theirs, "profllm"]
    assert ours["output_lens"] == theirs["output_lens"] == [OUTPUT] * REQUESTS
    assert ours["input_lens"] == theirs["input_lens"]
    gaps = [sorted(map(len, flat["itls"])) for flat in (theirs, ours)]
    print("gaps of vllm and profllm:", gaps, ours["profllm"]["config"]["benchmark"]["vllm_metrics"])
    assert gaps[0][-1] == gaps[1][-1]
    if ours["profllm"]["config"]["benchmark"]["vllm_metrics"] == "0.33":
        assert gaps[0][-1] == OUTPUT - 1
