"""The field index with hostile documents, damaged bytes, and results that are pruned while it is made: responses equal those that
are made from the documents."""
import json

import pytest
from dashboard_tools import Dashboard, little
from database_tools import ask, change, is_address
from import_tools import import_json, run_dashboard
from run_tools import PATIENCE
from test_field_index import LONG, SEGMENT, cells_of, count, write_lines
from wait_tools import wait_for

DEEP = 40
# ids of fields, as users may ask for them
IDS = ["server.a.b", "server.a", "server.a/b", "server.a~b", "server..x", "server.x.", "server.=x", "server.long", "server.deep", "server.deep" + ".k" * DEEP,
       "server.many.k77", "server.many", "server.huge", "server.minus", "server.odd", "server.tiny", "server.text", "server.list.1",
       "server.list", "server.empty", "server.null", "server.object.b", "tags.a.b", "tags.=x", "tags", "=x", "=system.gpus.uuid", "system.gpus.uuid",
       "=results.errors", "quality.client_cpu.limit", "=quality.client_cpu.limit", "server.unit", "server.é", "launch.argv", "server." + "w" * 900,
       "server." + "w" * 2000, "config.server.a", "results.errors", "results.errors.timeout.count", "stored.notes"]


def hostile(number):
    """Returns the text of a document."""
    document = little(number, config={"server": {"model": "m"}}, system={"cpu_count": 4})
    server, kind = document["config"]["server"], number % 11
    deep = number
    for _ in range(DEEP):
        deep = {"k": deep}
    if kind == 0:
        server.update({"a.b": number, "a": {"b": "inside"}, "a/b": 1, "a~b": 2, "": 3, ".": 4, "x.": 5, ".x": 6, "=x": number})
    elif kind == 1:
        server.update({"a": {"b": number}, "deep": deep, "é": "ü", "unit": {}})
    elif kind == 2:
        server["many"] = {f"k{i}": i for i in range(10_000)}
    elif kind == 3:
        server.update({"huge": 1e300, "minus": -0.0, "odd": 2**53 + 1, "tiny": 5e-324, "text": "t" * 2500, "empty": [], "null": None})
    elif kind == 4:
        server["list"] = list(range(20_000))
    elif kind == 5:
        server.update({"w" * 900: 1, "w" * 2000: 2, "list": [1, [2, {"b": 3}]], "object": {"b": {"c": None}}})
    elif kind == 6:
        document.update({"=x": 1, "=system.gpus.uuid": ["hostile"], "=results.errors": [1], "=quality.client_cpu.limit": 77})
    elif kind == 7:
        document["system"]["gpus"] = [{"uuid": "GPU-1"}]
        document["tags"] = {"a.b": number, "a": {"b": 1}, "=x": "tag", "": "empty"}
    elif kind == 8:
        document["tags"] = {f"t{i}": "x" * 40 for i in range(9000)}  # more leaves than a row may have
    elif kind == 9:
        server.update({"text": "a b", "a": "not an object", "unit": "\ud83d\ude00"})
    return json.dumps(document)


def simple(number):
    return little(number, tags={"n": number, "all": "yes"})


def write_texts(path, texts):
    path.write_text("".join(text + "\n" for text in texts))
    return path


def distrust(db):
    """The program does not accept the leaves until it has made them again, and reads documents."""
    change(db, "UPDATE field_forms SET content = '{\"version\": 0}'")


def answers(one, ids):
    found = cells_of(one, ids)
    for id_ in ids[::1 if LONG else 5]:
        recorded = sum(id_ in cells for cells in found.values())
        assert count(one, id_, "is_recorded") == recorded, id_
    return {run_id: {id_: json.dumps(cells.get(id_, "missing"), sort_keys=True) for id_ in ids} for run_id, cells in found.items()}


def known(one, ids=IDS):
    """Returns the ids that some document has: others are refused."""
    return [
        id_ for id_ in ids
        if one.ask("POST", "/api/filters/apply", json.dumps({"columns": [id_], "limit": 1, "budget_ms": 60000}).encode(),
                   {"Content-Type": "application/json"}, check=False).status == 200]


@pytest.mark.one_database
def test_hostile_documents(bin_dir, database, tmp_path):
    """As rows, in a segment, and from documents: the same values, and the same fields exist."""
    db = database.with_tables(tmp_path)
    few = [hostile(number) for number in range(11)]
    said = import_json(bin_dir, write_texts(tmp_path / "a.jsonl", few), "--db", db)
    stored = said["counts"]["stored"]
    assert stored == 11, said
    with Dashboard(bin_dir, db) as one:
        ids = known(one)
        as_rows = answers(one, ids)
        one.stop()
    assert len(ids) > 20 and len(as_rows) == stored
    odd = as_rows["small-6"]
    assert odd["system.gpus.uuid"] == '"missing"'  # a key of the document that looks like the path of a field
    assert as_rows["small-3"]["server.text"] == json.dumps("t" * 2500)
    distrust(db)
    with Dashboard(bin_dir, db) as one:
        assert known(one, [id_ for id_ in IDS if LONG or id_ not in ids]) == (ids if LONG else [])
        assert answers(one, ids) == as_rows
        one.stop()
    more = [json.dumps(simple(number)) for number in range(11, 11 + SEGMENT)]
    import_json(bin_dir, write_texts(tmp_path / "b.jsonl", more), "--db", db)
    with Dashboard(bin_dir, db) as one:
        wait_for(lambda: ask(db, "SELECT count(*) FROM field_segments")[0][0] > 0, "a segment is made", seconds=60 * PATIENCE)
        found = answers(one, ids)
        assert {run_id: found[run_id] for run_id in as_rows} == as_rows
        one.stop()


