"""Memory and time to read Parquet and Arrow files whose row group or record batch has 1 GB: records_memory.py BUILD [--gb N].

The files have nested columns, as datasets of conversations. With pyarrow on PYTHONPATH, also its compressed row groups.
"""
import argparse
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scenario"))

import columnar_maker as maker  # noqa: E402

PEAK_MB_MAX = 200  # to be reached, by the peak of the resident memory
SCHEMA = [("id", "i64"), ("conversations", ("list", ("struct", [("from", "text"), ("value", "text")])))]
PART = 500  # records that are made at once


def texts_of():
    rng = random.Random(5)
    words = [bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))).decode() for _ in range(5000)]
    return [" ".join(rng.choices(words, k=rng.randint(2000, 8000))) for _ in range(200)]


def rows_of(texts, begin, count):
    return [{"id": i, "conversations": [{"from": "human", "value": texts[i % len(texts)]}, {"from": "gpt", "value": texts[i * 7 % len(texts)]}]}
            for i in range(begin, begin + count)]


def write_parquet(path, texts, records):
    """One row group: all pages of a leaf, then those of the next one."""
    leaves = [leaf for field in SCHEMA for leaf in maker.leaves(*field)]
    chunks = []
    with open(path, "wb") as file:
        file.write(b"PAR1")
        for at, (leaf_path, kind, define, repeat) in enumerate(leaves):
            begin, entries_count = file.tell(), 0
            for start in range(0, records, PART):
                entries = [[] for _ in leaves]
                for row in rows_of(texts, start, min(PART, records - start)):
                    found = iter(entries)
                    for name, of in SCHEMA:
                        maker.shred(of, row[name], 0, 0, 0, found)
                for first in range(0, len(entries[at]), 25):
                    file.write(maker.page_of(kind, entries[at][first:first + 25], define, repeat, "none", 1, "PLAIN", None, True))
                entries_count += len(entries[at])
            size = file.tell() - begin
            meta = maker.Thrift((1, "i32", maker.PHYSICAL[kind]), (2, "list", ("i32", [0])), (3, "list", ("text", list(leaf_path))), (4, "i32", 0),
                                (5, "i64", entries_count), (6, "i64", size), (7, "i64", size), (9, "i64", begin))
            chunks.append(maker.Thrift((2, "i64", begin), (3, "struct", meta)))
        tree = [maker.Thrift((4, "text", "schema"), (5, "i32", len(SCHEMA)))] + [one for field in SCHEMA for one in maker.elements(*field)]
        group = maker.Thrift((1, "list", ("struct", chunks)), (2, "i64", file.tell()), (3, "i64", records))
        footer = maker.Thrift((1, "i32", 2), (2, "list", ("struct", tree)), (3, "i64", records), (4, "list", ("struct", [group]))).encode()
        file.write(footer + struct.pack("<I", len(footer)) + b"PAR1")


def write_arrow(path, texts, records):
    """One record batch of at most 2 GiB of texts."""
    nodes, buffers = [], []
    for name, kind in SCHEMA:
        maker.arrays(kind, [row[name] for row in rows_of(texts, 0, records)], nodes, buffers, {})
    make, body = maker.batch_of(records, nodes, buffers, "none")
    ids = []
    head = maker.message(1, lambda flat: flat.table((1, "ref", flat.refs([maker.arrow_field(flat, *field, ids) for field in SCHEMA]))))
    with open(path, "wb") as file:
        file.write(head)
        file.write(maker.message(3, make, body))


def write_peer(path, texts, records, codec):
    import pyarrow as pa
    import pyarrow.parquet as parquet
    kind = pa.schema([("id", pa.int64()), ("conversations", pa.list_(pa.struct([("from", pa.string()), ("value", pa.string())])))])
    parquet.write_table(pa.Table.from_pylist(rows_of(texts, 0, records), kind), path, compression=codec, row_group_size=records, use_dictionary=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--gb", type=float, default=1)
    args = parser.parse_args()
    texts = texts_of()
    records = int(args.gb * 1e9 / (2 * sum(map(len, texts)) / len(texts)))
    writers = {"Parquet": write_parquet, "Arrow": write_arrow}
    try:
        import pyarrow  # noqa: F401
        for codec in ("snappy", "zstd", "gzip"):
            writers[f"Parquet, {codec}"] = lambda path, texts, records, codec=codec: write_peer(path, texts, records, codec)
    except ImportError:
        pass
    worst = 0
    print("| file | size | records | peak memory | time |\n| --- | --- | --- | --- | --- |")
    for name, write in writers.items():
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            path = pathlib.Path(folder) / "x"
            write(path, texts, records)
            started = time.perf_counter()
            done = subprocess.run([args.build / "tests" / "records_driver", "count", path], capture_output=True, text=True, check=True)
            seconds = time.perf_counter() - started
            found = json.loads(done.stdout)
            assert found["records"] == records and found["text_bytes"] > 0.9 * args.gb * 1e9, found
            peak = found["peak_kb"] * 1024 / 1e6
            worst = max(worst, peak)
            print(f"| {name} | {path.stat().st_size / 1e6:,.0f} MB | {records:,} | {peak:.0f} MB | {seconds:.1f} s |", flush=True)
    if worst > PEAK_MB_MAX:
        raise SystemExit(f"found a peak of {worst:.0f} MB, expected at most {PEAK_MB_MAX}")


if __name__ == "__main__":
    main()
