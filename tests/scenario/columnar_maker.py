"""
Makes nested Parquet and Arrow files without any library: every encoding, codec and page version that src/columnar reads.

A schema is a list of (name, type): "text", "bytes", "i32", "i64", "f64", "f32", "bool", "null" (Arrow), ("list", TYPE),
("struct", [(name, TYPE)...]) or ("coded", TYPE) for an Arrow dictionary. All values may be None.
"""
import gzip
import struct
import zlib

# ---- Thrift's compact protocol ----------------------------------------------------------------


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def zigzag(number, bits=64):
    return varint((number << 1 ^ number >> (bits - 1)) & ((1 << bits) - 1))


class Thrift:
    """A struct; None is a field that is missing."""

    def __init__(self, *fields):
        self.fields = fields  # (id, kind, value)

    def encode(self):
        out, last = bytearray(), 0
        for at, kind, value in self.fields:
            if value is None:
                continue
            code = {"i32": 5, "i64": 6, "text": 8, "list": 9, "struct": 12}.get(kind, 1 if value else 2)
            out.append((at - last) << 4 | code)
            last = at
            out += b"" if kind == "bool" else encode_thrift(kind, value)
        return bytes(out) + b"\0"


def encode_thrift(kind, value):
    if kind in ("i32", "i64"):
        return zigzag(value)
    if kind == "text":
        data = value.encode() if isinstance(value, str) else value
        return varint(len(data)) + data
    if kind == "struct":
        return value.encode()
    of, items = value
    code = {"i32": 5, "text": 8, "struct": 12}[of]
    head = bytes([len(items) << 4 | code]) if len(items) < 15 else bytes([0xF0 | code]) + varint(len(items))
    return head + b"".join(encode_thrift(of, item) for item in items)


# ---- Parquet: values --------------------------------------------------------------------------

PHYSICAL = {"bool": 0, "i32": 1, "i64": 2, "f32": 4, "f64": 5, "text": 6, "bytes": 6}
FORMATS = {"i32": "<i", "i64": "<q", "f32": "<f", "f64": "<d"}


def as_bytes(value):
    return value.encode() if isinstance(value, str) else value


