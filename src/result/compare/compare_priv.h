/*
 * Between compare.c (the whole answer), inputs.c (what was asked for) and figures.c (what came of it).
 */
#pragma once

#include "result/compare/compare.h"

/* The members cautions, comparable and unknown. */
void res_compare_alike(const struct res_compare_source *source, json_t *answer);
/* New references. */
json_t *res_compare_inputs(const struct res_compare_source *source, bool list_equal);
/* Ids of what there was no time for are appended to not_ready. */
json_t *res_compare_metrics(const struct res_compare_source *source,
			    const struct res_compare_options *options, json_t *not_ready);
json_t *res_compare_families(const struct res_compare_source *source, json_t *not_ready);
