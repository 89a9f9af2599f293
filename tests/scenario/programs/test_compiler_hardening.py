"""The programs and the library have the hardening that SECURITY.md names, read from their ELF files."""
import os
import re
import struct

import pytest

PROGRAMS = ["profllm", "profllm-dashboard", "profllm-sim"]
EXECUTABLE = 1  # of a segment's flags
LOAD, DYNAMIC, STACK, RELRO = 1, 2, 0x6474E551, 0x6474E552
STRTAB, SYMTAB, RPATH, TEXTREL, RUNPATH, FLAGS, FLAGS_1 = 5, 6, 15, 22, 29, 30, 0x6FFFFFFB
BIND_NOW, NOW, PIE = 8, 1, 0x08000000

pytestmark = pytest.mark.skipif(bool(os.environ.get("PROFLLM_SANITIZED")), reason="a sanitizer replaces the checks of glibc")


class Elf:
    """A 64-bit little-endian file: its type, segments, dynamic entries and the names of the functions that it takes from libraries."""

    def __init__(self, path):
        self.data = path.read_bytes()
        assert self.data[:6] == b"\x7fELF\x02\x01", path
        self.type, = struct.unpack_from("<H", self.data, 16)
        start, = struct.unpack_from("<Q", self.data, 32)
        size, count = struct.unpack_from("<HH", self.data, 54)
        # type, flags, offset, address, physical address, size in the file
        self.segments = [struct.unpack_from("<IIQQQQ", self.data, start + i * size) for i in range(count)]
        offset, length = next((row[2], row[5]) for row in self.segments if row[0] == DYNAMIC)
        self.dynamic = dict(struct.unpack_from("<QQ", self.data, offset + i) for i in range(0, length, 16))

    def at(self, address):
        """Returns the offset of an address in the file."""
        return next(row[2] + address - row[3] for row in self.segments if row[0] == LOAD and row[3] <= address < row[3] + row[5])

    def imports(self):
        """Returns the undefined symbols; the string table follows the symbol table."""
        symbols, strings = self.at(self.dynamic[SYMTAB]), self.at(self.dynamic[STRTAB])
        names = set()
        for at in range(symbols, strings, 24):
            name, _, _, section = struct.unpack_from("<IBBH", self.data, at)
            if section == 0 and name:
                names.add(self.data[strings + name:self.data.index(b"\0", strings + name)].decode())
        return names

    def flags(self, kind):
        return next(row[1] for row in self.segments if row[0] == kind)


def files(bin_dir):
    library = bin_dir.parent / "lib/libprofllm.so.0"
    return [bin_dir / name for name in PROGRAMS] + ([library] if library.exists() else [])


def test_programs_are_hardened(bin_dir):
    for path in files(bin_dir):
        elf = Elf(path)
        assert elf.type == 3, f"{path}: not position-independent"
        assert path.suffix or elf.dynamic.get(FLAGS_1, 0) & PIE, f"{path}: no PIE"
        assert any(row[0] == RELRO for row in elf.segments), f"{path}: no RELRO"
        assert elf.dynamic.get(FLAGS, 0) & BIND_NOW or elf.dynamic.get(FLAGS_1, 0) & NOW, f"{path}: RELRO is not full"
        assert not elf.flags(STACK) & EXECUTABLE, f"{path}: its stack is executable"
        assert not {TEXTREL, RPATH, RUNPATH} & elf.dynamic.keys(), path
        assert all(not (row[1] & 1 and row[1] & 2) for row in elf.segments if row[0] == LOAD), f"{path}: a segment is writable and executable"
        assert "__stack_chk_fail" in elf.imports(), f"{path}: no stack protector"


def test_programs_use_the_checks_of_glibc(bin_dir):
    """Level 2 or 3 of _FORTIFY_SOURCE: calls whose buffer has a known size are checked."""
    for path in files(bin_dir):
        checked = {name for name in Elf(path).imports() if re.fullmatch("__.*_chk", name) and name != "__stack_chk_fail"}
        assert {"__snprintf_chk", "__memcpy_chk"} & checked and len(checked) >= 3, (path, checked)
