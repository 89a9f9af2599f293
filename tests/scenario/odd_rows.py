"""

Responses of odd servers, and the facts about them. Each table is for one kind of request: streams of completions, of
chat, of responses, and complete responses. A row without `kind` is a successful request; it has 4 tokens by default.


"""
import gzip
import json
import zlib

from odd_server import (CHUNKED, CLOSE, DONE, HALF, LAST_CHUNK, RESET, Chat, Completions, Dribble, Pause, chunk,
                        event, good, head, length, stream, text_of, tokens, usage, whole)

BODY = b"".join(good())
HEAD = head("200 OK", "text/event-stream", CHUNKED)


class Row:
    """

    kind, says, status: of the failure; `says` is in its message. tokens: output_tokens, None for null. events: their
    number. text: the generated text.


    """

    def __init__(self, *steps, kind=None, says=None, status=200, tokens=4, events=4, finish="length", source=None,
                 text=None, prompt=None, http=None):
        self.steps = list(steps)
        self.kind, self.says, self.status, self.source, self.text = kind, says, status, source, text
        self.tokens, self.events, self.finish, self.prompt, self.http = tokens, events, finish, prompt, http


def failed(*steps, kind, says, status=200, **more):
    return Row(*steps, kind=kind, says=says, status=status,
               **{"tokens": ..., "events": ..., "finish": ..., **more})


def refused(line, body=b"", kind="application/json", *lines, says):
    """Returns a response with an error status; the next row finds the connection usable."""
    return failed(whole(body, line, kind, *lines), kind="http_status", says=says, status=int(line[:3]), events=0)


def broken(answer, says, status=None):
    """Returns malformed HTTP: the connection is closed."""
    return failed(answer, CLOSE, kind="protocol", says=says, status=status)


BIG = b"<html>" + b"x" * 1_000_000 + b"</html>"
SURPLUS = stream(*good(count=99))


