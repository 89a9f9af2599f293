"""Models that are known by name: the report of `validate` without the model's files."""
import json
import subprocess
import sys

import pytest
from run_tools import run_profllm
from validate_tools import errors, make_model, profllm, reports, warnings

# counts that the models' pages give
COUNTS = {
    "meta-llama/Llama-3.1-8B-Instruct": 8030261248,
    "qwen/qwen3-8b": 8190735360,
    "mistralai/Mixtral-8x7B-Instruct-v0.1": 46702792704,
    "microsoft/phi-2": 2779683840,
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": 31577937344,
}


def explain(bin_dir, folder, names, *args):
    """Returns the reports of one experiment per name, from one start of the program."""
    files = []
    for i, name in enumerate(names):
        path = folder / f"{i}.json"
        path.write_text(json.dumps({"server": {"model": name}, "launch": {"gpus": []}}))
        files.append(path.name)
    return reports(profllm(bin_dir, folder, "validate", "--explain", "--json", *args, *files))


def test_weights_of_well_known_models(bin_dir, tmp_path):
    for (name, count), report in zip(COUNTS.items(), explain(bin_dir, tmp_path, COUNTS)):
        memory = report["memory"]
        assert memory["weights_bytes"] == pytest.approx(2 * count, rel=1e-4), name
        assert memory["facts_source"] == "known_by_name"
        assert [one["rule"] for one in report["problems"]] == ["model_not_found"]


def test_every_name_has_the_weights_of_its_list(bin_dir, test_data_dir, tmp_path):
    models = json.loads((test_data_dir / "spec" / "models.json").read_text())["models"]
    entries = [(name, one) for one in models for name in (one["id"], *one["same_as"])]
    assert len(entries) == 322
    told = explain(bin_dir, tmp_path, [name for name, _ in entries])
    unlike, uncounted = [], set()
    for (name, one), report in zip(entries, told):
        memory = report["memory"]
        assert memory["facts_source"] == "known_by_name" and memory["facts_confidence"] == one["confidence"], name
        assert errors(report) == [], name
        if "quantization_config" in json.dumps(one["config"]) or "hf_quant_config" in one:
            assert memory["weights_bytes"], name
            continue
        if one["computed"] is None:
            uncounted.add(name)
        # the public count has the parts that read images, and drafting layers
        expected = one["computed"] or one["parameters"]
        most = 1e-4 if one["computed"] else 0.09
        if expected and abs(memory["weights_bytes"] / 2 / expected - 1) > most:
            unlike.append((name, memory["weights_bytes"], expected))
    assert unlike == [] and len(uncounted) == 10


def test_the_table_is_made_from_the_list(source_dir, test_data_dir):
    done = subprocess.run([sys.executable, source_dir / "tools/make-models", test_data_dir / "spec/models.json", "--check"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_words_say_where_the_facts_are_from(bin_dir, tmp_path):
    done = profllm(bin_dir, tmp_path, "validate", "--explain", "--hardware", "h100x8", "--",
                   "vllm", "serve", "meta-llama/Llama-3.1-70B", "-tp", "8")
    assert done.returncode == 0
    assert "facts: built-in model 'meta-llama/Llama-3.1-70B-Instruct' (" in done.stdout
    assert "the checks use ProfLLM's built-in data about this model (rule model_not_found)" in done.stdout
    (tmp_path / "meta-llama").mkdir()
    make_model(tmp_path / "meta-llama", "Llama-3.1-70B")
    done = profllm(bin_dir, tmp_path, "validate", "--explain", "--", "vllm", "serve", "meta-llama/Llama-3.1-70B")
    assert "facts: config.json of 'meta-llama/Llama-3.1-70B'" in done.stdout and "known by name" not in done.stdout


def judge(bin_dir, folder, *words):
    [report] = reports(profllm(bin_dir, folder, "validate", "--json", "--hardware", "h100x8", "--", "vllm", "serve",
                               *words))
    return report


def rules(problems):
    return {one["rule"] for one in problems} - {"model_not_found"}


def test_the_rules_know_them(bin_dir, tmp_path):
    name = "meta-llama/Llama-3.1-8B-Instruct"
    heads = judge(bin_dir, tmp_path, name, "-tp", "3")
    assert rules(errors(heads)) == {"attention_heads_divide_by_tp"}
    longer = judge(bin_dir, tmp_path, name, "--max-model-len", "200000")
    assert rules(errors(longer)) == {"max_model_len_within_model"}
    # overrides are laid over the facts, as over a file
    told = judge(bin_dir, tmp_path, name, "--max-model-len", "200000", "--hf-overrides",
                 '{"max_position_embeddings": 262144}')
    assert rules(errors(told)) == set()
    large = judge(bin_dir, tmp_path, "meta-llama/Llama-3.1-70B-Instruct")
    assert rules(errors(large)) == {"weights_fit_memory"} and not large["ok"]
    packed = judge(bin_dir, tmp_path, "deepseek-ai/DeepSeek-R1", "-tp", "8", "--quantization", "awq")
    assert rules(errors(packed)) | rules(warnings(packed)) >= {"quantization_matches_model"}


def test_another_revision_only_warns(bin_dir, tmp_path):
    report = judge(bin_dir, tmp_path, "meta-llama/Llama-3.1-8B-Instruct", "-tp", "3", "--revision", "v2")
    assert report["ok"] and rules(warnings(report)) == {"attention_heads_divide_by_tp"}
    assert any("not 'v2'" in note for note in report["memory"]["notes"])


def test_a_similar_name_is_reported(bin_dir, tmp_path):
    [fault] = warnings(judge(bin_dir, tmp_path, "meta-llama/Lama-3.1-8B-Instruct"))
    assert (fault["rule"], fault["nearest"]) == ("model_not_found", "meta-llama/Llama-3.1-8B-Instruct")
    [fault] = warnings(judge(bin_dir, tmp_path, "somebody/own-model"))
    assert fault["nearest"] is None


def test_the_list_of_names(bin_dir):
    rows = json.loads(run_profllm(bin_dir, "validate", "--models", "list", "--json").stdout)
    names = {name: row for row in rows for name in (row["name"], *row["same_as"])}
    assert names["microsoft/phi-2"] == {"name": "microsoft/phi-2", "same_as": [], "model_type": "phi",
                                        "parameters": 2779683840, "confidence": "derived"}
    told = run_profllm(bin_dir, "validate", "--models", "list").stdout.splitlines()[1:]
    assert [line.split()[0] for line in told] == list(names)
    refused = run_profllm(bin_dir, "validate", "--models", "microsoft/phi-2")
    assert refused.returncode == 2 and "--models" in refused.stderr
