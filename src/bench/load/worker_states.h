/*
 * The states of a request in a worker; only worker.c's req_set_state() changes them.
 *
 * STATE(name, from, meaning)
 *
 * Expands to nothing if the macro is not defined. It is undefined at the end.
 */
#ifndef STATE
#define STATE(name, from, text)
#endif

STATE(PLANNED, 0, "in the schedule, not due")
STATE(HELD, FROM(PLANNED), "due, waiting for max_concurrency")
STATE(CONNECT, FROM(PLANNED) | FROM(HELD) | FROM(SEND) | FROM(WAIT) | FROM(RETRY),
      "connect() called, no byte taken yet (or, with TLS, no handshake yet); from SEND and WAIT: "
      "the reused connection was dead")
STATE(SEND, FROM(PLANNED) | FROM(HELD) | FROM(CONNECT) | FROM(RETRY), "sending the request")
STATE(WAIT, FROM(SEND), "request sent, no byte of the response received")
STATE(ANSWER, FROM(SEND) | FROM(WAIT), "receiving the response")
STATE(RETRY, FROM(CONNECT) | FROM(SEND) | FROM(WAIT) | FROM(ANSWER),
      "a try failed and the next one is not due; still in flight")
STATE(COMPLETED, FROM(ANSWER), "received a complete and valid response")
STATE(FAILED, FROM(CONNECT) | FROM(SEND) | FROM(WAIT) | FROM(ANSWER) | FROM(RETRY),
      "failed; the record holds the reason")

#undef STATE