RAW = ['"a\\u0000b": 1, "\\u0000": 2, "a": 3', f'"{"k" * 65536}": 3, "after": 1', '"twice": 1, "twice": {"x": 2}', '"infinite": 1e400, "both": [1e400, -1e400]',
       '"digits": 1000000000000000000000000000000', '"minus": -0, "exact": 9007199254740993, "deep": [[[["a"]]]]', '"text": "a\\u0000b", "texts": ["x\\u0000y", "z"]',
       '"plain": ["a", "\\"", "\\\\", ""], "spaced": [ "a" , "b\\/c" ], "escaped": ["\\u0041", "\\t"], "none": [], "odd": ["\u00fc", "\\u007f"]']
# of which the reader of documents refuses a NUL, a key twice, and numbers that are too large
REFUSED = 5
RAW_IDS = ["server.a", "server.a\0b", "server.\0", "server." + "k" * 65536, "server.after", "server.twice", "server.twice.x", "server.infinite", "server.both",
           "server.both.0", "server.digits", "server.minus", "server.exact", "server.deep", "server.text", "server.texts", "server.plain", "server.spaced", "server.escaped",
           "server.none", "server.odd"]


def raw(number, members):
    return json.dumps(little(number, config={"server": {"model": "m", "HERE": 0}})).replace('"HERE": 0', members)


def test_members_that_json_writers_do_not_write(bin_dir, database, tmp_path):
    """Each is refused, or has the same value as a row, in a segment and from its document."""
    db = database.with_tables(tmp_path)
    said = import_json(bin_dir, write_texts(tmp_path / "a.jsonl", [raw(number, members) for number, members in enumerate(RAW)]), "--db", db, status=1)
    stored = said["counts"]["stored"]
    assert stored == len(RAW) - REFUSED and said["counts"]["rejected"] == REFUSED, said
    found = []
    for is_distrusted in (False, True):
        if is_distrusted:
            distrust(db)
        with Dashboard(bin_dir, db) as one:
            ids = [id_ for id_ in RAW_IDS if one.ask("POST", "/api/filters/apply", json.dumps({"columns": [id_], "limit": 1, "budget_ms": 60000}).encode(),
                                                     {"Content-Type": "application/json"}, check=False).status == 200]
            found.append(answers(one, ids))
            one.stop()
    assert found[0] == found[1] and len(found[0]) == stored and "server.exact" in ids
    import_json(bin_dir, write_texts(tmp_path / "b.jsonl", [json.dumps(simple(number)) for number in range(11, 11 + SEGMENT)]), "--db", db)
    with Dashboard(bin_dir, db) as one:
        wait_for(lambda: ask(db, "SELECT count(*) FROM field_segments")[0][0] > 0, "a segment is made", seconds=60 * PATIENCE)
        combined = answers(one, ids)
        assert {run_id: combined[run_id] for run_id in found[0]} == found[0]
        one.stop()


@pytest.mark.release_only
def test_two_processes_answer_alike(bin_dir, postgres, tmp_path):
    """Both write, one combines rows of the other, and one does not accept the leaves at first."""
    db = postgres.with_tables()
    for part in ("one", "two"):
        (tmp_path / part).mkdir()
    with Dashboard(bin_dir, db, "--data", tmp_path / "one") as one, Dashboard(bin_dir, db, "--data", tmp_path / "two") as two:
        for part in range(4):
            texts = [hostile(number) if number < 11 else json.dumps(simple(number)) for number in range(part * 80, part * 80 + 80)]
            here = (one, two)[part % 2]
            assert here.upload("/api/upload/batch", "\n".join(texts).encode(), media="application/x-ndjson")["counts"]["stored"] == 80
            for id_ in range(1 + part * 80, 80 + part * 80, 9):
                assert (two, one)[part % 2].ask("DELETE", f"/api/data/experiments/{id_}", check=False).status in (200, 204, 404)
        ids = [*known(one)[::3], "tags.n"]
        as_rows = answers(one, ids)
        assert answers(two, ids) == as_rows and len(as_rows) > 250
        assert ask(db, "SELECT count(*) FROM field_segments")[0][0] > 0
        two.stop()
        distrust(db)
        with Dashboard(bin_dir, db, "--data", tmp_path / "two") as third:
            assert answers(third, ids) == as_rows == answers(one, ids)


def bytes_text(db, data):
    return f"decode('{data.hex()}', 'hex')" if is_address(db) else f"x'{data.hex()}'"


