/*
 * All failures of commands: one row each for the shell, the HTTP API and the manual.
 *
 * ERR(name, exit, http, text)
 *   exit  the process's exit status (docs/reference/exit-status.md)
 *   http  the status of an API response
 *   text  its meaning, in lower case, without a period
 */
ERR(NONE,        0,   200, "no error")
ERR(FAILED,      1,   500, "run failed or partly failed")
ERR(INVALID,     2,   400, "invalid value, file or usage")
ERR(IO,          2,   500, "file or device cannot be used")
ERR(FULL,        2,   507, "no disk space left")
ERR(NOT_FOUND,   2,   404, "object does not exist")
ERR(LAUNCH,      3,   502, "server did not start")
ERR(TIMEOUT,     4,   504, "timed out")
ERR(BUSY,        5,   409, "resource in use")
ERR(VERDICT,     6,   422, "verdict not accepted")
ERR(REGRESSION,  7,   422, "regression found")
ERR(NOT_UPLOADED, 8,  502, "run completed, but its result was not uploaded")
ERR(NETWORK,     1,   502, "peer is unreachable or violated the protocol")
ERR(INTERRUPTED, 130, 503, "interrupted by a signal")
ERR(INTERNAL,    1,   500, "internal error")
