"""
src/columnar against other readers and writers of Parquet and Arrow: pyarrow and DuckDB, where they are installed.

Debian has neither. `PYTHONPATH` may name a directory with them.
"""
import datetime
import json
import math
import subprocess

import pytest

SHAPES = [(0, 0, 1), (0, 7, 1), (1, 12, 1), (5, 0, 5), (1000, 30, 300), (3, 1000, 2), (20000, 12, 9000), (300000, 5, 200000)]


@pytest.fixture(scope="module")
def driver(bin_dir):
    return bin_dir.parent / "tests" / "columnar_driver"


def drive(driver, *words):
    done = subprocess.run([driver, *map(str, words)], capture_output=True, check=True, timeout=120)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def refusal(driver, path):
    done = subprocess.run([driver, "print", path], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1, done
    return done.stderr


def same(ours, theirs):
    if isinstance(ours, float) and isinstance(theirs, float):
        return ours == theirs and math.copysign(1, ours) == math.copysign(1, theirs) or (math.isnan(ours) and math.isnan(theirs))
    return type(ours) is type(theirs) and ours == theirs


def plain(column):
    """Returns the cells as JSON has them: a time in microseconds."""
    pa = pytest.importorskip("pyarrow")
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.int64())
    return [float(cell) if pa.types.is_floating(column.type) and cell is not None else cell for cell in column.to_pylist()]


def compare(ours, theirs):
    assert len(ours) == len(theirs)
    for column, (one, other) in enumerate(zip(ours, theirs)):
        assert len(one) == len(other), column
        wrong = [(row, a, b) for row, (a, b) in enumerate(zip(one, other)) if not same(float(a) if isinstance(b, float) and a is not None else a, b)]
        assert not wrong, (column, wrong[:3])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("codec", ["plain", "snappy", "zstd"])
def test_pyarrow_reads_our_parquet(driver, tmp_path, shape, codec):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed; Debian has no package of it")
    rows, columns, part = shape
    drive(driver, "write", "parquet", codec, 7, rows, columns, part, tmp_path / "x.parquet")
    file = parquet.ParquetFile(tmp_path / "x.parquet", page_checksum_verification=True)
    table = file.read()
    assert table.num_rows == (rows if columns else file.metadata.num_rows) and table.schema.metadata[b"made_by"] == b"table_new"
    compare(drive(driver, "table", 7, rows, columns), [plain(table.column(i)) for i in range(columns)])
    metadata = [table.schema.field(i).metadata or {} for i in range(columns)]
    assert not columns or rows < 1000 or {b"unit": b"ms", b"help": b""} in metadata
    for group in range(file.metadata.num_row_groups):
        for column in range(columns):
            chunk = file.metadata.row_group(group).column(column)
            cells = [cell for cell in plain(table.column(column))[group * part:(group + 1) * part]]
            known = [cell for cell in cells if cell is not None and not (isinstance(cell, float) and math.isnan(cell))]
            assert chunk.statistics.null_count == sum(cell is None for cell in cells)
            if chunk.statistics.has_min_max and known and chunk.physical_type != "BYTE_ARRAY" and "imestamp" not in str(chunk.statistics.logical_type):
                assert (chunk.statistics.min, chunk.statistics.max) == (min(known), max(known))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("codec", ["plain", "zstd"])
def test_pyarrow_reads_our_arrow(driver, tmp_path, shape, codec):
    ipc = pytest.importorskip("pyarrow.ipc", reason="pyarrow is not installed; Debian has no package of it")
    rows, columns, part = shape
    drive(driver, "write", "arrow", codec, 8, rows, columns, part, tmp_path / "x.arrow")
    expected = drive(driver, "table", 8, rows, columns)
    with ipc.open_file(tmp_path / "x.arrow") as file:
        table = file.read_all()
    table.validate(full=True)
    assert table.schema.metadata[b"made_by"] == b"table_new"
    compare(expected, [plain(table.column(i)) for i in range(columns)])
    with open(tmp_path / "x.arrow", "rb") as file:
        file.seek(8)
        compare(expected, [plain(column) for column in ipc.open_stream(file).read_all().columns])


@pytest.mark.parametrize("shape", SHAPES[1:], ids=str)
def test_duckdb_reads_our_parquet(driver, tmp_path, shape):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed; Debian has no package of it")
    rows, columns, part = shape
    if columns == 0:
        pytest.skip("DuckDB has no tables without columns")
    drive(driver, "write", "parquet", "zstd", 9, rows, columns, part, tmp_path / "x.parquet")
    base = duckdb.connect()
    base.execute("SET TimeZone = 'UTC'")
    source = f"read_parquet('{tmp_path}/x.parquet')"
    types = base.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
    words = ", ".join(f'epoch_us("{name}")' if kind.startswith("TIMESTAMP") else f'"{name}"' for name, kind, *_ in types)
    found = base.execute(f"SELECT {words} FROM {source}").fetchall()
    compare(drive(driver, "table", 9, rows, columns), [list(column) for column in zip(*found)] if found else [[]] * columns)