def test_damaged_rows_are_read_from_documents(bin_dir, database, tmp_path):
    """Before they are combined and after it: bytes that end early, paths in another order, other kinds, nothing."""
    db, total = database.with_tables(tmp_path), SEGMENT + 10
    import_json(bin_dir, write_lines(tmp_path / "a.jsonl", [simple(number) for number in range(SEGMENT - 16)]), "--db", db)
    # plain rows: 0, then path, flags, text with lengths; "tags.n" is cut, or follows a greater path
    cut = bytes([0, 4]) + b"aaaa\0" + bytes([0, 1]) + b"1\0" + bytes([6]) + b"tags"
    swapped = bytes([0, 6]) + b"tags.n\0" + bytes([0, 1]) + b"7\0" + bytes([4]) + b"aaaa\0" + bytes([0, 1]) + b"1\0" + bytes([6]) + b"tags.n\0" + bytes([0, 1]) + b"8\0"
    for id_, data in ((3, cut), (5, swapped), (7, b""), (9, b"\2zzz"), (11, b"\1(\xb5/\xfd"), (13, bytes([0, 255, 255, 255, 255]))):
        change(db, f"UPDATE field_rows SET bytes = {bytes_text(db, data)} WHERE id = {id_}")

    def check(one, expected):
        assert count(one, "tags.n", "is_recorded") == count(one, "tags.all", "eq", "yes") == expected
        assert count(one, "tags.n", "between", [0, 15]) == 16

    with Dashboard(bin_dir, db) as one:
        check(one, SEGMENT - 16)
        one.stop()
    import_json(bin_dir, write_lines(tmp_path / "b.jsonl", [simple(number) for number in range(SEGMENT - 16, total)]), "--db", db)
    assert ask(db, "SELECT count(*) FROM field_segments") == [(1,)]
    with Dashboard(bin_dir, db) as one:
        check(one, total)
        one.stop()
    change(db, f"UPDATE field_chunks SET bytes = {bytes_text(db, bytes([0, 1]))}")
    with Dashboard(bin_dir, db) as one:
        check(one, total)
        one.stop()
    change(db, f"UPDATE field_segments SET ids = {bytes_text(db, bytes([0, 0]))}")
    with Dashboard(bin_dir, db) as one:
        check(one, total)
        one.stop()


def test_leaves_of_version_1_are_made_again(bin_dir, database, tmp_path):
    """They may have a key of the document as the value of a field."""
    db, path, text = database.with_tables(tmp_path), b"=system.gpus.uuid", b'["hostile"]'
    import_json(bin_dir, write_texts(tmp_path / "a.jsonl", [hostile(number) for number in range(11)]), "--db", db)
    row = bytes([0, len(path)]) + path + bytes([0, 0, len(text)]) + text + b"\0"
    ((id_,),) = ask(db, "SELECT id FROM benchmark_runs WHERE run_id = 'small-6'")
    change(db, "UPDATE field_forms SET content = replace(content, '\"version\":2', '\"version\":1');"
               f"UPDATE field_rows SET bytes = {bytes_text(db, row)} WHERE id = {id_}")
    ((former, content),) = ask(db, "SELECT id, content FROM field_forms")
    assert '"version":1' in content
    with Dashboard(bin_dir, db) as one:
        assert answers(one, ["system.gpus.uuid"])["small-6"]["system.gpus.uuid"] == '"missing"'
        wait_for(lambda: ask(db, f"SELECT count(*) FROM field_rows WHERE form = {former}") == [(0,)], "the leaves are made again", seconds=60 * PATIENCE)
        one.stop()
    with Dashboard(bin_dir, db) as one:
        assert answers(one, ["system.gpus.uuid"])["small-6"]["system.gpus.uuid"] == '"missing"'
        one.stop()


def test_results_are_pruned_while_the_index_is_made(bin_dir, database, tmp_path):
    db, total = database.with_tables(tmp_path), 400
    import_json(bin_dir, write_lines(tmp_path / "a.jsonl", [simple(number) for number in range(total)]), "--db", db)
    change(db, "DELETE FROM field_chunks; DELETE FROM field_segments; DELETE FROM field_rows")
    with Dashboard(bin_dir, db) as one:
        for id_ in range(1, total, 7):
            assert one.ask("DELETE", f"/api/data/experiments/{id_}", check=False).status in (200, 204)
        gone = len(range(1, total, 7))
        assert run_dashboard(bin_dir, "prune", "--db", db).returncode == 0
        indexed = "SELECT (SELECT count(*) FROM field_rows) + (SELECT count(*) FROM field_segments) * 256"
        wait_for(lambda: ask(db, indexed)[0][0] >= total - gone - SEGMENT // 2, "the results are indexed", seconds=60 * PATIENCE)
        assert count(one, "tags.n", "is_recorded") == total - gone
        one.stop()
    assert ask(db, "SELECT count(*) FROM field_rows WHERE id NOT IN (SELECT id FROM benchmark_runs)") == [(0,)]
    with Dashboard(bin_dir, db) as one:  # the rest of the index
        assert count(one, "tags.n", "between", [0, 69]) == 60
        one.stop()
