/* The best form control to filter a field, given the field and its values in some rows. */
#pragma once

#include "result/fields/fields.h"

#define QUERY_OPTION_CHECKS_MAX 30 /* up to this number of distinct values, each has a box */
#define QUERY_OPTION_RANGE_MIN  13 /* from this number of distinct numbers on, a range */

struct query_option_facts {
	size_t distinct; /* distinct values, including words; SIZE_MAX: too many to count */
	size_t numbers;  /* distinct numbers among them */
	bool has_times;  /* values that are times */
};

/* Returns "checks", "search", "range", "dates", "yes" or "none" (no values): Widget of api/openapi.yaml. */
const char *query_option_widget(const struct res_field *field,
				const struct query_option_facts *facts);