def framing():
    body = BODY
    pieces = [chunk(part) for part in good()]
    plain = stream(*good())
    return {
        "chunked": Row(plain),
        "chunks-of-a-byte": Row(HEAD, b"".join(chunk(body[i:i + 1]) for i in range(len(body))), LAST_CHUNK),
        "one-chunk": Row(HEAD + chunk(body) + LAST_CHUNK),
        "chunk-extensions": Row(HEAD + b"".join(chunk(part, b';a=1;b="x;y"') for part in good()) + LAST_CHUNK),
        "chunk-size-forms": Row(HEAD + b"".join(b"%08X \t\r\n" % len(part) + part + b"\r\n" for part in good())
                                + b"000\r\n\r\n"),
        "trailers": Row(HEAD + b"".join(pieces) + b"0\r\nX-Sum: 1\r\nContent-Length: 7\r\n\r\n"),
        "http10-until-end": Row(head("200 OK", "text/event-stream", version="HTTP/1.0") + body, CLOSE),
        "http10-length-keep-alive": Row(head("200 OK", "text/event-stream", length(body), "Connection: keep-alive",
                                             version="HTTP/1.0") + body),
        "http10-length-no-keep-alive": Row(head("200 OK", "text/event-stream", length(body), version="HTTP/1.0")
                                           + body, CLOSE),
        "until-end": Row(head("200 OK", "text/event-stream") + body, CLOSE),
        "length": Row(head("200 OK", "text/event-stream", length(body)) + body),
        "connection-close": Row(stream(*good(), lines=(CHUNKED, "Connection: close")), CLOSE),
        "says-close-and-stays": Row(stream(*good(), lines=(CHUNKED, "Connection: Close"))),
        "half-close": Row(plain, HALF),
        "closes-behind-the-answer": Row(plain, CLOSE),
        "100-continue": Row(b"HTTP/1.1 100 Continue\r\n\r\n", Pause(0.002), plain),
        "103-early-hints": Row(head("103 Early Hints", None, "Link: </a>; rel=preload") * 3 + plain),
        "102-and-nothing": failed(b"HTTP/1.1 102 Processing\r\n\r\n", CLOSE, kind="reset", status=None,
                                  says="the connection ended before the response"),
        "101-switches": failed(head("101 Switching Protocols", None, "Upgrade: h2c", "Connection: upgrade")
                               + b"\0\0\0\4\0\0\0\0\0", kind="http_status", status=101, says="Switching Protocols"),
        "no-content-type": Row(head("200 OK", None, CHUNKED) + b"".join(pieces) + LAST_CHUNK),
        "content-type-in-capitals": Row(head("200 OK", "Text/Event-Stream ;charset=UTF-8", CHUNKED)
                                        + b"".join(pieces) + LAST_CHUNK),
        "no-reason": Row(plain.replace(b"200 OK", b"200", 1)),
        "empty-reason": Row(plain.replace(b"200 OK", b"200 ", 1)),
        "reason-in-latin-1": Row(plain.replace(b"200 OK", b"200 \xc4h", 1)),
        "bare-lf-head": Row(HEAD.replace(b"\r\n", b"\n") + b"".join(pieces) + LAST_CHUNK),
        # RFC 9112 5.2: a user agent takes such a fold for a blank
        "obs-fold": Row(head("200 OK", "text/event-stream;\r\n\tcharset=utf-8", "X-A: b\r\n  c", CHUNKED)
                        + b"".join(pieces) + LAST_CHUNK),
        "obs-fold-at-the-start": broken(head("200 OK", "text/event-stream", CHUNKED).replace(b"Server:", b" Server:"),
                                        "begins with a space or tab"),
        "header-of-60-kb": Row(head("200 OK", "text/event-stream", CHUNKED, "X-Long: " + "y" * 60000)
                               + b"".join(pieces) + LAST_CHUNK),
        "header-of-64-kb": broken(head("200 OK", "text/event-stream", CHUNKED, "X-Long: " + "y" * 70000),
                                  "the head is larger than 65536 bytes"),
        "headers-10000": broken(head("200 OK", "text/event-stream", CHUNKED, *["a:"] * 10000),
                                "more than 128 headers"),
        "header-without-colon": broken(head("200 OK", "text/event-stream", CHUNKED, "nonsense"), "has no colon"),
        "header-without-name": broken(head("200 OK", "text/event-stream", CHUNKED, ": x"), "is not a valid header name"),
        "blank-before-colon": broken(head("200 OK", "text/event-stream", "Transfer-Encoding : chunked"),
                                     "is not a valid header name"),
        "nul-in-head": broken(head("200 OK", "text/event-stream", CHUNKED, "X: a\0b"), "control byte 0x00"),
        "bare-cr-in-head": broken(head("200 OK", "text/event-stream", CHUNKED, "X: a\rb"), "control byte 0x0d"),
        "not-http": broken(b"220 mail.example ESMTP ready\r\n\r\n", "HTTP version is missing"),
        "http2-preface": broken(b"\0\0\x12\4\0\0\0\0\0", "begins with a control byte"),
        "http09": broken(b"data: hello\n\n", "HTTP version is missing"),
        "version-2": broken(head("200 OK", version="HTTP/2.0"), "HTTP version '2.0'"),
        "status-of-two-digits": broken(b"HTTP/1.1 20 OK\r\n\r\n", "malformed status"),
        "status-letters": broken(b"HTTP/1.1 2OO OK\r\n\r\n", "malformed status code"),
        "two-lengths": broken(head("200 OK", "text/event-stream", "Content-Length: 5", "Content-Length: 6") + body,
                              "two different values of content-length"),
        "two-equal-lengths": Row(head("200 OK", "text/event-stream", length(body), length(body)) + body),
        "length-and-chunked": broken(head("200 OK", "text/event-stream", length(body), CHUNKED) + body,
                                     "content-length and transfer-encoding together"),
        "length-negative": broken(head("200 OK", "text/event-stream", "Content-Length: -1") + body,
                                  "invalid content-length '-1'"),
        "length-beyond-int64": broken(head("200 OK", "text/event-stream", "Content-Length: 18446744073709551617")
                                      + body, "invalid content-length '18446744073709551617'"),
        "length-empty": broken(head("200 OK", "text/event-stream", "Content-Length: ") + body, "invalid content-length ''"),
        "length-huge-done": Row(head("200 OK", "text/event-stream", "Content-Length: 9223372036854775807") + body,
                                CLOSE),
        "length-too-long-done": Row(head("200 OK", "text/event-stream", f"Content-Length: {len(body) + 9}") + body,
                                    CLOSE),
        "length-too-long": failed(head("200 OK", "text/event-stream", f"Content-Length: {len(body)}")
                                  + b"".join(tokens(4)), CLOSE, kind="truncated", says="ended during the response",
                                  events=4),
        # the finish reason and the end by HTTP show that it is complete; what follows belongs to no response
        "length-too-short": Row(head("200 OK", "text/event-stream", length(b"".join(tokens(4)))) + body),
        "length-zero": failed(head("200 OK", "text/event-stream", "Content-Length: 0"), kind="truncated",
                              says="without its closing event", events=0),
        "chunk-size-negative": broken(HEAD + b"-5\r\nhello\r\n", "chunk", 200),
        "chunk-size-huge": broken(HEAD + b"fffffffffffffffff\r\nhello\r\n", "the size of a chunk is out of range", 200),
        "chunk-size-letters": broken(HEAD + b"xyz\r\n", "chunk", 200),
        "chunk-longer-than-said": broken(HEAD + b"3\r\nhello\r\n", "a chunk is longer than its size", 200),
        "transfer-gzip": broken(head("200 OK", "text/event-stream", "Transfer-Encoding: gzip, chunked"),
                                "unsupported transfer-encoding 'gzip, chunked'"),
        "chunked-in-http10": broken(head("200 OK", "text/event-stream", CHUNKED, version="HTTP/1.0"),
                                    "transfer-encoding in HTTP/1.0"),
        "surplus-answer": Row(plain + SURPLUS),
        "surplus-bytes": Row(head("200 OK", "text/event-stream", length(body)) + body + b"\r\n\r\n"),
        "surplus-behind-an-error": failed(whole({"detail": "no"}, "503 Service Unavailable") + SURPLUS,
                                          kind="http_status", says="no", status=503),
        "next-is-untouched": Row(plain),
    }


