/*
 * Faults that profllm-sim commits on demand: a row gives the field of struct sim_faults, the option,
 * its line in --help and its limits. docs/reference/simulator.md says what each does to a client.
 *
 * Faults by request count the requests that carry an x-request-id, in the order of their arrival.
 *
 * FAULT(kind, type, field, default, option, arg, min, max, help)
 */
FAULT(FAILURE_NAME, int64_t, fail_start, SIM_FAILURE_NONE, "sim-fail-start", "NAME", 0, 0,
      "the start fails, in vLLM's words, when --sim-start-delay is over")
FAULT(HUMAN, int64_t, crash_after, -1, "sim-crash-after", "N", 0, 1e15,
      "the engine dies once N requests are answered: exit status 1")
FAULT(SIGNAL_NAME, int64_t, crash_signal, 0, "sim-crash-signal", "NAME", 0, 0,
      "that death is by this signal (KILL, SEGV, ...), without a word")
FAULT(HUMAN, int64_t, hang_after, -1, "sim-hang-after", "N", 0, 1e15,
      "the engine stands still once N requests are answered; /health stays well")
FAULT(NUMBER, double, rates[SIM_FAULT_ERROR], 0, "sim-error-rate", "SHARE", 0, 1,
      "share of requests answered with an error")
FAULT(HUMAN, int64_t, error_status, 500, "sim-error-status", "CODE", 400, 599,
      "status of these errors (default 500)")
FAULT(HUMAN, int64_t, retry_after_s, -1, "sim-retry-after", "SECONDS", 0, 1e9,
      "answers of 429 and 503 carry this retry-after")
FAULT(NUMBER, double, rates[SIM_FAULT_RESET], 0, "sim-reset-rate", "SHARE", 0, 1,
      "share of answers whose connection is reset halfway")
FAULT(NUMBER, double, rates[SIM_FAULT_STALL], 0, "sim-stall-rate", "SHARE", 0, 1,
      "share of answers that stop halfway and stay open")
FAULT(NUMBER, double, rates[SIM_FAULT_STREAM_ERROR], 0, "sim-stream-error-rate", "SHARE", 0, 1,
      "share of streams that end halfway with an error object behind their 200")
FAULT(NUMBER, double, rates[SIM_FAULT_TRUNCATE], 0, "sim-truncate-rate", "SHARE", 0, 1,
      "share of answers that end halfway, without finish_reason and [DONE]")
FAULT(NUMBER, double, rates[SIM_FAULT_BAD_JSON], 0, "sim-bad-json-rate", "SHARE", 0, 1,
      "share of answers with an event that is no JSON")
FAULT(HUMAN, int64_t, wrong_usage, 0, "sim-wrong-usage", "N", -1e9, 1e9,
      "usage says N completion tokens more than there are (less, if negative)")
FAULT(SWITCH, bool, no_usage, false, "sim-no-usage", "", 0, 0, "usage is never sent")
FAULT(SWITCH, bool, no_finish, false, "sim-no-finish", "", 0, 0, "finish_reason is always null")
FAULT(HUMAN, int64_t, merge_tokens, 1, "sim-merge", "N", 1, 1e6, "N tokens in one event")
FAULT(HUMAN, int64_t, merge_sends, 1, "sim-merge-sends", "N", 1, 4096, "N events in one send()")
FAULT(HUMAN, int64_t, cut_bytes, 0, "sim-cut", "BYTES", 1, 1e9,
      "what is sent is cut into pieces of so many bytes")
FAULT(FORM_NAME, int64_t, event_form, SIM_FORM_PLAIN, "sim-event-form", "NAME", 0, 0,
      "another way to write events, as good by the standard")
FAULT(DURATION, int64_t, unhealthy_ns, 0, "sim-unhealthy", "DURATION", 0, 1e18,
      "/health answers 503 for so long behind the start")
FAULT(METRICS_NAME, int64_t, metrics, SIM_METRICS_GOOD, "sim-metrics-fault", "NAME", 0, 0,
      "/metrics is not there, is no metrics text, or begins anew")
FAULT(HUMAN, int64_t, close_after, 0, "sim-close-after", "N", 1, 1e15,
      "a connection is closed, unannounced, behind N answers")

#undef FAULT
