/* Shared by compare.c (the complete comparison), inputs.c (inputs) and figures.c (metrics). */
#pragma once

#include "result/compare/compare.h"

/* Sets the members cautions, comparable and unknown. */
void res_compare_alike(const struct res_compare_source *source, json_t *answer);
/* Returns a new reference. */
json_t *res_compare_inputs(const struct res_compare_source *source, bool list_equal);
/* Return new references. Append the ids of metrics for which there was no time to not_ready. */
json_t *res_compare_metrics(const struct res_compare_source *source,
			    const struct res_compare_options *options, json_t *not_ready);
json_t *res_compare_families(const struct res_compare_source *source, json_t *not_ready);
