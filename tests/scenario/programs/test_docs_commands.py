"""The commands on the pages work: commands and flags exist, paths and links have targets."""

import re
import shlex
from pathlib import Path

import pytest
from run_tools import run_profllm

SOURCE = Path(__file__).resolve().parents[3]
PAGES = sorted(path.relative_to(SOURCE) for path in [
    *SOURCE.glob("*.md"), *SOURCE.glob("docs/**/*.md"), *SOURCE.glob("src/*/README.md"), *SOURCE.glob("configs/**/*.md")])
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.M | re.S)
PROGRAM = re.compile(r"(?:\$ )?((?:build/bin/)?profllm(?:-sim)?) (.*)")
TREE = re.compile(r"(?:src|tests|docs|tools|configs|api)/[\w./*-]*[\w/*]")


def prose(page):
    return FENCE.sub("", (SOURCE / page).read_text())


def typed(page):
    """Yields the lines of commands, with continuations joined: shell blocks, blocks without a language, and `profllm …` in
    prose."""
    text = (SOURCE / page).read_text()
    for language, block in FENCE.findall(text):
        if language in ("", "sh"):
            yield from (line.strip() for line in re.sub(r"\\\n *", "", block).splitlines())
    yield from re.findall(r"`(profllm [^`]+)`", prose(page))


def command_lines(page):
    """Yields (line, program, words) up to a comment, pipe or redirection; without words after `--`."""
    for line in typed(page):
        found = PROGRAM.match(re.sub(r"^source <\((.*)\)", r"\1", line))
        if not found:
            continue
        command = re.split(r"\s[#|>]|\s&|\s2>|[)]$|…", found.group(2))[0]
        words = shlex.split(command)
        yield line, found.group(1).removeprefix("build/bin/"), words[:words.index("--")] if "--" in words else words


def names_of(text):
    """Returns long and short options of a help text."""
    long, short = set(), set()
    for letter, no, name in re.findall(r"^ +(?:(-\w), )?--(\[no-\])?([\w-]+)", text, re.M):
        long |= {name, f"no-{name}"} if no else {name}
        short |= {letter} - {""}
    return long, short


class Helps:
    def __init__(self, bin_dir):
        self.bin_dir, self.known = bin_dir, {}

    def options_of(self, command):
        if command not in self.known:
            done = run_profllm(self.bin_dir, *command.split(), "--help")
            assert done.returncode == 0, command
            long, short = names_of(done.stdout)
            self.known[command] = (long | {"man"} if command == "help" else long), short
        return self.known[command]


@pytest.fixture(scope="module")
def helps(bin_dir):
    return Helps(bin_dir)


def commands_of(bin_dir):
    return re.findall(r"^  ([a-z-]+) ", run_profllm(bin_dir, "--help").stdout.split("Commands:")[1], re.M)


def test_the_readme_shows_commands():
    assert len(list(command_lines("README.md"))) > 8


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_commands_and_flags_are_known(bin_dir, helps, page):
    commands = commands_of(bin_dir)
    wrong = []
    for line, program, words in command_lines(page):
        if program != "profllm" or words[0] in ("--version", "--help", "-h", "-V") or words[0].isupper():
            continue
        if words[0] not in commands:
            wrong.append(line)
            continue
        if words[:1] == ["bench"] and words[1:2] != ["serve"]:
            continue  # they take the engine's arguments too: read as a whole below
        of_vllm = words[0] == "sweep" and words[1:2] != ["run"]  # each of vLLM's has options of its own
        long, short = helps.options_of(" ".join(words[:2]) if of_vllm else words[0])
        for word in words[1:]:
            name = word[2:].split("=")[0].replace("_", "-").split(".")[0]
            if word.startswith("--") and name != "help":
                fits = [name] if name in long else [one for one in long if one.startswith(name)]
                if len(fits) != 1:
                    wrong.append((line, word))
            elif re.fullmatch(r"-[a-zA-Z]", word) and word not in short | {"-h"}:
                wrong.append((line, word))
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_lines_of_bench_can_be_read(bin_dir, page):
    for line, program, words in command_lines(page):
        if program == "profllm" and words[:1] == ["bench"] and words[1:2] != ["KIND"] and "--help" not in words and len(words) > 2:
            done = run_profllm(bin_dir, *words, "--dry-run")
            assert done.returncode == 0, (line, done.stderr)


def anchors_of(page):
    """Returns anchors made from titles: lower case, blanks as dashes, no other marks."""
    found = set()
    for title in re.findall(r"^#+ (.+)$", prose(page), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
        found.add(re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-"))
    return found


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"https?://|mailto:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (SOURCE / page).parent / path if path else SOURCE / page
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target.resolve().relative_to(SOURCE)), link


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=str)
def test_paths_of_the_tree_exist(page):
    """Paths with a placeholder in capitals are patterns."""
    for path in re.findall(r"`([^`\s]+)`", prose(page)):
        if TREE.fullmatch(path) and not re.search(r"[A-Z]{3}(?![\w.]*\.md)", path):
            assert list(SOURCE.glob(path.rstrip("/"))), path
        if re.fullmatch(r"test_\w+\.py", path):
            assert list(SOURCE.glob(f"tests/**/{path}")), path


def test_files_of_the_architecture_exist():
    """Files in its diagrams exist, too. A row of its table names files relative to its directory."""
    text = (SOURCE / "docs/architecture.md").read_text()
    folders = [path.name for path in (SOURCE / "src").iterdir() if path.is_dir()]
    diagrams = re.sub(r"^\|.*$", "", text, flags=re.M)
    named = re.findall(rf"(?<![\w/])((?:{'|'.join(folders)})/[\w/]+\.[ch])\b", diagrams)
    for row in re.findall(r"^\| `(\w+/)`[^|]*\|[^|]*\|(.*)\|$", text, re.M):
        named += [row[0] + path for path in re.findall(r"`([\w/.]+)`", row[1])]
    assert len(named) > 100
    assert [path for path in named if not (SOURCE / "src" / path).exists()] == []
