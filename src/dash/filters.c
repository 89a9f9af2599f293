/* Queries over all results: from JSON and query strings to query/query.h and back. */
#include "dash/question.h"
#include "query/points/points.h"
#include "query/query.h"

/* Converts the query's members to a request: "-ID" in sort becomes a key. New reference. */
static json_t *question_of(const json_t *query)
{
	const json_t *sort = json_object_get(query, "sort");
	json_t *question = json_copy((json_t *)query);
	auto_json json_t *keys = json_array();

	PL_JSON_EACH(item, sort) {
		const char *word = json_string_value(item);
		bool descends = word[0] == '-';
		json_array_append_new(keys, json_pack("{s:s, s:s}", "field", word + descends, "dir",
						      descends ? "desc" : "asc"));
	}
	if (sort != NULL)
		json_object_set(question, "sort", keys);
	return question;
}

void dash_apply_filter(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = dash_with_budget(json_copy((json_t *)request->body));

	dash_ask(request, query_apply, question, answer);
}

void dash_list_options(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = dash_with_budget(json_copy((json_t *)request->query));

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
