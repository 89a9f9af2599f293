/*
 * Where the time of a request went: `results.latency_breakdown`.
 *
 * PART(id, key, title, text)   a part of a latency, in order of time; keys KEY_low_ms and KEY_high_ms
 * SERVER_LATENCY(id, key, title, text)   a histogram of the server
 * REASON(id, name, state, text)   why the parts are bounded, or not known: `reason`; text is a clause
 *   state   BOUNDED: the parts have limits; NONE: there are no parts
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef PART
#define PART(id, key, title, text)
#endif
#ifndef SERVER_LATENCY
#define SERVER_LATENCY(id, key, title, text)
#endif
#ifndef REASON
#define REASON(id, name, state, text)
#endif

PART(CLIENT, client, "Client", "sending in the load generator, with earlier attempts of the request")
PART(NETWORK, network, "Network", "connecting and transfer")
PART(FRONT_END, front_end, "Front end", "HTTP, tokenizing and detokenizing in the server, and its way to the engine and back")
PART(QUEUE, queue, "Engine queue", "waiting until the engine schedules the request")
PART(PREFILL, prefill, "Prefill", "from there to the first token")
PART(DECODE, decode, "Decode", "from the first to the last token")

SERVER_LATENCY(TTFT, ttft, "TTFT", "from the arrival in the front end to the first token there")
SERVER_LATENCY(E2EL, e2el, "E2EL", "from the arrival in the front end to the last token there")
SERVER_LATENCY(QUEUE, queue, "Queue", "wait in the queue of the engine")
SERVER_LATENCY(PREFILL, prefill, "Prefill", "from the first step to the first token")
SERVER_LATENCY(DECODE, decode, "Decode", "from the first to the last token")
SERVER_LATENCY(INFERENCE, inference, "Inference", "from the first step to the last token")

REASON(COUNTED_MORE, counted_more, BOUNDED, "the server counted more requests than completed here: of other clients, probes, failed attempts")
REASON(NO_REQUESTS, no_requests, NONE, "no request completed")
REASON(NO_PAGE, no_page, NONE, "/metrics could not be read before and after the run")
REASON(NO_HISTOGRAMS, no_histograms, NONE, "/metrics lacks the histograms of queue, prefill, decode or the latencies")
REASON(RESTARTED, restarted, NONE, "the server restarted during the run")
REASON(NOT_SETTLED, not_settled, NONE, "requests were still running or waiting when /metrics was read after the run")
REASON(CHOICES, choices, NONE, "the server counts each choice of a request as a request")
REASON(COUNTED_LESS, counted_less, NONE, "the server counted fewer requests than completed here")
REASON(CONTRADICTION, contradiction, NONE, "the server reports longer times than the client measured")

#undef PART
#undef SERVER_LATENCY
#undef REASON
