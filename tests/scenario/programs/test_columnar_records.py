"""
Records of nested Parquet and Arrow files against other writers: pyarrow, where it is installed (`PYTHONPATH` may name a
directory with it), and the fixture maker columnar_maker.py, which needs nothing.
"""
import json
import math
import random
import subprocess

import columnar_maker as maker
import pytest


@pytest.fixture(scope="module")
def driver(bin_dir):
    return bin_dir.parent / "tests" / "records_driver"


def records(driver, path, *columns):
    done = subprocess.run([driver, "print", path, *columns], capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def refusal(driver, path, *columns):
    done = subprocess.run([driver, "print", path, *columns], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1, done
    return done.stderr


def plain(value):
    """Returns a value as the driver prints it."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"hex": value.hex()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


# ---- random nested values ---------------------------------------------------------------------

WORDS = ["", "a", "prompt", "größer", "日本語", "x" * 300, "\x00nul", "tab\t"]


def maybe(rng, make, share=0.2):
    return None if rng.random() < share else make()


def random_record(rng, row):
    text = lambda: rng.choice(WORDS)
    turn = lambda: {"from": maybe(rng, text), "value": text() + str(row)}
    return {
        "id": row,
        "text": maybe(rng, text),
        "long": text() * 3,
        "conversations": maybe(rng, lambda: [maybe(rng, turn) for _ in range(rng.randrange(4))]),
        "grid": maybe(rng, lambda: [maybe(rng, lambda: [maybe(rng, lambda: rng.randrange(-9, 9)) for _ in range(rng.randrange(3))])
                                    for _ in range(rng.randrange(3))]),
        "meta": maybe(rng, lambda: {"score": maybe(rng, lambda: rng.uniform(-1, 1)), "tags": maybe(rng, lambda: [text() for _ in range(rng.randrange(3))])}),
        "image": {"bytes": maybe(rng, lambda: rng.randbytes(20)), "path": text()},
        "flag": maybe(rng, lambda: rng.random() < 0.5),
        "small": rng.randrange(-100, 100),
        "nothing": None,
        "kind": maybe(rng, lambda: rng.choice(["chat", "code", "math"])),
    }


def schema():
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed; Debian has no package of it")
    return pa.schema([
        ("id", pa.int64()), ("text", pa.string()), ("long", pa.large_string()),
        ("conversations", pa.list_(pa.struct([("from", pa.string()), ("value", pa.string())]))),
        ("grid", pa.large_list(pa.list_(pa.int32()))),
        ("meta", pa.struct([("score", pa.float64()), ("tags", pa.list_(pa.string()))])),
        ("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())])),
        ("flag", pa.bool_()), ("small", pa.int8()), ("nothing", pa.null()), ("kind", pa.dictionary(pa.int32(), pa.string())),
    ])


def table(rows, seed):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed; Debian has no package of it")
    rng = random.Random(seed)
    found = [random_record(rng, row) for row in range(rows)]
    return pa.Table.from_pylist(found, schema=schema()), [plain(record) for record in found]


FORMS = [
    {"compression": "snappy"},
    {"compression": "gzip", "data_page_version": "2.0"},
    {"compression": "zstd", "use_dictionary": False},
    {"compression": "none", "use_dictionary": False, "data_page_version": "2.0", "data_page_size": 500, "write_batch_size": 7},
    {"compression": "none", "use_dictionary": False, "row_group_size": 100, "data_page_size": 300, "write_batch_size": 3},
    {"use_dictionary": False, "column_encoding": {"id": "DELTA_BINARY_PACKED", "text": "DELTA_LENGTH_BYTE_ARRAY", "long": "DELTA_BYTE_ARRAY",
                                                  "meta.score": "BYTE_STREAM_SPLIT", "small": "DELTA_BINARY_PACKED"}},
]


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("rows", [1, 700])
def test_parquet_of_pyarrow(driver, tmp_path, form, rows):
    made, expected = table(rows, 3)
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(made, tmp_path / "x.parquet", **form)
    assert records(driver, tmp_path / "x.parquet") == expected
    assert records(driver, tmp_path / "x.parquet", "conversations", "id") == [
        {"id": record["id"], "conversations": record["conversations"]} for record in expected]


@pytest.mark.parametrize("codec", [None, "zstd"])
@pytest.mark.parametrize("is_file", [True, False], ids=["file", "stream"])
def test_arrow_of_pyarrow(driver, tmp_path, codec, is_file):
    made, expected = table(700, 4)
    pa = pytest.importorskip("pyarrow")
    opened = pa.ipc.new_file if is_file else pa.ipc.new_stream
    with opened(str(tmp_path / "x.arrow"), made.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as sink:
        sink.write_table(made, max_chunksize=150)
    assert records(driver, tmp_path / "x.arrow") == expected
    assert records(driver, tmp_path / "x.arrow", "kind", "meta") == [{"meta": record["meta"], "kind": record["kind"]} for record in expected]


def test_other_types_of_pyarrow(driver, tmp_path):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed; Debian has no package of it")
    parquet = pytest.importorskip("pyarrow.parquet")
    made = pa.table({
        "map": pa.array([[("a", 1), ("b", None)], None, []], pa.map_(pa.string(), pa.int64())),
        "pair": pa.array([[1, 2], None, [3, None]], pa.list_(pa.int16(), 2)),
        "word": pa.array([b"abcd", None, b"\xff\xfe\x00\x01"], pa.binary(4)),
        "at": pa.array([0, -1, None], pa.timestamp("ms")),
        "deep": pa.array([{"a": {"b": [{"c": None}, {"c": ["x"]}]}}, {"a": None}, None],
                         pa.struct([("a", pa.struct([("b", pa.list_(pa.struct([("c", pa.list_(pa.string()))])))]))])),
        "odd": pa.array([1.5, float("nan"), float("inf")], pa.float32()),
    })
    expected = [
        {"map": [{"key": "a", "value": 1}, {"key": "b", "value": None}], "pair": [1, 2], "word": "abcd", "at": 0,
         "deep": {"a": {"b": [{"c": None}, {"c": ["x"]}]}}, "odd": 1.5},
        {"map": None, "pair": None, "word": None, "at": -1000, "deep": {"a": None}, "odd": None},
        {"map": [], "pair": [3, None], "word": {"hex": "fffe0001"}, "at": None, "deep": None, "odd": None},
    ]
    parquet.write_table(made, tmp_path / "x.parquet")
    with pa.ipc.new_stream(str(tmp_path / "x.arrow"), made.schema) as sink:
        sink.write_table(made)
    assert records(driver, tmp_path / "x.parquet") == expected
    assert records(driver, tmp_path / "x.arrow") == expected


def test_refusals_of_pyarrow(driver, tmp_path):
    """A column that cannot be read is refused by name, with the conversion, and only if it is requested."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed; Debian has no package of it")
    parquet = pytest.importorskip("pyarrow.parquet")
    made = pa.table({"price": pa.array([1, 2], pa.decimal128(9, 2)), "text": ["a", "b"]})
    parquet.write_table(made, tmp_path / "x.parquet")
    with pa.ipc.new_file(str(tmp_path / "x.arrow"), made.schema) as sink:
        sink.write_table(made)
    for name, loader in (("x.parquet", "parquet"), ("x.arrow", "arrow")):
        assert records(driver, tmp_path / name, "text") == [{"text": "a"}, {"text": "b"}]
        text = refusal(driver, tmp_path / name)
        assert "column 'price'" in text and f"datasets.load_dataset('{loader}', data_files='FILE', split='train').to_json(" in text, text
    parquet.write_table(made, tmp_path / "b.parquet", compression={"price": "brotli", "text": "lz4"})
    assert "compression 7 (LZ4_RAW), expected none, Snappy, gzip or zstd" in refusal(driver, tmp_path / "b.parquet", "text")
    with pa.ipc.new_file(str(tmp_path / "l.arrow"), made.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as sink:
        sink.write_table(made)
    assert "compression 0 (LZ4)" in refusal(driver, tmp_path / "l.arrow", "text")


# ---- files of the fixture maker -----------------------------------------------------------------

CODED = ("coded", "text")
MADE = [
    ("id", "i64"), ("text", "text"), ("conversations", ("list", ("struct", [("from", "text"), ("value", "text")]))),
    ("grid", ("list", ("list", "i32"))), ("meta", ("struct", [("score", "f64"), ("tags", ("list", "text"))])),
    ("image", ("struct", [("bytes", "bytes"), ("path", "text")])), ("flag", "bool"),
]


def made_rows(rows, seed, schema=None):
    rng = random.Random(seed)
    names = [name for name, _ in schema or MADE]
    found = [{name: record[name] for name in names} for record in (random_record(rng, row) for row in range(rows))]
    return found, [plain(record) for record in found]


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "zstd"])
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("runs", [False, True], ids=["packed", "runs"])
def test_made_parquet(driver, tmp_path, codec, version, runs):
    rows, expected = made_rows(130, 5)
    for name, encodings in {
        "plain": {}, "coded": {leaf: "DICTIONARY" for leaf in ("id", "text", "conversations.list.element.value", "meta.score", "grid.list.element.list.element")},
        "delta": {"id": "DELTA_BINARY_PACKED", "text": "DELTA_LENGTH_BYTE_ARRAY", "conversations.list.element.value": "DELTA_BYTE_ARRAY",
                  "grid.list.element.list.element": "DELTA_BINARY_PACKED", "meta.score": "BYTE_STREAM_SPLIT", "flag": "RLE",
                  "image.bytes": "DELTA_LENGTH_BYTE_ARRAY"},
    }.items():
        path = tmp_path / f"{name}.parquet"
        path.write_bytes(maker.parquet(MADE, rows, codec, version, encodings, page_entries=37, group_rows=60, runs=runs))
        assert records(driver, path) == expected, name


