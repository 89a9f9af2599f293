"""Shared by the tests of `profllm validate` and `profllm config`."""
import json
import subprocess

from run_tools import PATIENCE, command, environment

TIMEOUT_S = 60

# two layers, two heads, 4,096 positions: what a check can know of a model
TINY = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "max_position_embeddings": 4096,
    "vocab_size": 50257,
    "torch_dtype": "float32",
    "rms_norm_eps": 1e-5,
}


def make_model(folder, name="tiny", **changes):
    path = folder / name
    path.mkdir()
    (path / "config.json").write_text(json.dumps({**TINY, **changes}))
    return path


def profllm(bin_dir, folder, *args, stdin="", env=None, patience=1):
    """Runs profllm without any model cache of this machine."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    quiet = {"HF_HOME": str(home), "HF_HUB_CACHE": str(home / "hub"), "HOME": str(home)}
    return subprocess.run(command(bin_dir, *args), cwd=folder,
                          env=environment({**quiet, **(env or {})}), text=True,
                          capture_output=True, input=stdin, timeout=TIMEOUT_S * patience)


def reports(done):
    """Returns the files of `validate --json`."""
    assert done.returncode in (0, 2), done.stderr
    files = json.loads(done.stdout)["files"]
    assert (done.returncode == 0) == all(one["ok"] for one in files)
    return files


def of_severity(report, severity):
    return [one for one in report["problems"] if one["severity"] == severity]


def errors(report):
    return of_severity(report, "error")


def warnings(report):
    return of_severity(report, "warning")


def pointer(path):
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in path)


# So many have fewer faults than one call tells.
DOCUMENTS_A_CALL = 40


def schema_faults(bin_dir, folder, name, documents):
    """Returns for each document the pointers of its faults that `validate --schema NAME` reports, in as few calls as possible."""
    return [told for at in range(0, len(documents), DOCUMENTS_A_CALL)
            for told in faults_in_one_call(bin_dir, folder, name, documents[at:at + DOCUMENTS_A_CALL])]


def faults_in_one_call(bin_dir, folder, name, documents):
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    report, = reports(profllm(bin_dir, folder, "validate", "--schema", name, "--json", str(path), patience=PATIENCE))
    assert report["checked"] == len(documents) and not report["cut"]
    told = [[] for _ in documents]
    for problem in report["problems"]:
        assert problem["reason"] is None, problem
        told[problem["line"] - 1].append(problem["pointer"])
    assert report["wrong"] == sum(1 for one in told if one)
    return told
