/*
 * The routes of profllm-dashboard: ROUTE(method, path, handler, tag, turn). api/openapi.yaml defines their
 * requests and responses, and must contain exactly these routes.
 *
 *   path     as there; "{id}" is one part of a path
 *   handler  dash_HANDLER() of src/dash
 *   tag      the source of the ETag: DATA (the data version), PROGRAM (this build), OWN (set by the handler), NONE
 *   turn     the thread that calls the handler: NOW (the one that read the request; the handler never waits), READ (short
 *            database queries) and WRITE (changes, which may wait for other writers), each with threads of their own;
 *            QUEUE (slow responses, queued), SHARED (the same, and one response serves all identical requests for the
 *            same data), STREAM (as NOW, before the body, which is never in memory as a whole; its response as WRITE)
 * Undefined again at the end.
 */
ROUTE("GET", "/api/fields", list_fields, PROGRAM, NOW)
ROUTE("POST", "/api/filters/apply", apply_filter, DATA, SHARED)
ROUTE("GET", "/api/filters/options", list_options, DATA, SHARED)
ROUTE("GET", "/api/filters/values", list_values, DATA, SHARED)
ROUTE("GET", "/api/filters/presets", list_presets, NONE, READ)
ROUTE("POST", "/api/filters/presets", add_preset, NONE, WRITE)
ROUTE("GET", "/api/filters/presets/{id}", get_preset, NONE, READ)
ROUTE("PUT", "/api/filters/presets/{id}", replace_preset, NONE, WRITE)
ROUTE("DELETE", "/api/filters/presets/{id}", remove_preset, NONE, WRITE)
ROUTE("POST", "/api/views", add_view, NONE, WRITE)
ROUTE("GET", "/api/views/{id}", get_view, NONE, READ)
ROUTE("POST", "/api/export/csv", export_csv, NONE, QUEUE)
ROUTE("POST", "/api/export/json", export_json, NONE, QUEUE)
ROUTE("POST", "/api/data/points", list_points, DATA, SHARED)
ROUTE("GET", "/api/data/experiments", list_experiments, DATA, SHARED)
ROUTE("GET", "/api/data/summary", get_summary, DATA, SHARED)
ROUTE("POST", "/api/data/compare", compare, DATA, SHARED)
ROUTE("POST", "/api/analysis/pareto", find_frontiers, DATA, SHARED)
/* not shared: artifacts may arrive without a new data version */
ROUTE("POST", "/api/analysis/slo", find_feasible, NONE, QUEUE)
ROUTE("POST", "/api/analysis/regression", find_regressions, DATA, ANALYSIS)
ROUTE("POST", "/api/analysis/trends", list_trends, DATA, SHARED)
ROUTE("GET", "/api/data/experiments/{id}", get_experiment, DATA, READ)
ROUTE("GET", "/api/data/experiments/{id}/raw", get_experiment_raw, DATA, READ)
ROUTE("GET", "/api/data/experiments/{id}/series", get_series, NONE, QUEUE)
ROUTE("GET", "/api/data/experiments/{id}/command", get_command, DATA, SHARED)
ROUTE("GET", "/api/data/experiments/{id}/log", get_log, NONE, QUEUE)
ROUTE("GET", "/api/data/experiments/{id}/requests", get_requests, NONE, QUEUE)
ROUTE("GET", "/api/data/experiments/{id}/traces", list_traces, NONE, READ)
ROUTE("GET", "/api/data/experiments/{id}/traces/{name}", get_trace, NONE, QUEUE)
ROUTE("GET", "/api/data/experiments/{id}/report", get_report, NONE, QUEUE)
ROUTE("GET", "/api/data/experiments/{id}/artifacts", list_artifacts, NONE, READ)
ROUTE("GET", "/api/data/experiments/{id}/artifacts/{kind}/{name}", get_artifact, OWN, READ)
ROUTE("GET", "/api/analysis/decisions", list_decisions, NONE, READ)
ROUTE("POST", "/api/analysis/decisions", add_decision, NONE, WRITE)
ROUTE("GET", "/api/annotations", list_annotations, NONE, READ)
ROUTE("POST", "/api/annotations", add_annotation, NONE, WRITE)
ROUTE("PATCH", "/api/annotations/{id}", change_annotation, NONE, WRITE)
ROUTE("DELETE", "/api/annotations/{id}", remove_annotation, NONE, WRITE)
ROUTE("GET", "/api/data/sweeps", list_sweeps, NONE, QUEUE)
ROUTE("GET", "/api/data/sweeps/{id}", get_sweep, NONE, QUEUE)
ROUTE("PUT", "/api/data/sweeps/{id}", put_sweep, NONE, WRITE)
ROUTE("DELETE", "/api/data/sweeps/{id}", remove_sweep, NONE, WRITE)
ROUTE("GET", "/api/export/sweep/{id}", get_sweep_file, NONE, QUEUE)
ROUTE("GET", "/api/export/traces/{id}", export_traces, OWN, READ)
ROUTE("PUT", "/api/upload/artifact/{run_id}/{kind}/{name}", put_artifact, NONE, STREAM)
ROUTE("PATCH", "/api/data/experiments/{id}", change_experiment, NONE, WRITE)
ROUTE("DELETE", "/api/data/experiments/{id}", delete_experiment, NONE, WRITE)
ROUTE("POST", "/api/data/experiments/{id}/restore", restore_experiment, NONE, WRITE)
ROUTE("GET", "/api/data/experiments/{id}/changes", list_changes, NONE, QUEUE)
ROUTE("POST", "/api/upload/json", upload_json, NONE, WRITE)
ROUTE("POST", "/api/upload/batch", upload_batch, NONE, WRITE)
ROUTE("POST", "/api/upload/raw", upload_raw, NONE, WRITE)
ROUTE("GET", "/api/upload/jobs", list_jobs, NONE, QUEUE)
ROUTE("POST", "/api/upload/jobs", open_job, NONE, WRITE)
ROUTE("POST", "/api/upload/jobs/{job_id}/close", close_job, NONE, WRITE)
ROUTE("POST", "/api/upload/jobs/{job_id}/cancel", cancel_job, NONE, WRITE)
ROUTE("POST", "/api/upload/jobs/{job_id}/retry", retry_job, NONE, WRITE)
ROUTE("POST", "/api/upload/jobs/{job_id}/choose", choose_job, NONE, WRITE)
ROUTE("GET", "/api/upload/jobs/{job_id}/missing", get_absent, NONE, QUEUE)
ROUTE("GET", "/api/upload/jobs/{job_id}/items/{index}/diff", diff_item, NONE, QUEUE)
/* queued after received parts, because the client asks when it has lost the response to one */
ROUTE("POST", "/api/upload/known", list_known, NONE, WRITE)
ROUTE("GET", "/api/upload/status/{job_id}", get_job, NONE, READ)
ROUTE("GET", "/api/live", list_live, NONE, NOW)
ROUTE("GET", "/api/live/{run_id}", get_live, NONE, NOW)
ROUTE("POST", "/api/live/{run_id}", put_live, NONE, NOW)
ROUTE("GET", "/api/health", get_health, NONE, READ)
ROUTE("GET", "/api/openapi.yaml", get_contract, PROGRAM, NOW)

#undef ROUTE
