"""Images and audio in requests: draws and bytes against numpy, Pillow and aiohttp, and the simulator's log."""
import base64
import io
import json
import os
import subprocess
import wave

import numpy
import pytest

import run_tools
from sim_tools import Server, by_request, read_log
from test_wire import requests_in

SIZES = [(24, 40, 1), (56, 29, 1)]
BUCKETS = "{(24, 40, 1): 0.25, (56, 29, 1): 0.75, (8, 8, 16): 0}"
VOCABULARY = 32000


def bench(bin_dir, folder, *words, env=None):
    return subprocess.run([bin_dir / "profllm", "bench", "serve", "--disable-tqdm", *map(str, words)], cwd=folder, capture_output=True, text=True,
                          timeout=120, check=False, env=run_tools.environment(env))


def measured(bin_dir, folder, *words, server=("--sim-step", "1ms")):
    """Returns (bodies in the order of their ids, log by request, full result)."""
    capture, log = folder / "wire", folder / "log"
    with Server(bin_dir, "--sim-media", "--sim-capture", capture, "--sim-log", log, *server) as running:
        done = bench(bin_dir, folder, "--port", running.port, "--request-id-prefix", "p-", "--output", "full.json", "--overwrite", *words)
    assert done.returncode == 0, done.stderr + done.stdout
    sent = {}
    for _, lines, body in requests_in(capture):
        name = next((line.split(": ")[1] for line in lines if line.startswith("x-request-id: p-")), None)
        if name:
            sent[int(name[2:])] = body
    return [sent[i] for i in sorted(sent)], by_request(read_log(log)), json.loads((folder / "full.json").read_text())


def numpys(seed, count, base, ratio, cap):
    """Returns the sizes and pixels of each request, as vLLM's client draws them."""
    rng = numpy.random.default_rng(seed)
    rng.integers(0, VOCABULARY, size=count)
    shares = [0.25, 0.75]
    low, high = max(0, int(numpy.floor(base * (1 - ratio)))), min(cap, int(numpy.ceil(base * (1 + ratio))))
    requests = []
    for _ in range(count):
        items = []
        for _ in range(int(rng.integers(low, high + 1))):
            height, width, _ = SIZES[rng.choice(len(SIZES), p=shares)]
            items.append(rng.integers(0, 256, (height, width, 3), dtype=numpy.uint8))
        requests.append(items)
    return requests


def images(body):
    content = json.loads(body)["messages"][0]["content"]
    assert [part["type"] for part in content] == ["text"] + ["image_url"] * (len(content) - 1)
    return [base64.b64decode(part["image_url"]["url"].removeprefix("data:image/jpeg;base64,"), validate=True) for part in content[1:]]


WORDS = ["--backend", "openai-chat", "--dataset-name", "random-mm", "--random-input-len", "9", "--random-output-len", "3", "--num-prompts", "8",
         "--random-mm-base-items-per-request", "2", "--random-mm-num-mm-items-range-ratio", "0.5", "--random-mm-bucket-config", BUCKETS]


