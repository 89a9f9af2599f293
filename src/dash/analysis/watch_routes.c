/* Watches: stored questions about regressions (store/analysis/watch.h). */
#include "base/json.h"
#include "dash/analysis/watches.h"
#include "dash/problem.h"
#include "dash/request.h"
#include "store/analysis/watch.h"

#define PATH "/api/analysis/watches"

static void refuse_name(const char *name, struct dash_answer *answer)
{
	auto_free char *detail = pl_asprintf("/name: watch '%s' already exists", name);

	dash_problem_answer(
		answer,
		&(struct dash_problem){
			.status = 409,
			.detail = detail,
			.pointer = "/name",
			.found = name,
			.expected = "a name that no other watch has (case does not matter)" });
}

static void answer_outcome(const struct dash_request *request, enum store_watch_outcome outcome,
			   int status, json_t *watch, struct dash_answer *answer)
{
	switch (outcome) {
	case STORE_WATCH_OK:
		if (watch == NULL)
			answer->status = status;
		else
			dash_answer_json(answer, status, watch);
		return;
	case STORE_WATCH_NONE:
		dash_refuse(answer, 404, "watch '%s' does not exist", request->words[0]);
		return;
	case STORE_WATCH_CHANGED:
		dash_refuse(answer, 412,
			    "watch '%s' has another revision than If-Match; read it again",
			    request->words[0]);
		return;
	case STORE_WATCH_NAMED:
		refuse_name(pl_json_get_text(request->body, "name"), answer);
		return;
	case STORE_WATCH_FULL:
		dash_refuse(answer, 409, "the limit of %d watches is reached; delete one first",
			    STORE_WATCHES_MAX);
		return;
	}
}

void dash_list_watches(const struct dash_request *request, struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *watches = NULL;

	if (store_watch_list(request->context->store, true, &watches, &err) < 0)
		dash_refuse_stored(answer, &err);
	else
		dash_answer_json(answer, 200, json_pack("{s:o}", "watches", watches));
}

void dash_add_watch(const struct dash_request *request, struct dash_answer *answer)
{
	enum store_watch_outcome outcome;
	struct pl_err err = PL_ERR_INIT;
	json_t *added = NULL;

	if (store_watch_add(request->context->store, request->body, &outcome, &added, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return;
	}
	if (added != NULL)
		answer->location = pl_asprintf(PATH "/%lld",
					       (long long)pl_json_get_i64(added, "id"));
	answer_outcome(request, outcome, 201, added, answer);
	dash_watches_wake(request->context->watches);
}

void dash_change_watch(const struct dash_request *request, struct dash_answer *answer)
{
	int64_t id = dash_request_id(request), revision = dash_request_revision(request);
	enum store_watch_outcome outcome = STORE_WATCH_NONE;
	struct pl_err err = PL_ERR_INIT;
	json_t *changed = NULL;

	if (id > 0 && store_watch_change(request->context->store, id, revision, request->body,
					 &outcome, &changed, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return;
	}
	answer_outcome(request, outcome, 200, changed, answer);
	dash_watches_wake(request->context->watches);
}

void dash_remove_watch(const struct dash_request *request, struct dash_answer *answer)
{
	int64_t id = dash_request_id(request), revision = dash_request_revision(request);
	enum store_watch_outcome outcome = STORE_WATCH_NONE;
	struct pl_err err = PL_ERR_INIT;

	if (id > 0 && store_watch_remove(request->context->store, id, revision, &outcome, &err) < 0)
		dash_refuse_stored(answer, &err);
	else
		answer_outcome(request, outcome, 204, NULL, answer);
}
