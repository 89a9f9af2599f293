/*
 * What profllm-dashboard answers: ROUTE(method, path, handler, tag, turn). What a route takes and answers
 * stands in api/openapi.yaml, which has to have exactly these.
 *
 *   path     as there; "{id}" is one part of a path
 *   handler  dash_HANDLER() of src/dash
 *   tag      by what an answer is known to be the one of before: DATA (what is stored), PROGRAM
 *            (this build), NONE (always anew)
 *   turn     who calls the handler: NOW (the thread that read the request), QUEUE (it waits for its turn),
 *            SHARED (the same, and one answer is for all who ask the same of the same data)
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
ROUTE("GET", "/api/data/experiments", list_experiments, DATA, SHARED)
ROUTE("GET", "/api/data/experiments/{id}", get_experiment, DATA, NOW)
ROUTE("GET", "/api/data/experiments/{id}/raw", get_experiment_raw, DATA, NOW)
ROUTE("POST", "/api/upload/json", upload_json, NONE, NOW)
ROUTE("POST", "/api/upload/batch", upload_batch, NONE, NOW)
ROUTE("POST", "/api/upload/raw", upload_raw, NONE, NOW)
ROUTE("GET", "/api/upload/status/{job_id}", get_job, NONE, NOW)
ROUTE("GET", "/api/health", get_health, NONE, NOW)
ROUTE("GET", "/api/openapi.yaml", get_contract, PROGRAM, NOW)

#undef ROUTE
