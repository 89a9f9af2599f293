/*
 * Faults that profllm-sim commits on demand: a row gives the field of struct sim_faults, the option,
 * its line in --help and its limits. docs/reference/simulator.md says what each does to a client.
 *
 * Faults by request count the requests that carry an x-request-id, in the order of their arrival.
 *
 * FAULT(kind, type, field, default, option, arg, min, max, help)
 */
FAULT(FAILURE_NAME, int64_t, fail_start, SIM_FAILURE_NONE, "sim-fail-start", "NAME", 0, 0,
      "fail the start with vLLM's message after --sim-start-delay")
FAULT(HUMAN, int64_t, crash_after, -1, "sim-crash-after", "N", 0, 1e15,
      "stop the engine with exit status 1 after N responses")
FAULT(SIGNAL_NAME, int64_t, crash_signal, 0, "sim-crash-signal", "NAME", 0, 0,
      "stop the engine with this signal (KILL, SEGV, ...) instead, without a message")
FAULT(HUMAN, int64_t, hang_after, -1, "sim-hang-after", "N", 0, 1e15,
      "stop generating after N responses; /health still succeeds")
FAULT(NUMBER, double, rates[SIM_FAULT_ERROR], 0, "sim-error-rate", "SHARE", 0, 1,
      "respond to this share of requests with an error")
FAULT(HUMAN, int64_t, error_status, 500, "sim-error-status", "CODE", 400, 599,
      "set the status of these errors (default 500)")
FAULT(HUMAN, int64_t, retry_after_s, -1, "sim-retry-after", "SECONDS", 0, 1e9,
      "send this retry-after with 429 and 503")
FAULT(NUMBER, double, rates[SIM_FAULT_RESET], 0, "sim-reset-rate", "SHARE", 0, 1,
      "reset the connection halfway in this share of responses")
FAULT(NUMBER, double, rates[SIM_FAULT_STALL], 0, "sim-stall-rate", "SHARE", 0, 1,
      "stop halfway and stay open in this share of responses")
FAULT(NUMBER, double, rates[SIM_FAULT_STREAM_ERROR], 0, "sim-stream-error-rate", "SHARE", 0, 1,
      "end this share of streams halfway with an error object after status 200")
FAULT(NUMBER, double, rates[SIM_FAULT_TRUNCATE], 0, "sim-truncate-rate", "SHARE", 0, 1,
      "end this share of responses halfway, without finish_reason and [DONE]")
FAULT(NUMBER, double, rates[SIM_FAULT_BAD_JSON], 0, "sim-bad-json-rate", "SHARE", 0, 1,
      "send an event that is not JSON in this share of responses")
FAULT(HUMAN, int64_t, wrong_usage, 0, "sim-wrong-usage", "N", -1e9, 1e9,
      "report N more completion tokens than were sent (fewer if negative)")
FAULT(SWITCH, bool, no_usage, false, "sim-no-usage", "", 0, 0, "never send usage")
FAULT(SWITCH, bool, no_finish, false, "sim-no-finish", "", 0, 0, "send finish_reason null")
FAULT(HUMAN, int64_t, merge_tokens, 1, "sim-merge", "N", 1, 1e6, "send N tokens per event")
FAULT(HUMAN, int64_t, merge_sends, 1, "sim-merge-sends", "N", 1, 4096, "send N events per send()")
FAULT(HUMAN, int64_t, cut_bytes, 0, "sim-cut", "BYTES", 1, 1e9,
      "split the output into pieces of BYTES")
FAULT(FORM_NAME, int64_t, event_form, SIM_FORM_PLAIN, "sim-event-form", "NAME", 0, 0,
      "write events in another form that the standard allows")
FAULT(DURATION, int64_t, unhealthy_ns, 0, "sim-unhealthy", "DURATION", 0, 1e18,
      "respond to /health with 503 for DURATION after the start")
FAULT(METRICS_NAME, int64_t, metrics, SIM_METRICS_GOOD, "sim-metrics-fault", "NAME", 0, 0,
      "make /metrics missing or malformed, or restart its counters at zero")
FAULT(HUMAN, int64_t, close_after, 0, "sim-close-after", "N", 1, 1e15,
      "close a connection without notice after N responses")

#undef FAULT
