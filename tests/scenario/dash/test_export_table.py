"""Parquet and Arrow exports: every cell as in JSON, with types, units and the three states; of one snapshot."""
import datetime
import json
import math
import subprocess

import pytest
from dashboard_tools import Dashboard, little, results
from test_export import APPLY, CSV, FIELDS, JSON, NONE, documents

PARQUET, ARROW = "/api/export/parquet", "/api/export/arrow"
TYPES = {"count": "i64", "number": "f64", "yes": "yes", "text": "text", "time": "time", "json": "text"}
TIMES = ["2026-03-01T12:00:00Z", "2026-03-01T12:00:00.123456Z", "2026-03-01T12:00:00+05:30", "yesterday", "1969-12-31T23:59:59.5Z"]
WORDS = ["auto", 3, 2.5, True, None, [1]]


@pytest.fixture(scope="module")
def dashboard(bin_dir, database, tmp_path_factory):
    with Dashboard(bin_dir, database.with_tables(tmp_path_factory.mktemp("db"))) as one:
        many = [*documents(), *results(5)]
        many += [little(1000 + i, timestamp=TIMES[i % 5], config={"server": {"max_num_seqs": WORDS[i % 6], "seed": WORDS[(i + 1) % 6]}}) for i in range(30)]
        done = one.upload("/api/upload/batch", many)
        assert done["counts"]["stored"] == len(many), [item for item in done["items"] if item["state"] != "stored"][:3]
        yield one
        assert one.stop() == (0, "", "")


@pytest.fixture(scope="module")
def fields(dashboard):
    return {field["id"]: field for field in dashboard.get("/api/fields").json["fields"]}