def ends():
    pieces = [chunk(part) for part in good()]
    first = HEAD + pieces[0] + pieces[1]
    return {
        "closes-at-once": failed(CLOSE, kind="reset", says="closed the connection", status=None, events=0),
        "closes-within-the-head": failed(HEAD[:40], CLOSE, kind="reset", says="ended before the response", status=None),
        "closes-behind-the-head": failed(HEAD, CLOSE, kind="truncated", says="ended during the response", events=0),
        "closes-within-a-size": failed(first + b"1", CLOSE, kind="truncated", says="ended during the response",
                                       events=2),
        "closes-within-an-event": failed(first + pieces[2][:40], CLOSE, kind="truncated",
                                         says="ended during the response", events=2),
        "closes-behind-done": Row(HEAD + b"".join(pieces), CLOSE),
        "closes-within-the-last-chunk": Row(HEAD + b"".join(pieces) + b"0\r\n", CLOSE),
        "closes-before-done": failed(HEAD + b"".join(pieces[:-1]), CLOSE, kind="truncated",
                                     says="ended during the response", events=4),
        "resets-at-once": failed(RESET, kind="reset", says="reset", status=None, events=0),
        "resets-within-the-head": failed(HEAD[:40], Pause(0.02), RESET, kind="reset", says="reset", status=None),
        "resets-behind-the-head": failed(HEAD, Pause(0.02), RESET, kind="reset", says="reset", events=0),
        "resets-within-an-event": failed(first + pieces[2][:40], Pause(0.02), RESET, kind="reset", says="reset",
                                         events=2),
        # all of it has arrived: the way in which the connection ends has no effect
        "resets-behind-done": Row(HEAD + b"".join(pieces), Pause(0.02), RESET),
        "resets-behind-the-answer": Row(stream(*good()), RESET),
        "half-close-within-the-answer": failed(first, HALF, kind="truncated", says="ended during the response",
                                               events=2),
        "a-byte-a-millisecond": Row(Dribble(stream(*good()))),
        "until-end-without-done": Row(head("200 OK", "text/event-stream") + b"".join(tokens(4)), CLOSE),
        "until-end-without-finish": failed(head("200 OK", "text/event-stream") + b"".join(tokens(4)[:3]), CLOSE,
                                           kind="truncated", says="without its closing event"),
    }


def statuses():
    message = "the batch is full"
    inner = {"error": {"message": message, "type": "x", "code": 1}}
    packed = gzip.compress(text_of(inner))
    rows = {
        "204": failed(head("204 No Content", None), kind="http_status", says="No Content", status=204),
        "205": refused("205 Reset Content", says="Reset Content"),
        "206": refused("206 Partial Content", BODY, "text/event-stream", says="data: "),
        "300": refused("300 Multiple Choices", says="Multiple Choices"),
        "304": failed(head("304 Not Modified", None), kind="http_status", says="Not Modified", status=304),
        "418": refused("418 I'm a teapot", says="418"),
        "599": refused("599 Odd", says="599"),
        "error-text": refused("400 Bad Request", {"error": message}, says=message),
        "error-old": refused("400 Bad Request", {"object": "error", "message": message, "code": 40303}, says=message),
        "error-detail": refused("422 Unprocessable Entity", {"detail": message}, says=message),
        "error-detail-list": refused("422 Unprocessable Entity",
                                     {"detail": [{"loc": ["body", "prompt"], "msg": "field required"}]},
                                     says="field required"),
        "error-detail-object": refused("500 Internal Server Error", {"detail": {"message": message}}, says=message),
        "error-errors": refused("400 Bad Request", {"errors": [{"message": message}]}, says=message),
        "error-null": refused("500 Internal Server Error", {"error": None}, says="null"),
        "error-empty-object": refused("500 Internal Server Error", {}, says="{}"),
        "error-list": refused("500 Internal Server Error", [1, 2], says="[1, 2]"),
        "error-as-event": refused("503 Service Unavailable", event(inner), "text/event-stream", says=message),
        "error-html": refused("502 Bad Gateway", b"<html><h1>502 Bad Gateway</h1>nginx</html>", "text/html",
                              says="nginx"),
        "error-blank": refused("502 Bad Gateway", b" \r\n", "text/plain", says="Bad Gateway"),
        "error-no-utf8": refused("500 Internal Server Error", b"\xff\xfe kaput", "text/plain", says="kaput"),
        "error-nul": refused("500 Internal Server Error", b"\0\0kaput", "application/octet-stream", says="kaput"),
        "error-escaped-nul": refused("500 Internal Server Error", b'{"error":{"message":"\\u0000kaput"}}',
                                     says="kaput"),
        "error-mb": refused("500 Internal Server Error", BIG, "text/html", says="<html>xxx"),
        "error-mb-json": refused("500 Internal Server Error", {"error": {"message": message, "trace": "x" * 10**6}},
                                 says=message),
        "error-message-of-a-mb": refused("500 Internal Server Error", {"error": {"message": message + "x" * 10**6}},
                                         says=message + "xxx"),
        "error-gzip": refused("500 Internal Server Error", packed, "application/json", "Content-Encoding: gzip",
                              says="Internal Server Error"),
        "error-chunked-cut": failed(head("500 Internal Server Error", "application/json", CHUNKED)
                                    + chunk(text_of(inner)), CLOSE, kind="http_status", says=message, status=500),
        "error-until-end": failed(head("500 Internal Server Error", "application/json") + text_of(inner), CLOSE,
                                  kind="http_status", says=message, status=500),
    }
    for line in ("401 Unauthorized", "403 Forbidden", "404 Not Found", "413 Content Too Large",
                 "422 Unprocessable Entity", "429 Too Many Requests", "500 Internal Server Error",
                 "502 Bad Gateway", "503 Service Unavailable", "529 Overloaded"):
        code = line[:3]
        rows[code + "-json"] = refused(line, inner, says=message)
        rows[code + "-html"] = refused(line, b"<!doctype html>" + line.encode(), "text/html", says=line)
        rows[code + "-empty"] = refused(line, says=line[4:] if code != "529" else "529")
        rows[code + "-mb"] = refused(line, BIG, "text/html", says="<html>xxx")
    for code in ("301", "302", "303", "307", "308"):
        rows[code] = refused(f"{code} Elsewhere", b"<html>moved</html>", "text/html",
                             "Location: https://elsewhere.example/v1", says="https://elsewhere.example/v1")
    rows["307-without-location"] = refused("307 Temporary Redirect", says="Temporary Redirect")
    for name, data in (("gzip", gzip.compress(BODY)), ("deflate", zlib.compress(BODY)), ("br", b"\x0b\x02\x80x\x03")):
        rows[name] = failed(head("200 OK", "text/event-stream", length(data), f"Content-Encoding: {name}") + data,
                            kind="protocol", says=f"found '{name}'")
    rows["encoding-identity"] = Row(head("200 OK", "text/event-stream", length(BODY), "Content-Encoding: identity")
                                    + BODY)
    rows["encoding-empty"] = Row(head("200 OK", "text/event-stream", length(BODY), "Content-Encoding: ") + BODY)
    return rows


