/*
 * Compares requested values with those that the server reports (tbl/reported.h). A difference
 * counts only if both values are certain: values that vLLM resolves ("auto", null, -1), paths,
 * secrets and unreadable values never count.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>

struct vllm_catalog;

/* The reports of the server; NULL: none. All borrowed. */
struct vllm_reported {
	const char *args; /* "{'max_model_len': 2048, ...}": the arguments that are not defaults */
	const char *engine;  /* "model='m', max_seq_len=2048, ...": from the log */
	const char *info;    /* the same from /server_info */
	const json_t *cache; /* labels of vllm:cache_config_info, texts */
	const json_t *model; /* the model's entry in /v1/models */
	/*
	 * The catalogue has this server's defaults: an argument that is not in `args` has its
	 * default.
	 */
	bool defaults_known;
};

/*
 * `asked`: arguments that the user set, by name. Returns a list of {argument, requested, reported,
 * source}, one entry per argument, or NULL if the server reports nothing. `source` is "log",
 * "/server_info", "/metrics" or "/v1/models". New reference.
 */
json_t *vllm_mismatches(const struct vllm_catalog *catalog, const json_t *requested,
			const struct vllm_reported *reported);
/* Appends "max_model_len: requested 4096, reported 2048 (log); ...". */
void vllm_mismatches_add_text(const json_t *mismatches, struct pl_buf *buf);
