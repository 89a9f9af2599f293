/*
 * By which control a field is filtered best: what follows from the field and from what it has in some rows.
 */
#pragma once

#include "result/fields/fields.h"

#define QUERY_OPTION_CHECKS_MAX 30 /* so many different values are a box each */
#define QUERY_OPTION_RANGE_MIN  13 /* so many different numbers are a range */

struct query_option_facts {
	size_t distinct; /* different values, words too; SIZE_MAX: too many to be counted */
	size_t numbers;  /* different numbers among them */
	bool has_times;  /* values that are times */
};

/* "checks", "search", "range", "dates", "yes", "none" (there is no value): Widget of api/openapi.yaml. */
const char *query_option_widget(const struct res_field *field,
				const struct query_option_facts *facts);