def peer_table(pa):
    import random

    rng = random.Random("peers")
    count = 5000

    def some(make):
        return [None if rng.random() < 0.2 else make() for _ in range(count)]

    texts = some(lambda: rng.choice(["", "a", "é", "null", "x" * 200, "\x00"]))
    times = some(lambda: rng.randrange(-2**40, 2**40))
    return pa.table({
        "yes": pa.array(some(lambda: rng.random() < 0.5)), "one": pa.array([7] * count), "i32": pa.array(some(lambda: rng.randrange(-9, 9)), pa.int32()),
        "u8": pa.array(some(lambda: rng.randrange(256)), pa.uint8()), "u32": pa.array(some(lambda: rng.randrange(2**32)), pa.uint32()),
        "i64": pa.array(some(lambda: rng.randrange(-2**62, 2**62))), "f32": pa.array(some(lambda: rng.randrange(99) / 4), pa.float32()),
        "f64": pa.array(some(lambda: rng.choice([math.nan, math.inf, -math.inf, rng.random()]))), "text": pa.array(texts),
        "coded": pa.array(texts).dictionary_encode(), "large": pa.array(texts, pa.large_string()), "ms": pa.array(times, pa.timestamp("ms")),
        "us": pa.array(times, pa.timestamp("us", "UTC")), "ns": pa.array([t and t // 1000 * 1000 for t in times], pa.timestamp("ns")), "none": pa.array([None] * count, pa.string()),
    })


def expected_of(table):
    pa = pytest.importorskip("pyarrow")
    cells = []
    for column in table.columns:
        if pa.types.is_timestamp(column.type):
            scale = {"ms": (1000, 1), "us": (1, 1), "ns": (1, 1000)}[column.type.unit]
            cells.append([cell if cell is None else cell * scale[0] // scale[1] for cell in plain(column)])
        else:
            cells.append(plain(column))
    return cells


@pytest.mark.parametrize("codec", ["none", "snappy", "zstd"])
@pytest.mark.parametrize("how", [{"data_page_version": "1.0"}, {"data_page_version": "2.0"}, {"use_dictionary": False}, {"data_page_size": 500, "row_group_size": 900},
                                 {"version": "1.0"}, {"write_page_checksum": True}], ids=str)
def test_we_read_pyarrows_parquet(driver, tmp_path, codec, how):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed; Debian has no package of it")
    import pyarrow.parquet

    table = peer_table(pa)
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet", compression=codec, **how)
    compare(drive(driver, "print", tmp_path / "x.parquet")[1:], expected_of(pyarrow.parquet.read_table(tmp_path / "x.parquet")))


@pytest.mark.parametrize("codec", [None, "zstd"])
def test_we_read_pyarrows_arrow(driver, tmp_path, codec):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed; Debian has no package of it")
    table = peer_table(pa)
    options = pa.ipc.IpcWriteOptions(compression=codec)
    for make in (pa.ipc.new_file, pa.ipc.new_stream):
        with make(str(tmp_path / "x.arrow"), table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=900)
        compare(drive(driver, "print", tmp_path / "x.arrow")[1:], expected_of(table))


def test_others_are_refused_by_name(driver, tmp_path):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed; Debian has no package of it")
    import decimal

    import pyarrow.parquet

    path = tmp_path / "x.parquet"
    for column, text in [(pa.array([[1]]), "column 'x': found a nested column, expected a flat one"), (pa.array([decimal.Decimal("1.5")]), "column 'x': found "),
                         (pa.array([datetime.date(2026, 1, 1)]), "column 'x': found an integer with another logical type"), (pa.array([b"\xff"]), "text 0 is not UTF-8")]:
        pyarrow.parquet.write_table(pa.table({"x": column}), path)
        assert text in refusal(driver, path)
        with pa.ipc.new_file(str(path), pa.schema([("x", column.type)])) as writer:
            writer.write_table(pa.table({"x": column}))
        assert "column 'x': found another type" in refusal(driver, path)
    pyarrow.parquet.write_table(pa.table({"x": list(range(1000))}), path, use_dictionary=False, column_encoding={"x": "DELTA_BINARY_PACKED"})
    compare(drive(driver, "print", path)[1:], [list(range(1000))])
    pyarrow.parquet.write_table(pa.table({"x": list(range(1000))}), path, compression="gzip")
    compare(drive(driver, "print", path)[1:], [list(range(1000))])
    pyarrow.parquet.write_table(pa.table({"x": list(range(1000))}), path, compression="brotli")
    assert "found codec 4 (Brotli), expected 0 (none), 1 (Snappy), 2 (gzip) or 6 (zstd)" in refusal(driver, path)
    with pa.ipc.new_file(str(path), pa.schema([("x", pa.int64())]), options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(pa.table({"x": list(range(1000))}))
    assert "found buffers of compression 0 (LZ4), expected none or 1 (zstd)" in refusal(driver, path)


def test_a_malformed_file_is_refused(driver, tmp_path):
    for content in (b"", b"PAR1", b"PAR1\xff\xff\xff\x7fPAR1", b"ARROW1\0\0", b"id,x\r\n1,2\r\n"):
        (tmp_path / "x").write_bytes(content)
        assert refusal(driver, tmp_path / "x").startswith("columnar_driver: ")
