#include "dash/analysis/analysis.h"

#include "dash/question.h"
#include "query/series/series.h"
#include "store/analysis/decision.h"
#include "store/store.h"

struct budget {
	int64_t end_ns, refuse_ns;
};

static int ask_once(const struct dash_context *context, struct mirror_cancel_token *cancel_token,
		    const json_t *question, const struct budget *budget, struct pl_buf *ret,
		    struct schema_faults *faults, struct pl_err *err)
{
	auto_snapshot struct mirror_snapshot *all = NULL;
	auto_json json_t *decisions = NULL;

	/* in this order: a later decision counts as a later change of the data, so the response is not cached for it */
	if (store_snapshot_get(context->store, &all, err) < 0 ||
	    store_decision_list(context->store, NULL, &decisions, err) < 0)
		return -1;
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_for(all, cancel_token);
	mirror_snapshot_limit(snapshot, budget->end_ns, budget->refuse_ns);
	return query_regression(snapshot, question,
				&(struct query_regression_inputs){ .cache = context->series,
								   .decisions = decisions },
				ret, faults, err);
}

static int ask(const struct dash_context *context, struct mirror_cancel_token *cancel_token,
	       const json_t *question, const struct budget *budget, struct pl_buf *ret_json,
	       struct schema_faults *faults, struct pl_err *err)
{
	unsigned tries = 0;
	int result;

	do {
		ret_json->len = 0;
		result = ask_once(context, cancel_token, question, budget, ret_json, faults, err);
	} while (result < 0 && faults->count == 0 && store_should_retry(err, &tries));
	return result;
}

int dash_regression(const struct dash_context *context, struct mirror_cancel_token *cancel_token,
		    const json_t *question, struct pl_buf *ret_json, struct schema_faults *faults,
		    struct pl_err *err)
{
	return ask(context, cancel_token, question, &(struct budget){ 0 }, ret_json, faults, err);
}

void dash_find_regressions(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = dash_with_budget(json_copy((json_t *)request->body));
	auto_schema_faults faults = { 0 };
	auto_buf found = PL_BUF(DASH_ANSWER_BYTES_MAX);
	struct pl_err err = PL_ERR_INIT;
	struct budget budget;

	dash_read_budget(request, question, &budget.end_ns, &budget.refuse_ns);
	int result = ask(request->context, request->cancel_token, question, &budget, &found,
			 &faults, &err);
	dash_answer_found(answer, result, &found, &faults, &err);
}

void dash_compare_releases(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *question = dash_with_budget(json_copy((json_t *)request->body));

	dash_ask(request, query_releases, question, answer);
}

void dash_list_trends(const struct dash_request *request, struct dash_answer *answer)
{
	dash_ask(request, query_trends, request->body, answer);
}
