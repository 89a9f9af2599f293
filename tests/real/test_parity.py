"""`vllm bench serve` and `profllm bench serve` with the same words, each against a recording server: the same bytes at the
same times, and the same results.

vLLM's own program is the reference; parity_tools.py and the tables here list the allowed differences.


"""
import copy
import json
import re

import parity_cases as cases
import parity_data as data
import parity_tools as tools
import pytest

# on a machine that does other things too
LATE_S = 0.05
TRIES = 5

# what vLLM takes and we refuse before anything is sent: why
REFUSED = {
    "body-nan": "NaN is no JSON",
    "body-big": "whole numbers have 64 bits",
    "custom-0": "a request for no tokens is refused by the server",
    "warmups-minus": "there is no number below none",
}
# as many as --save-result writes
SAVES = {"none": 0, "detailed-alone": 0}


@pytest.fixture(scope="module")
def player(bin_dir, vllm, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parity")
    (folder / "data").mkdir()
    cases.write_data(folder / "data")
    player = tools.Player(bin_dir, vllm, folder)
    yield player
    player.close()


def with_data(player, words):
    return [word.replace("DATA", str(player.folder / "data")) for word in words]


def listed(found):
    return "\n".join(found)


def test_differences_are_found(player):
    """Checks the comparisons: each change to one side's behavior is found."""
    theirs, _ = player.both("self", [*cases.NAMED, *cases.SAVED, *cases.SHORT])
    assert not tools.compare_requests(theirs, theirs)
    for change in (lambda got: got.update(body=got["body"].replace("tiny", "Tiny")),
                   lambda got: got["lines"].reverse(),
                   lambda got: got["lines"].append("X-A: b"),
                   lambda got: got.update(first="POST /v1/completion HTTP/1.1")):
        ours = copy.deepcopy(theirs)
        change(ours.measured()[2])
        assert len(tools.compare_requests(theirs, ours)) == 1
    flat = theirs.flat()[0][1][0]
    for change in ({"label": ""}, {"completed": 6.0}, {"input_lens": [12] * 5}, {"mean_ttft_ms": "1"},
                   {"itls": [[1.0] * 3] * 6}, {"errors": ["x"] * 6}, {"more": 1}):
        found = tools.compare_flat_object("object", flat, {**flat, **change, "profllm": {}})
        # an error that they do not have is seen by the counts
        assert bool(found) == ("errors" not in change), change
    table = theirs.table()
    for row in (table[1].replace("6", "7"), table[1].rstrip(), table[3].replace("Bench", "bench"),
                table[3] + " "):
        number = 1 if row.startswith("Succ") else 3
        assert tools.compare_row("row", table[number], row), row


@pytest.mark.parametrize("name, backend", [
    # variants of a data set differ in what is drawn, not in the back end's bytes
    (name, backend) for name in cases.DATASETS for backend in cases.ENDPOINTS
    if "-" not in name or backend in ("openai", "openai-chat")])
def test_dataset(player, name, backend):
    words = with_data(player, [*cases.NAMED, *cases.backend(backend), *cases.SAVED,
                               *cases.DATASETS[name]])
    theirs, ours = player.both(f"data-{name}-{backend}", words)
    assert theirs.rc == 0 and len(theirs.measured()) + len(theirs.others()) > 2, theirs.err
    found = tools.compare_all(theirs, ours)
    assert not found, listed(found)


@pytest.mark.parametrize("name", data.ODD)
def test_odd_file(player, name):
    """Read by both, and alike, or refused by both; by us before a request is sent."""
    kind, text, more = data.ODD[name]
    path = player.folder / "data" / (name + data.EXTENSIONS[kind])
    path.write_bytes(text.encode())
    words = [*cases.NAMED, *cases.SAVED, "--dataset-name", kind, "--dataset-path", str(path),
             "--num-prompts", "4", *(cases.PLAIN if kind == "custom" else []), *more]
    theirs, ours = player.both(f"odd-{name}", words)
    if name in data.REFUSED:
        assert (theirs.rc, ours.rc, ours.measured()) == (0, 2, []), data.REFUSED[name]
    elif name in data.TAKEN:
        assert (theirs.rc, ours.rc) == (1, 0) and ours.measured(), data.TAKEN[name]
    elif theirs.rc and name in data.TAKEN_BY_SOME:
        assert ours.rc == 0 and ours.measured(), data.TAKEN_BY_SOME[name]
    elif theirs.rc:
        assert ours.rc and not ours.measured(), theirs.err[-300:]
    else:
        found = tools.compare_all(theirs, ours)
        assert not found, listed(found)


@pytest.mark.parametrize("words", [["--host", "127.0.0.1", "--port", "PORT"],
                                   ["--base-url", "http://localhost:PORT"]])
def test_address(player, words):
    words = [*words, *cases.SAVED, *cases.SHORT, "--model", "MODEL", "--request-id-prefix", "p-"]
    theirs, ours = player.both(f"address{len(words)}", words)
    assert len(theirs.measured()) == 6
    found = tools.compare_all(theirs, ours)
    assert not found, listed(found)


@pytest.mark.parametrize("backend", cases.ENDPOINTS)
@pytest.mark.parametrize("name", cases.BODIES)
def test_body(player, name, backend):
    words = [*cases.NAMED, *cases.backend(backend), *cases.SAVED, *cases.BODIES[name]]
    theirs, ours = player.both(f"body-{name}-{backend}", words)
    assert theirs.rc == 0 and len(theirs.measured()) >= 6, theirs.err
    found = tools.compare_all(theirs, ours)
    assert not found, listed(found)


@pytest.mark.parametrize("name", cases.RUNS)
def test_run(player, name):
    words, server, env = cases.RUNS[name]
    theirs, ours = player.both(f"run-{name}", [*cases.NAMED, *cases.SAVED, *words], server, env)
    assert theirs.rc == 0 and theirs.measured() and theirs.table(), theirs.err
    found = tools.compare_all(theirs, ours, others=name not in cases.BESIDE_DIFFERS)
    assert not found, listed(found)


def test_default_names_of_requests(player):
    words = ["--base-url", "http://127.0.0.1:PORT", "--model", "MODEL", *cases.SHORT]
    for side in player.both("names", words):
        ids = [line[len("x-request-id: "):] for got in side.got for line in got["lines"]
               if line.startswith("x-request-id: ")]
        prefixes = {re.fullmatch(r"(bench-[0-9a-f]{8}-)\d+", one).group(1) for one in ids}
        assert len(prefixes) == 1 and len(ids) == 6


@pytest.mark.parametrize("backend", cases.STREAMS)
def test_stream(player, backend):
    """Odd but allowed: the same events count, and the same text comes out."""
    kinds = cases.STREAMS[backend]
    words = [*cases.NAMED, *cases.backend(backend), *cases.SAVED, *cases.SHORT, "--num-prompts",
             str(len(kinds)), "--percentile-metrics", "ttft,tpot,itl,e2el"]
    theirs, ours = player.both(f"stream-{backend}", words,
                               {"faults": {str(i): kind for i, kind in enumerate(kinds)}})
    assert theirs.flat()[0][1][0]["completed"] == len(kinds)
    found = tools.compare_all(theirs, ours)
    assert not found, listed(found)


def test_without_usage_events_are_counted(player):
    """vLLM counts the text again, by a local tokenizer; we say that we counted events."""
    theirs, ours = player.both("no-usage", [*cases.NAMED, *cases.SAVED, *cases.SHORT],
                               {"no_usage": True})
    found = tools.compare_requests(theirs, ours)
    assert not found, listed(found)
    flat, = ours.flat()[0][1]
    assert flat["output_lens"] == [5] * 6 and theirs.flat()[0][1][0]["output_lens"] != [5] * 6
    assert list(flat) == [*theirs.flat()[0][1][0], "profllm"]


def without(got, *keys):
    """The head, and the body's keys but these."""
    body = json.loads(got["body"])
    lines = [line for line in tools.head_of(got) if not line.startswith("Content-Length")]
    return lines, [item for item in body.items() if item[0] not in keys]


def test_ready_check_and_warm_ups(player):
    """vLLM repeats prompt 0; we ask for eight tokens first, then send others of the same length."""
    words = [*cases.NAMED, *cases.SHORT, "--num-warmups", "3", "--ready-check-timeout-sec", "5",
             "--lora-modules", "a", "--extra-body.x", "1"]
    theirs, ours = player.both("ready", words)
    assert len(theirs.others()) == len(ours.others()) == 4
    first, *others = ours.others()
    small = ("prompt", "max_tokens", "ignore_eos")
    assert without(first, *small) == without(theirs.others()[0], *small)
    assert json.loads(first["body"])["max_tokens"] == 8
    assert [without(one, "prompt") for one in others] == [without(one, "prompt")
                                                          for one in theirs.others()[1:]]
    # all of them before the first measured one
    for side in (theirs, ours):
        order = [tools.number_of(got) is None for got in side.got if got["path"] == "/v1/completions"]
        assert order == sorted(order, reverse=True)


def test_probes(player):
    words = [*cases.NAMED, *cases.SAVED, *cases.SHORT, "--request-rate", "20", "--probe-request-rate",
             "50", "--temperature", "0"]
    theirs, ours = player.both("probes", words)
    for side in (theirs, ours):
        assert len(side.others()) > 2
    kinds = [{(str(tools.head_of(got)), got["body"]) for got in side.others()}
             for side in (theirs, ours)]
    assert kinds[0] == kinds[1] and len(kinds[0]) == 1
    found = tools.compare_all(theirs, ours, others=False)
    assert not found, listed(found)


def test_profile_surrounds_the_load(player):
    words = [*cases.NAMED, *cases.SHORT, "--profile", "--header", "A=b"]
    for side in player.both("profile", words, env={"OPENAI_API_KEY": "sk-key"}):
        posted = [got for got in side.got if got["first"].startswith("POST")
                  and got["path"] not in tools.ASIDE]
        assert [got["path"] for got in posted] == [
            "/start_profile", *["/v1/completions"] * 6, "/stop_profile"]
        for got in posted:
            assert {"Authorization: Bearer sk-key", "A: b"} < set(got["lines"])


def test_profile_that_the_server_lacks(player):
    """Both continue without a profile; vLLM also tries to stop it."""
    theirs, ours = player.both("no-profile", [*cases.NAMED, *cases.SAVED, *cases.SHORT, "--profile"],
                               {"profile_status": 404})
    assert [got["path"] for got in theirs.others()] == ["/start_profile", "/stop_profile"]
    assert [got["path"] for got in ours.others()] == ["/start_profile"]
    found = tools.compare_all(theirs, ours, others=False)
    assert not found, listed(found)


def test_model_of_the_server(player):
    words = [*cases.COMMON, *cases.SAVED, *cases.SHORT, "--header", "X-A=b"]
    theirs, ours = player.both("model", words, {"model": "nick"}, {"OPENAI_API_KEY": "sk-key"})
    found = tools.compare_all(theirs, ours)
    assert not found, listed(found)
    assert {json.loads(got["body"])["model"] for got in ours.measured()} == {"nick"}
    asked = [next(got for got in side.got if got["path"] == "/v1/models") for side in (theirs, ours)]
    for got in asked:
        assert got["first"] == "GET /v1/models HTTP/1.1" and "X-A: b" in got["lines"]


@pytest.mark.parametrize("name", cases.FILES)
def test_file(player, name):
    words = [*cases.NAMED, *cases.SHORT, *cases.FILES[name]]
    theirs, ours = player.both(f"file-{name}", words)
    assert theirs.rc == 0 and len(theirs.flat()) == SAVES.get(name, 1), theirs.err
    found = tools.compare_all(theirs, ours)
    assert not found, listed(found)


def test_append_again(player):
    words = [*cases.NAMED, *cases.SHORT, "--append-result", "--result-filename", "r.json"]
    theirs, ours = player.both("again", words)
    for side, play in ((theirs, player.theirs), (ours, player.ours)):
        text = (side.folder / "r.json").read_text()
        again = play("again", words)
        assert again.folder == side.folder
        longer = (side.folder / "r.json").read_text()
        assert longer.startswith(text + "\n{") and longer.count("\n") == 1
    found = tools.compare_flat(theirs, ours)
    assert not found, listed(found)


@pytest.mark.parametrize("name", cases.PLANS)
def test_plan(player, name):
    """Each planned send, to the nanosecond."""
    theirs, ours = player.planned(f"plan-{name}", with_data(player, [*cases.NAMED, *cases.PLANS[name]]))
    assert len(theirs) == len(ours) > 0
    shift = theirs[0] - ours[0] if name in cases.PLAN_SHIFTED else 0
    assert [at for at in zip(theirs, ours) if abs(at[0] - shift - at[1]) > 2e-9] == []


def worst_late_s(side, planned):
    """Against the plan, with the first arrival as both programs' zero."""
    came = [got["arrived"] for got in side.measured()]
    assert len(came) == len(planned)
    return max(abs((at - came[0]) - (due - planned[0])) for at, due in zip(came, planned))


@pytest.mark.parametrize("name", cases.ARRIVALS)
def test_arrivals(player, name):
    """As the server sees them; a machine that does other things has more than one try."""
    words = [*cases.NAMED, *cases.ARRIVALS[name]]
    planned, _ = player.planned(f"arrivals-plan-{name}", words)
    for play in (player.theirs, player.ours):
        tries = []
        while not tries or (tries[-1] >= LATE_S and len(tries) < TRIES):
            tries.append(worst_late_s(play(f"arrivals-{name}-{len(tries)}", words), planned))
        assert tries[-1] < LATE_S, tries


@pytest.mark.parametrize("name", cases.LINES)
def test_line(player, name):
    """Taken by both or refused by both, and by us before a request is sent."""
    words = with_data(player, [*cases.NAMED, "--num-prompts", "2", "--random-input-len", "8",
                               "--random-output-len", "3", *cases.LINES[name]])
    theirs, ours = player.both(f"line-{name}", words)
    sent = [got for got in ours.got if got["path"] in cases.ENDPOINTS.values()]
    if name in REFUSED:
        assert (theirs.rc, ours.rc, sent) == (0, 2, []), REFUSED[name]
        return
    assert (theirs.rc == 0) == (ours.rc == 0), f"{theirs.err[-300:]}\n{ours.err[-300:]}"
    assert ours.rc in (0, 2)
    assert bool(sent) == (ours.rc == 0)


def test_number_below_zero_after_a_blank(player):
    """vLLM's parser takes it for a flag with a dot; we take it for what it is."""
    words = [*cases.NAMED, *cases.SHORT, "--presence-penalty", "-0.5"]
    theirs, ours = player.both("minus", words)
    assert theirs.rc != 0 and not theirs.measured() and ours.rc == 0
    assert {json.loads(got["body"])["presence_penalty"] for got in ours.measured()} == {-0.5}
