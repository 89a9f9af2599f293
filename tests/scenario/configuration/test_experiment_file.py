"""The reference page of the experiment file names every key with its default."""
import json
import re

import pytest

ROW = re.compile(r'^(KEY|BENCH)\((.*?)\)$', re.M | re.S)
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')


def rows(source_dir, name, macro):
    text = (source_dir / "src/tbl" / name).read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return [match.group(2) for match in ROW.finditer(text) if match.group(1) == macro]


def read_row(row, head):
    """Returns (name, default as text, help) of a row; the group of the pattern is its name."""
    found = re.match(head, row)
    value, end = json.JSONDecoder().raw_decode(row, found.end())
    default = value if isinstance(value, str) else row[found.end():end]
    words = re.match(r',[^"]*,\s+((?:"(?:[^"\\]|\\.)*"\s*)+)', row[end:]).group(1)
    return found.group(1), default, "".join(TEXT.findall(words)).replace('\\"', '"')


def keys(source_dir):
    return [read_row(row, r'\w+, "([^"]+)", [\w.]+,\s+') for row in rows(source_dir, "experiment_keys.h", "KEY")]


def options(source_dir):
    head = r'\w+, \w+, (\w+),\s+(?:"[^"]+"|NULL),\s+'
    return [(*read_row(row, head), ".later = true" in row) for row in rows(source_dir, "bench_args.h", "BENCH")]


@pytest.fixture
def page(source_dir):
    return (source_dir / "docs/reference/experiment-file.md").read_text()


def table_lines(page):
    """Returns {first cell without its marks: (default, meaning)}."""
    lines = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 4 and cells[0].startswith("`"):
            lines[cells[0].split("`")[1]] = (cells[2].strip("`"), cells[3])
    return lines


def test_every_key_is_on_the_page(source_dir, page):
    lines = table_lines(page)
    found = keys(source_dir)
    assert len(found) > 20
    for key, default, meaning in found:
        assert lines[key][0] == default, key
        assert lines[key][1].startswith(meaning), key


def test_every_option_is_on_the_page(source_dir, page):
    lines = table_lines(page)
    found = options(source_dir)
    assert len(found) > 100
    for name, default, meaning, is_later in found:
        if is_later:
            assert f"`{name}`" in page.split("`run` refuses them")[1], name
        else:
            assert lines[name] == (default, meaning.replace("|", "\\|")), name


def test_no_key_is_made_up(source_dir, page):
    known = {key for key, *_ in keys(source_dir)} | {name for name, *_ in options(source_dir)}
    assert set(table_lines(page)) <= known
