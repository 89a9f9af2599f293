"""`profllm run` makes the checks of `profllm validate` before it starts anything."""
import json

from run_tools import base_config, load_result, run_profllm, write_config


def broken_config(**server):
    config = base_config(num_prompts=2)
    config["server"].update(server or {"enable_auto_tool_choice": True})
    return config


def run(bin_dir, folder, config, *args, patience=1):
    write_config(folder, config)
    return run_profllm(bin_dir, "run", "-c", "experiment.yaml", *args, cwd=folder,
                       patience=patience)


def test_errors_end_it_before_the_start(bin_dir, tmp_path):
    config = broken_config(enable_auto_tool_choice=True, max_num_batched_tokens=64,
                           enable_chunked_prefill=False)
    done = run(bin_dir, tmp_path, config, "-o", "r.json")
    assert done.returncode == 2 and done.stdout == ""
    assert "rule auto_tool_needs_parser)" in done.stderr
    assert "rule budget_ge_len_unchunked)" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["experiment.yaml"]


def test_dry_runs_are_refused_too(bin_dir, tmp_path):
    done = run(bin_dir, tmp_path, broken_config(), "--dry-run", "--json")
    assert done.returncode == 2 and "rule auto_tool_needs_parser)" in done.stderr
    assert [(one["key"], one["rule"]) for one in json.loads(done.stdout)["problems"]] == [
        ("server.enable_auto_tool_choice", "auto_tool_needs_parser")]


def test_force_starts_in_spite_and_is_recorded(bin_dir, tmp_path, patience):
    done = run(bin_dir, tmp_path, broken_config(), "-o", "r.json", "--force", patience=patience)
    assert done.returncode == 0, done.stderr
    assert "rule auto_tool_needs_parser)" in done.stderr
    result = load_result(tmp_path / "r.json")
    assert result["status"] == "completed" and result["launch"]["forced"] is True


def test_force_where_nothing_is_wrong_forces_nothing(bin_dir, tmp_path, patience):
    done = run(bin_dir, tmp_path, base_config(num_prompts=2), "-o", "r.json", "--force",
               patience=patience)
    assert done.returncode == 0, done.stderr
    launch = load_result(tmp_path / "r.json")["launch"]
    assert launch["forced"] is False
    assert launch["target"] == {"version": "0.33.0", "assumed": True}


def test_a_newer_release_is_announced_by_the_run_and_its_result(bin_dir, tmp_path, patience):
    config = base_config(num_prompts=2)
    config["launch"]["vllm_version"] = "0.34.0"
    done = run(bin_dir, tmp_path, config, "-o", "r.json", patience=patience)
    assert done.returncode == 0, done.stderr
    note = "vLLM 0.34.0 is newer than 0.33.0, the newest known release; its changes are not checked"
    assert done.stderr.count(note) == 1
    assert load_result(tmp_path / "r.json")["launch"]["target"] == {
        "version": "0.34.0", "assumed": False, "note": note}
    plan = json.loads(run(bin_dir, tmp_path, config, "--dry-run", "--json").stdout)
    assert [one["expected"] for one in plan["problems"] if one["reason"] == "newer_release"] == [note]


def test_a_value_that_was_refused_cannot_be_forced(bin_dir, tmp_path):
    done = run(bin_dir, tmp_path, broken_config(dtype="float17"), "-o", "r.json", "--force")
    assert done.returncode == 2 and "server.dtype" in done.stderr


def test_warnings_are_printed_and_listed(bin_dir, tmp_path, patience):
    config = broken_config(task="embed")
    plan = run(bin_dir, tmp_path, config, "--dry-run", "--json")
    assert plan.returncode == 0 and plan.stderr == ""
    assert [text for text in json.loads(plan.stdout)["warnings"] if "server.task" in text]
    told = run(bin_dir, tmp_path, config, "--dry-run")
    assert "warning: experiment.yaml:" in told.stdout


def test_the_release_that_is_meant_is_in_the_result(bin_dir, tmp_path, patience):
    config = base_config(num_prompts=2)
    config["launch"]["vllm_version"] = "0.10.0"
    config["server"]["task"] = "generate"
    done = run(bin_dir, tmp_path, config, "-o", "r.json", patience=patience)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    result = load_result(tmp_path / "r.json")
    assert result["launch"]["target"] == {"version": "0.10.0", "assumed": False}
    # its defaults, and what it does not have
    server, source = result["config"]["server"], result["config"]["server_source"]
    assert (server["gpu_memory_utilization"], source["gpu_memory_utilization"]) == (0.9, "default")
    assert (server["task"], source["task"]) == ("generate", "explicit")
    assert (server["runner"], source["runner"]) == (None, "not_in_release")


def test_removed_arguments_of_a_release(bin_dir, tmp_path):
    config = broken_config(task="embed")
    config["launch"]["vllm_version"] = "0.32.0"
    done = run(bin_dir, tmp_path, config, "--dry-run", "--json")
    assert done.returncode == 2 and "server.task" in done.stderr
    done = run(bin_dir, tmp_path, config, "--dry-run", "--json", "--allow-removed")
    assert done.returncode == 0
    assert "--task" in json.loads(done.stdout)["argv"]
