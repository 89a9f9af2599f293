/* Missing combinations of a grid: query/missing/missing.h. */
#include "query/missing/missing.h"
#include "dash/question.h"

void dash_find_missing(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = dash_with_budget(json_copy((json_t *)request->body));

	dash_ask(request, query_missing, question, answer);
}