@pytest.fixture
def read(bin_dir, tmp_path):
    def one(body):
        path = tmp_path / "file"
        path.write_bytes(body)
        done = subprocess.run([bin_dir.parent / "tests" / "columnar_driver", "print", path], capture_output=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        schema, *columns = [json.loads(line) for line in done.stdout.decode().splitlines()]
        return {field["name"]: (field, cells) for field, cells in zip(schema, columns, strict=True)}

    return one


def microseconds(text):
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(microseconds=1)


def cell_of(table, name, row):
    """Returns (whether it is recorded, its value), by the documented rules."""
    field, cells = table[name]
    value, json_value = cells[row], table[f"{name}:other"][1][row] if f"{name}:other" in table else None
    if value is not None:
        assert json_value is None
        return True, value
    if json_value is not None:
        return True, json.loads(json_value)
    empty = field["pairs"]["empty"]
    assert empty in ("other", "unset", "not_recorded") and (empty == "other") == (f"{name}:other" in table)
    return empty == "unset", None


def same(got, wanted, kind):
    if kind == "json" and isinstance(got, str) and got != wanted:
        got = json.loads(got)
    if kind == "time" and isinstance(got, int):
        return got == microseconds(wanted)
    if isinstance(got, float) and isinstance(wanted, str):
        return got == {"inf": math.inf, "-inf": -math.inf}[wanted]
    return got == wanted and isinstance(got, bool) == isinstance(wanted, bool)


@pytest.mark.parametrize("route", [PARQUET, ARROW])
@pytest.mark.parametrize("request_", [
    {}, {"columns": FIELDS}, {"columns": []}, {"columns": ["run.run_id"] * 3}, {"columns": ["server.model", "server.seed"], "filter": NONE},
    {"columns": ["run.timestamp", "server.max_num_seqs", "server.seed"], "sort": [{"field": "server.seed", "dir": "desc"}]},
    {"filter": {"or": [{"field": "server.quantization", "op": "is_recorded"}, {"field": "server.seed", "op": "is_null"}]}, "provenance": False}],
    ids=lambda value: str(value)[:40])
def test_every_cell_is_the_one_of_the_json(dashboard, fields, read, route, request_):
    wanted = dashboard.post(JSON, {**request_, "provenance": True}).json
    answer = dashboard.post(route, request_)
    assert answer.status == 200 and answer.headers["Content-Type"] == f"application/vnd.apache.{'parquet' if route == PARQUET else 'arrow.file'}"
    assert answer.headers["Content-Disposition"].endswith(f'.{route.rsplit("/", 1)[1]}"')
    table = read(answer.body)
    columns = list(dict.fromkeys(wanted["provenance"]["columns"]))
    assert [name for name in table if not name.endswith(":other")] == ["id", *columns]
    assert table["id"][1] == [row["id"] for row in wanted["rows"]]
    for name in columns:
        if name in fields:
            kind = fields[name]["type"]
            assert table[name][0]["type"] == TYPES[kind], name
        else:
            kind = "json"
        for row, cells in enumerate(line["cells"] for line in wanted["rows"]):
            is_recorded, value = cell_of(table, name, row)
            assert is_recorded == (name in cells) and (not is_recorded or same(value, cells[name], kind)), (name, row, value, cells.get(name))


def test_a_column_has_its_unit_and_definition(dashboard, fields, read):
    table = read(dashboard.post(ARROW, {}).body)
    for name, (column, _) in table.items():
        if name in fields:
            field, pairs = fields[name], column["pairs"]
            assert all(pairs.get(key, "") == (field[key] or "") for key in ("label", "help", "unit", "group", "type", "direction", "role")), name
    assert table["results.mean_ttft_ms"][0]["pairs"]["unit"] == "ms"
    file = dashboard.post(PARQUET, {"columns": ["results.mean_ttft_ms"], "link": "http://a/?q=1"}).body
    # any reader of Parquet shows the pairs of a file: they are stored as they are
    for text in ('"results.mean_ttft_ms":{', '"unit":"ms"', "data_version", "http://a/?q=1", "ARROW:schema", "profllm-dashboard "):
        assert text.encode() in file, text
    assert b"data_version" not in dashboard.post(PARQUET, {"columns": [], "provenance": False}).body


@pytest.mark.parametrize("route", [PARQUET, ARROW])
def test_requests_are_checked_like_those_of_csv(dashboard, route):
    for request in ({"columns": ["run.nmae"]}, {"filter": {"field": "x"}}, {"extra": 1}):
        refused, other = dashboard.post(route, request), dashboard.post(CSV, request)
        assert (refused.status, refused.json["pointer"], refused.json["detail"]) == (422, other.json["pointer"], other.json["detail"])


def test_the_same_rows_are_the_same_bytes(dashboard):
    for route in (PARQUET, ARROW):
        request = {"columns": FIELDS, "provenance": False}
        assert dashboard.post(route, request).body == dashboard.post(route, request).body


def test_pyarrow_and_duckdb_read_it(dashboard, fields, tmp_path):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed; Debian has no package of it")
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed; Debian has no package of it")
    import pyarrow.ipc
    import pyarrow.parquet

    (tmp_path / "x.parquet").write_bytes(dashboard.post(PARQUET, {}).body)
    (tmp_path / "x.arrow").write_bytes(dashboard.post(ARROW, {}).body)
    one, two = pyarrow.parquet.read_table(tmp_path / "x.parquet"), pa.ipc.open_file(tmp_path / "x.arrow").read_all()
    two.validate(full=True)
    for name, first, second in zip(one.column_names, one.columns, two.columns, strict=True):
        # Parquet has a type of its own for JSON
        assert first.to_pylist() == second.to_pylist() and getattr(first.type, "storage_type", first.type) == second.type, name
        assert one.schema.field(name).metadata == two.schema.field(name).metadata, name
    wanted = dashboard.post(APPLY, {"limit": 1, "metrics": ["results.mean_ttft_ms"]}).json["count"]
    source = f"'{tmp_path}/x.parquet'"
    base = duckdb.connect()
    assert base.execute(f"select count(*), count(distinct id) from {source}").fetchone() == (wanted, wanted)
    pairs = dict(base.execute(f"select decode(key), decode(value) from parquet_kv_metadata({source})").fetchall())
    assert json.loads(pairs["fields"])["results.mean_ttft_ms"]["unit"] == "ms"
