/*
 * The columns of GET /api/data/experiments/{id}/requests, in the order of its rows and of its CSV file.
 *
 * COLUMN(id, type, unit, title, text)
 *   type    NUMBER, COUNT (a whole number) or TEXT
 *   unit    "": none
 *   title   of the column in the web UI
 *   text    what it is; a time that does not exist is null
 * CURVE(id)  the columns with a percentile curve, and itl_ms: the gaps of all requests
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef COLUMN
#define COLUMN(id, type, unit, title, text)
#endif
#ifndef CURVE
#define CURVE(id)
#endif

COLUMN(index, COUNT, "", "#", "place in the plan, from 0")
COLUMN(status, TEXT, "", "Status", "completed, failed or not_sent")
COLUMN(start_s, NUMBER, "s", "Start", "when the client connected, or sent on an open connection, after the start of the run")
COLUMN(end_s, NUMBER, "s", "End", "when the response was complete or the request failed, after the start of the run")
COLUMN(duration_ms, NUMBER, "ms", "Duration", "end minus start, also of a failed request")
COLUMN(client_queue_ms, NUMBER, "ms", "Client queue", "wait for max_concurrency before the start")
COLUMN(send_ms, NUMBER, "ms", "Send", "start to the last byte of the request, with connecting")
COLUMN(headers_ms, NUMBER, "ms", "Headers", "start to the first byte of the response")
COLUMN(ttft_ms, NUMBER, "ms", "TTFT", "start to the first chunk")
COLUMN(first_token_ms, NUMBER, "ms", "First token", "start to the first event with text, reasoning, a tool call or token ids")
COLUMN(tpot_ms, NUMBER, "ms", "TPOT", "mean time per token after the first chunk; above one token")
COLUMN(max_itl_ms, NUMBER, "ms", "Longest gap", "longest gap between two chunks")
COLUMN(e2el_ms, NUMBER, "ms", "E2EL", "start to the last chunk; of a completed request")
COLUMN(server_queue_ms, NUMBER, "ms", "Server queue", "wait in the queue, as the server reported it")
COLUMN(server_ttft_ms, NUMBER, "ms", "Server TTFT", "time to the first token, as the server reported it")
COLUMN(server_decode_ms, NUMBER, "ms", "Server decode", "first to last token, as the server reported it")
COLUMN(prompt_tokens, COUNT, "tok", "Prompt", "prompt tokens, from usage, or else as requested")
COLUMN(cached_tokens, COUNT, "tok", "Cached", "prompt tokens in the prefix cache, as the server reported it")
COLUMN(output_tokens, COUNT, "tok", "Output", "output tokens")
COLUMN(chunks, COUNT, "", "Chunks", "chunks of the response")
COLUMN(tries, COUNT, "", "Attempts", "attempts; the times are those of the last one, but the start is that of the first")
COLUMN(session, COUNT, "", "Session", "session of the request, from 1")
COLUMN(turn, COUNT, "", "Turn", "place in the session, from 0")
COLUMN(finish_reason, TEXT, "", "Finish reason", "why the server ended the output")
COLUMN(http_status, COUNT, "", "HTTP status", "of the response")
COLUMN(error, TEXT, "", "Error", "why the request failed: a kind of docs/reference/result-file.md")
COLUMN(error_message, TEXT, "", "Message", "message of the error, at most 1,000 bytes")
COLUMN(request_id, TEXT, "", "Request ID", "as sent in x-request-id")

CURVE(ttft_ms)
CURVE(tpot_ms)
CURVE(e2el_ms)

#undef COLUMN
#undef CURVE