def one(*events, **expected):
    return Row(stream(*events), **expected)


def events_of_streams():
    body = BODY
    four = tokens(4)
    end = [event(usage(4)), DONE]

    def raw(data, **expected):
        return Row(head("200 OK", "text/event-stream", length(data)) + data, **expected)

    return {
        "bom": raw(b"\xef\xbb\xbf" + body),
        "crlf": raw(body.replace(b"\n", b"\r\n")),
        "cr": raw(body.replace(b"\n", b"\r")),
        "mixed-line-ends": raw(b"".join(part.replace(b"\n", [b"\n", b"\r", b"\r\n"][i % 3])
                                        for i, part in enumerate(good()))),
        "no-blank": raw(body.replace(b"data: ", b"data:")),
        "two-blanks": raw(body.replace(b"data: ", b"data:  ")),
        "comments-between": raw(b": ping\n\n" + b": ping\n\n".join(good()) + b":\n"),
        "comments-within": raw(b"".join(b": ping\n" + part for part in good())),
        "fields": raw(b"".join(b"event: message\nid: 7\nretry: 10\nfoo: bar\nfoo\n" + part for part in good())),
        "data-in-lines": raw(b"".join(b"data: " + b"\ndata: ".join(json.dumps(value, indent=1).encode().split(b"\n"))
                                      + b"\n\n" for value in (
                                          *[Completions.token(f" t{i}", finish="stop" if i == 3 else None)
                                            for i in range(4)], usage(4))) + DONE, finish="stop"),
        "blank-lines": raw(body.replace(b"\n\n", b"\n\n\n\n\n")),
        "data-empty": raw(b"data:\n\n" + body),
        "data-null": raw(b"data: null\n\n" + body),
        "ping-object": raw(b'data: {"type": "ping"}\n\n' + body),
        "ping-event": raw(b"event: ping\ndata: 2026-11-27T15:00:00Z\n\n" + body),
        "comments-only": failed(stream(b": ping\n\n" * 5), kind="truncated", says="without its closing event", events=0),
        "done-only": failed(stream(DONE), kind="no_output", says="no event with output", events=0),
        "usage-and-done-only": failed(stream(event(usage(4)), DONE), kind="no_output", says="no event with output",
                                      events=0),
        "done-twice": one(*four, *end, DONE),
        "data-behind-done": one(*four, *end, *four, event(usage(400))),
        "nonsense-behind-done": one(*four, *end, event(b"{oops")),
        "done-without-end-of-line": one(*four, event(usage(4)), b"data: [DONE]"),
        "invalid-utf8": failed(stream(four[0], event(b'{"choices":[{"index":0,"text":"\xff"}]}'), *four, *end),
                               kind="protocol", says="violates the protocol", events=1),
        "invalid-utf8-in-the-message": failed(stream(event(b"\xff\xfe\0\x01 kaput")), kind="protocol", says="kaput"),
        "lone-surrogate": one(event(b'{"choices":[{"index":0,"text":"\\ud83d","finish_reason":null}]}'), *four[1:],
                              *end, text="� t1 t2 t3"),
        "surrogates-in-two-events": one(event(b'{"choices":[{"index":0,"text":"\\ud83d","finish_reason":null}]}'),
                                        event(b'{"choices":[{"index":0,"text":"\\ude00","finish_reason":null}]}'),
                                        *four[2:], *end, text="😀 t2 t3"),
        "nul-in-text": one(event(Completions.token("a\0b")), *four[1:], *end, text="a�b t1 t2 t3"),
        "escapes-in-text": one(event(b'{"choices":[{"index":0,"text":"\\"\\\\u0000\\n"}]}'), *four[1:], *end,
                               text='"\\u0000\n t1 t2 t3'),
        "token-of-a-mb": one(event(Completions.token("x" * 1_000_000)), *four[1:], *end),
        "choices-10000": one(event({"choices": [Completions.token(index=i, finish="length")["choices"][0]
                                                for i in range(10000)]}), event(usage(40000)), DONE,
                             events=1, tokens=40000),
        "nested-60": one(event(Completions.token(more=json.loads("[" * 60 + "]" * 60))), *four[1:], *end),
        "nested-1000": failed(stream(event(b'{"choices":[],"x":' + b"[" * 1000 + b"]" * 1000 + b"}"), *four, *end),
                              kind="protocol", says="violates the protocol"),
        "same-key-twice": one(event(b'{"choices":[{"index":0,"index":0,"text":"x","text":" t0"}],"id":1,"id":2}'),
                              *four[1:], *end, text=" t0 t1 t2 t3"),
        "numbers-beyond": one(event(b'{"created":1e999,"x":-0.0E-9999,"choices":[{"index":0,"text":"","logprobs":'
                                    b'null,"finish_reason":null}]}'), *four[1:], *end),
        "number-leading-zero": failed(stream(event(b'{"created":01,"choices":[]}'), *four, *end), kind="protocol",
                                      says="violates the protocol"),
        "nan": failed(stream(event(b'{"created":NaN,"choices":[]}'), *four, *end), kind="protocol",
                      says="violates the protocol"),
        "not-json": failed(stream(*four[:2], event(b"{oops"), *end), kind="protocol", says="{oops", events=2),
        "two-values": failed(stream(*four[:2], event(b"{} {}"), *end), kind="protocol", says="{} {}", events=2),
        "a-list": failed(stream(event([1]), *end), kind="protocol", says="[1]", events=0),
        "choices-no-list": failed(stream(event({"choices": 1}), *end), kind="protocol", says="choices", events=0),
        "choice-no-object": failed(stream(event({"choices": [1]}), *end), kind="protocol", says="choices", events=0),
        "choices-null": one(event({"choices": None}), *four, *end),
        "no-choices-key": one(event({"id": "x"}), *four, *end),
        "index-beyond": failed(stream(event(b'{"choices":[{"index":1e999,"text":"x"}]}'), *four, *end),
                               kind="protocol", says="index"),
        "index-null": one(event({"choices": [{"index": None, "text": "x"}]}), *four[1:], *end),
        "no-index": one(*[event({"choices": [{"text": "x", "finish_reason": "stop" if i == 3 else None}]})
                          for i in range(4)], *end, finish="stop"),
        "text-null": one(event(Completions.token(None)), *four[1:], *end, text=" t1 t2 t3"),
        "text-empty": one(*[event(Completions.token("", finish="stop" if i == 3 else None)) for i in range(4)], *end,
                          finish="stop", text=""),
        "text-number": one(event(Completions.token(5)), *four[1:], *end),
    }


