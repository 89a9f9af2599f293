"""
Possible contents of a disk after a power cut, rebuilt from the calls that tests/doubles/recorded_calls.c recorded.

    with Recorder(bin_dir, folder) as recorder:      # programs started with recorder.env are recorded
    calls = recorder.calls()
    state = State(recorder.root, calls[:k])          # the disk after k calls
    state.write(elsewhere, Variant(...))             # one of the disks that a cut may leave then

Each variant keeps the synced bytes of a file, the synced names of a directory, and a part of the rest: nothing, all, names without
bytes, a file of zeros, a torn write, any subset. This is what POSIX allows, and more than most file systems lose.
"""
import dataclasses
import hashlib
import os
import random
import struct
from pathlib import Path

from run_tools import environment

HEAD = struct.Struct("<qQqIIQ")
CREATE, WRITE, TRUNCATE, SYNC, RENAME, LINK, UNLINK = range(7)
LOCK_BYTES = 65536
TORN_BYTES = (512, 4096)


@dataclasses.dataclass
class Call:
    begun_ns: int
    file: int
    at: int
    call: int
    path: str
    data: bytes

    def __str__(self):
        name = ["create", "write", "truncate", "sync", "rename", "link", "unlink"][self.call]
        return f"{name} {self.file} {self.path} at {self.at}, {len(self.data)} bytes"


class Recorder:
    """Records what a program does to the files of `root`."""

    def __init__(self, bin_dir, folder):
        folder = Path(folder).resolve()
        self.root, self.log = folder / "root", folder / "calls"
        self.root.mkdir(parents=True)
        self.log.touch()
        lock = folder / "lock"
        lock.write_bytes(bytes(LOCK_BYTES))
        self.env = environment({"LD_PRELOAD": str(bin_dir.parent / "tests/recorded_calls.so"), "PROFLLM_RECORD_ROOT": str(self.root),
                                "PROFLLM_RECORD_LOG": str(self.log), "PROFLLM_RECORD_LOCK": str(lock)})

    def calls(self):
        data, at, calls = self.log.read_bytes(), 0, []
        while at < len(data):
            begun_ns, file, where, call, path_len, bytes_len = HEAD.unpack_from(data, at)
            at += HEAD.size
            path = data[at:at + path_len].decode()
            at += path_len
            calls.append(Call(begun_ns, file, where, call, path, data[at:at + bytes_len]))
            at += bytes_len
        return calls


def apply(data, op):
    """Applies a write or truncation to a file's bytes; a gap before a write is zeros."""
    kind, at, new = op
    if kind == WRITE:
        data += bytes(max(0, at - len(data)))
        data[at:at + len(new)] = new
    else:
        del data[at:]
        data += bytes(at - len(data))
    return data


@dataclasses.dataclass
class File:
    synced: bytearray = dataclasses.field(default_factory=bytearray)
    pending: list = dataclasses.field(default_factory=list)

    def all(self):
        data = bytearray(self.synced)
        for op in self.pending:
            apply(data, op)
        return data


@dataclasses.dataclass
class Directory:
    names: dict = dataclasses.field(default_factory=dict)  # synced: inode by name
    pending: list = dataclasses.field(default_factory=list)  # [{name: inode or None}, …], each whole or not at all


