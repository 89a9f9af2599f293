/*
 * The result files of vLLM's offline benchmarks (`vllm bench latency`, `throughput`, `startup`,
 * `mm-processor`): their keys, conversion from and to a result document, and their printed output.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

/* Returns the kind of benchmark with these keys ("latency"); NULL: none. */
const char *res_offline_kind_of(const json_t *json);
/*
 * Extracts `results` from such a file, by its keys; other keys are dropped. Returns -1 if a
 * required key is missing or has a wrong type. New reference.
 */
int res_offline_figures(const char *kind, const json_t *json, json_t **ret,
			struct pl_err *err) PL_MUST_CHECK;
/*
 * Converts a file of any kind to {tags, config: {benchmark, server}, results}; other content is
 * handled as in a flat result (result/flat/document.h). NULL: not such a file, or malformed. New
 * reference.
 */
struct res_fields;
json_t *res_offline_document(const struct res_fields *fields, const json_t *json);
/* Converts results to vLLM's file, with its keys in its order. New reference. */
json_t *res_offline_flat(const char *kind, const char *model, const json_t *results);
/* Writes the file in vLLM's format. */
int res_offline_write(const json_t *flat, const char *kind, const char *path,
		      struct pl_err *err) PL_MUST_CHECK;

/* Returns {"10": …, "25" … "99"} of samples in any order. New reference. */
json_t *res_offline_percentiles(const double *samples, size_t count);
/* Appends what vLLM prints at the end. */
void res_offline_report(const char *kind, const json_t *results, struct pl_buf *buf);
