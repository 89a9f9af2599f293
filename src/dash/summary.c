/* Figures of results in groups: query/groups/summary.h. */
#include "dash/question.h"
#include "query/groups/summary.h"

void dash_get_summary(const struct dash_request *request, struct dash_answer *answer)
{
	static const char *const lists[] = { "group_by", "metrics" };
	auto_json json_t *question = dash_with_budget(json_copy((json_t *)request->query));

	for (size_t i = 0; i < PL_ARRAY_SIZE(lists); i++) {
		const char *words = json_string_value(json_object_get(question, lists[i]));
		if (words != NULL)
			json_object_set_new(question, lists[i], dash_list_of(words, false));
	}
	dash_ask(request, query_summary, question, answer);
}
