"""Recordings to /v1/audio: forms against Python's aiohttp, and the simulator's streams."""
import asyncio
import io
import json

import numpy
import pytest

import run_tools
from sim_tools import Server
from test_conversations import chunks
from test_media import bench, wav

BOUNDARY = "9d1f6f0c3b7e4a58a2c4e1d07b93f65e"
EXTRA = {"temperature": 0.5, "prompt": "say é 'x'", "top": None, "list": [1, 2.5, "a", 'it\'s', "it's \"x\"\n", True, None, {"k": []}], "on": False,
         "odd name\"": "1", "language": "de", "stream_include_usage": True, "tiny": 1e-7, "huge": 1e16}
# as in the order of what is sent
FIELDS = {"model": "tiny", "max_completion_tokens": 4, "stream": True, "language": "de", "stream_include_usage": True, "stream_continuous_usage_stats": True}


def write_records(folder, count=3):
    sound = numpy.random.default_rng(1).uniform(-1, 1, 4000)
    (folder / "a b.wav").write_bytes(wav(range(24000), 8000))
    records = [{"prompt": "one", "audio": "a b.wav"}, {"prompt": "two", "audio": {"array": list(sound), "sampling_rate": 16000}},
               {"audio": {"array": [0, 1, -1, 5, -5], "sampling_rate": 10}}][:count]
    (folder / "audio.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return [("a b.wav", (folder / "a b.wav").read_bytes()), ("audio.wav", wav(numpy.rint(sound * (2**31 - 1)).astype(numpy.int64) >> 16, 16000)),
            ("audio.wav", wav([0, 32767, -32768, 32767, -32768], 10))][:count]


WORDS = ["--backend", "openai-audio", "--dataset-name", "custom_audio", "--dataset-path", "audio.jsonl", "--custom-output-len", "4", "--disable-shuffle",
         "--num-prompts", "0", "--request-id-prefix", "p-", "--output", "full.json", "--overwrite", "--save-detailed", "--save-result", "--result-filename",
         "flat.json"]


def run(bin_dir, folder, *words, server=()):
    """Returns (console, full result, flat result, records)."""
    with Server(bin_dir, "--sim-media", "--sim-step", "1ms", *server) as running:
        done = bench(bin_dir, folder, "--port", running.port, *WORDS, *words)
    assert done.returncode == 0, done.stderr + done.stdout
    return (done.stdout, json.loads((folder / "full.json").read_text()), json.loads((folder / "flat.json").read_text()),
            run_tools.read_zst_lines(folder / "full.requests.jsonl.zst"))


def python_form(aiohttp, name, data, fields):
    """Returns the body and the Content-Type that aiohttp makes, with our boundary."""
    form = aiohttp.FormData()
    form.add_field("file", io.BytesIO(data), filename=name, content_type="audio/wav")
    for key, value in fields.items():
        form.add_field(key, str(value))
    writer = form()

    class Sink:
        parts = []

        async def write(self, data):
            self.parts.append(bytes(data))

    sink = Sink()
    sink.parts = []
    asyncio.run(writer.write(sink))
    theirs = writer.boundary.encode()
    assert len(theirs) == len(BOUNDARY)
    return b"".join(sink.parts).replace(theirs, BOUNDARY.encode()), writer.content_type.replace(writer.boundary, BOUNDARY)


def test_forms_are_those_of_aiohttp(bin_dir, tmp_path):
    aiohttp = pytest.importorskip("aiohttp")
    files = write_records(tmp_path)
    run(bin_dir, tmp_path, "--extra-body", json.dumps(EXTRA), "--ignore-eos", server=("--sim-capture", tmp_path / "wire"))
    sent = {}
    data = (tmp_path / "wire").read_bytes()
    while data:
        head, _, data = data.partition(b"\r\n\r\n")
        line, *lines = head.decode().split("\r\n")
        length = next((int(line.split(": ")[1]) for line in lines if line.startswith("Content-Length: ")), 0)
        body, data = data[:length], data[length:]
        name = next((line.split(": ")[1] for line in lines if line.startswith("x-request-id: p-")), None)
        if name:
            sent[int(name[2:])] = (line, lines, body)
    fields = {**FIELDS, "ignore_eos": True, **EXTRA}
    order = list(FIELDS) + ["ignore_eos"] + [key for key in EXTRA if key not in FIELDS]
    for i, (name, data) in enumerate(files):
        wanted, content_type = python_form(aiohttp, name, data, {key: fields[key] for key in order})
        line, lines, body = sent[i]
        assert "/v1/audio/transcriptions" in line
        assert body == wanted
        assert lines[-1] == f"Content-Type: {content_type}" and lines[-2] == f"Content-Length: {len(wanted)}"