def usages():
    four = tokens(4)

    def row_of(value):
        return event({"choices": [], "usage": value})

    def unbelieved(value):
        """The usage is ignored: one event is one token."""
        return one(*four, row_of({"prompt_tokens": value, "completion_tokens": value}), DONE, source="events")

    return {
        "usage": one(*four, event(usage(9, 5)), DONE, tokens=9, prompt=5, source="usage"),
        "usage-none": one(*four, DONE, source="events"),
        "usage-null": one(*four, row_of(None), DONE, source="events"),
        "usage-empty": one(*four, row_of({}), DONE, source="events"),
        "usage-negative": unbelieved(-1),
        "usage-fraction": unbelieved(4.5),
        "usage-exponent": unbelieved(1e300),
        "usage-huge": unbelieved(9223372036854775807),
        "usage-beyond-int64": unbelieved(9223372036854775808),
        "usage-beyond-any-answer": unbelieved(1 << 40),
        "usage-text": unbelieved("4"),
        "usage-counts-null": unbelieved(None),
        "usage-counts-lists": unbelieved([4]),
        "usage-is-a-text": one(*four, row_of("4"), DONE, source="events"),
        "usage-before": one(event(usage(9)), *four, DONE, tokens=9, source="usage"),
        "usage-between": one(*four[:2], event(usage(9)), *four[2:], DONE, tokens=9, source="usage"),
        "usage-twice": one(*four, event(usage(8)), event(usage(9)), DONE, tokens=9),
        "usage-then-nonsense": one(*four, event(usage(8)), row_of({"completion_tokens": -1}), DONE, tokens=8),
        "usage-behind-done": one(*four, DONE, event(usage(9)), source="events"),
        "usage-in-each": one(*[event(Completions.token(finish="stop" if i == 3 else None,
                                                       usage={"prompt_tokens": 3, "completion_tokens": 2 * i + 2}))
                               for i in range(4)], DONE, tokens=8, finish="stop", source="usage"),
        "usage-in-the-last": one(*four[:3], event(Completions.token(finish="stop", usage={"completion_tokens": 7})),
                                 DONE, tokens=7, finish="stop", source="usage"),
        # of all choices, since they are in the event
        "usage-with-two-choices": one(
            event({"choices": [Completions.token(index=i)["choices"][0] for i in (0, 1)]}),
            event({"choices": [Completions.token(index=i, finish="stop")["choices"][0] for i in (0, 1)],
                   "usage": {"completion_tokens": 8}}), DONE, events=2, tokens=8, finish="stop", source="usage"),
        # only the last event of two choices reports usage, so it covers both
        "usage-in-the-last-of-two": one(
            event(Completions.token(index=0)), event(Completions.token(index=1)),
            event(Completions.token(index=0, finish="stop")),
            event(Completions.token(index=1, finish="stop", usage={"completion_tokens": 8})), DONE, tokens=8,
            finish="stop", source="usage"),
        "usage-in-each-of-two": one(*[event(Completions.token(index=i, finish="stop" if k else None,
                                                              usage={"completion_tokens": 3 * k + 1}))
                                      for k in (0, 1) for i in (0, 1)], DONE, tokens=8, finish="stop"),
        "usage-shrinks": one(*[event(Completions.token(finish="stop" if i == 3 else None,
                                                       usage={"completion_tokens": 4 - i})) for i in range(4)],
                             event(usage(4)), DONE, finish="stop", source="usage"),
        "token-ids": one(*[event({"choices": [{"index": 0, "text": "x", "token_ids": [5, 6],
                                               "finish_reason": "stop" if i == 3 else None}]}) for i in range(4)],
                         DONE, tokens=8, finish="stop", source="ids"),
        "finish-unknown": one(*four[:3], event(Completions.token(finish="weird")), *good()[4:], finish="weird"),
        "finish-long": one(*four[:3], event(Completions.token(finish="w" * 100)), *good()[4:], finish="other"),
        # words of vLLM's for answers that it gave up
        "finish-abort": failed(stream(*four[:3], event(Completions.token(finish="abort")), *good()[4:]),
                               kind="truncated", says="finish_reason 'abort'", events=4, tokens=4),
        "finish-error": failed(stream(*four[:3], event(Completions.token(finish="error")), *good()[4:]),
                               kind="stream_error", says="finish_reason 'error'", events=4, tokens=4),
        # a server that never names a reason: [DONE] and the count of the whole answer say that it is all
        "finish-absent": one(*four[:3], event(usage(3)), DONE, tokens=3, events=3, finish=None, text=" t0 t1 t2"),
        "finish-absent-uncounted": failed(stream(*four[:3], DONE), kind="truncated", says="without a finish reason",
                                          events=3),
        "finish-absent-no-done": failed(stream(*four[:3], event(usage(3))), kind="truncated",
                                        says="without its closing event", events=3),
        "finish-absent-running-count": one(
            *[event(Completions.token(usage={"completion_tokens": i + 1})) for i in range(3)], DONE, events=3, tokens=3,
            finish=None),
        "finish-absent-no-count": failed(stream(*[event(Completions.token())] * 3, DONE), kind="truncated",
                                         says="without a finish reason", events=3),
        "finish-absent-all-at-once": one(event(Completions.token(usage={"completion_tokens": 4})), DONE, events=1,
                                         finish=None),
        "finish-absent-running-count-closed": one(
            *[event(Completions.token(usage={"completion_tokens": i + 1})) for i in range(4)], *good()[4:],
            finish=None),
        "finish-absent-of-two": one(*[event(Completions.token(index=i)) for i in (0, 1, 1, 0)], *good()[4:],
                                    finish=None),
        "finish-empty-until-the-last": one(*[event(Completions.token(finish="stop" if i == 3 else ""))
                                             for i in range(4)], *good()[4:], finish="stop"),
        "finish-always-empty": one(*[event(Completions.token(finish=""))] * 4, *good()[4:], finish=None),
        "finish-twice": one(*four[:3], event(Completions.token(finish="stop")), event({"choices": [
            {"index": 0, "text": "", "finish_reason": "length"}]}), *good()[4:], events=5),
        "finish-in-an-event-of-its-own": one(*[event(Completions.token())] * 4,
                                             event(Completions.token("", finish="stop")), *good()[4:], events=5,
                                             finish="stop"),
        "index-1-first": one(event(Completions.token("b", index=1)), event(Completions.token("a", index=0)),
                             event(Completions.token("B", index=1, finish="stop")),
                             event(Completions.token("A", index=0, finish="length")), *good()[4:]),
        "one-of-two-never-ends": failed(stream(event(Completions.token(index=1)), *four, *good()[4:]),
                                        kind="truncated", says="without a finish reason"),
    }


