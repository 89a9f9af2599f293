"""Results on a disk with the artifacts that their documents name."""
import hashlib
import json

from dashboard_tools import results

SUFFIXES = {"requests": ".requests.jsonl.zst", "series": ".series.jsonl.zst", "server_log": ".server.log", "trace": ".rank0.pt.trace.json.gz"}


def write_result(folder, number=0, stem=None, rng=None):
    """Returns (path of the result, {kind: bytes of the artifact})."""
    stem = stem or f"r{number}"
    files, entries = {}, []
    for kind, suffix in SUFFIXES.items():
        data = f"{kind} of {number}\n".encode() + (rng.randbytes(rng.randint(0, 100_000)) if rng else b"")
        files[kind] = data
        (folder / (stem + suffix)).write_bytes(data)
        entries.append({"kind": kind, "name": stem + suffix, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    document = {**next(results(1, first=number)), "artifacts": entries}
    path = folder / f"{stem}.json"
    path.write_text(json.dumps(document, indent=2))
    return path, files
