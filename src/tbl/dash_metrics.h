/*
 * The metrics of profllm-dashboard, in the order of GET /metrics.
 *
 * METRIC(ID, TYPE, name, unit, labels, help)
 *   TYPE    COUNTER (its name ends in _total and its value never decreases), GAUGE, or HISTOGRAM
 *   unit    the unit at the end of the name; "": none
 *   labels  names of the labels, comma-separated; their values are of bounded number
 *   help    one sentence
 * BOUND(seconds)   upper bounds of the histograms, ascending
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef METRIC
#define METRIC(ID, TYPE, name, unit, labels, help)
#endif
#ifndef BOUND
#define BOUND(seconds)
#endif

METRIC(BUILD_INFO, GAUGE, "profllm_dashboard_build_info", "", "version", "Always 1; the version is a label.")
METRIC(READY, GAUGE, "profllm_dashboard_ready", "", "", "1 if the server is ready for requests, otherwise 0.")
METRIC(UNREADY, GAUGE, "profllm_dashboard_unready", "", "reason", "1 for each reason why the server is not ready, otherwise 0.")

METRIC(REQUESTS, COUNTER, "profllm_dashboard_http_requests_total", "", "method,route,status",
       "Requests that have ended, by the path template of the route. The status is disconnected if the client left before the response.")
METRIC(DURATION, HISTOGRAM, "profllm_dashboard_http_request_duration_seconds", "seconds", "method,route",
       "Time from the request line to the last byte of the response, without server-sent events.")
METRIC(SENT, COUNTER, "profllm_dashboard_http_response_bytes_total", "bytes", "", "Bytes of response bodies, as compressed.")
METRIC(IN_FLIGHT, GAUGE, "profllm_dashboard_http_requests_in_flight", "", "", "Requests in progress.")
METRIC(CONNECTIONS, GAUGE, "profllm_dashboard_http_connections", "", "", "Open connections of clients.")
METRIC(BODIES, GAUGE, "profllm_dashboard_http_body_bytes", "bytes", "", "Memory of request bodies in progress.")

METRIC(QUEUED, GAUGE, "profllm_dashboard_queue_length", "", "queue", "Responses that wait for a thread.")
METRIC(QUEUE_AGE, GAUGE, "profllm_dashboard_queue_age_seconds", "seconds", "queue", "Waiting time of the oldest queued response.")
METRIC(RUNNING, GAUGE, "profllm_dashboard_queue_running", "", "queue", "Responses that are being computed.")
METRIC(QUEUE_FULL, COUNTER, "profllm_dashboard_queue_refused_total", "", "queue", "Requests that were refused with status 503 because the queue was full.")
METRIC(CACHE_HITS, COUNTER, "profllm_dashboard_cache_hits_total", "", "cache", "Responses that were in the cache.")
METRIC(CACHE_MISSES, COUNTER, "profllm_dashboard_cache_misses_total", "", "cache", "Responses that were not in the cache and had to be computed.")
METRIC(CACHE_BYTES, GAUGE, "profllm_dashboard_cache_bytes", "bytes", "cache", "Memory of the cached responses.")

METRIC(RESULTS, GAUGE, "profllm_dashboard_results", "", "state", "Stored results: live, or deleted and not yet pruned.")
METRIC(RESULTS_BYTES, GAUGE, "profllm_dashboard_results_bytes", "bytes", "", "Memory of the columns of all results.")
METRIC(START_RESULTS, GAUGE, "profllm_dashboard_start_results", "", "source", "Results that were read at the start, from the column snapshot and from the database.")
METRIC(DATABASE_UP, GAUGE, "profllm_dashboard_database_up", "", "kind", "1 if the last query of the monitor succeeded, otherwise 0.")
METRIC(DATABASE_AGE, GAUGE, "profllm_dashboard_database_check_age_seconds", "seconds", "", "Time since the last successful query of the monitor.")
METRIC(DATABASE_QUERY, GAUGE, "profllm_dashboard_database_query_seconds", "seconds", "", "Duration of the last query of the monitor.")
METRIC(VERSION, GAUGE, "profllm_dashboard_data_version", "", "", "Number of changes of the stored data.")
METRIC(BEHIND, GAUGE, "profllm_dashboard_behind_changes", "", "", "Changes in the database that the results in memory lack.")
METRIC(BEHIND_TIME, GAUGE, "profllm_dashboard_behind_seconds", "seconds", "", "Time since the results in memory were as new as the database.")
METRIC(DISK_FREE, GAUGE, "profllm_dashboard_disk_free_bytes", "bytes", "directory", "Free space of the file system of a directory.")
METRIC(DISK_SIZE, GAUGE, "profllm_dashboard_disk_size_bytes", "bytes", "directory", "Size of the file system of a directory.")

METRIC(DOCUMENTS, COUNTER, "profllm_dashboard_ingest_documents_total", "", "producer,outcome",
       "Documents that uploads and watched directories have brought. The producer of a rejected document is unknown.")
METRIC(JOBS, GAUGE, "profllm_dashboard_ingest_jobs", "", "", "Uploads that are not finished.")
METRIC(JOBS_AGE, GAUGE, "profllm_dashboard_ingest_age_seconds", "seconds", "", "Age of the oldest upload that is not finished.")

METRIC(TOKENS, GAUGE, "profllm_dashboard_tokens", "", "role", "Tokens of --token-file that have not expired.")
METRIC(SESSIONS, GAUGE, "profllm_dashboard_sessions", "", "", "Sessions of users who have signed in.")
METRIC(LIVE_RUNS, GAUGE, "profllm_dashboard_live_runs", "", "", "Runs in progress, or that ended a short time ago.")
METRIC(LIVE_STREAMS, GAUGE, "profllm_dashboard_live_streams", "", "", "Open streams of server-sent events.")
METRIC(LOG_LINES, COUNTER, "profllm_dashboard_log_lines_total", "", "level", "Warnings and errors in the log.")

METRIC(WATCH_STATE, GAUGE, "profllm_watch_state", "", "watch,state", "1 for the current state of a watch for regressions, otherwise 0.")
METRIC(WATCH_FAILED, GAUGE, "profllm_watch_failed", "", "watch", "1 if the state of a watch reaches its fail_on, otherwise 0.")
METRIC(WATCH_SERIES, GAUGE, "profllm_watch_series", "", "watch,state", "Series of a watch that have become worse.")
METRIC(WATCH_RATIO, GAUGE, "profllm_watch_ratio", "", "watch",
       "Ratio of the newest to the earlier level in the series of a watch that changed the most. Missing if no series became worse.")

METRIC(MEMORY, GAUGE, "process_resident_memory_bytes", "bytes", "", "Resident memory of the process.")
METRIC(CPU, COUNTER, "process_cpu_seconds_total", "seconds", "", "User and system time of the process.")
METRIC(FILES, GAUGE, "process_open_fds", "", "", "Open file descriptors of the process.")
METRIC(FILES_MAX, GAUGE, "process_max_fds", "", "", "Limit of open file descriptors.")
METRIC(START, GAUGE, "process_start_time_seconds", "seconds", "", "Start of the server as Unix time.")

BOUND(0.0005)
BOUND(0.001)
BOUND(0.0025)
BOUND(0.005)
BOUND(0.01)
BOUND(0.025)
BOUND(0.05)
BOUND(0.1)
BOUND(0.25)
BOUND(0.5)
BOUND(1)
BOUND(2.5)
BOUND(5)
BOUND(10)
BOUND(30)

#undef METRIC
#undef BOUND