class State:
    """Files and directories by inode after some calls, with what is synced and what is not."""

    def __init__(self, root, calls=()):
        self.root = str(root)
        self.files, self.directories = {}, {}
        self.by_path = {self.root: "root"}  # as the programs saw them
        self.directories["root"] = Directory()
        for call in calls:
            self.play(call)

    def parent(self, path):
        return self.directories[self.by_path[os.path.dirname(path)]]

    def name(self, path, inode):
        self.parent(path).pending.append({os.path.basename(path): inode})
        if inode is None:
            self.by_path.pop(path, None)
        else:
            self.by_path[path] = inode

    def play(self, call):
        # an inode's number is used again
        if call.call == CREATE:
            made, by = (Directory(), self.directories) if call.at else (File(), self.files)
            by[call.file] = made
            self.name(call.path, call.file)
        elif call.call in (WRITE, TRUNCATE):
            self.files.setdefault(call.file, File()).pending.append((call.call, call.at, call.data))
        elif call.call == SYNC and call.at:
            directory = self.directories[self.by_path[call.path]]
            for change in directory.pending:
                directory.names.update(change)
            directory.names = {name: inode for name, inode in directory.names.items() if inode is not None}
            directory.pending = []
        elif call.call == SYNC:
            file = self.files.setdefault(call.file, File())
            file.synced, file.pending = file.all(), []
        elif call.call == UNLINK:
            self.name(call.path, None)
        else:
            self.play_two(call)

    def play_two(self, call):
        old, new = call.path, call.data.decode()
        inode = self.by_path[old]
        self.name(new, inode)
        if call.call == LINK:
            return
        if os.path.dirname(old) == os.path.dirname(new):  # both names or neither
            self.parent(old).pending[-1][os.path.basename(old)] = None
            self.by_path.pop(old)
        else:
            self.name(old, None)

    # ---- one disk ----

    def disk(self, keep_names, keep_bytes):
        """{relative path: bytes, or None for a directory} with what the two keep of a Directory and of a File."""
        found = {}

        def walk(inode, path):
            names = keep_names(self.directories[inode])
            for name, child in sorted(names.items()):
                below = f"{path}{name}"
                if child in self.directories:
                    found[below] = None
                    walk(child, f"{below}/")
                elif child in self.files:
                    found[below] = bytes(keep_bytes(self.files[child]))
        walk("root", "")
        return found

    def disks(self, seed):
        """Yields (name, disk) of each variant."""
        rng = random.Random(seed)
        yield "all", self.disk(names_all, File.all)
        yield "nothing", self.disk(names_synced, lambda file: file.synced)
        yield "names", self.disk(names_all, lambda file: file.synced)
        yield "zeros", self.disk(names_all, zeros)
        yield "bytes", self.disk(names_synced, File.all)
        yield "torn", self.disk(names_all, lambda file: torn(file, rng))
        yield "some", self.disk(lambda directory: names_some(directory, rng), lambda file: some(file, rng))
        yield "any", self.disk(lambda directory: names_some(directory, rng), lambda file: torn(file, rng))


def names_of(directory, changes):
    names = dict(directory.names)
    for change in changes:
        names.update(change)
    return {name: inode for name, inode in names.items() if inode is not None}


def names_synced(directory):
    return names_of(directory, [])


def names_all(directory):
    return names_of(directory, directory.pending)


def names_some(directory, rng):
    """Keeps a random part of the changes, each complete and in order."""
    return names_of(directory, [change for change in directory.pending if rng.random() < 0.5])


def zeros(file):
    """Returns the contents with their size, but zeros for the bytes that were not synced."""
    return file.synced[:len(file.all())] + bytes(max(0, len(file.all()) - len(file.synced)))


def torn(file, rng):
    """Keeps some of the first writes, and a part of the next one."""
    data, count = bytearray(file.synced), rng.randint(0, len(file.pending))
    for op in file.pending[:count]:
        apply(data, op)
    if count < len(file.pending) and file.pending[count][0] == WRITE:
        _, at, new = file.pending[count]
        unit = rng.choice(TORN_BYTES)
        apply(data, (WRITE, at, new[:rng.randint(0, len(new) // unit) * unit]))
    return data


def some(file, rng):
    """Keeps random writes and halves of writes."""
    data = bytearray(file.synced)
    for kind, at, new in file.pending:
        if rng.random() < 0.5:
            apply(data, (kind, at, new))
        elif kind == WRITE and len(new) > TORN_BYTES[0]:
            half = len(new) // 2 // TORN_BYTES[0] * TORN_BYTES[0]
            apply(data, (kind, at + half, new[half:]))
    return data


def digest(disk):
    total = hashlib.sha256()
    for path, data in sorted(disk.items()):
        total.update(f"{path} {data is None} {len(data or b'')} ".encode() + (data or b""))
    return total.digest()


def write(disk, folder):
    folder.mkdir(parents=True)
    for path, data in sorted(disk.items()):
        if data is None:
            (folder / path).mkdir(exist_ok=True)
        else:
            (folder / path).write_bytes(data)
    return folder
