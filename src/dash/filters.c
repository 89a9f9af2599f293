/* Questions to all results: from JSON and query strings to store/query.h and back. */
#include <string.h>

#include "dash/problem.h"
#include "dash/request.h"
#include "store/query.h"
#include "store/store.h"

#define BUDGET_MS 2000

typedef int query_fn(const struct store_snapshot *snapshot, const json_t *request,
		     struct pl_buf *ret_json, struct res_schema_faults *faults, struct pl_err *err);

/* Of an answer: was there time for all of it? What stands behind not_ready are numbers. */
static bool is_partial(const char *json)
{
	static const char member[] = "\"not_ready\":[";
	const char *last = NULL;

	for (const char *at = json; (at = strstr(at, member)) != NULL; at++)
		last = at;
	return last != NULL && last[strlen(member)] != ']';
}

static void answer_text(struct dash_answer *answer, struct pl_buf *json)
{
	size_t len = json->len;

	answer->status = 200;
	answer->is_partial = is_partial(pl_buf_text(json));
	dash_answer_bytes(answer, "application/json", pl_buf_take(json), len);
}

static void ask(const struct dash_request *request, query_fn *query, const json_t *question,
		struct dash_answer *answer)
{
	auto_snapshot struct store_snapshot *snapshot = NULL;
	auto_schema_faults faults = { 0 };
	auto_buf found = PL_BUF(DASH_ANSWER_BYTES_MAX);
	struct pl_err err = PL_ERR_INIT;

	if (store_snapshot_get(request->context->store, &snapshot, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return;
	}
	if (query(snapshot, question, &found, &faults, &err) == 0)
		answer_text(answer, &found);
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

/* Who does not say how long it may take has the time that the contract says. Takes the reference. */
static json_t *with_budget(json_t *question)
{
	if (json_object_get(question, "budget_ms") == NULL)
		json_object_set_new(question, "budget_ms", json_integer(BUDGET_MS));
	return question;
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
	auto_json json_t *question = with_budget(json_copy((json_t *)request->body));

	ask(request, store_query_apply, question, answer);
}

void dash_list_options(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = with_budget(question_of(request->query));

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