def errors_in_streams():
    two = tokens(2)[:1] * 2
    message = "the engine died"

    def row_of(value, says=message, **more):
        return failed(stream(*two, value if isinstance(value, bytes) else event(value), DONE), kind="stream_error",
                      says=says, events=2, **more)

    return {
        "error-object": row_of({"error": {"message": message, "type": "x", "code": 500}}),
        "error-text": row_of({"error": message}),
        "error-old": row_of({"object": "error", "message": message, "code": 50001}),
        "error-old-message-first": row_of({"message": message, "code": 50001, "object": "error"}),
        "error-detail": row_of({"detail": message}),
        "error-without-object": row_of({"message": message, "code": 500, "type": "x"}),
        "error-event": row_of(b"event: error\ndata: {\"message\": \"" + message.encode() + b"\"}\n\n"),
        "error-with-choices": row_of({"choices": [], "error": {"message": message}}),
        "error-without-message": row_of({"error": {"code": 500, "type": "server_error"}}, says="server_error"),
        "error-number": row_of({"error": 500}, says="500"),
        "error-true": row_of({"error": True}, says="true"),
        "error-nested": row_of({"error": {"error": {"message": message}}}),
        "error-long": row_of({"error": {"message": message + "x" * 100000}}, says=message + "xxx"),
        "error-no-ascii": row_of({"error": {"message": "ä\n" * 1000}}, says="ä\nä"),
        "error-then-nothing": failed(stream(*two, event({"error": {"message": message}})), CLOSE,
                                     kind="stream_error", says=message, events=2),
        "error-as-whole-body": failed(whole({"error": {"message": message}}), kind="protocol", says=message,
                                      events=0),
        "error-null": one(*tokens(3)[:2], event({"error": None}), *tokens(2), *good()[4:]),
        "error-null-in-each": one(*[event(Completions.token(error=None, finish="stop" if i == 3 else None))
                                    for i in range(4)], *good()[4:], finish="stop"),
        "error-empty": one(*[event(Completions.token(error=value, finish="stop" if i == 3 else None))
                             for i, value in enumerate(["", {}, False, 0])], *good()[4:], finish="stop"),
        # a message in addition to the response is not a failure if it ends well
        "message-beside": one(event({"message": "in the queue"}), *tokens(4), *good()[4:]),
        "html": failed(whole(b"<html>please log in</html>", "200 OK", "text/html"), kind="protocol",
                       says="'text/html', expected an event stream: <html>please log in", events=0),
        "html-mb": failed(whole(BIG, "200 OK", "text/html"), kind="protocol", says="'text/html', expected an event stream",
                          events=0),
        "html-for-ever": failed(head("200 OK", "text/html") + b"<html>" + b"y" * 10000, Pause(0.5), CLOSE,
                                kind="protocol", says="'text/html', expected an event stream: <html>yyy"),
        "html-empty": failed(whole(b"", "200 OK", "text/html"), kind="protocol",
                             says="'text/html', expected an event stream", events=0),
        "whole-answer": failed(whole({"choices": [{"text": "x", "finish_reason": "stop"}], "usage": usage(4)}),
                               kind="protocol", says="'application/json', expected an event stream", events=0),
    }


