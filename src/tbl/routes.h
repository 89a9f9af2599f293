/*
 * What profllm-dashboard answers: ROUTE(method, path, handler, tag). What a route takes and answers
 * stands in api/openapi.yaml, which has to have exactly these.
 *
 *   path     as there; "{id}" is one part of a path
 *   handler  dash_HANDLER() of src/dash
 *   tag      by what an answer is known to be the one of before: DATA (what is stored), PROGRAM
 *            (this build), NONE (always anew)
 * Undefined again at the end.
 */
ROUTE("GET", "/api/fields", list_fields, PROGRAM)
ROUTE("POST", "/api/filters/apply", apply_filter, DATA)
ROUTE("GET", "/api/filters/options", list_options, DATA)
ROUTE("GET", "/api/data/experiments", list_experiments, DATA)
ROUTE("GET", "/api/data/experiments/{id}", get_experiment, DATA)
ROUTE("GET", "/api/data/experiments/{id}/raw", get_experiment_raw, DATA)
ROUTE("POST", "/api/upload/json", upload_json, NONE)
ROUTE("POST", "/api/upload/batch", upload_batch, NONE)
ROUTE("POST", "/api/upload/raw", upload_raw, NONE)
ROUTE("GET", "/api/upload/status/{job_id}", get_job, NONE)
ROUTE("GET", "/api/health", get_health, NONE)
ROUTE("GET", "/api/openapi.yaml", get_contract, PROGRAM)

#undef ROUTE