def test_figures_of_transcriptions(bin_dir, tmp_path):
    write_records(tmp_path)
    console, full, flat, records = run(bin_dir, tmp_path, server=("--sim-log", tmp_path / "log"))
    assert [record["audio_s"] for record in records] == [3, 0.25, 0.5] and [record["output_tokens"] for record in records] == [4, 4, 4]
    rate = 3.75 / full["results"]["duration"]
    assert full["results"]["rtfx"] == pytest.approx(rate, rel=1e-9) and flat["rtfx"] == pytest.approx(rate, rel=1e-6)
    lines = [line.split(":")[0] for line in console.splitlines()]
    at = lines.index("RTFx (Inverse Real-Time Factor)")
    assert lines[at - 1] == "Peak concurrent requests" and lines[at + 1] == "Total token throughput (tok/s)"
    (only,) = full["results"]["by_modality"]
    assert (only["modality"], only["completed"], only["audio_s"], only["mean_output_tokens"]) == ("audio", 3, 3.75, 4)
    assert flat["backend"] == "openai-audio" and flat["completed"] == 3 and all(len(gaps) == 3 for gaps in flat["itls"])
    # the server counts the tokens of the recording, which vLLM's client does not take for the prompt's
    assert [record.get("prompt_tokens") for record in records] != [75, 7, 13]
    log = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert sorted(line["media_tokens"] for line in log if line.get("event") == "request" and line.get("media_tokens"))[-1:] == [75]


