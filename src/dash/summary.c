/* Statistics of results in groups: query/groups/summary.h. */
#include "query/groups/summary.h"
#include "dash/question.h"

void dash_get_summary(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = dash_with_budget(json_copy((json_t *)request->query));

	dash_ask(request, query_summary, question, answer);
}
