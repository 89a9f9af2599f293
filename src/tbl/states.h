/*
 * What can become of a run, of one request, and of a check: the words that stand in result files.
 *
 * STATUS(id, name, exit, results, error, text)   the result's `status`
 *   exit      exit status of `run` where nothing worse happened (INTERRUPTED: 128 + signal)
 *   results   ALWAYS: `results` is an object; NEVER: it is null; MAYBE: either
 *   error     the same of `error`
 * STAGE(id, name, text)                  how far the experiment had come: `error.stage`
 * CAUSE(id, name, text)                  the cause of a failed experiment: `error.cause`
 * ARTIFACT(id, name, text)               what a side file is: `artifacts[].kind`
 * SOURCE(id, name, text)                 what a line of the series file was read from: `source`
 * FAILURE(name, text)                    why one request failed: `error.kind` of its record
 * TOKENS(id, name, text)                 where a record's token count comes from
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef STATUS
#define STATUS(id, name, exit, results, error, text)
#endif
#ifndef STAGE
#define STAGE(id, name, text)
#endif
#ifndef CAUSE
#define CAUSE(id, name, text)
#endif
#ifndef ARTIFACT
#define ARTIFACT(id, name, text)
#endif
#ifndef SOURCE
#define SOURCE(id, name, text)
#endif
#ifndef FAILURE
#define FAILURE(name, text)
#endif
#ifndef TOKENS
#define TOKENS(id, name, text)
#endif

STATUS(COMPLETED,     completed,     0,   ALWAYS, NEVER,  "all requests were sent; failures stay within max_error_share")
STATUS(PARTIAL,       partial,       1,   ALWAYS, MAYBE,  "more than max_error_share of the requests failed")
STATUS(FAILED,        failed,        1,   MAYBE,  ALWAYS, "nothing finished, or the server died during the run")
STATUS(LAUNCH_FAILED, launch_failed, 3,   NEVER,  ALWAYS, "the server died before it was ready, or ready_timeout passed")
STATUS(TIMEOUT,       timeout,       4,   MAYBE,  ALWAYS, "run_timeout or stall_timeout passed")
STATUS(INTERRUPTED,   interrupted,   130, MAYBE,  ALWAYS, "ended by a signal")

STAGE(PREPARE, prepare, "prompts, tokenizer, schedule")
STAGE(LAUNCH,  launch,  "from the start of the server to its first answer")
STAGE(WARMUP,  warmup,  "ready request and warm-ups")
STAGE(MEASURE, measure, "the measured run")
STAGE(STOP,    stop,    "end of the server, side files")

CAUSE(OUT_OF_MEMORY,    out_of_memory,    "the GPU's or the host's memory did not suffice")
CAUSE(INVALID_ARGUMENT, invalid_argument, "the server refused an argument or a combination")
CAUSE(PORT_IN_USE,      port_in_use,      "another process holds the port")
CAUSE(MODEL_NOT_FOUND,  model_not_found,  "the model is not there or may not be read")
CAUSE(NO_GPU,           no_gpu,           "the server found no GPU that it can use")
CAUSE(NOT_EXECUTABLE,   not_executable,   "the command of launch.command cannot be started")
CAUSE(NOT_READY,        not_ready,        "ready_timeout passed while the server lived")
CAUSE(UNREACHABLE,      unreachable,      "the server of launch.url does not answer")
CAUSE(CRASHED,          crashed,          "the server ended by itself")
CAUSE(ALL_FAILED,       all_failed,       "no request finished")
CAUSE(STALLED,          stalled,          "stall_timeout passed")
CAUSE(RUN_TIMEOUT,      run_timeout,      "run_timeout passed")
CAUSE(SIGNAL,           signal,           "a signal asked for the end")
CAUSE(INTERNAL,         internal,         "a fault of this program or its host")

ARTIFACT(REQUESTS,   requests,   "one record a request")
ARTIFACT(SERIES,     series,     "telemetry")
ARTIFACT(SERVER_LOG, server_log, "what the server wrote")
ARTIFACT(TRACE,      trace,      "a profiler's trace")
ARTIFACT(CAPTURE,    capture,    "bytes on the wire")

SOURCE(LOAD,   load,   "the load generator's own counters")
SOURCE(CLIENT, client, "this process")
SOURCE(HOST,   host,   "the whole host")
SOURCE(GPU,    gpu,    "one GPU")
SOURCE(SERVER, server, "the server's /metrics")

FAILURE(connect,      "no connection could be made")
FAILURE(send,         "the request could not be sent whole")
FAILURE(reset,        "the connection broke before the answer was whole")
FAILURE(http_status,  "the server answered with an error status")
FAILURE(protocol,     "the answer is not HTTP, not an event stream or not JSON as it should be")
FAILURE(stream_error, "the stream carried an error object")
FAILURE(truncated,    "the answer ended without its last part")
FAILURE(no_output,    "the answer is whole and holds no output")
FAILURE(timeout,      "request_timeout passed")
FAILURE(stalled,      "the run ended by stall_timeout while the request was open")
FAILURE(abandoned,    "the run ended while the request was open")
FAILURE(not_sent,     "the run ended before the request was sent")
FAILURE(unknown,      "no reason was kept")

TOKENS(NONE,      none,      "no tokens")
TOKENS(USAGE,     usage,     "the server's usage")
TOKENS(IDS,       ids,       "token ids in the events")
TOKENS(TOKENIZER, tokenizer, "text, counted afterwards")
TOKENS(EVENTS,    events,    "one event counted as one token")

#undef STATUS
#undef STAGE
#undef CAUSE
#undef ARTIFACT
#undef SOURCE
#undef FAILURE
#undef TOKENS
