"""tools/check-words: the text that it reads, its rules, and its baseline, which only shrinks."""
import importlib.machinery
import importlib.util
import subprocess
from collections import Counter

import pytest

pytestmark = pytest.mark.release_only  # runs no program of the build


@pytest.fixture(scope="module")
def words(source_dir):
    loader = importlib.machinery.SourceFileLoader("check_words", str(source_dir / "tools/check-words"))
    spec = importlib.util.spec_from_loader("check_words", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def found(words, name, text):
    return [(line, rule) for line, rule, *_ in words.hits_of(words.prose_of(name, text), text)]


BAD = {
    "behind": "the bytes behind the header", "told": "a cause is told by its name", "tell": "the log tells what failed",
    "stand": "rows stand in order", "beside": "files beside the result", "there": "the file is not there", "lie": "results lie in the folder",
    "nobody": "nobody reads it", "anew": "it is read anew", "gendered": "he reads it", "what-opening": "What it reads.",
    "of-opening": "Of a result its id", "who-opening": "Who waits is woken.", "what-became": "report what became of it",
    "go-on": "the run goes on", "fall-out": "it falls out", "a-per": "one line a run", "be-had": "no value can be had",
    "is-through": "all is through", "mend": "mended by hand", "side-file": "a side file", "passed-over": "it is passed over",
    "the-most": "the most that fits", "so-often": "sent so often", "its-like": "files and their like", "word-for": "as ever"}
GOOD = [
    "the idea behind it", "threads fall behind", "a server behind the proxy", "nothing is left behind", "tell two runs apart",
    "tells the server to stop", "EOF stands for the end", "is there a result", "What if it fails.", "Of course it does", "What follows is one line.", "the former key launch.beside", "--he is ambiguous",
    "two passes over the file", "what comes next", "a stand-alone server", "for so long as it runs"]


@pytest.mark.parametrize("rule", BAD)
def test_each_rule_finds_its_fault(words, rule):
    assert {name for _, name in found(words, "a.c", f"/* {BAD[rule]} */")} >= {rule}


def test_every_rule_has_an_example(words):
    assert {rule for rule, *_ in words.RULES} == set(BAD)


@pytest.mark.parametrize("text", GOOD)
def test_correct_english_passes(words, text):
    assert found(words, "a.c", f"/* {text} */") == []


@pytest.mark.parametrize("name, text, hits", [
    ("a.c", "int behind = stand(beside);\n", []),
    ("a.c", 'say("it\\n"\n    "stands");\n', [(2, "stand")]),
    ("a.c", 'f("is " "told");', [(1, "told")]),
    ("a.c", 'f("is ", "told");', []),
    ("a.c", "/* one\n * is\n * told\n */\n", [(2, "told")]),
    ("a.c", "// a \"quote\nint x; // anew\n", [(2, "anew")]),
    ("a.c", "x = '\"'; /* anew */", [(1, "anew")]),
    ("a.c", '#include "a/beside.h" /* anew */', [(1, "anew")]),
    ("a.tsx", "const behind = <p>It stands here</p>\n", [(1, "stand")]),
    ("a.ts", "const url = 'http://behind'\n", [(1, "behind")]),
    ("a.ts", "`is ${x}` // anew", [(1, "anew")]),
    ("a.md", "```\nbehind\n```\nIt stands.\n", [(4, "stand")]),
    ("a.md", "a `behind` and [text](behind.md)\n", []),
    ("a.md", "it is\n- told\n", []),
    ("a.md", "it is\n\ntold\n", []),
    ("a.c", "/* it stands; check-words: allow stand */", []),
    ("a.c", "/* it stands; check-words: allow told */", [(1, "stand")]),
    ("a.py", 'behind = "is told"  # it\n# is told\n', [(2, "told")]),
    ("a.py", '"""A file\n\nis told."""\nf("""anew""")\n', [(3, "told")]),
    ("a.py", 'def f():\n    # x\n    "anew"\n    "anew" % 1\n    `anew`\n'.replace("`", "'"), [(3, "anew"), (5, "anew")]),
    ("a.py", "# `behind` is a name\n", []),
    ("tool", "#!/usr/bin/python3\n# anew\n", [(2, "anew")]),
    ("tool", "#!/bin/sh\nrm -rf behind \"${#told}\" # anew\n", [(2, "anew")]),
    ("Makefile", "behind: anew ## told to stand\n", [(1, "stand")]),
    ("CMakeLists.txt", "# it is\n# told\nset(behind)\n", [(1, "told")]),
    ("a.json", '{"is": "told"}', None),
    ("tool", "behind", None)])
def test_prose_is_separated_from_code(words, name, text, hits):
    if hits is None:
        assert words.prose_of(name, text) is None
    else:
        assert found(words, name, text) == hits


def test_a_file_can_be_exempt(words):
    assert words.prose_of("a.md", "# Words <!-- check-words: skip file -->\nbehind\n") is None


@pytest.mark.parametrize("title, faults", [
    ("store: reindex after one minute", 0), ("web, docs: explain how --watch works", 0), ("store: what is lost is given back", 2),
    ("Add a thing", 1), ("store: the host is lost", 1), ("store: fix it.", 1), (f"store: {'x' * 66}", 1), ("store: keep rows behind it", 1)])
def test_titles(words, title, faults):
    assert len(words.faults_of_title(title)) == faults, words.faults_of_title(title)


def test_the_baseline_comes_back(words):
    counts = Counter({("src/a.c", "told"): 2, ("docs/b.md", "stand"): 1})
    assert words.read_baseline(words.write_baseline("abc123", counts)) == ("abc123", counts)


def test_only_hits_beyond_it_are_reported(words, capsys):
    hits = [("a.c", 1, "told", "shown", "is told"), ("a.c", 9, "told", "shown", "was told"), ("b.c", 1, "stand", "is", "stands")]
    assert words.check(hits, Counter({("a.c", "told"): 2, ("b.c", "stand"): 1})) == 0 and capsys.readouterr().out == ""
    assert words.check(hits, Counter({("a.c", "told"): 1, ("b.c", "stand"): 3})) == 2
    assert capsys.readouterr().out.startswith('a.c:1: told: "is told"; write: shown\n')


def test_an_update_moves_and_shrinks_but_does_not_grow(words, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(words, "BASELINE", tmp_path / "baseline")
    one, other, more = ("a.c", 1, "told", "", ""), ("b.c", 1, "told", "", ""), ("b.c", 2, "told", "", "")
    assert words.update([one, other], "c0ffee") == 0
    assert words.update([other, more], None) == 0
    assert words.read_baseline((tmp_path / "baseline").read_text()) == ("c0ffee", Counter({("b.c", "told"): 2}))
    assert words.update([one, other, more], None) == 1
    assert "told: found 3 hits, expected at most 2" in capsys.readouterr().err
    assert words.update([one], None) == 0 and words.read_baseline((tmp_path / "baseline").read_text())[1] == Counter({("a.c", "told"): 1})


def test_the_command(source_dir, tmp_path):
    """A file that is not in the baseline may have no hits."""
    (tmp_path / "new.c").write_text("/* nobody */\n")
    done = subprocess.run([source_dir / "tools/check-words", tmp_path / "new.c"], capture_output=True, text=True)
    assert done.returncode == 1 and f"{tmp_path}/new.c:1: nobody: \"nobody\"; write: " in done.stdout
    (tmp_path / "new.c").write_text("/* no one */\n")
    assert subprocess.run([source_dir / "tools/check-words", tmp_path / "new.c"], capture_output=True, text=True).returncode == 0
