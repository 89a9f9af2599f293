/*
 * The result files of vLLM's offline benchmarks (`vllm bench latency`, `throughput`, `startup`,
 * `mm-processor`): their keys, the way in and out of a document of ours, and what they print.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

/* The kind of benchmark whose keys these are ("latency"); NULL: none of them. */
const char *res_offline_kind_of(const json_t *json);
/*
 * What such a file says for `results`, by its keys; other keys are left out. -1: one that its kind has
 * is not there, or is not what it should be. New reference.
 */
int res_offline_figures(const char *kind, const json_t *json, json_t **ret,
			struct pl_err *err) PL_MUST_CHECK;
/*
 * {tags, config: {benchmark, server}, results} of a file of any kind, with what else is in it as of a flat result
 * (result/flat/document.h); NULL: it is none, or damaged. New reference.
 */
struct res_fields;
json_t *res_offline_document(const struct res_fields *fields, const json_t *json);
/* The other way: vLLM's file of these results, key by key in its order. New reference. */
json_t *res_offline_flat(const char *kind, const char *model, const json_t *results);
/* Written as vLLM does. */
int res_offline_write(const json_t *flat, const char *kind, const char *path,
		      struct pl_err *err) PL_MUST_CHECK;

/* {"10": …, "25" … "99"} of samples in any order. New reference. */
json_t *res_offline_percentiles(const double *samples, size_t count);
/* What vLLM prints at the end. */
void res_offline_report(const char *kind, const json_t *results, struct pl_buf *buf);
