/* Comparisons of results: query/groups/compare.h. */
#include "query/groups/compare.h"
#include "dash/question.h"

void dash_compare(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = dash_with_budget(json_copy((json_t *)request->body));

	dash_ask(request, query_compare, question, answer);
}
