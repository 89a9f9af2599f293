/*
 * Artifacts that a run writes next to its result, named after it: "r.json" has "r.requests.jsonl.zst".
 *
 * RUN_ARTIFACT(member, suffix, what)
 *   member  of struct run_paths (run/paths.h)
 *   suffix  takes the place of ".json"
 *   what    description
 * Undefined again at the end. A suffix that ends like another one comes before it.
 */
#ifndef RUN_ARTIFACT
#define RUN_ARTIFACT(member, suffix, what)
#endif
/* also suffixes of vLLM's file names */
#define RUN_TIMELINE_SUFFIX      ".timeline.html"
#define RUN_DATASET_STATS_SUFFIX ".dataset_stats.png"

RUN_ARTIFACT(requests,             ".requests.jsonl.zst",                "records of requests")
RUN_ARTIFACT(series,               ".series.jsonl.zst",                  "telemetry")
RUN_ARTIFACT(server_log,           ".server.log",                        "a server's log")
RUN_ARTIFACT(client_log,           ".client.log",                        "a client's log")
RUN_ARTIFACT(client_timeline,      ".client" RUN_TIMELINE_SUFFIX,        "a drawing")
RUN_ARTIFACT(client_dataset_stats, ".client" RUN_DATASET_STATS_SUFFIX,   "a drawing")
RUN_ARTIFACT(timeline,             RUN_TIMELINE_SUFFIX,                  "a drawing")
RUN_ARTIFACT(dataset_stats,        RUN_DATASET_STATS_SUFFIX,             "a drawing")

#undef RUN_ARTIFACT
