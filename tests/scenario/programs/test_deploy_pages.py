"""The pages of docs/deploy, SECURITY.md and the workflows."""
import re

import yaml


def test_workflows_run_the_tests(source_dir):
    text = (source_dir / ".github/workflows/test.yml").read_text()
    workflow = yaml.safe_load(text)
    steps = workflow["jobs"]["test"]["steps"]
    assert any(step.get("run") == "./dev test" for step in steps)
    assert workflow["permissions"] == {"contents": "read"} and "pull_request" in text
    assert re.search(r"^test:", (source_dir / "Makefile").read_text(), re.M)


def test_links_of_pages_at_the_root(source_dir):
    for page in ("SECURITY.md", "llms.txt"):
        links = re.findall(r"\]\(([^)#]+)", (source_dir / page).read_text())
        assert len(links) > 5
        assert [link for link in links if not link.startswith("http") and not (source_dir / link).exists()] == []