def chat():
    four = tokens(4, Chat)
    end = good(Chat)[4:]

    def first(delta, **expected):
        return one(event(Chat.token(delta)), *four[1:], *end, **expected)

    def alone(delta, flags, count):
        """Without usage, so that the events are counted; `flags` of the first."""
        row = one(event(Chat.token(delta)), *four[1:], DONE, source="events", tokens=count)
        row.flags = flags
        return row

    return {
        "chat": one(*four, *end, text=" t0 t1 t2 t3"),
        "role-first": one(event(Chat.token({"role": "assistant", "content": ""})), *four, *end, events=5),
        "role-first-null": one(event(Chat.token({"role": "assistant", "content": None})), *four, *end, events=5),
        "role-only-no-token": alone({"role": "assistant"}, 0, 3),
        "role-and-content": alone({"role": "assistant", "content": "x"}, 2, 4),
        "content": alone({"content": "x"}, 2, 4),
        "tool-calls": alone({"tool_calls": [{"index": 0, "function": {"arguments": "{"}}]}, 2, 4),
        "role-and-tool-calls": alone({"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]}, 2, 4),
        "tool-calls-of-nothing": alone({"tool_calls": [{"index": 0, "function": {"arguments": ""}}]}, 0, 3),
        "function-call": alone({"function_call": {"name": "f"}}, 2, 4),
        "reasoning-content": alone({"reasoning_content": "x"}, 2, 4),
        "role-and-reasoning": alone({"role": "assistant", "reasoning": "x"}, 2, 4),
        "refusal": alone({"refusal": "I will not"}, 2, 4),
        "role-and-refusal": alone({"role": "assistant", "content": None, "refusal": "I will not"}, 2, 4),
        "role-and-null-refusal": alone({"role": "assistant", "content": "", "refusal": None}, 0, 3),
        "audio": alone({"audio": {"id": "a", "data": "UklGRg=="}}, 2, 4),
        "role-and-audio": alone({"role": "assistant", "audio": {"data": "UklGRg=="}}, 2, 4),
        "content-parts": alone({"content": [{"type": "text", "text": "x"}]}, 2, 4),
        "role-and-content-parts": alone({"role": "assistant", "content": [{"type": "text", "text": "x"}]}, 2, 4),
        "content-null": first({"content": None}),
        "delta-empty": first({}),
        "delta-null": one(event({"choices": [{"index": 0, "delta": None}]}), *four[1:], *end),
        "no-delta": one(event({"choices": [{"index": 0}]}), *four[1:], *end),
        "choices-empty": one(event({"choices": []}), *four, event({"choices": []}), *end),
        "index-1-first": one(*[event(Chat.token("x", index=i, finish=finish)) for i, finish in
                               ((1, None), (0, None), (1, "stop"), (0, "length"))], *end),
        "lone-surrogate": first({"content": "\ud800"}, text="� t1 t2 t3"),
        "message-in-a-stream": one(event({"choices": [{"index": 0, "message": {"content": "x"}}]}), *four[1:], *end),
    }


def typed_event(kind, **more):
    return event({"type": kind, **more})


def responses():
    deltas = [typed_event("response.output_text.delta", delta=f" t{i}") for i in range(4)]
    usage_of = {"input_tokens": 3, "output_tokens": 4}
    completed = typed_event("response.completed", response={"status": "completed", "usage": usage_of})
    message = "the engine died"

    def named(*events):
        """Adds the event fields that vLLM and OpenAI send."""
        return [b"event: " + json.loads(part[6:])["type"].encode() + b"\n" + part for part in events]

    return {
        "responses": one(*named(typed_event("response.created", response={"status": "in_progress"}), *deltas, completed),
                         finish="stop", prompt=3, source="usage", text=" t0 t1 t2 t3"),
        "with-done": one(*deltas, completed, DONE, finish="stop"),
        "created-last": one(*deltas, typed_event("response.in_progress", response={}), typed_event("response.created"), completed,
                            finish="stop"),
        "done-before-deltas": one(typed_event("response.output_item.done", item={"text": "x"}), *deltas, completed,
                                  finish="stop"),
        "text-done-repeats": one(*deltas, typed_event("response.output_text.done", text=" t0 t1 t2 t3"), completed,
                                 finish="stop"),
        "incomplete": one(*deltas, typed_event("response.incomplete", response={"usage": usage_of}), finish="length"),
        "completed-first": failed(stream(completed, *deltas), kind="no_output", says="no event with output", events=0),
        "deltas-behind-completed": one(*deltas, completed, *deltas, finish="stop"),
        "completed-twice": one(*deltas, completed, completed, finish="stop"),
        "no-end": failed(stream(*deltas), kind="truncated", says="without its closing event", events=4),
        "no-end-but-done": failed(stream(*deltas, DONE), kind="truncated", says="without its closing event", events=4),
        "failed": failed(stream(*deltas, typed_event("response.failed", response={"error": {"message": message}})),
                         kind="stream_error", says=message, events=4),
        "failed-without-why": failed(stream(*deltas, typed_event("response.failed", response={"status": "failed"})),
                                     kind="stream_error", says="response.failed", events=4),
        "error": failed(stream(*deltas, typed_event("error", message=message, code="x")), kind="stream_error", says=message,
                        events=4),
        "error-object": failed(stream(*deltas, typed_event("error", error={"message": message})), kind="stream_error",
                               says=message, events=4),
        "error-without-type": failed(stream(*deltas, event({"error": {"message": message}})), kind="stream_error",
                                     says=message, events=4),
        "error-null": one(typed_event("response.created", response={"error": None}), *deltas, completed, finish="stop"),
        "reasoning": one(*[typed_event("response.reasoning_text.delta", delta="hm")] * 2, *deltas[:2], completed,
                         finish="stop", text=" t0 t1"),
        "usage-none": one(*deltas, typed_event("response.completed", response={}), source="events", finish="stop"),
        "usage-huge": one(*deltas, typed_event("response.completed", response={"usage": {"output_tokens": 1 << 62}}),
                          source="events", finish="stop"),
        "type-last": one(*[event({"delta": "x", "type": "response.output_text.delta"})] * 4, completed, finish="stop"),
        "type-number": one(event({"type": 5, "delta": "x"}), *deltas, completed, finish="stop"),
        "delta-null": one(typed_event("response.output_text.delta", delta=None), *deltas[1:], completed, finish="stop",
                          text=" t1 t2 t3"),
    }


def in_one_piece():
    answer = {"id": "x", "choices": [{"index": 0, "text": "abc", "finish_reason": "length"}],
              "usage": {"prompt_tokens": 3, "completion_tokens": 4}}
    data = text_of(answer)
    packed = gzip.compress(data)

    def good_one(*steps, **expected):
        return Row(*steps, events=0, **expected)

    def bad(*steps, kind, says, **more):
        return failed(*steps, kind=kind, says=says, events=0, **more)

    return {
        "whole": good_one(whole(answer), text="abc", prompt=3),
        "whole-chunked": good_one(head("200 OK", "application/json", CHUNKED)
                                  + b"".join(chunk(data[i:i + 3]) for i in range(0, len(data), 3)) + LAST_CHUNK),
        "whole-until-end": good_one(head("200 OK", "application/json") + data, CLOSE),
        "whole-http10": good_one(head("200 OK", "application/json", version="HTTP/1.0") + data, CLOSE),
        "whole-no-type": good_one(head("200 OK", None, length(data)) + data),
        "whole-two-choices": good_one(whole({**answer, "choices": [
            {"index": i, "text": "abc", "finish_reason": "length"} for i in (1, 0)]})),
        "whole-stream": bad(stream(*good()), kind="protocol", says="expected a single response"),
        "whole-html": bad(whole(b"<html>please log in</html>", "200 OK", "text/html"), kind="protocol",
                          says="<html>please log in"),
        "whole-gzip": bad(head("200 OK", "application/json", length(packed), "Content-Encoding: gzip") + packed,
                          kind="protocol", says="found 'gzip'"),
        "whole-cut": bad(head("200 OK", "application/json", length(data)) + data[:30], CLOSE, kind="truncated",
                         says="ended during the response"),
        "whole-cut-until-end": bad(head("200 OK", "application/json") + data[:30], CLOSE, kind="protocol",
                                   says="violates the protocol"),
        "whole-reset": bad(head("200 OK", "application/json", length(data)) + data[:30], Pause(0.02), RESET,
                           kind="reset", says="reset"),
        "whole-empty": bad(whole(b""), kind="protocol", says="violates the protocol"),
        "whole-error": bad(whole({"error": {"message": "kaput"}}), kind="stream_error", says="kaput"),
        "whole-error-old": bad(whole({"object": "error", "message": "kaput"}), kind="stream_error", says="kaput"),
        "whole-detail": bad(whole({"detail": "kaput"}), kind="stream_error", says="kaput"),
        "whole-no-choices": bad(whole({"choices": []}), kind="no_output", says="output"),
        "whole-no-finish": bad(whole({"choices": [{"index": 0, "text": "abc"}]}), kind="truncated",
                               says="without a finish reason"),
        "whole-no-finish-counted": good_one(whole({**answer, "choices": [{"index": 0, "text": "abc"}]}), finish=None),
        "whole-500": bad(whole({"error": {"message": "kaput"}}, "500 Internal Server Error"), kind="http_status",
                         says="kaput", status=500),
        "whole-surplus": good_one(whole(answer) + whole(answer)),
        "whole-next": good_one(whole(answer)),
        "whole-usage-huge": good_one(whole({**answer, "usage": {"completion_tokens": 1 << 62}}), tokens=...),
        "whole-nul": good_one(whole({**answer, "choices": [{"index": 0, "text": "a\0b", "finish_reason": "length"}]}),
                              text="a�b"),
    }


TABLES = {
    "framing": (Completions.backend, framing()),
    "ends": (Completions.backend, ends()),
    "statuses": (Completions.backend, statuses()),
    "events": (Completions.backend, events_of_streams()),
    "usages": (Completions.backend, usages()),
    "errors": (Completions.backend, errors_in_streams()),
    "chat": (Chat.backend, chat()),
    "responses": ("openai-responses", responses()),
    "one-piece": (Completions.backend, in_one_piece()),
}