def test_figures_by_modality(bin_dir, tmp_path):
    """results.by_modality equals numpy's, from the records; requests without media have an entry of their own."""
    records = [{"content": [{"type": "text", "text": f"text {i}"}] + [{"type": kind, kind: {"url": f"http://h/{i}-{k}"}} for k, kind in enumerate(kinds)]}
               for i, kinds in enumerate([[], ["image_url"], [], ["image_url"] * 2, ["image_url"]])]
    (tmp_path / "images.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    with Server(bin_dir, "--sim-media", "--sim-step", "1ms", "--sim-error-rate", "0.25") as running:
        done = bench(bin_dir, tmp_path, "--port", running.port, "--backend", "openai-chat", "--dataset-name", "custom_image", "--dataset-path", "images.jsonl",
                     "--custom-output-len", "6", "--num-prompts", "40", "--seed", "5", "--output", "full.json", "--ready-check-timeout-sec", "0")
    assert "Result: full.json" in done.stdout, done.stderr + done.stdout
    found = json.loads((tmp_path / "full.json").read_text())["results"]["by_modality"]
    records = run_tools.read_zst_lines(tmp_path / "full.requests.jsonl.zst")
    assert [entry["modality"] for entry in found] == ["text", "image"] and sum(entry["failed"] for entry in found) > 0
    for entry in found:
        own = [record for record in records if ("images" in record) == (entry["modality"] == "image")]
        good = [record for record in own if record["error"] is None]
        assert (entry["completed"], entry["failed"], entry["not_sent"]) == (len(good), len(own) - len(good), 0)
        assert entry["images"] == sum(record.get("images", 0) for record in good) and entry["videos"] == entry["audio_s"] == 0
        assert entry["mean_prompt_tokens"] == pytest.approx(numpy.mean([record["prompt_tokens"] for record in good]), rel=1e-12)
        e2el = [(record["acted_ns"], chunks(record)) for record in good]
        for name, values in (("ttft", [(times[0] - start) / 1e6 for start, times in e2el]), ("e2el", [(times[-1] - start) / 1e6 for start, times in e2el])):
            wanted = {"mean": numpy.mean(values), "median": numpy.median(values), "p90": numpy.percentile(values, 90), "p99": numpy.percentile(values, 99)}
            assert {key: entry[f"{key}_{name}_ms"] for key in wanted} == pytest.approx(wanted, rel=1e-9)


def test_answers_in_any_pieces_give_the_same_records(bin_dir, tmp_path):
    write_records(tmp_path)
    shapes = [(), ("--sim-cut", "1"), ("--sim-cut", "2"), ("--sim-cut", "7"), ("--sim-cut", "1000")]
    seen = []
    for shape in shapes:
        _, _, flat, records = run(bin_dir, tmp_path, "--endpoint", "/v1/audio/translations", server=shape)
        seen.append((flat["generated_texts"], flat["output_lens"], flat["input_lens"],
                     [(record["finish_reason"], record["output_tokens"], record["error"]) for record in records]))
    assert all(text for text in seen[0][0]) and seen[1:] == [seen[0]] * (len(shapes) - 1)


@pytest.mark.parametrize("words, message", [
    (["--temperature", "0"], "--temperature: backend 'openai-audio' takes no sampling options; use --extra-body"),
    (["--top-k", "5"], "--top-k: backend 'openai-audio' takes no sampling options"),
    (["--extra-body", '{"é": 1}'], "--extra-body: found text 'é', expected ASCII characters in the names of a form"),
    (["--endpoint", "/v1/completions"], "ends with 'transcriptions' or 'translations'"),
    (["--dataset-name", "custom"], "expected a dataset of audio for backend 'openai-audio': custom_audio")])
def test_refused_before_the_run(bin_dir, tmp_path, words, message):
    write_records(tmp_path)
    done = bench(bin_dir, tmp_path, "--port", "9", "--model", "m", *WORDS, *words)
    assert done.returncode == 2 and message in done.stderr, done.stderr


def test_a_recording_with_the_boundary_is_refused(bin_dir, tmp_path):
    (tmp_path / "a.wav").write_bytes(wav(range(24000), 8000) + BOUNDARY.encode())
    (tmp_path / "audio.jsonl").write_text(json.dumps({"audio": "a.wav"}) + "\n")
    with Server(bin_dir, "--sim-media") as running:
        done = bench(bin_dir, tmp_path, "--port", running.port, *WORDS)
    assert done.returncode == 1 and "'a.wav' contains the boundary of the form" in done.stdout, done.stdout
    assert json.loads((tmp_path / "full.json").read_text())["status"] == "failed"


def form(*parts, boundary="b"):
    return "".join(f"--{boundary}\r\n{part}\r\n" for part in parts).encode() + f"--{boundary}--\r\n".encode()


def field(name, value):
    return f"Content-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}"


FILE = 'content-disposition: form-data; name="file"; filename="a.mp3"\r\nContent-Type: audio/mpeg\r\n\r\nxyz'
TYPE = "multipart/form-data; boundary=b"


def test_responses_of_the_simulator(bin_dir):
    with Server(bin_dir, "--sim-media", "--sim-step", "1ms") as server:
        status, _, text = server.ask("POST", "/v1/audio/transcriptions", form(FILE, field("max_completion_tokens", "3"), field("prompt", "a b")),
                                     {"Content-Type": 'Multipart/form-data; charset=x; Boundary="b"'})
        assert status == 200 and json.loads(text)["text"] and json.loads(text)["usage"] == {"type": "duration", "seconds": 41}
        fields = [field("max_completion_tokens", "3"), field("stream", "TRUE"), field("stream_include_usage", "1"), field("stream_continuous_usage_stats", "yes")]
        for path, kind in (("transcriptions", "transcription.chunk"), ("translations", "translation.chunk")):
            status, _, text = server.ask("POST", f"/v1/audio/{path}", form(*fields, FILE), {"Content-Type": TYPE})
            events = text.decode().split("\n\n")
            assert status == 200 and events[-2:] == ["data: [DONE]", ""]
            chunks = [json.loads(event.removeprefix("data: ")) for event in events[:-2]]
            assert {chunk["object"] for chunk in chunks} == {kind}
            assert [len(chunk["choices"]) for chunk in chunks] == [1, 1, 1, 0]
            assert [chunk["usage"]["completion_tokens"] for chunk in chunks] == [1, 2, 3, 3] and chunks[0]["usage"]["prompt_tokens"] == 1024
            assert [list(chunk["choices"][0]) for chunk in chunks[:3]] == [["delta"], ["delta"], ["delta", "finish_reason", "stop_reason"]]


@pytest.mark.parametrize("body, kind, message", [
    (form(FILE), "application/json", b"file"), (form(FILE), TYPE.replace("=b", "="), b"1 to 70 bytes"), (form(FILE), TYPE.replace("=b", "=" + "b" * 71), b"1 to 70"),
    (form(FILE, boundary="c"), TYPE, b"does not start with the boundary"), (form(field("a", "1")), TYPE, b"file"), (form("x: y\r\n\r\n1"), TYPE, b"no Content-Disp"),
    (form("Content-Disposition: form-data\r\n\r\n1"), TYPE, b"no name"), (form(FILE)[:-6], TYPE, b"no end"), (b"--b\r\nx", TYPE, b"no end"), (b"", TYPE, b"start"),
    (form(FILE, *[field("a", "1")] * 64), TYPE, b"more than 64 parts"), (form(FILE, field("a" * 257, "1")), TYPE, b"too large"),
    (form(FILE, field("stream", "maybe")), TYPE, b"valid boolean"), (form(FILE, field("max_completion_tokens", "x")), TYPE, b"valid integer"),
    (form(FILE.replace("xyz", "")), TYPE, b"Invalid or unsupported audio file"), (form(FILE).replace(b"--b--", b"--bX"), TYPE, b"unexpected bytes"),
    (form(FILE, field("a", "Z")).replace(b"Z", b"\xff"), TYPE, b"not UTF-8"), (form(FILE, field("model", "none")), TYPE, b"does not exist")])
def test_the_simulator_refuses_broken_forms(bin_dir, body, kind, message):
    with Server(bin_dir, "--sim-media", "--sim-step", "1ms") as server:
        status, _, text = server.ask("POST", "/v1/audio/transcriptions", body, {"Content-Type": kind})
        assert status in (400, 404) and message in text, text


def test_without_media_there_is_no_transcription(bin_dir):
    with Server(bin_dir, "--sim-step", "1ms") as server:
        status, _, text = server.ask("POST", "/v1/audio/transcriptions", form(FILE), {"Content-Type": TYPE})
        assert status == 400 and b"does not support" in text
