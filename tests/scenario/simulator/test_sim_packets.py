"""The log is accurate: a run captured on loopback by tcpdump has the events of the log."""
import os
import signal
import socket
import struct
import subprocess
import time

import pytest
from host_tools import need
from sim_tools import Server, by_request, in_threads, read_log

STREAMS = 16
TOKENS = 40


def realtime_offset():
    """Returns realtime - monotonic in ns, from the tightest of many readings."""
    best = None
    for _ in range(200):
        before = time.monotonic_ns()
        real = time.time_ns()
        width = time.monotonic_ns() - before
        if best is None or width < best[0]:
            best = width, real - before - width // 2
    return best[1]


def read_packets(path):
    """Returns (monotonic ns, source port, destination port, payload, sequence number) of each TCP packet, in order."""
    data = path.read_bytes()
    assert struct.unpack_from("<I", data)[0] == 0xA1B23C4D, "no capture in nanoseconds"
    offset = realtime_offset()
    packets, at = [], 24
    while at + 16 <= len(data):
        seconds, nanoseconds, length, _ = struct.unpack_from("<IIII", data, at)
        frame = data[at + 16:at + 16 + length]
        if len(frame) < length:
            break  # being written
        at += 16 + length
        ip = frame[14:]
        tcp = ip[(ip[0] & 15) * 4:struct.unpack_from(">H", ip, 2)[0]]
        source, destination, sequence = struct.unpack_from(">HHI", tcp)
        packets.append((seconds * 10**9 + nanoseconds - offset, source, destination,
                        tcp[(tcp[12] >> 4) * 4:], sequence))
    return packets


class Capture:
    def __init__(self, port, path):
        need("tcpdump")
        self.port, self.path = port, path
        self.process = subprocess.Popen(
            ["tcpdump", "-i", "lo", "-w", str(path), "-U", "-s", "0", "-B", "65536", "--immediate-mode",
             "--time-stamp-precision=nano", "tcp", "port", str(port)],
            stderr=subprocess.PIPE, text=True)
        said = []
        for line in self.process.stderr:
            said.append(line)
            if "listening on" in line:
                return
        self.process.wait()
        pytest.skip("tcpdump cannot capture here: " + " ".join(said).strip())

    def stop(self, patience=30):
        """Packets are written in order: when a last one of ours is present, all are."""
        with socket.socket() as last:
            last.bind(("127.0.0.1", 0))
            source = last.getsockname()[1]
            assert last.connect_ex(("127.0.0.1", self.port)) != 0, "the server is still there"
        deadline = time.monotonic() + patience
        while not any(packet[1] == source for packet in read_packets(self.path)):
            assert time.monotonic() < deadline, "tcpdump does not write what it captured"
            time.sleep(0.05)
        self.process.send_signal(signal.SIGINT)
        rest = self.process.stderr.read()
        self.process.stderr.close()
        assert self.process.wait(timeout=30) == 0, rest
        assert "0 packets dropped by kernel" in rest, rest


def run_captured(bin_dir, folder):
    """Returns (packets, log by request, the server's port) of one run."""
    log, packets = folder / "log", folder / "packets"
    with Server(bin_dir, "--sim-step", "10ms", "--sim-log", log) as server:
        capture = Capture(server.port, packets)
        in_threads([lambda i=i: server.stream("/v1/completions", {
            "prompt": [i] * 8, "max_tokens": TOKENS, "ignore_eos": True,
            "stream_options": {"include_usage": True}}, {"x-request-id": f"r{i}"})
            for i in range(STREAMS)])
        assert server.stop() == 0
        capture.stop()
        return read_packets(packets), by_request(read_log(log)), server.port


def events_of(packets, client, port):
    """The server's packets with events of one connection: one packet, one chunk, one event.

    On a busy machine the acknowledgement comes late and the kernel sends a packet again
    (tail loss probe): the first of each sequence number is the one that counts.
    """
    first = {}
    for t, source, destination, payload, sequence in packets:
        if source == port and destination == client and payload:
            before = first.setdefault(sequence, (t, payload))[1]
            # resent, sometimes with the data after it
            assert payload.startswith(before) or before.startswith(payload)
    sent = list(first.values())
    assert sent[0][1].startswith(b"HTTP/1.1 200 OK\r\n")
    assert sent[-1][1].endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")
    return sent[1:-1]


def test_packets_match_the_log(bin_dir, tmp_path):
    packets, requests, port = run_captured(bin_dir, tmp_path)
    clients = {payload.split(b"x-request-id: ")[1].split(b"\r\n")[0].decode(): source
               for _, source, destination, payload, _ in packets
               if destination == port and b"x-request-id: " in payload}
    assert len(clients) == len(requests) == STREAMS
    pairs = []
    for request_id, lines in requests.items():
        tokens = lines[1:-1]
        events = events_of(packets, clients[request_id], port)
        assert len(events) == len(tokens) == TOKENS
        for line, (t_ns, payload) in zip(tokens, events):
            size, _, rest = payload.partition(b"\r\n")
            assert int(size, 16) == len(rest) - 2
            assert rest.startswith(b"data: {") and rest.count(b"data: ") == 1
            assert len(payload) == line["bytes"]
            pairs.append((line["t_ns"], t_ns))
    # the same order over all connections
    pairs.sort()
    assert [packet for _, packet in pairs] == sorted(packet for _, packet in pairs)
    late = sorted(packet - sent for sent, packet in pairs)
    # the stamp is taken before the send; the two clocks are joined to within 0.1 ms
    assert late[0] >= -100_000
    print(f"\nlog stamp to packet, {len(late)} events: p50 {late[len(late) // 2] / 1e3:.1f} us, "
          f"p99 {late[len(late) * 99 // 100] / 1e3:.1f} us, most {late[-1] / 1e3:.1f} us "
          f"({os.cpu_count()} cores)")
