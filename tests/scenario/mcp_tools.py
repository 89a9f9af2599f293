"""A client of `profllm mcp`."""
import json
import os
import select
import subprocess

from run_tools import PATIENCE, command, environment

META = "io.modelcontextprotocol/"
MODERN = {"_meta": {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {},
                    META + "clientInfo": {"name": "test", "version": "1"}}}
TIMEOUT_S = 60 * PATIENCE


class Client:
    """Starts a server. Answers are checked to be one JSON-RPC message per line."""

    def __init__(self, bin_dir, *args, version="2025-11-25", env=None, program=None):
        words = command(bin_dir, "mcp", *args)
        self.process = subprocess.Popen([str(program), *words[1:]] if program else words, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(env))
        self.number, self.notes, self.rest, self.calls = 0, [], b"", 0
        if version:
            self.hello = self.ask("initialize", {"protocolVersion": version, "capabilities": {},
                                                 "clientInfo": {"name": "test", "version": "1"}})["result"]
            self.tell("notifications/initialized")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()

    def end(self):
        """Closes the input. Returns the exit status."""
        self.process.stdin.close()
        return self.process.wait(timeout=TIMEOUT_S)

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **message):
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def tell(self, method, **params):
        self.send(method=method, **({"params": params} if params else {}))

    def read(self, timeout=TIMEOUT_S):
        """Returns the next message; None: there is none in time, or the server has ended."""
        while b"\n" not in self.rest:
            if not select.select([self.process.stdout], [], [], timeout)[0]:
                return None
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            if not data:
                return None
            self.rest += data
        line, _, self.rest = self.rest.partition(b"\n")
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0", message
        assert ("result" in message) + ("error" in message) + ("method" in message) == 1, message
        return message

    def answer(self, number):
        while True:
            message = self.read()
            assert message is not None, self.process.stderr.read().decode() if self.process.poll() is not None else "no answer"
            if message.get("id") == number:
                return message
            self.notes.append(message)

    def begin(self, method, params=None):
        self.number += 1
        self.send(id=self.number, method=method, **({} if params is None else {"params": params}))
        return self.number

    def ask(self, method, params=None):
        return self.answer(self.begin(method, params))

    def begin_call(self, tool, token=None, **arguments):
        self.calls += 1
        return self.begin("tools/call", {"name": tool, "arguments": arguments, **({"_meta": {"progressToken": token}} if token else {})})

    def call(self, tool, **arguments):
        """Returns the structured answer of a call that succeeds."""
        result = self.answer(self.begin_call(tool, **arguments))["result"]
        assert not result["isError"], result["content"][0]["text"]
        text, = result["content"]
        assert json.loads(text["text"]) == result["structuredContent"]
        return result["structuredContent"]

    def fault(self, tool, **arguments):
        """Returns the text of a call that fails."""
        result = self.answer(self.begin_call(tool, **arguments))["result"]
        assert result["isError"] and "structuredContent" not in result, result
        return result["content"][0]["text"]
