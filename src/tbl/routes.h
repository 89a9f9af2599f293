/*
 * What profllm-dashboard answers: ROUTE(method, path, handler, tag, turn). What a route takes and answers
 * stands in api/openapi.yaml, which has to have exactly these.
 *
 *   path     as there; "{id}" is one part of a path
 *   handler  dash_HANDLER() of src/dash
 *   tag      by what an answer is known to be the one of before: DATA (what is stored), PROGRAM
 *            (this build), OWN (the handler says), NONE (always anew)
 *   turn     who calls the handler: NOW (the thread that read the request), QUEUE (it waits for its turn),
 *            SHARED (the same, and one answer is for all who ask the same of the same data), STREAM (as NOW,
 *            before the body, which is never in memory as a whole; its answer waits for its turn)
 * Undefined again at the end.
 */
ROUTE("GET", "/api/fields", list_fields, PROGRAM, NOW)
ROUTE("POST", "/api/filters/apply", apply_filter, DATA, SHARED)
ROUTE("GET", "/api/filters/options", list_options, DATA, SHARED)
ROUTE("GET", "/api/filters/values", list_values, DATA, SHARED)
ROUTE("GET", "/api/filters/presets", list_presets, NONE, NOW)
ROUTE("POST", "/api/filters/presets", add_preset, NONE, QUEUE)
ROUTE("GET", "/api/filters/presets/{id}", get_preset, NONE, NOW)
ROUTE("PUT", "/api/filters/presets/{id}", replace_preset, NONE, QUEUE)
ROUTE("DELETE", "/api/filters/presets/{id}", remove_preset, NONE, QUEUE)
ROUTE("POST", "/api/views", add_view, NONE, QUEUE)
ROUTE("GET", "/api/views/{id}", get_view, NONE, NOW)
ROUTE("POST", "/api/export/csv", export_csv, NONE, QUEUE)
ROUTE("POST", "/api/export/json", export_json, NONE, QUEUE)
ROUTE("POST", "/api/data/points", list_points, DATA, SHARED)
ROUTE("GET", "/api/data/experiments", list_experiments, DATA, SHARED)
ROUTE("GET", "/api/data/summary", get_summary, DATA, SHARED)
ROUTE("POST", "/api/data/compare", compare, DATA, SHARED)
ROUTE("GET", "/api/data/experiments/{id}", get_experiment, DATA, NOW)
ROUTE("GET", "/api/data/experiments/{id}/raw", get_experiment_raw, DATA, NOW)
ROUTE("GET", "/api/data/experiments/{id}/series", get_series, NONE, QUEUE)
ROUTE("GET", "/api/data/experiments/{id}/artifacts", list_artifacts, NONE, NOW)
ROUTE("GET", "/api/data/experiments/{id}/artifacts/{kind}/{name}", get_artifact, OWN, NOW)
ROUTE("GET", "/api/data/sweeps", list_sweeps, NONE, QUEUE)
ROUTE("GET", "/api/data/sweeps/{id}", get_sweep, NONE, QUEUE)
ROUTE("PUT", "/api/data/sweeps/{id}", put_sweep, NONE, QUEUE)
ROUTE("DELETE", "/api/data/sweeps/{id}", remove_sweep, NONE, QUEUE)
ROUTE("GET", "/api/export/sweep/{id}", get_sweep_file, NONE, QUEUE)
ROUTE("GET", "/api/export/traces/{id}", export_traces, OWN, NOW)
ROUTE("PUT", "/api/upload/artifact/{run_id}/{kind}/{name}", put_artifact, NONE, STREAM)
ROUTE("PATCH", "/api/data/experiments/{id}", change_experiment, NONE, QUEUE)
ROUTE("DELETE", "/api/data/experiments/{id}", delete_experiment, NONE, QUEUE)
ROUTE("POST", "/api/data/experiments/{id}/restore", restore_experiment, NONE, QUEUE)
ROUTE("GET", "/api/data/experiments/{id}/changes", list_changes, NONE, QUEUE)
ROUTE("POST", "/api/upload/json", upload_json, NONE, NOW)
ROUTE("POST", "/api/upload/batch", upload_batch, NONE, NOW)
ROUTE("POST", "/api/upload/raw", upload_raw, NONE, NOW)
ROUTE("GET", "/api/upload/jobs", list_jobs, NONE, QUEUE)
ROUTE("POST", "/api/upload/jobs", open_job, NONE, QUEUE)
ROUTE("POST", "/api/upload/jobs/{job_id}/close", close_job, NONE, QUEUE)
ROUTE("POST", "/api/upload/jobs/{job_id}/cancel", cancel_job, NONE, QUEUE)
ROUTE("POST", "/api/upload/jobs/{job_id}/retry", retry_job, NONE, QUEUE)
ROUTE("POST", "/api/upload/jobs/{job_id}/choose", choose_job, NONE, QUEUE)
ROUTE("GET", "/api/upload/jobs/{job_id}/items/{index}/diff", diff_item, NONE, QUEUE)
ROUTE("POST", "/api/upload/known", list_known, NONE, QUEUE)
ROUTE("GET", "/api/upload/status/{job_id}", get_job, NONE, NOW)
ROUTE("GET", "/api/health", get_health, NONE, NOW)
ROUTE("GET", "/api/openapi.yaml", get_contract, PROGRAM, NOW)

#undef ROUTE
