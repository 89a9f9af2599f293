#!/usr/bin/python3
"""A load generator in the manner of vLLM's: asyncio and aiohttp, one task per request, time stamps by its own thread.
tests/perf/run compares it with ours; it shares no code with any other client.

Prints one line of JSON with its cost and writes records {request_id, acted_ns, events: [t_ns, ...]}.


"""

import argparse
import asyncio
import codecs
import dataclasses
import gc
import json
import time
import traceback

import aiohttp


def clock_ns():
    # perf_counter is CLOCK_MONOTONIC here, as the simulator's log
    return time.perf_counter_ns()


def is_json(text):
    try:
        json.loads(text)
        return True
    except json.JSONDecodeError:
        return False


class EventSplitter:
    """Splits network reads into messages by the rules of vLLM 0.32's client: it strips each read, and emits the remainder
    at once if it is complete, which it finds out by parsing."""

    def __init__(self):
        self.decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self.rest = ""

    def feed(self, data):
        self.rest += self.decoder.decode(data)
        messages = []
        *whole, self.rest = self.rest.split("\n\n")
        for message in whole:
            message = message.strip()
            if message:
                messages.append(message)
        if self.rest.startswith("data: "):
            content = self.rest.removeprefix("data: ").strip()
            if content == "[DONE]" or (content and is_json(content)):
                messages.append(self.rest.strip())
                self.rest = ""
        return messages


@dataclasses.dataclass
class Output:
    request_id: str
    acted_ns: int = 0
    ttft: float = 0.0
    latency: float = 0.0
    text: str = ""
    usage: int = 0
    ok: bool = False
    error: str = ""
    itl: list = dataclasses.field(default_factory=list)
    events: list = dataclasses.field(default_factory=list)


async def one_request(session, url, body, number, bar):
    output = Output(f"perf-{number}")
    splitter = EventSplitter()
    headers = {"Authorization": "Bearer none", "x-request-id": output.request_id}
    previous = 0
    output.acted_ns = clock_ns()
    try:
        async with session.post(url=url, json=body, headers=headers) as answer:
            if answer.status != 200:
                output.error = answer.reason or ""
                return output
            async for data in answer.content.iter_any():
                data = data.strip()
                if not data:
                    continue
                for message in splitter.feed(data):
                    if message.startswith(":"):
                        continue
                    content = message.removeprefix("data: ")
                    if content == "[DONE]":
                        output.ok = True
                        continue
                    event = json.loads(content)
                    if choices := event.get("choices"):
                        now = clock_ns()
                        if not output.events:
                            output.ttft = (now - output.acted_ns) / 1e9
                        else:
                            output.itl.append((now - previous) / 1e9)
                        previous = now
                        output.events.append(now)
                        output.text += choices[0].get("text") or ""
                    elif usage := event.get("usage"):
                        output.usage = usage.get("completion_tokens")
            output.latency = (previous - output.acted_ns) / 1e9
    except Exception:  # as vLLM's: any failure is the request's
        output.error = traceback.format_exc()
    bar.count += 1
    return output


class Bar:
    count = 0


async def run(args):
    url = f"http://{args.host}:{args.port}/v1/completions"
    body = {
        "model": "perf",
        "prompt": list(range(1, 9)),
        "repetition_penalty": 1.0,
        "max_tokens": args.tokens,
        "logprobs": None,
        "stream": True,
        "stream_options": {"include_usage": True},
        "ignore_eos": True,
    }
    bar = Bar()
    connector = aiohttp.TCPConnector(limit=0, limit_per_host=0)
    timeout = aiohttp.ClientTimeout(total=6 * 3600)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
        gc.collect()
        gc.freeze()
        cpu = time.process_time()
        start = clock_ns()
        tasks = [
            asyncio.create_task(one_request(session, url, body, i, bar))
            for i in range(args.requests)
        ]
        records = await asyncio.gather(*tasks)
        duration = (clock_ns() - start) / 1e9
        cpu = time.process_time() - cpu
    return records, duration, cpu


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--requests", type=int, required=True)
    parser.add_argument("--tokens", type=int, required=True)
    parser.add_argument("--records")
    args = parser.parse_args()
    records, duration, cpu = asyncio.run(run(args))
    events = sum(len(r.events) for r in records)
    print(
        json.dumps(
            {
                "requests": args.requests,
                "completed": sum(r.ok for r in records),
                "events": events,
                "duration_s": duration,
                "cpu_us_per_event": cpu * 1e6 / max(events, 1),
                "cpu_share": cpu / duration,
            }
        )
    )
    if args.records:
        with open(args.records, "w", encoding="utf-8") as file:
            for record in records:
                kept = {k: getattr(record, k) for k in ("request_id", "acted_ns", "events")}
                file.write(json.dumps(kept) + "\n")


if __name__ == "__main__":
    main()
