/* Decisions of users on changes of metrics (store/analysis/decision.h). */
#include "base/json.h"
#include "dash/problem.h"
#include "dash/request.h"
#include "store/analysis/decision.h"

void dash_list_decisions(const struct dash_request *request, struct dash_answer *answer)
{
	const char *series = pl_json_get_text(request->query, "series");
	struct pl_err err = PL_ERR_INIT;
	json_t *decisions = NULL;

	if (store_decision_list(request->context->store, series, &decisions, &err) < 0)
		dash_refuse_stored(answer, &err);
	else
		dash_answer_json(answer, 200, json_pack("{s:o}", "decisions", decisions));
}

static void refuse_place(const struct dash_request *request, struct dash_answer *answer)
{
	auto_free char *found = pl_asprintf(
		"%lld", (long long)pl_json_get_i64(request->body, "experiment_id"));
	auto_free char *detail = pl_asprintf("/experiment_id: experiment %s does not exist", found);

	dash_problem_answer(answer, &(struct dash_problem){ .status = 422,
							    .detail = detail,
							    .pointer = "/experiment_id",
							    .found = found,
							    .expected = "a stored result" });
}

void dash_add_decision(const struct dash_request *request, struct dash_answer *answer)
{
	enum store_decision_outcome outcome;
	struct pl_err err = PL_ERR_INIT;
	json_t *decision = NULL;

	if (store_decision_add(request->context->store, request->body, &outcome, &decision, &err) <
	    0) {
		dash_refuse_stored(answer, &err);
		return;
	}
	switch (outcome) {
	case STORE_DECISION_ADDED:
		dash_answer_json(answer, 201, decision);
		return;
	case STORE_DECISION_FULL:
		dash_refuse(answer, 409, "the limit of %d decisions is reached",
			    STORE_DECISIONS_MAX);
		return;
	case STORE_DECISION_UNPLACED:
		refuse_place(request, answer);
		return;
	}
}
