/*
 * Artifacts that a run writes next to its result, named after it: "r.json" has "r.requests.jsonl.zst".
 *
 * SIDE_FILE(member, suffix, what)
 *   member  of struct run_paths (run/paths.h)
 *   suffix  takes the place of ".json"
 *   what    description
 * Undefined again at the end. A suffix that ends like another one comes before it.
 */
#ifndef SIDE_FILE
#define SIDE_FILE(member, suffix, what)
#endif
/* also suffixes of vLLM's file names */
#define RUN_TIMELINE_SUFFIX      ".timeline.html"
#define RUN_DATASET_STATS_SUFFIX ".dataset_stats.png"

SIDE_FILE(requests,             ".requests.jsonl.zst",                "records of requests")
SIDE_FILE(series,               ".series.jsonl.zst",                  "telemetry")
SIDE_FILE(server_log,           ".server.log",                        "a server's log")
SIDE_FILE(client_log,           ".client.log",                        "a client's log")
SIDE_FILE(client_timeline,      ".client" RUN_TIMELINE_SUFFIX,        "a drawing")
SIDE_FILE(client_dataset_stats, ".client" RUN_DATASET_STATS_SUFFIX,   "a drawing")
SIDE_FILE(timeline,             RUN_TIMELINE_SUFFIX,                  "a drawing")
SIDE_FILE(dataset_stats,        RUN_DATASET_STATS_SUFFIX,             "a drawing")

#undef SIDE_FILE
