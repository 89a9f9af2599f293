/*
 * Programs whose result files are read, in the order in which a file is tried.
 *
 * PRODUCER(ID, id, text)
 *   id    the `form` of such a result in the API and in the database; res_producer_id is its reader
 *         (result/producer.h)
 *   text  in the API's description of `form`
 * Undefined again at the end.
 */
#ifndef PRODUCER
#define PRODUCER(ID, id, text)
#endif

PRODUCER(CONSOLE,      console,      "the printed output of `vllm bench serve`, `latency` or `throughput`")
PRODUCER(LATENCY,      latency,      "a result of `vllm bench latency`")
PRODUCER(THROUGHPUT,   throughput,   "a result of `vllm bench throughput`")
PRODUCER(STARTUP,      startup,      "a result of `vllm bench startup`")
PRODUCER(MM_PROCESSOR, mm_processor, "a result of `vllm bench mm-processor`")
/* any other file: it says what is missing */
PRODUCER(FLAT,         flat,         "a result of `vllm bench serve`")

#undef PRODUCER