def pack_bits(numbers, bits):
    """Numbers of a width, the low bits first."""
    held = sum(number << i * bits for i, number in enumerate(numbers))
    return held.to_bytes((len(numbers) * bits + 7) // 8, "little")


def hybrid(numbers, bits, runs):
    """Runs of equal numbers, or groups of eight."""
    out = bytearray()
    if runs:
        at = 0
        while at < len(numbers):
            end = at
            while end < len(numbers) and numbers[end] == numbers[at]:
                end += 1
            out += varint(end - at << 1) + numbers[at].to_bytes((bits + 7) // 8, "little")
            at = end
    elif numbers:
        padded = numbers + [0] * (-len(numbers) % 8)
        out += varint(len(padded) // 8 << 1 | 1) + pack_bits(padded, bits)
    return bytes(out)


def deltas(numbers, block=128, parts=4):
    out = varint(block) + varint(parts) + varint(len(numbers)) + zigzag(numbers[0] if numbers else 0)
    wrap = lambda number: (number + (1 << 63)) % (1 << 64) - (1 << 63)
    steps = [wrap(b - a) for a, b in zip(numbers, numbers[1:])]
    for at in range(0, len(steps), block):
        part = steps[at:at + block]
        least = min(part)
        above = [step - least for step in part]
        minis = [above[i:i + block // parts] for i in range(0, len(above), block // parts)]
        widths = [max(mini).bit_length() for mini in minis]
        out += zigzag(least) + bytes(widths) + bytes(parts - len(widths))
        for mini, width in zip(minis, widths):
            out += pack_bits(mini + [0] * (block // parts - len(mini)), width)
    return out


def encode_values(kind, encoding, values):
    if kind in ("text", "bytes"):
        values = [as_bytes(value) for value in values]
    if encoding == "PLAIN":
        if kind in ("text", "bytes"):
            return b"".join(struct.pack("<I", len(value)) + value for value in values)
        return pack_bits([int(value) for value in values], 1) if kind == "bool" else b"".join(struct.pack(FORMATS[kind], value) for value in values)
    if encoding == "RLE":
        data = hybrid([int(value) for value in values], 1, True)
        return struct.pack("<I", len(data)) + data
    if encoding == "DELTA_BINARY_PACKED":
        return deltas(values)
    if encoding == "DELTA_LENGTH_BYTE_ARRAY":
        return deltas([len(value) for value in values]) + b"".join(values)
    if encoding == "DELTA_BYTE_ARRAY":
        prefixes, rest, before = [], [], b""
        for value in values:
            shared = 0
            while shared < min(len(before), len(value)) and before[shared] == value[shared]:
                shared += 1
            prefixes.append(shared)
            rest.append(value[shared:])
            before = value
        return deltas(prefixes) + deltas([len(value) for value in rest]) + b"".join(rest)
    assert encoding == "BYTE_STREAM_SPLIT"
    packed = [struct.pack(FORMATS[kind], value) for value in values]
    return b"".join(bytes(item[i] for item in packed) for i in range(len(packed[0]) if packed else 0))


ENCODINGS = {"PLAIN": 0, "RLE": 3, "DELTA_BINARY_PACKED": 5, "DELTA_LENGTH_BYTE_ARRAY": 6, "DELTA_BYTE_ARRAY": 7, "DICTIONARY": 8, "BYTE_STREAM_SPLIT": 9}
CODECS = {"none": 0, "snappy": 1, "gzip": 2, "zstd": 6}


def snappy(data):
    """Literals alone."""
    out = varint(len(data))
    for at in range(0, len(data), 60):
        part = data[at:at + 60]
        out += bytes([len(part) - 1 << 2]) + part
    return out


def zstd(data):
    """A frame of raw blocks."""
    out = struct.pack("<IBQ", 0xFD2FB528, 0b11100000, len(data))
    parts = [data[at:at + 1000] for at in range(0, len(data), 1000)] or [b""]
    for i, part in enumerate(parts):
        out += (len(part) << 3 | (i == len(parts) - 1)).to_bytes(3, "little") + part
    return out


PACKERS = {"none": bytes, "snappy": snappy, "gzip": lambda data: gzip.compress(data, mtime=0), "zstd": zstd}

# ---- Parquet: a nested schema -----------------------------------------------------------------


def elements(name, kind):
    """The elements of the schema: three levels per list."""
    if isinstance(kind, str):
        converted = 0 if kind == "text" else None
        return [Thrift((1, "i32", PHYSICAL[kind]), (3, "i32", 1), (4, "text", name), (6, "i32", converted))]
    if kind[0] == "list":
        return [Thrift((3, "i32", 1), (4, "text", name), (5, "i32", 1), (6, "i32", 3)),
                Thrift((3, "i32", 2), (4, "text", "list"), (5, "i32", 1)), *elements("element", kind[1])]
    inner = [element for field in kind[1] for element in elements(*field)]
    return [Thrift((3, "i32", 1), (4, "text", name), (5, "i32", len(kind[1]))), *inner]


def leaves(name, kind, path=(), define=0, repeat=0):
    """(path, kind, the highest definition level, the highest repetition level) of each leaf."""
    path += (name,)
    if isinstance(kind, str):
        return [(path, kind, define + 1, repeat)]
    if kind[0] == "list":
        return leaves("element", kind[1], path + ("list",), define + 2, repeat + 1)
    return [leaf for field in kind[1] for leaf in leaves(*field, path, define + 1, repeat)]


def shred(kind, value, define, repeat, level, out):
    """Appends (repetition, definition, value) to each leaf's list in out, in order. level: that of this entry."""
    if isinstance(kind, str):
        next(out).append((level, define + (value is not None), value))
    elif kind[0] == "list":
        lists = [next(out) for _ in leaves("", kind)]
        if not value:
            for one in lists:
                one.append((level, define + (value is not None), None))
            return
        for i, item in enumerate(value):
            shred(kind[1], item, define + 2, repeat + 1, level if i == 0 else repeat + 1, iter(lists))
    else:
        for field, of in kind[1]:
            inner = [next(out) for _ in leaves(field, of)]
            if value is None:
                for one in inner:
                    one.append((level, define, None))
            else:
                shred(of, value[field], define + 1, repeat, level, iter(inner))


def page_of(kind, entries, most_define, most_repeat, codec, version, encoding, codes, runs):
    values = [value for _, define, value in entries if define == most_define]
    width = lambda most: most.bit_length()
    repeats = hybrid([entry[0] for entry in entries], width(most_repeat), runs) if most_repeat else b""
    defines = hybrid([entry[1] for entry in entries], width(most_define), runs) if most_define else b""
    if codes is not None:
        bits = max(len(codes) - 1, 0).bit_length()
        body = bytes([bits]) + hybrid([codes[value] for value in values], bits, runs)
    else:
        body = encode_values(kind, encoding, values)
    pack = PACKERS[codec]
    if version == 1:
        levels = b"".join(struct.pack("<I", len(part)) + part for part in ([repeats] if most_repeat else []) + ([defines] if most_define else []))
        plain = levels + body
        packed = pack(plain)
        head = Thrift((1, "i32", len(entries)), (2, "i32", ENCODINGS[encoding]), (3, "i32", 3), (4, "i32", 3))
        fields = [(5, "struct", head)]
        kind_of, size = 0, len(plain)
    else:
        packed = repeats + defines + pack(body)
        rows = sum(entry[0] == 0 for entry in entries)
        head = Thrift((1, "i32", len(entries)), (2, "i32", len(entries) - len(values)), (3, "i32", rows), (4, "i32", ENCODINGS[encoding]),
                      (5, "i32", len(defines)), (6, "i32", len(repeats)), (7, "bool", codec != "none"))
        fields = [(8, "struct", head)]
        kind_of, size = 3, len(repeats) + len(defines) + len(body)
    crc = zlib.crc32(packed)
    crc -= (crc >> 31) << 32
    return Thrift((1, "i32", kind_of), (2, "i32", size), (3, "i32", len(packed)), (4, "i32", crc), *fields).encode() + packed


def parquet(schema, rows, codec="none", version=1, encodings=None, page_entries=1000, group_rows=None, runs=False):
    """Returns a file. encodings: by the name of a leaf's path, joined by dots; "DICTIONARY" has codes."""
    out = bytearray(b"PAR1")
    groups = []
    for start in range(0, max(len(rows), 1), group_rows or max(len(rows), 1)):
        part = rows[start:start + (group_rows or len(rows))]
        chunks = []
        for name, kind in schema:
            shapes = leaves(name, kind)
            entries = [[] for _ in shapes]
            for row in part:
                shred(kind, row[name], 0, 0, 0, iter(entries))
            for (path, of, most_define, most_repeat), found in zip(shapes, entries):
                begin, codes, dictionary = len(out), None, None
                encoding = (encodings or {}).get(".".join(path), "PLAIN")
                if encoding == "DICTIONARY":
                    codes = {}
                    for _, define, value in found:
                        if define == most_define:
                            codes.setdefault(value, len(codes))
                    plain = encode_values(of, "PLAIN", list(codes))
                    packed = PACKERS[codec](plain)
                    dictionary = begin
                    out += Thrift((1, "i32", 2), (2, "i32", len(plain)), (3, "i32", len(packed)),
                                  (7, "struct", Thrift((1, "i32", len(codes)), (2, "i32", 0)))).encode() + packed
                data = len(out)
                for at in range(0, len(found), page_entries):
                    out += page_of(of, found[at:at + page_entries], most_define, most_repeat, codec, version, encoding, codes, runs)
                meta = Thrift((1, "i32", PHYSICAL[of]), (2, "list", ("i32", [ENCODINGS[encoding]])), (3, "list", ("text", list(path))),
                              (4, "i32", CODECS[codec]), (5, "i64", len(found)), (6, "i64", len(out) - begin), (7, "i64", len(out) - begin),
                              (9, "i64", data), (11, "i64", dictionary))
                chunks.append(Thrift((2, "i64", begin), (3, "struct", meta)))
        groups.append(Thrift((1, "list", ("struct", chunks)), (2, "i64", len(out)), (3, "i64", len(part))))
    tree = [Thrift((4, "text", "schema"), (5, "i32", len(schema)))] + [element for field in schema for element in elements(*field)]
    footer = Thrift((1, "i32", 2), (2, "list", ("struct", tree)), (3, "i64", len(rows)), (4, "list", ("struct", groups))).encode()
    return bytes(out) + footer + struct.pack("<I", len(footer)) + b"PAR1"


# ---- FlatBuffers ------------------------------------------------------------------------------


class Flat:
    """Builds a buffer from its end: a reference is the distance of its target from the end."""

    def __init__(self):
        self.data = b""

    def add(self, data, align):
        """Puts data in front, aligned."""
        self.data = data + bytes(-(len(self.data) + len(data)) % align) + self.data
        return len(self.data)

    def text(self, value):
        data = value.encode()
        return self.add(struct.pack("<I", len(data)) + data + b"\0", 4)

    def refs(self, targets):
        size = 4 + 4 * len(targets)
        pad = -(len(self.data) + size) % 4
        self.data = bytes(pad) + self.data
        end = len(self.data) + size
        return self.add(struct.pack("<I", len(targets)) + b"".join(struct.pack("<I", end - 4 - 4 * i - target) for i, target in enumerate(targets)), 4)

    def structs(self, items, size):
        body = b"".join(items)
        pad = -(len(self.data) + len(body)) % 8
        self.data = body + bytes(pad) + self.data
        return self.add(struct.pack("<I", len(items)), 4)

    def table(self, *fields):
        """fields: (slot, size, value), or (slot, "ref", target); in the order of their slots."""
        fields = [(slot, 4 if size == "ref" else size, value, size == "ref") for slot, size, value in fields if value is not None]
        order = sorted(fields, key=lambda field: -field[1])
        at, places = 4, {}
        for slot, size, _, _ in order:
            at += -at % size
            places[slot] = at
            at += size
        length = at + (-at % 8)
        self.data = bytes(-(len(self.data) + length) % 8) + self.data
        top = len(self.data) + length
        body = bytearray(length)
        for slot, size, value, is_ref in fields:
            number = top - places[slot] - value if is_ref else value
            body[places[slot]:places[slot] + size] = (number & (1 << 8 * size) - 1).to_bytes(size, "little")
        slots = max((slot for slot, *_ in fields), default=-1) + 1
        vtable = struct.pack("<HH", 4 + 2 * slots, length) + b"".join(struct.pack("<H", places.get(slot, 0)) for slot in range(slots))
        vtable += bytes(-len(vtable) % 8)
        body[:4] = struct.pack("<i", len(vtable))
        self.data = vtable + bytes(body) + self.data
        return top

    def finish(self, root):
        pad = -(len(self.data) + 4) % 8
        self.data = bytes(pad) + self.data
        return struct.pack("<I", len(self.data) + 4 - root) + self.data


# ---- Arrow ------------------------------------------------------------------------------------

ARROW = {"null": 1, "i32": 2, "i64": 2, "f32": 3, "f64": 3, "bytes": 4, "text": 5, "bool": 6, "list": 12, "struct": 13}


def arrow_field(flat, name, kind, ids):
    dictionary = None
    if kind[0] == "coded":
        ids.append(kind[1])
        index = flat.table((0, 4, 32), (1, 1, 1))
        dictionary = flat.table((0, 8, len(ids)), (1, "ref", index))
        kind = kind[1]
    tag = kind if isinstance(kind, str) else kind[0]
    inner = [] if isinstance(kind, str) else [("item", kind[1])] if tag == "list" else kind[1]
    children = flat.refs([arrow_field(flat, *field, ids) for field in inner])
    detail = {"i32": ((0, 4, 32), (1, 1, 1)), "i64": ((0, 4, 64), (1, 1, 1)), "f32": ((0, 2, 1),), "f64": ((0, 2, 2),)}.get(tag, ())
    of = flat.table(*detail)
    label = flat.text(name)
    return flat.table((0, "ref", label), (1, 1, 1), (2, 1, ARROW[tag]), (3, "ref", of), (4, "ref", dictionary), (5, "ref", children))


def message(head_type, make, body=b""):
    flat = Flat()
    head = make(flat)
    data = flat.finish(flat.table((0, 2, 4), (1, 1, head_type), (2, "ref", head), (3, 8, len(body))))
    return struct.pack("<II", 0xFFFFFFFF, len(data)) + data + body


def arrays(kind, values, nodes, buffers, dictionaries):
    """Appends the nodes and buffers of values, in preorder."""
    nodes.append((len(values), sum(value is None for value in values)))
    if kind == "null":
        return
    buffers.append(pack_bits([int(value is not None) for value in values], 1) if None in values else b"")
    if kind[0] == "coded":
        codes = dictionaries.setdefault(id(kind), {})
        buffers.append(b"".join(struct.pack("<i", 0 if value is None else codes.setdefault(value, len(codes))) for value in values))
    elif isinstance(kind, str) and kind in FORMATS:
        buffers.append(b"".join(struct.pack(FORMATS[kind], 0 if value is None else value) for value in values))
    elif kind == "bool":
        buffers.append(pack_bits([int(bool(value)) for value in values], 1))
    elif isinstance(kind, str):
        data = [b"" if value is None else as_bytes(value) for value in values]
        ends = [0]
        for item in data:
            ends.append(ends[-1] + len(item))
        buffers += [struct.pack(f"<{len(ends)}i", *ends), b"".join(data)]
    elif kind[0] == "list":
        ends = [0]
        for value in values:
            ends.append(ends[-1] + len(value or []))
        buffers.append(struct.pack(f"<{len(ends)}i", *ends))
        arrays(kind[1], [item for value in values for item in value or []], nodes, buffers, dictionaries)
    else:
        for name, of in kind[1]:
            arrays(of, [None if value is None else value[name] for value in values], nodes, buffers, dictionaries)


def batch_of(count, nodes, buffers, codec):
    """Returns the maker of a RecordBatch and its body."""
    body, places = b"", []
    for data in buffers:
        if codec == "zstd" and data:
            data = struct.pack("<q", len(data)) + zstd(data)
        places.append(struct.pack("<qq", len(body), len(data)))
        body += data + bytes(-len(data) % 8)

    def make(flat):
        compression = flat.table((0, 1, 1), (1, 1, 0)) if codec == "zstd" else None
        spans = flat.structs(places, 16)
        lengths = flat.structs([struct.pack("<qq", *node) for node in nodes], 16)
        return flat.table((0, 8, count), (1, "ref", lengths), (2, "ref", spans), (3, "ref", compression))
    return make, body


def arrow(schema, rows, codec="none", is_file=False, batch_rows=None):
    """Returns a stream, or a file without its footer's blocks: readers of streams of messages need none."""
    ids = []
    out = message(1, lambda flat: flat.table((1, "ref", flat.refs([arrow_field(flat, *field, ids) for field in schema]))))
    batches, dictionaries = [], {}
    for at in range(0, len(rows), batch_rows or max(len(rows), 1)):
        part = rows[at:at + (batch_rows or len(rows))]
        nodes, buffers = [], []
        for name, kind in schema:
            arrays(kind, [row[name] for row in part], nodes, buffers, dictionaries)
        make, body = batch_of(len(part), nodes, buffers, codec)
        batches.append(message(3, make, body))
    coded = [kind for _, kind in schema if kind[0] == "coded"]
    for i, kind in enumerate(coded, 1):
        nodes, buffers = [], []
        values = list(dictionaries.get(id(kind), {}))
        arrays(kind[1], values, nodes, buffers, dictionaries)
        make, body = batch_of(len(values), nodes, buffers, codec)
        out += message(2, lambda flat, i=i, make=make: flat.table((0, 8, i), (1, "ref", make(flat))), body)
    out += b"".join(batches) + struct.pack("<II", 0xFFFFFFFF, 0)
    return b"ARROW1\0\0" + out + b"ARROW1" if is_file else out
