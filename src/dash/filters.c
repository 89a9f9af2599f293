/* Questions to all results: from JSON and query strings to store/query.h and back. */
#include <string.h>

#include "dash/problem.h"
#include "dash/request.h"
#include "store/query.h"
#include "store/store.h"

typedef int query_fn(const struct store_columns *columns, const json_t *request, json_t **ret,
		     struct res_schema_faults *faults, struct pl_err *err);

static void ask(const struct dash_request *request, query_fn *query, const json_t *question,
		struct dash_answer *answer)
{
	struct store *store = request->context->store;
	const struct store_columns *columns;
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;
	json_t *found = NULL;

	if (store_columns_borrow(store, &columns, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return;
	}
	int rc = query(columns, question, &found, &faults, &err);
	/* before the answer is written as text: whoever stores waits for it */
	store_columns_return(store);
	if (rc == 0)
		dash_answer_json(answer, 200, found);
	else if (faults.count > 0)
		dash_refuse_faults(answer, &faults);
	else
		dash_refuse_stored(answer, &err);
}

/* "a,b" as a list; of a sort "-a" is {field: a, dir: desc}. An empty word is one, and refused as such. */
static json_t *list_of(const char *words, bool is_sort)
{
	json_t *list = json_array();

	for (;;) {
		size_t len = strcspn(words, ",");
		bool is_down = is_sort && words[0] == '-';
		json_t *id = json_stringn(words + is_down, len - is_down);
		json_array_append_new(list, is_sort ? json_pack("{s:o, s:s}", "field", id, "dir",
								is_down ? "desc" : "asc")
						    : id);
		if (words[len] == '\0')
			return list;
		words += len + 1;
	}
}

/* The query's members as a question, with lists where it has words with commas. New reference. */
static json_t *question_of(const json_t *query)
{
	static const char *const lists[] = { "fields", "columns", "sort" };
	json_t *question = json_copy((json_t *)query);

	for (size_t i = 0; i < PL_ARRAY_SIZE(lists); i++) {
		const char *words = json_string_value(json_object_get(query, lists[i]));
		if (words != NULL)
			json_object_set_new(question, lists[i],
					    list_of(words, strcmp(lists[i], "sort") == 0));
	}
	return question;
}

void dash_apply_filter(const struct dash_request *request, struct dash_answer *answer)
{
	ask(request, store_query_apply, request->body, answer);
}

void dash_list_options(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = question_of(request->query);

	ask(request, store_query_options, question, answer);
}

void dash_list_values(const struct dash_request *request, struct dash_answer *answer)
{
	ask(request, store_query_values, request->query, answer);
}

void dash_list_experiments(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = question_of(request->query);

	ask(request, store_query_apply, question, answer);
}
