/* Pareto frontiers and scaling of configurations: query/configurations/. */
#include "dash/question.h"
#include "query/configurations/pareto.h"
#include "query/configurations/scaling.h"

void dash_find_frontiers(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = dash_with_budget(json_copy((json_t *)request->body));

	dash_ask(request, query_pareto, question, answer);
}

void dash_measure_scaling(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = dash_with_budget(json_copy((json_t *)request->body));

	dash_ask(request, query_scaling, question, answer);
}
