"""Random tokens are drawn from the vocabulary of the tokenizer's own files, if present, as in vLLM's client: without added
tokens, and without special ones."""

import json

import numpy as np
import pytest

from test_wire import sent

WORDS, SPECIAL = 500, [7, 499]
PROMPTS, PREFIX, INPUT, OUTPUT, SEED = 12, 9, 6, 3, 5


def tokenizer_folder(tmp_path, config=None):
    """Makes a tokenizer with an embedding of another size than its vocabulary, as most models have."""
    folder = tmp_path / "model"
    folder.mkdir()
    vocab = {f"w{i}": i for i in range(WORDS)}
    (folder / "tokenizer.json").write_text(json.dumps({
        "added_tokens": [{"id": WORDS + i, "content": f"<added {i}>", "special": True} for i in range(12)],
        "model": {"type": "BPE", "vocab": vocab, "merges": []}}))
    (folder / "tokenizer_config.json").write_text(json.dumps(
        {"bos_token": "w7", "eos_token": {"content": "w499"}, "pad_token": "<added 3>"} if config is None else config))
    (folder / "config.json").write_text(json.dumps({"model_type": "llama", "vocab_size": 600}))
    return folder


def drawn(vocab, special):
    """Returns the token ids of all requests."""
    rng = np.random.default_rng(SEED)
    lens = rng.integers(INPUT, INPUT + 1, size=PROMPTS)
    rng.integers(OUTPUT, OUTPUT + 1, size=PROMPTS)
    offsets = rng.integers(0, vocab, size=PROMPTS)
    allowed = [i for i in range(vocab) if i not in special]
    prefix = [allowed[i] for i in rng.integers(0, len(allowed), size=PREFIX)]
    return [prefix + [allowed[(offsets[i] + i + j) % len(allowed)] for j in range(lens[i])] for i in range(PROMPTS)]


def prompts(bin_dir, tmp_path, *words):
    got, _ = sent(bin_dir, tmp_path, "--num-prompts", PROMPTS, "--random-prefix-len", PREFIX, "--random-input-len", INPUT,
                  "--random-output-len", OUTPUT, "--seed", SEED, "--prompt-token-ids", *words)
    return [json.loads(body)["prompt"] for _, _, body in got]


def test_words_of_the_tokenizer(bin_dir, tmp_path):
    folder = tokenizer_folder(tmp_path)
    assert drawn(WORDS, SPECIAL) != drawn(WORDS, []) != drawn(600, [])
    assert prompts(bin_dir, tmp_path, "--model", "org/tiny", "--tokenizer", folder) == drawn(WORDS, SPECIAL)


@pytest.mark.parametrize("config", [{}, {"bos_token": None, "additional_special_tokens": []}])
def test_no_token_has_a_role(bin_dir, tmp_path, config):
    folder = tokenizer_folder(tmp_path, config)
    assert prompts(bin_dir, tmp_path, "--model", "org/tiny", "--tokenizer", folder) == drawn(WORDS, [])


def test_vocab_size_of_the_user_goes_before(bin_dir, tmp_path):
    folder = tokenizer_folder(tmp_path)
    words = ["--model", "org/tiny", "--tokenizer", folder, "--vocab-size", 450]
    assert prompts(bin_dir, tmp_path, *words) == drawn(450, [7])


def test_token_counts_of_the_server_without_a_tokenizer(bin_dir, tmp_path):
    folder = tokenizer_folder(tmp_path)
    (folder / "tokenizer.json").unlink()
    assert prompts(bin_dir, tmp_path, "--model", "org/tiny", "--tokenizer", folder) == prompts(
        bin_dir, tmp_path, "--model", "org/tiny")
