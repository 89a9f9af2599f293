"""Reads pictures back: the data of a timeline's page, and the pixels of a PNG."""
import base64
import html.parser
import json
import re
import struct
import zlib

import numpy as np


class Page(html.parser.HTMLParser):
    """Parses a timeline's page as a browser does."""

    def __init__(self, path):
        super().__init__()
        self.text = path.read_text(encoding="utf-8")
        self.tags, self.attributes, self.parts, self.open = [], [], {}, []
        self.feed(self.text)
        self.close()
        self.about = json.loads(self.parts["about"])
        self.rows = self._decode(base64.b64decode(self.parts["events"], validate=True))

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.open.append(dict(attrs).get("id") or tag)
        if tag in ("meta", "link", "br"):
            self.open.pop()

    def handle_endtag(self, tag):
        self.open.pop()

    def handle_data(self, data):
        if self.open:
            name = self.open[-1]
            self.parts[name] = self.parts.get(name, "") + data

    def _decode(self, data):
        numbers, value, shift = [], 0, 0
        for byte in data:
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                numbers.append(value)
                value = shift = 0
        assert shift == 0
        feed, errors, rows = iter(numbers), iter(self.about["errors"]), []
        for _ in range(self.about["requests"]):
            state, start, length, prompt, output, count = (next(feed) for _ in range(6))
            rows.append({"state": state, "start": start, "length": length, "prompt": prompt - 1,
                         "output": output - 1, "gaps": [next(feed) for _ in range(count)],
                         "error": next(errors) if state else ""})
        assert next(feed, None) is None and next(errors, None) is None
        assert sum(len(row["gaps"]) for row in rows) == self.about["events"]
        return rows


def _paeth(line, above, channels):
    row = [0] * channels + line.tolist()
    over = [0] * channels + above.tolist()
    for x in range(channels, len(row)):
        a, b, c = row[x - channels], over[x], over[x - channels]
        pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
        best = a if pa <= pb and pa <= pc else b if pb <= pc else c
        row[x] = (row[x] + best) & 255
    return np.array(row[channels:], dtype=np.uint8)


def _average(line, above, channels):
    row, over = [0] * channels + line.tolist(), above.tolist()
    for x in range(channels, len(row)):
        row[x] = (row[x] + (row[x - channels] + over[x - channels]) // 2) & 255
    return np.array(row[channels:], dtype=np.uint8)


def read_png(path):
    """Returns an array of height x width x 3."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, head = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    width, height = head[:2]
    assert head[2:] == (8, 2, 0, 0, 0), "8 bits of red, green and blue, not interlaced"
    raw = np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(height, 1 + 3 * width)
    pixels, above = np.zeros((height, 3 * width), dtype=np.uint8), np.zeros(3 * width, dtype=np.uint8)
    for y in range(height):
        how, line = raw[y, 0], raw[y, 1:]
        if how == 1:
            line = np.cumsum(line.reshape(width, 3), axis=0, dtype=np.uint8).reshape(-1)
        elif how == 2:
            line = line + above
        elif how == 3:
            line = _average(line, above, 3)
        elif how == 4:
            line = _paeth(line, above, 3)
        pixels[y] = above = line
    return pixels.reshape(height, width, 3)


def columns_of(pixels, colour):
    """Returns for each column how many of its pixels have the color 0xRRGGBB."""
    wanted = np.array([colour >> 16, colour >> 8 & 255, colour & 255], dtype=np.uint8)
    return (pixels == wanted).all(axis=2).sum(axis=0)


def loads_from_elsewhere(page):
    """Returns everything that would make a browser send a request to another host."""
    found = re.findall(r"(?:https?:)?//[a-z0-9]+\.[a-z]", page.text)
    return found + [value for name, value in page.attributes
                    if name in ("src", "href", "srcset", "action") and not (value or "").startswith("data:")]
