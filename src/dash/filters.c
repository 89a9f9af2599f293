/* Questions to all results: from JSON and query strings to query/query.h and back. */
#include <string.h>

#include "dash/question.h"
#include "query/points/points.h"
#include "query/query.h"

/* The query's members as a question, with lists where it has words with commas. New reference. */
static json_t *question_of(const json_t *query)
{
	static const char *const lists[] = { "fields", "columns", "sort" };
	json_t *question = json_copy((json_t *)query);

	for (size_t i = 0; i < PL_ARRAY_SIZE(lists); i++) {
		const char *words = json_string_value(json_object_get(query, lists[i]));
		if (words != NULL)
			json_object_set_new(question, lists[i],
					    dash_list_of(words, strcmp(lists[i], "sort") == 0));
	}
	return question;
}

void dash_apply_filter(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = dash_with_budget(json_copy((json_t *)request->body));

	dash_ask(request, query_apply, question, answer);
}

void dash_list_options(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = dash_with_budget(question_of(request->query));

	dash_ask(request, query_options, question, answer);
}

void dash_list_values(const struct dash_request *request, struct dash_answer *answer)
{
	dash_ask(request, query_values, request->query, answer);
}

void dash_list_points(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = dash_with_budget(json_copy((json_t *)request->body));

	dash_ask(request, query_points, question, answer);
}

void dash_list_experiments(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = question_of(request->query);

	dash_ask(request, query_apply, question, answer);
}
