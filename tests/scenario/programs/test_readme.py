"""The README's session works as pasted, in the order shown, on a host without vLLM and without a GPU."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from dashboard_tools import Dashboard

SOURCE = Path(__file__).resolve().parents[3]
LINES_MAX = 120
BLOCK = re.compile(r"^```(sh|yaml)\n(.*?)^```", re.M | re.S)


def pasted():
    """Returns the blocks in their order as one script. The experiment file gets the name in the README."""
    script = ["set -e"]
    for language, block in BLOCK.findall((SOURCE / "README.md").read_text()):
        script.append(f"cat >experiment.yaml <<'END'\n{block}END" if language == "yaml" else block)
    return "\n".join(script)


def test_the_readme_is_short():
    assert len((SOURCE / "README.md").read_text().splitlines()) <= LINES_MAX


def test_the_readme_names_every_command(bin_dir):
    """Commands that print help or the version need no task."""
    text = (SOURCE / "README.md").read_text()
    listed = subprocess.run([bin_dir / "profllm", "--help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^  ([a-z]+)  +", listed.split("Commands:")[1], re.M)
    assert len(commands) > 10
    plain = {"help", "version", "completion", "schema", "params"}
    assert [name for name in commands if name not in plain and f"profllm {name}" not in text] == []


@pytest.mark.release_only  # what it runs, other scenarios run with a sanitizer
def test_the_session_works_as_pasted(bin_dir, tmp_path, patience):
    """Only the last command, the dashboard, runs until it is interrupted: the test starts it last."""
    (tmp_path / "build").mkdir()
    (tmp_path / "build/bin").symlink_to(bin_dir)
    (tmp_path / "configs").symlink_to(SOURCE / "configs")
    serve = "profllm-dashboard --db results.db\n"
    script = pasted()
    assert script.count(serve) == 1
    done = subprocess.run(["bash", "-c", script.replace(serve, "")], cwd=tmp_path, capture_output=True, text=True,
                          timeout=120 * patience)
    assert done.returncode == 0, done.stderr
    for name in ("first.json", "second.json", "simulated.json"):
        assert json.loads((tmp_path / name).read_text())["status"] == "completed"
    assert "server.max_num_seqs" in done.stdout and "--tensor-parallel-size 2" in done.stdout
    with Dashboard(bin_dir, tmp_path / "results.db") as dashboard:
        assert len(dashboard.ids()) == 2
