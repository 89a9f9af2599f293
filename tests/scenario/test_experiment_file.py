"""The reference page of the experiment file names every key with its default."""
import re

import pytest

ROW = re.compile(r'^(KEY|BENCH)\((.*?)\)$', re.M | re.S)
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')


def rows(source_dir, name, macro):
    text = (source_dir / "src/tbl" / name).read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return [match.group(2) for match in ROW.finditer(text) if match.group(1) == macro]


@pytest.fixture
def page(source_dir):
    return (source_dir / "docs/reference/experiment-file.md").read_text()


def table_lines(page):
    """First cell without its marks -> (default, meaning)."""
    lines = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 4 and cells[0].startswith("`"):
            lines[cells[0].split("`")[1]] = (cells[2].strip("`"), cells[3])
    return lines


def test_every_key_is_on_the_page(source_dir, page):
    lines = table_lines(page)
    found = rows(source_dir, "experiment_keys.h", "KEY")
    assert len(found) > 20
    for row in found:
        key, default, *_, meaning = TEXT.findall(row)
        assert lines[key][0] == default, key
        assert lines[key][1].startswith(meaning), key


def test_every_option_is_on_the_page(source_dir, page):
    lines = table_lines(page)
    found = rows(source_dir, "bench_args.h", "BENCH")
    assert len(found) > 100
    for row in found:
        name = row.split(",")[1].strip()
        default, *_, meaning = [text.replace('\\"', '"') for text in TEXT.findall(row)]
        if ", LATER, " in row:
            assert f"`{name}`" in page.split("`run` refuses them")[1], name
        else:
            assert lines[name] == (default, meaning.replace("|", "\\|")), name


def test_no_key_is_made_up(source_dir, page):
    known = {TEXT.findall(row)[0] for row in rows(source_dir, "experiment_keys.h", "KEY")}
    known |= {row.split(",")[1].strip() for row in rows(source_dir, "bench_args.h", "BENCH")}
    assert set(table_lines(page)) <= known
