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
STATE(HELD, FROM(PLANNED), "due, waits for max_concurrency")
STATE(CONNECT, FROM(PLANNED) | FROM(HELD) | FROM(SEND) | FROM(WAIT) | FROM(RETRY),
      "connect() called, no byte taken yet (or, with TLS, no handshake yet); from SEND and WAIT: "
      "the reused connection was dead")
STATE(SEND, FROM(PLANNED) | FROM(HELD) | FROM(CONNECT) | FROM(RETRY), "its bytes go out")
STATE(WAIT, FROM(SEND), "all bytes are out, none of an answer is in")
STATE(ANSWER, FROM(SEND) | FROM(WAIT), "bytes of an answer came")
STATE(RETRY, FROM(CONNECT) | FROM(SEND) | FROM(WAIT) | FROM(ANSWER),
      "a try failed, the next one is not due: in flight all the same")
STATE(COMPLETED, FROM(ANSWER), "the answer is whole and as it should be")
STATE(FAILED, FROM(CONNECT) | FROM(SEND) | FROM(WAIT) | FROM(ANSWER) | FROM(RETRY),
      "it is not; the record says why")

#undef STATE