@pytest.mark.parametrize("codec", ["none", "zstd"])
@pytest.mark.parametrize("is_file", [False, True], ids=["stream", "file"])
def test_made_arrow(driver, tmp_path, codec, is_file):
    shape = [*MADE, ("nothing", "null"), ("kind", CODED)]
    rows, expected = made_rows(130, 6, shape)
    (tmp_path / "x.arrow").write_bytes(maker.arrow(shape, rows, codec, is_file, batch_rows=40))
    assert records(driver, tmp_path / "x.arrow") == expected
    assert records(driver, tmp_path / "x.arrow", "kind") == [{"kind": record["kind"]} for record in expected]


def test_peers_read_made_files(tmp_path):
    """Another reader agrees with the files of the maker, so the tests above do not share a mistake of it."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed; Debian has no package of it")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows, expected = made_rows(60, 7)
    for version in (1, 2):
        for codec in ("none", "snappy", "gzip", "zstd"):
            (tmp_path / "x.parquet").write_bytes(maker.parquet(MADE, rows, codec, version, {
                "id": "DELTA_BINARY_PACKED", "text": "DICTIONARY", "conversations.list.element.value": "DELTA_BYTE_ARRAY",
                "image.path": "DELTA_LENGTH_BYTE_ARRAY", "meta.score": "BYTE_STREAM_SPLIT"}, page_entries=20))
            assert [plain(row) for row in parquet.read_table(tmp_path / "x.parquet").to_pylist()] == expected
    for codec in ("none", "zstd"):
        with pa.ipc.open_stream(maker.arrow([*MADE, ("kind", CODED)], [{**row, "kind": "chat"} for row in rows], codec)) as stream:
            assert [plain(row) for row in stream.read_all().to_pylist()] == [{**row, "kind": "chat"} for row in expected]


def test_no_requested_column(driver, tmp_path):
    rows, _ = made_rows(3, 8)
    (tmp_path / "x.parquet").write_bytes(maker.parquet(MADE, rows))
    (tmp_path / "x.arrow").write_bytes(maker.arrow(MADE, rows))
    for name in ("x.parquet", "x.arrow"):
        assert "found none of the requested columns" in refusal(driver, tmp_path / name, "other")


def test_truncated_files(driver, tmp_path):
    """A file that was cut anywhere is refused, or its whole records are read."""
    rows, expected = made_rows(5, 9)
    for data, name in ((maker.parquet(MADE, rows), "x.parquet"), (maker.arrow(MADE, rows), "x.arrow")):
        for size in range(8, len(data), len(data) // 40):
            (tmp_path / name).write_bytes(data[:size])
            done = subprocess.run([driver, "print", tmp_path / name], capture_output=True, check=False, timeout=60)
            assert done.returncode in (0, 1)
            if done.returncode == 0:
                assert [json.loads(line) for line in done.stdout.decode().splitlines()] == expected[:len(done.stdout.splitlines())]