def test_images_are_those_of_numpy_and_pillow(bin_dir, tmp_path):
    bodies, log, result = measured(bin_dir, tmp_path, *WORDS, "--seed", "3")
    wanted = numpys(3, 8, 2, 0.5, 255)
    assert [len(images(body)) for body in bodies] == [len(items) for items in wanted] and len({len(items) for items in wanted}) > 1
    for i, (body, items) in enumerate(zip(bodies, wanted)):
        # one body: the text, then the images; the bytes are those of json.dumps
        assert body == json.dumps(json.loads(body)) and list(json.loads(body)) == ["model", "messages", "max_completion_tokens", "stream",
                                                                                   "stream_options", "ignore_eos"]
        tokens = sum(-(-item.shape[0] // 28) * -(-item.shape[1] // 28) for item in items)
        assert log[f"p-{i}"][0].get("media_tokens", 0) == tokens and log[f"p-{i}"][0]["prompt_tokens"] == 9 + 3 + tokens
    assert result["results"]["completed"] == 8 and result["results"]["expected_prefix_cache_hit_rate"] == 0
    pillow = pytest.importorskip("PIL.Image")
    for body, items in zip(bodies, wanted):
        for data, pixels in zip(images(body), items):
            with pillow.open(io.BytesIO(data)) as image:
                assert (image.format, image.mode, image.size) == ("JPEG", "RGB", (pixels.shape[1], pixels.shape[0]))
                assert numpy.asarray(image).shape == pixels.shape
            written = io.BytesIO()
            pillow.fromarray(pixels).save(written, format="JPEG")
            # Debian's Pillow and this program open the same libjpeg-turbo
            assert written.getvalue() == data


def test_a_seed_gives_the_same_bytes(bin_dir, tmp_path):
    runs = [measured(bin_dir, tmp_path, *WORDS, "--seed", seed)[0] for seed in ("7", "7", "8")]
    assert runs[0] == runs[1] and not set(map(str, map(images, runs[0]))) & set(map(str, map(images, runs[2])))


def test_the_encoder_takes_time_once(bin_dir, tmp_path):
    """28 x 280 pixels are 10 tokens; the encoder adds 50 ms to the step that admits the request, and nothing if all are cached."""
    words = ["--backend", "openai-chat", "--dataset-name", "random-mm", "--random-input-len", "0", "--random-output-len", "2", "--num-prompts", "5",
             "--random-mm-bucket-config", "{(28, 280, 1): 1}", "--max-concurrency", "1"]
    _, log, _ = measured(bin_dir, tmp_path, *words, server=("--sim-step", "4ms", "--sim-encoder-time", "5ms"))
    for i in range(5):
        request, *_, end = log[f"p-{i}"]
        assert request["media_tokens"] == 10
        assert end["first_token_ns"] - end["scheduled_ns"] >= 54e6 and end["last_token_ns"] - end["first_token_ns"] < 50e6
    with Server(bin_dir, "--sim-media", "--sim-step", "4ms", "--sim-encoder-time", "5ms", "--sim-log", tmp_path / "log", "--block-size", "1") as server:
        body = {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://a/b.png"}}, {"type": "text", "text": " a"}]}],
                "max_tokens": 1}
        for name in ("first", "second"):
            server.ask("POST", "/v1/chat/completions", body, {"x-request-id": name})
    log = by_request(read_log(tmp_path / "log"))
    spans = [log[name][-1]["first_token_ns"] - log[name][-1]["scheduled_ns"] for name in ("first", "second")]
    assert log["first"][0]["media_tokens"] == 1024 and spans[0] > 5e9 > 1e9 > spans[1]


@pytest.mark.parametrize("words, message", [
    (["--backend", "openai"], "expected one of openai-chat for dataset 'random-mm'"),
    (["--backend", "openai-embeddings-clip"], "expected one of openai-chat for dataset 'random-mm'"),
    (["--random-mm-bucket-config", "{(8, 0, 1): 1}"], "--random-mm-bucket-config: found size '(8, 0, 1)'"),
    (["--random-mm-base-items-per-request", "300"], "a request has at least 300 items, but --random-mm-limit-mm-per-prompt allows 255"),
    (["--random-mm-num-mm-items-range-ratio", "1.5"], "--random-mm-num-mm-items-range-ratio"),
    (["--dataset-path", "x"], "reads no file")])
def test_refused_before_the_run(bin_dir, tmp_path, words, message):
    done = bench(bin_dir, tmp_path, "--port", "9", "--model", "m", "--backend", "openai-chat", "--dataset-name", "random-mm", *words)
    assert done.returncode == 2 and message in done.stderr, done.stderr


def test_the_library_is_needed_before_the_run(bin_dir, tmp_path):
    done = bench(bin_dir, tmp_path, "--port", "9", "--model", "m", "--backend", "openai-chat", "--dataset-name", "random-mm",
                 env={"PROFLLM_JPEG_LIB": "/nowhere/libjpeg.so.62"})
    assert done.returncode == 2 and "install the package 'libjpeg62-turbo'" in done.stderr


@pytest.mark.parametrize("dataset, words", [("custom_image", ["--custom-ensure-client-side-data"]), ("custom_audio", [])])
def test_only_regular_files_are_read(bin_dir, tmp_path, dataset, words):
    """Opening a pipe that has no writer would wait forever."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name, message in (("pipe", "it is not a regular file"), ("folder", "it is a directory"), ("/dev/zero", "it is not a regular file")):
        (tmp_path / "data.jsonl").write_text(json.dumps({"prompt": "a", "image_files": [name], "audio": name}) + "\n")
        done = bench(bin_dir, tmp_path, "--port", "9", "--model", "m", "--backend", "openai-chat", "--dataset-name", dataset, "--dataset-path", "data.jsonl", *words)
        assert done.returncode == 2 and "data.jsonl:1" in done.stderr and f"could not read '{name}': {message}" in done.stderr, done.stderr


@pytest.mark.skipif("PROFLLM_TEST_LONG" not in os.environ, reason="needs 5 GB of memory")
@pytest.mark.parametrize("records, message", [(90, "the images have more than 4 GiB"), (1, "bodies of the requests with media have more than 4 GiB")])
def test_media_beyond_the_memory_limit_are_refused(bin_dir, tmp_path, records, message):
    (tmp_path / "big.png").write_bytes(PNG + bytes(62_000_000))
    write_lines(tmp_path, *[{"prompt": "a", "image_files": ["big.png"]}] * records)
    with Server(bin_dir, "--sim-media", "--sim-step", "1ms") as server:
        done = bench(bin_dir, tmp_path, "--port", server.port, "--backend", "openai-chat", "--dataset-name", "custom_image", "--dataset-path", "images.jsonl",
                     "--custom-ensure-client-side-data", "--num-prompts", "90")
    assert done.returncode == 1 and message in " ".join(done.stdout.split()), done.stderr + done.stdout


PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")
HEAD = '{"model": "tiny", "messages": [{"role": "user", "content": '
TAIL = '"max_completion_tokens": 4, "stream": true, "stream_options": {"include_usage": true}}'


def write_lines(folder, *records):
    (folder / "images.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


def from_file(bin_dir, folder, backend, *words, server=()):
    return measured(bin_dir, folder, "--backend", backend, "--dataset-name", "custom_image", "--dataset-path", "images.jsonl", "--num-prompts", "0",
                    "--custom-output-len", "4", "--disable-shuffle", *words, server=("--sim-step", "1ms", *server))


def url_part(url, **more):
    return {"type": "image_url", "image_url": {"url": url, **more}}


def test_files_and_urls_of_custom_image(bin_dir, tmp_path):
    write_lines(tmp_path, {"prompt": "one é", "image_files": ["a b.png"]}, {"prompt": "two", "image_files": ["https://h/x.jpg", "file:///y.png"]},
                {"content": [{"type": "image", "image": "z.png"}, {"type": "text", "text": "see"}, {"type": "image_url", "image_url": "data:image/png;base64,AAAA"},
                             url_part("http://h/q.png", detail="low"), {"type": "text", "text": "it"}]})
    bodies, log, result = from_file(bin_dir, tmp_path, "openai-chat")
    wanted = [[{"type": "text", "text": "one é"}, url_part("file://a b.png")],
              [{"type": "text", "text": "two"}, url_part("https://h/x.jpg"), url_part("file:///y.png")],
              [url_part("file://z.png"), {"type": "text", "text": "see"}, url_part("data:image/png;base64,AAAA"), url_part("http://h/q.png", detail="low"),
               {"type": "text", "text": "it"}]]
    assert [json.loads(body)["messages"] for body in bodies] == [[{"role": "user", "content": content}] for content in wanted]
    assert bodies[0] == HEAD + json.dumps(wanted[0]) + "}], " + TAIL
    records = run_tools.read_zst_lines(tmp_path / "full.requests.jsonl.zst")
    assert [record.get("images") for record in records] == [1, 2, 3] and "videos" not in records[0] and "audio_s" not in records[0]
    # the length of the text alone is requested, with the tokens of images the server's count says more
    assert all(record["prompt_tokens"] > 1000 > record["prompt_tokens_requested"] > 0 for record in records)
    checks = {check["id"]: check for check in result["quality"]["checks"]}
    assert checks["token_agreement"]["value"] is None
    # a text that is repeated before other images is a small share of the server's tokens
    assert result["results"]["expected_prefix_cache_hit_rate"] is None and checks["prefix_hits"]["status"] == "unknown"
    assert log["p-1"][0]["media_tokens"] == 2048


def test_warm_ups_leave_no_prompt_in_the_cache(bin_dir, tmp_path):
    """A warm-up with the same parts in the same order would make the measured request cheap."""
    texts = [{"type": "text", "text": " ".join(f"{i}a{k}" for k in range(60))} for i in range(4)]
    write_lines(tmp_path, *({"content": [texts[i], url_part(f"http://h/{i}")][::-1 if i % 2 else 1]} for i in range(4)))
    _, log, _ = from_file(bin_dir, tmp_path, "openai-chat", "--num-warmups", "4")
    assert [log[f"p-{i}"][-1]["cached_tokens"] for i in range(4)] == [0] * 4
    lengths = [line["prompt_tokens"] for line in read_log(tmp_path / "log") if line.get("media_tokens")]
    assert lengths == [log["p-0"][0]["prompt_tokens"]] * 8


def test_images_inline(bin_dir, tmp_path):
    (tmp_path / "x.png").write_bytes(PNG)
    (tmp_path / "y.txt").write_text("no image")
    inline = "data:image/png;base64," + base64.b64encode(PNG).decode()
    write_lines(tmp_path, {"prompt": "a", "image_files": ["x.png", f"file://{tmp_path}/x.png", inline]},
                {"content": [url_part(str(tmp_path / "x.png"), detail="high"), {"type": "text", "text": "b"}]})
    # five requests of two records: copies have the same images
    bodies, _, _ = from_file(bin_dir, tmp_path, "openai-chat", "--custom-ensure-client-side-data", "--num-prompts", "5")
    assert len(bodies) == 5
    assert [part["image_url"]["url"] for part in json.loads(bodies[0])["messages"][0]["content"][1:]] == [inline] * 3
    assert json.loads(bodies[1])["messages"][0]["content"][0] == url_part(inline, detail="high")
    assert {json.dumps(json.loads(body)["messages"]) for body in bodies[2:]} <= {json.dumps(json.loads(body)["messages"]) for body in bodies[:2]}
    for name, message in (("http://h/x.png", "is not a local file"), ("gone.png", "images.jsonl:1: image: could not read 'gone.png'"),
                          ("y.txt", "'y.txt': found no JPEG, PNG, GIF or WebP image")):
        write_lines(tmp_path, {"prompt": "a", "image_files": [name]})
        with Server(bin_dir, "--sim-media", "--sim-step", "1ms") as server:
            done = bench(bin_dir, tmp_path, "--port", server.port, "--backend", "openai-chat", "--dataset-name", "custom_image", "--dataset-path",
                         "images.jsonl", "--custom-ensure-client-side-data", "--num-prompts", "1")
        assert done.returncode != 0 and message in " ".join((done.stderr + done.stdout).split()), done.stderr + done.stdout


@pytest.mark.parametrize("record, message", [
    ({"prompt": "a"}, "images.jsonl:1: expected an object with 'content'"), ({"prompt": 1, "image_files": ["x"]}, "images.jsonl:1: expected an object"),
    ({"prompt": "a", "image_files": []}, "images.jsonl:1: expected an object"), ({"prompt": "a", "image_files": [3]}, "images.jsonl:1: an image must be"),
    ({"content": []}, "images.jsonl:1: 'content': expected a list"), ({"content": [{"type": "audio"}]}, "expected parts of type text, image or image_url"),
    ({"content": [{"type": "image_url", "image_url": {}}]}, "images.jsonl:1: an image must be"), ([], "images.jsonl:1: expected an object")])
def test_records_of_custom_image_are_checked(bin_dir, tmp_path, record, message):
    write_lines(tmp_path, record)
    done = bench(bin_dir, tmp_path, "--port", "9", "--model", "m", "--backend", "openai-chat", "--dataset-name", "custom_image", "--dataset-path", "images.jsonl")
    assert done.returncode == 2 and message in done.stderr, done.stderr


@pytest.mark.parametrize("backend, path, wanted", [
    ("openai-embeddings-chat", "/v1/embeddings", [HEAD + json.dumps([{"type": "text", "text": f"p{i}"}, url_part(f"http://h/{i}")]) + '}], "truncate_prompt_tokens": -1}'
                                                  for i in range(2)]),
    ("openai-embeddings-clip", "/v1/embeddings", [HEAD + json.dumps([{"type": "text", "text": ""}, url_part(f"http://h/{i}")]) + '}], "truncate_prompt_tokens": -1}'
                                                  for i in range(2)]),
    ("openai-embeddings-vlm2vec", "/v1/embeddings", [HEAD + json.dumps([url_part(f"http://h/{i}"), {"type": "text", "text": text}]) + '}], "truncate_prompt_tokens": -1}'
                                                     for i, text in enumerate(["Represent the given image.",
                                                                               "Represent the given image with the following question: p1"])]),
    ("infinity-embeddings-clip", "/embeddings", [f'{{"model": "tiny", "input": "http://h/{i}", "modality": "image"}}' for i in range(2)])])
def test_embeddings_of_images(bin_dir, tmp_path, backend, path, wanted):
    write_lines(tmp_path, *({"prompt": f"p{i}", "image_files": [f"http://h/{i}"]} for i in range(2)))
    bodies, log, result = from_file(bin_dir, tmp_path, backend, server=("--runner", "pooling", "--max-model-len", "4096"))
    assert bodies == wanted
    assert all(log[f"p-{i}"][0]["media_tokens"] == 1024 for i in range(2)) and result["results"]["completed"] == 2
    assert all(record["images"] == 1 and record["input_sequences"] == 1 for record in run_tools.read_zst_lines(tmp_path / "full.requests.jsonl.zst"))


def wav(samples, rate):
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(numpy.asarray(samples, dtype="<i2").tobytes())
    return file.getvalue()


def test_recordings_of_custom_audio(bin_dir, tmp_path):
    sound = numpy.random.default_rng(1).uniform(-1, 1, 4000)
    (tmp_path / "a.wav").write_bytes(wav(range(24000), 8000))
    write_lines(tmp_path, {"prompt": "one", "audio": "a.wav"}, {"prompt": "two", "audio": {"array": list(sound), "sampling_rate": 16000}},
                {"audio": {"array": [0, 1, -1, 5, -5], "sampling_rate": 10}})
    (tmp_path / "images.jsonl").rename(tmp_path / "audio.jsonl")
    words = ["--backend", "openai-chat", "--dataset-name", "custom_audio", "--dataset-path", "audio.jsonl", "--custom-output-len", "4", "--disable-shuffle"]
    bodies, log, result = measured(bin_dir, tmp_path, *words, "--num-prompts", "5")
    # 16 bits are the upper half of 32, as libsndfile writes them
    wanted = [(tmp_path / "a.wav").read_bytes(), wav(numpy.rint(sound * (2**31 - 1)).astype(numpy.int64) >> 16, 16000), wav([0, 32767, -32768, 32767, -32768], 10)]
    sent = [json.loads(body)["messages"][0]["content"] for body in bodies]
    assert [content[0] for content in sent[:3]] == [{"type": "text", "text": text} for text in ("one", "two", "")]
    for content, data in zip(sent, wanted):
        assert content[1:] == [{"type": "input_audio", "input_audio": {"data": base64.b64encode(data).decode(), "format": "wav"}}]
    seconds = [record["audio_s"] for record in run_tools.read_zst_lines(tmp_path / "full.requests.jsonl.zst")]
    assert seconds[:3] == [3, 0.25, 0.5] and set(seconds[3:]) <= {3, 0.25, 0.5}
    assert [log[f"p-{i}"][0]["media_tokens"] for i in range(3)] == [75, 7, 13]
    assert result["results"]["rtfx"] == pytest.approx(sum(seconds) / result["results"]["duration"], rel=1e-9)


@pytest.mark.parametrize("record, message", [
    ({"prompt": "a"}, "audio.jsonl:1: expected an object with 'audio'"), ({"prompt": 1, "audio": "x"}, "audio.jsonl:1: 'prompt': expected a string"),
    ({"audio": "gone.wav"}, "audio.jsonl:1: could not read 'gone.wav'"), ({"audio": {"array": [], "sampling_rate": 8}}, "expected an array of numbers"),
    ({"audio": {"array": ["x"], "sampling_rate": 8}}, "item 0 of the array is not a number"), ({"audio": {"array": [1]}}, "a sampling rate from 1")])
def test_records_of_custom_audio_are_checked(bin_dir, tmp_path, record, message):
    (tmp_path / "audio.jsonl").write_text(json.dumps(record) + "\n")
    done = bench(bin_dir, tmp_path, "--port", "9", "--model", "m", "--backend", "openai-chat", "--dataset-name", "custom_audio", "--dataset-path", "audio.jsonl")
    assert done.returncode == 2 and message in done.stderr, done.stderr
    done = bench(bin_dir, tmp_path, "--port", "9", "--model", "m", "--dataset-name", "custom_audio", "--dataset-path", "audio.jsonl")
    assert done.returncode == 2 and "expected one of openai-chat, openai-audio for dataset 'custom_audio'" in done.stderr


@pytest.mark.parametrize("part, message", [
    ({"type": "image_url", "image_url": {}}, b"Failed to load image_url"), ({"type": "image_url", "image_url": {"url": "data:image/png,x"}}, b"Failed to load"),
    *[({"type": "image_url", "image_url": {"url": "data:image/png;base64," + data}}, b"Failed to load")
      for data in ("AAA?", " " * 8, "QQ==QQ==", "====", "A" * 400000 + "!!!!")], ({"type": "smell", "smell": {"url": "x"}}, b"Unknown part type"),
    ({"type": "input_audio", "input_audio": {"data": ""}}, b"Failed to load input_audio")])
def test_the_simulator_refuses_broken_media(bin_dir, part, message):
    with Server(bin_dir, "--sim-media", "--sim-step", "1ms") as server:
        messages = [{"role": "user", "content": [part]}]
        status, _, text = server.ask("POST", "/v1/chat/completions", {"messages": messages, "max_tokens": 1})
        assert status == 400 and message in text
        many = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}] * 128}] * 2
        status, _, text = server.ask("POST", "/v1/chat/completions", {"messages": many, "max_tokens": 1})
        assert status == 400 and b"At most 255 image_url(s)" in text
