/*
 * The titles, in order, under which help, manual page and docs/reference/bench-serve.md list the
 * options of `bench serve` (.group of their rows). An option without a group is listed under the last.
 *
 * BENCH_GROUP(title)
 */
BENCH_GROUP("Server")
BENCH_GROUP("Dataset")
BENCH_GROUP("Dataset random")
BENCH_GROUP("Dataset hf")
BENCH_GROUP("Other datasets")
BENCH_GROUP("Traces")
BENCH_GROUP("Conversations")
BENCH_GROUP("Load")
BENCH_GROUP("Request bodies")
BENCH_GROUP("Metrics and files")
BENCH_GROUP("Run")
#undef BENCH_GROUP
