/* Effects of inputs in matched pairs: query/impact/impact.h. */
#include "query/impact/impact.h"
#include "dash/question.h"

void dash_find_effects(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = dash_with_budget(json_copy((json_t *)request->body));

	dash_ask(request, query_impact, question, answer);
}
