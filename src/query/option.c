#include "query/option.h"

const char *query_option_widget(const struct res_field *field,
				const struct query_option_facts *facts)
{
	if (facts->distinct == 0)
		return "none";
	if (field->type == RES_FIELD_YES)
		return "yes";
	if (field->type == RES_FIELD_TIME && facts->has_times)
		return "dates";
	if (facts->numbers >= QUERY_OPTION_RANGE_MIN)
		return "range";
	return facts->distinct <= QUERY_OPTION_CHECKS_MAX ? "checks" : "search";
}
